// Cycle-accurate core of the NIC's engine from wire to host, no SystemC in it
// (docs/devices/nic_rx.md).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "models/axis/beat.h"
#include "models/systemc/decompressor.h"

namespace gw::systemc {

/// The configuration pins of gw_nic_rx.
struct NicRxConfig {
  uint8_t protocol_tcp = 253;
  uint8_t protocol_udp = 254;

  friend bool operator==(const NicRxConfig&, const NicRxConfig&) = default;
};

class NicRx {
 public:
  static constexpr size_t kStatistics = 6;

  /// A device whose last rising edge had aresetn = 0.
  explicit NicRx(const NicRxConfig& config = {}) : pins_(config) { reset(); }

  /// Drives the configuration pins from this cycle on. A frame keeps what they are when its first
  /// beat is accepted.
  void configure(const NicRxConfig& config) { pins_ = config; }
  /// Whether the next beat begins a frame, and so looks at them.
  bool begins_frame() const { return first_; }

  // Outputs in the current cycle.
  bool s_ready() const { return ready_; }
  /// The beat on m_axis, nullptr while m_axis_tvalid is 0. The pointer lasts until the next edge.
  const Beat* m_beat() const { return nullptr; }
  std::span<const uint32_t> statistics() const { return statistics_; }

  /// One rising edge with aresetn = 0.
  void reset();
  /// One rising edge with aresetn = 1. `s` is the beat on s_axis, nullptr while s_axis_tvalid is 0.
  void clock(const Beat* s, bool m_ready);

 private:
  NicRxConfig pins_;
  bool first_, ready_;
  std::array<uint32_t, kStatistics> statistics_;
};

}  // namespace gw::systemc
