// SPDX-License-Identifier: Apache-2.0
#include "models/reference/codec_statistics.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gw::reference {
namespace {

// A group's lanes, as both compilers' vectors.
typedef uint32_t Words [[gnu::vector_size(4 * kGroupValues)]];
typedef float Floats [[gnu::vector_size(4 * kGroupValues)]];
typedef double Doubles [[gnu::vector_size(8 * kGroupValues)]];
typedef int64_t Longs [[gnu::vector_size(8 * kGroupValues)]];

}  // namespace

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

  // A group at a time, its lanes side by side; what a last group lacks is equal to what came back.
  Words counted{};
  Doubles sum{}, max{};
  for (size_t at = 0; at < values.size(); at += kGroupValues) {
    Words before, after;
    std::memcpy(&after, decoded_.data() + at, sizeof after);
    if (at + kGroupValues <= values.size()) {
      std::memcpy(&before, values.data() + at, sizeof before);
    } else {
      before = after;
      std::memcpy(&before, values.data() + at, (values.size() - at) * sizeof values[0]);
    }
    const Words finite = (before & 0x7F800000u) != 0x7F800000u;  // all ones, or 0
    counted -= finite;
    const Doubles error = __builtin_convertvector((Floats)(after & finite), Doubles) -
                          __builtin_convertvector((Floats)(before & finite), Doubles);
    const auto size = (Doubles)((Longs)error & INT64_MAX);  // exact: multiples of one ulp
    sum += size;
    max = size > max ? size : max;
  }
  finite_ -= groups * kGroupValues - values.size();  // padding comes back as 0
  double largest = 0;
  for (size_t lane = 0; lane < kGroupValues; ++lane) {
    finite_ += counted[lane];
    sum_abs_error_ += sum[lane];
    largest = std::max(largest, max[lane]);
  }
  max_abs_error_ = std::max(max_abs_error_, largest);
  note(config_.mode, largest / config_.bound());  // exact: a power of two
}

void CodecStatistics::note(Mode mode, double error_to_bound) {
  std::optional<double>& worst = error_to_bound_[mode == Mode::kBounded ? 1 : 0];
  worst = std::max(worst.value_or(0), error_to_bound);
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
  mixed_ = mixed_ || other.mixed_ || config_ != other.config_;
  for (const Mode mode : {Mode::kPaper, Mode::kBounded}) {
    const auto& worst = other.error_to_bound_[mode == Mode::kBounded ? 1 : 0];
    if (worst) note(mode, *worst);
  }
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
