// Any bytes as a compressed stream, and as values: all implementations say the same, nothing is
// read or written beyond its room, and what is encoded decodes within the bound.
// SPDX-License-Identifier: Apache-2.0
#include "models/reference/codec.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "tests/fuzz/input.h"

namespace reference = gw::reference;
using gw::fuzz::require;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gw::fuzz::Input input(data, size);
  const uint8_t choice = input.byte();
  const reference::CodecConfig config{
      .bound_exponent = 1 + (choice & 15) % reference::kMaxBoundExponent,
      .mode = (choice & 16) != 0 ? reference::Mode::kBounded : reference::Mode::kPaper};
  const size_t room = size_t{input.byte()} * reference::kGroupValues;
  const std::span<const uint8_t> bytes = input.rest();

  const reference::DecodeResult first =
      reference::decode(bytes, config, reference::implementations().front());
  require(first.consumed <= bytes.size(), "more consumed than there is");
  require(first.error.has_value() == (first.consumed != bytes.size()), "error and rest disagree");
  for (const reference::Implementation& by : reference::implementations()) {
    const reference::DecodeResult decoded = reference::decode(bytes, config, by);
    require(decoded.values == first.values && decoded.consumed == first.consumed &&
                decoded.error == first.error,
            "implementations decode differently");
    std::vector<uint32_t> out(room);
    const reference::DecodeProgress some =
        reference::decode_into(bytes, config, std::span<uint32_t>(out), by);
    require(some.values <= room && some.values <= first.values.size(), "more values than room");
    require(std::equal(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(some.values),
                       first.values.begin()),
            "the beginning is another");
  }

  std::vector<uint32_t> values(bytes.size() / 4);
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * 4);
  std::vector<uint8_t> encoded;
  reference::encode(std::span<const uint32_t>(values), config, encoded,
                    reference::implementations().front());
  require(encoded.size() <= reference::max_encoded_size(values.size()), "longer than the longest");
  for (const reference::Implementation& by : reference::implementations()) {
    std::vector<uint8_t> same;
    reference::encode(std::span<const uint32_t>(values), config, same, by);
    require(same == encoded, "implementations encode differently");
  }
  const reference::DecodeResult back = reference::decode(encoded, config);
  require(!back.error && back.values.size() >= values.size(), "what was encoded does not decode");
  if (config.mode != reference::Mode::kBounded) return 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto x = static_cast<double>(std::bit_cast<float>(values[i]));
    const auto y = static_cast<double>(std::bit_cast<float>(back.values[i]));
    require(values[i] == back.values[i] || std::fabs(x - y) <= config.bound(), "beyond the bound");
  }
  std::vector<uint8_t> again;
  reference::encode(std::span<const uint32_t>(back.values), config, again);
  require(reference::decode(again, config).values == back.values, "not idempotent");
  return 0;
}
