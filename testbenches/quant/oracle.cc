// SPDX-License-Identifier: Apache-2.0
#include "testbenches/quant/oracle.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "testbenches/quant/codes.h"
#include "testbenches/quant/ports.h"

namespace gw::testbenches {
namespace {

namespace quant = reference::quant;
using quant::ChunkReport;
using quant::Method;

/// Groups that a packet's bits come from; a chunk without values has one, too.
size_t groups_of(const ChunkReport& report) {
  return std::max<size_t>(1, quant::rows_of(report.n));
}

/// The same of codes, which are those of the first beat: which group brings its last bit.
std::optional<size_t> group_of_last_bit(std::span<const PacketCode> codes, size_t groups) {
  constexpr size_t kBits = 8 * kBeatBytes;
  for (const PacketCode& code : codes) {
    if (code.kind == PacketCode::kRun) {
      // The zero comes with the first group of a run. Its count comes when the run ends: with the
      // next group, that sends something, or with the one that ends the longest run or the chunk.
      if (code.begin + 8 >= kBits) return code.first;
      if (code.end < kBits) continue;
      const size_t next = code.first + code.count;
      return code.count == quant::kMaxEmptyGroups || next == groups ? next - 1 : next;
    }
    // The last code's byte is filled with zeros.
    const size_t end = code.last ? (code.end + 7) / 8 * 8 : code.end;
    if (end < kBits) continue;
    if (code.kind == PacketCode::kGroup) return code.first;
    return code.last ? groups - 1 : code.first / quant::kLanes;
  }
  return std::nullopt;
}

/// The input beat that completes the first output beat; none if values that are missing do.
uint32_t first_trigger(const sim::Packet<Beat>& packet, std::span<const uint8_t> bytes,
                       const ChunkReport& report) {
  const auto beats = static_cast<uint32_t>(packet.beats.size());
  const auto groups = static_cast<uint32_t>(groups_of(report));
  const std::optional<size_t> group = completing_group(bytes, report);
  // The status comes with the chunk's last item: behind its values, or behind what is too much.
  const auto trigger = group ? static_cast<uint32_t>(*group) : std::max(groups, beats) - 1;
  return trigger < beats ? trigger : sim::Packet<Beat>::kNoTrigger;
}

}  // namespace

std::optional<size_t> completing_group(std::span<const uint8_t> packet, const ChunkReport& report) {
  const size_t groups = groups_of(report);
  const bool whole = packet.size() - quant::kStatusBytes >= kBeatBytes;  // without the status
  switch (report.method) {
    case Method::kRaw:
      if (!whole) return std::nullopt;
      return 0;
    case Method::kMxfp8:
    case Method::kMxfp8E5m2:
    case Method::kMxfp4:  // a block is packed when it is whole, and header and block fill a beat
      return std::min(quant::kMxBlock / quant::kLanes, groups) - 1;
    case Method::kOneBit:
    case Method::kAdaptive:  // the header has the means of all values
      if (!whole) return std::nullopt;
      return groups - 1;
    default:
      return group_of_last_bit(codes_of(packet, 8 * kBeatBytes), groups);
  }
}

ChunkPacket::ChunkPacket(const sim::Packet<Beat>& packet) {
  const std::vector<uint8_t> bytes = sim::bytes_of(packet);
  values.resize(bytes.size() / 4);
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * 4);
  chunk.values = values;
  chunk.row = ChunkUser::row(packet.beats.front());
  chunk.announced = ChunkUser::count(packet.beats.front());
  chunk.ragged = bytes.size() % 4 != 0;
  chunk.error = ChunkUser::error(packet.beats.back());
}

void QuantiserOracle::arrives(size_t, const sim::PacketRef<Beat>& packet) {
  const ChunkPacket chunk(*packet);
  quantiser_.configure(facts_.config(packet->config, static_cast<uint32_t>(quantiser_.rows())));
  std::vector<uint8_t> bytes;
  const ChunkReport report = quantiser_.encode(chunk.chunk, bytes);
  const bool error = (report.status & quant::kStatusError) != 0;
  raws_ += report.method == Method::kRaw;
  errors_ += error;
  packet->trigger = first_trigger(*packet, bytes, report);
  sim::PacketRef<Beat> owed = sim::make_packet<Beat>(bytes, error);
  owed->source = packet;
  owe(0, std::move(owed));
}

}  // namespace gw::testbenches
