// SPDX-License-Identifier: Apache-2.0
#include "tools/gradwire/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <sstream>

#include "sim/base/error.h"
#include "sim/coverage/points.h"
#include "sim/report/html.h"
#include "sim/report/json.h"
#include "sim/report/terminal.h"
#include "sim/report/text.h"
#include "tools/gradwire/capsule.h"
#include "tools/gradwire/commands.h"
#include "tools/gradwire/device_options.h"
#include "tools/gradwire/help.h"
#include "tools/gradwire/progress.h"

namespace gw::tools {
namespace {

/// Of the options that all devices have, those that name files.
constexpr std::string_view kFilesRead[] = {"trace", "rtl", "against", "capsule"};
constexpr std::string_view kFilesWritten[] = {"wave",     "wave-from",   "wave-to",
                                              "sv-bench", "pcap-out",    "json",
                                              "html",     "capsule-out", "shrink"};

struct RunArguments {
  sim::RunOptions run;
  DeviceOptions device;
  std::string name, clock, line_rate, engines, check, stall, random, json, html;
  std::string against, against_top, mutant, mutant_seed;
  std::string packets = "0", seed = "1", reset_after = "0", wave, wave_from, wave_to, coverage,
              coverage_out;
  std::string capsule, capsule_out, shrink;
  std::vector<std::string> words;  ///< as typed, program and all; empty: no user has typed them
  bool quiet = false, no_skip = false;
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

/// Which engines run follows from what is checked, if it is not said.
void set_checks(sim::RunSpec& spec, const RunArguments& a) {
  set_engines(spec, !a.engines.empty() ? a.engines : "rtl,model");
  spec.checks.model = spec.rtl && spec.model;
  if (a.check.empty()) return;
  spec.checks = {.model = false, .reference = false, .protocol = false, .profile = false};
  std::string rest = a.check + ",";
  for (size_t comma; (comma = rest.find(',')) != std::string::npos; rest.erase(0, comma + 1)) {
    const std::string word = rest.substr(0, comma);
    bool* const check = word == "model"       ? &spec.checks.model
                        : word == "reference" ? &spec.checks.reference
                        : word == "protocol"  ? &spec.checks.protocol
                        : word == "profile"   ? &spec.checks.profile
                                              : nullptr;
    if (check == nullptr) {
      throw sim::UsageError(fmt::format(
          "--check '{}' is not model, reference, protocol, profile, with commas between", a.check));
    }
    *check = true;
  }
  if (spec.checks.model && !(spec.rtl && spec.model)) {
    throw sim::UsageError("--check model holds RTL and model against each other: --engine " +
                          a.engines + " runs one of them");
  }
  if (!spec.checks.model && spec.rtl && spec.model) {
    if (!a.engines.empty()) {
      throw sim::UsageError(fmt::format(
          "--check {} does not look at the model, which --engine {} asks for", a.check, a.engines));
    }
    spec.model = false;
  }
}

void set_against(sim::RunSpec& spec, const RunArguments& a, const sim::Device& device) {
  if (a.against.empty()) {
    if (!a.against_top.empty()) {
      throw sim::UsageError("--against-top has no effect without --against");
    }
    return;
  }
  if (!a.engines.empty() && a.engines != "rtl") {
    throw sim::UsageError(
        "--against puts other RTL in the model's place: it goes with the engine "
        "rtl alone");
  }
  if (!a.check.empty() && spec.checks.model) {
    throw sim::UsageError(
        "--against puts other RTL in the model's place: there is no --check model");
  }
  spec.model = spec.checks.model = false;
  const std::string& top = !a.against_top.empty()       ? a.against_top
                           : !spec.user_rtl.top.empty() ? spec.user_rtl.top
                                                        : device.facts_of(spec).top;
  spec.against = spec.user_rtl;  // what is set is set in both
  spec.against->file_list = shipped_file(a.against);
  spec.against->top = top;
  if (spec.against->file_list == spec.user_rtl.file_list && top == spec.user_rtl.top) {
    throw sim::UsageError("--against names the RTL that --rtl names");
  }
}

void set_mutant(sim::RunSpec& spec, const RunArguments& a) {
  if (a.mutant.empty()) {
    if (!a.mutant_seed.empty()) {
      throw sim::UsageError("--mutant-seed has no effect without --mutant");
    }
    return;
  }
  const size_t of = a.mutant.find('/');
  if (of == std::string::npos) {
    throw sim::UsageError(
        fmt::format("--mutant '{}' is not NUMBER/COUNT: 17/1000, the 17th of 1000", a.mutant));
  }
  sim::MutantSpec& mutant = spec.mutant;
  mutant.count = static_cast<uint32_t>(
      sim::parse_integer("the count of --mutant", a.mutant.substr(of + 1), 1, kMutantsAtMost));
  mutant.number = static_cast<uint32_t>(
      sim::parse_integer("the number of --mutant", a.mutant.substr(0, of), 0, mutant.count));
  if (!a.mutant_seed.empty()) {
    mutant.seed =
        static_cast<uint64_t>(sim::parse_integer("--mutant-seed", a.mutant_seed, 0, INT32_MAX));
  }
  if (!spec.rtl) throw sim::UsageError("--mutant needs the engine rtl");
  if (!spec.netlist.empty() || spec.coverage.rtl() || !spec.sv_bench.empty()) {
    throw sim::UsageError(fmt::format("--mutant runs a netlist of its own, without --{}",
                                      !spec.netlist.empty()    ? "netlist"
                                      : !spec.sv_bench.empty() ? "sv-bench"
                                                               : "coverage of the RTL"));
  }
}

void set_wave(sim::RunSpec& spec, const RunArguments& a) {
  if (a.wave.empty()) {
    if (!a.wave_from.empty()) throw sim::UsageError("--wave-from has no effect without --wave");
    if (!a.wave_to.empty()) throw sim::UsageError("--wave-to has no effect without --wave");
    return;
  }
  if (!spec.rtl) throw sim::UsageError("--wave shows the RTL's signals and needs the engine rtl");
  spec.wave = sim::WaveSpec{.path = a.wave};
  if (!a.wave_from.empty()) {
    spec.wave->from = sim::parse_integer("--wave-from", a.wave_from, 0, INT64_MAX);
  }
  if (!a.wave_to.empty()) {
    spec.wave->to = sim::parse_integer("--wave-to", a.wave_to, 0, INT64_MAX);
  }
  if (spec.wave->from > spec.wave->to) throw sim::UsageError("--wave-from lies after --wave-to");
}

void set_coverage(sim::RunSpec& spec, const RunArguments& a) {
  if (a.coverage.empty()) {
    if (!a.coverage_out.empty()) {
      throw sim::UsageError("--coverage-out has no effect without --coverage");
    }
    return;
  }
  spec.coverage = sim::CoverageSpec::parse(a.coverage);
  if (!spec.coverage.rtl()) return;
  if (!spec.rtl) {
    throw sim::UsageError("--coverage line, user and toggle are the RTL's and need the engine rtl");
  }
  if (!spec.netlist.empty()) {
    throw sim::UsageError(
        "--coverage line, user and toggle are the RTL's: a netlist has none of them");
  }
}

void set_stimulus(sim::RunSpec& spec, const RunArguments& a, const sim::Device& device) {
  sim::StimulusSpec& stimulus = spec.stimulus;
  std::vector<std::string> given;
  if (!stimulus.trace.empty()) given.emplace_back("--trace");
  if (!stimulus.synth.empty()) given.emplace_back("--synth");
  if (!a.random.empty()) given.emplace_back("--random");
  if (!a.capsule.empty()) given.emplace_back("--capsule");
  if (given.empty()) {
    throw sim::UsageError(
        "run needs either --trace FILE, --synth NAME, --random FILE.toml#NAME or --capsule FILE");
  }
  if (given.size() > 1) {
    throw sim::UsageError(fmt::format("run takes either {}: each says which packets go in",
                                      fmt::join(given, " or ")));
  }
  if (!stimulus.filter.empty() && stimulus.trace.empty()) {
    throw sim::UsageError("--filter chooses packets of a --trace, not of a synthetic stimulus");
  }
  stimulus.trace = shipped_trace(stimulus.trace);
  if (!a.stall.empty()) spec.stall = sim::StallSpec::parse(a.stall);
  if (!a.random.empty()) {
    stimulus.random = read_random_table(a.random, device);
    // Other stalls than the table's leave its packets as they are.
    if (a.stall.empty()) {
      spec.stall.source = stimulus.random->stalls("source");
      spec.stall.sink = stimulus.random->stalls("sink");
    }
  }
  if (!a.capsule.empty()) {
    if (a.packets != "0") throw sim::UsageError("--packets has no effect on a capsule");
    const sim::capsule::Capsule& capsule = capsule_named(a.capsule);
    stimulus.recorded = capsule.stimulus;
    spec.stall.recorded = {capsule.stimulus, &capsule.stimulus->stalls};
    spec.packed = capsule.reads;
    std::erase_if(spec.packed, [](const auto& file) { return file.second.empty(); });
  }
  spec.stimulus.packets =
      static_cast<uint64_t>(sim::parse_integer("--packets", a.packets, 0, INT64_MAX));
}

void set_reset(sim::RunSpec& spec, const RunArguments& a) {
  spec.reset_after =
      static_cast<uint64_t>(sim::parse_integer("--reset-after", a.reset_after, 0, INT64_MAX));
  if (spec.reset_after != 0 && !spec.sv_bench.empty()) {
    throw sim::UsageError("--reset-after has no effect on a test bench, which begins with a reset");
  }
}

/// "10,25,100": Gb/s, rising. Throws UsageError.
std::vector<double> parse_line_rates(const std::string& text) {
  std::vector<double> rates;
  std::istringstream list(text + (text.ends_with(',') ? "," : ""));
  for (std::string word; std::getline(list, word, ',');) {
    if (word.empty()) {
      throw sim::UsageError(fmt::format(
          "--line-rate '{}' is not numbers of Gb/s with commas between, as in 10,25,100", text));
    }
    rates.push_back(sim::parse_number("--line-rate", word, 0.001, 10000, "Gb/s"));
  }
  std::ranges::sort(rates);
  if (const auto twice = std::ranges::adjacent_find(rates); twice != rates.end()) {
    throw sim::UsageError(fmt::format("--line-rate '{}' names {:g} twice", text, *twice));
  }
  return rates;
}

/// What was given, as the spec of a run. Throws UsageError.
void set_spec(RunArguments& a, const sim::Device& device) {
  sim::RunSpec& spec = a.run.spec;
  spec.clock_mhz = a.clock.empty() ? device.facts().clock_mhz
                                   : sim::parse_number("--clock", a.clock, 1, 10000, "MHz");
  if (!a.line_rate.empty()) spec.line_rates = parse_line_rates(a.line_rate);
  spec.options = a.device.values(device);
  spec.seed = static_cast<uint64_t>(sim::parse_integer("--seed", a.seed, 0, INT64_MAX));
  spec.skip_idle = !a.no_skip;
  set_reset(spec, a);
  set_checks(spec, a);
  set_stimulus(spec, a, device);
  if (a.random.empty()) {
    refuse_idle_options(spec.options.changed(), device.facts().options, spec.stimulus.synth,
                        device.facts().stimuli);
  } else {
    refuse_idle_options(spec.options.changed(), device.facts().options, a.random,
                        {{a.random.c_str(), "", device.facts().random->options}});
  }
  set_wave(spec, a);
  check_user_rtl(spec.user_rtl, "", spec.rtl);
  check_rtl_settings(spec.user_rtl, !spec.user_rtl.file_list.empty() || !a.against.empty());
  spec.user_rtl.file_list = shipped_file(spec.user_rtl.file_list);
  check_netlist(spec.netlist);
  if (!spec.netlist.empty() && !spec.rtl) {
    throw sim::UsageError("--netlist has no effect without the engine rtl");
  }
  set_coverage(spec, a);
  set_against(spec, a, device);
  if (!spec.assertions && spec.user_rtl.file_list.empty() && !spec.against) {
    throw sim::UsageError("--no-assert is about RTL of your own and goes with --rtl or --against");
  }
  if (!spec.assertions && spec.coverage.user) {
    throw sim::UsageError(
        "--coverage user counts what is built with assertions: it does not go with --no-assert");
  }
  if (a.check.empty()) spec.checks.profile = spec.user_rtl.file_list.empty() && !spec.against;
  set_mutant(spec, a);
}

/// The command that was typed, without the files that it writes: who repeats a run to look at its
/// failure keeps what the first run wrote.
std::string without_files(const std::vector<std::string>& words, const sim::Device& device) {
  std::set<std::string> written = {"--pcap-in-out", "--coverage-out"};
  for (const RunOption& option : run_options(device)) {
    if (option.writes) written.insert("--" + option.name);
  }
  std::vector<std::string> kept;
  for (size_t i = 0; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    if (!written.contains(words[i].substr(0, equals))) {
      kept.push_back(words[i]);
    } else if (equals == std::string::npos) {
      ++i;
    }
  }
  return sim::report::shell_command(kept);
}

/// Of a run that failed, if one is asked for.
void make_capsule(const RunArguments& a, const sim::Device& device, const nlohmann::json& report,
                  const std::function<void(const std::string&)>& note) {
  if (a.capsule_out.empty() || report.contains("interrupted")) return;
  if (!report.contains("failure")) {
    if (report.value("pass", false)) return;
    throw sim::UsageError("--capsule-out: what failed is no divergence, and has no capsule");
  }
  sim::capsule::Order order{.device = &device,
                            .run = a.run,
                            .failure = report["failure"],
                            .folder = a.capsule_out,
                            .shrink_seconds = parse_shrink(a.shrink.empty() ? "60 s" : a.shrink),
                            .note = note};
  add_files(order, report);
  const sim::capsule::Made made = sim::capsule::make_capsule(order);
  if (!a.quiet) fmt::print("{}: {}\n", a.capsule_out, made.text());
}

nlohmann::json execute(RunArguments& a, const sim::Device& device) {
  set_spec(a, device);
  if (!a.shrink.empty() && a.capsule_out.empty()) {
    throw sim::UsageError("--shrink has no effect without --capsule-out");
  }
  if (!a.shrink.empty()) parse_shrink(a.shrink);
  sim::expect_report_files({a.json, a.html});
  sim::expect_report_files({a.coverage_out}, sim::coverage::kFileOfPoints);
  sim::RunSpec& spec = a.run.spec;
  Progress progress(a.quiet);
  spec.note = progress.note();
  spec.progress = progress.meter();
  nlohmann::json report = sim::run(device, a.run);
  if (report.contains("failure") && !a.words.empty()) {
    std::string& repeats = report["failure"]["reproduce"].get_ref<std::string&>();
    repeats.replace(0, a.run.command.size(), without_files(a.words, device));
  }
  progress.done();
  // Standard output may be the destination of the JSON: the table then gives way.
  if (!a.quiet && a.json != "-" && a.json != "/dev/stdout") {
    fmt::print("{}", sim::render_terminal(report, device.facts().present,
                                          isatty(STDOUT_FILENO) != 0, columns()));
  }
  if (a.json == "-") a.json = "/dev/stdout";
  if (!a.json.empty()) sim::write_report_file(a.json, sim::json_text(sim::public_json(report)));
  if (!a.html.empty())
    sim::write_report_file(a.html, sim::render_html(report, device.facts().present));
  if (!a.coverage_out.empty()) {
    sim::write_report_file(a.coverage_out, report["coverage_points"].dump() + "\n",
                           sim::coverage::kFileOfPoints);
  }
  if (report.contains("incomplete")) {
    fmt::print(stderr, "gradwire: {}\n", one_line(report["incomplete"].get<std::string>()));
  }
  const std::string headline = sim::headline(report);
  if (a.quiet && !headline.empty() && !report.contains("incomplete")) {
    fmt::print(stderr, "gradwire: {}\n", one_line(headline));
  }
  if (report.contains("interrupted"))
    fmt::print(stderr, "gradwire: interrupted; the report covers what ran\n");
  make_capsule(a, device, report, spec.note);
  progress.done();
  if (spec.wave && report.value("pass", false) &&
      spec.wave->from >= report.value("cycles", int64_t{0})) {
    throw sim::UsageError(
        fmt::format("--wave-from {} is after the run's last cycle, {}: {} is empty",
                    spec.wave->from, report.value("cycles", int64_t{0}) - 1, spec.wave->path));
  }
  return report;
}

/// The options of `run DEVICE`; without a device those that all have.
void declare(CLI::App* command, RunArguments* a, const sim::Device* device) {
  sim::RunSpec& spec = a->run.spec;
  command->add_option("DEVICE", a->name, "what to simulate (gradwire list)")->required();
  command->option_defaults()->group("Packets");
  command->add_option("--trace", spec.stimulus.trace,
                      "packet capture, pcap or pcapng; or the name of one that comes with gradwire "
                      "(hdc-ring-late)");
  command->add_option("--synth", spec.stimulus.synth, "named synthetic stimulus (gradwire list)");
  command->add_option("--random", a->random,
                      "FILE.toml#NAME: packets drawn by the weights of its table [random.NAME]; a "
                      "NAME alone is of plans/random.toml");
  command->add_option("--capsule", a->capsule,
                      "folder or zip file of a failure: its packets, stalls and options");
  command->add_option("--filter", spec.stimulus.filter,
                      "packets of the capture that this filter lets through, as pcap-filter(7)");
  command->option_defaults()->group("Engines and checks");
  command
      ->add_option("--engine", a->engines,
                   "rtl, model, or both in lockstep (default: both, or what --check needs)")
      ->default_str("rtl,model");
  command
      ->add_option(
          "--check", a->check,
          "what fails a run, with commas between: model (RTL and model differ in a cycle), "
          "reference (what leaves is wrong), protocol (a rule of AXI is broken), profile (one of "
          "this house's stricter rules; by default of its own RTL only)")
      ->default_str("model,reference,protocol,profile");
  command->option_defaults()->group("Packets");
  command->add_option("--stall", a->stall,
                      "none, source:P, sink:P, both:P, in percent of the cycles (default: none, or "
                      "what --random says)");
  command->add_option("--seed", a->seed, "of stalls, synthetic stimuli and random traffic")
      ->capture_default_str();
  command->option_defaults()->group("Rates");
  command->add_option("--clock", a->clock, "MHz; else what the device is meant for");
  command->add_option("--line-rate", a->line_rate,
                      "Ethernet rates in Gb/s, with commas between, 10,25,40,100,200,400: how much "
                      "of each is held, and from which clock on it is held whole, by packet size "
                      "(default: percent of 10)");
  command->option_defaults()->group("Packets");
  command->add_option("--packets", a->packets, "at most so many of the selected packets; 0: all")
      ->capture_default_str();
  command
      ->add_option("--reset-after", a->reset_after,
                   "run so many cycles of the same packets, with other settings, before the reset "
                   "that begins the run (default: 0, the device has just been switched on)")
      ->default_str("0");
  command->option_defaults()->group("Waveforms and files");
  command->add_option("--wave", a->wave,
                      "write a waveform, FILE.fst or FILE.vcd, and FILE.gtkw beside it");
  command->add_option("--wave-from", a->wave_from, "first cycle in the waveform");
  command->add_option("--wave-to", a->wave_to, "last cycle in the waveform");
  command->add_option(
      "--sv-bench", spec.sv_bench,
      "write the run as a SystemVerilog test bench for any simulator into a folder");
  command->add_option("--pcap-out", a->run.pcap_out, "write what left the device as packets");
  command->add_option("--pcap-in-out", a->run.pcap_in_out,
                      "write what went into the device as packets, for --trace");
  command->add_option("--json", a->json, "write the report as JSON; - for standard output");
  command->add_option("--html", a->html, "write the report as HTML with plots");
  command->add_option(
      "--coverage", a->coverage,
      "count what is reached: functional (cross points of the streams), line, user, "
      "toggle (lines, GW_COVER and bits of the RTL); with commas between");
  command->add_option("--coverage-out", a->coverage_out,
                      "write the points that were counted, for gradwire coverage");
  command->option_defaults()->group("Failures");
  command->add_option("--capsule-out", a->capsule_out,
                      "if the run fails: a folder, and a zip file, with all that repeats it");
  command->add_option("--shrink", a->shrink,
                      "how long the failure is shrunk for it, or off (default: 60 s)");
  command->option_defaults()->group("Options");
  command->add_option("--config", "INI or JSON file with any of these options");
  command->option_defaults()->group("RTL of your own");
  command->add_option("--rtl", spec.user_rtl.file_list,
                      "RTL of your own in the place of the project's: a file list, as verilator -f "
                      "takes it, or one .v or .sv file; --set sets its parameters, --pes and the "
                      "like are model's and reference's");
  command->add_option("--top", spec.user_rtl.top, "its top module");
  add_rtl_settings(*command, spec.user_rtl);
  command->add_flag("--warnings", spec.user_rtl.warnings,
                    "show Verilator's warnings about --rtl and --against (-Wall in the list: all)");
  command->add_option("--against", a->against,
                      "other RTL, as --rtl, in the model's place: two RTLs in lockstep");
  command->add_option("--against-top", a->against_top,
                      "its top module (default: --top, or the project's)");
  command->option_defaults()->group("Other RTL");
  command->add_option("--mutant", a->mutant,
                      "NUMBER/COUNT: wakes one of the faults that gradwire mutate plants; 0: none");
  command->add_option("--mutant-seed", a->mutant_seed, "of those faults (default: 1)");
  add_netlist(*command, spec.netlist, "what Yosys makes of the RTL, in its place");
  command->option_defaults()->group("RTL of your own");
  command->add_flag("!--no-assert", spec.assertions,
                    "leave out the assertions of RTL of your own, SVA and GW_ASSERT, which end a "
                    "run that breaks them (default: they are checked)");
  command->option_defaults()->group("Other RTL");
  command->add_option("--cache", spec.cache, "folder of RTL built on demand");
  command->add_flag("--quick-build", spec.quick_build,
                    "RTL that has to be built is compiled to be there soon, not for speed");
  command->option_defaults()->group("Options");
  command->add_flag("--quiet", a->quiet, "no table, no progress");
  if (device != nullptr && device->facts().paced()) {
    command->add_flag("--no-skip", a->no_skip, "simulate also the cycles in which nothing happens");
  }
  if (device != nullptr) a->device.add(*command, *device);
}

/// What the words say, as far as the parser goes.
const sim::Device& parse(RunArguments& a, std::vector<std::string> words) {
  words = with_capsule(std::move(words));
  const sim::Device* const device = device_named(words);
  CLI::App app;
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  declare(&app, &a, device);
  app.allow_extras();
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // as CLI11 wants them
  } catch (const CLI::ParseError& error) {
    throw sim::UsageError(one_line(error.what()));
  }
  const sim::Device& chosen = registry().device(a.name);
  refuse_extras(app, "run", chosen);
  return chosen;
}

}  // namespace

RunRequest parse_run(const std::vector<std::string>& words, const std::string& command) {
  RunArguments a;
  a.run.command = command;
  const sim::Device& chosen = parse(a, words);
  set_spec(a, chosen);
  return {&chosen, a.run};
}

nlohmann::json execute_run(const std::vector<std::string>& words, const std::string& command) {
  RunArguments a;
  a.run.command = command;
  const sim::Device& chosen = parse(a, words);
  return execute(a, chosen);
}

std::vector<RunOption> run_options(const sim::Device& device) {
  RunArguments a;
  CLI::App app;
  declare(&app, &a, &device);
  const std::vector<sim::Option>& own = device.facts().options;
  std::vector<RunOption> options;
  for (const CLI::Option* const option : app.get_options()) {
    if (option->get_lnames().empty() || option->get_name() == "--help") continue;
    RunOption& o = options.emplace_back();
    o.name = option->get_lnames().front();
    const auto of_device =
        std::ranges::find_if(own, [&o](const sim::Option& known) { return known.name == o.name; });
    if (of_device != own.end()) {
      o.flag = of_device->flag;
      o.list = of_device->list;
      o.reads = of_device->reads;
      o.writes = of_device->writes;
      continue;
    }
    o.flag = option->get_expected_min() == 0;
    o.list = o.repeats = std::ranges::count(kRtlSettings, o.name) != 0;
    o.reads = std::ranges::count(kFilesRead, o.name) != 0;
    o.writes = std::ranges::count(kFilesWritten, o.name) != 0;
  }
  return options;
}

void add_run(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      app.add_subcommand("run", "a trace through a device: RTL, SystemC model and reference");
  auto a = std::make_shared<RunArguments>();
  a->run.command = invocation.command;
  // A configuration file may name files, too.
  const bool configured = std::ranges::any_of(invocation.typed, [](const std::string& word) {
    return word == "--config" || word.starts_with("--config=");
  });
  a->words = configured ? invocation.arguments : invocation.typed;
  a->words.insert(a->words.begin(), invocation.program);
  const sim::Device* const device = device_named(invocation.arguments);
  declare(command, a.get(), device);
  command->footer(device == nullptr
                      ? "gradwire run DEVICE --help shows the options of that device, too."
                      : "gradwire list " + device->name() + " shows its ports and stimuli.");
  command->allow_extras();
  command->callback([a, command, device, &invocation] {
    invocation.action = [a, command, device] {
      const sim::Device& chosen = registry().device(a->name);
      if (device != &chosen) throw std::logic_error("the device is not the one that was named");
      refuse_extras(*command, "run", chosen);
      return sim::exit_code(execute(*a, chosen));
    };
  });
}

}  // namespace gw::tools
