// SPDX-License-Identifier: Apache-2.0
#include "sim/capsule/maker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sim/base/error.h"
#include "sim/base/version.h"
#include "sim/capsule/capsule.h"
#include "sim/capsule/shrink.h"
#include "sim/capsule/stimulus_files.h"
#include "sim/capsule/zip.h"
#include "sim/feeds/stimulus.h"
#include "sim/harness/kernel.h"
#include "sim/report/html.h"
#include "sim/report/json.h"
#include "sim/report/text.h"
#include "sim/run/bucket.h"
#include "sim/run/save_file.h"

namespace gw::sim::capsule {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

/// Of the devices' options those whose default takes no other RTL.
constexpr const char* kSettings[] = {"bound", "mode"};
constexpr const char* kControlStalls = "stalls of control ports";
constexpr size_t kMinFrameBytes = 60;
constexpr const char* kCutShort = "stopped before all was tried";

constexpr const char* kReplay =
    "#!/bin/sh\n"
    "# Repeats the failure: exit code 1 while the bug is there, 0 when it is gone, 5 if it passes\n"
    "# but cannot run as it did. GRADWIRE names the program, if it is not in PATH;\n"
    "# `--rtl my.f --top NAME` puts other RTL to the test.\n"
    "here=$(dirname \"$0\")\n"
    "exec \"${GRADWIRE:-gradwire}\" replay \"$here\" \"$@\"\n";

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  write_report_file(path.string(), text, "file");
}

class Maker {
 public:
  explicit Maker(const Order& order)
      : order_(order),
        device_(*order.device),
        base_(bare(order.run.spec)),
        bucket_(order.failure.at("bucket")) {
    for (const char* const name : kSettings) {
      if (base_.options.changed().contains(name)) settings_.emplace_back(name);
    }
    if (base_.stall.source_percent > 0 || base_.stall.sink_percent > 0) {
      if (!device_.facts_of(base_).controls.empty()) settings_.emplace_back(kControlStalls);
    }
  }

  Made make() {
    claim_folder();
    record();
    Made made{.was_packets = whole_.stimulus.packets.size()};
    const json third = repeat();
    if (signature(order_.failure) != signature(second_) ||
        signature(order_.failure) != signature(third)) {
      made.flaky = true;
      write_flaky(third);
      smallest_ = whole_;
    } else {
      shrink_it(made);
    }
    made.packets = smallest_.stimulus.packets.size();
    // Whoever asked to end gets what there is.
    forget_interrupt();
    write_all(made);
    return made;
  }

 private:
  /// The engines and how they are set; no stimulus, nothing that is written or counted.
  static RunSpec bare(const RunSpec& spec) {
    RunSpec plain = spec;
    plain.stimulus = {};
    plain.stall = {.source_percent = spec.stall.source_percent,
                   .sink_percent = spec.stall.sink_percent};
    plain.wave.reset();
    plain.coverage = {};
    plain.sv_bench.clear();
    plain.wire_writer = nullptr;
    plain.keep_rows = false;
    plain.note = {};
    plain.progress = {};
    return plain;
  }

  void claim_folder() const {
    std::error_code error;
    const bool free = !fs::exists(order_.folder, error) || fs::is_empty(order_.folder, error) ||
                      fs::exists(order_.folder / kCommandFile, error);
    if (!free) {
      throw UsageError(fmt::format("'{}' is there and is no capsule", order_.folder.string()));
    }
    fs::remove_all(order_.folder, error);
    fs::create_directories(order_.folder, error);
    if (error) {
      throw InputError(
          fmt::format("cannot make '{}': {}", order_.folder.string(), error.message()));
    }
  }

  void say(const std::string& text) const {
    if (order_.note) order_.note(text);
  }

  /// The second run: what drives it is noted.
  void record() {
    say("the failure once more, recorded");
    RunSpec spec = base_;
    spec.stimulus = order_.run.spec.stimulus;
    spec.stall = order_.run.spec.stall;
    Recording recording;
    spec.recording = &recording;
    const std::unique_ptr<Source> source = open_source(device_, spec);
    RecordingSource recorder(*source);
    const auto begin = Clock::now();
    const Outcome outcome = device_.run(recorder, spec, Kernel::instance());
    run_seconds_ = std::chrono::duration<double>(Clock::now() - begin).count();
    stop_if_asked();
    second_ = failure_json(device_, spec, outcome.failure, "");
    whole_.stimulus.packets = recorder.take();
    whole_.stimulus.stalls = std::move(recording.stalls);
    whole_.plain.assign(settings_.size(), false);
    accepted_ = std::move(recording.accepted);
  }

  /// The third: what was noted drives it.
  json repeat() {
    say("the failure a third time, as recorded");
    const auto [spec, outcome] = run(whole_);
    stop_if_asked();
    return failure_json(device_, spec, outcome.failure, "");
  }

  static void stop_if_asked() {
    if (interrupted()) throw UsageError("interrupted before the failure was repeated: no capsule");
  }

