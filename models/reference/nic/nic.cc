// SPDX-License-Identifier: Apache-2.0
#include "models/reference/nic/nic.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include "models/reference/capture/bytes.h"
#include "models/reference/nic/headers.h"

namespace gw::reference::nic {
namespace {

using capture::load16;
using capture::load32;
using capture::store16;

constexpr std::size_t kFloat = 4;
constexpr std::size_t kTcpChecksum = 16;
constexpr std::size_t kUdpChecksum = 6;
constexpr std::size_t kUdpLength = 4;
constexpr std::size_t kUdpHeader = 8;
constexpr std::size_t kTcpFlags = 13;
constexpr std::uint8_t kSynFlag = 0x02;

/// A payload's bytes around its whole floats.
struct Cut {
  std::size_t head = 0;
  std::size_t floats = 0;
  std::size_t tail = 0;

  Cut(std::size_t length, std::size_t before)
      : head(before),
        floats(length < before ? 0 : (length - before) / kFloat),
        tail(length < before ? 0 : (length - before) % kFloat) {}
  std::size_t edges() const { return head + tail; }
};

std::vector<std::uint32_t> words(std::span<const std::uint8_t> bytes) {
  std::vector<std::uint32_t> out(bytes.size() / kFloat);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = boost::endian::load_little_u32(&bytes[kFloat * i]);
  }
  return out;
}

void append(Frame& frame, std::span<const std::uint8_t> bytes) {
  frame.insert(frame.end(), bytes.begin(), bytes.end());
}

void append(Frame& frame, std::span<const std::uint32_t> values) {
  const std::size_t at = frame.size();
  frame.resize(at + kFloat * values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    boost::endian::store_little_u32(&frame[at + kFloat * i], values[i]);
  }
}

std::size_t place_of(const FlowKey& key) {
  const auto end = [&key](std::size_t address, std::size_t port) {
    const auto a = key.begin() + static_cast<std::ptrdiff_t>(address);
    const auto p = key.begin() + static_cast<std::ptrdiff_t>(port);
    std::array<std::uint8_t, 6> bytes;
    std::copy_n(p, 2, std::copy_n(a, 4, bytes.begin()));
    return bytes;
  };
  const std::uint8_t direction = end(0, 8) <= end(4, 10) ? 0 : 0x80;
  return std::accumulate(key.begin(), key.end(), direction, std::bit_xor<>());
}

/// x^4 + x + 1, initial 0, over the shim without these four bits of its own.
std::uint8_t crc4(std::span<const std::uint8_t> shim) {
  std::uint8_t crc = 0;
  for (std::size_t bit = 0; bit < 8 * kShim; ++bit) {
    if (bit >= 4 && bit < 8) continue;
    const int in = shim[bit / 8] >> (7 - bit % 8) & 1;
    const bool out = (crc >> 3 ^ in) != 0;
    crc = static_cast<std::uint8_t>((crc << 1 & 0xF) ^ (out ? 3 : 0));
  }
  return crc;
}

struct Shim {
  CodecConfig codec;
  std::uint8_t head = 0;
  std::size_t length = 0;  ///< of the payload
};

std::array<std::uint8_t, kShim> shim_bytes(const Shim& shim) {
  std::array<std::uint8_t, kShim> bytes{
      kShimVersion << 4,
      static_cast<std::uint8_t>((shim.codec.mode == Mode::kBounded ? 0x80 : 0) |
                                shim.codec.bound_exponent << 2 | shim.head),
      static_cast<std::uint8_t>(shim.length >> 8), static_cast<std::uint8_t>(shim.length)};
  bytes[0] |= crc4(bytes);
  return bytes;
}

/// None if nic_tx cannot have made it, as far as its bytes alone say.
std::optional<Shim> shim_of(std::span<const std::uint8_t> bytes, bool tcp) {
  const int k = bytes[1] >> 2 & 15;
  const Shim shim{.codec = {k, (bytes[1] & 0x80) != 0 ? Mode::kBounded : Mode::kPaper},
                  .head = static_cast<std::uint8_t>(bytes[1] & 3),
                  .length = load16(bytes, 2)};
  if (bytes[0] != (kShimVersion << 4 | crc4(bytes)) || (bytes[1] & 0x40) != 0 ||
      k < kMinBoundExponent || k > kMaxBoundExponent || (!tcp && shim.head != 0) ||
      Cut(shim.length, shim.head).floats == 0) {
    return std::nullopt;
  }
  return shim;
}

/// What a host answers to a packed frame if it has no nic_rx.
bool is_protocol_unreachable(const Quote& quote) { return quote.type == 3 && quote.code == 2; }

struct Mended {
  Quote quote;
  bool tcp = false;  ///< what it quotes
};

/// Makes an ICMP error about a packed frame one about what the host had sent: protocol, total
/// length where the quote reaches over the shim, the quoted header's checksum. None if it is none.
std::optional<Mended> mend(Frame& frame, const NicConfig& config) {
  constexpr std::size_t kLargestPacket = 9004;  // of the largest frame, after its tag
  const auto found = quote(frame);
  if (!found || found->outer.protocol == config.protocol_tcp ||
      found->outer.protocol == config.protocol_udp) {
    return std::nullopt;
  }
  const Ipv4& inner = found->inner;
  const bool tcp = inner.protocol == config.protocol_tcp;
  if (!tcp && inner.protocol != config.protocol_udp) return std::nullopt;
  std::size_t total = inner.total;
  const auto header = transport_header(frame, inner.transport(), found->end, tcp);
  if (header && !inner.fragment && inner.transport() + *header + kShim <= found->end) {
    const auto bytes = std::span(frame).subspan(inner.transport() + *header, kShim);
    if (const auto shim = shim_of(bytes, tcp)) {
      const std::size_t whole = inner.header + *header + shim->length;
      if (whole <= kLargestPacket) total = whole;
    }
  }
  rewrite(frame, inner, total, tcp ? kTcp : kUdp);
  return Mended{*found, tcp};
}

std::uint8_t modulo4(std::uint32_t value) { return static_cast<std::uint8_t>(value % kFloat); }

/// What the headers of a frame say of it: the action unless it is stored or packed, and the cut of
/// its payload if it may be.
struct Judged {
  TxAction action = TxAction::kStored;
  bool held = false;  ///< its beats wait for the last one, because of what the headers say
  bool tcp = false;
  Ipv4 ip;
  std::size_t payload_at = 0;
  std::size_t payload = 0;
  std::optional<Cut> cut;
  bool teaches = false;  ///< a SYN
};

/// Without the frame's end: what the headers say, were the frame as long as its packet.
Judged judge_headers(std::span<const std::uint8_t> frame, const NicConfig& config,
                     const FlowTable& flows) {
  Judged out;
  const auto is = [&out](TxAction action) {
    out.action = action;
    return out;
  };
  const Ethernet link = ethernet(frame);
  if (link.type != EtherType::kIpv4) return is(TxAction::kNotIpv4);
  const auto ip = ipv4(frame, link.end);
  if (!ip || !ip->sound() || frame.size() < ip->transport()) return is(TxAction::kBadHeader);
  out.ip = *ip;
  if (ip->end() > kMaxFrame) return is(TxAction::kBadHeader);  // whatever follows
  out.tcp = ip->protocol == kTcp;
  const bool transport = !ip->fragment && (out.tcp || ip->protocol == kUdp);
  std::size_t header = 0;
  if (transport) {
    const auto bytes = transport_header(frame, ip->transport(), ip->end(), out.tcp);
    if (!bytes) return is(TxAction::kBadHeader);
    header = *bytes;
    if (!out.tcp && load16(frame, ip->transport() + kUdpLength) != ip->total - ip->header) {
      return is(TxAction::kBadHeader);
    }
  }
  if (!ip->fragment &&
      (ip->protocol == config.protocol_tcp || ip->protocol == config.protocol_udp)) {
    out.held = true;
    return is(TxAction::kReserved);
  }
  const bool marked = (ip->tos & config.mark_mask) == (config.mark & config.mark_mask);
  out.teaches = transport && out.tcp && (frame[ip->transport() + kTcpFlags] & kSynFlag) != 0;
  if (marked && out.teaches) return is(TxAction::kSyn);
  if (!marked) return is(TxAction::kNotMarked);
  if (ip->fragment) return is(TxAction::kFragment);
  if (!transport) return is(TxAction::kOtherProtocol);
  out.payload_at = ip->transport() + header;
  out.payload = ip->end() - out.payload_at;
  if (out.payload == 0) return is(TxAction::kNoPayload);
  // A trailer is seen at the frame's end only, but comes before what follows.
  std::uint8_t head = 0;
  if (out.tcp && config.grid == Grid::kStream) {
    const auto phase = flows.phase(key_of(frame, *ip));
    if (!phase) return is(TxAction::kNoStreamStart);
    head = modulo4(*phase - load32(frame, ip->transport() + 4));
  }
  if (!out.tcp && out.payload % kFloat != 0) return is(TxAction::kUnaligned);
  const Cut cut(out.payload, head);
  if (cut.floats == 0) return is(TxAction::kFew);
  out.cut = cut;
  out.held = true;
  return out;
}

Judged judge(std::span<const std::uint8_t> frame, const NicConfig& config, const FlowTable& flows) {
  Judged out = judge_headers(frame, config, flows);
  if (out.action == TxAction::kNotIpv4 || out.action == TxAction::kBadHeader) return out;
  if (out.ip.end() > frame.size() || frame.size() > kMaxFrame) {
    out.action = TxAction::kBadHeader;
    // A frame that is too long was not held to its end.
    out.held = out.held && frame.size() <= kMaxFrame;
  } else if (out.action >= TxAction::kTrailer && out.ip.end() < frame.size()) {
    out.action = TxAction::kTrailer;
  }
  return out;
}

}  // namespace

