// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/group_codec.h"

#include <cstdio>
#include <cstdlib>

namespace gw::systemc {
namespace {

constexpr HalfGroupTable make_table() {
  HalfGroupTable table{};
  for (int tags = 0; tags < 256; ++tags) {
    int at = 0;  // next payload byte
    for (int lane = 0; lane < 4; ++lane) {
      const int tag = (tags >> (2 * lane)) & 3;
      const int size = tag == 3 ? 4 : tag;
      const int home = 4 * lane + (tag == 1 ? 1 : 0);  // BYTE lies in the upper byte of its 16 bits
      for (int i = 0; i < size; ++i, ++at) {
        table.pack[tags][at] = static_cast<uint8_t>(home + i);
        table.unpack[tags][home + i] = static_cast<uint8_t>(at);
      }
    }
    table.bytes[tags] = static_cast<uint8_t>(at);
  }
  return table;
}

/// 2^(exponent - 15): the weight of the lowest of 15 fraction bits below 2^exponent.
float step_below(int biased_exponent) {
  return std::bit_cast<float>(static_cast<uint32_t>(biased_exponent - 15) << 23);
}

}  // namespace

constexpr HalfGroupTable kHalfGroup = make_table();

void GroupCodec::configure(CodecConfig config) {
  if (config.bound > kMaxPins) {
    std::fprintf(stderr, "gw::systemc: error bound exponent %d is not in 0..%d\n", config.bound,
                 kMaxPins);
    std::abort();
  }
  config_ = config;
  byte_exponent_ = 127 - config.bound;
  half_exponent_ = byte_exponent_ + (config.bound + 1) / 2;
  byte_ceiling_ = config.bounded ? half_exponent_ : 127;
  half_step_ = step_below(127);
  byte_step_ = step_below(byte_ceiling_);
}

}  // namespace gw::systemc
