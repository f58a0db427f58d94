// gw_ring_nic: a node of the ring allreduce with pins and parameters named as the RTL's
// (docs/devices/ring_nic.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <systemc>

#include "models/systemc/axis_pins.h"
#include "models/systemc/ring/ring_nic.h"

namespace gw::systemc {

template <int SlotsLog2 = 7, int BeatsLog2 = 5, int AddLatency = 5, bool Subnormal = true,
          uint32_t First = 0>
class gw_ring_nic : public ClockedPins {
  static_assert(0 <= SlotsLog2 && SlotsLog2 <= 10 && 0 <= BeatsLog2 && BeatsLog2 <= 7);
  static_assert(1 <= AddLatency && AddLatency <= 12);

 public:
  static constexpr int kWindowBits = SlotsLog2 + 1;
  static constexpr int kStatBits = 32 * static_cast<int>(RingNic::kStatistics);
  using Data = sc_dt::sc_bv<512>;
  using Keep = sc_dt::sc_biguint<64>;

  sc_core::sc_in<sc_dt::sc_uint<8>> SC_NAMED(node_i);
  sc_core::sc_in<sc_dt::sc_uint<8>> SC_NAMED(nodes_i);
  sc_core::sc_in<sc_dt::sc_uint<16>> SC_NAMED(session_i);
  sc_core::sc_in<sc_dt::sc_uint<kWindowBits>> SC_NAMED(window_i);
  sc_core::sc_in<sc_dt::sc_uint<20>> SC_NAMED(timeout_i);

  sc_core::sc_in<Data> SC_NAMED(s_axis_host_tdata);
  sc_core::sc_in<Keep> SC_NAMED(s_axis_host_tkeep);
  sc_core::sc_in<bool> SC_NAMED(s_axis_host_tvalid);
  sc_core::sc_out<bool> SC_NAMED(s_axis_host_tready);
  sc_core::sc_in<bool> SC_NAMED(s_axis_host_tlast);

  sc_core::sc_in<Data> SC_NAMED(s_axis_left_tdata);
  sc_core::sc_in<Keep> SC_NAMED(s_axis_left_tkeep);
  sc_core::sc_in<bool> SC_NAMED(s_axis_left_tvalid);
  sc_core::sc_out<bool> SC_NAMED(s_axis_left_tready);
  sc_core::sc_in<bool> SC_NAMED(s_axis_left_tlast);
  sc_core::sc_in<bool> SC_NAMED(s_axis_left_tuser);

  sc_core::sc_in<Data> SC_NAMED(s_axis_right_tdata);
  sc_core::sc_in<Keep> SC_NAMED(s_axis_right_tkeep);
  sc_core::sc_in<bool> SC_NAMED(s_axis_right_tvalid);
  sc_core::sc_out<bool> SC_NAMED(s_axis_right_tready);
  sc_core::sc_in<bool> SC_NAMED(s_axis_right_tlast);
  sc_core::sc_in<bool> SC_NAMED(s_axis_right_tuser);

  sc_core::sc_out<Data> SC_NAMED(m_axis_host_tdata);
  sc_core::sc_out<Keep> SC_NAMED(m_axis_host_tkeep);
  sc_core::sc_out<bool> SC_NAMED(m_axis_host_tvalid);
  sc_core::sc_in<bool> SC_NAMED(m_axis_host_tready);
  sc_core::sc_out<bool> SC_NAMED(m_axis_host_tlast);

  sc_core::sc_out<Data> SC_NAMED(m_axis_left_tdata);
  sc_core::sc_out<Keep> SC_NAMED(m_axis_left_tkeep);
  sc_core::sc_out<bool> SC_NAMED(m_axis_left_tvalid);
  sc_core::sc_in<bool> SC_NAMED(m_axis_left_tready);
  sc_core::sc_out<bool> SC_NAMED(m_axis_left_tlast);

  sc_core::sc_out<Data> SC_NAMED(m_axis_right_tdata);
  sc_core::sc_out<Keep> SC_NAMED(m_axis_right_tkeep);
  sc_core::sc_out<bool> SC_NAMED(m_axis_right_tvalid);
  sc_core::sc_in<bool> SC_NAMED(m_axis_right_tready);
  sc_core::sc_out<bool> SC_NAMED(m_axis_right_tlast);

