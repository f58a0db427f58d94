// The harness: one stimulus through one or two engines, cycle by cycle, every signal compared in
// every cycle, every beat scored against the reference, every port checked against the rules of
// AXI4-Stream.
//
// An engine is one opinion of a device. It is a class with
//
//   void reset();                           one rising edge with aresetn = 0
//   bool s_ready() const;                   s_axis_tready in this cycle
//   const Beat* m_beat() const;             m_axis payload in this cycle, nullptr when
//                                           m_axis_tvalid = 0
//   uint64_t sideband() const;              every other output, packed (compared, not interpreted)
//   void clock(const Beat* s, bool m_ready);  one rising edge; s = nullptr: s_axis_tvalid = 0
//
// and, if it needs them,
//
//   void prepare();                         from the last edge in reset to cycle 0; else one idle
//   edge std::span<const uint32_t> statistics() const;   counters, compared when the run is over
//
// Outputs are functions of registers, so they are read before the edge and belong to the cycle that
// it ends. The loop is a template over the engines: no virtual call, no allocation, no copy of a
// beat per cycle.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "models/axis/beat.h"
#include "sim/harness/rules.h"
#include "sim/harness/stall.h"
#include "sim/stimulus.h"

namespace gw::sim {

/// Stands where a run has no second engine.
struct NoEngine {
  void reset() {}
  bool s_ready() const { return false; }
  const Beat* m_beat() const { return nullptr; }
  uint64_t sideband() const { return 0; }
  void clock(const Beat*, bool) {}
};

/// Clock edges before cycle 0: two in reset, one to come out of it (ready is a register).
inline constexpr int64_t kResetCycles = 3;

/// Which check a run failed.
enum class FailureKind : uint8_t { kNone, kLockstep, kReference, kProtocol, kHang };

/// Comes out of reset, to the cycle before cycle 0.
template <class Engine>
void prepare(Engine& engine) {
  if constexpr (requires { engine.prepare(); }) {
    engine.prepare();
  } else {
    engine.clock(nullptr, false);
  }
}

/// The counters of an engine; none if it has none.
template <class Engine>
std::vector<uint32_t> statistics_of(const Engine& engine) {
  if constexpr (requires { engine.statistics(); }) {
    const std::span<const uint32_t> words = engine.statistics();
    return {words.begin(), words.end()};
  } else {
    return {};
  }
}

/// The first divergence, as the loop saw it; run.cc turns it into words.
struct Failure {
  FailureKind kind = FailureKind::kNone;
  uint64_t cycle = 0;
  std::string port = {};      // s_axis, m_axis or sideband
  std::string signal = {};    // tready, tdata, ...
  std::string engine_a = {};  // who says value_a
  std::string value_a = {};
  std::string engine_b = {};
  std::string value_b = {};
  std::string text = {};      // what rule, in words
  uint64_t input_beats = 0;   // accepted so far
  uint64_t output_beats = 0;  // delivered so far
};

/// What one cycle looked like from outside; handed to an observer (waveforms) when there is one.
struct CycleView {
  uint64_t cycle;
  const Beat* s_beat;
  bool s_ready;
  const Beat* m_beat;
  bool m_ready;
  uint64_t input_beats;
  uint64_t output_beats;
};

/// Counted in the loop, evaluated afterwards.
struct Counters {
  uint64_t cycles = 0;  // since reset
  uint64_t input_beats = 0;
  uint64_t output_beats = 0;
  uint64_t first_input = 0, last_input = 0;  // cycle of the first and last handshake
  uint64_t first_output = 0, last_output = 0;
  uint64_t source_stalls = 0;  // s_axis_tready high, s_axis_tvalid low, input left
  uint64_t sink_stalls = 0;    // m_axis_tvalid high, m_axis_tready low
  uint64_t device_stalls =
      0;  // s_axis_tvalid high, s_axis_tready low, and m_axis_tvalid low: a bubble
  uint64_t lockstep_cycles = 0;
};

/// Compares two beats and names the first signal that differs; nullptr if none does.
const char* first_difference(const Beat& a, const Beat& b);
/// The value of a signal, for a message.
std::string signal_value(const Beat& beat, std::string_view signal);

/// "rtl and model".
std::string both(const char* name_a, const char* name_b);
/// "no beat has moved for n cycles".
std::string no_beat_moved(uint64_t cycles);
/// "word i", of the counters.
std::string word(size_t i);

/// A run that can be advanced a quantum of cycles at a time, whatever its engines are.
class Steppable {
 public:
  virtual ~Steppable() = default;
  /// Simulates at most n cycles; false when the run is over.
  virtual bool advance(uint64_t n) = 0;
};

template <class A, class B = NoEngine, class Observer = void>
class Lockstep final : public Steppable {
 public:
  static constexpr bool kTwo = !std::is_same_v<B, NoEngine>;
  static constexpr bool kObserved = !std::is_void_v<Observer>;
  /// A run that moves no beat for so long hangs: far beyond any stall that a generator draws at 99
  /// %.
  static constexpr uint64_t kHangCycles = 100'000;
  /// Run on after the last beat, so that a beat too many is seen.
  static constexpr uint64_t kDrainCycles = 64;

