// SPDX-License-Identifier: Apache-2.0
#include "sim/report/figure_kit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gw::sim::report {

Points points(const Json& doc, const char* key) {
  Points out;
  const Json* series = find(doc, {"plots", key});
  if (!series || !series->is_array()) return out;
  for (const Json& p : *series)
    if (p.is_array() && p.size() >= 2 && p[0].is_number() && p[1].is_number()) {
      const double x = p[0].get<double>();
      const double y = p[1].get<double>();
      if (std::isfinite(x) && std::isfinite(y)) out.emplace_back(x, y);
    }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return out;
}

std::string look() {
  return fmt::format(
      "set border 1 lw 1 lc {0}\n"
      "set tics nomirror out scale 0.5 textcolor {1}\n"
      "set grid ytics lt 1 lw 1 lc {2}\n"
      "set style fill solid 1.0 noborder\n"
      "set key textcolor {1} samplen 1.2 spacing 1.2\n"
      "set xlabel textcolor {1}\nset ylabel textcolor {1}\n"
      "set ytics scale 0\nset tmargin 1.2\n",
      rgb("muted"), rgb("muted"), rgb("line"));
}

std::string axis(const char* which, const std::string& label) {
  return fmt::format("set {} {} textcolor {}\n", which, quoted(label), rgb("muted"));
}

std::string block(const char* name, const Points& data) {
  std::string out = fmt::format("${} << EOD\n", name);
  for (const auto& [x, y] : data) out += fmt::format("{:.10g} {:.10g}\n", x, y);
  return out + "EOD\n";
}

double round_step(double step) {
  const double power = std::pow(10, std::floor(std::log10(step)));
  for (const double m : {1.0, 2.0, 5.0, 10.0})
    if (m * power >= step * 0.999) return m * power;
  return 10 * power;
}

/// Log scales need counts that span decades; gnuplot's powers read badly below a thousand, so
/// decades are named.
std::string log_counts(double top) {
  std::string out = "set logscale y\nset mytics 1\nset ytics (";
  int decade = 0;
  for (double v = 1; v <= top * 1.001 || decade == 0; v *= 10, ++decade) {
    const std::string name = decade < 3   ? fmt::format("{:.0f}", v)
                             : decade < 6 ? fmt::format("{:.0f}k", v / 1e3)
                             : decade < 9 ? fmt::format("{:.0f}M", v / 1e6)
                                          : fmt::format("{:.0f}G", v / 1e9);
    out += fmt::format("{}'{}' {:.0f}", decade ? ", " : "", name, v);
  }
  return out + ")\n" + fmt::format("set yrange [0.7:{:.10g}]\n", top * 3);
}

Figure bars(std::string title, std::string caption, const std::vector<Bar>& data,
            const std::string& unit, bool log) {
  Figure f;
  f.title = std::move(title);
  f.caption = std::move(caption);
  f.data = {"", {"", unit}, {}, -1};
  double top = 0;
  double least = 0;
  for (const Bar& b : data) {
    top = std::max(top, b.value);
    if (b.value > 0 && (least == 0 || b.value < least)) least = b.value;
    f.data.cells.push_back({b.name, b.label});
  }
  log = log && top > 0;
  const double origin = log ? std::pow(10, std::floor(std::log10(least)) - 1) : 0;
  std::string script = look();
  std::string tics;
  std::string plot;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double y = -static_cast<double>(i);
    const double value = log ? std::max(data[i].value, origin) : data[i].value;
    tics += fmt::format("{}{} {}", i ? ", " : "", quoted(shortened(data[i].name, 26)), y);
    // A bar of no length on a logarithmic axis is a zero: only its label is drawn.
    script += fmt::format("$b{0} << EOD\n{1:.10g} {2} {3:.10g} {1:.10g} {4} {5}\nEOD\n", i, value,
                          y, origin, y - 0.34, y + 0.34);
    if (value > origin)
      plot += fmt::format("{}$b{} using 1:2:3:4:5:6 with boxxyerror lc {} notitle",
                          plot.empty() ? "plot " : ", ", i, rgb(data[i].colour));
    script += fmt::format("set label {} at {:.10g},{} left offset 0.6,0 textcolor {}\n",
                          quoted(data[i].label), value, y, rgb("ink"));
  }
  if (plot.empty()) plot = "plot $b0 using 1:2 with dots lc " + rgb("line") + " notitle";
  script += "unset grid\nset grid xtics lt 1 lw 1 lc " + rgb("line") +
            "\nset border 0\nset xtics scale 0\n";
  if (log)
    script += fmt::format(
        "set logscale x\nset mxtics 1\nset format x '%.0e'\nset xtics 100\nset xrange "
        "[{:.10g}:{:.10g}]\n",
        origin, top * std::pow(top / origin, 0.22));
  else
    script += fmt::format("set xrange [0:{:.10g}]\n", top > 0 ? top * 1.2 : 1);
  script += fmt::format("set ytics ({}) textcolor {}\nset yrange [{}:0.6]\n", tics, rgb("ink"),
                        -static_cast<double>(data.size()) + 0.4);
  script += axis("xlabel", unit);
  f.plot.script = script + plot;
  f.plot.height = std::clamp(110 + 42 * static_cast<int>(data.size()), 180, 640);
  return f;
}

}  // namespace gw::sim::report
