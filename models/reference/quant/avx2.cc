// Thresholds in both codings and MX with AVX2: eight lanes at a time, in one pass from gradients to
// packet and residuals. Functions carry their own target, so that they compile whatever -march
// says.
// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "models/reference/quant/kernels.h"
#include "models/reference/quant/values.h"
#include "models/reference/x86_intrinsics.h"

#define GW_QUANT_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))

namespace gw::reference::quant::internal {
namespace {

/// By mask: the lanes that are sent, lowest first.
constexpr auto kSentLanes = [] {
  std::array<std::array<uint8_t, 8>, 256> table{};
  for (size_t mask = 0; mask < 256; ++mask) {
    size_t to = 0;
    for (uint8_t lane = 0; lane < 8; ++lane) {
      if ((mask >> lane & 1) != 0) table[mask][to++] = lane;
    }
  }
  return table;
}();

/// By mask: where a lane's value lies among those that are sent.
constexpr auto kRankOfLane = [] {
  std::array<std::array<uint8_t, 8>, 256> table{};
  for (size_t mask = 0; mask < 256; ++mask) {
    uint8_t rank = 0;
    for (size_t lane = 0; lane < 8; ++lane) {
      table[mask][lane] = rank;
      rank = static_cast<uint8_t>(rank + (mask >> lane & 1)) % 8;
    }
  }
  return table;
}();

/// Eight bytes with all bits set where the mask's are.
GW_QUANT_AVX2 inline uint64_t bytes_of_mask(unsigned mask) {
  return _pdep_u64(mask, 0x0101010101010101u) * 0xFF;
}

GW_QUANT_AVX2 inline __m256i all_words(uint32_t word) {
  return _mm256_set1_epi32(static_cast<int>(word));
}

GW_QUANT_AVX2 inline __m256i is_not_finite(__m256 x) {
  const __m256i exponent = all_words(0x7F800000);
  return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_castps_si256(x), exponent), exponent);
}

struct Sum {
  __m256 v;
  __m256i bad;  // lanes whose gradient is not finite, or whose sum: residuals are, so its sum tells
};

/// v = g + r, or r (+0 without residuals) where that is not finite.
GW_QUANT_AVX2 inline Sum add(const float* g, const float* r) {
  const __m256 gradient = _mm256_loadu_ps(g);
  const __m256 before = r != nullptr ? _mm256_loadu_ps(r) : _mm256_setzero_ps();
  const __m256 sum = r != nullptr ? _mm256_add_ps(gradient, before) : gradient;
  const __m256i bad = is_not_finite(sum);
  return {_mm256_blendv_ps(sum, before, _mm256_castsi256_ps(bad)), bad};
}

/// What is sent of a group.
struct Sent {
  unsigned mask = 0;
  unsigned signs = 0;      // of those
  uint64_t multiples = 0;  // of t, a byte a lane; QGT alone
  __m256 v;
};

/// From gradients to what is sent of them, and to residuals.
template <Method kMethod>
class Threshold {
 public:
  GW_QUANT_AVX2 explicit Threshold(float t) : t_(t) {}

