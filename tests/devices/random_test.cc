// Constrained-random traffic through every device of the registry: RTL, model and reference agree
// on whatever the shipped tables make, and what is drawn does not depend on who hesitates when.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>

#include "models/reference/codec.h"
#include "models/reference/expether/frame.h"
#include "models/reference/quant/quantiser.h"
#include "sim/base/error.h"
#include "sim/feeds/writer.h"
#include "sim/harness/kernel.h"
#include "testbenches/registry.h"
#include "tests/sanitized.h"
#include "tests/support.h"

namespace gw::tests::random_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPlans = GRADWIRE_SOURCE_DIR "/plans/random.toml";

sim::RunSpec spec_of(const sim::Device& device, const std::string& table, uint64_t seed,
                     uint64_t packets) {
  sim::RunSpec spec;
  spec.seed = seed;
  spec.clock_mhz = device.facts().clock_mhz;
  spec.options = sim::OptionSet(device.facts().options);
  spec.stimulus.packets = packets;
  spec.stimulus.random =
      sim::RandomTable::read(std::string(kPlans) + "#" + table, *device.facts().random,
                             testbenches::registry().random_kinds());
  spec.stall.source = spec.stimulus.random->stalls("source");
  spec.stall.sink = spec.stimulus.random->stalls("sink");
  return spec;
}

std::vector<sim::RawPacket> all_of(sim::Source& source) {
  std::vector<sim::RawPacket> packets;
  while (auto packet = source.next()) packets.push_back(std::move(*packet));
  return packets;
}

struct Point {
  const sim::Device* device;
  std::string table;
  uint64_t salt;
};

std::string name_of(const Point& p) {
  return p.device->name() + "_" + p.table + "_" + std::to_string(p.salt);
}

void PrintTo(const Point& point, std::ostream* out) { *out << name_of(point); }

/// For sanitizers each table once, with one salt or the other.
std::vector<Point> points() {
  std::vector<Point> all;
  uint64_t turn = 0;
  for (const auto& device : testbenches::registry().devices()) {
    for (const char* table : {"gentle", "edges", "hostile", "spaced"}) {
      ++turn;
      for (const uint64_t salt : {1, 2}) {
        if (!kSanitized || salt == 1 + turn % 2) all.push_back({device.get(), table, salt});
      }
    }
  }
  return all;
}

class RandomTraffic : public testing::TestWithParam<Point> {};

TEST_P(RandomTraffic, EnginesAndReferenceAgree) {
  const auto& [device, table, salt] = GetParam();
  sim::RunSpec spec = spec_of(*device, table, seed() * 1000 + salt, 150);
  // The same for all packets, or drawn for each.
  const auto set = [&, salt = salt](const char* name, const std::string& value) {
    if (salt == 1 && spec.options.knows(name)) spec.options.set(name, value);
  };
  set("bound", std::to_string(1 + spec.seed % 14));
  set("mode", "paper");
  set("format", table == "hostile" ? "mxfp8-e5m2" : "mxfp4");
  set("scale", "up");
  set("residual", table == "gentle" ? "off" : "on");
  set("method", table == "edges" ? "bgt" : table == "spaced" ? "wgt" : "qgt");
  if (table != "spaced" && spec.options.knows("method")) set("coding", "rice");
  set("grid", "packet");
  const auto source = device->source(spec);
  const sim::Outcome outcome = device->run(*source, spec, sim::Kernel::instance());
  ASSERT_TRUE(outcome.passed) << explain(outcome.failure);
  EXPECT_EQ(outcome.timeline.lockstep_cycles, outcome.timeline.cycles);
  EXPECT_GT(outcome.timeline.packets_out(), 20u);
  const nlohmann::json& trace = source->facts().trace;
  EXPECT_EQ(trace["random"], std::string(kPlans) + "#" + table);
  EXPECT_EQ(trace["packets"], (outcome.timeline.sum_in<&sim::Timeline::Port::packets>()));
  if (table == "hostile") EXPECT_GT(trace["faults"].size(), 2u) << trace;
  if (table == "gentle") EXPECT_FALSE(trace.contains("faults")) << trace;
}

