// Speed of the NIC's engines, RTL and model in lockstep, beside the smallest device in the same
// loop: nic_bench [SECONDS]. Devices take turns, so that a machine whose speed drifts changes the
// figures and not their ratios; the median counts.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "sim/harness/lockstep.h"
#include "tests/harness/passthrough.h"
#include "tests/nic/support.h"

namespace gw::tests {
namespace {

using Ports = sim::toys::StreamPorts<>;

/// The passthrough and its second opinion, packets of 1,514 bytes.
sim::Speed passthrough(uint64_t packets) {
  sim::PreparedFeed<Beat> feed;
  for (uint64_t i = 0; i < packets; ++i) {
    feed.add(0, sim::make_packet<Beat>(std::vector<uint8_t>(1514, static_cast<uint8_t>(i))));
  }
  sim::toys::Passthrough<> a;
  sim::toys::TwoPlaces<> b;
  sim::toys::Echo<Beat> oracle;
  sim::Lockstep loop(a, b, feed, oracle, {}, "a", "b");
  loop.reset();
  const auto begin = std::chrono::steady_clock::now();
  while (loop.advance(1 << 20)) {
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  if (!loop.passed()) std::abort();
  return {.cycles = loop.now(), .seconds = seconds.count()};
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void bench(double seconds) {
  struct Subject {
    std::string name;
    std::unique_ptr<sim::Source> source;
    std::unique_ptr<sim::Bench> bench;
    std::vector<double> lockstep, rtl;
  };
  std::vector<Subject> subjects;
  for (const char* name : {"nic_tx", "nic_rx"}) {
    const sim::RunSpec spec = spec_of(name, "packed", 2000, {{"frame-bytes", "1514"}});
    Subject subject{
        .name = name, .source = device(name).source(spec), .bench = {}, .lockstep = {}, .rtl = {}};
    subject.bench = device(name).bench(*subject.source, spec, sim::Kernel::instance());
    subjects.push_back(std::move(subject));
  }
  std::vector<double> smallest;
  const auto begin = std::chrono::steady_clock::now();
  do {
    smallest.push_back(passthrough(5000).mcps());
    for (Subject& subject : subjects) {
      subject.lockstep.push_back(subject.bench->pass(sim::BenchSubject::kLockstep).mcps());
      subject.rtl.push_back(subject.bench->pass(sim::BenchSubject::kRtl).mcps());
    }
  } while (std::chrono::steady_clock::now() - begin < std::chrono::duration<double>(seconds));
  const double loop = median(smallest);
  fmt::print("passthrough, lockstep {:.2f} M cycles/s, {} rounds\n", loop, smallest.size());
  for (const Subject& subject : subjects) {
    const double lockstep = median(subject.lockstep);
    fmt::print("{}, lockstep {:.2f} M cycles/s: {:.2f} of passthrough's, {:.2f} of its RTL alone\n",
               subject.name, lockstep, lockstep / loop, lockstep / median(subject.rtl));
  }
}

}  // namespace
}  // namespace gw::tests

int main(int argc, char** argv) { gw::tests::bench(argc > 1 ? std::atof(argv[1]) : 10); }
