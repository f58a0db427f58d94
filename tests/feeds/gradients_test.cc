#include "sim/feeds/gradients.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "models/reference/codec_statistics.h"
#include "sim/base/error.h"

namespace gw::sim {
namespace {

reference::CodecStatistics statistics_of(const std::string& kind) {
  reference::CodecStatistics statistics({.bound_exponent = 10, .mode = reference::Mode::kBounded});
  for (const GradientPacket& packet : synthesise(kind, 1, 256).packets)
    statistics.add(packet.values);
  return statistics;
}

TEST(Synthesise, EveryKindIsWhatItSays) {
  using reference::Tag;
  const auto gradients = statistics_of("gradients");
  const double n = static_cast<double>(gradients.values());
  EXPECT_NEAR(static_cast<double>(gradients.count(Tag::kZero)) / n, 0.920, 0.005);
  EXPECT_NEAR(static_cast<double>(gradients.count(Tag::kByte)) / n, 0.065, 0.005);
  EXPECT_NEAR(static_cast<double>(gradients.count(Tag::kHalf)) / n, 0.015, 0.005);
  const auto raw = statistics_of("raw");
  EXPECT_EQ(raw.count(Tag::kRaw), raw.values());
  const auto zeros = statistics_of("zeros");
  EXPECT_EQ(zeros.count(Tag::kZero), zeros.values());
  const auto mixed = statistics_of("mixed");
  for (const Tag tag : {Tag::kZero, Tag::kByte, Tag::kHalf, Tag::kRaw}) {
    EXPECT_GT(mixed.count(tag) * 10, mixed.values()) << static_cast<int>(tag);
  }
}

TEST(Synthesise, SingleHasEveryTail) {
  std::set<size_t> lengths;
  for (const GradientPacket& packet : synthesise("single", 1, 256).packets)
    lengths.insert(packet.values.size());
  EXPECT_EQ(lengths, (std::set<size_t>{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(Synthesise, SameSeedSameValues) {
  const auto a = synthesise("mixed", 5, 10), b = synthesise("mixed", 5, 10),
             c = synthesise("mixed", 6, 10);
  EXPECT_EQ(a.packets[3].values, b.packets[3].values);
  EXPECT_NE(a.packets[3].values, c.packets[3].values);
}

TEST(Synthesise, AnUnknownKindNamesTheKnown) {
  try {
    synthesise("nonsense", 1, 1);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("gradients"), std::string::npos);
  }
}

TEST(LoadTrace, AMissingFileIsOneSentence) {
  EXPECT_THROW(load_trace("/nonexistent.pcap", 0), InputError);
}

}  // namespace
}  // namespace gw::sim
