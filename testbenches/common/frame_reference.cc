#include "testbenches/common/frame_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "models/reference/optimizer/drift.h"

namespace gw::testbenches {
namespace {

namespace expether = reference::expether;
namespace optimizer = reference::optimizer;
using nlohmann::json;

constexpr size_t kDriftRows = 10;
constexpr size_t kDecidingBeat = 5;  // or the last, of a shorter frame

}  // namespace

std::array<uint32_t, 6> meta_of(const expether::Classified& what, int port) {
  const expether::Fields& f = what.fields;
  return {static_cast<uint32_t>(what.kind) | static_cast<uint32_t>(what.reason) << 3 |
              static_cast<uint32_t>(f.flags) << 8 | static_cast<uint32_t>(f.count) << 16 |
              static_cast<uint32_t>(f.type) << 24,
          f.sequence,
          f.iteration,
          static_cast<uint32_t>(f.worker) | static_cast<uint32_t>(f.group) << 16,
          static_cast<uint32_t>(f.tci) | static_cast<uint32_t>(port) << 20,
          f.ack};
}

FrameReference::FrameReference(Blocks blocks, const sim::RunSpec& spec)
    : blocks_(blocks), spec_(spec) {
  const sim::NetworkSpec& net = spec.network;
  if (blocks.aggregator) aggregator_.emplace(net.aggregator());
  if (blocks.optimizer) {
    const std::vector<uint32_t> bits = sim::initial_parameters(net, spec.seed);
    std::vector<double> exact;
    for (const uint32_t b : bits) exact.push_back(std::bit_cast<float>(b));
    optimizer_.emplace(net.algorithm, net.hyper, net.subnormal, bits);
    textbook_.emplace(net.algorithm, net.hyper, exact);
  }
}

FrameReference::Frame FrameReference::accept(std::span<const uint8_t> bytes, int port) {
  Frame frame{{bytes.begin(), bytes.end()}, {}};
  const expether::Classified what = expether::classify(frame.bytes);
  ++kinds_[static_cast<size_t>(what.kind)];
  ++reasons_[static_cast<size_t>(what.reason)];
  frame.meta = meta_of(what, port);
  if (what.kind != expether::Kind::kGradient) return frame;

  bool complete = blocks_.every_gradient_is_complete();
  if (aggregator_) {
    const auto outcome = aggregator_->accept_frame(frame.bytes).outcome;
    complete = outcome.complete;
    frame.meta[0] |= static_cast<uint32_t>(outcome.complete) << 6;
    frame.meta[4] |= (static_cast<uint32_t>(outcome.action) + 1) << 16;
  }
  if (blocks_.every_gradient_is_complete()) frame.meta[0] |= 1u << 6;
  if (optimizer_ && complete) optimize(frame, what);
  return frame;
}

void FrameReference::optimize(Frame& frame, const expether::Classified& what) {
  std::vector<uint32_t> values = expether::values_of(frame.bytes, what);
  const std::vector<uint32_t> gradients = values;
  const uint64_t t = optimizer_->registers().iteration();
  if (!optimizer_->packet(what.fields.iteration, what.fields.sequence, values)) {
    ++out_of_range_;
    return;
  }
  if (optimizer_->registers().iteration() != t) {
    textbook_->begin_iteration();
    drift_.emplace_back();
  }
  Drift& drift = drift_.back();
  for (size_t i = 0; i < values.size(); ++i) {
    const double exact = textbook_->step(what.fields.sequence * expether::kMaxValues + i,
                                         static_cast<double>(std::bit_cast<float>(gradients[i])));
    const double ulp = optimizer::ulp_distance(values[i], exact);
    ulp_sum_ += ulp;
    ulp_max_ = std::max(ulp_max_, ulp);
    drift.sum += ulp;
    drift.max = std::max(drift.max, ulp);
    ++drift.values;
  }
  values_ += values.size();
  ++optimized_;
  expether::rewrite(frame.bytes, expether::kTypeParameter, frame.bytes[expether::kFlagsOffset],
                    values);
  frame.meta[4] |= 1u << 19;
}

std::vector<std::optional<uint32_t>> FrameReference::statistics() const {
  std::vector<std::optional<uint32_t>> all(kinds_.begin(), kinds_.end());
  all.insert(all.end(), reasons_.begin() + 1, reasons_.end());
  if (aggregator_) {
    const auto& c = aggregator_->counters();
    for (const uint64_t n : c.by_action) all.push_back(static_cast<uint32_t>(n));
    all.push_back(static_cast<uint32_t>(c.complete));
    all.push_back(static_cast<uint32_t>(c.abandoned));
    all.push_back(std::nullopt);
  }
  if (optimizer_) {
    all.push_back(optimized_);
    all.push_back(out_of_range_);
    all.push_back(static_cast<uint32_t>(optimizer_->registers().iteration()));
    all.push_back(std::nullopt);
  }
  return all;
}

std::vector<std::string> FrameReference::statistic_names(Blocks blocks) {
  std::vector<std::string> names;
  for (size_t k = 0; k < expether::kKindCount; ++k) {
    names.emplace_back(name_of(static_cast<expether::Kind>(k)));
  }
  for (size_t r = 1; r < expether::kReasonCount; ++r) {
    names.emplace_back(name_of(static_cast<expether::Reason>(r)));
  }
  if (blocks.aggregator) {
    for (size_t a = 0; a < reference::kAggregationCount; ++a) {
      names.emplace_back(name_of(static_cast<reference::Aggregation>(a)));
    }
    for (const char* name : {"complete", "abandoned", "aggregator_interlock_cycles"}) {
      names.emplace_back(name);
    }
  }
  if (blocks.optimizer) {
    for (const char* name :
         {"optimised", "optimizer_out_of_range", "iterations", "optimizer_interlock_cycles"}) {
      names.emplace_back(name);
    }
  }
  return names;
}

json FrameReference::findings() const {
  json report = {{"frames", json::object()}, {"malformed", json::object()}};
  for (size_t k = 0; k < kinds_.size(); ++k) {
    report["frames"][std::string(name_of(static_cast<expether::Kind>(k)))] = kinds_[k];
  }
  for (size_t r = 1; r < reasons_.size(); ++r) {
    report["malformed"][std::string(name_of(static_cast<expether::Reason>(r)))] = reasons_[r];
  }
  const sim::NetworkSpec& net = spec_.network;
  if (aggregator_) {
    const auto& c = aggregator_->counters();
    json actions = json::object();
    for (size_t a = 0; a < c.by_action.size(); ++a) {
      actions[std::string(name_of(static_cast<reference::Aggregation>(a)))] = c.by_action[a];
    }
    report["aggregator"] = {{"workers", net.workers}, {"group", net.group},
                            {"depth", net.depth},     {"actions", actions},
                            {"complete", c.complete}, {"abandoned", c.abandoned}};
  }
  if (optimizer_) {
    report["optimizer"] = {{"algorithm", std::string(name_of(net.algorithm))},
                           {"pes", net.pes},
                           {"kind", net.iterative ? "iterative" : "pipelined"},
                           {"profile", net.fast ? "fast" : "paper"},
                           {"lr", net.hyper.lr},
                           {"optimised", optimized_},
                           {"out_of_range", out_of_range_},
                           {"iterations", optimizer_->registers().iteration()},
                           {"parameters_updated", values_}};
    if (values_ != 0) {
      report["optimizer"]["ulp"] = {{"mean", ulp_sum_ / static_cast<double>(values_)},
                                    {"max", ulp_max_}};
      // Some ten iterations, evenly spread, the last among them.
      const size_t step = (drift_.size() + kDriftRows - 1) / kDriftRows;
      json rows = json::array();
      for (size_t i = (drift_.size() - 1) % step; i < drift_.size(); i += step) {
        rows.push_back({{"iteration", i + 1},
                        {"mean_ulp", drift_[i].sum / static_cast<double>(drift_[i].values)},
                        {"max_ulp", drift_[i].max}});
      }
      report["drift"] = std::move(rows);
    }
  }
  return report;
}

sim::Stimulus frame_stimulus(Blocks blocks, const std::vector<std::vector<uint8_t>>& frames,
                             const sim::RunSpec& spec) {
  sim::Stimulus stimulus;
  FrameReference reference(blocks, spec);
  for (const std::vector<uint8_t>& frame : frames) {
    const FrameReference::Frame out = reference.accept(frame, 0);
    stimulus.input.append_bytes(frame);
    stimulus.expected.append_bytes(out.bytes, false, out.meta);
    const size_t beats = (frame.size() + kBeatBytes - 1) / kBeatBytes;
    stimulus.trigger.push_back(static_cast<uint32_t>(std::min(beats - 1, kDecidingBeat)));
    stimulus.trace_number.push_back(0);
  }
  stimulus.expected_statistics = reference.statistics();
  stimulus.findings = reference.findings();
  return stimulus;
}

std::string describe_frame(const sim::BeatStream& stream, size_t index) {
  const size_t packet = stream.packet_of(index);
  const size_t begin = stream.packet_begin[packet];
  const std::vector<uint8_t> bytes =
      sim::packet_bytes({stream.beats.data() + begin, stream.packet_end(packet) - begin});
  const expether::Classified what = expether::classify(bytes);
  const Beat& beat = stream.beats[index];
  const size_t k = index - begin;
  if (k == 0) {
    const expether::Fields& f = what.fields;
    return fmt::format("{}{}{}, {} bytes, sequence {}, iteration {}, worker {}, count {}",
                       name_of(what.kind), what.reason == expether::Reason::kNone ? "" : " ",
                       what.reason == expether::Reason::kNone ? "" : name_of(what.reason),
                       bytes.size(), f.sequence, f.iteration, f.worker, f.count);
  }
  std::string text = fmt::format("beat {}:", k);
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint32_t word = beat.data[static_cast<size_t>(lane)];
    const bool value = what.carries_values() && k >= 2 &&
                       (k - 2) * kLanes + static_cast<size_t>(lane) < what.fields.count;
    text += value ? fmt::format(" {:>11.5g}", std::bit_cast<float>(word))
                  : fmt::format(" {:08x}", word);
  }
  return text;
}

}  // namespace gw::testbenches
