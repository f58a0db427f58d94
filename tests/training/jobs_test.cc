// Runs in processes: order, errors, deaths, an early end.
// SPDX-License-Identifier: Apache-2.0
#include "tools/training/jobs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

namespace gw::training::jobs_test {
namespace {

using nlohmann::json;

std::string sentence_of(const std::function<json(size_t, const Note&)>& work) {
  try {
    run_jobs(3, 2, work, {}, {});
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(Jobs, ResultsComeInOrderAndNotesAreHeard) {
  size_t notes = 0;
  const auto results = run_jobs(
      5, 2,
      [](size_t i, const Note& note) {
        note("working");
        std::this_thread::sleep_for(std::chrono::milliseconds(10 * (5 - i)));
        return json{{"i", i}, {"pid", ::getpid()}};
      },
      [&notes](size_t, const std::string& line) { notes += line == "working" ? 1 : 0; }, {});
  ASSERT_EQ(results.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(results[i]["i"], i);
    EXPECT_NE(results[i]["pid"], ::getpid());
  }
  EXPECT_EQ(notes, 5u);
}

TEST(Jobs, AnErrorIsPassedOn) {
  EXPECT_EQ(sentence_of([](size_t i, const Note&) -> json {
              if (i == 1) throw std::runtime_error("there are too few digits");
              return i;
            }),
            "there are too few digits");
}

TEST(Jobs, ADeathIsNoticed) {
  EXPECT_NE(sentence_of([](size_t i, const Note&) -> json {
              if (i == 1) ::raise(SIGKILL);
              return i;
            }).find("died"),
            std::string::npos);
}

TEST(Jobs, EndsWhenTold) {
  const auto began = std::chrono::steady_clock::now();
  const auto results = run_jobs(
      2, 2,
      [](size_t i, const Note&) -> json {
        if (i == 1) std::this_thread::sleep_for(std::chrono::seconds(60));
        return i;
      },
      {},
      [&] { return std::chrono::steady_clock::now() - began < std::chrono::milliseconds(500); });
  EXPECT_EQ(results[0], 0);
  EXPECT_TRUE(results[1].is_null());
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(30));
}

}  // namespace
}  // namespace gw::training::jobs_test
