// SPDX-License-Identifier: Apache-2.0
#include "testbenches/switch/wiring.h"

#include <cmath>

#include "models/reference/optimizer/graph.h"
#include "sim/feeds/writer.h"

namespace gw::testbenches {
namespace {

namespace optimizer = reference::optimizer;

constexpr uint32_t kCells = 1u << 31;  // address: cells, not registers
constexpr int kBankShift = 28;         // theta, then the states

std::string bit(bool value) { return value ? "1'b1" : "1'b0"; }

/// Registers, then the cells of every parameter (docs/devices/optimizer.md).
std::vector<sim::Boot::Write> host_writes(const NetworkSpec& net, uint64_t seed) {
  const optimizer::Registers registers(net.hyper, net.subnormal);
  std::vector<sim::Boot::Write> writes;
  for (const optimizer::Source source :
       {optimizer::kLr, optimizer::kEps, optimizer::kBeta1, optimizer::kBeta2,
        optimizer::kOneMinusBeta1, optimizer::kOneMinusBeta2, optimizer::kBias}) {
    writes.push_back({static_cast<uint32_t>(writes.size()), registers[source]});
  }
  const std::vector<uint32_t> parameters = initial_parameters(seed);
  const size_t states = optimizer::graph_of(net.algorithm).states();
  const optimizer::Cell cell = optimizer::first_cell(net.algorithm, 0, registers, net.epsilon);
  for (size_t bank = 0; bank <= states; ++bank) {
    for (uint32_t p = 0; p < parameters.size(); ++p) {
      writes.push_back({kCells | static_cast<uint32_t>(bank) << kBankShift | p,
                        bank == 0 ? parameters[p] : cell.state[bank - 1]});
    }
  }
  return writes;
}

}  // namespace

Parameters rtl_parameters(const reference::Blocks& blocks, const NetworkSpec& net) {
  Parameters parameters;
  if (blocks.optimization) {
    parameters = {{"Algorithm", std::to_string(static_cast<int>(net.algorithm))},
                  {"Pes", std::to_string(net.pes)},
                  {"Iterative", bit(net.iterative)},
                  {"Fast", bit(net.fast)}};
    if (net.eps_outside()) parameters.emplace_back("EpsOutside", bit(true));
  }
  if (blocks.aggregation) parameters.emplace_back("AddLatency", std::to_string(kAddLatency));
  if (blocks.aggregation || blocks.optimization) {
    parameters.emplace_back("Subnormal", bit(net.subnormal == reference::fp::Subnormal::kIeee));
    parameters.emplace_back("DepthLog2", std::to_string(kNetworkDepthLog2));
  }
  return parameters;
}

PinValues aggregator_pins(const NetworkSpec& net) {
  return {{"workers_i", static_cast<uint64_t>(net.workers)},
          {"group_i", net.group},
          {"depth_i", net.depth}};
}

sim::Boot boot_of(const reference::Blocks& blocks, const NetworkSpec& net, uint64_t seed) {
  sim::Boot boot;
  if (blocks.optimization) boot.writes = host_writes(net, seed);
  if (blocks.aggregation) boot.edges = kNetworkDepth;
  return boot;
}

std::unique_ptr<sim::PacketWriter> stream_writer(const std::string& path,
                                                 const sim::Source& source) {
  const int64_t begin = source.facts().begin_ns;
  return sim::open_frame_writer(
      {.path = path, .trace = source.facts().path},
      [begin](const sim::Passage& passage) { return begin + passage.time_ns; });
}

std::unique_ptr<sim::PacketWriter> timed_writer(const std::string& path, const sim::Source& source,
                                                double clock_mhz) {
  const int64_t begin = source.facts().begin_ns;
  return sim::open_frame_writer(
      {.path = path, .trace = source.facts().path},
      [begin, clock_mhz](const sim::Passage& passage) {
        return begin + std::llround(static_cast<double>(passage.first) * 1e3 / clock_mhz);
      });
}

}  // namespace gw::testbenches
