// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/base/error.h"
#include "sim/report/json.h"
#include "tools/gradwire/commands.h"

namespace gw::tools {
namespace {

using nlohmann::json;

/// What a table of random traffic may say, with the weights that hold where it says nothing.
json random_json(const sim::RandomKind& kind) {
  json d = {{"kind", kind.name}, {"text", kind.text}, {"keys", json::array()}};
  if (!kind.base.empty()) d["base"] = kind.base;
  for (const sim::RandomKey& key : kind.keys) {
    json ways = json::array();
    for (const sim::RandomWay& way : key.ways) {
      ways.push_back({{"name", way.name}, {"weight", way.weight}});
      if (way.shape != sim::RandomShape::kPlain) {
        ways.back()["least"] = way.least;
        ways.back()["most"] = way.most;
      }
      if (way.shape == sim::RandomShape::kRange) {
        ways.back()["from"] = way.from;
        ways.back()["to"] = way.to;
      }
    }
    d["keys"].push_back({{"name", key.name}, {"text", key.text}, {"ways", std::move(ways)}});
  }
  return d;
}

json device_json(const sim::Device& device) {
  const sim::Device::Facts& facts = device.facts();
  json d = {{"name", facts.name},           {"family", facts.family},
            {"summary", facts.summary},     {"engines", {"rtl", "model", "reference"}},
            {"clock_mhz", facts.clock_mhz}, {"top", facts.top},
            {"ports", json::array()},       {"options", json::array()},
            {"synth", json::array()}};
  const auto add_ports = [&](const std::vector<sim::Port>& ports, const char* direction) {
    for (const sim::Port& port : ports) {
      d["ports"].push_back({{"name", port.name},
                            {"direction", direction},
                            {"pins", port.bundle},
                            {"bits", 8 * facts.beat_bytes},
                            {"tuser_bits", port.user_bits},
                            {"paced", port.paced}});
      if (port.paced) d["ports"].back()["gbps"] = port.wire.gbps;
    }
  };
  add_ports(facts.inputs, "in");
  add_ports(facts.outputs, "out");
  for (const sim::Option& option : facts.options) {
    d["options"].push_back(
        {{"name", option.name}, {"text", option.text}, {"default", option.value}});
  }
  for (const sim::SynthKind& kind : facts.stimuli) d["synth"].push_back(kind.name);
  if (facts.random != nullptr) d["random"] = random_json(*facts.random);
  return d;
}

json collect() {
  json document = {{"devices", json::array()}, {"synth", json::array()}, {"traces", json::array()}};
  std::set<std::string> seen;
  for (const auto& device : registry().devices()) {
    document["devices"].push_back(device_json(*device));
    for (const sim::SynthKind& kind : device->facts().stimuli) {
      if (!seen.insert(kind.name).second) continue;
      document["synth"].push_back({{"name", kind.name}, {"summary", kind.summary}});
    }
  }
  const std::filesystem::path folder = trace_folder();
  std::ifstream file(folder / "manifest.json");
  if (!file)
    throw sim::InputError(fmt::format("cannot read the manifest in '{}'", folder.string()));
  const json manifest = json::parse(file, nullptr, false);
  if (!manifest.is_object() || !manifest.contains("captures")) {
    throw sim::InputError(
        fmt::format("'{}' is not a manifest of captures", (folder / "manifest.json").string()));
  }
  for (const json& capture : manifest["captures"]) {
    document["traces"].push_back({{"name", capture.value("name", "")},
                                  {"file", (folder / capture.value("file", "")).string()},
                                  {"kind", capture.value("kind", "")},
                                  {"packets", capture.value("packets", 0)},
                                  {"summary", capture.value("description", "")}});
  }
  return document;
}

/// "list = { of = [1..9600] }, range = { weight = 3, from = 60, to = 1514 }, edges = 1"
void print_random(const json& d) {
  fmt::print("random  {}: {}{}\n", d["kind"].get<std::string>(), d["text"].get<std::string>(),
             d.contains("base") ? "; reads " + d["base"].get<std::string>() + ", too" : "");
  for (const json& key : d["keys"]) {
    std::string ways;
    for (const json& way : key["ways"]) {
      const std::string said =
          way.contains("from")
              ? fmt::format("{{ weight = {}, from = {}, to = {} }}", way["weight"].get<double>(),
                            way["from"].get<int64_t>(), way["to"].get<int64_t>())
          : way.contains("least")
              ? fmt::format("{{ weight = {}, of = [{} to {}] }}", way["weight"].get<double>(),
                            way["least"].get<int64_t>(), way["most"].get<int64_t>())
              : fmt::format("{}", way["weight"].get<double>());
      ways +=
          fmt::format("{}{} = {}", ways.empty() ? "" : ", ", way["name"].get<std::string>(), said);
    }
    fmt::print("        {} ({})\n          {}\n", key["name"].get<std::string>(),
               key["text"].get<std::string>(), ways);
  }
}

void print_device(const json& d) {
  fmt::print("{}: {}\n{} MHz, RTL {}\n\n", d["name"].get<std::string>(),
             d["summary"].get<std::string>(), d["clock_mhz"].get<double>(),
             d["top"].get<std::string>());
  for (const json& port : d["ports"]) {
    fmt::print("port    {:<12} {:<4} {} bit, tuser {}{}\n", port["name"].get<std::string>(),
               port["direction"].get<std::string>(), port["bits"].get<int>(),
               port["tuser_bits"].get<int>(),
               port.contains("gbps") ? fmt::format(", {:g}GbE", port["gbps"].get<double>()) : "");
  }
  for (const json& option : d["options"]) {
    const auto value = option["default"].get<std::string>();
    fmt::print("option  --{:<12} {}{}\n", option["name"].get<std::string>(),
               option["text"].get<std::string>(), value.empty() ? "" : " [" + value + "]");
  }
  for (const json& name : d["synth"]) fmt::print("synth   {}\n", name.get<std::string>());
  if (d.contains("random")) print_random(d["random"]);
}

int list(const std::string& device, bool as_json) {
  if (!device.empty()) {
    const json d = device_json(registry().device(device));
    if (as_json) {
      fmt::print("{}", sim::json_text(d));
    } else {
      print_device(d);
    }
    return sim::kPass;
  }
  const json document = collect();
  if (as_json) {
    fmt::print("{}", sim::json_text(document));
    return sim::kPass;
  }
  for (const json& d : document["devices"]) {
    fmt::print("device  {:<20} rtl,model,reference  {}\n", d["name"].get<std::string>(),
               d["summary"].get<std::string>());
  }
  for (const json& s : document["synth"]) {
    fmt::print("synth   {:<20} {}\n", s["name"].get<std::string>(),
               s["summary"].get<std::string>());
  }
  for (const json& t : document["traces"]) {
    fmt::print("trace   {:<20} {}, {} packets: {}\n", t["name"].get<std::string>(),
               t["kind"].get<std::string>(), t["packets"].get<int64_t>(),
               t["summary"].get<std::string>());
  }
  return sim::kPass;
}

}  // namespace

void add_list(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand(
      "list", "devices, synthetic stimuli and traces; of one device its ports and options");
  struct Arguments {
    std::string device;
    bool json = false;
  };
  auto a = std::make_shared<Arguments>();
  command->add_option("DEVICE", a->device, "ports, options and fitting stimuli of this one");
  command->add_flag("--json", a->json, "as JSON");
  command->callback(
      [a, &invocation] { invocation.action = [a] { return list(a->device, a->json); }; });
}

}  // namespace gw::tools
