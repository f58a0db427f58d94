#include "sim/feeds/packet_writer.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "models/reference/capture/capture.h"
#include "sim/base/error.h"

namespace gw::sim {
namespace {

void refuse_the_trace_itself(const std::string& path, const std::string& trace_path) {
  std::error_code ignored;
  if (!trace_path.empty() && std::filesystem::equivalent(path, trace_path, ignored)) {
    throw UsageError(fmt::format("--pcap-out '{}' is the trace itself", path));
  }
}

}  // namespace

void write_packets(const std::string& path, const GradientSource& source, const BeatStream& output,
                   uint64_t delivered) {
  refuse_the_trace_itself(path, source.trace_path);
  std::optional<capture::Capture> original;
  if (!source.trace_path.empty()) {
    capture::Expected<capture::Capture> read = capture::read(source.trace_path);
    if (!read) throw InputError(read.error().sentence);
    original = std::move(read).value();
  }
  capture::Expected<capture::PcapWriter> opened = capture::PcapWriter::open(path);
  if (!opened) throw InputError(opened.error().sentence);
  capture::PcapWriter writer = std::move(opened).value();

  for (uint64_t p = 0; p < delivered; ++p) {
    const std::span<const Beat> beats(
        output.beats.begin() + static_cast<ptrdiff_t>(output.packet_begin[p]),
        output.beats.begin() + static_cast<ptrdiff_t>(output.packet_end(p)));
    const std::vector<uint8_t> payload = packet_bytes(beats);
    capture::Expected<std::vector<uint8_t>> frame = std::vector<uint8_t>{};
    int64_t timestamp_ns = static_cast<int64_t>(p) * 1000;
    if (original) {
      const capture::Packet& packet = original->packets[source.packets[p].trace_number - 1];
      frame = capture::replace_payload(packet, payload);
      timestamp_ns = packet.timestamp_ns;
    } else {
      frame = capture::make_frame({.identification = static_cast<uint16_t>(p)}, payload);
    }
    if (!frame) throw InputError(frame.error().sentence);
    if (capture::Status error = writer.write(timestamp_ns, *frame))
      throw InputError(error->sentence);
  }
  if (capture::Status error = writer.close()) throw InputError(error->sentence);
}

void write_frames(const std::string& path, const std::string& trace_path,
                  const std::vector<Frame>& frames) {
  refuse_the_trace_itself(path, trace_path);
  capture::Expected<capture::PcapWriter> opened = capture::PcapWriter::open(path);
  if (!opened) throw InputError(opened.error().sentence);
  capture::PcapWriter writer = std::move(opened).value();
  for (const Frame& frame : frames) {
    if (capture::Status error = writer.write(frame.time_ns, frame.bytes))
      throw InputError(error->sentence);
  }
  if (capture::Status error = writer.close()) throw InputError(error->sentence);
}

}  // namespace gw::sim
