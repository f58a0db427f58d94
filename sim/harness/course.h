// The course of a run, whatever its engines are: the packets that are on their way and those that
// are owed, stalls, what the host's ports do, figures, and the words of a divergence.
//
// Compiled once for the ports of a device; what works in each cycle, and only that, is compiled for
// each engine that may be a run's first (sim/harness/lockstep.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/harness/checks.h"
#include "sim/harness/control_master.h"
#include "sim/harness/control_rules.h"
#include "sim/harness/engine.h"
#include "sim/harness/failure.h"
#include "sim/harness/feed.h"
#include "sim/harness/listener.h"
#include "sim/harness/oracle.h"
#include "sim/harness/pace.h"
#include "sim/harness/record.h"
#include "sim/harness/rules.h"
#include "sim/harness/stall.h"
#include "sim/harness/steppable.h"
#include "sim/harness/timeline.h"
#include "sim/harness/window.h"

namespace gw::sim {

/// A run that moves no beat for so long hangs: far beyond any stall that is drawn at 99 %.
inline constexpr uint64_t kHangCycles = 100'000;

/// How a run is driven, whatever the device.
struct Drive {
  StallSpec stall = {};
  uint64_t seed = 1;
  double clock_mhz = 200;  ///< makes cycles of the times of paced ports; 0: none waits for its wire
  Boot boot = {};
  bool skip_idle = true;       ///< cycles in which nothing can happen are not simulated
  bool watched = false;        ///< waveform or observer see each cycle
  bool after_failure = false;  ///< a waveform shows it: kCyclesAfterFailure cycles more are run
  /// Without the reference the oracle is followed for the figures as long as it is right; then the
  /// run goes on without it.
  Checks checks = {};
  /// Bytes, borders of packets and tuser with tlast are held against the oracle, not beats: a
  /// device may cut and fill them as it likes.
  bool by_bytes = false;
  Recording* recording = nullptr;  ///< gets what drives the run; or null
};

template <class P>
class Course : public Steppable {
 public:
  using Ports = P;
  using Beat = typename Ports::Beat;
  static constexpr size_t kIn = kInputsOf<Ports>;
  static constexpr size_t kOut = kOutputsOf<Ports>;
  static constexpr size_t kControl = kControlsOf<Ports>;
  static constexpr bool kPacedIn =
      std::any_of(Ports::kInputs.begin(), Ports::kInputs.end(), [](Port p) { return p.paced; });
  static constexpr bool kPacedOut =
      std::any_of(Ports::kOutputs.begin(), Ports::kOutputs.end(), [](Port p) { return p.paced; });
  static constexpr bool kPaced = kPacedIn || kPacedOut;

  Timeline& timeline() { return timeline_; }
  const Failure& failure() const { return failure_; }
  bool over() const { return done_ || (failed() && now_ >= shown_until_); }
  /// Every beat went in and out, and nothing diverged.
  bool passed() const { return done_; }
  uint64_t now() const { return now_; }
  /// Clock edges in reset, checked to be silent; then what the host does before cycle 0.
  virtual void reset() = 0;
  /// The counters of the first engine.
  std::vector<uint32_t> statistics() const { return statistics(Which::kA); }

  /// A beat in the device's words; `packet` is whole, `beat` its index.
  using Describe =
      std::function<std::string(bool input, size_t port, const Packet<Beat>& packet, size_t beat)>;
  void describe_with(Describe describe) { describe_ = std::move(describe); }
  /// Of a run that is watched.
  void observe_with(Observer<Ports>* observer) { observer_ = observer; }
  /// What counts what was reached; before reset.
  void watch_with(Watcher<Beat>& watcher) { watcher_ = &watcher; }
  /// Called when a run fails that is shown for some cycles more: its figures are those of now.
  void failing_with(std::function<void()> fails) { fails_ = std::move(fails); }
  /// What drives the control ports; before reset.
  void control_with(ControlFeed& feed) {
    for (ControlMaster& master : masters_) master.follow(feed);
  }

 protected:
  [[gnu::cold]] Course(Feed<Beat>& feed, Oracle<Beat>& oracle, const Drive& drive,
                       std::string name_a, std::string name_b, Listener<Beat>* listener)
      : feed_(feed),
        oracle_(oracle),
        drive_(drive),
        name_a_(std::move(name_a)),
        name_b_(std::move(name_b)),
        listener_(listener),
        source_stall_(drive.stall.source_percent, drive.seed * 2 + 1),
        sink_stall_(drive.stall.sink_percent, drive.seed * 2 + 2),
        timeline_(kIn, kOut, kControl) {
    for (size_t p = 0; drive.stall.source && p < kIn; ++p) {
      source_pattern_.emplace_back(*drive.stall.source, drive.seed, "stalls of sources", p);
    }
    for (size_t p = 0; drive.stall.sink && p < kOut; ++p) {
      sink_pattern_.emplace_back(*drive.stall.sink, drive.seed, "stalls of sinks", p);
    }
    if constexpr (kControl != 0) {
      for (size_t p = 0; p < kControl; ++p) {
        masters_.emplace_back(p, Ports::kControls[p], Ports::kEvents, drive.stall,
                              ~(drive.seed * kControl + p));
      }
    }
  }

  /// After the reset of the engines: the first packets, the first questions.
  [[gnu::cold]] void begin() {
    for (const Boot::Write& write : drive_.boot.writes) {
      oracle_.configured(0, write.address, write.data);
    }
    for (size_t p = 0; p < kIn; ++p) {
      load(p);
      if (in_[p].packet != nullptr) in_[p].gap_until = in_[p].packet->gap;
    }
    for (ControlMaster& master : masters_) master.ask(now_);
  }

  // ---- The engines, where it is not for speed.

  enum class Which { kA, kB };
  virtual bool two() const = 0;
  /// Outputs may show beats that are not accepted yet.
  virtual bool shows_inputs() const = 0;
  /// What the first engine shows in this cycle.
  virtual Shown<Ports> shown() const = 0;
  virtual std::vector<uint32_t> statistics(Which which) const = 0;
  /// One edge, with nothing offered and nothing taken.
  virtual void idle_edge() = 0;
  virtual void pass_time(uint64_t cycles) = 0;
  virtual void drive_control(size_t port, const AxiLiteRequest& request) = 0;

  bool failed() const { return failure_.kind != FailureKind::kNone; }

  static constexpr uint64_t kAskEvery = 64;  ///< cycles between questions for packets
  static constexpr uint64_t kWindow =
      StallRecord::kWindow;              ///< cycles whose stalls are drawn at once
  static constexpr size_t kHistory = 4;  ///< beats, and packets that may hold them
  /// Packets that have passed, whole ones, the last at the end: those of a window, and of those
  /// before it the last few.
  class History {
   public:
    void push(PacketRef<Beat>&& packet) { packets_[n_++] = std::move(packet); }
    void forget() {
      if (n_ <= kHistory) return;
      const auto end = packets_.begin() + static_cast<ptrdiff_t>(n_);
      const auto rest = std::move(end - kHistory, end, packets_.begin());
      std::for_each(rest, end, [](PacketRef<Beat>& packet) { packet.reset(); });
      n_ = kHistory;
    }
    std::span<const PacketRef<Beat>> packets() const { return std::span(packets_).first(n_); }

