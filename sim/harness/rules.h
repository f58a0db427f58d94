// The rules of AXI4-Stream (AMBA 4 AXI4-Stream, IHI 0051) and of this house's profile of it,
// checked on one port, one cycle at a time. Any tkeep is legal in AXI4-Stream; the profile has
// neither null nor sparse beats, and full ones before the last.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "models/axis/beat.h"

namespace gw::sim {

/// What can be wrong on a port. Each has a mutant in tests/harness that must raise it.
enum class AxisRule : uint8_t {
  kNone,
  kValidDropped,    // IHI 0051 2.2.1: once asserted, tvalid holds until the handshake
  kPayloadChanged,  // 2.2.1: the payload holds while it waits
  kKeepGap,         // profile: tkeep is contiguous ones from byte 0, at least one
  kKeepBeforeLast,  // profile: only the tlast beat may be partial
  kUserBeforeLast,  // profile: tuser (packet in error) goes with tlast
  kActiveInReset,   // 2.7.2: tvalid is low in the cycle after reset
  kReadyInReset,    // profile: so is tready
};

/// One of the profile, which AXI4-Stream does not have.
constexpr bool of_profile(AxisRule rule) {
  return rule == AxisRule::kKeepGap || rule == AxisRule::kKeepBeforeLast ||
         rule == AxisRule::kUserBeforeLast || rule == AxisRule::kReadyInReset;
}

constexpr const char* axis_rule_text(AxisRule rule) {
  constexpr std::array<const char*, 8> kText = {
      "no rule broken",
      "tvalid fell before tready answered",
      "the payload changed while it waited for tready",
      "tkeep is not contiguous ones from byte 0",
      "tkeep is partial before the tlast beat",
      "tuser is set before the tlast beat",
      "tvalid is high in reset",
      "tready is high in reset",
  };
  return kText[static_cast<size_t>(rule)];
}

/// Same payload, bit for bit. Called several times a cycle: as one row of bytes, with no branch
/// among them, which becomes few instructions.
template <class Beat>
[[gnu::always_inline]] inline bool same_beat(const Beat& a, const Beat& b) {
  constexpr size_t kBytes =
      sizeof(a.data) + sizeof(a.keep) + sizeof(a.last) + sizeof(a.user) + sizeof(a.meta);
  static_assert(offsetof(Beat, meta) + sizeof(a.meta) == kBytes, "bytes that nobody sets");
  static_assert(kBytes % sizeof(uint32_t) == 0);
  uint64_t differences = 0;
  const auto compare = [&]<class Word>(size_t from, Word word_a, Word word_b) {
    std::memcpy(&word_a, reinterpret_cast<const std::byte*>(&a) + from, sizeof word_a);
    std::memcpy(&word_b, reinterpret_cast<const std::byte*>(&b) + from, sizeof word_b);
    differences |= word_a ^ word_b;
  };
  constexpr size_t kWhole = kBytes / sizeof(uint64_t) * sizeof(uint64_t);
  for (size_t i = 0; i < kWhole; i += sizeof(uint64_t)) compare(i, uint64_t{}, uint64_t{});
  if constexpr (kWhole != kBytes) compare(kWhole, uint32_t{}, uint32_t{});
  return differences == 0;
}

template <class Beat>
class AxisChecker {
 public:
  /// One cycle, and the first rule that is broken in it, of AXI4-Stream before the profile: the
  /// payload offered (nullptr: tvalid low) and tready. `empty_last`: Port's.
  [[gnu::always_inline]] AxisRule check(const Beat* beat, bool ready, bool empty_last = false) {
    AxisRule rule = AxisRule::kNone;
    if (waiting_) [[unlikely]] {
      if (beat == nullptr) {
        rule = AxisRule::kValidDropped;
      } else if (!same_beat(*beat, held_)) {
        rule = AxisRule::kPayloadChanged;
      }
    }
    if (beat != nullptr) {
      using Keep = typename Beat::Keep;
      const Keep keep = beat->keep;
      const bool empty = keep == 0 && !(empty_last && beat->last != 0);
      const bool gap = (keep & static_cast<Keep>(keep + 1)) != 0 || empty;
      const bool early = beat->last == 0 && (keep != Beat::kWhole || beat->user != 0);
      if ((gap || early) && rule == AxisRule::kNone) [[unlikely]] {
        rule = gap ? AxisRule::kKeepGap
                   : (beat->user != 0 ? AxisRule::kUserBeforeLast : AxisRule::kKeepBeforeLast);
      }
    }
    const bool waits = beat != nullptr && !ready;
    if (waits && !waiting_) [[unlikely]]
      held_ = *beat;
    waiting_ = waits;
    return rule;
  }

  /// The cycle after a clock edge in reset.
  AxisRule check_reset(const Beat* beat, bool ready) {
    waiting_ = false;
    if (beat != nullptr) return AxisRule::kActiveInReset;
    return ready ? AxisRule::kReadyInReset : AxisRule::kNone;
  }

 private:
  bool waiting_ = false;
  Beat held_;
};

}  // namespace gw::sim
