// SPDX-License-Identifier: Apache-2.0
#include "testbenches/switch/coverage.h"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/reference/lookup/lookup.h"
#include "testbenches/switch/ports.h"

namespace gw::testbenches {
namespace {

namespace expether = reference::expether;
using reference::Aggregation;
using sim::coverage::numbers;
using sim::coverage::StreamTables;
using sim::coverage::Table;
using sim::coverage::Tails;

constexpr size_t kPorts = SwitchPorts::kPorts;
constexpr size_t kMalformed = 4;  // the kinds before it are not
constexpr size_t kKinds = kMalformed + expether::kReasonCount - 1;

std::vector<std::string> kinds() {
  std::vector<std::string> names;
  for (size_t kind = 0; kind < kMalformed; ++kind) {
    names.emplace_back(name_of(static_cast<expether::Kind>(kind)));
  }
  for (size_t reason = 1; reason < expether::kReasonCount; ++reason) {
    names.emplace_back(name_of(static_cast<expether::Reason>(reason)));
  }
  return names;
}

size_t kind_of(const expether::Classified& what) {
  return what.kind == expether::Kind::kMalformed ? kMalformed + static_cast<size_t>(what.reason) - 1
                                                 : static_cast<size_t>(what.kind);
}

std::vector<std::string> actions() {
  std::vector<std::string> names;
  for (size_t action = 0; action < reference::kAggregationCount; ++action) {
    names.emplace_back(name_of(static_cast<Aggregation>(action)));
  }
  return names;
}

/// How many gradient frames ago one had the same sequence number: what the interlocks look at.
class Recent {
 public:
  static constexpr size_t kNever = 4;
  static std::vector<std::string> names() {
    return {"the frame before", "2 before", "3 to 7 before", "8 or more before", "never"};
  }
  size_t seen(uint32_t sequence) {
    ++frames_;
    if (sequence >= last_.size()) return kNever;
    const uint64_t before = std::exchange(last_[sequence], frames_);
    if (before == 0) return kNever;
    const uint64_t ago = frames_ - before;
    return ago == 1 ? 0 : ago == 2 ? 1 : ago < 8 ? 2 : 3;
  }

 private:
  std::vector<uint64_t> last_ = std::vector<uint64_t>(kNetworkDepth);
  uint64_t frames_ = 0;
};

/// What parser, aggregation and optimizer make of one frame after the other.
class Frames {
 public:
  explicit Frames(const reference::Blocks& blocks)
      : blocks_(blocks),
        kinds_("kinds",
               "what a frame is x the port that it came in by x what the one before it was",
               {{"kind", kinds()}, {"port", numbers(0, kPorts - 1)}, {"before", kinds()}}),
        values_("values", "frames with values: kind x how many x TLP",
                {{"kind", {"gradient", "parameter"}},
                 {"values", numbers(1, expether::kMaxValues)},
                 {"tlp", {"MWr32", "CplD", "MWr64"}}}),
        actions_("actions",
                 "what the aggregation did x complete x port x when a frame of the same sequence "
                 "number came last",
                 {{"action", actions()},
                  {"sum", {"open", "complete"}},
                  {"port", numbers(0, kPorts - 1)},
                  {"same sequence", Recent::names()}}),
        optimised_(
            "optimised",
            "frames with new parameters: values x whether an iteration begins x when a frame "
            "of the same sequence number came last",
            {{"values", {"1 to 8", "9 to 16", "17 to 24", "25 to 32"}},
             {"iteration", {"the same", "begins"}},
             {"same sequence", Recent::names()}}) {
    const auto is = [](size_t action, Aggregation what) {
      return action == static_cast<size_t>(what);
    };
    actions_.impossible("only who is added can be the last worker", [&](Table::At at) {
      return at[1] == 1 && !is(at[0], Aggregation::kFirst) && !is(at[0], Aggregation::kAdded);
    });
    actions_.impossible(
        "the slot holds a sum: a frame of this sequence number was there", [&](Table::At at) {
          return at[3] == Recent::kNever &&
                 (is(at[0], Aggregation::kAdded) || is(at[0], Aggregation::kDuplicate) ||
                  is(at[0], Aggregation::kStale));
        });
  }

