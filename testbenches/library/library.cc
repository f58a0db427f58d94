// SPDX-License-Identifier: Apache-2.0
#include "testbenches/library/library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <boost/dll/shared_library.hpp>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "sim/base/error.h"
#include "sim/base/file_bytes.h"
#include "testbenches/library/cache.h"
#include "testbenches/library/embedded.h"  // generated: the glue's own files
#include "testbenches/library/file_list.h"
#include "testbenches/library/linked.h"
#include "testbenches/library/process.h"
#include "testbenches/library/verilator_flags.h"  // generated from cmake/GradwireVerilate.cmake

namespace gw::testbenches {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

const std::string kHeaders = "verilated_headers.h", kCompiledHeaders = kHeaders + ".gch";

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class Shared final : public RtlLibrary {
 public:
  Shared(const GwEngine* linked) { engine_ = linked; }

  Shared(const fs::path& entry, Origin origin, double yosys, double verilator, double compiler,
         std::vector<fs::path> sources, std::vector<fs::path> folders) {
    sources_ = std::move(sources);
    folders_ = std::move(folders);
    namespace dll = boost::dll;
    const fs::path object = entry / "engine.so";
    boost::system::error_code error;
    const boost::filesystem::path path(object.string());
    library_.load(path, error, dll::load_mode::rtld_now | dll::load_mode::rtld_local);
    // Verilator's runtime keeps a few bytes until the process ends. The leak checker can see that
    // they are still in use only while the code that holds them is there: it stays.
#ifdef GW_SANITIZED
    if (!error) [[maybe_unused]]
      void* const held = dlopen(path.c_str(), RTLD_NOW | RTLD_NODELETE);
#endif
    if (error || !library_.has("gw_engine")) {
      throw sim::InputError(
          fmt::format("built RTL '{}' cannot be loaded: {}", object.string(), error.message()));
    }
    engine_ = library_.get<const GwEngine*()>("gw_engine")();
    if (engine_->abi != GW_ENGINE_ABI) {
      throw sim::InputError(fmt::format("built RTL '{}' has interface {} instead of {}",
                                        object.string(), engine_->abi, GW_ENGINE_ABI));
    }
    origin_ = origin;
    words_ = sim::bytes_if_readable(entry / "words").value_or("");
    if (fs::exists(entry / "mutants")) {
      mutants_ = sim::bytes_if_readable(entry / "mutants").value_or("");
      rtlil_ = entry / "netlist.il";
    }
    yosys_seconds_ = yosys;
    verilator_seconds_ = verilator;
    compiler_seconds_ = compiler;
  }

 private:
  boost::dll::shared_library library_;
};

/// The programs, and what they say they are.
struct Tools {
  std::string verilator, verilator_version, verilator_root;
  std::string compiler, compiler_version, cpu;
  std::string yosys, yosys_version;  ///< if a netlist is asked for
  bool clang = false;

