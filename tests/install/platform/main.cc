// A platform of SystemC modules: a source of packets, gw_compressor, gw_decompressor, a sink that
// checks what arrives against what was sent. platform [BOUND [BOUND OF THE DECOMPRESSOR]]
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <systemc>
#include <vector>

#include "models/systemc/compressor_module.h"
#include "models/systemc/decompressor_module.h"

namespace {

constexpr int kPackets = 200;
constexpr unsigned kWords = gw::kLanes;  // of a beat
using Packet = std::vector<float>;

/// The signals of one AXI4-Stream.
struct Stream {
  sc_core::sc_signal<sc_dt::sc_bv<256>> tdata;
  sc_core::sc_signal<sc_dt::sc_uint<32>> tkeep;
  sc_core::sc_signal<bool> tvalid, tready, tlast, tuser;

  void leads_to(gw::systemc::CodecPins& device) {
    device.s_axis_tdata(tdata);
    device.s_axis_tkeep(tkeep);
    device.s_axis_tvalid(tvalid);
    device.s_axis_tready(tready);
    device.s_axis_tlast(tlast);
    device.s_axis_tuser(tuser);
  }
  void comes_from(gw::systemc::CodecPins& device) {
    device.m_axis_tdata(tdata);
    device.m_axis_tkeep(tkeep);
    device.m_axis_tvalid(tvalid);
    device.m_axis_tready(tready);
    device.m_axis_tlast(tlast);
    device.m_axis_tuser(tuser);
  }
  bool moves() const { return tvalid.read() && tready.read(); }
};

class Random {
 public:
  uint32_t below(uint32_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state_ >> 33) % n;
  }

 private:
  uint64_t state_ = 1;
};

class Platform : public sc_core::sc_module {
 public:
  Platform(int bound, int decoder_bound)
      : sc_module(sc_core::sc_module_name("platform")), tolerance_(std::ldexp(1.0, -bound)) {
    for (gw::systemc::CodecPins* device : {static_cast<gw::systemc::CodecPins*>(&compressor),
                                           static_cast<gw::systemc::CodecPins*>(&decompressor)}) {
      device->aclk(clock);
      device->aresetn(resetn);
      device->bounded_i(bounded);
    }
    compressor.bound_i(encoder_bound);
    decompressor.bound_i(decoder_bound_);
    compressor.error_count_o(encoder_errors);
    decompressor.error_count_o(decoder_errors);
    values.leads_to(compressor);
    wire.comes_from(compressor);
    wire.leads_to(decompressor);
    restored.comes_from(decompressor);
    encoder_bound.write(static_cast<unsigned>(bound));
    decoder_bound_.write(static_cast<unsigned>(decoder_bound));
    bounded.write(true);

    SC_HAS_PROCESS(Platform);
    SC_METHOD(edge);
    sensitive << clock.posedge_event();
    dont_initialize();
  }

  /// Prints what arrived; whether it is what was sent.
  bool report() const {
    const bool whole = received_ == kPackets && sent_.empty() && encoder_errors.read() == 0 &&
                       decoder_errors.read() == 0;
    const bool held = worst_ <= tolerance_;
    std::printf("%d of %d packets, %llu bytes as %llu, max error %.6f of the bound: %s\n",
                received_, kPackets, static_cast<unsigned long long>(plain_bytes_),
                static_cast<unsigned long long>(wire_bytes_), worst_ / tolerance_,
                whole && held ? "PASS" : "FAIL");
    return whole && held;
  }

 private:
  void edge() {
    ++cycle_;
    resetn.write(cycle_ > 3);
    if (!resetn.read()) return;
    if (wire.moves()) wire_bytes_ += gw::bytes_of_keep(wire.tkeep.read().to_uint());
    if (restored.moves()) take();
    restored.tready.write(random_.below(4) != 0);
    if (values.moves()) ++beat_;
    if (values.moves() || !values.tvalid.read()) offer();
    if (received_ == kPackets || cycle_ > 100'000) sc_core::sc_stop();
  }

  /// The next beat, or a pause. Gradients: small, now and then large.
  void offer() {
    if (beat_ * kWords >= packet_.size()) {
      packet_.clear();
      beat_ = 0;
    }
    const bool pause = random_.below(4) == 0 || (packet_.empty() && made_ == kPackets);
    values.tvalid.write(!pause);
    if (pause) return;
    if (packet_.empty()) {
      packet_.resize(1 + random_.below(360));
      for (float& value : packet_) {
        value = (static_cast<float>(random_.below(2001)) - 1000) * 1e-6f;
        if (random_.below(8) == 0) value *= 1000;
      }
      sent_.push_back(packet_);
      plain_bytes_ += 4 * packet_.size();
      ++made_;
    }
    sc_dt::sc_bv<256> data;
    int words = 0;
    for (; words < gw::kLanes && beat_ * kWords + words < packet_.size(); ++words) {
      uint32_t bits = 0;
      std::memcpy(&bits, &packet_[beat_ * kWords + words], sizeof bits);
      data.set_word(words, bits);
    }
    values.tdata.write(data);
    values.tkeep.write(gw::keep_of_bytes(4 * words));
    values.tlast.write((beat_ + 1) * kWords >= packet_.size());
  }

  /// A beat out of the decompressor: eight values, zeros behind a packet's end.
  void take() {
    if (sent_.empty()) {
      worst_ = 2;
      return;
    }
    const Packet& packet = sent_.front();
    for (unsigned i = 0; i < kWords; ++i, ++index_) {
      const uint32_t bits = restored.tdata.read().get_word(static_cast<int>(i));
      float value = 0;
      std::memcpy(&value, &bits, sizeof value);
      const float expected = index_ < packet.size() ? packet[index_] : 0.0f;
      worst_ = std::fmax(worst_, std::fabs(static_cast<double>(value) - expected));
    }
    if (restored.tlast.read() != (index_ >= packet.size())) worst_ = 2;
    if (restored.tlast.read()) {
      index_ = 0;
      sent_.pop_front();
      ++received_;
    }
  }

  sc_core::sc_clock clock{"clock", 10, sc_core::SC_NS};
  sc_core::sc_signal<bool> resetn, bounded;
  sc_core::sc_signal<sc_dt::sc_uint<4>> encoder_bound, decoder_bound_;
  sc_core::sc_signal<sc_dt::sc_uint<32>> encoder_errors, decoder_errors;
  Stream values, wire, restored;
  gw::systemc::gw_compressor compressor{"compressor"};
  gw::systemc::gw_decompressor decompressor{"decompressor"};

  Random random_;
  Packet packet_;
  std::deque<Packet> sent_;
  size_t beat_ = 0, index_ = 0;
  int made_ = 0, received_ = 0, cycle_ = 0;
  uint64_t plain_bytes_ = 0, wire_bytes_ = 0;
  double tolerance_, worst_ = 0;
};

}  // namespace

int sc_main(int argc, char** argv) {
  const int bound = argc > 1 ? std::atoi(argv[1]) : 10;
  const int decoder_bound = argc > 2 ? std::atoi(argv[2]) : bound;
  Platform platform(bound, decoder_bound);
  sc_core::sc_start();
  return platform.report() ? 0 : 1;
}
