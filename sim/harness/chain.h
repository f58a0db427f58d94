// Engines made of engines. Their inner ports are compared through the probe: whoever differs inside
// differs in that cycle.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/base/random.h"
#include "sim/harness/engine.h"
#include "sim/harness/pace.h"

namespace gw::sim {

/// A cable between two engines: beats come out `delay` cycles after they went in. What befalls a
/// packet is drawn once, from the seed, so that all engines of a run meet the same faults.
struct LinkSpec {
  uint32_t delay = 0;        ///< cycles; 0: the ports are one, unless there are faults (then as 1)
  uint32_t capacity = 1024;  ///< beats on their way at most; then tready falls
  double loss = 0;           ///< percent of the packets that vanish
  double corrupt = 0;        ///< percent of the packets that arrive with tuser = 1 on tlast
  uint64_t seed = 1;
  /// A MAC's: a packet is taken when the wire is free, and a beat arrives, `delay` cycles late,
  /// when the wire has carried its last byte. None: a beat in each cycle.
  std::optional<Pace> pace = {};
};

/// What befalls one packet after the other on a cable: drawn by the link, and again by the oracle
/// that has to know.
class LinkFaults {
 public:
  enum class Fate : uint8_t { kWhole, kLost, kCorrupt };

  explicit LinkFaults(const LinkSpec& spec)
      : random_(spec.seed), loss_(spec.loss), corrupt_(spec.corrupt) {}
  Fate next() {
    const double draw = random_.unit() * 100;
    return draw < loss_ ? Fate::kLost : draw < loss_ + corrupt_ ? Fate::kCorrupt : Fate::kWhole;
  }

 private:
  Random random_;
  double loss_, corrupt_;
};

template <class Beat>
class Link {
 public:
  explicit Link(const LinkSpec& spec = {}) : spec_(spec), faults_(spec) {
    if (!direct()) way_.resize(size_t{spec.capacity} + 1);
  }

  void reset() {
    head_ = count_ = 0;
    faults_ = LinkFaults(spec_);
    now_ = 0;
    between_packets_ = true;
    wire_free_ = 0;
  }
  /// What the receiver sees in this cycle. It stays where it is over the edge that takes it.
  const Beat* front() const {
    return count_ != 0 && way_[head_].at <= now_ ? &way_[head_].beat : nullptr;
  }
  bool ready() const {
    const bool free = !spec_.pace || !between_packets_ || std::floor(wire_free_) <= now();
    return free && count_ < spec_.capacity;
  }
  /// One edge: `in` was accepted (or nullptr), `taken`: the receiver took front().
  void clock(const Beat* in, bool taken) {
    if (in != nullptr) {
      if (between_packets_) {
        fate_ = faults_.next();
        wire_begin_ = std::max(now(), wire_free_);
        bytes_ = 0;
      }
      between_packets_ = in->last != 0;
      bytes_ += static_cast<uint64_t>(bytes_of_keep(in->keep));
      if (spec_.pace && in->last != 0) wire_free_ = wire_begin_ + spec_.pace->cycles(bytes_);
      if (fate_ != LinkFaults::Fate::kLost) {
        // One more place than beats: the one that is free now is not the one taken last.
        Moving& moving = way_[(head_ + count_) % way_.size()];
        moving.at = std::max(now_, carried()) + spec_.delay;
        moving.beat = *in;
        if (fate_ == LinkFaults::Fate::kCorrupt && in->last != 0) moving.beat.user = 1;
        ++count_;
      }
    }
    if (taken) {
      head_ = (head_ + 1) % way_.size();
      --count_;
    }
    ++now_;
  }
  bool direct() const {
    return spec_.delay == 0 && spec_.loss == 0 && spec_.corrupt == 0 && !spec_.pace;
  }

