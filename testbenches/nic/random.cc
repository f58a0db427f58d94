// SPDX-License-Identifier: Apache-2.0
#include "testbenches/nic/random.h"

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "models/axis/beat.h"
#include "models/reference/capture/bytes.h"
#include "models/reference/nic/headers.h"
#include "models/reference/nic/host.h"
#include "testbenches/codec/random.h"
#include "testbenches/kit/wires.h"
#include "testbenches/nic/options.h"

namespace gw::testbenches {
namespace {

namespace nic = reference::nic;
using sim::Random;

constexpr uint64_t kDefaultFrames = 1024;
constexpr int64_t kLongest = 40'000;  // longer than what queues hold of a frame
constexpr int64_t kOverlong = 9'600;  // and than any MTU, if a frame is malformed
constexpr uint32_t kFlows = 24;
constexpr uint32_t kLatest = 8;  // frames that may come before one that is late

std::vector<sim::RandomKey> frame_keys(bool wire) {
  std::vector<sim::RandomKey> keys =
      sim::random_stream_keys("bytes", sim::kMinFrameBytes, kLongest, 60, 1514);
  for (sim::RandomKey& key : sim::random_value_keys(/*codec=*/true)) keys.push_back(std::move(key));
  keys.push_back(random_settings_key());
  keys.push_back({"frame",
                  "what a host sends; other: neither TCP nor UDP, or a fragment; quote: an ICMP "
                  "error about a packed frame",
                  {{"segment", 7}, {"datagram", 3}, {"syn", 1}, {"other"}, {"quote"}}});
  keys.push_back({"mark",
                  "whether a stream is of floats; ecn: marked, and ECN's bits are set",
                  {{"marked", 3}, {"unmarked", 1}, {"ecn", 1}}});
  keys.push_back({"header",
                  "a packet's headers: none but the least, with options, with a tag; any: with or "
                  "without, and all fields hold anything that leaves it what it is",
                  {{"plain", 3}, {"options", 1}, {"tagged", 1}, {"any"}}});
  keys.push_back({"malformed",
                  "what is wrong with a malformed frame",
                  {{"version", 1},
                   {"ip_header", 1},
                   {"total_length", 1},
                   {"data_offset", 1},
                   {"udp_length", 1},
                   {"reserved", 1},
                   {"fragment", 1},
                   {"protocol", 1},
                   {"trailer", 1},
                   {"overlong", 1},
                   {"runt", 1}}});
  keys.push_back({"foreign",
                  "a frame that is not IPv4",
                  {{"arp", 1}, {"ipv6", 1}, {"two_tags", 1}, {"unknown", 1}}});
  sim::RandomKey error = {
      "error",
      "what befalls a frame; flag: tuser; cut: it ends early; header: a bit of "
      "what says what it is; short: a header with less than it must have; ends: it ends "
      "within its headers or close behind",
      {{"none", 1},
       {"flag"},
       {"bad_keep"},
       {"cut"},
       {"flipped_bit"},
       {"header"},
       {"short"},
       {"ends"},
       {"loss"},
       {"duplicate"},
       {"reorder"},
       {"malformed"},
       {"foreign"}}};
  if (wire) {
    for (const char* way : {"shim", "stream"}) error.ways.push_back({way});
    error.text += "; shim, stream: of a packed frame, one bit, all bytes";
  }
  keys.push_back(std::move(error));
  return keys;
}

/// A frame, and what befalls it behind nic_tx, or behind the host.
struct Drawn {
  sim::Frame frame;
  std::string error;
};

class RandomHosts final : public sim::Frames {
 public:
  RandomHosts(const sim::StimulusSpec& stimulus, uint64_t seed, const nic::NicConfig& config,
              PacketPins pins, bool wire)
      : table_(stimulus.random),
        seed_(seed),
        usual_(config),
        pins_(std::move(pins)),
        config_(config),
        lengths_(*table_, {60, 64, 96, 128, 160, 576, 1024, 1514, 8192, 9014, 9018}),
        values_(*table_, classes_of(config.codec)),
        all_(stimulus.packets == 0 ? kDefaultFrames : stimulus.packets) {
    if (wire) packer_.emplace(config);
    for (uint32_t flow = 0; flow < kFlows; ++flow) begin(flow);
  }

