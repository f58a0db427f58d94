#include "testbenches/quant/coverage.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <utility>
#include <vector>

#include "models/reference/quant/packet.h"
#include "testbenches/quant/ports.h"

namespace gw::testbenches {
namespace {

namespace quant = reference::quant;
using sim::coverage::Axis;
using sim::coverage::numbers;
using sim::coverage::StreamTables;
using sim::coverage::Table;
using sim::coverage::Tails;

enum MxFormat : size_t { kMx8, kMx4, kMxRaw };
std::vector<std::string> mx_formats() { return {"mxfp8", "mxfp4", "raw"}; }
MxFormat mx_format(uint8_t byte) {
  return byte == static_cast<uint8_t>(quant::Method::kMxfp8)   ? kMx8
         : byte == static_cast<uint8_t>(quant::Method::kMxfp4) ? kMx4
                                                               : kMxRaw;
}

/// Bytes of a packet of n values.
size_t mx_packet_bytes(MxFormat format, size_t n) {
  const size_t blocks = (n + quant::kMxBlock - 1) / quant::kMxBlock;
  const size_t payload = format == kMx8   ? blocks * (1 + quant::kMxBlock)
                         : format == kMx4 ? blocks * (1 + quant::kMxBlock / 2)
                                          : 4 * n;
  return quant::kHeaderBytes + payload + quant::kStatusBytes;
}

class MxCoverage final : public sim::coverage::Family<Beat> {
 public:
  explicit MxCoverage(uint32_t rows)
      : rows_(rows),
        chunks_("chunks",
                "format of the packet x residuals x what came, beside what was announced: fewer "
                "beats, fewer values in the last one, a part of a float, too many bytes in the "
                "last beat, too many beats; no values announced",
                {{"format", mx_formats()},
                 {"residual", {"off", "on"}},
                 {"came",
                  {"as announced", "fewer beats", "fewer values", "part of a float",
                   "more in the last beat", "more beats", "n = 0"}}}),
        tails_("last block", "values of the last block x format",
               {{"values", numbers(1, 32)}, {"format", {"mxfp8", "mxfp4"}}}),
        values_("values", "what a lane holds x lane x residuals",
                {{"value", {"zero", "subnormal", "normal", "infinity", "NaN", "missing"}},
                 {"lane", numbers(0, 7)},
                 {"residual", {"off", "on"}}}),
        elements_("elements", "what an element is x its sign x format",
                  {{"element", {"zero", "subnormal", "normal", "largest"}},
                   {"sign", {"+", "-"}},
                   {"format", {"mxfp8", "mxfp4"}}}),
        scales_("scales", "scale of a block x format x its place in the packet",
                {{"scale", {"0", "1 and more", "poisoned"}},
                 {"format", {"mxfp8", "mxfp4"}},
                 {"block", {"first", "later"}}}),
        status_("status", "status byte x format",
                {{"status", numbers(0, quant::kStatusBits)}, {"format", mx_formats()}}),
        rows_again_("rows again",
                    "a chunk begins at the rows of the one before: in how many cycles",
                    {{"gap", {"in the next cycle", "in 2 to 16", "later"}},
                     {"beats", {"1", "2 to 4", "5 and more"}}}) {
    chunks_.impossible("n = 0 leaves as RAW",
                       [](Table::At at) { return at[0] != kMxRaw && at[2] == kNoValues; });
    chunks_.impossible("without residuals only n = 0 leaves as RAW", [](Table::At at) {
      return at[0] == kMxRaw && at[1] == 0 && at[2] != kNoValues;
    });
    status_.impossible("n = 0 is said in status bit 1; RAW of more values needs residuals",
                       [rows](Table::At at) {
                         return rows == 0 && at[1] == kMxRaw && (at[0] & quant::kStatusLength) == 0;
                       });
    if (rows_ != 0) return;
    for (Table* const table : {&chunks_, &values_}) {
      const size_t axis = table == &chunks_ ? 1 : 2;
      table->impossible("there is no residual memory",
                        [axis](Table::At at) { return at[axis] != 0; });
    }
    rows_again_.impossible("there is no residual memory", [](Table::At) { return true; });
  }

