// The one loop: a feed through one or two engines, cycle by cycle, every output compared in every
// cycle, every packet scored against the oracle, every port checked against the rules of
// AXI4-Stream. Any number of ports, paced by a MAC or not; and control ports, with the rules of
// AXI4-Lite, which cost a device without them nothing.
//
// The loop is a template over the first engine: no virtual call, no allocation, no copy of a beat
// in a cycle. Feed, oracle and timeline hear of packets and events only (sim/harness/course.h). The
// second engine follows a window of cycles later and is held to what the first one showed
// (sim/harness/window.h); only where somebody looks at single cycles does it keep step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/harness/any_engine.h"
#include "sim/harness/course.h"
#include "sim/harness/window.h"

namespace gw::sim {

/// Stands where nothing is counted of a run (sim/coverage/streams.h counts): the loop is compiled
/// without it.
struct NoCover {
  static constexpr bool kOn = false;
};

template <Engine A, class Cover = NoCover>
class Lockstep final : public Course<typename A::Ports> {
 public:
  using Ports = typename A::Ports;
  using Base = Course<Ports>;
  using Base::kControl, Base::kIn, Base::kOut, Base::kPacedIn, Base::kPacedOut;
  using typename Base::Beat;
  using Second = AnyEngine<Ports>;
  static constexpr bool kConfigured = requires(A & a, PacketConfig config) {
    a.configure(size_t{}, config);
  };
  static constexpr bool kReleases = kConfigured && kPinsGoWithPackets<Ports>;
  static_assert(Window<Ports>::kCycles == Base::kWindow);

  /// `b` may be none.
  [[gnu::cold]] Lockstep(A& a, Second b, Feed<Beat>& feed, Oracle<Beat>& oracle, const Drive& drive,
                         std::string name_a, std::string name_b = "",
                         Listener<Beat>* listener = nullptr)
      : Base(feed, oracle, drive, std::move(name_a), std::move(name_b), listener),
        a_(a),
        b_(std::move(b)),
        two_(static_cast<bool>(b_)),
        in_step_(two_ && (drive.watched || drive.recording != nullptr)),
        settles_(settles(a_) || (two_ && b_.settles())) {}

  [[gnu::cold]] void reset() override {
    if constexpr (kControl != 0) {
      for (size_t p = 0; p < kControl; ++p) {
        a_.drive(p, {});
        if (two_) b_.drive(p, {});
      }
    }
    for (int64_t edge = 0; edge < kResetCycles - 1; ++edge) {
      if (observer_ != nullptr) observer_->reset(edge == 0, a_.probe());
      a_.reset();
      check_silence(a_, name_a_);
      if (two_) {
        b_.reset();
        check_silence(b_, name_b_);
      }
    }
    if (observer_ != nullptr) observer_->boot(drive_.boot);
    boot_engine(a_, drive_.boot);
    if (two_) b_.boot(drive_.boot);
    this->begin();
    if constexpr (kReleases) {
      for (size_t p = 0; p < kIn; ++p) {
        const PacketConfig first =
            in_[p].packet != nullptr ? in_[p].packet->config : PacketConfig{};
        const PacketConfig pins = released_pins<Ports>(first, drive_.seed, 0);
        if (observer_ != nullptr) observer_->configure(pins);
        release_pins(a_, p, pins);
        if (two_) b_.release(p, pins);
      }
    }
    ask_engines();
  }

  bool advance(uint64_t n) override {
    while (n > 0 && !this->over()) {
      if (stall_left_ == 0) {
        draw_stalls(now_);
        ask_again();
      }
      uint64_t chunk = std::min<uint64_t>(n, stall_left_);
      if (finished_ && !failed()) chunk = std::min(chunk, end_ - now_);
      const uint64_t moved = moves(), in = moved_in_;
      this->begin_tally();
      const uint64_t i = drive_.after_failure ? shown_cycles(chunk)
                         : two_               ? cycles_of_two(chunk)
                                              : cycles(chunk);
      stall_left_ -= static_cast<uint32_t>(i);
      n -= i;
      this->tally();
      if (!drive_.after_failure) ask_engines();
      if (failed()) continue;
      this->forget();
      if (moves() == moved) {
        at_rest();
      } else if (!follows_ && moved_in_ == in) {
        see_an_end();
      }
    }
    return !this->over();
  }

  /// What counts what was reached; before reset.
  void cover_with(Cover& cover) {
    cover_ = &cover;
    if constexpr (Cover::kOn) this->watch_with(cover.watcher());
  }

