// SPDX-License-Identifier: Apache-2.0
#include "testbenches/ring/ports.h"

#include <fmt/format.h>

namespace gw::testbenches {

std::string ring_header_words(const RingNodePorts::Beat& beat) {
  const auto field = [&beat](size_t at, size_t bytes) {
    uint32_t value = 0;
    for (size_t i = at; i < at + bytes; ++i) {
      value = value << 8 | (beat.data[i / 4] >> 8 * (i % 4) & 0xFF);
    }
    return value;
  };
  if (field(12, 2) != 0x88B6 || field(14, 1) != 1 || field(15, 1) > 2) return {};
  const uint32_t type = field(15, 1);
  const char* const asks = (field(19, 1) & 1) != 0 ? ", asks" : "";
  if (type == 0) return fmt::format("control, ack {}{}", field(26, 4), asks);
  return fmt::format("{} of chunk {}, {} bytes, ack {}{}", type == 1 ? "AGG" : "BCAST",
                     field(22, 4), field(20, 2), field(26, 4), asks);
}

std::string ring_error_words(uint32_t error) {
  static constexpr const char* kBits[] = {
      "its left neighbour does not answer", "its right neighbour does not answer",
      "chunks of one number differ in length",
      "a chunk of its host is not 4 bytes to the longest chunk, in whole values",
      "a neighbour breaks the protocol"};
  std::string words;
  for (uint32_t bit = 0; bit < 5; ++bit) {
    if ((error >> bit & 1) == 0) continue;
    words += fmt::format("{}{}", words.empty() ? "" : " and ", kBits[bit]);
  }
  return words;
}

std::string ring_error_sentence(uint32_t node, uint32_t error) {
  if (error == 0) return {};
  return fmt::format("node {}: {} (error_o = {})", node, ring_error_words(error), error);
}

sim::Probe<RingNodePorts> ring_probe(std::span<const uint32_t> statistics, uint32_t error) {
  sim::Probe<RingNodePorts> probe{};
  for (size_t i = 0; i < statistics.size(); ++i) {
    probe[i / 2] |= uint64_t{statistics[i]} << 32 * (i % 2);
  }
  probe[statistics.size() / 2] |= uint64_t{error} << 32 * (statistics.size() % 2);
  return probe;
}

}  // namespace gw::testbenches
