#include "sim/harness/failure.h"

#include <fmt/format.h>

namespace gw::sim {

std::string no_beat_moved(uint64_t cycles) {
  return fmt::format("no beat has moved for {} cycles", cycles);
}

std::string both(const std::string& name_a, const std::string& name_b) {
  return fmt::format("{} and {}", name_a, name_b);
}

std::string hex_words(const uint32_t* words, size_t count) {
  std::string text;
  for (size_t i = count; i-- > 0;) {
    text += fmt::format("{}{:08x}", text.empty() ? "" : "_", words[i]);
  }
  return text;
}

}  // namespace gw::sim
