// SPDX-License-Identifier: Apache-2.0
#include "testbenches/quant/packets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "models/axis/beat.h"
#include "models/reference/quant/decoder.h"
#include "sim/base/error.h"
#include "sim/feeds/captures.h"
#include "sim/feeds/gradients.h"
#include "testbenches/quant/codes.h"
#include "testbenches/quant/random.h"

namespace gw::testbenches {
namespace {

namespace quant = reference::quant;
using quant::Method;
using quant::Reason;
using sim::Random;

constexpr const char* kPacketsGroup = "Packets";
constexpr uint32_t kSenderRows = quant::Quantiser::kDefaultRows;
constexpr uint64_t kDefaultPackets = 256;
constexpr int64_t kMostPacketValues =
    16'000;  // a UDP datagram carries them, in a capture of what was drawn

/// Every format and coding.
constexpr const char* kEveryCodec =
    "raw/wgt/bgt/bgt:coding=rice/qgt/qgt:coding=rice/onebit/adaptive/adaptive:coding=rice/mxfp8/"
    "mxfp4/mxfp8-e5m2";

/// Senders: one quantiser a codec, each with residuals of its own.
class Senders {
 public:
  explicit Senders(const std::vector<quant::Config>& codecs) : rows_(kSenderRows) {
    for (const quant::Config& codec : codecs) senders_.emplace_back(codec, kSenderRows);
  }

  size_t size() const { return senders_.size(); }
  void encode(size_t sender, size_t flow, std::span<const uint32_t> words,
              std::vector<uint8_t>& packet) {
    values_.resize(words.size());
    if (!words.empty()) std::memcpy(values_.data(), words.data(), words.size_bytes());
    senders_[sender].encode(values_, rows_.next(flow, words.size()), packet);
  }
  void encode(const quant::Config& as, size_t sender, size_t flow, std::span<const uint32_t> words,
              std::vector<uint8_t>& packet) {
    const quant::Config before = senders_[sender].config();
    senders_[sender].configure(as);
    encode(sender, flow, words, packet);
    senders_[sender].configure(before);
  }

 private:
  std::vector<quant::Quantiser> senders_;
  RunningRows rows_;
  std::vector<float> values_;
};

/// Which sender makes the packet of this number, whatever its values come from.
size_t sender_of(uint64_t seed, uint64_t number, size_t senders) {
  return Random(seed, "codec", number).below(static_cast<uint32_t>(senders));
}

class EncodedSource final : public sim::Source {
 public:
  EncodedSource(const sim::StimulusSpec& stimulus, uint64_t seed,
                const DequantizerSettings& settings, PacketPins pins, const sim::OptionSet& options)
      : gradients_(sim::open_gradients(stimulus, seed, options)),
        seed_(seed),
        senders_(settings.codecs),
        pins_(std::move(pins)) {}

  std::optional<sim::RawPacket> next() override {
    std::optional<sim::GradientPacket> packet = gradients_->next();
    if (!packet) return std::nullopt;
    sim::RawPacket raw;
    raw.trace_number = packet->trace_number;
    pins_.set(raw, count_);
    if (!packet->bytes.empty()) {  // encoded already
      ++count_;
      raw.bytes = std::move(packet->bytes);
      return raw;
    }
    senders_.encode(sender_of(seed_, count_++, senders_.size()), packet->flow, packet->values,
                    raw.bytes);
    raw.values = std::move(packet->values);
    return raw;
  }
  const sim::SourceFacts& facts() const override { return gradients_->facts(); }
  uint64_t expected() const override { return gradients_->expected(); }

