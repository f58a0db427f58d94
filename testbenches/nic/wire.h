// What passes between the two engines of `nic`, as a capture of the wire.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "models/axis/beat.h"
#include "models/reference/nic/nic.h"
#include "sim/run/device.h"

namespace gw::testbenches {

/// Sees both sides of nic_tx in each cycle. Each frame on the wire is held against the reference
/// and written.
class NicWire {
 public:
  NicWire(const reference::nic::NicConfig& config, sim::PacketWriter& writer)
      : config_(config), nic_(config), writer_(writer) {}

  void reset();
  /// Sets the configuration of the frame that begins next.
  void configure(const reference::nic::NicConfig& config,
                 const std::optional<reference::nic::FlowKey>& forget) {
    nic_.configure(config);
    forget_ = forget;
  }
  /// One cycle: the beat that the host's side accepts, the one that nic_tx shows, the one that the
  /// wire takes.
  void cycle(const Beat* accepted, const Beat* shown, const Beat* taken);
  /// Why a frame on the wire is wrong; empty: none is.
  const std::string& complaint() const { return complaint_; }

 private:
  struct Side {
    std::vector<uint8_t> bytes;
    uint64_t begin = 0, frames = 0;  ///< cycle of the frame's first beat, frames that are whole
    bool begun = false;

    void see(uint64_t cycle);
    /// True: a frame has ended with this beat.
    bool take(const Beat& beat);
  };
  struct Owed {
    sim::Passage passage;
    std::vector<uint8_t> frame;
    bool error;
  };

  void enters(bool bad);
  void leaves(bool error);

  const reference::nic::NicConfig config_;
  reference::nic::NicTx nic_;
  std::optional<reference::nic::FlowKey> forget_;
  sim::PacketWriter& writer_;
  uint64_t now_ = 0;
  Side host_, wire_;
  std::deque<Owed> owed_;
  std::string complaint_;
};

}  // namespace gw::testbenches
