// SPDX-License-Identifier: Apache-2.0
#include "testbenches/library/file_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <sstream>

#include "sim/base/error.h"
#include "sim/base/file_bytes.h"

namespace gw::testbenches {
namespace {

namespace fs = std::filesystem;

struct Word {
  std::string text;
  int line;
};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Words of a list, in Verilator's syntax: white space between them; "..." may hold it; a backslash
/// keeps the next character as it is, but ends no line; '"..."' keeps its quotes, and 8'hFF is no
/// quotation. // and # (at a word's beginning) comment a line, /* */ any text.
std::vector<Word> words_of(std::string_view text, const std::string& list) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<Word> words;
  int line = 1;
  bool within = false;  // a word, which may be empty so far
  char quote = 0;
  const auto add = [&](char c) {
    if (!within) words.push_back({"", line});
    within = true;
    words.back().text += c;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const std::string_view rest = text.substr(i);
    const bool begins = !within && quote == 0;
    if (c == '\\' && quote != '\'') {
      const size_t end = rest.starts_with("\\\r\n") ? 2 : 1;  // a line that goes on in the next
      if (i + end < text.size() && text[i + end] == '\n') {
        i += end;
        ++line;
        within = within && quote != 0;
      } else if (i + 1 < text.size()) {
        add(text[++i]);
      }
    } else if (quote != 0) {
      line += c == '\n';
      if (c == quote) {
        quote = 0;
      } else {
        add(c);
      }
    } else if (is_space(c)) {
      line += c == '\n';
      within = false;
    } else if (begins && (rest.starts_with("//") || c == '#')) {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (rest.starts_with("/*")) {
      const size_t end = text.find("*/", i + 2);
      if (end == std::string_view::npos) {
        throw sim::InputError(fmt::format("{}:{}: the comment has no end", list, line));
      }
      line += static_cast<int>(std::ranges::count(text.substr(i, end - i), '\n'));
      i = end + 1;
    } else if (c == '"') {
      if (begins) words.push_back({"", line});
      within = true;
      quote = '"';
    } else if (c == '\'' && rest.starts_with("'\"")) {
      quote = '\'';
      add(text[++i]);
    } else {
      add(c);
    }
  }
  std::erase_if(words, [](const Word& word) { return word.text.empty(); });
  return words;
}

/// $NAME, ${NAME} and $(NAME) from the environment.
std::string with_variables(const std::string& text, const std::string& where) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$') {
      result += text[i];
      continue;
    }
    const char open = i + 1 < text.size() ? text[i + 1] : ' ';
    const char close = open == '{' ? '}' : open == '(' ? ')' : 0;
    size_t begin = i + (close != 0 ? 2 : 1), end = begin;
    while (end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) {
      ++end;
    }
    const std::string name = text.substr(begin, end - begin);
    const char* const value = std::getenv(name.c_str());
    if (name.empty() || value == nullptr) {
      throw sim::InputError(fmt::format("{}: the environment has no '{}'", where, name));
    }
    result += value;
    i = close != 0 && end < text.size() ? end : end - 1;
  }
  return result;
}

/// Options that a list may have, without their dashes (Verilator takes one or two alike); those
/// with an equals sign take a value. Verilator gets what decides how the RTL is read ...
constexpr std::string_view kPassedOn[] = {
    "timescale=", "timescale-override=", "language=",     "default-language=", "relative-includes",
    "bbox-sys",   "bbox-unsup",          "unroll-count=", "unroll-stmts=",     "max-num-width="};
/// ... and the C compiler these; ...
constexpr std::string_view kOfC[] = {"CFLAGS=", "LDFLAGS="};
/// ... what is made of the RTL is gradwire's to say, and the list's word on it means nothing.
constexpr std::string_view kSkipped[] = {"sv",
                                         "sverilog",
                                         "cc",
                                         "exe",
                                         "build",
                                         "binary",
                                         "main",
                                         "lint-only",
                                         "timing",
                                         "no-timing",
                                         "assert",
                                         "trace",
                                         "trace-fst",
                                         "trace-structs",
                                         "trace-params",
                                         "trace-depth=",
                                         "trace-max-array=",
                                         "trace-max-width=",
                                         "coverage",
                                         "coverage-line",
                                         "coverage-toggle",
                                         "coverage-user",
                                         "stats",
                                         "quiet",
                                         "quiet-exit",
                                         "O0",
                                         "O1",
                                         "O2",
                                         "O3",
                                         "j=",
                                         "build-jobs=",
                                         "verilate-jobs=",
                                         "threads=",
                                         "top=",
                                         "top-module=",
                                         "prefix=",
                                         "Mdir=",
                                         "MAKEFLAGS=",
                                         "o=",
                                         "output-split=",
                                         "output-split-cfuncs=",
                                         "x-assign=",
                                         "x-initial=",
                                         "error-limit="};
