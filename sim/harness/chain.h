// Engines made of engines. Their inner ports are compared through the probe: whoever differs inside
// differs in that cycle. A ring says then which of its nodes shows what.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <stdexcept>
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
  bool scramble = false;     ///< and with other bits here and there
  uint64_t seed = 1;
  /// Cycles in which what begins vanishes, the last one not included.
  struct Dead {
    uint64_t from = 0, to = UINT64_MAX;
  };
  std::vector<Dead> dead = {};
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
  explicit Link(const LinkSpec& spec = {})
      : spec_(spec), faults_(spec), scramble_(spec.seed, "scramble") {
    if (!direct()) way_.resize(size_t{spec.capacity} + 1);
  }

  void reset() {
    head_ = count_ = 0;
    faults_ = LinkFaults(spec_);
    scramble_ = Random(spec_.seed, "scramble");
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
        if (dead()) fate_ = LinkFaults::Fate::kLost;
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
        if (fate_ == LinkFaults::Fate::kCorrupt) [[unlikely]] {
          if (in->last != 0) moving.beat.user = 1;
          if (spec_.scramble) scramble(moving.beat);
        }
        ++count_;
      }
    }
    if (taken) {
      head_ = (head_ + 1) % way_.size();
      --count_;
    }
    ++now_;
  }
  /// The sender is gone, after the clock that took its last beat: a packet that it had begun ends
  /// here, in error.
  void cut() {
    if (between_packets_) return;
    between_packets_ = true;
    if (fate_ == LinkFaults::Fate::kLost) return;
    Moving& moving = way_[(head_ + count_) % way_.size()];
    moving.at = std::max(now_, carried()) + spec_.delay;
    moving.beat = {};
    moving.beat.last = moving.beat.user = 1;
    ++count_;
  }
  bool direct() const {
    return spec_.delay == 0 && spec_.loss == 0 && spec_.corrupt == 0 && !spec_.pace &&
           spec_.dead.empty();
  }

 private:
  double now() const { return static_cast<double>(now_); }
  bool dead() const {
    return std::any_of(spec_.dead.begin(), spec_.dead.end(), [this](const LinkSpec::Dead& when) {
      return when.from <= now_ && now_ < when.to;
    });
  }
  /// Flips a bit of every other beat.
  void scramble(Beat& beat) {
    const auto bits = static_cast<uint32_t>(32 * beat.data.size());
    const uint32_t bit = scramble_.below(2 * bits);
    if (bit < bits) beat.data[bit / 32] ^= 1u << bit % 32;
  }
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
  Random scramble_;
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

/// Nodes in a circle, at run time 2 to as many as P has ports. A node has inputs {host, left,
/// right} and outputs {host, left, right}; right of node i is left of node i + 1. The ring's ports
/// are the hosts'; its control ports are node 0's, then node 1's ... Ports of nodes that are not
/// there show and take nothing. A node that says by resets() that the next edge resets it breaks
/// off what it sends.
template <class P, Engine Node>
class Ring {
 public:
  using Ports = P;
  using Beat = typename P::Beat;
  using NodePorts = typename Node::Ports;
  static constexpr size_t kMost = kInputsOf<P>;
  static_assert(kOutputsOf<P> == kMost && kMost >= 2);
  static_assert(kInputsOf<NodePorts> == 3 && kOutputsOf<NodePorts> == 3);
  static_assert(kControlsOf<P> == kMost * kControlsOf<NodePorts>,
                "the control ports of a ring are those of its nodes, node by node");
  static_assert(P::kEvents == 0, "the probe of a whole is a digest: it has no events");
  enum Side : size_t { kHost, kLeft, kRight };

