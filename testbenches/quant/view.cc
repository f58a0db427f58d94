// SPDX-License-Identifier: Apache-2.0
#include "testbenches/quant/view.h"

#include <fmt/format.h>

#include "sim/report/view_kit.h"

namespace gw::testbenches {
namespace {

using namespace sim::report;

Section quantizer(const Json& doc) {
  Section s{"Quantiser", {}, {}, "", {}};
  const auto of = [&doc](const char* key) { return number(doc, {"quantizer", key}); };
  if (const std::string method = text(doc, {"quantizer", "method"}); !method.empty()) {
    std::string note;
    if (const auto rows = number(doc, {"rows"}); rows && text(doc, {"residual"}) == "on") {
      note = fmt::format("residuals on, {} rows", grouped(*rows));
    } else if (rows) {
      note = "no residuals";
    }
    add(s, "method", method, note);
  }
  if (const auto v = of("ratio")) {
    const auto payload = of("payload_ratio");
    add(s, "ratio", fixed(*v, 2) + "x",
        payload ? fmt::format("{:.2f}x by the papers' count, payload alone", *payload) : "");
  }
  if (const auto v = of("entries")) {
    const auto share = of("sent_share");
    const auto bits = of("bits_per_entry");
    add(s, "values sent", grouped(*v),
        share && bits ? fmt::format("{:.1f} %, {:.2f} bits each", 100 * *share, *bits) : "");
  }
  if (const auto v = of("raw_chunks"); v && *v != 0) {
    add(s, "chunks as RAW", grouped(*v), "", Status::kWarn);
  }
  if (const auto v = of("not_finite"); v && *v != 0) {
    add(s, "values lost", grouped(*v), "not finite, or in a block with one that was not",
        Status::kWarn);
  }
  if (const auto v = of("clipped"); v && *v != 0) {
    add(s, "values clipped", grouped(*v),
        fmt::format("256 and more in magnitude: {} means are too small; scale the gradients down",
                    grouped(of("clipped_means").value_or(0))),
        Status::kWarn);
  }
  if (const auto v = of("vanished"); v && *v != 0) {
    add(s, "values too small", grouped(*v),
        "below 2^-32 in magnitude: 0 in the means; scale the gradients up", Status::kWarn);
  }
  if (const auto v = of("rel_l2_error")) add(s, "relative L2 error", general(*v));
  if (const auto v = of("max_abs_error")) add(s, "max abs error", general(*v));
  if (const auto v = number(doc, {"quantizer", "residual", "rms"})) {
    const auto most = number(doc, {"quantizer", "residual", "max"});
    const auto share = number(doc, {"quantizer", "residual", "to_gradient"});
    add(s, "residual rms", general(*v),
        most && share ? fmt::format("at most {}; {:.3g} of the gradients'", general(*most), *share)
                      : "");
  }
  if (const auto v = of("conservation")) {
    const auto limit = of("conservation_limit");
    add(s, "neither sent nor kept", general(*v), "of the gradients, by place",
        limit && *v > *limit ? Status::kWarn : Status::kGood);
  }
  return s;
}

}  // namespace

void present_quantiser(const Json& doc, View& view) {
  for (const char* key : {"mode", "quantizer", "format", "residual", "rows"})
    view.shown.insert(key);
  if (const std::string mode = text(doc, {"mode"}); !mode.empty()) {
    const std::string words = mode.find(' ') == std::string::npos ? mode : "mode " + mode;
    view.settings.push_back({"codec", words, "", Status::kPlain});
  }
  if (!doc.contains("quantizer")) return;
  view.passing = "Uncompressed values";
  if (const auto v = number(doc, {"quantizer", "ratio"}))
    view.cards.push_back({"Compression ratio", fixed(*v, 2), "x",
                          text(doc, {"quantizer", "method"}), Status::kPlain});
  view.sections.push_back(quantizer(doc));
}

}  // namespace gw::testbenches
