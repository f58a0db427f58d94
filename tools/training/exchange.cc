// SPDX-License-Identifier: Apache-2.0
#include "tools/training/exchange.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace gw::training {
namespace {

void require(bool held, const char* what) {
  if (held) return;
  std::fprintf(stderr, "gw::training: %s\n", what);
  std::abort();
}

void add_to(std::span<float> sum, std::span<const float> values) {
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
}

}  // namespace

std::string_view exchange_name(ExchangeKind kind) {
  switch (kind) {
    case ExchangeKind::kOnce:
      return "once";
    case ExchangeKind::kDirect:
      return "direct";
    case ExchangeKind::kRing:
      return "ring";
  }
  std::abort();
}

std::optional<ExchangeKind> parse_exchange(std::string_view name) {
  for (const ExchangeKind kind : kExchanges) {
    if (name == exchange_name(kind)) return kind;
  }
  return std::nullopt;
}

Layout::Layout(std::span<const size_t> lengths) {
  for (const size_t n : lengths) {
    require(n != 0, "a chunk of no values");
    chunks_.push_back({values_, n, rows_});
    values_ += n;
    rows_ += reference::quant::rows_of(n);
  }
}

std::vector<size_t> Layout::slices(size_t workers) const {
  std::vector<size_t> from(workers + 1, chunks_.size());
  size_t next = 0;
  for (size_t c = 0; c < chunks_.size(); ++c) {
    // A chunk belongs to the slice in which its middle lies.
    const size_t slice = (2 * chunks_[c].first + chunks_[c].count) * workers / (2 * values_);
    while (next <= slice) from[next++] = c;
  }
  return from;
}

void Traffic::add(const Traffic& other) {
  bytes += other.bytes;
  payload_bits += other.payload_bits;
  values += other.values;
  entries += other.entries;
}

Exchange::Exchange(ExchangeKind kind, const Codec& codec, size_t workers, const Layout& layout,
                   double sum_scale)
    : kind_(kind), codec_(codec), layout_(layout), owner_(layout.chunks().size()) {
  require(workers >= kMinWorkers && workers <= kMaxWorkers, "workers out of range");
  for (size_t w = 0; w < workers; ++w) {
    senders_.push_back(make_sender(codec, layout.rows(), sum_scale));
  }
  const std::vector<size_t> slices = layout.slices(workers);
  for (size_t w = 0; w < workers; ++w) {
    std::fill(owner_.begin() + static_cast<std::ptrdiff_t>(slices[w]),
              owner_.begin() + static_cast<std::ptrdiff_t>(slices[w + 1]), w);
  }
}

void Exchange::hop(size_t worker, const ChunkRange& chunk, std::span<const float> values,
                   bool of_sum, uint64_t copies, std::span<float> got) {
  const size_t entries = senders_[worker]->send(values, chunk.row, of_sum, packet_);
  receive(codec_, packet_, got);
  chunk_bytes_ += copies * packet_.size();
  traffic_.add({.bytes = copies * packet_.size(),
                .payload_bits = copies * codec_.payload_bits(entries, packet_.size()),
                .values = values.size(),
                .entries = entries});
}

Traffic Exchange::run(std::span<const std::vector<float>> gradients, std::span<float> delivered,
                      std::span<uint64_t> by_chunk, const Reduced& reduced) {
  const size_t workers = senders_.size();
  require(gradients.size() == workers && delivered.size() == layout_.values(),
          "gradients that do not fit the exchange");
  traffic_ = {};
  std::vector<float> sum, got;
  for (size_t c = 0; c < owner_.size(); ++c) {
    const ChunkRange& chunk = layout_.chunks()[c];
    const auto of = [&](size_t worker) {
      return std::span(gradients[worker % workers]).subspan(chunk.first, chunk.count);
    };
    const std::span<float> out = delivered.subspan(chunk.first, chunk.count);
    const size_t owner = owner_[c];
    chunk_bytes_ = 0;
    got.resize(chunk.count);
    if (kind_ == ExchangeKind::kOnce) {
      hop(0, chunk, of(0), false, 1, out);
      for (size_t w = 1; w < workers; ++w) {
        hop(w, chunk, of(w), false, 1, got);
        add_to(out, got);
      }
    } else {
      sum.assign(of(owner).begin(), of(owner).end());
      size_t last = owner;  // who has the whole sum
      for (size_t i = 1; i < workers; ++i) {
        const size_t w = (owner + i) % workers;
        if (kind_ == ExchangeKind::kDirect) {
          hop(w, chunk, of(w), false, 1, got);
          add_to(sum, got);
        } else {
          hop(last, chunk, sum, false, 1, got);
          sum.assign(got.begin(), got.end());
          add_to(sum, of(w));
          last = w;
        }
      }
      if (kind_ == ExchangeKind::kDirect && reduced) reduced(chunk, sum);
      hop(last, chunk, sum, true, workers - 1, out);
    }
    if (!by_chunk.empty()) by_chunk[c] += chunk_bytes_;
  }
  return traffic_;
}

}  // namespace gw::training
