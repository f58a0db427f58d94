// Simulator speed. Subjects take turns in one run, round after round, so that a machine whose speed
// drifts changes the figures and not their ratios; the fastest round of each counts, for what else
// works on a machine only makes it slower.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "sim/base/error.h"
#include "sim/base/version.h"
#include "sim/harness/kernel.h"
#include "sim/run/run.h"

namespace gw::sim {
namespace {

using nlohmann::json;

constexpr size_t kMinBytes = 6'400'000;  // a shorter stimulus would fit the caches and the branch
                                         // predictor
constexpr int kMinRounds = 5;
constexpr uint64_t kBenchFrames = 20'000;

struct Subject {
  BenchSubject subject;
  std::vector<Speed> rounds;

  double mcps() const { return std::ranges::max_element(rounds, {}, &Speed::mcps)->mcps(); }
};

json bench_subjects(const Device& device, Bench& bench, const BenchOptions& options) {
  Subject rtl{BenchSubject::kRtl, {}}, model{BenchSubject::kModel, {}},
      lockstep{BenchSubject::kLockstep, {}};
  const auto begin = std::chrono::steady_clock::now();
  for (int round = 0;; ++round) {
    for (Subject* subject : {&rtl, &model, &lockstep}) {
      subject->rounds.push_back(bench.pass(subject->subject));
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    if (interrupted() || (round + 1 >= kMinRounds && elapsed.count() > 3 * options.seconds)) break;
  }
  // Gates are slow: a pass of them in the time of a subject, or one that is longer.
  Subject netlist{BenchSubject::kNetlist, {}};
  const auto netlist_begin = std::chrono::steady_clock::now();
  while (!options.spec.netlist.empty() && !interrupted()) {
    netlist.rounds.push_back(bench.pass(netlist.subject));
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - netlist_begin;
    if (elapsed.count() > options.seconds) break;
  }
  // The model's bytes per cycle make its cycles comparable with what a line carries.
  const Device::Facts& facts = device.facts();
  const Bench::Amount bursts = bench.bursts();
  const double gbps = 8e-3 * model.mcps() * static_cast<double>(bursts.bytes) /
                      static_cast<double>(model.rounds.front().cycles);
  json row = {{"device", device.name()},
              {"stall", options.spec.stall.text()},
              {"rounds", rtl.rounds.size()},
              {"beats_per_round", bursts.beats},
              {"clock_10gbe_mbps", facts.line.gbps * 1e3 / (8 * facts.beat_bytes)},
              {"rtl_mcps", rtl.mcps()},
              {"model_mcps", model.mcps()},
              {"lockstep_mcps", lockstep.mcps()},
              {"ratios",
               {{"lockstep_to_rtl", lockstep.mcps() / rtl.mcps()},
                {"model_to_rtl", model.mcps() / rtl.mcps()},
                {"model_to_10gbe", gbps / facts.line.gbps}}}};
  if (!netlist.rounds.empty()) {
    row["netlist_mcps"] = netlist.mcps();
    row["ratios"]["netlist_to_rtl"] = netlist.mcps() / rtl.mcps();
  }
  return row;
}

/// The stimulus that a device is timed with: of its own, where `frames` is none of them.
std::string stimulus_of(const Device::Facts& facts, const std::string& frames) {
  const bool fits = std::ranges::any_of(
      facts.stimuli, [&](const SynthKind& kind) { return facts.frames && kind.name == frames; });
  return fits ? frames : facts.stimuli.front().name;
}

/// What the loop does at this time.
double lockstep_now(Bench& bench) {
  constexpr int kPasses = 3;
  Subject lockstep{BenchSubject::kLockstep, {}};
  for (int i = 0; i < kPasses; ++i) lockstep.rounds.push_back(bench.pass(lockstep.subject));
  return lockstep.mcps();
}

/// A run as users make it, with its stimulus, reference, scoring and report, beside its loop: it
/// has one round, and takes so long that the loop is timed anew before and after it.
void add_whole_run(json& row, const Device& device, Bench& bench, RunSpec spec,
                   const std::string& synth) {
  // Twenty million cycles of gradients; frames are few beats and dear.
  const uint64_t packets = device.facts().frames ? 50'000 : 440'000;
  spec.note = nullptr;
  spec.netlist.clear();
  spec.stimulus = {.synth = synth, .packets = packets};
  const double before = lockstep_now(bench);
  const json report = run(device, {.spec = spec, .pcap_out = "", .command = ""});
  if (interrupted()) return;  // and is half a run
  if (!report["pass"]) throw std::logic_error(device.name() + " did not pass as a whole run");
  const double cycles = report["sim"]["cycles_simulated"];
  const double mcps = cycles / report["sim"]["whole_s"].get<double>() * 1e-6;
  row["whole_mcps"] = mcps;
  row["ratios"]["whole_to_lockstep"] = 2 * mcps / (before + lockstep_now(bench));
}

/// The packets of the traces, again and again until there are enough.
ListSource enough_gradients(const Device& device, const BenchOptions& options, RunSpec spec) {
  std::vector<RawPacket> packets;
  size_t bytes = 0;
  for (const std::string& trace : options.traces) {
    spec.stimulus = {.trace = trace};
    const std::unique_ptr<Source> source = device.source(spec);
    while (std::optional<RawPacket> packet = source->next()) {
      bytes += std::max(packet->bytes.size(), packet->values.size() * 4);
      packets.push_back(std::move(*packet));
    }
    if (!source->facts().incomplete.empty()) throw InputError(source->facts().incomplete);
  }
  if (packets.empty()) throw InputError("the traces to measure with hold no marked gradients");
  const size_t once = packets.size();
  for (size_t i = 0; bytes < kMinBytes; ++i) {
    packets.push_back(packets[i % once]);
    bytes += std::max(packets.back().bytes.size(), packets.back().values.size() * 4);
  }
  return ListSource(std::move(packets));
}

}  // namespace

json bench(const BenchOptions& options) {
  json rows = json::array();
  for (const Device* const device : options.devices) {
    if (options.spec.note) {
      options.spec.note(fmt::format("{}: rtl, model and lockstep in turn{}", device->name(),
                                    options.spec.netlist.empty() ? "" : ", then the netlist"));
    }
    RunSpec spec = options.spec;
    spec.clock_mhz = device->facts().clock_mhz;
    OptionSet own(device->facts().options);
    for (const auto& [name, value] : options.spec.options.changed()) {
      if (own.knows(name)) own.set(name, value);
    }
    spec.options = std::move(own);
    std::unique_ptr<Bench> prepared;
    if (device->facts().frames) {
      spec.stimulus = {.synth = stimulus_of(device->facts(), options.frames),
                       .packets = kBenchFrames};
      const std::unique_ptr<Source> source = device->source(spec);
      prepared = device->bench(*source, spec, Kernel::instance());
    } else {
      ListSource source = enough_gradients(*device, options, spec);
      prepared = device->bench(source, spec, Kernel::instance());
    }
    json row = bench_subjects(*device, *prepared, options);
    device->describe_settings(spec, row);
    if (!interrupted()) {
      add_whole_run(row, *device, *prepared, spec, stimulus_of(device->facts(), options.frames));
    }
    if (interrupted()) {  // whatever was timed last is not whole
      if (!rows.empty()) break;
      throw UserError(kCheckFailed, "interrupted before " + device->name() + " was timed");
    }
    row["version"] = kVersion;
    row["tools"] = build_tools();
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace gw::sim
