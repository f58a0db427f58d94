// SPDX-License-Identifier: Apache-2.0
#include "tools/gradwire/help.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "sim/report/terminal.h"
#include "tools/gradwire/commands.h"

namespace gw::tools {
namespace {

constexpr size_t kTextColumn = 28;

/// What options take whose C++ type does not say it.
std::string_view word_of(const std::string& option) {
  static const std::map<std::string_view, std::string_view> kWords = {
      {"from", "FILE"},
      {"load-state", "FILE"},
      {"save-state", "FILE"},
      {"pcap-wire", "FILE"},
      {"trace", "FILE"},
      {"json", "FILE"},
      {"html", "FILE"},
      {"csv", "FILE"},
      {"svg", "FILE"},
      {"info", "FILE"},
      {"wave", "FILE"},
      {"waivers", "FILE"},
      {"stats", "FILE"},
      {"coverage-out", "FILE"},
      {"pcap-out", "FILE"},
      {"pcap-in-out", "FILE"},
      {"areas-out", "FILE"},
      {"config", "FILE"},
      {"rtl", "FILE"},
      {"against", "FILE"},
      {"tx-rtl", "FILE"},
      {"rx-rtl", "FILE"},
      {"plan", "FILE"},
      {"capsule", "FILE|FOLDER"},
      {"out", "FOLDER"},
      {"cache", "FOLDER"},
      {"incdir", "FOLDER"},
      {"capsule-out", "FOLDER"},
      {"sv-bench", "FOLDER"},
      {"synth-folder", "FOLDER"},
      {"data", "FOLDER"},
      {"random", "[FILE#]NAME"},
      {"synth", "NAME"},
      {"top", "NAME"},
      {"against-top", "NAME"},
      {"tx-top", "NAME"},
      {"rx-top", "NAME"},
      {"preset", "NAME"},
      {"device", "NAME"},
      {"optimizer", "NAME"},
      {"exchange", "NAME"},
      {"farm", "NAME"},
      {"host", "NAME"},
      {"wire", "NAME"},
      {"filter", "EXPRESSION"},
      {"only", "PATTERN"},
      {"pcap", "PREFIX"},
      {"codec", "SPEC"},
      {"stall", "SPEC"},
      {"goal", "KIND=PERCENT"},
      {"define", "NAME[=VALUE]"},
      {"set", "NAME=VALUE"},
      {"mutant", "N/COUNT"},
      {"shrink", "TIME"},
      {"budget", "TIME|CYCLES"},
      {"clock", "MHZ"},
      {"rate", "RATE"},
      {"line-rate", "LIST"},
      {"engine", "LIST"},
      {"check", "LIST"},
      {"coverage", "LIST"},
      {"algorithm", "LIST"},
      {"kind", "LIST"},
      {"profile", "LIST"},
      {"pes", "LIST"},
      {"wave-from", "N"},
      {"wave-to", "N"},
      {"mutant-seed", "N"},
      {"jobs", "N"},
      {"window", "N"},
      {"seed", "N"},
      {"first", "N"},
      {"last", "N"},
      {"ports", "N"},
  };
  const auto word = kWords.find(option);
  return word == kWords.end() ? std::string_view() : word->second;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789.e-") == std::string::npos;
}

}  // namespace

size_t columns() {
  constexpr size_t kLeast = 60;
  winsize size = {};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return sim::kReportColumns;
  return std::clamp<size_t>(size.ws_col, kLeast, sim::kReportColumns);
}

void name_values(CLI::App& app) {
  for (CLI::Option* const option : app.get_options()) {
    if (option->get_positional()) {
      option->type_name("");  // its name says it
    } else if (const std::string type = option->get_type_name();
               type == "TEXT" || type == "UINT" || type == "INT" || type == "FLOAT") {
      const std::string name = option->get_lnames().empty() ? "" : option->get_lnames().front();
      const std::string_view word = word_of(name);
      option->type_name(!word.empty()                                            ? std::string(word)
                        : type != "TEXT" || is_number(option->get_default_str()) ? "N"
                                                                                 : "WORD");
    }
  }
  for (CLI::App* const command : app.get_subcommands({})) name_values(*command);
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool positional) const {
  std::string name = make_option_name(option, positional);
  if (const size_t brace = name.find('{'); brace != std::string::npos) name.resize(brace);
  std::string out = "  " + name + make_option_opts(option);
  const size_t width = columns() - kTextColumn;
  std::string rest = make_option_desc(option);
  if (out.size() >= kTextColumn) out += "\n" + std::string(kTextColumn, ' ');
  for (bool first = true; !rest.empty(); first = false) {
    size_t end = rest.size();
    if (end > width) {
      end = rest.rfind(' ', width);
      if (end == std::string::npos || end == 0) end = std::min(rest.find(' '), rest.size());
    }
    const size_t line = out.rfind('\n') == std::string::npos ? 0 : out.rfind('\n') + 1;
    if (!first) {
      out += "\n" + std::string(kTextColumn, ' ');
    } else if (out.size() - line < kTextColumn) {
      out.append(kTextColumn - (out.size() - line), ' ');
    }
    out += rest.substr(0, end);
    rest.erase(0, std::min(end + 1, rest.size()));
  }
  return out + "\n";
}

}  // namespace gw::tools
