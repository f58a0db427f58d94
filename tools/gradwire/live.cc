// gradwire live: one NIC between two interfaces of Linux. What the host sends goes through nic_tx
// to the wire, what the wire brings through nic_rx to the host: RTL and model in lockstep, the
// reference on each frame.
//
// The two directions are two processes: each has a clock of its own, which stands while nothing is
// in flight, and a core of the machine. They share what they count.
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/interprocess/anonymous_shared_memory.hpp>
#include <chrono>
#include <csignal>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/reference/capture/capture.h"
#include "sim/base/error.h"
#include "sim/base/random.h"
#include "sim/base/tool_words.h"
#include "sim/feeds/source.h"
#include "sim/feeds/tap.h"
#include "sim/feeds/writer.h"
#include "sim/harness/kernel.h"
#include "sim/report/json.h"
#include "testbenches/nic/options.h"
#include "tools/gradwire/commands.h"
#include "tools/gradwire/device_options.h"
#include "tools/gradwire/progress.h"
#include "tools/gradwire/stream_windows.h"

namespace gw::tools {
namespace {

using Clock = std::chrono::steady_clock;
using Count = std::atomic<uint64_t>;

/// What a direction has counted. Written by its process, read by both.
struct Counts {
  Count frames_in{0}, bytes_in{0};    ///< that the device was given
  Count frames_out{0}, bytes_out{0};  ///< that left by the other interface
  Count packed{0};                    ///< frames that were packed, or unpacked
  Count packed_long{0};               ///< their bytes before, or after that
  Count packed_short{0};              ///< and as they are on the wire
  Count in_error{0};                  ///< left with tuser: dropped, as the MAC or the DMA would
  Count lost{0};                      ///< on purpose
  Count refused{0};                   ///< by the interface
  Count too_long{0};                  ///< longer than a NIC carries: not given to the device
  Count latency{0};                   ///< sum of cycles, first beat to first beat
  Count cycles{0};                    ///< of the device's clock
  std::atomic<bool> ready{false}, over{false};
};

/// In memory that both processes have.
struct Shared {
  Counts tx, rx;
  std::atomic<bool> stop{false};
};

volatile std::sig_atomic_t g_stop = 0;

/// The first Ctrl-C lets what is in flight out; a second one does not wait.
void stop_on_signals() {
  struct sigaction action = {};
  action.sa_handler = [](int signal) {
    if (g_stop != 0) {
      std::signal(signal, SIG_DFL);
      std::raise(signal);
    }
    g_stop = 1;
  };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

constexpr size_t kLongestFrame = 9018;

/// The last frames that went in, so that a divergence can be repeated: with the SYNs before them,
/// which say where floats begin.
class History {
 public:
  void add(const std::vector<uint8_t>& frame) {
    last_.push_back(frame);
    if (last_.size() <= kFrames) return;
    if (const auto segment = Segment::of(last_.front()); segment && segment->syn) {
      if (syns_.size() == kFlows) syns_.erase(syns_.begin());
      syns_[segment->flow] = std::move(last_.front());
    }
    last_.pop_front();
  }
  /// Throws InputError.
  void write(const std::string& file) const {
    capture::Expected<capture::PcapWriter> opened = capture::PcapWriter::open(file);
    if (!opened) throw sim::InputError(opened.error().sentence);
    capture::PcapWriter writer = std::move(opened).value();
    int64_t time_ns = 0;
    const auto put = [&](const std::vector<uint8_t>& frame) {
      if (auto error = writer.write(time_ns += 1000, frame)) throw sim::InputError(error->sentence);
    };
    for (const auto& [flow, frame] : syns_) put(frame);
    for (const auto& frame : last_) put(frame);
    if (auto error = writer.close()) throw sim::InputError(error->sentence);
  }

 private:
  static constexpr size_t kFrames = 64, kFlows = 256;

  std::deque<std::vector<uint8_t>> last_;
  std::map<Segment::Flow, std::vector<uint8_t>> syns_;
};

/// The time on the wall, for captures.
int64_t wall_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// What a bad network does to frames on their way to the wire, in percent of them.
struct Impairments {
  double loss = 0, duplicate = 0, reorder = 0;
  uint64_t seed = 1;
};

struct Direction {
  const char* name;  ///< nic_tx, nic_rx
  sim::Tap& from;
  sim::Tap& to;
  Counts& counts;
  Shared& shared;
  std::string pcap;                   ///< file of what leaves it; empty: none
  std::function<void()> each_second;  ///< may be empty
  Impairments impairments = {};
  StreamWindows* windows = nullptr;  ///< of what leaves it; may be null
};

bool stopping(const Shared& shared) { return g_stop != 0 || shared.stop.load(); }

/// Frames of an interface. While the device has some it says "not yet" when none waits; when all
/// have left, or none came for longer than one stays in it (it drops some), the clock stands until
/// one comes.
class TapSource final : public sim::Source {
 public:
  explicit TapSource(const Direction& direction)
      : direction_(direction), next_second_(Clock::now() + std::chrono::seconds(1)) {
    facts_.name = "the interface " + direction.from.name();
    facts_.trace = {{"path", direction.from.name()}};
  }

  std::optional<sim::RawPacket> next() override {
    direction_.counts.ready = true;
    for (;;) {
      tell();
      if (stopping(direction_.shared)) {
        waits_ = false;
        return std::nullopt;
      }
      const size_t bytes = direction_.from.read(buffer_);
      if (bytes > kLongestFrame) {
        ++direction_.counts.too_long;
        continue;
      }
      if (bytes != 0) return frame(bytes);
      if (++empty_ >= kAsks) inside_ = 0;
      if (inside_ != 0) return std::nullopt;
      direction_.from.wait(std::chrono::milliseconds(100));
    }
  }
  bool waits() const override { return waits_; }
  const sim::SourceFacts& facts() const override { return facts_; }

  /// A frame has left the device.
  void left() { inside_ -= std::min<uint64_t>(inside_, 1); }
  const History& history() const { return history_; }
  uint32_t bytes_of(uint64_t id) const { return sizes_[id % sizes_.size()]; }

 private:
  /// The loop asks in every 64th cycle: so many are 2,048 cycles, more than the devices' queues
  /// hold.
  static constexpr int kAsks = 32;

  std::optional<sim::RawPacket> frame(size_t bytes) {
    empty_ = 0;
    ++inside_;
    sim::RawPacket packet;
    packet.bytes.assign(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(bytes));
    packet.bytes.resize(std::max<size_t>(bytes, 60));  // as a MAC pads
    sizes_[id_++ % sizes_.size()] = static_cast<uint32_t>(packet.bytes.size());
    ++direction_.counts.frames_in;
    direction_.counts.bytes_in += packet.bytes.size();
    history_.add(packet.bytes);
    return packet;
  }
  void tell() {
    if (!direction_.each_second || Clock::now() < next_second_) return;
    next_second_ += std::chrono::seconds(1);
    direction_.each_second();
  }

  const Direction& direction_;
  std::array<uint8_t, sim::Tap::kLongest> buffer_;
  std::array<uint32_t, 1024> sizes_{};  // of those that may be in the device
  uint64_t id_ = 0, inside_ = 0;
  int empty_ = 0;
  bool waits_ = true;
  Clock::time_point next_second_;
  sim::SourceFacts facts_;
  History history_;
};

/// Frames into an interface.
class TapWriter final : public sim::PacketWriter {
 public:
  TapWriter(const Direction& direction, TapSource& source)
      : direction_(direction), source_(source), random_(direction.impairments.seed) {
    if (direction.pcap.empty()) return;
    capture_ = sim::open_frame_writer({.path = direction.pcap,
                                       .actions = registry().device(direction.name).facts().actions,
                                       .option = "--pcap"},
                                      [](const sim::Passage&) { return wall_ns(); });
  }

  void write(const sim::Passage& passage, const std::vector<uint8_t>& bytes) override {
    Counts& counts = direction_.counts;
    counts.latency += passage.offered - passage.accepted;
    counts.cycles = passage.last;
    source_.left();
    const uint32_t before = source_.bytes_of(passage.id);
    if (before != bytes.size()) {
      ++counts.packed;
      counts.packed_long += std::max<uint64_t>(before, bytes.size());
      counts.packed_short += std::min<uint64_t>(before, bytes.size());
    }
    if (passage.error) {
      ++counts.in_error;
      return;
    }
    if (direction_.windows != nullptr) direction_.windows->add(bytes, before);
    if (capture_ != nullptr) capture_->write(passage, bytes);
    const Impairments& bad = direction_.impairments;
    if (happens(bad.loss)) {
      ++counts.lost;
      return;
    }
    if (late_.empty() && happens(bad.reorder)) {
      late_ = bytes;
      return;
    }
    put(bytes);
    if (happens(bad.duplicate)) put(bytes);
    if (!late_.empty()) put(std::exchange(late_, {}));
  }
  void close() override {
    if (capture_ != nullptr) capture_->close();
  }

 private:
  bool happens(double percent) { return percent > 0 && 100 * random_.unit() < percent; }
  void put(const std::vector<uint8_t>& bytes) {
    Counts& counts = direction_.counts;
    if (!direction_.to.write(bytes)) {
      ++counts.refused;
      return;
    }
    ++counts.frames_out;
    counts.bytes_out += bytes.size();
  }

  const Direction& direction_;
  TapSource& source_;
  sim::Random random_;
  std::unique_ptr<sim::PacketWriter> capture_;
  std::vector<uint8_t> late_;  // goes behind the next one
};

struct LiveArguments {
  DeviceOptions device;
  std::vector<sim::Option> options;
  std::string host, wire, engines = "rtl,model", pcap, json, cache, seed = "1";
  std::string loss = "0", duplicate = "0", reorder = "0", window;
  sim::UserRtl tx_rtl, rx_rtl;
  bool quiet = false, no_pack = false;
};

/// Frames from one interface to the other, as they are.
int forward(const Direction& direction) {
  TapSource source(direction);
  TapWriter writer(direction, source);
  for (uint64_t id = 0;; ++id) {
    const std::optional<sim::RawPacket> packet = source.next();
    if (!packet && !source.waits()) break;
    if (!packet) continue;
    writer.write({.id = id}, packet->bytes);
  }
  writer.close();
  return sim::kPass;
}

std::string sentence(const sim::Failure& f) {
  const std::string where = f.port.empty() ? f.signal : f.port + "_" + f.signal;
  if (f.value_a.empty()) return one_line(fmt::format("{}: {}", f.engine_a, f.text));
  return one_line(fmt::format("{}: {} says {}, {} says {}", where, f.engine_a, f.value_a,
                              f.engine_b, f.value_b));
}

/// The run that repeats what a direction did with the frames of a capture.
std::string repeats(const sim::Device& device, const sim::RunSpec& spec, const std::string& file) {
  std::vector<std::string> words = {"run", device.name(), "--trace", file};
  const auto say = [&](const std::string& option, const std::string& value) {
    words.insert(words.end(), {"--" + option, value});
  };
  for (const auto& [name, value] : spec.options.changed()) say(name, value);
  if (spec.rtl != spec.model) say("engine", spec.rtl ? "rtl" : "model");
  if (spec.seed != sim::RunSpec{}.seed) say("seed", std::to_string(spec.seed));
  if (!spec.user_rtl.top.empty()) {
    say("rtl", spec.user_rtl.file_list);
    say("top", spec.user_rtl.top);
  }
  if (!spec.cache.empty()) say("cache", spec.cache);
  return shell_command("gradwire", words);
}

int simulate(const Direction& direction, const sim::RunSpec& spec) {
  TapSource source(direction);
  TapWriter writer(direction, source);
  const sim::Device& device = registry().device(direction.name);
  const sim::Outcome outcome = device.run(source, spec, sim::Kernel::instance(), &writer);
  writer.close();
  if (outcome.passed) return sim::kPass;
  const std::string file = fmt::format("gradwire-live-{}-{}.pcap", direction.name, getpid());
  source.history().write(file);
  fmt::print(
      stderr,
      "gradwire: {} diverged in cycle {}: {}\n  the last frames are in {}; to repeat it: {}\n",
      direction.name, outcome.failure.cycle, sentence(outcome.failure), file,
      repeats(device, spec, file));
  return sim::kCheckFailed;
}

double share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// A line a second, of what happened since the last.
class Ticker {
 public:
  explicit Ticker(const Shared& shared) : shared_(shared) {}
  void operator()() {
    const auto now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - then_).count();
    then_ = now;
    std::string line;
    for (size_t i = 0; i < 2; ++i) {
      const Counts& counts = i == 0 ? shared_.tx : shared_.rx;
      const Snapshot next = snapshot(counts);
      const Snapshot& last = last_[i];
      const uint64_t frames = next.frames - last.frames;
      line += fmt::format(
          "{}{} {:>6} frames {:>7.1f} Mb/s  packed {:>5.1f} %  ratio {:>4.2f}  latency "
          "{:>5.1f} cycles  {:>5.2f} M cycles/s",
          i == 0 ? "" : "   ", i == 0 ? "tx" : "rx", frames,
          8e-6 * static_cast<double>(next.bytes - last.bytes) / seconds,
          100 * share(next.packed - last.packed, frames),
          share(next.packed_long - last.packed_long, next.packed_short - last.packed_short),
          share(next.latency - last.latency, frames),
          1e-6 * static_cast<double>(next.cycles - last.cycles) / seconds);
      last_[i] = next;
    }
    fmt::print("{}\n", line);
    std::fflush(stdout);
  }

 private:
  struct Snapshot {
    uint64_t frames, bytes, packed, packed_long, packed_short, latency, cycles;
  };
  static Snapshot snapshot(const Counts& c) {
    return {c.frames_in, c.bytes_in, c.packed, c.packed_long, c.packed_short, c.latency, c.cycles};
  }
  const Shared& shared_;
  std::array<Snapshot, 2> last_{};
  Clock::time_point then_ = Clock::now();
};

/// What a direction did in all, in a line.
void print_sum(const char* name, const Counts& c) {
  fmt::print(
      "{} {} frames in, {} out; {} packed, {:.2f} to 1; mean latency {:.1f} cycles; dropped: {} in "
      "error, "
      "{} refused, {} too long{}\n",
      name, c.frames_in.load(), c.frames_out.load(), c.packed.load(),
      share(c.packed_long, c.packed_short), share(c.latency, c.frames_in), c.in_error.load(),
      c.refused.load(), c.too_long.load(),
      c.lost == 0 ? "" : fmt::format(", {} lost on purpose", c.lost.load()));
}

nlohmann::json figures(const Counts& c) {
  return {{"frames_in", c.frames_in.load()},
          {"bytes_in", c.bytes_in.load()},
          {"frames_out", c.frames_out.load()},
          {"bytes_out", c.bytes_out.load()},
          {"packed_frames", c.packed.load()},
          {"packed_bytes_long", c.packed_long.load()},
          {"packed_bytes_short", c.packed_short.load()},
          {"ratio_frame", share(c.packed_long, c.packed_short)},
          {"in_error", c.in_error.load()},
          {"lost", c.lost.load()},
          {"refused", c.refused.load()},
          {"too_long", c.too_long.load()},
          {"latency_cycles_mean", share(c.latency, c.frames_in)},
          {"cycles", c.cycles.load()}};
}

/// Those of nic_tx say all: a packed frame tells nic_rx how it was packed.
std::vector<sim::Option> options_of(const sim::Device& tx) {
  std::vector<sim::Option> all;
  for (const sim::Option& option : tx.facts().options) {
    if (!option.stimulus) all.push_back(option);
  }
  return all;
}

/// Waits for a process to end, with its exit code.
int code_of(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : sim::kInternal;
}

int execute(LiveArguments& a) {
  sim::RunSpec spec;
  spec.cache = a.cache;
  spec.seed = static_cast<uint64_t>(sim::parse_integer("--seed", a.seed, 0, INT64_MAX));
  const bool engines = a.engines != "none";
  spec.rtl = a.engines == "rtl,model" || a.engines == "model,rtl" || a.engines == "rtl";
  spec.model = spec.rtl ? a.engines != "rtl" : a.engines == "model";
  if (engines && !spec.rtl && !spec.model) {
    throw sim::UsageError(
        fmt::format("--engine '{}' is not rtl, model, rtl,model, or none", a.engines));
  }
  if (a.host == a.wire) throw sim::UsageError("--host and --wire are the same interface");
  if (a.no_pack && !engines) throw sim::UsageError("--no-pack has no effect with --engine none");
  check_user_rtl(a.tx_rtl, "tx-", spec.rtl);
  check_user_rtl(a.rx_rtl, "rx-", spec.rtl);
  const sim::Device& tx_device = registry().device("nic_tx");
  const reference::nic::NicConfig marks = testbenches::nic_config(a.device.values(tx_device));
  std::optional<StreamWindows> windows;
  if (!a.window.empty()) {
    const int64_t bytes = sim::parse_integer("--window", a.window, 1024, INT64_MAX);
    windows.emplace(static_cast<uint64_t>(bytes), marks.mark, marks.mark_mask);
  }
  const Impairments impairments{
      .loss = sim::parse_number("--loss", a.loss, 0, 99, "percent"),
      .duplicate = sim::parse_number("--duplicate", a.duplicate, 0, 99, "percent"),
      .reorder = sim::parse_number("--reorder", a.reorder, 0, 99, "percent"),
      .seed = spec.seed};
  sim::Tap host(a.host), wire(a.wire);

  namespace ipc = boost::interprocess;
  ipc::mapped_region memory = ipc::anonymous_shared_memory(sizeof(Shared));
  Shared& shared = *new (memory.get_address()) Shared;
  sim::expect_report_files({a.json});
  Progress progress(a.quiet);
  spec.note = progress.note();

  const auto run = [&](const Direction& direction) {
    const sim::Device& device = registry().device(direction.name);
    sim::RunSpec own = spec;
    own.options = sim::OptionSet(device.facts().options);
    own.user_rtl = a.rx_rtl;
    if (&device == &tx_device) {
      own.options = a.device.values(device);
      // No socket has this mark: DSCP 63 with both bits of ECN looked at, too.
      if (a.no_pack) own.options.set("mark", "0xFF").set("mark-mask", "0xFF");
      own.user_rtl = a.tx_rtl;
    }
    own.clock_mhz = device.facts().clock_mhz;
    int code = sim::kInternal;
    try {
      code = engines ? simulate(direction, own) : forward(direction);
    } catch (const sim::UserError& error) {
      fmt::print(stderr, "gradwire: {}\n", sim::ToolWords(error.what()).text());
      code = error.code();
    } catch (const std::exception& error) {
      fmt::print(stderr, "gradwire: internal fault: {}\n", one_line(error.what()));
    }
    direction.counts.over = true;
    shared.stop = true;
    return code;
  };

  const auto fork_event = [&](boost::asio::io_context::fork_event event) {
    host.fork(event);
    wire.fork(event);
  };
  const auto pcap = [&a](const char* direction) {
    return a.pcap.empty() ? "" : fmt::format("{}-{}.pcapng", a.pcap, direction);
  };
  stop_on_signals();
  std::fflush(stdout);
  fork_event(boost::asio::io_context::fork_prepare);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) throw sim::InputError("no second process can be started for nic_rx");
  if (child == 0) {
    // It never outlives the other.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) g_stop = 1;
    fork_event(boost::asio::io_context::fork_child);
    const int code = run({"nic_rx", wire, host, shared.rx, shared, pcap("rx"), {}});
    std::fflush(stdout);
    std::fflush(stderr);
    _exit(code);
  }
  fork_event(boost::asio::io_context::fork_parent);

