// SPDX-License-Identifier: Apache-2.0
#include "testbenches/switch/traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <boost/endian/conversion.hpp>
#include <deque>
#include <filesystem>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "models/reference/capture/capture.h"
#include "models/reference/expether/frame.h"
#include "sim/base/error.h"
#include "sim/base/random.h"
#include "testbenches/kit/wires.h"
#include "testbenches/switch/make_frames.h"
#include "testbenches/switch/random.h"

namespace gw::testbenches {
namespace {

namespace expether = reference::expether;
using sim::Frame;
using sim::FrameList;
using sim::Random;

constexpr uint32_t kVlans = 4095;  // 0..4094

/// Gradients, 32 at a time: a captured run's, walked through again and again, or random ones of
/// like magnitude.
class Gradients {
 public:
  Gradients(const TrafficOptions& options, uint64_t seed)
      : path_(options.gradients_trace), random_(seed ^ 0x6772'6164) {
    if (path_.empty()) return;
    std::error_code unknown;
    again_ = std::filesystem::is_regular_file(path_, unknown);
    captured_ = sim::open_trace({.trace = path_});
    while (values_.size() < expether::kMaxValues || !again_) {
      if (!read()) break;
    }
    if (values_.size() < expether::kMaxValues) {
      throw sim::InputError(fmt::format("'{}' holds no {} gradients", path_, expether::kMaxValues));
    }
  }

  /// What is missing, when the capture ended early; `finish` before.
  const std::string& incomplete() const { return incomplete_; }
  /// Nobody asks for more: how does the capture end?
  void finish() {
    while (captured_ != nullptr && !ended_) {
      values_.clear();
      read();
    }
  }

  std::vector<uint32_t> next(size_t count = expether::kMaxValues) {
    std::vector<uint32_t> values(count);
    if (path_.empty()) {
      Random random = random_;  // its state in registers
      for (uint32_t& v : values) v = drawn(random);
      random_ = random;
    } else {
      for (uint32_t& v : values) v = captured();
    }
    return values;
  }

 private:
  static uint32_t drawn(Random& random) {
    // The sum of four uniform ones is near enough to normal.
    double sum = -2;
    for (int i = 0; i < 4; ++i) sum += random.unit();
    return std::bit_cast<uint32_t>(static_cast<float>(sum * 0.01));
  }

  uint32_t captured() {
    if (at_ == values_.size()) {
      at_ = 0;
      if (again_) {
        values_.clear();
        if (!read()) {
          captured_ = sim::open_trace({.trace = path_});
          if (!read())
            throw sim::InputError(fmt::format("'{}' holds no gradients any more", path_));
        }
      }
    }
    return values_[at_++];
  }

  /// Appends the next packet's values.
  bool read() {
    const std::optional<sim::GradientPacket> packet = captured_->next();
    if (packet) {
      values_.insert(values_.end(), packet->values.begin(), packet->values.end());
    } else if (!ended_) {
      ended_ = true;
      incomplete_ = captured_->facts().incomplete;
    }
    return packet.has_value();
  }

