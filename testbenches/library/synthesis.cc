// SPDX-License-Identifier: Apache-2.0
#include "testbenches/library/synthesis.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "sim/base/error.h"
#include "sim/base/file_bytes.h"
#include "testbenches/library/process.h"

namespace gw::testbenches {

namespace fs = std::filesystem;
using nlohmann::json;

json kept_synthesis(const fs::path& folder, const std::string& name) {
  const auto bytes = sim::bytes_if_readable(folder / (name + ".json"));
  json figures = bytes ? json::parse(*bytes, nullptr, false) : json();
  return figures.is_object() ? figures : json();
}

json synthesise(const std::string& tool, const std::vector<std::string>& arguments,
                const fs::path& folder, const std::string& name) {
  const fs::path made = folder / (name + ".json"), part = folder / (name + ".json.part");
  std::vector<std::string> words = arguments;
  words.insert(words.end(), {"--json", part.string(), "--build", folder.string()});
  const Finished finished = run_programs({{tool, words}}).front();
  std::ofstream(folder / (name + ".log")) << finished.words;
  if (finished.status != 0) {
    std::istringstream said(finished.words);
    std::string last;
    for (std::string line; std::getline(said, line);) {
      if (!line.empty()) last = line;
    }
    throw sim::InputError(last.empty() ? fmt::format("'{}' failed", tool) : last);
  }
  fs::rename(part, made);
  return kept_synthesis(folder, name);
}

}  // namespace gw::testbenches
