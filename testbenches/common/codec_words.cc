#include "testbenches/common/codec_words.h"

#include <fmt/format.h>

#include <bit>

#include "models/reference/codec.h"

namespace gw::testbenches {

std::string describe_encoded(const sim::BeatStream& stream, size_t index) {
  const size_t packet = stream.packet_of(index);
  const size_t begin = stream.packet_begin[packet];
  const std::vector<uint8_t> bytes =
      sim::packet_bytes({stream.beats.data() + begin, stream.packet_end(packet) - begin});
  const size_t from = (index - begin) * kBeatBytes;
  std::string text = fmt::format("{} bytes", bytes_of_keep(stream.beats[index].keep));
  size_t group = 0;
  for (size_t at = 0; at < from + kBeatBytes && at + reference::kTagBytes <= bytes.size();
       ++group) {
    const uint16_t tags = static_cast<uint16_t>(bytes[at] | (bytes[at + 1] << 8));
    const size_t size = static_cast<size_t>(reference::encoded_group_bytes(tags));
    if (at >= from) {
      std::string letters;
      for (int lane = 0; lane < kLanes; ++lane) letters += "ZBHR"[tags >> (2 * lane) & 3];
      text += fmt::format(", group {} at {} {} ({})", group, at - from, letters, size);
    }
    at += size;
  }
  return text;
}

std::string describe_floats(const sim::BeatStream& stream, size_t index) {
  const Beat& beat = stream.beats[index];
  std::string text;
  for (int i = 0; i < kLanes; ++i) {
    text += (beat.keep >> (4 * i) & 0xF) == 0xF
                ? fmt::format(" {:>12.5g}", std::bit_cast<float>(beat.data[i]))
                : fmt::format(" {:>12}", "-");
  }
  return "floats" + text;
}

}  // namespace gw::testbenches
