#include "sim/run_switch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/error.h"
#include "sim/kernel.h"
#include "sim/packet_writer.h"
#include "sim/version.h"

namespace gw::sim {
namespace {

using nlohmann::json;

/// 10GbE of a port's output, from the first measured frame to the last one: what went over the
/// wire, preamble, FCS and gap counted, against what could have.
json line_rates(const SwitchStimulus& stimulus, const SwitchOutcome& outcome, double clock_mhz) {
  json rates = json::object();
  for (int p = 0; p < kPorts; ++p) {
    const Delivery *first = nullptr, *last = nullptr;
    double wire_ns = 0;
    for (const Delivery& d : outcome.deliveries) {
      if (d.port != p || !stimulus.frames[d.frame].measured) continue;
      if (last != nullptr) wire_ns += (last->bytes + kWireOverheadBytes) * kByteNs;
      if (first == nullptr) first = &d;
      last = &d;
    }
    if (first == nullptr || first == last) continue;
    const double ns = static_cast<double>(last->first - first->first) * 1e3 / clock_mhz;
    rates[fmt::format("port{}", p)] = wire_ns / ns * 100;
  }
  return rates;
}

json ports_json(const SwitchStimulus& stimulus, const SwitchOutcome& outcome) {
  json rows = json::array();
  for (int p = 0; p < kPorts; ++p) {
    const auto port = static_cast<size_t>(p);
    uint64_t frames = 0, bytes = 0;
    for (const Delivery& d : outcome.deliveries) {
      if (d.port != p) continue;
      ++frames;
      bytes += d.bytes;
    }
    rows.push_back({{"port", p},
                    {"frames_in", stimulus.ports[port].input.packets()},
                    {"rx_dropped", outcome.rx_dropped[port]},
                    {"frames_out", frames},
                    {"bytes_out", bytes},
                    {"tx_dropped", outcome.tx_dropped[port]}});
  }
  return rows;
}

}  // namespace

SwitchStimulus switch_stimulus(const std::vector<Frame>& frames, double clock_mhz) {
  SwitchStimulus stimulus;
  const double cycles_per_ns = clock_mhz * 1e-3;
  for (const Frame& frame : frames) {
    SwitchStimulus::Port& port = stimulus.ports[static_cast<size_t>(frame.port)];
    port.frame.push_back(static_cast<uint32_t>(stimulus.frames.size()));
    stimulus.frames.push_back(
        {.port = frame.port, .trace_number = frame.trace_number, .measured = frame.measured});
    port.input.append_bytes(frame.bytes);
    for (size_t at = 0; at < frame.bytes.size(); at += kBeatBytes) {
      const size_t arrived = kPreambleBytes + std::min(at + kBeatBytes, frame.bytes.size());
      const double ns = static_cast<double>(frame.time_ns) + static_cast<double>(arrived) * kByteNs;
      port.earliest.push_back(static_cast<uint64_t>(std::ceil(ns * cycles_per_ns)));
    }
  }
  return stimulus;
}

json run_switch(const SwitchDevice& dut, const RunOptions& options,
                const std::function<void(const std::string&)>& note) {
  const RunSpec& spec = options.spec;
  FrameSource source = load_frame_source(options);
  // The first frame of a capture comes at once, whatever the clock said.
  int64_t begin = source.frames.front().time_ns;
  for (const Frame& frame : source.frames) begin = std::min(begin, frame.time_ns);
  for (Frame& frame : source.frames) frame.time_ns -= begin;
  const SwitchStimulus stimulus = switch_stimulus(source.frames, spec.clock_mhz);
  note(fmt::format(
      "{} frames from {}", stimulus.frames.size(),
      options.trace.empty() ? "the synthetic stimulus " + options.synth : options.trace));
  const SwitchOutcome outcome =
      dut.run(stimulus, spec, Kernel::instance(), !options.pcap_out.empty());

  json report = report_head(dut, options);
  report["trace"] = source.trace;
  report["cycles"] = outcome.cycles;
  uint64_t beats_in = 0, beats_out = 0, bytes_in = 0, bytes_out = 0;
  for (size_t p = 0; p < kPorts; ++p) {
    beats_in += outcome.input_beats[p];
    beats_out += outcome.output_beats[p];
    bytes_in += stimulus.ports[p].input.bytes(outcome.input_beats[p]);
  }
  for (const Delivery& d : outcome.deliveries) bytes_out += d.bytes;
  report["beats_in"] = beats_in;
  report["beats_out"] = beats_out;
  report["bytes_in"] = bytes_in;
  report["bytes_out"] = bytes_out;
  const json rates = line_rates(stimulus, outcome, spec.clock_mhz);
  if (!rates.empty()) report["line_rate_percent"] = rates;

  std::map<uint64_t, uint64_t> latency;
  double sum = 0;
  for (const Delivery& d : outcome.deliveries) {
    const uint64_t cycles = d.offered - outcome.accepted[d.frame];
    ++latency[cycles];
    sum += static_cast<double>(cycles);
  }
  if (!latency.empty()) {
    report["latency_cycles"] = {{"min", latency.begin()->first},
                                {"mean", sum / static_cast<double>(outcome.deliveries.size())},
                                {"max", latency.rbegin()->first}};
    json histogram = json::array();
    for (const auto& [cycles, n] : latency) histogram.push_back({cycles, n});
    report["plots"]["latency_histogram"] = std::move(histogram);
  }
  report["ports"] = ports_json(stimulus, outcome);
  report.update(outcome.findings);
  const std::vector<std::string> names = dut.statistic_names();
  for (size_t i = 0; i < std::min(names.size(), outcome.statistics.size()); ++i) {
    // The others are above, as the reference found them, or in the table of ports.
    if (names[i].ends_with("_cycles")) report["counters"][names[i]] = outcome.statistics[i];
  }

  const Failure& f = outcome.failure;
  report["checks"] = {{"lockstep_cycles", outcome.lockstep_cycles},
                      {"lockstep_mismatches", f.kind == FailureKind::kLockstep ? 1 : 0},
                      {"reference_packets", outcome.deliveries.size()},
                      {"reference_mismatches",
                       f.kind == FailureKind::kReference || f.kind == FailureKind::kHang ? 1 : 0},
                      {"protocol_violations", f.kind == FailureKind::kProtocol ? 1 : 0}};
  report["sim"] = {{"wall_s", outcome.wall_seconds},
                   {"cycles_per_s", outcome.wall_seconds > 0
                                        ? static_cast<double>(outcome.cycles) / outcome.wall_seconds
                                        : 0.0}};
  report["version"] = kVersion;
  report["tools"] = build_tools();
  report["command"] = options.command;
  report["pass"] = outcome.passed && source.incomplete.empty() && outcome.wave_error.empty();
  if (outcome.interrupted) report["interrupted"] = true;
  if (!source.incomplete.empty()) report["incomplete"] = source.incomplete;
  if (!outcome.wave_error.empty()) report["incomplete"] = outcome.wave_error;
  if (f.kind != FailureKind::kNone) {
    report["failure"] = failure_head(dut, f, options);
    const size_t n = outcome.deliveries.size();
    report["failure"]["lines"].push_back("frames delivered last (port, number in the run, bytes):");
    for (size_t i = n - std::min<size_t>(n, 4); i < n; ++i) {
      const Delivery& d = outcome.deliveries[i];
      report["failure"]["lines"].push_back(fmt::format("  port {}  frame {}  {} bytes, cycle {}",
                                                       d.port, d.frame + 1, d.bytes, d.last));
    }
  }
  if (spec.wave && outcome.wave_error.empty()) write_save_file(dut, spec.wave->path);
  if (!options.pcap_out.empty()) {
    std::vector<Frame> out;
    for (size_t i = 0; i < outcome.delivered_bytes.size(); ++i) {
      const Delivery& d = outcome.deliveries[i];
      out.push_back(
          {.bytes = outcome.delivered_bytes[i],
           .port = d.port,
           .time_ns = begin + std::llround(static_cast<double>(d.first) * 1e3 / spec.clock_mhz)});
    }
    write_frames(options.pcap_out, source.trace_path, out);
  }
  return report;
}

}  // namespace gw::sim
