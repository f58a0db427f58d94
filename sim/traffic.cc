#include "sim/traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>

#include "models/reference/capture/capture.h"
#include "models/reference/expether/frame.h"
#include "sim/error.h"
#include "sim/random.h"
#include "sim/switch_stimulus.h"

namespace gw::sim {
namespace {

namespace expether = reference::expether;

constexpr uint64_t kDefaultFrames = 1024;
constexpr int64_t kWarmUpGapNs = 2'000;  // the switch floods a warm-up frame before the next comes
constexpr size_t kShortFrame = expether::kMinFrameBytes;

/// Station 0 is the host or the station on port 0, and so on: 02:00:00:00:00:01 upwards.
uint64_t mac_of(int station) { return 0x0200'0000'0001 + static_cast<uint64_t>(station); }

int64_t wire_ns(size_t bytes) {
  return static_cast<int64_t>(std::ceil(static_cast<double>(bytes + kWireOverheadBytes) * kByteNs));
}

/// Gradients, 32 at a time: a captured run's, walked through, or random ones of like magnitude.
class Gradients {
 public:
  Gradients(const TrafficOptions& options, uint64_t seed) : random_(seed ^ 0x6772'6164) {
    if (options.gradients_trace.empty()) return;
    const GradientSource source = load_trace(options.gradients_trace, 0);
    for (const GradientPacket& packet : source.packets) {
      values_.insert(values_.end(), packet.values.begin(), packet.values.end());
    }
    if (values_.size() < expether::kMaxValues) {
      throw InputError(
          fmt::format("'{}' holds no {} gradients", options.gradients_trace, expether::kMaxValues));
    }
  }

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
  size_t at_ = 0;
};

/// Puts frames on their ports' wires, one behind the other.
class Wires {
 public:
  explicit Wires(FrameSource& source) : source_(source) {}