   private:
    std::array<PacketRef<Beat>, kHistory + kWindow> packets_;
    size_t n_ = 0;
  };
  struct Beats {
    std::array<uint64_t, kIn> in{};
    std::array<uint64_t, kOut> out{};
  };

  struct In {
    const Beat* next = nullptr;  ///< nullptr: no packet is loaded
    const Beat* first = nullptr;
    const Beat* end = nullptr;
    const Beat* trigger = nullptr;
    uint64_t due = 0;         ///< the cycle from which a paced port may offer `next`
    uint64_t stood = 0;       ///< cycles by which its sender's time is after the run's
    uint64_t not_before = 0;  ///< no packet is loaded, and none will be due before this cycle of
                              ///< the senders' time
    bool offering = false, over = false, unchecked = false;
    bool begins = false;     ///< no beat of the packet has been offered
    uint64_t gap_until = 0;  ///< the cycle from which the packet may be offered
    uint64_t packets = 0;    ///< loaded so far
    PacketRef<Beat> packet;
    AxisChecker<Beat> check;
    History history;
  };
  struct Out {
    const Beat* want = nullptr;  ///< nullptr: between packets
    const Beat* first_beat = nullptr;
    const Beat* end = nullptr;
    PacketRef<Beat> packet;
    uint64_t offered = 0, first = 0, packets = 0;
    double wire_free = 0;  ///< cycle in which the wire can begin the next packet
    double wire_busy = 0;  ///< until when the packet takes it that leaves without being known
    uint64_t passed = 0;   ///< bytes so far of a packet that is not followed beat by beat
    uint64_t total = 0;    ///< of those that it has
    AxisChecker<Beat> check;
    History history;
  };

  /// Handshakes so far, on all ports.
  uint64_t moves() const { return moved_in_ + moved_out_ + moved_control_; }
  static constexpr bool ready_bit(uint32_t mask, size_t port) { return (mask >> port & 1) != 0; }

  /// Packets are held back: so is the time of those who send them at a pace.
  void stand_still() {
    ++stood_;
    for (In& in : in_) {
      if (in.next == nullptr || in.next != in.first || in.offering) continue;
      ++in.stood;
      ++in.due;
    }
  }

  /// What the control ports are asked in this cycle, then what they answer. Before the streams: a
  /// packet that arrives in it finds a write's effect, and a transaction may hold it back.
  void control_requests(uint64_t events) {
    holding_ = false;
    for (size_t p = 0; p < kControl; ++p) {
      ControlMaster& master = masters_[p];
      if (master.decide(now_, events, [this] { return at_peace(); })) {
        drive_control(p, master.request());
      }
      holding_ |= master.holds_packets();
    }
  }
  bool control_replies(const std::array<const AxiLiteReply*, kControl>& replies) {
    bool busy = false;
    for (size_t p = 0; p < kControl; ++p) {
      const ControlMaster& master = masters_[p];
      busy |= master.busy();
      const AxiLiteChecker::Fault fault = control_check_[p].check(master.request(), *replies[p]);
      if (fault.rule != AxiLiteRule::kNone && counts(fault.rule)) [[unlikely]] {
        if (!fail_control_rule(name_a_, p, fault)) return false;
      }
    }
    return !busy || hear_control(replies);
  }

  /// The handshakes of the control ports in this cycle, told to the oracle: writes first, for a
  /// read may see those of all ports.
  bool hear_control(const std::array<const AxiLiteReply*, kControl>& replies) {
    std::array<ControlMaster::Heard, kControl> heard;
    bool over = false;
    for (size_t p = 0; p < kControl; ++p) {
      heard[p] = masters_[p].hear(*replies[p], now_);
      if (heard[p].write_answered && !hear_write(p)) return false;
    }
    for (size_t p = 0; p < kControl; ++p) {
      ControlMaster& master = masters_[p];
      if (master.reading(now_) && follows_) master.expect(oracle_.read(p, master.read()));
      if (heard[p].read_answered && !hear_read(p)) return false;
      if (heard[p].write_over) timeline_.add(master.write());
      if (heard[p].read_over) timeline_.add(master.read());
      over |= heard[p].write_over || heard[p].read_over;
      if (heard[p].moved) {
        ++moved_control_;
        last_control_ = now_;
        master.finish(heard[p], now_);
      }
    }
    // Who waits for an answer has packets now.
    for (size_t p = 0; over && p < kIn; ++p) {
      if (in_[p].next == nullptr && !in_[p].over) load(p);
    }
    return true;
  }

  bool hear_write(size_t p) {
    const Access& write = masters_[p].write();
    if (!right_response(p, write)) return false;
    if (!follows_) return true;
    oracle_.answered(p, write);
    if (write.response != AxiResponse::kOkay) return true;
    if (write.strb == 0xF) {
      oracle_.configured(p, write.address, write.data);
    } else {
      oracle_.configured_bytes(p, write.address, write.data, write.strb);
    }
    return true;
  }

  bool hear_read(size_t p) {
    const Access& read = masters_[p].read();
    if (!right_response(p, read)) return false;
    if (!follows_) return true;
    if (read.response != AxiResponse::kOkay || masters_[p].expected(read.data)) {
      oracle_.answered(p, read);
      return true;
    }
    const uint32_t latest = masters_[p].latest();
    return fail_access(p, read, "rdata", hex_words(&read.data, 1), hex_words(&latest, 1));
  }

  bool right_response(size_t p, const Access& access) {
    if (!follows_) return true;
    const std::optional<AxiResponse> right = oracle_.answers(p, access);
    if (!right || *right == access.response) return true;
    return fail_access(p, access, access.write ? "bresp" : "rresp", response_name(access.response),
                       response_name(*right));
  }

  /// No packet is on its way in or out, and none is owed.
  bool at_peace() const {
    for (const In& in : in_) {
      if (in.offering || in.next != in.first) return false;
    }
    return !owed();
  }

