// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "sim/base/error.h"
#include "sim/base/random.h"
#include "sim/feeds/gradients.h"

namespace gw::sim {
namespace {

constexpr uint32_t kMssValues = 362;  // 1448-byte segments: MTU 1500 with TCP timestamps
constexpr uint64_t kDefaultPackets = 256;

/// A value of the given biased exponent, random sign and mantissa.
[[gnu::always_inline]] inline uint32_t of_exponent(Random& random, uint32_t exponent) {
  const uint64_t r = random.next();
  return static_cast<uint32_t>((r & 0x807FFFFFu) | (exponent << 23));
}

/// Table III of INCEPTIONN for HDC at 2^-10: 92.0 % ZERO, 6.5 % BYTE, 1.5 % HALF.
uint32_t table3_hdc(Random& random) {
  const uint32_t draw = random.below(1000);
  const uint32_t lowest = draw < 920 ? 80 : draw < 985 ? 117 : 122;
  return of_exponent(random, lowest + random.below(draw < 920 ? 37 : 5));
}

/// Every class and every special value, equally likely.
uint32_t any_class(Random& random) {
  switch (random.below(6)) {
    case 0:
      return of_exponent(random, 0);  // zeros and subnormals
    case 1:
      return of_exponent(random, 1 + random.below(112));  // ZERO for every bound
    case 2:
    case 3:
      return of_exponent(random, 113 + random.below(14));  // ZERO, BYTE or HALF
    case 4:
      return of_exponent(random, 127 + random.below(127));  // RAW
    default:
      return of_exponent(random, 255);  // Inf and NaN
  }
}

uint32_t length_of(Random& random) {
  // Every tail, runs of one-beat packets, and a few of the largest.
  return random.below(8) == 0 ? kMssValues : 1 + random.below(40);
}

/// Packets without a rule: of one kind of value or of a mixture of their own, so that each end of a
/// packet is followed by all kinds of beginnings.
class Irregular {
 public:
  void fill(Random& random, std::vector<uint32_t>& values) {
    // A full group of RAW values, 34 bytes, alone: it ends in a second beat, wherever it starts.
    const bool single_raw = random.below(8) == 0;
    values.resize(single_raw ? 8 : length(random));
    uint32_t sum = 0;
    for (uint32_t& weight : weights_) {
      weight = random.below(3) == 0 ? 1 + random.below(20) : 0;
      sum += weight;
    }
    if (single_raw || sum == 0) {
      weights_.fill(0);
      const size_t only = random.below(kKinds);
      sum = weights_[single_raw ? size_t{kRaw} : only] = 1;
    }
    for (uint32_t& value : values) value = of_kind(random, pick(random.below(sum)));
    // The last group is of one kind, and whole, in half of the packets: so it ends anywhere in a
    // beat, also where it begins at a beat's last byte and reaches into the third.
    if (random.below(2) == 0) {
      const size_t kind = random.below(3) == 0 ? random.below(kKinds) : size_t{kRaw};
      const size_t whole = (values.size() + 7) / 8 * 8;
      values.resize(whole);
      for (size_t i = whole - 8; i < whole; ++i) values[i] = of_kind(random, kind);
    }
  }

 private:
  enum Kind : size_t { kZeros, kByte, kHalf, kRaw, kEdge, kNotANumber, kSubnormal, kAny, kKinds };

  /// 1 to 2,000, short ones as often as long ones.
  static uint32_t length(Random& random) {
    return std::min<uint32_t>(2000, 1 + random.below(1u << random.below(12)));
  }

  size_t pick(uint32_t draw) const {
    size_t kind = 0;
    while (draw >= weights_[kind]) draw -= weights_[kind++];
    return kind;
  }

