// Simulator speed. Subjects take turns in one run, round after round, so that a machine whose speed
// drifts changes the figures and not their ratios; the median round counts.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "models/reference/codec_benchmark.h"
#include "sim/error.h"
#include "sim/kernel.h"
#include "sim/run.h"
#include "sim/run_switch.h"
#include "sim/version.h"

namespace gw::sim {
namespace {

using nlohmann::json;

constexpr double k10GbeMbps = 39.0625;  // 10 Gb/s in bursts of 256 bits
constexpr size_t kMinBeats =
    200'000;  // a shorter stimulus would fit the caches and the branch predictor
constexpr int kMinRounds = 5;

struct Subject {
  const char* name;
  BenchSubject subject;
  std::vector<Speed> rounds;

  double median() const {
    std::vector<double> mcps;
    for (const Speed& speed : rounds) mcps.push_back(speed.mcps());
    std::nth_element(mcps.begin(), mcps.begin() + static_cast<ptrdiff_t>(mcps.size() / 2),
                     mcps.end());
    return mcps[mcps.size() / 2];
  }
};

/// Frames of a device that is fed with them: the line-rate stream of full gradient frames.
constexpr uint64_t kBenchFrames = 20'000;

/// Subjects in turn, round after round; `once` passes the stimulus through one of them.
json bench_subjects(const Device& dut, const BenchOptions& options, uint64_t bursts,
                    const std::function<Speed(BenchSubject)>& once) {
  Subject rtl{"rtl", BenchSubject::kRtl, {}}, model{"model", BenchSubject::kModel, {}},
      lockstep{"lockstep", BenchSubject::kLockstep, {}};
  const auto begin = std::chrono::steady_clock::now();
  for (int round = 0;; ++round) {
    for (Subject* subject : {&rtl, &model, &lockstep}) {
      subject->rounds.push_back(once(subject->subject));
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    if (interrupted() || (round + 1 >= kMinRounds && elapsed.count() > 3 * options.seconds)) break;
  }
  // The model's bursts per cycle make its cycles comparable with a link's bursts.
  const double bursts_per_cycle =
      static_cast<double>(bursts) / static_cast<double>(model.rounds.front().cycles);
  return {{"device", dut.name()},
          {"stall", options.spec.stall.text()},
          {"rounds", rtl.rounds.size()},
          {"beats_per_round", bursts},
          {"clock_10gbe_mbps", k10GbeMbps},
          {"rtl_mcps", rtl.median()},
          {"model_mcps", model.median()},
          {"lockstep_mcps", lockstep.median()},
          {"ratios",
           {{"lockstep_to_rtl", lockstep.median() / rtl.median()},
            {"model_to_rtl", model.median() / rtl.median()},
            {"model_to_10gbe", model.median() * bursts_per_cycle / k10GbeMbps}}}};
}

json bench_stream(const StreamDevice& dut, const Stimulus& stimulus, const BenchOptions& options) {
  const uint64_t bursts =
      dut.burst_is_input() ? stimulus.input.beats.size() : stimulus.expected.beats.size();
  return bench_subjects(dut, options, bursts, [&](BenchSubject subject) {
    return dut.bench(subject, stimulus, options.spec, Kernel::instance());
  });
}

json bench_frames(const StreamDevice& dut, const BenchOptions& options) {
  const FrameSource source = synthesise_frames("gradient-192", options.spec.seed, kBenchFrames, {});
  std::vector<std::vector<uint8_t>> frames;
  for (const Frame& frame : source.frames) frames.push_back(frame.bytes);
  return bench_stream(dut, dut.stimulus_from_bytes(frames, options.spec), options);
}

json bench_switch(const SwitchDevice& dut, const BenchOptions& options) {
  const FrameSource source = synthesise_frames("gradient-192", options.spec.seed, kBenchFrames, {});
  const SwitchStimulus stimulus = switch_stimulus(source.frames, dut.clock_mhz());
  uint64_t beats = 0;
  for (const SwitchStimulus::Port& port : stimulus.ports) beats += port.input.beats.size();
  return bench_subjects(dut, options, beats, [&](BenchSubject subject) {
    return dut.bench(subject, stimulus, options.spec, Kernel::instance());
  });
}

}  // namespace

json bench(const BenchOptions& options, const std::function<void(const std::string&)>& note) {
  std::vector<GradientPacket> packets;
  for (const std::string& trace : options.traces) {
    GradientSource source = load_trace(trace, 0);
    if (!source.incomplete.empty()) throw InputError(source.incomplete);
    packets.insert(packets.end(), source.packets.begin(), source.packets.end());
  }
  if (packets.empty()) throw InputError("the traces to measure with hold no marked gradients");
  size_t beats = 0;
  for (const GradientPacket& packet : packets)
    beats += (packet.values.size() + kLanes - 1) / kLanes;
  const size_t once = packets.size();
  for (size_t i = 0; beats < kMinBeats; ++i) {
    packets.push_back(packets[i % once]);
    beats += (packets.back().values.size() + kLanes - 1) / kLanes;
  }

  json rows = json::array();
  for (const auto& dut : devices()) {
    if (!options.device.empty() && dut->name() != options.device) continue;
    note(fmt::format("{}: rtl, model and lockstep in turn", dut->name()));
    BenchOptions device_options = options;
    device_options.spec.clock_mhz = dut->clock_mhz();
    dut->check(device_options.spec);
    if (const SwitchDevice* ports = dut->ports()) {
      rows.push_back(bench_switch(*ports, device_options));
    } else if (dut->input() == Input::kFrames) {
      rows.push_back(bench_frames(*dut->stream(), device_options));
    } else {
      rows.push_back(bench_stream(*dut->stream(), dut->stream()->stimulus(packets, options.spec),
                                  device_options));
    }
  }
  note("reference codec beside memcpy");
  std::vector<float> values;
  for (const GradientPacket& packet : packets) {
    for (const uint32_t bits : packet.values) values.push_back(std::bit_cast<float>(bits));
  }
  const reference::CodecBenchmark codec = reference::benchmark_codec(values, options.spec.codec);
  for (json& row : rows) {
    row["codec"] = {
        {"implementation", codec.implementation},     {"memcpy_gbps", 8 * codec.memcpy_gbps},
        {"encode_gbps", 8 * codec.encode_gbps},       {"decode_gbps", 8 * codec.decode_gbps},
        {"encode_to_memcpy", codec.encode_to_memcpy}, {"decode_to_memcpy", codec.decode_to_memcpy}};
    row["version"] = kVersion;
    row["tools"] = build_tools();
  }
  return rows.size() == 1 ? rows.front() : rows;
}

}  // namespace gw::sim
