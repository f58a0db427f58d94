// The glue around a verilated class: several ports in flat and in separate bundles, wide beats,
// tuser of any width, host writes, waveforms.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <gtkwave/fstapi.h>

#include <bitset>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "sim/base/error.h"
#include "testbenches/library/engine_source.h"
#include "testbenches/library/library.h"
#include "testbenches/library/linked.h"
#include "tests/engine/requests.h"
#include "tests/engine/support.h"

namespace gw::testbenches::glue_test {
namespace {

namespace fs = std::filesystem;
using WideBeat = BasicBeat<16>;

// Two ports in, as slots of one bundle; they leave crossed by m_axis0 and m_axis1; m_tap shows what
// port 0 takes. 512 bits.
constexpr const char* kCross = R"(
module gw_crossed #(parameter int Unused = 1) (
  input  wire logic          aclk, aresetn,
  input  wire logic [1023:0] s_axis_tdata,
  input  wire logic [127:0]  s_axis_tkeep,
  input  wire logic [1:0]    s_axis_tvalid, s_axis_tlast,
  output logic [1:0]         s_axis_tready,
  input  wire logic [9:0]    s_axis_tuser,
  output logic [1023:0]      m_axis_tdata,
  output logic [127:0]       m_axis_tkeep,
  output logic [1:0]         m_axis_tvalid, m_axis_tlast,
  input  wire logic [1:0]    m_axis_tready,
  output logic [79:0]        m_axis_tuser,
  output logic [511:0]       m_tap_tdata,
  output logic [63:0]        m_tap_tkeep,
  output logic               m_tap_tvalid, m_tap_tlast, m_tap_tuser,
  input  wire logic          m_tap_tready,
  input  wire logic [11:0]   shift_i,
  input  wire logic          cfg_valid_i,
  input  wire logic [31:0]   cfg_address_i, cfg_data_i,
  output logic [3:0]         event_o,
  output logic [95:0]        stat_o
);
  always_comb s_axis_tready = {!m_axis_tvalid[0] || m_axis_tready[0], !m_axis_tvalid[1] || m_axis_tready[1]};
  for (genvar p = 0; p < 2; ++p) begin : gen_port
    always_ff @(posedge aclk) begin
      if (s_axis_tready[p]) begin
        m_axis_tvalid[1-p] <= s_axis_tvalid[p];
        m_axis_tdata[512*(1-p) +: 512] <= s_axis_tdata[512*p +: 512];
        m_axis_tkeep[64*(1-p) +: 64] <= s_axis_tkeep[64*p +: 64];
        m_axis_tlast[1-p] <= s_axis_tlast[p];
        m_axis_tuser[40*(1-p) +: 40] <= {3'b101, s_axis_tuser[5*p +: 5], 20'hFACE0, shift_i};
      end
      if (!aresetn) m_axis_tvalid[1-p] <= 1'b0;
    end
  end
  always_ff @(posedge aclk) begin
    m_tap_tvalid <= aresetn && s_axis_tvalid[0] && s_axis_tready[0];
    m_tap_tdata <= s_axis_tdata[511:0];
    m_tap_tkeep <= s_axis_tkeep[63:0];
    m_tap_tlast <= s_axis_tlast[0];
    m_tap_tuser <= s_axis_tlast[0];
    event_o <= {m_tap_tready, s_axis_tvalid, aresetn};
    if (cfg_valid_i) stat_o <= {cfg_address_i, cfg_data_i, stat_o[31:0] + 32'd1};
    if (!aresetn) stat_o <= '0;
  end
endmodule
)";

RtlRequest cross_request(bool traced) {
  const fs::path folder = fs::path(GW_TEST_FOLDER) / "rtl";
  fs::create_directories(folder);
  std::ofstream(folder / "crossed.sv") << kCross;
  RtlRequest request;
  request.top = "gw_crossed";
  request.base = folder;
  request.sources = {folder / "crossed.sv"};
  request.shape.beat_bits = 512;
  request.shape.inputs = {{"s0", "s_axis", 0, 2, 5, false}, {"s1", "s_axis", 1, 2, 5, false}};
  request.shape.outputs = {{"m0", "m_axis", 0, 2, 40, false},
                           {"m1", "m_axis", 1, 2, 40, false},
                           {"tap", "m_tap", 0, 1, 1, false}};
  request.shape.pins = {
      {"shift_i", 12}, {"cfg_valid_i", 1}, {"cfg_address_i", 32}, {"cfg_data_i", 32}};
  request.shape.probes = {{"event_o", 4}, {"stat_o", 96}};
  request.traced = traced;
  request.compile_options = {"-O0"};
  return request;
}

std::shared_ptr<RtlLibrary> cross(bool traced) {
  LibraryOptions options;
  options.cache = GW_TEST_CACHE;
  return rtl_library(cross_request(traced), options);
}

WideBeat wide(uint32_t seed, bool last) {
  sim::Random random(seed);
  WideBeat beat;
  for (uint32_t& lane : beat.data) lane = static_cast<uint32_t>(random.next());
  beat.keep = random.next();
  beat.last = last;
  beat.meta[0] = 0xFFFFFFE0 | random.below(32);  // only the port's five bits go in
  return beat;
}

/// A waveform by the full names of its signals: time and value of each change.
struct Waves {
  std::map<std::string, std::vector<std::pair<uint64_t, std::string>>> changes;
  uint64_t begin = 0, end = 0;

