// The optimizer and its host: writes of cells and registers at any time, RTL and model in lockstep.
// No write-back may be lost, and registers count from the next iteration on.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <optional>

#include "models/systemc/hosted_cores.h"
#include "tests/switch/pair.h"

namespace gw::testbenches::testing::host_test {
namespace {

constexpr reference::Blocks kBlocks = {.optimization = true};

/// The model with the host's writes.
class Model : public FrameModel<systemc::Optimizer> {
 public:
  using FrameModel::FrameModel;
  void write(uint32_t address, uint32_t data) { core().write(address, data); }
};

class OptimizerPair : public Pair<FramePorts, Model> {
 public:
  explicit OptimizerPair(const sim::RunSpec& spec)
      : Pair("optimizer", kBlocks, spec,
             Model(optimizer_config(network_spec(spec.options)), std::span<const uint32_t>{})) {}

  /// The frame goes in, and out.
  void pass(const std::vector<uint8_t>& frame) {
    std::vector<Beat> beats;
    sim::append_beats<Beat>(beats, frame);
    for (size_t at = 0; at < beats.size();) {
      const bool taken = s_ready() != 0;
      clock({&beats[at]}, 1);
      if (::testing::Test::HasFatalFailure()) return;
      at += taken;
    }
    for (int i = 0; i < 400; ++i) clock({nullptr}, 1);
  }
};

sim::RunSpec sgd() { return spec_of("optimizer", {{"pes", "4"}, {"profile", "fast"}}); }
sim::RunSpec adam() { return spec_of("optimizer", {{"algorithm", "adam"}, {"pes", "2"}}); }

sim::FrameList frames_of(uint64_t seed, uint32_t sequences, uint32_t iterations) {
  TrafficOptions options;
  options.sequences = sequences;
  options.iterations = iterations;
  options.duplicate = options.reorder = options.foreign = 5;
  return synthesise_frames("workers", seed, 0, options);
}

/// Cells, a row at a time and in order, and registers are written in bursts all through the
/// traffic.
void writes_at_any_time(const sim::RunSpec& spec) {
  OptimizerPair pair(spec);
  sim::Random random(seed() * 31 + 7);
  const uint32_t lanes = static_cast<uint32_t>(network_spec(spec.options).pes);
  std::vector<Beat> beats;
  for (const sim::Frame& frame : frames_of(seed(), 6, 30).frames) {
    sim::append_beats<Beat>(beats, frame.bytes);
  }
  ASSERT_GT(beats.size(), 2000u);
  size_t next = 0;
  uint32_t address = 0, cells = 0;
  uint64_t rows = 0, registers = 0;
  bool offering = false;
  for (int idle = 0; idle < 5000;) {
    const uint32_t phase = static_cast<uint32_t>(pair.cycle / 700 % 4);
    if (phase != 0 && cells == 0 && random.below(phase == 1 ? 3 : 40) == 0) {
      address = 1u << 31 | random.below(4) << 28 | (random.below(6 * 32 / lanes) * lanes);
      cells = lanes;
      ++rows;
    }
    if (cells > 0) {
      pair.write(address++, std::bit_cast<uint32_t>(0.001f * static_cast<float>(random.below(99))));
      --cells;
    } else if (phase == 3 && random.below(60) == 0) {
      pair.write(random.below(9), std::bit_cast<uint32_t>(0.3f + 0.01f * random.below(60)));
      ++registers;
    }
    offering = next < beats.size() && (offering || random.below(8) != 0);
    const bool taken = offering && pair.s_ready() != 0;
    pair.clock({offering ? &beats[next] : nullptr}, random.below(10) != 0 ? 1 : 0);
    if (::testing::Test::HasFatalFailure()) return;
    if (taken) {
      ++next;
      offering = false;
    }
    idle = next == beats.size() ? idle + 1 : 0;
  }
  pair.compare_statistics();
  EXPECT_EQ(pair.left.size(), beats.size());
  EXPECT_GT(rows, 100u);
  EXPECT_GT(registers, 10u);
}

TEST(Host, WritesSgdAtAnyTime) { writes_at_any_time(sgd()); }

TEST(Host, WritesAdamAtAnyTime) { writes_at_any_time(adam()); }

/// One gradient frame of an iteration, for sequence number 0.
std::vector<uint8_t> gradient_frame(uint32_t iteration) {
  TrafficOptions options;
  options.workers = 1;
  options.sequences = 1;
  options.iterations = 1;
  options.first_iteration = iteration;
  for (const sim::Frame& frame : synthesise_frames("workers", 3, 0, options).frames) {
    if (frame.measured) return frame.bytes;
  }
  return {};
}

// While a frame is computed, the host begins to write another sequence number's row in every cycle,
// each time from another cycle on, so that write-backs meet them. The parameters that left in the
// frame are those that the next frame starts from: its gradient is 0, so that it shows them.
TEST(Host, WriteBackIsNotLost) {
  OptimizerPair pair(sgd());
  for (uint32_t begin = 0; begin < 60; ++begin) {
    std::vector<Beat> beats;
    sim::append_beats<Beat>(beats, gradient_frame(2 * begin + 1));
    ASSERT_EQ(beats.size(), 6u);
    std::vector<uint8_t> zero = gradient_frame(2 * begin + 2);
    std::fill(zero.begin() + 64, zero.end(), uint8_t{0});
    pair.left.clear();
    size_t next = 0;
    for (uint32_t c = 0; c < 200; ++c) {
      // A write of a row's last cell alone writes the row.
      if (c >= begin && c < begin + 100) pair.write(1u << 31 | 0x203, 0x3F80'0000 + c);
      const bool offered = next < beats.size();
      const bool taken = offered && pair.s_ready() != 0;
      pair.clock({offered ? &beats[next] : nullptr}, 1);
      ASSERT_FALSE(HasFatalFailure());
      next += taken;
    }
    ASSERT_EQ(pair.left.size(), 6u);
    const std::vector<Beat> shown = pair.left;
    pair.pass(zero);
    ASSERT_EQ(pair.left.size(), 12u);
    for (size_t beat = 2; beat < 6; ++beat) {
      ASSERT_EQ(pair.left[6 + beat].data, shown[beat].data)
          << "begin " << begin << " beat " << beat;
    }
  }
}

// lr is written between two frames of an iteration: the second one still has the old one, the next
// iteration the new one.
TEST(Host, RegistersChangeBetweenIterations) {
  std::vector<uint8_t> zero = gradient_frame(1), one = gradient_frame(1), two = gradient_frame(2);
  for (auto* frame : {&zero, &one, &two}) {
    for (size_t i = 64; i < 192; i += 4) {
      const uint32_t g = std::bit_cast<uint32_t>(frame == &zero ? 0.0f : 1.0f);
      std::memcpy(&(*frame)[i], &g, 4);
    }
  }
  const auto value = [](const Beat& beat) { return std::bit_cast<float>(beat.data[0]); };
  OptimizerPair pair(sgd());
  const auto theta = [&](const std::vector<uint8_t>& frame) {
    pair.left.clear();
    pair.pass(frame);
    return pair.left.size() == 6 ? value(pair.left[2]) : 1e9f;
  };
  pair.write(0, std::bit_cast<uint32_t>(0.5f));
  pair.clock({nullptr}, 1);
  const float start = theta(zero);
  pair.write(0, std::bit_cast<uint32_t>(0.25f));
  pair.clock({nullptr}, 1);
  EXPECT_FLOAT_EQ(theta(one), start - 0.5f);
  EXPECT_FLOAT_EQ(theta(two), start - 0.75f);
}

// Under the root epsilon lies in AdaGrad's states, and a later write never reaches them. After the
// root it counts from the next iteration on. Gradients of 3 and 4 make a root of 5.
TEST(Host, ANewEpsilonReachesAdagradOnlyAfterTheRoot) {
  const auto second_step = [](bool outside, std::optional<float> eps) {
    sim::RunSpec spec = spec_of("optimizer", {{"algorithm", "adagrad"},
                                              {"pes", "2"},
                                              {"profile", outside ? "paper" : "fast"},
                                              {"lr", "1"}});
    if (outside) spec.options.set("eps-outside", "yes");
    OptimizerPair pair(spec);
    const auto theta = [&](uint32_t iteration, float g) {
      std::vector<uint8_t> frame = gradient_frame(iteration);
      for (size_t i = 64; i < 192; i += 4) std::memcpy(&frame[i], &g, 4);
      pair.left.clear();
      pair.pass(frame);
      return pair.left.size() == 6 ? std::bit_cast<float>(pair.left[2].data[0]) : 1e9f;
    };
    const float first = theta(1, 3);
    if (eps) {
      pair.write(1, std::bit_cast<uint32_t>(*eps));
      pair.clock({nullptr}, 1);
    }
    return first - theta(2, 4);
  };
  EXPECT_NEAR(second_step(false, {}), 4.0 / 5, 1e-6);
  EXPECT_EQ(second_step(false, 3), second_step(false, {}));
  EXPECT_NEAR(second_step(true, {}), 4.0 / 5, 1e-6);
  EXPECT_NEAR(second_step(true, 3), 4.0 / 8, 1e-6);
}

// Cells end where the map says: an address behind the last block is refused.
TEST(Host, BehindTheLastCellThereIsNothing) {
  struct Core {
    uint32_t counter(size_t) const { return 0; }
    uint32_t read(uint32_t) const { return 7; }
    bool clearing() const { return false; }
    void write(uint32_t, uint32_t) {}
    void written(uint32_t, uint32_t) {}
  } core;
  systemc::RegisterMap map;
  map.cells = gw::registers::optimizer_axil::kCells;
  map.cell_blocks = 2;
  map.parameters = 64;
  const auto read = [&](uint32_t address) {
    systemc::RegisterFile file(map);
    AxiLiteRequest request;
    request.arvalid = 1;
    request.araddr = address;
    for (int c = 0; c < 20 && file.port().reply().rvalid == 0; ++c) {
      file.port().drive(request);
      const bool taken = file.port().reply().arready != 0;
      file.begin(core, true);
      file.end(core);
      if (taken) request.arvalid = 0;
    }
    EXPECT_EQ(file.port().reply().rvalid, 1) << address;
    return file.port().reply().rresp;
  };
  const uint32_t block = 1u << map.cells.block_log2;
  for (uint32_t b = 0; b < 4; ++b) {
    const uint32_t begin = map.cells.address + b * block;
    const AxiResponse there = b < 2 ? AxiResponse::kOkay : AxiResponse::kSlvErr;
    EXPECT_EQ(read(begin), there) << b;
    EXPECT_EQ(read(begin + 4 * 63), there) << b;
    EXPECT_EQ(read(begin + 4 * 64), AxiResponse::kSlvErr) << b;
    EXPECT_EQ(read(begin + 2), AxiResponse::kSlvErr) << b;
  }
}

// Behind AXI4-Lite a register is read as it was written, and counts where the core has it.
TEST(Host, EachRegisterOfTheMapIsOneOfTheCore) {
  namespace map = gw::registers::optimizer_axil;
  systemc::Optimizer top;
  top.configure(optimizer_config(network_spec(sgd().options)), std::span<const uint32_t>{});
  systemc::OptimizationRegisters registers(top.optimization());
  for (uint32_t address = map::kLr; address <= map::kBias; address += 4) {
    registers.write(address, 0x3F80'0000 + address);
  }
  top.clock(nullptr, true);
  for (uint32_t address = map::kLr; address <= map::kBias; address += 4) {
    EXPECT_EQ(registers.read(address), 0x3F80'0000 + address) << address;
  }
}

}  // namespace
}  // namespace gw::testbenches::testing::host_test
