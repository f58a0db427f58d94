// SPDX-License-Identifier: Apache-2.0
#include "testbenches/quant/coverage.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <utility>
#include <vector>

#include "models/reference/quant/decoder.h"
#include "models/reference/quant/packet.h"
#include "models/reference/quant/values.h"
#include "testbenches/quant/codes.h"
#include "testbenches/quant/ports.h"

namespace gw::testbenches {
namespace {

namespace quant = reference::quant;
using quant::Method;
using sim::coverage::numbers;
using sim::coverage::StreamTables;
using sim::coverage::Table;
using sim::coverage::Tails;

/// Names of methods, and "raw" behind them.
std::vector<std::string> formats_of(const std::vector<Method>& methods, bool raw) {
  std::vector<std::string> names;
  for (const Method method : methods) names.emplace_back(quant::method_name(method));
  if (raw) names.emplace_back("raw");
  return names;
}

/// What a quantiser of any method does with chunks.
class QuantiserCoverage : public sim::coverage::Family<Beat> {
 public:
  QuantiserCoverage(const QuantiserFacts& facts, uint32_t rows)
      : rows_(rows),
        chunks_("chunks",
                "format of the packet x residuals x what came, beside what was announced: fewer "
                "beats, fewer values in the last one, a part of a float, too many bytes in the "
                "last beat, too many beats; no values announced",
                {{"format", formats_of(facts.methods, true)},
                 {"residual", {"off", "on"}},
                 {"came",
                  {"as announced", "fewer beats", "fewer values", "part of a float",
                   "more in the last beat", "more beats", "n = 0"}}}),
        values_("values", "what a lane holds x lane x residuals",
                {{"value", {"zero", "subnormal", "normal", "infinity", "NaN", "missing"}},
                 {"lane", numbers(0, 7)},
                 {"residual", {"off", "on"}}}),
        status_("status", "status byte x format",
                {{"status", numbers(0, quant::kStatusBits)},
                 {"format", formats_of(facts.methods, true)}}),
        rows_again_("rows again",
                    "a chunk begins at the rows of the one before: in how many cycles",
                    {{"gap", {"in the next cycle", "in 2 to 16", "later"}},
                     {"beats", {"1", "2 to 4", "5 and more"}}}),
        facts_(facts) {
    const size_t raw = facts.methods.size();
    chunks_.impossible("n = 0 leaves as RAW",
                       [raw](Table::At at) { return at[0] != raw && at[2] == kNoValues; });
    if (rows_ != 0) return;
    for (Table* const table : {&chunks_, &values_}) {
      const size_t axis = table == &chunks_ ? 1 : 2;
      table->impossible("there is no residual memory",
                        [axis](Table::At at) { return at[axis] != 0; });
    }
    rows_again_.impossible("there is no residual memory", [](Table::At) { return true; });
  }

  Tails tails(bool input, size_t) const override { return Tails::bytes(kBeatBytes, input); }

  void arrived(size_t, const sim::PacketRef<Beat>& packet) override {
    const Beat& first = packet->beats.front();
    const bool residual = residual_of(*packet);
    const uint32_t n = ChunkUser::count(first);
    count_values(*packet, n, residual);
    if (residual && before_ != nullptr && n != 0 &&
        ChunkUser::row(first) == ChunkUser::row(before_->beats.front())) {
      const uint64_t gap = packet->accepted - before_->accepted_last;
      const size_t beats = packet->beats.size();
      rows_again_.hit(gap <= 1 ? 0 : gap <= 16 ? 1 : 2, beats < 2 ? 0 : beats < 5 ? 1 : 2);
    }
    before_ = packet;
  }
  void left(const sim::Passage&, const sim::Packet<Beat>& packet) override {
    const std::vector<uint8_t> bytes = sim::bytes_of(packet);
    const sim::Packet<Beat>& chunk = *packet.source;
    const uint32_t n = ChunkUser::count(chunk.beats.front());
    const auto method = static_cast<Method>(bytes.front());
    const auto format =
        static_cast<size_t>(std::ranges::find(facts_.methods, method) - facts_.methods.begin());
    chunks_.hit(format, residual_of(chunk) ? 1 : 0, came(chunk, n));
    status_.hit(bytes.back() & quant::kStatusBits, format);
    if (method != Method::kRaw) payload_left(bytes, format, n, chunk.config);
  }

