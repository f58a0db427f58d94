// Options that several commands share: what synthesised frames are made of.
#pragma once

#include <CLI/CLI.hpp>

#include "sim/feeds/frames.h"

namespace gw::tools {

struct TrafficArguments {
  sim::TrafficOptions traffic;

  /// `own_workers`: the command has no other option of that name.
  void add(CLI::App& command, bool own_workers) {
    const char* const group = "Synthesised frames";
    const auto option = [&](const char* name, auto& value, const char* text) {
      command.add_option(name, value, text)->capture_default_str()->group(group);
    };
    command
        .add_option("--from", traffic.gradients_trace,
                    "capture whose marked gradients fill the frames (default: random ones)")
        ->group(group);
    if (own_workers) {
      option("--workers", traffic.workers, "workers that send, 1 to 16");
      option("--group", traffic.group, "their group");
    }
    option("--iterations", traffic.iterations, "iterations of the exchange");
    option("--sequences", traffic.sequences, "sequence numbers in each iteration");
    option("--loss", traffic.loss, "percent of the frames that are lost");
    option("--duplicate", traffic.duplicate, "percent that are sent twice");
    option("--reorder", traffic.reorder, "percent that come up to eight frames later");
    option("--malformed", traffic.malformed, "malformed frames in percent of the others");
    option("--foreign", traffic.foreign, "foreign frames in percent of the others");
    option("--vlan", traffic.vlan, "VLAN of the frames");
  }
};

}  // namespace gw::tools
