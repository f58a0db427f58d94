// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <pcap/pcap.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "models/reference/capture/capture.h"
#include "models/reference/capture/close_pcap.h"
#include "models/reference/capture/input.h"
#include "models/reference/capture/link.h"
#include "models/reference/capture/pcapng.h"

namespace gw::capture {
namespace {

Error error_of(const std::string& file, const std::string& what) {
  return {file, std::nullopt, std::nullopt, fmt::format("{}: {}.", file, what)};
}

struct Format {
  std::string name = "pcap";
  Precision precision = Precision::kNanoseconds;
};

constexpr std::array<unsigned char, 4> kPcapng{0x0A, 0x0D, 0x0D, 0x0A};

/// pcap by its first four bytes.
Format format_of(std::span<const std::uint8_t> magic) {
  struct Known {
    std::array<unsigned char, 4> magic;
    const char* name;
    Precision precision;
  };
  static constexpr std::array<Known, 4> kKnown{{
      {{0xD4, 0xC3, 0xB2, 0xA1}, "pcap, microseconds, little-endian", Precision::kMicroseconds},
      {{0xA1, 0xB2, 0xC3, 0xD4}, "pcap, microseconds, big-endian", Precision::kMicroseconds},
      {{0x4D, 0x3C, 0xB2, 0xA1}, "pcap, nanoseconds, little-endian", Precision::kNanoseconds},
      {{0xA1, 0xB2, 0x3C, 0x4D}, "pcap, nanoseconds, big-endian", Precision::kNanoseconds},
  }};
  for (const auto& known : kKnown) {
    if (std::ranges::equal(known.magic, magic)) return {known.name, known.precision};
  }
  return {};  // libpcap knows a few more, and has the last word
}

/// The FCS that a pcap's header declares, in bytes (bits 26 and 28-31 of the link type).
std::size_t declared_fcs(int extended_link_type) {
  const auto bits = static_cast<std::uint32_t>(extended_link_type);
  return (bits & 0x04000000) != 0 ? 2 * (bits >> 28) : 0;
}

/// Takes an FCS off a frame's end, as far as it was captured.
void take_off(std::size_t fcs, Record& record) {
  if (fcs == 0 || record.original_length < fcs) return;
  record.original_length -= fcs;
  record.bytes = record.bytes.first(std::min(record.bytes.size(), record.original_length));
}

}  // namespace

struct Reader::Impl {
  explicit Impl(Input opened) : input(std::move(opened)) {}

  std::string file;
  Format format;
  Input input;
  ReaderOptions options;
  std::unique_ptr<pcap_t, ClosePcap> pcap;  // before `input` goes: it has its stream
  std::optional<PcapngBlocks> blocks;       // one of the two
  std::optional<PcapngBlocks::Next> ahead;  // what was read to see which link it is
  std::size_t pcap_fcs = 0, fcs = 0;        // declared by the file; of the last packet
  Stored stored;
  std::vector<std::uint8_t> before;
  std::vector<std::uint8_t> frame;  // with a header made for it
  std::vector<std::vector<std::uint8_t>> segments;
  std::size_t next_segment = 0;
  Record segmented;
  std::uint64_t packets = 0, given = 0;
  bool over = false;
  std::optional<Error> damage;

  void damaged(std::optional<std::uint64_t> at, bool cut, const std::string& why) {
    over = true;
    const std::uint64_t number = packets + 1;
    const std::string where = at ? fmt::format(" at offset {}", *at) : "";
    damage = Error{file, number, at,
                   fmt::format("{}: packet {}{} {}.", file, number, where,
                               cut ? "is cut off by the end of the file"
                                   : fmt::format("cannot be read ({})", why))};
  }