  /// What decides how C++ becomes code.
  std::string words() const {
    return fmt::format("{}\n{}\n{}\n{}\n", verilator_version, verilator_root, compiler_version,
                       cpu);
  }
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Where its headers lie, of what `verilator -V` says: as it was built, and behind that as the
/// environment has it, which may be nothing.
std::string root_of(const std::string& summary) {
  std::string root;
  std::istringstream lines(summary);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, equals, value;
    if (!(words >> name >> equals) || name != "VERILATOR_ROOT" || equals != "=") continue;
    if (std::getline(words >> std::ws, value) && !value.empty()) root = value;  // with its blanks
  }
  return root;
}

/// Who answers `-V`: Verilator is a script of Perl around a program that lies beside it, unless the
/// environment names another, and the script takes longer to begin than RTL from the cache to load.
std::string answers_for(const std::string& verilator) {
  if (std::getenv("VERILATOR_ROOT") != nullptr || std::getenv("VERILATOR_BIN") != nullptr) {
    return verilator;
  }
  std::error_code error;
  const fs::path script = fs::canonical(verilator, error);
  if (error || script.filename() != "verilator") return verilator;
  const fs::path program = script.parent_path() / "verilator_bin";
  return access(program.c_str(), X_OK) == 0 ? program.string() : verilator;
}

Tools find_tools(const LibraryOptions& options, const std::string& what, bool netlist) {
  Tools tools;
  const auto need = [&](const std::string& program, const char* role) -> std::string {
    std::string path = find_program(program);
    if (path.empty()) {
      throw sim::InputError(
          fmt::format("{} is not linked into this program and is built on demand, but there is no "
                      "{} here ('{}'); `--engine model` runs without it",
                      what, role, program));
    }
    return path;
  };
  if (netlist) {
    tools.yosys = find_program(options.yosys);
    if (tools.yosys.empty()) {
      throw sim::InputError(
          fmt::format("{} is synthesised on demand, but there is no Yosys here ('{}'); without "
                      "`--netlist` the RTL itself runs",
                      what, options.yosys));
    }
  }
  tools.verilator = need(options.verilator, "Verilator");
  if (!options.compiler.empty()) {
    tools.compiler = need(options.compiler, "C++ compiler");
  } else {
    tools.compiler = find_program(kBuildCompiler);
    if (tools.compiler.empty()) tools.compiler = need("c++", "C++ compiler");
  }
  // Verilator is asked once for both, since to begin takes it longer than to answer.
  const std::vector<Finished> said = run_programs(
      {{answers_for(tools.verilator), {"-V"}, "."},
       {tools.compiler, {"--version"}, "."},
       {tools.compiler, {"-march=native", "-###", "-E", "-x", "c++", "/dev/null"}, "."}});
  if (said[0].status != 0 || said[1].status != 0) {
    throw sim::InputError(fmt::format("{} do not run: {}{}", "Verilator or the compiler",
                                      said[0].words, said[1].words));
  }
  if (netlist) {
    const Finished yosys = run_programs({{tools.yosys, {"-V"}, "."}}).front();
    if (yosys.status != 0)
      throw sim::InputError(fmt::format("Yosys does not run: {}", yosys.words));
    tools.yosys_version = first_line(yosys.words);
  }
  tools.verilator_version = first_line(said[0].words);
  tools.verilator_root = root_of(said[0].words);
  if (tools.verilator_root.empty()) {
    throw sim::InputError(fmt::format("'{} -V' does not say where its headers lie (VERILATOR_ROOT)",
                                      tools.verilator));
  }
  tools.compiler_version = first_line(said[1].words);
  tools.clang = tools.compiler_version.find("clang") != std::string::npos;
  // What -march=native stands for: the line that runs the compiler proper, without names of files.
  std::istringstream lines(said[2].words);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      if (word.find("-m") != std::string::npos || word.find("-target") != std::string::npos ||
          word.find("--param") != std::string::npos || word.find("cache-") != std::string::npos) {
        tools.cpu += word + ' ';
      }
    }
  }
  return tools;
}

std::string words_of(const RtlRequest& request) {
  std::string text = request.top;
  for (const std::string& p : request.parameters) text += ' ' + p;
  if (!request.netlist.empty()) text += " as a netlist";
  if (request.netlist == "xilinx") text += " of Xilinx cells";
  if (request.mutants.count != 0) {
    text += fmt::format(" with mutants {} to {} of {}", request.mutants.first, request.mutants.last,
                        request.mutants.count);
  }
  if (request.traced) text += " with waves";
  if (!request.assertions) text += " without assertions";
  for (const std::string& kind : request.coverage) text += fmt::format(" with {} coverage", kind);
  if (request.state) text += " with state";
  return text;
}

/// A parameter as Yosys takes it: a string is the bits of its characters.
std::string without_string(const std::string& parameter) {
  const size_t quote = parameter.find("=\"");
  if (quote == std::string::npos || !parameter.ends_with('"') || quote + 3 >= parameter.size()) {
    return parameter;
  }
  const std::string text = parameter.substr(quote + 2, parameter.size() - quote - 3);
  std::string bits = fmt::format("{}'h", 8 * text.size());
  for (const unsigned char c : text) bits += fmt::format("{:02x}", c);
  return parameter.substr(0, quote + 1) + bits;
}

class Builder {
 public:
  Builder(const RtlRequest& request, const LibraryOptions& options)
      : request_(request),
        options_(options),
        what_(words_of(request)),
        tools_(find_tools(options, what_, !request.netlist.empty())),
        cache_(options.cache.empty() ? default_cache() : options.cache) {
    for (const std::string& kind : request.coverage) {
      if (std::ranges::count(kCoverageKinds, kind) == 0) {
        throw sim::InputError(fmt::format("there is no {} coverage of RTL", kind));
      }
    }
    read_files();
    name_build(/*quick=*/false);
  }

  std::shared_ptr<RtlLibrary> library() {
    if (request_.warnings) tell_warnings();
    if (auto found = cached()) return found;  // one for speed serves either way
    if (request_.quick) {
      name_build(/*quick=*/true);
      if (auto found = cached()) return found;
    }
    const Clock::time_point begin = Clock::now();
    bool waited = false;
    const Cache::Lock lock(cache_, name_, [&] {
      waited = true;
      tell("waiting for another gradwire", begin, false);
    });
    if (waited) tell("waiting for another gradwire", begin, true);
    if (auto found = cached()) return found;
    return build();
  }

