// Cycles of packets, for figures that are worked out by hand.
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

}  // namespace gw::tests
