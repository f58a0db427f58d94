// SPDX-License-Identifier: Apache-2.0
#include "models/reference/value_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <boost/crc.hpp>
#include <boost/endian/conversion.hpp>
#include <cmath>
#include <limits>
#include <string_view>

namespace gw::reference {
namespace {

using Bytes = std::span<const std::uint8_t>;

bool starts(Bytes bytes, std::string_view magic) {
  return bytes.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), bytes.begin(),
                    [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
}

constexpr std::string_view kEncodedMagic = "\x89GWC";
constexpr std::uint8_t kEncodedVersion = 1;
constexpr std::string_view kNpyMagic = "\x93NUMPY";

bool is_capture(Bytes head) {
  if (head.size() < 6) return false;
  const bool little = starts(head, "\xD4\xC3\xB2\xA1") || starts(head, "\x4D\x3C\xB2\xA1");
  const bool big = starts(head, "\xA1\xB2\xC3\xD4") || starts(head, "\xA1\xB2\x3C\x4D");
  // pcap has its version, 2, after the magic number; pcapng's is long enough to be no float.
  return (little && head[4] == 2 && head[5] == 0) || (big && head[4] == 0 && head[5] == 2) ||
         starts(head, "\x0A\x0D\x0D\x0A");
}

bool is_text(Bytes head) {
  constexpr std::size_t kEnough = 16;
  return head.size() >= kEnough && std::ranges::all_of(head, [](std::uint8_t c) {
           return (c >= 32 && c < 127) || c == '\n' || c == '\r' || c == '\t';
         });
}

std::uint32_t crc32(Bytes bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

/// What stands after `'key':` in the dictionary of a .npy, up to the end of the dictionary.
std::string_view value_of(std::string_view dictionary, std::string_view key) {
  const std::string quoted = fmt::format("'{}'", key);
  const std::size_t at = dictionary.find(quoted);
  if (at == std::string_view::npos) return {};
  std::string_view rest = dictionary.substr(at + quoted.size());
  const std::size_t from = rest.find_first_not_of(": ");
  return from == std::string_view::npos ? std::string_view() : rest.substr(from);
}

/// The number of elements of "(3, 4)"; nothing if it is no shape, or of more than fit.
std::optional<std::uint64_t> elements_of(std::string_view shape) {
  const std::size_t end = shape.find(')');
  if (!shape.starts_with('(') || end == std::string_view::npos) return std::nullopt;
  std::uint64_t product = 1, number = 0;
  bool digits = false;
  for (const char c : shape.substr(1, end)) {
    if (c >= '0' && c <= '9') {
      if (__builtin_mul_overflow(number, std::uint64_t{10}, &number) ||
          __builtin_add_overflow(number, static_cast<std::uint64_t>(c - '0'), &number)) {
        return std::nullopt;
      }
      digits = true;
    } else if (c == ',' || c == ')') {
      if (digits && __builtin_mul_overflow(product, number, &product)) return std::nullopt;
      number = 0;
      digits = false;
    } else if (c != ' ') {
      return std::nullopt;
    }
  }
  return product;
}

}  // namespace

FileLooks looks_of(Bytes head) {
  struct Known {
    std::string_view magic;
    const char* name;
    const char* remedy;
  };
  static constexpr std::array<Known, 8> kContainers{{
      {"PK\x03\x04", "a zip archive (.npz, .pt)", "unpack it and give one of its .npy files"},
      {"PK\x05\x06", "an empty zip archive", "unpack it and give one of its .npy files"},
      {"\x1F\x8B\x08", "gzip within gzip", "gunzip it first"},
      {"\x28\xB5\x2F\xFD", "zstd within a compressed file", "unzstd it first"},
      {"\xFD"
       "7zXZ",
       "an xz file", "unxz it first"},
      {"\x89HDF\r\n", "an HDF5 file", "export the array as .npy (numpy.save)"},
      {"\x7F"
       "ELF",
       "a program", "give a file of values"},
      {"%PDF-", "a PDF document", "give a file of values"},
  }};
  if (starts(head, kNpyMagic)) return {FileKind::kNpy};
  if (starts(head, kEncodedMagic)) return {FileKind::kEncoded};
  if (is_capture(head)) return {FileKind::kCapture};
  for (const Known& known : kContainers) {
    if (starts(head, known.magic)) return {FileKind::kOther, known.name, known.remedy};
  }
  if (starts(head, "BZh") && head.size() > 4 && starts(head.subspan(4), "1AY&SY")) {
    return {FileKind::kOther, "a bzip2 file", "bunzip2 it first"};
  }
  // A length of some MB, and JSON.
  if (head.size() > 9 && head[8] == '{' && head[9] == '"' && head[3] < 8 &&
      starts(head.subspan(4), std::string_view("\0\0\0\0", 4))) {
    return {FileKind::kOther, "a safetensors file", "export the tensor as .npy (numpy.save)"};
  }
  if (is_text(head)) {
    return {FileKind::kOther, "text", "export the numbers as .npy (numpy.loadtxt, numpy.save)"};
  }
  return {};
}

NpyValues parse_npy(Bytes file, bool round_float64) {
  NpyValues out;
  const auto fail = [&out](std::string why) {
    out.words.clear();
    out.error = std::move(why);
    return out;
  };
  constexpr std::size_t kBeforeLength = 8;
  const bool one = file.size() > 6 && file[6] == 1;
  const std::size_t dictionary_at = kBeforeLength + (one ? 2 : 4);
  if (file.size() < dictionary_at) return fail("ends within its .npy header");
  if (file[6] < 1 || file[6] > 3) return fail(fmt::format("is .npy of version {}", file[6]));
  const std::size_t length = one ? boost::endian::load_little_u16(&file[kBeforeLength])
                                 : boost::endian::load_little_u32(&file[kBeforeLength]);
  if (file.size() - dictionary_at < length) return fail("ends within its .npy header");
  const std::string_view dictionary(reinterpret_cast<const char*>(&file[dictionary_at - 1]) + 1,
                                    length);
  std::string_view type = value_of(dictionary, "descr");
  if (!type.starts_with('\''))
    return fail("holds records or nothing that .npy describes, not float32");
  type = type.substr(1, type.find('\'', 1) - 1);
  const bool wide = type.ends_with("f8"), big = type.starts_with('>');
  if ((!wide && !type.ends_with("f4")) || type.size() != 3 || (!big && type[0] != '<')) {
    return fail(fmt::format("holds '{}', not float32: convert it (numpy.astype)", type));
  }
  if (wide && !round_float64) {
    return fail("holds float64, not float32: --from-float64 rounds it to binary32");
  }
  const std::optional<std::uint64_t> elements = elements_of(value_of(dictionary, "shape"));
  const std::size_t bytes = wide ? 8 : 4;
  const Bytes data = file.subspan(dictionary_at + length);
  if (!elements || *elements != data.size() / bytes || data.size() % bytes != 0) {
    return fail(fmt::format("holds {} bytes of values, which is not what its .npy header says",
                            data.size()));
  }
  out.words.resize(data.size() / bytes);
  out.rounded = wide;
  for (std::size_t i = 0; i < out.words.size(); ++i) {
    const std::uint8_t* const at = &data[bytes * i];
    if (!wide) {
      out.words[i] = big ? boost::endian::load_big_u32(at) : boost::endian::load_little_u32(at);
      continue;
    }
    const auto value = std::bit_cast<double>(big ? boost::endian::load_big_u64(at)
                                                 : boost::endian::load_little_u64(at));
    const auto rounded = static_cast<float>(value);
    out.infinite += std::isinf(rounded) && !std::isinf(value);
    out.words[i] = std::bit_cast<std::uint32_t>(rounded);
  }
  return out;
}

std::array<std::uint8_t, EncodedHeader::kBytes> EncodedHeader::to_bytes() const {
  std::array<std::uint8_t, kBytes> out{};
  std::copy(kEncodedMagic.begin(), kEncodedMagic.end(), out.begin());
  out[4] = kEncodedVersion;
  out[5] = config.mode == Mode::kBounded ? 1 : 0;
  out[6] = static_cast<std::uint8_t>(config.bound_exponent);
  boost::endian::store_little_u64(&out[8], values);
  boost::endian::store_little_u64(&out[16], bytes);
  boost::endian::store_little_u32(&out[24], checksum);
  boost::endian::store_little_u32(&out[28], crc32(Bytes(out).first(28)));
  return out;
}

EncodedHeader header_of(Bytes groups, std::uint64_t values, const CodecConfig& config) {
  return {config, values, groups.size(), crc32(groups)};
}

EncodedFile parse_encoded(Bytes file) {
  EncodedFile out;
  const auto fail = [&out](const char* why) {
    out.error = why;
    return out;
  };
  if (!starts(file, kEncodedMagic)) {
    return fail(
        "has no header of gradwire codec encode: if it holds encoded groups alone, say --raw with "
        "their --bound and --mode");
  }
  if (file.size() < EncodedHeader::kBytes) return fail("ends within the header of gradwire codec");
  if (boost::endian::load_little_u32(&file[28]) != crc32(file.first(28))) {
    return fail("has a damaged header: its checksum is wrong");
  }
  if (file[4] != kEncodedVersion) return fail("has a header of a later gradwire");
  const CodecConfigResult config =
      CodecConfig::make(file[6], file[5] == 1 ? Mode::kBounded : Mode::kPaper);
  if (!config.config || file[5] > 1) return fail("names a bound or a mode that there is not");
  out.header = {*config.config, boost::endian::load_little_u64(&file[8]),
                boost::endian::load_little_u64(&file[16]),
                boost::endian::load_little_u32(&file[24])};
  out.groups = file.subspan(EncodedHeader::kBytes);
  if (out.groups.size() < out.header.bytes) return fail("is cut off: encoded groups are missing");
  if (out.groups.size() > out.header.bytes) return fail("goes on after its encoded groups");
  if (crc32(out.groups) != out.header.checksum) {
    return fail("is damaged: the checksum of its encoded groups is wrong");
  }
  return out;
}

}  // namespace gw::reference
