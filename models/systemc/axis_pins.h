// What pin-level devices share: the clock, streams, and the ports of the codec devices, named as
// the RTL's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <systemc>
#include <type_traits>

#include "models/axis/beat.h"

namespace gw::systemc {

/// Base of a pin-level device: rising_edge() is called at each rising edge of aclk.
class ClockedPins : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> SC_NAMED(aclk);
  sc_core::sc_in<bool> SC_NAMED(aresetn);

 protected:
  explicit ClockedPins(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_HAS_PROCESS(ClockedPins);
    SC_METHOD(edge);
    sensitive << aclk.pos();
    dont_initialize();
  }
  virtual void rising_edge() = 0;

 private:
  void edge() { rising_edge(); }
};

/// A device with one AXI4-Stream in and one out. s_axis_tuser has kUserBits, 1 to 64: one is
/// Beat::user, more are Beat::user_word(); m_axis_tuser has one.
template <int kUserBits>
class BasicStreamPins : public ClockedPins {
  static_assert(1 <= kUserBits && kUserBits <= 64);

 public:
  using User = std::conditional_t<kUserBits == 1, bool, sc_dt::sc_uint<kUserBits>>;

  sc_core::sc_in<sc_dt::sc_bv<256>> SC_NAMED(s_axis_tdata);
  sc_core::sc_in<sc_dt::sc_uint<32>> SC_NAMED(s_axis_tkeep);
  sc_core::sc_in<bool> SC_NAMED(s_axis_tvalid);
  sc_core::sc_out<bool> SC_NAMED(s_axis_tready);
  sc_core::sc_in<bool> SC_NAMED(s_axis_tlast);
  sc_core::sc_in<User> SC_NAMED(s_axis_tuser);

  sc_core::sc_out<sc_dt::sc_bv<256>> SC_NAMED(m_axis_tdata);
  sc_core::sc_out<sc_dt::sc_uint<32>> SC_NAMED(m_axis_tkeep);
  sc_core::sc_out<bool> SC_NAMED(m_axis_tvalid);
  sc_core::sc_in<bool> SC_NAMED(m_axis_tready);
  sc_core::sc_out<bool> SC_NAMED(m_axis_tlast);
  sc_core::sc_out<bool> SC_NAMED(m_axis_tuser);

 protected:
  explicit BasicStreamPins(const sc_core::sc_module_name& name) : ClockedPins(name) {}

  Beat sample_s_axis() const {
    Beat beat;
    const sc_dt::sc_bv<256>& data = s_axis_tdata.read();
    for (int i = 0; i < kLanes; ++i) beat.data[i] = data.get_word(i);
    beat.keep = s_axis_tkeep.read().to_uint();
    beat.last = s_axis_tlast.read();
    if constexpr (kUserBits == 1) {
      beat.user = s_axis_tuser.read();
    } else {
      beat.set_user_word(s_axis_tuser.read().to_uint64());
    }
    return beat;
  }

  /// nullptr lowers tvalid and leaves the payload, then don't-care, as it was.
  void drive_m_axis(const Beat* beat) {
    m_axis_tvalid.write(beat != nullptr);
    if (beat == nullptr) return;
    sc_dt::sc_bv<256> data;
    for (int i = 0; i < kLanes; ++i) data.set_word(i, beat->data[i]);
    m_axis_tdata.write(data);
    m_axis_tkeep.write(beat->keep);
    m_axis_tlast.write(beat->last != 0);
    m_axis_tuser.write(beat->user != 0);
  }
};

/// The usual one: tuser says that the packet is in error.
using StreamPins = BasicStreamPins<1>;

/// A codec device: the streams, codec register, error counter.
class CodecPins : public StreamPins {
 public:
  sc_core::sc_in<sc_dt::sc_uint<4>> SC_NAMED(bound_i);
  sc_core::sc_in<bool> SC_NAMED(bounded_i);

  sc_core::sc_out<sc_dt::sc_uint<32>> SC_NAMED(error_count_o);

 protected:
  explicit CodecPins(const sc_core::sc_module_name& name) : StreamPins(name) {}
};

}  // namespace gw::systemc
