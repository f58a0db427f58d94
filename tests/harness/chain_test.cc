// Engines made of engines: chains and rings, with cables that delay, lose and corrupt, and what is
// found within them.
// SPDX-License-Identifier: Apache-2.0
#include "sim/harness/chain.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/harness/toys.h"

namespace gw::sim::toys::chain_test {
namespace {

using Ports = StreamPorts<>;
using Toy = Equipped<Passthrough<>>;

/// Two passthroughs and a cable; `bend` may change what the first of them shows to the second.
class Pair {
 public:
  explicit Pair(const LinkSpec& link = {}, Bent<Toy>::Bend bend = nullptr, uint64_t from = 0)
      : first(std::move(bend), from), chain(first, second, link) {}
  Bent<Toy> first;
  Toy second;
  Chain<Ports, Bent<Toy>, Toy> chain;
};

/// Knows what befalls packets on the cable, drawn again.
class CableOracle final : public QueueOracle<gw::Beat> {
 public:
  explicit CableOracle(const LinkSpec& link = {}) : QueueOracle(1), faults_(link) {}
  void arrives(size_t, const PacketRef<gw::Beat>& packet) override {
    const LinkFaults::Fate fate = faults_.next();
    ++fates[static_cast<size_t>(fate)];
    if (fate == LinkFaults::Fate::kLost) return;
    PacketRef<gw::Beat> out = make_packet<gw::Beat>();
    out->beats = packet->beats;
    if (fate == LinkFaults::Fate::kCorrupt) out->beats.back().user = 1;
    out->source = packet;
    owe(0, std::move(out));
  }
  std::array<uint64_t, 3> fates{};

 private:
  LinkFaults faults_;
};

TEST(Chain, EachEngineTakesACycleAndTheCableItsDelay) {
  for (const uint32_t delay : {0, 1, 2, 17, 100}) {
    Random random(1);
    PreparedFeed<gw::Beat> feed;
    for (const size_t bytes : {100, 33, 1}) feed.add(0, irregular_packet<gw::Beat>(random, bytes));
    Pair a({.delay = delay}), b({.delay = delay});
    CableOracle oracle;
    const Result r = run(a.chain, b.chain, feed, oracle);
    ASSERT_TRUE(r.passed) << explain(r.failure);
    // 100 bytes are four beats, 33 are two: packets begin in cycles 0, 4 and 6.
    const std::vector<uint64_t> begins = {0, 4, 6};
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(r.timeline.rows[i].accepted, begins[i]);
      EXPECT_EQ(r.timeline.rows[i].offered, begins[i] + 2 + delay) << delay;
    }
  }
}

// Between MACs: 12.5 bytes a cycle at 10 Gb/s and 100 MHz, 24 more for each packet.
TEST(Chain, AMacTakesAPacketWhenTheWireIsFree) {
  Random random(1);
  PreparedFeed<gw::Beat> feed;
  for (const size_t bytes : {100, 33, 1}) feed.add(0, irregular_packet<gw::Beat>(random, bytes));
  const LinkSpec link{.delay = 10, .pace = Pace{100, ethernet(10)}};
  Pair a(link), b(link);
  CableOracle oracle;
  const Result r = run(a.chain, b.chain, feed, oracle);
  ASSERT_TRUE(r.passed) << explain(r.failure);
  // The first begins when the passthrough shows it, in cycle 1; the next 124 bytes later, and the
  // last 57 behind that. A beat is there a cycle after its last byte and the preamble.
  const std::vector<double> begins = {1, 1 + 124 / 12.5, 1 + (124 + 57) / 12.5};
  const std::vector<double> first_beat = {32, 32, 1};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(r.timeline.rows[i].offered,
              static_cast<uint64_t>(std::ceil(begins[i] + (8 + first_beat[i]) / 12.5)) + 10 + 1)
        << i;
  }
}

