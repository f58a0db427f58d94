// SPDX-License-Identifier: Apache-2.0
#include "sim/regress/known.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "sim/base/dated_list.h"

namespace gw::regress {
namespace {

constexpr std::array<std::string_view, 3> kKnownKeys = {"bucket", "reason", "issue"};
constexpr sim::DatedKind kKnownKind = {.table = "known",
                                       .one = "a known failure",
                                       .several = "known failures",
                                       .keys = kKnownKeys,
                                       .first_is_unique = true};

}  // namespace

std::string KnownFailure::text() const {
  return fmt::format("until {}: {} ({})", until, reason, issue);
}

KnownFailures::KnownFailures(const std::vector<sim::DatedEntry>& entries) {
  for (const sim::DatedEntry& entry : entries) {
    all_.push_back({.bucket = entry.texts[0],
                    .reason = entry.texts[1],
                    .issue = entry.texts[2],
                    .until = entry.until.text()});
  }
}

KnownFailures KnownFailures::parse(std::string_view text, const std::string& file) {
  return KnownFailures(sim::parse_dated_list(text, file, kKnownKind));
}

KnownFailures KnownFailures::read(const std::string& file) {
  std::error_code error;
  if (file.empty() || !std::filesystem::exists(file, error)) return {};
  return KnownFailures(sim::read_dated_list(file, kKnownKind));
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

std::string today() { return sim::Day::today().text(); }

}  // namespace gw::regress
