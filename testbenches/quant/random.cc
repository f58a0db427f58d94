// SPDX-License-Identifier: Apache-2.0
#include "testbenches/quant/random.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "models/axis/beat.h"
#include "models/reference/quant/packet.h"
#include "testbenches/quant/ports.h"

namespace gw::testbenches {
namespace {

using sim::Random;

constexpr uint32_t kSign = 0x8000'0000;
constexpr uint64_t kDefaultChunks = 256;
constexpr int64_t kMostChunkValues =
    16'000;  // a UDP datagram carries them, in a capture of what was drawn
constexpr uint32_t kMostAnnounced = 4096;  // of values that do not come
constexpr int64_t kMostDrains = 64;

std::vector<sim::RandomKey> chunk_keys() {
  std::vector<sim::RandomKey> keys = sim::random_stream_keys("values", 1, kMostChunkValues, 1, 400);
  for (sim::RandomKey& key : sim::random_value_keys(/*codec=*/true)) keys.push_back(std::move(key));
  keys.push_back({"row",
                  "where a chunk's residuals begin: behind the chunk before; where that one's do; "
                  "anywhere; so near the end that it does not fit",
                  {{"next", 1}, {"same"}, {"any"}, {"beyond"}}});
  keys.push_back(
      {"peer",
       "what a value is to the one at its place in the chunk before: near: negated but "
       "for some of the last bits, so that a sum with what is left of it cancels; ulp: "
       "negated, and one ulp less or more; left: near, to what is left in its row of all "
       "chunks before, as the reference has it",
       {{"free", 1}, {"equal"}, {"negated"}, {"near"}, {"ulp"}, {"left"}}});
  keys.push_back(
      {"drain",
       "how many chunks of zeros follow a chunk, of its length and rows, so that what is "
       "left of its values is sent",
       {{"none", 1}, {"range", 0, sim::RandomShape::kRange, 1, kMostDrains, 1, 8}}});
  keys.push_back({"threshold",
                  "what a value is to T, of threshold: multiple: m T, m from 1 to 256, one ulp "
                  "below, on it, above; near: m T but for some of the last bits",
                  {{"free", 1}, {"multiple"}, {"near"}}});
  keys.push_back(random_settings_key());
  keys.push_back({"error",
                  "what is wrong with a chunk; cut: it ends within a float; early, late: fewer, "
                  "more beats than it announces; early_flag: fewer, with tuser; tail: a last beat "
                  "without a byte behind its values; zero: it announces no values; wrong: any "
                  "number; vast: of up to a million, each power of two as often; user: its other "
                  "beats have another row and length",
                  {{"none", 1},
                   {"flag"},
                   {"bad_keep"},
                   {"cut"},
                   {"flipped_bit"},
                   {"early"},
                   {"late"},
                   {"early_flag"},
                   {"tail"},
                   {"zero"},
                   {"wrong"},
                   {"vast"},
                   {"user"}}});
  return keys;
}

/// Packet by packet; what is drawn of one purpose has a stream of its own in each.
class RandomChunks final : public sim::Source {
 public:
  RandomChunks(const sim::StimulusSpec& stimulus, uint64_t seed, const QuantiserFacts& facts,
               const ChunkSettings& settings, PacketPins pins)
      : table_(stimulus.random),
        seed_(seed),
        pins_(std::move(pins)),
        threshold_pin_(facts.threshold_pin),
        settings_(settings),
        lengths_(*table_, {1, 8, 16, 24, 32, 64, 128, 256, 362}),
        values_(*table_, {}),
        all_(stimulus.packets == 0 ? kDefaultChunks : stimulus.packets),
        running_(settings.rows) {
    facts_.name = "random traffic " + table_->name();
    if ((*table_)["peer"].share("left") > 0) {
      left_.emplace(facts.config(settings.config, settings.rows), settings.rows);
      config_ = facts.config;
    }
  }