std::string_view name_of(TxAction action) {
  static constexpr std::array<std::string_view, kTxActions> kNames{
      "not_ipv4",   "bad_header",      "reserved",       "syn",
      "not_marked", "fragment",        "other_protocol", "no_payload",
      "trailer",    "no_stream_start", "unaligned",      "few",
      "stored",     "packed",          "bad_input"};
  return kNames.at(static_cast<std::size_t>(action));
}

std::string_view name_of(RxAction action) {
  static constexpr std::array<std::string_view, kRxActions> kNames{
      "passed", "bad_shim", "bad_stream", "unpacked", "mended"};
  return kNames.at(static_cast<std::size_t>(action));
}

void FlowTable::learn(const FlowKey& key, std::uint8_t phase) {
  auto& entry = entries_[place_of(key)];
  if (entry && entry->key != key) ++evicted_;
  entry = Entry{key, phase};
}

void FlowTable::forget(const FlowKey& key) {
  auto& entry = entries_[place_of(key)];
  if (!entry || entry->key != key) return;
  entry.reset();
  ++forgotten_;
}

std::optional<std::uint8_t> FlowTable::phase(const FlowKey& key) const {
  const auto& entry = entries_[place_of(key)];
  if (!entry || entry->key != key) return std::nullopt;
  return entry->phase;
}

