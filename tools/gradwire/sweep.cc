// gradwire sweep optimizer: how many processing elements reach line rate, for how many LUTs.
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/switch/sweep.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "sim/base/error.h"
#include "sim/base/interrupt.h"
#include "sim/report/json.h"
#include "sim/run/data_folder.h"
#include "testbenches/switch/options.h"
#include "tools/gradwire/commands.h"
#include "tools/gradwire/device_options.h"
#include "tools/gradwire/progress.h"

namespace gw::tools {
namespace {

struct SweepArguments {
  testbenches::SweepOptions sweep;
  std::string device, json, csv, svg, html, areas_out;
  std::vector<std::string> algorithms;
  std::string ports, rate, check = "recommended";
  bool no_area = false, no_cpu = false, quiet = false;
};

int execute(SweepArguments& a, const Invocation& invocation) {
  if (a.device != "optimizer") {
    throw sim::UsageError(fmt::format("sweep knows the device optimizer, not '{}'", a.device));
  }
  for (const std::string& name : a.algorithms) {
    a.sweep.algorithms.push_back(testbenches::parse_algorithm("--algorithm", name));
  }
  for (const std::string& kind : a.sweep.kinds) {
    if (kind != "pipelined" && kind != "iterative") {
      throw sim::UsageError(fmt::format("--kind '{}' is neither pipelined nor iterative", kind));
    }
  }
  for (const std::string& profile : a.sweep.profiles) {
    if (profile != "paper" && profile != "fast") {
      throw sim::UsageError(fmt::format("--profile '{}' is neither paper nor fast", profile));
    }
  }
  if (!(a.sweep.clock_mhz >= 1 && a.sweep.clock_mhz <= 10000)) {
    throw sim::UsageError(
        fmt::format("--clock {} is not between 1 and 10000 MHz", a.sweep.clock_mhz));
  }
  if (a.sweep.frames < 16 || a.sweep.frames > 1'000'000) {
    throw sim::UsageError(fmt::format("--frames {} is not between 16 and 1000000", a.sweep.frames));
  }
  if (!a.ports.empty()) {
    a.sweep.ports = static_cast<int>(sim::parse_integer("--ports", a.ports, 1, 64));
  }
  if (!a.rate.empty()) {
    a.sweep.rate_gbps = sim::parse_number("--rate", a.rate, 0.1, 1600, "Gb/s");
  }
  if (a.check == "none") {
    a.sweep.check = testbenches::SweepCheck::kNone;
  } else if (a.check == "all") {
    a.sweep.check = testbenches::SweepCheck::kAll;
  } else if (a.check != "recommended") {
    throw sim::UsageError(fmt::format("--check '{}' is not none, recommended or all", a.check));
  }
  check_netlist(a.sweep.netlist);
  if (!a.sweep.netlist.empty() && a.sweep.check == testbenches::SweepCheck::kNone) {
    throw sim::UsageError("--netlist has no effect with --check none");
  }
  a.sweep.area = !a.no_area;
  if (a.sweep.area) {
    a.sweep.synth_tool = sim::data_folder() / "tools/synth/synth.sh";
    a.sweep.rtl_folder = sim::data_folder() / "rtl";
    a.sweep.shipped_areas = sim::data_folder() / "baselines/areas.json";
    // Synthesis runs in another folder.
    a.sweep.synth_folder = a.sweep.synth_folder.empty()
                               ? testbenches::default_areas(a.sweep)
                               : std::filesystem::absolute(a.sweep.synth_folder).string();
  }
  a.sweep.cpu = !a.no_cpu;
  if (!a.sweep.area && (a.sweep.resynthesise || !a.areas_out.empty())) {
    throw sim::UsageError(fmt::format("--{} has no effect with --no-area",
                                      a.sweep.resynthesise ? "resynthesise" : "areas-out"));
  }
  sim::expect_report_files({a.json, a.csv, a.svg, a.html, a.areas_out});
  Progress progress(a.quiet);
  const std::function<void(const std::string&)> note = progress.note();
  const nlohmann::json document = testbenches::sweep_optimizer(
      registry().device(a.device), a.sweep, note ? note : [](const std::string&) {});
  const bool failed = document["checks"].contains("failed") || sim::interrupted();
  if (invocation.takes) {
    if (failed)
      throw sim::UserError(sim::kCheckFailed, "the sweep was interrupted, or a point failed");
    invocation.takes(document);
    return sim::kPass;
  }
  if (!a.quiet && a.json != "-") fmt::print("{}", testbenches::sweep_text(document));
  if (!a.json.empty()) {
    sim::write_report_file(a.json == "-" ? "/dev/stdout" : a.json, sim::json_text(document));
  }
  if (!a.csv.empty()) sim::write_report_file(a.csv, testbenches::sweep_csv(document));
  if (!a.svg.empty()) {
    std::string missing;
    const std::string svg = testbenches::sweep_svg(document, missing);
    if (svg.empty()) throw sim::InputError(fmt::format("no plot in '{}': {}", a.svg, missing));
    sim::write_report_file(a.svg, svg);
  }
  if (!a.html.empty()) sim::write_report_file(a.html, testbenches::sweep_html(document));
  if (!a.areas_out.empty()) {
    if (document.contains("missing")) {
      throw sim::InputError(
          fmt::format("no areas in '{}': {}", a.areas_out, document["missing"].get<std::string>()));
    }
    sim::write_report_file(a.areas_out, document["areas"].dump(1) + "\n");
  }
  return failed ? sim::kCheckFailed : sim::kPass;
}

}  // namespace

void add_sweep(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      app.add_subcommand("sweep", "PE sizing: throughput and area over a grid of optimizer arrays");
  auto a = std::make_shared<SweepArguments>();
  a->sweep.command = invocation.command;
  command->add_option("DEVICE", a->device, "optimizer")->required();
  const auto list = [&](const char* name, auto& values, const char* text) {
    command->add_option(name, values, text)
        ->delimiter(',')
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  list("--algorithm", a->algorithms, "sgd,adagrad,adam,smorms3 (default: all)");
  list("--pes", a->sweep.pes, "1,2,4,8,16,32,64 (default: all)");
  list("--kind", a->sweep.kinds, "pipelined,iterative (default: both)");
  list("--profile", a->sweep.profiles, "paper,fast (default: both)");
  command->add_flag("--eps-outside", a->sweep.eps_outside,
                    "PEs that add epsilon after the root, as PyTorch does");
  command->add_option("--clock", a->sweep.clock_mhz, "MHz")->capture_default_str();
  command->add_option("--ports", a->ports,
                      "ports of the link that the array shall hold (default: 4)");
  command->add_option("--rate", a->rate, "Gb/s of each of them (default: 10)");
  command
      ->add_option("--check", a->check,
                   "points that run in lockstep with their RTL: none, recommended, all")
      ->capture_default_str();
  add_netlist(*command, a->sweep.netlist,
              "they run in lockstep with what Yosys makes of the RTL, which takes minutes a PE");
  command->add_option("--cache", a->sweep.cache, "folder of RTL built on demand");
  command->add_option("--frames", a->sweep.frames, "simulated a point")->capture_default_str();
  command->add_option("--seed", a->sweep.seed, "of gradients and parameters")
      ->capture_default_str();
  command->add_flag("--no-area", a->no_area, "no areas");
  command->add_flag("--resynthesise", a->sweep.resynthesise,
                    "make areas with Yosys, which takes minutes, rather than use those that are "
                    "shipped for this RTL");
  command->add_option("--areas-out", a->areas_out,
                      "write the areas with the hash of their RTL: baselines/areas.json");
  command->add_option(
      "--synth-folder", a->sweep.synth_folder,
      "where areas are kept from one sweep to the next (default: in the user's cache)");
  command->add_flag("--no-cpu", a->no_cpu, "do not time the host's CPU");
  command->add_option("--json", a->json, "write the document as JSON; - for standard output");
  command->add_option("--csv", a->csv, "write the points as CSV");
  command->add_option("--svg", a->svg, "draw LUTs against throughput");
  command->add_option("--html", a->html, "write table and plot as HTML");
  command->add_flag("--quiet", a->quiet, "no table, no progress");
  command->callback([a, &invocation] {
    invocation.action = [a, &invocation] { return execute(*a, invocation); };
  });
}

}  // namespace gw::tools
