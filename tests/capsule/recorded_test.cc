// What drove a run drives another one in just the same way, of every device: through the files of a
// capsule, whatever random traffic and stalls make of it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "sim/capsule/stimulus_files.h"
#include "sim/harness/kernel.h"
#include "testbenches/registry.h"
#include "tests/support.h"

namespace gw::tests::recorded_test {
namespace {

namespace fs = std::filesystem;

struct Point {
  const sim::Device* device;
  std::string table;  ///< of random traffic; empty: a synthetic stimulus, and both:30
  bool hosted = false;
};

std::string name_of(const Point& p) {
  return p.device->name() + "_" + (p.table.empty() ? "synth" : p.table) +
         (p.hosted ? "_hosted" : "");
}
void PrintTo(const Point& point, std::ostream* out) { *out << name_of(point); }

std::vector<Point> points() {
  std::vector<Point> all;
  for (const auto& device : testbenches::registry().devices()) {
    for (const char* table : {"edges", "hostile"}) all.push_back({device.get(), table});
    all.push_back({device.get(), ""});
    const sim::OptionSet options(device->facts().options);
    if (options.knows("host") && options.word("host") == "raw") {  // a NIC's is an address
      all.push_back({device.get(), "", true});
    }
  }
  return all;
}

sim::RunSpec spec_of(const Point& point) {
  const auto& [device, table, hosted] = point;
  sim::RunSpec spec;
  spec.seed = seed() + 4;
  spec.clock_mhz = device->facts().clock_mhz;
  spec.options = sim::OptionSet(device->facts().options);
  if (hosted) spec.options.set("host", "axi-lite");
  spec.stimulus.packets = 100;
  spec.keep_rows = true;
  // Behind registers the RTL would have to be built first; the model is the same, cycle by cycle.
  spec.rtl = !hosted;
  if (table.empty()) {
    spec.stimulus.synth = device->facts().stimuli.front().name;
    spec.stall = sim::StallSpec::parse("both:30");
  } else {
    spec.stimulus.random =
        sim::RandomTable::read(fmt::format("{}/plans/random.toml#{}", GRADWIRE_SOURCE_DIR, table),
                               *device->facts().random, testbenches::registry().random_kinds());
    spec.stall.source = spec.stimulus.random->stalls("source");
    spec.stall.sink = spec.stimulus.random->stalls("sink");
  }
  return spec;
}

class Recorded : public testing::TestWithParam<Point> {};

TEST_P(Recorded, DrivesTheSameRun) {
  const sim::Device& device = *GetParam().device;
  sim::RunSpec spec = spec_of(GetParam());
  sim::Recording recording;
  spec.recording = &recording;
  const auto source = device.source(spec);
  sim::RecordingSource recorder(*source);
  const sim::Outcome first = device.run(recorder, spec, sim::Kernel::instance());
  ASSERT_TRUE(first.passed) << explain(first.failure);
  EXPECT_FALSE(recording.stalls.none());

  const fs::path folder = fs::temp_directory_path() /
                          fmt::format("gradwire-recorded-{}-{}", getpid(), name_of(GetParam()));
  fs::create_directories(folder);
  const sim::Stimulus written{
      .name = {}, .packets = recorder.take(), .stalls = std::move(recording.stalls)};
  sim::capsule::write_stimulus(written, device.facts(), folder);
  const auto read =
      std::make_shared<const sim::Stimulus>(sim::capsule::read_stimulus(device.facts(), folder));
  fs::remove_all(folder);
  EXPECT_EQ(read->stalls, written.stalls);

  sim::Recording again;
  spec.recording = &again;
  spec.stimulus = {};
  spec.stimulus.recorded = read;
  spec.stall.source.reset();
  spec.stall.sink.reset();
  spec.stall.recorded = {read, &read->stalls};
  sim::RecordedSource packets(read);
  const sim::Outcome second = device.run(packets, spec, sim::Kernel::instance());
  ASSERT_TRUE(second.passed) << explain(second.failure);
  EXPECT_EQ(again.accepted, recording.accepted);
  EXPECT_EQ(second.timeline.cycles, first.timeline.cycles);
  EXPECT_EQ(second.timeline.skipped, first.timeline.skipped);
  EXPECT_EQ(second.statistics, first.statistics);
  EXPECT_EQ(second.timeline.accesses.size(), first.timeline.accesses.size());
  ASSERT_EQ(second.timeline.rows.size(), first.timeline.rows.size());
  for (size_t i = 0; i < first.timeline.rows.size(); ++i) {
    sim::Passage a = first.timeline.rows[i], b = second.timeline.rows[i];
    a.trace_number = b.trace_number = 0;
    ASSERT_TRUE(a == b) << "passage " << i << ": accepted " << a.accepted << " and " << b.accepted
                        << ", offered " << a.offered << " and " << b.offered;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, Recorded, testing::ValuesIn(points()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace gw::tests::recorded_test
