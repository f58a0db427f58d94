#include <fmt/format.h>

#include <cstring>

#include "models/reference/capture/capture.h"
#include "models/reference/capture/filter.h"
#include "sim/base/error.h"
#include "sim/feeds/gradients.h"

namespace gw::sim {
namespace {

class TraceGradients final : public Gradients {
 public:
  explicit TraceGradients(const StimulusSpec& stimulus) : capture_(read(stimulus.trace)) {
    capture::SelectOptions options;
    if (!stimulus.filter.empty()) options.tos_mask = 0;  // the filter says which, not the mark
    selection_ = capture::select(capture_, options);
    const size_t all = selection_.payloads.size();
    if (!stimulus.filter.empty()) keep_matching(stimulus.filter);
    count_ = selection_.payloads.size();
    if (stimulus.packets != 0) count_ = std::min<size_t>(count_, stimulus.packets);
    facts_.path = facts_.name = stimulus.trace;
    facts_.expected = count_;
    facts_.trace = {{"file", stimulus.trace},
                    {"format", capture_.format},
                    {"packets", selection_.packets},
                    {"selected", count_},
                    {"skipped", selection_.skipped.by_name()}};
    if (count_ < selection_.payloads.size()) {
      facts_.trace["beyond_limit"] = selection_.payloads.size() - count_;
    }
    if (all != selection_.payloads.size()) {
      facts_.trace["skipped"]["filter"] = all - selection_.payloads.size();
    }
    if (capture_.damage) facts_.incomplete = capture_.damage->sentence;
  }

  std::optional<GradientPacket> next() override {
    if (next_ == count_) return std::nullopt;
    const capture::GradientPayload& payload = selection_.payloads[next_++];
    GradientPacket packet;
    packet.values.resize(payload.floats());
    std::memcpy(packet.values.data(), payload.bytes.data(), payload.bytes.size());
    packet.trace_number = static_cast<uint32_t>(payload.packet);
    return packet;
  }

 private:
  static capture::Capture read(const std::string& path) {
    capture::Expected<capture::Capture> read = capture::read(path);
    if (!read) throw InputError(read.error().sentence);
    return std::move(read).value();
  }

  /// Streams are followed through all packets; what is fed are those that the filter lets through.
  void keep_matching(const std::string& expression) {
    const capture::Expected<capture::Filter> filter = capture::Filter::compile(expression);
    if (!filter) throw UsageError(filter.error().sentence);
    std::erase_if(selection_.payloads, [&](const capture::GradientPayload& payload) {
      return !filter->matches(capture_.packets[payload.index]);
    });
  }

  capture::Capture capture_;
  capture::Selection selection_;
  size_t count_ = 0, next_ = 0;
};

}  // namespace

std::unique_ptr<Gradients> open_trace(const StimulusSpec& stimulus) {
  return std::make_unique<TraceGradients>(stimulus);
}

std::unique_ptr<Gradients> open_gradients(const StimulusSpec& stimulus, uint64_t seed) {
  if (stimulus.trace.empty()) return synthesise(stimulus.synth, seed, stimulus.packets);
  std::unique_ptr<Gradients> gradients = open_trace(stimulus);
  const SourceFacts& facts = gradients->facts();
  if (facts.expected == 0) {
    throw InputError(facts.incomplete.empty()
                         ? fmt::format("'{}' holds no packet with {}: {}", stimulus.trace,
                                       stimulus.filter.empty() ? "marked gradients"
                                                               : "gradients for this filter",
                                       facts.trace["skipped"].dump())
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
