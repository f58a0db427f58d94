// SPDX-License-Identifier: Apache-2.0
#include "testbenches/codec/options.h"

#include <charconv>
#include <string_view>

#include "sim/base/error.h"

namespace gw::testbenches {

const std::vector<sim::Option>& codec_options() {
  static const std::vector<sim::Option> kOptions = {
      {"bound", "error bound 2^-K: K, or 2^-K; K from 1 to 14", "10", "Codec"},
      {"mode", "bounded (holds the bound) or paper (Algorithm 2 to the bit)", "bounded", "Codec"}};
  return kOptions;
}

namespace {

/// K of "K" or "2^-K". What it may be, the codec says.
int bound_exponent(const std::string& text) {
  const std::string_view digits = std::string_view(text).substr(text.starts_with("2^-") ? 3 : 0);
  int exponent = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    throw sim::UsageError("--bound '" + text + "' is neither K nor 2^-K, K from 1 to 14");
  }
  return exponent;
}

}  // namespace

reference::CodecConfig codec_config(const sim::OptionSet& options) {
  const auto mode = reference::parse_mode(options.word("mode"));
  if (!mode) {
    throw sim::UsageError("--mode '" + options.word("mode") + "' is neither bounded nor paper");
  }
  const reference::CodecConfigResult result =
      reference::CodecConfig::make(bound_exponent(options.word("bound")), *mode);
  if (!result.config) throw sim::UsageError("--bound: " + result.error);
  return *result.config;
}

sim::PacketConfig packet_config(const reference::CodecConfig& config) {
  return {static_cast<uint32_t>(config.bound_exponent),
          config.mode == reference::Mode::kBounded ? 1u : 0u};
}

reference::CodecConfig codec_config(const sim::PacketConfig& config) {
  return {.bound_exponent = static_cast<int>(config[0]),
          .mode = config[1] != 0 ? reference::Mode::kBounded : reference::Mode::kPaper};
}

void describe_codec(const reference::CodecConfig& config, const PacketPins& pins, size_t first,
                    nlohmann::json& report) {
  report["bound"] = config.bound_exponent;
  if (pins.drawn(first)) report["bound"] = kDrawnPerPacket;
  report["mode"] = pins.drawn(first + 1) ? kDrawnPerPacket : reference::mode_name(config.mode);
}

const PinFacts& codec_pins() {
  static const PinFacts kFacts = {.options = {"bound", "mode"}, .legal = [](sim::Random& random) {
                                    return sim::PacketConfig{
                                        static_cast<uint32_t>(reference::kMinBoundExponent) +
                                            random.below(reference::kMaxBoundExponent),
                                        random.below(2)};
                                  }};
  return kFacts;
}

}  // namespace gw::testbenches
