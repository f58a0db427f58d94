// Cases: what a plan comes to. A case is one run; its name is its coordinates in the cross product
// of its group's lists, its seed a hash of the plan's seed and that name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/regress/plan.h"

namespace gw::regress {

struct Case {
  std::string name;  ///< codec-stalls/compressor/mixed/both:30/10/s2
  std::string group, device, stimulus, stall;
  std::vector<std::string> words;  ///< run compressor --synth mixed --stall both:30 ...
  std::vector<Expectation> expect;
  double timeout = 0;      ///< seconds; 0: by the last time
  uint64_t round = 1;      ///< later ones are those of a budget
  bool alone = false;      ///< what it measures needs a machine that does nothing else
  std::string hash;        ///< of all that decides its result: the name of its file
  std::string comparable;  ///< of what a baseline is compared by: not the program, not RTL
};

nlohmann::json to_json(const Case& c);
/// Throws nlohmann's exceptions for a document that is none.
Case case_of(const nlohmann::json& document);

/// Cases that differ in their seed alone.
struct Point {
  std::string name;                ///< without the seed
  Case common;                     ///< words without --seed
  std::vector<uint64_t> seeds;     ///< their numbers; empty: one case, whose seed changes nothing
  std::string contents, stimulus;  ///< Vocabulary's
};

/// What a run of a plan is narrowed to, and given on top.
struct Narrowing {
  std::string device;              ///< empty: all
  std::vector<std::string> extra;  ///< words after each run's own
};

/// Of all groups, in the plan's order; each was checked. Throws UsageError:
/// "FILE:LINE:COLUMN: ...".
std::vector<Point> points_of(const Plan& plan, const Vocabulary& vocabulary,
                             const Narrowing& narrowing = {});

/// The point's case with that seed (0: it has none).
Case case_at(const Plan& plan, const Point& point, uint64_t seed_number, uint64_t round = 1);

/// All cases of the points with the seeds that the plan names.
std::vector<Case> cases_of(const Plan& plan, const std::vector<Point>& points);

/// FNV-1a (64 bits) of "MASTER/NAME", then splitmix64's finaliser, upper 48 bits: whole numbers
/// that every reader of JSON keeps. Never changes: seeds are quoted in bug reports.
uint64_t seed_of(uint64_t master, const std::string& name);

}  // namespace gw::regress
