// Sanitizers look at what a test does, and make it many times slower: what it does again and again
// with other numbers, it does less often for them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <vector>

namespace gw::tests {

#ifdef GW_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// How often is done what is else done n times; what is counted meanwhile is that much less.
template <std::integral T>
constexpr T rounds(T n) {
  return kSanitized ? (n + 4) / 5 : n;
}

/// All points of a list, or for sanitizers every `step`th, the first one among them.
template <class T>
std::vector<T> points_of(std::vector<T> all, size_t step = 5) {
  if (!kSanitized) return all;
  std::vector<T> some;
  for (size_t i = 0; i < all.size(); i += step) some.push_back(all[i]);
  return some;
}

}  // namespace gw::tests
