// What fuzz targets share: bytes of the fuzzer taken one after the other, and how a finding is
// said.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

namespace gw::fuzz {

/// Numbers and bytes out of the fuzzer's input; zeros where it has ended.
class Input {
 public:
  Input(const uint8_t* data, size_t size) : rest_(data, size) {}

  bool empty() const { return rest_.empty(); }
  uint8_t byte() {
    const std::span<const uint8_t> one = take(1);
    return one.empty() ? uint8_t{0} : one[0];
  }
  uint32_t word16() {
    const uint32_t low = byte();
    return low | uint32_t{byte()} << 8;
  }
  /// At most so many.
  std::span<const uint8_t> take(size_t count) {
    const std::span<const uint8_t> taken = rest_.first(std::min(count, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  std::span<const uint8_t> rest() { return take(rest_.size()); }

 private:
  std::span<const uint8_t> rest_;
};

/// Ends the program in the way that fuzzers take for a finding.
[[noreturn]] inline void found(const std::string& what) {
  std::fprintf(stderr, "finding: %s\n", what.c_str());
  std::abort();
}

inline void require(bool holds, const char* what) {
  if (!holds) found(what);
}

}  // namespace gw::fuzz

// NOLINTNEXTLINE: the name that fuzzers call
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
