#include "sim/coverage/waivers.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <chrono>
#include <fstream>
#include <iterator>

#include "sim/base/error.h"

namespace gw::sim::coverage {
namespace {

[[noreturn]] void wrong(const std::string& file, const toml::source_region& at,
                        const std::string& what) {
  throw InputError(fmt::format("{}:{}:{}: {}", file, at.begin.line, at.begin.column, what));
}

std::string word(const toml::table& table, const char* key, const std::string& file) {
  const toml::node* const node = table.get(key);
  if (node == nullptr) {
    wrong(file, table.source(), fmt::format("a waiver without its '{}'", key));
  }
  const auto text = node->value_exact<std::string>();
  if (!text || text->empty()) {
    wrong(file, node->source(), fmt::format("a waiver's '{}' is a text that is not empty", key));
  }
  return *text;
}

Waiver waiver_of(const toml::table& table, const std::string& file) {
  for (const auto& [key, value] : table) {
    const std::string_view name = key.str();
    if (name != "point" && name != "reason" && name != "who" && name != "until") {
      wrong(file, key.source(),
            fmt::format("a waiver has no '{}'; it has point, reason, who, until", name));
    }
  }
  Waiver waiver{.point = word(table, "point", file),
                .reason = word(table, "reason", file),
                .who = word(table, "who", file),
                .until = {},
                .where = fmt::format("{}:{}", file, table.source().begin.line)};
  const toml::node* const until = table.get("until");
  if (until == nullptr) wrong(file, table.source(), "a waiver without its 'until'");
  const auto date = until->value_exact<toml::date>();
  if (!date) wrong(file, until->source(), "a waiver's 'until' is a date: until = 2027-06-30");
  waiver.until = {date->year, date->month, date->day};
  return waiver;
}

}  // namespace

Day Day::today() {
  const std::chrono::year_month_day now(
      std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
  return {static_cast<int>(now.year()), static_cast<int>(static_cast<unsigned>(now.month())),
          static_cast<int>(static_cast<unsigned>(now.day()))};
}

std::string Day::text() const { return fmt::format("{:04}-{:02}-{:02}", year, month, day); }

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
  toml::table document;
  try {
    document = toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    wrong(file, error.source(), std::string(error.description()));
  }
  std::vector<Waiver> all;
  for (const auto& [key, value] : document) {
    if (key.str() != "waiver" || !value.is_array_of_tables()) {
      wrong(file, key.source(), "a file of waivers holds [[waiver]] and nothing else");
    }
    for (const toml::node& node : *value.as_array()) {
      all.push_back(waiver_of(*node.as_table(), file));
    }
  }
  return all;
}

std::vector<Waiver> read_waivers(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw InputError(fmt::format("cannot read '{}'", file));
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return parse_waivers(text, file);
}

}  // namespace gw::sim::coverage
