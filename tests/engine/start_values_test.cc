// What RTL starts with that nothing sets follows from seed and name, whatever else a build can do.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "testbenches/library/library.h"
#include "testbenches/library/start_text.h"
#include "tests/engine/requests.h"
#include "tests/engine/support.h"

namespace gw::testbenches::start_values_test {
namespace {

using Shown = std::array<uint64_t, 4>;

RtlRequest starts_request() {
  RtlRequest request;
  request.top = "starts";
  request.list = GRADWIRE_SOURCE_DIR "/tests/engine/starts.f";
  request.shape = one_stream(1, 1);
  request.shape.any_pins = true;
  request.compile_options = {"-O0"};  // soon built
  return request;
}

std::shared_ptr<RtlLibrary> build(const RtlRequest& request) {
  return rtl_library(request, {.cache = GW_TEST_CACHE});
}

/// What the top shows before the first edge, and after each of three.
std::vector<Shown> shown_by(const RtlLibrary& library, uint64_t seed) {
  const GwEngine* const e = library.engine();
  void* const self = e->make(seed, nullptr);
  const GwOutputs* const out = e->outputs(self);
  std::vector<Shown> all;
  for (int edge = 0; edge < 4; ++edge) {
    all.push_back({out->probe, out->probe_more[0], out->probe_more[1], out->probe_more[2]});
    e->reset(self);
  }
  e->drop(self);
  return all;
}

TEST(StartValues, AreTheSameInEveryBuild) {
  std::map<std::string, RtlRequest> requests;
  for (const char* name : {"plain", "waves", "line", "toggle", "state", "no assertions"}) {
    requests[name] = starts_request();
  }
  requests["waves"].traced = true;
  requests["line"].coverage = {"line", "user"};
  requests["toggle"].coverage = {"toggle"};
  requests["state"].state = true;
  requests["no assertions"].assertions = false;
  const std::shared_ptr<RtlLibrary> plain = build(requests["plain"]);
  std::set<Shown> different;
  for (uint64_t seed = 0; seed < 64; ++seed) different.insert(shown_by(*plain, seed).front());
  EXPECT_EQ(different.size(), 64u);
  for (const auto& [name, request] : requests) {
    const std::shared_ptr<RtlLibrary> library = build(request);
    const auto facts = nlohmann::json::parse(library->engine()->describe());
    EXPECT_EQ(facts.at("start_values"), "seed and name") << name;
    EXPECT_EQ(facts.at("assertions"), name != "no assertions") << name;
    for (const uint64_t seed : {0u, 1u, 2u, 3u, 4u, 1000u}) {
      EXPECT_EQ(shown_by(*library, seed), shown_by(*plain, seed)) << name << ", seed " << seed;
    }
  }
}

TEST(StartValues, EachBitIsSetWithAboutHalfOfTheSmallSeedsAndNoneGoWithAnother) {
  const std::shared_ptr<RtlLibrary> plain = build(starts_request());
  constexpr int kSeeds = 64, kBits = 256;
  std::array<uint64_t, kBits> seeds_of{};  // bit s: set with seed s
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Shown shown = shown_by(*plain, seed).front();
    for (size_t bit = 0; bit < kBits; ++bit) {
      seeds_of[bit] |= (shown[bit / 64] >> bit % 64 & 1) << seed;
    }
  }
  std::set<uint64_t> different;
  for (size_t bit = 0; bit < kBits; ++bit) {
    EXPECT_GT(std::popcount(seeds_of[bit]), 12) << bit;
    EXPECT_LT(std::popcount(seeds_of[bit]), 52) << bit;
    different.insert(seeds_of[bit]);
  }
  EXPECT_EQ(different.size(), size_t{kBits});
}

TEST(StartValues, AssertionsStopTheRtlUnlessTheyAreLeftOut) {
  for (const bool traced : {false, true}) {
    for (const bool assertions : {true, false}) {
      if (traced && !assertions) continue;
      RtlRequest request = starts_request();
      request.traced = traced;
      request.assertions = assertions;
      const std::shared_ptr<RtlLibrary> library = build(request);
      OneStream engine(library->engine());
      engine.start();
      engine.clock(nullptr, true);
      Beat beat{};
      beat.keep = 0;
      engine.clock(&beat, true);
      engine.clock(nullptr, true);
      EXPECT_EQ(engine.failure().find("no byte is kept") != std::string::npos, assertions)
          << engine.failure();
    }
  }
}

TEST(StartText, NamesAreTheHierarchysWhereverAVariableIs) {
  const StartText whole = seeded_start(
      "    vlSelf->top__DOT__gen__BRA__1__KET____DOT__q = VL_RAND_RESET_I(7);\n"
      "    for (int i = 0; i < 3; ++i) {\n"
      "        VL_RAND_RESET_W(70, vlSelf->__PVT__memory[i]);\n"
      "    }\n"
      "    vlSelf->__Vxrand_h1__0\n"
      "        = (0xfU & VL_RAND_RESET_Q(40));\n"
      "    VL_RAND_RESET_W(70, __Vtemp_h2__0);\n"
      "    vlSelf->__Vxrand_h3__0[0U] = __Vtemp_h2__0[0U];\n"
      "    vlSelf->a = VL_SCOPED_RAND_RESET_I(1, __VscopeHash, 12ull);\n"
      "    VL_SCOPED_RAND_RESET_W(65, vlSelf->b, __VscopeHash, 12ull);\n");
  EXPECT_EQ(whole.left, 0);
  EXPECT_EQ(
      whole.code,
      "    vlSelf->top__DOT__gen__BRA__1__KET____DOT__q = gw::start_value(7, vlSelf->name(), "
      "\"top.gen[1].q\", 0u);\n"
      "    for (int i = 0; i < 3; ++i) {\n"
      "        gw::start_words(70, vlSelf->__PVT__memory[i], vlSelf->name(), \"memory\", (0u) * "
      "1000003u + static_cast<uint64_t>(i) + 1u);\n"
      "    }\n"
      "    vlSelf->__Vxrand_h1__0\n"
      "        = (0xfU & gw::start_value(40, vlSelf->name(), \"__Vxrand_h1__0\", 0u));\n"
      "    gw::start_words(70, __Vtemp_h2__0, vlSelf->name(), \"__Vxrand_h3__0\", 0u);\n"
      "    vlSelf->__Vxrand_h3__0[0U] = __Vtemp_h2__0[0U];\n"
      "    vlSelf->a = gw::start_value(1, vlSelf->name(), \"a\", 0u);\n"
      "    gw::start_words(65, vlSelf->b, vlSelf->name(), \"b\", 0u);\n");
}

TEST(StartText, WhatIsNotUnderstoodIsLeftAndCounted) {
  for (const char* code : {"use(VL_RAND_RESET_I(7));\n", "x = VL_RAND_RESET_I(width);\n",
                           "VL_RAND_RESET_W(70, f(x));\n", "q = VL_RAND_RESET_D(64);\n"}) {
    const StartText text = seeded_start(code);
    EXPECT_EQ(text.left, 1) << code;
    EXPECT_EQ(text.code, code);
  }
}

}  // namespace
}  // namespace gw::testbenches::start_values_test
