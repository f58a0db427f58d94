// SPDX-License-Identifier: Apache-2.0
#include "testbenches/ring/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/reference/ring/allreduce.h"
#include "sim/base/error.h"
#include "sim/harness/chain.h"
#include "testbenches/kit/runner.h"
#include "testbenches/ring/feed.h"
#include "testbenches/ring/model.h"
#include "testbenches/ring/oracle.h"
#include "testbenches/ring/rtl.h"

namespace gw::testbenches {
namespace {

constexpr double kClockMhz = 250;
constexpr uint32_t kSlotsLog2 = 7, kAddLatency = 5;
constexpr int64_t kMostChunk = 8192;  // BeatsLog2 = 7
constexpr double kHeaderBytes = 64;

/// What the options of a run say.
struct RingSetting {
  RingLoad load;
  uint32_t window, beats_log2, timeout;
  double link_gbps, link_ns, host_gbps;
  std::vector<sim::LinkSpec> links;
};

/// "right0:1000-2000", "left2:500": the link from that node, the cycles.
std::pair<size_t, sim::LinkSpec::Dead> dead_link(const std::string& text, uint32_t nodes) {
  const auto wrong = [&text]() -> sim::UsageError {
    return sim::UsageError(fmt::format(
        "--dead {}: a link and cycles are wanted, as right0:1000-2000 (from node 0 to the right, "
        "while it lasts) or left1:500 (for ever)",
        text));
  };
  const size_t colon = text.find(':');
  const bool right = text.starts_with("right");
  if (colon == std::string::npos || (!right && !text.starts_with("left"))) throw wrong();
  const size_t digits = right ? 5 : 4;
  const auto number = [&](const std::string& part) {
    if (part.empty() || part.size() > 18 ||
        part.find_first_not_of("0123456789") != std::string::npos)
      throw wrong();
    return std::stoull(part);
  };
  const uint64_t node = number(text.substr(digits, colon - digits));
  const std::string cycles = text.substr(colon + 1);
  const size_t dash = cycles.find('-');
  sim::LinkSpec::Dead dead{.from = number(cycles.substr(0, dash))};
  if (dash != std::string::npos) dead.to = number(cycles.substr(dash + 1));
  if (right ? node + 1 >= nodes : node == 0 || node >= nodes) {
    throw sim::UsageError(
        fmt::format("--dead {}: node {} of {} has no neighbour there", text, node, nodes));
  }
  return {2 * node + (right ? 0 : 1), dead};
}

RingSetting setting_of(const sim::RunSpec& spec) {
  const sim::OptionSet& o = spec.options;
  RingSetting s;
  s.load.nodes = static_cast<uint32_t>(o.integer("nodes", 2, RingPorts::kMost));
  s.load.bytes = static_cast<uint64_t>(o.integer("bytes", 4, int64_t{1} << 40));
  s.load.chunk = static_cast<uint32_t>(o.integer("chunk", 4, kMostChunk));
  s.load.operations = static_cast<uint64_t>(o.integer("ops", 1, int64_t{1} << 40));
  s.load.irregular = spec.stimulus.synth == "irregular";
  s.load.seed = spec.seed;
  if (s.load.bytes % 4 != 0) throw sim::UsageError("--bytes is a multiple of 4: whole values");
  if (s.load.chunk % 4 != 0) throw sim::UsageError("--chunk is a multiple of 4: whole values");
  const auto skew = static_cast<uint64_t>(o.integer("skew", 0, 1'000'000));
  for (uint32_t i = 0; i < s.load.nodes; ++i) s.load.skew.push_back(i * skew);
  s.window = static_cast<uint32_t>(o.integer("window", 1, 1 << kSlotsLog2));
  s.beats_log2 = 5;
  while ((64u << s.beats_log2) < s.load.chunk) ++s.beats_log2;
  s.link_gbps = o.number("link-gbps", 0.001, 1e5);
  s.link_ns = o.number("link-ns", 0, 1e6);
  s.host_gbps = o.number("host-in-gbps", 0.001, 1e5);

  const double cycles_a_ns = spec.clock_mhz * 1e-3;
  sim::LinkSpec link{.delay = static_cast<uint32_t>(std::lround(s.link_ns * cycles_a_ns)),
                     .capacity = 4096,
                     .loss = o.number("loss", 0, 100),
                     .corrupt = o.number("corrupt", 0, 100),
                     .scramble = true,
                     .seed = spec.seed,
                     .dead = {},
                     .pace = sim::Pace{spec.clock_mhz, sim::ethernet(s.link_gbps)}};
  if (link.loss + link.corrupt > 100) {
    throw sim::UsageError("--loss and --corrupt are percent of all frames: together at most 100");
  }
  using Circle = sim::Ring<RingPorts, RingNodeModel>;
  s.links = Circle::links(link, s.load.nodes);
  if (const std::string& dead = o.word("dead"); !dead.empty()) {
    const auto [at, when] = dead_link(dead, s.load.nodes);
    s.links[at].dead.push_back(when);
  }
  // A round trip and four of the longest frames, twice.
  const double frame = (kHeaderBytes + 24 + s.load.chunk) * 8 / s.link_gbps;
  const double least = 2 * (s.link_ns + 100) + 4 * std::max(frame, s.load.chunk / 12.0);
  s.timeout = static_cast<uint32_t>(o.integer("timeout", 0, (1 << 20) - 1));
  if (s.timeout == 0) {
    s.timeout = static_cast<uint32_t>(
        std::clamp(2 * least * cycles_a_ns, 64.0, static_cast<double>((1 << 20) - 1)));
  }
  return s;
}

/// Chunk by chunk, node by node.
class RingSource final : public sim::Source {
 public:
  RingSource(const RingSetting& s, double clock_mhz, uint64_t most) : load_(s.load) {
    facts_.name = load_.irregular ? "the synthetic stimulus irregular" : "synthetic gradients";
    all_ = load_.operations * load_.chunks() * load_.nodes;
    if (most != 0) all_ = std::min(all_, most * load_.nodes);
    // Cycles that a beat of 64 bytes takes beyond the one in which it is offered.
    beat_gap_ = std::max(0.0, 64 * 8 / s.host_gbps * clock_mhz * 1e-3 - 1);
    gap_.assign(load_.nodes, 0);
  }
  std::optional<sim::RawPacket> next() override {
    if (count_ == all_) return std::nullopt;
    const auto node = static_cast<uint32_t>(count_ % load_.nodes);
    const uint64_t number = count_++ / load_.nodes;
    sim::RawPacket packet;
    packet.bytes = RingFeed::values(load_, node, number);
    packet.port = node;
    packet.gap =
        number == 0 ? static_cast<uint32_t>(load_.skew[node]) : static_cast<uint32_t>(gap_[node]);
    gap_[node] -= std::floor(gap_[node]);
    gap_[node] += beat_gap_ * static_cast<double>((packet.bytes.size() + 63) / 64);
    return packet;
  }
  const sim::SourceFacts& facts() const override {
    facts_.trace = {{"file", nullptr}, {"packets", count_}, {"selected", count_}};
    return facts_;
  }
  uint64_t expected() const override { return all_; }