  struct Frame {
    expether::Classified what;
    size_t port = 0;
    size_t action = reference::kAggregationCount;  ///< what aggregation did with it, if it did
    bool complete = false, optimised = false;
  };
  void count(const Frame& frame) {
    const size_t kind = kind_of(frame.what);
    if (before_) kinds_.hit(kind, frame.port, *before_);
    before_ = kind;
    const expether::Fields& f = frame.what.fields;
    if (frame.what.carries_values()) {
      const auto tlp = static_cast<expether::Tlp>(f.tlp_type);
      values_.hit(frame.what.kind == expether::Kind::kGradient ? 0 : 1, f.count - 1,
                  tlp == expether::Tlp::kMWr32  ? 0
                  : tlp == expether::Tlp::kCplD ? 1
                                                : 2);
    }
    if (frame.what.kind != expether::Kind::kGradient) return;
    const size_t ago = recent_.seen(f.sequence);
    if (frame.action != reference::kAggregationCount) {
      actions_.hit(frame.action, frame.complete, frame.port, ago);
    }
    if (!frame.optimised) return;
    optimised_.hit((f.count - 1) / 8, iteration_ != f.iteration, ago);
    iteration_ = f.iteration;
  }
  void add_to(std::vector<const Table*>& all) const {
    all.insert(all.end(), {&kinds_, &values_});
    if (blocks_.aggregation) all.push_back(&actions_);
    if (blocks_.optimization) all.push_back(&optimised_);
  }

 private:
  const reference::Blocks blocks_;
  Table kinds_, values_, actions_, optimised_;
  Recent recent_;
  std::optional<size_t> before_;
  std::optional<uint32_t> iteration_;
};

/// Parser, aggregator, optimizer: what leaves says in its tuser what was done.
class OneStream final : public sim::coverage::Family<Beat> {
 public:
  OneStream(const reference::Blocks& blocks, bool hosted)
      : frames_(blocks), parser_alone_(!blocks.aggregation && !blocks.optimization && !hosted) {}

  void shape(StreamTables& tables) const override {
    if (!parser_alone_) return;
    tables.handshakes[0].impossible(
        "64 beats are held when ready falls: the first one's frame has had its sixth, and a "
        "verdict",
        [](Table::At at) { return sim::coverage::full(at) && sim::coverage::empty(at); });
  }

  void left(const sim::Passage&, const sim::Packet<Beat>& packet) override {
    const std::array<uint32_t, 6>& meta = packet.beats.front().meta;
    // As it came in: its values and type may be others by now.
    Frames::Frame frame{.what = expether::classify(sim::bytes_of(*packet.source)),
                        .port = meta[4] >> 20 & 3};
    if (const uint32_t action = meta[4] >> 16 & 7; action != 0) {
      frame.action = action - 1;
    }
    frame.complete = (meta[0] >> 6 & 1) != 0;
    frame.optimised = (meta[4] >> 19 & 1) != 0;
    frames_.count(frame);
  }
  std::vector<const Table*> tables() const override {
    std::vector<const Table*> all;
    frames_.add_to(all);
    return all;
  }

 private:
  Frames frames_;
  bool parser_alone_;
};

/// The switch: its events say in which order frames pass, and which do not.
class FourPorts final : public sim::coverage::Family<Beat> {
 public:
  FourPorts(const reference::Blocks& blocks, const NetworkSpec& net)
      : frames_(blocks),
        aggregator_({.workers = net.workers,
                     .group = net.group,
                     .depth = net.depth,
                     .subnormal = net.subnormal}),
        routes_("routes", "what a frame is x the port that it came in by x where it goes",
                {{"kind", kinds()},
                 {"port", numbers(0, kPorts - 1)},
                 {"to", {"port 0", "port 1", "port 2", "port 3", "flooded", "filtered"}}}),
        queues_("queues", "a queue's decision on a frame x the frames that wait in it",
                {{"queue", {"rx0", "rx1", "rx2", "rx3", "tx0", "tx1", "tx2", "tx3"}},
                 {"decision", {"committed", "dropped"}},
                 {"waiting", {"none", "1", "2", "3 and more"}}}),
        drops_("drops", "why an RX queue drops a frame x port x what becomes of the next one there",
               {{"why", {"too short", "too long", "in error", "no room"}},
                {"port", numbers(0, kPorts - 1)},
                {"next", {"committed", "dropped"}}}),
        turns_("turns", "the port that is served x the one before x how many have a frame",
               {{"port", numbers(0, kPorts - 1)},
                {"before", numbers(0, kPorts - 1)},
                {"waiting", numbers(1, kPorts)}}) {
    queues_.impossible("a TX queue without a frame has room for the longest one",
                       [](Table::At at) { return at[0] >= kPorts && at[1] == 1 && at[2] == 0; });
    routes_.impossible("what would go back to where it came from is filtered",
                       [](Table::At at) { return at[1] == at[2]; });
  }

