// SPDX-License-Identifier: Apache-2.0
#include "sim/regress/dashboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "sim/base/version.h"
#include "sim/regress/coverage.h"
#include "sim/regress/worker.h"
#include "sim/report/gnuplot.h"
#include "sim/report/html.h"
#include "sim/report/text.h"

namespace gw::regress {
namespace {

using sim::report::clean;

constexpr size_t kMostFailures = 500;
constexpr size_t kMostCases = 2000;

constexpr const char* kStyle = R"css(
table.matrix td{text-align:center;padding:0}
table.matrix td:first-child{text-align:left;padding:5px 0}
table.matrix th{text-align:center;padding:5px 10px}
table.matrix th:first-child{text-align:left;padding-left:0}
table.matrix td.figure{padding:0 8px;text-align:right;white-space:nowrap}
table.matrix td i{display:block;margin:2px;border-radius:6px;padding:4px 10px;font-style:normal;background:var(--line)}
table.matrix td i.good{background:var(--good);color:var(--on)}
table.matrix td i.bad{background:var(--bad);color:var(--on)}
table.matrix td i.warn{background:var(--warn);color:var(--on)}
td.name{text-align:left;overflow-wrap:anywhere}
td.copy,th.copy{width:1%;white-space:nowrap}
table.list td:nth-child(2),table.list th:nth-child(2){text-align:left}
button{font:inherit;font-size:12.5px;color:var(--muted);background:var(--page);border:1px solid var(--line);border-radius:6px;padding:1px 9px;cursor:pointer}
button:hover{color:var(--ink)}
article{border-top:1px solid var(--line);padding:12px 0}
article:first-of-type{border-top:0}
article h3{margin:0 0 4px;color:var(--ink);font-size:14px;overflow-wrap:anywhere}
article p{margin:0 0 6px;overflow-wrap:anywhere}
.box.known{margin-bottom:18px}
article p.bucket{color:var(--muted);font-size:13px}
.tag{display:inline-block;border-radius:5px;padding:0 7px;margin-right:8px;font-size:12px;color:var(--on);background:var(--tone)}
.meter{display:block;width:240px;height:10px;border-radius:5px;background:var(--line);overflow:hidden}
.meter i{display:block;height:100%;background:var(--good)}
td small{display:block;color:var(--muted)}
.trend{display:block;width:100%;height:110px}
)css";

// Where a page of a file has no clipboard, the text is selected and copied as a person would.
constexpr const char* kScript = R"js(
document.addEventListener('click', async e => {
  const b = e.target.closest('button[data-copy]');
  if (!b) return;
  const text = b.dataset.copy;
  try { await navigator.clipboard.writeText(text); }
  catch {
    const area = document.createElement('textarea');
    area.value = text; document.body.append(area); area.select();
    document.execCommand('copy'); area.remove();
  }
  const was = b.textContent; b.textContent = 'copied';
  setTimeout(() => { b.textContent = was; }, 900);
});
)js";

std::string escaped(const std::string& text) { return sim::report::escaped(clean(text)); }

std::string copy(const std::string& command) {
  return fmt::format("<button data-copy=\"{0}\" title=\"{0}\">copy</button>", escaped(command));
}

const char* tone(Verdict v) {
  switch (v) {
    case Verdict::kPass:
      return "good";
    case Verdict::kKnown:
    case Verdict::kWaived:
    case Verdict::kNotRun:
      return "warn";
    default:
      return "bad";
  }
}

std::string card(const char* label, const std::string& value, const std::string& note,
                 const char* tone = "") {
  return fmt::format(
      "<div class=\"box {}\"><div class=\"l\">{}</div><div class=\"v\">{}</div><div "
      "class=\"n\">{}</div></div>\n",
      tone, label, escaped(value), escaped(note));
}

