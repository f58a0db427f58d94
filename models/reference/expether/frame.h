// The ExpEther frame of the optimizer switch: layout, builder, checksum, classification.
//
// No byte layout of ExpEther is public; this one is ours (switch.md, section 1), and it is written
// down here and nowhere else in C++, so that a real capture can replace it. Lengths are without
// FCS. Fields are big-endian; only the values of the payload are little-endian (memory order).
//
//   0   6  destination MAC            30  2  worker, 0 the first
//   6   6  source MAC                 32  2  group
//   12  2  0x8100                     34  4  iteration
//   14  2  TCI (the VLAN is the       38  8  reserved: zero when sent, ignored
//          ExpEther group)            46  2  checksum, RFC 1071, over bytes 18..47
//   16  2  EtherType 0x88B5
//   18  1  version 1                  flag 0x01 clear: 48  16  TLP header, 4 DW (MWr64)
//   19  1  type                       flag 0x01 set:   48   4  reserved, ignored
//   20  1  flags                                       52  12  TLP header, 3 DW (MWr32, CplD)
//   21  1  count of values, 1..32     64  4 * count    binary32, little-endian
//   22  4  sequence                   after that: padding or anything else, ignored and forwarded
//   26  4  ack
//
// TLP header, from its first byte: 0 format [7:5] and type [4:0]; 2 TD [7], EP [6], length's bits
// 9:8 in [1:0]; 3 length's bits 7:0. Length counts DW; 0 means 1024.
//
// Classification. The checks are made in the order of the table, which is that of the bytes they
// need; the first that fails decides, and a frame that ends before the bytes of a check is
// short_frame there.
//
//   check                                                bytes needed    if it fails
//   1  frame has 18 bytes, 0x8100 at 12, 0x88B5 at 16    0..17           kind not_expether
//   2  control header is there                           18..47          short_frame
//   3  version is 1                                      18              bad_version
//   4  checksum is right                                 18..47          bad_checksum
//   5  type is 1 (gradient) or 2 (parameter)             19              kind plain
//   6  count is 1..32                                    21              count
//   7  TLP header is there                               48..63          short_frame
//   8  TLP is MWr64 (0x60), or with flag 0x01 MWr32      48, 50          tlp_type
//      (0x40) or CplD (0x4A), and TD is clear            or 52, 54
//   9  EP is clear                                       50 or 54        poisoned
//   10 length in DW == count                             50-51 or 54-55  tlp_length
//   11 payload is there                                  .. 63 + 4*count short_frame
//
// What the table decides that the specification leaves open:
//   * A frame without the 802.1Q tag, or with two, is not_expether even if 0x88B5 stands where its
//     EtherType is: every offset would be another. So is a frame of fewer than 18 bytes.
//   * The version comes before the checksum: another version may keep its checksum elsewhere.
//   * Types 3..255 are plain: they are control frames that the switch carries and need not know.
//     Of a plain frame nothing is checked beyond the control header; count and flags may be any.
//   * count 0 is malformed (count), as 33..255 are.
//   * TD set is tlp_type: the switch would have to recompute the digest (ECRC) that follows.
//   * The flag, not the bytes at 48, tells a 3 DW from a 4 DW header. MWr64 with the flag or MWr32
//     without is tlp_type.
//   * Not examined: MAC addresses, TCI, other flags, reserved bytes, and of the TLP traffic class,
//     attributes, byte enables, identifiers, completion status, address.
//   * The checksum is right if the one's complement sum over bytes 18..47, field included, is
//     0xFFFF. A sender writes what checksum() says; the other zero, 0xFFFF for 0x0000, is accepted.
//   * Padding: a frame may be longer than its payload, by any amount. A frame of 60 bytes can be
//     plain, but never a gradient, whose shortest frame has 68. The length is not limited here:
//     9,018 bytes is the switch's buffers' limit, 60 the MAC's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace gw::reference::expether {

// ---------------------------------------------------------------------------------------------
// Layout

inline constexpr std::size_t kDestinationOffset = 0;
inline constexpr std::size_t kSourceOffset = 6;
inline constexpr std::size_t kTpidOffset = 12;
inline constexpr std::size_t kTciOffset = 14;
inline constexpr std::size_t kEtherTypeOffset = 16;
inline constexpr std::size_t kControlOffset = 18;
inline constexpr std::size_t kVersionOffset = 18;
inline constexpr std::size_t kTypeOffset = 19;
inline constexpr std::size_t kFlagsOffset = 20;
inline constexpr std::size_t kCountOffset = 21;
inline constexpr std::size_t kSequenceOffset = 22;
inline constexpr std::size_t kAckOffset = 26;
inline constexpr std::size_t kWorkerOffset = 30;
inline constexpr std::size_t kGroupOffset = 32;
inline constexpr std::size_t kIterationOffset = 34;
inline constexpr std::size_t kReservedOffset = 38;
inline constexpr std::size_t kChecksumOffset = 46;
inline constexpr std::size_t kTlp4Offset = 48;
inline constexpr std::size_t kTlp3Offset = 52;
inline constexpr std::size_t kPayloadOffset = 64;

inline constexpr std::size_t kControlBytes = 30;
inline constexpr std::size_t kValueBytes = 4;
inline constexpr std::size_t kMaxValues = 32;
inline constexpr std::size_t kMinFrameBytes = 60;
inline constexpr std::size_t kMaxFrameBytes = 9018;
inline constexpr std::size_t kFullFrameBytes = kPayloadOffset + kMaxValues * kValueBytes;  // 192

