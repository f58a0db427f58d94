// The matrix: every device of the registry x stalls x stimuli x seeds. RTL and model agree in every
// cycle, every packet is the reference's, and each engine alone does the same in the same cycles.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "sim/base/random.h"
#include "sim/harness/kernel.h"
#include "testbenches/registry.h"
#include "tests/sanitized.h"
#include "tests/support.h"

namespace gw::tests::matrix_test {
namespace {

/// Beside the stimuli that a device names: packets with bytes, lengths and times that follow no
/// rule.
constexpr const char* kUnruly = "unruly";

struct Point {
  const sim::Device* device;
  std::string stall, stimulus;
  uint64_t salt;
};

std::string name_of(const Point& p) {
  std::string name =
      p.device->name() + "_" + p.stall + "_" + p.stimulus + "_" + std::to_string(p.salt);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ':' || c == '-'; }, '_');
  return name;
}

void PrintTo(const Point& point, std::ostream* out) { *out << name_of(point); }

/// For sanitizers each stimulus of each device once, under one stall or another.
std::vector<Point> points() {
  std::vector<Point> all;
  for (const auto& device : testbenches::registry().devices()) {
    std::vector<std::string> stimuli = {kUnruly};
    for (const sim::SynthKind& kind : device->facts().stimuli) stimuli.push_back(kind.name);
    size_t row = 0;  // of stall and salt
    for (const char* stall : {"none", "source:40", "sink:40", "both:40"}) {
      for (const uint64_t salt : {1, 2}) {
        for (size_t i = 0; i < stimuli.size(); ++i) {
          if (kSanitized && (row + i) % 8 != 0) continue;
          all.push_back({device.get(), stall, stimuli[i], salt});
        }
        ++row;
      }
    }
  }
  return all;
}

std::vector<sim::RawPacket> all_of(sim::Source& source) {
  std::vector<sim::RawPacket> packets;
  while (auto packet = source.next()) packets.push_back(std::move(*packet));
  return packets;
}

