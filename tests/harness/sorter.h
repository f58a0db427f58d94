// A toy with everything that a stream has not: two ports in, three out, packets that are dropped,
// merged, multiplied and reordered, and a service order that only its events tell.
//
// The first byte of a packet says what becomes of it:
//   0  dropped
//   1  leaves by port 0
//   2  leaves by ports 0 and 1
//   3  two of them, of whatever port, leave by port 2 as one
//   4  leaves by port 0, served before the others of its port
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "sim/harness/engine.h"
#include "sim/harness/oracle.h"

namespace gw::sim::toys {

enum Kind : uint8_t { kDropped, kSingle, kDouble, kHalf, kUrgent, kKinds };

struct SorterPorts {
  using Beat = gw::Beat;
  static constexpr std::array<Port, 2> kInputs =
      flat_ports<2>({"s_axis0", "s_axis1"}, "s_axis", 192);
  static constexpr std::array<Port, 3> kOutputs =
      flat_ports<3>({"m_axis0", "m_axis1", "m_axis2"}, "m_axis", 192);
  /// Bits 0 and 1: a packet was served, of which port; 2 + p: port p took a packet; 4 + p: dropped
  /// one. Beyond them, bit 8: whose turn is next.
  static constexpr uint64_t kEvents = 0x3F;
  static constexpr uint64_t kSettles = 0;
};

constexpr uint64_t served(int port) { return 1u | static_cast<uint64_t>(port) << 1; }
constexpr uint64_t committed(size_t port) { return uint64_t{4} << port; }
constexpr uint64_t dropped(size_t port) { return uint64_t{16} << port; }

class Sorter {
 public:
  using Ports = SorterPorts;
  using Beats = std::vector<gw::Beat>;

  void reset() {
    ready = 0;
    events = 0;
    turn = 0;
    counters = {0, 0, 0, 0};
    half.clear();
    for (auto& c : collecting) c.clear();
    for (auto& w : waiting) w.clear();
    for (Out& o : out) o = {};
  }
  uint32_t s_ready() const { return ready; }
  const gw::Beat* m_beat(size_t p) const { return out[p].showing ? &out[p].shown : nullptr; }
  uint64_t probe() const { return events | static_cast<uint64_t>(turn) << 8; }
  std::span<const uint32_t> statistics() const { return counters; }
  void clock(const Offered<Ports>& offered, uint32_t m_ready) {
    events = 0;
    serve();
    for (size_t p = 0; p < 3; ++p) out[p].clock((m_ready >> p & 1) != 0);
    for (size_t p = 0; p < 2; ++p) {
      if (offered[p] != nullptr && (ready >> p & 1) != 0) accept(p, *offered[p]);
    }
    for (size_t p = 0; p < 2; ++p) {
      ready = (ready & ~(1u << p)) | static_cast<uint32_t>(waiting[p].size() < kRoom) << p;
    }
  }

  struct Out {
    std::deque<gw::Beat> queue;
    gw::Beat shown;
    bool showing = false;
    bool fresh = false;  ///< was not shown in the cycle before
    void clock(bool m_ready) {
      fresh = !showing || m_ready;
      if (!fresh) return;
      showing = !queue.empty();
      if (!showing) return;
      shown = queue.front();
      queue.pop_front();
    }
    void send(const Beats& beats) { queue.insert(queue.end(), beats.begin(), beats.end()); }
  };
  std::array<Out, 3> out;
  std::array<Beats, 2> collecting;
  std::array<std::deque<Beats>, 2> waiting;  ///< committed, not served
  Beats half;                                ///< the first of two to be merged
  uint64_t events = 0;
  uint32_t ready = 0;
  int turn = 0;
  /// Packets taken, dropped, merged; cycles in which one waited.
  std::vector<uint32_t> counters = {0, 0, 0, 0};

 private:
  static constexpr size_t kRoom = 4;