 protected:
  /// A packet that is not RAW has left; `format` is its method's place in the axis, `pins` what it
  /// was made with.
  virtual void payload_left(std::span<const uint8_t> bytes, size_t format, uint32_t n,
                            const sim::PacketConfig& pins) = 0;

  const uint32_t rows_;
  Table chunks_, values_, status_, rows_again_;

 private:
  enum Came : size_t { kWhole, kFewerBeats, kFewerValues, kPart, kMoreHere, kMoreBeats, kNoValues };

  bool residual_of(const sim::Packet<Beat>& chunk) const {
    // Of RAW, too: what its pins asked for.
    return rows_ != 0 && chunk.config[facts_.residual_pin] != 0;
  }
  static Came came(const sim::Packet<Beat>& chunk, uint32_t n) {
    if (n == 0) return kNoValues;
    const uint64_t bytes = chunk.bytes(), announced = uint64_t{4} * n;
    const size_t beats = quant::rows_of(n);
    if (bytes == announced) return kWhole;
    if (chunk.beats.size() > beats) return kMoreBeats;
    if (bytes > announced) return kMoreHere;
    if (bytes % 4 != 0) return kPart;
    return chunk.beats.size() < beats ? kFewerBeats : kFewerValues;
  }
  void count_values(const sim::Packet<Beat>& packet, uint32_t n, bool residual) {
    size_t value = 0;
    for (const Beat& beat : packet.beats) {
      for (size_t lane = 0; lane < kLanes && value < n; ++lane, ++value) {
        const uint32_t word = beat.data[lane], exponent = word >> 23 & 0xFF;
        const bool fraction = (word & 0x7F'FFFF) != 0;
        const bool missing = valid_bytes(beat) < static_cast<int>(4 * lane + 4);
        const size_t kind = missing           ? 5
                            : exponent == 255 ? (fraction ? 4 : 3)
                            : exponent != 0   ? 2
                            : fraction        ? 1
                                              : 0;
        values_.hit(kind, lane, residual ? 1 : 0);
      }
    }
  }

  const QuantiserFacts& facts_;
  sim::PacketRef<Beat> before_;
};

class MxCoverage final : public QuantiserCoverage {
 public:
  explicit MxCoverage(uint32_t rows)
      : QuantiserCoverage(mx_facts(), rows),
        tails_("last block", "values of the last block x format",
               {{"values", numbers(1, 32)}, {"format", formats_of(mx_facts().methods, false)}}),
        elements_("elements", "what an element is x its sign x format",
                  {{"element", {"zero", "subnormal", "normal", "largest"}},
                   {"sign", {"+", "-"}},
                   {"format", formats_of(mx_facts().methods, false)}}),
        scales_("scales", "scale of a block x format x rule x its place in the packet",
                {{"scale", {"0", "1 and more", "poisoned"}},
                 {"format", formats_of(mx_facts().methods, false)},
                 {"rule", {"floor", "up"}},
                 {"block", {"first", "later"}}}) {}

  void shape(StreamTables& tables) const override {
    // Sizes of packets are those of whole blocks, or of RAW.
    std::set<std::pair<size_t, size_t>> sizes;
    for (size_t n = 0; n <= 16 * 32 * quant::kMxBlock; ++n) {
      for (const Method method : {Method::kMxfp8, Method::kMxfp4, Method::kRaw}) {
        if (n == 0 && method != Method::kRaw) continue;
        const size_t bytes = packet_bytes(method, n);
        const size_t beats = (bytes + kBeatBytes - 1) / kBeatBytes;
        sizes.insert({StreamTables::beats_class(static_cast<uint32_t>(beats)),
                      bytes - (beats - 1) * kBeatBytes});
      }
    }
    const Tails out = Tails::bytes(kBeatBytes, false);
    std::set<std::pair<size_t, size_t>> cells;
    for (const auto& [beats, bytes] : sizes) cells.insert({beats, out.of_bytes[bytes]});
    tables.packets_out[0].impossible("no packet of any format has so many bytes",
                                     [&cells](Table::At at) {
                                       return !cells.contains({at[0], at[1]});
                                     });
  }

