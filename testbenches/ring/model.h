// A node of the ring as an engine: the model's core, and when it is reset during a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/systemc/ring/ring_nic.h"
#include "sim/base/error.h"
#include "sim/harness/engine.h"
#include "testbenches/ring/ports.h"

namespace gw::testbenches {

class RingNodeModel {
 public:
  using Ports = RingNodePorts;
  using Beat = Ports::Beat;
  static_assert(systemc::RingNic::kStatistics == Ports::kStatWords);

  /// Edges in reset during a run, from the one that ends cycle `from` on, with a session of its
  /// own.
  struct Reset {
    uint64_t from = 0, edges = 1;
    uint16_t session = 0;
  };

  RingNodeModel(const systemc::RingBuild& build, const systemc::RingPins& pins,
                std::vector<Reset> resets = {})
      : core_(build, pins), pins_(pins), resets_(std::move(resets)) {
    std::vector<uint16_t> used = {pins.session};
    for (const Reset& reset : resets_) {
      if (std::find(used.begin(), used.end(), reset.session) != used.end()) {
        throw sim::UsageError("node " + std::to_string(pins.node) + ": session " +
                              std::to_string(reset.session) +
                              " is used twice; each reset of a ring needs a new one");
      }
      used.push_back(reset.session);
    }
  }

  const systemc::RingNic& core() const { return core_; }
  /// The session from the next reset on; the other pins are set when the node is made.
  void set(std::string_view pin, uint64_t value) {
    if (pin == "session_i") pins_.session = static_cast<uint16_t>(value);
  }

  void reset() {
    core_.configure(pins_);
    core_.reset();
    next_ = stopped_ = 0;
    now_ = 0;
  }
  /// Both links are silent for long enough that none is lost.
  void boot(const sim::Boot&) {
    for (uint32_t edge = 0; edge < kSilence; ++edge) core_.clock({}, 0);
    now_ = 0;
  }
  uint32_t s_ready() const { return core_.s_ready(); }
  const Beat* m_beat(size_t port) const { return core_.m_beat(port); }
  sim::Probe<Ports> probe() const { return ring_probe(core_.statistics(), core_.error()); }
  std::span<const uint32_t> statistics() const { return core_.statistics(); }
  /// Whether the next edge has aresetn = 0.
  bool resets() const { return next_ < resets_.size() && resets_[next_].from <= now_; }
  void clock(const sim::Offered<Ports>& offered, uint32_t m_ready) {
    if (resets()) [[unlikely]] {
      const Reset& reset = resets_[next_];
      systemc::RingPins pins = pins_;
      pins.session = reset.session;
      core_.configure(pins);
      core_.reset(static_cast<uint32_t>(offered[Ports::kLeft] != nullptr) << Ports::kLeft |
                  static_cast<uint32_t>(offered[Ports::kRight] != nullptr) << Ports::kRight);
      if (now_ + 1 == reset.from + reset.edges) ++next_;
    } else {
      core_.clock(offered, m_ready);
    }
    ++now_;
    if (core_.error() != 0) ++stopped_;
  }
  std::string stopped() const { return ring_error_sentence(pins_.node, core_.error()); }
  std::optional<uint64_t> missed() const { return stopped_ == 0 ? 0 : stopped_ - 1; }

  static constexpr uint32_t kSilence = 64;

 private:
  systemc::RingNic core_;
  systemc::RingPins pins_;
  std::vector<Reset> resets_;
  size_t next_ = 0;
  uint64_t now_ = 0;
  uint64_t stopped_ = 0;  ///< edges since error_o is not 0
};

}  // namespace gw::testbenches
