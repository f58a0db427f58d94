// Cycle-accurate core of the NIC's engine from host to wire, no SystemC in it
// (docs/devices/nic_tx.md).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "models/axis/beat.h"
#include "models/systemc/compressor.h"

namespace gw::systemc {

/// The configuration pins of gw_nic_tx.
struct NicTxConfig {
  uint8_t mark = 0x28;       ///< ToS of the connections whose streams are floats
  uint8_t mark_mask = 0xFC;  ///< the bits of it that count
  bool packet_grid = false;  ///< grid_i: floats begin at a segment's first byte
  CodecConfig codec;
  uint8_t protocol_tcp = 253;
  uint8_t protocol_udp = 254;

  friend bool operator==(const NicTxConfig&, const NicTxConfig&) = default;
};

class NicTx {
 public:
  static constexpr size_t kStatistics = 18;

  /// A device whose last rising edge had aresetn = 0.
  explicit NicTx(const NicTxConfig& config = {}) : pins_(config) { reset(); }

  /// Drives the configuration pins from this cycle on. A frame keeps what they are when its first
  /// beat is accepted.
  void configure(const NicTxConfig& config) { pins_ = config; }
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
  NicTxConfig pins_;
  bool first_, ready_;
  std::array<uint32_t, kStatistics> statistics_;
};

}  // namespace gw::systemc
