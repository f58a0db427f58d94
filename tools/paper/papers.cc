// The data of the papers. Numbers stand as printed: how many digits there are says how exact a row
// can be. What models/papers has in a table is taken from there.
// SPDX-License-Identifier: Apache-2.0
#include "tools/paper/papers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "models/papers/inceptionn.h"
#include "models/papers/mlhpc16.h"
#include "models/papers/optimizer_switch.h"
#include "models/papers/tgs.h"
#include "sim/base/error.h"
#include "sim/report/text.h"
#include "tools/paper/measures.h"
#include "tools/training/network.h"
#include "tools/training/presets.h"
#include "tools/training/trainer.h"

namespace gw::paper {
namespace {

using Words = std::vector<std::string>;
using sim::report::grouped;

constexpr const char* kCluster = "the cluster";
constexpr const char* kRingNic = "the ring NIC";

/// Adds rows of one item after the other.
class Sheet {
 public:
  Sheet(std::vector<Row>& rows, std::string paper) : rows_(rows), paper_(std::move(paper)) {}

  void item(std::string name, std::string title, std::string where) {
    item_ = std::move(name);
    title_ = std::move(title);
    where_ = std::move(where);
  }
  void add(Row row) {
    row.paper = paper_;
    row.item = item_;
    row.title = title_;
    if (row.where.empty()) row.where = where_;
    rows_.push_back(std::move(row));
  }

