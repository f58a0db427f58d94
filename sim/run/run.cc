#include "sim/run/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "sim/base/error.h"
#include "sim/base/version.h"
#include "sim/coverage/summary.h"
#include "sim/feeds/stimulus.h"
#include "sim/feeds/writer.h"
#include "sim/harness/kernel.h"
#include "sim/harness/pace.h"
#include "sim/run/bucket.h"
#include "sim/run/save_file.h"

namespace gw::sim {
namespace {

using nlohmann::json;

constexpr double kBurstBits = 256;
constexpr int64_t kReplayBefore = 200;  // cycles of waveform before a divergence
constexpr int64_t kReplayAfter = 20;

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

/// Bursts per bucket of time as Gb/s.
void add_throughput_over_time(json& report, const Device::Facts& facts, const Timeline& timeline,
                              double clock_mhz) {
  const Series& series = facts.burst_is_input ? timeline.beats_in : timeline.beats_out;
  const std::vector<Timeline::Port>& ports = facts.burst_is_input ? timeline.in : timeline.out;
  const uint64_t bucket = series.bucket_cycles();
  uint64_t end = 0;  // whole buckets only: the last one would show the end of the trace as a drop
  for (const Timeline::Port& port : ports) end = std::max(end, port.beats != 0 ? port.last + 1 : 0);
  json rows = json::array();
  for (uint64_t b = 0; (b + 1) * bucket <= end; ++b) {
    rows.push_back({b * bucket, static_cast<double>(series.bucket(b)) * kBurstBits * clock_mhz *
                                    1e-3 / static_cast<double>(bucket)});
  }
  report["plots"]["throughput_over_time"] = std::move(rows);
}

void add_rates(json& report, const Device::Facts& facts, const Timeline& timeline,
               double clock_mhz) {
  const std::vector<Timeline::Port>& ports = facts.burst_is_input ? timeline.in : timeline.out;
  uint64_t bursts = 0;
  for (const Timeline::Port& port : ports) bursts += port.beats;
  if (bursts == 0) return;
  const uint64_t window = Timeline::window(ports);
  const double cycles_per_burst = static_cast<double>(window) / static_cast<double>(bursts);
  const double gbps = kBurstBits * clock_mhz * 1e-3 / cycles_per_burst;
  report["window_cycles"] = window;
  report["bursts"] = bursts;
  report["cycles_per_burst"] = cycles_per_burst;
  report["throughput_gbps"] = gbps;
  if (facts.line_rate == LineRate::kThroughput) {
    report["line_rate_percent"] = {{"10G", gbps / kLineRateGbps * 100}};
  }
}

/// Beside the rate of uncompressed values: what the wire carries in the same time, the packets'
/// payload as it is compressed.
void add_compressed_rate(json& report, const Device::Facts& facts, const Timeline& timeline,
                         const json& sections, double clock_mhz) {
  uint64_t bytes = 0;
  if (facts.wire == WireSide::kInput) {
    bytes = timeline.sum_in<&Timeline::Port::bytes>();
  } else if (facts.wire == WireSide::kOutput) {
    bytes = timeline.sum_out<&Timeline::Port::bytes>();
  } else if (facts.wire == WireSide::kInside && sections.contains("compression")) {
    bytes = sections["compression"].value("encoded_bytes", uint64_t{0});
  }
  const uint64_t window = report.value("window_cycles", uint64_t{0});
  if (bytes == 0 || window == 0) return;
  const double gbps =
      8.0 * static_cast<double>(bytes) * clock_mhz * 1e-3 / static_cast<double>(window);
  report["wire_gbps"] = gbps;
  report["wire_line_rate_percent"] = {{"10G", gbps / kLineRateGbps * 100}};
}

/// Frames on the wire: preamble, FCS and the gap between frames counted (switch.md, section 2). Of
/// a device that compresses, the frames as they are uncompressed.
void add_wire_rate(json& report, const Device::Facts& facts, const Timeline& timeline,
                   double clock_mhz) {
  const std::vector<Timeline::Port>& ports = facts.burst_is_input ? timeline.in : timeline.out;
  uint64_t packets = 0, bytes = 0;
  for (const Timeline::Port& port : ports) {
    packets += port.packets;
    bytes += port.bytes;
  }
  const uint64_t window = Timeline::window(ports);
  if (packets == 0 || window <= 1) return;
  const double bits = 8.0 * static_cast<double>(bytes + packets * kWireOverheadBytes);
  const double ns = static_cast<double>(window) * 1e3 / clock_mhz;
  report["line_rate_percent"] = {{"10G", bits / ns / 10 * 100}, {"4x10G", bits / ns / 40 * 100}};
}

/// Of each output port, from the first measured packet to the last one: what went over the wire
/// against what could have.
void add_port_rates(json& report, const Device::Facts& facts, const Timeline& timeline,
                    double clock_mhz) {
  const Pace pace{.clock_mhz = clock_mhz};
  json rates = json::object();
  for (size_t p = 0; p < timeline.out.size(); ++p) {
    const Timeline::Port& port = timeline.out[p];
    if (port.measured < 2) continue;
    const double wire_ns =
        static_cast<double>(port.measured_bytes + (port.measured - 1) * kWireOverheadBytes) *
        pace.byte_ns();
    const double ns = static_cast<double>(port.measured_to - port.measured_from) * 1e3 / clock_mhz;
    rates[fmt::format("port{}", facts.outputs[p].slot)] = wire_ns / ns * 100;
  }
  if (!rates.empty()) report["line_rate_percent"] = rates;
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

FailureWindow FailureWindow::of(uint64_t cycle) {
  const auto at = static_cast<int64_t>(cycle);
  return {std::max<int64_t>(0, at - kReplayBefore), at + kReplayAfter};
}

std::unique_ptr<Source> open_source(const Device& device, const RunSpec& spec) {
  if (spec.stimulus.recorded == nullptr) return device.source(spec);
  return std::make_unique<RecordedSource>(spec.stimulus.recorded, device.packet_config(spec));
}

json failure_json(const Device& device, const RunSpec& spec, const Failure& f,
                  const std::string& command) {
  const double period_ns = 1e3 / spec.clock_mhz;
  const char* kind = f.kind == FailureKind::kLockstep    ? "engines disagree"
                     : f.kind == FailureKind::kReference ? "output differs from the reference"
                     : f.kind == FailureKind::kProtocol && f.channel.empty()
                         ? "AXI4-Stream rule broken"
                     : f.kind == FailureKind::kProtocol ? "AXI4-Lite rule broken"
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
  const FailureWindow window = FailureWindow::of(f.cycle);
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
  report["trace"] = from.trace;
  report["cycles"] = t.cycles;
  report["beats_in"] = t.sum_in<&Timeline::Port::beats>();
  report["beats_out"] = t.sum_out<&Timeline::Port::beats>();
  report["bytes_in"] = t.sum_in<&Timeline::Port::bytes>();
  report["bytes_out"] = t.sum_out<&Timeline::Port::bytes>();
  add_rates(report, facts, t, spec.clock_mhz);
  add_compressed_rate(report, facts, t, outcome.sections, spec.clock_mhz);
  if (facts.line_rate == LineRate::kWire) add_wire_rate(report, facts, t, spec.clock_mhz);
  if (facts.line_rate == LineRate::kPorts) add_port_rates(report, facts, t, spec.clock_mhz);
  add_latency(report, facts, t);
  report["stall_cycles"] = {{"source", t.sum_in<&Timeline::Port::environment_stalls>()},
                            {"sink", t.sum_out<&Timeline::Port::environment_stalls>()},
                            {"device", t.sum_in<&Timeline::Port::device_stalls>()}};
  if (facts.paced()) report["stall_cycles"]["wire"] = t.sum_out<&Timeline::Port::wire_stalls>();
  add_throughput_over_time(report, facts, t, spec.clock_mhz);
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
  const double loop = outcome.wall_seconds;
  report["sim"] = {{"wall_s", loop},
                   {"cycles_per_s", loop > 0 ? static_cast<double>(t.cycles) / loop : 0.0},
                   {"cycles_simulated", t.cycles - t.skipped},
                   {"cycles_skipped", t.skipped}};
  report["version"] = kVersion;
  report["tools"] = build_tools();
  report["command"] = options.command;
  const bool bound_ok = !report.contains("compression") || report["compression"]["bound_held"] ||
                        report.value("mode", "") == "paper";
  report["pass"] =
      outcome.passed && bound_ok && from.incomplete.empty() && outcome.wave_error.empty();
  if (outcome.interrupted) report["interrupted"] = true;
  if (!from.incomplete.empty()) report["incomplete"] = from.incomplete;
  if (!outcome.wave_error.empty()) report["incomplete"] = outcome.wave_error;
  if (f.kind != FailureKind::kNone) {
    report["failure"] = failure_json(device, spec, f, options.command);
    report["bucket"] = report["failure"]["bucket"];
  } else if (report.contains("incomplete")) {
    report["bucket"] = bucket_text({device.name(), rtl_of(spec), "incomplete"});
  } else if (!bound_ok) {
    report["bucket"] = bucket_text({device.name(), rtl_of(spec), "bound"});
  }
  if (spec.wave && outcome.wave_error.empty()) {
    Device::Facts shown = facts;
    if (!spec.netlist.empty()) shown.inside.clear();  // synthesis keeps few of them
    write_save_file(shown, spec.wave->path, {.model = spec.rtl && spec.model});
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