  /// What must be the same three times.
  static json signature(const json& failure) {
    return {failure.at("bucket"), failure.at("cycle"), failure.at("lines")};
  }

  RunSpec spec_of(const ShrinkCase& what) const {
    RunSpec spec = base_;
    const auto stimulus = std::make_shared<const Stimulus>(what.stimulus);
    spec.stimulus.recorded = stimulus;
    spec.stall.recorded = {stimulus, &stimulus->stalls};
    spec.options = OptionSet(device_.facts().options);
    for (const auto& [name, value] : base_.options.changed()) {
      if (!is_plain(what, name)) spec.options.set(name, value);
    }
    if (is_plain(what, kControlStalls)) {
      spec.stall.source_percent = spec.stall.sink_percent = 0;
    }
    return spec;
  }
  bool is_plain(const ShrinkCase& what, const std::string& setting) const {
    const auto at = std::ranges::find(settings_, setting);
    return at != settings_.end() && what.plain[static_cast<size_t>(at - settings_.begin())];
  }

  std::pair<RunSpec, Outcome> run(const ShrinkCase& what) const {
    RunSpec spec = spec_of(what);
    RecordedSource source(spec.stimulus.recorded);
    Outcome outcome = device_.run(source, spec, Kernel::instance());
    return {std::move(spec), std::move(outcome)};
  }

  bool fails_the_same(const ShrinkCase& what) const {
    try {
      const auto [spec, outcome] = run(what);
      return outcome.failure.kind != FailureKind::kNone &&
             bucket_of(device_, spec, outcome.failure) == bucket_;
    } catch (const UserError&) {
      return false;
    } catch (const std::logic_error&) {  // a stimulus that makes no sense
      return false;
    }
  }

  void shrink_it(Made& made) {
    if (order_.shrink_seconds <= 0) {
      smallest_ = whole_;
      return;
    }
    const ShrinkFacts facts{.beat_bytes = static_cast<size_t>(device_.facts().beat_bytes),
                            .least_bytes = device_.facts().frames ? kMinFrameBytes : 1,
                            .clock_mhz = base_.clock_mhz,
                            .settings = settings_};
    auto said = Clock::now();
    ShrinkResult result =
        shrink(whole_, facts,
               {.test = [this](const ShrinkCase& what) { return fails_the_same(what); },
                .seconds = order_.shrink_seconds,
                .stopped = interrupted,
                .progress =
                    [this, &said](const ShrinkCase& best, uint64_t runs) {
                      const auto now = Clock::now();
                      if (now - said < std::chrono::seconds(1)) return;
                      said = now;
                      say(fmt::format("shrinking: {} packets after {} runs",
                                      best.stimulus.packets.size(), runs));
                    },
                .accepted = accepted_,
                .run_seconds = run_seconds_});
    made.runs = result.runs;
    made.complete = result.complete;
    made.seconds = result.seconds;
    std::string text = fmt::format("{} runs in {:.1f} s; {}\n", result.runs, result.seconds,
                                   made.complete ? "nothing more goes" : kCutShort);
    for (const ShrinkStep& step : result.steps) {
      text += fmt::format("{}, in {} runs\n", step.what, step.runs);
    }
    write(order_.folder / "shrink.txt", text);
    smallest_ = std::move(result.smallest);
  }

  void write_flaky(const json& third) const {
    std::string text =
        "The same run does not fail the same way every time: nothing was shrunk. The third run "
        "was\n"
        "driven by what was recorded of the second.\n";
    int number = 1;
    for (const json& failure : {order_.failure, second_, third}) {
      write(order_.folder / fmt::format("report-{}.json", number), json_text(failure));
      text += fmt::format("\n{}. {}\n", number++, failure.value("headline", ""));
      for (const json& line : failure.at("lines")) text += line.get<std::string>() + "\n";
    }
    write(order_.folder / kFlakyFile, text);
  }

  void write_all(const Made& made) {
    const fs::path& folder = order_.folder;
    const Device::Facts& facts = device_.facts();
    write_stimulus(smallest_.stimulus, facts, folder);
    write_command(command(), folder);
    for (const auto& [name, text] : order_.contents) write(folder / name, text);
    write(folder / "replay.sh", kReplay);
    fs::permissions(folder / "replay.sh", fs::perms::owner_exec | fs::perms::group_exec,
                    fs::perm_options::add);
    if (!made.flaky && order_.shrink_seconds <= 0) {
      write(folder / "shrink.txt", "--shrink off: nothing was taken out\n");
    }
    look(folder);
    zip_folder(folder, folder.string() + ".zip");
  }

