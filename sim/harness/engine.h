// An engine is one opinion of a device, cycle by cycle: RTL through
// testbenches/engine/engine_abi.h, the SystemC model's core, a chain or a ring of engines.
//
// The device's ports are facts that its engines share, a struct P with
//
//   using Beat = gw::Beat;                             the width of its streams
//   static constexpr std::array<Port, I> kInputs;      names, tuser's width, pace
//   static constexpr std::array<Port, O> kOutputs;
//   static constexpr uint64_t kEvents = 0;             bits of the probe that the oracle follows
//   static constexpr uint64_t kSettles = 0;            cycles after which a device without input or
//                                                      debt is still; 0: never
// if its other outputs are counters of 32 bits, and only these,
//
//   static constexpr size_t kCountersInProbe;          how many: the probe is made of them
//
// if pins go with each packet, sampled when its first beat is accepted,
//
//   static constexpr std::array<Pin, N> kPinsOfPacket;  entry i is word i of a PacketConfig
//   static constexpr std::array<Pin, N> kPinsOfProbe;   outputs of the probe, lowest bits first
//
// and, if it has control ports,
//
//   static constexpr std::array<ControlPort, C> kControls;   names, width of addresses
//
// An engine is a class with
//
//   using Ports = P;
//   void reset();                                      one rising edge with aresetn = 0
//   uint32_t s_ready() const;                          bit i: tready of input i in this cycle
//   const Beat* m_beat(size_t port) const;             payload of an output; nullptr: tvalid = 0
//   Probe<P> probe() const;                            every other output, packed: compared in each
//                                                      cycle; 64 bits, or what its counters take
//   void clock(const Offered<P>&, uint32_t m_ready);   one rising edge: a beat for each input
//                                                      (nullptr: tvalid = 0), bit o: tready of
//                                                      output o
// for control ports
//
//   const AxiLiteReply& control(size_t port) const;    what the device drives in this cycle
//   void drive(size_t port, const AxiLiteRequest&);    what the master drives from this cycle on;
//                                                      nothing is valid before the first call, and
//                                                      in cycles without a change there is none
// and, if it needs them,
//
//   bool settles() const;                              outputs may depend on inputs of the same
//                                                      cycle: false unless it says so
//   void settle(const Offered<P>&, uint32_t m_ready);  then, before clock with the same: outputs
//                                                      become what these inputs make of them
//   void write(uint32_t address, uint32_t data);       a host write: one rising edge
//   void configure(size_t port, const PacketConfig&);  pins of a packet, from the cycle in which
//                                                      its first beat is offered
//   void release(size_t port, const PacketConfig&);    what these pins show from the cycle after
//                                                      that beat is accepted; without it,
//                                                      configure is called
//   std::span<const uint32_t> statistics() const;      counters, compared when the run is over
//   void set(std::string_view pin, uint64_t value);    a pin that is set once
//   void boot(const Boot&);                            from reset to cycle 0; else edge by edge
//   void skip(uint64_t cycles);                        time that is not simulated has passed
//   void show(const Cycle<P>&);                        what the harness knows, for a waveform
//   std::string stopped() const;                       why it cannot go on; empty: it can
//   uint64_t missed() const;                           edges that it did not see since it stopped
//   void add_points(Points&) const;                    what it has counted of itself (coverage)
//   std::vector<Inner<Beat>> inner(uint64_t) const;    what its probe digests, in this cycle or so
//                                                      many cycles ago, 64 at most
//
// Outputs are read before the edge and belong to the cycle that it ends. They are functions of
// registers, unless the engine settles.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "models/axis/axi_lite.h"
#include "sim/base/random.h"
#include "sim/harness/packet.h"
#include "sim/harness/port.h"

