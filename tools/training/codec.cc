// SPDX-License-Identifier: Apache-2.0
#include "tools/training/codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <boost/endian/conversion.hpp>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "models/reference/baselines.h"
#include "models/reference/quant/decoder.h"
#include "models/reference/quant/values.h"

namespace gw::training {
namespace {

namespace quant = reference::quant;

constexpr const char* kCodecUsage =
    "a codec is none, nocommunication, raw, wgt, bgt, qgt, onebit, onebit-preceding, adaptive, "
    "mxfp8, mxfp4, truncate or inceptionn, as in qgt:t=2^-10, adaptive:p=6, truncate:16, "
    "inceptionn:bound=10,mode=paper";

[[noreturn]] void abort_because(const std::string& what) {
  std::fprintf(stderr, "gw::training: %s\n", what.c_str());
  std::abort();
}

CodecResult refuse(std::string sentence) { return {std::nullopt, std::move(sentence)}; }

CodecResult parse_inceptionn(std::string_view spec, std::string_view keys) {
  int bound = reference::CodecConfig{}.bound_exponent;
  reference::Mode mode = reference::CodecConfig{}.mode;
  while (!keys.empty()) {
    const size_t comma = keys.find(',');
    const std::string_view word = keys.substr(0, comma);
    keys = comma == std::string_view::npos ? std::string_view() : keys.substr(comma + 1);
    if (word.starts_with("bound=")) {
      const std::string_view digits = word.substr(word.starts_with("bound=2^-") ? 9 : 6);
      const auto [end, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), bound);
      if (error != std::errc() || end != digits.data() + digits.size()) {
        return refuse(fmt::format("{} is neither bound=K nor bound=2^-K", word));
      }
    } else if (word.starts_with("mode=")) {
      const auto parsed = reference::parse_mode(word.substr(5));
      if (!parsed) return refuse(fmt::format("{} is neither paper nor bounded", word));
      mode = *parsed;
    } else {
      return refuse(
          fmt::format("'{}' in '{}' is neither bound=K nor mode=paper|bounded", word, spec));
    }
  }
  const auto config = reference::CodecConfig::make(bound, mode);
  if (!config.config) return refuse(config.error);
  return {Codec{.kind = Codec::Kind::kInceptionn,
                .quantiser = {},
                .inceptionn = *config.config,
                .dropped_bits = 0},
          ""};
}

CodecResult parse_truncation(std::string_view spec, std::string_view digits) {
  int bits = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  if (error != std::errc() || end != digits.data() + digits.size() || bits < 1 || bits > 31) {
    return refuse(
        fmt::format("'{}' is not truncate:BITS with 1 to 31 bits, as in truncate:16", spec));
  }
  Codec codec;
  codec.kind = Codec::Kind::kTruncation;
  codec.dropped_bits = bits;
  return {codec, ""};
}

class ExactSender final : public Sender {
 public:
  size_t send(std::span<const float> values, size_t, bool, std::vector<uint8_t>& packet) override {
    packet.resize(values.size() * 4);
    for (size_t i = 0; i < values.size(); ++i) {
      boost::endian::store_little_u32(packet.data() + 4 * i, std::bit_cast<uint32_t>(values[i]));
    }
    return values.size();
  }
};

class InceptionnSender final : public Sender {
 public:
  explicit InceptionnSender(reference::CodecConfig config) : config_(config) {}

  size_t send(std::span<const float> values, size_t, bool, std::vector<uint8_t>& packet) override {
    packet.clear();
    reference::encode(values, config_, packet);
    size_t entries = 0;
    for (const float v : values) {
      entries +=
          reference::encode_value(std::bit_cast<uint32_t>(v), config_).tag != reference::Tag::kZero;
    }
    return entries;
  }

 private:
  reference::CodecConfig config_;
};

class TruncationSender final : public Sender {
 public:
  explicit TruncationSender(int dropped) : dropped_(dropped) {}

  size_t send(std::span<const float> values, size_t, bool, std::vector<uint8_t>& packet) override {
    packet = reference::truncation_encode(values, dropped_);
    return values.size();
  }

 private:
  int dropped_;
};

class QuantiserSender final : public Sender {
 public:
  QuantiserSender(const quant::Config& config, size_t rows, double sum_scale)
      : one_(config), sum_(config), quantiser_(config, rows) {
    if (quant::is_threshold(config.method)) {
      const auto t = quant::round_threshold(static_cast<double>(config.threshold) * sum_scale);
      if (!t) abort_because("T of the sum is out of range");
      sum_.threshold = *t;
    }
  }

