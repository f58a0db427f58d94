// SPDX-License-Identifier: Apache-2.0
#include "sim/report/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "sim/report/figure_kit.h"

namespace gw::sim::report {
namespace {

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

std::optional<Figure> throughput(const Json& doc, const View& view) {
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
      "{} through the device{}.", view.passing,
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

std::optional<Figure> skipped(const Json& doc) {
  const Json* reasons = find(doc, {"trace", "skipped"});
  if (!reasons || !reasons->is_object()) return std::nullopt;
  std::vector<Bar> data;
  for (const auto& [reason, n] : reasons->items())
    if (n.is_number() && n.get<double>() > 0 && std::isfinite(n.get<double>()))
      data.push_back({words(reason), n.get<double>(), grouped(n.get<double>()), "theirs"});
  if (data.empty()) return std::nullopt;
  std::stable_sort(data.begin(), data.end(),
                   [](const Bar& a, const Bar& b) { return a.value > b.value; });
  if (data.size() > 12) data.resize(12);
  return bars("Packets not fed to the device", "By the reason why each was skipped.", data,
              "packets", false);
}

}  // namespace

std::vector<Figure> make_figures(const Json& doc, const View& view) {
  std::vector<Figure> out = view.figures;
  const auto keep = [&](std::optional<Figure> f) {
    if (f) out.push_back(std::move(*f));
  };
  keep(throughput(doc, view));
  keep(latency(doc, "latency_histogram", "Latency of packets",
               "First beat accepted to first beat offered, one count a packet."));
  keep(latency(doc, "pipeline_latency_histogram", "Latency of the pipeline",
               "The engine alone, waiting for neither source nor sink."));
  keep(skipped(doc));
  for (Figure& f : out) f.plot.title = f.title;
  return out;
}

}  // namespace gw::sim::report
