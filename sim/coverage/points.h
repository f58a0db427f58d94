// Raw points of one run, or of many: what was seen, and how often. Runs are merged by adding
// counts; every report is made from points alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "sim/coverage/table.h"

namespace gw::sim::coverage {

/// What a file of points is called where it cannot be written.
inline constexpr const char* kFileOfPoints = "coverage";

/// A place in RTL that the simulator counts.
struct RtlPoint {
  std::string kind;   ///< line, branch, user
  std::string top;    ///< the module that was built
  std::string scope;  ///< the instance, with the top
  std::string file;
  uint32_t line = 0, column = 0;
  std::string text;  ///< what distinguishes it: else, the name of a cover, a bit

  auto key() const { return std::tie(kind, top, file, line, column, text, scope); }
  bool operator<(const RtlPoint& other) const { return key() < other.key(); }
  /// "line/gw_fifo/gw_compressor.u_fifo/rtl/common/gw_fifo.sv:23:5/else".
  std::string name() const;
};

/// A signal of RTL: which of its bits rose, and which fell, in any run.
struct ToggleSignal {
  enum class Seen {
    kCounted,  // in the order in which one takes another's place
    kMemory,   ///< of too many elements to be counted
    kAbsent,   ///< declared, but not in the simulator's state: removed, or another's name
  };
  Seen seen = Seen::kCounted;
  uint32_t lsb = 0, bits = 0;        ///< of an element
  uint32_t elements = 1;             ///< but for memories
  std::vector<uint64_t> rose, fell;  ///< bit i of word i / 64, if counted

  bool bit_rose(uint32_t bit) const { return (rose[bit / 64] >> bit % 64 & 1) != 0; }
  bool bit_fell(uint32_t bit) const { return (fell[bit / 64] >> bit % 64 & 1) != 0; }
};

class Points {
 public:
  /// Counts are added to those of the same table; throws InputError naming the table if it has
  /// other cells: another version's.
  void add(const std::string& device, const Table& table);
  void add(const RtlPoint& point, uint64_t times) { rtl_[point] += times; }
  /// By its name with top and instances; a bit that rose in one run and fell in another did both.
  /// Of another width: as many as the widest has. InputError: it begins at another bit.
  void add(const std::string& top, const std::string& name, const ToggleSignal& signal);
  void add(const Points& other);
  /// One run more is in these points.
  void count_run() { ++runs_; }

  uint64_t runs() const { return runs_; }
  /// By device and name.
  const std::map<std::pair<std::string, std::string>, Table>& tables() const { return tables_; }
  const std::map<RtlPoint, uint64_t>& rtl() const { return rtl_; }
  /// By top and name.
  const std::map<std::pair<std::string, std::string>, ToggleSignal>& toggles() const {
    return toggles_;
  }
  bool empty() const { return tables_.empty() && rtl_.empty() && toggles_.empty(); }

  nlohmann::json to_json() const;
  /// Throws InputError that names the file.
  static Points from_json(const nlohmann::json& document, const std::string& file);
  static Points read(const std::string& file);

 private:
  uint64_t runs_ = 0;
  std::map<std::pair<std::string, std::string>, Table> tables_;
  std::map<RtlPoint, uint64_t> rtl_;
  std::map<std::pair<std::string, std::string>, ToggleSignal> toggles_;
};

/// "functional/compressor/values/raw/3/byte".
std::string cell_point(const std::string& device, const Table& table, const std::string& cell);

/// "toggle/gw_fifo/gw_fifo.write_q[3]", without the index for a signal of one bit.
std::string toggle_point(const std::string& top, const std::string& name,
                         const ToggleSignal& signal, uint32_t bit);

/// Line points as lcov's tracefile, for genhtml: a line counts as often as the point on it that was
/// seen most often, branches one by one.
std::string lcov_text(const Points& points);

}  // namespace gw::sim::coverage
