// The main job: a trace or a synthetic stimulus through a device, to a scored report.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/run/device.h"
#include "sim/feeds/gradients.h"
#include "sim/feeds/frames.h"

namespace gw::sim {

struct RunOptions {
  std::string device;
  std::string trace;     // path, or empty
  std::string synth;     // name, or empty
  uint64_t packets = 0;  // 0: all
  RunSpec spec;
  TrafficOptions traffic;  // of a synthetic stimulus of frames
  std::string pcap_out;    // what left the device, as packets
  std::string command;     // as typed, for the report
};

/// Runs and returns the report (cosim.md section 3, and `plots`, `paper`, `baselines`, `failure`).
/// `note` gets one line about what is being done. Throws UserError.
nlohmann::json run(const RunOptions& options, const std::function<void(const std::string&)>& note);

/// What every report begins with.
nlohmann::json report_head(const Device& device, const RunOptions& options);
/// The `failure` section up to what the devices add to its `lines`.
nlohmann::json failure_head(const Device& device, const Failure& failure,
                            const RunOptions& options);
/// `what.fst` gets `what.gtkw` beside it.
void write_save_file(const Device& device, const std::string& wave);
/// The frames of a capture, or of a named synthetic stimulus. Throws UserError.
FrameSource load_frame_source(const RunOptions& options);

/// The exit code that a report calls for.
int exit_code(const nlohmann::json& report);

/// Simulator speed of a device (empty name: all): rtl alone, model alone, lockstep, reference; as
/// ratios.
struct BenchOptions {
  std::string device;
  std::vector<std::string> traces;
  double seconds = 2;  // per subject, at least
  RunSpec spec;
};
nlohmann::json bench(const BenchOptions& options,
                     const std::function<void(const std::string&)>& note);

}  // namespace gw::sim
