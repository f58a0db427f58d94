// RTL to the C++ text of an engine: Verilator is run, the top's ports are compared with those that
// the harness will drive, and a translation unit is written that makes a GwEngine of it
// (verilated_engine.h). Used by the build for what is linked, by library.h for what is not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/harness/port.h"

namespace gw::testbenches {

/// Kinds of coverage that an engine can be built with; line is also branches.
inline constexpr const char* kCoverageKinds[] = {"line", "toggle", "user"};

/// Whether Verilator counts any of these: toggles are looked for in its state.
bool has_counters(const std::vector<std::string>& kinds);

/// The ports that a top shall have, beside aclk and aresetn.
struct EngineShape {
  int beat_bits = 256;
  std::vector<sim::Port> inputs, outputs;
  std::vector<sim::ControlPort> controls = {};  ///< their awprot and arprot may be there, or not
  std::vector<sim::Pin> pins;                   ///< inputs that are values; `bits` 0: of any width
  std::vector<sim::Pin> probes;  ///< outputs compared in each cycle, and stat_o; `bits` 0: any
  bool any_pins = false;         ///< pins and probes are whatever the top has
};

/// A port of a verilated top. `bits` 0: neither a scalar nor a vector.
struct TopPort {
  std::string name;
  bool input = true;
  int bits = 1;
};

/// From the class's header, as Verilator wrote it.
std::vector<TopPort> top_ports(std::string_view header);

/// All that is missing, left over or of another width, in one sentence; "": nothing.
std::string port_differences(const std::string& top, const EngineShape& shape,
                             const std::vector<TopPort>& ports);

/// A signal in the state of a verilated top.
struct StateSignal {
  std::string member;  ///< of the struct
  std::string name;    ///< in the RTL, with the top and the instances, points between them
  int msb = 0, lsb = 0;
};

/// From the state's header, as Verilator wrote it with all modules in one struct; without what is
/// the simulator's own (copies, triggers, variables of loops and functions), clock and reset.
std::vector<StateSignal> state_signals(std::string_view header, const std::string& top);

/// A signal that the RTL declares, with the bits of all its elements.
struct DeclaredSignal {
  std::string name;
  uint32_t bits = 1;
};

/// From Verilator's XML: the top's ports, and what modules declare beside their ports, in all
/// instances; without parameters, and variables of functions and procedures.
std::vector<DeclaredSignal> declared_signals(std::string_view xml, const std::string& top);

/// Generated code without the clearing of variables that a call fills at once: with hundreds of
/// calls a cycle that costs time. Tried with the Verilator versions that `lean_is_tried` names.
std::string lean_source(std::string_view code);
bool lean_is_tried(std::string_view verilator_version);

/// Whether the falling edge of aclk means nothing to this generated code.
bool falls_quietly(std::string_view code);

/// What a rising edge of aclk does, as statements on `root`: Verilator's loops over what may have
/// been triggered left out, because the clock alone can be; what concurrent assertions look at is
/// taken before it. Empty: there is more to it. Of the class's header and all code that runs in a
/// cycle.
std::string edge_statements(std::string_view header, std::string_view code,
                            const std::string& root_class);

struct VerilateJob {
  std::string verilator = "verilator";  ///< the program
  std::string version;                  ///< its words after --version
  std::string folder = ".";             ///< where it runs: sources are relative to it
  std::filesystem::path out;            ///< an existing folder for all that is written
  std::string name;                     ///< of the class and the files
  std::string entry = "gw_engine";      ///< the function that returns the engine
  std::string top;
  EngineShape shape;
  std::vector<std::string> parameters;  ///< Name=value
  std::vector<std::string> arguments;   ///< sources, +incdir+, +define+, -f ...
  bool traced = false;
  /// Assertions are checked, and what nothing sets starts by seed and name; false: no assertions,
  /// such variables are 0.
  bool checked = true;
  bool assertions = true;             ///< false: without them, although it is checked
  std::vector<std::string> coverage;  ///< line, toggle, user
  bool state = false;
  std::string netlist;    ///< not RTL but what this version of Yosys made of it with `parameters`
  bool own = false;       ///< the project's RTL: its generated text may be edited
  bool shortcuts = true;  ///< edit it, and leave out what does nothing at a clock's edges
};

/// Verilator's options for it.
std::vector<std::string> verilator_mode(bool traced, bool checked, bool assertions);

struct EngineSource {
  std::filesystem::path hot;      ///< the translation unit with everything that runs each cycle
  std::filesystem::path cold;     ///< the one with what runs once
  std::filesystem::path harness;  ///< if traced: the harness's own signals
  std::vector<std::string> read;  ///< files that Verilator read, as it names them
  std::string words;              ///< what it said about the RTL: warnings
  bool dpi = false;               ///< the RTL imports C, or exports to it
};

/// The parts of a verilated class in a folder as one translation unit; returns in how many parts
/// text was left out (`lean`).
int write_one_unit(const std::filesystem::path& folder, const std::string& prefix,
                   const std::filesystem::path& unit, bool lean);

/// Runs a program with a list of arguments and waits; the words it says end up in `words`.
using RunProgram =
    std::function<int(const std::string& program, const std::vector<std::string>& arguments,
                      const std::string& folder, std::string& words)>;

/// Throws InputError with Verilator's words, or with what is wrong about the ports.
EngineSource write_engine_source(const VerilateJob& job, const RunProgram& run);

}  // namespace gw::testbenches