 private:
  RingLoad load_;
  uint64_t all_ = 0, count_ = 0;
  double beat_gap_ = 0;
  std::vector<double> gap_;  ///< by node: cycles until its next chunk, after the last one's end
  mutable sim::SourceFacts facts_;
};

/// A ring that owns its nodes.
template <class Node>
class RingOf final : public sim::Ring<RingPorts, Node> {
  using Base = sim::Ring<RingPorts, Node>;

 public:
  using Ports = RingPorts;
  RingOf(std::vector<std::unique_ptr<Node>> nodes, const std::vector<sim::LinkSpec>& links)
      : Base(pointers(nodes), links), own_(std::move(nodes)) {}

  void set(std::string_view pin, uint64_t value) {
    for (const auto& node : own_) node->set(pin, value);
  }
  /// A file for each node: node 0's has the name, the others' are named after it.
  int trace(const std::string& path, int64_t from, int64_t to, uint64_t period_ps) {
    for (size_t i = 0; i < own_.size(); ++i) {
      std::filesystem::path file(path);
      if (i != 0) file.replace_filename(fmt::format("{}-node{}.fst", file.stem().string(), i));
      if (const int error = own_[i]->trace(file.string(), from, to, period_ps)) return error;
    }
    return 0;
  }
  std::string finish() {
    std::string why;
    for (const auto& node : own_) why += node->finish();
    return why;
  }