inline constexpr std::uint16_t kTpid = 0x8100;
inline constexpr std::uint16_t kEtherType = 0x88B5;
inline constexpr std::uint8_t kVersion = 1;

inline constexpr std::uint8_t kFlagTlp3Dw = 0x01;    ///< the TLP header has 3 DW, at byte 52
inline constexpr std::uint8_t kFlagComplete = 0x02;  ///< the payload is the sum of all workers

inline constexpr std::uint8_t kTypePlain = 0;
inline constexpr std::uint8_t kTypeGradient = 1;
inline constexpr std::uint8_t kTypeParameter = 2;

/// First byte of the TLP header: format and type.
enum class Tlp : std::uint8_t { kMWr32 = 0x40, kCplD = 0x4A, kMWr64 = 0x60 };
inline constexpr std::uint8_t kTlpDigest = 0x80;    ///< TD, in byte 2 of the TLP header
inline constexpr std::uint8_t kTlpPoisoned = 0x40;  ///< EP, in byte 2

// ---------------------------------------------------------------------------------------------
// Classification

enum class Kind : std::uint8_t { kNotExpEther, kPlain, kGradient, kParameter, kMalformed };
inline constexpr std::size_t kKindCount = 5;
std::string_view name_of(Kind kind);  ///< not_expether, plain, gradient, parameter, malformed

/// Why a frame is malformed. The names (name_of) are stable: reports count by them.
enum class Reason : std::uint8_t {
  kNone,         ///< none: not malformed
  kShortFrame,   ///< short_frame: it ends inside a header or the payload
  kBadVersion,   ///< bad_version
  kBadChecksum,  ///< bad_checksum
  kCount,        ///< count: not 1..32
  kTlpLength,    ///< tlp_length: not `count` DW
  kPoisoned,     ///< poisoned: EP
  kTlpType,      ///< tlp_type: not MWr64, MWr32 or CplD where it should be, or with a digest
};
inline constexpr std::size_t kReasonCount = 8;
std::string_view name_of(Reason reason);

/// What the headers say. All but the TLP's fields are decoded if checks 1 and 2 passed, the TLP's
/// if checks 1 to 7 did; else they are zero.
struct Fields {
  std::uint64_t destination = 0;  ///< 48 bits
  std::uint64_t source = 0;
  std::uint16_t tci = 0;
  std::uint8_t version = 0;
  std::uint8_t type = 0;
  std::uint8_t flags = 0;
  std::uint8_t count = 0;
  std::uint32_t sequence = 0;
  std::uint32_t ack = 0;
  std::uint16_t worker = 0;
  std::uint16_t group = 0;
  std::uint32_t iteration = 0;
  std::uint16_t checksum = 0;
  std::uint8_t tlp_type = 0;     ///< first byte of the TLP header
  std::uint16_t tlp_length = 0;  ///< as in the header: 10 bits, 0 for 1024
  bool tlp_poisoned = false;
  bool tlp_digest = false;

  friend bool operator==(const Fields&, const Fields&) = default;
};

struct Classified {
  Kind kind = Kind::kNotExpEther;
  Reason reason = Reason::kNone;  ///< other than kNone exactly if malformed
  Fields fields;

  bool carries_values() const { return kind == Kind::kGradient || kind == Kind::kParameter; }
  friend bool operator==(const Classified&, const Classified&) = default;
};

/// Any bytes, of any length.
Classified classify(std::span<const std::uint8_t> frame);

/// The values of a frame that carries_values(), as bits.
std::vector<std::uint32_t> values_of(std::span<const std::uint8_t> frame, const Classified& what);

// ---------------------------------------------------------------------------------------------
// Building and rewriting. What a caller cannot have meant (33 values) aborts.

struct Header {
  std::uint64_t destination = 0;
  std::uint64_t source = 0;
  std::uint16_t tci = 0;
  std::uint8_t flags = 0;  ///< kFlagTlp3Dw is set by the builder, as `tlp` asks
  std::uint32_t sequence = 0;
  std::uint32_t ack = 0;
  std::uint16_t worker = 0;
  std::uint16_t group = 0;
  std::uint32_t iteration = 0;
  Tlp tlp = Tlp::kMWr64;
  std::uint16_t requester = 0;  ///< of a CplD also the completer
  std::uint8_t tag = 0;
  std::uint64_t address = 0;  ///< where the values go; its lowest two bits are not sent
};

/// 64 + 4 * values bytes; 1 to 32 values.
std::vector<std::uint8_t> build_gradient(const Header& header,
                                         std::span<const std::uint32_t> values);
std::vector<std::uint8_t> build_parameter(const Header& header,
                                          std::span<const std::uint32_t> values);
/// Type 0, count 0, any TLP as `body` from byte 48 on (the header's TLP is not used), padded to 60
/// bytes with zeros.
std::vector<std::uint8_t> build_plain(const Header& header, std::span<const std::uint8_t> body);

/// What the checksum field has to hold, of a frame of 48 bytes or more: RFC 1071 over bytes 18..47,
/// the field itself taken as zero.
std::uint16_t checksum(std::span<const std::uint8_t> frame);

/// Replaces the payload, the type and the flags of a frame that carries as many values, and makes
/// the checksum right. Nothing else changes.
void rewrite(std::span<std::uint8_t> frame, std::uint8_t type, std::uint8_t flags,
             std::span<const std::uint32_t> values);

}  // namespace gw::reference::expether
