// What the paper compares its codec with: truncation of the least significant bits, and lossless
// compression by Snappy (the real library). measure_*() put all of them in one table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/reference/codec.h"

namespace gw::reference {

inline constexpr std::array<int, 3> kTruncations = {16, 22, 24};  // dropped bits, as in the paper

// Truncation: the low `dropped` (1..31) bits of every value become zero and are not transmitted.

uint32_t truncate_value(uint32_t bits, int dropped);
/// The kept bits of all values, one after the other, least significant first; the last byte padded.
std::vector<uint8_t> truncation_encode(std::span<const float> values, int dropped);
/// `count` values; empty if the stream is too short for them.
std::optional<std::vector<float>> truncation_decode(std::span<const uint8_t> stream, int dropped,
                                                    size_t count);

// Snappy.

std::vector<uint8_t> snappy_encode(std::span<const float> values);

struct SnappyResult {
  std::vector<float> values;
  std::string error;  // a sentence, empty if all went well
};
SnappyResult snappy_decode(std::span<const uint8_t> stream);

// Figures.

/// Errors are over finite values, as in CodecStatistics. GB/s of uncompressed floats.
struct BaselineFigures {
  std::string name;
  double ratio = 0;
  double max_abs_error = 0;
  double mean_abs_error = 0;
  double rel_l2_error = 0;  ///< |values - decoded| / |values|
  double encode_gbps = 0;
  double decode_gbps = 0;
};

BaselineFigures measure_truncation(std::span<const float> values, int dropped, int rounds = 5);
BaselineFigures measure_snappy(std::span<const float> values, int rounds = 5);
BaselineFigures measure_codec(std::span<const float> values, CodecConfig config, int rounds = 5);

/// The codec, then every truncation of kTruncations, then Snappy.
std::vector<BaselineFigures> measure_all(std::span<const float> values, CodecConfig config,
                                         int rounds = 5);

}  // namespace gw::reference
