// SPDX-License-Identifier: Apache-2.0
#include "sim/coverage/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace gw::sim::coverage {

using nlohmann::json;

namespace {

/// What is said of waivers by the points that they name. There are many of both: of a bit,
/// `...[12]`, only those patterns are looked at that end so, or that end in no such way.
class Waiving {
 public:
  explicit Waiving(const std::vector<Waiver>& waivers) : waivers_(waivers) {
    for (size_t i = 0; i < waivers.size(); ++i) {
      const Waiver& w = waivers[i];
      if (w.patterns.empty()) {
        by_end_[end_of(w.point)].emplace_back(i, w.point);
      }
      for (const std::string& pattern : w.patterns) {
        by_end_[end_of(pattern)].emplace_back(i, pattern);
      }
    }
  }

  /// Whether a point that was not reached may be so; notes one that was.
  bool waived(const std::string& name, bool reached) {
    const std::string_view end = end_of(name);
    const bool found = look(end, name, reached);
    return (end.empty() ? found : look({}, name, reached) || found) && !reached;
  }
  bool none() const { return waivers_.empty(); }

  void tell(json& failures, const Day& today) const {
    for (size_t i = 0; i < waivers_.size(); ++i) {
      const Waiver& w = waivers_[i];
      if (w.expired(today)) {
        failures.push_back(fmt::format("{}: the waiver of {} expired on {} ({}, {})", w.where,
                                       w.point, w.until.text(), w.who, w.reason));
      }
      if (const auto at = reached_.find(i); at != reached_.end()) {
        failures.push_back(fmt::format("{}: the waiver of {} is not needed: {} was reached",
                                       w.where, w.point, at->second));
      }
    }
  }

 private:
  /// The index that a name or a pattern ends with, in its brackets: the same of all names that the
  /// pattern matches. Or nothing.
  static std::string_view end_of(std::string_view name) {
    if (!name.ends_with(']')) return {};
    const std::string_view end = name.substr(std::min(name.rfind('['), name.size()));
    return end.find_first_of("*?") == std::string_view::npos ? end : std::string_view{};
  }
  bool look(std::string_view end, const std::string& name, bool reached) {
    const auto at = by_end_.find(end);
    if (at == by_end_.end()) return false;
    bool found = false;
    for (const auto& [waiver, pattern] : at->second) {
      if (!matches(pattern, name)) continue;
      found = true;
      if (reached) reached_.try_emplace(waiver, name);
    }
    return found;
  }

  const std::vector<Waiver>& waivers_;
  std::unordered_map<std::string_view, std::vector<std::pair<size_t, std::string_view>>> by_end_;
  std::map<size_t, std::string> reached_;
};

struct Sum {
  uint64_t covered = 0, possible = 0, waived = 0;

