// Internal to the reference codec: one group decoded with AVX2 byte shuffles, shared by the x86
// implementations. Functions carry their own target, so that they compile whatever -march says.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__x86_64__)

#include <cstring>

#include "models/reference/codec_kernels.h"
#include "models/reference/x86_intrinsics.h"

#define GW_TARGET_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define GW_TARGET_AVX512 \
  __attribute__((        \
      target("avx2,bmi,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2")))

namespace gw::reference::internal {

struct Decode256 {
  __m256 scale;    // by tag, in both halves
  __m256i keep;    // by tag, in both halves
  __m256i shifts;  // lane i's tag to the low bits
};

GW_TARGET_AVX2 inline Decode256 decode_constants(const Parameters& p) {
  const __m128 scale = _mm_loadu_ps(p.scale.data());
  __m128i keep;
  std::memcpy(&keep, p.keep.data(), sizeof keep);
  return {_mm256_broadcast_ps(&scale), _mm256_broadcastsi128_si256(keep),
          _mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14)};
}

GW_TARGET_AVX2 inline __m128i load128(const void* from) {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}

/// The eight values of the complete group at `from`, of which kMaxGroupBytes are readable.
GW_TARGET_AVX2 inline __m256i decode_group_avx2(const uint8_t* from, const Decode256& c) {
  const size_t low_tags = from[0];
  const size_t high_tags = from[1];
  const uint8_t* payload = from + kTagBytes;
  const __m256i bytes = _mm256_inserti128_si256(_mm256_castsi128_si256(load128(payload)),
                                                load128(payload + kQuadBytes[low_tags]), 1);
  const __m256i control =
      _mm256_inserti128_si256(_mm256_castsi128_si256(load128(&kUnpack.control[low_tags])),
                              load128(&kUnpack.control[high_tags]), 1);
  const __m256i lanes = _mm256_shuffle_epi8(bytes, control);

  int32_t word;
  std::memcpy(&word, from, sizeof word);
  const __m256i tag = _mm256_srlv_epi32(_mm256_set1_epi32(word), c.shifts);  // low two bits count
  const __m256 scale = _mm256_permutevar_ps(c.scale, tag);
  const __m256i keep = _mm256_castps_si256(_mm256_permutevar_ps(_mm256_castsi256_ps(c.keep), tag));
  const __m256i fraction = _mm256_and_si256(lanes, _mm256_set1_epi32(0x7FFFFFFF));
  const __m256 magnitude = _mm256_mul_ps(_mm256_cvtepi32_ps(fraction), scale);
  return _mm256_or_si256(_mm256_castps_si256(magnitude), _mm256_and_si256(lanes, keep));
}

}  // namespace gw::reference::internal

#endif
