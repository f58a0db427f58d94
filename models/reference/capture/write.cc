// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <pcap/pcap.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "models/reference/capture/capture.h"

namespace gw::capture {
namespace {

constexpr int kSnapLength = 262144;  // what libpcap accepts on reading

/// libpcap numbers IP without a link as the system's DLT_RAW, files as 101.
int dlt_of(std::uint32_t link_type) {
  constexpr std::uint32_t kLinkRaw = 101;
  return link_type == kLinkRaw ? DLT_RAW : static_cast<int>(link_type);
}

}  // namespace

struct PcapWriter::Impl {
  std::string file;
  Precision precision = Precision::kNanoseconds;
  pcap_t* pcap = nullptr;
  pcap_dumper_t* dumper = nullptr;
  std::uint64_t packets = 0;
  std::uint64_t bytes = PcapWriter::kFileHeader;

  ~Impl() {
    if (dumper != nullptr) pcap_dump_close(dumper);
    if (pcap != nullptr) pcap_close(pcap);
  }
  /// libpcap does not say whether a record was written: the stream below does.
  Status check(int flushed) const {
    const int code = errno;
    if (flushed == 0 && std::ferror(pcap_dump_file(dumper)) == 0) return std::nullopt;
    std::error_code ignored;
    const std::filesystem::path half = std::filesystem::canonical(file, ignored);
    if (std::filesystem::is_regular_file(half, ignored)) std::filesystem::remove(half, ignored);
    return Error{file, packets, std::nullopt,
                 fmt::format("{}: cannot be written after packet {} ({}).", file, packets,
                             std::strerror(code != 0 ? code : EIO))};
  }
};

PcapWriter::PcapWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PcapWriter::PcapWriter(PcapWriter&&) noexcept = default;
PcapWriter& PcapWriter::operator=(PcapWriter&&) noexcept = default;
PcapWriter::~PcapWriter() = default;

Expected<PcapWriter> PcapWriter::open(const std::filesystem::path& file, Precision precision,
                                      std::uint32_t link_type) {
  auto impl = std::make_unique<Impl>();
  impl->file = file.string();
  impl->precision = precision;
  impl->pcap = pcap_open_dead_with_tstamp_precision(dlt_of(link_type), kSnapLength,
                                                    precision == Precision::kNanoseconds
                                                        ? PCAP_TSTAMP_PRECISION_NANO
                                                        : PCAP_TSTAMP_PRECISION_MICRO);
  // libpcap takes "-" for the standard output; a path never means that here.
  std::FILE* const stream = std::fopen(file.c_str(), "wb");
  if (stream == nullptr) {
    return Error{impl->file, std::nullopt, std::nullopt,
                 fmt::format("{}: cannot be written ({}).", impl->file, std::strerror(errno))};
  }
  impl->dumper = pcap_dump_fopen(impl->pcap, stream);
  if (impl->dumper == nullptr) {
    std::fclose(stream);
    return Error{impl->file, std::nullopt, std::nullopt,
                 fmt::format("{}: cannot be written ({}).", impl->file, pcap_geterr(impl->pcap))};
  }
  return PcapWriter(std::move(impl));
}

Status PcapWriter::write(std::int64_t timestamp_ns, std::span<const std::uint8_t> frame,
                         std::size_t original_length) {
  if (impl_->dumper == nullptr) {
    return Error{impl_->file, std::nullopt, std::nullopt,
                 fmt::format("{}: is already closed.", impl_->file)};
  }
  if (frame.size() > kSnapLength) {
    return Error{impl_->file, impl_->packets + 1, std::nullopt,
                 fmt::format("{}: packet {} has {} bytes, more than a capture can hold ({}).",
                             impl_->file, impl_->packets + 1, frame.size(), kSnapLength)};
  }
  constexpr std::int64_t kSecond = 1000000000;
  std::int64_t seconds = timestamp_ns / kSecond, rest = timestamp_ns % kSecond;
  if (rest < 0) {
    rest += kSecond;
    --seconds;
  }
  if (seconds < 0 || seconds > std::int64_t{UINT32_MAX}) {
    const std::string half = impl_->file;
    return Error{
        half, impl_->packets + 1, std::nullopt,
        fmt::format("{}: packet {} is of a time that pcap cannot hold (1970 to 2106): name "
                    "the file .pcapng.",
                    half, impl_->packets + 1)};
  }
  pcap_pkthdr header{};
  header.ts.tv_sec = seconds;
  header.ts.tv_usec = impl_->precision == Precision::kNanoseconds ? rest : rest / 1000;
  header.caplen = static_cast<bpf_u_int32>(frame.size());
  header.len = static_cast<bpf_u_int32>(std::max(original_length, frame.size()));
  errno = 0;
  pcap_dump(reinterpret_cast<u_char*>(impl_->dumper), &header, frame.data());
  if (auto error = impl_->check(0)) return error;
  ++impl_->packets;
  impl_->bytes += PcapWriter::kRecordHeader + frame.size();
  return std::nullopt;
}

Status PcapWriter::close() {
  if (impl_->dumper == nullptr) return std::nullopt;
  errno = 0;
  const int flushed = pcap_dump_flush(impl_->dumper);
  Status status = impl_->check(flushed);
  pcap_dump_close(impl_->dumper);
  impl_->dumper = nullptr;
  return status;
}

std::uint64_t PcapWriter::packets() const { return impl_->packets; }
std::uint64_t PcapWriter::file_bytes() const { return impl_->bytes; }

}  // namespace gw::capture
