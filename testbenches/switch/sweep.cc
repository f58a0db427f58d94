// SPDX-License-Identifier: Apache-2.0
#include "testbenches/switch/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <memory>
#include <set>

#include "models/papers/optimizer_switch.h"
#include "sim/base/error.h"
#include "sim/base/file_bytes.h"
#include "sim/base/version.h"
#include "sim/feeds/frames.h"
#include "sim/harness/kernel.h"
#include "testbenches/kit/wires.h"
#include "testbenches/library/cache.h"
#include "testbenches/library/synthesis.h"
#include "testbenches/switch/host_cpu.h"
#include "testbenches/switch/options.h"
#include "testbenches/switch/traffic.h"

namespace gw::testbenches {
namespace {

namespace optimizer = reference::optimizer;
using nlohmann::json;
using optimizer::Algorithm;

namespace paper = papers::optimizer_switch;

constexpr size_t kFrameBytes = reference::expether::kFullFrameBytes;
constexpr size_t kFrameValues = reference::expether::kMaxValues;

const paper::Pe& paper_pe(Algorithm algorithm) {
  return paper::kPes[static_cast<size_t>(algorithm)];
}

/// Nanoseconds of a full frame on 10GbE: preamble, FCS and gap counted.
double frame_ns() { return static_cast<double>(wire_tenths(kFrameBytes)) / 10; }

/// A link that an array may have to hold.
struct Line {
  std::string name;
  int ports;
  double gbps;

