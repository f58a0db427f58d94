// The command line as scripts see it: exit codes, one-sentence errors, files that are whole or
// absent.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string_view>

#include "models/reference/capture/capture.h"
#include "tests/program.h"
#include "tests/sanitized.h"

namespace gw::tests::cli_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

/// RTL that is built in seconds.
constexpr const char* kSmallArray = " --pes 1 --profile fast";

class Cli : public ProgramTest {
 protected:
  static std::string capture(const std::string& name) {
    return std::string(GRADWIRE_SOURCE_DIR) + "/traces/" + name + ".pcap";
  }

  /// The sentence, after any progress lines.
  static void expect_one_sentence(const Ended& r, int code, const std::string& part) {
    EXPECT_EQ(r.code, code) << r.err;
    std::istringstream lines(r.err);
    std::string line;
    std::vector<std::string> sentences;
    while (std::getline(lines, line)) {
      if (!line.starts_with("# ")) sentences.push_back(line);
    }
    ASSERT_EQ(sentences.size(), 1u) << r.err;
    EXPECT_TRUE(sentences[0].starts_with("gradwire: ")) << r.err;
    EXPECT_NE(sentences[0].find(part), std::string::npos) << r.err;
  }
};

// ---- exit code 0

TEST_F(Cli, HelpAndVersion) {
  EXPECT_EQ(gradwire("--help").code, 0);
  const std::string help = gradwire("run --help").out;
  EXPECT_THAT(help, HasSubstr("\nPackets:\n  --trace FILE "));
  EXPECT_THAT(help, HasSubstr("\n  --seed N=1 "));
  EXPECT_THAT(help, HasSubstr("\nRTL of your own:\n  --rtl FILE "));
  // In lines that fit.
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 96U) << line;
  const Ended version = gradwire("--version");
  EXPECT_EQ(version.code, 0);
  for (const char* tool : {"compiler", "verilator", "systemc", "cmake", "fmt"}) {
    EXPECT_NE(version.out.find(std::string("\n") + tool + " "), std::string::npos) << tool;
  }
}

// A regression takes a case that says nothing for a minute for one that hangs.
TEST_F(Cli, ABuildThatTakesLongSaysThatItGoesOn) {
  write("verilator",
        "#!/bin/sh\n"
        "case \"$*\" in -V) PATH=${PATH#*:} exec verilator \"$@\" ;; esac\n"
        "sleep 12\n"
        "echo %Error: enough slept\n"
        "exit 1\n");
  fs::permissions(path("verilator"), fs::perms::owner_all);
  const Ended r =
      shell("PATH=" + folder_.string() +
            ":$PATH " GRADWIRE_BINARY
            " run compressor --synth gradients --packets 3 --rtl " GRADWIRE_SOURCE_DIR
            "/examples/compressor/serial_compressor.f --top serial_compressor --cache " +
            path("cache"));
  EXPECT_EQ(r.code, 3) << r.err;
  EXPECT_NE(r.err.find("s so far"), std::string::npos) << r.err;
  EXPECT_NE(r.err.find("enough slept"), std::string::npos) << r.err;
}

