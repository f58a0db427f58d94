// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "sim/base/error.h"
#include "sim/run/device.h"
#include "sim/run/run.h"

namespace gw::sim {

bool Device::Facts::paced() const {
  const auto has_pace = [](const Port& port) { return port.paced; };
  return std::ranges::any_of(inputs, has_pace) || std::ranges::any_of(outputs, has_pace);
}

CoverageSpec CoverageSpec::parse(const std::string& words) {
  CoverageSpec spec;
  std::istringstream list(words);
  for (std::string word; std::getline(list, word, ',');) {
    bool* const kind = word == "functional" ? &spec.functional
                       : word == "line"     ? &spec.line
                       : word == "user"     ? &spec.user
                       : word == "toggle"   ? &spec.toggle
                                            : nullptr;
    if (kind == nullptr) {
      throw UsageError(fmt::format(
          "--coverage '{}' is not functional, line, user, toggle, or several of them with "
          "commas between",
          words));
    }
    *kind = true;
  }
  if (!spec.any()) throw UsageError("--coverage names nothing to count");
  return spec;
}

const Device& Registry::device(const std::string& name) const {
  std::string names;
  for (const auto& candidate : devices_) {
    if (candidate->name() == name) return *candidate;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", candidate->name());
  }
  throw UsageError(fmt::format("unknown device '{}'; there are {}", name, names));
}

const RandomKind& random_kind(const Device& device) {
  if (device.facts().random != nullptr) return *device.facts().random;
  throw UsageError(fmt::format(
      "--random: there is no random traffic for {0} (gradwire list {0} shows its stimuli)",
      device.name()));
}

std::vector<const RandomKind*> Registry::random_kinds() const {
  std::vector<const RandomKind*> kinds;
  for (const auto& device : devices_) {
    const RandomKind* const kind = device->facts().random;
    if (kind != nullptr && std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(kind);
  }
  return kinds;
}

}  // namespace gw::sim
