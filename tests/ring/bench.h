// A ring of models under test: hosts that send and take chunks with stalls, links with faults,
// nodes that are reset; the reference of sums, a follower of all frames, and the invariants of the
// page in every cycle.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/reference/ring/follower.h"
#include "sim/base/random.h"
#include "sim/harness/chain.h"
#include "sim/harness/rules.h"
#include "testbenches/ring/model.h"

namespace gw::tests::ring {

namespace reference = gw::reference::ring;
using testbenches::RingNodeModel;
using testbenches::RingNodePorts;
using testbenches::RingPorts;
using Beat = RingNodePorts::Beat;
using reference::Bytes;

/// A node that some beats do not reach.
class BenchNode : public RingNodeModel {
 public:
  using RingNodeModel::RingNodeModel;
  std::function<bool(size_t side, const Beat& beat)> swallow;
  void clock(const sim::Offered<RingNodePorts>& offered, uint32_t m_ready) {
    if (!swallow) return RingNodeModel::clock(offered, m_ready);
    sim::Offered<RingNodePorts> heard = offered;
    for (const size_t side : {RingNodePorts::kLeft, RingNodePorts::kRight}) {
      if (heard[side] != nullptr && swallow(side, *heard[side])) heard[side] = nullptr;
    }
    RingNodeModel::clock(heard, m_ready);
  }
};
using Circle = sim::Ring<RingPorts, BenchNode>;

struct Setting {
  uint32_t nodes = 2;
  systemc::RingBuild build = {.slots_log2 = 1, .beats_log2 = 1, .add_latency = 2};
  uint32_t window = 1, timeout = 200;
  std::vector<size_t> chunks = {64};  ///< bytes of each
  sim::LinkSpec link = {.delay = 3};
  std::function<void(std::vector<sim::LinkSpec>&)> links = {};  ///< entry 2 i: from i to the right
  double source_stall = 0, sink_stall = 0;                      ///< percent of the cycles
  double beat_in = 1, beat_out = 1;  ///< cycles that a host takes for a beat of 64 bytes
  std::vector<uint64_t> skew = {};   ///< cycle in which a host begins
  bool ordinary = true;              ///< no NaN, infinity, subnormal numbers among the values
  uint64_t seed = 1;
  /// Resets of node i; whoever is reset begins anew with `after` chunks.
  std::vector<std::vector<RingNodeModel::Reset>> resets = {};
  std::vector<size_t> after = {};
  uint64_t most_cycles = 2'000'000;
  /// May drop a beat that arrives at a node from a side.
  std::function<bool(size_t node, size_t side, const Beat& beat)> swallow = {};
  bool follow = true;
};

struct Outcome {
  std::string why;           ///< empty: all is as it must be
  uint64_t cycles = 0;       ///< until all was quiet
  uint64_t last_result = 0;  ///< cycle in which the last beat of a result was taken
  std::vector<uint32_t> error;
  std::vector<std::vector<uint32_t>> statistics;
  uint64_t results = 0;
  bool silent_hang = false;  ///< the cycles ran out without an error at any node
};

/// Drives one ring from reset until it is quiet.
class Bench {
 public:
  explicit Bench(const Setting& setting) : s_(setting), random_(setting.seed) {
    for (uint32_t i = 0; i < s_.nodes; ++i) {
      const systemc::RingPins pins{.node = static_cast<uint8_t>(i),
                                   .nodes = static_cast<uint8_t>(s_.nodes),
                                   .session = kSession,
                                   .window = s_.window,
                                   .timeout = s_.timeout};
      nodes_.push_back(std::make_unique<BenchNode>(
          s_.build, pins,
          i < s_.resets.size() ? s_.resets[i] : std::vector<RingNodeModel::Reset>{}));
      pointers_.push_back(nodes_.back().get());
      if (s_.swallow) {
        nodes_.back()->swallow = [this, i](size_t side, const Beat& beat) {
          return s_.swallow(i, side, beat);
        };
      }
    }
    std::vector<sim::LinkSpec> links = Circle::links(s_.link, s_.nodes);
    if (s_.links) s_.links(links);
    ring_ = std::make_unique<Circle>(pointers_, links);
    hosts_.resize(s_.nodes);
    const size_t whole = size_t{64} << s_.build.beats_log2;
    const reference::Follower::Session session{.nodes = s_.nodes,
                                               .number = kSession,
                                               .first = s_.build.first,
                                               .window = s_.window,
                                               .most = whole,
                                               .mode = s_.build.subnormal
                                                           ? gw::reference::fp::Subnormal::kIeee
                                                           : gw::reference::fp::Subnormal::kFlush};
    follower_ = std::make_unique<reference::Follower>(session);
    again_ = std::make_unique<reference::Allreduce>(s_.nodes, session.mode);
    wires_.resize(s_.nodes);
  }

