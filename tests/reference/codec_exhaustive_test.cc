// Proof by exhaustion: for every bound and both modes, all 2^32 inputs give the same bytes and the
// same values in every implementation as in the scalar one, and the codec page's properties hold.
//
//     codec_exhaustive_test              all 28 configurations
//     codec_exhaustive_test 10 bounded   one of them
//
// Prints one line per configuration, the table of errors of the codec page; progress goes to
// stderr. Exit code 0 if all is proven, 1 at the first difference, 2 on wrong usage.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "models/reference/codec.h"

namespace gw::reference {
namespace {

constexpr uint32_t kChunkGroups = 4096;
constexpr uint32_t kChunks = (uint32_t{1} << 29) / kChunkGroups;
constexpr size_t kChunkValues = size_t{kChunkGroups} * kGroupValues;
constexpr unsigned kThreads = 2;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Group `g` of 2^29 that together hold every 32-bit pattern once. The lane is the low part of the
/// exponent, so that a group mixes the classes.
uint32_t value_of(uint32_t g, uint32_t lane) {
  return (g >> 23) << 26 | lane << 23 | (g & 0x7FFFFF);
}

/// The buffers of one thread, and what it has seen.
class Worker {
 public:
  explicit Worker(CodecConfig config)
      : config_(config),
        values_(kChunkValues),
        expected_stream_(max_encoded_size(kChunkValues)),
        stream_(max_encoded_size(kChunkValues)),
        expected_values_(kChunkValues),
        decoded_(kChunkValues) {}

  /// A sentence about the first difference, or empty.
  std::string check_chunk(uint32_t chunk) {
    const uint32_t first_group = chunk * kChunkGroups;
    for (uint32_t g = 0; g < kChunkGroups; ++g) {
      for (uint32_t lane = 0; lane < kGroupValues; ++lane) {
        values_[g * kGroupValues + lane] = value_of(first_group + g, lane);
      }
    }

    const Implementation& scalar = implementations().front();
    const std::span<const uint32_t> values = values_;
    const size_t size = encode_into(values, config_, expected_stream_, scalar);
    const std::span<const uint8_t> stream = std::span(expected_stream_).first(size);
    const DecodeProgress progress =
        decode_into(stream, config_, std::span<uint32_t>(expected_values_), scalar);
    if (progress.values != kChunkValues || progress.error) return at(chunk, scalar, "lost values");

    for (const Implementation& other : implementations().subspan(1)) {
      if (encode_into(values, config_, stream_, other) != size ||
          std::memcmp(stream_.data(), stream.data(), size) != 0) {
        return at(chunk, other, "encodes differently");
      }
      const DecodeProgress done =
          decode_into(stream, config_, std::span<uint32_t>(decoded_), other);
      if (done.values != kChunkValues || done.consumed != size || done.error ||
          decoded_ != expected_values_) {
        return at(chunk, other, "decodes differently");
      }
    }

    if (config_.mode == Mode::kBounded) {
      const std::span<const uint32_t> again = expected_values_;
      if (encode_into(again, config_, stream_) != size ||
          std::memcmp(stream_.data(), stream.data(), size) != 0) {
        return at(chunk, best_implementation(), "does not encode decoded values to the same bytes");
      }
    }
    return check_values() ? std::string() : at(chunk, scalar, "breaks a property of values");
  }

  float max_error() const { return *std::max_element(max_error_.begin(), max_error_.end()); }

 private:
  std::string at(uint32_t chunk, const Implementation& implementation, const char* what) const {
    char text[200];
    std::snprintf(text, sizeof text, "%s %s, in the groups from %u (first value %08x).",
                  std::string(implementation.name).c_str(), what, chunk * kChunkGroups, values_[0]);
    return text;
  }

  /// RAW identical, sign never flipped, and the largest error of the others.
  bool check_values() {
    uint32_t wrong = 0;
    for (size_t i = 0; i < kChunkValues; i += kGroupValues) {
      for (size_t lane = 0; lane < kGroupValues; ++lane) {
        const uint32_t before = values_[i + lane];
        const uint32_t after = expected_values_[i + lane];
        const bool raw = (before & 0x7FFFFFFF) >= 0x3F800000;
        wrong |= raw & (before != after);
        wrong |= ((before ^ after) >> 31) & (after != 0);
        // Exact: the difference is a multiple of the smaller operand's ulp and below 2^24 of it.
        const float error = std::bit_cast<float>((before & 0x7FFFFFFF) * !raw) -
                            std::bit_cast<float>((after & 0x7FFFFFFF) * !raw);
        wrong |= error < 0;  // magnitudes are cut off, never rounded up
        max_error_[lane] = error > max_error_[lane] ? error : max_error_[lane];
      }
    }
    return wrong == 0;
  }

