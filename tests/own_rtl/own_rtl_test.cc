// RTL as users have it, in the place of the compressor: what each module's run must say.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "tests/program.h"

namespace gw::tests::own_rtl_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class OwnRtl : public ProgramTest {
 protected:
  static fs::path list_of(const std::string& module) {
    return fs::path(GRADWIRE_SOURCE_DIR "/tests/own_rtl") / (module + ".f");
  }
  /// Twenty packets of mixed values through the module that a list ends with, without the model.
  Ended run(const fs::path& list, const std::string& more = "") const {
    return gradwire(
        fmt::format("run compressor --rtl {} --top {} --synth mixed --packets 20 --check "
                    "reference,protocol --quick-build --json r.json {}",
                    list.string(), list.stem().string(), more));
  }
  json report() const { return json::parse(text_of(path("r.json"))); }
  /// Another file in the place of one of the module's own, in a list of the test's.
  fs::path changed(const std::string& module, const std::string& from,
                   const std::string& to) const {
    const fs::path folder = list_of(module).parent_path();
    std::string text = text_of(folder / (module + ".sv"));
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos);
    text.replace(at, from.size(), to);
    write(module + ".sv", text);
    write(module + ".f", fmt::format("-f {}/compressor.f\n{}.sv\n", folder.string(), module));
    return folder_ / (module + ".f");
  }
};

TEST_F(OwnRtl, AConcurrentAssertionEndsARunWithItsTextWithAndWithoutWaves) {
  const Ended plain = run(list_of("says_sva"));
  EXPECT_EQ(plain.code, 1) << plain.err;
  EXPECT_THAT(plain.out, HasSubstr("tlast seen"));
  EXPECT_THAT(plain.out, HasSubstr("NeverLast"));
  const json without = report();
  EXPECT_EQ(without["assertions"], "checked");
  // The first packet's last beat is at the input in the cycle before.
  EXPECT_EQ(run(list_of("says_sva"), "--wave w.fst").code, 1);
  EXPECT_EQ(report()["failure"]["lines"], without["failure"]["lines"]);
  EXPECT_EQ(report()["bucket"], without["bucket"]);
}

TEST_F(OwnRtl, AssertionsCanBeLeftOutAndTheReportSaysSo) {
  const Ended r = run(list_of("says_sva"), "--no-assert --capsule-out c");
  EXPECT_EQ(r.code, 0) << r.out << r.err;
  EXPECT_THAT(r.out, HasSubstr("left out (--no-assert)"));
  for (const auto& [options, words] : std::vector<std::pair<std::string, std::string>>{
           {"", "--no-assert is about RTL of your own and goes with --rtl or --against"},
           {fmt::format("--rtl {} --top says_sva --coverage user", list_of("says_sva").string()),
            "--coverage user counts what is built with assertions"}}) {
    const Ended refused = gradwire("run compressor --synth mixed --no-assert " + options);
    EXPECT_EQ(refused.code, 2) << refused.out;
    EXPECT_THAT(refused.err, HasSubstr(words));
  }
}

TEST_F(OwnRtl, AnImmediateAssertionFailsAndItsCapsuleReplaysWhateverBytesItsTextHas) {
  const Ended plain = run(list_of("says_assert"));
  EXPECT_EQ(plain.code, 1) << plain.err;
  EXPECT_THAT(plain.out, HasSubstr("tlast seen"));
  // Latin-1 is no UTF-8.
  const Ended r = run(changed("says_assert", "tlast seen", "letzter Takt gesehen: \xFC"),
                      "--capsule-out c --shrink '20 s'");
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_FALSE(fs::exists(path("c/flaky.txt")));
  const Ended replayed = gradwire("replay c.zip --quiet");
  EXPECT_EQ(replayed.code, 1) << replayed.err;
  EXPECT_EQ(replayed.out, "the bug is there: " + report()["bucket"].get<std::string>() + "\n");
  EXPECT_THAT(replayed.out, HasSubstr("letzter Takt gesehen: \uFFFD"));
  const Ended less = gradwire("replay c.zip --quiet --no-assert");
  EXPECT_EQ(less.code, 5) << less.err;
  EXPECT_THAT(less.out, HasSubstr("--no-assert may look at less"));
  // Only what was read is within: of rtl/common alone the headers that are included.
  EXPECT_TRUE(fs::exists(path("c/rtl/says_assert.sv")));
  EXPECT_FALSE(fs::exists(path("c/rtl/r.json")));
  size_t headers = 0;
  for (const fs::directory_entry& file : fs::recursive_directory_iterator(path("c/rtl"))) {
    headers += file.path().extension() == ".svh";
  }
  EXPECT_EQ(headers, 1u);
}

TEST_F(OwnRtl, ARegisterWithoutResetStartsByTheSeedWithAndWithoutWaves) {
  int failed = 0;
  constexpr int kSeeds = 16;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    const Ended r = run(list_of("never_reset"), fmt::format("--seed {}", seed));
    EXPECT_LE(r.code, 1) << r.err;
    failed += r.code;
    if (seed > 4) continue;
    EXPECT_EQ(run(list_of("never_reset"), fmt::format("--seed {} --wave w.fst", seed)).code, r.code)
        << seed;
    EXPECT_EQ(run(list_of("never_reset"), fmt::format("--seed {} --no-assert", seed)).code, r.code)
        << seed;
  }
  EXPECT_GE(failed, kSeeds / 4);
  EXPECT_LE(failed, kSeeds * 3 / 4);
}

