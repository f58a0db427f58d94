// Lists in TOML of what is allowed until a day: tables of texts that are all required, and of a
// date.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gw::sim {

/// A day; compares as such.
struct Day {
  int year = 0, month = 0, day = 0;

  static Day today();        ///< UTC
  std::string text() const;  ///< 2027-06-30
  friend auto operator<=>(const Day&, const Day&) = default;
};

/// What a list's tables are: [[table]], each with the texts `keys` and `until`.
struct DatedKind {
  std::string_view table;                  // "waiver"
  std::string_view one, several;           // "a waiver", "waivers"
  std::span<const std::string_view> keys;  // "point", "reason", ...
  bool first_is_unique = false;            // no two tables have the same first text
};

struct DatedEntry {
  std::vector<std::string> texts;  // in the order of the kind's keys
  Day until;                       // its last day
  std::string where;               // file:line
};

/// Throws InputError with file:line:column for whatever is no such table.
std::vector<DatedEntry> parse_dated_list(std::string_view toml, const std::string& file,
                                         const DatedKind& kind);
/// Throws InputError, too, if the file cannot be read.
std::vector<DatedEntry> read_dated_list(const std::string& file, const DatedKind& kind);

}  // namespace gw::sim
