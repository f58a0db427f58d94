// SPDX-License-Identifier: Apache-2.0
#include "testbenches/kit/compiled_rtl.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "sim/report/text.h"
#include "sim/run/data_folder.h"
#include "testbenches/library/library.h"
#include "testbenches/library/mutant_builds.h"

namespace gw::testbenches {
namespace {

/// What the harness drives and reads: the project's RTL has just these pins, a user's must.
EngineShape shape_of(const sim::Device::Facts& facts) {
  EngineShape shape{.beat_bits = 8 * facts.beat_bytes,
                    .inputs = facts.inputs,
                    .outputs = facts.outputs,
                    .controls = facts.controls,
                    .pins = facts.pins,
                    .probes = facts.probe};
  if (facts.host_writes) {
    shape.pins.insert(shape.pins.end(),
                      {{"cfg_valid_i", 1}, {"cfg_address_i", 32}, {"cfg_data_i", 32}});
  }
  if (facts.statistics_are_pins && !facts.statistics.empty()) {
    shape.probes.push_back({"stat_o", 32 * static_cast<int>(facts.statistics.size())});
  }
  return shape;
}

/// Each step when it begins, and again while it lasts: who waits for a sign of life gets one.
std::function<void(const BuildProgress&)> told(const sim::RunSpec& spec) {
  if (!spec.note) return {};
  return [note = spec.note, step = std::string(), said = 0.0,
          all = 0.0](const BuildProgress& progress) mutable {
    constexpr double kAgain = 10;
    if (progress.done) {
      all += progress.seconds;
      // The last step of all: what was waited for may yet have to be built.
      if (progress.step == "compiler") {
        note(fmt::format("{} is built ({:.1f} s)", progress.what, std::exchange(all, 0)));
      }
    } else if (progress.step != step) {
      step = progress.step;
      said = progress.seconds;
      note(fmt::format("building {}: {}", progress.what, progress.step));
    } else if (progress.seconds >= said + kAgain) {
      said = progress.seconds;
      note(fmt::format("building {}: {}, {:.0f} s so far", progress.what, progress.step,
                       progress.seconds));
    }
  };
}

/// Names the outputs of a top that the device does not have, once.
void tell_open_outputs(const RtlLibrary& library, const std::string& top,
                       const sim::RunSpec& spec) {
  static std::set<std::string> told;
  const nlohmann::json facts = nlohmann::json::parse(library.engine()->describe());
  if (!spec.note || !facts.contains("open") || !told.insert(top).second) return;
  spec.note(fmt::format("{}: the device has no output {}; nothing reads it", top,
                        fmt::join(facts["open"].get<std::vector<std::string>>(), ", ")));
}

constexpr int kMutantPinBits = 16;

/// Where it is, `FILE.sv:LINE`: its cell's name says it, or the last of its sources does. What
/// Yosys made of several lines has none.
std::string where_of(const std::string& words) {
  static const std::regex kCell(R"(-cell \S*\$([^\s$]+:\d+)\$\d+)"), kSource(R"(-src (\S+:\d+))");
  std::smatch found;
  if (std::regex_search(words, found, kCell)) return found[1];
  std::string where = "(no line of its own)";
  for (auto at = std::sregex_iterator(words.begin(), words.end(), kSource);
       at != std::sregex_iterator(); ++at) {
    where = (*at)[1];
  }
  return where;
}

/// What is built on demand is looked up in the cache each time, and that takes longer than most
/// mutants live, or than a stimulus runs while it is shrunk: there a process keeps what it has
/// used.
std::shared_ptr<RtlLibrary>& kept(const RtlRequest& request, const std::string& cache) {
  static auto& libraries = *new std::map<std::string, std::shared_ptr<RtlLibrary>>;
  const MutantBatch& batch = request.mutants;
  std::string files = request.list.string();
  if (request.files) {
    files = fmt::format("{}|{}", fmt::join(request.files->verilator_words(), "|"),
                        fmt::join(request.files->parameters, "|"));
  }
  return libraries[fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", request.top, files,
                               request.traced, request.assertions, request.netlist, cache,
                               fmt::join(request.parameters, ","), fmt::join(request.coverage, ","),
                               batch.count, batch.seed, batch.first)];
}

}  // namespace

RtlReader::RtlReader(std::string list, std::vector<std::filesystem::path> folders,
                     std::map<std::string, std::string> packed, sim::RtlNotes* notes)
    : list_(std::move(list)),
      folders_(std::move(folders)),
      packed_(std::move(packed)),
      notes_(notes),
      files_{.find =
                 [](void* self, const char* name) {
                   const std::string& path = static_cast<RtlReader*>(self)->find(name);
                   return path.empty() ? nullptr : path.c_str();
                 },
             .self = this} {}

