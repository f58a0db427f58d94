#include "testbenches/codec/options.h"

#include "sim/base/error.h"

namespace gw::testbenches {

const std::vector<sim::Option>& codec_options() {
  static const std::vector<sim::Option> kOptions = {
      {"bound", "error bound 2^-K, K from 1 to 14", "10", "Codec"},
      {"mode", "bounded (holds the bound) or paper (Algorithm 2 to the bit)", "bounded", "Codec"}};
  return kOptions;
}

reference::CodecConfig codec_config(const sim::OptionSet& options) {
  const auto mode = reference::parse_mode(options.word("mode"));
  if (!mode) {
    throw sim::UsageError("--mode '" + options.word("mode") + "' is neither bounded nor paper");
  }
  const auto bound =
      static_cast<int>(sim::parse_integer("--bound", options.word("bound"), INT16_MIN, INT16_MAX));
  const reference::CodecConfigResult result = reference::CodecConfig::make(bound, *mode);
  if (!result.config) throw sim::UsageError("--bound: " + result.error);
  return *result.config;
}

sim::PacketConfig packet_config(const reference::CodecConfig& config) {
  return {static_cast<uint32_t>(config.bound_exponent),
          config.mode == reference::Mode::kBounded ? 1u : 0u};
}

}  // namespace gw::testbenches
