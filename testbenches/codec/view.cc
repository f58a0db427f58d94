// SPDX-License-Identifier: Apache-2.0
#include "testbenches/codec/view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "sim/report/figure_kit.h"
#include "sim/report/view_kit.h"

namespace gw::testbenches {
namespace {

using namespace sim::report;

constexpr std::array<const char*, 4> kTagKeys{"zero", "byte", "half", "raw"};
constexpr std::array<const char*, 4> kTagNames{"ZERO", "BYTE", "HALF", "RAW"};
constexpr std::array<int, 4> kTagBits{2, 10, 18, 34};

/// "2^-10", from wherever the document gives it.
std::string bound_of(const Json& doc) {
  if (const Json* v = find(doc, {"bound"})) return bound(*v);
  if (const Json* v = find(doc, {"compression", "bound"})) return bound(*v);
  return "";
}

std::optional<double> bound_value(const Json& doc) {
  auto v = number(doc, {"compression", "bound"});
  if (!v) v = number(doc, {"bound"});
  if (v && *v >= 1) v = std::exp2(-*v);
  return v;
}

std::string paper_label(const Json& doc) {
  std::vector<std::string> parts;
  if (auto s = text(doc, {"paper", "table3", "model"}); !s.empty()) parts.push_back(s);
  if (const Json* b = find(doc, {"paper", "table3", "bound"})) parts.push_back(bound(*b));
  return joined(parts, " ");
}

/// The paper's ratio for the row of Table III that stands beside ours, else whatever `ratio_fig14`
/// says.
std::string paper_ratio(const Json& doc) {
  double bits = 0;
  double sum = 0;
  for (std::size_t i = 0; i < kTagKeys.size(); ++i)
    if (const auto v = number(doc, {"paper", "table3", kTagKeys[i]})) {
      bits += *v * kTagBits[i];
      sum += *v;
    }
  if (bits > 0)
    return fmt::format("paper {:.1f}x (Table III{}{})", 32 * sum / bits,
                       paper_label(doc).empty() ? "" : ", ", paper_label(doc));
  if (const auto v = number(doc, {"paper", "ratio_fig14"}))
    return fmt::format("paper {:.1f}x (Figure 14)", *v);
  return "";
}

Section compression(const Json& doc) {
  Section s{"Compression", {}, {}, paper_label(doc), {}};
  const auto ratio = number(doc, {"compression", "ratio"});
  const auto error = number(doc, {"compression", "max_abs_error"});
  if (ratio) add(s, "ratio", fixed(*ratio, 2) + "x", paper_ratio(doc));
  const auto held = boolean(doc, {"compression", "bound_held"});
  std::string note;
  Status status = Status::kPlain;
  if (const auto limit = bound_value(doc)) {
    note = error && std::isfinite(*error) && *limit > 0
               ? fmt::format("{:.3f} of the bound {}", *error / *limit, bound_of(doc))
               : fmt::format("bound {} = {}", bound_of(doc), general(*limit));
    if (held && *held) {
      note += ", held";
      status = Status::kGood;
    } else if (held && text(doc, {"mode"}) == "paper") {
      note += ", exceeded: Algorithm 2 read literally does not hold it";
      status = Status::kWarn;
    } else if (held) {
      note += ", EXCEEDED";
      status = Status::kBad;
    }
  }
  if (const auto share = number(doc, {"compression", "error_to_bound"})) {
    note = fmt::format("at most {:.3f} of a packet's own bound", *share);
    status = held && *held ? Status::kGood : Status::kBad;
  }
  if (error)
    add(s, "max abs error", general(*error), note, status);
  else if (held)
    add(s, "error bound", *held ? "held" : "EXCEEDED", note, status);
  if (const auto v = number(doc, {"compression", "mean_abs_error"}))
    add(s, "mean abs error", general(*v));

  double sum = 0;
  if (find(doc, {"compression", "tags"}))
    for (std::size_t i = 0; i < kTagKeys.size(); ++i) {
      const auto n = number(doc, {"compression", "tags", kTagKeys[i]});
      if (!n) continue;
      s.tags.push_back(
          {kTagNames[i], kTagBits[i], *n, 0, number(doc, {"paper", "table3", kTagKeys[i]})});
      sum += *n;
    }
  for (TagShare& tag : s.tags) tag.percent = sum > 0 ? 100 * tag.count / sum : 0;

  // The bounds of Table III side by side: ours, and in parentheses the paper's.
  if (const Json* bounds = find(doc, {"compression", "by_bound"});
      bounds && bounds->is_array() && !bounds->empty()) {
    Table t;
    t.title = "Error bounds (in parentheses the paper's Table III)";
    t.columns = {"bound", "ZERO %", "BYTE %", "HALF %", "RAW %", "ratio", "max error / bound"};
    for (const Json& b : *bounds) {
      const auto k = number(b, {"bound"});
      if (!k) continue;
      double all = 0;
      for (const char* key : kTagKeys) all += number(b, {"tags", key}).value_or(0);
      std::vector<std::string> cells{fmt::format("2^-{:g}", *k)};
      const auto beside = [](const std::string& ours, const std::optional<double>& theirs,
                             int decimals) {
        return theirs ? fmt::format("{} ({})", ours, fixed(*theirs, decimals)) : ours;
      };
      for (const char* key : kTagKeys) {
        const double n = number(b, {"tags", key}).value_or(0);
        cells.push_back(
            beside(fixed(all > 0 ? 100 * n / all : 0, 1), number(b, {"paper_percent", key}), 1));
      }
      cells.push_back(
          beside(fixed(number(b, {"ratio"}).value_or(0), 2), number(b, {"paper_ratio"}), 1));
      const auto worst = number(b, {"max_abs_error"});
      cells.push_back(worst ? fixed(*worst * std::exp2(std::clamp(*k, 0.0, 64.0)), 3) : "");
      if (number(doc, {"bound"}) == k) t.highlight = static_cast<int>(t.cells.size());
      t.cells.push_back(std::move(cells));
    }
    if (!t.cells.empty()) s.tables.push_back(std::move(t));
  }

  const Json* baselines = find(doc, {"baselines"});
  if (baselines && baselines->is_array() && !baselines->empty()) {
    struct Column {
      const char* key;
      const char* title;
    };
    std::vector<Column> used;
    for (const Column c : {Column{"ratio", "ratio"},
                           {"max_abs_error", "max error"},
                           {"mean_abs_error", "mean error"},
                           {"encode_gbps", "encode Gb/s"},
                           {"decode_gbps", "decode Gb/s"}})
      if (std::any_of(baselines->begin(), baselines->end(),
                      [&](const Json& b) { return number(b, {c.key}).has_value(); }))
        used.push_back(c);
    Table t;
    t.title = "Baselines";
    t.columns.push_back("codec");
    for (const Column& c : used) t.columns.push_back(c.title);
    const auto line = [&](const std::string& name, const Json& from) {
      std::vector<std::string> cells{name};
      for (const Column& c : used) {
        const auto v = number(from, {c.key});
        const bool is_ratio = std::string_view(c.key) == "ratio";
        cells.push_back(!v ? "" : is_ratio ? fixed(*v, 2) + "x" : general(*v));
      }
      t.cells.push_back(std::move(cells));
    };
    if (ratio) {
      line("this run", *find(doc, {"compression"}));
      t.highlight = 0;
    }
    for (const Json& b : *baselines)
      if (b.is_object()) line(text(b, {"name"}), b);
    if (!t.cells.empty()) s.tables.push_back(std::move(t));
  }
  return s;
}

std::optional<Figure> tags(const Section& s) {
  if (s.tags.empty()) return std::nullopt;
  const bool paper = std::any_of(s.tags.begin(), s.tags.end(),
                                 [](const TagShare& t) { return t.paper.has_value(); });
  const std::string theirs = "paper" + (s.tags_paper.empty() ? std::string() : ", " + s.tags_paper);
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
                                 shift, wide, rgb("theirs"), quoted(theirs));
  f.plot.script += fmt::format(
      ", $ours using ($1-{}):2:3 with labels offset 0,0.6 textcolor {} notitle", shift, rgb("ink"));
  if (paper)
    f.plot.script +=
        fmt::format(", $paper using ($1+{}):2:3 with labels offset 0,0.6 textcolor {} notitle",
                    shift, rgb("muted"));
  return f;
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
    if (b.is_object() && ++theirs <= 12) take(text(b, {"name"}), b, "theirs");
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

void present_codec(const Json& doc, View& view) {
  for (const char* key : {"bound", "mode", "compression", "paper", "baselines"})
    view.shown.insert(key);
  std::vector<std::string> codec;
  if (auto mode = text(doc, {"mode"}); !mode.empty()) {
    codec.push_back(mode.find(' ') == std::string::npos ? mode : "mode " + mode);
  }
  if (auto b = bound_of(doc); !b.empty()) codec.push_back("error bound " + b);
  Section settings;
  add(settings, "codec", joined(codec));
  view.settings.insert(view.settings.end(), settings.rows.begin(), settings.rows.end());
  if (const auto theirs = number(doc, {"paper", "clock_mhz"})) {
    view.clock_note = fmt::format("paper {:g} MHz", *theirs);
    if (const auto bits = number(doc, {"paper", "bus_bits"}))
      view.clock_note += fmt::format(" x {:g} bit", *bits);
  }
  if (!doc.contains("compression")) {
    if (auto f = exponents(doc)) view.figures.push_back(std::move(*f));
    return;
  }
  view.passing = "Uncompressed values";
  if (const auto v = number(doc, {"compression", "ratio"}))
    view.cards.push_back(
        {"Compression ratio", fixed(*v, 2), "x", paper_ratio(doc), Status::kPlain});
  Section s = compression(doc);
  for (const Row& row : s.rows)
    if (row.label == "max abs error")
      view.cards.push_back({"Max abs error", row.value, "", row.note, row.status});
  if (auto f = tags(s)) view.figures.push_back(std::move(*f));
  if (auto f = exponents(doc)) view.figures.push_back(std::move(*f));
  baselines(doc, view.figures);
  view.sections.push_back(std::move(s));
}

}  // namespace gw::testbenches
