// What a live NIC counts, and how it says so: a line a second, a file for other programs, a report
// in the end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace gw::tools {

/// What a direction has counted. Written by its process, read by both.
struct LiveCounts {
  using Count = std::atomic<uint64_t>;
  static constexpr size_t kMostActions = 32;

  Count frames_in{0}, bytes_in{0};
  Count frames_out{0}, bytes_out{0};
  Count packed{0}, packed_long{0}, packed_short{0};
  Count ipv6{0}, ipv6_marked{0}, forgets{0};
  Count in_error{0}, lost{0}, refused{0}, too_long{0};
  Count latency{0}, cycles{0};
  std::array<Count, kMostActions> actions{};  ///< frames by what the device did with them
};

/// The counters of a direction at one time, and what became of them since another.
class LiveSnapshot {
 public:
  LiveSnapshot() = default;
  explicit LiveSnapshot(const LiveCounts& counts);
  LiveSnapshot since(const LiveSnapshot& before) const;

  uint64_t operator[](LiveCounts::Count LiveCounts::*figure) const;
  /// Frames by action, as far as there were any: `names` are the device's.
  std::vector<std::pair<std::string, uint64_t>> reasons(
      const std::vector<std::string>& names) const;
  /// All of it, by the names of docs/live.md.
  nlohmann::json json(const std::vector<std::string>& names) const;

 private:
  static constexpr size_t kFigures = 16;
  std::array<uint64_t, kFigures> figures_{};
  std::array<uint64_t, LiveCounts::kMostActions> actions_{};
  friend class LiveFigures;
};

/// The figures of a NIC's two directions.
class LiveFigures {
 public:
  struct Direction {
    const char* name;  ///< tx, rx
    const LiveCounts* counts;
    const char* usual;                 ///< packed, unpacked: the action that needs no reason
    std::vector<std::string> actions;  ///< names of LiveCounts::actions
  };
  enum class Format : uint8_t { kJson, kPrometheus };

  LiveFigures(std::string host, std::string wire, std::array<Direction, 2> directions);

  /// Writes `path` from now on in each second, too. Throws InputError if that cannot be done.
  void keep(const std::string& path, Format format);
  /// A second is over. `print`: a line on standard output. Never throws.
  void second(bool print);
  /// The end: prints the sums, and completes the file. False: the file could not be written.
  bool end(bool print);
  /// Seconds since it began.
  double seconds() const;
  /// The report's `tx` or `rx`.
  nlohmann::json report(size_t direction) const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  static std::string words(const LiveSnapshot& snapshot, const Direction& direction);
  void print_line(const std::array<LiveSnapshot, 2>& part, double seconds) const;
  std::string json_line(const std::array<LiveSnapshot, 2>& part, double seconds) const;
  std::string prometheus(const std::array<LiveSnapshot, 2>& all) const;

  std::string host_, wire_;
  std::array<Direction, 2> directions_;
  std::array<LiveSnapshot, 2> last_{};
  Clock::time_point begin_ = Clock::now(), then_ = begin_;
  Format format_ = Format::kJson;
  std::string path_;  ///< empty: no file, or one that could not be written any more
  std::unique_ptr<std::FILE, Close> lines_;
  bool whole_ = true;
};

}  // namespace gw::tools
