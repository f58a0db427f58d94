// SPDX-License-Identifier: Apache-2.0
#include "testbenches/switch/registers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "models/reference/expether/frame.h"
#include "models/registers/aggregator.h"
#include "models/registers/optimizer.h"
#include "models/registers/parser.h"
#include "models/registers/switch.h"
#include "sim/base/error.h"
#include "testbenches/switch/oracle.h"

namespace gw::testbenches {
namespace {

namespace optimizer_map = registers::optimizer_axil;
namespace aggregator_map = registers::aggregator_axil;
namespace parser_map = registers::parser_axil;
namespace switch_map = registers::switch_axil;
namespace expether = reference::expether;
using Write = CarefulHost<gw::Beat>::Write;

constexpr const char* kGroup = "Host";

bool is_adam(const NetworkSpec& net) {
  return net.algorithm == reference::optimizer::Algorithm::kAdam;
}

bool serially_behind(uint32_t iteration, uint32_t other) {
  const uint32_t ahead = iteration - other;
  return ahead != 0 && ahead < 0x8000'0000;
}

/// Of each sequence number with parameters: whether frames of it are to come.
using Sequences = std::vector<bool>;

/// Those of the frames, if they can be known.
Sequences sequences_of(sim::LookAhead& frames) {
  Sequences used(kNetworkDepth, false);
  size_t left = used.size();
  const bool known = frames.look([&](const sim::RawPacket& frame) {
    const expether::Classified what = expether::classify(frame.bytes);
    if (what.kind == expether::Kind::kGradient && what.fields.sequence < used.size()) {
      left -= !used[what.fields.sequence];
      used[what.fields.sequence] = true;
    }
    return left != 0;
  });
  return known ? used : Sequences(kNetworkDepth, true);
}

/// The registers of an optimizer's state in the order of its fields; cells of these sequence
/// numbers.
template <class State, class Each>
void each_register(State& state, const NetworkSpec& net, const Sequences& used, const Each& each) {
  for (uint32_t i = 0; i < state.registers.size(); ++i) {
    each(optimizer_map::kLr + 4 * i, state.registers[i]);
  }
  for (uint32_t i = 0; i < state.active.size(); ++i) {
    each(optimizer_map::kActiveLr + 4 * i, state.active[i]);
  }
  each(optimizer_map::kIteration, state.iteration);
  if (is_adam(net)) {
    each(optimizer_map::kPower1, state.powers[0]);
    each(optimizer_map::kPower2, state.powers[1]);
  }
  for (uint32_t block = 0; block < state.cells.size(); ++block) {
    for (uint32_t p = 0; p < state.cells[block].size(); ++p) {
      if (!used[p / expether::kMaxValues]) continue;
      each(optimizer_map::kCells.at(block, p), state.cells[block][p]);
    }
  }
}

std::vector<Write> boot_writes(const reference::Blocks& blocks, const NetworkSpec& net,
                               const OptimizerState& state, const Sequences& used) {
  std::vector<Write> writes;
  if (blocks.aggregation) {
    writes = {{aggregator_map::kWorkers, static_cast<uint32_t>(net.workers)},
              {aggregator_map::kGroup, net.group},
              {aggregator_map::kDepth, static_cast<uint32_t>(net.depth)}};
  }
  if (blocks.optimization) {
    each_register(state, net, used,
                  [&](uint32_t address, uint32_t word) { writes.emplace_back(address, word); });
    writes.emplace_back(optimizer_map::kIterating, state.iterating);
  }
  return writes;
}

std::vector<uint32_t> looks(const reference::Blocks& blocks, const NetworkSpec& net,
                            const OptimizerState& state, bool whole) {
  using File = systemc::RegisterFile;
  std::vector<uint32_t> addresses = {File::kId, File::kVersion, File::kCapability, File::kStatus};
  const systemc::RegisterMap map = frame_registers(blocks, net);
  for (uint32_t i = 0; i < map.counters; ++i) addresses.push_back(map.counters_at + 4 * i);
  if (whole) {
    each_register(state, net, Sequences(kNetworkDepth, true),
                  [&](uint32_t address, uint32_t) { addresses.push_back(address); });
    addresses.push_back(optimizer_map::kIterating);
  }
  return addresses;
}

class FrameHost final : public CarefulHost<gw::Beat> {
 public:
  FrameHost(const reference::Blocks& blocks, const NetworkSpec& net, const HostPlan& plan,
            OptimizerState begin, const Sequences& used, std::optional<sim::Pace> pace)
      : CarefulHost(boot_writes(blocks, net, begin, used),
                    looks(blocks, net, begin, !plan.save_to.empty()),
                    blocks.lookup ? SwitchPorts::kPorts : 1, pace),
        counters_(statistic_names(blocks)),
        counters_at_(frame_registers(blocks, net).counters_at),
        net_(net),
        plan_(plan),
        begin_(std::move(begin)) {}

