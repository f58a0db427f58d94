// SPDX-License-Identifier: Apache-2.0
#include "models/reference/quant/decoder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>

#include "models/reference/quant/bits.h"
#include "models/reference/quant/kernels.h"
#include "models/reference/quant/values.h"

namespace gw::reference::quant {
namespace {

using internal::BitReader;
using internal::get_word;

/// What stands for a sent value.
struct Dictionary {
  Method method;
  float first, second;

  float value(bool negative, uint8_t m) const {
    if (method == Method::kAdaptive) return negative ? second : first;
    const float d = static_cast<float>(m) * first;
    return negative ? -d : d;
  }
};

/// Checks the header; gives the payload's words.
Reason read_header(std::span<const uint8_t> packet, size_t limit, Decoded& d) {
  if (packet.size() < kHeaderBytes + kStatusBytes) return Reason::kShort;
  d.n = get_word(packet.data() + 4);
  if (packet[0] >= kMethods) return Reason::kFormat;
  d.method = static_cast<Method>(packet[0]);
  const unsigned coding = packet[1];
  if (coding != 0) {
    if (!has_coding(d.method, Coding::kRice) || coding > 1 + kMaxRiceK) return Reason::kCoding;
    d.k = static_cast<int>(coding) - 1;
  }
  const uint32_t first = get_word(packet.data() + 8);
  const uint32_t second = get_word(packet.data() + 12);
  const bool one = is_threshold(d.method);
  const bool two = has_means(d.method);
  if (packet[2] != 0 || packet[3] != 0 || (!two && second != 0) || (!one && !two && first != 0)) {
    return Reason::kReserved;
  }
  if (d.n == 0) return Reason::kCount;
  if (d.n > limit) return Reason::kLimit;
  d.first = std::bit_cast<float>(first);
  d.second = std::bit_cast<float>(second);
  if (!std::isfinite(d.first) || !std::isfinite(d.second)) return Reason::kNotFinite;
  return Reason::kNone;
}

/// Reads a payload; `out` (n values, all +0) may be null. Gives the bytes that it takes, which may
/// be more than there are, or nothing if it is malformed whatever follows.
class Payload {
 public:
  Payload(std::span<const uint8_t> bytes, Decoded& decoded, float* out, Implementation by)
      : bytes_(bytes), d_(decoded), out_(out), kernels_(internal::kernels_of(by)) {}

  std::optional<size_t> read() {
    switch (d_.method) {
      case Method::kRaw:
        return raw();
      case Method::kOneBit:
        return one_bit();
      case Method::kMxfp8:
      case Method::kMxfp4:
      case Method::kMxfp8E5m2:
        return mx();
      default:
        return d_.k >= 0 ? rice() : mask();
    }
  }

 private:
  size_t n() const { return d_.n; }
  bool has(size_t bytes) const { return bytes <= bytes_.size(); }
  void put(size_t i, float value) {
    if (out_ != nullptr) out_[i] = value;
  }

  size_t raw() {
    const size_t size = 4 * n();
    for (size_t i = 0; has(size) && i < n(); ++i) {
      put(i, std::bit_cast<float>(get_word(bytes_.data() + 4 * i)));
    }
    d_.entries = n();
    return size;
  }

  size_t one_bit() {
    const size_t size = (n() + 7) / 8;
    for (size_t i = 0; has(size) && i < n(); ++i) {
      put(i, (bytes_[i / 8] >> i % 8 & 1) != 0 ? d_.first : d_.second);
    }
    d_.entries = n();
    return size;
  }

