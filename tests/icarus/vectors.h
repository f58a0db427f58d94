// A file of vectors for the replay testbenches: one word in hex a clock cycle.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <system_error>

namespace gw::icarus {

/// One cycle's word, `kBits` wide, a multiple of 4.
template <int kBits>
class Cycle {
 public:
  void bit(int position, bool value) { word(position, value ? 1 : 0); }
  /// The bits of `value` from `position` on.
  void word(int position, uint32_t value) {
    const auto at = static_cast<size_t>(position / 32);
    words_[at] |= value << (position % 32);
    if (position % 32 != 0) words_[at + 1] |= value >> (32 - position % 32);
  }
  std::string hex() const {
    std::string text;
    for (size_t i = kWords; i-- > 0;) text += fmt::format("{:08x}", words_[i]);
    return text.substr(text.size() - kBits / 4);
  }

 private:
  static constexpr size_t kWords = (kBits + 31) / 32 + 1;  // a word at the end may reach beyond
  std::array<uint32_t, kWords> words_{};
};

/// Opens the file, has it written, closes it; the program's exit code.
inline int write_file(const char* program, const char* path,
                      const std::function<void(std::FILE*)>& write) {
  std::string why;
  if (std::FILE* file = std::fopen(path, "w")) {
    try {
      write(file);
    } catch (const std::system_error& error) {  // fmt's, of a full disk
      why = error.code().message();
    }
    if (std::fclose(file) != 0 && why.empty()) why = std::strerror(errno);
  } else {
    why = std::strerror(errno);
  }
  if (!why.empty()) {
    fmt::print(stderr, "{}: cannot write '{}': {}\n", program, path, why);
    return 3;
  }
  return 0;
}

}  // namespace gw::icarus