 private:
  std::unique_ptr<sim::Gradients> gradients_;
  const uint64_t seed_;
  Senders senders_;
  PacketPins pins_;
  uint64_t count_ = 0;
};

std::vector<sim::RandomKey> packet_keys() {
  std::vector<sim::RandomKey> keys =
      sim::random_stream_keys("values", 1, kMostPacketValues, 1, 400);
  for (sim::RandomKey& key : sim::random_value_keys(/*codec=*/true)) keys.push_back(std::move(key));
  keys.push_back(random_settings_key());
  keys.push_back({"codec",
                  "what made a packet: one of --codec; any: any method, T, p and coding",
                  {{"option", 1}, {"any"}}});
  std::vector<sim::RandomWay> errors = {
      {"none", 1}, {"flag"}, {"bad_keep"}, {"cut"}, {"flipped_bit"}};
  for (size_t i = 1; i < quant::kReasons; ++i) {
    errors.push_back({std::string(quant::reason_name(static_cast<Reason>(i)))});
  }
  keys.push_back({"error",
                  "what is wrong with a packet; cut: it ends anywhere; short to status: why it is "
                  "malformed",
                  std::move(errors)});
  return keys;
}

Reason reason_of(const std::string& name) {
  for (size_t i = 1; i < quant::kReasons; ++i) {
    if (name == quant::reason_name(static_cast<Reason>(i))) return static_cast<Reason>(i);
  }
  return Reason::kNone;
}

/// T about where gradients are, anything that a method takes.
quant::Config any_codec(Random& random) {
  quant::Config config;
  config.method = static_cast<Method>(random.below(quant::kMethods));
  const auto t = static_cast<double>(1 + random.next() % 0xFFFF);
  config.threshold = *quant::round_threshold(std::ldexp(
      t, -static_cast<int>(random.below(4) == 0 ? random.below(100) : 20 + random.below(14))));
  config.p = quant::kMinP + static_cast<int>(random.below(quant::kMaxP - quant::kMinP + 1));
  if (random.below(2) == 0 && quant::has_coding(config.method, quant::Coding::kRice)) {
    config.coding = quant::Coding::kRice;
  }
  config.residual = config.method != Method::kRaw && random.below(2) == 0;
  return config;
}

/// Packet by packet; what is drawn of one purpose has a stream of its own in each.
class RandomPackets final : public sim::Source {
 public:
  RandomPackets(const sim::StimulusSpec& stimulus, uint64_t seed,
                const DequantizerSettings& settings, PacketPins pins)
      : table_(stimulus.random),
        seed_(seed),
        senders_(settings.codecs),
        pins_(std::move(pins)),
        lengths_(*table_, {1, 8, 16, 24, 32, 64, 128, 256, 362}),
        values_(*table_, {}),
        all_(stimulus.packets == 0 ? kDefaultPackets : stimulus.packets) {
    facts_.name = "random traffic " + table_->name();
  }

  std::optional<sim::RawPacket> next() override {
    if (count_ == all_) return std::nullopt;
    sim::RawPacket packet;
    Random lengths = stream("length"), values = stream("value"), gaps = stream("gap");
    Random codec = stream("method");
    limit_ = pins_.set(packet, count_)[0];
    packet.gap = static_cast<uint32_t>(sim::random_gap(*table_, gaps));
    packet.values.resize(static_cast<size_t>(lengths_.draw(lengths)));
    values_.fill(values, packet.values);
    const size_t sender = sender_of(seed_, count_, senders_.size());
    if (word("codec", codec) == "any") {
      senders_.encode(any_codec(codec), sender, 0, packet.values, packet.bytes);
    } else {
      senders_.encode(sender, 0, packet.values, packet.bytes);
    }
    spoil(packet);
    ++count_;
    return packet;
  }
  const sim::SourceFacts& facts() const override {
    facts_.trace = {{"random", table_->name()}, {"packets", count_}, {"selected", count_}};
    if (!errors_.empty()) facts_.trace["faults"] = errors_;
    return facts_;
  }
  uint64_t expected() const override { return all_; }

 private:
  Random stream(const char* purpose) const { return {seed_, purpose, count_}; }
  const std::string& word(const char* key, Random& random) const {
    const sim::RandomChoice& choice = (*table_)[key];
    return choice.name(choice.draw(random));
  }

