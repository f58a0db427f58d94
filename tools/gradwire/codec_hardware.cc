// SPDX-License-Identifier: Apache-2.0
#include "tools/gradwire/codec_hardware.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sim/run/data_folder.h"
#include "sim/run/run.h"
#include "testbenches/library/synthesis.h"
#include "testbenches/registry.h"
#include "testbenches/switch/sweep.h"

namespace gw::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr uint64_t kMeasuredPackets = 256;

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
  json result = testbenches::kept_synthesis(folder, top);
  if (!result.is_object() && area) {
    std::error_code error;
    fs::create_directories(folder, error);
    try {
      result = testbenches::synthesise(where.synth_tool, {top}, folder, top);
    } catch (const sim::InputError& why) {
      throw sim::InputError(fmt::format("no area of {}: {}", top, why.what()));
    }
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