  /// All links alike, each with a seed of its own.
  explicit Ring(std::span<Node* const> nodes, const LinkSpec& link = {})
      : Ring(nodes, links(link, nodes.size())) {}
  /// Entry 2 i is the link from node i to the right, 2 i + 1 the one to the left.
  Ring(std::span<Node* const> nodes, std::span<const LinkSpec> links)
      : nodes_(nodes.begin(), nodes.end()), past_(kPast) {
    if (nodes.size() < 2 || nodes.size() > kMost || links.size() != 2 * nodes.size()) {
      throw std::logic_error("a ring has 2 nodes to as many as its ports, and two links a node");
    }
    for (size_t i = 0; i < nodes.size(); ++i) {
      to_right_[i] = Link<Beat>(links[2 * i]);
      to_left_[i] = Link<Beat>(links[2 * i + 1]);
    }
    for (Moment& moment : past_) moment.node.resize(nodes.size());
  }
  static std::vector<LinkSpec> links(const LinkSpec& link, size_t nodes) {
    std::vector<LinkSpec> all(2 * nodes, link);
    for (size_t l = 0; l < all.size(); ++l) {
      all[l].delay = std::max(link.delay, uint32_t{1});  // a cable holds at least one beat
      all[l].seed = link.seed * 2 * nodes + l;
    }
    return all;
  }

  size_t nodes() const { return nodes_.size(); }
  Node& node(size_t i) { return *nodes_[i]; }
  const Node& node(size_t i) const { return *nodes_[i]; }