 private:
  double now() const { return static_cast<double>(now_); }
  /// The cycle in which the wire has carried all bytes of the packet so far.
  uint64_t carried() const {
    if (!spec_.pace) return 0;
    const double cycles_a_byte = spec_.pace->byte_ns() * spec_.pace->clock_mhz * 1e-3;
    return static_cast<uint64_t>(std::ceil(
        wire_begin_ + cycles_a_byte * static_cast<double>(spec_.pace->wire.before + bytes_)));
  }
  struct Moving {
    uint64_t at = 0;
    Beat beat;
  };
  LinkSpec spec_;
  LinkFaults faults_;
  std::vector<Moving> way_;  ///< a ring of places, allocated once
  size_t head_ = 0, count_ = 0;
  uint64_t now_ = 0;
  bool between_packets_ = true;
  LinkFaults::Fate fate_ = LinkFaults::Fate::kWhole;
  double wire_begin_ = 0, wire_free_ = 0;  ///< cycles, of the packet that is being taken
  uint64_t bytes_ = 0;                     ///< of it, so far
};

template <class E>
void skip_engine(E& engine, uint64_t cycles) {
  if constexpr (requires { engine.skip(cycles); }) engine.skip(cycles);
}

/// A's output feeds B's input. A has one output, B one input. P: the ports of the whole, A's inputs
/// and B's outputs by other names; its control ports are A's, then B's.
template <class P, Engine A, Engine B>
class Chain {
 public:
  using Ports = P;
  using Beat = typename P::Beat;
  static_assert(kOutputsOf<typename A::Ports> == 1 && kInputsOf<typename B::Ports> == 1);
  static_assert(kInputsOf<P> == kInputsOf<typename A::Ports> &&
                kOutputsOf<P> == kOutputsOf<typename B::Ports>);
  static_assert(kControlsOf<P> == kControlsOf<typename A::Ports> + kControlsOf<typename B::Ports>,
                "the control ports of a chain are those of the first engine, then the second's");
  static_assert(P::kEvents == 0, "the probe of a whole is a digest: it has no events");

  Chain(A& a, B& b, const LinkSpec& link = {}) : a_(a), b_(b), link_(link) {}

  void reset() {
    a_.reset();
    b_.reset();
    link_.reset();
    coming_.clear();
    b_between_ = true;
    b_begins_ = false;
    released_ = 0;
    release_b({});
  }
  void boot(const Boot& boot) {
    boot_engine(a_, boot);
    boot_engine(b_, boot);
  }
  uint32_t s_ready() const { return a_.s_ready(); }
  const Beat* m_beat(size_t port) const { return b_.m_beat(port); }
  const AxiLiteReply& control(size_t port) const {
    if constexpr (kControlsOfA == kControlsOf<P>) {
      return a_.control(port);
    } else if constexpr (kControlsOfA == 0) {
      return b_.control(port);
    } else {
      return port < kControlsOfA ? a_.control(port) : b_.control(port - kControlsOfA);
    }
  }
  void drive(size_t port, const AxiLiteRequest& request) {
    if constexpr (kControlsOfA == kControlsOf<P>) {
      a_.drive(port, request);
    } else if constexpr (kControlsOfA == 0) {
      b_.drive(port, request);
    } else {
      port < kControlsOfA ? a_.drive(port, request) : b_.drive(port - kControlsOfA, request);
    }
  }
  uint64_t probe() const {
    const uint64_t inner = digest(a_.m_beat(0)) * 3 + b_.s_ready();
    return digest_of(b_.probe(), digest_of(a_.probe(), 0)) * 0x9E3779B97F4A7C15ull + inner;
  }
  void configure(size_t port, const PacketConfig& config) {
    if constexpr (requires { a_.configure(port, config); }) a_.configure(port, config);
    if constexpr (kConfigured) {
      if (!b_config_) coming_.push_back(config);
    }
  }
  void release(size_t port, const PacketConfig& pins) { release_pins(a_, port, pins); }
  void clock(const Offered<P>& offered, uint32_t m_ready) {
    const Beat* const out = a_.m_beat(0);
    if (link_.direct()) {
      const bool taken = (b_.s_ready() & 1) != 0;
      const PacketConfig* const begun = configure_b(out, taken);
      b_.clock({out}, m_ready);
      if (begun != nullptr) release_b(*begun);
      a_.clock(offered, taken);
      return;
    }
    // Everything is read before anything moves.
    const Beat* const in = link_.front();
    const bool taken = in != nullptr && (b_.s_ready() & 1) != 0;
    const bool ready = link_.ready();
    const PacketConfig* const begun = configure_b(in, taken);
    b_.clock({in}, m_ready);
    if (begun != nullptr) release_b(*begun);
    link_.clock(ready ? out : nullptr, taken);
    a_.clock(offered, ready);
  }
  /// The beat that leaves A at the next edge.
  const Beat* passing() const {
    const bool taken = link_.direct() ? (b_.s_ready() & 1) != 0 : link_.ready();
    return taken ? a_.m_beat(0) : nullptr;
  }
  /// A's counters, then B's.
  std::span<const uint32_t> statistics() const {
    statistics_ = statistics_of(a_);
    const std::vector<uint32_t> more = statistics_of(b_);
    statistics_.insert(statistics_.end(), more.begin(), more.end());
    return statistics_;
  }
  /// What both have counted of themselves, if either has.
  template <class Points>
  void add_points(Points& points) const {
    points_of(a_, points);
    points_of(b_, points);
  }
  std::string stopped() const {
    const std::string why = stopped_of(a_);
    return why.empty() ? stopped_of(b_) : why;
  }
  std::optional<uint64_t> missed() const {
    return stopped_of(a_).empty() ? missed_of(b_) : missed_of(a_);
  }
  void skip(uint64_t cycles) {
    skip_engine(a_, cycles);
    skip_engine(b_, cycles);
  }
  /// The first engine has the inputs of the whole, the second its outputs.
  void show(const Cycle<P>& cycle) {
    if constexpr (requires { a_.show({}); }) {
      a_.show({.cycle = cycle.cycle,
               .source_stall = cycle.source_stall,
               .input_packet = cycle.input_packet,
               .other_s_ready = cycle.other_s_ready});
    }
    if constexpr (requires { b_.show({}); }) {
      b_.show({.cycle = cycle.cycle,
               .sink_stall = cycle.sink_stall,
               .output_packet = cycle.output_packet,
               .other_beat = cycle.other_beat});
    }
  }