 private:
  void tell(const char* step, Clock::time_point begin, bool done) const {
    if (options_.progress) options_.progress({what_, step, seconds_since(begin), done});
  }

  /// Asks Verilator once more, as a build does not: it wants no warning to end it, and what is in
  /// the cache is not read again.
  void tell_warnings() const {
    std::vector<std::string> words = {"--lint-only", "-Wno-fatal", "--no-timing", "--top-module",
                                      request_.top};
    for (const std::string& p : files_.parameters) words.push_back("-G" + p);
    const std::vector<std::string> listed = files_.verilator_words();
    words.insert(words.end(), listed.begin(), listed.end());
    std::string said =
        run_programs({{tools_.verilator, words, base_folder_.string()}}).front().words;
    while (said.ends_with('\n')) said.pop_back();
    if (!options_.said) return;
    options_.said(said.empty() ? fmt::format("Verilator has no warnings about {}", request_.top)
                               : fmt::format("Verilator about {}:\n{}", request_.top, said));
  }

  void read_files() {
    // Paths are relative to where the folder really is: the way up from a link's end is not that
    // of the link.
    base_folder_ = fs::weakly_canonical(fs::absolute(request_.files           ? request_.files->base
                                                     : !request_.base.empty() ? request_.base
                                                     : !request_.list.empty()
                                                         ? fs::absolute(request_.list).parent_path()
                                                         : fs::current_path()));
    if (request_.files) {
      files_ = *request_.files;
    } else if (!request_.list.empty()) {
      files_ = read_file_list(fs::absolute(request_.list), {.base = base_folder_});
    }
    files_.base = base_folder_;
    using Kind = FileList::Kind;
    files_.parameters.insert(files_.parameters.begin(), request_.parameters.begin(),
                             request_.parameters.end());
    std::vector<FileList::Item> first;
    if (request_.own) first.push_back({Kind::kIncludeFolder, "rtl/common"});
    for (const std::string& define : request_.defines) first.push_back({Kind::kDefine, define});
    files_.items.insert(files_.items.begin(), first.begin(), first.end());
    for (const fs::path& source : request_.sources) {
      files_.items.push_back(
          {Kind::kSource,
           fs::absolute(source).lexically_normal().lexically_proximate(base_folder_).string()});
    }
    if (files_.items.empty()) throw sim::InputError(fmt::format("{} has no sources", request_.top));
    // Not relative: the way up from the list's folder leads elsewhere if a link led down.
    for (const fs::path& dir : request_.include_dirs) {
      files_.items.push_back({Kind::kIncludeFolder, fs::absolute(dir).lexically_normal().string()});
    }
    // Yosys wants them before the files.
    std::stable_partition(files_.items.begin(), files_.items.end(), [](const FileList::Item& item) {
      return item.kind == Kind::kIncludeFolder || item.kind == Kind::kDefine;
    });
  }

  /// Of a build for speed, or of one that is soon there.
  void name_build(bool quick) {
    quick_ = quick;
    base_ = base_key();
    std::string plain = request_.top;
    for (char& c : plain) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    name_ = fmt::format("{}-{}", plain, checksum(base_));
  }

  /// The project's own RTL without waves is built for speed alone.
  bool checked() const { return request_.traced || !request_.own; }

  std::vector<std::string> compile_flags(bool cold) const {
    // What is cold knows nothing of the glue, and the library's headers of C++17 are read sooner.
    std::vector<std::string> flags = {cold ? "-std=c++17" : "-std=c++20",
                                      "-march=native",
                                      "-fPIC",
                                      "-fvisibility=hidden",
                                      "-w",
                                      "-pthread"};
    if (!tools_.clang) {
      flags.emplace_back("-fno-gnu-unique");
    }
    if (cold) {
      flags.emplace_back("-O0");
    } else if (quick_) {
      flags.emplace_back(request_.netlist.empty() ? "-Og" : "-O0");
    } else if (request_.traced) {
      flags.insert(flags.end(), kVerilatedTraced.begin(), kVerilatedTraced.end());
    } else if (!request_.netlist.empty()) {
      flags.emplace_back("-O1");  // gates: much code, little to find in it
    } else {
      flags.emplace_back("-O3");
      if (!tools_.clang) flags.insert(flags.end(), kVerilatedFast.begin(), kVerilatedFast.end());
    }
    flags.insert(flags.end(), request_.compile_options.begin(), request_.compile_options.end());
    return flags;
  }

