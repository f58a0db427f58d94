// How fast the cores are, in M bursts/s, beside what 10 GbE needs. Prints; what it asserts is that
// the work was done: beat counts and a checksum of every byte that left, against the specification.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <random>
#include <vector>

#include "models/systemc/compressor.h"
#include "models/systemc/decompressor.h"
#include "tests/systemc/spec_codec.h"

namespace gw::systemc::codec_speed_test {
namespace {

constexpr double k10GbeMbursts = 39.0625;  // 10 Gb/s over 256 bits
constexpr int kPacketBeats = 46;           // an MTU of 1500 bytes
constexpr int kPackets = 1000;             // 1.47 MB of floats
constexpr CodecConfig kConfig{.bound = 10, .bounded = true};

/// A float of class `tag` for bound 2^-10 (BYTE from exponent 117, HALF from
/// 122), any mantissa and sign.
uint32_t value_of(int tag, std::mt19937& random) {
  static constexpr uint32_t kLow[] = {100, 117, 122, 127};
  static constexpr uint32_t kCount[] = {17, 5, 5, 3};
  const uint32_t bits = static_cast<uint32_t>(random());
  return (bits & 0x807FFFFF) | (kLow[tag] + random() % kCount[tag]) << 23;
}

/// Packets whose values have tag i with probability weights[i].
std::vector<Beat> gradients(std::array<double, 4> weights) {
  std::mt19937 random(1);
  std::discrete_distribution<int> tag(weights.begin(), weights.end());
  std::vector<Beat> beats(kPacketBeats * kPackets);
  for (size_t i = 0; i < beats.size(); ++i) {
    for (uint32_t& value : beats[i].data) value = value_of(tag(random), random);
    beats[i].last = i % kPacketBeats == kPacketBeats - 1;
  }
  return beats;
}

/// The specification's output for `packets`, cut into beats.
std::vector<Beat> encoded(const std::vector<Beat>& packets) {
  std::vector<Beat> out;
  std::vector<uint8_t> bytes;
  for (const Beat& beat : packets) {
    const auto group = spec::encode_group(beat.data, kConfig);
    bytes.insert(bytes.end(), group.begin(), group.end());
    if (beat.last == 0) continue;
    for (size_t at = 0; at < bytes.size(); at += kBeatBytes) {
      const size_t size = std::min<size_t>(kBeatBytes, bytes.size() - at);
      Beat& b = out.emplace_back();
      std::memcpy(b.data.data(), &bytes[at], size);
      b.keep = keep_of_bytes(static_cast<int>(size));
      b.last = at + size == bytes.size();
    }
    bytes.clear();
  }
  return out;
}

std::vector<Beat> decoded(const std::vector<Beat>& packets) {
  std::vector<Beat> out = packets;
  for (Beat& beat : out) {
    beat.data = spec::decode_group(spec::encode_group(beat.data, kConfig).data(), kConfig);
  }
  return out;
}

struct Sum {
  std::array<uint64_t, 6> terms{};
  uint64_t beats = 0;

  void add(const Beat& beat) {
    std::array<uint64_t, 4> quads;
    std::memcpy(quads.data(), beat.data.data(), sizeof quads);
    for (int i = 0; i < 4; ++i) terms[i] += quads[i];
    terms[4] += beat.keep;
    terms[5] += beat.last + 2u * beat.user;
    ++beats;
  }
};

struct Run {
  Sum sum;
  uint64_t cycles = 0;
  double seconds = 0;
};

/// `rounds` times `in` through the device, source and sink always willing.
template <typename Device>
Run run(const std::vector<Beat>& in, size_t out_beats, int rounds) {
  Device device(kConfig);
  Run r;
  const auto begin = std::chrono::steady_clock::now();
  const Beat* next = in.data();
  const Beat* const end = next + in.size();
  int round = 0;
  while (r.sum.beats < out_beats * rounds) {
    const Beat* s = next != end ? next : nullptr;
    const bool accepted = s != nullptr && device.s_ready();
    if (const Beat* m = device.m_beat()) r.sum.add(*m);
    device.clock(s, true);
    next += accepted;
    if (next == end && round + 1 < rounds) {
      ++round;
      next = in.data();
    }
    ++r.cycles;
  }
  r.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return r;
}

template <typename Device>
void bench(const char* name, const std::vector<Beat>& in, const std::vector<Beat>& expected,
           double bursts) {
  constexpr int kRounds = 100;
  Run best;
  for (int i = 0; i < 5; ++i) {
    const Run r = run<Device>(in, expected.size(), kRounds);
    if (best.cycles == 0 || r.seconds < best.seconds) best = r;
  }
  const double rate = bursts * kRounds / best.seconds / 1e6;
  std::printf("%-28s %6.1f M bursts/s  %6.1f M cycles/s  %.2f x 10GbE  %.3f cycles/burst\n", name,
              rate, static_cast<double>(best.cycles) / best.seconds / 1e6, rate / k10GbeMbursts,
              static_cast<double>(best.cycles) / bursts / kRounds);

  Sum once;
  for (const Beat& beat : expected) once.add(beat);
  for (uint64_t& term : once.terms) term *= kRounds;
  once.beats *= kRounds;
  EXPECT_EQ(best.sum.beats, once.beats);
  EXPECT_EQ(best.sum.terms, once.terms);
}

void bench_both(const char* name, std::array<double, 4> weights) {
  const auto floats = gradients(weights);
  const auto bytes = encoded(floats);
  const auto bursts = static_cast<double>(floats.size());
  bench<Compressor>((std::string("compressor, ") + name).c_str(), floats, bytes, bursts);
  bench<Decompressor>((std::string("decompressor, ") + name).c_str(), bytes, decoded(floats),
                      bursts);
}

TEST(CodecSpeed, Gradients) { bench_both("gradients", {0.92, 0.065, 0.015, 0}); }
TEST(CodecSpeed, UniformTags) { bench_both("uniform tags", {1, 1, 1, 1}); }
TEST(CodecSpeed, AllRaw) { bench_both("all RAW", {0, 0, 0, 1}); }

}  // namespace
}  // namespace gw::systemc::codec_speed_test
