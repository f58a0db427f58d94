// SPDX-License-Identifier: Apache-2.0
#include "tools/capture/manifest.h"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "models/reference/capture/capture.h"

namespace gw::capture {
namespace {

using Json = nlohmann::ordered_json;

Json load(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(fmt::format("{}: cannot be read.", path.string()));
  return Json::parse(file);
}

std::map<std::string, std::string> load_sums(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::map<std::string, std::string> sums;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string sum, name;
    words >> sum >> name;
    sums[std::filesystem::path(name).filename().string()] = sum;
  }
  return sums;
}

constexpr const char* kHow =
    "Four worker processes, each in its own network namespace, joined by a bridge: veth pairs, MTU "
    "1500, segmentation and checksum offload off. Captured with libpcap on the interface of worker "
    "1, which carries what worker 0 sends to worker 1 (0>1) and worker 1 to worker 2 (1>2). The "
    "ring's connections were made anew for the captured iteration, so every SYN is in the file. An "
    "iteration is far larger than a slice: the file holds the set-up, a window out of each of the "
    "six ring steps of both flows (at growing depth of the step's block, the last up to its end, "
    "so "
    "that all layers occur), and the end. `windows` gives packet numbers in the file and on the "
    "link: between windows packets are left out, within a window none. No packet was changed.";

std::string describe(const std::string& name) {
  const std::string ring = "Gradient exchange of HDC training by Algorithm 1, ToS 0x28: ";
  if (name == "mixed") {
    return "Gradient exchange of HDC training with unmarked traffic between: a file copy over TCP, "
           "ping, ARP and the control connection";
  }
  if (name == "hdc-ring-early") return ring + "an early iteration";
  if (name == "hdc-ring-middle") {
    return ring +
           "the middle of the learning (at half of the iterations gradients look as at the end)";
  }
  return ring + "the last iteration";
}

}  // namespace

void write_manifest(const std::filesystem::path& folder, const std::filesystem::path& sums_file,
                    const std::string& command) {
  const auto sums = load_sums(sums_file);
  const Json run = load(folder / "run.json");
  Json manifest;
  manifest["version"] = 1;
  manifest["captures"] = Json::array();
  const auto names = {"hdc-ring-early", "hdc-ring-middle", "hdc-ring-late", "mixed"};
  for (const std::string name : names) {
    const Json about = load(folder / (name + ".json"));
    const std::string file = name + ".pcap";
    const auto capture = read(folder / file);
    if (!capture) throw std::runtime_error(capture.error().sentence);
    if (capture->damage) throw std::runtime_error(capture->damage->sentence);
    const Info counted = info(*capture);
    const auto sum = sums.find(file);
    if (sum == sums.end()) throw std::runtime_error(fmt::format("{}: has no checksum.", file));

    Json c;
    c["name"] = name;
    c["file"] = file;
    c["kind"] = "captured";
    c["description"] = describe(name);
    c["how"] = kHow;
    c["command"] = command;
    c["link"] = "Ethernet, interface of worker 1 (10.77.0.2), both directions";
    c["network"] =
        "HDC: fully connected 784-500-500-500-500-10, ReLU, softmax cross-entropy; "
        "1,149,010 parameters";
    c["dataset"] = run.at("dataset");
    c["training"] = run.at("training");
    c["workers"] = run.at("workers");
    c["iterations"] = run.at("iterations");
    c["iteration"] = about.at("iteration");
    c["learning_rate"] = about.at("learning_rate");
    c["loss"] = about.at("loss");
    c["accuracy"] = about.at("accuracy");
    c["final_accuracy"] = run.at("accuracy");
    c["bytes"] = std::filesystem::file_size(folder / file);
    c["sha256"] = sum->second;
    c["packets"] = counted.packets;
    c["packets_on_link"] = about.at("packets_on_link");
    c["marked_packets"] = counted.marked;
    c["selected_packets"] = counted.selected;
    c["selected_bytes"] = counted.selected_bytes;
    c["skipped"] = counted.skipped;
    c["flows"] = Json::array();
    for (const auto& f : counted.flows) {
      if (f.marked == 0 || f.payload_bytes == 0) continue;
      Json flow{{"flow", f.key.to_string()}, {"selected_packets", f.selected}};
      if (f.first_sequence) flow["first_sequence"] = *f.first_sequence;
      c["flows"].push_back(flow);
    }
    c["windows"] = about.at("windows");
    c["ring_flows"] = about.at("ring_flows");
    manifest["captures"].push_back(c);
  }
  std::ofstream out(folder / "manifest.json");
  out << manifest.dump(2) << '\n';
  out.close();
  if (!out) throw std::runtime_error("manifest.json cannot be written.");
  std::filesystem::remove(folder / "run.json");
  for (const std::string name : names) std::filesystem::remove(folder / (name + ".json"));
}

}  // namespace gw::capture
