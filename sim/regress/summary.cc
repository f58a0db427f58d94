// SPDX-License-Identifier: Apache-2.0
#include "sim/regress/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include "sim/base/file_bytes.h"
#include "sim/base/version.h"
#include "sim/regress/coverage.h"
#include "sim/regress/dashboard.h"
#include "sim/regress/digest.h"
#include "sim/regress/junit.h"
#include "sim/regress/worker.h"
#include "sim/report/json.h"
#include "sim/report/text.h"

namespace gw::regress {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr size_t kSlowest = 10;
constexpr size_t kMostLines = 12;  // of failures and changes in the terminal's summary

json verdicts_json(const Verdicts& verdicts) {
  json counts = json::object();
  for (size_t i = 0; i < kVerdicts; ++i) counts[std::string(kVerdictNames[i])] = verdicts[i];
  return counts;
}

json case_json(const Summary& summary, const Entry& entry) {
  const Case& c = entry.what;
  json document = to_json(entry.result);
  document["name"] = c.name;
  document["group"] = c.group;
  document["device"] = c.device;
  if (!c.stimulus.empty()) document["stimulus"] = c.stimulus;
  if (!c.stall.empty()) document["stall"] = c.stall;
  document["round"] = c.round;
  document["hash"] = c.hash;
  document["command"] = command_of(summary.order.command, c);
  return document;
}

json summary_json(const Summary& s) {
  return {{"plan", s.order.plan},
          {"farm", s.ran.farm},
          {"jobs", s.ran.jobs},
          {"began", s.ran.began},
          {"seconds", s.ran.seconds},
          {"busy_seconds", s.ran.busy_seconds},
          {"build_seconds", s.ran.build_seconds},
          {"capsule_seconds", s.ran.capsule_seconds},
          {"interrupted", s.ran.interrupted},
          {"stopped", s.ran.stopped},
          {"verdicts", verdicts_json(s.verdicts)},
          {"cycles", s.cycles},
          {"cycles_per_s", s.cycles_per_s}};
}

/// Of a folder; an empty object if there is none.
json summary_of(const fs::path& folder) {
  json document =
      json::parse(sim::bytes_if_readable(folder / "summary.json").value_or(""), nullptr, false);
  return document.is_object() ? document : json::object();
}

/// Results of the same plan that lie beside this one.
void each_sibling(const fs::path& folder, const std::string& plan,
                  const std::function<void(const fs::path&, const json&)>& take) {
  std::error_code error;
  const fs::path own = fs::canonical(folder, error);
  for (const fs::directory_entry& one : fs::directory_iterator(own.parent_path(), error)) {
    if (one.path() == own) continue;
    const json document = summary_of(one.path());
    if (document.value("plan", "") == plan) take(one.path(), document);
  }
}

struct Paint {
  bool colour;
  std::string operator()(const char* code, const std::string& text) const {
    return colour ? fmt::format("\033[{}m{}\033[0m", code, text) : text;
  }
};
constexpr const char* kRed = "1;31";
constexpr const char* kGreen = "1;32";
constexpr const char* kYellow = "33";
constexpr const char* kFaint = "2";

/// Says how long a case waited for its RTL to be built.
std::string built(const Entry& entry) {
  const double seconds = entry.result.build_seconds;
  return seconds < 0.5 ? ""
                       : fmt::format(" ({} of it building RTL)", sim::report::seconds(seconds));
}

std::string padded(const std::string& text, size_t columns) {
  const size_t width = sim::report::width(text);
  return text + std::string(columns > width ? columns - width : 0, ' ');
}

}  // namespace

std::string duration_text(double seconds) {
  if (!(seconds >= 0)) return "?";
  const auto whole = static_cast<uint64_t>(std::llround(seconds));
  if (whole >= 3600) return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
  if (whole >= 60) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return seconds < 10 ? fmt::format("{:.1f} s", seconds) : fmt::format("{} s", whole);
}

Ran last_run(const fs::path& folder) {
  const json document = summary_of(folder);
  return {.farm = document.value("farm", "local"),
          .jobs = document.value("jobs", size_t{0}),
          .began = document.value("began", ""),
          .seconds = document.value("seconds", 0.0),
          .busy_seconds = document.value("busy_seconds", 0.0),
          .build_seconds = document.value("build_seconds", 0.0),
          .capsule_seconds = document.value("capsule_seconds", 0.0),
          .interrupted = document.value("interrupted", false),
          .stopped = document.value("stopped", "")};
}

