// What variables of RTL hold before anything sets them, in builds that are checked: a hash of the
// run's seed and the variable's name in the hierarchy. Verilator would draw them one after another,
// so that a build with waves, which keeps more variables, would start with other values. Calls of
// these functions replace its draws (start_values.cc).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <verilated.h>

#include <cstdint>

namespace gw {
namespace {

/// Spreads a difference of one bit over all of them (SplitMix64).
inline uint64_t start_mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

/// FNV-1a over `scope.name`. The scope is an instance's, with the model's own name before it.
inline uint64_t start_hash(const char* scope, const char* name) {
  uint64_t hash = 0xCBF29CE484222325u;
  const auto add = [&hash](char c) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  };
  while (*scope != 0 && *scope != '.') ++scope;
  if (*scope == '.') {
    while (*++scope != 0) add(*scope);
    add('.');
  }
  for (; *name != 0; ++name) add(*name);
  return hash;
}

inline uint64_t start_word(uint64_t hash, uint64_t index, uint64_t word) {
  const auto seed = static_cast<uint32_t>(Verilated::threadContextp()->randSeed());
  return start_mix(start_mix(start_mix(hash + seed * 0x9E3779B97F4A7C15u) + index) + word);
}

/// Start value of at most 64 bits; `index` counts the elements of an array.
inline uint64_t start_value(int bits, const char* scope, const char* name, uint64_t index) {
  const uint64_t value = start_word(start_hash(scope, name), index, 0);
  return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

/// Start value of more than 64 bits.
inline void start_words(int bits, WDataOutP words, const char* scope, const char* name,
                        uint64_t index) {
  const uint64_t hash = start_hash(scope, name);
  const int last = (bits - 1) / 32;
  for (int i = 0; i <= last; ++i) {
    words[i] = static_cast<EData>(start_word(hash, index, static_cast<uint64_t>(i)));
  }
  if (bits % 32 != 0) words[last] &= (EData{1} << bits % 32) - 1;
}

}  // namespace
}  // namespace gw
