// rtl/fp against the host FPU, many cases. Slow: tools/test-slow.sh runs all of it.
//
//   fp_exhaustive add|sub|mul|div|min|lt SUBNORMAL [PAIRS] [SEED]    random pairs, default 10^8
//   fp_exhaustive sqrt SUBNORMAL                                     all 2^32 operands
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string_view>

#include "tests/fp/fp_check.h"

namespace {

using namespace gw;
using namespace gw::fp_test;

constexpr uint64_t kAll = uint64_t{1} << 32;

int usage() {
  fmt::print(
      stderr,
      "usage: fp_exhaustive add|sub|mul|div|min|lt SUBNORMAL [PAIRS] [SEED]\n"
      "       fp_exhaustive sqrt SUBNORMAL\n"
      "SUBNORMAL: 0 flushes subnormals, 1 is IEEE 754. PAIRS: default 100000000, SEED: 1.\n");
  return 2;
}

std::optional<uint64_t> number(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 5) return usage();
  const auto op = testbenches::parse_fp_op(argv[1]);
  const auto subnormal = number(argv[2]);
  const auto pairs = argc > 3 ? number(argv[3]) : std::optional<uint64_t>(100'000'000);
  const auto seed = argc > 4 ? number(argv[4]) : std::optional<uint64_t>(1);
  if (!op || !subnormal || *subnormal > 1 || !pairs || !seed) return usage();
  const bool all = testbenches::fp_op_operands(*op) == 1;
  if (all && argc > 3) return usage();
  const uint64_t count = all ? kAll : *pairs;

  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  Check check(*op, *subnormal == 1);
  Random random(*seed);
  for (uint64_t i = 0; i < count && !check.full(); ++i) {
    if (all) {
      check.add(static_cast<uint32_t>(i), 0);
    } else {
      const Pair pair = draw(kAllPairs[i % std::size(kAllPairs)], random);
      check.add(pair.a, pair.b);
    }
    if (i % (uint64_t{1} << 24) == (uint64_t{1} << 24) - 1) {
      fmt::print(stderr, "{} of {} cases, {:.0f} s\n", i + 1, count, seconds());
    }
  }
  check.flush_batch();
  fmt::print("{} subnormal={} seed {}: {} cases, {} errors{}, {:.1f} s, {:.2f} M cases/s\n",
             argv[1], *subnormal, *seed, check.cases(), check.errors(),
             check.full() ? " (stopped there)" : "", seconds(),
             static_cast<double>(check.cases()) / seconds() / 1e6);
  if (check.cases() == 0) fmt::print("no case ran\n");
  return check.errors() == 0 && check.cases() != 0 ? 0 : 1;
}