Past past_of(const fs::path& folder, const std::string& plan) {
  std::string newest;
  fs::path from;
  each_sibling(folder, plan, [&](const fs::path& path, const json& document) {
    if (const std::string began = document.value("began", ""); began > newest) {
      newest = began;
      from = path;
    }
  });
  Past past;
  // This folder's own are the newer ones.
  for (const fs::path& path : {from, folder}) {
    if (path.empty()) continue;
    std::ifstream file(path / "times.tsv");
    std::string name, seconds, verdict;
    while (std::getline(file, name, '\t') && std::getline(file, seconds, '\t') &&
           std::getline(file, verdict)) {
      const auto known = verdict_of(verdict);
      past.cases[name] = {.seconds = std::strtod(seconds.c_str(), nullptr),
                          .failed = known && !passes(*known)};
    }
  }
  return past;
}

std::optional<std::vector<Change>> settle(Entry& entry, const Baseline& baseline,
                                          const KnownFailures& known) {
  Result& result = entry.result;
  std::optional<std::vector<Change>> changes;
  // Cases of a budget's later rounds come and go.
  if (result.verdict == Verdict::kPass && entry.what.round == 1) {
    changes = baseline.compare(entry);
    if (changes) regress::apply(*changes, result);
    if (result.verdict == Verdict::kFail) {
      const auto worse = std::ranges::find_if(*changes, &Change::worse);
      result.bucket = bucket_of(entry.what, "baseline", worse->figure);
    }
  }
  known.apply(entry, today());
  return changes;
}

std::string capsule_name(const std::string& bucket) {
  constexpr size_t kMost = 60;
  std::string name;
  for (const char c : bucket) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
    if (name.size() == kMost) break;
  }
  // Another bucket may begin in the same way.
  return name + (name.ends_with('-') ? "" : "-") + Digest().add(bucket).hex().substr(0, 6);
}

void find_capsules(Summary& s, const fs::path& folder) {
  for (Bucket& bucket : s.buckets) {
    const std::string name = capsule_name(bucket.text);
    const fs::path capsule = fs::path("failures") / name;
    std::error_code error;
    if (!fs::exists(folder / (capsule.string() + ".zip"), error)) continue;
    bucket.capsule = capsule.string() + ".zip";
    bucket.replay = sim::report::shell_command(
        std::vector<std::string>{s.order.command, "replay", (folder / bucket.capsule).string()});
    bucket.flaky = fs::exists(folder / capsule / "flaky.txt", error);
    std::ifstream shrunk(folder / capsule / "shrink.txt");
    std::getline(shrunk, bucket.left);
  }
}

Summary summarise(Summary s, const Baseline& baseline, const KnownFailures& known) {
  s.baseline = !baseline.empty();
  std::set<std::string> names;
  std::map<std::string, size_t> group_index;
  const std::string builds = build_text(s.ran);
  for (Entry& entry : s.entries) {
    names.insert(entry.what.name);
    Result& result = entry.result;
    if (result.verdict == Verdict::kNotRun && result.headline.empty()) {
      result.headline = "not run";
      result.lines = {s.ran.interrupted        ? "the regression was interrupted before it"
                      : !s.ran.stopped.empty() ? "the regression could not go on: " + s.ran.stopped
                      : s.order.budget.empty()
                          ? "it was not among the cases that this run was about"
                          : "the budget was spent before it" +
                                (builds.empty() ? "" : ": " + builds)};
    }
    const bool has_figures = result.verdict == Verdict::kPass && entry.what.round == 1;
    if (const auto changes = settle(entry, baseline, known)) {
      s.changes.insert(s.changes.end(), changes->begin(), changes->end());
    } else if (has_figures && s.baseline) {
      ++s.without_baseline;
    }
    ++s.verdicts[static_cast<size_t>(result.verdict)];
    const auto [group, added] = group_index.emplace(entry.what.group, s.groups.size());
    if (added) s.groups.emplace_back(entry.what.group, Verdicts{});
    ++s.groups[group->second].second[static_cast<size_t>(result.verdict)];
    if (!result.host.empty()) ++s.hosts[result.host];
    s.cycles += result.figures.value("cycles", 0.0);
    s.busy_seconds += result.seconds;
    s.build_seconds += result.build_seconds;
  }
  const double run_seconds = s.busy_seconds - s.build_seconds;
  s.cycles_per_s = run_seconds > 0 ? s.cycles / run_seconds : 0;
  if (s.order.only.empty()) {
    for (const std::string& name : baseline.names()) {
      if (!names.contains(name)) s.gone.push_back(name);
    }
  }
  for (const Entry& entry : s.entries) {
    if (!entry.result.bucket.empty()) {
      auto bucket = std::ranges::find(s.buckets, entry.result.bucket, &Bucket::text);
      if (bucket == s.buckets.end()) {
        bucket = s.buckets.insert(bucket, Bucket{});
        bucket->text = entry.result.bucket;
        bucket->first = &entry;
      }
      ++bucket->count;
      bucket->known = entry.result.verdict == Verdict::kKnown;
    }
    if (!passes(entry.result.verdict)) s.failures.push_back(&entry);
    if (entry.result.seconds > 0) s.slowest.push_back(&entry);
  }
  // Only who has seen all of a device's cases can say that a failure has gone.
  for (const KnownFailure& one : known.all()) {
    const std::string device = one.bucket.substr(0, one.bucket.find(", "));
    const bool whole = (s.order.only.empty() || s.order.only == "--device " + device) &&
                       s.of(Verdict::kNotRun) == 0;
    const bool asked = std::ranges::any_of(
        s.entries, [&device](const Entry& entry) { return entry.what.device == device; });
    const bool occurs = std::ranges::count(s.buckets, one.bucket, &Bucket::text) != 0;
    if (whole && asked && !occurs) s.overcome.push_back(one);
  }
  std::ranges::stable_sort(
      s.failures, {}, [](const Entry* entry) { return entry->result.verdict == Verdict::kNotRun; });
  const size_t count = std::min(kSlowest, s.slowest.size());
  std::ranges::partial_sort(s.slowest, s.slowest.begin() + static_cast<ptrdiff_t>(count),
                            std::ranges::greater{},
                            [](const Entry* entry) { return entry->result.seconds; });
  s.slowest.resize(count);
  s.passed = !s.entries.empty() && s.failures.empty() && s.ran.stopped.empty();
  return s;
}

