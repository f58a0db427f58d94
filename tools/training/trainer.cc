// SPDX-License-Identifier: Apache-2.0
#include "tools/training/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "tools/training/batches.h"
#include "tools/training/network.h"

namespace gw::training {
namespace {

using nlohmann::json;

bool all_finite(std::span<const float> values) {
  // The exponent of a value that is not finite is all ones; this loop is vectorised.
  bool finite = true;
  for (const float v : values) finite &= std::fabs(v) <= 3.4028235e38f;
  return finite;
}

/// What is asked of an exchange, in binary64: error of this iteration, conservation of all so far.
class Ledger {
 public:
  explicit Ledger(const Layout& layout, bool conserves)
      : layout_(layout),
        exact_(layout.values()),
        missing_(conserves ? layout.values() : 0),
        sent_(conserves ? layout.values() : 0) {}

  /// `steps`: what was to be delivered, if that is not the sum of the gradients; empty if it is.
  void take(std::span<const std::vector<float>> gradients, std::span<const float> steps,
            std::span<const float> delivered) {
    std::ranges::fill(exact_, 0.0);
    gradient2_ = 0;
    for (const auto& g : gradients) {
      for (size_t i = 0; i < g.size(); ++i) exact_[i] += static_cast<double>(g[i]);
      for (const float v : g) gradient2_ += static_cast<double>(v) * static_cast<double>(v);
    }
    if (!steps.empty()) std::ranges::copy(steps, exact_.begin());
    error2_ = sum2_ = 0;
    for (size_t i = 0; i < exact_.size(); ++i) {
      const double error = exact_[i] - static_cast<double>(delivered[i]);
      max_error_ = std::max(max_error_, std::fabs(error));
      error2_ += error * error;
      sum2_ += exact_[i] * exact_[i];
    }
    all_error2_ += error2_;
    all_sum2_ += sum2_;
    if (missing_.empty()) return;
    for (size_t i = 0; i < exact_.size(); ++i) {
      missing_[i] += exact_[i] - static_cast<double>(delivered[i]);
    }
    for (const auto& g : gradients) {
      for (size_t i = 0; i < g.size(); ++i) sent_[i] += std::fabs(static_cast<double>(g[i]));
    }
  }

  void weigh(const Exchange& exchange) {
    double squares = 0, most = 0;
    size_t values = 0;
    std::vector<double> left = missing_;  // empty where nothing is conserved
    for (size_t w = 0; w < exchange.workers(); ++w) {
      const std::span<const float> r = exchange.residuals(w);
      if (r.empty()) continue;
      for (const ChunkRange& chunk : layout_.chunks()) {
        const std::span<const float> row = r.subspan(chunk.row * reference::quant::kLanes);
        for (size_t i = 0; i < chunk.count; ++i) {
          const double v = static_cast<double>(row[i]);
          squares += v * v;
          most = std::max(most, std::fabs(v));
          if (!left.empty()) left[chunk.first + i] -= v;
        }
      }
      values += layout_.values();
    }
    residual_rms_ = values == 0 ? 0 : std::sqrt(squares / static_cast<double>(values));
    residual_max_ = most;
    residual_to_gradient_ =
        gradient2_ == 0
            ? 0
            : residual_rms_ / std::sqrt(gradient2_ /
                                        static_cast<double>(exchange.workers() * layout_.values()));
    if (missing_.empty()) return;
    double lost = 0;
    for (const double e : left) lost += std::fabs(e);
    const double all = std::accumulate(sent_.begin(), sent_.end(), 0.0);
    if (all > 0) conservation_ = std::max(conservation_, lost / all);
  }

  double error() const { return sum2_ == 0 ? 0 : std::sqrt(error2_ / sum2_); }
  double residual_to_gradient() const { return residual_to_gradient_; }

  void report(json& to) const {
    to["rel_l2_error"] = all_sum2_ == 0 ? 0 : std::sqrt(all_error2_ / all_sum2_);
    to["max_error"] = max_error_;
    to["residual"] = {
        {"rms", residual_rms_}, {"max", residual_max_}, {"to_gradient", residual_to_gradient_}};
    if (!missing_.empty()) to["conservation"] = conservation_;
  }

