// Cycle-accurate core of the adaptive quantiser, no SystemC in it (docs/devices/adaptive.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/systemc/buffered_quantiser.h"
#include "models/systemc/sent_code.h"

namespace gw::systemc {

/// The pins that select what a packet becomes.
struct AdaptiveConfig {
  uint8_t p = 1;          ///< p_i: about 2^-p of each sign are sent; 1..10, else RAW
  bool rice = false;      ///< coding_i: Rice, else mask
  bool residual = false;  ///< residual_i: residuals are added and kept

  friend bool operator==(const AdaptiveConfig&, const AdaptiveConfig&) = default;
};

struct AdaptiveExtra {
  std::array<uint32_t, 2> least;  // a side's values of this magnitude and above are sent (bits)
  bool rice;
  uint8_t k;
};

class Adaptive : public BufferedQuantiser<Adaptive, AdaptiveConfig, AdaptiveExtra> {
 public:
  static constexpr uint32_t kLeastRows = 64;  ///< its histograms are zeroed meanwhile

  /// A device whose last rising edge had aresetn = 0. Aborts if there are no such `rows`.
  explicit Adaptive(uint32_t rows = kDefaultRows, AdaptiveConfig config = {});

 private:
  friend Quantiser;
  friend BufferedQuantiser;
  static constexpr uint8_t kFormat = 5;
  static constexpr uint32_t kLeastP = 1, kMostP = 10;
  static constexpr uint32_t kBins = 1024;  // of a side, by bits 30:21 of a value
  static constexpr uint32_t kBinBit = 21;
  static constexpr uint32_t kWindow = 128;     // bins of a scan
  static constexpr uint32_t kScanDelay = 9;    // from the last payload item's start, at least
  static constexpr uint32_t kScanCycles = 64;  // two bins each
  static constexpr uint32_t kHistogramLead =
      8;                                      // of a histogram's next chunk before its scan's end
  static constexpr uint32_t kMeanDelay = 92;  // from the scan's begin to ready items
  static constexpr uint32_t kMergeDelay = 5;  // popped in cycle p, merged in p+5
  static constexpr uint32_t kFreeDelay = 11;  // and its row can be read from p+11 on

  struct Side {
    std::array<uint16_t, kBins> bins;  // a chunk has 4,096 values at most
    uint32_t count;                    // of its values, those in no bin included
  };
  struct Selected {
    uint32_t least;  // magnitude, as bits
    uint32_t count;
    uint32_t mean;
  };

  static bool legal(const AdaptiveConfig& config) {
    return config.p >= kLeastP && config.p <= kMostP;
  }
  bool may_begin() const { return scan_before_ < now_ + kHistogramLead; }
  void open(const AdaptiveConfig&);
  void quantise(const Payload& payload, Item& item);
  void decide(Chunk& chunk);
  static uint8_t coding(const Chunk& chunk) {
    return chunk.extra.rice ? static_cast<uint8_t>(1 + chunk.extra.k) : 0;
  }
  uint32_t put(const Item& item, const Chunk& chunk, uint8_t* out);
  void keep(const Item& item, const Chunk& chunk);
  void clear() {
    BufferedQuantiser::clear();
    scan_before_ = scan_ = 0;
  }

  Selected select(const Side& side) const;

  std::array<Side, 2> sides_{};          // of the chunk whose items start
  uint32_t top_ = 0, bottom_ = kBins;    // the bins of both sides that may hold a value; or none
  uint64_t scan_before_ = 0, scan_ = 0;  // last cycles of the scans of the two before it
  SentCode code_;                        // of the chunk whose items are popped
  uint32_t code_item_ = 0;
};

}  // namespace gw::systemc