  /// Input p's beat was accepted.
  [[gnu::always_inline]] void take(size_t p) {
    In& in = in_[p];
    Timeline::Port& port = timeline_.in[p];
    in.offering = false;
    ++port.beats;
    ++moved_in_;
    port.last = now_;
    if (in.next == in.first) [[unlikely]] {
      if (port.packets == 0) port.first = now_;
      ++port.packets;
      in.packet->accepted = now_;
      if (drive_.recording != nullptr) note_accepted(in.packet->id);
      if (follows_) oracle_.arrives(p, in.packet);
      if (watcher_ != nullptr) watcher_->arrived(p, in.packet);
      const uint32_t trigger = in.packet->trigger;
      in.trigger = trigger == Packet<Beat>::kNoTrigger ? nullptr : in.first + trigger;
    }
    if (in.next == in.trigger) in.packet->triggered = now_;
    if (in.next->last != 0) [[unlikely]] {
      in.packet->accepted_last = now_;
      const uint64_t bytes = static_cast<uint64_t>(in.next - in.first) * Beat::kBytes +
                             static_cast<uint64_t>(valid_bytes(*in.next));
      port.bytes += bytes;
      timeline_.count_in(bytes, in.packet->accepted, now_);
      in.history.push(std::move(in.packet));
      load(p);
      // The bits of stalls that are left begin with the next cycle.
      if (in.packet != nullptr && in.packet->gap != 0) [[unlikely]] {
        in.gap_until = now_ + 1 + in.packet->gap;
        source_bits_[p] |= first_bits(in.packet->gap);
      }
    } else {
      if (++in.next == in.end) [[unlikely]]
        fail_unended();
      if constexpr (kPacedIn) in.due = due_of(p);
    }
  }

  /// Feeds and oracles give packets whose last beat, and no other, has tlast. Seen where the loop
  /// would read on, not when the packet comes: then its end may be far from the processor.
  [[gnu::cold, gnu::noinline]] static void fail_unended() {
    throw std::logic_error("a packet does not end with a beat that has tlast");
  }

  void load(size_t p) { load(p, now_ - stood_); }
  /// The next packet of input p, if there is one that is due by this cycle of the senders' time or
  /// soon after.
  void load(size_t p, uint64_t cycle) {
    In& in = in_[p];
    in.next = in.first = in.trigger = nullptr;
    in.packet.reset();
    if (in.over) return;
    typename Feed<Beat>::Next next = feed_.next(p, cycle);
    in.not_before = next.not_before;
    if (next.state == Feed<Beat>::State::kOver) {
      in.over = true;
      return;
    }
    if (next.state == Feed<Beat>::State::kNotYet) return;
    in.packet = std::move(next.packet);
    if (in.packet == nullptr || in.packet->beats.empty()) [[unlikely]]
      fail_unended();
    // Of an earlier run nothing is left: packets may be fed again.
    in.packet->accepted = in.packet->accepted_last = in.packet->triggered = 0;
    in.packet->trigger = Packet<Beat>::kNoTrigger;
    in.packet->port = static_cast<uint32_t>(p);
    in.next = in.first = in.packet->beats.data();
    in.end = in.first + in.packet->beats.size();
    in.unchecked = in.packet->hostile;
    in.stood = stood_;
    ++in.packets;
    if constexpr (kPacedIn) in.due = due_of(p);
    in.begins = true;
  }

  static constexpr uint64_t first_bits(uint64_t n) {
    return n < kWindow ? (uint64_t{1} << n) - 1 : ~uint64_t{0};
  }

  Pace pace_of(const Port& port) const { return {drive_.clock_mhz, port.wire}; }

  uint64_t due_of(size_t p) const {
    if (!Ports::kInputs[p].paced) return 0;
    const In& in = in_[p];
    const auto end = static_cast<uint64_t>(in.next - in.first) * Beat::kBytes +
                     static_cast<uint64_t>(bytes_of_keep(in.next->keep));
    return pace_of(Ports::kInputs[p]).arrival(in.packet->time_ns, end) + in.stood;
  }

  /// `right` becomes the same beat of the packet that must leave, if it is known.
  [[gnu::always_inline]] bool deliver(size_t p, const Beat& m, bool ready, const Beat*& right) {
    Out& out = out_[p];
    if (out.want == nullptr) [[unlikely]] {
      if (!follows_) return pass(p, m, ready);
      if (out.packet != nullptr) return deliver_bytes(p, m, ready);
      // A null beat says nothing.
      if (drive_.by_bytes && m.keep == 0 && m.last == 0) return pass(p, m, ready);
      out.packet = oracle_.next(p);
      if (out.packet == nullptr) {
        // It may wait for the input whose beat it shows.
        if (!ready && shows_inputs()) return true;
        return fail_surplus(p) && pass(p, m, ready);
      }
      if (out.packet->beats.empty()) [[unlikely]]
        fail_unended();
      if (drive_.by_bytes) {
        out.offered = now_;
        out.passed = 0;
        out.total = out.packet->bytes();
        return deliver_bytes(p, m, ready);
      }
      out.want = out.first_beat = out.packet->beats.data();
      out.end = out.want + out.packet->beats.size();
      out.offered = now_;
    }
    if (!same_beat(m, *out.want)) [[unlikely]]
      return fail_reference(p, m, *out.want) && pass(p, m, ready);
    right = out.want;
    if (!ready) return true;
    Timeline::Port& port = timeline_.out[p];
    ++port.beats;
    ++moved_out_;
    port.last = now_;
    if (out.want == out.first_beat) [[unlikely]] {
      if (port.beats == 1) port.first = now_;
      out.first = now_;
      if constexpr (kPacedOut) {
        if (Ports::kOutputs[p].paced) {
          out.wire_free = std::max(out.wire_free, static_cast<double>(now_)) +
                          pace_of(Ports::kOutputs[p]).cycles(out.packet->bytes());
        }
      }
    }
    if (m.last != 0) [[unlikely]] {
      whole(p);
    } else if (++out.want == out.end) [[unlikely]] {
      fail_unended();
    }
    return true;
  }

  /// The same of a device that may cut and fill its beats as it likes.
  [[gnu::noinline]] bool deliver_bytes(size_t p, const Beat& m, bool ready) {
    Out& out = out_[p];
    const Beat right = cut_alike(m, *out.packet, out.passed, out.total, Ports::kOutputs[p]);
    if (!same_beat(m, right)) [[unlikely]]
      return fail_reference(p, m, right) && pass(p, m, ready);
    if (!ready) return true;
    Timeline::Port& port = timeline_.out[p];
    ++port.beats;
    ++moved_out_;
    port.last = now_;
    if (port.beats == 1) port.first = now_;
    if (out.passed == 0) {
      out.first = now_;
      out.wire_busy = std::max(out.wire_free, static_cast<double>(now_));
    }
    out.passed += static_cast<uint64_t>(bytes_of_keep(m.keep));
    if (m.last == 0) return true;
    if (Ports::kOutputs[p].paced) {
      out.wire_free = out.wire_busy + pace_of(Ports::kOutputs[p]).cycles(out.total);
    }
    out.passed = 0;
    out.first_beat = out.packet->beats.data();
    out.want = &out.packet->beats.back();
    whole(p);
    return true;
  }
  /// What m should be, were it cut as it is: its bytes are those of the packet from `from` on.
  static Beat cut_alike(const Beat& m, const Packet<Beat>& packet, uint64_t from, uint64_t total,
                        const Port& port) {
    Beat right = m;
    uint64_t at = from;
    for (size_t i = 0; i < Beat::kBytes; ++i) {
      if ((m.keep >> i & 1) == 0) continue;
      if (at == total) {
        right.keep &= static_cast<typename Beat::Keep>(~(typename Beat::Keep{1} << i));
        continue;
      }
      const Beat& of = packet.beats[at / Beat::kBytes];
      const uint32_t byte = of.data[at % Beat::kBytes / 4] >> 8 * (at % 4) & 0xFF;
      uint32_t& word = right.data[i / 4];
      word = (word & ~(0xFFu << 8 * (i % 4))) | byte << 8 * (i % 4);
      ++at;
    }
    if (m.last != 0) {
      right.last = at == total ? 1 : 0;
      right.user = packet.beats.back().user;
      right.meta = packet.beats.back().meta;
    } else if (from == 0 && m.keep != 0 && port.user_bits > 1) {  // what belongs to the packet
      right.meta = packet.beats.front().meta;
    }
    return right;
  }