  GW_QUANT_AVX2 Sent group(const float* g, float* r) {
    const __m256 sign_bit = _mm256_set1_ps(-0.0f);
    const Sum sum = add(g, r);
    bad_ = _mm256_or_si256(bad_, sum.bad);
    const __m256 t = _mm256_set1_ps(t_);
    const __m256 magnitude = _mm256_andnot_ps(sign_bit, sum.v);
    const __m256 sign = _mm256_and_ps(sign_bit, sum.v);
    const __m256 sent = _mm256_cmp_ps(magnitude, t, _CMP_GE_OQ);
    Sent group{.mask = static_cast<unsigned>(_mm256_movemask_ps(sent)), .v = sum.v};
    // Of the other methods going on costs less than a branch that is not foreseen.
    if (kMethod == Method::kQgt && group.mask == 0) {
      if (r != nullptr) _mm256_storeu_ps(r, sum.v);
      return group;
    }
    group.signs = static_cast<unsigned>(_mm256_movemask_ps(sum.v)) & group.mask;
    __m256 d = sum.v;
    if constexpr (kMethod == Method::kBgt) {
      d = _mm256_or_ps(t, sign);
    } else if constexpr (kMethod == Method::kQgt) {
      const __m256 m = multiples(magnitude, t);
      d = _mm256_or_ps(_mm256_mul_ps(m, t), sign);
      const __m256i words = _mm256_cvtps_epi32(m);
      const __m128i halves =
          _mm_packus_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
      group.multiples = static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_packus_epi16(halves, halves)));
    }
    if (r != nullptr) _mm256_storeu_ps(r, _mm256_sub_ps(sum.v, _mm256_and_ps(d, sent)));
    return group;
  }

  GW_QUANT_AVX2 bool not_finite() const { return _mm256_movemask_epi8(bad_) != 0; }

 private:
  /// min(255, floor(magnitude / t)). The quotient is rounded; whether it went beyond an integer the
  /// products tell, which are exact.
  GW_QUANT_AVX2 static __m256 multiples(__m256 magnitude, __m256 t) {
    const __m256 one = _mm256_set1_ps(1);
    __m256 m = _mm256_floor_ps(_mm256_div_ps(magnitude, t));
    const __m256 above = _mm256_cmp_ps(_mm256_mul_ps(m, t), magnitude, _CMP_GT_OQ);
    m = _mm256_sub_ps(m, _mm256_and_ps(above, one));
    const __m256 next = _mm256_add_ps(m, one);
    const __m256 below = _mm256_cmp_ps(_mm256_mul_ps(next, t), magnitude, _CMP_LE_OQ);
    m = _mm256_add_ps(m, _mm256_and_ps(below, one));
    const __m256 clipped =
        _mm256_cmp_ps(magnitude, _mm256_mul_ps(t, _mm256_set1_ps(256)), _CMP_GE_OQ);
    return _mm256_blendv_ps(m, _mm256_set1_ps(255), clipped);
  }

  float t_;
  __m256i bad_ = _mm256_setzero_si256();
};

template <Method kMethod>
class MaskWriter {
 public:
  GW_QUANT_AVX2 explicit MaskWriter(uint8_t* out) : out_(out) {}

  GW_QUANT_AVX2 void group(const Sent& group) {
    if (group.mask == 0) {
      ++run_;
      return;
    }
    flush();
    const auto count = static_cast<size_t>(std::popcount(group.mask));
    entries_ += count;
    *out_++ = static_cast<uint8_t>(group.mask);
    if constexpr (kMethod == Method::kWgt) {
      const __m256i lanes = _mm256_cvtepu8_epi32(
          _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kSentLanes[group.mask].data())));
      _mm256_storeu_ps(reinterpret_cast<float*>(out_), _mm256_permutevar8x32_ps(group.v, lanes));
      out_ += 4 * count;
      return;
    }
    *out_++ = static_cast<uint8_t>(group.signs);
    if constexpr (kMethod == Method::kQgt) {
      const uint64_t chosen = _pext_u64(group.multiples, bytes_of_mask(group.mask));
      std::memcpy(out_, &chosen, sizeof chosen);
      out_ += count;
    }
  }

  GW_QUANT_AVX2 uint8_t* finish() {
    flush();
    return out_;
  }
  size_t entries() const { return entries_; }

 private:
  void flush() {
    for (; run_ != 0; run_ -= std::min(run_, kMaxEmptyGroups)) {
      *out_++ = 0;
      *out_++ = static_cast<uint8_t>(std::min(run_, kMaxEmptyGroups) - 1);
    }
  }

  uint8_t* out_;
  size_t run_ = 0;
  size_t entries_ = 0;
};

/// Of n values. What is sent is gathered, a word each, so that codes are made without a branch a
/// group.
template <Method kMethod>
class RiceWriter {
 public:
  GW_QUANT_AVX2 RiceWriter(int k, size_t n, uint8_t* out) : out_(out), k_(k), n_(n) {}

