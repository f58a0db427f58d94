// All that the environment of a run does, packet by packet and cycle by cycle: noted while it runs,
// and what drives another one just so.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/feeds/source.h"
#include "sim/harness/stall.h"

namespace gw::sim {

struct Stimulus {
  std::string name = {};  ///< of the file or folder that it was read from; empty: none
  std::vector<RawPacket> packets = {};
  StallRecord stalls = {};
};

/// Its packets, one after the other.
class RecordedSource final : public Source {
 public:
  explicit RecordedSource(std::shared_ptr<const Stimulus> stimulus);

  std::optional<RawPacket> next() override;
  const SourceFacts& facts() const override { return facts_; }
  uint64_t expected() const override { return stimulus_->packets.size(); }
  bool in_order() const override { return in_order_; }

 private:
  std::shared_ptr<const Stimulus> stimulus_;
  size_t next_ = 0;
  bool in_order_;
  SourceFacts facts_;
};

/// Passes a source's packets on and keeps them.
class RecordingSource final : public Source {
 public:
  explicit RecordingSource(Source& source) : source_(source) {}

  std::optional<RawPacket> next() override {
    std::optional<RawPacket> packet = source_.next();
    if (packet) packets_.push_back(*packet);
    return packet;
  }
  bool waits() const override { return source_.waits(); }
  const SourceFacts& facts() const override { return source_.facts(); }
  uint64_t expected() const override { return source_.expected(); }
  bool in_order() const override { return source_.in_order(); }

  std::vector<RawPacket> take() { return std::move(packets_); }

 private:
  Source& source_;
  std::vector<RawPacket> packets_;
};

}  // namespace gw::sim
