// The waveform of a run that fails shows the failure: the cycle in which it is, of both sides, and
// twenty more; its marker is in that cycle. Read back from the FST.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/program.h"
#include "tests/waves/vcd.h"

namespace gw::tests::failure_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr uint64_t kPeriod = 10'000;  // ps
constexpr uint64_t kAfter = 20;

/// When a cycle's inputs are there; two edges in reset and one out of it come before cycle 0.
uint64_t time_of(uint64_t cycle) { return (cycle + 3) * kPeriod + kPeriod / 2; }

class FailureWaves : public ProgramTest {
 protected:
  /// A faulty compressor, of tests/capsule: its bound says how.
  static std::string faulty(int bound) {
    return fmt::format(
        "run compressor --rtl {}/tests/capsule/faulty_compressor.f --top faulty_compressor "
        "--quick-build --quiet --bound {} ",
        GRADWIRE_SOURCE_DIR, bound);
  }
  /// The project's RTL with an edit; the list names files as the project's lists do.
  std::string edited(const std::string& list, const std::string& file, const std::string& edit) {
    const Ended r = shell(
        fmt::format("cp -rL {0}/rtl . && sed -i \"{1}\" rtl/{2} && ! cmp -s rtl/{2} {0}/rtl/{2} && "
                    "sed \"s#^rtl/#$PWD/rtl/#\" {0}/rtl/{3} > edited.f",
                    GRADWIRE_SOURCE_DIR, edit, file, list));
    EXPECT_EQ(r.code, 0) << r.err;
    return "--rtl edited.f --quick-build --quiet --top ";
  }
  /// A program whose own RTL has an edit; it runs from now on.
  void edit_own(const std::string& file, const std::string& edit) {
    const Ended r = shell(fmt::format(
        "mkdir -p own/share/gradwire && cp {1} own/gradwire && cp -rL {0}/rtl own/share/gradwire "
        "&& "
        "sed -i \"{3}\" own/share/gradwire/rtl/{2} && ! cmp -s own/share/gradwire/rtl/{2} "
        "{0}/rtl/{2}",
        GRADWIRE_SOURCE_DIR, GRADWIRE_BINARY, file, edit));
    ASSERT_EQ(r.code, 0) << r.err;
    program_ = path("own/gradwire");
  }
  Ended gradwire(const std::string& arguments) const { return shell(program_ + " " + arguments); }
  Vcd wave(const std::string& name) const {
    const Ended r = shell("fst2vcd -f " + name);
    EXPECT_EQ(r.code, 0) << r.err;
    return Vcd(r.out);
  }
  /// The run fails with and without a waveform alike, and the waveform shows it.
  json fails(const std::string& run, const std::string& kind) {
    EXPECT_EQ(gradwire(run + " --json plain.json").code, 1) << run;
    const Ended r = gradwire(run + " --json waved.json --wave w.fst");
    EXPECT_EQ(r.code, 1) << r.out << r.err;
    json plain = json::parse(text_of(path("plain.json")));
    json waved = json::parse(text_of(path("waved.json")));
    EXPECT_EQ(waved["failure"]["kind"], kind) << waved["failure"];
    const json failure = waved["failure"];
    for (json* const report : {&plain, &waved}) {
      report->erase("sim");
      report->erase("baselines");  // their rates are measured
      report->erase("command");
      (*report)["failure"].erase("reproduce");
    }
    EXPECT_EQ(plain["failure"], waved["failure"]);
    // Figures of two engines that do not keep step may be ahead of a divergence, and RTL that has
    // stopped is seen to within a window.
    if (kind != "engines disagree" && kind != "the RTL stopped the simulation") {
      EXPECT_EQ(json::diff(plain, waved), json::array());
    }
    return failure;
  }
  /// The marker is in the failing cycle, and the cycle in the waveform, in each of its files.
  void expect_shown(const json& failure, const std::string& name, uint64_t after = kAfter) const {
    const uint64_t cycle = failure["cycle"];
    const Vcd vcd = wave(name + ".fst");
    EXPECT_EQ(vcd.end(), time_of(cycle + after) + kPeriod / 2);
    for (const uint64_t c : {cycle, cycle + after}) {
      EXPECT_EQ(vcd.number("harness.cycle", time_of(c)), c);
    }
    const std::string saved = text_of(path(name + ".gtkw"));
    EXPECT_THAT(saved, HasSubstr(fmt::format("\n*-16.200000 {} ", time_of(cycle))));
    const size_t begin = saved.find("[timestart] ");
    ASSERT_NE(begin, std::string::npos);
    // A window of the file's size shows 28 cycles.
    const uint64_t first = std::stoull(saved.substr(begin + 12));
    EXPECT_LE(first, time_of(cycle));
    EXPECT_LE(time_of(cycle), first + 26 * kPeriod);
  }
  /// What the printed command writes is as much.
  void expect_repeated(const json& failure) const {
    const std::string command = failure["reproduce"];
    EXPECT_THAT(command,
                HasSubstr(fmt::format("--wave-to {}", failure["cycle"].get<uint64_t>() + kAfter)));
    EXPECT_EQ(shell(command).code, 1);
    expect_shown(failure, "divergence");
  }
  /// What the report has of the failing port, of both, is in the failing cycle.
  void expect_sides(const json& failure, const std::string& name, const std::string& top) const {
    const Vcd vcd = wave(name + ".fst");
    const uint64_t at = time_of(failure["cycle"]);
    // "..., port m_axis2_tdata": a slot of the top's flat pins, a signal of the model's own.
    const std::string head = failure["lines"][0];
    const std::string pin = head.substr(head.rfind(' ') + 1);
    const size_t cut = pin.rfind('_');
    const std::string signal = pin.substr(cut + 1);
    const auto slot = static_cast<size_t>(pin[cut - 1] - '0');
    const size_t bits = signal == "tdata" ? 256 : signal == "tkeep" ? 32 : 1;
    std::string all = vcd.at(fmt::format("{}.{}_{}", top, pin.substr(0, cut - 1), signal), at);
    ASSERT_FALSE(all.empty()) << pin;
    all.insert(0, 4 * bits - std::min(all.size(), 4 * bits), '0');
    std::string rtl = all.substr((3 - slot) * bits, bits);
    rtl.erase(0, std::min(rtl.find('1'), rtl.size() - 1));
    const std::string model = vcd.at("harness.model_" + pin, at);
    const auto told = [&](size_t line) {
      std::istringstream words(failure["lines"][line].get<std::string>());
      std::string who, text;
      words >> who >> text;
      return binary_of_hex(text);
    };
    EXPECT_EQ(rtl, told(1)) << pin;
    EXPECT_EQ(model, told(2)) << pin;
    EXPECT_NE(rtl, model) << pin;
  }
  /// The values of a failing beat, as the report has them, are there.
  void expect_values(const json& failure, const std::string& a, const std::string& b) const {
    const Vcd vcd = wave("w.fst");
    const uint64_t at = time_of(failure["cycle"]);
    const auto value = [&](size_t line) {
      std::istringstream words(failure["lines"][line].get<std::string>());
      std::string who, text;
      words >> who >> text;
      return binary_of_hex(text);
    };
    EXPECT_EQ(vcd.at(a, at), value(1));
    EXPECT_EQ(vcd.at(b, at), value(2));
    EXPECT_NE(vcd.at(a, at), vcd.at(b, at));
  }

