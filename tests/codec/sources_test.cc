// What the codec's devices are fed with: gradients of a capture or of a named kind, as floats or
// encoded; which packets of a capture.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "models/reference/capture/capture.h"
#include "sim/base/error.h"
#include "sim/feeds/gradients.h"
#include "tests/codec/support.h"

namespace gw::tests::sources_test {
namespace {

std::vector<sim::RawPacket> all_of(sim::Source& source) {
  std::vector<sim::RawPacket> packets;
  while (auto packet = source.next()) packets.push_back(std::move(*packet));
  return packets;
}

std::vector<sim::RawPacket> source_of(const std::string& name, const sim::StimulusSpec& stimulus,
                                      Settings settings = {}) {
  sim::RunSpec spec = spec_of(name, settings);
  spec.stimulus = stimulus;
  return all_of(*device(name).source(spec));
}

std::string trace(const char* name) {
  return std::string(GRADWIRE_SOURCE_DIR) + "/traces/" + name + ".pcap";
}

TEST(Sources, FloatsForTheCompressorGroupsForTheDecompressor) {
  const sim::StimulusSpec stimulus{.synth = "mixed", .packets = 50};
  const auto plain = source_of("compressor", stimulus, {{"bound", "7"}, {"mode", "paper"}});
  const auto packed = source_of("decompressor", stimulus, {{"bound", "7"}, {"mode", "paper"}});
  const auto looped = source_of("codec_loop", stimulus, {{"bound", "7"}, {"mode", "paper"}});
  const reference::CodecConfig config{.bound_exponent = 7, .mode = reference::Mode::kPaper};
  const auto gradients = sim::synthesise("mixed", seed(), 50);
  const std::vector<sim::GradientPacket> expected = sim::read_all(*gradients);
  ASSERT_EQ(plain.size(), 50u);
  ASSERT_EQ(packed.size(), 50u);
  ASSERT_EQ(looped.size(), 50u);
  for (size_t p = 0; p < 50; ++p) {
    EXPECT_EQ(plain[p].bytes, floats(expected[p].values));
    EXPECT_EQ(looped[p].bytes, plain[p].bytes);
    EXPECT_EQ(packed[p].bytes, encoded(expected[p].values, config));
    EXPECT_EQ(packed[p].values, expected[p].values) << "what they stand for";
    for (const auto* packet : {&plain[p], &packed[p], &looped[p]}) {
      EXPECT_FALSE(packet->own_config) << "the same for all packets of the run";
      EXPECT_FALSE(packet->error);
    }
  }
}

TEST(Sources, OfACaptureWithThePacketsNumbers) {
  const auto capture = capture::read(trace("hdc-ring-early"));
  ASSERT_TRUE(capture);
  const capture::Selection selection = capture::select(*capture);
  const auto packets = source_of("compressor", {.trace = trace("hdc-ring-early")});
  ASSERT_EQ(packets.size(), selection.payloads.size());
  ASSERT_EQ(packets.size(), 647u);  // traces/manifest.json
  for (size_t p = 0; p < packets.size(); ++p) {
    const capture::GradientPayload& payload = selection.payloads[p];
    EXPECT_EQ(packets[p].trace_number, payload.packet);
    ASSERT_EQ(packets[p].bytes.size(), payload.floats() * 4);
    EXPECT_EQ(std::memcmp(packets[p].bytes.data(), payload.bytes.data(), packets[p].bytes.size()),
              0);
  }
  EXPECT_EQ(source_of("compressor", {.trace = trace("hdc-ring-early"), .packets = 5}).size(), 5u);
}

TEST(Sources, AFilterSaysWhichPackets) {
  // The two flows of the capture: traces/manifest.json.
  const std::string path = trace("hdc-ring-early");
  const auto all = source_of("compressor", {.trace = path});
  const auto one = source_of("compressor", {.trace = path, .filter = "dst host 10.77.0.3"});
  const auto two = source_of("compressor", {.trace = path, .filter = "dst host 10.77.0.2"});
  EXPECT_EQ(one.size(), 357u);
  // A filter stands in the place of the mark: two messages of the connection without it are taken,
  // too.
  EXPECT_EQ(two.size(), 292u);
  EXPECT_EQ(one.size() + two.size(), all.size() + 2);
  size_t at = 0;
  for (const auto& packet : all) {
    if (at < one.size() && one[at].trace_number == packet.trace_number) {
      EXPECT_EQ(one[at++].bytes, packet.bytes);
    }
  }
  EXPECT_EQ(at, one.size()) << "a part of all, in order";

  const auto message = [&](const std::string& filter) -> std::string {
    try {
      source_of("compressor", {.trace = path, .filter = filter});
    } catch (const sim::UserError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message("dst hosts 10"), "");
  EXPECT_NE(message("tcp port 9").find("holds no packet with gradients for this filter"),
            std::string::npos)
      << message("tcp port 9");
}

TEST(Sources, WhatIsNotThere) {
  EXPECT_THROW(source_of("compressor", {.trace = "/nonexistent.pcap"}), sim::InputError);
  EXPECT_THROW(source_of("decompressor", {.synth = "nonsense"}), sim::UsageError);
  // Frames of a switch carry no marked gradients.
  EXPECT_THROW(source_of("compressor", {.trace = trace("expether-workers")}), sim::InputError);
}

}  // namespace
}  // namespace gw::tests::sources_test
