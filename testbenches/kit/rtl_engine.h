// Compiled RTL, whoever compiled it, as an engine of the harness: an inline shell around the C
// interface of engine_abi.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/error.h"
#include "sim/coverage/points.h"
#include "sim/harness/engine.h"
#include "testbenches/kit/compiled_rtl.h"

namespace gw::testbenches {

/// P: the device's ports. Its pins, if there are any, go with a packet (P::kPinsOfPacket names the
/// pin that each word of the packet's configuration drives) or are set once. Its counters are
/// stat_o, or the probe is made of them (P::kCountersInProbe).
template <class P>
class RtlEngine {
 public:
  using Ports = P;
  using Beat = typename P::Beat;
  static_assert(sim::kControlsOf<P> <= GW_ENGINE_CONTROLS);

  /// Throws std::bad_alloc.
  RtlEngine(CompiledRtl compiled, uint64_t seed)
      : compiled_(std::move(compiled)),
        api_(compiled_.api()),
        self_(api_.make(seed, compiled_.files())) {
    if (self_ == nullptr) throw std::bad_alloc();
    api_.period(self_, compiled_.period_ps());
    outputs_ = api_.outputs(self_);
    if constexpr (sim::kPinsGoWithPackets<P>) {
      for (size_t i = 0; i < P::kPinsOfPacket.size(); ++i) {
        pins_[i] = pin(sim::word_name(P::kPinsOfPacket[i]));
      }
    }
  }
  ~RtlEngine() { api_.drop(self_); }
  RtlEngine(const RtlEngine&) = delete;
  RtlEngine& operator=(const RtlEngine&) = delete;

  void set(std::string_view name, uint64_t value) { api_.set(self_, pin(name), value); }
  /// Before the first edge. Throws InputError.
  int trace(const std::string& path, int64_t from, int64_t to, uint64_t period_ps) {
    traced_ = true;
    return api_.trace(self_, path.c_str(), from, to, period_ps);
  }
  /// Closes the waveform; empty, or why it is not whole.
  std::string finish() {
    const char* const why = traced_ ? api_.finish(self_) : nullptr;
    traced_ = false;
    return why != nullptr ? why : "";
  }

  void reset() { api_.reset(self_); }
  void boot(const sim::Boot& boot) {
    // What happens on the way is not in the waveform but for its last edge, and takes no time.
    api_.harness(self_, nullptr);
    for (const sim::Boot::Write& write : boot.writes) api_.write(self_, write.address, write.data);
    for (uint64_t edge = boot.writes.size() + 1; edge < boot.edges; ++edge) clock({}, 0);
    const GwHarnessSignals signals{};
    api_.harness(self_, &signals);
    clock({}, 0);
  }
  uint32_t s_ready() const { return outputs_->s_ready; }
  const Beat* m_beat(size_t port) const {
    return (outputs_->m_valid >> port & 1) != 0 ? static_cast<const Beat*>(outputs_->m_beat) + port
                                                : nullptr;
  }
  sim::Probe<P> probe() const {
    if constexpr (sim::kProbeWords<P> == 1) {
      return outputs_->probe;
    } else {
      static_assert(sim::kProbeWords<P> <= 1 + GW_ENGINE_PROBE_MORE);
      sim::Probe<P> words{outputs_->probe};
      std::copy_n(outputs_->probe_more, words.size() - 1, words.begin() + 1);
      if constexpr (requires { P::kPinsOfProbe; }) {
        constexpr sim::Probe<P> kMask = sim::bits_with_the_first<P>();
        if ((words[0] & 1) == 0) {
          for (size_t i = 0; i < words.size(); ++i) words[i] &= ~kMask[i];
        }
      }
      return words;
    }
  }
  bool settles() const { return compiled_.settles(); }
  void settle(const sim::Offered<P>& offered, uint32_t m_ready) {
    if (settles()) api_.settle(self_, beats(offered), m_ready);
  }
  void clock(const sim::Offered<P>& offered, uint32_t m_ready) {
    api_.clock(self_, beats(offered), m_ready);
  }
  const AxiLiteReply& control(size_t port) const requires(sim::kControlsOf<P> != 0) {
    return static_cast<const AxiLiteReply*>(outputs_->control)[port];
  }
  void drive(size_t port, const AxiLiteRequest& request) requires(sim::kControlsOf<P> != 0) {
    api_.drive(self_, static_cast<uint32_t>(port), &request);
  }
  void configure(size_t, const sim::PacketConfig& config) {
    if constexpr (sim::kPinsGoWithPackets<P>) {
      for (size_t i = 0; i < P::kPinsOfPacket.size(); ++i) api_.set(self_, pins_[i], config[i]);
    }
  }
  std::span<const uint32_t> statistics() const {
    if constexpr (requires { P::kCountersInProbe; }) {
      counters_ = std::bit_cast<Counters>(probe());
      return std::span<const uint32_t>(counters_).first(P::kCountersInProbe);
    }
    uint32_t words = 0;
    const uint32_t* const values = api_.statistics(self_, &words);
    return {values, words};
  }
  void skip(uint64_t cycles) { api_.skip(self_, cycles); }
  /// What the RTL has counted, if it was built to.
  void add_points(sim::coverage::Points& points) const { counted(api_, self_, points); }
  void show(const sim::Cycle<P>& cycle) {
    GwHarnessSignals signals{.cycle = cycle.cycle,
                             .source_stall = cycle.source_stall,
                             .sink_stall = cycle.sink_stall,
                             .input_packet = {},
                             .output_packet = {},
                             .model_s_ready = cycle.other_s_ready,
                             .model_beat = {}};
    std::copy(cycle.input_packet.begin(), cycle.input_packet.end(), signals.input_packet);
    std::copy(cycle.output_packet.begin(), cycle.output_packet.end(), signals.output_packet);
    std::copy(cycle.other_beat.begin(), cycle.other_beat.end(), signals.model_beat);
    api_.harness(self_, &signals);
  }
  std::string stopped() const {
    const char* const why = api_.failure(self_);
    return why != nullptr ? said(why) : "";
  }
  uint64_t missed() const { return outputs_->missed; }

 private:
  static const void* const* beats(const sim::Offered<P>& offered) {
    static_assert(sizeof(offered) == sim::kInputsOf<P> * sizeof(void*));
    return reinterpret_cast<const void* const*>(offered.data());
  }
  int pin(std::string_view name) const {
    const int index = api_.pin(self_, std::string(name).c_str());
    if (index < 0) {
      throw sim::UsageError("the RTL has no input '" + std::string(name) + "'");
    }
    return index;
  }

  using Counters = std::array<uint32_t, 2 * sim::kProbeWords<P>>;

  const CompiledRtl compiled_;
  const GwEngine& api_;
  void* self_;
  const GwOutputs* outputs_ = nullptr;
  bool traced_ = false;
  std::array<int, std::tuple_size_v<sim::PacketConfig>> pins_{};
  mutable Counters counters_{};
};

}  // namespace gw::testbenches
