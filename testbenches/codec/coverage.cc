// SPDX-License-Identifier: Apache-2.0
#include "testbenches/codec/coverage.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <vector>

#include "models/reference/codec.h"
#include "testbenches/codec/oracle.h"

namespace gw::testbenches {
namespace {

using reference::CodecConfig;
using sim::coverage::Axis;
using sim::coverage::numbers;
using sim::coverage::StreamTables;
using sim::coverage::Table;
using sim::coverage::Tails;

constexpr size_t kBegin = 4;  // in the place of a tag: no lane came before

std::vector<std::string> tags() { return {"ZERO", "BYTE", "HALF", "RAW"}; }
std::vector<std::string> tags_before() { return {"ZERO", "BYTE", "HALF", "RAW", "begin"}; }
std::vector<std::string> modes() { return {"paper", "bounded"}; }
std::vector<std::string> lengths() { return {"1", "2", "3 and more"}; }

void only_lane_0_begins(Table& table) {
  table.impossible("only a packet's first lane has none before it",
                   [](Table::At at) { return at[1] != 0 && at[2] == kBegin; });
}

/// Packets that leave in error, and what comes behind them: it must not suffer.
class Errors {
 public:
  static constexpr size_t kNone = SIZE_MAX;

  explicit Errors(std::vector<std::string> kinds)
      : table_("errors",
               "what is wrong with a packet x its beats x the packet behind it: good or in error, "
               "in the next cycle or later",
               {{"error", std::move(kinds)},
                {"beats", lengths()},
                {"next", {"good at once", "good later", "error at once", "error later"}}}) {}

  /// `kind`: of this packet, or kNone.
  void arrived(const sim::PacketRef<Beat>& packet, size_t kind) {
    if (before_ != nullptr) {
      const bool at_once = packet->accepted == before_->accepted_last + 1;
      table_.hit(kind_, beats_, (kind == kNone ? 0 : 2) + (at_once ? 0 : 1));
    }
    before_ = kind == kNone ? nullptr : packet;
    kind_ = kind;
    beats_ = std::min<size_t>(packet->beats.size(), 3) - 1;
  }
  Table& table() { return table_; }
  const Table& table() const { return table_; }

 private:
  Table table_;
  sim::PacketRef<Beat> before_;  ///< in error
  size_t kind_ = kNone, beats_ = 0;
};

Table groups_table() {
  Table table("groups", "byte of a beat in which an encoded group starts x its length in bytes",
              {{"start", numbers(0, 31)}, {"length", numbers(2, 34)}});
  table.impossible("no eight payloads of 0, 1, 2 and 4 bytes are 31 bytes",
                   [](Table::At at) { return at[1] + 2 == 33; });
  return table;
}

/// Where the groups of an encoded packet lie; returns the bytes left over.
size_t count_groups(std::span<const uint8_t> bytes, Table& table) {
  size_t at = 0;
  while (at + 2 <= bytes.size()) {
    const auto size = static_cast<size_t>(
        reference::encoded_group_bytes(static_cast<uint16_t>(bytes[at] | bytes[at + 1] << 8)));
    if (at + size > bytes.size()) break;
    table.hit(at % kBeatBytes, size - 2);
    at += size;
  }
  return bytes.size() - at;
}

// ---- Floats that go in

class Floats {
 public:
  /// Numbers finer than the codec's classes: where hardware may go wrong.
  enum Class : uint8_t {
    kNull,
    kSubnormal,
    kBelow,
    kByte,
    kHalf,
    kRaw,
    kInfinity,
    kNan,
    kAbsent,
    kClasses
  };

  Floats()
      : values_("values",
                "what a lane holds x lane x class of the lane before it (lane 0: the last one of "
                "the group before)",
                {{"value",
                  {"zero", "subnormal", "below the bound", "BYTE", "HALF", "RAW", "infinity", "NaN",
                   "absent"}},
                 {"lane", numbers(0, 7)},
                 {"before", tags_before()}}),
        bounds_("bounds", "error bound 2^-k x mode x class",
                {{"k", numbers(1, 14)}, {"mode", modes()}, {"class", tags()}}),
        edges_("edges",
               "error bound 2^-k x mode x values where a class ends: the bound, the end of BYTE, "
               "1.0 x an ulp below, at, an ulp above",
               {{"k", numbers(1, 14)},
                {"mode", modes()},
                {"edge", {"bound", "end of BYTE", "1.0"}},
                {"side", {"below", "at", "above"}}}) {
    only_lane_0_begins(values_);
    bounds_.impossible("with k = 1, BYTE ends at 1.0 and there is no HALF",
                       [](Table::At at) { return at[0] == 0 && at[2] == 2; });
  }