  /// Cycles that there are for a full frame when all ports are loaded.
  double cycles(double clock_mhz) const {
    return frame_ns() * kTenGbe.gbps / gbps / ports * clock_mhz * 1e-3;
  }
};

/// One port and all of them.
std::vector<Line> lines_of(const SweepOptions& options) {
  const std::string rate = fmt::format("{:g}G", options.rate_gbps);
  std::vector<Line> lines = {{rate, 1, options.rate_gbps}};
  if (options.ports > 1) {
    lines.push_back({fmt::format("{}x{}", options.ports, rate), options.ports, options.rate_gbps});
  }
  return lines;
}

/// One of the grid.
struct Point {
  NetworkSpec net;
  sim::RunSpec spec;
};

Point point_of(const sim::Device& device, const SweepOptions& options, Algorithm algorithm, int pes,
               const std::string& kind, const std::string& profile) {
  Point point;
  sim::RunSpec& spec = point.spec;
  spec.rtl = false;
  spec.seed = options.seed;
  spec.clock_mhz = options.clock_mhz;
  spec.keep_rows = true;
  spec.options = sim::OptionSet(device.facts().options);
  spec.options.set("algorithm", std::string(name_of(algorithm)))
      .set("pes", std::to_string(pes))
      .set("kind", kind)
      .set("profile", profile);
  if (options.eps_outside) spec.options.set("eps-outside", "yes");
  device.check(spec);
  point.net = network_spec(spec.options);
  return point;
}

std::vector<sim::RawPacket> full_frames(const SweepOptions& options) {
  std::vector<sim::RawPacket> frames;
  for (sim::Frame& frame :
       synthesise_frames("gradient-192", options.seed, options.frames, {}).frames) {
    if (frame.measured) frames.push_back({.bytes = std::move(frame.bytes)});
  }
  return frames;
}

/// By rows of the timeline: from a frame that no start-up reaches to the last one.
json measure(const sim::Device& device, const sim::RunSpec& spec,
             const std::vector<sim::RawPacket>& frames, const std::vector<Line>& lines) {
  sim::ListSource source(frames);
  const sim::Outcome outcome = device.run(source, spec, sim::Kernel::instance());
  if (outcome.interrupted) return {};
  if (!outcome.passed) throw std::logic_error("the model does not agree with the reference");
  const std::vector<sim::Passage>& rows = outcome.timeline.rows;
  const size_t n = rows.size(), from = n / 4;
  const double cycles = static_cast<double>(rows[n - 1].offered - rows[from].offered) /
                        static_cast<double>(n - 1 - from);
  json percent = json::object();
  for (const Line& line : lines) {
    percent[line.name] = line.cycles(spec.clock_mhz) / cycles * 100;
  }
  const uint64_t latency = rows[0].offered - rows[0].accepted;
  return {{"cycles_per_frame", cycles},
          {"line_rate_percent", percent},
          {"frame_latency_cycles", latency},
          {"frame_latency_ns", static_cast<double>(latency) * 1e3 / spec.clock_mhz}};
}

/// All that an area depends on, in the order of their names.
std::vector<std::filesystem::path> area_sources(const SweepOptions& options) {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  const std::string tools = fs::path(options.synth_tool).parent_path().string();
  for (const std::string& folder : {options.rtl_folder, tools}) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, error)) {
      const fs::path kind = entry.path().extension();
      if (kind != ".md" && kind != ".pyc" && entry.is_regular_file(error))
        files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

/// A source without its comments and the layout of its lines, which no area depends on.
std::string essence(const std::filesystem::path& file, std::string_view text) {
  const bool rtl = file.extension() == ".sv" || file.extension() == ".svh";
  std::string kept;
  bool space = false;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (rtl) line = line.substr(0, line.find("//"));
    if (!rtl && line.substr(std::min(line.find_first_not_of(' '), line.size())).starts_with('#')) {
      continue;
    }
    for (const char c : line) {
      if (c != ' ') {
        if (space && !kept.empty()) kept += ' ';
        kept += c;
      }
      space = c == ' ';
    }
    space = true;
  }
  return kept;
}

/// What the areas of PEs are made of: their RTL, and what synthesises it.
std::string pe_sources(const SweepOptions& options) {
  namespace fs = std::filesystem;
  const fs::path rtl(options.rtl_folder), tools = fs::path(options.synth_tool).parent_path();
  std::vector<fs::path> files = {rtl / "common/gw_assert.svh", rtl / "common/gw_fp_step.svh",
                                 tools / "synth.sh",           tools / "netlist.sh",
                                 tools / "estimate.py",        tools / "xc7_timing.py"};
  std::ifstream list(rtl / "switch/gw_optimizer_array.f");
  for (std::string line; std::getline(list, line);) {
    if (line.ends_with(".sv")) files.push_back(rtl.parent_path() / line);
  }
  std::string all;
  for (const fs::path& file : files) {
    const std::string text = essence(file, sim::bytes_if_readable(file).value_or(""));
    all += fmt::format("{} {}\n{}", file.filename().string(), text.size(), text);
  }
  return checksum(all);
}

/// The areas that come with the program, if they are of this RTL.
json shipped_areas(const SweepOptions& options) {
  const auto bytes = sim::bytes_if_readable(options.shipped_areas);
  json shipped = bytes ? json::parse(*bytes, nullptr, false) : json();
  const bool ours = shipped.is_object() && shipped.value("rtl", "") == pe_sources(options);
  return ours ? shipped.value("pes", json::object()) : json::object();
}

/// When anything of it was last changed.
std::filesystem::file_time_type last_change(const SweepOptions& options) {
  auto latest = std::filesystem::file_time_type::min();
  for (const std::filesystem::path& file : area_sources(options)) {
    std::error_code error;
    latest = std::max(latest, std::filesystem::last_write_time(file, error));
  }
  return latest;
}

std::string pe_name(const NetworkSpec& net) {
  // SGD has no eps.
  const bool outside = net.eps_outside() && net.algorithm != Algorithm::kSgd;
  return fmt::format("pe-{}-{}-{}{}", name_of(net.algorithm),
                     net.iterative ? "iterative" : "pipelined", net.fast ? "fast" : "paper",
                     outside ? "-eps-outside" : "");
}

/// Figures of one PE that an earlier sweep has kept; null if there are none, or they are older than
/// what they are made of.
json kept_area(const SweepOptions& options, const std::string& name) {
  const std::filesystem::path folder(options.synth_folder);
  std::error_code error;
  const auto made = std::filesystem::last_write_time(folder / (name + ".json"), error);
  return !error && made > last_change(options) ? kept_synthesis(folder, name) : json();
}

/// Area and path of one PE; nothing, and a sentence, if it cannot be had.
json area_of(const SweepOptions& options, const NetworkSpec& net, const json& shipped,
             std::string& missing) {
  const std::string name = pe_name(net);
  json result = kept_area(options, name);
  if (!result.is_object() && shipped.contains(name)) return shipped[name];
  if (!result.is_object()) {
    try {
      std::vector<std::string> words = {
          "gw_optimizer_array",
          "--set",
          fmt::format("Algorithm={}", static_cast<int>(net.algorithm)),
          "--set",
          "Lanes=1",
          "--set",
          fmt::format("Iterative={}", net.iterative ? 1 : 0),
          "--set",
          fmt::format("Fast={}", net.fast ? 1 : 0)};
      if (net.eps_outside()) words.insert(words.end(), {"--set", "EpsOutside=1"});
      result = synthesise(options.synth_tool, words, options.synth_folder, name);
    } catch (const sim::UserError& why) {
      missing = why.what();
      return {};
    }
  }
  return {{"lut", result["used"]["LUT"]},
          {"ff", result["used"]["FF"]},
          {"dsp", result["used"]["DSP"]},
          {"tool", result.value("tool", "Yosys")},
          {"longest_path_ns", result["longest_path_ns"]}};
}

/// Block RAM of a parameter: theta, the states, and the aggregator's sum, 36-bit words of 32 bits.
double parameters_in_bram(Algorithm algorithm) {
  const auto words = static_cast<double>(2 + optimizer::graph_of(algorithm).states());
  return std::floor(paper::kDeviceBram36 * 1024 / words);
}

/// Marks what no other point beats in both LUTs and throughput, among all of one algorithm.
void mark_pareto(json& points, const std::string& line) {
  for (json& p : points) {
    if (!p.contains("lut")) continue;
    p["pareto"] = std::ranges::none_of(points, [&p, &line](const json& q) {
      if (q["algorithm"] != p["algorithm"] || !q.contains("lut")) return false;
      const double lut_p = p["lut"], lut_q = q["lut"];
      const double rate_p = p["line_rate_percent"][line], rate_q = q["line_rate_percent"][line];
      return lut_q <= lut_p && rate_q >= rate_p && (lut_q < lut_p || rate_q > rate_p);
    });
  }
}

/// The smallest array of each kind and profile that holds line rate on each of the lines.
json smallest_arrays(const json& points, const std::vector<Line>& lines) {
  json rows = json::array();
  std::map<std::string, json> best;
  std::vector<std::string> order;
  for (const json& p : points) {
    for (const auto& [line, ports, gbps] : lines) {
      if (p["line_rate_percent"][line].get<double>() < 100) continue;
      const std::string key =
          fmt::format("{}/{}/{}/{}", p["algorithm"].get<std::string>(),
                      p["kind"].get<std::string>(), p["profile"].get<std::string>(), line);
      if (!best.contains(key)) order.push_back(key);
      if (!best.contains(key) || p["pes"].get<int>() < best[key]["pes"].get<int>()) {
        best[key] = p;
        best[key]["line"] = line;
      }
    }
  }
  for (const std::string& key : order) {
    const json& p = best[key];
    json row = {{"algorithm", p["algorithm"]},
                {"kind", p["kind"]},
                {"profile", p["profile"]},
                {"line", p["line"]},
                {"pes", p["pes"]},
                {"percent", p["line_rate_percent"][p["line"].get<std::string>()]}};
    if (p.contains("lut")) {
      row["lut"] = p["lut"];
      row["saved_percent_of_paper"] =
          100 * (1 - p["lut"].get<double>() / p["paper_lut_32"].get<double>());
    }
    rows.push_back(row);
  }
  return rows;
}

/// Runs points in lockstep with the RTL that they are about, or its netlist, those that are
/// recommended or all; says in each point whether it was.
json check_points(const sim::Device& device, const SweepOptions& options,
                  const std::vector<Point>& grid, const std::vector<sim::RawPacket>& frames,
                  json& points, const json& smallest,
                  const std::function<void(const std::string&)>& note) {
  json result = {{"lockstep", 0}, {"model_only", 0}};
  if (!options.netlist.empty()) result["netlist"] = options.netlist;
  std::string why;
  for (size_t i = 0; i < points.size(); ++i) {
    json& point = points[i];
    const bool recommended = std::ranges::any_of(smallest, [&point](const json& row) {
      return row["algorithm"] == point["algorithm"] && row["kind"] == point["kind"] &&
             row["profile"] == point["profile"] && row["pes"] == point["pes"];
    });
    const bool wanted = options.check == SweepCheck::kAll ||
                        (options.check == SweepCheck::kRecommended && recommended);
    point["checked"] = wanted && why.empty() && !sim::interrupted() ? "lockstep" : "model";
    if (point["checked"] == "lockstep") {
      sim::RunSpec spec = grid[i].spec;
      spec.rtl = true;
      spec.netlist = options.netlist;
      spec.note = note;
      spec.cache = options.cache;
      // Enough to fill and drain the array; the figures are the model's, over all frames.
      const std::vector<sim::RawPacket> some(
          frames.begin(), frames.begin() + std::min<ptrdiff_t>(64, std::ssize(frames)));
      sim::ListSource source(some);
      try {
        const sim::Outcome outcome = device.run(source, spec, sim::Kernel::instance());
        if (!outcome.passed && !outcome.interrupted) {
          result["failed"].push_back(point["algorithm"].get<std::string>() + " " +
                                     point["kind"].get<std::string>() + " " +
                                     point["profile"].get<std::string>() +
                                     fmt::format(" {} PEs", point["pes"].get<int>()));
        }
      } catch (const sim::InputError& error) {  // no Yosys, Verilator or compiler, no room
        why = error.what();
        point["checked"] = "model";
      }
    }
    result[point["checked"] == "lockstep" ? "lockstep" : "model_only"] =
        result[point["checked"] == "lockstep" ? "lockstep" : "model_only"].get<int>() + 1;
  }
  if (!why.empty()) result["missing"] = why;
  return result;
}

}  // namespace

