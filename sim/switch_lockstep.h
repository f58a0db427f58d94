// The harness of a device with four ports: MACs that offer and take beats at the pace of 10GbE, two
// engines compared in every cycle, and a reference that is told which port the arbiter served.
//
// An engine is a class with
//
//   void reset();                             one rising edge with aresetn = 0
//   void prepare();                           from the last edge in reset to cycle 0
//   bool s_ready(int port) const;             s_axis_tready
//   const Beat* m_beat(int port) const;       m_axis payload, nullptr when m_axis_tvalid = 0
//   uint32_t events() const;                  event_o (docs/devices/switch.md)
//   void clock(const std::array<const Beat*, 4>& s, unsigned m_ready);   one rising edge
//   std::span<const uint32_t> statistics() const;
//
// What leaves depends on the order in which the arbiter serves the ports, and on which frames find
// room; both are the device's to decide, in time. The events say what it decided, the engines have
// to agree on them in every cycle, and the reference computes what follows from them.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <span>

#include "sim/harness/rules.h"
#include "sim/lockstep.h"
#include "sim/harness/stall.h"
#include "sim/switch_stimulus.h"

namespace gw::sim {

struct NoSwitchEngine {
  void reset() {}
  void prepare() {}
  bool s_ready(int) const { return false; }
  const Beat* m_beat(int) const { return nullptr; }
  uint32_t events() const { return 0; }
  void clock(const std::array<const Beat*, kPorts>&, unsigned) {}
  std::span<const uint32_t> statistics() const { return {}; }
};

/// event_o.
namespace event {
inline constexpr uint32_t kServed = 1;
constexpr int served_port(uint32_t events) { return static_cast<int>(events >> 1 & 3); }
constexpr bool rx_committed(uint32_t events, int port) { return (events >> (3 + port) & 1) != 0; }
constexpr bool rx_dropped(uint32_t events, int port) { return (events >> (7 + port) & 1) != 0; }
constexpr bool tx_committed(uint32_t events, int port) { return (events >> (11 + port) & 1) != 0; }
constexpr bool tx_dropped(uint32_t events, int port) { return (events >> (15 + port) & 1) != 0; }
}  // namespace event

template <class A, class B = NoSwitchEngine, class Observer = void>
class SwitchLockstep final : public Steppable {
 public:
  static constexpr bool kTwo = !std::is_same_v<B, NoSwitchEngine>;
  static constexpr bool kObserved = !std::is_void_v<Observer>;
  static constexpr uint64_t kHangCycles = 100'000;
  static constexpr uint64_t kDrainCycles = 256;

  SwitchLockstep(A& a, B& b, const SwitchStimulus& stimulus, SwitchReference& reference,
                 const StallSpec& stall, uint64_t seed, double clock_mhz, const char* name_a,
                 const char* name_b, bool keep_bytes = false,
                 std::conditional_t<kObserved, Observer, char>* observer = nullptr)
      : a_(a),
        b_(b),
        stimulus_(stimulus),
        reference_(reference),
        cycles_per_byte_(kByteNs * clock_mhz * 1e-3),
        name_a_(name_a),
        name_b_(name_b),
        keep_bytes_(keep_bytes),
        observer_(observer),
        source_stall_(stall.source_percent, seed * 2 + 1),
        sink_stall_(stall.sink_percent, seed * 2 + 2) {
    outcome_.accepted.resize(stimulus.frames.size());
    for (const SwitchStimulus::Port& port : stimulus.ports) {
      beats_left_ += port.input.beats.size();
      if (!port.earliest.empty()) last_arrival_ = std::max(last_arrival_, port.earliest.back());
    }
  }

  void reset() {
    for (int64_t edge = 0; edge < kResetCycles - 1; ++edge) {
      a_.reset();
      if constexpr (kTwo) b_.reset();
      for (int p = 0; p < kPorts; ++p) {
        bool active = in_[p].check.check_reset(a_.m_beat(p), a_.s_ready(p)) != AxisRule::kNone;
        if constexpr (kTwo) active |= b_.m_beat(p) != nullptr || b_.s_ready(p);
        if (active) fail_protocol(p, "m_axis", AxisRule::kActiveInReset);
      }
    }
    a_.prepare();
    if constexpr (kTwo) b_.prepare();
  }