  /// Everything that decides what is built, but for the contents of the files that Verilator finds.
  std::string base_key() const {
    std::string key = "gradwire engine\n";
    const auto add = [&](std::string_view name, std::string_view text) {
      key += fmt::format("{} {}\n{}\n", name, text.size(), text);
    };
    const auto list = [&](std::string_view name, const std::vector<std::string>& words) {
      key += fmt::format("{} {}\n", name, words.size());
      for (const std::string& word : words) add("-", word);
    };
    add("verilator", tools_.verilator_version);
    add("compiler", tools_.compiler_version);
    add("cpu", tools_.cpu);
    add("top", request_.top);
    key += fmt::format("traced {} own {} shortcuts {}\n", request_.traced, request_.own,
                       kShortcuts && request_.shortcuts);
    list("coverage", request_.coverage);
    key += fmt::format("state {}\n", request_.state);
    if (!request_.netlist.empty()) {
      add("cells", request_.netlist);
      add("yosys", tools_.yosys_version);
      add("netlist", kNetlistScript);
      const MutantBatch& m = request_.mutants;
      key += fmt::format("mutants {} {} {} {}\n", m.count, m.seed, m.first, m.last);
    }
    list("arguments", files_.verilator_words());
    list("parameters", files_.parameters);
    list("C", files_.all(FileList::Kind::kC));
    list("C flags", files_.c_flags);
    list("link flags", files_.link_flags);
    list("verilator flags", kVerilatorFlags);
    list("verilator mode", verilator_mode(request_.traced, checked(), request_.assertions));
    list("flags", compile_flags(false));
    for (const auto* side : {&request_.shape.inputs, &request_.shape.outputs}) {
      key += fmt::format("ports {} of {}\n", side->size(), request_.shape.beat_bits);
      for (const sim::Port& p : *side) {
        key += fmt::format("{} {}/{} {}\n", p.bundle, p.slot, p.slots, p.user_bits);
      }
    }
    for (const sim::ControlPort& control : request_.shape.controls) {
      key += fmt::format("control {} {}\n", control.bundle, control.address_bits);
    }
    for (const auto* side : {&request_.shape.pins, &request_.shape.probes}) {
      key += fmt::format("pins {} {}\n", side->size(), request_.shape.any_pins);
      for (const sim::Pin& p : *side) key += fmt::format("{} {}\n", p.name, p.bits);
    }
    // Before, what is compared was in the order of the top.
    if (!request_.own && request_.shape.probes.size() > 1) key += "in the device's order\n";
    for (const EmbeddedFile& file : kEmbedded) add(file.path, file.text);
    // A file that is new in a searched folder may be found before another.
    for (const std::string& dir : files_.searched()) {
      std::set<std::string> names;
      std::error_code ignored;
      for (const fs::directory_entry& e : fs::directory_iterator(base_folder_ / dir, ignored)) {
        names.insert(e.path().filename().string());
      }
      list("folder " + dir, {names.begin(), names.end()});
    }
    return key;
  }

  /// With the contents of the files; `files`: a name a line.
  std::string full_key(const std::string& files) const {
    std::string key = base_;
    std::istringstream names(files);
    for (std::string name; std::getline(names, name);) {
      const std::string bytes = sim::bytes_if_readable(base_folder_ / name).value_or("");
      key += fmt::format("file {} {}\n", name, bytes.size());
      key += bytes;
    }
    return key;
  }
  std::vector<fs::path> paths_of(const std::string& files) const {
    std::vector<fs::path> paths;
    std::istringstream names(files);
    for (std::string name; std::getline(names, name);) {
      fs::path path = (base_folder_ / name).lexically_normal();
      if (std::ranges::find(paths, path) == paths.end()) paths.push_back(std::move(path));
    }
    return paths;
  }
  /// RtlLibrary::folders
  std::vector<fs::path> folders() const {
    std::vector<fs::path> all = {base_folder_};
    const auto add = [&](const fs::path& folder) {
      fs::path path = (base_folder_ / folder / "").lexically_normal();
      if (std::ranges::find(all, path) == all.end()) all.push_back(std::move(path));
    };
    for (const FileList::Item& item : files_.items) {
      if (is_file(item)) add(fs::path(item.text).parent_path());
    }
    for (const std::string& dir : files_.searched()) add(dir);
    return all;
  }
  std::string entry_name(const std::string& key) const {
    return fmt::format("{}-{}", name_, checksum(key));
  }

