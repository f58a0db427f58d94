// gw_mx: the microscaling quantiser with pins named as the RTL's (docs/devices/mx.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/systemc/axis_pins.h"
#include "models/systemc/mx.h"

namespace gw::systemc {

class gw_mx : public BasicStreamPins<53> {
 public:
  sc_core::sc_in<sc_dt::sc_uint<2>> SC_NAMED(format_i);
  sc_core::sc_in<bool> SC_NAMED(scale_i);
  sc_core::sc_in<bool> SC_NAMED(residual_i);

  sc_core::sc_out<sc_dt::sc_uint<32>> SC_NAMED(raw_count_o);
  sc_core::sc_out<sc_dt::sc_uint<32>> SC_NAMED(error_count_o);

  /// `rows` is the RTL's parameter Rows.
  explicit gw_mx(const sc_core::sc_module_name& name, uint32_t rows = Mx::kDefaultRows)
      : BasicStreamPins(name), core_(rows) {}

 private:
  void rising_edge() override {
    if (!aresetn.read()) {
      core_.reset();
    } else {
      core_.configure({.format = static_cast<uint8_t>(format_i.read().to_uint()),
                       .up = scale_i.read(),
                       .residual = residual_i.read()});
      const Beat beat = sample_s_axis();
      core_.clock(s_axis_tvalid.read() ? &beat : nullptr, m_axis_tready.read());
    }
    s_axis_tready.write(core_.s_ready());
    drive_m_axis(core_.m_beat());
    raw_count_o.write(core_.raw_count());
    error_count_o.write(core_.error_count());
  }

  Mx core_;
};

}  // namespace gw::systemc
