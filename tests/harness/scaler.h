// A toy with a register block: a skid register that multiplies the words of a packet by a factor,
// which a host writes over AXI4-Lite.
//
// Cycle contract. Of each channel awaits one request at most, and ready is high as long as none
// does. A write whose address and data await, and a read whose address does, is done at the next
// edge after which its response can be shown: two cycles after the request, if no response is in
// the way. A write takes effect, and a read looks, at that edge. A packet is multiplied by what the
// register holds in the cycle in which its first beat is accepted. Event 1: in the cycle before, a
// last beat was accepted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tests/harness/passthrough.h"

namespace gw::sim::toys {

enum Register : uint32_t {
  kId = 0x00,       ///< read only
  kFactor = 0x04,   ///< read and write, 1 after reset
  kPackets = 0x08,  ///< read only: packets accepted whole
  kNowhere = 0x0C,  ///< the first address without a register
};
inline constexpr uint32_t kIdValue = 0x5CA1E001;

template <bool kPaced = false, uint64_t kStillAfter = 0>
struct ScalerPorts : StreamPorts<gw::Beat, kPaced ? 10'000 : 0, kStillAfter> {
  static constexpr uint64_t kEvents = 1;
  static constexpr std::array<ControlPort, 1> kControls = {
      {{.name = "s_axil", .bundle = "s_axil", .address_bits = 6}}};
};

inline uint32_t merged(uint32_t old, uint32_t data, uint8_t strb) {
  for (uint32_t byte = 0; byte < 4; ++byte) {
    const uint32_t mask = 0xFFu << (8 * byte);
    if ((strb >> byte & 1) != 0) old = (old & ~mask) | (data & mask);
  }
  return old;
}

template <class P = ScalerPorts<>>
class Scaler : public Passthrough<P> {
 public:
  using Ports = P;
  using Skid = Passthrough<P>;

  void reset() {
    Skid::reset();
    reply = {};
    address.reset(), data.reset(), read.reset();
    factor = used = 1;
    packets = 0;
    begins = true, event = false;
  }
  uint64_t probe() const { return event; }
  const AxiLiteReply& control(size_t) const { return reply; }
  void drive(size_t, const AxiLiteRequest& driven) { request = driven; }
  void clock(const Offered<P>& offered, uint32_t m_ready) {
    gw::Beat beat;
    event = false;
    if (offered[0] != nullptr) {
      beat = *offered[0];
      if (begins) used = factor;
      for (uint32_t& word : beat.data) word *= used;
      if (Skid::ready) {
        begins = event = beat.last != 0;
        packets += event;
      }
    }
    registers();
    Skid::clock({offered[0] != nullptr ? &beat : nullptr}, m_ready);
  }

  struct Data {
    uint32_t word;
    uint8_t strb;
  };
  AxiLiteRequest request;
  AxiLiteReply reply;
  std::optional<uint32_t> address, read;  ///< that await
  std::optional<Data> data;
  uint32_t factor = 1, used = 1, packets = 0;
  bool begins = true, event = false;

 private:
  void registers() {
    // What is taken at this edge is looked at from the next one on.
    const bool takes_address = request.awvalid & reply.awready;
    const bool takes_data = request.wvalid & reply.wready;
    const bool takes_read = request.arvalid & reply.arready;
    if ((reply.bvalid & request.bready) != 0) reply.bvalid = 0;
    if ((reply.rvalid & request.rready) != 0) reply.rvalid = 0;
    if (read && reply.rvalid == 0) {
      reply.rvalid = 1;
      reply.rresp = AxiResponse::kOkay;
      reply.rdata = *read == kId ? kIdValue : *read == kFactor ? factor : packets;
      if (*read >= kNowhere) reply.rresp = AxiResponse::kSlvErr, reply.rdata = 0;
      read.reset();
    }
    if (address && data && reply.bvalid == 0) {
      reply.bvalid = 1;
      reply.bresp = *address == kFactor ? AxiResponse::kOkay : AxiResponse::kSlvErr;
      if (*address == kFactor) factor = merged(factor, data->word, data->strb);
      address.reset(), data.reset();
    }
    if (takes_address) address = request.awaddr;
    if (takes_data) data = Data{request.wdata, request.wstrb};
    if (takes_read) read = request.araddr;
    reply.awready = !address, reply.wready = !data, reply.arready = !read;
  }
};

/// The same in another way: queues, and registers in an array.
template <class P = ScalerPorts<>>
class OtherScaler {
 public:
  using Ports = P;

