// The renderers of the report: golden texts, absent and unknown sections, hostile strings, gnuplot
// missing, writes that fail.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "models/papers/inceptionn.h"
#include "sim/base/error.h"
#include "sim/report/figures.h"
#include "sim/report/gnuplot.h"
#include "sim/report/html.h"
#include "sim/report/json.h"
#include "sim/report/terminal.h"
#include "sim/report/text.h"
#include "testbenches/nic/view.h"
#include "testbenches/quant/view.h"
#include "testbenches/switch/view.h"
#include "tests/sanitized.h"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using namespace gw::sim;

/// What the families add, to documents of any device.
void present(const json& doc, report::View& view) {
  if (doc.contains("quantizer")) {
    gw::testbenches::present_quantiser(doc, view);
  } else {
    gw::testbenches::present_nic(doc, view);
  }
  gw::testbenches::present_switch(doc, view);
}
std::string render_terminal(const json& doc, bool colour, std::size_t columns = kReportColumns) {
  return gw::sim::render_terminal(doc, &present, colour, columns);
}
std::string render_html(const json& doc) { return gw::sim::render_html(doc, &present); }
report::View make_view(const json& doc) { return report::make_view(doc, &present); }

const fs::path kHere = fs::path(GRADWIRE_SOURCE_DIR) / "tests" / "report";

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

json sample(const char* name) { return json::parse(read(kHere / name)); }

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + what.size()))
    ++n;
  return n;
}

void expect_golden(const char* name, const std::string& text) {
  const fs::path file = kHere / "golden" / name;
  if (const char* again = std::getenv("GRADWIRE_REGENERATE"); again && std::string(again) == "1") {
    std::ofstream(file, std::ios::binary) << text;
    return;
  }
  EXPECT_EQ(text, read(file))
      << "If the change is meant, run with GRADWIRE_REGENERATE=1 and read the difference.";
}

/// A folder of the test's own.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "gw-report-test-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code ec;
    fs::remove_all(path_, ec);
  }
  fs::path operator/(const char* name) const { return path_ / name; }
  const fs::path& path() const { return path_; }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), {}));
  }

 private:
  fs::path path_;
};

/// Another PATH while it lives.
class Path {
 public:
  explicit Path(const std::string& path) : old_(std::getenv("PATH") ? std::getenv("PATH") : "") {
    ::setenv("PATH", path.c_str(), 1);
  }
  ~Path() { ::setenv("PATH", old_.c_str(), 1); }

 private:
  std::string old_;
};

bool gnuplot_installed() { return std::system("gnuplot --version >/dev/null 2>&1") == 0; }

std::string sentence_of(const std::string& path, const std::string& text) {
  try {
    write_report_file(path, text);
  } catch (const InputError& e) {
    EXPECT_EQ(e.code(), kBadInput);
    return e.what();
  }
  return "";
}

// ------------------------------------------------------------------------------------------------
// terminal

TEST(Terminal, Golden) {
  expect_golden("pass.txt", render_terminal(sample("sample.json"), false));
  expect_golden("pass-colour.txt", render_terminal(sample("sample.json"), true));
  expect_golden("fail.txt", render_terminal(sample("sample-fail.json"), false));
  expect_golden("optimizer.txt", render_terminal(sample("sample-optimizer.json"), false));
  expect_golden("nic.txt", render_terminal(sample("sample-nic.json"), false));
  expect_golden("switch.txt", render_terminal(sample("sample-switch.json"), false));
  expect_golden("bench.txt", render_bench_terminal(sample("sample-bench.json")));
}

TEST(Terminal, ColourChangesNoWord) {
  const json doc = sample("sample.json");
  const std::string stripped =
      std::regex_replace(render_terminal(doc, true), std::regex("\x1b\\[[0-9;]*m"), "");
  EXPECT_EQ(stripped, render_terminal(doc, false));
}

// Rows and verdict; commands are as long as they are.
TEST(Terminal, IsAsWideAsItIsTold) {
  for (const char* name : {"sample-switch.json", "sample-nic.json"}) {
    for (const size_t columns : {80u, 96u}) {
      const json doc = sample(name);
      std::istringstream lines(render_terminal(doc, false, columns));
      size_t widest = 0;
      for (std::string line; std::getline(lines, line);) {
        if (line.find(doc.value("command", "?")) != std::string::npos) continue;
        EXPECT_LE(report::width(line), columns) << name << ": " << line;
        widest = std::max(widest, report::width(line));
      }
      EXPECT_EQ(widest, columns) << name;
    }
  }
}

TEST(Terminal, AFailureIsBrokenBetweenItsWordsAndNeverInAValue) {
  json doc = sample("sample-fail.json");
  const std::string value =
      "733ea6f9_6f662994_12345678_6f662994_733ea6f9_6f662994_12345678_6f662994";
  const std::string wide = value + "_" + value;  // of 512 bits: wider than any terminal here
  doc["failure"]["headline"] =
      "a device with a long name: output differs from the reference at "
      "cycle 123456789 of a run with a long name";
  doc["failure"]["lines"] = {"cycle 2048",
                             "  rtl            " + value,
                             "  reference      " + value,
                             "  model          " + wide,
                             "    beat 1  lanes  1.2e-03 -4.4e-05  7.0e-02  0.0e+00  9.1e-04 "
                             "-2.2e-03  1.5e-06  8.8e-03",
                             ""};
  for (const size_t columns : {60u, 80u, 96u, 200u}) {
    const std::string all = render_terminal(doc, false, columns);
    const std::string out = all.substr(all.find("First divergence"));
    std::istringstream lines(out);
    for (std::string line; std::getline(lines, line) && line != "  reproduce:";) {
      const bool whole = line.find(value) != std::string::npos;
      if (report::width(line) <= columns) continue;
      EXPECT_TRUE(whole) << columns << ": " << line;
      EXPECT_EQ(line.find_first_of(' ', line.find_first_not_of(' ')), std::string::npos) << line;
    }
    EXPECT_EQ(count(out, "rtl"), 1u);
    EXPECT_EQ(count(out, value), 4u) << out;
    // All words are there, in their order.
    std::string said, is;
    for (const json& line : doc["failure"]["lines"]) said += line.get<std::string>() + " ";
    std::istringstream words(said), shown(out.substr(out.find("cycle 2048")));
    for (std::string word; words >> word;) {
      ASSERT_TRUE(shown >> is);
      ASSERT_EQ(is, word) << columns;
    }
  }
}

