// What is counted of the streams of any device: packets by length, tail and stalls, the space
// between packets, the handshakes of both sides in each cycle. And what a family adds, packet by
// packet.
//
// The loop (sim/harness/lockstep.h) is compiled with this class, or without it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/coverage/points.h"
#include "sim/coverage/table.h"
#include "sim/harness/engine.h"
#include "sim/harness/listener.h"
#include "sim/harness/packet.h"
#include "sim/harness/timeline.h"

namespace gw::sim::coverage {

/// How many bytes of a packet's last beat count, as far as a device cares.
struct Tails {
  std::vector<std::string> values;
  std::array<uint8_t, 65> of_bytes{};  ///< by the bytes below the lowest zero of tkeep
  uint8_t gap = 0;                     ///< tkeep has a gap

  /// Each number of bytes; `empty`: there may be none.
  static Tails bytes(int beat_bytes, bool empty);
  /// Whole floats; all else is cut.
  static Tails floats(int beat_bytes);
  /// All beats are full.
  static Tails full();
};

/// The tables of the streams, whose impossible cells the family names.
struct StreamTables {
  static constexpr size_t kBeats = 6;  ///< 1, 2, 3, 4, 5 to 15, 16 and more
  static constexpr size_t kGaps = 4;

  std::vector<Table> packets_in, packets_out;  ///< beats, tail, stalls at first, middle, last
  std::vector<Table> spacing_in, spacing_out;  ///< gap, beats before, beats after
  std::vector<Table> handshakes;               ///< input x output, pair by pair

  static constexpr size_t beats_class(uint32_t beats) {
    return beats < 5 ? beats - 1 : beats < 16 ? 4 : 5;
  }
};
/// Places on the axes of `handshakes`.
enum Sender : size_t { kSilent, kFull, kRefused, kTaken };  ///< kFull: silent, and not ready
enum Receiver : size_t { kEmpty, kEmptyBlocked, kWaiting, kLeaving };
/// Of a cell of `handshakes`: the input is not ready; the output shows nothing.
inline bool full(Table::At at) { return at[0] == kFull || at[0] == kRefused; }
inline bool empty(Table::At at) { return at[1] < kWaiting; }

StreamTables stream_tables(std::span<const Port> inputs, std::span<const Port> outputs,
                           const std::vector<Tails>& tails_in, const std::vector<Tails>& tails_out);

/// What a family of devices counts of its own. Hears of packets and events, never of cycles.
template <class Beat>
class Family : public Watcher<Beat> {
 public:
  virtual Tails tails(bool /*input*/, size_t /*port*/) const {
    return Tails::bytes(Beat::kBytes, false);
  }
  /// Cells of the streams that this device cannot show.
  virtual void shape(StreamTables&) const {}
  virtual std::vector<const Table*> tables() const { return {}; }
};

/// P: the device's ports.
template <class P>
class Streams {
 public:
  using Beat = typename P::Beat;
  static constexpr bool kOn = true;
  static constexpr size_t kIn = kInputsOf<P>, kOut = kOutputsOf<P>;

  explicit Streams(Family<Beat>& family) : family_(family), tables_(make_tables(family)) {
    for (size_t p = 0; p < kIn; ++p) in_[p].tails = family.tails(true, p);
    for (size_t p = 0; p < kOut; ++p) out_[p].tails = family.tails(false, p);
    for (size_t p = 0; p < kIn; ++p) in_[p].paced = P::kInputs[p].paced;
    for (size_t p = 0; p < kOut; ++p) out_[p].paced = P::kOutputs[p].paced;
  }

