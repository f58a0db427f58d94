// SPDX-License-Identifier: Apache-2.0
#include "testbenches/codec/quantiser_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "models/reference/baselines.h"
#include "sim/base/version.h"
#include "sim/report/gnuplot.h"
#include "sim/report/html.h"
#include "sim/report/text.h"

namespace gw::testbenches {

namespace quant = reference::quant;
namespace report = sim::report;
using nlohmann::json;

namespace {

/// Of the finite ones.
double gradient_rms(std::span<const float> values) {
  double squares = 0;
  size_t finite = 0;
  for (const float x : values) {
    if (!std::isfinite(x)) continue;
    squares += static_cast<double>(x) * static_cast<double>(x);
    ++finite;
  }
  return finite == 0 ? 0 : std::sqrt(squares / static_cast<double>(finite));
}

/// Thresholds are the powers of two around a half, two and eight times the gradients' rms.
std::vector<std::string> usual_specs(double rms) {
  const int size = rms > 0 ? static_cast<int>(std::lround(std::log2(rms))) : -10;
  std::vector<std::string> specs;
  for (const char* method : {"wgt", "bgt", "qgt"}) {
    for (const char* coding : {"", ",coding=rice"}) {
      if (method == std::string("wgt") && *coding != 0) continue;
      for (const int more : {-1, 1, 3}) {
        const int exponent = std::clamp(size, -99, 97) + more;
        specs.push_back(fmt::format("{}:t=2^{}{}", method, exponent, coding));
      }
    }
  }
  specs.emplace_back("onebit");
  for (const char* coding : {"", ",coding=rice"}) {
    for (const int p : {4, 6, 8}) specs.push_back(fmt::format("adaptive:p={}{}", p, coding));
  }
  for (const char* mx : {"mxfp8", "mxfp8-e5m2", "mxfp4"}) {
    for (const char* how : {"", ":scale=up", ":residual=on", ":scale=up,residual=on"}) {
      specs.emplace_back(std::string(mx) + how);
    }
  }
  return specs;
}

std::string device_of(quant::Method method) {
  if (quant::is_threshold(method)) return "threshold";
  if (quant::is_mx(method)) return "mx";
  return method == quant::Method::kRaw ? "" : std::string(quant::method_name(method));
}

json row_of(const reference::BaselineFigures& f, const std::string& family,
            const std::string& device) {
  json row = {{"name", f.name},
              {"family", family},
              {"ratio", f.ratio},
              {"rel_l2_error", f.rel_l2_error},
              {"max_abs_error", f.max_abs_error},
              {"encode_gbps", 8 * f.encode_gbps},
              {"decode_gbps", 8 * f.decode_gbps}};
  if (!device.empty()) row["device"] = device;
  return row;
}

json row_of(const quant::Config& config, const Quantised& q) {
  json row = {{"name", quant::config_text(config)},
              {"family", quant::method_name(config.method)},
              {"ratio", q.figures.ratio},
              {"rel_l2_error", q.figures.rel_l2_error},
              {"max_abs_error", q.figures.max_abs_error},
              {"encode_gbps", q.encode_gbps},
              {"decode_gbps", q.decode_gbps},
              {"encode_to_memcpy", q.encode_gbps / q.memcpy_gbps},
              {"decode_to_memcpy", q.decode_gbps / q.memcpy_gbps},
              {"quantizer", quantizer_json(config, q.figures)}};
  if (const std::string device = device_of(config.method); !device.empty()) row["device"] = device;
  return row;
}

// ---------------------------------------------------------------------------------------------
// Words

/// '-' where there is no such figure.
std::string cell(const json& row, std::initializer_list<const char*> path,
                 const std::string& format, double factor = 1) {
  const std::optional<double> value = report::number(row, path);
  return value ? fmt::format(fmt::runtime("{:" + format + "}"), *value * factor) : "-";
}

struct Column {
  const char* title;
  std::function<std::string(const json&)> of;
};

const std::vector<Column>& columns() {
  static const std::vector<Column> kColumns = {
      {"codec", [](const json& r) { return r["name"].get<std::string>(); }},
      {"ratio", [](const json& r) { return cell(r, {"ratio"}, ".2f"); }},
      {"sent %",
       [](const json& r) {
         return cell(r, {"quantizer", "sent_share"}, ".2f", 100);
       }},
      {"rel. error", [](const json& r) { return cell(r, {"rel_l2_error"}, ".3g"); }},
      {"max error", [](const json& r) { return cell(r, {"max_abs_error"}, ".3g"); }},
      {"residual",
       [](const json& r) {
         return cell(r, {"quantizer", "residual", "to_gradient"}, ".3g");
       }},
      {"enc Gb/s", [](const json& r) { return cell(r, {"encode_gbps"}, ".2f"); }},
      {"/ memcpy", [](const json& r) { return cell(r, {"encode_to_memcpy"}, ".2f"); }},
      {"dec Gb/s", [](const json& r) { return cell(r, {"decode_gbps"}, ".2f"); }},
      {"cyc/burst", [](const json& r) { return cell(r, {"cycles_per_burst"}, ".3f"); }},
      {"LUT", [](const json& r) { return cell(r, {"lut"}, ".0f"); }}};
  return kColumns;
}

std::string summary(const json& d) {
  return fmt::format("{} values in {} {} of {} flow{}, rms {}; residuals of {} rows a flow",
                     report::grouped(d["values"].get<double>()),
                     report::grouped(d["chunks"].get<double>()),
                     d["capture"].get<bool>() ? "packets" : "chunks", d["flows"].get<size_t>(),
                     d["flows"] == 1 ? "" : "s", report::general(d["gradient_rms"].get<double>()),
                     report::grouped(d["rows"].get<double>()));
}

constexpr const char* kLegend =
    "ratio: bytes of the floats over bytes of the packets, headers included (baselines: one "
    "stream). "
    "rel. error: |g - d| / |g| of what is received in the same iteration; what a quantiser with "
    "residuals holds back is sent later. residual: rms of what is held back in the end over the "
    "gradients' rms. Gb/s: of floats, the reference on one thread; "
    "/ memcpy: encoding against a copy of the same floats in the same rounds. cyc/burst: cycles "
    "the hardware "
    "takes for eight values; LUT: of a Virtex-7, by Yosys.";

// ---------------------------------------------------------------------------------------------
// Pictures

struct Family {
  const char* name;
  const char* title;
  const char* colour;
};
constexpr Family kFamilies[] = {{"inceptionn bounded", "INCEPTIONN, bounded", "accent"},
                                {"inceptionn paper", "INCEPTIONN, paper", "zero"},
                                {"truncation", "truncation", "theirs"},
                                {"snappy", "Snappy", "muted"},
                                {"wgt", "WGT", "warn"},
                                {"bgt", "BGT", "raw"},
                                {"qgt", "QGT", "byte"},
                                {"onebit", "one-bit", "ink"},
                                {"adaptive", "adaptive", "half"},
                                {"mxfp8", "MXFP8", "good"},
                                {"mxfp8-e5m2", "MXFP8, E5M2", "theirs"},
                                {"mxfp4", "MXFP4", "bad"},
                                {"raw", "RAW", "line"}};

/// Of a logarithmic axis: what its points need, and a little more.
class Range {
 public:
  void add(double value) {
    low_ = std::min(low_, value / 1.3);
    high_ = std::max(high_, value * 1.3);
  }
  std::string text() const { return fmt::format("[{:.6g}:{:.6g}]", low_, high_); }
  /// 1, 2, 5 of each decade, or decades alone where there are many.
  std::string tics() const {
    std::string all;
    const bool few = high_ < 3000 * low_;
    for (int decade = static_cast<int>(std::floor(std::log10(low_))); std::pow(10, decade) <= high_;
         ++decade) {
      for (const int m : {1, 2, 5}) {
        if (m != 1 && !few) continue;
        all += fmt::format("{}{:.3g}", all.empty() ? "" : ",", m * std::pow(10, decade));
      }
    }
    return all;
  }