  /// If these very files were built before.
  std::shared_ptr<RtlLibrary> cached() const {
    const std::optional<std::string> files = cache_.note(name_ + ".files");
    if (!files) return nullptr;
    const std::string key = full_key(*files);
    const std::optional<fs::path> entry = cache_.find(entry_name(key), key);
    if (!entry) return nullptr;
    return std::make_shared<Shared>(*entry, RtlLibrary::Origin::kCached, 0, 0, 0, paths_of(*files),
                                    folders());
  }

  [[noreturn]] void failed(const char* step, const std::string& words,
                           const fs::path& where) const {
    struct statvfs disk = {};
    if (words.find("No space left") != std::string::npos ||
        (::statvfs(where.c_str(), &disk) == 0 && disk.f_bavail * disk.f_frsize < 1'000'000)) {
      throw sim::InputError(fmt::format("{} cannot be built: no space left in the cache '{}'",
                                        what_, cache_.folder().string()));
    }
    throw sim::InputError(fmt::format("{}: the {} fails:\n{}", what_, step, words));
  }

  /// Objects of the simulator's runtime, built once for all engines: to compile if they are not
  /// there.
  struct Runtime {
    std::string source, optimise, object, name, key;
    std::optional<fs::path> entry;
  };
  Runtime runtime(const std::string& source, const std::string& optimise) const {
    Runtime r{source, optimise, fs::path(source).stem().string() + ".o", "", "gradwire runtime\n",
              {}};
    r.key += tools_.words() + optimise + '\n';
    for (const std::string& option : request_.compile_options) r.key += option + '\n';
    for (const EmbeddedFile& file : kEmbedded) {
      r.key += fmt::format("{} {}\n{}", file.path, file.text.size(), file.text);
    }
    r.name = fmt::format("{}-{}", fs::path(source).stem().string(), checksum(r.key));
    r.entry = cache_.find(r.name, r.key);
    return r;
  }

  /// verilated_headers.h, compiled for the flags that an engine's code is compiled with, for small
  /// engines are mostly the reading of it. That takes as long as an engine, and tens of megabytes:
  /// so only the third build leaves it behind. Clang's would have to be named another way.
  struct Headers {
    std::string name, key;
    std::vector<std::string> flags;
    std::optional<fs::path> entry;
    bool wanted = false;
  };
  Headers headers(bool cold) const {
    Headers h;
    h.flags = compile_flags(cold);
    h.key = "gradwire headers\n" + tools_.words();
    for (const std::string& flag : h.flags) h.key += flag + '\n';
    for (const EmbeddedFile& file : kEmbedded) {
      if (file.path.ends_with(kHeaders)) h.key += file.text;
    }
    h.name = "headers-" + checksum(h.key);
    if (tools_.clang) return h;
    h.entry = cache_.find(h.name, h.key);
    if (h.entry) return h;
    const std::string built = cache_.note(h.name + ".built").value_or("");
    std::error_code ignored;
    h.wanted = built.size() >= 2 && fs::space(cache_.folder(), ignored).available > 1'000'000'000;
    if (!h.wanted) cache_.keep_note(h.name + ".built", built + '+');
    return h;
  }