  GW_QUANT_AVX2 void group(const Sent& group) {
    if (kMethod == Method::kQgt && group.mask == 0) {  // the branch was taken before
      at_ += kLanes;
      return;
    }
    const __m256i index =
        _mm256_add_epi32(all_words(at_), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    const __m256i sign =
        _mm256_slli_epi32(_mm256_srli_epi32(_mm256_castps_si256(group.v), 31), kSignAt);
    const __m256i multiple = _mm256_slli_epi32(
        _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(group.multiples))),
        kMultipleAt);
    const __m256i words = _mm256_or_si256(_mm256_or_si256(index, sign), multiple);
    const __m256i lanes = _mm256_cvtepu8_epi32(
        _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kSentLanes[group.mask].data())));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(gathered_.data() + count_),
                        _mm256_permutevar8x32_epi32(words, lanes));
    count_ += static_cast<size_t>(std::popcount(group.mask));
    at_ += kLanes;
    if (count_ + kLanes > gathered_.size()) write();
  }

  GW_QUANT_AVX2 uint8_t* finish() {
    write();
    put(gap(n_ - next_));
    return used_ == 0 ? out_ : out_ + 1;  // its other bits are zeros
  }
  size_t entries() const { return entries_; }

 private:
  // Of a gathered word: index, sign, multiple.
  static constexpr int kSignAt = 20;
  static constexpr int kMultipleAt = 24;

  /// At most 44 bits: an escaped gap, a sign and a byte.
  struct Code {
    uint64_t bits;
    int count;
  };

  GW_QUANT_AVX2 Code gap(size_t gap) const {
    const size_t quotient = gap >> k_;
    if (quotient >= kRiceEscape) {
      return {uint64_t{gap} << kRiceEscape | ((1u << kRiceEscape) - 1),
              static_cast<int>(kRiceEscape) + kRiceGapBits};
    }
    const int ones = static_cast<int>(quotient);
    const uint64_t low = _bzhi_u64(gap, static_cast<unsigned>(k_));
    return {low << (ones + 1) | ((1u << ones) - 1), ones + 1 + k_};
  }

  GW_QUANT_AVX2 void write() {
    for (size_t i = 0; i < count_; ++i) {
      const uint32_t word = gathered_[i];
      const size_t index = word & ((1u << kSignAt) - 1);
      Code code = gap(index - next_);
      next_ = index + 1;
      code.bits |= uint64_t{word >> kSignAt & 1} << code.count++;
      if constexpr (kMethod == Method::kQgt) {
        code.bits |= uint64_t{word >> kMultipleAt} << code.count;
        code.count += 8;
      }
      put(code);
    }
    entries_ += count_;
    count_ = 0;
  }

  void put(Code code) {
    pending_ |= code.bits << used_;
    used_ += code.count;
    std::memcpy(out_, &pending_, sizeof pending_);
    out_ += used_ / 8;
    pending_ >>= used_ & ~7;
    used_ &= 7;
  }

  uint8_t* out_;
  int k_;
  size_t n_;
  uint64_t pending_ = 0;
  int used_ = 0;     // bits of it, 0..7 between codes
  uint32_t at_ = 0;  // the group's first value
  size_t next_ = 0;  // the index after the entry before
  size_t entries_ = 0;
  size_t count_ = 0;
  std::array<uint32_t, 1024> gathered_;
};

/// A group at a time, so that the last one, which is not full, can come from memory of its own.
template <Method kMethod, class Writer>
GW_QUANT_AVX2 Encoded threshold(float t, const float* g, float* r, size_t n, Writer& writer,
                                const uint8_t* out) {
  Threshold<kMethod> threshold(t);
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    writer.group(threshold.group(g + i, r != nullptr ? r + i : nullptr));
  }
  if (i < n) {
    std::array<float, kLanes> last_g{}, last_r{};
    std::copy(g + i, g + n, last_g.begin());
    if (r != nullptr) std::copy(r + i, r + n, last_r.begin());
    writer.group(threshold.group(last_g.data(), r != nullptr ? last_r.data() : nullptr));
    if (r != nullptr) std::copy_n(last_r.begin(), n - i, r + i);
  }
  const uint8_t* const end = writer.finish();
  return {static_cast<size_t>(end - out), writer.entries(), threshold.not_finite()};
}

