// gradwire-capture steps: what is written is what the training made.
// SPDX-License-Identifier: Apache-2.0
#include "tools/capture/steps.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "models/reference/capture/capture.h"
#include "tests/sanitized.h"
#include "tests/training/mnist.h"
#include "tools/training/codec.h"
#include "tools/training/trainer.h"

namespace gw::capture::testing::steps_test {
namespace {

std::string steps_file() { return ::testing::TempDir() + "steps_test.pcap"; }

/// What else is drawn; for sanitizers a folder of fewer images.
std::string data() {
  if (!tests::kSanitized) return "";
  const std::string folder = ::testing::TempDir() + "steps_test";
  training::write_mnist(folder, 500);
  return folder;
}

TEST(Steps, AreTheGradientsOfTheTraining) {
  StepsOptions o;
  o.file = steps_file();
  o.seed = 3;
  o.worker = 2;
  o.first_iteration = 2;
  o.iterations = 2;
  o.first_value = 392'500;
  o.values = 728;  // two whole packets and a short one
  o.data = data();
  write_steps(o);

  training::TrainOptions options;
  options.iterations = 3;
  options.rate_every = 266;
  options.evaluations = 1;
  std::vector<float> expected;
  options.tap = [&](size_t t, std::span<const std::vector<float>> gradients) {
    if (t < o.first_iteration) return;
    const auto slice = std::span(gradients[o.worker]).subspan(o.first_value, o.values);
    expected.insert(expected.end(), slice.begin(), slice.end());
  };
  const auto digits =
      o.data.empty() ? training::draw_digits(8000, 2000, o.seed) : training::load_mnist(o.data);
  training::train(options, *training::parse_codec("none").codec, o.seed, digits, {});
  ASSERT_EQ(expected.size(), 2 * o.values);

  const auto read_back = read(o.file);
  ASSERT_TRUE(read_back) << read_back.error().sentence;
  const Selection selection = select(*read_back);
  ASSERT_EQ(selection.payloads.size(), 6u);
  std::vector<float> values;
  std::vector<size_t> lengths;
  for (const GradientPayload& packet : selection.payloads) {
    lengths.push_back(packet.bytes.size() / sizeof(float));
    values.resize(values.size() + lengths.back());
    std::memcpy(&values[values.size() - lengths.back()], packet.bytes.data(), packet.bytes.size());
  }
  EXPECT_EQ(lengths, (std::vector<size_t>{360, 360, 8, 360, 360, 8}));
  ASSERT_EQ(values.size(), expected.size());
  EXPECT_EQ(std::memcmp(values.data(), expected.data(), values.size() * sizeof(float)), 0);
  std::filesystem::remove(o.file);
  if (!o.data.empty()) std::filesystem::remove_all(o.data);
}

TEST(Steps, RefuseWhatIsNotThereBeforeAnythingIsWritten) {
  const auto refused = [](auto change) {
    StepsOptions o;
    o.file = steps_file();
    o.data = data();
    change(o);
    EXPECT_THROW(write_steps(o), std::runtime_error);
    EXPECT_FALSE(std::filesystem::exists(o.file));
  };
  refused([](StepsOptions& o) { o.values = 12; });
  refused([](StepsOptions& o) { o.values = 0; });
  refused([](StepsOptions& o) { o.first_value = 1'149'008; });
  refused([](StepsOptions& o) { o.first_value = ~size_t{0}; });
  refused([](StepsOptions& o) { o.first_iteration = 0; });
  refused([](StepsOptions& o) { o.first_iteration = 1'320; });
  refused([](StepsOptions& o) { o.data = "no/such/folder"; });
  refused([](StepsOptions& o) { o.file = "no/such/folder/x.pcap"; });
  if (tests::kSanitized) std::filesystem::remove_all(data());
}

}  // namespace
}  // namespace gw::capture::testing::steps_test
