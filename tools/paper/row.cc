// SPDX-License-Identifier: Apache-2.0
#include "tools/paper/row.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "sim/base/error.h"
#include "sim/report/text.h"

namespace gw::paper {

std::string class_name(Class kind) {
  static constexpr std::array kNames = {"exact", "prediction", "calibrated", "fit",
                                        "shape", "context",    "unavailable"};
  return kNames.at(static_cast<size_t>(kind));
}

std::string verdict_name(Verdict verdict) {
  static constexpr std::array kNames = {"equal",           "differs", "holds", "does not hold",
                                        "cannot be asked", "shown",   "waits", "needs MNIST",
                                        "left out",        "failed"};
  return kNames.at(static_cast<size_t>(verdict));
}

const nlohmann::json& Documents::of(const std::vector<std::string>& words) {
  if (const auto failed = failures_.find(words); failed != failures_.end()) {
    throw sim::InputError(failed->second);
  }
  const auto found = documents_.find(words);
  if (found != documents_.end()) return found->second;
  try {
    return documents_[words] = make_(words);
  } catch (const sim::UserError& error) {
    documents_.erase(words);
    failures_[words] = error.what();  // once is enough
    throw;
  }
}

const nlohmann::json* Documents::made(const std::vector<std::string>& words) const {
  const auto found = documents_.find(words);
  return found == documents_.end() ? nullptr : &found->second;
}

std::optional<Printed> parse_printed(const std::string& text) {
  std::string digits;
  Printed printed;
  bool point = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      if (point) ++printed.decimals;
      digits += c;
    } else if (c == '.' && !point) {
      point = true;
      digits += c;
    } else if (c == ',' && !point && i != 0) {
      continue;
    } else if ((c == '-' || c == '+') && i == 0) {
      if (c == '-') digits += c;
    } else {
      return std::nullopt;
    }
  }
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), printed.value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  printed.half_unit = 0.5 * std::pow(10, -printed.decimals);
  return printed;
}

std::string command_of(const Row& row) {
  if (!row.measure) return "";
  std::vector<std::string> words = {"gradwire"};
  if (row.command.empty()) {
    words.insert(words.end(), {"paper", row.paper, row.item});
  } else {
    words.insert(words.end(), row.command.begin(), row.command.end());
  }
  return sim::report::shell_command(words);
}

}  // namespace gw::paper
