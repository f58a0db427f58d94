// gradwire trace info|slice|synth: what is in a capture, cut one, make one.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "models/reference/capture/capture.h"
#include "models/reference/capture/filter.h"
#include "models/reference/expether/frame.h"
#include "sim/base/error.h"
#include "sim/feeds/captures.h"
#include "sim/feeds/gradients.h"
#include "sim/report/json.h"
#include "testbenches/switch/options.h"
#include "testbenches/switch/traffic.h"
#include "tools/gradwire/commands.h"
#include "tools/gradwire/device_options.h"

namespace gw::tools {
namespace {

using nlohmann::json;

namespace expether = reference::expether;

struct TraceArguments {
  std::string file, output, json_path, kind, filter;
  bool expether = false;
  uint64_t first = 1, last = UINT64_MAX, max_bytes = 0, seed = 1;
  std::optional<uint64_t> packets;
  DeviceOptions traffic, reading;
};

capture::Filter compiled_filter(const TraceArguments& a) {
  capture::Expected<capture::Filter> filter = capture::Filter::compile(a.filter);
  if (!filter) throw sim::UsageError(filter.error().sentence);
  return std::move(filter).value();
}

json info_json(const capture::Info& info) {
  json flows = json::array();
  for (const capture::Flow& flow : info.flows) {
    flows.push_back({{"flow", flow.key.to_string()},
                     {"packets", flow.packets},
                     {"payload_bytes", flow.payload_bytes},
                     {"marked", flow.marked},
                     {"selected", flow.selected},
                     {"selected_bytes", flow.selected_bytes}});
  }
  return {{"file", info.file},
          {"format", info.format},
          {"packets", info.packets},
          {"captured_bytes", info.captured_bytes},
          {"original_bytes", info.original_bytes},
          {"seconds", static_cast<double>(info.last_ns - info.first_ns) * 1e-9},
          {"layers",
           {{"vlan", info.vlan},
            {"arp", info.arp},
            {"ipv4", info.ipv4},
            {"ipv6", info.ipv6},
            {"tcp", info.tcp},
            {"udp", info.udp},
            {"other_network", info.other_network},
            {"other_transport", info.other_transport}}},
          {"snapped", info.snapped},
          {"bad_checksums", info.bad_checksums},
          {"marked", info.marked},
          {"selected", info.selected},
          {"selected_bytes", info.selected_bytes},
          {"skipped", info.skipped},
          {"flows", std::move(flows)}};
}

/// Frames of the optimizer switch by kind, malformed ones by reason.
class ExpEtherCounter {
 public:
  void add(const capture::Packet& packet) {
    const expether::Classified what = expether::classify(packet.bytes);
    if (what.kind == expether::Kind::kNotExpEther) return;
    ++frames_;
    if (packet.original_length > packet.bytes.size()) {
      ++truncated_;  // what it was on the wire, nobody can say
      return;
    }
    ++kinds_[std::string(name_of(what.kind))];
    if (what.kind == expether::Kind::kMalformed) ++reasons_[std::string(name_of(what.reason))];
  }
  json sums() const {
    return {
        {"frames", frames_}, {"kinds", kinds_}, {"malformed", reasons_}, {"truncated", truncated_}};
  }

