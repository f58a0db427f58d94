// All ways there are to shorten gradients, on the same gradients, in one table: INCEPTIONN,
// truncation, Snappy, every quantiser and coding. Document, terminal and HTML say the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "testbenches/codec/quantiser_chunks.h"

namespace gw::testbenches {

struct CompareOptions {
  std::string file;
  size_t chunk = 0;  ///< as read_quant_chunks has it
  ValueFileOptions reading;
  size_t rows = reference::quant::Quantiser::kDefaultRows;
  std::vector<std::string> specs;  ///< of quantisers; empty: some of each, by the gradients' size
  int rounds = 5;                  ///< of timing
  std::string command;             ///< as typed
  /// What hardware of this name needs: {"cycles_per_burst": 1.0, "lut": 2000}, each if it is known.
  std::function<nlohmann::json(const std::string& device)> hardware;
};

/// The document: `values`, `chunks`, `flows`, `rows`, `gradient_rms`, and `codecs`, a row each.
/// Throws UserError.
nlohmann::json compare_codecs(const CompareOptions& options);

std::string compare_text(const nlohmann::json& document);
std::string compare_html(const nlohmann::json& document);

}  // namespace gw::testbenches
