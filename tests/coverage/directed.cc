// coverage_directed KINDS FILE [DEVICE...]: the directed runs of directed.h, of these devices or
// all, with `--coverage KINDS`; their points into a file (tools/coverage.sh).
// SPDX-License-Identifier: Apache-2.0
#include "tests/coverage/directed.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "sim/harness/kernel.h"
#include "sim/report/json.h"
#include "sim/run/device.h"
#include "testbenches/registry.h"
#include "tests/support.h"

int main(int argc, char** argv) {
  using namespace gw;
  if (argc < 3) {
    fmt::print(stderr, "usage: coverage_directed KINDS FILE [DEVICE...]\n");
    return 2;
  }
  try {
    sim::coverage::Points points;
    for (const tests::Directed& directed : tests::directed_runs(tests::seed())) {
      if (argc > 3 && std::find(argv + 3, argv + argc, directed.device) == argv + argc) continue;
      const sim::Device& device = testbenches::registry().device(directed.device);
      sim::RunSpec spec;
      spec.clock_mhz = device.facts().clock_mhz;
      spec.options = sim::OptionSet(device.facts().options);
      for (const auto& [option, value] : directed.options) spec.options.set(option, value);
      spec.stall = sim::StallSpec::parse(directed.stall);
      spec.coverage = sim::CoverageSpec::parse(argv[1]);
      sim::ListSource source(directed.packets);
      const sim::Outcome outcome = device.run(source, spec, sim::Kernel::instance(), nullptr);
      if (!outcome.passed) {
        fmt::print(stderr, "{}: {}\n", directed.device, tests::explain(outcome.failure));
        return 1;
      }
      points.add(outcome.points);
      points.count_run();
    }
    sim::write_report_file(argv[2], points.to_json().dump() + "\n", sim::coverage::kFileOfPoints);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
