// Seeded stimuli for the codec devices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <vector>

#include "tests/systemc/contract.h"

namespace gw::systemc {

/// A value of the class that `tag` names, random mantissa and sign. For k = 1, HALF
/// is empty: a BYTE then.
inline uint32_t value_of(int tag, int k, std::mt19937& random) {
  if (k == 1 && tag == spec::kHalf) tag = spec::kByte;
  const int B = 127 - k;
  const int T = spec::threshold(k);
  const std::array<int, 5> limits = {0, B, T, 127, 256};
  const auto span = static_cast<uint32_t>(limits[tag + 1] - limits[tag]);
  const uint32_t e = static_cast<uint32_t>(limits[tag]) + static_cast<uint32_t>(random()) % span;
  return (static_cast<uint32_t>(random()) & 0x807FFFFF) | e << 23;
}

/// Eight values whose classes are the given tags; k = 10 unless told.
inline spec::Lanes lanes_of(std::array<int, kLanes> tags, int k = 10, uint32_t seed = 1) {
  std::mt19937 random(seed);
  spec::Lanes lanes;
  for (int i = 0; i < kLanes; ++i) lanes[i] = value_of(tags[i], k, random);
  return lanes;
}

inline Beat group_beat(const spec::Lanes& lanes, bool last = false) {
  return {.data = lanes, .last = last};
}

// Groups by their encoded length, all from tags that no bound changes the meaning of.
inline const spec::Lanes kZeroGroup = lanes_of({0, 0, 0, 0, 0, 0, 0, 0});  // 2 bytes
inline const spec::Lanes kRawGroup = lanes_of({3, 3, 3, 3, 3, 3, 3, 3});   // 34
inline const spec::Lanes k31Group = lanes_of({3, 3, 1, 3, 3, 3, 3, 3});    // 31
inline const spec::Lanes k32Group = lanes_of({3, 3, 3, 3, 3, 3, 2, 3});    // 32

/// `bytes` as one packet.
inline std::vector<Beat> packet_of(const std::vector<uint8_t>& bytes) {
  std::vector<Beat> beats;
  for (size_t at = 0; at < bytes.size(); at += 32) {
    beats.push_back(beat_of(bytes, at, std::min<size_t>(32, bytes.size() - at)));
  }
  if (beats.empty()) beats.push_back({.keep = 0});  // a null beat
  beats.back().last = 1;
  return beats;
}

inline std::vector<uint8_t> encode_groups(const std::vector<spec::Lanes>& groups,
                                          CodecConfig config = {}) {
  std::vector<uint8_t> bytes;
  for (const spec::Lanes& lanes : groups) {
    const auto group = spec::encode_group(lanes, config);
    bytes.insert(bytes.end(), group.begin(), group.end());
  }
  return bytes;
}

/// Random packets; a new mood (mix of classes, packet length, rate of faults) every few packets.
class Stimulus {
 public:
  Stimulus(uint32_t seed, CodecConfig config) : random_(seed), config_(config) {}

  /// Packets of floats, some with short tails, bad tkeep, tuser.
  std::vector<Beat> float_packet() {
    change_mood();
    std::vector<Beat> beats(1 + random_() % max_groups_);
    for (Beat& beat : beats) {
      for (uint32_t& v : beat.data) v = value_of(tag_(random_), config_.bound, random_);
    }
    Beat& last = beats.back();
    last.last = 1;
    if (chance(0.5)) last.keep = keep_of_bytes(4 * (1 + static_cast<int>(random_() % 8)));
    if (chance(faults_)) last.user = 1;
    if (chance(faults_)) last.keep = chance(0.2) ? 0 : static_cast<uint32_t>(random_());
    if (chance(faults_)) beats.front().user = 1;
    if (chance(faults_) && !beats.front().last) beats.front().keep = 0;
    return beats;
  }

  /// Packets of encoded groups, some cut short, corrupted, with gaps or null last beats.
  std::vector<Beat> byte_packet() {
    change_mood();
    std::vector<spec::Lanes> groups(1 + random_() % max_groups_);
    for (spec::Lanes& lanes : groups) {
      for (uint32_t& v : lanes) v = value_of(tag_(random_), config_.bound, random_);
    }
    std::vector<uint8_t> bytes = encode_groups(groups, config_);
    if (chance(faults_)) bytes.resize(random_() % (bytes.size() + 1));
    if (chance(faults_)) {
      for (uint8_t& b : bytes) b = chance(0.1) ? static_cast<uint8_t>(random_()) : b;
    }
    std::vector<Beat> beats = packet_of(bytes);
    Beat& last = beats.back();
    if (chance(faults_)) last.user = 1;
    if (chance(faults_)) last.keep &= static_cast<uint32_t>(random_());
    if (chance(faults_)) {  // a null beat ends the packet
      last.last = 0;
      beats.push_back({.keep = static_cast<uint32_t>(random_()) & ~1u, .last = 1});
    }
    if (chance(faults_) && !beats.front().last) beats.front().user = 1;
    if (chance(faults_) && !beats.front().last) beats.front().keep = 0;
    return beats;
  }

  bool chance(double p) { return std::bernoulli_distribution(p)(random_); }
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_()) % n; }

 private:
  void change_mood() {
    if (!chance(0.1)) return;
    static constexpr std::array<std::array<double, 4>, 5> kMixes = {
        {{92, 6.5, 1.5, 0}, {1, 1, 1, 1}, {0, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 1, 30}}};
    const auto& mix = kMixes[below(kMixes.size())];
    tag_ = std::discrete_distribution<int>(mix.begin(), mix.end());
    static constexpr std::array<uint32_t, 4> kLengths = {1, 2, 4, 60};
    max_groups_ = kLengths[below(kLengths.size())];
    faults_ = chance(0.5) ? 0.2 : 0;
  }

  std::mt19937 random_;
  CodecConfig config_;
  std::discrete_distribution<int> tag_{1, 1, 1, 1};
  uint32_t max_groups_ = 4;
  double faults_ = 0;
};

}  // namespace gw::systemc
