#include "testbenches/switch/traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "models/reference/capture/capture.h"
#include "models/reference/expether/frame.h"
#include "sim/base/error.h"
#include "sim/base/random.h"

namespace gw::testbenches {
namespace {

namespace expether = reference::expether;
using sim::Frame;
using sim::FrameList;
using sim::Random;

constexpr uint64_t kDefaultFrames = 1024;
constexpr int64_t kWarmUpGapNs = 2'000;  // the switch floods a warm-up frame before the next comes
constexpr uint32_t kVlans = 4095;           // 0..4094
constexpr size_t kShortFrame = expether::kMinFrameBytes;
constexpr int kPorts = 4;

/// Station 0 is the host; 02:00:00:00:00:01 upwards.
uint64_t mac_of(int station) { return 0x0200'0000'0001 + static_cast<uint64_t>(station); }

/// As load_frames() finds it again: stations introduce themselves in order.
int port_of(int station) { return station % kPorts; }

/// Workers are on ports 1 to 3 in turn; the stations between them share the host's port.
int station_of(int worker) { return 1 + worker + worker / (kPorts - 1); }

/// Gradients, 32 at a time: a captured run's, walked through, or random ones of like magnitude.
class Gradients {
 public:
  Gradients(const TrafficOptions& options, uint64_t seed) : random_(seed ^ 0x6772'6164) {
    if (options.gradients_trace.empty()) return;
    const std::unique_ptr<sim::Gradients> captured =
        sim::open_trace({.trace = options.gradients_trace});
    while (const std::optional<sim::GradientPacket> packet = captured->next()) {
      values_.insert(values_.end(), packet->values.begin(), packet->values.end());
    }
    if (values_.size() < expether::kMaxValues) {
      throw sim::InputError(
          fmt::format("'{}' holds no {} gradients", options.gradients_trace, expether::kMaxValues));
    }
    incomplete_ = captured->facts().incomplete;
  }

  /// What is missing, when the capture ended early.
  const std::string& incomplete() const { return incomplete_; }

  std::vector<uint32_t> next(size_t count = expether::kMaxValues) {
    std::vector<uint32_t> values(count);
    for (uint32_t& v : values) {
      if (values_.empty()) {
        // The sum of four uniform ones is near enough to normal.
        double sum = -2;
        for (int i = 0; i < 4; ++i) sum += random_.unit();
        v = std::bit_cast<uint32_t>(static_cast<float>(sum * 0.01));
      } else {
        v = values_[at_++ % values_.size()];
      }
    }
    return values;
  }

 private:
  Random random_;
  std::vector<uint32_t> values_;
  std::string incomplete_;
  size_t at_ = 0;
};

/// Puts frames on their ports' wires, one behind the other.
class Wires {
 public:
  explicit Wires(FrameList& source) : source_(source) {}

  void send(int port, std::vector<uint8_t> bytes, bool measured = true) {
    if (bytes.size() < kShortFrame) bytes.resize(kShortFrame);
    // In exact tenths of a nanosecond, so that rounding does not slow a saturated port down.
    int64_t& free = free_tenths_[static_cast<size_t>(port)];
    const int64_t tenths = sim::wire_tenths(bytes.size());
    source_.frames.push_back(
        {.bytes = std::move(bytes), .port = port, .time_ns = free / 10, .measured = measured});
    free += tenths;
  }
  /// Nothing is sent before this much after the last frame of any port.
  void pause(int64_t ns) {
    const int64_t latest = *std::ranges::max_element(free_tenths_) + ns * 10;
    free_tenths_.fill(latest);
  }
  /// All stations introduce themselves with a broadcast.
  void warm_up(uint16_t vlan, int stations = kPorts) {
    for (int station = 0; station < stations; ++station) {
      std::vector<uint8_t> frame = ordinary(station, -1, vlan, kShortFrame, 0);
      send(port_of(station), std::move(frame), false);
      pause(kWarmUpGapNs);
    }
    pause(4 * kWarmUpGapNs);
  }
  /// A frame that is not ExpEther, tagged with the VLAN; destination -1: broadcast.
  static std::vector<uint8_t> ordinary(int source, int destination, uint16_t vlan, size_t bytes,
                                       uint64_t content) {
    std::vector<uint8_t> frame(bytes);
    const uint64_t to = destination < 0 ? 0xFFFF'FFFF'FFFF : mac_of(destination);
    for (size_t i = 0; i < 6; ++i) {
      frame[i] = static_cast<uint8_t>(to >> (40 - 8 * i));
      frame[6 + i] = static_cast<uint8_t>(mac_of(source) >> (40 - 8 * i));
    }
    frame[12] = 0x81;
    frame[14] = static_cast<uint8_t>(vlan >> 8);
    frame[15] = static_cast<uint8_t>(vlan);
    frame[16] = 0x88;
    frame[17] = 0xB6;  // IEEE local experimental, the other one
    Random random(content);
    for (size_t i = 18; i < bytes; ++i) frame[i] = static_cast<uint8_t>(random.next());
    return frame;
  }

