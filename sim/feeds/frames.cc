#include "sim/feeds/frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "models/reference/capture/capture.h"
#include "models/reference/capture/filter.h"
#include "sim/base/error.h"

namespace gw::sim {
namespace {

constexpr size_t kEthernetHeader = 14;

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kDayNs = 86'400 * kSecondNs;
constexpr int64_t kLatest = INT64_MAX / 2;  // later, or as much before 1970, is no time

/// The time of a capture's packets, without the leaps of a clock that was set.
class CaptureClock {
 public:
  int64_t follow(int64_t stamp) {
    stamp = std::clamp(stamp, -kLatest, kLatest);
    if (!begun_) {
      begun_ = true;
      return begin_ = latest_ = stamp;
    }
    int64_t time = 0;
    const bool fits = !__builtin_add_overflow(stamp, shift_, &time);
    if (!fits || time < latest_ - kSecondNs || time > latest_ + kDayNs ||
        time > begin_ + 30 * kDayNs) {
      ++leaps_;
      shift_ = latest_ - stamp;
      time = latest_;
    }
    latest_ = std::max(latest_, time);
    return time;
  }
  uint64_t leaps() const { return leaps_; }

 private:
  bool begun_ = false;
  int64_t begin_ = 0, latest_ = 0;
  int64_t shift_ = 0;  // what is added to the file's times
  uint64_t leaps_ = 0;
};

/// When a port's wire is free again, to the tenth: rounded times would slow a saturated port down.
struct Wire {
  int64_t ns = INT64_MIN, tenths = 0;

  int64_t send(int64_t time_ns, size_t bytes) {
    if (time_ns > ns) {
      ns = time_ns;
      tenths = 0;
    }
    const int64_t begin = ns;
    tenths += wire_tenths(bytes);
    ns += tenths / 10;
    tenths %= 10;
    return begin;
  }
};

std::optional<capture::Filter> compile(const std::string& expression) {
  if (expression.empty()) return std::nullopt;
  capture::Expected<capture::Filter> filter = capture::Filter::compile(expression);
  if (!filter) throw UsageError("--filter " + filter.error().sentence);
  return std::move(filter).value();
}

uint64_t source_mac(const std::vector<uint8_t>& frame) {
  uint64_t mac = 0;
  for (size_t i = 6; i < 12; ++i) mac = mac << 8 | frame[i];
  return mac;
}

}  // namespace

FrameList load_frames(const StimulusSpec& stimulus, int ports) {
  const std::optional<capture::Filter> filter = compile(stimulus.filter);
  capture::Expected<capture::Capture> read = capture::read(stimulus.trace);
  if (!read) throw InputError(read.error().sentence);
  FrameList list;
  list.path = stimulus.trace;
  CaptureClock clock;
  std::vector<Wire> wires(static_cast<size_t>(ports));
  std::map<uint64_t, int> stations;
  std::map<std::string, uint64_t> skipped;
  uint64_t padded = 0;
  for (capture::Packet& packet : read->packets) {
    if (stimulus.packets != 0 && list.frames.size() == stimulus.packets) break;
    const char* const reason = filter && !filter->matches(packet)              ? "filter"
                               : packet.original_length > packet.bytes.size() ? "truncated"
                               : packet.bytes.size() < kEthernetHeader        ? "runt"
                               : packet.bytes.size() > kMaxFrameBytes         ? "overlong"
                                                                              : nullptr;
    if (reason != nullptr) {
      ++skipped[reason];
      continue;
    }
    const uint64_t mac = source_mac(packet.bytes);
    const int station = stations.try_emplace(mac, static_cast<int>(stations.size())).first->second;
    Frame frame{.bytes = std::move(packet.bytes),
                .port = station % ports,
                .trace_number = static_cast<uint32_t>(packet.number)};
    if (frame.bytes.size() < kMinFrameBytes) {
      frame.bytes.resize(kMinFrameBytes);
      ++padded;
    }
    frame.time_ns = wires[static_cast<size_t>(frame.port)].send(clock.follow(packet.timestamp_ns),
                                                                frame.bytes.size());
    list.frames.push_back(std::move(frame));
  }
  std::ranges::stable_sort(list.frames, {}, &Frame::time_ns);
  list.trace = {{"file", stimulus.trace},
                {"format", read->format},
                {"packets", read->packets.size()},
                {"selected", list.frames.size()},
                {"skipped", skipped},
                {"padded", padded},
                {"stations", stations.size()}};
  if (clock.leaps() != 0) list.trace["clock_leaps"] = clock.leaps();
  if (read->damage) list.incomplete = read->damage->sentence;
  return list;
}

FrameSource::FrameSource(FrameList list, bool by_port) : list_(std::move(list)), by_port_(by_port) {
  const std::string& path = list_.path;
  if (list_.frames.empty()) {
    throw InputError(
        !list_.incomplete.empty() ? list_.incomplete
        : list_.trace.contains("/skipped/filter"_json_pointer)
            ? fmt::format("'{}' holds no Ethernet frame that the filter lets through", path)
            : fmt::format("'{}' holds no Ethernet frame", path));
  }
  facts_.trace = list_.trace;
  facts_.path = path;
  facts_.name = path.empty() ? "the synthetic stimulus " + list_.synth : path;
  facts_.incomplete = list_.incomplete;
  facts_.expected = list_.frames.size();
  facts_.begin_ns = list_.frames.front().time_ns;
}

std::optional<RawPacket> FrameSource::next() {
  if (next_ == list_.frames.size()) return std::nullopt;
  Frame& frame = list_.frames[next_++];
  RawPacket packet;
  packet.bytes = std::move(frame.bytes);
  packet.trace_number = frame.trace_number;
  packet.measured = frame.measured;
  packet.time_ns = frame.time_ns - facts_.begin_ns;
  (by_port_ ? packet.port : packet.meta) = static_cast<uint32_t>(frame.port);
  return packet;
}

}  // namespace gw::sim
