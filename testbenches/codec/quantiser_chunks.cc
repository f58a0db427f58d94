// SPDX-License-Identifier: Apache-2.0
#include "testbenches/codec/quantiser_chunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>

#include "models/reference/capture/input.h"
#include "models/reference/codec_benchmark.h"
#include "models/reference/quant/decoder.h"
#include "models/reference/value_file.h"
#include "sim/base/error.h"
#include "sim/feeds/gradients.h"

namespace gw::testbenches {

namespace quant = reference::quant;

namespace {

reference::FileLooks looks_of_file(const std::string& path) {
  const capture::Expected<capture::Input> input = capture::Input::open(path);
  if (!input) throw sim::InputError(input.error().sentence);
  return reference::looks_of(input->head());
}

void refuse_without_capture(const ValueFileOptions& options, bool capture) {
  if (capture) return;
  if (!options.filter.empty()) throw sim::UsageError("--filter has no effect on a file of values");
  for (const auto& [name, value] : options.capture.changed()) {
    throw sim::UsageError(fmt::format("--{} has no effect on a file of values", name));
  }
}

/// The rows that chunks of a flow get, one after the other.
class Rows {
 public:
  explicit Rows(size_t rows) : rows_(rows) {}

  uint32_t take(size_t flow, size_t n) {
    if (flow >= next_.size()) next_.resize(flow + 1);
    const size_t needed = quant::rows_of(n);
    size_t& next = next_[flow];
    if (next + needed > rows_) next = 0;
    const size_t row = next;
    next += needed;
    return static_cast<uint32_t>(row);
  }
  size_t flows() const { return next_.size(); }

