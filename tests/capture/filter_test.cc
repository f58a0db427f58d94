// Filters as libpcap's users write them.
// SPDX-License-Identifier: Apache-2.0
#include "models/reference/capture/filter.h"

#include <gtest/gtest.h>

#include "tests/capture/frames.h"

namespace gw::capture::testing::filter_test {
namespace {

/// Numbers of the packets that match.
std::vector<std::uint64_t> matching(const std::string& expression, const Capture& capture) {
  const auto filter = Filter::compile(expression);
  EXPECT_TRUE(filter) << expression;
  std::vector<std::uint64_t> numbers;
  for (const Packet& packet : capture.packets) {
    if (filter->matches(packet)) numbers.push_back(packet.number);
  }
  return numbers;
}

using Numbers = std::vector<std::uint64_t>;

TEST(Filter, TakesWhatTheExpressionSays) {
  const Capture c =
      capture_of({tcp_frame(1, ramp(8)), udp_frame(ramp(8)), ethernet(ramp(46), 0x0806),
                  ethernet(ramp(46), 0x88B5, {{0x8100, 0xE00A}}), udp_frame(ramp(500))});
  EXPECT_EQ(matching("tcp", c), (Numbers{1}));
  EXPECT_EQ(matching("udp dst port 5000", c), (Numbers{2, 5}));
  EXPECT_EQ(matching("arp", c), (Numbers{3}));
  EXPECT_EQ(matching("vlan 10", c), (Numbers{4}));  // priority bits do not matter
  EXPECT_EQ(matching("vlan 11", c), Numbers{});
  EXPECT_EQ(matching("ether proto 0x88b5", c), Numbers{});  // a tag is in the way ...
  EXPECT_EQ(matching("vlan and ether proto 0x88b5", c), (Numbers{4}));
  EXPECT_EQ(matching("ip[1] = 0x28 and not tcp", c), (Numbers{2, 5}));
  EXPECT_EQ(matching("greater 500", c), (Numbers{5}));
  EXPECT_EQ(matching("", c), (Numbers{1, 2, 3, 4, 5}));
}

TEST(Filter, LengthIsThatOnTheWire) {
  Capture c = capture_of({udp_frame(ramp(500))});
  c.packets[0].bytes.resize(60);
  EXPECT_EQ(matching("greater 500", c), (Numbers{1}));
  c.packets[0].bytes.clear();  // nothing was kept: no byte can match
  EXPECT_EQ(matching("udp", c), Numbers{});
}

TEST(Filter, RefusesWithTheLibrarysWords) {
  for (const char* wrong : {"tcp prot", "((", "port 99999", "ip["}) {
    const auto filter = Filter::compile(wrong);
    ASSERT_FALSE(filter) << wrong;
    const std::string sentence = filter.error().sentence;
    EXPECT_TRUE(sentence.starts_with("'" + std::string(wrong) + "' is no capture filter: "))
        << sentence;
    EXPECT_GT(sentence.size(), std::string(wrong).size() + 35) << sentence;
  }
}

TEST(Filter, CanBeMoved) {
  auto made = Filter::compile("udp");
  ASSERT_TRUE(made);
  const Filter moved = std::move(made).value();
  EXPECT_TRUE(moved.matches(capture_of({udp_frame(ramp(8))}).packets[0]));
}

}  // namespace
}  // namespace gw::capture::testing::filter_test