  Tails tails(bool input, size_t) const override { return Tails::bytes(kBeatBytes, input); }
  void shape(StreamTables& tables) const override {
    // Sizes of packets are those of whole blocks, or of RAW.
    std::set<std::pair<size_t, size_t>> sizes;
    for (size_t n = 0; n <= 16 * 32 * quant::kMxBlock; ++n) {
      for (const MxFormat format : {kMx8, kMx4, kMxRaw}) {
        if (n == 0 && format != kMxRaw) continue;
        if (rows_ == 0 && n != 0 && format == kMxRaw) continue;
        const size_t bytes = mx_packet_bytes(format, n);
        const size_t beats = (bytes + kBeatBytes - 1) / kBeatBytes;
        sizes.insert({StreamTables::beats_class(static_cast<uint32_t>(beats)),
                      bytes - (beats - 1) * kBeatBytes});
      }
    }
    const Tails out = tails_of_output();
    std::set<std::pair<size_t, size_t>> cells;
    for (const auto& [beats, bytes] : sizes) cells.insert({beats, out.of_bytes[bytes]});
    tables.packets_out[0].impossible("no packet of any format has so many bytes",
                                     [&cells](Table::At at) {
                                       return !cells.contains({at[0], at[1]});
                                     });
  }

  void arrived(size_t, const sim::PacketRef<Beat>& packet) override {
    const Beat& first = packet->beats.front();
    const bool residual = packet->config[1] != 0 && rows_ != 0;
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
    const MxFormat format = mx_format(bytes.front());
    const bool residual = chunk.config[1] != 0 && rows_ != 0;
    chunks_.hit(format, residual ? 1 : 0, came(chunk, n));
    status_.hit(bytes.back() & quant::kStatusBits, format);
    if (format == kMxRaw) return;
    tails_.hit((n - 1) % quant::kMxBlock, format);
    const size_t element_bytes = quant::kMxBlock / (format == kMx8 ? 1 : 2);
    for (size_t at = quant::kHeaderBytes; at + element_bytes < bytes.size();
         at += 1 + element_bytes) {
      const uint8_t scale = bytes[at];
      const size_t kind = scale == quant::kMxPoisoned ? 2 : scale == 0 ? 0 : 1;
      scales_.hit(kind, format, at == quant::kHeaderBytes ? 0 : 1);
      if (kind == 2) continue;
      for (size_t i = 1; i <= element_bytes; ++i) {
        const uint8_t byte = bytes[at + i];
        if (format == kMx8) {
          count_element(byte & 0x7F, byte >> 7, 8, 0x7E, format);
        } else {
          count_element(byte & 7, byte >> 3 & 1, 2, 7, format);
          count_element(byte >> 4 & 7, byte >> 7, 2, 7, format);
        }
      }
    }
  }
  std::vector<const Table*> tables() const override {
    return {&chunks_, &tails_, &values_, &elements_, &scales_, &status_, &rows_again_};
  }

 private:
  enum Came : size_t { kWhole, kFewerBeats, kFewerValues, kPart, kMoreHere, kMoreBeats, kNoValues };

  static Tails tails_of_output() { return Tails::bytes(kBeatBytes, false); }

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
  void count_element(uint32_t magnitude, uint32_t sign, uint32_t first_normal, uint32_t largest,
                     MxFormat format) {
    const size_t kind = magnitude == 0             ? 0
                        : magnitude < first_normal ? 1
                        : magnitude < largest      ? 2
                                                   : 3;
    elements_.hit(kind, sign, format);
  }

  const uint32_t rows_;
  Table chunks_, tails_, values_, elements_, scales_, status_, rows_again_;
  sim::PacketRef<Beat> before_;
};

}  // namespace

std::unique_ptr<sim::coverage::Family<Beat>> mx_coverage(uint32_t rows) {
  return std::make_unique<MxCoverage>(rows);
}

}  // namespace gw::testbenches
