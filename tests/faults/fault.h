// Faults of operators and numbers, all of them in one build, of which one at most is awake:
// tests/faults/operators.py writes these in the places of the operators, in a copy of the sources.
//
// GRADWIRE_FAULT=N in the environment wakes fault N. GRADWIRE_FAULTS_SEEN=FILE notes a byte a fault
// in a file that is there and long enough: bit 0, its place was run; bit 1, awake it would have
// made a difference there; bit 2, the place has no such operator.
// What the compiler works out itself keeps its value: of such a place nothing is ever noted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <type_traits>
#include <utility>

namespace gw_fault {

inline constinit int g_awake = -1;
inline constinit unsigned char* g_seen = nullptr;  ///< shared with all processes of a test

/// Before anything else of the program runs; once for each file that has faults.
[[gnu::constructor(101)]] static void wake() {
  if (const char* const number = std::getenv("GRADWIRE_FAULT")) g_awake = std::atoi(number);
  const char* const path = std::getenv("GRADWIRE_FAULTS_SEEN");
  if (path == nullptr || g_seen != nullptr) return;
  const int file = ::open(path, O_RDWR | O_CLOEXEC);
  struct stat about {};
  if (file < 0 || ::fstat(file, &about) != 0) std::abort();
  void* const bytes = ::mmap(nullptr, static_cast<size_t>(about.st_size), PROT_READ | PROT_WRITE,
                             MAP_SHARED, file, 0);
  if (bytes == MAP_FAILED) std::abort();
  g_seen = static_cast<unsigned char*>(bytes);
  ::close(file);
}

inline void note(int number, bool differs) {
  g_seen[number] = static_cast<unsigned char>(g_seen[number] | (differs ? 3 : 1));
}

template <int kWhich, class F>
struct Fault {
  static constexpr int kNumber = kWhich;
  using Function = F;
};

template <class T>
constexpr bool differ(const T& a, const T& b) {
  if constexpr (requires { static_cast<bool>(a == b); }) {
    return !static_cast<bool>(a == b);
  } else {
    return true;
  }
}

/// What fault A makes of the result.
template <class A, class Result, class L, class R>
constexpr void fault(Result& result, L& l, R& r) {
  if constexpr (requires { static_cast<Result>(typename A::Function{}(l, r)); }) {
    if (g_awake == A::kNumber) result = static_cast<Result>(typename A::Function{}(l, r));
    if (g_seen != nullptr) {
      note(A::kNumber, differ(result, static_cast<Result>(typename A::Function{}(l, r))));
    }
  } else if (g_seen != nullptr) {
    g_seen[A::kNumber] |= 4;
  }
}

/// Stands between two operators that were one: `a - b` is `a - At<Minus, ...>{} - b`, of the same
/// precedence.
template <class Op, class... A>
struct At {};
template <class L, class S>
struct Half {
  L& l;
};

#define GW_FAULT_OPERATOR(Name, op)                                                             \
  struct Name {                                                                                 \
    template <class L, class R>                                                                 \
    constexpr auto operator()(L& l, R& r) const -> decltype(l op r) {                           \
      return l op r;                                                                            \
    }                                                                                           \
  };                                                                                            \
  template <class L, class... A>                                                                \
  constexpr Half<const L, At<Name, A...>> operator op(const L& l, At<Name, A...>) {             \
    return {l};                                                                                 \
  }                                                                                             \
  template <class L, class... A, class R>                                                       \
  constexpr auto operator op(Half<L, At<Name, A...>> half, const R& r)->decltype(half.l op r) { \
    if (std::is_constant_evaluated()) return half.l op r;                                       \
    decltype(half.l op r) result = half.l op r;                                                 \
    (fault<A>(result, half.l, r), ...);                                                         \
    return result;                                                                              \
  }
GW_FAULT_OPERATOR(Less, <)
GW_FAULT_OPERATOR(LessEqual, <=)
GW_FAULT_OPERATOR(Greater, >)
GW_FAULT_OPERATOR(GreaterEqual, >=)
GW_FAULT_OPERATOR(Equal, ==)
GW_FAULT_OPERATOR(NotEqual, !=)
GW_FAULT_OPERATOR(Plus, +)
GW_FAULT_OPERATOR(Minus, -)
GW_FAULT_OPERATOR(And, &)
GW_FAULT_OPERATOR(Or, |)
GW_FAULT_OPERATOR(Left, <<)
GW_FAULT_OPERATOR(Right, >>)
#undef GW_FAULT_OPERATOR

/// `a += b` is `a += At<Add, ...>{} += b`: what stands right is bound first.
#define GW_FAULT_ASSIGNMENT(Name, op)                                               \
  struct Name {                                                                     \
    template <class L, class R>                                                     \
    constexpr auto operator()(L& l, R& r) const -> decltype(l op r) {               \
      return l op r;                                                                \
    }                                                                               \
  };                                                                                \
  template <class R, class... A>                                                    \
  constexpr Half<const R, At<Name, A...>> operator op(At<Name, A...>, const R& r) { \
    return {r};                                                                     \
  }                                                                                 \
  template <class L, class R, class... A>                                           \
  constexpr L& operator op(L& l, Half<R, At<Name, A...>> half) {                    \
    if (!std::is_constant_evaluated() && (assign<A>(l, half.l) || ...)) return l;   \
    l op half.l;                                                                    \
    return l;                                                                       \
  }
/// Whether fault A is awake, and has done it.
template <class A, class L, class R>
constexpr bool assign(L& l, R& r) {
  if constexpr (requires { std::declval<typename A::Function>()(l, r); }) {
    if (g_seen != nullptr) note(A::kNumber, differ<R>(r, R{}));
    if (g_awake != A::kNumber) return false;
    typename A::Function{}(l, r);
    return true;
  } else {
    if (g_seen != nullptr) g_seen[A::kNumber] |= 4;
    return false;
  }
}
GW_FAULT_ASSIGNMENT(Add, +=)
GW_FAULT_ASSIGNMENT(Subtract, -=)
#undef GW_FAULT_ASSIGNMENT

/// `a && b`, or as `a || b`; what stands right is not looked at where the original would not.
template <int kNumber, class R>
constexpr bool both(bool left, R&& right) {
  if (std::is_constant_evaluated()) return left && right();
  if (g_awake == kNumber) return left || right();
  const bool result = left && right();
  if (g_seen != nullptr) note(kNumber, left ? !result : true);
  return result;
}
template <int kNumber, class R>
constexpr bool either(bool left, R&& right) {
  if (std::is_constant_evaluated()) return left || right();
  if (g_awake == kNumber) return left && right();
  const bool result = left || right();
  if (g_seen != nullptr) note(kNumber, left ? true : result);
  return result;
}

template <int kWhich, auto kValue>
struct Other {
  static constexpr int kNumber = kWhich;
  static constexpr auto kTo = kValue;
};
/// A number or a truth value, or another one.
template <class... A, class T>
constexpr T value(T original) {
  if (std::is_constant_evaluated()) return original;
  T result = original;
  const auto fault = [&]<class F>() {
    if (g_awake == F::kNumber) result = F::kTo;
    if (g_seen != nullptr) note(F::kNumber, true);
  };
  (fault.template operator()<A>(), ...);
  return result;
}

}  // namespace gw_fault
