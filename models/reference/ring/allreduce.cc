// SPDX-License-Identifier: Apache-2.0
#include "models/reference/ring/allreduce.h"

#include <algorithm>
#include <utility>

namespace gw::reference::ring {

namespace {

std::uint32_t word(std::span<const std::uint8_t> bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | bytes[at + i];
  return value;
}

}  // namespace

Bytes sum(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b, fp::Subnormal mode) {
  Bytes out(a.size());
  for (std::size_t at = 0; at + 4 <= a.size(); at += 4) {
    const std::uint32_t lane = fp::add(word(a, at), word(b, at), mode);
    for (std::size_t i = 0; i < 4; ++i) out[at + i] = static_cast<std::uint8_t>(lane >> 8 * i);
  }
  return out;
}

std::vector<std::size_t> cut(std::uint64_t bytes, std::size_t chunk) {
  std::vector<std::size_t> lengths;
  while (bytes > 0) {
    lengths.push_back(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, chunk)));
    bytes -= lengths.back();
  }
  return lengths;
}

Allreduce::Allreduce(std::size_t nodes, fp::Subnormal mode, std::uint32_t first, std::size_t kept)
    : mode_(mode), kept_(kept), nodes_(nodes) {
  for (Node& node : nodes_) node.begin = first;
}

std::optional<Bytes> Allreduce::add(std::size_t node, Bytes chunk) {
  nodes_[node].own.push_back(std::move(chunk));
  for (std::size_t i = node; i < nodes_.size(); ++i) {
    Node& here = nodes_[i];
    if (here.own.empty() || mixed_) return {};
    if (i == 0) {
      here.sums.push_back(std::move(here.own.front()));
    } else {
      const Bytes* const before = partial(here.begin + count(i), i - 1);
      if (before == nullptr) return {};
      if (before->size() != here.own.front().size()) {
        mixed_ = true;
        return {};
      }
      here.sums.push_back(sum(*before, here.own.front(), mode_));
    }
    here.own.pop_front();
  }
  Bytes result = nodes_.back().sums.back();
  while (nodes_.back().sums.size() > kept_) {
    for (Node& each : nodes_) {
      each.sums.pop_front();
      ++each.begin;
    }
  }
  return result;
}

const Bytes* Allreduce::partial(std::uint32_t chunk, std::size_t node) const {
  const std::uint32_t at = chunk - nodes_[node].begin;
  return at < count(node) ? &nodes_[node].sums[at] : nullptr;
}

}  // namespace gw::reference::ring
