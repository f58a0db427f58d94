// Who hears of packets while a run goes on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/harness/packet.h"
#include "sim/harness/timeline.h"

namespace gw::sim {

/// Hears of packets that have left, whole: a writer of captures, a scorer of values.
template <class Beat>
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void left(const Passage& passage, const Packet<Beat>& packet) = 0;
};

/// Hears of what `--coverage functional` counts packet by packet.
template <class Beat>
class Watcher {
 public:
  virtual ~Watcher() = default;
  /// As Oracle::arrives, after it.
  virtual void arrived(size_t /*port*/, const PacketRef<Beat>&) {}
  /// As Oracle::decides, after it.
  virtual void decided(uint64_t /*events*/) {}
  /// As Listener::left.
  virtual void left(const Passage&, const Packet<Beat>&) {}
};

}  // namespace gw::sim
