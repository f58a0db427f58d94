// Frames of which stimuli of the optimizer switch are made, and who sends them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/reference/expether/frame.h"
#include "sim/base/random.h"
#include "testbenches/switch/options.h"

namespace gw::testbenches {

inline constexpr size_t kShortFrame = reference::expether::kMinFrameBytes;
inline constexpr int kSwitchPorts = 4;
inline constexpr uint64_t kDefaultFrames = 1024;  ///< of a stimulus that is not told how many
/// The switch floods a warm-up frame before the next comes.
inline constexpr int64_t kWarmUpGapNs = 2'000;

/// Station 0 is the host; 02:00:00:00:00:01 upwards.
constexpr uint64_t mac_of(int station) { return 0x0200'0000'0001 + static_cast<uint64_t>(station); }

/// As load_frames() finds it again: stations introduce themselves in order.
constexpr int port_of(int station) { return station % kSwitchPorts; }

/// Workers are on ports 1 to 3 in turn; the stations between them share the host's port.
constexpr int station_of(int worker) { return 1 + worker + worker / (kSwitchPorts - 1); }

/// A frame that is not ExpEther, tagged with the VLAN; destination -1: broadcast.
std::vector<uint8_t> ordinary_frame(int source, int destination, uint16_t vlan, size_t bytes,
                                    uint64_t content);

std::vector<uint8_t> gradient_frame(
    int source, int destination, uint16_t vlan, uint16_t group, uint16_t worker, uint32_t sequence,
    uint32_t iteration, std::span<const uint32_t> values,
    reference::expether::Tlp tlp = reference::expether::Tlp::kMWr64);

void set_checksum(std::vector<uint8_t>& frame);

/// A copy that is wrong in the way that the reason says.
std::vector<uint8_t> malformed_copy(std::vector<uint8_t> frame, reference::expether::Reason reason,
                                    sim::Random& random);

/// One that the switch carries and need not know, of any kind.
std::vector<uint8_t> foreign_frame(int source, int destination, const TrafficOptions& options,
                                   sim::Random& random);

}  // namespace gw::testbenches
