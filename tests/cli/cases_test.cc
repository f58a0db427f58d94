// Captures and files of values as people have them, from the command line: tests/capture/cases.
// SPDX-License-Identifier: Apache-2.0
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

// ---- Captures

/// The report of a run that passes; the model alone, for what is read does not depend on it.
#define EXPECT_RUN(report, arguments)                                                             \
  const Ended ended_##report = gradwire(std::string("run ") + (arguments) + " --quiet --json -"); \
  ASSERT_EQ(ended_##report.code, 0) << ended_##report.err;                                        \
  const json report = json::parse(ended_##report.out)

std::string notes_of(const json& report) {
  std::string all;
  for (const json& note : report["trace"].value("notes", json::array())) {
    all += note.get<std::string>() + "\n";
  }
  return all;
}

TEST_F(Cases, StreamsWithoutTheirBeginningRunAndThatIsSaid) {
  for (const std::string name : {"midstream.pcap", "midstream.pcap.gz"}) {
    EXPECT_RUN(report, "compressor --trace " + input(name));
    EXPECT_EQ(report["trace"]["selected"], 11);
    EXPECT_THAT(notes_of(report), HasSubstr("2 TCP streams began before the capture (no SYN)"));
    const Ended compared = gradwire("codec compare --codec onebit --json - " + input(name));
    EXPECT_EQ(compared.code, 0) << compared.err;
    EXPECT_THAT(compared.err, HasSubstr("began before the capture"));
  }
  // The terminal says it, too.
  const Ended shown = gradwire("run threshold --engine model --trace " + input("midstream.pcap"));
  ASSERT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("began before the capture"));
  const Ended info = gradwire("trace info " + input("midstream.pcap"));
  EXPECT_THAT(info.out, HasSubstr("began before the capture"));
  // A grid of packets means the same for a device of frames and one of floats.
  EXPECT_RUN(floats, "compressor --engine model --grid packet --trace " + input("midstream.pcap"));
  EXPECT_RUN(frames,
             "nic_tx --engine model --grid packet --host any --trace " + input("midstream.pcap"));
  const json& reasons = frames["nic"]["tx"]["reasons"];
  EXPECT_EQ(floats["trace"]["selected"], reasons.value("packed", 0) + reasons.value("stored", 0));
}

// Streams that a filter leaves out are followed all the same; nothing is said of them, and they are
// no workers.
TEST_F(Cases, StreamsThatAFilterLeavesOutAreNotSpokenOf) {
  const std::string early = trace("hdc-ring-early.pcap");
  EXPECT_RUN(data, "compressor --engine model --filter 'tcp port 7000' --trace " + early);
  EXPECT_EQ(data["trace"]["selected"], 647);
  EXPECT_EQ(notes_of(data), "");
  // The messages of a connection that the capture found open.
  EXPECT_RUN(all, "compressor --engine model --filter 'tcp port 7001' --trace " + early);
  EXPECT_THAT(notes_of(all), HasSubstr("2 TCP streams began before the capture (no SYN)"));
  const Ended compared =
      gradwire("codec compare --codec onebit --filter 'tcp port 7000' --json - " + early);
  ASSERT_EQ(compared.code, 0) << compared.err;
  EXPECT_EQ(json::parse(compared.out)["flows"], 2);
  EXPECT_THAT(compared.err, Not(HasSubstr("began before")));
}

TEST_F(Cases, ANicLearnsOfStreamsWithoutTheirBeginning) {
  EXPECT_RUN(nic, "nic_tx --engine model --trace " + input("midstream.pcap"));
  EXPECT_EQ(nic["trace"]["syns_made"], 1);
  EXPECT_GT(nic["nic"]["packed"]["frames"], 0);
  EXPECT_FALSE(nic["nic"]["tx"]["reasons"].contains("no_stream_start"));
  EXPECT_THAT(notes_of(nic), HasSubstr("1 TCP stream began before the capture (no SYN)"));
  // What is one host's of several is said on the terminal, too.
  const Ended shown = gradwire("run nic_tx --engine model --trace " + trace("hdc-ring-early.pcap"));
  ASSERT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("the NIC is that of 10.77.0.2"));
}