  bool advance(uint64_t n) override {
    for (; n > 0 && !over(); --n) cycle();
    return !over();
  }

  bool over() const { return done_ || outcome_.failure.kind != FailureKind::kNone; }

  SwitchOutcome outcome() {
    outcome_.passed = done_;
    outcome_.cycles = now_;
    outcome_.statistics = statistics_of(a_);
    outcome_.findings = reference_.findings();
    return std::move(outcome_);
  }

 private:
  /// A frame as the reference sends it out, shared by the ports that it goes to.
  struct Expected {
    uint32_t frame;
    std::vector<Beat> beats;
    std::vector<uint8_t> bytes;
  };
  struct InputPort {
    uint64_t next = 0;  // beat
    bool offering = false;
    uint64_t settled = 0;            // frames of this port that were committed or dropped
    std::deque<uint32_t> committed;  // packets of this port, not served yet
    AxisChecker check;
  };
  struct OutputPort {
    std::deque<std::shared_ptr<Expected>> coming;   // routed here, not yet in the queue
    std::deque<std::shared_ptr<Expected>> waiting;  // in the queue
    uint64_t beat = 0;                              // of waiting.front()
    bool offer_noted = false;
    Delivery delivery;
    double wire_free = 0;  // cycle in which the wire can begin the next frame
    AxisChecker check;
  };

  void cycle() {
    if (stall_left_ == 0) {
      for (int p = 0; p < kPorts; ++p) {
        source_bits_[p] = source_stall_.next64();
        sink_bits_[p] = sink_stall_.next64();
      }
      stall_left_ = 64;
    }
    --stall_left_;

    const uint32_t events = a_.events();
    if constexpr (kTwo) {
      if (events != b_.events()) [[unlikely]] {
        return fail(FailureKind::kLockstep, -1, "event", "o", std::to_string(events),
                    std::to_string(b_.events()));
      }
    }
    if (events != 0) follow(events);

    std::array<const Beat*, kPorts> offered{};
    unsigned m_ready = 0;
    bool moved = events != 0;
    for (int p = 0; p < kPorts; ++p) {
      InputPort& in = in_[p];
      const SwitchStimulus::Port& port = stimulus_.ports[static_cast<size_t>(p)];
      const bool may = in.next < port.input.beats.size() && port.earliest[in.next] <= now_ &&
                       (source_bits_[p] & 1) == 0;
      in.offering = in.offering || may;
      source_bits_[p] >>= 1;
      offered[static_cast<size_t>(p)] = in.offering ? &port.input.beats[in.next] : nullptr;

      OutputPort& out = out_[p];
      const bool ready = (sink_bits_[p] & 1) == 0 &&
                         (out.beat != 0 || static_cast<double>(now_) >= std::floor(out.wire_free));
      sink_bits_[p] >>= 1;
      m_ready |= static_cast<unsigned>(ready) << p;

      const Beat* const m = a_.m_beat(p);
      if constexpr (kTwo) {
        if (!same_port(p, m)) [[unlikely]]
          return;
      }
      if (const AxisRule rule = out.check.check(m, ready); rule != AxisRule::kNone) [[unlikely]] {
        return fail_protocol(p, "m_axis", rule);
      }
      if (const AxisRule rule = in.check.check(offered[static_cast<size_t>(p)], a_.s_ready(p));
          rule != AxisRule::kNone) [[unlikely]] {
        return fail_protocol(p, "s_axis", rule);
      }
      if (m != nullptr) {
        moved = true;
        if (!deliver(p, *m, ready)) return;
      }
    }
    if constexpr (kObserved) (*observer_)(now_, offered, m_ready);

    std::array<bool, kPorts> taken{};
    for (int p = 0; p < kPorts; ++p) {
      taken[static_cast<size_t>(p)] = offered[static_cast<size_t>(p)] != nullptr && a_.s_ready(p);
    }
    a_.clock(offered, m_ready);
    if constexpr (kTwo) {
      b_.clock(offered, m_ready);
      ++outcome_.lockstep_cycles;
    }
    for (int p = 0; p < kPorts; ++p) {
      if (taken[static_cast<size_t>(p)]) {
        take(p);
        moved = true;
      }
    }
    if (moved) last_progress_ = now_;
    ++now_;
    if (now_ > last_progress_ + kDrainCycles && beats_left_ == 0 && quiet()) {
      done_ = same_statistics();
    } else if (now_ > last_progress_ + kHangCycles && now_ > last_arrival_ + kHangCycles) {
      outcome_.failure = {.kind = FailureKind::kHang,
                          .cycle = now_,
                          .port = beats_left_ != 0 ? "s_axis" : "m_axis",
                          .engine_a = name_a_,
                          .text = no_beat_moved(kHangCycles)};
    }
  }