  void reset() {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      nodes_[i]->reset();
      to_right_[i].reset();
      to_left_[i].reset();
    }
    now_ = 0;
  }
  void boot(const Boot& boot) {
    for (Node* node : nodes_) boot_engine(*node, boot);
  }
  uint32_t s_ready() const {
    uint32_t ready = 0;
    for (size_t i = 0; i < nodes_.size(); ++i) ready |= (nodes_[i]->s_ready() & 1) << i;
    return ready;
  }
  const Beat* m_beat(size_t port) const {
    return port < nodes_.size() ? nodes_[port]->m_beat(kHost) : nullptr;
  }
  const AxiLiteReply& control(size_t port) const {
    static constexpr AxiLiteReply kSilence{};
    const size_t node = port / kControlsOfNode;
    return node < nodes_.size() ? nodes_[node]->control(port % kControlsOfNode) : kSilence;
  }
  void drive(size_t port, const AxiLiteRequest& request) {
    const size_t node = port / kControlsOfNode;
    if (node < nodes_.size()) nodes_[node]->drive(port % kControlsOfNode, request);
  }
  uint64_t probe() const {
    uint64_t hash = 0;
    for (const Node* node : nodes_) {
      hash = digest_of(node->probe(), hash) * 0x100000001B3ull + node->s_ready();
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
  /// The beat that leaves a node at the next edge, by kLeft or kRight; nullptr: none.
  const Beat* leaving(size_t i, Side side) const {
    const Link<Beat>& link = side == kRight ? to_right_[i] : to_left_[i];
    return link.ready() ? nodes_[i]->m_beat(side) : nullptr;
  }
  /// The beat that a link shows to a node in this cycle; nullptr: none.
  const Beat* arriving(size_t i, Side side) const {
    const size_t n = nodes_.size();
    return side == kLeft ? to_right_[(i + n - 1) % n].front() : to_left_[(i + 1) % n].front();
  }
  void clock(const Offered<P>& offered, uint32_t m_ready) {
    // Everything is read before anything moves. to_right_[i] runs from node i to node i + 1.
    const size_t n = nodes_.size();
    std::array<std::array<const Beat*, 3>, kMost> in;
    std::array<uint32_t, kMost> ready;
    std::array<const Beat*, kMost> right_sent, left_sent;
    std::array<bool, kMost> right_taken, left_taken;
    Moment& moment = past_[now_++ % kPast];
    for (size_t i = 0; i < n; ++i) {
      const size_t before = (i + n - 1) % n, after = (i + 1) % n;
      const uint32_t taking = nodes_[i]->s_ready();
      in[i] = {offered[i], to_right_[before].front(), to_left_[after].front()};
      ready[i] = (m_ready >> i & 1) << kHost | static_cast<uint32_t>(to_left_[i].ready()) << kLeft |
                 static_cast<uint32_t>(to_right_[i].ready()) << kRight;
      right_sent[i] = leaving(i, kRight);
      left_sent[i] = leaving(i, kLeft);
      right_taken[before] = in[i][kLeft] != nullptr && (taking >> kLeft & 1) != 0;
      left_taken[after] = in[i][kRight] != nullptr && (taking >> kRight & 1) != 0;
      note(moment.node[i], *nodes_[i]);
    }
    // A node keeps what it sends until its own edge, a cable what it showed beyond its own: cables
    // first.
    for (size_t i = 0; i < n; ++i) {
      to_right_[i].clock(right_sent[i], right_taken[i]);
      to_left_[i].clock(left_sent[i], left_taken[i]);
      if constexpr (requires { nodes_[i]->resets(); }) {
        if (!nodes_[i]->resets()) continue;
        to_right_[i].cut();
        to_left_[i].cut();
      }
    }
    for (size_t i = 0; i < n; ++i) nodes_[i]->clock(in[i], ready[i]);
  }
  /// What its nodes showed to each other in this cycle, or up to 64 cycles ago.
  std::vector<Inner<Beat>> inner(uint64_t ago) const {
    std::vector<Inner<Beat>> all;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      NodeMoment now;
      if (ago == 0) note(now, *nodes_[i]);
      const NodeMoment& then = ago == 0 ? now : past_[(now_ - ago) % kPast].node[i];
      const std::string name = "node" + std::to_string(i);
      for (const Side side : {kLeft, kRight}) {
        all.push_back({.port = name + '.' + std::string(NodePorts::kOutputs[side].name),
                       .shown = then.shown[side],
                       .beat = then.beat[side]});
      }
      for (const Side side : {kLeft, kRight}) {
        all.push_back({.port = name + '.' + std::string(NodePorts::kInputs[side].name),
                       .signal = "tready",
                       .value = std::to_string(then.s_ready >> side & 1)});
      }
      add_probe(name, then.probe, all);
    }
    return all;
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
  std::optional<uint64_t> missed() const {
    for (const Node* node : nodes_) {
      if (!stopped_of(*node).empty()) return missed_of(*node);
    }
    return {};
  }
  void skip(uint64_t cycles) {
    for (Node* node : nodes_) skip_engine(*node, cycles);
  }

 private:
  static constexpr size_t kControlsOfNode = std::max<size_t>(1, kControlsOf<NodePorts>);
  static constexpr size_t kPast = 65;  ///< cycles; the loop asks at most a window back

  /// What a node showed in a cycle.
  struct NodeMoment {
    std::array<bool, 3> shown{};
    std::array<Beat, 3> beat;
    uint32_t s_ready = 0;
    Probe<NodePorts> probe{};
  };
  struct Moment {
    std::vector<NodeMoment> node;
  };
  static void note(NodeMoment& moment, const Node& node) {
    for (const Side side : {kLeft, kRight}) {
      const Beat* const beat = node.m_beat(side);
      moment.shown[side] = beat != nullptr;
      if (beat != nullptr) moment.beat[side] = *beat;
    }
    moment.s_ready = node.s_ready();
    moment.probe = node.probe();
  }
  static void add_probe(const std::string& name, const Probe<NodePorts>& probe,
                        std::vector<Inner<Beat>>& all) {
    if constexpr (requires { NodePorts::kPinsOfProbe; }) {
      size_t lsb = 0;
      for (const Pin& pin : NodePorts::kPinsOfProbe) {
        const auto bits = static_cast<size_t>(pin.bits);
        all.push_back({.port = name,
                       .signal = word_name(pin),
                       .value = hex_of_bits(words_of_probe(probe), lsb, bits)});
        lsb += bits;
      }
    } else {
      std::string words;
      for (const uint64_t word : words_of_probe(probe)) words += ' ' + std::to_string(word);
      all.push_back({.port = name, .signal = "probe", .value = words.substr(1)});
    }
  }

  std::vector<Node*> nodes_;
  std::array<Link<Beat>, kMost> to_right_, to_left_;
  std::vector<Moment> past_;
  uint64_t now_ = 0;
  mutable std::vector<uint32_t> statistics_;
};

}  // namespace gw::sim
