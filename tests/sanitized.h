// Sanitizers look at what a test does, and make it many times slower: what it does again and again
// with other numbers, it does less often for them.
#pragma once

namespace gw::tests {

#ifdef GW_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace gw::tests
