// RTL and model of a device that see the same and must show the same, edge by edge: for tests that
// do what no run does (a host that writes at any time, a reset in mid-frame).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/harness/failure.h"
#include "testbenches/kit/compiled_rtl.h"
#include "testbenches/kit/rtl_engine.h"
#include "testbenches/switch/models.h"
#include "testbenches/switch/wiring.h"
#include "tests/switch/support.h"

namespace gw::testbenches::testing {

inline CompiledRtl compiled(const std::string& name, const reference::Blocks& blocks,
                            const sim::RunSpec& spec, bool traced) {
  return compile_rtl(device(name).facts(), rtl_parameters(blocks, network_spec(spec.options)), spec,
                     traced);
}

/// P: the ports. M: the model, an engine with write() for the host. Traced RTL starts from random
/// values, which follow from the spec's seed.
template <class P, class M>
class Pair {
 public:
  static constexpr size_t kOut = sim::kOutputsOf<P>;

  Pair(const std::string& name, const reference::Blocks& blocks, const sim::RunSpec& spec, M model,
       bool traced = false)
      : boot_(boot_of(blocks, network_spec(spec.options), spec.seed)),
        rtl_(compiled(name, blocks, spec, traced), spec.seed),
        model_(std::move(model)) {
    if (blocks.aggregation) {
      for (const auto& [pin, value] : aggregator_pins(network_spec(spec.options))) {
        rtl_.set(pin, value);
      }
    }
    for (int edge = 0; edge < 2; ++edge) reset();
    sim::boot_engine(rtl_, boot_);
    sim::boot_engine(model_, boot_);
  }

  void pin(const std::string& name, uint64_t value) { rtl_.set(name, value); }
  /// The host writes in this cycle, whatever else happens.
  void write(uint32_t address, uint32_t data) {
    rtl_.set("cfg_valid_i", 1);
    rtl_.set("cfg_address_i", address);
    rtl_.set("cfg_data_i", data);
    model_.write(address, data);
    writing_ = true;
  }
  void reset() {
    rtl_.reset();
    model_.reset();
  }
  void clock(const sim::Offered<P>& offered, uint32_t m_ready) {
    compare(m_ready);
    if (::testing::Test::HasFatalFailure()) return;
    rtl_.clock(offered, m_ready);
    model_.clock(offered, m_ready);
    if (writing_) rtl_.set("cfg_valid_i", 0);
    writing_ = false;
    ++cycle;
  }
  uint32_t s_ready() const { return model_.s_ready(); }
  uint64_t probe() const { return model_.probe(); }
  std::vector<uint32_t> statistics() const { return sim::statistics_of(model_); }
  /// While all is idle.
  void compare_statistics() { EXPECT_EQ(sim::statistics_of(rtl_), sim::statistics_of(model_)); }

  uint64_t cycle = 0;
  std::vector<Beat> left;  ///< beats taken, on all ports

 private:
  void compare(uint32_t m_ready) {
    ASSERT_EQ(rtl_.s_ready(), model_.s_ready()) << "cycle " << cycle;
    ASSERT_EQ(rtl_.probe(), model_.probe()) << "cycle " << cycle;
    for (size_t port = 0; port < kOut; ++port) {
      const Beat *const a = rtl_.m_beat(port), *const b = model_.m_beat(port);
      ASSERT_EQ(a != nullptr, b != nullptr) << "cycle " << cycle << " port " << port;
      if (a == nullptr) continue;
      const char* const difference = sim::first_difference(*a, *b);
      ASSERT_EQ(difference, nullptr) << "cycle " << cycle << " " << difference;
      if ((m_ready >> port & 1) != 0) left.push_back(*a);
    }
  }

  const sim::Boot boot_;
  RtlEngine<P> rtl_;
  M model_;
  bool writing_ = false;
};

/// Whose host writes before the first cycle only.
struct QuietSwitchModel : SwitchModel {
  using SwitchModel::SwitchModel;
  void write(uint32_t, uint32_t) {}
};

}  // namespace gw::testbenches::testing
