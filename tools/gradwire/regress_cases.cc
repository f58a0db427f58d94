// SPDX-License-Identifier: Apache-2.0
#include "tools/gradwire/regress_cases.h"

#include <fmt/format.h>
#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "sim/base/error.h"
#include "sim/base/file_bytes.h"
#include "sim/regress/digest.h"
#include "sim/report/json.h"
#include "sim/run/data_folder.h"
#include "sim/run/run.h"
#include "testbenches/kit/compiled_rtl.h"
#include "testbenches/library/process.h"
#include "tools/gradwire/commands.h"
#include "tools/gradwire/device_options.h"
#include "tools/gradwire/run.h"

namespace gw::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kSpeedPasses = 5;        // of which the median counts
constexpr double kSpeedSeconds = 0.4;  // each
/// What stands in a run for the RTL: another RTL is compared with the same baseline.
constexpr std::string_view kRtlOptions[] = {"--rtl", "--top", "--cache"};
bool is_rtl_setting(const std::string& word) {
  return std::ranges::any_of(kRtlSettings, [&word](std::string_view name) {
    return word.starts_with(fmt::format("--{}=", name));
  });
}

/// The words of a run after the command.
std::vector<std::string> run_words(const std::vector<std::string>& words) {
  return {words.begin() + 1, words.end()};
}

/// The file that a word names: its own, after an equals sign, before a number sign.
std::string file_of(const std::string& word) {
  const size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
  std::string name = equals == std::string::npos ? word : word.substr(equals + 1);
  std::error_code error;
  if (fs::is_regular_file(name, error)) return name;
  name = name.substr(0, name.find('#'));
  return !name.empty() && fs::is_regular_file(name, error) ? name : "";
}

/// The same of a run's words; a table of random traffic without a file comes with the program.
std::string file_at(const std::vector<std::string>& words, size_t i) {
  const bool own = i > 0 && words[i - 1] == "--random" && words[i].find('#') == std::string::npos;
  return own ? (sim::data_folder() / "plans/random.toml").string() : file_of(words[i]);
}

/// Adds what the user's RTL is made of: settings, and all files that its list names, headers beside
/// it and in the folders that are searched. Not where they lie, which is another place on another
/// machine.
void add_rtl(regress::Digest& digest, const sim::UserRtl& rtl,
             const std::function<std::string(const std::string&)>& contents_of) {
  using Kind = testbenches::FileList::Kind;
  const testbenches::FileList files = testbenches::files_of(rtl);
  std::vector<fs::path> read;
  const auto add_folder = [&](const fs::path& folder) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
      if (entry.is_regular_file(error)) read.push_back(entry.path());
    }
  };
  for (const std::string& parameter : files.parameters) digest.add(parameter);
  for (const auto& [kind, text] : files.items) {
    const bool file = kind == Kind::kSource || kind == Kind::kLibraryFile || kind == Kind::kC;
    if (file) read.push_back(files.base / text);
    if (kind == Kind::kDefine || kind == Kind::kOption || kind == Kind::kExtensions) {
      digest.add(text);
    }
  }
  for (const auto* flags : {&files.c_flags, &files.link_flags}) {
    for (const std::string& flag : *flags) digest.add(flag);
  }
  for (const std::string& folder : files.searched()) add_folder(files.base / folder);
  add_folder(files.base);
  std::ranges::sort(read);
  for (const fs::path& file : read) digest.add(contents_of(file.string()));
}

json run_device(const std::vector<std::string>& words, const std::string& command,
                const regress::Busy& busy) {
  RunRequest request = parse_run(words, command);
  request.run.spec.note = busy;
  json report = sim::run(*request.device, request.run);
  json points =
      report.contains(regress::kCoveragePoints) ? report[regress::kCoveragePoints] : json();
  const json files = report.value(sim::kRtlFiles, json::array());
  report = sim::public_json(std::move(report));
  for (const json& file : files) {
    const std::string path = file.at("path");
    if (file.at("name") == "" || path.empty()) continue;
    report[regress::kReads][path] = regress::contents_of(path);
  }
  if (!points.is_null()) report[regress::kCoveragePoints] = std::move(points);
  return report;
}