  void count(const sim::Packet<Beat>& packet) {
    const CodecConfig config = config_of(packet);
    if (config.bound_exponent < reference::kMinBoundExponent ||
        config.bound_exponent > reference::kMaxBoundExponent) {
      return;  // pins of a test that show what no program may choose
    }
    if (!known_ || config != config_) configure(config);
    const auto k = static_cast<size_t>(config.bound_exponent - 1);
    const size_t mode = config.mode == reference::Mode::kBounded;
    std::array<uint64_t, 4> seen{};
    size_t before = kBegin;
    for (const Beat& beat : packet.beats) {
      const uint32_t keep = beat.last != 0 ? beat.keep : kKeepAll;
      for (size_t lane = 0; lane < kLanes; ++lane) {
        const uint32_t word = beat.data[lane];
        const Class c = (keep >> (4 * lane) & 0xF) == 0xF ? class_of(word) : kAbsent;
        values_.hit(c, lane, before);
        before = tag_of(c);
        if (c == kAbsent) continue;
        ++seen[before];
        const uint32_t mantissa = word & 0x7F'FFFF;
        if (mantissa < 2 || mantissa == 0x7F'FFFF) [[unlikely]]
          count_edge(word, k, mode);
      }
    }
    for (size_t tag = 0; tag < seen.size(); ++tag) {
      bounds_.add((k * 2 + mode) * 4 + tag, seen[tag]);
    }
  }
  std::vector<const Table*> tables() const { return {&values_, &bounds_, &edges_}; }

 private:
  static constexpr size_t tag_of(Class c) {
    return c == kByte ? 1 : c == kHalf ? 2 : c == kRaw || c == kInfinity || c == kNan ? 3 : 0;
  }
  void configure(const CodecConfig& config) {
    known_ = true;
    config_ = config;
    for (int e = 0; e < 256; ++e) {
      by_exponent_[static_cast<size_t>(e)] = e == 0                   ? kNull
                                             : e < config.byte_from() ? kBelow
                                             : e < config.half_from() ? kByte
                                             : e < 127                ? kHalf
                                             : e < 255                ? kRaw
                                                                      : kInfinity;
    }
    edge_ = {static_cast<uint32_t>(config.byte_from()), static_cast<uint32_t>(config.half_from()),
             127u};
  }
  Class class_of(uint32_t word) const {
    const Class c = by_exponent_[word >> 23 & 0xFF];
    if ((word & 0x7F'FFFF) == 0 || (c != kNull && c != kInfinity)) return c;
    return c == kNull ? kSubnormal : kNan;
  }
  void count_edge(uint32_t word, size_t k, size_t mode) {
    const uint32_t magnitude = word & 0x7FFF'FFFF;
    for (size_t edge = 0; edge < edge_.size(); ++edge) {
      const uint32_t side = magnitude - (edge_[edge] << 23) + 1;
      if (side < 3) edges_.hit(k, mode, edge, side);
    }
  }

  Table values_, bounds_, edges_;
  bool known_ = false;
  CodecConfig config_;
  std::array<Class, 256> by_exponent_{};
  std::array<uint32_t, 3> edge_{};
};

/// Compressor, and both in a chain: floats go in.
class FloatsIn final : public sim::coverage::Family<Beat> {
 public:
  FloatsIn(bool chain, bool hosted)
      : chain_(chain),
        hosted_(hosted),
        groups_(groups_table()),
        errors_({"flagged", "cut", "cut and flagged"}) {}

  Tails tails(bool input, size_t) const override {
    return input    ? Tails::floats(kBeatBytes)
           : chain_ ? Tails::full()
                    : Tails::bytes(kBeatBytes, false);
  }
  void shape(StreamTables& tables) const override {
    if (chain_) return;
    Table& out = tables.packets_out[0];
    out.impossible("a group has two bytes at least, and a packet one group",
                   [](Table::At at) { return at[0] == 0 && at[1] == 0; });
    if (hosted_) return;
    tables.handshakes[0].impossible(
        "ready falls when 30 beats are in the queue or promised: one is shown",
        [](Table::At at) { return sim::coverage::full(at) && sim::coverage::empty(at); });
  }
  void arrived(size_t, const sim::PacketRef<Beat>& packet) override {
    floats_.count(*packet);
    count_groups(encoded(*packet), groups_);
    const Beat& last = packet->beats.back();
    const int bytes = bytes_of_keep(last.keep);
    const bool cut = bytes == 0 || bytes % 4 != 0 || last.keep != keep_of_bytes(bytes);
    const bool flagged = last.user != 0;
    errors_.arrived(packet, !cut && !flagged ? Errors::kNone : cut ? 1 + flagged : 0);
  }
  std::vector<const Table*> tables() const override {
    std::vector<const Table*> all = floats_.tables();
    all.push_back(&groups_);
    all.push_back(&errors_.table());
    return all;
  }

 private:
  const std::vector<uint8_t>& encoded(const sim::Packet<Beat>& packet) {
    const std::vector<uint8_t> bytes = sim::bytes_of(packet);
    values_.assign((bytes.size() + 3) / 4, 0);
    if (bytes.size() >= 4) std::memcpy(values_.data(), bytes.data(), bytes.size() / 4 * 4);
    encoded_.clear();
    reference::encode(std::span<const uint32_t>(values_), config_of(packet), encoded_);
    return encoded_;
  }

  const bool chain_, hosted_;
  Floats floats_;
  Table groups_;
  Errors errors_;
  std::vector<uint32_t> values_;
  std::vector<uint8_t> encoded_;
};

// ---- Groups that go in

class GroupsIn final : public sim::coverage::Family<Beat> {
 public:
  explicit GroupsIn(bool hosted)
      : hosted_(hosted),
        values_("values",
                "what a lane's code says x lane x class of the lane before it (lane 0: the last "
                "one of the group before)",
                {{"value",
                  {"ZERO", "BYTE", "BYTE of no bits", "HALF", "HALF of no bits", "RAW", "infinity",
                   "NaN"}},
                 {"lane", numbers(0, 7)},
                 {"before", tags_before()}}),
        bounds_("bounds", "error bound 2^-k x mode x class",
                {{"k", numbers(1, 14)}, {"mode", modes()}, {"class", tags()}}),
        groups_(groups_table()),
        errors_({"flagged", "ends in tags", "ends in payload", "last beat without a byte"}) {
    only_lane_0_begins(values_);
  }

  Tails tails(bool input, size_t) const override {
    return input ? Tails::bytes(kBeatBytes, true) : Tails::full();
  }
  void shape(StreamTables& tables) const override {
    if (hosted_) return;
    // With three beats in the Burst Buffer a group is issued in each cycle, and a group that is not
    // whole in one or two beats takes them along when it is: the buffer is full only if a group was
    // issued three cycles before, which is shown by now, or if credit had run out.
    tables.handshakes[0].impossible(
        "the Burst Buffer fills only behind a group that is shown by then",
        [](Table::At at) { return sim::coverage::full(at) && sim::coverage::empty(at); });
  }
  void arrived(size_t, const sim::PacketRef<Beat>& packet) override {
    const Beat& last = packet->beats.back();
    const auto kept = static_cast<size_t>(std::countr_one(last.keep));
    bytes_.clear();
    for (const Beat& beat : packet->beats) {
      const auto* const data = reinterpret_cast<const uint8_t*>(beat.data.data());
      bytes_.insert(bytes_.end(), data, data + (beat.last != 0 ? kept : kBeatBytes));
    }
    const size_t over = count_groups(bytes_, groups_);
    count_values(std::span(bytes_).first(bytes_.size() - over), config_of(*packet));
    errors_.arrived(packet, kept == 0        ? 3
                            : over == 1      ? 1
                            : over != 0      ? 2
                            : last.user != 0 ? 0
                                             : Errors::kNone);
  }
  std::vector<const Table*> tables() const override {
    return {&values_, &bounds_, &groups_, &errors_.table()};
  }

 private:
  enum Code : uint8_t { kZero, kByte, kByte0, kHalf, kHalf0, kRaw, kInfinity, kNan };

  void count_values(std::span<const uint8_t> bytes, const CodecConfig& config) {
    const bool countable = config.bound_exponent >= reference::kMinBoundExponent &&
                           config.bound_exponent <= reference::kMaxBoundExponent;
    const auto k = static_cast<size_t>(config.bound_exponent - 1);
    const size_t mode = config.mode == reference::Mode::kBounded;
    std::array<uint64_t, 4> seen{};
    size_t before = kBegin;
    for (size_t at = 0; at < bytes.size();) {
      const uint32_t tags = bytes[at] | static_cast<uint32_t>(bytes[at + 1]) << 8;
      at += reference::kTagBytes;
      for (size_t lane = 0; lane < kLanes; ++lane) {
        const size_t tag = tags >> (2 * lane) & 3;
        values_.hit(code_of(tag, bytes.data() + at), lane, before);
        before = tag;
        ++seen[tag];
        at += static_cast<size_t>(reference::kPayloadBytes[tag]);
      }
    }
    for (size_t tag = 0; countable && tag < seen.size(); ++tag) {
      bounds_.add((k * 2 + mode) * 4 + tag, seen[tag]);
    }
  }
  static Code code_of(size_t tag, const uint8_t* payload) {
    if (tag == 0) return kZero;
    if (tag == 1) return (payload[0] & 0x7F) == 0 ? kByte0 : kByte;
    if (tag == 2) return payload[0] == 0 && (payload[1] & 0x7F) == 0 ? kHalf0 : kHalf;
    uint32_t word = 0;
    std::memcpy(&word, payload, sizeof word);
    if ((word >> 23 & 0xFF) != 0xFF) return kRaw;
    return (word & 0x7F'FFFF) == 0 ? kInfinity : kNan;
  }

  const bool hosted_;
  Table values_, bounds_, groups_;
  Errors errors_;
  std::vector<uint8_t> bytes_;
};

}  // namespace

std::unique_ptr<sim::coverage::Family<Beat>> codec_coverage(CodecSide side, bool hosted) {
  if (side == CodecSide::kDecompressor) return std::make_unique<GroupsIn>(hosted);
  return std::make_unique<FloatsIn>(side == CodecSide::kLoop, hosted);
}

}  // namespace gw::testbenches
