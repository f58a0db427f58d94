// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "models/reference/capture/capture.h"
#include "models/reference/capture/link.h"

namespace gw::capture {
namespace {

/// The packets of a capture that a filter lets through, from the first one as often as need be.
class Passes {
 public:
  /// `again`: there will be a second pass. What can be read only once is then held.
  static Expected<Passes> open(const std::filesystem::path& file, const Filter* filter,
                               bool again) {
    auto reader = Reader::open(file, kReading);
    if (!reader) return reader.error();
    Passes passes(std::move(reader).value(), filter);
    std::error_code unknown;
    if (again && !std::filesystem::is_regular_file(file, unknown)) {
      while (const auto record = passes.reader_.next()) {
        passes.held_.push_back(Held::of(*record, passes.reader_.stored()));
      }
      passes.held_.push_back(Held::of({}, passes.reader_.stored()));
      passes.holds_ = true;
    }
    return passes;
  }

  /// The next packet; it holds until the next call. `act` is called with each that the filter does
  /// not let through, too, and with what follows the last one.
  template <class Act>
  std::optional<Record> next(const Act& act) {
    for (;;) {
      const std::optional<Record> record = read();
      act(stored_);
      if (!record) return std::nullopt;
      if (filter_ == nullptr || filter_->matches(record->bytes, record->original_length)) {
        return record;
      }
    }
  }
  std::optional<Record> next() {
    return next([](const Stored&) {});
  }
  const Stored& stored() const { return stored_; }
  Status rewind() {
    next_ = 0;
    if (holds_) return std::nullopt;
    auto reader = Reader::open(reader_.file(), kReading);
    if (!reader) return reader.error();
    reader_ = std::move(reader).value();
    return std::nullopt;
  }
  const Reader& reader() const { return reader_; }

 private:
  static constexpr ReaderOptions kReading = {.keep_blocks = true};

  /// A packet and what the file has of it.
  struct Held {
    Record record;
    Stored stored;
    std::vector<std::uint8_t> frame, bytes, block, before;

    static Held of(const Record& record, const Stored& stored) {
      const auto copy = [](std::span<const std::uint8_t> of) {
        return std::vector<std::uint8_t>(of.begin(), of.end());
      };
      return {record,
              stored,
              copy(record.bytes),
              copy(stored.bytes),
              copy(stored.block),
              copy(stored.before)};
    }
  };

  Passes(Reader reader, const Filter* filter) : reader_(std::move(reader)), filter_(filter) {}

  std::optional<Record> read() {
    if (!holds_) {
      const std::optional<Record> record = reader_.next();
      stored_ = reader_.stored();
      return record;
    }
    const Held& held = held_[next_];
    stored_ = {held.stored.link_type, held.stored.original_length, held.bytes, held.block,
               held.before};
    if (next_ + 1 == held_.size()) return std::nullopt;
    ++next_;
    Record record = held.record;
    record.bytes = held.frame;
    return record;
  }

  Reader reader_;
  const Filter* filter_;
  bool holds_ = false;
  std::vector<Held> held_;
  std::size_t next_ = 0;
  Stored stored_;
};

/// What a slice is written into: blocks as they are, or frames.
class Output {
 public:
  static Expected<Output> open(const std::filesystem::path& file, const Reader& reader) {
    Output out;
    out.reader_ = &reader;
    if (reader.is_pcapng() && file.extension() != ".pcap") {
      auto writer = PcapngWriter::open_bare(file);
      if (!writer) return writer.error();
      out.pcapng_.emplace(std::move(writer).value());
    }
    out.file_ = file;
    return out;
  }
  /// What stands before a packet, of the slice or not.
  Status passes(const Stored& stored) {
    return pcapng_ ? pcapng_->copy(stored.before, false) : std::nullopt;
  }
  std::uint64_t bytes_with(const Stored& stored, const Record& record) const {
    if (pcapng_) return pcapng_->file_bytes() + stored.block.size();
    return (pcap_ ? pcap_->file_bytes() : PcapWriter::kFileHeader) + PcapWriter::kRecordHeader +
           bytes_of(stored, record).size();
  }
  Status write(const Stored& stored, const Record& record) {
    if (pcapng_) return pcapng_->copy(stored.block, true);
    if (auto error = begin_pcap(stored.link_type)) return error;
    if (stored.link_type != link_type_) {
      return Error{
          file_.string(), record.number, std::nullopt,
          fmt::format("{}: packet {} has link type {}, which a pcap of link type {} cannot "
                      "hold: name the file .pcapng.",
                      file_.string(), record.number, link_name(stored.link_type),
                      link_name(link_type_))};
    }
    const bool ethernet = record.link == Link::kEthernet;
    return pcap_->write(record.timestamp_ns, bytes_of(stored, record),
                        ethernet ? record.original_length : stored.original_length);
  }
  Status close() {
    if (pcapng_) return pcapng_->close();
    // A slice without packets is a capture, too.
    if (auto error = begin_pcap(kEthernetLink)) return error;
    return pcap_->close();
  }
  std::uint64_t packets() const { return pcapng_ ? pcapng_->packets() : pcap_->packets(); }

