// Any frames through the references of the NIC's engines: what nic_tx makes, nic_rx takes back;
// what comes from elsewhere does no harm.
// SPDX-License-Identifier: Apache-2.0
#include "models/reference/nic/host.h"
#include "tests/fuzz/input.h"

namespace nic = gw::reference::nic;
using gw::fuzz::require;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gw::fuzz::Input input(data, size);
  const uint8_t choice = input.byte();
  nic::NicConfig config;
  config.codec = {
      .bound_exponent = 1 + (choice & 15) % 14,
      .mode = (choice & 16) != 0 ? gw::reference::Mode::kBounded : gw::reference::Mode::kPaper};
  config.grid = (choice & 32) != 0 ? nic::Grid::kPacket : nic::Grid::kStream;
  if ((choice & 64) != 0) config.mark_mask = 0, config.mark = 0;
  nic::NicTx tx(config);
  const nic::NicRx rx(config);
  nic::Host host;
  while (!input.empty()) {
    const uint8_t kind = input.byte();
    const std::span<const uint8_t> bytes = input.take(input.word16() % 9100);
    nic::Frame frame(bytes.begin(), bytes.end());
    if ((kind & 3) == 1) {  // a segment of the host's with these bytes, with its right checksums
      host.payload = frame;
      host.tcp = (kind & 4) == 0;
      host.tag = (kind & 8) != 0;
      host.sequence += (kind >> 4) & 3;
      frame = host.frame();
    } else if ((kind & 3) == 2) {
      frame = host.syn();
    }
    const bool bad = (kind & 128) != 0;
    const nic::Packed packed = tx.pack(frame, bad);
    require(packed.leaves || packed.frame.empty(), "a frame that is dropped and leaves");
    require(packed.frame.size() <= std::max(frame.size(), nic::kMinFrame), "a longer frame");
    const nic::Unpacked any = rx.unpack(frame, bad);
    require(any.frame.size() <= std::max(nic::kMaxFrame, frame.size()), "too long a frame");
    require(!bad || any.error, "a bad frame was made good");
    if (!packed.leaves) continue;
    const nic::Unpacked back = rx.unpack(packed.frame, packed.error);
    if (packed.action == nic::TxAction::kBadHeader && back.action == nic::RxAction::kBadStream) {
      // The host's own, of the engines' protocol, cut before its total length: as its IP would, the
      // far host drops it.
      require(back.error, "a cut frame is given as whole");
      continue;
    }
    require(back.frame == packed.expected, "the far host gets something else");
    require(back.error == packed.error, "an error came or went");
    require((back.action == nic::RxAction::kUnpacked) == (packed.action == nic::TxAction::kPacked),
            "packed is not unpacked");
  }
  require(tx.flows().entries() <= nic::kFlows, "more flows than there are");
  return 0;
}
