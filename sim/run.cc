#include "sim/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "sim/compression.h"
#include "sim/error.h"
#include "sim/kernel.h"
#include "sim/packet_writer.h"
#include "sim/run_switch.h"
#include "sim/version.h"

namespace gw::sim {
namespace {

using nlohmann::json;

constexpr double kBurstBits = 256;
constexpr int kTimeBuckets = 200;       // points of throughput over time
constexpr int64_t kReplayBefore = 200;  // cycles of waveform before a divergence
constexpr int64_t kReplayAfter = 20;

struct Distribution {
  std::map<uint64_t, uint64_t> counts;
  uint64_t n = 0;
  double sum = 0;

  void add(uint64_t value) {
    ++counts[value];
    ++n;
    sum += static_cast<double>(value);
  }
  json summary() const {
    return {{"min", counts.begin()->first},
            {"mean", sum / static_cast<double>(n)},
            {"max", counts.rbegin()->first}};
  }
  json histogram() const {
    json rows = json::array();
    for (const auto& [value, count] : counts) rows.push_back({value, count});
    return rows;
  }
};

uint64_t packets_delivered(const Stimulus& stimulus, uint64_t output_beats) {
  const auto& begin = stimulus.expected.packet_begin;
  const size_t p = stimulus.expected.packet_of(output_beats);
  if (output_beats >= stimulus.expected.beats.size()) return begin.size();
  return p;
}

void add_latency(json& report, const Stimulus& stimulus, const Outcome& outcome,
                 uint64_t delivered) {
  Distribution latency, pipeline;
  for (uint64_t p = 0; p < delivered; ++p) {
    const uint64_t first = stimulus.input.packet_begin[p];
    latency.add(outcome.offer_cycles[p] - outcome.accept_cycles[first]);
    pipeline.add(outcome.offer_cycles[p] - outcome.accept_cycles[first + stimulus.trigger[p]]);
  }
  if (latency.n == 0) return;
  report["latency_cycles"] = latency.summary();
  report["pipeline_latency_cycles"] = pipeline.summary();
  report["plots"]["latency_histogram"] = latency.histogram();
  report["plots"]["pipeline_latency_histogram"] = pipeline.histogram();
}

/// Bursts per bucket of time as Gb/s. On the input side each beat's cycle is known, on the output
/// side each packet's.
void add_throughput_over_time(json& report, const StreamDevice& device, const Stimulus& stimulus,
                              const Outcome& outcome, double clock_mhz, uint64_t delivered) {
  const Counters& c = outcome.counters;
  const uint64_t bucket = std::max<uint64_t>(64, c.cycles / kTimeBuckets);
  std::vector<double> bursts(c.cycles / bucket + 1);
  if (device.burst_is_input()) {
    for (uint64_t i = 0; i < c.input_beats; ++i) ++bursts[outcome.accept_cycles[i] / bucket];
  } else {
    // A packet's bursts leave one by one from the cycle it was first offered in.
    for (uint64_t p = 0; p < delivered; ++p) {
      const uint64_t n = stimulus.expected.packet_end(p) - stimulus.expected.packet_begin[p];
      const uint64_t begin = outcome.offer_cycles[p];
      const uint64_t end = p + 1 < delivered ? outcome.offer_cycles[p + 1] : c.last_output + 1;
      for (uint64_t i = 0; i < n; ++i) {
        const uint64_t cycle = begin + (end - begin) * i / n;
        ++bursts[std::min<uint64_t>(cycle / bucket, bursts.size() - 1)];
      }
    }
  }
  // Whole buckets only: the last one would show the end of the trace as a drop.
  const uint64_t end = (device.burst_is_input() ? c.last_input : c.last_output) + 1;
  json rows = json::array();
  for (size_t b = 0; (b + 1) * bucket <= end; ++b) {
    rows.push_back(
        {b * bucket, bursts[b] * kBurstBits * clock_mhz * 1e-3 / static_cast<double>(bucket)});
  }
  report["plots"]["throughput_over_time"] = std::move(rows);
}

void add_rates(json& report, const StreamDevice& device, const Outcome& outcome, double clock_mhz) {
  const Counters& c = outcome.counters;
  const bool input = device.burst_is_input();
  const uint64_t bursts = input ? c.input_beats : c.output_beats;
  if (bursts == 0) return;
  const uint64_t window =
      input ? c.last_input - c.first_input + 1 : c.last_output - c.first_output + 1;
  const double cycles_per_burst = static_cast<double>(window) / static_cast<double>(bursts);
  const double gbps = kBurstBits * clock_mhz * 1e-3 / cycles_per_burst;
  report["window_cycles"] = window;
  report["bursts"] = bursts;
  report["cycles_per_burst"] = cycles_per_burst;
  report["throughput_gbps"] = gbps;
  report["line_rate_percent"] = {{"10G", gbps / 10 * 100}};
}

json failure_json(const StreamDevice& device, const Stimulus& stimulus, const Failure& f,
                  const RunOptions& options) {
  json failure = failure_head(device, f, options);
  json& lines = failure["lines"];
  const auto line = [&lines](const std::string& text) { lines.push_back(text); };
  const bool at_output = f.port != "s_axis";
  const BeatStream& stream = at_output ? stimulus.expected : stimulus.input;
  const uint64_t index = std::min<uint64_t>(at_output ? f.output_beats : f.input_beats,
                                            stream.beats.empty() ? 0 : stream.beats.size() - 1);
  if (!stream.beats.empty()) {
    const size_t packet = stream.packet_of(index);
    const uint32_t number =
        packet < stimulus.trace_number.size() ? stimulus.trace_number[packet] : 0;
    line(fmt::format("packet {} of the run{}, beat {} of it", packet + 1,
                     number != 0 ? fmt::format(" (packet {} of the trace)", number) : "",
                     index - stream.packet_begin[packet] + 1));
  }
  constexpr uint64_t kHistory = 4;
  line("last beats accepted on s_axis:");
  for (uint64_t i = f.input_beats - std::min(kHistory, f.input_beats); i < f.input_beats; ++i) {
    line(fmt::format("  {:>6}  {}", i, device.describe_input(stimulus, i)));
  }
  line("last beats delivered on m_axis, then the one the reference expects:");
  const uint64_t end = std::min<uint64_t>(f.output_beats + 1, stimulus.expected.beats.size());
  for (uint64_t i = f.output_beats - std::min(kHistory, f.output_beats); i < end; ++i) {
    line(fmt::format("  {:>6}{} {}", i, i == f.output_beats ? ">" : " ",
                     device.describe_output(stimulus, i)));
  }
  return failure;
}

/// What a run is fed with, gradients or frames, and the stimulus made of it.
struct Source {
  Stimulus stimulus;
  json trace;
  std::string incomplete;
  GradientSource gradients;
  FrameSource frames;
};

Source read_gradients(const StreamDevice& dut, const RunOptions& options) {
  Source source;
  GradientSource& g = source.gradients;
  g = options.trace.empty() ? synthesise(options.synth, options.spec.seed, options.packets)
                            : load_trace(options.trace, options.packets);
  if (g.packets.empty()) {
    throw InputError(g.incomplete.empty()
                         ? fmt::format("'{}' holds no packet with marked gradients: {}",
                                       options.trace, g.trace["skipped"].dump())
                         : g.incomplete);
  }
  source.stimulus = dut.stimulus(g.packets, options.spec);
  source.trace = g.trace;
  source.incomplete = g.incomplete;
  return source;
}

Source read_frames(const StreamDevice& dut, const RunOptions& options) {
  Source source;
  FrameSource& f = source.frames;
  f = load_frame_source(options);
  std::vector<std::vector<uint8_t>> bytes;
  for (const Frame& frame : f.frames) bytes.push_back(frame.bytes);
  source.stimulus = dut.stimulus_from_bytes(bytes, options.spec);
  for (size_t p = 0; p < f.frames.size(); ++p) {
    source.stimulus.trace_number[p] = f.frames[p].trace_number;
  }
  source.trace = f.trace;
  source.incomplete = f.incomplete;
  return source;
}

/// Frames on the wire: preamble, FCS and the gap between frames counted (switch.md, section 2).
void add_line_rate(json& report, const Stimulus& stimulus, const Outcome& outcome,
                   uint64_t delivered, double clock_mhz) {
  const Counters& c = outcome.counters;
  if (delivered == 0 || c.last_output <= c.first_output) return;
  const double wire_bits =
      8.0 * static_cast<double>(stimulus.expected.bytes(c.output_beats) +
                                delivered * static_cast<uint64_t>(kWireOverheadBytes));
  const double ns = static_cast<double>(c.last_output - c.first_output + 1) * 1e3 / clock_mhz;
  report["line_rate_percent"] = {{"10G", wire_bits / ns / 10 * 100},
                                 {"4x10G", wire_bits / ns / 40 * 100}};
}

json run_stream_device(const StreamDevice& dut, const RunOptions& options,
                       const std::function<void(const std::string&)>& note) {
  const RunSpec& spec = options.spec;
  const bool frames = dut.input() == Input::kFrames;
  Source source = frames ? read_frames(dut, options) : read_gradients(dut, options);
  const Stimulus& stimulus = source.stimulus;
  note(fmt::format(
      "{} packets from {}", stimulus.input.packets(),
      options.trace.empty() ? "the synthetic stimulus " + options.synth : options.trace));
  note(fmt::format("{}: {} beats in, {} beats expected", dut.name(), stimulus.input.beats.size(),
                   stimulus.expected.beats.size()));
  Kernel& kernel = Kernel::instance();
  const Outcome outcome = dut.run(stimulus, spec, kernel);
  const Counters& c = outcome.counters;
  const uint64_t delivered = packets_delivered(stimulus, c.output_beats);

  json report = report_head(dut, options);
  if (!frames) {
    report["bound"] = spec.codec.bound_exponent;
    report["mode"] = spec.codec.mode == reference::Mode::kBounded ? "bounded" : "paper";
  }
  report["trace"] = source.trace;
  report["cycles"] = c.cycles;
  report["beats_in"] = c.input_beats;
  report["beats_out"] = c.output_beats;
  report["bytes_in"] = stimulus.input.bytes(c.input_beats);
  report["bytes_out"] = stimulus.expected.bytes(c.output_beats);
  add_rates(report, dut, outcome, spec.clock_mhz);
  if (frames) add_line_rate(report, stimulus, outcome, delivered, spec.clock_mhz);
  add_latency(report, stimulus, outcome, delivered);
  report["stall_cycles"] = {
      {"source", c.source_stalls}, {"sink", c.sink_stalls}, {"device", c.device_stalls}};
  add_throughput_over_time(report, dut, stimulus, outcome, spec.clock_mhz, delivered);
  if (!frames) {
    source.gradients.packets.resize(delivered);
    add_compression(report, source.gradients.packets, spec.codec);
  }
  report.update(stimulus.findings);
  // The others are above, as the reference found them; these depend on time.
  const std::vector<std::string> names = dut.statistic_names();
  for (size_t i = 0; i < std::min(names.size(), outcome.statistics.size()); ++i) {
    if (!stimulus.expected_statistics[i]) report["counters"][names[i]] = outcome.statistics[i];
  }

  const Failure& f = outcome.failure;
  report["checks"] = {{"lockstep_cycles", c.lockstep_cycles},
                      {"lockstep_mismatches", f.kind == FailureKind::kLockstep ? 1 : 0},
                      {"reference_packets", delivered},
                      {"reference_mismatches",
                       f.kind == FailureKind::kReference || f.kind == FailureKind::kHang ? 1 : 0},
                      {"protocol_violations", f.kind == FailureKind::kProtocol ? 1 : 0}};
  report["sim"] = {
      {"wall_s", outcome.wall_seconds},
      {"cycles_per_s",
       outcome.wall_seconds > 0 ? static_cast<double>(c.cycles) / outcome.wall_seconds : 0.0}};
  report["version"] = kVersion;
  report["tools"] = build_tools();
  report["command"] = options.command;
  const bool bound_ok = !report.contains("compression") || report["compression"]["bound_held"] ||
                        spec.codec.mode == reference::Mode::kPaper;
  report["pass"] =
      outcome.passed && bound_ok && source.incomplete.empty() && outcome.wave_error.empty();
  if (outcome.interrupted) report["interrupted"] = true;
  if (!source.incomplete.empty()) report["incomplete"] = source.incomplete;
  if (!outcome.wave_error.empty()) report["incomplete"] = outcome.wave_error;
  if (f.kind != FailureKind::kNone) report["failure"] = failure_json(dut, stimulus, f, options);

  if (spec.wave && outcome.wave_error.empty()) write_save_file(dut, spec.wave->path);
  if (!options.pcap_out.empty()) {
    if (frames) {
      std::vector<Frame>& out = source.frames.frames;
      out.resize(delivered);
      for (size_t p = 0; p < delivered; ++p) {
        const uint64_t begin = stimulus.expected.packet_begin[p];
        out[p].bytes = packet_bytes(
            {stimulus.expected.beats.data() + begin, stimulus.expected.packet_end(p) - begin});
      }
      write_frames(options.pcap_out, source.frames.trace_path, out);
    } else {
      write_packets(options.pcap_out, source.gradients, stimulus.expected, delivered);
    }
  }
  return report;
}

}  // namespace

json failure_head(const Device& device, const Failure& f, const RunOptions& options) {
  const double period_ns = 1e3 / options.spec.clock_mhz;
  const char* kind = f.kind == FailureKind::kLockstep    ? "engines disagree"
                     : f.kind == FailureKind::kReference ? "output differs from the reference"
                     : f.kind == FailureKind::kProtocol  ? "AXI4-Stream rule broken"
                                                         : "the device hangs";
  json lines = json::array();
  const auto line = [&lines](const std::string& text) { lines.push_back(text); };
  line(fmt::format("cycle {} ({:.1f} ns after reset), port {}{}{}", f.cycle,
                   static_cast<double>(f.cycle) * period_ns, f.port, f.signal.empty() ? "" : "_",
                   f.signal));
  if (!f.value_a.empty()) {
    line(fmt::format("  {:<14} {}", f.engine_a, f.value_a));
    line(fmt::format("  {:<14} {}", f.engine_b, f.value_b));
  } else {
    line(fmt::format("  {}: {}", f.engine_a, f.text));
  }
  const int64_t from = std::max<int64_t>(0, static_cast<int64_t>(f.cycle) - kReplayBefore);
  return {{"kind", kind},
          {"cycle", f.cycle},
          {"headline", fmt::format("{}: {} at cycle {}", device.name(), kind, f.cycle)},
          {"lines", lines},
          {"reproduce",
           fmt::format("{} --wave divergence.fst --wave-from {} --wave-to {}", options.command,
                       from, static_cast<int64_t>(f.cycle) + kReplayAfter)}};
}

/// `what.fst` gets `what.gtkw` beside it.
void write_save_file(const Device& device, const std::string& wave) {
  std::filesystem::path path(wave);
  path.replace_extension(".gtkw");
  std::ofstream out(path);
  out << "[*] GTKWave save file of gradwire's device " << device.name() << "\n[dumpfile] \""
      << std::filesystem::absolute(wave).string() << "\"\n"
      << device.save_file();
  out.flush();
  if (!out)
    throw InputError(fmt::format("cannot write '{}': {}", path.string(), std::strerror(errno)));
}

json report_head(const Device& dut, const RunOptions& options) {
  const RunSpec& spec = options.spec;
  json report;
  report["device"] = dut.name();
  report["engines"] = json::array();
  if (spec.rtl) report["engines"].push_back("rtl");
  if (spec.model) report["engines"].push_back("model");
  report["engines"].push_back("reference");
  report["clock_mhz"] = spec.clock_mhz;
  report["seed"] = spec.seed;
  report["stall"] = spec.stall.text();
  return report;
}

FrameSource load_frame_source(const RunOptions& options) {
  FrameSource source = options.trace.empty() ? synthesise_frames(options.synth, options.spec.seed,
                                                                 options.packets, options.traffic)
                                             : load_frames(options.trace, options.packets);
  if (source.frames.empty()) {
    throw InputError(source.incomplete.empty()
                         ? fmt::format("'{}' holds no Ethernet frame", options.trace)
                         : source.incomplete);
  }
  return source;
}

json run(const RunOptions& options, const std::function<void(const std::string&)>& note) {
  const Device& dut = device(options.device);
  dut.check(options.spec);
  if (const SwitchDevice* ports = dut.ports()) return run_switch(*ports, options, note);
  return run_stream_device(*dut.stream(), options, note);
}

int exit_code(const nlohmann::json& report) {
  if (report.contains("incomplete")) return kBadInput;
  return report.value("pass", false) ? kPass : kCheckFailed;
}

}  // namespace gw::sim
