// Any bytes into the decompressor: RTL, model and reference.
// SPDX-License-Identifier: Apache-2.0
#include "models/reference/codec.h"
#include "testbenches/codec/devices.h"
#include "testbenches/codec/options.h"
#include "tests/fuzz/device.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const gw::fuzz::Target target(gw::testbenches::add_codec_devices, "decompressor");
  target.run({data, size}, 16, [](gw::fuzz::Input& input, uint8_t choice) {
    const uint32_t length = input.word16();
    const std::span<const uint8_t> bytes = input.take(1 + length % 512);
    gw::sim::RawPacket packet;
    packet.bytes.assign(bytes.begin(), bytes.end());
    packet.own_config = true;
    packet.config = gw::testbenches::packet_config(
        {.bound_exponent = 1 + (choice & 15) % gw::reference::kMaxBoundExponent,
         .mode = (choice & 16) != 0 ? gw::reference::Mode::kBounded : gw::reference::Mode::kPaper});
    packet.error = (choice & 32) != 0;
    return packet;
  });
  return 0;
}