json measure_speed(const std::string& device) {
  sim::BenchOptions options;
  options.devices = {&registry().device(device)};
  options.frames = "gradient-192";
  options.seconds = kSpeedSeconds;
  options.spec.options = sim::OptionSet(options.devices.front()->facts().options);
  for (const char* name : {"early", "middle", "late"}) {
    options.traces.push_back(fmt::format("{}/hdc-ring-{}.pcap", trace_folder(), name));
  }
  std::vector<double> ratios;
  for (int pass = 0; pass < kSpeedPasses; ++pass) {
    const json rows = sim::bench(options);
    const json& row = rows.is_array() ? rows.at(0) : rows;
    ratios.push_back(row.at("ratios").at("lockstep_to_rtl"));
  }
  std::ranges::nth_element(ratios, ratios.begin() + kSpeedPasses / 2);
  return {{"pass", true}, {"speed", {{"lockstep_to_rtl", ratios[kSpeedPasses / 2]}}}};
}

json measure_area(const std::vector<std::string>& words) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("gradwire-area-{}", ::getpid());
  fs::create_directories(folder);
  const fs::path figures = folder / "figures.json";
  testbenches::Command command{.program = (sim::data_folder() / regress::kSynthesis).string(),
                               .arguments = run_words(words)};
  for (const std::string& word :
       {std::string("--json"), figures.string(), std::string("--build"), folder.string()}) {
    command.arguments.push_back(word);
  }
  const testbenches::Finished done = testbenches::run_programs({command}).front();
  const json document = json::parse(sim::bytes_if_readable(figures).value_or(""), nullptr, false);
  std::error_code error;
  fs::remove_all(folder, error);
  if (done.status != 0 || !document.is_object()) {
    throw sim::InputError(fmt::format("synthesis failed: {}", done.words));
  }
  json area = {{"tool", document.at("tool")}};
  for (const char* cell : {"LUT", "FF", "DSP"}) area[cell] = document.at("used").at(cell);
  const json& paths = document.at("paths");
  if (!paths.empty()) area["path_ns"] = paths.front().at("ns");
  return {{"pass", true}, {"area", area}};
}

}  // namespace

std::vector<std::string> RunVocabulary::devices() const {
  std::vector<std::string> all;
  for (const auto& device : registry().devices()) {
    all.push_back(device->facts().family + "/" + device->name());
  }
  return all;
}

const std::vector<regress::Vocabulary::Option>& RunVocabulary::options(
    const std::string& device) const {
  const auto known = options_.find(device);
  if (known != options_.end()) return known->second;
  std::vector<Option>& list = options_[device];
  try {
    for (const RunOption& o : run_options(registry().device(device))) {
      list.push_back({o.name, o.flag, o.list, o.repeats, o.reads, o.writes});
    }
  } catch (...) {
    options_.erase(device);
    throw;
  }
  return list;
}

void RunVocabulary::check(const std::vector<std::string>& words) const {
  if (words.front() == regress::kBench) {
    registry().device(words.at(1));
  } else if (words.front() == regress::kSynthesis) {
    for (const fs::directory_entry& family : fs::directory_iterator(sim::data_folder() / "rtl")) {
      if (fs::exists(family.path() / (words.at(1) + ".f"))) return;
    }
    throw sim::UsageError(fmt::format("there is no top '{0}' (no rtl/*/{0}.f)", words.at(1)));
  } else {
    const RunRequest request = parse_run(run_words(words), "");
    request.device->check(request.run.spec);
    sim::open_source(*request.device, request.run.spec);  // which reads its beginning
  }
}

