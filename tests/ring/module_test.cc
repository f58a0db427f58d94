// gw_ring_nic as an sc_module against its core: every output pin in every cycle, under random
// frames, chunks, stalls and resets.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "models/reference/ring/frame.h"
#include "models/systemc/ring/ring_nic_module.h"
#include "sim/base/random.h"
#include "sim/harness/packet.h"

namespace gw::systemc::ring_module_test {
namespace {

namespace ring = gw::reference::ring;
using Beat = RingNic::Beat;
using Module = gw_ring_nic<2, 1, 3, false, 0xFFFFFFFEu>;

template <class T>
using Wire = sc_core::sc_signal<T>;

/// A stream's pins.
struct StreamWires {
  Wire<Module::Data> data;
  Wire<Module::Keep> keep;
  Wire<bool> valid, ready, last, user;

  void drive(const Beat* beat) {
    valid.write(beat != nullptr);
    if (beat == nullptr) return;
    Module::Data words;
    for (int i = 0; i < 16; ++i) words.set_word(i, beat->data[static_cast<size_t>(i)]);
    data.write(words);
    keep.write(Module::Keep(beat->keep));
    last.write(beat->last != 0);
    user.write(beat->user != 0);
  }
  bool shows(const Beat& beat) const {
    for (int i = 0; i < 16; ++i) {
      if (data.read().get_word(i) != beat.data[static_cast<size_t>(i)]) return false;
    }
    return keep.read().to_uint64() == beat.keep && last.read() == (beat.last != 0);
  }
};

struct Wires {
  Wire<bool> aclk, aresetn;
  Wire<sc_dt::sc_uint<8>> node, nodes;
  Wire<sc_dt::sc_uint<16>> session;
  Wire<sc_dt::sc_uint<3>> window;
  Wire<sc_dt::sc_uint<20>> timeout;
  std::array<StreamWires, 3> s, m;
  Wire<sc_dt::sc_bv<Module::kStatBits>> stat;
  Wire<sc_dt::sc_uint<5>> error;