  std::string path_;
  Random random_;
  std::unique_ptr<sim::Gradients> captured_;
  bool again_ = false;            ///< the capture can be opened again
  bool ended_ = false;            ///< it was read to its end
  std::vector<uint32_t> values_;  ///< of a packet; of all, if it cannot be opened again
  std::string incomplete_;
  size_t at_ = 0;
};

/// Puts frames on their ports' wires, one behind the other, and gives them in order of time.
class Wires {
 public:
  void send(int port, std::vector<uint8_t> bytes, bool measured = true) {
    if (bytes.size() < kShortFrame) bytes.resize(kShortFrame);
    // In exact tenths of a nanosecond, so that rounding does not slow a saturated port down.
    int64_t& free = free_tenths_[static_cast<size_t>(port)];
    const int64_t tenths = wire_tenths(bytes.size());
    sent_[static_cast<size_t>(port)].push_back(
        {{.bytes = std::move(bytes), .port = port, .time_ns = free / 10, .measured = measured},
         count_++});
    free += tenths;
  }
  /// The earliest frame, if nothing that is still to be sent by one of `senders` (a mask) can come
  /// before it. Of frames of one time the one that was sent first comes first.
  std::optional<Frame> take(uint32_t senders) {
    size_t first = kSwitchPorts;
    for (size_t p = 0; p < kSwitchPorts; ++p) {
      if (!sent_[p].empty() && (first == kSwitchPorts || key(p) < key(first))) first = p;
    }
    if (first == kSwitchPorts) return std::nullopt;
    for (size_t p = 0; p < kSwitchPorts; ++p) {
      const bool may_send = (senders >> p & 1) != 0;
      if (may_send && sent_[p].empty() && free_tenths_[p] / 10 < key(first).first) {
        return std::nullopt;
      }
    }
    Frame frame = std::move(sent_[first].front().frame);
    sent_[first].pop_front();
    return frame;
  }
  /// Nothing is sent before this much after the last frame of any port.
  void pause(int64_t ns) {
    const int64_t latest = *std::ranges::max_element(free_tenths_) + ns * 10;
    free_tenths_.fill(latest);
  }
  /// All stations introduce themselves with a broadcast.
  void warm_up(uint16_t vlan, int stations = kSwitchPorts) {
    for (int station = 0; station < stations; ++station) {
      std::vector<uint8_t> frame = ordinary_frame(station, -1, vlan, kShortFrame, 0);
      send(port_of(station), std::move(frame), false);
      pause(kWarmUpGapNs);
    }
    pause(4 * kWarmUpGapNs);
  }

 private:
  struct Sent {
    Frame frame;
    uint64_t order;
  };
  std::pair<int64_t, uint64_t> key(size_t port) const {
    return {sent_[port].front().frame.time_ns, sent_[port].front().order};
  }

  std::array<std::deque<Sent>, kSwitchPorts> sent_;  ///< on each port in order of time
  std::array<int64_t, kSwitchPorts> free_tenths_{};
  uint64_t count_ = 0;
};

/// What a kind is made of.
struct Recipe {
  uint64_t seed = 0;
  uint64_t frames = 0;  ///< behind the warm-up
  uint64_t limit = 0;   ///< as asked for; 0: none
  TrafficOptions options;
};

/// A kind of traffic, made some frames at a time behind the warm-up.
class Kind {
 public:
  virtual ~Kind() = default;
  virtual int stations() const { return kSwitchPorts; }
  /// Ports by which it sends, as a mask.
  virtual uint32_t senders() const { return (1u << kSwitchPorts) - 1; }
  /// Sends some more; false: there is nothing more to send.
  virtual bool go_on(Wires& wires) = 0;
  /// Frames behind the warm-up, as far as that is known.
  virtual uint64_t expected() const = 0;
  virtual void describe(nlohmann::json& /*trace*/) const {}
};

/// A kind that makes as many frames as asked for.
class Counted : public Kind {
 public:
  Counted(const Recipe& recipe, Gradients& values) : recipe_(recipe), values_(values) {}
  bool go_on(Wires& wires) final {
    if (sent_ == recipe_.frames) return false;
    send(wires, sent_);
    return true;
  }
  uint64_t expected() const final { return recipe_.frames; }

 protected:
  /// Sends frame i, and perhaps some behind it; counts them in sent_.
  virtual void send(Wires& wires, uint64_t i) = 0;
  const TrafficOptions& options() const { return recipe_.options; }

  const Recipe recipe_;
  Gradients& values_;
  uint64_t sent_ = 0;
};

/// All four ports at 100 % of 10GbE, station p to station p + 1: no output is overloaded.
class Permutation final : public Counted {
 public:
  Permutation(const Recipe& recipe, Gradients& values, bool gradients)
      : Counted(recipe, values), gradients_(gradients) {}