  Circle& ring() { return *ring_; }
  const systemc::RingNic& node(size_t i) const { return nodes_[i]->core(); }

  Outcome run() {
    ring_->reset();
    ring_->boot({});
    for (size_t i = 0; i < s_.nodes; ++i) {
      hosts_[i].chunks = s_.chunks;
      counters_.push_back(node(i).counters());
    }
    const uint64_t still = 2 * s_.link.delay + 60;
    uint64_t quiet = 0;
    for (now_ = 0; now_ < s_.most_cycles && out_.why.empty(); ++now_) {
      cycle();
      quiet = all_quiet() ? quiet + 1 : 0;
      if (quiet == still || failed()) break;
    }
    if (failed()) {
      // What was begun ends.
      for (int i = 0; i < 200 && out_.why.empty(); ++i, ++now_) cycle();
    }
    out_.cycles = now_;
    for (size_t i = 0; i < s_.nodes; ++i) {
      const auto statistics = node(i).statistics();
      out_.statistics.emplace_back(statistics.begin(), statistics.end());
      out_.error.push_back(node(i).error());
    }
    if (out_.why.empty()) judge();
    return out_;
  }

  static constexpr uint16_t kSession = 0x5A17;

 private:
  struct Host {
    std::vector<size_t> chunks;  ///< lengths, of this session
    size_t next = 0;             ///< the chunk to send
    Bytes bytes;                 ///< of it
    std::vector<Beat> beats;
    size_t beat = 0;
    bool offering = false;
    std::deque<Bytes> owed;  ///< results
    Bytes taking;
    size_t taken = 0;
    bool second = false;           ///< it has been reset
    double in_at = 0, out_at = 0;  ///< cycles from which it can give and take the next beat
    sim::AxisChecker<Beat> check;
  };
  struct Wire {  ///< what passes by at a node, of frames that have not ended
    std::array<Bytes, 3> leaving, arriving;
    std::array<bool, 3> within{};
  };

  /// When the next beat may move after one that moves now and could have done so at `due`: what is
  /// lost to whole cycles is not lost for good.
  double after(double due, double beat) const {
    const auto now = static_cast<double>(now_);
    return (due > now - 1 ? due : now) + beat;
  }
  bool failed() const {
    for (const auto& node : nodes_) {
      if (node->core().error() != 0) return true;
    }
    return false;
  }
  bool all_quiet() const {
    for (size_t i = 0; i < s_.nodes; ++i) {
      const Host& host = hosts_[i];
      if (host.next < host.chunks.size() || !host.owed.empty() || !node(i).quiet()) return false;
      for (const auto side : {Circle::kLeft, Circle::kRight}) {
        if (ring_->arriving(i, side) != nullptr) return false;
      }
    }
    return true;
  }
  void judge() {
    for (size_t i = 0; i < s_.nodes; ++i) {
      if (out_.error[i] != 0) return complain(i, "error_o = " + std::to_string(out_.error[i]));
    }
    if (now_ == s_.most_cycles) {
      out_.silent_hang = true;
      return complain(0, "the ring hangs");
    }
    for (size_t i = 0; i < s_.nodes; ++i) {
      const systemc::RingNic::Counters c = node(i).counters();
      for (const size_t side : {1, 2}) {
        if (c.link[side].top != c.link[side].acked) complain(i, "not all is acknowledged");
      }
      if (hosts_[i].taken != hosts_[i].chunks.size()) complain(i, "results are missing");
    }
  }
  void complain(size_t node, const std::string& what) {
    if (!out_.why.empty()) return;
    out_.why = "cycle " + std::to_string(now_) + " node " + std::to_string(node) + ": " + what;
  }

