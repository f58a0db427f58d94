#include "models/reference/codec_statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gw::reference {

void CodecStatistics::add(std::span<const uint32_t> values) {
  // Through the stream codec, which is fast, and equal to the scalar one on every input.
  const size_t groups = groups_of_values(values.size());
  encoded_.resize(max_encoded_size(values.size()));
  decoded_.resize(groups * kGroupValues);
  const size_t size = encode_into(values, config_, encoded_);
  encoded_bytes_ += size;
  decode_into(std::span<const uint8_t>(encoded_.data(), size), config_,
              std::span<uint32_t>(decoded_));
  count_tags(size);
  tags_[static_cast<size_t>(Tag::kZero)] -= groups * kGroupValues - values.size();  // padding

  // Eight sums side by side, so that the compiler may use vectors.
  std::array<double, kGroupValues> sum{}, max{};
  uint64_t finite = 0;
  const auto add_error = [&](size_t i, size_t lane) {
    const bool counts = (values[i] & 0x7F800000u) != 0x7F800000u;
    const double before = std::bit_cast<float>(values[i]);
    const double after = std::bit_cast<float>(decoded_[i]);
    const double error = counts ? std::fabs(after - before) : 0;  // exact: multiples of one ulp
    finite += counts;
    sum[lane] += error;
    max[lane] = error > max[lane] ? error : max[lane];
  };
  size_t i = 0;
  for (; i + kGroupValues <= values.size(); i += kGroupValues) {
    for (size_t lane = 0; lane < kGroupValues; ++lane) add_error(i + lane, lane);
  }
  for (; i < values.size(); ++i) add_error(i, i % kGroupValues);
  finite_ += finite;
  for (const double lane : sum) sum_abs_error_ += lane;
  max_abs_error_ = std::max(max_abs_error_, *std::max_element(max.begin(), max.end()));
}

void CodecStatistics::add(std::span<const float> values) {
  add(std::span<const uint32_t>(reinterpret_cast<const uint32_t*>(values.data()), values.size()));
}

void CodecStatistics::count_tags(size_t size) {
  for (size_t at = 0; at < size;) {
    const auto tags = static_cast<uint16_t>(encoded_[at] | encoded_[at + 1] << 8);
    const unsigned low = tags & 0x5555u, high = tags >> 1 & 0x5555u;
    const auto raw = static_cast<uint64_t>(std::popcount(low & high));
    const auto half = static_cast<uint64_t>(std::popcount(high & ~low));
    const auto byte = static_cast<uint64_t>(std::popcount(low & ~high));
    tags_[static_cast<size_t>(Tag::kRaw)] += raw;
    tags_[static_cast<size_t>(Tag::kHalf)] += half;
    tags_[static_cast<size_t>(Tag::kByte)] += byte;
    tags_[static_cast<size_t>(Tag::kZero)] += kGroupValues - raw - half - byte;
    at += kTagBytes + 4 * raw + 2 * half + byte;
  }
}

void CodecStatistics::merge(const CodecStatistics& other) {
  for (size_t tag = 0; tag < tags_.size(); ++tag) tags_[tag] += other.tags_[tag];
  encoded_bytes_ += other.encoded_bytes_;
  finite_ += other.finite_;
  max_abs_error_ = std::max(max_abs_error_, other.max_abs_error_);
  sum_abs_error_ += other.sum_abs_error_;
}

double CodecStatistics::ratio() const {
  if (encoded_bytes_ == 0) return 0;
  return 4.0 * static_cast<double>(values()) / static_cast<double>(encoded_bytes_);
}

double CodecStatistics::mean_abs_error() const {
  return finite_ == 0 ? 0 : sum_abs_error_ / static_cast<double>(finite_);
}

}  // namespace gw::reference
