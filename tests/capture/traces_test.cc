// The committed captures are what the manifest says.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "models/reference/expether/frame.h"
#include "tests/capture/frames.h"

namespace gw::capture::testing::traces_test {
namespace {

const std::filesystem::path kTraces = std::filesystem::path(GRADWIRE_SOURCE_DIR) / "traces";

nlohmann::json manifest() {
  std::ifstream file(kTraces / "manifest.json");
  return nlohmann::json::parse(file);
}

/// Those of gradients that were really captured.
std::vector<nlohmann::json> captured() {
  std::vector<nlohmann::json> out;
  const nlohmann::json all = manifest();
  for (const auto& entry : all.at("captures")) {
    if (entry.at("kind") == "captured" && entry.value("traffic", "gradients") == "gradients") {
      out.push_back(entry);
    }
  }
  EXPECT_FALSE(out.empty());
  return out;
}

TEST(Traces, AreAllThere) {
  std::set<std::string> names;
  for (const auto& entry : captured()) names.insert(entry.at("name"));
  for (const char* name : {"hdc-ring-early", "hdc-ring-middle", "hdc-ring-late", "mixed"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(Traces, CountsAreThoseOfTheManifest) {
  for (const auto& entry : captured()) {
    SCOPED_TRACE(entry.at("name"));
    const auto capture = read(kTraces / entry.at("file").get<std::string>());
    ASSERT_TRUE(capture) << capture.error().sentence;
    EXPECT_FALSE(capture->damage);
    const Info i = info(*capture);
    EXPECT_EQ(i.packets, entry.at("packets"));
    EXPECT_EQ(i.marked, entry.at("marked_packets"));
    EXPECT_EQ(i.selected, entry.at("selected_packets"));
    EXPECT_EQ(i.selected_bytes, entry.at("selected_bytes"));
    EXPECT_EQ(i.skipped, (entry.at("skipped").get<std::map<std::string, std::uint64_t>>()));
    EXPECT_EQ(i.bad_checksums, 0u);
    EXPECT_EQ(i.snapped, 0u);
    EXPECT_LE(entry.at("bytes").get<std::uint64_t>(), 1000000u);
    for (const auto& p : capture->packets) EXPECT_LE(p.original_length, 1514u);
  }
}

TEST(Traces, BeginWithTheConnectionsSetUp) {
  for (const auto& entry : captured()) {
    SCOPED_TRACE(entry.at("name"));
    const auto capture = read(kTraces / entry.at("file").get<std::string>());
    ASSERT_TRUE(capture);
    const Selection s = select(*capture);
    EXPECT_EQ(s.skipped[Skip::kNoStreamStart], 0u);
    const auto syns =
        std::count_if(capture->packets.begin(), capture->packets.end(), [](const Packet& p) {
          return p.layers.tcp && p.layers.tcp->syn && p.layers.ipv4->tos == 0x28;
        });
    for (const auto& flow : s.flows) {
      if (flow.marked == 0) continue;
      EXPECT_TRUE(flow.first_sequence) << flow.key.to_string();
    }
    EXPECT_GE(syns, 4);  // SYN and SYN-ACK of both of the ring's connections
  }
}

TEST(Traces, CoverEveryRingStepOfBothFlowsAndEveryLayer) {
  constexpr std::array<std::size_t, 5> kLayers{392500, 250500, 250500, 250500, 5010};
  for (const auto& entry : captured()) {
    SCOPED_TRACE(entry.at("name"));
    const auto capture = read(kTraces / entry.at("file").get<std::string>());
    ASSERT_TRUE(capture);
    const Selection s = select(*capture);
    std::set<std::size_t> layers;
    for (const auto& ring_flow : entry.at("ring_flows")) {
      std::set<std::size_t> steps;
      for (const auto& p : s.payloads) {
        const FlowKey& key = s.flows[p.flow].key;
        if (ipv4_to_string(key.source_ip) != ring_flow.at("source").get<std::string>() ||
            ipv4_to_string(key.destination_ip) != ring_flow.at("destination").get<std::string>()) {
          continue;
        }
        std::uint64_t start = 0;
        for (const auto& step : ring_flow.at("steps")) {
          const std::uint64_t bytes = step.at("bytes");
          if (p.stream_offset >= start && p.stream_offset < start + bytes) {
            steps.insert(step.at("step").get<std::size_t>());
            std::size_t parameter =
                step.at("first_parameter").get<std::size_t>() + (p.stream_offset - start) / 4;
            std::size_t layer = 0;
            while (layer < kLayers.size() && parameter >= kLayers[layer]) {
              parameter -= kLayers[layer++];
            }
            layers.insert(layer);
          }
          start += bytes;
        }
      }
      EXPECT_EQ(steps, (std::set<std::size_t>{1, 2, 3, 4, 5, 6})) << ring_flow.at("name");
    }
    EXPECT_EQ(layers, (std::set<std::size_t>{0, 1, 2, 3, 4}));
  }
}

TEST(Traces, HoldGradients) {
  // The paper's observation (section III-B): nearly all values are small; a misaligned stream would
  // look random.
  for (const auto& entry : captured()) {
    SCOPED_TRACE(entry.at("name"));
    const auto capture = read(kTraces / entry.at("file").get<std::string>());
    ASSERT_TRUE(capture);
    std::uint64_t values = 0, below_one = 0, not_zero = 0;
    for (const auto& p : select(*capture).payloads) {
      for (const float v : p.values()) {
        ++values;
        below_one += std::fabs(v) < 1.0f;
        not_zero += v != 0.0f;
      }
    }
    EXPECT_GT(values, 100000u);
    EXPECT_GT(below_one, values * 999 / 1000);
    EXPECT_GT(not_zero, values / 10);
  }
}

TEST(Traces, ExpEtherHoldsWhatTheManifestSays) {
  namespace expether = reference::expether;
  std::set<std::string> names;
  const nlohmann::json all = manifest();
  for (const auto& entry : all.at("captures")) {
    if (entry.value("traffic", "gradients") != "expether") continue;
    SCOPED_TRACE(entry.at("name"));
    names.insert(entry.at("name"));
    EXPECT_EQ(entry.at("kind"), "synthesised");
    const auto capture = read(kTraces / entry.at("file").get<std::string>());
    ASSERT_TRUE(capture) << capture.error().sentence;
    EXPECT_FALSE(capture->damage);
    EXPECT_EQ(capture->precision, Precision::kNanoseconds);
    EXPECT_EQ(capture->packets.size(), entry.at("packets"));
    EXPECT_LE(entry.at("bytes").get<std::uint64_t>(), 150000u);
    std::map<std::string, std::uint64_t> kinds, reasons;
    for (const auto& p : capture->packets) {
      const auto what = expether::classify(p.bytes);
      ++kinds[std::string(name_of(what.kind))];
      if (what.kind == expether::Kind::kMalformed) ++reasons[std::string(name_of(what.reason))];
    }
    EXPECT_EQ(kinds, (entry.at("frames").get<std::map<std::string, std::uint64_t>>()));
    EXPECT_EQ(reasons, (entry.at("malformed").get<std::map<std::string, std::uint64_t>>()));
    EXPECT_EQ(info(*capture).marked, 0u);  // nothing that the codec's devices would take
  }
  EXPECT_EQ(names, (std::set<std::string>{"expether-workers", "expether-faults"}));
}

TEST(Traces, StepsAreTheSameRowsInEachIteration) {
  const nlohmann::json all = manifest();
  nlohmann::json entry;
  for (const auto& e : all.at("captures")) {
    if (e.at("name") == "hdc-steps") entry = e;
  }
  ASSERT_FALSE(entry.is_null());
  const auto capture = read(kTraces / entry.at("file").get<std::string>());
  ASSERT_TRUE(capture) << capture.error().sentence;
  EXPECT_FALSE(capture->damage);
  const Info i = info(*capture);
  EXPECT_EQ(i.packets, entry.at("packets"));
  EXPECT_EQ(i.selected, i.packets);
  EXPECT_EQ(i.bad_checksums, 0u);
  EXPECT_EQ(i.flows.size(), 1u);
  const size_t iterations = entry.at("iterations"), values = entry.at("values");
  const size_t each = capture->packets.size() / iterations;
  EXPECT_EQ(i.selected_bytes, 4 * iterations * values);
  std::vector<size_t> lengths;
  for (size_t p = 0; p < capture->packets.size(); ++p) {
    const size_t length = capture->packets[p].original_length;
    if (p < each) lengths.push_back(length);
    EXPECT_EQ(length, lengths[p % each]) << "packet " << p + 1;
  }
}

TEST(Traces, MixedHoldsOtherTraffic) {
  const auto capture = read(kTraces / "mixed.pcap");
  ASSERT_TRUE(capture);
  const Info i = info(*capture);
  EXPECT_GE(i.arp, 1u);
  EXPECT_GE(i.other_transport, 1u);  // ping
  EXPECT_GE(std::count_if(i.flows.begin(), i.flows.end(),
                          [](const Flow& f) { return f.marked == 0 && f.payload_bytes > 10000; }),
            1);  // the file copy
}

}  // namespace
}  // namespace gw::capture::testing::traces_test