  void add(bool is_covered, bool is_waived) {
    ++possible;
    covered += is_covered;
    waived += is_waived;
  }
  Sum& operator+=(const Sum& other) {
    covered += other.covered;
    possible += other.possible;
    waived += other.waived;
    return *this;
  }
  /// Rounded down: what is not whole never reads as 100.
  void write(json& section) const {
    const uint64_t asked = possible - waived;
    const double percent =
        asked == 0
            ? 100
            : std::floor(10000.0 * static_cast<double>(covered) / static_cast<double>(asked)) / 100;
    section["covered"] = covered;
    section["possible"] = possible;
    section["waived"] = waived;
    section["percent"] = percent;
  }
};

json functional(const Points& points, Waiving& waiving, json& failures) {
  json tables = json::array();
  Sum all;
  for (const auto& [key, table] : points.tables()) {
    const std::string& device = key.first;
    Table open = table;  // as if what is waived had been reached
    Sum sum;
    for (size_t cell = 0; cell < table.cells(); ++cell) {
      if (!table.possible(cell)) continue;
      const bool reached = table.count(cell) != 0;
      const bool waived = !waiving.none() &&
                          waiving.waived(cell_point(device, table, table.cell_name(cell)), reached);
      sum.add(reached, waived);
      if (waived) open.add(cell, 1);
    }
    for (const size_t cell : table.contradictions()) {
      failures.push_back(fmt::format("{} was reached, which cannot be: {}",
                                     cell_point(device, table, table.cell_name(cell)),
                                     table.why_impossible(cell)));
    }
    json unreached = json::array(), impossible = json::array();
    for (const Table::Gap& gap : open.unreached()) {
      unreached.push_back({{"name", gap.name}, {"cells", gap.cells}});
    }
    for (const auto& [reason, cells] : table.impossible_cells()) {
      impossible.push_back({{"reason", reason}, {"cells", cells}});
    }
    json axes = json::array();
    for (const Axis& axis : table.axes()) axes.push_back(axis.name);
    json one = {{"device", device},
                {"table", table.name()},
                {"meaning", table.meaning()},
                {"axes", std::move(axes)},
                {"impossible", std::move(impossible)},
                {"unreached", std::move(unreached)}};
    sum.write(one);
    tables.push_back(std::move(one));
    all += sum;
  }
  json section = {{"tables", std::move(tables)}};
  all.write(section);
  return section;
}

/// The instance, without the name that the simulator puts before the top, and a cover's own after
/// it.
std::string instance_of(const RtlPoint& p) {
  std::string_view scope = p.scope;
  const std::string within = p.top + '.' + p.top;
  if (scope.starts_with(within)) scope.remove_prefix(p.top.size() + 1);
  if (p.kind == "user" && scope.ends_with('.' + p.text)) scope.remove_suffix(p.text.size() + 1);
  return std::string(scope);
}

json of_kind(const Points& points, const std::string& kind, Waiving& waiving) {
  // A place of a module, over all its instances.
  struct Place {
    bool covered = false, waived = true;
  };
  std::map<std::string, std::map<std::tuple<uint32_t, uint32_t, std::string>, Place>> modules;
  std::map<std::string, Sum> instances;
  for (const auto& [p, times] : points.rtl()) {
    if (p.kind != kind) continue;
    const bool reached = times != 0;
    const bool waived = !waiving.none() && waiving.waived(p.name(), reached);
    instances[instance_of(p)].add(reached, waived);
    Place& place = modules[p.file][{p.line, p.column, p.text}];
    place.covered |= reached;
    place.waived &= waived;
  }
  json files = json::array(), scopes = json::array();
  Sum all;
  for (const auto& [file, places] : modules) {
    Sum sum;
    json unreached = json::array();
    for (const auto& [at, place] : places) {
      sum.add(place.covered, place.waived && !place.covered);
      if (place.covered || place.waived) continue;
      unreached.push_back(
          fmt::format("{}:{}:{} {}", file, std::get<0>(at), std::get<1>(at), std::get<2>(at)));
    }
    json one = {{"file", file}, {"unreached", std::move(unreached)}};
    sum.write(one);
    files.push_back(std::move(one));
    all += sum;
  }
  for (const auto& [scope, sum] : instances) {
    json one = {{"instance", scope}};
    sum.write(one);
    scopes.push_back(std::move(one));
  }
  json section = {{"modules", std::move(files)}, {"instances", std::move(scopes)}};
  all.write(section);
  return section;
}

/// Bits of a signal that miss the same thing, as one name: gw_x.u_y.count_q[31:20] never rose.
class Unreached {
 public:
  explicit Unreached(json& names) : names_(names) {}

  void bit(const std::string& name, const ToggleSignal& signal, uint32_t bit, const char* what) {
    if (what == what_ && &signal == signal_ && bit == last_ + 1) {
      last_ = bit;
      return;
    }
    flush();
    signal_ = &signal;
    name_ = &name;
    what_ = what;
    first_ = last_ = bit;
  }
  void flush() {
    if (what_ == nullptr) return;
    const uint32_t lsb = signal_->lsb;
    std::string index;
    if (signal_->bits != 1) {
      index = first_ == last_ ? fmt::format("[{}]", lsb + first_)
                              : fmt::format("[{}:{}]", lsb + last_, lsb + first_);
    }
    names_.push_back(fmt::format("{}{} {}", *name_, index, what_));
    what_ = nullptr;
  }

