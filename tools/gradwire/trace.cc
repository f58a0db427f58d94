// gradwire trace info|slice|synth: what is in a capture, cut one, make one.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/reference/capture/capture.h"
#include "sim/error.h"
#include "sim/gradients.h"
#include "sim/report/json.h"
#include "sim/traffic.h"
#include "tools/gradwire/commands.h"
#include "tools/gradwire/traffic_options.h"

namespace gw::tools {
namespace {

using nlohmann::json;

struct TraceArguments {
  std::string file, output, json_path, kind = "gradients";
  uint64_t first = 1, last = UINT64_MAX, max_bytes = 0, seed = 1;
  std::optional<uint64_t> packets;
  TrafficArguments traffic;
};

capture::Capture read(const std::string& path) {
  capture::Expected<capture::Capture> result = capture::read(path);
  if (!result) throw sim::InputError(result.error().sentence);
  return std::move(result).value();
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

int info(const TraceArguments& a) {
  const capture::Capture capture = read(a.file);
  const json d = info_json(capture::info(capture));
  if (a.json_path.empty()) {
    fmt::print("{}: {}, {} packets, {} bytes, {:.3f} s\n", a.file, d["format"].get<std::string>(),
               d["packets"].get<uint64_t>(), d["captured_bytes"].get<uint64_t>(),
               d["seconds"].get<double>());
    fmt::print("marked {}, selected {} ({} bytes of gradients)\n", d["marked"].get<uint64_t>(),
               d["selected"].get<uint64_t>(), d["selected_bytes"].get<uint64_t>());
    for (const auto& [reason, n] : d["skipped"].items()) {
      fmt::print("  skipped {:<18} {}\n", reason, n.get<uint64_t>());
    }
    for (const json& flow : d["flows"]) {
      fmt::print("  flow {:<48} {:>6} packets {:>6} selected {:>9} bytes\n",
                 flow["flow"].get<std::string>(), flow["packets"].get<uint64_t>(),
                 flow["selected"].get<uint64_t>(), flow["selected_bytes"].get<uint64_t>());
    }
  } else {
    sim::write_report_file(a.json_path == "-" ? "/dev/stdout" : a.json_path, sim::json_text(d));
  }
  if (capture.damage) throw sim::InputError(capture.damage->sentence);
  return sim::kPass;
}

int slice(const TraceArguments& a) {
  if (a.first == 0 || a.first > a.last)
    throw sim::UsageError("--first and --last name no packets; they count from 1");
  const capture::Capture capture = read(a.file);
  const capture::Expected<uint64_t> written = capture::slice(
      capture, a.output, {.first = a.first, .last = a.last, .max_file_bytes = a.max_bytes});
  if (!written) throw sim::InputError(written.error().sentence);
  fmt::print("{}: {} of {} packets\n", a.output, *written, capture.packets.size());
  if (capture.damage) throw sim::InputError(capture.damage->sentence);
  return sim::kPass;
}

bool is_kind_of_frames(const std::string& name) {
  return std::ranges::any_of(sim::frame_synth_kinds(),
                             [&](const sim::SynthKind& kind) { return name == kind.name; });
}

/// Whole frames at the times at which they would be on the wire.
std::vector<sim::Frame> frames_of_kind(const TraceArguments& a) {
  return sim::synthesise_frames(a.kind, a.seed, a.packets.value_or(0), a.traffic.traffic).frames;
}

/// Marked UDP datagrams, as `run --synth` would feed their gradients.
std::vector<sim::Frame> datagrams_of_kind(const TraceArguments& a) {
  constexpr uint64_t kDefaultPackets = 64;
  const sim::GradientSource source =
      sim::synthesise(a.kind, a.seed, a.packets.value_or(kDefaultPackets));
  std::vector<sim::Frame> frames;
  for (size_t p = 0; p < source.packets.size(); ++p) {
    const auto& values = source.packets[p].values;
    auto frame = capture::make_frame(
        {.identification = static_cast<uint16_t>(p)},
        {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(uint32_t)});
    if (!frame) throw sim::InputError(frame.error().sentence);
    frames.push_back(
        {.bytes = std::move(frame).value(), .time_ns = static_cast<int64_t>(p) * 1000});
  }
  return frames;
}

/// A synthetic stimulus as a capture.
int synth(const TraceArguments& a) {
  const std::vector<sim::Frame> frames =
      is_kind_of_frames(a.kind) ? frames_of_kind(a) : datagrams_of_kind(a);
  capture::Expected<capture::PcapWriter> opened = capture::PcapWriter::open(a.output);
  if (!opened) throw sim::InputError(opened.error().sentence);
  capture::PcapWriter writer = std::move(opened).value();
  for (const sim::Frame& frame : frames) {
    if (const auto error = writer.write(frame.time_ns, frame.bytes)) {
      throw sim::InputError(error->sentence);
    }
  }
  if (const auto error = writer.close()) throw sim::InputError(error->sentence);
  fmt::print("{}: {} packets of '{}', seed {} (synthesised)\n", a.output, frames.size(), a.kind,
             a.seed);
  return sim::kPass;
}

}  // namespace

void add_trace(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("trace", "what is in a capture; cut one; make one");
  command->require_subcommand(1);
  auto a = std::make_shared<TraceArguments>();

  CLI::App* info_command =
      command->add_subcommand("info", "packets, layers, flows, selected and skipped");
  info_command->add_option("FILE", a->file, "capture")->required();
  info_command->add_option("--json", a->json_path, "as JSON; - for standard output");
  info_command->callback([a, &invocation] { invocation.action = [a] { return info(*a); }; });

  CLI::App* slice_command =
      command->add_subcommand("slice", "a range of packets to a file of their own");
  slice_command->add_option("FILE", a->file, "capture")->required();
  slice_command->add_option("OUTPUT", a->output, "pcap file to write")->required();
  slice_command->add_option("--first", a->first, "number of the first packet, from 1")
      ->capture_default_str();
  slice_command->add_option("--last", a->last, "number of the last packet");
  slice_command->add_option("--max-bytes", a->max_bytes,
                            "stop before the file grows beyond; 0: no limit");
  slice_command->callback([a, &invocation] { invocation.action = [a] { return slice(*a); }; });

  CLI::App* synth_command = command->add_subcommand(
      "synth", "a synthetic stimulus as a capture: marked UDP, or ExpEther");
  synth_command->add_option("OUTPUT", a->output, "pcap file to write")->required();
  synth_command->add_option("--kind", a->kind, "which stimulus (gradwire list)")
      ->capture_default_str();
  synth_command->add_option("--packets", a->packets,
                            "how many (default: 64; of ExpEther what the options make, or 1,024)");
  a->traffic.add(*synth_command, true);
  synth_command->add_option("--seed", a->seed, "of the values")->capture_default_str();
  synth_command->callback([a, &invocation] { invocation.action = [a] { return synth(*a); }; });
}

}  // namespace gw::tools