std::vector<Trend> trends(const fs::path& folder, const std::string& plan, size_t most) {
  std::vector<Trend> found;
  each_sibling(folder, plan, [&found](const fs::path&, const json& document) {
    Trend trend{.began = document.value("began", ""),
                .verdicts = {},
                .seconds = document.value("seconds", 0.0),
                .cycles = document.value("cycles", 0.0),
                .cycles_per_s = document.value("cycles_per_s", 0.0)};
    for (size_t i = 0; i < kVerdicts; ++i) {
      trend.verdicts[i] = document.value("verdicts", json::object())
                              .value(std::string(kVerdictNames[i]), size_t{0});
    }
    found.push_back(trend);
  });
  std::ranges::sort(found, {}, &Trend::began);
  if (found.size() > most) found.erase(found.begin(), found.end() - static_cast<ptrdiff_t>(most));
  return found;
}

std::string regress_json(const Summary& s) {
  json head = {{"plan",
                {{"name", s.order.plan},
                 {"file", s.order.file},
                 {"seed", s.order.seed},
                 {"budget", s.order.budget},
                 {"only", s.order.only}}},
               {"version", sim::kVersion},
               {"tools", sim::build_tools()},
               {"program", s.order.program},
               {"where", {{"farm", s.ran.farm}, {"jobs", s.ran.jobs}, {"hosts", s.hosts}}},
               {"times",
                {{"began", s.ran.began},
                 {"seconds", s.ran.seconds},
                 {"busy_seconds", s.busy_seconds},
                 {"build_seconds", s.build_seconds},
                 {"capsule_seconds", s.ran.capsule_seconds},
                 {"cycles_per_s", s.cycles_per_s}}},
               {"verdicts", verdicts_json(s.verdicts)},
               {"groups", json::array()},
               {"cycles", s.cycles},
               {"slowest", json::array()},
               {"pass", s.passed}};
  if (!s.coverage.is_null()) head["coverage"] = coverage_shares(s.coverage);
  if (s.ran.interrupted) head["interrupted"] = true;
  if (!s.ran.stopped.empty()) head["stopped"] = s.ran.stopped;
  for (const auto& [name, verdicts] : s.groups) {
    head["groups"].push_back({{"name", name}, {"verdicts", verdicts_json(verdicts)}});
  }
  for (const Entry* const entry : s.slowest) head["slowest"].push_back(entry->what.name);
  head["buckets"] = json::array();
  for (const Bucket& bucket : s.buckets) {
    json& one = head["buckets"].emplace_back();
    one = {{"bucket", bucket.text},
           {"count", bucket.count},
           {"known", bucket.known},
           {"first", bucket.first->what.name}};
    if (!bucket.capsule.empty()) one["capsule"] = bucket.capsule;
    if (bucket.flaky) one["flaky"] = true;
  }
  head["overcome"] = json::array();
  for (const KnownFailure& one : s.overcome) {
    head["overcome"].push_back({{"bucket", one.bucket}, {"issue", one.issue}});
  }
  json& baseline = head["baseline"] = {{"file", s.order.baseline},
                                       {"there", s.baseline},
                                       {"without", s.without_baseline},
                                       {"gone", s.gone},
                                       {"changes", json::array()}};
  for (const Change& change : s.changes) {
    baseline["changes"].push_back({{"case", change.name},
                                   {"figure", change.figure},
                                   {"was", change.was},
                                   {"is", change.is},
                                   {"percent", change.percent},
                                   {"worse", change.worse}});
  }
  // Case by case: the document of a hundred thousand would take a gigabyte.
  std::string text = head.dump(1, ' ', false, json::error_handler_t::replace);
  text.resize(text.size() - 2);  // "\n}"
  text += ",\n \"cases\": [";
  const char* separator = "\n  ";
  for (const Entry& entry : s.entries) {
    text += separator;
    text += case_json(s, entry).dump(-1, ' ', false, json::error_handler_t::replace);
    separator = ",\n  ";
  }
  return text + "\n ]\n}\n";
}