namespace gw::sim {

template <class Ports>
inline constexpr size_t kInputsOf = Ports::kInputs.size();
template <class Ports>
inline constexpr size_t kOutputsOf = Ports::kOutputs.size();

/// None, if Ports does not name any.
template <class Ports>
inline constexpr size_t kControlsOf = 0;
template <class Ports>
requires requires { Ports::kControls; }
inline constexpr size_t kControlsOf<Ports> = Ports::kControls.size();

/// Pins that go with each packet.
template <class Ports>
inline constexpr bool kPinsGoWithPackets = requires {
  Ports::kPinsOfPacket;
};

/// What these pins show when no packet begins, after a packet with `config` (the `number`th on its
/// port): all bits inverted, or drawn bits. An engine that looks at them too late or too early does
/// not get what it should.
template <class Ports>
PacketConfig released_pins(const PacketConfig& config, uint64_t seed, uint64_t number) {
  Random random(seed ^ (number + 1) * 0x9E3779B97F4A7C15u);
  const bool inverted = random.below(2) == 0;
  PacketConfig pins{};
  for (size_t i = 0; i < Ports::kPinsOfPacket.size(); ++i) {
    const auto mask = static_cast<uint32_t>((uint64_t{1} << Ports::kPinsOfPacket[i].bits) - 1);
    pins[i] = (inverted ? ~config[i] : static_cast<uint32_t>(random.next())) & mask;
  }
  return pins;
}

/// A beat or none, for each input.
template <class Ports>
using Offered = std::array<const typename Ports::Beat*, kInputsOf<Ports>>;

/// Has what the control ports of its device need, if there are any.
/// Words of the probe: one, or those of the counters of 32 bits, or of the pins, that it is made
/// of.
template <class Ports>
inline constexpr size_t kProbeWords = 1;
template <class Ports>
requires requires { Ports::kCountersInProbe; }
inline constexpr size_t kProbeWords<Ports> = (Ports::kCountersInProbe + 1) / 2;
template <class Ports>
requires requires { Ports::kPinsOfProbe; }
inline constexpr size_t kProbeWords<Ports> = (bits_of(Ports::kPinsOfProbe) + 63) / 64;

/// Every output of a device that is neither a stream's nor a control port's, packed.
template <class Ports>
using Probe =
    std::conditional_t<kProbeWords<Ports> == 1, uint64_t, std::array<uint64_t, kProbeWords<Ports>>>;

/// Its bits that mean something only with bit 0: of the outputs that name its output as `valid`.
template <class Ports>
requires requires { Ports::kPinsOfProbe; }
constexpr Probe<Ports> bits_with_the_first() {
  Probe<Ports> mask{};
  size_t lsb = 0;
  for (const Pin& pin : Ports::kPinsOfProbe) {
    const size_t end = lsb + static_cast<size_t>(pin.bits);
    for (; lsb != end; ++lsb) {
      if (pin.valid == Ports::kPinsOfProbe[0].name) mask[lsb / 64] |= uint64_t{1} << lsb % 64;
    }
  }
  return mask;
}

/// Its words, lowest first.
template <class AnyProbe>
std::span<const uint64_t> words_of_probe(const AnyProbe& probe) {
  if constexpr (std::is_same_v<AnyProbe, uint64_t>) {
    return {&probe, 1};
  } else {
    return probe;
  }
}

/// So many of its bits from `lsb` on, in hexadecimal.
inline std::string hex_of_bits(std::span<const uint64_t> words, size_t lsb, size_t bits) {
  std::string hex;
  for (size_t nibble = (bits + 3) / 4; nibble-- > 0;) {
    unsigned value = 0;
    for (size_t bit = 4 * nibble; bit < std::min(4 * nibble + 4, bits); ++bit) {
      const size_t at = lsb + bit;
      value |= static_cast<unsigned>(words[at / 64] >> at % 64 & 1) << bit % 4;
    }
    hex += "0123456789abcdef"[value];
  }
  return hex;
}

template <class E>
concept Controlled = kControlsOf<typename E::Ports>
== 0 || requires(E& e, const E& c, const AxiLiteRequest& request) {
  { c.control(size_t{}) } -> std::same_as<const AxiLiteReply&>;
  e.drive(size_t{}, request);
};

template <class E>
concept Engine = Controlled<E> &&
    requires(E& e, const E& c, const Offered<typename E::Ports>& offered) {
  e.reset();
  { c.s_ready() } -> std::same_as<uint32_t>;
  { c.m_beat(size_t{}) } -> std::same_as<const typename E::Ports::Beat*>;
  { c.probe() } -> std::same_as<Probe<typename E::Ports>>;
  e.clock(offered, uint32_t{});
};

/// What happens between reset and cycle 0, for all engines alike: the simplest way to configure a
/// device, by host writes that take an edge each. Control ports are driven from cycle 0 on, by a
/// ControlFeed.
struct Boot {
  struct Write {
    uint32_t address, data;
  };
  std::vector<Write> writes;  ///< an edge each
  uint64_t edges = 1;         ///< at least so many edges, the last of them idle
};

/// What only the harness knows of a cycle.
template <class Ports>
struct Cycle {
  uint64_t cycle = 0;
  uint32_t source_stall = 0, sink_stall = 0;  ///< bit p
  std::array<uint32_t, kInputsOf<Ports>> input_packet{};
  std::array<uint32_t, kOutputsOf<Ports>> output_packet{};
  /// Of the engine beside it, if there is one.
  uint32_t other_s_ready = 0;
  std::array<const typename Ports::Beat*, kOutputsOf<Ports>> other_beat{};
};

/// Clock edges before cycle 0 that a waveform shows: two in reset, one to come out of it.
inline constexpr int64_t kResetCycles = 3;

template <Engine E>
void boot_engine(E& engine, const Boot& boot) {
  if constexpr (requires { engine.boot(boot); }) {
    engine.boot(boot);
  } else {
    uint64_t edges = 0;
    if constexpr (requires { engine.write(uint32_t{}, uint32_t{}); }) {
      for (const Boot::Write& write : boot.writes) engine.write(write.address, write.data);
      edges = boot.writes.size();
    }
    do {
      engine.clock({}, 0);
      ++edges;
    } while (edges < boot.edges);
  }
}

/// Whether its outputs may depend on inputs of the same cycle.
template <class E>
bool settles(const E& engine) {
  if constexpr (requires { engine.settles(); }) {
    return engine.settles();
  } else {
    return false;
  }
}
/// Applies the inputs of a cycle before its edge, to an engine that needs it.
template <class E, class P = typename E::Ports>
void settle_engine(E& engine, const Offered<P>& offered, uint32_t m_ready) {
  if constexpr (requires { engine.settle(offered, m_ready); }) {
    if (engine.settles()) engine.settle(offered, m_ready);
  }
}

/// Why an engine, or one within it, cannot go on; empty: it can.
template <class E>
std::string stopped_of(const E& engine) {
  if constexpr (requires { engine.stopped(); }) {
    return engine.stopped();
  } else {
    return {};
  }
}
/// How many edges it has not seen since, if it says so.
template <class E>
std::optional<uint64_t> missed_of(const E& engine) {
  if constexpr (requires { engine.missed(); }) {
    return engine.missed();
  } else {
    return {};
  }
}

/// The pins that go with a packet show something else now.
template <class E>
void release_pins(E& engine, size_t port, const PacketConfig& pins) {
  if constexpr (requires { engine.release(port, pins); }) {
    engine.release(port, pins);
  } else if constexpr (requires { engine.configure(port, pins); }) {
    engine.configure(port, pins);
  }
}

/// The counters of an engine; none if it has none.
template <class E>
std::vector<uint32_t> statistics_of(const E& engine) {
  if constexpr (requires { engine.statistics(); }) {
    const std::span<const uint32_t> words = engine.statistics();
    return {words.begin(), words.end()};
  } else {
    return {};
  }
}

/// What an engine has counted of itself, if it does: RTL built with coverage.
template <class E, class Points>
void points_of(const E& engine, Points& points) {
  if constexpr (requires { engine.add_points(points); }) engine.add_points(points);
}

/// A port or another output of an engine within an engine, in a cycle.
template <class Beat>
struct Inner {
  std::string port;         ///< node2.m_axis_right, node2
  bool shown = false;       ///< of a stream: tvalid
  Beat beat{};              ///< while it is
  std::string signal = {};  ///< of anything else: tready, error_o; empty: a stream
  std::string value = {};
};

/// What is seen within an engine; nothing if it does not say.
template <class E>
auto inner_of(const E& engine, uint64_t ago) {
  if constexpr (requires { engine.inner(ago); }) {
    return engine.inner(ago);
  } else {
    return std::vector<Inner<typename E::Ports::Beat>>();
  }
}

/// Folds the words of a probe into what was folded before.
template <class AnyProbe>
uint64_t digest_of(const AnyProbe& probe, uint64_t before) {
  for (const uint64_t word : words_of_probe(probe)) {
    before = before * 0x9E3779B97F4A7C15ull + word;
  }
  return before;
}

/// Folds a beat into 64 bits: how inner ports of composed engines are compared.
template <class Beat>
uint64_t digest(const Beat* beat) {
  if (beat == nullptr) return 0;
  uint64_t hash = 0x9E3779B97F4A7C15ull ^ static_cast<uint64_t>(beat->keep) ^
                  static_cast<uint64_t>(beat->last) << 33 ^ static_cast<uint64_t>(beat->user) << 34;
  for (const uint32_t word : beat->data) hash = (hash ^ word) * 0x100000001B3ull;
  for (const uint32_t word : beat->meta) hash = (hash ^ word) * 0x100000001B3ull;
  return hash | 1;
}

}  // namespace gw::sim
