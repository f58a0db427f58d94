#include "testbenches/codec/quantiser_chunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>

#include "models/reference/capture/capture.h"
#include "models/reference/codec_benchmark.h"
#include "models/reference/quant/decoder.h"
#include "sim/base/error.h"
#include "sim/base/file_bytes.h"

namespace gw::testbenches {

namespace quant = reference::quant;

namespace {

bool is_capture(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<unsigned char, 6> head{};
  file.read(reinterpret_cast<char*>(head.data()), head.size());
  if (file.gcount() != static_cast<std::streamsize>(head.size())) return false;
  const auto starts = [&head](std::initializer_list<int> bytes) {
    return std::ranges::equal(bytes, std::span(head).first(bytes.size()),
                              [](int a, unsigned char b) { return a == b; });
  };
  // pcap has its version, 2, behind the magic number; pcapng is long enough to be no float.
  const bool little = starts({0xD4, 0xC3, 0xB2, 0xA1}) || starts({0x4D, 0x3C, 0xB2, 0xA1});
  const bool big = starts({0xA1, 0xB2, 0xC3, 0xD4}) || starts({0xA1, 0xB2, 0x3C, 0x4D});
  return (little && head[4] == 2 && head[5] == 0) || (big && head[4] == 0 && head[5] == 2) ||
         starts({0x0A, 0x0D, 0x0D, 0x0A});
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

void read_capture(const std::string& path, QuantChunks& all) {
  namespace capture = gw::capture;
  capture::Expected<capture::Reader> reader = capture::Reader::open(path);
  if (!reader) throw sim::InputError(reader.error().sentence);
  capture::Selector selector;
  Rows rows(all.rows);
  while (const std::optional<capture::Record> record = reader.value().next()) {
    const capture::Packet packet = capture::packet_of(*record);
    const std::optional<capture::GradientPayload> payload = selector.take(packet);
    if (!payload || payload->floats() == 0) continue;
    const std::vector<float> values = payload->values();
    all.chunks.push_back({.from = all.values.size(),
                          .n = values.size(),
                          .flow = payload->flow,
                          .row = rows.take(payload->flow, values.size())});
    all.values.insert(all.values.end(), values.begin(), values.end());
  }
  all.flows = rows.flows();
  if (reader.value().damage()) all.incomplete = reader.value().damage()->sentence;
  if (all.chunks.empty()) {
    throw sim::InputError(all.incomplete.empty()
                              ? fmt::format("'{}' holds no packet with marked gradients", path)
                              : all.incomplete);
  }
}

}  // namespace

std::vector<uint8_t> file_of_bytes(const std::string& path) {
  const std::string bytes = sim::bytes_of_file(path);
  return {bytes.begin(), bytes.end()};
}

std::vector<uint32_t> file_of_floats(const std::string& path) {
  const std::vector<uint8_t> bytes = file_of_bytes(path);
  if (bytes.size() % 4 != 0) {
    throw sim::InputError(
        fmt::format("'{}' is no file of binary32 values: its {} bytes are no multiple of four",
                    path, bytes.size()));
  }
  if (bytes.empty()) throw sim::InputError(fmt::format("'{}' is empty", path));
  std::vector<uint32_t> values(bytes.size() / 4);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

QuantChunks read_quant_chunks(const std::string& path, size_t chunk, size_t rows) {
  if (rows < 1 || rows > quant::Quantiser::kMaxRows) {
    throw sim::UsageError(fmt::format("--rows {} is not from 1 to 262144", rows));
  }
  if (chunk > quant::kMaxValues) {
    throw sim::UsageError(fmt::format("--chunk {} is not from 1 to {}", chunk, quant::kMaxValues));
  }
  QuantChunks all;
  all.rows = rows;
  all.capture = is_capture(path);
  if (all.capture) {
    if (chunk != 0) {
      throw sim::UsageError(
          fmt::format("--chunk has no effect on '{}': a capture's chunks are its packets", path));
    }
    read_capture(path, all);
    return all;
  }
  if (chunk == 0) chunk = quant::kMaxBufferedValues;
  const std::vector<uint32_t> words = file_of_floats(path);
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
  std::vector<size_t> ends;
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
    ends.push_back(result.packets.size());
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
        for (const size_t end : ends) {
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
  if (quant::is_threshold(config.method)) q["t"] = config.threshold;
  if (config.method == quant::Method::kAdaptive) q["p"] = config.p;
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

quant::Config quant_config(const std::string& spec) {
  const quant::ConfigResult result = quant::parse_config(spec);
  if (!result.config) throw sim::UsageError("--codec: " + result.error);
  return *result.config;
}

}  // namespace gw::testbenches
