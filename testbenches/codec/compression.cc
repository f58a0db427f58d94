#include "testbenches/codec/compression.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "models/reference/baselines.h"
#include "models/reference/codec_statistics.h"
#include "sim/report/paper_figures.h"

namespace gw::sim {
namespace {

using nlohmann::json;
using reference::Tag;

/// Baselines are measured on at most so many values, so that a long trace does not wait for Snappy.
constexpr size_t kBaselineValues = size_t{1} << 20;

json tags_json(const reference::CodecStatistics& statistics) {
  return {{"zero", statistics.count(Tag::kZero)},
          {"byte", statistics.count(Tag::kByte)},
          {"half", statistics.count(Tag::kHalf)},
          {"raw", statistics.count(Tag::kRaw)}};
}

json paper_json(int k) {
  json paper = {{"clock_mhz", paper::kClockMhz},
                {"bus_bits", paper::kBusBits},
                {"line_rate_gbps", paper::kLineRateGbps}};
  if (const auto row = paper::table3("HDC", k)) {
    paper["table3"] = {{"model", row->model}, {"bound", fmt::format("2^-{}", k)},
                       {"zero", row->zero},   {"byte", row->byte},
                       {"half", row->half},   {"raw", row->raw}};
    paper["ratio_fig14"] = row->ratio();
  }
  return paper;
}

}  // namespace

void add_compression(json& report, const std::vector<GradientPacket>& packets,
                     const reference::CodecConfig& config) {
  if (packets.empty()) return;
  reference::CodecStatistics statistics(config);
  std::map<int, uint64_t> exponents;
  std::vector<float> sample;
  for (const GradientPacket& packet : packets) {
    statistics.add(packet.values);
    for (const uint32_t bits : packet.values) {
      ++exponents[static_cast<int>(bits >> 23 & 0xFF) - 127];
      if (sample.size() < kBaselineValues) sample.push_back(std::bit_cast<float>(bits));
    }
  }

  report["compression"] = {{"ratio", statistics.ratio()},
                           {"values", statistics.values()},
                           {"tags", tags_json(statistics)},
                           {"max_abs_error", statistics.max_abs_error()},
                           {"mean_abs_error", statistics.mean_abs_error()},
                           {"bound", config.bound()},
                           {"bound_held", statistics.bound_held()}};
  // Table III's three bounds side by side, beside the one that ran.
  std::set<int> bounds = {6, 8, 10, config.bound_exponent};
  json by_bound = json::array();
  for (const int k : bounds) {
    const reference::CodecConfig other{.bound_exponent = k, .mode = config.mode};
    reference::CodecStatistics row(other);
    for (const GradientPacket& packet : packets) row.add(packet.values);
    json entry = {{"bound", k},
                  {"ratio", row.ratio()},
                  {"tags", tags_json(row)},
                  {"max_abs_error", row.max_abs_error()},
                  {"bound_held", row.bound_held()}};
    if (const auto printed = paper::table3("HDC", k)) {
      entry["paper_percent"] = {{"zero", printed->zero},
                                {"byte", printed->byte},
                                {"half", printed->half},
                                {"raw", printed->raw}};
      entry["paper_ratio"] = printed->ratio();
    }
    by_bound.push_back(std::move(entry));
  }
  report["compression"]["by_bound"] = std::move(by_bound);
  report["paper"] = paper_json(config.bound_exponent);

  // The reference counts bytes a second; reports say gigabits wherever they say gbps.
  report["baselines"] = json::array();
  for (const auto& figures : reference::measure_all(sample, config, 3)) {
    // Packets are encoded each on its own; the codec's speed is measured on all values as one
    // stream.
    const bool ours = figures.name.starts_with("inceptionn");
    report["baselines"].push_back({{"name", ours ? "codec, as one stream" : figures.name},
                                   {"ratio", figures.ratio},
                                   {"max_abs_error", figures.max_abs_error},
                                   {"mean_abs_error", figures.mean_abs_error},
                                   {"encode_gbps", 8 * figures.encode_gbps},
                                   {"decode_gbps", 8 * figures.decode_gbps}});
  }

  json rows = json::array();
  for (const auto& [exponent, count] : exponents) rows.push_back({exponent, count});
  report["plots"]["value_exponents"] = std::move(rows);
  report["plots"]["class_limits"] = {{"zero_below", config.byte_from() - 127},
                                     {"byte_below", config.half_from() - 127},
                                     {"raw_from", 0}};
}

}  // namespace gw::sim