  Lockstep(A& a, B& b, const Stimulus& stimulus, const StallSpec& stall, uint64_t seed,
           const char* name_a, const char* name_b,
           std::conditional_t<kObserved, Observer, char>* observer = nullptr)
      : a_(a),
        b_(b),
        stimulus_(stimulus),
        name_a_(name_a),
        name_b_(name_b),
        observer_(observer),
        source_stall_(stall.source_percent, seed * 2 + 1),
        sink_stall_(stall.sink_percent, seed * 2 + 2) {
    accept_cycle_.resize(stimulus.input.beats.size());
    offer_cycle_.resize(stimulus.expected.packets());
  }

  /// Clock edges in reset; checks that nothing moves.
  void reset() {
    for (int64_t edge = 0; edge < kResetCycles - 1; ++edge) {
      a_.reset();
      if constexpr (kTwo) b_.reset();
      const bool active = a_check_.check_reset(a_.m_beat(), a_.s_ready()) != AxisRule::kNone;
      bool active_b = false;
      if constexpr (kTwo) {
        active_b = a_check_.check_reset(b_.m_beat(), b_.s_ready()) != AxisRule::kNone;
      }
      if (active || active_b) {
        fail_protocol(active ? name_a_ : name_b_, "m_axis", AxisRule::kActiveInReset);
      }
    }
    prepare(a_);
    if constexpr (kTwo) prepare(b_);
  }

