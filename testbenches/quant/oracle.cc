#include "testbenches/quant/oracle.h"

#include <algorithm>
#include <bit>

#include "testbenches/quant/options.h"
#include "testbenches/quant/ports.h"

namespace gw::testbenches {
namespace {

namespace quant = reference::quant;

/// The input beat that completes the first output beat; none if values that are missing do.
uint32_t first_trigger(const sim::Packet<Beat>& packet, const quant::ChunkReport& report) {
  const auto beats = static_cast<uint32_t>(packet.beats.size());
  const auto items = static_cast<uint32_t>(std::max<size_t>(1, quant::rows_of(report.n)));
  uint32_t trigger = 0;
  if (report.method != quant::Method::kRaw) {
    // A block is packed when it is whole, and header and block fill a beat.
    constexpr uint32_t kBlockItems = quant::kMxBlock / quant::kLanes;
    trigger = std::min(kBlockItems, items) - 1;
  } else if (quant::kHeaderBytes + 4 * report.n < kBeatBytes) {
    trigger = beats - 1;  // it needs the status
  }
  return trigger < beats ? trigger : sim::Packet<Beat>::kNoTrigger;
}

}  // namespace

ChunkPacket::ChunkPacket(const sim::Packet<Beat>& packet) {
  const std::vector<uint8_t> bytes = sim::bytes_of(packet);
  values.resize(bytes.size() / 4);
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * 4);
  chunk.values = values;
  chunk.row = ChunkUser::row(packet.beats.front());
  chunk.announced = ChunkUser::count(packet.beats.front());
  chunk.ragged = bytes.size() % 4 != 0;
  chunk.error = ChunkUser::error(packet.beats.back());
}

void MxOracle::arrives(size_t, const sim::PacketRef<Beat>& packet) {
  const ChunkPacket chunk(*packet);
  quantiser_.configure(mx_config(packet->config, static_cast<uint32_t>(quantiser_.rows())));
  std::vector<uint8_t> bytes;
  const quant::ChunkReport report = quantiser_.encode(chunk.chunk, bytes);
  const bool error = (report.status & quant::kStatusError) != 0;
  raws_ += report.method == quant::Method::kRaw;
  errors_ += error;
  packet->trigger = first_trigger(*packet, report);
  sim::PacketRef<Beat> owed = sim::make_packet<Beat>(bytes, error);
  owed->source = packet;
  owe(0, std::move(owed));
}

}  // namespace gw::testbenches
