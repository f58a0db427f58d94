// SPDX-License-Identifier: Apache-2.0
#include "testbenches/switch/view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "sim/report/figure_kit.h"
#include "sim/report/view_kit.h"

namespace gw::testbenches {
namespace {

using namespace sim::report;

constexpr std::array<std::string_view, 8> kKeys = {"aggregator", "counters",  "drift",     "frames",
                                                   "lookup",     "malformed", "optimizer", "ports"};

/// Reads an object of the document; what nobody asked for is shown as it is.
class Part {
 public:
  Part(const Json& doc, const char* key) : all_(find(doc, {key})) {
    if (all_ != nullptr && !all_->is_object()) all_ = nullptr;
  }
  bool there() const { return all_ != nullptr; }

  std::optional<double> take(const char* key) {
    taken_.insert(key);
    return all_ == nullptr ? std::nullopt : number(*all_, {key});
  }
  std::string word(const char* key) {
    taken_.insert(key);
    return all_ == nullptr ? "" : text(*all_, {key});
  }
  /// "33 frames".
  std::string count(const char* key, const char* one, const char* many) {
    const auto n = take(key);
    return n ? fmt::format("{} {}", grouped(*n), *n == 1 ? one : many) : "";
  }
  std::string frames(const char* key) { return count(key, "frame", "frames"); }
  const Json* object(const char* key) {
    taken_.insert(key);
    const Json* const part = all_ == nullptr ? nullptr : find(*all_, {key});
    return part != nullptr && part->is_object() ? part : nullptr;
  }
  void rest(Section& s) const {
    if (all_ == nullptr) return;
    for (const auto& [key, value] : all_->items()) {
      if (!taken_.contains(key) && !value.is_null()) {
        s.rows.push_back({words(key), scalar(value), "", Status::kPlain});
      }
    }
  }