  std::vector<const Table*> tables() const override {
    return {&chunks_, &tails_, &values_, &elements_, &scales_, &status_, &rows_again_};
  }

 protected:
  void payload_left(std::span<const uint8_t> bytes, size_t format, uint32_t n,
                    const sim::PacketConfig& pins) override {
    tails_.hit((n - 1) % quant::kMxBlock, format);
    const auto method = static_cast<Method>(bytes[0]);
    const bool wide = quant::mx_element_bits(method) == 8;
    const quant::MxElement& element = quant::mx_element(method);
    const size_t block_bytes = quant::mx_block_bytes(method);
    for (size_t at = quant::kHeaderBytes; at + block_bytes <= bytes.size() - quant::kStatusBytes;
         at += block_bytes) {
      const uint8_t scale = bytes[at];
      const size_t kind = scale == quant::kMxPoisoned ? 2 : scale == 0 ? 0 : 1;
      scales_.hit(kind, format, pins[1] & 1, at == quant::kHeaderBytes ? 0 : 1);
      if (kind == 2) continue;
      for (size_t i = 1; i < block_bytes; ++i) {
        const uint8_t byte = bytes[at + i];
        count_element(wide ? byte : byte & 0xF, element, format);
        if (!wide) count_element(byte >> 4, element, format);
      }
    }
  }

 private:
  /// Bytes of a packet of n values.
  static size_t packet_bytes(Method method, size_t n) {
    const size_t blocks = (n + quant::kMxBlock - 1) / quant::kMxBlock;
    const size_t payload = method == Method::kRaw ? 4 * n : blocks * quant::mx_block_bytes(method);
    return quant::kHeaderBytes + payload + quant::kStatusBytes;
  }
  void count_element(uint32_t code, const quant::MxElement& element, size_t format) {
    const uint32_t sign_bit = 1u << (element.exponent_bits + element.mantissa_bits);
    const uint32_t magnitude = code & (sign_bit - 1);
    const size_t kind = magnitude == 0                            ? 0
                        : magnitude < 1u << element.mantissa_bits ? 1
                        : magnitude < element.largest             ? 2
                                                                  : 3;
    elements_.hit(kind, (code & sign_bit) != 0 ? 1 : 0, format);
  }

  Table tails_, elements_, scales_;
};

/// Of formats that send some values only: mask code and Rice code.
class SparseCoverage : public QuantiserCoverage {
 public:
  SparseCoverage(const QuantiserFacts& facts, uint32_t rows)
      : QuantiserCoverage(facts, rows),
        groups_("groups", "how many of a group's values are sent, in mask code x format",
                {{"sent", numbers(0, 8)}, {"format", formats_of(facts.methods, false)}}),
        runs_("runs", "empty groups one after the other, in mask code x what ends them",
              {{"groups", {"1", "2 to 15", "16 to 255", "256"}},
               {"end", {"a group that sends", "the most", "the chunk's end"}}}),
        gaps_("gaps", "k of Rice code x what a gap is: q = gap >> k",
              {{"k", numbers(0, quant::kMaxRiceK)},
               {"gap", {"q = 0", "1 to 13", "14", "escape"}},
               {"leads to", {"an entry", "the end"}}}) {
    runs_.impossible("256 groups are the most, and no fewer are",
                     [](Table::At at) { return at[0] == 3 ? at[1] == 0 : at[1] == 1; });
  }

