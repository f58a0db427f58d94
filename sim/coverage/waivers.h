// Points that need not be reached: which, why, who says so, until when.
//
//   [[waiver]]
//   point  = "functional/compressor/values/raw/*"    # * stands for anything, ? for a character,
//                                                    # {7,15} for either, {16..31} for any of them
//   reason = "..."
//   who    = "..."
//   until  = 2027-06-30                              # its last day
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/dated_list.h"

namespace gw::sim::coverage {

struct Waiver {
  std::string point, reason, who;
  Day until;
  std::string where;                       ///< file:line
  std::vector<std::string> patterns = {};  ///< `point` without braces; none: as it stands

  bool covers(std::string_view name) const;
  bool expired(const Day& today) const { return until < today; }
};

/// Throws InputError with file:line:column for what is no waiver.
std::vector<Waiver> read_waivers(const std::string& file);
std::vector<Waiver> parse_waivers(std::string_view toml, const std::string& file);

/// `{7,15,a}` stands for each of these, `{16..31}` for each number: all patterns that are meant.
/// Throws InputError naming the pattern: a brace that does not end, or too many patterns.
std::vector<std::string> without_braces(const std::string& pattern);

/// `*` stands for any characters, `?` for one.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace gw::sim::coverage