  size_t mx() {
    const MxElement& element = mx_element(d_.method);
    const bool wide = mx_element_bits(d_.method) == 8;
    const size_t block = mx_block_bytes(d_.method);
    const size_t size = (n() + kMxBlock - 1) / kMxBlock * block;
    if (kernels_ != nullptr && out_ != nullptr && has(size)) {
      kernels_->decode_mx(d_.method, bytes_.data(), n(), out_);
      d_.entries = n();
      return size;
    }
    for (size_t i = 0; has(size) && i < n(); ++i) {
      const uint8_t* at = bytes_.data() + i / kMxBlock * block;
      const size_t lane = i % kMxBlock;
      const int code = wide ? at[1 + lane] : at[1 + lane / 2] >> 4 * (lane % 2) & 0xF;
      put(i, mx_decode(static_cast<uint8_t>(code), at[0], element));
    }
    d_.entries = n();
    return size;
  }

  std::optional<size_t> mask() {
    const Dictionary dictionary{d_.method, d_.first, d_.second};
    const size_t groups = rows_of(n());
    internal::Progress done;
    if (kernels_ != nullptr && out_ != nullptr) {
      done = kernels_->decode_mask(d_.method, d_.first, d_.second, bytes_.data(), bytes_.size(),
                                   n(), out_);
    }
    d_.entries = done.entries;
    size_t at = done.bytes;
    for (size_t group = done.groups; group < groups;) {
      if (!has(at + 2)) return std::nullopt;  // no group is shorter
      const unsigned mask = bytes_[at++];
      if (mask == 0) {
        group += 1 + size_t{bytes_[at++]};
        if (group > groups) return std::nullopt;
        continue;
      }
      const size_t from = group * kLanes;
      if (from + static_cast<size_t>(std::bit_width(mask)) > n()) return std::nullopt;
      const unsigned signs = d_.method == Method::kWgt ? 0 : bytes_[at++];
      if ((signs & ~mask) != 0) return std::nullopt;
      const size_t each = d_.method == Method::kWgt ? 4 : d_.method == Method::kQgt ? 1 : 0;
      if (!has(at + each * static_cast<size_t>(std::popcount(mask)))) return std::nullopt;
      for (size_t i = 0; i < kLanes; ++i) {
        if ((mask >> i & 1) == 0) continue;
        ++d_.entries;
        if (d_.method == Method::kWgt) {
          put(from + i, std::bit_cast<float>(get_word(bytes_.data() + at)));
        } else {
          const uint8_t m = each == 1 ? bytes_[at] : uint8_t{1};
          if (m == 0) return std::nullopt;
          put(from + i, dictionary.value((signs >> i & 1) != 0, m));
        }
        at += each;
      }
      ++group;
    }
    return at;
  }

  std::optional<size_t> rice() {
    const Dictionary dictionary{d_.method, d_.first, d_.second};
    BitReader bits(bytes_);
    for (size_t next = 0;;) {
      const auto ones = static_cast<uint32_t>(std::countr_one(bits.peek() & 0x7FFF));
      bits.skip(static_cast<int>(std::min(ones + 1, kRiceEscape)));
      size_t gap;
      if (ones < kRiceEscape) {
        gap = size_t{ones} << d_.k | bits.take(d_.k);
      } else {
        gap = bits.take(kRiceGapBits);
      }
      next += gap;
      if (!bits.ok() || next > n()) return std::nullopt;
      if (next == n()) return bits.bytes();
      const bool negative = bits.take(1) != 0;
      const auto m = static_cast<uint8_t>(d_.method == Method::kQgt ? bits.take(8) : 1);
      if (!bits.ok() || m == 0) return std::nullopt;
      ++d_.entries;
      put(next++, dictionary.value(negative, m));
    }
  }

  std::span<const uint8_t> bytes_;
  Decoded& d_;
  float* out_;
  const internal::Kernels* kernels_;
};

void read_body(std::span<const uint8_t> packet, float* out, Decoded& d, Implementation by) {
  const std::span<const uint8_t> payload =
      packet.subspan(kHeaderBytes, packet.size() - kHeaderBytes - kStatusBytes);
  const std::optional<size_t> size = Payload(payload, d, out, by).read();
  if (size != payload.size()) {
    d.reason = Reason::kPayload;
  } else if ((packet.back() & ~kStatusBits) != 0) {
    d.reason = Reason::kStatus;
  } else {
    d.status = packet.back();
  }
}

/// A payload, a group of eight values at a time.
class Groups {
 public:
  Groups(std::span<const uint8_t> payload, Decoded& decoded)
      : bits_(payload), bytes_(payload.size()), d_(decoded) {}