// Whatever a reset meets, nothing of it is left: the run behind it is that of a device that has
// just been switched on, in each of its figures.
TEST_P(RandomTraffic, IsTheSameBehindAResetInItsMidst) {
  const auto& [device, table, salt] = GetParam();
  sim::RunSpec spec = spec_of(*device, table, seed() * 1000 + salt, kSanitized ? 30 : 60);
  const auto run = [&, device = device](uint64_t reset_after) {
    spec.reset_after = reset_after;
    const auto source = device->source(spec);
    sim::Outcome outcome = device->run(*source, spec, sim::Kernel::instance());
    outcome.sections.erase("baselines");  // with seconds in it
    return outcome;
  };
  const sim::Outcome plain = run(0);
  ASSERT_TRUE(plain.passed) << explain(plain.failure);
  // A cycle in, in the midst of packets, and when all is over.
  for (const uint64_t cycles :
       {uint64_t{1}, plain.timeline.cycles / 3 + salt, plain.timeline.cycles + 100}) {
    const sim::Outcome behind = run(cycles);
    ASSERT_TRUE(behind.passed) << cycles << ": " << explain(behind.failure);
    EXPECT_EQ(behind.timeline.cycles, plain.timeline.cycles) << cycles;
    EXPECT_EQ(behind.timeline.lockstep_cycles, plain.timeline.lockstep_cycles) << cycles;
    EXPECT_EQ(behind.timeline.packets_out(), plain.timeline.packets_out()) << cycles;
    EXPECT_EQ((behind.timeline.sum_out<&sim::Timeline::Port::bytes>()),
              (plain.timeline.sum_out<&sim::Timeline::Port::bytes>()))
        << cycles;
    EXPECT_EQ(behind.statistics, plain.statistics) << cycles;
    EXPECT_EQ(behind.sections, plain.sections) << cycles;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, RandomTraffic, testing::ValuesIn(points()),
                         [](const auto& info) { return name_of(info.param); });

class EveryDevice : public testing::TestWithParam<const sim::Device*> {};

bool same(const sim::RawPacket& a, const sim::RawPacket& b) {
  return a.bytes == b.bytes && a.port == b.port && a.error == b.error && a.gap == b.gap &&
         a.time_ns == b.time_ns && a.config == b.config && a.meta == b.meta &&
         a.values == b.values && a.odd.size() == b.odd.size();
}

TEST_P(EveryDevice, DrawsByTheSeedAlone) {
  const sim::Device& device = *GetParam();
  const auto drawn = [&](uint64_t seed, uint64_t packets) {
    return all_of(*device.source(spec_of(device, "hostile", seed, packets)));
  };
  const auto first = drawn(1, 120), again = drawn(1, 120), other = drawn(2, 120),
             more = drawn(1, 150);
  ASSERT_EQ(first.size(), again.size());
  size_t differ = 0;
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_TRUE(same(first[i], again[i])) << i;
    // What is late comes at once when nothing else does.
    if (i + 20 < first.size()) EXPECT_TRUE(same(first[i], more[i])) << i;
    differ += i >= other.size() || !same(first[i], other[i]);
  }
  EXPECT_GT(differ, first.size() / 2);
}

TEST_P(EveryDevice, ReadsTheCaptureOfWhatWasDrawn) {
  const sim::Device& device = *GetParam();
  const std::string file =
      (fs::temp_directory_path() / ("gradwire-random-" + std::to_string(getpid()) + ".pcap"))
          .string();
  sim::RunSpec spec = spec_of(device, "gentle", 4, 100);
  // A capture does not say how a packet's pins were set.
  for (const auto& [option, value] : {std::pair{"bound", "9"}, {"mode", "bounded"}}) {
    if (spec.options.knows(option)) spec.options.set(option, value);
  }
  sim::CapturedSource writing(device.source(spec), {.path = file}, device.facts().frames);
  const auto drawn = all_of(writing);
  writing.close();
  // It is of several hosts; a NIC takes one's alone unless it is told.
  if (spec.options.knows("host") && spec.options.word("host").empty()) {
    spec.options.set("host", "any");
  }
  spec.stimulus = {.trace = file};
  const auto read = all_of(*device.source(spec));
  fs::remove(file);
  ASSERT_EQ(read.size(), drawn.size());
  for (size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].bytes, drawn[i].bytes) << i;
    EXPECT_EQ(read[i].port, drawn[i].port) << i;
    EXPECT_EQ(read[i].meta, drawn[i].meta) << i;
    if (device.facts().paced()) EXPECT_EQ(read[i].time_ns, drawn[i].time_ns) << i;
  }
}

std::vector<const sim::Device*> devices() {
  std::vector<const sim::Device*> all;
  for (const auto& device : testbenches::registry().devices()) all.push_back(device.get());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Devices, EveryDevice, testing::ValuesIn(devices()),
                         [](const auto& info) { return info.param->name(); });

TEST(Silence, IsSkippedOrNotWithTheSameRows) {
  size_t paced = 0;
  for (const sim::Device* const device : devices()) {
    if (!device->facts().paced()) continue;
    ++paced;
    const auto rows = [&](const char* table, bool skip) {
      sim::RunSpec spec = spec_of(*device, table, 3, 80);
      spec.skip_idle = skip;
      spec.keep_rows = true;
      auto packets = all_of(*device->source(spec));
      for (size_t i = 0; i < packets.size(); ++i) {
        packets[i].time_ns += 20'000 * static_cast<int64_t>(i / 10);
      }
      sim::ListSource source(std::move(packets));
      sim::Outcome outcome = device->run(source, spec, sim::Kernel::instance());
      EXPECT_TRUE(outcome.passed) << explain(outcome.failure);
      EXPECT_EQ(outcome.timeline.skipped != 0, skip);
      return outcome.timeline.rows;
    };
    for (const char* table : {"hostile", "spaced"}) {
      EXPECT_TRUE(rows(table, true) == rows(table, false)) << device->name() << " " << table;
    }
  }
  EXPECT_GE(paced, 1u) << "the switch";
}

// The words of a table that only some devices know: each makes what it says.

