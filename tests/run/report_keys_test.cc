// docs/formats/report.md has every key that reports of runs have, and no other.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sim/feeds/random_table.h"
#include "sim/feeds/stimulus.h"
#include "sim/report/json.h"
#include "sim/run/run.h"
#include "testbenches/registry.h"
#include "tests/run/toy_device.h"

namespace gw::tests::report_keys_test {
namespace {

using nlohmann::json;
using Keys = std::map<std::string, std::string>;  ///< with a run that prints it

/// Leaves of a document: `a.b`, and of a list of objects `a[].b`.
void collect(const json& value, const std::string& path, const std::string& run, Keys& keys) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) {
      collect(inner, path.empty() ? key : path + "." + key, run, keys);
    }
  } else if (value.is_array() && !value.empty() && value.front().is_object()) {
    for (const json& inner : value) collect(inner, path + "[]", run, keys);
  } else {
    keys.emplace(path, run);
  }
}

void add(Keys& keys, const json& report, const std::string& run) {
  collect(sim::public_json(report), "", run, keys);
}

sim::RunSpec spec_of(const sim::Device& device) {
  sim::RunSpec spec;
  spec.rtl = false;
  spec.clock_mhz = device.facts().clock_mhz;
  spec.options = sim::OptionSet(device.facts().options);
  spec.line_rates = {10, 25};
  return spec;
}

/// Every device: each of its stimuli, functional coverage, and behind registers.
void add_devices(Keys& keys) {
  for (const auto& device : testbenches::registry().devices()) {
    for (const sim::SynthKind& kind : device->facts().stimuli) {
      sim::RunSpec spec = spec_of(*device);
      spec.stimulus = {.synth = kind.name, .packets = 60};
      spec.coverage.functional = true;
      spec.reset_after = 20;
      add(keys, sim::run(*device, {.spec = spec, .command = ""}), device->name());
      if (!spec.options.knows("host") || spec.options.word("host") != "raw") continue;
      spec.options.set("host", "axi-lite");
      add(keys, sim::run(*device, {.spec = spec, .command = ""}), device->name() + " (registers)");
    }
  }
  const auto with = [&keys](const char* name, sim::StimulusSpec stimulus,
                            const std::vector<std::pair<const char*, const char*>>& options) {
    const sim::Device& device = testbenches::registry().device(name);
    sim::RunSpec spec = spec_of(device);
    spec.stimulus = std::move(stimulus);
    for (const auto& [option, value] : options) spec.options.set(option, value);
    add(keys, sim::run(device, {.spec = spec, .command = ""}), name);
  };
  const std::string traces = std::string(GRADWIRE_SOURCE_DIR) + "/traces/";
  with("compressor", {.trace = traces + "mixed.pcap", .packets = 50}, {});
  with("compressor", {.synth = "gradients", .packets = 500}, {});
  with("mx", {.synth = "mixed", .packets = 50}, {{"residual", "on"}});
  with("threshold", {.synth = "mixed", .packets = 50}, {{"coding", "rice"}});
  for (const char* name : {"dequantizer", "nic_rx"}) {
    const sim::Device& device = testbenches::registry().device(name);
    const auto kinds = testbenches::registry().random_kinds();
    with(name,
         {.random = sim::RandomTable::read(GRADWIRE_SOURCE_DIR "/plans/random.toml#hostile",
                                           *device.facts().random, kinds),
          .packets = 300},
         {});
  }
  with("nic_tx", {.trace = traces + "mixed.pcap", .packets = 500}, {});
  for (const char* name : {"compressor", "nic_tx"}) {
    with(name, {.trace = std::string(GRADWIRE_SOURCE_DIR) + "/tests/capture/cases/midstream.pcap"},
         {});
  }
  with("nic_rx", {.trace = traces + "mixed.pcap", .packets = 500}, {{"pack", "1"}});
  with("switch", {.trace = traces + "expether-faults.pcap", .filter = "greater 1"}, {});
  with("optimizer", {.synth = "workers", .packets = 100}, {{"lr-at", "2:0.1"}});
}

/// A toy that goes wrong in each way in which a run can.
class Failing final : public ToyDevice<Beat> {
 public:
  explicit Failing(std::function<void(sim::Outcome&)> bend) : bend_(std::move(bend)) {}
  sim::Outcome run(sim::Source& source, const sim::RunSpec& spec, sim::Kernel& kernel,
                   sim::PacketWriter* writer) const override {
    sim::Outcome outcome = ToyDevice::run(source, spec, kernel, writer);
    if (spec.against) {
      *spec.rtl_notes = {.files = {{"other.f", "rom.hex", "rom.hex"}}, .drawn = true};
    }
    bend_(outcome);
    return outcome;
  }

