// The codec with AVX-512 VBMI2: two groups at once. Encoding compresses payload bytes with
// vpcompressb; decoding follows the chain of group lengths two groups a step.
// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#include <algorithm>

#include "models/reference/codec_x86.h"

namespace gw::reference::internal {
namespace {

struct Encode512 {
  __m512i byte_from, half_from, raw_from;
  __m512 byte_scale, half_scale;
};

GW_TARGET_AVX512 inline Encode512 encode_constants(const Parameters& p) {
  return {_mm512_set1_epi32(static_cast<int>(p.byte_from)),
          _mm512_set1_epi32(static_cast<int>(p.half_from)),
          _mm512_set1_epi32(static_cast<int>(p.raw_from)), _mm512_set1_ps(p.byte_scale),
          _mm512_set1_ps(p.half_scale)};
}

/// Two groups with their payloads moved together, without the tags.
struct EncodedPair {
  __m512i payloads;  // of the first group, then of the second
  size_t first_bytes;
  size_t second_bytes;
  uint16_t first_tags;
  uint16_t second_tags;
};

GW_TARGET_AVX512 inline EncodedPair encode_pair(__m512i bits, const Encode512& c) {
  const __m512i sign = _mm512_set1_epi32(INT32_MIN);
  const __m512i magnitude = _mm512_andnot_si512(sign, bits);
  const __mmask16 from_byte = _mm512_cmpge_epu32_mask(magnitude, c.byte_from);
  const __mmask16 from_half = _mm512_cmpge_epu32_mask(magnitude, c.half_from);
  const __mmask16 from_raw = _mm512_cmpge_epu32_mask(magnitude, c.raw_from);
  const __mmask16 byte_or_half = from_byte ^ from_raw;

  const __m512 scale = _mm512_mask_mov_ps(c.byte_scale, from_half, c.half_scale);
  const __m512 scaled = _mm512_maskz_mul_ps(byte_or_half, _mm512_castsi512_ps(magnitude), scale);
  const __m512i cut_off = _mm512_mask_cvttps_epi32(bits, byte_or_half, scaled);
  const __m512i lanes = _mm512_ternarylogic_epi32(cut_off, bits, sign, 0xF8);  // a | (b & c)

  // One mark per payload byte: in the four marks of a lane, m3 is ZERO's complement, m2 is HALF or
  // RAW, m1 is RAW. So the tag is {m2, m1 ^ m2 ^ m3}.
  __m512i marks = _mm512_maskz_set1_epi32(from_byte, static_cast<int>(0xFF000000u));
  marks = _mm512_mask_mov_epi32(marks, from_half, _mm512_set1_epi32(static_cast<int>(0xFFFF0000u)));
  marks = _mm512_mask_mov_epi32(marks, from_raw, _mm512_set1_epi32(-1));
  const uint64_t used = _mm512_movepi8_mask(marks);
  const uint64_t tag_bits = (used << 1) ^ ((used ^ used >> 1) & 0x4444444444444444u);
  const uint64_t tags = _pext_u64(tag_bits, 0xCCCCCCCCCCCCCCCCu);
  return {_mm512_maskz_compress_epi8(used, lanes),
          static_cast<size_t>(_mm_popcnt_u32(static_cast<uint32_t>(used))),
          static_cast<size_t>(_mm_popcnt_u32(static_cast<uint32_t>(used >> 32))),
          static_cast<uint16_t>(tags), static_cast<uint16_t>(tags >> 16)};
}

inline void store64(uint8_t* to, uint64_t word) { std::memcpy(to, &word, sizeof word); }

GW_TARGET_AVX512 size_t avx512_encode(const uint8_t* values, size_t groups, CodecConfig config,
                                      uint8_t* out) {
  const Encode512 constants = encode_constants(parameters(config));
  uint8_t* to = out;
  const uint8_t* const pairs_end = values + groups / 2 * sizeof(__m512i);
  for (; values != pairs_end; values += sizeof(__m512i)) {
    const EncodedPair two = encode_pair(_mm512_loadu_si512(values), constants);
    uint8_t* const second = to + kTagBytes + two.first_bytes;
    // All payloads go where the second group's belong, then the first group's to their own place.
    _mm512_storeu_si512(to + 2 * kTagBytes, two.payloads);
    _mm256_mask_storeu_epi8(to + kTagBytes,
                            static_cast<__mmask32>(_bzhi_u64(~uint64_t{0}, two.first_bytes)),
                            _mm512_castsi512_si256(two.payloads));
    std::memcpy(to, &two.first_tags, kTagBytes);
    std::memcpy(second, &two.second_tags, kTagBytes);
    to = second + kTagBytes + two.second_bytes;
  }
  if (groups % 2 != 0) {
    const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values));
    const EncodedPair one = encode_pair(_mm512_zextsi256_si512(bits), constants);
    std::memcpy(to, &one.first_tags, kTagBytes);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + kTagBytes),
                        _mm512_castsi512_si256(one.payloads));
    to += kTagBytes + one.first_bytes;
  }
  return static_cast<size_t>(to - out);
}

