// What Verilator's runtime needs of the engine whose edge it is: where the words go that RTL says
// before it stops, and where the files are that it reads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

struct GwFiles;

namespace gw::testbenches {

struct EngineTexts {
  const GwFiles* files = nullptr;  ///< where it finds what it reads; null: names are paths
  std::string held;                ///< the latest message of $error, $fatal or an assertion
  std::string failure;             ///< the first that stopped the RTL
};

/// The engine that evaluates in this thread; null: none, the simulator's words end the process.
extern constinit thread_local EngineTexts* engine_texts;

/// Thrown through the verilated code where it cannot go on: a loop that does not settle, say.
struct EngineStopped {};

}  // namespace gw::testbenches