 protected:
  void send(Wires& wires, uint64_t i) override {
    const int from = static_cast<int>(i % kSwitchPorts);
    const int to = (from + 1) % kSwitchPorts;
    const auto n = static_cast<uint32_t>(i / kSwitchPorts);
    if (gradients_) {
      // Each port walks through 256 sequence numbers of its own, iteration after iteration.
      wires.send(from, gradient_frame(from, to, options().vlan, options().group, 0,
                                      static_cast<uint32_t>(from) * 256 + n % 256,
                                      options().first_iteration + n / 256, values_.next()));
    } else {
      wires.send(from, ordinary_frame(from, to, options().vlan, kShortFrame, recipe_.seed + i));
    }
    ++sent_;
  }

 private:
  bool gradients_;
};

/// Workers 0..2 on ports 1..3 at 100 % each, to a host on port 0.
class Incast final : public Counted {
 public:
  using Counted::Counted;
  uint32_t senders() const override { return 0b1110; }

 protected:
  void send(Wires& wires, uint64_t i) override {
    const int worker = static_cast<int>(i % 3);
    const auto n = static_cast<uint32_t>(i / 3);
    wires.send(worker + 1, gradient_frame(worker + 1, 0, options().vlan, options().group,
                                          static_cast<uint16_t>(worker), n % 1024,
                                          options().first_iteration + n / 1024, values_.next()));
    ++sent_;
  }
};

/// A training run's exchange, made worker by worker and iteration by iteration.
class Exchange {
 public:
  Exchange(const TrafficOptions& options, Gradients& values, uint64_t seed)
      : options_(options),
        values_(values),
        random_(seed),
        late_(static_cast<size_t>(options.workers)) {}

  using Queue = std::vector<std::vector<uint8_t>>;

  /// What a worker sends in an iteration (0 the first), with what happens to it on the way.
  Queue queue(int worker, uint32_t iteration) {
    Queue queue;
    const int station = station_of(worker);
    auto& late = late_[static_cast<size_t>(worker)];
    for (uint32_t s = 0; s < options_.sequences; ++s) {
      std::vector<uint8_t> frame =
          gradient_frame(station, 0, options_.vlan, options_.group, static_cast<uint16_t>(worker),
                         s, options_.first_iteration + iteration, values_.next());
      if (chance(options_.malformed)) {
        const auto reason =
            static_cast<expether::Reason>(1 + malformed_++ % (expether::kReasonCount - 1));
        queue.push_back(malformed_copy(frame, reason, random_));
      }
      if (chance(options_.foreign)) {
        ++foreign_;
        queue.push_back(foreign_frame(station, 0, options_, random_));
      }
      const bool lost = chance(options_.loss), twice = chance(options_.duplicate);
      if (lost) {
        ++lost_;
        continue;
      }
      if (twice) {
        ++duplicated_;
        if (random_.below(2) == 0) {
          queue.push_back(frame);
        } else {
          const size_t iteration_more = random_.below(3) == 0 ? options_.sequences : 0;
          late.push_back(
              {.at = queue.size() + 2 + random_.below(8) + iteration_more, .frame = frame});
        }
      }
      queue.push_back(std::move(frame));
    }
    for (size_t i = 0; i < queue.size(); ++i) {
      if (!chance(options_.reorder)) continue;
      const size_t j = std::min(queue.size() - 1, i + 1 + random_.below(8));
      if (i == j) continue;
      ++reordered_;
      std::swap(queue[i], queue[j]);
    }
    add_late(queue, late, iteration + 1 == options_.iterations);
    return queue;
  }

  nlohmann::json faults() const {
    return {{"lost", lost_},
            {"duplicated", duplicated_},
            {"reordered", reordered_},
            {"malformed", malformed_},
            {"foreign", foreign_}};
  }

 private:
  struct Late {
    size_t at;  ///< frames of the worker before it
    std::vector<uint8_t> frame;
  };