  /// The next group; false: it is malformed. Lanes that are not sent are left as they are.
  bool read(std::span<float, kLanes> out) {
    const size_t first = group_ * kLanes;
    const size_t count = std::min(kLanes, d_.n - first);
    const bool good = d_.k >= 0              ? rice(out, first)
                      : is_sparse(d_.method) ? mask(out, first)
                                             : dense(out, first, count);
    ++group_;
    return good;
  }
  /// After the last group: nothing is left.
  bool whole() const { return bits_.bytes() == bytes_; }

 private:
  bool has() const { return bits_.ok(); }

  bool dense(std::span<float, kLanes> out, size_t first, size_t count) {
    const bool last = first + count == d_.n;
    d_.entries += count;
    if (d_.method == Method::kRaw) {
      for (size_t i = 0; i < count; ++i) {
        const uint32_t low = bits_.take(16);
        out[i] = std::bit_cast<float>(low | bits_.take(16) << 16);
      }
      return has();
    }
    if (d_.method == Method::kOneBit) {
      const uint32_t signs = bits_.take(8);
      for (size_t i = 0; i < count; ++i) out[i] = (signs >> i & 1) != 0 ? d_.first : d_.second;
      return has();
    }
    const auto width = static_cast<int>(mx_element_bits(d_.method));
    if (first % kMxBlock == 0) scale_ = static_cast<uint8_t>(bits_.take(8));
    for (size_t i = 0; i < kLanes; ++i) {
      const auto code = static_cast<uint8_t>(bits_.take(width));
      if (i < count) out[i] = mx_decode(code, scale_, mx_element(d_.method));
    }
    // The block of the last value is whole.
    for (size_t i = first % kMxBlock + kLanes; last && i < kMxBlock; ++i) bits_.skip(width);
    return has();
  }

  bool mask(std::span<float, kLanes> out, size_t first) {
    if (empty_groups_ != 0) {
      --empty_groups_;
      return true;
    }
    const uint32_t sent = bits_.take(8);
    if (sent == 0) {
      empty_groups_ = bits_.take(8);
      return has() && empty_groups_ < rows_of(d_.n) - group_;
    }
    const uint32_t signs = d_.method == Method::kWgt ? 0 : bits_.take(8);
    if (!has() || first + static_cast<size_t>(std::bit_width(sent)) > d_.n ||
        (signs & ~sent) != 0) {
      return false;
    }
    for (size_t i = 0; i < kLanes; ++i) {
      if ((sent >> i & 1) == 0) continue;
      ++d_.entries;
      if (d_.method == Method::kWgt) {
        const uint32_t low = bits_.take(16);
        out[i] = std::bit_cast<float>(low | bits_.take(16) << 16);
        continue;
      }
      const uint32_t m = d_.method == Method::kQgt ? bits_.take(8) : 1;
      if (m == 0 && has()) return false;
      out[i] = dictionary().value((signs >> i & 1) != 0, static_cast<uint8_t>(m));
    }
    return has();
  }

  /// Reads on until an entry of a later group, or the end.
  bool rice(std::span<float, kLanes> out, size_t first) {
    for (;;) {
      if (!pending_ && !ended_) {
        if (!code()) return false;
      }
      if (ended_ || next_ >= first + kLanes) return true;
      out[next_ - first] = value_;
      ++d_.entries;
      ++next_;
      pending_ = false;
    }
  }
  /// The next code: `next_` becomes its index.
  bool code() {
    uint32_t ones = 0;
    while (ones < kRiceEscape && bits_.take(1) != 0) ++ones;
    next_ += ones < kRiceEscape ? ones << d_.k | bits_.take(d_.k) : bits_.take(kRiceGapBits);
    if (!has() || next_ > d_.n) return false;
    ended_ = next_ == d_.n;
    if (ended_) return true;
    const bool negative = bits_.take(1) != 0;
    const uint32_t m = d_.method == Method::kQgt ? bits_.take(8) : 1;
    value_ = dictionary().value(negative, static_cast<uint8_t>(m));
    pending_ = true;
    return has() && m != 0;
  }
  Dictionary dictionary() const { return {d_.method, d_.first, d_.second}; }

