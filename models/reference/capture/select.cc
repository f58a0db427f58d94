#include <bit>
#include <cstring>
#include <iterator>
#include <numeric>

#include "models/reference/capture/capture.h"

namespace gw::capture {
namespace {

static_assert(std::endian::native == std::endian::little, "floats are taken as they lie in memory");

constexpr std::int64_t kMaxWindow = std::int64_t{1} << 30;  // the largest TCP window (RFC 7323)

/// Which bytes of a stream were seen, as disjoint ranges.
class SeenBytes {
 public:
  /// True if all of [first, last) was there already; it is from now on.
  bool add(std::uint64_t first, std::uint64_t last) {
    auto it = ranges_.upper_bound(first);
    if (it != ranges_.begin()) {
      const auto before = std::prev(it);
      if (before->second >= last) return true;
      if (before->second >= first) {
        first = before->first;
        it = before;
      }
    }
    while (it != ranges_.end() && it->first <= last) {
      last = std::max(last, it->second);
      it = ranges_.erase(it);
    }
    ranges_[first] = last;
    return false;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_;  // first -> last, not included
};

/// One direction of a TCP connection.
struct Stream {
  std::optional<std::uint32_t> first_sequence;
  std::uint64_t highest =
      0;  ///< offset behind the last byte accounted for: unwraps the sequence numbers
  SeenBytes seen;

  /// The offset of a sequence number; nothing if no segment in flight can have it.
  std::optional<std::uint64_t> offset_of(std::uint32_t sequence) const {
    const std::uint32_t expected = *first_sequence + static_cast<std::uint32_t>(highest);
    const auto distance = static_cast<std::int32_t>(sequence - expected);
    const std::int64_t offset = static_cast<std::int64_t>(highest) + distance;
    if (offset < 0 || distance > kMaxWindow) return std::nullopt;
    return static_cast<std::uint64_t>(offset);
  }
};

class Selector {
 public:
  Selector(const Capture& capture, const SelectOptions& options)
      : capture_(capture), options_(options) {}

  Selection run() {
    out_.packets = capture_.packets.size();
    for (std::size_t i = 0; i < capture_.packets.size(); ++i) {
      GradientPayload payload;
      payload.packet = capture_.packets[i].number;
      payload.index = i;
      if (const auto reason = consider(capture_.packets[i], payload)) {
        out_.skipped.add(*reason);
        continue;
      }
      Flow& flow = out_.flows[payload.flow];
      ++flow.selected;
      flow.selected_bytes += payload.bytes.size();
      out_.bytes += payload.bytes.size();
      out_.payloads.push_back(payload);
    }
    for (std::size_t f = 0; f < out_.flows.size(); ++f) {
      out_.flows[f].first_sequence = streams_[f].first_sequence;
    }
    return std::move(out_);
  }

 private:
  std::size_t flow_index(const FlowKey& key) {
    const auto [it, is_new] = index_.try_emplace(key, out_.flows.size());
    if (is_new) {
      out_.flows.emplace_back().key = key;
      Stream& stream = streams_.emplace_back();
      if (const auto given = options_.first_sequence.find(key);
          given != options_.first_sequence.end()) {
        stream.first_sequence = given->second;
      }
    }
    return it->second;
  }

  /// Fills `payload`, or says why the packet is not selected.
  std::optional<Skip> consider(const Packet& packet, GradientPayload& payload) {
    const Layers& layers = packet.layers;
    if (!layers.ipv4) return layers.stopped;
    const std::uint8_t difference = (layers.ipv4->tos ^ options_.tos) & options_.tos_mask;
    const bool marked = difference == 0;
    out_.marked += marked;

    const auto key = layers.flow();
    if (key) {
      payload.flow = flow_index(*key);
      Flow& flow = out_.flows[payload.flow];
      ++flow.packets;
      flow.payload_bytes += layers.payload_length;
      flow.marked += marked;
      if (layers.tcp && layers.tcp->syn) start(streams_[payload.flow], *layers.tcp);
    }
    if (!marked) return (difference & 0xFC) == 0 ? Skip::kNotMarkedEcn : Skip::kNotMarked;
    if (layers.stopped) return layers.stopped;
    if (layers.payload_length == 0) return Skip::kNoPayload;
    if (layers.tcp) return consider_tcp(packet, payload);

    if (layers.payload_length % 4 != 0) return Skip::kUnalignedLength;
    if (layers.payload_captured < layers.payload_length) return Skip::kTruncated;
    payload.bytes = packet.payload();
    return std::nullopt;
  }

  static void start(Stream& stream, const TcpHeader& tcp) {
    const std::uint32_t first = tcp.sequence + 1;  // the SYN itself takes one number
    if (stream.first_sequence == first) return;    // said again
    stream = Stream{};
    stream.first_sequence = first;
  }

  std::optional<Skip> consider_tcp(const Packet& packet, GradientPayload& payload) {
    const Layers& layers = packet.layers;
    Stream& stream = streams_[payload.flow];
    // A SYN that carries data: the data begins behind the SYN's own number.
    const std::uint32_t sequence = layers.tcp->sequence + (layers.tcp->syn ? 1 : 0);
    if (!stream.first_sequence) {
      if (!options_.assume_first_segment_aligned) return Skip::kNoStreamStart;
      stream.first_sequence = sequence;
    }
    const auto offset = stream.offset_of(sequence);
    if (!offset) return Skip::kBadSequence;
    const std::uint64_t end = *offset + layers.payload_length;
    stream.highest = std::max(stream.highest, end);
    if (*offset % 4 != 0 || layers.payload_length % 4 != 0) return Skip::kUnaligned;
    if (layers.payload_captured < layers.payload_length) return Skip::kTruncated;
    if (stream.seen.add(*offset, end) && !options_.keep_duplicates) return Skip::kDuplicate;
    payload.stream_offset = *offset;
    payload.bytes = packet.payload();
    return std::nullopt;
  }

  const Capture& capture_;
  const SelectOptions& options_;
  Selection out_;
  std::map<FlowKey, std::size_t> index_;
  std::vector<Stream> streams_;  // beside out_.flows
};

}  // namespace

std::uint64_t SkipCounts::total() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

std::map<std::string, std::uint64_t> SkipCounts::by_name() const {
  std::map<std::string, std::uint64_t> names;
  for (std::size_t i = 0; i < kSkipCount; ++i) {
    if (counts_[i] != 0) names.emplace(name_of(static_cast<Skip>(i)), counts_[i]);
  }
  return names;
}

std::vector<float> GradientPayload::values() const {
  std::vector<float> out(floats());
  std::memcpy(out.data(), bytes.data(), out.size() * sizeof(float));
  return out;
}

Selection select(const Capture& capture, const SelectOptions& options) {
  return Selector(capture, options).run();
}

}  // namespace gw::capture