 private:
  const Layout& layout_;
  std::vector<double> exact_, missing_, sent_;
  double gradient2_ = 0, error2_ = 0, sum2_ = 0, all_error2_ = 0, all_sum2_ = 0, max_error_ = 0;
  double residual_rms_ = 0, residual_max_ = 0, residual_to_gradient_ = 0, conservation_ = 0;
};

class Run {
 public:
  Run(const TrainOptions& options, const Codec& codec, uint64_t seed, const Digits& digits)
      : o_(options),
        digits_(digits),
        alone_(codec.kind == Codec::Kind::kNoCommunication),
        before_second_(options.step == StepPlace::kBeforeSecond && !alone_),
        layout_(HdcNetwork::chunk_lengths()),
        ledger_(layout_, codec.conserves() && !before_second_),
        delivered_(layout_.values()),
        by_chunk_(layout_.chunks().size()) {
    for (size_t w = 0; w < o_.workers; ++w) {
      batches_.emplace_back(digits.train.size(), w, o_.workers, o_.batch, seed);
    }
    // All workers begin with the same weights and get the same sum: one network is all of them.
    networks_.reserve(alone_ ? o_.workers : 1);
    for (size_t w = 0; w < (alone_ ? o_.workers : 1); ++w) {
      networks_.emplace_back(seed);
      if (o_.optimizer != Optimizer::kMomentum) {
        updates_.emplace_back(o_.optimizer, o_.rate, o_.eps, o_.epsilon, layout_.values());
      }
    }
    if (alone_) return;
    if (before_second_) steps_.resize(layout_.values());
    gradients_.assign(o_.workers, std::vector<float>(layout_.values()));
    exchange_ = std::make_unique<Exchange>(o_.exchange, codec, o_.workers, layout_, o_.sum_scale);
    size_t first = 0;
    for (size_t l = 0; l < kVolumeLayer; ++l) {
      first += static_cast<size_t>(HdcNetwork::kSizes[l + 1]) + 1;
    }
    volume_first_ = first;
    volume_last_ = first + static_cast<size_t>(HdcNetwork::kSizes[kVolumeLayer + 1]) + 1;
  }

  json run(uint64_t seed, const std::function<void(const std::string&)>& note) {
    const size_t curve_step = (o_.iterations + o_.curve_points - 1) / o_.curve_points;
    const size_t tail = std::max<size_t>(o_.iterations / 10, 1);
    json result = {{"seed", seed},
                   {"diverged", nullptr},
                   {"conservation", nullptr},
                   {"plots", {{"evaluated", json::array()}, {"by_iteration", json::array()}}}};
    double tail_loss = 0;
    for (size_t t = 1; t <= o_.iterations; ++t) {
      std::ranges::fill(by_chunk_, 0);
      Traffic traffic;
      const double loss = alone_ ? iterate_alone(t) : iterate(t, traffic);
      total_.add(traffic);
      if (!diverged_.empty()) {
        result["diverged"] = fmt::format("{} at iteration {}", diverged_, t);
        break;
      }
      if (t > o_.iterations - tail) tail_loss += loss;
      if (t % curve_step == 0 || t == o_.iterations) {
        if (!alone_) ledger_.weigh(*exchange_);
        const uint64_t volume = std::accumulate(
            by_chunk_.begin() + static_cast<std::ptrdiff_t>(volume_first_),
            by_chunk_.begin() + static_cast<std::ptrdiff_t>(volume_last_), uint64_t{0});
        result["plots"]["by_iteration"].push_back({t, loss, share(traffic), ledger_.error(),
                                                   ledger_.residual_to_gradient(), traffic.bytes,
                                                   volume});
      }
      // As many evaluations as asked for, the last at the end.
      if (t * o_.evaluations / o_.iterations != (t - 1) * o_.evaluations / o_.iterations) {
        evaluate(t, result);
        if (note) {
          note(fmt::format("iteration {} of {}, loss {:.3f}, accuracy {:.2f} %", t, o_.iterations,
                           loss, 100 * result["accuracy"].get<double>()));
        }
      }
    }
    result["loss"] =
        diverged_.empty() ? json(tail_loss / static_cast<double>(tail)) : json(nullptr);
    result["bytes"] = total_.bytes;
    result["payload_bytes"] = static_cast<double>(total_.payload_bits) / 8;
    result["sent_share"] = share(total_);
    if (!alone_) ledger_.report(result);
    return result;
  }

 private:
  static double share(const Traffic& traffic) {
    return traffic.values == 0
               ? 0
               : static_cast<double>(traffic.entries) / static_cast<double>(traffic.values);
  }

  /// With kMomentum: the rate of iteration t.
  double rate(size_t t) const {
    const size_t every =
        o_.rate_every != 0 ? o_.rate_every : std::max<size_t>(o_.iterations / 5, 1);
    return o_.rate / std::pow(o_.rate_divisor, static_cast<double>((t - 1) / every));
  }

