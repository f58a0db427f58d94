#include "testbenches/quant/options.h"

#include <fmt/format.h>

#include "models/systemc/mx.h"
#include "sim/base/error.h"

namespace gw::testbenches {

const std::vector<sim::Option>& mx_options() {
  constexpr const char* kGroup = "Quantiser";
  static const std::vector<sim::Option> kOptions = {
      {"format", "mxfp8 (E4M3) or mxfp4 (E2M1)", "mxfp8", kGroup},
      {"residual", "on: what is not sent is added to the next chunk of the same rows; off", "off",
       kGroup},
      {"rows", "rows of the residual memory, 8 values each: 0 (none), 8 to 262144", "8192",
       kGroup}};
  return kOptions;
}

MxSettings mx_settings(const sim::OptionSet& options) {
  constexpr int64_t kLeast = systemc::Mx::kMinRows, kMost = systemc::Mx::kMaxRows;
  MxSettings settings;
  settings.fp4 = options.choice("format", {"mxfp8", "mxfp4"}) == 1;
  settings.residual = options.choice("residual", {"on", "off"}) == 0;
  settings.rows = static_cast<uint32_t>(options.integer("rows", 0, kMost));
  if (settings.rows != 0 && settings.rows < kLeast) {
    throw sim::UsageError(
        fmt::format("--rows {} is neither 0 nor between {} and {}", settings.rows, kLeast, kMost));
  }
  if (settings.residual && settings.rows == 0) {
    throw sim::UsageError("--residual on needs a memory: --rows 0 has none");
  }
  return settings;
}

sim::PacketConfig packet_config(const MxSettings& settings) {
  return {settings.fp4 ? 1u : 0u, settings.residual ? 1u : 0u};
}

reference::quant::Config mx_config(const sim::PacketConfig& config, uint32_t rows) {
  using reference::quant::Method;
  reference::quant::Config made;
  made.method = config[0] != 0 ? Method::kMxfp4 : Method::kMxfp8;
  made.residual = config[1] != 0 && rows != 0;
  return made;
}

}  // namespace gw::testbenches
