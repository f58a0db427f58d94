// The optimizer switch's pin-level modules against their cores: every output pin in every cycle.
// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/frame_module.h"

#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "models/reference/optimizer/bit_exact.h"
#include "sim/base/random.h"
#include "testbenches/switch/traffic.h"
#include "tests/systemc/module_compare.h"
#include "tests/systemc/pins.h"

namespace gw::systemc::frame_module_test {
namespace {

constexpr int kCycles = 6000;

template <int kStreams, int kInUserBits, int kStatWords>
struct Wires {
  using Pins = FramePins<kStreams, kInUserBits, kStatWords>;
  template <int kBits>
  using Signal = sc_core::sc_signal<sc_dt::sc_bv<kBits>>;

  sc_core::sc_signal<bool> aclk, aresetn;
  Signal<256 * kStreams> s_tdata, m_tdata;
  Signal<32 * kStreams> s_tkeep, m_tkeep;
  Signal<kStreams> s_tvalid, s_tready, s_tlast, m_tvalid, m_tready, m_tlast;
  Signal<kInUserBits> s_tuser;
  Signal<32 * kStatWords> stat;

  void bind(Pins& device) {
    bind_streams(device, *this);
    device.stat_o(stat);
  }
  void half_cycle(bool high) {
    aclk.write(high);
    sc_core::sc_start(5, sc_core::SC_NS);
  }
  void expect_payload(int stream, const Beat& beat) const {
    for (int i = 0; i < kLanes; ++i) {
      ASSERT_EQ(m_tdata.read().get_word(kLanes * stream + i), beat.data[static_cast<size_t>(i)]);
    }
    ASSERT_EQ(m_tkeep.read().get_word(stream), beat.keep);
    ASSERT_EQ(m_tlast.read()[stream].to_bool(), beat.last != 0);
  }
  void expect_statistics(std::span<const uint32_t> words) const {
    ASSERT_EQ(words.size(), static_cast<size_t>(kStatWords));
    for (int i = 0; i < kStatWords; ++i) {
      ASSERT_EQ(stat.read().get_word(i), words[static_cast<size_t>(i)]) << "counter " << i;
    }
  }
};

struct Configuration {
  sc_core::sc_signal<sc_dt::sc_uint<5>> workers;
  sc_core::sc_signal<sc_dt::sc_uint<16>> group;
  sc_core::sc_signal<sc_dt::sc_uint<11>> depth;
  AggregationConfig values{.workers = 3, .group = 1, .depth = 64};

  void bind(AggregationPins& pins) {
    pins.workers_i(workers);
    pins.group_i(group);
    pins.depth_i(depth);
    workers.write(values.workers);
    group.write(values.group);
    depth.write(values.depth);
  }
};

struct Host {
  sc_core::sc_signal<bool> valid;
  sc_core::sc_signal<sc_dt::sc_uint<32>> address, data;
  std::deque<std::pair<uint32_t, uint32_t>> writes;

