// SPDX-License-Identifier: Apache-2.0
#include "testbenches/nic/capture.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "models/reference/capture/bytes.h"
#include "models/reference/nic/headers.h"
#include "sim/base/error.h"
#include "testbenches/kit/wires.h"

namespace gw::testbenches {
namespace {

namespace nic = reference::nic;
using Bytes = std::span<const uint8_t>;
using Station = std::array<uint8_t, 6>;

constexpr const char* kAny = "any";

/// None: the default. Any address: 0.
std::optional<uint32_t> wanted_host(const sim::OptionSet& options) {
  const std::string& text = options.word("host");
  if (text.empty()) return std::nullopt;
  if (text == kAny) return 0;
  in_addr address{};
  if (inet_pton(AF_INET, text.c_str(), &address) != 1 || address.s_addr == 0) {
    throw sim::UsageError(fmt::format("--host '{}' is no IPv4 address, and not '{}'", text, kAny));
  }
  return ntohl(address.s_addr);
}

std::optional<nic::Ipv4> ipv4_of(Bytes frame) {
  const nic::Ethernet link = nic::ethernet(frame);
  if (link.type != nic::EtherType::kIpv4) return std::nullopt;
  const auto ip = nic::ipv4(frame, link.end);
  return ip && ip->sound() && ip->transport() <= frame.size() ? ip : std::nullopt;
}

bool is_ipv6(Bytes frame) {
  const size_t type = capture::load16(frame, 12) == 0x8100 && frame.size() >= 18 ? 16 : 12;
  return capture::load16(frame, type) == 0x86DD;
}

uint32_t source_of(Bytes frame, const nic::Ipv4& ip) {
  return capture::load32(frame, ip.offset + 12);
}

Station station_of(Bytes frame) {
  Station station;
  std::ranges::copy(frame.subspan(6, 6), station.begin());
  return station;
}

/// What TCP or UDP carries in a marked, unfragmented packet.
struct Marked {
  bool tcp = false;
  size_t payload = 0;  ///< bytes
};
std::optional<Marked> marked(Bytes frame, const nic::Ipv4& ip, const nic::NicConfig& config) {
  const bool tcp = ip.protocol == nic::kTcp;
  if (ip.fragment || !(tcp || ip.protocol == nic::kUdp) || ip.end() > frame.size() ||
      ((ip.tos ^ config.mark) & config.mark_mask) != 0) {
    return std::nullopt;
  }
  const auto header = nic::transport_header(frame, ip.transport(), ip.end(), tcp);
  if (!header) return std::nullopt;
  return Marked{tcp, ip.end() - ip.transport() - *header};
}

/// Who sends what in a capture.
class Hosts {
 public:
  void add(Bytes frame, const nic::NicConfig& config) {
    const auto ip = ipv4_of(frame);
    if (!ip) return;
    Host& host = hosts_[source_of(frame, *ip)];
    host.stations.insert(station_of(frame));
    if (const auto carried = marked(frame, *ip, config)) host.marked += carried->payload;
  }
  /// The one that sends the most marked bytes, if any does.
  std::optional<uint32_t> most() const {
    const auto most =
        std::ranges::max_element(hosts_, {}, [](const auto& host) { return host.second.marked; });
    if (most == hosts_.end() || most->second.marked == 0) return std::nullopt;
    return most->first;
  }
  uint64_t marked_of(uint32_t host) const {
    const auto at = hosts_.find(host);
    return at == hosts_.end() ? 0 : at->second.marked;
  }
  uint64_t marked_of_all() const {
    uint64_t all = 0;
    for (const auto& [address, host] : hosts_) all += host.marked;
    return all;
  }
  /// A frame that is not IPv4 belongs to the host whose station sent it.
  bool sent(uint32_t host, Bytes frame) const {
    if (const auto ip = ipv4_of(frame)) return source_of(frame, *ip) == host;
    const auto at = hosts_.find(host);
    return at != hosts_.end() && at->second.stations.contains(station_of(frame));
  }

 private:
  struct Host {
    uint64_t marked = 0;
    std::set<Station> stations;
  };
  std::map<uint32_t, Host> hosts_;
};

/// TCP's streams by what is known of where their floats begin.
class Streams {
 public:
  explicit Streams(const nic::NicConfig& config) : config_(config) {}

