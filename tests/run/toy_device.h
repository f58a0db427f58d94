// A device that is one skid register, of beats of any width: for what every device's report says.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "sim/feeds/source.h"
#include "sim/harness/kernel.h"
#include "sim/run/device.h"
#include "tests/harness/toys.h"

namespace gw::tests {

template <class Beat>
class ToyDevice : public sim::Device {
 public:
  using Ports = sim::toys::StreamPorts<Beat>;
  ToyDevice() {
    facts_.name = "passing";
    facts_.clock_mhz = 250;
    facts_.line = sim::ethernet(25);
    facts_.line_rate = sim::LineRate::kWire;
    facts_.beat_bytes = Beat::kBytes;
    facts_.inputs.assign(Ports::kInputs.begin(), Ports::kInputs.end());
    facts_.outputs.assign(Ports::kOutputs.begin(), Ports::kOutputs.end());
  }

  const Facts& facts() const override { return facts_; }
  std::unique_ptr<sim::Source> source(const sim::RunSpec&) const override { return nullptr; }
  sim::Outcome run(sim::Source& source, const sim::RunSpec& spec, sim::Kernel&,
                   sim::PacketWriter*) const override {
    sim::toys::Passthrough<Ports> a;
    sim::toys::TwoPlaces<Ports> b;
    sim::toys::Echo<Beat> oracle;
    sim::SourceFeed<Beat> feed(source, 1);
    sim::Drive drive;
    drive.stall = spec.stall;
    sim::toys::Result result = sim::toys::run(a, b, feed, oracle, drive);
    sim::Outcome outcome;
    outcome.passed = result.passed;
    outcome.failure = std::move(result.failure);
    outcome.timeline = std::move(result.timeline);
    return outcome;
  }
  std::unique_ptr<sim::Bench> bench(sim::Source&, const sim::RunSpec&,
                                    sim::Kernel&) const override {
    return nullptr;
  }
  std::unique_ptr<sim::PacketWriter> writer(const std::string&, const sim::Source&,
                                            const sim::RunSpec&) const override {
    return nullptr;
  }

 private:
  Facts facts_;
};

}  // namespace gw::tests