 private:
  FrameList& source_;
  std::array<int64_t, kPorts> free_tenths_{};
};

std::vector<uint8_t> gradient_frame(int source, int destination, uint16_t vlan, uint16_t group,
                                    uint16_t worker, uint32_t sequence, uint32_t iteration,
                                    std::span<const uint32_t> values,
                                    expether::Tlp tlp = expether::Tlp::kMWr64) {
  expether::Header header;
  header.destination = mac_of(destination);
  header.source = mac_of(source);
  header.tci = vlan;
  header.sequence = sequence;
  header.worker = worker;
  header.group = group;
  header.iteration = iteration;
  header.tlp = tlp;
  header.address = 0x1'0000'0000 + 128ull * sequence;
  return expether::build_gradient(header, values);
}

void set_checksum(std::vector<uint8_t>& frame) {
  const uint16_t sum = expether::checksum(frame);
  frame[expether::kChecksumOffset] = static_cast<uint8_t>(sum >> 8);
  frame[expether::kChecksumOffset + 1] = static_cast<uint8_t>(sum);
}

/// A copy that is wrong in the way that the reason says.
std::vector<uint8_t> malformed_copy(std::vector<uint8_t> frame, expether::Reason reason,
                                    Random& random) {
  using expether::Reason;
  const size_t tlp = (frame[expether::kFlagsOffset] & expether::kFlagTlp3Dw) != 0
                         ? expether::kTlp3Offset
                         : expether::kTlp4Offset;
  switch (reason) {
    case Reason::kShortFrame:
      frame.resize(std::max(kShortFrame, frame.size() - 4 * (1 + random.below(8))));
      break;
    case Reason::kBadVersion:
      frame[expether::kVersionOffset] = static_cast<uint8_t>(2 + random.below(254));
      set_checksum(frame);
      break;
    case Reason::kBadChecksum:
      frame[expether::kChecksumOffset] ^= static_cast<uint8_t>(1 + random.below(254));
      break;
    case Reason::kCount:
      frame[expether::kCountOffset] =
          static_cast<uint8_t>(random.below(2) == 0 ? 0 : 33 + random.below(223));
      set_checksum(frame);
      break;
    case Reason::kTlpLength:
      frame[tlp + 3] ^= static_cast<uint8_t>(1 + random.below(31));
      break;
    case Reason::kPoisoned:
      frame[tlp + 2] |= expether::kTlpPoisoned;
      break;
    case Reason::kTlpType:
      frame[tlp] = 0x20;  // a read
      break;
    case Reason::kNone:
      break;
  }
  return frame;
}

std::vector<uint8_t> foreign_frame(int source, int destination, const TrafficOptions& options,
                                   Random& random) {
  switch (random.below(5)) {
    case 0: {  // an IPv4 datagram, untagged
      const std::vector<uint8_t> payload(20 + random.below(1400));
      auto made = capture::make_frame({.tos = 0}, payload);
      std::vector<uint8_t> frame = std::move(made).value();
      for (size_t i = 0; i < 6; ++i) {
        frame[i] = static_cast<uint8_t>(mac_of(destination) >> (40 - 8 * i));
        frame[6 + i] = static_cast<uint8_t>(mac_of(source) >> (40 - 8 * i));
      }
      return frame;
    }
    case 1:  // a broadcast
      return Wires::ordinary(source, -1, options.vlan, kShortFrame, random.next());
    case 2: {  // ExpEther that carries no values
      expether::Header header;
      header.destination = mac_of(destination);
      header.source = mac_of(source);
      header.tci = options.vlan;
      header.sequence = static_cast<uint32_t>(random.next());
      const std::vector<uint8_t> body(16 + random.below(200));
      return expether::build_plain(header, body);
    }
    case 3: {  // parameters on their way
      expether::Header header;
      header.destination = mac_of(destination);
      header.source = mac_of(source);
      header.tci = options.vlan;
      header.group = options.group;
      const std::vector<uint32_t> values(1 + random.below(32), 0x3F80'0000);
      return expether::build_parameter(header, values);
    }
    default:  // anything, of any length up to a jumbo frame's
      return Wires::ordinary(
          source, destination, options.vlan,
          kShortFrame + (random.below(16) == 0 ? random.below(expether::kMaxFrameBytes - 59)
                                               : random.below(1440)),
          random.next());
  }
}

/// All four ports at 100 % of 10GbE, station p to station p + 1: no output is overloaded.
void permutation(FrameList& source, bool gradients, uint64_t seed, uint64_t frames,
                 const TrafficOptions& options, Gradients& values) {
  Wires wires(source);
  wires.warm_up(options.vlan);
  for (uint64_t i = 0; i < frames; ++i) {
    const int from = static_cast<int>(i % kPorts);
    const int to = (from + 1) % kPorts;
    const auto n = static_cast<uint32_t>(i / kPorts);
    if (gradients) {
      // Each port walks through 256 sequence numbers of its own, iteration after iteration.
      wires.send(from, gradient_frame(from, to, options.vlan, options.group, 0,
                                      static_cast<uint32_t>(from) * 256 + n % 256,
                                      options.first_iteration + n / 256, values.next()));
    } else {
      wires.send(from, Wires::ordinary(from, to, options.vlan, kShortFrame, seed + i));
    }
  }
}

/// Workers 0..2 on ports 1..3 at 100 % each, to a host on port 0.
void incast(FrameList& source, uint64_t frames, const TrafficOptions& options,
            Gradients& values) {
  Wires wires(source);
  wires.warm_up(options.vlan);
  for (uint64_t i = 0; i < frames; ++i) {
    const int worker = static_cast<int>(i % 3);
    const auto n = static_cast<uint32_t>(i / 3);
    wires.send(worker + 1, gradient_frame(worker + 1, 0, options.vlan, options.group,
                                          static_cast<uint16_t>(worker), n % 1024,
                                          options.first_iteration + n / 1024, values.next()));
  }
}

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
void exchange(FrameList& source, uint64_t seed, uint64_t limit, const TrafficOptions& options,
              Gradients& values) {
  Wires wires(source);
  Exchange exchange(options, values, seed);
  wires.warm_up(options.vlan, std::max(kPorts, station_of(options.workers - 1) + 1));
  const size_t before = source.frames.size();
  for (uint32_t iteration = 0; iteration < options.iterations; ++iteration) {
    std::vector<Exchange::Queue> queues;
    size_t longest = 0;
    for (int w = 0; w < options.workers; ++w) {
      queues.push_back(exchange.queue(w, iteration));
      longest = std::max(longest, queues.back().size());
    }
    for (size_t i = 0; i < longest; ++i) {
      for (int w = 0; w < options.workers; ++w) {
        Exchange::Queue& queue = queues[static_cast<size_t>(w)];
        if (i >= queue.size()) continue;
        if (limit != 0 && source.frames.size() - before == limit) return;
        wires.send(port_of(station_of(w)), std::move(queue[i]));
      }
    }
    wires.pause(kWarmUpGapNs);
  }
  source.trace["faults"] = exchange.faults();
}

/// Frames of every kind and reason, of every length, in many VLANs.
void anything(FrameList& source, uint64_t seed, uint64_t frames, const TrafficOptions& options,
              Gradients& values) {
  Wires wires(source);
  Random random(seed);
  wires.warm_up(options.vlan);
  for (uint64_t i = 0; i < frames; ++i) {
    const int from = static_cast<int>(random.below(kPorts));
    const int to = static_cast<int>(random.below(kPorts));
    TrafficOptions here = options;
    if (random.below(8) == 0) here.vlan = static_cast<uint16_t>(random.below(kVlans));
    if (random.below(4) == 0) {
      wires.send(from, foreign_frame(from, to, here, random));
      continue;
    }
    constexpr std::array kTlps = {expether::Tlp::kMWr64, expether::Tlp::kMWr32,
                                  expether::Tlp::kCplD};
    const expether::Tlp tlp = kTlps[random.below(kTlps.size())];
    std::vector<uint8_t> frame = gradient_frame(
        from, to, here.vlan, static_cast<uint16_t>(here.group + (random.below(8) == 0)),
        static_cast<uint16_t>(random.below(4)),
        random.below(16) == 0 ? static_cast<uint32_t>(random.next()) : random.below(here.sequences),
        here.first_iteration + static_cast<uint32_t>(i / 64) - random.below(2),
        values.next(1 + random.below(expether::kMaxValues)), tlp);
    if (random.below(2) == 0) {
      const auto reason = static_cast<expether::Reason>(1 + i % (expether::kReasonCount - 1));
      frame = malformed_copy(frame, reason, random);
    } else if (random.below(4) == 0) {
      // Padding behind the values, now and then as much as a jumbo frame holds.
      const size_t room = expether::kMaxFrameBytes - frame.size();
      const size_t padding = random.below(8) != 0   ? random.below(100)
                             : random.below(2) != 0 ? room
                                                    : random.below(static_cast<uint32_t>(room));
      frame.resize(frame.size() + padding);
    }
    wires.send(from, std::move(frame));
  }
}

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
  const int destination = static_cast<int>(random.below(kPorts + 1)) - 1;  // -1: a broadcast
  if (random.below(5) == 0) {
    std::vector<uint8_t> frame =
        Wires::ordinary(source, destination, tci, kShortFrame + random.below(1500), random.next());
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
  if (random.below(4) == 0) {  // in sequence numbers of their own, which are never complete for long
    header.sequence = far(options.sequences + random.below(options.sequences), random);
    header.worker = static_cast<uint16_t>(far(random.below(4), random));
    header.group = static_cast<uint16_t>(far(options.group, random));
    header.iteration = far(near_iteration, random);
  }
  constexpr std::array kTlps = {expether::Tlp::kMWr64, expether::Tlp::kMWr32,
                                expether::Tlp::kCplD};
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
void irregular(FrameList& source, uint64_t seed, uint64_t frames, const TrafficOptions& options,
               Gradients& values) {
  Wires wires(source);
  Random random(seed ^ 0x6972'7265);
  wires.warm_up(options.vlan);
  uint64_t sent = 0;
  while (sent < frames) {
    wires.pause(random.below(16) == 0 ? 20'000 : random.below(1'500));
    const uint32_t ports = 1 + random.below((1 << kPorts) - 1);
    const uint32_t each = 1 + random.below(6);
    for (uint32_t i = 0; i < each * kPorts && sent < frames; ++i) {
      const int port = static_cast<int>(i % kPorts);
      if ((ports >> port & 1) == 0) continue;
      const auto iteration = options.first_iteration + static_cast<uint32_t>(sent / 64);
      wires.send(port, irregular_frame(port, iteration, options, values, random));
      ++sent;
    }
  }
}

}  // namespace

const std::vector<sim::SynthKind>& frame_synth_kinds() {
  static const std::vector<sim::SynthKind> kKinds = {
      {"gradient-192", "192-byte gradient frames at 100 % of 10GbE on four ports, a permutation"},
      {"ordinary-60", "60-byte ordinary frames at 100 % of 10GbE on four ports, a permutation"},
      {"incast", "three workers at 100 % of 10GbE into one host"},
      {"workers", "a training run's exchange: workers x sequences x iterations, faults as asked"},
      {"anything",
       "frames of every kind, malformed for every reason, of every length, in many VLANs"},
      {"irregular",
       "bursts that begin on all ports at once: odd lengths, any bit that nobody looks at"},
  };
  return kKinds;
}

FrameList synthesise_frames(const std::string& name, uint64_t seed, uint64_t limit,
                              const TrafficOptions& options) {
  options.check();
  FrameList source;
  const uint64_t frames = limit != 0 ? limit : kDefaultFrames;
  Gradients values(options, seed);
  if (name == "gradient-192") {
    permutation(source, true, seed, frames, options, values);
  } else if (name == "ordinary-60") {
    permutation(source, false, seed, frames, options, values);
  } else if (name == "incast") {
    incast(source, frames, options, values);
  } else if (name == "workers") {
    exchange(source, seed, limit, options, values);
  } else if (name == "anything") {
    anything(source, seed, frames, options, values);
  } else if (name == "irregular") {
    irregular(source, seed, frames, options, values);
  } else {
    std::string names;
    for (const sim::SynthKind& kind : frame_synth_kinds()) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", kind.name);
    }
    throw sim::UsageError(fmt::format("unknown stimulus of frames '{}'; there are {}", name, names));
  }
  std::ranges::stable_sort(source.frames, {}, &Frame::time_ns);
  source.synth = name;
  source.trace["file"] = "synthetic " + name;
  source.trace["packets"] = source.frames.size();
  source.trace["selected"] = source.frames.size();
  source.trace["skipped"] = nlohmann::json::object();
  source.incomplete = values.incomplete();
  return source;
}

std::unique_ptr<sim::FrameSource> open_frames(const sim::RunSpec& spec, bool by_port) {
  const sim::StimulusSpec& stimulus = spec.stimulus;
  if (stimulus.trace.empty() && !stimulus.filter.empty()) {
    throw sim::UsageError("--filter chooses packets of a capture and needs --trace");
  }
  return std::make_unique<sim::FrameSource>(
      stimulus.trace.empty() ? synthesise_frames(stimulus.synth, spec.seed, stimulus.packets,
                                                 traffic_spec(spec.options))
                             : sim::load_frames(stimulus, kPorts),
      by_port);
}

}  // namespace gw::testbenches
