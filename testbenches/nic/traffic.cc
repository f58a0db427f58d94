// SPDX-License-Identifier: Apache-2.0
#include "testbenches/nic/traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <boost/endian/conversion.hpp>
#include <stdexcept>
#include <utility>

#include "models/reference/nic/host.h"
#include "sim/base/random.h"
#include "testbenches/kit/wires.h"

namespace gw::testbenches {
namespace {

namespace nic = reference::nic;
using sim::Random;

constexpr uint64_t kFrames = 1024;
constexpr size_t kLargestMtuFrame = 9014;  // of an MTU of 9,000

enum class Floats : uint8_t { kZero, kGradients, kRaw, kAny };

/// `bytes` bytes of a stream of floats, from its byte `offset` on.
std::vector<uint8_t> floats_of(Floats kind, size_t bytes, size_t offset, Random& random) {
  std::vector<uint8_t> all(bytes + 8);
  for (size_t at = 0; at + 4 <= all.size(); at += 4) {
    const auto bits = static_cast<uint32_t>(random.next());
    uint32_t value = 0;
    if (kind == Floats::kRaw) {
      value = (bits & 0x807FFFFF) | (127 + random.below(128)) << 23;
    } else if (kind == Floats::kAny) {
      value = bits;
    } else if (kind == Floats::kGradients) {
      // Bell-shaped, as wide as gradients are.
      float sum = -2;
      for (int i = 0; i < 4; ++i) sum += static_cast<float>(random.unit());
      value = std::bit_cast<uint32_t>(sum * 0.02F);
    } else if (random.below(8) == 0) {
      value = 0x80000000;
    }
    boost::endian::store_little_u32(&all[at], value);
  }
  const auto from = all.begin() + static_cast<std::ptrdiff_t>(offset % 4);
  return {from, from + static_cast<std::ptrdiff_t>(bytes)};
}

sim::Frame frame_of(nic::Frame bytes, bool error = false) {
  sim::Frame frame;
  frame.bytes = std::move(bytes);
  if (frame.bytes.size() < sim::kMinFrameBytes) frame.bytes.resize(sim::kMinFrameBytes);
  frame.error = error;
  return frame;
}

/// A kind, frame by frame; they follow each other as closely as 10GbE allows.
class Kind : public sim::Frames {
 public:
  Kind(std::string name, uint64_t seed, uint64_t limit, const nic::NicConfig& config)
      : random_(seed),
        config_(config),
        name_(std::move(name)),
        limit_(limit != 0 ? limit : kFrames) {}

  std::optional<sim::Frame> next() final {
    if (made_ == limit_) return std::nullopt;
    sim::Frame frame = make(made_++);
    frame.time_ns = tenths_ / 10;
    tenths_ += wire_tenths(frame.bytes.size());
    return frame;
  }
  sim::FrameFacts facts() const override {
    return {.trace = {{"synth", name_},
                      {"packets", made_},
                      {"selected", made_},
                      {"skipped", nlohmann::json::object()}},
            .synth = name_};
  }
  uint64_t expected() const override { return limit_; }

 protected:
  virtual sim::Frame make(uint64_t number) = 0;
  uint8_t marked() const { return config_.mark; }
  uint8_t unmarked() const { return static_cast<uint8_t>(~config_.mark); }

  Random random_;
  const nic::NicConfig config_;

 private:
  std::string name_;
  uint64_t limit_, made_ = 0;
  int64_t tenths_ = 0;
};

/// One TCP connection whose segments all have the same size.
class Segments final : public Kind {
 public:
  Segments(const std::string& name, uint64_t seed, uint64_t limit, size_t bytes,
           const nic::NicConfig& config)
      : Kind(name, seed, limit, config), bytes_(bytes), name_(name) {}

 private:
  sim::Frame make(uint64_t number) override {
    nic::Host host{.tos = marked(), .sequence = sequence_ - 1};
    if (number == 0) return frame_of(host.syn());
    const bool mixed = name_ == "mixed-segments";
    const uint32_t what = mixed ? random_.below(3) : 0;
    if (name_ == "bypassed" || what == 1) host.tos = unmarked();
    host.sequence = sequence_;
    const Floats kind = name_ == "stored" || what == 2 ? Floats::kRaw : Floats::kGradients;
    host.payload = floats_of(kind, bytes_ - host.payload_at(), sequence_ - kStart, random_);
    sequence_ += static_cast<uint32_t>(host.payload.size());
    return frame_of(host.frame());
  }

