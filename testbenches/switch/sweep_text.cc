// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "sim/report/gnuplot.h"
#include "sim/report/html.h"
#include "testbenches/switch/sweep.h"

namespace gw::testbenches {

using nlohmann::json;

namespace {

namespace report = sim::report;

/// The lines that arrays are held against: one port, then all.
struct ToldLine {
  std::string name;
  int ports;
  double gbps;
  std::string words() const { return fmt::format("{} port{}", ports, ports == 1 ? "" : "s"); }
};
std::vector<ToldLine> told_lines(const json& sweep) {
  std::vector<ToldLine> lines;
  for (const auto& [name, line] : sweep["lines"].items()) {
    lines.push_back({name, line["ports"].get<int>(), line["gbps"].get<double>()});
  }
  std::ranges::sort(lines, {}, &ToldLine::ports);
  return lines;
}

std::string title_of(const json& sweep, const std::vector<ToldLine>& lines) {
  return fmt::format(
      "Optimizer sizing at {:g} MHz{}: full frames, {} a point; percent of {:g}GbE line rate",
      sweep["clock_mhz"].get<double>(),
      sweep.contains("epsilon") ? ", epsilon " + sweep["epsilon"].get<std::string>() : "",
      sweep["frames"].get<size_t>(), lines.front().gbps);
}

/// The points, as text and page show them.
std::vector<std::string> head_of_points(const std::vector<ToldLine>& lines) {
  std::vector<std::string> head = {"", "kind", "prof.", "PEs", "cyc/frame"};
  for (const ToldLine& line : lines) head.push_back(line.words() + " %");
  for (const char* name : {"latency", "LUT", "% dev.", "DSP", "BRAM", "pareto"}) {
    head.emplace_back(name);
  }
  return head;
}
std::vector<std::string> cells_of(const json& p, const std::vector<ToldLine>& lines) {
  std::vector<std::string> cells = {p["algorithm"].get<std::string>(), p["kind"].get<std::string>(),
                                    p["profile"].get<std::string>(),
                                    std::to_string(p["pes"].get<int>()),
                                    fmt::format("{:.2f}", p["cycles_per_frame"].get<double>())};
  for (const ToldLine& line : lines) {
    cells.push_back(fmt::format("{:.1f}", p["line_rate_percent"][line.name].get<double>()));
  }
  cells.push_back(std::to_string(p["frame_latency_cycles"].get<uint64_t>()));
  const auto area = [&](const char* key, int decimals) {
    return p.contains("lut") ? fmt::format("{:.{}f}", p[key].get<double>(), decimals) : "-";
  };
  cells.insert(cells.end(), {area("lut", 0), area("lut_percent_of_device", 2), area("dsp", 0),
                             fmt::format("{:.0f}", p["bram36"].get<double>()),
                             p.value("pareto", false) ? "*" : ""});
  return cells;
}
std::string text_row(const std::vector<std::string>& cells) {
  constexpr size_t kLast[] = {8, 9, 7, 8, 6, 7};  // after the lines' columns
  std::string out = fmt::format("{:<8} {:<9} {:<6} {:>4}", cells[0], cells[1], cells[2], cells[3]);
  const size_t last = cells.size() - std::size(kLast);
  for (size_t i = 4; i < cells.size(); ++i) {
    out += fmt::format(" {:>{}}", cells[i], i < last ? 9 : kLast[i - last]);
  }
  return out + "\n";
}

/// A smallest array in a line.
std::string smallest_words(const json& s) {
  std::string out =
      fmt::format("{:>2} PEs ({:.0f} %)", s["pes"].get<int>(), s["percent"].get<double>());
  if (s.contains("lut")) {
    out += fmt::format(", {:.0f} LUT, {:.1f} % saved", s["lut"].get<double>(),
                       s["saved_percent_of_paper"].get<double>());
  }
  return out;
}

}  // namespace

std::string sweep_text(const json& sweep) {
  const std::vector<ToldLine> lines = told_lines(sweep);
  std::string out = title_of(sweep, lines) + "\n\n" + text_row(head_of_points(lines));
  for (const json& p : sweep["points"]) out += text_row(cells_of(p, lines));
  out += fmt::format("\nSmallest array at line rate, LUTs against the paper's 32 PEs (Table 3)\n");
  size_t width = 0;
  for (const ToldLine& line : lines) width = std::max(width, line.name.size());
  for (const json& s : sweep["smallest"]) {
    out += fmt::format("{:<8} {:<9} {:<6} {:>{}}: {}\n", s["algorithm"].get<std::string>(),
                       s["kind"].get<std::string>(), s["profile"].get<std::string>(),
                       s["line"].get<std::string>(), width, smallest_words(s));
  }
  for (const auto& [name, line] : sweep["lines"].items()) {
    if (line["stream_percent"].get<double>() >= 100) continue;
    out += fmt::format(
        "{}: a full frame every {:.2f} cycles, and the 256-bit stream needs 6: {:.1f} % at most, "
        "whatever "
        "the array\n",
        name, line["cycles_per_frame"].get<double>(), line["stream_percent"].get<double>());
  }
  const json& checks = sweep["checks"];
  out += fmt::format("{} points checked in lockstep with their {}, {} by the model alone{}\n",
                     checks["lockstep"].get<int>(), checks.contains("netlist") ? "netlist" : "RTL",
                     checks["model_only"].get<int>(),
                     checks.contains("missing") ? ": " + checks["missing"].get<std::string>() : "");
  if (checks.contains("failed")) {
    for (const json& point : checks["failed"]) {
      out += fmt::format("NOT EQUAL: {}\n", point.get<std::string>());
    }
  }
  out += "\nTable 2, cycles of a PE (paper / ours, profile paper)\n";
  for (const auto& [name, row] : sweep["table2"].items()) {
    out += fmt::format("{:<8} {:>4} / {:>4}\n", name, row["paper"].get<int>(),
                       row["ours_paper_profile"].get<int>());
  }
  std::set<std::string> synthesis;
  for (const json& p : sweep["points"]) {
    if (p.contains("tool")) synthesis.insert(p["tool"].get<std::string>());
  }
  out += "\nTable 3, one PE: LUT / FF / DSP, estimated longest path";
  for (const std::string& tool : synthesis) out += ", " + tool;
  out += "\n";
  for (const auto& [name, row] : sweep["table3"].items()) {
    for (const auto& [what, area] : row.items()) {
      out += fmt::format("{:<8} {:<16} {:>6.0f} / {:>6.0f} / {:>3.0f}", name, what,
                         area["lut"].get<double>(), area["ff"].get<double>(),
                         area["dsp"].get<double>());
      if (area.contains("longest_path_ns")) {
        out += fmt::format("   {:.2f} ns", area["longest_path_ns"].get<double>());
      }
      out += "\n";
    }
  }
  out += "\nParameters that fit into the block RAM of the XC7VX690T (theta, states, sum)\n";
  for (const auto& [name, row] : sweep["bram"].items()) {
    out += fmt::format("{:<8} {:>9.0f}\n", name, row["parameters_that_fit"].get<double>());
  }
  if (sweep.contains("figure17")) {
    out +=
        "\nFigure 17, 800,000 parameters: host CPU (one thread, this machine), switch (one port)\n";
    for (const auto& [name, row] : sweep["figure17"].items()) {
      out += fmt::format("{:<8} CPU {:>7.3f} ms   switch {:>7.3f} ms   CPU / switch {:.2f}\n", name,
                         row["cpu_ms"].get<double>(), row["switch_ms"].get<double>(),
                         row["cpu_to_switch"].get<double>());
    }
  }
  if (sweep.contains("missing")) {
    out += fmt::format("\nNo areas: {}\n", sweep["missing"].get<std::string>());
  }
  return out;
}

std::string sweep_csv(const json& sweep) {
  const std::vector<ToldLine> lines = told_lines(sweep);
  std::string out = "algorithm,kind,profile,pes,cycles_per_frame,";
  for (const ToldLine& line : lines) {
    out += fmt::format("line_rate_{}_port{}_percent,", line.ports, line.ports == 1 ? "" : "s");
  }
  out +=
      "frame_latency_cycles,frame_latency_ns,lut,ff,dsp,bram36,lut_percent_of_device,"
      "longest_path_ns,pareto,port_gbps\n";
  const auto number = [](const json& p, const char* key) {
    return p.contains(key) ? fmt::format("{}", p[key].get<double>()) : "";
  };
  for (const json& p : sweep["points"]) {
    out += fmt::format("{},{},{},{},{},", p["algorithm"].get<std::string>(),
                       p["kind"].get<std::string>(), p["profile"].get<std::string>(),
                       p["pes"].get<int>(), p["cycles_per_frame"].get<double>());
    for (const ToldLine& line : lines) {
      out += fmt::format("{},", p["line_rate_percent"][line.name].get<double>());
    }
    out += fmt::format(
        "{},{},{},{},{},{},{},{},{},{:g}\n", p["frame_latency_cycles"].get<uint64_t>(),
        p["frame_latency_ns"].get<double>(), number(p, "lut"), number(p, "ff"), number(p, "dsp"),
        number(p, "bram36"), number(p, "lut_percent_of_device"), number(p, "longest_path_ns"),
        p.value("pareto", false) ? 1 : 0, lines.front().gbps);
  }
  return out;
}

namespace {

/// LUTs against throughput, for a page; empty, and a sentence in `missing`, if it cannot be drawn.
std::string drawing(const json& sweep, std::string& missing) {
  const std::vector<ToldLine> lines = told_lines(sweep);
  std::map<std::string, std::string> series;
  std::vector<std::string> order;
  for (const json& p : sweep["points"]) {
    if (!p.contains("lut")) continue;
    const std::string key = p["algorithm"].get<std::string>() + " " + p["kind"].get<std::string>();
    if (p["profile"] != "fast" && sweep["points"].size() > 1) {
      const bool both = std::ranges::any_of(sweep["points"], [&p](const json& q) {
        return q["profile"] == "fast" && q["algorithm"] == p["algorithm"];
      });
      if (both) continue;  // one profile in the picture: fast, where there is one
    }
    if (!series.contains(key)) order.push_back(key);
    series[key] += fmt::format("{} {}\n", p["lut"].get<double>(),
                               p["line_rate_percent"][lines.back().name].get<double>());
  }
  if (series.empty()) {
    missing = "no plot without areas";
    return "";
  }
  using report::rgb;
  constexpr const char* kColours[] = {"accent", "byte", "half", "raw"};
  std::string script = fmt::format(
      "set border 3 lc {0}\nset tics nomirror textcolor {0}\nset grid lc {1}\nset logscale xy\n"
      "set key outside right top spacing 1.3 textcolor {0}\n"
      "set xlabel 'LUTs of the array (Yosys, xc7)' textcolor {0}\n"
      "set ylabel 'percent of {2} x {3:g}GbE' textcolor {0}\n",
      rgb("muted"), rgb("line"), lines.back().ports, lines.back().gbps);
  std::string plot = "plot ";
  for (size_t i = lines.size(); i-- > 0;) {
    plot += fmt::format("{:g} with lines lw 1.5 lc {} dt {} title '{} of {:g}GbE'{}",
                        100.0 * lines[i].ports / lines.back().ports, rgb("ink"),
                        i + 1 == lines.size() ? 2 : 3, lines[i].words(), lines[i].gbps,
                        i != 0 ? ", " : "");
  }
  std::map<std::string, int> colour_of;
  int index = 0;
  for (const std::string& key : order) {
    const std::string algorithm = key.substr(0, key.find(' '));
    const auto colour =
        colour_of.try_emplace(algorithm, static_cast<int>(colour_of.size())).first->second;
    script += fmt::format("$s{} << EOD\n{}EOD\n", index, series[key]);
    plot += fmt::format(", $s{} with linespoints lw 1.5 pt {} ps 0.7 lc {} title {}", index,
                        key.ends_with("iterative") ? 6 : 7, rgb(kColours[colour % 4]),
                        report::quoted(key));
    ++index;
  }
  const report::Drawn drawn = report::draw({{.title = "LUTs against throughput of optimizer arrays",
                                             .script = script + plot + "\n",
                                             .width = 860,
                                             .height = 460}});
  missing = drawn.missing;
  return drawn.svg.empty() ? "" : drawn.svg.front();
}

std::string html_table(const std::vector<std::string>& head,
                       const std::vector<std::vector<std::string>>& rows) {
  std::string out = "<table><thead><tr>";
  for (const std::string& cell : head) out += fmt::format("<th>{}</th>", report::escaped(cell));
  out += "</tr></thead><tbody>\n";
  for (const auto& row : rows) {
    out += "<tr>";
    for (const std::string& cell : row) out += fmt::format("<td>{}</td>", report::escaped(cell));
    out += "</tr>\n";
  }
  return out + "</tbody></table>\n";
}

}  // namespace

std::string sweep_svg(const json& sweep, std::string& missing) {
  const std::string drawn = drawing(sweep, missing);
  return drawn.empty() ? "" : report::standalone_svg(drawn);
}

std::string sweep_html(const json& sweep) {
  using report::escaped;
  const std::vector<ToldLine> lines = told_lines(sweep);
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>sweep - gradwire</title>\n"
      "<style>{}</style>\n</head>\n<body>\n<main>\n<header><h1><small>gradwire sweep</small>"
      "optimizer</h1><div class=\"summary\">{}</div></header>\n",
      report::page_style(), escaped(title_of(sweep, lines)));
  std::string missing;
  const std::string svg = drawing(sweep, missing);
  out += svg.empty() ? fmt::format("<p class=\"box\">{}</p>\n", escaped(missing))
                     : fmt::format(
                           "<div class=\"grid\"><figure class=\"box wide\"><h2>LUTs "
                           "against throughput</h2>{}</figure></div>\n",
                           svg);
  std::vector<std::vector<std::string>> points, smallest;
  for (const json& p : sweep["points"]) points.push_back(cells_of(p, lines));
  for (const json& s : sweep["smallest"]) {
    smallest.push_back({s["algorithm"].get<std::string>(), s["kind"].get<std::string>(),
                        s["profile"].get<std::string>(), s["line"].get<std::string>(),
                        smallest_words(s)});
  }
  const auto section = [&out](const char* title, const std::string& body) {
    out += fmt::format("<section class=\"box wide\"><h2>{}</h2>\n{}</section>\n", title, body);
  };
  out += "<div class=\"grid\">\n";
  section("Smallest array at line rate, LUTs against the paper's 32 PEs (Table 3)",
          html_table({"", "kind", "profile", "line", "array"}, smallest));
  section("Points", html_table(head_of_points(lines), points));
  section("The whole report",
          fmt::format("<pre class=\"lines\">{}</pre>\n", escaped(sweep_text(sweep))));
  return out + fmt::format(
                   "</div>\n<section class=\"box\"><h2>The command of this sweep</h2><pre "
                   "class=\"command\">{}</pre></section>\n<footer>gradwire {}</footer>\n</main>\n"
                   "</body>\n</html>\n",
                   escaped(sweep.value("command", "")), escaped(sweep.value("version", "")));
}

}  // namespace gw::testbenches
