// SPDX-License-Identifier: Apache-2.0
#include "testbenches/switch/oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "models/registers/optimizer.h"
#include "testbenches/switch/timing.h"

namespace gw::testbenches {
namespace {

namespace expether = reference::expether;
using nlohmann::json;
using reference::Blocks;
using reference::Pipeline;

constexpr Blocks kSwitch = {.aggregation = true, .optimization = true, .lookup = true};

constexpr uint32_t kDecidingBeat = 5;  // of the parser; or the last, of a shorter frame
constexpr size_t kQueueBeats = 512;
constexpr size_t kMinBytes = 60, kMaxBytes = 9018;
constexpr size_t kDriftRows = 10;
constexpr uint64_t kFrameCycles =
    32;  // of a frame in the array beyond rounds and latency; Adam's 24

/// nullptr: an RX queue takes the frame, if there is room.
const char* why_rx_must_drop(const sim::Packet<Beat>* frame) {
  if (frame == nullptr) return nullptr;
  const uint64_t bytes = frame->bytes();
  return bytes < kMinBytes               ? "too short"
         : bytes > kMaxBytes             ? "too long"
         : frame->beats.back().user != 0 ? "in error"
                                         : nullptr;
}

/// `behind`: iterations of another run.
std::vector<std::optional<uint32_t>> counters_of(const Pipeline& pipeline, uint64_t behind) {
  std::vector<std::optional<uint32_t>> all;
  for (size_t k = 0; k < expether::kKindCount; ++k) {
    all.emplace_back(pipeline.of_kind(static_cast<expether::Kind>(k)));
  }
  for (size_t r = 1; r < expether::kReasonCount; ++r) {
    all.emplace_back(pipeline.of_reason(static_cast<expether::Reason>(r)));
  }
  if (pipeline.aggregator()) {
    const auto& c = pipeline.aggregator()->counters();
    for (const uint64_t n : c.by_action) all.emplace_back(static_cast<uint32_t>(n));
    all.emplace_back(static_cast<uint32_t>(c.complete));
    all.emplace_back(static_cast<uint32_t>(c.abandoned));
    all.emplace_back();  // cycles of the interlock
  }
  if (pipeline.config().blocks.optimization) {
    all.emplace_back(pipeline.optimised());
    all.emplace_back(pipeline.out_of_range());
    all.emplace_back(static_cast<uint32_t>(pipeline.iterations() - behind));
    all.emplace_back();  // cycles of the interlock
  }
  return all;
}

/// Iterations lie behind, in another run.
void resume(Pipeline& pipeline, uint64_t iterations) {
  if (iterations == 0) return;
  pipeline.resume(iterations, pipeline.optimizer().registers().powers(), std::nullopt);
}

json aggregator_json(const Pipeline& pipeline) {
  const auto& c = pipeline.aggregator()->counters();
  const reference::AggregatorConfig& config = pipeline.aggregator()->config();
  json actions = json::object();
  for (size_t a = 0; a < c.by_action.size(); ++a) {
    actions[std::string(name_of(static_cast<reference::Aggregation>(a)))] = c.by_action[a];
  }
  return {{"workers", config.workers}, {"group", config.group},  {"depth", config.depth},
          {"actions", actions},        {"complete", c.complete}, {"abandoned", c.abandoned}};
}

json optimizer_json(const Pipeline& pipeline, const NetworkSpec& net) {
  const Pipeline::Distance& d = pipeline.distance();
  json report = {{"algorithm", std::string(name_of(net.algorithm))},
                 {"pes", net.pes},
                 {"kind", net.iterative ? "iterative" : "pipelined"},
                 {"profile", net.fast ? "fast" : "paper"},
                 {"lr", net.hyper.lr},
                 {"epsilon", net.eps_outside() ? "after the root" : "under the root"},
                 {"optimised", pipeline.optimised()},
                 {"out_of_range", pipeline.out_of_range()},
                 {"iterations", pipeline.iterations()},
                 {"parameters_updated", d.values}};
  if (d.values != 0) {
    report["ulp"] = {{"mean", d.ulp_sum / static_cast<double>(d.values)}, {"max", d.ulp_max}};
  }
  return report;
}

/// Some ten iterations, evenly spread, the last among them.
json drift_json(const std::vector<Pipeline::Distance>& drift) {
  const size_t step = (drift.size() + kDriftRows - 1) / kDriftRows;
  json rows = json::array();
  for (size_t i = (drift.size() - 1) % step; i < drift.size(); i += step) {
    rows.push_back({{"iteration", i + 1},
                    {"mean_ulp", drift[i].ulp_sum / static_cast<double>(drift[i].values)},
                    {"max_ulp", drift[i].ulp_max}});
  }
  return rows;
}

/// Sections `frames`, `malformed`, `aggregator`, `optimizer`, `drift`, `lookup` of the report.
json findings_of(const Pipeline& pipeline, const NetworkSpec& net) {
  json report = {{"frames", json::object()}, {"malformed", json::object()}};
  for (size_t k = 0; k < expether::kKindCount; ++k) {
    const auto kind = static_cast<expether::Kind>(k);
    report["frames"][std::string(name_of(kind))] = pipeline.of_kind(kind);
  }
  for (size_t r = 1; r < expether::kReasonCount; ++r) {
    const auto reason = static_cast<expether::Reason>(r);
    report["malformed"][std::string(name_of(reason))] = pipeline.of_reason(reason);
  }
  if (pipeline.aggregator()) report["aggregator"] = aggregator_json(pipeline);
  if (pipeline.config().blocks.optimization) report["optimizer"] = optimizer_json(pipeline, net);
  if (!pipeline.drift().empty()) report["drift"] = drift_json(pipeline.drift());
  if (const auto& lookup = pipeline.lookup()) {
    report["lookup"] = {{"flooded", lookup->flooded()}, {"filtered", lookup->filtered()}};
  }
  return report;
}

}  // namespace

reference::PipelineConfig pipeline_config(const Blocks& blocks, const NetworkSpec& net,
                                          uint64_t seed) {
  reference::PipelineConfig config{.blocks = blocks,
                                   .aggregator = {.workers = net.workers,
                                                  .group = net.group,
                                                  .depth = net.depth,
                                                  .subnormal = net.subnormal},
                                   .algorithm = net.algorithm,
                                   .hyper = net.hyper,
                                   .epsilon = net.epsilon,
                                   .subnormal = net.subnormal,
                                   .parameters = {}};
  if (blocks.optimization) config.parameters = initial_parameters(seed);
  return config;
}

std::vector<std::string> statistic_names(const Blocks& blocks) {
  std::vector<std::string> names;
  for (size_t k = 0; k < expether::kKindCount; ++k) {
    names.emplace_back(name_of(static_cast<expether::Kind>(k)));
  }
  for (size_t r = 1; r < expether::kReasonCount; ++r) {
    names.emplace_back(name_of(static_cast<expether::Reason>(r)));
  }
  if (blocks.aggregation) {
    for (size_t a = 0; a < reference::kAggregationCount; ++a) {
      names.emplace_back(name_of(static_cast<reference::Aggregation>(a)));
    }
    for (const char* name : {"complete", "abandoned", "aggregator_interlock_cycles"}) {
      names.emplace_back(name);
    }
  }
  if (blocks.optimization) {
    for (const char* name :
         {"optimised", "optimizer_out_of_range", "iterations", "optimizer_interlock_cycles"}) {
      names.emplace_back(name);
    }
  }
  if (blocks.lookup) {
    for (size_t p = 0; p < SwitchPorts::kPorts; ++p) {
      for (const char* what : {"rx_frames", "rx_dropped", "tx_frames", "tx_dropped"}) {
        names.push_back(fmt::format("port{}_{}", p, what));
      }
    }
    names.emplace_back("flooded");
    names.emplace_back("filtered");
  }
  return names;
}

// ---- The host of an optimizer

void PipelineHost::wrote(uint32_t address, uint32_t data) {
  namespace map = registers::optimizer_axil;
  namespace optimizer = reference::optimizer;
  if (!pipeline_.config().blocks.optimization) return;
  const auto source = [&](uint32_t first) {
    return static_cast<optimizer::Source>(optimizer::kLr + (address - first) / 4);
  };
  const optimizer::Registers& now = pipeline_.optimizer().registers();
  const std::optional<uint32_t> last = pipeline_.optimizer().last_iteration();
  if (address >= map::kCells.address) {
    const uint32_t offset = address - map::kCells.address;
    pipeline_.write_cell(offset % (1u << map::kCells.block_log2) / 4,
                         offset >> map::kCells.block_log2, data);
  } else if (address >= map::kLr && address <= map::kBias) {
    pipeline_.write_register(source(map::kLr), data);
  } else if (address >= map::kActiveLr && address <= map::kActiveBias) {
    pipeline_.write_active(source(map::kActiveLr), data);
  } else if (address == map::kPower1 || address == map::kPower2) {
    auto powers = now.powers();
    powers[address == map::kPower2] = data;
    pipeline_.resume(now.iteration(), powers, last);
  } else if (address == map::kIteration) {
    iteration_ = data;
    pipeline_.resume(now.iteration(), now.powers(), last ? std::optional(data) : std::nullopt);
  } else if (address == map::kIterating) {
    // A step belongs to an iteration, also to one of which nothing else is known.
    const uint64_t t = data != 0 ? std::max<uint64_t>(now.iteration(), 1) : now.iteration();
    pipeline_.resume(t, now.powers(),
                     data != 0 ? std::optional(last.value_or(iteration_)) : std::nullopt);
  } else if (address == map::kJobReset) {
    iteration_ = last.value_or(iteration_);
    pipeline_.resume(now.iteration(), {reference::fp::kOne, reference::fp::kOne}, std::nullopt);
  }
}

std::optional<uint32_t> PipelineHost::reads(uint32_t address) const {
  namespace map = registers::optimizer_axil;
  namespace optimizer = reference::optimizer;
  if (!pipeline_.config().blocks.optimization) return {};
  const optimizer::BitExact& exact = pipeline_.optimizer();
  const auto source = [&](uint32_t first) {
    return static_cast<optimizer::Source>(optimizer::kLr + (address - first) / 4);
  };
  if (address >= map::kCells.address) {
    const uint32_t offset = address - map::kCells.address;
    const size_t parameter = offset % (1u << map::kCells.block_log2) / 4;
    const size_t word = offset >> map::kCells.block_log2;
    if (parameter >= exact.size() || word > optimizer::kMaxStates) return {};
    const optimizer::Cell& cell = exact.cell(parameter);
    return word == 0 ? cell.theta : cell.state[word - 1];
  }
  if (address >= map::kLr && address <= map::kBias) {
    return exact.registers().written(source(map::kLr));
  }
  if (address >= map::kActiveLr && address <= map::kActiveBias) {
    return exact.registers()[source(map::kActiveLr)];
  }
  if (address == map::kIteration) return exact.last_iteration().value_or(iteration_);
  if (address == map::kIterating) return exact.last_iteration().has_value();
  if (address == map::kPower1) return exact.registers().powers()[0];
  if (address == map::kPower2) return exact.registers().powers()[1];
  return {};
}

// ---- One stream

FrameOracle::FrameOracle(const Blocks& blocks, const NetworkSpec& net, uint64_t seed,
                         uint64_t iterations)
    : QueueOracle(1),
      net_(net),
      pipeline_(pipeline_config(blocks, net, seed)),
      behind_(iterations) {
  resume(pipeline_, iterations);
}

void FrameOracle::arrives(size_t, const sim::PacketRef<Beat>& packet) {
  const int port = static_cast<int>(packet->beats.front().meta[0] & 3);
  const Pipeline::Frame frame = pipeline_.accept(sim::bytes_of(*packet), port);
  packet->trigger = std::min(static_cast<uint32_t>(packet->beats.size()) - 1, kDecidingBeat);
  sim::PacketRef<Beat> owed = sim::make_packet<Beat>(frame.bytes, false, frame.meta);
  owed->source = packet;
  owe(0, std::move(owed));
}

std::vector<std::optional<uint32_t>> FrameOracle::statistics() const {
  return counters_of(pipeline_, behind_);
}

json FrameOracle::findings() const { return findings_of(pipeline_, net_); }

// ---- The switch

SwitchOracle::SwitchOracle(const NetworkSpec& net, uint64_t seed, uint64_t iterations)
    : net_(net), pipeline_(pipeline_config(kSwitch, net, seed)), behind_(iterations) {
  resume(pipeline_, iterations);
}

/// Beats that were there before can only have become fewer when the packet comes, so that it fits
/// if it fits beside all of them.
void SwitchOracle::Queue::enter(const Packet& packet, uint64_t order) {
  size_t beats = leaving + packet->beats.size();
  for (const Entering& before : entering) beats += before.packet->beats.size();
  for (const Packet& before : waiting) beats += before->beats.size();
  entering.push_back({packet, beats <= kQueueBeats, order});
}

sim::PacketRef<Beat> SwitchOracle::Queue::take() {
  Packet packet = std::move(waiting.front());
  waiting.pop_front();
  leaving = packet->beats.size();
  return packet;
}

void SwitchOracle::arrives(size_t port, const sim::PacketRef<Beat>& packet) {
  ++frames_in_[port];
  rx_[port].enter(packet);
}

std::string SwitchOracle::Queue::settle(bool commit, bool drop, const char* must_go) {
  if (commit && drop) return "a frame committed and dropped, one of both";
  if (entering.empty()) return commit ? "a frame committed, none" : "a frame dropped, none";
  Entering first = std::move(entering.front());
  entering.pop_front();
  if (commit) {
    if (must_go != nullptr) return fmt::format("a frame committed, it is {}", must_go);
    ++committed;
    waiting.push_back(std::move(first.packet));
  } else {
    if (must_go == nullptr && first.fits) return "a frame dropped, there was room";
    ++dropped;
  }
  return {};
}

std::string SwitchOracle::decides(uint64_t events) {
  const auto at = [](const char* side, size_t port, const std::string& complaint) {
    return fmt::format("{} queue {}: {}", side, port, complaint);
  };
  for (size_t p = 0; p < kPorts; ++p) {
    const bool rx_in = event::rx_committed(events, p), rx_out = event::rx_dropped(events, p);
    const bool tx_in = event::tx_committed(events, p), tx_out = event::tx_dropped(events, p);
    if (rx_in || rx_out) {
      const std::string complaint = rx_[p].settle(rx_in, rx_out, why_rx_must_drop(rx_[p].first()));
      if (!complaint.empty()) return at("RX", p, complaint);
    }
    if (tx_in || tx_out) {
      if (tx_[p].first() != nullptr) has_left(tx_[p].entering.front().order);
      const std::string complaint = tx_[p].settle(tx_in, tx_out, nullptr);
      if (!complaint.empty()) return at("TX", p, complaint);
    }
  }
  return (events & event::kServed) != 0 ? serve(event::served_port(events)) : std::string();
}

std::string SwitchOracle::serve(size_t port) {
  if (rx_[port].waiting.empty()) {
    return fmt::format("a frame of port {} served, none committed", port);
  }
  const Packet packet = rx_[port].take();
  const Pipeline::Frame frame = pipeline_.accept(sim::bytes_of(*packet), static_cast<int>(port));
  ++served_;
  if (frame.optimised != 0) {
    computing_.push_back({served_, work_of(frame)});
    work_ += computing_.back().cycles;
  }
  if (frame.ports == 0) return {};
  Packet owed = sim::make_packet<Beat>(frame.bytes);
  owed->source = packet;
  for (size_t q = 0; q < kPorts; ++q) {
    if ((frame.ports >> q & 1) != 0) tx_[q].enter(owed, served_);
  }
  return {};
}

/// An upper limit: one frame after the other, rounds, latency, what comes on top.
uint64_t SwitchOracle::work_of(const Pipeline::Frame& frame) const {
  const auto pes = static_cast<size_t>(net_.pes);
  const ArrayTiming array = array_timing(static_cast<size_t>(net_.algorithm), net_.eps_outside(),
                                         net_.iterative, net_.fast);
  return (frame.optimised + pes - 1) / pes * array.interval + array.latency + kFrameCycles;
}

void SwitchOracle::has_left(uint64_t order) {
  left_ = std::max(left_, order);
  while (!computing_.empty() && computing_.front().order <= order) {
    work_ -= computing_.front().cycles;
    computing_.pop_front();
  }
}

sim::PacketRef<Beat> SwitchOracle::next(size_t port) {
  if (tx_[port].waiting.empty()) return {};
  Packet packet = tx_[port].take();
  ++frames_out_[port];
  bytes_out_[port] += packet->bytes();
  return packet;
}

sim::PacketRef<Beat> SwitchOracle::peek(size_t port) const {
  return tx_[port].waiting.empty() ? Packet{} : tx_[port].waiting.front();
}

bool SwitchOracle::quiet() const {
  return std::ranges::all_of(rx_, &Queue::quiet) && std::ranges::all_of(tx_, &Queue::quiet);
}

std::vector<std::optional<uint32_t>> SwitchOracle::statistics() const {
  std::vector<std::optional<uint32_t>> all = counters_of(pipeline_, behind_);
  for (size_t p = 0; p < kPorts; ++p) {
    for (const uint32_t n : {rx_[p].committed, rx_[p].dropped, tx_[p].committed, tx_[p].dropped}) {
      all.emplace_back(n);
    }
  }
  all.emplace_back(pipeline_.lookup()->flooded());
  all.emplace_back(pipeline_.lookup()->filtered());
  return all;
}

json SwitchOracle::findings() const {
  json report = findings_of(pipeline_, net_);
  for (size_t p = 0; p < kPorts; ++p) {
    report["ports"].push_back({{"port", p},
                               {"frames_in", frames_in_[p]},
                               {"rx_dropped", rx_[p].dropped},
                               {"frames_out", frames_out_[p]},
                               {"bytes_out", bytes_out_[p]},
                               {"tx_dropped", tx_[p].dropped}});
  }
  return report;
}

// ---- Words

std::string describe_frame(const sim::Packet<Beat>& packet, size_t index) {
  const std::vector<uint8_t> bytes = sim::bytes_of(packet);
  const expether::Classified what = expether::classify(bytes);
  const expether::Fields& f = what.fields;
  if (index == 0) {
    return fmt::format("{}{}{}, {} bytes, sequence {}, iteration {}, worker {}, count {}",
                       name_of(what.kind), what.reason == expether::Reason::kNone ? "" : " ",
                       what.reason == expether::Reason::kNone ? "" : name_of(what.reason),
                       bytes.size(), f.sequence, f.iteration, f.worker, f.count);
  }
  std::string text = fmt::format("beat {}:", index);
  for (size_t lane = 0; lane < kLanes; ++lane) {
    const uint32_t word = packet.beats[index].data[lane];
    const bool value = what.carries_values() && index >= 2 && (index - 2) * kLanes + lane < f.count;
    text += value ? fmt::format(" {:>11.5g}", std::bit_cast<float>(word))
                  : fmt::format(" {:08x}", word);
  }
  return text;
}

}  // namespace gw::testbenches