TEST(Chain, ACableWithLittleRoomLosesNothing) {
  for (const uint32_t capacity : {1, 2, 3, 7}) {
    for (const char* stall : {"none", "sink:50", "both:50", "sink:90"}) {
      const LinkSpec link{.delay = 5, .capacity = capacity};
      auto feed = irregular_feed<gw::Beat>(2, 60);
      Pair a(link), b(link);
      CableOracle oracle;
      const Result r = run(a.chain, b.chain, feed, oracle, stalled(stall));
      ASSERT_TRUE(r.passed) << capacity << " " << stall << ": " << explain(r.failure);
      // The cable holds `capacity` beats for at least five cycles each.
      const uint64_t beats = r.timeline.out[0].beats;
      EXPECT_GE(r.timeline.out[0].last, (beats - 1) / capacity * 5);
    }
  }
}

TEST(Chain, FaultsBefallBothEnginesAndTheOracleAlike) {
  for (const uint64_t seed : {1, 2, 3}) {
    for (const uint32_t delay : {0, 9}) {
      const LinkSpec link{.delay = delay, .loss = 20, .corrupt = 30, .seed = seed};
      auto feed = irregular_feed<gw::Beat>(3, 400);
      Pair a(link), b(link);
      CableOracle oracle(link);
      const Result r = run(a.chain, b.chain, feed, oracle, stalled("both:40", seed));
      ASSERT_TRUE(r.passed) << explain(r.failure);
      EXPECT_EQ(r.timeline.out[0].packets, 400 - oracle.fates[1]);
      EXPECT_NEAR(static_cast<double>(oracle.fates[1]), 80, 30);
      EXPECT_NEAR(static_cast<double>(oracle.fates[2]), 120, 35);
    }
  }
}

TEST(Chain, ADeadCableLosesWhatBeginsMeanwhile) {
  Random random(1);
  PreparedFeed<gw::Beat> feed;
  for (int i = 0; i < 10; ++i) feed.add(0, irregular_packet<gw::Beat>(random, 64));
  // Two beats each, back to back: the third begins at the cable in cycle 5, the sixth in 11.
  const LinkSpec link{.dead = {{.from = 5, .to = 11}, {.from = 19}}};
  Passthrough<> first, second;
  Chain<Ports, Passthrough<>, Passthrough<>> chain(first, second, link);
  chain.reset();
  std::vector<size_t> arrived;
  size_t packet = 0, beat = 0;
  for (int cycle = 0; cycle < 60; ++cycle) {
    if (const gw::Beat* const out = chain.m_beat(0); out != nullptr && out->last != 0) {
      for (size_t i = 0; i < 10; ++i) {
        if (feed.packets(0)[i]->beats.back().data == out->data) arrived.push_back(i);
      }
    }
    const gw::Beat* const in = packet < 10 ? &feed.packets(0)[packet]->beats[beat] : nullptr;
    const bool taken = in != nullptr && chain.s_ready() != 0;
    chain.clock({in}, 1);
    if (taken && ++beat == 2) ++packet, beat = 0;
  }
  EXPECT_EQ(arrived, (std::vector<size_t>{0, 1, 5, 6, 7, 8}));
}

TEST(Chain, ACorruptPacketMayHaveOtherBits) {
  for (const bool scramble : {false, true}) {
    const LinkSpec link{.delay = 2, .corrupt = 50, .scramble = scramble};
    Link<gw::Beat> cable(link);
    uint64_t corrupt = 0, changed = 0;
    for (int i = 0; i < 2000; ++i) {
      gw::Beat beat;
      beat.last = 1;
      const gw::Beat* const out = cable.front();
      if (out != nullptr) {
        corrupt += out->user;
        changed += out->data != beat.data;
        EXPECT_TRUE(out->user != 0 || out->data == beat.data);
      }
      cable.clock(&beat, out != nullptr);
    }
    EXPECT_NEAR(static_cast<double>(corrupt), 1000, 150);
    EXPECT_NEAR(static_cast<double>(changed), scramble ? 500 : 0, 100);
  }
}

TEST(Chain, AnotherSeedMeetsOtherFaults) {
  const auto run_with = [](uint64_t seed_a, uint64_t seed_b, uint64_t seed) {
    const auto link = [](uint64_t s) { return LinkSpec{.delay = 3, .loss = 30, .seed = s}; };
    auto feed = irregular_feed<gw::Beat>(4, 50);
    Pair a(link(seed_a)), b(link(seed_b));
    CableOracle oracle(link(seed));
    return run(a.chain, b.chain, feed, oracle);
  };
  EXPECT_TRUE(run_with(1, 1, 1).passed);
  EXPECT_EQ(run_with(1, 2, 1).failure.kind, FailureKind::kLockstep);
  EXPECT_EQ(run_with(1, 1, 2).failure.kind, FailureKind::kReference);
}

