// SPDX-License-Identifier: Apache-2.0
#include "sim/feeds/stimulus.h"

#include <algorithm>

namespace gw::sim {

RecordedSource::RecordedSource(std::shared_ptr<const Stimulus> stimulus)
    : stimulus_(std::move(stimulus)),
      in_order_(std::ranges::is_sorted(stimulus_->packets, {}, &RawPacket::time_ns)) {
  const size_t count = stimulus_->packets.size();
  facts_.name = stimulus_->name.empty() ? "a recorded run" : stimulus_->name;
  facts_.trace = {{"capsule", stimulus_->name}, {"packets", count}, {"selected", count}};
}

std::optional<RawPacket> RecordedSource::next() {
  if (next_ == stimulus_->packets.size()) return std::nullopt;
  return stimulus_->packets[next_++];
}

}  // namespace gw::sim
