// SPDX-License-Identifier: Apache-2.0
#include "models/reference/quant/quantiser.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "models/reference/quant/bits.h"
#include "models/reference/quant/kernels.h"
#include "models/reference/quant/values.h"

namespace gw::reference::quant {
namespace {

using internal::BitWriter;
using internal::put_word;

[[noreturn]] void abort_because(const char* what) {
  std::fprintf(stderr, "gw::reference::quant: %s\n", what);
  std::abort();
}

void check(const Config& config) {
  if (is_threshold(config.method) &&
      round_threshold(static_cast<double>(config.threshold)) != config.threshold) {
    abort_because("T is out of range or not rounded");
  }
  if (config.method == Method::kAdaptive && (config.p < kMinP || config.p > kMaxP)) {
    abort_because("p is out of range");
  }
  if (is_sparse(config.method) && !has_coding(config.method, config.coding)) {
    abort_because("the method does not have this coding");
  }
}

bool negative(float v) { return v < 0; }  // -0 is not

std::array<uint8_t, kHeaderBytes> header(Method method, uint8_t coding, size_t n, float first,
                                         float second) {
  std::array<uint8_t, kHeaderBytes> bytes{static_cast<uint8_t>(method), coding};
  const std::array<uint32_t, 3> words = {static_cast<uint32_t>(n), std::bit_cast<uint32_t>(first),
                                         std::bit_cast<uint32_t>(second)};
  for (size_t i = 0; i < 12; ++i) {
    bytes[4 + i] = static_cast<uint8_t>(words[i / 4] >> 8 * (i % 4));
  }
  return bytes;
}

void put_header(std::vector<uint8_t>& packet, Method method, uint8_t coding, size_t n, float first,
                float second) {
  const auto bytes = header(method, coding, n, first, second);
  packet.insert(packet.end(), bytes.begin(), bytes.end());
}

/// Groups of 8: a mask; after an empty one a count of those that follow; after another one signs,
/// then what is sent of each lane.
void put_mask(std::vector<uint8_t>& packet, Method method, std::span<const float> v,
              std::span<const uint8_t> sent) {
  const size_t groups = rows_of(v.size());
  const auto lanes_of = [&](size_t group) {
    const size_t from = group * kLanes;
    unsigned mask = 0;
    for (size_t i = from; i < std::min(from + kLanes, v.size()); ++i) {
      mask |= (sent[i] != 0 ? 1u : 0u) << (i - from);
    }
    return mask;
  };
  for (size_t group = 0; group < groups;) {
    const unsigned mask = lanes_of(group);
    packet.push_back(static_cast<uint8_t>(mask));
    if (mask == 0) {
      size_t run = 1;
      while (run < kMaxEmptyGroups && group + run < groups && lanes_of(group + run) == 0) ++run;
      packet.push_back(static_cast<uint8_t>(run - 1));
      group += run;
      continue;
    }
    const std::span<const float> lanes = v.subspan(group * kLanes);
    if (method != Method::kWgt) {
      unsigned signs = 0;
      for (size_t i = 0; i < kLanes; ++i) {
        if ((mask >> i & 1) != 0 && negative(lanes[i])) signs |= 1u << i;
      }
      packet.push_back(static_cast<uint8_t>(signs));
    }
    for (size_t i = 0; i < kLanes; ++i) {
      if ((mask >> i & 1) == 0) continue;
      if (method == Method::kQgt) packet.push_back(sent[group * kLanes + i]);
      if (method == Method::kWgt) put_word(packet, std::bit_cast<uint32_t>(lanes[i]));
    }
    ++group;
  }
}

void put_gap(BitWriter& to, size_t gap, int k) {
  const size_t quotient = gap >> k;
  if (quotient < kRiceEscape) {
    to.put((1u << quotient) - 1, static_cast<int>(quotient) + 1);  // its last bit is the zero
    to.put(static_cast<uint32_t>(gap) & ((1u << k) - 1), k);
  } else {
    to.put((1u << kRiceEscape) - 1, kRiceEscape);
    to.put(static_cast<uint32_t>(gap), kRiceGapBits);
  }
}

void put_rice(std::vector<uint8_t>& packet, Method method, std::span<const float> v,
              std::span<const uint8_t> sent, int k) {
  BitWriter to(packet);
  size_t next = 0;  // the index after the entry before
  for (size_t i = 0; i < v.size(); ++i) {
    if (sent[i] == 0) continue;
    put_gap(to, i - next, k);
    to.put(negative(v[i]) ? 1 : 0, 1);
    if (method == Method::kQgt) to.put(sent[i], 8);
    next = i + 1;
  }
  put_gap(to, v.size() - next, k);
  to.finish();
}

/// Sum and count of each side.
struct Sides {
  std::array<uint64_t, 2> sum{};
  std::array<size_t, 2> count{};