TEST(Chain, ADivergenceWithinIsFoundInItsCycle) {
  // Every signal between the two engines, long before it could be seen outside.
  struct Row {
    const char* name;
    std::function<bool(Toy&)> bend;
  };
  const auto shown = [](auto act) {
    return [act](Toy& t) { return t.showing ? (act(t.shown), true) : false; };
  };
  const std::vector<Row> rows = {
      {"tvalid", [](Toy& t) { return t.showing = !t.showing, true; }},
      {"tdata", shown([](gw::Beat& b) { b.data[0] ^= 1; })},
      {"top of tdata", shown([](gw::Beat& b) { b.data[7] ^= 1u << 31; })},
      {"tkeep", shown([](gw::Beat& b) { b.keep ^= 1u << 31; })},
      {"tlast", shown([](gw::Beat& b) { b.last ^= 1; })},
      {"tuser", shown([](gw::Beat& b) { b.user ^= 1; })},
      {"meta", shown([](gw::Beat& b) { b.meta[5] ^= 1u << 31; })},
      {"probe", [](Toy& t) { return t.side ^= uint64_t{1} << 63, true; }}};
  for (const Row& row : rows) {
    for (const uint32_t delay : {0, 50}) {
      const LinkSpec link{.delay = delay};
      auto feed = irregular_feed<gw::Beat>(5, 100);
      Pair a(link), b(link, row.bend, 90);
      CableOracle oracle;
      const Result r = run(a.chain, b.chain, feed, oracle, stalled("source:20"));
      EXPECT_EQ(r.failure.kind, FailureKind::kLockstep) << row.name;
      EXPECT_EQ(r.failure.port, "probe") << row.name;
      EXPECT_EQ(r.failure.cycle, b.first.bent_at) << row.name;
    }
  }
}

TEST(Chain, EveryBitOfAnInnerBeatCounts) {
  Random random(6);
  gw::Beat beat;
  for (uint32_t& word : beat.data) word = static_cast<uint32_t>(random.next());
  for (uint32_t& word : beat.meta) word = static_cast<uint32_t>(random.next());
  const uint64_t whole = digest(&beat);
  EXPECT_NE(whole, digest<gw::Beat>(nullptr));
  const auto differs = [&](auto& word, int bit) {
    using Word = std::remove_reference_t<decltype(word)>;
    word = static_cast<Word>(word ^ static_cast<Word>(Word{1} << bit));
    EXPECT_NE(digest(&beat), whole);
    word = static_cast<Word>(word ^ static_cast<Word>(Word{1} << bit));
  };
  for (int bit = 0; bit < 32; ++bit) {
    for (uint32_t& word : beat.data) differs(word, bit);
    for (uint32_t& word : beat.meta) differs(word, bit);
    differs(beat.keep, bit);
  }
  differs(beat.last, 0);
  differs(beat.user, 0);
}

TEST(Chain, CountersOfBothEnginesFollowOneAnother) {
  auto feed = irregular_feed<gw::Beat>(7, 20);
  const uint32_t beats = static_cast<uint32_t>(beats_of(feed));
  for (const size_t wrong : {6u, 0u, 4u}) {  // 6: none
    feed.rewind();
    Pair a, b;
    CableOracle oracle;
    if (wrong < 3) b.first = Bent<Toy>([=](Toy& t) { return ++t.counters[wrong], true; }, 5);
    const Result r = [&] {
      if (wrong != 4) return run(a.chain, b.chain, feed, oracle);
      // Of the second engine: it misses one.
      Lockstep lockstep(a.chain, b.chain, feed, oracle, Drive{}, "rtl", "model");
      lockstep.reset();
      lockstep.advance(20);
      --b.second.counters[1];
      while (lockstep.advance(64)) {
      }
      return Result{lockstep.passed(), lockstep.failure(), lockstep.timeline()};
    }();
    EXPECT_EQ(r.passed, wrong == 6);
    if (wrong == 6) {
      const auto words = a.chain.statistics();
      EXPECT_EQ(std::vector<uint32_t>(words.begin(), words.end()),
                (std::vector<uint32_t>{20, beats, 0, 20, beats, 0}));
    } else {
      EXPECT_EQ(r.failure.port, "stat");
      EXPECT_EQ(r.failure.signal, "word " + std::to_string(wrong));
    }
  }
}

