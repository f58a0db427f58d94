// SPDX-License-Identifier: Apache-2.0
#include "sim/report/gnuplot.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string_view>
#include <system_error>

#include "sim/base/file_bytes.h"
#include "sim/report/text.h"

extern char** environ;

namespace gw::sim::report {
namespace {

namespace fs = std::filesystem;

/// A folder that goes away with its owner.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code ec;
    const fs::path base = fs::temp_directory_path(ec);
    std::string name = ((ec ? fs::path("/tmp") : base) / "gradwire-plots-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr)
      path_ = name;
    else
      error_ = errno;
  }
  ~ScratchFolder() {
    std::error_code ec;
    if (!path_.empty()) fs::remove_all(path_, ec);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const fs::path& path() const { return path_; }
  int error() const { return error_; }

 private:
  fs::path path_;
  int error_ = 0;
};

/// A sentence if not all was drawn; whether less at a time may be.
struct Shortfall {
  std::string sentence = {};
  bool fewer_may_do = false;
};

/// Runs `gnuplot -d script`, its own output into `log`.
Shortfall run_gnuplot(const fs::path& script, const fs::path& log) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  sigaddset(&defaults, SIGCHLD);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);

  const std::string file = script.string();
  const char* argv[] = {"gnuplot", "-d", file.c_str(), nullptr};
  pid_t pid = 0;
  const int error =
      ::posix_spawnp(&pid, "gnuplot", &files, &attributes, const_cast<char**>(argv), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error == ENOENT)
    return {
        "gnuplot is not installed (Debian: gnuplot-nox), so the figures are printed as tables."};
  if (error != 0)
    return {fmt::format("gnuplot cannot be started ({}), so the figures are printed as tables.",
                        std::strerror(error))};

  int status = 0;
  pid_t ended = 0;
  do ended = ::waitpid(pid, &status, 0);
  while (ended < 0 && errno == EINTR);
  if (ended == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  // The caller may have disowned children (SIGCHLD ignored): then the files tell.
  if (ended < 0) return {};
  std::string said;
  for (const std::string all = bytes_if_readable(log).value_or(""); const char c : all) {
    if (c == '\n' && !said.empty() && said.find_first_not_of(" ^") != std::string::npos &&
        said.size() > 160)
      break;
    said += c == '\n' ? ' ' : c;
  }
  return {
      fmt::format("gnuplot failed ({}), so some figures are printed as tables.",
                  said.find_first_not_of(" ^") == std::string::npos ? "it gave no reason"
                                                                    : shortened(clean(said), 200)),
      true};
}

}  // namespace

const std::vector<Colour>& palette() {
  static const std::vector<Colour> kPalette{
      {"ink", "#1c2430", "#e6eaf0"},    {"muted", "#667085", "#98a4b5"},
      {"line", "#d9dfe7", "#333d4b"},   {"accent", "#2f6fde", "#6ea8ff"},
      {"theirs", "#b4bfcd", "#66758a"}, {"zero", "#7d9cc4", "#7fa3d1"},
      {"byte", "#159a86", "#3cc4ae"},   {"half", "#e0902a", "#f0ab4e"},
      {"raw", "#c8436f", "#ef7fa4"},    {"good", "#16833f", "#4fce7d"},
      {"warn", "#a46300", "#f0b23e"},   {"bad", "#cc2b2b", "#ff7b72"}};
  return kPalette;
}

std::string rgb(const char* name) {
  for (const Colour& c : palette())
    if (std::strcmp(c.name, name) == 0) return fmt::format("rgb '{}'", c.light);
  std::abort();
}

std::string quoted(const std::string& s) {
  // In single quotes gnuplot expands neither escapes nor backquotes nor macros; a quote is doubled.
  std::string out = "'";
  for (const char c : clean(s)) {
    out += c;
    if (c == '\'') out += c;
  }
  return out + "'";
}

