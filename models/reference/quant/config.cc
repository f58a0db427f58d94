// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "models/reference/quant/quantiser.h"

namespace gw::reference::quant {
namespace {

constexpr std::string_view kUsage =
    "raw, wgt, bgt, qgt, onebit, adaptive, mxfp8, mxfp8-e5m2 or mxfp4, then perhaps "
    ":KEY=VALUE,...";

ConfigResult refuse(const std::string& sentence) { return {std::nullopt, sentence}; }

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

/// What is before `at`, and what is after it; all and nothing without it.
std::pair<std::string_view, std::string_view> split(std::string_view text, char at) {
  const size_t where = text.find(at);
  if (where == std::string_view::npos) return {text, {}};
  return {text.substr(0, where), text.substr(where + 1)};
}

template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> threshold_of(std::string_view text) {
  if (!text.starts_with("2^")) return number_of<double>(text);
  const std::optional<int> exponent = number_of<int>(text.substr(2));
  if (!exponent) return std::nullopt;
  return std::ldexp(1.0, *exponent);
}

bool takes(Method method, std::string_view key) {
  if (key == "t") return is_threshold(method);
  if (key == "p") return method == Method::kAdaptive;
  if (key == "coding") return is_sparse(method);
  if (key == "scale") return is_mx(method);
  return key == "residual" && method != Method::kRaw;
}

bool residual_by_default(Method method) { return method != Method::kRaw && !is_mx(method); }

/// A sentence, or nothing if `config` has the value now.
std::string assign(Config& config, std::string_view key, std::string_view value) {
  const std::string_view method = method_name(config.method);
  if (!takes(config.method, key)) {
    return std::string(method) + " takes no " + in_quotes(key);
  }
  if (key == "t") {
    const std::optional<double> t = threshold_of(value);
    if (!t) return "t=" + std::string(value) + " is no number (0.001, 2^-10)";
    const std::optional<float> rounded = round_threshold(*t);
    if (!rounded) return "t=" + std::string(value) + " is not from 2^-100 to 2^100";
    config.threshold = *rounded;
  } else if (key == "p") {
    const std::optional<int> p = number_of<int>(value);
    if (!p || *p < kMinP || *p > kMaxP) {
      return "p=" + std::string(value) + " is no whole number from 1 to 10";
    }
    config.p = *p;
  } else if (key == "coding") {
    if (value != "mask" && value != "rice") {
      return "coding=" + std::string(value) + " is neither mask nor rice";
    }
    config.coding = value == "mask" ? Coding::kMask : Coding::kRice;
    if (!has_coding(config.method, config.coding)) {
      return std::string(method) + " has no coding=" + std::string(value) +
             ": its values are too long for it to matter";
    }
  } else if (key == "scale") {
    if (value != "floor" && value != "up") {
      return "scale=" + std::string(value) + " is neither floor nor up";
    }
    config.scale = value == "floor" ? ScaleRule::kFloor : ScaleRule::kUp;
  } else {
    if (value != "on" && value != "off") {
      return "residual=" + std::string(value) + " is neither on nor off";
    }
    config.residual = value == "on";
  }
  return "";
}

}  // namespace

std::optional<float> round_threshold(double t) {
  if (!(t >= 0x1p-100 && t <= 0x1p100)) return std::nullopt;
  // 16 significant bits, of which 15 are below the leading one. From binary64 in one rounding.
  const int unit = std::ilogb(t) - 15;
  return static_cast<float>(std::ldexp(std::nearbyint(std::ldexp(t, -unit)), unit));
}

ConfigResult parse_config(std::string_view spec) {
  const auto [name, rest] = split(spec, ':');
  Config config;
  bool known = false;
  for (size_t i = 0; i < kMethods; ++i) {
    const auto method = static_cast<Method>(i);
    if (name != method_name(method)) continue;
    config.method = method;
    known = true;
  }
  if (!known) return refuse(in_quotes(name) + " is no quantiser: " + std::string(kUsage));
  config.residual = residual_by_default(config.method);
  if (name.size() + 1 == spec.size()) return refuse(in_quotes(spec) + " ends in a colon");
  for (std::string_view left = rest; !left.empty();) {
    const auto [word, others] = split(left, ',');
    if (word.size() + 1 == left.size()) return refuse(in_quotes(spec) + " ends in a comma");
    const auto [key, value] = split(word, '=');
    if (std::string sentence = assign(config, key, value); !sentence.empty()) {
      return refuse(sentence);
    }
    left = others;
  }
  return {config, ""};
}

std::string config_text(const Config& config) {
  const Config left_out{.method = config.method,
                        .threshold = Config{}.threshold,
                        .p = Config{}.p,
                        .coding = Coding::kMask,
                        .residual = residual_by_default(config.method)};
  std::string text(method_name(config.method));
  auto add = [&text, separator = ':'](const std::string& word) mutable {
    text += separator + word;
    separator = ',';
  };
  // T and p are what a quantiser is known by: they are always said.
  if (is_threshold(config.method)) {
    int exponent = 0;
    if (std::frexp(config.threshold, &exponent) == 0.5f) {
      add("t=2^" + std::to_string(exponent - 1));
    } else {
      char digits[32];
      const auto [end, error] = std::to_chars(digits, digits + sizeof digits, config.threshold);
      add("t=" + std::string(digits, end));
    }
  }
  if (config.method == Method::kAdaptive) add("p=" + std::to_string(config.p));
  if (config.coding != left_out.coding) add("coding=" + std::string(coding_name(config.coding)));
  if (config.scale != left_out.scale) add("scale=" + std::string(scale_rule_name(config.scale)));
  if (config.residual != left_out.residual) {
    add(std::string("residual=") + (config.residual ? "on" : "off"));
  }
  return text;
}

}  // namespace gw::reference::quant
