// Latency and interval of the array of processing elements, in cycles, as docs/devices/optimizer.md
// tabulates them: what the SystemC model is told. The RTL computes its own from its schedule.
#pragma once

#include <cstddef>

#include "models/systemc/optimizer.h"
#include "sim/run/device.h"

namespace gw::testbenches {

struct ArrayTiming {
  uint32_t latency, interval;
};

/// By algorithm, then pipelined paper, pipelined fast, iterative paper, iterative fast.
inline constexpr ArrayTiming kArrayTiming[4][4] = {
    {{21, 1}, {10, 1}, {24, 24}, {13, 13}},
    {{99, 1}, {46, 1}, {103, 103}, {81, 81}},
    {{137, 1}, {62, 1}, {159, 159}, {137, 137}},
    {{164, 1}, {76, 1}, {194, 194}, {155, 155}},
};

constexpr ArrayTiming array_timing(size_t algorithm, bool iterative, bool fast) {
  return kArrayTiming[algorithm][(iterative ? 2 : 0) + (fast ? 1 : 0)];
}

inline ArrayTiming array_timing(const sim::NetworkSpec& net) {
  return array_timing(static_cast<size_t>(net.algorithm), net.iterative, net.fast);
}

inline systemc::OptimizerConfig optimizer_config(const sim::RunSpec& spec) {
  const sim::NetworkSpec& net = spec.network;
  const ArrayTiming timing = array_timing(net);
  return {.algorithm = static_cast<systemc::Algorithm>(net.algorithm),
          .pes = static_cast<uint32_t>(net.pes),
          .latency = timing.latency,
          .interval = timing.interval,
          .flush_subnormal = net.subnormal == reference::fp::Subnormal::kFlush,
          .depth_log2 = sim::kNetworkDepthLog2,
          .lr = net.hyper.lr,
          .eps = net.hyper.eps,
          .beta1 = net.hyper.beta1,
          .beta2 = net.hyper.beta2};
}

}  // namespace gw::testbenches
