// The RTL that a run asks for: linked into the program if it is just that, else built on demand, or
// the user's own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/coverage/points.h"
#include "sim/run/device.h"
#include "sim/run/sv_bench.h"
#include "testbenches/engine/engine_abi.h"
#include "testbenches/library/file_list.h"
#include "testbenches/library/library.h"

namespace gw::testbenches {

/// Finds what RTL opens by a name, and notes it.
class RtlReader {
 public:
  /// `notes` may be null.
  RtlReader(std::string list, std::vector<std::filesystem::path> folders,
            std::map<std::string, std::string> packed, sim::RtlNotes* notes);
  RtlReader(const RtlReader&) = delete;
  RtlReader& operator=(const RtlReader&) = delete;
  const GwFiles* files() const { return &files_; }
  /// In the folders in their order, then among what is packed, then as it stands, which is in the
  /// current folder; what is packed counts first for a name that begins at the root. Empty:
  /// nowhere.
  const std::string& find(const std::string& name);

 private:
  const std::string list_;
  const std::vector<std::filesystem::path> folders_;
  const std::map<std::string, std::string> packed_;
  sim::RtlNotes* const notes_;
  std::map<std::string, std::string> known_;
  const GwFiles files_;
};

/// Keeps what it came from loaded.
class CompiledRtl {
 public:
  explicit CompiledRtl(std::shared_ptr<const GwEngine> api) : api_(std::move(api)) {}
  CompiledRtl(std::shared_ptr<const RtlLibrary> library, bool settles, uint64_t period_ps,
              std::shared_ptr<const RtlReader> reader)
      : api_(library, library->engine()),
        library_(std::move(library)),
        settles_(settles),
        period_ps_(period_ps),
        reader_(std::move(reader)) {}
  const GwEngine& api() const { return *api_; }
  /// For GwEngine::make; null: RTL that reads none.
  const GwFiles* files() const { return reader_ != nullptr ? reader_->files() : nullptr; }
  /// What it was built as; null if it was not by this program's library.
  const RtlLibrary* library() const { return library_.get(); }
  /// Its outputs may depend on inputs of the same cycle. Those of the project's are registers.
  bool settles() const { return settles_; }
  /// How long a cycle is.
  uint64_t period_ps() const { return period_ps_; }

 private:
  std::shared_ptr<const GwEngine> api_;
  std::shared_ptr<const RtlLibrary> library_;
  bool settles_ = false;
  uint64_t period_ps_ = 10'000;
  std::shared_ptr<const RtlReader> reader_;
};

/// Words of RTL as reports and buckets have them: one line of valid UTF-8.
std::string said(const char* words);

/// What an engine has counted, if it was built to.
void counted(const GwEngine& api, void* self, sim::coverage::Points& points);

/// The faults that a spec's MutantSpec chooses from, as they were built with the RTL.
sim::MutantList mutant_list(const CompiledRtl& compiled);

/// What the user's RTL is made of. Throws InputError.
FileList files_of(const sim::UserRtl& rtl);

/// What a run's RTL is made of, for other simulators. Throws UserError.
sim::RtlSources rtl_sources(const sim::Device::Facts& facts,
                            const std::vector<std::pair<std::string, std::string>>& parameters,
                            const sim::RunSpec& spec);

/// Throws UserError.
CompiledRtl compile_rtl(const sim::Device::Facts& facts,
                        const std::vector<std::pair<std::string, std::string>>& parameters,
                        const sim::RunSpec& spec, bool traced);

}  // namespace gw::testbenches
