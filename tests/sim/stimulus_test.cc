#include "sim/stimulus.h"

#include <gtest/gtest.h>

#include <numeric>

namespace gw::sim {
namespace {

TEST(BeatStream, CutsBytesIntoBeatsAndBack) {
  for (size_t n = 1; n <= 100; ++n) {
    std::vector<uint8_t> bytes(n);
    std::iota(bytes.begin(), bytes.end(), uint8_t{1});
    BeatStream stream;
    stream.append_bytes(bytes);
    ASSERT_EQ(stream.beats.size(), (n + 31) / 32);
    for (size_t i = 0; i < stream.beats.size(); ++i) {
      EXPECT_EQ(stream.beats[i].last, i + 1 == stream.beats.size());
      if (!stream.beats[i].last) EXPECT_EQ(stream.beats[i].keep, kKeepAll);
    }
    EXPECT_EQ(packet_bytes(stream.beats), bytes);
    EXPECT_EQ(stream.bytes(stream.beats.size()), n);
  }
}

TEST(BeatStream, KnowsThePacketOfABeat) {
  BeatStream stream;
  const std::vector<uint8_t> one(32), three(96), two(40);
  stream.append_bytes(one);
  stream.append_bytes(three);
  stream.append_bytes(two, true);
  const std::vector<size_t> packets = {0, 1, 1, 1, 2, 2};
  for (size_t beat = 0; beat < packets.size(); ++beat)
    EXPECT_EQ(stream.packet_of(beat), packets[beat]);
  EXPECT_EQ(stream.packet_end(1), 4u);
  EXPECT_EQ(stream.packet_end(2), 6u);
  EXPECT_EQ(stream.beats.back().user, 1);
  EXPECT_EQ(stream.beats[4].user, 0);
}

TEST(Beat, KeepAndBytesAreInverse) {
  for (int n = 0; n <= 32; ++n) EXPECT_EQ(bytes_of_keep(keep_of_bytes(n)), n);
}

}  // namespace
}  // namespace gw::sim
