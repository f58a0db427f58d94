// What a plan's figures were when somebody accepted them: a file of the tree. A worse figure fails
// its case, a better one asks for a new baseline.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/regress/result.h"

namespace gw::regress {

/// A figure of reports that is held, and by how much it may get worse.
struct Held {
  const char* figure;
  bool more_is_better;
  double percent;
};
/// All of them; a name that ends in a dot: every member of that section.
const std::vector<Held>& held_figures();

struct Change {
  std::string name;  ///< of the case
  std::string figure;
  double was = 0, is = 0;
  bool worse = false;
  double percent = 0;  ///< by how much, of what it was
  double allowed = 0;  ///< percent
  /// "cycles 29312 -> 29400 (+0.300 %, allowed 0 %)".
  std::string text() const;
};

class Baseline {
 public:
  /// Of a file that is not there: empty. Throws InputError for one that is no baseline.
  static Baseline read(const std::string& path);
  void write(const std::string& path, const std::string& plan) const;

  bool empty() const { return cases_.empty(); }
  bool knows(const std::string& name) const { return cases_.contains(name); }
  std::vector<std::string> names() const;

  /// What has changed of a case that passed; nothing, if it has a baseline to compare with and
  /// nothing did; no value: it has none. Made with other tools, or from another stimulus, is none.
  std::optional<std::vector<Change>> compare(const Entry& entry) const;
  /// Takes its figures.
  void accept(const Entry& entry);
  void forget(const std::string& name) { cases_.erase(name); }

 private:
  struct Figures {
    std::string comparable;
    std::map<std::string, double> values;
  };
  /// By tool, where figures depend on one; else under "".
  std::map<std::string, std::map<std::string, Figures>> cases_;
};

/// Turns a result with a worse figure into a failure that says so.
void apply(const std::vector<Change>& changes, Result& result);

}  // namespace gw::regress