  explicit Waves(const std::string& path) {
    auto* reader = fstReaderOpen(path.c_str());
    if (reader == nullptr) return;
    begin = fstReaderGetStartTime(reader);
    end = fstReaderGetEndTime(reader);
    std::FILE* file = std::tmpfile();
    fstReaderProcessHier(reader, file);
    fstReaderSetFacProcessMaskAll(reader);
    fstReaderIterBlocks(reader, nullptr, nullptr, file);
    fstReaderClose(reader);
    std::rewind(file);
    std::string text;
    for (int c; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
    std::fclose(file);

    std::istringstream lines(text);
    std::multimap<std::string, std::string> names;  // by identifier
    std::vector<std::string> scopes;
    uint64_t time = 0;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string word, kind, name, code, bits;
      words >> word;
      if (word == "$scope") {
        words >> kind >> name;
        scopes.push_back(name);
      } else if (word == "$upscope") {
        scopes.pop_back();
      } else if (word == "$var") {
        words >> kind >> bits >> code >> name;
        std::string full;
        for (const std::string& scope : scopes) full += scope + '.';
        names.emplace(code, full + name);
        changes[full + name];
      } else if (word.starts_with("#")) {
        time = std::stoull(word.substr(1));
      } else if (!word.empty() && word.front() != '$') {
        std::string value = word;
        if (word.front() == 'b' || word.front() == 'r') {
          words >> code;
          value = word.substr(1);
        } else {
          code = word.substr(1);
          value = word.substr(0, 1);
        }
        const auto [first, last] = names.equal_range(code);
        for (auto at = first; at != last; ++at) changes[at->second].emplace_back(time, value);
      }
    }
  }
  bool has(const std::string& name) const { return changes.contains(name); }
  std::string at(const std::string& name, uint64_t time) const {
    std::string value;
    for (const auto& [when, what] : changes.at(name)) {
      if (when <= time) value = what;
    }
    return value;
  }
};

class Glue : public testing::TestWithParam<bool> {};

TEST_P(Glue, PortsInFlatAndSeparateBundles) {
  const auto library = cross(GetParam());
  const GwEngine* e = library->engine();
  void* const self = e->make(1, nullptr);
  const GwOutputs* const shown = e->outputs(self);
  const auto* const beats = static_cast<const WideBeat*>(shown->m_beat);
  e->set(self, e->pin(self, "shift_i"), 0xABC);
  e->reset(self);
  const void* offered[2] = {nullptr, nullptr};
  e->clock(self, offered, 7);
  EXPECT_EQ(shown->s_ready, 3u);
  EXPECT_EQ(shown->m_valid, 0u);

  // One port, the other, both; with readiness of each output apart.
  const WideBeat a = wide(1, false), b = wide(2, true);
  const auto crossed = [](const WideBeat& in) {
    WideBeat out = in;
    out.meta = {0xFACE0ABC, 0xA0 | (in.meta[0] & 31)};
    return out;
  };
  offered[0] = &a;
  e->clock(self, offered, 7);
  EXPECT_EQ(shown->m_valid, 0b110u);  // m_axis1 and the tap
  EXPECT_EQ(beats[1], crossed(a));
  WideBeat tap = a;
  tap.meta = {};
  EXPECT_EQ(beats[2], tap);
  EXPECT_EQ(shown->probe, 0b1011u);
  offered[0] = nullptr;
  offered[1] = &b;
  e->clock(self, offered, 0b101);  // m_axis1 is not taken
  EXPECT_EQ(shown->m_valid, 0b011u);
  EXPECT_EQ(shown->s_ready, 0b10u);  // it shows the sink of this very cycle through
  EXPECT_EQ(beats[0], crossed(b));
  EXPECT_EQ(beats[1], crossed(a));
  offered[0] = &b;
  offered[1] = &a;
  e->clock(self, offered, 0b111);
  EXPECT_EQ(shown->m_valid, 0b111u);
  EXPECT_EQ(beats[0], crossed(a));
  EXPECT_EQ(beats[1], crossed(b));
  EXPECT_EQ(beats[2].user, 1);

  e->write(self, 0x1234, 0x5678);
  uint32_t words = 0;
  const uint32_t* const counters = e->statistics(self, &words);
  ASSERT_EQ(words, 3u);
  EXPECT_EQ(counters[0], 1u);
  EXPECT_EQ(counters[1], 0x5678u);
  EXPECT_EQ(counters[2], 0x1234u);
  offered[0] = offered[1] = nullptr;
  e->clock(self, offered, 7);
  EXPECT_EQ(counters[0], 1u);
  e->drop(self);
}
INSTANTIATE_TEST_SUITE_P(FastAndTraced, Glue, testing::Bool());

TEST(GlueWaves, OfSeveralPorts) {
  const auto library = cross(true);
  const GwEngine* e = library->engine();
  void* const self = e->make(1, nullptr);
  const std::string path = (fs::path(GW_TEST_FOLDER) / "cross.fst").string();
  ASSERT_EQ(e->trace(self, path.c_str(), 0, INT64_MAX, 5000), 0);
  e->reset(self);
  e->reset(self);
  const void* offered[2] = {nullptr, nullptr};
  e->clock(self, offered, 7);
  GwHarnessSignals signals = {};
  signals.input_packet[1] = 41;
  signals.output_packet[2] = 42;
  signals.source_stall = 0b10;
  signals.sink_stall = 0b100;
  signals.model_s_ready = 0b01;
  BasicBeat<16> beside;
  for (uint32_t lane = 0; lane < 16; ++lane) beside.data[lane] = 0x01010101u * (lane + 1);
  beside.keep = 0xFF;
  beside.last = 1;
  beside.set_user_word(0xA5'1234'5678);
  signals.model_beat[1] = &beside;
  e->harness(self, &signals);
  e->clock(self, offered, 7);
  ASSERT_EQ(e->finish(self), nullptr);
  e->drop(self);
  const Waves waves(path);
  EXPECT_EQ(waves.at("harness.input_packet0", UINT64_MAX), std::string(32, '0'));
  EXPECT_EQ(waves.at("harness.input_packet1", UINT64_MAX), std::string(26, '0') + "101001");
  EXPECT_EQ(waves.at("harness.output_packet2", UINT64_MAX), std::string(26, '0') + "101010");
  EXPECT_EQ(waves.at("harness.source_stall0", UINT64_MAX), "0");
  EXPECT_EQ(waves.at("harness.source_stall1", UINT64_MAX), "1");
  EXPECT_EQ(waves.at("harness.sink_stall2", UINT64_MAX), "1");
  EXPECT_EQ(waves.at("harness.model_s0_tready", UINT64_MAX), "1");
  EXPECT_EQ(waves.at("harness.model_s1_tready", UINT64_MAX), "0");
  EXPECT_EQ(waves.at("harness.model_m0_tvalid", UINT64_MAX), "0");
  EXPECT_EQ(waves.at("harness.model_m1_tvalid", UINT64_MAX), "1");
  EXPECT_EQ(waves.at("harness.model_m1_tlast", UINT64_MAX), "1");
  EXPECT_EQ(waves.at("harness.model_m1_tkeep", UINT64_MAX),
            std::string(56, '0') + std::string(8, '1'));
  EXPECT_EQ(waves.at("harness.model_m1_tuser", UINT64_MAX),
            std::bitset<40>(0xA5'1234'5678).to_string());
  std::string data;
  for (size_t lane = 16; lane-- > 0;) data += std::bitset<32>(beside.data[lane]).to_string();
  EXPECT_EQ(waves.at("harness.model_m1_tdata", UINT64_MAX), data);
  EXPECT_FALSE(waves.has("harness.s_float0"));
}

class CompressorWaves : public testing::Test {
 protected:
  std::string path(const char* name) {
    fs::create_directories(GW_TEST_FOLDER);
    return (fs::path(GW_TEST_FOLDER) / name).string();
  }
  /// Ten cycles behind reset, the k-th with the k-th beat offered.
  void run(OneStream& rtl) {
    rtl.start();
    const std::vector<Beat> input = random_gradients(10, 1);
    for (uint64_t cycle = 0; cycle < 10; ++cycle) {
      GwHarnessSignals signals = {};
      signals.cycle = cycle;
      signals.input_packet[0] = 100 + static_cast<uint32_t>(cycle);
      rtl.engine()->harness(rtl.self(), &signals);
      rtl.clock(&input[cycle], true);
    }
  }
  OneStream rtl_{linked_engine("gw_compressor", {}, true)};
};

TEST_F(CompressorWaves, TimesOfEdges) {
  const std::string file = path("times.fst");
  ASSERT_EQ(rtl_.engine()->trace(rtl_.self(), file.c_str(), 0, INT64_MAX, 10'000), 0);
  run(rtl_);
  ASSERT_EQ(rtl_.engine()->finish(rtl_.self()), nullptr);
  const Waves waves(file);
  EXPECT_EQ(waves.begin, 5'000u);
  EXPECT_EQ(waves.end, 130'000u);  // three cycles of reset, ten more
  // Cycle k is from 30 ns + k * 10 ns on; its inputs show at the falling edge.
  EXPECT_EQ(waves.at("gw_compressor.aclk", 34'999), "1");
  EXPECT_EQ(waves.at("gw_compressor.aclk", 35'000), "0");
  EXPECT_EQ(waves.at("gw_compressor.aresetn", 20'000), "0");
  EXPECT_EQ(waves.at("gw_compressor.aresetn", 25'000), "1");
  EXPECT_EQ(waves.at("gw_compressor.s_axis_tvalid", 34'999), "0");
  EXPECT_EQ(waves.at("gw_compressor.s_axis_tvalid", 35'000), "1");
  EXPECT_EQ(waves.at("harness.cycle", 85'000), std::string(29, '0') + "101");
  EXPECT_EQ(waves.at("harness.input_packet", 35'000), std::string(25, '0') + "1100100");
  const Beat first = random_gradients(10, 1)[0];
  for (size_t lane = 0; lane < 8; ++lane) {
    const float value = std::bit_cast<float>(first.data[lane]);
    EXPECT_EQ(
        static_cast<float>(std::stod(waves.at("harness.s_float" + std::to_string(lane), 35'000))),
        value);
  }
  EXPECT_TRUE(waves.has("harness.m_float7"));
  EXPECT_TRUE(waves.has("harness.output_packet"));
  EXPECT_TRUE(waves.has("gw_compressor.gw_compressor.vector_valid"));  // inside the device
}

TEST_F(CompressorWaves, Window) {
  const std::string file = path("window.fst");
  ASSERT_EQ(rtl_.engine()->trace(rtl_.self(), file.c_str(), 4, 6, 10'000), 0);
  run(rtl_);
  ASSERT_EQ(rtl_.engine()->finish(rtl_.self()), nullptr);
  const Waves waves(file);
  EXPECT_EQ(waves.begin, 75'000u);
  EXPECT_EQ(waves.end, 100'000u);
}

TEST_F(CompressorWaves, EdgesThatAreNotShownAndTimeThatIsSkipped) {
  const std::string file = path("skip.fst");
  ASSERT_EQ(rtl_.engine()->trace(rtl_.self(), file.c_str(), 0, INT64_MAX, 10'000), 0);
  const GwHarnessSignals signals = {};
  rtl_.engine()->reset(rtl_.self());
  rtl_.engine()->reset(rtl_.self());
  rtl_.engine()->harness(rtl_.self(), nullptr);
  for (int i = 0; i < 100; ++i) rtl_.clock(nullptr, false);
  rtl_.engine()->harness(rtl_.self(), &signals);
  rtl_.clock(nullptr, false);
  rtl_.clock(nullptr, false);  // cycle 0
  rtl_.engine()->skip(rtl_.self(), 1000);
  rtl_.clock(nullptr, false);  // cycle 1001
  ASSERT_EQ(rtl_.engine()->finish(rtl_.self()), nullptr);
  const Waves waves(file);
  EXPECT_EQ(waves.begin, 5'000u);
  EXPECT_EQ(waves.end, 10'000u * (3 + 1002));
}

TEST_F(CompressorWaves, PlacesThatCannotBeWritten) {
  EXPECT_EQ(rtl_.engine()->trace(rtl_.self(), "/nonexistent/x.fst", 0, 1, 10'000), ENOENT);
  EXPECT_EQ(rtl_.engine()->finish(rtl_.self()), nullptr);
  if (fs::exists("/dev/full")) {
    EXPECT_EQ(rtl_.engine()->trace(rtl_.self(), "/dev/full", 0, 1, 10'000), ENOSPC);
  }
  rtl_.start();  // goes on without
  EXPECT_TRUE(rtl_.s_ready());
}

TEST(EngineSource, PortsAreReadFromTheClass) {
  const std::vector<TopPort> ports = top_ports(
      "    // PORTS\n    VL_IN8(&aclk,0,0);\n    VL_INW(&s_axis_tdata,255,0,8);\n"
      "    VL_OUT64(&q_o,39,0);\n    VL_IN((&array_i)[2],31,0);\n    double &real_i;\n"
      "    // CELLS\n    VL_IN8(&other,0,0);\n");
  ASSERT_EQ(ports.size(), 5u);
  EXPECT_EQ(ports[0].bits, 1);
  EXPECT_EQ(ports[1].name, "s_axis_tdata");
  EXPECT_EQ(ports[1].bits, 256);
  EXPECT_FALSE(ports[2].input);
  EXPECT_EQ(ports[2].bits, 40);
  EXPECT_EQ(ports[3].bits, 0);
  EXPECT_EQ(ports[3].name, "array_i");
  EXPECT_EQ(ports[4].name, "real_i");
}

TEST(EngineSource, ClockThatIsUsedOtherwise) {
  const std::string rising =
      "vlSelf->__VactTriggered.at(0U) = ((IData)(vlSelf->aclk) \n"
      "      & (~ (IData)(vlSelf->__Vtrigrprev__TOP__aclk)));\n"
      "    vlSelf->__Vtrigrprev__TOP__aclk = vlSelf->aclk;\n";
  EXPECT_TRUE(falls_quietly(rising));
  EXPECT_TRUE(falls_quietly(rising + "vlSelf->aclk_other = vlSelf->aclken;"));
  EXPECT_TRUE(
      falls_quietly(rising + "vlSelf->aclk = gw::start_value(1, vlSelf->name(), \"aclk\", 0u);"));
  EXPECT_FALSE(falls_quietly(rising + "vlSelf->gated = ((IData)(vlSelf->aclk) & vlSelf->en);"));
  EXPECT_FALSE(
      falls_quietly("x = ((~ (IData)(vlSelf->aclk)) & (IData)(vlSelf->__Vtrigrprev__TOP__aclk));"));
}

TEST(EngineSource, AnEdgeThatIsOneTrigger) {
  const auto function = [](const std::string& name, const std::string& body) {
    return "void Vx___024root___" + name + "(Vx___024root* vlSelf) {\n    // Prevent unused\n" +
           body + "}\n\n";
  };
  const std::string ico = "    VlTriggerVec<1> __VicoTriggered;\n",
                    act = "    VlTriggerVec<1> __VactTriggered;\n",
                    nba = "    VlTriggerVec<1> __VnbaTriggered;\n";
  const std::string inputs = function("eval_ico", "    // Body\n    x();\n"),
                    none = function("eval_act", ""),
                    registers = function("eval_nba", "    // Body\n    y();\n");
  const std::string edge = " trigger(root->__VnbaTriggered); Vx___024root___eval_nba(root);";
  EXPECT_EQ(edge_statements(act + nba, none + registers, "Vx___024root"), edge);
  EXPECT_EQ(edge_statements(ico + act + nba, inputs + none + registers, "Vx___024root"),
            " trigger(root->__VicoTriggered); Vx___024root___eval_ico(root);" + edge);
  const auto refused = [](const std::string& header, const std::string& code) {
    return edge_statements(header, code, "Vx___024root").empty();
  };
  EXPECT_TRUE(refused(act + "    VlTriggerVec<2> __VnbaTriggered;\n", none + registers))
      << "a second trigger";
  EXPECT_TRUE(refused("    VlTriggerVec<2> __VactTriggered;\n" + nba, none + registers));
  EXPECT_TRUE(
      refused("    VlTriggerVec<2> __VicoTriggered;\n" + act + nba, inputs + none + registers));
  EXPECT_TRUE(refused(act + nba, function("eval_act", "    // Body\n    z();\n") + registers))
      << "something happens before the registers";
  EXPECT_TRUE(refused(ico + act + nba, none + registers)) << "a function that is not there";
  EXPECT_TRUE(refused(act + nba, registers)) << "nor is this";
  EXPECT_TRUE(refused(act + nba, none));
  // What assertions look at.
  const std::string assertion = "    if (vlSelf->__Vsampled__TOP__a) stop();\n";
  const std::string looks = function("eval_nba", "    // Body\n" + assertion);
  EXPECT_EQ(
      edge_statements(ico + act + nba,
                      inputs + none + looks +
                          function("eval",
                                   "    // Init\n    vlSelf->__Vsampled__TOP__a = vlSelf->a;\n"
                                   "    vlSelf->__Vsampled__TOP__b\n        = vlSelf->b;\n"
                                   "    // Body\n    loop();\n"),
                      "Vx___024root"),
      " trigger(root->__VicoTriggered); Vx___024root___eval_ico(root);"
      " root->__Vsampled__TOP__a = root->a; root->__Vsampled__TOP__b = root->b;" +
          edge);
  EXPECT_TRUE(refused(act + nba, none + looks + function("eval", "    // Body\n    loop();\n")))
      << "nobody knows where they are taken";
}

TEST(EngineSource, LeanText) {
  const std::string call =
      "\n    __Vfunc_a__0__Vfuncout = 0;\n    Vx_pkg__VnoInFunc_a(vlSymsp, y, "
      "__Vfunc_a__0__Vfuncout);";
  const std::string other = "\n    __Vfunc_b__1__Vfuncout = 0;\n    use(__Vfunc_b__1__Vfuncout);";
  EXPECT_EQ(lean_source(call + other),
            "\n    Vx_pkg__VnoInFunc_a(vlSymsp, y, __Vfunc_a__0__Vfuncout);" + other);
}

}  // namespace
}  // namespace gw::testbenches::glue_test