 protected:
  /// B gets this with each packet, whatever A got with it. Needed where A drops packets.
  void configure_b_always(const PacketConfig& config) { b_config_ = config; }

 private:
  static constexpr bool kConfigured = requires(B & b, const PacketConfig& config) {
    b.configure(0, config);
  };
  static uint64_t digest_of(const auto& probe, uint64_t before) {
    for (const uint64_t word : words_of_probe(probe)) {
      before = before * 0x9E3779B97F4A7C15ull + word;
    }
    return before;
  }
  static constexpr size_t kControlsOfA = kControlsOf<typename A::Ports>;

  /// A packet's configuration goes with its first beat, at B when that is shown there. (A cable
  /// that loses packets needs packets that carry theirs.) Returns it if that beat is taken.
  const PacketConfig* configure_b(const Beat* shown, bool taken) {
    const PacketConfig* begun = nullptr;
    if constexpr (kConfigured) {
      if (shown == nullptr) return nullptr;
      if (b_between_ && (b_config_ || !coming_.empty())) [[unlikely]] {
        if (!b_begins_) {
          begins_ = b_config_ ? *b_config_ : coming_.front();
          b_.configure(0, begins_);
          b_begins_ = true;
        }
        if (taken) {
          if (!b_config_) coming_.pop_front();
          b_begins_ = false;
          begun = &begins_;
        }
      }
      if (taken) b_between_ = shown->last != 0;
    }
    return begun;
  }
  /// B has sampled a packet's pins.
  void release_b(const PacketConfig& config) {
    if constexpr (kConfigured && kPinsGoWithPackets<typename B::Ports>) {
      release_pins(b_, 0, released_pins<typename B::Ports>(config, 0, released_++));
    }
  }

  A& a_;
  B& b_;
  std::deque<PacketConfig> coming_;  ///< of packets on their way to B
  std::optional<PacketConfig> b_config_;
  PacketConfig begins_{};  ///< of the packet that begins at B
  bool b_between_ = true, b_begins_ = false;
  uint64_t released_ = 0;
  Link<Beat> link_;
  mutable std::vector<uint32_t> statistics_;
};

/// N nodes in a circle. A node has inputs {host, left, right} and outputs {host, left, right};
/// right of node i is left of node i + 1. The ring's ports are the hosts'; its control ports are
/// node 0's, then node 1's ...
template <class P, Engine Node, size_t N>
class Ring {
 public:
  using Ports = P;
  using Beat = typename P::Beat;
  static_assert(kInputsOf<P> == N && kOutputsOf<P> == N && N >= 2);
  static_assert(kInputsOf<typename Node::Ports> == 3 && kOutputsOf<typename Node::Ports> == 3);
  static_assert(kControlsOf<P> == N * kControlsOf<typename Node::Ports>,
                "the control ports of a ring are those of its nodes, node by node");
  static_assert(P::kEvents == 0, "the probe of a whole is a digest: it has no events");
  enum Side : size_t { kHost, kLeft, kRight };