TEST(Terminal, NoLabelRunsIntoItsValue) {
  const json doc = {{"device", "d"},
                    {"counters", {{"words_that_wait_for_a_row_cycles", 7}, {"few", 1}}}};
  const std::string out = render_terminal(doc, false);
  EXPECT_NE(out.find("\n  words that wait for a row 7 cycles\n"), std::string::npos) << out;
  EXPECT_NE(out.find("\n  few                       1\n"), std::string::npos) << out;
}

TEST(Terminal, FailureNamesItsBucket) {
  json doc = sample("sample-fail.json");
  doc["bucket"] = "compressor, own RTL, lockstep, m_axis tdata, rtl and model";
  for (const std::string& out : {render_terminal(doc, false), render_html(doc)}) {
    EXPECT_NE(out.find("bucket: compressor, own RTL, lockstep, m_axis tdata"), std::string::npos);
    EXPECT_EQ(out.find("More"), std::string::npos);
  }
  doc.erase("failure");
  EXPECT_NE(render_terminal(doc, false).find("  bucket             compressor, own RTL"),
            std::string::npos);
}

TEST(Terminal, TheSwitchShowsItsPortsRates) {
  const json doc = sample("sample-switch.json");
  for (const std::string& out : {render_terminal(doc, false), render_html(doc)}) {
    for (const char* words : {"rate out", "not ExpEther", "bad checksum", "abandoned sums",
                              "for a sum that was still in", "learning rate"}) {
      EXPECT_NE(out.find(words), std::string::npos) << words;
    }
    for (const char* key : {"not expether", "actions ", "interlock", "pes "}) {
      EXPECT_EQ(out.find(key), std::string::npos) << key;
    }
  }
}

TEST(Terminal, FailureIsWhole) {
  const json doc = sample("sample-fail.json");
  const std::string out = render_terminal(doc, false);
  for (const json& line : doc["failure"]["lines"])
    EXPECT_NE(out.find(line.get<std::string>()), std::string::npos) << line;
  EXPECT_NE(out.find(doc["failure"]["reproduce"].get<std::string>()), std::string::npos);
  EXPECT_NE(out.find("  FAIL  "), std::string::npos);
  EXPECT_EQ(out.find("PASS"), std::string::npos);
}

TEST(Terminal, PassNeverShowsWithoutPass) {
  json doc = sample("sample.json");
  doc.erase("pass");
  EXPECT_NE(render_terminal(doc, false).find("NO VERDICT"), std::string::npos);
  EXPECT_EQ(render_terminal(doc, false).find("  PASS  "), std::string::npos);
  doc["pass"] = "true";  // a string is no verdict
  EXPECT_EQ(render_terminal(doc, false).find("  PASS  "), std::string::npos);
}

TEST(Terminal, PaperModeExplainsItsError) {
  json doc = sample("sample.json");
  doc["mode"] = "paper";
  doc["compression"]["max_abs_error"] = 0.0078;
  doc["compression"]["bound_held"] = false;
  EXPECT_NE(render_terminal(doc, false).find("exceeded: Algorithm 2"), std::string::npos);
  doc["mode"] = "bounded";
  EXPECT_NE(render_terminal(doc, false).find("EXCEEDED"), std::string::npos);
}

TEST(Terminal, ABoundIsGreenRedOrWhatThePaperSays) {
  json doc = sample("sample.json");
  const auto status = [&](const char* mode, bool held) {
    doc["mode"] = mode;
    doc["compression"]["bound_held"] = held;
    for (const report::Section& section : make_view(doc).sections) {
      for (const report::Row& row : section.rows) {
        if (row.label == "max abs error") return row.status;
      }
    }
    return report::Status::kPlain;
  };
  EXPECT_EQ(status("bounded", true), report::Status::kGood);
  EXPECT_EQ(status("paper", true), report::Status::kGood);
  EXPECT_EQ(status("paper", false), report::Status::kWarn);
  EXPECT_EQ(status("bounded", false), report::Status::kBad);
}

TEST(Terminal, NothingComparedIsNotOk) {
  json doc = sample("sample.json");
  doc["checks"]["reference_packets"] = 0;
  EXPECT_NE(render_terminal(doc, false).find("nothing compared"), std::string::npos);
}

TEST(Terminal, BoundAsExponentOrValue) {
  json doc{{"bound", 6}};
  EXPECT_NE(render_terminal(doc, false).find("2^-6"), std::string::npos);
  doc = {{"compression", {{"bound", 0.0009765625}, {"max_abs_error", 0.00048828125}}}};
  EXPECT_NE(render_terminal(doc, false).find("0.500 of the bound 2^-10"), std::string::npos);
}

TEST(Terminal, ControlCharactersDoNotReachTheTerminal) {
  json doc = sample("sample.json");
  doc["trace"]["file"] = "a\x1b[2Jb\xff.pcap";
  doc["failure"] = {{"headline", "h\x07"}, {"lines", {"x\x1b]0;t\x07y", "one\ntwo"}}};
  const std::string out = render_terminal(doc, false);
  EXPECT_EQ(out.find('\x1b'), std::string::npos);
  EXPECT_EQ(out.find('\x07'), std::string::npos);
  EXPECT_NE(out.find("  one\n  two\n"), std::string::npos);
}

