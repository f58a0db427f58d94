// The one source of randomness of the simulation: seeded, small, the same on every machine.
// xoshiro256** by Blackman and Vigna (public domain), seeded through splitmix64.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

namespace gw::sim {

class Random {
 public:
  explicit Random(uint64_t seed) {
    for (auto& word : state_) word = splitmix(seed);
  }

  /// A stream of its own for a purpose ("length"), and within it for each number (a packet's): what
  /// is drawn of one leaves all others as they are.
  Random(uint64_t seed, std::string_view purpose, uint64_t number = 0)
      : Random(mixed(mixed(mixed(seed) ^ hash(purpose)) ^ number)) {}

  [[gnu::always_inline]] uint64_t next() {
    const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// Uniform in [0, n); n > 0. The bias for n far below 2^32 is below 2^-32.
  [[gnu::always_inline]] uint32_t below(uint32_t n) {
    return static_cast<uint32_t>(((next() >> 32) * n) >> 32);
  }

  /// Uniform in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  /// 64 independent bits, each 1 with probability p16 / 65536. Each of the sixteen binary digits of
  /// p16, from the least significant up, halves the distance to the next: AND for 0, OR for 1.
  uint64_t bits(uint32_t p16) {
    if (p16 == 0) return 0;
    uint64_t mask = 0;
    for (int digit = 0; digit < 16; ++digit) {
      const uint64_t r = next();
      mask = ((p16 >> digit) & 1) != 0 ? (mask | r) : (mask & r);
    }
    return mask;
  }

 private:
  static uint64_t splitmix(uint64_t& state) {
    uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  static uint64_t mixed(uint64_t value) { return splitmix(value); }
  /// FNV-1a.
  static uint64_t hash(std::string_view text) {
    uint64_t sum = 0xCBF29CE484222325u;
    for (const char c : text) sum = (sum ^ static_cast<uint8_t>(c)) * 0x100000001B3u;
    return sum;
  }

  std::array<uint64_t, 4> state_;
};

}  // namespace gw::sim
