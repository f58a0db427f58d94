// SPDX-License-Identifier: Apache-2.0
#include "sim/feeds/frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "models/reference/capture/capture.h"
#include "models/reference/capture/filter.h"
#include "sim/base/error.h"
#include "sim/feeds/captures.h"

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

/// When a port's wire is free again, to the picosecond: rounded times would slow a saturated port
/// down.
struct Schedule {
  int64_t ns = INT64_MIN, ps = 0;

  int64_t send(int64_t time_ns, int64_t takes_ps) {
    if (time_ns > ns) {
      ns = time_ns;
      ps = 0;
    }
    const int64_t begin = ns;
    ps += takes_ps;
    ns += ps / 1000;
    ps %= 1000;
    return begin;
  }
};

std::optional<capture::Filter> compile(const std::string& expression) {
  if (expression.empty()) return std::nullopt;
  capture::Expected<capture::Filter> filter = capture::Filter::compile(expression);
  if (!filter) throw UsageError("--filter " + filter.error().sentence);
  return std::move(filter).value();
}

uint64_t source_mac(std::span<const uint8_t> frame) {
  return boost::endian::load_big_u48(&frame[6]);
}

/// Goes through a capture and puts what is to be fed on the ports' wires, in the file's order.
class FrameReader {
 public:
  FrameReader(const StimulusSpec& stimulus, int ports, const Wire& wire,
              const capture::Filter* filter, const OptionSet& options)
      : reader_(open_reader(stimulus.trace, options)),
        filter_(filter),
        limit_(stimulus.packets == 0 ? UINT64_MAX : stimulus.packets),
        wire_(wire),
        ps_a_byte_(std::llround(8e3 / wire.gbps)),
        ports_(static_cast<size_t>(ports)) {}

  static constexpr int kAnyPort = -1;

  /// The next frame of a port. `to_the_end`: packets after the last frame are counted, too.
  std::optional<Frame> next(int port, bool to_the_end) {
    while (const std::optional<capture::Record> record = read(to_the_end)) {
      std::optional<Frame> frame = consider(*record, port);
      if (frame) return frame;
    }
    return std::nullopt;
  }

  /// Frames so far, of all ports: the number of the one given last, from 1.
  uint64_t selected() const { return selected_; }
  uint64_t expected() const {
    const double done = reader_.progress();
    const double all = done > 0 ? static_cast<double>(selected_) / done : 0;
    return std::min(limit_, std::max(selected_, static_cast<uint64_t>(all)));
  }
  FrameFacts facts() const {
    FrameFacts facts;
    facts.path = reader_.file();
    facts.trace = {{"file", reader_.file()},       {"format", reader_.format()},
                   {"packets", reader_.packets()}, {"selected", selected_},
                   {"skipped", skipped_},          {"padded", padded_},
                   {"stations", stations_.size()}};
    if (clock_.leaps() != 0) facts.trace["clock_leaps"] = clock_.leaps();
    if (const auto said = notes(); !said.empty()) facts.trace["notes"] = said;
    if (reader_.damage()) facts.incomplete = reader_.damage()->sentence;
    return facts;
  }

 private:
  std::optional<capture::Record> read(bool to_the_end) {
    if (selected_ == limit_) {
      while (to_the_end && reader_.next()) {
      }
      return std::nullopt;
    }
    return reader_.next();
  }

  const char* why_skipped(const capture::Record& record) const {
    return filter_ != nullptr && !filter_->matches(record.bytes, record.original_length) ? "filter"
           : record.link == capture::Link::kOther         ? "other_link"
           : record.original_length > record.bytes.size() ? "truncated"
           : record.bytes.size() < kEthernetHeader        ? "runt"
           : record.bytes.size() > kMaxFrameBytes         ? "overlong"
                                                          : nullptr;
  }

  /// The frame, if it is one, and of the port.
  std::optional<Frame> consider(const capture::Record& record, int port) {
    wire_bytes_ += record.original_length;
    if (const char* const reason = why_skipped(record)) {
      ++skipped_[reason];
      skipped_bytes_[reason] += record.original_length;
      return std::nullopt;
    }
    look_for_fcs(record.bytes);
    linkless_ += record.link != capture::Link::kEthernet;
    ++selected_;
    const uint64_t mac = source_mac(record.bytes);
    const size_t station = stations_.try_emplace(mac, stations_.size()).first->second;
    const size_t its_port = station % ports_.size();
    const size_t bytes = std::max(record.bytes.size(), kMinFrameBytes);
    padded_ += bytes != record.bytes.size();
    const int64_t time = ports_[its_port].send(
        clock_.follow(record.timestamp_ns), static_cast<int64_t>(wire_.bytes(bytes)) * ps_a_byte_);
    if (port != kAnyPort && port != static_cast<int>(its_port)) return std::nullopt;
    Frame frame{.bytes = {record.bytes.begin(), record.bytes.end()},
                .port = static_cast<int>(its_port),
                .time_ns = time,
                .trace_number = static_cast<uint32_t>(record.number)};
    frame.bytes.resize(bytes);
    return frame;
  }