  sc_core::sc_out<sc_dt::sc_bv<kStatBits>> SC_NAMED(stat_o);
  sc_core::sc_out<sc_dt::sc_uint<5>> SC_NAMED(error_o);

  explicit gw_ring_nic(const sc_core::sc_module_name& name) : ClockedPins(name) {}

 private:
  using Beat = RingNic::Beat;

  static Beat sampled(const Data& data, const Keep& keep, bool last, bool user) {
    Beat beat;
    for (int i = 0; i < 16; ++i) beat.data[static_cast<size_t>(i)] = data.get_word(i);
    beat.keep = keep.to_uint64();
    beat.last = last;
    beat.user = user;
    return beat;
  }
  /// nullptr lowers tvalid and leaves the payload, then don't-care, as it was.
  static void drive(const Beat* beat, sc_core::sc_out<bool>& tvalid, sc_core::sc_out<Data>& tdata,
                    sc_core::sc_out<Keep>& tkeep, sc_core::sc_out<bool>& tlast) {
    tvalid.write(beat != nullptr);
    if (beat == nullptr) return;
    Data data;
    for (int i = 0; i < 16; ++i) data.set_word(i, beat->data[static_cast<size_t>(i)]);
    tdata.write(data);
    tkeep.write(Keep(beat->keep));
    tlast.write(beat->last != 0);
  }

  void rising_edge() override {
    if (!aresetn.read()) {
      core_.configure({.node = static_cast<uint8_t>(node_i.read().to_uint()),
                       .nodes = static_cast<uint8_t>(nodes_i.read().to_uint()),
                       .session = static_cast<uint16_t>(session_i.read().to_uint()),
                       .window = window_i.read().to_uint(),
                       .timeout = timeout_i.read().to_uint()});
      core_.reset(static_cast<uint32_t>(s_axis_left_tvalid.read()) << RingNic::kLeft |
                  static_cast<uint32_t>(s_axis_right_tvalid.read()) << RingNic::kRight);
    } else {
      const std::array<Beat, 3> beats = {
          sampled(s_axis_host_tdata.read(), s_axis_host_tkeep.read(), s_axis_host_tlast.read(),
                  false),
          sampled(s_axis_left_tdata.read(), s_axis_left_tkeep.read(), s_axis_left_tlast.read(),
                  s_axis_left_tuser.read()),
          sampled(s_axis_right_tdata.read(), s_axis_right_tkeep.read(), s_axis_right_tlast.read(),
                  s_axis_right_tuser.read())};
      core_.clock({s_axis_host_tvalid.read() ? &beats[0] : nullptr,
                   s_axis_left_tvalid.read() ? &beats[1] : nullptr,
                   s_axis_right_tvalid.read() ? &beats[2] : nullptr},
                  static_cast<uint32_t>(m_axis_host_tready.read()) << RingNic::kHost |
                      static_cast<uint32_t>(m_axis_left_tready.read()) << RingNic::kLeft |
                      static_cast<uint32_t>(m_axis_right_tready.read()) << RingNic::kRight);
    }
    const uint32_t ready = core_.s_ready();
    s_axis_host_tready.write((ready >> RingNic::kHost & 1) != 0);
    s_axis_left_tready.write((ready >> RingNic::kLeft & 1) != 0);
    s_axis_right_tready.write((ready >> RingNic::kRight & 1) != 0);
    drive(core_.m_beat(RingNic::kHost), m_axis_host_tvalid, m_axis_host_tdata, m_axis_host_tkeep,
          m_axis_host_tlast);
    drive(core_.m_beat(RingNic::kLeft), m_axis_left_tvalid, m_axis_left_tdata, m_axis_left_tkeep,
          m_axis_left_tlast);
    drive(core_.m_beat(RingNic::kRight), m_axis_right_tvalid, m_axis_right_tdata,
          m_axis_right_tkeep, m_axis_right_tlast);
    const std::span<const uint32_t> statistics = core_.statistics();
    sc_dt::sc_bv<kStatBits> words;
    for (size_t i = 0; i < statistics.size(); ++i) {
      words.set_word(static_cast<int>(i), statistics[i]);
    }
    stat_o.write(words);
    error_o.write(core_.error());
  }

  RingNic core_{{.slots_log2 = SlotsLog2,
                 .beats_log2 = BeatsLog2,
                 .add_latency = AddLatency,
                 .subnormal = Subnormal,
                 .first = First}};
};

}  // namespace gw::systemc
