// SPDX-License-Identifier: Apache-2.0
#include "sim/harness/control_master.h"

#include <fmt/format.h>

#include <stdexcept>

#include "sim/harness/failure.h"

namespace gw::sim {

void ControlMaster::ask(uint64_t now) {
  if (!asking()) return;
  const ControlFeed::Next next = feed_->next(port_, now);
  over_ = next.state == ControlFeed::State::kOver;
  loaded_ = next.state == ControlFeed::State::kTransaction;
  with_packets_ = next.state == ControlFeed::State::kWithPackets;
  if (!loaded_) return;
  next_ = next.transaction;
  due_ = false;
  left_ = next_.when.events == 0 ? 0 : next_.when.times;
  const auto refuse = [this](const std::string& why) {
    throw std::logic_error(
        fmt::format("the {} {}", transaction_name(next_.write, next_.address), why));
  };
  if (facts_.address_bits < 32 && next_.address >> facts_.address_bits != 0) {
    refuse(fmt::format("is beyond the {} bits of {}", facts_.address_bits, facts_.name));
  }
  if ((next_.when.events & ~events_) != 0) {
    refuse(fmt::format("waits for {:#x} of the probe, which are no events", next_.when.events));
  }
}

void ControlMaster::start(uint64_t now) {
  Flight& flight = next_.write ? write_ : read_;
  flight = {};
  flight.busy = true;
  flight.holds_packets = next_.holds_packets;
  flight.access.port = static_cast<uint32_t>(port_);
  flight.access.write = next_.write;
  flight.access.address = next_.address;
  flight.access.quiet = next_.when.quiet && next_.holds_packets;
  if (next_.write) {
    flight.access.data = next_.data;
    flight.access.strb = next_.strb;
  } else {
    flight.data = Stage::kTaken;
    expected_.clear();
    unchecked_ = false;
  }
  loaded_ = false;
  ask(now);
}

bool ControlMaster::offers(Flight& flight, Stage& stage, uint64_t now) {
  if (stage == Stage::kHeld && !stalls(stall_.source_percent)) {
    stage = Stage::kOffered;
    if (!flight.offered) flight.access.offered = now;
    flight.offered = true;
  }
  return stage == Stage::kOffered;
}

bool ControlMaster::renew(uint64_t now) {
  AxiLiteRequest request;
  if (write_.busy) {
    if (offers(write_, write_.address, now)) {
      request.awvalid = 1;
      request.awaddr = write_.access.address;
    }
    if (offers(write_, write_.data, now)) {
      request.wvalid = 1;
      request.wdata = write_.access.data;
      request.wstrb = write_.access.strb;
    }
    request.bready = !stalls(stall_.sink_percent);
  }
  if (read_.busy) {
    if (offers(read_, read_.address, now)) {
      request.arvalid = 1;
      request.araddr = read_.access.address;
    }
    request.rready = !stalls(stall_.sink_percent);
  }
  const bool changed = !(request == request_);
  request_ = request;
  driving_ = busy();
  return changed;
}

ControlMaster::Heard ControlMaster::hear(const AxiLiteReply& reply, uint64_t now) {
  Heard heard;
  const auto take = [&](Flight& flight, Stage& stage, uint8_t valid, uint8_t ready) {
    if ((valid & ready) == 0) return;
    stage = Stage::kTaken;
    flight.access.accepted = now;
    heard.moved = true;
  };
  const auto answer = [&](Flight& flight, bool shown, bool ready, AxiResponse response,
                          bool& answered, bool& over) {
    if (!shown) return;
    if (!flight.heard) {
      flight.heard = answered = true;
      flight.access.answered = now;
      flight.access.response = response;
    }
    if (!ready) return;
    flight.access.taken = now;
    heard.moved = over = true;
  };
  if (write_.busy) {
    take(write_, write_.address, request_.awvalid, reply.awready);
    take(write_, write_.data, request_.wvalid, reply.wready);
    answer(write_, reply.bvalid != 0, request_.bready != 0, reply.bresp, heard.write_answered,
           heard.write_over);
  }
  if (read_.busy) {
    take(read_, read_.address, request_.arvalid, reply.arready);
    answer(read_, reply.rvalid != 0, request_.rready != 0, reply.rresp, heard.read_answered,
           heard.read_over);
    if (heard.read_answered) read_.access.data = reply.rdata;
  }
  return heard;
}

void ControlMaster::finish(const Heard& heard, uint64_t now) {
  // Busy no more, and told, before the feed is asked what comes next.
  if (heard.write_over) {
    write_.busy = false;
    feed_->answered(write_.access);
  }
  if (heard.read_over) {
    read_.busy = false;
    feed_->answered(read_.access);
  }
  ask(now);
}

std::string ControlMaster::waits_for() const {
  if (busy()) {
    const Access& access = (write_.busy ? write_ : read_).access;
    return fmt::format("the {} is not answered", transaction_name(access.write, access.address));
  }
  const std::string name = transaction_name(next_.write, next_.address);
  if (left_ != 0) {
    return fmt::format("the {} waits for event {:#x}, {} more {}", name, next_.when.events, left_,
                       left_ == 1 ? "time" : "times");
  }
  return fmt::format("the {} waits for quiet", name);
}

}  // namespace gw::sim
