#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "sim/run/device.h"
#include "sim/base/error.h"
#include "sim/feeds/gradients.h"
#include "sim/report/json.h"
#include "sim/feeds/frames.h"
#include "tools/gradwire/commands.h"

namespace gw::tools {
namespace {

using nlohmann::json;

json collect() {
  json document = {{"devices", json::array()}, {"synth", json::array()}, {"traces", json::array()}};
  for (const auto& device : sim::devices()) {
    document["devices"].push_back({{"name", device->name()},
                                   {"engines", {"rtl", "model", "reference"}},
                                   {"summary", device->summary()}});
  }
  for (const sim::SynthKind& kind : sim::synth_kinds()) {
    document["synth"].push_back({{"name", kind.name}, {"summary", kind.summary}});
  }
  for (const sim::SynthKind& kind : sim::frame_synth_kinds()) {
    document["synth"].push_back({{"name", kind.name}, {"summary", kind.summary}});
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

}  // namespace

void add_list(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("list", "devices, engines, synthetic stimuli and traces");
  auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "as JSON");
  command->callback([as_json, &invocation] {
    invocation.action = [as_json] {
      const json document = collect();
      if (*as_json) {
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
    };
  });
}

}  // namespace gw::tools
