// SPDX-License-Identifier: Apache-2.0
#include "testbenches/switch/make_frames.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>

#include "models/reference/capture/capture.h"

namespace gw::testbenches {

namespace expether = reference::expether;
using sim::Random;

/// A frame that is not ExpEther, tagged with the VLAN; destination -1: broadcast.
std::vector<uint8_t> ordinary_frame(int source, int destination, uint16_t vlan, size_t bytes,
                                    uint64_t content) {
  std::vector<uint8_t> frame(bytes);
  const uint64_t to = destination < 0 ? 0xFFFF'FFFF'FFFF : mac_of(destination);
  boost::endian::store_big_u48(&frame[0], to);
  boost::endian::store_big_u48(&frame[6], mac_of(source));
  frame[12] = 0x81;
  boost::endian::store_big_u16(&frame[14], static_cast<uint16_t>(vlan));
  frame[16] = 0x88;
  frame[17] = 0xB6;  // IEEE local experimental, the other one
  Random random(content);
  for (size_t i = 18; i < bytes; ++i) frame[i] = static_cast<uint8_t>(random.next());
  return frame;
}

std::vector<uint8_t> gradient_frame(int source, int destination, uint16_t vlan, uint16_t group,
                                    uint16_t worker, uint32_t sequence, uint32_t iteration,
                                    std::span<const uint32_t> values, expether::Tlp tlp) {
  expether::Header header;
  header.destination = mac_of(destination);
  header.source = mac_of(source);
  header.tci = vlan;
  header.sequence = sequence;
  header.worker = worker;
  header.group = group;
  header.iteration = iteration;
  header.tlp = tlp;
  header.address = 0x1'0000'0000 + 128ull * sequence;
  return expether::build_gradient(header, values);
}

void set_checksum(std::vector<uint8_t>& frame) {
  boost::endian::store_big_u16(&frame[expether::kChecksumOffset], expether::checksum(frame));
}

/// A copy that is wrong in the way that the reason says.
std::vector<uint8_t> malformed_copy(std::vector<uint8_t> frame, expether::Reason reason,
                                    Random& random) {
  using expether::Reason;
  const size_t tlp = (frame[expether::kFlagsOffset] & expether::kFlagTlp3Dw) != 0
                         ? expether::kTlp3Offset
                         : expether::kTlp4Offset;
  switch (reason) {
    case Reason::kShortFrame:
      frame.resize(std::max(kShortFrame, frame.size() - 4 * (1 + random.below(8))));
      break;
    case Reason::kBadVersion:
      frame[expether::kVersionOffset] = static_cast<uint8_t>(2 + random.below(254));
      set_checksum(frame);
      break;
    case Reason::kBadChecksum:
      frame[expether::kChecksumOffset] ^= static_cast<uint8_t>(1 + random.below(254));
      break;
    case Reason::kCount:
      frame[expether::kCountOffset] =
          static_cast<uint8_t>(random.below(2) == 0 ? 0 : 33 + random.below(223));
      set_checksum(frame);
      break;
    case Reason::kTlpLength:
      frame[tlp + 3] ^= static_cast<uint8_t>(1 + random.below(31));
      break;
    case Reason::kPoisoned:
      frame[tlp + 2] |= expether::kTlpPoisoned;
      break;
    case Reason::kTlpType:
      frame[tlp] = 0x20;  // a read
      break;
    case Reason::kNone:
      break;
  }
  return frame;
}

std::vector<uint8_t> foreign_frame(int source, int destination, const TrafficOptions& options,
                                   Random& random) {
  switch (random.below(5)) {
    case 0: {  // an IPv4 datagram, untagged
      const std::vector<uint8_t> payload(20 + random.below(1400));
      auto made = capture::make_frame({.tos = 0}, payload);
      std::vector<uint8_t> frame = std::move(made).value();
      for (size_t i = 0; i < 6; ++i) {
        frame[i] = static_cast<uint8_t>(mac_of(destination) >> (40 - 8 * i));
        frame[6 + i] = static_cast<uint8_t>(mac_of(source) >> (40 - 8 * i));
      }
      return frame;
    }
    case 1:  // a broadcast
      return ordinary_frame(source, -1, options.vlan, kShortFrame, random.next());
    case 2: {  // ExpEther that carries no values
      expether::Header header;
      header.destination = mac_of(destination);
      header.source = mac_of(source);
      header.tci = options.vlan;
      header.sequence = static_cast<uint32_t>(random.next());
      const std::vector<uint8_t> body(16 + random.below(200));
      return expether::build_plain(header, body);
    }
    case 3: {  // parameters on their way
      expether::Header header;
      header.destination = mac_of(destination);
      header.source = mac_of(source);
      header.tci = options.vlan;
      header.group = options.group;
      const std::vector<uint32_t> values(1 + random.below(32), 0x3F80'0000);
      return expether::build_parameter(header, values);
    }
    default: {  // anything, of any length up to a jumbo frame's
      const uint64_t seed = random.next();
      const uint32_t more =
          random.below(16) == 0 ? random.below(expether::kMaxFrameBytes - 59) : random.below(1440);
      return ordinary_frame(source, destination, options.vlan, kShortFrame + more, seed);
    }
  }
}

}  // namespace gw::testbenches
