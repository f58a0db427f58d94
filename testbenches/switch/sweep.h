// How many processing elements a switch needs: a grid of optimizer x PEs x kind x profile, each
// point's throughput measured in simulated cycles, its area as Yosys reports it for one PE.
//
// Throughput comes from the SystemC model, which is equal to the RTL in every cycle where both run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/reference/optimizer/graph.h"
#include "sim/run/device.h"

namespace gw::testbenches {

/// Which points run in lockstep with the RTL before they are printed.
enum class SweepCheck : uint8_t { kNone, kRecommended, kAll };

struct SweepOptions {
  std::vector<reference::optimizer::Algorithm> algorithms;  // none: all
  std::vector<int> pes;                                     // none: 1, 2, 4 ... 64
  std::vector<std::string> kinds;                           // none: pipelined and iterative
  std::vector<std::string> profiles;                        // none: paper and fast
  bool eps_outside = false;                                 // eps is added after the root
  double clock_mhz = 200;
  int ports = 4;          // of the link: the array is held against one of them and against all
  double rate_gbps = 10;  // of each port
  SweepCheck check = SweepCheck::kRecommended;
  std::string netlist;  // of these cells, checked points run as netlists; empty: as RTL
  std::string cache;    // of RTL built on demand; empty: the user's
  uint64_t seed = 1;
  uint64_t frames = 512;      // a point
  bool area = true;           // run Yosys for what is not in the cache
  bool cpu = true;            // time the optimizers on this machine
  std::string synth_tool;     // tools/synth/synth.sh
  std::string synth_folder;   // where its results are kept
  std::string rtl_folder;     // what is synthesised; figures older than it are made anew
  std::string shipped_areas;  // file of areas that are used if they are of this RTL
  bool resynthesise = false;  // does without them
  std::string command;
};

/// A folder for areas in the user's cache, of this RTL and these synthesis tools alone: other
/// versions of the program, and checkouts, have their own.
std::string default_areas(const SweepOptions& options);

/// The document: `points`, `smallest`, `lines`, `table2`, `table3`, `figure17`, `bram`, `areas` as
/// they can be shipped, and `missing` if there is no area. Throws UsageError before anything runs
/// if a point cannot be built.
nlohmann::json sweep_optimizer(const sim::Device& device, const SweepOptions& options,
                               const std::function<void(const std::string&)>& note);

std::string sweep_text(const nlohmann::json& sweep);
std::string sweep_csv(const nlohmann::json& sweep);
std::string sweep_html(const nlohmann::json& sweep);
/// LUTs against throughput; empty, and a sentence in `missing`, without gnuplot or areas.
std::string sweep_svg(const nlohmann::json& sweep, std::string& missing);

}  // namespace gw::testbenches
