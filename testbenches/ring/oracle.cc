// SPDX-License-Identifier: Apache-2.0
#include "testbenches/ring/oracle.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

namespace gw::testbenches {

namespace {

namespace fp = gw::reference::fp;

fp::Subnormal mode_of(bool subnormal) {
  return subnormal ? fp::Subnormal::kIeee : fp::Subnormal::kFlush;
}

/// Of values in a row, pair by pair.
float tree_of(std::span<const float> values) {
  if (values.size() == 1) return values[0];
  const size_t half = std::bit_ceil(values.size()) / 2;
  return tree_of(values.first(half)) + tree_of(values.subspan(half));
}

}  // namespace

RingOracle::RingOracle(size_t nodes, bool subnormal, uint64_t busy)
    : QueueOracle(RingPorts::kMost), nodes_(nodes), busy_(busy), sums_(nodes, mode_of(subnormal)) {}

void RingOracle::arrives(size_t port, const sim::PacketRef<Beat>& packet) {
  given_[port].push_back(packet);
  ++waiting_;
  const std::optional<reference::ring::Bytes> result = sums_.add(port, sim::bytes_of(*packet));
  if (!result) return;
  std::vector<sim::PacketRef<Beat>> chunks;
  for (size_t node = 0; node < nodes_; ++node) {
    sim::PacketRef<Beat> out = sim::make_packet<Beat>(*result);
    out->source = given_[node].front();
    chunks.push_back(std::move(given_[node].front()));
    given_[node].pop_front();
    owe(node, std::move(out));
  }
  waiting_ -= nodes_;
  ++results_;
  score(chunks);
}

std::vector<std::optional<uint32_t>> RingOracle::statistics() const {
  // All chunks and results pass each node; the first one sums nothing.
  std::vector<std::optional<uint32_t>> words(nodes_ * RingNodePorts::kStatWords);
  for (size_t node = 0; node < nodes_; ++node) {
    const size_t from = node * RingNodePorts::kStatWords;
    words[from] = words[from + 1] = results_;
    words[from + 2] = node == 0 ? 0 : results_;
  }
  return words;
}

void RingOracle::Distance::add(float value, double exact) {
  const auto nearest = static_cast<float>(exact);
  if (!std::isfinite(nearest) || !std::isfinite(value)) return;
  const double place =
      std::max<double>(std::nextafter(std::fabs(nearest), INFINITY) - std::fabs(nearest), 0x1p-149);
  const double distance = std::fabs(value - exact) / place;
  max = std::max(max, distance);
  sum += distance;
  ++values;
}

void RingOracle::score(const std::vector<sim::PacketRef<Beat>>& chunks) {
  const size_t lanes = chunks[0]->bytes() / 4;
  std::vector<float> column(nodes_);
  for (size_t lane = 0; lane < lanes; ++lane) {
    double exact = 0;  // of at most eight numbers of like size: what 53 bits lose does not show
    float sum = 0;
    for (size_t node = 0; node < nodes_; ++node) {
      column[node] = std::bit_cast<float>(chunks[node]->beats[lane / 16].data[lane % 16]);
      exact += column[node];
      sum = node == 0 ? column[0] : sum + column[node];
    }
    ring_.add(sum, exact);
    // Algorithm 1: node b begins with its own block b, which goes once round.
    const size_t first = lane * nodes_ / lanes;
    float round = column[first];
    for (size_t hop = 1; hop < nodes_; ++hop) round += column[(first + hop) % nodes_];
    algorithm1_.add(round, exact);
    tree_.add(tree_of(column), exact);
  }
}

nlohmann::json RingOracle::findings() const {
  const auto words = [](const Distance& d) {
    return nlohmann::json{{"max", d.max}, {"mean", d.mean()}};
  };
  return {
      {"ring",
       {{"error_ulp",
         {{"ring", words(ring_)}, {"algorithm1", words(algorithm1_)}, {"tree", words(tree_)}}}}}};
}

}  // namespace gw::testbenches