  static constexpr uint32_t kStart = 0xFFFF0001;  // it wraps
  size_t bytes_;
  std::string name_;
  uint32_t sequence_ = kStart;
};

/// Connections and datagrams side by side, marked and not, of all sizes; and what else a NIC is
/// handed: other protocols, fragments, headers that are wrong, frames that are taken back.
class Hosts final : public Kind {
 public:
  Hosts(const std::string& name, uint64_t seed, uint64_t limit, const nic::NicConfig& config)
      : Kind(name, seed, limit, config) {
    for (Flow& flow : flows_) begin(flow);
  }

 private:
  struct Flow {
    nic::Host host;
    bool marked = false;
    uint32_t start = 0;  // sequence number of its first byte
    uint32_t sent = 0;
    bool open = false;
  };

  bool chance(uint32_t percent) { return random_.below(100) < percent; }

  void begin(Flow& flow) {
    flow.marked = chance(75);
    flow.start = chance(20) ? -random_.below(9000) : static_cast<uint32_t>(random_.next());
    flow.sent = 0;
    flow.open = false;
    flow.host = {.tag = chance(25),
                 .ihl = chance(70) ? 5 : 5 + random_.below(11),
                 .data_offset = chance(50) ? 8 : 5 + random_.below(11),
                 .source = 0x0A000000 + random_.below(200),
                 .destination = 0x0A000000 + random_.below(4),
                 .port = static_cast<uint16_t>(1024 + random_.below(60000))};
    // ECN's bits change underway, and do not matter.
    flow.host.tos = static_cast<uint8_t>(flow.marked ? (marked() & config_.mark_mask) |
                                                           (random_.next() & ~config_.mark_mask)
                                                     : unmarked());
  }

  /// Bytes of a frame: the shortest, a full one of Ethernet's, a jumbo, or any.
  size_t size() {
    switch (random_.below(8)) {
      case 0:
        return 60 + random_.below(40);
      case 1:
      case 2:
        return 1514;
      case 3:
        return kLargestMtuFrame - random_.below(8);
      case 4:
        return 60 + random_.below(kLargestMtuFrame - 60);
      default:
        return 60 + random_.below(1400);
    }
  }

  Floats floats() {
    constexpr std::array kKinds = {Floats::kZero,      Floats::kGradients, Floats::kGradients,
                                   Floats::kGradients, Floats::kRaw,       Floats::kAny};
    return kKinds[random_.below(kKinds.size())];
  }

  nic::Frame segment(Flow& flow) {
    nic::Host host = flow.host;
    if (chance(5)) flow.sent -= std::min(flow.sent, random_.below(1000));  // sent again
    const size_t wanted = size();
    size_t payload = wanted > host.payload_at() ? wanted - host.payload_at() : 0;
    if (chance(4)) payload = random_.below(8);
    host.sequence = flow.start + flow.sent;
    host.payload = floats_of(floats(), payload, flow.sent, random_);
    flow.sent += static_cast<uint32_t>(payload);
    return host.frame();
  }

  nic::Frame datagram() {
    nic::Host host{.tcp = false,
                   .tag = chance(25),
                   .ihl = chance(70) ? 5 : 5 + random_.below(11),
                   .tos = chance(75) ? marked() : unmarked(),
                   .udp_checksum = chance(80)};
    size_t payload = size() - host.payload_at();
    if (payload > nic::kMaxFrame) payload = 0;
    if (chance(80)) payload &= ~size_t{3};
    host.payload = floats_of(floats(), payload, 0, random_);
    return host.frame();
  }

  nic::Frame other_protocol() {
    nic::Frame frame(60 + random_.below(60));
    for (size_t i = 0; i < frame.size(); ++i) frame[i] = static_cast<uint8_t>(random_.next());
    constexpr std::array<uint16_t, 5> kTypes = {0x0806, 0x86DD, 0x88CC, 0x88A8, 0x8100};
    capture::store16(frame, 12, kTypes[random_.below(kTypes.size())]);
    return frame;
  }

  /// What a router, or a far host without nic_rx, answers to a packed frame.
  nic::Frame quote(Flow& flow) {
    nic::NicConfig config = config_;
    config.grid = nic::Grid::kPacket;
    const nic::Frame about = nic::NicTx(config).pack(chance(70) ? segment(flow) : datagram()).frame;
    constexpr std::array<uint8_t, 3> kTypes = {3, 11, 12};
    const uint32_t quoted = chance(50) ? 28 : 20 + random_.below(300);
    const uint8_t type = kTypes[random_.below(3)];
    const auto code = static_cast<uint8_t>(2 * random_.below(3));
    const bool tag = chance(25);
    return nic::icmp_error(about, about.size() > 12 && about[12] == 0x81 ? 18 : 14, type, code,
                           quoted, tag);
  }

