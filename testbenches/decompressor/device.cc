// The device `decompressor`: encoded groups in, gradients out (docs/devices/decompressor.md).
#include "testbenches/common/codec_device.h"
//
#include <Vgw_decompressor.h>
#include <Vgw_decompressor___024root.h>
#include <Vgw_decompressor_traced.h>

#include <cstring>

#include "models/systemc/decompressor.h"
#include "testbenches/decompressor/save_file.h"
#include "testbenches/devices.h"

namespace gw::testbenches {
namespace {

struct DecompressorTraits {
  using VerilatedFast = Vgw_decompressor;
  using VerilatedTraced = Vgw_decompressor_traced;
  using ModelCore = systemc::Decompressor;
  static constexpr const char* kName = "decompressor";
  static constexpr const char* kTop = "gw_decompressor";
  static constexpr const char* kSummary =
      "256-bit AXI burst decompressor: encoded groups to binary32 gradients (INCEPTIONN, Figure "
      "10)";
  static constexpr bool kBurstIsInput = false;
  static constexpr const char* kSaveFile = kSaveFile_decompressor;

  /// What the compressor at the other end of the link would have sent.
  static void add_gradients(sim::Stimulus& stimulus, std::span<const uint32_t> values,
                            const reference::CodecConfig& config) {
    std::vector<uint8_t> encoded;
    reference::encode(values, config, encoded);
    add_bytes(stimulus, encoded, config);
  }

  static void add_bytes(sim::Stimulus& stimulus, std::span<const uint8_t> bytes,
                        const reference::CodecConfig& config) {
    const reference::DecodeResult decoded = reference::decode(bytes, config);
    std::vector<Beat> beats(decoded.values.size() / kLanes);
    for (size_t i = 0; i < beats.size(); ++i) {
      std::memcpy(beats[i].data.data(), decoded.values.data() + i * kLanes, kBeatBytes);
    }
    // A stream that does not end where a group ends leaves with a beat of zeros, flagged.
    if (decoded.error) beats.push_back(Beat{.user = 1});
    beats.back().last = 1;
    const size_t first_size = bytes.size() < 2
                                  ? bytes.size()
                                  : static_cast<size_t>(reference::encoded_group_bytes(
                                        static_cast<uint16_t>(bytes[0] | (bytes[1] << 8))));
    stimulus.input.append_bytes(bytes);
    stimulus.expected.append(beats);
    stimulus.trigger.push_back(
        static_cast<uint32_t>((std::min(first_size, bytes.size()) - 1) / kBeatBytes));
  }
};

}  // namespace

std::unique_ptr<sim::Device> make_decompressor() {
  return std::make_unique<CodecDevice<DecompressorTraits>>();
}

}  // namespace gw::testbenches