std::string cards(const Summary& s) {
  const size_t all = s.entries.size();
  size_t worse = 0;
  for (const Change& change : s.changes) worse += change.worse ? 1 : 0;
  std::string verdicts;
  for (size_t i = 1; i < kVerdicts; ++i) {
    if (s.verdicts[i] != 0) {
      verdicts +=
          fmt::format("{}{} {}", verdicts.empty() ? "" : ", ", s.verdicts[i], kVerdictNames[i]);
    }
  }
  std::string text = "<div class=\"cards\">\n";
  text +=
      card(s.passed ? "cases passed" : "cases failed",
           fmt::format("{} of {}", s.passed ? s.of(Verdict::kPass) : s.failed(), all),
           fmt::format("{} pass{}{}", s.of(Verdict::kPass), verdicts.empty() ? "" : ", ", verdicts),
           s.passed ? "good" : "bad");
  std::string parts = fmt::format("{} in cases, {} worker{}", duration_text(s.busy_seconds),
                                  s.ran.jobs, s.ran.jobs == 1 ? "" : "s");
  if (s.build_seconds >= 0.5) {
    parts += fmt::format("; {} of it building RTL", duration_text(s.build_seconds));
  }
  if (s.ran.capsule_seconds >= 0.5) {
    parts += fmt::format("; {} for capsules", duration_text(s.ran.capsule_seconds));
  }
  text += card("wall time", duration_text(s.ran.seconds), parts);
  text += card("cycles", sim::report::grouped(s.cycles),
               fmt::format("{} M cycles/s a worker", sim::report::fixed(s.cycles_per_s * 1e-6, 2)));
  text += !s.baseline
              ? card("baseline", "none", "gradwire regress accept makes one", "warn")
              : card("baseline",
                     s.changes.empty() ? "as before" : fmt::format("{} changed", s.changes.size()),
                     fmt::format("{} worse, {} cases without one", worse, s.without_baseline),
                     worse != 0          ? "bad"
                     : s.changes.empty() ? "good"
                                         : "warn");
  return text + "</div>\n";
}

std::string failures(const Summary& s) {
  if (s.failures.empty()) return "";
  std::string text =
      fmt::format("<section class=\"box failure\"><h2>Not passed: {}</h2>\n", s.failures.size());
  for (size_t i = 0; i < std::min(s.failures.size(), kMostFailures); ++i) {
    const Entry& entry = *s.failures[i];
    text += fmt::format("<article><h3><span class=\"tag {}\">{}</span>{} {}</h3><p>{}</p>\n",
                        tone(entry.result.verdict), name_of(entry.result.verdict),
                        escaped(entry.what.name), copy(command_of(s.order.command, entry.what)),
                        escaped(entry.result.headline));
    if (!entry.result.bucket.empty()) {
      text += fmt::format("<p class=\"bucket\">bucket: {}</p>\n", escaped(entry.result.bucket));
    }
    if (entry.result.lines.size() > 1) {
      text += "<details><summary>in words</summary><pre class=\"lines\">";
      for (const std::string& line : entry.result.lines) text += escaped(line) + "\n";
      text += "</pre></details>\n";
    }
    text += "</article>\n";
  }
  if (s.failures.size() > kMostFailures) {
    text += fmt::format("<p>and {} more, in regress.json and junit.xml</p>\n",
                        s.failures.size() - kMostFailures);
  }
  return text + "</section>\n";
}