void write_reports(const Folder& folder, const Summary& s) {
  const auto write = [&](const std::string& name, const std::string& text) {
    sim::write_report_file((folder.path() / name).string(), text);
  };
  write("regress.json", regress_json(s));
  const std::vector<std::string> junit = junit_xml(s);
  std::error_code error;
  for (const fs::directory_entry& old : fs::directory_iterator(folder.path(), error)) {
    // Of a run with more of them.
    if (old.path().filename().string().starts_with("junit-")) fs::remove(old.path(), error);
  }
  write("junit.xml", junit.front());
  for (size_t i = 1; i < junit.size(); ++i) write(fmt::format("junit-{}.xml", i + 1), junit[i]);
  write("index.html", dashboard_html(s, trends(folder.path(), s.order.plan)));
  write("summary.json", summary_json(s).dump() + "\n");
  std::string times;
  for (const Entry& entry : s.entries) {
    if (entry.result.verdict == Verdict::kNotRun) continue;
    // RTL that is built stays built: the next run takes as long as the rest.
    times += fmt::format("{}\t{:.6f}\t{}\n", entry.what.name,
                         entry.result.seconds - entry.result.build_seconds,
                         name_of(entry.result.verdict));
  }
  write("times.tsv", times);
}

std::string verdict_text(const Summary& s) {
  const size_t failed = s.failed(), not_run = s.of(Verdict::kNotRun), all = s.entries.size();
  const auto were = [](size_t n) { return n == 1 ? "was" : "were"; };
  if (failed == 0 && not_run != 0) {
    return fmt::format("{} of {} cases {} not run", not_run, all, were(not_run));
  }
  if (failed != 0 || !s.passed) {
    return fmt::format("{} of {} cases failed{}", failed, all,
                       not_run == 0 ? "" : fmt::format(", {} {} not run", not_run, were(not_run)));
  }
  std::string text = fmt::format("{} of {} cases", all, all);
  if (const size_t n = s.of(Verdict::kKnown)) text += fmt::format(", {} known to fail", n);
  if (const size_t n = s.of(Verdict::kWaived)) text += fmt::format(", {} waived", n);
  return text;
}

std::string build_text(const Ran& ran) {
  const double share = ran.busy_seconds > 0 ? 100 * ran.build_seconds / ran.busy_seconds : 0;
  return share < 1 ? ""
                   : fmt::format("{:.0f} % of the time in cases went into building RTL", share);
}

std::string failure_line(const Case& c, const Result& result, bool colour) {
  const Paint paint{colour};
  std::string word(name_of(result.verdict));
  std::ranges::transform(word, word.begin(), [](unsigned char ch) { return std::toupper(ch); });
  return fmt::format("{} {}: {}", paint(kRed, word), c.name, sim::report::clean(result.headline));
}

