// gradwire paper: the five papers' tables and figures, ours beside them.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "sim/base/error.h"
#include "sim/base/version.h"
#include "sim/harness/kernel.h"
#include "sim/report/json.h"
#include "tools/gradwire/commands.h"
#include "tools/gradwire/progress.h"
#include "tools/gradwire/train.h"
#include "tools/paper/figures.h"
#include "tools/paper/page.h"
#include "tools/paper/papers.h"
#include "tools/paper/score.h"

namespace gw::tools {
namespace {

struct PaperArguments {
  std::string paper, item, data, json, html, command;
  size_t iterations = 0, seeds = 0;
  bool quick = false, quiet = false;
};

int execute(const PaperArguments& a, const CLI::App& command) {
  paper::Options options{.data = a.data};
  // A wrong number must not come out after minutes of other rows.
  const auto whole = [&command](const char* option, size_t value, size_t most) {
    if (command.count(option) != 0 && (value < 1 || value > most)) {
      throw sim::UsageError(fmt::format("{} {} is not between 1 and {}", option, value, most));
    }
    return command.count(option) != 0 ? std::optional(value) : std::nullopt;
  };
  options.iterations = whole("--iterations", a.iterations, 1'000'000);
  options.seeds = whole("--seeds", a.seeds, 100);
  const std::vector<paper::Row> rows = paper::selected(paper::rows(options), a.paper, a.item);
  sim::expect_report_files({a.json, a.html});
  if (!a.data.empty()) read_digits(a.data);

  Progress progress(a.quiet);
  paper::Documents documents(
      [&a](const std::vector<std::string>& words) { return document_of(words, a.quiet); });
  nlohmann::json document = paper::score(
      rows, documents,
      {.quick = a.quick, .data = !a.data.empty(), .note = progress.note(), .goes_on = [] {
         return !sim::interrupted();
       }});
  document["command"] = a.command;
  document["version"] = sim::kVersion;
  document["quick"] = a.quick;
  if (!a.html.empty()) document["figures"] = paper::figures(document, documents, options);
  progress.done();
  if (!a.quiet && a.json != "-") fmt::print("{}", paper::paper_text(document));
  if (!a.json.empty()) {
    sim::write_report_file(a.json == "-" ? "/dev/stdout" : a.json, sim::json_text(document));
  }
  if (!a.html.empty()) sim::write_report_file(a.html, paper::paper_page(document));
  return paper::exit_code(document);
}

}  // namespace

void add_paper(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand(
      "paper", "every table and figure of the five papers beside what this program makes of it");
  auto a = std::make_shared<PaperArguments>();
  a->command = invocation.command;
  command->add_option("PAPER", a->paper, "inceptionn, switch, ntt, tgs or mlhpc16 (default: all)");
  command->add_option("ITEM", a->item,
                      "table2, fig14, algorithm1 ... of that paper (default: all)");
  command->add_flag("--quick", a->quick, "leave out rows that take minutes, and say which")
      ->group("What runs");
  command
      ->add_option("--data", a->data,
                   "folder of the MNIST files (idx, gz), for rows that train; without it they say "
                   "that they need it")
      ->group("What runs");
  command
      ->add_option("--iterations", a->iterations,
                   "of each training run (default: 500, and what the presets of train have)")
      ->group("What runs");
  command
      ->add_option("--seeds", a->seeds,
                   "runs of each codec (default: 1, and what the presets of train have)")
      ->group("What runs");
  command->add_option("--json", a->json, "write the rows as JSON; - for standard output")
      ->group("Output");
  command->add_option("--html", a->html, "write a page: tables, and the figures redrawn")
      ->group("Output");
  command->add_flag("--quiet", a->quiet, "no table, no progress")->group("Output");
  command->footer(
      "Classes: exact (cycles, arithmetic: ours must be the paper's), prediction, calibrated, fit, "
      "shape, context, unavailable. Exit code 1 if an exact row differs.");
  command->callback([a, command, &invocation] {
    invocation.action = [a, command] { return execute(*a, *command); };
  });
}

}  // namespace gw::tools
