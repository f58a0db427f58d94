// What docs/devices/onebit.md says of each cycle's handshakes, in plain C++. For the RTL's own
// test; written from the contract alone. What a chunk's packet is the reference says.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

#include "tests/quant/chunk_buffer_contract.h"
#include "tests/quant/mx_contract.h"

namespace gw::onebit_contract {

using mx_contract::Beat;
using mx_contract::Chunk;

class Clockwork final : public quant_rtl::ChunkBufferClockwork<Clockwork, Chunk> {
 public:
  using ChunkBufferClockwork::ChunkBufferClockwork;

 private:
  friend ChunkBufferClockwork;
  static constexpr int kMerge = 3;

  static uint32_t bits(const Item& item) {
    const Chunk& c = *item.chunk;
    return c.raw ? 32 * (std::min(c.n, 8 * item.index + 8) - 8 * item.index) : 8;
  }
  static bool waits(const Chunk&) { return false; }
  static void begins(const Chunk&) {}
  uint64_t known(const Chunk&) const { return cycle() + 32; }
};

}  // namespace gw::onebit_contract