template <Method kMethod>
GW_QUANT_AVX2 Encoded mask_of(float t, const float* g, float* r, size_t n, uint8_t* out) {
  MaskWriter<kMethod> writer(out);
  return threshold<kMethod>(t, g, r, n, writer, out);
}

template <Method kMethod>
GW_QUANT_AVX2 Encoded rice_of(float t, const float* g, float* r, size_t n, int k, uint8_t* out) {
  RiceWriter<kMethod> writer(k, n, out);
  return threshold<kMethod>(t, g, r, n, writer, out);
}

GW_QUANT_AVX2 Encoded threshold_mask(Method method, float t, const float* g, float* r, size_t n,
                                     uint8_t* out) {
  if (method == Method::kWgt) return mask_of<Method::kWgt>(t, g, r, n, out);
  return method == Method::kBgt ? mask_of<Method::kBgt>(t, g, r, n, out)
                                : mask_of<Method::kQgt>(t, g, r, n, out);
}

GW_QUANT_AVX2 Encoded threshold_rice(Method method, float t, const float* g, float* r, size_t n,
                                     int k, uint8_t* out) {
  return method == Method::kBgt ? rice_of<Method::kBgt>(t, g, r, n, k, out)
                                : rice_of<Method::kQgt>(t, g, r, n, k, out);
}

/// Elements of eight lanes, as codes in words and back.
struct Element {
  int mantissa_bits;
  int top;
  uint32_t most_fraction;  // bits of a binary32 fraction as large as that of the largest element
  __m256i round, one, bias, largest, sign_at;
  __m256i infinity;                       // its code, or none
  __m256 to_units, from_units, smallest;  // of subnormal elements
  __m256 largest_value;

  GW_QUANT_AVX2 explicit Element(Method method) {
    const MxElement& e = mx_element(method);
    const int smallest_exponent = 1 - e.bias;
    mantissa_bits = e.mantissa_bits;
    top = e.top;
    infinity = all_words(e.infinite ? e.largest + 1u : ~0u);
    round = all_words((1u << (22 - e.mantissa_bits)) - 1);
    one = all_words(1);
    bias = all_words(static_cast<uint32_t>(127 - e.bias) << e.mantissa_bits);
    largest = all_words(e.largest);
    sign_at = all_words(static_cast<uint32_t>(e.exponent_bits + e.mantissa_bits));
    to_units = _mm256_set1_ps(power(e.mantissa_bits - smallest_exponent));
    from_units = _mm256_set1_ps(power(smallest_exponent - e.mantissa_bits));
    smallest = _mm256_set1_ps(power(smallest_exponent));
    const float most = mx_decode(e.largest, 127, e);
    most_fraction = std::bit_cast<uint32_t>(most) & 0x7FFFFF;
    largest_value = _mm256_set1_ps(most);
  }

  /// Scale of a block whose largest magnitude has these bits.
  int scale_of(int32_t largest_bits, ScaleRule rule) const {
    const bool more = rule == ScaleRule::kUp && largest_bits >> 23 != 254 &&
                      (static_cast<uint32_t>(largest_bits) & 0x7FFFFF) > most_fraction;
    return std::max(0, (largest_bits >> 23) - top + (more ? 1 : 0));
  }

  static float power(int exponent) {  // -127..127
    return std::bit_cast<float>(exponent == -127 ? 0x00400000u
                                                 : static_cast<uint32_t>(exponent + 127) << 23);
  }

  struct Coded {
    __m256i code;
    __m256 value;  // what the code stands for
  };

