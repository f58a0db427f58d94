// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "models/reference/codec_benchmark.h"
#include "sim/base/error.h"
#include "sim/base/interrupt.h"
#include "sim/feeds/gradients.h"
#include "sim/report/json.h"
#include "sim/report/terminal.h"
#include "sim/run/run.h"
#include "testbenches/codec/options.h"
#include "tools/gradwire/commands.h"
#include "tools/gradwire/device_options.h"
#include "tools/gradwire/progress.h"

namespace gw::tools {
namespace {

constexpr size_t kBenchValues = 1'600'000;  // beyond the caches

struct BenchArguments {
  sim::BenchOptions bench;
  DeviceOptions device;
  std::string name, stall = "none", json;
  bool quiet = false;
};

/// The reference codec beside memcpy, in every row.
nlohmann::json with_codec(nlohmann::json rows, const sim::BenchOptions& options) {
  std::vector<float> values;
  for (const std::string& trace : options.traces) {
    const std::unique_ptr<sim::Gradients> gradients = sim::open_trace({.trace = trace});
    while (const auto packet = gradients->next()) {
      for (const uint32_t bits : packet->values) values.push_back(std::bit_cast<float>(bits));
    }
  }
  const size_t once = values.size();
  while (once != 0 && values.size() < kBenchValues) values.push_back(values[values.size() - once]);
  sim::OptionSet own(testbenches::codec_options());
  for (const auto& [name, value] : options.spec.options.changed()) {
    if (own.knows(name)) own.set(name, value);
  }
  const reference::CodecBenchmark codec =
      reference::benchmark_codec(values, testbenches::codec_config(own));
  for (nlohmann::json& row : rows) {
    row["codec"] = {
        {"implementation", codec.implementation},     {"memcpy_gbps", 8 * codec.memcpy_gbps},
        {"encode_gbps", 8 * codec.encode_gbps},       {"decode_gbps", 8 * codec.decode_gbps},
        {"encode_to_memcpy", codec.encode_to_memcpy}, {"decode_to_memcpy", codec.decode_to_memcpy}};
  }
  return options.devices.size() == 1 ? rows.front() : rows;
}

int execute(BenchArguments& a) {
  std::vector<sim::Option> all;
  for (const auto& device : registry().devices()) {
    if (!a.name.empty() && device->name() != a.name) continue;
    a.bench.devices.push_back(device.get());
    for (const sim::Option& option : device->facts().options) all.push_back(option);
  }
  if (a.bench.devices.empty()) registry().device(a.name);  // says which there are
  check_netlist(a.bench.spec.netlist);
  if (!a.bench.spec.netlist.empty() && a.name.empty()) {
    throw sim::UsageError("--netlist needs a DEVICE: netlists of all of them take hours to build");
  }
  a.bench.spec.options = a.device.values(all);
  a.bench.frames = "gradient-192";
  a.bench.spec.stall = sim::StallSpec::parse(a.stall);
  if (!(a.bench.seconds > 0 && a.bench.seconds <= 600)) {
    throw sim::UsageError("--seconds is not between 0 and 600");
  }
  if (a.bench.traces.empty()) {
    for (const char* name : {"early", "middle", "late"}) {
      a.bench.traces.push_back(fmt::format("{}/hdc-ring-{}.pcap", trace_folder(), name));
    }
  }
  sim::expect_report_files({a.json});
  Progress progress(a.quiet);
  a.bench.spec.note = progress.note();
  const nlohmann::json report = with_codec(sim::bench(a.bench), a.bench);
  if (!a.quiet && a.json != "-") {
    fmt::print("{}", sim::render_bench_terminal(report, isatty(STDOUT_FILENO) != 0));
  }
  if (!a.json.empty()) {
    sim::write_report_file(a.json == "-" ? "/dev/stdout" : a.json, sim::json_text(report));
  }
  if (!sim::interrupted()) return sim::kPass;
  fmt::print(stderr, "gradwire: interrupted; the figures are of the devices that were timed\n");
  return sim::kCheckFailed;
}

}  // namespace

void add_bench(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand(
      "bench", "simulator speed: rtl, model, lockstep, netlist, reference codec; as ratios");
  auto a = std::make_shared<BenchArguments>();
  command->add_option("DEVICE", a->name, "all devices if left out");
  command
      ->add_option("--trace", a->bench.traces,
                   "captures to measure with (default: the committed ones)")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--seconds", a->bench.seconds, "per subject, at least")
      ->capture_default_str();
  const sim::Device* const device = device_named(invocation.arguments);
  for (const auto& candidate : registry().devices()) {
    if (device == nullptr || device == candidate.get()) a->device.add(*command, *candidate);
  }
  command->add_option("--stall", a->stall, "stalls of the lockstep runs")->capture_default_str();
  add_netlist(*command, a->bench.spec.netlist, "also what Yosys makes of the RTL");
  command->add_option("--cache", a->bench.spec.cache, "folder of RTL built on demand");
  command->add_option("--json", a->json, "write the figures as JSON; - for standard output");
  command->add_flag("--quiet", a->quiet, "no table, no progress");
  command->callback([a, &invocation] { invocation.action = [a] { return execute(*a); }; });
}

}  // namespace gw::tools