TEST_F(Cli, ListNamesDevicesAndTraces) {
  const Ended r = gradwire("list --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const json document = json::parse(r.out);
  EXPECT_EQ(document["devices"][0]["name"], "compressor");
  EXPECT_EQ(document["devices"][1]["name"], "decompressor");
  EXPECT_GE(document["traces"].size(), 4u);
  std::vector<std::string> synth;
  for (const json& kind : document["synth"]) synth.push_back(kind["name"]);
  for (const char* kind : {"gradients", "gradient-192", "ordinary-60", "incast", "workers"}) {
    EXPECT_EQ(std::ranges::count(synth, kind), 1) << kind;
  }
  EXPECT_EQ(gradwire("list").code, 0);
}

TEST_F(Cli, RunWritesEveryReport) {
  for (const std::string device : {"compressor", "decompressor"}) {
    // For sanitizers one page.
    const bool page = !kSanitized || device == "compressor";
    const Ended r =
        gradwire(fmt::format("run {} --trace {} --packets 50 --json r.json {} --pcap-out o.pcap",
                             device, capture("hdc-ring-early"), page ? "--html r.html" : ""));
    ASSERT_EQ(r.code, 0) << r.err;
    const json report = json::parse(text_of(path("r.json")));
    for (const char* key : {"device",
                            "engines",
                            "clock_mhz",
                            "seed",
                            "stall",
                            "bound",
                            "mode",
                            "trace",
                            "cycles",
                            "beats_in",
                            "beats_out",
                            "bytes_in",
                            "bytes_out",
                            "cycles_per_burst",
                            "latency_cycles",
                            "throughput_gbps",
                            "line_rate_percent",
                            "stall_cycles",
                            "compression",
                            "checks",
                            "sim",
                            "version",
                            "tools",
                            "command",
                            "pass"}) {
      EXPECT_TRUE(report.contains(key)) << key;
    }
    EXPECT_TRUE(report["version"].is_string());
    EXPECT_EQ(gradwire("--version").out.find(report["version"].get<std::string>() + "\n"), 0u);
    EXPECT_TRUE(report["tools"].contains("verilator"));
    EXPECT_EQ(report["checks"]["reference_packets"], 50);
    EXPECT_EQ(report["checks"]["lockstep_mismatches"], 0);
    EXPECT_EQ(report["checks"]["lockstep_cycles"], report["cycles"]);
    EXPECT_FALSE(report.contains("plots"));
    EXPECT_NE(text_of(path("r.html")).find("</html>"), std::string::npos);
    const auto out = capture::read(path("o.pcap"));
    ASSERT_TRUE(out) << out.error().sentence;
    EXPECT_EQ(out->packets.size(), 50u);
  }
}

TEST_F(Cli, WhatTheCompressorSentDecompressesToTheTrace) {
  ASSERT_EQ(gradwire(fmt::format("run compressor --trace {} --packets 20 --quiet --pcap-out c.pcap",
                                 capture("hdc-ring-late")))
                .code,
            0);
  const auto packets = capture::read(path("c.pcap"));
  ASSERT_TRUE(packets);
  for (const capture::Packet& packet : packets->packets) {
    EXPECT_EQ(packet.layers.ipv4->tos, 0x28);
    EXPECT_TRUE(capture::check_checksums(packet).ipv4);
    EXPECT_TRUE(capture::check_checksums(packet).transport);
  }
}

TEST_F(Cli, JsonToStandardOutputIsOnlyJson) {
  const Ended r = gradwire("run compressor --synth single --json -");
  ASSERT_EQ(r.code, 0);
  EXPECT_TRUE(json::accept(r.out)) << r.out.substr(0, 200);
}

// `> log`, `>> log` and `{ ...; } > log` keep what was there and what comes after it.
TEST_F(Cli, JsonToStandardOutputGoesOnWhereItIs) {
  const std::string run = GRADWIRE_BINARY " run compressor --synth mixed --packets 5 --quiet";
  shell("{ echo before; " + run + " --json -; " + run +
        " --json /dev/stdout; echo after; } > log; " + run + " --json /dev/fd/3 3>> log");
  const std::string log = text_of(path("log"));
  EXPECT_TRUE(log.starts_with("before\n{\n"));
  EXPECT_NE(log.find("}\nafter\n{\n"), std::string::npos);
  size_t reports = 0;
  for (size_t at = 0; (at = log.find("\n  \"device\": \"compressor\"", at)) != std::string::npos;
       ++at)
    ++reports;
  EXPECT_EQ(reports, 3u);
}

TEST_F(Cli, ALogOfBothIsInOrder) {
  std::string bytes = text_of(capture("hdc-ring-early"));
  write("cut.pcap", bytes.substr(0, bytes.size() / 2 + 1));
  shell(GRADWIRE_BINARY " run compressor --trace cut.pcap > both 2>&1");
  const std::string both = text_of(path("both"));
  const size_t verdict = both.find("  FAIL  "), sentence = both.find("gradwire: ");
  EXPECT_LT(both.find("# compressor: packets from"), verdict);
  EXPECT_LT(verdict, sentence);
  EXPECT_NE(sentence, std::string::npos) << both;
}

TEST_F(Cli, PrintedCommandsArePastedIntoAShell) {
  const std::string name = "it's a & \"b\" $HOME;*.pcap";
  fs::copy_file(capture("hdc-ring-early"), path(name));
  const std::string word = "'it'\\''s a & \"b\" $HOME;*.pcap'";
  const Ended r = gradwire("run compressor --packets 20 --json r.json --trace " + word);
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string command = json::parse(text_of(path("r.json")))["command"];
  // As it stands under the verdict.
  ASSERT_NE(r.out.find("\n" + command + "\n"), std::string::npos) << r.out;
  const Ended again = shell(command + " --json again.json");
  ASSERT_EQ(again.code, 0) << again.err;
  const json first = json::parse(text_of(path("r.json"))),
             second = json::parse(text_of(path("again.json")));
  EXPECT_EQ(first["trace"], second["trace"]);
  EXPECT_EQ(first["cycles"], second["cycles"]);
}

TEST_F(Cli, WhatRepeatsAFailureWritesNothingOfTheFirstRun) {
  const std::string run = "run compressor --rtl " GRADWIRE_SOURCE_DIR
                          "/tests/capsule/faulty_compressor.f --top "
                          "faulty_compressor --quick-build --bound 1 --synth mixed --packets 300 ";
  write("c.json", "{\"html\": \"from-config.html\", \"seed\": 1}");
  const Ended r = gradwire(run +
                           "--json r.json --pcap-out=o.pcap --html r.html --wave w.fst "
                           "--pcap-in-out i.pcap --coverage functional --coverage-out c.cov "
                           "--config c.json");
  ASSERT_EQ(r.code, 1) << r.err;
  const std::string repeats = json::parse(text_of(path("r.json")))["failure"]["reproduce"];
  EXPECT_THAT(r.out, HasSubstr("  " + repeats + "\n"));
  EXPECT_THAT(repeats, HasSubstr(" --bound 1 --synth mixed --packets 300 --coverage functional"));
  for (const char* file : {"r.json", "o.pcap", "r.html", "i.pcap", "c.cov", "from-config.html"}) {
    EXPECT_THAT(repeats, Not(HasSubstr(file)));
    write(file, "kept");
  }
  EXPECT_EQ(shell(repeats + " --quiet").code, 1);
  for (const char* file : {"r.json", "o.pcap", "r.html", "i.pcap", "c.cov", "from-config.html"}) {
    EXPECT_EQ(text_of(path(file)), "kept") << file;
  }
  EXPECT_TRUE(fs::exists(path("divergence.fst")));
}

TEST_F(Cli, WhatRanNamesTheStimulus) {
  for (const auto& [arguments, line] : std::vector<std::pair<std::string, std::string>>{
           {"compressor --synth mixed", "  stimulus           mixed "},
           {"nic_tx --synth packed", "  stimulus           packed "},
           {"parser --synth workers", "  stimulus           workers "},
           {"compressor --random gentle", "random.toml#gentle"},
           {"compressor --filter 'tcp and not port 22' --trace " + capture("hdc-ring-early"),
            "  filter             tcp and not port 22"}}) {
    const Ended r = gradwire("run --packets 3 --engine model " + arguments);
    ASSERT_EQ(r.code, 0) << r.err;
    const size_t begin = r.out.find("What ran"), end = r.out.find("Rate and latency");
    EXPECT_NE(r.out.substr(begin, end - begin).find(line), std::string::npos) << r.out;
  }
}

TEST_F(Cli, ABoundIsTakenAsAPowerToo) {
  for (const char* bound : {"7", "2^-7"}) {
    const Ended r = gradwire(
        fmt::format("run compressor --synth mixed --packets 5 --bound {} --quiet --json {}.json",
                    bound, bound));
    ASSERT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(json::parse(text_of(path(std::string(bound) + ".json")))["bound"], 7);
  }
  expect_one_sentence(gradwire("run compressor --synth mixed --bound 2^10"), 2,
                      "--bound '2^10' is neither K nor 2^-K");
  expect_one_sentence(gradwire("run compressor --synth mixed --bound 2^-15"), 2,
                      "the bound exponent must be from 1 to 14");
}

TEST_F(Cli, AWaveformThatBeginsAfterTheEndIsSaid) {
  const Ended r =
      gradwire("run compressor --synth mixed --packets 3 --wave w.fst --wave-from 100000");
  expect_one_sentence(r, 2, "--wave-from 100000 is after the run's last cycle, ");
  EXPECT_NE(r.out.find("  PASS  "), std::string::npos);
}

TEST_F(Cli, SameSeedSameReport) {
  const std::string command =
      "run decompressor --synth mixed --stall both:30 --seed 9 --quiet --json ";
  ASSERT_EQ(gradwire(command + "a.json").code, 0);
  ASSERT_EQ(gradwire(command + "b.json").code, 0);
  json a = json::parse(text_of(path("a.json"))), b = json::parse(text_of(path("b.json")));
  for (json* report : {&a, &b}) {
    report->erase("sim");
    report->erase("command");
    report->erase("baselines");  // they hold speeds
  }
  EXPECT_EQ(a, b);
}

TEST_F(Cli, ConfigFilesInBothForms) {
  write("c.json",
        R"({"synth": "zeros", "packets": 7, "bound": 6, "mode": "paper", "quiet": true})");
  write("c.ini", "synth=zeros\npackets=7\nbound=6\nmode=paper\nquiet=true\n");
  for (const char* file : {"c.json", "c.ini"}) {
    const Ended r = gradwire(fmt::format("run compressor --config {} --bound 8 --json -", file));
    ASSERT_EQ(r.code, 0) << r.err;
    const json report = json::parse(r.out);
    EXPECT_EQ(report["trace"]["selected"], 7) << file;
    EXPECT_EQ(report["mode"], "paper") << file;
    EXPECT_EQ(report["bound"], 8) << file;  // what is typed wins
  }
}

/// The signals of a VCD as a save file names them: scope.scope.name[msb:lsb].
std::set<std::string> signals_of(const std::string& vcd) {
  std::set<std::string> signals;
  std::vector<std::string> scopes;
  std::istringstream lines(vcd);
  std::string line;
  while (std::getline(lines, line) && line.find("$enddefinitions") == std::string::npos) {
    std::istringstream words(line);
    std::string kind, type, width, code, name, range;
    words >> kind >> type;
    if (kind == "$scope" && words >> name) scopes.push_back(name);
    if (kind == "$upscope" && !scopes.empty()) scopes.pop_back();
    if (kind != "$var" || !(words >> width >> code >> name >> range)) continue;
    std::string whole;
    for (const std::string& scope : scopes) whole += scope + ".";
    signals.insert(whole + name + (range == "$end" ? "" : range));
  }
  return signals;
}

TEST_F(Cli, WaveformsWithTheirSaveFile) {
  int turn = 0;
  for (const std::string device :
       {"compressor", "decompressor", "codec_loop", "mx", "aggregator", "switch"}) {
    ++turn;
    for (const std::string kind : {"fst", "vcd"}) {
      // For sanitizers one or the other.
      if (kSanitized && (kind == "vcd") != (turn % 2 == 0)) continue;
      const std::string file = device + "." + kind;
      const Ended r = gradwire(
          fmt::format("run {} --synth {} --packets 20 --stall both:20 --quiet --wave {}", device,
                      device == "codec_loop" || device == "mx" || device.ends_with("compressor")
                          ? "mixed"
                          : "workers",
                      file) +
          (device == "switch" ? kSmallArray : ""));
      ASSERT_EQ(r.code, 0) << r.err;
      const Ended vcd = shell(kind == "fst" ? "fst2vcd -f " + file : "cat " + file);
      ASSERT_EQ(vcd.code, 0) << vcd.err;
      EXPECT_NE(vcd.out.find("s_axis_tready"), std::string::npos);
      EXPECT_NE(vcd.out.find("input_packet"), std::string::npos);
      EXPECT_NE(vcd.out.find("model_m"), std::string::npos);
      EXPECT_NE(text_of(path(device + ".gtkw"))
                    .find(device == "switch" ? "-m_axis3: model\n" : "-Model\n"),
                std::string::npos);
      // Every signal that the save file names is in the waveform, in its scope, or its group would
      // open empty.
      const std::set<std::string> signals = signals_of(vcd.out);
      std::istringstream lines(text_of(path(device + ".gtkw")));
      std::string line;
      int named = 0;
      while (std::getline(lines, line)) {
        if (line.empty() || std::string_view("[@-*").find(line[0]) != std::string_view::npos)
          continue;
        // Bits of signals under a name of their own: +{name} (3)signal, #{name} (3)signal (2)signal
        if (line[0] == '+' || line[0] == '#') line.erase(0, line.find("} ") + 2);
        std::istringstream words(line);
        for (std::string word; words >> word;) {
          if (word[0] == '(') word.erase(0, word.find(')') + 1);
          EXPECT_TRUE(signals.contains(word)) << word;
        }
        ++named;
      }
      EXPECT_GT(named, 15);
    }
  }
}

TEST_F(Cli, AWaveformWindowIsSmaller) {
  ASSERT_EQ(gradwire("run compressor --synth mixed --quiet --wave all.fst").code, 0);
  ASSERT_EQ(
      gradwire("run compressor --synth mixed --quiet --wave part.fst --wave-from 100 --wave-to 200")
          .code,
      0);
  EXPECT_LT(fs::file_size(path("part.fst")) * 2, fs::file_size(path("all.fst")));
}

TEST_F(Cli, TraceInfoSliceSynth) {
  const Ended info = gradwire("trace info --json - " + capture("mixed"));
  ASSERT_EQ(info.code, 0) << info.err;
  const json document = json::parse(info.out);
  EXPECT_GT(document["selected"], 0);
  EXPECT_GT(document["skipped"]["not_marked"], 0);
  ASSERT_EQ(
      gradwire(fmt::format("trace slice {} s.pcap --first 1 --last 30", capture("hdc-ring-early")))
          .code,
      0);
  EXPECT_EQ(capture::read(path("s.pcap"))->packets.size(), 30u);
  ASSERT_EQ(gradwire("trace synth u.pcap --kind mixed --packets 12 --seed 3").code, 0);
  EXPECT_EQ(gradwire("run compressor --trace u.pcap --quiet").code, 0);
}

TEST_F(Cli, TraceInfoAndSliceHoldAPacketNotTheCapture) {
  if (kSanitized) GTEST_SKIP() << "AddressSanitizer needs more addresses than any capture";
  auto writer = capture::PcapWriter::open(path("large.pcap"));
  ASSERT_TRUE(writer);
  constexpr size_t kPackets = 16'000, kPayload = 8'000;
  const std::vector<uint8_t> payload(kPayload);
  for (size_t i = 0; i < kPackets; ++i) {
    const auto frame =
        capture::make_frame({.flow = {.transport = capture::Transport::kTcp},
                             .sequence = static_cast<uint32_t>(i == 0 ? 0 : 1 + (i - 1) * kPayload),
                             .syn = i == 0},
                            i == 0 ? std::span<const uint8_t>() : payload);
    ASSERT_TRUE(frame);
    ASSERT_FALSE(writer->write(static_cast<int64_t>(i) * 1000, *frame));
  }
  ASSERT_FALSE(writer->close());
  // More bytes than the program may have addresses, its code and libraries among them.
  constexpr size_t kLimit = 100'000'000;
  ASSERT_GT(fs::file_size(path("large.pcap")), kLimit + kLimit / 5);
  const std::string limited = fmt::format("ulimit -v {}; " GRADWIRE_BINARY " ", kLimit / 1024);

  const Ended info = shell(limited + "trace info large.pcap --json -");
  ASSERT_EQ(info.code, 0) << info.err;
  EXPECT_EQ(json::parse(info.out)["packets"], kPackets);
  EXPECT_EQ(json::parse(info.out)["selected"], kPackets - 1);
  // Two passes, for the SYN; one, of a pipe.
  const Ended slice = shell(limited + "trace slice large.pcap s.pcap --first 3 --filter tcp");
  ASSERT_EQ(slice.code, 0) << slice.err;
  EXPECT_EQ(slice.out, "s.pcap: 15999 of 16000 packets\n");
  const Ended pipe = shell("cat large.pcap | (" + limited + "trace slice /dev/stdin p.pcap)");
  ASSERT_EQ(pipe.code, 0) << pipe.err;
  EXPECT_EQ(text_of(path("p.pcap")), text_of(path("large.pcap")));
}

TEST_F(Cli, TraceInfoAndSliceOfBadInputSayOneSentence) {
  const std::string good = text_of(capture("hdc-ring-early"));
  write("cut.pcap", good.substr(0, good.size() / 2 + 7));
  // What is whole is counted, or written, and the exit code says that it is not all.
  const Ended info = gradwire("trace info cut.pcap --json -");
  expect_one_sentence(info, 3, "is cut off by the end of the file");
  EXPECT_GT(json::parse(info.out)["packets"], 100);
  expect_one_sentence(gradwire("trace slice cut.pcap s.pcap --first 5"), 3,
                      "is cut off by the end of the file");
  EXPECT_EQ(gradwire("trace info s.pcap").code, 0);
  for (const std::string command : {"trace info cut.pcap", "trace slice cut.pcap never.pcap"}) {
    expect_one_sentence(gradwire(command + " --filter 'port and'"), 2, "is no capture filter");
  }
  expect_one_sentence(gradwire("trace slice cut.pcap cut.pcap"), 3, "is the capture itself");
  expect_one_sentence(gradwire("trace slice missing.pcap never.pcap"), 3, "missing.pcap");
  expect_one_sentence(gradwire("trace slice cut.pcap no/such/never.pcap"), 3, "cannot be written");
  expect_one_sentence(gradwire("trace slice cut.pcap /dev/full"), 3, "No space left");
  // A file size limit stands in for a full disk.
  expect_one_sentence(shell("ulimit -f 16; trap '' XFSZ; " GRADWIRE_BINARY " trace slice " +
                            capture("hdc-ring-early") + " never.pcap"),
                      3, "never.pcap: cannot be written after packet");
  EXPECT_FALSE(fs::exists(path("never.pcap")));

  // Time that runs backwards: the earliest and the latest count, the slice keeps the file's order.
  auto writer = capture::PcapWriter::open(path("back.pcap"));
  ASSERT_TRUE(writer);
  const auto frame = capture::make_frame({}, std::vector<uint8_t>(64));
  for (const int64_t seconds : {5, 2, 3}) {
    ASSERT_FALSE(writer->write(seconds * 1'000'000'000, *frame));
  }
  ASSERT_FALSE(writer->close());
  const Ended back = gradwire("trace info back.pcap --json -");
  EXPECT_EQ(back.code, 0) << back.err;
  EXPECT_EQ(json::parse(back.out)["seconds"], 3.0);
  EXPECT_EQ(gradwire("trace slice back.pcap copy.pcap").code, 0);
  EXPECT_EQ(text_of(path("copy.pcap")), text_of(path("back.pcap")));
}

TEST_F(Cli, TraceSynthMakesExpEther) {
  // 3 workers x 4 iterations x 16 sequence numbers, and a frame of each of four stations before.
  ASSERT_EQ(gradwire("trace synth a.pcap --expether").code, 0);
  ASSERT_EQ(gradwire("trace synth b.pcap --kind workers").code, 0);
  EXPECT_EQ(text_of(path("a.pcap")), text_of(path("b.pcap")));
  json info = json::parse(gradwire("trace info --json - a.pcap").out);
  EXPECT_EQ(info["packets"], 4 + 3 * 4 * 16);
  EXPECT_EQ(info["format"], "pcap, nanoseconds, little-endian");
  EXPECT_EQ(info["expether"], json::parse(R"({"frames": 192, "kinds": {"gradient": 192},
                                              "malformed": {}, "truncated": 0})"));

  const Ended text = gradwire("trace info " + capture("expether-faults"));
  for (const char* word :
       {"ExpEther", "gradient", "parameter", "plain", "short_frame", "bad_version", "bad_checksum",
        "count", "tlp_length", "poisoned", "tlp_type"}) {
    EXPECT_NE(text.out.find(word), std::string::npos) << word;
  }
  EXPECT_EQ(gradwire("trace info " + capture("mixed")).out.find("ExpEther"), std::string::npos);

  ASSERT_EQ(gradwire("trace synth c.pcap --kind ordinary-60 --packets 100 --seed 2").code, 0);
  info = json::parse(gradwire("trace info --json - c.pcap").out);
  EXPECT_EQ(info["packets"], 104);
  EXPECT_EQ(info["expether"]["frames"], 0);
}

TEST_F(Cli, TraceSynthRefusesInOneSentence) {
  const std::string synth = "trace synth x.pcap ";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"--kind nonsense", "nonsense"},
      {"--expether --kind gradients", "gradients"},
      {"--kind gradients --loss 5", "--loss"},
      {"--vlan 7", "--vlan"},
      {"--kind incast --duplicate 5", "--duplicate"},
      {"--kind ordinary-60 --from x.pcap", "--from has no effect"},
      {"--expether --workers 17", "--workers"},
      {"--expether --iterations 0", "--iterations"},
      {"--expether --iterations 100000 --sequences 100000", "more than"},
      {"--expether --loss 101", "--loss"},
      {"--expether --duplicate=-1", "--duplicate"},
      {"--expether --reorder nan", "--reorder"},
      {"--expether --malformed 1e9", "--malformed"},
      {"--expether --foreign some", "some"},
      {"--expether --vlan 4095", "--vlan"},
      {"--expether --vlan 70000", "--vlan"},
      {"--expether --group 65536", "--group"},
  };
  for (const auto& [arguments, part] : cases) {
    SCOPED_TRACE(arguments);
    expect_one_sentence(gradwire(synth + arguments), 2, part);
    EXPECT_FALSE(fs::exists(path("x.pcap")));
  }
  expect_one_sentence(gradwire(synth + "--expether --from missing.pcap"), 3, "missing.pcap");
  const std::string good = text_of(capture("hdc-ring-early"));
  write("cut.pcap", good.substr(0, good.size() / 2 + 7));
  expect_one_sentence(gradwire(synth + "--expether --from cut.pcap"), 3, "cut.pcap");
  expect_one_sentence(gradwire("trace synth cut.pcap --expether --from ./cut.pcap"), 2, "cut.pcap");
  EXPECT_EQ(fs::file_size(path("cut.pcap")), good.size() / 2 + 7);
  EXPECT_FALSE(fs::exists(path("x.pcap")));
}

TEST_F(Cli, CodecRoundTrip) {
  std::string floats;
  for (int i = 0; i < 1000; ++i) {
    const float f = 1.0f / static_cast<float>(i + 1);
    floats.append(reinterpret_cast<const char*>(&f), 4);
  }
  write("f.bin", floats);
  ASSERT_EQ(gradwire("codec encode f.bin e.bin --bound 8").code, 0);
  ASSERT_EQ(gradwire("codec decode e.bin d.bin --bound 8").code, 0);
  const std::string decoded = text_of(path("d.bin"));
  ASSERT_EQ(decoded.size(), floats.size());
  for (size_t i = 0; i < floats.size(); i += 4) {
    float a, b;
    std::memcpy(&a, floats.data() + i, 4);
    std::memcpy(&b, decoded.data() + i, 4);
    EXPECT_LT(std::abs(a - b), 0x1p-8f);
  }
  EXPECT_EQ(json::parse(gradwire("codec stats f.bin --json -").out)["values"], 1000);
}

TEST_F(Cli, QuantisersEncodeAndDecodeFiles) {
  std::string floats;
  for (int i = 0; i < 1000; ++i) {
    const float f = std::sin(static_cast<float>(i * i)) * 0.01f;
    floats.append(reinterpret_cast<const char*>(&f), 4);
  }
  write("f.bin", floats);
  for (const std::string spec :
       {"raw", "wgt:t=0.001", "bgt:t=2^-8,coding=rice", "qgt:t=0.001", "onebit",
        "adaptive:p=4,coding=rice", "mxfp8", "mxfp8-e5m2:scale=up", "mxfp4:residual=on"}) {
    SCOPED_TRACE(spec);
    ASSERT_EQ(gradwire("codec encode f.bin q.bin --chunk 300 --codec " + spec).code, 0);
    ASSERT_EQ(gradwire("codec decode q.bin d.bin --codec " + spec).code, 0);
    const std::string decoded = text_of(path("d.bin"));
    ASSERT_EQ(decoded.size(), floats.size());
    double error = 0, all = 0;
    for (size_t i = 0; i < floats.size(); i += 4) {
      float a, b;
      std::memcpy(&a, floats.data() + i, 4);
      std::memcpy(&b, decoded.data() + i, 4);
      const double difference = static_cast<double>(a) - static_cast<double>(b);
      error += difference * difference;
      all += static_cast<double>(a) * static_cast<double>(a);
    }
    const json q =
        json::parse(gradwire("codec stats f.bin --chunk 300 --json - --codec " + spec).out)
            .at("quantizer");
    EXPECT_NEAR(q["rel_l2_error"].get<double>(), std::sqrt(error / all), 1e-12);
    EXPECT_EQ(q["chunks"], 4);
    EXPECT_EQ(q["bytes"], fs::file_size(path("q.bin")));
    EXPECT_EQ(q["method"], spec.substr(0, spec.find(':')));
    // Codecs that keep residuals have it.
    EXPECT_EQ(q.contains("conservation"),
              spec != "raw" && (!spec.starts_with("mx") || spec.ends_with("residual=on")));
    if (q.contains("conservation")) EXPECT_LE(q["conservation"].get<double>(), 0x1p-22);
  }
}

TEST_F(Cli, CodecCompareIsOneTable) {
  std::string floats;
  for (int i = 0; i < 4096; ++i) {
    const float f = std::sin(static_cast<float>(i * i)) * 0.015f;
    floats.append(reinterpret_cast<const char*>(&f), 4);
  }
  write("f.bin", floats);
  const Ended all =
      gradwire("codec compare f.bin --chunk 1024 --rows 128 --json c.json --html c.html");
  EXPECT_EQ(all.code, 0) << all.err;
  const json d = json::parse(text_of(path("c.json")));
  EXPECT_EQ(d["chunks"], 4);
  std::set<std::string> families;
  for (const json& row : d["codecs"]) {
    families.insert(row["family"].get<std::string>());
    EXPECT_GT(row["ratio"].get<double>(), 0);
    EXPECT_GT(row["encode_gbps"].get<double>(), 0);
    EXPECT_NE(all.out.find(row["name"].get<std::string>()), std::string::npos);
    if (row.value("device", "") == "compressor") EXPECT_EQ(row["cycles_per_burst"], 1.0);
  }
  EXPECT_EQ(families, (std::set<std::string>{"inceptionn bounded", "inceptionn paper", "truncation",
                                             "snappy", "wgt", "bgt", "qgt", "onebit", "adaptive",
                                             "mxfp8", "mxfp8-e5m2", "mxfp4"}));
  // Of every quantiser the values that were sent, in percent: the column behind the ratio.
  for (const json& row : d["codecs"]) {
    if (!row.contains("quantizer")) continue;
    const std::string name = row["name"], all_of = "\n" + all.out;
    const size_t line = all_of.find("\n" + name + " ");
    ASSERT_NE(line, std::string::npos) << name;
    double ratio = 0, sent = 0;
    ASSERT_EQ(std::sscanf(&all_of[line + 1 + name.size()], "%lf %lf", &ratio, &sent), 2) << name;
    EXPECT_NEAR(ratio, row["ratio"].get<double>(), 0.005) << name;
    EXPECT_NEAR(sent, 100 * row["quantizer"]["sent_share"].get<double>(), 0.005) << name;
  }
  // Both rules of every element, with and without residuals; up gives no larger error than floor
  // where something saturates.
  const auto error_of = [&](const std::string& name) {
    for (const json& row : d["codecs"]) {
      if (row["name"] == name) return row["max_abs_error"].get<double>();
    }
    ADD_FAILURE() << "no row of " << name;
    return 0.0;
  };
  for (const std::string mx : {"mxfp8", "mxfp8-e5m2", "mxfp4"}) {
    EXPECT_LT(error_of(mx + ":scale=up"), error_of(mx)) << mx;
    error_of(mx + ":residual=on");
    error_of(mx + ":scale=up,residual=on");
  }
  const Ended stats = gradwire("codec stats f.bin --chunk 1024 --codec wgt:t=0.005");
  const json q = json::parse(
      gradwire("codec stats f.bin --chunk 1024 --codec wgt:t=0.005 --json -").out)["quantizer"];
  EXPECT_NE(stats.out.find(fmt::format("values sent                {} ({:.3f} %)\n",
                                       q["entries"].get<int>(), q["entries"].get<int>() / 40.96)),
            std::string::npos)
      << stats.out;
  const std::string html = text_of(path("c.html"));
  EXPECT_NE(html.find("<svg"), std::string::npos);
  EXPECT_NE(html.find("adaptive:p=6,coding=rice"), std::string::npos);
  // The table is there also where nothing can be drawn.
  const json some =
      json::parse(gradwire("codec compare f.bin --codec onebit wgt:t=0.001 --json -").out);
  EXPECT_EQ(some["codecs"].size(), 3 + 3 + 3 + 1 + 2u);
}

// What onebit's means do not hold is said wherever its figures are, with what to do.
TEST_F(Cli, CodecSaysWhatOneBitClips) {
  std::string floats;
  for (const float f : {1.0f, 300.0f, -0.5f, 1e-12f}) {
    floats.append(reinterpret_cast<const char*>(&f), 4);
  }
  write("f.bin", floats);
  const std::string note =
      "1 value of 256 and more in magnitude clips: 1 mean is too small; scale the gradients down. "
      "1 value below 2^-32 in magnitude counts as 0 in the means; scale the gradients up";
  const Ended stats = gradwire("codec stats f.bin --codec onebit:residual=off");
  EXPECT_NE(stats.out.find(note), std::string::npos) << stats.out;
  const Ended all =
      gradwire("codec compare f.bin --codec onebit:residual=off mxfp8 --json c.json --html c.html");
  EXPECT_NE(all.out.find("\nonebit:residual=off: " + note + ".\n"), std::string::npos) << all.out;
  EXPECT_NE(text_of(path("c.html")).find(note), std::string::npos);
  const json rows = json::parse(text_of(path("c.json")))["codecs"];
  EXPECT_EQ(rows[10]["quantizer"]["clipped"], 1);
  EXPECT_EQ(rows[10]["quantizer"]["clipped_means"], 1);
  EXPECT_EQ(rows[10]["quantizer"]["vanished"], 1);
  EXPECT_FALSE(rows[11]["quantizer"].contains("clipped"));
}

TEST_F(Cli, QuantisersRefuseInOneSentence) {
  write("f.bin", std::string(64, 'x'));
  write("odd.bin", "abc");
  write("cut.bin", std::string("\x02\0\0\0\x08\0\0\0\0\0\x80\x3f\0\0\0\0\x01", 17));
  expect_one_sentence(gradwire("codec stats f.bin --codec wgtt"), 2, "wgtt");
  expect_one_sentence(gradwire("codec stats f.bin --codec wgt:t=0"), 2, "t=0");
  expect_one_sentence(gradwire("codec compare f.bin --codec adaptive:p=11"), 2, "p=11");
  expect_one_sentence(gradwire("codec stats f.bin --codec wgt --bound 8"), 2, "--bound");
  expect_one_sentence(gradwire("codec stats f.bin --chunk 8"), 2, "--chunk");
  expect_one_sentence(gradwire("codec stats f.bin --rows 8"), 2, "--rows");
  expect_one_sentence(gradwire("codec stats f.bin --codec wgt --chunk 0"), 2, "--chunk");
  expect_one_sentence(gradwire("codec stats f.bin --codec wgt --rows 0"), 2, "--rows");
  expect_one_sentence(gradwire("codec stats odd.bin --codec wgt"), 3, "odd.bin");
  expect_one_sentence(gradwire("codec compare none.bin"), 3, "none.bin");
  expect_one_sentence(gradwire("codec decode f.bin d.bin --codec wgt"), 3, "offset 0");
  expect_one_sentence(gradwire("codec decode cut.bin d.bin --codec wgt"), 3, "payload");
}

TEST_F(Cli, FpReadsHexAndPrintsHex) {
  const Ended r =
      shell("printf '3f800000 40000000\\n7f800000 ff800000\\n' | " GRADWIRE_BINARY " fp add");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out, "40400000\n7fc00000\n");
  EXPECT_EQ(shell("echo 40800000 | " GRADWIRE_BINARY " fp sqrt").out, "40000000\n");
  expect_one_sentence(shell("printf '3f800000 3f800000\\nzz 0\\n' | " GRADWIRE_BINARY " fp mul"), 3,
                      "line 2");
}