 private:
  using Base::moves, Base::ready_bit, Base::draw_stalls, Base::ask_again, Base::at_rest,
      Base::see_an_end, Base::fail_lockstep, Base::fail_event, Base::fail_protocol,
      Base::fail_control_rule, Base::stand_still, Base::deliver, Base::take, Base::failed;
  using Base::oracle_, Base::drive_, Base::name_a_, Base::name_b_, Base::in_, Base::out_,
      Base::masters_, Base::control_check_, Base::holding_, Base::waiting_sources_,
      Base::waiting_sinks_, Base::source_bits_, Base::sink_bits_, Base::stall_left_, Base::now_,
      Base::last_event_, Base::moved_in_, Base::end_, Base::finished_, Base::follows_,
      Base::failure_, Base::timeline_, Base::observer_, Base::watcher_, Base::ahead_,
      Base::shown_until_;
  using typename Base::In, typename Base::Out, typename Base::Which;

  /// At most n cycles of the first engine; how many went by.
  uint64_t cycles(uint64_t n) {
    uint64_t i = 0;
    while (i < n && cycle(static_cast<size_t>(i))) ++i;
    return i;
  }

  /// The same of one or both, cycle by cycle, until a failure has been shown.
  [[gnu::cold, gnu::noinline]] uint64_t shown_cycles(uint64_t n) {
    uint64_t i = 0;
    while (i < n && !this->over()) {
      i += two_ ? cycles_of_two(1) : cycles(1);
      ask_engines();
    }
    return i;
  }

  /// The same of both.
  uint64_t cycles_of_two(uint64_t n) {
    const uint64_t most = in_step_ ? 1 : n;
    for (uint64_t i = 0; i < n; i += most) {
      window_.clear();
      const auto ran = static_cast<size_t>(cycles(most));
      const size_t same = b_.follow(window_, ran, !(drive_.after_failure && failed()));
      if (same < ran) [[unlikely]] {
        differ(same, ran);
        return i + same;
      }
      if (ran < most) [[unlikely]] {
        // A failure of this cycle is the first one's alone only if the second shows the same in it.
        note_shown(ran);
        if (settles_) b_.settle(window_, ran);
        if (!shows(b_, window_, ran)) differ(ran, ran);
        return i + ran;
      }
    }
    return n;
  }

  /// In the window's cycle `same` the second engine shows something else. The first one is ahead by
  /// ran - same cycles, and what it has done in them is not told.
  [[gnu::cold, gnu::noinline]] void differ(size_t same, size_t ran) {
    for (size_t i = same; i < ran; ++i) {
      const typename Window<Ports>::Row& row = window_.row(i);
      for (size_t p = 0; p < kIn; ++p) {
        ahead_.in[p] += row.offered[p] != nullptr && ready_bit(row.s_ready, p);
      }
      for (size_t p = 0; p < kOut; ++p) {
        ahead_.out[p] += row.m[p] != nullptr && ready_bit(row.m_ready, p);
      }
    }
    if (same == ran && accepted_) {
      const typename Window<Ports>::Row& row = window_.row(ran);
      for (size_t p = 0; p < kIn; ++p) {
        ahead_.in[p] += row.offered[p] != nullptr && ready_bit(row.s_ready, p);
      }
    }
    now_ -= ran - same;
    cycles_ahead_ = ran - same;
    failure_ = {};
    fail_lockstep(window_.shown(same), shown_by(b_), inner_of(a_, ran - same), inner_of(b_, 0));
  }

  /// What the first engine shows, of a cycle that does not end.
  [[gnu::cold, gnu::noinline]] void note_shown(size_t i) {
    typename Window<Ports>::Row& row = window_.row(i);
    row.probe = a_.probe();
    row.s_ready = a_.s_ready();
    for (size_t p = 0; p < kOut; ++p) row.m[p] = a_.m_beat(p);
    if constexpr (kControl != 0) {
      for (size_t p = 0; p < kControl; ++p) window_.set_reply(i, p, a_.control(p));
    }
  }