/// The rows of a section, "value | note" by label.
std::map<std::string, std::string> rows_of(const json& doc, const std::string& title) {
  std::map<std::string, std::string> rows;
  for (const report::Section& section : make_view(doc).sections) {
    if (section.title != title) continue;
    for (const report::Row& row : section.rows) rows[row.label] = row.value + " | " + row.note;
  }
  return rows;
}
using Rows = std::map<std::string, std::string>;

TEST(Figures, OfAQuantiserAreReadBack) {
  const json doc{{"device", "threshold"},
                 {"rows", 64},
                 {"residual", "on"},
                 {"quantizer",
                  {{"method", "WGT"},
                   {"ratio", 7.125},
                   {"payload_ratio", 9.5},
                   {"entries", 1234},
                   {"sent_share", 0.0625},
                   {"bits_per_entry", 34.5},
                   {"raw_chunks", 3},
                   {"not_finite", 5},
                   {"clipped", 7},
                   {"clipped_means", 2},
                   {"vanished", 1000},
                   {"rel_l2_error", 0.25},
                   {"max_abs_error", 0.125},
                   {"conservation", 1e-8},
                   {"conservation_limit", 1e-7},
                   {"residual", {{"rms", 0.5}, {"max", 2}, {"to_gradient", 0.75}}}}}};
  EXPECT_EQ(rows_of(doc, "Quantiser"),
            (Rows{{"method", "WGT | residuals on, 64 rows"},
                  {"ratio", "7.12x | 9.50x by the papers' count, payload alone"},
                  {"values sent", "1,234 | 6.2 %, 34.50 bits each"},
                  {"chunks as RAW", "3 | "},
                  {"values lost", "5 | not finite, or in a block with one that was not"},
                  {"values clipped",
                   "7 | 256 and more in magnitude: 2 means are too small; scale the gradients "
                   "down"},
                  {"values too small",
                   "1,000 | below 2^-32 in magnitude: 0 in the means; scale the gradients up"},
                  {"relative L2 error", "0.25 | "},
                  {"max abs error", "0.125 | "},
                  {"residual rms", "0.5 | at most 2; 0.75 of the gradients'"},
                  {"neither sent nor kept", "1e-08 | of the gradients, by place"}}));
}

TEST(Figures, OfATraceAreReadBack) {
  const json doc{{"trace",
                  {{"file", "t.pcap"},
                   {"packets", 2000},
                   {"selected", 250},
                   {"skipped", {{"not_marked", 1700}, {"syn", 50}, {"ipv6", 0}}}}},
                 {"cycles", 1000},
                 {"clock_mhz", 200},
                 {"stall_cycles", {{"source", 125}, {"device", 0}, {"sink", 250}}}};
  Rows what = rows_of(doc, "What ran"), rate = rows_of(doc, "Rate and latency");
  EXPECT_EQ(what["packets"], "2,000 | 250 selected (12.5 %)");
  EXPECT_EQ(what["skipped"], "1,750 | 1,700 not marked, 50 syn");
  EXPECT_EQ(rate["cycles"], "1,000 | 5 µs at 200 MHz");
  EXPECT_EQ(rate["stall cycles"], "375 | source 125 (12.5 %), sink 250 (25.0 %)");
}

TEST(Figures, OfANicAreReadBack) {
  const json doc{
      {"device", "nic"},
      {"nic",
       {{"packed",
         {{"frames", 3}, {"floats", 96}, {"ratio_payload", 10.667}, {"ratio_frame", 2.758}}},
        {"link",
         {{"gbps", 10}, {"original_us", 0.5936}, {"packed_us", 0.3152}, {"saved_percent", 46.9}}},
        {"flow_table", {{"entries", 7}, {"evicted", 2}, {"forgotten", 1}}},
        {"phases", {4, 3, 2, 1}},
        {"tx", {{"reasons", {{"packed", 3}}}}},
        {"rx", {{"reasons", {{"unpacked", 2}, {"bad_stream", 1}}}}}}}};
  EXPECT_EQ(rows_of(doc, "NIC"),
            (Rows{{"payload ratio", "10.67x | 96 floats in 3 packed frames; whole frames 2.76x"},
                  {"link saving", "46.9 % | 315 ns in the place of 594 ns at 10 Gb/s, all frames"},
                  {"flow table", "7 flows | 2 evicted, 1 forgotten"},
                  {"head 0, 1, 2, 3",
                   "4, 3, 2, 1 | frames by the bytes before their first whole float"}}));
  for (const report::Section& section : make_view(doc).sections) {
    if (section.title != "NIC") continue;
    ASSERT_EQ(section.tables.size(), 2u);
    using Cells = std::vector<std::vector<std::string>>;
    EXPECT_EQ(section.tables[0].cells, (Cells{{"packed", "3", ""}}));
    EXPECT_EQ(section.tables[1].cells, (Cells{{"bad stream", "1"}, {"unpacked", "2"}}));
  }
}

TEST(Figures, OfCoverageAreReadBack) {
  const json part{{"covered", 2}, {"possible", 5}, {"percent", 40.0}};
  Rows rows = rows_of({{"coverage", {{"functional", part}, {"line", part}}}}, "Coverage");
  EXPECT_EQ(rows, (Rows{{"functional", "2 of 5 | 40.00 %"}, {"line", "2 of 5 | 40.00 %"}}));
}