  /// One cycle, before its edge.
  [[gnu::always_inline]] void cycle(uint64_t now, const Offered<P>& offered, uint32_t s_ready,
                                    const std::array<const Beat*, kOut>& shown, uint32_t m_ready) {
    std::array<size_t, kIn> senders;
    for (size_t p = 0; p < kIn; ++p) {
      const bool ready = (s_ready >> p & 1) != 0;
      senders[p] = offered[p] != nullptr ? (ready ? kTaken : kRefused) : (ready ? kSilent : kFull);
      in_[p].see(now, offered[p], ready, tables_.packets_in[p], tables_.spacing_in[p]);
    }
    for (size_t q = 0; q < kOut; ++q) {
      const bool ready = (m_ready >> q & 1) != 0;
      const size_t receiver =
          shown[q] != nullptr ? (ready ? kLeaving : kWaiting) : (ready ? kEmpty : kEmptyBlocked);
      out_[q].see(now, shown[q], ready, tables_.packets_out[q], tables_.spacing_out[q]);
      for (size_t p = 0; p < kIn; ++p) ++handshakes_[p * kOut + q][senders[p] * 4 + receiver];
    }
  }
  /// Who hears of packets and events.
  Watcher<Beat>& watcher() { return family_; }

  /// All that was counted.
  void report(const std::string& device, Points& points) {
    for (size_t pair = 0; pair < handshakes_.size(); ++pair) {
      for (size_t cell = 0; cell < 16; ++cell) {
        tables_.handshakes[pair].add(cell, std::exchange(handshakes_[pair][cell], 0));
      }
    }
    for (const auto* tables : {&tables_.packets_in, &tables_.packets_out, &tables_.spacing_in,
                               &tables_.spacing_out, &tables_.handshakes}) {
      for (const Table& table : *tables) points.add(device, table);
    }
    for (const Table* table : family_.tables()) points.add(device, *table);
  }

 private:
  /// One port.
  struct Side {
    Tails tails;
    bool paced = false;
    uint32_t beats = 0;  ///< of the packet, so far
    bool stood = false;  ///< no beat moved since the one before, or since this one was shown
    bool first = false, middle = false, last = false;
    bool before = false;  ///< there was a packet
    size_t beats_before = 0, gap = 0;
    uint64_t end = 0;  ///< the cycle after its last beat

    [[gnu::always_inline]] void see(uint64_t now, const Beat* beat, bool ready, Table& packets,
                                    Table& spacing) {
      if (beat == nullptr || !ready) {
        stood |= beats != 0 || beat != nullptr;
        return;
      }
      if (beats == 0) {
        first = stood;
        middle = last = false;
        gap = gap_class(now - end);
      } else if (beat->last != 0) {
        last = stood;
      } else {
        middle |= stood;
      }
      ++beats;
      stood = false;
      if (beat->last != 0) [[unlikely]]
        ends(now, *beat, packets, spacing);
    }
    void ends(uint64_t now, const Beat& beat, Table& packets, Table& spacing) {
      const auto keep = beat.keep;
      const bool whole = (keep & static_cast<typename Beat::Keep>(keep + 1)) == 0;
      const size_t tail =
          whole ? tails.of_bytes[static_cast<size_t>(std::countr_one(keep))] : tails.gap;
      packets.hit(StreamTables::beats_class(beats), tail, first, middle, last);
      const size_t length = std::min<size_t>(beats, 3) - 1;
      if (before) spacing.hit(gap, beats_before, length);
      before = true;
      beats_before = length;
      end = now + 1;
      beats = 0;
    }
    size_t gap_class(uint64_t cycles) const {
      if (paced) return cycles < 16 ? 0 : cycles < 64 ? 1 : cycles < 1024 ? 2 : 3;
      return cycles == 0 ? 0 : cycles == 1 ? 1 : cycles < 8 ? 2 : 3;
    }
  };

  static StreamTables make_tables(const Family<Beat>& family) {
    std::vector<Tails> in, out;
    for (size_t p = 0; p < kIn; ++p) in.push_back(family.tails(true, p));
    for (size_t p = 0; p < kOut; ++p) out.push_back(family.tails(false, p));
    StreamTables tables = stream_tables(P::kInputs, P::kOutputs, in, out);
    family.shape(tables);
    return tables;
  }

  Family<Beat>& family_;
  StreamTables tables_;
  std::array<Side, kIn> in_;
  std::array<Side, kOut> out_;
  std::array<std::array<uint64_t, 16>, kIn * kOut> handshakes_{};
};

}  // namespace gw::sim::coverage
