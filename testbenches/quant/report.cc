// SPDX-License-Identifier: Apache-2.0
#include "testbenches/quant/report.h"

#include <algorithm>

#include "models/reference/quant/decoder.h"
#include "testbenches/quant/oracle.h"

namespace gw::testbenches {

namespace quant = reference::quant;

QuantiserScore::QuantiserScore(const QuantiserFacts& facts, const ChunkSettings& settings)
    : facts_(facts),
      settings_(settings),
      quantiser_(facts.config(settings.config, settings.rows), settings.rows),
      statistics_(settings.rows),
      drawn_(facts.pins.options.size()) {}

void QuantiserScore::left(const sim::Passage&, const sim::Packet<Beat>& packet) {
  const ChunkPacket chunk(*packet.source);
  quantiser_.configure(facts_.config(packet.source->config, settings_.rows));
  const quant::ChunkReport report = quantiser_.encode(chunk.chunk, packet_);
  if (report.n == 0) return;
  any_ = true;
  if (!first_) first_ = packet.source->config;
  for (size_t i = 0; i < drawn_.size(); ++i) {
    drawn_[i] = drawn_[i] || packet.source->config[i] != (*first_)[i];
  }
  quant::decode_packet(packet_, quant::kMaxValues, decoded_);
  // What is missing counts as +0.
  values_.assign(chunk.values.begin(), chunk.values.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                  report.n, chunk.values.size())));
  values_.resize(report.n);
  statistics_.add(values_, chunk.chunk.row, report, decoded_);
}

bool QuantiserScore::drawn(std::string_view option) const {
  const auto& options = facts_.pins.options;
  const auto at = static_cast<size_t>(std::ranges::find(options, option) - options.begin());
  return at < drawn_.size() && drawn_[at];
}

void QuantiserScore::report(nlohmann::json& sections) const {
  if (!any_) return;
  // As the run's options say, but for what packets had otherwise.
  const quant::Config config = facts_.config(settings_.config, settings_.rows);
  const bool residual = config.residual;
  const quant::Figures f =
      statistics_.figures(residual ? quantiser_.residuals() : std::span<const float>());
  nlohmann::json section = {{"method", quant::method_name(config.method)},
                            {"chunks", f.chunks},
                            {"raw_chunks", f.raw_chunks},
                            {"values", f.values},
                            {"not_finite", f.not_finite},
                            {"sent_share", f.sent_share},
                            {"entries", f.entries},
                            {"bits_per_entry", f.bits_per_entry},
                            {"payload_ratio", f.payload_ratio},
                            {"ratio", f.ratio},
                            {"rel_l2_error", f.rel_l2_error},
                            {"max_abs_error", f.max_abs_error},
                            {"residual", nullptr},
                            {"conservation", nullptr}};
  if (config.method == quant::Method::kOneBit) {
    section["clipped"] = f.clipped;
    section["vanished"] = f.vanished;
    section["clipped_means"] = f.clipped_means;
  }
  if (quant::is_threshold(config.method)) section["t"] = config.threshold;
  if (config.method == quant::Method::kAdaptive) section["p"] = config.p;
  if (quant::is_mx(config.method)) section["scale"] = quant::scale_rule_name(config.scale);
  if (quant::is_sparse(config.method)) section["coding"] = quant::coding_name(config.coding);
  if (drawn("method") || drawn("format")) section["method"] = kDrawnPerPacket;
  if (drawn("threshold")) section["t"] = kDrawnPerPacket;
  if (drawn("p")) section["p"] = kDrawnPerPacket;
  if (drawn("coding")) section["coding"] = kDrawnPerPacket;
  if (drawn("scale")) section["scale"] = kDrawnPerPacket;
  if (f.k_mean >= 0) section["k_mean"] = f.k_mean;
  if (residual) {
    section["residual"] = {
        {"rms", f.residual_rms}, {"max", f.residual_max}, {"to_gradient", f.residual_to_gradient}};
    // A chunk without residuals loses what it does not send.
    if (!drawn("residual")) {
      section["conservation"] = f.conservation;
      section["conservation_limit"] = quant::kConservationLimit;
    }
  }
  sections["quantizer"] = std::move(section);
}

}  // namespace gw::testbenches
