// SPDX-License-Identifier: Apache-2.0
#include "sim/run/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "sim/base/error.h"
#include "sim/base/version.h"
#include "sim/coverage/summary.h"
#include "sim/feeds/stimulus.h"
#include "sim/feeds/writer.h"
#include "sim/harness/kernel.h"
#include "sim/run/bucket.h"
#include "sim/run/save_file.h"

namespace gw::sim {
namespace {

using nlohmann::json;

constexpr int64_t kReplayBefore = 200;  // cycles of waveform before a failure

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

json summary(const Distribution& distribution) {
  const auto rows = distribution.rows();
  return {{"min", rows.front().first}, {"mean", distribution.mean()}, {"max", rows.back().first}};
}

json histogram(const Distribution& distribution) {
  json rows = json::array();
  for (const auto& [value, count] : distribution.rows()) rows.push_back({value, count});
  return rows;
}

void add_latency(json& report, const Device::Facts& facts, const Timeline& timeline) {
  if (timeline.latency.n() == 0) return;
  report["latency_cycles"] = summary(timeline.latency);
  for (size_t i = 0; i < timeline.latency_of.size(); ++i) {
    if (timeline.latency_of[i].n() == 0) continue;
    report["latency_cycles"]["by_action"][facts.actions.at(i)] = summary(timeline.latency_of[i]);
  }
  report["plots"]["latency_histogram"] = histogram(timeline.latency);
  if (timeline.pipeline_latency.n() == 0) return;
  report["pipeline_latency_cycles"] = summary(timeline.pipeline_latency);
  report["plots"]["pipeline_latency_histogram"] = histogram(timeline.pipeline_latency);
}

/// Where the uncompressed values, or the frames, pass.
struct Side {
  const std::vector<Timeline::Port>& ports;
  const std::vector<Port>& facts;
  const Sizes& sizes;
  const Series& moved;
  uint64_t bytes;
  uint64_t window;
};
Side side_of(const Device::Facts& facts, const Timeline& t) {
  return facts.burst_is_input
             ? Side{t.in, facts.inputs, t.sizes_in, t.moved_in, t.bytes_in(), t.window(t.in)}
             : Side{t.out, facts.outputs, t.sizes_out, t.moved_out, t.bytes_out(), t.window(t.out)};
}

double gbps(uint64_t bytes, uint64_t cycles, double clock_mhz) {
  return 8e-3 * static_cast<double>(bytes) * clock_mhz / static_cast<double>(cycles);
}

/// The rates that the run is held against.
std::vector<double> rates_of(const Device::Facts& facts, const RunSpec& spec) {
  return spec.line_rates.empty() ? std::vector{facts.line.gbps} : spec.line_rates;
}
std::string line_name(double gbps, size_t lines = 1) {
  return (lines > 1 ? fmt::format("{}x", lines) : "") + fmt::format("{:g}G", gbps);
}

/// Bytes per bucket of time as Gb/s.
void add_throughput_over_time(json& report, const Side& side, double clock_mhz) {
  const uint64_t bucket = side.moved.bucket_cycles();
  uint64_t end = 0;  // whole buckets only: the last one would show the end of the trace as a drop
  for (const Timeline::Port& port : side.ports) {
    end = std::max(end, port.beats != 0 ? port.last + 1 : 0);
  }
  json rows = json::array();
  for (uint64_t b = 0; (b + 1) * bucket <= end; ++b) {
    rows.push_back({b * bucket, gbps(side.moved.bucket(b), bucket, clock_mhz)});
  }
  report["plots"]["throughput_over_time"] = std::move(rows);
}

void add_rates(json& report, const Device::Facts& facts, const RunSpec& spec, const Side& side) {
  uint64_t bursts = 0;
  for (const Timeline::Port& port : side.ports) bursts += port.beats;
  if (bursts == 0) return;
  report["window_cycles"] = side.window;
  report["bursts"] = bursts;
  report["burst_bytes"] = facts.beat_bytes;
  report["cycles_per_burst"] = static_cast<double>(side.window) / static_cast<double>(bursts);
  const double rate = gbps(side.bytes, side.window, spec.clock_mhz);
  report["throughput_gbps"] = rate;
  report["line_rate_gbps"] = rates_of(facts, spec);
  if (facts.line_rate != LineRate::kThroughput) return;
  for (const double line : rates_of(facts, spec)) {
    report["line_rate_percent"][line_name(line)] = rate / line * 100;
  }
}

/// Beside the rate of uncompressed values: what the wire carries in the same time, the packets'
/// payload as it is compressed.
void add_compressed_rate(json& report, const Device::Facts& facts, const RunSpec& spec,
                         const Timeline& timeline, const json& sections) {
  uint64_t bytes = 0;
  if (facts.wire == WireSide::kInput) {
    bytes = timeline.bytes_in();
  } else if (facts.wire == WireSide::kOutput) {
    bytes = timeline.bytes_out();
  } else if (facts.wire == WireSide::kInside) {
    bytes = sections.value(json::json_pointer(facts.inside_bytes), uint64_t{0});
  }
  const uint64_t window = report.value("window_cycles", uint64_t{0});
  if (bytes == 0 || window == 0) return;
  const double rate = gbps(bytes, window, spec.clock_mhz);
  report["wire_gbps"] = rate;
  for (const double line : rates_of(facts, spec)) {
    report["wire_line_rate_percent"][line_name(line)] = rate / line * 100;
  }
}

/// Packets of like size: what they take of the line, and of the device.
struct SizeClass {
  uint64_t least = UINT64_MAX, most = 0;  ///< bytes
  uint64_t packets = 0, cycles = 0, line_bytes = 0;