  void take(int p) {
    InputPort& in = in_[p];
    const SwitchStimulus::Port& port = stimulus_.ports[static_cast<size_t>(p)];
    const bool last = port.input.beats[in.next].last != 0;
    if (in_first_[p]) outcome_.accepted[port.frame[in_packet_[p]]] = now_;
    in_first_[p] = last;
    in_packet_[p] += last;
    ++in.next;
    in.offering = false;
    --beats_left_;
    ++outcome_.input_beats[static_cast<size_t>(p)];
  }

  /// What the device decided.
  void follow(uint32_t events) {
    for (int p = 0; p < kPorts; ++p) {
      InputPort& in = in_[p];
      OutputPort& out = out_[p];
      if (event::rx_committed(events, p)) in.committed.push_back(static_cast<uint32_t>(in.settled));
      if (event::rx_dropped(events, p)) ++outcome_.rx_dropped[static_cast<size_t>(p)];
      in.settled += event::rx_committed(events, p) || event::rx_dropped(events, p);
      if (event::tx_committed(events, p) || event::tx_dropped(events, p)) {
        if (out.coming.empty()) {
          return fail(FailureKind::kReference, p, "event", "o", "a frame for this port", "none");
        }
        if (event::tx_committed(events, p)) {
          out.waiting.push_back(std::move(out.coming.front()));
        } else {
          ++outcome_.tx_dropped[static_cast<size_t>(p)];
        }
        out.coming.pop_front();
      }
    }
    if ((events & event::kServed) != 0) serve(event::served_port(events));
  }

  void serve(int p) {
    InputPort& in = in_[p];
    if (in.committed.empty()) {
      return fail(FailureKind::kReference, p, "event", "o", "a frame served", "none committed");
    }
    const uint32_t packet = in.committed.front();
    in.committed.pop_front();
    const SwitchStimulus::Port& port = stimulus_.ports[static_cast<size_t>(p)];
    const size_t begin = port.input.packet_begin[packet];
    const std::vector<uint8_t> bytes =
        packet_bytes({port.input.beats.data() + begin, port.input.packet_end(packet) - begin});
    SwitchReference::Routed routed = reference_.accept(bytes, p);
    auto expected = std::make_shared<Expected>();
    expected->frame = port.frame[packet];
    BeatStream stream;
    stream.append_bytes(routed.bytes);
    expected->beats = std::move(stream.beats);
    expected->bytes = std::move(routed.bytes);
    for (int q = 0; q < kPorts; ++q) {
      if ((routed.mask >> q & 1) != 0) out_[q].coming.push_back(expected);
    }
  }

  bool deliver(int p, const Beat& m, bool ready) {
    OutputPort& out = out_[p];
    if (out.waiting.empty()) {
      fail(FailureKind::kReference, p, "m_axis", "tvalid", "1 (a beat too many)", "0");
      return false;
    }
    const Expected& expected = *out.waiting.front();
    const Beat& want = expected.beats[out.beat];
    if (!same_beat(m, want)) {
      const char* const signal = first_difference(m, want);
      fail(FailureKind::kReference, p, "m_axis", signal, signal_value(m, signal),
           signal_value(want, signal));
      return false;
    }
    if (!out.offer_noted) {
      out.delivery = {.frame = expected.frame,
                      .port = p,
                      .bytes = static_cast<uint32_t>(expected.bytes.size()),
                      .offered = now_};
      out.offer_noted = true;
    }
    if (!ready) return true;
    if (out.beat == 0) {
      out.delivery.first = now_;
      out.wire_free = std::max(out.wire_free, static_cast<double>(now_)) +
                      cycles_per_byte_ * (out.delivery.bytes + kWireOverheadBytes);
    }
    ++outcome_.output_beats[static_cast<size_t>(p)];
    if (m.last == 0) {
      ++out.beat;
      return true;
    }
    out.delivery.last = now_;
    outcome_.deliveries.push_back(out.delivery);
    if (keep_bytes_) outcome_.delivered_bytes.push_back(expected.bytes);
    out.beat = 0;
    out.offer_noted = false;
    out.waiting.pop_front();
    return true;
  }