  /// Second copies that come later; what is due behind the iteration's end comes in the next one.
  static void add_late(Queue& queue, std::vector<Late>& late, bool last_iteration) {
    std::ranges::stable_sort(late, {}, &Late::at);
    Queue merged;
    std::vector<Late> next;
    size_t taken = 0;
    for (Late& l : late) {
      while (taken < std::min(queue.size(), l.at)) merged.push_back(std::move(queue[taken++]));
      if (l.at <= queue.size() || last_iteration) {
        merged.push_back(std::move(l.frame));
      } else {
        next.push_back({.at = l.at - queue.size(), .frame = std::move(l.frame)});
      }
    }
    while (taken < queue.size()) merged.push_back(std::move(queue[taken++]));
    queue = std::move(merged);
    late = std::move(next);
  }

  bool chance(double percent) { return random_.unit() * 100 < percent; }

  const TrafficOptions& options_;
  Gradients& values_;
  Random random_;
  std::vector<std::vector<Late>> late_;  ///< by worker
  uint64_t lost_ = 0, duplicated_ = 0, reordered_ = 0, malformed_ = 0, foreign_ = 0;
};

/// In each iteration every worker sends every sequence number; the workers take turns.
class Workers final : public Kind {
 public:
  Workers(const Recipe& recipe, Gradients& values)
      : recipe_(recipe), exchange_(recipe_.options, values, recipe.seed) {}

  int stations() const override {
    return std::max(kSwitchPorts, station_of(recipe_.options.workers - 1) + 1);
  }
  uint32_t senders() const override {
    uint32_t ports = 0;
    for (int w = 0; w < recipe_.options.workers; ++w) ports |= 1u << port_of(station_of(w));
    return ports;
  }

  /// One frame of each worker.
  bool go_on(Wires& wires) override {
    while (turn_ == turns_) {  // all frames of an iteration may be lost
      if (!next_iteration(wires)) return false;
    }
    for (size_t w = 0; w < queues_.size(); ++w) {
      Exchange::Queue& queue = queues_[w];
      if (turn_ >= queue.size()) continue;
      if (recipe_.limit != 0 && sent_ == recipe_.limit) {
        cut_ = true;
        return false;
      }
      wires.send(port_of(station_of(static_cast<int>(w))), std::move(queue[turn_]));
      ++sent_;
    }
    ++turn_;
    return true;
  }
  uint64_t expected() const override {
    const TrafficOptions& o = recipe_.options;
    const uint64_t all = uint64_t{o.iterations - o.from_iteration + 1} * o.sequences *
                         static_cast<uint64_t>(o.workers);
    return recipe_.limit == 0 ? all : std::min(all, recipe_.limit);
  }
  void describe(nlohmann::json& trace) const override {
    if (!cut_) trace["faults"] = exchange_.faults();
  }

 private:
  bool next_iteration(Wires& wires) {
    for (; iteration_ + 1 < recipe_.options.from_iteration; ++iteration_) {
      for (int w = 0; w < recipe_.options.workers; ++w) exchange_.queue(w, iteration_);
    }
    if (iteration_ + 1 > recipe_.options.from_iteration) wires.pause(kWarmUpGapNs);
    if (iteration_ == recipe_.options.iterations) return false;
    queues_.clear();
    turn_ = turns_ = 0;
    for (int w = 0; w < recipe_.options.workers; ++w) {
      queues_.push_back(exchange_.queue(w, iteration_));
      turns_ = std::max(turns_, queues_.back().size());
    }
    ++iteration_;
    return true;
  }

  const Recipe recipe_;
  Exchange exchange_;
  std::vector<Exchange::Queue> queues_;  ///< of an iteration, by worker
  size_t turn_ = 0, turns_ = 0;
  uint32_t iteration_ = 0;
  uint64_t sent_ = 0;
  bool cut_ = false;
};

/// Frames of every kind and reason, of every length, in many VLANs.
class Anything final : public Counted {
 public:
  Anything(const Recipe& recipe, Gradients& values)
      : Counted(recipe, values), random_(recipe.seed) {}