TEST_F(OwnRtl, PortsMayBeDeclaredInAnyOrder) {
  // A quantiser has pins, a wide tuser and two status words, which hostile traffic counts up; its
  // ports the other way round.
  const fs::path rtl = fs::path(GRADWIRE_SOURCE_DIR) / "rtl";
  const std::string text = text_of(rtl / "quant/gw_mx.sv");
  const std::regex port(R"((^|\n)\s*((?:input|output) [^;\n]*?\w+)\s*,?\s*(?://[^\n]*)?(?=\n))");
  std::vector<std::string> ports;
  size_t begin = std::string::npos, end = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), port), none; at != none; ++at) {
    begin = std::min(begin, static_cast<size_t>(at->position()));
    end = static_cast<size_t>(at->position() + at->length());
    ports.insert(ports.begin(), (*at)[2].str());
  }
  ASSERT_GT(ports.size(), 15u);
  write("gw_mx.sv", fmt::format("{}\n  {}{}", text.substr(0, begin), fmt::join(ports, ",\n  "),
                                text.substr(end)));
  std::string list = text_of(rtl / "quant/gw_mx.f");
  const std::string own = "rtl/quant/gw_mx.sv";
  ASSERT_NE(list.find(own), std::string::npos);
  write("mx.f", list.replace(list.find(own), own.size(), path("gw_mx.sv")));
  const Ended r = gradwire(
      "run mx --rtl mx.f --top gw_mx --rows 64 --set Rows=64 --random hostile --packets 300 "
      "--quick-build --json r.json");
  EXPECT_EQ(r.code, 0) << r.out << r.err;
  EXPECT_GT(report()["checks"]["lockstep_cycles"], 1000);
}

class Rom : public OwnRtl {
 protected:
  const std::string bucket_ = "compressor, reads_rom, stopped, rtl: reads_rom.sv:#: rom says so";
};

TEST_F(Rom, IsFoundBesideItsSourceAndInACapsule) {
  const Ended r = run(list_of("reads_rom"), "--capsule-out c --shrink off");
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_THAT(r.out, HasSubstr("rom says so"));
  ASSERT_EQ(report()["rtl_reads"].size(), 1u) << report();
  EXPECT_EQ(report()["rtl_reads"][0]["name"], "rom.hex");
  const std::string bucket = report()["bucket"];
  const Ended there = shell(
      "mkdir elsewhere && cd elsewhere && python3 -m zipfile -e ../c.zip . && " GRADWIRE_BINARY
      " replay c --quiet");
  EXPECT_EQ(there.code, 1) << there.err;
  EXPECT_EQ(there.out, "the bug is there: " + bucket + "\n");
  // With other contents it is gone; without the file nobody knows.
  write("elsewhere/c/rtl/rom/rom.hex", "01\n03\n03\n04\n");
  const Ended gone = gradwire("replay elsewhere/c --quiet");
  EXPECT_EQ(gone.code, 0) << gone.out << gone.err;
  EXPECT_EQ(gone.out, "the bug is gone: " + bucket + "\n");
  fs::remove(path("elsewhere/c/rtl/rom/rom.hex"));
  const Ended unknown = gradwire("replay elsewhere/c --quiet");
  EXPECT_EQ(unknown.code, 5) << unknown.out << unknown.err;
  EXPECT_THAT(unknown.out, HasSubstr("it passes, but not as it failed: the RTL reads 'rom.hex', "
                                     "which is not there"));
}

TEST_F(Rom, ThatHasChangedRunsAgain) {
  fs::create_directories(path("lists"));
  fs::create_directories(path("sources"));
  fs::copy_file(list_of("reads_rom").parent_path() / "rom/reads_rom.sv",
                path("sources/reads_rom.sv"));
  write("lists/reads_rom.f",
        fmt::format("-f {}\n../sources/reads_rom.sv\n", list_of("compressor").string()));
  write("p.toml",
        "name = \"rom\"\n[[group]]\nname = \"g\"\ndevice = \"compressor\"\nsynth = \"mixed\"\n"
        "packets = 5\ncheck = \"reference,protocol\"\nquick-build = true\n");
  const auto failed = [&](const std::string& rom) {
    write("sources/rom.hex", rom);
    const Ended r = gradwire(
        "regress p.toml --out dir --shrink off --device compressor --rtl lists/reads_rom.f "
        "--top reads_rom");
    EXPECT_LE(r.code, 1) << r.err;
    return r.code;
  };
  EXPECT_EQ(failed("01\n02\n03\n04\n"), 1);
  EXPECT_EQ(failed("01\n03\n03\n04\n"), 0);
  EXPECT_EQ(failed("01\n02\n03\n04\n"), 1);
}

}  // namespace
}  // namespace gw::tests::own_rtl_test