  /// A frame that was right, with one of its headers bent.
  nic::Frame bent(nic::Frame frame) {
    if (frame.size() < 34) return frame;
    const size_t ip = frame[12] == 0x81 ? 18 : 14;
    const auto byte = [this] { return static_cast<uint8_t>(random_.next()); };
    switch (random_.below(8)) {
      case 0:
        frame[ip] = byte();  // version, IHL
        break;
      case 1:
        capture::store16(frame, ip + 2, static_cast<uint16_t>(random_.next()));  // total length
        break;
      case 2:
        capture::store16(frame, ip + 2, capture::load16(frame, ip + 2) + 1 + random_.below(4));
        break;
      case 3:
        frame[ip + 6] = static_cast<uint8_t>(chance(50) ? 0x20 : random_.below(0x20));  // fragment
        break;
      case 4:
        frame[ip + 9] = chance(50) ? config_.protocol_tcp : config_.protocol_udp;  // reserved
        break;
      case 5:
        frame[ip + 9] = byte();  // another protocol
        break;
      case 6:
        frame[std::min(ip + 32, frame.size() - 1)] = byte();  // data offset
        break;
      default:
        frame.resize(std::min(frame.size() + 1 + random_.below(40), nic::kMaxFrame), 0xEE);
    }
    return frame;
  }

  sim::Frame make(uint64_t) override {
    Flow& flow = flows_[random_.below(kFlows)];
    nic::Frame frame;
    const uint32_t draw = random_.below(100);
    if (draw < 6 || (!flow.open && draw < 60)) {
      begin(flow);
      nic::Host host = flow.host;
      host.sequence = flow.start - 1;
      frame = host.syn();
      // Nobody hears of one in ten.
      if (chance(10)) frame = other_protocol();
      flow.open = true;
    } else if (draw < 66) {
      frame = segment(flow);
    } else if (draw < 80) {
      frame = datagram();
    } else if (draw < 82) {
      frame = other_protocol();
    } else if (draw < 84) {
      frame = quote(flow);
    } else if (draw < 98) {
      frame = bent(chance(60) ? segment(flow) : datagram());
    } else if (draw == 98) {
      frame = segment(flow);
      frame.resize(nic::kMaxFrame + 1 + random_.below(400), 0xEE);  // no MTU is so large
    } else {
      frame = segment(flow);
      frame.resize(1 + random_.below(59));  // shorter than Ethernet's frames are
      sim::Frame runt;
      runt.bytes = std::move(frame);
      runt.error = chance(20);
      return runt;
    }
    return frame_of(std::move(frame), chance(3));
  }

  static constexpr uint32_t kFlows = 24;
  std::array<Flow, kFlows> flows_;
};

/// What leaves nic_tx of other frames.
class Packed final : public sim::Frames {
 public:
  Packed(std::unique_ptr<sim::Frames> frames, const nic::NicConfig& config)
      : frames_(std::move(frames)), nic_(config) {}

  std::optional<sim::Frame> next() override {
    while (std::optional<sim::Frame> frame = frames_->next()) {
      nic::Packed packed = nic_.pack(frame->bytes, frame->error);
      if (!packed.leaves) {
        ++dropped_;
        continue;
      }
      frame->bytes = std::move(packed.frame);
      frame->error = packed.error;
      return frame;
    }
    return std::nullopt;
  }
  sim::FrameFacts facts() const override {
    sim::FrameFacts facts = frames_->facts();
    if (dropped_ != 0) {
      facts.trace["selected"] = facts.trace["selected"].get<uint64_t>() - dropped_;
      facts.trace["skipped"]["dropped_by_nic_tx"] = dropped_;
    }
    return facts;
  }
  uint64_t expected() const override { return frames_->expected(); }

 private:
  std::unique_ptr<sim::Frames> frames_;
  nic::NicTx nic_;
  uint64_t dropped_ = 0;
};

/// Some packed frames arrive cut, bent, with a bad FCS, or with other bytes behind their shim.
class Hostile final : public sim::Frames {
 public:
  Hostile(std::unique_ptr<sim::Frames> frames, uint64_t seed, const nic::NicConfig& config)
      : frames_(std::move(frames)), random_(~seed), config_(config) {}

  std::optional<sim::Frame> next() override {
    std::optional<sim::Frame> frame = frames_->next();
    if (frame && is_packed(frame->bytes) && random_.below(100) < 30) bend(*frame);
    if (frame && random_.below(100) < 2) frame->error = true;
    return frame;
  }
  sim::FrameFacts facts() const override { return frames_->facts(); }
  uint64_t expected() const override { return frames_->expected(); }

