// Encoders of quantised gradients with their residuals: `threshold` (WGT, BGT, QGT), `onebit`,
// `adaptive` and `mx`, bit-exact as the hardware's. Use it wherever chunks of gradients become
// packets; decoder.h is the way back, packet.h the layout.
//
// A Quantiser is one worker's device: a memory of `rows` rows of 8 residuals, zero at first. v = g
// + r is binary32, nearest even, with subnormals; what is sent stands for d; the new residual is v
// - d. -0 counts as non-negative. Where g or v is not finite v is r, and the status says so.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/reference/quant/packet.h"

namespace gw::reference::quant {

inline constexpr int kMinP = 1;
inline constexpr int kMaxP = 10;

struct ConfigResult;

/// What is done to every chunk. Build it with parse_config() or round T with round_threshold(): a
/// Quantiser aborts on T or p out of range, because that is a bug of the caller.
struct Config {
  Method method = Method::kWgt;
  float threshold = 0x1p-10f;  ///< T of WGT, BGT, QGT: 2^-100..2^100, its low 8 mantissa bits zero
  int p = 6;                   ///< ADAPTIVE sends about 2^-p of each sign: 1..10
  Coding coding = Coding::kMask;
  bool residual = true;  ///< what was not sent is added to the next chunk of the same rows
  ScaleRule scale = ScaleRule::kFloor;  ///< of the blocks of MX

  friend bool operator==(const Config&, const Config&) = default;
};

/// Either a configuration or a sentence that says why not.
struct ConfigResult {
  std::optional<Config> config;
  std::string error;
};

/// METHOD[:KEY=VALUE,...]: raw, wgt, bgt, qgt (t=, coding=, residual=), onebit (residual=),
/// adaptive (p=, coding=, residual=), mxfp8, mxfp8-e5m2, mxfp4 (scale=, residual=). t is decimal or
/// 2^N and is rounded as round_threshold() does; coding is mask or rice, scale floor or up,
/// residual on or off. Left out: t=2^-10, p=6, mask, floor, residuals on except of raw and MX.
ConfigResult parse_config(std::string_view spec);
/// The shortest text that parse_config() reads as `config`.
std::string config_text(const Config& config);

/// T to the nearest value with its low 8 mantissa bits zero (ties to even): 1 to 255 times it is
/// then exact. Empty if T is not from 2^-100 to 2^100.
std::optional<float> round_threshold(double t);

/// A chunk as it arrives.
struct Chunk {
  std::span<const float> values;      ///< what came; beyond n it is discarded
  uint32_t row = 0;                   ///< where its residuals begin
  std::optional<uint32_t> announced;  ///< n, if it is not values.size(); at most kMaxValues
  bool ragged = false;                ///< the bytes that came were no whole number of values
  bool error = false;                 ///< marked as in error
};

/// What became of it.
struct ChunkReport {
  Method method = Method::kRaw;  ///< kRaw also if the chunk did not fit
  size_t n = 0;
  size_t entries = 0;  ///< values sent: of RAW, ONEBIT and MX all
  int k = -1;          ///< of Rice codes, else -1
  uint8_t status = 0;
  size_t bytes = 0;  ///< of the packet
  // ONEBIT: values that its sums do not hold (fixed_point() in values.h).
  size_t clipped = 0;        ///< of 256 and more in magnitude
  size_t vanished = 0;       ///< not zero, below 2^-32 in magnitude
  size_t clipped_means = 0;  ///< means, of two, that a clipped value makes too small
};

class Quantiser {
 public:
  static constexpr size_t kDefaultRows = 8192;
  static constexpr size_t kMaxRows = size_t{1} << 18;

  /// `rows` may be more than hardware has. Aborts on a configuration out of range.
  explicit Quantiser(const Config& config, size_t rows = kDefaultRows);

  const Config& config() const { return config_; }
  /// From the next chunk on; residuals and what Rice codes remember stay.
  void configure(const Config& config);

  /// Puts the packet in the place of what `packet` held. A chunk that does not fit (row + ceil(n /
  /// 8) > rows where residuals or Rice codes of `threshold` need them, n > 4,096 of ONEBIT and
  /// ADAPTIVE, n = 0) leaves as RAW and touches no residual. Aborts if n > kMaxValues.
  ChunkReport encode(const Chunk& chunk, std::vector<uint8_t>& packet);
  ChunkReport encode(std::span<const float> values, uint32_t row, std::vector<uint8_t>& packet) {
    Chunk chunk;
    chunk.values = values;
    chunk.row = row;
    return encode(chunk, packet);
  }

  /// The fastest one at first. One that the CPU does not have ends the program.
  void use(Implementation by) { by_ = by; }

  size_t rows() const { return k_.size(); }
  /// 8 a row.
  std::span<float> residuals() { return residuals_; }
  std::span<const float> residuals() const { return residuals_; }
  /// As after construction.
  void reset();

 private:
  bool fits(const Chunk& chunk, size_t n) const;
  bool encode_fast(const Chunk& chunk, std::vector<uint8_t>& packet, ChunkReport& report);

  Config config_;
  std::vector<float> residuals_;
  std::vector<uint8_t> k_;  // by first row, of the next threshold packet there
  // Of the chunk at hand, by value: the sum with its residual, and what of it is sent: 0 nothing,
  // else m of QGT or 1.
  std::vector<float> v_;
  std::vector<uint8_t> sent_;
  Implementation by_ = best_implementation();
  std::vector<uint8_t> room_;  // for the packet that vector code writes
};

}  // namespace gw::reference::quant