  /// The SYN that is missing before this frame.
  std::optional<nic::Frame> missing_syn(Bytes frame) {
    const auto ip = ipv4_of(frame);
    if (!ip || ip->fragment || ip->protocol != nic::kTcp || ip->end() > frame.size()) return {};
    const size_t tcp = ip->transport();
    if (!nic::transport_header(frame, tcp, ip->end(), true)) return {};
    const nic::FlowKey key = nic::key_of(frame, *ip);
    if ((frame[tcp + kFlags] & kSyn) != 0) {
      known_.insert(key);
      return {};
    }
    const auto carried = marked(frame, *ip, config_);
    if (!carried || carried->payload == 0 || !known_.insert(key).second) return {};
    ++made_;
    return syn_before(frame, *ip);
  }
  uint64_t made() const { return made_; }

 private:
  static constexpr size_t kFlags = 13, kTcpHeader = 20, kIpHeader = 20;
  static constexpr uint8_t kSyn = 2;

  /// Without options; acknowledges nothing.
  static nic::Frame syn_before(Bytes frame, const nic::Ipv4& ip) {
    const size_t tcp = ip.offset + kIpHeader;
    nic::Frame syn(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(tcp));
    syn[ip.offset] = 0x45;
    capture::store16(syn, ip.offset + 2, kIpHeader + kTcpHeader);
    syn.resize(tcp + kTcpHeader);
    const std::span<uint8_t> out(syn);
    std::ranges::copy(frame.subspan(ip.transport(), 4), out.begin() + static_cast<long>(tcp));
    capture::store32(out, tcp + 4, capture::load32(frame, ip.transport() + 4) - 1);
    syn[tcp + 12] = kTcpHeader / 4 << 4;
    syn[tcp + kFlags] = kSyn;
    std::ranges::copy(frame.subspan(ip.transport() + 14, 2),
                      out.begin() + static_cast<long>(tcp + 14));  // window
    capture::store16(out, ip.offset + 10, 0);
    capture::store16(out, ip.offset + 10,
                     0xFFFF ^ capture::add_words(out.subspan(ip.offset, kIpHeader)));
    const uint32_t pseudo =
        capture::pseudo_header_sum(capture::load32(out, ip.offset + 12),
                                   capture::load32(out, ip.offset + 16), nic::kTcp, kTcpHeader);
    capture::store16(out, tcp + 16, 0xFFFF ^ capture::add_words(out.subspan(tcp), pseudo));
    syn.resize(std::max(syn.size(), sim::kMinFrameBytes));
    return syn;
  }

  const nic::NicConfig config_;
  std::set<nic::FlowKey> known_;
  uint64_t made_ = 0;
};

class HostFrames final : public sim::Frames {
 public:
  HostFrames(std::unique_ptr<sim::Frames> frames, Hosts hosts, std::optional<uint32_t> host,
             uint64_t limit, const nic::NicConfig& config, bool makes_syns)
      : frames_(std::move(frames)),
        hosts_(std::move(hosts)),
        host_(host),
        limit_(limit),
        config_(config) {
    if (makes_syns) streams_.emplace(config);
  }

  std::optional<sim::Frame> next() override {
    if (held_) return std::exchange(held_, std::nullopt);
    while (std::optional<sim::Frame> frame = frames_->next()) {
      if (limit_ != 0 && given_ == limit_) continue;  // counted all the same
      if (host_ && !hosts_.sent(*host_, frame->bytes)) {
        ++others_;
        continue;
      }
      ++given_;
      ipv6_ += is_ipv6(frame->bytes);
      if (!streams_) return frame;
      auto syn = streams_->missing_syn(frame->bytes);
      if (!syn) return frame;
      held_ = std::move(frame);
      return sim::Frame{.bytes = std::move(*syn), .port = held_->port, .time_ns = held_->time_ns};
    }
    return std::nullopt;
  }