TEST(ShellCommand, AShellReadsTheWordsAgain) {
  std::string all;
  for (int c = 1; c < 256; ++c) all += static_cast<char>(c);
  const std::vector<std::string> words = {
      "printf", "%s\\n", "plain",   "a b", "it's",       "'",        "\"q\"", "$HOME", "`id`",
      "a&b",    "a|b;c", "*?[a]",   "~",   "#",          "!x",       "\\",    "",      "2^-10",
      "x=y",    "{a,b}", "(a)<b>c", "-n",  "two\nlines", "tab\tbed", all};
  std::string expected;
  for (size_t i = 2; i < words.size(); ++i) expected += words[i] + "\n";
  std::FILE* const shell = popen(report::shell_command(words).c_str(), "r");
  ASSERT_NE(shell, nullptr);
  std::string said;
  for (int c; (c = std::fgetc(shell)) != EOF;) said += static_cast<char>(c);
  EXPECT_EQ(pclose(shell), 0);
  EXPECT_EQ(said, expected);
}

TEST(Headline, OfWhateverDidNotPass) {
  EXPECT_EQ(headline({{"device", "d"}, {"pass", true}}), "");
  EXPECT_EQ(headline({{"device", "d"}, {"pass", false}}), "d: the run did not pass");
  EXPECT_EQ(headline({{"device", "d"}, {"pass", false}, {"interrupted", true}}), "");
  EXPECT_EQ(headline({{"device", "d"}, {"incomplete", "the capture is cut"}}),
            "the capture is cut");
  EXPECT_EQ(
      headline(
          {{"device", "d"},
           {"pass", false},
           {"verdicts",
            {{{"name", "bound"}, {"held", false}, {"words", "the error bound is not held"}}}}}),
      "d: the error bound is not held");
  EXPECT_EQ(headline({{"pass", false}, {"failure", {{"headline", "d: hangs"}}}}), "d: hangs");
}

TEST(Bench, OneDeviceAndNone) {
  const json one = sample("sample-bench.json")[0];
  const std::string out = render_bench_terminal(one);
  EXPECT_LT(out.find("Ratios"), out.find("On this machine"));
  EXPECT_LT(out.find("lockstep / RTL"), out.find("16.62"));
  for (const json& doc : {json(), json::object(), json::array(), json(3), json{{"ratios", 1}}})
    EXPECT_NO_THROW(render_bench_terminal(doc));
}

TEST(Bench, SaysWhatIsBehindRegisters) {
  json rows = sample("sample-bench.json");
  EXPECT_EQ(render_bench_terminal(rows).find("axi-lite"), std::string::npos);
  rows[1]["host"] = "axi-lite";
  const std::string out = render_bench_terminal(rows);
  EXPECT_NE(out.find("\n  compressor   "), std::string::npos) << out;
  EXPECT_NE(out.find("\n  decompressor, axi-lite   "), std::string::npos) << out;
}

// ------------------------------------------------------------------------------------------------
// shapes

TEST(Shapes, AnySectionMayBeAbsent) {
  const Path nowhere("/nonexistent");  // the figures' tables are enough here, and fast
  const json whole = sample("sample.json");
  for (const auto& [key, value] : whole.items()) {
    json doc = whole;
    doc.erase(key);
    EXPECT_NO_THROW(render_terminal(doc, true)) << key;
    EXPECT_NO_THROW(render_html(doc)) << key;
    const json alone{{key, value}};
    EXPECT_NO_THROW(render_terminal(alone, false)) << key;
    EXPECT_NO_THROW(render_html(alone)) << key;
  }
  for (const json& doc : {json(), json::object(), json::array(), json("x")}) {
    EXPECT_NE(render_terminal(doc, false).find("NO VERDICT"), std::string::npos);
    EXPECT_NE(render_html(doc).find("NO VERDICT"), std::string::npos);
  }
}

/// Puts `value` at every place of the document in turn; under sanitizers at every sixteenth, which
/// `turn` says.
template <class F>
void at_every_place(const json& whole, const json& value, size_t turn, F&& f) {
  const json flat = whole.flatten();
  std::set<std::string> places;
  for (const auto& [pointer, leaf] : flat.items())
    for (json::json_pointer p(pointer); !p.empty(); p = p.parent_pointer())
      if (p.to_string().find("/plots/") != 0 || p.to_string().size() < 32)
        places.insert(p.to_string());
  for (const std::string& place : places) {
    if (++turn % 16 != 0 && gw::tests::kSanitized) continue;
    json doc = whole;
    doc[json::json_pointer(place)] = value;
    f(doc, place);
  }
}

TEST(Shapes, AnyValueMayBeOfAnyKind) {
  const Path nowhere("/nonexistent");
  for (const char* name :
       {"sample.json", "sample-fail.json", "sample-optimizer.json", "sample-nic.json"}) {
    json whole = sample(name);
    if (whole.contains("plots"))  // a few points of each series will do
      for (auto& [key, series] : whole["plots"].items())
        if (series.is_array() && series.size() > 2) series.erase(series.begin() + 2, series.end());
    size_t turn = 0;
    for (const json& odd : {json(), json("text"), json(-1), json(std::nan("")),
                            json(std::numeric_limits<double>::infinity()), json(1e300), json(true),
                            json::array(), json::object(), json{{"a", {{"b", {1, "x", nullptr}}}}},
                            json::array({json{{"k", 1}}, json{{"l", nullptr}}})})
      at_every_place(whole, odd, turn++, [&](const json& doc, const std::string& place) {
        EXPECT_NO_THROW(render_terminal(doc, false)) << place << " = " << odd;
        EXPECT_NO_THROW(render_html(doc)) << place << " = " << odd;
      });
  }
}

TEST(Shapes, UnknownSectionsAreShown) {
  for (const std::string& out : {render_terminal(sample("sample-optimizer.json"), false),
                                 render_html(sample("sample-optimizer.json"))})
    for (const char* word : {"Optimizer", "momentum", "Ports", "gbps in", "p1"})
      EXPECT_NE(out.find(word), std::string::npos) << word;
}

