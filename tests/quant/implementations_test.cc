// Vector code against the scalar definition: packets, reports, residuals, values, bit for bit.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "tests/quant/bytes.h"
#include "tests/sanitized.h"

namespace gw::reference::quant::implementations_test {
namespace {

/// Values around everything that is decided on: thresholds, blocks' largest, rounding, the ends of
/// binary32.
class Values {
 public:
  explicit Values(float t) : t_(t) {}

  float next() {
    const uint32_t kind = word() % 16;
    const float sign = word() % 2 == 0 ? 1.0f : -1.0f;
    if (kind < 5) return sign * t_ * std::ldexp(static_cast<float>(word() % 4096), -11);
    if (kind < 8) return near(sign * static_cast<float>(word() % 300) * t_);
    if (kind < 11) return sign * std::ldexp(static_cast<float>(word() % 512), -int(word() % 24));
    if (kind < 13) return sign * 0.0f;
    const float any = std::bit_cast<float>(word());
    if (kind == 13) return std::isfinite(any) ? any : 0.0f;
    if (kind == 14) return std::bit_cast<float>(word() % 0x01000000u) * sign;
    return word() % 64 == 0 ? any * kInf : sign * t_;
  }

 private:
  uint32_t word() { return static_cast<uint32_t>(random_()); }
  float near(float x) {
    return word() % 3 == 0 ? x : std::nextafter(x, word() % 2 == 0 ? kInf : -kInf);
  }