TEST_F(Cli, RandomTrafficOfATable) {
  write("plan.toml",
        "name = \"mine\"\n[random.mine]\nlength = { list = { of = [5, 9] } }\n"
        "source = { percent = 1 }\n");
  const std::string run = "run compressor --random plan.toml#mine --seed 3 --packets 20 --json - ";
  const Ended r = gradwire(run + "--pcap-in-out in.pcap");
  ASSERT_EQ(r.code, 0) << r.err;
  const json report = json::parse(r.out);
  EXPECT_EQ(report["trace"]["random"], "plan.toml#mine");
  EXPECT_EQ(report["trace"]["packets"], 20);
  EXPECT_EQ(report["stall"], "random");
  EXPECT_NE(report["stall_cycles"]["source"], 0);
  EXPECT_EQ(report["stall_cycles"]["sink"], 0);

  // Other stalls, the same packets, byte for byte.
  for (const char* stall : {"none", "both:50"}) {
    const Ended other = gradwire(run + "--pcap-in-out other.pcap --stall " + stall);
    ASSERT_EQ(other.code, 0) << other.err;
    EXPECT_EQ(json::parse(other.out)["stall"], stall);
    EXPECT_EQ(text_of(path("other.pcap")), text_of(path("in.pcap"))) << stall;
  }
  const Ended seed = gradwire(run + "--pcap-in-out other.pcap --seed 4");
  EXPECT_NE(text_of(path("other.pcap")), text_of(path("in.pcap")));

  // And the capture is a trace.
  const Ended again = gradwire("run compressor --trace in.pcap --json - --pcap-in-out again.pcap");
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(json::parse(again.out)["beats_in"], report["beats_in"]);
  EXPECT_EQ(text_of(path("again.pcap")), text_of(path("in.pcap")));
}

