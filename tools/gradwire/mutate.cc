// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <thread>

#include "sim/base/error.h"
#include "sim/base/options.h"
#include "sim/base/version.h"
#include "sim/coverage/waivers.h"
#include "sim/harness/kernel.h"
#include "sim/regress/digest.h"
#include "sim/report/json.h"
#include "testbenches/library/mutant_builds.h"
#include "testbenches/library/process.h"
#include "tools/gradwire/commands.h"
#include "tools/gradwire/device_options.h"
#include "tools/gradwire/mutant_proofs.h"
#include "tools/gradwire/mutants.h"
#include "tools/gradwire/progress.h"
#include "tools/gradwire/regress_cases.h"

namespace gw::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr uint64_t kSoon = 10'000;  // cycles within which most should be killed
constexpr const char* kDefaultPlan = "plans/mutants.toml";

struct MutateArguments {
  DeviceOptions device;
  std::string name, plan = kDefaultPlan, count = "1000", seed = "1", cycles = "1000000", jobs;
  std::string rtl, top, check, waivers, json, out, cache, prove = "20";
  sim::UserRtl settings;  ///< of --rtl
  bool quiet = false, no_assert = false;
};

enum class Fate : uint8_t { kKilled, kEquivalent, kWaived, kSurvived };
constexpr const char* kFates[] = {"killed", "equivalent", "waived", "survived"};

struct Entry {
  const sim::Mutant* mutant = nullptr;
  MutantResult result;
  Fate fate = Fate::kKilled;
  std::string reason;  ///< of the waiver

  /// What a waiver's pattern is held against.
  std::string name() const {
    return fmt::format("{}/{}/{}", mutant->where, mutant->mode, mutant->port);
  }
};