 private:
  std::map<std::string, uint64_t> kinds_, reasons_;
  uint64_t frames_ = 0, truncated_ = 0;
};

void print_expether(const json& d) {
  const auto frames = d["frames"].get<uint64_t>();
  if (frames == 0) return;
  fmt::print("ExpEther {}\n", frames);
  for (const auto& [kind, n] : d["kinds"].items()) {
    fmt::print("  {:<26} {}\n", kind, n.get<uint64_t>());
  }
  for (const auto& [reason, n] : d["malformed"].items()) {
    fmt::print("  malformed {:<16} {}\n", reason, n.get<uint64_t>());
  }
  if (const auto truncated = d["truncated"].get<uint64_t>()) {
    fmt::print("  {:<26} {}\n", "truncated", truncated);
  }
}

/// What a run of the capture says of it, too, and what a NIC would do otherwise.
std::vector<std::string> info_notes(const capture::Info& info) {
  std::vector<std::string> notes = sim::notes_of(info.selection, info.selection.assumed);
  if (info.selection.ipv6 != 0) {
    notes.push_back(
        fmt::format("{} of the selected packets came over IPv6, which a NIC passes "
                    "unpacked",
                    info.selection.ipv6));
  }
  if (info.fcs_possible >= 4 && info.fcs * 10 >= info.fcs_possible * 9) {
    notes.push_back(sim::fcs_note(info.fcs, info.fcs_possible));
  }
  return notes;
}

/// The most frequent first.
std::vector<std::pair<std::string, uint64_t>> by_count(
    const std::map<std::string, uint64_t>& counts) {
  std::vector<std::pair<std::string, uint64_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::ranges::greater(),
                           &std::pair<std::string, uint64_t>::second);
  return sorted;
}

int info(const TraceArguments& a) {
  const capture::Filter filter = compiled_filter(a);
  const sim::OptionSet options = a.reading.values(sim::with_capture_options({}));
  capture::Expected<capture::Reader> reader =
      capture::Reader::open(a.file, sim::reader_options(options));
  if (!reader) throw sim::InputError(reader.error().sentence);
  capture::Counter counter(sim::select_options(options, /*filtered=*/false));
  ExpEtherCounter expether;
  while (const std::optional<capture::Record> record = reader->next()) {
    if (!filter.matches(record->bytes, record->original_length)) continue;
    const capture::Packet packet = capture::packet_of(*record);
    counter.add(packet);
    expether.add(packet);
  }
  capture::Info info = counter.sums();
  info.file = reader->file();
  info.format = reader->format();
  json d = info_json(info);
  d["notes"] = info_notes(info);
  d["expether"] = expether.sums();
  if (a.json_path.empty()) {
    fmt::print("{}: {}, {} packets, {} bytes, {:.3f} s\n", a.file, d["format"].get<std::string>(),
               d["packets"].get<uint64_t>(), d["captured_bytes"].get<uint64_t>(),
               d["seconds"].get<double>());
    fmt::print("marked {}, selected {} ({} bytes of gradients)\n", d["marked"].get<uint64_t>(),
               d["selected"].get<uint64_t>(), d["selected_bytes"].get<uint64_t>());
    for (const auto& [reason, n] : by_count(info.skipped)) {
      fmt::print("  skipped {:<18} {}\n", reason, n);
    }
    for (const json& note : d["notes"]) fmt::print("  note: {}\n", note.get<std::string>());
    print_expether(d["expether"]);
    for (const json& flow : d["flows"]) {
      fmt::print("  flow {:<48} {:>6} packets {:>6} selected {:>9} bytes\n",
                 flow["flow"].get<std::string>(), flow["packets"].get<uint64_t>(),
                 flow["selected"].get<uint64_t>(), flow["selected_bytes"].get<uint64_t>());
    }
  } else {
    sim::write_report_file(a.json_path == "-" ? "/dev/stdout" : a.json_path, sim::json_text(d));
  }
  if (reader->damage()) throw sim::InputError(reader->damage()->sentence);
  return sim::kPass;
}

int slice(const TraceArguments& a) {
  if (a.first == 0 || a.first > a.last)
    throw sim::UsageError("--first and --last name no packets; they count from 1");
  const capture::Filter filter = compiled_filter(a);
  const capture::Expected<capture::Sliced> sliced =
      capture::slice(a.file, a.output,
                     {.first = a.first,
                      .last = a.last,
                      .max_file_bytes = a.max_bytes,
                      .filter = a.filter.empty() ? nullptr : &filter});
  if (!sliced) throw sim::InputError(sliced.error().sentence);
  fmt::print("{}: {} of {} packets\n", a.output, sliced->written, sliced->of);
  if (sliced->damage) throw sim::InputError(sliced->damage->sentence);
  return sim::kPass;
}

bool is_kind_of_frames(const std::string& name) {
  return std::ranges::any_of(testbenches::frame_synth_kinds(),
                             [&](const sim::SynthKind& kind) { return name == kind.name; });
}

testbenches::TrafficOptions traffic_of(const TraceArguments& a) {
  return testbenches::traffic_spec(a.traffic.values(testbenches::traffic_options()));
}

/// Whole frames at the times at which they would be on the wire.
std::unique_ptr<sim::Frames> frames_of_kind(const TraceArguments& a) {
  return testbenches::open_synthetic_frames(a.kind, a.seed, a.packets.value_or(0), traffic_of(a));
}

/// Marked UDP datagrams, as `run --synth` would feed their gradients.
class Datagrams final : public sim::Frames {
 public:
  explicit Datagrams(const TraceArguments& a)
      : source_(sim::synthesise(a.kind, a.seed, a.packets.value_or(kDefaultPackets))) {}

  std::optional<sim::Frame> next() override {
    const std::optional<sim::GradientPacket> packet = source_->next();
    if (!packet) return std::nullopt;
    const auto& values = packet->values;
    auto frame = capture::make_frame(
        {.identification = static_cast<uint16_t>(count_)},
        {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(uint32_t)});
    if (!frame) throw sim::InputError(frame.error().sentence);
    return sim::Frame{.bytes = std::move(frame).value(),
                      .time_ns = static_cast<int64_t>(count_++) * 1000};
  }
  sim::FrameFacts facts() const override { return {}; }
  uint64_t expected() const override { return source_->expected(); }

 private:
  static constexpr uint64_t kDefaultPackets = 64;
  std::unique_ptr<sim::Gradients> source_;
  uint64_t count_ = 0;
};

/// Nothing is written if the capture that fills the frames ends early.
void refuse_damaged_gradients(const TraceArguments& a) {
  const std::string from = traffic_of(a).gradients_trace;
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(from, unknown)) return;
  const std::unique_ptr<sim::Gradients> gradients = sim::open_trace({.trace = from});
  while (gradients->next()) {
  }
  const std::string incomplete = gradients->facts().incomplete;
  if (!incomplete.empty()) throw sim::InputError(incomplete);
}

