// SPDX-License-Identifier: Apache-2.0
#include "testbenches/quant/words.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <span>

#include "models/reference/quant/values.h"
#include "testbenches/quant/codes.h"
#include "testbenches/quant/ports.h"

namespace gw::testbenches {
namespace {

namespace quant = reference::quant;

uint32_t word_at(std::span<const uint8_t> bytes, size_t at) {
  uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

float float_at(std::span<const uint8_t> bytes, size_t at) {
  return std::bit_cast<float>(word_at(bytes, at));
}

/// The codes that begin in a packet's bytes from..to - 1: values that are sent with their places,
/// groups of which nothing is, and where Rice code ends.
void add_codes(std::string& text, std::span<const uint8_t> bytes, quant::Method method, size_t from,
               size_t to) {
  const float first = float_at(bytes, 8), second = float_at(bytes, 12);
  for (const PacketCode& code : codes_of(bytes, 8 * to)) {
    if (code.begin < 8 * from || code.begin >= 8 * to) continue;
    switch (code.kind) {
      case PacketCode::kRun:
        text += fmt::format(", {} empty", code.count);
        break;
      case PacketCode::kEntry: {
        float value = code.negative ? second : first;  // of ADAPTIVE
        if (method == quant::Method::kWgt) value = std::bit_cast<float>(code.word);
        if (method == quant::Method::kBgt || method == quant::Method::kQgt) {
          value = static_cast<float>(code.count) * (code.negative ? -first : first);
        }
        text += fmt::format(" [{}] {:.5g}", code.first, value);
        break;
      }
      case PacketCode::kGap:
        if (code.last) text += ", end";
        break;
      case PacketCode::kGroup:
        text += fmt::format(", group {}:", code.first);
        break;
    }
  }
}

/// The blocks and elements of a packet that begin in its bytes from..to - 1.
void add_blocks(std::string& text, std::span<const uint8_t> bytes, quant::Method method,
                size_t from, size_t to) {
  const bool fp4 = quant::mx_element_bits(method) == 4;
  const quant::MxElement& element = quant::mx_element(method);
  const size_t block_bytes = quant::mx_block_bytes(method);
  const size_t end = std::min(bytes.size() - quant::kStatusBytes, to);
  const size_t begin = std::max(from, quant::kHeaderBytes);
  for (size_t at = begin; at < end; ++at) {
    const size_t block = (at - quant::kHeaderBytes) / block_bytes;
    const size_t scale_at = quant::kHeaderBytes + block * block_bytes;
    const uint8_t scale = bytes[scale_at];
    if (at == scale_at) {
      text += fmt::format(", block {} scale {}:", block, scale);
      continue;
    }
    if (at == begin) text += ", values";
    if (fp4) {
      text += fmt::format(" {:.4g} {:.4g}", quant::mx_decode(bytes[at] & 15, scale, element),
                          quant::mx_decode(bytes[at] >> 4, scale, element));
    } else {
      text += fmt::format(" {:.4g}", quant::mx_decode(bytes[at], scale, element));
    }
  }
}

}  // namespace

std::string describe_values(const sim::Packet<Beat>& packet, size_t index) {
  const Beat& beat = packet.beats[index];
  std::string text = "floats";
  for (int i = 0; i < kLanes; ++i) {
    text += (valid_bytes(beat) >= 4 * (i + 1))
                ? fmt::format(" {:>12.5g}", std::bit_cast<float>(beat.data[static_cast<size_t>(i)]))
                : fmt::format(" {:>12}", "-");
  }
  return text;
}

std::string describe_chunk(const sim::Packet<Beat>& packet, size_t index) {
  const Beat& beat = packet.beats[index];
  std::string text;
  if (index == 0) {
    text += fmt::format("row {}, n {}, ", ChunkUser::row(beat), ChunkUser::count(beat));
  }
  if (beat.last != 0 && ChunkUser::error(beat)) text += "in error, ";
  return text + describe_values(packet, index);
}

std::string describe_quantised(const sim::Packet<Beat>& packet, size_t index) {
  const std::vector<uint8_t> bytes = sim::bytes_of(packet);
  std::string text = fmt::format("{} bytes", valid_bytes(packet.beats[index]));
  if (bytes.size() < quant::kHeaderBytes + quant::kStatusBytes) return text;
  const size_t from = index * kBeatBytes, to = from + kBeatBytes;
  const auto method = static_cast<quant::Method>(bytes[0]);
  const bool known = bytes[0] < quant::kMethods;
  if (index == 0) {
    text += fmt::format(", header {} n {}",
                        known ? quant::method_name(method) : std::string_view("of no format"),
                        word_at(bytes, 4));
    if (bytes[1] != 0) text += fmt::format(" rice k {}", bytes[1] - 1);
    if (known && quant::is_threshold(method)) text += fmt::format(" t {:.5g}", float_at(bytes, 8));
    if (known && quant::has_means(method)) {
      text += fmt::format(" means {:.5g} {:.5g}", float_at(bytes, 8), float_at(bytes, 12));
    }
  }
  const size_t begin = std::max(from, quant::kHeaderBytes);
  if (known && quant::is_mx(method)) {
    add_blocks(text, bytes, method, from, to);
  } else if (known && quant::is_sparse(method)) {
    add_codes(text, bytes, method, from, to);
  } else if (method == quant::Method::kOneBit) {
    text += ", signs";
    for (size_t at = begin; at + 1 < bytes.size() && at < to; ++at) {
      text += fmt::format(" {:02x}", bytes[at]);
    }
  } else if (method == quant::Method::kRaw) {
    text += ", floats";
    for (size_t at = begin; at + 4 < bytes.size() && at < std::min(to, bytes.size()); at += 4) {
      text += fmt::format(" {:.5g}", float_at(bytes, at));
    }
  }
  if (bytes.size() > from && bytes.size() <= to) {
    text += fmt::format(", status {}", bytes.back());
  }
  return text;
}

}  // namespace gw::testbenches
