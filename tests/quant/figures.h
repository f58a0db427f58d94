// Cycles of packets, for figures that are worked out by hand.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/quant/support.h"

namespace gw::tests {

struct Row {
  uint64_t accepted, accepted_last, offered, first, last;
  uint32_t beats, bytes;
  friend bool operator==(const Row&, const Row&) = default;
  friend void PrintTo(const Row& r, std::ostream* out) {
    *out << "in " << r.accepted << ".." << r.accepted_last << " out " << r.offered << " " << r.first
         << ".." << r.last << ", " << r.beats << " beats, " << r.bytes << " bytes";
  }
};

inline std::vector<Row> rows_of(const std::vector<sim::RawPacket>& packets,
                                const sim::RunSpec& spec, const sim::Device& device = mx()) {
  std::vector<Row> rows;
  const sim::Outcome outcome = run(packets, spec, nullptr, device);
  for (const sim::Passage& p : outcome.timeline.rows) {
    rows.push_back({p.accepted, p.accepted_last, p.offered, p.first, p.last, p.beats, p.bytes});
  }
  return rows;
}

/// 1.000 cycle a burst in chunks of every length, back to back, as long as the port carries what
/// leaves: those that grow are left out. `chunk_of` makes one, of so many values, in a row. All of
/// them are one run: reset takes longer than any of them.
template <typename MakeChunk>
void expect_a_beat_a_cycle(const std::vector<size_t>& lengths, int of_each,
                           const sim::RunSpec& spec, const sim::Device& device,
                           const MakeChunk& chunk_of) {
  const uint32_t memory = static_cast<uint32_t>(std::stoul(spec.options.word("rows")));
  const auto chunks = [&](const std::vector<size_t>& all, int count) {
    std::vector<sim::RawPacket> packets;
    uint32_t row = 0;
    for (const size_t n : all) {
      const auto beats = static_cast<uint32_t>((n + 7) / 8);
      for (int p = 0; p < count; ++p) {
        if (row + beats > memory) row = 0;
        packets.push_back(chunk_of(n, row));
        row += beats;
      }
    }
    return packets;
  };
  std::vector<size_t> kept;
  for (size_t i = 0; const Row& row : rows_of(chunks(lengths, 1), spec, device)) {
    const size_t n = lengths[i++];
    if (row.beats <= (n + 7) / 8) kept.push_back(n);
  }
  EXPECT_GT(kept.size(), lengths.size() / 2);
  const std::vector<Row> rows = rows_of(chunks(kept, of_each), spec, device);
  ASSERT_EQ(rows.size(), kept.size() * static_cast<size_t>(of_each));
  uint64_t next = rows.front().accepted;
  for (size_t p = 0; p < rows.size(); ++p) {
    const size_t n = kept[p / static_cast<size_t>(of_each)];
    ASSERT_EQ(rows[p].accepted, next) << "chunk " << p << " of " << n << " values";
    next += (n + 7) / 8;
    ASSERT_EQ(rows[p].accepted_last + 1, next) << "chunk " << p << " of " << n << " values";
  }
}

}  // namespace gw::tests
