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
#include "testbenches/engine/compiled_rtl.h"
#include "tools/gradwire/commands.h"
#include "tools/gradwire/device_options.h"
#include "tools/gradwire/regress_cases.h"

namespace gw::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRtlFolder = "rtl";
constexpr const char* kFileList = "rtl/user.f";
/// What RTL may read beside the files of its list, in the folders that are searched.
constexpr std::string_view kSuffixes[] = {".sv", ".svh", ".v", ".vh", ".h", ".inc", ".mem", ".hex"};

/// Where a file of a list lies in the capsule: what is above the list's folder lies in `up`.
fs::path within(const fs::path& relative) {
  fs::path path = kRtlFolder;
  for (const fs::path& part : relative.relative_path().lexically_normal()) {
    if (part != ".") path /= part == ".." ? "up" : part;
  }
  return path;
}

void add_rtl(sim::capsule::Order& order, const sim::UserRtl& rtl) {
  using Kind = testbenches::FileList::Kind;
  const testbenches::FileList files = testbenches::files_of(rtl);
  const auto add_folder = [&](const fs::path& folder) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(files.base / folder, error)) {
      const std::string suffix = entry.path().extension();
      if (!entry.is_regular_file() || std::ranges::count(kSuffixes, suffix) == 0) continue;
      order.contents[within(folder / entry.path().filename()).string()] =
          sim::bytes_of_file(entry.path());
    }
  };
  const std::string text = "// The user's RTL as it was when it failed.\n" +
                           files.text([](const testbenches::FileList::Item& item) {
                             return within(item.text).lexically_relative(kRtlFolder).string();
                           });
  for (const auto& [kind, name] : files.items) {
    if (kind == Kind::kSource || kind == Kind::kLibraryFile || kind == Kind::kC) {
      order.contents[within(name).string()] = sim::bytes_of_file(files.base / name);
    }
  }
  for (const std::string& folder : files.searched()) add_folder(folder);
  add_folder(".");
  order.contents[kFileList] = text;
  order.files["rtl"] = kFileList;
  regress::Digest digest;
  for (const auto& [name, contents] : order.contents) digest.add(name).add(contents);
  order.facts["rtl"] = digest.hex();
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

void add_files(sim::capsule::Order& order) {
  const sim::RunSpec& spec = order.run.spec;
  order.facts["program"] = program_contents();
  if (!spec.user_rtl.file_list.empty()) add_rtl(order, spec.user_rtl);
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