  void passed(nlohmann::json& sections) override {
    for (size_t i = 0; i < plan_.schedule.size(); ++i) {
      sections["lr_schedule"].push_back({{"iteration", plan_.schedule[i].iteration},
                                         {"lr", plan_.schedule[i].lr},
                                         {"reached", i < next_}});
    }
    if (plan_.save_to.empty()) return;
    refuse_open_sums();
    OptimizerState state = begin_;
    each_register(state, net_, Sequences(kNetworkDepth, true),
                  [&](uint32_t address, uint32_t& word) { word = seen().at(address); });
    state.iterating = seen().at(optimizer_map::kIterating) != 0;
    state.iterations += counter("iterations");
    save_state(plan_.save_to, net_, state);
  }
  std::vector<uint32_t> statistics() const override {
    std::vector<uint32_t> words;
    for (size_t i = 0; i < counters_.size(); ++i) words.push_back(counter(i));
    return words;
  }

 protected:
  /// A gradient of the iteration from which the next rate counts, or of a later one.
  bool changes(const sim::Packet<gw::Beat>& packet) const override {
    if (next_ == plan_.schedule.size()) return false;
    const std::optional<uint32_t> iteration = iteration_of(packet);
    return iteration && !serially_behind(plan_.schedule[next_].iteration, *iteration);
  }
  Write change(const sim::Packet<gw::Beat>& packet) override {
    const uint32_t iteration = *iteration_of(packet);
    float lr = 0;
    do {
      lr = plan_.schedule[next_++].lr;
    } while (next_ < plan_.schedule.size() &&
             !serially_behind(plan_.schedule[next_].iteration, iteration));
    return {optimizer_map::kLr, std::bit_cast<uint32_t>(lr)};
  }

 private:
  static std::optional<uint32_t> iteration_of(const sim::Packet<gw::Beat>& packet) {
    const expether::Classified what = expether::classify(sim::bytes_of(packet));
    if (what.kind != expether::Kind::kGradient || what.fields.sequence >= kNetworkDepth) return {};
    return what.fields.iteration;
  }
  uint32_t counter(size_t i) const {
    return seen().at(counters_at_ + 4 * static_cast<uint32_t>(i));
  }
  uint32_t counter(std::string_view name) const {
    return counter(static_cast<size_t>(std::ranges::find(counters_, name) - counters_.begin()));
  }
  /// What an aggregator has summed so far cannot be read.
  void refuse_open_sums() const {
    if (std::ranges::find(counters_, "first") == counters_.end()) return;
    const uint32_t open = counter("first") - counter("complete") - counter("abandoned");
    if (open == 0) return;
    throw sim::InputError(fmt::format(
        "--save-state {}: gradients of {} sequence {} lack those of other workers; a state "
        "cannot include what the aggregator has summed so far",
        plan_.save_to, open, open == 1 ? "number" : "numbers"));
  }

  const std::vector<std::string> counters_;
  const uint32_t counters_at_;
  const NetworkSpec net_;
  const HostPlan plan_;
  const OptimizerState begin_;
  size_t next_ = 0;  // of the schedule
};

std::vector<RateChange> parse_schedule(const std::string& text) {
  std::vector<RateChange> schedule;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string word(rest.substr(0, rest.find(',')));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    const size_t colon = word.find(':');
    if (colon == std::string::npos) {
      throw sim::UsageError(fmt::format("--lr-at '{}' is not ITERATION:VALUE", word));
    }
    const std::string option = fmt::format("--lr-at '{}':", word);
    const auto iteration = static_cast<uint32_t>(
        sim::parse_integer(option + " the iteration", word.substr(0, colon), 1, INT32_MAX));
    const auto lr = static_cast<float>(sim::parse_number(
        option + " the learning rate", word.substr(colon + 1), -kMaxRate, kMaxRate));
    if (!schedule.empty() && iteration <= schedule.back().iteration) {
      throw sim::UsageError(fmt::format(
          "--lr-at '{}' does not come after iteration {}: a schedule rises from one change to the "
          "next",
          word, schedule.back().iteration));
    }
    schedule.push_back({iteration, lr});
  }
  return schedule;
}

}  // namespace