/// Bytes of a group for each of the 64 positions from `at`, as if each were the start of one.
GW_TARGET_AVX512 inline __m512i group_bytes(const uint8_t* at) {
  const __m512i by_nibble =
      _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 2, 4, 1, 2, 3, 5, 2, 3, 4, 6, 4, 5, 6, 8));
  const __m512i nibble = _mm512_set1_epi8(15);
  const __m512i low = _mm512_loadu_si512(at);
  const __m512i high = _mm512_loadu_si512(at + 1);
  const __m512i a = _mm512_shuffle_epi8(by_nibble, _mm512_and_si512(low, nibble));
  const __m512i b =
      _mm512_shuffle_epi8(by_nibble, _mm512_and_si512(_mm512_srli_epi16(low, 4), nibble));
  const __m512i c = _mm512_shuffle_epi8(by_nibble, _mm512_and_si512(high, nibble));
  const __m512i d =
      _mm512_shuffle_epi8(by_nibble, _mm512_and_si512(_mm512_srli_epi16(high, 4), nibble));
  const __m512i quads = _mm512_add_epi8(_mm512_add_epi8(a, b), _mm512_add_epi8(c, d));
  return _mm512_add_epi8(quads, _mm512_set1_epi8(kTagBytes));
}

/// 0, 1, ... 63.
GW_TARGET_AVX512 inline __m512i positions() {
  alignas(64) static constexpr std::array<uint8_t, 64> kPositions = [] {
    std::array<uint8_t, 64> list{};
    for (size_t i = 0; i < list.size(); ++i) list[i] = static_cast<uint8_t>(i);
    return list;
  }();
  return _mm512_load_si512(kPositions.data());
}

GW_TARGET_AVX512 Consumed avx512_decode(const uint8_t* in, size_t size, size_t readable,
                                        CodecConfig config, uint8_t* out, size_t max_groups) {
  constexpr size_t kBlock = 1024;
  static_assert(kReach >= 64 + 65, "the lengths of the block after the last start are read");
  const Parameters p = parameters(config);
  const Decode256 constants = decode_constants(p);
  const __m512i position = positions();
  alignas(64) std::array<uint8_t, kBlock> one_group;   // bytes of the group at each position
  alignas(64) std::array<uint8_t, kBlock> two_groups;  // and together with the one after it

  // Where a group begins depends on all lengths before it. To keep that chain short, the lengths
  // of one and of two groups are first computed for every position of a block.
  Consumed done;
  while (done.groups < max_groups && done.bytes + kReach <= readable) {
    const uint8_t* block = in + done.bytes;
    const size_t starts = std::min(kBlock, readable - done.bytes - kReach + 1);
    __m512i here = group_bytes(block);
    for (size_t i = 0; i < starts; i += 64) {
      const __m512i after = group_bytes(block + i + 64);
      const __m512i second = _mm512_permutex2var_epi8(here, _mm512_add_epi8(position, here), after);
      _mm512_store_si512(one_group.data() + i, here);
      _mm512_store_si512(two_groups.data() + i, _mm512_add_epi8(here, second));
      here = after;
    }
    const size_t left = size - done.bytes;
    size_t at = 0;
    while (at < starts && done.groups < max_groups) {
      const size_t middle = at + one_group[at];
      const size_t next = at + two_groups[at];
      uint8_t* to = out + done.groups * sizeof(__m256i);
      if (next <= left && done.groups + 2 <= max_groups) [[likely]] {
        const __m256i first = decode_group_avx2(block + at, constants);
        const __m256i second = decode_group_avx2(block + middle, constants);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), first);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + sizeof first), second);
        done.groups += 2;
        at = next;
      } else {
        if (middle > left) return {done.bytes + at, done.groups};
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                            decode_group_avx2(block + at, constants));
        ++done.groups;
        at = middle;
      }
    }
    done.bytes += at;
  }
  return done;
}

}  // namespace

const Kernels kAvx512Kernels = {avx512_encode, avx512_decode};

bool cpu_has_avx512() {
  return cpu_has_avx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
         __builtin_cpu_supports("avx512vbmi2");
}

}  // namespace gw::reference::internal

#endif
