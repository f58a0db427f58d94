// Where packets come from, as bytes: a capture, a generator. A feed makes beats of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/harness/feed.h"
#include "sim/harness/pace.h"

namespace gw::sim {

/// A beat whose tkeep or tuser is not what the house's profile of AXI4-Stream says.
struct OddBeat {
  uint32_t beat = 0;  ///< of the packet
  uint64_t keep = ~uint64_t{0};
  bool user = false;
  uint64_t meta = 0;  ///< bits of a tuser wider than a bit that are inverted
};

/// A packet that is to go into a device.
struct RawPacket {
  std::vector<uint8_t> bytes;
  uint32_t port = 0;
  uint32_t trace_number = 0;  ///< 1-based number in the trace; 0: none
  bool measured = true;
  bool error = false;              ///< tuser on its last beat
  bool hostile = false;            ///< breaks the stream profile on purpose
  std::vector<OddBeat> odd = {};   ///< so does a packet that has any
  int64_t time_ns = 0;             ///< when its preamble begins, for ports with a pace
  uint32_t gap = 0;                ///< cycles after the packet before it, for ports without one
  uint64_t meta = 0;               ///< tuser of ports where that is wider than a bit, of all beats
  uint64_t meta_behind = 0;        ///< bits of it that are inverted after the first beat
  bool own_config = false;         ///< its pins are not as the run's options say
  PacketConfig config{};           ///< then what they are
  std::vector<uint32_t> values{};  ///< what the bytes stand for, where they do not say themselves
};

/// What a report says of a source: of what was asked for so far.
struct SourceFacts {
  nlohmann::json trace;    ///< the report's `trace` section
  std::string path;        ///< of the capture; empty: none
  std::string name;        ///< "traces/x.pcap", "the synthetic stimulus mixed"
  std::string incomplete;  ///< what is missing, when the file ended early
  int64_t begin_ns = 0;    ///< time of its first packet
};

/// Asked for one packet after the other, which it reads or makes then: its memory does not grow
/// with their number. Throws InputError or UsageError.
class Source {
 public:
  virtual ~Source() = default;
  virtual std::optional<RawPacket> next() = 0;
  /// `next` gave none, but there may be more later: a live interface.
  virtual bool waits() const { return false; }
  /// Whole once `next` has said that there are no more; path, name and begin_ns from the beginning.
  virtual const SourceFacts& facts() const = 0;
  /// How many there will be, as far as can be said by now; 0: unknown. For progress.
  virtual uint64_t expected() const { return 0; }
  /// `time_ns` never falls from one packet to the next.
  virtual bool in_order() const { return false; }
};

/// A source of which one may know what is to come, before the first packet is taken.
class LookAhead final : public Source {
 public:
  static constexpr size_t kBytes = size_t{64} << 20;  ///< so much is held at most

  explicit LookAhead(Source& source) : source_(source) {}

  /// Tells of one packet after the other, as long as it is answered with true. True: of all that
  /// there are; false: there are more, or who is told has heard enough.
  template <class Tell>
  bool look(const Tell& tell) {
    for (size_t held = 0; held < kBytes;) {
      std::optional<RawPacket> packet = source_.next();
      if (!packet) return true;
      held += sizeof(RawPacket) + packet->bytes.size() + 4 * packet->values.size();
      ahead_.push_back(std::move(*packet));
      if (!tell(ahead_.back())) return false;
    }
    return false;
  }

  std::optional<RawPacket> next() override {
    if (ahead_.empty()) return source_.next();
    std::optional<RawPacket> packet = std::move(ahead_.front());
    ahead_.pop_front();
    return packet;
  }
  bool waits() const override { return source_.waits(); }
  const SourceFacts& facts() const override { return source_.facts(); }
  uint64_t expected() const override { return source_.expected(); }
  bool in_order() const override { return source_.in_order(); }

