// SPDX-License-Identifier: Apache-2.0
#include "testbenches/switch/random.h"

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "models/reference/capture/capture.h"
#include "testbenches/kit/wires.h"
#include "testbenches/switch/make_frames.h"

namespace gw::testbenches {
namespace {

namespace expether = reference::expether;
using sim::Random;

constexpr int64_t kLongest = 9'600;  // longer than what a queue of the switch takes
constexpr uint32_t kLatest = 8;      // frames that may come before one that is late
constexpr int kGuests = 16;
/// Between two introductions: an idle switch has sent on the one (170 ns) before the next is there.
constexpr int64_t kIntroductionGapNs = 200;
constexpr size_t kFlippedFrom = expether::kTpidOffset;  // MACs stay: they say who is where

std::vector<sim::RandomKey> frame_keys(bool macs) {
  const auto most = macs ? kLongest : static_cast<int64_t>(sim::kMaxFrameBytes);
  std::vector<sim::RandomKey> keys =
      sim::random_stream_keys("bytes", sim::kMinFrameBytes, most, 60, 300);
  for (sim::RandomKey& key : sim::random_value_keys(/*codec=*/false))
    keys.push_back(std::move(key));
  keys.push_back(
      {"peer",
       "what a value is to the one at its place in the frame before; near: negated, but "
       "for the last bits; tie: so much smaller that what is lost of it is a half or next "
       "to one",
       {{"free", 1}, {"equal"}, {"negated"}, {"near"}, {"tie"}}});
  keys.push_back({"frame",
                  "what a frame of ExpEther carries",
                  {{"gradient", 8}, {"parameter", 1}, {"plain", 1}}});
  keys.push_back({"room",
                  "what of a frame's length its values take: all, or a part, behind which there "
                  "is anything",
                  {{"all", 1}, {"part"}}});
  keys.push_back(
      {"type",
       "a plain frame's type: 0, a bit away from one that carries values, any other; with "
       "any count",
       {{"zero", 1}, {"near"}, {"any"}}});
  keys.push_back({"checksum",
                  "its header's checksum: what the words make it, or, by so much more in ack, 0",
                  {{"any", 1}, {"zero"}}});
  keys.push_back({"tlp", "its TLP", {{"mwr64", 2}, {"mwr32", 1}, {"cpld", 1}}});
  keys.push_back(
      {"sequence",
       "its sequence number: the exchange's next, the one before, any, from anywhere, a bit "
       "away from the next, among the last of all",
       {{"next", 6}, {"same", 1}, {"any", 1}, {"far"}, {"near"}, {"last"}}});
  keys.push_back({"iteration",
                  "its iteration: the exchange's, one before, one ahead, from anywhere, a bit "
                  "away, among the last of all",
                  {{"current", 1}, {"stale"}, {"ahead"}, {"far"}, {"near"}, {"last"}}});
  keys.push_back(
      {"worker",
       "its worker: the exchange's next, the one before, none of the group's, a bit away "
       "from the next, among the last of all",
       {{"next", 1}, {"same"}, {"stranger"}, {"near"}, {"last"}}});
  keys.push_back({"group",
                  "its group: the exchange's, another, among the last of all",
                  {{"own", 1}, {"other"}, {"last"}}});
  keys.push_back({"from",
                  "who sends it: its worker, any station, a guest with an address from anywhere",
                  {{"worker", 1}, {"station"}, {"guest"}}});
  keys.push_back({"to",
                  "where it goes: the host, any station, all, nobody that is known, a guest",
                  {{"host", 6}, {"station", 1}, {"broadcast", 1}, {"stranger"}, {"guest"}}});
  std::vector<sim::RandomWay> reasons;
  for (size_t i = 1; i < expether::kReasonCount; ++i) {
    reasons.push_back({std::string(name_of(static_cast<expether::Reason>(i))), 1});
  }
  keys.push_back({"malformed", "why a malformed frame is", std::move(reasons)});
  keys.push_back({"foreign",
                  "a frame that is not ExpEther",
                  {{"ipv4", 1}, {"untagged", 1}, {"two_tags", 1}, {"other_type", 1}}});
  sim::RandomKey error = {"error",
                          "what befalls a frame; cut: it ends early; runt: before its 60th byte",
                          {{"none", 1},
                           {"loss"},
                           {"duplicate"},
                           {"reorder"},
                           {"malformed"},
                           {"foreign"},
                           {"flipped_bit"},
                           {"cut"},
                           {"runt"}}};
  if (macs) {
    error.ways.push_back({"flag"});
    error.text += "; flag: tuser, a bad FCS";
  }
  keys.push_back(std::move(error));
  return keys;
}

class RandomFrames final : public sim::Frames {
 public:
  RandomFrames(const sim::StimulusSpec& stimulus, uint64_t seed, const TrafficOptions& options,
               bool macs, double clock_mhz)
      : table_(stimulus.random),
        seed_(seed),
        options_(options),
        macs_(macs),
        tenths_a_cycle_(1e4 / clock_mhz),
        lengths_(*table_, {60, 64, 68, 96, 128, 160, 192, 224, 1514, 9018}),
        values_(*table_, {}),
        all_(stimulus.packets == 0 ? kDefaultFrames : stimulus.packets),
        stations_(std::max(kSwitchPorts, station_of(options.workers - 1) + 1)),
        guests_((*table_)["from"].share("guest") + (*table_)["to"].share("guest") > 0 ? kGuests
                                                                                      : 0) {}

