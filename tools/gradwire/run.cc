#include "sim/run/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <optional>

#include "sim/base/error.h"
#include "sim/report/html.h"
#include "sim/report/json.h"
#include "sim/report/terminal.h"
#include "tools/gradwire/codec_options.h"
#include "tools/gradwire/commands.h"
#include "tools/gradwire/network_options.h"
#include "tools/gradwire/traffic_options.h"

namespace gw::tools {
namespace {

struct RunArguments {
  sim::RunOptions run;
  CodecOptions codec;
  NetworkOptions network;
  TrafficArguments traffic;
  std::optional<double> clock_mhz;
  std::string engines = "rtl,model", stall = "none", json, html;
  sim::WaveSpec wave;
  bool quiet = false;
};

void set_engines(sim::RunSpec& spec, const std::string& text) {
  spec.rtl = spec.model = false;
  std::string rest = text;
  while (!rest.empty()) {
    const std::string word = rest.substr(0, rest.find(','));
    rest.erase(0, word.size() + (word.size() < rest.size() ? 1 : 0));
    if (word == "rtl") {
      spec.rtl = true;
    } else if (word == "model") {
      spec.model = true;
    } else {
      throw sim::UsageError(fmt::format("--engine '{}' is not rtl, model, or rtl,model", text));
    }
  }
  if (!spec.rtl && !spec.model) throw sim::UsageError("--engine names no engine");
}

int execute(RunArguments& a) {
  sim::RunSpec& spec = a.run.spec;
  const sim::Device& device = sim::device(a.run.device);  // is named before anything else
  spec.clock_mhz = a.clock_mhz.value_or(device.clock_mhz());
  spec.codec = a.codec.config();
  spec.network = a.network.network();
  a.run.traffic = a.traffic.traffic;
  a.run.traffic.workers = spec.network.workers;
  a.run.traffic.group = spec.network.group;
  spec.stall = sim::StallSpec::parse(a.stall);
  set_engines(spec, a.engines);
  if (!(spec.clock_mhz >= 1 && spec.clock_mhz <= 10000)) {
    throw sim::UsageError(fmt::format("--clock {} is not between 1 and 10000 MHz", spec.clock_mhz));
  }
  if (a.run.trace.empty() == a.run.synth.empty()) {
    throw sim::UsageError("run needs either --trace FILE or --synth NAME");
  }
  if (!a.wave.path.empty()) {
    if (a.wave.from > a.wave.to) throw sim::UsageError("--wave-from is behind --wave-to");
    spec.wave = a.wave;
  }
  const nlohmann::json report = sim::run(a.run, progress(a.quiet));
  // Standard output may be the destination of the JSON: the table then gives way.
  if (!a.quiet && a.json != "-" && a.json != "/dev/stdout") {
    fmt::print("{}", sim::render_terminal(report, isatty(STDOUT_FILENO) != 0));
  }
  if (a.json == "-") a.json = "/dev/stdout";
  if (!a.json.empty()) sim::write_report_file(a.json, sim::json_text(sim::public_json(report)));
  if (!a.html.empty()) sim::write_report_file(a.html, sim::render_html(report));
  if (report.contains("incomplete")) {
    fmt::print(stderr, "gradwire: {}\n", one_line(report["incomplete"].get<std::string>()));
  }
  if (report.contains("interrupted"))
    fmt::print(stderr, "gradwire: interrupted; the report covers what ran\n");
  return sim::exit_code(report);
}

}  // namespace

void add_run(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      app.add_subcommand("run", "a trace through a device: RTL, SystemC model and reference");
  auto a = std::make_shared<RunArguments>();
  a->run.command = invocation.command;
  command->add_option("DEVICE", a->run.device, "what to simulate (gradwire list)")->required();
  command->add_option("--trace", a->run.trace, "packet capture, pcap or pcapng");
  command->add_option("--synth", a->run.synth, "named synthetic stimulus (gradwire list)");
  command->add_option("--engine", a->engines, "rtl, model, or both in lockstep")
      ->capture_default_str();
  a->codec.add(*command);
  command
      ->add_option("--stall", a->stall, "none, source:P, sink:P, both:P, in percent of the cycles")
      ->capture_default_str();
  command->add_option("--seed", a->run.spec.seed, "of stalls and synthetic stimuli")
      ->capture_default_str();
  command->add_option("--clock", a->clock_mhz,
                      "MHz; else what the device is meant for, 100 (codec) or 200 (switch)");
  command
      ->add_option("--packets", a->run.packets, "at most so many of the selected packets; 0: all")
      ->capture_default_str();
  command->add_option("--wave", a->wave.path,
                      "write a waveform, FILE.fst or FILE.vcd, and FILE.gtkw beside it");
  command->add_option("--wave-from", a->wave.from, "first cycle in the waveform");
  command->add_option("--wave-to", a->wave.to, "last cycle in the waveform");
  command->add_option("--pcap-out", a->run.pcap_out, "write what left the device as packets");
  command->add_option("--json", a->json, "write the report as JSON; - for standard output");
  command->add_option("--html", a->html, "write the report as HTML with plots");
  command->add_option("--config", "INI or JSON file with any of these options");
  a->network.add(*command);
  a->traffic.add(*command, false);
  command->add_flag("--quiet", a->quiet, "no table, no progress");
  command->callback([a, &invocation] { invocation.action = [a] { return execute(*a); }; });
}

}  // namespace gw::tools
