// SPDX-License-Identifier: Apache-2.0
#include "tools/paper/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "models/papers/mlhpc16.h"
#include "sim/base/error.h"
#include "tools/paper/measures.h"
#include "tools/training/presets.h"

namespace gw::paper {
namespace {

using nlohmann::json;

/// Numbers of an item's rows side by side.
struct Dots {
  const char* paper;
  const char* item;
  const char* unit;  ///< of the rows that are drawn
  const char* title;
  const char* caption;
  bool log = false;
};
constexpr Dots kDots[] = {
    {"inceptionn", "fig3", "MiB", "Figure 3a: sizes", "Parameters of four bytes.", true},
    {"inceptionn", "fig3", "%", "Figure 3b: share of communication",
     "Of the time of a training with an aggregator, by Table II."},
    {"inceptionn", "table3", "%", "Table III: sizes of HDC's values",
     "Ours: what passes a ring of four in the middle of the training."},
    {"inceptionn", "fig12", "%", "Figure 12: reductions of time",
     "Numbers of the text; the bars are lost. Ours wait for the cluster."},
    {"inceptionn", "fig14", "x", "Figure 14a: compression ratio",
     "Each model by its classes in Table III; truncation of HDC's gradients."},
    {"inceptionn", "fig14", "%", "Figure 14b: accuracy of HDC",
     "The bars are lost: ours alone, after an exchange in the ring."},
    {"inceptionn", "fig15", "s", "WA by its formula, 100 iterations",
     "(p + log p) n b at 9.41 Gb/s, without latency and sums, against Table II.", true},
    {"switch", "table2", "cycles", "Table 2: cycles of a processing element",
     "Ours: of a simulated array, profile paper."},
    {"switch", "table3", "", "Table 3: area of a processing element",
     "Yosys for ours, Vivado for the paper's.", true},
    {"switch", "fig14", "%", "Figure 14: LUTs of the device",
     "Ours: 32 PEs alone. The paper's two numbers hold the switch around them, too."},
    {"switch", "fig16", "%", "Figure 16: DSPs of the device", "32 PEs; the paper's by Table 3."},
    {"switch", "fig17", "x", "Figure 17: CPU by switch",
     "800,000 parameters; ours: this machine's CPU. Below 1 the CPU is faster.", true},
    {"mlhpc16", "table1", "%", "Table 1: accuracy",
     "Ours: HDC on 8,000 images, the paper: layers of 4,096 on 60,000."},
};

json header(const char* paper, const char* item, std::string title, std::string caption) {
  return {{"paper", paper}, {"item", item}, {"title", title}, {"caption", caption}};
}

json dots_of(const Dots& d, const json& document) {
  json figure = header(d.paper, d.item, d.title, d.caption);
  figure["kind"] = "dots";
  figure["unit"] = d.unit;
  figure["log"] = d.log;
  figure["dots"] = json::array();
  for (const json& row : document["paper"]) {
    if (row["paper"] != d.paper || row["item"] != d.item || row["unit"] != d.unit) continue;
    json dot = {{"name", row["what"]}, {"paper", nullptr}, {"ours", nullptr}};
    bool any = false;
    for (const auto& [key, from] : {std::pair{"paper", "paper_value"}, std::pair{"ours", "ours"}}) {
      if (!row[from].is_number() || (d.log && row[from].get<double>() <= 0)) continue;
      dot[key] = row[from];
      any = true;
    }
    if (any) figure["dots"].push_back(dot);
  }
  return figure;
}

json lines(const char* paper, const char* item, std::string title, std::string caption,
           const char* x, const char* y) {
  json figure = header(paper, item, std::move(title), std::move(caption));
  figure.update({{"kind", "lines"},
                 {"x", x},
                 {"y", y},
                 {"log_x", false},
                 {"log_y", false},
                 {"lines", json::array()}});
  return figure;
}

void add_line(json& figure, std::string name, const char* of, const char* style, json points) {
  if (points.empty()) return;
  figure["lines"].push_back(
      {{"name", name}, {"of", of}, {"style", style}, {"points", std::move(points)}});
}

bool has(const json& document, const char* paper, const char* item) {
  return std::ranges::any_of(document["paper"], [&](const json& row) {
    return row["paper"] == paper && row["item"] == item;
  });
}

json gradient_values(Documents& documents) {
  json figure = lines("inceptionn", "fig5", "Figure 5: how small gradients are",
                      "HDC's sums in the ring; the paper draws AlexNet's, whose points are lost.",
                      "k", "values below 2^-k (%)");
  for (const char* when : {"early", "middle", "late"}) {
    json points = json::array();
    for (int k = 2; k <= 14; k += 2) {
      const json& stats = documents.of(stats_command(fmt::format("hdc-ring-{}", when), k));
      points.push_back({k, zero_share(stats)});
    }
    add_line(figure, when, "ours", "both", points);
  }
  return figure;
}

json exchange_formulae() {
  json figure = lines("inceptionn", "fig15", "Figure 15: exchange by workers, by the formulae",
                      "Bandwidth terms, by WA of four workers. The bars are lost; the cluster's "
                      "points will stand here.",
                      "workers", "by WA of four");
  json wa = json::array(), ring = json::array();
  for (int p = 2; p <= 16; ++p) {
    wa.push_back({p, (p + std::log2(p)) / 6});
    ring.push_back({p, 2.0 * (p - 1) / p / 6});
  }
  add_line(figure, "WA: p + log p", "paper", "line", wa);
  add_line(figure, "INC: 2 (p - 1) / p", "paper", "line", ring);
  return figure;
}

json ring_and_tree() {
  json figure = lines("ntt", "fig4", "Figure 4: ring and tree by their laws",
                      "By the ring of two nodes, 2 a. The points are lost: the tree is placed by "
                      "each reading of the text at eight nodes.",
                      "nodes", "by the ring of two");
  figure["log_x"] = figure["log_y"] = true;
  figure["x_base"] = 2;
  json ring = json::array();
  for (int n = 2; n <= 128; n *= 2) ring.push_back({n, n - 1});
  add_line(figure, "ring: 2 a (n - 1)", "ours", "both", ring);
  for (const auto& [name, share] : {std::pair{"tree, ring takes 1/4 of it", 0.25},
                                    std::pair{"tree, ring takes 3/4 of it", 0.75}}) {
    json tree = json::array();
    for (int n = 2; n <= 128; n *= 2) tree.push_back({n, 7 / (3 * share) * std::log2(n)});
    add_line(figure, name, "paper", "both", tree);
  }
  return figure;
}

/// Rows come in threes a T: points, share, accuracy by GB.
json accuracy_by_share(const json& document, const char* item, const char* title) {
  json figure = lines("tgs", item, title,
                      "Points over the baseline; the paper: NiN on ImageNet, ours: HDC on MNIST.",
                      "share of the baseline's bytes (%)", "points");
  figure["log_x"] = true;
  for (const auto& [of, key] : {std::pair{"paper", "paper_value"}, std::pair{"ours", "ours"}}) {
    json points = json::array();
    const json* accuracy = nullptr;
    for (const json& row : document["paper"]) {
      if (row["paper"] != "tgs" || row["item"] != item) continue;
      if (row["unit"] == "points") accuracy = &row;
      if (row["unit"] != "%" || accuracy == nullptr) continue;
      if (row[key].is_number() && (*accuracy)[key].is_number() && row[key].get<double>() > 0) {
        points.push_back({row[key], (*accuracy)[key]});
      }
    }
    add_line(figure, of, of, "both", points);
  }
  return figure;
}

/// A column of a curve of the first seed.
json curve(const json& codec, size_t column, double factor) {
  json points = json::array();
  if (!codec["diverged"].is_null()) return points;
  for (const json& at : codec["seeds"][0]["plots"]["by_iteration"]) {
    if (at[column].is_number() && at[column].get<double>() > 0) {
      points.push_back({at[0], factor * at[column].get<double>()});
    }
  }
  return points;
}

json share_by_iteration(const json& training) {
  json figure = lines("tgs", "fig4", "Figures 4, 6, 8: share sent by iteration",
                      "Ours, the largest T of each method. The axes of the paper's are lost.",
                      "iteration", "values sent (%)");
  figure["log_y"] = true;
  for (const size_t codec : {size_t{6}, size_t{12}, size_t{18}}) {
    const json& ours = training["codecs"][codec];
    add_line(figure, ours["codec"].get<std::string>(), "ours", "line", curve(ours, 2, 100));
  }
  return figure;
}

json third_layer(const json& training) {
  json figure = lines("mlhpc16", "fig3", "Figure 3: bytes of the third layer by iteration",
                      "Ours: 500 x 500, on all links. The axes of the paper's are lost.",
                      "iteration", "bytes");
  figure["log_y"] = true;
  for (size_t codec = 0; codec < 4; ++codec) {
    const json& ours = training["codecs"][codec];
    add_line(figure, ours["codec"].get<std::string>(), "ours", "line", curve(ours, 6, 1));
  }
  return figure;
}

json build_up() {
  json figure = lines("mlhpc16", "fig2", "Figure 2: threshold's residual builds up",
                      "Share sent of uniform matrices drawn afresh, tau = 3.875; the paper says "
                      "1/32, and that it then grows.",
                      "trial", "values sent (%)");
  json ours = json::array(), theirs = json::array();
  for (const double share : training::build_up(4, papers::mlhpc16::kFigure2Tau, size_t{256} * 256,
                                               papers::mlhpc16::kFigure2Trials, 1)) {
    const size_t trial = ours.size() + 1;
    ours.push_back({trial, 100 * share});
    theirs.push_back({trial, 100.0 / 32});
  }
  add_line(figure, "ours", "ours", "both", ours);
  add_line(figure, "1/32", "paper", "line", theirs);
  return figure;
}

}  // namespace

json figures(const json& document, Documents& documents, const Options& options) {
  json all = json::array();
  const auto add = [&](const char* paper, const char* item, const std::function<json()>& make) {
    if (!has(document, paper, item)) return;
    const json figure = make();
    if (!figure.value(figure["kind"].get<std::string>(), json::array()).empty()) {
      all.push_back(figure);
    }
  };
  for (const Dots& d : kDots) {
    add(d.paper, d.item, [&] { return dots_of(d, document); });
  }
  add("inceptionn", "fig5", [&] {
    try {
      return gradient_values(documents);
    } catch (const sim::UserError&) {  // its rows say why
      return lines("inceptionn", "fig5", "", "", "", "");
    }
  });
  add("inceptionn", "fig15", exchange_formulae);
  add("ntt", "fig4", ring_and_tree);
  const auto by_share = [&](const char* item, const char* title) {
    add("tgs", item, [&] { return accuracy_by_share(document, item, title); });
  };
  by_share("table1", "Figure 3: accuracy by data sent, whole gradients");
  by_share("table2", "Figure 5: accuracy by data sent, binarised");
  by_share("table3", "Figure 7: accuracy by data sent, quantised");
  if (const json* tgs = documents.made(preset_command("tgs", options))) {
    add("tgs", "fig4", [&] { return share_by_iteration(*tgs); });
  }
  add("mlhpc16", "fig2", build_up);
  if (const json* lbann = documents.made(preset_command("mlhpc16", options))) {
    add("mlhpc16", "fig3", [&] { return third_layer(*lbann); });
  }
  return all;
}

}  // namespace gw::paper
