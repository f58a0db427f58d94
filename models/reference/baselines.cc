// SPDX-License-Identifier: Apache-2.0
#include "models/reference/baselines.h"

#include <snappy.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "models/reference/codec_benchmark.h"

namespace gw::reference {
namespace {

void check_dropped(int dropped) {
  if (dropped >= 1 && dropped <= 31) return;
  std::fprintf(stderr, "gw::reference: truncation of %d bits, outside 1..31\n", dropped);
  std::abort();
}

void fill_errors(std::span<const float> before, std::span<const float> after,
                 BaselineFigures& figures) {
  uint64_t finite = 0;
  double sum = 0, squared_error = 0, squared = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    if (!std::isfinite(before[i])) continue;
    const auto value = static_cast<double>(before[i]);
    const double error = std::fabs(static_cast<double>(after[i]) - value);
    ++finite;
    sum += error;
    squared_error += error * error;
    squared += value * value;
    figures.max_abs_error = std::max(figures.max_abs_error, error);
  }
  figures.mean_abs_error = finite == 0 ? 0 : sum / static_cast<double>(finite);
  figures.rel_l2_error = squared > 0 ? std::sqrt(squared_error / squared) : 0;
}

/// Runs and times a pair of functions and compares what comes back with what went in.
BaselineFigures measure(std::string name, std::span<const float> values, int rounds,
                        const std::function<size_t()>& encode_all,
                        const std::function<std::span<const float>()>& decode_all) {
  BaselineFigures figures;
  figures.name = std::move(name);
  if (values.empty()) return figures;

  const size_t size = encode_all();
  const std::span<const float> decoded = decode_all();
  if (decoded.size() < values.size()) {
    std::fprintf(stderr, "gw::reference: %s lost values\n", figures.name.c_str());
    std::abort();
  }
  fill_errors(values, decoded, figures);
  figures.ratio = static_cast<double>(values.size_bytes()) / static_cast<double>(size);

  const std::vector<std::function<void()>> jobs = {[&] { encode_all(); }, [&] { decode_all(); }};
  const std::vector<double> seconds = median_seconds(jobs, rounds);
  const double gigabytes = static_cast<double>(values.size_bytes()) * 1e-9;
  figures.encode_gbps = gigabytes / seconds[0];
  figures.decode_gbps = gigabytes / seconds[1];
  return figures;
}

}  // namespace

// ---------------------------------------------------------------------------------------------
// Truncation

uint32_t truncate_value(uint32_t bits, int dropped) {
  check_dropped(dropped);
  return bits >> dropped << dropped;
}

std::vector<uint8_t> truncation_encode(std::span<const float> values, int dropped) {
  check_dropped(dropped);
  const int kept = 32 - dropped;
  std::vector<uint8_t> stream((values.size() * static_cast<size_t>(kept) + 7) / 8);
  uint8_t* to = stream.data();
  uint64_t pending = 0;
  int pending_bits = 0;
  for (const float value : values) {
    pending |= uint64_t{std::bit_cast<uint32_t>(value) >> dropped} << pending_bits;
    pending_bits += kept;
    for (; pending_bits >= 8; pending_bits -= 8, pending >>= 8) {
      *to++ = static_cast<uint8_t>(pending);
    }
  }
  if (pending_bits > 0) *to = static_cast<uint8_t>(pending);
  return stream;
}

std::optional<std::vector<float>> truncation_decode(std::span<const uint8_t> stream, int dropped,
                                                    size_t count) {
  check_dropped(dropped);
  const int kept = 32 - dropped;
  if (stream.size() * 8 / static_cast<size_t>(kept) < count) return std::nullopt;
  std::vector<float> values(count);
  const uint8_t* from = stream.data();
  uint64_t pending = 0;
  int pending_bits = 0;
  for (float& value : values) {
    for (; pending_bits < kept; pending_bits += 8) pending |= uint64_t{*from++} << pending_bits;
    value = std::bit_cast<float>(static_cast<uint32_t>(pending) << dropped);
    pending >>= kept;
    pending_bits -= kept;
  }
  return values;
}

// ---------------------------------------------------------------------------------------------
// Snappy

std::vector<uint8_t> snappy_encode(std::span<const float> values) {
  std::vector<uint8_t> stream(snappy::MaxCompressedLength(values.size_bytes()));
  size_t size = 0;
  snappy::RawCompress(reinterpret_cast<const char*>(values.data()), values.size_bytes(),
                      reinterpret_cast<char*>(stream.data()), &size);
  stream.resize(size);
  return stream;
}

SnappyResult snappy_decode(std::span<const uint8_t> stream) {
  const char* bytes = reinterpret_cast<const char*>(stream.data());
  // The announced size is not trusted with an allocation before the stream is seen to produce it.
  size_t size = 0;
  if (!snappy::IsValidCompressedBuffer(bytes, stream.size()) ||
      !snappy::GetUncompressedLength(bytes, stream.size(), &size)) {
    return {{}, "The stream is not valid Snappy data."};
  }
  if (size % sizeof(float) != 0) {
    return {{},
            "The Snappy stream holds " + std::to_string(size) +
                " bytes, which is not a whole number of floats."};
  }
  SnappyResult result;
  result.values.resize(size / sizeof(float));
  if (!snappy::RawUncompress(bytes, stream.size(), reinterpret_cast<char*>(result.values.data()))) {
    return {{}, "The stream is not valid Snappy data."};
  }
  return result;
}

// ---------------------------------------------------------------------------------------------
// Figures

BaselineFigures measure_truncation(std::span<const float> values, int dropped, int rounds) {
  std::vector<uint8_t> stream;
  std::vector<float> decoded;
  return measure(
      "truncate " + std::to_string(dropped) + " LSBs", values, rounds,
      [&] {
        stream = truncation_encode(values, dropped);
        return stream.size();
      },
      [&] {
        decoded = *truncation_decode(stream, dropped, values.size());
        return std::span<const float>(decoded);
      });
}

BaselineFigures measure_snappy(std::span<const float> values, int rounds) {
  std::vector<uint8_t> stream;
  std::vector<float> decoded;
  return measure(
      "snappy", values, rounds,
      [&] {
        stream = snappy_encode(values);
        return stream.size();
      },
      [&] {
        decoded = snappy_decode(stream).values;
        return std::span<const float>(decoded);
      });
}

BaselineFigures measure_codec(std::span<const float> values, CodecConfig config, int rounds) {
  std::vector<uint8_t> stream(max_encoded_size(values.size()));
  std::vector<float> decoded(groups_of_values(values.size()) * kGroupValues);
  size_t size = 0;
  return measure(
      "inceptionn 2^-" + std::to_string(config.bound_exponent) + " " +
          std::string(mode_name(config.mode)),
      values, rounds, [&] { return size = encode_into(values, config, stream); },
      [&] {
        decode_into(std::span(stream).first(size), config, decoded);
        return std::span<const float>(decoded);
      });
}

std::vector<BaselineFigures> measure_all(std::span<const float> values, CodecConfig config,
                                         int rounds) {
  std::vector<BaselineFigures> all = {measure_codec(values, config, rounds)};
  for (const int dropped : kTruncations) all.push_back(measure_truncation(values, dropped, rounds));
  all.push_back(measure_snappy(values, rounds));
  return all;
}

}  // namespace gw::reference