  /// A beat that nothing is known of leaves.
  bool pass(size_t p, const Beat& m, bool ready) {
    if (!ready) return true;
    Timeline::Port& port = timeline_.out[p];
    if (port.beats == 0) port.first = now_;
    ++port.beats;
    ++moved_out_;
    port.last = now_;
    const auto bytes = static_cast<uint64_t>(bytes_of_keep(m.keep));
    port.bytes += bytes;
    Out& out = out_[p];
    out.packets += m.last;
    if constexpr (kPacedOut) {
      if (!Ports::kOutputs[p].paced) return true;
      if (out.passed == 0) out.wire_busy = std::max(out.wire_free, static_cast<double>(now_));
      out.passed += bytes;
      if (m.last == 0) return true;
      out.wire_free = out.wire_busy + pace_of(Ports::kOutputs[p]).cycles(out.passed);
      out.passed = 0;
    }
    return true;
  }

  /// Adds what has passed since this was done last to the figures over time. Once a chunk: bytes
  /// are counted with their packets, and of those under way here.
  void note_moved(uint64_t since) {
    for (size_t p = 0; p < kIn; ++p) {
      const In& in = in_[p];
      timeline_.in[p].underway = static_cast<uint64_t>(in.next - in.first) * Beat::kBytes;
    }
    for (size_t p = 0; p < kOut; ++p) timeline_.out[p].underway = underway(out_[p]);
    const uint64_t in = timeline_.bytes_in(), out = timeline_.bytes_out();
    timeline_.moved_in.add(since, in - std::exchange(bytes_in_, in));
    timeline_.moved_out.add(since, out - std::exchange(bytes_out_, out));
  }
  static uint64_t underway(const Out& out) {
    if (out.packet == nullptr) return 0;
    if (out.want == nullptr) return out.passed;
    return static_cast<uint64_t>(out.want - out.first_beat) * Beat::kBytes;
  }

  /// Output p's packet has left.
  void whole(size_t p) {
    Out& out = out_[p];
    const auto beats = static_cast<uint32_t>(out.want - out.first_beat) + 1;
    const Packet<Beat>* const maker = out.packet->source.get();
    Passage passage{
        .beats = beats,
        .bytes = (beats - 1) * Beat::kBytes + static_cast<uint32_t>(bytes_of_keep(out.want->keep))};
    passage.error = out.want->user != 0;
    passage.out = static_cast<uint32_t>(p);
    passage.offered = out.offered;
    passage.first = out.first;
    passage.last = now_;
    passage.made = maker != nullptr;
    if (passage.made) {
      passage.id = maker->id;
      passage.trace_number = maker->trace_number;
      passage.measured = maker->measured;
      passage.time_ns = maker->time_ns;
      passage.in = maker->port;
      passage.accepted = maker->accepted;
      passage.accepted_last = maker->accepted_last;
      passage.triggered = maker->triggered;
      passage.follows = maker->trigger != Packet<Beat>::kNoTrigger;
      passage.action = out.packet->action;
      passage.ratio = out.packet->ratio;
    }
    timeline_.add(passage);
    if (listener_ != nullptr) listener_->left(passage, *out.packet);
    if (watcher_ != nullptr) watcher_->left(passage, *out.packet);
    ++out.packets;
    out.history.push(std::move(out.packet));
    out.want = nullptr;
  }

  /// Of the window that begins with cycle `at`.
  void draw_stalls(uint64_t at) {
    if (drive_.stall.recorded != nullptr) {
      const StallRecord& stalls = *drive_.stall.recorded;
      for (size_t p = 0; p < kIn; ++p) {
        source_bits_[p] = StallRecord::bits(stalls.sources, p, at / kWindow);
      }
      for (size_t p = 0; p < kOut; ++p) {
        sink_bits_[p] = StallRecord::bits(stalls.sinks, p, at / kWindow);
      }
    } else {
      for (uint64_t& bits : source_bits_) bits = source_stall_.next64();
      for (uint64_t& bits : sink_bits_) bits = sink_stall_.next64();
      waiting_sources_ = draw(source_pattern_, source_bits_);
      waiting_sinks_ = draw(sink_pattern_, sink_bits_);
      seen_ready_ = seen_valid_ = 0;
    }
    if (drive_.recording != nullptr) note_stalls(at);
    for (size_t p = 0; p < kIn; ++p) {
      if (in_[p].gap_until > now_) source_bits_[p] |= first_bits(in_[p].gap_until - now_);
    }
    stall_left_ = kWindow;
  }

  // ---- What another run can be driven by. Gaps go with the packets.

  void note_stalls(uint64_t at) {
    StallRecord& stalls = drive_.recording->stalls;
    for (size_t p = 0; p < kIn; ++p) {
      StallRecord::set(stalls.sources, p, at / kWindow, source_bits_[p]);
    }
    for (size_t p = 0; p < kOut; ++p) {
      StallRecord::set(stalls.sinks, p, at / kWindow, sink_bits_[p]);
    }
  }
  /// A side that was to wait for the other does not hesitate in this cycle.
  void note_open(std::vector<StallRecord::Side>& sides, size_t p) {
    const uint64_t bits = StallRecord::bits(sides, p, now_ / kWindow);
    StallRecord::set(sides, p, now_ / kWindow, bits & ~(uint64_t{1} << now_ % kWindow));
  }
  void note_accepted(uint64_t packet) {
    std::vector<uint64_t>& accepted = drive_.recording->accepted;
    if (packet >= accepted.size()) accepted.resize(packet + 1);
    accepted[packet] = now_;
  }

  /// By patterns, if there are any. Which of the ports wait for the other side, as a mask.
  template <size_t N>
  static uint32_t draw(std::vector<StallPattern>& patterns, std::array<uint64_t, N>& bits) {
    uint32_t waiting = 0;
    for (size_t p = 0; p < patterns.size(); ++p) {
      bits[p] = patterns[p].next64();
      waiting |= static_cast<uint32_t>(patterns[p].waits()) << p;
    }
    return waiting;
  }

