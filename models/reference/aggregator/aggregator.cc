// SPDX-License-Identifier: Apache-2.0
#include "models/reference/aggregator/aggregator.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace gw::reference {
namespace {

[[noreturn]] void die(const char* sentence) {
  std::fprintf(stderr, "gw::reference::Aggregator: %s\n", sentence);
  std::abort();
}

}  // namespace

std::string_view name_of(Aggregation action) {
  static constexpr std::array<std::string_view, kAggregationCount> kNames = {
      "first", "added", "duplicate", "stale", "out_of_range", "bad_worker", "other_group"};
  return kNames.at(static_cast<std::size_t>(action));
}

Aggregator::Aggregator(const AggregatorConfig& config) : config_(config) {
  if (config.workers < 1 || config.workers > kMaxWorkers) die("W is 1 to 16");
  if (config.depth < 1) die("the memory has at least one slot");
  slots_.resize(config.depth);
}

Aggregator::Outcome Aggregator::accept(const GradientPacket& packet,
                                       std::span<std::uint32_t> values) {
  if (values.empty() || values.size() > kLanes) die("a packet carries 1 to 32 values");
  const Outcome outcome = decide(packet, values);
  counters_.by_action[static_cast<std::size_t>(outcome.action)]++;
  if (outcome.complete) counters_.complete++;
  return outcome;
}

Aggregator::Outcome Aggregator::decide(const GradientPacket& packet,
                                       std::span<std::uint32_t> values) {
  if (packet.group != config_.group) return {Aggregation::kOtherGroup};
  if (packet.worker >= config_.workers) return {Aggregation::kBadWorker};
  if (packet.sequence >= config_.depth) return {Aggregation::kOutOfRange};

  Slot& slot = slots_[packet.sequence];
  const auto all = static_cast<std::uint16_t>((1u << config_.workers) - 1);
  const auto bit = static_cast<std::uint16_t>(1u << packet.worker);

  if (!slot.valid || is_newer(packet.iteration, slot.iteration)) {
    if (slot.valid && slot.workers != all) counters_.abandoned++;
    slot = {.valid = true, .iteration = packet.iteration, .workers = bit, .sum = {}};
    std::copy(values.begin(), values.end(), slot.sum.begin());
    return {Aggregation::kFirst, slot.workers == all};
  }
  if (packet.iteration != slot.iteration) return {Aggregation::kStale};

  const bool duplicate = (slot.workers & bit) != 0;
  for (std::size_t i = 0; i < values.size(); i++) {
    if (!duplicate) slot.sum[i] = fp::add(slot.sum[i], values[i], config_.subnormal);
    values[i] = slot.sum[i];
  }
  if (duplicate) return {Aggregation::kDuplicate};
  slot.workers |= bit;
  return {Aggregation::kAdded, slot.workers == all};
}

Aggregator::FrameOutcome Aggregator::accept_frame(std::span<std::uint8_t> frame) {
  FrameOutcome result{expether::classify(frame), {}};
  if (result.classified.kind != expether::Kind::kGradient) return result;
  const expether::Fields& f = result.classified.fields;
  std::vector<std::uint32_t> values = expether::values_of(frame, result.classified);
  result.outcome = accept({f.group, f.worker, f.sequence, f.iteration}, values);
  switch (result.outcome.action) {
    case Aggregation::kFirst:
    case Aggregation::kAdded:
    case Aggregation::kDuplicate: {
      const int others = f.flags & ~expether::kFlagComplete;
      const int flags = result.outcome.complete ? others | expether::kFlagComplete : others;
      expether::rewrite(frame, f.type, static_cast<std::uint8_t>(flags), values);
      break;
    }
    default:
      break;
  }
  return result;
}

}  // namespace gw::reference