/// Beginnings of frames as a device knows them, with any bytes behind and of any length that a MAC
/// lets through; on several ports at once.
void make_unruly_frames(std::vector<sim::RawPacket>& packets, sim::Random& random, bool in_error) {
  int64_t time = 0;
  for (sim::RawPacket& packet : packets) {
    const size_t bytes = random.below(3) == 0 ? packet.bytes.size() : 60 + random.below(400);
    packet.bytes.resize(bytes);
    for (size_t i = 14 + random.below(60); i < bytes; i += 1 + random.below(20)) {
      packet.bytes[i] = static_cast<uint8_t>(random.next() >> 56);
    }
    // A gap of none, of some cycles, or long enough for silence.
    constexpr int64_t kNanoseconds[] = {0, 0, 40, 700, 20'000};
    time += kNanoseconds[random.below(5)];
    packet.time_ns = time;
    if (in_error) packet.error = random.below(6) == 0;
  }
}

/// Any number of any bytes, in error or not.
void make_unruly_gradients(std::vector<sim::RawPacket>& packets, sim::Random& random) {
  for (sim::RawPacket& packet : packets) {
    packet.bytes.resize(random.below(2) == 0 ? packet.bytes.size() : 1 + random.below(150));
    for (uint32_t n = random.below(10); n > 0; --n) {
      packet.bytes[random.below(static_cast<uint32_t>(packet.bytes.size()))] =
          static_cast<uint8_t>(random.next() >> 56);
    }
    packet.error = random.below(6) == 0;
  }
}

std::vector<sim::RawPacket> packets_of(const Point& point, sim::RunSpec& spec) {
  const sim::Device& device = *point.device;
  const bool frames = device.facts().frames;
  const bool unruly = point.stimulus == kUnruly;
  const auto& kinds = device.facts().stimuli;
  const auto has = [&](const char* name) {
    return std::ranges::any_of(kinds,
                               [&](const auto& kind) { return kind.name == std::string(name); });
  };
  const char* const base = has("workers") ? "workers" : has("mixed") ? "mixed" : kinds.front().name;
  spec.stimulus = {.synth = unruly ? base : point.stimulus, .packets = 60};
  std::vector<sim::RawPacket> packets = all_of(*device.source(spec));
  sim::Random random(spec.seed);
  if (!unruly) return packets;
  if (frames) {
    // On other ports tuser says something else.
    const sim::Port& port = device.facts().inputs.front();
    make_unruly_frames(packets, random, port.user_bits == 1 && !port.paced);
  } else {
    make_unruly_gradients(packets, random);
  }
  return packets;
}

/// Options that the linked RTL can follow, others for each seed.
void set_options(const Point& point, const sim::Device& device, sim::RunSpec& spec) {
  const auto set = [&spec](const char* name, uint64_t value) {
    if (spec.options.knows(name)) spec.options.set(name, std::to_string(value));
  };
  set("bound", 1 + spec.seed * 5 % 14);
  set("workers", 1 + point.salt * 2);
  set("depth", point.salt == 1 ? 1024 : 5);
  if (spec.options.knows("format")) {
    constexpr const char* kFormats[] = {"mxfp8", "mxfp4", "mxfp8-e5m2"};
    spec.options.set("format", kFormats[(point.stimulus.size() + point.salt) % 3]);
  }
  if (spec.options.knows("scale")) {
    spec.options.set("scale", point.stall.size() % 2 == 1 ? "up" : "floor");
  }
  if (spec.options.knows("residual")) {
    spec.options.set("residual", point.salt == 1 ? "on" : "off");
  }
  if (spec.options.knows("method")) {
    constexpr std::pair<const char*, const char*> kMethods[] = {
        {"wgt", "mask"}, {"bgt", "mask"}, {"qgt", "rice"}, {"bgt", "rice"}, {"qgt", "mask"}};
    const auto& [method, coding] =
        kMethods[(point.stimulus.size() + 3 * point.stall.size() + point.salt) % 5];
    spec.options.set("method", method).set("coding", coding);
  }
  if (device.facts().frames && spec.options.knows("grid"))
    spec.options.set("grid", point.salt == 1 ? "packet" : "stream");
  if (spec.options.knows("mode")) spec.options.set("mode", point.salt == 1 ? "paper" : "bounded");
  for (const char* fault : {"duplicate", "reorder", "malformed", "foreign"}) set(fault, 10);
}

class Matrix : public testing::TestWithParam<Point> {};

TEST_P(Matrix, EnginesAgreeInEveryCycleAndWithTheReference) {
  const Point& point = GetParam();
  const sim::Device& device = *point.device;
  sim::RunSpec spec;
  spec.seed = seed() * 1000 + point.salt;
  spec.clock_mhz = device.facts().clock_mhz;
  spec.stall = sim::StallSpec::parse(point.stall);
  spec.options = sim::OptionSet(device.facts().options);
  spec.keep_rows = true;
  set_options(point, device, spec);
  SCOPED_TRACE("seed " + std::to_string(spec.seed));
  const std::vector<sim::RawPacket> packets = packets_of(point, spec);
  ASSERT_GE(packets.size(), 20u);
  sim::Kernel& kernel = sim::Kernel::instance();
  const auto run = [&](bool rtl, bool model) {
    sim::RunSpec one = spec;
    one.rtl = rtl;
    one.model = model;
    sim::ListSource source(packets);
    return device.run(source, one, kernel);
  };

  const sim::Outcome both = run(true, true);
  ASSERT_TRUE(both.passed) << explain(both.failure);
  const sim::Timeline& t = both.timeline;
  // All went in, something came out, and all of it was compared.
  EXPECT_EQ(t.sum_in<&sim::Timeline::Port::packets>(), packets.size());
  uint64_t bytes = 0;
  for (const sim::RawPacket& packet : packets) bytes += packet.bytes.size();
  EXPECT_EQ(t.sum_in<&sim::Timeline::Port::bytes>(), bytes);
  EXPECT_GT(t.rows.size(), packets.size() / 10);
  EXPECT_EQ(t.rows.size(), t.packets_out());
  EXPECT_EQ(t.lockstep_cycles, t.cycles);
  EXPECT_EQ(both.statistics.size(), device.facts().statistics.size());
  const uint64_t source_stalls = t.sum_in<&sim::Timeline::Port::environment_stalls>();
  const uint64_t sink_stalls = t.sum_out<&sim::Timeline::Port::environment_stalls>();
  // Of zeros the decompressor takes a beat every sixteen cycles: seldom enough that no stall is
  // met.
  if (spec.stall.source_percent == 0 || point.stimulus == kUnruly) {
    EXPECT_EQ(source_stalls != 0, spec.stall.source_percent > 0);
  }
  EXPECT_EQ(sink_stalls != 0, spec.stall.sink_percent > 0);

  for (const bool rtl : {true, false}) {
    SCOPED_TRACE(rtl ? "rtl alone" : "model alone");
    const sim::Outcome alone = run(rtl, !rtl);
    ASSERT_TRUE(alone.passed) << explain(alone.failure);
    EXPECT_EQ(alone.timeline.lockstep_cycles, 0u);
    EXPECT_EQ(alone.timeline.cycles, t.cycles);
    EXPECT_TRUE(alone.timeline.rows == t.rows);
    EXPECT_TRUE(alone.timeline.in == t.in);
    EXPECT_TRUE(alone.timeline.out == t.out);
    EXPECT_EQ(alone.statistics, both.statistics);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, Matrix, testing::ValuesIn(points()),
                         [](const auto& info) { return name_of(info.param); });

// A registry that lost a device would make a shorter matrix: the test `cards_of_devices` sees it.
TEST(Registry, EveryDeviceSaysWhatItIs) {
  for (const auto& device : testbenches::registry().devices()) {
    EXPECT_FALSE(device->facts().stimuli.empty()) << device->name();
    EXPECT_FALSE(device->facts().summary.empty()) << device->name();
  }
}

}  // namespace
}  // namespace gw::tests::matrix_test