  /// A source that waits offers a beat in the cycle after one in which tready was high, a sink is
  /// ready in the cycle after one in which a beat waited for it. What a window's cycles before the
  /// first showed, they do not know.
  void end_waits() {
    for (size_t p = 0; p < kIn; ++p) {
      if (!ready_bit(waiting_sources_ & seen_ready_, p) || in_[p].gap_until > now_) continue;
      source_bits_[p] &= ~uint64_t{1};
      if (drive_.recording != nullptr) note_open(drive_.recording->stalls.sources, p);
    }
    for (size_t p = 0; p < kOut; ++p) {
      if (!ready_bit(waiting_sinks_ & seen_valid_, p)) continue;
      sink_bits_[p] &= ~uint64_t{1};
      if (drive_.recording != nullptr) note_open(drive_.recording->stalls.sinks, p);
    }
  }
  /// What they see in this cycle.
  void see_the_other_side(uint32_t s_ready, uint32_t m_valid) {
    for (size_t p = 0; p < kIn; ++p) {
      if (!ready_bit(waiting_sources_, p)) continue;
      const In& in = in_[p];
      const bool open = ready_bit(seen_ready_, p) && in.gap_until <= now_;
      const bool offers = in.offering || (open && in.next != nullptr && in.due <= now_);
      see(seen_ready_, p, !offers && ready_bit(s_ready, p));
    }
    for (size_t p = 0; p < kOut; ++p) {
      if (!ready_bit(waiting_sinks_, p)) continue;
      see(seen_valid_, p, !ready_bit(seen_valid_, p) && ready_bit(m_valid, p));
    }
  }
  static void see(uint32_t& mask, size_t port, bool value) {
    mask = (mask & ~(1u << port)) | static_cast<uint32_t>(value) << port;
  }

  /// Asks for packets that were not there yet. Every 64 cycles, whoever drives the run and by how
  /// much at a time, so that this does not change what happens.
  void ask_again() {
    if (now_ == 0) return;
    for (ControlMaster& master : masters_) master.ask(now_);
    for (size_t p = 0; p < kIn; ++p) {
      if (in_[p].next == nullptr && !in_[p].over) load(p);
    }
  }

  /// Asks inputs that know of no packet yet for what is due before the loaded ones, or soon after.
  void look_ahead() {
    for (bool asked = true; asked;) {
      uint64_t due = UINT64_MAX - kAskEvery;
      for (const In& in : in_) {
        if (in.next != nullptr) due = std::min(due, in.due);
      }
      asked = false;
      for (size_t p = 0; p < kIn; ++p) {
        const In& in = in_[p];
        if (in.next != nullptr || in.over || in.not_before == 0) continue;
        if (in.not_before + stood_ > due + kAskEvery) continue;
        load(p, in.not_before);
        asked = true;
      }
    }
  }

  /// Nothing has moved in the cycles simulated last: is the run over, idle, or hanging?
  void at_rest() {
    look_ahead();
    bool over = true, offering = false, waiting = false;
    uint64_t due = UINT64_MAX;
    for (const In& in : in_) {
      over &= in.over;
      offering |= in.offering;
      waiting |= in.next == nullptr && !in.over && in.not_before == 0;
      if (in.next != nullptr) due = std::min(due, in.due);
    }
    const bool owed = this->owed();
    const bool peace = kControl != 0 && at_peace();
    for (const ControlMaster& master : masters_) {
      over &= master.over();
      offering |= master.busy();
      waiting |= master.asking_any_time();
      due = std::min(due, master.due(peace));
    }
    uint64_t last = std::max(last_event_, last_control_);
    for (const Timeline::Port& port : timeline_.in) last = std::max(last, port.last);
    for (const Timeline::Port& port : timeline_.out) last = std::max(last, port.last);
    if (over && !owed) {
      finished_ = true;
      // Run on, so that a beat too many is seen.
      const bool nothing_ever_moved = moves() == 0;
      end_ = kPaced               ? last + std::max<uint64_t>(257, oracle_.busy())
             : nothing_ever_moved ? 64
                                  : (last | 63) + std::max<uint64_t>(65, oracle_.busy());
      if (now_ >= end_) {
        done_ = same_statistics() && same_statistics_again();
      }
      return;
    }
    finished_ = false;
    // Until more comes in by itself, the device may wait for it. What waits for an event of the
    // device does not come by itself.
    const bool idle = !offering && !over && due > now_ && (waiting || due != UINT64_MAX);
    if (idle && !waiting && !owed && drive_.skip_idle && Ports::kSettles != 0 &&
        now_ >= last + std::min(Ports::kSettles, oracle_.settles()) + oracle_.busy()) {
      return skip(due - now_);
    }
    uint64_t since = last;
    if (due != UINT64_MAX) since = std::max(since, due);
    for (const Out& out : out_) since = std::max(since, static_cast<uint64_t>(out.wire_free));
    if (!idle && now_ >= since + kHangCycles + oracle_.busy()) {
      if (!fail_control_hang(last)) {
        fail({.kind = FailureKind::kHang,
              .moved = last,
              .port = std::string(over || (owed && !offers()) ? owing_output() : offering_input()),
              .engine_a = name_a_,
              .text = no_beat_moved(kHangCycles)});
      }
    }
  }

  /// Nothing comes in, and nobody knows how much must leave: that it ends is all that is asked.
  [[gnu::cold]] void see_an_end() {
    uint64_t last = last_control_;
    for (const Timeline::Port& port : timeline_.in) last = std::max(last, port.last);
    if (now_ < last + kHangCycles + oracle_.busy()) return;
    const auto busy = std::max_element(
        timeline_.out.begin(), timeline_.out.end(),
        [](const Timeline::Port& a, const Timeline::Port& b) { return a.last < b.last; });
    fail({.kind = FailureKind::kHang,
          .port = std::string(Ports::kOutputs[busy - timeline_.out.begin()].name),
          .engine_a = name_a_,
          .text = "beats leave without end: none has come in for " + std::to_string(kHangCycles) +
                  " cycles"});
  }

  /// The device owes a packet, or the rest of one.
  bool owed() const {
    if (!follows_) return failed() && owed_;
    return !oracle_.quiet() || std::any_of(out_.begin(), out_.end(),
                                           [](const Out& out) { return out.packet != nullptr; });
  }

  /// A beat is offered, and not accepted.
  bool offers() const {
    return std::any_of(in_.begin(), in_.end(), [](const In& in) { return in.offering; });
  }