TEST(Chain, AnEngineWithinThatStopsSaysWhy) {
  auto feed = irregular_feed<gw::Beat>(8, 50);
  Pair a, b(
              {}, [](Toy&t) { return t.why = "$fatal", true; }, 20);
  CableOracle oracle;
  const Result r = run(a.chain, b.chain, feed, oracle);
  EXPECT_EQ(r.failure.kind, FailureKind::kStopped);
  EXPECT_EQ(r.failure.engine_a, "model");
  EXPECT_EQ(r.failure.text, "$fatal");
}

// ---- A ring.

/// A node adds its number to what passes: word 0 collects the sum, word 1 the nodes in
/// their order, word 2 is where it came from, word 3 says which way round. Once round, the packet
/// goes to its host.
struct NodePorts {
  using Beat = gw::Beat;
  static constexpr std::array<Port, 3> kInputs = {{{.name = "s_host", .bundle = "s_host"},
                                                   {.name = "s_left", .bundle = "s_left"},
                                                   {.name = "s_right", .bundle = "s_right"}}};
  static constexpr std::array<Port, 3> kOutputs = {{{.name = "m_host", .bundle = "m_host"},
                                                    {.name = "m_left", .bundle = "m_left"},
                                                    {.name = "m_right", .bundle = "m_right"}}};
};

constexpr size_t kNodes = 4;
constexpr uint32_t kSums[kNodes] = {3, 50, 700, 9000};  // what each adds

class Node {
 public:
  using Ports = NodePorts;
  enum Side : size_t { kHost, kLeft, kRight };
  explicit Node(uint32_t number) : number_(number) {}
  void reset() {
    for (auto& c : collecting_) c.clear();
    for (auto& q : queue) q.clear();
    ready_ = 0;
  }
  uint32_t s_ready() const { return ready_; }
  const gw::Beat* m_beat(size_t p) const { return queue[p].empty() ? nullptr : &queue[p].front(); }
  uint64_t probe() const { return 0; }
  void clock(const Offered<NodePorts>& offered, uint32_t m_ready) {
    for (size_t p = 0; p < 3; ++p) {
      if (!queue[p].empty() && (m_ready >> p & 1) != 0) queue[p].pop_front();
    }
    for (size_t p = 0; p < 3; ++p) {
      if (offered[p] == nullptr || (ready_ >> p & 1) == 0) continue;
      collecting_[p].push_back(*offered[p]);
      if (offered[p]->last != 0) pass(p);
    }
    // The host waits while the ring is busy.
    const bool room = queue[kLeft].size() + queue[kRight].size() < 16;
    ready_ = (1u << kLeft) | (1u << kRight) | static_cast<uint32_t>(room) << kHost;
  }
  std::array<std::deque<gw::Beat>, 3> queue;

 private:
  void pass(size_t from) {
    std::vector<gw::Beat>& packet = collecting_[from];
    std::array<uint32_t, 8>& head = packet[0].data;
    head[0] += kSums[number_];
    if (from == kHost) {
      head[1] = number_;
      head[2] = number_;
    } else {
      head[1] = 8 * head[1] + number_;
    }
    const bool home = from != kHost && head[2] == number_;
    const size_t to = home ? kHost : (head[3] & 1) != 0 ? kLeft : kRight;
    queue[to].insert(queue[to].end(), packet.begin(), packet.end());
    packet.clear();
  }
  uint32_t number_;
  std::array<std::vector<gw::Beat>, 3> collecting_;
  uint32_t ready_ = 0;
};

struct RingPorts {
  using Beat = gw::Beat;
  static constexpr std::array<Port, kNodes> kInputs =
      flat_ports<kNodes>({"s_axis0", "s_axis1", "s_axis2", "s_axis3"}, "s_axis", 1);
  static constexpr std::array<Port, kNodes> kOutputs =
      flat_ports<kNodes>({"m_axis0", "m_axis1", "m_axis2", "m_axis3"}, "m_axis", 1);
  static constexpr uint64_t kEvents = 0, kSettles = 0;
};

