// SPDX-License-Identifier: Apache-2.0
#include "tools/training/presets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "models/papers/mlhpc16.h"
#include "models/papers/tgs.h"
#include "sim/report/text.h"
#include "tools/training/network.h"

namespace gw::training {
namespace {

using nlohmann::json;
namespace text = sim::report;

// T of the paper belongs to gradients of another network, summed over 16 images: ours is chosen so
// that shares sent span what the paper's do.
const std::vector<Preset>& presets() {
  static const std::vector<Preset> kPresets = [] {
    Preset tgs{.name = "tgs", .options = {}, .seeds = 2, .codecs = {"none"}};
    tgs.options.iterations = 200;
    for (const int t : {-12, -10, -9, -8, -7, -5})
      tgs.codecs.push_back(fmt::format("wgt:t=2^{}", t));
    for (const int t : {-12, -9, -7, -5, -3, -1})
      tgs.codecs.push_back(fmt::format("bgt:t=2^{}", t));
    for (const int t : {-20, -18, -16, -13, -10, -7}) {
      tgs.codecs.push_back(fmt::format("qgt:t=2^{}", t));
    }
    Preset lbann{.name = "mlhpc16", .options = {}, .seeds = 2, .codecs = {}};
    lbann.options.exchange = ExchangeKind::kDirect;
    lbann.options.optimizer = Optimizer::kAdagrad;
    lbann.options.rate = default_rate(Optimizer::kAdagrad);
    lbann.options.epsilon = reference::optimizer::Epsilon::kAfterRoot;
    lbann.options.batch = 10;
    lbann.options.iterations = 500;
    for (const auto& row : papers::mlhpc16::kTable1) lbann.codecs.emplace_back(row.codec);
    return std::vector<Preset>{tgs, lbann};
  }();
  return kPresets;
}

/// A codec of the document and the figures that shapes are asked of.
struct Point {
  std::string codec;
  double accuracy = 0, sigma = 0, payload = 0;
  const json* whole = nullptr;
};

std::optional<Point> point_of(const json& c) {
  if (!c["diverged"].is_null() || !c.contains("accuracy")) return std::nullopt;
  Point p;
  p.codec = c["codec"].get<std::string>();
  p.accuracy = 100 * c["accuracy"]["mean"].get<double>();
  if (!c["accuracy"]["sigma"].is_null()) p.sigma = 100 * c["accuracy"]["sigma"].get<double>();
  p.payload = c["payload_bytes"].get<double>();
  p.whole = &c;
  return p;
}

std::vector<Point> points_of(const json& document, std::string_view method) {
  std::vector<Point> points;
  for (const json& c : document["codecs"]) {
    if (!c["codec"].get<std::string>().starts_with(method)) continue;
    if (auto p = point_of(c)) points.push_back(*p);
  }
  return points;
}

json shape(const std::string& what, const std::string& verdict, const std::string& why) {
  return {{"shape", what}, {"verdict", verdict}, {"why", why}};
}
json shape(const std::string& what, bool holds, const std::string& why) {
  return shape(what, std::string(holds ? "holds" : "does not hold"), why);
}
json not_here(const std::string& what, const std::string& why) {
  return shape(what, std::string("cannot be asked"), why);
}

const Point& best(const std::vector<Point>& points) {
  return *std::ranges::max_element(points, {}, &Point::accuracy);
}

/// Share sent early and late in a run: means over the first and the last fifth of the curve.
std::pair<double, double> early_and_late(const json& codec) {
  const json& curve = codec["seeds"][0]["plots"]["by_iteration"];
  const size_t fifth = std::max<size_t>(curve.size() / 5, 1);
  double early = 0, late = 0;
  for (size_t i = 0; i < fifth; ++i) {
    early += curve[i][2].get<double>();
    late += curve[curve.size() - 1 - i][2].get<double>();
  }
  return {early / static_cast<double>(fifth), late / static_cast<double>(fifth)};
}

std::string percent(double v) { return fmt::format("{:.2f} %", v); }

void judge_tgs(json& document) {
  json& p = document["preset"];
  p["paper"] = "Anoosheh et al., Tables 1 to 3";
  // The papers' rows and ours stand side by side by rank: thresholds are of other gradients.
  const std::array<std::pair<const char*, const char*>, 3> methods{
      {{"wgt", "Table 1: whole gradients"},
       {"bgt", "Table 2: binarised gradients"},
       {"qgt", "Table 3: quantised gradients"}}};
  const auto normal = point_of(document["codecs"][0]);
  const double exact = normal ? normal->payload : 0;
  for (const auto& [method, title] : methods) {
    json table = {{"title", title},
                  {"columns",
                   {"paper T", "accuracy", "of baseline", "GB of baseline", "ours T", "accuracy",
                    "of baseline", "sigma", "GB of baseline", "%/GB"}},
                  {"cells", json::array()}};
    std::vector<const json*> ours;
    for (const json& c : document["codecs"]) {
      if (c["codec"].get<std::string>().starts_with(method)) ours.push_back(&c);
    }
    size_t i = 0;
    for (const auto& row : papers::tgs::kRows) {
      if (row.method != method || i >= ours.size()) continue;
      const json& c = *ours[i++];
      json cells = {fmt::format("{:g}", row.threshold), percent(row.accuracy),
                    fmt::format("{:+.2f}", row.accuracy - papers::tgs::kBaselineAccuracy),
                    fmt::format("{:.3f} %", 100 * row.gb / papers::tgs::kBaselineGb),
                    c["codec"].get<std::string>().substr(6)};
      const auto point = point_of(c);
      if (point && normal) {
        cells.push_back(percent(point->accuracy));
        cells.push_back(fmt::format("{:+.2f}", point->accuracy - normal->accuracy));
        cells.push_back(fmt::format("{:.2f}", point->sigma));
        cells.push_back(fmt::format("{:.3f} %", 100 * point->payload / exact));
        cells.push_back(text::general(c["percent_per_gb"].get<double>()));
      } else {
        for (const char* word : {"diverged", "", "", "", ""}) cells.push_back(word);
      }
      table["cells"].push_back(cells);
    }
    p["tables"].push_back(table);
  }

  json& shapes = p["shapes"] = json::array();
  const auto wgt = points_of(document, "wgt"), bgt = points_of(document, "bgt"),
             qgt = points_of(document, "qgt");
  if (!normal || wgt.size() != 6 || bgt.size() != 6 || qgt.size() != 6) {
    shapes.push_back(shape("all configurations train", false, "some run diverged"));
    return;
  }
  const auto range = [](const std::vector<Point>& points) {
    return best(points).accuracy - std::ranges::min_element(points, {}, &Point::accuracy)->accuracy;
  };
  shapes.push_back(shape(
      "WGT is the flattest in T", range(wgt) < range(bgt) && range(wgt) < range(qgt),
      fmt::format("over all T accuracy spans {:.2f} points with WGT, {:.2f} with BGT, {:.2f} with "
                  "QGT (paper 1.80, 4.27, 2.09)",
                  range(wgt), range(bgt), range(qgt))));
  shapes.push_back(
      shape("BGT's best is below the best of WGT and QGT",
            best(bgt).accuracy < best(wgt).accuracy && best(bgt).accuracy < best(qgt).accuracy,
            fmt::format("best BGT {:.2f} %, WGT {:.2f} %, QGT {:.2f} % (paper 55.93, 58.27, 58.36)",
                        best(bgt).accuracy, best(wgt).accuracy, best(qgt).accuracy)));
  const size_t top = static_cast<size_t>(
      std::distance(bgt.begin(), std::ranges::max_element(bgt, {}, &Point::accuracy)));
  shapes.push_back(shape(
      "BGT is not monotonic in T: it is best between its smallest and its largest",
      top != 0 && top + 1 != bgt.size(),
      fmt::format("{:.2f} % at the smallest T, {:.2f} % at {}, {:.2f} % at the largest",
                  bgt.front().accuracy, bgt[top].accuracy, bgt[top].codec, bgt.back().accuracy)));
  // Accuracy that WGT reaches with more bytes.
  const auto least = [&](const std::vector<Point>& points) -> std::optional<Point> {
    std::optional<Point> found;
    for (const Point& point : points) {
      if (point.accuracy < normal->accuracy - 1) continue;
      if (!found || point.payload < found->payload) found = point;
    }
    return found;
  };
  const auto w = least(wgt), q = least(qgt);
  const auto say = [&](const char* name, const std::optional<Point>& point) {
    return point ? fmt::format("{} {:.3f} % of the floats ({})", name, 100 * point->payload / exact,
                               point->codec)
                 : fmt::format("{} never", name);
  };
  shapes.push_back(shape("QGT keeps the baseline, to a point, with fewer bytes than WGT",
                         q && (!w || q->payload < w->payload),
                         fmt::format("{}, {}, {} (paper, at the baseline: 7.87 %, 12.3 %, never)",
                                     say("QGT", q), say("WGT", w), say("BGT", least(bgt)))));
  shapes.push_back(shape(
      "QGT falls off at small T, where 255 T clips",
      qgt.front().accuracy < best(qgt).accuracy - 0.5,
      fmt::format("{:.2f} % at {}, {:.2f} % at {} (paper 57.14 at 5e-6, 58.36 at 5e-5)",
                  qgt.front().accuracy, qgt.front().codec, best(qgt).accuracy, best(qgt).codec)));
  bool falls = true;
  for (const auto* points : {&wgt, &qgt}) {
    for (size_t i = 1; i < points->size(); ++i) {
      falls = falls && (*points)[i].payload < (*points)[i - 1].payload;
    }
  }
  shapes.push_back(shape("the larger T, the fewer bytes (WGT, QGT)", falls,
                         "by payload, from the smallest T to the largest"));
  const auto [early, late] = early_and_late(*wgt.back().whole);
  shapes.push_back(
      shape("the share sent grows with the iterations (Figures 4, 6)", late > early,
            fmt::format("{}: {:.3f} % in the first fifth of the run, {:.3f} % in the last; HDC's "
                        "gradients shrink as it learns",
                        wgt.back().codec, 100 * early, 100 * late)));
  shapes.push_back(not_here(
      "+0.35 points over the baseline (WGT 5e-4), 0.02 between neighbours",
      fmt::format("sigma over seeds is up to {:.2f} points with {} seeds and 2,000 test images",
                  std::max({best(wgt).sigma, best(qgt).sigma, normal->sigma}),
                  document["training"]["seeds"].get<int>())));
  shapes.push_back(not_here("NiN on ImageNet, top-1, 220,000 iterations",
                            fmt::format("HDC on 10,000 images, {} iterations",
                                        document["training"]["iterations"].get<int>())));
}

/// Mean and spread of an exchange's bytes of the third layer.
std::pair<double, double> volume(const json& codec) {
  double sum = 0, squares = 0, n = 0;
  for (const json& run : codec["seeds"]) {
    for (const json& at : run["plots"]["by_iteration"]) {
      const double v = at[6].get<double>();
      sum += v;
      squares += v * v;
      n += 1;
    }
  }
  const double mean = sum / n;
  return {mean, mean == 0 ? 0 : std::sqrt(std::max(squares / n - mean * mean, 0.0)) / mean};
}

void judge_mlhpc16(json& document) {
  json& p = document["preset"];
  p["paper"] = "Dryden et al., Table 1, Figures 2 and 3";
  json table = {{"title", "Table 1: test accuracy"},
                {"columns", {"paper", "accuracy", "ours", "accuracy", "sigma", "bytes of floats"}},
                {"cells", json::array()}};
  json third = {{"title", "Figure 3: bytes of the third layer, an exchange"},
                {"columns", {"codec", "mean", "of floats", "spread by mean"}},
                {"cells", json::array()}};
  std::vector<std::optional<Point>> rows;
  double exact_volume = 0;
  for (size_t i = 0; i < papers::mlhpc16::kTable1.size(); ++i) {
    const auto& row = papers::mlhpc16::kTable1[i];
    const json& c = document["codecs"][i];
    rows.push_back(point_of(c));
    json cells = {std::string(row.name), percent(row.accuracy), c["codec"]};
    if (!rows.back()) {
      for (const char* word : {"diverged", "", ""}) cells.push_back(word);
    } else {
      cells.push_back(percent(rows.back()->accuracy));
      cells.push_back(fmt::format("{:.2f}", rows.back()->sigma));
      const bool alone = c["codec"] == "nocommunication";
      cells.push_back(alone ? "-" : fmt::format("{:.3f} %", 100 * c["of_exact"].get<double>()));
      if (!alone) {
        const auto [mean, spread] = volume(c);
        if (i == 0) exact_volume = mean;
        third["cells"].push_back({c["codec"], text::bytes(mean),
                                  fmt::format("{:.3f} %", 100 * mean / exact_volume),
                                  fmt::format("{:.2f}", spread)});
      }
    }
    table["cells"].push_back(cells);
  }
  p["tables"] = {table, third};

  json& shapes = p["shapes"] = json::array();
  if (std::ranges::any_of(rows, [](const auto& row) { return !row; })) {
    shapes.push_back(shape("all configurations train", false, "some run diverged"));
    return;
  }
  const Point &normal = *rows[0], &onebit = *rows[1], &threshold = *rows[2], &adaptive = *rows[3],
              &alone = *rows[4];
  shapes.push_back(
      shape("one-bit and adaptive are as good as floats, to a point",
            normal.accuracy - onebit.accuracy <= 1 && normal.accuracy - adaptive.accuracy <= 1,
            fmt::format("{:+.2f} and {:+.2f} points (paper -0.02, +0.02)",
                        onebit.accuracy - normal.accuracy, adaptive.accuracy - normal.accuracy)));
  shapes.push_back(shape(
      "threshold is worse than the three others",
      threshold.accuracy < std::min({normal.accuracy, onebit.accuracy, adaptive.accuracy}),
      fmt::format("{:+.2f} points to floats (paper -0.39)", threshold.accuracy - normal.accuracy)));
  shapes.push_back(
      shape("threshold gains little over no communication: less than half of what floats gain",
            threshold.accuracy - alone.accuracy < (normal.accuracy - alone.accuracy) / 2,
            fmt::format("{:+.2f} of {:+.2f} points (paper +0.03 of +0.42)",
                        threshold.accuracy - alone.accuracy, normal.accuracy - alone.accuracy)));
  const auto v = [&](size_t i) { return volume(document["codecs"][i]); };
  shapes.push_back(
      shape("Figure 3: one-bit is 1/32 of the floats and little more, in every exchange",
            v(1).first / exact_volume < 0.05 && v(1).second < 0.001,
            fmt::format("{:.2f} % with headers and means of chunks of 500 (1/32 is 3.13 %)",
                        100 * v(1).first / exact_volume)));
  shapes.push_back(shape(
      "Figure 3: adaptive follows one-bit closely",
      v(3).first / v(1).first > 0.5 && v(3).first / v(1).first < 2,
      fmt::format("{:.2f} of one-bit's bytes, in mask coding (the paper sends words of 32 bits)",
                  v(3).first / v(1).first)));
  shapes.push_back(shape("Figure 3: threshold's volume is small and erratic",
                         v(2).first < v(1).first && v(2).second > 0.2,
                         fmt::format("{:.2f} of one-bit's bytes, spread {:.2f} of the mean",
                                     v(2).first / v(1).first, v(2).second)));
  const std::vector<double> built =
      build_up(4, papers::mlhpc16::kFigure2Tau, 256 * 256, papers::mlhpc16::kFigure2Trials, 1);
  p["build_up"] = built;
  shapes.push_back(
      shape("Figure 2: threshold's residual builds up on fresh uniform matrices, tau = 3.875",
            built.back() > 3 * built.front(),
            fmt::format("{:.3f} of the values sent at first, {:.3f} in trial {}", built.front(),
                        built.back(), built.size())));
  shapes.push_back(not_here("differences of 0.02 points",
                            fmt::format("sigma over {} seeds is up to {:.2f} points",
                                        document["training"]["seeds"].get<int>(),
                                        std::max({normal.sigma, onebit.sigma, adaptive.sigma}))));
  shapes.push_back(not_here(
      "98.5 %, layers of 4,096, 20 epochs of 60,000 images, seconds on Catalyst",
      fmt::format("layers of 500, {:.1f} epochs", document["training"]["epochs"].get<double>())));
}

}  // namespace

const Preset* find_preset(std::string_view name) {
  for (const Preset& preset : presets()) {
    if (preset.name == name) return &preset;
  }
  return nullptr;
}

std::vector<double> build_up(double range, double threshold, size_t values, size_t trials,
                             uint64_t seed) {
  Codec codec;
  codec.kind = Codec::Kind::kQuantiser;
  codec.quantiser.method = reference::quant::Method::kBgt;
  codec.quantiser.threshold = reference::quant::round_threshold(threshold).value();
  const auto sender = make_sender(codec, reference::quant::rows_of(values), 1);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> uniform(static_cast<float>(-range),
                                                static_cast<float>(range));
  std::vector<float> fresh(values);
  std::vector<uint8_t> packet;
  std::vector<double> shares;
  for (size_t t = 0; t < trials; ++t) {
    for (float& v : fresh) v = uniform(random);
    shares.push_back(static_cast<double>(sender->send(fresh, 0, false, packet)) /
                     static_cast<double>(values));
  }
  return shares;
}

void judge_preset(std::string_view name, json& document) {
  document["preset"] = {{"name", name}, {"tables", json::array()}};
  if (name == "tgs") {
    judge_tgs(document);
  } else {
    judge_mlhpc16(document);
  }
}

std::string preset_text(const json& document) {
  const json& p = document["preset"];
  std::string out = fmt::format("\n{}, and {} iterations here\n", p["paper"].get<std::string>(),
                                document["training"]["iterations"].get<int>());
  for (const json& table : p["tables"]) {
    std::vector<size_t> widths;
    for (const json& column : table["columns"]) {
      widths.push_back(column.get<std::string>().size());
    }
    for (const json& row : table["cells"]) {
      for (size_t i = 0; i < row.size(); ++i) {
        widths[i] = std::max(widths[i], row[i].get<std::string>().size());
      }
    }
    const auto line = [&](const json& row) {
      std::string cells = "  ";
      for (size_t i = 0; i < row.size(); ++i) {
        cells += fmt::format("{:>{}}  ", row[i].get<std::string>(), widths[i]);
      }
      cells.erase(cells.find_last_not_of(' ') + 1);
      return cells + "\n";
    };
    out += fmt::format("\n  {}\n", table["title"].get<std::string>()) + line(table["columns"]);
    for (const json& row : table["cells"]) out += line(row);
  }
  out += "\n  Shapes\n";
  for (const json& s : p["shapes"]) {
    out += fmt::format("  {:<15}  {}\n                   {}\n", s["verdict"].get<std::string>(),
                       s["shape"].get<std::string>(), s["why"].get<std::string>());
  }
  return out;
}

}  // namespace gw::training