std::size_t FlowTable::entries() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(entries_, [](const auto& entry) { return entry.has_value(); }));
}

Packed NicTx::pack(std::span<const std::uint8_t> frame, bool bad,
                   const std::optional<FlowKey>& forget) {
  if (forget) flows_.forget(*forget);
  const Judged judged = judge(frame, config_, flows_);
  Packed out;
  out.action = judged.action;
  if (bad) {
    out.action = TxAction::kBadInput;
    out.leaves = !judged.held;
    out.error = out.leaves;
  } else if (judged.action == TxAction::kReserved) {
    out.leaves = false;
  }
  if (!out.leaves) return out;
  out.frame.assign(frame.begin(), frame.end());
  out.expected = out.frame;
  mend(out.expected, config_);
  if (bad) return out;
  if (judged.teaches && judged.action != TxAction::kBadHeader) {
    // SYN takes a number of its own: the stream's first byte has the next one.
    flows_.learn(key_of(frame, judged.ip), modulo4(load32(frame, judged.ip.transport() + 4) + 1));
  }
  if (judged.action != TxAction::kStored) return out;

  const Cut cut = *judged.cut;
  out.head = static_cast<std::uint8_t>(cut.head);
  out.floats = cut.floats;
  out.payload = judged.payload;
  const auto payload = frame.subspan(judged.payload_at, judged.payload);
  const auto values = words(payload.subspan(cut.head, kFloat * cut.floats));
  std::vector<std::uint8_t> stream;
  encode(values, config_.codec, stream);
  const std::size_t end = judged.payload_at + kShim + cut.edges() + stream.size();
  if (std::max(end, kMinFrame) >= frame.size()) return out;

  out.action = TxAction::kPacked;
  // What the far host gets: each float as it will be decoded, and the checksum of that.
  auto decoded = decode(stream, config_.codec).values;
  decoded.resize(cut.floats);
  Frame received;
  append(received, payload.first(cut.head));
  append(received, decoded);
  append(received, payload.last(cut.tail));
  std::ranges::copy(received,
                    out.expected.begin() + static_cast<std::ptrdiff_t>(judged.payload_at));
  const std::size_t checksum_at =
      judged.ip.transport() + (judged.tcp ? kTcpChecksum : kUdpChecksum);
  std::uint16_t checksum = load16(frame, checksum_at);
  if (judged.tcp || checksum != 0) {
    checksum = updated(checksum, payload, received);
    if (!judged.tcp && checksum == 0) checksum = 0xFFFF;
  }
  store16(out.expected, checksum_at, checksum);

  out.frame.resize(judged.payload_at);
  store16(out.frame, checksum_at, checksum);
  rewrite(out.frame, judged.ip, end - judged.ip.offset,
          judged.tcp ? config_.protocol_tcp : config_.protocol_udp);
  append(out.frame, shim_bytes({.codec = config_.codec, .head = out.head, .length = out.payload}));
  append(out.frame, payload.first(cut.head));
  append(out.frame, payload.last(cut.tail));
  append(out.frame, stream);
  out.frame.resize(std::max(end, kMinFrame), 0);

  // On its way the IPv4 checksum is updated twice, which knows one zero only.
  constexpr std::size_t kIpv4Checksum = 10;
  if (load16(out.expected, judged.ip.offset + kIpv4Checksum) == 0xFFFF) {
    store16(out.expected, judged.ip.offset + kIpv4Checksum, 0);
  }
  return out;
}

