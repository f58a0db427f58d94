// Every device counts, and is not changed by it; every table of each is reached; cells of packets
// made by hand are those that they should be.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

#include "models/reference/codec.h"
#include "models/reference/expether/frame.h"
#include "models/reference/nic/host.h"
#include "sim/coverage/summary.h"
#include "sim/feeds/source.h"
#include "sim/harness/kernel.h"
#include "sim/run/run.h"
#include "testbenches/registry.h"
#include "tests/sanitized.h"
#include "tests/support.h"

namespace gw::tests::devices_test {
namespace {

using sim::coverage::Points;
using sim::coverage::Table;
using Cells = std::map<std::string, uint64_t>;

const sim::Device& device(const std::string& name) { return testbenches::registry().device(name); }

using Settings = std::vector<std::pair<const char*, std::string>>;

/// Of the model alone, unless `rtl`.
sim::RunSpec spec_of(const std::string& name, const Settings& settings = {}, bool rtl = false) {
  sim::RunSpec spec;
  spec.rtl = rtl;
  spec.seed = seed();
  spec.clock_mhz = device(name).facts().clock_mhz;
  spec.options = sim::OptionSet(device(name).facts().options);
  for (const auto& [option, value] : settings) spec.options.set(option, value);
  spec.coverage.functional = true;
  spec.keep_rows = true;
  return spec;
}

sim::Outcome run(const std::string& name, const sim::RunSpec& spec,
                 std::vector<sim::RawPacket> packets) {
  sim::ListSource source(std::move(packets));
  sim::Outcome outcome = device(name).run(source, spec, sim::Kernel::instance(), nullptr);
  EXPECT_TRUE(outcome.passed) << name << ": " << explain(outcome.failure);
  return outcome;
}

sim::Outcome run(const std::string& name, sim::RunSpec spec, const std::string& synth,
                 uint64_t packets) {
  spec.stimulus = {.synth = synth, .packets = packets};
  const auto source = device(name).source(spec);
  sim::Outcome outcome = device(name).run(*source, spec, sim::Kernel::instance(), nullptr);
  EXPECT_TRUE(outcome.passed) << name << ": " << explain(outcome.failure);
  return outcome;
}

const Table& table(const sim::Outcome& outcome, const std::string& name, const std::string& table) {
  return outcome.points.tables().at({name, table});
}

Cells cells(const Table& t) {
  Cells all;
  for (size_t cell = 0; cell < t.cells(); ++cell) {
    if (t.count(cell) != 0) all[t.cell_name(cell)] = t.count(cell);
  }
  return all;
}

/// The widest of its stimuli.
std::string stimulus_of(const std::string& name) {
  for (const sim::SynthKind& kind : device(name).facts().stimuli) {
    if (std::string(kind.name) == "irregular") return kind.name;
  }
  return device(name).facts().stimuli.front().name;
}

class EachDevice : public testing::TestWithParam<std::string> {};

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& device : testbenches::registry().devices()) all.push_back(device->name());
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, EachDevice, testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

TEST_P(EachDevice, IsTheSameCountedOrNotAndBothEnginesCountTheSame) {
  sim::RunSpec spec = spec_of(GetParam(), {}, /*rtl=*/true);
  spec.stall = sim::StallSpec::parse("both:30");
  const std::string synth = stimulus_of(GetParam());
  const sim::Outcome counted = run(GetParam(), spec, synth, 60);
  spec.coverage = {};
  const sim::Outcome plain = run(GetParam(), spec, synth, 60);
  EXPECT_EQ(counted.timeline.cycles, plain.timeline.cycles);
  EXPECT_EQ(counted.timeline.in, plain.timeline.in);
  EXPECT_EQ(counted.timeline.out, plain.timeline.out);
  EXPECT_EQ(counted.timeline.rows, plain.timeline.rows);
  EXPECT_EQ(counted.statistics, plain.statistics);
  EXPECT_TRUE(plain.points.empty());
  spec.coverage.functional = true;
  spec.rtl = false;
  const sim::Outcome model = run(GetParam(), spec, synth, 60);
  EXPECT_EQ(counted.points.to_json(), model.points.to_json());
}

TEST_P(EachDevice, ReachesEveryTableAndNothingThatCannotBe) {
  Points points;
  // Rice code is no method's default.
  const bool threshold = GetParam() == "threshold";
  const Settings rice =
      threshold ? Settings{{"method", "bgt"}, {"coding", "rice"}} : Settings{{"coding", "rice"}};
  for (const char* stall : {"none", "both:40"}) {
    for (const sim::SynthKind& kind : device(GetParam()).facts().stimuli) {
      const bool other =
          (threshold || GetParam() == "adaptive") && stall != std::string_view("none");
      sim::RunSpec spec = spec_of(GetParam(), other ? rice : Settings{});
      spec.stall = sim::StallSpec::parse(stall);
      points.add(run(GetParam(), spec, kind.name, kSanitized ? 60 : 200).points);
    }
  }
  const auto summary = sim::coverage::summary(points);
  EXPECT_EQ(summary["failures"], nlohmann::json::array());
  // What no stimulus of the program does to it: docs/coverage.md.
  const std::vector<std::string> directed = {"errors", "drops", "rows again", "malformed", "found"};
  for (const auto& t : summary["functional"]["tables"]) {
    if (std::ranges::count(directed, t["table"].get<std::string>()) != 0) continue;
    EXPECT_GT(t["covered"], 0) << t["table"];
  }
}

TEST_P(EachDevice, SaysWhatItCountsAndWhyNot) {
  const sim::Outcome outcome = run(GetParam(), spec_of(GetParam()), stimulus_of(GetParam()), 4);
  for (const auto& [key, t] : outcome.points.tables()) {
    EXPECT_EQ(key.first, GetParam());
    EXPECT_FALSE(t.meaning().empty()) << t.name();
    for (const auto& axis : t.axes()) {
      for (const std::string& value : axis.values) {
        EXPECT_EQ(value.find_first_of("/*?"), std::string::npos) << t.name() << " " << value;
      }
    }
    for (const auto& [reason, count] : t.impossible_cells()) EXPECT_FALSE(reason.empty());
    EXPECT_GT(t.tally().possible, 0u) << t.name();
  }
}

// ---- The codec

sim::RawPacket floats(const std::vector<uint32_t>& values, uint32_t bound = 10, bool error = false,
                      size_t cut = 0) {
  sim::RawPacket packet;
  packet.bytes.resize(4 * values.size());
  std::memcpy(packet.bytes.data(), values.data(), packet.bytes.size());
  packet.bytes.resize(packet.bytes.size() - cut);
  packet.own_config = true;
  packet.config = {bound, 1};
  packet.error = error;
  return packet;
}

constexpr uint32_t kOne = 0x3F80'0000;  // RAW

TEST(Codec, LanesAreClassedBesideTheirNeighbours) {
  // ZERO classes, an absent tail; k = 10: the bound is 2^-10, BYTE ends at 2^-5.
  const sim::Outcome outcome = run("compressor", spec_of("compressor"),
                                   {floats({0, 1, 0x3A00'0000, 0x3A80'0000, 0x3D00'0000, kOne,
                                            0x7F80'0000, 0xFFC0'0001, 0x8000'0000, kOne})});
  EXPECT_EQ(cells(table(outcome, "compressor", "values")), (Cells{{"zero/0/begin", 1},
                                                                  {"subnormal/1/ZERO", 1},
                                                                  {"below the bound/2/ZERO", 1},
                                                                  {"BYTE/3/ZERO", 1},
                                                                  {"HALF/4/BYTE", 1},
                                                                  {"RAW/5/HALF", 1},
                                                                  {"infinity/6/RAW", 1},
                                                                  {"NaN/7/RAW", 1},
                                                                  {"zero/0/RAW", 1},
                                                                  {"RAW/1/ZERO", 1},
                                                                  {"absent/2/RAW", 1},
                                                                  {"absent/3/ZERO", 1},
                                                                  {"absent/4/ZERO", 1},
                                                                  {"absent/5/ZERO", 1},
                                                                  {"absent/6/ZERO", 1},
                                                                  {"absent/7/ZERO", 1}}));
  EXPECT_EQ(cells(table(outcome, "compressor", "bounds")), (Cells{{"10/bounded/ZERO", 4},
                                                                  {"10/bounded/BYTE", 1},
                                                                  {"10/bounded/HALF", 1},
                                                                  {"10/bounded/RAW", 4}}));
  EXPECT_EQ(cells(table(outcome, "compressor", "edges")), (Cells{{"10/bounded/bound/at", 1},
                                                                 {"10/bounded/end of BYTE/at", 1},
                                                                 {"10/bounded/1.0/at", 2}}));
  // 2 + 1 + 2 + 3 * 4 = 17 bytes from byte 0, then 6 bytes.
  EXPECT_EQ(cells(table(outcome, "compressor", "groups")), (Cells{{"0/17", 1}, {"17/6", 1}}));
}

TEST(Codec, EdgesAreAnUlpWide) {
  const sim::Outcome outcome =
      run("compressor", spec_of("compressor"),
          {floats({0x3A7F'FFFF, 0x3A80'0000, 0x3A80'0001, 0x3A80'0002, 0xBA80'0001, 0x3A7F'FFFE})});
  EXPECT_EQ(cells(table(outcome, "compressor", "edges")), (Cells{{"10/bounded/bound/below", 1},
                                                                 {"10/bounded/bound/at", 1},
                                                                 {"10/bounded/bound/above", 2}}));
}

TEST(Codec, ErrorsAreCountedWithWhatFollows) {
  const std::vector<uint32_t> nine(9, kOne);
  sim::RunSpec spec = spec_of("compressor");
  const sim::Outcome outcome =
      run("compressor", spec,
          {floats({kOne}, 10, true), floats({kOne}), floats(nine, 10, false, 1),
           floats(nine, 10, true, 2), floats({kOne}, 10, true)});
  EXPECT_EQ(cells(table(outcome, "compressor", "errors")),
            (Cells{{"flagged/1/good at once", 1},
                   {"cut/2/error at once", 1},
                   {"cut and flagged/2/error at once", 1}}));
}

TEST(Codec, EncodedPacketsAreReadAsTheyAre) {
  const auto encoded = [](std::vector<uint8_t> bytes) {
    sim::RawPacket packet;
    packet.bytes = std::move(bytes);
    packet.own_config = true;
    packet.config = {10, 1};
    return packet;
  };
  // BYTE 0x80 (no bits), HALF 0x0001, RAW infinity; six ZEROs would be 0: tags 01 10 11 00...
  const std::vector<uint8_t> group = {0b00111001, 0, 0x80, 0x01, 0x00, 0x00, 0x00, 0x80, 0x7F};
  std::vector<uint8_t> tags = group, payload = group;
  tags.push_back(0xFF);
  payload.insert(payload.end(), {0xFF, 0xFF, 1, 2, 3});
  const sim::Outcome outcome =
      run("decompressor", spec_of("decompressor"),
          {encoded(group), encoded(tags), encoded(payload), encoded(group)});
  const Cells values = cells(table(outcome, "decompressor", "values"));
  EXPECT_EQ(values.at("BYTE of no bits/0/begin"), 4u);
  EXPECT_EQ(values.at("HALF/1/BYTE"), 4u);
  EXPECT_EQ(values.at("infinity/2/HALF"), 4u);
  EXPECT_EQ(values.at("ZERO/3/RAW"), 4u);
  EXPECT_EQ(values.at("ZERO/7/ZERO"), 4u);
  EXPECT_EQ(cells(table(outcome, "decompressor", "groups")), (Cells{{"0/9", 4}}));
  const Cells errors = cells(table(outcome, "decompressor", "errors"));
  EXPECT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors.count("ends in tags/1/error at once"), 1u);
  EXPECT_EQ(errors.count("ends in payload/1/good at once"), 1u);
}

/// The reference once fell over it.
TEST(Codec, APacketWithoutAByteIsInError) {
  sim::RawPacket empty, good;
  empty.own_config = good.own_config = true;
  empty.config = good.config = {10, 1};
  empty.hostile = true;  // tkeep = 0
  good.bytes = {0, 0};
  const sim::Outcome outcome =
      run("decompressor", spec_of("decompressor", {}, /*rtl=*/true), {empty, good, empty});
  EXPECT_EQ(outcome.timeline.packets_out(), 3u);
  EXPECT_EQ(cells(table(outcome, "decompressor", "errors")),
            (Cells{{"last beat without a byte/1/good at once", 1}}));
}

// ---- NIC

TEST(Nic, FramesAreCountedByWhatBecameOfThem) {
  namespace nic = reference::nic;
  nic::Host host{.tos = 0x28, .sequence = 99};
  std::vector<sim::RawPacket> packets;
  const auto add = [&](nic::Frame frame) {
    sim::RawPacket packet;
    packet.bytes = std::move(frame);
    packets.push_back(std::move(packet));
  };
  add(host.syn());
  host.sequence = 101;  // one byte behind the stream's begin: three bytes of a float come first
  host.payload.assign(3 + 4 * 17 + 2, 0);
  add(host.frame());
  const sim::Outcome outcome = run("nic_tx", spec_of("nic_tx"), std::move(packets));
  EXPECT_EQ(cells(table(outcome, "nic_tx", "edges")), (Cells{{"packed/TCP/3/2/1", 1}}));
  const Cells order = cells(table(outcome, "nic_tx", "order"));
  EXPECT_EQ(order.count("packed/syn/at once"), 1u);
  EXPECT_EQ(order.size(), 1u);
}

// ---- Switch

sim::RawPacket gradient(uint16_t worker, uint32_t sequence, uint32_t iteration, int64_t time_ns) {
  namespace expether = reference::expether;
  expether::Header header;
  header.destination = 0x0200'0000'0001;
  header.source = 0x0200'0000'0002;
  header.group = 1;
  header.worker = worker;
  header.sequence = sequence;
  header.iteration = iteration;
  sim::RawPacket packet;
  packet.bytes = expether::build_gradient(header, std::vector<uint32_t>(32, kOne));
  packet.port = 1;
  packet.time_ns = time_ns;
  return packet;
}

TEST(Switch, FramesAreFollowedThroughItsQueues) {
  std::vector<sim::RawPacket> frames = {gradient(0, 5, 1, 0), gradient(1, 5, 1, 1000),
                                        gradient(1, 5, 1, 2000), gradient(2, 5, 1, 3000)};
  sim::RawPacket runt;
  runt.bytes.resize(59);
  runt.port = 1;
  runt.time_ns = 4000;
  frames.push_back(runt);
  frames.push_back(gradient(0, 6, 1, 5000));
  frames.back().error = true;
  frames.push_back(gradient(0, 6, 1, 6000));
  const sim::Outcome outcome = run("switch", spec_of("switch"), frames);
  EXPECT_EQ(cells(table(outcome, "switch", "actions")),
            (Cells{{"first/open/1/never", 2},
                   {"added/open/1/the frame before", 1},
                   {"duplicate/open/1/the frame before", 1},
                   {"added/complete/1/the frame before", 1}}));
  EXPECT_EQ(cells(table(outcome, "switch", "routes")), (Cells{{"gradient/1/flooded", 5}}));
  EXPECT_EQ(cells(table(outcome, "switch", "drops")),
            (Cells{{"too short/1/dropped", 1}, {"in error/1/committed", 1}}));
  const Cells queues = cells(table(outcome, "switch", "queues"));
  EXPECT_EQ(queues.at("rx1/committed/none"), 5u);
  EXPECT_EQ(queues.at("rx1/dropped/none"), 2u);
  for (const char* q : {"tx0", "tx2", "tx3"}) {
    EXPECT_EQ(queues.at(std::string(q) + "/committed/none"), 5u) << q;
  }
  EXPECT_EQ(cells(table(outcome, "switch", "turns")), (Cells{{"1/1/1", 4}}));
}

TEST(Switch, ABlocksOwnWordSaysWhatItDid) {
  sim::RunSpec spec = spec_of("aggregator", {{"workers", "2"}});
  std::vector<sim::RawPacket> frames = {gradient(0, 5, 1, 0), gradient(0, 6, 1, 0),
                                        gradient(1, 5, 1, 0), gradient(3, 5, 1, 0),
                                        gradient(0, 5, 0, 0)};
  for (sim::RawPacket& frame : frames) {
    frame.port = 0;
    frame.meta = 2;  // came in by port 2
  }
  const sim::Outcome outcome = run("aggregator", spec, frames);
  EXPECT_EQ(cells(table(outcome, "aggregator", "actions")),
            (Cells{{"first/open/2/never", 2},
                   {"added/complete/2/2 before", 1},
                   {"bad_worker/open/2/the frame before", 1},
                   {"stale/open/2/the frame before", 1}}));
}

// ---- The report

TEST(Report, HoldsWhatWasReachedAndThePoints) {
  sim::RunOptions options;
  options.spec = spec_of("compressor");
  options.spec.stimulus = {.synth = "mixed", .packets = 20};
  nlohmann::json report = sim::run(device("compressor"), options);
  EXPECT_TRUE(report["pass"]);
  EXPECT_GT(report["coverage"]["functional"]["covered"], 10);
  EXPECT_EQ(report["coverage"]["runs"], 1);
  const Points points = Points::from_json(report["coverage_points"], "the report");
  EXPECT_EQ(sim::coverage::summary(points), report["coverage"]);
  options.spec.coverage = {};
  report = sim::run(device("compressor"), options);
  EXPECT_FALSE(report.contains("coverage"));
  EXPECT_FALSE(report.contains("coverage_points"));
}

}  // namespace
}  // namespace gw::tests::devices_test
