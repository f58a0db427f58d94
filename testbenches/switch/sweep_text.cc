#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "sim/report/gnuplot.h"
#include "testbenches/switch/sweep.h"

namespace gw::testbenches {

using nlohmann::json;

std::string sweep_text(const json& sweep) {
  std::string out = fmt::format(
      "Optimizer sizing at {:g} MHz: full frames, {} a point; percent of 10GbE line rate\n\n"
      "{:<8} {:<9} {:<6} {:>4} {:>9} {:>9} {:>9} {:>8} {:>9} {:>7} {:>8} {:>6} {:>7}\n",
      sweep["clock_mhz"].get<double>(), sweep["frames"].get<size_t>(), "", "kind", "prof.", "PEs",
      "cyc/frame", "1 port %", "4 ports %", "latency", "LUT", "% dev.", "DSP", "BRAM", "pareto");
  for (const json& p : sweep["points"]) {
    const bool area = p.contains("lut");
    out += fmt::format(
        "{:<8} {:<9} {:<6} {:>4} {:>9.2f} {:>9.1f} {:>9.1f} {:>8} {:>9} {:>7} {:>8} {:>6.0f} "
        "{:>7}\n",
        p["algorithm"].get<std::string>(), p["kind"].get<std::string>(),
        p["profile"].get<std::string>(), p["pes"].get<int>(), p["cycles_per_frame"].get<double>(),
        p["line_rate_percent"]["10G"].get<double>(), p["line_rate_percent"]["4x10G"].get<double>(),
        p["frame_latency_cycles"].get<uint64_t>(),
        area ? fmt::format("{:.0f}", p["lut"].get<double>()) : "-",
        area ? fmt::format("{:.2f}", p["lut_percent_of_device"].get<double>()) : "-",
        area ? fmt::format("{:.0f}", p["dsp"].get<double>()) : "-", p["bram36"].get<double>(),
        p.value("pareto", false) ? "*" : "");
  }
  out += fmt::format("\nSmallest array at line rate, LUTs against the paper's 32 PEs (Table 3)\n");
  for (const json& s : sweep["smallest"]) {
    out += fmt::format("{:<8} {:<9} {:<6} {:>5}: {:>2} PEs ({:.0f} %)",
                       s["algorithm"].get<std::string>(), s["kind"].get<std::string>(),
                       s["profile"].get<std::string>(), s["line"].get<std::string>(),
                       s["pes"].get<int>(), s["percent"].get<double>());
    if (s.contains("lut")) {
      out += fmt::format(", {:.0f} LUT, {:.1f} % saved", s["lut"].get<double>(),
                         s["saved_percent_of_paper"].get<double>());
    }
    out += "\n";
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
  std::string out =
      "algorithm,kind,profile,pes,cycles_per_frame,line_rate_1_port_percent,"
      "line_rate_4_ports_percent,frame_latency_cycles,frame_latency_ns,lut,ff,dsp,bram36,"
      "lut_percent_of_device,longest_path_ns,pareto\n";
  const auto number = [](const json& p, const char* key) {
    return p.contains(key) ? fmt::format("{}", p[key].get<double>()) : "";
  };
  for (const json& p : sweep["points"]) {
    out += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", p["algorithm"].get<std::string>(),
        p["kind"].get<std::string>(), p["profile"].get<std::string>(), p["pes"].get<int>(),
        p["cycles_per_frame"].get<double>(), p["line_rate_percent"]["10G"].get<double>(),
        p["line_rate_percent"]["4x10G"].get<double>(), p["frame_latency_cycles"].get<uint64_t>(),
        p["frame_latency_ns"].get<double>(), number(p, "lut"), number(p, "ff"), number(p, "dsp"),
        number(p, "bram36"), number(p, "lut_percent_of_device"), number(p, "longest_path_ns"),
        p.value("pareto", false) ? 1 : 0);
  }
  return out;
}

std::string sweep_svg(const json& sweep, std::string& missing) {
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
                               p["line_rate_percent"]["4x10G"].get<double>());
  }
  if (series.empty()) {
    missing = "no plot without areas";
    return "";
  }
  namespace report = sim::report;
  using report::rgb;
  constexpr const char* kColours[] = {"accent", "byte", "half", "raw"};
  std::string script = fmt::format(
      "set border 3 lc {0}\nset tics nomirror textcolor {0}\nset grid lc {1}\nset logscale xy\n"
      "set key outside right top spacing 1.3 textcolor {0}\n"
      "set xlabel 'LUTs of the array (Yosys, xc7)' textcolor {0}\n"
      "set ylabel 'percent of 4 x 10GbE' textcolor {0}\n",
      rgb("muted"), rgb("line"));
  std::string plot = fmt::format(
      "plot 100 with lines lw 1.5 lc {0} dt 2 title 'four ports', 25 with lines lw 1.5 lc {0} dt 3 "
      "title 'one port'",
      rgb("ink"));
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
  return drawn.svg.empty() ? "" : report::standalone_svg(drawn.svg.front());
}

}  // namespace gw::testbenches
