// Cycle-accurate core of the one-bit quantiser, no SystemC in it (docs/devices/onebit.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/systemc/buffered_quantiser.h"

namespace gw::systemc {

/// The pin that selects what a packet becomes.
struct OneBitConfig {
  bool residual = false;  ///< residual_i: residuals are added and kept

  friend bool operator==(const OneBitConfig&, const OneBitConfig&) = default;
};

struct OneBitExtra {};

class OneBit : public BufferedQuantiser<OneBit, OneBitConfig, OneBitExtra> {
 public:
  /// A device whose last rising edge had aresetn = 0. Aborts if there are no such `rows`.
  explicit OneBit(uint32_t rows = kDefaultRows, OneBitConfig config = {});

 private:
  friend Quantiser;
  friend BufferedQuantiser;
  static constexpr uint8_t kFormat = 4;
  static constexpr uint32_t kMeanDelay = 32;  // D
  static constexpr uint32_t kMergeDelay = 3;  // popped in cycle p, merged in p+3
  static constexpr uint32_t kFreeDelay = 9;   // and its row can be read from p+9 on

  struct Side {
    uint64_t sum;  // of Q
    uint32_t count;
  };

  static bool legal(const OneBitConfig&) { return true; }
  bool may_begin() const { return true; }
  void open(const OneBitConfig&) { sides_ = {}; }
  void quantise(const Payload& payload, Item& item);
  void decide(Chunk& chunk);
  static uint8_t coding(const Chunk&) { return 0; }
  static uint32_t put(const Item& item, const Chunk&, uint8_t* out) {
    *out = static_cast<uint8_t>(~item.negative & ((1u << item.below) - 1));
    return 8;
  }
  void keep(const Item& item, const Chunk& chunk);

  std::array<Side, 2> sides_{};  // of the chunk whose items start
};

}  // namespace gw::systemc