 private:
  Source& source_;
  std::deque<RawPacket> ahead_;
};

/// Packets that are there already: tests.
class ListSource final : public Source {
 public:
  explicit ListSource(std::vector<RawPacket> packets) : packets_(std::move(packets)) {}
  std::optional<RawPacket> next() override {
    if (next_ == packets_.size()) return std::nullopt;
    return packets_[next_++];
  }
  const SourceFacts& facts() const override { return facts_; }

 private:
  std::vector<RawPacket> packets_;
  size_t next_ = 0;
  SourceFacts facts_;
};

/// Beats of a source's packets, dealt out to the ports. Holds what other ports have not asked for
/// yet; with a pace that is what the port that is farthest behind has before it of the time in
/// which the others are: a port that gets nothing is not looked for through the whole trace.
template <class Beat>
class SourceFeed final : public Feed<Beat> {
 public:
  using typename Feed<Beat>::Next;
  using typename Feed<Beat>::State;

  /// `pace`: of all ports, if they have one; so is `error_bit` (Port). `config`: of packets that
  /// have none of their own.
  SourceFeed(Source& source, size_t ports, std::optional<Pace> pace = {}, int error_bit = -1,
             const PacketConfig& config = {})
      : source_(source),
        waiting_(ports),
        error_bit_(error_bit < 0 ? 0 : uint64_t{1} << error_bit),
        config_(config) {
    if (source.in_order()) pace_ = pace;
  }

  Next next(size_t port, uint64_t cycle) override {
    while (waiting_[port].empty() && !over_) {
      if (pace_ && reached_ > cycle + kAhead) return {State::kNotYet, {}, reached_};
      if (!read()) return {State::kNotYet};
    }
    if (waiting_[port].empty()) return {};
    Next next{State::kPacket, std::move(waiting_[port].front())};
    waiting_[port].pop_front();
    --held_;
    return next;
  }
  uint64_t packets() const { return count_; }
  /// Packets that were read and that no port has asked for yet.
  size_t held() const { return held_; }

 private:
  static constexpr uint64_t kAhead = 1024;  ///< cycles; the loop asks again in every 64th

  /// False: there is none yet.
  bool read() {
    std::optional<RawPacket> raw = source_.next();
    if (!raw) {
      over_ = !source_.waits();
      return over_;
    }
    PacketRef<Beat> packet = make_packet<Beat>(
        raw->bytes, raw->error,
        {static_cast<uint32_t>(raw->meta), static_cast<uint32_t>(raw->meta >> 32)});
    if (raw->meta_behind != 0) {
      for (Beat& beat : std::span(packet->beats).subspan(1)) {
        beat.set_user_word(beat.user_word() ^ raw->meta_behind);
      }
    }
    packet->id = count_++;
    packet->port = raw->port;
    packet->trace_number = raw->trace_number;
    packet->measured = raw->measured;
    packet->hostile = raw->hostile || !raw->odd.empty();
    for (const OddBeat& odd : raw->odd) {
      Beat& beat = packet->beats.at(odd.beat);
      beat.keep = static_cast<typename Beat::Keep>(odd.keep);
      beat.user = odd.user;
      beat.set_user_word(beat.user_word() ^ odd.meta);
    }
    if (error_bit_ != 0) {
      for (Beat& beat : packet->beats) {
        if (beat.user == 0) continue;
        beat.set_user_word(beat.user_word() | error_bit_);
        beat.user = 0;
      }
    }
    packet->time_ns = raw->time_ns;
    packet->gap = raw->gap;
    packet->config = raw->own_config ? raw->config : config_;
    packet->values = std::move(raw->values);
    if (pace_) reached_ = pace_->arrival(raw->time_ns, 0);
    ++held_;
    waiting_.at(raw->port).push_back(std::move(packet));
    return true;
  }

  Source& source_;
  std::vector<std::deque<PacketRef<Beat>>> waiting_;
  std::optional<Pace> pace_;
  uint64_t error_bit_;
  const PacketConfig config_;
  uint64_t reached_ = 0;  // no packet that is still to be read is due before this cycle
  uint64_t count_ = 0;
  size_t held_ = 0;
  bool over_ = false;
};

}  // namespace gw::sim
