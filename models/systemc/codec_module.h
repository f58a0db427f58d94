// A core as a pin-level sc_module: samples the pins on each rising edge, steps
// the core, drives the pins.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "models/systemc/axis_pins.h"
#include "models/systemc/group_codec.h"

namespace gw::systemc {

/// `Core` is Compressor or Decompressor.
template <typename Core>
class CodecModule : public CodecPins {
 protected:
  explicit CodecModule(const sc_core::sc_module_name& name) : CodecPins(name) {}

 private:
  void rising_edge() override {
    if (!aresetn.read()) {
      core_.reset();
    } else {
      configure();
      const Beat beat = sample_s_axis();
      core_.clock(s_axis_tvalid.read() ? &beat : nullptr, m_axis_tready.read());
    }
    s_axis_tready.write(core_.s_ready());
    drive_m_axis(core_.m_beat());
    error_count_o.write(core_.error_count());
  }

  /// The pins may hold anything, such as their value before reset, but with a packet's first beat.
  void configure() {
    const CodecConfig pins{.bound = static_cast<uint8_t>(bound_i.read().to_uint()),
                           .bounded = bounded_i.read()};
    if (pins == config_) return;
    if (pins.bound >= kMinBound && pins.bound <= kMaxBound) {
      core_.configure(pins);
      config_ = pins;
    } else if (s_axis_tvalid.read() && core_.begins_packet()) {
      SC_REPORT_ERROR(name(), "a packet's first beat comes while bound_i is not in 1..14");
    }
  }

  CodecConfig config_;
  Core core_{config_};
};

}  // namespace gw::systemc
