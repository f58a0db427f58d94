// The main job: a trace or a synthetic stimulus through a device, to a scored report.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/run/device.h"

namespace gw::sim {

struct RunOptions {
  RunSpec spec;
  std::string pcap_out = {};     ///< what left the device, as packets
  std::string pcap_in_out = {};  ///< what went into it
  std::string command;           ///< as typed, for the report
};

/// In a report, for who packs a failure: the files of RTL of one's own, as RtlFile has them. Not
/// for others.
inline constexpr const char* kRtlFiles = "rtl_files";

/// Runs and returns the report (cosim.md section 3, and `plots`, `paper`, `baselines`, `failure`;
/// with coverage, `coverage` and, to be merged with other runs', `coverage_points`).
/// Throws UserError.
nlohmann::json run(const Device& device, const RunOptions& options);

/// What the spec's stimulus holds: what was recorded, or the device's own. Throws UserError.
std::unique_ptr<Source> open_source(const Device& device, const RunSpec& spec);

/// What a table of random traffic may say of the device. Throws UsageError if it has none.
const RandomKind& random_kind(const Device& device);

/// A divergence as the report has it (`failure`). `command`: what repeats it.
nlohmann::json failure_json(const Device& device, const RunSpec& spec, const Failure& failure,
                            const std::string& command);

/// Cycles of the waveform that shows it; of a hang, from the beats that moved last on.
struct FailureWindow {
  int64_t from = 0, to = 0;
  static FailureWindow of(const Failure& failure);
};

/// The exit code that a report calls for.
int exit_code(const nlohmann::json& report);

/// Simulator speed of devices: rtl alone, model alone, lockstep, reference; as ratios.
struct BenchOptions {
  std::vector<const Device*> devices;
  std::vector<std::string> traces;  ///< of gradients
  std::string frames;               ///< synthetic stimulus of devices that are fed with frames
  double seconds = 2;               ///< per subject, at least
  RunSpec spec;                     ///< `netlist`: its netlist, too, beside the RTL
};
nlohmann::json bench(const BenchOptions& options);

}  // namespace gw::sim
