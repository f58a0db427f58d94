// What the tests of the optimizer switch's devices share: devices by name, specs, frames, runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "models/reference/expether/frame.h"
#include "sim/base/random.h"
#include "sim/feeds/frames.h"
#include "sim/harness/kernel.h"
#include "sim/run/device.h"
#include "testbenches/switch/switch_devices.h"
#include "testbenches/switch/traffic.h"
#include "tests/support.h"

namespace gw::testbenches::testing {

using tests::explain;
using tests::seed;

inline const sim::Device& device(const std::string& name) {
  static const sim::Registry kRegistry = [] {
    sim::Registry registry;
    add_switch_devices(registry);
    return registry;
  }();
  return kRegistry.device(name);
}

using Settings = std::initializer_list<std::pair<const char*, std::string>>;

inline sim::RunSpec spec_of(const std::string& name, Settings settings = {}) {
  sim::RunSpec spec;
  spec.clock_mhz = device(name).facts().clock_mhz;
  spec.options = sim::OptionSet(device(name).facts().options);
  for (const auto& [option, value] : settings) spec.options.set(option, value);
  spec.keep_rows = true;
  spec.cache = GW_TEST_CACHE;
  spec.quick_build = true;
  return spec;
}

inline sim::Outcome run(const std::string& name, sim::Source& source, const sim::RunSpec& spec) {
  sim::Outcome outcome = device(name).run(source, spec, sim::Kernel::instance());
  EXPECT_TRUE(outcome.passed) << explain(outcome.failure);
  return outcome;
}

/// The frames, one behind the other.
inline sim::Outcome run(const std::string& name, const std::vector<std::vector<uint8_t>>& frames,
                        const sim::RunSpec& spec) {
  std::vector<sim::RawPacket> packets;
  for (const std::vector<uint8_t>& frame : frames) packets.push_back({.bytes = frame});
  sim::ListSource source(std::move(packets));
  return run(name, source, spec);
}

/// A named synthetic stimulus.
inline sim::Outcome run_synth(const std::string& name, const std::string& kind, uint64_t frames,
                              sim::RunSpec spec) {
  spec.stimulus.synth = kind;
  spec.stimulus.packets = frames;
  const auto source = device(name).source(spec);
  return run(name, *source, spec);
}

/// The same frames at the same ports in the same cycles.
inline bool same_passages(const sim::Outcome& a, const sim::Outcome& b) {
  const auto key = [](const sim::Passage& p) {
    return std::tuple(p.id, p.in, p.out, p.bytes, p.accepted, p.accepted_last, p.offered, p.first,
                      p.last);
  };
  return std::ranges::equal(a.timeline.rows, b.timeline.rows, {}, key, key);
}

/// A gradient frame of the stations 2 to 1, with values 1.0.
inline std::vector<uint8_t> gradient(uint32_t sequence, uint16_t worker, size_t count = 32,
                                     uint32_t iteration = 1) {
  reference::expether::Header header;
  header.destination = 0x020000000001;
  header.source = 0x020000000002;
  header.tci = 10;
  header.group = 1;
  header.sequence = sequence;
  header.worker = worker;
  header.iteration = iteration;
  return reference::expether::build_gradient(header, std::vector<uint32_t>(count, 0x3F80'0000));
}

/// A frame of zeros behind its addresses; vlan < 0: untagged.
inline std::vector<uint8_t> ordinary(uint64_t to, uint64_t from, int vlan, size_t bytes = 64) {
  std::vector<uint8_t> f(bytes);
  for (size_t i = 0; i < 6; ++i) {
    f[i] = static_cast<uint8_t>(to >> (40 - 8 * i));
    f[6 + i] = static_cast<uint8_t>(from >> (40 - 8 * i));
  }
  if (vlan >= 0) {
    f[12] = 0x81;
    f[14] = static_cast<uint8_t>(vlan >> 8);
    f[15] = static_cast<uint8_t>(vlan);
  }
  return f;
}

inline constexpr uint64_t kHostA = 0x020000000001, kHostB = 0x020000000002,
                          kEveryone = 0xFFFFFFFFFFFF;

}  // namespace gw::testbenches::testing