  BitReader bits_;
  const size_t bytes_;
  Decoded& d_;
  size_t group_ = 0;
  size_t empty_groups_ = 0;  // of a run, that are still to come
  uint8_t scale_ = 0;
  // Rice: the index after the entry before, or of the one that is read and not due yet.
  size_t next_ = 0;
  bool pending_ = false, ended_ = false;
  float value_ = 0;
};

}  // namespace

std::string_view reason_name(Reason reason) {
  static constexpr std::array<std::string_view, kReasons> kNames = {
      "none",  "short", "format",     "coding",  "reserved",
      "count", "limit", "not_finite", "payload", "status"};
  return kNames[static_cast<size_t>(reason)];
}

std::string_view reason_sentence(Reason reason) {
  static constexpr std::array<std::string_view, kReasons> kSentences = {
      "nothing is wrong with it",
      "it ends before a header and a status byte",
      "its format is unknown",
      "its coding is unknown or not one of its format",
      "a reserved bit of its header is set",
      "it says that it holds no value",
      "it says that it holds more values than the limit",
      "its threshold or a mean is not finite",
      "its payload is too short, too long, or says what no encoder says",
      "a reserved bit of its status is set"};
  return kSentences[static_cast<size_t>(reason)];
}

Decoded decode_packet(std::span<const uint8_t> packet, size_t limit, std::vector<float>& out,
                      Implementation by) {
  Decoded d;
  out.clear();
  d.reason = read_header(packet, limit, d);
  if (!d.ok()) return d;
  out.assign(d.n, 0.0f);
  read_body(packet, out.data(), d, by);
  if (!d.ok()) out.clear();
  return d;
}

Decoded decode_into(std::span<const uint8_t> packet, std::span<float> out, Implementation by) {
  Decoded d;
  d.reason = read_header(packet, out.size(), d);
  if (!d.ok()) return d;
  std::ranges::fill(out.first(d.n), 0.0f);
  read_body(packet, out.data(), d, by);
  return d;
}

Decoded decode_groups(std::span<const uint8_t> packet, size_t limit, std::vector<float>& out) {
  Decoded d;
  out.clear();
  d.reason = read_header(packet, limit, d);
  if (!d.ok()) return d;
  Groups groups(packet.subspan(kHeaderBytes, packet.size() - kHeaderBytes - kStatusBytes), d);
  while (out.size() < d.n) {
    std::array<float, kLanes> values{};
    const bool last = out.size() + kLanes >= d.n;
    if (!groups.read(values) || (last && !groups.whole())) {
      d.reason = Reason::kPayload;
      return d;
    }
    if (last && (packet.back() & ~kStatusBits) != 0) {
      d.reason = Reason::kStatus;
      return d;
    }
    out.insert(out.end(), values.begin(),
               values.begin() + static_cast<std::ptrdiff_t>(std::min(kLanes, d.n - out.size())));
  }
  d.status = packet.back();
  return d;
}

size_t packet_length(std::span<const uint8_t> bytes, size_t limit) {
  Decoded d;
  if (read_header(bytes, limit, d) != Reason::kNone) return 0;
  const std::optional<size_t> size =
      Payload(bytes.subspan(kHeaderBytes), d, nullptr, Implementation::kScalar).read();
  if (!size || kHeaderBytes + *size + kStatusBytes > bytes.size()) return 0;
  return kHeaderBytes + *size + kStatusBytes;
}

}  // namespace gw::reference::quant