  void shape(StreamTables& tables) const override {
    for (Table& t : tables.packets_in) {
      t.impossible("an RX queue is always ready", [](Table::At at) { return at[2] == 1; });
    }
    for (Table& t : tables.packets_out) {
      t.impossible("frames of fewer than 60 bytes are dropped",
                   [](Table::At at) { return at[0] == 0 || (at[0] == 1 && at[1] + 1 < 28); });
    }
    for (Table& t : tables.spacing_out) {
      t.impossible("frames of fewer than 60 bytes are dropped",
                   [](Table::At at) { return at[1] == 0 || at[2] == 0; });
    }
    for (Table& t : tables.handshakes) {
      t.impossible("an RX queue is always ready", sim::coverage::full);
    }
  }

  void arrived(size_t port, const sim::PacketRef<Beat>& packet) override {
    rx_[port].entering.push_back(packet);
  }
  void decided(uint64_t events) override {
    for (size_t p = 0; p < kPorts; ++p) {
      const bool in = event::rx_committed(events, p), out = event::rx_dropped(events, p);
      if (in || out) rx_decides(p, in);
      const bool tx_in = event::tx_committed(events, p), tx_out = event::tx_dropped(events, p);
      if (tx_in || tx_out) {
        queues_.hit(kPorts + p, tx_out, std::min<uint64_t>(tx_waiting_[p], 3));
        tx_waiting_[p] += tx_in;
      }
    }
    if ((events & event::kServed) != 0) serves(event::served_port(events));
  }
  void left(const sim::Passage& passage, const sim::Packet<Beat>&) override {
    --tx_waiting_[passage.out];
  }
  std::vector<const Table*> tables() const override {
    std::vector<const Table*> all;
    frames_.add_to(all);
    all.insert(all.end(), {&routes_, &queues_, &drops_, &turns_});
    return all;
  }

 private:
  struct Rx {
    std::deque<sim::PacketRef<Beat>> entering, waiting;
    std::optional<size_t> dropped;  ///< why the last one was
  };
  static constexpr size_t kFlooded = 4, kFiltered = 5;
  enum Why : size_t { kShort, kLong, kInError, kNoRoom };

  void rx_decides(size_t p, bool committed) {
    Rx& rx = rx_[p];
    if (rx.entering.empty()) return;  // the oracle complains
    queues_.hit(p, !committed, std::min<size_t>(rx.waiting.size(), 3));
    if (rx.dropped) drops_.hit(*rx.dropped, p, !committed);
    const sim::PacketRef<Beat> packet = std::move(rx.entering.front());
    rx.entering.pop_front();
    rx.dropped.reset();
    if (committed) {
      rx.waiting.push_back(packet);
      return;
    }
    const uint64_t bytes = packet->bytes();
    rx.dropped = bytes < expether::kMinFrameBytes   ? kShort
                 : bytes > expether::kMaxFrameBytes ? kLong
                 : packet->beats.back().user != 0   ? kInError
                                                    : kNoRoom;
  }

  void serves(size_t p) {
    Rx& rx = rx_[p];
    if (rx.waiting.empty()) return;  // the oracle complains
    const auto waiting =
        std::ranges::count_if(rx_, [](const Rx& port) { return !port.waiting.empty(); });
    if (served_) turns_.hit(p, *served_, static_cast<size_t>(waiting - 1));
    served_ = p;
    std::vector<uint8_t> bytes = sim::bytes_of(*rx.waiting.front());
    rx.waiting.pop_front();
    Frames::Frame frame{.what = expether::classify(bytes), .port = p};
    const unsigned mask = lookup_.route(bytes, static_cast<int>(p));
    size_t to = kFlooded;
    if (mask == 0) {
      to = kFiltered;
    } else if (std::has_single_bit(mask)) {
      to = static_cast<size_t>(std::countr_zero(mask));
    }
    routes_.hit(kind_of(frame.what), p, to);
    if (frame.what.kind == expether::Kind::kGradient) {
      const auto outcome = aggregator_.accept_frame(bytes).outcome;
      frame.action = static_cast<size_t>(outcome.action);
      frame.complete = outcome.complete;
      frame.optimised = outcome.complete && frame.what.fields.sequence < kNetworkDepth;
    }
    frames_.count(frame);
  }

  Frames frames_;
  reference::Aggregator aggregator_;
  reference::Lookup lookup_;
  Table routes_, queues_, drops_, turns_;
  std::array<Rx, kPorts> rx_;
  std::array<uint64_t, kPorts> tx_waiting_{};
  std::optional<size_t> served_;
};

}  // namespace

std::unique_ptr<sim::coverage::Family<Beat>> frame_coverage(const reference::Blocks& blocks,
                                                            const NetworkSpec& net, bool hosted) {
  if (blocks.lookup) return std::make_unique<FourPorts>(blocks, net);
  return std::make_unique<OneStream>(blocks, hosted);
}

}  // namespace gw::testbenches