  /// The first frames tell.
  void look_for_fcs(std::span<const uint8_t> frame) {
    if (fcs_looked_ == kLookForFcs || frame.size() <= kMinFrameBytes) return;
    ++fcs_looked_;
    fcs_found_ += capture::ends_with_fcs(frame);
  }

  /// What was made of the capture, and what of it was left out.
  std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    const auto leave = [&](const char* reason, const std::string& what) {
      const auto bytes = skipped_bytes_.find(reason);
      if (bytes == skipped_bytes_.end()) return;
      notes.push_back(left_out(bytes->second, wire_bytes_,
                               fmt::format("{} frame{} {}", skipped_.at(reason),
                                           skipped_.at(reason) == 1 ? "" : "s", what)));
    };
    leave("truncated", fmt::format("captured short; {}", kCaptureWhole));
    leave("overlong", fmt::format("above 9,018 bytes; {}", kSegmentRemedy));
    if (fcs_looked_ >= 4 && fcs_found_ * 10 >= fcs_looked_ * 9) {
      notes.push_back(fcs_note(fcs_found_, fcs_looked_));
    }
    if (linkless_ != 0) {
      notes.push_back(fmt::format(
          "{} packets came without Ethernet's header: one was made for each", linkless_));
    }
    return notes;
  }

  static constexpr uint64_t kLookForFcs = 256;

  capture::Reader reader_;
  const capture::Filter* filter_;
  uint64_t limit_;
  CaptureClock clock_;
  const Wire wire_;
  const int64_t ps_a_byte_;
  std::vector<Schedule> ports_;
  std::unordered_map<uint64_t, size_t> stations_;
  std::map<std::string, uint64_t> skipped_, skipped_bytes_;
  uint64_t selected_ = 0, padded_ = 0, wire_bytes_ = 0, linkless_ = 0;
  uint64_t fcs_looked_ = 0, fcs_found_ = 0;
};

/// A capture's frames, a reader for each port: on a port they are in the order of the file.
class CapturedFrames final : public Frames {
 public:
  CapturedFrames(const StimulusSpec& stimulus, int ports, const Wire& wire,
                 const OptionSet& options)
      : filter_(compile(stimulus.filter)) {
    for (int port = 0; port < ports; ++port) {
      ports_.push_back(
          {FrameReader(stimulus, ports, wire, filter_ ? &*filter_ : nullptr, options), {}, 0});
    }
    for (size_t port = 0; port < ports_.size(); ++port) load(port);
  }

  std::optional<Frame> next() override {
    size_t first = 0;
    for (size_t p = 1; p < ports_.size(); ++p) {
      if (comes_before(ports_[p], ports_[first])) first = p;
    }
    std::optional<Frame> frame = std::move(ports_[first].frame);
    if (frame) load(first);
    return frame;
  }
  FrameFacts facts() const override { return ports_.front().reader.facts(); }
  uint64_t expected() const override { return ports_.front().reader.expected(); }

 private:
  struct Port {
    FrameReader reader;
    std::optional<Frame> frame;  ///< the next one
    uint64_t order;              ///< its place among all, in the file
  };

  static bool comes_before(const Port& a, const Port& b) {
    if (!a.frame || !b.frame) return a.frame.has_value() && !b.frame.has_value();
    return std::pair(a.frame->time_ns, a.order) < std::pair(b.frame->time_ns, b.order);
  }
  /// The first port's reader is the one that counts.
  void load(size_t p) {
    Port& port = ports_[p];
    port.frame = port.reader.next(static_cast<int>(p), /*to_the_end=*/p == 0);
    port.order = port.reader.selected();
  }

  std::optional<capture::Filter> filter_;
  std::vector<Port> ports_;
};

/// Frames that are there already.
class ListedFrames final : public Frames {
 public:
  explicit ListedFrames(FrameList list) : list_(std::move(list)) {}

