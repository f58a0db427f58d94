// SPDX-License-Identifier: Apache-2.0
#include "models/reference/switch/pipeline.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "models/reference/optimizer/drift.h"

namespace gw::reference {
namespace {

// Bits of tuser that the blocks after the parser set.
constexpr std::uint32_t kComplete = 1u << 6;    // word 0
constexpr int kActionShift = 16;                // word 4
constexpr std::uint32_t kOptimised = 1u << 19;  // word 4

}  // namespace

std::array<std::uint32_t, 6> meta_of(const expether::Classified& what, int port) {
  const expether::Fields& f = what.fields;
  return {static_cast<std::uint32_t>(what.kind) | static_cast<std::uint32_t>(what.reason) << 3 |
              static_cast<std::uint32_t>(f.flags) << 8 | static_cast<std::uint32_t>(f.count) << 16 |
              static_cast<std::uint32_t>(f.type) << 24,
          f.sequence,
          f.iteration,
          static_cast<std::uint32_t>(f.worker) | static_cast<std::uint32_t>(f.group) << 16,
          static_cast<std::uint32_t>(f.tci) | static_cast<std::uint32_t>(port) << 20,
          f.ack};
}

Pipeline::Pipeline(const PipelineConfig& config) : config_(config) {
  if (config.blocks.aggregation) aggregator_.emplace(config.aggregator);
  if (config.blocks.optimization) {
    std::vector<double> exact;
    for (const std::uint32_t b : config.parameters) exact.push_back(std::bit_cast<float>(b));
    optimizer_.emplace(config.algorithm, config.hyper, config.subnormal, config.parameters,
                       config.epsilon);
    textbook_.emplace(config.algorithm, config.hyper, exact, config.epsilon);
  }
  if (config.blocks.lookup) lookup_.emplace();
}

Pipeline::Frame Pipeline::accept(std::vector<std::uint8_t> bytes, int port) {
  Frame frame;
  frame.bytes = std::move(bytes);
  if (lookup_) frame.ports = lookup_->route(frame.bytes, port);
  const expether::Classified what = expether::classify(frame.bytes);
  ++kinds_[static_cast<size_t>(what.kind)];
  ++reasons_[static_cast<size_t>(what.reason)];
  frame.meta = meta_of(what, port);
  if (what.kind != expether::Kind::kGradient) return frame;

  bool complete = config_.blocks.every_gradient_is_complete();
  if (aggregator_) {
    const auto outcome = aggregator_->accept_frame(frame.bytes).outcome;
    complete = outcome.complete;
    frame.meta[4] |= (static_cast<std::uint32_t>(outcome.action) + 1) << kActionShift;
  }
  if (complete) frame.meta[0] |= kComplete;
  if (optimizer_ && complete) optimize(frame, what);
  return frame;
}

void Pipeline::write_register(optimizer::Source source, std::uint32_t bits) {
  optimizer_->write(source, bits);
  hyper_written_ = true;
}

void Pipeline::write_active(optimizer::Source source, std::uint32_t bits) {
  optimizer_->write_active(source, bits);
  moved_ = hyper_written_ = true;  // until the next iteration begins with what was written
}

void Pipeline::write_cell(std::size_t parameter, std::size_t word, std::uint32_t bits) {
  optimizer_->set_cell(parameter, word, bits);
  moved_ = true;
}

void Pipeline::resume(std::uint64_t t, std::array<std::uint32_t, 2> powers,
                      std::optional<std::uint32_t> iteration) {
  optimizer_->resume(t, powers, iteration);
  moved_ = true;
}

void Pipeline::begin_iteration() {
  const optimizer::Registers& registers = optimizer_->registers();
  const auto hyper = [&](optimizer::Source s) { return std::bit_cast<float>(registers[s]); };
  if (std::exchange(hyper_written_, false)) {
    textbook_->set({.lr = hyper(optimizer::kLr),
                    .eps = hyper(optimizer::kEps),
                    .beta1 = hyper(optimizer::kBeta1),
                    .beta2 = hyper(optimizer::kBeta2)});
  }
  textbook_->begin_iteration();
  drift_.emplace_back();
}

void Pipeline::optimize(Frame& frame, const expether::Classified& what) {
  std::vector<std::uint32_t> values = expether::values_of(frame.bytes, what);
  const std::vector<std::uint32_t> gradients = values;
  const std::uint64_t t = optimizer_->registers().iteration();
  if (std::exchange(moved_, false)) textbook_->follow(*optimizer_);
  if (!optimizer_->packet(what.fields.iteration, what.fields.sequence, values)) {
    ++out_of_range_;
    return;
  }
  if (optimizer_->registers().iteration() != t) begin_iteration();
  if (drift_.empty()) drift_.emplace_back();  // goes on within an iteration of another run
  for (size_t i = 0; i < values.size(); ++i) {
    const double exact = textbook_->step(what.fields.sequence * expether::kMaxValues + i,
                                         static_cast<double>(std::bit_cast<float>(gradients[i])));
    const double ulp = optimizer::ulp_distance(values[i], exact);
    for (Distance* const distance : {&distance_, &drift_.back()}) {
      ++distance->values;
      distance->ulp_sum += ulp;
      distance->ulp_max = std::max(distance->ulp_max, ulp);
    }
  }
  ++optimised_;
  frame.optimised = values.size();
  expether::rewrite(frame.bytes, expether::kTypeParameter, frame.bytes[expether::kFlagsOffset],
                    values);
  frame.meta[4] |= kOptimised;
}

}  // namespace gw::reference