  /// Compares what both show, where they keep step, and tells the oracle of the device's events.
  [[gnu::always_inline]] bool see(size_t i, const Probe<Ports>& probe) {
    if (in_step_ && !failed()) [[unlikely]] {
      note_shown(i);
      if (!shows(b_, window_, i) &&
          !fail_lockstep(window_.shown(i), shown_by(b_), inner_of(a_, 0), inner_of(b_, 0))) {
        return false;
      }
    }
    if constexpr (Ports::kEvents != 0) {
      if (events_of(probe) != 0) {
        last_event_ = now_;
        std::string complaint;
        if (follows_) {
          complaint = kProbeWords<Ports> == 1 ? oracle_.decides(events_of(probe))
                                              : oracle_.says(words_of_probe(probe));
        }
        if (!complaint.empty() && !fail_event(complaint)) [[unlikely]]
          return false;
        if (watcher_ != nullptr) watcher_->decided(events_of(probe));
      }
    }
    return true;
  }
  /// Hears the answers of the control ports.
  [[gnu::always_inline]] bool hear_controls(size_t i) {
    std::array<const AxiLiteReply*, kControl> replies;
    for (size_t p = 0; p < kControl; ++p) {
      replies[p] = &a_.control(p);
      if (two_) window_.set_reply(i, p, *replies[p]);
    }
    return this->control_replies(replies);
  }
  /// Outputs become those of this cycle. What was decided without them is not decided again.
  [[gnu::cold, gnu::noinline]] void settle(size_t i, const Offered<Ports>& offered,
                                           uint32_t m_ready) {
    settle_engine(a_, offered, m_ready);
    accepted_ = false;
    if (!two_) return;
    window_.row(i).offered = offered;
    window_.row(i).m_ready = m_ready;
    if (in_step_) b_.settle(window_, i);
  }

  [[gnu::always_inline]] bool cycle(size_t i) {
    Probe<Ports> probe = a_.probe();
    if (!settles_ && !see(i, probe)) [[unlikely]]
      return false;
    if constexpr (kControl != 0) {
      at_ = i;
      this->control_requests(events_of(probe));
      if (!settles_ && !hear_controls(i)) [[unlikely]]
        return false;
      if (kPacedIn && holding_) stand_still();
    }
    if ((waiting_sources_ | waiting_sinks_) != 0) [[unlikely]]
      this->end_waits();

    // What the environment drives. A source that has offered a beat keeps offering it.
    Offered<Ports> offered;
    uint32_t stalled = 0;  // inputs whose next beat is held back
    for (size_t p = 0; p < kIn; ++p) {
      In& in = in_[p];
      bool due = in.next != nullptr;
      if constexpr (kPacedIn) due = due && in.due <= now_;
      if constexpr (kControl != 0) due = due && !(holding_ && in.next == in.first);
      in.offering |= due && (source_bits_[p] & 1) == 0;
      source_bits_[p] >>= 1;
      offered[p] = in.offering ? in.next : nullptr;
      if constexpr (kConfigured) {
        if (in.begins && in.offering) [[unlikely]] {
          in.begins = false;
          if (observer_ != nullptr) observer_->configure(in.packet->config);
          a_.configure(p, in.packet->config);
          if (two_) window_.configured.push_back({i, p, in.packet->config});
        }
      }
      stalled |= static_cast<uint32_t>(due && !in.offering) << p;
    }
    uint32_t m_ready = 0, wires = 0;  // sinks that take a beat, sinks whose wire is free
    for (size_t p = 0; p < kOut; ++p) {
      const Out& out = out_[p];
      const bool ready = (sink_bits_[p] & 1) == 0;
      sink_bits_[p] >>= 1;
      bool wire = true;
      if constexpr (kPacedOut) {
        wire = !Ports::kOutputs[p].paced || (out.want != nullptr && out.want != out.first_beat) ||
               static_cast<double>(now_) >= std::floor(out.wire_free);
      }
      m_ready |= static_cast<uint32_t>(ready) << p;
      wires |= static_cast<uint32_t>(wire) << p;
    }
    const uint32_t willing = m_ready;
    m_ready &= wires;

    if (settles_) [[unlikely]] {
      settle(i, offered, m_ready);
      probe = a_.probe();
      if (!see(i, probe)) return false;
      if constexpr (kControl != 0) {
        if (!hear_controls(i)) return false;
      }
    }
    const uint32_t s_ready = a_.s_ready();
    if ((waiting_sources_ | waiting_sinks_) != 0) [[unlikely]]
      this->see_the_other_side(s_ready, shown_of(a_));
    bool shown = false;
    std::array<const Beat*, kOut> m{};
    for (size_t p = 0; p < kOut; ++p) {
      Out& out = out_[p];
      m[p] = a_.m_beat(p);
      const bool ready = ready_bit(m_ready, p);
      timeline_.out[p].environment_stalls += m[p] != nullptr && !ready_bit(willing, p);
      if constexpr (kPacedOut) {
        timeline_.out[p].wire_stalls +=
            m[p] != nullptr && ready_bit(willing, p) && !ready_bit(wires, p);
      }
      shown |= m[p] != nullptr;
      // Equal outputs obey the same rules, so that one check serves both engines.
      const AxisRule rule = out.check.check(m[p], ready, Ports::kOutputs[p].empty_last);
      if (rule != AxisRule::kNone && this->counts(rule)) [[unlikely]]
        if (!fail_protocol(name_a_, Ports::kOutputs[p].name, rule)) return false;
    }
    for (size_t p = 0; p < kIn; ++p) {
      In& in = in_[p];
      const AxisRule rule = in.check.check(offered[p], ready_bit(s_ready, p));
      if (rule != AxisRule::kNone && !in.unchecked) [[unlikely]]
        if (!fail_protocol("harness", Ports::kInputs[p].name, rule)) return false;
      timeline_.in[p].environment_stalls += ready_bit(stalled & s_ready, p);
      timeline_.in[p].device_stalls += offered[p] != nullptr && !ready_bit(s_ready, p) && !shown;
    }
    if (drive_.watched) [[unlikely]] {
      show(offered, m_ready);
      if constexpr (kControl != 0) {
        for (size_t p = 0; observer_ != nullptr && !failed() && p < kControl; ++p) {
          observer_->control(p, masters_[p].request(), a_.control(p));
        }
      }
      if (observer_ != nullptr && !failed()) observer_->cycle(offered, m_ready, s_ready, m, probe);
    }

    if constexpr (Cover::kOn) {
      if (!failed()) cover_->cycle(now_, offered, s_ready, m, m_ready);
    }

    // Where a beat may leave in the cycle in which it comes in, it comes in first.
    if (settles_) [[unlikely]] {
      accept(offered, s_ready);
      accepted_ = true;
    }
    std::array<const Beat*, kOut> right{};
    for (size_t p = 0; p < kOut; ++p) {
      if (m[p] != nullptr && !deliver(p, *m[p], ready_bit(m_ready, p), right[p])) [[unlikely]]
        return false;
    }
    if (two_) {
      for (size_t p = 0; p < kOut; ++p) {
        if (m[p] != nullptr && right[p] == nullptr) [[unlikely]]
          right[p] = window_.keep(i, p, *m[p]);
      }
      window_.row(i) = {offered, right, probe, s_ready, m_ready};
    }
    a_.clock(offered, m_ready);
    if (!settles_) accept(offered, s_ready);
    if constexpr (kReleases) {
      if (begun_ != 0) [[unlikely]]
        release(i);
    }
    ++now_;
    return true;
  }

