// SPDX-License-Identifier: Apache-2.0
#include "sim/harness/control_rules.h"

#include "sim/harness/failure.h"

namespace gw::sim {

std::string signal_value(const AxiLiteReply& reply, std::string_view signal) {
  if (signal == "bresp") return response_name(reply.bresp);
  if (signal == "rresp") return response_name(reply.rresp);
  if (signal == "rdata") return hex_words(&reply.rdata, 1);
  const uint8_t flag = signal == "awready"   ? reply.awready
                       : signal == "wready"  ? reply.wready
                       : signal == "bvalid"  ? reply.bvalid
                       : signal == "arready" ? reply.arready
                                             : reply.rvalid;
  return std::to_string(flag);
}

}  // namespace gw::sim
