// What the codec makes of the gradients of a run: tags, ratio, error, and the baselines beside it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "models/reference/codec_statistics.h"
#include "testbenches/kit/runner.h"

namespace gw::testbenches {

/// Adds the section `compression` of a report (ratio, classes and error of values as they are
/// packed), and the verdict on the bound: not held is wrong, but in mode `paper`.
void add_compression(nlohmann::json& sections, const reference::CodecStatistics& values,
                     reference::Mode mode);

/// What baselines hold of it.
std::vector<std::string> compared_of_codec();

/// Adds `compression`, `baselines`, `paper`, and plots of the values. Tags, ratio and error are
/// those of all values that passed; the table of bounds, the baselines and the histogram those of
/// the first 2^20, so that neither time nor memory grows with a long trace.
class CodecScore final : public Score<Beat> {
 public:
  /// `config`: of the table and the baselines; each packet is measured by its own.
  explicit CodecScore(const reference::CodecConfig& config) : config_(config), all_(config) {}

  void left(const sim::Passage& passage, const sim::Packet<Beat>& packet) override;
  void report(nlohmann::json& sections) const override;

 private:
  static constexpr size_t kSample = size_t{1} << 20;

  reference::CodecConfig config_;
  reference::CodecStatistics all_;
  std::vector<uint32_t> sample_;
  std::vector<size_t> sample_packets_;  // values of each packet in the sample
};

}  // namespace gw::testbenches
