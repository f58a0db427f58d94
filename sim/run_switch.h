// The main job for a device with four ports: paced MACs around it, a reference that follows the
// arbiter, line rates and drops by port.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/run/device.h"
#include "sim/run/run.h"

namespace gw::sim {

nlohmann::json run_switch(const SwitchDevice& device, const RunOptions& options,
                          const std::function<void(const std::string&)>& note);

/// Frames as the MACs will offer them: beats by port, each with the cycle in which its last byte
/// has arrived at 10 Gb/s.
SwitchStimulus switch_stimulus(const std::vector<Frame>& frames, double clock_mhz);

}  // namespace gw::sim
