// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstring>
#include <iterator>
#include <numeric>

#include "models/reference/capture/capture.h"

namespace gw::capture {
namespace {

static_assert(std::endian::native == std::endian::little, "floats are taken as they lie in memory");

constexpr std::uint64_t kReach = std::uint64_t{1}
                                 << 31;  // how far back a sequence number can point
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
  /// Nobody will ask for bytes before `first` again.
  void forget(std::uint64_t first) {
    while (!ranges_.empty() && ranges_.begin()->second < first) ranges_.erase(ranges_.begin());
  }

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_;  // first -> last, not included
};

/// One direction of a TCP connection.
struct Stream {
  std::optional<std::uint32_t> first_sequence;
  std::uint64_t highest =
      0;  ///< offset after the last byte accounted for: unwraps the sequence numbers
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

}  // namespace

struct Selector::Impl {
  explicit Impl(SelectOptions selected) : options_(std::move(selected)) {}

  std::optional<GradientPayload> take(const Packet& packet) {
    ++out_.packets;
    out_.wire_bytes += packet.original_length;
    GradientPayload payload;
    payload.packet = packet.number;
    if (const auto reason = consider(packet, payload)) {
      out_.skipped.add(*reason, packet.original_length);
      return std::nullopt;
    }
    Flow& flow = out_.flows[payload.flow];
    ++flow.selected;
    flow.selected_bytes += payload.bytes.size();
    out_.bytes += payload.bytes.size();
    out_.ipv6 += flow.key.ipv6;
    return payload;
  }

  std::size_t flow_index(const FlowKey& key) {
    const auto [it, is_new] = index_.try_emplace(key, out_.flows.size());
    if (is_new) {
      out_.flows.emplace_back().key = key;
      Stream& stream = streams_.emplace_back();
      if (const auto given = options_.first_sequence.find(key);
          given != options_.first_sequence.end()) {
        out_.flows.back().first_sequence = stream.first_sequence = given->second;
      }
    }
    return it->second;
  }

  /// Fills `payload`, or says why the packet is not selected.
  std::optional<Skip> consider(const Packet& packet, GradientPayload& payload) {
    const Layers& layers = packet.layers;
    const std::optional<std::uint8_t> tos = layers.tos();
    if (!tos) return layers.stopped;
    if (layers.other_tags && !options_.any_tags) return Skip::kVlanTags;
    const std::uint8_t difference = (*tos ^ options_.tos) & options_.tos_mask;
    const bool marked = difference == 0;
    out_.marked += marked;

    const auto key = layers.flow();
    if (key) {
      payload.flow = flow_index(*key);
      Flow& flow = out_.flows[payload.flow];
      ++flow.packets;
      flow.payload_bytes += layers.payload_length;
      flow.marked += marked;
      if (layers.tcp && layers.tcp->syn) {
        start(streams_[payload.flow], *layers.tcp);
        flow.first_sequence = streams_[payload.flow].first_sequence;
      }
    }
    if (!marked && layers.payload_length != 0) ++out_.unmarked_tos[*tos & 0xFC];
    if (!marked) return (difference & 0xFC) == 0 ? Skip::kNotMarkedEcn : Skip::kNotMarked;
    if (layers.stopped) return layers.stopped;
    if (layers.payload_length == 0) return Skip::kNoPayload;
    if (layers.tcp) return consider_tcp(packet, payload);

    if (layers.payload_length % 4 != 0 && !options_.any_length) return Skip::kUnalignedLength;
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
    // A SYN that carries data: the data begins after the SYN's own number.
    const std::uint32_t sequence = layers.tcp->sequence + (layers.tcp->syn ? 1 : 0);
    if (!stream.first_sequence) {
      if (!options_.assume_first_segment_aligned) return Skip::kNoStreamStart;
      ++out_.assumed;
      out_.flows[payload.flow].assumed = true;
      out_.flows[payload.flow].first_sequence = stream.first_sequence = sequence;
    }
    const auto offset = stream.offset_of(sequence);
    if (!offset) return Skip::kBadSequence;
    const std::uint64_t end = *offset + layers.payload_length;
    if (end > stream.highest) {
      stream.highest = end;
      if (end > kReach) stream.seen.forget(end - kReach);
    }
    const bool on_grid = options_.grid == Grid::kPacket || *offset % 4 == 0;
    if (!options_.any_length && (!on_grid || layers.payload_length % 4 != 0)) {
      return Skip::kUnaligned;
    }
    if (layers.payload_captured < layers.payload_length) return Skip::kTruncated;
    if (stream.seen.add(*offset, end) && !options_.keep_duplicates) return Skip::kDuplicate;
    payload.stream_offset = *offset;
    payload.bytes = packet.payload();
    return std::nullopt;
  }

  SelectOptions options_;
  Selection out_;
  std::map<FlowKey, std::size_t> index_;
  std::vector<Stream> streams_;  // beside out_.flows
};

Selector::Selector(SelectOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Selector::Selector(Selector&&) noexcept = default;
Selector& Selector::operator=(Selector&&) noexcept = default;
Selector::~Selector() = default;

std::optional<GradientPayload> Selector::take(const Packet& packet) { return impl_->take(packet); }
const Selection& Selector::sums() const { return impl_->out_; }

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
  Selector selector(options);
  std::vector<GradientPayload> payloads;
  for (std::size_t i = 0; i < capture.packets.size(); ++i) {
    auto payload = selector.take(capture.packets[i]);
    if (!payload) continue;
    payload->index = i;
    payloads.push_back(*payload);
  }
  Selection selection = selector.sums();
  selection.payloads = std::move(payloads);
  return selection;
}

}  // namespace gw::capture