std::shared_ptr<const sim::RandomTable> table_of(const sim::Device& device,
                                                 const std::string& keys) {
  return sim::RandomTable::parse("[random.t]\n" + keys, "plan.toml", "t", *device.facts().random,
                                 testbenches::registry().random_kinds());
}

nlohmann::json faults(const std::string& name, const std::string& error) {
  const sim::Device& device = testbenches::registry().device(name);
  sim::RunSpec spec = spec_of(device, "gentle", 5, rounds(60u));
  spec.stimulus.random = table_of(device, "error = { none = 1, " + error + " = 1 }");
  const auto source = device.source(spec);
  const sim::Outcome outcome = device.run(*source, spec, sim::Kernel::instance());
  EXPECT_TRUE(outcome.passed) << name << " " << error << ": " << explain(outcome.failure);
  return source->facts().trace["faults"];
}

TEST(Errors, OfEveryKindAloneInEveryDevice) {
  for (const sim::Device* const device : devices()) {
    const auto& keys = device->facts().random->keys;
    const auto error = std::ranges::find(keys, "error", &sim::RandomKey::name);
    ASSERT_NE(error, keys.end()) << device->name();
    EXPECT_GE(error->ways.size(), 5u) << device->name();
    for (const sim::RandomWay& way : error->ways) {
      if (way.name == "none") continue;
      const nlohmann::json counts = faults(device->name(), way.name);
      EXPECT_TRUE(counts.contains(way.name)) << device->name() << " " << way.name;
      if (!counts.contains(way.name)) continue;
      if (kSanitized) continue;
      EXPECT_NEAR(counts[way.name].get<double>(), 30, 15) << device->name() << " " << way.name;
    }
  }
}

std::vector<sim::RawPacket> packets(const std::string& name, const std::string& keys,
                                    uint64_t seed = 6) {
  const sim::Device& device = testbenches::registry().device(name);
  sim::RunSpec spec = spec_of(device, "gentle", seed, 200);
  spec.stimulus.random = table_of(device, keys);
  return all_of(*device.source(spec));
}

TEST(Streams, LengthsLeaveValuesAsTheyAre) {
  const auto shorter = packets("compressor", "length = { list = { of = [3, 9] } }");
  const auto longer = packets("compressor", "length = { range = { from = 20, to = 50 } }");
  ASSERT_EQ(shorter.size(), longer.size());
  for (size_t i = 0; i < shorter.size(); ++i) {
    const auto& bytes = shorter[i].bytes;
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), longer[i].bytes.begin())) << i;
  }
}

TEST(Streams, ErrorsAndGapsLeaveOtherPacketsAsTheyAre) {
  const auto right = packets("decompressor", "");
  const auto wrong = packets("decompressor",
                             "error = { none = 4, flag = 1, bad_keep = 1 }\n"
                             "gap = { range = { from = 1, to = 9 } }");
  ASSERT_EQ(right.size(), wrong.size());
  size_t errors = 0;
  for (size_t i = 0; i < right.size(); ++i) {
    EXPECT_EQ(right[i].bytes, wrong[i].bytes) << i;
    EXPECT_EQ(right[i].gap, 0u);
    EXPECT_GE(wrong[i].gap, 1u);
    EXPECT_LE(wrong[i].gap, 9u);
    errors += wrong[i].error || !wrong[i].odd.empty();
  }
  EXPECT_NEAR(static_cast<double>(errors), 67, 25);
}

TEST(Errors, SparseGroupsHaveEveryClassAndPayloadsThatNoEncoderMakes) {
  std::array<size_t, 4> classes = {};
  size_t small_halves = 0;  // BYTE would have done
  for (const auto& packet : packets("decompressor", "error = { sparse = 1 }")) {
    const std::vector<uint8_t>& bytes = packet.bytes;
    size_t at = 0;
    while (at < bytes.size()) {
      const auto tags = static_cast<uint16_t>(bytes[at] | bytes[at + 1] << 8);
      const size_t end = at + static_cast<size_t>(reference::encoded_group_bytes(tags));
      ASSERT_LE(end, bytes.size());
      at += 2;
      for (int lane = 0; lane < 8; ++lane) {
        const int tag = tags >> 2 * lane & 3;
        ++classes[static_cast<size_t>(tag)];
        small_halves += tag == 2 && (bytes[at + 1] & 0x7F) == 0;
        const size_t next = at + std::array<size_t, 4>{0, 1, 2, 4}[static_cast<size_t>(tag)];
        for (; at < next; ++at) EXPECT_LE(std::popcount(bytes[at]), 1);
      }
      EXPECT_EQ(at, end);
    }
  }
  const size_t all = std::accumulate(classes.begin(), classes.end(), size_t{0});
  for (const size_t of_class : classes) {
    EXPECT_NEAR(static_cast<double>(of_class), 0.25 * static_cast<double>(all),
                0.02 * static_cast<double>(all));
  }
  EXPECT_GT(small_halves, classes[2] / 2);
}

