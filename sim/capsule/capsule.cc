// SPDX-License-Identifier: Apache-2.0
#include "sim/capsule/capsule.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <toml++/toml.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "sim/base/error.h"
#include "sim/base/file_bytes.h"
#include "sim/capsule/stimulus_files.h"
#include "sim/capsule/zip.h"
#include "sim/report/json.h"

namespace gw::sim::capsule {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kFormat = 1;

/// A folder that goes when nobody needs it any more.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "gradwire-capsule-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw InputError(fmt::format("cannot make '{}': {}", name, std::strerror(errno)));
    }
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Where command.txt is: at the top, or in the one folder that there is.
fs::path root_of(const fs::path& folder, const fs::path& named) {
  if (fs::exists(folder / kCommandFile)) return folder;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory() && fs::exists(entry.path() / kCommandFile)) return entry.path();
  }
  throw InputError(fmt::format("'{}' is no capsule: it has no {}", named.string(), kCommandFile));
}

toml::table table_of(const fs::path& path, const fs::path& named) {
  const std::string text = bytes_of_file(path);
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw InputError(fmt::format("'{}' is no capsule: {}:{}: {}", named.string(), kCommandFile,
                                 error.source().begin.line, error.description()));
  }
}

std::map<std::string, std::string> words_of(const toml::table& table, const char* key) {
  std::map<std::string, std::string> words;
  if (const toml::table* const named = table[key].as_table()) {
    for (const auto& [name, value] : *named) {
      words[std::string(name.str())] = value.value_or(std::string());
    }
  }
  return words;
}

toml::table table_of(const std::map<std::string, std::string>& words) {
  toml::table table;
  for (const auto& [name, value] : words) table.insert(name, value);
  return table;
}

}  // namespace

std::vector<std::string> run_words(const Capsule& capsule) {
  std::vector<std::string> words = capsule.options;
  for (const auto& [option, file] : capsule.files) {
    words.push_back("--" + option);
    words.push_back(file);
  }
  return words;
}

Capsule read_capsule(const fs::path& path, const Registry& registry) {
  Capsule capsule;
  std::error_code error;
  fs::path folder = path;
  if (fs::is_regular_file(path, error)) {
    const auto unpacked = std::make_shared<TemporaryFolder>();
    unzip(path, unpacked->path());
    folder = unpacked->path();
    capsule.unpacked = unpacked;
  } else if (!fs::is_directory(path, error)) {
    throw InputError(fmt::format("there is no capsule '{}'", path.string()));
  }
  folder = fs::absolute(root_of(folder, path)).lexically_normal();
  capsule.folder = folder;
  const toml::table table = table_of(folder / kCommandFile, path);
  if (table["format"].value_or(int64_t{0}) != kFormat) {
    throw InputError(fmt::format("'{}' is no capsule of this version of gradwire: its format is {}",
                                 path.string(), table["format"].value_or(int64_t{0})));
  }
  capsule.device = table["device"].value_or(std::string());
  capsule.bucket = table["bucket"].value_or(std::string());
  if (const toml::array* const options = table["options"].as_array()) {
    for (const toml::node& word : *options) {
      capsule.options.push_back(word.value_or(std::string()));
    }
  }
  capsule.files = words_of(table, "files");
  capsule.reads = words_of(table, "reads");
  for (auto* const files : {&capsule.files, &capsule.reads}) {
    for (auto& [name, file] : *files) {
      if (file.empty() && files == &capsule.reads) continue;
      const fs::path within = fs::path(file).lexically_normal();
      if (within.is_absolute() || within.empty() || *within.begin() == "..") {
        throw InputError(
            fmt::format("'{}' is no capsule: '{}' is outside of it", path.string(), file));
      }
      file = (folder / within).string();
    }
  }
  capsule.flaky = fs::exists(folder / kFlakyFile, error);
  capsule.facts = words_of(table, "made");
  Stimulus stimulus = read_stimulus(registry.device(capsule.device).facts(), folder);
  stimulus.name = path.string();
  capsule.stimulus = std::make_shared<const Stimulus>(std::move(stimulus));
  return capsule;
}

void write_command(const Capsule& capsule, const fs::path& folder) {
  toml::array options;
  for (const std::string& word : capsule.options) options.push_back(word);
  std::ostringstream text;
  text << "# What this capsule repeats: `gradwire replay` reads it. The packets are in input.pcap\n"
          "# and packets.txt, the stalls in stalls.txt.\n"
       << "format = " << kFormat << "\n"
       << "device = " << toml::value<std::string>(capsule.device) << "\n"
       << "bucket = " << toml::value<std::string>(capsule.bucket) << "\n"
       << "options = " << options << "\n\n[files]\n"
       << table_of(capsule.files) << "\n\n[reads]\n"
       << table_of(capsule.reads) << "\n\n[made]\n"
       << table_of(capsule.facts) << "\n";
  write_report_file((folder / kCommandFile).string(), text.str(), "file");
}

}  // namespace gw::sim::capsule
