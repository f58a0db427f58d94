// Synthesised frames: as many as asked for, each accounted for, never faster than the wire, the
// same for a seed; and a capture of them gives them back.
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/switch/traffic.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "models/reference/capture/capture.h"
#include "models/reference/expether/frame.h"
#include "sim/base/error.h"
#include "testbenches/kit/wires.h"

namespace gw::testbenches::traffic_test {
namespace {

namespace fs = std::filesystem;
namespace expether = reference::expether;
using sim::Frame;
using sim::FrameList;
using sim::InputError;
using sim::UsageError;

FrameList load_frames(const std::string& path, uint64_t limit) {
  return sim::load_frames({.trace = path, .packets = limit}, 4, testbenches::kTenGbe);
}

const std::string kGradients = std::string(GRADWIRE_SOURCE_DIR) + "/traces/hdc-ring-middle.pcap";

std::vector<Frame> measured(const FrameList& source) {
  std::vector<Frame> frames;
  std::ranges::copy_if(source.frames, std::back_inserter(frames), &Frame::measured);
  return frames;
}

std::vector<expether::Classified> gradients_of(const std::vector<Frame>& frames) {
  std::vector<expether::Classified> out;
  for (const Frame& frame : frames) {
    const auto what = expether::classify(frame.bytes);
    if (what.kind == expether::Kind::kGradient) out.push_back(what);
  }
  return out;
}

uint64_t source_mac(const Frame& frame) {
  uint64_t mac = 0;
  for (size_t i = 6; i < 12; ++i) mac = mac << 8 | frame.bytes[i];
  return mac;
}

using Key = std::tuple<uint32_t, uint16_t, uint32_t>;  // iteration, worker, sequence
Key key_of(const expether::Classified& what) {
  return {what.fields.iteration, what.fields.worker, what.fields.sequence};
}

bool same_frames(const FrameList& a, const FrameList& b) {
  return std::ranges::equal(a.frames, b.frames, [](const Frame& x, const Frame& y) {
    return x.bytes == y.bytes && x.port == y.port && x.time_ns == y.time_ns;
  });
}

/// The first frame that no 10GbE wire could have carried so early; times are rounded down to
/// nanoseconds, so a frame began less than one after what its time says.
std::optional<size_t> too_early(const std::vector<Frame>& frames) {
  std::map<int, int64_t> free;  // tenths of a nanosecond
  for (size_t i = 0; i < frames.size(); ++i) {
    const Frame& f = frames[i];
    const int64_t time = (f.time_ns - frames[0].time_ns) * 10;
    const int64_t start = std::max(free[f.port], time);
    if (start >= time + 10) return i;
    free[f.port] = start + static_cast<int64_t>(f.bytes.size() + 24) * 8;
  }
  return std::nullopt;
}

TrafficOptions with_faults() {
  TrafficOptions options;
  options.workers = 5;
  options.iterations = 12;
  options.sequences = 40;
  options.loss = 5;
  options.duplicate = 8;
  options.reorder = 10;
  options.malformed = 6;
  options.foreign = 7;
  return options;
}

// ---- what every kind holds to

class EveryKind : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryKind, KeepsToTheWireAndToLegalLengths) {
  for (const uint64_t seed : {1u, 2u, 3u}) {
    const FrameList source = synthesise_frames(GetParam(), seed, 0, with_faults());
    EXPECT_FALSE(too_early(source.frames)) << *too_early(source.frames);
    EXPECT_TRUE(std::ranges::is_sorted(source.frames, {}, &Frame::time_ns));
    for (const Frame& frame : source.frames) {
      EXPECT_GE(frame.bytes.size(), 60u);
      EXPECT_LE(frame.bytes.size(), 9018u);
      EXPECT_GE(frame.port, 0);
      EXPECT_LT(frame.port, 4);
    }
    EXPECT_EQ(source.trace["selected"], source.frames.size());
  }
}

TEST_P(EveryKind, IntroducesEveryStationBeforeAnythingIsMeasured) {
  const FrameList source = synthesise_frames(GetParam(), 1, 0, with_faults());
  const auto first = std::ranges::find_if(source.frames, &Frame::measured);
  EXPECT_TRUE(std::all_of(first, source.frames.end(), [](const Frame& f) { return f.measured; }));
  std::map<uint64_t, int> ports;
  int64_t last = INT64_MIN / 2;
  for (auto f = source.frames.begin(); f != first; ++f) {
    EXPECT_TRUE(std::all_of(f->bytes.begin(), f->bytes.begin() + 6,
                            [](uint8_t byte) { return byte == 0xFF; }));
    EXPECT_GE(f->time_ns, last + 2000);
    last = f->time_ns;
    ports[source_mac(*f)] = f->port;
  }
  EXPECT_GE(first->time_ns, last + 8000);
  EXPECT_GE(ports.size(), 4u);
  for (auto f = first; f != source.frames.end(); ++f) {
    const auto port = ports.find(source_mac(*f));
    ASSERT_NE(port, ports.end());
    EXPECT_EQ(port->second, f->port);
  }
}

TEST_P(EveryKind, IsTheSameForASeedOnly) {
  TrafficOptions options = with_faults();
  const FrameList a = synthesise_frames(GetParam(), 5, 200, options);
  EXPECT_TRUE(same_frames(a, synthesise_frames(GetParam(), 5, 200, options)));
  EXPECT_FALSE(same_frames(a, synthesise_frames(GetParam(), 6, 200, options)));
}

TEST_P(EveryKind, StopsAtTheLimit) {
  for (const uint64_t limit : {1u, 7u, 100u}) {
    EXPECT_EQ(measured(synthesise_frames(GetParam(), 1, limit, {})).size(), limit);
  }
}

TEST_P(EveryKind, ComesBackFromACapture) {
  const fs::path file =
      fs::temp_directory_path() / fmt::format("gradwire-traffic-{}.pcap", getpid());
  TrafficOptions options = with_faults();
  options.workers = 16;
  options.sequences = 8;
  options.iterations = 4;
  const FrameList made = synthesise_frames(GetParam(), 4, 0, options);
  auto writer = capture::PcapWriter::open(file);
  ASSERT_TRUE(writer);
  for (const Frame& frame : made.frames) ASSERT_FALSE(writer->write(frame.time_ns, frame.bytes));
  ASSERT_FALSE(writer->close());
  const FrameList read = load_frames(file.string(), 0);
  EXPECT_TRUE(same_frames(made, read));
  EXPECT_TRUE(read.incomplete.empty());
  EXPECT_EQ(read.trace["selected"], made.frames.size());
  EXPECT_EQ(read.trace["padded"], 0);
  for (size_t i = 0; i < read.frames.size(); ++i) {
    EXPECT_EQ(read.frames[i].trace_number, i + 1);
  }
  EXPECT_EQ(load_frames(file.string(), 10).frames.size(), 10u);
  fs::remove(file);
}

INSTANTIATE_TEST_SUITE_P(Traffic, EveryKind, ::testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const sim::SynthKind& kind : frame_synth_kinds()) {
                             names.emplace_back(kind.name);
                           }
                           return names;
                         }()),
                         [](const ::testing::TestParamInfo<std::string>& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST_P(EveryKind, IsMadeAsItIsAskedFor) {
  // A million frames would be two hundred megabytes: who asks for ten waits for ten.
  const auto frames = open_synthetic_frames(GetParam(), 1, 1'000'000'000, with_faults());
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(frames->next());
  EXPECT_EQ(frames->facts().trace["packets"], 10);
}

// ---- line rate

TEST(Saturated, PortsHaveNoGap) {
  for (const auto& [kind, bytes, sources] : {std::tuple{"gradient-192", 192u, std::set{0, 1, 2, 3}},
                                             std::tuple{"ordinary-60", 60u, std::set{0, 1, 2, 3}},
                                             std::tuple{"incast", 192u, std::set{1, 2, 3}}}) {
    SCOPED_TRACE(kind);
    const auto frames = measured(synthesise_frames(kind, 1, 12'000, {}));
    std::map<int, std::vector<int64_t>> starts;
    for (const Frame& frame : frames) {
      EXPECT_EQ(frame.bytes.size(), bytes);
      starts[frame.port].push_back(frame.time_ns);
    }
    std::set<int> ports;
    for (const auto& [port, times] : starts) {
      ports.insert(port);
      const double each = (bytes + 24) * 0.8;
      for (size_t i = 0; i < times.size(); ++i) {
        // Rounded down to whole nanoseconds twice: no gap adds up over thousands of frames.
        EXPECT_NEAR(static_cast<double>(times[i] - times[0]), each * static_cast<double>(i), 1.0);
      }
    }
    EXPECT_EQ(ports, sources);
  }
}

TEST(Saturated, PermutationSendsEachPortToTheNextOneInSequencesOfItsOwn) {
  const auto frames = measured(synthesise_frames("gradient-192", 1, 4 * 600, {}));
  std::map<int, std::set<uint32_t>> sequences;
  std::set<std::pair<uint32_t, uint32_t>> seen;
  for (const Frame& frame : frames) {
    const auto what = expether::classify(frame.bytes);
    ASSERT_EQ(what.kind, expether::Kind::kGradient);
    EXPECT_EQ(what.fields.count, 32);
    EXPECT_EQ(what.fields.worker, 0);
    EXPECT_EQ((what.fields.source - 0x0200'0000'0001), static_cast<uint64_t>(frame.port));
    EXPECT_EQ((what.fields.destination - 0x0200'0000'0001),
              static_cast<uint64_t>((frame.port + 1) % 4));
    EXPECT_TRUE(seen.emplace(what.fields.iteration, what.fields.sequence).second);
    sequences[frame.port].insert(what.fields.sequence);
  }
  std::set<uint32_t> all;
  size_t sum = 0;
  for (const auto& [port, of_port] : sequences) {
    sum += of_port.size();
    all.insert(of_port.begin(), of_port.end());
  }
  EXPECT_EQ(all.size(), sum);  // disjoint
}

TEST(Saturated, OrdinaryFramesAreNotExpEther) {
  for (const Frame& frame : synthesise_frames("ordinary-60", 1, 400, {}).frames) {
    EXPECT_EQ(expether::classify(frame.bytes).kind, expether::Kind::kNotExpEther);
  }
}

TEST(Saturated, IncastSendsEveryWorkersFrameOfASequenceToTheHost) {
  const auto what = gradients_of(measured(synthesise_frames("incast", 1, 900, {})));
  ASSERT_EQ(what.size(), 900u);
  std::map<std::pair<uint32_t, uint32_t>, std::set<uint16_t>> workers;
  for (const auto& w : what) {
    EXPECT_EQ(w.fields.destination, 0x0200'0000'0001u);
    workers[{w.fields.iteration, w.fields.sequence}].insert(w.fields.worker);
  }
  EXPECT_EQ(workers.size(), 300u);
  for (const auto& [key, of] : workers) EXPECT_EQ(of, (std::set<uint16_t>{0, 1, 2}));
}

// ---- the exchange

TEST(Workers, WithoutFaultsEachSendsEverySequenceOfEveryIterationOnce) {
  for (const int workers : {1, 2, 3, 4, 7, 16}) {
    SCOPED_TRACE(workers);
    TrafficOptions options;
    options.workers = workers;
    options.iterations = 3;
    options.sequences = 10;
    options.first_iteration = 0xFFFF'FFFF;  // wraps
    options.group = 7;
    options.vlan = 99;
    const FrameList source = synthesise_frames("workers", 1, 0, options);
    const auto frames = measured(source);
    EXPECT_EQ(frames.size(), static_cast<size_t>(workers) * 30);
    std::set<Key> keys;
    for (const Frame& frame : frames) {
      const auto what = expether::classify(frame.bytes);
      ASSERT_EQ(what.kind, expether::Kind::kGradient);
      keys.insert(key_of(what));
      EXPECT_EQ(frame.bytes.size(), expether::kFullFrameBytes);
      EXPECT_EQ(frame.port, 1 + what.fields.worker % 3);
      EXPECT_EQ(what.fields.destination, 0x0200'0000'0001u);  // the host
      EXPECT_EQ(what.fields.group, 7);
      EXPECT_EQ(what.fields.tci, 99);
      EXPECT_LT(what.fields.sequence, 10u);
      EXPECT_LT(what.fields.worker, workers);
      EXPECT_LT(what.fields.iteration + 1, 3u);
    }
    EXPECT_EQ(keys.size(), frames.size());
    for (const auto& [fault, n] : source.trace.at("faults").items()) EXPECT_EQ(n, 0) << fault;
  }
}

TEST(Workers, EveryFaultIsAccountedFor) {
  for (const uint64_t seed : {1u, 2u, 3u, 4u}) {
    const TrafficOptions options = with_faults();
    const FrameList source = synthesise_frames("workers", seed, 0, options);
    const auto frames = measured(source);
    const auto& faults = source.trace.at("faults");
    const uint64_t lost = faults["lost"], duplicated = faults["duplicated"],
                   reordered = faults["reordered"], malformed = faults["malformed"],
                   foreign = faults["foreign"];
    constexpr uint64_t kSent = 5 * 12 * 40;
    EXPECT_EQ(frames.size(), kSent - lost + duplicated + malformed + foreign);

    std::map<Key, uint64_t> copies;
    uint64_t bad = 0;
    std::set<expether::Reason> reasons;
    for (const Frame& frame : frames) {
      const auto what = expether::classify(frame.bytes);
      if (what.kind == expether::Kind::kGradient) ++copies[key_of(what)];
      if (what.kind != expether::Kind::kMalformed) continue;
      ++bad;
      reasons.insert(what.reason);
    }
    EXPECT_EQ(bad, malformed);
    EXPECT_EQ(reasons.size(), expether::kReasonCount - 1);
    EXPECT_EQ(copies.size(), kSent - lost);
    EXPECT_EQ(std::ranges::count_if(copies, [](const auto& c) { return c.second == 2; }),
              static_cast<int64_t>(duplicated));
    EXPECT_TRUE(std::ranges::all_of(copies, [](const auto& c) { return c.second <= 2; }));

    // Within five standard deviations of what was asked for, or less.
    const auto near = [](uint64_t n, double of, double percent) {
      const double p = percent / 100;
      EXPECT_NEAR(static_cast<double>(n), of * p, 5 * std::sqrt(of * p * (1 - p))) << percent;
    };
    near(lost, kSent, options.loss);
    near(duplicated, static_cast<double>(kSent - lost), options.duplicate);
    near(malformed, kSent, options.malformed);
    near(foreign, kSent, options.foreign);
    near(reordered, static_cast<double>(frames.size()), options.reorder);
  }
}

TEST(Workers, OneFaultAloneDoesNothingElse) {
  TrafficOptions reorder, all_lost, all_twice;
  reorder.reorder = 30;
  all_lost.loss = 100;
  all_twice.duplicate = 100;
  const auto in_order = measured(synthesise_frames("workers", 1, 0, {}));
  const FrameList mixed_up = synthesise_frames("workers", 1, 0, reorder);
  const auto keys = [](const std::vector<Frame>& frames) {
    std::vector<Key> out;
    for (const auto& what : gradients_of(frames)) out.push_back(key_of(what));
    return out;
  };
  std::vector<Key> a = keys(in_order), b = keys(measured(mixed_up));
  EXPECT_NE(a, b);
  std::ranges::sort(a);
  std::ranges::sort(b);
  EXPECT_EQ(a, b);
  EXPECT_TRUE(measured(synthesise_frames("workers", 1, 0, all_lost)).empty());
  EXPECT_EQ(measured(synthesise_frames("workers", 1, 0, all_twice)).size(), 2 * in_order.size());
}

TEST(Workers, DuplicatesComeAtOnceLaterAndStale) {
  TrafficOptions options;
  options.workers = 1;
  options.duplicate = 30;
  std::map<Key, size_t> first;                // and how many frames came before it
  std::map<uint32_t, uint32_t> iteration_of;  // the sequence's slot at the switch
  size_t at_once = 0, later = 0, stale = 0;
  std::optional<Key> previous;
  for (const auto& what : gradients_of(measured(synthesise_frames("workers", 1, 0, options)))) {
    const Key key = key_of(what);
    const auto [seen, is_first] = first.emplace(key, first.size());
    uint32_t& slot = iteration_of[what.fields.sequence];
    if (!is_first) {
      EXPECT_LE(first.size() - 1 - seen->second, 8 + options.sequences);
      ++(previous == key ? at_once : later);
      stale += what.fields.iteration < slot;
    }
    slot = std::max(slot, what.fields.iteration);
    previous = key;
  }
  EXPECT_GT(at_once, 0u);
  EXPECT_GT(later, stale);
  EXPECT_GT(stale, 0u);
}

TEST(Workers, CapturedGradientsFillTheFramesInTheirOrder) {
  TrafficOptions options;
  options.gradients_trace = kGradients;
  std::vector<uint32_t> values;
  for (const sim::GradientPacket& packet : sim::read_all(*sim::open_trace({.trace = kGradients}))) {
    values.insert(values.end(), packet.values.begin(), packet.values.end());
  }
  std::set<size_t> windows;
  for (const Frame& frame : measured(synthesise_frames("workers", 1, 0, options))) {
    const auto what = expether::classify(frame.bytes);
    const size_t window =
        ((what.fields.iteration - 1) * 3 + what.fields.worker) * 16ull + what.fields.sequence;
    EXPECT_TRUE(windows.insert(window).second);
    const auto got = expether::values_of(frame.bytes, what);
    EXPECT_TRUE(
        std::equal(got.begin(), got.end(), values.begin() + static_cast<ptrdiff_t>(window * 32)));
  }
  EXPECT_EQ(windows.size(), 3u * 4 * 16);
}

// ---- anything

TEST(Anything, HoldsEveryKindReasonVlanAndLength) {
  const FrameList source = synthesise_frames("anything", 1, 0, {});
  std::set<expether::Kind> kinds;
  std::map<expether::Reason, int> reasons;
  std::set<unsigned> vlans;
  std::set<size_t> lengths;
  std::set<uint16_t> ether_types;
  for (const Frame& frame : source.frames) {
    const auto what = expether::classify(frame.bytes);
    kinds.insert(what.kind);
    ++reasons[what.reason];
    lengths.insert(frame.bytes.size());
    const capture::Layers layers = capture::decode(frame.bytes, frame.bytes.size());
    ether_types.insert(layers.ether_type);
    if (!layers.vlan.empty()) vlans.insert(layers.vlan[0]);
  }
  EXPECT_EQ(kinds.size(), expether::kKindCount);
  EXPECT_EQ(reasons.size(), expether::kReasonCount);
  for (const auto& [reason, n] : reasons) EXPECT_GT(n, 20) << name_of(reason);
  EXPECT_GT(vlans.size(), 20u);
  EXPECT_GE(ether_types.size(), 3u);  // ExpEther, IPv4, another
  EXPECT_EQ(*lengths.begin(), 60u);
  EXPECT_EQ(*lengths.rbegin(), 9018u);
  EXPECT_GT(lengths.size(), 100u);
}

// ---- irregular

TEST(Irregular, LeavesNothingAsRegularTrafficHasIt) {
  const FrameList source = synthesise_frames("irregular", 1, 4000, {});
  std::set<expether::Kind> kinds;
  std::map<expether::Reason, int> reasons;
  std::set<unsigned> priorities, dei, tails;
  std::set<uint32_t> iterations;
  std::map<int64_t, std::set<int>> begins;
  size_t padded = 0, null_bytes = 0, reserved = 0, flags = 0;
  for (const Frame& frame : measured(source)) {
    const auto what = expether::classify(frame.bytes);
    kinds.insert(what.kind);
    ++reasons[what.reason];
    tails.insert(static_cast<unsigned>(frame.bytes.size() % 32));
    begins[frame.time_ns].insert(frame.port);
    if (!what.carries_values()) continue;
    priorities.insert(what.fields.tci >> 13);
    dei.insert(what.fields.tci >> 12 & 1);
    iterations.insert(what.fields.iteration);
    flags += (what.fields.flags & ~3) != 0;
    const std::span<const uint8_t> bytes(frame.bytes);
    const auto nonzero = [](std::span<const uint8_t> some) {
      return std::ranges::any_of(some, [](uint8_t byte) { return byte != 0; });
    };
    reserved += nonzero(bytes.subspan(expether::kReservedOffset, 8));
    const auto padding = bytes.subspan(expether::kPayloadOffset + 4u * what.fields.count);
    padded += nonzero(padding);
    null_bytes += std::ranges::count(padding, 0) != 0 && nonzero(padding);
  }
  EXPECT_EQ(kinds.size(), expether::kKindCount);
  EXPECT_EQ(reasons.size(), expether::kReasonCount);
  EXPECT_EQ(tails.size(), 32u);  // every tkeep
  EXPECT_EQ(priorities.size(), 8u);
  EXPECT_EQ(dei.size(), 2u);
  EXPECT_TRUE(iterations.contains(0xFFFF'FFFF) && iterations.contains(0x8000'0000));
  EXPECT_GT(flags, 1000u);
  EXPECT_GT(reserved, 1000u);
  EXPECT_GT(padded, 1000u);
  EXPECT_GT(null_bytes, 500u);
  std::map<size_t, int> together;
  for (const auto& [time, ports] : begins) ++together[ports.size()];
  for (const size_t ports : {2u, 3u, 4u}) EXPECT_GT(together[ports], 10) << ports;
}

// ---- what is refused

template <typename Error>
void expect_refused(const std::string& kind, const TrafficOptions& options,
                    const std::string& part) {
  try {
    synthesise_frames(kind, 1, 10, options);
    FAIL() << part;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Refused, OptionsOutOfRange) {
  const auto options = [](auto change) {
    TrafficOptions o;
    change(o);
    return o;
  };
  using O = TrafficOptions;
  expect_refused<UsageError>("nonsense", {}, "irregular");
  expect_refused<UsageError>("workers", options([](O& o) { o.workers = 0; }), "--workers");
  expect_refused<UsageError>("workers", options([](O& o) { o.workers = 17; }), "--workers");
  expect_refused<UsageError>("workers", options([](O& o) { o.iterations = 0; }), "--iterations");
  expect_refused<UsageError>("workers", options([](O& o) { o.sequences = 0; }), "--sequences");
  expect_refused<UsageError>("workers", options([](O& o) { o.vlan = 4095; }), "--vlan");
  expect_refused<UsageError>("workers", options([](O& o) { o.loss = -1; }), "--loss");
  expect_refused<UsageError>("workers", options([](O& o) { o.duplicate = 100.5; }), "--duplicate");
  expect_refused<UsageError>("workers", options([](O& o) { o.reorder = NAN; }), "--reorder");
  expect_refused<UsageError>("workers", options([](O& o) { o.malformed = 1e9; }), "--malformed");
  expect_refused<UsageError>("workers", options([](O& o) { o.foreign = -0.1; }), "--foreign");
  expect_refused<UsageError>(
      "workers", options([](O& o) { o.iterations = o.sequences = UINT32_MAX; }), "more than");
}

TEST(Refused, FilesThatCannotBeRead) {
  TrafficOptions options;
  options.gradients_trace = "/nonexistent.pcap";
  expect_refused<InputError>("workers", options, "/nonexistent.pcap");
}

}  // namespace
}  // namespace gw::testbenches::traffic_test
