// SPDX-License-Identifier: Apache-2.0
#include "testbenches/switch/options.h"

#include <fmt/format.h>

#include <bit>

#include "sim/base/error.h"
#include "sim/base/random.h"
#include "sim/feeds/captures.h"

namespace gw::testbenches {
namespace {

using sim::Option;

constexpr const char* kNetwork = "Optimizer switch";
constexpr const char* kTraffic = "Synthesised frames";

constexpr uint64_t kMaxExchange = 1 << 24;  // frames; an iteration of them lies in memory
constexpr int64_t kMaxVlan = 4094;

/// One of the options, if the device has it.
class Reader {
 public:
  explicit Reader(const sim::OptionSet& options) : options_(options) {}

  template <class T>
  void integer(const char* name, T& value, int64_t least, int64_t most) const {
    if (options_.knows(name)) value = static_cast<T>(options_.integer(name, least, most));
  }
  template <class T>
  void number(const char* name, T& value, double least, double most) const {
    if (options_.knows(name)) value = static_cast<T>(options_.number(name, least, most));
  }
  void word(const char* name, std::string& value) const {
    if (options_.knows(name)) value = options_.word(name);
  }
  /// True for the second of two words.
  void either(const char* name, bool& value, std::string_view first,
              std::string_view second) const {
    if (options_.knows(name)) value = options_.choice(name, {first, second}) == 1;
  }

