// What the device tests share: the seed, packets of chosen lengths and classes.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "sim/run/device.h"
#include "sim/base/random.h"

namespace gw::tests {

/// Fixed unless GRADWIRE_SEED says otherwise; printed once, so that a failure can be repeated.
inline uint64_t seed() {
  static const uint64_t kSeed = [] {
    const char* text = std::getenv("GRADWIRE_SEED");
    const uint64_t value = text != nullptr ? std::strtoull(text, nullptr, 0) : 1;
    std::printf("seed %llu (GRADWIRE_SEED changes it)\n", static_cast<unsigned long long>(value));
    return value;
  }();
  return kSeed;
}

/// A value of a random class; `raw_percent` of them RAW.
inline uint32_t value_of(sim::Random& random, uint32_t raw_percent = 20) {
  const uint32_t r = static_cast<uint32_t>(random.next());
  const uint32_t draw = random.below(100);
  const auto with_exponent = [r](uint32_t e) { return (r & 0x807FFFFFu) | (e << 23); };
  if (draw < raw_percent) return with_exponent(127 + random.below(129));
  if (draw < raw_percent + 5) return r & 0x80000000u;
  if (draw < 60) return with_exponent(random.below(113));
  return with_exponent(113 + random.below(14));
}

inline sim::GradientPacket packet_of(size_t values, sim::Random& random,
                                     uint32_t raw_percent = 20) {
  sim::GradientPacket packet;
  for (size_t i = 0; i < values; ++i) packet.values.push_back(value_of(random, raw_percent));
  return packet;
}

inline std::string explain(const sim::Failure& f) {
  return "cycle " + std::to_string(f.cycle) + " " + f.port + "_" + f.signal + ": " + f.engine_a +
         "=" + f.value_a + " " + f.engine_b + "=" + f.value_b + " " + f.text;
}

}  // namespace gw::tests