  std::optional<sim::RawPacket> next() override {
    if (count_ == all_) return std::nullopt;
    sim::RawPacket packet;
    Random lengths = stream("length"), values = stream("value"), gaps = stream("gap");
    const sim::PacketConfig& config = pins_.set(packet, count_);
    packet.gap = static_cast<uint32_t>(sim::random_gap(*table_, gaps));
    const bool drains = drains_ > 0;
    std::vector<uint32_t> words(drains ? length_ : static_cast<size_t>(lengths_.draw(lengths)));
    const auto n = static_cast<uint32_t>(words.size());
    if (!drains) {
      values_.fill(values, words);
      if (threshold_pin_) meet_threshold(words, config[*threshold_pin_]);
      row_ = row_of(n);
      meet_peers(words);
    }
    length_ = words.size();
    drains_ = drains ? drains_ - 1 : drain();
    const auto* const bytes = reinterpret_cast<const uint8_t*>(words.data());
    packet.bytes.assign(bytes, bytes + words.size() * 4);
    packet.meta = ChunkUser::word(row_, n);
    spoil(packet, n);
    if (left_) leave(packet, config);
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

  /// Values about multiples of T, up to where m is clipped.
  void meet_threshold(std::vector<uint32_t>& values, uint32_t threshold) {
    Random drawn = stream("threshold");
    for (uint32_t& value : values) {
      const std::string& way = word("threshold", drawn);
      if (way == "free") continue;
      const float multiple =
          static_cast<float>(1 + drawn.below(256)) * std::bit_cast<float>(threshold);
      const auto last = static_cast<uint32_t>(drawn.next() & 0x7F'FFFF);
      const uint32_t step = drawn.below(3) - 1, bits = drawn.below(23);
      if (!std::isfinite(multiple)) continue;  // T is illegal
      const uint32_t exact = std::bit_cast<uint32_t>(multiple) ^ (value & kSign);
      value = way == "multiple" ? exact + step : exact ^ (last >> bits);
    }
  }

  /// Values that meet what is left of those before, in chunks of the same rows.
  void meet_peers(std::vector<uint32_t>& values) {
    Random drawn = stream("peer");
    for (size_t i = 0; i < std::min(values.size(), peers_.size()); ++i) {
      const std::string& peer = word("peer", drawn);
      if (peer == "equal") values[i] = peers_[i];
      if (peer == "negated") values[i] = peers_[i] ^ kSign;
      if (peer == "ulp") values[i] = (peers_[i] ^ kSign) + (drawn.below(2) == 0 ? 1 : ~0u);
      if (peer == "near" || peer == "left") {
        const auto last = static_cast<uint32_t>(drawn.next() & 0xFF'FFFF);
        const uint32_t met = peer == "near" ? peers_[i] : left_at(i);
        values[i] = met ^ kSign ^ (last >> drawn.below(25));
      }
    }
    peers_ = values;
  }

  /// What is left of the chunk's value i, by its row.
  uint32_t left_at(size_t i) const {
    const std::span<const float> all = left_->residuals();
    const size_t at = size_t{row_} * reference::quant::kLanes + i;
    return at < all.size() ? std::bit_cast<uint32_t>(all[at]) : 0;
  }

  /// What the reference leaves of a packet. Of one with an odd tkeep the device may take other
  /// bytes: then values meet something else than what is left.
  void leave(const sim::RawPacket& packet, const sim::PacketConfig& config) {
    std::vector<float> values(packet.bytes.size() / 4);
    if (!values.empty()) std::memcpy(values.data(), packet.bytes.data(), values.size() * 4);
    left_->configure(config_(config, settings_.rows));
    left_->encode({.values = values,
                   .row = static_cast<uint32_t>(packet.meta & ChunkUser::kRowMask),
                   .announced = static_cast<uint32_t>(packet.meta >> ChunkUser::kCountBit) &
                                ChunkUser::kCountMask,
                   .ragged = packet.bytes.size() % 4 != 0,
                   .error = packet.error},
                  encoded_);
  }

  int64_t drain() const {
    Random random = stream("drain");
    const sim::RandomChoice& choice = (*table_)["drain"];
    const size_t way = choice.draw(random);
    return choice.name(way) == "none" ? 0 : choice.number(way, random);
  }

  uint32_t row_of(uint32_t n) {
    Random random = stream("row");
    const std::string& way = word("row", random);
    const uint32_t next = running_.next(0, n);
    if (way == "same") return row_;
    if (way == "any") return random.below(std::max(settings_.rows, 1u));
    if (way == "beyond") {
      const auto rows = static_cast<uint32_t>(reference::quant::rows_of(n));
      const uint32_t first = settings_.rows - std::min(rows - 1, settings_.rows);
      return random.below(4) == 0 ? ChunkUser::kRowMask - random.below(1000)
                                  : first + random.below(std::max(rows, 1u));
    }
    return next;
  }

  void spoil(sim::RawPacket& packet, uint32_t n) {
    Random random = stream("error");
    const std::string& error = word("error", random);
    if (error == "none") return;
    ++errors_[error];
    std::vector<uint8_t>& bytes = packet.bytes;
    const auto any = [&random](size_t below) { return random.below(static_cast<uint32_t>(below)); };
    const auto announce = [&](uint32_t count) { packet.meta = ChunkUser::word(row_, count); };
    const size_t beats = (bytes.size() + kBeatBytes - 1) / kBeatBytes;
    if (error == "flag") {
      packet.error = true;
    } else if (error == "flipped_bit") {
      bytes[any(bytes.size())] ^= static_cast<uint8_t>(1u << any(8));
    } else if (error == "cut") {
      bytes.resize(bytes.size() - 1 - any(3));
    } else if (error == "early" || error == "early_flag") {
      announce(n + 1 + any(random.below(4) == 0 ? 300 : 40));
      packet.error = error == "early_flag";
    } else if (error == "late") {
      bytes.resize(bytes.size() + 1 + any(random.below(4) == 0 ? 400 : 100), 0xA5);
    } else if (error == "tail") {
      packet.odd = {{.beat = static_cast<uint32_t>(beats), .keep = 0}};
      bytes.resize(beats * kBeatBytes + 1 + any(kBeatBytes), 0xA5);
    } else if (error == "zero") {
      announce(0);
    } else if (error == "wrong") {
      announce(any(kMostAnnounced));
    } else if (error == "vast") {
      const uint32_t most = 1u << (1 + any(20));  // a million of values would come in 131,072 beats
      announce(most / 2 + any(most / 2));
    } else if (error == "user") {
      for (size_t beat = 1; beat < beats; ++beat) {
        const bool last = beat + 1 == beats;
        const uint64_t mask = (uint64_t{1} << (last ? ChunkUser::kErrorBit : ChunkUser::kBits)) - 1;
        packet.odd.push_back(
            {.beat = static_cast<uint32_t>(beat),
             .keep = last ? keep_of_bytes(static_cast<int>(bytes.size() - (beats - 1) * kBeatBytes))
                          : kKeepAll,
             .meta = random.next() & mask});
      }
    } else {
      packet.odd = {
          sim::random_odd_beat(random, beats, bytes.size() - (beats - 1) * kBeatBytes, kBeatBytes)};
    }
  }

  std::shared_ptr<const sim::RandomTable> table_;
  const uint64_t seed_;
  PacketPins pins_;
  const std::optional<size_t> threshold_pin_;
  const ChunkSettings settings_;
  const sim::RandomLengths lengths_;
  const sim::RandomValues values_;
  const uint64_t all_;
  RunningRows running_;
  uint32_t row_ = 0;             ///< of the chunk before
  size_t length_ = 0;            ///< its values
  int64_t drains_ = 0;           ///< chunks of zeros that follow it
  std::vector<uint32_t> peers_;  ///< values of the last one that was no such
  // If a table asks for what is left.
  std::optional<reference::quant::Quantiser> left_;
  reference::quant::Config (*config_)(const sim::PacketConfig& pins, uint32_t rows) = nullptr;
  std::vector<uint8_t> encoded_;
  uint64_t count_ = 0;
  std::map<std::string, uint64_t> errors_;
  mutable sim::SourceFacts facts_;
};

}  // namespace

const sim::RandomKind& random_chunks() {
  static const sim::RandomKind kKind = {"chunks", "chunks of gradients, with rows", "floats",
                                        chunk_keys()};
  return kKind;
}

uint32_t RunningRows::next(size_t flow, size_t values) {
  if (flow >= next_.size()) next_.resize(flow + 1);
  const auto rows = static_cast<uint32_t>(reference::quant::rows_of(values));
  uint32_t& next = next_[flow];
  if (next + rows > rows_) next = 0;
  const uint32_t row = next;
  next = std::min(next + rows, rows_);
  return row;
}

std::unique_ptr<sim::Source> open_random_chunks(const sim::StimulusSpec& stimulus, uint64_t seed,
                                                const QuantiserFacts& facts,
                                                const ChunkSettings& settings, PacketPins pins) {
  return std::make_unique<RandomChunks>(stimulus, seed, facts, settings, std::move(pins));
}

}  // namespace gw::testbenches
