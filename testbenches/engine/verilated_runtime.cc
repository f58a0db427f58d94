// Verilator's runtime, compiled once, with the hooks that its manual offers: no RTL ends the
// process. One that it does not offer: what is opened to be read is looked for where the RTL is.
// SPDX-License-Identifier: Apache-2.0
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
// All that the runtime includes, too: its own calls of fopen are renamed below, not these.
#include <cerrno>
#include <fstream>
#include <iostream>

#include "testbenches/engine/engine_abi.h"
#include "testbenches/engine/verilated_failure.h"

namespace {
int engine_print(const char* format, ...);

std::FILE* engine_open(const char* name, const char* mode) {
  const GwFiles* const files =
      gw::testbenches::engine_texts != nullptr ? gw::testbenches::engine_texts->files : nullptr;
  if (files == nullptr || *mode != 'r') return std::fopen(name, mode);
  const char* const path = files->find(files->self, name);
  if (path != nullptr) return std::fopen(path, mode);
  errno = ENOENT;
  return nullptr;
}
}  // namespace

namespace std {
using ::engine_open;
}
#define fopen engine_open

#define VL_PRINTF engine_print
#define VL_USER_FATAL
#define VL_USER_FINISH
#define VL_USER_STOP
// clang-format off
#include <verilated.cpp>
#include <verilated_threads.cpp>
// clang-format on
#undef fopen

namespace gw::testbenches {
constinit thread_local EngineTexts* engine_texts = nullptr;
}

namespace {

using gw::testbenches::engine_texts;

/// What $display prints goes to stderr: stdout belongs to the program. The text of an error waits
/// for the $stop that Verilator lets follow it.
int engine_print(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char text[2048];
  const int size = std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (engine_texts == nullptr) return std::fputs(text, stdout);
  const std::string line(text);
  const size_t error = line.find("%Error: "), fatal = line.find("%Fatal: ");
  const size_t begin = error != std::string::npos ? error : fatal;
  if (begin == std::string::npos) {
    std::fputs(text, stderr);
  } else {
    engine_texts->held = line.substr(begin + 8, line.find_last_not_of('\n') + 1 - begin - 8);
  }
  return size;
}

void engine_failed(const char* file, int line, const char* what) {
  std::string text = engine_texts->held;
  if (text.empty()) {
    text = what;
    if (file != nullptr && *file != 0) {
      text = std::string(file) + ":" + std::to_string(line) + ": " + text;
    }
  }
  if (engine_texts->failure.empty()) engine_texts->failure = text;
  engine_texts->held.clear();
}

[[noreturn]] void without_engine(const char* file, int line, const char* what) {
  std::fprintf(stderr, "%s:%d: %s\n", file, line, what);
  std::abort();
}

}  // namespace

void vl_finish(const char* file, int line, const char*) {
  if (engine_texts == nullptr) without_engine(file, line, "$finish");
  engine_failed(file, line, "$finish");
  Verilated::threadContextp()->gotFinish(true);
}

void vl_stop(const char* file, int line, const char*) {
  if (engine_texts == nullptr) without_engine(file, line, "$stop");
  engine_failed(file, line, "$stop");
}

void vl_fatal(const char* file, int line, const char*, const char* message) {
  if (engine_texts == nullptr) without_engine(file, line, message);
  const std::string text(message);
  const bool loop = text.find("did not converge") != std::string::npos;
  engine_failed(file, line, (loop ? "a combinational loop finds no value: " + text : text).c_str());
  throw gw::testbenches::EngineStopped();
}
