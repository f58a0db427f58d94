#include "models/reference/quant/packet.h"

#include <array>

namespace gw::reference::quant {

std::string_view method_name(Method method) {
  static constexpr std::array<std::string_view, kMethods> kNames = {
      "raw", "wgt", "bgt", "qgt", "onebit", "adaptive", "mxfp8", "mxfp4"};
  return kNames[static_cast<size_t>(method)];
}

std::string_view coding_name(Coding coding) { return coding == Coding::kMask ? "mask" : "rice"; }

int rice_k(size_t entries, size_t n) {
  int k = kMaxRiceK;
  while (k > 0 && (uint64_t{3} * entries << k) > uint64_t{2} * n) --k;
  return k;
}

}  // namespace gw::reference::quant
