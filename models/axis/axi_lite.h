// The signals of an AXI4-Lite port with 32 bits of data (AMBA AXI, IHI 0022, part B) that every
// layer exchanges: harness, models, compiled RTL. One field a signal, named as the pin; flags are 0
// or 1. awprot and arprot are constant and left out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace gw {

/// bresp and rresp.
enum class AxiResponse : uint8_t {
  kOkay,
  kExOkay,  ///< not of AXI4-Lite
  kSlvErr,  ///< the device refuses: no such register, or it may not be written
  kDecErr,  ///< nobody is at this address
};

/// What the master drives.
struct AxiLiteRequest {
  uint32_t awaddr = 0, wdata = 0, araddr = 0;
  uint8_t wstrb = 0;
  uint8_t awvalid = 0, wvalid = 0, bready = 0, arvalid = 0, rready = 0;

  friend bool operator==(const AxiLiteRequest&, const AxiLiteRequest&) = default;
};

/// What the device drives.
struct AxiLiteReply {
  uint32_t rdata = 0;
  AxiResponse bresp = AxiResponse::kOkay, rresp = AxiResponse::kOkay;
  uint8_t awready = 0, wready = 0, bvalid = 0, arready = 0, rvalid = 0;
};

}  // namespace gw