  std::optional<sim::Frame> next() override {
    for (;;) {
      std::optional<Drawn> drawn = late_.take(/*all=*/count_ == all_);
      if (!drawn) {
        if (count_ == all_) return std::nullopt;
        drawn = draw();
        if (!drawn) continue;
      }
      late_.pass();
      ++given_;
      drawn->frame.time_ns = tenths_ / 10;
      tenths_ += wire_tenths(drawn->frame.bytes.size());
      return std::move(drawn->frame);
    }
  }
  sim::FrameFacts facts() const override {
    sim::FrameFacts facts;
    facts.trace = {{"random", table_->name()},
                   {"packets", given_},
                   {"selected", given_},
                   {"skipped", nlohmann::json::object()}};
    if (!errors_.empty()) facts.trace["faults"] = errors_;
    facts.synth = table_->name();
    return facts;
  }
  uint64_t expected() const override { return all_; }

 private:
  struct Flow {
    nic::Host host;
    uint32_t start = 0, sent = 0, begun = 0;
    bool open = false;
  };

  Random stream(const char* purpose) const { return {seed_, purpose, count_}; }
  const std::string& word(const char* key, Random& random) const {
    const sim::RandomChoice& choice = (*table_)[key];
    return choice.name(choice.draw(random));
  }

  uint8_t tos(const std::string& mark, Random& random) const {
    const auto any = static_cast<uint8_t>(random.next());
    if (mark == "unmarked") return static_cast<uint8_t>(~usual_.mark);
    const auto marked = static_cast<uint8_t>(usual_.mark & usual_.mark_mask);
    return static_cast<uint8_t>(mark == "ecn" ? marked | (any & ~usual_.mark_mask) : usual_.mark);
  }

