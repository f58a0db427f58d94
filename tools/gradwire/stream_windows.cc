// SPDX-License-Identifier: Apache-2.0
#include "tools/gradwire/stream_windows.h"

#include <algorithm>

#include "models/reference/capture/bytes.h"
#include "models/reference/nic/headers.h"

namespace gw::tools {

namespace nic = reference::nic;

std::optional<Segment> Segment::of(std::span<const uint8_t> frame) {
  const nic::Ethernet link = nic::ethernet(frame);
  const auto ip = link.type == nic::EtherType::kIpv4 ? nic::ipv4(frame, link.end) : std::nullopt;
  const uint8_t packed = nic::NicConfig{}.protocol_tcp;
  if (!ip || !ip->sound() || ip->fragment) return std::nullopt;
  if (ip->protocol != nic::kTcp && ip->protocol != packed) return std::nullopt;
  const auto header = nic::transport_header(frame, ip->transport(), ip->end(), /*tcp=*/true);
  if (!header) return std::nullopt;
  Segment out{.flow = {},
              .sequence = capture::load32(frame, ip->transport() + 4),
              .tos = ip->tos,
              .syn = (frame[ip->transport() + 13] & 2) != 0,
              .payload = ip->end() > ip->transport() + *header};
  std::ranges::copy(frame.subspan(ip->offset + 12, 8), out.flow.begin());
  std::ranges::copy(frame.subspan(ip->transport(), 4), out.flow.begin() + 8);
  return out;
}

void StreamWindows::add(std::span<const uint8_t> frame, uint64_t before) {
  const std::optional<Segment> segment = Segment::of(frame);
  if (!segment || (segment->tos & mask_) != (mark_ & mask_)) return;
  if (segment->syn) {
    streams_[segment->flow] = {.next = segment->sequence + 1};
    return;
  }
  const auto found = streams_.find(segment->flow);
  if (found == streams_.end() || !segment->payload) return;
  Stream& stream = found->second;
  // Half of all numbers are ahead; what is after was sent before.
  const uint32_t ahead = segment->sequence - stream.next;
  const uint64_t behind = ahead >> 31 != 0 ? uint64_t{0 - ahead} : 0;
  if (behind > stream.offset) return;
  if (behind == 0) {
    stream.offset += ahead;
    stream.next = segment->sequence;
  }
  stream.carries = true;
  const uint64_t window = (stream.offset - behind) / bytes_;
  if (window >= windows_.size()) windows_.resize(window + 1);
  ++windows_[window].frames;
  windows_[window].bytes_long += before;
  windows_[window].bytes_short += frame.size();
}

nlohmann::json StreamWindows::figures() const {
  nlohmann::json all = nlohmann::json::array();
  for (const Window& w : windows_) {
    all.push_back(
        {{"frames", w.frames}, {"bytes_long", w.bytes_long}, {"bytes_short", w.bytes_short}});
  }
  const auto streams =
      std::ranges::count_if(streams_, [](const auto& stream) { return stream.second.carries; });
  return {{"bytes", bytes_}, {"streams", streams}, {"of", all}};
}

}  // namespace gw::tools
