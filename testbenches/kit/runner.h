// What every device does with its engines: builds them as the run wants them, drives them, measures
// them. A device adds its facts, its model, its oracle and its words.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/error.h"
#include "sim/base/interrupt.h"
#include "sim/coverage/streams.h"
#include "sim/harness/any_engine.h"
#include "sim/harness/control_master.h"
#include "sim/harness/kernel.h"
#include "sim/harness/lockstep.h"
#include "sim/run/device.h"
#include "sim/run/run.h"
#include "testbenches/kit/compiled_rtl.h"
#include "testbenches/kit/packet_pins.h"
#include "testbenches/kit/recorder.h"
#include "testbenches/kit/rtl_engine.h"
#include "testbenches/kit/wave.h"

namespace gw::testbenches {

/// Scores what has left, for sections of the report that only one family of devices has.
template <class Beat>
class Score : public sim::Listener<Beat> {
 public:
  virtual void report(nlohmann::json& sections) const = 0;
};

/// Host software: what drives the control ports of a run, and may hold packets back for it.
template <class Beat>
class Host : public sim::ControlFeed {
 public:
  /// The packets as they go in.
  virtual sim::Feed<Beat>& feed(sim::Feed<Beat>& packets) { return packets; }
  /// No packet goes in before this is so.
  virtual bool booted() const { return true; }
  /// The run is over, and has passed; what it has to say goes into the report. Throws UserError.
  virtual void passed(nlohmann::json& /*sections*/) {}
  /// The device's counters, if it has read them.
  virtual std::vector<uint32_t> statistics() const { return {}; }
};

/// Makes the same host for each run of the same packets.
template <class Beat>
using MakeHost = std::function<std::unique_ptr<Host<Beat>>()>;

/// Lets a host boot an engine with nothing else in the loop. The oracle, if there is one, hears of
/// it.
template <sim::Engine E, class Beat = typename E::Ports::Beat>
void boot_by_host(E& engine, Host<Beat>& host, sim::Oracle<Beat>* oracle = nullptr) {
  using Ports = typename E::Ports;
  if constexpr (sim::kControlsOf<Ports> != 0) {
    sim::ControlMaster master(0, Ports::kControls[0], 0, {}, 0);
    master.follow(host);
    master.ask(0);
    for (uint64_t cycle = 0; !host.booted(); ++cycle) {
      if (master.decide(cycle, 0, [] { return true; })) engine.drive(0, master.request());
      sim::settle_engine(engine, {}, 0);
      const auto heard = master.hear(engine.control(0), cycle);
      if (heard.write_answered && oracle != nullptr) {
        oracle->configured(0, master.write().address, master.write().data);
      }
      if (heard.moved) master.finish(heard, cycle);
      engine.clock({}, 0);
    }
    engine.drive(0, {});
  }
}

/// Tells every so often how far a run has come.
class Told final : public sim::Steppable {
 public:
  Told(sim::Steppable& run, std::function<void()> tell) : run_(run), tell_(std::move(tell)) {}
  bool advance(uint64_t n) override {
    const bool more = run_.advance(n);
    since_ += n;
    if (since_ >= kCycles) {
      since_ = 0;
      tell_();
    }
    return more;
  }

 private:
  static constexpr uint64_t kCycles = uint64_t{1} << 17;
  sim::Steppable& run_;
  std::function<void()> tell_;
  uint64_t since_ = 0;
};

/// The packets that a time-independent oracle owes for a prepared feed, worked out beforehand, so
/// that a benchmark times the simulation and not the reference.
template <class Beat>
class RecordedOracle final : public sim::Oracle<Beat> {
 public:
  RecordedOracle(sim::Oracle<Beat>& oracle, const sim::PreparedFeed<Beat>& feed, size_t inputs,
                 size_t outputs)
      : outputs_(outputs) {
    for (size_t p = 0; p < inputs; ++p) {
      for (const auto& packet : feed.packets(p)) {
        oracle.arrives(p, packet);
        for (size_t o = 0; o < outputs; ++o) {
          while (auto owed = oracle.next(o)) outputs_[o].owed.push_back(std::move(owed));
        }
      }
    }
    statistics_ = oracle.statistics();
  }
  void rewind() {
    for (Output& output : outputs_) output.next = 0;
  }
  const std::vector<sim::PacketRef<Beat>>& owed(size_t port) const { return outputs_[port].owed; }

