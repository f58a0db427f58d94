// Points that need not be reached: which, why, who says so, until when.
//
//   [[waiver]]
//   point  = "functional/compressor/values/raw/*"    # * stands for anything, ? for a character
//   reason = "..."
//   who    = "..."
//   until  = 2027-06-30                              # its last day
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/dated_list.h"

namespace gw::sim::coverage {

struct Waiver {
  std::string point, reason, who;
  Day until;
  std::string where;  ///< file:line

  bool covers(std::string_view name) const;
  bool expired(const Day& today) const { return until < today; }
};

/// Throws InputError with file:line:column for what is no waiver.
std::vector<Waiver> read_waivers(const std::string& file);
std::vector<Waiver> parse_waivers(std::string_view toml, const std::string& file);

/// `*` stands for any characters, `?` for one.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace gw::sim::coverage
