// Small parts of sections, for whoever makes some.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/report/view.h"

namespace gw::sim::report {

std::string joined(const std::vector<std::string>& parts, const char* separator = ", ");

/// "1 packet", "1,234 packets".
std::string counted(double n, const char* one, const char* many);

/// The words of an array, or the one of a value; none of a null pointer.
std::vector<std::string> strings(const Json* v);

/// Adds a row, unless its value is empty.
void add(Section& s, std::string label, std::string value, std::string note = "",
         Status status = Status::kPlain);

/// Latency of the packets that a device did `action` with: "12", "12.4 (8 to 40)"; empty if the
/// document does not say.
std::string action_latency(const Json& doc, const std::string& action);

}  // namespace gw::sim::report
