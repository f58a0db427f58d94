// SPDX-License-Identifier: Apache-2.0
#include "sim/report/text.h"

#include <fmt/format.h>

#include <cmath>

namespace gw::sim::report {

const Json* find(const Json& doc, std::initializer_list<const char*> path) {
  const Json* at = &doc;
  for (const char* key : path) {
    if (!at->is_object()) return nullptr;
    const auto it = at->find(key);
    if (it == at->end() || it->is_null()) return nullptr;
    at = &*it;
  }
  return at;
}

std::optional<double> number(const Json& doc, std::initializer_list<const char*> path) {
  const Json* v = find(doc, path);
  return v && v->is_number() ? std::optional(v->get<double>()) : std::nullopt;
}

std::optional<bool> boolean(const Json& doc, std::initializer_list<const char*> path) {
  const Json* v = find(doc, path);
  return v && v->is_boolean() ? std::optional(v->get<bool>()) : std::nullopt;
}

std::string text(const Json& doc, std::initializer_list<const char*> path) {
  const Json* v = find(doc, path);
  return v && v->is_primitive() ? scalar(*v) : std::string();
}

std::string clean(std::string_view s, bool keep_newlines) {
  std::string out;
  out.reserve(s.size());
  for (std::size_t i = 0; i < s.size();) {
    const auto c = static_cast<unsigned char>(s[i]);
    const int length = c < 0x80                ? 1
                       : c >= 0xC2 && c < 0xE0 ? 2
                       : c >= 0xE0 && c < 0xF0 ? 3
                       : c >= 0xF0 && c < 0xF5 ? 4
                                               : 0;
    bool good = length != 0 && i + static_cast<std::size_t>(length) <= s.size();
    uint32_t point = length == 1 ? c : length == 0 ? 0 : c & (0xFFu >> (length + 1));
    for (int j = 1; good && j < length; ++j) {
      const auto next = static_cast<unsigned char>(s[i + static_cast<std::size_t>(j)]);
      good = (next & 0xC0) == 0x80;
      point = point << 6 | (next & 0x3Fu);
    }
    // Overlong forms, surrogates, beyond Unicode; C0 and C1 controls; marks that reverse the
    // direction of text.
    if (length == 3) good = good && point >= 0x800 && (point < 0xD800 || point > 0xDFFF);
    if (length == 4) good = good && point >= 0x10000 && point <= 0x10FFFF;
    const bool control = point < 0x20 || (point >= 0x7F && point < 0xA0) ||
                         (point >= 0x202A && point <= 0x202E) ||
                         (point >= 0x2066 && point <= 0x2069);
    if (good && (!control || (keep_newlines && point == '\n'))) {
      out.append(s.substr(i, static_cast<std::size_t>(length)));
    } else if (good && (point == '\t' || point == '\n')) {
      out += ' ';
    } else {
      out += "\uFFFD";
    }
    i += good ? static_cast<std::size_t>(length) : 1;
  }
  return out;
}

std::size_t width(std::string_view s) {
  std::size_t n = 0;
  for (const char c : s) n += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return n;
}

std::string shortened(const std::string& s, std::size_t columns) {
  const std::size_t n = width(s);
  if (n <= columns || columns < 3) return s;
  const std::size_t head = (columns - 1) / 2;
  const std::size_t tail = columns - 1 - head;
  std::string out;
  std::size_t point = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if ((static_cast<unsigned char>(s[i]) & 0xC0) != 0x80 && point++ == head) out += "…";
    if (point <= head || point > n - tail) out += s[i];
  }
  return out;
}

std::string grouped(double integer) {
  if (!std::isfinite(integer)) return "n/a";
  const std::string digits = fmt::format("{:.0f}", std::fabs(integer));
  std::string out = integer < 0 && digits != "0" ? "-" : "";
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string fixed(double v, int decimals) {
  return std::isfinite(v) ? fmt::format("{:.{}f}", v, decimals) : std::isinf(v) ? "inf" : "n/a";
}

std::string share(double percent) {
  return percent > 0 && percent < 0.05 ? "<0.1 %" : fixed(percent, 1) + " %";
}

std::string general(double v) {
  if (std::isnan(v)) return "n/a";
  if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
  const double a = std::fabs(v);
  if (a >= 1000 && a < 1e15) return grouped(v);
  return fmt::format("{:.4g}", v);
}

std::string seconds(double s) {
  if (!std::isfinite(s)) return "n/a";
  if (s == 0) return "0 s";
  if (s < 1e-6) return fmt::format("{:.3g} ns", s * 1e9);
  if (s < 1e-3) return fmt::format("{:.3g} µs", s * 1e6);
  if (s < 1) return fmt::format("{:.3g} ms", s * 1e3);
  return s < 100 ? fmt::format("{:.3g} s", s) : grouped(s) + " s";
}

std::string bytes(double n) {
  if (n < 10000) return grouped(n) + " bytes";
  if (n < 1e6) return fmt::format("{:.1f} kB", n / 1e3);
  if (n < 1e9) return fmt::format("{:.2f} MB", n / 1e6);
  return fmt::format("{:.2f} GB", n / 1e9);
}

std::string scalar(const Json& v) {
  if (v.is_string()) return clean(v.get_ref<const std::string&>());
  if (v.is_boolean()) return v.get<bool>() ? "yes" : "no";
  if (v.is_number_integer()) return grouped(v.get<double>());
  if (v.is_number()) return general(v.get<double>());
  return v.is_null() ? "n/a" : clean(v.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string bound(const Json& v) {
  if (!v.is_number()) return v.is_primitive() ? scalar(v) : std::string();
  const double x = v.get<double>();
  if (x >= 1 && x == std::floor(x)) return fmt::format("2^-{:.0f}", x);
  int exponent = 0;
  if (x > 0 && std::isfinite(x) && std::frexp(x, &exponent) == 0.5)
    return fmt::format("2^{}", exponent - 1);
  return general(x);
}

std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("-_./:=,+@%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string shell_command(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + shell_word(word);
  return text;
}

std::string words(std::string_view key) {
  std::string out = clean(key);
  for (char& c : out)
    if (c == '_') c = ' ';
  return out;
}

}  // namespace gw::sim::report
