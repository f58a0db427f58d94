#include <cstring>
#include <filesystem>

#include "models/reference/capture/capture.h"
#include "sim/base/error.h"
#include "sim/feeds/gradients.h"

namespace gw::sim {

GradientSource load_trace(const std::string& path, uint64_t limit) {
  GradientSource source;
  source.trace_path = path;
  const capture::Expected<capture::Capture> read = capture::read(path);
  if (!read) throw InputError(read.error().sentence);
  const capture::Selection selection = capture::select(*read);
  for (const capture::GradientPayload& payload : selection.payloads) {
    if (limit != 0 && source.packets.size() == limit) break;
    GradientPacket packet;
    packet.values.resize(payload.floats());
    std::memcpy(packet.values.data(), payload.bytes.data(), payload.bytes.size());
    packet.trace_number = static_cast<uint32_t>(payload.packet);
    source.packets.push_back(std::move(packet));
  }
  source.trace = {{"file", path},
                  {"format", read->format},
                  {"packets", selection.packets},
                  {"selected", source.packets.size()},
                  {"skipped", selection.skipped.by_name()}};
  if (source.packets.size() < selection.payloads.size()) {
    source.trace["beyond_limit"] = selection.payloads.size() - source.packets.size();
  }
  if (read->damage) source.incomplete = read->damage->sentence;
  return source;
}

}  // namespace gw::sim
