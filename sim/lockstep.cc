#include "sim/lockstep.h"

#include <fmt/format.h>

#include <string_view>

namespace gw::sim {

const char* first_difference(const Beat& a, const Beat& b) {
  if (a.last != b.last) return "tlast";
  if (a.keep != b.keep) return "tkeep";
  if (a.user != b.user) return "tuser";
  if (a.data != b.data) return "tdata";
  if (a.meta != b.meta) return "tuser";
  return nullptr;
}

std::string both(const char* name_a, const char* name_b) {
  return fmt::format("{} and {}", name_a, name_b);
}

std::string no_beat_moved(uint64_t cycles) {
  return fmt::format("no beat has moved for {} cycles", cycles);
}

std::string word(size_t i) { return fmt::format("word {}", i); }

std::string signal_value(const Beat& beat, std::string_view signal) {
  if (signal == "tlast") return fmt::format("{}", beat.last);
  if (signal == "tuser" && beat.meta == Beat{}.meta) return fmt::format("{}", beat.user);
  if (signal == "tkeep") return fmt::format("{:08x}", beat.keep);
  std::string text;
  if (signal == "tuser") {
    for (size_t word = beat.meta.size(); word-- > 0;) {
      text += fmt::format("{}{:08x}", text.empty() ? "" : "_", beat.meta[word]);
    }
    return text;
  }
  for (int lane = kLanes - 1; lane >= 0; --lane) {
    text += fmt::format("{}{:08x}", text.empty() ? "" : "_", beat.data[lane]);
  }
  return text;
}

}  // namespace gw::sim
