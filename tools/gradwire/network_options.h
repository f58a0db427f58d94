// Options that several commands share: how the blocks of the optimizer switch are configured.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "sim/run/device.h"

namespace gw::tools {

struct NetworkOptions {
  sim::NetworkSpec spec;
  std::string algorithm = "sgd", kind = "pipelined", profile = "paper";
  int subnormal = 0;

  void add(CLI::App& command);
  /// Throws UsageError.
  sim::NetworkSpec network() const;
};

/// sgd, adagrad, adam or smorms3; throws UsageError naming the option.
reference::optimizer::Algorithm parse_algorithm(const std::string& option, const std::string& name);

}  // namespace gw::tools
