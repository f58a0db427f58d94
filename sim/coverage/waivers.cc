#include "sim/coverage/waivers.h"

#include <array>

namespace gw::sim::coverage {
namespace {

constexpr std::array<std::string_view, 3> kWaiverKeys = {"point", "reason", "who"};
constexpr DatedKind kWaiverKind = {
    .table = "waiver", .one = "a waiver", .several = "waivers", .keys = kWaiverKeys};

std::vector<Waiver> waivers_of(const std::vector<DatedEntry>& entries) {
  std::vector<Waiver> all;
  for (const DatedEntry& entry : entries) {
    all.push_back({.point = entry.texts[0],
                   .reason = entry.texts[1],
                   .who = entry.texts[2],
                   .until = entry.until,
                   .where = entry.where});
  }
  return all;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view name) {
  size_t p = 0, n = 0, star = std::string_view::npos, mark = 0;
  while (n < name.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n]) && pattern[p] != '*') {
      ++p;
      ++n;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool Waiver::covers(std::string_view name) const { return matches(point, name); }

std::vector<Waiver> parse_waivers(std::string_view text, const std::string& file) {
  return waivers_of(parse_dated_list(text, file, kWaiverKind));
}

std::vector<Waiver> read_waivers(const std::string& file) {
  return waivers_of(read_dated_list(file, kWaiverKind));
}

}  // namespace gw::sim::coverage
