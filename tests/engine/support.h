// Engines and beats for the tests of testbenches/engine, library and kit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "models/axis/beat.h"
#include "models/reference/expether/frame.h"
#include "sim/base/random.h"
#include "testbenches/engine/engine_abi.h"

namespace gw::testbenches {

/// An instance of an engine with one stream each way.
class OneStream {
 public:
  explicit OneStream(const GwEngine* engine, uint64_t seed = 1)
      : engine_(engine), self_(engine->make(seed, nullptr)), shown_(engine->outputs(self_)) {}
  ~OneStream() { engine_->drop(self_); }
  OneStream(const OneStream&) = delete;
  OneStream& operator=(const OneStream&) = delete;

  void set(const char* pin, uint64_t value) {
    engine_->set(self_, engine_->pin(self_, pin), value);
  }
  /// To cycle 0.
  void start() {
    engine_->reset(self_);
    engine_->reset(self_);
    clock(nullptr, false);
  }
  bool s_ready() const { return (shown_->s_ready & 1) != 0; }
  const Beat* m_beat() const {
    return (shown_->m_valid & 1) != 0 ? static_cast<const Beat*>(shown_->m_beat) : nullptr;
  }
  uint64_t probe() const { return shown_->probe; }
  void clock(const Beat* s, bool m_ready) {
    const void* const offered[] = {s};
    engine_->clock(self_, offered, m_ready ? 1 : 0);
  }
  std::string failure() const {
    const char* text = engine_->failure(self_);
    return text == nullptr ? "" : text;
  }
  void* self() const { return self_; }
  const GwEngine* engine() const { return engine_; }

 private:
  const GwEngine* engine_;
  void* self_;
  const GwOutputs* shown_;
};

/// Packets of 1..12 beats of gradients of every size class, the last beat whole or partial; zeros,
/// small values, large ones, NaN.
inline std::vector<Beat> random_gradients(size_t beats, uint64_t seed) {
  sim::Random random(seed);
  std::vector<Beat> all(beats);
  uint32_t left = 0;
  for (Beat& beat : all) {
    if (left == 0) left = 1 + random.below(12);
    for (uint32_t& lane : beat.data) {
      const uint32_t exponent = random.below(4) == 0 ? random.below(256) : 100 + random.below(30);
      lane = (static_cast<uint32_t>(random.next()) & 0x807FFFFF) | exponent << 23;
    }
    if (--left == 0 || &beat == &all[beats - 1]) {
      beat.last = 1;
      beat.keep = keep_of_bytes(4 * (1 + static_cast<int>(random.below(8))));
      beat.user = random.below(16) == 0;
    }
  }
  return all;
}

/// Sums of gradients, 32 values a frame: each is a step of the optimizer.
inline std::vector<Beat> update_frames(size_t frames) {
  namespace expether = reference::expether;
  sim::Random random(5);
  std::vector<Beat> all;
  for (size_t f = 0; f < frames; ++f) {
    std::vector<uint32_t> values(expether::kMaxValues);
    for (uint32_t& value : values) {
      value = (static_cast<uint32_t>(random.next()) & 0x807FFFFF) | (110 + random.below(16)) << 23;
    }
    expether::Header header;
    header.flags = expether::kFlagComplete;
    header.sequence = static_cast<uint32_t>(f % 1024);
    header.iteration = static_cast<uint32_t>(1 + f / 1024);
    const std::vector<uint8_t> bytes = expether::build_gradient(header, values);
    for (size_t at = 0; at < bytes.size(); at += kBeatBytes) {
      Beat& beat = all.emplace_back();
      std::memcpy(beat.data.data(), bytes.data() + at, kBeatBytes);
      beat.last = at + kBeatBytes == bytes.size();
    }
  }
  return all;
}

/// Drives two opinions alike, with random stalls on both sides, and compares what they show in each
/// cycle. "" or what differed. Of beats that leave, `seen` counts.
template <class A, class B>
std::string compare(A& a, B& b, const std::vector<Beat>& input, uint64_t seed, uint64_t* seen) {
  sim::Random random(seed);
  size_t next = 0;
  bool offering = false;
  *seen = 0;
  const uint64_t limit = 20 * input.size() + 1000;
  for (uint64_t cycle = 0, quiet = 0; cycle < limit && quiet < 200; ++cycle) {
    offering = offering || (next < input.size() && random.below(3) != 0);
    const bool m_ready = random.below(3) != 0;
    const Beat* const s = offering ? &input[next] : nullptr;
    const Beat *const x = a.m_beat(), *const y = b.m_beat();
    if (a.s_ready() != b.s_ready()) return "s_ready differs in cycle " + std::to_string(cycle);
    if ((x == nullptr) != (y == nullptr))
      return "m_valid differs in cycle " + std::to_string(cycle);
    if (x != nullptr && *x != *y) return "m_beat differs in cycle " + std::to_string(cycle);
    if (s != nullptr && a.s_ready()) {
      ++next;
      offering = false;
    }
    *seen += x != nullptr && m_ready;
    quiet = s == nullptr && x == nullptr && next == input.size() ? quiet + 1 : 0;
    a.clock(s, m_ready);
    b.clock(s, m_ready);
  }
  return next == input.size() ? "" : "not all beats were accepted";
}

}  // namespace gw::testbenches
