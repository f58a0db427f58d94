#include "testbenches/devices.h"

#include <fmt/format.h>

#include "sim/error.h"

namespace gw::sim {

const std::vector<std::unique_ptr<Device>>& devices() {
  static const std::vector<std::unique_ptr<Device>> kDevices = [] {
    std::vector<std::unique_ptr<Device>> all;
#define GW_MAKE(name) all.push_back(testbenches::make_##name());
    GW_DEVICES(GW_MAKE)
#undef GW_MAKE
    return all;
  }();
  return kDevices;
}

const Device& device(std::string_view name) {
  std::string names;
  for (const auto& candidate : devices()) {
    if (candidate->name() == name) return *candidate;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", candidate->name());
  }
  throw UsageError(fmt::format("unknown device '{}'; there are {}", name, names));
}

const StreamDevice& stream_device(std::string_view name) {
  const StreamDevice* const found = device(name).stream();
  if (found == nullptr) throw UsageError(fmt::format("'{}' has more than one port", name));
  return *found;
}

}  // namespace gw::sim