 private:
  const Json* all_;
  std::set<std::string, std::less<>> taken_;
};

/// Each port: what passed, and what share of its wire that was.
Section ports_part(const Json& doc) {
  Section s{"Ports", {}, {}, "", {}};
  const Json* const all = find(doc, {"ports"});
  if (all == nullptr || !all->is_array()) return s;
  struct Column {
    std::string key, title;
  };
  std::vector<Column> used;
  const auto use = [&](const std::string& key, const std::string& title) {
    const auto has = [&](const Json& port) { return port.is_object() && port.contains(key); };
    if (!std::ranges::any_of(*all, has) || std::ranges::count(used, key, &Column::key)) return;
    used.push_back({key, title});
  };
  for (const char* name : {"port", "name", "id"}) use(name, words(name));
  use("frames_in", "frames in");
  use("frames_out", "frames out");
  use("bytes_out", "bytes out");
  use("rx_dropped", "drops in");
  use("tx_dropped", "drops out");
  for (const Json& port : *all) {
    if (!port.is_object()) continue;
    for (const auto& [key, value] : port.items()) use(key, words(key));
  }
  const auto rate_of = [&doc](const Json& port) {
    const auto n = number(port, {"port"});
    return n ? number(doc, {"line_rate_percent", fmt::format("port{:g}", *n).c_str()})
             : std::nullopt;
  };
  const bool rates =
      std::ranges::any_of(*all, [&](const Json& port) { return rate_of(port).has_value(); });
  Table t{"", {}, {}, -1};
  for (const Column& column : used) t.columns.push_back(column.title);
  if (rates) t.columns.emplace_back("rate out");
  for (const Json& port : *all) {
    std::vector<std::string> cells;
    for (const Column& column : used) cells.push_back(text(port, {column.key.c_str()}));
    if (rates) {
      const auto rate = rate_of(port);
      cells.push_back(rate ? fixed(*rate, 1) + " %" : "-");
    }
    t.cells.push_back(std::move(cells));
  }
  if (!t.cells.empty()) s.tables.push_back(std::move(t));
  return s;
}

/// Kinds, why malformed ones are, where they went.
Section frames_part(const Json& doc) {
  Section s{"Frames", {}, {}, "", {}};
  Part kinds(doc, "frames");
  for (const auto& [key, label] : {std::pair{"gradient", "gradient"},
                                   {"parameter", "parameter"},
                                   {"plain", "plain PCI Express"},
                                   {"not_expether", "not ExpEther"}}) {
    add(s, label, kinds.frames(key));
  }
  std::string why;
  if (const Json* const reasons = find(doc, {"malformed"}); reasons && reasons->is_object()) {
    for (const auto& [reason, n] : reasons->items()) {
      if (!n.is_number() || n.get<double>() == 0) continue;
      why += fmt::format("{}{} {}", why.empty() ? "" : ", ", grouped(n.get<double>()),
                         words(reason == "count"        ? "count of values"
                               : reason == "tlp_length" ? "TLP length"
                               : reason == "tlp_type"   ? "TLP type"
                                                        : std::string(reason)));
    }
  }
  add(s, "malformed", kinds.frames("malformed"), why);
  kinds.rest(s);
  Part lookup(doc, "lookup");
  add(s, "flooded", lookup.frames("flooded"), "to a station that was not known, or to all");
  add(s, "filtered", lookup.frames("filtered"), "to a station on the port that they came from");
  lookup.rest(s);
  return s;
}

/// "66 cycles", with its share of the run.
void add_wait(Section& s, const Json& doc, const char* counter, const char* why) {
  const auto waited = number(doc, {"counters", counter});
  if (!waited) return;
  const auto cycles = number(doc, {"cycles"});
  add(s, "waited", grouped(*waited) + (*waited == 1 ? " cycle" : " cycles"),
      (cycles && *cycles > 0 ? fmt::format("{:.1f} % of all: ", 100 * *waited / *cycles) : "") +
          why);
}

Section aggregator_part(const Json& doc) {
  Section s{"Aggregator", {}, {}, "", {}};
  Part part(doc, "aggregator");
  const auto group = part.take("group");
  add(s, "sums over", part.count("workers", "worker", "workers"),
      group ? fmt::format("of group {}", grouped(*group)) : "");
  add(s, "memory", part.count("depth", "sequence number", "sequence numbers"));
  add(s, "complete sums", part.word("complete"));
  add(s, "abandoned sums", part.word("abandoned"),
      "a later iteration came before all workers were in");
  add_wait(s, doc, "aggregator_interlock_cycles", "for a sum that was still in the adders");
  const Json* const actions = part.object("actions");
  part.rest(s);
  if (actions != nullptr) {
    Table t{"Gradient frames by what was done", {"action", "frames", "latency, cycles"}, {}, -1};
    bool timed = false;
    for (const auto& [action, n] : actions->items()) {
      if (!n.is_number()) continue;
      const std::string latency = action_latency(doc, action);
      timed = timed || !latency.empty();
      t.cells.push_back({words(action), grouped(n.get<double>()), latency});
    }
    if (!timed) {
      t.columns.pop_back();
      for (std::vector<std::string>& cells : t.cells) cells.pop_back();
    }
    if (!t.cells.empty()) s.tables.push_back(std::move(t));
  }
  return s;
}

Section optimizer_part(const Json& doc) {
  Section s{"Optimizer", {}, {}, "", {}};
  Part part(doc, "optimizer");
  const std::string rate = part.word("lr"), kind = part.word("kind"),
                    profile = part.word("profile");
  std::string note = rate.empty() ? "" : "learning rate " + rate;
  if (part.word("epsilon") == "after the root") note += ", epsilon after the root";
  add(s, "algorithm", part.word("algorithm"), note);
  add(s, "array", part.count("pes", "PE", "PEs"),
      kind + (kind.empty() || profile.empty() ? "" : ", ") +
          (profile.empty() ? "" : "operators of the profile " + profile));
  add(s, "optimised", part.frames("optimised"),
      part.count("iterations", "iteration", "iterations"));
  add(s, "written", part.count("parameters_updated", "parameter", "parameters"));
  add(s, "out of range", part.frames("out_of_range"), "sequence number beyond the memory");
  part.object("ulp");
  const auto mean = number(doc, {"optimizer", "ulp", "mean"});
  const auto most = number(doc, {"optimizer", "ulp", "max"});
  if (mean) {
    add(s, "from the textbook", general(*mean) + " ulp",
        most ? fmt::format("on average, at most {}: binary32 against double", general(*most)) : "");
  }
  add_wait(s, doc, "optimizer_interlock_cycles", "for parameters that were still being written");
  part.rest(s);
  if (const Json* const drift = find(doc, {"drift"}); drift && drift->is_array()) {
    Table t{"Distance from the textbook, ulp", {"iteration", "mean", "max"}, {}, -1};
    for (const Json& one : *drift) {
      if (!one.is_object()) continue;
      t.cells.push_back(
          {text(one, {"iteration"}), text(one, {"mean_ulp"}), text(one, {"max_ulp"})});
    }
    if (!t.cells.empty()) s.tables.push_back(std::move(t));
  }
  return s;
}

/// Counters of another device, or that nothing above names.
Section counters_part(const Json& doc) {
  Section s{"Counters", {}, {}, "", {}};
  Part part(doc, "counters");
  for (const char* shown : {"aggregator_interlock_cycles", "optimizer_interlock_cycles"}) {
    part.take(shown);
  }
  part.rest(s);
  for (Row& row : s.rows) {
    constexpr std::string_view kCycles = " cycles";
    if (!row.label.ends_with(kCycles)) continue;
    row.label.resize(row.label.size() - kCycles.size());
    row.value += kCycles;
  }
  return s;
}

/// An optimizer's distance from the textbook, over the iterations.
std::optional<Figure> drift_part(const Json& doc) {
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

}  // namespace

void present_switch(const Json& doc, View& view) {
  for (const std::string_view key : kKeys) {
    if (const auto it = doc.find(key); it != doc.end() && !it->is_primitive()) {
      view.shown.insert(std::string(key));
    }
  }
  for (const Section& s : {ports_part(doc), frames_part(doc), aggregator_part(doc),
                           optimizer_part(doc), counters_part(doc)}) {
    if (!s.empty()) view.sections.push_back(s);
  }
  if (auto f = drift_part(doc)) view.figures.push_back(std::move(*f));
}

}  // namespace gw::testbenches
