// Short real training.
// SPDX-License-Identifier: Apache-2.0
#include "tools/training/trainer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/sanitized.h"
#include "tools/training/document.h"
#include "tools/training/page.h"
#include "tools/training/presets.h"

namespace gw::training::trainer_test {
namespace {

using nlohmann::json;

const Digits& digits() {
  static const Digits kDigits = draw_digits(400, 200, 1);
  return kDigits;
}

TrainOptions quick() {
  TrainOptions o;
  o.workers = 2;
  o.iterations = 24;
  o.batch = 20;
  o.rate = 0.05;
  return o;
}

json run(const TrainOptions& o, const char* spec, uint64_t seed = 1) {
  return train(o, *parse_codec(spec).codec, seed, digits(), {});
}

TEST(Trainer, LearnsWithEveryExchange) {
  TrainOptions o = quick();
  if (tests::kSanitized) o.iterations = o.evaluations = 2;
  for (const auto& [kind, spec] : {std::pair{ExchangeKind::kOnce, "none"},
                                   {ExchangeKind::kDirect, "qgt:t=2^-12"},
                                   {ExchangeKind::kRing, "inceptionn:bound=12"}}) {
    o.exchange = kind;
    const json result = run(o, spec);
    ASSERT_TRUE(result["diverged"].is_null()) << spec;
    if (!tests::kSanitized) EXPECT_GT(result["accuracy"], 0.3) << spec;
    EXPECT_EQ(result["plots"]["evaluated"].size(), o.evaluations);
    EXPECT_EQ(result["plots"]["evaluated"].back()[0], o.iterations);
    EXPECT_EQ(result["plots"]["evaluated"].back()[2], result["bytes"]);
    if (!result["conservation"].is_null()) EXPECT_LE(result["conservation"], 0x1p-22);
  }
}

TEST(Trainer, LearnsWithEveryOptimizer) {
  TrainOptions o = quick();
  if (tests::kSanitized) o.iterations = o.evaluations = 1;
  for (const Optimizer optimizer : kOptimizers) {
    EXPECT_EQ(parse_optimizer(optimizer_name(optimizer)), optimizer);
    o.optimizer = optimizer;
    o.rate = default_rate(optimizer);
    const json result = run(o, "none");
    ASSERT_TRUE(result["diverged"].is_null()) << optimizer_name(optimizer);
    if (!tests::kSanitized) EXPECT_GT(result["accuracy"], 0.25) << optimizer_name(optimizer);
  }
}

// Floats lose nothing on the way, so that it does not matter where the step is computed.
TEST(Trainer, AStepBeforeTheSecondExchangeIsTheSameStep) {
  TrainOptions o = quick();
  o.exchange = ExchangeKind::kDirect;
  o.iterations = tests::kSanitized ? 1 : 4;
  for (const Optimizer optimizer : {Optimizer::kAdagrad, Optimizer::kAdam}) {
    o.optimizer = optimizer;
    o.rate = default_rate(optimizer);
    o.step = StepPlace::kAfter;
    const json after = run(o, "none");
    o.step = StepPlace::kBeforeSecond;
    const json before = run(o, "none");
    EXPECT_EQ(after["loss"], before["loss"]);
    EXPECT_EQ(after["accuracy"], before["accuracy"]);
    EXPECT_EQ(before["max_error"], 0.0);
    EXPECT_TRUE(before["conservation"].is_null());
  }
}

// With residuals, of which those of the second exchange are of steps: no sum of gradients is
// conserved.
TEST(Trainer, AQuantisedStepCarriesItsErrorOver) {
  TrainOptions o = quick();
  o.exchange = ExchangeKind::kDirect;
  o.iterations = tests::kSanitized ? 1 : 4;
  o.optimizer = Optimizer::kAdagrad;
  o.rate = default_rate(o.optimizer);
  o.step = StepPlace::kBeforeSecond;
  for (const char* codec : {"onebit", "bgt:t=2^-8", "adaptive:p=6", "mxfp8:residual=on"}) {
    const json result = run(o, codec);
    EXPECT_TRUE(result["diverged"].is_null()) << codec;
    EXPECT_TRUE(result["conservation"].is_null()) << codec;
    EXPECT_GT(result["residual"]["max"], 0.0) << codec;
    EXPECT_GT(result["rel_l2_error"], 0.0) << codec;
  }
}

TEST(Trainer, ErrorOfFloatsIsRoundingAndOfQuantisersIsNot) {
  TrainOptions o = quick();
  o.iterations = 4;
  const json none = run(o, "none"), bgt = run(o, "bgt:t=2^-8");
  EXPECT_LT(none["rel_l2_error"], 1e-6);
  EXPECT_EQ(none["residual"]["max"], 0.0);
  EXPECT_EQ(none["sent_share"], 1.0);
  EXPECT_GT(bgt["rel_l2_error"], 0.01);
  EXPECT_GT(bgt["residual"]["max"], 0.0);
  EXPECT_LT(bgt["sent_share"], 0.5);
  EXPECT_LT(bgt["bytes"], none["bytes"]);
  EXPECT_LE(bgt["conservation"], 0x1p-22);
}

TEST(Trainer, SeedsDecide) {
  TrainOptions o = quick();
  o.iterations = tests::kSanitized ? 1 : 3;
  const json five = run(o, "adaptive:p=4", 5);
  EXPECT_EQ(five, run(o, "adaptive:p=4", 5));
  EXPECT_NE(five["loss"], run(o, "adaptive:p=4", 6)["loss"]);
}

TEST(Trainer, AloneNothingIsExchanged) {
  TrainOptions o = quick();
  o.optimizer = Optimizer::kAdagrad;
  o.rate = default_rate(o.optimizer);
  if (tests::kSanitized) o.iterations = 4;
  const json result = run(o, "nocommunication");
  EXPECT_EQ(result["bytes"], 0);
  EXPECT_GE(result["accuracy"], result["accuracy_mean"]);
  if (!tests::kSanitized) EXPECT_GT(result["accuracy"], 0.2);
}

TEST(Trainer, SaysThatItDiverged) {
  TrainOptions o = quick();
  o.rate = 1000;
  const json result = run(o, "none");
  ASSERT_TRUE(result["diverged"].is_string());
  EXPECT_NE(result["diverged"].get<std::string>().find("no longer finite"), std::string::npos);
}

TEST(Session, SummarisesSeeds) {
  Session session;
  session.options = quick();
  session.options.iterations = tests::kSanitized ? 2 : 5;
  session.codecs = {*parse_codec("none").codec, *parse_codec("wgt:t=2^-8").codec};
  session.seeds = 2;
  session.jobs = 2;
  ASSERT_EQ(why_not(session, digits().train.size()), "");
  const json document = run_session(session, digits(), {}, {});
  ASSERT_EQ(document["codecs"].size(), 2u);
  const json& none = document["codecs"][0];
  EXPECT_EQ(none["of_exact"], 1.0);
  const double a = none["seeds"][0]["accuracy"], b = none["seeds"][1]["accuracy"];
  EXPECT_DOUBLE_EQ(none["accuracy"]["mean"], (a + b) / 2);
  EXPECT_NEAR(none["accuracy"]["sigma"], std::abs(a - b) / std::sqrt(2), 1e-12);
  if (!tests::kSanitized) EXPECT_EQ(document, run_session(session, digits(), {}, {}));
  const std::string table = session_text(document), page = training_page(document);
  for (const char* name : {"none", "wgt:t=2^-8"}) {
    EXPECT_NE(table.find(name), std::string::npos);
    EXPECT_NE(page.find(name), std::string::npos);
  }
  // Shares are percentages wherever they are printed.
  const json& wgt = document["codecs"][1];
  const auto percent = [](const json& share, int decimals) {
    return fmt::format("{:.{}f} %", 100 * share.get<double>(), decimals);
  };
  for (const std::string& part : {percent(wgt["accuracy"]["mean"], 2), percent(wgt["of_exact"], 3),
                                  percent(wgt["sent_share"], 2)}) {
    EXPECT_NE(table.find(" " + part), std::string::npos) << part;
    EXPECT_NE(page.find(">" + part + "<"), std::string::npos) << part;
  }
  EXPECT_NE(page.find("</html>"), std::string::npos);
}

TEST(Session, RefusesInASentence) {
  Session good;
  good.options = quick();
  good.codecs = {*parse_codec("bgt:t=2^-8").codec};
  ASSERT_EQ(why_not(good, 400), "");
  const auto refused = [&](const std::function<void(Session&)>& change, const char* word) {
    Session s = good;
    change(s);
    EXPECT_NE(why_not(s, 400).find(word), std::string::npos) << word << ": " << why_not(s, 400);
  };
  refused([](Session& s) { s.options.workers = 1; }, "--workers");
  refused([](Session& s) { s.options.workers = 65; }, "--workers");
  refused([](Session& s) { s.options.batch = 201; }, "--batch");
  refused([](Session& s) { s.options.iterations = 0; }, "--iterations");
  refused([](Session& s) { s.options.rate = 0; }, "--rate");
  refused([](Session& s) { s.options.momentum = 1; }, "--momentum");
  refused([](Session& s) { s.seeds = 0; }, "--seeds");
  refused([](Session& s) { s.options.sum_scale = 2; }, "--sum-scale");  // of direct alone
  const auto direct = [](Session& s) { s.options.exchange = ExchangeKind::kDirect; };
  refused([](Session& s) { s.options.eps = -1; }, "--eps");
  refused(
      [](Session& s) {
        s.options.optimizer = Optimizer::kAdagrad;
        s.options.step = StepPlace::kBeforeSecond;
      },
      "--exchange direct");
  refused([&](Session& s) { direct(s), s.options.step = StepPlace::kBeforeSecond; }, "--optimizer");
  refused([&](Session& s) { direct(s), s.options.sum_scale = 1e38; }, "2^100");
  refused(
      [&](Session& s) {
        direct(s), s.options.sum_scale = 2, s.codecs = {*parse_codec("onebit").codec};
      },
      "--sum-scale");
}

// Uniform in +-4 with T = 3.875: a 32nd is sent at first, then what has waited, too.
TEST(Presets, Figure2BuildsUp) {
  const std::vector<double> shares = build_up(4, 3.875, 64 * 64, 20, 1);
  EXPECT_NEAR(shares.front(), 1.0 / 32, 0.01);
  EXPECT_NEAR(shares.back(), 0.22, 0.03);
}

/// A document as run_session() makes it, without training: accuracy falls with the codec's place.
json made_up(const Preset& preset) {
  json document = {{"training", {{"iterations", 5}, {"seeds", 2}, {"epochs", 0.1}}},
                   {"codecs", json::array()}};
  double k = 0;
  for (const std::string& spec : preset.codecs) {
    ++k;
    const json curve = {{1, 1.0, 0.5, 0.1, 1.0, 100 * k, 10 * k}, {2, 1.0, 0.4, 0.1, 1.0, 100, 10}};
    document["codecs"].push_back({{"codec", parse_codec(spec).codec->text()},
                                  {"diverged", nullptr},
                                  {"accuracy", {{"mean", 0.97 - 0.01 * k}, {"sigma", 0.002}}},
                                  {"bytes", 1000 / k},
                                  {"payload_bytes", 900 / k},
                                  {"of_exact", 1 / k},
                                  {"percent_per_gb", k},
                                  {"seeds", {{{"plots", {{"by_iteration", curve}}}}}}});
  }
  return document;
}

TEST(Presets, AreJudgedFromTheDocumentAlone) {
  for (const char* name : {"tgs", "mlhpc16"}) {
    const Preset* preset = find_preset(name);
    ASSERT_NE(preset, nullptr);
    for (const std::string& spec : preset->codecs) ASSERT_TRUE(parse_codec(spec).codec) << spec;
    json document = made_up(*preset);
    judge_preset(name, document);
    std::set<std::string> verdicts;
    for (const json& s : document["preset"]["shapes"]) verdicts.insert(s["verdict"]);
    EXPECT_EQ(verdicts, (std::set<std::string>{"holds", "does not hold", "cannot be asked"}));
    EXPECT_NE(preset_text(document).find("cannot be asked"), std::string::npos);
    // What diverged is told, not read.
    document = made_up(*preset);
    document["codecs"][2] = {{"codec", document["codecs"][2]["codec"]},
                             {"diverged", "it diverged"},
                             {"seeds", json::array()}};
    judge_preset(name, document);
    EXPECT_NE(preset_text(document).find("some run diverged"), std::string::npos);
  }
  EXPECT_EQ(find_preset("other"), nullptr);
}

}  // namespace
}  // namespace gw::training::trainer_test