 private:
  static std::vector<Node*> pointers(const std::vector<std::unique_ptr<Node>>& nodes) {
    std::vector<Node*> all;
    for (const auto& node : nodes) all.push_back(node.get());
    return all;
  }
  std::vector<std::unique_ptr<Node>> own_;
};
using RingModel = RingOf<RingNodeModel>;
using RingRtl = RingOf<RingNodeRtl>;

std::vector<std::string> node_statistics() {
  std::vector<std::string> names = {"chunks", "results", "sums"};
  for (const char* side : {"left", "right"}) {
    for (const char* what : {"data", "again", "control", "taken", "control_in", "bad", "foreign",
                             "duplicate", "gap", "timeouts"}) {
      names.push_back(fmt::format("{}_{}", side, what));
    }
  }
  return names;
}

/// Of a ring: node by node.
std::vector<std::string> ring_statistics(uint32_t nodes) {
  std::vector<std::string> all;
  for (uint32_t node = 0; node < nodes; ++node) {
    for (const std::string& name : node_statistics()) {
      all.push_back(fmt::format("node{}_{}", node, name));
    }
  }
  return all;
}

/// Of the RTL of a node.
sim::Device::Facts node_facts() {
  sim::Device::Facts facts{.name = "ring_nic",
                           .clock_mhz = kClockMhz,
                           .top = "gw_ring_nic",
                           .file_list = "rtl/ring/gw_ring_nic.f",
                           .beat_bytes = RingPorts::Beat::kBytes,
                           .pins = {{"node_i", 8},
                                    {"nodes_i", 8},
                                    {"session_i", 16},
                                    {"window_i", static_cast<int>(kSlotsLog2) + 1},
                                    {"timeout_i", 20}},
                           .statistics = node_statistics()};
  facts.inputs.assign(RingTopPorts::kInputs.begin(), RingTopPorts::kInputs.end());
  facts.outputs.assign(RingTopPorts::kOutputs.begin(), RingTopPorts::kOutputs.end());
  facts.probe.assign(RingTopPorts::kPinsOfProbe.begin(), RingTopPorts::kPinsOfProbe.end());
  return facts;
}

std::vector<sim::Option> ring_options() {
  const char* const group = "Ring";
  return {
      {"nodes", "nodes of the ring, 2 to 8", "2", group},
      {"bytes", "bytes of gradients of an operation, a multiple of 4", "65536", group},
      {"ops", "operations, one after the other", "1", group},
      {"chunk", "bytes of a chunk, a multiple of 4 up to 8192", "2048", group},
      {"window", "chunks under way at a time, 1 to 128", "128", group},
      {"timeout", "cycles until frames are sent again; 0: as links and chunks need", "0", group},
      {"link-gbps", "rate of the links", "100", group},
      {"link-ns", "delay of the links in ns, MACs included", "870", group},
      {"host-in-gbps", "rate at which hosts give their gradients", "95", group},
      {"skew", "cycles by which each host begins after the one before it", "0", group},
      {"loss", "percent of the frames that are lost", "0", group},
      {"corrupt", "percent of the frames that arrive with a bad FCS", "0", group},
      {"dead", "a link and the cycles in which it is dead: right0:1000-2000, left1:500", "",
       group}};
}

class RingNicDevice final : public DeviceOf<RingPorts, RingModel, RingRtl> {
 public:
  RingNicDevice()
      : DeviceOf({.name = "ring_nic",
                  .family = "ring",
                  .summary =
                      "allreduce in the NIC: a ring of nodes that sum their hosts' gradients "
                      "(NTT's FPGA Ring-Allreduce)",
                  .clock_mhz = kClockMhz,
                  .burst_is_input = true,
                  .line = sim::ethernet(100),
                  .linked = true,
                  .top = "gw_ring_nic",
                  .file_list = "rtl/ring/gw_ring_nic.f",
                  .statistics = ring_statistics(2),
                  .options = ring_options(),
                  .stimuli = {{"gradients", "about normal, of a deviation of 2^-7"},
                              {"irregular", "any bits: zeros, subnormal numbers, infinities, NaN"}},
                  .compared = {"/ring/latency_ns/max", "/ring/algbw_gbps"}}) {
    for (uint32_t nodes = 0; nodes <= RingPorts::kMost; ++nodes) {
      facts_of_.push_back(facts());
      facts_of_.back().statistics = ring_statistics(nodes);
    }
  }

