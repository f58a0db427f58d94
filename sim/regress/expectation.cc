// SPDX-License-Identifier: Apache-2.0
#include "sim/regress/expectation.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>

#include "sim/base/error.h"

namespace gw::regress {
namespace {

struct Relation {
  std::string_view sign;
  bool (*holds)(double is, double wanted);
};
// The longer signs first: "<=" begins with "<".
constexpr Relation kRelations[] = {{"<=", [](double a, double b) { return a <= b; }},
                                   {">=", [](double a, double b) { return a >= b; }},
                                   {"==", [](double a, double b) { return a == b; }},
                                   {"!=", [](double a, double b) { return a != b; }},
                                   {"<", [](double a, double b) { return a < b; }},
                                   {">", [](double a, double b) { return a > b; }}};

std::optional<double> number(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

const Relation* relation_of(std::string_view wanted) {
  for (const Relation& relation : kRelations) {
    if (wanted.starts_with(relation.sign)) return &relation;
  }
  return nullptr;
}

}  // namespace

const nlohmann::json* figure_of(const nlohmann::json& report, const std::string& path) {
  const nlohmann::json* at = &report;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('.', begin), path.size());
    if (!at->is_object()) return nullptr;
    const auto next = at->find(path.substr(begin, end - begin));
    if (next == at->end() || next->is_null()) return nullptr;
    at = &*next;
    begin = end + 1;
  }
  return at;
}

void Expectation::check() const {
  const Relation* const relation = relation_of(wanted);
  if (relation != nullptr && !number(std::string_view(wanted).substr(relation->sign.size()))) {
    throw sim::UsageError(fmt::format(
        "'{}' of {} is no comparison with a number, such as \"<= 1.001\"", wanted, figure));
  }
  if (relation == nullptr && !wanted.empty() && std::strchr("<>=!~", wanted.front()) != nullptr) {
    throw sim::UsageError(fmt::format(
        "'{}' of {} is no comparison: those are <=, >=, <, >, == and !=", wanted, figure));
  }
  if (wanted.empty()) throw sim::UsageError(fmt::format("nothing is expected of {}", figure));
}

std::string Expectation::broken_by(const nlohmann::json& report) const {
  const nlohmann::json* const is = figure_of(report, figure);
  if (is == nullptr) return fmt::format("the report has no {}, expected {}", figure, wanted);
  if (const Relation* const relation = relation_of(wanted)) {
    if (!is->is_number()) {
      return fmt::format("{} is {}, which is no number, expected {}", figure, is->dump(), wanted);
    }
    const double limit = *number(std::string_view(wanted).substr(relation->sign.size()));
    if (relation->holds(is->get<double>(), limit)) return "";
    return fmt::format("{} is {}, expected {}", figure, is->dump(), wanted);
  }
  const std::string text = is->is_string() ? is->get<std::string>() : is->dump();
  return text == wanted ? "" : fmt::format("{} is {}, expected {}", figure, text, wanted);
}

}  // namespace gw::regress
