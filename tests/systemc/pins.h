// What the tests of pin-level modules share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <type_traits>

#include "models/axis/beat.h"

namespace gw::systemc {

/// Binds clock, reset and what every AXI4-Stream has to the signals of the same names in `wires`.
template <class Device, class Wires>
void bind_streams(Device& device, Wires& wires) {
  device.aclk(wires.aclk);
  device.aresetn(wires.aresetn);
  device.s_axis_tdata(wires.s_tdata);
  device.s_axis_tkeep(wires.s_tkeep);
  device.s_axis_tvalid(wires.s_tvalid);
  device.s_axis_tready(wires.s_tready);
  device.s_axis_tlast(wires.s_tlast);
  device.s_axis_tuser(wires.s_tuser);
  device.m_axis_tdata(wires.m_tdata);
  device.m_axis_tkeep(wires.m_tkeep);
  device.m_axis_tvalid(wires.m_tvalid);
  device.m_axis_tready(wires.m_tready);
  device.m_axis_tlast(wires.m_tlast);
}

/// A signal for every port of BasicStreamPins.
template <int kUserBits>
struct BasicStreamWires {
  using User = std::conditional_t<kUserBits == 1, bool, sc_dt::sc_uint<kUserBits>>;

  sc_core::sc_signal<bool> aclk{"aclk"}, aresetn{"aresetn"};
  sc_core::sc_signal<sc_dt::sc_bv<256>> s_tdata{"s_tdata"}, m_tdata{"m_tdata"};
  sc_core::sc_signal<sc_dt::sc_uint<32>> s_tkeep{"s_tkeep"}, m_tkeep{"m_tkeep"};
  sc_core::sc_signal<bool> s_tvalid{"s_tvalid"}, s_tready{"s_tready"}, s_tlast{"s_tlast"};
  sc_core::sc_signal<User> s_tuser{"s_tuser"};
  sc_core::sc_signal<bool> m_tvalid{"m_tvalid"}, m_tready{"m_tready"};
  sc_core::sc_signal<bool> m_tlast{"m_tlast"}, m_tuser{"m_tuser"};

  template <class Device>
  void bind(Device& device) {
    bind_streams(device, *this);
    device.m_axis_tuser(m_tuser);
  }

  Beat m_beat() const {
    Beat beat;
    for (int i = 0; i < kLanes; ++i) {
      beat.data[static_cast<size_t>(i)] = m_tdata.read().get_word(i);
    }
    beat.keep = m_tkeep.read().to_uint();
    beat.last = m_tlast.read();
    beat.user = m_tuser.read();
    return beat;
  }

  void drive_s(const Beat& beat) {
    sc_dt::sc_bv<256> data;
    for (int i = 0; i < kLanes; ++i) data.set_word(i, beat.data[static_cast<size_t>(i)]);
    s_tdata.write(data);
    s_tkeep.write(beat.keep);
    s_tlast.write(beat.last);
    if constexpr (kUserBits == 1) {
      s_tuser.write(beat.user);
    } else {
      s_tuser.write(beat.user_word() & ((~uint64_t{0}) >> (64 - kUserBits)));
    }
  }
};

/// Of StreamPins.
using StreamWires = BasicStreamWires<1>;

}  // namespace gw::systemc
