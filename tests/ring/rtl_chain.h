// A chain of gw_ring_nic, verilated: hosts, links with delay, loss and corruption, and what each
// beat on the wire must be. The sums are folded by this file, node by node, as C++ adds; nothing of
// the project's model is used.
// SPDX-License-Identifier: Apache-2.0
#ifndef GW_TESTS_RING_RTL_CHAIN_H_
#define GW_TESTS_RING_RTL_CHAIN_H_

#include <Vring.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "verilated.h"

#ifndef GW_FIRST
#define GW_FIRST 0u
#endif

namespace gw::ring {

inline constexpr int kSlots = 1 << GW_SLOTS_LOG2;
inline constexpr int kBeats = 1 << GW_BEATS_LOG2;
inline constexpr int kAddLatency = GW_ADD;
inline constexpr uint32_t kFirst = GW_FIRST;
inline constexpr uint64_t kForever = ~uint64_t{0};
inline constexpr uint64_t kAll = ~uint64_t{0};

/// Set by an assertion of the RTL that fails: its text.
extern std::string assertion;

struct Beat {
  std::array<uint8_t, 64> data{};
  uint64_t keep = ~uint64_t{0};
  bool last = false;
  bool user = false;
};

/// What a link does to a frame.
struct Fault {
  enum class Kind { kNone, kLose, kCorrupt, kChunk, kAck } kind = Kind::kNone;
  uint32_t value = 0;  // kChunk, kAck: what the field becomes; the FCS is bad then
};

struct Header {
  int type = 0;
  int session = 0;
  int addends = 0;
  bool wants = false;
  int bytes = 0;
  uint32_t chunk = 0;
  uint32_t ack = 0;
};

Header parse(const Beat& beat);

/// A run's settings. Links are numbered 2i (from node i to the right) and 2i + 1 (back).
struct Settings {
  int nodes = 2;
  int window = kSlots;
  uint32_t timeout = 200;
  int delay = 10;  // cycles of a link
  int chunks = 4;
  std::function<int(int chunk)> bytes = [](int) { return 64; };
  std::vector<int> skew;  // cycles after reset in which a node's host begins; missing ones are 0
  int source_stall = 0;   // percent of cycles
  int sink_stall = 0;
  int link_stall = 0;
  int loss = 0;  // percent of frames
  int corruption = 0;
  uint64_t sink_from =
      0;  // no host takes results before this cycle; only this one, if there is one:
  int sink_node = -1;
  std::function<Fault(int link, int frame, const Header&, uint64_t cycle)> fault;
  std::function<void(int node, int chunk, std::vector<Beat>&)> spoil;  // what a host sends instead
  uint64_t seed = 1;
  int reset_cycles = 70;
};

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
  uint32_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<uint32_t>(state_ >> 16);
  }
  bool percent(int chance) { return chance > 0 && static_cast<int>(next() % 100) < chance; }
  int below(int limit) { return static_cast<int>(next() % static_cast<uint32_t>(limit)); }

 private:
  uint64_t state_;
};

/// The chain. Time is the contract's: cycle 0 comes after the first edge out of reset.
class Chain {
 public:
  explicit Chain(const Settings& settings);

  void cycle();
  /// Runs until every host has all results, and on until nothing happens for a while. False if that
  /// takes `most` cycles or something is wrong: wrong() says what.
  bool run(uint64_t most);
  void advance(uint64_t cycles);
  /// Resets a node from the next cycle on for so many; its host begins anew.
  void reset(int node, int cycles, int session);

  const std::string& wrong() const { return wrong_; }
  uint64_t now() const { return now_; }
  uint32_t stat(int node, int word) const { return nodes_[node]->top->stat_o[word]; }
  int error(int node) const { return nodes_[node]->top->error_o; }
  bool any_error() const;
  bool results_complete() const;
  int results(int node) const { return nodes_[node]->taken; }
  /// Cycles of beats: of the host's tlast, and of the first header, first payload and first result
  /// beat that left.
  struct Times {
    uint64_t host_tlast = kForever, right_header = kForever, right_payload = kForever,
             left_header = kForever, left_payload = kForever, result = kForever,
             right_control = kForever, result_last = kForever;
  };
  const Times& times(int node) const { return nodes_[node]->times; }
  int frames(int link) const { return static_cast<int>(links_[link].frames); }
  /// Puts a frame on a link by hand; it arrives in the next cycles.
  void inject(int link, const std::vector<Beat>& frame);
  /// Words of a result or of a frame are not looked at from now on.
  void trust() { trusts_ = true; }

 private:
  struct Node {
    std::unique_ptr<Vring> top;
    Times times;
    int sent = 0;  // chunks of which the host has sent all
    std::deque<Beat> pending;
    bool offering = false;
    int taken = 0;  // results
    int words = 0;  // of the result that is being taken
    int reset_left = 0;
    int session = 0;
    uint64_t begins = 0;  // cycle in which the host does
  };
  struct Arrival {
    uint64_t at;
    Beat beat;
  };
  struct Link {
    std::deque<Arrival> way;
    Header header;
    Fault fault;
    bool within = false;
    int beats = 0;  // of payload that have left
    uint64_t frames = 0;
  };

  void fail(const std::string& what);
  std::vector<Beat> packet(int node, int chunk) const;
  void send(int link, Beat beat);
  void check_header(int link, const Beat& beat);
  void check_words(const std::string& where, const Beat& beat, int node, int chunk, int from);
  void clear(int node);

  Settings settings_;
  Random random_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Link> links_;
  uint64_t now_ = 0;
  uint64_t busy_ = 0;  // the last cycle in which a beat left
  bool trusts_ = false;
  std::string wrong_;
};

/// A word of a node's gradient of a chunk, and the sum of nodes 0..node. Another session has other
/// gradients.
uint32_t gradient(int session, int node, int chunk, int word);
uint32_t partial(int session, int node, int chunk, int word);

}  // namespace gw::ring

#endif  // GW_TESTS_RING_RTL_CHAIN_H_
