// SPDX-License-Identifier: Apache-2.0
#include "models/reference/ring/frame.h"

#include <array>
#include <utility>

namespace gw::reference::ring {

namespace {

void put(Bytes& bytes, std::size_t at, std::size_t count, std::uint32_t value) {
  while (count-- > 0) {
    bytes[at + count] = static_cast<std::uint8_t>(value);
    value >>= 8;
  }
}
std::uint32_t get(std::span<const std::uint8_t> bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (const std::uint8_t byte : bytes.subspan(at, count)) value = value << 8 | byte;
  return value;
}

/// The residue table of CRC-32, reflected: x^32 + x^26 + x^23 + ... + 1.
constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t rest = i;
    for (int bit = 0; bit < 8; ++bit) rest = (rest & 1) != 0 ? rest >> 1 ^ 0xEDB8'8320u : rest >> 1;
    table[i] = rest;
  }
  return table;
}
constexpr std::array<std::uint32_t, 256> kTable = make_table();

}  // namespace

Bytes encode(const Frame& frame) {
  Bytes bytes(kHeader, 0);
  put(bytes, 0, 1, 0x02);
  put(bytes, 5, 1, frame.receiver);
  put(bytes, 6, 1, 0x02);
  put(bytes, 11, 1, frame.sender);
  put(bytes, 12, 2, kEtherType);
  put(bytes, 14, 1, kVersion);
  put(bytes, 15, 1, static_cast<std::uint8_t>(frame.type));
  put(bytes, 16, 2, frame.session);
  put(bytes, 18, 1, frame.addends);
  put(bytes, 19, 1, frame.answer_wanted ? 1 : 0);
  put(bytes, 20, 2, static_cast<std::uint32_t>(frame.payload.size()));
  put(bytes, 22, 4, frame.chunk);
  put(bytes, 26, 4, frame.ack);
  bytes.insert(bytes.end(), frame.payload.begin(), frame.payload.end());
  return bytes;
}

Decoded decode(std::span<const std::uint8_t> bytes, std::size_t most) {
  const auto wrong = [](std::string why) { return Decoded{{}, std::move(why)}; };
  if (bytes.size() < kHeader) return wrong("shorter than a header");
  if (get(bytes, 12, 2) != kEtherType) return wrong("another EtherType");
  if (bytes[14] != kVersion) return wrong("another version");
  if (bytes[15] > 2) return wrong("an unknown type");
  Frame frame{.type = static_cast<Type>(bytes[15]),
              .sender = bytes[11],
              .receiver = bytes[5],
              .session = static_cast<std::uint16_t>(get(bytes, 16, 2)),
              .addends = bytes[18],
              .answer_wanted = (bytes[19] & 1) != 0,
              .chunk = get(bytes, 22, 4),
              .ack = get(bytes, 26, 4),
              .payload = {}};
  const std::size_t length = get(bytes, 20, 2);
  if (length != bytes.size() - kHeader) return wrong("its length field is not its length");
  if (frame.type == Type::kControl) {
    if (length != 0) return wrong("a control frame with a payload");
  } else if (length < 4 || length > most || length % 4 != 0) {
    return wrong("a chunk that is not 4 bytes to the longest chunk, in whole values");
  }
  frame.payload.assign(bytes.begin() + kHeader, bytes.end());
  return {std::move(frame), {}};
}

std::uint32_t fcs(std::span<const std::uint8_t> frame) {
  std::uint32_t rest = ~0u;
  for (const std::uint8_t byte : frame) rest = rest >> 8 ^ kTable[(rest ^ byte) & 0xFF];
  return ~rest;
}

Bytes with_fcs(Bytes frame) {
  const std::uint32_t sum = fcs(frame);
  for (int byte = 0; byte < 4; ++byte) frame.push_back(static_cast<std::uint8_t>(sum >> 8 * byte));
  return frame;
}

bool fcs_holds(std::span<const std::uint8_t> frame) {
  if (frame.size() < 4) return false;
  const std::size_t end = frame.size() - 4;
  const std::uint32_t sum = fcs(frame.first(end));
  for (std::size_t byte = 0; byte < 4; ++byte) {
    if (frame[end + byte] != static_cast<std::uint8_t>(sum >> 8 * byte)) return false;
  }
  return true;
}

}  // namespace gw::reference::ring
