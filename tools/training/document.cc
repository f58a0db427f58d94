// SPDX-License-Identifier: Apache-2.0
#include "tools/training/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/report/text.h"
#include "tools/training/network.h"

namespace gw::training {
namespace {

using nlohmann::json;
namespace text = sim::report;

/// Bytes of an iteration if floats went in the codec's place, without any header.
uint64_t exact_bytes(const TrainOptions& o) {
  const uint64_t times = o.exchange == ExchangeKind::kOnce ? o.workers : 2 * (o.workers - 1);
  return times * 4 * HdcNetwork::parameter_count();
}

json mean_and_sigma(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  for (const double v : values) sum += v;
  const double mean = sum / static_cast<double>(values.size());
  for (const double v : values) squares += (v - mean) * (v - mean);
  json result = {{"mean", mean}, {"sigma", nullptr}};
  if (values.size() > 1) {
    result["sigma"] = std::sqrt(squares / static_cast<double>(values.size() - 1));
  }
  return result;
}

double mean_of_key(const json& runs, const json::json_pointer& key) {
  double sum = 0;
  for (const json& run : runs) sum += run.value(key, 0.0);
  return sum / static_cast<double>(runs.size());
}

json summary_of(const Codec& codec, json runs, const TrainOptions& o) {
  json s = {{"codec", codec.text()}, {"diverged", nullptr}};
  for (const json& run : runs) {
    if (run["diverged"].is_null() || !s["diverged"].is_null()) continue;
    s["diverged"] = fmt::format("{} with seed {} diverged: {}", codec.text(),
                                run["seed"].get<uint64_t>(), run["diverged"].get<std::string>());
  }
  if (s["diverged"].is_null() && !runs.empty()) {
    using Key = json::json_pointer;
    std::vector<double> accuracies;
    for (const json& run : runs) accuracies.push_back(run["accuracy"].get<double>());
    s["accuracy"] = mean_and_sigma(accuracies);
    for (const char* key : {"loss", "bytes", "payload_bytes", "sent_share"}) {
      s[key] = mean_of_key(runs, Key(std::string("/") + key));
    }
    const double payload = s["payload_bytes"].get<double>();
    s["of_exact"] = s["bytes"].get<double>() /
                    static_cast<double>(exact_bytes(o) * static_cast<uint64_t>(o.iterations));
    s["percent_per_gb"] = payload == 0
                              ? json(nullptr)
                              : json(100 * s["accuracy"]["mean"].get<double>() / (payload * 1e-9));
    if (codec.kind != Codec::Kind::kNoCommunication) {
      s["rel_l2_error"] = mean_of_key(runs, Key("/rel_l2_error"));
      for (const char* key : {"rms", "max", "to_gradient"}) {
        s["residual"][key] = mean_of_key(runs, Key(std::string("/residual/") + key));
      }
      s["max_error"] = 0.0;
      for (const json& run : runs) {
        s["max_error"] = std::max(s["max_error"].get<double>(), run["max_error"].get<double>());
      }
    } else {
      s["accuracy_mean"] = mean_of_key(runs, Key("/accuracy_mean"));
    }
    s["conservation"] = nullptr;
    for (const json& run : runs) {
      if (run["conservation"].is_null()) continue;
      const double here = run["conservation"].get<double>();
      if (s["conservation"].is_null() || s["conservation"].get<double>() < here) {
        s["conservation"] = here;
      }
    }
  }
  s["seeds"] = std::move(runs);
  return s;
}

}  // namespace

std::string why_not(const Session& session, size_t train_digits) {
  const TrainOptions& o = session.options;
  if (o.workers < kMinWorkers || o.workers > kMaxWorkers) {
    return fmt::format("--workers {} is not between {} and {}", o.workers, kMinWorkers,
                       kMaxWorkers);
  }
  const size_t share = train_digits / o.workers;
  if (o.batch < 1 || o.batch > share) {
    return fmt::format("--batch {} is not between 1 and {}, a worker's share of the {} digits",
                       o.batch, share, train_digits);
  }
  if (o.iterations < 1 || o.iterations > 1'000'000) {
    return fmt::format("--iterations {} is not between 1 and 1000000", o.iterations);
  }
  if (!(o.rate > 0 && o.rate <= 1000)) {
    return fmt::format("--rate {} is not above 0 and at most 1000", o.rate);
  }
  if (!(o.momentum >= 0 && o.momentum < 1)) {
    return fmt::format("--momentum {} is not from 0 to below 1", o.momentum);
  }
  if (!(o.eps >= 0 && o.eps <= 1)) {
    return fmt::format("--eps {} is not between 0 and 1", o.eps);
  }
  if (o.step == StepPlace::kBeforeSecond) {
    if (o.exchange != ExchangeKind::kDirect) {
      return "--step before-second needs --exchange direct: only there a slice has an owner that "
             "quantises again";
    }
    if (o.optimizer == Optimizer::kMomentum) {
      return "--step before-second needs --optimizer sgd, adagrad, adam or smorms3: the step of "
             "momentum with decay depends on the weights";
    }
  }
  if (session.seeds < 1 || session.seeds > 100) {
    return fmt::format("--seeds {} is not between 1 and 100", session.seeds);
  }
  if (!(o.sum_scale > 0 && std::isfinite(o.sum_scale))) {
    return fmt::format("--sum-scale {} is not above 0", o.sum_scale);
  }
  if (o.sum_scale != 1) {
    if (o.exchange != ExchangeKind::kDirect) {
      return "--sum-scale is of --exchange direct, whose sums are quantised again";
    }
    bool any = false;
    for (const Codec& codec : session.codecs) {
      if (!codec.has_threshold()) continue;
      any = true;
      const double t = static_cast<double>(codec.quantiser.threshold) * o.sum_scale;
      if (!reference::quant::round_threshold(t)) {
        return fmt::format("--sum-scale {}: T of the sum is {}, which is not from 2^-100 to 2^100",
                           o.sum_scale, t);
      }
    }
    if (!any) return "--sum-scale multiplies T, and none of these codecs has one";
  }
  return "";
}

json run_session(const Session& session, const Digits& digits, const Note& note,
                 const std::function<bool()>& goes_on) {
  const TrainOptions& o = session.options;
  // All codecs of the first seed, then of the next: what is stopped early has something of each.
  const size_t codecs = session.codecs.size();
  const auto seed_of = [&](size_t i) { return session.first_seed + i / codecs; };
  const auto name_of = [&](size_t i) {
    return fmt::format("{}, seed {}", session.codecs[i % codecs].text(), seed_of(i));
  };
  size_t done = 0;
  const size_t all = codecs * session.seeds;
  const std::vector<json> results = run_jobs(
      all, session.jobs,
      [&](size_t i, const Note& say) {
        json run = train(o, session.codecs[i % codecs], seed_of(i), digits, say);
        say(run["diverged"].is_null()
                ? fmt::format("done: accuracy {:.2f} %", 100 * run["accuracy"].get<double>())
                : "done: diverged");
        return run;
      },
      [&](size_t i, const std::string& line) {
        if (line.starts_with("done")) ++done;
        if (note) note(fmt::format("{} of {} runs; {}: {}", done, all, name_of(i), line));
      },
      goes_on);

  json document = {{"command", session.command},
                   {"training",
                    {{"preset", session.preset.empty() ? json(nullptr) : json(session.preset)},
                     {"network", "HDC 784-500-500-500-500-10"},
                     {"parameters", HdcNetwork::parameter_count()},
                     {"chunks", HdcNetwork::chunk_lengths().size()},
                     {"digits", digits.description},
                     {"exchange", exchange_name(o.exchange)},
                     {"workers", o.workers},
                     {"iterations", o.iterations},
                     {"batch", o.batch},
                     {"epochs", static_cast<double>(o.iterations * o.batch * o.workers) /
                                    static_cast<double>(digits.train.size())},
                     {"optimizer", optimizer_name(o.optimizer)},
                     {"step", o.step == StepPlace::kAfter ? "after" : "before-second"},
                     {"rate", o.rate},
                     {"sum_scale", o.sum_scale},
                     {"seeds", session.seeds},
                     {"first_seed", session.first_seed},
                     {"exact_bytes", exact_bytes(o) * o.iterations}}},
                   {"codecs", json::array()}};
  if (o.optimizer == Optimizer::kMomentum) {
    document["training"]["momentum"] = o.momentum;
    document["training"]["decay"] = o.decay;
    document["training"]["rate_divided_by"] = o.rate_divisor;
  } else if (o.optimizer != Optimizer::kSgd) {
    document["training"]["eps"] = o.eps;
    document["training"]["eps_outside"] = o.epsilon == reference::optimizer::Epsilon::kAfterRoot;
  }
  for (size_t c = 0; c < codecs; ++c) {
    json runs = json::array();
    for (size_t s = 0; s < session.seeds; ++s) {
      if (results[s * codecs + c].is_null()) {
        document["interrupted"] = true;
      } else {
        runs.push_back(results[s * codecs + c]);
      }
    }
    document["codecs"].push_back(summary_of(session.codecs[c], std::move(runs), o));
  }
  return document;
}

bool diverged(const json& document) {
  for (const json& codec : document["codecs"]) {
    if (!codec["diverged"].is_null()) return true;
  }
  return false;
}

std::string session_text(const json& document) {
  const json& t = document["training"];
  std::string out = fmt::format(
      "\ngradwire train\n\n"
      "  {}\n  {}, {} parameters in {} chunks; {} workers, batch {} each, {} iterations ({:.1f} "
      "epochs), seeds {} to {}\n",
      t["digits"].get<std::string>(), t["network"].get<std::string>(),
      text::grouped(t["parameters"].get<double>()), t["chunks"].get<int>(), t["workers"].get<int>(),
      t["batch"].get<int>(), t["iterations"].get<int>(), t["epochs"].get<double>(),
      t["first_seed"].get<uint64_t>(),
      t["first_seed"].get<uint64_t>() + t["seeds"].get<uint64_t>() - 1);
  const Optimizer optimizer = parse_optimizer(t["optimizer"].get<std::string>()).value();
  std::string more;
  if (optimizer == Optimizer::kMomentum) {
    more = fmt::format(" divided by {:g} every fifth of the run, momentum {:g}, decay {:g}",
                       t["rate_divided_by"].get<double>(), t["momentum"].get<double>(),
                       t["decay"].get<double>());
  } else if (t.contains("eps")) {
    more = fmt::format(", eps {:g} {}", t["eps"].get<double>(),
                       t.value("eps_outside", false) ? "after the root" : "under the root");
  }
  if (t["step"] == "before-second") more += "; the owner of a slice sends the step, not the sum";
  out += fmt::format("  exchange {}; {}, rate {:g}{}{}\n\n", t["exchange"].get<std::string>(),
                     optimizer_title(optimizer), t["rate"].get<double>(), more,
                     t["sum_scale"] == 1.0
                         ? ""
                         : fmt::format("; T of sums times {:g}", t["sum_scale"].get<double>()));
  size_t width = 5;
  for (const json& c : document["codecs"]) {
    width = std::max(width, c["codec"].get<std::string>().size());
  }
  out += fmt::format("  {:<{}} {:>9} {:>6} {:>10} {:>9} {:>10} {:>9} {:>8} {:>9} {:>9} {:>13}\n",
                     "codec", width, "accuracy", "sigma", "bytes", "of exact", "payload", "%/GB",
                     "sent", "error", "residual", "conservation");
  for (const json& c : document["codecs"]) {
    const std::string name = c["codec"].get<std::string>();
    if (!c["diverged"].is_null()) {
      out += fmt::format("  {:<{}}   {}\n", name, width, c["diverged"].get<std::string>());
      continue;
    }
    if (!c.contains("accuracy")) {
      out += fmt::format("  {:<{}}  not run\n", name, width);
      continue;
    }
    const bool alone = !c.contains("rel_l2_error");
    const auto or_dash = [](const json& v, const auto& show) {
      return v.is_null() ? std::string("-") : show(v.get<double>());
    };
    out += fmt::format(
        "  {:<{}} {:>7.2f} % {:>6} {:>10} {:>9} {:>10} {:>9} {:>8} {:>9} {:>9} {:>13}\n", name,
        width, 100 * c["accuracy"]["mean"].get<double>(),
        or_dash(c["accuracy"]["sigma"], [](double v) { return fmt::format("{:.2f}", 100 * v); }),
        alone ? "none" : text::bytes(c["bytes"].get<double>()),
        alone ? "-" : fmt::format("{:.3f} %", 100 * c["of_exact"].get<double>()),
        alone ? "-" : text::bytes(c["payload_bytes"].get<double>()),
        or_dash(c["percent_per_gb"], [](double v) { return text::general(v); }),
        alone ? "-" : fmt::format("{:.2f} %", 100 * c["sent_share"].get<double>()),
        alone ? "-" : fmt::format("{:.3g}", c["rel_l2_error"].get<double>()),
        alone ? "-" : fmt::format("{:.3g}", c["residual"]["to_gradient"].get<double>()),
        or_dash(c["conservation"], [](double v) { return fmt::format("2^{:.1f}", std::log2(v)); }));
  }
  out +=
      "\n  accuracy: of the test digits, after the last iteration (without communication: of the "
      "best worker); sigma: over seeds\n"
      "  bytes: whole packets on all links; of exact: by the floats that the same exchange carries "
      "without a codec\n"
      "  payload: as the TGS paper counts, 32, 1 or 8 bits a sent value and no index; %/GB: "
      "accuracy over it\n"
      "  sent: values with an entry, of those encoded; error: relative L2 of the delivered sums; "
      "residual: rms by the gradients' rms\n"
      "  conservation: sum |gradients - delivered - residuals| by sum |gradients|, at most 2^-22\n";
  return out;
}

}  // namespace gw::training