  Ticker ticker(shared);
  bool told = false;
  const auto begin = Clock::now();
  const int tx =
      run({"nic_tx", host, wire, shared.tx, shared, pcap("tx"),
           [&] {
             if (!told && shared.rx.ready) {
               told = true;
               progress.done();
               if (!a.quiet) {
                 fmt::print("live: {} (host) to {} (wire); Ctrl-C ends it\n", a.host, a.wire);
                 std::fflush(stdout);
               }
             } else if (told && !a.quiet) {
               ticker();
             }
           },
           impairments, windows ? &*windows : nullptr});
  kill(child, SIGTERM);
  const int rx = code_of(child);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (!a.quiet && a.json != "-") {
    fmt::print("live: {:.1f} s\n", seconds);
    print_sum("tx", shared.tx);
    print_sum("rx", shared.rx);
  }
  if (!a.json.empty()) {
    nlohmann::json report = {{"live",
                              {{"host", a.host},
                               {"wire", a.wire},
                               {"engines", a.engines},
                               {"seconds", seconds},
                               {"tx", figures(shared.tx)},
                               {"rx", figures(shared.rx)}}}};
    if (windows) report["live"]["tx"]["windows"] = windows->figures();
    sim::write_report_file(a.json == "-" ? "/dev/stdout" : a.json, sim::json_text(report));
  }
  return std::max(tx, rx);
}

}  // namespace

