// Internal to the quantisers: what faster code does in the place of the scalar one, and the
// contract between them. Bytes, values and residuals are the same, bit for bit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/reference/quant/packet.h"

namespace gw::reference::quant::internal {

struct Encoded {
  size_t bytes = 0;    // of payload
  size_t entries = 0;  // values sent
  bool not_finite = false;
};

/// How far into a payload in mask code, in bytes and groups, and values sent up to there.
struct Progress {
  size_t bytes = 0;
  size_t groups = 0;
  size_t entries = 0;
};

struct Kernels {
  /// Chunks whose n values all came. `r`: their residuals, or null. May write (scratch) up to 32
  /// bytes after the payload.
  Encoded (*threshold_mask)(Method method, float t, const float* g, float* r, size_t n,
                            uint8_t* out);
  Encoded (*threshold_rice)(Method method, float t, const float* g, float* r, size_t n, int k,
                            uint8_t* out);
  Encoded (*mx)(Method method, ScaleRule rule, const float* g, float* r, size_t n, uint8_t* out);
  /// Whole payloads, of ceil(n / 32) blocks.
  void (*decode_mx)(Method method, const uint8_t* in, size_t n, float* out);
  /// Whole groups from the beginning, up to the last ones, or to what is malformed: the scalar code
  /// goes on there. `out` holds +0.
  Progress (*decode_mask)(Method method, float first, float second, const uint8_t* in, size_t size,
                          size_t n, float* out);
};

/// Null: the scalar definition.
const Kernels* kernels_of(Implementation by);

#if defined(__x86_64__)
extern const Kernels kAvx2Kernels;
bool cpu_has_avx2();
#endif

}  // namespace gw::reference::quant::internal