  std::optional<Frame> next() override {
    if (next_ == list_.frames.size()) return std::nullopt;
    return std::move(list_.frames[next_++]);
  }
  FrameFacts facts() const override { return list_; }
  uint64_t expected() const override { return list_.frames.size(); }

 private:
  FrameList list_;
  size_t next_ = 0;
};

}  // namespace

FrameList read_all(Frames& frames) {
  FrameList list;
  while (std::optional<Frame> frame = frames.next()) list.frames.push_back(std::move(*frame));
  static_cast<FrameFacts&>(list) = frames.facts();
  return list;
}

std::unique_ptr<Frames> open_capture_frames(const StimulusSpec& stimulus, int ports,
                                            const Wire& wire, const OptionSet& options) {
  std::error_code unknown;
  if (std::filesystem::is_regular_file(stimulus.trace, unknown)) {
    return std::make_unique<CapturedFrames>(stimulus, ports, wire, options);
  }
  return std::make_unique<ListedFrames>(load_frames(stimulus, ports, wire, options));
}

FrameList load_frames(const StimulusSpec& stimulus, int ports, const Wire& wire,
                      const OptionSet& options) {
  const std::optional<capture::Filter> filter = compile(stimulus.filter);
  FrameReader reader(stimulus, ports, wire, filter ? &*filter : nullptr, options);
  FrameList list;
  while (auto frame = reader.next(FrameReader::kAnyPort, true)) {
    list.frames.push_back(std::move(*frame));
  }
  std::ranges::stable_sort(list.frames, {}, &Frame::time_ns);
  static_cast<FrameFacts&>(list) = reader.facts();
  return list;
}

namespace {

/// Why there is no frame, and what to do about it.
std::string none_of(const FrameFacts& known) {
  if (!known.incomplete.empty()) return known.incomplete;
  const std::string sentence =
      fmt::format("'{}' holds no Ethernet frame", known.path.empty() ? known.synth : known.path);
  if (known.trace.contains("/skipped/filter"_json_pointer) && known.trace["skipped"].size() == 1) {
    return sentence + " that the filter lets through";
  }
  if (!known.trace.contains("skipped") || known.trace["skipped"].empty()) return sentence;
  const nlohmann::json& skipped = known.trace["skipped"];
  const bool short_ones = skipped.contains("truncated"), long_ones = skipped.contains("overlong");
  return sentence + fmt::format(" that can be fed: {}{}{}{}{}", skipped_words(skipped),
                                short_ones ? "; " : "", short_ones ? kCaptureWhole : "",
                                long_ones ? "; " : "", long_ones ? kSegmentRemedy : "");
}

}  // namespace

FrameSource::FrameSource(FrameList list, bool by_port)
    : FrameSource(std::make_unique<ListedFrames>(std::move(list)), by_port) {}

FrameSource::FrameSource(std::unique_ptr<Frames> frames, bool by_port)
    : frames_(std::move(frames)), by_port_(by_port), first_(frames_->next()) {
  const FrameFacts known = frames_->facts();
  if (!first_) throw InputError(none_of(known));
  facts_.path = known.path;
  facts_.name = !known.path.empty()              ? known.path
                : known.trace.contains("random") ? "random traffic " + known.synth
                                                 : "the synthetic stimulus " + known.synth;
  facts_.begin_ns = first_->time_ns;
}

std::optional<RawPacket> FrameSource::next() {
  std::optional<Frame> frame = std::exchange(first_, std::nullopt);
  if (!frame) frame = frames_->next();
  if (!frame) return std::nullopt;
  RawPacket packet;
  packet.bytes = std::move(frame->bytes);
  packet.trace_number = frame->trace_number;
  packet.measured = frame->measured;
  packet.error = frame->error;
  packet.odd = std::move(frame->odd);
  packet.gap = frame->gap;
  packet.own_config = frame->own_config;
  packet.config = frame->config;
  packet.time_ns = frame->time_ns - facts_.begin_ns;
  const auto port = static_cast<uint32_t>(frame->port);
  if (by_port_) {
    packet.port = port;
  } else {
    packet.meta = port;
    packet.meta_behind = frame->port_behind;
  }
  return packet;
}

const SourceFacts& FrameSource::facts() const {
  FrameFacts known = frames_->facts();
  facts_.trace = std::move(known.trace);
  facts_.incomplete = std::move(known.incomplete);
  return facts_;
}

}  // namespace gw::sim
