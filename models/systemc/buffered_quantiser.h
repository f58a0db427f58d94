// What quantisers have in common whose packets wait for their chunk's means
// (docs/devices/onebit.md, cycle contract): the chunk buffer, when its items are ready and popped,
// RAW.
//
// An item waits in the buffer, as it does in hardware, until the chunk's means are known and there
// is credit; when it is popped, its vector and its residuals are made.
//
// A device derives from BufferedQuantiser<Device, Config, Extra>, Extra being what it keeps of each
// chunk beside its means, and has
//   static constexpr uint8_t kFormat          of a packet that is not RAW
//   static constexpr uint32_t kMergeDelay     an item popped in cycle p is merged in p +
//   kMergeDelay static bool legal(const Config&)          else the chunk leaves as RAW bool
//   may_begin() const                    a chunk that is not RAW, as far as the device goes void
//   open(const Config&)                  the first item of one starts void quantise(const Payload&,
//   Item&)      the next payload item's values, counted void decide(Chunk&) its last payload item
//   has started: all of Chunk uint8_t coding(const Chunk&)              its header's uint32_t
//   put(const Item&, const Chunk&, uint8_t* out)   an item's vector, the status apart;
//                                             its bits
//   void keep(const Item&, const Chunk&)      the residuals that an item leaves, and free_at_
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "models/systemc/quantiser.h"

namespace gw::systemc {

template <class Device, class Config, class Extra>
class BufferedQuantiser : public Quantiser<Device, Config> {
 protected:
  using Base = Quantiser<Device, Config>;
  using Row = typename Base::Row;
  using Payload = typename Base::Payload;

  static constexpr uint32_t kMostValues = 4096;   // of a chunk that is not RAW
  static constexpr uint32_t kBufferItems = 1024;  // of the chunk buffer,
  static constexpr uint32_t kBufferChunks = 64;   // of so many chunks
  static constexpr uint32_t kValueDelay = 5;      // V
  static constexpr uint64_t kNever = ~uint64_t{0};

  struct Item {
    Row values;      // v; of RAW what came
    uint64_t ready;  // of RAW and of tails, the cycle
    uint32_t row;
    uint8_t below, present;  // lanes; of a tail 0
    uint8_t negative;        // a bit a lane
    bool first, last;        // of the chunk
    bool last_payload;       // of the chunk
    bool waits;              // for the chunk's means
    bool residual;
    uint8_t status;  // of the last
  };
  struct Chunk {
    uint32_t n;
    bool raw;
    std::array<uint32_t, 2> means;  // of the values that are not negative, and of the others
    uint64_t ready;                 // its payload items, from that cycle on
    Extra extra;
  };

  BufferedQuantiser(uint32_t rows, Config config) : Base(rows, config), ring_(kBufferItems) {
    if (rows == 0) std::abort();
  }

  void begin(const Config& config) {
    raw_ = this->n_ == 0 || this->n_ > kMostValues || !Device::legal(config) ||
           (config.residual && !this->rows_fit());
    this->residual_ = config.residual && !raw_;
    config_ = config;
  }
  bool room() const {
    if (items_in_ == kBufferItems) return false;
    if (this->item_ != 0) return true;
    return chunks_in_ < kBufferChunks && (raw_ || device().may_begin());
  }
  void payload(const Payload& payload);
  void tail();
  /// Pops an item, and counts it and the one that started.
  uint32_t step(uint32_t started) {
    // What has started in this cycle is not popped in it: it is not ready.
    const uint32_t popped = this->used_ <= Base::kMaxUsed && items_in_ != 0 && pop();
    items_in_ += started;
    return popped;
  }
  void clear() { ring_head_ = items_in_ = chunk_head_ = chunks_in_ = 0; }
  void clear_row(uint32_t) {}

  // The chunk whose items start.
  Config config_{};

 private:
  static constexpr uint8_t kRaw = 0;  // its format

  Device& device() { return static_cast<Device&>(*this); }
  const Device& device() const { return static_cast<const Device&>(*this); }
  Item& next_item() { return ring_[(ring_head_ + items_in_) % kBufferItems]; }
  void take_raw(const Payload& payload, Item& item);
  bool pop();

