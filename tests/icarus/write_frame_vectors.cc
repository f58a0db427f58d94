// Writes what the model of a device that is fed with frames does with traffic of every kind under
// stalls, an 848-bit word in hex per clock cycle, for the replay testbench that runs in Icarus.
//
//   write_frame_vectors parser|aggregator|optimizer FILE SEED
//
// Bits: testbenches/common/gw_frame_replay_tb.svh names them; outputs are those expected before the
// edge that ends the cycle. The devices are small ones: 16 slots, 4 sequence numbers of parameters.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string>

#include "models/reference/optimizer/bit_exact.h"
#include "models/systemc/aggregator.h"
#include "models/systemc/optimizer.h"
#include "models/systemc/parser.h"
#include "sim/base/random.h"
#include "sim/stimulus.h"
#include "sim/feeds/frames.h"
#include "testbenches/optimizer/timing.h"
#include "tests/icarus/vectors.h"

namespace {

using gw::Beat;
namespace optimizer = gw::reference::optimizer;

using Cycle = gw::icarus::Cycle<848>;

constexpr uint64_t kFrames = 250;

struct HostWrite {
  uint32_t address, data;
};

template <class Core>
void write(std::FILE* file, Core& core, const std::vector<HostWrite>& host, uint64_t seed) {
  gw::sim::Random random(seed);
  gw::sim::TrafficOptions traffic;
  traffic.sequences = 5;  // one of them beyond the optimizer's memory
  gw::sim::BeatStream stream;
  for (const gw::sim::Frame& frame :
       gw::sim::synthesise_frames("anything", seed, kFrames, traffic).frames) {
    std::array<uint32_t, 6> meta{};
    meta[4] = static_cast<uint32_t>(frame.port) << 20;
    stream.append_bytes(frame.bytes, false, meta);
  }
  constexpr size_t kReset = 3;
  const size_t start = kReset + host.size() + 1;
  size_t next = 0;
  bool offering = false;
  int idle = 0;
  for (size_t cycle = 0; idle < 300; ++cycle) {
    const bool reset = cycle < kReset;
    const size_t slow = cycle / 300 % 3;
    offering = cycle >= start && next < stream.beats.size() &&
               (offering || random.below(100) >= (slow == 1 ? 60u : 5u));
    const bool m_ready = random.below(100) >= (slow == 2 ? 60u : 5u);
    const Beat* const s = offering ? &stream.beats[next] : nullptr;
    const Beat* const m = core.m_beat();
    Cycle c;
    c.bit(0, !reset);
    c.bit(5, m_ready);
    c.bit(6, core.s_ready());
    if (cycle >= kReset && cycle < kReset + host.size()) {
      c.bit(9, true);
      c.word(80, host[cycle - kReset].address);
      c.word(112, host[cycle - kReset].data);
    }
    if (s != nullptr) {
      c.bit(1, true);
      c.bit(2, s->last != 0);
      c.word(3, s->meta[4] >> 20 & 3);
      c.word(16, s->keep);
      for (int i = 0; i < gw::kLanes; ++i) c.word(144 + 32 * i, s->data[static_cast<size_t>(i)]);
    }
    if (m != nullptr) {
      c.bit(7, true);
      c.bit(8, m->last != 0);
      c.word(48, m->keep);
      for (int i = 0; i < gw::kLanes; ++i) c.word(400 + 32 * i, m->data[static_cast<size_t>(i)]);
      for (int i = 0; i < 6; ++i) c.word(656 + 32 * i, m->meta[static_cast<size_t>(i)]);
    }
    fmt::print(file, "{}\n", c.hex());
    const bool taken = s != nullptr && core.s_ready();
    if (reset) {
      core.reset();
    } else {
      core.clock(s, m_ready);
    }
    if (taken) {
      ++next;
      offering = false;
    }
    idle = next == stream.beats.size() && core.m_beat() == nullptr ? idle + 1 : 0;
  }
}

void write_optimizer(std::FILE* file, uint64_t seed) {
  constexpr int kDepthLog2 = 2;
  constexpr uint32_t kParameters = 32u << kDepthLog2;
  gw::systemc::OptimizerConfig config;
  config.algorithm = gw::systemc::Algorithm::kAdam;
  config.pes = 2;
  config.latency =
      gw::testbenches::array_timing(static_cast<size_t>(config.algorithm), false, true).latency;
  config.depth_log2 = kDepthLog2;
  std::vector<uint32_t> theta(kParameters);
  for (uint32_t i = 0; i < kParameters; ++i) {
    theta[i] = std::bit_cast<uint32_t>(0.01f * static_cast<float>(i) - 0.5f);
  }
  const optimizer::Registers registers({}, gw::reference::fp::Subnormal::kFlush);
  std::vector<HostWrite> host;
  using enum optimizer::Source;
  for (const auto source : {kLr, kEps, kBeta1, kBeta2, kOneMinusBeta1, kOneMinusBeta2, kBias}) {
    host.push_back({static_cast<uint32_t>(host.size()), registers[source]});
  }
  const auto cell = optimizer::first_cell(optimizer::Algorithm::kAdam, 0, registers);
  for (uint32_t bank = 0; bank < 3; ++bank) {
    for (uint32_t p = 0; p < kParameters; ++p) {
      host.push_back({1u << 31 | bank << 28 | p, bank == 0 ? theta[p] : cell.state[bank - 1]});
    }
  }
  gw::systemc::Optimizer core;
  core.configure(config, theta);
  write(file, core, host, seed);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string device = argc == 4 ? argv[1] : "";
  if (device != "parser" && device != "aggregator" && device != "optimizer") {
    fmt::print(stderr, "usage: write_frame_vectors parser|aggregator|optimizer FILE SEED\n");
    return 2;
  }
  const uint64_t seed = std::strtoull(argv[3], nullptr, 0);
  return gw::icarus::write_file("write_frame_vectors", argv[2], [&](std::FILE* file) {
    if (device == "parser") {
      gw::systemc::Parser core;
      write(file, core, {}, seed);
    } else if (device == "aggregator") {
      gw::systemc::Aggregator core;
      core.configure({.workers = 3, .group = 1, .depth = 16, .depth_log2 = 4});
      write(file, core, {}, seed);
    } else {
      write_optimizer(file, seed);
    }
  });
}
