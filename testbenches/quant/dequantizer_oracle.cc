// SPDX-License-Identifier: Apache-2.0
#include "testbenches/quant/dequantizer_oracle.h"

#include <algorithm>
#include <cstring>

#include "testbenches/quant/codes.h"

namespace gw::testbenches {
namespace {

namespace quant = reference::quant;
using quant::Decoded;
using quant::Method;

/// Bits of a well-formed packet up to where its first group of eight values is known.
size_t first_group_end(std::span<const uint8_t> bytes, const Decoded& d) {
  constexpr size_t kHeaderBits = 8 * quant::kHeaderBytes;
  if (d.n <= quant::kLanes) return 8 * bytes.size();  // it waits for the status
  switch (d.method) {
    case Method::kRaw:
      return kHeaderBits + 32 * quant::kLanes;
    case Method::kOneBit:
      return kHeaderBits + 8;
    case Method::kMxfp8:
    case Method::kMxfp8E5m2:
    case Method::kMxfp4:
      return kHeaderBits + 8 + quant::mx_element_bits(d.method) * quant::kLanes;
    default:
      break;
  }
  // Mask: its own group, or the run that it begins. Rice: the code that leads behind it, whole.
  size_t end = 8 * bytes.size();
  for (const PacketCode& code : codes_of(bytes)) {
    if (code.kind == PacketCode::kGroup || code.kind == PacketCode::kRun) return code.end;
    end = code.end;
    if (code.first >= quant::kLanes && (code.kind == PacketCode::kEntry || code.last)) break;
  }
  return end;
}

}  // namespace

void DequantizerOracle::arrives(size_t, const sim::PacketRef<Beat>& packet) {
  const std::vector<uint8_t> bytes = sim::bytes_of(*packet);
  std::vector<float> values;
  const Decoded d = quant::decode_groups(bytes, packet->config[0], values);
  std::vector<uint8_t> out(4 * values.size());
  if (!values.empty()) std::memcpy(out.data(), values.data(), out.size());
  // The error beat is full, of zeros, behind groups that are full, too.
  if (!d.ok()) out.resize(out.size() + kBeatBytes);
  const bool error = !d.ok() || d.status != 0 || packet->beats.back().user != 0;
  if (!d.ok()) ++malformed_[static_cast<size_t>(d.reason) - 1];
  errors_ += error;
  if (d.ok()) {
    packet->trigger = static_cast<uint32_t>((first_group_end(bytes, d) - 1) / (8 * kBeatBytes));
  }
  sim::PacketRef<Beat> owed = sim::make_packet<Beat>(out, error);
  owed->source = packet;
  owe(0, std::move(owed));
}

std::vector<std::optional<uint32_t>> DequantizerOracle::statistics() const {
  std::vector<std::optional<uint32_t>> all(malformed_.begin(), malformed_.end());
  all.emplace_back(errors_);
  return all;
}

void DequantizerScore::left(const sim::Passage&, const sim::Packet<Beat>& packet) {
  const std::vector<uint8_t> bytes = sim::bytes_of(*packet.source);
  std::vector<float> values;
  const Decoded d = quant::decode_groups(bytes, packet.source->config[0], values);
  ++packets_;
  if (!d.ok()) {
    ++malformed_[std::string(quant::reason_name(d.reason))];
    return;
  }
  std::string name(quant::method_name(d.method));
  if (d.k >= 0) name += " rice";
  ++formats_[name];
  values_ += d.n;
  entries_ += d.entries;
  bytes_ += bytes.size();
}

void DequantizerScore::report(nlohmann::json& sections) const {
  if (packets_ == 0) return;
  nlohmann::json section = {{"packets", packets_}, {"formats", formats_}, {"malformed", malformed_},
                            {"values", values_},   {"entries", entries_}, {"ratio", nullptr}};
  if (bytes_ != 0) {
    section["ratio"] = 4 * static_cast<double>(values_) / static_cast<double>(bytes_);
  }
  sections["dequantizer"] = std::move(section);
}

}  // namespace gw::testbenches
