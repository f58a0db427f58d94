// 128 bits that stand for bytes: names of result files, what a case depends on. Fast and the same
// on every machine; no protection against who means harm.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace gw::regress {

class Digest {
 public:
  /// Ends of parts count: {"ab", "c"} is not {"a", "bc"}.
  Digest& add(std::string_view bytes) {
    const uint64_t size = bytes.size();
    for (; bytes.size() >= 8; bytes.remove_prefix(8)) take(word(bytes.data(), 8));
    take(word(bytes.data(), bytes.size()));
    take(size);
    return *this;
  }
  /// 32 hexadecimal digits.
  std::string hex() const {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (const uint64_t half : {mixed(a_ ^ std::rotl(b_, 32)), mixed(b_ + a_)}) {
      for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[(half >> shift) & 15];
    }
    return text;
  }

 private:
  static uint64_t word(const char* bytes, size_t count) {
    uint64_t value = 0;
    std::memcpy(&value, bytes, count);
    return value;
  }
  static uint64_t mixed(uint64_t z) {  // the finaliser of splitmix64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  void take(uint64_t w) {
    a_ = std::rotl((a_ ^ w) * 0x9E3779B97F4A7C15u, 29);
    b_ = std::rotl(b_ + w, 23) * 0xC2B2AE3D27D4EB4Fu ^ a_;
  }

  uint64_t a_ = 0x6772'6164'7769'7265u, b_ = 0x7265'6772'6573'7321u;
};

}  // namespace gw::regress
