// The rules of AXI4-Lite (AMBA AXI, IHI 0022, parts A3 and B1), checked on one control port, one
// cycle at a time, from both sides. And how two devices' outputs are compared.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "models/axis/axi_lite.h"

namespace gw::sim {

/// What can be wrong on a control port. Each has a mutant in tests/harness that must raise it.
enum class AxiLiteRule : uint8_t {
  kNone,
  kValidDropped,          // IHI 0022 A3.2.1: once asserted, valid holds until the handshake
  kPayloadChanged,        // A3.2.1: the payload holds while it waits
  kWriteResponseUnasked,  // A3.3.1: a bvalid for each write, after it
  kWriteResponseEarly,    // A3.3.1: after both its address and its data
  kReadResponseUnasked,   // A3.3.1: an rvalid for each read, after it
  kExclusive,             // B1.1.1: EXOKAY is no answer
  kActiveInReset,         // A3.1.2: valid is low
  kReadyInReset,          // profile: so is ready
};

/// One of this house's profile, which AXI4-Lite does not have.
constexpr bool of_profile(AxiLiteRule rule) { return rule == AxiLiteRule::kReadyInReset; }

constexpr const char* axi_lite_rule_text(AxiLiteRule rule) {
  constexpr std::array<const char*, 9> kText = {
      "no rule broken",
      "valid fell before ready answered",
      "the payload changed while it waited for ready",
      "bvalid without a write that is still to be answered",
      "bvalid before both address and data were accepted",
      "rvalid without a read that is still to be answered",
      "EXOKAY, which AXI4-Lite does not have",
      "valid is high in reset",
      "ready is high in reset",
  };
  return kText[static_cast<size_t>(rule)];
}

/// A signal of a control port, and the channel that it belongs to; nullptr: none.
struct AxiLiteSignal {
  const char* channel = nullptr;
  const char* name = nullptr;
};

/// Equal in every handshake, and in what goes with those that are valid.
inline bool same_reply(const AxiLiteReply& a, const AxiLiteReply& b) {
  const auto differ = [](AxiResponse x, AxiResponse y) {
    return static_cast<uint32_t>(x) ^ static_cast<uint32_t>(y);
  };
  uint32_t difference = (a.awready ^ b.awready) | (a.wready ^ b.wready) | (a.bvalid ^ b.bvalid) |
                        (a.arready ^ b.arready) | (a.rvalid ^ b.rvalid);
  if (a.bvalid != 0) difference |= differ(a.bresp, b.bresp);
  if (a.rvalid != 0) difference |= differ(a.rresp, b.rresp) | (a.rdata ^ b.rdata);
  return difference == 0;
}

/// The first signal that differs; none if none does.
inline AxiLiteSignal first_difference(const AxiLiteReply& a, const AxiLiteReply& b) {
  if (a.awready != b.awready) return {"AW", "awready"};
  if (a.wready != b.wready) return {"W", "wready"};
  if (a.bvalid != b.bvalid) return {"B", "bvalid"};
  if (a.bvalid != 0 && a.bresp != b.bresp) return {"B", "bresp"};
  if (a.arready != b.arready) return {"AR", "arready"};
  if (a.rvalid != b.rvalid) return {"R", "rvalid"};
  if (a.rvalid != 0 && a.rresp != b.rresp) return {"R", "rresp"};
  if (a.rvalid != 0 && a.rdata != b.rdata) return {"R", "rdata"};
  return {};
}

/// The value of a signal, for a message.
std::string signal_value(const AxiLiteReply& reply, std::string_view signal);

class AxiLiteChecker {
 public:
  struct Fault {
    AxiLiteRule rule = AxiLiteRule::kNone;
    AxiLiteSignal signal = {};
    bool of_master = false;  ///< else the device's
  };

  /// One cycle: what the master drives and what the device does.
  Fault check(const AxiLiteRequest& request, const AxiLiteReply& reply) {
    const bool silent = (request.awvalid | request.wvalid | request.arvalid | reply.bvalid |
                         reply.rvalid | static_cast<uint8_t>(waiting_)) == 0;
    if (silent) [[likely]]
      return {};
    const Fault fault = examine(request, reply);
    note(request, reply);
    return fault;
  }