  [[gnu::always_inline]] void accept(const Offered<Ports>& offered, uint32_t s_ready) {
    for (size_t p = 0; p < kIn; ++p) {
      if (offered[p] == nullptr || !ready_bit(s_ready, p)) continue;
      if constexpr (kReleases) {
        if (in_[p].next == in_[p].first) [[unlikely]] {
          begun_ |= 1u << p;
          begun_pins_[p] = released_pins<Ports>(in_[p].packet->config, drive_.seed, in_[p].packets);
        }
      }
      take(p);
    }
  }
  static uint64_t events_of(const Probe<Ports>& probe) {
    if constexpr (Ports::kEvents != 0) {
      return words_of_probe(probe)[0] & Ports::kEvents;
    } else {
      return 0;
    }
  }

  /// Packets' first beats were accepted at this edge: their pins have been sampled.
  [[gnu::noinline]] void release(size_t i) {
    for (size_t p = 0; p < kIn; ++p) {
      if (!ready_bit(begun_, p)) continue;
      const PacketConfig& pins = begun_pins_[p];
      if (observer_ != nullptr) observer_->configure(pins);
      release_pins(a_, p, pins);
      if (two_) window_.released.push_back({i, p, pins});
    }
    begun_ = 0;
  }

  template <class E>
  [[gnu::cold]] void check_silence(const E& engine, const std::string& name) {
    for (size_t p = 0; p < kOut; ++p) {
      const AxisRule rule = out_[p].check.check_reset(engine.m_beat(p), false);
      if (rule != AxisRule::kNone && this->counts(rule)) {
        fail_protocol(name, Ports::kOutputs[p].name, rule);
      }
    }
    for (size_t p = 0; p < kIn; ++p) {
      const AxisRule rule = in_[p].check.check_reset(nullptr, ready_bit(engine.s_ready(), p));
      if (rule != AxisRule::kNone && this->counts(rule)) {
        fail_protocol(name, Ports::kInputs[p].name, rule);
      }
    }
    if constexpr (kControl != 0) {
      for (size_t p = 0; p < kControl; ++p) {
        const AxiLiteChecker::Fault fault = control_check_[p].check_reset(engine.control(p));
        if (fault.rule != AxiLiteRule::kNone && this->counts(fault.rule)) {
          fail_control_rule(name, p, fault);
        }
      }
    }
  }

