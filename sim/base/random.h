// The one source of randomness of the simulation: seeded, small, the same on every machine.
// xoshiro256** by Blackman and Vigna (public domain), seeded through splitmix64.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace gw::sim {

class Random {
 public:
  explicit Random(uint64_t seed) {
    for (auto& word : state_) {
      seed += 0x9E3779B97F4A7C15u;
      uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
      z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
      word = z ^ (z >> 31);
    }
  }

  uint64_t next() {
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
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(((next() >> 32) * n) >> 32); }

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
  std::array<uint64_t, 4> state_;
};

}  // namespace gw::sim
