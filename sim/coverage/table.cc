// SPDX-License-Identifier: Apache-2.0
#include "sim/coverage/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

namespace gw::sim::coverage {

using nlohmann::json;

std::vector<std::string> numbers(int from, int to) {
  std::vector<std::string> all;
  for (int n = from; n <= to; ++n) all.push_back(std::to_string(n));
  return all;
}

Table::Table(std::string name, std::string meaning, std::vector<Axis> axes)
    : name_(std::move(name)), meaning_(std::move(meaning)), axes_(std::move(axes)) {
  size_t cells = 1;
  for (const Axis& axis : axes_) {
    sizes_.push_back(axis.values.size());
    cells *= axis.values.size();
  }
  if (axes_.empty() || cells == 0) throw std::logic_error("a table without cells: " + name_);
  counts_.resize(cells);
  reason_of_.resize(cells);
}

Table& Table::impossible(const std::string& reason, const std::function<bool(At)>& which) {
  const auto known = std::ranges::find(reasons_, reason);
  const auto number = static_cast<uint16_t>(known - reasons_.begin());
  if (known == reasons_.end()) reasons_.push_back(reason);
  for (size_t cell = 0; cell < cells(); ++cell) {
    if (possible(cell) && which(at(cell))) reason_of_[cell] = number;
  }
  return *this;
}

std::vector<size_t> Table::at(size_t cell) const {
  std::vector<size_t> places(sizes_.size());
  for (size_t axis = sizes_.size(); axis-- > 0; cell /= sizes_[axis]) {
    places[axis] = cell % sizes_[axis];
  }
  return places;
}

std::string Table::cell_name(size_t cell) const {
  std::string name;
  const std::vector<size_t> places = at(cell);
  for (size_t axis = 0; axis < axes_.size(); ++axis) {
    name += (axis == 0 ? "" : "/") + axes_[axis].values[places[axis]];
  }
  return name;
}

size_t Table::find(const std::string& name) const {
  size_t cell = 0, begin = 0;
  for (const Axis& axis : axes_) {
    if (begin > name.size()) return cells();
    const size_t end = std::min(name.find('/', begin), name.size());
    const auto value = std::ranges::find(axis.values, name.substr(begin, end - begin));
    if (value == axis.values.end()) return cells();
    cell = cell * axis.values.size() + static_cast<size_t>(value - axis.values.begin());
    begin = end + 1;
  }
  return begin == name.size() + 1 ? cell : cells();
}

bool Table::same_shape(const Table& other) const {
  if (name_ != other.name_ || axes_.size() != other.axes_.size()) return false;
  for (size_t axis = 0; axis < axes_.size(); ++axis) {
    if (axes_[axis].name != other.axes_[axis].name ||
        axes_[axis].values != other.axes_[axis].values) {
      return false;
    }
  }
  for (size_t cell = 0; cell < cells(); ++cell) {
    if (possible(cell) != other.possible(cell)) return false;
  }
  return true;
}

bool Table::merge(const Table& other) {
  if (!same_shape(other)) return false;
  for (size_t cell = 0; cell < cells(); ++cell) counts_[cell] += other.counts_[cell];
  return true;
}

Tally Table::tally() const {
  Tally tally;
  for (size_t cell = 0; cell < cells(); ++cell) {
    if (!possible(cell)) continue;
    ++tally.possible;
    tally.covered += counts_[cell] != 0;
  }
  return tally;
}

std::vector<std::pair<std::string, size_t>> Table::impossible_cells() const {
  std::vector<std::pair<std::string, size_t>> all;
  for (size_t reason = 1; reason < reasons_.size(); ++reason) {
    const auto cells = static_cast<size_t>(std::ranges::count(reason_of_, reason));
    if (cells != 0) all.emplace_back(reasons_[reason], cells);
  }
  return all;
}

std::vector<size_t> Table::contradictions() const {
  std::vector<size_t> all;
  for (size_t cell = 0; cell < cells(); ++cell) {
    if (!possible(cell) && counts_[cell] != 0) all.push_back(cell);
  }
  return all;
}

std::vector<Table::Gap> Table::unreached() const {
  // A pattern keeps some axes and lets the others be anything. It holds if none of its possible
  // cells was seen. The one with the most cells that no other has named comes first.
  const size_t patterns = size_t{1} << axes_.size();
  std::vector<char> named(cells());
  std::vector<Gap> gaps;
  std::vector<size_t> kept(patterns);  // by their number of kept axes, few first
  std::iota(kept.begin(), kept.end(), size_t{0});
  std::ranges::stable_sort(kept, {}, [](size_t k) { return std::popcount(k); });
  for (const size_t keep : kept) {
    // Where a cell falls when the axes that are not kept fold into one.
    const auto fold = [&](size_t cell) {
      size_t folded = 0, scale = 1;
      for (size_t axis = axes_.size(); axis-- > 0; cell /= sizes_[axis]) {
        if ((keep >> axis & 1) == 0) continue;
        folded += cell % sizes_[axis] * scale;
        scale *= sizes_[axis];
      }
      return folded;
    };
    struct Sums {
      bool seen = false;
      size_t fresh = 0, possible = 0, cell = 0;
    };
    std::map<size_t, Sums> sums;
    for (size_t cell = 0; cell < cells(); ++cell) {
      if (!possible(cell)) continue;
      Sums& s = sums[fold(cell)];
      s.seen |= counts_[cell] != 0;
      s.fresh += counts_[cell] == 0 && named[cell] == 0;
      s.possible += 1;
      s.cell = cell;
    }
    std::erase_if(sums, [&](const auto& s) {
      // A single cell is named as such.
      const bool folds = keep + 1 != patterns;
      return s.second.seen || s.second.fresh == 0 || (folds && s.second.possible == 1);
    });
    for (const auto& [folded, s] : sums) {
      std::string name;
      const std::vector<size_t> places = at(s.cell);
      for (size_t axis = 0; axis < axes_.size(); ++axis) {
        const bool exact = (keep >> axis & 1) != 0;
        name += (axis == 0 ? "" : "/") + (exact ? axes_[axis].values[places[axis]] : "*");
      }
      gaps.push_back({name, s.fresh});
    }
    for (size_t cell = 0; cell < cells(); ++cell) {
      if (possible(cell) && sums.contains(fold(cell))) named[cell] = 1;
    }
  }
  std::ranges::stable_sort(gaps, std::greater{}, &Gap::cells);
  return gaps;
}

json Table::to_json() const {
  json axes = json::array();
  for (const Axis& axis : axes_) axes.push_back({{"name", axis.name}, {"values", axis.values}});
  json impossible = json::array();
  for (size_t reason = 1; reason < reasons_.size(); ++reason) {
    json ranges = json::array();
    for (size_t cell = 0; cell < cells(); ++cell) {
      if (reason_of_[cell] != reason) continue;
      const size_t from = cell;
      while (cell + 1 < cells() && reason_of_[cell + 1] == reason) ++cell;
      ranges.push_back({from, cell});
    }
    impossible.push_back({{"reason", reasons_[reason]}, {"cells", std::move(ranges)}});
  }
  return {{"table", name_},
          {"meaning", meaning_},
          {"axes", std::move(axes)},
          {"impossible", std::move(impossible)},
          {"counts", counts_}};
}

Table Table::from_json(const json& document) {
  constexpr size_t kMostCells = size_t{1} << 24;
  std::vector<Axis> axes;
  size_t cells = 1;
  for (const json& axis : document.at("axes")) {
    axes.push_back({axis.at("name"), axis.at("values")});
    const size_t values = axes.back().values.size();
    if (values == 0 || values > kMostCells / cells) {
      throw std::runtime_error("an axis without values, or too many cells");
    }
    cells *= values;
  }
  if (axes.empty() || axes.size() > 8) throw std::runtime_error("a table has 1 to 8 axes");
  Table table(document.at("table"), document.at("meaning"), std::move(axes));
  const auto counts = document.at("counts").get<std::vector<uint64_t>>();
  if (counts.size() != table.cells()) {
    throw std::runtime_error(
        fmt::format("{} has {} counts for {} cells", table.name_, counts.size(), table.cells()));
  }
  table.counts_ = counts;
  for (const json& impossible : document.at("impossible")) {
    table.reasons_.push_back(impossible.at("reason"));
    for (const auto& [from, to] :
         impossible.at("cells").get<std::vector<std::pair<size_t, size_t>>>()) {
      if (from > to || to >= table.cells()) throw std::runtime_error("a cell outside the table");
      for (size_t cell = from; cell <= to; ++cell) {
        table.reason_of_[cell] = static_cast<uint16_t>(table.reasons_.size() - 1);
      }
    }
  }
  return table;
}

}  // namespace gw::sim::coverage