TEST_F(Cases, UnmarkedPacketsNameTheMarkAndTheOption) {
  expect_refused(
      "run compressor --trace " + input("unmarked.pcap"), 3,
      "30 not marked; the mark is ToS 0x28 (DSCP 10, also known as AF11); --mark 0x00 takes "
      "the 29 with payload that have that ToS");
  EXPECT_RUN(report, "compressor --engine model --mark 0x00 --trace " + input("unmarked.pcap"));
  EXPECT_EQ(report["trace"]["selected"], 29);
  expect_refused("codec stats " + input("unmarked.pcap"), 3, "--mark 0x00");
  EXPECT_EQ(stats(input("unmarked.pcap") + " --mark 0")["values"],
            stats(input("unmarked.pcap") + " --filter tcp")["values"]);
  expect_refused("run compressor --synth mixed --mark 0x00", 2,
                 "--mark has no effect without --trace");
  expect_refused("run compressor --mark 300 --trace " + input("unmarked.pcap"), 2, "is not a byte");
  write("plain.bin", std::string(64, '\0'));
  expect_refused("codec stats plain.bin --mark 0", 2, "--mark has no effect");
}

TEST_F(Cases, EveryLinkRuns) {
  EXPECT_RUN(six, "compressor --trace " + input("ipv6.pcap"));
  EXPECT_GT(six["trace"]["selected"], 18);
  EXPECT_RUN(raw, "compressor --trace " + input("raw-ip.pcap"));
  EXPECT_GT(raw["trace"]["selected"], 18);
  // A NIC passes IPv6 unpacked, and counts it.
  EXPECT_RUN(nic, "nic_tx --engine model --trace " + input("ipv6.pcap"));
  EXPECT_EQ(nic["nic"]["tx"]["reasons"]["not_ipv4"], nic["trace"]["packets"]);
  EXPECT_RUN(header, "nic_tx --engine model --trace " + input("raw-ip.pcap"));
  EXPECT_THAT(notes_of(header), HasSubstr("came without Ethernet's header"));
  const Ended info = gradwire("trace info " + input("ipv6.pcap"));
  EXPECT_THAT(info.out, HasSubstr("over IPv6, which a NIC passes unpacked"));
  // What left can be written, too, and read again.
  EXPECT_RUN(out, "decompressor --engine model --pcap-out o.pcap --trace " + input("ipv6.pcap"));
  EXPECT_RUN(again, "compressor --engine model --trace o.pcap");
  EXPECT_EQ(again["trace"]["selected"], six["trace"]["selected"]);
}

TEST_F(Cases, AnFcsIsStrippedOrSaid) {
  const std::string run = "nic_tx --engine model --filter 'src host 10.77.0.2' --trace ";
  EXPECT_RUN(declared, run + input("fcs-declared.pcapng"));
  EXPECT_RUN(silent, run + input("fcs.pcap"));
  EXPECT_RUN(stripped, run + input("fcs.pcap") + " --strip-fcs");
  EXPECT_GT(declared["nic"]["tx"]["reasons"]["packed"], 20);
  EXPECT_EQ(stripped["nic"]["tx"], declared["nic"]["tx"]);
  EXPECT_EQ(notes_of(declared), "");
  EXPECT_EQ(notes_of(stripped), "");
  EXPECT_THAT(notes_of(silent), HasSubstr("are their FCS"));
  EXPECT_THAT(notes_of(silent), HasSubstr("--strip-fcs"));
  EXPECT_THAT(gradwire("trace info " + input("fcs.pcap")).out, HasSubstr("--strip-fcs"));
}

TEST_F(Cases, WhatWasLeftOutIsSaidWithItsRemedy) {
  const std::string run = "nic_tx --engine model --trace ";
  for (const std::string name : {"gro.pcap", "bigtcp.pcap"}) {
    SCOPED_TRACE(name);
    EXPECT_RUN(joined, run + input(name));
    EXPECT_THAT(notes_of(joined), HasSubstr("% of the capture's bytes were left out: 1 frame above "
                                            "9,018 bytes"));
    EXPECT_THAT(notes_of(joined), HasSubstr("--segment 1448"));
    EXPECT_RUN(cut, run + input(name) + " --segment 1448 --filter 'src host 10.77.0.2'");
    EXPECT_GT(cut["nic"]["tx"]["reasons"]["packed"], 40);
    EXPECT_EQ(notes_of(cut), "");
    EXPECT_RUN(floats,
               "compressor --engine model --segment 1448 --pcap-out o.pcap --trace " + input(name));
    EXPECT_GT(floats["trace"]["selected"], 40);
    EXPECT_EQ(capture::read(path("o.pcap"))->packets.size(), floats["trace"]["selected"]);
  }
  // A file full of frames is not called one without frames.
  expect_refused("run " + run + input("snapped.pcap"), 3,
                 "that can be fed: 977 captured short; capture whole packets (tcpdump -s 0)");
  expect_refused("run " + run + input("gro.pcap") + " --filter 'greater 9000'", 3,
                 "--segment 1448");
  // Half of it is short.
  ASSERT_EQ(gradwire("trace slice " + input("snapped.pcap") + " short.pcap --last 40").code, 0);
  ASSERT_EQ(gradwire("trace slice " + trace("hdc-ring-late.pcap") + " whole.pcap --last 40").code,
            0);
  ASSERT_EQ(shell("{ cat whole.pcap; tail -c +25 short.pcap; } > half.pcap").code, 0);
  EXPECT_RUN(half, run + "half.pcap");
  EXPECT_THAT(notes_of(half), HasSubstr("40 frames captured short; capture whole packets"));
  EXPECT_RUN(floats, "compressor --engine model --trace half.pcap");
  EXPECT_THAT(notes_of(floats), HasSubstr("packets were captured short; capture whole packets"));
  expect_refused("run compressor --trace " + input("snapped.pcap"), 3,
                 "971 captured short, 6 not marked; capture whole packets (tcpdump -s 0)");
}