  const Facts& facts_of(const sim::RunSpec& spec) const override {
    return facts_of_[setting_of(spec).load.nodes];
  }

  void check(const sim::RunSpec& spec) const override {
    if (!spec.stimulus.trace.empty() || !spec.stimulus.filter.empty()) {
      throw sim::UsageError("ring_nic takes synthetic gradients: --synth gradients or irregular");
    }
    setting_of(spec);
  }
  std::unique_ptr<sim::Source> source(const sim::RunSpec& spec) const override {
    const std::string& synth = spec.stimulus.synth;
    if (!synth.empty() && synth != "gradients" && synth != "irregular") {
      throw sim::UsageError(
          fmt::format("unknown stimulus of ring_nic '{}'; there are gradients, irregular", synth));
    }
    return std::make_unique<RingSource>(setting_of(spec), spec.clock_mhz, spec.stimulus.packets);
  }
  std::unique_ptr<sim::PacketWriter> writer(const std::string&, const sim::Source&,
                                            const sim::RunSpec&) const override {
    throw sim::UsageError("what leaves ring_nic are chunks without headers: no capture holds them");
  }
  std::vector<std::pair<std::string, std::string>> parameters(
      const sim::RunSpec& spec) const override {
    return {{"BeatsLog2", std::to_string(setting_of(spec).beats_log2)}};
  }
  sim::Outcome run(sim::Source& source, const sim::RunSpec& spec, sim::Kernel& kernel,
                   sim::PacketWriter* writer) const override {
    sim::Outcome outcome = DeviceOf::run(source, spec, kernel, writer);
    add_figures(spec, outcome);
    return outcome;
  }

 protected:
  sim::Boot boot(const sim::RunSpec&) const override {
    return {.writes = {}, .edges = RingNodeModel::kSilence};
  }
  std::vector<std::pair<std::string, uint64_t>> pins(const sim::RunSpec& spec) const override {
    return {{"session_i", session_of(spec)}};
  }
  /// A new session with each reset of the ring.
  sim::RunSpec unlike(const sim::RunSpec& spec) const override {
    sim::RunSpec other = spec;
    other.seed = spec.seed + 1;
    return other;
  }
  std::unique_ptr<RingModel> model(const sim::RunSpec& spec) const override {
    const RingSetting s = setting_of(spec);
    std::vector<std::unique_ptr<RingNodeModel>> nodes;
    for (uint32_t i = 0; i < s.load.nodes; ++i) {
      nodes.push_back(std::make_unique<RingNodeModel>(
          systemc::RingBuild{
              .slots_log2 = kSlotsLog2, .beats_log2 = s.beats_log2, .add_latency = kAddLatency},
          systemc::RingPins{.node = static_cast<uint8_t>(i),
                            .nodes = static_cast<uint8_t>(s.load.nodes),
                            .session = session_of(spec),
                            .window = s.window,
                            .timeout = s.timeout}));
    }
    return std::make_unique<RingModel>(std::move(nodes), s.links);
  }
  std::vector<CompiledRtl> compile(const sim::RunSpec& spec, bool traced) const override {
    const RingSetting s = setting_of(spec);
    std::vector<CompiledRtl> all;
    for (uint32_t i = 0; i < s.load.nodes; ++i) {
      all.push_back(compile_rtl(node_facts(), parameters(spec), spec, traced));
    }
    return all;
  }
  std::unique_ptr<RingRtl> rtl(const std::vector<CompiledRtl>& compiled,
                               const sim::RunSpec& spec) const override {
    const RingSetting s = setting_of(spec);
    std::vector<std::unique_ptr<RingNodeRtl>> nodes;
    for (uint32_t i = 0; i < s.load.nodes; ++i) {
      nodes.push_back(std::make_unique<RingNodeRtl>(compiled[i], spec.seed + i, i));
      RingNodeRtl& node = *nodes.back();
      node.set("node_i", i);
      node.set("nodes_i", s.load.nodes);
      node.set("session_i", session_of(spec));
      node.set("window_i", s.window);
      node.set("timeout_i", s.timeout);
    }
    return std::make_unique<RingRtl>(std::move(nodes), s.links);
  }
  std::unique_ptr<sim::Oracle<Beat>> oracle(const sim::RunSpec& spec) const override {
    const RingSetting s = setting_of(spec);
    // Without faults nothing is sent again: the ring is still soon after its last result.
    const bool faults = std::ranges::any_of(s.links, [](const sim::LinkSpec& link) {
      return link.loss != 0 || link.corrupt != 0 || !link.dead.empty();
    });
    return std::make_unique<RingOracle>(s.load.nodes, true,
                                        (faults ? 17 : 1) * uint64_t{s.timeout});
  }
  std::string describe(bool, size_t, const sim::Packet<Beat>& packet, size_t beat) const override {
    const Beat& b = packet.beats[beat];
    const int lanes = valid_bytes(b) / 4;
    std::string words;
    for (int lane = 0; lane < std::min(4, lanes); ++lane) {
      words += fmt::format("{}{:g}", words.empty() ? "" : " ",
                           std::bit_cast<float>(b.data[static_cast<size_t>(lane)]));
    }
    return words + (lanes > 4 ? " ..." : "");
  }

