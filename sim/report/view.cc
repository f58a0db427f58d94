// SPDX-License-Identifier: Apache-2.0
#include "sim/report/view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "sim/report/view_kit.h"

namespace gw::sim::report {
namespace {

std::string at_clock(const Json& doc, double cycles) {
  const auto mhz = number(doc, {"clock_mhz"});
  return mhz && *mhz > 0 ? fmt::format("{} at {:g} MHz", seconds(cycles / *mhz / 1e6), *mhz) : "";
}

Section what_ran(const Json& doc, const View& view) {
  Section s{"What ran", {}, {}, "", {}};
  add(s, "trace", text(doc, {"trace", "file"}));
  add(s, "filter", text(doc, {"trace", "filter"}));
  add(s, "stimulus", text(doc, {"trace", "synth"}), "synthetic");
  add(s, "random traffic", text(doc, {"trace", "random"}));
  add(s, "capsule", text(doc, {"trace", "capsule"}));
  if (const auto packets = number(doc, {"trace", "packets"})) {
    std::string note;
    if (const auto selected = number(doc, {"trace", "selected"}))
      note = grouped(*selected) + " selected" +
             (*packets > 0 ? fmt::format(" ({:.1f} %)", 100 * *selected / *packets) : "");
    add(s, "packets", grouped(*packets), note);
  }
  if (const Json* skipped = find(doc, {"trace", "skipped"});
      skipped && skipped->is_object() && !skipped->empty()) {
    std::vector<std::pair<double, std::string>> reasons;
    double sum = 0;
    for (const auto& [reason, n] : skipped->items())
      if (n.is_number()) {
        reasons.emplace_back(-n.get<double>(), words(reason));
        sum += n.get<double>();
      }
    std::sort(reasons.begin(), reasons.end());
    std::vector<std::string> parts;
    for (const auto& [n, reason] : reasons)
      if (n != 0) parts.push_back(fmt::format("{} {}", grouped(-n), reason));
    add(s, "skipped", grouped(sum), joined(parts));
  }
  for (const std::string& note : strings(find(doc, {"trace", "notes"}))) add(s, "note", note);
  if (const Json* faults = find(doc, {"trace", "faults"});
      faults && doc["trace"].contains("random")) {
    std::vector<std::string> parts;
    double sum = 0;
    for (const auto& [kind, n] : faults->items()) {
      parts.push_back(fmt::format("{} {}", grouped(n.get<double>()), words(kind)));
      sum += n.get<double>();
    }
    add(s, "faults", grouped(sum), joined(parts));
  }
  const auto engines = strings(find(doc, {"engines"}));
  const auto checks = strings(find(doc, {"check"}));
  const auto checked = [&checks](const char* what) {
    return checks.empty() || std::ranges::count(checks, what) != 0;
  };
  const bool alone = !checked("model") && !checked("against");
  add(s, "engines", joined(engines, " + "),
      alone                ? "cycles are free: no lockstep"
      : engines.size() > 1 ? "in lockstep"
                           : "");
  if (const auto rtls = strings(find(doc, {"against"})); rtls.size() == 2) {
    add(s, "rtl", rtls[0], "against " + rtls[1]);
  } else if (const std::string rtl = text(doc, {"rtl"}); rtl != "own RTL" && rtl != "no RTL") {
    add(s, "rtl", rtl);  // not the project's
  }
  if (const Json* const reads = find(doc, {"rtl_reads"}); reads != nullptr && reads->is_array()) {
    for (const Json& file : *reads) {
      const std::string path = text(file, {"path"});
      add(s, "rtl reads", text(file, {"name"}), path.empty() ? "not found" : path);
    }
  }
  add(s, "mutant", text(doc, {"mutant"}));
  for (const Row& row : view.settings) s.rows.push_back(row);
  if (const auto mhz = number(doc, {"clock_mhz"})) {
    add(s, "clock", fmt::format("{:g} MHz", *mhz), view.clock_note);
  }
  std::string seed = text(doc, {"seed"});
  std::erase(seed, ',');
  add(s, "stalls", text(doc, {"stall"}), seed.empty() ? "" : "seed " + seed);
  if (s.rows.empty() || s.rows.back().label != "stalls") add(s, "seed", seed);
  if (const auto cycles = number(doc, {"reset_after"}))
    add(s, "reset", fmt::format("after {:g} cycles", *cycles),
        "of the same packets; they count from it on");
  if (const std::string what = text(doc, {"incomplete"}); !what.empty())
    add(s, "incomplete", "yes", what, Status::kBad);
  if (boolean(doc, {"interrupted"}).value_or(false))
    add(s, "stopped early", "yes", "the figures cover what ran until then", Status::kWarn);
  return s;
}

std::string line_rates(const Json& doc, const char* key = "line_rate_percent") {
  const Json* rates = find(doc, {key});
  if (!rates) return "";
  if (rates->is_number()) return fixed(rates->get<double>(), 1) + " % of line rate";
  std::vector<std::pair<double, std::string>> parts;
  if (rates->is_object()) {
    for (const auto& [line, percent] : rates->items()) {
      if (!percent.is_number()) continue;
      const double value = percent.get<double>();
      if (line.starts_with("port")) {
        parts.emplace_back(parts.size(), fmt::format("{} {:.1f} %", clean(line), value));
      } else {
        parts.emplace_back(-value, fmt::format("{:.1f} % of {}", value, clean(line)));
      }
    }
  }
  std::sort(parts.begin(), parts.end());
  std::vector<std::string> names;
  for (auto& [key, name] : parts) names.push_back(name);
  return joined(names);
}

/// Each port is held against its own wire.
bool has_port_rates(const Json& doc) {
  const Json* const rates = find(doc, {"line_rate_percent"});
  return rates && rates->is_object() && !rates->empty() &&
         rates->items().begin().key().starts_with("port");
}

/// Of a codec the throughput is that of uncompressed values: said where the other side stands
/// beside it.
std::string throughput_note(const Json& doc) {
  const std::string rates = line_rates(doc);
  return rates.empty() || !number(doc, {"wire_gbps"}) ? rates : rates + ", uncompressed";
}
std::string wire_note(const Json& doc) {
  const std::string rates = line_rates(doc, "wire_line_rate_percent");
  return rates.empty() ? "compressed" : rates + ", compressed";
}

Section rate(const Json& doc) {
  Section s{"Rate and latency", {}, {}, "", {}};
  const auto cycles = number(doc, {"cycles"});
  const bool by_port = has_port_rates(doc);
  if (const auto v = number(doc, {"throughput_gbps"})) {
    add(s, "throughput", fixed(*v, 2) + " Gb/s", by_port ? "" : throughput_note(doc));
  }
  if (by_port || !number(doc, {"throughput_gbps"})) add(s, "line rate", line_rates(doc));
  if (const auto v = number(doc, {"wire_gbps"}))
    add(s, "on the wire", fixed(*v, 2) + " Gb/s", wire_note(doc));
  if (const auto v = number(doc, {"cycles_per_burst"})) {
    const auto bursts = number(doc, {"bursts"});
    const auto window = number(doc, {"window_cycles"});
    add(s, "cycles per burst", fixed(*v, 3),
        bursts && window ? fmt::format("{} bursts in {} cycles", grouped(*bursts), grouped(*window))
                         : "");
  }
  const auto latency = [&](const char* key, const char* label, const char* meaning) {
    const auto mean = number(doc, {key, "mean"});
    if (!mean) return;
    const auto lo = number(doc, {key, "min"});
    const auto hi = number(doc, {key, "max"});
    const bool constant = lo && hi && *lo == *hi;
    const std::string range =
        lo && hi && !constant ? fmt::format(" ({} to {})", grouped(*lo), grouped(*hi)) : "";
    add(s, label, (constant ? grouped(*lo) : fixed(*mean, 2)) + " cycles" + range,
        at_clock(doc, *mean) + meaning);
  };
  latency("latency_cycles", "latency", "");
  latency("pipeline_latency_cycles", "pipeline latency",
          ", from the beat that completes an output beat");
  if (cycles) add(s, "cycles", grouped(*cycles), at_clock(doc, *cycles));
  for (const auto& [name, beats, size] :
       {std::array{"in", "beats_in", "bytes_in"}, std::array{"out", "beats_out", "bytes_out"}}) {
    const auto n = number(doc, {beats});
    const auto b = number(doc, {size});
    if (n || b) add(s, name, n ? counted(*n, "beat", "beats") : bytes(*b), n && b ? bytes(*b) : "");
  }
  if (const Json* stalls = find(doc, {"stall_cycles"}); stalls && stalls->is_object()) {
    // Ports are added up: a cycle in which two stall is two.
    const double in = number(doc, {"port_count", "in"}).value_or(1);
    const double out = number(doc, {"port_count", "out"}).value_or(1);
    std::vector<std::string> parts;
    double sum = 0;
    bool any = false;
    std::set<std::string> done;
    const auto part = [&](const std::string& who, const Json& n) {
      if (!n.is_number() || !done.insert(who).second) return;
      const double v = n.get<double>();
      sum += v;
      any = true;
      if (v == 0) return;
      const double all = cycles.value_or(0) * (who == "sink" || who == "wire" ? out : in);
      parts.push_back(fmt::format("{} {}{}", words(who), grouped(v),
                                  all > 0 ? fmt::format(" ({:.1f} %)", 100 * v / all) : ""));
    };
    for (const char* who : {"source", "sink", "device"})
      if (const Json* n = find(*stalls, {who})) part(who, *n);
    for (const auto& [who, n] : stalls->items()) part(who, n);
    if (any) {
      add(s, in > 1 || out > 1 ? "stall port-cycles" : "stall cycles",
          sum == 0 ? "none" : grouped(sum), joined(parts));
    }
  }
  return s;
}

/// What is held of the lines that were asked for, by packet size.
Section held_lines(const Json& doc) {
  Section s{"Line rates", {}, {}, "", {}};
  const Json* const lines = find(doc, {"line_rates", "lines"});
  if (lines == nullptr || !lines->is_array() || lines->empty()) return s;
  const double least = number(doc, {"line_rates", "least_bytes"}).value_or(0);
  add(s, "counted as", "packets on Ethernet",
      fmt::format("{:g} bytes more each{}",
                  number(doc, {"line_rates", "overhead_bytes"}).value_or(0),
                  least > 0 ? fmt::format(", at least {:g} in all", least) : ""));
  if (!boolean(doc, {"line_rates", "wires_wait"}).value_or(true)) {
    add(s, "measured", "as fast as the device goes", "in a run of its own: no wire waits");
  }
  const auto table = [&](const char* title, const char* key, int decimals) {
    Table t;
    t.title = title;
    t.columns = {"bytes", "packets", "cycles each"};
    const auto count = [](const Json& some) {
      return grouped(number(some, {"packets"}).value_or(0));
    };
    const auto cycles = [](const Json& some) {
      return fixed(number(some, {"cycles_per_packet"}).value_or(0), 2);
    };
    std::vector<std::string> all = {"all", count(lines->front()), cycles(lines->front())};
    for (const Json& line : *lines) {
      t.columns.push_back(text(line, {"line"}));
      all.push_back(fixed(number(line, {key}).value_or(0), decimals));
    }
    t.cells.push_back(std::move(all));
    const Json* const sizes = find(lines->front(), {"by_size"});
    for (std::size_t i = 0; sizes != nullptr && i < sizes->size(); ++i) {
      const Json& size = (*sizes)[i];
      const double low = number(size, {"bytes_min"}).value_or(0);
      const double high = number(size, {"bytes_max"}).value_or(0);
      std::vector<std::string> cells = {
          low == high ? grouped(low) : grouped(low) + " to " + grouped(high), count(size),
          cycles(size)};
      for (const Json& line : *lines) {
        const Json* const rows = find(line, {"by_size"});
        if (rows == nullptr || i >= rows->size()) continue;
        cells.push_back(fixed(number((*rows)[i], {key}).value_or(0), decimals));
      }
      t.cells.push_back(std::move(cells));
    }
    s.tables.push_back(std::move(t));
  };
  table("Percent of the line that is held", "percent", 1);
  table("Least clock that holds the line, MHz", "least_clock_mhz", 1);
  return s;
}

Section checks(const Json& doc) {
  Section s{"Checks", {}, {}, "", {}};
  const auto check = [&](const char* label, const char* bad_key, const char* of_key,
                         const char* unit) {
    const auto bad = number(doc, {"checks", bad_key});
    const auto of = of_key ? number(doc, {"checks", of_key}) : std::nullopt;
    if (!bad && !of) return;
    if (of && *of == 0 && bad.value_or(0) == 0) {
      add(s, label, "nothing compared", "", Status::kWarn);
      return;
    }
    const std::string value = !bad        ? "not counted"
                              : *bad == 0 ? "ok"
                                          : counted(*bad, "mismatch", "mismatches");
    add(s, label, value, of ? grouped(*of) + " " + unit : "",
        !bad        ? Status::kPlain
        : *bad == 0 ? Status::kGood
                    : Status::kBad);
  };
  // What was left out is said to be, not to be in order.
  const auto chosen = strings(find(doc, {"check"}));
  const auto left_out = [&](const char* label, std::initializer_list<const char*> any) {
    const auto is_chosen = [&](const char* what) { return std::ranges::count(chosen, what) != 0; };
    if (chosen.empty() || std::ranges::any_of(any, is_chosen)) return false;
    add(s, label, "not checked");
    return true;
  };
  if (!left_out("lockstep", {"model", "against"})) {
    check("lockstep", "lockstep_mismatches", "lockstep_cycles", "cycles compared");
  }
  if (!left_out("reference", {"reference"})) {
    check("reference", "reference_mismatches", "reference_packets", "packets compared");
  }
  if (!left_out("AXI4-Stream rules", {"protocol"})) {
    if (const auto v = number(doc, {"checks", "protocol_violations"}))
      add(s, "AXI4-Stream rules", *v == 0 ? "ok" : counted(*v, "violation", "violations"), "",
          *v == 0 ? Status::kGood : Status::kBad);
  }
  if (!left_out("stream profile", {"profile"})) {
    if (const auto v = number(doc, {"checks", "profile_violations"}))
      add(s, "stream profile", counted(*v, "violation", "violations"), "", Status::kBad);
  }
  add(s, "assertions", text(doc, {"assertions"}));
  if (const Json* all = find(doc, {"checks"}); all && all->is_object()) {
    static const std::set<std::string> kKnown{"lockstep_cycles",     "lockstep_mismatches",
                                              "reference_packets",   "reference_mismatches",
                                              "protocol_violations", "profile_violations"};
    for (const auto& [key, v] : all->items())
      if (!kKnown.count(key) && v.is_primitive()) add(s, words(key), scalar(v));
  }
  if (!doc.contains("failure")) add(s, "bucket", text(doc, {"bucket"}));
  return s;
}

}  // namespace

std::pair<std::string, std::string> built_with(const Json& doc) {
  const std::string verilator = text(doc, {"tools", "verilator"});
  if (verilator.empty()) return {};
  return {"Verilator " + verilator,
          "SystemC " + text(doc, {"tools", "systemc"}) + ", " + text(doc, {"tools", "compiler"})};
}

namespace {

std::string covered_of(const Json& part) {
  return fmt::format("{} of {}", grouped(part.value("covered", 0.0)),
                     grouped(part.value("possible", 0.0)));
}

/// The first names of what was not reached, and how many more there are.
std::string unreached_of(const Json& part) {
  const Json* const all = find(part, {"unreached"});
  if (all == nullptr || !all->is_array() || all->empty()) return "";
  const Json& first = all->front();
  std::string name = first.is_object() ? text(first, {"name"}) : scalar(first);
  if (all->size() > 1) name += fmt::format(", {} more", all->size() - 1);
  return name;
}

/// What a run has reached, table by table.
Section coverage(const Json& doc) {
  Section s{"Coverage", {}, {}, "", {}};
  const Json* const all = find(doc, {"coverage"});
  if (all == nullptr || !all->is_object()) return s;
  for (const char* kind : {"functional", "line", "branch", "user", "toggle"}) {
    const Json* const part = find(*all, {kind});
    if (part == nullptr) continue;
    add(s, kind, covered_of(*part), fixed(number(*part, {"percent"}).value_or(0), 2) + " %");
  }
  if (const Json* const failures = find(*all, {"failures"}))
    for (const Json& failure : *failures) add(s, "wrong", "yes", scalar(failure), Status::kBad);
  const auto table = [&](const char* kind, const char* list, const char* name,
                         const char* heading) {
    const Json* const parts = find(*all, {kind, list});
    if (parts == nullptr || !parts->is_array() || parts->empty()) return;
    Table t;
    t.columns = {heading, "reached", "percent", "not reached, the most first"};
    for (const Json& part : *parts) {
      t.cells.push_back({text(part, {name}), covered_of(part),
                         fixed(number(part, {"percent"}).value_or(0), 2), unreached_of(part)});
    }
    s.tables.push_back(std::move(t));
  };
  table("functional", "tables", "table", "table");
  table("line", "modules", "file", "lines");
  table("branch", "modules", "file", "branches");
  table("user", "modules", "file", "covers");
  table("toggle", "modules", "file", "bits that rose and fell");
  return s;
}

Section simulator(const Json& doc) {
  Section s{"Simulator", {}, {}, "", {}};
  if (const auto v = number(doc, {"sim", "cycles_per_s"}))
    add(s, "speed", *v >= 1e6 ? fixed(*v / 1e6, 2) + " M cycles/s" : grouped(*v) + " cycles/s");
  if (const auto v = number(doc, {"sim", "wall_s"})) {
    const auto whole = number(doc, {"sim", "whole_s"});
    add(s, "wall time", seconds(*v),
        whole ? seconds(*whole) + " with stimulus, scoring and report" : "");
  }
  if (const auto v = number(doc, {"sim", "build_s"}); v && *v > 0.5) {
    add(s, "RTL built in", seconds(*v));
  }
  if (const auto v = number(doc, {"sim", "cycles_skipped"}); v && *v > 0) {
    add(s, "idle, skipped", grouped(*v) + " cycles",
        "in which nothing could happen; --no-skip simulates them");
  }
  if (const Json* all = find(doc, {"sim"}); all && all->is_object())
    for (const auto& [key, v] : all->items())
      if (key != "cycles_per_s" && key != "wall_s" && key != "whole_s" && key != "build_s" &&
          !key.starts_with("cycles_") && v.is_primitive())
        add(s, words(key), scalar(v));
  add(s, "gradwire", text(doc, {"version"}));
  if (const auto [verilator, others] = built_with(doc); !verilator.empty())
    add(s, "built with", verilator, others);
  return s;
}

/// Anything this file does not know, as it is: leaves become rows, arrays of objects become tables.
void flatten(Section& s, const std::string& label, const Json& v) {
  if (v.is_object()) {
    for (const auto& [key, e] : v.items())
      flatten(s, label.empty() ? words(key) : label + " " + words(key), e);
  } else if (v.is_array() && !v.empty() &&
             std::all_of(v.begin(), v.end(), [](const Json& e) { return e.is_object(); })) {
    Table t;
    t.title = label;
    std::vector<std::string> keys;
    for (const Json& e : v)
      for (const auto& [key, cell] : e.items())
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    // What names a row comes first.
    for (const char* name : {"name", "port", "id"})
      if (const auto it = std::find(keys.begin(), keys.end(), name); it != keys.end()) {
        std::rotate(keys.begin(), it, it + 1);
        break;
      }
    for (const std::string& key : keys) t.columns.push_back(words(key));
    for (const Json& e : v) {
      std::vector<std::string> cells;
      for (const std::string& key : keys) cells.push_back(e.contains(key) ? scalar(e[key]) : "");
      t.cells.push_back(std::move(cells));
    }
    if (!t.columns.empty()) s.tables.push_back(std::move(t));
  } else if (v.is_array()) {
    std::vector<std::string> parts;
    for (const Json& e : v) parts.push_back(scalar(e));
    add(s, label, joined(parts));
  } else if (!v.is_null()) {
    add(s, label, scalar(v));
  }
}

std::vector<Section> others(const Json& doc, const View& view) {
  static const std::set<std::string> kKnown{"bursts",
                                            "window_cycles",
                                            "pipeline_latency_cycles",
                                            "incomplete",
                                            "device",
                                            "engines",
                                            "check",
                                            "against",
                                            "mutant",
                                            "assertions",
                                            "rtl_reads",
                                            "rtl_files",
                                            "clock_mhz",
                                            "seed",
                                            "reset_after",
                                            "stall",
                                            "trace",
                                            "cycles",
                                            "beats_in",
                                            "beats_out",
                                            "bytes_in",
                                            "bytes_out",
                                            "cycles_per_burst",
                                            "latency_cycles",
                                            "throughput_gbps",
                                            "burst_bytes",
                                            "port_count",
                                            "line_rates",
                                            "line_rate_gbps",
                                            "line_rate_percent",
                                            "wire_gbps",
                                            "wire_line_rate_percent",
                                            "stall_cycles",
                                            "rtl",
                                            "coverage",
                                            "coverage_points",
                                            "checks",
                                            "sim",
                                            "version",
                                            "tools",
                                            "command",
                                            "pass",
                                            "plots",
                                            "failure",
                                            "bucket",
                                            "verdicts",
                                            "compared",
                                            "interrupted"};
  std::vector<Section> out;
  Section loose{"More", {}, {}, "", {}};
  for (const auto& [key, v] : doc.items()) {
    if (kKnown.count(key) || view.shown.contains(key)) continue;
    if (v.is_primitive()) {
      flatten(loose, words(key), v);
      continue;
    }
    Section s{words(key), {}, {}, "", {}};
    if (!s.title.empty())
      s.title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(s.title[0])));
    flatten(s, "", v);
    for (Row& row : s.rows)
      if (row.label.empty()) row.label = words(key);
    if (!s.empty()) out.push_back(std::move(s));
  }
  if (!loose.empty()) out.push_back(std::move(loose));
  return out;
}

