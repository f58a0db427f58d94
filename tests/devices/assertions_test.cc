// What runs for speed is built without the assertions of the RTL (GW_ASSERT). So every device of
// the registry, bare and behind registers, has runs here in which they are checked and hold: good
// and bad traffic, stalls on both sides, a reset in mid-traffic. They run with a waveform, because
// all RTL that is built for waves has its assertions (tests/engine/start_values_test.cc).
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "sim/feeds/random_table.h"
#include "sim/harness/kernel.h"
#include "testbenches/registry.h"
#include "tests/support.h"

namespace gw::tests::assertions_test {
namespace {

namespace fs = std::filesystem;

struct Variant {
  const sim::Device* device;
  bool hosted;
};

std::string name_of(const Variant& v) {
  return v.device->name() + (v.hosted ? "_behind_registers" : "");
}

void PrintTo(const Variant& v, std::ostream* out) { *out << name_of(v); }

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const auto& device : testbenches::registry().devices()) {
    all.push_back({device.get(), false});
    // A NIC's --host is an address, not who sets it.
    const sim::OptionSet options(device->facts().options);
    if (options.knows("host") && options.word("host") == "raw") all.push_back({device.get(), true});
  }
  return all;
}

class Assertions : public testing::TestWithParam<Variant> {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("gw_assertions_" + std::to_string(::getpid()) + "_" + name_of(GetParam()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// The smallest RTL of the device. The waveform is of one cycle: it is not what costs time.
  sim::RunSpec spec() const {
    const sim::Device& device = *GetParam().device;
    sim::RunSpec spec;
    spec.seed = seed() * 1000 + 1;
    spec.clock_mhz = device.facts().clock_mhz;
    spec.cache = GW_TEST_CACHE;
    spec.quick_build = true;
    spec.wave = sim::WaveSpec{.path = (folder_ / "w.fst").string(), .from = 0, .to = 0};
    spec.options = sim::OptionSet(device.facts().options);
    for (const auto& [name, value] : {std::pair{"pes", "2"}, {"profile", "fast"}, {"rows", "64"}}) {
      if (spec.options.knows(name)) spec.options.set(name, value);
    }
    if (GetParam().hosted) spec.options.set("host", "axi-lite");
    return spec;
  }

  fs::path folder_;
};

TEST_P(Assertions, Hold) {
  const sim::Device& device = *GetParam().device;
  std::vector<sim::RunSpec> runs;
  for (const sim::SynthKind& kind : device.facts().stimuli) {
    runs.push_back(spec());
    runs.back().stimulus = {.synth = kind.name, .packets = 40};
    runs.back().stall = sim::StallSpec::parse("both:30");
  }
  for (const char* table : {"edges", "hostile"}) {
    runs.push_back(spec());
    sim::StimulusSpec& stimulus = runs.back().stimulus;
    stimulus.packets = 100;
    stimulus.random =
        sim::RandomTable::read(std::string(GRADWIRE_SOURCE_DIR "/plans/random.toml#") + table,
                               *device.facts().random, testbenches::registry().random_kinds());
    runs.back().stall.source = stimulus.random->stalls("source");
    runs.back().stall.sink = stimulus.random->stalls("sink");
    runs.back().reset_after = 100;
  }
  for (const sim::RunSpec& run : runs) {
    SCOPED_TRACE(run.stimulus.synth + ", reset after " + std::to_string(run.reset_after));
    const auto source = device.source(run);
    const sim::Outcome outcome = device.run(*source, run, sim::Kernel::instance());
    EXPECT_TRUE(outcome.passed) << explain(outcome.failure);
    EXPECT_GT(outcome.timeline.cycles, 100u);
    EXPECT_TRUE(fs::remove(run.wave->path)) << "it is the build for waves";
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, Assertions, testing::ValuesIn(variants()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace gw::tests::assertions_test
