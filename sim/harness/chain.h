// Engines made of engines. Their inner ports are compared through the probe: whoever differs inside
// differs in that cycle.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "sim/base/random.h"
#include "sim/harness/engine.h"

namespace gw::sim {

/// A cable between two engines: beats come out `delay` cycles after they went in. What befalls a
/// packet is drawn once, from the seed, so that all engines of a run meet the same faults.
struct LinkSpec {
  uint32_t delay = 0;        ///< cycles; 0: the ports are one
  uint32_t capacity = 1024;  ///< beats on their way at most; then tready falls
  double loss = 0;           ///< percent of the packets that vanish
  double corrupt = 0;        ///< percent of the packets that arrive with tuser = 1 on tlast
  uint64_t seed = 1;
};

template <class Beat>
class Link {
 public:
  explicit Link(const LinkSpec& spec = {}) : spec_(spec), random_(spec.seed) {}

  void reset() {
    way_.clear();
    random_ = Random(spec_.seed);
    now_ = 0;
    fate_ = Fate::kUndrawn;
  }
  /// What the receiver sees in this cycle.
  const Beat* front() const {
    return !way_.empty() && way_.front().at <= now_ ? &way_.front().beat : nullptr;
  }
  bool ready() const { return way_.size() < spec_.capacity; }
  /// One edge: `in` was accepted (or nullptr), `taken`: the receiver took front().
  void clock(const Beat* in, bool taken) {
    if (taken) way_.pop_front();
    if (in != nullptr) {
      if (fate_ == Fate::kUndrawn) {
        const double draw = random_.unit() * 100;
        fate_ = draw < spec_.loss                   ? Fate::kLost
                : draw < spec_.loss + spec_.corrupt ? Fate::kCorrupt
                                                    : Fate::kWhole;
      }
      if (fate_ != Fate::kLost) {
        way_.push_back({now_ + spec_.delay, *in});
        if (fate_ == Fate::kCorrupt && in->last != 0) way_.back().beat.user = 1;
      }
      if (in->last != 0) fate_ = Fate::kUndrawn;
    }
    ++now_;
  }
  bool direct() const { return spec_.delay == 0 && spec_.loss == 0 && spec_.corrupt == 0; }

 private:
  enum class Fate : uint8_t { kUndrawn, kWhole, kLost, kCorrupt };
  struct Moving {
    uint64_t at;
    Beat beat;
  };
  LinkSpec spec_;
  Random random_;
  std::deque<Moving> way_;
  uint64_t now_ = 0;
  Fate fate_ = Fate::kUndrawn;
};

/// A's output feeds B's input. A has one output, B one input. P: the ports of the whole, A's inputs
/// and B's outputs by other names.
template <class P, Engine A, Engine B>
class Chain {
 public:
  using Ports = P;
  using Beat = typename P::Beat;
  static_assert(kOutputsOf<typename A::Ports> == 1 && kInputsOf<typename B::Ports> == 1);
  static_assert(kInputsOf<P> == kInputsOf<typename A::Ports> &&
                kOutputsOf<P> == kOutputsOf<typename B::Ports>);

  Chain(A& a, B& b, const LinkSpec& link = {}) : a_(a), b_(b), link_(link) {}

  void reset() {
    a_.reset();
    b_.reset();
    link_.reset();
  }
  void boot(const Boot& boot) {
    boot_engine(a_, boot);
    boot_engine(b_, boot);
  }
  uint32_t s_ready() const { return a_.s_ready(); }
  const Beat* m_beat(size_t port) const { return b_.m_beat(port); }
  uint64_t probe() const {
    const uint64_t inner = digest(a_.m_beat(0)) * 3 + b_.s_ready();
    return (a_.probe() * 0x9E3779B97F4A7C15ull + b_.probe()) * 0x9E3779B97F4A7C15ull + inner;
  }
  void configure(size_t port, const PacketConfig& config) {
    if constexpr (requires { a_.configure(port, config); }) a_.configure(port, config);
    if constexpr (requires { b_.configure(port, config); }) b_.configure(port, config);
  }
  void clock(const Offered<P>& offered, uint32_t m_ready) {
    const Beat* const out = a_.m_beat(0);
    if (link_.direct()) {
      const bool taken = (b_.s_ready() & 1) != 0;
      b_.clock({out}, m_ready);
      a_.clock(offered, taken);
      return;
    }
    const Beat* const in = link_.front();
    const bool taken = in != nullptr && (b_.s_ready() & 1) != 0;
    const bool accepted = out != nullptr && link_.ready();
    b_.clock({in}, m_ready);
    link_.clock(accepted ? out : nullptr, taken);
    a_.clock(offered, accepted || link_.ready());
  }
  void skip(uint64_t cycles) {
    if constexpr (requires { a_.skip(cycles); }) a_.skip(cycles);
    if constexpr (requires { b_.skip(cycles); }) b_.skip(cycles);
  }
  void show(const Cycle<P>& cycle) {
    if constexpr (requires { a_.show(cycle); }) a_.show(cycle);
    if constexpr (requires { b_.show(cycle); }) b_.show(cycle);
  }
  std::string stopped() const {
    std::string why;
    if constexpr (requires { a_.stopped(); }) why = a_.stopped();
    if constexpr (requires { b_.stopped(); }) why += b_.stopped();
    return why;
  }