  /// A flow's headers, from streams of its own.
  nic::Host headers(Random& random) {
    nic::Host host;
    const std::string& header = word("header", random);
    host.tag = header == "tagged";
    if (header == "options") {
      host.ihl = 5 + random.below(11);
      host.data_offset = 5 + random.below(11);
    }
    host.tos = tos(word("mark", random), random);
    host.source = 0x0A00'0000 + random.below(200);
    host.destination = 0x0A00'0000 + random.below(4);
    host.port = static_cast<uint16_t>(1024 + random.below(60'000));
    if (header == "any") {
      host.any = static_cast<uint32_t>(random.next()) | 1;
      host.tag = random.below(2) != 0;
      for (auto* const words : {&host.ihl, &host.data_offset}) {
        const uint32_t has_options = random.below(2);
        *words = 5 + has_options * random.below(11);
      }
      host.source = static_cast<uint32_t>(random.next());
      host.destination = static_cast<uint32_t>(random.next());
    }
    return host;
  }

  void begin(uint32_t number) {
    Flow& flow = flows_[number];
    Random random(seed_, "flow", uint64_t{number} << 32 | flow.begun++);
    flow.host = headers(random);
    // Near the end of sequence numbers as often as not.
    flow.start = static_cast<uint32_t>(random.next());
    if (random.below(2) == 0) flow.start |= 0xFFFF'0000;
    flow.sent = 0;
    flow.open = false;
  }

  /// Bytes of a stream of floats from its byte `offset` on.
  std::vector<uint8_t> floats(size_t bytes, size_t offset) const {
    std::vector<uint32_t> values(bytes / 4 + 2);
    Random random = stream("value");
    values_.fill(random, values);
    std::vector<uint8_t> all(values.size() * 4);
    for (size_t i = 0; i < values.size(); ++i) {
      boost::endian::store_little_u32(&all[4 * i], values[i]);
    }
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(offset % 4);
    return {from, from + static_cast<std::ptrdiff_t>(bytes)};
  }

  /// The whole of a frame, as right as a host makes it.
  nic::Frame sound() {
    Random random = stream("frame"), lengths = stream("length");
    const auto bytes = static_cast<size_t>(lengths_.draw(lengths));
    const auto room = [bytes](const nic::Host& host) {
      return std::min(bytes, nic::kMaxFrame) - std::min({bytes, nic::kMaxFrame, host.payload_at()});
    };
    const std::string& kind = word("frame", random);
    const uint32_t number = random.below(kFlows);
    if (kind == "datagram") {
      nic::Host host = headers(random);
      host.tcp = false;
      host.udp_checksum = random.below(4) != 0;
      const size_t payload = room(host);
      // A multiple of four, mostly: others are not packed.
      host.payload = floats(random.below(4) == 0 ? payload : payload & ~size_t{3}, 0);
      return host.frame();
    }
    if (kind == "other") return other(random, room(headers(random)));
    if (kind == "quote") return quote(random, flows_[number].host);
    if (kind == "syn" || !flows_[number].open) {
      begin(number);
      Flow& flow = flows_[number];
      flow.open = true;
      nic::Host host = flow.host;
      host.sequence = flow.start - 1;
      return host.syn();
    }
    Flow& flow = flows_[number];
    nic::Host host = flow.host;
    // Sent again, with other boundaries, now and then.
    if (random.below(16) == 0) flow.sent -= std::min(flow.sent, random.below(1000));
    host.sequence = flow.start + flow.sent;
    host.payload = floats(room(host), flow.sent);
    flow.sent += static_cast<uint32_t>(host.payload.size());
    return host.frame();
  }

  /// An IPv4 packet without a transport header that is looked at, and now and then without anything
  /// behind IPv4's.
  nic::Frame other(Random& random, size_t bytes) {
    nic::Host host = headers(random);
    host.tcp = false;
    nic::Frame frame = host.frame();
    frame.resize(host.transport_at());
    if (random.below(2) == 0) {
      const std::vector<uint8_t> payload = floats(bytes, 0);
      frame.insert(frame.end(), payload.begin(), payload.end());
    }
    capture::store16(frame, host.ip_at() + 2, frame.size() - host.ip_at());
    if (random.below(2) == 0) {
      capture::store16(frame, host.ip_at() + 6, 1 + random.below(0x1FFF));
    } else {
      frame[host.ip_at() + 9] = static_cast<uint8_t>(random.next() | 0x20);  // neither 6 nor 17
    }
    return frame;
  }

  /// What a router, or a far host without nic_rx, answers to a packed frame.
  nic::Frame quote(Random& random, nic::Host host) const {
    host.tcp = random.below(4) != 0;
    host.tos = usual_.mark;
    host.payload = floats(60 + 4 * random.below(300), 0);
    nic::NicConfig config = config_;
    config.mark_mask = 0;
    config.grid = nic::Grid::kPacket;
    const nic::Frame about = nic::NicTx(config).pack(host.frame()).frame;
    constexpr std::array<uint8_t, 3> kTypes = {3, 11, 12};
    const uint32_t quoted = random.below(2) != 0 ? 28 : 20 + random.below(600);
    const bool unreachable = random.below(2) == 0;
    const uint8_t type = unreachable ? kTypes[0] : kTypes[1 + random.below(2)];
    const bool protocol = random.below(2) != 0;
    const auto code = static_cast<uint8_t>(protocol ? 2 : random.below(5));
    const bool tag = random.below(4) == 0;
    nic::Frame frame = nic::icmp_error(about, host.ip_at(), type, code, quoted, tag);
    // A bit of what decides is another now and then: of the quoted headers, or the shim.
    const size_t inner = nic::ethernet(frame).end + 28;
    if (random.below(4) == 0) {
      const size_t at = inner + random.below(static_cast<uint32_t>(frame.size() - inner));
      frame[at] ^= static_cast<uint8_t>(1u << random.below(8));
    }
    return frame;
  }

  nic::Frame foreign(Random& random) const {
    const std::string& kind = word("foreign", random);
    Random lengths = stream("length");
    nic::Frame frame(static_cast<size_t>(lengths_.draw(lengths)));
    for (uint8_t& byte : frame) byte = static_cast<uint8_t>(random.next());
    const uint16_t type = kind == "arp"    ? 0x0806
                          : kind == "ipv6" ? 0x86DD
                          : kind == "two_tags"
                              ? 0x8100
                              : static_cast<uint16_t>(random.next() | 0x8000);  // no length
    capture::store16(frame, 12, type);
    if (kind == "two_tags") capture::store16(frame, 16, 0x8100);
    return frame;
  }

  /// A frame that was right, with one of its headers bent.
  nic::Frame malformed(nic::Frame frame, Random& random) const {
    const std::string& what = word("malformed", random);
    const size_t ip = nic::ethernet(frame).end;
    const size_t transport = ip + 4 * size_t{frame[ip] & 15u};
    const auto byte = [&random] { return static_cast<uint8_t>(random.next()); };
    const auto put16 = [&](size_t at, uint64_t value) {
      if (at + 2 <= frame.size()) capture::store16(frame, at, static_cast<uint16_t>(value));
    };
    if (what == "version") {
      frame[ip] = static_cast<uint8_t>((byte() & 0xF0) | (frame[ip] & 0xF));
    } else if (what == "ip_header") {
      frame[ip] = static_cast<uint8_t>(0x40 | random.below(16));
    } else if (what == "total_length") {
      const uint16_t total = capture::load16(frame, ip + 2);
      put16(ip + 2, random.below(2) == 0 ? random.next() : uint64_t{total} + random.below(9) - 4);
    } else if (what == "data_offset") {
      if (transport + 12 < frame.size()) frame[transport + 12] = byte();
    } else if (what == "udp_length") {
      put16(transport + 4, random.next());
    } else if (what == "reserved") {
      frame[ip + 9] = random.below(2) == 0 ? config_.protocol_tcp : config_.protocol_udp;
    } else if (what == "fragment") {
      put16(ip + 6, random.below(2) == 0 ? 0x2000 : 1 + random.below(0x1FFF));
    } else if (what == "protocol") {
      frame[ip + 9] = byte();
    } else if (what == "trailer") {
      frame.resize(frame.size() + 1 + random.below(40), 0xEE);
    } else if (what == "overlong") {
      frame.resize(nic::kMaxFrame + 1 + random.below(kOverlong - nic::kMaxFrame), 0xEE);
    } else {
      frame.resize(1 + random.below(sim::kMinFrameBytes - 1));
    }
    return frame;
  }

  /// The pins of the next frame, and how it is packed if that has happened.
  void set_pins(sim::Frame& frame) {
    sim::RawPacket packet;
    pins_.set(packet, count_);
    sim::PacketConfig words = packet.own_config ? packet.config : nic_tx_words(usual_);
    forget_.reset();
    if (nic_tx_forgets(words)) {
      // Mostly a flow that is there; ports and addresses may be any (Host::any).
      Random random = stream("forget");
      const nic::Frame syn = flows_[random.below(kFlows)].host.syn();
      const auto ip = nic::ipv4(syn, nic::ethernet(syn).end);
      forget_ = random.below(4) != 0 && ip ? nic::key_of(syn, *ip) : *nic_tx_forgets(words);
      packet.config = words = nic_tx_words(nic_tx_config(words), forget_);
    }
    config_ = nic_tx_config(words);
    values_.set(classes_of(config_.codec));
    frame.own_config = packet.own_config;
    frame.config = packer_ ? nic_rx_words(config_) : packet.config;
    if (packer_) packer_->configure(config_);
  }

  /// The next frame; nothing if none comes of it, or later.
  std::optional<Drawn> draw() {
    Drawn drawn;
    Random random = stream("error"), gaps = stream("gap");
    drawn.error = word("error", random);
    if (drawn.error != "none") ++errors_[drawn.error];
    set_pins(drawn.frame);
    nic::Frame frame = sound();
    if (drawn.error == "malformed") frame = malformed(std::move(frame), random);
    if (drawn.error == "foreign") frame = foreign(random);
    const bool runt = drawn.error == "malformed" && frame.size() < sim::kMinFrameBytes;
    if (!runt && frame.size() < sim::kMinFrameBytes) frame.resize(sim::kMinFrameBytes);
    if (packer_) {
      nic::Packed packed = packer_->pack(frame, false, forget_);
      frame = std::move(packed.frame);
      if (!packed.leaves) {
        ++errors_["dropped_by_nic_tx"];
        ++count_;
        return std::nullopt;
      }
    }
    drawn.frame.bytes = std::move(frame);
    drawn.frame.gap = static_cast<uint32_t>(sim::random_gap(*table_, gaps));
    const bool comes = damage(drawn, random);
    ++count_;
    if (!comes) return std::nullopt;
    return drawn;
  }

  /// What happens on the way. False: it does not come now.
  bool damage(Drawn& drawn, Random& random) {
    std::vector<uint8_t>& bytes = drawn.frame.bytes;
    const auto any = [&random](size_t below) { return random.below(static_cast<uint32_t>(below)); };
    const std::string& error = drawn.error;
    if (error == "loss") return false;
    if (error == "duplicate") {
      late_.add(drawn, 1 + any(kLatest));
    } else if (error == "reorder") {
      late_.add(std::move(drawn), 1 + any(kLatest));
      return false;
    } else if (error == "flag") {
      drawn.frame.error = true;
    } else if (error == "bad_keep") {
      const size_t beats = (bytes.size() + kBeatBytes - 1) / kBeatBytes;
      drawn.frame.odd = {
          sim::random_odd_beat(random, beats, bytes.size() - (beats - 1) * kBeatBytes, kBeatBytes)};
    } else if (error == "cut") {
      bytes.resize(1 + any(bytes.size()));
    } else if (error == "flipped_bit") {
      bytes[any(bytes.size())] ^= static_cast<uint8_t>(1u << any(8));
    } else if (error == "header") {
      const size_t at = deciding(bytes, any(14));
      bytes[std::min(at, bytes.size() - 1)] ^= static_cast<uint8_t>(1u << any(8));
    } else if (error == "ends") {
      const std::optional<size_t> shim = shim_at(bytes);
      const size_t ip = nic::ethernet(bytes).end;
      const size_t headers =
          shim.value_or(ip < bytes.size() ? ip + 4 * size_t{bytes[ip] & 15u} + 20 : 0);
      bytes.resize(std::min(bytes.size(), size_t{1} + any(headers + 12)));
    } else if (error == "short") {
      const bool tcp = random.below(2) == 0;
      shorten(bytes, tcp, 1 + random.below(2));
    } else if (error == "shim" || error == "stream") {
      const std::optional<size_t> shim = shim_at(bytes);
      for (size_t i = shim ? *shim + nic::kShim : bytes.size();
           error == "stream" && i < bytes.size(); ++i) {
        bytes[i] = static_cast<uint8_t>(random.next());
      }
      if (error == "shim" && shim)
        bytes[*shim + any(nic::kShim)] ^= static_cast<uint8_t>(1u << any(8));
    }
    return true;
  }

  /// Where the `n`th of 14 bytes is that say what a frame is: of types, of IPv4's header (up to
  /// ToS, length, fragment, protocol), of the transport's (UDP's length, TCP's and its SYN).
  static size_t deciding(std::span<const uint8_t> frame, size_t n) {
    constexpr std::array<size_t, 6> kIpv4 = {0, 1, 2, 3, 6, 9};
    constexpr std::array<size_t, 4> kTransport = {4, 5, 12, 13};
    const size_t ip = nic::ethernet(frame).end;
    if (n >= 12 || ip == 0 || ip >= frame.size()) return n;  // the first type, or the tag's
    if (n >= 10) return ip - 12 + n;
    if (n >= 4) return ip + kIpv4[n - 4];
    return ip + 4 * size_t{frame[ip] & 15u} + kTransport[n];
  }

  /// Takes words out of the IPv4 header's end, or the last of TCP's, which says so: all else is
  /// right.
  void shorten(std::vector<uint8_t>& frame, bool tcp, size_t words) const {
    constexpr uint8_t kTcp = 6;
    const size_t ip = nic::ethernet(frame).end;
    if (ip == 0 || frame.size() < ip + 40) return;
    tcp = tcp && (frame[ip + 9] == kTcp || frame[ip + 9] == config_.protocol_tcp);
    const size_t transport = ip + 4 * size_t{frame[ip] & 15u}, at = tcp ? transport + 12 : ip;
    if (at >= frame.size()) return;
    const size_t now = tcp ? frame[at] >> 4 : frame[at] & 15u, then = tcp ? 4 : 5 - words;
    const size_t from = tcp ? transport : ip, end = from + 4 * now;
    if (now < 5 || end > frame.size()) return;
    frame[at] = static_cast<uint8_t>(tcp ? then << 4 | (frame[at] & 15u) : 0x40 | then);
    const size_t total = capture::load16(frame, ip + 2) - 4 * (now - then);
    capture::store16(frame, ip + 2, static_cast<uint16_t>(total));
    const auto begin = frame.begin() + static_cast<std::ptrdiff_t>(from + 4 * then);
    frame.erase(begin, frame.begin() + static_cast<std::ptrdiff_t>(end));
  }

  /// Where the shim of a packed frame is.
  std::optional<size_t> shim_at(std::span<const uint8_t> frame) const {
    const nic::Ethernet ethernet = nic::ethernet(frame);
    if (ethernet.type != nic::EtherType::kIpv4) return std::nullopt;
    const std::optional<nic::Ipv4> ip = nic::ipv4(frame, ethernet.end);
    if (!ip || !ip->sound() || ip->fragment) return std::nullopt;
    const bool tcp = ip->protocol == config_.protocol_tcp;
    if (!tcp && ip->protocol != config_.protocol_udp) return std::nullopt;
    const auto header = nic::transport_header(frame, ip->transport(), ip->end(), tcp);
    if (!header || ip->transport() + *header + nic::kShim > frame.size()) return std::nullopt;
    return ip->transport() + *header;
  }

  std::shared_ptr<const sim::RandomTable> table_;
  const uint64_t seed_;
  const nic::NicConfig usual_;
  PacketPins pins_;
  nic::NicConfig config_;  ///< of the frame at hand
  std::optional<nic::FlowKey> forget_;
  const sim::RandomLengths lengths_;
  sim::RandomValues values_;
  const uint64_t all_;
  uint64_t count_ = 0, given_ = 0;  ///< drawn, and of those that came
  int64_t tenths_ = 0;
  std::array<Flow, kFlows> flows_;
  std::optional<nic::NicTx> packer_;
  sim::RandomDelays<Drawn> late_;
  std::map<std::string, uint64_t> errors_;
};

}  // namespace

const sim::RandomKind& random_hosts() {
  static const sim::RandomKind kKind = {"hosts", "frames of a host", "", frame_keys(false)};
  return kKind;
}

const sim::RandomKind& random_wire() {
  static const sim::RandomKind kKind = {"wire", "frames between two NICs", "hosts",
                                        frame_keys(true)};
  return kKind;
}

std::unique_ptr<sim::Frames> open_random_hosts(const sim::StimulusSpec& stimulus, uint64_t seed,
                                               const nic::NicConfig& config, PacketPins pins,
                                               bool wire) {
  return std::make_unique<RandomHosts>(stimulus, seed, config, std::move(pins), wire);
}

}  // namespace gw::testbenches
