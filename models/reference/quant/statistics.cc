// SPDX-License-Identifier: Apache-2.0
#include "models/reference/quant/statistics.h"

#include <algorithm>
#include <cmath>

namespace gw::reference::quant {
namespace {

/// Bits of a sent value as the papers count them.
double papers_bits(Method method) {
  switch (method) {
    case Method::kRaw:
    case Method::kWgt:
      return 32;
    case Method::kQgt:
    case Method::kMxfp8:
    case Method::kMxfp8E5m2:
      return 8;
    case Method::kMxfp4:
      return 4;
    default:
      return 1;
  }
}

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace

void Statistics::add(std::span<const float> g, uint32_t row, const ChunkReport& report,
                     std::span<const float> d) {
  ++sums_.chunks;
  if (report.method == Method::kRaw) ++sums_.raw_chunks;
  sums_.values += g.size();
  sums_.entries += report.entries;
  sums_.bytes += report.bytes;
  sums_.clipped += report.clipped;
  sums_.vanished += report.vanished;
  sums_.clipped_means += report.clipped_means;
  papers_bits_ += papers_bits(report.method) * static_cast<double>(report.entries);
  payload_bytes_ += static_cast<double>(report.bytes - kHeaderBytes - kStatusBytes);
  if (report.k >= 0) {
    ++rice_packets_;
    rice_k_ += static_cast<uint64_t>(report.k);
  }
  const size_t first = size_t{row} * kLanes;
  for (size_t i = 0; i < std::min(g.size(), d.size()); ++i) {
    const bool finite = std::isfinite(g[i]);
    const double came = finite ? static_cast<double>(g[i]) : 0;
    // A block of MX that is not finite is received as NaN, and its residuals stayed as they were.
    const bool arrived = std::isfinite(d[i]);
    const double sent = arrived ? static_cast<double>(d[i]) : 0;
    if (finite && arrived) {
      squared_error_ += (came - sent) * (came - sent);
      squared_gradient_ += came * came;
      sums_.max_abs_error = std::max(sums_.max_abs_error, std::fabs(came - sent));
    } else {
      ++sums_.not_finite;
    }
    if (first + i >= positions_.size()) continue;
    Position& p = positions_[first + i];
    p.used = true;
    if (!arrived) continue;
    p.difference += came - sent;
    p.magnitude += std::fabs(came);
  }
}

Figures Statistics::figures(std::span<const float> residuals) const {
  Figures f = sums_;
  const auto values = static_cast<double>(f.values);
  const auto entries = static_cast<double>(f.entries);
  f.sent_share = share(entries, values);
  if (rice_packets_ != 0) {
    f.k_mean = static_cast<double>(rice_k_) / static_cast<double>(rice_packets_);
  }
  f.bits_per_entry = share(8 * payload_bytes_, entries);
  f.payload_ratio = share(32 * values, papers_bits_);
  f.ratio = share(4 * values, static_cast<double>(f.bytes));
  f.rel_l2_error = std::sqrt(share(squared_error_, squared_gradient_));

  uint64_t used = 0;
  double squares = 0, lost = 0, magnitude = 0;
  for (size_t i = 0; i < std::min(residuals.size(), positions_.size()); ++i) {
    const Position& p = positions_[i];
    if (!p.used) continue;
    const auto r = static_cast<double>(residuals[i]);
    ++used;
    squares += r * r;
    f.residual_max = std::max(f.residual_max, std::fabs(r));
    lost += std::fabs(p.difference - r);
    magnitude += p.magnitude;
  }
  if (lost != 0) f.conservation = magnitude > 0 ? lost / magnitude : HUGE_VAL;
  f.residual_rms = std::sqrt(share(squares, static_cast<double>(used)));
  const double gradient_rms =
      std::sqrt(share(squared_gradient_, static_cast<double>(f.values - f.not_finite)));
  f.residual_to_gradient = share(f.residual_rms, gradient_rms);
  return f;
}

}  // namespace gw::reference::quant