 private:
  std::function<void(sim::Outcome&)> bend_;
};

void add_failures(Keys& keys) {
  const auto with = [&keys](const std::function<void(sim::Outcome&)>& bend,
                            const std::function<void(sim::RunSpec&)>& asked) {
    const Failing device(bend);
    sim::RunSpec spec;
    spec.clock_mhz = 250;
    auto stimulus = std::make_shared<sim::Stimulus>();
    stimulus->packets.resize(3, {.bytes = {1, 2, 3}});
    spec.stimulus.recorded = stimulus;
    asked(spec);
    add(keys, sim::run(device, {.spec = spec, .command = "gradwire run"}), "a toy");
  };
  const auto as_it_is = [](auto&) {};
  with(
      [](sim::Outcome& outcome) {
        outcome.passed = false;
        outcome.failure = {.kind = sim::FailureKind::kLockstep, .cycle = 7, .port = "m_axis"};
      },
      as_it_is);
  with([](sim::Outcome& outcome) { outcome.interrupted = true; }, as_it_is);
  with([](sim::Outcome& outcome) { outcome.wave_error = "no room"; }, as_it_is);
  with(as_it_is, [](sim::RunSpec& spec) {
    spec.netlist = "generic";
    spec.mutant = {.count = 10, .number = 3};
    spec.against = sim::UserRtl{"other.f", "other"};
  });
}

struct Page {
  std::set<std::string> keys;
  std::vector<std::string> without_meaning;
};

/// Rows of its tables: | `key` | unit | meaning |.
Page page() {
  std::ifstream file(GRADWIRE_SOURCE_DIR "/docs/formats/report.md");
  Page page;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| `")) continue;
    const size_t end = line.find("` |");
    const std::string key = line.substr(3, end - 3);
    page.keys.insert(key);
    const size_t meaning = line.find(" | ", end + 3);
    if (end == std::string::npos || meaning == std::string::npos || meaning < end + 5 ||
        line.size() < meaning + 3 + 4 + 2) {  // "mean |"
      page.without_meaning.push_back(key);
    }
  }
  return page;
}

/// `*` stands for a name, `**` for all that is below.
bool matches(const std::string& pattern, const std::string& key) {
  size_t p = 0, k = 0;
  while (p < pattern.size()) {
    if (pattern.compare(p, 2, "**") == 0) return k < key.size();
    if (pattern[p] == '*') {
      const size_t begin = k;
      while (k < key.size() && key[k] != '.' && key[k] != '[') ++k;
      if (k == begin) return false;
      ++p;
    } else {
      if (k == key.size() || key[k] != pattern[p]) return false;
      ++p, ++k;
    }
  }
  return k == key.size();
}

TEST(ReportKeys, PatternsMatchWhatTheySay) {
  EXPECT_TRUE(matches("a.*.b", "a.x y.b"));
  EXPECT_FALSE(matches("a.*.b", "a.b"));
  EXPECT_FALSE(matches("a.*", "a.b.c"));
  EXPECT_TRUE(matches("a.**", "a.b[].c"));
  EXPECT_FALSE(matches("a", "ab"));
}

TEST(ReportKeys, ThePageHasThoseThatRunsPrintAndNoOthers) {
  Keys printed;
  add_devices(printed);
  add_failures(printed);
  ASSERT_GT(printed.size(), 150u);
  const Page documented = page();
  EXPECT_GT(documented.keys.size(), 100u);
  for (const std::string& key : documented.without_meaning) {
    ADD_FAILURE() << "docs/formats/report.md says no unit or no meaning of " << key;
  }
  for (const auto& [key, run] : printed) {
    const bool known = std::ranges::any_of(
        documented.keys,
        [&name = key](const std::string& pattern) { return matches(pattern, name); });
    EXPECT_TRUE(known) << "a report of " << run << " has the key '" << key
                       << "', which docs/formats/report.md does not have";
  }
  for (const std::string& pattern : documented.keys) {
    const bool seen = std::ranges::any_of(
        printed, [&pattern](const auto& key) { return matches(pattern, key.first); });
    EXPECT_TRUE(seen) << "docs/formats/report.md has the key '" << pattern
                      << "', which no run prints";
  }
}

}  // namespace
}  // namespace gw::tests::report_keys_test
