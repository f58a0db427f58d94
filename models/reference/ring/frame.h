// Frames between the nodes of a ring (docs/devices/ring_nic.md, Frame), as plain C++. They are
// Ethernet's; nothing here throws, aborts or reads beyond a frame, whatever its bytes are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gw::reference::ring {

using Bytes = std::vector<std::uint8_t>;

inline constexpr std::size_t kHeader = 64;
inline constexpr std::uint16_t kEtherType = 0x88B6;
inline constexpr std::uint8_t kVersion = 1;

/// Chunks are numbered with 32 bits that wrap: whether a comes before b.
constexpr bool before(std::uint32_t a, std::uint32_t b) { return (a - b) >= 0x8000'0000u; }

enum class Type : std::uint8_t { kControl = 0, kAgg = 1, kBcast = 2 };

struct Frame {
  Type type = Type::kControl;
  std::uint8_t sender = 0, receiver = 0;  ///< of the addresses
  std::uint16_t session = 0;
  std::uint8_t addends = 0;  ///< of control 0
  bool answer_wanted = false;
  std::uint32_t chunk = 0;  ///< of control 0
  std::uint32_t ack = 0;
  Bytes payload = {};  ///< of control none

  friend bool operator==(const Frame&, const Frame&) = default;
};

/// A frame without its FCS.
Bytes encode(const Frame& frame);

/// What bytes say. Fields that receivers do not look at are not checked here either.
struct Decoded {
  Frame frame;
  std::string error;  ///< a sentence; empty: they are a frame
};
/// `most`: bytes of the longest chunk.
Decoded decode(std::span<const std::uint8_t> bytes, std::size_t most);

/// Ethernet's frame check sequence of a frame without it.
std::uint32_t fcs(std::span<const std::uint8_t> frame);
/// A frame as the MAC sends it: FCS at its end, lowest byte first.
Bytes with_fcs(Bytes frame);
/// Whether a frame that ends with its FCS arrived as it was sent.
bool fcs_holds(std::span<const std::uint8_t> frame);

}  // namespace gw::reference::ring