const std::string& RtlReader::find(const std::string& name) {
  namespace fs = std::filesystem;
  const auto [at, is_new] = known_.try_emplace(name);
  std::string& path = at->second;
  if (!is_new) return path;
  std::error_code error;
  const auto packed = packed_.find(name);
  const bool anywhere = fs::path(name).is_absolute();
  for (const fs::path& folder : folders_) {
    if (anywhere || !path.empty()) break;
    if (fs::is_regular_file(folder / name, error)) path = (folder / name).lexically_normal();
  }
  if (path.empty() && packed != packed_.end() && fs::exists(packed->second, error)) {
    path = packed->second;
  }
  if (path.empty() && fs::exists(name, error)) path = fs::absolute(name).lexically_normal();
  if (notes_ != nullptr) notes_->files.push_back({list_, name, path});
  return path;
}

std::string said(const char* words) { return sim::report::clean(words); }

void counted(const GwEngine& api, void* self, sim::coverage::Points& points) {
  uint32_t n = 0;
  const GwCoverPoint* const all = api.coverage(self, &n);
  const std::string top = nlohmann::json::parse(api.describe()).at("top");
  for (uint32_t i = 0; i < n; ++i) {
    const GwCoverPoint& p = all[i];
    points.add({p.kind, top, p.scope, p.file, p.line, p.column, p.text}, p.count);
  }
  using sim::coverage::ToggleSignal;
  const GwToggle* const signals = api.toggles(self, &n);
  for (uint32_t i = 0; i < n; ++i) {
    const GwToggle& s = signals[i];
    ToggleSignal signal{s.seen == GW_TOGGLE_MEMORY   ? ToggleSignal::Seen::kMemory
                        : s.seen == GW_TOGGLE_ABSENT ? ToggleSignal::Seen::kAbsent
                                                     : ToggleSignal::Seen::kCounted,
                        s.lsb,
                        s.bits,
                        s.elements,
                        {},
                        {}};
    if (s.rose != nullptr) {
      const size_t words = (size_t{s.bits} + 63) / 64;
      signal.rose.assign(s.rose, s.rose + words);
      signal.fell.assign(s.fell, s.fell + words);
    }
    points.add(top, s.name, signal);
  }
}

sim::MutantList mutant_list(const CompiledRtl& compiled) {
  sim::MutantList list;
  list.netlist = compiled.library()->rtlil().string();
  std::istringstream lines(compiled.library()->mutants());
  for (std::string line; std::getline(lines, line);) {
    const auto word = [&line](const char* option) {
      const std::regex value(fmt::format(R"(-{} (\S+))", option));
      std::smatch found;
      return std::regex_search(line, found, value) ? found[1].str() : std::string();
    };
    // Yosys' words are `mutate -ctrl PIN BITS NUMBER -mode ...`: those behind wake it for good.
    const size_t mode = line.find(" -mode ");
    if (mode == std::string::npos) continue;
    list.mutants.push_back({.words = "mutate" + line.substr(mode),
                            .where = where_of(line),
                            .mode = word("mode"),
                            .cell = word("cell"),
                            .port = fmt::format("{}[{}]", word("port"), word("portbit"))});
  }
  return list;
}

FileList files_of(const sim::UserRtl& rtl) {
  namespace fs = std::filesystem;
  FileList files = read_file_list(rtl.file_list, {.last = sim::data_folder()});
  for (const std::string& define : rtl.defines) files.define(define);
  for (const std::string& parameter : rtl.parameters) files.set(parameter);
  std::vector<FileList::Item> first;
  for (const std::string& dir : rtl.include_dirs) {
    first.push_back({FileList::Kind::kIncludeFolder,
                     fs::absolute(dir).lexically_normal().lexically_proximate(files.base)});
  }
  files.items.insert(files.items.begin(), first.begin(), first.end());
  return files;
}