 private:
  size_t rows_;
  std::vector<size_t> next_;
};

void read_capture(const std::string& path, const ValueFileOptions& options, QuantChunks& all) {
  const std::unique_ptr<sim::Gradients> gradients =
      sim::open_gradients({.trace = path, .filter = options.filter}, /*seed=*/0, options.capture);
  Rows rows(all.rows);
  std::map<size_t, size_t> numbers;  // of the flows that carry gradients, in order of appearance
  while (const std::optional<sim::GradientPacket> packet = gradients->next()) {
    const size_t n = packet->values.size(), from = all.values.size();
    const size_t flow = numbers.try_emplace(packet->flow, numbers.size()).first->second;
    all.chunks.push_back({.from = from, .n = n, .flow = flow, .row = rows.take(flow, n)});
    all.values.resize(from + n);
    std::memcpy(&all.values[from], packet->values.data(), n * sizeof(float));
  }
  all.flows = rows.flows();
  const sim::SourceFacts& facts = gradients->facts();
  all.notes = facts.trace.value("notes", std::vector<std::string>());
  all.incomplete = facts.incomplete;
}

}  // namespace

std::vector<uint8_t> file_of_bytes(const std::string& path) {
  capture::Expected<std::vector<uint8_t>> bytes = capture::read_bytes(path);
  if (!bytes) throw sim::InputError(bytes.error().sentence);
  return std::move(bytes).value();
}

ValueFile file_of_floats(const std::string& path, const ValueFileOptions& options) {
  ValueFile file;
  const reference::FileLooks looks = looks_of_file(path);
  refuse_without_capture(options, looks.kind == reference::FileKind::kCapture);
  if (looks.kind == reference::FileKind::kCapture) {
    QuantChunks all;
    all.rows = quant::Quantiser::kMaxRows;
    read_capture(path, options, all);
    file.words.resize(all.values.size());
    std::memcpy(file.words.data(), all.values.data(), all.values.size() * 4);
    file.notes = std::move(all.notes);
    file.incomplete = std::move(all.incomplete);
    return file;
  }
  const std::vector<uint8_t> bytes = file_of_bytes(path);
  if (looks.kind == reference::FileKind::kNpy) {
    reference::NpyValues npy = reference::parse_npy(bytes, options.round_float64);
    if (!npy.error.empty()) throw sim::InputError(fmt::format("'{}' {}", path, npy.error));
    if (npy.words.empty()) throw sim::InputError(fmt::format("'{}' holds no values", path));
    if (npy.rounded) {
      file.notes.push_back(fmt::format(
          "float64 rounded to binary32{}",
          npy.infinite == 0 ? "" : fmt::format("; {} values become infinite", npy.infinite)));
    }
    file.words = std::move(npy.words);
    return file;
  }
  if (looks.kind == reference::FileKind::kEncoded) {
    throw sim::InputError(
        fmt::format("'{}' is encoded: decode it first (gradwire codec decode)", path));
  }
  if (looks.kind == reference::FileKind::kOther) {
    throw sim::InputError(
        fmt::format("'{}' is {}, no file of values: {}", path, looks.name, looks.remedy));
  }
  if (bytes.size() % 4 != 0) {
    throw sim::InputError(
        fmt::format("'{}' is no file of binary32 values: its {} bytes are no multiple of four",
                    path, bytes.size()));
  }
  if (bytes.empty()) throw sim::InputError(fmt::format("'{}' is empty", path));
  file.words.resize(bytes.size() / 4);
  std::memcpy(file.words.data(), bytes.data(), bytes.size());
  return file;
}

QuantChunks read_quant_chunks(const std::string& path, size_t chunk, size_t rows,
                              const ValueFileOptions& options) {
  if (rows < 1 || rows > quant::Quantiser::kMaxRows) {
    throw sim::UsageError(fmt::format("--rows {} is not from 1 to 262144", rows));
  }
  if (chunk > quant::kMaxValues) {
    throw sim::UsageError(fmt::format("--chunk {} is not from 1 to {}", chunk, quant::kMaxValues));
  }
  QuantChunks all;
  all.rows = rows;
  all.capture = looks_of_file(path).kind == reference::FileKind::kCapture;
  if (all.capture) {
    if (chunk != 0) {
      throw sim::UsageError(
          fmt::format("--chunk has no effect on '{}': a capture's chunks are its packets", path));
    }
    read_capture(path, options, all);
    return all;
  }
  if (chunk == 0) chunk = quant::kMaxBufferedValues;
  ValueFile file = file_of_floats(path, options);
  const std::vector<uint32_t>& words = file.words;
  all.notes = std::move(file.notes);
  all.values.resize(words.size());
  std::memcpy(all.values.data(), words.data(), words.size() * 4);
  all.flows = 1;
  Rows next(rows);
  for (size_t from = 0; from < words.size(); from += chunk) {
    const size_t n = std::min(chunk, words.size() - from);
    all.chunks.push_back({.from = from, .n = n, .flow = 0, .row = next.take(0, n)});
  }
  return all;
}

Quantised quantise(const QuantChunks& chunks, const quant::Config& config, int rounds) {
  std::vector<quant::Quantiser> quantisers(chunks.flows, quant::Quantiser(config, chunks.rows));
  // One ledger for all flows: rows of the second lie behind those of the first.
  quant::Statistics statistics(chunks.flows * chunks.rows);
  Quantised result;
  std::vector<uint8_t> packet;
  std::vector<float> received;
  for (const QuantChunks::Chunk& chunk : chunks.chunks) {
    const std::span<const float> g = chunks.gradients(chunk);
    const quant::ChunkReport report = quantisers[chunk.flow].encode(g, chunk.row, packet);
    if (!quant::decode_packet(packet, quant::kMaxValues, received).ok()) {
      throw std::logic_error("a packet of ours does not decode");
    }
    statistics.add(g, static_cast<uint32_t>(chunk.flow * chunks.rows) + chunk.row, report,
                   received);
    result.packets.insert(result.packets.end(), packet.begin(), packet.end());
    result.ends.push_back(result.packets.size());
  }
  std::vector<float> residuals;
  for (const quant::Quantiser& q : quantisers) {
    residuals.insert(residuals.end(), q.residuals().begin(), q.residuals().end());
  }
  result.figures = statistics.figures(config.residual ? std::span<const float>(residuals)
                                                      : std::span<const float>());
  if (rounds == 0) return result;

  size_t longest = 0;
  for (const QuantChunks::Chunk& chunk : chunks.chunks) longest = std::max(longest, chunk.n);
  received.resize(longest);
  std::vector<float> copy(chunks.values.size());
  const std::vector<std::function<void()>> jobs = {
      [&] {
        for (quant::Quantiser& q : quantisers) q.reset();
        for (const QuantChunks::Chunk& chunk : chunks.chunks) {
          quantisers[chunk.flow].encode(chunks.gradients(chunk), chunk.row, packet);
        }
      },
      [&] {
        size_t from = 0;
        for (const size_t end : result.ends) {
          quant::decode_into(std::span(result.packets).subspan(from, end - from), received);
          from = end;
        }
      },
      [&] {
        std::memcpy(copy.data(), chunks.values.data(), copy.size() * sizeof(float));
        asm volatile("" : : "r"(copy.data()) : "memory");  // it is read, as far as compilers know
      }};
  const std::vector<double> seconds = reference::median_seconds(jobs, rounds);
  const double gigabits = static_cast<double>(chunks.values.size()) * 32e-9;
  result.encode_gbps = gigabits / seconds[0];
  result.decode_gbps = gigabits / seconds[1];
  result.memcpy_gbps = gigabits / seconds[2];
  return result;
}

nlohmann::json quantizer_json(const quant::Config& config, const quant::Figures& f) {
  nlohmann::json q = {{"method", quant::method_name(config.method)},
                      {"spec", quant::config_text(config)},
                      {"chunks", f.chunks},
                      {"raw_chunks", f.raw_chunks},
                      {"values", f.values},
                      {"not_finite", f.not_finite},
                      {"entries", f.entries},
                      {"bytes", f.bytes},
                      {"sent_share", f.sent_share},
                      {"payload_ratio", f.payload_ratio},
                      {"ratio", f.ratio},
                      {"rel_l2_error", f.rel_l2_error},
                      {"max_abs_error", f.max_abs_error}};
  if (config.method == quant::Method::kOneBit) {
    q["clipped"] = f.clipped;
    q["vanished"] = f.vanished;
    q["clipped_means"] = f.clipped_means;
  }
  if (quant::is_threshold(config.method)) q["t"] = config.threshold;
  if (config.method == quant::Method::kAdaptive) q["p"] = config.p;
  if (quant::is_mx(config.method)) q["scale"] = quant::scale_rule_name(config.scale);
  if (quant::is_sparse(config.method)) q["coding"] = quant::coding_name(config.coding);
  if (f.k_mean >= 0) q["k_mean"] = f.k_mean;
  if (f.entries != 0) q["bits_per_entry"] = f.bits_per_entry;
  if (config.residual) {
    q["residual"] = {
        {"rms", f.residual_rms}, {"max", f.residual_max}, {"to_gradient", f.residual_to_gradient}};
    q["conservation"] = f.conservation;
  }
  return q;
}

std::string range_note(const nlohmann::json& quantizer) {
  const auto count = [&quantizer](const char* key) { return quantizer.value(key, uint64_t{0}); };
  std::string note;
  if (const uint64_t n = count("clipped"); n != 0) {
    note = fmt::format(
        "{} value{} of 256 and more in magnitude clip{}: {} mean{} too small; scale the gradients "
        "down",
        n, n == 1 ? "" : "s", n == 1 ? "s" : "", count("clipped_means"),
        count("clipped_means") == 1 ? " is" : "s are");
  }
  if (const uint64_t n = count("vanished"); n != 0) {
    if (!note.empty()) note += ". ";
    note += fmt::format(
        "{} value{} below 2^-32 in magnitude count{} as 0 in the means; scale the gradients up", n,
        n == 1 ? "" : "s", n == 1 ? "s" : "");
  }
  return note;
}

quant::Config quant_config(const std::string& spec) {
  const quant::ConfigResult result = quant::parse_config(spec);
  if (!result.config) throw sim::UsageError("--codec: " + result.error);
  return *result.config;
}

}  // namespace gw::testbenches
