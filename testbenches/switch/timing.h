// Latency and interval of the array of processing elements, in cycles, as
// docs/blocks/optimizer-pes.md tabulates them: what the SystemC model is told. The RTL computes its
// own from its schedule.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace gw::testbenches {

struct ArrayTiming {
  uint32_t latency, interval;
};

/// By where eps is (under the root, after it), algorithm, then pipelined paper, pipelined fast,
/// iterative paper, iterative fast.
inline constexpr ArrayTiming kArrayTiming[2][4][4] = {
    {{{21, 1}, {10, 1}, {24, 24}, {13, 13}},
     {{99, 1}, {46, 1}, {103, 103}, {81, 81}},
     {{137, 1}, {62, 1}, {159, 159}, {137, 137}},
     {{164, 1}, {76, 1}, {194, 194}, {155, 155}}},
    {{{21, 1}, {10, 1}, {24, 24}, {13, 13}},
     {{111, 1}, {52, 1}, {116, 116}, {88, 88}},
     {{149, 1}, {68, 1}, {172, 172}, {144, 144}},
     {{164, 1}, {76, 1}, {188, 188}, {153, 153}}},
};

constexpr ArrayTiming array_timing(size_t algorithm, bool eps_outside, bool iterative, bool fast) {
  return kArrayTiming[eps_outside ? 1 : 0][algorithm][(iterative ? 2 : 0) + (fast ? 1 : 0)];
}

}  // namespace gw::testbenches
