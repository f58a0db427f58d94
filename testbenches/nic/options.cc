// SPDX-License-Identifier: Apache-2.0
#include "testbenches/nic/options.h"

#include "models/reference/capture/bytes.h"
#include "sim/feeds/captures.h"
#include "sim/feeds/frames.h"
#include "testbenches/codec/options.h"

namespace gw::testbenches {
namespace {

// Words of nic_tx's configuration: forget_i, and forget_key_i in three, the lowest first.
constexpr size_t kForget = 7, kForgetKey = 8, kKeyWords = 3;

}  // namespace

std::vector<sim::Option> nic_options() {
  std::vector<sim::Option> options = sim::mark_options("NIC");
  for (const auto& more : {codec_options(), sim::reading_options()}) {
    options.insert(options.end(), more.begin(), more.end());
  }
  return options;
}

sim::Option frame_bytes_option() {
  return {"frame-bytes", "bytes of the frames that are made", "1514", "Synthetic stimuli", true};
}

reference::nic::NicConfig nic_config(const sim::OptionSet& options) {
  return {.mark = sim::mark_of(options),
          .mark_mask = sim::mark_mask_of(options),
          .grid = sim::grid_of(options) == capture::Grid::kStream ? reference::nic::Grid::kStream
                                                                  : reference::nic::Grid::kPacket,
          .codec = codec_config(options)};
}

sim::PacketConfig nic_tx_words(const reference::nic::NicConfig& config,
                               const std::optional<reference::nic::FlowKey>& forget) {
  const sim::PacketConfig codec = packet_config(config.codec);
  sim::PacketConfig words = {
      config.mark,        config.mark_mask, config.grid == reference::nic::Grid::kPacket ? 1u : 0u,
      codec[0],           codec[1],         config.protocol_tcp,
      config.protocol_udp};
  if (forget) {
    words[kForget] = 1;
    for (size_t i = 0; i < kKeyWords; ++i) {
      words[kForgetKey + i] = capture::load32(*forget, 4 * (kKeyWords - 1 - i));
    }
  }
  return words;
}

std::optional<reference::nic::FlowKey> nic_tx_forgets(const sim::PacketConfig& words) {
  if (words[kForget] == 0) return std::nullopt;
  reference::nic::FlowKey key;
  for (size_t i = 0; i < kKeyWords; ++i) {
    capture::store32(key, 4 * (kKeyWords - 1 - i), words[kForgetKey + i]);
  }
  return key;
}

reference::nic::NicConfig nic_tx_config(const sim::PacketConfig& words) {
  return {.mark = static_cast<uint8_t>(words[0]),
          .mark_mask = static_cast<uint8_t>(words[1]),
          .grid = words[2] != 0 ? reference::nic::Grid::kPacket : reference::nic::Grid::kStream,
          .codec = codec_config({words[3], words[4]}),
          .protocol_tcp = static_cast<uint8_t>(words[5]),
          .protocol_udp = static_cast<uint8_t>(words[6])};
}

std::array<uint64_t, 2> nic_rx_says(const reference::nic::FlowKey& forget) {
  // forget_o in bit 0, forget_key_o above it.
  const uint64_t high = capture::load32(forget, 0),
                 low = uint64_t{capture::load32(forget, 4)} << 32 | capture::load32(forget, 8);
  return {low << 1 | 1, high << 1 | low >> 63};
}

sim::PacketConfig nic_rx_words(const reference::nic::NicConfig& config) {
  return {config.protocol_tcp, config.protocol_udp};
}

reference::nic::NicConfig nic_rx_config(const sim::PacketConfig& words) {
  reference::nic::NicConfig config;
  config.protocol_tcp = static_cast<uint8_t>(words[0]);
  config.protocol_udp = static_cast<uint8_t>(words[1]);
  return config;
}

namespace {

/// Two different bytes: as the NICs of this world have them, or any.
sim::PacketConfig legal_protocols(sim::Random& random) {
  const uint32_t tcp = random.below(256), step = 1 + random.below(255);
  if (random.below(4) != 0) return nic_rx_words({});
  return {tcp, (tcp + step) & 0xFF};
}

/// Frames of the usual mark are marked more often than not.
sim::PacketConfig legal_pair(sim::Random& random) {
  sim::PacketConfig words = nic_tx_words({});
  const uint32_t mark = random.below(256), mask = random.below(256);
  if (random.below(8) < 3) words[0] = mark;
  const uint32_t which = random.below(4);
  if (which < 2) words[1] = which == 0 ? 0xFF : mask;
  words[2] = random.below(2);
  const sim::PacketConfig codec = codec_pins().legal(random);
  words[3] = codec[0];
  words[4] = codec[1];
  // Random traffic makes the key one of its flows': any is in no table.
  words[kForget] = random.below(8) == 0;
  for (size_t i = 0; i < kKeyWords; ++i) {
    words[kForgetKey + i] = static_cast<uint32_t>(random.next());
  }
  return words;
}

sim::PacketConfig legal_tx(sim::Random& random) {
  sim::PacketConfig words = legal_pair(random);
  const sim::PacketConfig protocols = legal_protocols(random);
  words[5] = protocols[0];
  words[6] = protocols[1];
  return words;
}

const std::vector<std::string>& tx_pin_options() {
  static const std::vector<std::string> kOptions = {
      "mark", "mark-mask", "grid", "bound", "mode", "", "", "", "", "", ""};
  return kOptions;
}

}  // namespace

const PinFacts& nic_tx_pins() {
  static const PinFacts kFacts = {.options = tx_pin_options(), .legal = &legal_tx};
  return kFacts;
}

const PinFacts& nic_pair_pins() {
  static const PinFacts kFacts = {.options = tx_pin_options(), .legal = &legal_pair};
  return kFacts;
}

const PinFacts& nic_rx_pins() {
  static const PinFacts kFacts = {.options = {"", ""}, .legal = &legal_protocols};
  return kFacts;
}

size_t frame_bytes(const sim::OptionSet& options) {
  return static_cast<size_t>(
      options.integer("frame-bytes", sim::kMinFrameBytes, sim::kMaxFrameBytes));
}

}  // namespace gw::testbenches