/// Options that the kind would not heed.
void refuse_options_of_others(const TraceArguments& a) {
  const std::vector<sim::Option> options = testbenches::traffic_options();
  const std::map<std::string, std::string> given = a.traffic.values(options).changed();
  if (!given.empty() && !is_kind_of_frames(a.kind)) {
    throw sim::UsageError(
        fmt::format("--{} is an option of ExpEther frames, '{}' is of marked UDP; see --expether",
                    given.begin()->first, a.kind));
  }
  refuse_idle_options(given, options, a.kind, testbenches::frame_synth_kinds());
}

void refuse_to_overwrite_the_gradients(const TraceArguments& a) {
  const std::string from = traffic_of(a).gradients_trace;
  std::error_code ignored;
  if (!from.empty() && std::filesystem::equivalent(from, a.output, ignored)) {
    throw sim::UsageError(fmt::format("'{}' is the capture that --from names", a.output));
  }
}

/// A synthetic stimulus as a capture.
int synth(TraceArguments a) {
  if (a.kind.empty()) a.kind = a.expether ? "workers" : "gradients";
  if (a.expether && !is_kind_of_frames(a.kind)) {
    throw sim::UsageError(fmt::format("--kind {} makes no ExpEther frames", a.kind));
  }
  refuse_options_of_others(a);
  refuse_to_overwrite_the_gradients(a);
  std::unique_ptr<sim::Frames> source;
  if (is_kind_of_frames(a.kind)) {
    source = frames_of_kind(a);
    refuse_damaged_gradients(a);
  } else {
    source = std::make_unique<Datagrams>(a);
  }
  capture::Expected<capture::PcapWriter> opened = capture::PcapWriter::open(a.output);
  if (!opened) throw sim::InputError(opened.error().sentence);
  capture::PcapWriter writer = std::move(opened).value();
  uint64_t count = 0;
  for (; const std::optional<sim::Frame> frame = source->next(); ++count) {
    if (const auto error = writer.write(frame->time_ns, frame->bytes)) {
      throw sim::InputError(error->sentence);
    }
  }
  if (const auto error = writer.close()) throw sim::InputError(error->sentence);
  // Of a pipe it is known only now.
  if (const std::string incomplete = source->facts().incomplete; !incomplete.empty()) {
    throw sim::InputError(incomplete);
  }
  fmt::print("{}: {} packets of '{}', seed {} (synthesised)\n", a.output, count, a.kind, a.seed);
  return sim::kPass;
}

}  // namespace

void add_trace(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("trace", "what is in a capture; cut one; make one");
  command->require_subcommand(1);
  auto a = std::make_shared<TraceArguments>();

  CLI::App* info_command =
      command->add_subcommand("info", "packets, layers, flows, selected and skipped");
  info_command->add_option("FILE", a->file, "capture, or the name of one that comes with gradwire")
      ->required();
  info_command->add_option("--json", a->json_path, "as JSON; - for standard output");
  info_command->add_option("--filter", a->filter,
                           "only packets that it lets through, as pcap-filter(7)");
  a->reading.add(*info_command, sim::with_capture_options({}));
  info_command->callback([a, &invocation] {
    a->file = shipped_trace(a->file);
    invocation.action = [a] { return info(*a); };
  });

  CLI::App* slice_command =
      command->add_subcommand("slice", "a range of packets to a file of their own");
  slice_command->add_option("FILE", a->file, "capture, or the name of one that comes with gradwire")
      ->required();
  slice_command
      ->add_option("OUTPUT", a->output,
                   "file to write: as the capture, a pcapng with its comments; pcap if it "
                   "ends in .pcap")
      ->required();
  slice_command->add_option("--first", a->first, "number of the first packet, from 1")
      ->capture_default_str();
  slice_command->add_option("--last", a->last, "number of the last packet");
  slice_command->add_option("--filter", a->filter,
                            "only packets that it lets through, as pcap-filter(7)");
  slice_command->add_option("--max-bytes", a->max_bytes,
                            "stop before the file grows beyond; 0: no limit");
  slice_command->callback([a, &invocation] {
    a->file = shipped_trace(a->file);
    invocation.action = [a] { return slice(*a); };
  });

  CLI::App* synth_command = command->add_subcommand(
      "synth", "a synthetic stimulus as a capture: marked UDP, or ExpEther");
  synth_command->add_option("OUTPUT", a->output, "pcap file to write")->required();
  synth_command->add_option(
      "--kind", a->kind,
      "which stimulus (gradwire list); default: gradients, or with --expether workers");
  synth_command->add_flag("--expether", a->expether, "ExpEther frames, not marked UDP");
  synth_command->add_option("--packets", a->packets,
                            "how many (default: 64; of ExpEther what the options make, or 1,024)");
  a->traffic.add(*synth_command, testbenches::traffic_options());
  synth_command->add_option("--seed", a->seed, "of the values")->capture_default_str();
  synth_command->callback([a, &invocation] { invocation.action = [a] { return synth(*a); }; });
}

}  // namespace gw::tools