/// Words with a plus that are passed on: suffixes of a language, and what Verilator itself skips.
constexpr std::string_view kPlusWords[] = {
    "+librescan", "+notimingchecks", "+systemverilogext+", "+verilog1995ext+", "+verilog2001ext+",
    "+1364-",     "+1800-"};

bool ends_with_any(const std::string& name, std::initializer_list<std::string_view> suffixes) {
  std::string lower = name;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::ranges::any_of(suffixes, [&](std::string_view s) { return lower.ends_with(s); });
}

class Reader {
  using Kind = FileList::Kind;

 public:
  Reader(fs::path base, fs::path last) : last_(std::move(last)) { list_.base = std::move(base); }

  /// `folders`: where its paths are looked for first, in this order.
  void read(const fs::path& list, const std::vector<fs::path>& folders, int depth) {
    if (depth > 16) {
      throw sim::InputError(fmt::format("file list '{}' names itself", list.string()));
    }
    const std::vector<Word> words =
        words_of(sim::bytes_of_file(list, "the file list"), list.string());
    const fs::path above = fs::absolute(list).lexically_normal().parent_path();
    for (size_t i = 0; i < words.size(); ++i) {
      const std::string where = fmt::format("{}:{}", list.string(), words[i].line);
      const std::string word = with_variables(words[i].text, where);
      const auto value = [&]() -> std::string {
        if (i + 1 == words.size()) {
          throw sim::InputError(fmt::format("{}: {} wants a value", where, word));
        }
        return with_variables(words[++i].text, where);
      };
      const auto found = [&](const std::string& name) { return found_from(name, folders, above); };
      const auto path = [&](const std::string& name) { return relative(found(name)); };
      // What stands behind an option in the same word, or the next word.
      const auto rest = [&](size_t size) {
        return word.size() > size ? word.substr(size) : value();
      };
      if (word.starts_with("+incdir+")) {
        for (const std::string& dir : parts(word.substr(8))) add(Kind::kIncludeFolder, path(dir));
      } else if (word.starts_with("+define+")) {
        for (const std::string& define : parts(word.substr(8))) add(Kind::kDefine, define);
      } else if (word.starts_with("+libext+")) {
        add(Kind::kExtensions, word);
      } else if (word == "-f" || word == "-F") {
        // The paths of -f are those of the outer list, of -F its own; then the other way round, for
        // who writes one and means the other.
        const fs::path next = found(value());
        std::vector<fs::path> own = folders;
        own.insert(word == "-f" ? own.end() : own.begin(), next.parent_path());
        read(next, own, depth + 1);
      } else if (word == "-y") {
        add(Kind::kLibraryFolder, path(value()));
      } else if (word == "-v") {
        add(Kind::kLibraryFile, path(value()));
      } else if (word.starts_with("-I")) {
        add(Kind::kIncludeFolder, path(rest(2)));
      } else if (word.starts_with("-D")) {
        add(Kind::kDefine, rest(2));
      } else if (word.starts_with("-G")) {
        parameter(rest(2), word, where);
      } else if (word.starts_with("-pvalue+")) {
        parameter(word.substr(8), word, where);
      } else if (word.starts_with("-W") || word.starts_with("--W")) {
        add(Kind::kOption, word);
      } else if (word.starts_with("-")) {
        option(word, value, where);
      } else if (word.starts_with("+")) {
        if (std::ranges::none_of(kPlusWords, [&](auto begin) { return word.starts_with(begin); })) {
          refuse(word, where);
        }
        add(Kind::kOption, word);
      } else {
        source(found(word), word, where);
      }
    }
  }

