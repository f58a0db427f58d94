// SPDX-License-Identifier: Apache-2.0
#include "sim/base/options.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "sim/base/error.h"

namespace gw::sim {

OptionSet::OptionSet(const std::vector<Option>& declared) {
  for (const Option& option : declared) values_[option.name] = option.value;
}

OptionSet& OptionSet::set(const std::string& name, std::string value) {
  const auto at = values_.find(name);
  if (at == values_.end()) {
    std::string names;
    for (const auto& [known, ignored] : values_) {
      names += fmt::format("{}--{}", names.empty() ? "" : ", ", known);
    }
    throw UsageError(fmt::format("there is no option --{} here; there are {}", name,
                                 names.empty() ? "none" : names));
  }
  at->second = changed_[name] = std::move(value);
  return *this;
}

const std::string& OptionSet::word(const std::string& name) const { return values_.at(name); }

size_t OptionSet::choice(const std::string& name,
                         std::initializer_list<std::string_view> words) const {
  const std::string& value = word(name);
  std::string list;
  size_t i = 0;
  for (const std::string_view candidate : words) {
    if (candidate == value) return i;
    list += fmt::format("{}{}",
                        list.empty()            ? ""
                        : i + 1 == words.size() ? " or "
                                                : ", ",
                        candidate);
    ++i;
  }
  throw UsageError(fmt::format("--{} '{}' is not {}", name, value, list));
}

int64_t OptionSet::integer(const std::string& name, int64_t least, int64_t most) const {
  return parse_integer("--" + name, word(name), least, most);
}

double OptionSet::number(const std::string& name, double least, double most) const {
  return parse_number("--" + name, word(name), least, most);
}

int64_t parse_integer(const std::string& option, const std::string& text, int64_t least,
                      int64_t most) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    throw UsageError(
        most == INT64_MAX
            ? fmt::format("{} {} is not a whole number from {} up", option, text, least)
            : fmt::format("{} {} is not between {} and {}", option, text, least, most));
  }
  return value;
}

double parse_number(const std::string& option, const std::string& text, double least, double most,
                    const std::string& unit) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) ||
      value < least || value > most) {
    throw UsageError(fmt::format("{} {} is not between {} and {}{}", option, text, least, most,
                                 unit.empty() ? "" : " " + unit));
  }
  return value;
}

}  // namespace gw::sim