  void send(int port, std::vector<uint8_t> bytes, bool measured = true) {
    if (bytes.size() < kShortFrame) bytes.resize(kShortFrame);
    // In exact tenths of a nanosecond, so that rounding does not slow a saturated port down.
    int64_t& free = free_tenths_[static_cast<size_t>(port)];
    const auto tenths = static_cast<int64_t>(bytes.size() + kWireOverheadBytes) * 8;
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
  void warm_up(uint16_t vlan) {
    for (int station = 0; station < kPorts; ++station) {
      std::vector<uint8_t> frame = ordinary(station, -1, vlan, kShortFrame, 0);
      send(station, std::move(frame), false);
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
  FrameSource& source_;
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

/// A copy that is wrong in the way that the reason says.
std::vector<uint8_t> malformed_copy(std::vector<uint8_t> frame, expether::Reason reason,
                                    Random& random) {
  using expether::Reason;
  const auto fix = [&frame] {
    const uint16_t sum = expether::checksum(frame);
    frame[expether::kChecksumOffset] = static_cast<uint8_t>(sum >> 8);
    frame[expether::kChecksumOffset + 1] = static_cast<uint8_t>(sum);
  };
  switch (reason) {
    case Reason::kShortFrame:
      frame.resize(std::max(kShortFrame, frame.size() - 4 * (1 + random.below(8))));
      break;
    case Reason::kBadVersion:
      frame[expether::kVersionOffset] = static_cast<uint8_t>(2 + random.below(254));
      fix();
      break;
    case Reason::kBadChecksum:
      frame[expether::kChecksumOffset] ^= static_cast<uint8_t>(1 + random.below(254));
      break;
    case Reason::kCount:
      frame[expether::kCountOffset] =
          static_cast<uint8_t>(random.below(2) == 0 ? 0 : 33 + random.below(223));
      fix();
      break;
    case Reason::kTlpLength:
      frame[expether::kTlp4Offset + 3] ^= static_cast<uint8_t>(1 + random.below(31));
      break;
    case Reason::kPoisoned:
      frame[expether::kTlp4Offset + 2] |= expether::kTlpPoisoned;
      break;
    case Reason::kTlpType:
      frame[expether::kTlp4Offset] = 0x20;  // a read
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
void permutation(FrameSource& source, bool gradients, uint64_t seed, uint64_t frames,
                 const TrafficOptions& options) {
  Wires wires(source);
  Gradients values(options, seed);
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
void incast(FrameSource& source, uint64_t seed, uint64_t frames, const TrafficOptions& options) {
  Wires wires(source);
  Gradients values(options, seed);
  wires.warm_up(options.vlan);
  for (uint64_t i = 0; i < frames; ++i) {
    const int worker = static_cast<int>(i % 3);
    const auto n = static_cast<uint32_t>(i / 3);
    wires.send(worker + 1, gradient_frame(worker + 1, 0, options.vlan, options.group,
                                          static_cast<uint16_t>(worker), n % 1024,
                                          options.first_iteration + n / 1024, values.next()));
  }
}

/// A training run's exchange: in each iteration every worker sends every sequence number.
void exchange(FrameSource& source, uint64_t seed, uint64_t limit, const TrafficOptions& options) {
  Wires wires(source);
  Gradients values(options, seed);
  Random random(seed);
  const auto chance = [&random](double percent) { return random.unit() * 100 < percent; };
  wires.warm_up(options.vlan);
  const size_t before = source.frames.size();
  uint64_t reason = 0;
  for (uint32_t iteration = 0; iteration < options.iterations; ++iteration) {
    // What each worker sends, then with what happens to it, then by turns onto the wires.
    std::vector<std::vector<std::vector<uint8_t>>> queues(static_cast<size_t>(options.workers));
    for (int w = 0; w < options.workers; ++w) {
      auto& queue = queues[static_cast<size_t>(w)];
      for (uint32_t s = 0; s < options.sequences; ++s) {
        std::vector<uint8_t> frame =
            gradient_frame(1 + w, 0, options.vlan, options.group, static_cast<uint16_t>(w), s,
                           options.first_iteration + iteration, values.next());
        if (chance(options.malformed)) {
          const auto kind =
              static_cast<expether::Reason>(1 + reason++ % (expether::kReasonCount - 1));
          queue.push_back(malformed_copy(frame, kind, random));
        }
        if (chance(options.foreign)) {
          queue.push_back(foreign_frame(1 + w, 0, options, random));
        }
        const bool lost = chance(options.loss), twice = chance(options.duplicate);
        if (twice && !lost) queue.push_back(frame);
        if (!lost) queue.push_back(std::move(frame));
      }
      for (size_t i = 0; i < queue.size(); ++i) {
        if (!chance(options.reorder)) continue;
        const size_t j = std::min(queue.size() - 1, i + 1 + random.below(8));
        std::swap(queue[i], queue[j]);
      }
    }
    size_t longest = 0;
    for (const auto& queue : queues) longest = std::max(longest, queue.size());
    for (size_t i = 0; i < longest; ++i) {
      for (int w = 0; w < options.workers; ++w) {
        if (i >= queues[static_cast<size_t>(w)].size()) continue;
        if (limit != 0 && source.frames.size() - before == limit) return;
        wires.send(1 + w % 3, std::move(queues[static_cast<size_t>(w)][i]));
      }
    }
    wires.pause(kWarmUpGapNs);
  }
}

/// Frames of every kind and reason, of every length.
void anything(FrameSource& source, uint64_t seed, uint64_t frames, const TrafficOptions& options) {
  Wires wires(source);
  Gradients values(options, seed);
  Random random(seed);
  wires.warm_up(options.vlan);
  for (uint64_t i = 0; i < frames; ++i) {
    const int from = static_cast<int>(random.below(kPorts));
    const int to = static_cast<int>(random.below(kPorts));
    if (random.below(4) == 0) {
      wires.send(from, foreign_frame(from, to, options, random));
      continue;
    }
    const bool malformed = random.below(2) == 0;
    // What corrupts needs a 4 DW header and a payload that can be cut.
    const size_t count = malformed ? 32 : 1 + random.below(32);
    constexpr std::array kTlps = {expether::Tlp::kMWr64, expether::Tlp::kMWr32,
                                  expether::Tlp::kCplD};
    const expether::Tlp tlp = malformed ? expether::Tlp::kMWr64 : kTlps[random.below(3)];
    std::vector<uint8_t> frame = gradient_frame(
        from, to, options.vlan, static_cast<uint16_t>(options.group + (random.below(8) == 0)),
        static_cast<uint16_t>(random.below(4)),
        random.below(16) == 0 ? static_cast<uint32_t>(random.next())
                              : random.below(options.sequences),
        options.first_iteration + static_cast<uint32_t>(i / 64) - random.below(2),
        values.next(count), tlp);
    if (malformed) {
      frame = malformed_copy(
          frame, static_cast<expether::Reason>(1 + i % (expether::kReasonCount - 1)), random);
    } else if (random.below(4) == 0) {
      frame.resize(frame.size() + random.below(100));  // padding behind the values
    }
    wires.send(from, std::move(frame));
  }
}

}  // namespace

void TrafficOptions::check() const {
  if (workers < 1 || workers > 16) {
    throw UsageError(fmt::format("--workers {} is not between 1 and 16", workers));
  }
  if (iterations == 0 || sequences == 0) {
    throw UsageError("--iterations and --sequences must be at least 1");
  }
  if (vlan > 4094) throw UsageError(fmt::format("--vlan {} is not between 0 and 4094", vlan));
  const std::pair<const char*, double> percents[] = {{"loss", loss},
                                                     {"duplicate", duplicate},
                                                     {"reorder", reorder},
                                                     {"malformed", malformed},
                                                     {"foreign", foreign}};
  for (const auto& [name, percent] : percents) {
    if (!(percent >= 0 && percent <= 100)) {
      throw UsageError(fmt::format("--{} {} is not between 0 and 100 percent", name, percent));
    }
  }
}

FrameSource load_frames(const std::string& path, uint64_t limit) {
  FrameSource source;
  source.trace_path = path;
  const capture::Expected<capture::Capture> read = capture::read(path);
  if (!read) throw InputError(read.error().sentence);
  std::map<uint64_t, int> stations;
  std::array<int64_t, kPorts> free{};
  free.fill(INT64_MIN);
  uint64_t truncated = 0, overlong = 0, padded = 0, number = 0, taken = 0;
  for (const capture::Packet& packet : read->packets) {
    ++number;
    if (limit != 0 && taken == limit) break;
    if (packet.original_length > packet.bytes.size() || packet.bytes.size() < 14) {
      ++truncated;
      continue;
    }
    if (packet.bytes.size() > expether::kMaxFrameBytes) {
      ++overlong;
      continue;
    }
    uint64_t mac = 0;
    for (size_t i = 6; i < 12; ++i) mac = mac << 8 | packet.bytes[i];
    const int port =
        stations.try_emplace(mac, static_cast<int>(stations.size()) % kPorts).first->second;
    Frame frame{.bytes = {packet.bytes.begin(), packet.bytes.end()},
                .port = port,
                .time_ns = packet.timestamp_ns,
                .trace_number = static_cast<uint32_t>(number)};
    if (frame.bytes.size() < kShortFrame) {
      frame.bytes.resize(kShortFrame);
      ++padded;
    }
    int64_t& wire = free[static_cast<size_t>(port)];
    frame.time_ns = std::max(frame.time_ns, wire);
    wire = frame.time_ns + wire_ns(frame.bytes.size());
    source.frames.push_back(std::move(frame));
    ++taken;
  }
  std::ranges::stable_sort(source.frames, {}, &Frame::time_ns);
  nlohmann::json skipped = nlohmann::json::object();
  if (truncated != 0) skipped["truncated"] = truncated;
  if (overlong != 0) skipped["overlong"] = overlong;
  source.trace = {{"file", path},
                  {"format", read->format},
                  {"packets", read->packets.size()},
                  {"selected", source.frames.size()},
                  {"skipped", skipped},
                  {"padded", padded},
                  {"stations", stations.size()}};
  if (read->damage) source.incomplete = read->damage->sentence;
  return source;
}

const std::vector<SynthKind>& frame_synth_kinds() {
  static const std::vector<SynthKind> kKinds = {
      {"gradient-192", "192-byte gradient frames at 100 % of 10GbE on four ports, a permutation"},
      {"ordinary-60", "60-byte ordinary frames at 100 % of 10GbE on four ports, a permutation"},
      {"incast", "three workers at 100 % of 10GbE into one host"},
      {"workers", "a training run's exchange: workers x sequences x iterations, faults as asked"},
      {"anything", "frames of every kind, malformed for every reason, of every length"},
  };
  return kKinds;
}

FrameSource synthesise_frames(const std::string& name, uint64_t seed, uint64_t limit,
                              const TrafficOptions& options) {
  options.check();
  FrameSource source;
  const uint64_t frames = limit != 0 ? limit : kDefaultFrames;
  if (name == "gradient-192") {
    permutation(source, true, seed, frames, options);
  } else if (name == "ordinary-60") {
    permutation(source, false, seed, frames, options);
  } else if (name == "incast") {
    incast(source, seed, frames, options);
  } else if (name == "workers") {
    exchange(source, seed, limit, options);
  } else if (name == "anything") {
    anything(source, seed, frames, options);
  } else {
    std::string names;
    for (const SynthKind& kind : frame_synth_kinds()) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", kind.name);
    }
    throw UsageError(fmt::format("unknown stimulus of frames '{}'; there are {}", name, names));
  }
  std::ranges::stable_sort(source.frames, {}, &Frame::time_ns);
  source.trace = {{"file", "synthetic " + name},
                  {"packets", source.frames.size()},
                  {"selected", source.frames.size()},
                  {"skipped", nlohmann::json::object()}};
  return source;
}

}  // namespace gw::sim
