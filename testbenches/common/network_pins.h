// How the blocks of the optimizer switch are set up before cycle 0: pins, cleared slots, what the
// host writes into the optimizer.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "models/reference/optimizer/bit_exact.h"
#include "models/reference/optimizer/graph.h"
#include "models/systemc/aggregator.h"
#include "sim/run/device.h"

namespace gw::testbenches {

/// Refuse, with a UsageError, what no switch has.
void check_aggregator(const sim::RunSpec& spec);
void check_optimizer(const sim::RunSpec& spec);

/// The same for the SystemC model.
inline systemc::AggregationConfig aggregation_config(const sim::RunSpec& spec) {
  return {.workers = static_cast<uint32_t>(spec.network.workers),
          .group = spec.network.group,
          .depth = static_cast<uint32_t>(spec.network.depth),
          .depth_log2 = sim::kNetworkDepthLog2,
          .flush_subnormal = spec.network.subnormal == reference::fp::Subnormal::kFlush};
}

template <class Top>
void set_aggregator_pins(Top& top, const sim::RunSpec& spec) {
  top.workers_i = static_cast<uint8_t>(spec.network.workers);
  top.group_i = spec.network.group;
  top.depth_i = static_cast<uint16_t>(spec.network.depth);
}

/// All but the last of the edges that clear the aggregator's slots.
template <class Rtl>
void clear_slots(Rtl& rtl) {
  for (size_t slot = 0; slot + 1 < sim::kNetworkDepth; ++slot) rtl.idle();
}

/// The host's writes, an edge each: registers, then the cells of every parameter.
template <class Rtl>
void load_optimizer(Rtl& rtl, const sim::RunSpec& spec) {
  namespace optimizer = reference::optimizer;
  const sim::NetworkSpec& net = spec.network;
  const optimizer::Registers registers(net.hyper, net.subnormal);
  auto& top = rtl.top();
  const auto write = [&](uint32_t address, uint32_t data) {
    top.cfg_address_i = address;
    top.cfg_data_i = data;
    rtl.idle();
  };
  top.cfg_valid_i = 1;
  constexpr optimizer::Source kOrder[] = {
      optimizer::kLr,    optimizer::kEps,           optimizer::kBeta1,
      optimizer::kBeta2, optimizer::kOneMinusBeta1, optimizer::kOneMinusBeta2,
      optimizer::kBias};
  for (uint32_t i = 0; i < std::size(kOrder); ++i) write(i, registers[kOrder[i]]);
  const std::vector<uint32_t> parameters = sim::initial_parameters(net, spec.seed);
  const size_t states = optimizer::graph_of(net.algorithm).states();
  const auto cell = optimizer::first_cell(net.algorithm, 0, registers);
  for (size_t bank = 0; bank <= states; ++bank) {
    for (uint32_t p = 0; p < parameters.size(); ++p) {
      write(1u << 31 | static_cast<uint32_t>(bank) << 28 | p,
            bank == 0 ? parameters[p] : cell.state[bank - 1]);
    }
  }
  top.cfg_valid_i = 0;
}

}  // namespace gw::testbenches
