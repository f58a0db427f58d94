// Any bytes as a packet, and as gradients: the decoder reads nothing beyond them and says the same
// in each of its forms; what is encoded decodes, and no residual is ever poisoned.
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <cstring>

#include "models/reference/quant/decoder.h"
#include "models/reference/quant/quantiser.h"
#include "tests/fuzz/input.h"

namespace quant = gw::reference::quant;
using gw::fuzz::require;

namespace {

constexpr size_t kRows = 32;

bool same(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

void decode(std::span<const uint8_t> bytes, size_t limit) {
  std::vector<float> out;
  const quant::Decoded d = quant::decode_packet(bytes, limit, out);
  require(out.size() == (d.ok() ? d.n : 0), "as many values as the header says, or none");
  require(!d.ok() || (d.n <= limit && d.entries <= d.n), "more than the limit, or than there are");
  std::vector<float> memory(limit);
  const quant::Decoded into = quant::decode_into(bytes, memory);
  require(into.reason == d.reason && into.status == d.status, "another reason");
  require(!d.ok() || same(out, std::span(memory).first(d.n)), "other values");
  const quant::Decoded plain = quant::decode_into(bytes, memory, quant::Implementation::kScalar);
  require(plain.reason == d.reason, "implementations find different reasons");
  require(!d.ok() || same(out, std::span(memory).first(d.n)), "implementations decode differently");
  std::vector<float> groups;
  const quant::Decoded by_groups = quant::decode_groups(bytes, limit, groups);
  require(by_groups.reason == d.reason && by_groups.status == d.status,
          "group by group, another reason");
  require(d.ok() ? same(out, groups) : groups.size() % quant::kLanes == 0 && groups.size() <= limit,
          "group by group, other values");
  const size_t length = quant::packet_length(bytes, limit);
  require(length <= bytes.size(), "a packet beyond its bytes");
  require(!d.ok() || length == bytes.size(), "a whole packet of another length");
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gw::fuzz::Input input(data, size);
  const uint8_t choice = input.byte();
  const uint8_t detail = input.byte();
  if (choice % 16 >= quant::kMethods) {
    decode(input.rest(), size_t{detail} * 8);
    return 0;
  }
  quant::Config config;
  config.method = static_cast<quant::Method>(choice % 16);
  config.coding = (choice & 16) != 0 && quant::has_coding(config.method, quant::Coding::kRice)
                      ? quant::Coding::kRice
                      : quant::Coding::kMask;
  config.residual = (choice & 32) == 0;
  config.scale = (choice & 128) == 0 ? quant::ScaleRule::kFloor : quant::ScaleRule::kUp;
  config.p = quant::kMinP + detail % (quant::kMaxP - quant::kMinP + 1);
  config.threshold = std::ldexp(1.0f, detail % 201 - 100);
  quant::Quantiser quantiser(config, kRows), plain(config, kRows);
  plain.use(quant::Implementation::kScalar);
  std::vector<uint8_t> packet, same_packet;
  std::vector<float> out;
  while (!input.empty()) {
    const uint32_t row = input.byte() % kRows;
    const uint8_t words = input.byte();
    const std::span<const uint8_t> bytes = input.take(4 * size_t{words});
    std::vector<float> g(bytes.size() / 4);
    if (!g.empty()) std::memcpy(g.data(), bytes.data(), g.size() * 4);
    quant::Chunk chunk;
    chunk.values = g;
    chunk.row = row;
    if ((choice & 64) != 0) chunk.announced = input.byte();
    const quant::ChunkReport report = quantiser.encode(chunk, packet);
    require(report.bytes == packet.size() && report.bytes <= quant::max_packet_bytes(report.n),
            "longer than the longest");
    plain.encode(chunk, same_packet);
    require(packet == same_packet && same(quantiser.residuals(), plain.residuals()),
            "implementations encode differently");
    const quant::Decoded d = quant::decode_packet(packet, quant::kMaxValues, out);
    if (report.n == 0) {
      require(d.reason == quant::Reason::kCount, "no values are malformed");
    } else {
      require(d.ok() && d.n == report.n && d.entries == report.entries && d.status == report.status,
              "what was encoded does not decode");
    }
    for (const float r : quantiser.residuals()) require(std::isfinite(r), "a poisoned residual");
    decode(packet, 256);
  }
  return 0;
}