  std::string program_ = GRADWIRE_BINARY;
};

TEST_F(FailureWaves, OfTwoEnginesThatDisagree) {
  const json failure =
      fails(faulty(1) + "--synth mixed --packets 300 --stall both:30", "engines disagree");
  expect_shown(failure, "w");
  expect_values(failure, "faulty_compressor.m_axis_tdata", "harness.model_m_axis_tdata");
  expect_repeated(failure);
  // RTL of one's own is shown by its own names.
  const std::string saved = text_of(path("w.gtkw"));
  EXPECT_THAT(saved, HasSubstr("\nfaulty_compressor.aclk\n"));
  EXPECT_THAT(saved, testing::Not(HasSubstr("gw_compressor.")));
  // Inputs go on, at both.
  const Vcd vcd = wave("w.fst");
  uint64_t in = 0, out = 0, model = 0;
  for (uint64_t c = failure["cycle"]; c <= failure["cycle"].get<uint64_t>() + kAfter; ++c) {
    const auto high = [&](const std::string& signal) { return vcd.at(signal, time_of(c)) == "1"; };
    const std::string top = "faulty_compressor.";
    in += high(top + "s_axis_tvalid") && high(top + "s_axis_tready");
    out += high(top + "m_axis_tvalid") && high(top + "m_axis_tready");
    model += high("harness.model_m_axis_tvalid") && high(top + "m_axis_tready");
  }
  EXPECT_GT(in, 3u);
  EXPECT_GT(out, 0u);
  EXPECT_EQ(model, out);  // the fault is in the data alone
}

