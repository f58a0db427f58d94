// The smallest device there is: one skid register. What goes in comes out, a cycle later, at a beat
// a cycle; ready is a register.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/harness/engine.h"
#include "sim/harness/oracle.h"

namespace gw::sim::toys {

/// One stream in, one out; with MACs of so many Mb/s, if there are any.
template <class B = gw::Beat, int kMbps = 0, uint64_t kStillAfter = 0>
struct StreamPorts {
  using Beat = B;
  static constexpr std::array<Port, 1> kInputs = {{{.name = "s_axis",
                                                    .bundle = "s_axis",
                                                    .paced = kMbps != 0,
                                                    .wire = ethernet(kMbps * 1e-3)}}};
  static constexpr std::array<Port, 1> kOutputs = {{{.name = "m_axis",
                                                     .bundle = "m_axis",
                                                     .paced = kMbps != 0,
                                                     .wire = ethernet(kMbps * 1e-3)}}};
  static constexpr uint64_t kEvents = 0;
  static constexpr uint64_t kSettles = kStillAfter;
};

template <class P = StreamPorts<>>
class Passthrough {
 public:
  using Ports = P;
  using Beat = typename P::Beat;

  void reset() { showing = spare_full = ready = false; }
  uint32_t s_ready() const { return ready; }
  const Beat* m_beat(size_t) const { return showing ? &shown : nullptr; }
  uint64_t probe() const { return 0; }
  void clock(const Offered<P>& offered, uint32_t m_ready) {
    const Beat* const accepted = ready ? offered[0] : nullptr;
    if (!showing || m_ready != 0) {
      showing = spare_full || accepted != nullptr;
      if (showing) shown = spare_full ? spare : *accepted;
      spare_full = false;
    } else if (accepted != nullptr) {
      spare = *accepted;
      spare_full = true;
    }
    ready = !spare_full;
  }

  Beat shown, spare;
  bool showing = false, spare_full = false, ready = false;
};

/// The same in another way, a queue of two places: a second opinion.
template <class P = StreamPorts<>>
class TwoPlaces {
 public:
  using Ports = P;
  using Beat = typename P::Beat;

  void reset() { in_ = out_ = 0, awake_ = false; }
  uint32_t s_ready() const { return awake_ && in_ - out_ < 2; }
  const Beat* m_beat(size_t) const { return in_ != out_ ? &place_[out_ % 2] : nullptr; }
  uint64_t probe() const { return 0; }
  void clock(const Offered<P>& offered, uint32_t m_ready) {
    const bool accepts = offered[0] != nullptr && s_ready() != 0;
    const bool sends = m_beat(0) != nullptr && m_ready != 0;
    if (accepts) place_[in_ % 2] = *offered[0];
    in_ += accepts;
    out_ += sends;
    awake_ = true;
  }

 private:
  std::array<Beat, 2> place_;
  uint64_t in_ = 0, out_ = 0;
  bool awake_ = false;
};

/// What goes in must come out; its first beat makes its first beat.
template <class Beat>
class Echo : public QueueOracle<Beat> {
 public:
  Echo() : QueueOracle<Beat>(1) {}
  void arrives(size_t, const PacketRef<Beat>& packet) override {
    PacketRef<Beat> out = make_packet<Beat>();
    out->beats = packet->beats;
    out->source = packet;
    packet->trigger = 0;
    this->owe(0, std::move(out));
  }
};

}  // namespace gw::sim::toys
