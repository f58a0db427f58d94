// SPDX-License-Identifier: Apache-2.0
#include "testbenches/quant/codes.h"

#include <algorithm>
#include <bit>

#include "models/reference/quant/packet.h"

namespace gw::testbenches {
namespace {

namespace quant = reference::quant;
using quant::Method;

/// Bits of a packet's payload. Beyond its end there are zeros, and `ok` is false.
class CodeReader {
 public:
  explicit CodeReader(std::span<const uint8_t> packet) : bytes_(packet) {}

  size_t at() const { return at_; }
  bool ok() const { return at_ <= 8 * (bytes_.size() - quant::kStatusBytes); }
  uint32_t take(int count) {
    uint32_t bits = 0;
    for (int i = 0; i < count; ++i, ++at_) {
      if (at_ / 8 < bytes_.size()) bits |= (uint32_t{bytes_[at_ / 8]} >> at_ % 8 & 1) << i;
    }
    return bits;
  }

 private:
  std::span<const uint8_t> bytes_;
  size_t at_ = 8 * quant::kHeaderBytes;
};

std::vector<PacketCode> mask_codes(std::span<const uint8_t> packet, Method method, uint32_t n,
                                   size_t until) {
  std::vector<PacketCode> codes;
  CodeReader from(packet);
  const auto groups = static_cast<uint32_t>(quant::rows_of(n));
  for (uint32_t group = 0; group < groups && from.at() < until;) {
    PacketCode code{.first = group, .begin = from.at()};
    const uint32_t mask = from.take(8);
    if (mask == 0) {
      code.kind = PacketCode::kRun;
      code.count = 1 + from.take(8);
      code.end = from.at();
      if (!from.ok() || code.count > groups - group) break;
      codes.push_back(code);
      group += code.count;
      continue;
    }
    code.kind = PacketCode::kGroup;
    code.count = static_cast<uint32_t>(std::popcount(mask));
    const size_t place = codes.size();
    codes.push_back(code);
    const uint32_t signs = method == Method::kWgt ? 0 : from.take(8);
    for (uint32_t lane = 0; lane < quant::kLanes; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      PacketCode entry{.kind = PacketCode::kEntry,
                       .negative = (signs >> lane & 1) != 0,
                       .first = static_cast<uint32_t>(group * quant::kLanes + lane),
                       .count = 1,
                       .begin = from.at()};
      if (method == Method::kWgt) {
        entry.word = from.take(32);
        entry.negative = entry.word >> 31 != 0;
      } else if (method == Method::kQgt) {
        entry.count = from.take(8);
      }
      entry.end = from.at();
      codes.push_back(entry);
    }
    codes[place].end = from.at();
    if (!from.ok()) {
      codes.resize(place);
      break;
    }
    ++group;
  }
  return codes;
}

std::vector<PacketCode> rice_codes(std::span<const uint8_t> packet, Method method, uint32_t n,
                                   size_t until) {
  std::vector<PacketCode> codes;
  CodeReader from(packet);
  const int k = packet[1] - 1;
  for (uint32_t next = 0; from.at() < until;) {
    PacketCode gap{.kind = PacketCode::kGap, .begin = from.at()};
    uint32_t ones = 0;
    while (ones < quant::kRiceEscape && from.take(1) != 0) ++ones;
    gap.count =
        ones < quant::kRiceEscape ? (ones << k | from.take(k)) : from.take(quant::kRiceGapBits);
    gap.end = from.at();
    if (!from.ok() || gap.count > n - next) break;
    gap.first = next += gap.count;
    gap.last = next == n;
    codes.push_back(gap);
    if (gap.last) break;
    PacketCode entry{.kind = PacketCode::kEntry, .first = next, .count = 1, .begin = from.at()};
    entry.negative = from.take(1) != 0;
    if (method == Method::kQgt) entry.count = from.take(8);
    entry.end = from.at();
    if (!from.ok()) break;
    codes.push_back(entry);
    ++next;
  }
  return codes;
}

}  // namespace

std::vector<PacketCode> codes_of(std::span<const uint8_t> packet, size_t until) {
  if (packet.size() < quant::kHeaderBytes + quant::kStatusBytes) return {};
  const auto method = static_cast<Method>(packet[0]);
  if (packet[0] >= quant::kMethods || !quant::is_sparse(method)) return {};
  if (packet[1] > 1 + quant::kMaxRiceK) return {};
  const uint32_t n = uint32_t{packet[4]} | uint32_t{packet[5]} << 8 | uint32_t{packet[6]} << 16 |
                     uint32_t{packet[7]} << 24;
  return packet[1] == 0 ? mask_codes(packet, method, n, until)
                        : rice_codes(packet, method, n, until);
}

}  // namespace gw::testbenches
