// What a quantiser does to gradients, over chunks and iterations: size, error, residual, and
// whether anything was lost. Use it to fill the `quantizer` part of a report. spec: section 8 of
// the quantisers' page.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/reference/quant/quantiser.h"

namespace gw::reference::quant {

/// Errors are over the finite gradients, of what is received against what came in the same
/// iteration; residuals over the values that were in any chunk, as they are now.
struct Figures {
  uint64_t chunks = 0;
  uint64_t raw_chunks = 0;  ///< that did not fit
  uint64_t values = 0;
  uint64_t not_finite = 0;  ///< of them
  uint64_t entries = 0;     ///< values sent
  uint64_t bytes = 0;       ///< of packets
  double sent_share = 0;
  double k_mean = -1;         ///< of packets in Rice code; -1: there is none
  double bits_per_entry = 0;  ///< of payload; 0: nothing was sent
  double payload_ratio = 0;   ///< the papers' count: 32, 8, 4 or 1 bits a sent value, no index
  double ratio = 0;           ///< floats over packets
  double rel_l2_error = 0;    ///< |g - d| / |g|
  double max_abs_error = 0;
  uint64_t clipped = 0, vanished = 0, clipped_means = 0;  ///< of ONEBIT, as ChunkReport has them
  double residual_rms = 0;
  double residual_max = 0;
  double residual_to_gradient = 0;  ///< rms over the gradients' rms
  /// What is neither sent nor kept: |sum g - sum d - r| of a value over iterations, summed over
  /// values, over the sum of |g|. Not a value's own: of a small gradient beside a large residual or
  /// mean binary32 keeps few bits. Nor can one value's loss make up for another's.
  double conservation = 0;
};

/// As the specification asks for, with residuals: what binary32 loses in a few dozen iterations.
inline constexpr double kConservationLimit = 0x1p-22;

class Statistics {
 public:
  /// Of a quantiser with so many rows.
  explicit Statistics(size_t rows) : positions_(rows * kLanes) {}

  /// A chunk that was announced as it came, what became of it, and what was received. Chunks beyond
  /// the rows count, but for conservation and residuals.
  void add(std::span<const float> g, uint32_t row, const ChunkReport& report,
           std::span<const float> d);

  /// `residuals` as they are now, empty if there are none: then conservation is 0.
  Figures figures(std::span<const float> residuals) const;

 private:
  /// Of one place of a residual, over iterations.
  struct Position {
    double difference = 0;  // sum g - sum d
    double magnitude = 0;   // sum |g|
    bool used = false;
  };

  std::vector<Position> positions_;
  Figures sums_;
  uint64_t rice_packets_ = 0, rice_k_ = 0;
  double papers_bits_ = 0, payload_bytes_ = 0;
  double squared_error_ = 0, squared_gradient_ = 0;
};

}  // namespace gw::reference::quant
