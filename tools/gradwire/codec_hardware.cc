#include "tools/gradwire/codec_hardware.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sim/run/data_folder.h"
#include "sim/run/run.h"
#include "testbenches/registry.h"
#include "testbenches/switch/sweep.h"

namespace gw::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr uint64_t kMeasuredPackets = 256;

json read_area(const fs::path& file) {
  std::ifstream in(file);
  return in ? json::parse(in, nullptr, false) : json();
}

/// LUTs of a top, or null.
json lut_of(const std::string& top, const std::string& cache, bool area) {
  testbenches::SweepOptions where;
  where.synth_tool = sim::data_folder() / "tools/synth/synth.sh";
  where.rtl_folder = sim::data_folder() / "rtl";
  where.cache = cache;
  fs::path folder;
  try {
    folder = testbenches::default_areas(where);
  } catch (const sim::UserError&) {
    if (area) throw;
    return {};  // there is no cache to look into
  }
  const fs::path file = folder / (top + ".json");
  json result = read_area(file);
  if (!result.is_object() && area) {
    std::error_code error;
    fs::create_directories(folder, error);
    const fs::path log = folder / (top + ".log");
    const std::string command =
        fmt::format("'{}' {} --json '{}.part' --build '{}' > '{}' 2>&1", where.synth_tool, top,
                    file.string(), folder.string(), log.string());
    if (std::system(command.c_str()) != 0) {
      std::ifstream in(log);
      std::string line, last;
      while (std::getline(in, line)) {
        if (!line.empty()) last = line;
      }
      throw sim::InputError(
          fmt::format("no area of {}: {}", top, last.empty() ? "synthesis failed" : last));
    }
    fs::rename(file.string() + ".part", file);
    result = read_area(file);
  }
  return result.is_object() && result.contains("used") ? result["used"].value("LUT", json())
                                                       : json();
}

}  // namespace

json hardware_figures(const std::string& name, const std::string& cache, bool area) {
  const auto& devices = testbenches::registry().devices();
  const auto device =
      std::ranges::find_if(devices, [&name](const auto& d) { return d->name() == name; });
  if (device == devices.end()) return json::object();
  const sim::Device::Facts& facts = (*device)->facts();
  json figures = json::object();
  sim::RunOptions options;
  options.spec.rtl = false;  // equal to the model in every cycle
  options.spec.options = sim::OptionSet(facts.options);
  options.spec.clock_mhz = facts.clock_mhz;
  options.spec.stimulus.synth = facts.stimuli.front().name;
  options.spec.stimulus.packets = kMeasuredPackets;
  const json report = sim::run(**device, options);
  if (report.contains("cycles_per_burst")) figures["cycles_per_burst"] = report["cycles_per_burst"];
  if (json lut = lut_of(facts.top, cache, area); !lut.is_null()) figures["lut"] = lut;
  return figures;
}

}  // namespace gw::tools
