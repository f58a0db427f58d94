// How a packet says which values are sent (docs/devices/threshold.md, cycle contract, vector):
// masks with their runs of empty groups, or Rice codes of the gaps. Of one chunk at a time; what a
// device sends beside a value's place and sign it puts there itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "models/axis/beat.h"

namespace gw::systemc {

class SentCode {
 public:
  /// Rice's parameter of a chunk of n values of which so many are sent.
  static uint32_t k_of(uint32_t sent, uint32_t n) {
    uint32_t k = 0;
    while (k < kMostK && uint64_t{3} * sent << (k + 1) <= uint64_t{2} * n) ++k;
    return k;
  }

  /// A chunk begins.
  void begin() {
    next_ = run_ = 0;
    running_ = false;
  }

  /// Of a group's mask code: from `out` on; how many bits. `signs` are put where `with_signs`;
  /// put_values(at) puts what else the lanes that are sent have, and returns where it ends.
  template <class PutValues>
  uint32_t mask(uint8_t* out, uint32_t sent, bool with_signs, uint32_t signs, bool last_payload,
                PutValues&& put_values) {
    uint8_t* at = out;
    if (sent == 0) {
      if (running_) {
        ++run_;
      } else {
        *at++ = 0;
        running_ = true;
        run_ = 0;
      }
      if (run_ == kMostRun || last_payload) {
        *at++ = static_cast<uint8_t>(run_);
        running_ = false;
      }
      return 8 * static_cast<uint32_t>(at - out);
    }
    if (running_) *at++ = static_cast<uint8_t>(run_);
    running_ = false;
    *at++ = static_cast<uint8_t>(sent);
    if (with_signs) *at++ = static_cast<uint8_t>(signs);
    at = put_values(at);
    return 8 * static_cast<uint32_t>(at - out);
  }

  /// Of a group's Rice code, with parameter k: from bit `have` of `out` on; how many bits. The
  /// group is the chunk's `item`th; n > 0 says that it is the last of a chunk of n values.
  /// value_of(lane) is what stands after the gap, sign first, in `value_bits` bits.
  template <class ValueOf>
  uint32_t rice(uint8_t* out, uint32_t have, uint32_t k, uint32_t item, uint32_t sent, uint32_t n,
                uint32_t value_bits, ValueOf&& value_of) {
    Bits bits{out, *out & ((1u << have) - 1), have, 0};
    for (uint32_t rest = sent; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      const uint32_t index = static_cast<uint32_t>(kLanes) * item + lane;
      put_gap(bits, index - next_, k);
      next_ = index + 1;
      bits.put(value_of(lane), value_bits);
    }
    if (n != 0) {
      put_gap(bits, n - next_, k);
      bits.put(0, (8 - bits.count) % 8);
    }
    return bits.total;
  }

 private:
  static constexpr uint32_t kMostRun = 255;   // empty groups after the first
  static constexpr uint32_t kMostUnary = 15;  // ones of a gap's long form
  static constexpr uint32_t kLongGapBits = 20;
  static constexpr uint32_t kMostK = 14;

  /// A packet's next bits: those that do not fill a byte yet, and where they will go.
  struct Bits {
    uint8_t* out;
    uint64_t pending;
    uint32_t count;  // of pending, 0..7 between calls
    uint32_t total;  // put

    void put(uint64_t code, uint32_t length) {  // at most 56 bits
      pending |= code << count;
      count += length;
      total += length;
      std::memcpy(out, &pending, sizeof pending);
      out += count / 8;
      pending >>= count & ~7u;
      count %= 8;
    }
  };

  static void put_gap(Bits& bits, uint32_t gap, uint32_t k) {
    const uint32_t quotient = gap >> k;
    if (quotient >= kMostUnary) {
      bits.put(uint64_t{gap} << kMostUnary | ((1u << kMostUnary) - 1), kMostUnary + kLongGapBits);
      return;
    }
    const uint64_t low = gap & ((1u << k) - 1);
    bits.put(low << (quotient + 1) | ((1u << quotient) - 1), quotient + 1 + k);
  }

  uint32_t next_ = 0;     // index after the value sent last
  bool running_ = false;  // a run of empty groups is open,
  uint32_t run_ = 0;      // of so many after its first
};

}  // namespace gw::systemc
