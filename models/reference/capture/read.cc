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

namespace gw::capture {
namespace {

struct CloseFile {
  void operator()(std::FILE* f) const { std::fclose(f); }
};

Error error_of(const std::string& file, const std::string& what) {
  return {file, std::nullopt, std::nullopt, fmt::format("{}: {}.", file, what)};
}

/// The position in the file, where it has positions (a pipe has none).
std::optional<std::uint64_t> position(std::FILE* f) {
  const off_t at = ftello(f);
  if (at < 0) return std::nullopt;
  return static_cast<std::uint64_t>(at);
}

struct Format {
  std::string name = "pcap or pcapng";
  Precision precision = Precision::kNanoseconds;
};

/// The formats by their first four bytes.
std::optional<Format> format_of(const std::array<unsigned char, 4>& magic) {
  struct Known {
    std::array<unsigned char, 4> magic;
    const char* name;
    Precision precision;
  };
  static constexpr std::array<Known, 5> kKnown{{
      {{0xD4, 0xC3, 0xB2, 0xA1}, "pcap, microseconds, little-endian", Precision::kMicroseconds},
      {{0xA1, 0xB2, 0xC3, 0xD4}, "pcap, microseconds, big-endian", Precision::kMicroseconds},
      {{0x4D, 0x3C, 0xB2, 0xA1}, "pcap, nanoseconds, little-endian", Precision::kNanoseconds},
      {{0xA1, 0xB2, 0x3C, 0x4D}, "pcap, nanoseconds, big-endian", Precision::kNanoseconds},
      {{0x0A, 0x0D, 0x0D, 0x0A}, "pcapng", Precision::kNanoseconds},
  }};
  for (const auto& known : kKnown) {
    if (known.magic == magic) return Format{known.name, known.precision};
  }
  return std::nullopt;
}

/// Looks at the first bytes of a file; a pipe, where that would consume them, is left to libpcap.
Expected<Format> probe(std::FILE* f, const std::string& name) {
  Format format;
  if (!position(f)) return format;
  std::array<unsigned char, 4> magic{};
  errno = 0;
  const std::size_t n = std::fread(magic.data(), 1, magic.size(), f);
  if (n < magic.size() && std::ferror(f) != 0) {
    return error_of(name, fmt::format("cannot be read ({})", std::strerror(errno)));
  }
  if (n == 0) return error_of(name, "is empty");
  if (n < magic.size()) return error_of(name, "ends within the file header");
  std::rewind(f);
  if (const auto known = format_of(magic)) return *known;
  return format;  // libpcap knows a few more, and has the last word
}

}  // namespace

struct Reader::Impl {
  std::string file;
  Format format;
  std::unique_ptr<pcap_t, ClosePcap> pcap;
  std::FILE* stream = nullptr;  // the pcap_t's
  double file_bytes = 0;        // 0: unknown
  std::uint64_t packets = 0;
  bool over = false;
  std::optional<Error> damage;
};

Reader::Reader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

Expected<Reader> Reader::open(const std::filesystem::path& file) {
  auto impl = std::make_unique<Impl>();
  const std::string& name = impl->file = file.string();
  std::unique_ptr<std::FILE, CloseFile> stream(std::fopen(file.c_str(), "rb"));
  if (!stream) return error_of(name, fmt::format("cannot be opened ({})", std::strerror(errno)));
  auto format = probe(stream.get(), name);
  if (!format) return format.error();
  impl->format = std::move(format).value();

  std::array<char, PCAP_ERRBUF_SIZE> why{};
  impl->pcap.reset(pcap_fopen_offline_with_tstamp_precision(
      stream.get(), PCAP_TSTAMP_PRECISION_NANO, why.data()));
  if (!impl->pcap) {
    const bool cut = std::strstr(why.data(), "truncated") != nullptr;
    return error_of(
        name, fmt::format("{} ({})",
                          cut ? "ends within the file header" : "is not a pcap or pcapng capture",
                          why.data()));
  }
  impl->stream = stream.release();  // pcap_close closes it
  if (const int type = pcap_datalink(impl->pcap.get()); type != DLT_EN10MB) {
    const char* const type_name = pcap_datalink_val_to_name(type);
    return error_of(name, fmt::format("has link type {} ({}), only Ethernet (EN10MB) is read",
                                      type_name != nullptr ? type_name : "unknown", type));
  }
  std::error_code unknown;
  const std::uintmax_t bytes = std::filesystem::file_size(file, unknown);
  if (!unknown) impl->file_bytes = static_cast<double>(bytes);
  return Reader(std::move(impl));
}

std::optional<Record> Reader::next() {
  if (impl_->over) return std::nullopt;
  pcap_t* const pcap = impl_->pcap.get();
  const auto at = position(impl_->stream);
  pcap_pkthdr* header = nullptr;
  const unsigned char* bytes = nullptr;
  const int status = pcap_next_ex(pcap, &header, &bytes);
  if (status != 1) impl_->over = true;
  if (status == PCAP_ERROR_BREAK) return std::nullopt;  // the end
  const std::uint64_t number = impl_->packets + 1;
  if (status != 1) {
    const char* const reason = pcap_geterr(pcap);
    const std::string where = at ? fmt::format(" at offset {}", *at) : "";
    const bool cut = std::strstr(reason, "truncated") != nullptr;
    impl_->damage =
        Error{impl_->file, number, at,
              fmt::format("{}: packet {}{} {} ({}).", impl_->file, number, where,
                          cut ? "is cut off by the end of the file" : "cannot be read", reason)};
    return std::nullopt;
  }
  impl_->packets = number;
  Record record;
  record.number = number;
  // A damaged pcapng can hold times that do not fit.
  constexpr std::int64_t kMaxSeconds = INT64_MAX / 1000000000 - 1;
  record.timestamp_ns =
      std::clamp(std::int64_t{header->ts.tv_sec}, -kMaxSeconds, kMaxSeconds) * 1000000000 +
      std::clamp(std::int64_t{header->ts.tv_usec}, std::int64_t{0}, std::int64_t{999999999});
  record.original_length = std::max(header->len, header->caplen);
  record.bytes = {bytes, header->caplen};
  return record;
}

const std::string& Reader::file() const { return impl_->file; }
const std::string& Reader::format() const { return impl_->format.name; }
Precision Reader::precision() const { return impl_->format.precision; }
std::uint64_t Reader::packets() const { return impl_->packets; }
const std::optional<Error>& Reader::damage() const { return impl_->damage; }

double Reader::progress() const {
  if (impl_->over) return 1;
  const auto at = position(impl_->stream);
  if (!at || impl_->file_bytes <= 0) return 0;
  return std::min(1.0, static_cast<double>(*at) / impl_->file_bytes);
}

Packet packet_of(const Record& record) {
  Packet packet;
  packet.number = record.number;
  packet.timestamp_ns = record.timestamp_ns;
  packet.original_length = record.original_length;
  packet.bytes.assign(record.bytes.begin(), record.bytes.end());
  packet.layers = decode(packet.bytes, packet.original_length);
  return packet;
}

Expected<Capture> read(const std::filesystem::path& file, const ReadOptions& options) {
  auto reader = Reader::open(file);
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
