// The NIC's devices: figures of their contracts, frames that do not leave, options, captures.
// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/reference/nic/host.h"
#include "sim/base/error.h"
#include "sim/feeds/stimulus.h"
#include "testbenches/nic/oracle.h"
#include "tests/nic/frames.h"
#include "tests/nic/support.h"
#include "tests/sanitized.h"

namespace gw::tests::devices_test {
namespace {

namespace nic = reference::nic;
using nic::RxAction;
using nic::TxAction;

template <class Action>
const sim::Distribution& latency(const sim::Outcome& outcome, Action action) {
  static const sim::Distribution kNone;
  const auto& all = outcome.timeline.latency_of;
  const auto i = static_cast<size_t>(action);
  return i < all.size() ? all[i] : kNone;
}

/// Cycles from the first beat of uncompressed frames to the last, per beat. The SYN in front of
/// them leaves nic_rx earlier than they do: it is latency, not rate.
double cycles_per_beat(const std::string& name, const sim::Outcome& outcome) {
  constexpr uint64_t kLatencies = 16 - 6;
  const sim::Timeline& t = outcome.timeline;
  const bool tx = name == "nic_tx";
  const uint64_t window = sim::Timeline::window(tx ? t.in : t.out);
  return static_cast<double>(window - (tx ? 0 : kLatencies)) /
         static_cast<double>((tx ? t.in : t.out)[0].beats);
}

struct Traffic {
  const char* device;
  const char* kind;
  int bytes;
};
void PrintTo(const Traffic& t, std::ostream* out) {
  *out << t.device << ' ' << t.kind << ' ' << t.bytes;
}

class Rate : public testing::TestWithParam<Traffic> {};

TEST_P(Rate, IsABeatACycleWithoutGaps) {
  const auto [name, kind, bytes] = GetParam();
  const sim::Outcome outcome =
      run(name, spec_of(name, kind, rounds(400u), {{"frame-bytes", std::to_string(bytes)}}));
  const bool raw = std::string(kind) == "stored" || std::string(kind) == "mixed-segments";
  EXPECT_LE(cycles_per_beat(name, outcome), raw ? 17.0 / 16 : 1.0);
  // 10GbE needs 2.56 cycles a beat, and more of short frames: it is never the engine that waits.
  const uint64_t least = 8 + 12 + 4 + static_cast<uint64_t>(bytes);
  EXPECT_LE(cycles_per_beat(name, outcome) * static_cast<double>((bytes + 31) / 32),
            static_cast<double>(least) * 8 / 100);
  if (raw && std::string(name) == "nic_rx") return;  // may have gaps in runs of RAW
  for (const sim::Passage& passage : outcome.timeline.rows) {
    ASSERT_EQ(passage.last - passage.offered + 1, passage.beats) << "frame " << passage.id;
  }
}

std::vector<Traffic> traffic() {
  std::vector<Traffic> all;
  for (const char* name : {"nic_tx", "nic_rx"}) {
    for (const char* kind : {"packed", "stored", "bypassed", "mixed-segments"}) {
      for (const int bytes : {60, 64, 65, 127, 128, 129, 590, 1514, 9014}) {
        all.push_back({name, kind, bytes});
      }
    }
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Traffic, Rate, testing::ValuesIn(traffic()));

// Many more frames than the matrix of all devices has, and sinks that hardly ever take a beat: so
// that buffers fill up. `nic` has both engines' cycles and the link's.
class Lockstep : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(Lockstep, OfAnyFrames) {
  const auto [name, stall] = GetParam();
  for (const char* grid : {"stream", "packet"}) {
    const bool stream = std::string(grid) == "stream";
    sim::RunSpec spec =
        spec_of(name, device(name).facts().stimuli.front().name, rounds(stream ? 1500u : 300u),
                {{"grid", grid}, {"mode", stream ? "bounded" : "paper"}});
    spec.options.set("bound", std::to_string(1 + (seed() + stream) % 14));
    spec.stall = sim::StallSpec::parse(stall);
    run(name, spec);
    ASSERT_FALSE(HasFailure()) << grid;
  }
}
INSTANTIATE_TEST_SUITE_P(Stalls, Lockstep,
                         testing::Combine(testing::Values("nic_tx", "nic_rx", "nic"),
                                          testing::Values("none", "source:40", "sink:40", "both:40",
                                                          "source:90", "sink:90")));

sim::RawPacket packet_of(nic::Frame frame, bool error = false) {
  sim::RawPacket packet;
  packet.bytes = std::move(frame);
  packet.error = error;
  return packet;
}

/// A marked segment of `bytes` bytes, full of small floats.
nic::Host segment(size_t bytes) {
  nic::Host host;
  host.payload.assign(bytes - host.payload_at(), 0);
  return host;
}

/// As no source may drive it: the last beat's tkeep.
sim::RawPacket odd_end(nic::Frame frame, uint64_t keep) {
  sim::RawPacket packet = packet_of(std::move(frame));
  packet.odd = {{.beat = static_cast<uint32_t>((packet.bytes.size() - 1) / 32), .keep = keep}};
  return packet;
}

// A frame ends at the lowest zero of its last beat's tkeep; if that beat has no byte, a frame that
// leaves as it came leaves with it.
TEST(OddTkeep, EndsAFrameAtItsLowestZero) {
  nic::Host host = segment(150);
  host.tos = 0;
  const nic::Frame frame = host.frame();
  ASSERT_EQ(frame.size(), 150u);
  for (const char* name : {"nic_tx", "nic_rx", "nic"}) {
    SCOPED_TRACE(name);
    std::vector<sim::RawPacket> packets;
    for (uint32_t gap = 0; gap < 22; ++gap) {
      packets.push_back(odd_end(frame, 0x3F'FFFF & ~(1u << gap)));
      packets.push_back(packet_of(frame));
    }
    const sim::Outcome outcome = run(name, spec_of(name, "", 0), packets);
    for (size_t i = 0; i < outcome.timeline.rows.size(); i += 2) {
      const sim::Passage& left = outcome.timeline.rows[i];
      EXPECT_EQ(left.bytes, 128 + i / 2);
      EXPECT_EQ(left.beats, 5u);
      EXPECT_EQ(outcome.timeline.rows[i + 1].bytes, 150u);
    }
  }
}

// What is packed, or given back, has no such beat: the frame is whole without it.
TEST(OddTkeep, ThatIsEmptyBehindAWholePacket) {
  nic::Host host = segment(160);
  nic::Host first = host;
  first.sequence = host.sequence - 1;
  nic::Frame longer = host.frame();
  longer.push_back(0);
  const std::vector<sim::RawPacket> packets = {packet_of(first.syn()), odd_end(longer, 0),
                                               packet_of(host.frame())};
  for (const char* name : {"nic_tx", "nic"}) {
    const sim::Outcome outcome = run(name, spec_of(name, "", 0), packets);
    const auto& rows = outcome.timeline.rows;
    ASSERT_EQ(rows.size(), 3u) << name;
    EXPECT_EQ(rows[1].action, static_cast<uint32_t>(TxAction::kPacked)) << name;
    EXPECT_EQ(rows[1].bytes, rows[2].bytes) << name;
    EXPECT_EQ(rows[1].beats, rows[2].beats) << name;
  }
}

TEST(Latency, IsWhatTheContractsSay) {
  for (const size_t bytes : {160u, 590u, 1514u, 9014u}) {
    SCOPED_TRACE(bytes);
    const size_t beats = (bytes + 31) / 32;
    nic::Host host = segment(bytes);
    const sim::RawPacket syn = packet_of([&] {
      nic::Host first = host;
      first.sequence = host.sequence - 1;
      return first.syn();
    }());
    const sim::Outcome packed =
        run("nic_tx", spec_of("nic_tx", "", 0), {syn, packet_of(host.frame())});
    ASSERT_EQ(latency(packed, TxAction::kPacked).n(), 1u);
    EXPECT_LE(longest(latency(packed, TxAction::kPacked)), beats + 16);

    nic::NicTx reference{{}};
    reference.pack(syn.bytes);
    const sim::Outcome unpacked =
        run("nic_rx", spec_of("nic_rx", "", 0), {packet_of(reference.pack(host.frame()).frame)});
    ASSERT_EQ(latency(unpacked, RxAction::kUnpacked).n(), 1u);
    EXPECT_LE(longest(latency(unpacked, RxAction::kUnpacked)), 16u);

    host.tos = 0;
    const sim::RawPacket plain = packet_of(host.frame());
    EXPECT_LE(
        longest(latency(run("nic_tx", spec_of("nic_tx", "", 0), {plain}), TxAction::kNotMarked)),
        8u);
    EXPECT_LE(longest(latency(run("nic_rx", spec_of("nic_rx", "", 0), {plain}), RxAction::kPassed)),
              8u);
  }
}

// A run waits for frames of which nothing leaves: their counts are compared, too.
TEST(Dropped, FramesAreCountedThoughNothingLeaves) {
  nic::Host host = segment(9014);
  host.tos = 0;
  nic::Frame reserved = host.frame();
  reserved[14 + 9] = 253;
  std::vector<sim::RawPacket> packets(5, packet_of(reserved));
  const sim::Outcome only = run("nic_tx", spec_of("nic_tx", "", 0), packets);
  EXPECT_EQ(only.timeline.packets_out(), 0u);
  EXPECT_EQ(only.statistics.at(static_cast<size_t>(TxAction::kReserved)), 5u);
  // Behind one that leaves, and in front of one.
  packets.insert(packets.begin(), packet_of(host.frame()));
  packets.push_back(packet_of(host.frame()));
  const sim::Outcome some = run("nic_tx", spec_of("nic_tx", "", 0), packets);
  EXPECT_EQ(some.timeline.packets_out(), 2u);
  EXPECT_EQ(some.sections["nic"]["tx"]["reasons"],
            (nlohmann::json{{"reserved", 5}, {"not_marked", 2}}));
}

// Its words are the reference's, so that a count that is wrong by one fails the run.
TEST(Counts, AreThoseOfEachFrame) {
  const sim::Outcome tx = run("nic_tx", spec_of("nic_tx", "hosts", 600));
  const nlohmann::json& counts = tx.sections["nic"]["tx"];
  EXPECT_EQ(counts["frames"], 600);
  // All kinds of frames are in the stimulus.
  for (const std::string& action : testbenches::tx_actions()) {
    EXPECT_GT(counts["reasons"].value(action, 0), 0) << action;
  }
  EXPECT_GT(tx.sections["nic"]["packed"]["ratio_payload"],
            tx.sections["nic"]["packed"]["ratio_frame"]);
  EXPECT_GT(tx.sections["nic"]["link"]["saved_percent"], 0);
  for (const auto& phase : tx.sections["nic"]["phases"]) EXPECT_GT(phase, 0);
  const sim::Outcome rx = run("nic_rx", spec_of("nic_rx", "wire", 600));
  for (const std::string& action : testbenches::rx_actions()) {
    EXPECT_GT(rx.sections["nic"]["rx"]["reasons"].value(action, 0), 0) << action;
  }
}

// Three segments of 32 floats of 0, four groups of two bytes, after a shim of four; and a frame
// that is not marked.
TEST(Counts, OfFourFramesByHand) {
  constexpr size_t kLong = 54 + 128, kShort = 54 + 4 + 8, kOther = 100;
  constexpr size_t kIn = 3 * kLong + kOther, kOut = 3 * kShort + kOther;
  constexpr double kTimeIn = kIn + 4 * 24, kTimeOut = kOut + 4 * 24;  // preamble, FCS, gap
  std::vector<sim::RawPacket> packets(3, packet_of(segment(kLong).frame()));
  nic::Host other = segment(kOther);
  other.tos = 0;
  packets.push_back(packet_of(other.frame()));
  const nlohmann::json tx = {{"frames", 4},
                             {"reasons", {{"packed", 3}, {"not_marked", 1}}},
                             {"bytes_in", kIn},
                             {"bytes_out", kOut}};
  const nlohmann::json rx = {{"frames", 4},
                             {"reasons", {{"unpacked", 3}, {"passed", 1}}},
                             {"bytes_in", kOut},
                             {"bytes_out", kIn}};
  for (const char* name : {"nic_tx", "nic"}) {
    const nlohmann::json report =
        run(name, spec_of(name, "", 0, {{"grid", "packet"}}), packets).sections["nic"];
    EXPECT_EQ(report["tx"], tx) << name;
    EXPECT_EQ(report.value("rx", rx), rx) << name;
    EXPECT_EQ(report.contains("rx"), std::string(name) == "nic");
    const nlohmann::json &packed = report["packed"], &link = report["link"];
    EXPECT_EQ(packed["frames"], 3) << name;
    EXPECT_EQ(packed["floats"], 3 * 32) << name;
    EXPECT_EQ(packed["edge_bytes"], 0) << name;
    EXPECT_DOUBLE_EQ(packed["ratio_payload"], 128.0 / 12) << name;
    EXPECT_DOUBLE_EQ(packed["ratio_frame"], double{kLong} / kShort) << name;
    EXPECT_EQ(report["phases"], (nlohmann::json{3, 0, 0, 0})) << name;
    EXPECT_DOUBLE_EQ(link["original_us"], kTimeIn * 8e-4) << name;
    EXPECT_DOUBLE_EQ(link["packed_us"], kTimeOut * 8e-4) << name;
    EXPECT_DOUBLE_EQ(link["saved_percent"], 100 - 100 * kTimeOut / kTimeIn) << name;
  }
}

// A reset meets frames on the wire between the two NICs; nothing of them is left, nor of the wire.
TEST(Resets, InTheMidstOfFramesOnTheWire) {
  std::vector<sim::RawPacket> packets;
  for (const size_t bytes : {9014u, 70u, 1514u, 182u, 60u, 4000u, 1000u}) {
    nic::Host host = segment(bytes);
    for (size_t i = 0; i < host.payload.size(); ++i) {
      host.payload[i] = static_cast<uint8_t>(packets.size() % 2 == 0 ? 0 : 0x7F - i % 64);
    }
    packets.push_back(packet_of(host.frame()));
  }
  sim::RunSpec spec = spec_of("nic", "", 0, {{"grid", "packet"}});
  spec.stimulus.recorded = std::make_shared<const sim::Stimulus>(sim::Stimulus{"", packets, {}});
  const sim::Outcome plain = run("nic", spec, packets);
  for (const uint64_t cycles : {1u, 100u, 320u, 350u, 400u, 500u, 777u, 1000u, 1500u, 20'000u}) {
    SCOPED_TRACE(cycles);
    spec.reset_after = cycles;
    const sim::Outcome behind = run("nic", spec, packets);
    ASSERT_FALSE(HasFailure());
    EXPECT_EQ(behind.timeline.rows, plain.timeline.rows);
    EXPECT_EQ(behind.timeline.cycles, plain.timeline.cycles);
    EXPECT_EQ(behind.statistics, plain.statistics);
    EXPECT_EQ(behind.sections["nic"], plain.sections["nic"]);
  }
}

/// A run whose sink takes nothing for so long that all queues that can are full.
sim::Outcome behind_a_closed_sink(const std::string& name,
                                  const std::vector<sim::RawPacket>& packets, uint64_t cycles,
                                  Settings settings = {}) {
  const auto closed = std::make_shared<sim::StallRecord>();
  for (uint64_t window = 0; window < cycles / sim::StallRecord::kWindow; ++window) {
    sim::StallRecord::set(closed->sinks, 0, window, ~uint64_t{0});
  }
  sim::RunSpec spec = spec_of(name, "", 0, settings);
  spec.stall.recorded = closed;
  return run(name, spec, packets);
}

// Frames of a beat each in front of a compressor that waits, and frames that are too long. (What
// they do not reach: docs/verification.md, Depths.)
TEST(Depths, ManyFramesWaitForTheCompressor) {
  const auto datagram = [](size_t floats) {
    nic::Host host{.tcp = false, .payload = nic::bytes_of(std::vector<float>(floats, 1e6F))};
    return packet_of(host.frame());
  };
  nic::Host first = segment(200);  // more beats than the output queue has places
  first.tos = 0;
  // Values that do not shrink: three frames fill most of the stream queue, a fourth the rest.
  for (size_t groups = 150; groups <= 160; ++groups) {
    std::vector<sim::RawPacket> packets = {packet_of(first.frame())};
    packets.insert(packets.end(), 3, datagram(2243));
    packets.push_back(datagram(8 * groups));
    for (size_t i = 0; i < 40; ++i) packets.push_back(packet_of(nic::Frame(1 + i % 32, 0xFF)));
    packets.push_back(datagram(2));
    behind_a_closed_sink("nic_tx", packets, 4096);
    ASSERT_FALSE(HasFailure()) << groups;
  }
}

TEST(Depths, ThreeFramesAreTooLong) {
  nic::Host host = segment(9014);
  host.trailer = 300;
  behind_a_closed_sink("nic_tx", std::vector<sim::RawPacket>(7, packet_of(host.frame())), 4096,
                       {{"grid", "packet"}});
}

// A packed frame of few beats that decodes to many blocks nic_rx; frames of a beat each wait behind
// it, as many as its queues of frames hold beats.
TEST(Depths, ManyFramesWaitForTheDecompressor) {
  nic::NicConfig config;
  config.grid = nic::Grid::kPacket;
  const nic::Frame zeros = nic::NicTx(config).pack(segment(54 + 1408).frame()).frame;
  std::vector<sim::RawPacket> packets(2, packet_of(zeros));
  for (size_t i = 0; i < 90; ++i) packets.push_back(packet_of(nic::Frame(1 + i % 32, 0xFF)));
  packets.push_back(packet_of(zeros));
  behind_a_closed_sink("nic_rx", packets, 1024);
  packets.erase(packets.begin(), packets.begin() + 2);
  behind_a_closed_sink("nic_rx", packets, 1024);
}

/// The words that an update of IPv4's checksum adds up, without the checksum's own: a shorter total
/// length and nic_tx's protocol, or a longer one and TCP.
uint32_t words_of_update(bool tx, uint32_t saved) {
  constexpr uint32_t kTcp = 6, kPacked = 253;
  return tx ? 0xFF00 + (0xFF ^ kTcp) + kPacked + (0xFFFF ^ saved) : saved + 0xFFFF - kPacked + kTcp;
}

// Checksums are updated, whatever they are, and there is one in some 10,000 whose first fold
// carries again; so do the sums of what encoding takes away.
TEST(Checksums, WhoseFirstFoldCarriesAgain) {
  for (const bool tx : {true, false}) {
    const char* const name = tx ? "nic_tx" : "nic_rx";
    std::vector<sim::RawPacket> packets;
    size_t rare = 0;
    for (const uint32_t payload : {128u, 1408u}) {
      nic::Host host = segment(54 + payload);
      nic::Frame frame = host.frame();
      if (!tx) {
        nic::NicConfig config;
        config.grid = nic::Grid::kPacket;
        frame = nic::NicTx(config).pack(frame).frame;
      }
      const uint32_t others = words_of_update(tx, payload - 4 - payload / 16);
      for (uint32_t checksum = 0; checksum < 0x10000; ++checksum) {
        const uint32_t sum = others + (0xFFFF ^ checksum);
        const bool again = (sum & 0xFFFF) + (sum >> 16) > 0xFFFF;
        rare += again;
        if (!again && checksum % 0x1111 != 0) continue;
        capture::store16(frame, 24, checksum);
        packets.push_back(packet_of(frame));
      }
    }
    EXPECT_GT(rare, 0u) << name;
    // A group's half words that are taken away add up to 0x1FFFF, of which the fold is 0x10000.
    nic::Host host = segment(54 + 128);
    for (const size_t at : {0u, 4u, 36u, 40u}) capture::store16(host.payload, at, 0xFFFF);
    host.payload[8] = host.payload[44] = 1;
    if (tx) packets.push_back(packet_of(host.frame()));
    const sim::Outcome outcome =
        run(name, spec_of(name, "", 0, tx ? Settings{{"grid", "packet"}} : Settings{}), packets);
    EXPECT_EQ(outcome.sections["nic"][tx ? "tx" : "rx"]["reasons"],
              (nlohmann::json{{tx ? "packed" : "unpacked", packets.size()}}));
  }
}

void expect_refused(const std::string& name, const sim::RunSpec& spec, const std::string& says) {
  try {
    device(name).check(spec);
    ADD_FAILURE() << "not refused: " << says;
  } catch (const sim::UsageError& error) {
    EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
  }
}

TEST(Options, AreRefusedWhereTheyMeanNothing) {
  expect_refused("nic_tx", spec_of("nic_tx", "hosts", 0, {{"mark", "256"}}), "--mark '256'");
  expect_refused("nic_tx", spec_of("nic_tx", "hosts", 0, {{"mark-mask", "0xG"}}), "--mark-mask");
  expect_refused("nic_tx", spec_of("nic_tx", "hosts", 0, {{"grid", "bytes"}}), "--grid");
  expect_refused("nic_tx", spec_of("nic_tx", "hosts", 0, {{"bound", "15"}}), "--bound");
  expect_refused("nic_rx", spec_of("nic_rx", "wire", 0, {{"pack", "yes"}}), "--pack");
  sim::RunSpec wire = spec_of("nic_rx", "", 0, {{"bound", "6"}});
  wire.stimulus = {.trace = "wire.pcap"};
  expect_refused("nic_rx", wire, "--bound has no effect");
  wire.options.set("pack", "yes");
  device("nic_rx").check(wire);
}

}  // namespace
}  // namespace gw::tests::devices_test