 private:
  static constexpr std::uint32_t kEthernetLink = 1;

  /// A pcap does not say which packets have an FCS: it is left out.
  static std::span<const std::uint8_t> bytes_of(const Stored& stored, const Record& record) {
    return record.link == Link::kEthernet ? record.bytes : stored.bytes;
  }
  Status begin_pcap(std::uint32_t link_type) {
    if (pcap_) return std::nullopt;
    auto writer = PcapWriter::open(file_, reader_->precision(), link_type);
    if (!writer) return writer.error();
    pcap_.emplace(std::move(writer).value());
    link_type_ = link_type;
    return std::nullopt;
  }

  std::filesystem::path file_;
  const Reader* reader_ = nullptr;
  std::optional<PcapWriter> pcap_;
  std::optional<PcapngWriter> pcapng_;
  std::uint32_t link_type_ = 0;
};

/// The SYNs before the range of flows that have packets in it; per flow the last one counts.
std::set<std::uint64_t> syns_before(Passes& passes, const SliceOptions& options) {
  std::map<FlowKey, std::uint64_t> syn_of;
  std::set<std::uint64_t> kept;
  while (const std::optional<Record> record = passes.next()) {
    if (record->number > options.last) break;
    const Layers layers = decode(record->bytes, record->original_length);
    const auto flow = layers.flow();
    if (!flow || !layers.tcp) continue;
    if (record->number < options.first) {
      if (layers.tcp->syn) syn_of[*flow] = record->number;
    } else if (const auto found = syn_of.find(*flow); found != syn_of.end()) {
      kept.insert(found->second);
      syn_of.erase(found);
    }
  }
  return kept;
}

}  // namespace

Expected<Sliced> slice(const std::filesystem::path& capture, const std::filesystem::path& file,
                       const SliceOptions& options) {
  const bool may_have_syns = options.keep_syn && options.first > 1;
  auto passes = Passes::open(capture, options.filter, may_have_syns);
  if (!passes) return passes.error();
  std::error_code ignored;
  if (std::filesystem::equivalent(capture, file, ignored)) {
    return Error{file.string(), std::nullopt, std::nullopt,
                 fmt::format("{}: is the capture itself, choose another file.", file.string())};
  }
  std::set<std::uint64_t> syns;
  if (may_have_syns) {
    syns = syns_before(*passes, options);
    if (auto error = passes->rewind()) return *error;
  }

  auto output = Output::open(file, passes->reader());
  if (!output) return output.error();
  Sliced result;
  bool full = false;
  Status failed;
  const auto pass = [&](const Stored& stored) {
    if (!failed) failed = output->passes(stored);
  };
  while (const std::optional<Record> record = passes->next(pass)) {
    if (failed) return *failed;
    ++result.of;
    const bool in_range = record->number >= options.first && record->number <= options.last;
    if (full || (!in_range && !syns.contains(record->number))) continue;
    full = options.max_file_bytes != 0 &&
           output->bytes_with(passes->stored(), *record) > options.max_file_bytes;
    if (full) continue;
    if (auto error = output->write(passes->stored(), *record)) return *error;
  }
  if (failed) return *failed;
  if (auto error = output->close()) return *error;
  result.written = output->packets();
  result.damage = passes->reader().damage();
  return result;
}

}  // namespace gw::capture