  /// The last run, with its waveform.
  void look(const fs::path& folder) const {
    const auto [spec, outcome] = run(smallest_);
    RunOptions last{.spec = spec,
                    .command = "gradwire replay " + report::shell_word(folder.string())};
    const FailureWindow window = FailureWindow::of(outcome.failure);
    if (spec.rtl) {
      last.spec.wave =
          WaveSpec{.path = (folder / "first.fst").string(), .from = window.from, .to = window.to};
    }
    const json report = sim::run(device_, last);
    if (spec.rtl) {
      write(folder / "first.gtkw",
            fmt::format("[*] The failure of a capsule: the marker is on it\n"
                        "[dumpfile] \"first.fst\"\n{}",
                        save_file(facts_in_wave(device_.facts_of(spec), spec),
                                  view_of(last.spec, outcome.failure))));
    }
    write(folder / "report.json", json_text(public_json(report)));
    write(folder / "report.html", render_html(report, device_.facts().present));
    std::string beats = bucket_ + "\n";
    if (const auto failure = report.find("failure"); failure != report.end()) {
      beats += failure->value("headline", "") + "\n\n";
      for (const json& line : failure->at("lines")) beats += line.get<std::string>() + "\n";
    }
    write(folder / "beats.txt", beats);
  }

  Capsule command() const {
    Capsule capsule{.folder = order_.folder,
                    .device = device_.name(),
                    .bucket = bucket_,
                    .options = words(),
                    .files = order_.files,
                    .reads = order_.reads,
                    .facts = order_.facts,
                    .stimulus = {},
                    .unpacked = {}};
    capsule.facts["command"] = order_.run.command;
    capsule.facts["version"] = kVersion;
    for (const auto& [tool, version] : build_tools()) capsule.facts[tool] = version;
    return capsule;
  }

  /// What `gradwire run` is told beside the capsule.
  std::vector<std::string> words() const {
    const RunSpec spec = spec_of(smallest_);
    std::vector<std::string> words = {"--seed", fmt::format("{}", spec.seed), "--clock",
                                      fmt::format("{}", spec.clock_mhz)};
    if (!spec.rtl || !spec.model) {
      words.insert(words.end(), {"--engine", spec.rtl ? "rtl" : "model"});
    }
    // What is checked, unless it is what such a run checks anyway.
    const Checks& checks = spec.checks;
    const bool own = spec.user_rtl.top.empty() && !spec.against;
    if (!checks.reference || !checks.protocol || checks.profile != own ||
        checks.model != (spec.rtl && spec.model)) {
      std::vector<std::string> kept;
      if (checks.model) kept.emplace_back("model");
      if (checks.reference) kept.emplace_back("reference");
      if (checks.protocol) kept.emplace_back("protocol");
      if (checks.profile) kept.emplace_back("profile");
      words.push_back(fmt::format("--check={}", fmt::join(kept, ",")));
    }
    // What drives control ports hesitates by itself.
    StallSpec control = spec.stall;
    control.recorded.reset();
    if (!control.none() && !device_.facts_of(spec).controls.empty()) {
      words.insert(words.end(), {"--stall", control.text()});
    }
    if (!spec.netlist.empty()) words.push_back("--netlist=" + spec.netlist);
    if (!spec.skip_idle) words.emplace_back("--no-skip");
    if (spec.reset_after != 0) words.push_back(fmt::format("--reset-after={}", spec.reset_after));
    if (!spec.assertions) words.emplace_back("--no-assert");
    if (!spec.user_rtl.top.empty()) words.insert(words.end(), {"--top", spec.user_rtl.top});
    if (spec.against) words.insert(words.end(), {"--against-top", spec.against->top});
    if (const MutantSpec& mutant = spec.mutant; mutant.count != 0) {
      words.push_back(fmt::format("--mutant={}/{}", mutant.number, mutant.count));
      words.push_back(fmt::format("--mutant-seed={}", mutant.seed));
    }
    for (const Option& option : device_.facts().options) {
      if (option.stimulus || option.writes || option.reads) continue;
      const auto at = spec.options.changed().find(option.name);
      if (at == spec.options.changed().end()) continue;
      if (option.flag) {
        words.push_back("--" + option.name);
      } else if (!option.list) {
        words.push_back(fmt::format("--{}={}", option.name, at->second));
      } else {
        words.push_back("--" + option.name);
        std::string rest = at->second;
        for (size_t comma; (comma = rest.find(',')) != std::string::npos;) {
          words.push_back(rest.substr(0, comma));
          rest.erase(0, comma + 1);
        }
        words.push_back(rest);
      }
    }
    return words;
  }

  const Order& order_;
  const Device& device_;
  const RunSpec base_;
  const std::string bucket_;
  std::vector<std::string> settings_;
  ShrinkCase whole_, smallest_;
  std::vector<uint64_t> accepted_;
  json second_;
  double run_seconds_ = 0;
};

}  // namespace

std::string Made::text() const {
  if (flaky) return "flaky: it does not fail the same way three times; not shrunk";
  return fmt::format("{} of {} packets are left after {} runs in {:.1f} s{}{}", packets,
                     was_packets, runs, seconds, complete ? "" : "; ", complete ? "" : kCutShort);
}

Made make_capsule(const Order& order) { return Maker(order).make(); }

}  // namespace gw::sim::capsule