 protected:
  /// A value that is sent, of a packet in Rice code or not.
  virtual void entry(const PacketCode& code, Method method, bool rice) = 0;

  void payload_left(std::span<const uint8_t> bytes, size_t format, uint32_t n,
                    const sim::PacketConfig&) override {
    const auto method = static_cast<Method>(bytes[0]);
    for (const PacketCode& code : codes_of(bytes)) {
      switch (code.kind) {
        case PacketCode::kGroup:
          groups_.hit(code.count, format);
          break;
        case PacketCode::kRun: {
          groups_.hit(0, format);
          const size_t size = code.count == 1 ? 0 : code.count < 16 ? 1 : code.count < 256 ? 2 : 3;
          const bool all = code.first + code.count == quant::rows_of(n);
          runs_.hit(size, all ? 2 : size == 3 ? 1 : 0);
          break;
        }
        case PacketCode::kGap: {
          const size_t q = code.count >> (bytes[1] - 1);
          gaps_.hit(bytes[1] - 1u, q == 0 ? 0 : q < 14 ? 1 : q == 14 ? 2 : 3, code.last ? 1 : 0);
          break;
        }
        case PacketCode::kEntry:
          entry(code, method, bytes[1] != 0);
          break;
      }
    }
  }

  Table groups_, runs_, gaps_;
};

class ThresholdCoverage final : public SparseCoverage {
 public:
  explicit ThresholdCoverage(uint32_t rows)
      : SparseCoverage(threshold_facts(), rows),
        entries_("entries", "a value that is sent x its sign x coding",
                 {{"value", {"wgt", "bgt", "qgt m = 1", "m = 2 to 254", "m = 255"}},
                  {"sign", {"+", "-"}},
                  {"coding", {"mask", "rice"}}}) {
    entries_.impossible("WGT has no Rice code",
                        [](Table::At at) { return at[0] == 0 && at[2] == 1; });
  }

  std::vector<const Table*> tables() const override {
    return {&chunks_, &values_, &status_, &rows_again_, &groups_, &runs_, &gaps_, &entries_};
  }

 protected:
  void entry(const PacketCode& code, Method method, bool rice) override {
    entries_.hit(method == Method::kWgt   ? 0
                 : method == Method::kBgt ? 1
                 : code.count == 1        ? 2
                 : code.count < 255       ? 3
                                          : 4,
                 code.negative ? 1 : 0, rice ? 1 : 0);
  }

