// Netlists of two copies of a device as ABC reads them (AIGER), for proofs that a mutant cannot be
// noticed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gw::tools {

/// Gates by what goes into them, so that none is there twice.
class Gates {
 public:
  explicit Gates(size_t most) : places_(std::bit_ceil(2 * most + 2)) { gates_.reserve(most); }

  void begin(uint32_t first) {
    first_ = first;
    gates_.clear();
    std::ranges::fill(places_, kNone);
  }
  uint32_t both(uint32_t a, uint32_t b) {
    if (a < b) std::swap(a, b);
    if (b == 0 || a == (b ^ 1)) return 0;
    if (b == 1 || a == b) return a;
    const uint64_t key = (uint64_t{a} << 32 | b) * 0x9E37'79B9'7F4A'7C15;
    size_t place = (key >> 32) & (places_.size() - 1);
    for (; places_[place] != kNone; place = (place + 1) & (places_.size() - 1)) {
      if (gates_[places_[place]] == std::pair(a, b)) return 2 * (first_ + places_[place]);
    }
    places_[place] = static_cast<uint32_t>(gates_.size());
    gates_.emplace_back(a, b);
    return 2 * (first_ + places_[place]);
  }
  const std::vector<std::pair<uint32_t, uint32_t>>& all() const { return gates_; }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  uint32_t first_ = 0;
  std::vector<std::pair<uint32_t, uint32_t>> gates_;  ///< the larger one first
  std::vector<uint32_t> places_;
};

/// An AIGER file of two copies, `gold` and `gate`, of which some inputs can be held at a number.
class Aiger {
 public:
  Aiger(const std::filesystem::path& path, const std::filesystem::path& map,
        const std::string& pin) {
    std::ifstream file(path, std::ios::binary), names(map);
    std::string format, line;
    uint32_t most = 0;
    if (!(file >> format >> most >> inputs_ >> latches_ >> outputs_ >> gates_)) return;
    std::getline(file, line);
    // Yosys may have been stopped while it wrote: nothing is taken of a file that is cut.
    for (uint32_t i = 0; i < latches_ + outputs_; ++i) {
      uint32_t root = 0;
      if (!std::getline(file, line) || file.eof()) return;
      const char* const end = line.data() + line.size();
      const auto [at, error] = std::from_chars(line.data(), end, root);
      if (error != std::errc() || at != end || root / 2 > most) return;
      roots_.push_back(root);
    }
    for (uint32_t i = 0; i < gates_; ++i) {
      const uint32_t gate = 2 * (inputs_ + latches_ + i + 1);
      const uint32_t left = gate - difference(file), right = left - difference(file);
      if (!file || left >= gate || right > left) return;
      gate_inputs_.emplace_back(left, right);
    }
    std::map<std::string, uint32_t> golden, mutated;
    std::string kind, name;
    for (uint32_t index = 0, bit = 0; names >> kind >> index >> bit >> name;) {
      if (kind == "input" && name == pin) pins_.emplace_back(index, bit);
      if (kind != "latch" || index >= latches_) continue;
      if (name.starts_with("gold.")) golden[fmt::format("{} {}", name.substr(5), bit)] = index;
      if (name.starts_with("gate.")) mutated[fmt::format("{} {}", name.substr(5), bit)] = index;
    }
    if (pins_.size() != 16) return;
    pair(golden, mutated);
    whole_ = true;
  }

  bool whole() const { return whole_; }

  /// A register of `gate` that gets the same as its peer of `gold`, as long as all such get it,
  /// always holds the same, and is left out: what is left of `gate` is what the mutant reaches.
  void write(const std::filesystem::path& path, uint32_t number) const {
    std::vector<uint32_t> peers = peers_, roots;
    Gates gates(gates_);
    const auto stays = [&peers](uint32_t latch) { return peers[latch] == latch; };
    for (bool again = true; again;) {
      again = false;
      roots = hashed(number, peers, gates);
      for (uint32_t i = 0; i < latches_; ++i) {
        if (stays(i) || roots[i] == roots[peers[i]]) continue;
        peers[i] = i;
        again = true;
      }
    }
    uint32_t latches = 0;
    for (uint32_t i = 0; i < latches_; ++i) latches += stays(i);
    const size_t count = gates.all().size();
    std::ofstream file(path, std::ios::binary);
    file << fmt::format("aig {} {} {} {} {}\n", inputs_ + latches + count, inputs_, latches,
                        outputs_, count);
    for (uint32_t i = 0; i < roots.size(); ++i) {
      if (i >= latches_ || stays(i)) file << roots[i] << '\n';
    }
    uint32_t gate = 2 * (inputs_ + latches + 1);
    for (const auto& [left, right] : gates.all()) {
      put(file, gate - left);
      put(file, left - right);
      gate += 2;
    }
  }

