#include "sim/report/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace gw::sim::report {
namespace {

using Points = std::vector<std::pair<double, double>>;

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

/// The look that all figures share: no frame, a quiet grid, room for the headroom of labels.
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

/// 1, 2 or 5 times a power of ten, at least `step`.
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

std::optional<Figure> tags(const View& view) {
  for (const Section& s : view.sections) {
    if (s.tags.empty()) continue;
    const bool paper = std::any_of(s.tags.begin(), s.tags.end(),
                                   [](const TagShare& t) { return t.paper.has_value(); });
    const std::string theirs =
        "paper" + (s.tags_paper.empty() ? std::string() : ", " + s.tags_paper);
    Figure f;
    f.title = "Where the values fall";
    f.caption = paper ? "Share of the values in each class, beside Table III of the paper."
                      : "Share of the values in each class.";
    f.data = {"", {"class", "values", "share"}, {}, -1};
    if (paper) f.data.columns.push_back(theirs);
    double top = 0;
    std::string data = "$ours << EOD\n";
    std::string data_paper = "$paper << EOD\n";
    std::string tics;
    for (std::size_t i = 0; i < s.tags.size(); ++i) {
      const TagShare& t = s.tags[i];
      const std::string label = share(t.percent);
      data += fmt::format("{} {:.6f} \"{}\"\n", i, t.percent, label.substr(0, label.size() - 2));
      if (t.paper && std::isfinite(*t.paper))
        data_paper += fmt::format("{} {:.6f} \"{:.1f}\"\n", i, *t.paper, *t.paper);
      tics += fmt::format("{}{} {}", i ? ", " : "",
                          quoted(fmt::format("{} ({} bit)", t.name, t.bits)), i);
      top = std::max({top, t.percent, t.paper.value_or(0)});
      f.data.cells.push_back({t.name, grouped(t.count), share(t.percent)});
      if (paper) f.data.cells.back().push_back(t.paper ? fixed(*t.paper, 1) + " %" : "");
    }
    const double shift = paper ? 0.2 : 0;
    const double wide = paper ? 0.36 : 0.55;
    f.plot.script =
        look() + data + "EOD\n" + data_paper + "EOD\n" +
        fmt::format("set xtics scale 0 ({})\nset xrange [-0.6:{}]\nset yrange [0:{}]\n", tics,
                    static_cast<double>(s.tags.size()) - 0.4, std::min(top * 1.15 + 1, 112.0)) +
        "set ytics 20\n" + axis("ylabel", "% of the values") +
        fmt::format("plot $ours using ($1-{0}):2:({1}) with boxes lc {2} title 'this run'", shift,
                    wide, rgb("accent"));
    if (paper)
      f.plot.script += fmt::format(", $paper using ($1+{0}):2:({1}) with boxes lc {2} title {3}",
                                   shift, wide, rgb("paper"), quoted(theirs));
    f.plot.script +=
        fmt::format(", $ours using ($1-{}):2:3 with labels offset 0,0.6 textcolor {} notitle",
                    shift, rgb("ink"));
    if (paper)
      f.plot.script +=
          fmt::format(", $paper using ($1+{}):2:3 with labels offset 0,0.6 textcolor {} notitle",
                      shift, rgb("muted"));
    return f;
  }
  return std::nullopt;
}

std::optional<Figure> exponents(const Json& doc) {
  Points all = points(doc, "value_exponents");
  // Exponents of binary32: anything else is no value of this kind, and would stretch the axis
  // without end.
  const auto possible = [](double e) { return e >= -127 && e <= 128; };
  std::erase_if(all, [&](const auto& p) { return !(p.second > 0 && possible(p.first)); });
  if (all.empty()) return std::nullopt;
  const auto limit = [&](const char* name) {
    const auto at = number(doc, {"plots", "class_limits", name});
    return at && possible(*at) ? at : std::nullopt;
  };
  const auto zero_below = limit("zero_below");
  const auto byte_below = limit("byte_below");
  const auto raw_from = limit("raw_from");
  const auto class_of = [&](double e) -> const char* {
    if (raw_from && e >= *raw_from) return "RAW";
    if (zero_below && e < *zero_below) return "ZERO";
    if (byte_below && e < *byte_below) return "BYTE";
    return zero_below || byte_below || raw_from ? "HALF" : "";
  };
  Figure f;
  f.title = "Gradient values by size";
  f.caption =
      "Values by binary exponent e, |v| from 2^e up to 2^(e+1), on a logarithmic scale; dashed "
      "lines part the classes. "
      "The bar at 0 holds zeros and subnormals.";
  f.data = {"", {"exponent", "class", "values"}, {}, -1};

  // Zeros stand left of the smallest exponent; what lies far below every class limit is gathered in
  // one bar beside them.
  double least = 0;
  bool any = false;
  double top = 0;
  for (const auto& [e, n] : all)
    if (e > -127 && (!any || e < least)) least = e, any = true;
  const double floor = std::max(least, -44.0);
  Points bars;
  double far = 0;
  double zeros = 0;
  double most = any ? floor : 1;
  for (const auto& [e, n] : all) {
    if (e <= -127)
      zeros += n;
    else if (e < floor)
      far += n;
    else
      bars.emplace_back(e, n), most = std::max(most, e);
  }
  if (!any) most = floor;
  if (raw_from) most = std::max(most, *raw_from + 1);
  std::string tics;
  const auto tic = [&](const std::string& name, double at) {
    tics += fmt::format("{}{} {}", tics.empty() ? "" : ", ", quoted(name), at);
  };
  double first = floor;
  if (far > 0) {
    first -= 2;
    bars.insert(bars.begin(), {first, far});
    tic("<", first);
  }
  if (zeros > 0) {
    first -= 2;
    bars.insert(bars.begin(), {first, zeros});
    tic("0", first);
    f.data.cells.push_back({"zero, subnormal", class_of(-127), grouped(zeros)});
  }
  if (far > 0)
    f.data.cells.push_back({fmt::format("below {:.0f}", floor), class_of(floor - 1), grouped(far)});
  const double step = std::max(5.0, round_step((most - floor) / 8));
  for (double e = std::ceil(floor / step) * step; e <= most; e += step)
    tic(fmt::format("{:.0f}", e), e);
  for (const auto& [e, n] : bars) {
    top = std::max(top, n);
    if (e >= floor) f.data.cells.push_back({fmt::format("{:.0f}", e), class_of(e), grouped(n)});
  }

  std::string script = look();
  script += log_counts(top);
  script += fmt::format("set xtics scale 0 ({})\nset xrange [{}:{}]\n", tics, first - 1, most + 1);
  script += axis("xlabel", "binary exponent e") + axis("ylabel", "values");
  std::string plot;
  for (const auto& [name, colour] : {std::pair{"ZERO", "zero"},
                                     {"BYTE", "byte"},
                                     {"HALF", "half"},
                                     {"RAW", "raw"},
                                     {"", "accent"}}) {
    Points mine;
    for (const auto& bar : bars)
      if (std::string_view(class_of(bar.first)) == name) mine.push_back(bar);
    if (mine.empty()) continue;
    const std::string id = fmt::format("c_{}", colour);
    script += block(id.c_str(), mine);
    plot += fmt::format("{}${} using 1:2:(0.82) with boxes lc {} notitle",
                        plot.empty() ? "plot " : ", ", id, rgb(colour));
  }
  // Boundaries, and the classes' names between them.
  std::vector<std::pair<double, const char*>> marks;
  const double left = first - 0.6;
  const double right = most + 0.6;
  double from = left;
  const auto mark = [&](const std::optional<double>& at, const char* name) {
    if (!at) return;
    const double x = std::clamp(*at - 0.5, left, right);
    if (x > left && x < right)
      script +=
          fmt::format("set arrow from {0},graph 0 to {0},graph 1 nohead dt (4,4) lw 1 lc {1}\n", x,
                      rgb("muted"));
    if (x > from) marks.emplace_back((from + x) / 2, name);
    from = x;
  };
  mark(zero_below, "ZERO");
  mark(byte_below, "BYTE");
  mark(raw_from, "HALF");
  if (raw_from && right > from) marks.emplace_back((from + right) / 2, "RAW");
  for (const auto& [x, name] : marks) {
    std::string lower = name;
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    script += fmt::format("set label '{}' at {},graph 1.04 center textcolor {}\n", name, x,
                          rgb(lower.c_str()));
  }
  f.plot.script = script + "set tmargin 2.2\n" + plot;
  return f;
}

std::optional<Figure> latency(const Json& doc, const char* key, const char* title,
                              const char* caption) {
  Points data = points(doc, key);
  if (data.empty()) return std::nullopt;
  // At most some sixty bars: wider ranges are binned.
  const double low = data.front().first;
  const double high = data.back().first;
  const double bin = std::max(1.0, round_step((high - low + 1) / 60));
  Points bars;
  for (const auto& [x, n] : data) {
    const double start = std::floor(x / bin) * bin;
    if (bars.empty() || bars.back().first != start) bars.emplace_back(start, 0);
    bars.back().second += n;
  }
  double top = 0;
  double least = -1;
  for (const auto& [x, n] : bars) {
    top = std::max(top, n);
    if (n > 0 && (least < 0 || n < least)) least = n;
  }
  Figure f;
  f.title = title;
  f.caption = caption;
  f.data = {"", {bin > 1 ? "cycles from" : "cycles", "packets"}, {}, -1};
  for (const auto& [x, n] : bars) f.data.cells.push_back({grouped(x), grouped(n)});
  if (bin > 1) f.caption += fmt::format(" A bar is {:g} cycles.", bin);
  std::string script =
      look() + axis("xlabel", "cycles") + axis("ylabel", "packets") + block("d", bars);
  if (least > 0 && top / least > 200)
    script += log_counts(top);
  else
    script += fmt::format("set yrange [0:{:.10g}]\n", top > 0 ? top * 1.18 : 1);
  const double margin = std::max((high - low) * 0.04, 3 * bin) + (bars.size() == 1 ? bin : 0);
  script += fmt::format("set xrange [{}:{}]\nset xtics {}\n", std::max(low - margin, -bin),
                        high + bin / 2 + margin,
                        std::max(1.0, round_step((high - low + 2 * margin) / 8)));
  script += fmt::format("plot $d using ($1+{}):2:({}) with boxes lc {} notitle",
                        bin > 1 ? bin / 2 : 0.0, bin * 0.82, rgb("accent"));
  if (bars.size() <= 8)
    script += fmt::format(
        ", $d using ($1+{}):2:(sprintf('%.0f',$2)) with labels offset 0,0.6 textcolor {} notitle",
        bin > 1 ? bin / 2 : 0.0, rgb("ink"));
  f.plot.script = std::move(script);
  return f;
}

/// Ports that have a wire each; 1: there is one line, or none.
double wired_ports(const Json& doc) {
  const Json* const rates = find(doc, {"line_rate_percent"});
  const bool each = rates && rates->is_object() && !rates->empty() &&
                    rates->items().begin().key().starts_with("port");
  const auto ports = [&doc](const char* side) {
    return number(doc, {"port_count", side}).value_or(1);
  };
  return each ? std::max(ports("in"), ports("out")) : 1;
}

std::optional<Figure> throughput(const Json& doc) {
  Points data = points(doc, "throughput_over_time");
  if (data.empty()) return std::nullopt;
  double top = 0;
  for (const auto& [x, y] : data) top = std::max(top, y);
  // A picture is 560 points wide: more are averaged.
  constexpr std::size_t kMost = 480;
  if (data.size() > kMost) {
    Points mean;
    for (std::size_t i = 0; i < kMost; ++i) {
      const std::size_t from = i * data.size() / kMost;
      const std::size_t to = std::max(from + 1, (i + 1) * data.size() / kMost);
      double sum = 0;
      for (std::size_t j = from; j < to; ++j) sum += data[j].second;
      mean.emplace_back(data[from].first, sum / static_cast<double>(to - from));
    }
    data = std::move(mean);
  }
  // Lines that were asked for, as far as they are not far above what was reached. The curve is of
  // all ports together: so is a line.
  std::vector<double> lines;
  const double ports = wired_ports(doc);
  if (const Json* const asked = find(doc, {"line_rate_gbps"}); asked && asked->is_array()) {
    for (const Json& line : *asked)
      if (line.is_number()) lines.push_back(line.get<double>());
    std::ranges::sort(lines);
    const auto far = [&](double line) { return line > lines.front() && ports * line > top * 1.15; };
    std::erase_if(lines, far);
  }
  Figure f;
  f.title = "Throughput over time";
  f.caption = fmt::format(
      "{} through the device{}.",
      doc.contains("compression") || doc.contains("quantizer") ? "Uncompressed values" : "Packets",
      lines.empty() ? ""
      : lines.size() == 1
          ? fmt::format("{}; the dashed line is {}{:g} Gb/s Ethernet",
                        ports > 1 ? ", all ports together" : "",
                        ports > 1 ? fmt::format("{:g} ports of ", ports) : "", lines.front())
          : fmt::format("{}; dashed lines are {}Ethernet of {:g} to {:g} Gb/s",
                        ports > 1 ? ", all ports together" : "",
                        ports > 1 ? fmt::format("{:g} ports of ", ports) : "", lines.front(),
                        lines.back()));
  f.data = {"", {"from cycle", "Gb/s"}, {}, -1};
  const std::size_t stride = std::max<std::size_t>(1, (data.size() + 19) / 20);
  for (std::size_t i = 0; i < data.size(); i += stride)
    f.data.cells.push_back({grouped(data[i].first), fixed(data[i].second, 2)});

  const double last = data.back().first;
  const double unit = last >= 2e6 ? 1e6 : last >= 1e4 ? 1e3 : 1;
  for (auto& point : data) point.first /= unit;
  double end = last / unit;
  if (data.size() > 1)
    end += (data.back().first - data.front().first) / static_cast<double>(data.size() - 1);
  else
    end += 1;
  data.emplace_back(end, data.back().second);  // the last window has a width too
  std::string script = look() +
                       axis("xlabel", unit == 1e6   ? "cycle (millions)"
                                      : unit == 1e3 ? "cycle (thousands)"
                                                    : "cycle") +
                       axis("ylabel", "Gb/s") + block("d", data);
  script += fmt::format(
      "set xrange [{:.10g}:{:.10g}]\nset yrange [0:{:.10g}]\n", data.front().first, end,
      std::max(top, lines.empty() ? 0 : ports * lines.back()) * 1.15 + (top > 0 ? 0 : 1));
  // The lines' names stand beside the curve, not on it.
  if (!lines.empty()) script += "set rmargin 9\n";
  for (const double line : lines) {
    script += fmt::format(
        "set arrow from graph 0,first {0} to graph 1,first {0} nohead front dt (6,4) lw 1.5 lc "
        "{1}\n",
        ports * line, rgb("warn"));
    script +=
        fmt::format("set label '{}{:g} GbE' at graph 1.01,first {} left front textcolor {}\n",
                    ports > 1 ? fmt::format("{:g}x", ports) : "", line, ports * line, rgb("warn"));
  }
  script += fmt::format(
      "set style fill transparent solid 0.16 noborder\n"
      "plot $d using 1:2 with fillsteps lc {0} notitle, $d using 1:2 with steps lw 1.8 lc {0} "
      "notitle",
      rgb("accent"));
  f.plot.script = std::move(script);
  return f;
}

/// An optimizer's distance from the textbook, over the iterations.
std::optional<Figure> drift(const Json& doc) {
  const Json* rows = find(doc, {"drift"});
  if (!rows || !rows->is_array() || rows->size() < 2) return std::nullopt;
  Points mean, greatest;
  double least = 0;
  for (const Json& row : *rows) {
    const auto iteration = number(row, {"iteration"});
    const auto m = number(row, {"mean_ulp"});
    const auto g = number(row, {"max_ulp"});
    if (!iteration || !m || !g || !(*m > 0)) continue;
    mean.emplace_back(*iteration, *m);
    greatest.emplace_back(*iteration, *g);
    least = least == 0 ? *m : std::min(least, *m);
  }
  if (mean.size() < 2) return std::nullopt;
  Figure f;
  f.title = "Drift from the textbook";
  f.caption =
      "Distance of the parameters from those of the same run in binary64, in units of the last "
      "place.";
  f.data = {"", {"iteration", "mean ULP", "max ULP"}, {}, -1};
  for (std::size_t i = 0; i < mean.size(); ++i) {
    f.data.cells.push_back(
        {grouped(mean[i].first), fixed(mean[i].second, 3), fixed(greatest[i].second, 3)});
  }
  f.plot.script = look() + axis("xlabel", "iteration") + axis("ylabel", "ULP") + block("m", mean) +
                  block("g", greatest) +
                  fmt::format(
                      "set logscale y\nset format y '%g'\nset yrange [{:.10g}:]\n"
                      "set key left top\n"
                      "plot $g using 1:2 with linespoints pt 7 ps 0.4 lw 1.5 lc {} title 'max', "
                      "$m using 1:2 with linespoints pt 7 ps 0.4 lw 1.5 lc {} title 'mean'",
                      least / 2, rgb("raw"), rgb("accent"));
  return f;
}

struct Bar {
  std::string name;
  double value;
  std::string label;
  const char* colour;
};

/// Horizontal bars with names on the left, the first on top.
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

std::optional<Figure> skipped(const Json& doc) {
  const Json* reasons = find(doc, {"trace", "skipped"});
  if (!reasons || !reasons->is_object()) return std::nullopt;
  std::vector<Bar> data;
  for (const auto& [reason, n] : reasons->items())
    if (n.is_number() && n.get<double>() > 0 && std::isfinite(n.get<double>()))
      data.push_back({words(reason), n.get<double>(), grouped(n.get<double>()), "paper"});
  if (data.empty()) return std::nullopt;
  std::stable_sort(data.begin(), data.end(),
                   [](const Bar& a, const Bar& b) { return a.value > b.value; });
  if (data.size() > 12) data.resize(12);
  return bars("Packets not fed to the device", "By the reason why each was skipped.", data,
              "packets", false);
}

void baselines(const Json& doc, std::vector<Figure>& out) {
  const Json* list = find(doc, {"baselines"});
  if (!list || !list->is_array()) return;
  std::vector<Bar> ratio;
  std::vector<Bar> error;
  const auto take = [&](const std::string& name, const Json& from, const char* colour) {
    if (const auto v = number(from, {"ratio"}); v && std::isfinite(*v))
      ratio.push_back({name, *v, fixed(*v, 2) + "x", colour});
    if (const auto v = number(from, {"max_abs_error"}); v && std::isfinite(*v) && *v >= 0)
      error.push_back({name, *v, *v == 0 ? "0, lossless" : general(*v), colour});
  };
  if (const Json* ours = find(doc, {"compression"})) take("this run", *ours, "accent");
  std::size_t theirs = 0;
  for (const Json& b : *list)
    if (b.is_object() && ++theirs <= 12) take(text(b, {"name"}), b, "paper");
  if (theirs == 0) return;
  if (!ratio.empty())
    out.push_back(bars("Compression ratio against the baselines",
                       "The same values through each codec; more is better.", ratio, "ratio",
                       false));
  if (!error.empty())
    out.push_back(
        bars("Largest error against the baselines",
             "Largest absolute error of a value; the scale is logarithmic, less is better.", error,
             "max abs error", true));
}

}  // namespace

std::vector<Figure> make_figures(const Json& doc, const View& view) {
  std::vector<Figure> out;
  const auto keep = [&](std::optional<Figure> f) {
    if (f) out.push_back(std::move(*f));
  };
  keep(tags(view));
  keep(exponents(doc));
  keep(throughput(doc));
  keep(latency(doc, "latency_histogram", "Latency of packets",
               "First beat accepted to first beat offered, one count a packet."));
  keep(latency(doc, "pipeline_latency_histogram", "Latency of the pipeline",
               "The engine alone, waiting for neither source nor sink."));
  keep(drift(doc));
  baselines(doc, out);
  keep(skipped(doc));
  for (Figure& f : out) f.plot.title = f.title;
  return out;
}

}  // namespace gw::sim::report