TEST_F(Cli, RandomTrafficThatComesWithTheProgram) {
  const Ended r = gradwire("run parser --random gentle --packets 20 --json -");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(json::parse(r.out)["trace"]["random"].get<std::string>().ends_with("#gentle"));
}

TEST_F(Cli, RandomTablesAreRefusedBeforeAnythingRuns) {
  const std::pair<const char*, const char*> cases[] = {
      {"[random.a]\nlenght = { edges = 1 }\n", "plan.toml:2:1: unknown key 'lenght'"},
      {"[random.a]\nvalue = { zero = -1 }\n", "plan.toml:2:18: the weight of value.zero is neg"},
      {"[random.a]\nvalue = { zero = 0 }\n", "plan.toml:2:9: all weights of value are zero"},
      {"[random.a]\ntlp = { mwr64 = 1 }\n", "plan.toml:2:1: tlp has no meaning for floats"},
      {"[random.b]\n", "there is no table [random.a]; there are b"}};
  for (const auto& [text, sentence] : cases) {
    write("plan.toml", text);
    const Ended r = gradwire("run compressor --random plan.toml#a --pcap-in-out in.pcap");
    expect_one_sentence(r, 2, sentence);
    EXPECT_FALSE(fs::exists(path("in.pcap")));
  }
  expect_one_sentence(gradwire("run compressor --random none.toml#a"), 3, "none.toml");
  expect_one_sentence(gradwire("run compressor --random gentle --synth mixed"), 2, "either");
  expect_one_sentence(gradwire("run parser --random gentle --loss 3"), 2, "--loss has no effect");
}

// ---- exit code 2: wrong usage

