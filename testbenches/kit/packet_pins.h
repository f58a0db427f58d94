// How the pins that go with a packet are set: as the run's options say, or drawn for each packet.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/base/random.h"
#include "sim/feeds/random_table.h"
#include "sim/feeds/source.h"
#include "sim/run/device.h"

namespace gw::testbenches {

/// What the pins of a device's packets may show; pin i is word i of a configuration.
struct PinFacts {
  std::vector<std::string> options;          ///< what sets each pin; empty: nothing does
  sim::PacketConfig (*legal)(sim::Random&);  ///< what options may say
  /// Whatever has a meaning by the device's contract.
  sim::PacketConfig (*any)(sim::Random&) = legal;
};

/// In reports, in the place of a setting.
inline constexpr const char* kDrawnPerPacket = "drawn per packet";

/// The key `settings` of random tables.
sim::RandomKey random_settings_key();

/// Sets the pins of one packet after the other. Random traffic draws them by the table's key
/// `settings`, the synthetic stimulus `irregular` from what is legal; all else, and pins whose
/// option was given, are as the options say.
class PacketPins {
 public:
  /// `facts` null: there are no such pins. `config`: as the options of the run say.
  PacketPins(const PinFacts* facts, const sim::RunSpec& spec, const sim::PacketConfig& config);

  /// What packet `number` has; gives it to the packet if it was drawn.
  const sim::PacketConfig& set(sim::RawPacket& packet, uint64_t number);
  /// The same, drawn or not, without a packet.
  const sim::PacketConfig& config(uint64_t number);
  /// Another configuration, different in each pin if there is one.
  static sim::PacketConfig unlike(const PinFacts& facts, const sim::PacketConfig& config,
                                  sim::Random& random);
  /// Packets may differ in this pin.
  bool drawn(size_t pin) const { return pin < drawn_.size() && drawn_[pin]; }

 private:
  const PinFacts* facts_;
  const sim::RandomChoice* ways_ = nullptr;  ///< of random traffic
  const std::shared_ptr<const sim::RandomTable> table_;
  const uint64_t seed_;
  const sim::PacketConfig config_;
  sim::PacketConfig now_;
  std::vector<bool> drawn_;
  bool draws_ = false, own_ = false;
};

}  // namespace gw::testbenches