  [[gnu::cold]] std::string_view owing_output() const {
    for (size_t p = 0; p < kOut; ++p) {
      if (out_[p].packet != nullptr || (follows_ && oracle_.peek(p) != nullptr))
        return Ports::kOutputs[p].name;
    }
    return Ports::kOutputs[0].bundle;
  }
  [[gnu::cold]] std::string_view offering_input() const {
    for (size_t p = 0; p < kIn; ++p) {
      if (in_[p].offering) return Ports::kInputs[p].name;
    }
    return Ports::kInputs[0].bundle;
  }

  /// The next cycle to be simulated is `cycles` later; stalls are drawn as if all had been.
  void skip(uint64_t cycles) {
    uint64_t left = cycles;
    while (left > 0) {
      if (stall_left_ == 0) draw_stalls(now_ + cycles - left);
      const auto step = std::min<uint64_t>(left, stall_left_);
      for (uint64_t& bits : source_bits_) bits = step == 64 ? 0 : bits >> step;
      for (uint64_t& bits : sink_bits_) bits = step == 64 ? 0 : bits >> step;
      stall_left_ -= static_cast<uint32_t>(step);
      left -= step;
      if (drive_.stall.none() && stall_left_ == 0) {  // nothing is drawn: go on at once
        stall_left_ = (64 - static_cast<uint32_t>(left % 64)) % 64;
        left = 0;
      }
    }
    if (stall_left_ % kWindow != 0) seen_ready_ = shown().s_ready;  // nothing was offered
    now_ += cycles;
    timeline_.skipped += cycles;
    timeline_.cycles = now_;
    pass_time(cycles);
  }

  // ---- What can be wrong; kept out of the loop's code.

  /// Notes the first one. Whether the run goes on: to be shown for some cycles more.
  [[gnu::cold, gnu::noinline]] bool fail(Failure failure, bool history = true) {
    if (failed()) return drive_.after_failure;
    failure_ = std::move(failure);
    failure_.cycle = now_;
    if (history) tell_history(ahead_);
    if (!drive_.after_failure) return false;
    tally();
    if (fails_) fails_();
    shown_until_ = now_ + 1 + kCyclesAfterFailure;
    owed_ = owed();
    listener_ = nullptr;
    watcher_ = nullptr;
    follow_no_more();
    return true;
  }

  /// The oracle is right no more, or not asked any more: beats leave as they come.
  [[gnu::cold]] void follow_no_more() {
    follows_ = false;
    for (size_t p = 0; p < kOut; ++p) {
      Out& out = out_[p];
      if (out.packet == nullptr) continue;
      timeline_.out[p].bytes += underway(out);
      if (Ports::kOutputs[p].paced && out.want != nullptr && out.want != out.first_beat) {
        out.passed = underway(out);
        out.wire_busy = out.wire_free - pace_of(Ports::kOutputs[p]).cycles(out.packet->bytes());
        out.wire_free = static_cast<double>(now_);
      }
      // The second engine may have yet to show its beats.
      dropped_.push_back(std::move(out.packet));
      out.want = nullptr;
    }
  }

  /// The figures of the cycles since `tallied_`.
  void tally() {
    note_moved(std::exchange(tallied_, now_));
    if (two()) timeline_.lockstep_cycles = now_;
    timeline_.cycles = now_;
  }
  void begin_tally() { tallied_ = now_; }

  /// A device that breaks it fails.
  template <class Rule>
  bool counts(Rule rule) const {
    return of_profile(rule) ? drive_.checks.profile : drive_.checks.protocol;
  }

  [[gnu::cold, gnu::noinline]] bool fail_protocol(const std::string& engine, std::string_view port,
                                                  AxisRule rule) {
    const bool profile = of_profile(rule);
    return fail({.kind = profile ? FailureKind::kProfile : FailureKind::kProtocol,
                 .port = std::string(port),
                 .engine_a = engine,
                 .text = axis_rule_text(rule)});
  }

  [[gnu::cold, gnu::noinline]] bool fail_control_rule(const std::string& engine, size_t p,
                                                      const AxiLiteChecker::Fault& fault) {
    const bool profile = of_profile(fault.rule);
    return fail({.kind = profile ? FailureKind::kProfile : FailureKind::kProtocol,
                 .port = std::string(Ports::kControls[p].name),
                 .channel = fault.signal.channel,
                 .signal = fault.signal.name,
                 .engine_a = fault.of_master ? "harness" : engine,
                 .text = axi_lite_rule_text(fault.rule)});
  }

  /// Of a failure of the reference. Unless that counts, the oracle is right no more, and the run
  /// goes on without it.
  [[gnu::cold, gnu::noinline]] bool fail_oracle(Failure failure) {
    if (drive_.checks.reference) return fail(std::move(failure));
    follow_no_more();
    return true;
  }

  /// An answer that the reference would not give.
  [[gnu::cold, gnu::noinline]] bool fail_access(size_t p, const Access& access, const char* signal,
                                                std::string value, std::string right) {
    return fail_oracle(
        {.kind = FailureKind::kReference,
         .port = std::string(Ports::kControls[p].name),
         .channel = access.write ? "B" : "R",
         .signal = signal,
         .engine_a = engines(),
         .value_a = std::move(value),
         .engine_b = "reference",
         .value_b = std::move(right),
         .lines = {"answers the " + transaction_name(access.write, access.address)}});
  }

  /// Nothing moves: is a transaction to blame? Not while a packet is offered and refused, nor, if
  /// it has not begun, while one is owed.
  [[gnu::cold]] bool fail_control_hang(uint64_t last) {
    if (offers()) return false;
    for (const ControlMaster& master : masters_) {
      if (!master.busy() && (owed() || master.asking() || master.over())) continue;
      fail({.kind = FailureKind::kHang,
            .moved = last,
            .port = std::string(master.name()),
            .engine_a = name_a_,
            .text = no_beat_moved(kHangCycles) + ": " + master.waits_for()});
      return true;
    }
    return false;
  }

  [[gnu::cold, gnu::noinline]] bool fail_event(const std::string& complaint) {
    const size_t comma = complaint.find(", ");
    return fail_oracle({.kind = FailureKind::kReference,
                        .port = "event",
                        .signal = "o",
                        .engine_a = engines(),
                        .value_a = complaint.substr(0, comma),
                        .engine_b = "reference",
                        .value_b = comma == std::string::npos ? "" : complaint.substr(comma + 2)});
  }

  [[gnu::cold]] std::string engines() const { return two() ? both(name_a_, name_b_) : name_a_; }

  [[gnu::cold, gnu::noinline]] bool fail_surplus(size_t p) {
    return fail_oracle({.kind = FailureKind::kReference,
                        .port = std::string(Ports::kOutputs[p].name),
                        .signal = "tvalid",
                        .engine_a = engines(),
                        .value_a = "1 (a beat too many)",
                        .engine_b = "reference",
                        .value_b = "0"});
  }