  std::shared_ptr<RtlLibrary> build() {
    const Cache::Workplace place(cache_);
    const fs::path folder = place.folder();
    const auto write = [&](const fs::path& path, std::string_view text) {
      fs::create_directories(path.parent_path());
      std::ofstream file(path, std::ios::binary);
      file.write(text.data(), static_cast<std::streamsize>(text.size()));
      file.flush();
      if (!file) failed("file system", "No space left", folder);
    };
    for (const EmbeddedFile& file : kEmbedded) write(folder / file.path, file.text);

    const Clock::time_point yosys_begin = Clock::now();
    if (!request_.netlist.empty()) {
      if (request_.netlist == "xilinx") refuse_block_ram();
      write(folder / "netlist.sh", kNetlistScript);
      synthesise(folder, yosys_begin);
      tell("Yosys", yosys_begin, true);
    }
    const double yosys_seconds = seconds_since(yosys_begin);

    const Clock::time_point verilator_begin = Clock::now();
    const EngineSource source = verilate(folder, verilator_begin);
    write(folder / "words", source.words);
    const double verilator_seconds = seconds_since(verilator_begin);
    tell("Verilator", verilator_begin, true);

    const Clock::time_point compiler_begin = Clock::now();
    std::vector<Command> commands;
    const auto compile = [&](const fs::path& unit, const fs::path& object,
                             std::vector<std::string> arguments) {
      const std::string include = tools_.verilator_root + "/include";
      for (const std::string& dir :
           {folder.string(), (folder / "rtl").string(), include, include + "/vltstd"}) {
        arguments.push_back("-I" + dir);
      }
      arguments.insert(arguments.end(), {"-c", unit.string(), "-o", (folder / object).string()});
      commands.push_back({tools_.compiler, arguments, folder.string()});
    };
    const Headers hot_headers = headers(false), cold_headers = headers(true);
    const auto compile_generated = [&](const fs::path& unit, const fs::path& object,
                                       const Headers& h) {
      std::vector<std::string> flags = h.flags;
      if (h.entry) flags.insert(flags.end(), {"-include", (*h.entry / kHeaders).string()});
      compile(unit, object, std::move(flags));
    };
    compile_generated(source.hot, "hot.o", hot_headers);
    compile_generated(source.cold, "cold.o", cold_headers);
    if (request_.traced) compile_generated(source.harness, "harness.o", cold_headers);
    std::vector<Runtime> runtimes = {runtime("testbenches/engine/verilated_runtime.cc", "-O1")};
    if (request_.traced) {
      runtimes.push_back(runtime("testbenches/engine/verilated_trace_runtime.cc", "-O2"));
      runtimes.push_back(runtime("testbenches/engine/fst_mmap.cc", "-O1"));
    }
    if (has_counters(request_.coverage)) {
      runtimes.push_back(runtime("testbenches/engine/verilated_coverage_runtime.cc", "-O1"));
    }
    if (source.dpi) {
      runtimes.push_back(runtime("testbenches/engine/verilated_dpi_runtime.cc", "-O1"));
    }
    const std::vector<std::string> c_objects = compile_c(folder, compile);
    for (const Runtime& r : runtimes) {
      if (r.entry) continue;
      std::vector<std::string> flags = {
          "-std=c++20", "-march=native", "-fPIC",   "-fvisibility=hidden",
          "-w",         "-pthread",      r.optimise};
      if (!tools_.clang) flags.emplace_back("-fno-gnu-unique");
      flags.insert(flags.end(), request_.compile_options.begin(), request_.compile_options.end());
      compile(folder / r.source, r.object, flags);
    }
    const size_t needed = commands.size();
    const fs::path headers_here = folder / "testbenches/engine" / kHeaders;
    std::vector<const Headers*> making;
    for (const Headers* h : {&hot_headers, &cold_headers}) {
      if (!h->wanted) continue;
      making.push_back(h);
      std::vector<std::string> flags = h->flags;
      flags.insert(flags.end(), {"-x", "c++-header"});
      fs::create_directory(folder / h->name);
      fs::copy_file(headers_here, folder / h->name / kHeaders);
      compile(headers_here, fs::path(h->name) / kCompiledHeaders, std::move(flags));
    }
    const auto run = [&](const std::vector<Command>& all) {
      return run_programs(all, [&] { tell("compiler", compiler_begin, false); });
    };
    const auto need = [&](const Finished& f) {
      if (f.status != 0) failed("compiler", f.words, folder);
    };
    const std::vector<Finished> compiled = run(commands);
    std::for_each_n(compiled.begin(), needed, need);
    for (size_t i = 0; i < making.size(); ++i) {
      if (compiled[needed + i].status != 0) continue;  // the next one may have more luck
      cache_.keep(making[i]->name, making[i]->key, folder / making[i]->name,
                  {kHeaders, kCompiledHeaders});
    }

    std::vector<std::string> link = {"-shared",
                                     "-fPIC",
                                     "-pthread",
                                     "-Wl,-Bsymbolic",
                                     "-Wl,-z,now",
                                     "-o",
                                     (folder / "engine.so").string(),
                                     (folder / "hot.o").string(),
                                     (folder / "cold.o").string()};
    if (request_.traced) link.push_back((folder / "harness.o").string());
    for (const Runtime& r : runtimes) {
      link.push_back(((r.entry ? *r.entry : folder) / r.object).string());
    }
    write(folder / "version", "{ global: gw_engine; local: *; };\n");
    link.push_back("-Wl,--version-script=" + (folder / "version").string());
    link.insert(link.end(), c_objects.begin(), c_objects.end());
    if (request_.traced) link.emplace_back("-lz");
    link.insert(link.end(), files_.link_flags.begin(), files_.link_flags.end());
    link.insert(link.end(), request_.compile_options.begin(), request_.compile_options.end());
    // A sanitizer's functions are the program's; all others are to be here.
    const bool watched = std::ranges::any_of(
        request_.compile_options, [](const std::string& o) { return o.starts_with("-fsanitize"); });
    if (source.dpi && !watched) link.emplace_back("-Wl,-z,defs");
    const Finished linked = run({{tools_.compiler, link, folder.string()}}).front();
    if (linked.status != 0 && source.dpi) {
      throw sim::InputError(
          fmt::format("{} cannot be linked: what it imports (DPI) is in no C file of its list and "
                      "in no library of its -LDFLAGS:\n{}",
                      what_, linked.words));
    }
    need(linked);
    for (const Runtime& r : runtimes) {
      if (r.entry) continue;
      const Cache::Workplace aside(cache_);
      fs::rename(folder / r.object, aside.folder() / r.object);
      cache_.keep(r.name, r.key, aside.folder(), {r.object});
    }

    std::string files;
    if (!request_.netlist.empty()) {
      files = sim::bytes_of_file(folder / "read", "the list of what Yosys read");
    } else {
      for (const std::string& name : source.read) files += name + '\n';
    }
    for (const FileList::Item& item : files_.items) {
      if (is_file(item)) files += item.text + '\n';
    }
    for (const std::string& header : c_headers(folder, c_objects)) files += header + '\n';
    const std::string key = full_key(files);
    std::vector<std::string> kept = {"engine.so", "words"};
    if (request_.mutants.count != 0) kept.insert(kept.end(), {"mutants", "netlist.il"});
    const fs::path entry = cache_.keep(entry_name(key), key, folder, kept);
    cache_.keep_note(name_ + ".files", files);
    const double compiler_seconds = seconds_since(compiler_begin);
    tell("compiler", compiler_begin, true);
    return std::make_shared<Shared>(entry, RtlLibrary::Origin::kBuilt, yosys_seconds,
                                    verilator_seconds, compiler_seconds, paths_of(files),
                                    folders());
  }