template <class N>
class Four {
 public:
  explicit Four(const LinkSpec& link) : ring(std::array{&n[0], &n[1], &n[2], &n[3]}, link) {}
  std::array<N, kNodes> n = {N(Node(0)), N(Node(1)), N(Node(2)), N(Node(3))};
  Ring<RingPorts, N> ring;
};
using FourNodes = Four<Bent<Node>>;

/// The host's own node counts twice: on the way out and on the way home.
PacketRef<gw::Beat> once_round(const PacketRef<gw::Beat>& packet, uint32_t from) {
  PacketRef<gw::Beat> out = make_packet<gw::Beat>();
  out->beats = packet->beats;
  out->source = packet;
  std::array<uint32_t, 8>& head = out->beats[0].data;
  for (const uint32_t sum : kSums) head[0] += sum;
  head[0] += kSums[from];
  const uint32_t step = (head[3] & 1) != 0 ? kNodes - 1 : 1;
  head[1] = from;
  for (uint32_t hop = 1; hop <= kNodes; ++hop) {
    head[1] = 8 * head[1] + (from + hop * step) % kNodes;
  }
  head[2] = from;
  return out;
}

class RingOracle final : public QueueOracle<gw::Beat> {
 public:
  RingOracle() : QueueOracle(kNodes) {}
  void arrives(size_t port, const PacketRef<gw::Beat>& packet) override {
    owe(port, once_round(packet, static_cast<uint32_t>(port)));
  }
};

/// One way round for each host, so that its packets come home in their order.
PreparedFeed<gw::Beat> ring_feed(uint64_t seed, size_t packets,
                                 const std::array<bool, kNodes>& left) {
  Random random(seed);
  PreparedFeed<gw::Beat> feed;
  for (size_t i = 0; i < packets; ++i) {
    const size_t host = random.below(kNodes);
    auto packet = irregular_packet<gw::Beat>(random, 16 + random.below(100));
    packet->beats[0].data[3] = (packet->beats[0].data[3] & ~1u) | static_cast<uint32_t>(left[host]);
    feed.add(host, packet);
  }
  return feed;
}

TEST(Ring, OnceRoundTakesAHopAndACableEachTime) {
  for (const uint32_t delay : {1, 2, 30}) {
    for (const bool left : {false, true}) {
      for (const size_t host : {0, 2}) {
        Random random(9);
        PreparedFeed<gw::Beat> feed;
        auto packet = irregular_packet<gw::Beat>(random, 30);
        packet->beats[0].data[3] = left;
        feed.add(host, packet);
        FourNodes a({.delay = delay}), b({.delay = delay});
        RingOracle oracle;
        const Result r = run(a.ring, b.ring, feed, oracle);
        ASSERT_TRUE(r.passed) << explain(r.failure);
        ASSERT_EQ(r.timeline.rows.size(), 1u);
        EXPECT_EQ(r.timeline.rows[0].in, host);
        EXPECT_EQ(r.timeline.rows[0].out, host);
        // A node takes a cycle, of which there are five visits; a cable its delay, four times.
        EXPECT_EQ(r.timeline.rows[0].offered, (kNodes + 1) * 1 + kNodes * delay);
      }
    }
  }
}

TEST(Ring, FourHostsAtOnceUnderStalls) {
  for (const char* stall : {"none", "source:40", "sink:40", "both:60"}) {
    for (const uint64_t seed : {1, 2, 3, 4, 5}) {
      // Seeds 4 and 5: all the same way, so that cables are full.
      auto feed = ring_feed(seed, 300,
                            {seed == 1 || seed == 4, seed == 2 || seed == 4, seed != 5, seed == 4});
      const LinkSpec link{.delay = static_cast<uint32_t>(seed), .capacity = 4};
      FourNodes a(link), b(link);
      RingOracle oracle;
      const Result r = run(a.ring, b.ring, feed, oracle, stalled(stall, seed));
      ASSERT_TRUE(r.passed) << stall << " " << seed << ": " << explain(r.failure);
      EXPECT_EQ(r.timeline.packets_out(), 300u);
    }
  }
}