// ------------------------------------------------------------------------------------------------
// HTML

/// sample.json's, with its figures: gnuplot draws them once.
const std::string& page() {
  static const std::string kPage = render_html(sample("sample.json"));
  return kPage;
}

TEST(Html, SelfContainedWithUniqueIds) {
  const std::string& out = page();
  for (const char* never : {"<script", "<link", "<img", "@import", "src=", "url(http",
                            "href=\"http", "href='http", "<?xml", "<!DOCTYPE svg"})
    EXPECT_EQ(out.find(never), std::string::npos) << never;
  std::set<std::string> ids;
  const std::regex id("\\bid=[\"']([^\"']*)");
  for (std::sregex_iterator it(out.begin(), out.end(), id), end; it != end; ++it)
    EXPECT_TRUE(ids.insert((*it)[1]).second) << (*it)[1];
  EXPECT_NE(out.find("prefers-color-scheme:dark"), std::string::npos);
  EXPECT_NE(out.find(">PASS<"), std::string::npos);
  EXPECT_NE(out.find("gradwire run compressor --trace"), std::string::npos);
}

TEST(Html, TheWireStandsBesideTheUncompressedRate) {
  json doc = sample("sample.json");
  const std::string& both = page();
  EXPECT_NE(both.find("240.5 % of 10G, uncompressed"), std::string::npos);
  EXPECT_NE(both.find("On the wire"), std::string::npos);
  EXPECT_NE(both.find("18.6 % of 10G, compressed"), std::string::npos);
  doc.erase("wire_gbps");
  doc.erase("wire_line_rate_percent");
  std::optional<Path> nowhere;
  if (gw::tests::kSanitized) nowhere.emplace("/nonexistent");  // this is not of the figures
  const std::string one = render_html(doc);
  EXPECT_EQ(one.find("n the wire"), std::string::npos);
  EXPECT_EQ(one.find("compressed</"), std::string::npos);
  EXPECT_NE(one.find("240.5 % of 10G"), std::string::npos);
}

// Headers are not compressed: the payload's ratio does not stand alone.
TEST(Html, ANicSaysRatioOfPayloadAndSavingOfLink) {
  const std::string html = render_html(sample("sample-nic.json"));
  for (const char* word : {"Payload ratio", "Link saving", "Host to wire", "Wire to host"}) {
    EXPECT_NE(html.find(word), std::string::npos) << word;
  }
}

TEST(Html, PlotsFollowTheColourScheme) {
  if (!gnuplot_installed()) GTEST_SKIP() << "gnuplot is not installed";
  const std::string& out = page();
  EXPECT_EQ(count(out, "<svg"), 8u);
  EXPECT_EQ(count(out, "</svg>"), 8u);
  EXPECT_EQ(out.find("as tables."), std::string::npos);
  EXPECT_NE(out.find("var(--accent)"), std::string::npos);
  // No colour of gnuplot's own is left: it would not be seen on the other background.
  EXPECT_EQ(out.find("black"), std::string::npos);
  EXPECT_FALSE(std::regex_search(out, std::regex("(fill|stroke)\\s*=\\s*['\"]rgb\\(")));
}

TEST(Figures, Golden) {
  std::string text;
  for (const char* name : {"sample.json", "sample-optimizer.json", "sample-nic.json"}) {
    const json doc = sample(name);
    for (const report::Figure& figure : report::make_figures(doc, make_view(doc))) {
      text += std::string("=== ") + name + ": " + figure.title + "\n" + figure.caption + "\n" +
              figure.plot.title + "\n" + figure.plot.script + "\n";
    }
  }
  expect_golden("figures.txt", text);
}

// The curve is of all ports together, and so is the line that it is held against.
TEST(Figures, ThroughputOfSeveralPortsIsHeldAgainstAllTheirLines) {
  json doc{{"plots", {{"throughput_over_time", {{0, 28.5}, {100, 31.0}, {200, 29.0}}}}},
           {"line_rate_gbps", {10}},
           {"line_rate_percent", {{"port0", 71.0}, {"port3", 80.0}}},
           {"port_count", {{"in", 4}, {"out", 4}}}};
  const auto figure = [&doc] {
    for (report::Figure& f : report::make_figures(doc, make_view(doc))) {
      if (f.title == "Throughput over time") return std::move(f);
    }
    ADD_FAILURE() << "no such figure";
    return report::Figure{};
  };
  report::Figure f = figure();
  EXPECT_EQ(f.caption,
            "Packets through the device, all ports together; the dashed line is 4 ports of 10 Gb/s "
            "Ethernet.");
  EXPECT_NE(f.plot.script.find("set label '4x10 GbE' at graph 1.01,first 40 "), std::string::npos);
  EXPECT_NE(f.plot.script.find("set arrow from graph 0,first 40 "), std::string::npos);
  EXPECT_NE(f.plot.script.find("set yrange [0:46]"), std::string::npos);
  // One line, whatever the number of ports.
  doc["line_rate_percent"] = {{"10G", 285.0}};
  f = figure();
  EXPECT_NE(f.plot.script.find("set label '10 GbE' at graph 1.01,first 10 "), std::string::npos);
  EXPECT_EQ(f.caption, "Packets through the device; the dashed line is 10 Gb/s Ethernet.");
}

