// The gradient exchange that is captured: does every worker end with the sum of all?
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "tools/capture/sockets.h"

namespace gw::capture::ring_test {
namespace {

TEST(Ring, BlocksCoverEverythingOnce) {
  for (const std::size_t floats : {0, 1, 3, 4, 1149010}) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const Range block = block_of(floats, 4, i);
      EXPECT_EQ(block.first, next);
      next += block.count;
    }
    EXPECT_EQ(next, floats);
  }
}

TEST(Ring, StepsAreThoseOfFigure6) {
  // Worker 0 sends blk[0] first; in step 4 worker 3 sends blk[0], complete, to worker 0.
  EXPECT_EQ(Ring::sent_block(0, 4, 1), 0u);
  EXPECT_EQ(Ring::sent_block(3, 4, 4), 0u);
  for (std::size_t step = 1; step <= 6; ++step) {
    std::set<std::size_t> blocks;
    for (std::size_t rank = 0; rank < 4; ++rank) blocks.insert(Ring::sent_block(rank, 4, step));
    EXPECT_EQ(blocks.size(), 4u);
  }
}

TEST(Ring, EveryWorkerEndsWithTheSum) {
  const std::vector<std::string> addresses{"127.77.0.1", "127.77.0.2", "127.77.0.3", "127.77.0.4"};
  constexpr std::size_t kFloats = 100003;
  std::vector<std::vector<float>> gradients(addresses.size());
  std::vector<std::string> errors(addresses.size());
  std::vector<std::thread> workers;
  for (std::size_t rank = 0; rank < addresses.size(); ++rank) {
    workers.emplace_back([&, rank] {
      try {
        auto& gradient = gradients[rank];
        for (std::size_t i = 0; i < kFloats; ++i) {
          gradient.push_back(static_cast<float>((i + 1) * (rank + 1) % 1000));
        }
        Ring ring(rank, addresses, 0x28);
        ring.connect();
        ring.all_reduce(gradient);
      } catch (const std::exception& e) {
        errors[rank] = e.what();
      }
    });
  }
  for (auto& worker : workers) worker.join();
  for (const auto& error : errors) ASSERT_EQ(error, "");
  for (std::size_t i = 0; i < kFloats; ++i) {
    float sum = 0;
    for (std::size_t rank = 1; rank <= addresses.size(); ++rank) {
      sum += static_cast<float>((i + 1) * rank % 1000);
    }
    for (const auto& gradient : gradients) ASSERT_EQ(gradient[i], sum) << i;
  }
}

}  // namespace
}  // namespace gw::capture::ring_test