  GW_QUANT_AVX2 Coded encode(__m256 v, __m256 up, __m256 down) const {
    const __m256 sign = _mm256_and_ps(_mm256_set1_ps(-0.0f), v);
    const __m256 magnitude = _mm256_mul_ps(_mm256_xor_ps(sign, v), up);
    const __m128i shift = _mm_cvtsi32_si128(23 - mantissa_bits);
    const __m256i bits = _mm256_castps_si256(magnitude);
    const __m256i odd = _mm256_and_si256(_mm256_srl_epi32(bits, shift), one);
    const __m256i rounded =
        _mm256_srl_epi32(_mm256_add_epi32(bits, _mm256_add_epi32(round, odd)), shift);
    const __m256i normal = _mm256_sub_epi32(rounded, bias);
    const __m256i units = _mm256_cvtps_epi32(_mm256_mul_ps(magnitude, to_units));
    const __m256 is_small = _mm256_cmp_ps(magnitude, smallest, _CMP_LT_OQ);
    const __m256i code =
        _mm256_min_epi32(_mm256_blendv_epi8(normal, units, _mm256_castps_si256(is_small)), largest);
    const __m256 value = _mm256_min_ps(
        _mm256_blendv_ps(_mm256_castsi256_ps(_mm256_sll_epi32(rounded, shift)),
                         _mm256_mul_ps(_mm256_cvtepi32_ps(units), from_units), is_small),
        largest_value);
    const __m256i sign_code =
        _mm256_sllv_epi32(_mm256_srli_epi32(_mm256_castps_si256(v), 31), sign_at);
    return {_mm256_or_si256(code, sign_code), _mm256_or_ps(_mm256_mul_ps(value, down), sign)};
  }

  /// Whatever `down` is; NaN where the code is none.
  GW_QUANT_AVX2 __m256 decode(__m256i code, __m256 down) const {
    const __m256i sign = _mm256_slli_epi32(_mm256_srlv_epi32(code, sign_at), 31);
    const __m256i below = _mm256_sub_epi32(_mm256_sllv_epi32(one, sign_at), one);
    const __m256i magnitude = _mm256_and_si256(code, below);
    const __m128i shift = _mm_cvtsi32_si128(23 - mantissa_bits);
    const __m256 normal =
        _mm256_castsi256_ps(_mm256_sll_epi32(_mm256_add_epi32(magnitude, bias), shift));
    const __m256 units = _mm256_mul_ps(_mm256_cvtepi32_ps(magnitude), from_units);
    const __m256i first_normal = _mm256_sll_epi32(one, _mm_cvtsi32_si128(mantissa_bits));
    const __m256i is_small = _mm256_cmpgt_epi32(first_normal, magnitude);
    const __m256 value =
        _mm256_mul_ps(_mm256_blendv_ps(normal, units, _mm256_castsi256_ps(is_small)), down);
    const __m256 with_sign = _mm256_or_ps(value, _mm256_castsi256_ps(sign));
    const __m256i none = _mm256_cmpgt_epi32(magnitude, largest);
    const __m256 special =
        _mm256_blendv_ps(_mm256_castsi256_ps(all_words(0x7FC00000)),
                         _mm256_castsi256_ps(_mm256_or_si256(all_words(0x7F800000), sign)),
                         _mm256_castsi256_ps(_mm256_cmpeq_epi32(magnitude, infinity)));
    return _mm256_blendv_ps(with_sign, special, _mm256_castsi256_ps(none));
  }
};

/// The largest word of all lanes, as signed ones.
GW_QUANT_AVX2 inline int32_t largest_of(__m256i words) {
  __m128i four = _mm_max_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
  four = _mm_max_epi32(four, _mm_shuffle_epi32(four, 0x4E));
  four = _mm_max_epi32(four, _mm_shuffle_epi32(four, 0xB1));
  return _mm_cvtsi128_si32(four);
}

GW_QUANT_AVX2 inline __m256i magnitude_bits(__m256 x) {
  return _mm256_and_si256(_mm256_castps_si256(x), all_words(0x7FFFFFFF));
}