TEST(Figures, AValueBelowAllTheOthersIsCounted) {
  const json doc{{"plots", {{"value_exponents", {{-127, 1}, {-100, 1}, {-44, 2}, {-3, 7}}}}}};
  for (const report::Figure& figure : report::make_figures(doc, make_view(doc))) {
    if (figure.title != "Gradient values by size") continue;
    std::string cells;
    for (const auto& row : figure.data.cells) cells += row[0] + ": " + row[2] + "; ";
    EXPECT_EQ(cells, "zero, subnormal: 1; below -44: 1; -44: 2; -3: 7; ");
    EXPECT_NE(figure.plot.script.find("('<' -46, '0' -48"), std::string::npos);
    return;
  }
  ADD_FAILURE() << "no such figure";
}

TEST(Terminal, NamesWhatWasNotReached) {
  const json part{{"covered", 2}, {"possible", 5}, {"percent", 40.0}};
  json none = part, one = part, three = part;
  none["table"] = "lengths";
  none["unreached"] = json::array();
  one["table"] = "modes";
  one["unreached"] = {"paper"};
  three["table"] = "values";
  three["unreached"] = {{{"name", "quiet"}}, {{"name", "tiny"}}, {{"name", "huge"}}};
  json all = part;
  all["tables"] = {none, one, three};
  const std::string out =
      render_terminal({{"pass", true}, {"coverage", {{"functional", all}}}}, false);
  const auto row = [&](const std::string& name) {
    const size_t at = out.find(name);
    return at == std::string::npos ? "" : out.substr(at, out.find('\n', at) - at);
  };
  EXPECT_EQ(row("lengths").find("paper"), std::string::npos);
  EXPECT_NE(row("modes").find("paper"), std::string::npos) << out;
  EXPECT_NE(row("values").find("quiet, 2 more"), std::string::npos) << out;
}

TEST(Terminal, SaysWhatWasCheckedAgainstWhat) {
  json doc = sample("sample.json");
  doc["check"] = {"model", "reference", "protocol"};
  const std::string free = "cycles are free: no lockstep";
  EXPECT_EQ(render_terminal(doc, false).find(free), std::string::npos);
  doc["check"] = {"against", "protocol"};
  EXPECT_EQ(render_terminal(doc, false).find(free), std::string::npos);
  doc["check"] = {"reference", "protocol"};
  EXPECT_NE(render_terminal(doc, false).find(free), std::string::npos);
}

TEST(Svg, StandsAloneInLightColoursOnWhite) {
  const report::Colour& first = report::palette().front();
  EXPECT_EQ(report::standalone_svg(std::string("<svg a='b'><g fill='var(--") + first.name +
                                   ")' stroke='var(--" + first.name + ")'/></svg>"),
            std::string("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<svg a='b'>\n<rect "
                        "width=\"100%\" height=\"100%\" fill=\"#ffffff\"/><g fill='") +
                first.light + "' stroke='" + first.light + "'/></svg>\n");
  EXPECT_EQ(report::standalone_svg("<svg"), "");
}

TEST(Svg, OnlyWhatIsWholeIsInlined) {
  for (const char* cut : {"", "<svg>", "</svg>", "</svg><svg>", "<svg", "<title>a</title>"}) {
    EXPECT_EQ(report::inline_svg(cut, "p_", "t"), "") << cut;
  }
  EXPECT_EQ(report::inline_svg("<?xml?>\n<svg a='b'></svg>\n", "p_", "a & b"),
            "<svg role=\"img\" aria-label=\"a &amp; b\" a='b'></svg>");
}

TEST(Svg, WhatGnuplotSaysOfItselfGoesAndNamesBecomeTheFiguresOwn) {
  const std::string head = "<svg><title>Gnuplot</title><desc>made by</desc>";
  const std::string defs = "<defs><path id='a'/></defs>";
  const std::string begin = "<svg role=\"img\" aria-label=\"t\">";
  EXPECT_EQ(report::inline_svg(head + defs + "<g/></svg>", "p_", "t"), begin + "<g/></svg>");
  // What is used, stays.
  EXPECT_EQ(report::inline_svg(head + defs + "<use href='#a'/></svg>", "p_", "t"),
            begin + "<defs><path id='p_a'/></defs><use href='#p_a'/></svg>");
  EXPECT_EQ(report::inline_svg(head + defs + "<g fill='url(#a)'/></svg>", "p_", "t"),
            begin + "<defs><path id='p_a'/></defs><g fill='url(#p_a)'/></svg>");
  // A title that does not end is left alone.
  EXPECT_EQ(report::inline_svg("<svg><title>a</svg>", "p_", "t"), begin + "<title>a</svg>");
  const report::Colour& first = report::palette().front();
  EXPECT_EQ(
      report::inline_svg("<svg><g fill='" + std::string(first.light) + "' stroke=\"black\"/></svg>",
                         "p_", "t"),
      begin + "<g fill='var(--" + first.name + ")' stroke=\"currentColor\"/></svg>");
}

TEST(Html, StringsAreEscaped) {
  json doc = sample("sample.json");
  const std::string evil = "<script>alert('1')</script>&\"`touch gw-evil`$(touch gw-evil)'\\n";
  doc["trace"]["file"] = evil;
  doc["trace"]["skipped"][evil] = 100;
  doc["device"] = evil;
  doc["command"] = evil;
  doc["version"] = evil;
  doc["baselines"][0]["name"] = evil;
  doc["paper"]["table3"]["model"] = evil;
  doc["unknown<b>"] = {{"<i>", evil}};
  doc["failure"] = {{"headline", evil}, {"lines", {evil}}, {"reproduce", evil}};
  const std::string out = render_html(doc);
  EXPECT_EQ(out.find("<script"), std::string::npos);
  EXPECT_EQ(out.find("<b>"), std::string::npos);
  EXPECT_EQ(count(out, "<i>"), 0u);
  EXPECT_FALSE(fs::exists("gw-evil"));
  if (gnuplot_installed()) {
    EXPECT_EQ(count(out, "<svg"), 8u);
  }
}

