#include "testbenches/nic/options.h"

#include <fmt/format.h>

#include <charconv>

#include "sim/base/error.h"
#include "sim/feeds/frames.h"
#include "testbenches/codec/options.h"

namespace gw::testbenches {
namespace {

/// ToS is written in hexadecimal as often as not.
uint8_t parse_byte(const std::string& option, const std::string& text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const char* const begin = text.data() + (hex ? 2 : 0);
  const char* const end = text.data() + text.size();
  unsigned value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value, hex ? 16 : 10);
  if (begin == end || stop != end || error != std::errc() || value > 0xFF) {
    throw sim::UsageError(
        fmt::format("{} '{}' is not a byte, 0 to 255 or 0x00 to 0xFF", option, text));
  }
  return static_cast<uint8_t>(value);
}

}  // namespace

std::vector<sim::Option> nic_options() {
  std::vector<sim::Option> options = {
      {"mark", "ToS of connections whose streams are floats", "0x28", "NIC"},
      {"mark-mask", "bits of ToS that are compared with the mark", "0xFC", "NIC"},
      {"grid",
       "where floats begin: where the stream says (stream), or at a segment's first byte (packet)",
       "stream", "NIC"}};
  for (const sim::Option& option : codec_options()) options.push_back(option);
  return options;
}

sim::Option frame_bytes_option() {
  return {"frame-bytes", "bytes of the frames that are made", "1514", "Synthetic stimuli", true};
}

reference::nic::NicConfig nic_config(const sim::OptionSet& options) {
  return {.mark = parse_byte("--mark", options.word("mark")),
          .mark_mask = parse_byte("--mark-mask", options.word("mark-mask")),
          .grid = options.choice("grid", {"stream", "packet"}) == 0 ? reference::nic::Grid::kStream
                                                                    : reference::nic::Grid::kPacket,
          .codec = codec_config(options)};
}

size_t frame_bytes(const sim::OptionSet& options) {
  return static_cast<size_t>(
      options.integer("frame-bytes", sim::kMinFrameBytes, sim::kMaxFrameBytes));
}

}  // namespace gw::testbenches
