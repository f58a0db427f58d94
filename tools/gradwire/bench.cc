#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "sim/base/error.h"
#include "sim/report/json.h"
#include "sim/report/terminal.h"
#include "sim/run/run.h"
#include "tools/gradwire/codec_options.h"
#include "tools/gradwire/commands.h"
#include "tools/gradwire/network_options.h"

namespace gw::tools {
namespace {

struct BenchArguments {
  sim::BenchOptions bench;
  CodecOptions codec;
  NetworkOptions network;
  std::string stall = "none", json;
  bool quiet = false;
};

int execute(BenchArguments& a) {
  if (!a.bench.device.empty()) sim::device(a.bench.device);
  a.bench.spec.codec = a.codec.config();
  a.bench.spec.network = a.network.network();
  a.bench.spec.stall = sim::StallSpec::parse(a.stall);
  if (!(a.bench.seconds > 0 && a.bench.seconds <= 600)) {
    throw sim::UsageError("--seconds is not between 0 and 600");
  }
  if (a.bench.traces.empty()) {
    for (const char* name : {"early", "middle", "late"}) {
      a.bench.traces.push_back(fmt::format("{}/hdc-ring-{}.pcap", trace_folder(), name));
    }
  }
  const nlohmann::json report = sim::bench(a.bench, progress(a.quiet));
  if (!a.quiet && a.json != "-") {
    fmt::print("{}", sim::render_bench_terminal(report, isatty(STDOUT_FILENO) != 0));
  }
  if (!a.json.empty()) {
    sim::write_report_file(a.json == "-" ? "/dev/stdout" : a.json, sim::json_text(report));
  }
  return sim::kPass;
}

}  // namespace

void add_bench(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand(
      "bench", "simulator speed: rtl, model, lockstep, reference codec; as ratios");
  auto a = std::make_shared<BenchArguments>();
  command->add_option("DEVICE", a->bench.device, "all devices if left out");
  command
      ->add_option("--trace", a->bench.traces,
                   "captures to measure with (default: the committed ones)")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--seconds", a->bench.seconds, "per subject, at least")
      ->capture_default_str();
  a->codec.add(*command);
  a->network.add(*command);
  command->add_option("--stall", a->stall, "stalls of the lockstep runs")->capture_default_str();
  command->add_option("--json", a->json, "write the figures as JSON; - for standard output");
  command->add_flag("--quiet", a->quiet, "no table, no progress");
  command->callback([a, &invocation] { invocation.action = [a] { return execute(*a); }; });
}

}  // namespace gw::tools