  void arrives(size_t, const sim::PacketRef<Beat>&) override {}
  sim::PacketRef<Beat> next(size_t port) override {
    Output& output = outputs_[port];
    sim::fetch_ahead(output.owed, output.next + 1);
    return output.next < output.owed.size() ? output.owed[output.next++] : nullptr;
  }
  sim::PacketRef<Beat> peek(size_t port) const override {
    const Output& output = outputs_[port];
    return output.next < output.owed.size() ? output.owed[output.next] : nullptr;
  }
  bool quiet() const override {
    for (const Output& output : outputs_) {
      if (output.next < output.owed.size()) return false;
    }
    return true;
  }
  std::vector<std::optional<uint32_t>> statistics() const override { return statistics_; }

 private:
  struct Output {
    std::vector<sim::PacketRef<Beat>> owed;
    size_t next = 0;
  };
  std::vector<Output> outputs_;
  std::vector<std::optional<uint32_t>> statistics_;
};

/// The beats of prepared packets in a row, so that an engine waits for itself and not for memory,
/// and what must come of them.
template <class P>
struct BareStimulus {
  using Beat = typename P::Beat;
  using Sum = std::array<uint64_t, sizeof(Beat::data) / 4>;

  [[gnu::cold]] BareStimulus(const sim::PreparedFeed<Beat>& feed,
                             const RecordedOracle<Beat>& oracle) {
    for (size_t p = 0; p < input.size(); ++p) {
      for (const auto& packet : feed.packets(p)) {
        begins[p].push_back({input[p].size(), packet->config});
        input[p].insert(input[p].end(), packet->beats.begin(), packet->beats.end());
      }
      inputs += input[p].size();
      begins[p].push_back({SIZE_MAX, {}});
    }
    for (size_t p = 0; p < sim::kOutputsOf<P>; ++p) {
      for (const auto& packet : oracle.owed(p)) {
        outputs += packet->beats.size();
        for (const Beat& beat : packet->beats) add(expected, beat);
      }
    }
  }
  static void add(Sum& sum, const Beat& beat) {
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += beat.data[i];
    sum[0] += beat.keep;
  }

