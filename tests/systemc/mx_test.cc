// The microscaling quantiser's core: bytes worked out by hand, the contract rule by rule, and every
// cycle against the contract's transcription, which is then broken in every rule.
// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/mx.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <string>

#include "tests/sanitized.h"
#include "tests/systemc/bench.h"
#include "tests/systemc/mx_contract.h"
#include "tests/systemc/mx_stimulus.h"

namespace gw::systemc::mx_test {
namespace {

using mx_spec::Bytes;

constexpr uint32_t kOne = 0x3F80'0000;
constexpr uint32_t kInf = 0x7F80'0000;
constexpr uint32_t kQuietNan = 0x7FC0'0000;
constexpr MxConfig kFp8{.format = MxConfig::kE4m3}, kFp4{.format = MxConfig::kE2m1};
constexpr MxConfig kE5{.format = MxConfig::kE5m2};
constexpr MxConfig kFp8Residual{.format = MxConfig::kE4m3, .residual = true};
constexpr MxConfig kFp4Residual{.format = MxConfig::kE2m1, .residual = true};
constexpr MxConfig kE5Residual{.format = MxConfig::kE5m2, .residual = true};

uint32_t bits_of(float value) { return std::bit_cast<uint32_t>(value); }

struct MxBench : Bench<Mx> {
  explicit MxBench(uint32_t rows, MxConfig config = {}) : Bench(rows, config), rows(rows) {}

  /// Until it can take a beat: then the first one is accepted in cycle begin().
  uint64_t begin() const { return std::max(rows, 1u); }

  struct Packet {
    Bytes bytes;
    bool user;
    uint64_t first, last;  // the cycles in which its beats left
  };
  /// What has left; every beat as the contract wants it.
  std::vector<Packet> packets() const {
    std::vector<Packet> all;
    bool within = false;
    for (const Departure& d : left) {
      if (!within) all.push_back({{}, false, d.cycle, d.cycle});
      const int bytes = bytes_of_keep(d.beat.keep);
      EXPECT_EQ(d.beat.keep, keep_of_bytes(bytes));
      std::array<uint8_t, kBeatBytes> data;
      std::memcpy(data.data(), d.beat.data.data(), kBeatBytes);
      for (int i = bytes; i < kBeatBytes; ++i) EXPECT_EQ(data[i], 0) << "behind the end";
      if (d.beat.last == 0) {
        EXPECT_EQ(d.beat.keep, kKeepAll);
        EXPECT_EQ(d.beat.user, 0);
      }
      all.back().bytes.insert(all.back().bytes.end(), data.begin(), data.begin() + bytes);
      all.back().user = d.beat.user != 0;
      all.back().last = d.cycle;
      within = d.beat.last == 0;
    }
    EXPECT_FALSE(within);
    return all;
  }

  /// Sends one packet to an idle device; what leaves.
  Packet one(const std::vector<Beat>& beats, MxConfig config) {
    device.configure(config);
    left.clear();
    send(beats);
    drain();
    const auto all = packets();
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? Packet{} : all.front();
  }