 private:
  std::vector<Facts> facts_of_;  ///< by the number of nodes

  static uint16_t session_of(const sim::RunSpec& spec) {
    return static_cast<uint16_t>(0x5A17 + spec.seed);
  }

  void add_figures(const sim::RunSpec& spec, sim::Outcome& outcome) const {
    const RingSetting s = setting_of(spec);
    const uint32_t n = s.load.nodes;
    const sim::Timeline& t = outcome.timeline;
    nlohmann::json& ring = outcome.sections["ring"];
    ring["nodes"] = n;
    ring["chunk_bytes"] = s.load.chunk;
    ring["window"] = s.window;
    ring["operations"] = s.load.operations;
    ring["bytes"] = s.load.bytes;
    ring["hops"] = 2 * (n - 1);
    const double ns = 1e3 / spec.clock_mhz;
    uint64_t begin = UINT64_MAX, end = 0;
    for (uint32_t i = 0; i < n; ++i) {
      if (t.in[i].beats != 0) begin = std::min(begin, t.in[i].first);
      end = std::max(end, t.out[i].last);
    }
    if (t.latency.n() != 0) {
      const auto rows = t.latency.rows();
      ring["latency_ns"] = {{"min", ns * static_cast<double>(rows.front().first)},
                            {"mean", ns * t.latency.mean()},
                            {"max", ns * static_cast<double>(rows.back().first)}};
      const double total = ns * static_cast<double>(end - begin);
      const double bytes = static_cast<double>(t.in[0].bytes);
      ring["total_ns"] = total;
      ring["algbw_gbps"] = 8 * bytes / total;
      ring["busbw_gbps"] = 8 * bytes / total * 2 * (n - 1) / n;
      ring["alpha_ns"] = total / (2 * (n - 1));
    }
    ring["processing_cycles"] = 12 + (kAddLatency + 8) * (n - 1) + 6 * (n - 2);
    ring["model_ns"] = 2 * 944 * (n - 1);
    uint64_t waits = 0;
    for (uint32_t i = 0; i < n; ++i) waits += t.in[i].device_stalls;
    ring["window_wait_cycles"] = waits;
    nlohmann::json frames = {{"agg", 0}, {"bcast", 0}, {"control", 0}, {"again", 0}};
    nlohmann::json dropped = {{"bad", 0}, {"foreign", 0}, {"duplicate", 0}, {"gap", 0}};
    const auto add = [](nlohmann::json& to, const char* key, uint32_t more) {
      to[key] = to[key].get<uint64_t>() + more;
    };
    for (size_t node = 0; (node + 1) * RingNodePorts::kStatWords <= outcome.statistics.size();
         ++node) {
      const uint32_t* const words = &outcome.statistics[node * RingNodePorts::kStatWords];
      for (const size_t side : {3, 13}) {
        add(frames, side == 3 ? "bcast" : "agg", words[side]);
        add(frames, "again", words[side + 1]);
        add(frames, "control", words[side + 2]);
        add(dropped, "bad", words[side + 5]);
        add(dropped, "foreign", words[side + 6]);
        add(dropped, "duplicate", words[side + 7]);
        add(dropped, "gap", words[side + 8]);
      }
    }
    ring["frames"] = frames;
    ring["dropped"] = dropped;
  }
};

}  // namespace

void add_ring_devices(sim::Registry& registry) { registry.add(std::make_unique<RingNicDevice>()); }

}  // namespace gw::testbenches