  /// Why an engine cannot go on says more than how it differs since.
  void ask_engines() {
    ask(a_, name_a_, now_ + cycles_ahead_);
    if (two_) ask(b_, name_b_, now_);
  }
  /// Asks an engine why it stopped, if it did; it has run all cycles before `at`.
  template <class E>
  void ask(const E& engine, const std::string& name, uint64_t at) {
    if constexpr (requires { engine.stopped(); }) {
      const std::string why = engine.stopped();
      if (why.empty() || failure_.kind == FailureKind::kStopped) [[likely]]
        return;
      const std::optional<uint64_t> missed = missed_of(engine);
      const uint64_t cycle = missed ? at - std::min(at, *missed + 1) : now_;
      if (failed() && (missed ? failure_.cycle <= cycle : drive_.after_failure)) return;
      failure_ = {};
      this->fail({.kind = FailureKind::kStopped, .engine_a = name, .text = why});
      failure_.cycle = cycle;
      if (missed) timeline_.cycles = std::min(timeline_.cycles, cycle + 1);
      // A waveform of RTL that has stopped shows no more.
      if (&name == &name_a_) shown_until_ = now_;
    }
  }

  void show(const Offered<Ports>& offered, uint32_t m_ready) {
    Cycle<Ports> view;
    view.cycle = now_;
    view.sink_stall = ~m_ready & static_cast<uint32_t>((uint64_t{1} << kOut) - 1);
    for (size_t p = 0; p < kIn; ++p) {
      view.source_stall |= static_cast<uint32_t>(offered[p] == nullptr) << p;
      view.input_packet[p] = static_cast<uint32_t>(in_[p].packets == 0 ? 0 : in_[p].packets - 1);
    }
    for (size_t p = 0; p < kOut; ++p) {
      view.output_packet[p] = static_cast<uint32_t>(out_[p].packets);
      if (two_) view.other_beat[p] = b_.m_beat(p);
    }
    if (two_) view.other_s_ready = b_.s_ready();
    if constexpr (requires { a_.show(view); }) a_.show(view);
  }

  // ---- The engines, where it is not for speed.

  bool two() const override { return two_; }
  bool shows_inputs() const override { return settles_; }
  Shown<Ports> shown() const override { return shown_by(a_); }
  [[gnu::cold]] std::vector<uint32_t> statistics(Which which) const override {
    if (which == Which::kA) return statistics_of(a_);
    return two_ ? statistics_of(b_) : std::vector<uint32_t>();
  }
  [[gnu::cold]] void idle_edge() override {
    if (drive_.watched) show({}, 0);
    a_.clock({}, 0);
    if (two_) b_.clock({}, 0);
  }
  void pass_time(uint64_t cycles) override {
    if constexpr (requires { a_.skip(cycles); }) a_.skip(cycles);
    if (two_) b_.skip(cycles);
  }
  void drive_control(size_t p, const AxiLiteRequest& request) override {
    if constexpr (kControl != 0) {
      a_.drive(p, request);
      if (two_) window_.driven.push_back({at_, p, request});
    }
  }

  template <class E>
  static Shown<Ports> shown_by(const E& engine) {
    Shown<Ports> shown{.s_ready = engine.s_ready(), .probe = engine.probe()};
    for (size_t p = 0; p < kOut; ++p) shown.m[p] = engine.m_beat(p);
    if constexpr (kControl != 0) {
      for (size_t p = 0; p < kControl; ++p) shown.control[p] = &engine.control(p);
    }
    return shown;
  }
  /// Outputs that show a beat, as a mask.
  template <class E>
  static uint32_t shown_of(const E& engine) {
    uint32_t mask = 0;
    for (size_t p = 0; p < kOut; ++p) {
      mask |= static_cast<uint32_t>(engine.m_beat(p) != nullptr) << p;
    }
    return mask;
  }

  A& a_;
  Second b_;
  const bool two_;
  const bool in_step_;  ///< somebody looks at single cycles
  uint32_t begun_ = 0;  ///< inputs whose packet's first beat is accepted in this cycle
  std::array<PacketConfig, kIn> begun_pins_{};  ///< what their pins show then
  bool accepted_ = false;  ///< where it settles: what is offered in this cycle has been accepted
  const bool settles_;     ///< of one of them outputs may depend on inputs of the same cycle
  Window<Ports> window_;
  size_t at_ = 0;              ///< this cycle's place in the window
  uint64_t cycles_ahead_ = 0;  ///< by which the first engine is ahead of the failure
  Cover* cover_ = nullptr;
};

}  // namespace gw::sim
