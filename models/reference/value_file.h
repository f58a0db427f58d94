// Files of values as people have them: what a file is by its first bytes, numpy's .npy, and the
// header of `gradwire codec encode`. Nothing here throws or aborts, whatever the bytes are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/reference/codec.h"

namespace gw::reference {

enum class FileKind {
  kFloats,   ///< nothing that is known: taken for binary32 values
  kNpy,      ///< numpy, one array
  kEncoded,  ///< of `gradwire codec encode`
  kCapture,  ///< pcap or pcapng
  kOther,    ///< a container or text, which holds no values as they are
};

struct FileLooks {
  FileKind kind = FileKind::kFloats;
  const char* name = "";    ///< of kOther: "a zip archive (.npz, .pt)"
  const char* remedy = "";  ///< of kOther: "unpack it first"
};

/// Says what a file is that begins with these bytes; 64 are enough. A file of floats that begins
/// like another kind does not occur: the magic numbers are no gradients.
FileLooks looks_of(std::span<const std::uint8_t> head);

/// The values of a .npy, or a sentence about it that begins with a verb: "holds ...".
struct NpyValues {
  std::vector<std::uint32_t> words;  ///< binary32 bit patterns, in the file's order
  bool rounded = false;              ///< from float64
  std::uint64_t infinite = 0;        ///< finite in float64, beyond binary32
  std::string error;
};
/// Reads little- and big-endian float32, and float64 if `round_float64`.
NpyValues parse_npy(std::span<const std::uint8_t> file, bool round_float64);

/// What `gradwire codec encode` writes before the encoded groups.
struct EncodedHeader {
  static constexpr std::size_t kBytes = 32;

  CodecConfig config;
  std::uint64_t values = 0;    ///< the last group may hold more
  std::uint64_t bytes = 0;     ///< of the groups
  std::uint32_t checksum = 0;  ///< CRC-32 of the groups

  std::array<std::uint8_t, kBytes> to_bytes() const;
};
EncodedHeader header_of(std::span<const std::uint8_t> groups, std::uint64_t values,
                        const CodecConfig& config);

/// A header and the groups that follow it, or a sentence that begins with a verb.
struct EncodedFile {
  EncodedHeader header;
  std::span<const std::uint8_t> groups;
  std::string error;
};
EncodedFile parse_encoded(std::span<const std::uint8_t> file);

}  // namespace gw::reference
