// What the tests of the NIC's devices share: devices by name, runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "sim/feeds/source.h"
#include "sim/harness/kernel.h"
#include "sim/run/run.h"
#include "testbenches/nic/devices.h"
#include "testbenches/nic/options.h"
#include "tests/support.h"

namespace gw::tests {

inline const sim::Device& device(const std::string& name) {
  static const sim::Registry kRegistry = [] {
    sim::Registry registry;
    testbenches::add_nic_devices(registry);
    return registry;
  }();
  return kRegistry.device(name);
}

using Settings = std::initializer_list<std::pair<const char*, std::string>>;

inline sim::RunSpec spec_of(const std::string& name, const std::string& synth, uint64_t packets,
                            Settings settings = {}) {
  sim::RunSpec spec;
  spec.seed = seed();
  spec.clock_mhz = device(name).facts().clock_mhz;
  spec.options = sim::OptionSet(device(name).facts().options);
  for (const auto& [option, value] : settings) spec.options.set(option, value);
  spec.stimulus = {.synth = synth, .packets = packets};
  spec.keep_rows = true;
  return spec;
}

/// Runs the packets, or else what the spec's stimulus holds.
inline sim::Outcome run(const std::string& name, const sim::RunSpec& spec,
                        std::vector<sim::RawPacket> packets = {}) {
  std::unique_ptr<sim::Source> source = std::make_unique<sim::ListSource>(packets);
  if (packets.empty()) source = device(name).source(spec);
  sim::Outcome outcome = device(name).run(*source, spec, sim::Kernel::instance());
  EXPECT_TRUE(outcome.passed) << name << ": " << explain(outcome.failure);
  return outcome;
}

inline uint64_t longest(const sim::Distribution& cycles) { return cycles.rows().back().first; }

}  // namespace gw::tests