/// A block of 32; says whether something was not finite.
template <bool kResiduals>
GW_QUANT_AVX2 inline bool mx_block(Method method, ScaleRule rule, const Element& element,
                                   const float* g, float* r, uint8_t* out) {
  constexpr int32_t kInfinity = 0x7F800000;
  const bool wide = mx_element_bits(method) == 8;
  __m256 v[4];
  __m256i most = _mm256_setzero_si256();
  for (size_t i = 0; i < 4; ++i) {
    v[i] = _mm256_loadu_ps(g + 8 * i);
    if (kResiduals) v[i] = _mm256_add_ps(v[i], _mm256_loadu_ps(r + 8 * i));
    most = _mm256_max_epi32(most, magnitude_bits(v[i]));
  }
  int32_t largest = largest_of(most);
  const bool bad = largest >= kInfinity;
  if (bad) {
    // A gradient poisons the block; of a sum that overflowed the residual stands alone.
    __m256i most_g = _mm256_setzero_si256();
    most = _mm256_setzero_si256();
    for (size_t i = 0; i < 4; ++i) {
      most_g = _mm256_max_epi32(most_g, magnitude_bits(_mm256_loadu_ps(g + 8 * i)));
      v[i] = add(g + 8 * i, kResiduals ? r + 8 * i : nullptr).v;
      most = _mm256_max_epi32(most, magnitude_bits(v[i]));
    }
    if (largest_of(most_g) >= kInfinity) {
      out[0] = kMxPoisoned;
      std::memset(out + 1, 0, wide ? kMxBlock : kMxBlock / 2);
      return true;
    }
    largest = largest_of(most);
  }
  const int scale = element.scale_of(largest, rule);
  const __m256 up = _mm256_set1_ps(Element::power(127 - scale));
  const __m256 down = _mm256_set1_ps(Element::power(scale - 127));
  __m256i code[4];
  for (size_t i = 0; i < 4; ++i) {
    const Element::Coded coded = element.encode(v[i], up, down);
    code[i] = coded.code;
    if (kResiduals) _mm256_storeu_ps(r + 8 * i, _mm256_sub_ps(v[i], coded.value));
  }
  // Packing takes halves in turn: quarters 0 4 1 5 2 6 3 7 of four lanes each.
  const __m256i mixed = _mm256_packus_epi16(_mm256_packus_epi32(code[0], code[1]),
                                            _mm256_packus_epi32(code[2], code[3]));
  const __m256i bytes =
      _mm256_permutevar8x32_epi32(mixed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  out[0] = static_cast<uint8_t>(scale);
  if (wide) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 1), bytes);
  } else {
    const __m256i pairs = _mm256_maddubs_epi16(bytes, _mm256_set1_epi16(0x1001));
    const __m128i nibbles =
        _mm_packus_epi16(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 1), nibbles);
  }
  return bad;
}

template <bool kResiduals>
GW_QUANT_AVX2 Encoded mx_blocks(Method method, ScaleRule rule, const float* g, float* r, size_t n,
                                uint8_t* out) {
  const Element element(method);
  const size_t block = mx_block_bytes(method);
  Encoded done{.bytes = 0, .entries = n, .not_finite = false};
  size_t i = 0;
  for (; i + kMxBlock <= n; i += kMxBlock, done.bytes += block) {
    const bool bad = mx_block<kResiduals>(method, rule, element, g + i,
                                          kResiduals ? r + i : nullptr, out + done.bytes);
    done.not_finite = done.not_finite || bad;
  }
  if (i < n) {
    std::array<float, kMxBlock> last_g{}, last_r{};
    std::copy(g + i, g + n, last_g.begin());
    if (kResiduals) std::copy(r + i, r + n, last_r.begin());
    const bool bad =
        mx_block<kResiduals>(method, rule, element, last_g.data(), last_r.data(), out + done.bytes);
    done.not_finite = done.not_finite || bad;
    done.bytes += block;
    if (kResiduals) std::copy_n(last_r.begin(), n - i, r + i);
  }
  return done;
}

GW_QUANT_AVX2 Encoded mx(Method method, ScaleRule rule, const float* g, float* r, size_t n,
                         uint8_t* out) {
  return r != nullptr ? mx_blocks<true>(method, rule, g, r, n, out)
                      : mx_blocks<false>(method, rule, g, r, n, out);
}