  Bytes values(size_t bytes) {
    Bytes out(bytes);
    for (size_t at = 0; at < bytes; at += 4) {
      auto word = static_cast<uint32_t>(random_.next());
      if (s_.ordinary || random_.below(4) != 0) {
        word = (word & 0x807F'FFFF) | (100 + word % 50) << 23;  // of about the same size
      } else if (random_.below(2) == 0) {
        constexpr uint32_t kEdges[] = {0,           0x8000'0000, 1,           0x8000'0001,
                                       0x007F'FFFF, 0x7F80'0000, 0xFF80'0000, 0x7FC0'0001,
                                       0x7F7F'FFFF, 0xFF7F'FFFF, 0x0080'0000, 0x7FA0'0000};
        word = kEdges[random_.below(12)];
      }
      for (size_t i = 0; i < 4; ++i) out[at + i] = static_cast<uint8_t>(word >> 8 * i);
    }
    return out;
  }
  void make_chunk(Host& host) {
    host.bytes = values(host.chunks[host.next]);
    host.beats.clear();
    sim::append_beats(host.beats, host.bytes);
    // What tkeep excludes is not looked at.
    Beat& last = host.beats.back();
    for (size_t lane = host.bytes.size() % 64 / 4; lane < 16 && last.keep != Beat::kWhole; ++lane) {
      last.data[lane] = static_cast<uint32_t>(random_.next());
    }
    host.beat = 0;
  }
  void owe(const std::optional<Bytes>& result, bool second) {
    if (!result) return;
    for (Host& host : hosts_) {
      if (host.second == second) host.owed.push_back(*result);
    }
  }

  void cycle() {
    sim::Offered<RingPorts> offered{};
    uint32_t ready = 0;
    const uint32_t s_ready = ring_->s_ready();
    std::array<bool, RingPorts::kMost> accepted{}, resetting{};
    for (size_t i = 0; i < s_.nodes; ++i) {
      Host& host = hosts_[i];
      resetting[i] = nodes_[i]->resets();
      const bool begins = i >= s_.skew.size() || s_.skew[i] <= now_;
      if (host.next < host.chunks.size() && begins) {
        if (host.beats.empty()) make_chunk(host);
        host.offering |=
            random_.unit() * 100 >= s_.source_stall && host.in_at <= static_cast<double>(now_);
        if (host.offering) offered[i] = &host.beats[host.beat];
      }
      accepted[i] = offered[i] != nullptr && (s_ready >> i & 1) != 0 && !resetting[i];
      const bool takes =
          random_.unit() * 100 >= s_.sink_stall && host.out_at <= static_cast<double>(now_);
      ready |= static_cast<uint32_t>(takes) << i;
      take(i, ring_->m_beat(i), takes && !resetting[i]);
    }
    watch_links(resetting);
    ring_->clock(offered, ready);
    for (size_t i = 0; i < s_.nodes; ++i) {
      if (accepted[i]) accept(i);
      if (resetting[i]) restart(i);
    }
    for (size_t i = 0; i < s_.nodes; ++i) hold_invariants(i, resetting[i]);
  }
  void accept(size_t i) {
    Host& host = hosts_[i];
    host.offering = false;
    host.in_at = after(host.in_at, s_.beat_in);
    if (++host.beat != host.beats.size()) return;
    ++host.next;
    host.beats.clear();
    owe(host.second ? again_->add(i, std::move(host.bytes))
                    : follower_->host(i, std::move(host.bytes)),
        host.second);
  }
  /// The host of a node in reset begins anew.
  void restart(size_t i) {
    Host& host = hosts_[i];
    host = {};
    host.chunks = s_.after;
    host.second = true;
    wires_[i] = {};
    followed_ = false;
  }
  void take(size_t i, const Beat* beat, bool ready) {
    Host& host = hosts_[i];
    const sim::AxisRule rule = host.check.check(beat, ready);
    if (rule != sim::AxisRule::kNone) complain(i, sim::axis_rule_text(rule));
    if (beat == nullptr || !ready) return;
    if (!clean(*beat)) complain(i, "bytes that tkeep excludes are not zero");
    const Bytes bytes = sim::bytes_of(std::span<const Beat>(beat, 1));
    host.taking.insert(host.taking.end(), bytes.begin(), bytes.end());
    host.out_at = after(host.out_at, s_.beat_out);
    out_.last_result = now_;
    if (beat->last == 0) return;
    if (host.owed.empty()) {
      complain(i, "a result that is not owed");
    } else if (host.owed.front() != host.taking) {
      complain(i, "result " + std::to_string(host.taken) + " is wrong");
    } else {
      host.owed.pop_front();
    }
    host.taking.clear();
    ++host.taken;
    ++out_.results;
  }

  void watch_links(const std::array<bool, RingPorts::kMost>& resetting) {
    for (size_t i = 0; i < s_.nodes && followed_ && s_.follow; ++i) {
      if (resetting[i]) return;
      for (const auto side : {Circle::kLeft, Circle::kRight}) {
        const bool right = side == Circle::kRight;
        const Beat* const in = ring_->arriving(i, side);
        if (in != nullptr) {
          append(wires_[i].arriving[side], *in);
          if (in->last != 0) {
            if (in->user == 0) follower_->arrived(i, !right, wires_[i].arriving[side]);
            wires_[i].arriving[side].clear();
          }
        }
        const Beat* const out = ring_->leaving(i, side);
        if (wires_[i].within[side] && out == nullptr) complain(i, "a gap inside a frame");
        if (out == nullptr) continue;
        if (!clean(*out)) complain(i, "bytes that tkeep excludes are not zero");
        append(wires_[i].leaving[side], *out);
        wires_[i].within[side] = out->last == 0;
        if (out->last == 0) continue;
        const std::string wrong = follower_->sent(i, right, wires_[i].leaving[side]);
        if (!wrong.empty())
          complain(i, (right ? "a frame to the right: " : "to the left: ") + wrong);
        wires_[i].leaving[side].clear();
      }
    }
  }
  static bool clean(const Beat& beat) {
    for (auto lane = static_cast<size_t>(valid_bytes(beat)) / 4; lane < 16; ++lane) {
      if (beat.data[lane] != 0) return false;
    }
    return true;
  }
  static void append(Bytes& bytes, const Beat& beat) {
    const Bytes more = sim::bytes_of(std::span<const Beat>(&beat, 1));
    bytes.insert(bytes.end(), more.begin(), more.end());
  }

  /// What the page says never falls, and what is below what.
  void hold_invariants(size_t i, bool reset) {
    using Counters = systemc::RingNic::Counters;
    const Counters now = node(i).counters();
    const Counters was = std::exchange(counters_[i], now);
    if (reset || !s_.follow) return;
    const auto falls = [](uint32_t from, uint32_t to) { return reference::before(to, from); };
    if (falls(was.limit, now.limit)) complain(i, "limit falls");
    if (falls(was.free, now.free)) complain(i, "free falls");
    for (const size_t side : {1, 2}) {
      const auto &a = was.link[side], &b = now.link[side];
      if (falls(a.acked, b.acked)) complain(i, "acked falls");
      if (falls(a.expect, b.expect)) complain(i, "expect falls");
      if (!node(i).there(side)) continue;
      const uint32_t most = side == 1 ? now.limit : b.top;
      if (reference::before(most, b.expect)) complain(i, "expect is beyond what may come");
    }
    const uint32_t right_ready = i == 0 ? now.loaded : now.summed;
    const uint32_t left_ready = i + 1 == s_.nodes ? now.summed : now.link[2].expect;
    if (reference::before(right_ready, now.link[2].next)) complain(i, "next of right > ready");
    if (reference::before(left_ready, now.link[1].next)) complain(i, "next of left > ready");
  }

  Setting s_;
  sim::Random random_;
  std::vector<std::unique_ptr<BenchNode>> nodes_;
  std::vector<BenchNode*> pointers_;
  std::unique_ptr<Circle> ring_;
  std::vector<Host> hosts_;
  std::unique_ptr<reference::Follower> follower_;
  std::unique_ptr<reference::Allreduce> again_;
  std::vector<Wire> wires_;
  bool followed_ = true;
  std::vector<systemc::RingNic::Counters> counters_;
  uint64_t now_ = 0;
  Outcome out_;
};

inline Outcome run(const Setting& setting) { return Bench(setting).run(); }

}  // namespace gw::tests::ring
