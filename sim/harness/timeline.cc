// SPDX-License-Identifier: Apache-2.0
#include "sim/harness/timeline.h"

#include <algorithm>

namespace gw::sim {

void Distribution::add_sparse(uint64_t value) { ++sparse_[value]; }

std::vector<std::pair<uint64_t, uint64_t>> Distribution::rows() const {
  std::vector<std::pair<uint64_t, uint64_t>> rows;
  for (uint64_t value = 0; value < kDense; ++value) {
    if (dense_[value] != 0) rows.emplace_back(value, dense_[value]);
  }
  rows.insert(rows.end(), sparse_.begin(), sparse_.end());
  return rows;
}

std::vector<std::pair<uint64_t, Sizes::Row>> Sizes::rows() const {
  std::vector<std::pair<uint64_t, Row>> rows;
  for (uint64_t bytes = 0; bytes < dense_.size(); ++bytes) {
    if (dense_[bytes].packets != 0) rows.emplace_back(bytes, dense_[bytes]);
  }
  rows.insert(rows.end(), sparse_.begin(), sparse_.end());
  return rows;
}

void Series::halve() {
  for (size_t i = 0; i < kBuckets / 2; ++i) buckets_[i] = buckets_[2 * i] + buckets_[2 * i + 1];
  std::fill(buckets_.begin() + kBuckets / 2, buckets_.end(), 0);
  ++shift_;
}

uint64_t Timeline::window(const std::vector<Port>& ports) {
  uint64_t first = UINT64_MAX, last = 0;
  for (const Port& port : ports) {
    if (port.beats == 0) continue;
    first = std::min(first, port.first);
    last = std::max(last, port.last);
  }
  return first == UINT64_MAX ? 0 : last - first + 1;
}

}  // namespace gw::sim
