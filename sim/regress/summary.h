// What a result comes to: verdicts by group, what failed, what changed, what took longest. Every
// report is made from it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/regress/baseline.h"
#include "sim/regress/folder.h"
#include "sim/regress/known.h"
#include "sim/regress/regression.h"

namespace gw::regress {

using Verdicts = std::array<size_t, kVerdicts>;

/// What `summary.json` of a folder says of the run that made its reports.
struct Ran {
  std::string farm = "local";
  size_t jobs = 0;
  std::string began;
  double seconds = 0;          ///< from its beginning to its reports, capsules among them
  double busy_seconds = 0;     ///< all its processes' time in cases ...
  double build_seconds = 0;    ///< ... and how much of that until their RTL was there
  double capsule_seconds = 0;  ///< of `seconds`, for capsules
  bool interrupted = false;
  std::string stopped;  ///< why it could not go on; empty: it did
};

/// Failures of one cause.
struct Bucket {
  std::string text;
  size_t count = 0;
  bool known = false;
  const Entry* first = nullptr;
  std::string capsule;  ///< the zip file, from the folder on; empty: there is none
  std::string replay;   ///< the command that repeats its capsule
  bool flaky = false;   ///< as its capsule says
  std::string left;     ///< what shrinking came to
};

struct Summary {
  Order order;  ///< without its cases
  Ran ran;

  std::vector<Entry> entries;  ///< in the plan's order; a worse figure is a failure here
  std::vector<Change> changes;
  bool baseline = false;                ///< there is one
  size_t without_baseline = 0;          ///< cases that it does not know
  std::vector<std::string> gone;        ///< cases that it alone knows
  std::map<std::string, size_t> hosts;  ///< cases by host

  Verdicts verdicts{};
  std::vector<std::pair<std::string, Verdicts>> groups;  ///< in the plan's order
  double cycles = 0, cycles_per_s = 0;  ///< of all runs; by the time that they took, built RTL
  double busy_seconds = 0;              ///< of all cases ...
  double build_seconds = 0;             ///< ... and of them, until their RTL was there
  std::vector<const Entry*> failures;   ///< all that do not pass, `not run` last
  std::vector<Bucket> buckets;          ///< in the plan's order
  std::vector<KnownFailure> overcome;   ///< known, and nothing fails so any more
  std::vector<const Entry*> slowest;    ///< ten
  bool passed = false;
  nlohmann::json coverage;  ///< of the cases together (sim/coverage/summary.h); null: none counted

  size_t of(Verdict v) const { return verdicts[static_cast<size_t>(v)]; }
  size_t failed() const {
    return of(Verdict::kFail) + of(Verdict::kCrashed) + of(Verdict::kTimeout);
  }
};

/// Compares each entry with the baseline and with what is known, and counts.
Summary summarise(Summary given, const Baseline& baseline, const KnownFailures& known = {});

/// An entry of a case that has ended, as it counts. Its changes; nothing: the baseline has none.
std::optional<std::vector<Change>> settle(Entry& entry, const Baseline& baseline,
                                          const KnownFailures& known);

/// The name of a bucket's capsule, of letters, digits and hyphens.
std::string capsule_name(const std::string& bucket);
/// Looks for the capsules of the buckets in the folder.
void find_capsules(Summary& summary, const std::filesystem::path& folder);

/// A line of `summary.json`: what is drawn of one result beside those before it.
struct Trend {
  std::string began;
  Verdicts verdicts{};
  double seconds = 0, cycles = 0, cycles_per_s = 0;
};
/// The results that lie beside this one, of the same plan, oldest first, this one not among them;
/// at most `most`.
std::vector<Trend> trends(const std::filesystem::path& folder, const std::string& plan,
                          size_t most = 49);

/// Of the folder's `summary.json`.
Ran last_run(const std::filesystem::path& folder);

/// What the newest result of the plan beside this folder, and this one, say of times.
Past past_of(const std::filesystem::path& folder, const std::string& plan);

/// regress.json, junit.xml, index.html, summary.json and times.tsv. Throws InputError.
void write_reports(const Folder& folder, const Summary& summary);

/// The document for other programs: keys are stable.
std::string regress_json(const Summary& summary);
/// What the verdict counts: "8 of 8 cases", "2 of 8 cases failed, 1 was not run".
std::string verdict_text(const Summary& summary);
/// "93 % of the time in cases went into building RTL"; empty: next to nothing did.
std::string build_text(const Ran& ran);
/// For people at a terminal.
std::string summary_text(const Summary& summary, const std::filesystem::path& folder, bool colour);
/// "FAIL  name: headline".
std::string failure_line(const Case& c, const Result& result, bool colour);
/// "3 min 05 s".
std::string duration_text(double seconds);

}  // namespace gw::regress
