#include "models/reference/codec_statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gw::reference {

void CodecStatistics::add_value(uint32_t bits) {
  const EncodedValue encoded = encode_value(bits, config_);
  ++tags_[static_cast<size_t>(encoded.tag)];
  encoded_bytes_ += static_cast<uint64_t>(payload_bytes(encoded.tag));

  const double before = std::bit_cast<float>(bits);
  if (!std::isfinite(before)) return;
  const double after = std::bit_cast<float>(decode_value(encoded, config_));
  const double error = std::fabs(after - before);  // exact: both are multiples of the same ulp
  ++finite_;
  sum_abs_error_ += error;
  max_abs_error_ = std::max(max_abs_error_, error);
}

void CodecStatistics::add_group_overhead(size_t values) {
  encoded_bytes_ += kTagBytes * groups_of_values(values);
}

void CodecStatistics::add(std::span<const uint32_t> values) {
  for (const uint32_t bits : values) add_value(bits);
  add_group_overhead(values.size());
}

void CodecStatistics::add(std::span<const float> values) {
  for (const float value : values) add_value(std::bit_cast<uint32_t>(value));
  add_group_overhead(values.size());
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
