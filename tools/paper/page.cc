// SPDX-License-Identifier: Apache-2.0
#include "tools/paper/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/report/figure_kit.h"
#include "sim/report/gnuplot.h"
#include "sim/report/html.h"
#include "sim/report/text.h"
#include "tools/paper/score.h"

namespace gw::paper {
namespace {

using nlohmann::json;
namespace report = sim::report;
using report::escaped;
using report::quoted;
using report::rgb;

/// Beside the style that all pages share: whole tables, and what a row says more.
constexpr const char* kStyle = R"css(
.whole{overflow-x:auto}
.whole td:nth-child(n+5),.whole th:nth-child(n+5){text-align:left}
.whole tr.item th{padding-top:16px;text-align:left;color:var(--ink);font-size:13.5px}
.whole tr.item th small{color:var(--muted);font-weight:400;margin-left:.7em}
.whole td small{display:block;color:var(--muted);font-size:12px;line-height:1.4;max-width:70ch}
.whole td{white-space:nowrap}
.whole td:first-child{white-space:normal;min-width:17em}
.whole a{color:var(--accent)}
ol.commands{margin:0;padding-left:2em;font-size:13px}
ol.commands li{margin-bottom:4px}
)css";

/// Names on the left, a ring where the paper is, a dot where we are.
report::Plot dots_plot(const json& figure) {
  const json& dots = figure["dots"];
  std::string script = report::look(), tics;
  script += fmt::format(
      "set border 0\nunset grid\nset grid xtics ytics lt 1 lw 1 lc {0}\nset xtics scale 0\n"
      "set key outside top right horizontal textcolor {1}\nset tmargin 2.4\n",
      rgb("line"), rgb("muted"));
  if (figure["log"].get<bool>()) script += "set logscale x 10\nset format x '%g'\n";
  bool paper = false, ours = false;
  double least = 0, most = 0;
  std::string theirs_block = "$theirs << EOD\n", ours_block = "$ours << EOD\n";
  size_t i = 0;
  for (const json& dot : dots) {
    const double y = -static_cast<double>(i++);
    tics += fmt::format("{}{} {}", tics.empty() ? "" : ", ",
                        quoted(report::shortened(dot["name"].get<std::string>(), 44)), y);
    const auto put = [&](const char* key, std::string& block, bool& any) {
      if (!dot[key].is_number()) return;
      const double x = dot[key].get<double>();
      block += fmt::format("{:.10g} {}\n", x, y);
      if (!paper && !ours) least = most = x;
      least = std::min(least, x);
      most = std::max(most, x);
      any = true;
    };
    put("paper", theirs_block, paper);
    put("ours", ours_block, ours);
  }
  script += theirs_block + "EOD\n" + ours_block + "EOD\n";
  script += fmt::format("set ytics ({}) textcolor {}\nset yrange [{}:0.7]\n", tics, rgb("ink"),
                        -static_cast<double>(dots.size()) + 0.3);
  // A logarithmic axis needs a decade, another one room at both ends, and zero where it is near.
  if (figure["log"].get<bool>()) {
    script += fmt::format("set xrange [{:.10g}:{:.10g}]\n", least / 2, most * 2);
  } else {
    const double room = std::max(0.06 * (most - least), 0.02 * std::fabs(most));
    const double from = least >= 0 && least < most / 2 ? 0 : least - room;
    script += fmt::format("set xrange [{:.10g}:{:.10g}]\n", from, most + room);
  }
  if (const std::string unit = figure["unit"].get<std::string>(); !unit.empty()) {
    script += report::axis("xlabel", unit == "x" ? "times" : unit);
  }
  std::string plot;
  if (paper) {
    plot += fmt::format("plot $theirs using 1:2 with points pt 6 ps 1.1 lw 2 lc {} title 'paper'",
                        rgb("half"));
  }
  if (ours) {
    plot += fmt::format("{}$ours using 1:2 with points pt 7 ps 0.7 lc {} title 'ours'",
                        paper ? ", " : "plot ", rgb("accent"));
  }
  report::Plot result{.title = figure["title"].get<std::string>(), .script = script + plot};
  result.height = std::clamp(120 + 22 * static_cast<int>(dots.size()), 190, 900);
  return result;
}

report::Plot lines_plot(const json& figure) {
  static constexpr const char* kOurs[] = {"accent", "byte", "raw", "zero"};
  static constexpr const char* kTheirs[] = {"half", "warn", "bad"};
  std::string script = report::look(), plot;
  script += fmt::format(
      "set key outside bottom center horizontal textcolor {}\nset autoscale noextend\nset offsets "
      "graph "
      "0.02, graph 0.02, graph 0.04, graph 0.03\n",
      rgb("muted"));
  if (figure["log_x"].get<bool>()) {
    script += fmt::format("set logscale x {}\nset format x '%g'\n", figure.value("x_base", 10));
  }
  if (figure["log_y"].get<bool>()) script += "set logscale y 10\nset format y '%g'\n";
  script += report::axis("xlabel", figure["x"].get<std::string>()) +
            report::axis("ylabel", figure["y"].get<std::string>());
  size_t i = 0, ours = 0, theirs = 0;
  for (const json& line : figure["lines"]) {
    report::Points points;
    for (const json& at : line["points"]) {
      points.emplace_back(at[0].get<double>(), at[1].get<double>());
    }
    const std::string name = fmt::format("d{}", i++);
    script += report::block(name.c_str(), points);
    const bool paper = line["of"] == "paper";
    const char* colour =
        paper ? kTheirs[theirs++ % std::size(kTheirs)] : kOurs[ours++ % std::size(kOurs)];
    plot += fmt::format("{}${} using 1:2 with {} lw 2 dt {} pt {} ps 0.7 lc {} title {}",
                        plot.empty() ? "plot " : ", ", name,
                        line["style"] == "line" ? "lines" : "linespoints", paper ? 2 : 1,
                        paper ? 6 : 7, rgb(colour), quoted(line["name"].get<std::string>()));
  }
  return {.title = figure["title"].get<std::string>(), .script = script + plot};
}

std::string cell_of(const json& value) {
  return value.is_number() ? report::general(value.get<double>()) : "-";
}

/// The same figures, for who has no picture.
std::string figure_table(const json& figure) {
  std::string out = "<div class=\"scroll\"><table><thead><tr>";
  const auto row = [&](std::initializer_list<std::string> cells, const char* tag) {
    out += "<tr>";
    for (const std::string& cell : cells) out += fmt::format("<{0}>{1}</{0}>", tag, escaped(cell));
    out += "</tr>\n";
  };
  if (figure["kind"] == "dots") {
    row({"", "paper", "ours"}, "th");
    out += "</thead><tbody>\n";
    for (const json& dot : figure["dots"]) {
      row({dot["name"].get<std::string>(), cell_of(dot["paper"]), cell_of(dot["ours"])}, "td");
    }
  } else {
    row({"", figure["x"].get<std::string>(), figure["y"].get<std::string>()}, "th");
    out += "</thead><tbody>\n";
    for (const json& line : figure["lines"]) {
      for (const json& at : line["points"]) {
        row({line["name"].get<std::string>(), cell_of(at[0]), cell_of(at[1])}, "td");
      }
    }
  }
  return out + "</tbody></table></div>\n";
}

const char* tone(const std::string& verdict) {
  if (verdict == "equal" || verdict == "holds") return "good";
  if (verdict == "differs" || verdict == "failed") return "bad";
  return verdict == "does not hold" ? "warn" : "";
}

std::string table(const json& document, const std::string& paper) {
  std::vector<std::string> commands;
  std::string out =
      "<section class=\"box wide\"><div class=\"whole\"><table><thead><tr><th></th>"
      "<th>paper</th><th>ours</th><th>difference</th><th>class</th><th>verdict</th>"
      "<th>command</th></tr></thead><tbody>\n";
  std::string item;
  for (const json& row : document["paper"]) {
    if (row["paper"] != paper) continue;
    if (row["item"] != item) {
      item = row["item"].get<std::string>();
      out += fmt::format("<tr class=\"item\"><th colspan=\"7\">{}<small>{}</small></th></tr>\n",
                         escaped(row["title"].get<std::string>()), escaped(item));
    }
    std::string number;
    if (row["command"].is_string()) {
      const std::string command = row["command"].get<std::string>();
      auto known = std::ranges::find(commands, command);
      if (known == commands.end()) known = commands.insert(known, command);
      const auto n = known - commands.begin() + 1;
      number = fmt::format("<a href=\"#{}-{}\">{}</a>", paper, n, n);
    }
    std::string more;
    for (const std::string& words : remarks(row)) {
      more += fmt::format("<small>{}</small>", escaped(words));
    }
    const json& show = row["shown"];
    const std::string unit = row["unit"].get<std::string>();
    const auto value = [&](const char* which) {
      const std::string text = show[which].get<std::string>();
      return escaped(text == "-" || unit.empty() ? text : text + " " + unit);
    };
    const std::string verdict = row["verdict"].get<std::string>();
    out += fmt::format(
        "<tr><td>{}{}</td><td title=\"{}\">{}</td><td>{}</td><td>{}</td><td>{}</td><td "
        "class=\"{}\">{}</td><td>{}</td></tr>\n",
        escaped(row["what"].get<std::string>()), more, escaped(row["where"].get<std::string>()),
        value("paper"), value("ours"), escaped(show["difference"].get<std::string>()),
        row["class"].get<std::string>(), tone(verdict), said_verdict(row), number);
  }
  out += "</tbody></table></div>\n";
  if (!commands.empty()) {
    out += "<h3>Commands that make ours</h3>\n<ol class=\"commands\">\n";
    for (size_t i = 0; i < commands.size(); ++i) {
      out +=
          fmt::format("<li id=\"{}-{}\"><pre>{}</pre></li>\n", paper, i + 1, escaped(commands[i]));
    }
    out += "</ol>\n";
  }
  return out + "</section>\n";
}

std::string cards(const json& document) {
  const auto count = [&](std::initializer_list<const char*> verdicts) {
    int sum = 0;
    for (const char* verdict : verdicts) sum += document["verdicts"].value(verdict, 0);
    return sum;
  };
  const auto card = [](const char* label, int value, const char* note, const char* tone) {
    return fmt::format(
        "<div class=\"box {}\"><div class=\"l\">{}</div><div class=\"v\">{}</div><div "
        "class=\"n\">{}</div></div>\n",
        tone, label, value, note);
  };
  const int differ = count({"differs", "failed"});
  return "<div class=\"cards\">\n" +
         card("exact rows that are equal", count({"equal"}), "cycles and arithmetic", "good") +
         card("that differ or failed", differ, "these decide the exit code",
              differ != 0 ? "bad" : "") +
         card("claims that hold", count({"holds"}), "shapes", "good") +
         card("that do not hold", count({"does not hold"}), "each says why", "") +
         card("shown beside ours", count({"shown"}), "predictions, fits, other machines", "") +
         card("wait or are left out",
              count({"waits", "needs MNIST", "left out", "cannot be asked"}), "each says for what",
              "") +
         "</div>\n";
}

}  // namespace

