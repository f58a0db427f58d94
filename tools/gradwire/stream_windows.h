// What a NIC makes of marked TCP streams, window by window: equal shares of each stream, whatever
// the segments. An iteration of a training run is such a share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

namespace gw::tools {

/// A TCP segment, as it is or packed.
struct Segment {
  using Flow = std::array<uint8_t, 12>;  ///< addresses and ports, as they stand in the headers
  Flow flow;
  uint32_t sequence = 0;
  uint8_t tos = 0;
  bool syn = false;
  bool payload = false;  ///< it has some

  /// None if the frame holds no TCP header.
  static std::optional<Segment> of(std::span<const uint8_t> frame);
};

class StreamWindows {
 public:
  StreamWindows(uint64_t bytes, uint8_t mark, uint8_t mask)
      : bytes_(bytes), mark_(mark), mask_(mask) {}

  /// A frame as it leaves to the wire, and the bytes that it had as the host sent it. It counts
  /// where its first byte of payload does; again, if it is sent again.
  void add(std::span<const uint8_t> frame, uint64_t before);
  /// Streams are of connections whose SYN was seen.
  nlohmann::json figures() const;

 private:
  struct Window {
    uint64_t frames = 0, bytes_long = 0, bytes_short = 0;
  };
  struct Stream {
    uint32_t next = 0;     ///< sequence number of the byte `offset`
    uint64_t offset = 0;   ///< counts on where sequence numbers wrap
    bool carries = false;  ///< bytes: more than a SYN that was refused
  };

  uint64_t bytes_;
  uint8_t mark_, mask_;
  std::map<Segment::Flow, Stream> streams_;
  std::vector<Window> windows_;
};

}  // namespace gw::tools