std::string buckets(const Summary& s) {
  std::string text;
  if (!s.buckets.empty()) {
    text += fmt::format(
        "<section class=\"box {}\"><h2>Buckets: failures by cause</h2><table class=\"list\">"
        "<thead><tr><th>cases</th><th>bucket</th><th>capsule</th><th class=\"copy\">repeat</th>"
        "</tr></thead><tbody>\n",
        s.failures.empty() ? "known" : "failure");
    for (const Bucket& bucket : s.buckets) {
      const std::string name = std::filesystem::path(bucket.capsule).filename().string();
      text += fmt::format(
          "<tr><td>{}</td><td class=\"name\">{}{}{}{}</td><td>{}</td><td "
          "class=\"copy\">{}</td></tr>\n",
          bucket.count, bucket.known ? "<span class=\"tag warn\">known</span>" : "",
          bucket.flaky ? "<span class=\"tag warn\">flaky</span>" : "", escaped(bucket.text),
          bucket.left.empty() ? "" : "<br><small>" + escaped(bucket.left) + "</small>",
          bucket.capsule.empty()
              ? ""
              : fmt::format("<a href=\"{}\">{}</a>", escaped(bucket.capsule), escaped(name)),
          copy(bucket.replay.empty() ? command_of(s.order.command, bucket.first->what)
                                     : bucket.replay));
    }
    text += "</tbody></table></section>\n";
  }
  return text;
}

std::string overcome(const Summary& s) {
  std::string text;
  if (!s.overcome.empty()) {
    text += "<section class=\"box wide\"><h2>Known, and no longer there</h2><ul>\n";
    for (const KnownFailure& one : s.overcome) {
      text += fmt::format("<li>{} {}</li>\n", escaped(one.bucket), escaped(one.text()));
    }
    text += "</ul></section>\n";
  }
  return text;
}