/// Takes nothing from its cables in some cycles: of left and of right in others.
class HesitantNode : public Node {
 public:
  explicit HesitantNode(const Node& node) : Node(node) {}
  void reset() {
    Node::reset();
    cycle_ = 0;
  }
  uint32_t s_ready() const { return Node::s_ready() & ~refused(); }
  void clock(const Offered<NodePorts>& offered, uint32_t m_ready) {
    Offered<NodePorts> taken = offered;
    for (size_t p = 0; p < 3; ++p) {
      if ((refused() >> p & 1) != 0) taken[p] = nullptr;
    }
    Node::clock(taken, m_ready);
    ++cycle_;
  }

 private:
  uint32_t refused() const {
    const uint32_t left = cycle_ % 3 == 0;
    const uint32_t right = cycle_ % 5 < 2;
    return left << kLeft | right << kRight;
  }
  uint64_t cycle_ = 0;
};

TEST(Ring, ABeatStaysOnItsCableUntilTheNodeIsReady) {
  for (const char* stall : {"none", "both:40"}) {
    auto feed = ring_feed(7, 300, {true, false, false, true});
    const LinkSpec link{.delay = 2, .capacity = 4};
    Four<HesitantNode> a(link), b(link);
    RingOracle oracle;
    const Result r = run(a.ring, b.ring, feed, oracle, stalled(stall));
    ASSERT_TRUE(r.passed) << stall << ": " << explain(r.failure);
    EXPECT_EQ(r.timeline.packets_out(), 300u);
  }
}

TEST(Ring, ADivergenceOnAnyCableIsFoundInItsCycle) {
  for (size_t node = 0; node < kNodes; ++node) {
    for (const size_t side : {Node::kLeft, Node::kRight}) {
      auto feed = ring_feed(4, 300, {true, false, true, false});
      FourNodes a({.delay = 20}), b({.delay = 20});
      const auto bend = [side](Node& n) {
        if (n.queue[side].empty()) return false;
        n.queue[side].front().data[5] ^= 1u << 13;
        return true;
      };
      Bent<Node>& bent = b.n[node];
      bent = Bent<Node>(Node(static_cast<uint32_t>(node)), bend, 70);
      RingOracle oracle;
      const Result r = run(a.ring, b.ring, feed, oracle);
      const std::string port =
          "node" + std::to_string(node) + (side == Node::kLeft ? ".m_left" : ".m_right");
      EXPECT_EQ(r.failure.kind, FailureKind::kLockstep) << node << " " << side;
      EXPECT_EQ(r.failure.port, port);
      EXPECT_EQ(r.failure.signal, "tdata");
      EXPECT_NE(r.failure.value_a, r.failure.value_b);
      EXPECT_EQ(r.failure.cycle, bent.bent_at);
      // Both beats, whole.
      size_t told = 0;
      for (const std::string& line : r.failure.lines) {
        told += line.find(" shows at " + port + ": tlast ") != std::string::npos;
      }
      EXPECT_EQ(told, 2u) << explain(r.failure);
    }
  }
}

TEST(Ring, ABeatThatOnlyOneNodeShowsIsNamed) {
  for (const size_t node : {0, 3}) {
    auto feed = ring_feed(4, 300, {true, false, true, false});
    FourNodes a({.delay = 20}), b({.delay = 20});
    b.n[node] = Bent<Node>(
        Node(static_cast<uint32_t>(node)),
        [](Node& n) {
          if (n.queue[Node::kRight].size() != 1) return false;
          n.queue[Node::kRight].clear();
          return true;
        },
        70);
    RingOracle oracle;
    const Result r = run(a.ring, b.ring, feed, oracle);
    EXPECT_EQ(r.failure.port, "node" + std::to_string(node) + ".m_right") << explain(r.failure);
    EXPECT_EQ(r.failure.signal, "tvalid");
    EXPECT_EQ(r.failure.value_a, "1");
    EXPECT_EQ(r.failure.value_b, "0");
    EXPECT_EQ(r.failure.cycle, b.n[node].bent_at);
  }
}

