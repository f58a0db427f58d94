// SPDX-License-Identifier: Apache-2.0
#include "testbenches/quant/options.h"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "models/systemc/adaptive.h"
#include "models/systemc/mx.h"
#include "sim/base/error.h"

namespace gw::testbenches {
namespace {

namespace quant = reference::quant;
using quant::Method;
using sim::PacketConfig;

constexpr const char* kQuantiserGroup = "Quantiser";
constexpr int64_t kLeastRows = systemc::Mx::kMinRows, kMostRows = systemc::Mx::kMaxRows;
constexpr int64_t kAdaptiveLeastRows = systemc::Adaptive::kLeastRows;

sim::Option residual_option(const char* by_default) {
  return {"residual", "on: what is not sent is added to the next chunk of the same rows; off",
          by_default, kQuantiserGroup};
}
/// Of devices that cannot do without.
sim::Option rows_option(int64_t least = kLeastRows) {
  return {"rows",
          fmt::format("rows of the residual memory, 8 values each: {} to {}", least, kMostRows),
          "8192", kQuantiserGroup};
}

uint32_t residual_of(const sim::OptionSet& options) {
  return options.choice("residual", {"on", "off"}) == 0 ? 1 : 0;
}
uint32_t rows_of(const sim::OptionSet& options, int64_t least = kLeastRows) {
  return static_cast<uint32_t>(options.integer("rows", least, kMostRows));
}

/// By the pin's number; what is beyond leaves as RAW.
constexpr std::array kMxFormats = {Method::kMxfp8, Method::kMxfp4, Method::kMxfp8E5m2};

ChunkSettings mx_settings(const sim::OptionSet& options) {
  const auto format = static_cast<uint32_t>(options.choice(
      "format", {quant::method_name(kMxFormats[0]), quant::method_name(kMxFormats[1]),
                 quant::method_name(kMxFormats[2])}));
  const auto scale =
      static_cast<uint32_t>(options.choice("scale", {scale_rule_name(quant::ScaleRule::kFloor),
                                                     scale_rule_name(quant::ScaleRule::kUp)}));
  const uint32_t residual = residual_of(options);
  const auto rows = static_cast<uint32_t>(options.integer("rows", 0, kMostRows));
  if (rows != 0 && rows < kLeastRows) {
    throw sim::UsageError(
        fmt::format("--rows {} is neither 0 nor between {} and {}", rows, kLeastRows, kMostRows));
  }
  if (residual != 0 && rows == 0) {
    throw sim::UsageError("--residual on needs a memory: --rows 0 has none");
  }
  return {.config = {format, scale, residual}, .rows = rows};
}

PacketConfig legal_mx(sim::Random& random) {
  const uint32_t format = random.below(kMxFormats.size()), scale = random.below(2);
  return {format, scale, random.below(4) != 0 ? 1u : 0u};
}

/// One in eight may have no format.
PacketConfig any_mx(sim::Random& random) {
  PacketConfig pins = legal_mx(random);
  if (random.below(8) == 0) pins[0] = random.below(4);
  return pins;
}

quant::Config mx_config(const PacketConfig& pins, uint32_t rows) {
  quant::Config made;
  if ((pins[0] & 3) >= kMxFormats.size()) {
    made.method = Method::kRaw;
    made.residual = false;
    return made;
  }
  made.method = kMxFormats[pins[0] & 3];
  made.scale = (pins[1] & 1) != 0 ? quant::ScaleRule::kUp : quant::ScaleRule::kFloor;
  made.residual = pins[2] != 0 && rows != 0;
  return made;
}

ChunkSettings threshold_settings(const sim::OptionSet& options) {
  const size_t method = 1 + options.choice("method", {"wgt", "bgt", "qgt"});
  const size_t coding = options.choice("coding", {"mask", "rice"});
  const auto name = quant::method_name(static_cast<Method>(method));
  if (!quant::has_coding(static_cast<Method>(method), static_cast<quant::Coding>(coding))) {
    throw sim::UsageError(fmt::format(
        "--coding rice goes with bgt and qgt: a {} value is too long for it to matter", name));
  }
  // T is read and rounded as in a codec's words.
  const std::string& t = options.word("threshold");
  const quant::ConfigResult parsed =
      t.find(',') == std::string::npos
          ? quant::parse_config(fmt::format("{}:t={}", name, t))
          : quant::ConfigResult{.config = {}, .error = "t=" + t + " is no number (0.001, 2^-10)"};
  if (!parsed.config) {
    // "t=0 is not from ...": the option's name stands where the word's did.
    throw sim::UsageError("--threshold " + parsed.error.substr(parsed.error.find('=') + 1));
  }
  return {.config = {static_cast<uint32_t>(method), static_cast<uint32_t>(coding),
                     std::bit_cast<uint32_t>(parsed.config->threshold), residual_of(options)},
          .rows = rows_of(options)};
}

quant::Config threshold_config(const PacketConfig& pins, uint32_t) {
  quant::Config made;
  made.method = static_cast<Method>(pins[0] & 3);
  const auto t = std::bit_cast<float>(pins[2]);
  // Legal is what rounding leaves as it is.
  if (quant::round_threshold(double{t}) == t) {
    made.threshold = t;
  } else {
    made.method = Method::kRaw;
  }
  if ((pins[1] & 1) != 0 && quant::has_coding(made.method, quant::Coding::kRice)) {
    made.coding = quant::Coding::kRice;
  }
  made.residual = made.method != Method::kRaw && pins[3] != 0;
  return made;
}

/// T about where gradients are, mostly; one in eight may be illegal in any way.
PacketConfig any_threshold(sim::Random& random) {
  const auto any = static_cast<uint32_t>(random.next());
  uint32_t t = (any & 0x7F'FF00) | (100 + random.below(30)) << 23;
  switch (random.below(16)) {
    case 0:
      t = any;
      break;
    case 1:
      t ^= 1u << random.below(8);
      t ^= random.below(4) == 0 ? 0x8000'0000 : 0;
      break;
    case 2:  // the ends, and one step beyond them
      t = (random.below(2) == 0 ? 27u : 227u) << 23;
      t += (random.below(3) - 1u) << 8;
      break;
    default:
      break;
  }
  return {random.below(10) == 0 ? 0 : 1 + random.below(3), random.below(2), t,
          random.below(4) != 0 ? 1u : 0u};
}

PacketConfig legal_threshold(sim::Random& random) {
  const uint32_t method = 1 + random.below(3);
  const bool rice = quant::has_coding(static_cast<Method>(method), quant::Coding::kRice);
  const auto any = static_cast<uint32_t>(random.next());
  const uint32_t t = (any & 0x7F'FF00) | (100 + random.below(30)) << 23;
  return {method, rice ? random.below(2) : 0, t, random.below(4) != 0 ? 1u : 0u};
}

ChunkSettings onebit_settings(const sim::OptionSet& options) {
  return {.config = {residual_of(options)}, .rows = rows_of(options)};
}

quant::Config onebit_config(const PacketConfig& pins, uint32_t) {
  quant::Config made;
  made.method = Method::kOneBit;
  made.residual = pins[0] != 0;
  return made;
}

PacketConfig any_onebit(sim::Random& random) { return {random.below(4) != 0 ? 1u : 0u}; }

ChunkSettings adaptive_settings(const sim::OptionSet& options) {
  const auto p = static_cast<uint32_t>(options.integer("p", quant::kMinP, quant::kMaxP));
  const auto coding = static_cast<uint32_t>(options.choice("coding", {"mask", "rice"}));
  return {.config = {p, coding, residual_of(options)},
          .rows = rows_of(options, kAdaptiveLeastRows)};
}

quant::Config adaptive_config(const PacketConfig& pins, uint32_t) {
  quant::Config made;
  const auto p = static_cast<int>(pins[0] & 15);
  if (p < quant::kMinP || p > quant::kMaxP) {
    made.method = Method::kRaw;
    made.residual = false;
    return made;
  }
  made.method = Method::kAdaptive;
  made.p = p;
  made.coding = (pins[1] & 1) != 0 ? quant::Coding::kRice : quant::Coding::kMask;
  made.residual = pins[2] != 0;
  return made;
}

PacketConfig legal_adaptive(sim::Random& random) {
  const uint32_t p = quant::kMinP + random.below(quant::kMaxP - quant::kMinP + 1);
  const uint32_t coding = random.below(2);
  return {p, coding, random.below(4) != 0 ? 1u : 0u};
}

/// One in eight may have any p.
PacketConfig any_adaptive(sim::Random& random) {
  const uint32_t p = random.below(8) == 0 ? random.below(16) : 1 + random.below(10);
  return {p, random.below(2), random.below(4) != 0 ? 1u : 0u};
}

}  // namespace

const QuantiserFacts& mx_facts() {
  static const QuantiserFacts kFacts = {
      .methods = {kMxFormats.begin(), kMxFormats.end()},
      .residual_pin = 2,
      .options =
          {{"format", "mxfp8 (E4M3), mxfp8-e5m2 or mxfp4 (E2M1)", "mxfp8", kQuantiserGroup},
           {"scale",
            "how a block gets its scale: floor (OCP's rule: the largest values may saturate) "
            "or up (none does)",
            "floor", kQuantiserGroup},
           residual_option("off"),
           {"rows", "rows of the residual memory, 8 values each: 0 (none), 8 to 262144", "8192",
            kQuantiserGroup}},
      .settings = &mx_settings,
      .config = &mx_config,
      .pins = {.options = {"format", "scale", "residual"}, .legal = &legal_mx, .any = &any_mx}};
  return kFacts;
}

const QuantiserFacts& threshold_facts() {
  static const QuantiserFacts kFacts = {
      .methods = {Method::kWgt, Method::kBgt, Method::kQgt},
      .residual_pin = 3,
      .threshold_pin = 2,
      .options = {{"method", "wgt (values whole), bgt (+-T) or qgt (+-m T)", "qgt",
                   kQuantiserGroup},
                  {"threshold",
                   "T, decimal or 2^N, 2^-100 to 2^100; rounded to 16 significant bits", "2^-10",
                   kQuantiserGroup},
                  {"coding", "mask, or rice (not of wgt): how a packet says which values are sent",
                   "mask", kQuantiserGroup},
                  residual_option("on"),
                  rows_option()},
      .settings = &threshold_settings,
      .config = &threshold_config,
      .pins = {.options = {"method", "coding", "threshold", "residual"},
               .legal = &legal_threshold,
               .any = &any_threshold}};
  return kFacts;
}

const QuantiserFacts& onebit_facts() {
  static const QuantiserFacts kFacts = {.methods = {Method::kOneBit},
                                        .residual_pin = 0,
                                        .options = {residual_option("on"), rows_option()},
                                        .settings = &onebit_settings,
                                        .config = &onebit_config,
                                        .pins = {.options = {"residual"}, .legal = &any_onebit}};
  return kFacts;
}

const QuantiserFacts& adaptive_facts() {
  static const QuantiserFacts kFacts = {
      .methods = {Method::kAdaptive},
      .residual_pin = 2,
      .options = {{"p", "about the largest 2^-p of each sign are sent: 1 to 10", "6",
                   kQuantiserGroup},
                  {"coding", "mask or rice: how a packet says which values are sent", "mask",
                   kQuantiserGroup},
                  residual_option("on"),
                  rows_option(kAdaptiveLeastRows)},
      .settings = &adaptive_settings,
      .config = &adaptive_config,
      .pins = {
          .options = {"p", "coding", "residual"}, .legal = &legal_adaptive, .any = &any_adaptive}};
  return kFacts;
}

}  // namespace gw::testbenches
