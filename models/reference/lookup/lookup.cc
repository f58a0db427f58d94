// SPDX-License-Identifier: Apache-2.0
#include "models/reference/lookup/lookup.h"

namespace gw::reference {
namespace {

std::uint64_t mac_at(std::span<const std::uint8_t> frame, std::size_t offset) {
  std::uint64_t mac = 0;
  for (std::size_t i = 0; i < 6; ++i) mac = mac << 8 | frame[offset + i];
  return mac;
}

bool is_group(std::uint64_t mac) { return (mac >> 40 & 1) != 0; }

std::size_t entry_of(std::uint64_t mac, std::uint16_t vlan) {
  std::size_t index = static_cast<std::size_t>(vlan & 0xFF) ^ static_cast<std::size_t>(vlan >> 8);
  for (int byte = 0; byte < 6; ++byte) index ^= static_cast<std::size_t>(mac >> (8 * byte) & 0xFF);
  return index;
}

}  // namespace

unsigned Lookup::route(std::span<const std::uint8_t> frame, int port) {
  const std::uint64_t destination = mac_at(frame, 0), source = mac_at(frame, 6);
  std::uint16_t vlan = 0;
  if (frame.size() >= 16 && frame[12] == 0x81 && frame[13] == 0x00) {
    vlan = static_cast<std::uint16_t>((frame[14] & 0x0F) << 8 | frame[15]);
  }
  if (!is_group(source)) {
    table_[entry_of(source, vlan)] = {.valid = true, .vlan = vlan, .mac = source, .port = port};
  }
  const unsigned here = 1u << port;
  const Entry& entry = table_[entry_of(destination, vlan)];
  if (is_group(destination) || !entry.valid || entry.vlan != vlan || entry.mac != destination) {
    ++flooded_;
    return 0xFu & ~here;
  }
  if (entry.port == port) {
    ++filtered_;
    return 0;
  }
  return 1u << entry.port;
}

}  // namespace gw::reference