  static uint32_t of_kind(Random& random, size_t kind) {
    switch (kind) {
      case kZeros:
        return random.below(4) == 0 ? 0x80000000u : 0;
      case kByte:
        return of_exponent(random, 117 + random.below(5));  // at 2^-10
      case kHalf:
        return of_exponent(random, 122 + random.below(5));
      case kRaw:
        return of_exponent(random, 127 + random.below(128));
      case kEdge: {
        // 2^-14 to 1, where one class ends and another begins for some bound, and an ulp beside it.
        const uint32_t edge = (113 + random.below(15)) << 23;
        const uint32_t beside = edge + random.below(3) - 1;
        return beside | random.below(2) << 31;
      }
      case kNotANumber: {
        // Infinities; NaNs quiet and signalling, with payloads of all and of single bits.
        const uint32_t payload = random.below(8) == 0   ? 0
                                 : random.below(2) == 0 ? 1u << random.below(23)
                                                        : random.below(1u << 23);
        return 0x7F800000u | payload | (random.below(2) << 31);
      }
      case kSubnormal:
        return of_exponent(random, 0);
      default:
        return static_cast<uint32_t>(random.next());
    }
  }

  std::array<uint32_t, kKinds> weights_{};
};

class SyntheticGradients final : public Gradients {
 public:
  SyntheticGradients(const std::string& name, uint64_t seed, uint64_t packets)
      : name_(name),
        random_(seed ^ 0x5EEDull),
        left_(packets == 0 ? kDefaultPackets : packets),
        all_(left_) {
    facts_.name = "the synthetic stimulus " + name;
    facts_.trace = {{"synth", name}, {"packets", left_}, {"selected", left_}};
  }

  uint64_t expected() const override { return all_; }

  std::optional<GradientPacket> next() override {
    if (left_ == 0) return std::nullopt;
    --left_;
    GradientPacket packet;
    if (name_ == "irregular") {
      irregular_.fill(random_, packet.values);
      return packet;
    }
    packet.values.resize(name_ == "single"  ? 1 + random_.below(8)
                         : name_ == "mixed" ? length_of(random_)
                                            : kMssValues);
    if (name_ == "gradients") return fill(packet, table3_hdc);
    if (name_ == "uniform") {
      return fill(packet, [](Random& random) { return static_cast<uint32_t>(random.next()); });
    }
    if (name_ == "raw") {
      return fill(packet,
                  [](Random& random) { return of_exponent(random, 127 + random.below(100)); });
    }
    if (name_ == "zeros") return fill(packet, [](Random&) { return 0u; });
    return fill(packet, any_class);
  }

 private:
  template <class Draw>
  GradientPacket fill(GradientPacket& packet, Draw draw) {
    Random random = random_;  // in registers
    for (uint32_t& value : packet.values) value = draw(random);
    random_ = random;
    return std::move(packet);
  }

  std::string name_;
  Random random_;
  Irregular irregular_;
  uint64_t left_, all_;
};

}  // namespace

const std::vector<SynthKind>& synth_kinds() {
  static const std::vector<SynthKind> kKinds = {
      {"gradients", "segments of 362 values with the paper's Table III distribution (HDC, 2^-10)"},
      {"uniform", "uniform bit patterns: mostly RAW and ZERO, NaNs included"},
      {"mixed", "every class equally likely, packets of every length and tail"},
      {"raw", "segments of values of magnitude 1 and above: the 17/16 limit of the port"},
      {"zeros", "segments of zeros: the highest compression there is"},
      {"single", "packets of a single beat back to back, every tail"},
      {"irregular",
       "1 to 2,000 values, the mix of classes another in each packet: edges of all "
       "bounds, NaN payloads, single RAW groups"},
  };
  return kKinds;
}

std::unique_ptr<Gradients> synthesise(const std::string& name, uint64_t seed, uint64_t packets) {
  const auto& kinds = synth_kinds();
  if (std::none_of(kinds.begin(), kinds.end(),
                   [&](const SynthKind& k) { return name == k.name; })) {
    std::string names;
    for (const SynthKind& kind : kinds)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", kind.name);
    throw UsageError(fmt::format("--synth '{}' is unknown; there are {}", name, names));
  }
  return std::make_unique<SyntheticGradients>(name, seed, packets);
}

}  // namespace gw::sim