// One instantiation, as many nodes as a run asks for: the hosts of the others take nothing.
TEST(Ring, HasAsManyNodesAsTheRunAsksFor) {
  for (const size_t nodes : {2, 3, 4}) {
    std::array<Node, kNodes> all = {Node(0), Node(1), Node(2), Node(3)};
    std::vector<Node*> some;
    for (size_t i = 0; i < nodes; ++i) some.push_back(&all[i]);
    Ring<RingPorts, Node> ring(some, LinkSpec{.delay = 3});
    ring.reset();
    ring.clock({}, 0);
    EXPECT_EQ(ring.s_ready(), (1u << nodes) - 1);
    // From the last node to the right is to node 0: home after as many hops as there are nodes.
    gw::Beat beat;
    beat.last = 1;
    Offered<RingPorts> offered{};
    offered[nodes - 1] = &beat;
    ring.clock(offered, 0xF);
    uint64_t cycles = 0;
    while (ring.m_beat(nodes - 1) == nullptr && cycles < 100) {
      for (size_t i = 0; i < kNodes; ++i) ASSERT_TRUE(i == nodes - 1 || ring.m_beat(i) == nullptr);
      ring.clock({}, 0xF);
      ++cycles;
    }
    EXPECT_EQ(cycles, nodes * 4);  // a cycle a node, three a cable
  }
  std::array<Node, 2> two = {Node(0), Node(1)};
  EXPECT_THROW((Ring<RingPorts, Node>(std::array{&two[0]})), std::logic_error);
}

TEST(Ring, ANodeThatForgetsToAddIsFoundByTheReference) {
  auto feed = ring_feed(5, 300, {false, false, true, true});
  FourNodes a({.delay = 3}), b({.delay = 3});
  for (FourNodes* nodes : {&a, &b}) {
    nodes->n[2] = Bent<Node>(
        Node(2),
        [](Node& n) {
          // What it sends right by itself: undone.
          if (n.queue[Node::kRight].size() != 1) return false;
          n.queue[Node::kRight].front().data[0] -= kSums[2];
          return true;
        },
        50);
  }
  RingOracle oracle;
  const Result r = run(a.ring, b.ring, feed, oracle);
  EXPECT_EQ(r.failure.kind, FailureKind::kReference) << explain(r.failure);
  EXPECT_EQ(r.failure.signal, "tdata");
}

/// Hears of writes.
class BootedNode : public Node {
 public:
  using Node::Node;
  void write(uint32_t address, uint32_t data) { heard.emplace_back(address, data); }
  std::vector<std::pair<uint32_t, uint32_t>> heard;
};

TEST(Ring, EveryNodeIsBooted) {
  std::array<BootedNode, kNodes> nodes = {BootedNode(0), BootedNode(1), BootedNode(2),
                                          BootedNode(3)};
  Ring<RingPorts, BootedNode> ring(std::array{&nodes[0], &nodes[1], &nodes[2], &nodes[3]});
  auto feed = ring_feed(6, 20, {});
  RingOracle oracle;
  Drive drive;
  drive.boot.writes = {{1, 2}, {3, 4}};
  EXPECT_TRUE(run_alone(ring, feed, oracle, drive).passed);
  for (const BootedNode& node : nodes) EXPECT_EQ(node.heard.size(), 2u);
}

/// Hears how packets of its ports are configured.
class ConfiguredNode : public Node {
 public:
  using Node::Node;
  void configure(size_t port, const PacketConfig& config) { heard.emplace_back(port, config); }
  std::vector<std::pair<size_t, PacketConfig>> heard;
};

TEST(Ring, AHostsPacketIsConfiguredAtItsNodesPortOfHosts) {
  std::array<ConfiguredNode, kNodes> nodes = {ConfiguredNode(0), ConfiguredNode(1),
                                              ConfiguredNode(2), ConfiguredNode(3)};
  Ring<RingPorts, ConfiguredNode> ring(std::array{&nodes[0], &nodes[1], &nodes[2], &nodes[3]});
  for (size_t host = 0; host < kNodes; ++host) ring.configure(host, {10, 1, 2, 3});
  using Heard = std::vector<std::pair<size_t, PacketConfig>>;
  for (const ConfiguredNode& node : nodes) {
    EXPECT_EQ(node.heard, (Heard{{ConfiguredNode::kHost, {10, 1, 2, 3}}}));
  }
}

}  // namespace
}  // namespace gw::sim::toys::chain_test