/// What the frames of an exchange are, whose ExpEther frames are all of one kind.
std::vector<reference::expether::Classified> frames_of(const std::string& keys,
                                                       reference::expether::Kind kind) {
  std::vector<reference::expether::Classified> frames;
  for (const auto& packet : packets("aggregator", keys)) {
    const auto what = reference::expether::classify(packet.bytes);
    if (what.kind == kind) frames.push_back(what);
  }
  EXPECT_EQ(frames.size(), 200u) << keys;
  return frames;
}

/// Values of workers that take turns, 32 a frame.
std::vector<std::vector<uint32_t>> values_with_peer(const std::string& peer) {
  namespace expether = reference::expether;
  std::vector<std::vector<uint32_t>> frames;
  for (const auto& packet : packets("aggregator",
                                    "length = { list = { of = [192] } }\n"
                                    "frame = { gradient = 1 }\npeer = { " +
                                        peer + " = 1 }")) {
    const expether::Classified what = expether::classify(packet.bytes);
    if (what.kind == expether::Kind::kGradient) {
      frames.push_back(expether::values_of(packet.bytes, what));
    }
  }
  EXPECT_EQ(frames.size(), 200u) << peer;
  return frames;
}

TEST(Values, ReachTheEndsOfTheirClasses) {
  std::set<uint32_t> exponents;
  for (const auto& packet : packets("compressor",
                                    "value = { large = 1 }\nneighbour = { free = 1 }\n"
                                    "length = { list = { of = [64] } }")) {
    for (size_t i = 3; i < packet.bytes.size(); i += 4) {
      exponents.insert((packet.bytes[i] & 0x7Fu) << 1 | packet.bytes[i - 1] >> 7);
    }
  }
  EXPECT_EQ(*exponents.begin(), 127u);
  EXPECT_EQ(*exponents.rbegin(), 254u);
  EXPECT_EQ(exponents.size(), 128u);
}

