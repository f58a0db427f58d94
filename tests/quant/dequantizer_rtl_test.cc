// gw_dequantizer by itself, its assertions on, against docs/devices/dequantizer.md: values are the
// reference decoder's, malformed packets end with an error beat and are counted by reason, the next
// packet is decoded as if nothing had been. Latency, rate and reset are the contract's.
// SPDX-License-Identifier: Apache-2.0
#include <Vgw_dequantizer.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "models/reference/quant/decoder.h"
#include "models/reference/quant/quantiser.h"
#include "tests/sanitized.h"

namespace gw::dequantizer_rtl_test {
namespace {

using reference::quant::Config;
using reference::quant::Decoded;
using reference::quant::Quantiser;
using reference::quant::Reason;
using Bytes = std::vector<uint8_t>;

struct Sent {
  Bytes bytes;
  uint32_t limit = 4096;
  bool error = false;
  bool empty_end = false;  ///< an end without bytes behind whole beats
};

struct Beat {
  uint32_t data[8] = {};
  uint32_t keep = 0;
  bool last = false, user = false;
};

class DequantizerBench {
 public:
  explicit DequantizerBench(uint64_t seed) : random(seed) {
    context_.randSeed(static_cast<int>(seed % 1000) + 1);
    context_.randReset(2);
    top_ = std::make_unique<Vgw_dequantizer>(&context_);
    top_->s_axis_tvalid = 0;
    top_->m_axis_tready = 0;
    reset();
  }
  ~DequantizerBench() { top_->final(); }

  uint32_t below(uint32_t n) { return std::uniform_int_distribution<uint32_t>(0, n - 1)(random); }

  void reset() {
    top_->aresetn = 0;
    edge();
    top_->aresetn = 1;
    top_->s_axis_tvalid = 0;
    edge();
    queue_.clear();
    expected_.clear();
    for (uint32_t& count : malformed_) count = 0;
    errors_ = 0;
    inside_ = 0;
    offered_ = false;
    accepted_at.clear();
    left_at.clear();
  }

  void send(const Sent& packet) {
    std::vector<float> values;
    const Decoded decoded = reference::quant::decode_packet(packet.bytes, packet.limit, values);
    reasons[static_cast<size_t>(decoded.reason)]++;
    offer(packet);
    Expected e;
    e.reason = decoded.reason;
    if (decoded.reason != Reason::kNone) {  // what leaves before that is found
      const Decoded groups = reference::quant::decode_groups(packet.bytes, packet.limit, values);
      EXPECT_EQ(groups.reason, decoded.reason);
      early += !values.empty();
    }
    e.user = packet.error || decoded.status != 0;
    e.values = values;
    expected_.push_back(e);
  }

  /// A packet that decodes to these values, whatever the reference makes of it.
  void send(const Sent& packet, const std::vector<float>& values) {
    offer(packet);
    expected_.push_back({.reason = Reason::kNone, .user = packet.error, .values = values});
  }

  /// A packet that is malformed from its header on.
  void send(const Sent& packet, Reason reason) {
    offer(packet);
    expected_.push_back({.reason = reason, .user = false, .values = {}});
  }

  void offer(const Sent& packet) {
    const size_t beats = std::max<size_t>(1, (packet.bytes.size() + 31) / 32);
    const bool more = packet.empty_end && packet.bytes.size() % 32 == 0 && !packet.bytes.empty();
    for (size_t b = 0; b < beats + more; ++b) {
      Input in;
      in.limit = packet.limit;
      for (size_t i = 0; i < 32; ++i) {
        const size_t at = 32 * b + i;
        const uint8_t byte = at < packet.bytes.size() ? packet.bytes[at] : random() & 0xFF;
        in.beat.data[i / 4] |= uint32_t{byte} << 8 * (i % 4);
      }
      in.beat.last = b + 1 == beats + more;
      in.beat.keep = random();
      in.beat.user = below(2);
      in.first = b == 0;
      if (in.beat.last) {
        const size_t left = packet.bytes.size() - std::min(packet.bytes.size(), 32 * b);
        in.beat.keep = left == 32 ? 0xFFFFFFFF
                                  : static_cast<uint32_t>(((uint64_t{1} << left) - 1) |
                                                          (uint64_t{random()} << (left + 1)));
        in.beat.user = packet.error;
      }
      queue_.push_back(in);
    }
  }

