// SPDX-License-Identifier: Apache-2.0
#include "testbenches/kit/packet_pins.h"

#include <algorithm>

#include "sim/feeds/stimulus.h"

namespace gw::testbenches {
namespace {

constexpr const char* kKey = "settings";

/// Some packet of a recorded run has another value at this pin.
bool recorded_otherwise(const sim::Stimulus& stimulus, size_t pin, uint32_t usual) {
  return std::ranges::any_of(stimulus.packets, [&](const sim::RawPacket& packet) {
    return packet.own_config && packet.config[pin] != usual;
  });
}

}  // namespace

sim::RandomKey random_settings_key() {
  return {kKey,
          "how the pins of a packet are set: legal: drawn for each packet from what options may "
          "say; any: from whatever has a meaning; options: as the run's options say. A pin whose "
          "option is given is never drawn",
          {{"legal", 1}, {"any"}, {"options"}}};
}

PacketPins::PacketPins(const PinFacts* facts, const sim::RunSpec& spec,
                       const sim::PacketConfig& config)
    : facts_(facts),
      table_(spec.stimulus.random),
      seed_(spec.seed),
      config_(config),
      now_(config),
      drawn_(facts != nullptr ? facts->options.size() : 0) {
  if (spec.stimulus.recorded != nullptr) {
    for (size_t i = 0; i < drawn_.size(); ++i) {
      drawn_[i] = recorded_otherwise(*spec.stimulus.recorded, i, config[i]);
    }
    return;
  }
  if (table_ != nullptr) ways_ = &(*table_)[kKey];
  const bool draws =
      ways_ != nullptr ? ways_->share("options") < 1 : spec.stimulus.synth == "irregular";
  for (size_t i = 0; draws && i < drawn_.size(); ++i) {
    drawn_[i] = facts->options[i].empty() || !spec.options.changed().contains(facts->options[i]);
    draws_ = draws_ || drawn_[i];
  }
}

const sim::PacketConfig& PacketPins::config(uint64_t number) {
  now_ = config_;
  own_ = false;
  if (!draws_) return now_;
  sim::Random random(seed_, kKey, number);
  const std::string way = ways_ != nullptr ? ways_->name(ways_->draw(random)) : "legal";
  if (way == "options") return now_;
  const sim::PacketConfig drawn = way == "any" ? facts_->any(random) : facts_->legal(random);
  for (size_t i = 0; i < drawn_.size(); ++i) {
    if (drawn_[i]) now_[i] = drawn[i];
  }
  own_ = true;
  return now_;
}

const sim::PacketConfig& PacketPins::set(sim::RawPacket& packet, uint64_t number) {
  config(number);
  packet.own_config = own_;
  if (own_) packet.config = now_;
  return now_;
}

sim::PacketConfig PacketPins::unlike(const PinFacts& facts, const sim::PacketConfig& config,
                                     sim::Random& random) {
  constexpr int kTries = 16;  // of a pin of one bit one in 65,536 stays as it is
  sim::PacketConfig other = config;
  for (int i = 0; i < kTries; ++i) {
    const sim::PacketConfig drawn = facts.legal(random);
    for (size_t pin = 0; pin < facts.options.size(); ++pin) {
      if (other[pin] == config[pin]) other[pin] = drawn[pin];
    }
  }
  return other;
}

}  // namespace gw::testbenches
