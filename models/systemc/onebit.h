// Cycle-accurate core of the one-bit quantiser, no SystemC in it (docs/devices/onebit.md).
//
// An item waits in the chunk buffer, as it does in hardware, until the chunk's means are known and
// there is credit; when it is popped, its vector and its residuals are made.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/systemc/quantiser.h"

namespace gw::systemc {

/// The pin that selects what a packet becomes.
struct OneBitConfig {
  bool residual = false;  ///< residual_i: residuals are added and kept

  friend bool operator==(const OneBitConfig&, const OneBitConfig&) = default;
};

class OneBit : public Quantiser<OneBit, OneBitConfig> {
 public:
  /// A device whose last rising edge had aresetn = 0. Aborts if there are no such `rows`.
  explicit OneBit(uint32_t rows = kDefaultRows, OneBitConfig config = {});

 private:
  friend Quantiser;
  static constexpr uint32_t kMostValues = 4096;   // of a chunk that is not RAW
  static constexpr uint32_t kBufferItems = 1024;  // of the chunk buffer,
  static constexpr uint32_t kBufferChunks = 64;   // of so many chunks
  static constexpr uint32_t kValueDelay = 5;      // V
  static constexpr uint32_t kMeanDelay = 32;      // D
  static constexpr uint32_t kMergeDelay = 3;      // popped in cycle p, merged in p+3
  static constexpr uint32_t kFreeDelay = 9;       // and its row can be read from p+9 on
  static constexpr uint64_t kNever = ~uint64_t{0};

  enum Format : uint8_t { kRaw = 0, kOneBit = 4 };

  struct Item {
    Row values;      // v; of RAW what came
    uint64_t ready;  // of RAW and of tails, the cycle
    uint32_t row;
    uint8_t below, present;  // lanes; of a tail 0
    uint8_t negative;        // a bit a lane
    bool first, last;        // of the chunk
    bool waits;              // for the chunk's means
    bool residual;
    uint8_t status;  // of the last
  };
  struct Chunk {
    uint32_t n;
    bool raw;
    std::array<uint32_t, 2> means;  // of the values that are not negative, and of the others
    uint64_t ready;                 // its payload items, from that cycle on
  };
  struct Side {
    uint64_t sum;  // of Q
    uint32_t count;
  };

  void begin(const OneBitConfig& config);
  bool room() const {
    return items_in_ < kBufferItems && (item_ != 0 || chunks_in_ < kBufferChunks);
  }
  void payload(const Payload& item);
  void tail();
  uint32_t step(uint32_t started);
  void clear();
  void clear_row(uint32_t) {}

  Item& next_item() { return ring_[(ring_head_ + items_in_) % kBufferItems]; }
  bool pop();
  void quantise(const Payload& payload, Item& item);
  void keep(const Item& item, const Chunk& chunk);

  // The chunk whose items start.
  bool raw_ = false;
  Chunk* chunk_ = nullptr;
  std::array<Side, 2> sides_{};

  // The buffer, as the contract's registers see it.
  std::vector<Item> ring_;
  std::array<Chunk, kBufferChunks> chunks_{};
  uint32_t ring_head_ = 0, items_in_ = 0;
  uint32_t chunk_head_ = 0, chunks_in_ = 0;
};

}  // namespace gw::systemc
