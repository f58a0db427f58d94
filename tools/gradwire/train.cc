// gradwire train: real training with a codec in every exchange.
// SPDX-License-Identifier: Apache-2.0
#include "tools/gradwire/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <thread>

#include "sim/base/error.h"
#include "sim/base/version.h"
#include "sim/harness/kernel.h"
#include "sim/report/json.h"
#include "tools/gradwire/commands.h"
#include "tools/gradwire/progress.h"
#include "tools/training/document.h"
#include "tools/training/page.h"
#include "tools/training/presets.h"

namespace gw::tools {
namespace {

constexpr size_t kDrawnTrain = 8000, kDrawnTest = 2000;

struct TrainArguments {
  training::Session session;
  std::vector<std::string> codecs;
  std::string exchange, optimizer, step, data, json, html;
  size_t jobs = 0;
  bool eps_outside = false, quiet = false;
  CLI::App* command = nullptr;
};

training::Digits digits_of(const TrainArguments& a) {
  return a.data.empty() ? training::draw_digits(kDrawnTrain, kDrawnTest, a.session.first_seed)
                        : read_digits(a.data);
}

void take_preset(TrainArguments& a) {
  const training::Preset* preset = training::find_preset(a.session.preset);
  if (preset == nullptr) {
    throw sim::UsageError(
        fmt::format("--preset '{}' is neither tgs nor mlhpc16", a.session.preset));
  }
  for (const char* option : {"--codec", "--exchange", "--workers", "--optimizer", "--rate", "--eps",
                             "--eps-outside", "--momentum", "--sum-scale"}) {
    if (a.command->count(option) != 0) {
      throw sim::UsageError(fmt::format("{} is what --preset {} sets", option, preset->name));
    }
  }
  const training::TrainOptions given = a.session.options;
  a.session.options = preset->options;
  a.session.options.step = given.step;
  if (a.command->count("--iterations") != 0) a.session.options.iterations = given.iterations;
  if (a.command->count("--batch") != 0) a.session.options.batch = given.batch;
  if (a.command->count("--seeds") == 0) a.session.seeds = preset->seeds;
  for (const std::string& spec : preset->codecs) a.codecs.push_back(spec);
}

void take_options(TrainArguments& a) {
  training::TrainOptions& o = a.session.options;
  if (a.codecs.empty()) throw sim::UsageError("--codec or --preset says what to train with");
  const auto exchange = training::parse_exchange(a.exchange);
  if (!exchange) {
    throw sim::UsageError(fmt::format("--exchange '{}' is not once, direct or ring", a.exchange));
  }
  o.exchange = *exchange;
  const auto optimizer = training::parse_optimizer(a.optimizer);
  if (!optimizer) {
    throw sim::UsageError(fmt::format(
        "--optimizer '{}' is not momentum, sgd, adagrad, adam or smorms3", a.optimizer));
  }
  o.optimizer = *optimizer;
  if (a.command->count("--rate") == 0) o.rate = training::default_rate(*optimizer);
  using training::Optimizer;
  if (*optimizer != Optimizer::kMomentum && a.command->count("--momentum") != 0) {
    throw sim::UsageError(fmt::format("--momentum has no effect with --optimizer {}", a.optimizer));
  }
  for (const char* option : {"--eps", "--eps-outside"}) {
    if ((*optimizer == Optimizer::kMomentum || *optimizer == Optimizer::kSgd) &&
        a.command->count(option) != 0) {
      throw sim::UsageError(
          fmt::format("{} has no effect with --optimizer {}", option, a.optimizer));
    }
  }
  if (a.eps_outside) o.epsilon = reference::optimizer::Epsilon::kAfterRoot;
}

int execute(TrainArguments& a, const Invocation& invocation) {
  const size_t processors = std::max(1u, std::thread::hardware_concurrency());
  if (a.command->count("--jobs") != 0 && (a.jobs < 1 || a.jobs > processors)) {
    throw sim::UsageError(fmt::format("--jobs {} is not between 1 and this machine's {} processors",
                                      a.jobs, processors));
  }
  a.session.jobs = a.jobs != 0 ? a.jobs : processors;
  if (a.step != "after" && a.step != "before-second") {
    throw sim::UsageError(fmt::format("--step '{}' is neither after nor before-second", a.step));
  }
  if (a.step == "before-second") a.session.options.step = training::StepPlace::kBeforeSecond;
  if (a.session.preset.empty()) {
    take_options(a);
  } else {
    take_preset(a);
  }
  for (const std::string& spec : a.codecs) {
    const training::CodecResult parsed = training::parse_codec(spec);
    if (!parsed.codec) throw sim::UsageError("--codec " + spec + ": " + parsed.error);
    a.session.codecs.push_back(*parsed.codec);
  }
  const auto check = [&a](size_t digits) {
    const std::string sentence = training::why_not(a.session, digits);
    if (!sentence.empty()) throw sim::UsageError(sentence);
  };
  if (a.data.empty()) check(kDrawnTrain);  // before they are drawn
  sim::expect_report_files({a.json, a.html});
  const training::Digits digits = digits_of(a);
  check(digits.train.size());

  Progress progress(a.quiet);
  nlohmann::json document =
      training::run_session(a.session, digits, progress.note(), [] { return !sim::interrupted(); });
  document["version"] = sim::kVersion;
  progress.done();
  if (document.contains("interrupted")) {
    throw sim::UserError(sim::kCheckFailed, "interrupted before all runs were done");
  }
  if (!a.session.preset.empty()) training::judge_preset(a.session.preset, document);
  if (invocation.takes) {
    invocation.takes(document);
    return sim::kPass;
  }
  if (!a.quiet && a.json != "-") {
    fmt::print("{}", training::session_text(document));
    if (!a.session.preset.empty()) fmt::print("{}", training::preset_text(document));
  }
  if (!a.json.empty()) {
    sim::write_report_file(a.json == "-" ? "/dev/stdout" : a.json, sim::json_text(document));
  }
  if (!a.html.empty()) sim::write_report_file(a.html, training::training_page(document));
  // Where the table is not seen, too: one sentence.
  for (const nlohmann::json& codec : document["codecs"]) {
    if (!codec["diverged"].is_null()) {
      throw sim::UserError(sim::kCheckFailed, codec["diverged"].get<std::string>());
    }
  }
  return sim::kPass;
}

}  // namespace

training::Digits read_digits(const std::string& folder) {
  try {
    return training::load_mnist(folder);
  } catch (const std::runtime_error& error) {
    std::string sentence = error.what();
    if (sentence.ends_with('.')) sentence.pop_back();
    // A folder without such files is a wrong option, a file that is damaged a bad file.
    const auto there = [&](const char* name) {
      return std::filesystem::exists(std::filesystem::path(folder) / name);
    };
    const bool images = there("t10k-images-idx3-ubyte") || there("t10k-images-idx3-ubyte.gz");
    const bool labels = there("t10k-labels-idx1-ubyte") || there("t10k-labels-idx1-ubyte.gz");
    if (!images || !labels) throw sim::UsageError("--data " + sentence);
    throw sim::InputError("--data " + sentence);
  }
}

void add_train(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand(
      "train", "real training of simulated workers, with a codec in every exchange of gradients");
  auto a = std::make_shared<TrainArguments>();
  a->command = command;
  a->session.command = invocation.command;
  a->exchange = "once";
  a->optimizer = "momentum";
  a->step = "after";
  training::TrainOptions& o = a->session.options;
  command
      ->add_option("--codec", a->codecs,
                   "none, nocommunication, raw, wgt:t=T, bgt:t=T, qgt:t=T, onebit, "
                   "onebit-preceding, adaptive:p=P, mxfp8, mxfp8-e5m2, mxfp4 (these also "
                   "scale=floor|up; each but none and onebit-preceding "
                   "also residual=on|off; wgt to adaptive also coding=mask|rice), "
                   "inceptionn:bound=K,mode=paper|bounded, truncate:BITS; again for one more")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  command->add_option("--preset", a->session.preset,
                      "tgs, mlhpc16: the papers' configurations, scaled down, beside their tables");
  command->add_option("--exchange", a->exchange, "once (TGS), direct (LBANN), ring (INCEPTIONN)")
      ->capture_default_str();
  command->add_option("--workers", o.workers, "2 to 64")->capture_default_str();
  command->add_option("--iterations", o.iterations, "of each run")->capture_default_str();
  command->add_option("--batch", o.batch, "digits a worker and iteration")->capture_default_str();
  command
      ->add_option("--optimizer", a->optimizer,
                   "momentum (INCEPTIONN's: SGD with momentum and decay), or as the optimizer "
                   "switch computes them: sgd, adagrad, adam, smorms3")
      ->capture_default_str();
  command
      ->add_option(
          "--step", a->step,
          "where the optimizer's step is computed: after the exchange, or before-second "
          "(with --exchange direct: by the owner of a slice, before it is quantised again)")
      ->capture_default_str();
  command->add_option("--rate", o.rate,
                      "learning rate (momentum 0.1, a fifth after each fifth of the run; sgd 0.1, "
                      "adagrad 0.005, adam and smorms3 0.001)");
  command->add_option("--eps", o.eps, "added under the root by adagrad, adam and smorms3")
      ->capture_default_str();
  command->add_flag("--eps-outside", a->eps_outside, "add eps after the root, as PyTorch does");
  command->add_option("--momentum", o.momentum, "for --optimizer momentum")->capture_default_str();
  command->add_option("--sum-scale", o.sum_scale,
                      "T times this where sums are quantised again (direct)");
  command->add_option("--seeds", a->session.seeds, "runs of each codec, for the spread")
      ->capture_default_str();
  command->add_option("--seed", a->session.first_seed, "the first of them")->capture_default_str();
  command->add_option("--data", a->data,
                      "folder of the MNIST files (idx, gz); without it digits are drawn");
  command->add_option("--jobs", a->jobs, "runs at a time (default: the processors there are)");
  command->add_option("--json", a->json, "write the document as JSON; - for standard output");
  command->add_option("--html", a->html, "write a page with plots");
  command->add_flag("--quiet", a->quiet, "no table, no progress");
  command->callback([a, &invocation] {
    invocation.action = [a, &invocation] { return execute(*a, invocation); };
  });
}

}  // namespace gw::tools