std::optional<FlowKey> forgotten_flow(std::span<const std::uint8_t> frame) {
  const auto found = quote(frame);
  if (!found || !is_protocol_unreachable(*found) || found->inner.protocol != kTcp) {
    return std::nullopt;
  }
  return key_of(frame, *found);
}

Unpacked NicRx::unpack(std::span<const std::uint8_t> frame, bool bad) const {
  Unpacked out{
      .action = RxAction::kPassed, .frame = Frame(frame.begin(), frame.end()), .error = bad};
  const Ethernet link = ethernet(frame);
  if (link.type != EtherType::kIpv4) return out;
  const auto ip = ipv4(frame, link.end);
  if (!ip || ip->fragment) return out;
  const bool tcp = ip->protocol == config_.protocol_tcp;
  if (!tcp && ip->protocol != config_.protocol_udp) {
    if (const auto mended = mend(out.frame, config_)) {
      out.action = RxAction::kMended;
      if (mended->tcp && is_protocol_unreachable(mended->quote) && !bad) {
        out.forget = key_of(out.frame, mended->quote);
      }
    }
    return out;
  }

  out.action = RxAction::kBadShim;
  if (!ip->sound()) return out;
  const auto header = transport_header(frame, ip->transport(), ip->end(), tcp);
  if (!header) return out;
  const std::size_t shim_at = ip->transport() + *header, edges_at = shim_at + kShim;
  if (edges_at > ip->end() || edges_at > frame.size()) return out;
  const auto shim = shim_of(frame.subspan(shim_at, kShim), tcp);
  if (!shim) return out;
  const std::size_t length = shim->length;
  if (!tcp && load16(frame, ip->transport() + kUdpLength) != kUdpHeader + length) return out;
  const Cut cut(length, shim->head);
  if (edges_at + cut.edges() > ip->end()) return out;
  const std::size_t stream_at = edges_at + cut.edges(), stream_bytes = ip->end() - stream_at;
  const std::size_t groups = groups_of_values(cut.floats), result = shim_at + length;
  // More than 34 bytes a group are no shorter than what they hold.
  if (stream_bytes < kTagBytes * groups || result > kMaxFrame ||
      result <= std::max(ip->end(), kMinFrame)) {
    return out;
  }

  // Of what is there: a frame may end before its total length.
  const std::size_t here = std::min(frame.size(), ip->end());
  const auto head = frame.subspan(edges_at, std::min(cut.head, here - edges_at));
  std::vector<std::uint32_t> values;
  bool whole = false;
  if (stream_at <= here) {
    const auto decoded = decode(frame.subspan(stream_at, here - stream_at), shim->codec);
    values = decoded.values;
    whole = here == ip->end() && !decoded.error && values.size() == groups * kGroupValues;
  }
  out.action = whole ? RxAction::kUnpacked : RxAction::kBadStream;
  out.error = bad || !whole;
  out.head = static_cast<std::uint8_t>(cut.head);
  out.floats = cut.floats;
  out.payload = length;
  out.whole = result;
  out.frame.resize(shim_at);
  rewrite(out.frame, *ip, result - ip->offset, tcp ? kTcp : kUdp);
  append(out.frame, head);
  values.resize(std::min(values.size(), cut.floats));
  append(out.frame, values);
  if (values.size() == cut.floats) append(out.frame, frame.subspan(edges_at + cut.head, cut.tail));
  return out;
}

}  // namespace gw::reference::nic