double percent(size_t part, size_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

class Mutate {
 public:
  Mutate(MutateArguments& a, const sim::Device& device, std::string program)
      : a_(a), device_(device), program_(std::move(program)), progress_(a.quiet) {}

  int execute() {
    read_options();
    sim::expect_report_files({a_.json});
    if (!a_.waivers.empty()) waivers_ = sim::coverage::read_waivers(a_.waivers);
    const std::vector<std::string> found = vocabulary_.files(shipped_plan(a_.plan), false);
    if (found.empty()) throw sim::InputError(fmt::format("there is no plan '{}'", a_.plan));
    plan_ = regress::read_plan(found.front(), vocabulary_);
    points_ =
        regress::points_of(plan_, vocabulary_, {.device = device_.name(), .extra = extra_words()});
    if (points_.empty()) {
      throw sim::UsageError(fmt::format("no case of the plan '{}' is of the device '{}'",
                                        found.front(), device_.name()));
    }
    if (!a_.out.empty()) look_at_out();
    MutantRuns runs(plan_, points_, mutants_, cycles_);
    top_ = a_.rtl.empty() ? device_.facts_of(runs.first().run.spec).top : a_.top;
    build(runs);
    run_unmutated(runs);
    const bool whole = run_all(runs);
    judge_survivors();
    const json report = this->report(whole);
    if (!a_.quiet && a_.json != "-") print(whole);
    if (a_.json == "-") a_.json = "/dev/stdout";
    if (!a_.json.empty()) sim::write_report_file(a_.json, sim::json_text(report));
    return report.at("pass") ? sim::kPass : sim::kCheckFailed;
  }

 private:
  void read_options() {
    if (a_.rtl.empty() != a_.top.empty()) {
      throw sim::UsageError("--rtl FILE and --top NAME go together");
    }
    if (a_.no_assert && a_.rtl.empty()) {
      throw sim::UsageError("--no-assert is about RTL of your own and goes with --rtl");
    }
    mutants_.count =
        static_cast<uint32_t>(sim::parse_integer("--count", a_.count, 1, kMutantsAtMost));
    mutants_.seed = static_cast<uint64_t>(sim::parse_integer("--seed", a_.seed, 0, INT32_MAX));
    cycles_ = static_cast<uint64_t>(sim::parse_number("--cycles", a_.cycles, 1, 1e12));
    prove_seconds_ = static_cast<int>(sim::parse_integer("--prove", a_.prove, 0, 3600));
    jobs_ = a_.jobs.empty() ? std::max(1u, std::thread::hardware_concurrency())
                            : static_cast<size_t>(sim::parse_integer("--jobs", a_.jobs, 1, 256));
    if (testbenches::find_program("yosys").empty()) {
      throw sim::InputError("mutants are made by Yosys, and there is none here ('yosys')");
    }
    for (const char* tool : {"yosys-abc", "prlimit", "timeout"}) {
      if (prove_seconds_ == 0 || !testbenches::find_program(tool).empty()) continue;
      throw sim::InputError(
          fmt::format("proofs need '{}', and there is none here (--prove 0: no proofs)", tool));
    }
  }

  /// What is put after each case's words.
  std::vector<std::string> extra_words() const {
    std::vector<std::string> words;
    const auto pass_on = [&words](const char* option, const std::string& value) {
      if (!value.empty()) words.insert(words.end(), {option, value});
    };
    pass_on("--rtl", a_.rtl);
    pass_on("--top", a_.top);
    for (const std::string& word : words_of_rtl_settings(a_.settings)) words.push_back(word);
    if (a_.no_assert) words.emplace_back("--no-assert");
    pass_on("--check", a_.check);
    pass_on("--cache", a_.cache);
    const sim::OptionSet values = a_.device.values(device_);
    for (const sim::Option& option : device_.facts().options) {
      const auto given = values.changed().find(option.name);
      if (given == values.changed().end()) continue;
      words.push_back(option.flag ? "--" + option.name
                                  : fmt::format("--{}={}", option.name, given->second));
    }
    return words;
  }

  /// As `gradwire run` starts it.
  std::string command(const MutantResult& result) const {
    for (const regress::Point& point : points_) {
      if (!result.run.starts_with(point.name)) continue;
      const size_t seed = result.run.rfind("/s");
      const bool seeded = !point.seeds.empty() && seed == point.name.size();
      const regress::Case c =
          regress::case_at(plan_, point, seeded ? std::stoull(result.run.substr(seed + 2)) : 0);
      return regress::command_of(program_, c);
    }
    return regress::command_of(program_, regress::case_at(plan_, points_.front(), 0));
  }
  std::string wakes(const MutantResult& result) const {
    return fmt::format("{} --mutant {}/{} --mutant-seed {}", command(result), result.number,
                       mutants_.count, mutants_.seed);
  }

  void build(MutantRuns& runs) {
    sim::RunSpec spec = runs.first().run.spec;
    spec.mutant = mutants_;
    spec.note = progress_.note();
    const auto begin = std::chrono::steady_clock::now();
    // RTL of other parameters has other mutants: what killed number 17 there would not have met it.
    // One's own keeps its parameters.
    const auto rtl_of = [this](const sim::RunSpec& of) {
      return std::pair(device_.facts_of(of).top, device_.parameters(of));
    };
    for (size_t p = 1; a_.rtl.empty() && p < points_.size(); ++p) {
      if (rtl_of(runs.request(p, 1).run.spec) == rtl_of(spec)) continue;
      throw sim::UsageError(
          fmt::format("the case {} of the plan '{}' has RTL of other parameters than {}, and so "
                      "other mutants",
                      points_[p].name, plan_.name, points_.front().name));
    }
    list_ = device_.mutants(spec);
    if (list_.mutants.empty()) {
      throw sim::InputError(fmt::format("Yosys finds nothing to mutate in {}", top_));
    }
    // What is awake by its number is built with its neighbours: whoever is first of them builds.
    const auto count = static_cast<uint32_t>(list_.mutants.size());
    for (uint32_t first = 1; first <= count; first += testbenches::kMutantsOfBuild) {
      spec.mutant.number = first;
      device_.mutants(spec);
    }
    build_seconds_ =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  void run_unmutated(MutantRuns& runs) {
    say("the netlist without a mutant");
    std::optional<MutantResult> result;
    if (!run_mutants(runs, {0}, 1, [&result](const MutantResult& r) { result = r; })) {
      throw sim::InputError("interrupted before the first mutant ran");
    }
    if (result->killed) {
      throw sim::InputError(
          fmt::format("{} does not pass the plan without a mutant: {} at cycle {}; to see it: {}",
                      top_, result->by, result->cycle, wakes(*result)));
    }
    unmutated_cycles_ = result->cycle;
  }

  /// False: interrupted.
  bool run_all(MutantRuns& runs) {
    entries_.resize(list_.mutants.size());
    std::set<uint32_t> left;
    for (uint32_t n = 1; n <= entries_.size(); ++n) left.insert(n);
    const auto take = [&](const MutantResult& result) {
      Entry& entry = entries_.at(result.number - 1);
      entry = {.mutant = &list_.mutants[result.number - 1],
               .result = result,
               .fate = result.killed ? Fate::kKilled : Fate::kSurvived,
               .reason = ""};
      killed_ += result.killed;
      left.erase(result.number);
    };
    std::ofstream file = resume(take);
    prove_by_wires(left);
    const auto begin = std::chrono::steady_clock::now();
    auto last = begin;
    const size_t before = entries_.size() - left.size();
    const auto ended = [&](const MutantResult& result) {
      take(result);
      if (file.is_open()) file << result.to_json().dump() << std::endl;
      const auto now = std::chrono::steady_clock::now();
      if (!left.empty() && now - last < std::chrono::seconds(1)) return;
      last = now;
      const size_t done = entries_.size() - left.size();
      const double seconds = std::chrono::duration<double>(now - begin).count();
      draw(fmt::format(
          "{} of {} mutants, {} killed, {:.0f} s left", done, entries_.size(), killed_,
          seconds * static_cast<double>(left.size()) / static_cast<double>(done - before)));
    };
    const bool whole = left.empty() || run_mutants(runs, {left.begin(), left.end()}, jobs_, ended);
    run_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    draw("");
    std::erase_if(entries_, [](const Entry& entry) { return entry.mutant == nullptr; });
    return whole;
  }

  /// Results are those of a run that asks for the same ...
  std::string asked() const {
    std::string key =
        fmt::format("{} {} {} {} {}", kFormat, mutants_.count, mutants_.seed, cycles_, a_.check);
    if (a_.no_assert) key += " without assertions";
    for (const regress::Point& point : points_) {
      key += fmt::format(" {} {}", point.name, point.contents);
    }
    return regress::Digest().add(key).hex();
  }
  /// ... and that got the same: of other RTL there are other mutants.
  std::string got() const {
    std::string key;
    for (const sim::Mutant& mutant : list_.mutants) key += mutant.words;
    return regress::Digest().add(key).hex();
  }

  fs::path results() const { return fs::path(a_.out) / "mutants.jsonl"; }
  [[noreturn]] void refuse_out() const {
    throw sim::UsageError(fmt::format("'{}' holds the mutants of another run", a_.out));
  }
  [[noreturn]] void fail_to_write() const {
    throw sim::InputError(fmt::format("cannot write '{}'", results().string()));
  }

  /// Whether --out is of any use is told before minutes of building.
  void look_at_out() const {
    std::error_code error;
    fs::create_directories(a_.out, error);
    if (error || !std::ofstream(results(), std::ios::app)) fail_to_write();
    std::ifstream before(results());
    std::string line;
    if (!std::getline(before, line) || line.empty()) return;
    const json head = json::parse(line, nullptr, false);
    if (!head.is_object() || !head.contains("asked") || head["asked"] != asked()) refuse_out();
  }

  /// The results that an earlier run of the same left in --out, and the file for more.
  std::ofstream resume(const std::function<void(const MutantResult&)>& take) const {
    if (a_.out.empty()) return {};
    const std::string head = json{{"asked", asked()}, {"mutants", got()}}.dump();
    std::ifstream before(results());
    std::string line;
    const bool same = std::getline(before, line) && line == head;
    if (before && !same && !line.empty()) refuse_out();
    while (same && std::getline(before, line)) {
      const json document = json::parse(line, nullptr, false);
      if (document.is_object()) take(MutantResult::of(document));  // the last may be cut
    }
    before.close();
    std::ofstream file(results(), same ? std::ios::app : std::ios::trunc);
    if (!file) fail_to_write();
    file << (same ? "" : head) << std::endl;
    return file;
  }

  /// What reaches no output needs no run.
  void prove_by_wires(std::set<uint32_t>& left) {
    if (prove_seconds_ == 0) return;
    say("what the outputs are made of");
    const std::vector<bool> unseen = reach_no_output(list_);
    for (uint32_t n = 1; n <= entries_.size(); ++n) {
      Entry& entry = entries_[n - 1];
      if (!unseen[n - 1] || entry.result.killed) continue;
      ++unseen_;
      entry.mutant = &list_.mutants[n - 1];
      entry.result.number = n;
      entry.fate = Fate::kEquivalent;
      left.erase(n);
    }
  }

  template <class Proof>
  void prove(const std::vector<Entry*>& open, const char* doing, const Proof& proof) {
    std::vector<const sim::Mutant*> mutants;
    for (const Entry* entry : open) mutants.push_back(entry->mutant);
    const std::vector<bool> proven =
        proof(list_, mutants, top_, ProofLimits{.seconds = prove_seconds_, .jobs = jobs_},
              [&](size_t done) { draw(fmt::format("{} of {} {}", done, open.size(), doing)); });
    for (size_t i = 0; i < open.size(); ++i) {
      if (proven[i]) open[i]->fate = Fate::kEquivalent;
    }
  }

  void judge_survivors() {
    const sim::Day today = sim::Day::today();
    used_.assign(waivers_.size(), false);
    std::vector<Entry*> open;
    for (Entry& entry : entries_) {
      if (entry.fate != Fate::kSurvived) continue;
      for (size_t w = 0; w < waivers_.size(); ++w) {
        if (!waivers_[w].covers(entry.name())) continue;
        used_[w] = true;
        if (waivers_[w].expired(today)) continue;
        entry.fate = Fate::kWaived;
        entry.reason = waivers_[w].reason;
      }
      // To a proof the clock ticks in each step: what a mutant does to it no proof sees.
      const bool clock = entry.mutant->port.find("CLK[") != std::string::npos;
      if (entry.fate == Fate::kSurvived && prove_seconds_ != 0 && !clock) open.push_back(&entry);
    }
    // The quick one first: it takes a second each, and leaves few.
    prove(open, "survivors tried from reset on", same_as_seen);
    std::erase_if(open, [](const Entry* entry) { return entry->fate == Fate::kEquivalent; });
    prove(open, "survivors tried for equivalence", same_in_every_state);
    draw("");
    for (size_t w = 0; w < waivers_.size(); ++w) {
      if (!used_[w] || !waivers_[w].expired(today)) continue;
      failures_.push_back(fmt::format("{}: the waiver of {} ended on {}", waivers_[w].where,
                                      waivers_[w].point, waivers_[w].until.text()));
    }
  }

  size_t count(Fate fate) const {
    return static_cast<size_t>(std::ranges::count(entries_, fate, &Entry::fate));
  }
  size_t killed_soon() const {
    return static_cast<size_t>(std::ranges::count_if(entries_, [](const Entry& entry) {
      return entry.fate == Fate::kKilled && entry.result.cycle <= kSoon;
    }));
  }

  json report(bool whole) const {
    const size_t others = entries_.size() - count(Fate::kEquivalent);
    json document = {{"device", device_.name()},
                     {"top", top_},
                     {"plan", plan_.name},
                     {"seed", mutants_.seed},
                     {"cycles_at_most", cycles_},
                     {"unmutated_cycles", unmutated_cycles_},
                     {"mutants", entries_.size()},
                     {"reach_no_output", unseen_},
                     {"killed_percent", percent(count(Fate::kKilled), others)},
                     {"killed_within_10000_percent", percent(killed_soon(), others)},
                     {"build_s", build_seconds_},
                     {"run_s", run_seconds_},
                     {"version", sim::kVersion}};
    for (const Fate fate : {Fate::kKilled, Fate::kEquivalent, Fate::kWaived, Fate::kSurvived}) {
      document[kFates[static_cast<size_t>(fate)]] = count(fate);
    }
    for (const Entry& entry : entries_) {
      json one = {{"number", entry.result.number},
                  {"where", entry.mutant->where},
                  {"mode", entry.mutant->mode},
                  {"cell", entry.mutant->cell},
                  {"port", entry.mutant->port},
                  {"cycles", entry.result.cycle},
                  {"fate", kFates[static_cast<size_t>(entry.fate)]}};
      if (entry.fate == Fate::kKilled) {
        one["by"] = entry.result.by;
        one["run"] = entry.result.run;
      }
      if (entry.fate == Fate::kWaived) one["reason"] = entry.reason;
      if (entry.fate == Fate::kSurvived) one["command"] = wakes(entry.result);
      document["all"].push_back(std::move(one));
    }
    document["failures"] = failures_;
    if (!whole) document["interrupted"] = true;
    document["pass"] = whole && failures_.empty() && count(Fate::kSurvived) == 0;
    return document;
  }

  void print(bool whole) const {
    const size_t others = entries_.size() - count(Fate::kEquivalent);
    fmt::print("{}: {} mutants of {}, seed {}, plan {} ({} cases, {} cycles without a mutant)\n",
               device_.name(), entries_.size(), top_, mutants_.seed, plan_.name, points_.size(),
               unmutated_cycles_);
    fmt::print("killed      {:>6}  {:.1f} % of those that are not equivalent\n",
               count(Fate::kKilled), percent(count(Fate::kKilled), others));
    fmt::print("            {:>6}  {:.1f} % within {} cycles\n", killed_soon(),
               percent(killed_soon(), others), kSoon);
    fmt::print("equivalent  {:>6}  proven, {} of them by the wires: they reach no output\n",
               count(Fate::kEquivalent), unseen_);
    fmt::print("waived      {:>6}\nsurvived    {:>6}\n", count(Fate::kWaived),
               count(Fate::kSurvived));
    std::map<std::string, size_t> kinds;
    for (const Entry& entry : entries_) {
      if (entry.fate == Fate::kKilled) ++kinds[entry.result.by];
    }
    std::vector<std::pair<size_t, std::string>> rows;
    for (const auto& [by, n] : kinds) rows.emplace_back(n, by);
    std::ranges::sort(rows, std::greater());
    if (!rows.empty()) fmt::print("\nkilled by\n");
    for (const auto& [n, by] : rows) fmt::print("  {:>6}  {}\n", n, by);
    if (count(Fate::kWaived) != 0) fmt::print("\nwaived\n");
    for (const Entry& entry : entries_) {
      if (entry.fate == Fate::kWaived) fmt::print("  {}  {}\n", entry.name(), entry.reason);
    }
    if (count(Fate::kSurvived) != 0) fmt::print("\nsurvived\n");
    for (const Entry& entry : entries_) {
      if (entry.fate != Fate::kSurvived) continue;
      fmt::print("  {}: {} at {} of {}, in {} cycles\n      {}\n", entry.mutant->where,
                 entry.mutant->mode, entry.mutant->port, entry.mutant->cell, entry.result.cycle,
                 wakes(entry.result));
    }
    for (size_t w = 0; w < waivers_.size(); ++w) {
      if (!used_[w]) {
        fmt::print("\n{}: no survivor is {}\n", waivers_[w].where, waivers_[w].point);
      }
    }
    for (const std::string& failure : failures_) fmt::print("\n{}\n", failure);
    fmt::print("\nbuilt in {:.0f} s, run in {:.0f} s{}\n", build_seconds_, run_seconds_,
               whole ? "" : "; interrupted: the figures are those of what ran");
  }

  void say(const std::string& text) const {
    if (const auto note = progress_.note()) note(text);
  }
  /// A line that is redrawn; "": none.
  void draw(const std::string& text) const {
    if (a_.quiet || isatty(STDERR_FILENO) == 0) return;
    fmt::print(stderr, "\r\033[K{}{}", text.empty() ? "" : "# ", text);
    std::fflush(stderr);
  }

  static constexpr const char* kFormat = "gradwire mutants 1";

  MutateArguments& a_;
  const sim::Device& device_;
  const std::string program_;
  const Progress progress_;
  const RunVocabulary vocabulary_;
  regress::Plan plan_;
  std::vector<regress::Point> points_;
  std::vector<sim::coverage::Waiver> waivers_;
  std::vector<bool> used_;
  sim::MutantSpec mutants_;
  sim::MutantList list_;
  std::string top_;
  uint64_t cycles_ = 0, unmutated_cycles_ = 0;
  size_t jobs_ = 1, killed_ = 0, unseen_ = 0;
  int prove_seconds_ = 0;
  double build_seconds_ = 0, run_seconds_ = 0;
  std::vector<Entry> entries_;
  std::vector<std::string> failures_;
};

}  // namespace

void add_mutate(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand(
      "mutate", "plants faults in a device's RTL, one at a time, and tells which a plan notices");
  auto a = std::make_shared<MutateArguments>();
  const sim::Device* const device = device_named(invocation.arguments);
  command->add_option("DEVICE", a->name, "whose RTL (gradwire list)")->required();
  command->add_option("--count", a->count, "so many mutants")->capture_default_str();
  command->add_option("--plan", a->plan, "the runs, as of gradwire regress: those of the device")
      ->capture_default_str();
  command->add_option("--seed", a->seed, "of the choice of mutants")->capture_default_str();
  command->add_option("--cycles", a->cycles, "a mutant survives that lives so long")
      ->capture_default_str();
  command->add_option("--check", a->check,
                      "what may kill, as of run: model,reference,protocol,profile");
  command->add_option("--rtl", a->rtl, "file list of RTL of your own, in the device's place");
  command->add_option("--top", a->top, "its top module");
  add_rtl_settings(*command, a->settings);
  command->add_flag("--no-assert", a->no_assert,
                    "leave out those of its assertions that Yosys keeps: assert (...) without "
                    "else, in a procedure");
  command->add_option(
      "--waivers", a->waivers,
      "TOML file of survivors that may be, FILE.sv:LINE/MODE/PORT (docs/mutate.md)");
  command
      ->add_option("--prove", a->prove,
                   "processor seconds for a proof that a survivor is equivalent; 0: none is tried")
      ->capture_default_str();
  command->add_option("--jobs", a->jobs, "processes side by side (default: the processors)");
  command->add_option("--out", a->out, "folder of results: a run that was stopped goes on there");
  command->add_option("--json", a->json, "write the report as JSON; - for standard output");
  command->add_option("--cache", a->cache, "folder of RTL built on demand");
  command->add_flag("--quiet", a->quiet, "no table, no progress");
  if (device != nullptr) a->device.add(*command, *device);
  command->allow_extras();
  command->callback([a, command, device, &invocation] {
    invocation.action = [a, command, device, program = invocation.program] {
      const sim::Device& chosen = registry().device(a->name);
      if (device != &chosen) throw std::logic_error("the device is not the one that was named");
      refuse_extras(*command, "mutate", chosen);
      return Mutate(*a, chosen, program).execute();
    };
  });
}

}  // namespace gw::tools
