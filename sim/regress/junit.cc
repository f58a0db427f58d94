// SPDX-License-Identifier: Apache-2.0
#include "sim/regress/junit.h"

#include <fmt/format.h>

#include <map>

#include "sim/regress/worker.h"
#include "sim/report/gnuplot.h"
#include "sim/report/text.h"

namespace gw::regress {
namespace {

/// A failure's words in the report; the rest is in its file.
constexpr size_t kMostText = size_t{64} << 10;

std::string text_of(const Entry& entry, const std::string& command) {
  std::string text;
  for (const std::string& line : entry.result.lines) {
    if (text.size() > kMostText) {
      text += "...\n";
      break;
    }
    text += line + "\n";
  }
  if (!entry.result.bucket.empty()) text += "bucket: " + entry.result.bucket + "\n";
  return text + "\n" + command + "\n";
}

/// The verdict as JUnit has it: nothing inside for a pass.
std::string inside(const Entry& entry, const std::string& program) {
  const Result& result = entry.result;
  const std::string message = xml_text(sim::report::clean(result.headline));
  const auto element = [&](const char* name, const std::string& kind) {
    return fmt::format("      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n", name, kind, message,
                       xml_text(text_of(entry, command_of(program, entry.what))));
  };
  switch (result.verdict) {
    case Verdict::kPass:
      return "";
    case Verdict::kFail:
      return element("failure", "fail");
    case Verdict::kKnown:
    case Verdict::kWaived:
      return fmt::format("      <skipped message=\"{}: {}\"/>\n", name_of(result.verdict), message);
    default:
      return element("error", std::string(name_of(result.verdict)));
  }
}

struct Suite {
  std::string name, cases;
  size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
};

std::string document(const Summary& summary, const std::vector<Suite>& suites) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const Suite& suite : suites) {
    text += fmt::format(
        "  <testsuite name=\"{}.{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
        "time=\"{:.3f}\" timestamp=\"{}\">\n    <properties>\n      <property name=\"seed\" "
        "value=\"{}\"/>\n      <property name=\"program\" value=\"{}\"/>\n    </properties>\n",
        xml_text(summary.order.plan), xml_text(suite.name), suite.tests, suite.failures,
        suite.errors, suite.skipped, suite.seconds, summary.ran.began.substr(0, 19),
        summary.order.seed, xml_text(summary.order.program));
    text += suite.cases;
    text += "  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string legal = sim::report::clean(text, /*keep_newlines=*/true);
  // U+FFFE and U+FFFF are Unicode, but not XML.
  for (const char* const none : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
    for (size_t at; (at = legal.find(none)) != std::string::npos;) legal.replace(at, 3, "\uFFFD");
  }
  return sim::report::escaped(legal);
}

std::vector<std::string> junit_xml(const Summary& summary, size_t most_bytes) {
  std::vector<std::string> files;
  std::vector<Suite> suites;
  std::map<std::string, size_t> index;
  size_t bytes = 0;
  for (const Entry& entry : summary.entries) {
    std::string text =
        fmt::format("    <testcase classname=\"{}.{}\" name=\"{}\" time=\"{:.3f}\">\n",
                    xml_text(summary.order.plan), xml_text(entry.what.group),
                    xml_text(entry.what.name), entry.result.seconds);
    text += inside(entry, summary.order.command) + "    </testcase>\n";
    if (bytes + text.size() > most_bytes && bytes != 0) {
      files.push_back(document(summary, suites));
      suites.clear();
      index.clear();
      bytes = 0;
    }
    const auto [at, added] = index.emplace(entry.what.group, suites.size());
    if (added) suites.push_back({.name = entry.what.group, .cases = {}});
    Suite& suite = suites[at->second];
    bytes += text.size();
    suite.cases += text;
    suite.seconds += entry.result.seconds;
    ++suite.tests;
    switch (entry.result.verdict) {
      case Verdict::kPass:
        break;
      case Verdict::kFail:
        ++suite.failures;
        break;
      case Verdict::kKnown:
      case Verdict::kWaived:
        ++suite.skipped;
        break;
      default:
        ++suite.errors;
    }
  }
  files.push_back(document(summary, suites));
  return files;
}

}  // namespace gw::regress
