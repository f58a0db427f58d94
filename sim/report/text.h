// Small words and numbers: how every renderer prints a value, and safe look-ups in a document of
// unknown shape.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gw::sim::report {

using Json = nlohmann::json;

/// The value at a path of keys; nullptr if any key is absent, null or its parent is no object.
const Json* find(const Json& doc, std::initializer_list<const char*> path);
std::optional<double> number(const Json& doc, std::initializer_list<const char*> path);
std::optional<bool> boolean(const Json& doc, std::initializer_list<const char*> path);
/// Empty if absent. A number is printed as one.
std::string text(const Json& doc, std::initializer_list<const char*> path);

/// Valid UTF-8 without control characters (a file's name may hold anything): what is not becomes
/// U+FFFD.
std::string clean(std::string_view s, bool keep_newlines = false);
/// Columns that a clean string takes: its code points.
std::size_t width(std::string_view s);
/// Shortened to `columns`, the middle replaced by an ellipsis.
std::string shortened(const std::string& s, std::size_t columns);

std::string grouped(double integer);        // 1,234,567
std::string fixed(double v, int decimals);  // 11.59; "n/a" if not finite
/// "5.6 %"; a share that is not zero never reads as zero: "<0.1 %".
std::string share(double percent);
std::string general(double v);      // 4 significant digits, grouped if large
std::string seconds(double s);      // 12.3 ms
std::string bytes(double n);        // 1.02 MB
std::string scalar(const Json& v);  // anything that is no container
/// A bound given as k or as 2^-k: "2^-10".
std::string bound(const Json& v);
/// A word of a command line as a shell would read it again; and a command of such words.
std::string shell_word(const std::string& word);
std::string shell_command(std::span<const std::string> words);
/// snake_case to words.
std::string words(std::string_view key);

}  // namespace gw::sim::report