TEST_F(FailureWaves, OfTheReference) {
  const json failure = fails(faulty(1) + "--synth mixed --packets 300 --check reference",
                             "output differs from the reference");
  expect_shown(failure, "w");
  const Vcd vcd = wave("w.fst");
  EXPECT_EQ(vcd.at("faulty_compressor.m_axis_tvalid", time_of(failure["cycle"])), "1");
}

TEST_F(FailureWaves, OfARule) {
  const json failure = fails(faulty(11) +
                                 "--synth mixed --packets 300 --stall both:30 --check "
                                 "reference,protocol",
                             "AXI4-Stream rule broken");
  expect_shown(failure, "w");
  const Vcd vcd = wave("w.fst");
  const uint64_t at = time_of(failure["cycle"]);
  EXPECT_EQ(vcd.at("faulty_compressor.m_axis_tvalid", at), "0");
  EXPECT_EQ(vcd.at("faulty_compressor.m_axis_tvalid", at - kPeriod), "1");
  EXPECT_EQ(vcd.at("faulty_compressor.m_axis_tready", at - kPeriod), "0");
}

TEST_F(FailureWaves, OfAHangFromWhatMovedLastOn) {
  const json failure =
      fails(faulty(4) + "--synth mixed --packets 30 --engine rtl", "the device hangs");
  expect_shown(failure, "w");
  expect_repeated(failure);
  const Vcd vcd = wave("divergence.fst");
  // The beat that moved last is in it, at marker A.
  const std::string saved = text_of(path("divergence.gtkw"));
  const size_t marker = saved.find("\n*-16.200000 ");
  std::istringstream words(saved.substr(marker + 1));
  std::string zoom;
  uint64_t primary = 0, moved = 0;
  words >> zoom >> primary >> moved;
  EXPECT_LT(vcd.first(), moved);
  EXPECT_LT(moved + 90'000 * kPeriod, primary);
  const std::string top = "faulty_compressor.";
  const bool in =
      vcd.at(top + "s_axis_tvalid", moved) == "1" && vcd.at(top + "s_axis_tready", moved) == "1";
  const bool out =
      vcd.at(top + "m_axis_tvalid", moved) == "1" && vcd.at(top + "m_axis_tready", moved) == "1";
  EXPECT_TRUE(in || out);
}

TEST_F(FailureWaves, OfRtlThatStopsInTheCycleInWhichItDoes) {
  const json failure = fails(faulty(12) + "--synth mixed --packets 30 --check reference",
                             "the RTL stopped the simulation");
  expect_shown(failure, "w", 0);
  const Vcd vcd = wave("w.fst");
  const uint64_t at = time_of(failure["cycle"]);
  for (const char* signal : {"s_axis_tvalid", "s_axis_tready", "s_axis_tlast"}) {
    EXPECT_EQ(vcd.at(fmt::format("faulty_compressor.{}", signal), at), "1") << signal;
  }
}

TEST_F(FailureWaves, OfACapsule) {
  ASSERT_EQ(gradwire(faulty(1) + "--synth mixed --packets 50 --stall both:30 --capsule-out c").code,
            1);
  const json failure = json::parse(text_of(path("c/report.json")))["failure"];
  expect_shown(failure, "c/first");
}

TEST_F(FailureWaves, BehindRegisters) {
  const std::string rtl = edited("registers/gw_compressor_axil.f", "codec/gw_compressor.sv",
                                 "s/32'hFFFF_FFFF >> pad/32'h7FFF_FFFF >> pad/");
  const json failure = fails("run compressor --host axi-lite " + rtl +
                                 "gw_compressor_axil --synth mixed --packets 30 --stall both:20",
                             "engines disagree");
  expect_shown(failure, "w");
  expect_repeated(failure);
}

TEST_F(FailureWaves, OfADeviceWithAPaceAndEvents) {
  const std::string rtl = edited("switch/gw_parser.f", "switch/gw_parser.sv",
                                 "s/s_axis_tready <= !used_d.6./s_axis_tready <= !used_d[4]/");
  const json failure = fails(
      "run parser --clock 100 " + rtl + "gw_parser --synth anything --packets 300 --stall sink:60",
      "engines disagree");
  expect_shown(failure, "w");
}

TEST_F(FailureWaves, OfACounterAtTheEnd) {
  const std::string rtl =
      edited("switch/gw_parser.f", "switch/gw_parser.sv", "s/count_q + 32'd1/count_q + 32'd2/");
  const json failure =
      fails("run parser --clock 100 " + rtl + "gw_parser --synth anything --packets 30",
            "engines disagree");
  EXPECT_THAT(failure["lines"][0], HasSubstr("port stat"));
  expect_shown(failure, "w");
}

TEST_F(FailureWaves, EachFileOfAChainHasItsMarkersAndSides) {
  ASSERT_EQ(
      gradwire("run codec_loop --synth mixed --packets 20 --quick-build --quiet --wave w.fst").code,
      0);
  const Vcd first = wave("w.fst"), second = wave("w-decompressor.fst");
  EXPECT_EQ(first.number("harness.cycle", time_of(50)), 50u);
  EXPECT_EQ(second.number("harness.cycle", time_of(50)), 50u);
  EXPECT_THAT(text_of(path("w-decompressor.gtkw")), HasSubstr("gw_decompressor.m_axis_tdata"));
}

TEST_F(FailureWaves, OfASwitch) {
  // A wrong bit in the last beats of port 1.
  const std::string rtl =
      edited("switch/gw_switch.f", "switch/gw_switch.sv",
             "s/[.]m_axis_tdata, [.]m_axis_tkeep/.m_axis_tdata(data), .m_axis_tkeep/; "
             "s/^  wire [[]31:0[]] unused_data;/&\\n  wire [1023:0] data;\\n"
             "  assign m_axis_tdata = data ^ {767'd0, m_axis_tlast[1], 256'd0};/");
  const json failure = fails("run switch --clock 100 --pes 2 --profile fast " + rtl +
                                 "gw_switch --set Pes=2 --set Fast=1 --synth irregular "
                                 "--packets 60 --stall both:30",
                             "engines disagree");
  expect_shown(failure, "w");
  expect_repeated(failure);
  expect_sides(failure, "w", "gw_switch");
}

// Chains take no RTL of one's own: a program of the test's own has an edited compressor.

TEST_F(FailureWaves, OfACodecLoopInBothFiles) {
  edit_own("codec/gw_compressor.sv", "s/32'hFFFF_FFFF >> pad/32'h7FFF_FFFF >> pad/");
  // What counts lines is not linked into the program.
  const json failure = fails(
      "run codec_loop --coverage line --synth mixed --packets 30 --stall both:30 --quick-build "
      "--quiet",
      "engines disagree");
  for (const char* file : {"w", "w-decompressor"}) expect_shown(failure, file);
  EXPECT_EQ(wave("w.fst").end(), wave("w-decompressor.fst").end());
}

TEST_F(FailureWaves, OfANicInBothFiles) {
  edit_own("codec/gw_compressor.sv", "s/32'hFFFF_FFFF >> pad/32'h7FFF_FFFF >> pad/");
  const json failure =
      fails("run nic --synth packed --packets 30 --stall sink:30 --quick-build --quiet",
            "engines disagree");
  for (const char* file : {"w", "w-nic_rx"}) expect_shown(failure, file);
}

TEST_F(FailureWaves, AClosedTerminalClosesTheFile) {
  const Ended r = shell(
      GRADWIRE_BINARY
      " run compressor --synth uniform --packets 0 --quick-build --quiet --wave w.fst & run=$!;"
      " for i in $(seq 600); do [ -s w.fst ] && [ $(stat -c %s w.fst) -gt 100 ] && break; sleep "
      "0.1; done;"
      " kill -HUP $run; wait $run");
  EXPECT_LT(r.code, 128) << r.err;
  EXPECT_GT(wave("w.fst").end(), 0u);
}

}  // namespace
}  // namespace gw::tests::failure_test
