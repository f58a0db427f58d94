// SPDX-License-Identifier: Apache-2.0
#include "models/reference/capture/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <cerrno>
#include <cstring>

namespace gw::capture {
namespace {

constexpr std::size_t kHead = 64;
constexpr std::size_t kMostBytes = std::size_t{1} << 32;

struct CloseFile {
  void operator()(std::FILE* f) const { std::fclose(f); }
};

/// Follows the frames of a zstd file (RFC 8878): Boost's filter takes one that was cut for the end.
class ZstdFrames {
 public:
  void feed(std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
      const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), wanted()));
      if (skip_ != 0) {
        skip_ -= n;
      } else {
        std::copy_n(bytes.begin(), n, field_.begin() + static_cast<std::ptrdiff_t>(got_));
        got_ += n;
        if (got_ == size_) act();
      }
      bytes = bytes.subspan(n);
    }
  }
  /// Nothing is missing: the last frame is whole.
  bool whole() const { return next_ == kMagic && got_ == 0 && skip_ == 0; }

 private:
  enum Field { kMagic, kSkippable, kDescriptor, kBlock };

  std::uint64_t wanted() const { return skip_ != 0 ? skip_ : size_ - got_; }
  void expect(Field next, std::size_t size) {
    next_ = next;
    size_ = size;
    got_ = 0;
  }
  void act() {
    switch (next_) {
      case kMagic: {
        const bool skippable = (boost::endian::load_little_u32(field_.data()) >> 4) == 0x184D2A5;
        expect(skippable ? kSkippable : kDescriptor, skippable ? 4 : 1);
        break;
      }
      case kSkippable:
        skip_ = boost::endian::load_little_u32(field_.data());
        expect(kMagic, 4);
        break;
      case kDescriptor: {
        const unsigned d = field_[0];
        constexpr std::array<unsigned, 4> kSizeBytes = {0, 2, 4, 8},
                                          kDictionaryBytes = {0, 1, 2, 4};
        const bool single = (d & 0x20) != 0;
        checksum_ = (d & 0x04) != 0;
        skip_ = kDictionaryBytes[d & 3] + kSizeBytes[d >> 6] + (single ? d >> 6 == 0 : 1);
        expect(kBlock, 3);
        break;
      }
      case kBlock: {
        const unsigned header = field_[0] | field_[1] << 8 | field_[2] << 16;
        const bool last = (header & 1) != 0, repeated = (header >> 1 & 3) == 1;
        skip_ = (repeated ? 1 : header >> 3) + (last && checksum_ ? 4 : 0);
        if (last) {
          expect(kMagic, 4);
        } else {
          expect(kBlock, 3);
        }
        break;
      }
    }
  }

  Field next_ = kMagic;
  std::array<std::uint8_t, 4> field_{};
  std::size_t size_ = 4, got_ = 0;
  std::uint64_t skip_ = 0;
  bool checksum_ = false;
};

}  // namespace

struct Input::Impl {
  /// The file as Boost reads it, for decompression.
  struct Compressed {
    using char_type = char;
    using category = boost::iostreams::source_tag;
    Impl* of;

    std::streamsize read(char* to, std::streamsize n) const {
      const std::size_t got =
          of->raw({reinterpret_cast<std::uint8_t*>(to), static_cast<std::size_t>(n)});
      if (got == 0) return -1;
      of->frames.feed({reinterpret_cast<const std::uint8_t*>(to), got});
      return static_cast<std::streamsize>(got);
    }
  };

  std::string name;
  std::unique_ptr<std::FILE, CloseFile> owned;
  std::FILE* file = nullptr;  // also after it was given away
  bool regular = false;
  double file_bytes = 0;  // 0: unknown
  std::string_view compression;
  std::vector<std::uint8_t> ahead;  // of the file: read to see what it is
  std::vector<std::uint8_t> head;   // of the bytes
  std::size_t head_read = 0;        // of it, by who reads
  boost::iostreams::filtering_istreambuf bytes;
  ZstdFrames frames;
  std::string damage;

  /// The file's own bytes.
  std::size_t raw(std::span<std::uint8_t> to) {
    const std::size_t n = std::min(to.size(), ahead.size());
    std::copy_n(ahead.begin(), n, to.begin());
    ahead.erase(ahead.begin(), ahead.begin() + static_cast<std::ptrdiff_t>(n));
    if (n != 0) return n;
    errno = 0;
    const std::size_t got = std::fread(to.data(), 1, to.size(), file);
    if (got == 0 && std::ferror(file) != 0) {
      damage = fmt::format("cannot be read ({})", std::strerror(errno != 0 ? errno : EIO));
    }
    return got;
  }

  /// What is in them; throws nothing.
  std::size_t decompressed(std::span<std::uint8_t> to) {
    if (compression.empty() || !damage.empty()) return damage.empty() ? raw(to) : 0;
    try {
      const std::streamsize got =
          bytes.sgetn(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(to.size()));
      if (got > 0) return static_cast<std::size_t>(got);
      if (damage.empty() && compression == "zstd" && !frames.whole()) {
        damage = "is cut off: its zstd frame does not end";
      }
    } catch (const std::exception&) {
      // Which of its words Boost uses depends on where the file is cut.
      if (damage.empty())
        damage = fmt::format("is no whole {} file: it is cut off or damaged", compression);
    }
    return 0;
  }

