// Bytes written by hand, and floats by their bits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "models/reference/quant/decoder.h"
#include "models/reference/quant/quantiser.h"

namespace gw::reference::quant {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

inline uint32_t bits_of(float x) { return std::bit_cast<uint32_t>(x); }

inline std::vector<uint32_t> all_bits(std::span<const float> values) {
  std::vector<uint32_t> bits;
  for (const float x : values) bits.push_back(bits_of(x));
  return bits;
}

/// "01 00 0A..." for messages: blanks between bytes.
inline std::string hex(std::span<const uint8_t> bytes) {
  std::string text;
  for (const uint8_t byte : bytes) {
    char two[4];
    std::snprintf(two, sizeof two, "%02X ", byte);
    text += two;
  }
  if (!text.empty()) text.pop_back();
  return text;
}

/// Blanks in `text` are for readers.
inline std::vector<uint8_t> bytes_of(const std::string& text) {
  std::vector<uint8_t> bytes;
  std::string digits;
  for (const char c : text) {
    if (c == ' ') continue;
    digits += c;
    if (digits.size() < 2) continue;
    bytes.push_back(static_cast<uint8_t>(std::stoul(digits, nullptr, 16)));
    digits.clear();
  }
  return bytes;
}

inline Config config_of(const std::string& spec) {
  const ConfigResult result = parse_config(spec);
  if (!result.config) std::fprintf(stderr, "%s\n", result.error.c_str());
  return result.config.value();
}

inline std::vector<uint8_t> encoded(Quantiser& quantiser, std::vector<float> g, uint32_t row = 0) {
  std::vector<uint8_t> packet;
  quantiser.encode(g, row, packet);
  return packet;
}

inline std::vector<float> decoded(std::span<const uint8_t> packet, size_t limit = kMaxValues) {
  std::vector<float> out;
  const Decoded d = decode_packet(packet, limit, out);
  if (!d.ok()) std::fprintf(stderr, "%s\n", std::string(reason_sentence(d.reason)).c_str());
  return out;
}

}  // namespace gw::reference::quant
