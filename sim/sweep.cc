#include "sim/sweep.h"

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

#include "sim/device.h"
#include "sim/error.h"
#include "sim/kernel.h"
#include "sim/report/gnuplot.h"
#include "sim/switch_stimulus.h"
#include "sim/traffic.h"
#include "sim/version.h"

namespace gw::sim {
namespace {

namespace optimizer = reference::optimizer;
using nlohmann::json;
using optimizer::Algorithm;

constexpr size_t kFrameBytes = 192;
constexpr size_t kFrameValues = 32;
constexpr double kPaperParameters = 800'000;                    // Figure 17
constexpr double kDeviceLuts = 433'200, kDeviceBram36 = 1'470;  // XC7VX690T
constexpr int kPaperPes = 32;

/// IEICE'21: Table 2 (cycles) and Table 3 (of one PE).
struct PaperPe {
  int cycles, lut, ff, dsp;
};
PaperPe paper_pe(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kSgd:
      return {21, 535, 953, 3};
    case Algorithm::kAdagrad:
      return {99, 2695, 4880, 9};
    case Algorithm::kAdam:
      return {137, 5409, 10278, 36};
    default:
      return {164, 6100, 11510, 40};
  }
}

/// Nanoseconds of a full frame on 10GbE: preamble, FCS and gap counted.
double frame_ns() { return (kFrameBytes + kWireOverheadBytes) * kByteNs; }

std::vector<std::vector<uint8_t>> full_frames(const SweepOptions& options) {
  std::vector<std::vector<uint8_t>> frames;
  for (const Frame& frame :
       synthesise_frames("gradient-192", options.seed, options.frames, {}).frames) {
    if (frame.measured) frames.push_back(frame.bytes);
  }
  return frames;
}

json measure(const RunSpec& spec, const std::vector<std::vector<uint8_t>>& frames) {
  const StreamDevice& device = stream_device("optimizer");
  const Stimulus stimulus = device.stimulus_from_bytes(frames, spec);
  const Outcome outcome = device.run(stimulus, spec, Kernel::instance());
  if (!outcome.passed) throw std::logic_error("the model does not agree with the reference");
  // From a frame that no start-up reaches to the last one.
  const size_t n = frames.size(), from = n / 4;
  const double cycles =
      static_cast<double>(outcome.offer_cycles[n - 1] - outcome.offer_cycles[from]) /
      static_cast<double>(n - 1 - from);
  const double one_port = frame_ns() * spec.clock_mhz * 1e-3 / cycles * 100;
  const uint64_t latency = outcome.offer_cycles[0] - outcome.accept_cycles[0];
  return {{"cycles_per_frame", cycles},
          {"line_rate_percent", {{"10G", one_port}, {"4x10G", one_port / 4}}},
          {"frame_latency_cycles", latency},
          {"frame_latency_ns", static_cast<double>(latency) * 1e3 / spec.clock_mhz}};
}

/// When anything that an area depends on was last changed.
std::filesystem::file_time_type last_change(const SweepOptions& options) {
  namespace fs = std::filesystem;
  fs::file_time_type latest = fs::file_time_type::min();
  const std::string tools = fs::path(options.synth_tool).parent_path().string();
  for (const std::string& folder : {options.rtl_folder, tools}) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, error)) {
      if (entry.path().extension() != ".md")
        latest = std::max(latest, entry.last_write_time(error));
    }
  }
  return latest;
}