  /// A file that is named in the list, or in its place.
  void source(const fs::path& file, const std::string& name, const std::string& where) {
    std::error_code ignored;  // a name may be too long for any file
    if (!fs::exists(file, ignored)) {
      throw sim::InputError(fmt::format("{}: there is no file '{}'", where, name));
    }
    if (fs::is_directory(file, ignored)) {
      throw sim::InputError(
          fmt::format("{}: '{}' is a folder; -y searches one for modules", where, name));
    }
    if (ends_with_any(name, {".vhd", ".vhdl"})) {
      throw sim::InputError(
          fmt::format("{}: '{}' is VHDL, which Verilator does not read; translate it to Verilog "
                      "first, for example with `ghdl synth --out=verilog`",
                      where, name));
    }
    if (ends_with_any(name, {".o", ".a", ".so"})) {
      throw sim::InputError(
          fmt::format("{}: '{}' is compiled already; name its C files, or -LDFLAGS for a library",
                      where, name));
    }
    const bool c = ends_with_any(name, {".c", ".cc", ".cpp", ".cxx"});
    add(c ? Kind::kC : Kind::kSource, relative(file));
  }

  FileList take() { return std::move(list_); }

 private:
  [[noreturn]] static void refuse(const std::string& word, const std::string& where) {
    throw sim::InputError(fmt::format("{}: '{}' is no option of a file list here", where, word));
  }

  void option(const std::string& word, const std::function<std::string()>& value,
              const std::string& where) {
    std::string name = word.substr(word.starts_with("--") ? 2 : 1);
    std::optional<std::string> given;  // -timescale=1ns/1ps, as VCS and Xcelium have it
    if (const size_t equals = name.find('='); equals != std::string::npos) {
      given = name.substr(equals + 1);
      name.erase(equals);
    }
    const auto is = [&](const auto& options) {
      return std::ranges::any_of(options, [&](std::string_view option) {
        const bool takes = option.ends_with('=');
        if (option.substr(0, option.size() - takes) != name || (given && !takes)) return false;
        if (takes && !given) given = value();
        return true;
      });
    };
    if (is(kPassedOn)) {
      add(Kind::kOption, "--" + name);
      if (given) add(Kind::kOption, *given);
    } else if (is(kOfC)) {
      std::vector<std::string>& flags = name == "CFLAGS" ? list_.c_flags : list_.link_flags;
      std::istringstream words(*given);
      for (std::string flag; words >> flag;) flags.push_back(flag);
    } else if (!is(kSkipped)) {
      refuse(word, where);
    }
  }

  void parameter(std::string text, const std::string& word, const std::string& where) {
    const size_t equals = text.find('=');
    if (equals == 0 || equals >= text.size() - 1) {
      throw sim::InputError(fmt::format("{}: '{}' is not of the form -GNAME=VALUE", where, word));
    }
    list_.parameters.push_back(std::move(text));
  }

  fs::path found_from(const std::string& name, const std::vector<fs::path>& folders,
                      const fs::path& above) const {
    std::error_code ignored;
    for (const fs::path& folder : folders) {
      if (fs::exists(folder / name, ignored)) return folder / name;
    }
    if (fs::exists(name, ignored)) return fs::absolute(name);
    // A list whose paths are from the root of its project, wherever the current folder is.
    for (fs::path at = above; at.has_relative_path();) {
      at = at.parent_path();
      if (fs::exists(at / name, ignored)) return at / name;
    }
    if (!last_.empty() && fs::exists(last_ / name, ignored)) return last_ / name;
    return folders.front() / name;
  }

  static std::vector<std::string> parts(const std::string& text) {
    std::vector<std::string> all;
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find('+', begin), text.size());
      if (end > begin) all.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return all;
  }
  std::string relative(const fs::path& path) const {
    const fs::path whole = fs::absolute(path);
    fs::path plain = whole.lexically_normal();
    // `../` after a link to a folder is where that folder lies, not where the link does.
    std::error_code ignored;
    if (fs::exists(whole, ignored) && !fs::equivalent(whole, plain, ignored)) {
      plain = fs::weakly_canonical(whole);
    }
    return plain.lexically_proximate(list_.base).string();
  }
  void add(Kind kind, const std::string& text) {
    // A file that two lists name is read once.
    const bool file = kind == Kind::kSource || kind == Kind::kC;
    if (file && std::ranges::any_of(list_.items, [&](const FileList::Item& item) {
          return item.kind == kind && item.text == text;
        })) {
      return;
    }
    list_.items.push_back({kind, text});
  }

  fs::path last_;
  FileList list_;
};

}  // namespace

