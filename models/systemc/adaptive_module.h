// gw_adaptive: the adaptive quantiser with pins named as the RTL's (docs/devices/adaptive.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/systemc/adaptive.h"
#include "models/systemc/axis_pins.h"

namespace gw::systemc {

class gw_adaptive : public BasicStreamPins<53> {
 public:
  sc_core::sc_in<sc_dt::sc_uint<4>> SC_NAMED(p_i);
  sc_core::sc_in<bool> SC_NAMED(coding_i);
  sc_core::sc_in<bool> SC_NAMED(residual_i);

  sc_core::sc_out<sc_dt::sc_uint<32>> SC_NAMED(raw_count_o);
  sc_core::sc_out<sc_dt::sc_uint<32>> SC_NAMED(error_count_o);

  /// `rows` is the RTL's parameter Rows.
  explicit gw_adaptive(const sc_core::sc_module_name& name, uint32_t rows = Adaptive::kDefaultRows)
      : BasicStreamPins(name), core_(rows) {}

 private:
  void rising_edge() override {
    if (!aresetn.read()) {
      core_.reset();
    } else {
      core_.configure({.p = static_cast<uint8_t>(p_i.read().to_uint()),
                       .rice = coding_i.read(),
                       .residual = residual_i.read()});
      const Beat beat = sample_s_axis();
      core_.clock(s_axis_tvalid.read() ? &beat : nullptr, m_axis_tready.read());
    }
    s_axis_tready.write(core_.s_ready());
    drive_m_axis(core_.m_beat());
    raw_count_o.write(core_.raw_count());
    error_count_o.write(core_.error_count());
  }

  Adaptive core_;
};

}  // namespace gw::systemc