  /// Adds what compiles the C of DPI, and returns its objects. C is compiled as C.
  template <class Compile>
  std::vector<std::string> compile_c(const fs::path& folder, const Compile& compile) const {
    std::vector<std::string> objects;
    if (!request_.netlist.empty()) return objects;
    for (const std::string& file : files_.all(FileList::Kind::kC)) {
      const std::string name = fmt::format("c{}", objects.size());
      const bool c = file.ends_with(".c");
      std::vector<std::string> flags = {
          c ? "-std=gnu11" : "-std=c++20",  "-fPIC", "-O2", "-w", "-pthread", "-MMD", "-MF",
          (folder / (name + ".d")).string()};
      if (c) flags.insert(flags.end(), {"-x", "c"});
      for (std::string flag : files_.c_flags) {
        if (flag.starts_with("-I") && flag.size() > 2) {
          flag = "-I" + (base_folder_ / flag.substr(2)).lexically_normal().string();
        }
        flags.push_back(flag);
      }
      for (const std::string& dir : files_.all(FileList::Kind::kIncludeFolder)) {
        flags.push_back("-I" + (base_folder_ / dir).lexically_normal().string());
      }
      flags.insert(flags.end(), request_.compile_options.begin(), request_.compile_options.end());
      compile(base_folder_ / file, name + ".o", flags);
      objects.push_back((folder / (name + ".o")).string());
    }
    return objects;
  }

  /// What the C files included that is neither the system's nor of this build.
  static std::set<std::string> c_headers(const fs::path& folder,
                                         const std::vector<std::string>& objects) {
    std::set<std::string> headers;
    for (const std::string& object : objects) {
      std::istringstream words(
          sim::bytes_of_file(fs::path(object).replace_extension(".d"), "the headers of C"));
      for (std::string word; words >> word;) {
        const bool here = word.starts_with(folder.string()) || !word.starts_with('/');
        if (!here && word != "\\" && !word.ends_with(':')) headers.insert(word);
      }
    }
    return headers;
  }

  static bool is_file(const FileList::Item& item) {
    return item.kind == FileList::Kind::kSource || item.kind == FileList::Kind::kLibraryFile ||
           item.kind == FileList::Kind::kC;
  }

  /// Known before minutes of synthesis: the RTL says where it wants block RAM.
  void refuse_block_ram() const {
    for (const FileList::Item& item : files_.items) {
      if (!is_file(item) || sim::bytes_if_readable(base_folder_ / item.text)
                                    .value_or("")
                                    .find("ram_style = \"block\"") == std::string::npos)
        continue;
      throw sim::InputError(
          fmt::format("{}: {} wants block RAM, of which Yosys has no simulation model; "
                      "`--netlist generic` runs it",
                      what_, item.text));
    }
  }

