// What the codec does to given values: tags, size, error. Use it to fill the compression part of a
// report; add() packet by packet, merge() what several workers counted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/reference/codec.h"

namespace gw::reference {

/// Errors are measured over the finite values; infinities and NaNs are RAW, hence bit-identical.
class CodecStatistics {
 public:
  explicit CodecStatistics(CodecConfig config) : config_(config) {}
  /// Sets the configuration of the streams that follow.
  void configure(CodecConfig config) {
    mixed_ = mixed_ || (values() != 0 && config != config_);
    config_ = config;
  }
  /// Streams had different configurations.
  bool mixed() const { return mixed_; }

  /// Counts one stream (a packet): its last group is padded as encode() does.
  void add(std::span<const uint32_t> values);
  void add(std::span<const float> values);
  /// Adds what `other` has counted.
  void merge(const CodecStatistics& other);

  CodecConfig config() const { return config_; }
  uint64_t values() const { return tags_[0] + tags_[1] + tags_[2] + tags_[3]; }
  uint64_t finite_values() const { return finite_; }
  /// Values that got this tag; lanes that pad a last group are not counted.
  uint64_t count(Tag tag) const { return tags_[static_cast<size_t>(tag)]; }
  uint64_t encoded_bytes() const { return encoded_bytes_; }
  /// Uncompressed over compressed size, 32 / mean bits per value; 0 if there is no value.
  double ratio() const;
  double max_abs_error() const { return max_abs_error_; }
  double mean_abs_error() const;
  /// The largest error as a share of its own stream's bound. Of streams of mode paper, which holds
  /// no bound, only if there are no others.
  double error_to_bound() const {
    return error_to_bound_[1] ? *error_to_bound_[1] : error_to_bound_[0].value_or(0);
  }
  /// Every finite value of these streams came back with an error below the bound.
  bool bound_held() const { return error_to_bound() < 1; }

 private:
  void note(Mode mode, double error_to_bound);
  /// Of the first `size` bytes of encoded_.
  void count_tags(size_t size);

  CodecConfig config_;
  std::array<uint64_t, 4> tags_{};
  uint64_t encoded_bytes_ = 0;
  uint64_t finite_ = 0;
  bool mixed_ = false;
  std::array<std::optional<double>, 2> error_to_bound_;  // of streams in mode paper, bounded
  double max_abs_error_ = 0;
  double sum_abs_error_ = 0;
  std::vector<uint8_t> encoded_;  // of the packet at hand
  std::vector<uint32_t> decoded_;
};

}  // namespace gw::reference
