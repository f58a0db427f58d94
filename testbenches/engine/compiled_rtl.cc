#include "testbenches/engine/compiled_rtl.h"

#include <fmt/format.h>

#include "sim/run/data_folder.h"
#include "testbenches/engine/file_list.h"
#include "testbenches/engine/library.h"

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

std::function<void(const BuildProgress&)> told(const sim::RunSpec& spec) {
  if (!spec.note) return {};
  return [note = spec.note, step = std::string()](const BuildProgress& progress) mutable {
    if (progress.done) {
      note(fmt::format("{} is built ({:.1f} s)", progress.what, progress.seconds));
    } else if (progress.step != step) {
      step = progress.step;
      note(fmt::format("building {}: {}", progress.what, progress.step));
    }
  };
}

}  // namespace

sim::RtlSources rtl_sources(const sim::Device::Facts& facts,
                            const std::vector<std::pair<std::string, std::string>>& parameters,
                            const sim::RunSpec& spec) {
  namespace fs = std::filesystem;
  const bool own = spec.user_rtl.file_list.empty();
  const fs::path root = own ? sim::data_folder() : fs::path();
  const fs::path list = own ? root / facts.file_list : fs::path(spec.user_rtl.file_list);
  const fs::path base = own ? root : fs::absolute(list).parent_path();
  sim::RtlSources sources{own ? facts.top : spec.user_rtl.top, {}, {}};
  if (own) {
    sources.parameters = parameters;
    sources.list.push_back("+incdir+" + (root / "rtl/common").string());
  }
  std::string option;  // -y or -v, before its path
  for (const std::string& word : read_file_list(list, base).arguments) {
    if (word == "-y" || word == "-v") {
      option = word + " ";
    } else if (word.starts_with("-I")) {
      sources.list.push_back("+incdir+" + (base / word.substr(2)).lexically_normal().string());
    } else if (word.starts_with("+")) {
      sources.list.push_back(word);
    } else {
      sources.list.push_back(std::exchange(option, {}) + (base / word).lexically_normal().string());
    }
  }
  return sources;
}

CompiledRtl compile_rtl(const sim::Device::Facts& facts,
                        const std::vector<std::pair<std::string, std::string>>& parameters,
                        const sim::RunSpec& spec, bool traced) {
  RtlRequest request;
  request.top = facts.top;
  request.shape = shape_of(facts);
  request.traced = traced;
  request.netlist = spec.netlist;
  if (spec.coverage.line) request.coverage.emplace_back("line");
  if (spec.coverage.user) request.coverage.emplace_back("user");
  request.own = spec.user_rtl.file_list.empty();
  if (request.own) {
    for (const auto& [name, value] : parameters) request.parameters.push_back(name + "=" + value);
  } else {
    request.top = spec.user_rtl.top;
    request.list = spec.user_rtl.file_list;
    if (spec.note && !parameters.empty()) {
      std::string set;
      for (const auto& [name, value] : parameters) set += " " + name + "=" + value;
      spec.note(
          fmt::format("{} keeps the parameters that its own file gives it; model and reference are "
                      "those of{}",
                      request.top, set));
    }
  }
  std::shared_ptr<RtlLibrary> library = linked_library(request);
  if (library == nullptr) {
    if (request.own) {
      request.base = sim::data_folder();
      request.list = request.base / facts.file_list;
    }
    LibraryOptions options;
    options.cache = spec.cache;
    options.progress = told(spec);
    library = rtl_library(request, options);
  }
  return CompiledRtl(std::shared_ptr<const GwEngine>(library, library->engine()));
}

}  // namespace gw::testbenches
