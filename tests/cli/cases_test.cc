// Captures and files of values as people have them, from the command line: tests/capture/cases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "models/reference/capture/capture.h"
#include "tests/program.h"

namespace gw::tests::cases_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class Cases : public ProgramTest {
 protected:
  static std::string input(const std::string& name) {
    return std::string(GRADWIRE_SOURCE_DIR) + "/tests/capture/cases/" + name;
  }
  static std::string trace(const std::string& name) {
    return std::string(GRADWIRE_SOURCE_DIR) + "/traces/" + name;
  }
  /// One sentence on the standard error, without notes and progress; no JSON in it.
  void expect_refused(const std::string& arguments, int code, const std::string& part) const {
    SCOPED_TRACE(arguments);
    const Ended r = gradwire(arguments);
    EXPECT_EQ(r.code, code) << r.err;
    std::istringstream lines(r.err);
    std::vector<std::string> sentences;
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("# ")) sentences.push_back(line);
    }
    ASSERT_EQ(sentences.size(), 1u) << r.err;
    EXPECT_THAT(sentences[0], HasSubstr(part));
    EXPECT_THAT(sentences[0], Not(HasSubstr("{")));
  }
  json stats(const std::string& file) const {
    const Ended r = gradwire("codec stats " + file + " --json -");
    EXPECT_EQ(r.code, 0) << r.err;
    return r.code == 0 ? json::parse(r.out) : json();
  }
};

// ---- Files of values

TEST_F(Cases, NpyIsReadAsTheValuesWithin) {
  const std::string npy = text_of(input("grads-f32.npy"));
  write("plain.bin", npy.substr(npy.size() - 4 * 4096));
  const json of_npy = stats(input("grads-f32.npy"));
  EXPECT_EQ(of_npy["values"], 4096);
  const json plain = stats("plain.bin");
  EXPECT_EQ(of_npy["tags"], plain["tags"]);
  EXPECT_EQ(of_npy["ratio"], plain["ratio"]);
  // The same gradients, kept as float64 by whoever wrote the file.
  expect_refused("codec stats " + input("grads-f64.npy"), 3, "--from-float64");
  const json rounded = stats(input("grads-f64.npy") + " --from-float64");
  EXPECT_EQ(rounded["values"], 4096);
  ASSERT_EQ(gradwire("codec encode " + input("grads-f32.npy") + " n.gwc").code, 0);
  ASSERT_EQ(gradwire("codec encode plain.bin p.gwc").code, 0);
  EXPECT_EQ(text_of(path("n.gwc")), text_of(path("p.gwc")));
  const Ended quantised =
      gradwire("codec stats " + input("grads-f32.npy") + " --codec onebit --json -");
  ASSERT_EQ(quantised.code, 0) << quantised.err;
  EXPECT_EQ(json::parse(quantised.out)["values"], 4096);
  const Ended compared =
      gradwire("codec compare " + input("grads-f32.npy") + " --codec onebit --json -");
  ASSERT_EQ(compared.code, 0) << compared.err;
  EXPECT_EQ(json::parse(compared.out)["values"], 4096);
}

TEST_F(Cases, CompressedFilesAreOpened) {
  const std::string npy = text_of(input("grads-f32.npy"));
  write("a.npy", npy);
  write("a.bin", npy.substr(npy.size() - 4 * 4096));
  ASSERT_EQ(shell("gzip -k a.npy a.bin && cat a.bin.gz a.bin.gz > twice.gz").code, 0);
  EXPECT_EQ(stats("a.npy.gz")["tags"], stats("a.npy")["tags"]);
  EXPECT_EQ(stats("a.bin.gz")["tags"], stats("a.npy")["tags"]);
  EXPECT_EQ(stats("twice.gz")["values"], 2 * 4096);
  const std::string whole = text_of(path("a.bin.gz"));
  write("cut.gz", whole.substr(0, whole.size() / 2));
  expect_refused("codec stats cut.gz", 3, "cut.gz");
  if (shell("command -v zstd").code != 0) GTEST_SKIP() << "zstd is missing";
  ASSERT_EQ(shell("zstd -q a.npy a.bin && cat a.bin.zst a.bin.zst > twice.zst").code, 0);
  EXPECT_EQ(stats("a.npy.zst")["tags"], stats("a.npy")["tags"]);
  EXPECT_EQ(stats("twice.zst")["values"], 2 * 4096);
  const std::string frame = text_of(path("a.bin.zst"));
  for (size_t size = 5; size < frame.size(); size += 997) {
    write("cut.zst", frame.substr(0, size));
    expect_refused("codec stats cut.zst", 3, "cut.zst");
  }
}

