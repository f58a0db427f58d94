// What tests of whole devices share: the seed, a failure in words.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "sim/harness/failure.h"

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

inline std::string explain(const sim::Failure& f) {
  std::string text = "cycle " + std::to_string(f.cycle) + " " + f.port + "_" + f.signal + ": " +
                     f.engine_a + "=" + f.value_a + " " + f.engine_b + "=" + f.value_b + " " +
                     f.text;
  for (const std::string& line : f.lines) text += "\n" + line;
  return text;
}

}  // namespace gw::tests
