// pcapng (draft-ietf-opsawg-pcapng): a section header, one interface, a block for each packet. By
// hand, for libpcap writes neither the format nor comments.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "models/reference/capture/capture.h"
#include "models/reference/capture/pcapng.h"

namespace gw::capture {
namespace {

constexpr std::uint16_t kLinkEthernet = 1;
constexpr std::uint16_t kComment = 1;          // of any block
constexpr std::uint16_t kUserApplication = 4;  // of a section
constexpr std::uint16_t kTimeResolution = 9;   // of an interface
constexpr std::uint8_t kNanoseconds = 9;       // 10^-9 s
constexpr std::size_t kMaxOption = 0xFFFF;     // bytes
constexpr std::uint32_t kSnapLength = 262144;

/// A block, in little-endian order, padded to words wherever the format wants it.
class Block {
 public:
  explicit Block(std::uint32_t type) {
    word(type);
    word(0);  // its length, when that is known
  }
  void word(std::uint32_t value) { put(value); }
  void half(std::uint16_t value) { put(value); }
  void bytes(std::span<const std::uint8_t> data) {
    bytes_.insert(bytes_.end(), data.begin(), data.end());
    bytes_.resize((bytes_.size() + 3) / 4 * 4);
  }
  void option(std::uint16_t code, std::span<const std::uint8_t> value) {
    const auto shown = value.first(std::min(value.size(), kMaxOption));
    half(code);
    half(static_cast<std::uint16_t>(shown.size()));
    bytes(shown);
  }
  void option(std::uint16_t code, std::string_view text) {
    option(code, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  }
  /// Ends options, and the block.
  const std::vector<std::uint8_t>& end(bool options) {
    if (options) word(0);
    const auto length = static_cast<std::uint32_t>(bytes_.size() + 4);
    boost::endian::store_little_u32(&bytes_[4], length);
    word(length);
    return bytes_;
  }

 private:
  template <class T>
  void put(T value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    boost::endian::endian_store<T, sizeof(T), boost::endian::order::little>(&bytes_[at], value);
  }
  std::vector<std::uint8_t> bytes_;
};

}  // namespace

struct PcapngWriter::Impl {
  std::string file;
  std::FILE* stream = nullptr;
  std::uint64_t packets = 0, bytes = 0;

  ~Impl() {
    if (stream != nullptr) std::fclose(stream);
  }
  Status fail() {
    const int code = errno;
    std::error_code ignored;
    const std::filesystem::path half = std::filesystem::canonical(file, ignored);
    if (std::filesystem::is_regular_file(half, ignored)) std::filesystem::remove(half, ignored);
    return Error{file, packets, std::nullopt,
                 fmt::format("{}: cannot be written after packet {} ({}).", file, packets,
                             std::strerror(code != 0 ? code : EIO))};
  }
  Status put(std::span<const std::uint8_t> block) {
    errno = 0;
    if (std::fwrite(block.data(), 1, block.size(), stream) != block.size()) return fail();
    bytes += block.size();
    return std::nullopt;
  }
};

PcapngWriter::PcapngWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PcapngWriter::PcapngWriter(PcapngWriter&&) noexcept = default;
PcapngWriter& PcapngWriter::operator=(PcapngWriter&&) noexcept = default;
PcapngWriter::~PcapngWriter() = default;

Expected<PcapngWriter> PcapngWriter::open_bare(const std::filesystem::path& file) {
  auto impl = std::make_unique<Impl>();
  impl->file = file.string();
  impl->stream = std::fopen(file.c_str(), "wb");
  if (impl->stream == nullptr) {
    return Error{impl->file, std::nullopt, std::nullopt,
                 fmt::format("{}: cannot be written ({}).", impl->file, std::strerror(errno))};
  }
  return PcapngWriter(std::move(impl));
}

Expected<PcapngWriter> PcapngWriter::open(const std::filesystem::path& file,
                                          std::string_view application) {
  Expected<PcapngWriter> writer = open_bare(file);
  if (!writer) return writer;
  Impl* const impl = writer->impl_.get();
  Block section(kSectionHeader);
  section.word(kByteOrder);
  section.half(1);  // version 1.0
  section.half(0);
  section.word(0xFFFFFFFF);  // its length: not said
  section.word(0xFFFFFFFF);
  section.option(kUserApplication, application);
  if (Status error = impl->put(section.end(true))) return *error;
  Block interface(kInterfaceBlock);
  interface.half(kLinkEthernet);
  interface.half(0);
  interface.word(kSnapLength);
  interface.option(kTimeResolution, {&kNanoseconds, 1});
  if (Status error = impl->put(interface.end(true))) return *error;
  return writer;
}

Status PcapngWriter::copy(std::span<const std::uint8_t> blocks, bool packet) {
  if (Status error = impl_->put(blocks)) return error;
  impl_->packets += packet;
  return std::nullopt;
}

Status PcapngWriter::write(std::int64_t timestamp_ns, std::span<const std::uint8_t> frame,
                           std::string_view comment) {
  if (impl_->stream == nullptr) {
    return Error{impl_->file, std::nullopt, std::nullopt,
                 fmt::format("{}: is already closed.", impl_->file)};
  }
  if (frame.size() > kSnapLength) {
    return Error{impl_->file, impl_->packets + 1, std::nullopt,
                 fmt::format("{}: packet {} has {} bytes, more than a capture can hold ({}).",
                             impl_->file, impl_->packets + 1, frame.size(), kSnapLength)};
  }
  if (timestamp_ns < 0) {
    return Error{impl_->file, impl_->packets + 1, std::nullopt,
                 fmt::format("{}: packet {} is of a time before 1970, which pcapng cannot hold.",
                             impl_->file, impl_->packets + 1)};
  }
  const auto time = static_cast<std::uint64_t>(timestamp_ns);
  const auto size = static_cast<std::uint32_t>(frame.size());
  Block packet(kEnhancedPacket);
  packet.word(0);  // of interface 0
  packet.word(static_cast<std::uint32_t>(time >> 32));
  packet.word(static_cast<std::uint32_t>(time));
  packet.word(size);  // as captured, and as it was
  packet.word(size);
  packet.bytes(frame);
  if (!comment.empty()) packet.option(kComment, comment);
  if (Status error = impl_->put(packet.end(!comment.empty()))) return error;
  ++impl_->packets;
  return std::nullopt;
}

Status PcapngWriter::close() {
  if (impl_->stream == nullptr) return std::nullopt;
  errno = 0;
  Status status;
  if (std::fflush(impl_->stream) != 0) status = impl_->fail();
  std::fclose(std::exchange(impl_->stream, nullptr));
  return status;
}

std::uint64_t PcapngWriter::packets() const { return impl_->packets; }
std::uint64_t PcapngWriter::file_bytes() const { return impl_->bytes; }

}  // namespace gw::capture