  /// One step of network w along `scale` times its gradient().
  void update(size_t w, size_t t, double scale) {
    HdcNetwork& network = networks_[w];
    if (o_.optimizer == Optimizer::kMomentum) {
      network.update(static_cast<float>(rate(t)), static_cast<float>(o_.momentum),
                     static_cast<float>(o_.decay), static_cast<float>(scale));
    } else {
      for (float& g : network.gradient()) g *= static_cast<float>(scale);
      updates_[w].begin_iteration();
      updates_[w].step(0, network.parameters(), network.gradient());
    }
    if (diverged_.empty() && !network.finite()) diverged_ = "weights are no longer finite";
  }

  /// What the owner of a chunk sends for its sum with kBeforeSecond: the step along the mean. The
  /// owners' states are one: every chunk has one owner.
  void make_step(const ChunkRange& chunk, std::span<float> sum) {
    for (float& v : sum) v *= 1 / static_cast<float>(o_.workers);
    const std::span<float> step = std::span(steps_).subspan(chunk.first, chunk.count);
    updates_.front().step_alone(chunk.first, sum, step);
    std::ranges::copy(step, sum.begin());
  }

  double iterate(size_t t, Traffic& traffic) {
    HdcNetwork& network = networks_.front();
    double loss = 0;
    for (size_t w = 0; w < o_.workers; ++w) {
      loss += static_cast<double>(network.train(digits_.train, batches_[w].next()));
      std::ranges::copy(network.gradient(), gradients_[w].begin());
      if (diverged_.empty() && !all_finite(gradients_[w])) {
        diverged_ = "gradients are no longer finite";
      }
    }
    loss /= static_cast<double>(o_.workers);
    if (!std::isfinite(loss)) diverged_ = "the loss is no longer finite";
    if (!diverged_.empty()) return loss;
    if (o_.tap) o_.tap(t, gradients_);
    Exchange::Reduced reduced;
    if (before_second_) {
      updates_.front().begin_iteration();
      reduced = [this](const ChunkRange& chunk, std::span<float> sum) { make_step(chunk, sum); };
    }
    traffic = exchange_->run(gradients_, delivered_, by_chunk_, reduced);
    if (!all_finite(delivered_)) {
      diverged_ = before_second_ ? "the steps are no longer finite"
                                 : "the sum of the gradients is no longer finite";
      return loss;
    }
    ledger_.take(gradients_, steps_, delivered_);
    if (before_second_) {
      const std::span<float> weights = network.parameters();
      for (size_t i = 0; i < weights.size(); ++i) weights[i] -= delivered_[i];
      if (!network.finite()) diverged_ = "weights are no longer finite";
    } else {
      std::ranges::copy(delivered_, network.gradient().begin());
      // The exchange carries the sum; the mean is what is stepped along.
      update(0, t, 1 / static_cast<double>(o_.workers));
    }
    return loss;
  }

  double iterate_alone(size_t t) {
    double loss = 0;
    for (size_t w = 0; w < o_.workers; ++w) {
      loss += static_cast<double>(networks_[w].train(digits_.train, batches_[w].next()));
      update(w, t, 1);
    }
    loss /= static_cast<double>(o_.workers);
    if (!std::isfinite(loss)) diverged_ = "the loss is no longer finite";
    return loss;
  }

  void evaluate(size_t t, json& result) {
    std::vector<double> all;
    for (HdcNetwork& network : networks_) all.push_back(network.accuracy(digits_.test));
    const double best = *std::ranges::max_element(all);
    result["accuracy"] = best;
    if (alone_) {
      result["accuracy_mean"] =
          std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
    }
    result["plots"]["evaluated"].push_back({t, best, total_.bytes});
  }

  const TrainOptions& o_;
  const Digits& digits_;
  bool alone_, before_second_;
  Layout layout_;
  Ledger ledger_;
  std::vector<Batches> batches_;
  std::vector<HdcNetwork> networks_;
  std::vector<WeightUpdate> updates_;  // one a network; none with kMomentum
  std::vector<std::vector<float>> gradients_;
  std::vector<float> delivered_, steps_;  // steps_: with kBeforeSecond, as the owners compute them
  std::vector<uint64_t> by_chunk_;
  std::unique_ptr<Exchange> exchange_;
  size_t volume_first_ = 0, volume_last_ = 0;
  Traffic total_;
  std::string diverged_;
};

}  // namespace

json train(const TrainOptions& options, const Codec& codec, uint64_t seed, const Digits& digits,
           const std::function<void(const std::string&)>& note) {
  return Run(options, codec, seed, digits).run(seed, note);
}

}  // namespace gw::training