  /// The next packet as it lies in the file; false at its end.
  bool read_pcapng(Record& record) {
    const PcapngBlocks::Next next = ahead ? *std::exchange(ahead, std::nullopt) : blocks->next();
    before = blocks->take_before();
    stored = {};
    stored.before = before;
    switch (next) {
      case PcapngBlocks::Next::kEnd:
        over = true;
        return false;
      case PcapngBlocks::Next::kCut:
      case PcapngBlocks::Next::kBad: {
        const bool compressed = !input.compression().empty();
        damaged(compressed || !input.position() ? std::nullopt : std::optional(blocks->at()),
                next == PcapngBlocks::Next::kCut, blocks->why());
        return false;
      }
      case PcapngBlocks::Next::kPacket:
        break;
    }
    const PcapngBlocks::Packet& packet = blocks->packet();
    stored.link_type = packet.link_type;
    stored.block = blocks->block();
    record.timestamp_ns = packet.timestamp_ns;
    record.original_length = std::max(packet.original_length, packet.bytes.size());
    record.bytes = packet.bytes;
    fcs = packet.fcs;
    return true;
  }

  bool read_pcap(Record& record) {
    const auto at = input.position();
    pcap_pkthdr* header = nullptr;
    const unsigned char* bytes = nullptr;
    const int status = pcap_next_ex(pcap.get(), &header, &bytes);
    if (status == PCAP_ERROR_BREAK) {
      over = true;
      return false;
    }
    if (status != 1) {
      const char* const why = pcap_geterr(pcap.get());
      damaged(at, input.damage().empty() && std::strstr(why, "truncated") != nullptr,
              input.damage().empty() ? why : input.damage());
      return false;
    }
    constexpr std::int64_t kMaxSeconds = INT64_MAX / 1000000000 - 1;
    record.timestamp_ns =
        std::clamp(std::int64_t{header->ts.tv_sec}, -kMaxSeconds, kMaxSeconds) * 1000000000 +
        std::clamp(std::int64_t{header->ts.tv_usec}, std::int64_t{0}, std::int64_t{999999999});
    record.original_length = std::max(header->len, header->caplen);
    record.bytes = {bytes, header->caplen};
    fcs = pcap_fcs;
    return true;
  }

  /// The next packet as an Ethernet frame without FCS.
  bool read(Record& record) {
    if (over || !(blocks ? read_pcapng(record) : read_pcap(record))) return false;
    ++packets;
    stored.bytes = record.bytes;
    stored.original_length = record.original_length;
    record.link = link_of(stored.link_type);
    if (record.link == Link::kEthernet) {
      take_off(fcs == 0 && options.strip_fcs ? kFcsBytes : fcs, record);
    } else if (record.link == Link::kOther) {
      record.bytes = {};
    } else {
      take_off(fcs, record);
      const std::ptrdiff_t grown = as_ethernet(stored.link_type, record.bytes, frame);
      const auto length = static_cast<std::ptrdiff_t>(record.original_length) + grown;
      record.original_length =
          std::max(frame.size(), static_cast<std::size_t>(std::max<std::ptrdiff_t>(length, 0)));
      record.bytes = frame;
    }
    return true;
  }

  std::optional<Record> next() {
    if (next_segment < segments.size()) {
      Record record = segmented;
      record.number = ++given;
      record.bytes = segments[next_segment++];
      record.original_length = record.bytes.size();
      return record;
    }
    Record record;
    if (!read(record)) return std::nullopt;
    if (options.segment != 0 && record.link != Link::kOther) {
      segments = cut_segments(record.bytes, record.original_length, options.segment);
      next_segment = 0;
      if (!segments.empty()) {
        segmented = record;
        return next();
      }
    }
    record.number = ++given;
    return record;
  }

  /// Fails with the sentence of a file that is none of the two.
  Status begin_pcap() {
    std::array<char, PCAP_ERRBUF_SIZE> why{};
    std::FILE* const stream = input.stream();
    pcap.reset(
        pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO, why.data()));
    if (!pcap) {
      std::fclose(stream);
      const bool cut = std::strstr(why.data(), "truncated") != nullptr;
      return error_of(
          file, fmt::format("{} ({})",
                            cut ? "ends within the file header" : "is not a pcap or pcapng capture",
                            input.damage().empty() ? why.data() : input.damage()));
    }
    stored.link_type = static_cast<std::uint32_t>(pcap_datalink(pcap.get()));
    pcap_fcs = declared_fcs(pcap_datalink_ext(pcap.get()));
    return link_of(stored.link_type) == Link::kOther ? refuse_link(stored.link_type) : Status();
  }

