// A waveform read back: what `fst2vcd` makes of it, signal by signal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace gw::tests {

class Vcd {
 public:
  explicit Vcd(const std::string& text) {
    std::istringstream lines(text);
    std::vector<std::string> scopes;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string word;
      words >> word;
      if (word == "$scope") {
        words >> word >> word;
        scopes.push_back(word);
      } else if (word == "$upscope") {
        scopes.pop_back();
      } else if (word == "$var") {
        std::string type, bits, code, name;
        words >> type >> bits >> code >> name;
        for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
          name = *scope + "." + name;
        }
        codes_[name] = code;
      } else if (word.starts_with("#")) {
        end_ = std::stoull(word.substr(1));
        first_ = std::min(first_, end_);
      } else if (word.starts_with("b")) {
        std::string code;
        words >> code;
        changes_[code].emplace_back(end_, word.substr(1));
      } else if (!word.empty() && std::string("01xz").find(word[0]) != std::string::npos) {
        changes_[word.substr(1)].emplace_back(end_, word.substr(0, 1));
      }
    }
  }

  bool has(const std::string& signal) const { return codes_.contains(signal); }
  /// Binary, without zeros in front; empty: there is none.
  std::string at(const std::string& signal, uint64_t time) const {
    const auto code = codes_.find(signal);
    const auto changes = code == codes_.end() ? changes_.end() : changes_.find(code->second);
    if (changes == changes_.end()) return {};
    std::string value;
    for (const auto& [when, bits] : changes->second) {
      if (when > time) break;
      value = bits;
    }
    const size_t one = value.find_first_not_of('0');
    return value.empty() ? "" : one == std::string::npos ? "0" : value.substr(one);
  }
  uint64_t number(const std::string& signal, uint64_t time) const {
    return std::stoull(at(signal, time), nullptr, 2);
  }
  uint64_t first() const { return first_; }
  uint64_t end() const { return end_; }

 private:
  std::map<std::string, std::string> codes_;
  std::map<std::string, std::vector<std::pair<uint64_t, std::string>>> changes_;
  uint64_t first_ = UINT64_MAX, end_ = 0;
};

/// "733ea6f9_6f662994" as Vcd::at has it.
inline std::string binary_of_hex(const std::string& hex) {
  std::string bits;
  for (const char digit : hex) {
    if (digit == '_') continue;
    const int value = digit <= '9' ? digit - '0' : digit - 'a' + 10;
    for (int bit = 3; bit >= 0; --bit) bits += (value >> bit & 1) != 0 ? '1' : '0';
  }
  const size_t one = bits.find('1');
  return one == std::string::npos ? "0" : bits.substr(one);
}

}  // namespace gw::tests