 private:
  std::vector<Row>& rows_;
  std::string paper_, item_, title_, where_;
};

// ---------------------------------------------------------------------------------------------
// INCEPTIONN

/// A model of Table II: seconds of 100 iterations, as printed. "-": none.
struct Model {
  std::string name;
  std::string mib;  ///< section VII-A
  std::string forward, backward, copy, sum, communicate, update, total;
  std::string communicate_percent;
};

const std::vector<Model>& models() {
  static const std::vector<Model> kModels = {
      {"AlexNet", "233", "3.13", "16.22", "5.68", "8.94", "148.71", "13.67", "196.35", "75.7"},
      {"HDC", "2.5", "0.08", "0.07", "-", "0.09", "1.36", "0.09", "1.7", "80.2"},
      {"ResNet-50", "98", "2.63", "4.87", "2.24", "3.68", "60.58", "1.55", "75.55", "80.2"},
      // Forward is a misprint: see table2.
      {"VGG-16", "525", "32.25", "142.34", "12.09", "19.89", "583.58", "30.50", "823.65", "70.9"},
  };
  return kModels;
}

double seconds(const std::string& printed) {
  const auto number = parse_printed(printed);
  return number ? number->value : 0;
}
/// Half units of the last digits of these.
double rounding(std::initializer_list<std::string> printed) {
  double sum = 0;
  for (const std::string& text : printed) {
    if (const auto number = parse_printed(text)) sum += number->half_unit;
  }
  return sum;
}
double bytes_of(const Model& m) { return seconds(m.mib) * 1024 * 1024; }
double without_forward(const Model& m) {
  return seconds(m.backward) + seconds(m.copy) + seconds(m.sum) + seconds(m.communicate) +
         seconds(m.update);
}

/// A column of Table II by bytes that it handles: the mean, and all four.
Ours nanoseconds_a_byte(std::string Model::*column, double times) {
  double sum = 0, count = 0;
  std::string all;
  for (const Model& m : models()) {
    if (m.*column == "-") continue;
    const double ns = seconds(m.*column) / 100 / (times * bytes_of(m)) * 1e9;
    all += fmt::format("{}{} {:.3f}", all.empty() ? "" : ", ", m.name, ns);
    sum += ns;
    count += 1;
  }
  return {.number = sum / count, .why = all};
}

double mib(double parameters) { return 4 * parameters / 1024 / 1024; }

double dense_parameters(std::initializer_list<double> sizes) {
  double count = 0;
  for (auto size = sizes.begin(); size + 1 != sizes.end(); ++size) count += (*size + 1) * size[1];
  return count;
}

/// The paper's formulae for the time of an exchange, without latency and sums, in units of n b.
double worker_aggregator(double p) { return p + std::log2(p); }
double ring(double p) { return 2 * (p - 1) / p; }

void add_tables(Sheet& s) {
  s.item("table1", "Table I: hyperparameters (an input)", "Table I");
  const training::TrainOptions trainer;
  const auto set = [&](const char* what, const char* value, double ours) {
    s.add({.what = fmt::format("HDC: {}", what),
           .value = value,
           .tolerance = 1e-12,
           .measure = computed([ours] { return ours; })});
  };
  set("images a worker and iteration", "25", static_cast<double>(trainer.batch));
  set("learning rate", "0.1", trainer.rate);
  set("learning rate is divided by", "5", trainer.rate_divisor);
  set("momentum", "0.9", trainer.momentum);
  set("weight decay", "0.00005", trainer.decay);
  s.add({.what = "AlexNet, ResNet-50, VGG-16",
         .kind = Class::kContext,
         .note = "Nothing here trains them: their rows stand on Tables II and III."});

  s.item("table2", "Table II: seconds of 100 iterations, four workers and an aggregator",
         "Table II");
  for (const Model& m : models()) {
    if (m.name == "VGG-16") continue;
    s.add({.what = m.name + ": the rows add up",
           .value = m.total,
           .unit = "s",
           .tolerance = rounding({m.total, m.forward, m.backward, m.sum, m.communicate, m.update}),
           .measure = computed([&m] { return seconds(m.forward) + without_forward(m); })});
  }
  const Model& vgg = models().back();
  s.add({.what = "VGG-16: forward pass, by the total",
         .value = vgg.forward,
         .unit = "s",
         .kind = Class::kContext,
         .measure = computed([&vgg] { return seconds(vgg.total) - without_forward(vgg); }),
         .note = "32.25 is a misprint of 35.25: with it the rows add up to 820.65."});
  s.add({.what = "VGG-16: forward pass, by the total",
         .value = "4.3",
         .unit = "%",
         .measure = computed([&vgg] {
           return 100 * (seconds(vgg.total) - without_forward(vgg)) / seconds(vgg.total);
         })});
  for (const Model& m : models()) {
    s.add({.what = m.name + ": communicate",
           .value = m.communicate,
           .unit = "s",
           .kind = Class::kCalibrated,
           .waits_for = kCluster});
  }
  const auto fit = [&](const char* what, std::string Model::*column, double times) {
    s.add({.what = what,
           .unit = "ns/byte",
           .kind = Class::kFit,
           .measure = [column, times](Documents&, const Row&) {
             return nanoseconds_a_byte(column, times);
           }});
  };
  fit("gradient sum, of three workers' bytes", &Model::sum, 3);
  fit("GPU copy", &Model::copy, 1);
  fit("update", &Model::update, 1);

  s.item("table3", "Table III: values by size after compression, HDC by run", "Table III");
  const std::string sums = "Ours are the partial and complete sums that pass a ring of four.";
  for (const auto& row : papers::inceptionn::kTable3) {
    if (row.model != "HDC") continue;
    const auto share = [&](const char* bits, const char* tag, double printed) {
      s.add({.what = fmt::format("2^-{}: {}, middle of the training", row.k, bits),
             .value = fmt::format("{:.1f}", printed),
             .unit = "%",
             .kind = Class::kPrediction,
             .command = stats_command("hdc-ring-middle", row.k),
             .measure = from([tag](const nlohmann::json& stats) {
               return Ours{.number = 100 * stats.at("tags").at(tag).get<double>() /
                                     stats.at("values").get<double>()};
             })});
    };
    share("2 bits", "zero", row.zero);
    share("10 bits", "byte", row.byte);
    share("18 bits", "half", row.half);
    share("34 bits", "raw", row.raw);
    for (const char* when : {"early", "middle", "late"}) {
      s.add({.what = fmt::format("2^-{}: ratio, {}", row.k, when),
             .value = fmt::format("{:.1f}", row.ratio()),
             .unit = "x",
             .kind = Class::kPrediction,
             .command = stats_command(fmt::format("hdc-ring-{}", when), row.k),
             .measure = at("/ratio"),
             .note = std::string_view(when) == "late" && row.k == 6 ? sums : ""});
    }
  }
  s.add({.where = "VIII-C",
         .what = "2^-6: more than 90 % take two bits",
         .kind = Class::kShape,
         .measure = [](Documents& documents, const Row&) {
           bool all = true;
           std::string why;
           for (const char* when : {"early", "middle", "late"}) {
             const double zero =
                 zero_share(documents.of(stats_command(fmt::format("hdc-ring-{}", when), 6)));
             all = all && zero > 90;
             why += fmt::format("{}{} {:.1f} %", why.empty() ? "" : ", ", when, zero);
           }
           return Ours{.verdict = all ? Verdict::kHolds : Verdict::kDoesNotHold, .why = why};
         }});
}

void add_first_figures(Sheet& s, const Options& options) {
  s.item("fig3", "Figure 3: sizes, and the share of communication", "Figure 3");
  const auto size = [&](const char* what, const char* value, Class kind, double parameters,
                        const char* note) {
    s.add({.where = "VII-A",
           .what = what,
           .value = value,
           .unit = "MiB",
           .kind = kind,
           .measure = computed([parameters] { return mib(parameters); }),
           .note = note});
  };
  size("AlexNet, 60,965,224 parameters", "233", Class::kExact, 60'965'224,
       "The paper's MB are MiB.");
  size("HDC, 784-500-500-10", "2.5", Class::kExact, dense_parameters({784, 500, 500, 10}), "");
  size("HDC as VII-A describes it: five layers", "2.5", Class::kContext,
       static_cast<double>(training::HdcNetwork::parameter_count()),
       "Five fully connected layers of 500 are more than 2.5 MiB; ours are these.");
  size("ResNet-50, 25,557,032 parameters", "98", Class::kContext, 25'557'032, "");
  size("VGG-16, 138,357,544 parameters", "525", Class::kContext, 138'357'544, "");
  for (const Model& m : models()) {
    s.add({.what = m.name + ": communication by total",
           .value = m.communicate_percent,
           .unit = "%",
           .tolerance = 0.05 + 100 * seconds(m.communicate) / seconds(m.total) *
                                   (rounding({m.total}) / seconds(m.total) +
                                    rounding({m.communicate}) / seconds(m.communicate)),
           .measure = computed([&m] { return 100 * seconds(m.communicate) / seconds(m.total); })});
  }

  s.item("fig4", "Figure 4: truncation of weights, gradients and both", "Figure 4");
  s.add({.what = "HDC: gradients bear 16 and 22 bits less",
         .kind = Class::kShape,
         .command = truncation_command(options),
         .measure = from([](const nlohmann::json& document) {
           const auto accuracy = [&](size_t i) {
             return 100 * document.at("codecs").at(i).at("accuracy").at("mean").get<double>();
           };
           return Ours{.verdict = std::min(accuracy(1), accuracy(2)) > accuracy(0) - 2
                                      ? Verdict::kHolds
                                      : Verdict::kDoesNotHold,
                       .why = fmt::format("{:+.2f} and {:+.2f} points to floats, in the ring",
                                          accuracy(1) - accuracy(0), accuracy(2) - accuracy(0))};
         }),
         .needs_data = true});
  s.add({.what = "weights do not bear it",
         .kind = Class::kShape,
         .measure = cannot_be_asked("train has a codec for gradients, and none for weights")});
  s.add({.what = "AlexNet",
         .kind = Class::kShape,
         .measure = cannot_be_asked("HDC on 10,000 images is what trains here")});

  s.item("fig5", "Figure 5: where the values of gradients lie", "Figure 5");
  for (const char* when : {"early", "middle", "late"}) {
    s.add({.what = fmt::format("all values between -1 and 1, {}", when),
           .kind = Class::kShape,
           .command = stats_command(fmt::format("hdc-ring-{}", when), 10),
           .measure = from([](const nlohmann::json& stats) {
             const double raw = stats.at("tags").at("raw").get<double>();
             return Ours{.verdict = raw == 0 ? Verdict::kHolds : Verdict::kDoesNotHold,
                         .why = fmt::format("{} of {} values of HDC are larger", grouped(raw),
                                            grouped(stats.at("values").get<double>()))};
           })});
    s.add({.what = fmt::format("values below 2^-10, {}", when),
           .unit = "%",
           .kind = Class::kUnavailable,
           .command = stats_command(fmt::format("hdc-ring-{}", when), 10),
           .measure = from(
               [](const nlohmann::json& stats) { return Ours{.number = zero_share(stats)}; })});
  }

  s.item("fig7", "Figure 7: compression in software", "Figure 7");
  s.add({.where = "III-A",
         .what = "Snappy: ratio on gradients",
         .value = "1.5",
         .unit = "x",
         .kind = Class::kPrediction,
         .command = stats_command("hdc-ring-middle", 10),
         .measure = from([](const nlohmann::json& stats) {
           for (const nlohmann::json& codec : stats.at("baselines")) {
             if (codec.at("name") == "snappy") {
               return Ours{.number = codec.at("ratio").get<double>()};
             }
           }
           throw sim::InputError("the figures have no Snappy");
         })});
  s.add({.what = "Snappy and SZ: total time, at least by",
         .value = "2",
         .unit = "x",
         .kind = Class::kContext,
         .waits_for = kCluster});
  s.add({.what = "Snappy and SZ: total time, at most by",
         .value = "4",
         .unit = "x",
         .kind = Class::kContext,
         .waits_for = kCluster});
}

void add_exchange_figures(Sheet& s) {
  s.item("fig12",
         "Figure 12: the ring (INC) against worker and aggregator (WA), +C with compression",
         "VIII-A");
  struct Reduction {
    const char* model;
    const char* total;
    const char* communication;
  };
  static constexpr Reduction kReductions[] = {{"AlexNet", "52", "55"},
                                              {"HDC", "38", "39"},
                                              {"ResNet-50", "49", "58"},
                                              {"VGG-16", "31", "36"}};
  for (const Reduction& r : kReductions) {
    s.add({.what = fmt::format("{}: total, INC below WA", r.model),
           .value = r.total,
           .unit = "%",
           .kind = Class::kCalibrated,
           .waits_for = kCluster});
  }
  for (const Reduction& r : kReductions) {
    s.add({.what = fmt::format("{}: communication, INC below WA", r.model),
           .value = r.communication,
           .unit = "%",
           .kind = Class::kCalibrated,
           .waits_for = kCluster});
  }
  const auto waits = [&](const char* what, const char* value, const char* unit, Class kind) {
    s.add({.what = what, .value = value, .unit = unit, .kind = kind, .waits_for = kCluster});
  };
  waits("communication, WA+C below WA (which model is not said)", "30.8", "%", Class::kFit);
  waits("communication, INC+C below WA", "80.7", "%", Class::kFit);
  waits("communication, INC+C below INC", "53.9", "%", Class::kFit);
  s.add({.what = "both are ResNet-50's: then INC is below WA by",
         .value = "58",
         .unit = "%",
         .measure = computed([] { return 100 * (1 - (1 - 0.807) / (1 - 0.539)); })});
  waits("communication of all models, least reduction", "70.9", "%", Class::kFit);
  waits("communication of all models, largest reduction", "80.7", "%", Class::kFit);
  waits("training time, least speedup", "2.2", "x", Class::kFit);
  waits("training time, largest speedup", "3.1", "x", Class::kFit);

  s.item("fig13", "Figure 13: speedup at the same accuracy", "VIII-B");
  waits("VGG-16", "2.2", "x", Class::kFit);
  waits("AlexNet", "3.1", "x", Class::kFit);
  s.add(
      {.what = "one or two more epochs",
       .kind = Class::kShape,
       .measure = cannot_be_asked("an epoch here is 8,000 images, and the paper's are not HDC's")});
}

void add_codec_figures(Sheet& s, const Options& options) {
  s.item("fig14", "Figure 14: compression ratio and accuracy", "Figure 14");
  for (const auto& row : papers::inceptionn::kTable3) {
    s.add({.where = "Table III",
           .what = fmt::format("{}, 2^-{}: by its classes", row.model, row.k),
           .value = fmt::format("{:.2f}", row.ratio()),
           .unit = "x",
           .measure = computed([row] { return ratio_by_classes(row); })});
  }
  const auto extreme = [](int k, bool largest) {
    double found = largest ? 0 : 1e9;
    for (const auto& row : papers::inceptionn::kTable3) {
      if (row.k != k) continue;
      found =
          largest ? std::max(found, ratio_by_classes(row)) : std::min(found, ratio_by_classes(row));
    }
    return found;
  };
  const auto range = [&](const char* what, const char* value, int k, bool largest) {
    s.add({.where = "VIII-C",
           .what = what,
           .value = value,
           .unit = "x",
           .kind = Class::kPrediction,
           .measure = computed([extreme, k, largest] { return extreme(k, largest); })});
  };
  range("smallest ratio of the four models at 2^-10", "5.5", 10, false);
  range("largest ratio of the four models at 2^-10", "11.6", 10, true);
  range("largest ratio of all, at 2^-6", "14.9", 6, true);
  for (const auto& [name, value] :
       {std::pair{"truncate 16 LSBs", "2"}, std::pair{"truncate 22 LSBs", "3.2"},
        std::pair{"truncate 24 LSBs", "4"}}) {
    s.add({.where = "VIII-C",
           .what = name,
           .value = value,
           .unit = "x",
           .command = stats_command("hdc-ring-middle", 10),
           .tolerance = 0.001,
           .measure = from([name = std::string(name)](const nlohmann::json& stats) {
             for (const nlohmann::json& codec : stats.at("baselines")) {
               if (codec.at("name") == name) return Ours{.number = codec.at("ratio").get<double>()};
             }
             throw sim::InputError("the figures have no " + name);
           })});
  }
  static constexpr const char* kTrained[] = {"Base",       "16b-T",     "22b-T",    "24b-T",
                                             "INC(2^-10)", "INC(2^-8)", "INC(2^-6)"};
  for (size_t i = 0; i < std::size(kTrained); ++i) {
    s.add({.where = "Figure 14b",
           .what = fmt::format("HDC: accuracy, {}", kTrained[i]),
           .unit = "%",
           .kind = Class::kUnavailable,
           .command = truncation_command(options),
           .measure = accuracy_of(i),
           .needs_data = true});
  }
  const auto within = [&](const char* what, std::vector<size_t> codecs) {
    s.add({.where = "VIII-C",
           .what = what,
           .kind = Class::kShape,
           .command = truncation_command(options),
           .measure = from([codecs = std::move(codecs)](const nlohmann::json& document) {
             double worst = 0;
             const auto accuracy = [&](size_t i) {
               return 100 * document.at("codecs").at(i).at("accuracy").at("mean").get<double>();
             };
             for (const size_t i : codecs) worst = std::min(worst, accuracy(i) - accuracy(0));
             return Ours{.verdict = worst > -2 ? Verdict::kHolds : Verdict::kDoesNotHold,
                         .why = fmt::format("at worst {:+.2f} points to floats", worst)};
           }),
           .needs_data = true});
  };
  within("truncation of 16 and 22 bits suits HDC", {1, 2});
  within("INC loses less than two points, up to 2^-6", {4, 5, 6});
}

void add_scaling(Sheet& s) {
  s.item("fig15", "Figure 15: time of an exchange by workers", "VIII-D");
  s.add(
      {.what = "WA: almost linear, 4 to 8 workers", .kind = Class::kShape, .waits_for = kCluster});
  s.add({.what = "INC: almost constant, 4 to 8 workers",
         .kind = Class::kShape,
         .waits_for = kCluster});
  s.add({.what = "WA by its formula: grows with the workers",
         .kind = Class::kShape,
         .measure = claim([] {
           const double factor = worker_aggregator(8) / worker_aggregator(4);
           return std::pair{factor > 1.6, fmt::format("{:.2f} times from 4 to 8", factor)};
         })});
  s.add({.what = "INC by its formula: constant",
         .kind = Class::kShape,
         .measure = claim([] {
           const double factor = ring(8) / ring(4);
           return std::pair{factor < 1.25, fmt::format("{:.2f} times from 4 to 8", factor)};
         })});
  constexpr double kPayload = 9.41e9;  // bits a second of TCP in full frames
  for (const Model& m : models()) {
    s.add({.what = fmt::format("{}: WA by its formula, at 9.41 Gb/s", m.name),
           .value = m.communicate,
           .unit = "s",
           .kind = Class::kPrediction,
           .measure =
               computed([&m] { return 100 * worker_aggregator(4) * bytes_of(m) * 8 / kPayload; })});
  }
}

void add_algorithms(Sheet& s) {
  s.item("algorithm1", "Algorithm 1: the ring", "IV, Algorithm 1, Figure 6");
  s.add({.what = "blocks that nodes 0 to 3 have complete after the first loop",
         .value = "1 2 3 0",
         .measure = computed_text([] { return ring_owners(4); })});
  s.add({.what = "blocks complete on all four nodes in the end",
         .value = "16",
         .measure = computed([] { return static_cast<double>(complete_blocks(4, false)); }),
         .note = "With the indices of Figure 6: blk[(i-s+1)%N] is sent in both loops."});
  s.add({.what = "the same with lines 16 and 17 as printed",
         .kind = Class::kShape,
         .measure = claim([] {
           const size_t count = complete_blocks(4, true);
           return std::pair{count == 16,
                            fmt::format("{} of 16: line 17 sends blk[(i-s+2)%N], which "
                                        "is not yet a complete sum",
                                        count)};
         })});

  s.item("algorithm2", "Algorithm 2: largest error by the bound (promised: below 1)",
         "V, Algorithm 2");
  for (const int k : {10, 8, 6}) {
    // The last bit of an 8-bit code weighs 2^-7 whatever the bound is.
    s.add({.what = fmt::format("2^-{}, as printed: 2^-7 by the bound, or 1", k),
           .value = fmt::format("{:g}", std::max(1.0, std::exp2(k - 7))),
           .tolerance = 0.001,
           .measure = computed([k] { return largest_error_by_bound(k, true); })});
  }
  for (const int k : {10, 8, 6}) {
    s.add({.what = fmt::format("2^-{}, mode bounded", k),
           .value = "1",
           .tolerance = 0.001,
           .measure = computed([k] { return largest_error_by_bound(k, false); })});
  }

  s.item("section6", "Section VI: a burst of 256 bits a cycle", "VI-A");
  for (const char* device : {"compressor", "decompressor"}) {
    s.add({.what = fmt::format("{}: cycles per burst", device),
           .value = "1",
           .command = {"run", device, "--trace", "hdc-ring-late"},
           .tolerance = 0.01,
           .measure = at("/cycles_per_burst")});
  }
}

// ---------------------------------------------------------------------------------------------
// Optimizer switch

void add_switch(Sheet& s) {
  namespace paper = papers::optimizer_switch;
  s.item("table2", "Table 2: cycles of a processing element", "Table 2");
  for (const paper::Pe& pe : paper::kPes) {
    s.add({.what = std::string(pe.algorithm),
           .value = fmt::format("{}", pe.cycles),
           .unit = "cycles",
           .command = sweep_command(),
           .measure = pe_cycles(std::string(pe.algorithm))});
  }
  s.item("table3", "Table 3: area of a processing element (ours: Yosys, the paper's: Vivado)",
         "Table 3");
  for (const paper::Pe& pe : paper::kPes) {
    for (const auto& [what, key, value] :
         {std::tuple{"LUTs", "lut", pe.lut}, std::tuple{"flip-flops", "ff", pe.ff},
          std::tuple{"DSPs", "dsp", pe.dsp}}) {
      s.add({.what = fmt::format("{}: {}", pe.algorithm, what),
             .value = grouped(value),
             .kind = Class::kPrediction,
             .command = sweep_command(),
             .measure = at(fmt::format("/table3/{}/pipelined_paper/{}", pe.algorithm, key))});
    }
  }

  s.item("section6.1", "Section 6.1: throughput of the aggregation, 192-byte frames", "6.1");
  // With FCS; preamble and gap are the rest of what a frame takes of the line.
  const auto line_rate = [](const nlohmann::json& sweep) {
    const double cycles = sweep.at("lines").at("10G").at("cycles_per_frame").get<double>();
    return (192 + 4) * 8 * sweep.at("clock_mhz").get<double>() * 1e-3 / cycles;
  };
  s.add({.what = "line rate",
         .value = "9.07",
         .unit = "Gb/s",
         .command = sweep_command(),
         .measure = from([line_rate](const nlohmann::json& sweep) {
           return Ours{.number = line_rate(sweep)};
         })});
  s.add({.what = "8.92 Gb/s by the line rate",
         .value = "98.3",
         .unit = "%",
         .command = sweep_command(),
         .measure = from([line_rate](const nlohmann::json& sweep) {
           return Ours{.number = 100 * 8.92 / line_rate(sweep)};
         })});
  s.add({.what = "four ports at once (paper: one), the slowest",
         .value = "98.3",
         .unit = "%",
         .kind = Class::kPrediction,
         .command = {"run", "switch", "--synth", "gradient-192", "--workers", "1", "--packets",
                     "8000"},
         .measure = smallest_at("/line_rate_percent")});

  s.item("fig3", "Figure 3 and section 6.4: what it is worth in a training", "3.1, 6.4");
  s.add({.what = "aggregation 2.9 % and optimization 5.2 %",
         .value = "8.1",
         .unit = "%",
         .measure = computed([] { return 2.9 + 5.2; })});
  s.add({.what = "training shortened, from 2.9, 5.2 and 1.2x",
         .value = "5",
         .unit = "%",
         .kind = Class::kPrediction,
         .measure = computed([] { return 2.9 + 5.2 * (1 - 1 / 1.2); })});

  const auto lut_percent = [](const std::string& algorithm) {
    return from([algorithm](const nlohmann::json& sweep) {
      const nlohmann::json& pe = sweep.at("table3").at(algorithm).at("pipelined_paper");
      return Ours{.number =
                      100 * pe.at("lut").get<double>() * paper::kArrayPes / paper::kDeviceLuts};
    });
  };
  s.item("fig14", "Figure 14: LUTs of the device (ours: 32 PEs without the switch around them)",
         "6.2");
  for (const paper::Pe& pe : paper::kPes) {
    const std::string name(pe.algorithm);
    const bool said = name == "sgd" || name == "smorms3";
    s.add({.what = name,
           .value = !said           ? ""
                    : name == "sgd" ? "15"
                                    : "56",
           .unit = "%",
           .kind = said ? Class::kContext : Class::kUnavailable,
           .command = sweep_command(),
           .measure = lut_percent(name)});
  }
  s.add({.what = "the switch around them: text less 32 PEs of Table 3",
         .unit = "%",
         .kind = Class::kFit,
         .measure = [](Documents&, const Row&) {
           const auto base = [](double text, const paper::Pe& pe) {
             return text - 100.0 * paper::kArrayPes * pe.lut / paper::kDeviceLuts;
           };
           const double sgd = base(15, paper::kPes.front()), smorms3 = base(56, paper::kPes.back());
           return Ours{.number = (sgd + smorms3) / 2,
                       .why = fmt::format("SGD {:.1f}, SMORMS3 {:.1f}", sgd, smorms3)};
         }});

  s.item("fig15", "Figure 15: block RAM (bars lost)", "6.2, 6.3");
  for (const paper::Pe& pe : paper::kPes) {
    s.add({.what = fmt::format("{}: 800,000 parameters fit", pe.algorithm),
           .kind = Class::kShape,
           .command = sweep_command(),
           .measure = from([name = std::string(pe.algorithm)](const nlohmann::json& sweep) {
             const double fit = sweep.at("bram").at(name).at("parameters_that_fit").get<double>();
             return Ours{
                 .verdict = fit >= paper::kParameters ? Verdict::kHolds : Verdict::kDoesNotHold,
                 .why = fmt::format("{} do, with states and sums", grouped(fit))};
           })});
  }

  s.item("fig16", "Figure 16: DSPs of the device (bars lost; 32 times Table 3)", "6.2, Table 3");
  for (const paper::Pe& pe : paper::kPes) {
    s.add({.what = std::string(pe.algorithm),
           .value = fmt::format("{:.1f}", 100.0 * paper::kArrayPes * pe.dsp / paper::kDeviceDsps),
           .unit = "%",
           .kind = Class::kPrediction,
           .command = sweep_command(),
           .measure = at(fmt::format("/table3/{}/pipelined_paper/dsp", pe.algorithm),
                         100.0 * paper::kArrayPes / paper::kDeviceDsps)});
  }

  s.item("fig17", "Figure 17: optimizing 800,000 parameters", "6.3");
  for (const paper::Pe& pe : paper::kPes) {
    s.add({.what = fmt::format("{}: 25,000 frames at line rate", pe.algorithm),
           .value = "4.32",
           .unit = "ms",
           .command = sweep_command(),
           .measure = at(fmt::format("/figure17/{}/switch_ms", pe.algorithm)),
           .note = ""});
  }
  for (const paper::Pe& pe : paper::kPes) {
    const std::string name(pe.algorithm);
    s.add({.what = fmt::format("{}: CPU by switch", name),
           .value = name == "sgd"       ? "1.2"
                    : name == "smorms3" ? "3.0"
                                        : "",
           .unit = "x",
           .kind = Class::kContext,
           .command = sweep_command(),
           .measure = at(fmt::format("/figure17/{}/cpu_to_switch", name)),
           .note = name == "smorms3" ? "Ours is this machine's CPU: below 1 it beats the switch."
                                     : ""});
  }
  s.add({.what = "SGD: GPU by switch", .value = "1.05", .unit = "x", .kind = Class::kContext});
  s.add({.what = "SMORMS3: GPU by switch", .value = "1.25", .unit = "x", .kind = Class::kContext});
}

// ---------------------------------------------------------------------------------------------
// NTT

/// Nodes at which 2 a (n - 1) and 2 b log2 n cross, if the ring takes `share` of the tree at 8.
double crossing(double share) {
  const double ratio = 7 / (3 * share);  // b / a
  double low = 2, high = 1e6;
  for (int i = 0; i < 100; ++i) {
    const double n = (low + high) / 2;
    ((n - 1) / std::log2(n) < ratio ? low : high) = n;
  }
  return low;
}

void add_ntt(Sheet& s) {
  s.item("fig3", "Figure 3: DMA over PCIe Gen3 x16 (an input of the ring NIC)",
         "Hardware performance");
  s.add({.what = "writes to SRAM",
         .value = "95.0",
         .unit = "Gb/s",
         .kind = Class::kContext,
         .waits_for = kRingNic});
  s.add({.what = "reads from SRAM",
         .value = "110.5",
         .unit = "Gb/s",
         .kind = Class::kContext,
         .waits_for = kRingNic});

  s.item("latency", "64 bytes among two nodes", "Hardware performance");
  s.add({.what = "network 1,740 ns and FPGA 148 ns",
         .value = "1,888",
         .unit = "ns",
         .measure = computed([] { return 1740.0 + 148.0; })});
  s.add({.what = "FPGA: read, add, broadcast, write back",
         .value = "148",
         .unit = "ns",
         .kind = Class::kPrediction,
         .waits_for = kRingNic});
  s.add({.what = "in all",
         .value = "1,888",
         .unit = "ns",
         .kind = Class::kPrediction,
         .waits_for = kRingNic});

  s.item("fig4", "Figure 4: allreduce of 64 MB by nodes", "Effectiveness of hardware offloading");
  s.add({.what = "the law 2 a (n - 1)", .kind = Class::kShape, .waits_for = kRingNic});
  const auto reading = [&](const char* what, double share) {
    s.add({.where = "Effectiveness of hardware offloading; Conclusion",
           .what = what,
           .kind = Class::kShape,
           .measure = claim([share] {
             const double nodes = crossing(share);
             return std::pair{nodes > 32 && nodes < 64,
                              fmt::format("the tree is faster from {:.0f} nodes on", nodes)};
           })});
  };
  reading("\"to 1/4\" at 8 nodes: ahead beyond 32 nodes, not beyond 64", 0.25);
  reading("\"25 % lower\" at 8 nodes: ahead beyond 32 nodes, not beyond 64", 0.75);
  s.add({.where = "Abstract",
         .what = "latency, ring by NCCL's tree",
         .value = "0.25",
         .unit = "x",
         .kind = Class::kPrediction,
         .waits_for = kCluster});

  const auto context = [&](const char* what, const char* value, const char* unit) {
    s.add({.what = what, .value = value, .unit = unit, .kind = Class::kContext});
  };
  s.item("fig5", "Figure 5: overhead of communication, two nodes (V100)",
         "Hardware/software co-operation");
  context("hidden, 16 images a GPU and more", "85", "%");
  s.item("fig6", "Figure 6: images a second against NCCL, 8 nodes (V100)", "Training efficiency");
  context("at best", "155.6", "%");
  context("32 images a GPU", "130.7", "%");
  s.item("fig7", "Figure 7: variation (V100)", "Training efficiency-variation");
  context("median to 99.9th percentile", "94.4", "images/s");
  s.item("fig8", "Figure 8: scaling to 8 nodes, 32 images a GPU (V100)",
         "Training efficiency scalability");
  context("NCCL", "71.3", "%");
  context("ring", "91.2", "%");
  s.add({.what = "ring by NCCL, with Figure 6's 130.7 %",
         .value = "130.7",
         .unit = "%",
         .kind = Class::kContext,
         .measure = computed([] { return 100 * 91.2 / 71.3; }),
         .note = "The paper says both 91.2 against 71.3 % and 130.7 %: ours is the quotient."});
  s.item("fig9", "Figure 9: end-to-end training (V100)", "End-to-end training time");
  context("time against NCCL", "87.3", "%");
}

// ---------------------------------------------------------------------------------------------
// TGS

void add_tgs(Sheet& s, const Options& options) {
  namespace paper = papers::tgs;
  const Words command = preset_command("tgs", options);
  s.item("arithmetic", "Arithmetic of the data that is sent", "2.2, 3.1, 4");
  s.add({.what = "gradients an iteration, 8 x 7,589,920",
         .value = "60,719,360",
         .measure = computed([] { return 8 * 7'589'920.0; })});
  s.add({.what = "gradients in 220,000 iterations",
         .value = "13,358,259,200,000",
         .measure = computed([] { return 60'719'360.0 * 220'000; })});
  s.add({.what = "sent as floats", .value = "53,433", .unit = "GB", .measure = computed([] {
                                                                      return 13'358'259'200'000.0 *
                                                                             bits_of_a_sent_value(
                                                                                 "none") /
                                                                             8 / 1e9;
                                                                    })});
  s.add({.what = "least a node and iteration (BGT, 12.15 GB)",
         .value = "6.9",
         .unit = "KB",
         .measure = computed([] { return 12.15e9 / 220'000 / 8 / 1e3; })});
  s.add({.what = "floats a node and iteration",
         .value = "30",
         .unit = "MB",
         .measure = computed([] { return 4 * 7'589'920.0 / 1e6; }),
         .note = "The paper says just over 30 MB."});
  for (const auto& [spec, value] :
       {std::pair{"wgt", "32"}, std::pair{"bgt", "1"}, std::pair{"qgt", "8"}}) {
    s.add({.where = "2.1",
           .what = fmt::format("bits of a sent value, {}", spec),
           .value = value,
           .measure = computed([spec = std::string(spec)] { return bits_of_a_sent_value(spec); })});
  }
  s.add({.where = "2.1",
         .what = "largest multiple of T that qgt sends",
         .value = "255",
         .measure = computed(largest_multiple)});

  struct Method {
    const char* name;
    const char* item;
    const char* where;
    const char* what;
  };
  static constexpr Method kMethods[] = {{"wgt", "table1", "Table 1", "whole gradients"},
                                        {"bgt", "table2", "Table 2", "binarised gradients"},
                                        {"qgt", "table3", "Table 3", "quantised gradients"}};
  size_t codec = 1;
  for (const Method& method : kMethods) {
    s.item(method.item, fmt::format("{}: {} (ours by rank of T)", method.where, method.what),
           method.where);
    for (const paper::Row& row : paper::kRows) {
      if (row.method != method.name) continue;
      const std::string name = fmt::format("T = {:g}", row.threshold);
      s.add({.what = name + ": points over the baseline",
             .value = fmt::format("{:+.2f}", row.accuracy - paper::kBaselineAccuracy),
             .unit = "points",
             .kind = Class::kShape,
             .command = command,
             .measure = points_over_floats(codec),
             .needs_data = true,
             .minutes = true});
      s.add({.what = name + ": share of the baseline's bytes",
             .value = fmt::format("{:.3f}", 100 * row.gb / paper::kBaselineGb),
             .unit = "%",
             .kind = Class::kShape,
             .command = command,
             .measure = share_of_floats(codec),
             .needs_data = true,
             .minutes = true});
      s.add({.what = name + ": accuracy by GB",
             .value = fmt::format("{:.4f}", row.percent_per_gb),
             .unit = "%/GB",
             .tolerance = 0.00005 + row.accuracy / row.gb * 0.005 / row.gb,
             .measure = computed([row] { return row.accuracy / row.gb; })});
      ++codec;
    }
  }

  const auto judged = [&](const char* what, std::string shape, std::string where) {
    s.add({.where = std::move(where),
           .what = what,
           .kind = Class::kShape,
           .command = command,
           .measure = shape_of(std::move(shape)),
           .needs_data = true,
           .minutes = true});
  };
  s.item("shapes", "Claims of the analysis", "4");
  judged("WGT is the flattest in T", "WGT is the flattest in T", "Tables 1 to 3");
  judged("BGT's best is below the best of WGT and QGT",
         "BGT's best is below the best of WGT and QGT", "4");
  judged("BGT rises and falls with T",
         "BGT is not monotonic in T: it is best between its smallest and its largest", "4");
  judged("QGT keeps the baseline with fewer bytes than WGT",
         "QGT keeps the baseline, to a point, with fewer bytes than WGT", "4");
  judged("QGT falls off at small T", "QGT falls off at small T, where 255 T clips", "4");
  judged("the larger T, the fewer bytes", "the larger T, the fewer bytes (WGT, QGT)",
         "Tables 1 to 3");
  s.add({.what = "points over the baseline of 0.35 and less",
         .kind = Class::kShape,
         .measure = cannot_be_asked("sigma over seeds is larger, with 2,000 test images")});
  s.item("fig3", "Figures 3, 5, 7: accuracy by data sent", "Figures 3, 5, 7");
  s.add({.where = "5",
         .what = "most accuracy by byte: BGT",
         .kind = Class::kShape,
         .command = command,
         .measure = most_accuracy_by_byte("bgt"),
         .needs_data = true,
         .minutes = true});
  s.item("fig4", "Figures 4, 6, 8: share sent by iteration", "Figures 4, 6, 8");
  judged("the share sent grows with the iterations",
         "the share sent grows with the iterations (Figures 4, 6)", "6");
}

// ---------------------------------------------------------------------------------------------
// MLHPC'16

void add_mlhpc16(Sheet& s, const Options& options) {
  namespace paper = papers::mlhpc16;
  const Words command = preset_command("mlhpc16", options);
  s.item("arithmetic", "Arithmetic of methods and platform", "3, 4");
  s.add({.where = "4.1",
         .what = "data-parallel by model-parallel: 3561 s by 937 s",
         .value = "3.8",
         .unit = "x",
         .measure = computed([] { return 3561.0 / 937; })});
  s.add({.where = "4",
         .what = "processes: 4 replicas on 4 nodes of 12 each",
         .value = "192",
         .measure = computed([] { return 4.0 * 4 * 12; })});
  s.add({.where = "4.2",
         .what = "parameters of a layer of 16,384",
         .value = "268",
         .unit = "million",
         .measure = computed([] { return 16384.0 * 16384 / 1e6; })});
  s.add({.where = "4.2",
         .what = "its floats",
         .value = "1",
         .unit = "GiB",
         .tolerance = 1e-9,
         .measure = computed([] { return mib(16384.0 * 16384) / 1024; })});
  s.add({.where = "4.3",
         .what = "one-bit: floats by its signs",
         .value = "32",
         .unit = "x",
         .measure = computed(
             [] { return bits_of_a_sent_value("none") / bits_of_a_sent_value("onebit"); })});
  s.add({.where = "4.2",
         .what = "of values uniform in +-4, share over tau = 3.875",
         .value = "0.03125",
         .measure = computed([] { return (4 - paper::kFigure2Tau) / 4; }),
         .note = "1/32: so the range was +-4, which the paper does not say."});

  s.item("table1", "Table 1: test accuracy on MNIST", "4.4, Table 1");
  for (size_t i = 0; i < paper::kTable1.size(); ++i) {
    s.add({.what = std::string(paper::kTable1[i].name),
           .value = fmt::format("{:.2f}", paper::kTable1[i].accuracy),
           .unit = "%",
           .kind = Class::kShape,
           .command = command,
           .measure = accuracy_of(i),
           .needs_data = true,
           .minutes = true});
  }
  const auto judged = [&](const char* what, const char* shape) {
    s.add({.what = what,
           .kind = Class::kShape,
           .command = command,
           .measure = shape_of(shape),
           .needs_data = true,
           .minutes = true});
  };
  judged("one-bit and adaptive are as good as floats",
         "one-bit and adaptive are as good as floats, to a point");
  judged("threshold is worse than the three others", "threshold is worse than the three others");
  judged("threshold gains little over no communication",
         "threshold gains little over no communication: less than half of what floats gain");

  s.item("fig2", "Figure 2: allreduce of uniform matrices", "4.2, Figure 2");
  const auto built = [] {
    return training::build_up(4, paper::kFigure2Tau, size_t{256} * 256, paper::kFigure2Trials, 1);
  };
  s.add({.what = "threshold: share sent in the first trial",
         .value = "3.1",
         .unit = "%",
         .kind = Class::kPrediction,
         .measure = computed([built] { return 100 * built().front(); })});
  s.add({.what = "threshold: its residual builds up over 20 trials",
         .kind = Class::kShape,
         .measure = claim([built] {
           const std::vector<double> shares = built();
           return std::pair{shares.back() > 3 * shares.front(),
                            fmt::format("{:.2f} % sent at first, {:.2f} % in trial {}",
                                        100 * shares.front(), 100 * shares.back(), shares.size())};
         })});
  s.add({.what = "adaptive, pi = 64: share sent",
         .value = "1.56",
         .unit = "%",
         .kind = Class::kPrediction,
         .measure = computed([] { return 100 * adaptive_share(); }),
         .note =
             "Ours takes its thresholds from bins, four an octave: of uniform values the topmost "
             "holds an eighth. Of gradients it is near 1/64 (table1's command)."});
  s.add({.what = "adaptive by MPI_Allreduce, largest matrix",
         .value = "1.76",
         .unit = "x",
         .kind = Class::kContext});

  s.item("fig3", "Figure 3: bytes of the third layer", "4.3, Figure 3");
  judged("one-bit is 1/32 of the floats and little more",
         "Figure 3: one-bit is 1/32 of the floats and little more, in every exchange");
  judged("adaptive follows one-bit closely", "Figure 3: adaptive follows one-bit closely");
  judged("threshold's volume is small and erratic",
         "Figure 3: threshold's volume is small and erratic");

  s.item("fig4", "Figure 4: seconds of the exchange (Catalyst)", "4.3");
  s.add({.what = "threshold, then normal, adaptive, one-bit",
         .kind = Class::kContext,
         .note = "Seconds on Catalyst: in hardware a codec costs no cycle."});
  s.item("fig5", "Figure 5: replicas (Catalyst)", "4.5");
  s.add({.what = "eight replicas by one", .value = "7.5", .unit = "x", .kind = Class::kContext});
  s.item("fig6", "Figure 6: layers up to 65,536 (Catalyst)", "4.5");
  s.add({.what = "adaptive by MPI_Allreduce, largest layer",
         .value = "1.18",
         .unit = "x",
         .kind = Class::kContext});
}

// ---------------------------------------------------------------------------------------------

/// Letters to change, put in or take out.
size_t distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t corner = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t changed = corner + (a[i] == b[j] ? 0 : 1);
      corner = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, changed});
    }
  }
  return row.back();
}

/// "did you mean table2 or table3?" of the nearest names, or all that there are.
std::string near_names(const std::string& word, const std::vector<std::string>& names) {
  size_t least = word.size();
  for (const std::string& name : names) least = std::min(least, distance(word, name));
  const bool near = least <= std::max<size_t>(2, word.size() / 3);
  std::string said;
  for (const std::string& name : names) {
    if (near && distance(word, name) != least) continue;
    said += (said.empty() ? "" : near ? " or " : ", ") + name;
  }
  return near ? fmt::format("did you mean {}?", said) : fmt::format("there are {}", said);
}

std::vector<std::string> items_of(const std::vector<Row>& rows, const std::string& paper) {
  std::vector<std::string> items;
  for (const Row& row : rows) {
    if (row.paper == paper && std::ranges::find(items, row.item) == items.end()) {
      items.push_back(row.item);
    }
  }
  return items;
}

}  // namespace

const std::vector<Paper>& papers() {
  static const std::vector<Paper> kPapers = {
      {"inceptionn",
       "INCEPTIONN: A Network-Centric Hardware/Algorithm Co-Design to Accelerate Distributed "
       "Training of Deep Neural Networks (MICRO 2018)"},
      {"switch", "FPGA-based optimizer switch (IEICE Transactions 2021)"},
      {"ntt", "Distributed Deep Learning with GPU-FPGA Heterogeneous Computing (NTT)"},
      {"tgs", "Thresholded Gradient Synchronization in Distributed ConvNets"},
      {"mlhpc16",
       "Communication Quantization for Data-parallel Training of Deep Neural Networks (MLHPC "
       "2016)"},
  };
  return kPapers;
}

std::vector<std::string> stats_command(const std::string& trace, int bound) {
  return {"codec", "stats", trace, "--mode", "paper", "--bound", std::to_string(bound)};
}

std::vector<std::string> sweep_command() {
  return {"sweep", "optimizer", "--pes", "32", "--kind", "pipelined", "--check", "none"};
}

namespace {
Words trained(Words words, const Options& options) {
  if (options.iterations)
    words.insert(words.end(), {"--iterations", std::to_string(*options.iterations)});
  if (options.seeds) words.insert(words.end(), {"--seeds", std::to_string(*options.seeds)});
  if (!options.data.empty()) words.insert(words.end(), {"--data", options.data});
  return words;
}
}  // namespace

std::vector<std::string> truncation_command(const Options& options) {
  Words words = {"train", "--exchange", "ring"};
  for (const char* codec :
       {"none", "truncate:16", "truncate:22", "truncate:24", "inceptionn:bound=10,mode=paper",
        "inceptionn:bound=8,mode=paper", "inceptionn:bound=6,mode=paper"}) {
    words.insert(words.end(), {"--codec", codec});
  }
  return trained(words, options);
}

std::vector<std::string> preset_command(const std::string& preset, const Options& options) {
  return trained({"train", "--preset", preset}, options);
}

std::vector<Row> rows(const Options& options) {
  std::vector<Row> all;
  Sheet inceptionn(all, "inceptionn");
  add_tables(inceptionn);
  add_first_figures(inceptionn, options);
  add_exchange_figures(inceptionn);
  add_codec_figures(inceptionn, options);
  add_scaling(inceptionn);
  add_algorithms(inceptionn);
  Sheet optimizer_switch(all, "switch");
  add_switch(optimizer_switch);
  Sheet ntt(all, "ntt");
  add_ntt(ntt);
  Sheet tgs(all, "tgs");
  add_tgs(tgs, options);
  Sheet mlhpc16(all, "mlhpc16");
  add_mlhpc16(mlhpc16, options);
  return all;
}

std::vector<Row> selected(const std::vector<Row>& all, const std::string& paper,
                          const std::string& item) {
  if (paper.empty()) return all;
  std::vector<std::string> names;
  for (const Paper& known : papers()) names.push_back(known.name);
  if (std::ranges::find(names, paper) == names.end()) {
    throw sim::UsageError(
        fmt::format("there is no paper '{}': {}", paper, near_names(paper, names)));
  }
  const std::vector<std::string> items = items_of(all, paper);
  if (!item.empty() && std::ranges::find(items, item) == items.end()) {
    throw sim::UsageError(
        fmt::format("{} has no item '{}': {}", paper, item, near_names(item, items)));
  }
  std::vector<Row> chosen;
  for (const Row& row : all) {
    if (row.paper == paper && (item.empty() || row.item == item)) chosen.push_back(row);
  }
  return chosen;
}

}  // namespace gw::paper