  Status begin_pcapng() {
    blocks.emplace(input, options.keep_blocks);
    const PcapngBlocks::Next next = blocks->next();
    const auto& interfaces = blocks->interfaces();
    if (next == PcapngBlocks::Next::kBad && interfaces.empty()) {
      return error_of(file, fmt::format("is not a pcap or pcapng capture ({})", blocks->why()));
    }
    if (interfaces.empty()) return error_of(file, "ends within the file header");
    if (std::ranges::all_of(interfaces, [](const PcapngBlocks::Interface& i) {
          return link_of(i.link_type) == Link::kOther;
        })) {
      return refuse_link(interfaces.front().link_type);
    }
    ahead = next;
    return std::nullopt;
  }

  Status refuse_link(std::uint32_t link_type) const {
    return error_of(file, fmt::format("has link type {}: Ethernet, IP without a link, Linux cooked "
                                      "(SLL, SLL2) and loopback are read",
                                      link_name(link_type)));
  }
};

Reader::Reader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

Expected<Reader> Reader::open(const std::filesystem::path& file, const ReaderOptions& options) {
  auto input = Input::open(file);
  if (!input) return input.error();
  auto impl = std::make_unique<Impl>(std::move(input).value());
  impl->file = file.string();
  impl->options = options;
  const auto head = impl->input.head();
  if (head.empty()) return error_of(impl->file, "is empty");
  if (head.size() < kPcapng.size()) return error_of(impl->file, "ends within the file header");
  const bool pcapng = std::ranges::equal(head.first(kPcapng.size()), kPcapng);
  impl->format =
      pcapng ? Format{"pcapng", Precision::kNanoseconds} : format_of(head.first(kPcapng.size()));
  if (auto error = pcapng ? impl->begin_pcapng() : impl->begin_pcap()) return *error;
  if (!impl->input.compression().empty()) {
    impl->format.name += fmt::format(", {}", impl->input.compression());
  }
  return Reader(std::move(impl));
}

std::optional<Record> Reader::next() { return impl_->next(); }
const Stored& Reader::stored() const { return impl_->stored; }
bool Reader::is_pcapng() const { return impl_->blocks.has_value(); }

const std::string& Reader::file() const { return impl_->file; }
const std::string& Reader::format() const { return impl_->format.name; }
Precision Reader::precision() const { return impl_->format.precision; }
std::uint64_t Reader::packets() const { return impl_->given; }
const std::optional<Error>& Reader::damage() const { return impl_->damage; }

double Reader::progress() const { return impl_->over ? 1 : impl_->input.progress(); }

Packet packet_of(const Record& record) {
  Packet packet;
  packet.number = record.number;
  packet.timestamp_ns = record.timestamp_ns;
  packet.original_length = record.original_length;
  packet.bytes.assign(record.bytes.begin(), record.bytes.end());
  packet.layers = decode(packet.bytes, packet.original_length);
  if (record.link == Link::kOther) packet.layers.stopped = Skip::kOtherLink;
  return packet;
}

Expected<Capture> read(const std::filesystem::path& file, const ReadOptions& options) {
  auto reader = Reader::open(file, options.reader);
  if (!reader) return reader.error();
  Capture capture;
  capture.file = reader->file();
  capture.format = reader->format();
  capture.precision = reader->precision();
  while (options.max_packets == 0 || capture.packets.size() < options.max_packets) {
    const auto record = reader->next();
    if (!record) break;
    capture.packets.push_back(packet_of(*record));
  }
  capture.damage = reader->damage();
  return capture;
}

}  // namespace gw::capture
