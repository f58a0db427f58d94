// SPDX-License-Identifier: Apache-2.0
#include "tools/training/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "sim/report/gnuplot.h"
#include "sim/report/html.h"
#include "sim/report/text.h"

namespace gw::training {
namespace {

using nlohmann::json;
namespace report = sim::report;
using report::escaped;

using XY = std::vector<std::pair<double, double>>;

struct Line {
  std::string name;
  std::string colour;
  int dash = 1;
  XY points;
};

struct Drawing {
  std::string title, caption, x, y;
  bool log_x = false, log_y = false;
  std::vector<Line> lines;
};

std::string method_of(const json& codec) {
  const std::string name = codec["codec"].get<std::string>();
  return name.substr(0, name.find(':'));
}

const char* colour_of(const std::string& method) {
  static const std::map<std::string, const char*> kColours{
      {"none", "ink"},         {"raw", "muted"},       {"nocommunication", "theirs"},
      {"wgt", "accent"},       {"bgt", "raw"},         {"qgt", "byte"},
      {"onebit", "half"},      {"adaptive", "good"},   {"onebit-preceding", "bad"},
      {"mxfp8", "zero"},       {"mxfp8-e5m2", "line"}, {"mxfp4", "warn"},
      {"inceptionn", "muted"}, {"truncate", "bad"}};
  const auto found = kColours.find(method);
  return found == kColours.end() ? "ink" : found->second;
}

bool ran(const json& codec) { return codec["diverged"].is_null() && codec.contains("accuracy"); }

/// Those whose course is drawn: of a method with many thresholds the first, one between, the last.
std::vector<const json*> drawn_codecs(const json& document) {
  std::map<std::string, std::vector<const json*>> by_method;
  std::vector<std::string> order;
  for (const json& codec : document["codecs"]) {
    if (!ran(codec)) continue;
    auto& same = by_method[method_of(codec)];
    if (same.empty()) order.push_back(method_of(codec));
    same.push_back(&codec);
  }
  std::vector<const json*> chosen;
  for (const std::string& method : order) {
    const auto& same = by_method[method];
    if (same.size() <= 3) {
      chosen.insert(chosen.end(), same.begin(), same.end());
    } else {
      for (const size_t i : {size_t{0}, same.size() / 2, same.size() - 1})
        chosen.push_back(same[i]);
    }
  }
  return chosen;
}

/// A column of a curve, its mean over the seeds.
XY mean_curve(const json& codec, const char* curve, size_t column) {
  XY points;
  const json& seeds = codec["seeds"];
  for (const json& run : seeds) {
    size_t i = 0;
    for (const json& at : run["plots"][curve]) {
      if (at[column].is_null()) continue;
      if (i == points.size()) points.emplace_back(at[0].get<double>(), 0.0);
      points[i++].second += at[column].get<double>() / static_cast<double>(seeds.size());
    }
  }
  return points;
}

Drawing course(const json& document, const char* curve, size_t column, bool log_y, double factor,
               const std::function<bool(const json&)>& has) {
  Drawing d{.title = {},
            .caption = {},
            .x = "iteration",
            .y = {},
            .log_x = false,
            .log_y = log_y,
            .lines = {}};
  std::map<std::string, int> dashes;
  for (const json* codec : drawn_codecs(document)) {
    if (!has(*codec)) continue;
    Line line{.name = (*codec)["codec"].get<std::string>(),
              .colour = colour_of(method_of(*codec)),
              .dash = ++dashes[method_of(*codec)],
              .points = {}};
    for (const auto& [x, y] : mean_curve(*codec, curve, column)) {
      if (!log_y || y > 0) line.points.emplace_back(x, y * factor);
    }
    if (!line.points.empty()) d.lines.push_back(std::move(line));
  }
  return d;
}

std::string look(const Drawing& d) {
  using report::quoted;
  using report::rgb;
  std::string s = fmt::format(
      "set border 1 lw 1 lc {0}\nset tics nomirror out scale 0.5 textcolor {0}\n"
      "set grid ytics lt 1 lw 1 lc {1}\nset ytics scale 0\nset tmargin 1.2\n"
      "set key outside right top vertical textcolor {0} samplen 2 spacing 1.15 font ',11'\n"
      "set xlabel {2} textcolor {0}\nset ylabel {3} textcolor {0}\nset offsets graph 0.02, graph "
      "0.02, graph 0.04, graph 0.02\n",
      rgb("muted"), rgb("line"), quoted(d.x), quoted(d.y));
  if (d.log_x) s += "set logscale x 10\n";
  if (d.log_y) s += "set logscale y 10\n";
  return s;
}

report::Plot plot_of(const Drawing& d, bool bars) {
  using report::quoted;
  using report::rgb;
  std::string script = look(d), plot;
  // A power of ten as text: the terminal does not raise digits.
  if (d.log_x) script += "set format x '%.0s %cB'\n";
  size_t i = 0;
  for (const Line& line : d.lines) {
    const std::string name = fmt::format("d{}", i++);
    script += fmt::format("${} << EOD\n", name);
    for (const auto& [x, y] : line.points) script += fmt::format("{:.10g} {:.10g}\n", x, y);
    script += "EOD\n";
    plot += fmt::format("{}${} using 1:2 with {} lw 2 dt {} pt 7 ps 0.6 lc {} title {}",
                        plot.empty() ? "plot " : ", ", name, bars ? "linespoints" : "lines",
                        line.dash, rgb(line.colour.c_str()), quoted(line.name));
  }
  return {.title = d.title, .script = script + plot, .width = 760, .height = 340};
}

std::string table_html(const json& columns, const json& rows) {
  std::string out = "<div class=\"scroll\"><table><thead><tr>";
  for (const json& c : columns) {
    out += fmt::format("<th scope=\"col\">{}</th>", escaped(c.get<std::string>()));
  }
  out += "</tr></thead><tbody>\n";
  for (const json& row : rows) {
    out += "<tr>";
    for (const json& c : row) out += fmt::format("<td>{}</td>", escaped(c.get<std::string>()));
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string data_table(const Drawing& d) {
  json rows = json::array();
  for (const Line& line : d.lines) {
    for (const auto& [x, y] : line.points) {
      rows.push_back({line.name, report::general(x), report::general(y)});
    }
  }
  return table_html({"", d.x, d.y}, rows);
}

std::string card(const std::string& label, const std::string& value, const std::string& note) {
  return fmt::format(
      "<div class=\"box\"><div class=\"l\">{}</div><div class=\"v\">{}</div><div "
      "class=\"n\">{}</div></div>\n",
      escaped(label), escaped(value), escaped(note));
}

std::string cards(const json& document) {
  const json* best = nullptr;
  const json* normal = nullptr;
  std::optional<double> lost;
  for (const json& c : document["codecs"]) {
    if (!ran(c)) continue;
    if (c["codec"] == "none") normal = &c;
    if (c["codec"] != "none" && c["codec"] != "raw" && c["codec"] != "nocommunication" &&
        (best == nullptr ||
         c["accuracy"]["mean"].get<double>() > (*best)["accuracy"]["mean"].get<double>())) {
      best = &c;
    }
    if (!c["conservation"].is_null()) {
      lost = std::max(lost.value_or(0.0), c["conservation"].get<double>());
    }
  }
  const auto accuracy = [](const json& c) {
    return fmt::format("{:.2f} %", 100 * c["accuracy"]["mean"].get<double>());
  };
  std::string out = "<div class=\"cards\">\n";
  if (normal != nullptr) {
    out += card("accuracy with floats", accuracy(*normal),
                report::bytes((*normal)["bytes"].get<double>()) + " exchanged");
  }
  if (best != nullptr) {
    out +=
        card("best accuracy with a codec", accuracy(*best),
             fmt::format("{}, {:.2f} % of the floats' bytes", (*best)["codec"].get<std::string>(),
                         100 * (*best)["of_exact"].get<double>()));
  }
  if (lost) {
    out += card("conservation", *lost == 0 ? "exact" : fmt::format("2^{:.1f}", std::log2(*lost)),
                "gradients that neither arrived nor wait as residuals; at most 2^-22");
  }
  const json& t = document["training"];
  out += card(
      "training", fmt::format("{} iterations", t["iterations"].get<int>()),
      fmt::format("{} workers, batch {}, {} seeds, exchange {}", t["workers"].get<int>(),
                  t["batch"].get<int>(), t["seeds"].get<int>(), t["exchange"].get<std::string>()));
  return out + "</div>\n";
}

std::vector<Drawing> drawings(const json& document) {
  std::vector<Drawing> all;
  Drawing trade{.title = "Accuracy against bytes",
                .caption =
                    "Each point is a codec after the whole run, a line a method over its T "
                    "or p; bytes of whole packets on all links; means over seeds.",
                .x = "bytes exchanged",
                .y = "accuracy (%)",
                .log_x = true,
                .log_y = false,
                .lines = {}};
  for (const json& codec : document["codecs"]) {
    if (!ran(codec) || codec["bytes"].get<double>() <= 0) continue;
    const std::string method = method_of(codec);
    auto line = std::ranges::find(trade.lines, method, &Line::name);
    if (line == trade.lines.end()) {
      trade.lines.push_back({.name = method, .colour = colour_of(method), .dash = 1, .points = {}});
      line = std::prev(trade.lines.end());
    }
    line->points.emplace_back(codec["bytes"].get<double>(),
                              100 * codec["accuracy"]["mean"].get<double>());
  }
  all.push_back(trade);
  const auto any = [](const json&) { return true; };
  const auto communicates = [](const json& c) { return c.contains("rel_l2_error"); };
  const auto add = [&all](Drawing d, const char* title, const char* y, const char* caption) {
    d.title = title;
    d.y = y;
    d.caption = caption;
    all.push_back(std::move(d));
  };
  add(course(document, "evaluated", 1, false, 100, any), "Accuracy by iteration", "accuracy (%)",
      "Of the test digits, means over seeds. Of a method with more than three configurations: the "
      "first, one between, the last.");
  add(course(document, "by_iteration", 4, true, 1, communicates), "Residual by iteration",
      "rms by gradients' rms", "What waits to be sent, over all workers.");
  add(course(document, "by_iteration", 2, true, 100, communicates), "Share sent by iteration",
      "values sent (%)", "Values with an entry of their own in a packet, of those encoded.");
  add(course(document, "by_iteration", 3, true, 1, communicates), "Error by iteration",
      "relative L2",
      "Of the delivered sum against the sum of that iteration's gradients: what a "
      "residual delays counts as error, too.");
  add(course(document, "by_iteration", 6, true, 1, communicates),
      "Bytes of the third layer by iteration", "bytes an exchange",
      "One fully connected layer of 500 x 500, on all links (Dryden et al., Figure 3).");
  std::erase_if(all, [](const Drawing& d) { return d.lines.empty(); });
  if (document.contains("preset") && document["preset"].contains("build_up")) {
    Drawing d{.title = "Residuals that build up",
              .caption =
                  "Share of the values that BGT sends, T = 3.875, of matrices drawn afresh, "
                  "uniform in -4 to 4 (Dryden et al., Figure 2).",
              .x = "trial",
              .y = "values sent (%)",
              .log_x = false,
              .log_y = false,
              .lines = {}};
    Line line{.name = "bgt:t=3.875", .colour = "raw", .dash = 1, .points = {}};
    for (const json& share : document["preset"]["build_up"]) {
      line.points.emplace_back(static_cast<double>(line.points.size() + 1),
                               100 * share.get<double>());
    }
    d.lines.push_back(line);
    all.push_back(d);
  }
  return all;
}

std::string results(const json& document) {
  json rows = json::array();
  for (const json& c : document["codecs"]) {
    json row = json::array({c["codec"]});  // braces alone are a copy to some compilers
    if (!ran(c)) {
      row.push_back(c["diverged"].is_null() ? json("not run") : json("diverged"));
      for (int i = 0; i < 9; ++i) row.push_back("");
    } else {
      const bool alone = !c.contains("rel_l2_error");
      const auto unless_alone = [&](const std::function<std::string()>& show) {
        row.push_back(alone ? "-" : show());
      };
      const auto get = [&c](const char* key) { return c[key].get<double>(); };
      row.push_back(fmt::format("{:.2f} %", 100 * c["accuracy"]["mean"].get<double>()));
      row.push_back(c["accuracy"]["sigma"].is_null()
                        ? "-"
                        : fmt::format("{:.2f}", 100 * c["accuracy"]["sigma"].get<double>()));
      unless_alone([&] { return report::bytes(get("bytes")); });
      unless_alone([&] { return fmt::format("{:.3f} %", 100 * get("of_exact")); });
      unless_alone([&] { return report::bytes(get("payload_bytes")); });
      unless_alone([&] { return report::general(get("percent_per_gb")); });
      unless_alone([&] { return fmt::format("{:.2f} %", 100 * get("sent_share")); });
      unless_alone([&] { return report::general(get("rel_l2_error")); });
      unless_alone([&] { return report::general(c["residual"]["to_gradient"].get<double>()); });
      row.push_back(c["conservation"].is_null()
                        ? "-"
                        : fmt::format("2^{:.1f}", std::log2(get("conservation"))));
    }
    rows.push_back(row);
  }
  return "<section class=\"box wide\"><h2>Results</h2>\n" +
         table_html({"codec", "accuracy", "sigma", "bytes", "of floats", "payload", "%/GB", "sent",
                     "error", "residual", "conservation"},
                    rows) +
         "</section>\n";
}

std::string preset_sections(const json& document) {
  if (!document.contains("preset")) return "";
  const json& p = document["preset"];
  std::string out;
  for (const json& table : p["tables"]) {
    out += fmt::format("<section class=\"box wide\"><h2>{}</h2>\n",
                       escaped(table["title"].get<std::string>())) +
           table_html(table["columns"], table["cells"]) + "</section>\n";
  }
  out += fmt::format(
      "<section class=\"box wide\"><h2>Shapes of {}</h2>\n<table class=\"rows\"><tbody>\n",
      escaped(p["paper"].get<std::string>()));
  for (const json& s : p["shapes"]) {
    const std::string verdict = s["verdict"].get<std::string>();
    out += fmt::format("<tr><td>{}</td><td class=\"{}\">{}</td><td>{}</td></tr>\n",
                       escaped(s["shape"].get<std::string>()),
                       verdict == "holds"             ? "good"
                       : verdict == "cannot be asked" ? ""
                                                      : "warn",
                       verdict, escaped(s["why"].get<std::string>()));
  }
  return out + "</tbody></table></section>\n";
}

}  // namespace

std::string training_page(const json& document) {
  const std::vector<Drawing> all = drawings(document);
  std::vector<report::Plot> plots;
  for (size_t i = 0; i < all.size(); ++i) plots.push_back(plot_of(all[i], i == 0));
  const report::Drawn drawn = report::draw(plots);
  const json& t = document["training"];
  const std::string what =
      t["preset"].is_null() ? "training" : "preset " + t["preset"].get<std::string>();
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{} - gradwire</title>\n"
      "<style>{}</style>\n</head>\n<body>\n<main>\n",
      escaped(what), report::page_style());
  out += fmt::format(
      "<header><h1><small>gradwire train</small>{}</h1><div class=\"summary\">{}; {}, {} "
      "parameters; {}, rate {:g}</div></header>\n",
      escaped(what), escaped(t["digits"].get<std::string>()),
      escaped(t["network"].get<std::string>()), report::grouped(t["parameters"].get<double>()),
      optimizer_title(parse_optimizer(t["optimizer"].get<std::string>()).value()),
      t["rate"].get<double>());
  for (const json& c : document["codecs"]) {
    if (c["diverged"].is_null()) continue;
    out +=
        fmt::format("<p class=\"box note\">{}.</p>\n", escaped(c["diverged"].get<std::string>()));
  }
  out += cards(document);
  if (!drawn.missing.empty()) {
    out += fmt::format("<p class=\"box note\">{}</p>\n", escaped(drawn.missing));
  }
  out += "<div class=\"grid\">\n";
  for (size_t i = 0; i < all.size(); ++i) {
    out += fmt::format("<figure class=\"box\"><h2>{}</h2><figcaption>{}</figcaption>\n",
                       escaped(all[i].title), escaped(all[i].caption));
    out += drawn.svg[i].empty() ? data_table(all[i])
                                : drawn.svg[i] + "\n<details><summary>as a table</summary>" +
                                      data_table(all[i]) + "</details>\n";
    out += "</figure>\n";
  }
  out +=
      "</div>\n<div class=\"grid\">\n" + results(document) + preset_sections(document) + "</div>\n";
  out += fmt::format(
      "<section class=\"box\"><h2>The command of this run</h2><pre "
      "class=\"command\">{}</pre></section>\n<footer>gradwire {}</footer>\n</main>\n</body>\n"
      "</html>\n",
      escaped(document.value("command", "")), escaped(document.value("version", "")));
  return out;
}

}  // namespace gw::training
