// SPDX-License-Identifier: Apache-2.0
#include "testbenches/codec/words.h"

#include <fmt/format.h>

#include <bit>

#include "models/reference/codec.h"

namespace gw::testbenches {

std::string describe_encoded(const sim::Packet<Beat>& packet, size_t index) {
  const std::vector<uint8_t> bytes = sim::bytes_of(packet);
  const size_t from = index * kBeatBytes;
  std::string text = fmt::format("{} bytes", valid_bytes(packet.beats[index]));
  size_t group = 0;
  for (size_t at = 0; at < from + kBeatBytes && at + reference::kTagBytes <= bytes.size();
       ++group) {
    const uint16_t tags = static_cast<uint16_t>(bytes[at] | (bytes[at + 1] << 8));
    const size_t size = static_cast<size_t>(reference::encoded_group_bytes(tags));
    if (at >= from) {
      std::string letters;
      for (int lane = 0; lane < kLanes; ++lane) letters += "ZBHR"[tags >> (2 * lane) & 3];
      text += fmt::format(", group {} at {} {} ({})", group, at - from, letters, size);
    }
    at += size;
  }
  return text;
}

std::string describe_floats(const sim::Packet<Beat>& packet, size_t index) {
  const Beat& beat = packet.beats[index];
  std::string text;
  for (int i = 0; i < kLanes; ++i) {
    text += (beat.keep >> (4 * i) & 0xF) == 0xF
                ? fmt::format(" {:>12.5g}", std::bit_cast<float>(beat.data[i]))
                : fmt::format(" {:>12}", "-");
  }
  return "floats" + text;
}

}  // namespace gw::testbenches