  explicit Ring(std::array<Node*, N> nodes, const LinkSpec& link = {}) : nodes_(nodes) {
    for (size_t i = 0; i < N; ++i) {
      LinkSpec spec = link;
      spec.delay = std::max(link.delay, uint32_t{1});  // a cable holds at least one beat
      spec.seed = link.seed * 2 * N + 2 * i;
      to_right_[i] = Link<Beat>(spec);
      ++spec.seed;
      to_left_[i] = Link<Beat>(spec);
    }
  }

  void reset() {
    for (size_t i = 0; i < N; ++i) {
      nodes_[i]->reset();
      to_right_[i].reset();
      to_left_[i].reset();
    }
  }
  void boot(const Boot& boot) {
    for (Node* node : nodes_) boot_engine(*node, boot);
  }
  uint32_t s_ready() const {
    uint32_t ready = 0;
    for (size_t i = 0; i < N; ++i) ready |= (nodes_[i]->s_ready() & 1) << i;
    return ready;
  }
  const Beat* m_beat(size_t port) const { return nodes_[port]->m_beat(kHost); }
  const AxiLiteReply& control(size_t port) const {
    return nodes_[port / kControlsOfNode]->control(port % kControlsOfNode);
  }
  void drive(size_t port, const AxiLiteRequest& request) {
    nodes_[port / kControlsOfNode]->drive(port % kControlsOfNode, request);
  }
  uint64_t probe() const {
    uint64_t hash = 0;
    for (const Node* node : nodes_) {
      hash = (hash ^ node->probe()) * 0x100000001B3ull + node->s_ready();
      hash = hash * 0x9E3779B97F4A7C15ull + digest(node->m_beat(kLeft));
      hash = hash * 0x9E3779B97F4A7C15ull + digest(node->m_beat(kRight));
    }
    return hash;
  }
  void configure(size_t port, const PacketConfig& config) {
    if constexpr (requires { nodes_[port]->configure(0, config); }) {
      nodes_[port]->configure(0, config);
    }
  }
  void release(size_t port, const PacketConfig& pins) { release_pins(*nodes_[port], 0, pins); }
  void clock(const Offered<P>& offered, uint32_t m_ready) {
    // Everything is read before anything moves. to_right_[i] runs from node i to node i + 1.
    std::array<std::array<const Beat*, 3>, N> in;
    std::array<uint32_t, N> ready;
    std::array<const Beat*, N> right_sent, left_sent;
    std::array<bool, N> right_taken, left_taken;
    for (size_t i = 0; i < N; ++i) {
      const size_t before = (i + N - 1) % N, after = (i + 1) % N;
      in[i] = {offered[i], to_right_[before].front(), to_left_[after].front()};
      ready[i] = (m_ready >> i & 1) << kHost | static_cast<uint32_t>(to_left_[i].ready()) << kLeft |
                 static_cast<uint32_t>(to_right_[i].ready()) << kRight;
      right_sent[i] = to_right_[i].ready() ? nodes_[i]->m_beat(kRight) : nullptr;
      left_sent[i] = to_left_[i].ready() ? nodes_[i]->m_beat(kLeft) : nullptr;
      right_taken[before] = in[i][kLeft] != nullptr && (nodes_[i]->s_ready() >> kLeft & 1) != 0;
      left_taken[after] = in[i][kRight] != nullptr && (nodes_[i]->s_ready() >> kRight & 1) != 0;
    }
    // A node keeps what it sends until its own edge, a cable what it showed beyond its own: cables
    // first.
    for (size_t i = 0; i < N; ++i) {
      to_right_[i].clock(right_sent[i], right_taken[i]);
      to_left_[i].clock(left_sent[i], left_taken[i]);
    }
    for (size_t i = 0; i < N; ++i) nodes_[i]->clock(in[i], ready[i]);
  }
  /// Node 0's counters, then node 1's ...
  std::span<const uint32_t> statistics() const {
    statistics_.clear();
    for (const Node* node : nodes_) {
      const std::vector<uint32_t> more = statistics_of(*node);
      statistics_.insert(statistics_.end(), more.begin(), more.end());
    }
    return statistics_;
  }
  std::string stopped() const {
    for (const Node* node : nodes_) {
      if (std::string why = stopped_of(*node); !why.empty()) return why;
    }
    return {};
  }
  void skip(uint64_t cycles) {
    for (Node* node : nodes_) skip_engine(*node, cycles);
  }

 private:
  static constexpr size_t kControlsOfNode = kControlsOf<typename Node::Ports>;

  std::array<Node*, N> nodes_;
  std::array<Link<Beat>, N> to_right_, to_left_;
  mutable std::vector<uint32_t> statistics_;
};

}  // namespace gw::sim