  [[gnu::cold, gnu::noinline]] bool fail_reference(size_t p, const Beat& m, const Beat& right) {
    const std::string signal = first_difference(m, right);
    return fail_oracle({.kind = FailureKind::kReference,
                        .port = std::string(Ports::kOutputs[p].name),
                        .signal = signal,
                        .engine_a = engines(),
                        .value_a = signal_value(m, signal),
                        .engine_b = "reference",
                        .value_b = signal_value(right, signal)});
  }

  [[gnu::cold, gnu::noinline]] bool fail_lockstep(const Shown<Ports>& all_a,
                                                  const Shown<Ports>& all_b,
                                                  const std::vector<Inner<Beat>>& inner_a,
                                                  const std::vector<Inner<Beat>>& inner_b) {
    const auto differ = [this](std::string_view port, std::string signal, std::string a,
                               std::string b) {
      return fail({.kind = FailureKind::kLockstep,
                   .port = std::string(port),
                   .signal = std::move(signal),
                   .engine_a = name_a_,
                   .value_a = std::move(a),
                   .engine_b = name_b_,
                   .value_b = std::move(b)});
    };
    const auto bit = [](bool value) { return std::string(value ? "1" : "0"); };
    for (size_t p = 0; p < kIn; ++p) {
      const bool a = ready_bit(all_a.s_ready, p), b = ready_bit(all_b.s_ready, p);
      if (a != b) return differ(Ports::kInputs[p].name, "tready", bit(a), bit(b));
    }
    for (size_t p = 0; p < kOut; ++p) {
      const Beat *const a = all_a.m[p], *const b = all_b.m[p];
      const std::string_view port = Ports::kOutputs[p].name;
      if ((a == nullptr) != (b == nullptr)) {
        return differ(port, "tvalid", bit(a != nullptr), bit(b != nullptr));
      }
      const char* const signal = a != nullptr ? first_difference(*a, *b) : nullptr;
      if (signal != nullptr) {
        return differ(port, signal, signal_value(*a, signal), signal_value(*b, signal));
      }
    }
    if constexpr (kControl != 0) {
      for (size_t p = 0; p < kControl; ++p) {
        const AxiLiteReply &a = *all_a.control[p], &b = *all_b.control[p];
        const AxiLiteSignal signal = first_difference(a, b);
        if (signal.name == nullptr) continue;
        return fail({.kind = FailureKind::kLockstep,
                     .port = std::string(Ports::kControls[p].name),
                     .channel = signal.channel,
                     .signal = signal.name,
                     .engine_a = name_a_,
                     .value_a = signal_value(a, signal.name),
                     .engine_b = name_b_,
                     .value_b = signal_value(b, signal.name)});
      }
    }
    for (size_t i = 0; i < std::min(inner_a.size(), inner_b.size()); ++i) {
      const Inner<Beat>&a = inner_a[i], &b = inner_b[i];
      if (a.value != b.value) return differ(a.port, a.signal, a.value, b.value);
      if (a.shown != b.shown) return fail_inner("tvalid", bit(a.shown), bit(b.shown), a, b);
      const char* const signal = a.shown ? first_difference(a.beat, b.beat) : nullptr;
      if (signal != nullptr) {
        return fail_inner(signal, signal_value(a.beat, signal), signal_value(b.beat, signal), a, b);
      }
    }
    if constexpr (requires { Ports::kPinsOfProbe; }) {
      size_t lsb = 0;
      for (const Pin& pin : Ports::kPinsOfProbe) {
        const auto bits = static_cast<size_t>(pin.bits);
        const std::string a = hex_of_bits(words_of_probe(all_a.probe), lsb, bits),
                          b = hex_of_bits(words_of_probe(all_b.probe), lsb, bits);
        if (a != b) return differ("probe", std::string(pin.name), a, b);
        lsb += bits;
      }
      return false;
    } else if constexpr ((kProbeWords<Ports>) > 1) {
      const auto counters = [](const Probe<Ports>& all, size_t i) {
        return static_cast<uint32_t>(all[i / 2] >> 32 * (i % 2));
      };
      size_t i = 0;
      while (i + 1 < Ports::kCountersInProbe &&
             counters(all_a.probe, i) == counters(all_b.probe, i))
        ++i;
      return differ("probe", "counter " + std::to_string(i),
                    std::to_string(counters(all_a.probe, i)),
                    std::to_string(counters(all_b.probe, i)));
    } else {
      const uint64_t a = all_a.probe, b = all_b.probe;
      const bool event = ((a ^ b) & Ports::kEvents) != 0;
      return event ? differ("event", "o", std::to_string(a), std::to_string(b))
                   : differ("probe", "", std::to_string(a), std::to_string(b));
    }
  }

  /// A stream within differs: both beats, in the words of the ports if they have any.
  bool fail_inner(std::string signal, std::string value_a, std::string value_b,
                  const Inner<Beat>& a, const Inner<Beat>& b) {
    Failure failure{.kind = FailureKind::kLockstep,
                    .port = a.port,
                    .signal = std::move(signal),
                    .engine_a = name_a_,
                    .value_a = std::move(value_a),
                    .engine_b = name_b_,
                    .value_b = std::move(value_b)};
    const auto tell = [&failure](const std::string& name, const Inner<Beat>& inner) {
      std::string words = "nothing";
      if (inner.shown) {
        words = "tlast " + std::to_string(inner.beat.last) + ", tkeep " +
                signal_value(inner.beat, "tkeep") + ", tdata " + signal_value(inner.beat, "tdata");
        if constexpr (requires { Ports::words_of(inner.beat); }) {
          words = Ports::words_of(inner.beat) + ", " + words;
        }
      }
      failure.lines.push_back(name + " shows at " + inner.port + ": " + words);
    };
    tell(name_a_, a);
    tell(name_b_, b);
    return fail(std::move(failure));
  }

  /// A cycle later, which no figure counts: what is wrong in every second cycle is so in one of
  /// two, and runs end in cycles that are multiples of 64.
  [[gnu::cold]] bool same_statistics_again() {
    if (statistics(Which::kA).empty()) return true;
    idle_edge();
    return same_statistics();
  }

  /// Counters are compared at the end: whoever miscounts does so to the last cycle.
  [[gnu::cold]] bool same_statistics() {
    const auto text = [](const auto& words, size_t i) {
      return i < words.size() ? std::to_string(words[i]) : std::string("absent");
    };
    const std::vector<uint32_t> a = statistics(Which::kA);
    const auto differ = [&](FailureKind kind, const std::string& who, const std::string& other,
                            size_t i, std::string value) {
      fail({.kind = kind,
            .port = "stat",
            .signal = "word " + std::to_string(i),
            .engine_a = who,
            .value_a = text(a, i),
            .engine_b = other,
            .value_b = std::move(value)},
           false);
      return false;
    };
    if (two()) {
      const std::vector<uint32_t> b = statistics(Which::kB);
      for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
        if (text(a, i) != text(b, i)) {
          return differ(FailureKind::kLockstep, name_a_, name_b_, i, text(b, i));
        }
      }
    }
    if (!drive_.checks.reference) return true;
    const std::vector<std::optional<uint32_t>> expected = oracle_.statistics();
    for (size_t i = 0; i < expected.size(); ++i) {
      if (expected[i] && text(a, i) != std::to_string(*expected[i])) {
        return differ(FailureKind::kReference, engines(), "reference", i,
                      std::to_string(*expected[i]));
      }
    }
    return true;
  }

