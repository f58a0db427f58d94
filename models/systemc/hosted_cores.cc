// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/hosted_cores.h"

namespace gw::systemc {

void AggregationRegisters::configure(const AggregationConfig& config) {
  config_ = config;
  core_.configure(config);
  reset();
}

void AggregationRegisters::reset() {
  namespace map = registers::aggregator_axil;
  config_.workers = map::kWorkersField.reset;
  config_.group = map::kGroupField.reset;
  config_.depth = 1u << config_.depth_log2;
  core_.set_pins(config_);
}

uint32_t AggregationRegisters::read(uint32_t address) const {
  namespace map = registers::aggregator_axil;
  return address == map::kWorkers ? config_.workers
         : address == map::kGroup ? config_.group
                                  : config_.depth;
}

void AggregationRegisters::written(uint32_t address, uint32_t data) {
  namespace map = registers::aggregator_axil;
  if (address == map::kWorkers) config_.workers = data;
  if (address == map::kGroup) config_.group = data;
  if (address == map::kDepth) config_.depth = data;
  core_.set_pins(config_);
  if (address == map::kJobReset) core_.job_reset();
}

void OptimizationRegisters::write(uint32_t address, uint32_t data) {
  namespace map = registers::optimizer_axil;
  // The seven that the core's cfg port has, in its order.
  if (address >= map::kLr && address <= map::kBias) core_.write((address - map::kLr) / 4, data);
}

HostedSwitch::HostedSwitch(const RegisterMap& map, const AggregationConfig& aggregation,
                           const OptimizerConfig& optimizer)
    : file_(map), registers_(core_) {
  core_.configure(aggregation, optimizer, {});
  registers_.configure(aggregation);
}

void HostedSwitch::reset(unsigned offered) {
  core_.reset(offered);
  file_.reset();
  registers_.reset();
  within_ = 0;
}

void HostedSwitch::clock(const std::array<const Beat*, kPorts>& s, unsigned m_ready) {
  file_.begin(registers_, within_ == 0);
  within_ += core_.begins();
  within_ -= core_.ends();
  core_.clock(s, m_ready, file_.drain());
  file_.end(registers_);
}

}  // namespace gw::systemc
