// Options belong to the device that understands them: it declares them, the command line offers
// them, what is set and not declared is refused.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gw::sim {

struct Option {
  std::string name;        ///< without the dashes
  std::string text;        ///< one line of help
  std::string value;       ///< its default; empty: none
  std::string group = {};  ///< heading in the help
  bool stimulus = false;   ///< has an effect with the synthetic stimuli that name it only
  bool list = false;       ///< any number of words: its value has commas between them
  bool flag = false;       ///< takes no value; set, it is "yes"
  bool reads = false;      ///< names a file that the run reads
  bool writes = false;     ///< names one that it writes
};

/// The options of one device and what they are set to. All getters throw UsageError that names the
/// option, what it was set to and what it may be.
class OptionSet {
 public:
  OptionSet() = default;
  explicit OptionSet(const std::vector<Option>& declared);

  bool knows(const std::string& name) const { return values_.contains(name); }
  /// Throws UsageError naming the options there are, if it is none of them.
  OptionSet& set(const std::string& name, std::string value);

  const std::string& word(const std::string& name) const;
  /// A flag is set.
  bool flag(const std::string& name) const { return !word(name).empty(); }
  /// One of the words given.
  size_t choice(const std::string& name, std::initializer_list<std::string_view> words) const;
  int64_t integer(const std::string& name, int64_t least, int64_t most) const;
  /// Finite, and not outside the range.
  double number(const std::string& name, double least, double most) const;
  /// Those that were set, with their values, by name.
  const std::map<std::string, std::string>& changed() const { return changed_; }

 private:
  std::map<std::string, std::string> values_, changed_;
};

/// A whole number, decimal; throws UsageError naming the option otherwise, or outside the range.
int64_t parse_integer(const std::string& option, const std::string& text, int64_t least,
                      int64_t most);
/// Finite, too; `unit` stands after the range in the sentence.
double parse_number(const std::string& option, const std::string& text, double least, double most,
                    const std::string& unit = "");

}  // namespace gw::sim
