// SPDX-License-Identifier: Apache-2.0
#include "sim/harness/failure.h"

#include <fmt/format.h>

namespace gw::sim {

std::string no_beat_moved(uint64_t cycles) {
  return fmt::format("no beat has moved for {} cycles", cycles);
}

std::string both(const std::string& name_a, const std::string& name_b) {
  return fmt::format("{} and {}", name_a, name_b);
}

const char* response_name(AxiResponse response) {
  switch (response) {
    case AxiResponse::kOkay:
      return "OKAY";
    case AxiResponse::kExOkay:
      return "EXOKAY";
    case AxiResponse::kSlvErr:
      return "SLVERR";
    default:
      return "DECERR";
  }
}

std::string transaction_name(bool write, uint32_t address) {
  return fmt::format("{} of {:#05x}", write ? "write" : "read", address);
}

std::string hex_words(const uint32_t* words, size_t count) {
  std::string text;
  for (size_t i = count; i-- > 0;) {
    text += fmt::format("{}{:08x}", text.empty() ? "" : "_", words[i]);
  }
  return text;
}

}  // namespace gw::sim