bool RunVocabulary::seeded(const std::vector<std::string>& words) const {
  const RunRequest request = parse_run(run_words(words), "");
  const sim::RunSpec& spec = request.run.spec;
  // What a host writes before cycle 0 is drawn, too: an optimizer's parameters.
  if (spec.stimulus.recorded != nullptr) return false;
  return spec.stimulus.trace.empty() || !spec.stall.none() || request.device->facts().host_writes;
}

std::vector<std::string> RunVocabulary::files(const std::string& value, bool pattern) const {
  std::vector<std::string> found;
  // A capture that comes with the program has a name, too.
  if (const std::string trace = shipped_trace(value); trace != value) return {trace};
  for (const fs::path& folder : {fs::path(), sim::data_folder()}) {
    const std::string path = (folder / value).string();
    std::error_code error;
    if (fs::is_regular_file(path, error)) return {path};
    if (!pattern) continue;
    glob_t matches = {};
    if (::glob(path.c_str(), 0, nullptr, &matches) == 0) {  // sorted
      for (size_t i = 0; i < matches.gl_pathc; ++i) found.emplace_back(matches.gl_pathv[i]);
    }
    ::globfree(&matches);
    if (!found.empty()) break;
  }
  return found;
}

std::string RunVocabulary::file_contents(const std::string& path) const {
  std::string& contents = contents_[path];
  if (contents.empty()) contents = regress::Digest().add(sim::bytes_of_file(path)).hex();
  return contents;
}

std::string RunVocabulary::contents(const std::vector<std::string>& words) const {
  regress::Digest digest;
  digest.add(program_contents());
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string file = file_at(words, i);
    if (file.empty()) continue;
    digest.add(file_contents(file));
  }
  if (words.front() != "run") return digest.hex();
  const sim::RunSpec spec = parse_run(run_words(words), "").run.spec;
  const auto add = [&](const sim::UserRtl& rtl) {
    if (rtl.file_list.empty()) return;
    add_rtl(digest, rtl, [this](const std::string& path) { return file_contents(path); });
  };
  add(spec.user_rtl);
  if (spec.against) add(*spec.against);
  return digest.hex();
}

std::string RunVocabulary::stimulus_contents(const std::vector<std::string>& words) const {
  regress::Digest digest;
  for (size_t i = 0; i < words.size(); ++i) {
    if (std::ranges::count(kRtlOptions, words[i]) != 0) {
      ++i;  // its value
      continue;
    }
    if (is_rtl_setting(words[i])) continue;
    const std::string file = file_at(words, i);
    if (file.empty()) {
      digest.add(words[i]);
      continue;
    }
    digest.add(file_contents(file));
    // Of a file with several tables the name counts, too.
    const size_t table = words[i - 1] == "--random" ? words[i].rfind('#') : std::string::npos;
    if (words[i - 1] == "--random")
      digest.add(table == std::string::npos ? words[i] : words[i].substr(table));
  }
  return digest.hex();
}

const std::string& program_contents() {
  static const std::string kContents = [] {
    regress::Digest digest;
    digest.add(sim::bytes_of_file("/proc/self/exe"));
    for (const char* folder : {"rtl", "tools/synth"}) {
      std::vector<fs::path> files;
      for (const fs::directory_entry& entry :
           fs::recursive_directory_iterator(sim::data_folder() / folder)) {
        if (entry.is_regular_file()) files.push_back(entry.path());
      }
      std::ranges::sort(files);
      for (const fs::path& file : files) {
        digest.add(file.lexically_relative(sim::data_folder()).string())
            .add(sim::bytes_of_file(file));
      }
    }
    return digest.hex();
  }();
  return kContents;
}

json run_case(const regress::Case& c, const std::string& command, const regress::Busy& busy) {
  if (c.words.front() == regress::kSynthesis) return measure_area(c.words);
  if (c.words.front() == regress::kBench) return measure_speed(c.words.at(1));
  return run_device(run_words(c.words), command, busy);
}

}  // namespace gw::tools