TEST_F(Cases, WhatHoldsNoValuesIsRefused) {
  using std::string_view_literals::operator""sv;
  write("x.npz", std::string("PK\x03\x04\x14\0\0\0\0\0\0\0"sv));
  write("x.txt", "0.25\n0.125\n0.0625\n1e-3\n");
  for (const char* const command : {"codec stats ", "codec compare ", "codec encode "}) {
    const std::string output = std::string(command) == "codec encode " ? " out.bin" : "";
    expect_refused(command + ("x.npz" + output), 3, "zip archive");
    expect_refused(command + ("x.txt" + output), 3, "is text");
  }
  EXPECT_FALSE(std::filesystem::exists(path("out.bin")));
}

TEST_F(Cases, CapturesAreReadAsCaptures) {
  const json early = stats(trace("hdc-ring-early.pcap"));
  EXPECT_EQ(early["values"], 935452 / 4);  // traces/manifest.json
  const json live = stats(input("fcs-declared.pcapng"));
  EXPECT_EQ(live["values"], 44888 / 4);
  ASSERT_EQ(gradwire("codec encode " + trace("hdc-ring-early.pcap") + " e.gwc").code, 0);
  ASSERT_EQ(gradwire("codec decode e.gwc d.bin").code, 0);
  EXPECT_EQ(text_of(path("d.bin")).size(), 935452u);
}

TEST_F(Cases, EncodedFilesKnowTheirBound) {
  ASSERT_EQ(
      gradwire("codec encode " + input("grads-f32.npy") + " e.gwc --bound 8 --mode paper").code, 0);
  ASSERT_EQ(
      gradwire("codec encode " + input("grads-f32.npy") + " e.raw --bound 8 --mode paper --raw")
          .code,
      0);
  EXPECT_EQ(text_of(path("e.gwc")).substr(32), text_of(path("e.raw")));
  ASSERT_EQ(gradwire("codec decode e.gwc d.bin").code, 0);
  ASSERT_EQ(gradwire("codec decode e.gwc same.bin --bound 8 --mode paper").code, 0);
  ASSERT_EQ(gradwire("codec decode e.raw raw.bin --raw --bound 8 --mode paper").code, 0);
  EXPECT_EQ(text_of(path("d.bin")).size(), 4 * 4096u);
  EXPECT_EQ(text_of(path("same.bin")), text_of(path("d.bin")));
  EXPECT_EQ(text_of(path("raw.bin")), text_of(path("d.bin")));
  expect_refused("codec decode e.gwc x.bin --bound 10", 2, "encoded with bound 2^-8, mode paper");
  expect_refused("codec decode e.gwc x.bin --mode bounded", 2, "leave --mode out");
  expect_refused("codec decode e.raw x.bin", 3, "--raw");
  expect_refused("codec stats e.gwc", 3, "decode it first");
  std::string bent = text_of(path("e.gwc"));
  bent[bent.size() / 2] ^= 1;
  write("bent.gwc", bent);
  expect_refused("codec decode bent.gwc x.bin", 3, "checksum");
  expect_refused("codec encode " + input("grads-f32.npy") + " x.bin --raw --codec onebit", 2,
                 "--raw");
  EXPECT_FALSE(std::filesystem::exists(path("x.bin")));
  // What fills the last group is no value.
  write("three.bin", std::string(12, '\0'));
  ASSERT_EQ(gradwire("codec encode three.bin t.gwc").code, 0);
  ASSERT_EQ(gradwire("codec decode t.gwc t.bin").code, 0);
  EXPECT_EQ(text_of(path("t.bin")), std::string(12, '\0'));
}

}  // namespace
}  // namespace gw::tests::cases_test