  float mean(bool below_zero) const {
    return mean_of(sum[below_zero], count[below_zero], below_zero);
  }
};

Sides sides_of_all(std::span<const float> v) {
  Sides sides;
  for (const float x : v) {
    sides.sum[negative(x)] += fixed_point(x);
    ++sides.count[negative(x)];
  }
  return sides;
}

/// Marks what ADAPTIVE sends of v; the means of its sides.
std::array<float, 2> select_largest(std::span<const float> v, int p, std::span<uint8_t> sent) {
  std::array<std::array<uint32_t, kBins>, 2> histogram{};
  std::array<size_t, 2> values{};
  int top = -1;
  for (const float x : v) {
    ++values[negative(x)];
    const int bin = bin_of(x);
    if (bin >= 0) ++histogram[negative(x)][static_cast<size_t>(bin)];
    top = std::max(top, bin);
  }
  std::array<int, 2> from{};
  std::array<float, 2> means{};
  for (size_t side = 0; side < 2; ++side) {
    const Selection s = select_bins(histogram[side], values[side], p, top);
    from[side] = s.from;
    means[side] = mean_of_bins(s, side == 1);
  }
  for (size_t i = 0; i < v.size(); ++i) {
    const int bin = bin_of(v[i]);
    sent[i] = bin >= 0 && bin >= from[negative(v[i])] ? 1 : 0;
  }
  return means;
}

/// What the decoder makes of a value of a threshold method.
float threshold_value(const Config& config, float v, uint8_t sent) {
  if (sent == 0) return 0.0f;
  if (config.method == Method::kWgt) return v;
  const float d = static_cast<float>(sent) * config.threshold;
  return negative(v) ? -d : d;
}

}  // namespace

Quantiser::Quantiser(const Config& config, size_t rows)
    : config_(config), residuals_(rows * kLanes), k_(rows) {
  check(config);
  reset();
}

void Quantiser::configure(const Config& config) {
  check(config);
  config_ = config;
}

void Quantiser::reset() {
  std::ranges::fill(residuals_, 0.0f);
  std::ranges::fill(k_, uint8_t{kFirstRiceK});
}

bool Quantiser::fits(const Chunk& chunk, size_t n) const {
  if (n == 0) return false;
  if (has_means(config_.method) && n > kMaxBufferedValues) return false;
  const bool needs_rows =
      config_.residual || (is_threshold(config_.method) && config_.coding == Coding::kRice);
  return !needs_rows || chunk.row + rows_of(n) <= rows();
}

/// The usual case, a chunk as long as announced that fits, by vector code where there is some.
bool Quantiser::encode_fast(const Chunk& chunk, std::vector<uint8_t>& packet, ChunkReport& report) {
  const internal::Kernels* const kernels = internal::kernels_of(by_);
  const Method method = config_.method;
  const bool threshold = is_threshold(method);
  if (kernels == nullptr || !(threshold || is_mx(method)) || chunk.values.size() != report.n) {
    return false;
  }
  const bool rice = threshold && config_.coding == Coding::kRice;
  const float* const g = chunk.values.data();
  float* const r = config_.residual ? residuals_.data() + size_t{chunk.row} * kLanes : nullptr;
  if (room_.size() < max_packet_bytes(report.n)) room_.resize(max_packet_bytes(report.n));
  uint8_t* const payload = room_.data() + kHeaderBytes;
  internal::Encoded done;
  if (rice) {
    report.k = k_[chunk.row];
    done = kernels->threshold_rice(method, config_.threshold, g, r, report.n, report.k, payload);
  } else if (threshold) {
    done = kernels->threshold_mask(method, config_.threshold, g, r, report.n, payload);
  } else {
    done = kernels->mx(method, config_.scale, g, r, report.n, payload);
  }
  report.method = method;
  report.entries = done.entries;
  if (done.not_finite) report.status |= kStatusNotFinite;
  if (threshold && chunk.row < rows()) {
    k_[chunk.row] = static_cast<uint8_t>(rice_k(done.entries, report.n));
  }
  std::ranges::copy(header(method, rice ? static_cast<uint8_t>(1 + report.k) : uint8_t{0}, report.n,
                           threshold ? config_.threshold : 0.0f, 0.0f),
                    room_.begin());
  payload[done.bytes] = report.status;
  packet.assign(room_.begin(), room_.begin() + static_cast<std::ptrdiff_t>(
                                                   kHeaderBytes + done.bytes + kStatusBytes));
  report.bytes = packet.size();
  return true;
}

ChunkReport Quantiser::encode(const Chunk& chunk, std::vector<uint8_t>& packet) {
  const size_t n = chunk.announced ? *chunk.announced : chunk.values.size();
  if (n > kMaxValues) abort_because("a chunk of more than 2^20 - 1 values");
  const std::span<const float> g = chunk.values.first(std::min(n, chunk.values.size()));
  packet.clear();

  ChunkReport report;
  report.n = n;
  if (n == 0 || chunk.values.size() != n || chunk.ragged) report.status |= kStatusLength;
  if (chunk.error) report.status |= kStatusError;

  if (config_.method == Method::kRaw || !fits(chunk, n)) {
    report.entries = n;
    put_header(packet, Method::kRaw, 0, n, 0, 0);
    for (const float x : g) {
      if (!std::isfinite(x)) report.status |= kStatusNotFinite;
      put_word(packet, std::bit_cast<uint32_t>(x));
    }
    packet.resize(packet.size() + 4 * (n - g.size()));  // missing values are +0
    packet.push_back(report.status);
    report.bytes = packet.size();
    return report;
  }

  if (encode_fast(chunk, packet, report)) return report;
  report.method = config_.method;
  const Method method = config_.method;
  const std::span<float> r =
      config_.residual ? std::span(residuals_).subspan(chunk.row * kLanes) : std::span<float>();
  v_.assign(n, 0.0f);
  sent_.assign(n, 0);
  for (size_t i = 0; i < g.size(); ++i) {
    const float before = r.empty() ? 0.0f : r[i];
    float v = r.empty() ? g[i] : g[i] + before;
    if (!std::isfinite(g[i]) || !std::isfinite(v)) {
      v = before;
      report.status |= kStatusNotFinite;
    }
    v_[i] = v;
  }
  const std::span<const float> v = v_;
  // Values that did not come keep their residuals.
  const auto keep = [&](size_t i, float d) {
    if (!r.empty() && i < g.size()) r[i] = v[i] - d;
  };

  if (is_mx(method)) {
    const MxElement& element = mx_element(method);
    report.entries = n;
    put_header(packet, method, 0, n, 0, 0);
    for (size_t from = 0; from < n; from += kMxBlock) {
      const std::span<const float> block = v.subspan(from, std::min(kMxBlock, n - from));
      bool poisoned = false;
      for (size_t i = from; i < std::min(from + kMxBlock, g.size()); ++i) {
        poisoned = poisoned || !std::isfinite(g[i]);
      }
      const uint8_t scale = poisoned ? kMxPoisoned : mx_scale(block, element, config_.scale);
      std::array<uint8_t, kMxBlock> codes{};
      for (size_t i = 0; i < block.size() && !poisoned; ++i) {
        codes[i] = mx_encode(block[i], scale, element);
        keep(from + i, mx_decode(codes[i], scale, element));
      }
      packet.push_back(scale);
      if (mx_element_bits(method) == 8) {
        packet.insert(packet.end(), codes.begin(), codes.end());
      } else {
        for (size_t i = 0; i < kMxBlock; i += 2) {
          packet.push_back(static_cast<uint8_t>(codes[i] | codes[i + 1] << 4));
        }
      }
    }
  } else if (method == Method::kOneBit) {
    const Sides sides = sides_of_all(v);
    const std::array<float, 2> mean = {sides.mean(false), sides.mean(true)};
    std::array<bool, 2> clips{};
    for (const float x : v) {
      if (fixed_point_clips(x)) {
        ++report.clipped;
        clips[negative(x)] = true;
      }
      if (x != 0 && fixed_point(x) == 0) ++report.vanished;
    }
    report.clipped_means = static_cast<size_t>(clips[0]) + static_cast<size_t>(clips[1]);
    report.entries = n;
    put_header(packet, method, 0, n, mean[0], mean[1]);
    packet.resize(kHeaderBytes + (n + 7) / 8);
    for (size_t i = 0; i < n; ++i) {
      if (!negative(v[i])) packet[kHeaderBytes + i / 8] |= static_cast<uint8_t>(1u << i % 8);
      keep(i, mean[negative(v[i])]);
    }
  } else {
    std::array<float, 2> field = {config_.threshold, 0.0f};
    if (method == Method::kAdaptive) {
      field = select_largest(v, config_.p, sent_);
      for (size_t i = 0; i < n; ++i) keep(i, sent_[i] != 0 ? field[negative(v[i])] : 0.0f);
    } else {
      for (size_t i = 0; i < n; ++i) {
        const int m = multiples_of(v[i], config_.threshold);
        sent_[i] = static_cast<uint8_t>(method == Method::kQgt ? m : std::min(m, 1));
        keep(i, threshold_value(config_, v[i], sent_[i]));
      }
    }
    report.entries = n - static_cast<size_t>(std::ranges::count(sent_, uint8_t{0}));
    const int own_k = rice_k(report.entries, n);
    if (config_.coding == Coding::kRice) {
      report.k = method == Method::kAdaptive ? own_k : k_[chunk.row];
    }
    // What the next packet here in Rice code goes by, whatever the coding of this one.
    if (is_threshold(method) && chunk.row < rows()) k_[chunk.row] = static_cast<uint8_t>(own_k);
    const uint8_t coding = config_.coding == Coding::kRice ? static_cast<uint8_t>(1 + report.k) : 0;
    put_header(packet, method, coding, n, field[0], field[1]);
    if (config_.coding == Coding::kRice) {
      put_rice(packet, method, v, sent_, report.k);
    } else {
      put_mask(packet, method, v, sent_);
    }
  }
  packet.push_back(report.status);
  report.bytes = packet.size();
  return report;
}

}  // namespace gw::reference::quant
