// RTL that is built when it is asked for: a file list and parameters go through Verilator and the
// compiler into a shared object, which is kept in the user's cache.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "testbenches/engine/engine_abi.h"
#include "testbenches/library/engine_source.h"
#include "testbenches/library/file_list.h"

namespace gw::testbenches {

/// Of `count` faults that Yosys draws by `seed`, those from `first` to `last`, counted from 1; the
/// pin kMutantPin wakes one of them by its number, 0 none.
struct MutantBatch {
  uint32_t count = 0, first = 1, last = 0;
  uint64_t seed = 1;
};
inline constexpr const char* kMutantPin = "gw_mutant_i";

/// One configuration of one top.
struct RtlRequest {
  std::string top;
  std::filesystem::path list;     ///< file list; may be empty if `sources` are given
  std::optional<FileList> files;  ///< a list that has been read, in the place of `list`
  /// Paths in the list are relative to it; empty: the list's own folder. Verilator runs there.
  std::filesystem::path base;
  std::vector<std::filesystem::path> sources;       ///< beside the list (a netlist)
  std::vector<std::filesystem::path> include_dirs;  ///< searched behind the list's
  std::vector<std::string> defines;                 ///< NAME or NAME=value
  std::vector<std::string> parameters;              ///< Name=value
  EngineShape shape;
  bool traced = false;
  /// Assertions are checked: of the project's own RTL where it is traced, of a user's always.
  bool assertions = true;
  /// What Yosys makes of it is built instead (tools/synth/netlist.sh): `generic`, gates, flip-flops
  /// and memories; `xilinx`, a Virtex-7's cells, as Yosys itself models them; `words`, operators
  /// and registers as the RTL has them. Empty: the RTL.
  std::string netlist;
  /// Of a netlist of `words`, the RTL as Yosys reads it: faults that are built in.
  MutantBatch mutants = {};
  /// Points to count, of kCoverageKinds, for GwEngine::coverage; and whether GwEngine::state shows
  /// the RTL's variables. Either costs speed.
  std::vector<std::string> coverage;
  bool state = false;
  /// The project's own RTL as it stands in its tree, whose root is `base`: what is linked serves
  /// too, rtl/common is searched, and the generated text may be edited.
  bool own = false;
  bool shortcuts = true;  ///< false: Verilator's text and documented calls alone, to compare with
  bool quick = false;     ///< what has to be built is compiled to be there soon, not for speed
  bool warnings = false;  ///< what Verilator has to say is told (LibraryOptions::said)
  std::vector<std::string> compile_options;  ///< further ones (sanitizers)
};

struct BuildProgress {
  std::string what;  ///< gw_optimizer Pes=64
  std::string step;  ///< Yosys, Verilator, compiler, or waiting for another gradwire
  double seconds = 0;
  bool done = false;
};

struct LibraryOptions {
  std::filesystem::path cache = {};  ///< empty: default_cache()
  std::function<void(const BuildProgress&)> progress = {};
  std::function<void(const std::string&)> said = {};  ///< gets lines about the RTL
  std::string verilator = "verilator";
  std::string yosys = "yosys";  ///< for netlists
  std::string compiler = {};    ///< empty: the one that gradwire was built with, else c++
  bool use_linked = true;       ///< what is linked into the program needs no building
};

/// An engine, and the code that it is made of: keep it as long as any instance lives.
class RtlLibrary {
 public:
  enum class Origin { kLinked, kCached, kBuilt };

  virtual ~RtlLibrary() = default;
  const GwEngine* engine() const { return engine_; }
  Origin origin() const { return origin_; }
  /// Verilator's warnings about this RTL.
  const std::string& words() const { return words_; }
  /// What it was made of: all that Verilator or Yosys read. Empty: linked.
  const std::vector<std::filesystem::path>& sources() const { return sources_; }
  /// Where files are looked for that it opens: the list's folder, those of its sources, those that
  /// are searched for includes.
  const std::vector<std::filesystem::path>& folders() const { return folders_; }
  /// All faults that the request's were chosen from, a line each as Yosys writes it; and the
  /// netlist without them, for Yosys to read.
  const std::string& mutants() const { return mutants_; }
  const std::filesystem::path& rtlil() const { return rtlil_; }
  double yosys_seconds() const { return yosys_seconds_; }
  double verilator_seconds() const { return verilator_seconds_; }
  double compiler_seconds() const { return compiler_seconds_; }

 protected:
  const GwEngine* engine_ = nullptr;
  Origin origin_ = Origin::kLinked;
  std::string words_, mutants_;
  std::vector<std::filesystem::path> sources_, folders_;
  std::filesystem::path rtlil_;
  double yosys_seconds_ = 0, verilator_seconds_ = 0, compiler_seconds_ = 0;
};

/// What is linked into the program, if that serves the request, which then needs no files; or null.
std::shared_ptr<RtlLibrary> linked_library(const RtlRequest& request);

/// Throws InputError: RTL that Verilator or Yosys refuses (with its words), ports that are not the
/// device's, a cache that cannot be used, no Verilator, compiler or Yosys.
std::shared_ptr<RtlLibrary> rtl_library(const RtlRequest& request, const LibraryOptions& options);

}  // namespace gw::testbenches
