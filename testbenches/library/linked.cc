// SPDX-License-Identifier: Apache-2.0
#include "testbenches/library/linked.h"

#include <algorithm>
#include <charconv>

#include "testbenches/library/linked_engines.h"  // generated: GW_LINKED_ENGINES

#define GW_DECLARE(function, top, traced, parameters) extern "C" const GwEngine* function(void);
GW_LINKED_ENGINES(GW_DECLARE)
#undef GW_DECLARE

namespace gw::testbenches {
namespace {

struct Linked {
  const GwEngine* (*engine)(void);
  std::string_view top;
  bool traced;
  std::vector<std::string> parameters;  ///< all of the top's, at its defaults
};

const std::vector<Linked>& linked_engines() {
  static const std::vector<Linked> kAll = {
#define GW_ENTRY(function, top, traced, parameters) {function, top, traced, parameters},
      GW_LINKED_ENGINES(GW_ENTRY)
#undef GW_ENTRY
  };
  return kAll;
}

std::pair<std::string, std::string> split(std::string_view parameter) {
  const size_t equals = parameter.find('=');
  if (equals == std::string_view::npos) return {std::string(parameter), ""};
  return {std::string(parameter.substr(0, equals)), parameter_value(parameter.substr(equals + 1))};
}

}  // namespace

std::string parameter_value(std::string_view literal) {
  const size_t tick = literal.find('\'');
  std::string digits(tick == std::string_view::npos ? literal : literal.substr(tick + 1));
  std::erase(digits, '_');
  int base = 10;
  if (tick != std::string_view::npos && !digits.empty()) {
    if (digits.front() == 's' || digits.front() == 'S') digits.erase(0, 1);
    const char letter = digits.empty() ? ' ' : digits.front();
    base = letter == 'b' || letter == 'B'   ? 2
           : letter == 'o' || letter == 'O' ? 8
           : letter == 'h' || letter == 'H' ? 16
                                            : 10;
    if (base != 10 || letter == 'd' || letter == 'D') digits.erase(0, 1);
  }
  long long value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, base);
  if (error != std::errc() || stop != end) return std::string(literal);
  return std::to_string(value);
}

const GwEngine* linked_engine(std::string_view top, const std::vector<std::string>& parameters,
                              bool traced) {
  for (const Linked& linked : linked_engines()) {
    if (linked.top != top || linked.traced != traced) continue;
    const bool same = std::ranges::all_of(parameters, [&](const std::string& asked) {
      return std::ranges::any_of(
          linked.parameters, [&](const std::string& has) { return split(asked) == split(has); });
    });
    if (same) return linked.engine();
  }
  return nullptr;
}

}  // namespace gw::testbenches