  CodecConfig config_;
  std::vector<uint32_t> values_;
  std::vector<uint8_t> expected_stream_;
  std::vector<uint8_t> stream_;
  std::vector<uint32_t> expected_values_;
  std::vector<uint32_t> decoded_;
  std::array<float, kGroupValues> max_error_{};
};

bool prove(CodecConfig config) {
  const auto start = Clock::now();
  std::atomic<uint32_t> next = 0;
  std::atomic<bool> failed = false;
  std::mutex mutex;
  std::string failure;
  double max_error = 0;
  uint64_t checked = 0;

  const auto work = [&](bool reports) {
    Worker worker(config);
    uint64_t done = 0;
    auto last_report = start;
    for (uint32_t chunk; !failed && (chunk = next++) < kChunks; ++done) {
      std::string difference = worker.check_chunk(chunk);
      if (!difference.empty()) {
        const std::lock_guard lock(mutex);
        failed = true;
        failure = std::move(difference);
      }
      if (reports && Clock::now() - last_report > std::chrono::seconds(1)) {
        last_report = Clock::now();
        std::fprintf(stderr, "\rk = %2d %-7s %5.1f %%", config.bound_exponent,
                     std::string(mode_name(config.mode)).c_str(), 100.0 * chunk / kChunks);
      }
    }
    const std::lock_guard lock(mutex);
    checked += done * kChunkValues;
    max_error = std::max(max_error, static_cast<double>(worker.max_error()));
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < kThreads; ++i) threads.emplace_back(work, false);
  work(true);
  for (std::thread& thread : threads) thread.join();
  std::fprintf(stderr, "\r%30s\r", "");

  const std::string mode(mode_name(config.mode));
  if (failed) {
    std::printf("k = %2d %-7s FAILED: %s\n", config.bound_exponent, mode.c_str(), failure.c_str());
    return false;
  }
  const double ratio = max_error / config.bound();
  const bool held = max_error < config.bound();
  const bool all = checked == uint64_t{1} << 32;
  // From k = 8 on paper mode is known to exceed its bound, 2^(k - 7) times as a limit.
  const int k = config.bound_exponent;
  const double limit = config.mode == Mode::kPaper && k > 7 ? std::ldexp(1.0, k - 7) : 1.0;
  const bool as_specified = ratio < limit && ratio > 0.9999 * limit;
  std::printf("k = %2d %-7s %llu values equal, max error / bound %9.5f (%s)%s%s, %.1f s\n", k,
              mode.c_str(), static_cast<unsigned long long>(checked), ratio,
              held ? "held" : "exceeded", all ? "" : ", NOT ALL VALUES",
              as_specified ? "" : ", NOT AS SPECIFIED", seconds_since(start));
  std::fflush(stdout);
  return all && as_specified;
}

int run(int argc, char** argv) {
  std::vector<CodecConfig> configs;
  if (argc == 1) {
    for (int k = kMinBoundExponent; k <= kMaxBoundExponent; ++k) {
      for (const Mode mode : {Mode::kPaper, Mode::kBounded}) configs.push_back({k, mode});
    }
  } else {
    const std::optional<Mode> mode = argc == 3 ? parse_mode(argv[2]) : std::nullopt;
    if (!mode) {
      std::fprintf(stderr, "usage: %s [K paper|bounded]\n", argv[0]);
      return 2;
    }
    const CodecConfigResult result = CodecConfig::make(std::atoi(argv[1]), *mode);
    if (!result.config) {
      std::fprintf(stderr, "%s\n", result.error.c_str());
      return 2;
    }
    configs.push_back(*result.config);
  }

  std::printf("scalar against");
  for (const Implementation& other : implementations().subspan(1)) {
    std::printf(" %s", std::string(other.name).c_str());
  }
  std::printf(", %u threads\n", kThreads);
  const auto start = Clock::now();
  for (const CodecConfig config : configs) {
    if (!prove(config)) return 1;
  }
  std::printf("%zu configurations proven in %.1f s\n", configs.size(), seconds_since(start));
  return 0;
}

}  // namespace
}  // namespace gw::reference

int main(int argc, char** argv) { return gw::reference::run(argc, argv); }