TEST_F(Cli, WrongUsageIsTwo) {
  const std::string synth = " --synth zeros";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "subcommand"},
      {"fly", "fly"},
      {"run", "DEVICE"},
      {"run compressor", "--trace"},
      {"run nonsense" + synth, "nonsense"},
      {"run compressor --synth nonsense", "nonsense"},
      {"run compressor --trace a --synth zeros", "run takes either --trace or --synth: "},
      {"run compressor --bound 0" + synth, "1"},
      {"run compressor --bound 15" + synth, "14"},
      {"run compressor --bound ten" + synth, "ten"},
      {"run compressor --mode lossless" + synth, "lossless"},
      {"run compressor --stall both:100" + synth, "both:100"},
      {"run compressor --engine verilog" + synth, "verilog"},
      {"run compressor --clock 0" + synth, "MHz"},
      {"run compressor --wave w.txt" + synth, "w.txt"},
      {"run compressor --wave w.fst --engine model" + synth, "rtl"},
      {"run compressor --wave w.fst --wave-from 9 --wave-to 3" + synth, "--wave-from"},
      {"run compressor --colour" + synth, "--colour"},
      {"run compressor --config", "--config"},
      {"bench nonsense", "nonsense"},
      {"live --host a --wire b --no-assert", "goes with --tx-rtl or --rx-rtl"},
      {"mutate compressor --no-assert", "goes with --rtl"},
      {"trace slice a.pcap b.pcap --first 0", "--first"},
      // What would have no effect, or belongs to another device, is refused.
      {"run compressor --pes 3" + synth, "--bound, --mode"},
      {"run parser --bound 4 --synth workers", "--bound"},
      {"run compressor --packets -1" + synth, "--packets -1"},
      {"run compressor --seed -1" + synth, "--seed -1"},
      {"run compressor --reset-after -1" + synth, "--reset-after -1"},
      {"run compressor --reset-after soon" + synth, "soon"},
      {"run compressor --reset-after 9 --sv-bench there" + synth, "--reset-after"},
      {"run compressor --clock nan" + synth, "--clock nan"},
      {"run optimizer --lr nan --synth workers", "--lr nan"},
      {"run optimizer --lr inf --synth workers", "--lr inf"},
      {"run compressor --wave-from 3" + synth, "--wave-from"},
      {"run compressor --wave-to 3" + synth, "--wave-to"},
      {"run compressor --filter tcp" + synth, "--filter"},
      {"run compressor --no-skip" + synth, "--no-skip"},
      {"run compressor --rtl my.f" + synth, "--top"},
      {"run compressor --rtl my.f --top t --engine model" + synth, "--rtl"},
      {"run compressor --netlist --engine model" + synth, "--netlist"},
      {"run compressor --host usb" + synth, "usb"},
      {"run codec_loop --host axi-lite" + synth, "--host"},
      {"run optimizer --host raw --save-state s --synth workers", "--host axi-lite"},
      {"run optimizer --lr-at 7:0.1 3:0.01 --synth workers", "does not come after"},
      {"run optimizer --lr-at 7 --synth workers", "ITERATION:VALUE"},
      {"run optimizer --iterations 3 --from-iteration 4 --synth workers", "--from-iteration"},
      {"run compressor --check all" + synth, "--check 'all' is not model, reference, protocol"},
      {"run compressor --check reference," + synth, "is not model, reference, protocol"},
      {"run compressor --check model --engine rtl" + synth, "runs one of them"},
      {"run compressor --check reference --engine rtl,model" + synth, "does not look at the model"},
      {"run compressor --against-top t" + synth, "no effect without --against"},
      {"run compressor --against my.f --engine rtl,model" + synth, "in the model's place"},
      {"run compressor --against my.f --check model" + synth, "in the model's place"},
      {"run compressor --rtl my.f --top t --against my.f" + synth, "the RTL that --rtl names"},
      {"run codec_loop --against my.f" + synth, "made of two tops: --against"},
      {"run nic --against my.f --synth packed", "made of two tops: --against"},
      {"run compressor --mutant 3" + synth, "is not NUMBER/COUNT"},
      {"run compressor --mutant 4/3" + synth, "not between 0 and 3"},
      {"run compressor --mutant-seed 4" + synth, "no effect without --mutant"},
      {"run compressor --mutant 1/3 --engine model" + synth, "needs"},
      {"run compressor --mutant 1/3 --netlist" + synth, "without --netlist"},
      {"mutate", "DEVICE"},
      {"mutate nonsense", "nonsense"},
      {"mutate compressor --count 0", "--count 0 is not between 1 and 65535"},
      {"mutate compressor --pes 3", "--pes"},
      {"mutate compressor --rtl my.f", "go together"},
      {"mutate compressor --check all", "is not model, reference, protocol"},
      {"run compressor --netlist cmos" + synth, "neither generic nor xilinx"},
      {"run --netlist compressor --engine model" + synth, "--netlist has no effect"},
      {"run compressor --engine model --netlist xilinx" + synth, "--netlist has no effect"},
      {"bench --netlist", "needs a DEVICE"},
      {"bench parser --netlist=cmos", "neither generic nor xilinx"},
      {"sweep optimizer --netlist --check none", "no effect with --check none"},
      {"sweep optimizer --no-area --resynthesise", "no effect with --no-area"},
      {"sweep optimizer --rate 0", "--rate 0 is not between 0.1 and 1600 Gb/s"},
      {"list nonsense", "nonsense"},
      // Numbers that would wrap: it wrote packets until the disk was full.
      {"trace synth o.pcap --packets -1", "--packets: '-1' is no whole number from 0 up"},
      {"trace synth o.pcap --packets 99999999999999999999", "is no whole number from 0 up"},
      {"train --seed -1", "'-1' is no whole number from 0 up"},
  };
  for (const auto& [arguments, part] : cases) {
    SCOPED_TRACE(arguments);
    expect_one_sentence(gradwire(arguments), 2, part);
  }
}

// ---- Host software

TEST_F(Cli, ARunThatIsSavedAndLoadedGoesOn) {
  const std::string run = "run optimizer --engine model --quiet --synth workers --algorithm adam";
  const auto file = [&](const char* name) { return text_of(path(name)); };
  EXPECT_EQ(gradwire(run + " --iterations 6 --lr-at 2:0.1 5:0.01 --save-state whole").code, 0);
  EXPECT_EQ(gradwire(run + " --iterations 3 --lr-at 2:0.1 --save-state half").code, 0);
  const std::string rest =
      run + " --iterations 6 --from-iteration 4 --lr-at 5:0.01 --load-state half --save-state two";
  EXPECT_EQ(gradwire(rest).code, 0);
  EXPECT_TRUE(file("whole") == file("two"));
  EXPECT_FALSE(file("whole") == file("half"));

  // What is refused leaves the file that was to be written as it was.
  std::string bad = file("half");
  bad[bad.size() / 2] ^= 1;
  write("half", bad);
  expect_one_sentence(gradwire(rest), 3, "checksum");
  EXPECT_TRUE(file("whole") == file("two"));
  expect_one_sentence(gradwire(run + " --load-state absent"), 3, "absent");
  expect_one_sentence(gradwire(run + " --save-state no/such/folder"), 3, "no/such/folder");
  expect_one_sentence(gradwire("run optimizer --engine model --synth workers --load-state two"), 3,
                      "another configuration");
  expect_one_sentence(gradwire(run + " --load-state two --lr-at 4:1"), 2, "too late");
  // Its v holds eps: with eps after the root it does not.
  expect_one_sentence(gradwire(run + " --eps-outside --load-state two"), 3,
                      "adam with eps after the root");
}

TEST_F(Cli, EpsilonAfterTheRootGoesOnToo) {
  for (const std::string algorithm : {"adagrad", "adam", "smorms3"}) {
    const std::string run =
        "run optimizer --engine model --quiet --synth workers --eps-outside --algorithm " +
        algorithm;
    EXPECT_EQ(gradwire(run + " --eps 0.001 --iterations 6 --save-state whole").code, 0);
    EXPECT_EQ(gradwire(run + " --eps 0.001 --iterations 3 --save-state half").code, 0);
    const Ended rest = gradwire(run +
                                " --iterations 6 --from-iteration 4 --load-state half --save-state "
                                "two --json -");
    EXPECT_EQ(rest.code, 0) << rest.err;
    EXPECT_TRUE(text_of(path("whole")) == text_of(path("two"))) << algorithm;
    // The textbook follows what was loaded.
    const json report = json::parse(rest.out);
    EXPECT_EQ(report["optimizer"]["epsilon"], "after the root");
    EXPECT_LT(report["optimizer"]["ulp"]["mean"], 100) << algorithm;
  }
}

// ---- exit code 3: bad input file

TEST_F(Cli, BadCapturesAreThree) {
  const std::string good = text_of(capture("hdc-ring-early"));
  write("empty.pcap", "");
  write("header.pcap", good.substr(0, 13));
  std::string link = good;
  link[20] = 105;  // LINKTYPE_IEEE802_11
  write("link.pcap", link);
  write("text.pcap", "this is no capture, but it is long enough to look at");
  for (const std::string file :
       {"empty.pcap", "header.pcap", "link.pcap", "text.pcap", "missing.pcap"}) {
    SCOPED_TRACE(file);
    expect_one_sentence(gradwire("run compressor --trace " + file), 3, file);
    expect_one_sentence(gradwire("trace info " + file), 3, file);
  }
  expect_one_sentence(gradwire("run compressor --trace ."), 3, ".");
}

TEST_F(Cli, ACutCaptureIsRunAsFarAsItGoes) {
  const std::string good = text_of(capture("hdc-ring-early"));
  write("cut.pcap", good.substr(0, good.size() / 2 + 7));
  const Ended r = gradwire("run compressor --trace cut.pcap --json cut.json");
  expect_one_sentence(r, 3, "cut.pcap");
  const json report = json::parse(text_of(path("cut.json")));
  EXPECT_GT(report["checks"]["reference_packets"], 10);
  EXPECT_EQ(report["checks"]["reference_mismatches"], 0);
  EXPECT_FALSE(report["pass"]);
}

TEST_F(Cli, SnappedPacketsAreCountedNotFatal) {
  const auto capture = capture::read(this->capture("hdc-ring-early"));
  ASSERT_TRUE(capture);
  auto opened = capture::PcapWriter::open(path("snap.pcap"));
  ASSERT_TRUE(opened);
  size_t marked = 0;
  for (const capture::Packet& packet : capture->packets) {
    const bool cut = packet.bytes.size() > 200 && ++marked % 2 == 0;
    const std::span<const uint8_t> bytes(packet.bytes.data(), cut ? 128 : packet.bytes.size());
    ASSERT_FALSE(opened->write(packet.timestamp_ns, bytes, packet.original_length));
  }
  ASSERT_FALSE(opened->close());
  const Ended r = gradwire("run compressor --trace snap.pcap --quiet --json -");
  ASSERT_EQ(r.code, 0) << r.err;
  const json report = json::parse(r.out);
  EXPECT_GT(report["trace"]["skipped"]["truncated"], 10);
  EXPECT_GT(report["trace"]["selected"], 10);
}

TEST_F(Cli, ACaptureWithoutGradientsIsThree) {
  auto opened = capture::PcapWriter::open(path("none.pcap"));
  ASSERT_TRUE(opened);
  const auto frame = capture::make_frame({.tos = 0}, std::vector<uint8_t>(64));
  ASSERT_FALSE(opened->write(0, *frame));
  ASSERT_FALSE(opened->close());
  expect_one_sentence(gradwire("run compressor --trace none.pcap"), 3,
                      "1 not marked; the mark is ToS 0x28 (DSCP 10, also known as AF11)");
}

TEST_F(Cli, BadConfigAndCodecFilesAreThree) {
  write("bad.json", "{\"bound\": }");
  write("odd.bin", "12345");
  write("none.bin", "");
  write("cut.bin", std::string("\xFF\xFF\x00", 3));
  expect_one_sentence(gradwire("run compressor --config bad.json"), 3, "bad.json");
  expect_one_sentence(gradwire("run compressor --config none.json"), 3, "none.json");
  expect_one_sentence(gradwire("codec encode odd.bin x"), 3, "odd.bin");
  expect_one_sentence(gradwire("codec stats none.bin"), 3, "none.bin");
  expect_one_sentence(gradwire("codec decode missing.bin x"), 3, "missing.bin");
  expect_one_sentence(gradwire("codec decode cut.bin x --raw"), 3, "cut.bin");
}

TEST_F(Cli, AFolderInPlaceOfAFileIsThree) {
  std::filesystem::create_directory(folder_ / "there");
  write("list.f", "-f there\n");
  for (const char* const command :
       {"run compressor --config there", "run compressor --trace there",
        "run compressor --synth mixed --rtl there --top t",
        "run compressor --synth mixed --rtl list.f --top t",
        "run compressor --random there#hostile", "run optimizer --synth mixed --load-state there",
        "mutate compressor --count 1 --waivers there", "coverage report there",
        "codec encode there x", "codec decode there x"}) {
    expect_one_sentence(gradwire(command), 3, "there");
  }
}

TEST_F(Cli, NamesThatNoFileCanHaveAreThree) {
  const std::string name(300, 'n');
  write("list.f", name + ".sv\n");
  for (const std::string& command : std::vector<std::string>{
           "run compressor --config " + name, "run compressor --trace " + name,
           "run compressor --synth mixed --rtl list.f --top t",
           "run compressor --synth mixed --rtl " + name + " --top t",
           "run compressor --random " + name + "#hostile", "replay " + name,
           "regress status " + name, "coverage report " + name, "trace info " + name,
           "run compressor --synth mixed --quiet --json " + name,
           "run compressor --synth mixed --quiet --capsule " + name, "codec stats " + name}) {
    expect_one_sentence(gradwire(command), 3, "nnn");
  }
}

