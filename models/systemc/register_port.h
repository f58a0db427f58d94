// Cycle-accurate AXI4-Lite slave, no SystemC in it: when an access is done, and when it is answered
// (docs/registers/README.md, Cycle contract). What it does is the business of who asks.
//
// In each cycle: ask `due()`, do it, tell `clock()` how it went. Writes and reads are never due in
// the same cycle.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/axis/axi_lite.h"

namespace gw::systemc {

class RegisterPort {
 public:
  /// What the master drives from this cycle on.
  void drive(const AxiLiteRequest& request) { request_ = request; }
  const AxiLiteReply& reply() const { return reply_; }

  /// One rising edge with aresetn = 0.
  void reset() {
    const AxiLiteRequest request = request_;
    *this = {};
    request_ = request;
  }

  struct Due {
    enum class Kind : uint8_t { kNothing, kWrite, kRead };
    Kind kind = Kind::kNothing;
    uint32_t address = 0, data = 0;
    uint8_t strb = 0;
  };
  /// The access that is done, or looks, in this cycle.
  Due due() const {
    if (write_in_ == 1) return {Due::Kind::kWrite, awaddr_, wdata_, wstrb_};
    if (read_in_ == 1) return {Due::Kind::kRead, araddr_};
    return {};
  }

  /// One rising edge with aresetn = 1. Of what was due: whether it was refused, what it reads.
  void clock(bool refused, uint32_t rdata) {
    // Most cycles: nothing is on its way.
    if (asleep_ && (request_.awvalid | request_.wvalid | request_.arvalid) == 0) return;
    const AxiResponse response = refused ? AxiResponse::kSlvErr : AxiResponse::kOkay;
    const bool bfree = (reply_.bvalid & request_.bready) != 0;
    const bool rfree = (reply_.rvalid & request_.rready) != 0;
    if (bfree) reply_.bvalid = 0, address_ = data_ = false;
    if (rfree) reply_.rvalid = 0, read_ = false;

    if (write_in_ != 0 && --write_in_ == 0) {
      reply_.bvalid = 1;
      reply_.bresp = response;
    }
    if (show_in_ != 0 && --show_in_ == 0) reply_.rvalid = 1;
    if (read_in_ != 0 && --read_in_ == 0) {
      reply_.rresp = response;
      reply_.rdata = refused ? 0 : rdata;
      show_in_ = kReadLatency - 1;
    }

    bool write_complete = false;
    if ((request_.awvalid & reply_.awready) != 0) {
      address_ = true;
      awaddr_ = request_.awaddr;
      write_complete = true;
    }
    if ((request_.wvalid & reply_.wready) != 0) {
      data_ = true;
      wdata_ = request_.wdata;
      wstrb_ = request_.wstrb;
      write_complete = true;
    }
    write_complete = write_complete && address_ && data_;
    if (write_complete) write_in_ = kSelected + 1;
    if ((request_.arvalid & reply_.arready) != 0) {
      read_ = true;
      araddr_ = request_.araddr;
      read_in_ = kSelected + 1 + (write_complete ? 1 : 0);  // the write is selected first
    }
    reply_.awready = !address_;
    reply_.wready = !data_;
    reply_.arready = !read_;
    asleep_ = !address_ && !data_ && !read_;
  }

 private:
  static constexpr uint32_t kSelected =
      1;  // cycles after the handshake; done, or looks, in the next
  static constexpr uint32_t kReadLatency = 4;  // from looking to rvalid

  AxiLiteRequest request_;
  AxiLiteReply reply_;
  bool asleep_ = false;
  bool address_ = false, data_ = false, read_ = false;  ///< accepted, their response not yet
  uint32_t awaddr_ = 0, wdata_ = 0, araddr_ = 0;
  uint8_t wstrb_ = 0;
  uint32_t write_in_ = 0, read_in_ = 0;  ///< 1: in this cycle
  uint32_t show_in_ = 0;
};

}  // namespace gw::systemc
