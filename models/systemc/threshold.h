// Cycle-accurate core of the threshold quantiser, no SystemC in it (docs/devices/threshold.md).
//
// An item's vector is merged fifteen cycles after its start, whatever happens: the model makes it
// at the start, with its residuals, and notes the cycles in which they are seen.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/systemc/quantiser.h"
#include "models/systemc/sent_code.h"

namespace gw::systemc {

/// The pins that select what a packet becomes.
struct ThresholdConfig {
  uint8_t method = 0;      ///< method_i: 0 RAW, 1 WGT, 2 BGT, 3 QGT
  bool rice = false;       ///< coding_i: Rice, else mask; of WGT always mask
  uint32_t threshold = 0;  ///< threshold_i: T, the bits of a binary32
  bool residual = false;   ///< residual_i: residuals are added and kept

  friend bool operator==(const ThresholdConfig&, const ThresholdConfig&) = default;
};

class Threshold : public Quantiser<Threshold, ThresholdConfig> {
 public:
  /// A device whose last rising edge had aresetn = 0. Aborts if there are no such `rows`.
  explicit Threshold(uint32_t rows = kDefaultRows, ThresholdConfig config = {});

 private:
  friend Quantiser;
  static constexpr uint32_t kMergeDelay = 15;  // started in cycle s, merged in s+15
  static constexpr uint32_t kFreeDelay = 19;   // and its row, or k, can be read from s+19 on
  static constexpr uint8_t kFirstK = 6;        // of a row

  enum Method : uint8_t { kRaw = 0, kWgt = 1, kBgt = 2, kQgt = 3 };

  void begin(const ThresholdConfig& config);
  bool room() const {
    return used_ <= kMaxUsed && (!rice_ || item_ != 0 || now_ >= k_free_at_[row_]);
  }
  void payload(const Payload& item);
  void tail();
  uint32_t step(uint32_t started) { return started; }
  void clear() {}
  void clear_row(uint32_t row) {
    k_[row] = kFirstK;
    k_free_at_[row] = 0;
  }

  void put_raw(const Payload& item);
  uint32_t quantise(const Payload& item);
  uint32_t put_mask(uint32_t sent, const Payload& item);
  uint32_t put_rice(uint32_t sent, const Payload& item);
  void put_chunk_header();
  void leave_k();

  // Of each row, as a first one: Rice's k, and the cycle from which on it may be read.
  std::vector<uint8_t> k_;
  std::vector<uint64_t> k_free_at_;

  Method method_ = kRaw;
  bool rice_ = false;
  uint32_t threshold_ = 0;
  uint32_t k_now_ = 0;  // of the chunk
  uint32_t sent_ = 0;   // values sent
  SentCode code_;
  uint32_t negative_ = 0;  // of the item: signs of what is sent, by lane
  Row values_{};           // v
  Row multiples_{};        // m
};

}  // namespace gw::systemc
