// gradwire live: one NIC between two interfaces of Linux. What the host sends goes through nic_tx
// to the wire, what the wire brings through nic_rx to the host: RTL and model in lockstep, the
// reference on each frame.
//
// The two directions are two processes: each has a clock of its own, which stands while nothing is
// in flight, and a core of the machine. They share what they count.
// SPDX-License-Identifier: Apache-2.0
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
#include <cstring>
#include <ctime>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/reference/capture/capture.h"
#include "models/reference/nic/nic.h"
#include "sim/base/error.h"
#include "sim/base/interrupt.h"
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
#include "tools/gradwire/live_figures.h"
#include "tools/gradwire/progress.h"
#include "tools/gradwire/stream_windows.h"

namespace gw::tools {
namespace {

using Clock = std::chrono::steady_clock;

namespace nic = reference::nic;

/// Flows that nic_rx has nic_tx forget, from one process to the other.
class Forgotten {
 public:
  /// When as many wait as it holds, the flow is left out: its far side will answer once more.
  void push(const nic::FlowKey& flow) {
    const uint32_t at = pushed_.load();
    if (at - taken_.load() == kHeld) return;
    flows_[at % kHeld] = flow;
    pushed_ = at + 1;
  }
  std::optional<nic::FlowKey> take() {
    const uint32_t at = taken_.load();
    if (at == pushed_.load()) return std::nullopt;
    const nic::FlowKey flow = flows_[at % kHeld];
    taken_ = at + 1;
    return flow;
  }

