// SPDX-License-Identifier: Apache-2.0
#include "sim/report/view_kit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gw::sim::report {

std::string joined(const std::vector<std::string>& parts, const char* separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string counted(double n, const char* one, const char* many) {
  return grouped(n) + " " + (n == 1 ? one : many);
}

std::vector<std::string> strings(const Json* v) {
  std::vector<std::string> out;
  if (v && v->is_array())
    for (const Json& e : *v) out.push_back(scalar(e));
  else if (v)
    out.push_back(scalar(*v));
  return out;
}

void add(Section& s, std::string label, std::string value, std::string note, Status status) {
  if (!value.empty())
    s.rows.push_back({std::move(label), std::move(value), std::move(note), status});
}

std::string action_latency(const Json& doc, const std::string& action) {
  const auto at = [&](const char* which) {
    return number(doc, {"latency_cycles", "by_action", action.c_str(), which});
  };
  const auto mean = at("mean"), least = at("min"), most = at("max");
  if (!mean || !least || !most) return "";
  return *least == *most
             ? grouped(*mean)
             : fmt::format("{} ({} to {})", fixed(*mean, 1), grouped(*least), grouped(*most));
}

}  // namespace gw::sim::report
