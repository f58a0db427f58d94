// SPDX-License-Identifier: Apache-2.0
#include "testbenches/codec/oracle.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "testbenches/codec/options.h"

namespace gw::testbenches {

reference::CodecConfig config_of(const sim::Packet<Beat>& packet) {
  return codec_config(packet.config);
}

Lanes lanes_of(const sim::Packet<Beat>& packet) {
  Lanes lanes;
  lanes.values.resize(packet.beats.size() * kLanes);
  uint32_t* values = lanes.values.data();
  for (const Beat& beat : packet.beats) {
    std::memcpy(values, beat.data.data(), kBeatBytes);
    values += kLanes;
  }
  const uint32_t keep = packet.beats.back().keep;
  for (int lane = 0; lane < kLanes; ++lane) {
    if ((keep >> (4 * lane) & 0xF) != 0xF) values[lane - kLanes] = 0;
  }
  const int bytes = std::countr_one(keep);
  lanes.broken = bytes == 0 || bytes % 4 != 0 || keep != keep_of_bytes(bytes);
  // Lanes that are missing count as ZERO, and are no values; but a beat is always a group.
  const int kept = std::max(1, kLanes - std::countl_zero(keep) / 4);
  lanes.values.resize(lanes.values.size() - static_cast<size_t>(kLanes - kept));
  return lanes;
}

namespace {

/// The input beat that completes the first output beat: the one with which 32 encoded bytes are
/// there, or the last.
uint32_t trigger_of(std::span<const uint8_t> encoded) {
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

}  // namespace

void CompressorOracle::arrives(size_t, const sim::PacketRef<Beat>& packet) {
  const Lanes lanes = lanes_of(*packet);
  std::vector<uint8_t> encoded;
  reference::encode(std::span<const uint32_t>(lanes.values), config_of(*packet), encoded);
  packet->trigger = trigger_of(encoded);
  sim::PacketRef<Beat> owed =
      sim::make_packet<Beat>(encoded, lanes.broken || packet->beats.back().user != 0);
  owed->source = packet;
  owe(0, std::move(owed));
}

void DecompressorOracle::arrives(size_t, const sim::PacketRef<Beat>& packet) {
  const std::vector<uint8_t> bytes = sim::bytes_of(*packet);
  const reference::DecodeResult decoded = reference::decode(bytes, config_of(*packet));
  sim::PacketRef<Beat> owed = sim::make_packet<Beat>();
  owed->beats.resize(decoded.values.size() / kLanes);
  for (size_t i = 0; i < owed->beats.size(); ++i) {
    std::memcpy(owed->beats[i].data.data(), decoded.values.data() + i * kLanes, kBeatBytes);
  }
  // A stream that does not end where a group ends, or with a beat without a byte, leaves with a
  // beat of zeros, flagged.
  const Beat& last = packet->beats.back();
  if (decoded.error || valid_bytes(last) == 0) owed->beats.push_back(Beat{.user = 1});
  owed->beats.back().last = 1;
  if (last.user != 0) owed->beats.back().user = 1;
  const size_t first_size = bytes.size() < 2
                                ? SIZE_MAX
                                : static_cast<size_t>(reference::encoded_group_bytes(
                                      static_cast<uint16_t>(bytes[0] | (bytes[1] << 8))));
  packet->trigger = static_cast<uint32_t>(
      first_size > bytes.size() ? packet->beats.size() - 1 : (first_size - 1) / kBeatBytes);
  owed->source = packet;
  owe(0, std::move(owed));
}

void LoopOracle::arrives(size_t, const sim::PacketRef<Beat>& packet) {
  compressor_.arrives(0, packet);
  const sim::PacketRef<Beat> between = compressor_.next(0);
  between->config = packet->config;
  decompressor_.arrives(0, between);
  sim::PacketRef<Beat> owed = decompressor_.next(0);
  owed->source = packet;
  packet->trigger = sim::Packet<Beat>::kNoTrigger;
  owe(0, std::move(owed));
}

}  // namespace gw::testbenches
