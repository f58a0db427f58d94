// The device `compressor`: gradients in, encoded groups out (docs/devices/compressor.md).
#include "testbenches/common/codec_device.h"
//
#include <Vgw_compressor.h>
#include <Vgw_compressor___024root.h>
#include <Vgw_compressor_traced.h>

#include <cstring>

#include "models/systemc/compressor.h"
#include "testbenches/compressor/save_file.h"
#include "testbenches/devices.h"

namespace gw::testbenches {
namespace {

/// The input beat that completes the first output beat: the one with which 32 encoded bytes are
/// there, or the last.
uint32_t trigger_beat(std::span<const uint8_t> encoded) {
  uint32_t group = 0;
  size_t at = 0;
  while (at < encoded.size()) {
    at += static_cast<size_t>(reference::encoded_group_bytes(
        static_cast<uint16_t>(encoded[at] | (encoded[at + 1] << 8))));
    if (at >= kBeatBytes || at >= encoded.size()) break;
    ++group;
  }
  return group;
}

struct CompressorTraits {
  using VerilatedFast = Vgw_compressor;
  using VerilatedTraced = Vgw_compressor_traced;
  using ModelCore = systemc::Compressor;
  static constexpr const char* kName = "compressor";
  static constexpr const char* kTop = "gw_compressor";
  static constexpr const char* kSummary =
      "256-bit AXI burst compressor: binary32 gradients to encoded groups (INCEPTIONN, Figure 9)";
  static constexpr bool kBurstIsInput = true;
  static constexpr const char* kSaveFile = kSaveFile_compressor;

  static void add_gradients(sim::Stimulus& stimulus, std::span<const uint32_t> values,
                            const reference::CodecConfig& config) {
    std::vector<uint8_t> encoded;
    reference::encode(values, config, encoded);
    stimulus.input.append_bytes(
        {reinterpret_cast<const uint8_t*>(values.data()), values.size_bytes()});
    stimulus.expected.append_bytes(encoded);
    stimulus.trigger.push_back(trigger_beat(encoded));
  }

  /// A length that is no multiple of four is a packet in error; the lane that is cut counts as
  /// ZERO.
  static void add_bytes(sim::Stimulus& stimulus, std::span<const uint8_t> bytes,
                        const reference::CodecConfig& config) {
    const size_t whole = bytes.size() / 4;
    std::vector<uint32_t> values(whole);
    if (whole != 0) std::memcpy(values.data(), bytes.data(), whole * 4);
    if (bytes.size() % 4 != 0) values.push_back(0);
    std::vector<uint8_t> encoded;
    reference::encode(std::span<const uint32_t>(values), config, encoded);
    stimulus.input.append_bytes(bytes);
    stimulus.expected.append_bytes(encoded, bytes.size() % 4 != 0);
    stimulus.trigger.push_back(trigger_beat(encoded));
  }
};

}  // namespace

std::unique_ptr<sim::Device> make_compressor() {
  return std::make_unique<CodecDevice<CompressorTraits>>();
}

}  // namespace gw::testbenches
