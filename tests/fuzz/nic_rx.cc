// Any frames into the NIC's receive engine: RTL, model and reference. Much of the input begins as a
// frame that nic_tx packed, which the fuzzer then writes into.
// SPDX-License-Identifier: Apache-2.0
#include "models/reference/nic/host.h"
#include "testbenches/nic/devices.h"
#include "tests/fuzz/device.h"

namespace nic = gw::reference::nic;

namespace {

nic::Frame packed(gw::fuzz::Input& input, uint8_t choice) {
  nic::Host host;
  host.tcp = (choice & 2) == 0;
  host.tag = (choice & 4) != 0;
  host.ihl = 5 + (choice >> 3 & 3);
  const std::span<const uint8_t> payload = input.take(input.word16() % 2048);
  host.payload.assign(payload.begin(), payload.end());
  nic::NicConfig config;
  config.grid = nic::Grid::kPacket;
  nic::NicTx tx(config);
  nic::Frame frame = tx.pack(host.frame()).frame;
  for (uint8_t changes = input.byte() % 8; changes > 0; --changes) {
    const uint32_t at = input.byte();
    frame[at % frame.size()] = input.byte();
  }
  return frame;
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const gw::fuzz::Target target(gw::testbenches::add_nic_devices, "nic_rx");
  target.run({data, size}, 8, [](gw::fuzz::Input& input, uint8_t choice) {
    gw::sim::RawPacket packet;
    if ((choice & 1) != 0) {
      packet.bytes = packed(input, choice);
    } else {
      const std::span<const uint8_t> bytes = input.take(1 + input.word16() % nic::kMaxFrame);
      packet.bytes.assign(bytes.begin(), bytes.end());
    }
    packet.error = (choice & 128) != 0;
    return packet;
  });
  return 0;
}
