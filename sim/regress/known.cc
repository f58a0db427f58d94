#include "sim/regress/known.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "sim/base/error.h"

namespace gw::regress {
namespace {

[[noreturn]] void wrong(const std::string& file, const toml::source_region& at,
                        const std::string& what) {
  throw sim::InputError(fmt::format("{}:{}:{}: {}", file, at.begin.line, at.begin.column, what));
}

KnownFailure known_of(const toml::table& table, const std::string& file) {
  for (const auto& [key, value] : table) {
    const std::string_view name = key.str();
    if (name != "bucket" && name != "reason" && name != "issue" && name != "until") {
      wrong(file, key.source(),
            fmt::format("a known failure has no '{}'; it has bucket, reason, issue, until", name));
    }
  }
  const auto word = [&](const char* key) {
    const toml::node* const node = table.get(key);
    if (node == nullptr) {
      wrong(file, table.source(), fmt::format("a known failure without its '{}'", key));
    }
    const auto text = node->value_exact<std::string>();
    if (!text || text->empty()) {
      wrong(file, node->source(),
            fmt::format("a known failure's '{}' is a text that is not empty", key));
    }
    return *text;
  };
  KnownFailure known{
      .bucket = word("bucket"), .reason = word("reason"), .issue = word("issue"), .until = {}};
  const toml::node* const until = table.get("until");
  if (until == nullptr) wrong(file, table.source(), "a known failure without its 'until'");
  const auto date = until->value_exact<toml::date>();
  if (!date)
    wrong(file, until->source(), "a known failure's 'until' is a date: until = 2027-06-30");
  known.until = fmt::format("{:04}-{:02}-{:02}", date->year, date->month, date->day);
  return known;
}

}  // namespace

std::string KnownFailure::text() const {
  return fmt::format("until {}: {} ({})", until, reason, issue);
}

KnownFailures KnownFailures::parse(std::string_view text, const std::string& file) {
  toml::table document;
  try {
    document = toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    wrong(file, error.source(), std::string(error.description()));
  }
  KnownFailures known;
  for (const auto& [key, value] : document) {
    if (key.str() != "known" || !value.is_array_of_tables()) {
      wrong(file, key.source(), "a file of known failures holds [[known]] and nothing else");
    }
    for (const toml::node& node : *value.as_array()) {
      KnownFailure one = known_of(*node.as_table(), file);
      if (std::ranges::count(known.all_, one.bucket, &KnownFailure::bucket) != 0) {
        wrong(file, node.source(), fmt::format("the bucket '{}' is known twice", one.bucket));
      }
      known.all_.push_back(std::move(one));
    }
  }
  return known;
}

KnownFailures KnownFailures::read(const std::string& file) {
  std::error_code error;
  if (file.empty() || !std::filesystem::exists(file, error)) return {};
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) throw sim::InputError(fmt::format("cannot read '{}'", file));
  return parse(text, file);
}

void KnownFailures::apply(Entry& entry, std::string_view today) const {
  Result& result = entry.result;
  if (passes(result.verdict) || result.bucket.empty()) return;
  const auto known = std::ranges::find(all_, result.bucket, &KnownFailure::bucket);
  if (known == all_.end()) return;
  if (known->expired(today)) {
    result.headline += fmt::format(" (it was known until {})", known->until);
  } else {
    result.verdict = Verdict::kKnown;
  }
  result.lines.push_back("known " + known->text());
}

std::string today() { return timestamp().substr(0, 10); }

}  // namespace gw::regress