TEST(Html, FailureIsWhole) {
  const json doc = sample("sample-fail.json");
  const std::string out = render_html(doc);
  EXPECT_NE(out.find(">FAIL<"), std::string::npos);
  for (const json& line : doc["failure"]["lines"])
    EXPECT_NE(out.find(report::escaped(line)), std::string::npos) << line;
  EXPECT_NE(out.find(report::escaped(doc["failure"]["reproduce"])), std::string::npos);
}

TEST(Html, WithoutGnuplotTablesStandInForPlots) {
  const Folder empty;
  const Path path(empty.path().string());
  const std::string out = render_html(sample("sample.json"));
  EXPECT_EQ(out.find("<svg"), std::string::npos);
  EXPECT_EQ(count(out, "gnuplot is not installed"), 1u);
  for (const char* word : {"Where the values fall", "Throughput over time", "588", "not marked"})
    EXPECT_NE(out.find(word), std::string::npos) << word;
  EXPECT_NE(out.find("</html>"), std::string::npos);
}

TEST(Html, BrokenGnuplotIsReported) {
  const Folder folder;
  std::ofstream(folder / "gnuplot") << "#!/bin/sh\necho 'no <terminal> today' >&2\nexit 1\n";
  ::chmod((folder / "gnuplot").c_str(), 0755);
  const Path path(folder.path().string() + ":/bin:/usr/bin");
  const std::string out = render_html(sample("sample.json"));
  EXPECT_EQ(count(out, "gnuplot failed (no &lt;terminal&gt; today"), 1u);
  EXPECT_EQ(out.find("<svg"), std::string::npos);
}

TEST(Html, OneBadFigureDoesNotTakeTheOthersAlong) {
  if (!gnuplot_installed()) GTEST_SKIP() << "gnuplot is not installed";
  const report::Drawn drawn =
      report::draw({{"a", "plot x title 'a'"}, {"bad", "plot ["}, {"b", "plot x title 'b'"}});
  EXPECT_FALSE(drawn.svg[0].empty());
  EXPECT_TRUE(drawn.svg[1].empty());
  EXPECT_FALSE(drawn.svg[2].empty());
  EXPECT_NE(drawn.missing.find("gnuplot"), std::string::npos);
}

TEST(Html, DrawsTheEdgesOfEverySeries) {
  if (!gnuplot_installed()) GTEST_SKIP() << "gnuplot is not installed";
  const json limits{{"zero_below", -10}, {"byte_below", -5}, {"raw_from", 0}};
  json big = json::array();
  for (int i = 0; i < 20000; ++i) big.push_back({i * 64, 20 + i % 7});
  for (const json& plots : {json{{"latency_histogram", {{4, 1}}},
                                 {"throughput_over_time", {{0, 25.6}}},
                                 {"value_exponents", {{-127, 5}}},
                                 {"class_limits", limits}},
                            json{{"latency_histogram", {{4, 0}}},
                                 {"throughput_over_time", {{0, 0}, {64, 0}}},
                                 {"value_exponents", {{128, 5}}},
                                 {"class_limits", limits}},
                            json{{"latency_histogram", {{4, 9}, {100000, 1}}},
                                 {"throughput_over_time", big},
                                 {"value_exponents", {{-126, 5}, {-3, 1000000000}}}}}) {
    const std::string out = render_html({{"pass", true}, {"plots", plots}});
    EXPECT_EQ(count(out, "<svg"), 3u) << plots.dump().substr(0, 200);
    EXPECT_LT(out.size(), 400000u);
  }
}

TEST(Html, DrawsTheDrift) {
  if (!gnuplot_installed()) GTEST_SKIP() << "gnuplot is not installed";
  const auto row = [](int iteration, double mean, double max) {
    return json{{"iteration", iteration}, {"mean_ulp", mean}, {"max_ulp", max}};
  };
  const std::string out =
      render_html({{"pass", true}, {"drift", {row(1, 0.25, 1), row(2, 0.5, 1e6), row(3, 0, 0)}}});
  EXPECT_EQ(count(out, "<svg"), 1u);
  EXPECT_NE(out.find("Drift from the textbook"), std::string::npos);
  // Nothing to draw on a logarithmic axis, or one point only.
  for (const json& rows : {json{row(1, 0, 0), row(2, 0, 0)}, json{row(1, 0.25, 1)}, json{3, "x"}}) {
    const std::string none = render_html({{"pass", true}, {"drift", rows}});
    EXPECT_EQ(count(none, "<svg"), 0u) << rows;
    EXPECT_EQ(none.find("gnuplot"), std::string::npos) << rows;  // it was not even tried
  }
}

// ------------------------------------------------------------------------------------------------
// text, JSON, files