  bool advance(uint64_t n) override {
    if (over()) return false;
    // Locals, so that the compiler may keep them in registers across the engines' stores.
    Counters c = counters_;
    const Beat* const input = stimulus_.input.beats.data();
    const Beat* const expected = stimulus_.expected.beats.data();
    const uint64_t input_count = stimulus_.input.beats.size();
    const uint64_t expected_count = stimulus_.expected.beats.size();

    while (n > 0 && failure_.kind == FailureKind::kNone) {
      if (stall_left_ == 0) {
        source_bits_ = source_stall_.next64();
        sink_bits_ = sink_stall_.next64();
        stall_left_ = 64;
      }
      const uint64_t chunk = std::min<uint64_t>(n, stall_left_);
      const uint64_t progress = c.input_beats + c.output_beats;
      uint64_t i = 0;
      for (; i < chunk; ++i) {
        // What the environment drives. A source that has offered a beat keeps offering it.
        const bool has_input = c.input_beats < input_count;
        offering_ = has_input && (offering_ || (source_bits_ & 1) == 0);
        const Beat* const s = offering_ ? input + c.input_beats : nullptr;
        const bool m_ready = (sink_bits_ & 1) == 0;
        source_bits_ >>= 1;
        sink_bits_ >>= 1;

        // What the engines show.
        const bool s_ready = a_.s_ready();
        const Beat* const m = a_.m_beat();
        if constexpr (kTwo) {
          if (!same_outputs(s_ready, m)) [[unlikely]]
            break;
        }
        // Equal outputs obey the same rules, so that one check serves both engines.
        const AxisRule m_rule = a_check_.check(m, m_ready);
        const AxisRule s_rule = s_check_.check(s, s_ready);
        if (m_rule != AxisRule::kNone) [[unlikely]] {
          fail_protocol(name_a_, "m_axis", m_rule);
          break;
        }
        if (s_rule != AxisRule::kNone && !stimulus_.breaks_profile) [[unlikely]] {
          fail_protocol("harness", "s_axis", s_rule);
          break;
        }
        if constexpr (kObserved) {
          (*observer_)(CycleView{c.cycles, s, s_ready, m, m_ready, c.input_beats, c.output_beats});
        }

        // What moves.
        if (m != nullptr) {
          if (c.output_beats >= expected_count || !same_beat(*m, expected[c.output_beats]))
              [[unlikely]] {
            fail_reference(*m, c.output_beats);
            break;
          }
          if (at_packet_start_ && !offer_noted_) [[unlikely]] {
            offer_cycle_[output_packet_] = c.cycles;
            offer_noted_ = true;
          }
          if (m_ready) {
            if (m->last != 0) [[unlikely]] {
              ++output_packet_;
              at_packet_start_ = true;
              offer_noted_ = false;
            } else {
              at_packet_start_ = false;
            }
            if (c.output_beats == 0) [[unlikely]]
              c.first_output = c.cycles;
            c.last_output = c.cycles;
            ++c.output_beats;
          }
        }
        c.source_stalls += s_ready && !offering_ && has_input;
        c.sink_stalls += m != nullptr && !m_ready;
        c.device_stalls += offering_ && !s_ready && m == nullptr;

        a_.clock(s, m_ready);
        if constexpr (kTwo) b_.clock(s, m_ready);

        if (offering_ && s_ready) {
          accept_cycle_[c.input_beats] = c.cycles;
          if (c.input_beats == 0) [[unlikely]]
            c.first_input = c.cycles;
          c.last_input = c.cycles;
          ++c.input_beats;
          offering_ = false;
        }
        ++c.cycles;
      }
      stall_left_ -= static_cast<uint32_t>(i);
      n -= i;
      if constexpr (kTwo) c.lockstep_cycles += i;
      counters_ = c;
      if (i < chunk) {
        if (failure_.kind == FailureKind::kNone) fail_lockstep();
        locate_failure();
        return false;
      }
      if (c.input_beats + c.output_beats != progress) {
        last_progress_ = c.cycles;
      } else if (c.input_beats == input_count && c.output_beats == expected_count) {
        if (c.cycles - last_progress_ >= kDrainCycles) {
          done_ = same_statistics();
          if (!done_) locate_failure();
          return false;
        }
      } else if (c.cycles - last_progress_ >= kHangCycles) {
        fail_hang();
        locate_failure();
        return false;
      }
    }
    return !over();
  }

  bool over() const { return done_ || failure_.kind != FailureKind::kNone; }
  /// Every beat went in and out, and nothing diverged.
  bool passed() const { return done_; }
  const Counters& counters() const { return counters_; }
  const Failure& failure() const { return failure_; }
  const std::vector<uint64_t>& accept_cycles() const { return accept_cycle_; }
  const std::vector<uint64_t>& offer_cycles() const { return offer_cycle_; }

 private:
  bool same_outputs(bool s_ready, const Beat* m) const {
    const Beat* const other = b_.m_beat();
    if (s_ready != b_.s_ready() || (m == nullptr) != (other == nullptr)) return false;
    if (a_.sideband() != b_.sideband()) return false;
    return m == nullptr || same_beat(*m, *other);
  }

  /// Counters are compared once, at the end: whoever miscounts does so to the last cycle.
  bool same_statistics() {
    const std::vector<uint32_t> a = statistics_of(a_);
    if constexpr (kTwo) {
      const std::vector<uint32_t> b = statistics_of(b_);
      for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
        if (i >= a.size() || i >= b.size() || a[i] != b[i]) {
          return fail_statistics(FailureKind::kLockstep, name_b_, i, a, b);
        }
      }
    }
    for (size_t i = 0; i < stimulus_.expected_statistics.size(); ++i) {
      const std::optional<uint32_t> expected = stimulus_.expected_statistics[i];
      if (expected && (i >= a.size() || a[i] != *expected)) {
        std::vector<uint32_t> reference(i + 1, *expected);
        return fail_statistics(FailureKind::kReference, "reference", i, a, reference);
      }
    }
    return true;
  }