  void reset() {
    places_.reset();
    addresses_.clear(), data_.clear(), reads_.clear(), answers_.clear(), values_.clear();
    file_ = {kIdValue, 1, 0};
    factor_.reset();
    reply_ = {};
    last_ = false;
  }
  uint32_t s_ready() const { return places_.s_ready(); }
  const gw::Beat* m_beat(size_t port) const { return places_.m_beat(port); }
  uint64_t probe() const { return last_ ? 1 : 0; }
  const AxiLiteReply& control(size_t) const { return reply_; }
  void drive(size_t, const AxiLiteRequest& request) { request_ = request; }
  void clock(const Offered<P>& offered, uint32_t m_ready) {
    const std::array<uint32_t, 3> before = file_;
    const bool taken = offered[0] != nullptr && places_.s_ready() != 0;
    gw::Beat scaled;
    if (taken) {
      scaled = *offered[0];
      if (!factor_) factor_ = before[1];
      for (uint32_t& word : scaled.data) word *= *factor_;
      if (scaled.last != 0) factor_.reset();
    }
    last_ = taken && scaled.last != 0;
    file_[2] += last_;
    places_.clock({taken ? &scaled : nullptr}, m_ready);

    if (reply_.bvalid != 0 && request_.bready != 0) answers_.pop_front();
    if (reply_.rvalid != 0 && request_.rready != 0) values_.pop_front();
    if (answers_.empty() && !addresses_.empty() && !data_.empty()) {
      const bool right = addresses_.front() == kFactor;
      if (right) file_[1] = merged(before[1], data_.front().first, data_.front().second);
      answers_.push_back(right ? AxiResponse::kOkay : AxiResponse::kSlvErr);
      addresses_.pop_front(), data_.pop_front();
    }
    if (values_.empty() && !reads_.empty()) {
      const size_t index = reads_.front() / 4;
      const uint32_t packets_now = file_[2];
      values_.push_back(index == 2  ? std::optional(packets_now)
                        : index < 2 ? std::optional(before[index])
                                    : std::nullopt);
      reads_.pop_front();
    }
    if (request_.awvalid != 0 && reply_.awready != 0) addresses_.push_back(request_.awaddr);
    if (request_.wvalid != 0 && reply_.wready != 0) {
      data_.emplace_back(request_.wdata, request_.wstrb);
    }
    if (request_.arvalid != 0 && reply_.arready != 0) reads_.push_back(request_.araddr);
    show();
  }

 private:
  void show() {
    reply_ = {};
    reply_.awready = addresses_.empty();
    reply_.wready = data_.empty();
    reply_.arready = reads_.empty();
    if (!answers_.empty()) reply_.bvalid = 1, reply_.bresp = answers_.front();
    if (values_.empty()) return;
    reply_.rvalid = 1;
    reply_.rdata = values_.front().value_or(0);
    reply_.rresp = values_.front() ? AxiResponse::kOkay : AxiResponse::kSlvErr;
  }

  TwoPlaces<P> places_;
  std::deque<uint32_t> addresses_, reads_;
  std::deque<std::pair<uint32_t, uint8_t>> data_;
  std::deque<AxiResponse> answers_;
  std::deque<std::optional<uint32_t>> values_;
  std::array<uint32_t, 3> file_ = {kIdValue, 1, 0};
  std::optional<uint32_t> factor_;  ///< of the packet that is half in
  AxiLiteRequest request_;
  AxiLiteReply reply_;
  bool last_ = false;
};

class ScalerOracle : public QueueOracle<gw::Beat> {
 public:
  ScalerOracle() : QueueOracle(1) {}
  void arrives(size_t, const PacketRef<gw::Beat>& packet) override {
    PacketRef<gw::Beat> out = make_packet<gw::Beat>();
    out->beats = packet->beats;
    out->source = packet;
    for (gw::Beat& beat : out->beats) {
      for (uint32_t& word : beat.data) word *= factor;
    }
    factors.push_back(factor);
    owe(0, std::move(out));
  }
  void configured(size_t, uint32_t address, uint32_t data) override {
    heard.emplace_back(address, data);
    if (address == kFactor) factor = data;
  }
  std::optional<uint32_t> read(size_t, const Access& access) const override {
    if (access.address == kId) return kIdValue;
    if (access.address == kFactor) return factor;
    return {};  // packets accepted whole: a matter of time
  }
  std::optional<AxiResponse> answers(size_t, const Access& access) const override {
    const bool right = access.write ? access.address == kFactor : access.address < kNowhere;
    return right ? AxiResponse::kOkay : AxiResponse::kSlvErr;
  }

  uint32_t factor = 1;
  std::vector<uint32_t> factors;                     ///< packet by packet
  std::vector<std::pair<uint32_t, uint32_t>> heard;  ///< address and data
};

}  // namespace gw::sim::toys
