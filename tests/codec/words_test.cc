// Beats in words, for the report of a divergence.
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/codec/words.h"

#include "tests/codec/support.h"

namespace gw::tests::words_test {
namespace {

using testbenches::describe_encoded;
using testbenches::describe_floats;

TEST(Words, GroupsThatBeginInABeat) {
  // Lanes of 0, 2^-9, 2^-3 and pi: ZERO, BYTE, HALF and RAW at 2^-10, 2 + 2 * (1 + 2 + 4) bytes.
  const Values mixed = {0, 0x3B000000, 0x3E000000, 0x40490FDB,
                        0, 0x3B000000, 0x3E000000, 0x40490FDB};
  Values values(8, 0);                                      // group 0: 2 bytes
  values.insert(values.end(), mixed.begin(), mixed.end());  // group 1 at 2
  values.insert(values.end(), 8, 0x40490FDB);               // group 2 at 18, 34 bytes: to 52
  values.insert(values.end(), 8, 0);                        // group 3 at 52
  const auto packet = sim::make_packet<Beat>(encoded(values));
  ASSERT_EQ(packet->beats.size(), 2u);
  EXPECT_EQ(describe_encoded(*packet, 0),
            "32 bytes, group 0 at 0 ZZZZZZZZ (2), group 1 at 2 ZBHRZBHR (16), "
            "group 2 at 18 RRRRRRRR (34)");
  EXPECT_EQ(describe_encoded(*packet, 1), "22 bytes, group 3 at 20 ZZZZZZZZ (2)");
}

TEST(Words, ABeatInWhichNoGroupBegins) {
  const auto packet = sim::make_packet<Beat>(encoded(Values(16, 0x40490FDB)));  // 68 bytes
  ASSERT_EQ(packet->beats.size(), 3u);
  EXPECT_EQ(describe_encoded(*packet, 0), "32 bytes, group 0 at 0 RRRRRRRR (34)");
  EXPECT_EQ(describe_encoded(*packet, 1), "32 bytes, group 1 at 2 RRRRRRRR (34)");
  EXPECT_EQ(describe_encoded(*packet, 2), "4 bytes");
}

TEST(Words, AnyBytesWillDo) {
  sim::Random random(seed());
  for (int i = 0; i < 500; ++i) {
    const auto packet = sim::make_packet<Beat>(random_bytes(1 + random.below(130), random));
    for (size_t beat = 0; beat < packet->beats.size(); ++beat) {
      EXPECT_NE(describe_encoded(*packet, beat).find(" bytes"), std::string::npos);
      EXPECT_EQ(describe_floats(*packet, beat).substr(0, 6), "floats");
    }
  }
}

TEST(Words, LanesThatAreNotThere) {
  // 1.5, -2, and half of a third: tkeep leaves it out.
  Bytes bytes = floats({0x3FC00000, 0xC0000000, 0x40490FDB});
  bytes.resize(10);
  const auto packet = sim::make_packet<Beat>(bytes);
  const std::string gap = "            -";
  EXPECT_EQ(describe_floats(*packet, 0),
            "floats          1.5           -2" + gap + gap + gap + gap + gap + gap);
}

}  // namespace
}  // namespace gw::tests::words_test
