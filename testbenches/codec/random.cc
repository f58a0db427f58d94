// SPDX-License-Identifier: Apache-2.0
#include "testbenches/codec/random.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "models/axis/beat.h"
#include "testbenches/codec/options.h"

namespace gw::testbenches {
namespace {

using sim::Random;

constexpr uint64_t kDefaultPackets = 256;
constexpr int64_t kMostValues =
    16'000;  // a UDP datagram carries them, in a capture of what was drawn

std::vector<sim::RandomKey> gradient_keys(const char* cut, bool encoded) {
  std::vector<sim::RandomKey> keys = sim::random_stream_keys("values", 1, kMostValues, 1, 400);
  keys.push_back(random_settings_key());
  for (sim::RandomKey& key : sim::random_value_keys(/*codec=*/true)) keys.push_back(std::move(key));
  sim::RandomKey error = {
      "error",
      std::string("what is wrong with a packet; cut: it ends within a ") + cut +
          (encoded ? "; sparse: groups of any tags, with a bit or none in a byte of payload" : ""),
      {{"none", 1}, {"flag"}, {"bad_keep"}, {"cut"}, {"flipped_bit"}}};
  if (encoded) error.ways.push_back({"sparse"});
  keys.push_back(std::move(error));
  return keys;
}

/// Packet by packet; what is drawn of one purpose has a stream of its own in each.
class RandomGradients final : public sim::Source {
 public:
  RandomGradients(const sim::StimulusSpec& stimulus, uint64_t seed, PacketPins pins, bool encoded)
      : table_(stimulus.random),
        seed_(seed),
        pins_(std::move(pins)),
        encoded_(encoded),
        lengths_(*table_, edges()),
        values_(*table_, {}),
        all_(stimulus.packets == 0 ? kDefaultPackets : stimulus.packets) {
    facts_.name = "random traffic " + table_->name();
  }

  std::optional<sim::RawPacket> next() override {
    if (count_ == all_) return std::nullopt;
    sim::RawPacket packet;
    Random lengths = stream("length"), values = stream("value"), gaps = stream("gap");
    const reference::CodecConfig config = codec_config(pins_.set(packet, count_));
    values_.set(classes_of(config));
    packet.gap = static_cast<uint32_t>(sim::random_gap(*table_, gaps));
    packet.values.resize(static_cast<size_t>(lengths_.draw(lengths)));
    values_.fill(values, packet.values);
    if (encoded_) {
      reference::encode(std::span<const uint32_t>(packet.values), config, packet.bytes);
    } else {
      const auto* const bytes = reinterpret_cast<const uint8_t*>(packet.values.data());
      packet.bytes.assign(bytes, bytes + packet.values.size() * 4);
    }
    spoil(packet);
    if (!encoded_) packet.values.clear();  // its bytes say it
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
  /// Beats, of which each is a group, and a segment of an MTU of 1500.
  static std::vector<int64_t> edges() { return {1, 8, 16, 24, 32, 64, 128, 256, 362}; }
  Random stream(const char* purpose) const { return {seed_, purpose, count_}; }

  void spoil(sim::RawPacket& packet) {
    Random random = stream("error");
    const sim::RandomChoice& errors = (*table_)["error"];
    const std::string& error = errors.name(errors.draw(random));
    if (error == "none") return;
    ++errors_[error];
    std::vector<uint8_t>& bytes = packet.bytes;
    const auto any = [&random](size_t below) { return random.below(static_cast<uint32_t>(below)); };
    if (error == "flag") {
      packet.error = true;
    } else if (error == "flipped_bit") {
      bytes[any(bytes.size())] ^= static_cast<uint8_t>(1u << any(8));
    } else if (error == "cut") {
      cut(packet, any);
    } else if (error == "sparse") {
      sparse(packet, any);
    } else {
      const size_t beats = (bytes.size() + kBeatBytes - 1) / kBeatBytes;
      packet.odd = {
          sim::random_odd_beat(random, beats, bytes.size() - (beats - 1) * kBeatBytes, kBeatBytes)};
    }
  }

  /// What no encoder makes: a class says how many bytes a value has, and nothing of what is in
  /// them.
  template <class Any>
  static void sparse(sim::RawPacket& packet, const Any& any) {
    std::vector<uint8_t>& bytes = packet.bytes;
    bytes.clear();
    for (size_t group = 0; group < packet.values.size(); group += 8) {
      const auto tags = static_cast<uint16_t>(any(0x1'0000));
      const size_t begin = bytes.size();
      bytes.resize(begin + static_cast<size_t>(reference::encoded_group_bytes(tags)));
      bytes[begin] = static_cast<uint8_t>(tags);
      bytes[begin + 1] = static_cast<uint8_t>(tags >> 8);
      for (uint8_t& byte : std::span(bytes).subspan(begin + 2)) {
        const uint32_t bit = any(2);
        byte = static_cast<uint8_t>(bit << any(8));
      }
    }
  }

  /// Floats lose up to three bytes, groups end anywhere within their last one.
  template <class Any>
  void cut(sim::RawPacket& packet, const Any& any) const {
    std::vector<uint8_t>& bytes = packet.bytes;
    if (!encoded_) {
      bytes.resize(bytes.size() - 1 - any(3));
      return;
    }
    size_t begin = 0;
    for (size_t at = 0; at < bytes.size();) {
      begin = at;
      at += static_cast<size_t>(
          reference::encoded_group_bytes(static_cast<uint16_t>(bytes[at] | bytes[at + 1] << 8)));
    }
    bytes.resize(std::max<size_t>(1, begin + any(bytes.size() - begin)));
  }

  std::shared_ptr<const sim::RandomTable> table_;
  const uint64_t seed_;
  PacketPins pins_;
  const bool encoded_;
  const sim::RandomLengths lengths_;
  sim::RandomValues values_;
  const uint64_t all_;
  uint64_t count_ = 0;
  std::map<std::string, uint64_t> errors_;
  mutable sim::SourceFacts facts_;
};

}  // namespace

const sim::RandomKind& random_floats() {
  static const sim::RandomKind kKind = {"floats", "packets of floats", "",
                                        gradient_keys("float", false)};
  return kKind;
}

const sim::RandomKind& random_groups() {
  static const sim::RandomKind kKind = {"groups", "packets of encoded groups", "floats",
                                        gradient_keys("group", true)};
  return kKind;
}

sim::RandomValues::Classes classes_of(const reference::CodecConfig& config) {
  return {.byte_from = static_cast<uint32_t>(config.byte_from()),
          .half_from = static_cast<uint32_t>(config.half_from())};
}

std::unique_ptr<sim::Source> open_random_gradients(const sim::StimulusSpec& stimulus, uint64_t seed,
                                                   PacketPins pins, bool encoded) {
  return std::make_unique<RandomGradients>(stimulus, seed, std::move(pins), encoded);
}

}  // namespace gw::testbenches