 private:
  Table entries_;
};

/// Mean of a side of a packet that has two, by magnitude.
float mean_in(std::span<const uint8_t> bytes, size_t side) {
  uint32_t word = 0;
  for (size_t i = 0; i < 4; ++i) word |= uint32_t{bytes[8 + 4 * side + i]} << 8 * i;
  return std::bit_cast<float>(word & 0x7FFF'FFFF);
}

class AdaptiveCoverage final : public SparseCoverage {
 public:
  explicit AdaptiveCoverage(uint32_t rows)
      : SparseCoverage(adaptive_facts(), rows),
        sides_("sides", "values that are sent of the positive side x of the negative one x coding",
               {{"positive", {"none", "1", "2 to 15", "16 and more"}},
                {"negative", {"none", "1", "2 to 15", "16 and more"}},
                {"coding", {"mask", "rice"}}}),
        means_("means", "mean of a side x side",
               {{"mean", {"zero", "subnormal", "below one", "one and more"}},
                {"side", {"positive", "negative"}}}) {
    // 3 c 2^k <= 2 n <= 8,192.
    gaps_.impossible("a value that is sent of at most 4,096 makes k at most 11, none makes it 14",
                     [](Table::At at) { return at[0] == 12 || at[0] == 13; });
    gaps_.impossible("nothing is sent: one gap, of less than 2^14",
                     [](Table::At at) { return at[0] == 14 && !(at[1] == 0 && at[2] == 1); });
    gaps_.impossible("a gap of less than 4,096 has no such q",
                     [](Table::At at) { return at[0] >= 9 && at[0] < 12 && at[1] >= 2; });
  }

  std::vector<const Table*> tables() const override {
    return {&chunks_, &values_, &status_, &rows_again_, &groups_, &runs_, &gaps_, &sides_, &means_};
  }

 protected:
  void payload_left(std::span<const uint8_t> bytes, size_t format, uint32_t n,
                    const sim::PacketConfig& pins) override {
    sent_ = {};
    SparseCoverage::payload_left(bytes, format, n, pins);
    const auto kind = [](size_t sent) { return sent < 2 ? sent : sent < 16 ? 2u : 3u; };
    sides_.hit(kind(sent_[0]), kind(sent_[1]), bytes[1] != 0 ? 1 : 0);
    for (size_t side = 0; side < 2; ++side) {
      const float mean = mean_in(bytes, side);
      means_.hit(mean == 0 ? 0 : mean < 0x1p-126f ? 1 : mean < 1 ? 2 : 3, side);
    }
  }
  void entry(const PacketCode& code, Method, bool) override { ++sent_[code.negative ? 1 : 0]; }

 private:
  Table sides_, means_;
  std::array<size_t, 2> sent_{};  // of the packet
};

class OneBitCoverage final : public QuantiserCoverage {
 public:
  explicit OneBitCoverage(uint32_t rows)
      : QuantiserCoverage(onebit_facts(), rows),
        sides_(
            "sides", "values above and below zero x the chunk's last group",
            {{"sides", {"both", "positive alone", "negative alone"}}, {"values", numbers(1, 8)}}),
        means_("means", "mean of a side x side",
               {{"mean", {"zero", "below one", "one and more", "the largest"}},
                {"side", {"positive", "negative"}}}) {}

  std::vector<const Table*> tables() const override {
    return {&chunks_, &values_, &status_, &rows_again_, &sides_, &means_};
  }

 protected:
  void payload_left(std::span<const uint8_t> bytes, size_t, uint32_t n,
                    const sim::PacketConfig&) override {
    size_t positive = 0;
    for (const uint8_t byte : bytes.subspan(quant::kHeaderBytes, quant::rows_of(n))) {
      positive += static_cast<size_t>(std::popcount(unsigned{byte}));
    }
    sides_.hit(positive == n ? 1 : positive == 0 ? 2 : 0, (n - 1) % quant::kLanes);
    for (size_t side = 0; side < 2; ++side) {
      const float mean = mean_in(bytes, side);
      // Q is at most 2^40 - 1: 256 less one part of 2^40, which is 256 in binary32.
      means_.hit(mean == 0 ? 0 : mean < 1 ? 1 : mean < 256 ? 2 : 3, side);
    }
  }

 private:
  Table sides_, means_;
};

class DequantizerCoverage final : public sim::coverage::Family<Beat> {
 public:
  DequantizerCoverage()
      : formats_("formats", "format and coding of a packet x its last group x status",
                 {{"format", kinds()},
                  {"values", numbers(1, 8)},
                  {"status", {"zero", "of the encoder", "of the port", "both"}}}),
        malformed_("malformed", "why a packet is malformed x its format and coding",
                   {{"reason", reasons()}, {"format", kinds_and_none()}}),
        found_("found", "the beat that an error stands in place of x reason",
               {{"beat", {"first", "later", "last"}}, {"reason", {"payload", "status"}}}),
        behind_("behind", "a packet x the one behind it: the decoder begins anew",
                {{"packet", {"good", "malformed"}}, {"behind it", {"good", "malformed"}}}) {
    malformed_.impossible("there is no format in it",
                          [](Table::At at) { return (at[0] < 2) != (at[1] == kinds().size()); });
    malformed_.impossible("a coding that there is not is of no format's Rice code",
                          [](Table::At at) { return at[0] == 2 && is_rice(at[1]); });
    malformed_.impossible("it has neither T nor means: what is there is reserved",
                          [](Table::At at) { return at[0] == 6 && !has_floats(at[1]); });
    found_.impossible("status is the last thing that is looked at",
                      [](Table::At at) { return at[1] == 1 && at[0] != 2; });
  }

  Tails tails(bool input, size_t) const override { return Tails::bytes(kBeatBytes, input); }
  void arrived(size_t, const sim::PacketRef<Beat>&) override {}
  void left(const sim::Passage&, const sim::Packet<Beat>& packet) override {
    const sim::Packet<Beat>& source = *packet.source;
    const std::vector<uint8_t> bytes = sim::bytes_of(source);
    std::vector<float> values;
    const quant::Decoded d = quant::decode_groups(bytes, source.config[0], values);
    const bool bad = !d.ok();
    if (any_) behind_.hit(before_ ? 1 : 0, bad ? 1 : 0);
    any_ = true;
    before_ = bad;
    const size_t kind = d.reason == quant::Reason::kShort || d.reason == quant::Reason::kFormat
                            ? kinds().size()
                            : kind_of(d);
    if (!bad) {
      const size_t status = (d.status != 0 ? 1 : 0) + (source.beats.back().user != 0 ? 2 : 0);
      formats_.hit(kind, (d.n - 1) % quant::kLanes, status);
      return;
    }
    malformed_.hit(static_cast<size_t>(d.reason) - 1, kind);
    if (d.reason < quant::Reason::kPayload) return;
    const size_t group = values.size() / quant::kLanes;
    found_.hit(group + 1 == quant::rows_of(d.n) ? 2
               : group == 0                     ? 0
                                                : 1,
               d.reason == quant::Reason::kStatus ? 1 : 0);
  }
  std::vector<const Table*> tables() const override {
    return {&formats_, &malformed_, &found_, &behind_};
  }

 private:
  static constexpr size_t kRices = 3;
  /// Methods, then those in Rice code.
  static std::vector<std::string> kinds() {
    std::vector<std::string> names;
    for (size_t i = 0; i < quant::kMethods; ++i) {
      names.emplace_back(quant::method_name(static_cast<Method>(i)));
    }
    for (const char* rice : {"bgt rice", "qgt rice", "adaptive rice"}) names.emplace_back(rice);
    return names;
  }
  static std::vector<std::string> kinds_and_none() {
    std::vector<std::string> names = kinds();
    names.emplace_back("none");
    return names;
  }
  static std::vector<std::string> reasons() {
    std::vector<std::string> names;
    for (size_t i = 1; i < quant::kReasons; ++i) {
      names.emplace_back(quant::reason_name(static_cast<quant::Reason>(i)));
    }
    return names;
  }
  static bool is_rice(size_t kind) {
    return kind >= quant::kMethods && kind < quant::kMethods + kRices;
  }
  static bool has_floats(size_t kind) {
    if (kind >= quant::kMethods) return is_rice(kind);
    const auto method = static_cast<Method>(kind);
    return quant::is_threshold(method) || quant::has_means(method);
  }
  static size_t kind_of(const quant::Decoded& d) {
    if (d.k < 0) return static_cast<size_t>(d.method);
    return quant::kMethods + (d.method == Method::kBgt ? 0 : d.method == Method::kQgt ? 1 : 2);
  }

  Table formats_, malformed_, found_, behind_;
  bool any_ = false, before_ = false;
};

}  // namespace

std::unique_ptr<sim::coverage::Family<Beat>> dequantizer_coverage() {
  return std::make_unique<DequantizerCoverage>();
}

std::unique_ptr<sim::coverage::Family<Beat>> quantiser_coverage(const QuantiserFacts& facts,
                                                                uint32_t rows) {
  switch (facts.methods.front()) {
    case Method::kOneBit:
      return std::make_unique<OneBitCoverage>(rows);
    case Method::kMxfp8:
      return std::make_unique<MxCoverage>(rows);
    case Method::kAdaptive:
      return std::make_unique<AdaptiveCoverage>(rows);
    default:
      return std::make_unique<ThresholdCoverage>(rows);
  }
}

}  // namespace gw::testbenches