  size_t send(std::span<const float> values, size_t row, bool of_sum,
              std::vector<uint8_t>& packet) override {
    quantiser_.configure(of_sum ? sum_ : one_);
    const quant::ChunkReport report = quantiser_.encode(values, static_cast<uint32_t>(row), packet);
    if (report.method != one_.method) abort_because("a chunk did not fit in the residual memory");
    return report.entries;
  }
  std::span<const float> residuals() const override {
    if (!one_.residual) return {};
    return quantiser_.residuals();
  }

 private:
  quant::Config one_, sum_;
  quant::Quantiser quantiser_;
};

class OneBitPrecedingSender final : public Sender {
 public:
  explicit OneBitPrecedingSender(size_t rows)
      : residuals_(rows * quant::kLanes), before_(rows), known_(rows) {}

  size_t send(std::span<const float> values, size_t row, bool,
              std::vector<uint8_t>& packet) override {
    const size_t n = values.size();
    if (row + quant::rows_of(n) > before_.size()) {
      abort_because("a chunk did not fit in the residual memory");
    }
    const std::span<float> r = std::span(residuals_).subspan(row * quant::kLanes, n);
    std::array<uint64_t, 2> sum{};
    std::array<size_t, 2> count{};
    for (size_t i = 0; i < n; ++i) {
      r[i] += values[i];
      const bool negative = r[i] < 0;
      sum[negative] += quant::fixed_point(r[i]);
      ++count[negative];
    }
    const std::array<float, 2> now = {quant::mean_of(sum[0], count[0], false),
                                      quant::mean_of(sum[1], count[1], true)};
    // Nothing precedes the first.
    const std::array<float, 2> mean = known_[row] ? before_[row] : now;
    before_[row] = now;
    known_[row] = true;
    packet.assign(quant::kHeaderBytes + (n + 7) / 8 + quant::kStatusBytes, 0);
    packet[0] = static_cast<uint8_t>(quant::Method::kOneBit);
    const auto put = [&](size_t at, uint32_t word) {
      boost::endian::store_little_u32(packet.data() + at, word);
    };
    put(4, static_cast<uint32_t>(n));
    put(8, std::bit_cast<uint32_t>(mean[0]));
    put(12, std::bit_cast<uint32_t>(mean[1]));
    for (size_t i = 0; i < n; ++i) {
      const bool negative = r[i] < 0;
      if (!negative) packet[quant::kHeaderBytes + i / 8] |= static_cast<uint8_t>(1u << i % 8);
      r[i] -= mean[negative];
    }
    return n;
  }
  std::span<const float> residuals() const override { return residuals_; }

 private:
  std::vector<float> residuals_;
  std::vector<std::array<float, 2>> before_;  // by first row
  std::vector<bool> known_;
};

}  // namespace

bool Codec::has_threshold() const {
  return kind == Kind::kQuantiser && quant::is_threshold(quantiser.method);
}

bool Codec::has_residuals() const {
  return kind == Kind::kOneBitPreceding || (kind == Kind::kQuantiser && quantiser.residual &&
                                            quantiser.method != quant::Method::kRaw);
}

bool Codec::conserves() const {
  return kind == Kind::kExact || has_residuals() ||
         (kind == Kind::kQuantiser && quantiser.method == quant::Method::kRaw);
}

uint64_t Codec::payload_bits(size_t entries, size_t bytes) const {
  switch (kind) {
    case Kind::kNoCommunication:
      return 0;
    case Kind::kExact:
      return 32 * entries;
    case Kind::kInceptionn:
      return 8 * bytes;  // tags are how it says what is sent
    case Kind::kOneBitPreceding:
      return entries;
    case Kind::kTruncation:
      return static_cast<uint64_t>(32 - dropped_bits) * entries;
    case Kind::kQuantiser:
      break;
  }
  switch (quantiser.method) {
    case quant::Method::kRaw:
    case quant::Method::kWgt:
      return 32 * entries;
    case quant::Method::kQgt:
      return 8 * entries;
    case quant::Method::kMxfp8:
    case quant::Method::kMxfp8E5m2:
    case quant::Method::kMxfp4:  // scales and blocks are not optional
      return 8 * (bytes - quant::kHeaderBytes - quant::kStatusBytes);
    default:
      return entries;
  }
}

