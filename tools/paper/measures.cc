// SPDX-License-Identifier: Apache-2.0
#include "tools/paper/measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "models/reference/codec.h"
#include "models/reference/codec_statistics.h"
#include "sim/base/error.h"
#include "tools/capture/sockets.h"
#include "tools/training/codec.h"

namespace gw::paper {
namespace {

using nlohmann::json;
using training::Codec;

double number_at(const json& document, const std::string& pointer) {
  const json::json_pointer where(pointer);
  if (!document.contains(where) || !document[where].is_number()) {
    throw sim::InputError(document.contains("missing") && document["missing"].is_string()
                              ? document["missing"].get<std::string>()
                              : "the report has no number at " + pointer);
  }
  return document[where].get<double>();
}

Codec codec_named(std::string_view spec) {
  const training::CodecResult parsed = training::parse_codec(spec);
  if (!parsed.codec) throw std::logic_error(parsed.error);
  return *parsed.codec;
}

/// A codec of a training document; throws the sentence of one that diverged.
const json& codec_at(const json& document, size_t i) {
  const json& codec = document.at("codecs").at(i);
  if (!codec.at("diverged").is_null()) {
    throw sim::InputError(codec.at("diverged").get<std::string>());
  }
  return codec;
}

double percent_of(const json& codec) { return 100 * codec.at("accuracy").at("mean").get<double>(); }

std::string sigma_of(const json& codec) {
  const json& sigma = codec.at("accuracy").at("sigma");
  const std::string name = codec.at("codec").get<std::string>();
  return sigma.is_null() ? name : fmt::format("{}, sigma {:.2f}", name, 100 * sigma.get<double>());
}

/// blocks[node][block][worker]: how often the worker's gradient is in it.
using Blocks = std::vector<std::vector<std::vector<int>>>;

Blocks own_blocks(size_t nodes) {
  Blocks blocks(nodes, std::vector(nodes, std::vector(nodes, 0)));
  for (size_t node = 0; node < nodes; ++node)
    for (std::vector<int>& block : blocks[node]) block[node] = 1;
  return blocks;
}

bool complete(const std::vector<int>& block) {
  return std::ranges::all_of(block, [](int times) { return times == 1; });
}

/// All nodes send at once the block that `sent` says, and the next one adds or takes it.
void step(Blocks& blocks, bool adds, const std::function<size_t(size_t node)>& sent) {
  const Blocks before = blocks;
  for (size_t node = 0; node < blocks.size(); ++node) {
    const size_t block = sent(node), next = (node + 1) % blocks.size();
    for (size_t worker = 0; worker < blocks.size(); ++worker) {
      int& there = blocks[next][block][worker];
      there = before[node][block][worker] + (adds ? there : 0);
    }
  }
}

/// Lines 9 to 13, with the indices that the project's workers use on real sockets.
Blocks summed_blocks(size_t nodes) {
  Blocks blocks = own_blocks(nodes);
  for (size_t s = 1; s < nodes; ++s) {
    step(blocks, true, [&](size_t node) { return capture::Ring::sent_block(node, nodes, s); });
  }
  return blocks;
}

}  // namespace

Measure computed(std::function<double()> number) {
  return [number = std::move(number)](Documents&, const Row&) { return Ours{.number = number()}; };
}

Measure computed_text(std::function<std::string()> text) {
  return [text = std::move(text)](Documents&, const Row&) { return Ours{.text = text()}; };
}

Measure claim(std::function<std::pair<bool, std::string>()> holds) {
  return [holds = std::move(holds)](Documents&, const Row&) {
    const std::pair<bool, std::string> said = holds();
    return Ours{.verdict = said.first ? Verdict::kHolds : Verdict::kDoesNotHold,
                .why = said.second};
  };
}

Measure cannot_be_asked(std::string why) {
  return [why = std::move(why)](Documents&, const Row&) {
    return Ours{.verdict = Verdict::kCannotBeAsked, .why = why};
  };
}

Measure at(std::string pointer, double scale) {
  return [pointer = std::move(pointer), scale](Documents& documents, const Row& row) {
    return Ours{.number = scale * number_at(documents.of(row.command), pointer)};
  };
}

Measure smallest_at(std::string pointer) {
  return [pointer = std::move(pointer)](Documents& documents, const Row& row) {
    std::optional<double> least;
    for (const json& value : documents.of(row.command).at(json::json_pointer(pointer))) {
      least = std::min(least.value_or(value.get<double>()), value.get<double>());
    }
    if (!least) throw sim::InputError("the report has no numbers at " + pointer);
    return Ours{.number = least};
  };
}

Measure from(std::function<Ours(const json& document)> read) {
  return [read = std::move(read)](Documents& documents, const Row& row) {
    return read(documents.of(row.command));
  };
}

double ratio_by_classes(const papers::inceptionn::Table3Row& row) {
  // A tenth of a percent is a value of each thousand: 8,000 fill whole groups.
  constexpr size_t kEach = 8;
  const reference::CodecConfig config =
      reference::CodecConfig::make(row.k, reference::Mode::kPaper).config.value();
  std::vector<float> values;
  const auto add = [&](double percent, int exponent) {
    values.insert(values.end(), kEach * static_cast<size_t>(std::lround(percent * 10)),
                  std::bit_cast<float>(static_cast<uint32_t>(exponent) << 23));
  };
  add(row.zero, config.byte_from() - 1);
  add(row.byte, config.byte_from());
  add(row.half, config.half_from());
  add(row.raw, 127);
  std::vector<uint8_t> encoded;
  reference::encode(std::span<const float>(values), config, encoded);
  return static_cast<double>(4 * values.size()) / static_cast<double>(encoded.size());
}

double largest_error_by_bound(int k, bool paper_mode) {
  const reference::CodecConfig config =
      reference::CodecConfig::make(k,
                                   paper_mode ? reference::Mode::kPaper : reference::Mode::kBounded)
          .config.value();
  constexpr int kKeptAtMost = 15;  // bits of a mantissa that any class keeps
  std::vector<uint32_t> values;
  for (int exponent = config.byte_from() - 1; exponent <= 127; ++exponent) {
    for (uint32_t kept = 0; kept < 1u << kKeptAtMost; ++kept) {
      values.push_back(static_cast<uint32_t>(exponent) << 23 | kept << (23 - kKeptAtMost) |
                       ((1u << (23 - kKeptAtMost)) - 1));
    }
  }
  reference::CodecStatistics statistics(config);
  statistics.add(std::span<const uint32_t>(values));
  return statistics.error_to_bound();
}

std::string ring_owners(size_t nodes) {
  const Blocks blocks = summed_blocks(nodes);
  std::string owned;
  for (size_t node = 0; node < nodes; ++node) {
    for (size_t block = 0; block < nodes; ++block) {
      if (complete(blocks[node][block])) owned += fmt::format("{} ", block);
    }
  }
  if (!owned.empty()) owned.pop_back();
  return owned;
}

size_t complete_blocks(size_t nodes, bool as_printed) {
  Blocks blocks = summed_blocks(nodes);
  for (size_t s = nodes; s <= 2 * nodes - 2; ++s) {
    step(blocks, false, [&](size_t node) {
      return as_printed ? (node + 2 * nodes - s + 2) % nodes
                        : capture::Ring::sent_block(node, nodes, s);
    });
  }
  size_t count = 0;
  for (const auto& node : blocks)
    count += static_cast<size_t>(std::ranges::count_if(node, complete));
  return count;
}

double zero_share(const json& stats) {
  return 100 * stats.at("tags").at("zero").get<double>() / stats.at("values").get<double>();
}

double largest_multiple() {
  const Codec codec = codec_named("qgt:t=1");
  const auto sender = training::make_sender(codec, 1, 1);
  std::vector<uint8_t> packet;
  std::array<float, 1> got{};
  sender->send(std::array{1e6f}, 0, false, packet);
  training::receive(codec, packet, got);
  return static_cast<double>(got[0]);
}

double bits_of_a_sent_value(std::string_view spec) {
  return static_cast<double>(codec_named(spec).payload_bits(1, 0));
}

double adaptive_share() {
  constexpr size_t kValues = 4096;  // what a device holds at a time
  const auto sender =
      training::make_sender(codec_named("adaptive:p=6"), reference::quant::rows_of(kValues), 1);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(kValues);
  std::vector<uint8_t> packet;
  for (float& value : values) value = uniform(random);
  return static_cast<double>(sender->send(values, 0, false, packet)) / kValues;
}

Measure pe_cycles(std::string algorithm) {
  // Gathering, dispatch, write-back and output; and the 24 in which Adam advances beta^t.
  constexpr double kOutside = 19, kBetaPowers = 24;
  return from([algorithm = std::move(algorithm)](const json& document) {
    for (const json& point : document.at("points")) {
      if (point.at("algorithm") != algorithm || point.at("profile") != "paper") continue;
      const double frame = number_at(point, "/frame_latency_cycles");
      return Ours{.number = frame - kOutside - (algorithm == "adam" ? kBetaPowers : 0),
                  .why = fmt::format("{} cycles of a frame through 32 of them", frame)};
    }
    throw sim::InputError("the sweep has no point of " + algorithm);
  });
}

Measure accuracy_of(size_t codec) {
  return from([codec](const json& document) {
    const json& ours = codec_at(document, codec);
    return Ours{.number = percent_of(ours), .why = sigma_of(ours)};
  });
}

Measure points_over_floats(size_t codec) {
  return from([codec](const json& document) {
    const json& ours = codec_at(document, codec);
    return Ours{.number = percent_of(ours) - percent_of(codec_at(document, 0)),
                .why = sigma_of(ours)};
  });
}

Measure share_of_floats(size_t codec) {
  return from([codec](const json& document) {
    const json &ours = codec_at(document, codec), &floats = codec_at(document, 0);
    return Ours{.number = 100 * ours.at("payload_bytes").get<double>() /
                          floats.at("payload_bytes").get<double>()};
  });
}

Measure most_accuracy_by_byte(std::string method) {
  return from([method = std::move(method)](const json& document) {
    std::string best;
    double most = 0;
    for (size_t i = 1; i < document.at("codecs").size(); ++i) {
      const json& codec = codec_at(document, i);
      const json& rate = codec.at("percent_per_gb");
      if (rate.is_number() && rate.get<double>() > most) {
        most = rate.get<double>();
        best = codec.at("codec").get<std::string>();
      }
    }
    return Ours{.verdict = best.starts_with(method) ? Verdict::kHolds : Verdict::kDoesNotHold,
                .why = fmt::format("{}, {:.0f} % a GB", best, most)};
  });
}

Measure shape_of(std::string shape) {
  return from([shape = std::move(shape)](const json& document) {
    const json& shapes = document.at("preset").at("shapes");
    for (const json& judged : shapes) {
      if (judged.at("shape") != shape) continue;
      const std::string verdict = judged.at("verdict").get<std::string>();
      Ours ours{.why = judged.at("why").get<std::string>()};
      for (const Verdict v : {Verdict::kHolds, Verdict::kDoesNotHold, Verdict::kCannotBeAsked}) {
        if (verdict == verdict_name(v)) ours.verdict = v;
      }
      return ours;
    }
    // Where some run diverged, that is the only shape there is.
    throw sim::InputError(shapes.size() == 1 ? shapes[0].at("why").get<std::string>()
                                             : "the preset does not judge '" + shape + "'");
  });
}

}  // namespace gw::paper
