// Which bits of a struct rose, and which fell, between one look at it and the next. For engines
// that were built to count toggles (GW_ENGINE_TOGGLE): the state of a verilated top is one struct,
// and a look at it in each cycle costs less than a counter at each signal by two orders of
// magnitude. Knows nothing of Verilator but the names of its types' shapes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "testbenches/engine/engine_abi.h"

namespace gw::testbenches {
namespace {

/// An unpacked array of more elements is a memory: its bits are named, not counted.
inline constexpr uint32_t kCountedElements = 8;

class ToggleScan {
 public:
  /// The state, of a size and at an address that are multiples of kBlock; it stays where it is.
  template <class State>
  explicit ToggleScan(const State& state)
      : state_(reinterpret_cast<const unsigned char*>(&state)), wanted_(sizeof(State) / kBlock) {
    static_assert(alignof(State) % kBlock == 0 && sizeof(State) % kBlock == 0);
  }

  /// A signal of the state, as Verilator stores it: a machine word, an array of 32-bit words
  /// (`m_storage` of words), an unpacked array (`m_storage` of elements). Before the first look.
  template <class Signal>
  void add(std::string name, const Signal& signal, int msb, int lsb) {
    const auto bits = static_cast<uint32_t>(msb - lsb + 1);
    if constexpr (std::is_integral_v<Signal>) {
      watch(std::move(name), &signal, sizeof signal, bits, lsb);
    } else if constexpr (std::is_array_v<Signal>) {
      constexpr auto kElements = static_cast<uint32_t>(std::extent_v<Signal>);
      if constexpr (kElements > kCountedElements) {
        note(std::move(name), bits, lsb, kElements, GW_TOGGLE_MEMORY);
      } else {
        for (uint32_t i = 0; i < kElements; ++i) {
          add(name + '[' + std::to_string(i) + ']', signal[i], msb, lsb);
        }
      }
    } else if constexpr (kIsWide<Signal>) {
      watch(std::move(name), &signal, sizeof signal, bits, lsb);
    } else {
      add(std::move(name), signal.m_storage, msb, lsb);
    }
  }
  /// What the top declares and the state has not.
  void add_absent(std::string name, uint32_t bits) {
    note(std::move(name), bits, 0, 1, GW_TOGGLE_ABSENT);
  }

  /// The state as it is: changes are counted from here on.
  void begin() {
    arrange();
    for (const Run& run : runs_) {
      std::memcpy(&before_[run.at], state_ + run.first * kBlock, run.blocks * kBlock);
    }
  }

  /// Notes what changed since the last look.
  void look() {
    for (const Run& run : runs_) {
      const auto* now = reinterpret_cast<const Word*>(state_ + run.first * kBlock);
      auto* const before = reinterpret_cast<Word*>(&before_[run.at]);
      auto* const rose = reinterpret_cast<Word*>(&rose_[run.at]);
      auto* const fell = reinterpret_cast<Word*>(&fell_[run.at]);
      for (size_t i = 0; i < run.blocks; ++i) {
        const Word a = before[i], b = now[i];
        rose[i] |= b & ~a;
        fell[i] |= a & ~b;
        before[i] = b;
      }
    }
  }

  /// All signals; until the next call.
  const GwToggle* read(uint32_t* signals) {
    shown_.clear();
    for (Signal& s : signals_) {
      GwToggle shown{s.name.c_str(), s.lsb, s.bits, s.elements, s.seen, nullptr, nullptr};
      if (s.seen == GW_TOGGLE_COUNTED) {
        extract(rose_, s, s.rose);
        extract(fell_, s, s.fell);
        shown.rose = s.rose.data();
        shown.fell = s.fell.data();
      }
      shown_.push_back(shown);
    }
    *signals = static_cast<uint32_t>(shown_.size());
    return shown_.data();
  }

 private:
  static constexpr size_t kBlock = 32;
  typedef uint64_t Word __attribute__((vector_size(kBlock), may_alias));
  struct alignas(kBlock) Block {
    unsigned char bytes[kBlock];
  };
  /// Blocks of the state, one behind the other, and where they are noted.
  struct Run {
    size_t first, blocks, at;
  };
  struct Signal {
    std::string name;
    uint32_t lsb, bits, elements, seen;
    size_t offset, bytes;
    std::vector<uint64_t> rose, fell;
  };

  /// Verilator's words are 32 bits in an array of their own name; an unpacked array of 32-bit
  /// elements looks alike but for its parameters.
  template <class S>
  static constexpr bool is_wide(const S*) {
    return false;
  }
  template <template <size_t> class S, size_t kWords>
  static constexpr bool is_wide(const S<kWords>*) {
    return true;
  }
  template <class S>
  static constexpr bool kIsWide = is_wide(static_cast<const S*>(nullptr));

  void watch(std::string name, const void* data, size_t bytes, uint32_t bits, int lsb) {
    const auto offset = static_cast<size_t>(static_cast<const unsigned char*>(data) - state_);
    for (size_t b = offset / kBlock; b <= (offset + bytes - 1) / kBlock; ++b) wanted_[b] = true;
    signals_.push_back({std::move(name),
                        static_cast<uint32_t>(lsb),
                        bits,
                        1,
                        GW_TOGGLE_COUNTED,
                        offset,
                        bytes,
                        {},
                        {}});
  }
  void note(std::string name, uint32_t bits, int lsb, uint32_t elements, uint32_t seen) {
    signals_.push_back(
        {std::move(name), static_cast<uint32_t>(lsb), bits, elements, seen, 0, 0, {}, {}});
  }

  void arrange() {
    if (!before_.empty() || !runs_.empty()) return;
    size_t blocks = 0;
    places_.assign(wanted_.size(), 0);
    for (size_t b = 0; b < wanted_.size(); ++b) {
      if (!wanted_[b]) continue;
      if (runs_.empty() || runs_.back().first + runs_.back().blocks != b) {
        runs_.push_back({b, 0, blocks});
      }
      ++runs_.back().blocks;
      places_[b] = blocks++;
    }
    before_.resize(blocks);
    rose_.resize(blocks);
    fell_.resize(blocks);
  }

  void extract(const std::vector<Block>& all, const Signal& s, std::vector<uint64_t>& to) const {
    to.assign((s.bits + 63) / 64, 0);
    if (all.empty()) return;
    const auto* const from = reinterpret_cast<const unsigned char*>(all.data()) +
                             places_[s.offset / kBlock] * kBlock + s.offset % kBlock;
    std::memcpy(to.data(), from, std::min(s.bytes, to.size() * 8));
    if (s.bits % 64 != 0) to.back() &= (uint64_t{1} << s.bits % 64) - 1;
  }

  const unsigned char* state_;
  std::vector<bool> wanted_;    ///< by block of the state
  std::vector<size_t> places_;  ///< of a block of the state among those that are looked at
  std::vector<Run> runs_;
  std::vector<Block> before_, rose_, fell_;
  std::vector<Signal> signals_;
  std::vector<GwToggle> shown_;
};

}  // namespace
}  // namespace gw::testbenches
