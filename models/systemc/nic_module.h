// gw_nic_tx, gw_nic_rx: the NIC's engines with pins named as the RTL's (docs/devices/nic_tx.md,
// nic_rx.md).
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
  }
};

class gw_nic_tx : public NicModule<NicTx> {
 public:
  sc_core::sc_in<sc_dt::sc_uint<8>> SC_NAMED(mark_i);
  sc_core::sc_in<sc_dt::sc_uint<8>> SC_NAMED(mark_mask_i);
  sc_core::sc_in<bool> SC_NAMED(grid_i);
  sc_core::sc_in<sc_dt::sc_uint<4>> SC_NAMED(bound_i);
  sc_core::sc_in<bool> SC_NAMED(bounded_i);

  explicit gw_nic_tx(const sc_core::sc_module_name& name) : NicModule(name) {}

 private:
  void configure() override {
    core_.configure({.mark = static_cast<uint8_t>(mark_i.read().to_uint()),
                     .mark_mask = static_cast<uint8_t>(mark_mask_i.read().to_uint()),
                     .packet_grid = grid_i.read(),
                     .codec = {.bound = static_cast<uint8_t>(bound_i.read().to_uint()),
                               .bounded = bounded_i.read()},
                     .protocol_tcp = protocol_tcp(),
                     .protocol_udp = protocol_udp()});
  }
};

class gw_nic_rx : public NicModule<NicRx> {
 public:
  explicit gw_nic_rx(const sc_core::sc_module_name& name) : NicModule(name) {}

 private:
  void configure() override {
    core_.configure({.protocol_tcp = protocol_tcp(), .protocol_udp = protocol_udp()});
  }
};

}  // namespace gw::systemc
