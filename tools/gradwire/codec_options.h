// Options that several commands share: the codec's bound and mode.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "models/reference/codec.h"
#include "sim/base/error.h"

namespace gw::tools {

struct CodecOptions {
  int bound = 10;
  std::string mode = "bounded";

  void add(CLI::App& command) {
    command.add_option("--bound", bound, "error bound 2^-K, K from 1 to 14")->capture_default_str();
    command
        .add_option("--mode", mode, "bounded (holds the bound) or paper (Algorithm 2 to the bit)")
        ->capture_default_str();
  }

  reference::CodecConfig config() const {
    const auto parsed = reference::parse_mode(mode);
    if (!parsed) throw sim::UsageError("--mode '" + mode + "' is neither bounded nor paper");
    const reference::CodecConfigResult result = reference::CodecConfig::make(bound, *parsed);
    if (!result.config) throw sim::UsageError("--bound: " + result.error);
    return *result.config;
  }
};

}  // namespace gw::tools