 protected:
  void send(Wires& wires, uint64_t i) override {
    ++sent_;
    const int from = static_cast<int>(random_.below(kSwitchPorts));
    const int to = static_cast<int>(random_.below(kSwitchPorts));
    TrafficOptions here = options();
    if (random_.below(8) == 0) here.vlan = static_cast<uint16_t>(random_.below(kVlans));
    if (random_.below(4) == 0) {
      wires.send(from, foreign_frame(from, to, here, random_));
      return;
    }
    constexpr std::array kTlps = {expether::Tlp::kMWr64, expether::Tlp::kMWr32,
                                  expether::Tlp::kCplD};
    const expether::Tlp tlp = kTlps[random_.below(kTlps.size())];
    // Drawn one after the other: in which order arguments are worked out is the compiler's choice.
    const auto values = values_.next(1 + random_.below(expether::kMaxValues));
    const uint32_t iteration =
        here.first_iteration + static_cast<uint32_t>(i / 64) - random_.below(2);
    const uint32_t sequence = random_.below(16) == 0 ? static_cast<uint32_t>(random_.next())
                                                     : random_.below(here.sequences);
    const auto worker = static_cast<uint16_t>(random_.below(4));
    const auto group = static_cast<uint16_t>(here.group + (random_.below(8) == 0));
    std::vector<uint8_t> frame =
        gradient_frame(from, to, here.vlan, group, worker, sequence, iteration, values, tlp);
    if (random_.below(2) == 0) {
      const auto reason = static_cast<expether::Reason>(1 + i % (expether::kReasonCount - 1));
      frame = malformed_copy(frame, reason, random_);
    } else if (random_.below(4) == 0) {
      // Padding behind the values, now and then as much as a jumbo frame holds.
      const size_t room = expether::kMaxFrameBytes - frame.size();
      const size_t padding = random_.below(8) != 0   ? random_.below(100)
                             : random_.below(2) != 0 ? room
                                                     : random_.below(static_cast<uint32_t>(room));
      frame.resize(frame.size() + padding);
    }
    wires.send(from, std::move(frame));
  }