  /// Until everything has left.
  void run(int source_stalls, int sink_stalls, uint64_t longest = 2000000) {
    for (uint64_t idle = 0, c = 0; idle < 20 && c < longest && !::testing::Test::HasFailure();
         ++c) {
      step(source_stalls, sink_stalls);
      idle = queue_.empty() && expected_.empty() ? idle + 1 : 0;
      if (c + 1 == longest) FAIL() << "never comes to rest";
    }
  }
  void cycles(int count, int source_stalls, int sink_stalls) {
    for (int i = 0; i < count && !::testing::Test::HasFailure(); ++i)
      step(source_stalls, sink_stalls);
  }

  std::mt19937 random;
  std::vector<uint64_t> accepted_at, left_at;
  uint64_t reasons[reference::quant::kReasons] = {};
  uint64_t early = 0;  ///< malformed packets of which beats leave before the error beat
  bool ready() const { return top_->s_axis_tready; }

 private:
  struct Input {
    Beat beat;
    uint32_t limit = 0;
    bool first = false;
  };
  struct Expected {
    Reason reason = Reason::kNone;
    bool user = false;
    std::vector<float> values;
  };

  void edge() {
    top_->aclk = 0;
    top_->eval();
    top_->aclk = 1;
    top_->eval();
    context_.timeInc(1);
  }

  void step(int source_stalls, int sink_stalls) {
    const bool some = !queue_.empty();
    offered_ = some && (offered_ || static_cast<int>(below(100)) >= source_stalls);
    top_->s_axis_tvalid = offered_;
    top_->m_axis_tready = static_cast<int>(below(100)) >= sink_stalls;
    top_->limit_i = offered_ && queue_.front().first ? queue_.front().limit : below(1 << 20);
    for (int i = 0; i < 8; ++i) {
      top_->s_axis_tdata[i] =
          offered_ ? queue_.front().beat.data[i] : static_cast<uint32_t>(random());
    }
    top_->s_axis_tkeep = offered_ ? queue_.front().beat.keep : static_cast<uint32_t>(random());
    top_->s_axis_tlast = offered_ ? queue_.front().beat.last : below(2);
    top_->s_axis_tuser = offered_ ? queue_.front().beat.user : below(2);
    top_->aclk = 0;
    top_->eval();
    ASSERT_EQ(top_->error_count_o, errors_);
    const bool accepts = offered_ && top_->s_axis_tready;
    if (top_->m_axis_tvalid && top_->m_axis_tready) take();
    edge();
    if (accepts) {
      accepted_at.push_back(now_);
      queue_.pop_front();
      offered_ = false;
    }
    ++now_;
  }

  void take() {
    ASSERT_FALSE(expected_.empty()) << "a beat of no packet";
    left_at.push_back(now_);
    Expected& e = expected_.front();
    const bool last = top_->m_axis_tlast, user = top_->m_axis_tuser;
    if (e.reason != Reason::kNone) {
      if (!last) {
        ASSERT_EQ(top_->m_axis_tkeep, 0xFFFFFFFF);
        ASSERT_FALSE(user);
        ASSERT_LT(8 * inside_, e.values.size()) << "no error beat";
        for (uint32_t i = 0; i < 8; ++i) {
          const uint32_t at = 8 * inside_ + i;
          ASSERT_EQ(top_->m_axis_tdata[i], std::bit_cast<uint32_t>(e.values[at])) << "value " << at;
        }
        ++inside_;
        return;
      }
      ASSERT_TRUE(user);
      ASSERT_EQ(8 * inside_, e.values.size()) << "the error beat is early";
      ASSERT_EQ(top_->m_axis_tkeep, 0xFFFFFFFF);
      for (int i = 0; i < 8; ++i) ASSERT_EQ(top_->m_axis_tdata[i], 0u);
      ++malformed_[static_cast<size_t>(e.reason) - 1];
      ++errors_;
      for (int i = 0; i < 9; ++i) {
        ASSERT_GE(top_->malformed_count_o[i], malformed_[i]) << "reason " << i + 1;
      }
    } else {
      const uint32_t n = static_cast<uint32_t>(e.values.size());
      for (uint32_t i = 0; i < 8; ++i) {
        const uint32_t at = 8 * inside_ + i;
        const uint32_t want = at < n ? std::bit_cast<uint32_t>(e.values[at]) : 0;
        ASSERT_EQ(top_->m_axis_tdata[i], want) << "value " << at << " of " << n;
        ASSERT_EQ(top_->m_axis_tkeep >> 4 * i & 15, at < n ? 15u : 0u) << "value " << at;
      }
      ++inside_;
      ASSERT_EQ(last, 8 * inside_ >= n);
      ASSERT_EQ(user, last && e.user);
      if (!last) return;
      if (user) ++errors_;
    }
    inside_ = 0;
    expected_.pop_front();
    if (expected_.empty() && queue_.empty()) {
      for (int i = 0; i < 9; ++i) {
        ASSERT_EQ(top_->malformed_count_o[i], malformed_[i]) << "reason " << i + 1;
      }
    }
  }