void add_live(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      app.add_subcommand("live", "a NIC between two TAP interfaces: real programs talk through it");
  auto a = std::make_shared<LiveArguments>();
  command->add_option("--host", a->host, "TAP interface of the host, made if there is none")
      ->required();
  command->add_option("--wire", a->wire, "TAP interface of the wire, made if there is none")
      ->required();
  command
      ->add_option("--engine", a->engines,
                   "rtl, model, both in lockstep, or none: frames are just passed on")
      ->capture_default_str();
  command->add_option("--seed", a->seed, "of registers that reset leaves as they are")
      ->capture_default_str();
  command->add_option("--loss", a->loss, "percent of the frames to the wire that get lost")
      ->capture_default_str();
  command->add_option("--duplicate", a->duplicate, "percent of them that leave twice")
      ->capture_default_str();
  command->add_option("--reorder", a->reorder, "percent of them that leave behind the next one")
      ->capture_default_str();
  command->add_option(
      "--pcap", a->pcap,
      "write PREFIX-tx.pcapng, what leaves to the wire, and PREFIX-rx.pcapng, to the host");
  command->add_option("--json", a->json,
                      "write the figures as JSON in the end; - for standard output");
  command->add_option(
      "--window", a->window,
      "figures of marked connections for each so many bytes of a stream, in --json");
  command->add_option("--tx-rtl", a->tx_rtl.file_list,
                      "file list of RTL of your own, in nic_tx's place");
  command->add_option("--tx-top", a->tx_rtl.top, "its top module");
  command->add_option("--rx-rtl", a->rx_rtl.file_list, "the same in nic_rx's place");
  command->add_option("--rx-top", a->rx_rtl.top, "its top module");
  command->add_option("--cache", a->cache, "folder of RTL built on demand");
  command->add_flag("--no-pack", a->no_pack, "no frame counts as marked");
  command->add_flag("--quiet", a->quiet, "no lines, no progress");
  a->options = options_of(registry().device("nic_tx"));
  a->device.add(*command, a->options);
  command->callback([a, &invocation] { invocation.action = [a] { return execute(*a); }; });
}

}  // namespace gw::tools
