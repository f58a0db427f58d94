// What is known of a register of a top's AXI4-Lite slave; the maps beside this file, generated from
// rtl/registers, are made of these. The rules that they stand for: docs/registers/README.md.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gw::registers {

enum class Access : uint8_t { kReadOnly, kReadWrite, kWriteOnly };

/// Which accesses are refused while the device is not idle.
enum class Idle : uint8_t { kNone, kWrite, kAlways };

struct Field {
  const char* name = "";
  int low = 0, bits = 0;
  uint32_t reset = 0;                ///< of those that reset sets
  uint32_t least = 0, greatest = 0;  ///< legal values to write
  bool of_depth = false;             ///< reset and greatest are 2^DepthLog2

  constexpr uint32_t of(uint32_t word) const {
    return word >> low & (bits == 32 ? ~0u : (1u << bits) - 1);
  }
  constexpr uint32_t in(uint32_t value) const { return value << low; }
};

struct Register {
  const char* name = "";
  uint32_t address = 0;
  Access access = Access::kReadOnly;
  Idle idle = Idle::kNone;
  uint8_t algorithms = 0xF;  ///< bit a: it exists where Algorithm is a
  uint8_t field_count = 0;
  std::array<Field, 9> fields = {};  ///< the first `field_count`; a bit of none is to be written 0
};

/// Parameters and optimizer states: a block of words for each, theta first.
struct Cells {
  uint32_t address = 0;
  int block_log2 = 0;  ///< bytes of a block

  constexpr uint32_t at(uint32_t block, uint32_t parameter) const {
    return address + (block << block_log2) + 4 * parameter;
  }
};

}  // namespace gw::registers