TEST_F(Cli, OutputsThatCannotBeWrittenAreThree) {
  const std::string run = "run compressor --synth zeros --packets 2 --quiet ";
  expect_one_sentence(gradwire(run + "--wave /nonexistent/w.fst"), 3, "/nonexistent/w.fst");
  expect_one_sentence(gradwire(run + "--wave /nonexistent/w.vcd"), 3, "/nonexistent/w.vcd");
  expect_one_sentence(gradwire(run + "--json /nonexistent/r.json"), 3, "/nonexistent/r.json");
  expect_one_sentence(gradwire(run + "--html /dev/full"), 3, "No space left");
  expect_one_sentence(gradwire(run + "--pcap-out /dev/full"), 3, "/dev/full");
}

TEST_F(Cli, ReportsThatCannotBeWrittenAreToldBeforeTheWork) {
  for (const std::string command :
       {"run compressor --synth mixed --packets 1000000 --json ",
        "run compressor --synth mixed --packets 1000000 --html ",
        "run compressor --synth mixed --packets 1000000 --coverage line --coverage-out ",
        "train --codec none --json ", "train --codec none --html ", "bench parser --json ",
        "sweep optimizer --json ", "sweep optimizer --csv ", "sweep optimizer --svg ",
        "sweep optimizer --html ", "sweep optimizer --areas-out ", "mutate compressor --json ",
        "codec compare /dev/null --codec raw --json "}) {
    expect_one_sentence(gradwire(command + "/nonexistent/r"), 3, "/nonexistent/r");
  }
  expect_one_sentence(gradwire("train --codec none --jobs 0"), 2, "--jobs 0");
}

TEST_F(Cli, AFullDiskEndsAWaveformInOneSentence) {
  // A file size limit stands in for the full disk: the writer sees a write that fails in mid-run.
  const Ended r =
      shell("ulimit -f 16; trap '' XFSZ; " GRADWIRE_BINARY
            " run compressor --synth mixed --packets 2000 --quiet --wave w.fst --json r.json");
  EXPECT_EQ(r.code, 3) << r.err;
  EXPECT_NE(r.err.find("w.fst"), std::string::npos) << r.err;
}

TEST_F(Cli, InterruptLeavesAReportAndAClosedWaveform) {
  // The signal comes when the simulation has begun, however slow the build: its waveform is open.
  const Ended r = shell(GRADWIRE_BINARY
                        " run compressor --synth mixed --packets 40000 --quiet --stall both:50 "
                        "--wave w.fst --json r.json & run=$!;"
                        " for i in $(seq 300); do [ -e w.fst ] && break; sleep 0.1; done;"
                        " sleep 1; kill -INT $run; wait $run;"
                        " fst2vcd -f w.fst | tail -n 1");
  const json report = json::parse(text_of(path("r.json")));
  EXPECT_TRUE(report["interrupted"]);
  EXPECT_FALSE(report["pass"]);
  EXPECT_GT(report["cycles"], 100);
  EXPECT_FALSE(r.out.empty());
  EXPECT_NE(r.err.find("interrupted"), std::string::npos);
}

TEST_F(Cli, AnInterruptedBenchmarkSaysSo) {
  // While it is timed, with minutes to go; and 'timeout' says how it ended.
  const Ended r = shell("timeout -s TERM --preserve-status 3 " GRADWIRE_BINARY
                        " bench parser --seconds 300 --quiet --json b.json");
  expect_one_sentence(r, 1, "interrupted before parser was timed");
  EXPECT_FALSE(fs::exists(path("b.json")));

  if (kSanitized) {
    GTEST_SKIP() << "the twenty million cycles of a whole run take most of a minute";
  }
  // Of several devices those stay that were timed: here the first, once the second has begun.
  const Ended several = shell(GRADWIRE_BINARY
                              " bench --seconds 0.05 --json b.json 2> said & run=$!;"
                              " for i in $(seq 600); do grep -q '^# decompressor:' said && break; "
                              "sleep 0.1; done;"
                              " kill -TERM $run; wait $run");
  EXPECT_EQ(several.code, 1);
  EXPECT_NE(text_of(path("said")).find("gradwire: interrupted; "), std::string::npos);
  const json rows = json::parse(text_of(path("b.json")));
  ASSERT_EQ(rows.size(), 1u) << "a list, since all devices were asked for";
  EXPECT_EQ(rows.at(0).at("device"), "compressor");
  EXPECT_GT(rows.at(0).at("whole_mcps"), 0);
}

TEST_F(Cli, SynthesisedTracesAreWhatTheirCommandsMake) {
  const json manifest =
      json::parse(text_of(fs::path(GRADWIRE_SOURCE_DIR) / "traces/manifest.json"));
  int synthesised = 0;
  for (const json& entry : manifest["captures"]) {
    if (entry["kind"] != "synthesised") continue;
    // The command as typed at the root of the project, into a file of ours.
    std::string command = entry["command"];
    const std::string file = "traces/" + entry["file"].get<std::string>();
    command.replace(command.find(file), file.size(), path("made.pcap"));
    command.replace(0, std::string_view("gradwire").size(), GRADWIRE_BINARY);
    const Ended result = shell("cd " GRADWIRE_SOURCE_DIR " && " + command);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(text_of(path("made.pcap")), text_of(fs::path(GRADWIRE_SOURCE_DIR) / file)) << file;
    ++synthesised;
  }
  EXPECT_GE(synthesised, 2);
}

TEST_F(Cli, FramesRunThroughTheSwitchsDevices) {
  for (const char* device : {"parser", "aggregator", "optimizer", "switch"}) {
    const Ended result =
        gradwire(fmt::format("run {} --trace {} --json out.json --pcap-out out.pcap", device,
                             capture("expether-faults")));
    EXPECT_EQ(result.code, 0) << device << ": " << result.err;
    const json report = json::parse(text_of(path("out.json")));
    EXPECT_TRUE(report["pass"]) << device;
    EXPECT_EQ(report["clock_mhz"], 200) << device;
    EXPECT_GT(report["malformed"]["bad_checksum"], 0) << device;
    EXPECT_GT(fs::file_size(path("out.pcap")), 10000u) << device;
  }
}

TEST_F(Cli, WaveformsOfTheSwitchsDevicesShowARunThatPasses) {
  for (const char* device : {"parser", "aggregator", "optimizer", "switch"}) {
    const bool array = device == std::string("optimizer") || device == std::string("switch");
    const Ended result =
        gradwire(fmt::format("run {} --trace {} --packets 60 --wave w.fst{}", device,
                             capture("expether-workers"), array ? kSmallArray : ""));
    EXPECT_EQ(result.code, 0) << device << ": " << result.err;
    EXPECT_GT(fs::file_size(path("w.fst")), 1000u) << device;
    EXPECT_TRUE(fs::exists(path("w.gtkw"))) << device;
  }
}

TEST_F(Cli, WhatNoSwitchIsIsRefused) {
  for (const char* options :
       {"--pes 3", "--algorithm sgdm", "--kind serial", "--profile slow", "--subnormal 2"}) {
    const Ended result =
        gradwire(fmt::format("run optimizer --trace {} {}", capture("expether-workers"), options));
    EXPECT_EQ(result.code, 2) << options;
  }
  EXPECT_EQ(gradwire("run aggregator --synth workers --workers 17").code, 2);
  EXPECT_EQ(gradwire("run aggregator --synth workers --depth 0").code, 2);
  EXPECT_EQ(gradwire("run switch --synth nothing").code, 2);
  EXPECT_EQ(gradwire("trace synth x.pcap --kind workers --loss 101").code, 2);
  EXPECT_EQ(gradwire("trace synth x.pcap --kind workers --workers 0").code, 2);
}

// What a stimulus is told it must heed.
TEST_F(Cli, OptionsThatTheStimulusDoesNotUseAreRefused) {
  for (const auto& [arguments, part] : std::vector<std::pair<std::string, std::string>>{
           {"parser --synth ordinary-60 --workers 3", "which uses --vlan"},
           {"parser --synth anything --workers 3", "--workers has no effect"},
           {"switch --synth gradient-192 --loss 5", "--loss has no effect"},
           {"optimizer --synth irregular --iterations 5", "--iterations has no effect"},
           {"switch --loss 5 --trace " + capture("expether-workers"), "no effect on a capture"}}) {
    expect_one_sentence(gradwire("run " + arguments), 2, part);
  }
  // Those of the aggregator are of the device.
  for (const char* arguments :
       {"parser --synth irregular --workers 3", "parser --synth workers --loss 5",
        "aggregator --synth ordinary-60 --workers 3", "switch --synth anything --group 7"}) {
    const Ended result = gradwire(fmt::format("run {} --engine model --packets 20", arguments));
    EXPECT_EQ(result.code, 0) << arguments << ": " << result.err;
  }
}

TEST_F(Cli, SweepSizesTheOptimizer) {
  const Ended result = gradwire(
      "sweep optimizer --algorithm sgd,adam --pes 1,4 --kind pipelined --profile fast --frames 128 "
      "--no-area --quiet --json sweep.json --csv sweep.csv");
  ASSERT_EQ(result.code, 0) << result.err;
  const json sweep = json::parse(text_of(path("sweep.json")));
  ASSERT_EQ(sweep["points"].size(), 4u);
  EXPECT_TRUE(sweep.contains("missing"));  // says that there are no areas
  // A PE takes 32 cycles for a full frame, of 34.56 that one port leaves it; four PEs take 8
  // of 8.64.
  for (const json& p : sweep["points"]) {
    EXPECT_DOUBLE_EQ(p["cycles_per_frame"], p["pes"] == 1 ? 32 : 8) << p.dump();
    EXPECT_GT(p["line_rate_percent"][p["pes"] == 1 ? "10G" : "4x10G"], 100) << p.dump();
  }
  EXPECT_EQ(sweep["table2"]["adam"]["ours_paper_profile"], 137);
  EXPECT_GT(sweep["figure17"]["adam"]["cpu_ms"], 0);
  EXPECT_NE(text_of(path("sweep.csv")).find("adam,pipelined,fast,4,8"), std::string::npos);
}

// An addition more on the path: 137 + 12 cycles of the profile paper, 62 + 6 of fast.
TEST_F(Cli, SweepOfPesWithEpsilonAfterTheRoot) {
  const std::string sweep =
      "sweep optimizer --algorithm adam --pes 1 --kind pipelined --profile fast --frames 64 "
      "--no-area --no-cpu --check none --json s.json";
  const auto latency = [&] {
    return json::parse(text_of(path("s.json")))["points"][0]["frame_latency_cycles"].get<int>();
  };
  EXPECT_EQ(gradwire(sweep).code, 0);
  const int inside = latency();
  const Ended outside = gradwire(sweep + " --eps-outside");
  EXPECT_THAT(outside.out, HasSubstr("200 MHz, epsilon after the root: "));
  EXPECT_EQ(latency(), inside + 6);
  EXPECT_EQ(json::parse(text_of(path("s.json")))["table2"]["adam"]["ours_paper_profile"], 149);
}