GW_QUANT_AVX2 void mx_block_values(Method method, const Element& element, const uint8_t* in,
                                   float* out) {
  const __m256 down = in[0] == kMxPoisoned ? _mm256_castsi256_ps(all_words(0x7FC00000))
                                           : _mm256_set1_ps(Element::power(in[0] - 127));
  for (size_t i = 0; i < 4; ++i) {
    __m256i code;
    if (mx_element_bits(method) == 8) {
      code =
          _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(in + 1 + 8 * i)));
    } else {
      int32_t word;
      std::memcpy(&word, in + 1 + 4 * i, sizeof word);
      const __m256i shifts = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
      code = _mm256_and_si256(_mm256_srlv_epi32(_mm256_set1_epi32(word), shifts), all_words(15));
    }
    const __m256 value = in[0] == kMxPoisoned ? down : element.decode(code, down);
    _mm256_storeu_ps(out + 8 * i, value);
  }
}

GW_QUANT_AVX2 void decode_mx(Method method, const uint8_t* in, size_t n, float* out) {
  const Element element(method);
  const size_t block = mx_block_bytes(method);
  size_t i = 0;
  for (; i + kMxBlock <= n; i += kMxBlock, in += block) {
    mx_block_values(method, element, in, out + i);
  }
  if (i < n) {
    std::array<float, kMxBlock> last;
    mx_block_values(method, element, in, last.data());
    std::copy_n(last.begin(), n - i, out + i);
  }
}

GW_QUANT_AVX2 Progress decode_mask(Method method, float first, float second, const uint8_t* in,
                                   size_t size, size_t n, float* out) {
  constexpr size_t kReach = 2 + 4 * kLanes;  // that a group may read
  const __m256i lane_bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  const __m256i sign_bit = all_words(0x80000000);
  const __m256 one = _mm256_set1_ps(first);
  const __m256 other = _mm256_set1_ps(second);
  const size_t groups = n / kLanes;
  Progress at;
  while (at.groups < groups && at.bytes + kReach <= size) {
    const uint8_t* const from = in + at.bytes;
    const unsigned mask = from[0];
    if (mask == 0) {
      const size_t run = 1 + size_t{from[1]};
      if (at.groups + run > groups) break;
      at.groups += run;
      at.bytes += 2;
      continue;
    }
    const auto count = static_cast<size_t>(std::popcount(mask));
    const __m256i sent = _mm256_cmpeq_epi32(
        _mm256_and_si256(_mm256_set1_epi32(static_cast<int>(mask)), lane_bits), lane_bits);
    __m256 value;
    size_t bytes;
    if (method == Method::kWgt) {
      const __m256i ranks = _mm256_cvtepu8_epi32(
          _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kRankOfLane[mask].data())));
      value = _mm256_permutevar8x32_ps(_mm256_loadu_ps(reinterpret_cast<const float*>(from + 1)),
                                       ranks);
      bytes = 1 + 4 * count;
    } else {
      const unsigned signs = from[1];
      if ((signs & ~mask) != 0) break;
      const __m256i negative = _mm256_cmpeq_epi32(
          _mm256_and_si256(_mm256_set1_epi32(static_cast<int>(signs)), lane_bits), lane_bits);
      bytes = 2;
      if (method == Method::kAdaptive) {
        value = _mm256_blendv_ps(one, other, _mm256_castsi256_ps(negative));
      } else {
        value = one;
        if (method == Method::kQgt) {
          uint64_t word;
          std::memcpy(&word, from + 2, sizeof word);
          const uint64_t lanes = _pdep_u64(word, bytes_of_mask(mask));
          const __m256i m = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(lanes)));
          const __m256i none = _mm256_cmpeq_epi32(m, _mm256_setzero_si256());
          if (_mm256_testz_si256(none, sent) == 0) break;
          value = _mm256_mul_ps(_mm256_cvtepi32_ps(m), one);
          bytes += count;
        }
        value = _mm256_xor_ps(value, _mm256_castsi256_ps(_mm256_and_si256(negative, sign_bit)));
      }
    }
    _mm256_storeu_ps(out + at.groups * kLanes, _mm256_and_ps(value, _mm256_castsi256_ps(sent)));
    at.bytes += bytes;
    at.entries += count;
    ++at.groups;
  }
  return at;
}

}  // namespace

const Kernels kAvx2Kernels = {threshold_mask, threshold_rice, mx, decode_mx, decode_mask};

bool cpu_has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

}  // namespace gw::reference::quant::internal

#endif
