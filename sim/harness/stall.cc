// SPDX-License-Identifier: Apache-2.0
#include "sim/harness/stall.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "sim/base/error.h"

namespace gw::sim {

StallSpec StallSpec::parse(std::string_view text) {
  if (text == "none") return {};
  const size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  if (colon != std::string_view::npos && (kind == "source" || kind == "sink" || kind == "both")) {
    const std::string_view number = text.substr(colon + 1);
    double percent = 0;
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), percent);
    if (error == std::errc() && end == number.data() + number.size() && percent >= 1 &&
        percent <= 99) {
      return {.source_percent = kind == "sink" ? 0 : percent,
              .sink_percent = kind == "source" ? 0 : percent};
    }
  }
  throw UsageError(fmt::format(
      "--stall '{}' is not one of none, source:P, sink:P, both:P with P from 1 to 99 percent",
      text));
}

std::string StallSpec::text() const {
  if (recorded != nullptr) return recorded->none() ? "none" : "recorded";
  if (source || sink) return "random";
  if (source_percent > 0 && sink_percent > 0) return fmt::format("both:{}", source_percent);
  if (source_percent > 0) return fmt::format("source:{}", source_percent);
  if (sink_percent > 0) return fmt::format("sink:{}", sink_percent);
  return "none";
}

bool StallRecord::none() const {
  const auto empty = [](const Side& side) { return side.empty(); };
  return std::ranges::all_of(sources, empty) && std::ranges::all_of(sinks, empty);
}

uint64_t StallRecord::bits(const std::vector<Side>& sides, size_t port, uint64_t number) {
  if (port >= sides.size()) return 0;
  const auto at = std::ranges::lower_bound(sides[port], number, {}, &Window::number);
  return at != sides[port].end() && at->number == number ? at->bits : 0;
}

void StallRecord::set(std::vector<Side>& sides, size_t port, uint64_t number, uint64_t bits) {
  if (port >= sides.size()) sides.resize(port + 1);
  Side& side = sides[port];
  if (!side.empty() && side.back().number == number) side.pop_back();
  if (bits != 0) side.push_back({number, bits});
}

void StallPattern::choose() {
  windows_ = 1 + random_.below(16);
  double sum = 0;
  for (const double weight : weights_.weights) sum += weight;
  double left = random_.unit() * sum;
  size_t kind = 0;
  for (size_t i = 0; i < kStallKinds; ++i) {
    if (weights_.weights[i] <= 0) continue;
    kind = i;
    if (left < weights_.weights[i]) break;
    left -= weights_.weights[i];
  }
  kind_ = static_cast<StallKind>(kind);
  p16_ = StallGenerator::percent_to_p16(between(weights_.percent_from, weights_.percent_to));
  n_ = weights_.one_in[random_.below(static_cast<uint32_t>(weights_.one_in.size()))];
  at_ = random_.below(n_);
  run_ = 0;
}

uint64_t StallPattern::next64() {
  if (windows_ == 0) choose();
  --windows_;
  uint64_t bits = 0;
  switch (kind_) {
    case StallKind::kNone:
      break;
    case StallKind::kPercent:
      bits = random_.bits(p16_);
      break;
    case StallKind::kBursts:
      for (int cycle = 0; cycle < 64; ++cycle, --run_) {
        if (run_ == 0) {
          run_ = between(weights_.burst_from, weights_.burst_to);
          stalled_ = !stalled_;
        }
        bits |= static_cast<uint64_t>(stalled_) << cycle;
      }
      break;
    case StallKind::kOneIn:
      for (int cycle = 0; cycle < 64; ++cycle) {
        bits |= static_cast<uint64_t>(at_ != 0) << cycle;
        at_ = (at_ + 1) % n_;
      }
      break;
    case StallKind::kWaits:
      bits = ~uint64_t{0};
      break;
  }
  return bits;
}

}  // namespace gw::sim