 private:
  const sim::OptionSet& options_;
};

}  // namespace

std::vector<Option> network_options(const reference::Blocks& blocks) {
  std::vector<Option> options;
  const auto add = [&options](const char* name, const char* text, const char* value) {
    options.push_back({name, text, value, kNetwork});
  };
  if (blocks.aggregation) {
    add("workers", "workers whose gradients are summed, 1 to 16", "3");
    add("group", "group that is aggregated", "1");
    add("depth", "sequence numbers that the aggregator holds", "1024");
  }
  if (blocks.optimization) {
    add("algorithm", "optimizer: sgd, adagrad, adam, smorms3", "sgd");
    add("pes", "processing elements: 1, 2, 4 ... 64", "32");
    add("kind", "PEs: pipelined (a value a cycle) or iterative (shared operators)", "pipelined");
    add("profile", "operator latencies: paper (Table 2) or fast", "paper");
  }
  if (blocks.aggregation || blocks.optimization) {
    add("subnormal", "0: subnormal numbers are zeros, 1: IEEE 754", "0");
  }
  if (blocks.optimization) {
    add("lr", "learning rate", "0.001");
    add("eps", "epsilon", "1e-08");
    add("eps-outside",
        "build it with epsilon added after the root, as PyTorch does (default: under it, as the "
        "paper does)",
        "");
    options.back().flag = true;
    add("beta1", "Adam's beta1", "0.9");
    add("beta2", "Adam's beta2", "0.999");
  }
  for (Option& option : traffic_options()) {
    // Those who send are those who are summed.
    const bool own = blocks.aggregation && (option.name == "workers" || option.name == "group");
    if (!own) options.push_back(std::move(option));
  }
  options.insert(options.end(), sim::reading_options().begin(), sim::reading_options().end());
  return options;
}

std::vector<Option> traffic_options() {
  std::vector<Option> options;
  const auto add = [&options](const char* name, const char* text, const char* value) {
    options.push_back({name, text, value, kTraffic, true});
  };
  add("from", "capture whose marked gradients fill the frames (default: random ones)", "");
  options.back().reads = true;
  add("workers", "workers that send, 1 to 16", "3");
  add("group", "their group", "1");
  add("iterations", "iterations of the exchange", "4");
  add("from-iteration", "the first of them that is sent: those before it are left out", "1");
  add("sequences", "sequence numbers in each iteration", "16");
  add("loss", "percent of the frames that are lost", "0");
  add("duplicate", "percent that are sent twice", "0");
  add("reorder", "percent that come up to eight frames later", "0");
  add("malformed", "malformed frames in percent of the others", "0");
  add("foreign", "foreign frames in percent of the others", "0");
  add("vlan", "VLAN of the frames", "10");
  return options;
}

NetworkSpec network_spec(const sim::OptionSet& options) {
  const Reader read(options);
  NetworkSpec net;
  read.integer("workers", net.workers, 1, reference::kMaxWorkers);
  read.integer("group", net.group, 0, UINT16_MAX);
  read.integer("depth", net.depth, 1, kNetworkDepth);
  if (options.knows("algorithm")) {
    net.algorithm = parse_algorithm("--algorithm", options.word("algorithm"));
  }
  read.integer("pes", net.pes, 1, 64);
  if (!std::has_single_bit(static_cast<unsigned>(net.pes))) {
    throw sim::UsageError(fmt::format("--pes {} is not a power of two from 1 to 64", net.pes));
  }
  read.either("kind", net.iterative, "pipelined", "iterative");
  read.either("profile", net.fast, "paper", "fast");
  bool subnormal = false;
  read.either("subnormal", subnormal, "0", "1");
  net.subnormal = subnormal ? reference::fp::Subnormal::kIeee : reference::fp::Subnormal::kFlush;
  read.number("lr", net.hyper.lr, -kMaxRate, kMaxRate);
  read.number("eps", net.hyper.eps, 0, kMaxRate);
  if (options.knows("eps-outside") && options.flag("eps-outside")) {
    net.epsilon = reference::optimizer::Epsilon::kAfterRoot;
  }
  read.number("beta1", net.hyper.beta1, 0, 1);
  read.number("beta2", net.hyper.beta2, 0, 1);
  return net;
}

TrafficOptions traffic_spec(const sim::OptionSet& options) {
  const Reader read(options);
  TrafficOptions traffic;
  read.word("from", traffic.gradients_trace);
  read.integer("workers", traffic.workers, 1, reference::kMaxWorkers);
  read.integer("group", traffic.group, 0, UINT16_MAX);
  read.integer("iterations", traffic.iterations, 1, UINT32_MAX);
  read.integer("from-iteration", traffic.from_iteration, 1, UINT32_MAX);
  read.integer("sequences", traffic.sequences, 1, UINT32_MAX);
  read.number("loss", traffic.loss, 0, 100);
  read.number("duplicate", traffic.duplicate, 0, 100);
  read.number("reorder", traffic.reorder, 0, 100);
  read.number("malformed", traffic.malformed, 0, 100);
  read.number("foreign", traffic.foreign, 0, 100);
  read.integer("vlan", traffic.vlan, 0, kMaxVlan);
  traffic.check();
  return traffic;
}

void TrafficOptions::check() const {
  using sim::UsageError;
  if (workers < 1 || workers > static_cast<int>(reference::kMaxWorkers)) {
    throw UsageError(fmt::format("--workers {} is not between 1 and 16", workers));
  }
  if (iterations == 0 || sequences == 0) {
    throw UsageError("--iterations and --sequences must be at least 1");
  }
  if (from_iteration < 1 || from_iteration > iterations) {
    throw UsageError(fmt::format("--from-iteration {} is not between 1 and --iterations {}",
                                 from_iteration, iterations));
  }
  if (uint64_t{iterations} * sequences > kMaxExchange / static_cast<uint64_t>(workers)) {
    throw UsageError(
        fmt::format("--workers {} x --iterations {} x --sequences {} are more than {} frames",
                    workers, iterations, sequences, kMaxExchange));
  }
  if (vlan > kMaxVlan) throw UsageError(fmt::format("--vlan {} is not between 0 and 4094", vlan));
  const std::pair<const char*, double> percents[] = {{"loss", loss},
                                                     {"duplicate", duplicate},
                                                     {"reorder", reorder},
                                                     {"malformed", malformed},
                                                     {"foreign", foreign}};
  for (const auto& [name, percent] : percents) {
    if (!(percent >= 0 && percent <= 100)) {
      throw UsageError(fmt::format("--{} {} is not between 0 and 100 percent", name, percent));
    }
  }
}

reference::optimizer::Algorithm parse_algorithm(const std::string& option,
                                                const std::string& name) {
  for (const auto algorithm : reference::optimizer::kAlgorithms) {
    if (name_of(algorithm) == name) return algorithm;
  }
  throw sim::UsageError(fmt::format("{} '{}' is not sgd, adagrad, adam or smorms3", option, name));
}

std::vector<uint32_t> initial_parameters(uint64_t seed) {
  // Uniform in +-0.05, as layers of some hundred neurons are initialised.
  sim::Random random(seed * 7919 + 17);
  std::vector<uint32_t> parameters(kNetworkDepth * reference::expether::kMaxValues);
  for (uint32_t& p : parameters) {
    const double unit = static_cast<double>(random.next() >> 11) * 0x1p-53;
    p = std::bit_cast<uint32_t>(static_cast<float>((unit - 0.5) * 0.1));
  }
  return parameters;
}

}  // namespace gw::testbenches
