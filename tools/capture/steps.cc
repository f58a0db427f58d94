// SPDX-License-Identifier: Apache-2.0
#include "tools/capture/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <stdexcept>

#include "models/reference/capture/capture.h"
#include "tools/training/codec.h"
#include "tools/training/digits.h"
#include "tools/training/network.h"
#include "tools/training/trainer.h"

namespace gw::capture {
namespace {

constexpr size_t kStepsRow = 8;
constexpr int64_t kPacketNs = 1'000, kIterationNs = 1'000'000;

/// As many epochs of 8,000 images as Table I has of 60,000.
constexpr size_t kStepsRunIterations = 1'333;
constexpr size_t kStepsDrawnTrain = 8'000, kStepsDrawnTest = 2'000;

void stop(const std::string& sentence) { throw std::runtime_error(sentence); }

void check(const StepsOptions& o, size_t parameters) {
  if (o.values == 0 || o.values % kStepsRow != 0) {
    stop(fmt::format("--values {} is not a multiple of {}.", o.values, kStepsRow));
  }
  if (o.values > parameters || o.first_value > parameters - o.values) {
    stop(fmt::format("--parameter {} --values {}: the network has {}.", o.first_value, o.values,
                     parameters));
  }
  if (o.first_iteration == 0 || o.iterations == 0 || o.iterations > kStepsRunIterations ||
      o.first_iteration > kStepsRunIterations - o.iterations + 1) {
    stop(fmt::format("--first {} --iterations {}: the run has 1 to {}.", o.first_iteration,
                     o.iterations, kStepsRunIterations));
  }
}

}  // namespace

void write_steps(const StepsOptions& o) {
  size_t parameters = 0;
  for (const size_t length : training::HdcNetwork::chunk_lengths()) parameters += length;
  check(o, parameters);
  // Data that are not there leave the file as it was; one that cannot be written is told before
  // digits are drawn.
  training::Digits digits;
  if (!o.data.empty()) digits = training::load_mnist(o.data);
  auto opened = PcapWriter::open(o.file);
  if (!opened) stop(opened.error().sentence);
  PcapWriter writer = std::move(opened).value();
  if (o.data.empty()) digits = training::draw_digits(kStepsDrawnTrain, kStepsDrawnTest, o.seed);

  training::TrainOptions options;
  options.workers = kStepsWorkers;
  options.iterations = o.first_iteration + o.iterations - 1;
  options.rate_every = kStepsRunIterations / 5;
  options.evaluations = 1;
  uint16_t identification = 0;
  options.tap = [&](size_t iteration, std::span<const std::vector<float>> gradients) {
    if (iteration < o.first_iteration) return;
    const std::span<const float> slice =
        std::span(gradients[o.worker]).subspan(o.first_value, o.values);
    int64_t time = static_cast<int64_t>(iteration - o.first_iteration) * kIterationNs;
    for (size_t at = 0; at < slice.size(); at += kStepsPacketValues, time += kPacketNs) {
      const std::span<const float> values =
          slice.subspan(at, std::min(kStepsPacketValues, slice.size() - at));
      const auto frame =
          make_frame({.identification = identification++},
                     {reinterpret_cast<const uint8_t*>(values.data()), values.size_bytes()});
      if (!frame) stop(frame.error().sentence);
      if (const Status error = writer.write(time, *frame)) stop(error->sentence);
    }
  };
  const training::CodecResult none = training::parse_codec("none");
  const nlohmann::json run = training::train(options, *none.codec, o.seed, digits, {});
  if (!run["diverged"].is_null()) stop(run["diverged"].get<std::string>() + ".");
  if (const Status error = writer.close()) stop(error->sentence);
}

}  // namespace gw::capture
