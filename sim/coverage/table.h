// A table of coverage: the cross product of a few axes, and how often each cell of it was seen.
// Which cells cannot be, and why, is part of the table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gw::sim::coverage {

/// One dimension of a table. Names of values stand in names of cells: no slash is in them.
struct Axis {
  std::string name;
  std::vector<std::string> values;
};

/// "0", "1" ... or other ends of a range.
std::vector<std::string> numbers(int from, int to);

/// How much of what can be was seen.
struct Tally {
  uint64_t covered = 0, possible = 0;

  Tally& operator+=(const Tally& other) {
    covered += other.covered;
    possible += other.possible;
    return *this;
  }
  /// 100 where nothing can be.
  double percent() const {
    return possible == 0 ? 100 : 100 * static_cast<double>(covered) / static_cast<double>(possible);
  }
  friend bool operator==(const Tally&, const Tally&) = default;
};

class Table {
 public:
  /// A cell's place on each axis.
  using At = std::span<const size_t>;

  Table(std::string name, std::string meaning, std::vector<Axis> axes);

  /// Cells that cannot be seen; those that have a reason already keep it.
  Table& impossible(const std::string& reason, const std::function<bool(At)>& which);

  /// The cell at these places, one an axis.
  template <class... Place>
  void hit(Place... at) {
    size_t cell = 0, axis = 0;
    ((cell = cell * sizes_[axis++] + static_cast<size_t>(at)), ...);
    if (axis != sizes_.size() || cell >= counts_.size()) [[unlikely]]
      throw std::logic_error("a cell outside the table " + name_);
    ++counts_[cell];
  }
  void add(size_t cell, uint64_t times) { counts_.at(cell) += times; }
  /// What another run saw in the same table. False, and nothing added, if it is another table.
  bool merge(const Table& other);

  const std::string& name() const { return name_; }
  const std::string& meaning() const { return meaning_; }
  const std::vector<Axis>& axes() const { return axes_; }
  size_t cells() const { return counts_.size(); }
  uint64_t count(size_t cell) const { return counts_.at(cell); }
  /// Empty: it can be seen.
  const std::string& why_impossible(size_t cell) const { return reasons_[reason_of_[cell]]; }
  bool possible(size_t cell) const { return reason_of_[cell] == 0; }
  std::vector<size_t> at(size_t cell) const;
  /// "raw/3/byte".
  std::string cell_name(size_t cell) const;
  /// The cell of that name; cells() if there is none.
  size_t find(const std::string& cell_name) const;

  Tally tally() const;
  /// Why cells cannot be, and how many each.
  std::vector<std::pair<std::string, size_t>> impossible_cells() const;
  /// Cells that cannot be and were seen all the same: the reason is wrong.
  std::vector<size_t> contradictions() const;

  /// Possible cells that were not seen, as few names as hold them: "raw/*/byte" if not one of these
  /// was, "*" on axes where it is all the same.
  struct Gap {
    std::string name;
    size_t cells;
  };
  std::vector<Gap> unreached() const;

  nlohmann::json to_json() const;
  /// Throws std::runtime_error with what is wrong.
  static Table from_json(const nlohmann::json& json);

 private:
  bool same_shape(const Table& other) const;

  std::string name_, meaning_;
  std::vector<Axis> axes_;
  std::vector<size_t> sizes_;
  std::vector<uint64_t> counts_;          ///< the last axis runs fastest
  std::vector<uint16_t> reason_of_;       ///< a place in reasons_
  std::vector<std::string> reasons_{""};  ///< the first: possible
};

}  // namespace gw::sim::coverage
