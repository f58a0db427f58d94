#include "testbenches/common/network_pins.h"

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/base/random.h"

namespace gw::sim {

std::vector<uint32_t> initial_parameters(const NetworkSpec&, uint64_t seed) {
  // Uniform in +-0.05, as layers of some hundred neurons are initialised.
  Random random(seed * 7919 + 17);
  std::vector<uint32_t> parameters(kNetworkDepth * reference::kLanes);
  for (uint32_t& p : parameters) {
    const double unit = static_cast<double>(random.next() >> 11) * 0x1p-53;
    p = std::bit_cast<uint32_t>(static_cast<float>((unit - 0.5) * 0.1));
  }
  return parameters;
}

}  // namespace gw::sim

namespace gw::testbenches {

void check_aggregator(const sim::RunSpec& spec) {
  const sim::NetworkSpec& net = spec.network;
  if (net.workers < 1 || net.workers > reference::kMaxWorkers) {
    throw sim::UsageError(fmt::format("--workers {} is not between 1 and 16", net.workers));
  }
  if (net.depth < 1 || net.depth > sim::kNetworkDepth) {
    throw sim::UsageError(
        fmt::format("--depth {} is not between 1 and {}", net.depth, sim::kNetworkDepth));
  }
}

void check_optimizer(const sim::RunSpec& spec) {
  const int pes = spec.network.pes;
  if (pes < 1 || pes > 64 || !std::has_single_bit(static_cast<unsigned>(pes))) {
    throw sim::UsageError(fmt::format("--pes {} is not a power of two from 1 to 64", pes));
  }
}

}  // namespace gw::testbenches