  std::size_t read(std::span<std::uint8_t> to) {
    std::size_t n = std::min(to.size(), head.size() - head_read);
    std::copy_n(head.begin() + static_cast<std::ptrdiff_t>(head_read), n, to.begin());
    head_read += n;
    while (n < to.size()) {
      const std::size_t got = decompressed(to.subspan(n));
      if (got == 0) break;
      n += got;
    }
    return n;
  }

  void begin() {
    ahead.resize(kHead);
    ahead.resize(std::fread(ahead.data(), 1, ahead.size(), file));
    const auto starts = [this](std::initializer_list<unsigned char> magic) {
      return ahead.size() >= magic.size() && std::equal(magic.begin(), magic.end(), ahead.begin());
    };
    const bool skippable = ahead.size() >= 4 && (ahead[0] & 0xF0) == 0x50 && ahead[1] == 0x2A &&
                           ahead[2] == 0x4D && ahead[3] == 0x18;
    if (starts({0x1F, 0x8B, 0x08}) && ahead.size() > 3 && ahead[3] < 0x20) {
      compression = "gzip";
      bytes.push(boost::iostreams::gzip_decompressor());
    } else if (starts({0x28, 0xB5, 0x2F, 0xFD}) || skippable) {
      compression = "zstd";
      bytes.push(boost::iostreams::zstd_decompressor());
    } else {
      head = std::exchange(ahead, {});
      return;
    }
    bytes.push(Compressed{this});
    std::vector<std::uint8_t> first(kHead);
    first.resize(read(first));
    head = std::move(first);
  }
};

Input::Input(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Input::Input(Input&&) noexcept = default;
Input& Input::operator=(Input&&) noexcept = default;
Input::~Input() = default;

Expected<Input> Input::open(const std::filesystem::path& file) {
  auto impl = std::make_unique<Impl>();
  impl->name = file.string();
  const auto fail = [&](const std::string& why) {
    return Error{impl->name, std::nullopt, std::nullopt, fmt::format("{}: {}.", impl->name, why)};
  };
  impl->owned.reset(std::fopen(file.c_str(), "rb"));
  impl->file = impl->owned.get();
  if (!impl->file) return fail(fmt::format("cannot be opened ({})", std::strerror(errno)));
  impl->regular = ftello(impl->file) >= 0;
  std::error_code unknown;
  const std::uintmax_t bytes = std::filesystem::file_size(file, unknown);
  if (!unknown) impl->file_bytes = static_cast<double>(bytes);
  errno = 0;
  impl->begin();
  if (std::ferror(impl->file) != 0) {
    return fail(fmt::format("cannot be read ({})", std::strerror(errno != 0 ? errno : EIO)));
  }
  if (impl->head.empty() && !impl->damage.empty()) return fail(impl->damage);
  return Input(std::move(impl));
}

std::span<const std::uint8_t> Input::head() const { return impl_->head; }
std::string_view Input::compression() const { return impl_->compression; }
std::size_t Input::read(std::span<std::uint8_t> to) { return impl_->read(to); }

std::FILE* Input::stream() {
  if (impl_->regular && impl_->compression.empty()) {
    std::rewind(impl_->file);
    impl_->head_read = impl_->head.size();
    return impl_->owned.release();
  }
  constexpr auto kRead = [](void* of, char* to, std::size_t n) -> ssize_t {
    auto* const impl = static_cast<Impl*>(of);
    const std::size_t got = impl->read({reinterpret_cast<std::uint8_t*>(to), n});
    if (got != 0 || impl->damage.empty()) return static_cast<ssize_t>(got);
    errno = EIO;
    return -1;
  };
  return fopencookie(impl_.get(), "rb",
                     {.read = kRead, .write = nullptr, .seek = nullptr, .close = nullptr});
}

std::optional<std::uint64_t> Input::position() const {
  if (!impl_->regular || !impl_->compression.empty()) return std::nullopt;
  const std::size_t pending = impl_->head.size() - impl_->head_read;
  return static_cast<std::uint64_t>(ftello(impl_->file)) - pending;
}

double Input::progress() const {
  const off_t at = impl_->regular ? ftello(impl_->file) : -1;
  if (at < 0 || impl_->file_bytes <= 0) return 0;
  return std::min(1.0, static_cast<double>(at) / impl_->file_bytes);
}

const std::string& Input::damage() const { return impl_->damage; }

Expected<std::vector<std::uint8_t>> read_bytes(const std::filesystem::path& file) {
  auto input = Input::open(file);
  if (!input) return input.error();
  const auto fail = [&](const std::string& why) {
    return Error{file.string(), std::nullopt, std::nullopt,
                 fmt::format("{}: {}.", file.string(), why)};
  };
  std::vector<std::uint8_t> all;
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  for (std::size_t got = kPiece; got == kPiece;) {
    const std::size_t at = all.size();
    if (at >= kMostBytes) return fail("holds more than 4 GiB");
    all.resize(at + kPiece);
    got = input->read(std::span(all).subspan(at));
    all.resize(at + got);
  }
  if (!input->damage().empty()) return fail(input->damage());
  return all;
}

}  // namespace gw::capture