std::string summary_text(const Summary& s, const fs::path& folder, bool colour) {
  const Paint paint{colour};
  std::string text;
  const auto listed = [&](const char* title, const auto& list, const auto& line) {
    if (list.empty()) return;
    text += fmt::format("\n  {}\n", title);
    for (size_t i = 0; i < std::min(list.size(), kMostLines); ++i)
      text += "    " + line(list[i]) + "\n";
    if (list.size() > kMostLines) {
      text += fmt::format("    and {} more, in {}\n", list.size() - kMostLines,
                          (folder / "index.html").string());
    }
  };
  listed("Buckets: failures by cause, and what repeats the first of each", s.buckets,
         [&](const Bucket& bucket) {
           std::string line =
               fmt::format("{:>4}  {}{}{}", bucket.count, sim::report::clean(bucket.text),
                           bucket.known ? paint(kYellow, " (known)") : "",
                           bucket.flaky ? paint(kYellow, " (flaky)") : "");
           if (!bucket.left.empty()) line += "\n          " + paint(kFaint, bucket.left);
           const std::string command = bucket.replay.empty()
                                           ? command_of(s.order.command, bucket.first->what)
                                           : bucket.replay;
           return line + "\n          " + paint(kFaint, command);
         });
  listed("Not passed", s.failures, [&](const Entry* entry) {
    const std::string& bucket = entry->result.bucket;
    return failure_line(entry->what, entry->result, colour) +
           (bucket.empty() ? "" : "\n      bucket: " + sim::report::clean(bucket)) + "\n      " +
           paint(kFaint, command_of(s.order.command, entry->what));
  });
  // Groups and their verdicts; columns that say nothing are left out.
  std::vector<size_t> columns;
  for (size_t i = 0; i < kVerdicts; ++i) {
    if (i == 0 || s.verdicts[i] != 0) columns.push_back(i);
  }
  size_t width = 5;
  for (const auto& [name, ignored] : s.groups) width = std::max(width, name.size());
  text += fmt::format("\n  {:<{}}", "group", width);
  for (const size_t i : columns) text += fmt::format("{:>10}", kVerdictNames[i]);
  text += "\n";
  const auto row = [&](const std::string& name, const Verdicts& verdicts) {
    text += "  " + padded(name, width);
    for (const size_t i : columns) {
      const std::string count =
          fmt::format("{:>10}", verdicts[i] == 0 ? "-" : fmt::format("{}", verdicts[i]));
      text += verdicts[i] == 0                  ? paint(kFaint, count)
              : passes(static_cast<Verdict>(i)) ? count
                                                : paint(kRed, count);
    }
    text += "\n";
  };
  for (const auto& [name, verdicts] : s.groups) row(name, verdicts);
  if (s.groups.size() > 1) row("all", s.verdicts);

  listed("Known, and no longer there: take it out of the file", s.overcome,
         [](const KnownFailure& one) { return one.bucket + " " + one.text(); });
  std::vector<const Change*> better;
  for (const Change& change : s.changes) {
    if (!change.worse) better.push_back(&change);
  }
  listed("Better than the baseline (gradwire regress accept takes it)", better,
         [](const Change* change) { return change->name + ": " + change->text(); });
  std::vector<const Entry*> again;
  for (const Entry& entry : s.entries) {
    if (entry.result.attempts > 1) again.push_back(&entry);
  }
  listed("A worker died in", again, [&](const Entry* entry) {
    return fmt::format("{}: {} attempts", entry->what.name, entry->result.attempts);
  });
  if (s.slowest.size() > 1) {
    listed("Slowest", s.slowest, [](const Entry* entry) {
      return fmt::format("{:>9}  {}{}", sim::report::seconds(entry->result.seconds),
                         entry->what.name, built(*entry));
    });
  }
  if (!s.coverage.is_null()) {
    text += "\n  Coverage (gradwire coverage report " +
            sim::report::shell_word((folder / kCoverageFolder / "merged.json").string()) + ")\n" +
            coverage_lines(s.coverage);
  }
  const auto count = [](size_t n, const char* one) {
    return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
  };
  text += "\n";
  if (!s.baseline) {
    text +=
        fmt::format("  no baseline '{}' (gradwire regress accept makes one)\n", s.order.baseline);
  } else {
    if (s.without_baseline != 0) {
      text += fmt::format("  {} without a baseline\n", count(s.without_baseline, "case"));
    }
    if (!s.gone.empty()) {
      text += fmt::format("  {} only in the baseline\n", count(s.gone.size(), "case"));
    }
  }
  if (const std::string builds = build_text(s.ran); !s.order.budget.empty() && !builds.empty()) {
    text += fmt::format("  budget {}: {}; what is built stays built\n", s.order.budget, builds);
  }
  text += fmt::format(
      "  {}  {}{} in {}{}, {} M cycles, {} M cycles/s a worker\n  {}\n",
      s.passed ? paint(kGreen, "PASS") : paint(kRed, "FAIL"), verdict_text(s),
      s.ran.interrupted ? paint(kYellow, " (interrupted)") : "", duration_text(s.ran.seconds),
      s.ran.capsule_seconds >= 0.5
          ? fmt::format(" ({} of it for capsules)", duration_text(s.ran.capsule_seconds))
          : "",
      sim::report::fixed(s.cycles * 1e-6, 1), sim::report::fixed(s.cycles_per_s * 1e-6, 2),
      (folder / "index.html").string());
  return text;
}

}  // namespace gw::regress
