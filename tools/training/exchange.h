// How workers that train together come to the sum of their gradients, with a codec on every hop.
//
//   once    (TGS) each worker sends its gradient outward once; decoded ones are summed in worker
//           order
//   direct  (LBANN, 3.4) slices go to their owners; owner j starts from its own slice, not encoded,
//           adds those of j+1, j+2, ...; the sum is encoded again and gathered
//   ring    (INCEPTIONN, Algorithm 1) a block starts at its worker and goes around, each adding its
//           own to what it received: W - 1 encoded partial sums and one encoded sum that is
//           gathered
//
// In direct and ring each worker encodes each value once: one residual a value is enough.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tools/training/codec.h"

namespace gw::training {

inline constexpr size_t kMinWorkers = 2;
inline constexpr size_t kMaxWorkers = 64;

enum class ExchangeKind : uint8_t { kOnce, kDirect, kRing };
inline constexpr std::array kExchanges{ExchangeKind::kOnce, ExchangeKind::kDirect,
                                       ExchangeKind::kRing};
std::string_view exchange_name(ExchangeKind kind);  ///< "once", "direct", "ring"
std::optional<ExchangeKind> parse_exchange(std::string_view name);

/// Values that are encoded together, and where their residuals begin.
struct ChunkRange {
  size_t first = 0, count = 0;
  size_t row = 0;
};

/// The chunks of a gradient vector, one after the other.
class Layout {
 public:
  /// No length may be 0.
  explicit Layout(std::span<const size_t> lengths);
  std::span<const ChunkRange> chunks() const { return chunks_; }
  size_t values() const { return values_; }
  size_t rows() const { return rows_; }
  /// workers + 1 indices of chunks: slice j is from the j-th up to the next. Slices are of whole
  /// chunks and as equal as these allow; one may be empty.
  std::vector<size_t> slices(size_t workers) const;

 private:
  std::vector<ChunkRange> chunks_;
  size_t values_ = 0, rows_ = 0;
};

/// What one exchange carried, over all links.
struct Traffic {
  uint64_t bytes = 0;
  uint64_t payload_bits = 0;  ///< as the TGS paper counts, Codec::payload_bits()
  uint64_t values = 0;        ///< that were encoded
  uint64_t entries = 0;       ///< of them sent
  void add(const Traffic& other);
};

class Exchange {
 public:
  /// What the owner of a chunk makes of the sum of its values before it encodes and sends that.
  using Reduced = std::function<void(const ChunkRange& chunk, std::span<float> sum)>;

  /// Aborts on kNoCommunication and on a number of workers out of range. sum_scale is of kDirect.
  Exchange(ExchangeKind kind, const Codec& codec, size_t workers, const Layout& layout,
           double sum_scale = 1);

  /// One vector of layout.values() gradients a worker, finite; `delivered` becomes what every
  /// worker gets. The order of sums is fixed. `by_chunk`, if not empty, gets bytes added. `reduced`
  /// is called once a chunk with kDirect, and never otherwise.
  Traffic run(std::span<const std::vector<float>> gradients, std::span<float> delivered,
              std::span<uint64_t> by_chunk = {}, const Reduced& reduced = {});

  size_t workers() const { return senders_.size(); }
  const Layout& layout() const { return layout_; }
  /// 8 a row; empty if the codec has none.
  std::span<const float> residuals(size_t worker) const { return senders_[worker]->residuals(); }

 private:
  /// Encodes a chunk of a worker and decodes it into `got`; `copies` of the packet travel.
  void hop(size_t worker, const ChunkRange& chunk, std::span<const float> values, bool of_sum,
           uint64_t copies, std::span<float> got);

  ExchangeKind kind_;
  Codec codec_;
  Layout layout_;
  std::vector<size_t> owner_;  // of each chunk
  std::vector<std::unique_ptr<Sender>> senders_;
  std::vector<uint8_t> packet_;
  Traffic traffic_;
  uint64_t chunk_bytes_ = 0;
};

}  // namespace gw::training
