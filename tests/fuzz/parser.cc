// Any frames into the ExpEther parser: RTL, model and reference. Much of the input begins as a good
// gradient that the fuzzer then writes into, for a checksum is not found by chance.
// SPDX-License-Identifier: Apache-2.0
#include "models/reference/capture/bytes.h"
#include "models/reference/expether/frame.h"
#include "sim/feeds/frames.h"
#include "testbenches/switch/switch_devices.h"
#include "tests/fuzz/device.h"

namespace expether = gw::reference::expether;

namespace {

std::vector<uint8_t> frame_of(gw::fuzz::Input& input, uint8_t choice) {
  const uint32_t length = input.word16();
  if ((choice & 1) == 0) {
    const std::span<const uint8_t> bytes = input.take(1 + length % gw::sim::kMaxFrameBytes);
    return {bytes.begin(), bytes.end()};
  }
  expether::Header header;
  if ((choice & 2) != 0) header.tlp = expether::Tlp::kMWr32;
  std::vector<uint8_t> frame = expether::build_gradient(
      header, std::vector<uint32_t>(1 + length % expether::kMaxValues, 0x3F80'0000));
  for (uint8_t changes = input.byte() % 8; changes > 0; --changes) {
    const uint32_t at = input.byte();
    frame[at % frame.size()] = input.byte();
  }
  if ((choice & 4) != 0) {
    gw::capture::store16(frame, expether::kChecksumOffset, expether::checksum(frame));
  }
  if ((choice & 8) != 0) frame.resize(1 + input.word16() % (frame.size() + 64));
  return frame;
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const gw::fuzz::Target target(gw::testbenches::add_switch_devices, "parser");
  target.run({data, size}, 16, [](gw::fuzz::Input& input, uint8_t choice) {
    gw::sim::RawPacket packet;
    packet.bytes = frame_of(input, choice);
    packet.error = (choice & 16) != 0;
    return packet;
  });
  return 0;
}
