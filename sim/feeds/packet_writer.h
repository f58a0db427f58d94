// Where packets that leave a device are written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/harness/timeline.h"

namespace gw::sim {

/// Writes what leaves a device, packet by packet, into a capture. Throws InputError.
class PacketWriter {
 public:
  virtual ~PacketWriter() = default;
  virtual void write(const Passage& passage, const std::vector<uint8_t>& bytes) = 0;
  virtual void close() = 0;
  /// A sentence about what was left out; empty: nothing.
  virtual std::string note() const { return ""; }
};

}  // namespace gw::sim