 private:
  static constexpr uint32_t kHeld = 64;
  std::array<nic::FlowKey, kHeld> flows_{};
  std::atomic<uint32_t> pushed_{0}, taken_{0};
};

/// In memory that both processes have.
struct Shared {
  LiveCounts tx, rx;
  Forgotten forgotten;
  std::atomic<bool> rx_ready{false};  ///< RTL is built, frames are asked for
  std::atomic<bool> stop{false};
};

volatile std::sig_atomic_t g_stop = 0;
volatile pid_t g_child = 0;

/// The first signal lets what is in flight out. A second one does not wait, unless it comes within
/// a second: `timeout` and a service manager signal a process, and then its group. nic_rx's process
/// leaves that to the other one, which ends it.
void stop_on_signals() {
  struct sigaction action = {};
  action.sa_handler = [](int signal) {
    static volatile std::sig_atomic_t first = 0;
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (g_stop == 0) {
      first = static_cast<std::sig_atomic_t>(now.tv_sec);
      g_stop = 1;
    } else if (g_child != 0 && static_cast<std::sig_atomic_t>(now.tv_sec) - first > 1) {
      kill(g_child, SIGKILL);
      std::signal(signal, SIG_DFL);
      std::raise(signal);
    }
  };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // The terminal is closed; who ignores that, as under nohup, goes on.
  struct sigaction before = {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
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
  /// nic_tx forgets it: no segment of it is packed any more.
  void forget(const Segment::Flow& flow) { syns_.erase(flow); }
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
  LiveCounts& counts;
  Shared& shared;
  bool transmits;               ///< it is nic_tx's
  nic::NicConfig marks;         ///< what users mark
  nic::NicConfig config;        ///< of nic_tx: the same, unless it packs nothing
  bool quiet;                   ///< nothing is said of single flows
  std::string pcap;             ///< file of what leaves it; empty: none
  std::function<void()> ready;  ///< called once: from now on frames are asked for
  std::function<void()> watch;  ///< called several times a second; may be empty
  Impairments impairments = {};
  StreamWindows* windows = nullptr;  ///< of what leaves it; may be null
};

bool stopping(const Shared& shared) { return g_stop != 0 || shared.stop.load(); }

/// The traffic class of an IPv6 frame, whatever tags it has.
std::optional<uint8_t> ipv6_class(std::span<const uint8_t> frame) {
  size_t at = 12;
  const auto word = [&frame](size_t i) { return frame[i] << 8 | frame[i + 1]; };
  while (at + 6 <= frame.size() && (word(at) == 0x8100 || word(at) == 0x88A8)) at += 4;
  if (at + 4 > frame.size() || word(at) != 0x86DD || frame[at + 2] >> 4 != 6) return std::nullopt;
  return static_cast<uint8_t>(word(at + 2) >> 4);
}

/// Frames of an interface. While the device has some it says "not yet" when none waits; when all
/// have left, or none came for longer than one stays in it (it drops some), the clock stands until
/// one comes.
class TapSource final : public sim::Source {
 public:
  explicit TapSource(const Direction& direction) : direction_(direction) {
    facts_.name = "the interface " + direction.from.name();
    facts_.trace = {{"path", direction.from.name()}};
  }

  std::optional<sim::RawPacket> next() override {
    if (!std::exchange(ready_, true)) direction_.ready();
    for (;;) {
      watch();
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
  /// Frames that were read.
  uint64_t taken() const { return id_; }

 private:
  /// The loop asks in every 64th cycle: so many are 2,048 cycles, more than the devices' queues
  /// hold.
  static constexpr int kAsks = 32;
  static constexpr std::chrono::milliseconds kWatch{50};

  std::optional<sim::RawPacket> frame(size_t bytes) {
    empty_ = 0;
    ++inside_;
    sim::RawPacket packet;
    packet.bytes.assign(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(bytes));
    packet.bytes.resize(std::max<size_t>(bytes, 60));  // as a MAC pads
    sizes_[id_++ % sizes_.size()] = static_cast<uint32_t>(packet.bytes.size());
    ++direction_.counts.frames_in;
    direction_.counts.bytes_in += packet.bytes.size();
    if (const std::optional<uint8_t> traffic_class = ipv6_class(packet.bytes)) {
      ++direction_.counts.ipv6;
      const nic::NicConfig& marks = direction_.marks;
      const bool marked = ((*traffic_class ^ marks.mark) & marks.mark_mask) == 0;
      if (marked) ++direction_.counts.ipv6_marked;
    }
    if (direction_.transmits) forget(packet);
    history_.add(packet.bytes);
    return packet;
  }
  /// The next frame takes along what nic_rx has to say to nic_tx: at its first beat, as in
  /// hardware.
  void forget(sim::RawPacket& packet) {
    const std::optional<nic::FlowKey> flow = direction_.shared.forgotten.take();
    if (!flow) return;
    packet.own_config = true;
    packet.config = testbenches::nic_tx_words(direction_.config, flow);
    history_.forget(*flow);
  }
  void watch() {
    const auto now = Clock::now();
    if (!direction_.watch || now < next_watch_) return;
    next_watch_ = now + kWatch;
    direction_.watch();
  }

  const Direction& direction_;
  std::array<uint8_t, sim::Tap::kLongest> buffer_;
  std::array<uint32_t, 1024> sizes_{};  // of those that may be in the device
  uint64_t id_ = 0, inside_ = 0;
  int empty_ = 0;
  bool waits_ = true, ready_ = false;
  Clock::time_point next_watch_;
  sim::SourceFacts facts_;
  History history_;
};

/// Frames into an interface.
class TapWriter final : public sim::PacketWriter {
 public:
  TapWriter(const Direction& direction, TapSource& source)
      : direction_(direction), source_(source), random_(direction.impairments.seed) {
    const std::vector<std::string>& actions = registry().device(direction.name).facts().actions;
    const auto dropped = std::ranges::find(actions, "reserved");
    if (dropped != actions.end()) dropped_ = static_cast<size_t>(dropped - actions.begin());
    const auto mended = std::ranges::find(actions, "mended");
    if (mended != actions.end()) mended_ = static_cast<size_t>(mended - actions.begin());
    if (direction.pcap.empty()) return;
    capture_ =
        sim::open_frame_writer({.path = direction.pcap, .actions = actions, .option = "--pcap"},
                               [](const sim::Passage&) { return wall_ns(); });
  }

  void write(const sim::Passage& passage, const std::vector<uint8_t>& bytes) override {
    LiveCounts& counts = direction_.counts;
    counts.latency += passage.offered - passage.accepted;
    counts.cycles = passage.last;
    if (passage.action < counts.actions.size()) {
      passed_by(passage.id);
      ++counts.actions[passage.action];
    }
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
    if (passage.action == mended_) forget(bytes);
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
  /// The device is empty.
  void ended() { passed_by(source_.taken()); }

 private:
  /// Frames keep their order: those before `id` that have not left never will.
  void passed_by(uint64_t id) {
    if (dropped_ < LiveCounts::kMostActions) {
      direction_.counts.actions[dropped_] += id - std::min(id, next_id_);
    }
    next_id_ = id + 1;
  }
  /// What nic_rx says to nic_tx of an ICMP error that it has mended; forget_o says the same, as the
  /// run checks.
  void forget(const std::vector<uint8_t>& frame) {
    const std::optional<nic::FlowKey> flow = nic::forgotten_flow(frame);
    if (!flow) return;
    direction_.shared.forgotten.push(*flow);
    ++direction_.counts.forgets;
    if (direction_.quiet || flow == said_) return;
    said_ = flow;
    const auto& k = *flow;
    fmt::print(
        "live: {}.{}.{}.{} takes no packed frames (protocol unreachable: no nic_rx there): what "
        "port {} sends to its port {} goes on unpacked\n",
        k[4], k[5], k[6], k[7], k[8] << 8 | k[9], k[10] << 8 | k[11]);
    std::fflush(stdout);
  }
  bool happens(double percent) { return percent > 0 && 100 * random_.unit() < percent; }
  void put(const std::vector<uint8_t>& bytes) {
    LiveCounts& counts = direction_.counts;
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
  std::vector<uint8_t> late_;                  // goes after the next one
  size_t dropped_ = LiveCounts::kMostActions;  // the action of a frame that the device drops
  size_t mended_ = LiveCounts::kMostActions;   // and of an ICMP error about a packed one
  std::optional<nic::FlowKey> said_;
  uint64_t next_id_ = 0;
};

struct LiveArguments {
  DeviceOptions device;
  std::vector<sim::Option> options;
  std::string host, wire, engines = "rtl,model", pcap, json, cache, seed = "1";
  std::string loss = "0", duplicate = "0", reorder = "0", window;
  std::string stats, stats_format = "json";
  sim::UserRtl tx_rtl, rx_rtl;
  bool quiet = false, no_pack = false, no_assert = false;
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
  // All frames that it had, whoever sent them.
  std::vector<std::string> words = {"run", device.name(), "--trace", file, "--host", "any"};
  const auto say = [&](const std::string& option, const std::string& value) {
    words.insert(words.end(), {"--" + option, value});
  };
  for (const auto& [name, value] : spec.options.changed()) say(name, value);
  if (spec.rtl != spec.model) say("engine", spec.rtl ? "rtl" : "model");
  if (spec.seed != sim::RunSpec{}.seed) say("seed", std::to_string(spec.seed));
  if (!spec.user_rtl.top.empty()) {
    say("rtl", spec.user_rtl.file_list);
    say("top", spec.user_rtl.top);
    if (!spec.assertions) words.emplace_back("--no-assert");
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
  if (outcome.passed) writer.ended();
  if (outcome.passed || outcome.interrupted) return sim::kPass;
  const std::string file = fmt::format("gradwire-live-{}-{}.pcap", direction.name, getpid());
  source.history().write(file);
  fmt::print(
      stderr,
      "gradwire: {} diverged in cycle {}: {}\n  the last frames are in {}; to repeat it: {}\n",
      direction.name, outcome.failure.cycle, sentence(outcome.failure), file,
      repeats(device, spec, file));
  return sim::kCheckFailed;
}

/// Those of nic_tx say all: a packed frame tells nic_rx how it was packed.
std::vector<sim::Option> options_of(const sim::Device& tx) {
  std::vector<sim::Option> all;
  for (const sim::Option& option : tx.facts().options) {
    if (!option.stimulus && option.group != "Captures") all.push_back(option);
  }
  return all;
}

/// The process of nic_rx, which the other one began and waits for.
class Child {
 public:
  explicit Child(pid_t process) : process_(process) { g_child = process; }
  /// It has ended; one that was killed is said once.
  bool ended() {
    if (!over_ && waitpid(process_, &status_, WNOHANG) == process_) note();
    return over_;
  }
  /// Lets it end, with its exit code.
  int code() {
    if (!over_) kill(process_, SIGTERM);
    while (!over_) {
      if (waitpid(process_, &status_, 0) == process_ || errno != EINTR) note();
    }
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : sim::kInternal;
  }

 private:
  void note() {
    over_ = true;
    g_child = 0;
    if (!WIFSIGNALED(status_)) return;
    fmt::print(stderr,
               "gradwire: the process of nic_rx was killed by signal {} ({}): this NIC ends; its "
               "capture of that direction may be cut\n",
               WTERMSIG(status_), strsignal(WTERMSIG(status_)));
  }

  pid_t process_;
  int status_ = 0;
  bool over_ = false;
};

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
  spec.assertions = !a.no_assert;
  if (a.no_assert && a.tx_rtl.file_list.empty() && a.rx_rtl.file_list.empty()) {
    throw sim::UsageError(
        "--no-assert is about RTL of your own and goes with --tx-rtl or --rx-rtl");
  }
  const sim::Device& tx_device = registry().device("nic_tx");
  const nic::NicConfig marks = testbenches::nic_config(a.device.values(tx_device));
  sim::OptionSet options = a.device.values(tx_device);
  // No socket has this mark: DSCP 63 with both bits of ECN looked at, too.
  if (a.no_pack) options.set("mark", "0xFF").set("mark-mask", "0xFF");
  const nic::NicConfig config = testbenches::nic_config(options);
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
  const std::map<std::string, LiveFigures::Format> formats = {
      {"json", LiveFigures::Format::kJson}, {"prometheus", LiveFigures::Format::kPrometheus}};
  const auto format = formats.find(a.stats_format);
  if (format == formats.end()) {
    throw sim::UsageError(
        fmt::format("--stats-format '{}' is not json or prometheus", a.stats_format));
  }
  if (a.stats.empty() && a.stats_format != "json") {
    throw sim::UsageError("--stats-format has no effect without --stats");
  }
  sim::Tap host(a.host), wire(a.wire);

  namespace ipc = boost::interprocess;
  ipc::mapped_region memory = ipc::anonymous_shared_memory(sizeof(Shared));
  Shared& shared = *new (memory.get_address()) Shared;
  sim::expect_report_files({a.json});
  const sim::Device& rx_device = registry().device("nic_rx");
  LiveFigures live(a.host, a.wire,
                   {{{"tx", &shared.tx, "packed", tx_device.facts().actions},
                     {"rx", &shared.rx, "unpacked", rx_device.facts().actions}}});
  if (!a.stats.empty()) live.keep(a.stats, format->second);
  Progress progress(a.quiet);
  spec.note = progress.note();

  const auto run = [&](const Direction& direction) {
    const sim::Device& device = registry().device(direction.name);
    sim::RunSpec own = spec;
    own.options = sim::OptionSet(device.facts().options);
    own.user_rtl = a.rx_rtl;
    if (&device == &tx_device) {
      own.options = options;
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
  // Whoever builds RTL ends that at once; from the first frame on what is in flight is let out.
  sim::catch_interrupts();
  std::fflush(stdout);
  fork_event(boost::asio::io_context::fork_prepare);
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process < 0) throw sim::InputError("no second process can be started for nic_rx");
  if (process == 0) {
    // Ctrl-C signals the terminal's group, which this process is not of: the other one ends it. It
    // never outlives that.
    setpgid(0, 0);
    std::signal(SIGTTOU, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) shared.stop = true;
    fork_event(boost::asio::io_context::fork_child);
    const auto ready = [&shared] {
      stop_on_signals();
      shared.rx_ready = true;
    };
    const int code = run({.name = "nic_rx",
                          .from = wire,
                          .to = host,
                          .counts = shared.rx,
                          .shared = shared,
                          .transmits = false,
                          .marks = marks,
                          .config = config,
                          .quiet = a.quiet || a.json == "-",
                          .pcap = pcap("rx"),
                          .ready = ready,
                          .watch = {}});
    if (getppid() != parent) {
      fmt::print(stderr, "gradwire: the process of nic_tx was killed: nic_rx ends, too\n");
    }
    std::fflush(stdout);
    std::fflush(stderr);
    _exit(code);
  }
  setpgid(process, process);  // who comes first
  Child child(process);
  fork_event(boost::asio::io_context::fork_parent);

  bool told = false;
  Clock::time_point next_second;
  const auto watch = [&] {
    if (child.ended()) shared.stop = true;
    const auto now = Clock::now();
    if (told && now >= next_second) {
      next_second = std::max(next_second + std::chrono::seconds(1), now);
      live.second(!a.quiet);
    } else if (!told && shared.rx_ready) {
      told = true;
      next_second = now + std::chrono::seconds(1);
      progress.done();
      if (a.quiet) return;
      fmt::print("live: {} (host) to {} (wire); Ctrl-C ends it\n", a.host, a.wire);
      std::fflush(stdout);
    }
  };
  const int tx = run({.name = "nic_tx",
                      .from = host,
                      .to = wire,
                      .counts = shared.tx,
                      .shared = shared,
                      .transmits = true,
                      .marks = marks,
                      .config = config,
                      .quiet = a.quiet || a.json == "-",
                      .pcap = pcap("tx"),
                      .ready = stop_on_signals,
                      .watch = watch,
                      .impairments = impairments,
                      .windows = windows ? &*windows : nullptr});
  const int rx = child.code();
  const double seconds = live.seconds();
  const int figures = live.end(!a.quiet && a.json != "-") ? sim::kPass : sim::kBadInput;
  if (!a.json.empty()) {
    nlohmann::json report = {{"live",
                              {{"host", a.host},
                               {"wire", a.wire},
                               {"engines", a.engines},
                               {"seconds", seconds},
                               {"tx", live.report(0)},
                               {"rx", live.report(1)}}}};
    if (windows) report["live"]["tx"]["windows"] = windows->figures();
    sim::write_report_file(a.json == "-" ? "/dev/stdout" : a.json, sim::json_text(report));
  }
  return std::max({tx, rx, figures});
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
  command->add_option("--reorder", a->reorder, "percent of them that leave after the next one")
      ->capture_default_str();
  command->add_option(
      "--pcap", a->pcap,
      "write PREFIX-tx.pcapng, what leaves to the wire, and PREFIX-rx.pcapng, to the host");
  command->add_option("--json", a->json,
                      "write the figures as JSON in the end; - for standard output");
  command->add_option("--stats", a->stats,
                      "write figures to FILE once a second while it runs, for other programs");
  command
      ->add_option("--stats-format", a->stats_format,
                   "of --stats: json, a line a second, or prometheus, for node_exporter's textfile "
                   "collector: the file is replaced")
      ->capture_default_str();
  command->add_option(
      "--window", a->window,
      "figures of marked connections for each so many bytes of a stream, in --json");
  command->add_option("--tx-rtl", a->tx_rtl.file_list,
                      "file list of RTL of your own, in nic_tx's place");
  command->add_option("--tx-top", a->tx_rtl.top, "its top module");
  command->add_option("--rx-rtl", a->rx_rtl.file_list, "the same in nic_rx's place");
  command->add_option("--rx-top", a->rx_rtl.top, "its top module");
  command->add_option("--cache", a->cache, "folder of RTL built on demand");
  command->add_flag("--no-assert", a->no_assert,
                    "leave out the assertions of RTL of your own, SVA and GW_ASSERT, which end a "
                    "run when they fail");
  command->add_flag("--no-pack", a->no_pack, "no frame counts as marked");
  command->add_flag("--quiet", a->quiet, "no lines, no progress");
  a->options = options_of(registry().device("nic_tx"));
  a->device.add(*command, a->options);
  command->callback([a, &invocation] { invocation.action = [a] { return execute(*a); }; });
}

}  // namespace gw::tools