  uint32_t rows;
};

Bytes header(uint8_t format, uint32_t n) {
  Bytes bytes(16);
  bytes[0] = format;
  bytes[4] = static_cast<uint8_t>(n);
  bytes[5] = static_cast<uint8_t>(n >> 8);
  bytes[6] = static_cast<uint8_t>(n >> 16);
  return bytes;
}

/// `block`, padded with zeros to `size` behind a header, and a status.
Bytes expected(uint8_t format, uint32_t n, Bytes block, size_t size, uint8_t status) {
  Bytes bytes = header(format, n);
  block.resize(size);
  bytes.insert(bytes.end(), block.begin(), block.end());
  bytes.push_back(status);
  return bytes;
}

// ---------------------------------------------------------------- bytes

// 448 = 1.75 x 2^8, the largest of E4M3: its exponent field is 135, so the scale is 127, that is 1,
// and elements are the values.
TEST(Mx, Fp8ByHand) {
  const Values values = {
      bits_of(448.0F),          // 1111.110
      bits_of(1.0F),            // 0111.000
      bits_of(-1.0F),           // and a sign
      bits_of(0.015625F),       // 2^-6, the least normal: 0001.000
      bits_of(0.001953125F),    // 2^-9, the least subnormal: 0000.001
      bits_of(-0.0009765625F),  // 2^-10, half of it: to the even 0, with its sign
      bits_of(0.0029296875F),   // 1.5 x 2^-9: to the even 0000.010
      bits_of(0.0F),
      bits_of(1.0625F),  // halfway to 1.125: to the even 1
      bits_of(1.1875F),  // halfway from 1.125 to 1.25: to the even 1.25, 0111.010
      bits_of(std::nextafter(1.0625F, 2.0F)),  // 1.125, 0111.001
      bits_of(464.0F),                         // halfway to what E4M3 has no code for: 448
      bits_of(511.0F),                         // beyond: 448
      0x8000'0000,
      bits_of(0.0136718750F),  // 7 x 2^-9, the largest subnormal: 0000.111
      bits_of(0.0146484375F),  // 7.5 x 2^-9: to the even 0001.000
  };
  MxBench bench(0);
  const auto packet = bench.one(mx_packet(values), kFp8);
  EXPECT_EQ(packet.bytes, expected(6, 16,
                                   {127, 0x7E, 0x38, 0xB8, 0x08, 0x01, 0x80, 0x02, 0x00, 0x38, 0x3A,
                                    0x39, 0x7E, 0x7E, 0x80, 0x07, 0x08},
                                   33, 0));
  EXPECT_FALSE(packet.user);
}

// 6 = 1.5 x 2^2, field 129: scale 127.
TEST(Mx, Fp4ByHand) {
  const Values values = {
      bits_of(6.0F),    // 7
      bits_of(-4.0F),   // 6, with its sign 14
      bits_of(3.0F),    // 5
      bits_of(1.0F),    // 2
      bits_of(0.5F),    // 1
      bits_of(-0.25F),  // halfway to 0.5: to the even 0, with its sign 8
      bits_of(0.75F),   // halfway from 0.5 to 1: to the even 2
      bits_of(1.25F),   // halfway from 1 to 1.5: to the even 2
      bits_of(1.75F),   // halfway from 1.5 to 2: to the even 4
      bits_of(5.0F),    // halfway from 4 to 6: to the even 6
      bits_of(7.5F),    // beyond 6: 7
  };
  MxBench bench(0);
  const auto packet = bench.one(mx_packet(values), kFp4);
  EXPECT_EQ(packet.bytes, expected(7, 11, {127, 0xE7, 0x25, 0x81, 0x22, 0x64, 0x07}, 17, 0));
}

// 57344 = 1.75 x 2^15, field 142: scale 127.
TEST(Mx, E5m2ByHand) {
  const Values values = {
      bits_of(57344.0F),       // 11110.11
      bits_of(1.0F),           // 01111.00
      bits_of(-1.0F),          // and a sign
      bits_of(0x1p-14F),       // the least normal: 00001.00
      bits_of(0x1p-16F),       // the least subnormal: 00000.01
      bits_of(-0x1p-17F),      // half of it: to the even 0, with its sign
      bits_of(0x1.8p-16F),     // to the even 00000.10
      bits_of(1.125F),         // halfway to 1.25: to the even 1
      bits_of(1.375F),         // halfway from 1.25 to 1.5: to the even 1.5, 01111.10
      bits_of(0x1.200002p0F),  // 1.25, 01111.01
      bits_of(61440.0F),       // halfway to what would be infinite: 57344
      bits_of(-65504.0F),      // beyond: -57344
      bits_of(0x1.cp-15F),  // 3.5 units, halfway from the largest subnormal: to the even 00001.00
  };
  MxBench bench(8);
  const Bytes block = {127,  0x7B, 0x3C, 0xBC, 0x04, 0x01, 0x80,
                       0x02, 0x3C, 0x3E, 0x3D, 0x7B, 0xFB, 0x04};
  EXPECT_EQ(bench.one(mx_packet(values), kE5).bytes, expected(8, 13, block, 33, 0));
  // 61440 leaves 4096: field 139, scale 124; 2^15.
  EXPECT_EQ(bench.one(mx_packet({bits_of(61440.0F)}, 1, 2), kE5Residual).bytes,
            expected(8, 1, {127, 0x7B}, 33, 0));
  EXPECT_EQ(bench.one(mx_packet({0}, 1, 2), kE5Residual).bytes, expected(8, 1, {124, 0x78}, 33, 0));
}

// Up: what is no larger than the largest element keeps the scale, what is one ulp above does not.
TEST(Mx, ScaleUpByHand) {
  MxBench bench(8);
  const auto scale = [&](MxConfig config, const Values& values) {
    config.up = true;
    return int{bench.one(mx_packet(values), config).bytes[16]};
  };
  EXPECT_EQ(scale(kFp8, {bits_of(448.0F), bits_of(-1.0F)}), 127);
  EXPECT_EQ(scale(kFp8, {bits_of(-448.0F) + 1, bits_of(1.0F)}), 128);
  EXPECT_EQ(scale(kFp4, {bits_of(6.0F)}), 127);
  EXPECT_EQ(scale(kFp4, {bits_of(6.0F) + 1}), 128);
  EXPECT_EQ(scale(kE5, {bits_of(57344.0F)}), 127);
  EXPECT_EQ(scale(kE5, {bits_of(57344.0F) + 1}), 128);
  // Values that are not the largest do not count, nor poisoned blocks; small ones stay at 0.
  EXPECT_EQ(scale(kFp8, {bits_of(256.0F), bits_of(255.0F)}), 127);
  EXPECT_EQ(scale(kFp8, {kInf, bits_of(511.0F)}), 255);
  EXPECT_EQ(scale(kFp8, {8u << 23, 0}), 0);
  EXPECT_EQ(scale(kFp8, {8u << 23 | 0x60'0001}), 1);
  EXPECT_EQ(scale(kFp8, {7u << 23 | 0x7F'FFFF, 1}), 0);
  // In the last binade all is as with floor: 2^8 x 2^120 would be infinite.
  EXPECT_EQ(scale(kFp8, {0x7F7F'FFFF}), 246);
  EXPECT_EQ(scale(kFp4, {0x7F7F'FFFF}), 252);
  EXPECT_EQ(scale(kE5, {0xFF7F'FFFF}), 239);
  EXPECT_EQ(scale(kE5, {0x7EFF'FFFF}), 239);
  // 7.5 under 128 is 3.75: to the even 4, so that less than nothing is left.
  MxConfig up = kFp4Residual;
  up.up = true;
  EXPECT_EQ(bench.one(mx_packet({bits_of(7.5F)}, 1, 1), up).bytes,
            expected(7, 1, {128, 0x6}, 17, 0));
  EXPECT_EQ(bench.one(mx_packet({0}, 1, 1), up).bytes, expected(7, 1, {124, 0xE}, 17, 0));
}

// The scale is the largest field less 8 (2), and not below 0; the second block has its own.
TEST(Mx, ScalesByHand) {
  MxBench bench(0);
  Values values(33, 0);
  values[0] = bits_of(0x1p127F);  // field 254
  values[32] = bits_of(-0x1p-126F);
  auto packet = bench.one(mx_packet(values), kFp8);
  Bytes want = header(6, 33);
  want.resize(16 + 33 + 33 + 1);
  want[16] = 246, want[17] = 0x78;  // 2^8
  want[49] = 0, want[50] = 0xC0;    // 2^-126 x 2^127 = 2
  EXPECT_EQ(packet.bytes, want);

  packet = bench.one(mx_packet(values), kFp4);
  want = header(7, 33);
  want.resize(16 + 17 + 17 + 1);
  want[16] = 252, want[17] = 0x6;  // 2^2
  want[33] = 0, want[34] = 0xC;    // 2
  EXPECT_EQ(packet.bytes, want);

  // Field 8 (2) is the last that is below: its values are scaled by 2^127 also.
  packet = bench.one(mx_packet({8u << 23, 1}), kFp8);  // 2^-119, 2^-149
  EXPECT_EQ(packet.bytes, expected(6, 2, {0, 0x78, 0x00}, 33, 0));
  packet = bench.one(mx_packet({9u << 23, 0x0000'2000}), kFp8);  // scale 1: 2^8, 2^-136 x 2^126
  EXPECT_EQ(packet.bytes, expected(6, 2, {1, 0x78, 0x00}, 33, 0));
  packet = bench.one(mx_packet({0x0000'2000, 0x0000'6000}), kFp8);  // 2^-9, 3 x 2^-9
  EXPECT_EQ(packet.bytes, expected(6, 2, {0, 0x01, 0x03}, 33, 0));
}

/// r' of 1 + 2^-5 is 2^-5 in MXFP8: what the next packet of zeros must bring, at scale 114.
constexpr uint32_t kWithRest = 0x3F84'0000;
const Bytes kRest = {114, 0x78};

TEST(Mx, ResidualsByHand) {
  MxBench bench(8);
  EXPECT_EQ(bench.one(mx_packet({kWithRest}, 1, 3), kFp8Residual).bytes,
            expected(6, 1, {119, 0x78}, 33, 0));
  EXPECT_EQ(bench.one(mx_packet({0}, 1, 3), kFp8Residual).bytes, expected(6, 1, kRest, 33, 0));
  // 2^-5 was sent whole; nothing is left. A difference is never -0: no sign.
  EXPECT_EQ(bench.one(mx_packet({0}, 1, 3), kFp8Residual).bytes, expected(6, 1, {0}, 33, 0));

  // 6.5 saturates in MXFP4 (field 129, scale 127): 6, and 0.5 is left; of -0.2, which becomes -0,
  // all is.
  EXPECT_EQ(bench.one(mx_packet({bits_of(6.5F), bits_of(-0.2F)}, 2, 7), kFp4Residual).bytes,
            expected(7, 2, {127, 0x87}, 17, 0));
  EXPECT_EQ(bench.one(mx_packet({0, 0}, 2, 7), kFp4Residual).bytes,
            expected(7, 2, {124, 0xB6}, 17, 0));  // 0.5 / 2^-3 = 4, -1.6 becomes -1.5
  // Without residuals the memory is neither read nor written: the last of -0.2 is still there,
  // -0.2 + 1.5/8 = -0.0125 = -1.6 x 2^-7, field 120, scale 118: -6.4, that is -6.
  EXPECT_EQ(bench.one(mx_packet({kOne, kOne}, 2, 7), kFp4).bytes,
            expected(7, 2, {125, 0x66}, 17, 0));
  EXPECT_EQ(bench.one(mx_packet({0, 0}, 2, 7), kFp4Residual).bytes,
            expected(7, 2, {118, 0xF0}, 17, 0));
}

TEST(Mx, RawByHand) {
  MxBench bench(8);
  const Values values = {kOne, 0x8000'0000, 0x1234'5678};
  Bytes want = header(0, 3);
  for (const uint32_t v : values) {
    for (int b = 0; b < 4; ++b) want.push_back(static_cast<uint8_t>(v >> (8 * b)));
  }
  want.push_back(0);
  EXPECT_EQ(bench.one(mx_packet(values, 3, 8), kFp8Residual).bytes, want);
  EXPECT_EQ(bench.one(mx_packet(values, 3, 0xFF'FFFF), kFp4Residual).bytes, want);
  EXPECT_EQ(bench.device.raw_count(), 2u);
  // With its residuals off it needs no rows.
  EXPECT_EQ(bench.one(mx_packet(values, 3, 8), kFp8).bytes[0], 6);
  EXPECT_EQ(bench.one(mx_packet(values, 3, 7), kFp8Residual).bytes[0], 6);
  EXPECT_EQ(bench.device.raw_count(), 2u);

  // A format that there is not, whatever the rest says.
  for (const bool residual : {false, true}) {
    EXPECT_EQ(
        bench.one(mx_packet(values, 3, 1), {.format = 3, .up = true, .residual = residual}).bytes,
        want);
  }
  EXPECT_EQ(bench.device.raw_count(), 4u);
  EXPECT_EQ(bench.one(mx_packet({0}, 1, 1), kFp8Residual).bytes[16], 0);  // nothing was left

  // By length, too: 65 values are nine rows.
  EXPECT_EQ(bench.one(mx_packet(Values(65), 65, 0), kFp8Residual).bytes[0], 0);
  EXPECT_EQ(bench.one(mx_packet(Values(64), 64, 0), kFp8Residual).bytes[0], 6);
  EXPECT_EQ(bench.one(mx_packet(Values(64), 64, 1), kFp8Residual).bytes[0], 0);

  // A device without a memory takes residual_i for 0.
  MxBench none(0);
  EXPECT_EQ(none.one(mx_packet(values, 3, 8), kFp8Residual).bytes[0], 6);
}

TEST(Mx, NothingAnnounced) {
  MxBench bench(8);
  Bytes want = header(0, 0);
  want.push_back(2);
  std::vector<Beat> null_beat = mx_packet({}, 0);
  EXPECT_EQ(bench.one(null_beat, kFp8).bytes, want);
  EXPECT_EQ(bench.one(mx_packet({kInf, kInf}, 0), kFp8Residual).bytes, want);
  EXPECT_EQ(bench.one(mx_packet(Values(40, kInf), 0), kFp4).bytes, want);
  EXPECT_EQ(bench.device.raw_count(), 3u);
}

TEST(Mx, StatusBits) {
  MxBench bench(8);
  const auto status = [&](const std::vector<Beat>& beats, MxConfig config) {
    const auto packet = bench.one(beats, config);
    EXPECT_EQ(packet.user, (packet.bytes.back() & 4) != 0);
    return int{packet.bytes.back()};
  };
  for (const MxConfig config : {kFp8, kFp4, kFp8Residual, kFp4Residual, kE5Residual}) {
    for (const uint32_t row : {0u, 100u}) {  // MX, or RAW if residuals are on
      for (const uint32_t n : {1u, 8u, 9u, 31u, 32u, 40u}) {
        const Values v(n, kOne);
        Values bad = v, longer = v, shorter = v;
        bad[n - 1] = kInf;
        longer.push_back(kInf);  // at n: it does not count
        shorter.pop_back();
        EXPECT_EQ(status(mx_packet(v, n, row), config), 0);
        EXPECT_EQ(status(mx_packet(bad, n, row), config), 1);
        EXPECT_EQ(status(mx_packet(longer, n, row), config), 2);
        EXPECT_EQ(status(mx_packet(shorter, n, row), config), 2);
        EXPECT_EQ(status(mx_packet(v, n, row, true), config), 4);
        EXPECT_EQ(status(mx_packet(Values(n + 20, kOne), n, row, true), config), 6);
        bad.resize(n + 20);
        EXPECT_EQ(status(mx_packet(bad, n, row, true), config), 7);
        // A value of which bytes are missing is missing, whatever the others are.
        auto cut = mx_packet(bad, n, row);
        cut.resize((n + 7) / 8);
        cut.back().last = 1;
        cut.back().keep = keep_of_bytes(static_cast<int>(4 * ((n - 1) % 8) + 3));
        EXPECT_EQ(status(cut, config), 2);
      }
    }
  }
  EXPECT_NE(bench.device.error_count(), 0u);
}

// g + r overflows: v = r, the block is not poisoned.
TEST(Mx, SumsThatOverflowKeepTheResidual) {
  MxBench bench(8);
  const uint32_t huge = 0x7F7F'FFFF;  // 2^128 - 2^104, saturates at 1.75 x 2^127
  EXPECT_EQ(bench.one(mx_packet({huge}, 1, 0), kFp8Residual).bytes,
            expected(6, 1, {246, 0x7E}, 33, 0));
  EXPECT_EQ(bench.one(mx_packet({huge, kOne}, 2, 0), kFp8Residual).bytes,
            expected(6, 2, {243, 0x7E}, 33, 1));  // 2^125 - 2^104, field 251, saturates
}

TEST(Mx, PoisonedBlocksKeepResiduals) {
  for (const uint32_t bad : {kInf, 0xFF80'0000u, kQuietNan, 0x7F80'0001u}) {
    MxBench bench(8);
    Values values(64, kWithRest);
    bench.one(mx_packet(values, 64, 0), kFp8Residual);
    Values poison(64, 0);
    poison[37] = bad;  // of the second block
    const auto packet = bench.one(mx_packet(poison, 64, 0), kFp8Residual);
    Bytes want = header(6, 64);
    want.push_back(114);
    want.resize(49, 0x78);
    want.push_back(255);
    want.resize(82);
    want.push_back(1);
    EXPECT_EQ(packet.bytes, want);
    // The first block's are spent, the second's are still there.
    const auto after = bench.one(mx_packet(Values(64), 64, 0), kFp8Residual);
    want = header(6, 64);
    want.resize(49);
    want.push_back(114);
    want.resize(82, 0x78);
    want.push_back(0);
    EXPECT_EQ(after.bytes, want);
  }
}

TEST(Mx, MissingValuesAndLanesAboveKeepResiduals) {
  MxBench bench(8);
  bench.one(mx_packet(Values(24, kWithRest), 24, 2), kFp8Residual);
  // Announces 20, brings 9 and three bytes: 9 to 19 are missing, 20 to 23 are above.
  auto beats = mx_packet(Values(10, 0), 20, 2);
  beats.back().keep = keep_of_bytes(7);
  Bytes block = {114};
  block.resize(10, 0x78);
  EXPECT_EQ(bench.one(beats, kFp8Residual).bytes, expected(6, 20, block, 33, 2));
  block.assign(25, 0x78);
  block[0] = 114;
  std::fill(block.begin() + 1, block.begin() + 10, 0);
  EXPECT_EQ(bench.one(mx_packet(Values(24, 0), 24, 2), kFp8Residual).bytes,
            expected(6, 24, block, 33, 0));
}

// ---------------------------------------------------------------- cycles

/// The largest distance from the input beat that completes an output beat to that beat, over all
/// packets of 1 to 600 values, each alone: of the first output beat that it completes, and of the
/// second and third if they leave directly behind.
std::array<uint64_t, 3> worst_latency(uint32_t rows) {
  std::array<uint64_t, 3> worst{};
  for (const MxConfig config : {kFp8, kFp4, kFp8Residual, kE5}) {
    for (uint32_t n = 1; n <= 600; ++n) {
      MxBench bench(rows, config);
      const uint32_t row = config.residual && n % 2 != 0 ? rows : 0;  // every other one RAW
      bench.send(mx_packet(Values(n, kOne), n, row));
      bench.drain();
      const bool raw = bench.packets().at(0).bytes[0] == 0;
      const uint64_t unit = raw                                ? 4
                            : config.format == MxConfig::kE2m1 ? 17
                                                               : 33,
                     values = raw ? 1 : 32;
      uint64_t completing = ~uint64_t{0}, nth = 0;
      for (size_t i = 0; i < bench.left.size(); ++i) {
        const uint64_t payload = 32 * (i + 1) - 16;  // bytes up to the beat's end
        const uint64_t needed = (payload + unit - 1) / unit * values;
        const uint64_t beat = (std::min<uint64_t>(needed, n) - 1) / 8;
        const bool behind =
            beat == completing && bench.left[i].cycle == bench.left[i - 1].cycle + 1;
        nth = behind ? nth + 1 : 0;
        completing = beat;
        worst.at(nth) = std::max(worst.at(nth), bench.left[i].cycle - bench.accepted.at(beat));
      }
    }
  }
  return worst;
}

// 14 (9) cycles at most; of beats that one vector completes the port carries one a cycle.
TEST(Mx, Latency) {
  EXPECT_EQ(worst_latency(80), (std::array<uint64_t, 3>{14, 15, 16}));
  EXPECT_EQ(worst_latency(0), (std::array<uint64_t, 3>{9, 10, 11}));
}

// Each cycle of one chunk of a block: accepted t .. t+3, started one later, the block ready V+1
// behind the last start, merged 3 behind the pop, in the queue a cycle later.
TEST(Mx, CyclesOfOneBlock) {
  for (const uint32_t rows : {0u, 8u}) {
    const uint64_t v = rows == 0 ? 0 : 5;
    MxBench bench(rows, kFp8);
    bench.send(mx_packet(Values(32, kOne)));
    bench.drain();
    const uint64_t t = bench.begin();
    EXPECT_EQ(bench.accepted, range(t, t + 3));
    // Vectors of 9, 8, 8, 9 bytes behind 16: the second and the fourth complete a beat.
    EXPECT_EQ(bench.left_cycles(), (Cycles{t + 4 + (v + 1) + 1 + 4, t + 4 + (v + 1) + 3 + 4}));
  }
}

// RAW waits for no block: 8 values a cycle, merged V + 4 behind the start.
TEST(Mx, CyclesOfRaw) {
  MxBench bench(8, kFp8Residual);
  bench.send(mx_packet(Values(80, kOne), 80, 0));  // ten rows of eight
  bench.drain();
  const uint64_t t = bench.begin();
  EXPECT_EQ(bench.accepted, range(t, t + 9));
  EXPECT_EQ(bench.left_cycles(), range(t + 11, t + 21));  // 337 bytes: eleven beats
}

// What a beat of its own would be (status and one byte) waits for the next cycle if two enter.
TEST(Mx, AtMostTwoBeatsEnterACycle) {
  // 16 + 33 k + 34 bytes, x before the last vector being (16 + 33 k) mod 32 = 31 at k = 15: the
  // last vector, one value's, makes 65 bytes. Behind it a packet of two beats.
  MxBench bench(0, kFp8);
  const uint32_t n = 15 * 32 + 1;
  bench.send(mx_packet(Values(n, kOne)));
  bench.send(mx_packet({kOne}));
  bench.drain();
  const auto packets = bench.packets();
  ASSERT_EQ(packets.size(), 2u);
  EXPECT_EQ(packets[0].bytes.size(), 16u + 16 * 33 + 1);
  EXPECT_EQ(packets[0].bytes.size() % 32, 1u);
  EXPECT_EQ(packets[1].bytes.size(), 50u);
  const uint64_t last = packets[0].last;
  // Two beats entered in the cycle before the last but two left; the flush and a beat in the next.
  EXPECT_EQ(bench.left[bench.left.size() - 5].cycle, last - 2);
  EXPECT_EQ(bench.left[bench.left.size() - 1].cycle, last + 2);
  EXPECT_EQ(bench.accepted, range(1, 62));
}

// Packets of every size back to back. A beat a cycle, as long as what leaves is no more than what
// comes; else the output port never pauses.
TEST(Mx, OneBeatACycleInPacketsOfEverySize) {
  constexpr uint32_t kRows = 4096;
  enum Kind { kMx8, kMx4, kMx8Kept, kRawKind };
  for (const Kind kind : {kMx8, kMx4, kMx8Kept, kRawKind}) {
    MxBench bench(kRows, kind == kMx4 ? kFp4 : kind == kMx8 ? kFp8 : kFp8Residual);
    bench.run(kRows);
    uint32_t bound = 0;
    for (uint32_t n = 1; n <= 300; ++n) {
      const uint64_t in = (n + 7) / 8;
      const uint64_t bytes =
          kind == kRawKind ? 17 + 4 * n : 17 + (kind == kMx4 ? 17 : 33) * ((n + 31) / 32);
      const uint64_t out = (bytes + 31) / 32;
      const auto packets = static_cast<uint32_t>(tests::rounds(200 / in + 40));
      bench.accepted.clear(), bench.left.clear();
      uint32_t row = 0;  // never one that is in flight
      for (uint32_t i = 0; i < packets; ++i) {
        if (row + in > kRows) row = 0;
        bench.send(mx_packet(Values(n, kOne), n, kind == kRawKind ? kRows : row));
        row += static_cast<uint32_t>(in);
      }
      bench.drain();
      ASSERT_EQ(bench.left.size(), out * packets) << n;
      if (out <= in) {
        ASSERT_EQ(bench.accepted.back() - bench.accepted.front() + 1, in * packets) << n;
      } else {
        ++bound;
        ASSERT_EQ(bench.left.back().cycle - bench.left.front().cycle + 1, out * packets) << n;
      }
    }
    // 17 bytes more than the values: in RAW all but n mod 8 = 1, 2, 3.
    EXPECT_EQ(bound, kind == kRawKind ? 300u - 3 * 38u : 8u);
  }
}

// With nobody to take what leaves, items start while 61 beats at most are used.
TEST(Mx, QueuesAndCredit) {
  MxBench mx(0, kFp8);
  mx.sink_gate = [](uint64_t) { return false; };
  mx.send(mx_packet(Values(8 * 400, kOne)));
  mx.run(600);
  // k blocks make 16 + 33 k bytes: 53 of them 55 beats, so that the last item of one more starts
  // (55 + 3 x 2 = 61); then 56 beats and three items, and two beats in the input queue.
  EXPECT_EQ(mx.accepted.size(), 54u * 4 + 3 + 2);

  MxBench raw(8, kFp8Residual);
  bool open = false;
  raw.sink_gate = [&](uint64_t) { return open; };
  raw.send(mx_packet(Values(8 * 100, kOne), 800, 8));
  raw.run(400);
  EXPECT_EQ(raw.accepted.size(), 62u + 2u);  // 62 beats in the output queue, two in the input's
  open = true;
  raw.drain();
  EXPECT_EQ(raw.accepted.size(), 100u);
  EXPECT_EQ(raw.left.size(), 101u);
  // One beat leaves, and in the cycle after an item may start; its place in the input queue is
  // seen a cycle later.
  EXPECT_EQ(raw.accepted[64], 402u);
  EXPECT_EQ(raw.left_cycles(), range(400, 500));
}

// The beat behind the one that waits is accepted, and no more.
TEST(Mx, Interlock) {
  constexpr uint64_t t = 64;
  MxBench bench(64, kFp8Residual);
  bench.send(mx_packet({kWithRest}, 1, 5));
  bench.send(mx_packet({0}, 1, 5));  // the same row
  bench.send(mx_packet({0}, 1, 6));
  bench.send(mx_packet({0}, 1, 7));
  bench.drain();
  // Started in t+1, popped in t+7, in flight up to t+13: the second starts in t+14.
  EXPECT_EQ(bench.accepted, (Cycles{t, t + 1, t + 2, t + 15}));
  const auto packets = bench.packets();
  ASSERT_EQ(packets.size(), 4u);
  EXPECT_EQ(packets[1].bytes, expected(6, 1, kRest, 33, 0));  // it saw what the first one left
  EXPECT_EQ(bench.left_cycles(),
            (Cycles{t + 11, t + 12, t + 24, t + 25, t + 26, t + 27, t + 28, t + 29}));
}

// Of a block of four, popped one a cycle, each row has its own end; beats before the first row in
// flight go on.
TEST(Mx, InterlockRowByRow) {
  constexpr uint64_t t = 64;
  // A chunk of rows 8..11: started in t+1 .. t+4, popped in t+10 .. t+13.
  const auto second_at = [](uint32_t row, uint32_t n, MxConfig config) {
    MxBench bench(64, kFp8Residual);
    bench.send(mx_packet(Values(32, kOne), 32, 8));
    while (bench.accepted.size() < 4) bench.step();
    bench.device.configure(config);
    bench.send(mx_packet(Values(n, kOne), n, row));
    bench.drain();
    EXPECT_EQ(bench.accepted[3], t + 3);
    // Vectors of 34 bytes: two beats, the first of which leaves 10 behind the start.
    return bench.packets().at(1).first - 10;
  };
  // In flight up to t+16 .. t+19.
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(second_at(8 + i, 1, kFp8Residual), t + 17 + i) << i;
  // Started in t+5, popped in t+14, behind the block: as if it had started in t+8.
  const uint64_t free = t + 8;
  EXPECT_EQ(second_at(7, 1, kFp8Residual), free);
  EXPECT_EQ(second_at(12, 1, kFp8Residual), free);
  EXPECT_EQ(second_at(8, 1, kFp8), free);  // residuals off
  EXPECT_EQ(second_at(8, 1, kFp4), free);
  // Its second row waits, and so its block; both are popped behind that, the second completes.
  EXPECT_EQ(second_at(7, 9, kFp8Residual), t + 17 + 1);
}

// Fillers and tails wait for no row; RAW does not either.
TEST(Mx, FillersTakeACycleEachAndNoRow) {
  constexpr uint64_t t = 64;
  MxBench bench(64, kFp8Residual);
  bench.send(mx_packet(Values(32, kOne), 32, 8));
  // Rows 7..10, but one beat came: three fillers.
  bench.send(mx_packet(Values(8, kOne), 32, 7));
  bench.send(mx_packet({kOne}, 1, 40));
  bench.drain();
  const auto packets = bench.packets();
  ASSERT_EQ(packets.size(), 3u);
  Bytes block = {119};
  block.resize(9, 0x78);
  EXPECT_EQ(packets[1].bytes, expected(6, 32, block, 33, 2));
  // Started in t+5 .. t+8, popped in t+14 .. t+17; the third starts in t+9.
  EXPECT_EQ(packets[1].first, t + 19);
  EXPECT_EQ(packets[1].last, t + 21);
  EXPECT_EQ(packets[2].first, t + 22);
  EXPECT_EQ(bench.accepted, range(t, t + 5));
}

TEST(Mx, FillersHoldTheInputBack) {
  MxBench bench(0, kFp8);
  bench.send(mx_packet(Values(1, kOne), 320));  // 39 fillers
  for (int i = 0; i < 4; ++i) bench.send(mx_packet(Values(32, kOne)));
  bench.drain();
  // Accepted in 1, started in 2; fillers in 3 .. 41, behind which beats start again.
  Cycles want = {1, 2, 3};
  for (uint64_t c = 43; want.size() < 17; ++c) want.push_back(c);
  EXPECT_EQ(bench.accepted, want);
  const auto packets = bench.packets();
  Bytes bytes = header(6, 320);
  bytes.resize(16 + 330 + 1);
  bytes[16] = 119, bytes[17] = 0x78, bytes.back() = 2;
  EXPECT_EQ(packets.at(0).bytes, bytes);
}

// Surplus beats are taken one a cycle and vanish; the last becomes the tail.
TEST(Mx, LateEnds) {
  for (const uint32_t rows : {0u, 64u}) {
    const uint64_t v = rows == 0 ? 0 : 5;
    MxBench bench(rows, kFp8);
    bench.send(mx_packet(Values(8 * 9, kOne), 8));
    bench.send(mx_packet({kOne}));
    bench.drain();
    const uint64_t t = bench.begin();
    EXPECT_EQ(bench.accepted, range(t, t + 9));
    const auto packets = bench.packets();
    Bytes block = {119};
    block.resize(9, 0x78);
    EXPECT_EQ(packets.at(0).bytes, expected(6, 8, block, 33, 2));
    // 49 bytes: one beat with the payload item, 18 with the tail, accepted in t+8.
    EXPECT_EQ(packets[0].first, t + 1 + v + 1 + 4);
    EXPECT_EQ(packets[0].last, t + 9 + v + 1 + 4);
    EXPECT_EQ(packets[1].first, t + 10 + v + 1 + 4);
  }
}

// While nothing leaves, surplus beats are taken without credit; the tail waits for it.
TEST(Mx, SurplusNeedsNoCredit) {
  MxBench bench(8, kFp8Residual);
  bool open = false;
  bench.sink_gate = [&](uint64_t) { return open; };
  // 62 items of RAW complete 62 beats, and there is no credit.
  bench.send(mx_packet(Values(8 * 62 + 800, kOne), 8 * 62, 8));
  bench.run(400);
  EXPECT_EQ(bench.accepted.size(), 62u + 100u);
  open = true;
  bench.drain();
  EXPECT_EQ(bench.packets().at(0).bytes.size(), 16u + 4 * 496 + 1);
}

// The pins count in the cycle in which a packet's first beat is accepted, and in no other.
TEST(Mx, ConfigurationBelongsToThePacket) {
  constexpr uint32_t kWithMore = 0x3FF8'0000;  // 1.9375 saturates, or is rounded
  MxBench bench(64);
  const std::array<MxConfig, 6> configs = {
      kFp8, kFp4Residual, kFp4, kFp8Residual, kE5, {.format = 0, .up = true, .residual = true}};
  std::vector<MxConfig> pins;
  for (uint32_t p = 0; p < configs.size(); ++p) {
    bench.send(mx_packet(Values(80, kWithMore), 80, 10 * p));
    for (int i = 0; i < 10; ++i) {
      const auto format = static_cast<uint8_t>((configs[p].format + i) % 4);
      pins.push_back(i == 0 ? configs[p] : MxConfig{format, i % 2 == 0, i % 3 == 0});
    }
  }
  while (bench.accepted.size() < pins.size()) {
    bench.device.configure(pins[bench.accepted.size()]);
    bench.step();
  }
  bench.drain();
  bench.device.configure(kFp8Residual);
  for (uint32_t p = 0; p < configs.size(); ++p) {
    bench.send(mx_packet({0}, 1, 10 * p));
  }
  bench.drain();
  const auto packets = bench.packets();
  ASSERT_EQ(packets.size(), 12u);
  for (size_t p = 0; p < 6; ++p) {
    const int floor = std::array{119, 125, 112}.at(configs[p].format);
    EXPECT_EQ(packets[p].bytes[0], 6 + configs[p].format);
    EXPECT_EQ(packets[p].bytes[16], floor + configs[p].up) << p;
    EXPECT_EQ(packets[p + 6].bytes[16] != 0, configs[p].residual) << p;
  }
}

TEST(Mx, ResetAndZeroing) {
  for (const uint32_t rows : {0u, 8u, 100u}) {
    MxBench bench(rows, kFp8Residual);
    bench.run(rows + 30);
    EXPECT_EQ(bench.ready.front(), std::max(rows, 1u));
    EXPECT_EQ(bench.ready.size(), rows + 30 - bench.ready.front());
    // Counts of both kinds, residuals; then in the middle of a packet, with beats in each queue.
    bench.one(mx_packet(Values(64, kWithRest), 64, 0, true), kFp8Residual);
    bench.one(mx_packet({}, 0, 0, true), kFp8Residual);
    EXPECT_EQ(bench.device.raw_count(), 1u);
    EXPECT_EQ(bench.device.error_count(), 2u);
    bench.sink_gate = [](uint64_t) { return false; };
    bench.send(mx_packet(Values(400, kWithRest), 400, 0));
    bench.run(40);
    EXPECT_NE(bench.device.m_beat(), nullptr);
    bench.reset();
    EXPECT_FALSE(bench.device.s_ready());
    EXPECT_EQ(bench.device.m_beat(), nullptr);
    EXPECT_EQ(bench.device.raw_count(), 0u);
    EXPECT_EQ(bench.device.error_count(), 0u);
    // A reset in between begins anew.
    if (rows != 0) {
      bench.run(rows - 1);
      EXPECT_FALSE(bench.device.s_ready());
      bench.reset();
    }
    bench.sink_gate = [](uint64_t) { return true; };
    bench.send(mx_packet(Values(64), 64, 0));
    bench.drain();
    EXPECT_EQ(bench.accepted, range(bench.begin(), bench.begin() + 7));
    const auto packets = bench.packets();
    ASSERT_EQ(packets.size(), 1u);
    Bytes want = header(6, 64);  // nothing is left of the packet, nor of residuals
    want.resize(16 + 66 + 1);
    EXPECT_EQ(packets[0].bytes, want);
  }
}

TEST(Mx, CountsChangeBehindTheHandshake) {
  MxBench bench(8, kFp8Residual);
  bool open = false;
  bench.sink_gate = [&](uint64_t) { return open; };
  bench.send(mx_packet({kOne}, 1, 9, true));   // RAW, in error: 21 bytes
  bench.send(mx_packet({kOne}, 1, 0, true));   // in error
  bench.send(mx_packet({kOne}, 1, 9, false));  // RAW
  bench.run(60);
  EXPECT_EQ(bench.device.raw_count(), 0u);
  EXPECT_EQ(bench.device.error_count(), 0u);
  open = true;
  const std::vector<std::pair<uint32_t, uint32_t>> want = {{1, 1}, {1, 1}, {1, 2}, {2, 2}};
  for (const auto& [raws, errors] : want) {
    bench.step();
    EXPECT_EQ(bench.device.raw_count(), raws);
    EXPECT_EQ(bench.device.error_count(), errors);
  }
}

// ---------------------------------------------------------------- against the transcription

struct MxRun {
  uint64_t seed;
  uint32_t rows;
  uint32_t source_stall, sink_stall;  // shares of 16
  bool resets;
};
struct MxOutcome {
  std::string mismatch;  // empty: none
  uint64_t accepted = 0, left = 0;
  std::map<std::string, uint64_t> seen;
};

/// Core and transcription on the same traffic for `cycles`, or until they differ. The pins show
/// anything but with a first beat.
MxOutcome mx_lockstep(const MxRun& run, uint64_t cycles, const LiteralMx::Numbers& numbers = {}) {
  Mx core(run.rows);
  LiteralMx literal(run.rows, numbers);
  MxTraffic traffic(run.seed, run.rows);
  std::deque<Beat> source;
  bool offering = false;
  MxOutcome o;
  for (uint64_t c = 0; c < cycles; ++c) {
    const auto differ = [&](const char* what) {
      o.mismatch = std::string(what) + " in cycle " + std::to_string(c);
    };
    const Beat* const a = core.m_beat();
    const Beat* const b = literal.m_beat();
    if (core.s_ready() != literal.s_ready()) differ("s_axis_tready");
    if ((a == nullptr) != (b == nullptr)) differ("m_axis_tvalid");
    if (a != nullptr && b != nullptr && *a != *b) differ("m_axis");
    if (core.raw_count() != literal.raw_count()) differ("raw_count_o");
    if (core.error_count() != literal.error_count()) differ("error_count_o");
    if (!o.mismatch.empty()) return o;
    if (run.resets && traffic.below(3000) == 0) {
      core.reset();
      literal.reset();
      source.clear();
      offering = false;
      ++o.seen["reset"];
      continue;
    }
    if (source.empty()) {
      for (const Beat& beat : traffic.packet()) source.push_back(beat);
    }
    offering = offering || traffic.below(16) >= run.source_stall;
    const bool m_ready = traffic.below(16) >= run.sink_stall;
    const MxConfig pins = traffic.config();
    core.configure(pins);
    literal.configure(pins);
    const bool accept = offering && core.s_ready();
    const Beat s = source.front();
    if (a != nullptr && m_ready) {
      ++o.left;
      if (a->last != 0) {
        const auto bytes = static_cast<size_t>(bytes_of_keep(a->keep));
        const auto status = a->data[(bytes - 1) / 4] >> (8 * ((bytes - 1) % 4)) & 0xFF;
        ++o.seen["status " + std::to_string(status)];
      }
    }
    core.clock(offering ? &s : nullptr, m_ready);
    literal.clock(offering ? &s : nullptr, m_ready);
    if (accept) {
      ++o.accepted;
      source.pop_front();
      offering = false;
    }
  }
  o.seen["raw"] = core.raw_count();
  o.seen["error"] = core.error_count();
  return o;
}

constexpr uint32_t kMxStalls[][2] = {{0, 0}, {5, 0}, {0, 5}, {14, 0}, {0, 14}, {8, 8}};

TEST(MxContract, EveryCycle) {
  std::map<std::string, uint64_t> seen;
  uint64_t seed = 1;
  for (const auto& [source, sink] : kMxStalls) {
    for (const uint32_t rows : {0u, 8u, 40u, 100u}) {
      for (int i = 0; i < 3; ++i, ++seed) {
        if (tests::kSanitized && i == 1) continue;
        const MxRun run{seed, rows, source, sink, i == 2};
        const MxOutcome o = mx_lockstep(run, tests::rounds(20000u));
        ASSERT_EQ(o.mismatch, "") << "seed " << seed;
        ASSERT_GT(o.accepted, tests::rounds(300u)) << "seed " << seed;
        ASSERT_GT(o.left, tests::rounds(300u)) << "seed " << seed;
        for (const auto& [what, count] : o.seen) seen[what] += count;
      }
    }
  }
  for (const char* what : {"status 0", "status 1", "status 2", "status 3", "status 4", "status 5",
                           "status 6", "status 7", "raw", "error", "reset"}) {
    EXPECT_GT(seen[what], tests::kSanitized ? 2u : 30u) << what;
  }
}

// The comparison is worth something only if it notices a contract that is broken.
TEST(MxContract, NoticesMutants) {
  const auto notices = [](const LiteralMx::Numbers& mutant) {
    for (uint64_t seed = 1; seed <= tests::rounds(72u); ++seed) {
      const auto& stalls = kMxStalls[seed % std::size(kMxStalls)];
      const MxRun run{seed, seed % 3 == 0 ? 8u : 60u, stalls[0], stalls[1], false};
      try {
        if (!mx_lockstep(run, 12000, mutant).mismatch.empty()) return true;
      } catch (const std::logic_error&) {
        return true;  // it breaks by itself
      }
    }
    return false;
  };
  EXPECT_FALSE(notices({}));
  if (tests::kSanitized) GTEST_SKIP() << "some mutants take more seeds";
  EXPECT_TRUE(notices({.value_delay = 4}));
  EXPECT_TRUE(notices({.value_delay = 6}));
  EXPECT_TRUE(notices({.merge_delay = 2}));
  EXPECT_TRUE(notices({.merge_delay = 4}));
  EXPECT_TRUE(notices({.flight = 5}));
  EXPECT_TRUE(notices({.flight = 7}));
  EXPECT_TRUE(notices({.max_used = 60}));
  EXPECT_TRUE(notices({.max_used = 62, .queue = 99}));
  EXPECT_TRUE(notices({.input = 1}));
  EXPECT_TRUE(notices({.input = 3}));
  EXPECT_TRUE(notices({.max_enter = 3}));
  EXPECT_TRUE(notices({.missing_keep = false}));
  EXPECT_TRUE(notices({.poisoned_keep = false}));
  EXPECT_TRUE(notices({.lanes_above_keep = false}));
  EXPECT_TRUE(notices({.fillers_wait = true}));
  EXPECT_TRUE(notices({.others_wait = true}));
  EXPECT_TRUE(notices({.tails_need_credit = false}));
  EXPECT_TRUE(notices({.surplus_needs_credit = true}));
  EXPECT_TRUE(notices({.raw_by_length = false}));
  EXPECT_TRUE(notices({.pins_at_accept = false}));
  EXPECT_TRUE(notices({.signs_of_zeros = false}));
  EXPECT_TRUE(notices({.even = false}));
  EXPECT_TRUE(notices({.overflow_keeps = false}));
  EXPECT_TRUE(notices({.tail_carries = false}));
  EXPECT_TRUE(notices({.no_format_is_raw = false}));
  EXPECT_TRUE(notices({.scale_counts = false}));
  EXPECT_TRUE(notices({.last_binade = false}));
  EXPECT_TRUE(notices({.zeroing = 1}));
  EXPECT_TRUE(notices({.zeroing = -1}));
}

}  // namespace
}  // namespace gw::systemc::mx_test