 private:
  double low_ = HUGE_VAL, high_ = 0;
};

/// A point a codec, a line a family and coding; what has no such figure, or 0, is not drawn.
report::Plot scatter(const json& d, const std::string& title, const std::string& y_title,
                     const std::function<std::optional<double>(const json&)>& y) {
  using report::quoted;
  using report::rgb;
  std::string script, plot;
  Range x_range, y_range;
  int index = 0;
  for (const Family& family : kFamilies) {
    for (const bool rice : {false, true}) {
      std::string points;
      int count = 0;
      for (const json& row : d["codecs"]) {
        if (row["family"] != family.name) continue;
        if ((report::text(row, {"quantizer", "coding"}) == "rice") != rice) continue;
        const std::optional<double> value = y(row);
        if (!value || !(*value > 0) || !std::isfinite(*value)) continue;
        const double ratio = row["ratio"];
        x_range.add(ratio);
        y_range.add(*value);
        points += fmt::format("{:.6g} {:.6g}\n", ratio, *value);
        ++count;
      }
      if (count == 0) continue;
      const bool line = count > 1 && std::string(family.name).rfind("mx", 0) != 0;
      script += fmt::format("$s{} << EOD\n{}EOD\n", index, points);
      plot += fmt::format("{} $s{} with {} lw 1.5 pt {} ps 0.9 lc {} title {}",
                          plot.empty() ? "plot" : ",", index, line ? "linespoints" : "points",
                          rice ? 6 : 7, rgb(family.colour),
                          quoted(fmt::format("{}{}", family.title, rice ? ", Rice" : "")));
      ++index;
    }
  }
  if (plot.empty()) return {};
  const std::string look = fmt::format(
      "set border 3 lc {0}\nset tics nomirror textcolor {0}\nset grid lc {1}\nset logscale xy\n"
      "set key outside right top spacing 1.25 textcolor {0}\n"
      "set xlabel 'ratio' textcolor {0}\nset ylabel {2} textcolor {0}\n"
      "set mxtics 1\nset mytics 1\nset xtics ({3})\nset xrange {4}\nset ytics ({5})\nset yrange "
      "{6}\n",
      rgb("muted"), rgb("line"), quoted(y_title), x_range.tics(), x_range.text(), y_range.tics(),
      y_range.text());
  return {.title = title, .script = look + script + plot + "\n", .width = 860, .height = 430};
}

}  // namespace

json compare_codecs(const CompareOptions& options) {
  // Wrong words are refused before anything takes time.
  std::vector<quant::Config> configs;
  for (const std::string& spec : options.specs) configs.push_back(quant_config(spec));
  const QuantChunks chunks =
      read_quant_chunks(options.file, options.chunk, options.rows, options.reading);
  const double rms = gradient_rms(chunks.values);
  if (options.specs.empty()) {
    for (const std::string& spec : usual_specs(rms)) configs.push_back(quant_config(spec));
  }

  json rows = json::array();
  for (const auto mode : {reference::Mode::kBounded, reference::Mode::kPaper}) {
    for (const int bound : {10, 8, 6}) {
      rows.push_back(row_of(reference::measure_codec(chunks.values, {bound, mode}, options.rounds),
                            fmt::format("inceptionn {}", reference::mode_name(mode)),
                            "compressor"));
    }
  }
  for (const int dropped : reference::kTruncations) {
    rows.push_back(row_of(reference::measure_truncation(chunks.values, dropped, options.rounds),
                          "truncation", ""));
  }
  rows.push_back(row_of(reference::measure_snappy(chunks.values, options.rounds), "snappy", ""));
  for (const quant::Config& config : configs) {
    rows.push_back(row_of(config, quantise(chunks, config, options.rounds)));
  }

  std::map<std::string, json> hardware;
  for (json& row : rows) {
    if (!options.hardware || !row.contains("device")) continue;
    const std::string device = row["device"];
    const auto [known, is_new] = hardware.try_emplace(device);
    if (is_new) known->second = options.hardware(device);
    for (const auto& [key, value] : known->second.items()) row[key] = value;
  }

  json document = {{"file", options.file},
                   {"capture", chunks.capture},
                   {"values", chunks.values.size()},
                   {"chunks", chunks.chunks.size()},
                   {"flows", chunks.flows},
                   {"rows", chunks.rows},
                   {"gradient_rms", rms},
                   {"codecs", rows},
                   {"command", options.command},
                   {"version", sim::kVersion}};
  if (!chunks.notes.empty()) document["notes"] = chunks.notes;
  if (!chunks.incomplete.empty()) document["incomplete"] = chunks.incomplete;
  return document;
}

/// A sentence a codec whose means some values are beyond.
std::vector<std::string> range_notes(const json& d) {
  std::vector<std::string> notes;
  for (const json& row : d["codecs"]) {
    if (!row.contains("quantizer")) continue;
    const std::string note = range_note(row["quantizer"]);
    if (!note.empty()) notes.push_back(row["name"].get<std::string>() + ": " + note + ".");
  }
  return notes;
}

std::string compare_text(const json& d) {
  size_t widest = 5;
  for (const json& row : d["codecs"]) {
    widest = std::max(widest, row["name"].get<std::string>().size());
  }
  const auto line = [widest](const std::function<std::string(const Column&)>& of) {
    std::string text;
    for (const Column& column : columns()) {
      text += text.empty() ? fmt::format("{:<{}}", of(column), widest)
                           : fmt::format(" {:>10}", of(column));
    }
    return text + "\n";
  };
  std::string out = fmt::format("{}: {}\n\n", d["file"].get<std::string>(), summary(d));
  out += line([](const Column& c) { return std::string(c.title); });
  for (const json& row : d["codecs"]) {
    out += line([&row](const Column& c) { return c.of(row); });
  }
  for (const std::string& note : range_notes(d)) out += "\n" + note + "\n";
  if (d.contains("incomplete")) out += "\n" + d["incomplete"].get<std::string>() + "\n";
  return out;
}

std::string compare_html(const json& d) {
  using report::escaped;
  struct Picture {
    std::string title, caption;
    report::Plot plot;
  };
  std::vector<Picture> pictures = {
      {"What it costs",
       "Error of what is received in the same iteration, against the ratio: right "
       "and low is good. What is lossless is not drawn.",
       scatter(d, "ratio against relative error", "relative error",
               [](const json& r) { return report::number(r, {"rel_l2_error"}); })},
      {"What is held back",
       "Residuals in the end, as a multiple of the gradients' rms: what "
       "quantisers carry over to later iterations.",
       scatter(d, "ratio against residual", "residual / gradient", [](const json& r) {
         return report::number(r, {"quantizer", "residual", "to_gradient"});
       })}};
  std::erase_if(pictures, [](const Picture& p) { return p.plot.script.empty(); });
  std::vector<report::Plot> plots;
  for (const Picture& p : pictures) plots.push_back(p.plot);
  const report::Drawn drawn = report::draw(plots);

  const std::string name = std::filesystem::path(d["file"].get<std::string>()).filename().string();
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>{} - gradwire codec compare</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n"
      "<header><h1><small>gradwire codec compare</small>{}</h1><div "
      "class=\"summary\">{}</div></header>\n",
      escaped(name), report::page_style(), escaped(name), escaped(summary(d)));
  std::vector<std::string> notes = range_notes(d);
  notes.push_back(drawn.missing);
  if (d.contains("incomplete")) notes.push_back(d["incomplete"]);
  for (const std::string& note : notes) {
    if (!note.empty()) out += fmt::format("<p class=\"box note\">{}</p>\n", escaped(note));
  }
  out += "<div class=\"grid\">\n";
  for (size_t i = 0; i < pictures.size(); ++i) {
    if (drawn.svg[i].empty()) continue;  // the table below has the figures
    out += fmt::format(
        "<figure class=\"box wide\"><h2>{}</h2><figcaption>{}</figcaption>\n{}\n</figure>\n",
        escaped(pictures[i].title), escaped(pictures[i].caption), drawn.svg[i]);
  }
  out += "<section class=\"box wide\"><h2>All of them</h2>\n<table><thead><tr>";
  for (const Column& c : columns()) {
    out += fmt::format("<th scope=\"col\">{}</th>", escaped(c.title));
  }
  out += "</tr></thead><tbody>\n";
  for (const json& row : d["codecs"]) {
    out += "<tr>";
    for (const Column& c : columns()) out += fmt::format("<td>{}</td>", escaped(c.of(row)));
    out += "</tr>\n";
  }
  out += fmt::format("</tbody></table>\n<p><small>{}</small></p></section>\n</div>\n",
                     escaped(kLegend));
  if (const std::string command = report::text(d, {"command"}); !command.empty()) {
    out += fmt::format(
        "<section class=\"box\"><h2>The command</h2><pre class=\"command\">{}</pre></section>\n",
        escaped(command));
  }
  return out + fmt::format("<footer>gradwire {}</footer>\n</main>\n</body>\n</html>\n",
                           escaped(report::text(d, {"version"})));
}

}  // namespace gw::testbenches
