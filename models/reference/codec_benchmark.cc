// SPDX-License-Identifier: Apache-2.0
#include "models/reference/codec_benchmark.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

namespace gw::reference {
namespace {

using Clock = std::chrono::steady_clock;

/// FNV-1a over words, then the tail's bytes.
uint64_t checksum(std::span<const uint8_t> bytes) {
  uint64_t hash = 0xCBF29CE484222325u;
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + i, sizeof word);
    hash = (hash ^ word) * 0x100000001B3u;
  }
  for (; i < bytes.size(); ++i) hash = (hash ^ bytes[i]) * 0x100000001B3u;
  return hash;
}

void expect(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "gw::reference: benchmark: %s\n", what);
  std::abort();
}

/// Keeps the compiler from dropping a copy whose result it thinks nobody reads.
void keep(const void* memory) { asm volatile("" : : "r"(memory) : "memory"); }

uint32_t random_below_exponent(std::mt19937_64& random, int from, int to) {
  const auto bits = static_cast<uint32_t>(random());
  const auto span = static_cast<uint32_t>(to - from);
  const uint32_t exponent = static_cast<uint32_t>(from) + static_cast<uint32_t>(random() % span);
  return (bits & 0x807FFFFFu) | exponent << 23;
}

}  // namespace

std::vector<float> synthetic_values(size_t count, TagMix mix, CodecConfig config, uint64_t seed) {
  const int byte_from = config.byte_from();
  const int half_from = config.half_from();
  // Where T is 127 there is no HALF; such values become BYTE.
  const int half_low = half_from < 127 ? half_from : byte_from;
  std::mt19937_64 random(seed);
  std::discrete_distribution<int> tag({mix.zero, mix.byte, mix.half, mix.raw});
  std::vector<float> values(count);
  for (float& value : values) {
    uint32_t bits = 0;
    switch (static_cast<Tag>(tag(random))) {
      case Tag::kZero:
        bits = random_below_exponent(random, byte_from - 24, byte_from);
        break;
      case Tag::kByte:
        bits = random_below_exponent(random, byte_from, half_from);
        break;
      case Tag::kHalf:
        bits = random_below_exponent(random, half_low, 127);
        break;
      case Tag::kRaw:
        bits = random_below_exponent(random, 127, 135);
        break;
    }
    value = std::bit_cast<float>(bits);
  }
  return values;
}

std::vector<double> median_seconds(std::span<const std::function<void()>> jobs, int rounds) {
  std::vector<std::vector<double>> seconds(jobs.size());
  for (int round = 0; round < std::max(rounds, 1); ++round) {
    for (size_t job = 0; job < jobs.size(); ++job) {
      const auto start = Clock::now();
      jobs[job]();
      seconds[job].push_back(std::chrono::duration<double>(Clock::now() - start).count());
    }
  }
  std::vector<double> medians;
  for (std::vector<double>& of_job : seconds) {
    const auto middle = of_job.begin() + static_cast<std::ptrdiff_t>(of_job.size() / 2);
    std::nth_element(of_job.begin(), middle, of_job.end());
    medians.push_back(*middle);
  }
  return medians;
}

CodecBenchmark benchmark_codec(std::span<const float> values, CodecConfig config,
                               const Implementation& implementation, int rounds) {
  CodecBenchmark result;
  result.implementation = implementation.name;
  if (values.empty()) return result;

  const size_t padded = groups_of_values(values.size()) * kGroupValues;
  std::vector<float> copy(values.size());
  std::vector<uint8_t> encoded(max_encoded_size(values.size()));
  std::vector<float> decoded(padded);
  size_t encoded_size = encode_into(values, config, encoded, implementation);
  const std::vector<uint8_t> stream(encoded.begin(),
                                    encoded.begin() + static_cast<std::ptrdiff_t>(encoded_size));
  decode_into(stream, config, decoded, implementation);
  const auto bytes_of = [](const std::vector<float>& floats) {
    return std::span(reinterpret_cast<const uint8_t*>(floats.data()),
                     floats.size() * sizeof(float));
  };
  const uint64_t expected_stream = checksum(stream);
  const uint64_t expected_values = checksum(bytes_of(decoded));
  std::fill(decoded.begin(), decoded.end(), 0.0f);
  std::fill(encoded.begin(), encoded.end(), uint8_t{0});

  bool ok = true;
  const std::vector<std::function<void()>> jobs = {
      [&] {
        std::memcpy(copy.data(), values.data(), values.size_bytes());
        keep(copy.data());
      },
      [&] {
        encoded_size = encode_into(values, config, encoded, implementation);
        ok = ok && encoded_size == stream.size();
      },
      [&] {
        const DecodeProgress progress = decode_into(stream, config, decoded, implementation);
        ok = ok && progress.values == padded && !progress.error;
      }};
  const std::vector<double> seconds = median_seconds(jobs, rounds);

  expect(ok, "a round gave a stream or a number of values of another size");
  expect(std::memcmp(copy.data(), values.data(), values.size_bytes()) == 0, "the copy differs");
  expect(checksum(std::span(encoded).first(encoded_size)) == expected_stream,
         "the encoded stream changed between rounds");
  expect(checksum(bytes_of(decoded)) == expected_values, "the values changed between rounds");

  const double gigabytes = static_cast<double>(values.size_bytes()) * 1e-9;
  result.memcpy_gbps = gigabytes / seconds[0];
  result.encode_gbps = gigabytes / seconds[1];
  result.decode_gbps = gigabytes / seconds[2];
  result.encode_to_memcpy = seconds[0] / seconds[1];
  result.decode_to_memcpy = seconds[0] / seconds[2];
  return result;
}

}  // namespace gw::reference