  /// The cycle after a clock edge in reset.
  Fault check_reset(const AxiLiteReply& reply) {
    *this = {};
    if (reply.bvalid != 0) return {AxiLiteRule::kActiveInReset, {"B", "bvalid"}};
    if (reply.rvalid != 0) return {AxiLiteRule::kActiveInReset, {"R", "rvalid"}};
    if (reply.awready != 0) return {AxiLiteRule::kReadyInReset, {"AW", "awready"}};
    if (reply.wready != 0) return {AxiLiteRule::kReadyInReset, {"W", "wready"}};
    if (reply.arready != 0) return {AxiLiteRule::kReadyInReset, {"AR", "arready"}};
    return {};
  }

 private:
  Fault examine(const AxiLiteRequest& request, const AxiLiteReply& reply) const {
    using enum AxiLiteRule;
    const AxiLiteRequest& q = request_;
    const AxiLiteReply& r = reply_;
    // What waited in the cycle before is still there, and the same.
    if (q.awvalid > r.awready) {
      if (request.awvalid == 0) return {kValidDropped, {"AW", "awvalid"}, true};
      if (request.awaddr != q.awaddr) return {kPayloadChanged, {"AW", "awaddr"}, true};
    }
    if (q.wvalid > r.wready) {
      if (request.wvalid == 0) return {kValidDropped, {"W", "wvalid"}, true};
      if (request.wdata != q.wdata) return {kPayloadChanged, {"W", "wdata"}, true};
      if (request.wstrb != q.wstrb) return {kPayloadChanged, {"W", "wstrb"}, true};
    }
    if (q.arvalid > r.arready) {
      if (request.arvalid == 0) return {kValidDropped, {"AR", "arvalid"}, true};
      if (request.araddr != q.araddr) return {kPayloadChanged, {"AR", "araddr"}, true};
    }
    if (r.bvalid > q.bready) {
      if (reply.bvalid == 0) return {kValidDropped, {"B", "bvalid"}};
      if (reply.bresp != r.bresp) return {kPayloadChanged, {"B", "bresp"}};
    }
    if (r.rvalid > q.rready) {
      if (reply.rvalid == 0) return {kValidDropped, {"R", "rvalid"}};
      if (reply.rresp != r.rresp) return {kPayloadChanged, {"R", "rresp"}};
      if (reply.rdata != r.rdata) return {kPayloadChanged, {"R", "rdata"}};
    }
    // Outputs are functions of registers: a handshake of this cycle is answered in the next one at
    // the earliest.
    if (reply.bvalid != 0) {
      if (addresses_ == 0 && data_ == 0) return {kWriteResponseUnasked, {"B", "bvalid"}};
      if (addresses_ == 0 || data_ == 0) return {kWriteResponseEarly, {"B", "bvalid"}};
      if (reply.bresp == AxiResponse::kExOkay) return {kExclusive, {"B", "bresp"}};
    }
    if (reply.rvalid != 0) {
      if (reads_ == 0) return {kReadResponseUnasked, {"R", "rvalid"}};
      if (reply.rresp == AxiResponse::kExOkay) return {kExclusive, {"R", "rresp"}};
    }
    return {};
  }

  void note(const AxiLiteRequest& request, const AxiLiteReply& reply) {
    const uint32_t written = reply.bvalid & request.bready;
    addresses_ += (request.awvalid & reply.awready) - written;
    data_ += (request.wvalid & reply.wready) - written;
    reads_ += (request.arvalid & reply.arready) - (reply.rvalid & request.rready);
    request_ = request;
    reply_ = reply;
    waiting_ = request.awvalid > reply.awready || request.wvalid > reply.wready ||
               request.arvalid > reply.arready || reply.bvalid > request.bready ||
               reply.rvalid > request.rready;
  }

  AxiLiteRequest request_;  ///< of the cycle before, if anything was valid in it
  AxiLiteReply reply_;
  bool waiting_ = false;
  uint32_t addresses_ = 0, data_ = 0, reads_ = 0;  ///< accepted, not yet answered
};

}  // namespace gw::sim
