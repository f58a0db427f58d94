// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/aggregator.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "models/systemc/fp_value.h"

namespace gw::systemc {

void Aggregation::set_pins(const AggregationConfig& config) {
  config_ = config;
  config_.workers = std::min(config.workers, kMaxWorkers);
  config_.depth = std::min(config.depth, 1u << config.depth_log2);
}

void Aggregation::configure(const AggregationConfig& config) {
  set_pins(config);
  slots_.assign(size_t{1} << config.depth_log2, {});
  reset();
}

void Aggregation::reset() {
  std::ranges::fill(slots_, Slot{});
  now_ = 1;
  busy_until_ = 0;
  clearing_ = static_cast<uint32_t>(slots_.size());
  used_ = 0;
  out_.clear();
  in_flight_.fill({});
  next_in_flight_ = 0;
  beat_ = 0;
  candidate_ = rewritten_ = complete_ = false;
  action_ = kFirst;
  slot_ = nullptr;
  old_lanes_ = meta0_ = meta4_ = 0;
  header_.fill(0);
  statistics_.fill(0);
}

void Aggregation::job_reset() {
  std::ranges::fill(slots_, Slot{});
  clearing_ = static_cast<uint32_t>(slots_.size());
}

bool Aggregation::hazard_of(const Beat& offered) const {
  return candidate(offered) && std::ranges::any_of(in_flight_, [&](const InFlight& f) {
           return f.until >= now_ && f.sequence == Meta::sequence(offered);
         });
}

void Aggregation::clock(const Beat* offered, bool m_ready) {
  const bool left = m_ready && !out_.empty();
  const bool waits = offered != nullptr && hazard(*offered);
  const bool issued = offered != nullptr && ready_for(offered);
  if (left) out_.pop();
  statistics_[kStatInterlock] += waits;
  if (issued) issue(*offered);
  out_.advance();
  used_ += issued;
  used_ -= left;
  clearing_ -= clearing_ != 0;
  ++now_;
}

void Aggregation::issue(const Beat& beat) {
  if (beat_ == 0) {
    candidate_ = candidate(beat);
    rewritten_ = false;
    meta0_ = beat.meta[0];
    meta4_ = beat.meta[4];
    if (Meta::kind(beat) == Meta::kKindGradient) decide(beat);
    if (candidate_) in_flight_[++next_in_flight_ % in_flight_.size()] = {Meta::sequence(beat), 0};
  }
  Beat& out = out_.back();
  out = beat;
  out.meta[0] = meta0_;
  out.meta[4] = meta4_;
  const uint32_t rows = (Meta::count(beat) + kLanes - 1) / kLanes;
  if (candidate_ && beat_ >= 2 && beat_ <= 5 && beat_ - 2 < rows) {
    InFlight& mine = in_flight_[next_in_flight_ % in_flight_.size()];
    // Wait while now <= issue + A + 2 - k.
    mine.until = std::max(mine.until, now_ + config_.add_latency + 2 - beat_);
    busy_until_ = std::max(busy_until_, mine.until);
    if (rewritten_) add(out, beat_ - 2);
  } else if (rewritten_ && beat_ == 0) {
    auto* bytes = reinterpret_cast<uint8_t*>(out.data.data());
    bytes[20] = static_cast<uint8_t>((bytes[20] & ~2u) | (complete_ ? 2u : 0u));
    std::memcpy(header_.data(), bytes + 18, header_.size());
  } else if (rewritten_ && beat_ == 1) {
    auto* bytes = reinterpret_cast<uint8_t*>(out.data.data());
    std::array<uint8_t, 28> header;
    std::memcpy(header.data(), header_.data(), 14);
    std::memcpy(header.data() + 14, bytes, 14);
    const uint16_t sum = header_checksum(header.data());
    bytes[14] = static_cast<uint8_t>(sum >> 8);
    bytes[15] = static_cast<uint8_t>(sum);
  }
  beat_ = beat.last != 0 ? 0 : beat_ + (beat_ < 6);
  out_.push(config_.add_latency + 4);
}

void Aggregation::decide(const Beat& first) {
  const uint32_t iteration = Meta::iteration(first), worker = Meta::worker(first);
  complete_ = false;
  if (Meta::group(first) != config_.group) {
    action_ = kOtherGroup;
  } else if (worker >= config_.workers) {
    action_ = kBadWorker;
  } else if (Meta::sequence(first) >= config_.depth) {
    action_ = kOutOfRange;
  } else {
    slot_ = &slots_[Meta::sequence(first)];
    const uint32_t all = (1u << config_.workers) - 1;
    const uint32_t ahead = iteration - slot_->iteration;
    old_lanes_ = slot_->lanes;
    if (!slot_->valid || (ahead != 0 && ahead < 0x8000'0000)) {
      action_ = kFirst;
      statistics_[kStatAbandoned] += slot_->valid && slot_->workers != all;
      *slot_ = {.valid = true,
                .iteration = iteration,
                .workers = 1u << worker,
                .lanes = Meta::count(first),
                .sum = slot_->sum};
      old_lanes_ = 0;
      complete_ = slot_->workers == all;
    } else if (ahead != 0) {
      action_ = kStale;
    } else if ((slot_->workers >> worker & 1) != 0) {
      action_ = kDuplicate;
    } else {
      action_ = kAdded;
      slot_->workers |= 1u << worker;
      slot_->lanes = std::max(slot_->lanes, Meta::count(first));
      complete_ = slot_->workers == all;
    }
    rewritten_ = action_ <= kDuplicate;
  }
  ++statistics_[action_];
  statistics_[kStatComplete] += complete_;
  meta4_ |= (action_ + 1) << 16;
  if (complete_) meta0_ |= Meta::kComplete;
}

void Aggregation::add(Beat& beat, uint32_t row) {
  const uint32_t count = Meta::count(beat);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const uint32_t i = row * kLanes + lane;
    if (i >= count) break;
    uint32_t& sum = slot_->sum[i];
    if (i >= old_lanes_) sum = 0;
    uint32_t& value = beat.data[lane];
    if (action_ == kFirst) {
      sum = value;
    } else if (action_ == kAdded) {
      sum = config_.flush_subnormal ? fp::add<true>(sum, value) : fp::add<false>(sum, value);
    }
    value = sum;
  }
}

std::span<const uint32_t> Aggregator::statistics() const {
  const auto parser = parser_.statistics(), core = core_.statistics();
  std::ranges::copy(parser, statistics_.begin());
  std::ranges::copy(core, statistics_.begin() + static_cast<ptrdiff_t>(parser.size()));
  return statistics_;
}

}  // namespace gw::systemc
