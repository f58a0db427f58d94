// What a session of runs says: one JSON document, and the table at the terminal that is made of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/training/jobs.h"
#include "tools/training/trainer.h"

namespace gw::training {

/// Codecs x seeds under the same options.
struct Session {
  TrainOptions options;
  std::vector<Codec> codecs;
  size_t seeds = 1;
  uint64_t first_seed = 1;
  size_t jobs = 1;
  std::string preset;   ///< empty, "tgs" or "mlhpc16"
  std::string command;  ///< for the report
};

/// The first option of the session that cannot be with so many digits to train on, as a sentence;
/// empty if all can.
std::string why_not(const Session& session, size_t train_digits);

/// Runs it all, `jobs` runs at a time. The document holds no time and no machine's name:
///
///   {"command", "version", "training": {...the options...},
///    "codecs": [{"codec", "diverged": null or a sentence, "seeds": [a run's document ...],
///                "accuracy": {"mean", "sigma"}, and means over the seeds of "loss", "bytes",
///                "payload_bytes", "of_exact" (bytes by those of the same exchange of floats),
///                "percent_per_gb" (accuracy over payload, the TGS paper's), "sent_share",
///                "rel_l2_error", "residual"; the largest of "max_error", "conservation"}]}
///
/// sigma is of a sample; null of one seed. "interrupted" is true if goes_on ended it.
nlohmann::json run_session(const Session& session, const Digits& digits, const Note& note,
                           const std::function<bool()>& goes_on);

/// The table; a codec that diverged has a sentence instead of figures.
std::string session_text(const nlohmann::json& document);

/// Some run diverged.
bool diverged(const nlohmann::json& document);

}  // namespace gw::training
