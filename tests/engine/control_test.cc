// Control ports of compiled RTL: the toy of tests/harness/scaler.h as gw_scaler.sv, in lockstep
// with its second opinion, in waveforms, in a bench of its own, and with ports that are not the
// device's.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "sim/base/error.h"
#include "sim/feeds/writer.h"
#include "sim/harness/kernel.h"
#include "sim/run/run.h"
#include "sim/run/save_file.h"
#include "testbenches/kit/runner.h"
#include "testbenches/library/library.h"
#include "tests/harness/scaler.h"
#include "tests/harness/toys.h"

namespace gw::testbenches::control_test {
namespace {

namespace fs = std::filesystem;
namespace toys = sim::toys;
using Ports = toys::ScalerPorts<>;

const fs::path kFolder = GW_TEST_FOLDER;

/// Writes, reads and what is refused, in every order, all through the traffic.
sim::PreparedControls transactions(uint64_t seed) {
  sim::Random random(seed);
  sim::PreparedControls controls;
  for (uint64_t cycle = 0; cycle < 600; cycle += random.below(12)) {
    controls.add(0, {.write = random.below(2) != 0,
                     .address = 4 * random.below(6),
                     .data = static_cast<uint32_t>(random.next()),
                     .strb = static_cast<uint8_t>(random.below(3) == 0 ? random.below(16) : 15),
                     .when = {.cycle = cycle, .overlaps = random.below(2) != 0}});
  }
  return controls;
}

std::vector<sim::RawPacket> packets(uint64_t seed) {
  sim::Random random(seed);
  std::vector<sim::RawPacket> all(120);
  for (sim::RawPacket& packet : all) {
    packet.bytes = toys::irregular_bytes(random, 1 + random.below(150));
  }
  return all;
}

/// A host that does what was prepared.
class Prepared final : public Host<gw::Beat> {
 public:
  explicit Prepared(sim::PreparedControls controls) : controls_(std::move(controls)) {}
  Next next(size_t port, uint64_t cycle) override { return controls_.next(port, cycle); }

 private:
  sim::PreparedControls controls_;
};

/// The toy as a device.
class ScalerDevice final : public DeviceOf<Ports, toys::OtherScaler<Ports>> {
 public:
  ScalerDevice()
      : DeviceOf({.name = "scaler",
                  .summary = "toy",
                  .top = "gw_scaler",
                  .file_list = "tests/engine/gw_scaler.f",
                  .probe = {{"event_o", 1}}}) {}
  std::unique_ptr<sim::Source> source(const sim::RunSpec& spec) const override {
    return std::make_unique<sim::ListSource>(packets(spec.seed));
  }
  std::unique_ptr<sim::PacketWriter> writer(const std::string&, const sim::Source&,
                                            const sim::RunSpec&) const override {
    return nullptr;
  }