  void serve() {
    const bool any = !waiting[0].empty() || !waiting[1].empty();
    counters[3] += any;
    if (!any) return;
    const int port = waiting[static_cast<size_t>(turn)].empty() ? 1 - turn : turn;
    auto& queue = waiting[static_cast<size_t>(port)];
    const Beats beats = std::move(queue.front());
    queue.pop_front();
    events |= served(port);
    turn = 1 - port;
    const auto kind = static_cast<uint8_t>(beats[0].data[0]);
    if (kind == kHalf && half.empty()) {
      half = beats;
    } else if (kind == kHalf) {
      std::vector<uint8_t> bytes = bytes_of(std::span<const gw::Beat>(half));
      const std::vector<uint8_t> more = bytes_of(std::span<const gw::Beat>(beats));
      bytes.insert(bytes.end(), more.begin(), more.end());
      Beats merged;
      append_beats(merged, bytes, false, beats[0].meta);
      out[2].send(merged);
      half.clear();
      ++counters[2];
    } else {
      out[0].send(beats);
      if (kind == kDouble) out[1].send(beats);
    }
  }

  void accept(size_t p, const gw::Beat& beat) {
    collecting[p].push_back(beat);
    if (beat.last == 0) return;
    const auto kind = static_cast<uint8_t>(collecting[p][0].data[0]);
    const bool drop = kind == kDropped;
    events |= drop ? dropped(p) : committed(p);
    ++counters[drop ? 1 : 0];
    if (kind == kUrgent) {
      waiting[p].push_front(std::move(collecting[p]));
    } else if (!drop) {
      waiting[p].push_back(std::move(collecting[p]));
    }
    collecting[p].clear();
  }
};

/// Follows the events; works on bytes, one packet at a time.
class SorterOracle : public QueueOracle<gw::Beat> {
 public:
  using Ref = PacketRef<gw::Beat>;
  SorterOracle() : QueueOracle(3) {}

  void arrives(size_t port, const Ref& packet) override { arrived_[port].push_back(packet); }

  std::string decides(uint64_t events) override {
    if ((events & 1) != 0) {
      auto& queue = committed_[events >> 1 & 1];
      if (queue.empty()) return "a packet served, none committed";
      const Ref packet = queue.front();
      queue.pop_front();
      serve(packet);
    }
    for (size_t p = 0; p < 2; ++p) {
      const bool takes = (events & committed(p)) != 0, drops = (events & dropped(p)) != 0;
      if (!takes && !drops) continue;
      if (takes && drops) return "a packet both taken and dropped, one or the other";
      if (arrived_[p].empty()) return "a packet decided, none arrived";
      const Ref packet = arrived_[p].front();
      arrived_[p].pop_front();
      const uint8_t kind = bytes_of(*packet)[0];
      if (drops != (kind == kDropped)) return "a packet of the wrong kind dropped";
      ++counters[drops ? 1 : 0];
      if (kind == kUrgent) {
        committed_[p].push_front(packet);
      } else if (takes) {
        committed_[p].push_back(packet);
      }
    }
    return {};
  }

  bool quiet() const override {
    for (size_t p = 0; p < 2; ++p) {
      if (!arrived_[p].empty() || !committed_[p].empty()) return false;
    }
    return QueueOracle::quiet();
  }

  std::vector<std::optional<uint32_t>> statistics() const override {
    return {counters[0], counters[1], counters[2], std::nullopt};
  }

  std::array<uint32_t, 3> counters{};

 private:
  void serve(const Ref& packet) {
    const std::vector<uint8_t> bytes = bytes_of(*packet);
    const bool error = packet->beats.back().user != 0;
    switch (bytes[0]) {
      case kDouble:
        leave(1, bytes, error, packet);
        [[fallthrough]];
      case kSingle:
      case kUrgent:
        leave(0, bytes, error, packet);
        break;
      case kHalf:
        if (half_.empty()) {
          half_ = bytes;
          break;
        }
        half_.insert(half_.end(), bytes.begin(), bytes.end());
        leave(2, half_, false, packet);
        half_.clear();
        ++counters[2];
        break;
      default:
        break;
    }
  }
  void leave(size_t port, std::span<const uint8_t> bytes, bool error, const Ref& maker) {
    Ref packet = make_packet<gw::Beat>(bytes, error, maker->beats[0].meta);
    packet->source = maker;
    owe(port, std::move(packet));
  }

  std::array<std::deque<Ref>, 2> arrived_, committed_;
  std::vector<uint8_t> half_;
};

}  // namespace gw::sim::toys
