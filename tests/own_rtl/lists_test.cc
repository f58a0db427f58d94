// Lists, single files, and what is set beside them, as a command line and a plan have it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/program.h"

namespace gw::tests::lists_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Lists : public ProgramTest {
 protected:
  static std::string rtl(const std::string& top) {
    return fmt::format("--rtl {}/tests/own_rtl/{}.f --top {} ", GRADWIRE_SOURCE_DIR, top, top);
  }
  Ended compressor(const std::string& arguments) const {
    return gradwire(
        "run compressor --synth mixed --packets 20 --check reference,protocol --quick-build "
        "--json r.json " +
        arguments);
  }
  /// What the RTL of settings.sv has said.
  std::string settings(const std::string& arguments) const {
    const Ended ended = compressor(rtl("settings") + arguments);
    if (ended.code == 0) return "";
    EXPECT_EQ(ended.code, 1) << ended.err;
    const std::string lines = json::parse(text_of(path("r.json")))["failure"]["lines"].dump();
    const size_t at = lines.rfind("settings: ");
    return at == std::string::npos ? lines : lines.substr(at, lines.find('"', at) - at);
  }
};

TEST_F(Lists, DelaysStringsAndListsOfOne) {
  EXPECT_EQ(compressor(rtl("clock_to_q")).code, 0);
  EXPECT_EQ(compressor(rtl("needs_string")).code, 0);
  const Ended one = compressor("--rtl rtl/codec/gw_codec_pkg.sv --top nothing");
  EXPECT_EQ(one.code, 3) << "found with the program; it has no such top";
  EXPECT_THAT(one.err, HasSubstr("Verilator refuses nothing:\n%Error"));
}

TEST_F(Lists, TheProgramsOwnAreFoundFromAnyFolder) {
  const Ended own = compressor(
      fmt::format("--rtl {}/rtl/codec/gw_compressor.f --top gw_compressor", GRADWIRE_SOURCE_DIR));
  EXPECT_EQ(own.code, 0) << own.err;
  const Ended trace =
      gradwire("run compressor --engine model --trace hdc-ring-late --packets 5 --json - --quiet");
  EXPECT_EQ(trace.code, 0) << trace.err;
  EXPECT_EQ(json::parse(trace.out)["checks"]["reference_packets"], 5);
  const Ended plan = gradwire("regress smoke --dry-run --device compressor");
  EXPECT_EQ(plan.code, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("run compressor"));
}

TEST_F(Lists, WhatIsSetBesideAListCounts) {
  const std::string headers =
      fmt::format("--incdir {}/tests/own_rtl/headers ", GRADWIRE_SOURCE_DIR);
  EXPECT_EQ(settings(""), "");
  EXPECT_EQ(settings("--set Add=3 --define TIMES=5"), "settings: 16") << "C adds one";
  EXPECT_EQ(settings("--define TIMES=5 --set Add=3 " + headers), "settings: 116");
  // Both RTLs of a comparison get them.
  const Ended both = compressor(rtl("settings") + "--set Add=0 " + headers + "--against " +
                                GRADWIRE_SOURCE_DIR "/tests/own_rtl/clock_to_q.f --against-top x");
  EXPECT_THAT(both.err, HasSubstr("refuses x"));
  for (const auto& [words, sentence] : std::vector<std::pair<std::string, std::string>>{
           {rtl("settings") + "--set Add", "--set 'Add' is not NAME=VALUE"},
           {rtl("settings") + "--define =3", "--define '=3' is not NAME or NAME=VALUE"},
           {"--set Add=3", "--set has no effect without --rtl or --against"},
           {"--warnings", "--warnings has no effect without --rtl or --against"}}) {
    const Ended refused = compressor(words);
    EXPECT_EQ(refused.code, 2) << words;
    EXPECT_THAT(refused.err, HasSubstr(sentence));
  }
  EXPECT_EQ(compressor(rtl("settings") + "--incdir none").code, 3);
}

TEST_F(Lists, OpenOutputsAreNamedAndWarningsShownIfAskedFor) {
  const Ended plain = compressor(rtl("settings"));
  EXPECT_EQ(plain.code, 0) << plain.err;
  EXPECT_THAT(plain.err, HasSubstr("settings: the device has no output debug_o"));
  EXPECT_THAT(plain.err, Not(HasSubstr("%Warning")));
  const Ended warned = compressor(rtl("settings") + "--warnings");
  EXPECT_EQ(warned.code, 0);
  EXPECT_THAT(warned.err, HasSubstr("%Warning-WIDTH"));
}

TEST_F(Lists, APlanSweepsWhatIsSetAndCapsulesCarryIt) {
  write("p.toml",
        fmt::format("name = \"p\"\n[[group]]\nname = \"g\"\ndevice = \"compressor\"\n"
                    "synth = \"mixed\"\npackets = 20\nrtl = \"{}/tests/own_rtl/settings.f\"\n"
                    "top = \"settings\"\ncheck = \"reference\"\nquick-build = true\n"
                    "define = [\"TIMES=5\"]\nset = {{ Add = [0, 3] }}\n",
                    GRADWIRE_SOURCE_DIR));
  const Ended ran = gradwire("regress p.toml --out out --jobs 1");
  EXPECT_EQ(ran.code, 1) << ran.err;
  const json cases = json::parse(text_of(path("out/regress.json")))["cases"];
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[0]["name"], "g/compressor/mixed/TIMES=5/Add=0/s1");
  EXPECT_EQ(cases[0]["verdict"], "pass");
  EXPECT_EQ(cases[1]["verdict"], "fail");
  const std::string command = cases[1]["command"];
  EXPECT_THAT(command, AllOf(HasSubstr(" --define=TIMES=5 "), HasSubstr(" --set=Add=3 ")));
  const Ended again = shell(command + " --quiet --capsule-out capsule --shrink off --json r.json");
  EXPECT_EQ(again.code, 1) << again.err;
  EXPECT_THAT(text_of(path("r.json")), HasSubstr("settings: 16"));
  // Its capsule is replayed without any of these options.
  const Ended replayed = gradwire("replay capsule --quick-build --json r.json");
  EXPECT_EQ(replayed.code, 1) << replayed.err;
  EXPECT_THAT(replayed.out, HasSubstr("the bug is there"));
  EXPECT_THAT(text_of(path("r.json")), HasSubstr("settings: 16"));
}

TEST_F(Lists, ANetlistIsMadeOfItToo) {
  const Ended netlist = compressor(rtl("clock_to_q") + "--netlist words-are-none");
  EXPECT_EQ(netlist.code, 2);
  const Ended generic = compressor(rtl("clock_to_q") + "--netlist generic");
  EXPECT_EQ(generic.code, 0) << generic.err;
  EXPECT_EQ(json::parse(text_of(path("r.json")))["netlist"], "generic");
}

}  // namespace
}  // namespace gw::tests::lists_test
