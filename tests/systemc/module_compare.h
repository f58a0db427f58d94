// A pin-level module of one stream in and one out against its core: every output pin in every
// cycle, under random packets, stalls and resets.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <systemc>
#include <vector>

#include "sim/base/random.h"
#include "tests/systemc/pins.h"

namespace gw::systemc {

/// What modules differ in.
struct ModuleScene {
  std::function<std::vector<Beat>()> packet;  ///< the next packet's beats, perhaps none
  /// The pins beside the streams in this cycle, and the core's, which takes them if it is not
  /// reset.
  std::function<void(int cycle)> drive;
  std::function<void()> configure;
  std::function<void(int cycle)> expect_equal;  ///< of the outputs beside the streams
  uint32_t reset_in = 2000;                     ///< a reset in one cycle of so many
  uint64_t least = 5000;                        ///< beats that must leave
};

/// The module is bound to `wires`.
template <class Wires, class Core>
void compare_module(Wires& wires, Core& core, const ModuleScene& scene) {
  sim::Random random(6);
  std::deque<Beat> source;
  bool offering = false;
  uint32_t resetting = 3;
  uint64_t left = 0;
  for (int c = 0; c < 30000 && !testing::Test::HasFailure(); ++c) {
    while (source.empty()) {
      for (const Beat& beat : scene.packet()) source.push_back(beat);
    }
    offering = resetting == 0 && (offering || random.below(5) != 0);
    const bool m_ready = random.below(3) != 0;
    const Beat s = source.front();

    wires.aclk.write(false);
    wires.aresetn.write(resetting == 0);
    scene.drive(c);
    wires.s_tvalid.write(offering);
    wires.drive_s(s);
    wires.m_tready.write(m_ready);
    sc_core::sc_start(5, sc_core::SC_NS);

    if (c > 0) {  // in cycle 0 no edge has come yet
      ASSERT_EQ(wires.s_tready.read(), core.s_ready()) << "cycle " << c;
      ASSERT_EQ(wires.m_tvalid.read(), core.m_beat() != nullptr) << "cycle " << c;
      if (core.m_beat() != nullptr) {
        ASSERT_EQ(wires.m_beat(), *core.m_beat()) << "cycle " << c;
      }
      scene.expect_equal(c);
    }

    const bool accept = offering && core.s_ready();
    left += core.m_beat() != nullptr && m_ready;
    if (resetting > 0) {
      core.reset();
      --resetting;
    } else {
      scene.configure();
      core.clock(offering ? &s : nullptr, m_ready);
    }
    wires.aclk.write(true);
    sc_core::sc_start(5, sc_core::SC_NS);

    if (accept) {
      source.pop_front();
      offering = false;
    }
    if (resetting == 0 && random.below(scene.reset_in) == 0) {
      resetting = 1 + random.below(3);
      source.clear();
      offering = false;
    }
  }
  EXPECT_GT(left, scene.least);
}

/// Names of a module's ports.
template <class Module>
std::set<std::string> port_names() {
  Module module("dut");
  std::set<std::string> names;
  for (const sc_core::sc_object* child : module.get_child_objects()) {
    if (dynamic_cast<const sc_core::sc_port_base*>(child)) names.insert(child->basename());
  }
  return names;
}

}  // namespace gw::systemc
