// Seconds to the first cycle of RTL that is built on demand, and its speed beside that of the
// linked engine: engine_bench [codec|optimizer]
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <time.h>

#include <chrono>
#include <filesystem>

#include "sim/base/error.h"
#include "testbenches/library/library.h"
#include "tests/engine/requests.h"
#include "tests/engine/support.h"

namespace gw::testbenches {
namespace {

double cpu_seconds() {
  timespec now = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// M cycles a second of CPU time, the input offered whenever it is taken.
double speed(OneStream& rtl, const std::vector<Beat>& input, uint64_t cycles, uint64_t* seen) {
  size_t next = 0;
  const double begin = cpu_seconds();
  for (uint64_t cycle = 0; cycle < cycles; ++cycle) {
    const bool taken = rtl.s_ready();
    *seen += rtl.m_beat() != nullptr;
    rtl.clock(&input[next], true);
    if (taken && ++next == input.size()) next = 0;
  }
  return static_cast<double>(cycles) * 1e-6 / (cpu_seconds() - begin);
}

/// The best of several, in turns: another program on the machine slows either.
void compare_speed(const char* name, const GwEngine* linked, const GwEngine* built,
                   const std::vector<Beat>& input, uint64_t cycles) {
  double best_linked = 0, best_built = 0;
  uint64_t seen_linked = 0, seen_built = 0;
  for (int turn = 0; turn < 15; ++turn) {
    OneStream a(linked), b(built);
    for (OneStream* each : {&a, &b}) {
      each->set("bound_i", 10);
      each->set("bounded_i", 1);
      each->start();
    }
    best_linked = std::max(best_linked, speed(a, input, cycles, &seen_linked));
    best_built = std::max(best_built, speed(b, input, cycles, &seen_built));
  }
  fmt::print("{}: linked {:.2f} M cycles/s, on demand {:.2f}, ratio {:.2f}{}\n", name, best_linked,
             best_built, best_built / best_linked,
             seen_linked == seen_built ? "" : " NOT THE SAME");
}

std::shared_ptr<RtlLibrary> built(const RtlRequest& request, const LibraryOptions& options,
                                  const char* name) {
  const auto begin = std::chrono::steady_clock::now();
  auto library = rtl_library(request, options);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  fmt::print("{}: first cycle after {:.2f} s (Verilator {:.1f} s, compiler {:.1f} s)\n", name,
             seconds.count(), library->verilator_seconds(), library->compiler_seconds());
  std::fflush(stdout);
  return library;
}

/// The same sources as RTL of one's own: started by seed and name, without and with assertions.
void compare_checked(const std::string& name, const RtlRequest& own, const LibraryOptions& options,
                     const std::vector<Beat>& input, uint64_t cycles) {
  RtlRequest request = own;
  request.own = false;
  request.include_dirs = {own.base / "rtl/common"};
  for (const bool assertions : {false, true}) {
    request.assertions = assertions;
    const std::string text = name + (assertions ? ", with assertions" : ", without them");
    compare_speed(text.c_str(), rtl_library(own, options)->engine(),
                  built(request, options, text.c_str())->engine(), input, cycles);
  }
}

int bench(const std::string& what) {
  const std::filesystem::path folder = std::filesystem::path(GW_TEST_FOLDER) / "bench";
  std::filesystem::remove_all(folder);
  LibraryOptions options{.cache = folder, .use_linked = false};
  LibraryOptions linked{.cache = folder};
  if (what != "optimizer") {
    const RtlRequest request = own_request("compressor");
    auto fresh = built(request, options, "compressor, empty cache");
    built(request, options, "compressor, from the cache");
    compare_speed("compressor", rtl_library(request, linked)->engine(), fresh->engine(),
                  random_gradients(100'000, 3), 500'000);
    compare_checked("compressor", request, linked, random_gradients(100'000, 3), 500'000);
  }
  if (what != "codec") {
    RtlRequest request = own_request("optimizer");
    auto fresh = built(request, options, "optimizer sgd 32 PEs, empty cache");
    compare_speed("optimizer sgd 32 PEs", rtl_library(request, linked)->engine(), fresh->engine(),
                  update_frames(1024), 100'000);
    compare_checked("optimizer sgd 32 PEs", request, linked, update_frames(1024), 100'000);
    request.parameters = {"Algorithm=2", "Pes=32"};
    auto adam = built(request, options, "optimizer adam 32 PEs, empty cache");
    built(request, options, "optimizer adam 32 PEs, from the cache");
    OneStream rtl(adam->engine());
    rtl.start();
    uint64_t seen = 0;
    fmt::print("optimizer adam 32 PEs: {:.2f} M cycles/s\n",
               speed(rtl, update_frames(1024), 100'000, &seen));
  }
  return 0;
}

}  // namespace
}  // namespace gw::testbenches

int main(int argc, char** argv) {
  try {
    return gw::testbenches::bench(argc > 1 ? argv[1] : "");
  } catch (const gw::sim::UserError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return error.code();
  }
}
