#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "models/reference/capture/capture.h"

namespace gw::capture {
namespace {

/// The packets of a capture that a filter lets through, from the first one as often as need be.
class Passes {
 public:
  /// `again`: there will be a second pass. What can be read only once is then held.
  static Expected<Passes> open(const std::filesystem::path& file, const Filter* filter,
                               bool again) {
    auto reader = Reader::open(file);
    if (!reader) return reader.error();
    Passes passes(std::move(reader).value(), filter);
    std::error_code unknown;
    if (again && !std::filesystem::is_regular_file(file, unknown)) {
      while (const auto record = passes.reader_.next()) passes.held_.push_back(packet_of(*record));
      passes.holds_ = true;
    }
    return passes;
  }

  /// The next packet; it holds until the next call.
  std::optional<Record> next() {
    while (const std::optional<Record> record = read()) {
      if (filter_ == nullptr || filter_->matches(record->bytes, record->original_length)) {
        return record;
      }
    }
    return std::nullopt;
  }
  Status rewind() {
    next_ = 0;
    if (holds_) return std::nullopt;
    auto reader = Reader::open(reader_.file());
    if (!reader) return reader.error();
    reader_ = std::move(reader).value();
    return std::nullopt;
  }
  const Reader& reader() const { return reader_; }

 private:
  Passes(Reader reader, const Filter* filter) : reader_(std::move(reader)), filter_(filter) {}

  std::optional<Record> read() {
    if (!holds_) return reader_.next();
    if (next_ == held_.size()) return std::nullopt;
    const Packet& packet = held_[next_++];
    return Record{packet.number, packet.timestamp_ns, packet.original_length, packet.bytes};
  }

  Reader reader_;
  const Filter* filter_;
  bool holds_ = false;
  std::vector<Packet> held_;
  std::size_t next_ = 0;
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

  auto writer = PcapWriter::open(file, passes->reader().precision());
  if (!writer) return writer.error();
  Sliced result;
  bool full = false;
  while (const std::optional<Record> record = passes->next()) {
    ++result.of;
    const bool in_range = record->number >= options.first && record->number <= options.last;
    if (full || (!in_range && !syns.contains(record->number))) continue;
    full = options.max_file_bytes != 0 &&
           writer->file_bytes() + PcapWriter::kRecordHeader + record->bytes.size() >
               options.max_file_bytes;
    if (full) continue;
    if (auto error = writer->write(record->timestamp_ns, record->bytes, record->original_length)) {
      return *error;
    }
  }
  if (auto error = writer->close()) return *error;
  result.written = writer->packets();
  result.damage = passes->reader().damage();
  return result;
}

}  // namespace gw::capture