TEST_F(Cli, SweepIsHeldAgainstTheRateThatIsAskedFor) {
  const auto sweep = [this](const std::string& line, const std::string& name) {
    const Ended result = gradwire(
        "sweep optimizer --algorithm sgd --pes 1 --kind pipelined --profile fast --frames 64 "
        "--no-area --no-cpu --check none " +
        line + " --csv " + name + ".csv --html " + name + ".html");
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  };
  // A PE takes 32 cycles of 5 ns for a full frame of 216 bytes: 10.8 Gb/s.
  const std::string ten = sweep("", "a"), hundred = sweep("--rate 100 --ports 2", "b");
  EXPECT_THAT(ten, HasSubstr("percent of 10GbE"));
  EXPECT_THAT(ten, HasSubstr("    108.0      27.0 "));
  EXPECT_THAT(hundred, HasSubstr("percent of 100GbE"));
  EXPECT_THAT(hundred, HasSubstr(" 1 port % 2 ports % "));
  EXPECT_THAT(hundred, HasSubstr("     10.8       5.4 "));
  EXPECT_THAT(text_of(path("b.csv")), HasSubstr(",line_rate_2_ports_percent,"));
  EXPECT_THAT(text_of(path("b.csv")), HasSubstr("sgd,pipelined,fast,1,32,10.8,5.4,"));
  EXPECT_THAT(text_of(path("b.html")), HasSubstr("<td>10.8</td><td>5.4</td>"));
  EXPECT_THAT(sweep("--rate 25", "c"), HasSubstr("     43.2      10.8 "));
  EXPECT_THAT(sweep("--rate 25 --ports 1", "d"), Not(HasSubstr("ports %")));
}

TEST_F(Cli, LineRatesAreHeldAgainstEachEthernetThatIsAskedFor) {
  const Ended result = gradwire(
      "run parser --synth ordinary-60 --packets 400 --line-rate 100,10 --json r.json --html "
      "r.html");
  ASSERT_EQ(result.code, 0) << result.err;
  // 60 bytes are two beats of 5 ns, 84 bytes on the wire: 67.2 Gb/s.
  EXPECT_THAT(result.out, HasSubstr("Least clock that holds the line, MHz"));
  EXPECT_THAT(text_of(path("r.html")), HasSubstr("Least clock that holds the line, MHz"));
  const json report = json::parse(text_of(path("r.json")));
  EXPECT_NEAR(report["line_rate_percent"]["100G"], 67.2, 0.1);
  EXPECT_NEAR(report["line_rates"]["lines"][0]["percent"], 672, 1);
  EXPECT_NEAR(report["line_rates"]["lines"][2]["least_clock_mhz"], 200 / 0.672, 0.5);
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"10,,25", "not numbers of Gb/s with commas between"},
      {"10,", "not numbers of Gb/s with commas between"},
      {"fast", "--line-rate fast is not between 0.001 and 10000 Gb/s"},
      {"0", "--line-rate 0 is not between"},
      {"25,25", "names 25 twice"}};
  for (const auto& [rates, part] : wrong) {
    expect_one_sentence(gradwire("run parser --synth ordinary-60 --line-rate " + rates), 2, part);
  }
}

TEST_F(Cli, ASwitchTellsTheLineRateOfEachPort) {
  const Ended result = gradwire("run switch --synth gradient-192 --packets 400 --workers 1");
  EXPECT_THAT(result.out, HasSubstr("line rate          port0 100."));
  EXPECT_THAT(result.out, HasSubstr("port3 100."));
  EXPECT_THAT(result.out, HasSubstr("stall port-cycles"));
}

TEST_F(Cli, ShippedAreasAreOfTodaysRtl) {
  // Without Yosys, and without any that an earlier sweep has kept.
  const Ended result = shell(
      "mkdir bin; cp -s /usr/bin/* bin/ 2> cp.err; rm -f bin/yosys; PATH=$PWD/bin " GRADWIRE_BINARY
      " sweep optimizer --pes 1 --frames 64 --no-cpu --check none --quiet "
      "--synth-folder areas --json sweep.json");
  ASSERT_EQ(result.code, 0) << result.err;
  const json sweep = json::parse(text_of(path("sweep.json")));
  EXPECT_FALSE(sweep.contains("missing"))
      << "baselines/areas.json is of other RTL: gradwire sweep optimizer --resynthesise --pes 1 "
         "--check none --no-cpu --areas-out baselines/areas.json makes it anew; "
      << sweep["missing"];
  for (const json& p : sweep["points"]) EXPECT_GT(p.value("lut", 0.0), 100) << p.dump();
}

TEST_F(Cli, ShippedAreasDependOnTheWordsOfTheirRtlAlone) {
  // A program with RTL of its own, so that it can be changed. No Yosys, and a cache of its own.
  const std::string sweep =
      "PATH=$PWD/bin XDG_CACHE_HOME=$PWD/cache home/gradwire sweep optimizer --algorithm sgd --pes "
      "1 "
      "--kind pipelined --profile fast --frames 64 --no-cpu --check none --quiet --synth-folder "
      "areas --json sweep.json";
  const auto missing = [&](const std::string& change) {
    const Ended result = shell(change + "rm -rf areas; " + sweep);
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(text_of(path("sweep.json"))).contains("missing");
  };
  const std::string array = "home/share/gradwire/rtl/switch/gw_optimizer_array.sv; ";
  EXPECT_FALSE(
      missing("mkdir -p bin home/share/gradwire; cp -s /usr/bin/* bin/ 2> cp.err; rm -f bin/yosys; "
              "cp " GRADWIRE_BINARY " home/; cd home/share/gradwire; cp -r " GRADWIRE_SOURCE_DIR
              "/rtl .; for f in tools baselines plans traces; do ln -s " GRADWIRE_SOURCE_DIR
              "/$f; done; cd ../../..; "));
  EXPECT_FALSE(missing("sed -i 's|^endmodule|\\n  // a comment\\n  endmodule|' " + array));
  EXPECT_TRUE(missing("sed -i \"0,/1'b0/s//1'b1/\" " + array));
}

TEST_F(Cli, SweepWithoutYosysKeepsTheThroughputAndSaysWhatIsMissing) {
  // All the machine's programs but one.
  const Ended result = shell(
      "mkdir bin; cp -s /usr/bin/* bin/ 2> cp.err; rm -f bin/yosys; PATH=$PWD/bin " GRADWIRE_BINARY
      " sweep optimizer --algorithm sgd --pes 1 --kind pipelined --profile fast --frames 128 "
      "--no-cpu --resynthesise --synth-folder areas --json sweep.json");
  ASSERT_EQ(result.code, 0) << result.err;
  const json sweep = json::parse(text_of(path("sweep.json")));
  EXPECT_DOUBLE_EQ(sweep["points"][0]["cycles_per_frame"], 32);
  EXPECT_NE(sweep["missing"].get<std::string>().find("yosys is not installed"), std::string::npos);
  EXPECT_NE(result.out.find("yosys is not installed"), std::string::npos) << result.out;
}

TEST_F(Cli, AToolThatRunsEndsWithTheProgramThatIsAskedToEnd) {
  // `timeout` signals the program and then its group, so that there are two signals.
  write("yosys", "#!/bin/sh\necho $$ >> $PIDS\nsleep 600 &\necho $! >> $PIDS\nwait\n");
  fs::permissions(path("yosys"), fs::perms::owner_all);
  const std::string with_tool =
      "export PIDS=" + path("pids") + " PATH=" + folder_.string() + ":$PATH; timeout -s TERM 4 ";
  const auto all_ended = [this] {
    std::istringstream pids(text_of(path("pids")));
    int number = 0;
    for (pid_t pid; pids >> pid; ++number) {
      std::ifstream status("/proc/" + std::to_string(pid) + "/stat");
      std::string words;
      // What nobody has waited for yet has ended, too.
      if (std::getline(status, words) && words.find(") Z ") == std::string::npos) return false;
    }
    return number >= 2;
  };
  const Ended sweep = shell(with_tool +
                            GRADWIRE_BINARY
                            " sweep optimizer --algorithm sgd --pes 1 --frames 128 --no-cpu "
                            "--resynthesise --cache " +
                            path("cache"));
  EXPECT_EQ(sweep.code, 124) << "of timeout";
  EXPECT_NE(sweep.out.find("No areas: interrupted"), std::string::npos) << sweep.out;
  EXPECT_TRUE(all_ended()) << text_of(path("pids"));
  fs::remove(path("pids"));
  const Ended build =
      shell(with_tool + GRADWIRE_BINARY " run compressor --synth mixed --netlist --cache " +
            path("cache"));
  EXPECT_NE(build.err.find("interrupted"), std::string::npos) << build.err;
  EXPECT_TRUE(all_ended()) << text_of(path("pids"));
}

TEST_F(Cli, NetlistsThatCannotBeMadeAreRefusedOrSaid) {
  // All the machine's programs but one.
  const std::string without_yosys =
      "mkdir -p bin; cp -s /usr/bin/* bin/ 2> cp.err; rm -f bin/yosys; "
      "PATH=$PWD/bin " GRADWIRE_BINARY " ";
  for (const char* command : {"run parser --synth workers --netlist",
                              "bench parser --seconds 0.01 --quiet --netlist xilinx"}) {
    expect_one_sentence(shell(without_yosys + command), 3, "there is no Yosys here");
  }
  const Ended sweep = shell(without_yosys +
                            "sweep optimizer --algorithm sgd --pes 1 --kind pipelined --profile "
                            "fast --frames 64 --no-area --no-cpu --netlist --json sweep.json");
  EXPECT_EQ(sweep.code, 0) << sweep.err;
  EXPECT_NE(sweep.out.find("0 points checked in lockstep with their netlist, 1 by the model alone: "
                           "gw_optimizer"),
            std::string::npos)
      << sweep.out;
  EXPECT_EQ(json::parse(text_of(path("sweep.json")))["checks"]["netlist"], "generic");
  // At once, not after minutes of synthesis.
  expect_one_sentence(gradwire("run optimizer --synth workers --netlist xilinx"), 3,
                      "gw_optimization_frames.sv wants block RAM");
}

TEST_F(Cli, RtlOfOnesOwnKeepsItsParametersAndThatIsSaid) {
  const Ended pes = gradwire("run optimizer --pes 4 --synth workers --rtl no.f --top mine");
  expect_one_sentence(pes, 3, "no.f");
  EXPECT_NE(
      pes.err.find(
          "# mine keeps the parameters that its own file, its list or --set gives it; model and "
          "reference are those of Algorithm=0 Pes=4 "),
      std::string::npos)
      << pes.err;
  // A parser has none.
  const Ended parser = gradwire("run parser --synth workers --rtl no.f --top mine");
  EXPECT_EQ(parser.err.find("parameters"), std::string::npos) << parser.err;
}

