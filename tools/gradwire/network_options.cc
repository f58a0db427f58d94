#include "tools/gradwire/network_options.h"

#include <fmt/format.h>

#include "sim/base/error.h"

namespace gw::tools {

reference::optimizer::Algorithm parse_algorithm(const std::string& option,
                                                const std::string& name) {
  for (const auto algorithm : reference::optimizer::kAlgorithms) {
    if (name_of(algorithm) == name) return algorithm;
  }
  throw sim::UsageError(fmt::format("{} '{}' is not sgd, adagrad, adam or smorms3", option, name));
}

void NetworkOptions::add(CLI::App& command) {
  const char* const group = "Optimizer switch";
  const auto option = [&](const char* name, auto& value, const char* text) {
    command.add_option(name, value, text)->capture_default_str()->group(group);
  };
  option("--workers", spec.workers, "workers whose gradients are summed, 1 to 16");
  option("--group", spec.group, "group that is aggregated");
  option("--depth", spec.depth, "sequence numbers that the aggregator holds");
  option("--algorithm", algorithm, "optimizer: sgd, adagrad, adam, smorms3");
  option("--pes", spec.pes, "processing elements: 1, 2, 4 ... 64");
  option("--kind", kind, "PEs: pipelined (a value a cycle) or iterative (shared operators)");
  option("--profile", profile, "operator latencies: paper (Table 2) or fast");
  option("--subnormal", subnormal, "0: subnormal numbers are zeros, 1: IEEE 754");
  option("--lr", spec.hyper.lr, "learning rate");
  option("--eps", spec.hyper.eps, "epsilon");
  option("--beta1", spec.hyper.beta1, "Adam's beta1");
  option("--beta2", spec.hyper.beta2, "Adam's beta2");
}

sim::NetworkSpec NetworkOptions::network() const {
  sim::NetworkSpec network = spec;
  network.algorithm = parse_algorithm("--algorithm", algorithm);
  if (kind != "pipelined" && kind != "iterative") {
    throw sim::UsageError(fmt::format("--kind '{}' is neither pipelined nor iterative", kind));
  }
  network.iterative = kind == "iterative";
  if (profile != "paper" && profile != "fast") {
    throw sim::UsageError(fmt::format("--profile '{}' is neither paper nor fast", profile));
  }
  network.fast = profile == "fast";
  if (subnormal != 0 && subnormal != 1) {
    throw sim::UsageError(fmt::format("--subnormal {} is neither 0 nor 1", subnormal));
  }
  network.subnormal = static_cast<reference::fp::Subnormal>(subnormal);
  return network;
}

}  // namespace gw::tools
