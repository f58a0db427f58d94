// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/switch.h"

#include <algorithm>
#include <cstring>

namespace gw::systemc {

void PacketQueue::reset(bool offered) {
  idle_ = offered ? 0 : idle_ + (idle_ < kFindCycles);
  lost_ = rx_ && idle_ < kFindCycles;
  head_ = committed_ = frame_ = bytes_ = 0;
  spoilt_ = shown_ = was_committed_ = was_dropped_ = false;
}

void PacketQueue::clock(const Beat* s, bool m_ready, bool offered) {
  const bool lost = lost_;
  idle_ = offered ? 0 : idle_ + (idle_ < kFindCycles);
  lost_ = lost && idle_ < kFindCycles && !(s != nullptr && s->last != 0);
  const uint32_t used = committed_ + frame_;
  const bool load = (!shown_ || m_ready) && committed_ != 0;
  if (!shown_ || m_ready) shown_ = load;
  if (load) {
    out_ = ring_[head_ % kBeats];
    ++head_;
    --committed_;
  }
  was_committed_ = was_dropped_ = false;
  if (s == nullptr) return;

  bytes_ += static_cast<uint32_t>(bytes_of_keep(s->keep));
  spoilt_ = spoilt_ || lost || used == kBeats || (rx_ && bytes_ > kMaxBytes);
  if (spoilt_) {
    frame_ = 0;
  } else {
    ring_[(head_ + committed_ + frame_) % kBeats] = *s;
    ++frame_;
  }
  if (s->last == 0) return;
  was_dropped_ = spoilt_ || (rx_ && (s->user != 0 || bytes_ < kMinBytes));
  was_committed_ = !was_dropped_;
  if (was_committed_) committed_ += frame_;
  frame_ = bytes_ = 0;
  spoilt_ = false;
}

Switch::Switch() : rx_(kPorts, PacketQueue(true)), tx_(kPorts, PacketQueue(false)) { reset(); }

void Switch::configure(const AggregationConfig& aggregation, const OptimizerConfig& optimizer,
                       std::span<const uint32_t> theta) {
  aggregation_.configure(aggregation);
  optimization_.configure(optimizer, theta);
  reset();
}

void Switch::configure(const AggregationConfig& aggregation, unsigned offered) {
  aggregation_.configure(aggregation);
  reset(offered);
}

void Switch::reset(unsigned offered) {
  for (uint32_t p = 0; p < kPorts; ++p) rx_[p].reset((offered >> p & 1) != 0);
  for (PacketQueue& queue : tx_) queue.reset(false);
  parser_.reset();
  aggregation_.reset();
  optimization_.reset();
  ready_ = active_ = false;
  port_ = kPorts - 1;
  served_first_ = parsed_first_ = out_first_ = true;
  table_.fill({});
  route_head_ = route_tail_ = 0;
  mask_ = 0;
  flooded_ = filtered_ = 0;
  ports_.fill(0);
}

void Switch::skip_clearing() {
  aggregation_.skip_clearing();
  for (PacketQueue& queue : rx_) queue.find();
}

uint32_t Switch::events() const {
  uint32_t events = begins() ? 1 | port_ << 1 : 0;
  for (uint32_t p = 0; p < kPorts; ++p) {
    events |= static_cast<uint32_t>(rx_[p].was_committed()) << (3 + p) |
              static_cast<uint32_t>(rx_[p].was_dropped()) << (7 + p) |
              static_cast<uint32_t>(tx_[p].was_committed()) << (11 + p) |
              static_cast<uint32_t>(tx_[p].was_dropped()) << (15 + p);
  }
  return events;
}

/// The next port, from the one after the last on; the one that is served only if it has more.
void Switch::choose(bool drain) {
  for (uint32_t step = 1; step <= kPorts; ++step) {
    const uint32_t p = (port_ + step) % kPorts;
    const bool own = active_ && p == port_;
    if (!drain && (own ? rx_[p].more() : rx_[p].m_beat() != nullptr)) {
      active_ = true;
      port_ = p;
      return;
    }
  }
  active_ = false;
}

unsigned Switch::route(const Beat& first) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(first.data.data());
  const bool tagged = bytes[12] == 0x81 && bytes[13] == 0;
  const uint32_t vlan = tagged ? (bytes[14] & 0xFu) << 8 | bytes[15] : 0;
  const uint32_t port = first.meta[4] >> 20 & 3;
  const auto entry_of = [&](const uint8_t* mac) -> Entry& {
    uint32_t hash = (vlan ^ vlan >> 8) & 0xFF;
    for (int i = 0; i < 6; ++i) hash ^= mac[i];
    return table_[hash];
  };
  const auto number = [](const uint8_t* mac) {
    uint64_t value = 0;
    std::memcpy(&value, mac, 6);
    return value;
  };
  if ((bytes[6] & 1) == 0) {
    entry_of(bytes + 6) = {.known = true, .vlan = vlan, .port = port, .mac = number(bytes + 6)};
  }
  const Entry& entry = entry_of(bytes);
  if ((bytes[0] & 1) != 0 || !entry.known || entry.vlan != vlan || entry.mac != number(bytes)) {
    ++flooded_;
    return 0xFu & ~(1u << port);
  }
  if (entry.port == port) {
    ++filtered_;
    return 0;
  }
  return 1u << entry.port;
}

