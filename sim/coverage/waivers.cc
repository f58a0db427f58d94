// SPDX-License-Identifier: Apache-2.0
#include "sim/coverage/waivers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include "sim/base/error.h"

namespace gw::sim::coverage {
namespace {

constexpr std::array<std::string_view, 3> kWaiverKeys = {"point", "reason", "who"};
constexpr DatedKind kWaiverKind = {
    .table = "waiver", .one = "a waiver", .several = "waivers", .keys = kWaiverKeys};

std::vector<std::string> patterns_of(const DatedEntry& entry) {
  if (entry.texts[0].find('{') == std::string::npos) return {};
  try {
    return without_braces(entry.texts[0]);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", entry.where, error.what()));
  }
}

std::vector<Waiver> waivers_of(const std::vector<DatedEntry>& entries) {
  std::vector<Waiver> all;
  for (const DatedEntry& entry : entries) {
    all.push_back({.point = entry.texts[0],
                   .reason = entry.texts[1],
                   .who = entry.texts[2],
                   .until = entry.until,
                   .where = entry.where,
                   .patterns = patterns_of(entry)});
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

std::vector<std::string> without_braces(const std::string& pattern) {
  constexpr size_t kMost = 10'000;
  const size_t open = pattern.find('{'), close = pattern.find('}', open);
  if (open == std::string::npos) return {pattern};
  if (close == std::string::npos) {
    throw InputError(fmt::format("'{}' has a brace that does not end", pattern));
  }
  if (pattern.find('{', open + 1) < close) {
    throw InputError(fmt::format("'{}' has a brace within a brace", pattern));
  }
  std::vector<std::string> words;
  std::istringstream list(pattern.substr(open + 1, close - open - 1));
  for (std::string word; std::getline(list, word, ',');) {
    const size_t dots = word.find("..");
    uint32_t first = 0, last = 0;
    const char* const end = word.data() + word.size();
    const bool range = dots != std::string::npos &&
                       std::from_chars(word.data(), end, first).ptr == word.data() + dots &&
                       std::from_chars(word.data() + dots + 2, end, last).ptr == end;
    if (!range) {
      words.push_back(word);
      continue;
    }
    if (first > last || last - first >= kMost) {
      throw InputError(fmt::format("'{}' is no range of numbers in '{}'", word, pattern));
    }
    for (uint32_t number = first; number <= last; ++number) words.push_back(std::to_string(number));
  }
  std::vector<std::string> all;
  for (const std::string& word : words) {
    for (std::string& rest : without_braces(pattern.substr(close + 1))) {
      all.push_back(pattern.substr(0, open) + word + rest);
    }
    if (all.size() > kMost) {
      throw InputError(fmt::format("'{}' stands for too many points", pattern));
    }
  }
  if (all.empty()) throw InputError(fmt::format("'{}' stands for no point", pattern));
  return all;
}

bool Waiver::covers(std::string_view name) const {
  if (patterns.empty()) return matches(point, name);
  return std::ranges::any_of(patterns, [&](const std::string& p) { return matches(p, name); });
}

std::vector<Waiver> parse_waivers(std::string_view text, const std::string& file) {
  return waivers_of(parse_dated_list(text, file, kWaiverKind));
}

std::vector<Waiver> read_waivers(const std::string& file) {
  return waivers_of(read_dated_list(file, kWaiverKind));
}

}  // namespace gw::sim::coverage