 private:
  Random random_;
};

/// Numbers from anywhere: near one another, at the ends of their range, far apart.
uint32_t far(uint32_t near, Random& random) {
  constexpr std::array<uint32_t, 6> kEnds = {0,           1,           0x7FFF'FFFF,
                                             0x8000'0000, 0xFFFF'FFFE, 0xFFFF'FFFF};
  const uint32_t draw = random.below(16);
  return draw < 12   ? near
         : draw < 15 ? kEnds[random.below(kEnds.size())]
                     : static_cast<uint32_t>(random.next());
}

/// Bytes of which many are null.
void fill(std::span<uint8_t> bytes, Random& random) {
  for (uint8_t& byte : bytes) {
    byte = random.below(4) == 0 ? 0 : static_cast<uint8_t>(random.next());
  }
}

/// A frame in which all that the blocks do not look at may be anything: priority and DEI, flags,
/// reserved bytes, what else a TLP says, padding; and now and then one bit is wrong.
std::vector<uint8_t> irregular_frame(int source, uint32_t near_iteration,
                                     const TrafficOptions& options, Gradients& values,
                                     Random& random) {
  const auto tci = static_cast<uint16_t>(options.vlan | random.below(16) << 12);
  const int destination = static_cast<int>(random.below(kSwitchPorts + 1)) - 1;  // -1: a broadcast
  if (random.below(5) == 0) {
    const uint64_t seed = random.next();
    std::vector<uint8_t> frame =
        ordinary_frame(source, destination, tci, kShortFrame + random.below(1500), seed);
    fill(std::span(frame).subspan(18), random);
    return frame;
  }
  expether::Header header;
  header.destination = destination < 0 ? 0xFFFF'FFFF'FFFF : mac_of(destination);
  header.source = mac_of(source);
  header.tci = tci;
  header.flags = static_cast<uint8_t>(random.below(256) & ~expether::kFlagTlp3Dw);
  header.ack = static_cast<uint32_t>(random.next());
  header.sequence = random.below(options.sequences);
  header.worker = static_cast<uint16_t>(random.below(static_cast<uint32_t>(options.workers)));
  header.group = options.group;
  header.iteration = near_iteration - static_cast<uint32_t>(random.below(8) == 0);
  if (random.below(4) ==
      0) {  // in sequence numbers of their own, which are never complete for long
    header.sequence = far(options.sequences + random.below(options.sequences), random);
    header.worker = static_cast<uint16_t>(far(random.below(4), random));
    header.group = static_cast<uint16_t>(far(options.group, random));
    header.iteration = far(near_iteration, random);
  }
  constexpr std::array kTlps = {expether::Tlp::kMWr64, expether::Tlp::kMWr32, expether::Tlp::kCplD};
  header.tlp = kTlps[random.below(kTlps.size())];
  header.requester = static_cast<uint16_t>(random.next());
  header.tag = static_cast<uint8_t>(random.next());
  header.address = random.next();
  std::vector<uint32_t> gradients = values.next(1 + random.below(expether::kMaxValues));
  for (uint32_t& v : gradients) {
    if (random.below(8) == 0) v &= static_cast<uint32_t>(random.next());
  }
  std::vector<uint8_t> frame = random.below(8) == 0 ? expether::build_parameter(header, gradients)
                                                    : expether::build_gradient(header, gradients);
  fill(std::span(frame).subspan(expether::kReservedOffset, 8), random);
  const bool three_dw = header.tlp != expether::Tlp::kMWr64;
  if (three_dw) fill(std::span(frame).subspan(expether::kTlp4Offset, 4), random);
  frame[(three_dw ? expether::kTlp3Offset : expether::kTlp4Offset) + 1] =
      static_cast<uint8_t>(random.next());
  if (random.below(8) == 0) {
    frame[expether::kTpidOffset + random.below(expether::kPayloadOffset - expether::kTpidOffset)] ^=
        static_cast<uint8_t>(1u << random.below(8));
  }
  if (random.below(16) != 0) set_checksum(frame);

  const size_t whole = frame.size();
  frame.resize(whole + (random.below(4) != 0 ? random.below(64) : random.below(1400)));
  fill(std::span(frame).subspan(whole), random);
  if (random.below(8) == 0) frame.resize(kShortFrame + random.below(140));  // cut, perhaps
  return frame;
}

/// Bursts on some of the ports, which begin in the same nanosecond, and silence between them.
class Irregular final : public Counted {
 public:
  Irregular(const Recipe& recipe, Gradients& values)
      : Counted(recipe, values), random_(recipe.seed ^ 0x6972'7265) {}

 protected:
  void send(Wires& wires, uint64_t) override {
    wires.pause(random_.below(16) == 0 ? 20'000 : random_.below(1'500));
    const uint32_t ports = 1 + random_.below((1 << kSwitchPorts) - 1);
    const uint32_t each = 1 + random_.below(6);
    for (uint32_t i = 0; i < each * kSwitchPorts && sent_ < recipe_.frames; ++i) {
      const int port = static_cast<int>(i % kSwitchPorts);
      if ((ports >> port & 1) == 0) continue;
      const auto iteration = options().first_iteration + static_cast<uint32_t>(sent_ / 64);
      wires.send(port, irregular_frame(port, iteration, options(), values_, random_));
      ++sent_;
    }
  }

 private:
  Random random_;
};

std::unique_ptr<Kind> kind_of(const std::string& name, const Recipe& recipe, Gradients& values) {
  if (name == "gradient-192") return std::make_unique<Permutation>(recipe, values, true);
  if (name == "ordinary-60") return std::make_unique<Permutation>(recipe, values, false);
  if (name == "incast") return std::make_unique<Incast>(recipe, values);
  if (name == "workers") return std::make_unique<Workers>(recipe, values);
  if (name == "anything") return std::make_unique<Anything>(recipe, values);
  if (name == "irregular") return std::make_unique<Irregular>(recipe, values);
  std::string names;
  for (const sim::SynthKind& kind : frame_synth_kinds()) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", kind.name);
  }
  throw sim::UsageError(fmt::format("unknown stimulus of frames '{}'; there are {}", name, names));
}

class SyntheticFrames final : public sim::Frames {
 public:
  SyntheticFrames(const std::string& name, const Recipe& recipe)
      : name_(name), values_(recipe.options, recipe.seed), kind_(kind_of(name, recipe, values_)) {
    wires_.warm_up(recipe.options.vlan, kind_->stations());
  }