  bool quiet() const {
    return std::ranges::all_of(in_, [](const InputPort& in) { return in.committed.empty(); }) &&
           std::ranges::all_of(out_, [](const OutputPort& out) {
             return out.coming.empty() && out.waiting.empty();
           });
  }

  bool same_port(int p, const Beat* m) {
    const Beat* const other = b_.m_beat(p);
    if (a_.s_ready(p) != b_.s_ready(p)) {
      fail(FailureKind::kLockstep, p, "s_axis", "tready", a_.s_ready(p) ? "1" : "0",
           b_.s_ready(p) ? "1" : "0");
    } else if ((m == nullptr) != (other == nullptr)) {
      fail(FailureKind::kLockstep, p, "m_axis", "tvalid", m != nullptr ? "1" : "0",
           other != nullptr ? "1" : "0");
    } else if (m != nullptr && !same_beat(*m, *other)) {
      const char* const signal = first_difference(*m, *other);
      fail(FailureKind::kLockstep, p, "m_axis", signal, signal_value(*m, signal),
           signal_value(*other, signal));
    } else {
      return true;
    }
    return false;
  }

  bool same_statistics() {
    const std::vector<uint32_t> a = statistics_of(a_);
    if constexpr (kTwo) {
      const std::vector<uint32_t> b = statistics_of(b_);
      for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
        const auto text = [i](const std::vector<uint32_t>& w) {
          return i < w.size() ? std::to_string(w[i]) : "absent";
        };
        if (text(a) != text(b)) {
          fail(FailureKind::kLockstep, -1, "stat", word(i), text(a), text(b));
          return false;
        }
      }
    }
    const std::vector<std::optional<uint32_t>> expected = reference_.statistics();
    for (size_t i = 0; i < expected.size() && i < a.size(); ++i) {
      if (expected[i] && *expected[i] != a[i]) {
        fail(FailureKind::kReference, -1, "stat", word(i), std::to_string(a[i]),
             std::to_string(*expected[i]));
        return false;
      }
    }
    return true;
  }

  void fail(FailureKind kind, int p, const char* port, std::string signal, std::string value_a,
            std::string value_b) {
    if (outcome_.failure.kind != FailureKind::kNone) return;
    const bool lockstep = kind == FailureKind::kLockstep;
    outcome_.failure = {.kind = kind,
                        .cycle = now_,
                        .port = p < 0 ? port : std::string(port) + std::to_string(p),
                        .signal = std::move(signal),
                        .engine_a = lockstep || !kTwo ? name_a_ : both(name_a_, name_b_),
                        .value_a = std::move(value_a),
                        .engine_b = lockstep ? name_b_ : "reference",
                        .value_b = std::move(value_b)};
  }

  void fail_protocol(int p, const char* port, AxisRule rule) {
    outcome_.failure = {.kind = FailureKind::kProtocol,
                        .cycle = now_,
                        .port = std::string(port) + std::to_string(p),
                        .engine_a = name_a_,
                        .text = axis_rule_text(rule)};
  }

  A& a_;
  B& b_;
  const SwitchStimulus& stimulus_;
  SwitchReference& reference_;
  double cycles_per_byte_;
  const char* name_a_;
  const char* name_b_;
  bool keep_bytes_;
  std::conditional_t<kObserved, Observer, char>* observer_;
  StallGenerator source_stall_, sink_stall_;
  std::array<uint64_t, kPorts> source_bits_{}, sink_bits_{};
  uint32_t stall_left_ = 0;
  std::array<InputPort, kPorts> in_;
  std::array<OutputPort, kPorts> out_;
  std::array<bool, kPorts> in_first_{true, true, true, true};
  std::array<uint64_t, kPorts> in_packet_{};
  uint64_t beats_left_ = 0, last_arrival_ = 0;
  uint64_t now_ = 0, last_progress_ = 0;
  bool done_ = false;
  SwitchOutcome outcome_;
};

}  // namespace gw::sim