  void spoil(sim::RawPacket& packet) {
    Random random = stream("error");
    const std::string& error = word("error", random);
    if (error == "none") return;
    ++errors_[error];
    std::vector<uint8_t>& bytes = packet.bytes;
    const auto any = [&random](size_t below) { return random.below(static_cast<uint32_t>(below)); };
    if (error == "flag") {
      packet.error = true;
    } else if (error == "flipped_bit") {
      // One in two in the header: a payload has more bits, and fewer that matter.
      bytes[any(random.below(2) == 0 ? quant::kHeaderBytes : bytes.size())] ^=
          static_cast<uint8_t>(1u << any(8));
    } else if (error == "cut") {
      bytes.resize(1 + any(bytes.size()));
    } else if (error == "bad_keep") {
      const size_t beats = (bytes.size() + kBeatBytes - 1) / kBeatBytes;
      packet.odd = {
          sim::random_odd_beat(random, beats, bytes.size() - (beats - 1) * kBeatBytes, kBeatBytes)};
    } else if (const Reason reason = reason_of(error); reason == Reason::kLimit) {
      const uint32_t least =
          random.below(2) == 0 ? 0 : static_cast<uint32_t>(packet.values.size()) - 1;
      packet.config = {std::min(least, limit_)};
      packet.own_config = true;
    } else {
      spoil_packet(bytes, reason, random);
    }
  }

