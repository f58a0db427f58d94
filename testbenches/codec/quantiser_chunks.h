// Gradients of a file or a capture as the chunks of quantisers, and what a quantiser does to them:
// what `gradwire codec` prints and compares.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/reference/quant/statistics.h"
#include "sim/base/options.h"

namespace gw::testbenches {

/// Chunks in the order in which they came. Those of one flow share a memory of residuals; each
/// begins at the row behind the one before it, or at 0 where it would not fit.
struct QuantChunks {
  struct Chunk {
    size_t from = 0;  ///< of `values`
    size_t n = 0;
    size_t flow = 0;
    uint32_t row = 0;
  };
  std::vector<float> values;
  std::vector<Chunk> chunks;
  size_t flows = 0;
  size_t rows = 0;  ///< of each flow's memory
  bool capture = false;
  std::vector<std::string> notes;  ///< sentences: what was made of the file
  std::string incomplete;          ///< a sentence if the capture ended early

  std::span<const float> gradients(const Chunk& chunk) const {
    return std::span(values).subspan(chunk.from, chunk.n);
  }
};

struct ValueFileOptions {
  bool round_float64 = false;   ///< take a .npy of float64, each value rounded to binary32
  std::string filter = {};      ///< of a capture
  sim::OptionSet capture = {};  ///< how one is read, and its mark (sim/feeds/captures.h)
};

/// A capture (pcap, pcapng): a chunk is the gradients of a marked packet, a flow a flow. Any other
/// file: binary32 values, `chunk` of them at a time, one flow; 0: 4,096. Throws InputError for a
/// file without gradients, UsageError for a chunk size out of range or of a capture.
QuantChunks read_quant_chunks(const std::string& path, size_t chunk, size_t rows,
                              const ValueFileOptions& options = {});

/// All bytes of a file, decompressed where it is gzip or zstd. Throws InputError.
std::vector<uint8_t> file_of_bytes(const std::string& path);

/// The binary32 values of a file: of a .npy, of the marked packets of a capture, or all of a file
/// that looks like nothing else.
struct ValueFile {
  std::vector<uint32_t> words;
  std::vector<std::string> notes;  ///< sentences: what was made of the file
  std::string incomplete;          ///< a sentence if a capture ended early
};
/// Throws InputError, also for a file that is known to hold no values.
ValueFile file_of_floats(const std::string& path, const ValueFileOptions& options = {});

struct Quantised {
  reference::quant::Figures figures;
  double encode_gbps = 0;  ///< of floats, one thread; 0: not timed
  double decode_gbps = 0;
  double memcpy_gbps = 0;        ///< of the same floats, in the same rounds
  std::vector<uint8_t> packets;  ///< one after the other
  std::vector<size_t> ends;      ///< of each
};

/// `rounds`: of timing; 0: none.
Quantised quantise(const QuantChunks& chunks, const reference::quant::Config& config, int rounds);

/// The `quantizer` section of a report.
nlohmann::json quantizer_json(const reference::quant::Config& config,
                              const reference::quant::Figures& figures);

/// A sentence if values of `onebit` were beyond what its means hold, with the remedy; else nothing.
/// `quantizer`: that section.
std::string range_note(const nlohmann::json& quantizer);

/// Throws UsageError.
reference::quant::Config quant_config(const std::string& spec);

}  // namespace gw::testbenches
