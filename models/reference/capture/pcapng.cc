// SPDX-License-Identifier: Apache-2.0
#include "models/reference/capture/pcapng.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/endian/conversion.hpp>

namespace gw::capture {
namespace {

__extension__ using Wide = __int128;

constexpr std::size_t kHeader = 8, kTrailer = 4;  // of a block: type and length; length again
constexpr std::size_t kMaxBlock = std::size_t{1} << 24;
constexpr std::size_t kMaxInterfaces = std::size_t{1} << 16;
constexpr std::size_t kEnhancedFields = 20;

constexpr std::uint16_t kResolutionOption = 9, kFcsOption = 13, kOffsetOption = 14;
constexpr std::uint16_t kFlagsOption = 2;  // of a packet

constexpr std::size_t padded(std::size_t bytes) { return (bytes + 3) / 4 * 4; }

/// The draft counts if_fcslen in bits, most programs in bytes.
std::uint8_t fcs_bytes(std::uint8_t value) {
  const unsigned bytes = value >= 8 ? value / 8 : value;
  return bytes <= 8 ? static_cast<std::uint8_t>(bytes) : 0;
}

}  // namespace

std::int64_t pcapng_time(const PcapngBlocks::Interface& interface, std::uint64_t ticks) {
  constexpr Wide kSecond = 1'000'000'000;
  const unsigned n = interface.resolution & 0x7F;
  Wide ns = Wide{ticks} * kSecond;
  if ((interface.resolution & 0x80) != 0) {
    ns >>= n;
  } else {
    for (unsigned i = 0; i < n && ns != 0; ++i) ns /= 10;
  }
  ns += Wide{interface.offset} * kSecond;
  constexpr Wide kLatest = (INT64_MAX / 1'000'000'000 - 1) * kSecond;
  return static_cast<std::int64_t>(std::clamp(ns, -kLatest, kLatest));
}

std::uint16_t PcapngBlocks::u16(std::size_t at) const {
  return big_ ? boost::endian::load_big_u16(&block_[at])
              : boost::endian::load_little_u16(&block_[at]);
}

std::uint32_t PcapngBlocks::u32(std::size_t at) const {
  return big_ ? boost::endian::load_big_u32(&block_[at])
              : boost::endian::load_little_u32(&block_[at]);
}

/// Calls `act(code, its place, its length)` for the options that begin there. A list that is
/// broken ends where it breaks.
template <class Act>
void PcapngBlocks::options(std::size_t at, const Act& act) const {
  const std::size_t end = block_.size() - kTrailer;
  while (at + 4 <= end) {
    const std::uint16_t code = u16(at), length = u16(at + 2);
    if (code == 0 || at + 4 + length > end) return;
    act(code, at + 4, length);
    at += 4 + padded(length);
  }
}

PcapngBlocks::Next PcapngBlocks::bad(std::string why) {
  why_ = std::move(why);
  return Next::kBad;
}

/// Fills block_. kPacket: there is one.
PcapngBlocks::Next PcapngBlocks::read_block() {
  at_ = offset_;
  block_.resize(kHeader + kTrailer);
  const std::size_t got = input_.read(block_);
  offset_ += got;
  if (got == 0 && input_.damage().empty()) return Next::kEnd;
  if (got < block_.size()) {
    return input_.damage().empty() ? Next::kCut : bad(input_.damage());
  }
  if (boost::endian::load_little_u32(block_.data()) == kSectionHeader) {
    big_ = boost::endian::load_big_u32(&block_[kHeader]) == kByteOrder;
    if (!big_ && boost::endian::load_little_u32(&block_[kHeader]) != kByteOrder) {
      return bad("a section without its byte order");
    }
    begun_ = true;
  }
  if (!begun_) return bad("no section header");
  const std::uint32_t length = u32(4);
  if (length < block_.size() || length % 4 != 0 || length > kMaxBlock) {
    return bad(fmt::format("a block of {} bytes", length));
  }
  const std::size_t there = block_.size();
  block_.resize(length);
  const std::size_t rest = input_.read(std::span(block_).subspan(there));
  offset_ += rest;
  if (there + rest < length) return input_.damage().empty() ? Next::kCut : bad(input_.damage());
  if (u32(length - kTrailer) != length) return bad("a block that gives two lengths");
  return Next::kPacket;
}

bool PcapngBlocks::describe() {
  if (block_.size() < kHeader + 8 + kTrailer || interfaces_.size() == kMaxInterfaces) return false;
  Interface& i = interfaces_.emplace_back();
  i.link_type = u16(kHeader);
  i.snaplen = u32(kHeader + 4);
  options(kHeader + 8, [&](std::uint16_t code, std::size_t at, std::size_t length) {
    if (code == kResolutionOption && length == 1) i.resolution = block_[at];
    if (code == kFcsOption && length == 1) i.fcs = fcs_bytes(block_[at]);
    if (code == kOffsetOption && length == 8) {
      const std::uint64_t first = u32(at), second = u32(at + 4);
      i.offset = static_cast<std::int64_t>(big_ ? first << 32 | second : second << 32 | first);
    }
  });
  return true;
}

bool PcapngBlocks::take() {
  const std::uint32_t type = u32(0);
  const std::size_t room = block_.size() - kHeader - kTrailer;
  const bool simple = type == kSimplePacket;
  const std::size_t fields = simple ? 4 : kEnhancedFields;
  if (room < fields) return false;
  const std::size_t of = simple ? 0 : type == kObsoletePacket ? u16(kHeader) : u32(kHeader);
  if (of >= interfaces_.size()) return false;
  const Interface& interface = interfaces_[of];
  packet_ = {.link_type = interface.link_type, .fcs = interface.fcs};
  std::size_t captured = 0;
  if (simple) {
    packet_.original_length = u32(kHeader);
    captured = std::min(packet_.original_length, room - fields);
    if (interface.snaplen != 0) captured = std::min<std::size_t>(captured, interface.snaplen);
  } else {
    const std::uint64_t ticks = std::uint64_t{u32(kHeader + 4)} << 32 | u32(kHeader + 8);
    packet_.timestamp_ns = pcapng_time(interface, ticks);
    captured = u32(kHeader + 12);
    packet_.original_length = u32(kHeader + 16);
    if (captured > room - fields) return false;
    options(kHeader + fields + padded(captured),
            [&](std::uint16_t code, std::size_t at, std::size_t length) {
              if (code != kFlagsOption || length != 4) return;
              if (const std::uint32_t fcs = u32(at) >> 5 & 15; fcs != 0) {
                packet_.fcs = static_cast<std::uint8_t>(fcs);
              }
            });
  }
  packet_.bytes = std::span(block_).subspan(kHeader + fields, captured);
  return true;
}

PcapngBlocks::Next PcapngBlocks::next() {
  for (;;) {
    if (const Next read = read_block(); read != Next::kPacket) return read;
    switch (u32(0)) {
      case kSectionHeader:
        if (block_.size() < kHeader + 16 + kTrailer)
          return bad("a section header that is too short");
        if (u16(kHeader + 4) != 1)
          return bad(fmt::format("pcapng of version {}", u16(kHeader + 4)));
        interfaces_.clear();
        std::fill_n(block_.begin() + kHeader + 8, 8, std::uint8_t{0xFF});
        break;
      case kInterfaceBlock:
        if (!describe()) return bad("an interface that is not described");
        break;
      case kObsoletePacket:
      case kSimplePacket:
      case kEnhancedPacket:
        return take() ? Next::kPacket
                      : bad("a packet of an interface that is not described, or longer than its "
                            "block");
      default:
        break;
    }
    if (keep_) before_.insert(before_.end(), block_.begin(), block_.end());
  }
}

}  // namespace gw::capture