  bool raw_ = false;
  Chunk* chunk_ = nullptr;

  // The buffer, as the contract's registers see it.
  std::vector<Item> ring_;
  std::array<Chunk, kBufferChunks> chunks_{};
  uint32_t ring_head_ = 0, items_in_ = 0;
  uint32_t chunk_head_ = 0, chunks_in_ = 0;
};

template <class Device, class Config, class Extra>
inline void BufferedQuantiser<Device, Config, Extra>::payload(const Payload& payload) {
  Item& item = next_item();
  item.first = this->item_ == 0;
  item.last = payload.last;
  item.last_payload = payload.last_payload;
  item.waits = !raw_;
  item.below = static_cast<uint8_t>(payload.below);
  item.present = static_cast<uint8_t>(payload.present);
  item.negative = 0;
  item.residual = this->residual_ && payload.beat != nullptr;
  item.row = this->row_ + this->item_;
  item.ready = this->now_ + kValueDelay + 1;
  if (item.first) {
    chunk_ = &chunks_[(chunk_head_ + chunks_in_) % kBufferChunks];
    ++chunks_in_;
    *chunk_ = {this->n_, raw_, {}, kNever, {}};
    if (!raw_) device().open(config_);
  }
  if (raw_) {
    take_raw(payload, item);
  } else {
    device().quantise(payload, item);
    if (item.residual) this->free_at_[item.row] = kNever;  // until it is popped
    if (payload.last_payload) device().decide(*chunk_);
  }
  item.status = static_cast<uint8_t>(this->status());
}

template <class Device, class Config, class Extra>
inline void BufferedQuantiser<Device, Config, Extra>::take_raw(const Payload& payload, Item& item) {
  constexpr uint32_t kNotFinite = 0x7F80'0000;
  item.values = {};
  for (uint32_t i = 0; i < payload.present; ++i) {
    const uint32_t word = payload.beat->data[i];
    item.values.words[i] = word;
    this->not_finite_ |= (word & kNotFinite) == kNotFinite;
  }
}

template <class Device, class Config, class Extra>
inline void BufferedQuantiser<Device, Config, Extra>::tail() {
  Item& item = next_item();
  item.first = item.last_payload = item.waits = item.residual = false;
  item.last = true;
  item.below = item.present = item.negative = 0;
  item.ready = this->now_ + kValueDelay + 1;
  item.status = static_cast<uint8_t>(this->status());
}

/// The oldest item, if it is ready.
template <class Device, class Config, class Extra>
inline bool BufferedQuantiser<Device, Config, Extra>::pop() {
  const Item& item = ring_[ring_head_];
  const Chunk& chunk = chunks_[chunk_head_];
  if (this->now_ < (item.waits ? chunk.ready : item.ready)) return false;
  if (item.first) {
    uint8_t* const at = this->put_header(chunk.raw ? kRaw : Device::kFormat, chunk.n);
    std::memcpy(at - 8, chunk.means.data(), sizeof chunk.means);
    if (!chunk.raw) at[1 - static_cast<int>(Base::kHeaderBytes)] = device().coding(chunk);
    *at = 0;  // Rice codes add to it
  }
  uint8_t* const at = this->out();
  uint32_t bits = 0;
  if (item.waits) {
    bits = device().put(item, chunk, at);
    if (item.residual) device().keep(item, chunk);
  } else if (item.below != 0) {
    std::memcpy(at, &item.values, sizeof item.values);
    bits = 32u * item.below;
  }
  ring_head_ = (ring_head_ + 1) % kBufferItems;
  --items_in_;
  if (!item.last) {
    this->merge(Device::kMergeDelay, bits);
    return true;
  }
  at[(this->tail_bits() + bits) / 8] = item.status;
  this->merge_last(Device::kMergeDelay, bits + 8, (item.status & 4) != 0, chunk.raw);
  chunk_head_ = (chunk_head_ + 1) % kBufferChunks;
  --chunks_in_;
  return true;
}

}  // namespace gw::systemc
