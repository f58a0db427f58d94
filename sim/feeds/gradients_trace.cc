// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "models/reference/capture/capture.h"
#include "models/reference/capture/filter.h"
#include "sim/base/error.h"
#include "sim/feeds/captures.h"
#include "sim/feeds/gradients.h"

namespace gw::sim {
namespace {

class TraceGradients final : public Gradients {
 public:
  TraceGradients(const StimulusSpec& stimulus, const OptionSet& options)
      : reader_(open_reader(stimulus.trace, options)),
        filter_(compile(stimulus.filter)),
        select_(select_options(options, !stimulus.filter.empty())),
        selector_(select_),
        limit_(stimulus.packets == 0 ? UINT64_MAX : stimulus.packets) {
    facts_.path = facts_.name = stimulus.trace;
    next_ = read();
  }

  std::optional<GradientPacket> next() override {
    if (!next_) return std::nullopt;
    return std::exchange(next_, read());
  }

  const SourceFacts& facts() const override {
    const capture::Selection& sums = selector_.sums();
    facts_.trace = {{"file", reader_.file()},
                    {"format", reader_.format()},
                    {"packets", sums.packets},
                    {"selected", count_},
                    {"skipped", sums.skipped.by_name()}};
    if (beyond_limit_ != 0) facts_.trace["beyond_limit"] = beyond_limit_;
    if (filtered_ != 0) facts_.trace["skipped"]["filter"] = filtered_;
    if (const auto notes = notes_of(sums, assumed_.size()); !notes.empty())
      facts_.trace["notes"] = notes;
    if (reader_.damage()) facts_.incomplete = reader_.damage()->sentence;
    return facts_;
  }

  std::string none() const override {
    const std::string remedy = remedy_for(selector_.sums(), select_);
    const std::string words = skipped_words(facts().trace["skipped"]);
    return fmt::format("{}{}{}{}", words.empty() ? "" : ": ", words, remedy.empty() ? "" : "; ",
                       remedy);
  }

  uint64_t expected() const override {
    const double done = reader_.progress();
    const double all = done > 0 ? static_cast<double>(count_) / done : 0;
    return std::min(limit_, std::max(count_, static_cast<uint64_t>(all)));
  }

 private:
  static std::optional<capture::Filter> compile(const std::string& expression) {
    if (expression.empty()) return std::nullopt;
    capture::Expected<capture::Filter> filter = capture::Filter::compile(expression);
    if (!filter) throw UsageError(filter.error().sentence);
    return std::move(filter).value();
  }
  /// The next packet that is fed, one ahead of who asks: whoever opens a capture hears at once that
  /// it holds none. After the limit it counts what is left.
  std::optional<GradientPacket> read() {
    while (const std::optional<capture::Record> record = reader_.next()) {
      const capture::Packet captured = capture::packet_of(*record);
      // Streams are followed through all packets; what is fed are those that the filter lets
      // through.
      const std::optional<capture::GradientPayload> payload = selector_.take(captured);
      if (!payload) continue;
      if (filter_ && !filter_->matches(captured)) {
        ++filtered_;
        continue;
      }
      if (count_ == limit_) {
        ++beyond_limit_;
        continue;
      }
      ++count_;
      // Streams are followed whether the filter lets them through or not: told of are those it
      // does.
      if (selector_.sums().flows[payload->flow].assumed) assumed_.insert(payload->flow);
      GradientPacket packet;
      if (select_.any_length) {
        packet.bytes.assign(payload->bytes.begin(), payload->bytes.end());
      } else {
        packet.values.resize(payload->floats());
        std::memcpy(packet.values.data(), payload->bytes.data(), payload->bytes.size());
      }
      packet.trace_number = static_cast<uint32_t>(payload->packet);
      packet.flow = payload->flow;
      return packet;
    }
    return std::nullopt;
  }

  capture::Reader reader_;
  std::optional<capture::Filter> filter_;
  const capture::SelectOptions select_;
  capture::Selector selector_;
  uint64_t limit_;
  uint64_t count_ = 0, beyond_limit_ = 0, filtered_ = 0;
  std::set<size_t> assumed_;  // flows without SYN that are fed
  std::optional<GradientPacket> next_;
};

}  // namespace

std::unique_ptr<Gradients> open_trace(const StimulusSpec& stimulus, const OptionSet& options) {
  return std::make_unique<TraceGradients>(stimulus, options);
}

std::unique_ptr<Gradients> open_gradients(const StimulusSpec& stimulus, uint64_t seed,
                                          const OptionSet& options) {
  if (stimulus.trace.empty()) {
    refuse_without_capture(options, reading_options());
    refuse_without_capture(options, mark_options(""));
    refuse_without_capture(options, {encoded_option("")});
    return synthesise(stimulus.synth, seed, stimulus.packets);
  }
  std::unique_ptr<Gradients> gradients = open_trace(stimulus, options);
  const SourceFacts& facts = gradients->facts();
  if (facts.trace["selected"] == 0) {
    throw InputError(facts.incomplete.empty()
                         ? fmt::format("'{}' holds no packet with {}{}", stimulus.trace,
                                       stimulus.filter.empty() ? "marked gradients"
                                                               : "gradients for this filter",
                                       gradients->none())
                         : facts.incomplete);
  }
  return gradients;
}

std::vector<GradientPacket> read_all(Gradients& gradients) {
  std::vector<GradientPacket> packets;
  while (auto packet = gradients.next()) packets.push_back(std::move(*packet));
  return packets;
}

}  // namespace gw::sim