systemc::RegisterMap frame_registers(const reference::Blocks& blocks, const NetworkSpec& net) {
  systemc::RegisterMap map;
  map.counters = statistic_names(blocks).size();
  const uint32_t subnormal = net.subnormal == reference::fp::Subnormal::kIeee;
  if (blocks.optimization) {
    namespace m = optimizer_map;
    map.registers = m::kRegisters;
    map.id = m::kIdValue;
    map.version = m::kVersionValue;
    if (blocks.lookup) {
      map.registers = switch_map::kRegisters;
      map.id = switch_map::kIdValue;
      map.version = switch_map::kVersionValue;
    }
    map.algorithm = static_cast<unsigned>(net.algorithm);
    map.depth_log2 = kNetworkDepthLog2;
    map.cells = m::kCells;
    map.cell_blocks =
        static_cast<uint32_t>(1 + reference::optimizer::graph_of(net.algorithm).states());
    map.parameters = static_cast<uint32_t>(kNetworkDepth * expether::kMaxValues);
    map.capability =
        m::kCapabilityPortsField.in(blocks.lookup ? SwitchPorts::kPorts : 1) |
        aggregator_map::kCapabilityAddLatencyField.in(blocks.aggregation ? kAddLatency : 0) |
        m::kCapabilityDepthLog2Field.in(kNetworkDepthLog2) |
        m::kCapabilityPesField.in(static_cast<uint32_t>(net.pes)) |
        m::kCapabilityEpsOutsideField.in(net.eps_outside()) |
        m::kCapabilitySubnormalField.in(subnormal) | m::kCapabilityProfileField.in(net.fast) |
        m::kCapabilityKindField.in(net.iterative) | m::kCapabilityAlgorithmField.in(map.algorithm);
  } else if (blocks.aggregation) {
    namespace m = aggregator_map;
    map.registers = m::kRegisters;
    map.id = m::kIdValue;
    map.version = m::kVersionValue;
    map.depth_log2 = kNetworkDepthLog2;
    map.capability = m::kCapabilityPortsField.in(1) |
                     m::kCapabilityAddLatencyField.in(kAddLatency) |
                     m::kCapabilityDepthLog2Field.in(kNetworkDepthLog2) |
                     m::kCapabilitySubnormalField.in(subnormal);
  } else {
    namespace m = parser_map;
    map.registers = m::kRegisters;
    map.id = m::kIdValue;
    map.version = m::kVersionValue;
    map.capability = m::kCapabilityPortsField.in(1);
  }
  return map;
}

std::vector<sim::Option> host_plan_options() {
  return {{.name = "lr-at",
           .text = "ITERATION:VALUE ...: learning rates, each from an iteration of the frames on",
           .value = "",
           .group = kGroup,
           .list = true},
          {.name = "save-state",
           .text = "write parameters, states and registers into a file when the run is over",
           .value = "",
           .group = kGroup,
           .writes = true},
          {.name = "load-state",
           .text = "begin with those of a file",
           .value = "",
           .group = kGroup,
           .reads = true}};
}

HostPlan host_plan(const sim::OptionSet& options) {
  HostPlan plan;
  if (!options.knows("lr-at")) return plan;
  plan.schedule = parse_schedule(options.word("lr-at"));
  plan.save_to = options.word("save-state");
  plan.load_from = options.word("load-state");
  if (!plan.save_to.empty()) {
    const std::filesystem::path path(plan.save_to);
    const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
    if (::access(folder.c_str(), W_OK | X_OK) != 0) {
      throw sim::InputError(
          fmt::format("cannot write state {}: {}", plan.save_to, std::strerror(errno)));
    }
  }
  if (plan.load_from.empty()) return plan;
  for (const char* name : {"lr", "eps", "beta1", "beta2"}) {
    if (options.changed().contains(name)) {
      throw sim::UsageError(fmt::format(
          "--{} comes from the file of --load-state; --lr-at changes the learning rate", name));
    }
  }
  plan.loaded = load_state(plan.load_from, network_spec(options));
  if (plan.loaded->iterating && !plan.schedule.empty() &&
      !serially_behind(plan.schedule.front().iteration, plan.loaded->iteration)) {
    throw sim::UsageError(
        fmt::format("--lr-at {}:{} comes too late: iteration {} has begun in the state file '{}'",
                    plan.schedule.front().iteration, plan.schedule.front().lr,
                    plan.loaded->iteration, plan.load_from));
  }
  return plan;
}

MakeHost<gw::Beat> frame_host(const reference::Blocks& blocks, const NetworkSpec& net,
                              const HostPlan& plan, uint64_t seed, std::optional<sim::Pace> pace,
                              sim::LookAhead& frames) {
  OptimizerState begin;
  Sequences used(kNetworkDepth, true);
  if (plan.loaded) {
    begin = *plan.loaded;
  } else if (blocks.optimization) {
    begin = initial_state(net, seed);
  }
  // A state is all there is.
  if (blocks.optimization && plan.save_to.empty()) used = sequences_of(frames);
  return [=] { return std::make_unique<FrameHost>(blocks, net, plan, begin, used, pace); };
}

}  // namespace gw::testbenches