  std::optional<sim::Frame> next() override {
    if (introduced_ < stations_ + guests_) return introduction(introduced_++);
    for (;;) {
      std::optional<sim::Frame> frame = late_.take(/*all=*/count_ == all_);
      if (!frame) {
        if (count_ == all_) return std::nullopt;
        frame = draw();
        ++count_;
        if (!frame) continue;
      }
      late_.pass();
      ++given_;
      send(*frame);
      return frame;
    }
  }
  sim::FrameFacts facts() const override {
    sim::FrameFacts facts;
    const uint64_t packets = given_ + static_cast<uint64_t>(introduced_);
    facts.trace = {{"random", table_->name()},
                   {"packets", packets},
                   {"selected", packets},
                   {"skipped", nlohmann::json::object()}};
    if (!errors_.empty()) facts.trace["faults"] = errors_;
    facts.synth = table_->name();
    return facts;
  }
  uint64_t expected() const override { return all_ + static_cast<uint64_t>(stations_ + guests_); }

 private:
  Random stream(const char* purpose) const { return {seed_, purpose, count_}; }
  const std::string& word(const char* key, Random& random) const {
    const sim::RandomChoice& choice = (*table_)[key];
    return choice.name(choice.draw(random));
  }

  /// By which a switch learns where everyone is, and who reads a capture of it.
  sim::Frame introduction(int station) {
    sim::Frame frame{.bytes = ordinary_frame(station, -1, options_.vlan, kShortFrame, 0),
                     .port = port_of(station),
                     .time_ns = latest_ / 10,
                     .measured = false};
    boost::endian::store_big_u48(&frame.bytes[6], address(station));
    latest_ += 10 * kIntroductionGapNs + wire_tenths(frame.bytes.size());
    free_.fill(latest_);
    return frame;
  }

  /// Puts it on its port's wire, as soon as that is free, and not before the frame ahead of it.
  void send(sim::Frame& frame) {
    int64_t& free = free_[static_cast<size_t>(frame.port)];
    const auto gap = static_cast<int64_t>(std::llround(frame.gap * tenths_a_cycle_));
    latest_ = std::max(free + (macs_ ? gap : 0), latest_);
    frame.time_ns = latest_ / 10;
    free = latest_ + wire_tenths(frame.bytes.size());
    if (macs_) frame.gap = 0;
  }

  int sender() const {
    Random random = stream("from");
    const std::string& from = word("from", random);
    if (from == "station") return any_station(random);
    if (from == "guest") return any_guest(random);
    return station_of(static_cast<int>(count_ % static_cast<uint64_t>(options_.workers)));
  }
  int any_station(Random& random) const {
    return static_cast<int>(random.below(static_cast<uint32_t>(stations_)));
  }

