// gw_nic_tx, gw_nic_rx: the NIC's engines with pins named as the RTL's (docs/devices/nic_tx.md,
// nic_rx.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <systemc>

#include "models/systemc/axis_pins.h"
#include "models/systemc/nic_rx.h"
#include "models/systemc/nic_tx.h"

namespace gw::systemc {

/// `Core` is NicTx or NicRx.
template <class Core>
class NicModule : public StreamPins {
 public:
  static constexpr int kStatBits = 32 * static_cast<int>(Core::kStatistics);

  sc_core::sc_in<sc_dt::sc_uint<8>> SC_NAMED(protocol_tcp_i);
  sc_core::sc_in<sc_dt::sc_uint<8>> SC_NAMED(protocol_udp_i);

  sc_core::sc_out<sc_dt::sc_bv<kStatBits>> SC_NAMED(stat_o);

 protected:
  explicit NicModule(const sc_core::sc_module_name& name) : StreamPins(name) {}
  /// Hands the pins over; in front of each edge that may look at them.
  virtual void configure() = 0;

  uint8_t protocol_tcp() const { return static_cast<uint8_t>(protocol_tcp_i.read().to_uint()); }
  uint8_t protocol_udp() const { return static_cast<uint8_t>(protocol_udp_i.read().to_uint()); }

  Core core_;

 private:
  void rising_edge() override {
    if (!aresetn.read()) {
      core_.reset();
    } else {
      if (core_.begins_frame()) configure();
      const Beat beat = sample_s_axis();
      core_.clock(s_axis_tvalid.read() ? &beat : nullptr, m_axis_tready.read());
    }
    s_axis_tready.write(core_.s_ready());
    drive_m_axis(core_.m_beat());
    const std::span<const uint32_t> statistics = core_.statistics();
    sc_dt::sc_bv<kStatBits> words;
    for (size_t i = 0; i < statistics.size(); ++i) {
      words.set_word(static_cast<int>(i), statistics[i]);
    }
    stat_o.write(words);
    drive();
  }
  /// Outputs that one of the two has.
  virtual void drive() {}
};

/// A flow's key at pins: the first byte on the wire in the highest bits.
using NicKeyBits = sc_dt::sc_bv<96>;
inline NicFlowKey nic_key_of(const NicKeyBits& bits) {
  NicFlowKey key;
  for (int i = 0; i < 12; ++i) {
    key[static_cast<size_t>(i)] =
        static_cast<uint8_t>(bits.range(95 - 8 * i, 88 - 8 * i).to_uint());
  }
  return key;
}
inline NicKeyBits nic_bits_of(const NicFlowKey& key) {
  NicKeyBits bits;
  for (int i = 0; i < 12; ++i) bits.range(95 - 8 * i, 88 - 8 * i) = key[static_cast<size_t>(i)];
  return bits;
}

class gw_nic_tx : public NicModule<NicTx> {
 public:
  sc_core::sc_in<sc_dt::sc_uint<8>> SC_NAMED(mark_i);
  sc_core::sc_in<sc_dt::sc_uint<8>> SC_NAMED(mark_mask_i);
  sc_core::sc_in<bool> SC_NAMED(grid_i);
  sc_core::sc_in<sc_dt::sc_uint<4>> SC_NAMED(bound_i);
  sc_core::sc_in<bool> SC_NAMED(bounded_i);
  sc_core::sc_in<bool> SC_NAMED(forget_i);
  sc_core::sc_in<NicKeyBits> SC_NAMED(forget_key_i);

  explicit gw_nic_tx(const sc_core::sc_module_name& name) : NicModule(name) {}

 private:
  void configure() override {
    core_.configure({.mark = static_cast<uint8_t>(mark_i.read().to_uint()),
                     .mark_mask = static_cast<uint8_t>(mark_mask_i.read().to_uint()),
                     .packet_grid = grid_i.read(),
                     .codec = {.bound = static_cast<uint8_t>(bound_i.read().to_uint()),
                               .bounded = bounded_i.read()},
                     .protocol_tcp = protocol_tcp(),
                     .protocol_udp = protocol_udp(),
                     .forget = forget_i.read(),
                     .forget_key = nic_key_of(forget_key_i.read())});
  }
};

class gw_nic_rx : public NicModule<NicRx> {
 public:
  sc_core::sc_out<bool> SC_NAMED(forget_o);
  sc_core::sc_out<NicKeyBits> SC_NAMED(forget_key_o);

  explicit gw_nic_rx(const sc_core::sc_module_name& name) : NicModule(name) {}

 private:
  void drive() override {
    const NicFlowKey* const key = core_.forgets();
    forget_o.write(key != nullptr);
    forget_key_o.write(nic_bits_of(key != nullptr ? *key : NicFlowKey{}));
  }
  void configure() override {
    core_.configure({.protocol_tcp = protocol_tcp(), .protocol_udp = protocol_udp()});
  }
};

}  // namespace gw::systemc
