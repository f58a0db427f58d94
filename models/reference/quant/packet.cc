// SPDX-License-Identifier: Apache-2.0
#include "models/reference/quant/packet.h"

#include <array>

#include "models/reference/quant/kernels.h"

namespace gw::reference::quant {

std::string_view method_name(Method method) {
  static constexpr std::array<std::string_view, kMethods> kNames = {
      "raw", "wgt", "bgt", "qgt", "onebit", "adaptive", "mxfp8", "mxfp4", "mxfp8-e5m2"};
  return kNames[static_cast<size_t>(method)];
}

std::string_view scale_rule_name(ScaleRule rule) {
  return rule == ScaleRule::kFloor ? "floor" : "up";
}

std::string_view coding_name(Coding coding) { return coding == Coding::kMask ? "mask" : "rice"; }

std::string_view implementation_name(Implementation by) {
  return by == Implementation::kScalar ? "scalar" : "avx2";
}

std::span<const Implementation> implementations() {
  static constexpr std::array kAll = {Implementation::kScalar, Implementation::kAvx2};
#if defined(__x86_64__)
  static const size_t kUsable = internal::cpu_has_avx2() ? 2 : 1;
#else
  static const size_t kUsable = 1;
#endif
  return std::span(kAll).first(kUsable);
}

Implementation best_implementation() { return implementations().back(); }

int rice_k(size_t entries, size_t n) {
  int k = kMaxRiceK;
  while (k > 0 && (uint64_t{3} * entries << k) > uint64_t{2} * n) --k;
  return k;
}

namespace internal {

const Kernels* kernels_of(Implementation by) {
#if defined(__x86_64__)
  if (by == Implementation::kAvx2) return &kAvx2Kernels;
#endif
  static_cast<void>(by);
  return nullptr;
}

}  // namespace internal
}  // namespace gw::reference::quant