  sim::FrameFacts facts() const override {
    sim::FrameFacts facts = frames_->facts();
    facts.trace["selected"] = given_;
    std::vector<std::string> notes;
    if (host_) {
      facts.trace["host"] = capture::ipv4_to_string(*host_);
      if (others_ != 0) {
        facts.trace["skipped"]["other_host"] = others_;
        notes.push_back(fmt::format(
            "the NIC is that of {}, which sends {} of {} marked bytes; {} of other hosts {} left "
            "out: --host IP takes another's, --host any all",
            capture::ipv4_to_string(*host_), hosts_.marked_of(*host_), hosts_.marked_of_all(),
            others_ == 1 ? "1 frame" : fmt::format("{} frames", others_),
            others_ == 1 ? "was" : "were"));
      }
    } else if (streams_ && hosts_.marked_of_all() == 0) {
      notes.push_back(
          fmt::format("no IPv4 frame with payload has the mark, ToS {:#04x}: nothing is packed; "
                      "--mark TOS takes another",
                      config_.mark));
    }
    if (streams_ && streams_->made() != 0) {
      facts.trace["syns_made"] = streams_->made();
      notes.push_back(fmt::format(
          "{} TCP stream{} began before the capture (no SYN): a SYN was made for each and goes "
          "before its first segment, which is taken to begin with a whole float",
          streams_->made(), streams_->made() == 1 ? "" : "s"));
    }
    if (ipv6_ != 0) {
      notes.push_back(fmt::format("{} of IPv6 {} unpacked: the NIC packs IPv4 alone",
                                  ipv6_ == 1 ? "1 frame" : fmt::format("{} frames", ipv6_),
                                  ipv6_ == 1 ? "passes" : "pass"));
    }
    if (facts.trace.contains("notes")) {
      for (const auto& note : facts.trace["notes"]) notes.push_back(note);
    }
    if (!notes.empty()) facts.trace["notes"] = notes;
    return facts;
  }
  uint64_t expected() const override {
    const uint64_t all = frames_->expected();
    return limit_ != 0 ? std::min(limit_, all) : all;
  }

 private:
  std::unique_ptr<sim::Frames> frames_;
  const Hosts hosts_;
  const std::optional<uint32_t> host_;
  const uint64_t limit_;
  const nic::NicConfig config_;
  std::optional<Streams> streams_;
  std::optional<sim::Frame> held_;  ///< goes after the SYN that was made for it
  uint64_t given_ = 0, others_ = 0, ipv6_ = 0;
};

/// Frames that were read to see who sends them.
class ReadFrames final : public sim::Frames {
 public:
  explicit ReadFrames(sim::FrameList list) : list_(std::move(list)) {}
  std::optional<sim::Frame> next() override {
    if (next_ == list_.frames.size()) return std::nullopt;
    return std::move(list_.frames[next_++]);
  }
  sim::FrameFacts facts() const override { return list_; }
  uint64_t expected() const override { return list_.frames.size(); }

 private:
  sim::FrameList list_;
  size_t next_ = 0;
};

}  // namespace

sim::Option captured_host_option() {
  return {"host",
          "IPv4 address of the host whose NIC it is: of a capture, frames that others sent are "
          "left out; any: all frames as they are. The default is the host that sends the most "
          "marked bytes (of a capture of the wire: all)",
          "", "Captures"};
}

void check_host(const sim::OptionSet& options) { wanted_host(options); }

std::unique_ptr<sim::Frames> open_host_capture(const sim::RunSpec& spec,
                                               const nic::NicConfig& config, bool sends) {
  const std::optional<uint32_t> wanted = wanted_host(spec.options);
  const auto open = [&](const sim::StimulusSpec& stimulus) {
    return sim::open_capture_frames(stimulus, /*ports=*/1, kTenGbe, spec.options);
  };
  if (wanted == 0u || (!wanted && !sends)) return open(spec.stimulus);
  sim::StimulusSpec all = spec.stimulus;
  all.packets = 0;
  Hosts hosts;
  std::unique_ptr<sim::Frames> frames = open(all);
  std::error_code unknown;
  if (std::filesystem::is_regular_file(all.trace, unknown)) {
    while (const auto frame = frames->next()) hosts.add(frame->bytes, config);
    frames = open(all);
  } else {  // a pipe can be read only once
    sim::FrameList list = sim::read_all(*frames);
    for (const sim::Frame& frame : list.frames) hosts.add(frame.bytes, config);
    frames = std::make_unique<ReadFrames>(std::move(list));
  }
  const std::optional<uint32_t> host = wanted ? wanted : hosts.most();
  const bool makes_syns = sends && config.grid == nic::Grid::kStream;
  return std::make_unique<HostFrames>(std::move(frames), std::move(hosts), host,
                                      spec.stimulus.packets, config, makes_syns);
}

}  // namespace gw::testbenches
