// What left a device, written into a capture as it leaves.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "sim/run/device.h"

namespace gw::sim {

/// Payloads of the marked packets of `trace` (empty: of frames made for them), replaced. Throws
/// InputError, UsageError if `path` is the trace itself.
std::unique_ptr<PacketWriter> open_payload_writer(const std::string& path,
                                                  const std::string& trace);

/// Whole frames, each at the time that `time_ns` gives it.
std::unique_ptr<PacketWriter> open_frame_writer(const std::string& path, const std::string& trace,
                                                std::function<int64_t(const Passage&)> time_ns);

}  // namespace gw::sim