  /// A packet: the place of its first beat, and its pins.
  struct Begin {
    size_t beat;
    sim::PacketConfig config;
  };
  std::array<std::vector<Beat>, sim::kInputsOf<P>> input;
  std::array<std::vector<Begin>, sim::kInputsOf<P>> begins;
  uint64_t inputs = 0, outputs = 0;
  Sum expected{};
};

/// Passes them through one engine with nothing else in the loop, and proves by a checksum that it
/// worked. For devices whose ports have no pace.
template <sim::Engine E>
sim::Speed bare_pass(E& engine, const BareStimulus<typename E::Ports>& stimulus,
                     const sim::Boot& boot, const MakeHost<typename E::Ports::Beat>& host,
                     const std::string& name) {
  using Ports = typename E::Ports;
  using Beat = typename Ports::Beat;
  constexpr size_t kIn = sim::kInputsOf<Ports>, kOut = sim::kOutputsOf<Ports>;
  const auto& input = stimulus.input;
  const uint64_t inputs = stimulus.inputs, outputs = stimulus.outputs;
  typename BareStimulus<Ports>::Sum seen{};
  engine.reset();
  sim::boot_engine(engine, boot);
  if (host) boot_by_host(engine, *host());
  constexpr bool kConfigured = requires { engine.configure(0, sim::PacketConfig{}); };
  std::array<const typename BareStimulus<Ports>::Begin*, kIn> begins;
  for (size_t p = 0; p < kIn; ++p) begins[p] = stimulus.begins[p].data();
  constexpr uint32_t kAllReady = static_cast<uint32_t>((uint64_t{1} << kOut) - 1);
  const uint64_t limit = 100 * (inputs + outputs) + 100'000;
  std::array<size_t, kIn> at{};
  uint64_t in = 0, out = 0, cycles = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (; (out < outputs || in < inputs) && cycles < limit; ++cycles) {
    sim::Offered<Ports> offered;
    for (size_t p = 0; p < kIn; ++p) {
      offered[p] = at[p] < input[p].size() ? &input[p][at[p]] : nullptr;
      if constexpr (kConfigured) {
        if (at[p] == begins[p]->beat) [[unlikely]]
          engine.configure(p, begins[p]++->config);
      }
    }
    sim::settle_engine(engine, offered, kAllReady);
    const uint32_t s_ready = engine.s_ready();
    for (size_t p = 0; p < kIn; ++p) {
      const bool taken = offered[p] != nullptr && (s_ready >> p & 1) != 0;
      at[p] += taken;
      in += taken;
    }
    for (size_t p = 0; p < kOut; ++p) {
      if (const Beat* const m = engine.m_beat(p)) {
        stimulus.add(seen, *m);
        ++out;
      }
    }
    engine.clock(offered, kAllReady);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  if (out != outputs || in != inputs || seen != stimulus.expected) {
    throw std::logic_error(
        fmt::format("{} alone delivered {} of {} beats, or wrong ones", name, out, outputs));
  }
  return {.cycles = cycles, .seconds = seconds.count()};
}

/// What a run is made of beside its engines.
template <class P>
struct Setting {
  using Beat = typename P::Beat;

  const sim::RunSpec& spec;
  sim::Drive drive;
  std::string name_a, name_b;
  sim::Feed<Beat>& feed;
  sim::Oracle<Beat>& oracle;
  sim::Listener<Beat>* listener;
  typename sim::Course<P>::Describe describe;
  Host<Beat>* host;       ///< or null
  Recorder<P>* recorder;  ///< or null
  sim::Kernel& kernel;
  std::function<uint64_t()> expected;  ///< packets, for who watches the progress
  std::function<void()> fails;         ///< called at a failure that is shown for some cycles more
};

/// Ends a run after so many cycles, wherever it is.
class CutShort final : public sim::Steppable {
 public:
  CutShort(sim::Steppable& run, uint64_t cycles) : run_(run), left_(cycles) {}
  bool advance(uint64_t n) override {
    const uint64_t some = std::min(n, left_);
    left_ -= some;
    return run_.advance(some) && left_ != 0;
  }

 private:
  sim::Steppable& run_;
  uint64_t left_;
};

/// What a packet writer gets only for some time.
class Gate final : public sim::PacketWriter {
 public:
  explicit Gate(sim::PacketWriter& to) : to_(to) {}
  void open() { open_ = true; }
  void shut() { open_ = false; }
  void write(const sim::Passage& passage, const std::vector<uint8_t>& bytes) override {
    if (open_) to_.write(passage, bytes);
  }
  void close() override { to_.close(); }

 private:
  sim::PacketWriter& to_;
  bool open_ = false;
};

/// Cycles of a run from its reset on, for what they leave behind in the engines. False: something
/// failed in them, or Ctrl-C.
template <class P>
bool disturb(const Setting<P>& s, sim::Course<P>& run, sim::Outcome& outcome) {
  run.describe_with(s.describe);
  if (s.host != nullptr) run.control_with(*s.host);
  run.reset();
  CutShort some(run, s.spec.reset_after);
  Told told(some, [&] {
    if (s.spec.progress) s.spec.progress(run.now(), run.timeline().packets_out(), s.expected());
  });
  outcome.interrupted = !s.kernel.run(told, s.spec.clock_mhz);
  outcome.failure = run.failure();
  return !outcome.interrupted && outcome.failure.kind == sim::FailureKind::kNone;
}

/// A run from its reset to its figures. `counted` adds what the engine has counted of itself.
template <class P>
void follow(const Setting<P>& s, sim::Course<P>& run, sim::Outcome& outcome,
            const std::function<void()>& counted) {
  // Takes figures when the run fails: cycles shown after the failure do not count.
  bool told = false;
  run.failing_with([&] {
    told = true;
    outcome.timeline = run.timeline();
    outcome.statistics = run.statistics();
    counted();
    if (s.fails) s.fails();
  });
  run.describe_with(s.describe);
  run.timeline().keep_rows = s.spec.keep_rows;
  run.observe_with(s.recorder);
  if (s.host != nullptr) run.control_with(*s.host);
  run.reset();
  const auto begin = std::chrono::steady_clock::now();
  if (s.spec.progress) {
    Told told(run, [&] { s.spec.progress(run.now(), run.timeline().packets_out(), s.expected()); });
    outcome.interrupted = !s.kernel.run(told, s.spec.clock_mhz);
  } else {
    outcome.interrupted = !s.kernel.run(run, s.spec.clock_mhz);
  }
  outcome.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  outcome.passed = run.passed();
  outcome.failure = run.failure();
  if (!told) {
    outcome.statistics = run.statistics();
    counted();
  }
  if (s.recorder != nullptr) {
    s.recorder->bench().finish(run.passed() ? std::span<const uint32_t>(outcome.statistics)
                                            : std::span<const uint32_t>());
  }
  if (s.host != nullptr && run.passed()) {
    s.host->passed(outcome.sections);
    if (auto counters = s.host->statistics(); !counters.empty()) outcome.statistics = counters;
  }
  if (!told) outcome.timeline = std::move(run.timeline());
}

/// P: the ports (sim/harness/engine.h). M: the model as an engine. R: the RTL as an engine.
template <class P, class M, class R = RtlEngine<P>>
class DeviceOf : public sim::Device {
 public:
  using Beat = typename P::Beat;
  static constexpr size_t kIn = sim::kInputsOf<P>, kOut = sim::kOutputsOf<P>;

  const Facts& facts() const final { return facts_; }

  [[gnu::cold]] sim::Outcome run(sim::Source& source, const sim::RunSpec& given,
                                 sim::Kernel& kernel, sim::PacketWriter* writer) const override {
    check(given);
    sim::RunSpec spec = given;
    std::optional<Gate> wire;  // what passes between engines before and after the run is none of it
    if (spec.wire_writer != nullptr) {
      spec.wire_writer = &wire.emplace(*given.wire_writer);
    }
    std::optional<sim::Pace> pace;
    if (kPaced) pace = pace_of(spec);
    sim::LookAhead packets(source);
    const MakeHost<Beat> host = this->host(spec, packets);
    sim::SourceFeed<Beat> feed(packets, kIn, pace, P::kInputs[0].error_bit, packet_config(spec));
    const auto oracle = this->oracle(spec);
    // A recorded stimulus is a part of one: there is nothing to measure in it.
    const auto score = spec.stimulus.recorded == nullptr ? this->score(spec) : nullptr;
    Tee listener(score.get(), writer);
    sim::Outcome outcome;
    // Opened before anything runs, closed however the run ends.
    std::optional<Wave> wave;
    if (spec.wave) wave.emplace(*spec.wave);
    Driven driven{.spec = spec,
                  .kernel = kernel,
                  .host = host,
                  .feed = feed,
                  .oracle = *oracle,
                  .listener = &listener,
                  .expected = [&source] { return source.expected(); },
                  .begins =
                      [&wire] {
                        if (wire) wire->open();
                      },
                  .fails =
                      [&wire] {
                        if (wire) wire->shut();
                      }};
    bool begun = true;
    if (!spec.rtl) {
      const auto model = this->model(spec);
      begun = drive(*model, {}, "model", "", driven, outcome);
    } else {
      const auto begin = std::chrono::steady_clock::now();
      const std::unique_ptr<R> rtl = this->rtl(compile(spec, wave.has_value()), spec);
      outcome.build_seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      R& engine = *rtl;
      driven.begins = [&] {
        if (wire) wire->open();
        if (wave) wave->begin(engine, *spec.wave, spec.clock_mhz);
      };
      if (spec.against) {
        const std::unique_ptr<R> other = this->rtl(compile(against(spec), false), spec);
        outcome.build_seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        begun = drive(engine, *other, spec.user_rtl.name(facts_.top),
                      spec.against->name(facts_.top), driven, outcome);
      } else if (spec.model) {
        const auto model = this->model(spec);
        begun = drive(engine, *model, "rtl", "model", driven, outcome);
      } else {
        begun = drive(engine, {}, "rtl", "", driven, outcome);
      }
      if (wave && begun) outcome.wave_error = wave->end(engine);
    }
    if (!begun) {
      wave.reset();
      return run_without_before(packets, given, kernel, writer, std::move(outcome));
    }
    outcome.expected_statistics = oracle->statistics();
    outcome.sections.update(oracle->findings());
    if (score != nullptr) score->report(outcome.sections);
    return outcome;
  }

  [[gnu::cold]] std::unique_ptr<sim::Bench> bench(sim::Source& source, const sim::RunSpec& spec,
                                                  sim::Kernel& kernel) const override {
    check(spec);
    return std::make_unique<BenchOf>(*this, source, spec, kernel);
  }

  [[gnu::cold]] sim::MutantList mutants(const sim::RunSpec& spec) const override {
    if constexpr (std::is_same_v<R, RtlEngine<P>>) {
      check(spec);
      return mutant_list(compile(spec, false).front());
    } else {
      return sim::Device::mutants(spec);
    }
  }

 protected:
  [[gnu::cold]] explicit DeviceOf(Facts facts) : facts_(std::move(facts)) {
    facts_.inputs.assign(P::kInputs.begin(), P::kInputs.end());
    facts_.outputs.assign(P::kOutputs.begin(), P::kOutputs.end());
    if constexpr (sim::kControlsOf<P> != 0) {
      facts_.controls.assign(P::kControls.begin(), P::kControls.end());
    }
    facts_.beat_bytes = Beat::kBytes;
    if constexpr (sim::kPinsGoWithPackets<P>) {
      facts_.pins = sim::whole_pins(P::kPinsOfPacket);
    }
    if constexpr (requires { P::kPinsOfProbe; }) {
      facts_.probe.assign(P::kPinsOfProbe.begin(), P::kPinsOfProbe.end());
    }
  }

  // What a device adds.
  virtual std::unique_ptr<M> model(const sim::RunSpec& spec) const = 0;
  virtual std::unique_ptr<sim::Oracle<Beat>> oracle(const sim::RunSpec& spec) const = 0;
  virtual std::unique_ptr<Score<Beat>> score(const sim::RunSpec&) const { return nullptr; }
  /// What is counted for `--coverage functional`, beside what is of all streams.
  virtual std::unique_ptr<sim::coverage::Family<Beat>> coverage(const sim::RunSpec&) const {
    return std::make_unique<sim::coverage::Family<Beat>>();
  }
  virtual sim::Boot boot(const sim::RunSpec&) const { return {}; }
  /// Who drives its control ports, and may look at what is to come; empty: nobody.
  virtual MakeHost<Beat> host(const sim::RunSpec&, sim::LookAhead&) const { return {}; }
  /// Pins that go with each packet; null: there are none.
  virtual const PinFacts* pin_facts() const { return nullptr; }
  /// Those of the spec's packets.
  PacketPins packet_pins(const sim::RunSpec& spec) const {
    return {pin_facts(), spec, packet_config(spec)};
  }
  /// The run whose traffic the reset of `--reset-after` meets: set otherwise, where that needs no
  /// other RTL. Packets have other pins anyway.
  virtual sim::RunSpec unlike(const sim::RunSpec& spec) const { return spec; }
  /// Pins that are set once.
  virtual std::vector<std::pair<std::string, uint64_t>> pins(const sim::RunSpec&) const {
    return {};
  }
  /// The RTL, compiled: one, unless the device is made of several.
  virtual std::vector<CompiledRtl> compile(const sim::RunSpec& spec, bool traced) const {
    return {compile_rtl(facts_, parameters(spec), spec, traced)};
  }
  virtual std::unique_ptr<R> rtl(const std::vector<CompiledRtl>& compiled,
                                 const sim::RunSpec& spec) const {
    if constexpr (std::is_same_v<R, RtlEngine<P>>) {
      auto engine = std::make_unique<R>(compiled.front(), spec.seed);
      for (const auto& [pin, value] : pins(spec)) engine->set(pin, value);
      if (spec.mutant.count != 0) engine->set(kMutantPin, spec.mutant.number);
      return engine;
    } else {
      throw std::logic_error(facts_.name + " does not say what its RTL is made of");
    }
  }
  /// A beat in words.
  virtual std::string describe(bool input, size_t port, const sim::Packet<Beat>& packet,
                               size_t beat) const = 0;

 private:
  class Tee final : public sim::Listener<Beat> {
   public:
    Tee(Score<Beat>* score, sim::PacketWriter* writer) : score_(score), writer_(writer) {}
    void left(const sim::Passage& passage, const sim::Packet<Beat>& packet) override {
      if (score_ != nullptr) score_->left(passage, packet);
      if (writer_ != nullptr) writer_->write(passage, sim::bytes_of(packet));
    }

   private:
    Score<Beat>* score_;
    sim::PacketWriter* writer_;
  };

  static constexpr bool kPaced = std::ranges::all_of(P::kInputs, &sim::Port::paced);
  static sim::Pace pace_of(const sim::RunSpec& spec) {
    return {spec.wire_mhz(), P::kInputs[0].wire};
  }

  /// What the other RTL is built as.
  static sim::RunSpec against(const sim::RunSpec& spec) {
    sim::RunSpec other = spec;
    other.user_rtl = *spec.against;
    other.netlist.clear();
    other.coverage = {};
    other.mutant = {};
    return other;
  }

  sim::Drive drive_of(const sim::RunSpec& spec) const {
    return {.stall = spec.stall,
            .seed = spec.seed,
            .clock_mhz = spec.wire_mhz(),
            .boot = boot(spec),
            .skip_idle = spec.skip_idle && spec.sv_bench.empty(),
            .watched = spec.wave.has_value() || !spec.sv_bench.empty(),
            .after_failure = spec.wave.has_value(),
            .checks = spec.checks,
            .by_bytes = spec.rtl && !spec.model && !spec.checks.profile,
            .recording = spec.recording};
  }

  [[gnu::cold]] std::unique_ptr<Recorder<P>> recorder(const sim::RunSpec& spec) const {
    if (spec.sv_bench.empty()) return nullptr;
    if constexpr (!std::is_same_v<R, RtlEngine<P>>) {
      throw sim::UsageError(facts_.name +
                            " is made of several tops: --sv-bench is for each of them");
    } else {
      auto made = std::make_unique<Recorder<P>>(spec.sv_bench, facts_,
                                                rtl_sources(facts_, parameters(spec), spec));
      for (const auto& [pin, value] : pins(spec)) made->bench().pin(pin, value);
      return made;
    }
  }

  /// A run but for its engines.
  struct Driven {
    const sim::RunSpec& spec;
    sim::Kernel& kernel;
    const MakeHost<Beat>& host;
    sim::Feed<Beat>& feed;
    sim::Oracle<Beat>& oracle;
    sim::Listener<Beat>* listener;
    std::function<uint64_t()> expected;
    std::function<void()> begins;  ///< the engines stand in front of the run's own reset
    std::function<void()> fails;
  };

  [[gnu::cold]] Setting<P> setting(const Driven& d, sim::Feed<Beat>& feed, Host<Beat>* host,
                                   Recorder<P>* recorder, const std::string& name_a,
                                   const std::string& name_b) const {
    return {.spec = d.spec,
            .drive = drive_of(d.spec),
            .name_a = name_a,
            .name_b = name_b,
            .feed = host != nullptr ? host->feed(feed) : feed,
            .oracle = d.oracle,
            .listener = d.listener,
            .describe = [this](bool input, size_t port, const sim::Packet<Beat>& packet,
                               size_t beat) { return describe(input, port, packet, beat); },
            .host = host,
            .recorder = recorder,
            .kernel = d.kernel,
            .expected = d.expected,
            .fails = d.fails};
  }

  /// Packets of a source, all with other pins.
  class Unlike final : public sim::Source {
   public:
    Unlike(sim::Source& source, const PinFacts* facts, const sim::RunSpec& spec,
           const sim::PacketConfig& usual)
        : source_(source), facts_(facts), random_(spec.seed, "before the reset"), usual_(usual) {}
    std::optional<sim::RawPacket> next() override {
      std::optional<sim::RawPacket> packet = source_.next();
      if (packet && facts_ != nullptr) {
        packet->config =
            PacketPins::unlike(*facts_, packet->own_config ? packet->config : usual_, random_);
        packet->own_config = true;
      }
      return packet;
    }
    bool waits() const override { return source_.waits(); }
    const sim::SourceFacts& facts() const override { return source_.facts(); }
    uint64_t expected() const override { return source_.expected(); }
    bool in_order() const override { return source_.in_order(); }

   private:
    sim::Source& source_;
    const PinFacts* const facts_;
    sim::Random random_;
    const sim::PacketConfig usual_;
  };

  /// Traffic for the run's reset to meet: its own packets, set otherwise, in a course of their own.
  template <class A>
  [[gnu::cold]] bool before(A& a, const sim::AnyEngine<P>& b, const std::string& name_a,
                            const std::string& name_b, const Driven& d,
                            sim::Outcome& outcome) const {
    const sim::RunSpec spec = unlike(d.spec);
    const auto source = sim::open_source(*this, spec);
    std::optional<sim::Pace> pace;
    if (kPaced) pace = pace_of(spec);
    Unlike otherwise(*source, pin_facts(), spec, packet_config(spec));
    sim::LookAhead packets(otherwise);
    const MakeHost<Beat> make_host = this->host(spec, packets);
    const auto host = make_host ? make_host() : nullptr;
    sim::SourceFeed<Beat> feed(packets, kIn, pace, P::kInputs[0].error_bit, packet_config(spec));
    const auto oracle = this->oracle(spec);
    Setting<P> s = setting(d, feed, host.get(), nullptr, name_a, name_b);
    s.drive.boot = boot(spec);
    s.drive.watched = s.drive.after_failure = false;
    s.drive.recording = nullptr;
    sim::Lockstep<A> run(a, b, s.feed, *oracle, s.drive, name_a, name_b);
    set_pins(a, b, spec);
    const bool passed = disturb(s, run, outcome);
    set_pins(a, b, d.spec);
    return passed;
  }

  /// Those that are set once, of both engines.
  template <class A>
  [[gnu::cold]] void set_pins(A& a, sim::AnyEngine<P> b, const sim::RunSpec& spec) const {
    constexpr bool kHasPins = requires(std::string_view name, uint64_t value) {
      a.set(name, value);
    };
    for (const auto& [pin, value] : pins(spec)) {
      if constexpr (kHasPins) a.set(pin, value);
      b.set(pin, value);
    }
  }

  /// What fails before the reset that the run asks for fails without it: then that run is told, in
  /// which the failure has its cycle, its waveform and its packets.
  [[gnu::cold]] sim::Outcome run_without_before(sim::Source& source, const sim::RunSpec& given,
                                                sim::Kernel& kernel, sim::PacketWriter* writer,
                                                sim::Outcome before) const {
    if (before.interrupted) return before;
    sim::RunSpec plain = given;
    plain.reset_after = 0;
    sim::Outcome outcome = run(source, plain, kernel, writer);
    if (outcome.passed) {  // then it depends on what was not repeated
      outcome.passed = false;
      outcome.failure = std::move(before.failure);
    }
    return outcome;
  }

  /// False: something failed before the run began.
  template <class A>
  [[gnu::cold]] bool drive(A& a, sim::AnyEngine<P> b, const std::string& name_a,
                           const std::string& name_b, const Driven& d,
                           sim::Outcome& outcome) const {
    if (d.spec.reset_after != 0 && !before(a, b, name_a, name_b, d, outcome)) return false;
    if (d.begins) d.begins();
    const auto host = d.host ? d.host() : nullptr;
    const auto recorder = this->recorder(d.spec);
    const Setting<P> s = setting(d, d.feed, host.get(), recorder.get(), name_a, name_b);
    const auto counted = [&] {
      if (d.spec.coverage.rtl()) sim::points_of(a, outcome.points);
    };
    if (d.spec.coverage.functional) {
      // Counting costs more than the calls: one loop for whatever the first engine is.
      sim::AnyEngine<P> any(a);
      const auto family = coverage(d.spec);
      sim::coverage::Streams<P> streams(*family);
      sim::Lockstep<sim::AnyEngine<P>, sim::coverage::Streams<P>> run(
          any, std::move(b), s.feed, d.oracle, s.drive, name_a, name_b, d.listener);
      run.cover_with(streams);
      follow(s, run, outcome, counted);
      // Behind registers it is another device: a gate at its streams, other cells that cannot be.
      const bool hosted = sim::kControlsOf<P> != 0;
      streams.report(facts_.name + (hosted ? "-axi-lite" : ""), outcome.points);
    } else {
      sim::Lockstep<A> run(a, std::move(b), s.feed, d.oracle, s.drive, name_a, name_b, d.listener);
      follow(s, run, outcome, counted);
    }
    return true;
  }

  class BenchOf final : public sim::Bench {
   public:
    [[gnu::cold]] BenchOf(const DeviceOf& device, sim::Source& source, const sim::RunSpec& spec,
                          sim::Kernel& kernel)
        : device_(device), spec_(spec), kernel_(kernel), boot_(device.boot(spec)) {
      sim::LookAhead packets(source);
      make_host_ = device.host(spec, packets);
      sim::SourceFeed<Beat> read(packets, kIn, {}, P::kInputs[0].error_bit,
                                 device.packet_config(spec));
      for (size_t p = 0; p < kIn; ++p) {
        for (auto next = read.next(p, 0); next.packet != nullptr; next = read.next(p, 0)) {
          feed_.add(p, std::move(next.packet));
        }
      }
      if constexpr (kTimeless) {
        const auto oracle = device.oracle(spec);
        if (make_host_) boot_by_host(*device.model(spec), *make_host_(), oracle.get());
        recorded_.emplace(*oracle, feed_, kIn, kOut);
        bare_.emplace(feed_, *recorded_);
      }
      sim::RunSpec plain = spec;
      plain.netlist.clear();
      rtl_ = device.compile(plain, false);
      if (!spec.netlist.empty()) netlist_ = device.compile(spec, false);
    }

    sim::Speed pass(sim::BenchSubject subject) override {
      feed_.rewind();
      const auto model = device_.model(spec_);
      if constexpr (kTimeless) {
        if (subject == sim::BenchSubject::kModel) {
          return bare_pass(*model, *bare_, boot_, make_host_, "model");
        }
      } else if (subject == sim::BenchSubject::kModel) {
        return timed(*model, {}, "model", "");
      }
      const bool netlist = subject == sim::BenchSubject::kNetlist;
      const std::unique_ptr<R> engine = device_.rtl(netlist ? netlist_ : rtl_, spec_);
      R& rtl = *engine;
      if (subject == sim::BenchSubject::kLockstep) return timed(rtl, *model, "rtl", "model");
      if constexpr (kTimeless) {
        return bare_pass(rtl, *bare_, boot_, make_host_, "rtl");
      } else {
        return timed(rtl, {}, "rtl", "");
      }
    }

    [[gnu::cold]] Amount bursts() const override {
      Amount all;
      const auto add = [&all](const auto& packets) {
        for (const auto& packet : packets) {
          all.beats += packet->beats.size();
          all.bytes += packet->bytes();
        }
      };
      if (recorded_ && !device_.facts().burst_is_input) {
        for (size_t p = 0; p < kOut; ++p) add(recorded_->owed(p));
      } else {
        for (size_t p = 0; p < kIn; ++p) add(feed_.packets(p));
      }
      return all;
    }

   private:
    /// What leaves does not depend on when it does: the device chooses nothing, or just says what
    /// follows from its packets.
    static constexpr bool kTimeless = P::kEvents == 0 || requires { P::kPinsOfProbe; };

    template <class A>
    sim::Speed timed(A& a, sim::AnyEngine<P> b, const char* name_a, const char* name_b) {
      std::unique_ptr<sim::Oracle<Beat>> oracle;
      if (recorded_) {
        recorded_->rewind();
      } else {
        oracle = device_.oracle(spec_);
      }
      sim::Oracle<Beat>& follower = recorded_ ? *recorded_ : *oracle;
      const auto host = make_host_ ? make_host_() : nullptr;
      sim::Feed<Beat>& packets = host != nullptr ? host->feed(feed_) : feed_;
      sim::Lockstep<A> run(a, std::move(b), packets, follower, device_.drive_of(spec_), name_a,
                           name_b);
      if (host != nullptr) run.control_with(*host);
      run.reset();
      // What the host does before the first packet is none of the device's work.
      while (host != nullptr && !host->booted() && run.advance(64)) {
      }
      const uint64_t booted = run.now();
      const auto begin = std::chrono::steady_clock::now();
      kernel_.run(run, spec_.clock_mhz);
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
      if (!run.passed() && !sim::interrupted()) {
        throw std::logic_error(device_.name() + " did not pass while it was timed");
      }
      return {.cycles = run.now() - booted, .seconds = seconds.count()};
    }

    const DeviceOf& device_;
    const sim::RunSpec spec_;
    sim::Kernel& kernel_;
    const sim::Boot boot_;
    MakeHost<Beat> make_host_;
    sim::PreparedFeed<Beat> feed_;
    std::optional<RecordedOracle<Beat>> recorded_;
    std::optional<BareStimulus<P>> bare_;
    std::vector<CompiledRtl> rtl_, netlist_;
  };

  Facts facts_;
};

}  // namespace gw::testbenches
