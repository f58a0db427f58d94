// What the cases of a result have reached, all together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/regress/folder.h"

namespace gw::regress {

/// False: the case is to be counted, and its points are not in the folder.
bool has_points(const Folder& folder, const Case& c);

/// A case that passed, was to be counted, and whose points are not in the folder fails: what is
/// merged without them would say less than ran.
void fail_without_points(const Folder& folder, std::vector<Entry>& entries);

/// Adds the points of the cases that ran, and writes `coverage/merged.json`, `merged.info` (for
/// genhtml) and `report.json` into the folder. The report, as sim/coverage/summary.h says; null: no
/// case counted anything. Throws InputError that names a file.
nlohmann::json merge_coverage(const Folder& folder, const std::vector<Entry>& entries);

/// A case's points go with it into another folder.
void take_coverage(const Folder& from, const Case& c, const Folder& to);

/// A line a kind: covered, possible, percent.
std::string coverage_lines(const nlohmann::json& report);
/// The same, for other programs.
nlohmann::json coverage_shares(const nlohmann::json& report);

}  // namespace gw::regress