  // ---- The words of a divergence.

  /// The last beats before the failure, port by port, decoded; but for those that have moved since.
  [[gnu::cold]] void tell_history(const Beats& since = {}) {
    if (!describe_) return;
    for (size_t p = 0; p < kIn; ++p) tell_input(p, since.in[p]);
    for (size_t p = 0; p < kOut; ++p) tell_output(p, since.out[p]);
  }

  /// A beat of a packet.
  struct Place {
    const Packet<Beat>* packet;
    size_t beat;
  };
  /// The beats that have moved, the last one first, as far as their packets are known.
  [[gnu::cold]] static std::vector<Place> moved(const PacketRef<Beat>& packet, const Beat* next,
                                                const History& history) {
    std::vector<Place> places;
    const auto add = [&](const Packet<Beat>& of, size_t beats) {
      while (beats-- > 0) places.push_back({&of, beats});
    };
    if (packet != nullptr) add(*packet, static_cast<size_t>(next - packet->beats.data()));
    const auto whole_ones = history.packets();
    for (auto whole = whole_ones.rbegin(); whole != whole_ones.rend(); ++whole) {
      add(**whole, (*whole)->beats.size());
    }
    return places;
  }

  [[gnu::cold]] void tell_input(size_t p, uint64_t since) {
    const std::vector<Place> beats = moved(in_[p].packet, in_[p].next, in_[p].history);
    std::vector<std::string> lines;
    for (size_t i = since; i < beats.size() && lines.size() < kHistory; ++i) {
      lines.push_back("  " + words(true, p, beats[i]));
    }
    if (lines.empty()) return;
    failure_.lines.push_back("last beats accepted on " + std::string(Ports::kInputs[p].name) + ":");
    failure_.lines.insert(failure_.lines.end(), lines.rbegin(), lines.rend());
  }

  [[gnu::cold]] void tell_output(size_t p, uint64_t since) {
    const Out& out = out_[p];
    const bool known = out.packet != nullptr;
    const Beat* next_beat = out.want;
    if (known && next_beat == nullptr) {  // the one that holds the next byte
      const size_t whole = out.passed / Beat::kBytes, n = out.packet->beats.size();
      next_beat = out.packet->beats.data() + std::min(whole, n - 1);
    }
    const std::vector<Place> beats = moved(out.packet, next_beat, out.history);
    std::vector<std::string> lines;
    // What came in after the failure was not owed yet.
    const auto coming = [&](Place place) {
      const Packet<Beat>* const maker = place.packet->source.get();
      if (maker != nullptr && maker->accepted >= failure_.cycle) return;
      lines.push_back("> " + words(false, p, place));
    };
    const PacketRef<Beat> next = !known && follows_ ? oracle_.peek(p) : nullptr;
    if (since != 0 && since <= beats.size()) {
      coming(beats[since - 1]);
    } else if (known) {
      coming({out.packet.get(), static_cast<size_t>(next_beat - out.packet->beats.data())});
    } else if (next != nullptr) {
      coming({next.get(), 0});
    }
    for (size_t i = since; i < beats.size() && lines.size() <= kHistory; ++i) {
      lines.push_back("  " + words(false, p, beats[i]));
    }
    if (lines.empty()) return;
    failure_.lines.push_back("last beats delivered on " + std::string(Ports::kOutputs[p].name) +
                             ", then the one the reference expects (>):");
    failure_.lines.insert(failure_.lines.end(), lines.rbegin(), lines.rend());
  }

  [[gnu::cold]] std::string words(bool input, size_t p, Place place) const {
    return where(*place.packet, place.beat) + "  " + describe_(input, p, *place.packet, place.beat);
  }

  /// Packets that nobody will ask for again.
  void forget() {
    for (In& in : in_) in.history.forget();
    for (Out& out : out_) out.history.forget();
    dropped_.clear();
  }

  /// "packet 3 (12 of the trace) beat 2", counted from 1, of the packet that made it.
  [[gnu::cold]] static std::string where(const Packet<Beat>& packet, size_t beat) {
    const Packet<Beat>& maker = packet.source != nullptr ? *packet.source : packet;
    std::string text = "packet " + std::to_string(maker.id + 1);
    if (maker.trace_number != 0)
      text += " (" + std::to_string(maker.trace_number) + " of the trace)";
    return text + " beat " + std::to_string(beat + 1);
  }

  Feed<Beat>& feed_;
  Oracle<Beat>& oracle_;
  const Drive drive_;
  const std::string name_a_, name_b_;
  Listener<Beat>* listener_;
  Describe describe_;
  Observer<Ports>* observer_ = nullptr;
  Watcher<Beat>* watcher_ = nullptr;
  std::function<void()> fails_;
  std::array<In, kIn> in_;
  std::array<Out, kOut> out_;
  std::vector<PacketRef<Beat>>
      dropped_;  ///< which should have left when the oracle was followed no more
  std::vector<ControlMaster> masters_;
  std::array<AxiLiteChecker, kControl> control_check_;
  bool holding_ = false;  ///< a transaction holds packets back
  uint64_t stood_ = 0;    ///< cycles in which one did, of paced ports
  StallGenerator source_stall_, sink_stall_;
  std::vector<StallPattern> source_pattern_, sink_pattern_;  ///< by port; empty: none
  uint32_t waiting_sources_ = 0, waiting_sinks_ = 0;         ///< those that wait for the other side
  uint32_t seen_ready_ = 0, seen_valid_ = 0;  ///< which was there in the cycle before
  std::array<uint64_t, kIn> source_bits_{};
  std::array<uint64_t, kOut> sink_bits_{};
  uint32_t stall_left_ = 0;
  uint64_t now_ = 0, last_event_ = 0, last_control_ = 0;
  uint64_t moved_in_ = 0, moved_out_ = 0, moved_control_ = 0;
  uint64_t bytes_in_ = 0, bytes_out_ = 0;
  uint64_t end_ = UINT64_MAX;
  bool finished_ = false, done_ = false;
  bool follows_ = true;  ///< the oracle has been right so far
  Failure failure_;
  uint64_t shown_until_ = 0;  ///< of a run that failed: the cycle in which it is over
  bool owed_ = false;         ///< when it failed, the device owed a packet
  Beats ahead_;               ///< what has moved since the failure, as far as it is not told
  uint64_t tallied_ = 0;      ///< what moved before this cycle is in the figures
  Timeline timeline_;
};

}  // namespace gw::sim
