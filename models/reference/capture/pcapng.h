// The blocks of a pcapng file (draft-ietf-opsawg-pcapng), one after the other: libpcap takes one
// link type and one snaplen a file. Internal to gw_capture.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/reference/capture/input.h"

namespace gw::capture {

inline constexpr std::uint32_t kSectionHeader = 0x0A0D0D0A;  ///< in either byte order
inline constexpr std::uint32_t kByteOrder = 0x1A2B3C4D;
inline constexpr std::uint32_t kInterfaceBlock = 1;
inline constexpr std::uint32_t kObsoletePacket = 2;
inline constexpr std::uint32_t kSimplePacket = 3;
inline constexpr std::uint32_t kEnhancedPacket = 6;

class PcapngBlocks {
 public:
  /// `keep`: remember what stands between packets, for before().
  PcapngBlocks(Input& input, bool keep) : input_(input), keep_(keep) {}

  struct Interface {
    std::uint16_t link_type = 0;
    std::uint32_t snaplen = 0;    ///< 0: none
    std::uint8_t resolution = 6;  ///< if_tsresol: 10^-n seconds, or 2^-n with the top bit set
    std::int64_t offset = 0;      ///< if_tsoffset, in seconds
    std::uint8_t fcs = 0;         ///< bytes of the FCS at each frame's end
  };
  struct Packet {
    std::uint16_t link_type = 0;
    std::int64_t timestamp_ns = 0;
    std::size_t original_length = 0;
    std::uint8_t fcs = 0;
    std::span<const std::uint8_t> bytes = {};  ///< until the next call
  };
  enum class Next { kPacket, kEnd, kCut, kBad };

  /// Reads on to the next packet; says why not in why().
  Next next();
  const Packet& packet() const { return packet_; }
  /// Describes the interfaces so far, of the section that is read.
  const std::vector<Interface>& interfaces() const { return interfaces_; }

  /// The packet's block as it lies in the file.
  std::span<const std::uint8_t> block() const { return block_; }
  /// The blocks between the packet before and this one (at the end: after the last), but for
  /// lengths of sections, which are set to "not known". Hands them over.
  std::vector<std::uint8_t> take_before() { return std::exchange(before_, {}); }
  /// Where the last block began, in bytes.
  std::uint64_t at() const { return at_; }
  const std::string& why() const { return why_; }

 private:
  Next read_block();
  Next bad(std::string why);
  bool describe();  ///< the block as an interface
  bool take();      ///< the block as a packet
  std::uint16_t u16(std::size_t at) const;
  std::uint32_t u32(std::size_t at) const;
  template <class Act>
  void options(std::size_t at, const Act& act) const;

  Input& input_;
  const bool keep_;
  bool big_ = false, begun_ = false;
  std::vector<Interface> interfaces_;
  std::vector<std::uint8_t> block_, before_;
  std::uint64_t at_ = 0, offset_ = 0;
  Packet packet_;
  std::string why_;
};

/// A time of so many ticks, since 1970 in nanoseconds; clamped where it does not fit.
std::int64_t pcapng_time(const PcapngBlocks::Interface& interface, std::uint64_t ticks);

}  // namespace gw::capture