std::string summary_of(const Json& doc, const View& view) {
  if (view.failure && !view.failure->headline.empty()) return view.failure->headline;
  std::vector<std::string> parts;
  const auto checks = strings(find(doc, {"check"}));
  const auto is_checked = [&checks](const char* what) {
    return checks.empty() || std::ranges::count(checks, what) != 0;
  };
  if (!is_checked("model") && !is_checked("against"))
    parts.emplace_back("cycles are free");
  else if (const auto n = number(doc, {"checks", "lockstep_cycles"}))
    parts.push_back(fmt::format("{} in lockstep", counted(*n, "cycle", "cycles")));
  if (!is_checked("reference"))
    parts.emplace_back("no reference");
  else if (const auto n = number(doc, {"checks", "reference_packets"}))
    parts.push_back(fmt::format("{} against the reference", counted(*n, "packet", "packets")));
  double bad = 0;
  bool any = false;
  for (const char* key :
       {"lockstep_mismatches", "reference_mismatches", "protocol_violations", "profile_violations"})
    if (const auto n = number(doc, {"checks", key})) {
      bad += *n;
      any = true;
    }
  if (any) parts.push_back(counted(bad, "divergence", "divergences"));
  return joined(parts);
}

std::vector<Card> cards(const Json& doc) {
  std::vector<Card> out;
  if (const auto v = number(doc, {"throughput_gbps"}))
    out.push_back({"Throughput", fixed(*v, 2), "Gb/s", throughput_note(doc), Status::kPlain});
  if (const auto v = number(doc, {"wire_gbps"}))
    out.push_back({"On the wire", fixed(*v, 2), "Gb/s", wire_note(doc), Status::kPlain});
  if (const auto v = number(doc, {"cycles_per_burst"})) {
    const auto size = number(doc, {"burst_bytes"});
    out.push_back({"Cycles per burst", fixed(*v, 3), "",
                   size ? fmt::format("a burst is a beat of {:g} bits", 8 * *size) : "",
                   Status::kPlain});
  }
  if (const auto v = number(doc, {"latency_cycles", "mean"})) {
    const auto lo = number(doc, {"latency_cycles", "min"});
    const auto hi = number(doc, {"latency_cycles", "max"});
    const bool constant = lo && hi && *lo == *hi;
    out.push_back({"Latency", constant ? grouped(*lo) : fixed(*v, 2), "cycles", at_clock(doc, *v),
                   Status::kPlain});
    if (lo && hi && !constant)
      out.back().note += fmt::format("{}{} to {}", out.back().note.empty() ? "" : "; ",
                                     grouped(*lo), grouped(*hi));
  }
  if (const auto v = number(doc, {"sim", "cycles_per_s"}))
    out.push_back(
        {"Simulation speed", *v >= 1e6 ? fixed(*v / 1e6, 2) : grouped(*v),
         *v >= 1e6 ? "M cycles/s" : "cycles/s",
         number(doc, {"sim", "wall_s"}) ? "in " + seconds(*number(doc, {"sim", "wall_s"})) : "",
         Status::kPlain});
  return out;
}

}  // namespace

