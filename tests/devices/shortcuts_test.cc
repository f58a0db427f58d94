// What saves time by knowing Verilator's generated code (cmake/VerilatorInternals.cmake) against
// the same RTL as Verilator wrote it, clocked by documented calls: every output, every cycle.
#include "testbenches/common/falling_edge.h"
//
#include <Vgw_aggregator.h>
#include <Vgw_aggregator___024root.h>
#include <Vgw_aggregator_unedited.h>
#include <Vgw_compressor.h>
#include <Vgw_compressor___024root.h>
#include <Vgw_decompressor.h>
#include <Vgw_decompressor___024root.h>
#include <Vgw_optimizer_adam_4_pipelined_fast.h>
#include <Vgw_optimizer_adam_4_pipelined_fast___024root.h>
#include <Vgw_optimizer_adam_unedited.h>
#include <Vgw_optimizer_smorms3_1_iterative_fast.h>
#include <Vgw_optimizer_smorms3_1_iterative_fast___024root.h>
#include <Vgw_optimizer_smorms3_unedited.h>
#include <Vgw_parser.h>
#include <Vgw_parser___024root.h>
#include <Vgw_switch_adam_4_pipelined_fast.h>
#include <Vgw_switch_adam_4_pipelined_fast___024root.h>
#include <Vgw_switch_adam_unedited.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "models/reference/codec.h"
#include "sim/traffic.h"
#include "testbenches/common/network_pins.h"
#include "tests/devices/support.h"

namespace gw::tests {
namespace {

template <class V>
constexpr size_t kPortsOf = requires(V& v) {
  v.event_o;
}
? 4 : 1;

/// A top and its clock, with the shortcut or without.
template <class V, bool kShortcut>
class Half {
 public:
  static constexpr size_t kPorts = kPortsOf<V>;

  Half() : top_(&context_) {
    top_.aclk = 0;
    top_.aresetn = 0;
    top_.s_axis_tvalid = 0;
    top_.m_axis_tready = 0;
    top_.eval();
  }
  ~Half() { top_.final(); }

  V& top() { return top_; }
  void edge() {
    top_.aclk = 1;
    top_.eval();
    if constexpr (kShortcut) {
      testbenches::falling_edge(top_);
    } else {
      top_.aclk = 0;
      top_.eval();
    }
  }
  void idle() {
    top_.aresetn = 1;
    top_.s_axis_tvalid = 0;
    top_.m_axis_tready = 0;
    edge();
  }
  void drive(const std::array<const Beat*, kPorts>& s, unsigned m_ready) {
    unsigned valid = 0, last = 0, user = 0;
    for (size_t p = 0; p < kPorts; ++p) {
      if (s[p] == nullptr) continue;
      valid |= 1u << p;
      last |= static_cast<unsigned>(s[p]->last) << p;
      user |= static_cast<unsigned>(s[p]->user) << p;
      std::memcpy(&top_.s_axis_tdata[8 * p], s[p]->data.data(), kBeatBytes);
      if constexpr (kPorts == 1) {
        top_.s_axis_tkeep = s[p]->keep;
      } else {
        top_.s_axis_tkeep[p] = s[p]->keep;
      }
    }
    top_.s_axis_tvalid = static_cast<uint8_t>(valid);
    top_.s_axis_tlast = static_cast<uint8_t>(last);
    top_.s_axis_tuser = static_cast<uint8_t>(user);
    top_.m_axis_tready = static_cast<uint8_t>(m_ready);
    edge();
  }