std::string escaped(const std::string& s) {
  std::string out;
  for (const char c : clean(s, true)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// Colours as attributes, rgb( 47, 111, 222) or #2f6fde, as CSS variables; what is black follows
/// the text. In one pass: plots are long, and colours many.
std::string with_variables(const std::string& svg) {
  static const std::regex kColour(
      R"(=\s*(["'])(?:\s*rgb\(\s*(\d+),\s*(\d+),\s*(\d+)\)\s*|(#[0-9A-Fa-f]{6})|(black))\1)");
  std::map<std::string, std::string> names;
  for (const Colour& c : palette()) names.emplace(c.light, fmt::format("var(--{})", c.name));
  std::string out;
  auto rest = svg.cbegin();
  for (std::sregex_iterator m(svg.begin(), svg.end(), kColour), end; m != end; ++m) {
    std::string name = "currentColor";
    if (!(*m)[6].matched) {
      std::string colour = (*m)[5].str();
      for (char& ch : colour) ch = static_cast<char>(std::tolower(static_cast<unsigned char>(ch)));
      if (colour.empty()) {
        colour = "#";
        for (size_t i = 2; i <= 4; ++i) {
          colour += fmt::format("{:02x}", std::stoul((*m)[i].str().substr(0, 9)));
        }
      }
      const auto known = names.find(colour);
      if (known == names.end()) continue;
      name = known->second;
    }
    out.append(rest, (*m)[0].first);
    out += fmt::format("={0}{1}{0}", (*m)[1].str(), name);
    rest = (*m)[0].second;
  }
  return out.append(rest, svg.cend());
}

std::string inline_svg(const std::string& svg, const std::string& prefix,
                       const std::string& title) {
  const std::size_t begin = svg.find("<svg");
  const std::size_t end = svg.rfind("</svg>");
  if (begin == std::string::npos || end == std::string::npos || end < begin) return "";
  std::string s = svg.substr(begin, end + 6 - begin);

  const auto replace = [&](const std::string& pattern, const std::string& with) {
    s = std::regex_replace(s, std::regex(pattern), with);
  };
  // What gnuplot says about itself; then the markers and filters that it always defines, if nothing
  // uses them.
  const auto cut = [&](const char* from, const char* to) {
    const std::size_t a = s.find(from);
    const std::size_t b = a == std::string::npos ? a : s.find(to, a);
    if (b != std::string::npos) s.erase(a, b + std::strlen(to) - a);
  };
  cut("<title>", "</title>");
  cut("<desc>", "</desc>");
  const std::size_t defs = s.find("</defs>");
  if (defs != std::string::npos && s.find("href=", defs) == std::string::npos &&
      s.find("url(#", defs) == std::string::npos)
    cut("<defs>", "</defs>");
  replace(R"(\bid=(["']))", "id=$1" + prefix);
  replace(R"(href=(["'])#)", "href=$1#" + prefix);
  replace(R"(url\((["']?)#)", "url($1#" + prefix);
  s = with_variables(s);
  s.insert(s.find("<svg") + 4, fmt::format(" role=\"img\" aria-label=\"{}\"", escaped(title)));
  return s;
}

namespace {

/// Draws plots [first, last) with one process into out.svg.
Shortfall draw_range(const std::vector<Plot>& plots, std::size_t first, std::size_t last,
                     Drawn& out) {
  const ScratchFolder scratch;
  if (scratch.path().empty())
    return {
        fmt::format("No temporary folder can be made ({}), so the figures are printed as tables.",
                    std::strerror(scratch.error()))};
  const fs::path script = scratch.path() / "plots.gp";
  const auto svg_file = [&](std::size_t i) { return scratch.path() / fmt::format("{}.svg", i); };
  std::ofstream file(script, std::ios::binary);
  file << "set encoding utf8\n";
  for (std::size_t i = first; i < last; ++i)
    file << fmt::format(
                "reset\nset terminal svg name 'p{0}' size {1},{2} dynamic noenhanced font "
                "'sans-serif,13'\nset output {3}\n",
                i, plots[i].width, plots[i].height, quoted(svg_file(i).string()))
         << plots[i].script << "\nunset output\n";
  file.close();
  if (!file)
    return {fmt::format("The folder {} cannot be written, so the figures are printed as tables.",
                        scratch.path().parent_path().string())};
  Shortfall shortfall = run_gnuplot(script, scratch.path() / "log");
  bool whole = true;
  for (std::size_t i = first; i < last; ++i) {
    out.svg[i] = inline_svg(bytes_if_readable(svg_file(i)).value_or(""), fmt::format("p{}_", i),
                            plots[i].title);
    whole = whole && !out.svg[i].empty();
  }
  if (whole) return {};
  if (shortfall.sentence.empty())
    return {"gnuplot did not draw every figure, so some are printed as tables.", true};
  return shortfall;
}

}  // namespace

std::string standalone_svg(const std::string& inlined) {
  std::string s = inlined;
  for (const Colour& c : palette()) {
    const std::string variable = fmt::format("var(--{})", c.name);
    for (size_t at; (at = s.find(variable)) != std::string::npos;) {
      s.replace(at, variable.size(), c.light);
    }
  }
  const size_t body = s.find('>', s.find("<svg"));
  if (body == std::string::npos) return "";
  s.insert(body + 1, "\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>");
  return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n" + s + "\n";
}

Drawn draw(const std::vector<Plot>& plots) {
  Drawn out;
  out.svg.resize(plots.size());
  if (plots.empty()) return out;
  const Shortfall all = draw_range(plots, 0, plots.size(), out);
  out.missing = all.sentence;
  // gnuplot stops at the first figure that it cannot draw; the others then get a process each.
  if (all.fewer_may_do && plots.size() > 1) {
    out.missing.clear();
    for (std::size_t i = 0; i < plots.size(); ++i) {
      if (!out.svg[i].empty()) continue;
      const Shortfall one = draw_range(plots, i, i + 1, out);
      if (out.missing.empty()) out.missing = one.sentence;
    }
  }
  return out;
}

}  // namespace gw::sim::report