View make_view(const Json& doc, Present present) {
  View view;
  if (!doc.is_object()) {
    view.verdict = "NO VERDICT";
    view.status = Status::kWarn;
    view.summary = "the report is empty";
    return view;
  }
  view.device = text(doc, {"device"});
  view.command = text(doc, {"command"});
  view.version = text(doc, {"version"});
  if (const Json* f = find(doc, {"failure"}); f && f->is_object()) {
    view.failure.emplace();
    view.failure->headline = text(doc, {"failure", "headline"});
    view.failure->bucket = text(doc, {"bucket"});
    view.failure->reproduce = text(doc, {"failure", "reproduce"});
    if (const Json* lines = find(doc, {"failure", "lines"}); lines && lines->is_array())
      for (const Json& line : *lines) {
        const std::string whole =
            clean(line.is_string() ? line.get<std::string>() : scalar(line), true);
        for (std::size_t at = 0; at <= whole.size();) {
          const std::size_t end = std::min(whole.find('\n', at), whole.size());
          view.failure->lines.push_back(whole.substr(at, end - at));
          at = end + 1;
        }
      }
  }
  const auto pass = boolean(doc, {"pass"});
  view.verdict = !pass ? "NO VERDICT" : *pass ? "PASS" : "FAIL";
  view.status = !pass ? Status::kWarn : *pass ? Status::kGood : Status::kBad;
  if (present != nullptr) present(doc, view);
  std::vector<Section> unknown = others(doc, view);
  std::vector<Section> all = {what_ran(doc, view), rate(doc), held_lines(doc)};
  for (std::vector<Section>* more : {&view.sections, &unknown}) {
    for (Section& s : *more) all.push_back(std::move(s));
  }
  for (const Section& s : {coverage(doc), checks(doc), simulator(doc)}) all.push_back(s);
  view.sections = std::move(all);
  std::erase_if(view.sections, [](const Section& s) { return s.empty(); });
  view.summary = summary_of(doc, view);
  for (Card& card : cards(doc)) view.cards.push_back(std::move(card));
  return view;
}

}  // namespace gw::sim::report
