// What a verilated top counts and holds, for engines that were built to show it
// (GW_ENGINE_COVERAGE, GW_ENGINE_STATE). Included by verilated_engine.h; no other engine knows of
// it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbenches/engine/engine_abi.h"

#ifdef GW_ENGINE_COVERAGE
#include <sys/mman.h>
#include <unistd.h>
#include <verilated_cov.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>
#endif
#ifdef GW_ENGINE_STATE
#include <verilated_syms.h>

#include <algorithm>
#include <list>
#include <string>
#include <vector>
#endif

namespace gw::testbenches {
namespace {

#ifdef GW_ENGINE_COVERAGE
/// Verilator hands its counters out in one way, as a file in the format of verilator_coverage: a
/// line a point, pairs of key and value, then the count. It is written into memory.
class EngineCoverage {
 public:
  const GwCoverPoint* read(VerilatedContext& context, uint32_t* points) {
    *points = 0;
    const int file = ::memfd_create("coverage", 0);
    if (file < 0) return nullptr;
    const std::string path = "/proc/self/fd/" + std::to_string(file);
    context.coveragep()->forcePerInstance(true);
    context.coveragep()->write(path.c_str());
    texts_.clear();
    counts_.clear();
    std::ifstream lines(path);
    for (std::string line; std::getline(lines, line);) {
      const size_t end = line.rfind("' ");
      if (!line.starts_with("C '") || end == std::string::npos) continue;
      counts_.push_back(std::strtoull(line.c_str() + end + 2, nullptr, 10));
      Texts& texts = texts_.emplace_back();
      // \1 key \2 value
      for (size_t at = line.find('\1'); at != std::string::npos && at < end;) {
        const size_t next = std::min(line.find('\1', at + 1), end), middle = line.find('\2', at);
        if (middle < next) {
          texts.keep(std::string_view(line).substr(at + 1, middle - at - 1),
                     line.substr(middle + 1, next - middle - 1));
        }
        at = next;
      }
    }
    ::close(file);
    shown_.clear();
    for (size_t i = 0; i < texts_.size(); ++i) {
      const Texts& t = texts_[i];
      shown_.push_back({t.kind.c_str(), t.scope.c_str(), t.file.c_str(), t.line, t.column,
                        t.text.c_str(), counts_[i]});
    }
    *points = static_cast<uint32_t>(shown_.size());
    return shown_.data();
  }

 private:
  struct Texts {
    std::string kind, scope, file, text;
    uint32_t line = 0, column = 0;

    void keep(std::string_view key, std::string value) {
      if (key == "f") file = std::move(value);
      if (key == "h") scope = std::move(value);
      if (key == "o") text = std::move(value);
      if (key == "l") line = static_cast<uint32_t>(std::atoi(value.c_str()));
      if (key == "n") column = static_cast<uint32_t>(std::atoi(value.c_str()));
      if (key == "page") {  // v_line/gw_fifo
        kind = value.substr(0, value.find('/'));
        if (kind.starts_with("v_")) kind.erase(0, 2);
      }
    }
  };
  std::vector<Texts> texts_;
  std::vector<uint64_t> counts_;
  std::vector<GwCoverPoint> shown_;
};
#endif

#ifdef GW_ENGINE_STATE
/// What `--public-flat-rw` puts into the scopes of a context (cmake/VerilatorInternals.cmake).
class EngineState {
 public:
  const GwVariable* read(VerilatedContext& context, uint32_t* variables) {
    if (shown_.empty()) {
      for (const auto& [path, scope] : *context.scopeNameMap()) {
        // Behind the instance's name: TOP, which has the ports once more, or the top.
        const std::string within = std::string(path).substr(std::string_view(path).find('.') + 1);
        if (within == "TOP" || scope->varsp() == nullptr) continue;
        for (const auto& [variable, facts] : *scope->varsp()) {
          add(within + '.' + variable, facts);
        }
      }
      std::ranges::sort(shown_, {}, [](const GwVariable& v) { return std::string_view(v.name); });
    }
    *variables = static_cast<uint32_t>(shown_.size());
    return shown_.data();
  }

 private:
  void add(std::string name, const VerilatedVar& facts) {
    const VerilatedVarType type = facts.vltype();
    const bool plain = type == VLVT_UINT8 || type == VLVT_UINT16 || type == VLVT_UINT32 ||
                       type == VLVT_UINT64 || type == VLVT_WDATA;
    if (facts.isParam() || !plain) return;
    uint32_t elements = 1;
    for (int dim = 1; dim <= facts.udims(); ++dim) {
      elements *= static_cast<uint32_t>(facts.elements(dim));
    }
    shown_.push_back({names_.emplace_back(std::move(name)).c_str(),
                      static_cast<uint32_t>(facts.elements(0)), elements,
                      static_cast<uint32_t>(facts.entSize()), facts.datap()});
  }

  std::list<std::string> names_;
  std::vector<GwVariable> shown_;
};
#endif

}  // namespace
}  // namespace gw::testbenches