 private:
  VerilatedContext context_;
  V top_;
};

template <class A, class B>
bool same(const A& a, const B& b) {
  static_assert(sizeof a == sizeof b);
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// The first output that differs; nullptr if none does.
template <class A, class B>
const char* difference(const A& a, const B& b) {
#define GW_COMPARE(port)                     \
  if constexpr (requires { a.port; }) {      \
    if (!same(a.port, b.port)) return #port; \
  }
  GW_COMPARE(s_axis_tready)
  GW_COMPARE(m_axis_tvalid)
  GW_COMPARE(m_axis_tdata)
  GW_COMPARE(m_axis_tkeep)
  GW_COMPARE(m_axis_tlast)
  GW_COMPARE(m_axis_tuser)
  GW_COMPARE(error_count_o)
  GW_COMPARE(event_o)
  GW_COMPARE(stat_o)
#undef GW_COMPARE
  return nullptr;
}

/// Drives both with the same beats, stalled at random, and compares all outputs in every cycle,
/// payloads that are not valid too. Set up by what a callable does with each.
template <class V, class Unedited, class SetUp>
void compare(const std::array<sim::BeatStream, kPortsOf<V>>& input, SetUp&& set_up) {
  constexpr size_t kPorts = kPortsOf<V>;
  Half<V, true> a;
  Half<Unedited, false> b;
  a.edge();
  b.edge();
  set_up(a);
  set_up(b);
  a.idle();
  b.idle();
  sim::Random random(seed());
  std::array<size_t, kPorts> next{};
  uint64_t out = 0;
  for (int cycle = 0; cycle < 40'000; ++cycle) {
    const char* const port = difference(a.top(), b.top());
    ASSERT_EQ(port, nullptr) << "cycle " << cycle << ": " << port;
    std::array<const Beat*, kPorts> s{};
    for (size_t p = 0; p < kPorts; ++p) {
      if (next[p] >= input[p].beats.size() || random.below(100) < 10) continue;
      s[p] = &input[p].beats[next[p]];
      next[p] += a.top().s_axis_tready >> p & 1;
    }
    const auto ready = static_cast<unsigned>(random.next() | random.next()) & ((1u << kPorts) - 1);
    out += (a.top().m_axis_tvalid & ready) != 0;
    a.drive(s, ready);
    b.drive(s, ready);
  }
  for (size_t p = 0; p < kPorts; ++p) EXPECT_GT(next[p], 40u) << p;
  EXPECT_GT(out, 40u);  // one iterative PE needs thousands of cycles for a frame
}

template <size_t kPorts>
std::array<sim::BeatStream, kPorts> frames() {
  std::array<sim::BeatStream, kPorts> streams;
  for (const char* kind : {"workers", "anything", "workers"}) {
    for (const sim::Frame& frame : sim::synthesise_frames(kind, seed(), 0, {}).frames) {
      streams[kPorts == 1 ? 0 : static_cast<size_t>(frame.port)].append_bytes(frame.bytes);
    }
  }
  return streams;
}

constexpr auto kAsItIs = [](auto&) {};

sim::RunSpec spec_of(reference::optimizer::Algorithm algorithm) {
  sim::RunSpec spec;
  spec.seed = seed();
  spec.network.algorithm = algorithm;
  return spec;
}

/// Clears the slots, writes the parameters.
struct Network {
  sim::RunSpec spec;
  void operator()(auto& half) const {
    if constexpr (requires { half.top().workers_i; }) {
      testbenches::set_aggregator_pins(half.top(), spec);
      testbenches::clear_slots(half);
    }
    if constexpr (requires { half.top().cfg_valid_i; }) testbenches::load_optimizer(half, spec);
  }
};

TEST(Shortcuts, CodecIsClockedAsDocumented) {
  sim::Random random(seed());
  std::array<sim::BeatStream, 1> plain, encoded;
  for (size_t packet = 0; packet < 400; ++packet) {
    const std::vector<uint32_t> values = packet_of(1 + random.below(400), random).values;
    plain[0].append_bytes({reinterpret_cast<const uint8_t*>(values.data()), 4 * values.size()});
    std::vector<uint8_t> bytes;
    reference::encode(values, {}, bytes);
    encoded[0].append_bytes(bytes);
  }
  const auto set_up = [](auto& half) {
    half.top().bound_i = 10;
    half.top().bounded_i = 1;
  };
  compare<Vgw_compressor, Vgw_compressor>(plain, set_up);
  compare<Vgw_decompressor, Vgw_decompressor>(encoded, set_up);
}

TEST(Shortcuts, ParserIsClockedAsDocumented) {
  compare<Vgw_parser, Vgw_parser>(frames<1>(), kAsItIs);
}

TEST(Shortcuts, AggregatorIsWhatVerilatorWrote) {
  compare<Vgw_aggregator, Vgw_aggregator_unedited>(frames<1>(), Network{spec_of({})});
}

TEST(Shortcuts, OptimizerIsWhatVerilatorWrote) {
  using enum reference::optimizer::Algorithm;
  compare<Vgw_optimizer_adam_4_pipelined_fast, Vgw_optimizer_adam_unedited>(
      frames<1>(), Network{spec_of(kAdam)});
  compare<Vgw_optimizer_smorms3_1_iterative_fast, Vgw_optimizer_smorms3_unedited>(
      frames<1>(), Network{spec_of(kSmorms3)});
}

TEST(Shortcuts, SwitchIsWhatVerilatorWrote) {
  compare<Vgw_switch_adam_4_pipelined_fast, Vgw_switch_adam_unedited>(
      frames<4>(), Network{spec_of(reference::optimizer::Algorithm::kAdam)});
}

}  // namespace
}  // namespace gw::tests