  void add(uint64_t bytes, const Sizes::Row& row, const Wire& line) {
    least = std::min(least, bytes);
    most = std::max(most, bytes);
    packets += row.packets;
    cycles += row.cycles;
    line_bytes += row.packets * line.bytes(bytes);
  }
  /// Share of a line of `line_gbps`, in percent.
  double percent(double line_gbps, double clock_mhz) const {
    return gbps(line_bytes, cycles, clock_mhz) / line_gbps * 100;
  }
};

SizeClass all_sizes(const Sizes& sizes, const Wire& line) {
  SizeClass all;
  for (const auto& [bytes, row] : sizes.rows()) all.add(bytes, row, line);
  return all;
}

/// Each size that occurred, where they are few; else from one power of two to the next.
std::vector<SizeClass> size_classes(const Sizes& sizes, const Wire& line) {
  constexpr size_t kFew = 8;
  const auto rows = sizes.rows();
  std::map<uint64_t, SizeClass> classes;
  for (const auto& [bytes, row] : rows) {
    const uint64_t key = rows.size() <= kFew ? bytes : std::bit_ceil(std::max<uint64_t>(bytes, 1));
    classes[key].add(bytes, row, line);
  }
  std::vector<SizeClass> list;
  for (auto& [key, one] : classes) list.push_back(one);
  return list;
}

/// Frames on the line: preamble, FCS and the gap between frames counted (switch.md, section 2). Of
/// a device that compresses, the frames as they are uncompressed.
void add_wire_rate(json& report, const Device::Facts& facts, const RunSpec& spec,
                   const Side& side) {
  const SizeClass all = all_sizes(side.sizes, facts.line);
  if (all.packets == 0 || side.window <= 1) return;
  const double rate = gbps(all.line_bytes, side.window, spec.clock_mhz);
  for (const double line : rates_of(facts, spec)) {
    report["line_rate_percent"][line_name(line)] = rate / line * 100;
    if (facts.lines == 1) continue;
    const auto lines = static_cast<size_t>(facts.lines);
    report["line_rate_percent"][line_name(line, lines)] = rate / (line * facts.lines) * 100;
  }
}

/// Of each output port, from the first measured packet to the last one: what went over the wire
/// against what could have.
void add_port_rates(json& report, const Device::Facts& facts, const Timeline& timeline,
                    double clock_mhz) {
  json rates = json::object();
  for (size_t p = 0; p < timeline.out.size(); ++p) {
    const Timeline::Port& port = timeline.out[p];
    if (port.measured < 2) continue;
    const Wire& wire = facts.outputs[p].wire;
    const uint64_t bytes =
        port.measured_bytes + (port.measured - 1) * uint64_t{wire.before + wire.after};
    rates[fmt::format("port{}", facts.outputs[p].slot)] =
        gbps(bytes, port.measured_to - port.measured_from, clock_mhz) / wire.gbps * 100;
  }
  if (!rates.empty()) report["line_rate_percent"] = rates;
}

/// What is held of each line that was asked for, and from which clock on it is held whole: cycles
/// do not depend on the clock, as long as nothing but the device says how fast it goes.
json held_lines(const Device::Facts& facts, const RunSpec& spec, const Side& side) {
  const SizeClass all = all_sizes(side.sizes, facts.line);
  if (all.packets == 0) return nullptr;
  const auto held = [&](const SizeClass& some, double line_gbps) {
    const double percent = some.percent(line_gbps, spec.clock_mhz);
    return json{
        {"packets", some.packets},
        {"cycles_per_packet", static_cast<double>(some.cycles) / static_cast<double>(some.packets)},
        {"percent", percent},
        {"least_clock_mhz", spec.clock_mhz * 100 / percent}};
  };
  std::vector<size_t> counts = {1};
  if (facts.line_rate == LineRate::kPorts) {  // those that get anything
    counts = {static_cast<size_t>(std::max<ptrdiff_t>(
        1, std::ranges::count_if(side.ports, [](const auto& port) { return port.measured > 1; })))};
  } else if (facts.lines > 1) {
    counts.push_back(static_cast<size_t>(facts.lines));
  }
  json lines = json::array();
  for (const double rate : spec.line_rates) {
    for (const size_t n : counts) {
      const double line_gbps = rate * static_cast<double>(n);
      json& line = lines.emplace_back(held(all, line_gbps));
      line["line"] = line_name(rate, n);
      line["gbps"] = line_gbps;
      for (const SizeClass& one : size_classes(side.sizes, facts.line)) {
        json& row = line["by_size"].emplace_back(held(one, line_gbps));
        row["bytes_min"] = one.least;
        row["bytes_max"] = one.most;
      }
    }
  }
  return {{"overhead_bytes", facts.line.before + facts.line.after},
          {"least_bytes", facts.line.least},
          {"wires_wait", !spec.saturated},
          {"lines", std::move(lines)}};
}

/// Where wires say how fast the device goes, it is run once more without: the model, if there is
/// one, for the cycles are the same.
void add_held_lines(json& report, const Device& device, const RunSpec& given,
                    const Timeline& timeline) {
  const Device::Facts& facts = device.facts_of(given);
  if (given.line_rates.empty()) return;
  if (!facts.paced() && !facts.linked) {
    report["line_rates"] = held_lines(facts, given, side_of(facts, timeline));
    return;
  }
  RunSpec spec = given;
  spec.saturated = true;
  spec.rtl = !spec.model;
  spec.checks.model = false;
  spec.against.reset();
  spec.wave.reset();
  spec.coverage = {};
  spec.sv_bench.clear();
  spec.wire_writer = nullptr;
  spec.recording = nullptr;
  spec.reset_after = 0;
  if (spec.note) spec.note(device.name() + ": once more, as fast as it goes");
  const std::unique_ptr<Source> source = open_source(device, spec);
  const Outcome outcome = device.run(*source, spec, Kernel::instance());
  if (outcome.passed) {
    report["line_rates"] = held_lines(facts, spec, side_of(facts, outcome.timeline));
    return;
  }
  if (outcome.interrupted) {
    report["interrupted"] = true;
    return;
  }
  report["pass"] = false;
  report["failure"] = failure_json(device, spec, outcome.failure, report["command"]);
  report["failure"]["lines"].push_back("in the run for --line-rate, whose wires never wait");
  report["bucket"] = report["failure"]["bucket"];
}

/// Transactions of the control ports.
void add_control(json& report, const Device::Facts& facts, const Timeline& timeline) {
  const auto cycles = [](const Distribution& d) {
    return d.n() == 0 ? json(nullptr) : json({{"mean", d.mean()}, {"max", d.rows().back().first}});
  };
  for (size_t p = 0; p < facts.controls.size(); ++p) {
    const Timeline::Control& port = timeline.control[p];
    report["control"][std::string(facts.controls[p].name)] = {
        {"writes", port.writes},
        {"reads", port.reads},
        {"errors", port.errors},
        {"write_cycles", cycles(port.write_cycles)},
        {"read_cycles", cycles(port.read_cycles)}};
  }
}

}  // namespace

FailureWindow FailureWindow::of(const Failure& failure) {
  const auto from = static_cast<int64_t>(failure.moved.value_or(failure.cycle));
  return {std::max<int64_t>(0, from - kReplayBefore),
          static_cast<int64_t>(failure.cycle + kCyclesAfterFailure)};
}

std::unique_ptr<Source> open_source(const Device& device, const RunSpec& spec) {
  if (spec.stimulus.recorded == nullptr) return device.source(spec);
  return std::make_unique<RecordedSource>(spec.stimulus.recorded);
}

json failure_json(const Device& device, const RunSpec& spec, const Failure& f,
                  const std::string& command) {
  const double period_ns = 1e3 / spec.clock_mhz;
  const char* kind = f.kind == FailureKind::kLockstep    ? "engines disagree"
                     : f.kind == FailureKind::kReference ? "output differs from the reference"
                     : f.kind == FailureKind::kProtocol && f.channel.empty()
                         ? "AXI4-Stream rule broken"
                     : f.kind == FailureKind::kProtocol ? "AXI4-Lite rule broken"
                     : f.kind == FailureKind::kProfile  ? "rule of the profile broken"
                     : f.kind == FailureKind::kStopped  ? "the RTL stopped the simulation"
                                                        : "the device hangs";
  json lines = json::array();
  lines.push_back(fmt::format("cycle {} ({:.1f} ns after reset){}{}{}{}{}{}", f.cycle,
                              static_cast<double>(f.cycle) * period_ns,
                              f.port.empty() ? "" : ", port ", f.port, f.signal.empty() ? "" : "_",
                              f.signal, f.channel.empty() ? "" : ", channel ", f.channel));
  if (!f.value_a.empty()) {
    lines.push_back(fmt::format("  {:<14} {}", f.engine_a, f.value_a));
    lines.push_back(fmt::format("  {:<14} {}", f.engine_b, f.value_b));
  } else {
    lines.push_back(fmt::format("  {}: {}", f.engine_a, f.text));
  }
  for (const std::string& line : f.lines) lines.push_back(line);
  const FailureWindow window = FailureWindow::of(f);
  return {{"kind", kind},
          {"bucket", bucket_of(device, spec, f)},
          {"cycle", f.cycle},
          {"headline", fmt::format("{}: {} at cycle {}", device.name(), kind, f.cycle)},
          {"lines", lines},
          {"reproduce", fmt::format("{} --wave divergence.fst --wave-from {} --wave-to {}", command,
                                    window.from, window.to)}};
}

std::string UserRtl::name(const std::string& own) const {
  return file_list.empty() ? fmt::format("{} of gradwire", own)
                           : fmt::format("{} of {}", top, file_list);
}

namespace {

json head(const Device& device, const RunSpec& spec) {
  json report;
  report["device"] = device.name();
  report["engines"] = json::array();
  if (spec.rtl) report["engines"].push_back("rtl");
  if (spec.model) report["engines"].push_back("model");
  if (spec.against) {
    report["engines"].push_back("rtl");
    report["against"] = json::array({spec.user_rtl.name(device.facts_of(spec).top),
                                     spec.against->name(device.facts_of(spec).top)});
  }
  if (spec.checks.reference) report["engines"].push_back("reference");
  report["rtl"] = rtl_of(spec);
  report["check"] = json::array();
  if (spec.against) report["check"].push_back("against");
  if (spec.rtl && spec.model) report["check"].push_back("model");
  if (spec.checks.reference) report["check"].push_back("reference");
  if (spec.checks.protocol) report["check"].push_back("protocol");
  if (spec.checks.profile) report["check"].push_back("profile");
  if (spec.mutant.count != 0) {
    report["mutant"] =
        fmt::format("{} of {}, seed {}", spec.mutant.number, spec.mutant.count, spec.mutant.seed);
  }
  if (!spec.netlist.empty()) report["netlist"] = spec.netlist;
  report["clock_mhz"] = spec.clock_mhz;
  report["seed"] = spec.seed;
  if (spec.reset_after != 0) report["reset_after"] = spec.reset_after;
  report["stall"] = spec.stall.text();
  device.describe_settings(spec, report);
  return report;
}

/// What RTL of one's own ran with, and what it opened.
void add_rtl_notes(json& report, const RunSpec& spec, const RtlNotes& notes) {
  if (spec.rtl && (!spec.user_rtl.file_list.empty() || spec.against)) {
    report["assertions"] = !spec.assertions       ? "left out (--no-assert)"
                           : spec.netlist.empty() ? "checked"
                                                  : "checked as far as Yosys keeps them";
  }
  if (notes.drawn) report["start_values"] = "drawn by the simulator: others with waves";
  std::set<std::pair<std::string, std::string>> told;
  for (const RtlFile& file : notes.files) {
    report[kRtlFiles].push_back({{"list", file.list}, {"name", file.name}, {"path", file.path}});
    if (file.name.empty() || !told.emplace(file.list, file.name).second) continue;
    report["rtl_reads"].push_back(
        {{"name", file.name}, {"path", file.path.empty() ? json(nullptr) : json(file.path)}});
    if (file.path.empty() && spec.note) {
      spec.note(
          fmt::format("the RTL reads '{}', which is not in the folder of its file list, of "
                      "its sources, of its includes, and not here",
                      file.name));
    }
  }
}

/// What was reached, as it is read and as it is merged.
void add_coverage(json& report, const RunSpec& spec, coverage::Points points) {
  if (!spec.coverage.any()) return;
  points.count_run();
  report["coverage"] = coverage::summary(points);
  report["coverage_points"] = points.to_json();
}

/// Counters whose value the reference does not know: they depend on time.
void add_counters(json& report, const Device::Facts& facts, const Outcome& outcome) {
  for (size_t i = 0; i < std::min(facts.statistics.size(), outcome.statistics.size()); ++i) {
    const bool known =
        i < outcome.expected_statistics.size() && outcome.expected_statistics[i].has_value();
    if (!known && facts.statistics[i].ends_with("_cycles")) {
      report["counters"][facts.statistics[i]] = outcome.statistics[i];
    }
  }
}

}  // namespace

json run(const Device& device, const RunOptions& options) {
  const auto begin = Clock::now();
  RunSpec spec = options.spec;
  const Device::Facts& facts = device.facts_of(spec);
  const auto note = [&spec](const std::string& text) {
    if (spec.note) spec.note(text);
  };
  device.check(spec);
  std::unique_ptr<Source> source = open_source(device, spec);
  CapturedSource* captured = nullptr;
  if (!options.pcap_in_out.empty()) {
    auto writing = std::make_unique<CapturedSource>(
        std::move(source),
        CaptureFile{
            .path = options.pcap_in_out, .trace = spec.stimulus.trace, .option = "--pcap-in-out"},
        facts.frames);
    captured = writing.get();
    source = std::move(writing);
  }
  note(fmt::format("{}: packets from {}", device.name(), source->facts().name));
  std::unique_ptr<PacketWriter> writer;
  if (!options.pcap_out.empty()) writer = device.writer(options.pcap_out, *source, spec);
  const std::unique_ptr<PacketWriter> wire = device.wire_writer(*source, spec);
  spec.wire_writer = wire.get();
  RtlNotes notes;
  spec.rtl_notes = &notes;
  const Outcome outcome = device.run(*source, spec, Kernel::instance(), writer.get());
  for (PacketWriter* const file : {writer.get(), wire.get()}) {
    if (file != nullptr) file->close();
  }
  // What the trace holds is said also of a run that failed before it was over.
  while (!outcome.passed && !outcome.interrupted && source->next()) {
  }
  if (captured != nullptr) captured->close();

  const Timeline& t = outcome.timeline;
  const SourceFacts& from = source->facts();
  json report = head(device, spec);
  add_rtl_notes(report, spec, notes);
  report["trace"] = from.trace;
  if (!spec.stimulus.filter.empty()) report["trace"]["filter"] = spec.stimulus.filter;
  for (const std::string& left :
       {writer != nullptr ? writer->note() : "", captured != nullptr ? captured->note() : ""}) {
    if (!left.empty()) report["trace"]["notes"].push_back(left);
  }
  report["cycles"] = t.cycles;
  report["beats_in"] = t.sum_in<&Timeline::Port::beats>();
  report["beats_out"] = t.sum_out<&Timeline::Port::beats>();
  report["bytes_in"] = t.bytes_in();
  report["bytes_out"] = t.bytes_out();
  report["port_count"] = {{"in", t.in.size()}, {"out", t.out.size()}};
  const Side side = side_of(facts, t);
  add_rates(report, facts, spec, side);
  add_compressed_rate(report, facts, spec, t, outcome.sections);
  if (facts.line_rate == LineRate::kWire) add_wire_rate(report, facts, spec, side);
  if (facts.line_rate == LineRate::kPorts) add_port_rates(report, facts, t, spec.clock_mhz);
  add_latency(report, facts, t);
  report["stall_cycles"] = {{"source", t.sum_in<&Timeline::Port::environment_stalls>()},
                            {"sink", t.sum_out<&Timeline::Port::environment_stalls>()},
                            {"device", t.sum_in<&Timeline::Port::device_stalls>()}};
  if (facts.paced()) report["stall_cycles"]["wire"] = t.sum_out<&Timeline::Port::wire_stalls>();
  add_throughput_over_time(report, side, spec.clock_mhz);
  add_control(report, facts, t);
  report.update(outcome.sections, true);
  add_counters(report, facts, outcome);
  add_coverage(report, spec, outcome.points);

  const Failure& f = outcome.failure;
  report["checks"] = {
      {"lockstep_cycles", t.lockstep_cycles},
      {"lockstep_mismatches", f.kind == FailureKind::kLockstep ? 1 : 0},
      {"reference_packets", spec.checks.reference ? t.packets_out() : 0},
      {"reference_mismatches", f.kind == FailureKind::kReference || f.kind == FailureKind::kHang ||
                                       f.kind == FailureKind::kStopped
                                   ? 1
                                   : 0},
      {"protocol_violations", f.kind == FailureKind::kProtocol ? 1 : 0}};
  if (f.kind == FailureKind::kProfile) report["checks"]["profile_violations"] = 1;
  const double loop = outcome.wall_seconds;
  report["sim"] = {{"wall_s", loop},
                   {"cycles_per_s", loop > 0 ? static_cast<double>(t.cycles) / loop : 0.0},
                   {"cycles_simulated", t.cycles - t.skipped},
                   {"cycles_skipped", t.skipped}};
  report["version"] = kVersion;
  report["tools"] = build_tools();
  report["command"] = options.command;
  std::string broken;  // the first verdict of the device that is not held
  for (const json& verdict : report.value("verdicts", json::array())) {
    if (broken.empty() && !verdict["held"]) broken = verdict["name"];
  }
  if (!facts.compared.empty()) report["compared"] = facts.compared;
  report["pass"] =
      outcome.passed && broken.empty() && from.incomplete.empty() && outcome.wave_error.empty();
  if (outcome.interrupted) report["interrupted"] = true;
  if (!from.incomplete.empty()) report["incomplete"] = from.incomplete;
  if (!outcome.wave_error.empty()) report["incomplete"] = outcome.wave_error;
  if (f.kind != FailureKind::kNone) {
    report["failure"] = failure_json(device, spec, f, options.command);
    report["bucket"] = report["failure"]["bucket"];
  } else if (report.contains("incomplete")) {
    report["bucket"] = bucket_text({device.name(), rtl_of(spec), "incomplete"});
  } else if (!broken.empty()) {
    report["bucket"] = bucket_text({device.name(), rtl_of(spec), broken});
  }
  if (report["pass"]) add_held_lines(report, device, spec, t);
  if (spec.wave && outcome.wave_error.empty()) {
    const SaveFileView view = view_of(spec, f);
    write_save_file(facts_in_wave(facts, spec), spec.wave->path, view);
    for (const auto& [suffix, more] : device.more_waves()) {
      std::filesystem::path path(spec.wave->path);
      path.replace_filename(path.stem().string() + suffix + ".fst");
      write_save_file(more, path.string(), view);
    }
  }
  report["sim"]["build_s"] = outcome.build_seconds;
  report["sim"]["whole_s"] = seconds_since(begin) - outcome.build_seconds;
  return report;
}

int exit_code(const nlohmann::json& report) {
  if (report.contains("incomplete")) return kBadInput;
  return report.value("pass", false) ? kPass : kCheckFailed;
}

}  // namespace gw::sim
