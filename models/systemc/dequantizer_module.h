// gw_dequantizer: the decoder of all quantised packets with pins named as the RTL's
// (docs/devices/dequantizer.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/systemc/axis_pins.h"
#include "models/systemc/dequantizer.h"

namespace gw::systemc {

class gw_dequantizer : public StreamPins {
 public:
  sc_core::sc_in<sc_dt::sc_uint<20>> SC_NAMED(limit_i);

  sc_core::sc_out<sc_dt::sc_bv<288>> SC_NAMED(malformed_count_o);
  sc_core::sc_out<sc_dt::sc_uint<32>> SC_NAMED(error_count_o);

  explicit gw_dequantizer(const sc_core::sc_module_name& name) : StreamPins(name) {}

 private:
  void rising_edge() override {
    if (!aresetn.read()) {
      core_.reset();
    } else {
      core_.configure({.limit = limit_i.read().to_uint()});
      const Beat beat = sample_s_axis();
      core_.clock(s_axis_tvalid.read() ? &beat : nullptr, m_axis_tready.read());
    }
    s_axis_tready.write(core_.s_ready());
    drive_m_axis(core_.m_beat());
    sc_dt::sc_bv<288> counts;
    for (size_t i = 0; i < Dequantizer::kReasons; ++i) {
      counts.set_word(static_cast<int>(i), core_.malformed_count(i));
    }
    malformed_count_o.write(counts);
    error_count_o.write(core_.error_count());
  }

  Dequantizer core_;
};

}  // namespace gw::systemc