  bool fail_statistics(FailureKind kind, const char* other, size_t i,
                       const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
    const auto text = [i](const std::vector<uint32_t>& words) {
      return i < words.size() ? std::to_string(words[i]) : "absent";
    };
    failure_ = {.kind = kind,
                .port = "stat",
                .signal = word(i),
                .engine_a = name_a_,
                .value_a = text(a),
                .engine_b = other,
                .value_b = text(b)};
    return false;
  }

  void fail_lockstep() {
    failure_.kind = FailureKind::kLockstep;
    failure_.engine_a = name_a_;
    failure_.engine_b = name_b_;
    const Beat* const ma = a_.m_beat();
    const Beat* const mb = b_.m_beat();
    const auto set = [this](const char* port, const char* signal, std::string a, std::string b) {
      failure_.port = port;
      failure_.signal = signal;
      failure_.value_a = std::move(a);
      failure_.value_b = std::move(b);
    };
    if (a_.s_ready() != b_.s_ready()) {
      set("s_axis", "tready", a_.s_ready() ? "1" : "0", b_.s_ready() ? "1" : "0");
    } else if ((ma == nullptr) != (mb == nullptr)) {
      set("m_axis", "tvalid", ma != nullptr ? "1" : "0", mb != nullptr ? "1" : "0");
    } else if (const char* signal = ma != nullptr ? first_difference(*ma, *mb) : nullptr) {
      set("m_axis", signal, signal_value(*ma, signal), signal_value(*mb, signal));
    } else {
      set("sideband", "outputs", std::to_string(a_.sideband()), std::to_string(b_.sideband()));
    }
  }

  void fail_reference(const Beat& m, uint64_t index) {
    failure_.kind = FailureKind::kReference;
    failure_.port = std::string("m_axis");
    failure_.engine_a = kTwo ? both(name_a_, name_b_) : std::string(name_a_);
    failure_.engine_b = std::string("reference");
    if (index >= stimulus_.expected.beats.size()) {
      failure_.signal = std::string("tvalid");
      failure_.value_a = std::string("1 (a beat too many)");
      failure_.value_b = std::string("0");
    } else {
      const Beat& expected = stimulus_.expected.beats[index];
      failure_.signal = std::string(first_difference(m, expected));
      failure_.value_a = signal_value(m, failure_.signal);
      failure_.value_b = signal_value(expected, failure_.signal);
    }
  }

  void fail_protocol(const char* engine, const char* port, AxisRule rule) {
    failure_.kind = FailureKind::kProtocol;
    failure_.port = port;
    failure_.engine_a = engine;
    failure_.text = axis_rule_text(rule);
  }

  void fail_hang() {
    failure_.kind = FailureKind::kHang;
    failure_.port = counters_.input_beats < stimulus_.input.beats.size() ? "s_axis" : "m_axis";
    failure_.engine_a = name_a_;
    failure_.text = no_beat_moved(kHangCycles);
  }

  void locate_failure() {
    failure_.cycle = counters_.cycles;
    failure_.input_beats = counters_.input_beats;
    failure_.output_beats = counters_.output_beats;
  }

  A& a_;
  B& b_;
  const Stimulus& stimulus_;
  const char* name_a_;
  const char* name_b_;
  std::conditional_t<kObserved, Observer, char>* observer_;
  StallGenerator source_stall_, sink_stall_;
  uint64_t source_bits_ = 0, sink_bits_ = 0;
  uint32_t stall_left_ = 0;
  bool offering_ = false;
  bool at_packet_start_ = true;
  bool offer_noted_ = false;
  bool done_ = false;
  uint64_t output_packet_ = 0;
  uint64_t last_progress_ = 0;
  AxisChecker a_check_, s_check_;
  Counters counters_;
  Failure failure_;
  std::vector<uint64_t> accept_cycle_, offer_cycle_;
};

}  // namespace gw::sim
