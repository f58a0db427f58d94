// One row of `gradwire paper`: a number or a claim of a paper, and how ours is made.
//
// papers.cc holds the rows, measures.h what measures; score.h runs them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace gw::paper {

/// What a difference from the paper means. Only kExact decides the exit code.
enum class Class : uint8_t {
  kExact,        ///< cycles or arithmetic: ours must be the paper's
  kPrediction,   ///< made without any number of that result
  kCalibrated,   ///< a number of the model was set by other results of the paper
  kFit,          ///< several numbers of the paper give one; the spread is printed
  kShape,        ///< a claim that holds, does not hold, or cannot be asked here
  kContext,      ///< of another machine, or an input: printed, never judged
  kUnavailable,  ///< only drawn in a figure that is lost
};
std::string class_name(Class kind);

enum class Verdict : uint8_t {
  kEqual,
  kDiffers,
  kHolds,
  kDoesNotHold,
  kCannotBeAsked,
  kShown,      ///< both are printed, and nothing is judged
  kWaits,      ///< for a block that is not built yet
  kNeedsData,  ///< the MNIST files
  kLeftOut,    ///< by --quick
  kFailed,     ///< what makes ours did not run
};
std::string verdict_name(Verdict verdict);

/// What a measurement gives: a number in the row's unit, or a text; a verdict where the row is a
/// claim; and a sentence that says more.
struct Ours {
  std::optional<double> number = {};
  std::string text = {};
  std::optional<Verdict> verdict = {};
  std::string why = {};
};

/// Gives the document that a command of gradwire makes; the words are those after `gradwire`.
using DocumentOf = std::function<nlohmann::json(const std::vector<std::string>& words)>;

/// Makes documents once each.
class Documents {
 public:
  explicit Documents(DocumentOf make) : make_(std::move(make)) {}
  const nlohmann::json& of(const std::vector<std::string>& words);
  /// The one that was made; null if there is none.
  const nlohmann::json* made(const std::vector<std::string>& words) const;

 private:
  DocumentOf make_;
  std::map<std::vector<std::string>, nlohmann::json> documents_;
  std::map<std::vector<std::string>, std::string> failures_;
};

struct Row;
/// Throws sim::UserError where ours cannot be made.
using Measure = std::function<Ours(Documents& documents, const Row& row)>;

struct Row {
  std::string paper = {};  ///< inceptionn, switch, ntt, tgs, mlhpc16
  std::string item = {};   ///< table2
  std::string title = {};  ///< of the item
  std::string where = {};  ///< in the paper
  std::string what = {};
  /// As printed, "1,888"; empty if the paper gives none. A row is exact to half a unit of its last
  /// digit, unless `tolerance` says otherwise.
  std::string value = {};
  std::string unit = {};
  Class kind = Class::kExact;
  std::vector<std::string> command = {};  ///< after `gradwire`; empty: paper PAPER ITEM
  std::optional<double> tolerance = {};
  Measure measure = {};        ///< empty if there is nothing to measure
  std::string waits_for = {};  ///< a block that is not built yet
  std::string note = {};       ///< printed with the row, whatever comes out
  bool needs_data = false;     ///< the MNIST files
  bool minutes = false;        ///< --quick leaves it out
};

/// A number as papers print it, and half a unit of its last digit; nothing if it is none.
struct Printed {
  double value = 0, half_unit = 0;
  int decimals = 0;
};
std::optional<Printed> parse_printed(const std::string& text);

/// The command as a shell takes it; empty if the row has none.
std::string command_of(const Row& row);

}  // namespace gw::paper