 protected:
  std::unique_ptr<toys::OtherScaler<Ports>> model(const sim::RunSpec&) const override {
    return std::make_unique<toys::OtherScaler<Ports>>();
  }
  std::unique_ptr<sim::Oracle<Beat>> oracle(const sim::RunSpec&) const override {
    return std::make_unique<toys::ScalerOracle>();
  }
  MakeHost<Beat> host(const sim::RunSpec& spec, sim::LookAhead&) const override {
    return [seed = spec.seed] { return std::make_unique<Prepared>(transactions(seed)); };
  }
  std::string describe(bool, size_t, const sim::Packet<Beat>&, size_t) const override { return ""; }
};

sim::RunSpec spec_of(uint64_t seed, const char* stall = "both:30") {
  sim::RunSpec spec;
  spec.seed = seed;
  spec.stall = sim::StallSpec::parse(stall);
  spec.keep_rows = true;
  spec.cache = GW_TEST_CACHE;
  spec.quick_build = true;
  spec.user_rtl = {GRADWIRE_SOURCE_DIR "/tests/engine/gw_scaler.f", "gw_scaler"};
  return spec;
}

sim::Outcome run(const sim::RunSpec& spec) {
  const ScalerDevice device;
  return device.run(*device.source(spec), spec, sim::Kernel::instance(), nullptr);
}

/// A copy of the RTL in which one text stands in place of another.
fs::path changed_rtl(const std::string& name, const std::string& from, const std::string& to) {
  const fs::path folder = kFolder / name;
  fs::create_directories(folder);
  std::ifstream in(fs::path(GRADWIRE_SOURCE_DIR) / "tests/engine/gw_scaler.sv");
  std::string text{std::istreambuf_iterator<char>(in), {}};
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  for (; at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  std::ofstream(folder / "gw_scaler.sv") << text;
  std::ofstream(folder / "gw_scaler.f") << "gw_scaler.sv\n";
  return folder / "gw_scaler.f";
}

TEST(ControlRtl, RtlEqualsItsSecondOpinionInEveryCycle) {
  for (const char* stall : {"none", "source:40", "sink:40", "both:70"}) {
    for (uint64_t seed : {1, 2, 3}) {
      const sim::Outcome outcome = run(spec_of(seed, stall));
      ASSERT_TRUE(outcome.passed) << stall << ' ' << seed << ": " << toys::explain(outcome.failure);
      const sim::Timeline& timeline = outcome.timeline;
      EXPECT_GT(timeline.accesses.size(), 80u);
      size_t refused = 0;
      for (const sim::Access& access : timeline.accesses) {
        refused += access.response == AxiResponse::kSlvErr;
      }
      EXPECT_GT(refused, 20u);
      EXPECT_LT(refused, timeline.accesses.size() - 20);
    }
  }
}

TEST(ControlRtl, DescribesItsControlPorts) {
  RtlRequest request;
  request.quick = true;
  request.top = "gw_scaler";
  request.list = fs::path(GRADWIRE_SOURCE_DIR) / "tests/engine/gw_scaler.f";
  request.shape.inputs = {Ports::kInputs.begin(), Ports::kInputs.end()};
  request.shape.outputs = {Ports::kOutputs.begin(), Ports::kOutputs.end()};
  request.shape.controls = {Ports::kControls.begin(), Ports::kControls.end()};
  request.shape.probes = {{"event_o", 1}};
  LibraryOptions options;
  options.cache = GW_TEST_CACHE;
  const auto library = rtl_library(request, options);
  const auto described = nlohmann::json::parse(library->engine()->describe());
  EXPECT_EQ(described.at("controls"),
            nlohmann::json::parse(R"([{"name": "s_axil", "address_bits": 6}])"));
}

TEST(ControlRtl, MutantsAreFound) {
  struct Row {
    const char* mutant;
    const char *channel, *signal;
  };
  for (const Row& row : {Row{"Mutant = 1", "R", "rdata"}, Row{"Mutant = 2", "B", "bresp"},
                         Row{"Mutant = 3", "R", "rdata"}}) {
    sim::RunSpec spec = spec_of(1);
    spec.user_rtl = {changed_rtl(row.mutant, "Mutant = 0", row.mutant).string(), "gw_scaler"};
    const sim::Outcome outcome = run(spec);
    EXPECT_FALSE(outcome.passed) << row.mutant;
    EXPECT_EQ(outcome.failure.kind, sim::FailureKind::kLockstep) << row.mutant;
    // A wrong factor may show in the stream before it is read.
    if (outcome.failure.port == "s_axil") {
      EXPECT_EQ(outcome.failure.channel, row.channel) << row.mutant;
      EXPECT_EQ(outcome.failure.signal, row.signal) << row.mutant;
    } else {
      EXPECT_EQ(std::string(row.mutant), "Mutant = 1") << toys::explain(outcome.failure);
    }
  }
}

TEST(ControlRtl, PortsThatAreNotTheDevicesAreNamed) {
  const auto refusal = [](const fs::path& list) -> std::string {
    sim::RunSpec spec = spec_of(1);
    spec.user_rtl = {list.string(), "gw_scaler"};
    try {
      run(spec);
    } catch (const sim::InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(changed_rtl("narrow", "AddressBits = 6", "AddressBits = 5")),
            "the ports of gw_scaler are not the device's; different: s_axil_awaddr has 5 bits "
            "instead of 6, s_axil_araddr has 5 bits instead of 6");
  EXPECT_EQ(refusal(changed_rtl("missing", "s_axil_rresp", "s_axil_response")),
            "the ports of gw_scaler are not the device's; missing: output s_axil_rresp (2 bits)");
}

TEST(ControlRtl, ProtectionMayBeThere) {
  sim::RunSpec spec = spec_of(1);
  spec.user_rtl = {
      changed_rtl("prot", "  input  wire logic                   s_axil_awvalid,",
                  "  input wire logic [2:0] s_axil_awprot, s_axil_arprot, input wire logic "
                  "s_axil_awvalid,")
          .string(),
      "gw_scaler"};
  EXPECT_TRUE(run(spec).passed);
}

TEST(ControlRtl, BenchOfItsOwnReplaysTheTransactions) {
  const fs::path folder = kFolder / "bench";
  fs::remove_all(folder);
  sim::RunSpec spec = spec_of(2);
  spec.rtl = false;
  spec.sv_bench = folder.string();
  ASSERT_TRUE(run(spec).passed);
  const auto replay = [&](const std::string& edit) {
    return std::system(("cd '" + folder.string() +
                        "' && cp '" GRADWIRE_SOURCE_DIR "/tests/engine/gw_scaler.sv' dut.sv && " +
                        edit +
                        " iverilog -g2012 -s gw_scaler_tb -o t.vvp gw_scaler_tb.sv dut.sv && vvp "
                        "-n t.vvp > log && grep -q '^PASS' log")
                           .c_str()) == 0;
  };
  EXPECT_TRUE(replay(""));
  for (const char* mutant : {"1", "2", "3"}) {
    EXPECT_FALSE(replay(std::string("sed -i 's/Mutant = 0/Mutant = ") + mutant + "/' dut.sv &&"))
        << mutant;
  }
}

TEST(ControlRtl, SaveFileGroupsTheSignalsAndTheWaveformHasThem) {
  sim::RunSpec spec = spec_of(3);
  const fs::path wave = kFolder / "scaler.fst";
  spec.wave = sim::WaveSpec{.path = wave.string()};
  const sim::Outcome outcome = run(spec);
  ASSERT_TRUE(outcome.passed) << toys::explain(outcome.failure);
  ASSERT_EQ(outcome.wave_error, "");
  const std::string text = sim::save_file(ScalerDevice().facts());
  const size_t writes = text.find("-Control s_axil, writes\n"),
               reads = text.find("-Control s_axil, reads\n");
  ASSERT_NE(writes, std::string::npos);
  EXPECT_LT(text.find("gw_scaler.s_axil_bresp[1:0]\n", writes), reads);
  const std::string names = (kFolder / "names").string();
  ASSERT_EQ(std::system(("fst2vcd -f '" + wave.string() + "' > '" + names + "'").c_str()), 0);
  std::ifstream in(names);
  const std::string vcd{std::istreambuf_iterator<char>(in), {}};
  for (const sim::ControlSignal& signal : sim::control_signals(Ports::kControls[0])) {
    const std::string pin = sim::pin_name(Ports::kControls[0], signal);
    EXPECT_NE(text.find("gw_scaler." + pin), std::string::npos) << pin;
    EXPECT_NE(vcd.find(" " + pin + " "), std::string::npos) << pin;
  }
}

TEST(RandomTraffic, ADeviceThatHasNoneSaysSo) {
  const ScalerDevice device;
  try {
    sim::random_kind(device);
    FAIL();
  } catch (const sim::UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("there is no random traffic for "), std::string::npos);
  }
}

}  // namespace
}  // namespace gw::testbenches::control_test
