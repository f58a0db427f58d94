// gw_onebit: the one-bit quantiser with pins named as the RTL's (docs/devices/onebit.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/systemc/axis_pins.h"
#include "models/systemc/onebit.h"

namespace gw::systemc {

class gw_onebit : public BasicStreamPins<53> {
 public:
  sc_core::sc_in<bool> SC_NAMED(residual_i);

  sc_core::sc_out<sc_dt::sc_uint<32>> SC_NAMED(raw_count_o);
  sc_core::sc_out<sc_dt::sc_uint<32>> SC_NAMED(error_count_o);

  /// `rows` is the RTL's parameter Rows.
  explicit gw_onebit(const sc_core::sc_module_name& name, uint32_t rows = OneBit::kDefaultRows)
      : BasicStreamPins(name), core_(rows) {}

 private:
  void rising_edge() override {
    if (!aresetn.read()) {
      core_.reset();
    } else {
      core_.configure({.residual = residual_i.read()});
      const Beat beat = sample_s_axis();
      core_.clock(s_axis_tvalid.read() ? &beat : nullptr, m_axis_tready.read());
    }
    s_axis_tready.write(core_.s_ready());
    drive_m_axis(core_.m_beat());
    raw_count_o.write(core_.raw_count());
    error_count_o.write(core_.error_count());
  }

  OneBit core_;
};

}  // namespace gw::systemc
