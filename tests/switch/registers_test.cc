// Register blocks: RTL and model in lockstep under a host that does all it may, and all it may not,
// at any time; faults in either are found. States as files.
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/switch/registers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "models/systemc/hosted_cores.h"
#include "sim/base/error.h"
#include "sim/harness/control_master.h"
#include "sim/harness/control_rules.h"
#include "tests/switch/pair.h"

namespace gw::testbenches::testing::registers_test {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kSequences = 6;  // of the traffic; cells of others are left alone

using ParserModel = HostedModel<HostedParserPorts, systemc::HostedParser>;
using AggregatorModel = HostedModel<HostedAggregatorPorts, systemc::HostedAggregator>;
using OptimizerModel = HostedModel<HostedOptimizerPorts, systemc::HostedOptimizer>;
using SwitchModel = HostedSwitchModel;

struct Seen {
  std::string difference;  ///< "": none
  uint64_t frames = 0, written = 0, read = 0, refused = 0, drained = 0;
};

/// Those of the parser are defined cycle by cycle, the others while all is idle. Or none.
uint32_t counter(sim::Random& random, const systemc::RegisterMap& map) {
  constexpr uint32_t kOfParser = 12;
  const uint32_t i = random.below(kOfParser + 1);
  return i < kOfParser ? i : static_cast<uint32_t>(map.counters);
}

/// Any access, most of them to what is there.
sim::Transaction any_access(sim::Random& random, const systemc::RegisterMap& map, uint64_t cycle) {
  sim::Transaction t;
  t.write = random.below(2) != 0;
  t.when = {.cycle = cycle, .overlaps = random.below(2) != 0};
  t.strb = static_cast<uint8_t>(random.below(6) == 0 ? random.below(16) : 15);
  t.data = random.below(3) == 0 ? static_cast<uint32_t>(random.next()) : random.below(17);
  const uint32_t cell = random.below(kSequences * 32);
  switch (random.below(8)) {
    case 0:
      t.address =
          static_cast<uint32_t>(random.next()) & (map.cell_blocks != 0 ? 0xFFF'FFFF : 0xFFF);
      // Not to cells that hold nothing known.
      if (t.address >= 0x800'0000 && map.cell_blocks != 0) t.address |= 0x1FF'0000;
      break;
    case 1:
    case 2:
      t.address =
          (random.below(2) != 0 ? map.counters_at : map.snapshots_at) + 4 * counter(random, map);
      break;
    case 3:
      if (map.cell_blocks != 0) {
        t.address = map.cells.at(random.below(map.cell_blocks + 1), cell);
        break;
      }
      [[fallthrough]];
    default:
      t.address = map.registers[random.below(static_cast<uint32_t>(map.registers.size()))].address;
      if (random.below(30) == 0) t.address |= 1 + random.below(3);
  }
  if (random.below(12) == 0) {
    t.write = true;
    t.address = systemc::RegisterFile::kControl;
    t.data = random.below(3) == 0;
  }
  return t;
}

/// Registers and cells that are unknown before they are written.
void add_known(sim::PreparedControls& controls, const systemc::RegisterMap& map) {
  for (const registers::Register& r : map.registers) {
    const bool here = (r.algorithms >> map.algorithm & 1) != 0;
    // From lr on they are the core's.
    if (here && r.address >= 0x040) {
      controls.write(0, r.address, r.fields[0].bits == 32 ? 0x3F00'0000 + r.address : 0);
    }
  }
  for (uint32_t block = 0; block < map.cell_blocks; ++block) {
    for (uint32_t p = 0; p < kSequences * 32; ++p) {
      controls.write(0, map.cells.at(block, p), 0x3F00'0000 + 7 * p);
    }
  }
}

/// Those of each port.
template <size_t kPorts>
std::array<std::vector<std::vector<Beat>>, kPorts> frames_of(uint64_t seed) {
  TrafficOptions options;
  options.sequences = kSequences;
  options.iterations = 24;
  options.duplicate = options.reorder = options.foreign = 5;
  std::array<std::vector<std::vector<Beat>>, kPorts> frames;
  for (const sim::Frame& frame : synthesise_frames("workers", seed, 0, options).frames) {
    const size_t port = kPorts == 1 ? 0 : static_cast<size_t>(frame.port);
    sim::append_beats<Beat>(frames[port].emplace_back(), frame.bytes);
  }
  return frames;
}

/// `bend` may change what the master's request is to the model, or what the model shows.
struct Fault {
  std::function<void(AxiLiteRequest&)> request;
  std::function<void(AxiLiteReply&)> reply;
};

template <class M>
Seen run_pair(const std::string& name, const systemc::RegisterMap& map, M& model,
              const CompiledRtl& compiled, uint64_t edges, uint64_t seed, const Fault& fault = {}) {
  using P = typename M::Ports;
  RtlEngine<P> rtl(compiled, seed);
  for (int edge = 0; edge < 2; ++edge) rtl.reset(), model.reset();
  const sim::Boot boot{.writes = {}, .edges = edges};
  sim::boot_engine(rtl, boot);
  sim::boot_engine(model, boot);

  sim::Random random(seed * 977 + 5);
  sim::PreparedControls controls;
  add_known(controls, map);
  for (uint64_t cycle = 3000; cycle < 14'000; cycle += random.below(30)) {
    controls.add(0, any_access(random, map, cycle));
  }
  controls.write(0, systemc::RegisterFile::kControl, 0);
  controls.write(0, systemc::RegisterFile::kSnapshot, 1, {.cycle = 30'000});
  for (uint32_t i = 0; i < map.counters; ++i) {
    controls.read(0, map.counters_at + 4 * i);
    controls.read(0, map.snapshots_at + 4 * i);
  }
  sim::ControlMaster master(0, P::kControls[0], 0, sim::StallSpec::parse("both:20"), seed);
  master.follow(controls);
  master.ask(0);

  constexpr size_t kIn = sim::kInputsOf<P>, kOut = sim::kOutputsOf<P>;
  const auto frames = frames_of<kIn>(seed);
  struct Input {
    size_t frame = 0, beat = 0;
    bool offering = false;
    uint64_t wait_until = 4000;
  };
  std::array<Input, kIn> in;
  Seen seen;
  const auto all_in = [&] {
    for (size_t p = 0; p < kIn; ++p) {
      if (in[p].frame != frames[p].size()) return false;
    }
    return true;
  };
  for (uint64_t cycle = 0, still = 0; still < 1500 && cycle < 60'000; ++cycle) {
    const auto differs = [&](const char* what) {
      seen.difference = name + ": " + what + " in cycle " + std::to_string(cycle);
      return seen;
    };
    AxiLiteReply shown = model.control(0);
    if (fault.reply) fault.reply(shown);
    const sim::AxiLiteSignal signal = sim::first_difference(rtl.control(0), shown);
    if (signal.name != nullptr) {
      const AxiLiteReply& right = rtl.control(0);
      return differs(
          fmt::format("{} ({} instead of {}; the write is to {:#x}, the read from {:#x})",
                      signal.name, sim::signal_value(right, signal.name),
                      sim::signal_value(shown, signal.name), master.write().address,
                      master.read().address)
              .c_str());
    }
    if (rtl.s_ready() != model.s_ready()) return differs("tready");
    if (rtl.probe() != model.probe()) return differs("the probe");
    std::array<const Beat*, kOut> m{};
    bool leaving = false;
    for (size_t p = 0; p < kOut; ++p) {
      m[p] = rtl.m_beat(p);
      const Beat* const other = model.m_beat(p);
      if ((m[p] != nullptr) != (other != nullptr)) return differs("tvalid");
      if (m[p] != nullptr && sim::first_difference(*m[p], *other) != nullptr) {
        return differs("a beat");
      }
      leaving |= m[p] != nullptr;
    }

    if (master.decide(cycle, 0, [] { return false; })) {
      rtl.drive(0, master.request());
      AxiLiteRequest request = master.request();
      if (fault.request) fault.request(request);
      model.drive(0, request);
    }
    if (master.busy()) {
      const auto heard = master.hear(rtl.control(0), cycle);
      for (const sim::Access* access : {heard.write_over ? &master.write() : nullptr,
                                        heard.read_over ? &master.read() : nullptr}) {
        if (access == nullptr) continue;
        const bool right = access->response == AxiResponse::kOkay;
        seen.refused += !right;
        seen.written += right && access->write;
        seen.read += right && !access->write;
      }
      if (heard.moved) master.finish(heard, cycle);
    }
    // Bursts with silence between them, so that the device is idle at times.
    sim::Offered<P> offered{};
    for (size_t p = 0; p < kIn; ++p) {
      Input& i = in[p];
      if (!i.offering && cycle >= i.wait_until && i.frame < frames[p].size()) {
        i.offering = random.below(6) != 0;
      }
      if (!i.offering) continue;
      offered[p] = &frames[p][i.frame][i.beat];
      if ((model.s_ready() >> p & 1) == 0) {
        seen.drained += !leaving;
        continue;
      }
      i.offering = false;
      if (++i.beat < frames[p][i.frame].size()) continue;
      i.beat = 0;
      ++i.frame;
      if (random.below(20) == 0) i.wait_until = cycle + random.below(900);
    }
    uint32_t m_ready = 0;
    for (size_t p = 0; p < kOut; ++p) {
      const bool ready = random.below(8) != 0;
      m_ready |= static_cast<uint32_t>(ready) << p;
      if (m[p] != nullptr && ready && m[p]->last != 0) ++seen.frames;
    }
    rtl.clock(offered, m_ready);
    model.clock(offered, m_ready);
    still = all_in() && master.over() && !leaving ? still + 1 : 0;
  }
  if (!all_in() || !master.over()) seen.difference = name + ": does not come to an end";
  return seen;
}

template <class M, class... Config>
struct Subject {
  std::string name;
  reference::Blocks blocks;
  sim::RunSpec spec;
  std::tuple<Config...> config;

  systemc::RegisterMap map() const { return frame_registers(blocks, network_spec(spec.options)); }
  CompiledRtl rtl() const {
    return compile_rtl(device(name).facts_of(spec),
                       rtl_parameters(blocks, network_spec(spec.options)), spec, false);
  }
  Seen run(uint64_t seed, const Fault& fault = {}) const { return run(rtl(), seed, fault); }
  Seen run(const CompiledRtl& compiled, uint64_t seed, const Fault& fault = {}) const {
    return std::apply(
        [&](const Config&... each) {
          M model(map(), each...);
          return run_pair(name, map(), model, compiled, blocks.aggregation ? kNetworkDepth : 1,
                          seed, fault);
        },
        config);
  }
};

Subject<ParserModel> parser() {
  return {"parser", {}, spec_of("parser", {{"host", "axi-lite"}}), {}};
}
Subject<AggregatorModel, systemc::AggregationConfig> aggregator() {
  const sim::RunSpec spec = spec_of("aggregator", {{"host", "axi-lite"}});
  return {
      "aggregator", {.aggregation = true}, spec, aggregation_config(network_spec(spec.options))};
}
Subject<OptimizerModel, systemc::OptimizerConfig> optimizer(const std::string& algorithm,
                                                            const std::string& pes,
                                                            bool eps_outside = false) {
  sim::RunSpec spec =
      spec_of("optimizer",
              {{"host", "axi-lite"}, {"algorithm", algorithm}, {"pes", pes}, {"profile", "fast"}});
  if (eps_outside) spec.options.set("eps-outside", "yes");
  return {"optimizer", {.optimization = true}, spec, optimizer_config(network_spec(spec.options))};
}

Subject<SwitchModel, systemc::AggregationConfig, systemc::OptimizerConfig> switch_of(
    const std::string& algorithm) {
  const sim::RunSpec spec =
      spec_of("switch",
              {{"host", "axi-lite"}, {"algorithm", algorithm}, {"pes", "1"}, {"profile", "fast"}});
  const NetworkSpec net = network_spec(spec.options);
  return {"switch",
          {.aggregation = true, .optimization = true, .lookup = true},
          spec,
          {aggregation_config(net), optimizer_config(net)}};
}

template <class S>
void expect_equal(const S& subject) {
  const CompiledRtl rtl = subject.rtl();
  for (uint64_t s = 1; s <= 4; ++s) {
    const Seen seen = subject.run(rtl, seed() * 10 + s);
    ASSERT_EQ(seen.difference, "") << "seed " << s;
    EXPECT_GT(seen.frames, 300u);
    EXPECT_GT(seen.written, 20u);
    EXPECT_GT(seen.read, 60u);
    EXPECT_GT(seen.refused, 60u);
    // A switch goes on to take frames.
    if (!subject.blocks.lookup) EXPECT_GT(seen.drained, 10u);
  }
}

TEST(Registers, ParserEqualsItsModel) { expect_equal(parser()); }
TEST(Registers, AggregatorEqualsItsModel) { expect_equal(aggregator()); }
TEST(Registers, SgdEqualsItsModel) { expect_equal(optimizer("sgd", "4")); }
TEST(Registers, AdamEqualsItsModel) { expect_equal(optimizer("adam", "2")); }
TEST(Registers, AdagradWithEpsOutsideEqualsItsModel) {
  expect_equal(optimizer("adagrad", "2", true));
}
TEST(Registers, SwitchEqualsItsModel) { expect_equal(switch_of("sgd")); }

// A fault of a register block, in the model: each is found.
template <class S>
void expect_faults_found(const S& subject) {
  const CompiledRtl rtl = subject.rtl();
  const std::pair<const char*, Fault> faults[] = {
      {"strobes are ignored", {[](AxiLiteRequest& q) { q.wstrb = 15; }, {}}},
      {"a register is the next one", {[](AxiLiteRequest& q) { q.awaddr ^= 4; }, {}}},
      {"the low bits of addresses are ignored",
       {[](AxiLiteRequest& q) { q.awaddr &= ~3u, q.araddr &= ~3u; }, {}}},
      {"counters are their snapshots",
       {[](AxiLiteRequest& q) {
          if ((q.araddr & ~0x3Cu) == 0x100) q.araddr += 0x100;
        },
        {}}},
      {"a block of cells is another",
       {[](AxiLiteRequest& q) {
          if (q.awaddr >= 0x800'0000) q.awaddr ^= 1u << 25;
        },
        {}}},
      {"drain does nothing",
       {[](AxiLiteRequest& q) {
          if (q.awaddr == systemc::RegisterFile::kControl && q.wdata == 1) q.wdata = 0;
        },
        {}}},
      {"nothing is refused", {{}, [](AxiLiteReply& r) { r.bresp = r.rresp = AxiResponse::kOkay; }}},
      {"a bit of the data is stuck", {{}, [](AxiLiteReply& r) { r.rdata &= ~(1u << 24); }}},
      {"a response comes a cycle late",
       {{},
        [late = uint8_t{0}](AxiLiteReply& r) mutable {
          const uint8_t now = r.bvalid;
          r.bvalid &= late;
          late = now;
        }}},
  };
  for (const auto& [what, fault] : faults) {
    EXPECT_NE(subject.run(rtl, seed(), fault).difference, "") << what;
  }
  EXPECT_EQ(subject.run(rtl, seed()).difference, "");
}
TEST(Registers, FaultsAreFound) { expect_faults_found(optimizer("sgd", "4")); }
TEST(Registers, FaultsOfTheSwitchAreFound) { expect_faults_found(switch_of("sgd")); }

/// The RTL of a top with one text of one file in place of another.
fs::path wrong_rtl(const std::string& top, const std::string& file, const std::string& from,
                   const std::string& to) {
  const fs::path root = GRADWIRE_SOURCE_DIR, folder = fs::path(GW_TEST_CACHE) / "wrong" / top;
  fs::create_directories(folder);
  std::ifstream in(root / file);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << file << " has no " << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  std::ofstream(folder / "wrong.sv") << text;
  std::ifstream list(root / "rtl/registers" / (top + ".f"));
  std::ofstream out(folder / "wrong.f");
  out << "+incdir+" << (root / "rtl/common").string() << '\n';
  for (std::string line; std::getline(list, line);) {
    if (line.empty() || line.starts_with("//") || line.starts_with("#")) continue;
    out << (line == file ? "wrong.sv" : (root / line).string()) << '\n';
  }
  return folder / "wrong.f";
}

TEST(Registers, FaultsOfTheRtlAreFound) {
  const std::pair<const char*, const char*> kMutants[] = {
      {"read_open_q & ~read_begun_q & ~select_write", "read_open_q & ~read_begun_q"},
      {"write_error_i ? SlvErr : Okay", "Okay"},
      {"looked_q[2] | (s_axil_rvalid", "looked_q[1] | (s_axil_rvalid"},
      {"data_o   <= s_axil_wdata;", "data_o   <= s_axil_wdata & 32'hFFFF_FFFE;"},
  };
  for (const auto& [from, to] : kMutants) {
    auto subject = parser();
    subject.spec.user_rtl = {
        wrong_rtl("gw_parser_axil", "rtl/common/gw_axil_slave.sv", from, to).string(),
        "gw_parser_axil"};
    EXPECT_NE(subject.run(seed()).difference, "") << from;
  }
}

// ---- Runs, by a careful host.

constexpr const char* kHosted = "axi-lite";

/// Passages, and by how many cycles the hosted run is behind the raw one; none if that differs.
std::optional<uint64_t> shift_of(const sim::Outcome& raw, const sim::Outcome& hosted) {
  const auto& a = raw.timeline.rows;
  const auto& b = hosted.timeline.rows;
  if (a.empty() || a.size() != b.size()) return {};
  const uint64_t shift = b[0].first - a[0].first;
  for (size_t i = 0; i < a.size(); ++i) {
    sim::Passage moved = a[i];
    for (uint64_t sim::Passage::*cycle :
         {&sim::Passage::accepted, &sim::Passage::accepted_last, &sim::Passage::triggered,
          &sim::Passage::offered, &sim::Passage::first, &sim::Passage::last}) {
      if (cycle != &sim::Passage::triggered || moved.follows) moved.*cycle += shift;
    }
    if (!(moved == b[i])) return {};
  }
  return shift;
}

sim::RunSpec model_spec(const std::string& name, Settings settings) {
  sim::RunSpec spec = spec_of(name, settings);
  spec.rtl = false;
  return spec;
}

size_t writes_of(const sim::Outcome& outcome) {
  return static_cast<size_t>(
      std::ranges::count(outcome.timeline.accesses, true, &sim::Access::write));
}

// Who sends stands still while the host boots: all happens as in the raw run, so much later. And
// what the raw run counts on its pins, the host reads.
TEST(HostedRuns, OfTheSwitchDoWhatRawOnesDoLater) {
  for (const char* traffic : {"workers", "irregular", "incast", "anything"}) {
    const auto outcome = [&](const char* host) {
      sim::RunSpec spec = model_spec("switch", {{"host", host}});
      spec.clock_mhz = 156.25;  // eight bytes a cycle: a later cycle is not rounded differently
      return run_synth("switch", traffic, 300, spec);
    };
    const sim::Outcome raw = outcome("raw"), hosted = outcome(kHosted);
    const std::optional<uint64_t> shift = shift_of(raw, hosted);
    ASSERT_TRUE(shift) << traffic;
    EXPECT_GT(*shift, 100u);
    EXPECT_EQ(raw.statistics, hosted.statistics) << traffic;
    EXPECT_EQ(raw.sections, hosted.sections) << traffic;
  }
}

TEST(HostedRuns, CountWhatRawOnesCount) {
  for (const char* name : {"parser", "aggregator", "optimizer"}) {
    const sim::Outcome raw = run_synth(name, "workers", 0, model_spec(name, {}));
    const sim::Outcome hosted =
        run_synth(name, "workers", 0, model_spec(name, {{"host", kHosted}}));
    EXPECT_EQ(raw.statistics, hosted.statistics) << name;
  }
}

// 32 cells of each number that comes, not 32,768; all of them if a state is to be saved.
TEST(HostedRuns, BootWhatTheyUse) {
  const Settings settings = {{"host", kHosted}, {"sequences", "3"}, {"algorithm", "adagrad"}};
  for (const char* name : {"optimizer", "switch"}) {
    const sim::Outcome few = run_synth(name, "workers", 0, model_spec(name, settings));
    EXPECT_GE(writes_of(few), 2u * 3 * 32) << name;
    EXPECT_LT(writes_of(few), 2u * 3 * 32 + 32) << name;
  }
  // Frames of which not all can be known beforehand.
  sim::RawPacket big{.bytes = std::vector<uint8_t>(9000)};
  sim::ListSource source(std::vector<sim::RawPacket>(sim::LookAhead::kBytes / 9000 + 10, big));
  sim::LookAhead ahead(source);
  EXPECT_FALSE(ahead.look([](const sim::RawPacket&) { return true; }));
  size_t packets = 0;
  while (ahead.next()) ++packets;
  EXPECT_EQ(packets, sim::LookAhead::kBytes / 9000 + 10);
}

// The last frame is filtered: nothing is owed, and the optimizer still computes.
TEST(HostedRuns, WaitForWhatLeavesByNoPort) {
  const auto outcome = [](const char* host) {
    const sim::RunSpec spec = model_spec("switch", {{"host", host},
                                                    {"workers", "1"},
                                                    {"algorithm", "smorms3"},
                                                    {"pes", "1"},
                                                    {"kind", "iterative"}});
    return run("switch", {ordinary(kEveryone, kHostA, 10), gradient(0, 0)}, spec);
  };
  const sim::Outcome raw = outcome("raw"), hosted = outcome(kHosted);
  EXPECT_EQ(raw.statistics, hosted.statistics);
  EXPECT_EQ(hosted.statistics.back(), 1u) << "filtered";
  EXPECT_GT(std::ranges::count(hosted.timeline.accesses, systemc::RegisterFile::kStatus,
                               &sim::Access::address),
            20);
}

TEST(HostedRuns, SkipSilenceExactly) {
  sim::RunSpec spec = model_spec("switch", {{"host", kHosted}, {"sequences", "4"}});
  spec.clock_mhz = 2;
  spec.options.set("lr-at", "3:0.5");
  std::vector<sim::RawPacket> packets;
  for (sim::Frame& frame : synthesise_frames("workers", 1, 0, traffic_spec(spec.options)).frames) {
    const int64_t second = static_cast<int64_t>(packets.size() / 16) * 100'000'000;
    packets.push_back({.bytes = std::move(frame.bytes),
                       .port = static_cast<uint32_t>(frame.port),
                       .time_ns = frame.time_ns + second});
  }
  std::vector<sim::Outcome> outcomes;
  for (const bool skip : {true, false}) {
    spec.skip_idle = skip;
    sim::ListSource source(packets);
    outcomes.push_back(run("switch", source, spec));
    EXPECT_EQ(outcomes.back().timeline.skipped != 0, skip);
  }
  EXPECT_TRUE(same_passages(outcomes[0], outcomes[1]));
  EXPECT_EQ(outcomes[0].timeline.cycles, outcomes[1].timeline.cycles);
  EXPECT_EQ(outcomes[0].sections, outcomes[1].sections);
  EXPECT_EQ(outcomes[0].sections["lr_schedule"][0]["reached"], true);
}

// Both engines, stalls, a schedule of the learning rate: frames that leave by no port may still be
// within when the host looks.
TEST(HostedRuns, OfTheSwitchEqualTheirRtl) {
  sim::RunSpec spec = switch_of("sgd").spec;
  spec.options.set("lr-at", "2:0.5,4:0.25").set("iterations", "5");
  for (const char* stall : {"none", "both:30"}) {
    spec.stall = sim::StallSpec::parse(stall);
    for (const char* traffic : {"workers", "irregular"}) {
      const sim::Outcome outcome = run_synth("switch", traffic, 200, spec);
      EXPECT_GT(outcome.timeline.lockstep_cycles, 1000u);
      EXPECT_GT(outcome.timeline.packets_out(), 50u);
    }
  }
}

TEST(HostedRuns, AreTimed) {
  for (const sim::RunSpec& spec : {spec_of("parser", {{"host", kHosted}}), switch_of("sgd").spec}) {
    sim::RunSpec timed = spec;
    const std::string name = timed.options.knows("algorithm") ? "switch" : "parser";
    timed.stimulus = {.synth = "gradient-192", .packets = 100};
    const auto source = device(name).source(timed);
    const auto bench = device(name).bench(*source, timed, sim::Kernel::instance());
    for (const auto subject :
         {sim::BenchSubject::kRtl, sim::BenchSubject::kModel, sim::BenchSubject::kLockstep}) {
      const sim::Speed speed = bench->pass(subject);
      EXPECT_GT(speed.cycles, 500u) << name;
      EXPECT_LT(speed.cycles, 10'000u) << name;
    }
  }
  const sim::RunSpec saving = spec_of("switch", {{"save-state", "s"}});
  sim::ListSource none({});
  EXPECT_THROW(device("switch").bench(none, saving, sim::Kernel::instance()), sim::UsageError);
}

// ---- States.

class States : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(fs::path(path_).parent_path()); }

  /// Runs the exchange, its frames' iterations from..to, and saves; returns the file's bytes.
  std::string run_part(const Settings& settings, const std::string& engine, const char* from,
                       const char* to, const std::string& load,
                       const std::string& name = "optimizer") {
    sim::RunSpec spec = spec_of(name, settings);
    spec.options.set("iterations", to).set("from-iteration", from);
    spec.options.set("save-state", path_);
    if (!load.empty()) {
      std::ofstream(path_ + ".in", std::ios::binary) << load;
      spec.options.set("load-state", path_ + ".in");
    }
    spec.rtl = engine != "model";
    spec.model = engine != "rtl";
    spec.stall = sim::StallSpec::parse("both:20");
    spec.stimulus.synth = "workers";
    const sim::Device& subject = device(name);
    subject.check(spec);
    const sim::Outcome outcome = subject.run(*subject.source(spec), spec, sim::Kernel::instance());
    EXPECT_TRUE(outcome.passed) << explain(outcome.failure);
    return bytes_of(path_);
  }
  static std::string bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string refusal(const std::string& bytes, const Settings& settings = {}) {
    std::ofstream(path_, std::ios::binary) << bytes;
    sim::RunSpec spec = spec_of("optimizer", settings);
    spec.options.set("load-state", path_);
    try {
      device("optimizer").check(spec);
    } catch (const sim::UserError& error) {
      return error.what();
    }
    return "";
  }

  const std::string path_ = (fs::path(GW_TEST_CACHE) / "states" /
                             ::testing::UnitTest::GetInstance()->current_test_info()->name())
                                .string();
};

TEST_F(States, StoppedSavedLoadedContinuedEqualsOneGo) {
  for (const char* algorithm : {"sgd", "adagrad", "adam", "smorms3"}) {
    const bool built = std::string(algorithm) == "adam" || std::string(algorithm) == "sgd";
    const Settings settings = {{"algorithm", algorithm},
                               {"pes", std::string(algorithm) == "sgd" ? "4" : "2"},
                               {"profile", "fast"},
                               {"lr-at", "8:0.25"}};
    for (const char* engine : {"model", "rtl,model"}) {
      if (!built && std::string(engine) != "model") continue;
      const std::string whole = run_part(settings, engine, "1", "10", "");
      const std::string half = run_part(settings, engine, "1", "5", "");
      const std::string two = run_part(settings, engine, "6", "10", half);
      EXPECT_NE(half, whole) << algorithm << ' ' << engine;
      EXPECT_TRUE(two == whole) << algorithm << ' ' << engine;
    }
  }
}

// Of the switch: what its optimizer holds. What its aggregator has summed so far nobody can read.
// Two workers: a sum of more depends on the order in which stalls let their gradients come.
TEST_F(States, OfTheSwitchAreItsOptimizers) {
  const Settings settings = {
      {"algorithm", "adam"}, {"workers", "2"}, {"sequences", "4"}, {"lr-at", "8:0.25"}};
  const std::string whole = run_part(settings, "model", "1", "10", "", "switch");
  const std::string half = run_part(settings, "model", "1", "5", "", "switch");
  const std::string two = run_part(settings, "model", "6", "10", half, "switch");
  EXPECT_NE(half, whole);
  EXPECT_TRUE(two == whole);
  EXPECT_EQ(refusal(half, {{"algorithm", "adam"}}), "");

  try {
    run_part({{"sequences", "4"}, {"loss", "30"}}, "model", "1", "3", "", "switch");
    ADD_FAILURE() << "sums that are not whole are saved";
  } catch (const sim::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("a state cannot include"), std::string::npos)
        << error.what();
  }
}

TEST_F(States, FilesThatAreNotWholeAreRefused) {
  const NetworkSpec net = network_spec(spec_of("optimizer").options);
  save_state(path_, net, initial_state(net, 3));
  const std::string good = bytes_of(path_);
  EXPECT_EQ(refusal(good), "");
  EXPECT_EQ(load_state(path_, net).cells, initial_state(net, 3).cells);
  // Every bit of the head, then some of the rest.
  for (size_t byte = 0; byte < good.size(); byte += byte < 120 ? 1 : 4099) {
    std::string bad = good;
    bad[byte] ^= static_cast<char>(1 << byte % 8);
    const std::string why = refusal(bad);
    EXPECT_TRUE(why.find("checksum") != std::string::npos ||
                why.find("is no state file") != std::string::npos)
        << byte << ": " << why;
  }
  for (const size_t length :
       {size_t{1}, size_t{11}, size_t{12}, size_t{16}, good.size() / 2, good.size() - 1}) {
    EXPECT_NE(refusal(good.substr(0, length)), "") << length;
  }
  EXPECT_NE(refusal(good + "x"), "");
  EXPECT_NE(refusal("").find("is empty"), std::string::npos);
  EXPECT_EQ(refusal("a text"), "'" + path_ + "' is no state file of an optimizer");
}

TEST_F(States, OfAnotherConfigurationAreRefused) {
  const NetworkSpec net = network_spec(spec_of("optimizer").options);
  save_state(path_, net, initial_state(net, 3));
  const std::string good = bytes_of(path_);
  EXPECT_NE(refusal(good, {{"algorithm", "adam"}}).find("another configuration: optimizer sgd"),
            std::string::npos);
  EXPECT_NE(refusal(good, {{"subnormal", "1"}}).find("another configuration"), std::string::npos);
  EXPECT_EQ(refusal(good, {{"pes", "2"}}), "");
  EXPECT_NE(refusal(good, {{"lr", "0.1"}}).find("--lr comes from the file"), std::string::npos);
}

TEST_F(States, SchedulesThatDoNotRiseAreRefused) {
  const auto why = [](const std::string& schedule) -> std::string {
    try {
      device("optimizer").check(spec_of("optimizer", {{"lr-at", schedule}}));
    } catch (const sim::UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(why("3:0.1,7:0.01"), "");
  EXPECT_EQ(why("7:0.1,3:0.01"),
            "--lr-at '3:0.01' does not come after iteration 7: a schedule rises from one change to "
            "the next");
  EXPECT_NE(why("3:0.1,3:0.01"), "");
  EXPECT_EQ(why("3"), "--lr-at '3' is not ITERATION:VALUE");
  EXPECT_NE(why("0:1"), "");
  EXPECT_NE(why("3:fast"), "");
  EXPECT_NE(why("3:nan"), "");
}

}  // namespace
}  // namespace gw::testbenches::testing::registers_test