  VerilatedContext context_;
  std::unique_ptr<Vgw_dequantizer> top_;
  std::deque<Input> queue_;
  std::deque<Expected> expected_;
  uint32_t malformed_[9] = {};
  uint32_t errors_ = 0;
  uint32_t inside_ = 0;
  uint64_t now_ = 0;
  bool offered_ = false;
};

const char* const kSpecs[] = {"raw",
                              "wgt:t=2^-3,residual=off",
                              "bgt:t=2^-3,residual=off",
                              "bgt:t=2^-3,coding=rice,residual=off",
                              "qgt:t=2^-4,residual=off",
                              "qgt:t=2^-4,coding=rice,residual=off",
                              "onebit:residual=off",
                              "adaptive:p=2,residual=off",
                              "adaptive:p=2,coding=rice,residual=off",
                              "mxfp8",
                              "mxfp8-e5m2",
                              "mxfp4"};

Bytes encoded(DequantizerBench& bench, const std::string& spec, uint32_t n, uint32_t density) {
  const reference::quant::ConfigResult parsed = reference::quant::parse_config(spec);
  EXPECT_TRUE(parsed.config) << parsed.error;
  Quantiser quantiser(*parsed.config);
  std::vector<float> values(n);
  for (float& v : values) {
    const uint32_t exponent = bench.below(20) ? 118 + bench.below(12) : bench.below(256);
    const uint32_t bits = (bench.random() & 0x807FFFFF) | exponent << 23;
    v = bench.below(100) < density ? std::bit_cast<float>(bits) : 0.0F;
  }
  Bytes packet;
  quantiser.encode(values, 0, packet);
  return packet;
}

void put32(Bytes& bytes, size_t at, uint32_t word) {
  for (size_t i = 0; i < 4 && at + i < bytes.size(); ++i) bytes[at + i] = word >> 8 * i;
}

// Changes what reasons look at, and T, which makes products subnormal or infinite.
void spoil(DequantizerBench& bench, Sent& packet) {
  Bytes& bytes = packet.bytes;
  switch (bench.below(15)) {
    case 0:
      bytes.resize(bench.below(static_cast<uint32_t>(bytes.size()) + 1));
      break;
    case 1:
      bytes.resize(bytes.size() / 32 * 32);
      break;
    case 2:
      for (uint32_t i = 0, more = 1 + bench.below(90); i < more; ++i)
        bytes.push_back(bench.random());
      break;
    case 3:
      bytes[0] = bench.below(4) ? bench.below(9) : bench.random();
      break;
    case 4:
      bytes[1] = bench.below(18);
      break;
    case 5:
      bytes[2 + bench.below(14)] ^= 1 << bench.below(8);
      break;
    case 6:
      packet.limit = bench.below(400);
      break;
    case 7:
      put32(bytes, 4, bench.below(3) ? bench.below(600) : bench.random() << bench.below(33) % 32);
      if (bench.below(4) == 0) put32(bytes, 4, 0);
      break;
    case 8:
      bytes.back() = bench.random();
      break;
    case 9:
    case 10:
      if (bytes.size() > 17)
        bytes[16 + bench.below(static_cast<uint32_t>(bytes.size()) - 16)] = bench.random();
      break;
    case 11:
      if (bytes.size() > 17) bytes[16 + bench.below(static_cast<uint32_t>(bytes.size()) - 16)] = 0;
      break;
    case 12:
      put32(bytes, 8,
            bench.below(2) ? bench.below(1 << 24) >> bench.below(24)
                           : 0x7F7FFFFF - bench.below(1 << 26));
      break;
    case 13:  // not finite
      put32(bytes, bench.below(2) ? 8 : 12, 0x7F800000 | bench.random());
      break;
    default:
      for (size_t i = 16; i + 1 < bytes.size(); ++i) bytes[i] = bench.random();
  }
}

TEST(DequantizerRtl, ValuesAndReasonsAreTheReferences) {
  const int stalls[][2] = {{0, 0}, {30, 0}, {0, 30}, {50, 50}, {0, 70}};
  uint64_t reasons[reference::quant::kReasons] = {};
  uint64_t early = 0;
  for (int seed = 1; seed <= tests::rounds(60); ++seed) {
    DequantizerBench bench(seed);
    for (int episode = 0; episode < 3; ++episode) {  // all but the last end by a reset amid traffic
      for (int i = 0; i < 80; ++i) {
        const uint32_t densities[] = {0, 2, 15, 60, 100};
        Sent packet;
        packet.bytes = encoded(bench, kSpecs[bench.below(std::size(kSpecs))],
                               1 + bench.below(bench.below(4)  ? 40
                                               : seed % 7 == 0 ? 3000
                                                               : 300),
                               densities[bench.below(5)]);
        packet.error = bench.below(10) == 0;
        packet.empty_end = bench.below(2);
        if (seed % 3 != 0 && bench.below(2)) spoil(bench, packet);
        bench.send(packet);
      }
      if (episode < 2) {
        bench.cycles(100 + static_cast<int>(bench.below(300)), stalls[seed % 5][0],
                     stalls[seed % 5][1]);
        bench.reset();
      } else {
        bench.run(stalls[seed % 5][0], stalls[seed % 5][1]);
      }
      ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed << ", episode " << episode;
    }
    for (size_t i = 0; i < reference::quant::kReasons; ++i) reasons[i] += bench.reasons[i];
    early += bench.early;
  }
  for (size_t i = 0; i < reference::quant::kReasons; ++i)
    EXPECT_GT(reasons[i], tests::rounds(20u)) << "reason " << i;
  EXPECT_GT(early, tests::rounds(500u));
}

TEST(DequantizerRtl, EightCyclesFromTheBeatThatCompletesOne) {
  for (const std::string spec : kSpecs) {
    for (uint32_t density : {0, 100}) {
      DequantizerBench bench(1);
      const Bytes packet = encoded(bench, spec, 1, density);
      bench.send({packet});
      bench.run(0, 0);
      ASSERT_EQ(bench.left_at.size(), 1u) << spec;
      EXPECT_EQ(bench.left_at.front() - bench.accepted_at.back(), 8u) << spec;
    }
  }
}

// An element's value by its fields, in double: `bits` of fraction; of E5M2 the last exponent is for
// infinities and NaN.
double element_value(uint32_t code, int bits, int bias) {
  const uint32_t exponent = code >> bits, fraction = code & ((1U << bits) - 1);
  return exponent == 0
             ? std::ldexp(fraction, 1 - bias - bits)
             : std::ldexp((1U << bits) + fraction, static_cast<int>(exponent) - bias - bits);
}

struct Element {
  uint8_t format;
  int sign, bits, bias;    ///< where the sign is
  uint32_t infinite, nan;  ///< codes from which on they are so
};
constexpr Element kElements[] = {
    {6, 7, 3, 7, 0x7F, 0x7F}, {7, 3, 1, 1, 8, 8}, {8, 7, 2, 15, 0x7C, 0x7D}};

float element_times(const Element& e, uint32_t code, uint32_t scale) {
  const uint32_t magnitude = code & ((1U << e.sign) - 1), sign = code >> e.sign << 31;
  if (scale == 255 || magnitude >= e.nan) return std::bit_cast<float>(0x7FC00000);
  if (magnitude >= e.infinite) return std::bit_cast<float>(sign | 0x7F800000);
  const double value = std::ldexp(element_value(magnitude, e.bits, e.bias), scale - 127.0);
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(static_cast<float>(value)));
}

// Every element at every scale, also those that no encoder makes; by arithmetic on the fields, not
// by the reference.
TEST(DequantizerRtl, EveryElementAtEveryScale) {
  DequantizerBench bench(5);
  for (const Element& e : kElements) {
    const uint32_t codes = 2U << e.sign, blocks = (codes + 31) / 32;
    for (uint32_t scale = 0; scale < 256; ++scale) {
      Bytes bytes(16, 0);
      bytes[0] = e.format;
      put32(bytes, 4, 32 * blocks);
      std::vector<float> values;
      for (uint32_t b = 0; b < blocks; ++b) {
        bytes.push_back(scale);
        for (uint32_t i = 0; i < 32; ++i) {
          const uint32_t code = (32 * b + i) % codes;
          values.push_back(element_times(e, code, scale));
          if (e.sign == 7) {
            bytes.push_back(code);
          } else if (i % 2 == 0) {
            bytes.push_back(code);
          } else {
            bytes.back() |= code << 4;
          }
        }
      }
      bytes.push_back(0);
      bench.send({bytes}, values);
    }
    bench.run(0, 20);
    ASSERT_FALSE(::testing::Test::HasFailure()) << "format " << int{e.format};
  }
  // No format above.
  for (uint32_t format = 9; format < 256; ++format) {
    Bytes bytes(16 + 33 + 1, 0);
    bytes[0] = format;
    put32(bytes, 4, 32);
    bench.send({bytes}, Reason::kFormat);
  }
  bench.run(0, 0);
}

// A packet that ends with a whole beat amid its payload: all of its last beat is read, and the beat
// still is there for the error step.
TEST(DequantizerRtl, TruncatedBehindAWholeBeat) {
  DequantizerBench bench(1);
  Bytes packet = encoded(bench, "onebit:residual=off", 200, 100);
  packet.resize(32);
  bench.send({packet});
  bench.send({encoded(bench, "mxfp8", 100, 100)});
  bench.run(0, 0);
  // The packet's last byte is the status and no payload, whatever it was before the cut.
  EXPECT_EQ(bench.left_at.size(), 15u + 1u + 13u);
}

// Tokens are read until 24 beats are in the output queue; six are on their way then, and four beats
// in the buffer.
TEST(DequantizerRtl, CreditAndBufferHold) {
  DequantizerBench bench(1);
  for (int i = 0; i < 60; ++i) bench.send({encoded(bench, "bgt:t=2^-3,residual=off", 8, 100)});
  bench.cycles(100, 0, 100);
  EXPECT_EQ(bench.accepted_at.size(), 34u);
  EXPECT_TRUE(bench.left_at.empty());
  bench.run(0, 0);
  EXPECT_EQ(bench.left_at.size(), 60u);
}

// Rice: two entries a cycle, a beat a cycle, whichever takes longer, and 16 cycles; packets one
// behind the other, with k as the encoder chooses it and with k = 6, which it begins with.
TEST(DequantizerRtl, RiceTakesTwoEntriesACycle) {
  for (const char* spec :
       {"bgt:t=2^-3,coding=rice,residual=off", "qgt:t=2^-4,coding=rice,residual=off",
        "adaptive:p=2,coding=rice,residual=off"}) {
    for (uint32_t density : {0, 2, 5, 12, 20, 25, 30, 50, 75, 100}) {
      for (uint32_t n : {8, 100, 1000, 4096}) {
        DequantizerBench bench(2);
        const uint32_t packets = tests::kSanitized ? 3 : 10;
        uint64_t bound = 0;
        for (uint32_t i = 0; i < packets; ++i) {
          const Bytes packet = encoded(bench, spec, n, density);
          std::vector<float> values;
          const size_t entries = reference::quant::decode_packet(packet, 4096, values).entries;
          const uint64_t beats = (packet.size() + 31) / 32;
          bound += std::max<uint64_t>({(n + 7) / 8, (entries + 1) / 2, beats}) + 16;
          bench.send({packet});
        }
        bench.run(0, 0);
        ASSERT_EQ(bench.left_at.size(), packets * ((n + 7) / 8));
        const uint64_t took = bench.left_at.back() - bench.accepted_at.front();
        EXPECT_LE(took, bound) << spec << " density " << density << " n " << n;
        if (n == 4096) {
          std::printf("%s, density %u: %.1f cycles a packet, %.1f allowed\n", spec, density,
                      static_cast<double>(took) / packets, static_cast<double>(bound) / packets);
        }
      }
    }
  }
}

TEST(DequantizerRtl, ABeatACycle) {
  for (const char* spec :
       {"onebit:residual=off", "mxfp8", "mxfp8-e5m2", "mxfp4", "bgt:t=2^-3,residual=off"}) {
    DequantizerBench bench(3);
    for (int i = 0; i < 10; ++i) bench.send({encoded(bench, spec, 1024, 100)});
    bench.run(0, 0);
    ASSERT_EQ(bench.left_at.size(), 1280u);
    // The first beat of mxfp8 waits for its second input beat.
    EXPECT_LE(bench.left_at.back() - bench.left_at.front(), 1290u) << spec;
  }
  DequantizerBench bench(4);  // packets of one beat
  for (int i = 0; i < 200; ++i) bench.send({encoded(bench, "bgt:t=2^-3,residual=off", 8, 100)});
  bench.run(0, 0);
  ASSERT_EQ(bench.left_at.size(), 200u);
  EXPECT_EQ(bench.left_at.back() - bench.left_at.front(), 199u);
}

}  // namespace
}  // namespace gw::dequantizer_rtl_test