 private:
  json& names_;
  const ToggleSignal* signal_ = nullptr;
  const std::string* name_ = nullptr;
  const char* what_ = nullptr;
  uint32_t first_ = 0, last_ = 0;
};

json toggle(const Points& points, Waiving& waiving) {
  struct Top {
    Sum sum;
    json unreached = json::array();
  };
  std::map<std::string, Top> tops;
  std::map<std::string, Sum> instances;
  json absent = json::array(), memories = json::array();
  uint64_t absent_bits = 0, memory_bits = 0;
  Sum all;
  for (const auto& [key, s] : points.toggles()) {
    const auto& [top, name] = key;
    if (s.seen != ToggleSignal::Seen::kCounted) {
      const bool is_absent = s.seen == ToggleSignal::Seen::kAbsent;
      const uint64_t bits = uint64_t{s.bits} * s.elements;
      (is_absent ? absent : memories).push_back({{"name", name}, {"bits", bits}});
      (is_absent ? absent_bits : memory_bits) += bits;
      continue;
    }
    Sum sum;
    Unreached unreached(tops[top].unreached);
    for (uint32_t bit = 0; bit < s.bits; ++bit) {
      const bool rose = s.bit_rose(bit), fell = s.bit_fell(bit), covered = rose && fell;
      const bool waived =
          !waiving.none() && waiving.waived(toggle_point(top, name, s, bit), covered);
      sum.add(covered, waived);
      if (covered || waived) continue;
      unreached.bit(name, s, bit, rose ? "never fell" : fell ? "never rose" : "never changed");
    }
    unreached.flush();
    tops[top].sum += sum;
    instances[name.substr(0, name.rfind('.'))] += sum;
    all += sum;
  }
  json files = json::array(), scopes = json::array();
  for (auto& [name, top] : tops) {
    json one = {{"file", name}, {"unreached", std::move(top.unreached)}};
    top.sum.write(one);
    files.push_back(std::move(one));
  }
  for (const auto& [scope, sum] : instances) {
    json one = {{"instance", scope}};
    sum.write(one);
    scopes.push_back(std::move(one));
  }
  json section = {{"modules", std::move(files)},     {"instances", std::move(scopes)},
                  {"absent", std::move(absent)},     {"absent_bits", absent_bits},
                  {"memories", std::move(memories)}, {"memory_bits", memory_bits}};
  all.write(section);
  return section;
}

std::string shares(const json& section) {
  const auto waived = section["waived"].get<uint64_t>();
  return fmt::format("{:>6} of {:>6}  {:>6.2f} %{}", section["covered"].get<uint64_t>(),
                     section["possible"].get<uint64_t>(), section["percent"].get<double>(),
                     waived == 0 ? "" : fmt::format("  {} waived", waived));
}

}  // namespace

json summary(const Points& points, const std::vector<Waiver>& waivers, const Day& today) {
  Waiving waiving(waivers);
  json document = {{"runs", points.runs()}};
  json failures = json::array();
  if (!points.tables().empty()) document["functional"] = functional(points, waiving, failures);
  std::set<std::string> kinds;
  for (const auto& [point, times] : points.rtl()) kinds.insert(point.kind);
  for (const std::string& kind : kinds) document[kind] = of_kind(points, kind, waiving);
  if (!points.toggles().empty()) document["toggle"] = toggle(points, waiving);
  waiving.tell(failures, today);
  document["failures"] = std::move(failures);
  return document;
}

std::string summary_text(const json& summary, size_t most, bool instances) {
  std::string out;
  const auto names = [&](const json& unreached, const auto& name_of) {
    size_t shown = 0;
    for (const json& one : unreached) {
      if (most != 0 && shown == most) {
        out += fmt::format("      and {} more\n", unreached.size() - shown);
        break;
      }
      out += fmt::format("      {}\n", name_of(one));
      ++shown;
    }
  };
  if (summary.contains("functional")) {
    const json& functional = summary["functional"];
    out += fmt::format("{:<48} {}\n", "functional", shares(functional));
    for (const json& t : functional["tables"]) {
      out += fmt::format("  {:<46} {}\n",
                         t["device"].get<std::string>() + "/" + t["table"].get<std::string>(),
                         shares(t));
      names(t["unreached"], [](const json& gap) {
        const auto cells = gap["cells"].get<size_t>();
        return gap["name"].get<std::string>() +
               (cells == 1 ? "" : fmt::format("  ({} cells)", cells));
      });
    }
  }
  for (const char* kind : {"line", "branch", "user", "toggle"}) {
    if (!summary.contains(kind)) continue;
    const json& section = summary[kind];
    out += fmt::format("{:<48} {}\n", kind, shares(section));
    for (const json& module : section["modules"]) {
      out += fmt::format("  {:<46} {}\n", module["file"].get<std::string>(), shares(module));
      names(module["unreached"], [](const json& name) { return name.get<std::string>(); });
    }
    for (const char* apart : {"memories", "absent"}) {
      if (!section.contains(apart) || section[apart].empty()) continue;
      const bool is_absent = std::string_view(apart) == "absent";
      out += fmt::format(
          "  not counted: {} bits of {} {}\n",
          section[is_absent ? "absent_bits" : "memory_bits"].get<uint64_t>(), section[apart].size(),
          is_absent ? "signals that are absent (removed, or another's name)" : "memories");
      names(section[apart], [](const json& s) {
        return fmt::format("{}  ({} bits)", s["name"].get<std::string>(),
                           s["bits"].get<uint64_t>());
      });
    }
    if (!instances) continue;
    out += fmt::format("  {} by instance\n", kind);
    for (const json& instance : section["instances"]) {
      out +=
          fmt::format("  {:<46} {}\n", instance["instance"].get<std::string>(), shares(instance));
    }
  }
  for (const json& failure : summary["failures"]) {
    out += fmt::format("FAIL  {}\n", failure.get<std::string>());
  }
  return out;
}

}  // namespace gw::sim::coverage