/// Area and path of one PE; nothing, and a sentence, if it cannot be had.
json area_of(const SweepOptions& options, Algorithm algorithm, bool iterative, bool fast,
             std::string& missing) {
  const std::string name =
      fmt::format("pe-{}-{}-{}", name_of(algorithm), iterative ? "iterative" : "pipelined",
                  fast ? "fast" : "paper");
  const std::filesystem::path file = std::filesystem::path(options.synth_folder) / (name + ".json");
  const auto load = [&file]() -> json {
    std::ifstream in(file);
    return in ? json::parse(in, nullptr, false) : json();
  };
  std::error_code error;
  const auto made = std::filesystem::last_write_time(file, error);
  json result = !error && made > last_change(options) ? load() : json();
  if (!result.is_object()) {
    const std::string log =
        (std::filesystem::path(options.synth_folder) / (name + ".log")).string();
    const std::string command = fmt::format(
        "'{}' gw_optimizer_array --set Algorithm={} --set Lanes=1 --set Iterative={} --set Fast={} "
        "--json '{}' --build '{}' > '{}' 2>&1",
        options.synth_tool, static_cast<int>(algorithm), iterative ? 1 : 0, fast ? 1 : 0,
        file.string() + ".part", options.synth_folder, log);
    if (std::system(command.c_str()) != 0) {
      std::ifstream in(log);
      std::string line, last;
      while (std::getline(in, line)) {
        if (!line.empty()) last = line;
      }
      missing = last.empty() ? fmt::format("'{}' failed", options.synth_tool) : last;
      return {};
    }
    std::filesystem::rename(file.string() + ".part", file);
    result = load();
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
  return std::floor(kDeviceBram36 * 1024 / words);
}

/// The textbook's loops in float, as a host would run them over all parameters; seconds, the median
/// of several passes.
double cpu_seconds(Algorithm algorithm) {
  const auto n = static_cast<size_t>(kPaperParameters);
  std::vector<float> theta(n, 0.1f), a(n, 1e-8f), b(n, 1e-8f), c(n, 1.0f), g(n);
  for (size_t i = 0; i < n; ++i) g[i] = 1e-3f * static_cast<float>(static_cast<int>(i % 201) - 100);
  constexpr float lr = 0.001f, eps = 1e-8f, beta1 = 0.9f, beta2 = 0.999f;
  const auto pass = [&] {
    switch (algorithm) {
      case Algorithm::kSgd:
        for (size_t i = 0; i < n; ++i) theta[i] -= lr * g[i];
        break;
      case Algorithm::kAdagrad:
        for (size_t i = 0; i < n; ++i) {
          a[i] += g[i] * g[i];
          theta[i] -= lr / std::sqrt(a[i] + eps) * g[i];
        }
        break;
      case Algorithm::kAdam:
        for (size_t i = 0; i < n; ++i) {
          a[i] = beta1 * a[i] + (1 - beta1) * g[i];
          b[i] = beta2 * b[i] + (1 - beta2) * g[i] * g[i];
          theta[i] -= lr * (a[i] / 0.1f) / std::sqrt(b[i] / 0.001f + eps);
        }
        break;
      case Algorithm::kSmorms3:
        for (size_t i = 0; i < n; ++i) {
          const float rho = 1 / (c[i] + 1);
          a[i] = (1 - rho) * a[i] + rho * g[i];
          b[i] = (1 - rho) * b[i] + rho * g[i] * g[i];
          const float x = a[i] * a[i] / (b[i] + eps);
          theta[i] -= g[i] * std::min(lr, x) / std::sqrt(b[i] + eps);
          c[i] = 1 + (1 - x) * c[i];
        }
        break;
    }
  };
  std::vector<double> seconds;
  for (int round = 0; round < 9; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    pass();
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  volatile float kept = theta[n / 2];
  (void)kept;
  std::nth_element(seconds.begin(), seconds.begin() + 4, seconds.end());
  return seconds[4];
}

/// Marks what no other point beats in both LUTs and throughput, among all of one algorithm.
void mark_pareto(json& points) {
  for (json& p : points) {
    if (!p.contains("lut")) continue;
    p["pareto"] = std::ranges::none_of(points, [&p](const json& q) {
      if (q["algorithm"] != p["algorithm"] || !q.contains("lut")) return false;
      const double lut_p = p["lut"], lut_q = q["lut"];
      const double rate_p = p["line_rate_percent"]["4x10G"],
                   rate_q = q["line_rate_percent"]["4x10G"];
      return lut_q <= lut_p && rate_q >= rate_p && (lut_q < lut_p || rate_q > rate_p);
    });
  }
}

/// The smallest array of each kind and profile that holds line rate on one port and on four.
json smallest_arrays(const json& points) {
  json rows = json::array();
  std::map<std::string, json> best;
  std::vector<std::string> order;
  for (const json& p : points) {
    for (const char* line : {"10G", "4x10G"}) {
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

}  // namespace

json sweep_optimizer(const SweepOptions& options,
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
  std::vector<RunSpec> specs;
  for (const Algorithm algorithm : algorithms) {
    for (const std::string& kind : kinds) {
      for (const std::string& profile : profiles) {
        for (const int n : pes) {
          RunSpec spec;
          spec.rtl = false;
          spec.seed = options.seed;
          spec.clock_mhz = options.clock_mhz;
          spec.network.algorithm = algorithm;
          spec.network.pes = n;
          spec.network.iterative = kind == "iterative";
          spec.network.fast = profile == "fast";
          device("optimizer").check(spec);
          specs.push_back(spec);
        }
      }
    }
  }

  // One Yosys run a kind of PE, two at a time, while the simulations wait for none of them.
  std::map<std::string, json> areas;
  std::string missing;
  const auto area_key = [](const NetworkSpec& net) {
    return fmt::format("{}{}{}", static_cast<int>(net.algorithm), net.iterative, net.fast);
  };
  if (options.area) {
    std::error_code error;
    std::filesystem::create_directories(options.synth_folder, error);
    if (error) {
      throw InputError(
          fmt::format("cannot keep areas in '{}': {}", options.synth_folder, error.message()));
    }
    std::vector<NetworkSpec> wanted;
    for (const RunSpec& spec : specs) {
      if (areas.try_emplace(area_key(spec.network)).second) wanted.push_back(spec.network);
    }
    for (size_t i = 0; i < wanted.size() && missing.empty(); i += 2) {
      std::vector<std::future<std::pair<json, std::string>>> running;
      for (size_t j = i; j < std::min(i + 2, wanted.size()); ++j) {
        note(fmt::format(
            "synthesis {} of {}: {}, {}, {}", j + 1, wanted.size(), name_of(wanted[j].algorithm),
            wanted[j].iterative ? "iterative" : "pipelined", wanted[j].fast ? "fast" : "paper"));
        running.push_back(std::async(std::launch::async, [&options, net = wanted[j]] {
          std::string why;
          json area = area_of(options, net.algorithm, net.iterative, net.fast, why);
          return std::pair{std::move(area), why};
        }));
      }
      for (size_t j = 0; j < running.size(); ++j) {
        auto [area, why] = running[j].get();
        areas[area_key(wanted[i + j])] = std::move(area);
        if (!why.empty()) missing = why;
      }
      if (interrupted()) missing = "interrupted";
    }
  } else {
    missing = "areas were not asked for";
  }

  const auto frames = full_frames(options);
  json points = json::array();
  std::map<Algorithm, double> paper_array_cycles;  // 32 pipelined PEs, paper
  for (const RunSpec& spec : specs) {
    if (interrupted()) break;
    const NetworkSpec& net = spec.network;
    json point = {{"algorithm", std::string(name_of(net.algorithm))},
                  {"pes", net.pes},
                  {"kind", net.iterative ? "iterative" : "pipelined"},
                  {"profile", net.fast ? "fast" : "paper"}};
    point.update(measure(spec, frames));
    const PaperPe paper = paper_pe(net.algorithm);
    point["paper_lut_32"] = paper.lut * kPaperPes;
    const json& area = areas[area_key(net)];
    if (area.is_object()) {
      for (const char* what : {"lut", "ff", "dsp"}) {
        point[fmt::format("pe_{}", what)] = area[what];
        point[what] = area[what].get<double>() * net.pes;
      }
      point["lut_percent_of_device"] = point["lut"].get<double>() / kDeviceLuts * 100;
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
    note(fmt::format("{} of {} points", points.size(), specs.size()));
  }
  mark_pareto(points);

  json document = {{"sweep", "optimizer"},      {"clock_mhz", options.clock_mhz},
                   {"seed", options.seed},      {"frames", frames.size()},
                   {"points", points},          {"smallest", smallest_arrays(points)},
                   {"version", kVersion},       {"tools", build_tools()},
                   {"command", options.command}};
  if (!missing.empty()) document["missing"] = missing;

  for (const Algorithm algorithm : algorithms) {
    const std::string name(name_of(algorithm));
    const PaperPe paper = paper_pe(algorithm);
    document["table2"][name] = {
        {"paper", paper.cycles},
        {"ours_paper_profile",
         optimizer::latency(optimizer::graph_of(algorithm), optimizer::kPaperLatencies)}};
    json& table3 = document["table3"][name];
    table3["paper"] = {{"lut", paper.lut}, {"ff", paper.ff}, {"dsp", paper.dsp}};
    for (const bool iterative : {false, true}) {
      for (const bool fast : {false, true}) {
        NetworkSpec net;
        net.algorithm = algorithm;
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
    if (options.cpu && !interrupted()) {
      note(fmt::format("host CPU: {} on 800,000 parameters", name));
      RunSpec spec;
      spec.rtl = false;
      spec.clock_mhz = options.clock_mhz;
      spec.network.algorithm = algorithm;
      const double cycles = measure(spec, frames)["cycles_per_frame"];
      const double n = kPaperParameters / kFrameValues;
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

std::string sweep_text(const json& sweep) {
  std::string out = fmt::format(
      "Optimizer sizing at {:g} MHz: full frames, {} a point; percent of 10GbE line rate\n\n"
      "{:<8} {:<9} {:<6} {:>4} {:>9} {:>9} {:>9} {:>8} {:>9} {:>7} {:>8} {:>6} {:>7}\n",
      sweep["clock_mhz"].get<double>(), sweep["frames"].get<size_t>(), "", "kind", "prof.", "PEs",
      "cyc/frame", "1 port %", "4 ports %", "latency", "LUT", "% dev.", "DSP", "BRAM", "pareto");
  for (const json& p : sweep["points"]) {
    const bool area = p.contains("lut");
    out += fmt::format(
        "{:<8} {:<9} {:<6} {:>4} {:>9.2f} {:>9.1f} {:>9.1f} {:>8} {:>9} {:>7} {:>8} {:>6.0f} "
        "{:>7}\n",
        p["algorithm"].get<std::string>(), p["kind"].get<std::string>(),
        p["profile"].get<std::string>(), p["pes"].get<int>(), p["cycles_per_frame"].get<double>(),
        p["line_rate_percent"]["10G"].get<double>(), p["line_rate_percent"]["4x10G"].get<double>(),
        p["frame_latency_cycles"].get<uint64_t>(),
        area ? fmt::format("{:.0f}", p["lut"].get<double>()) : "-",
        area ? fmt::format("{:.2f}", p["lut_percent_of_device"].get<double>()) : "-",
        area ? fmt::format("{:.0f}", p["dsp"].get<double>()) : "-", p["bram36"].get<double>(),
        p.value("pareto", false) ? "*" : "");
  }
  out += fmt::format("\nSmallest array at line rate, LUTs against the paper's 32 PEs (Table 3)\n");
  for (const json& s : sweep["smallest"]) {
    out += fmt::format("{:<8} {:<9} {:<6} {:>5}: {:>2} PEs ({:.0f} %)",
                       s["algorithm"].get<std::string>(), s["kind"].get<std::string>(),
                       s["profile"].get<std::string>(), s["line"].get<std::string>(),
                       s["pes"].get<int>(), s["percent"].get<double>());
    if (s.contains("lut")) {
      out += fmt::format(", {:.0f} LUT, {:.1f} % saved", s["lut"].get<double>(),
                         s["saved_percent_of_paper"].get<double>());
    }
    out += "\n";
  }
  out += "\nTable 2, cycles of a PE (paper / ours, profile paper)\n";
  for (const auto& [name, row] : sweep["table2"].items()) {
    out += fmt::format("{:<8} {:>4} / {:>4}\n", name, row["paper"].get<int>(),
                       row["ours_paper_profile"].get<int>());
  }
  std::set<std::string> synthesis;
  for (const json& p : sweep["points"]) {
    if (p.contains("tool")) synthesis.insert(p["tool"].get<std::string>());
  }
  out += "\nTable 3, one PE: LUT / FF / DSP, estimated longest path";
  for (const std::string& tool : synthesis) out += ", " + tool;
  out += "\n";
  for (const auto& [name, row] : sweep["table3"].items()) {
    for (const auto& [what, area] : row.items()) {
      out += fmt::format("{:<8} {:<16} {:>6.0f} / {:>6.0f} / {:>3.0f}", name, what,
                         area["lut"].get<double>(), area["ff"].get<double>(),
                         area["dsp"].get<double>());
      if (area.contains("longest_path_ns")) {
        out += fmt::format("   {:.2f} ns", area["longest_path_ns"].get<double>());
      }
      out += "\n";
    }
  }
  out += "\nParameters that fit into the block RAM of the XC7VX690T (theta, states, sum)\n";
  for (const auto& [name, row] : sweep["bram"].items()) {
    out += fmt::format("{:<8} {:>9.0f}\n", name, row["parameters_that_fit"].get<double>());
  }
  if (sweep.contains("figure17")) {
    out +=
        "\nFigure 17, 800,000 parameters: host CPU (one thread, this machine), switch (one port)\n";
    for (const auto& [name, row] : sweep["figure17"].items()) {
      out += fmt::format("{:<8} CPU {:>7.3f} ms   switch {:>7.3f} ms   CPU / switch {:.2f}\n", name,
                         row["cpu_ms"].get<double>(), row["switch_ms"].get<double>(),
                         row["cpu_to_switch"].get<double>());
    }
  }
  if (sweep.contains("missing")) {
    out += fmt::format("\nNo areas: {}\n", sweep["missing"].get<std::string>());
  }
  return out;
}

std::string sweep_csv(const json& sweep) {
  std::string out =
      "algorithm,kind,profile,pes,cycles_per_frame,line_rate_1_port_percent,"
      "line_rate_4_ports_percent,frame_latency_cycles,frame_latency_ns,lut,ff,dsp,bram36,"
      "lut_percent_of_device,longest_path_ns,pareto\n";
  const auto number = [](const json& p, const char* key) {
    return p.contains(key) ? fmt::format("{}", p[key].get<double>()) : "";
  };
  for (const json& p : sweep["points"]) {
    out += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", p["algorithm"].get<std::string>(),
        p["kind"].get<std::string>(), p["profile"].get<std::string>(), p["pes"].get<int>(),
        p["cycles_per_frame"].get<double>(), p["line_rate_percent"]["10G"].get<double>(),
        p["line_rate_percent"]["4x10G"].get<double>(), p["frame_latency_cycles"].get<uint64_t>(),
        p["frame_latency_ns"].get<double>(), number(p, "lut"), number(p, "ff"), number(p, "dsp"),
        number(p, "bram36"), number(p, "lut_percent_of_device"), number(p, "longest_path_ns"),
        p.value("pareto", false) ? 1 : 0);
  }
  return out;
}

std::string sweep_svg(const json& sweep, std::string& missing) {
  std::map<std::string, std::string> series;
  std::vector<std::string> order;
  for (const json& p : sweep["points"]) {
    if (!p.contains("lut")) continue;
    const std::string key = p["algorithm"].get<std::string>() + " " + p["kind"].get<std::string>();
    if (p["profile"] != "fast" && sweep["points"].size() > 1) {
      const bool both = std::ranges::any_of(sweep["points"], [&p](const json& q) {
        return q["profile"] == "fast" && q["algorithm"] == p["algorithm"];
      });
      if (both) continue;  // one profile in the picture: fast, where there is one
    }
    if (!series.contains(key)) order.push_back(key);
    series[key] += fmt::format("{} {}\n", p["lut"].get<double>(),
                               p["line_rate_percent"]["4x10G"].get<double>());
  }
  if (series.empty()) {
    missing = "no plot without areas";
    return "";
  }
  using report::rgb;
  constexpr const char* kColours[] = {"accent", "byte", "half", "raw"};
  std::string script = fmt::format(
      "set border 3 lc {0}\nset tics nomirror textcolor {0}\nset grid lc {1}\nset logscale xy\n"
      "set key outside right top spacing 1.3 textcolor {0}\n"
      "set xlabel 'LUTs of the array (Yosys, xc7)' textcolor {0}\n"
      "set ylabel 'percent of 4 x 10GbE' textcolor {0}\n",
      rgb("muted"), rgb("line"));
  std::string plot = fmt::format(
      "plot 100 with lines lw 1.5 lc {0} dt 2 title 'four ports', 25 with lines lw 1.5 lc {0} dt 3 "
      "title 'one port'",
      rgb("ink"));
  std::map<std::string, int> colour_of;
  int index = 0;
  for (const std::string& key : order) {
    const std::string algorithm = key.substr(0, key.find(' '));
    const auto colour =
        colour_of.try_emplace(algorithm, static_cast<int>(colour_of.size())).first->second;
    script += fmt::format("$s{} << EOD\n{}EOD\n", index, series[key]);
    plot += fmt::format(", $s{} with linespoints lw 1.5 pt {} ps 0.7 lc {} title {}", index,
                        key.ends_with("iterative") ? 6 : 7, rgb(kColours[colour % 4]),
                        report::quoted(key));
    ++index;
  }
  const report::Drawn drawn = report::draw({{.title = "LUTs against throughput of optimizer arrays",
                                             .script = script + plot + "\n",
                                             .width = 860,
                                             .height = 460}});
  missing = drawn.missing;
  return drawn.svg.empty() ? "" : report::standalone_svg(drawn.svg.front());
}

}  // namespace gw::sim
