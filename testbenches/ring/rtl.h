// A node of the ring as an engine: its RTL.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "testbenches/kit/rtl_engine.h"
#include "testbenches/ring/ports.h"

namespace gw::testbenches {

/// What gw_ring_nic shows beside its streams and counters.
struct RingTopPorts : RingNodePorts {
  static constexpr std::array<sim::Pin, 1> kPinsOfProbe = {{{"error_o", 5}}};
};

/// Adds the counters to the probe, so that they are compared in each cycle, and says in words why a
/// node is in error.
class RingNodeRtl {
 public:
  using Ports = RingNodePorts;
  using Beat = Ports::Beat;

  RingNodeRtl(CompiledRtl compiled, uint64_t seed, uint32_t node)
      : rtl_(std::move(compiled), seed), node_(node) {}

  void set(std::string_view pin, uint64_t value) { rtl_.set(pin, value); }
  int trace(const std::string& path, int64_t from, int64_t to, uint64_t period_ps) {
    return rtl_.trace(path, from, to, period_ps);
  }
  std::string finish() { return rtl_.finish(); }
  void reset() {
    rtl_.reset();
    in_error_ = 0;
  }
  void boot(const sim::Boot& boot) { rtl_.boot(boot); }
  uint32_t s_ready() const { return rtl_.s_ready(); }
  const Beat* m_beat(size_t port) const { return rtl_.m_beat(port); }
  sim::Probe<Ports> probe() const { return ring_probe(rtl_.statistics(), error()); }
  std::span<const uint32_t> statistics() const { return rtl_.statistics(); }
  void clock(const sim::Offered<Ports>& offered, uint32_t m_ready) {
    rtl_.clock(offered, m_ready);
    if (error() != 0) ++in_error_;
  }
  void skip(uint64_t cycles) { rtl_.skip(cycles); }
  void add_points(sim::coverage::Points& points) const { rtl_.add_points(points); }
  std::string stopped() const {
    const std::string why = rtl_.stopped();
    return why.empty() ? ring_error_sentence(node_, error()) : why;
  }
  uint64_t missed() const {
    if (!rtl_.stopped().empty()) return rtl_.missed();
    return in_error_ == 0 ? 0 : in_error_ - 1;
  }

 private:
  uint32_t error() const { return static_cast<uint32_t>(rtl_.probe()); }

  RtlEngine<RingTopPorts> rtl_;
  uint32_t node_;
  uint64_t in_error_ = 0;  ///< edges since error_o is not 0
};

}  // namespace gw::testbenches