TEST_F(Cli, SweepKeepsAreasUntilTheRtlChangesAndDrawsThem) {
  // As a sweep leaves it; without Yosys, only what is kept can be had.
  const std::string sweep =
      "PATH=$PWD/bin " GRADWIRE_BINARY
      " sweep optimizer --algorithm sgd --pes 1,4 --kind pipelined --profile fast --frames 128 "
      "--no-cpu --quiet --resynthesise --synth-folder areas --json sweep.json";
  const std::string prepare =
      "mkdir bin areas; cp -s /usr/bin/* bin/ 2> cp.err; rm -f bin/yosys; "
      "echo '{\"used\": {\"LUT\": 100, \"FF\": 10, \"DSP\": 1}, \"longest_path_ns\": 4}' "
      "> areas/pe-sgd-pipelined-fast.json; ";
  const Ended kept = shell(prepare + sweep + " --svg sweep.svg");
  ASSERT_EQ(kept.code, 0) << kept.err;
  EXPECT_EQ(json::parse(text_of(path("sweep.json")))["points"][1]["lut"], 400);
  // A picture of its own: no colour that only a page defines, one line for each kind.
  const std::string svg = text_of(path("sweep.svg"));
  EXPECT_EQ(svg.find("var(--"), std::string::npos);
  EXPECT_NE(svg.find("sgd pipelined"), std::string::npos);
  EXPECT_EQ(svg.find("sgd pipelined"), svg.rfind("sgd pipelined"));

  const Ended old = shell("touch -d 2001-01-01 areas/*.json; " + sweep);
  ASSERT_EQ(old.code, 0) << old.err;
  EXPECT_FALSE(json::parse(text_of(path("sweep.json")))["points"][1].contains("lut"));
}

TEST_F(Cli, WhatCannotBePrintedOrKeptIsSaid) {
  const std::string sweep =
      "sweep optimizer --algorithm sgd --pes 1 --kind pipelined --profile fast --frames 64 "
      "--no-cpu ";
  for (const std::string& arguments : {std::string("list"), sweep + "--no-area",
                                       std::string("run parser --synth workers --packets 20")}) {
    const Ended result = gradwire(arguments + " > /dev/full");
    EXPECT_EQ(result.code, 3) << arguments;
    EXPECT_NE(result.err.find("cannot write to standard output"), std::string::npos) << result.err;
  }
  const Ended result = gradwire(sweep + "--synth-folder /dev/null/areas");
  EXPECT_EQ(result.code, 3);
  EXPECT_NE(result.err.find("cannot keep areas in '/dev/null/areas'"), std::string::npos)
      << result.err;
}

TEST_F(Cli, SweepPointsThatCannotBeBuiltAreRefusedBeforeAnythingRuns) {
  for (const char* options :
       {"optimizer --pes 3", "optimizer --pes 1,128", "optimizer --algorithm sgdm",
        "optimizer --kind serial", "optimizer --profile slow", "parser"}) {
    const Ended result = gradwire(fmt::format("sweep {} --json never.json", options));
    EXPECT_EQ(result.code, 2) << options;
    EXPECT_FALSE(fs::exists(path("never.json"))) << options;
  }
}

TEST_F(Cli, CoverageOfSeveralRunsIsAddedAndReported) {
  const std::string run =
      "run compressor --engine model --synth irregular --packets 40 --coverage functional ";
  ASSERT_EQ(gradwire(run + "--seed 1 --coverage-out a.json --json r.json --html r.html").code, 0);
  ASSERT_EQ(gradwire(run + "--seed 2 --coverage-out b.json --stall both:40").code, 0);
  const json report = json::parse(text_of(path("r.json")));
  EXPECT_GT(report["coverage"]["functional"]["covered"], 100);
  EXPECT_FALSE(report.contains("coverage_points"));
  EXPECT_NE(text_of(path("r.html")).find("Coverage"), std::string::npos);
  EXPECT_NE(gradwire(run).out.find("Coverage"), std::string::npos);

  ASSERT_EQ(gradwire("coverage merge --out ab.json a.json b.json").code, 0);
  const Ended merged = gradwire("coverage report ab.json --json ab.report --unreached 0");
  const Ended both = gradwire("coverage report a.json b.json --json both.report --unreached 0");
  ASSERT_EQ(merged.code, 0) << merged.out << merged.err;
  EXPECT_EQ(merged.out, both.out);
  EXPECT_EQ(text_of(path("ab.report")), text_of(path("both.report")));
  const json all = json::parse(text_of(path("ab.report")));
  EXPECT_EQ(all["runs"], 2);
  EXPECT_GT(all["functional"]["covered"], report["coverage"]["functional"]["covered"]);

  EXPECT_EQ(gradwire("coverage report ab.json --goal functional=1").code, 0);
  const Ended missed = gradwire("coverage report ab.json --goal functional=100 --goal line=98");
  EXPECT_EQ(missed.code, 1);
  EXPECT_NE(missed.out.find("FAIL  functional: "), std::string::npos) << missed.out;
  EXPECT_NE(missed.out.find("FAIL  line: nothing was counted"), std::string::npos) << missed.out;
}

// Bits of the RTL: of two runs what either has seen, a waiver that has run out, and one that has
// not.
TEST_F(Cli, CoverageOfTogglesIsOfAllRuns) {
  const std::string run = "run compressor --stall both:40 --coverage toggle ";
  ASSERT_EQ(gradwire(run + "--synth zeros --packets 20 --coverage-out a.json --json r.json").code,
            0);
  ASSERT_EQ(gradwire(run + "--synth raw --packets 60 --coverage-out b.json").code, 0);
  const json report = json::parse(text_of(path("r.json")));
  const json plain = [&] {
    EXPECT_EQ(
        gradwire("run compressor --stall both:40 --synth zeros --packets 20 --json p.json").code,
        0);
    return json::parse(text_of(path("p.json")));
  }();
  EXPECT_EQ(report["cycles"], plain["cycles"]);
  EXPECT_FALSE(plain.contains("coverage"));
  ASSERT_EQ(gradwire("coverage merge --out ab.json a.json b.json").code, 0);
  ASSERT_EQ(gradwire("coverage report ab.json --json ab.report --info ab.info").code, 0);
  const json both = json::parse(text_of(path("ab.report")));
  EXPECT_EQ(both["toggle"]["possible"], report["coverage"]["toggle"]["possible"]);
  EXPECT_GT(both["toggle"]["covered"], report["coverage"]["toggle"]["covered"]);
  EXPECT_EQ(gradwire("coverage report ab.json --goal toggle=1").code, 0);
  EXPECT_EQ(gradwire("coverage report ab.json --goal toggle=100").code, 1);

  const auto waived = [&](const char* until) {
    write("w.toml", fmt::format("[[waiver]]\n"
                                "point = \"toggle/gw_compressor/gw_compressor.error_count_o*\"\n"
                                "reason = \"nothing is in error\"\nwho = \"w\"\nuntil = {}\n",
                                until));
    return gradwire("coverage report ab.json --waivers w.toml");
  };
  const Ended taken_out = waived("2999-12-31");
  EXPECT_EQ(taken_out.code, 0) << taken_out.out;
  EXPECT_NE(taken_out.out.find("32 waived"), std::string::npos) << taken_out.out;
  const Ended over = waived("2001-01-01");
  EXPECT_EQ(over.code, 1);
  EXPECT_NE(over.out.find("expired on 2001-01-01"), std::string::npos) << over.out;
}

TEST_F(Cli, CoverageWaiversFailWhenTheyAreOverOrNotNeeded) {
  ASSERT_EQ(
      gradwire("run compressor --engine model --synth single --packets 4 --coverage functional "
               "--coverage-out a.json")
          .code,
      0);
  const auto waiver = [&](const char* point, const char* until) {
    write("w.toml", fmt::format("[[waiver]]\npoint = \"{}\"\nreason = \"r\"\nwho = \"w\"\n"
                                "until = {}\n",
                                point, until));
    return gradwire("coverage report a.json --waivers w.toml");
  };
  EXPECT_EQ(waiver("functional/compressor/bounds/1/*", "2999-12-31").code, 0);
  const Ended over = waiver("functional/compressor/bounds/1/*", "2001-01-01");
  EXPECT_EQ(over.code, 1);
  EXPECT_NE(over.out.find("expired on 2001-01-01"), std::string::npos) << over.out;
  const Ended reached = waiver("functional/compressor/bounds/10/*", "2999-12-31");
  EXPECT_EQ(reached.code, 1);
  EXPECT_NE(reached.out.find("is not needed"), std::string::npos) << reached.out;
  write("w.toml", "[[waiver]]\npoint = 3\n");
  expect_one_sentence(gradwire("coverage report a.json --waivers w.toml"), 3, "w.toml:2:");
}

TEST_F(Cli, CoverageRefusesWhatItCannotDo) {
  const std::string run = "run compressor --synth single --packets 1 ";
  expect_one_sentence(gradwire(run + "--coverage toggles"), 2, "--coverage 'toggles'");
  expect_one_sentence(gradwire(run + "--coverage-out c.json"), 2, "no effect without --coverage");
  expect_one_sentence(gradwire(run + "--coverage line --engine model"), 2, "need the engine rtl");
  expect_one_sentence(gradwire(run + "--coverage user --netlist"), 2, "netlist");
  expect_one_sentence(gradwire(run + "--coverage functional --coverage-out /nowhere/c.json"), 3,
                      "cannot write coverage");
  write("report.json", "{\"device\": \"compressor\"}");
  expect_one_sentence(gradwire("coverage report report.json"), 3, "holds no coverage");
  expect_one_sentence(gradwire("coverage merge --out m.json none.json"), 3, "cannot read");
  EXPECT_FALSE(fs::exists(path("m.json")));
  write("c.json", "");
  ASSERT_EQ(gradwire(run + "--engine model --coverage functional --coverage-out c.json").code, 0);
  expect_one_sentence(gradwire("coverage report c.json --goal 3"), 2, "--goal '3'");
  expect_one_sentence(gradwire("coverage report c.json --goal line=300"), 2,
                      "not between 0 and 100");
  expect_one_sentence(gradwire("coverage report c.json --unreached x"), 2, "--unreached");
  // Another version's tables have other cells.
  std::string text = text_of(path("c.json"));
  text.replace(text.find("\"RAW\""), 5, "\"RAV\"");
  write("d.json", text);
  expect_one_sentence(gradwire("coverage merge --out m.json c.json d.json"), 3,
                      "different versions");
  EXPECT_FALSE(fs::exists(path("m.json")));
}

}  // namespace
}  // namespace gw::tests::cli_test