 private:
  static uint32_t difference(std::istream& file) {
    uint32_t value = 0;
    for (int shift = 0; shift < 32; shift += 7) {
      const int byte = file.get();
      value |= static_cast<uint32_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0 || !file) break;
    }
    return value;
  }
  static void put(std::ostream& file, uint32_t value) {
    for (; value >= 0x80; value >>= 7) file.put(static_cast<char>(value | 0x80));
    file.put(static_cast<char>(value));
  }

  /// By names; of those of which a mutant hides the name, by what they get, else by guess: a wrong
  /// peer is found out in write().
  void pair(const std::map<std::string, uint32_t>& golden,
            const std::map<std::string, uint32_t>& mutated) {
    std::vector<bool> found(latches_);
    peers_.resize(latches_);
    for (uint32_t i = 0; i < latches_; ++i) peers_[i] = i;
    for (const auto& [name, latch] : mutated) {
      const auto peer = golden.find(name);
      if (peer == golden.end()) continue;
      peers_[latch] = peer->second;
      found[latch] = found[peer->second] = true;
    }
    std::multimap<uint32_t, uint32_t> left_of_gold;
    Gates gates(gates_);
    const std::vector<uint32_t> asleep = hashed(0, peers_, gates);
    for (const auto& [name, latch] : golden) {
      if (!found[latch]) left_of_gold.emplace(asleep[latch], latch);
      found[latch] = true;
    }
    for (const bool alike : {true, false}) {
      for (uint32_t i = 0; i < latches_ && !left_of_gold.empty(); ++i) {
        if (found[i]) continue;
        const auto peer = alike ? left_of_gold.find(asleep[i]) : left_of_gold.begin();
        if (peer == left_of_gold.end()) continue;
        peers_[i] = peer->second;
        found[i] = true;
        left_of_gold.erase(peer);
      }
    }
  }

  /// Each register but its own peer being that one: what registers and outputs get.
  std::vector<uint32_t> hashed(uint32_t number, const std::vector<uint32_t>& peers,
                               Gates& gates) const {
    std::vector<uint32_t> now(inputs_ + latches_ + gates_ + 1);
    for (uint32_t i = 1; i <= inputs_; ++i) now[i] = 2 * i;
    for (const auto& [input, bit] : pins_) now[input + 1] = number >> bit & 1;
    uint32_t next = inputs_ + 1;
    for (uint32_t i = 0; i < latches_; ++i) {
      if (peers[i] == i) now[inputs_ + 1 + i] = 2 * next++;
    }
    for (uint32_t i = 0; i < latches_; ++i) now[inputs_ + 1 + i] = now[inputs_ + 1 + peers[i]];
    gates.begin(next);
    const auto of = [&now](uint32_t literal) { return now[literal / 2] ^ (literal & 1); };
    for (uint32_t i = 0; i < gates_; ++i) {
      const auto& [left, right] = gate_inputs_[i];
      now[inputs_ + latches_ + 1 + i] = gates.both(of(left), of(right));
    }
    std::vector<uint32_t> roots;
    for (const uint32_t root : roots_) roots.push_back(of(root));
    return roots;
  }

  uint32_t inputs_ = 0, latches_ = 0, outputs_ = 0, gates_ = 0;
  std::vector<uint32_t> roots_;                             ///< what latches get, then outputs
  std::vector<std::pair<uint32_t, uint32_t>> gate_inputs_;  ///< the larger one first
  std::vector<std::pair<uint32_t, uint32_t>> pins_;         ///< input, bit of the number
  std::vector<uint32_t> peers_;  ///< of a latch of `gate` that of `gold`, of others themselves
  bool whole_ = false;
};

/// Whether the one output of an AIGER file is the constant 0.
inline bool never(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string format, line;
  uint64_t most = 0, inputs = 0, latches = 0, outputs = 0;
  if (!(file >> format >> most >> inputs >> latches >> outputs) || outputs != 1) return false;
  for (uint64_t i = 0; i <= latches; ++i)
    std::getline(file, line);  // and what is left of the first
  return std::getline(file, line) && !file.eof() && line == "0";
}

}  // namespace gw::tools