sim::RtlSources rtl_sources(const sim::Device::Facts& facts,
                            const std::vector<std::pair<std::string, std::string>>& parameters,
                            const sim::RunSpec& spec) {
  namespace fs = std::filesystem;
  const bool own = spec.user_rtl.file_list.empty();
  const fs::path root = own ? sim::data_folder() : fs::path();
  const FileList files =
      own ? read_file_list(root / facts.file_list, {.base = root}) : files_of(spec.user_rtl);
  sim::RtlSources sources{own ? facts.top : spec.user_rtl.top, {}, {}};
  if (own) sources.parameters = parameters;
  for (const std::string& parameter : files.parameters) {
    const size_t equals = parameter.find('=');
    sources.parameters.emplace_back(parameter.substr(0, equals), parameter.substr(equals + 1));
  }
  for (const FileList::Item& item : files.items) {
    using Kind = FileList::Kind;
    const std::string path = (files.base / item.text).lexically_normal().string();
    switch (item.kind) {
      case Kind::kIncludeFolder:
        sources.list.push_back("+incdir+" + path);
        break;
      case Kind::kDefine:
        sources.list.push_back("+define+" + item.text);
        break;
      case Kind::kLibraryFile:
        sources.list.push_back("-v " + path);
        break;
      case Kind::kLibraryFolder:
        sources.list.push_back("-y " + path);
        break;
      case Kind::kExtensions:
        sources.list.push_back(item.text);
        break;
      case Kind::kOption:
        break;  // Verilator's alone
      case Kind::kSource:
      case Kind::kC:
        sources.list.push_back(path);
        break;
    }
  }
  sources.list.push_back("+incdir+" + (sim::data_folder() / "rtl/common").string());
  return sources;
}

CompiledRtl compile_rtl(const sim::Device::Facts& facts,
                        const std::vector<std::pair<std::string, std::string>>& parameters,
                        const sim::RunSpec& spec, bool traced) {
  RtlRequest request;
  request.top = facts.top;
  request.shape = shape_of(facts);
  request.traced = traced;
  request.quick = spec.quick_build;
  request.netlist = spec.netlist;
  if (spec.coverage.line) request.coverage.emplace_back("line");
  if (spec.coverage.user) request.coverage.emplace_back("user");
  if (spec.coverage.toggle) request.coverage.emplace_back("toggle");
  request.own = spec.user_rtl.file_list.empty();
  // Those of the project's own are a matter of how it is built: what is linked serves.
  request.assertions = spec.assertions || request.own;
  if (request.own) {
    for (const auto& [name, value] : parameters) request.parameters.push_back(name + "=" + value);
  } else {
    request.top = spec.user_rtl.top;
    if (spec.note && !parameters.empty()) {
      std::string set;
      for (const auto& [name, value] : parameters) set += " " + name + "=" + value;
      spec.note(
          fmt::format("{} keeps the parameters that its own file, its list or --set gives it; "
                      "model and reference are "
                      "those of{}",
                      request.top, set));
    }
    request.files = files_of(spec.user_rtl);
    request.warnings = spec.user_rtl.warnings;
    request.include_dirs.push_back(sim::data_folder() / "rtl/common");
  }
  const sim::MutantSpec& mutant = spec.mutant;
  if (mutant.count != 0) {
    const uint32_t first =
        (std::max(mutant.number, 1u) - 1) / kMutantsOfBuild * kMutantsOfBuild + 1;
    request.netlist = "words";
    request.mutants = {.count = mutant.count,
                       .first = first,
                       .last = std::min(first + kMutantsOfBuild - 1, mutant.count),
                       .seed = mutant.seed};
    request.shape.pins.push_back({kMutantPin, kMutantPinBits});
  }
  std::shared_ptr<RtlLibrary> library;
  if (mutant.count == 0) library = linked_library(request);
  if (library == nullptr) {
    if (request.own) {
      request.base = sim::data_folder();
      request.list = request.base / facts.file_list;
    }
    LibraryOptions options;
    options.cache = spec.cache;
    options.progress = told(spec);
    options.said = spec.note;
    std::shared_ptr<RtlLibrary> fresh;
    std::shared_ptr<RtlLibrary>& found =
        mutant.count != 0 || spec.stimulus.recorded != nullptr ? kept(request, spec.cache) : fresh;
    if (found == nullptr) found = rtl_library(request, options);
    library = found;
  }
  tell_open_outputs(*library, request.top, spec);
  const uint64_t period_ps = sim::period_ps(spec.clock_mhz);
  if (request.own) return {std::move(library), false, period_ps, nullptr};
  const std::string& list = spec.user_rtl.file_list;
  if (spec.rtl_notes != nullptr) {
    for (const std::filesystem::path& source : library->sources()) {
      spec.rtl_notes->files.push_back({list, "", source.string()});
    }
  }
  const auto facts_of = nlohmann::json::parse(library->engine()->describe());
  if (facts_of.at("start_values") == "simulator") {
    if (spec.rtl_notes != nullptr) spec.rtl_notes->drawn = true;
    if (spec.note) {
      spec.note(fmt::format(
          "{}: this version of Verilator draws what registers start with in an order of its own: "
          "with waves they start with other values",
          request.top));
    }
  }
  auto reader = std::make_shared<RtlReader>(list, library->folders(), spec.packed, spec.rtl_notes);
  return {std::move(library), true, period_ps, std::move(reader)};
}

}  // namespace gw::testbenches
