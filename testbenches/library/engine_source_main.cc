// gw_engine_source: the build's way to an engine's C++ text (cmake/GradwireEngine.cmake), and to
// one translation unit of a verilated class without an engine (cmake/GradwireVerilate.cmake).
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <list>

#include "sim/base/error.h"
#include "testbenches/library/engine_source.h"
#include "testbenches/library/process.h"

namespace {

using gw::sim::Port;

/// `bundle[:slots[:bits of tuser]]`
void add_ports(const std::string& text, std::vector<Port>& ports) {
  static std::list<std::string> names;  // a Port only points at them
  const size_t colon = text.find(':');
  const std::string& bundle = names.emplace_back(text.substr(0, colon));
  int slots = 1, user_bits = 1;
  if (colon != std::string::npos) std::sscanf(text.c_str() + colon, ":%d:%d", &slots, &user_bits);
  for (int slot = 0; slot < slots; ++slot) {
    const std::string& name =
        names.emplace_back(slots == 1 ? bundle : fmt::format("{}{}", bundle, slot));
    ports.push_back({name, bundle, slot, slots, user_bits, false});
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace gw::testbenches;
  VerilateJob job;
  job.shape.any_pins = true;
  job.own = true;
  job.checked = false;
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 5 && words[0] == "--one-unit") {
    const int edited = write_one_unit(words[1], words[2], words[3], words[4] == "lean");
    if (edited > 0) {
      fmt::print("-- {}: stores trimmed from Verilator's code (cmake/VerilatorInternals.cmake)\n",
                 words[2]);
    }
    return 0;
  }
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--traced") {
      job.traced = job.checked = true;
      continue;
    }
    if (word == "--") {
      job.arguments.assign(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
      break;
    }
    if (i + 1 == words.size()) {
      fmt::print(stderr, "gw_engine_source: {} wants a value\n", word);
      return 2;
    }
    const std::string& value = words[++i];
    if (word == "--verilator") job.verilator = value;
    if (word == "--version") job.version = "Verilator " + value;
    if (word == "--folder") job.folder = value;
    if (word == "--output") job.out = value;
    if (word == "--name") job.name = value;
    if (word == "--top") job.top = value;
    if (word == "--beat-bits") job.shape.beat_bits = std::atoi(value.c_str());
    if (word == "--in") add_ports(value, job.shape.inputs);
    if (word == "--out") add_ports(value, job.shape.outputs);
    if (word == "--parameter") job.parameters.push_back(value);
  }
  job.entry = "gw_engine_" + job.name;
  try {
    std::filesystem::remove_all(job.out);
    std::filesystem::create_directories(job.out);
    write_engine_source(job, [](const std::string& program, const std::vector<std::string>& args,
                                const std::string& folder, std::string& said) {
      Finished finished = run_programs({{program, args, folder}}).front();
      said = std::move(finished.words);
      return finished.status;
    });
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
