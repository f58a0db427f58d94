// A run as a test bench of its own: plain SystemVerilog that drives the recorded edges into the RTL
// and compares every output in every cycle, with its vectors, file list and script.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/harness/engine.h"
#include "sim/run/device.h"

namespace gw::sim {

/// RTL as any simulator is given it.
struct RtlSources {
  std::string top;
  std::vector<std::string> list;  ///< lines of a file list
  std::vector<std::pair<std::string, std::string>> parameters;
};

class SvBench {
 public:
  /// A beat of any width; without data: tvalid = 0.
  struct Transfer {
    const uint32_t* data = nullptr;
    const uint32_t* meta = nullptr;
    uint64_t keep = 0;
    bool last = false, user = false;
  };

  /// Makes the folder, or takes an empty one or one that holds a bench already: nothing is ever
  /// deleted. Throws InputError.
  SvBench(const std::string& folder, const Device::Facts& facts, const RtlSources& rtl);
  ~SvBench();

  void pin(std::string_view name, uint64_t value);
  /// The same, of a wide pin one of its words.
  void pin(const Pin& pin, uint64_t value);
  void reset(bool first, std::span<const uint64_t> probe);
  void boot(const Boot& boot);
  /// What a control port drives and shows at the edge that the next `cycle` writes.
  void control(size_t port, const AxiLiteRequest& request, const AxiLiteReply& reply);
  void cycle(std::span<const Transfer> in, uint32_t m_ready, uint32_t s_ready,
             std::span<const Transfer> out, std::span<const uint64_t> probe);
  /// Closes the vectors; the counters of a run that has passed are compared. Throws InputError.
  void finish(std::span<const uint32_t> statistics);

 private:
  struct Layout;
  void put_probe(std::span<const uint64_t> probe);
  void line();

  const std::string path_;
  std::unique_ptr<Layout> layout_;
  std::vector<uint32_t> word_, idle_;  ///< this edge; what stands in every one: the pins
  std::FILE* file_ = nullptr;
  int error_ = 0;
};

}  // namespace gw::sim
