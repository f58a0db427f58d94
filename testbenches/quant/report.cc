#include "testbenches/quant/report.h"

#include "models/reference/quant/decoder.h"
#include "testbenches/quant/oracle.h"

namespace gw::testbenches {

namespace quant = reference::quant;

QuantiserScore::QuantiserScore(const QuantiserFacts& facts, const ChunkSettings& settings)
    : facts_(facts),
      settings_(settings),
      quantiser_(facts.config(settings.config, settings.rows), settings.rows),
      statistics_(settings.rows) {}

void QuantiserScore::left(const sim::Passage&, const sim::Packet<Beat>& packet) {
  const ChunkPacket chunk(*packet.source);
  quantiser_.configure(facts_.config(packet.source->config, settings_.rows));
  const quant::ChunkReport report = quantiser_.encode(chunk.chunk, packet_);
  if (report.n == 0) return;
  any_ = true;
  quant::decode_packet(packet_, quant::kMaxValues, decoded_);
  // What is missing counts as +0.
  values_.assign(chunk.values.begin(), chunk.values.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                  report.n, chunk.values.size())));
  values_.resize(report.n);
  statistics_.add(values_, chunk.chunk.row, report, decoded_);
}

void QuantiserScore::report(nlohmann::json& sections) const {
  if (!any_) return;
  // As the run's options say, whatever single packets were sent with.
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
  if (quant::is_threshold(config.method)) section["t"] = config.threshold;
  if (config.method == quant::Method::kAdaptive) section["p"] = config.p;
  if (quant::is_sparse(config.method)) section["coding"] = quant::coding_name(config.coding);
  if (f.k_mean >= 0) section["k_mean"] = f.k_mean;
  if (residual) {
    section["residual"] = {
        {"rms", f.residual_rms}, {"max", f.residual_max}, {"to_gradient", f.residual_to_gradient}};
    section["conservation"] = f.conservation;
    section["conservation_limit"] = quant::kConservationLimit;
  }
  sections["quantizer"] = std::move(section);
}

}  // namespace gw::testbenches