std::string default_areas(const SweepOptions& options) {
  namespace fs = std::filesystem;
  const Cache cache(options.cache.empty() ? default_cache() : fs::path(options.cache));
  std::string sources;
  for (const std::filesystem::path& file : area_sources(options)) {
    const std::string bytes = sim::bytes_if_readable(file).value_or("");
    sources += fmt::format("{} {}\n{}", file.filename().string(), bytes.size(), bytes);
  }
  return cache.folder() / ("areas-" + checksum(sources));
}

json sweep_optimizer(const sim::Device& device, const SweepOptions& options,
                     const std::function<void(const std::string&)>& note) {
  const std::vector<Algorithm> algorithms =
      options.algorithms.empty()
          ? std::vector<Algorithm>(optimizer::kAlgorithms.begin(), optimizer::kAlgorithms.end())
          : options.algorithms;
  const std::vector<int> pes =
      options.pes.empty() ? std::vector<int>{1, 2, 4, 8, 16, 32, 64} : options.pes;
  const auto or_all = [](const std::vector<std::string>& some, std::vector<std::string> all) {
    return some.empty() ? all : some;
  };
  const auto kinds = or_all(options.kinds, {"pipelined", "iterative"});
  const auto profiles = or_all(options.profiles, {"paper", "fast"});

  // Everything is checked before anything runs.
  std::vector<Point> grid;
  for (const Algorithm algorithm : algorithms) {
    for (const std::string& kind : kinds) {
      for (const std::string& profile : profiles) {
        for (const int n : pes) {
          grid.push_back(point_of(device, options, algorithm, n, kind, profile));
        }
      }
    }
  }

  // One Yosys run a kind of PE, two at a time, while the simulations wait for none of them.
  std::map<std::string, json> areas;
  json made = json::object();
  std::string missing;
  const auto area_key = [](const NetworkSpec& net) {
    return fmt::format("{}{}{}", static_cast<int>(net.algorithm), net.iterative, net.fast);
  };
  if (options.area) {
    std::error_code error;
    std::filesystem::create_directories(options.synth_folder, error);
    if (error) {
      throw sim::InputError(
          fmt::format("cannot keep areas in '{}': {}", options.synth_folder, error.message()));
    }
    const json shipped = options.resynthesise ? json::object() : shipped_areas(options);
    std::vector<NetworkSpec> wanted;
    for (const Point& point : grid) {
      if (areas.try_emplace(area_key(point.net)).second) wanted.push_back(point.net);
    }
    for (size_t i = 0; i < wanted.size() && missing.empty(); i += 2) {
      std::vector<std::future<std::pair<json, std::string>>> running;
      for (size_t j = i; j < std::min(i + 2, wanted.size()); ++j) {
        note(fmt::format(
            "area {} of {}: {}, {}, {}", j + 1, wanted.size(), name_of(wanted[j].algorithm),
            wanted[j].iterative ? "iterative" : "pipelined", wanted[j].fast ? "fast" : "paper"));
        running.push_back(std::async(std::launch::async, [&options, &shipped, net = wanted[j]] {
          std::string why;
          json area = area_of(options, net, shipped, why);
          return std::pair{std::move(area), why};
        }));
      }
      for (size_t j = 0; j < running.size(); ++j) {
        auto [area, why] = running[j].get();
        if (area.is_object()) made[pe_name(wanted[i + j])] = area;
        areas[area_key(wanted[i + j])] = std::move(area);
        if (!why.empty()) missing = why;
      }
      if (sim::interrupted()) missing = "interrupted";
    }
  } else {
    missing = "areas were not asked for";
  }

  const std::vector<sim::RawPacket> frames = full_frames(options);
  const std::vector<Line> lines = lines_of(options);
  json points = json::array();
  for (const auto& [net, spec] : grid) {
    if (sim::interrupted()) break;
    json point = {{"algorithm", std::string(name_of(net.algorithm))},
                  {"pes", net.pes},
                  {"kind", net.iterative ? "iterative" : "pipelined"},
                  {"profile", net.fast ? "fast" : "paper"}};
    const json measured = measure(device, spec, frames, lines);
    if (measured.is_null()) break;
    point.update(measured);
    point["paper_lut_32"] = paper_pe(net.algorithm).lut * paper::kArrayPes;
    const json& area = areas[area_key(net)];
    if (area.is_object()) {
      for (const char* what : {"lut", "ff", "dsp"}) {
        point[fmt::format("pe_{}", what)] = area[what];
        point[what] = area[what].get<double>() * net.pes;
      }
      point["lut_percent_of_device"] = point["lut"].get<double>() / paper::kDeviceLuts * 100;
      point["longest_path_ns"] = area["longest_path_ns"];
      point["tool"] = area["tool"];
    }
    // Parameter memory of the build: 36-kbit blocks of 1,024 words of 36 bits, a bank for each
    // word.
    const double words = 1.0 + static_cast<double>(optimizer::graph_of(net.algorithm).states());
    const int lanes = std::min(net.pes, static_cast<int>(kFrameValues));
    const double rows = static_cast<double>(kNetworkDepth * kFrameValues) / lanes;
    point["bram36"] = words * lanes * std::max(0.5, std::ceil(rows / 512) / 2);
    points.push_back(std::move(point));
    note(fmt::format("{} of {} points", points.size(), grid.size()));
  }
  mark_pareto(points, lines.back().name);
  const json smallest = smallest_arrays(points, lines);
  const json checks = check_points(device, options, grid, frames, points, smallest, note);

  json document = {{"sweep", "optimizer"},
                   {"clock_mhz", options.clock_mhz},
                   {"seed", options.seed},
                   {"frames", frames.size()},
                   {"points", points},
                   {"smallest", smallest},
                   {"checks", checks},
                   {"version", sim::kVersion},
                   {"tools", sim::build_tools()},
                   {"command", options.command}};
  if (!missing.empty()) document["missing"] = missing;
  if (!made.empty()) document["areas"] = {{"rtl", pe_sources(options)}, {"pes", made}};
  for (const Line& line : lines) {
    // Whatever the array: six beats of 256 bits a full frame.
    document["lines"][line.name] = {
        {"ports", line.ports},
        {"gbps", line.gbps},
        {"cycles_per_frame", line.cycles(options.clock_mhz)},
        {"stream_percent",
         line.cycles(options.clock_mhz) / (kFrameBytes / static_cast<double>(kBeatBytes)) * 100}};
  }

  if (options.eps_outside) document["epsilon"] = "after the root";
  const auto epsilon =
      options.eps_outside ? optimizer::Epsilon::kAfterRoot : optimizer::Epsilon::kUnderRoot;
  for (const Algorithm algorithm : algorithms) {
    const std::string name(name_of(algorithm));
    const paper::Pe& theirs = paper_pe(algorithm);
    document["table2"][name] = {
        {"paper", theirs.cycles},
        {"ours_paper_profile",
         optimizer::latency(optimizer::graph_of(algorithm, epsilon), optimizer::kPaperLatencies)}};
    json& table3 = document["table3"][name];
    table3["paper"] = {{"lut", theirs.lut}, {"ff", theirs.ff}, {"dsp", theirs.dsp}};
    for (const bool iterative : {false, true}) {
      for (const bool fast : {false, true}) {
        NetworkSpec net;
        net.algorithm = algorithm;
        net.epsilon = epsilon;
        net.iterative = iterative;
        net.fast = fast;
        const auto found = areas.find(area_key(net));
        if (found != areas.end() && found->second.is_object()) {
          table3[fmt::format("{}_{}", iterative ? "iterative" : "pipelined",
                             fast ? "fast" : "paper")] = found->second;
        }
      }
    }
    document["bram"][name] = {{"parameters_that_fit", parameters_in_bram(algorithm)}};
    if (options.cpu && !sim::interrupted()) {
      note(fmt::format("host CPU: {} on 800,000 parameters", name));
      const Point point =
          point_of(device, options, algorithm, paper::kArrayPes, "pipelined", "paper");
      const json measured = measure(device, point.spec, frames, lines);
      if (measured.is_null()) break;
      const double cycles = measured["cycles_per_frame"];
      const double n = paper::kParameters / kFrameValues;
      const double array_ms = n * cycles / options.clock_mhz * 1e-3;
      const double wire_ms = n * frame_ns() * 1e-6;
      const double cpu_ms = cpu_seconds(algorithm) * 1e3;
      document["figure17"][name] = {{"cpu_ms", cpu_ms},
                                    {"switch_ms", std::max(array_ms, wire_ms)},
                                    {"switch_array_ms", array_ms},
                                    {"cpu_to_switch", cpu_ms / std::max(array_ms, wire_ms)}};
    }
  }
  return document;
}

}  // namespace gw::testbenches
