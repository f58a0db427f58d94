// A device's RTL and model in lockstep, checked against its reference, over packets that a fuzzer
// has chosen.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "sim/feeds/source.h"
#include "sim/harness/kernel.h"
#include "sim/run/device.h"
#include "tests/fuzz/input.h"
#include "tests/support.h"

namespace gw::fuzz {

/// A device of its family, ready to run.
class Target {
 public:
  Target(void (*add)(sim::Registry&), const std::string& name)
      : device_([&] {
          add(registry_);
          return &registry_.device(name);
        }()) {}

  /// The input as a run: two bytes of stalls, one of their seed, then at most `most` packets, each
  /// drawn behind a byte of choices; one without bytes ends them.
  template <class Draw>
  void run(Input input, size_t most, const Draw& draw) const {
    sim::RunSpec spec;
    spec.clock_mhz = device_->facts().clock_mhz;
    spec.options = sim::OptionSet(device_->facts().options);
    spec.stall = {.source_percent = static_cast<double>(input.byte() % 100),
                  .sink_percent = static_cast<double>(input.byte() % 100)};
    spec.seed = input.byte();
    std::vector<sim::RawPacket> packets;
    while (!input.empty() && packets.size() < most) {
      const uint8_t choice = input.byte();
      sim::RawPacket packet = draw(input, choice);
      if (packet.bytes.empty()) break;
      packets.push_back(std::move(packet));
    }
    if (packets.empty()) return;
    sim::ListSource source(std::move(packets));
    const sim::Outcome outcome = device_->run(source, spec, sim::Kernel::instance());
    if (!outcome.passed) found(tests::explain(outcome.failure));
  }

 private:
  sim::Registry registry_;
  const sim::Device* device_;
};

}  // namespace gw::fuzz