std::vector<std::string> FileList::all(Kind kind) const {
  std::vector<std::string> texts;
  for (const Item& item : items) {
    if (item.kind == kind) texts.push_back(item.text);
  }
  return texts;
}

std::vector<std::string> FileList::searched() const {
  std::vector<std::string> folders;
  for (const Item& item : items) {
    if (item.kind == Kind::kIncludeFolder || item.kind == Kind::kLibraryFolder) {
      folders.push_back(item.text);
    }
  }
  return folders;
}

namespace {

std::string name_of(const std::string& setting) { return setting.substr(0, setting.find('=')); }

}  // namespace

void FileList::define(const std::string& macro) {
  std::erase_if(items, [&](const Item& item) {
    return item.kind == Kind::kDefine && name_of(item.text) == name_of(macro);
  });
  items.push_back({Kind::kDefine, macro});
}

void FileList::set(const std::string& parameter) {
  std::erase_if(parameters,
                [&](const std::string& other) { return name_of(other) == name_of(parameter); });
  parameters.push_back(parameter);
}

std::vector<std::string> FileList::verilator_words() const {
  std::vector<std::string> words;
  for (const Item& item : items) {
    switch (item.kind) {
      case Kind::kLibraryFile:
        words.emplace_back("-v");
        break;
      case Kind::kLibraryFolder:
        words.emplace_back("-y");
        break;
      case Kind::kIncludeFolder:
        words.push_back("-I" + item.text);
        continue;
      case Kind::kDefine:
        words.push_back("-D" + item.text);
        continue;
      case Kind::kC:
        continue;
      default:
        break;
    }
    words.push_back(item.text);
  }
  return words;
}

std::string FileList::text(const std::function<std::string(const Item&)>& place) const {
  std::string text;
  const auto line = [&text](std::string_view option, const std::string& value) {
    text += fmt::format("{}{}\n", option, list_word(value));
  };
  for (const Item& item : items) {
    switch (item.kind) {
      case Kind::kLibraryFile:
        line("-v ", place(item));
        break;
      case Kind::kLibraryFolder:
        line("-y ", place(item));
        break;
      case Kind::kIncludeFolder:
        line("-I", place(item));
        break;
      case Kind::kDefine:
        line("-D", item.text);
        break;
      case Kind::kSource:
      case Kind::kC:
        line("", place(item));
        break;
      default:
        line("", item.text);
    }
  }
  for (const std::string& parameter : parameters) line("-G", parameter);
  for (const std::string& flag : c_flags) line("-CFLAGS ", flag);
  for (const std::string& flag : link_flags) line("-LDFLAGS ", flag);
  return text;
}

std::string list_word(std::string_view text) {
  std::string word;
  for (const char c : text) {
    if (c == '"' || c == '\\') word += '\\';
    word += c;
  }
  const bool blank = text.find_first_of(" \t\r\n#") != std::string_view::npos;
  return blank || text.find("/*") != std::string_view::npos || text.starts_with("//")
             ? fmt::format("\"{}\"", word)
             : word;
}

FileList read_file_list(const fs::path& list, const ListFolders& folders) {
  const fs::path folder =
      (folders.base.empty() ? fs::absolute(list).parent_path() : fs::absolute(folders.base))
          .lexically_normal();
  // The way up from a folder that a link leads to begins where the folder really is.
  Reader reader(fs::weakly_canonical(folder), folders.last);
  if (ends_with_any(list.string(), {".v", ".sv", ".vhd", ".vhdl"})) {
    reader.source(fs::absolute(list), list.string(), "the RTL");
  } else {
    reader.read(list, {folder}, 0);
  }
  return reader.take();
}

}  // namespace gw::testbenches