TEST(Text, ShortenedToTheLeastThatSaysSo) {
  EXPECT_EQ(report::shortened("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(report::shortened("abcdefghij", 5), "ab…ij");
  EXPECT_EQ(report::shortened("abcdefgh", 4), "a…gh");
  EXPECT_EQ(report::shortened("abcdefgh", 3), "a…h");
  EXPECT_EQ(report::shortened("abcdefgh", 2), "abcdefgh");  // no room to say it
  EXPECT_EQ(report::shortened("äöü…ß", 3), "ä…ß");
}

TEST(Text, Numbers) {
  EXPECT_EQ(report::grouped(1234567), "1,234,567");
  EXPECT_EQ(report::grouped(-999), "-999");
  EXPECT_EQ(report::grouped(100), "100");
  EXPECT_EQ(report::share(0.01), "<0.1 %");
  EXPECT_EQ(report::share(0), "0.0 %");
  EXPECT_EQ(report::seconds(4.2e-8), "42 ns");
  EXPECT_EQ(report::bound(json(10)), "2^-10");
  EXPECT_EQ(report::bound(json(0.015625)), "2^-6");
  EXPECT_EQ(report::clean("a\xC0\x80z\xED\xA0\x80\n"), "a\uFFFD\uFFFDz\uFFFD\uFFFD\uFFFD ");
  EXPECT_EQ(report::clean("µ×…😀"), "µ×…😀");
  EXPECT_EQ(report::quoted("it's `x` \"y\""), "'it''s `x` \"y\"'");
}

TEST(Paper, Table3) {
  static_assert(gw::papers::inceptionn::table3("HDC", 10)->zero == 92.0);
  EXPECT_NEAR(gw::papers::inceptionn::table3("AlexNet", 10)->ratio(), 5.6, 0.05);  // Figure 14
  EXPECT_FALSE(gw::papers::inceptionn::table3("HDC", 9));
  EXPECT_FALSE(gw::papers::inceptionn::table3("LeNet", 10));
  for (const gw::papers::inceptionn::Table3Row& row : gw::papers::inceptionn::kTable3) {
    EXPECT_NEAR(row.zero + row.byte + row.half + row.raw, 100, 0.11) << row.model << " " << row.k;
    EXPECT_LE(row.ratio(), gw::papers::inceptionn::kBestRatioFig14);
  }
}

TEST(Json, PublicLeavesOutPlots) {
  const json doc = sample("sample.json");
  json expected = doc;
  expected.erase("plots");
  EXPECT_EQ(public_json(doc), expected);
  EXPECT_EQ(public_json(json::array()), json::array());
  EXPECT_EQ(json::parse(json_text(doc)), doc);
  EXPECT_NO_THROW(json_text({{"file", "\xff"}}));
}

TEST(Write, ReplacesWholeAndKeepsTheMode) {
  const Folder folder;
  const fs::path file = folder / "x.html";
  write_report_file(file, "one");
  EXPECT_EQ(read(file), "one");
  ::chmod(file.c_str(), 0640);
  fs::create_symlink(file, folder / "link");
  write_report_file(folder / "link", "two");
  EXPECT_EQ(read(file), "two");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(fs::status(file).permissions(), fs::perms(0640));
  EXPECT_EQ(folder.entries(), 2u);
}

TEST(Write, ErrorsAreSentences) {
  EXPECT_EQ(sentence_of("/dev/full", "text"),
            "cannot write report /dev/full: No space left on device");
  EXPECT_EQ(sentence_of("/nonexistent/x.html", "text"),
            "cannot write report /nonexistent/x.html: No such file or directory");
  EXPECT_EQ(sentence_of("/tmp", "text"), "cannot write report /tmp: Is a directory");
  EXPECT_EQ(sentence_of("/dev/null", "text"), "");
  EXPECT_NE(sentence_of("", "text"), "");
}

/// What expect_report_files says of the files; empty: nothing.
std::string expected_of(std::initializer_list<std::string_view> paths) {
  try {
    expect_report_files(paths);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Write, WhatCannotBeWrittenIsKnownBefore) {
  const Folder folder;
  const std::string file = folder / "x.html";
  EXPECT_EQ(expected_of({"", "-", "/dev/null", "x.html", "./x.html", file}), "");
  EXPECT_EQ(expected_of({"-", "/nonexistent/x.html"}),
            "cannot write report /nonexistent/x.html: No such file or directory");
  EXPECT_EQ(expected_of({file, "/tmp"}), "cannot write report /tmp: Is a directory");
  EXPECT_EQ(folder.entries(), 0u);
  write_report_file(file, "kept");
  EXPECT_EQ(expected_of({file}), "");
  EXPECT_EQ(expected_of({file + "/y"}), "cannot write report " + file + "/y: Not a directory");
  EXPECT_EQ(read(file), "kept");
}

TEST(Write, ReadOnlyFolder) {
  const Folder folder;
  ::chmod(folder.path().c_str(), 0555);
  // Nothing is read-only for root, but /proc takes no new files from anybody.
  const std::string file = ::geteuid() == 0 ? "/proc/x.html" : (folder / "x.html").string();
  EXPECT_EQ(sentence_of(file, "text").find("cannot write report " + file + ": "), 0u);
  EXPECT_EQ(folder.entries(), 0u);
  ::chmod(folder.path().c_str(), 0755);
}

TEST(Write, AReadOnlyFileStaysThoughItsFolderMayBeWritten) {
  const Folder folder;
  const fs::path file = folder / "x.html";
  write_report_file(file, "kept");
  ::chmod(file.c_str(), 0444);
  ::chmod(folder.path().c_str(), 0777);
  // For root nothing is read-only: as somebody else, who can only leave root in a process of its
  // own.
  constexpr uid_t kNobody = 65534;
  ASSERT_TRUE(::geteuid() != 0 || ::chown(file.c_str(), kNobody, kNobody) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(kNobody) != 0) std::_Exit(2);
    const std::string expected = "cannot write report " + file.string() + ": Permission denied";
    std::_Exit(sentence_of(file, "lost") == expected ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read(file), "kept");
}

TEST(Write, AFailureLeavesThePreviousFile) {
  const Folder folder;
  const fs::path file = folder / "x.html";
  write_report_file(file, "the good one");
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4096, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string sentence = sentence_of(file, std::string(100000, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(sentence, "cannot write report " + file.string() + ": File too large");
  EXPECT_EQ(read(file), "the good one");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(Write, PipeIsWrittenDirectly) {
  const Folder folder;
  const fs::path file = folder / "pipe";
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  const int fd = ::open(file.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(fd, 0);
  write_report_file(file, "through");
  char buffer[16] = {};
  EXPECT_EQ(::read(fd, buffer, sizeof buffer), 7);
  EXPECT_STREQ(buffer, "through");
  ::close(fd);
}

}  // namespace
