// SPDX-License-Identifier: Apache-2.0
#include "models/reference/expether/frame.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <cstdio>
#include <cstdlib>

namespace gw::reference::expether {
namespace {

namespace endian = boost::endian;
using Bytes = std::span<const std::uint8_t>;

[[noreturn]] void die(const char* sentence) {
  std::fprintf(stderr, "gw::reference::expether: %s\n", sentence);
  std::abort();
}

template <std::size_t Size>
std::uint64_t load(Bytes bytes, std::size_t at) {
  return endian::endian_load<std::uint64_t, Size, endian::order::big>(&bytes[at]);
}

template <std::size_t Size>
void store(std::span<std::uint8_t> bytes, std::size_t at, std::uint64_t value) {
  endian::endian_store<std::uint64_t, Size, endian::order::big>(&bytes[at], value);
}

/// One's complement sum over the control header, the checksum field included.
std::uint16_t control_sum(Bytes frame) {
  std::uint32_t sum = 0;
  for (std::size_t at = 0; at < kControlBytes; at += 2) {
    sum += static_cast<std::uint32_t>(load<2>(frame, kControlOffset + at));
  }
  while (sum >> 16 != 0) sum = (sum & 0xFFFF) + (sum >> 16);
  return static_cast<std::uint16_t>(sum);
}

Fields decode_control(Bytes frame) {
  Fields f;
  f.destination = load<6>(frame, kDestinationOffset);
  f.source = load<6>(frame, kSourceOffset);
  f.tci = static_cast<std::uint16_t>(load<2>(frame, kTciOffset));
  f.version = frame[kVersionOffset];
  f.type = frame[kTypeOffset];
  f.flags = frame[kFlagsOffset];
  f.count = frame[kCountOffset];
  f.sequence = static_cast<std::uint32_t>(load<4>(frame, kSequenceOffset));
  f.ack = static_cast<std::uint32_t>(load<4>(frame, kAckOffset));
  f.worker = static_cast<std::uint16_t>(load<2>(frame, kWorkerOffset));
  f.group = static_cast<std::uint16_t>(load<2>(frame, kGroupOffset));
  f.iteration = static_cast<std::uint32_t>(load<4>(frame, kIterationOffset));
  f.checksum = static_cast<std::uint16_t>(load<2>(frame, kChecksumOffset));
  return f;
}

void decode_tlp(Bytes frame, Fields& f) {
  const Bytes tlp = frame.subspan((f.flags & kFlagTlp3Dw) != 0 ? kTlp3Offset : kTlp4Offset);
  f.tlp_type = tlp[0];
  f.tlp_length = static_cast<std::uint16_t>(load<2>(tlp, 2) & 0x3FF);
  f.tlp_poisoned = (tlp[2] & kTlpPoisoned) != 0;
  f.tlp_digest = (tlp[2] & kTlpDigest) != 0;
}

bool tlp_type_is_known(const Fields& f) {
  const auto type = static_cast<Tlp>(f.tlp_type);
  if (f.tlp_digest) return false;
  if ((f.flags & kFlagTlp3Dw) == 0) return type == Tlp::kMWr64;
  return type == Tlp::kMWr32 || type == Tlp::kCplD;
}

/// Bytes 0..47, all but the checksum.
void store_control(std::span<std::uint8_t> frame, const Header& h, std::uint8_t type,
                   std::uint8_t flags, std::size_t count) {
  store<6>(frame, kDestinationOffset, h.destination);
  store<6>(frame, kSourceOffset, h.source);
  store<2>(frame, kTpidOffset, kTpid);
  store<2>(frame, kTciOffset, h.tci);
  store<2>(frame, kEtherTypeOffset, kEtherType);
  frame[kVersionOffset] = kVersion;
  frame[kTypeOffset] = type;
  frame[kFlagsOffset] = flags;
  frame[kCountOffset] = static_cast<std::uint8_t>(count);
  store<4>(frame, kSequenceOffset, h.sequence);
  store<4>(frame, kAckOffset, h.ack);
  store<2>(frame, kWorkerOffset, h.worker);
  store<2>(frame, kGroupOffset, h.group);
  store<4>(frame, kIterationOffset, h.iteration);
}

void store_values(std::span<std::uint8_t> frame, std::span<const std::uint32_t> values) {
  std::size_t at = kPayloadOffset;
  for (const std::uint32_t value : values) {
    for (int shift = 0; shift < 32; shift += 8) {
      frame[at++] = static_cast<std::uint8_t>(value >> shift);
    }
  }
}

void store_tlp(std::span<std::uint8_t> frame, const Header& h, std::size_t count) {
  const bool wide = h.tlp == Tlp::kMWr64;
  const auto tlp = frame.subspan(wide ? kTlp4Offset : kTlp3Offset);
  tlp[0] = static_cast<std::uint8_t>(h.tlp);
  store<2>(tlp, 2, count);
  store<2>(tlp, 4, h.requester);
  if (h.tlp == Tlp::kCplD) {
    store<2>(tlp, 6, kValueBytes * count);  // successful completion, bytes remaining
    store<2>(tlp, 8, h.requester);
    tlp[10] = h.tag;
    tlp[11] = h.address & 0x7C;  // lower address
    return;
  }
  tlp[6] = h.tag;
  tlp[7] = count > 1 ? 0xFF : 0x0F;  // byte enables of the last and the first DW
  const std::uint64_t address = h.address & ~std::uint64_t{3};
  if (wide) {
    store<8>(tlp, 8, address);
  } else {
    store<4>(tlp, 8, address);
  }
}

std::vector<std::uint8_t> build(const Header& h, std::uint8_t type,
                                std::span<const std::uint32_t> values) {
  if (values.empty() || values.size() > kMaxValues) die("a frame carries 1 to 32 values");
  std::vector<std::uint8_t> frame(kPayloadOffset + kValueBytes * values.size());
  const int others = h.flags & ~kFlagTlp3Dw;
  const int flags = h.tlp == Tlp::kMWr64 ? others : others | kFlagTlp3Dw;
  store_control(frame, h, type, static_cast<std::uint8_t>(flags), values.size());
  store<2>(frame, kChecksumOffset, checksum(frame));
  store_tlp(frame, h, values.size());
  store_values(frame, values);
  return frame;
}

}  // namespace

std::string_view name_of(Kind kind) {
  static constexpr std::array<std::string_view, kKindCount> kNames = {
      "not_expether", "plain", "gradient", "parameter", "malformed"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string_view name_of(Reason reason) {
  static constexpr std::array<std::string_view, kReasonCount> kNames = {
      "none",  "short_frame", "bad_version", "bad_checksum",
      "count", "tlp_length",  "poisoned",    "tlp_type"};
  return kNames.at(static_cast<std::size_t>(reason));
}

std::uint16_t checksum(Bytes frame) {
  if (frame.size() < kControlOffset + kControlBytes) die("no control header to sum");
  // Taking the field out of the sum is adding its complement; simpler is a copy.
  std::array<std::uint8_t, kControlOffset + kControlBytes> copy;
  std::copy_n(frame.begin(), copy.size(), copy.begin());
  store<2>(copy, kChecksumOffset, 0);
  return static_cast<std::uint16_t>(~control_sum(copy));
}

Classified classify(Bytes frame) {
  Classified result;
  const auto malformed = [&](Reason reason) {
    result.kind = Kind::kMalformed;
    result.reason = reason;
    return result;
  };

  if (frame.size() < kControlOffset || load<2>(frame, kTpidOffset) != kTpid ||
      load<2>(frame, kEtherTypeOffset) != kEtherType) {
    return result;
  }
  if (frame.size() < kControlOffset + kControlBytes) return malformed(Reason::kShortFrame);
  Fields& f = result.fields = decode_control(frame);
  if (f.version != kVersion) return malformed(Reason::kBadVersion);
  if (control_sum(frame) != 0xFFFF) return malformed(Reason::kBadChecksum);
  if (f.type != kTypeGradient && f.type != kTypeParameter) {
    result.kind = Kind::kPlain;
    return result;
  }
  if (f.count == 0 || f.count > kMaxValues) return malformed(Reason::kCount);
  if (frame.size() < kPayloadOffset) return malformed(Reason::kShortFrame);
  decode_tlp(frame, f);
  if (!tlp_type_is_known(f)) return malformed(Reason::kTlpType);
  if (f.tlp_poisoned) return malformed(Reason::kPoisoned);
  if (f.tlp_length != f.count) return malformed(Reason::kTlpLength);
  if (frame.size() < kPayloadOffset + kValueBytes * f.count) {
    return malformed(Reason::kShortFrame);
  }
  result.kind = f.type == kTypeGradient ? Kind::kGradient : Kind::kParameter;
  return result;
}

std::vector<std::uint32_t> values_of(Bytes frame, const Classified& what) {
  if (!what.carries_values()) die("the frame carries no values");
  std::vector<std::uint32_t> values(what.fields.count);
  std::size_t at = kPayloadOffset;
  for (std::uint32_t& value : values) {
    for (int shift = 0; shift < 32; shift += 8) value |= std::uint32_t{frame[at++]} << shift;
  }
  return values;
}

std::vector<std::uint8_t> build_gradient(const Header& header,
                                         std::span<const std::uint32_t> values) {
  return build(header, kTypeGradient, values);
}

std::vector<std::uint8_t> build_parameter(const Header& header,
                                          std::span<const std::uint32_t> values) {
  return build(header, kTypeParameter, values);
}

std::vector<std::uint8_t> build_plain(const Header& header, Bytes body) {
  std::vector<std::uint8_t> frame(std::max(kMinFrameBytes, kTlp4Offset + body.size()));
  store_control(frame, header, kTypePlain, header.flags, 0);
  store<2>(frame, kChecksumOffset, checksum(frame));
  std::copy(body.begin(), body.end(), frame.begin() + kTlp4Offset);
  return frame;
}

void rewrite(std::span<std::uint8_t> frame, std::uint8_t type, std::uint8_t flags,
             std::span<const std::uint32_t> values) {
  if (frame.size() < kPayloadOffset + kValueBytes * values.size() ||
      frame[kCountOffset] != values.size()) {
    die("a frame is rewritten with as many values as it carries");
  }
  frame[kTypeOffset] = type;
  frame[kFlagsOffset] = flags;
  store<2>(frame, kChecksumOffset, checksum(frame));
  store_values(frame, values);
}

}  // namespace gw::reference::expether
