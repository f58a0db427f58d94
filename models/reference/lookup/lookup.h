// Output Port Lookup of the optimizer switch: a learning, VLAN-aware MAC table
// (docs/devices/switch.md; IEICE'21, section 5.1).
//
// Shape: 256 entries, direct mapped. Where an entry lies is the XOR of the six bytes of the MAC,
// VLAN[7:0] and VLAN[11:8]; another station that falls on it takes it over. The VLAN is TCI[11:0]
// of a tagged frame (0x8100 at byte 12), else 0. For each frame, in the order in which they come:
// the source is learned unless it is a group address; then the destination decides.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gw::reference {

class Lookup {
 public:
  static constexpr int kPorts = 4;
  static constexpr std::size_t kEntries = 256;

  /// The ports a frame of 14 bytes or more goes to, bit p for port p; 0: it is filtered.
  unsigned route(std::span<const std::uint8_t> frame, int port);

  std::uint32_t flooded() const { return flooded_; }    ///< group address or unknown
  std::uint32_t filtered() const { return filtered_; }  ///< its port is where it came from

 private:
  struct Entry {
    bool valid = false;
    std::uint16_t vlan = 0;
    std::uint64_t mac = 0;
    int port = 0;
  };
  std::array<Entry, kEntries> table_{};
  std::uint32_t flooded_ = 0, filtered_ = 0;
};

}  // namespace gw::reference
