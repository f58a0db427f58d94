#include "testbenches/quant/words.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <span>

#include "models/reference/quant/values.h"
#include "testbenches/quant/ports.h"

namespace gw::testbenches {
namespace {

namespace quant = reference::quant;

uint32_t word_at(std::span<const uint8_t> bytes, size_t at) {
  uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

/// The blocks and elements of a packet that begin in its bytes from..to - 1.
void add_blocks(std::string& text, std::span<const uint8_t> bytes, quant::Method method,
                size_t from, size_t to) {
  const bool fp4 = method == quant::Method::kMxfp4;
  const quant::MxElement& element = quant::mx_element(method);
  const size_t block_bytes = 1 + quant::kMxBlock / (fp4 ? 2 : 1);
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

std::string describe_chunk(const sim::Packet<Beat>& packet, size_t index) {
  const Beat& beat = packet.beats[index];
  std::string text;
  if (index == 0) {
    text += fmt::format("row {}, n {}, ", ChunkUser::row(beat), ChunkUser::count(beat));
  }
  if (beat.last != 0 && ChunkUser::error(beat)) text += "in error, ";
  text += "floats";
  for (int i = 0; i < kLanes; ++i) {
    text += (valid_bytes(beat) >= 4 * (i + 1))
                ? fmt::format(" {:>12.5g}", std::bit_cast<float>(beat.data[static_cast<size_t>(i)]))
                : fmt::format(" {:>12}", "-");
  }
  return text;
}

std::string describe_quantised(const sim::Packet<Beat>& packet, size_t index) {
  const std::vector<uint8_t> bytes = sim::bytes_of(packet);
  std::string text = fmt::format("{} bytes", valid_bytes(packet.beats[index]));
  if (bytes.size() < quant::kHeaderBytes + quant::kStatusBytes) return text;
  const size_t from = index * kBeatBytes, to = from + kBeatBytes;
  const auto method = static_cast<quant::Method>(bytes[0]);
  const bool known = bytes[0] == 0 || quant::is_mx(method);
  if (index == 0) {
    text += fmt::format(", header {} n {}",
                        known ? quant::method_name(method) : std::string_view("of no format"),
                        word_at(bytes, 4));
  }
  if (quant::is_mx(method)) {
    add_blocks(text, bytes, method, from, to);
  } else if (known) {
    text += ", floats";
    for (size_t at = std::max(from, quant::kHeaderBytes);
         at + 4 < bytes.size() && at < std::min(to, bytes.size()); at += 4) {
      text += fmt::format(" {:.5g}", std::bit_cast<float>(word_at(bytes, at)));
    }
  }
  if (bytes.size() > from && bytes.size() <= to) {
    text += fmt::format(", status {}", bytes.back());
  }
  return text;
}

}  // namespace gw::testbenches
