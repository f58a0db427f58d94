// What may stand between workers that train together: names of codecs, and the sender and receiver
// that really make and read the bytes. Packets: models/reference/quant/packet.h, and groups of
// models/reference/codec.h for INCEPTIONN.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/reference/codec.h"
#include "models/reference/quant/quantiser.h"

namespace gw::training {

struct CodecResult;

/// What `--codec` names.
struct Codec {
  enum class Kind : uint8_t {
    kExact,            ///< none: the floats themselves, no header
    kNoCommunication,  ///< nocommunication: each worker learns from its own digits alone
    kInceptionn,       ///< inceptionn:bound=K,mode=paper|bounded
    kQuantiser,        ///< everything that reference::quant::parse_config() takes
    /// onebit-preceding: one-bit whose means are those of the chunk's preceding iteration, as a
    /// device without a chunk buffer would have it. For the comparison alone: no hardware does it.
    kOneBitPreceding,
    /// truncate:BITS: the low BITS of every value are not sent (INCEPTIONN, Figures 4 and 14).
    kTruncation,
  };
  Kind kind = Kind::kExact;
  reference::quant::Config quantiser;
  reference::CodecConfig inceptionn;
  int dropped_bits = 0;  ///< of kTruncation

  /// What is not sent now is sent later, so that gradients neither come nor go.
  bool conserves() const;
  bool has_threshold() const;
  bool has_residuals() const;
  /// Bits of a packet as the TGS paper counts: 32, 1 or 8 a sent value, no index, no header.
  uint64_t payload_bits(size_t entries, size_t bytes) const;
  /// The shortest text that parse_codec() reads as this codec.
  std::string text() const;
};

/// Either a codec or a sentence that says why not.
struct CodecResult {
  std::optional<Codec> codec;
  std::string error;
};

CodecResult parse_codec(std::string_view spec);

/// One worker's encoder with its residuals: 8 a row. Aborts if a chunk does not fit in `rows`.
class Sender {
 public:
  virtual ~Sender() = default;
  /// Puts the packet of a chunk in the place of what `packet` held; returns how many values it
  /// sends. `of_sum`: the chunk is a sum, for which T is multiplied by `sum_scale`.
  virtual size_t send(std::span<const float> values, size_t row, bool of_sum,
                      std::vector<uint8_t>& packet) = 0;
  /// Empty if it has none.
  virtual std::span<const float> residuals() const { return {}; }
};

/// Not of kNoCommunication. T * sum_scale must be in the range of T.
std::unique_ptr<Sender> make_sender(const Codec& codec, size_t rows, double sum_scale);

/// Decodes a packet of `codec` into all of `values`. Aborts if it is malformed: it was made here.
void receive(const Codec& codec, std::span<const uint8_t> packet, std::span<float> values);

}  // namespace gw::training
