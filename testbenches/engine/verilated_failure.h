// Where the words go that RTL says before it stops: to the engine whose edge it was.
#pragma once

#include <string>

namespace gw::testbenches {

struct EngineTexts {
  std::string held;     ///< the latest message of $error, $fatal or an assertion
  std::string failure;  ///< the first that stopped the RTL
};

/// The engine that evaluates in this thread; null: none, the simulator's words end the process.
extern constinit thread_local EngineTexts* engine_texts;

/// Thrown through the verilated code where it cannot go on: a loop that does not settle, say.
struct EngineStopped {};

}  // namespace gw::testbenches
