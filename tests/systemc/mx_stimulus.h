// Packets for the microscaling quantiser: well-formed ones for single rules, and seeded ones of
// every kind.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "models/axis/beat.h"
#include "models/systemc/mx.h"
#include "sim/base/random.h"

namespace gw::systemc {

using Values = std::vector<uint32_t>;  // binary32

/// A packet that brings `values` for a chunk that announces `n` at `row`.
inline std::vector<Beat> mx_packet(const Values& values, uint32_t n, uint32_t row = 0,
                                   bool error = false) {
  std::vector<Beat> beats(std::max<size_t>(1, (values.size() + 7) / 8));
  for (size_t i = 0; i < values.size(); ++i) beats[i / 8].data[i % 8] = values[i];
  beats.front().set_user_word(row | uint64_t{n} << 32);
  Beat& last = beats.back();
  last.keep = keep_of_bytes(static_cast<int>(4 * (values.size() - 8 * (beats.size() - 1))));
  last.last = 1;
  last.meta[1] |= uint32_t{error} << 20;
  return beats;
}
inline std::vector<Beat> mx_packet(const Values& values) {
  return mx_packet(values, static_cast<uint32_t>(values.size()));
}

/// Random packets; another mood (lengths, rows, values, rate of faults) every few of them. Where
/// nothing counts there is anything: tkeep and bits of tuser before the last beat, bytes that did
/// not come.
class MxTraffic {
 public:
  MxTraffic(uint64_t seed, uint32_t rows) : random_(seed), rows_(rows) {}

  std::vector<Beat> packet() {
    if (one_in(8)) change_mood();
    uint32_t n = one_in(40) ? 0 : 1 + below(most_values_);
    // Of what MXFP8 makes of these the last vector, 34 bytes behind 31, completes three beats.
    if (most_values_ > 16 && one_in(16)) n = 15 * 32 + 1 + below(8);
    const uint32_t needed = (n + 7) / 8;
    size_t bytes = 4 * size_t{n};
    if (one_in(faults_)) bytes = below(4 * n + 1);
    if (one_in(faults_)) bytes += one_in(4) ? below(600) : below(40);
    std::vector<Beat> beats(std::max<size_t>(1, (bytes + 31) / 32));
    if (bytes % 32 == 0 && bytes != 0 && one_in(faults_)) beats.emplace_back();  // a null beat
    const uint32_t exponent = low_ + below(high_ - low_ + 1);
    for (size_t i = 0; i < beats.size(); ++i) {
      Beat& beat = beats[i];
      for (uint32_t& word : beat.data) word = value(exponent);
      beat.keep = word();
      beat.user = 0;
      beat.set_user_word(random_.next());
      beat.last = 0;
    }
    uint32_t row = 0;
    if (rows_ != 0) {
      row = one_in(3) ? below(rows_) : below(4);
      if (one_in(12)) row = rows_ - std::min(rows_, needed) + below(3);
      if (one_in(40)) row = word() & 0xFF'FFFF;
    } else {
      row = word() & 0xFF'FFFF;
    }
    Beat& first = beats.front();
    first.meta[0] = row | (word() & 0xFF00'0000);
    first.meta[1] = n | (word() & 0xFFF0'0000);
    Beat& last = beats.back();
    last.last = 1;
    const auto count =
        static_cast<int>(std::min<size_t>(bytes - std::min(bytes, 32 * (beats.size() - 1)), 32));
    const uint64_t holes = ~((uint64_t{2} << count) - 1);
    last.keep =
        keep_of_bytes(count) | (one_in(faults_) ? word() & static_cast<uint32_t>(holes) : 0);
    last.meta[1] = (last.meta[1] & ~(1u << 20)) | uint32_t{one_in(faults_)} << 20;
    return beats;
  }

  MxConfig config() {
    const auto format = static_cast<uint8_t>(one_in(8) ? 3 : below(3));
    return {.format = format, .up = one_in(2), .residual = !one_in(3)};
  }
  uint32_t below(uint32_t n) { return random_.below(n); }
  bool one_in(uint32_t n) { return random_.below(n) == 0; }

 private:
  uint32_t word() { return static_cast<uint32_t>(random_.next()); }

  uint32_t value(uint32_t exponent) {
    const uint32_t any = word();
    if (one_in(hostile_)) {
      static constexpr uint32_t kEdges[] = {0,          0x80000000, 0x7F800000, 0xFF800000,
                                            0x7FC00000, 0x7F800001, 0x00000001, 0x807FFFFF,
                                            0x7F7FFFFF, 0xFF7FFFFF, 0x00800000, 0x7F000000};
      return one_in(3) ? any : kEdges[below(12)];
    }
    // Within some binades of the packet's own, often with few bits: halves between elements.
    const uint32_t field = exponent - std::min(exponent, below(16));
    const uint32_t bits = (any & 0x807F'FFFF) | field << 23;
    return one_in(2) ? bits : bits & 0xFFF8'0000;
  }

  void change_mood() {
    static constexpr uint32_t kMost[] = {1, 8, 16, 33, 64, 300};
    most_values_ = kMost[below(6)];
    faults_ = one_in(2) ? 6 : 1000;
    hostile_ = one_in(3) ? 20 : 100'000;
    static constexpr uint32_t kFields[][2] = {{100, 140}, {0, 12}, {240, 254}, {0, 254}};
    const auto& range = kFields[below(4)];
    low_ = range[0], high_ = range[1];
  }

  sim::Random random_;
  uint32_t rows_;
  uint32_t most_values_ = 64, faults_ = 6, hostile_ = 1000, low_ = 100, high_ = 140;
};

}  // namespace gw::systemc
