// SPDX-License-Identifier: Apache-2.0
#include "testbenches/library/start_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

namespace gw::testbenches {
namespace {

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) {
    text.remove_prefix(1);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) {
    text.remove_suffix(1);
  }
  return text;
}

/// `vlSelf->NAME[i][j]` taken apart.
struct Variable {
  std::string scope = "\"\"";  ///< an expression: the instance's name
  std::string name;            ///< as the RTL has it, with the scopes that were inlined
  std::vector<std::string> indexes;

  std::string index() const {
    constexpr const char* kFar = "1000003u";
    std::string text = "0u";
    for (const std::string& i : indexes) {
      text = fmt::format("({}) * {} + static_cast<uint64_t>({}) + 1u", text, kFar, i);
    }
    return text;
  }
};

std::optional<Variable> variable(std::string_view text) {
  Variable v;
  for (const std::string_view self : {"vlSelf->", "vlSelfRef."}) {
    if (!text.starts_with(self)) continue;
    text.remove_prefix(self.size());
    v.scope = "vlSelf->name()";
  }
  if (text.starts_with("this->")) text.remove_prefix(6);
  while (!text.empty()) {
    if (text.front() == '[') {
      const size_t end = text.find(']');
      if (end == std::string_view::npos) return {};
      v.indexes.emplace_back(text.substr(1, end - 1));
      text.remove_prefix(end + 1);
    } else if (in_name(text.front()) || text.front() == '.') {
      v.name += text.front();
      text.remove_prefix(1);
    } else {
      return {};
    }
  }
  if (v.name.empty()) return {};
  for (const auto& [mangled, plain] :
       {std::pair{"__BRA__", "["}, {"__KET__", "]"}, {"__DOT__", "."}, {"__PVT__", ""}}) {
    const std::string_view old(mangled);
    for (size_t at = v.name.find(old); at != std::string::npos; at = v.name.find(old, at)) {
      v.name.replace(at, old.size(), plain);
    }
  }
  return v;
}

/// The last word before an equals sign.
std::string_view left_side(std::string_view before_equals) {
  before_equals = trimmed(before_equals);
  size_t begin = before_equals.size();
  while (begin > 0 && !std::isspace(static_cast<unsigned char>(before_equals[begin - 1]))) --begin;
  return before_equals.substr(begin);
}

/// What takes the words of a temporary variable after `at`: its first word is stored first.
std::string_view taker_of(std::string_view temporary, std::string_view code, size_t at) {
  const size_t use = code.find(fmt::format("= {}[", temporary), at);
  if (use == std::string_view::npos) return {};
  const std::string_view taker = left_side(code.substr(0, use));
  return taker.substr(0, taker.rfind('['));
}

}  // namespace

StartText seeded_start(std::string_view code) {
  constexpr std::string_view kDraw = "RAND_RESET_";
  StartText result;
  size_t done = 0;
  for (size_t at = code.find(kDraw); at != std::string_view::npos; at = code.find(kDraw, at + 1)) {
    size_t begin = at, open = at;
    while (begin > 0 && in_name(code[begin - 1])) --begin;
    while (open < code.size() && in_name(code[open])) ++open;
    const size_t close = code.find(')', open);
    ++result.left;
    if (begin < done || open == code.size() || code[open] != '(' || close == std::string::npos) {
      continue;
    }
    const char kind = code[open - 1];
    const std::string_view arguments = code.substr(open + 1, close - open - 1);
    const std::string_view bits = trimmed(arguments.substr(0, arguments.find(',')));
    if (bits.empty() || !std::ranges::all_of(bits, [](char c) { return '0' <= c && c <= '9'; })) {
      continue;
    }
    std::string call;
    if (kind == 'I' || kind == 'Q') {
      const size_t statement = code.find_last_of(";{}", begin) + 1;
      const std::string_view before = code.substr(statement, begin - statement);
      const size_t equals = before.rfind('=');
      if (equals == std::string_view::npos) continue;
      const std::optional<Variable> v = variable(left_side(before.substr(0, equals)));
      if (!v) continue;
      call = fmt::format("gw::start_value({}, {}, \"{}\", {}", bits, v->scope, v->name, v->index());
    } else if (kind == 'W') {
      const size_t comma = arguments.find(',');
      if (comma == std::string_view::npos) continue;
      std::string_view words = arguments.substr(comma + 1);
      words = trimmed(words.substr(0, words.find(',')));
      std::string_view owner = words;
      if (words.starts_with("__Vtemp")) owner = taker_of(words, code, close);
      const std::optional<Variable> v = variable(owner);
      if (!v) continue;
      call = fmt::format("gw::start_words({}, {}, {}, \"{}\", {}", bits, words, v->scope, v->name,
                         v->index());
    } else {
      continue;
    }
    --result.left;
    result.code.append(code.substr(done, begin - done)).append(call);
    done = close;  // the parenthesis stays
  }
  result.code.append(code.substr(done));
  return result;
}

}  // namespace gw::testbenches