 private:
  static size_t ip_at(const std::vector<uint8_t>& frame) { return frame[12] == 0x81 ? 18 : 14; }
  bool is_packed(const std::vector<uint8_t>& frame) const {
    if (frame.size() < 60) return false;
    const uint8_t protocol = frame[ip_at(frame) + 9];
    return protocol == config_.protocol_tcp || protocol == config_.protocol_udp;
  }

  void bend(sim::Frame& of) {
    std::vector<uint8_t>& frame = of.bytes;
    const size_t ip = ip_at(frame), transport = ip + 4 * (frame[ip] & 15);
    const bool tcp = frame[ip + 9] == config_.protocol_tcp;
    const size_t shim = transport + (tcp ? 4 * (frame[transport + 12] >> 4) : 8);
    const auto any = [this](size_t below) { return random_.below(static_cast<uint32_t>(below)); };
    switch (random_.below(7)) {
      case 0:
        frame.resize(1 + any(frame.size()));
        break;
      case 1:
        if (shim + 4 <= frame.size()) frame[shim + any(4)] ^= uint8_t(1) << any(8);
        break;
      case 2:
        frame[any(frame.size())] ^= uint8_t(1) << any(8);
        break;
      case 3:
        for (size_t i = shim + 4; i < frame.size(); ++i) {
          frame[i] = static_cast<uint8_t>(random_.next());
        }
        break;
      case 4:
        capture::store16(frame, ip + 2, any(frame.size()));
        break;
      case 5:  // a payload that is longer, or shorter, than the stream's
        if (shim + 4 <= frame.size()) {
          capture::store16(frame, shim + 2, capture::load16(frame, shim + 2) + any(200) - 100);
        }
        break;
      default:
        frame.resize(std::min(frame.size() + any(100), nic::kMaxFrame));
    }
  }

  std::unique_ptr<sim::Frames> frames_;
  Random random_;
  const nic::NicConfig config_;
};

const sim::SynthKind kSegmentKinds[] = {
    {"packed", "a marked TCP connection full of gradients, frames of one size", {"frame-bytes"}},
    {"stored", "a marked TCP connection of values that do not shrink", {"frame-bytes"}},
    {"bypassed", "a TCP connection that is not marked", {"frame-bytes"}},
    {"mixed-segments", "packed, stored and bypassed in turn, by chance", {"frame-bytes"}}};

std::vector<sim::SynthKind> kinds_with(const sim::SynthKind& own) {
  std::vector<sim::SynthKind> kinds(std::begin(kSegmentKinds), std::end(kSegmentKinds));
  kinds.insert(kinds.begin(), own);
  return kinds;
}

}  // namespace

const std::vector<sim::SynthKind>& host_synth_kinds() {
  static const auto kKinds = kinds_with(
      {"hosts",
       "TCP and UDP, marked or not, of all sizes, and whatever else a host's NIC is handed"});
  return kKinds;
}

const std::vector<sim::SynthKind>& wire_synth_kinds() {
  static const auto kKinds =
      kinds_with({"wire", "what nic_tx makes of hosts' frames, some of them broken on the way"});
  return kKinds;
}

std::unique_ptr<sim::Frames> open_host_frames(const std::string& kind, uint64_t seed,
                                              uint64_t limit, size_t frame_bytes,
                                              const nic::NicConfig& config) {
  if (kind == "hosts" || kind == "wire") return std::make_unique<Hosts>(kind, seed, limit, config);
  for (const sim::SynthKind& segments : kSegmentKinds) {
    if (kind != segments.name) continue;
    return std::make_unique<Segments>(kind, seed, limit, frame_bytes, config);
  }
  throw std::logic_error(fmt::format("a kind '{}' of frames that was not refused", kind));
}

std::unique_ptr<sim::Frames> open_wire_frames(const std::string& kind, uint64_t seed,
                                              uint64_t limit, size_t frame_bytes,
                                              const nic::NicConfig& config) {
  std::unique_ptr<sim::Frames> frames =
      pack_frames(open_host_frames(kind, seed, limit, frame_bytes, config), config);
  if (kind != "wire") return frames;
  return std::make_unique<Hostile>(std::move(frames), seed, config);
}

std::unique_ptr<sim::Frames> pack_frames(std::unique_ptr<sim::Frames> frames,
                                         const nic::NicConfig& config) {
  return std::make_unique<Packed>(std::move(frames), config);
}

}  // namespace gw::testbenches
