// SPDX-License-Identifier: Apache-2.0
#include "testbenches/pes/pe_rtl.h"

#include <verilated.h>

#include "pe_builds.h"

namespace gw::testbenches {
namespace {

// A port's words, whatever Verilator makes of its width.
template <class Port>
auto* words_of(Port& port) {
  if constexpr (sizeof(Port) <= sizeof(uint64_t)) {
    using Word = std::conditional_t<std::is_const_v<Port>, const uint32_t, uint32_t>;
    return reinterpret_cast<Word*>(&port);
  } else {
    return &port[0];
  }
}

template <class V, size_t kLanes>
class Verilated : public PeRtl {
 public:
  Verilated() : top_(&context_) {
    top_.clk_i = 0;
    top_.eval();
  }
  ~Verilated() override { top_.final(); }

  std::span<uint32_t> registers() override { return {words_of(top_.registers_i), 9}; }
  std::span<uint32_t> theta() override { return {words_of(top_.theta_i), kLanes}; }
  std::span<uint32_t> gradient() override { return {words_of(top_.gradient_i), kLanes}; }
  std::span<uint32_t> state() override { return {words_of(top_.state_i), 3 * kLanes}; }
  void set_reset(bool reset) override { top_.rst_ni = !reset; }
  void set_valid(uint8_t arrays) override { top_.valid_i = arrays; }

  void clock() override {
    top_.clk_i = 1;
    top_.eval();
    top_.clk_i = 0;
    top_.eval();
  }

  uint8_t valid() const override { return top_.valid_o; }
  std::span<const uint32_t> new_theta(size_t array) const override {
    return {words_of(top_.theta_o) + array * kLanes, kLanes};
  }
  std::span<const uint32_t> new_state(size_t array) const override {
    return {words_of(top_.state_o) + array * 3 * kLanes, 3 * kLanes};
  }

  int latency(size_t array) const override { return top_.latency_o >> (8 * array) & 255; }
  int interval(size_t array) const override { return top_.interval_o >> (8 * array) & 255; }

 private:
  VerilatedContext context_;
  V top_;
};

template <class V, size_t kLanes>
std::unique_ptr<PeRtl> make() {
  return std::make_unique<Verilated<V, kLanes>>();
}

#define GW_PE_BUILD(algorithm, lanes, eps_outside) \
  {algorithm, lanes, eps_outside, make<Vgw_pe_bench_##algorithm##_##lanes##_##eps_outside, lanes>},
constexpr PeBuild kBuilds[] = {GW_PE_BUILDS(GW_PE_BUILD)};
#undef GW_PE_BUILD

}  // namespace

std::span<const PeBuild> pe_builds() { return kBuilds; }

}  // namespace gw::testbenches