std::string paper_page(const json& document) {
  const json& figures = document["figures"];
  std::vector<report::Plot> plots;
  for (const json& figure : figures) {
    plots.push_back(figure["kind"] == "dots" ? dots_plot(figure) : lines_plot(figure));
  }
  const report::Drawn drawn = report::draw(plots);
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>papers - gradwire</title>\n"
      "<style>{}{}</style>\n</head>\n<body>\n<main>\n"
      "<header><h1><small>gradwire paper</small>The papers and ours</h1><div "
      "class=\"summary\">{} rows; only exact ones decide the exit code. Rings are the paper's "
      "numbers, dots are ours.</div></header>\n",
      report::page_style(), kStyle, document["paper"].size());
  out += cards(document);
  if (!drawn.missing.empty()) {
    out += fmt::format("<p class=\"box note\">{}</p>\n", escaped(drawn.missing));
  }
  if (document["verdicts"].contains(verdict_name(Verdict::kNeedsData))) {
    out += "<p class=\"box note\">Rows that train need the MNIST files: --data FOLDER</p>\n";
  }
  for (const json& command : document["left_out"]) {
    out += fmt::format("<p class=\"box note\">--quick left out: {}</p>\n",
                       escaped(command.get<std::string>()));
  }
  for (const json& paper : document["papers"]) {
    const std::string name = paper["name"].get<std::string>();
    out += fmt::format("<h1 id=\"{}\"><small>{}</small>{}</h1>\n<p></p>\n<div class=\"grid\">\n",
                       name, escaped(name), escaped(paper["title"].get<std::string>()));
    for (size_t i = 0; i < figures.size(); ++i) {
      if (figures[i]["paper"] != name) continue;
      out += fmt::format("<figure class=\"box\"><h2>{}</h2><figcaption>{}</figcaption>\n",
                         escaped(figures[i]["title"].get<std::string>()),
                         escaped(figures[i]["caption"].get<std::string>()));
      out += drawn.svg[i].empty() ? figure_table(figures[i])
                                  : drawn.svg[i] + "\n<details><summary>as a table</summary>" +
                                        figure_table(figures[i]) + "</details>\n";
      out += "</figure>\n";
    }
    out += table(document, name) + "</div>\n";
  }
  out += fmt::format(
      "<section class=\"box\"><h2>The command of this page</h2><pre "
      "class=\"command\">{}</pre></section>\n<footer>gradwire {}</footer>\n</main>\n</body>\n"
      "</html>\n",
      escaped(document.value("command", "")), escaped(document.value("version", "")));
  return out;
}

}  // namespace gw::paper
