// SPDX-License-Identifier: Apache-2.0
#include "testbenches/codec/report.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "models/papers/inceptionn.h"
#include "models/reference/baselines.h"
#include "testbenches/codec/options.h"
#include "testbenches/codec/oracle.h"

namespace gw::testbenches {
namespace {

namespace paper = papers::inceptionn;
using nlohmann::json;
using reference::Tag;

json tags_json(const reference::CodecStatistics& statistics) {
  return {{"zero", statistics.count(Tag::kZero)},
          {"byte", statistics.count(Tag::kByte)},
          {"half", statistics.count(Tag::kHalf)},
          {"raw", statistics.count(Tag::kRaw)}};
}

json paper_json(int k) {
  json section = {{"clock_mhz", paper::kClockMhz},
                  {"bus_bits", paper::kBusBits},
                  {"line_rate_gbps", paper::kLineRateGbps}};
  if (const auto row = paper::table3("HDC", k)) {
    section["table3"] = {{"model", row->model}, {"bound", fmt::format("2^-{}", k)},
                         {"zero", row->zero},   {"byte", row->byte},
                         {"half", row->half},   {"raw", row->raw}};
    section["ratio_fig14"] = row->ratio();
  }
  return section;
}

/// Ratio, classes and error of values as they are packed.
json compression_json(const reference::CodecStatistics& values) {
  json section = {{"ratio", values.ratio()},
                  {"encoded_bytes", values.encoded_bytes()},
                  {"values", values.values()},
                  {"tags", tags_json(values)},
                  {"max_abs_error", values.max_abs_error()},
                  {"mean_abs_error", values.mean_abs_error()},
                  {"bound", values.config().bound()},
                  {"bound_held", values.bound_held()}};
  if (values.mixed()) {
    section["bound"] = kDrawnPerPacket;
    section["error_to_bound"] = values.error_to_bound();
  }
  return section;
}

}  // namespace

void add_compression(json& sections, const reference::CodecStatistics& values,
                     reference::Mode mode) {
  sections["compression"] = compression_json(values);
  // Algorithm 2 read literally does not hold the bound: in mode `paper` that is said, and no fault.
  const bool may_break = !values.mixed() && mode == reference::Mode::kPaper;
  sections["verdicts"] = {{{"name", "bound"},
                           {"held", values.bound_held() || may_break},
                           {"words", "the error bound is not held"}}};
}

std::vector<std::string> compared_of_codec() {
  return {"/compression/ratio", "/compression/max_abs_error"};
}

void CodecScore::left(const sim::Passage&, const sim::Packet<Beat>& packet) {
  const sim::Packet<Beat>& source = *packet.source;
  Lanes lanes;
  if (source.values.empty()) lanes = lanes_of(source);
  const std::span<const uint32_t> values = source.values.empty() ? lanes.values : source.values;
  all_.configure(config_of(source));
  all_.add(values);
  if (sample_.size() < kSample) {
    sample_.insert(sample_.end(), values.begin(), values.end());
    sample_packets_.push_back(values.size());
  }
}

void CodecScore::report(json& sections) const {
  if (sample_packets_.empty()) return;
  add_compression(sections, all_, config_.mode);
  if (sample_.size() < all_.values()) sections["compression"]["sample_values"] = sample_.size();
  // Table III's three bounds side by side, beside the one that ran, if it was one.
  std::set<int> bounds = {6, 8, 10};
  if (!all_.mixed()) bounds.insert(config_.bound_exponent);
  json by_bound = json::array();
  for (const int k : bounds) {
    const reference::CodecConfig other{.bound_exponent = k, .mode = config_.mode};
    reference::CodecStatistics row(other);
    std::span<const uint32_t> rest(sample_);
    for (const size_t size : sample_packets_) {
      row.add(rest.first(size));
      rest = rest.subspan(size);
    }
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
  sections["compression"]["by_bound"] = std::move(by_bound);
  if (!all_.mixed()) sections["paper"] = paper_json(config_.bound_exponent);

  // The reference counts bytes a second; reports say gigabits wherever they say gbps.
  std::vector<float> floats;
  std::map<int, uint64_t> exponents;
  for (const uint32_t bits : sample_) {
    floats.push_back(std::bit_cast<float>(bits));
    ++exponents[static_cast<int>(bits >> 23 & 0xFF) - 127];
  }
  sections["baselines"] = json::array();
  for (const auto& figures : reference::measure_all(floats, config_, 3)) {
    // Packets are encoded each on its own; the codec's speed is measured on all values as one
    // stream.
    const bool ours = figures.name.starts_with("inceptionn");
    const std::string name =
        !ours          ? figures.name
        : all_.mixed() ? fmt::format("codec, as one stream, 2^-{}", config_.bound_exponent)
                       : "codec, as one stream";
    sections["baselines"].push_back({{"name", name},
                                     {"ratio", figures.ratio},
                                     {"max_abs_error", figures.max_abs_error},
                                     {"mean_abs_error", figures.mean_abs_error},
                                     {"encode_gbps", 8 * figures.encode_gbps},
                                     {"decode_gbps", 8 * figures.decode_gbps}});
  }

  json rows = json::array();
  for (const auto& [exponent, count] : exponents) rows.push_back({exponent, count});
  sections["plots"]["value_exponents"] = std::move(rows);
  if (all_.mixed()) return;
  sections["plots"]["class_limits"] = {{"zero_below", config_.byte_from() - 127},
                                       {"byte_below", config_.half_from() - 127},
                                       {"raw_from", 0}};
}

}  // namespace gw::testbenches
