// What engines show of their inside when they were built to: coverage counters, variables.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "testbenches/library/library.h"
#include "testbenches/library/linked.h"
#include "tests/engine/requests.h"
#include "tests/engine/support.h"

namespace gw::testbenches::inside_test {
namespace {

namespace fs = std::filesystem;

/// Adds what it is given, in the cycles with an odd lane 0, to a register that is its output.
constexpr const char* kToy = R"sv(
module toy_memory (input wire logic clk_i, input wire logic write_i, input wire logic [15:0] data_i);
  logic [15:0] place_q[4];
  always_ff @(posedge clk_i) if (write_i) place_q[data_i[1:0]] <= data_i;
endmodule
module toy (
  input wire logic aclk, input wire logic aresetn,
  input wire logic [255:0] s_axis_tdata, input wire logic [31:0] s_axis_tkeep,
  input wire logic s_axis_tvalid, output logic s_axis_tready,
  input wire logic s_axis_tlast, input wire logic s_axis_tuser,
  output logic [255:0] m_axis_tdata, output logic [31:0] m_axis_tkeep,
  output logic m_axis_tvalid, input wire logic m_axis_tready,
  output logic m_axis_tlast, output logic m_axis_tuser);
  logic [31:0] sum_q;
  logic [99:0] wide_q;
  assign s_axis_tready = 1'b1;
  assign m_axis_tvalid = 1'b1;
  assign m_axis_tdata = {8{sum_q}};
  assign m_axis_tkeep = {31'd0, wide_q[99]};
  assign m_axis_tlast = 1'b0;
  assign m_axis_tuser = 1'b0;
  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      sum_q <= 32'd0;
    end else if (s_axis_tvalid && s_axis_tdata[0]) begin
      sum_q <= sum_q + s_axis_tdata[31:0];
    end
    if (s_axis_tvalid) wide_q <= {wide_q[67:0], s_axis_tdata[31:0]};
  end
  toy_memory u_memory (.clk_i(aclk), .write_i(s_axis_tvalid), .data_i(s_axis_tdata[15:0]));
  above : cover property (@(posedge aclk) s_axis_tvalid && s_axis_tdata[31:0] > 32'd100);
endmodule
)sv";

class Inside : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    fs::remove_all(GW_TEST_FOLDER);
    fs::create_directories(GW_TEST_FOLDER);
    std::ofstream(fs::path(GW_TEST_FOLDER) / "toy.sv") << kToy;
  }
  static RtlRequest request() {
    RtlRequest r;
    r.top = "toy";
    r.sources = {fs::path(GW_TEST_FOLDER) / "toy.sv"};
    r.base = GW_TEST_FOLDER;
    r.shape = one_stream(1, 1);
    r.compile_options = {"-O0"};
    return r;
  }
  static std::shared_ptr<RtlLibrary> make(const RtlRequest& request) {
    LibraryOptions options;
    options.cache = GW_TEST_CACHE;
    return rtl_library(request, options);
  }
  static void clock(OneStream& rtl, uint32_t value) {
    Beat beat;
    beat.data[0] = value;
    rtl.clock(&beat, true);
  }
  using Counts = std::map<std::string, uint64_t>;
  /// By everything that names a point.
  static Counts counts(OneStream& rtl, const std::string& kind) {
    uint32_t n = 0;
    const GwCoverPoint* const points = rtl.engine()->coverage(rtl.self(), &n);
    Counts all;
    for (uint32_t i = 0; i < n; ++i) {
      const GwCoverPoint& p = points[i];
      if (p.kind == kind) {
        all[std::string(p.scope) + ' ' + p.file + ':' + std::to_string(p.line) + ':' +
            std::to_string(p.column) + ' ' + p.text] += p.count;
      }
    }
    return all;
  }
  static uint64_t sum(const Counts& counts, const std::string& part) {
    uint64_t total = 0;
    for (const auto& [name, count] : counts) {
      if (name.find(part) != std::string::npos) total += count;
    }
    return total;
  }
  static std::map<std::string, GwToggle> toggles(OneStream& rtl) {
    uint32_t n = 0;
    const GwToggle* const all = rtl.engine()->toggles(rtl.self(), &n);
    std::map<std::string, GwToggle> by_name;
    for (uint32_t i = 0; i < n; ++i) by_name[all[i].name] = all[i];
    return by_name;
  }
  static const GwVariable* variable(OneStream& rtl, const std::string& name) {
    uint32_t n = 0;
    const GwVariable* const all = rtl.engine()->state(rtl.self(), &n);
    for (uint32_t i = 0; i < n; ++i) {
      if (name == all[i].name) return &all[i];
    }
    return nullptr;
  }
};

TEST_F(Inside, NothingIsShownUnlessAskedFor) {
  OneStream linked(linked_engine("gw_compressor", {}, false));
  const auto library = make(request());
  OneStream built(library->engine());
  for (OneStream* rtl : {&linked, &built}) {
    uint32_t n = 7;
    EXPECT_EQ(rtl->engine()->coverage(rtl->self(), &n), nullptr);
    EXPECT_EQ(n, 0u);
    n = 7;
    EXPECT_EQ(rtl->engine()->state(rtl->self(), &n), nullptr);
    EXPECT_EQ(n, 0u);
    n = 7;
    EXPECT_EQ(rtl->engine()->toggles(rtl->self(), &n), nullptr);
    EXPECT_EQ(n, 0u);
  }
}

TEST_F(Inside, CoverageCountsOfAnInstanceRiseAndRunsAreMergedByAdding) {
  RtlRequest r = request();
  r.coverage = {"line", "toggle", "user"};
  const auto library = make(r);
  EXPECT_EQ(nlohmann::json::parse(library->engine()->describe()).at("coverage").size(), 3u);
  OneStream a(library->engine()), b(library->engine());
  a.start();
  b.start();
  const Counts fresh = counts(a, "user");
  ASSERT_EQ(fresh.size(), 1u);
  EXPECT_EQ(fresh.begin()->second, 0u);
  EXPECT_NE(fresh.begin()->first.find("toy.sv:"), std::string::npos) << fresh.begin()->first;
  const uint64_t lines = sum(counts(a, "line"), "") + sum(counts(a, "branch"), "");
  for (const uint32_t value : {1u, 101u, 200u}) clock(a, value);
  clock(b, 300);
  EXPECT_EQ(sum(counts(a, "user"), ""), 2u);
  EXPECT_EQ(sum(counts(b, "user"), ""), 1u);
  EXPECT_GT(sum(counts(a, "line"), "") + sum(counts(a, "branch"), ""), lines);
  // Toggles beside Verilator's own counters.
  EXPECT_TRUE(counts(a, "toggle").empty());
  EXPECT_NE(toggles(a).at("toy.sum_q").rose[0], 0u);
  EXPECT_EQ(toggles(b).at("toy.sum_q").rose[0], 0u);

  // The order is the build's: merged by place as well as by name.
  uint32_t n = 0, m = 0;
  const GwCoverPoint* const of_a = library->engine()->coverage(a.self(), &n);
  const GwCoverPoint* const of_b = library->engine()->coverage(b.self(), &m);
  ASSERT_EQ(n, m);
  uint64_t merged = 0;
  for (uint32_t i = 0; i < n; ++i) {
    EXPECT_STREQ(of_a[i].text, of_b[i].text);
    EXPECT_EQ(of_a[i].line, of_b[i].line);
    if (std::string(of_a[i].kind) == "user") merged += of_a[i].count + of_b[i].count;
  }
  EXPECT_EQ(merged, 3u);
}

TEST_F(Inside, TogglesAreBitsThatRoseAndBitsThatFell) {
  RtlRequest r = request();
  r.coverage = {"toggle"};
  const auto library = make(r);
  OneStream a(library->engine()), b(library->engine());
  a.start();
  b.start();
  // What reset and the first cycle hold is where it begins.
  for (const auto& [name, signal] : toggles(a)) {
    for (uint32_t word = 0; signal.seen == GW_TOGGLE_COUNTED && word <= (signal.bits - 1) / 64;
         ++word) {
      EXPECT_EQ(signal.rose[word] | signal.fell[word], 0u) << name;
    }
  }
  for (const uint32_t value : {1u, 1u, 1u, 1u, 0u}) clock(a, value);  // sums seen: 0 to 4
  const auto all = toggles(a);
  const GwToggle sum = all.at("toy.sum_q");
  EXPECT_EQ(sum.bits, 32u);
  EXPECT_EQ(sum.rose[0], 7u);
  EXPECT_EQ(sum.fell[0], 3u);
  const GwToggle data = all.at("toy.s_axis_tdata");
  EXPECT_EQ(data.bits, 256u);
  EXPECT_EQ(data.rose[0], 1u);
  EXPECT_EQ(data.fell[0], 1u);
  EXPECT_EQ(data.rose[3], 0u);
  EXPECT_EQ(all.at("toy.s_axis_tvalid").rose[0], 1u);
  EXPECT_EQ(all.at("toy.s_axis_tvalid").fell[0], 0u);
  // Nothing reads it: Verilator removes it. Clock and reset are not counted, nor another
  // instance's bits.
  EXPECT_EQ(all.at("toy.u_memory.place_q").seen, GW_TOGGLE_ABSENT);
  EXPECT_EQ(all.at("toy.u_memory.place_q").bits, 64u);
  EXPECT_EQ(all.count("toy.aclk") + all.count("toy.aresetn"), 0u);
  EXPECT_EQ(toggles(b).at("toy.sum_q").rose[0], 0u);
  uint32_t n = 7;
  EXPECT_EQ(library->engine()->coverage(a.self(), &n), nullptr);
  EXPECT_EQ(n, 0u);
}

TEST_F(Inside, KindsOfCoverageAreBuildsOfTheirOwn) {
  RtlRequest r = request();
  r.coverage = {"line"};
  const auto library = make(r);
  OneStream rtl(library->engine());
  EXPECT_TRUE(toggles(rtl).empty());
  EXPECT_TRUE(counts(rtl, "user").empty());
  EXPECT_EQ(make(r)->origin(), RtlLibrary::Origin::kCached);
  r.coverage = {"nonsense"};
  EXPECT_ANY_THROW(make(r));
}

TEST_F(Inside, StateShowsAndSetsRegistersAndMemories) {
  RtlRequest r = request();
  r.state = true;
  const auto library = make(r);
  OneStream a(library->engine()), b(library->engine());
  a.start();
  b.start();
  for (const uint32_t value : {7u, 9u}) clock(a, value);

  const GwVariable* const sum = variable(a, "toy.sum_q");
  ASSERT_NE(sum, nullptr);
  EXPECT_EQ(sum->bits, 32u);
  EXPECT_EQ(sum->elements, 1u);
  EXPECT_EQ(sum->stride, 4u);
  EXPECT_EQ(*static_cast<uint32_t*>(sum->data), 16u);
  EXPECT_EQ(*static_cast<uint32_t*>(variable(b, "toy.sum_q")->data), 0u);

  const GwVariable* const wide = variable(a, "toy.wide_q");
  ASSERT_NE(wide, nullptr);
  EXPECT_EQ(wide->bits, 100u);
  EXPECT_EQ(wide->stride, 16u);
  EXPECT_EQ(static_cast<uint32_t*>(wide->data)[0], 9u);
  EXPECT_EQ(static_cast<uint32_t*>(wide->data)[1], 7u);

  const GwVariable* const memory = variable(a, "toy.u_memory.place_q");
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(memory->bits, 16u);
  EXPECT_EQ(memory->elements, 4u);
  EXPECT_EQ(memory->stride, 2u);
  EXPECT_EQ(static_cast<uint16_t*>(memory->data)[1], 9u);
  EXPECT_EQ(static_cast<uint16_t*>(memory->data)[3], 7u);

  // What is written counts from the next edge on.
  *static_cast<uint32_t*>(sum->data) = 1000;
  clock(a, 5);
  ASSERT_NE(a.m_beat(), nullptr);
  EXPECT_EQ(a.m_beat()->data[0], 1005u);
  *static_cast<uint32_t*>(sum->data) = 2000;
  clock(a, 2);  // even: the register keeps what it was given
  EXPECT_EQ(a.m_beat()->data[0], 2000u);
}

TEST_F(Inside, ShownOrNotTheRtlIsTheSame) {
  RtlRequest r = own_request("compressor");
  r.coverage = {"line"};
  r.state = true;
  r.compile_options = {"-O0"};
  const auto library = make(r);
  OneStream shown(library->engine()), linked(linked_engine("gw_compressor", {}, false));
  for (OneStream* each : {&shown, &linked}) {
    each->set("bound_i", 8);
    each->set("bounded_i", 1);
    each->start();
  }
  uint64_t seen = 0;
  EXPECT_EQ(compare(shown, linked, random_gradients(2'000, 3), 3, &seen), "");
  EXPECT_GT(seen, 500u);
  EXPECT_GT(counts(shown, "line").size() + counts(shown, "branch").size(), 10u);
  EXPECT_NE(variable(shown, "gw_compressor.used_q"), nullptr);
}

}  // namespace
}  // namespace gw::testbenches::inside_test