  Host() {
    writes.emplace_back(0, 0x3DCC'CCCD);  // lr = 0.1
    for (uint32_t i = 0; i < 64; ++i) writes.emplace_back(0x8000'0000 | i, 0x3F80'0000 + i);
  }
  void bind(HostPins& pins) {
    pins.cfg_valid_i(valid);
    pins.cfg_address_i(address);
    pins.cfg_data_i(data);
  }
  /// The write of this cycle, also to the core.
  template <class Core>
  void drive(Core& core) {
    valid.write(!writes.empty());
    if (writes.empty()) return;
    address.write(writes.front().first);
    data.write(writes.front().second);
    core.write(writes.front().first, writes.front().second);
    writes.pop_front();
  }
};

/// Frames of all kinds as beats, by port.
std::array<std::deque<Beat>, Switch::kPorts> beats_of_traffic() {
  testbenches::TrafficOptions options;
  options.workers = 3;
  options.group = 1;
  options.sequences = 16;
  options.iterations = 8;
  options.malformed = options.foreign = options.duplicate = 10;
  std::array<std::deque<Beat>, Switch::kPorts> ports;
  for (const sim::Frame& frame : testbenches::synthesise_frames("workers", 5, 0, options).frames) {
    for (size_t at = 0; at < frame.bytes.size(); at += kBeatBytes) {
      const size_t n = std::min<size_t>(kBeatBytes, frame.bytes.size() - at);
      Beat beat;
      std::memcpy(beat.data.data(), frame.bytes.data() + at, n);
      beat.keep = keep_of_bytes(static_cast<int>(n));
      beat.last = at + n == frame.bytes.size();
      beat.meta[0] = static_cast<uint32_t>(frame.port);
      ports[static_cast<size_t>(frame.port)].push_back(beat);
    }
  }
  return ports;
}

/// `before` drives what else there is, to the pins and the core; `in_reset` does what a reset edge
/// does to the core.
template <class Module, class Core, int kStatWords>
void compare_stream(Module& module, Core& core, Wires<1, 2, kStatWords>& wires,
                    const std::function<void()>& in_reset, const std::function<void()>& before) {
  typename Wires<1, 2, kStatWords>::template Signal<192> m_tuser;
  wires.bind(module);
  module.m_axis_tuser(m_tuser);
  std::deque<Beat> source;
  for (std::deque<Beat>& port : beats_of_traffic()) {
    source.insert(source.end(), port.begin(), port.end());
  }
  const std::deque<Beat> all = source;
  sim::Random random(3);
  bool offering = false;
  size_t left = 0;
  for (int cycle = 0; cycle < kCycles; ++cycle) {
    const bool reset = cycle < 3 || cycle == kCycles / 2;
    if (cycle == kCycles / 2) source = all;
    // The host has written when frames come.
    offering = !reset && !source.empty() && cycle > 1200 && (offering || random.below(4) != 0);
    const bool m_ready = random.below(3) != 0;
    wires.aresetn.write(!reset);
    const Beat s = source.empty() ? Beat{} : source.front();
    sc_dt::sc_bv<256> data;
    for (int i = 0; i < kLanes; ++i) data.set_word(i, s.data[static_cast<size_t>(i)]);
    wires.s_tdata.write(data);
    wires.s_tkeep.write(s.keep);
    wires.s_tlast.write(s.last);
    wires.s_tuser.write(s.meta[0]);
    wires.s_tvalid.write(offering);
    wires.m_tready.write(m_ready);
    before();
    wires.half_cycle(false);
    if (cycle > 0) {
      ASSERT_EQ(wires.s_tready.read()[0].to_bool(), core.s_ready()) << "cycle " << cycle;
      ASSERT_EQ(wires.m_tvalid.read()[0].to_bool(), core.m_beat() != nullptr) << "cycle " << cycle;
      if (const Beat* m = core.m_beat()) {
        wires.expect_payload(0, *m);
        for (int i = 0; i < 6; ++i) {
          ASSERT_EQ(m_tuser.read().get_word(i), m->meta[static_cast<size_t>(i)])
              << "cycle " << cycle;
        }
        left += m_ready;
      }
      wires.expect_statistics(core.statistics());
      if (testing::Test::HasFatalFailure()) return;
    }
    const bool accept = offering && core.s_ready();
    if (reset) {
      in_reset();
    } else {
      core.clock(offering ? &s : nullptr, m_ready);
    }
    wires.half_cycle(true);
    if (accept) {
      source.pop_front();
      offering = false;
    }
    if (reset) offering = false;
  }
  EXPECT_GT(left, 2000u);
}

TEST(FrameModule, ParserEqualsCore) {
  Wires<1, 2, 12> wires;
  gw_parser module("dut");
  Parser core;
  compare_stream(
      module, core, wires, [&] { core.reset(); }, [] {});
}

TEST(FrameModule, AggregatorEqualsCore) {
  Wires<1, 2, 22> wires;
  gw_aggregator module("dut");
  Configuration configuration;
  configuration.bind(module);
  Aggregator core;
  compare_stream(
      module, core, wires, [&] { core.configure(configuration.values); }, [] {});
}

TEST(FrameModule, OptimizerEqualsCore) {
  Wires<1, 2, 16> wires;
  OptimizerConfig config;
  config.algorithm = Algorithm::kAdam;
  config.latency = 137;
  gw_optimizer module("dut", config);
  Host host;
  host.bind(module);
  Optimizer core;
  core.configure(config, {});
  compare_stream(
      module, core, wires, [&] { core.reset(); }, [&] { host.drive(core); });
}

/// What the modules pass on must do what configure() does, which is compared with the RTL.
TEST(FrameModule, HostsWritesConfigureTheOptimizer) {
  namespace optimizer = reference::optimizer;
  OptimizerConfig config;
  config.latency = 21;
  config.depth_log2 = 4;
  std::vector<uint32_t> theta(size_t{32} << config.depth_log2);
  for (uint32_t i = 0; i < theta.size(); ++i) theta[i] = 0x3E00'0000 + 0x1234 * i;
  for (const auto algorithm : {Algorithm::kSgd, Algorithm::kAdam, Algorithm::kSmorms3}) {
    config.algorithm = algorithm;
    Optimizer configured, written;
    config.lr = 0.25f, config.eps = 1e-3f, config.beta1 = 0.5f, config.beta2 = 0.75f;
    configured.configure(config, theta);
    const auto reference_algorithm = static_cast<optimizer::Algorithm>(algorithm);
    const optimizer::Registers registers(
        {.lr = config.lr, .eps = config.eps, .beta1 = config.beta1, .beta2 = config.beta2},
        reference::fp::Subnormal::kFlush);
    config.lr = config.eps = config.beta1 = config.beta2 = 0.125f;
    written.configure(config, {});
    using enum optimizer::Source;
    uint32_t address = 0;
    for (const auto source : {kLr, kEps, kBeta1, kBeta2, kOneMinusBeta1, kOneMinusBeta2, kBias}) {
      written.write(address++, registers[source]);
    }
    const auto cell = optimizer::first_cell(reference_algorithm, 0, registers);
    for (uint32_t bank = 0; bank <= optimizer::graph_of(reference_algorithm).states(); ++bank) {
      for (uint32_t p = 0; p < theta.size(); ++p) {
        written.write(1u << 31 | bank << 28 | p, bank == 0 ? theta[p] : cell.state[bank - 1]);
      }
    }
    size_t left = 0;
    for (const std::deque<Beat>& port : beats_of_traffic()) {
      for (size_t at = 0; at < port.size();) {
        const Beat* const m = configured.m_beat();
        ASSERT_EQ(m != nullptr, written.m_beat() != nullptr);
        if (m != nullptr) {
          ASSERT_EQ(*m, *written.m_beat())
              << "beat " << left << " of algorithm " << static_cast<int>(algorithm);
        }
        left += m != nullptr;
        const bool taken = configured.s_ready();
        configured.clock(&port[at], true);
        written.clock(&port[at], true);
        at += taken;
      }
    }
    EXPECT_GT(left, 1000u);
  }
}

TEST(FrameModule, SwitchEqualsCore) {
  constexpr int kPorts = Switch::kPorts;
  Wires<kPorts, kPorts, 44> wires;
  gw_switch module("dut");
  wires.bind(module);
  Configuration configuration;
  configuration.bind(module);
  Host host;
  host.bind(module);
  Wires<kPorts, kPorts, 44>::Signal<19> event;
  module.event_o(event);
  Switch core;
  core.configure({}, {}, {});
  auto sources = beats_of_traffic();
  sim::Random random(4);
  std::array<bool, kPorts> offering{};
  size_t left = 0;
  for (int cycle = 0; cycle < kCycles; ++cycle) {
    const bool reset = cycle < 3;
    wires.aresetn.write(!reset);
    sc_dt::sc_bv<256 * kPorts> data;
    sc_dt::sc_bv<32 * kPorts> keep;
    sc_dt::sc_bv<kPorts> valid, last, user, ready;
    std::array<const Beat*, kPorts> offered{};
    for (int port = 0; port < kPorts; ++port) {
      std::deque<Beat>& source = sources[static_cast<size_t>(port)];
      bool& offers = offering[static_cast<size_t>(port)];
      offers = !reset && !source.empty() && cycle > 1200 && (offers || random.below(4) != 0);
      ready[port] = random.below(3) != 0;
      if (!offers) continue;
      Beat& beat = source.front();
      beat.meta = {};
      for (int i = 0; i < kLanes; ++i) {
        data.set_word(kLanes * port + i, beat.data[static_cast<size_t>(i)]);
      }
      keep.set_word(port, beat.keep);
      last[port] = beat.last != 0;
      valid[port] = true;
      offered[static_cast<size_t>(port)] = &beat;
    }
    wires.s_tdata.write(data);
    wires.s_tkeep.write(keep);
    wires.s_tlast.write(last);
    wires.s_tuser.write(user);
    wires.s_tvalid.write(valid);
    wires.m_tready.write(ready);
    host.drive(core);
    wires.half_cycle(false);
    if (cycle > 0) {
      for (int port = 0; port < kPorts; ++port) {
        const Beat* const m = core.m_beat(port);
        ASSERT_EQ(wires.s_tready.read()[port].to_bool(), core.s_ready(port)) << "cycle " << cycle;
        ASSERT_EQ(wires.m_tvalid.read()[port].to_bool(), m != nullptr) << "cycle " << cycle;
        if (m != nullptr) wires.expect_payload(port, *m);
        left += m != nullptr && ready[port].to_bool();
      }
      ASSERT_EQ(event.read().to_uint(), core.events()) << "cycle " << cycle;
      wires.expect_statistics(core.statistics());
      if (HasFatalFailure()) return;
    }
    std::array<bool, kPorts> accepted{};
    for (int port = 0; port < kPorts; ++port) {
      accepted[static_cast<size_t>(port)] =
          offered[static_cast<size_t>(port)] != nullptr && core.s_ready(port);
    }
    if (reset) {
      core.configure(configuration.values);
    } else {
      core.clock(offered, ready.to_uint());
    }
    wires.half_cycle(true);
    for (size_t port = 0; port < kPorts; ++port) {
      if (!accepted[port]) continue;
      sources[port].pop_front();
      offering[port] = false;
    }
  }
  EXPECT_GT(left, 2000u);
}

TEST(FrameModule, PortsAreNamedAsTheRtls) {
  const std::set<std::string> expected = {
      "aclk",          "aresetn",       "workers_i",     "group_i",      "depth_i",
      "cfg_valid_i",   "cfg_address_i", "cfg_data_i",    "s_axis_tdata", "s_axis_tkeep",
      "s_axis_tvalid", "s_axis_tready", "s_axis_tlast",  "s_axis_tuser", "m_axis_tdata",
      "m_axis_tkeep",  "m_axis_tvalid", "m_axis_tready", "m_axis_tlast", "event_o",
      "stat_o"};
  EXPECT_EQ(port_names<gw_switch>(), expected);
}

}  // namespace
}  // namespace gw::systemc::frame_module_test
