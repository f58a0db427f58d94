// The codec with AVX2: compares and shifts eight values at once, moves payload bytes with shuffles
// from a table, and finds group boundaries from precomputed lengths.
// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#include <algorithm>

#include "models/reference/codec_x86.h"

namespace gw::reference::internal {
namespace {

GW_TARGET_AVX2 size_t avx2_encode(const uint8_t* values, size_t groups, CodecConfig config,
                                  uint8_t* out) {
  const Parameters p = parameters(config);
  const __m256i below_byte = _mm256_set1_epi32(static_cast<int>(p.byte_from - 1));
  const __m256i below_half = _mm256_set1_epi32(static_cast<int>(p.half_from - 1));
  const __m256i below_raw = _mm256_set1_epi32(static_cast<int>(p.raw_from - 1));
  const __m256i byte_scale = _mm256_castps_si256(_mm256_set1_ps(p.byte_scale));
  const __m256i half_or_byte_scale =
      _mm256_xor_si256(byte_scale, _mm256_castps_si256(_mm256_set1_ps(p.half_scale)));
  const __m256i sign = _mm256_set1_epi32(INT32_MIN);
  const __m256i low_bit = _mm256_set1_epi32(0x80);
  const __m256i both_bits = _mm256_set1_epi32(0x8080);

  uint8_t* to = out;
  for (size_t g = 0; g < groups; ++g, values += 4 * kGroupValues) {
    const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values));
    const __m256i magnitude = _mm256_andnot_si256(sign, bits);
    const __m256i from_byte = _mm256_cmpgt_epi32(magnitude, below_byte);
    const __m256i from_half = _mm256_cmpgt_epi32(magnitude, below_half);
    const __m256i from_raw = _mm256_cmpgt_epi32(magnitude, below_raw);

    const __m256i byte_or_half = _mm256_andnot_si256(from_raw, from_byte);

    const __m256i scale =
        _mm256_xor_si256(byte_scale, _mm256_and_si256(from_half, half_or_byte_scale));
    const __m256 scaled = _mm256_mul_ps(
        _mm256_castsi256_ps(_mm256_and_si256(magnitude, byte_or_half)), _mm256_castsi256_ps(scale));
    const __m256i keep = _mm256_or_si256(sign, from_raw);
    const __m256i lanes =
        _mm256_or_si256(_mm256_cvttps_epi32(scaled), _mm256_and_si256(bits, keep));

    // Tags: two bits a lane become the top bits of two bytes a lane, and these a mask.
    const __m256i tag = _mm256_xor_si256(_mm256_and_si256(byte_or_half, low_bit),
                                         _mm256_and_si256(from_half, both_bits));
    const __m128i tag_bytes =
        _mm_packus_epi32(_mm256_castsi256_si128(tag), _mm256_extracti128_si256(tag, 1));
    const auto tags = static_cast<uint16_t>(_mm_movemask_epi8(tag_bytes));

    const size_t low_tags = tags & 0xFF;
    const size_t high_tags = tags >> 8;
    const __m256i control =
        _mm256_inserti128_si256(_mm256_castsi128_si256(load128(&kPack.control[low_tags])),
                                load128(&kPack.control[high_tags]), 1);
    const __m256i packed = _mm256_shuffle_epi8(lanes, control);
    std::memcpy(to, &tags, sizeof tags);
    to += kTagBytes;
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(packed));
    to += kQuadBytes[low_tags];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_extracti128_si256(packed, 1));
    to += kQuadBytes[high_tags];
  }
  return static_cast<size_t>(to - out);
}

/// Payload bytes that each byte stands for if it holds the tags of four lanes.
GW_TARGET_AVX2 inline __m256i quad_bytes(__m256i tags) {
  const __m256i by_nibble = _mm256_setr_epi8(  //
      0, 1, 2, 4, 1, 2, 3, 5, 2, 3, 4, 6, 4, 5, 6, 8, 0, 1, 2, 4, 1, 2, 3, 5, 2, 3, 4, 6, 4, 5, 6,
      8);
  const __m256i nibble = _mm256_set1_epi8(15);
  const __m256i low = _mm256_and_si256(tags, nibble);
  const __m256i high = _mm256_and_si256(_mm256_srli_epi16(tags, 4), nibble);
  return _mm256_add_epi8(_mm256_shuffle_epi8(by_nibble, low), _mm256_shuffle_epi8(by_nibble, high));
}

GW_TARGET_AVX2 Consumed avx2_decode(const uint8_t* in, size_t size, size_t readable,
                                    CodecConfig config, uint8_t* out, size_t max_groups) {
  constexpr size_t kBlock = 1024;
  const Parameters p = parameters(config);
  const Decode256 constants = decode_constants(p);
  alignas(32) std::array<uint8_t, kBlock> length;

  // Where a group begins depends on all lengths before it. To keep that chain short, the length of
  // a group is first computed for every position of a block, as if each were the start of one.
  Consumed done;
  while (done.groups < max_groups && done.bytes + kReach <= readable) {
    const uint8_t* block = in + done.bytes;
    const size_t starts = std::min(kBlock, readable - done.bytes - kReach + 1);
    for (size_t i = 0; i < starts; i += 32) {
      const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block + i));
      const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block + i + 1));
      const __m256i bytes = _mm256_add_epi8(_mm256_add_epi8(quad_bytes(low), quad_bytes(high)),
                                            _mm256_set1_epi8(kTagBytes));
      _mm256_store_si256(reinterpret_cast<__m256i*>(length.data() + i), bytes);
    }
    const size_t left = size - done.bytes;
    size_t at = 0;
    while (at < starts && done.groups < max_groups) {
      const size_t next = at + length[at];
      if (next > left) return {done.bytes + at, done.groups};
      const __m256i values = decode_group_avx2(block + at, constants);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + done.groups * sizeof values), values);
      ++done.groups;
      at = next;
    }
    done.bytes += at;
  }
  return done;
}

}  // namespace

const Kernels kAvx2Kernels = {avx2_encode, avx2_decode};

bool cpu_has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

}  // namespace gw::reference::internal

#endif
