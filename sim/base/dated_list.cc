// SPDX-License-Identifier: Apache-2.0
#include "sim/base/dated_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>

#include "sim/base/error.h"
#include "sim/base/file_bytes.h"

namespace gw::sim {
namespace {

class DatedReader {
 public:
  DatedReader(const std::string& file, const DatedKind& kind) : file_(file), kind_(kind) {}

  [[noreturn]] void wrong(const toml::source_region& at, const std::string& what) const {
    throw InputError(fmt::format("{}:{}:{}: {}", file_, at.begin.line, at.begin.column, what));
  }

  DatedEntry entry(const toml::table& table) const {
    for (const auto& [key, value] : table) {
      const std::string_view name = key.str();
      if (name != "until" && std::ranges::count(kind_.keys, name) == 0) {
        wrong(key.source(), fmt::format("{} has no '{}'; it has {}, until", kind_.one, name,
                                        fmt::join(kind_.keys, ", ")));
      }
    }
    DatedEntry entry{
        .texts = {}, .until = {}, .where = fmt::format("{}:{}", file_, table.source().begin.line)};
    for (const std::string_view key : kind_.keys) entry.texts.push_back(text(table, key));
    const toml::node& until = required(table, "until");
    const auto date = until.value_exact<toml::date>();
    if (!date) {
      wrong(until.source(), fmt::format("{}'s 'until' is a date: until = 2027-06-30", kind_.one));
    }
    entry.until = {date->year, date->month, date->day};
    return entry;
  }

 private:
  const toml::node& required(const toml::table& table, std::string_view key) const {
    const toml::node* const node = table.get(key);
    if (node == nullptr) {
      wrong(table.source(), fmt::format("{} without its '{}'", kind_.one, key));
    }
    return *node;
  }
  std::string text(const toml::table& table, std::string_view key) const {
    const toml::node& node = required(table, key);
    const auto text = node.value_exact<std::string>();
    if (!text || text->empty()) {
      wrong(node.source(), fmt::format("{}'s '{}' is a text that is not empty", kind_.one, key));
    }
    return *text;
  }

  const std::string& file_;
  const DatedKind& kind_;
};

}  // namespace

Day Day::today() {
  const std::chrono::year_month_day now(
      std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
  return {static_cast<int>(now.year()), static_cast<int>(static_cast<unsigned>(now.month())),
          static_cast<int>(static_cast<unsigned>(now.day()))};
}

std::string Day::text() const { return fmt::format("{:04}-{:02}-{:02}", year, month, day); }

std::vector<DatedEntry> parse_dated_list(std::string_view text, const std::string& file,
                                         const DatedKind& kind) {
  const DatedReader reader(file, kind);
  toml::table document;
  try {
    document = toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    reader.wrong(error.source(), std::string(error.description()));
  }
  std::vector<DatedEntry> all;
  for (const auto& [key, value] : document) {
    if (key.str() != kind.table || !value.is_array_of_tables()) {
      reader.wrong(key.source(), fmt::format("a file of {} holds [[{}]] and nothing else",
                                             kind.several, kind.table));
    }
    for (const toml::node& node : *value.as_array()) {
      DatedEntry entry = reader.entry(*node.as_table());
      const auto same = [&](const DatedEntry& other) { return other.texts[0] == entry.texts[0]; };
      if (kind.first_is_unique && std::ranges::any_of(all, same)) {
        reader.wrong(node.source(), fmt::format("the {} '{}' is {} twice", kind.keys[0],
                                                entry.texts[0], kind.table));
      }
      all.push_back(std::move(entry));
    }
  }
  return all;
}

std::vector<DatedEntry> read_dated_list(const std::string& file, const DatedKind& kind) {
  return parse_dated_list(bytes_of_file(file), file, kind);
}

}  // namespace gw::sim