  std::shared_ptr<const sim::RandomTable> table_;
  const uint64_t seed_;
  Senders senders_;
  PacketPins pins_;
  uint32_t limit_ = 0;  ///< of the packet at hand
  const sim::RandomLengths lengths_;
  const sim::RandomValues values_;
  const uint64_t all_;
  uint64_t count_ = 0;
  std::map<std::string, uint64_t> errors_;
  mutable sim::SourceFacts facts_;
};

/// Something that no encoder says; what a packet's code has no room for, a wrong length is in its
/// place.
void spoil_payload(std::vector<uint8_t>& packet, Random& random) {
  const auto any = [&random](size_t below) { return random.below(static_cast<uint32_t>(below)); };
  const auto method = static_cast<Method>(packet[0]);
  std::vector<PacketCode> groups;
  for (const PacketCode& code : codes_of(packet)) {
    if (code.kind == PacketCode::kGroup || code.kind == PacketCode::kRun) groups.push_back(code);
  }
  if (!groups.empty() && random.below(3) != 0) {
    const PacketCode& group = groups[any(groups.size())];
    uint8_t* const at = packet.data() + group.begin / 8;
    if (group.kind == PacketCode::kRun) {
      at[1] = 255;  // beyond the last group, but of a chunk that is long
    } else if (method == Method::kQgt && random.below(2) == 0) {
      at[2 + any(group.count)] = 0;
    } else if (method != Method::kWgt && at[0] != 0xFF) {
      at[1] |= static_cast<uint8_t>(~at[0]);
    } else {
      at[0] = 0xFF;  // a lane more, or beyond n
    }
    return;
  }
  const uint8_t status = packet.back();
  if (random.below(2) == 0) {
    packet.resize(packet.size() -
                  std::min<size_t>(packet.size() - quant::kHeaderBytes - 1, 1 + any(40)));
  } else {
    const auto byte = static_cast<uint8_t>(random.next());
    packet.resize(packet.size() + 1 + any(80), byte);
  }
  packet.back() = status;
}

}  // namespace

void spoil_packet(std::vector<uint8_t>& packet, Reason reason, Random& random) {
  const auto any = [&random](size_t below) { return random.below(static_cast<uint32_t>(below)); };
  const auto method = static_cast<Method>(packet[0]);
  switch (reason) {
    case Reason::kNone:
    case Reason::kLimit:
      break;
    case Reason::kShort:
      packet.resize(1 + any(quant::kHeaderBytes));  // an empty one breaks the stream profile
      break;
    case Reason::kFormat:
      packet[0] = static_cast<uint8_t>(quant::kMethods + any(256 - quant::kMethods));
      break;
    case Reason::kCoding:
      packet[1] = static_cast<uint8_t>(
          quant::has_coding(method, quant::Coding::kRice) ? 16 + any(240) : 1 + any(255));
      break;
    case Reason::kReserved: {
      // Bytes that are zero in this format.
      std::vector<size_t> zeros = {2, 3};
      const bool means = quant::has_means(method);
      for (size_t i = 8; i < 12 && !means && !quant::is_threshold(method); ++i) zeros.push_back(i);
      for (size_t i = 12; i < 16 && !means; ++i) zeros.push_back(i);
      packet[zeros[any(zeros.size())]] ^= static_cast<uint8_t>(1u << any(8));
      break;
    }
    case Reason::kCount:
      std::fill_n(packet.begin() + 4, 4, uint8_t{0});
      break;
    case Reason::kNotFinite: {
      // Of formats that have neither it is a reserved bit.
      const size_t at = quant::has_means(method) && random.below(2) == 0 ? 12 : 8;
      packet[at + 2] |= 0x80;
      packet[at + 3] |= 0x7F;
      if (random.below(2) == 0) packet[at + any(2)] ^= 1;
      break;
    }
    case Reason::kPayload:
      spoil_payload(packet, random);
      break;
    case Reason::kStatus:
      packet.back() |= static_cast<uint8_t>(8u << any(5));
      break;
  }
}

const std::vector<sim::Option>& dequantizer_options() {
  static const std::vector<sim::Option> kOptions = sim::with_capture_options(
      {sim::encoded_option("quantised packets"),
       {"limit", "the largest n that a packet may claim: 0 to 1048575", "4096", kPacketsGroup},
       {"codec",
        "what encodes the packets that go in, as gradwire codec's --codec; with slashes between "
        "several each packet draws one of them",
        kEveryCodec, kPacketsGroup}});
  return kOptions;
}

DequantizerSettings dequantizer_settings(const sim::OptionSet& options) {
  DequantizerSettings settings;
  settings.limit = static_cast<uint32_t>(options.integer("limit", 0, quant::kMaxValues));
  const std::string& words = options.word("codec");
  for (size_t from = 0; from <= words.size();) {
    const size_t to = std::min(words.find('/', from), words.size());
    const quant::ConfigResult parsed = quant::parse_config(words.substr(from, to - from));
    if (!parsed.config) throw sim::UsageError("--codec: " + parsed.error);
    settings.codecs.push_back(*parsed.config);
    from = to + 1;
  }
  return settings;
}

const PinFacts& dequantizer_pins() {
  // One in eight is about as large as packets are, and refuses many.
  static const PinFacts kFacts = {
      .options = {"limit"}, .legal = [](Random& random) {
        constexpr auto kMost = static_cast<uint32_t>(quant::kMaxValues);
        return sim::PacketConfig{random.below(8) == 0 ? random.below(512)
                                                      : 4096 + random.below(kMost - 4095)};
      }};
  return kFacts;
}

const sim::RandomKind& random_packets() {
  static const sim::RandomKind kKind = {"packets", "packets of quantised chunks", "floats",
                                        packet_keys()};
  return kKind;
}

std::unique_ptr<sim::Source> open_packets(const sim::StimulusSpec& stimulus, uint64_t seed,
                                          const DequantizerSettings& settings, PacketPins pins,
                                          const sim::OptionSet& options) {
  if (stimulus.random != nullptr) {
    return std::make_unique<RandomPackets>(stimulus, seed, settings, std::move(pins));
  }
  return std::make_unique<EncodedSource>(stimulus, seed, settings, std::move(pins), options);
}

}  // namespace gw::testbenches