TEST(Values, OfPeersCancel) {
  const auto equal = values_with_peer("equal"), negated = values_with_peer("negated"),
             near = values_with_peer("near");
  std::set<int> lost;  // leading bits
  for (size_t frame = 1; frame < 200; ++frame) {
    for (size_t i = 0; i < 32; ++i) {
      ASSERT_EQ(equal[frame][i], equal[0][i]);
      ASSERT_EQ(negated[frame][i], negated[frame - 1][i] ^ 0x8000'0000);
      const uint32_t differ = near[frame][i] ^ near[frame - 1][i] ^ 0x8000'0000;
      ASSERT_LT(differ, 1u << 24);
      lost.insert(std::countl_zero(differ));
    }
  }
  EXPECT_EQ(lost.size(), 25u);
}

TEST(Values, OfPeersAreATieOrNextToOne) {
  const auto tie = values_with_peer("tie");
  std::set<std::pair<int, int>> ties;  // places between them, ones in what is lost
  for (size_t frame = 1; frame < 200; ++frame) {
    for (size_t i = 0; i < 32; ++i) {
      const uint32_t value = tie[frame][i];
      const int places =
          static_cast<int>(tie[frame - 1][i] >> 23 & 0xFF) - static_cast<int>(value >> 23 & 0xFF);
      if (places < 2 || places > 27) continue;  // where the peer's exponent is too small, any
      const uint32_t significand = (value & 0x7F'FFFF) | 0x80'0000;
      const uint32_t lost = significand & ((1u << places) - 1);
      const bool half = places > 24 || lost >> (places - 1) == 1;
      if (half) ties.emplace(places, std::popcount(lost));
    }
  }
  for (int places = 2; places <= 27; ++places) {
    EXPECT_TRUE(ties.contains({places, 1})) << places;
    EXPECT_TRUE(ties.contains({places, 2})) << places;
  }
}

TEST(Stations, OfGuestsHaveAddressesFromAnywhere) {
  std::map<uint64_t, uint32_t> ports;  // of stations, by address, as they introduce themselves
  std::set<uint64_t> senders, receivers;
  uint64_t either = 0, all = ~uint64_t{0};
  for (const auto& packet : packets("switch", "from = { guest = 1 }\nto = { guest = 1 }")) {
    const auto address = [&packet](size_t at) {
      uint64_t value = 0;
      for (size_t i = 0; i < 6; ++i) value = value << 8 | packet.bytes[at + i];
      return value;
    };
    const uint64_t from = address(6);
    if (!packet.measured) {
      EXPECT_TRUE(ports.emplace(from, packet.port).second) << "once";
      EXPECT_EQ(packet.port, (ports.size() - 1) % 4);
      continue;
    }
    ASSERT_TRUE(ports.contains(from) && ports.contains(address(0)));
    EXPECT_EQ(ports[from], packet.port);
    senders.insert(from);
    receivers.insert(address(0));
    either |= from;
    all &= from;
  }
  EXPECT_EQ(ports.size(), 20u) << "the four stations, too";
  EXPECT_EQ(senders.size(), 16u);
  EXPECT_EQ(receivers.size(), 16u);
  EXPECT_EQ(either, 0xFEFF'FFFF'FFFFu) << "every bit is 1 in some, but that of groups";
  EXPECT_EQ(all, 0u);
}

TEST(Numbers, MayBeABitAway) {
  using reference::expether::Kind;
  const auto frames = frames_of(
      "frame = { gradient = 1 }\nsequence = { near = 1 }\n"
      "iteration = { near = 1 }\nworker = { near = 1 }",
      Kind::kGradient);
  std::set<uint32_t> sequences, iterations, workers;
  for (uint32_t i = 0; i < frames.size(); ++i) {  // of three workers and 16 sequence numbers
    sequences.insert(frames[i].fields.sequence ^ i / 3 % 16);
    iterations.insert(frames[i].fields.iteration ^ (1 + i / 3 / 16));
    workers.insert(frames[i].fields.worker ^ i % 3);
  }
  for (const auto* differ : {&sequences, &iterations, &workers}) {
    for (const uint32_t bit : *differ) EXPECT_TRUE(std::has_single_bit(bit)) << bit;
  }
  EXPECT_GE(sequences.size(), 25u);
  EXPECT_GE(iterations.size(), 25u);
  EXPECT_EQ(workers.size(), 16u);
}

TEST(Numbers, OfPlainTypesMayBeAny) {
  using reference::expether::Kind;
  std::set<unsigned> near, any, counts;
  for (const auto& what : frames_of("frame = { plain = 1 }\ntype = { near = 1 }", Kind::kPlain)) {
    const unsigned type = what.fields.type;
    EXPECT_TRUE(std::has_single_bit(type ^ 1) || std::has_single_bit(type ^ 2)) << type;
    near.insert(type);
    counts.insert(what.fields.count);
  }
  EXPECT_EQ(near.size(), 13u);
  EXPECT_GE(counts.size(), 100u);
  for (const auto& what : frames_of("frame = { plain = 1 }\ntype = { any = 1 }", Kind::kPlain)) {
    any.insert(what.fields.type);
  }
  EXPECT_GE(any.size(), 100u);
  EXPECT_GE(*any.begin(), 3u);
}

TEST(Numbers, OfAckMakeAChecksumZeroIfAsked) {
  namespace expether = reference::expether;
  for (const char* share : {"any", "zero"}) {
    std::set<uint32_t> acks;
    size_t zero = 0, carry = 0;
    for (const auto& packet : packets("parser", std::string("checksum = { ") + share + " = 1 }")) {
      if (!packet.measured) continue;
      const expether::Classified what = expether::classify(packet.bytes);
      ASSERT_EQ(what.reason, expether::Reason::kNone) << "the checksum is right";
      const auto at = [&packet](size_t i) {
        return unsigned{packet.bytes[i]} << 8 | packet.bytes[i + 1];
      };
      zero += at(expether::kChecksumOffset) == 0;
      carry += what.kind == expether::Kind::kGradient;
      acks.insert(what.fields.ack);
    }
    EXPECT_EQ(zero, share == std::string("zero") ? acks.size() : 0) << share;
    EXPECT_GE(acks.size(), 100u);
    EXPECT_GE(carry, 50u) << "not of plain frames alone";
  }
}

TEST(Numbers, OfValuesLeaveRoomForAnythingIfAsked) {
  namespace expether = reference::expether;
  constexpr size_t kValues = 20;
  for (const bool part : {false, true}) {
    std::set<unsigned> counts;
    std::set<uint32_t> behind;
    for (const auto& packet :
         packets("parser",
                 fmt::format("length = {{ list = {{ of = [{}] }} }}\n"
                             "frame = {{ gradient = 1 }}\nroom = {{ {} = 1 }}",
                             expether::kPayloadOffset + 4 * kValues, part ? "part" : "all"))) {
      if (!packet.measured) continue;
      const expether::Classified what = expether::classify(packet.bytes);
      ASSERT_EQ(what.reason, expether::Reason::kNone);
      ASSERT_EQ(packet.bytes.size(), expether::kPayloadOffset + 4 * kValues);
      counts.insert(what.fields.count);
      for (size_t i = what.fields.count; i < kValues; ++i) {
        uint32_t value = 0;
        std::memcpy(&value, &packet.bytes[expether::kPayloadOffset + 4 * i], sizeof value);
        behind.insert(value);
      }
    }
    EXPECT_EQ(counts.size(), part ? kValues : 1);
    EXPECT_EQ(*counts.rbegin(), kValues);
    EXPECT_EQ(behind.size() >= 100, part) << "it is anything, and not only zeros";
  }
}

std::vector<uint32_t> floats_of(const sim::RawPacket& packet) {
  std::vector<uint32_t> values(packet.bytes.size() / 4);
  std::memcpy(values.data(), packet.bytes.data(), values.size() * 4);
  return values;
}

TEST(Values, OfChunksMeetThoseBefore) {
  const auto values = [](const std::string& peer) {
    std::vector<std::vector<uint32_t>> chunks;
    for (const auto& packet :
         packets("adaptive", "length = { list = { of = [16] } }\npeer = { " + peer + " = 1 }")) {
      chunks.push_back(floats_of(packet));
    }
    return chunks;
  };
  const auto equal = values("equal"), negated = values("negated"), near = values("near");
  std::set<int> lost;  // leading bits
  for (size_t chunk = 1; chunk < 200; ++chunk) {
    for (size_t i = 0; i < 16; ++i) {
      ASSERT_EQ(equal[chunk][i], equal[0][i]);
      ASSERT_EQ(negated[chunk][i], negated[chunk - 1][i] ^ 0x8000'0000);
      const uint32_t differ = near[chunk][i] ^ near[chunk - 1][i] ^ 0x8000'0000;
      ASSERT_LT(differ, 1u << 24);
      lost.insert(std::countl_zero(differ));
    }
  }
  EXPECT_EQ(lost.size(), 25u);
}

TEST(Values, OfChunksMeetWhatIsLeftInTheirRows) {
  // As adaptive's options say when none is given.
  reference::quant::Quantiser device(*reference::quant::parse_config("adaptive").config);
  std::vector<uint8_t> sent;
  std::set<int> lost;  // leading bits
  const auto chunks =
      packets("adaptive",
              "length = { range = { from = 9, to = 40 } }\nrow = { same = 3, next = 1 }\n"
              "value = { gradient = 1 }\nerror = { none = 4, flag = 1, early = 1, cut = 1 }\n"
              "peer = { left = 1 }\nsettings = { options = 1 }");
  size_t met = 0;
  for (const sim::RawPacket& packet : chunks) {
    const std::vector<uint32_t> words = floats_of(packet);
    std::vector<float> values(words.size());
    const auto row = static_cast<uint32_t>(packet.meta & 0xFF'FFFF);
    for (size_t i = 0; i < words.size(); ++i) {
      values[i] = std::bit_cast<float>(words[i]);
      const auto left = std::bit_cast<uint32_t>(device.residuals()[size_t{row} * 8 + i]);
      const uint32_t differ = words[i] ^ left ^ 0x8000'0000;
      if (differ >= 1u << 24) continue;
      ++met;
      if (left != 0) lost.insert(std::countl_zero(differ));
    }
    device.encode({.values = values,
                   .row = row,
                   .announced = static_cast<uint32_t>(packet.meta >> 32) & 0xF'FFFF,
                   .ragged = packet.bytes.size() % 4 != 0,
                   .error = packet.error},
                  sent);
  }
  size_t all = 0;
  for (const sim::RawPacket& packet : chunks) all += packet.bytes.size() / 4;
  EXPECT_GT(met, all * 3 / 4) << "all but what lies behind the values of the chunk before";
  EXPECT_EQ(lost.size(), 25u);
}

TEST(Values, AreFollowedByZerosOfTheirRows) {
  const std::string keys =
      "length = { range = { from = 9, to = 40 } }\nvalue = { gradient = 1 }\n"
      "row = { next = 1 }\npeer = { equal = 1 }\n";
  const auto plain = packets("mx", keys);
  const auto drained = packets("mx", keys + "drain = { range = { from = 2, to = 3 } }");
  std::map<size_t, size_t> runs;  // of zeros
  size_t run = 0;
  for (size_t i = 1; i < drained.size(); ++i) {
    const auto values = floats_of(drained[i]);
    if (std::ranges::all_of(values, [](uint32_t value) { return value == 0; })) {
      ++run;
      EXPECT_EQ(drained[i].meta, drained[i - 1].meta) << "row and length";
      EXPECT_EQ(drained[i].bytes.size(), drained[i - 1].bytes.size());
    } else {
      ++runs[run];
      run = 0;
      EXPECT_EQ(values[0], floats_of(plain[0])[0]) << "peers are of chunks that are no zeros";
    }
  }
  EXPECT_EQ(runs.size(), 2u);
  EXPECT_GT(runs[2], 15u);
  EXPECT_GT(runs[3], 15u);
}

TEST(Errors, OfChunksThatEndInAnotherWay) {
  const std::string keys = "length = { list = { of = [8, 13, 16] } }\nerror = { ";
  for (const auto& packet : packets("mx", keys + "tail = 1 }")) {
    const uint64_t n = packet.meta >> 32 & 0xF'FFFF;
    ASSERT_EQ(packet.odd.size(), 1u);
    EXPECT_EQ(packet.odd[0].beat, (n + 7) / 8) << "behind all values";
    EXPECT_EQ(packet.odd[0].keep, 0u);
    EXPECT_EQ((packet.bytes.size() + 31) / 32, (n + 7) / 8 + 1);
  }
  for (const auto& packet : packets("mx", keys + "early_flag = 1 }")) {
    EXPECT_TRUE(packet.error);
    EXPECT_GT(packet.meta >> 32 & 0xF'FFFF, packet.bytes.size() / 4);
  }
}

TEST(Values, OfThresholdMeetMultiplesOfT) {
  constexpr float kT = 0x1p-10f;  // unless an option says another
  const auto values = [](const std::string& way) {
    std::vector<uint32_t> all;
    for (const auto& packet :
         packets("threshold", "settings = { options = 1 }\nthreshold = { " + way + " = 1 }")) {
      for (size_t i = 0; i + 4 <= packet.bytes.size(); i += 4) {
        uint32_t value = 0;
        std::memcpy(&value, &packet.bytes[i], 4);
        all.push_back(value & 0x7FFF'FFFF);
      }
    }
    return all;
  };
  std::set<uint32_t> multiples;
  std::set<int> ulps, same;  // leading bits
  for (const uint32_t value : values("multiple")) {
    const float m = std::round(std::bit_cast<float>(value) / kT);
    multiples.insert(static_cast<uint32_t>(m));
    ulps.insert(static_cast<int>(value - std::bit_cast<uint32_t>(m * kT)));
  }
  EXPECT_EQ(multiples.size(), 256u);
  EXPECT_EQ(*multiples.begin(), 1u);
  EXPECT_EQ(ulps, (std::set<int>{-1, 0, 1}));
  const auto near = values("near");
  const auto beyond = [](uint32_t value) {  // the nearest multiple
    const float m = std::bit_cast<float>(value) / kT;
    return m - std::round(m);
  };
  EXPECT_TRUE(std::ranges::any_of(near, [&](uint32_t value) { return beyond(value) < 0; }));
  EXPECT_TRUE(std::ranges::any_of(near, [&](uint32_t value) { return beyond(value) > 0; }));
  for (const uint32_t value : near) same.insert(std::countl_zero(value ^ 0x3A80'0000));
  EXPECT_GT(same.size(), 15u);
}

TEST(Errors, WrongTlpsAndForeignGroupsMayBeABitAway) {
  namespace expether = reference::expether;
  std::set<std::pair<int, bool>> tlps;
  for (const auto& packet : packets("parser",
                                    "frame = { gradient = 1 }\nerror = { malformed = 1 }\n"
                                    "malformed = { tlp_type = 1 }")) {
    const expether::Classified what = expether::classify(packet.bytes);
    if (what.reason != expether::Reason::kTlpType) continue;
    tlps.emplace(what.fields.tlp_type, what.fields.tlp_digest);
  }
  EXPECT_TRUE(tlps.contains({0x20, false}) && tlps.contains({0x40, true}));
  EXPECT_GE(tlps.size(), 15u);
  std::set<unsigned> bits;
  size_t one = 0, frames = 0;
  for (const auto& packet : packets("parser", "frame = { gradient = 1 }\ngroup = { other = 1 }")) {
    const expether::Classified what = expether::classify(packet.bytes);
    if (what.kind != expether::Kind::kGradient) continue;
    const auto differ = static_cast<unsigned>(what.fields.group ^ 1);  // the run's own is 1
    ASSERT_NE(differ, 0u);
    ++frames;
    if (!std::has_single_bit(differ)) continue;
    ++one;
    bits.insert(differ);
  }
  EXPECT_NEAR(static_cast<double>(one), static_cast<double>(frames) / 2, 25);
  EXPECT_EQ(bits.size(), 16u);
}

TEST(Errors, AreOfWhatSaysWhatAFrameIs) {
  const auto bytes = [](const std::string& table) {
    std::vector<std::vector<uint8_t>> all;
    for (const auto& packet :
         packets("nic_tx",
                 "length = { list = { of = [200] } }\nheader = { tagged = 1 }\n"
                 "frame = { datagram = 1, syn = 3 }\n" +
                     table)) {
      all.push_back(packet.bytes);
    }
    return all;
  };
  const auto right = bytes("error = { none = 1 }");
  constexpr size_t kIp = 18, kTransport = 38;
  size_t ip = 0, tcp = 0;
  const auto shortened = bytes("error = { short = 1 }");
  ASSERT_EQ(shortened.size(), right.size());
  for (size_t i = 0; i < right.size(); ++i) {
    const auto &is = shortened[i], &was = right[i];
    ASSERT_LT(is.size(), was.size());
    const size_t lost = was.size() - is.size(), at = is[kIp] == was[kIp] ? kTransport + 12 : kIp;
    ASSERT_EQ(lost % 4, 0u);
    const size_t words = at == kIp ? is[kIp] & 15u : is[at] >> 4;
    EXPECT_EQ(words + lost / 4, 5u);
    EXPECT_EQ((is[kIp + 2] << 8 | is[kIp + 3]) + lost,
              static_cast<size_t>(was[kIp + 2] << 8 | was[kIp + 3]));
    EXPECT_TRUE(std::equal(is.end() - 2, is.end(), was.end() - 2));
    ++(at == kIp ? ip : tcp);
  }
  EXPECT_GT(ip, 50u);
  EXPECT_GT(tcp, 30u);
  std::set<std::pair<size_t, int>> bits;
  const auto bent = bytes("error = { header = 1 }");
  for (size_t i = 0; i < right.size(); ++i) {
    ASSERT_EQ(bent[i].size(), right[i].size());
    size_t differ = 0;
    for (size_t at = 0; at < right[i].size(); ++at) {
      const unsigned x = bent[i][at] ^ right[i][at];
      differ += x != 0;
      if (std::has_single_bit(x)) bits.emplace(at, std::countr_zero(x));
    }
    EXPECT_EQ(differ, 1u);
  }
  std::set<size_t> places;
  for (const auto& [at, bit] : bits) places.insert(at);
  EXPECT_EQ(places, (std::set<size_t>{12, 13, 16, 17, 18, 19, 20, 21, 24, 27, 42, 43, 50, 51}));
}

TEST(Frames, EndWithinTheirHeadersAndAreOfOtherProtocols) {
  std::set<size_t> sizes;
  for (const auto& packet : packets("nic_tx",
                                    "length = { list = { of = [400] } }\nheader = { plain = 1 }\n"
                                    "frame = { datagram = 1 }\nerror = { ends = 1 }")) {
    sizes.insert(packet.bytes.size());
  }
  EXPECT_EQ(*sizes.begin(), 1u);
  EXPECT_EQ(*sizes.rbegin(), 66u);  // 12 bytes behind TCP's least header, which it does not have
  EXPECT_GT(sizes.size(), 55u);
  size_t fragments = 0, empty = 0;
  for (const auto& packet : packets("nic_tx",
                                    "length = { list = { of = [90] } }\nheader = { plain = 1 }\n"
                                    "frame = { other = 1 }")) {
    const auto& frame = packet.bytes;
    const bool fragment = (frame[20] & 0x3F) != 0 || frame[21] != 0;
    ASSERT_TRUE(fragment || (frame[23] != 6 && frame[23] != 17));
    fragments += fragment;
    empty += (frame[16] << 8 | frame[17]) == 20;
  }
  EXPECT_NEAR(static_cast<double>(fragments), 100, 25);
  EXPECT_NEAR(static_cast<double>(empty), 100, 25);
}

TEST(Frames, HoldAnythingWhereNoEngineLooks) {
  std::array<uint8_t, 12> ones = {}, zeros = {};
  std::set<size_t> types;
  for (const auto& packet : packets("nic_tx", "frame = { datagram = 1 }\nheader = { any = 1 }")) {
    const auto& frame = packet.bytes;
    for (size_t i = 0; i < ones.size(); ++i) {
      ones[i] |= frame[i];
      zeros[i] |= static_cast<uint8_t>(~frame[i]);
    }
    const bool tagged = frame[12] == 0x81;
    const size_t ip = tagged ? 18 : 14;
    ASSERT_EQ(frame[ip - 2] << 8 | frame[ip - 1], 0x0800);
    ASSERT_EQ(frame[ip] >> 4, 4);
    ASSERT_EQ((frame[ip + 6] & 0x3F) << 8 | frame[ip + 7], 0);
    types.insert(tagged ? 100 + (frame[ip] & 15u) : frame[ip] & 15u);
    uint32_t sum = 0;
    for (size_t i = 0; i < 4 * size_t{frame[ip] & 15u}; i += 2) {
      sum += static_cast<uint32_t>(frame[ip + i] << 8 | frame[ip + i + 1]);
    }
    ASSERT_EQ((sum & 0xFFFF) + (sum >> 16), 0xFFFFu);
  }
  for (size_t i = 0; i < ones.size(); ++i) EXPECT_EQ(ones[i] & zeros[i], 0xFF) << i;
  EXPECT_EQ(types.size(), 22u);
}

TEST(Lengths, AreThoseAskedFor) {
  for (const auto& packet : packets("compressor", "length = { list = { of = [5] } }")) {
    EXPECT_EQ(packet.bytes.size(), 20u);
  }
  size_t whole = 0;
  for (const auto& packet :
       packets("parser", "length = { list = { of = [400] } }\nframe = { gradient = 1 }")) {
    whole += packet.bytes.size() == 400;
  }
  EXPECT_EQ(whole, 200u) << "and the frames by which stations introduce themselves";
  std::set<size_t> sizes;
  for (const auto& packet : packets("nic_tx",
                                    "length = { list = { of = [999] } }\n"
                                    "frame = { datagram = 1 }\nheader = { plain = 1 }")) {
    sizes.insert(packet.bytes.size());
  }
  // Payloads that are a multiple of four, and not.
  EXPECT_EQ(sizes, (std::set<size_t>{998, 999}));
}

TEST(Frames, AreRuntsAndComeFromAnyStationIfAsked) {
  std::set<size_t> sizes;
  std::set<uint32_t> ports;
  size_t introductions = 0;
  for (const auto& packet : packets("switch", "error = { runt = 1 }\nfrom = { station = 1 }")) {
    if (packet.bytes.size() >= 60) {
      ++introductions;
      continue;
    }
    sizes.insert(packet.bytes.size());
    ports.insert(packet.port);
  }
  EXPECT_EQ(introductions, 4u) << "of each station one";
  EXPECT_LE(*sizes.begin(), 4u);
  EXPECT_GE(*sizes.rbegin(), 56u);
  EXPECT_EQ(ports, (std::set<uint32_t>{0, 1, 2, 3}));
  // Else workers alone send: they are on ports 1 to 3.
  std::set<uint32_t> usual;
  for (const auto& packet : packets("switch", "error = { runt = 1 }")) {
    if (packet.bytes.size() < 60) usual.insert(packet.port);
  }
  EXPECT_EQ(usual, (std::set<uint32_t>{1, 2, 3}));
}

}  // namespace
}  // namespace gw::tests::random_test