  std::optional<Frame> next() override {
    for (;;) {
      if (std::optional<Frame> frame = wires_.take(over_ ? 0 : kind_->senders())) {
        ++count_;
        return frame;
      }
      if (over_) return std::nullopt;
      over_ = !kind_->go_on(wires_);
      if (over_) values_.finish();
    }
  }
  sim::FrameFacts facts() const override {
    sim::FrameFacts facts;
    facts.trace = {{"synth", name_},
                   {"packets", count_},
                   {"selected", count_},
                   {"skipped", nlohmann::json::object()}};
    if (over_) kind_->describe(facts.trace);
    facts.synth = name_;
    facts.incomplete = values_.incomplete();
    return facts;
  }
  uint64_t expected() const override {
    return kind_->expected() + static_cast<uint64_t>(kind_->stations());
  }

 private:
  std::string name_;
  Gradients values_;
  std::unique_ptr<Kind> kind_;
  Wires wires_;
  uint64_t count_ = 0;
  bool over_ = false;
};

}  // namespace

const std::vector<sim::SynthKind>& frame_synth_kinds() {
  static const std::vector<sim::SynthKind> kKinds = {
      {"gradient-192",
       "192-byte gradient frames at 100 % of 10GbE on four ports, a permutation",
       {"from", "group", "vlan"}},
      {"ordinary-60",
       "60-byte ordinary frames at 100 % of 10GbE on four ports, a permutation",
       {"vlan"}},
      {"incast", "three workers at 100 % of 10GbE into one host", {"from", "group", "vlan"}},
      {"workers",
       "a training run's exchange: workers x sequences x iterations, faults as asked",
       {"from", "workers", "group", "iterations", "from-iteration", "sequences", "loss",
        "duplicate", "reorder", "malformed", "foreign", "vlan"}},
      {"anything",
       "frames of every kind, malformed for every reason, of every length, in many VLANs",
       {"from", "group", "sequences", "vlan"}},
      {"irregular",
       "bursts that begin on all ports at once: odd lengths, any bit that nobody looks at",
       {"from", "workers", "group", "sequences", "vlan"}},
  };
  return kKinds;
}

std::unique_ptr<sim::Frames> open_synthetic_frames(const std::string& name, uint64_t seed,
                                                   uint64_t limit, const TrafficOptions& options) {
  options.check();
  const Recipe recipe{.seed = seed,
                      .frames = limit != 0 ? limit : kDefaultFrames,
                      .limit = limit,
                      .options = options};
  return std::make_unique<SyntheticFrames>(name, recipe);
}

FrameList synthesise_frames(const std::string& name, uint64_t seed, uint64_t limit,
                            const TrafficOptions& options) {
  return sim::read_all(*open_synthetic_frames(name, seed, limit, options));
}

std::unique_ptr<sim::FrameSource> open_frames(const sim::RunSpec& spec, bool by_port) {
  const sim::StimulusSpec& stimulus = spec.stimulus;
  if (stimulus.trace.empty() && !stimulus.filter.empty()) {
    throw sim::UsageError("--filter chooses packets of a capture and needs --trace");
  }
  if (stimulus.random != nullptr) {
    return std::make_unique<sim::FrameSource>(
        open_random_frames(stimulus, spec.seed, traffic_spec(spec.options), by_port,
                           spec.clock_mhz),
        by_port);
  }
  return std::make_unique<sim::FrameSource>(
      stimulus.trace.empty()
          ? open_synthetic_frames(stimulus.synth, spec.seed, stimulus.packets,
                                  traffic_spec(spec.options))
          : sim::open_capture_frames(stimulus, kSwitchPorts, kTenGbe, spec.options),
      by_port);
}

}  // namespace gw::testbenches
