// SPDX-License-Identifier: Apache-2.0
#include "tools/gradwire/capsule.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "sim/base/error.h"
#include "sim/base/file_bytes.h"
#include "sim/regress/digest.h"
#include "sim/regress/plan.h"
#include "sim/run/data_folder.h"
#include "testbenches/kit/compiled_rtl.h"
#include "tools/gradwire/commands.h"
#include "tools/gradwire/device_options.h"
#include "tools/gradwire/regress_cases.h"

namespace gw::tools {
namespace {

namespace fs = std::filesystem;

/// In which folder of their name the RTL lies that they name.
constexpr const char* kRtlOptions[] = {"rtl", "against"};
constexpr const char* kRtlFact = "rtl";  ///< a hash of all of it

/// Where a file of a list lies in the capsule: what is above the list's folder lies in `up`.
fs::path within(const fs::path& folder, const fs::path& relative) {
  fs::path path = folder;
  for (const fs::path& part : relative.relative_path().lexically_normal()) {
    if (part != ".") path /= part == ".." ? "up" : part;
  }
  return path;
}

/// Packs the RTL that an option names: its list, and of the files of the report those that were
/// read, where the list's paths lead to.
void add_rtl(sim::capsule::Order& order, const std::string& option, const sim::UserRtl& rtl,
             const nlohmann::json& read) {
  const fs::path common = sim::data_folder() / "rtl/common";
  const testbenches::FileList files = testbenches::files_of(rtl);
  const auto packed_as = [&](const fs::path& path) {
    return within(option, path.lexically_proximate(files.base));
  };
  const auto listed = [&](const fs::path& packed) {
    return packed.lexically_relative(option).string();
  };
  // What it includes of gradwire's is found without being named, and after all else.
  const std::string text = "// The user's RTL as it was when it failed.\n" +
                           files.text([&](const testbenches::FileList::Item& item) {
                             return listed(within(option, item.text));
                           }) +
                           "+incdir+" + listed(packed_as(common)) + "\n";
  for (const nlohmann::json& file : read) {
    if (file.at("list") != rtl.file_list) continue;
    const std::string name = file.at("name"), path = file.at("path");
    std::string packed;
    std::error_code error;
    if (!path.empty() && !fs::is_regular_file(path, error)) continue;  // a device
    if (!path.empty()) {
      packed = packed_as(path).string();
      order.contents[packed] = sim::bytes_of_file(path);
    }
    if (!name.empty()) order.reads[name] = packed;
  }
  const std::string packed_list = option + "/user.f";
  order.contents[packed_list] = text;
  order.files[option] = packed_list;
}

}  // namespace

const sim::capsule::Capsule& capsule_named(const std::string& path) {
  // Kept to the end: a zip file's contents lie in a folder of their own.
  static std::map<std::string, sim::capsule::Capsule> capsules;
  const auto known = capsules.find(path);
  if (known != capsules.end()) return known->second;
  return capsules.emplace(path, sim::capsule::read_capsule(path, registry())).first->second;
}

std::vector<std::string> with_capsule(std::vector<std::string> words) {
  constexpr std::string_view kOption = "--capsule";
  std::string path;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == kOption && i + 1 < words.size()) path = words[i + 1];
    if (words[i].starts_with("--capsule=")) path = words[i].substr(kOption.size() + 1);
  }
  if (path.empty()) return words;
  const sim::capsule::Capsule& capsule = capsule_named(path);
  const auto at = std::ranges::find_if(
      words, [](const std::string& word) { return device_named({word}) != nullptr; });
  if (at == words.end()) return words;  // which is refused for it
  if (*at != capsule.device) {
    throw sim::UsageError(
        fmt::format("--capsule '{}' is of {}, not of {}", path, capsule.device, *at));
  }
  const std::vector<std::string> own = run_words(capsule);
  words.insert(at + 1, own.begin(), own.end());
  return words;
}

double parse_shrink(const std::string& text) {
  if (text == "off") return 0;
  try {
    return regress::parse_duration(text);
  } catch (const sim::UsageError& error) {
    throw sim::UsageError(fmt::format("--shrink: {}, and it is not off", error.what()));
  }
}

bool is_as_packed(const sim::capsule::Capsule& capsule) {
  std::map<std::string, std::string> contents;
  for (const char* option : kRtlOptions) {
    if (!capsule.files.contains(option)) continue;
    for (const fs::directory_entry& file :
         fs::recursive_directory_iterator(capsule.folder / option)) {
      if (!file.is_regular_file()) continue;
      contents[file.path().lexically_relative(capsule.folder).string()] =
          sim::bytes_of_file(file.path());
    }
  }
  regress::Digest digest;
  for (const auto& [name, bytes] : contents) digest.add(name).add(bytes);
  const auto rtl = capsule.facts.find(kRtlFact), program = capsule.facts.find("program");
  return program != capsule.facts.end() && program->second == program_contents() &&
         (contents.empty() || (rtl != capsule.facts.end() && rtl->second == digest.hex()));
}

void add_files(sim::capsule::Order& order, const nlohmann::json& report) {
  const sim::RunSpec& spec = order.run.spec;
  order.facts["program"] = program_contents();
  const nlohmann::json read = report.value(sim::kRtlFiles, nlohmann::json::array());
  if (!spec.user_rtl.file_list.empty()) add_rtl(order, "rtl", spec.user_rtl, read);
  if (spec.against) add_rtl(order, "against", *spec.against, read);
  if (!order.contents.empty()) {
    regress::Digest digest;
    for (const auto& [name, contents] : order.contents) digest.add(name).add(contents);
    order.facts[kRtlFact] = digest.hex();
  }
  for (const sim::Option& option : order.device->facts().options) {
    if (!option.reads || option.stimulus || option.list) continue;
    const auto at = spec.options.changed().find(option.name);
    if (at == spec.options.changed().end() || at->second.empty()) continue;
    const std::string name = (fs::path("files") / fs::path(at->second).filename()).string();
    order.contents[name] = sim::bytes_of_file(at->second);
    order.files[option.name] = name;
  }
}

}  // namespace gw::tools
