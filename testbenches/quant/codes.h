// The codes of a packet whose format sends some values only (WGT, BGT, QGT, ADAPTIVE), one by one:
// what words, coverage and triggers are about.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gw::testbenches {

struct PacketCode {
  enum Kind : uint8_t {
    kGroup,  ///< of mask code: mask, signs and values of eight values, some of them sent
    kRun,    ///< of mask code: groups of which nothing is sent
    kEntry,  ///< a value that is sent; of mask code within its group
    kGap,    ///< of Rice code
  };
  Kind kind = kGroup;
  bool negative = false;      ///< kEntry
  bool last = false;          ///< kGap: it leads to n
  uint32_t first = 0;         ///< the group; of kEntry the value, of kGap the one it leads to
  uint32_t count = 0;         ///< values sent; groups; m, of formats without 1; values skipped
  uint32_t word = 0;          ///< kEntry of WGT: the float
  size_t begin = 0, end = 0;  ///< in bits of the packet
};

/// Those that begin before bit `until`, in order. Of any bytes: what is not well-formed ends them.
std::vector<PacketCode> codes_of(std::span<const uint8_t> packet, size_t until = SIZE_MAX);

}  // namespace gw::testbenches
