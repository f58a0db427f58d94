// SPDX-License-Identifier: Apache-2.0
#include "tools/gradwire/config_file.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/base/error.h"
#include "sim/base/file_bytes.h"

namespace gw::tools {
namespace {

std::vector<std::string> from_json(const std::string& path, const std::string& text) {
  std::vector<std::string> options;
  const nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  if (!document.is_object()) {
    throw sim::InputError(fmt::format("config file '{}' is not a JSON object", path));
  }
  for (const auto& [key, value] : document.items()) {
    if (value.is_boolean()) {
      if (value) options.push_back("--" + key);
    } else if (value.is_string() || value.is_number()) {
      options.push_back("--" + key);
      options.push_back(value.is_string() ? value.get<std::string>() : value.dump());
    } else {
      throw sim::InputError(fmt::format(
          "config file '{}': '{}' is not a word, a number or a truth value", path, key));
    }
  }
  return options;
}

std::vector<std::string> from_ini(const std::string& path, const std::string& text) {
  std::vector<std::string> options;
  std::istringstream lines(text);
  try {
    for (const CLI::ConfigItem& item : CLI::ConfigINI().from_config(lines)) {
      if (item.name == "++" || item.name == "--") continue;  // begin and end of a section
      const std::string value = item.inputs.empty() ? "true" : item.inputs.front();
      if (value == "false") continue;
      options.push_back("--" + item.name);
      if (value != "true") options.push_back(value);
    }
  } catch (const CLI::Error& error) {
    throw sim::InputError(fmt::format("config file '{}': {}", path, error.what()));
  }
  return options;
}

}  // namespace

std::vector<std::string> expand_config_file(std::vector<std::string> arguments) {
  const auto at = std::find_if(arguments.begin(), arguments.end(), [](const std::string& word) {
    return word == "--config" || word.starts_with("--config=");
  });
  if (at == arguments.end()) return arguments;
  std::string path;
  auto end = at + 1;
  if (*at == "--config") {
    if (end == arguments.end()) throw sim::UsageError("--config needs the name of a file");
    path = *end++;
  } else {
    path = at->substr(std::string("--config=").size());
  }
  const std::string text = sim::bytes_of_file(path, "config file");
  const size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string::npos && text[first] == '{';
  const std::vector<std::string> options = json ? from_json(path, text) : from_ini(path, text);
  // After the command and its device, before what was typed: the last one counts.
  arguments.erase(at, end);
  const auto place = std::find_if(arguments.begin(), arguments.end(),
                                  [](const std::string& word) { return word.starts_with("-"); });
  arguments.insert(place, options.begin(), options.end());
  return arguments;
}

}  // namespace gw::tools