std::string Codec::text() const {
  switch (kind) {
    case Kind::kExact:
      return "none";
    case Kind::kNoCommunication:
      return "nocommunication";
    case Kind::kInceptionn:
      return fmt::format("inceptionn:bound={},mode={}", inceptionn.bound_exponent,
                         reference::mode_name(inceptionn.mode));
    case Kind::kOneBitPreceding:
      return "onebit-preceding";
    case Kind::kTruncation:
      return fmt::format("truncate:{}", dropped_bits);
    case Kind::kQuantiser:
      break;
  }
  return quant::config_text(quantiser);
}

CodecResult parse_codec(std::string_view spec) {
  const auto plain = [](Codec::Kind kind) {
    return CodecResult{Codec{.kind = kind, .quantiser = {}, .inceptionn = {}, .dropped_bits = 0},
                       ""};
  };
  if (spec == "none") return plain(Codec::Kind::kExact);
  if (spec == "nocommunication") return plain(Codec::Kind::kNoCommunication);
  if (spec == "onebit-preceding") return plain(Codec::Kind::kOneBitPreceding);
  const size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  const std::string_view keys =
      colon == std::string_view::npos ? std::string_view() : spec.substr(colon + 1);
  if (name == "inceptionn") return parse_inceptionn(spec, keys);
  if (name == "truncate") return parse_truncation(spec, keys);
  for (const char* other : {"none", "nocommunication", "onebit-preceding"}) {
    if (name == other) return refuse(fmt::format("{} takes nothing after a colon", name));
  }
  for (size_t i = 0; i < quant::kMethods; ++i) {
    if (name != quant::method_name(static_cast<quant::Method>(i))) continue;
    const quant::ConfigResult parsed = quant::parse_config(spec);
    if (!parsed.config) return refuse(parsed.error);
    return {Codec{.kind = Codec::Kind::kQuantiser,
                  .quantiser = *parsed.config,
                  .inceptionn = {},
                  .dropped_bits = 0},
            ""};
  }
  return refuse(fmt::format("'{}' is no codec: {}", name, kCodecUsage));
}

std::unique_ptr<Sender> make_sender(const Codec& codec, size_t rows, double sum_scale) {
  switch (codec.kind) {
    case Codec::Kind::kExact:
      return std::make_unique<ExactSender>();
    case Codec::Kind::kInceptionn:
      return std::make_unique<InceptionnSender>(codec.inceptionn);
    case Codec::Kind::kQuantiser:
      return std::make_unique<QuantiserSender>(codec.quantiser, rows, sum_scale);
    case Codec::Kind::kOneBitPreceding:
      return std::make_unique<OneBitPrecedingSender>(rows);
    case Codec::Kind::kTruncation:
      return std::make_unique<TruncationSender>(codec.dropped_bits);
    case Codec::Kind::kNoCommunication:
      break;
  }
  abort_because("without communication nobody sends");
}

void receive(const Codec& codec, std::span<const uint8_t> packet, std::span<float> values) {
  if (codec.kind == Codec::Kind::kExact) {
    if (packet.size() != values.size() * 4) abort_because("a packet of the wrong length");
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = std::bit_cast<float>(boost::endian::load_little_u32(packet.data() + 4 * i));
    }
  } else if (codec.kind == Codec::Kind::kInceptionn) {
    const reference::DecodeResult decoded = reference::decode(packet, codec.inceptionn);
    if (decoded.error || decoded.values.size() < values.size()) {
      abort_because("a stream of groups that does not decode");
    }
    std::memcpy(values.data(), decoded.values.data(), values.size() * 4);
  } else if (codec.kind == Codec::Kind::kTruncation) {
    const auto decoded = reference::truncation_decode(packet, codec.dropped_bits, values.size());
    if (!decoded) abort_because("a truncated stream that is too short");
    std::ranges::copy(*decoded, values.begin());
  } else {
    const quant::Decoded decoded = quant::decode_into(packet, values);
    if (!decoded.ok() || decoded.n != values.size()) {
      abort_because(
          fmt::format("a packet that does not decode: {}", quant::reason_sentence(decoded.reason)));
    }
  }
}

}  // namespace gw::training