/// A figure over several cases: all have it, or from the least to the largest.
struct Range {
  double least = INFINITY, most = -INFINITY;
  void add(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  std::string text(int decimals) const {
    if (least > most) return "";
    const std::string low = sim::report::fixed(least, decimals);
    const std::string high = sim::report::fixed(most, decimals);
    return low == high ? low : low + " .. " + high;
  }
};

struct MatrixRow {
  std::string device, stimulus;
  std::map<std::string, std::pair<size_t, size_t>> cells;  // passed, all, by stall
  std::map<std::string, bool> failed;
  Range cycles_per_burst, latency, ratio, line_rate;
  double cycles = 0;
};

void add_figures(MatrixRow& row, const nlohmann::json& figures) {
  const auto add = [&figures](const char* path, Range& range) {
    const nlohmann::json* const value = figure_of(figures, path);
    if (value != nullptr && value->is_number()) range.add(value->get<double>());
  };
  add("cycles_per_burst", row.cycles_per_burst);
  add("latency_cycles.mean", row.latency);
  add("compression.ratio", row.ratio);
  // Only for a single line rate: several would mix up those of different devices.
  if (const nlohmann::json* const rates = figure_of(figures, "line_rate_percent")) {
    for (const auto& [line, percent] : rates->items()) {
      if (percent.is_number() && line.find('x') == std::string::npos) {
        row.line_rate.add(percent.get<double>());
      }
    }
  }
  row.cycles += figures.value("cycles", 0.0);
}

std::string matrix(const Summary& s) {
  std::vector<MatrixRow> rows;
  std::map<std::string, size_t> index;
  std::vector<std::string> stalls;
  for (const Entry& entry : s.entries) {
    const Case& c = entry.what;
    if (c.stimulus.empty()) continue;  // area, speed
    const auto [at, added] = index.emplace(c.device + "/" + c.stimulus, rows.size());
    if (added) {
      rows.emplace_back();
      rows.back().device = c.device;
      rows.back().stimulus = c.stimulus;
    }
    MatrixRow& row = rows[at->second];
    if (std::ranges::count(stalls, c.stall) == 0) stalls.push_back(c.stall);
    auto& [passed, all] = row.cells[c.stall];
    ++all;
    if (passes(entry.result.verdict)) ++passed;
    if (!passes(entry.result.verdict) && entry.result.verdict != Verdict::kNotRun) {
      row.failed[c.stall] = true;
    }
    add_figures(row, entry.result.figures);
  }
  if (rows.empty()) return "";
  std::string text =
      "<section class=\"box wide\"><h2>Device x stimulus x stall: passed of all</h2>\n<div "
      "class=\"scroll\" style=\"max-height:none\"><table class=\"matrix\"><thead><tr><th></th>";
  for (const std::string& stall : stalls) text += fmt::format("<th>{}</th>", escaped(stall));
  text +=
      "<th>cycles</th><th>cycles / burst</th><th>latency, mean</th><th>ratio</th><th>% of line "
      "rate</th>"
      "<th class=\"copy\">run these</th></tr></thead><tbody>\n";
  for (const MatrixRow& row : rows) {
    text += fmt::format("<tr><td>{} / {}</td>", escaped(row.device), escaped(row.stimulus));
    for (const std::string& stall : stalls) {
      const auto cell = row.cells.find(stall);
      if (cell == row.cells.end()) {
        text += "<td></td>";
        continue;
      }
      const auto& [passed, all] = cell->second;
      text += fmt::format("<td><i class=\"{}\">{}/{}</i></td>",
                          row.failed.contains(stall) ? "bad"
                          : passed == all            ? "good"
                                                     : "warn",
                          passed, all);
    }
    for (const std::string& figure :
         {sim::report::grouped(row.cycles), row.cycles_per_burst.text(3), row.latency.text(1),
          row.ratio.text(2), row.line_rate.text(1)}) {
      text += fmt::format("<td class=\"figure\">{}</td>", figure);
    }
    const std::string pattern = fmt::format("*/{}/{}", row.device, row.stimulus);
    text += fmt::format("<td class=\"copy\">{}</td></tr>\n",
                        copy(sim::report::shell_command(std::vector<std::string>{
                            s.order.command, "regress", s.order.file, "--only", pattern})));
  }
  return text + "</tbody></table></div></section>\n";
}

std::string groups(const Summary& s) {
  std::vector<size_t> columns;
  for (size_t i = 0; i < kVerdicts; ++i) {
    if (i == 0 || s.verdicts[i] != 0) columns.push_back(i);
  }
  std::string text = "<section class=\"box\"><h2>Groups</h2><table><thead><tr><th></th>";
  for (const size_t i : columns) text += fmt::format("<th>{}</th>", kVerdictNames[i]);
  text += "</tr></thead><tbody>\n";
  for (const auto& [name, verdicts] : s.groups) {
    text += fmt::format("<tr><td>{}</td>", escaped(name));
    for (const size_t i : columns) {
      const auto verdict = static_cast<Verdict>(i);
      text += fmt::format("<td class=\"{}\">{}</td>",
                          verdicts[i] != 0 && !passes(verdict) ? "bad" : "", verdicts[i]);
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></section>\n";
}

/// Of each kind a bar, and of what is not whole the names of some points.
std::string coverage(const Summary& s) {
  constexpr size_t kMostParts = 200;
  if (s.coverage.is_null()) return "";
  std::string bars, missing;
  size_t parts = 0;
  const nlohmann::json shares = coverage_shares(s.coverage);
  for (const auto& [kind, share] : shares.items()) {
    const double percent = share["percent"];
    bars += fmt::format(
        "<tr><td>{}</td><td>{} of {}</td><td>{:.2f} %</td><td><span class=\"meter\"><i "
        "style=\"width:{:.2f}%\"></i></span></td></tr>\n",
        kind, share["covered"].get<uint64_t>(), share["possible"].get<uint64_t>(), percent,
        percent);
    const bool tables = kind == "functional";
    for (const nlohmann::json& part : s.coverage[kind][tables ? "tables" : "modules"]) {
      const nlohmann::json& unreached = part["unreached"];
      if (unreached.empty() || ++parts > kMostParts) continue;
      const std::string name =
          tables ? part["device"].get<std::string>() + "/" + part["table"].get<std::string>()
                 : part["file"].get<std::string>();
      std::string points;
      for (size_t i = 0; i < std::min<size_t>(unreached.size(), 5); ++i) {
        const nlohmann::json& point = unreached[i];
        points +=
            (i == 0 ? "" : "<br>") + escaped(point.is_string() ? point.get<std::string>()
                                                               : point["name"].get<std::string>());
      }
      if (unreached.size() > 5) points += fmt::format("<br>and {} more", unreached.size() - 5);
      missing += fmt::format(
          "<tr><td class=\"name\">{} {}<small>{}</small></td><td>{} of {}</td></tr>\n", kind,
          escaped(name), points, part["covered"].get<uint64_t>(), part["possible"].get<uint64_t>());
    }
  }
  std::string text =
      "<section class=\"box wide\"><h2>Coverage of all cases together</h2><table "
      "class=\"list\"><tbody>\n" +
      bars + "</tbody></table>\n";
  if (!missing.empty()) {
    text += "<details><summary>what was not reached</summary><table><tbody>\n" + missing +
            "</tbody></table></details>\n";
  }
  if (parts > kMostParts) {
    text += fmt::format("<p>and {} more, in coverage/report.json</p>\n", parts - kMostParts);
  }
  return text + "</section>\n";
}

std::string slowest(const Summary& s) {
  if (s.slowest.empty()) return "";
  std::string text =
      "<section class=\"box wide\"><h2>Slowest</h2><table class=\"list\"><thead><tr><th>time</th>"
      "<th>case</th><th class=\"copy\">command</th></tr></thead><tbody>\n";
  for (const Entry* const entry : s.slowest) {
    text +=
        fmt::format("<tr><td>{}</td><td class=\"name\">{}</td><td class=\"copy\">{}</td></tr>\n",
                    sim::report::seconds(entry->result.seconds), escaped(entry->what.name),
                    copy(command_of(s.order.command, entry->what)));
  }
  return text + "</tbody></table></section>\n";
}

std::string changes(const Summary& s) {
  if (s.changes.empty()) return "";
  std::string text =
      "<section class=\"box wide\"><h2>Changes against the baseline</h2><table class=\"list\">"
      "<thead><tr><th></th><th>case</th><th>figure</th></tr></thead><tbody>\n";
  for (size_t i = 0; i < std::min(s.changes.size(), kMostFailures); ++i) {
    const Change& change = s.changes[i];
    text += fmt::format("<tr><td class=\"{}\">{}</td><td class=\"name\">{}</td><td>{}</td></tr>\n",
                        change.worse ? "bad" : "good", change.worse ? "worse" : "better",
                        escaped(change.name), escaped(change.text()));
  }
  return text + "</tbody></table></section>\n";
}

/// A bar a result: what passed below, what did not on top; the time as a line.
std::string trend(const Summary& s, std::vector<Trend> results) {
  results.push_back({s.ran.began, s.verdicts, s.ran.seconds, s.cycles, s.cycles_per_s});
  if (results.size() < 2) return "";
  double most = 1, slowest = 1e-9;
  for (const Trend& one : results) {
    double all = 0;
    for (const size_t count : one.verdicts) all += static_cast<double>(count);
    most = std::max(most, all);
    slowest = std::max(slowest, one.seconds);
  }
  constexpr double kHeight = 100, kWidth = 1000;
  const double step = kWidth / static_cast<double>(std::max<size_t>(results.size(), 10));
  std::string bars, line;
  for (size_t i = 0; i < results.size(); ++i) {
    const Trend& one = results[i];
    double good = 0, bad = 0;
    for (size_t v = 0; v < kVerdicts; ++v) {
      (passes(static_cast<Verdict>(v)) ? good : bad) += static_cast<double>(one.verdicts[v]);
    }
    const double x = static_cast<double>(i) * step, g = good / most * kHeight,
                 b = bad / most * kHeight;
    bars += fmt::format(
        "<g><title>{}: {} passed, {} not, {}</title><rect x=\"{:.1f}\" y=\"{:.1f}\" "
        "width=\"{:.1f}\" "
        "height=\"{:.1f}\" fill=\"var(--good)\" opacity=\".55\"/><rect x=\"{:.1f}\" y=\"{:.1f}\" "
        "width=\"{:.1f}\" height=\"{:.1f}\" fill=\"var(--bad)\"/></g>\n",
        escaped(one.began), good, bad, duration_text(one.seconds), x, kHeight - g, step * 0.8, g, x,
        kHeight - g - b, step * 0.8, b);
    line += fmt::format("{:.1f},{:.1f} ", x + step * 0.4,
                        kHeight - one.seconds / slowest * (kHeight - 4));
  }
  return fmt::format(
      "<section class=\"box wide\"><h2>The last {} results</h2><figure><figcaption>passed and not "
      "passed, a bar a result; the line is the time, at most {}</figcaption><svg class=\"trend\" "
      "viewBox=\"0 0 1000 100\" preserveAspectRatio=\"none\">\n{}<polyline points=\"{}\" "
      "fill=\"none\" stroke=\"var(--ink)\" stroke-width=\"1.5\" "
      "vector-effect=\"non-scaling-stroke\"/></svg></figure></section>\n",
      results.size(), duration_text(slowest), bars, line);
}

std::string cases(const Summary& s) {
  if (s.entries.size() > kMostCases) {
    return fmt::format(
        "<section class=\"box wide\"><h2>Cases</h2>{} cases: they are in "
        "regress.json</section>\n",
        s.entries.size());
  }
  std::string text =
      "<section class=\"box wide\"><h2>Cases</h2><details><summary>all of them</summary><table "
      "class=\"list\"><thead><tr><th>verdict</th><th>case</th><th>cycles</th><th>time</th><th "
      "class=\"copy\">command</th></tr></thead><tbody>\n";
  for (const Entry& entry : s.entries) {
    const double cycles = entry.result.figures.value("cycles", 0.0);
    text += fmt::format(
        "<tr><td class=\"{}\">{}</td><td class=\"name\">{}</td><td>{}</td><td>{}</td><td "
        "class=\"copy\">{}</td></tr>\n",
        tone(entry.result.verdict), name_of(entry.result.verdict), escaped(entry.what.name),
        cycles > 0 ? sim::report::grouped(cycles) : "",
        entry.result.seconds > 0 ? sim::report::seconds(entry.result.seconds) : "",
        copy(command_of(s.order.command, entry.what)));
  }
  return text + "</tbody></table></details></section>\n";
}

}  // namespace

std::string dashboard_html(const Summary& s, const std::vector<Trend>& before) {
  const char* const verdict = s.passed ? "PASS" : "FAIL";
  std::string text = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\"><title>{} {}</title>\n<style>{}{}</style>"
      "</head><body><main>\n",
      verdict, escaped(s.order.plan), sim::report::page_style(), kStyle);
  text += fmt::format(
      "<header class=\"{}\"><h1><small>gradwire regress</small>{}</h1><div "
      "class=\"verdict\">{}</div>"
      "<div class=\"summary\">{} cases of {}, seed {}{}{}{}</div></header>\n",
      s.passed ? "good" : "bad", escaped(s.order.plan), verdict, s.entries.size(),
      escaped(s.order.file), s.order.seed,
      s.order.only.empty() ? "" : ", only " + escaped(s.order.only),
      s.order.budget.empty() ? "" : ", budget " + escaped(s.order.budget),
      s.ran.interrupted ? ", interrupted" : "");
  text += cards(s) + buckets(s) + failures(s) + "<div class=\"grid\">" + overcome(s) + matrix(s) +
          groups(s) + coverage(s) + changes(s) + slowest(s) + trend(s, before) + cases(s) +
          "</div>\n";
  std::string hosts;
  for (const auto& [host, count] : s.hosts) {
    hosts += fmt::format("{}{} ({} cases)", hosts.empty() ? "" : ", ", host, count);
  }
  text += fmt::format("<footer>{}; gradwire {}; {}</footer>\n", escaped(s.ran.began), sim::kVersion,
                      escaped(hosts));
  return text + "</main><script>" + kScript + "</script></body></html>\n";
}

}  // namespace gw::regress