  float t_;
  std::mt19937_64 random_{21};
};

TEST(QuantImplementations, SameBytesAndResiduals) {
  size_t compared = 0;
  for (const Implementation by : implementations()) {
    for (const char* spec : {"wgt:t=0.001",
                             "bgt:t=0.001",
                             "qgt:t=0.001",
                             "qgt:t=2^-3",
                             "qgt:t=2^-100",
                             "qgt:t=2^100",
                             "wgt:t=1,residual=off",
                             "bgt:t=1,residual=off",
                             "qgt:t=0.0123,residual=off",
                             "mxfp8",
                             "mxfp4",
                             "mxfp8-e5m2",
                             "mxfp8:residual=on",
                             "mxfp4:residual=on",
                             "mxfp8-e5m2:residual=on",
                             "mxfp8:scale=up",
                             "mxfp8:scale=up,residual=on",
                             "mxfp4:scale=up,residual=on",
                             "mxfp8-e5m2:scale=up,residual=on",
                             "adaptive:p=2",
                             "bgt:t=0.001,coding=rice",
                             "qgt:t=0.001,coding=rice",
                             "qgt:t=2^100,coding=rice",
                             "bgt:t=2^-100,coding=rice",
                             "qgt:t=0.0123,coding=rice,residual=off"}) {
      SCOPED_TRACE(std::string(implementation_name(by)) + " " + spec);
      const Config config = config_of(spec);
      Values values(is_threshold(config.method) ? config.threshold : 0.01f);
      Quantiser plain(config, 600), fast(config, 600);
      plain.use(Implementation::kScalar);
      fast.use(by);
      for (int round = 0; round < 160; round += tests::kSanitized ? 6 : 1) {
        const size_t n = round < 80 ? static_cast<size_t>(round) + 1 : 1 + (round * 37) % 4700;
        std::vector<float> g(n);
        for (float& x : g) x = values.next();
        if (round % 5 == 4) std::ranges::fill(std::span(g).subspan(n / 8), 0.0f);  // long runs
        std::vector<uint8_t> a, b;
        const uint32_t row = round % 7;
        const ChunkReport first = plain.encode(g, row, a);
        const ChunkReport second = fast.encode(g, row, b);
        ASSERT_EQ(hex(a), hex(b)) << "round " << round;
        ASSERT_EQ(first.entries, second.entries);
        ASSERT_EQ(first.status, second.status);
        ASSERT_EQ(first.method, second.method);
        ASSERT_EQ(first.k, second.k);
        ASSERT_EQ(first.bytes, second.bytes);
        ASSERT_EQ(std::memcmp(plain.residuals().data(), fast.residuals().data(),
                              plain.residuals().size_bytes()),
                  0)
            << "round " << round;
        std::vector<float> x, y;
        ASSERT_EQ(decode_packet(a, kMaxValues, x, Implementation::kScalar).reason, Reason::kNone);
        ASSERT_EQ(decode_packet(a, kMaxValues, y, by).reason, Reason::kNone);
        ASSERT_EQ(all_bits(x), all_bits(y)) << "round " << round;
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, (tests::kSanitized ? 27u : 160u) * 25);
}

TEST(QuantImplementations, EveryScaleAndElement) {
  for (const Implementation by : implementations()) {
    for (int scale = 0; scale < 256; ++scale) {
      for (int half = 0; half < 8; ++half) {
        std::vector<uint8_t> packet = bytes_of("06 00 0000 20000000 00000000 00000000");
        packet.push_back(static_cast<uint8_t>(scale));
        for (int i = 0; i < 32; ++i) packet.push_back(static_cast<uint8_t>(32 * half + i));
        packet.push_back(0);
        std::vector<float> x, y;
        decode_packet(packet, 32, x, Implementation::kScalar);
        decode_packet(packet, 32, y, by);
        ASSERT_EQ(x.size(), 32u);
        ASSERT_EQ(all_bits(x), all_bits(y)) << scale;
        packet[0] = 8;
        decode_packet(packet, 32, x, Implementation::kScalar);
        decode_packet(packet, 32, y, by);
        ASSERT_EQ(x.size(), 32u);
        ASSERT_EQ(all_bits(x), all_bits(y)) << scale;
        packet[0] = 7;
        packet.erase(packet.end() - 17, packet.end() - 1);
        decode_packet(packet, 32, x, Implementation::kScalar);
        decode_packet(packet, 32, y, by);
        ASSERT_EQ(x.size(), 32u);
        ASSERT_EQ(all_bits(x), all_bits(y)) << scale;
      }
    }
  }
}

TEST(QuantImplementations, DamagedPacketsAreMalformedForTheSameReason) {
  std::mt19937_64 random(22);
  size_t malformed = 0, fine = 0;
  for (const Implementation by : implementations()) {
    for (const char* spec :
         {"wgt:t=1", "bgt:t=1", "qgt:t=1", "adaptive:p=2", "mxfp8", "mxfp8-e5m2", "mxfp4"}) {
      Quantiser quantiser(config_of(spec), 64);
      for (int round = 0; round < tests::rounds(3000); ++round) {
        std::vector<float> g(1 + random() % 500);
        for (float& x : g) x = static_cast<float>(random() % 400) / 100 - 2;
        if (round % 3 == 0) std::ranges::fill(std::span(g).subspan(g.size() / 4), 0.0f);
        std::vector<uint8_t> packet = encoded(quantiser, g);
        for (int i = round % 4; i > 0; --i) {
          packet[kHeaderBytes + random() % (packet.size() - kHeaderBytes)] ^=
              static_cast<uint8_t>(1u << random() % 8);
        }
        std::vector<float> x, y;
        const Decoded a = decode_packet(packet, kMaxValues, x, Implementation::kScalar);
        const Decoded b = decode_packet(packet, kMaxValues, y, by);
        ASSERT_EQ(a.reason, b.reason) << spec << " " << hex(packet);
        ASSERT_EQ(all_bits(x), all_bits(y)) << spec << " " << hex(packet);
        if (a.ok()) ASSERT_EQ(a.entries, b.entries);
        (a.ok() ? fine : malformed) += 1;
      }
    }
  }
  EXPECT_GT(malformed, tests::rounds(1000u));
  EXPECT_GT(fine, tests::rounds(1000u));
}

}  // namespace
}  // namespace gw::reference::quant::implementations_test