  void bind(Module& d) {
    d.aclk(aclk), d.aresetn(aresetn), d.node_i(node), d.nodes_i(nodes), d.session_i(session);
    d.window_i(window), d.timeout_i(timeout), d.stat_o(stat), d.error_o(error);
    d.s_axis_host_tdata(s[0].data), d.s_axis_host_tkeep(s[0].keep);
    d.s_axis_host_tvalid(s[0].valid), d.s_axis_host_tready(s[0].ready);
    d.s_axis_host_tlast(s[0].last);
    d.s_axis_left_tdata(s[1].data), d.s_axis_left_tkeep(s[1].keep);
    d.s_axis_left_tvalid(s[1].valid), d.s_axis_left_tready(s[1].ready);
    d.s_axis_left_tlast(s[1].last), d.s_axis_left_tuser(s[1].user);
    d.s_axis_right_tdata(s[2].data), d.s_axis_right_tkeep(s[2].keep);
    d.s_axis_right_tvalid(s[2].valid), d.s_axis_right_tready(s[2].ready);
    d.s_axis_right_tlast(s[2].last), d.s_axis_right_tuser(s[2].user);
    d.m_axis_host_tdata(m[0].data), d.m_axis_host_tkeep(m[0].keep);
    d.m_axis_host_tvalid(m[0].valid), d.m_axis_host_tready(m[0].ready);
    d.m_axis_host_tlast(m[0].last);
    d.m_axis_left_tdata(m[1].data), d.m_axis_left_tkeep(m[1].keep);
    d.m_axis_left_tvalid(m[1].valid), d.m_axis_left_tready(m[1].ready);
    d.m_axis_left_tlast(m[1].last);
    d.m_axis_right_tdata(m[2].data), d.m_axis_right_tkeep(m[2].keep);
    d.m_axis_right_tvalid(m[2].valid), d.m_axis_right_tready(m[2].ready);
    d.m_axis_right_tlast(m[2].last);
  }
};

// Node 1 of three: all of its sides are used. Its neighbours are drawn, but mostly say the next
// chunk, so that sums and results go on.
TEST(RingModule, EqualsCore) {
  Wires wires;
  Module module("dut");
  wires.bind(module);
  const RingBuild build{
      .slots_log2 = 2, .beats_log2 = 1, .add_latency = 3, .subnormal = false, .first = 0xFFFF'FFFE};
  RingPins pins{.node = 1, .nodes = 3, .session = 7, .window = 3, .timeout = 50};
  RingNic core(build, pins);
  sim::Random random(11);
  std::array<std::deque<Beat>, 3> in;
  uint32_t resetting = 70;
  uint64_t results = 0, errors = 0;
  const auto length = [&](uint32_t number) { return 4 * (1 + number * 7 % 32); };
  const auto payload = [&](uint32_t number) {
    ring::Bytes bytes(length(number));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.next());
    return bytes;
  };
  for (int c = 0; c < 30000 && !HasFailure(); ++c) {
    const RingNic::Counters now = core.counters();
    for (size_t side = 0; side < 3; ++side) {
      if (!in[side].empty() || random.below(side == 0 ? 4 : 12) != 0) continue;
      std::vector<Beat> beats;
      if (side == RingNic::kHost) {
        sim::append_beats(beats, payload(now.loading));
      } else {
        const RingNic::Counters::Link& link = now.link[side];
        const uint32_t full = side == RingNic::kLeft ? now.limit : link.top;
        const bool data = link.expect != full && random.below(3) != 0;
        const uint32_t number = link.expect - (random.below(8) == 0 ? 1 : 0);
        ring::Frame frame{.session = pins.session,
                          .answer_wanted = random.below(4) == 0,
                          .ack = link.acked + random.below(link.top - link.acked + 1)};
        if (data) {
          frame.type = side == RingNic::kLeft ? ring::Type::kAgg : ring::Type::kBcast;
          frame.addends = side == RingNic::kLeft ? 1 : 3;
          frame.chunk = number;
          frame.payload = payload(number);
        }
        if (random.below(40) == 0) ++frame.session;
        sim::append_beats(beats, ring::encode(frame), random.below(20) == 0);
      }
      in[side].assign(beats.begin(), beats.end());
    }
    uint32_t m_ready = 0;
    std::array<const Beat*, 3> s{};
    for (size_t side = 0; side < 3; ++side) {
      m_ready |= static_cast<uint32_t>(random.below(4) != 0) << side;
      if (!in[side].empty() && (side == 0 || random.below(8) != 0)) s[side] = &in[side].front();
    }
    wires.aclk.write(false);
    wires.aresetn.write(resetting == 0);
    wires.node.write(pins.node);
    wires.nodes.write(pins.nodes);
    wires.session.write(pins.session);
    wires.window.write(pins.window);
    wires.timeout.write(pins.timeout);
    for (size_t side = 0; side < 3; ++side) {
      wires.s[side].drive(s[side]);
      wires.m[side].ready.write((m_ready >> side & 1) != 0);
    }
    sc_core::sc_start(2, sc_core::SC_NS);

    if (c > 0) {  // in cycle 0 no edge has come yet
      for (size_t side = 0; side < 3; ++side) {
        ASSERT_EQ(wires.s[side].ready.read(), (core.s_ready() >> side & 1) != 0) << c;
        const Beat* const beat = core.m_beat(side);
        ASSERT_EQ(wires.m[side].valid.read(), beat != nullptr) << c;
        if (beat != nullptr) ASSERT_TRUE(wires.m[side].shows(*beat)) << c << " " << side;
      }
      for (size_t i = 0; i < RingNic::kStatistics; ++i) {
        ASSERT_EQ(wires.stat.read().get_word(static_cast<int>(i)), core.statistics()[i]) << c;
      }
      ASSERT_EQ(wires.error.read().to_uint(), core.error()) << c;
    }

    const bool accept = s[0] != nullptr && (core.s_ready() & 1) != 0 && resetting == 0;
    if (resetting > 0) {
      core.configure(pins);
      core.reset(static_cast<uint32_t>(s[1] != nullptr) << 1 |
                 static_cast<uint32_t>(s[2] != nullptr) << 2);
      --resetting;
    } else {
      core.clock(s, m_ready);
    }
    wires.aclk.write(true);
    sc_core::sc_start(2, sc_core::SC_NS);

    if (accept) in[0].pop_front();
    for (const size_t side : {1, 2}) {
      if (s[side] != nullptr) in[side].pop_front();
    }
    results += core.statistics()[RingNic::kResults] != 0;
    errors += core.error() != 0;
    if (resetting == 0 &&
        (random.below(700) == 0 || (core.error() != 0 && random.below(50) == 0))) {
      resetting = 1 + random.below(80);
      ++pins.session;
      in[0].clear();
    }
  }
  EXPECT_GT(results, 5000u);
  EXPECT_GT(errors, 100u);
}

TEST(RingModule, PortsAreNamedAsTheRtls) {
  Module module("dut");
  std::set<std::string> names;
  for (const sc_core::sc_object* child : module.get_child_objects()) {
    if (dynamic_cast<const sc_core::sc_port_base*>(child)) names.insert(child->basename());
  }
  std::set<std::string> expected = {"aclk",     "aresetn",   "node_i", "nodes_i", "session_i",
                                    "window_i", "timeout_i", "stat_o", "error_o"};
  for (const char* stream : {"s_axis_host", "s_axis_left", "s_axis_right", "m_axis_host",
                             "m_axis_left", "m_axis_right"}) {
    for (const char* pin : {"tdata", "tkeep", "tvalid", "tready", "tlast"}) {
      expected.insert(std::string(stream) + "_" + pin);
    }
  }
  expected.insert({"s_axis_left_tuser", "s_axis_right_tuser"});
  EXPECT_EQ(names, expected);
}

}  // namespace
}  // namespace gw::systemc::ring_module_test