  /// What of a list Yosys gets; how Verilator reads it means nothing to Yosys.
  std::vector<std::string> yosys_words() const {
    using Kind = FileList::Kind;
    std::vector<std::string> words;
    for (const FileList::Item& item : files_.items) {
      switch (item.kind) {
        case Kind::kIncludeFolder:
          words.push_back("-I" + item.text);
          break;
        case Kind::kDefine:
          words.push_back("-D" + item.text);
          break;
        case Kind::kLibraryFolder:
          words.insert(words.end(), {"-y", item.text});
          break;
        case Kind::kSource:
        case Kind::kLibraryFile:
          if (!item.text.ends_with(".vlt")) words.push_back(item.text);
          break;
        default:
          break;
      }
    }
    return words;
  }

  /// Writes netlist.v into the folder, and models.f, the list of its cells' simulation models.
  void synthesise(const fs::path& folder, Clock::time_point begin) const {
    std::vector<std::string> words = {(folder / "netlist.sh").string(),
                                      "--top",
                                      request_.top,
                                      "--cells",
                                      request_.netlist == "xilinx" ? "xc7" : request_.netlist,
                                      "--verilog",
                                      (folder / "netlist.v").string(),
                                      "--models",
                                      (folder / "models.f").string(),
                                      "--read",
                                      (folder / "read").string()};
    for (const std::string& p : files_.parameters) {
      words.insert(words.end(), {"--set", without_string(p)});
    }
    if (const MutantBatch& m = request_.mutants; m.count != 0) {
      words.insert(words.end(),
                   {"--mutants", fmt::format("{}:{}", m.count, m.seed), "--wake",
                    fmt::format("{}:{}", m.first, m.last), "--list", (folder / "mutants").string(),
                    "--rtlil", (folder / "netlist.il").string()});
    }
    const std::vector<std::string> listed = yosys_words();
    words.insert(words.end(), listed.begin(), listed.end());
    words.insert(words.begin(), "YOSYS=" + tools_.yosys);
    words.insert(words.begin() + 1, "sh");
    const Finished finished =
        run_programs({{find_program("env"), words, base_folder_.string()}}, [&] {
          tell("Yosys", begin, false);
        }).front();
    if (finished.status != 0) failed("synthesis", finished.words, folder);
  }

  EngineSource verilate(const fs::path& folder, Clock::time_point begin) const {
    VerilateJob job;
    job.verilator = tools_.verilator;
    job.version = tools_.verilator_version;
    job.folder = base_folder_.string();
    job.out = folder / "rtl";
    job.name = "engine";
    job.top = request_.top;
    job.shape = request_.shape;
    job.parameters = files_.parameters;
    job.arguments = files_.verilator_words();
    job.traced = request_.traced;
    job.checked = checked();
    job.assertions = request_.assertions;
    job.coverage = request_.coverage;
    job.state = request_.state;
    job.own = request_.own;
    if (!request_.netlist.empty()) {
      job.netlist = tools_.yosys_version;
      job.folder = folder.string();
      job.arguments = {"netlist.v", "-f", "models.f"};
      job.own = false;
    }
    job.shortcuts = request_.shortcuts;
    fs::create_directories(job.out);
    return write_engine_source(
        job, [&](const std::string& program, const std::vector<std::string>& arguments,
                 const std::string& where, std::string& said) {
          Finished finished = run_programs({{program, arguments, where}}, [&] {
                                tell("Verilator", begin, false);
                              }).front();
          said = std::move(finished.words);
          if (finished.status != 0 && said.find("No space left") != std::string::npos) {
            failed("Verilator", said, folder);
          }
          return finished.status;
        });
  }

  const RtlRequest& request_;
  const LibraryOptions& options_;
  std::string what_;
  Tools tools_;
  Cache cache_;
  fs::path base_folder_;
  FileList files_;
  bool quick_ = false;
  std::string base_, name_;
};

}  // namespace

std::shared_ptr<RtlLibrary> linked_library(const RtlRequest& request) {
  const bool plain = request.own && request.netlist.empty() && request.defines.empty() &&
                     request.include_dirs.empty() && request.sources.empty() &&
                     request.compile_options.empty() && request.coverage.empty() &&
                     !request.state && request.assertions && request.shortcuts;
  const GwEngine* const linked =
      plain ? linked_engine(request.top, request.parameters, request.traced) : nullptr;
  return linked != nullptr ? std::make_shared<Shared>(linked) : nullptr;
}

std::shared_ptr<RtlLibrary> rtl_library(const RtlRequest& request, const LibraryOptions& options) {
  if (options.use_linked) {
    if (std::shared_ptr<RtlLibrary> linked = linked_library(request)) return linked;
  }
  return Builder(request, options).library();
}

}  // namespace gw::testbenches
