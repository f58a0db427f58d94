#include "testbenches/engine/file_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

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

/// Words of a list: white space between them, quotes around them; // and # begin a comment.
std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> words;
  int line = 1;
  for (size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    if (is_space(text[i])) {
      line += text[i++] == '\n';
    } else if (rest.starts_with("//") || text[i] == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else if (rest.starts_with("/*")) {
      const size_t end = std::min(text.find("*/", i + 2), text.size() - 2);
      for (; i < end + 2; ++i) line += text[i] == '\n';
    } else {
      Word word{"", line};
      char quote = 0;
      for (; i < text.size() && (quote != 0 || !is_space(text[i])); ++i) {
        if (text[i] == '"' && quote == 0) {
          quote = '"';
        } else if (text[i] == quote) {
          quote = 0;
        } else {
          word.text += text[i];
        }
      }
      words.push_back(word);
    }
  }
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

class Reader {
 public:
  explicit Reader(fs::path base) : base_(std::move(base)) {}

  void read(const fs::path& list, const fs::path& folder, int depth) {
    if (depth > 16) {
      throw sim::InputError(fmt::format("file list '{}' names itself", list.string()));
    }
    const std::string text = sim::bytes_of_file(list, "the file list");
    const std::vector<Word> words = words_of(text);
    for (size_t i = 0; i < words.size(); ++i) {
      const std::string where = fmt::format("{}:{}", list.string(), words[i].line);
      const std::string word = with_variables(words[i].text, where);
      const auto value = [&]() -> std::string {
        if (i + 1 == words.size()) {
          throw sim::InputError(fmt::format("{}: {} wants a value", where, word));
        }
        return with_variables(words[++i].text, where);
      };
      // Relative to the list; as simulators read it, to the current folder, if it is only there.
      const auto found = [&](const std::string& name) {
        std::error_code ignored;
        const bool here = !fs::exists(folder / name, ignored) && fs::exists(name, ignored);
        return here ? fs::absolute(name) : folder / name;
      };
      const auto path = [&](const std::string& name) { return relative(found(name)); };
      if (word.starts_with("+incdir+")) {
        for (const std::string& dir : parts(word.substr(8))) include(path(dir));
      } else if (word.starts_with("+define+")) {
        for (const std::string& define : parts(word.substr(8))) add("+define+" + define);
      } else if (word.starts_with("+libext+")) {
        add(word);
      } else if (word == "-f" || word == "-F") {
        const fs::path next = found(value());
        read(next, next.parent_path(), depth + 1);
      } else if (word == "-y") {
        const std::string dir = path(value());
        add("-y");
        add(dir);
        list_.include_dirs.push_back(dir);
      } else if (word == "-v") {
        const std::string library = path(value());
        add("-v");
        add(library);
      } else if (word.starts_with("-I") || word == "-I") {
        include(path(word.size() > 2 ? word.substr(2) : value()));
      } else if (word.starts_with("-D")) {
        add("+define+" + (word.size() > 2 ? word.substr(2) : value()));
      } else if (word.starts_with("-G")) {
        std::string parameter = word.size() > 2 ? word.substr(2) : value();
        const size_t equals = parameter.find('=');
        if (equals == 0 || equals >= parameter.size() - 1) {
          throw sim::InputError(
              fmt::format("{}: '{}' is not of the form -GNAME=VALUE", where, word));
        }
        list_.parameters.push_back(std::move(parameter));
      } else if (word == "-sv" || word == "-sverilog") {
        // All is read as SystemVerilog.
      } else if (word.starts_with("-") || word.starts_with("+")) {
        throw sim::InputError(
            fmt::format("{}: '{}' is no option of a file list here", where, word));
      } else {
        const std::string source = path(word);
        std::error_code ignored;  // a name may be too long for any file
        if (!fs::exists(base_ / source, ignored)) {
          throw sim::InputError(fmt::format("{}: there is no file '{}'", where, word));
        }
        add(source);
      }
    }
  }

  FileList take() { return std::move(list_); }

 private:
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
    const fs::path plain = fs::absolute(path).lexically_normal();
    return plain.lexically_proximate(base_).string();
  }
  void include(const std::string& dir) {
    add("-I" + dir);
    list_.include_dirs.push_back(dir);
  }
  void add(const std::string& argument) {
    // A file that two lists name is read once.
    const bool option = argument.starts_with("-") || argument.starts_with("+");
    if (!option && !list_.arguments.empty() && list_.arguments.back() != "-v" &&
        list_.arguments.back() != "-y" &&
        std::find(list_.arguments.begin(), list_.arguments.end(), argument) !=
            list_.arguments.end()) {
      return;
    }
    list_.arguments.push_back(argument);
  }

  fs::path base_;
  FileList list_;
};

}  // namespace

FileList read_file_list(const fs::path& list, const fs::path& base) {
  const fs::path folder = fs::absolute(base.empty() ? list.parent_path() : base).lexically_normal();
  Reader reader(folder);
  reader.read(list, folder, 0);
  return reader.take();
}

}  // namespace gw::testbenches