void Switch::clock(const std::array<const Beat*, kPorts>& s, unsigned m_ready, bool drain) {
  // Outputs of this cycle, before anything moves.
  const Beat* const in = served();
  const bool serve = in != nullptr && parser_.s_ready();
  const bool serve_last = serve && in->last != 0;
  const uint32_t serving = port_;
  const Beat* const parsed = parser_.m_beat();
  const bool parsed_taken = aggregation_.ready_for(parsed) && parsed != nullptr;
  const Beat* const summed = aggregation_.m_beat();
  const bool summed_taken = optimization_.ready_for(summed) && summed != nullptr;
  const Beat* const out = optimization_.m_beat();

  // Lookup, and what the output queues get.
  unsigned mask = 0;
  if (out != nullptr) {
    if (out_first_) mask_ = routes_[route_head_++];
    mask = mask_;
    out_first_ = out->last != 0;
    to_tx_ = *out;
    to_tx_.meta = {};
    to_tx_.user = 0;
  }
  if (parsed_taken) {
    if (parsed_first_) routes_[route_tail_++] = static_cast<uint8_t>(route(*parsed));
    parsed_first_ = parsed->last != 0;
  }
  if (in != nullptr) {
    to_parser_ = *in;
    to_parser_.meta = {};
    to_parser_.meta[0] = port_;
  }
  if (serve) served_first_ = serve_last;
  if (!active_ || serve_last) choose(drain);

  for (uint32_t p = 0; p < kPorts; ++p) {
    ports_[4 * p] += rx_[p].was_committed();
    ports_[4 * p + 1] += rx_[p].was_dropped();
    ports_[4 * p + 2] += tx_[p].was_committed();
    ports_[4 * p + 3] += tx_[p].was_dropped();
    tx_[p].clock((mask >> p & 1) != 0 ? &to_tx_ : nullptr, (m_ready >> p & 1) != 0, false);
  }
  optimization_.clock(summed, true);
  aggregation_.clock(parsed, summed_taken);
  parser_.clock(in != nullptr ? &to_parser_ : nullptr, parsed_taken);
  for (uint32_t p = 0; p < kPorts; ++p) {
    rx_[p].clock(ready_ ? s[p] : nullptr, serve && p == serving, s[p] != nullptr);
  }
  ready_ = true;
}

std::span<const uint32_t> Switch::statistics() const {
  auto at = statistics_.begin();
  for (const auto words : {parser_.statistics(), aggregation_.statistics(),
                           optimization_.statistics(), std::span<const uint32_t>(ports_)}) {
    at = std::ranges::copy(words, at).out;
  }
  *at++ = flooded_;
  *at = filtered_;
  return statistics_;
}

}  // namespace gw::systemc