 private:
  A& a_;
  B& b_;
  Link<Beat> link_;
};

/// N nodes in a circle. A node has inputs {host, left, right} and outputs {host, left, right}; right
/// of node i is left of node i + 1. The ring's ports are the hosts'.
template <class P, Engine Node, size_t N>
class Ring {
 public:
  using Ports = P;
  using Beat = typename P::Beat;
  static_assert(kInputsOf<P> == N && kOutputsOf<P> == N && N >= 2);
  static_assert(kInputsOf<typename Node::Ports> == 3 && kOutputsOf<typename Node::Ports> == 3);
  enum Side : size_t { kHost, kLeft, kRight };

  explicit Ring(std::array<Node*, N> nodes, const LinkSpec& link = {}) : nodes_(nodes) {
    for (size_t i = 0; i < N; ++i) {
      LinkSpec spec = link;
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
  uint32_t s_ready() const {
    uint32_t ready = 0;
    for (size_t i = 0; i < N; ++i) ready |= (nodes_[i]->s_ready() & 1) << i;
    return ready;
  }
  const Beat* m_beat(size_t port) const { return nodes_[port]->m_beat(kHost); }
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
  void clock(const Offered<P>& offered, uint32_t m_ready) {
    // Everything is read before anything moves. to_right_[i] runs from node i to node i + 1.
    std::array<std::array<const Beat*, 3>, N> in;
    std::array<uint32_t, N> ready;
    std::array<const Beat*, N> right_sent, left_sent;
    std::array<bool, N> right_taken, left_taken;
    for (size_t i = 0; i < N; ++i) {
      const size_t before = (i + N - 1) % N, after = (i + 1) % N;
      in[i] = {offered[i], to_right_[before].front(), to_left_[after].front()};
      ready[i] = (m_ready >> i & 1) << kHost |
                 static_cast<uint32_t>(to_left_[i].ready()) << kLeft |
                 static_cast<uint32_t>(to_right_[i].ready()) << kRight;
      right_sent[i] = to_right_[i].ready() ? nodes_[i]->m_beat(kRight) : nullptr;
      left_sent[i] = to_left_[i].ready() ? nodes_[i]->m_beat(kLeft) : nullptr;
      right_taken[before] = in[i][kLeft] != nullptr && (nodes_[i]->s_ready() >> kLeft & 1) != 0;
      left_taken[after] = in[i][kRight] != nullptr && (nodes_[i]->s_ready() >> kRight & 1) != 0;
    }
    // A link keeps what it shows until its own edge, a node what it sends until its own: the cables
    // copy first, and the nodes are shown copies of what the cables held.
    std::array<std::array<Beat, 3>, N> held;
    for (size_t i = 0; i < N; ++i) {
      for (const size_t side : {kLeft, kRight}) {
        if (in[i][side] == nullptr) continue;
        held[i][side] = *in[i][side];
        in[i][side] = &held[i][side];
      }
    }
    for (size_t i = 0; i < N; ++i) {
      to_right_[i].clock(right_sent[i], right_taken[i]);
      to_left_[i].clock(left_sent[i], left_taken[i]);
    }
    for (size_t i = 0; i < N; ++i) nodes_[i]->clock(in[i], ready[i]);
  }

 private:
  std::array<Node*, N> nodes_;
  std::array<Link<Beat>, N> to_right_, to_left_;
};

}  // namespace gw::sim
