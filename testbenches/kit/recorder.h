// What the loop drives and sees, edge by edge, into a test bench of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include "sim/harness/record.h"
#include "sim/run/sv_bench.h"

namespace gw::testbenches {

template <class P>
class Recorder final : public sim::Observer<P> {
 public:
  using Transfer = sim::SvBench::Transfer;

  Recorder(const std::string& folder, const sim::Device::Facts& facts, const sim::RtlSources& rtl)
      : bench_(folder, facts, rtl) {}
  sim::SvBench& bench() { return bench_; }

  void reset(bool first, const sim::Probe<P>& probe) override {
    bench_.reset(first, sim::words_of_probe(probe));
  }
  void boot(const sim::Boot& boot) override { bench_.boot(boot); }
  void configure(const sim::PacketConfig& config) override {
    if constexpr (sim::kPinsGoWithPackets<P>) {
      for (size_t i = 0; i < P::kPinsOfPacket.size(); ++i) {
        bench_.pin(P::kPinsOfPacket[i], config[i]);
      }
    }
  }
  void control(size_t port, const AxiLiteRequest& request, const AxiLiteReply& reply) override {
    bench_.control(port, request, reply);
  }
  void cycle(const sim::Offered<P>& offered, uint32_t m_ready, uint32_t s_ready,
             const typename sim::Observer<P>::Shown& shown, const sim::Probe<P>& probe) override {
    bench_.cycle(transfers(offered), m_ready, s_ready, transfers(shown),
                 sim::words_of_probe(probe));
  }

 private:
  template <size_t kPorts>
  static std::array<Transfer, kPorts> transfers(
      const std::array<const typename P::Beat*, kPorts>& beats) {
    std::array<Transfer, kPorts> all;
    for (size_t p = 0; p < kPorts; ++p) {
      if (const auto* const beat = beats[p]) {
        all[p] = {beat->data.data(), beat->meta.data(), beat->keep, beat->last != 0,
                  beat->user != 0};
      }
    }
    return all;
  }

  sim::SvBench bench_;
};

}  // namespace gw::testbenches
