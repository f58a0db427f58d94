// One training run of simulated workers: real gradients of HDC, a codec in every exchange.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "tools/training/codec.h"
#include "tools/training/digits.h"
#include "tools/training/exchange.h"
#include "tools/training/optimizer.h"

namespace gw::training {

/// Where the optimizer's step is computed. kAfter: by every worker, along the sum that it got.
/// kBeforeSecond, of kDirect: by the owner of a slice, which sends the step in the sum's place, so
/// that the step is what is quantised the second time (Seide et al.; Dryden et al., section 3.2).
enum class StepPlace : uint8_t { kAfter, kBeforeSecond };

struct TrainOptions {
  ExchangeKind exchange = ExchangeKind::kOnce;
  size_t workers = 4;
  size_t iterations = 500;
  size_t batch = 25;  ///< a worker
  Optimizer optimizer = Optimizer::kMomentum;
  StepPlace step = StepPlace::kAfter;
  double rate = default_rate(Optimizer::kMomentum);
  double eps = 1e-8;  ///< of kAdagrad, kAdam, kSmorms3, as the next
  reference::optimizer::Epsilon epsilon = reference::optimizer::Epsilon::kUnderRoot;
  double momentum = 0.9;  ///< of kMomentum, as the three that follow
  double decay = 0.00005;
  double rate_divisor = 5;   ///< by this the rate falls, as INCEPTIONN's Table I has it
  size_t rate_every = 0;     ///< iterations with the same rate; 0: a fifth of the run
  double sum_scale = 1;      ///< of kDirect
  size_t evaluations = 10;   ///< of the accuracy, evenly spread; the last is at the end
  size_t curve_points = 50;  ///< at most, of error, residual and sent share by iteration
  /// Gets all workers' gradients in each iteration (from 1 on), before they are exchanged. Not
  /// called where the workers do not communicate.
  std::function<void(size_t iteration, std::span<const std::vector<float>> gradients)> tap = {};
};

/// The layer of Dryden et al., Figure 3: the third fully connected one.
inline constexpr size_t kVolumeLayer = 2;

/// What a run gives, the same for the same seed and machine:
///
///   {"seed", "diverged": null or a sentence, "accuracy" (0..1), "loss" (mean over the last tenth),
///    "bytes", "payload_bytes" (Codec::payload_bits), "sent_share",
///    "rel_l2_error" (of the delivered sum, over the run), "max_error",
///    "residual": {"rms", "max", "to_gradient"} (after the last iteration; to_gradient is by the
///    rms of that iteration's gradients), "conservation" or null,
///    "plots": {"evaluated": [[iteration, accuracy, bytes so far]],
///              "by_iteration": [[iteration, loss, sent share, rel. error, residual to gradient,
///                                bytes, bytes of the third layer]]}}
///
/// conservation is sum |e| / sum |g| where e of a value is the sum of all gradients so far, less
/// all that was delivered, less all residuals, in binary64; the largest of curve_points iterations.
/// With kBeforeSecond the errors are those of the delivered step, and conservation is null: a step
/// is no sum of gradients. Without communication: accuracy is the best worker's, "accuracy_mean"
/// the mean of all.
///
/// Where it diverged, figures are those so far, and those of whole runs are absent or null.
///
/// A run diverges when its loss, its gradients or its weights are no longer finite: it ends there.
/// `note` gets a line now and then. Throws std::runtime_error if there are too few digits.
nlohmann::json train(const TrainOptions& options, const Codec& codec, uint64_t seed,
                     const Digits& digits, const std::function<void(const std::string&)>& note);

}  // namespace gw::training