  /// Guests are numbered, and so placed, behind the stations.
  int any_guest(Random& random) const {
    return stations_ + static_cast<int>(random.below(kGuests));
  }
  uint64_t address(int station) const {
    constexpr uint64_t kUnicast = 0xFEFF'FFFF'FFFF;
    if (station < stations_) return mac_of(station);
    return Random(seed_, "guest", static_cast<uint64_t>(station)).next() & kUnicast;
  }

  uint64_t destination(Random& random) const {
    const std::string& to = word("to", random);
    if (to == "host") return mac_of(0);
    if (to == "station") return mac_of(any_station(random));
    if (to == "guest") return address(any_guest(random));
    if (to == "broadcast") return 0xFFFF'FFFF'FFFF;
    return mac_of(stations_) + random.below(1000);
  }

  /// Numbers from the ends of their range, or anywhere.
  static uint32_t far(Random& random) {
    constexpr std::array<uint32_t, 6> kEnds = {0,           1,           0x7FFF'FFFF,
                                               0x8000'0000, 0xFFFF'FFFE, 0xFFFF'FFFF};
    return random.below(2) == 0 ? kEnds[random.below(kEnds.size())]
                                : static_cast<uint32_t>(random.next());
  }

  /// One of the last 256.
  static uint32_t last(Random& random) { return 0xFFFF'FF00 | random.below(0x100); }

  /// What frame number n of the exchange is: workers take turns, then sequence numbers.
  void number(expether::Header& header, Random& random) {
    const auto workers = static_cast<uint64_t>(options_.workers);
    const auto next = static_cast<uint32_t>(count_ / workers % options_.sequences);
    const std::string& sequence = word("sequence", random);
    header.sequence = sequence == "next"   ? next
                      : sequence == "same" ? sequence_
                      : sequence == "any"  ? random.below(options_.sequences)
                      : sequence == "near" ? next ^ 1u << random.below(32)
                      : sequence == "last" ? last(random)
                                           : far(random);
    sequence_ = header.sequence;
    const std::string& worker = word("worker", random);
    header.worker = worker == "next"   ? static_cast<uint16_t>(count_ % workers)
                    : worker == "same" ? worker_
                    : worker == "near"
                        ? static_cast<uint16_t>(count_ % workers ^ 1u << random.below(16))
                    : worker == "last" ? static_cast<uint16_t>(last(random))
                                       : static_cast<uint16_t>(workers + (far(random) & 0x7FFF));
    worker_ = header.worker;
    const auto now =
        options_.first_iteration + static_cast<uint32_t>(count_ / workers / options_.sequences);
    const std::string& iteration = word("iteration", random);
    header.iteration = iteration == "current" ? now
                       : iteration == "stale" ? now - 1
                       : iteration == "ahead" ? now + 1
                       : iteration == "near"  ? now ^ 1u << random.below(32)
                       : iteration == "last"  ? last(random)
                                              : far(random);
    const std::string& group = word("group", random);
    header.group = group == "own" ? options_.group
                   : group == "last"
                       ? static_cast<uint16_t>(last(random))
                       : static_cast<uint16_t>(options_.group ^ other_than_none(random));
  }

  /// Any difference of 16 bits; in half of the cases of one bit, which a comparison may not look
  /// at.
  static uint64_t other_than_none(Random& random) {
    const uint64_t drawn = 1 + random.below(0xFFFF);
    return drawn % 2 == 0 ? drawn : uint64_t{1} << (drawn >> 1) % 16;
  }

  std::vector<uint8_t> expether_frame(expether::Header header, size_t bytes,
                                      const std::string& kind, Random& random) {
    if (kind == "plain") {
      std::vector<uint8_t> body(bytes - std::min(bytes, expether::kTlp4Offset));
      for (uint8_t& byte : body) byte = static_cast<uint8_t>(random.next());
      std::vector<uint8_t> frame = expether::build_plain(header, body);
      draw_plain_type(frame);
      draw_checksum(frame);
      return frame;
    }
    const size_t room = bytes / 4 - std::min(bytes / 4, expether::kPayloadOffset / 4);
    auto count = static_cast<uint32_t>(std::clamp<size_t>(room, 1, expether::kMaxValues));
    Random part = stream("room");
    if (word("room", part) == "part") count = 1 + part.below(count);
    std::vector<uint32_t> values(count);
    Random drawn = stream("value");
    values_.fill(drawn, values);
    meet_peers(values);
    std::vector<uint8_t> frame = kind == "parameter" ? expether::build_parameter(header, values)
                                                     : expether::build_gradient(header, values);
    draw_checksum(frame);
    return frame;
  }

  /// 0 is the one checksum out of which the type carries, when gradients become parameters.
  void draw_checksum(std::vector<uint8_t>& frame) const {
    Random random = stream("checksum");
    if (word("checksum", random) == "any") return;
    // In one's complement, a sum and its checksum are 0xFFFF together.
    uint8_t* ack = &frame[expether::kAckOffset];
    const uint32_t sum = uint32_t{boost::endian::load_big_u16(ack)} +
                         boost::endian::load_big_u16(&frame[expether::kChecksumOffset]);
    boost::endian::store_big_u16(ack, static_cast<uint16_t>(sum + (sum >> 16)));
    set_checksum(frame);
  }

  void draw_plain_type(std::vector<uint8_t>& frame) const {
    constexpr uint8_t kLargest = expether::kTypeParameter;  // types beyond it are plain
    Random random = stream("type");
    const std::string& type = word("type", random);
    if (type == "zero") return;
    uint32_t drawn = 0;
    while (drawn <= kLargest) {
      drawn = type == "any" ? random.below(0x100) : 1 + random.below(2);
      if (type != "any") drawn ^= 1u << random.below(8);
    }
    frame[expether::kTypeOffset] = static_cast<uint8_t>(drawn);
    frame[expether::kCountOffset] = static_cast<uint8_t>(random.next());
    set_checksum(frame);
  }

  /// A type that differs from a right one in a bit, or a right one with a digest; or a read, as it
  /// is.
  static void draw_wrong_tlp(std::vector<uint8_t>& frame, Random& random) {
    constexpr std::array kRight{expether::Tlp::kMWr32, expether::Tlp::kCplD, expether::Tlp::kMWr64};
    const size_t tlp = (frame[expether::kFlagsOffset] & expether::kFlagTlp3Dw) != 0
                           ? expether::kTlp3Offset
                           : expether::kTlp4Offset;
    const uint64_t how = random.below(4);
    if (how == 0) return;
    uint8_t& type = frame[tlp];
    do {
      type = static_cast<uint8_t>(kRight[random.below(kRight.size())]);
      if (how == 1) {
        frame[tlp + 2] |= expether::kTlpDigest;
      } else {
        type ^= static_cast<uint8_t>(1u << random.below(8));
      }
    } while (expether::classify(frame).reason != expether::Reason::kTlpType);
  }

  /// In half of the cases a length that is a bit away from the count.
  static void draw_wrong_length(std::vector<uint8_t>& frame, Random& random) {
    constexpr uint32_t kBits = 10;
    const uint32_t drawn = random.below(2 * kBits);
    if (drawn >= kBits) return;
    const size_t tlp = (frame[expether::kFlagsOffset] & expether::kFlagTlp3Dw) != 0
                           ? expether::kTlp3Offset
                           : expether::kTlp4Offset;
    const uint32_t length = frame[expether::kCountOffset] ^ 1u << drawn;
    frame[tlp + 2] = static_cast<uint8_t>((frame[tlp + 2] & 0xFC) | length >> 8);
    frame[tlp + 3] = static_cast<uint8_t>(length);
  }

  /// Values of workers that are added up: they cancel, all of them or their upper bits.
  void meet_peers(std::vector<uint32_t>& values) {
    constexpr uint32_t kSign = 0x8000'0000;
    Random drawn = stream("peer");
    for (size_t i = 0; i < std::min(values.size(), peers_.size()); ++i) {
      const std::string& peer = word("peer", drawn);
      if (peer == "equal") values[i] = peers_[i];
      if (peer == "negated") values[i] = peers_[i] ^ kSign;
      if (peer == "near") {
        const auto last = static_cast<uint32_t>(drawn.next() & 0xFF'FFFF);
        values[i] = peers_[i] ^ kSign ^ (last >> drawn.below(25));
      }
      if (peer == "tie") values[i] = tie(peers_[i], values[i], drawn);
    }
    peers_ = values;
  }

  /// A value of any sign that is smaller by 2 to 27 places: its highest bit that has no place in a
  /// sum is 1, of those below it one or none, of those above it any. `otherwise`, if there is none.
  static uint32_t tie(uint32_t peer, uint32_t otherwise, Random& random) {
    constexpr uint32_t kBits = 23;
    const uint32_t exponent = peer >> kBits & 0xFF;
    const uint32_t places = random.below(3) == 0 ? 22 + random.below(6) : 2 + random.below(26);
    if (exponent <= places || exponent == 0xFF) return otherwise;
    const uint32_t half = places - 1;  // the bit of the significand that is half of a last one
    uint32_t fraction = static_cast<uint32_t>(random.next()) & ~((2u << half) - 1);
    fraction |= 1u << half;
    if (random.below(2) == 0) fraction |= 1u << random.below(std::min(half, kBits));
    const auto sign = static_cast<uint32_t>(random.below(2));
    return sign << 31 | (exponent - places) << kBits | (fraction & 0x7F'FFFF);
  }

  std::vector<uint8_t> foreign_frame(uint64_t source, uint64_t to, size_t bytes, Random& random) {
    const std::string& kind = word("foreign", random);
    std::vector<uint8_t> frame(bytes);
    for (uint8_t& byte : frame) byte = static_cast<uint8_t>(random.next());
    if (kind == "ipv4") {
      auto made = capture::make_frame({.tos = 0}, std::span(frame).first(bytes - 42));
      frame = std::move(made).value();
    }
    boost::endian::store_big_u48(&frame[0], to);
    boost::endian::store_big_u48(&frame[6], source);
    if (kind == "ipv4") return frame;
    const uint16_t type = kind == "untagged" ? expether::kEtherType : expether::kTpid;
    boost::endian::store_big_u16(&frame[12], type);
    if (kind == "untagged") return frame;
    boost::endian::store_big_u16(&frame[14], options_.vlan);
    boost::endian::store_big_u16(&frame[16],
                                 kind == "two_tags" ? expether::kTpid : uint16_t{0x88B6});
    return frame;
  }

  /// The next frame; nothing if it does not come, or later.
  std::optional<sim::Frame> draw() {
    Random random = stream("frame"), errors = stream("error"), gaps = stream("gap");
    Random lengths = stream("length");
    const auto bytes = static_cast<size_t>(lengths_.draw(lengths));
    const std::string& error = word("error", errors);
    if (error != "none") ++errors_[error];

    expether::Header header;
    number(header, random);
    const int station = sender();
    header.source = address(station);
    header.destination = destination(random);
    header.tci = static_cast<uint16_t>(options_.vlan | random.below(16) << 12);
    header.flags = static_cast<uint8_t>(random.next() & ~uint64_t{expether::kFlagTlp3Dw});
    header.ack = static_cast<uint32_t>(random.next());
    header.requester = static_cast<uint16_t>(random.next());
    header.tag = static_cast<uint8_t>(random.next());
    header.address = random.next();
    const std::string& tlp = word("tlp", random);
    header.tlp = tlp == "mwr64"   ? expether::Tlp::kMWr64
                 : tlp == "mwr32" ? expether::Tlp::kMWr32
                                  : expether::Tlp::kCplD;
    const std::string& kind = word("frame", random);

    sim::Frame frame;
    frame.port = port_of(station);
    if (!macs_) frame.port_behind = stream("port behind").below(kSwitchPorts);
    if (error == "foreign") {
      frame.bytes = foreign_frame(header.source, header.destination, bytes, errors);
    } else {
      // Only what carries values can be malformed in all of these ways.
      const bool malformed = error == "malformed";
      frame.bytes = expether_frame(header, bytes,
                                   malformed && kind != "parameter" ? "gradient" : kind, random);
      expether::Reason reason = expether::Reason::kNone;
      if (malformed) {
        const sim::RandomChoice& choice = (*table_)["malformed"];
        reason = static_cast<expether::Reason>(1 + choice.draw(errors));
        frame.bytes = malformed_copy(std::move(frame.bytes), reason, errors);
        if (reason == expether::Reason::kTlpType) draw_wrong_tlp(frame.bytes, errors);
        if (reason == expether::Reason::kTlpLength) draw_wrong_length(frame.bytes, errors);
      }
      // Behind the values may be anything.
      const size_t whole = frame.bytes.size();
      if (reason != expether::Reason::kShortFrame && bytes > whole) {
        frame.bytes.resize(bytes);
        for (size_t i = whole; i < bytes; ++i) frame.bytes[i] = static_cast<uint8_t>(random.next());
      }
    }
    frame.gap = static_cast<uint32_t>(sim::random_gap(*table_, gaps));
    return damaged(std::move(frame), error, errors);
  }

  std::optional<sim::Frame> damaged(sim::Frame frame, const std::string& error, Random& random) {
    const auto any = [&random](size_t below) { return random.below(static_cast<uint32_t>(below)); };
    if (error == "loss") return std::nullopt;
    if (error == "reorder") {
      late_.add(std::move(frame), 1 + any(kLatest));
      return std::nullopt;
    }
    if (error == "duplicate") late_.add(frame, any(kLatest));
    if (error == "flag") frame.error = true;
    if (error == "cut")
      frame.bytes.resize(kFlippedFrom + 1 + any(frame.bytes.size() - kFlippedFrom));
    if (error == "runt") frame.bytes.resize(1 + any(expether::kMinFrameBytes - 1));
    if (error == "flipped_bit") {
      frame.bytes[kFlippedFrom + any(frame.bytes.size() - kFlippedFrom)] ^=
          static_cast<uint8_t>(1u << any(8));
    }
    return frame;
  }

  std::shared_ptr<const sim::RandomTable> table_;
  const uint64_t seed_;
  const TrafficOptions options_;
  const bool macs_;
  const double tenths_a_cycle_;  ///< of nanoseconds
  const sim::RandomLengths lengths_;
  const sim::RandomValues values_;
  const uint64_t all_;
  const int stations_, guests_;
  int introduced_ = 0;
  uint64_t count_ = 0, given_ = 0;  ///< drawn, and of those that came
  uint32_t sequence_ = 0;           ///< of the frame before
  uint16_t worker_ = 0;
  std::vector<uint32_t> peers_;  ///< values of the frame before
  int64_t latest_ = 0;           ///< when the latest frame began, in tenths of a nanosecond
  std::array<int64_t, kSwitchPorts> free_{};
  sim::RandomDelays<sim::Frame> late_;
  std::map<std::string, uint64_t> errors_;
};

}  // namespace

const sim::RandomKind& random_expether() {
  static const sim::RandomKind kKind = {"expether",
                                        "ExpEther frames in one stream",
                                        "",
                                        frame_keys(false),
                                        {"workers", "group", "sequences", "vlan"}};
  return kKind;
}

const sim::RandomKind& random_switch() {
  static const sim::RandomKind kKind = {"switch", "frames at four MACs", "expether",
                                        frame_keys(true), random_expether().options};
  return kKind;
}

std::unique_ptr<sim::Frames> open_random_frames(const sim::StimulusSpec& stimulus, uint64_t seed,
                                                const TrafficOptions& options, bool macs,
                                                double clock_mhz) {
  return std::make_unique<RandomFrames>(stimulus, seed, options, macs, clock_mhz);
}

}  // namespace gw::testbenches