TEST_F(Cases, InfoAndNicAgreeOnTags) {
  const Ended r = gradwire("trace info --json - " + input("vlan-double.pcap"));
  ASSERT_EQ(r.code, 0) << r.err;
  const json info = json::parse(r.out);
  EXPECT_EQ(info["selected"], 0);
  EXPECT_EQ(info["skipped"]["vlan_tags"], 60);
  EXPECT_RUN(nic, "nic_tx --engine model --trace " + input("vlan-double.pcap"));
  EXPECT_EQ(nic["nic"]["tx"]["reasons"]["not_ipv4"], 60);
  EXPECT_RUN(all, "compressor --engine model --filter vlan --mark 0x28 --trace " +
                      input("vlan-double.pcap"));
  EXPECT_EQ(all["trace"]["selected"], 31);
}

TEST_F(Cases, InterfacesOfDifferentSnaplensAreRead) {
  const Ended r = gradwire("trace info --json - " + input("two-snaplens.pcapng"));
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_GT(json::parse(r.out)["selected"], 20);
  ASSERT_EQ(gradwire("trace slice " + input("two-snaplens.pcapng") + " s.pcapng").code, 0);
  EXPECT_EQ(text_of(path("s.pcapng")).size(), text_of(input("two-snaplens.pcapng")).size());
}

// ---- Encoded packets

TEST_F(Cases, EncodedPacketsReachTheRtl) {
  for (const std::string spec : {"onebit", "qgt:t=2^-8,coding=rice"}) {
    ASSERT_EQ(gradwire("codec encode --packets " + input("fcs-declared.pcapng") +
                       " q.pcapng --codec " + spec)
                  .code,
              0);
    EXPECT_RUN(report, "dequantizer --engine model --encoded --trace q.pcapng --pcap-out d.pcap");
    EXPECT_EQ(report["trace"]["selected"], 31);
    ASSERT_EQ(
        gradwire("codec encode " + input("fcs-declared.pcapng") + " q.bin --codec " + spec).code,
        0);
    ASSERT_EQ(gradwire("codec decode q.bin d.bin --codec " + spec).code, 0);
    ASSERT_EQ(gradwire("codec encode d.pcap again.gwc").code, 0);
    ASSERT_EQ(gradwire("codec encode d.bin straight.gwc").code, 0);
    EXPECT_EQ(text_of(path("again.gwc")), text_of(path("straight.gwc")))
        << "what left is what they mean";
  }
  ASSERT_EQ(
      gradwire("codec encode --packets --chunk 300 --bound 8 " + input("grads-f32.npy") + " g.pcap")
          .code,
      0);
  EXPECT_RUN(groups, "decompressor --encoded --bound 8 --trace g.pcap");
  EXPECT_EQ(groups["trace"]["selected"], 14);
  expect_refused("run dequantizer --encoded --synth mixed", 2,
                 "--encoded has no effect without --trace");
  // No datagram carries these.
  ASSERT_EQ(gradwire("codec encode --packets --chunk 40000 --codec raw " + input("grads-f32.npy") +
                     " one.pcap")
                .code,
            0);
  write("large.bin", std::string(200'000, '\xBC'));
  const Ended large = gradwire("codec encode --packets --chunk 40000 --codec raw large.bin l.pcap");
  EXPECT_EQ(large.code, 0) << large.err;
  EXPECT_THAT(large.err, HasSubstr("--packets left out 1 packet: longer than an IP packet can be"));
}

}  // namespace
}  // namespace gw::tests::cases_test
