// A device: a block that users simulate by name, with up to three opinions (rtl, model, reference).
// Its folder in testbenches/ says what only it knows; ARCHITECTURE.md holds the recipe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/error.h"
#include "sim/base/options.h"
#include "sim/coverage/points.h"
#include "sim/feeds/packet_writer.h"
#include "sim/feeds/random_table.h"
#include "sim/feeds/source.h"
#include "sim/feeds/stimulus_spec.h"
#include "sim/harness/checks.h"
#include "sim/harness/failure.h"
#include "sim/harness/port.h"
#include "sim/harness/stall.h"
#include "sim/harness/timeline.h"
#include "sim/report/present.h"

namespace gw::sim {

class Kernel;

struct WaveSpec {
  std::string path;  ///< ends in .fst or .vcd
  int64_t from = 0;  ///< first cycle, counted from the end of reset
  int64_t to = INT64_MAX;
};

/// How long a cycle is.
inline uint64_t period_ps(double clock_mhz) { return static_cast<uint64_t>(1e6 / clock_mhz + 0.5); }

/// RTL that is not the project's own.
struct UserRtl {
  std::string file_list;  ///< or one source file; empty: the project's
  std::string top;
  /// Given beside the list, and over what it says: macros (NAME or NAME=VALUE), parameters of the
  /// top (NAME=VALUE), folders of headers.
  std::vector<std::string> defines = {}, parameters = {}, include_dirs = {};
  bool warnings = false;  ///< what Verilator has to say of it is shown
  /// As a report calls it; `own`: the top of the project's.
  std::string name(const std::string& own) const;
};

/// Faults that Yosys plants in a netlist, a bit of a cell's port each: many in one build, at most
/// one of them awake.
struct MutantSpec {
  uint32_t count = 0;   ///< drawn from all that there are; 0: the RTL runs as it is
  uint64_t seed = 1;    ///< of that draw
  uint32_t number = 0;  ///< the one that is awake, from 1; 0: none
};

struct Mutant {
  std::string words;  ///< Yosys' command
  std::string where;  ///< file:line
  std::string mode;   ///< inv, const0, const1; cnot0, cnot1: inverted if another bit is 0, 1
  std::string cell;   ///< in the flat netlist
  std::string port;   ///< A[3]
};
struct MutantList {
  std::vector<Mutant> mutants;
  std::string netlist;  ///< a file for Yosys: the RTL without any of them
};

/// A file that a run's RTL is made of, or that it opened to read while it ran.
struct RtlFile {
  std::string list;  ///< of its RTL: UserRtl::file_list
  std::string name;  ///< as the RTL calls it; empty: a source
  std::string path;  ///< empty: there is none
};
struct RtlNotes {
  std::vector<RtlFile> files;
  /// What nothing sets starts as the simulator draws it, with waves in another way than without.
  bool drawn = false;
};

/// What is counted of a run.
struct CoverageSpec {
  bool functional = false;  ///< cross points of the streams, by the harness
  bool line = false;        ///< lines and branches of the RTL ...
  bool user = false;        ///< its GW_COVER, by the simulator ...
  bool toggle = false;      ///< bits that rose and fell, in a build of its own

  /// "functional,line". Throws UsageError for another word.
  static CoverageSpec parse(const std::string& words);
  bool rtl() const { return line || user || toggle; }
  bool any() const { return functional || rtl(); }
};

/// Which engines to run, and how.
struct RunSpec {
  bool rtl = true;
  bool model = true;
  Checks checks = {};
  StallSpec stall;
  uint64_t seed = 1;
  double clock_mhz = 100;
  std::vector<double> line_rates = {};  ///< Gb/s, to hold the run against; empty: the device's line
  bool saturated = false;  ///< wires take and give at once: the device alone says how fast it goes
  bool skip_idle = true;
  /// The run begins with a reset that meets so many cycles of its own packets; 0: it begins with
  /// the first one.
  uint64_t reset_after = 0;
  bool keep_rows = false;  ///< the timeline keeps every packet's row
  std::optional<WaveSpec> wave;
  CoverageSpec coverage;
  std::string sv_bench;  ///< folder of a test bench that the run becomes; empty: none
  UserRtl user_rtl;
  /// Other RTL in the model's place: two RTLs in lockstep with each other.
  std::optional<UserRtl> against;
  /// What synthesis makes of the RTL runs in its place, of these cells: generic or xilinx; empty:
  /// the RTL itself.
  std::string netlist;
  /// RTL of one's own stops at assertions that fail (SVA, GW_ASSERT); the project's does where it
  /// is traced.
  bool assertions = true;
  MutantSpec mutant = {};    ///< with none of netlist and coverage of the RTL
  std::string cache;         ///< folder of RTL built on demand; empty: the user's
  bool quick_build = false;  ///< compiles it to be there soon, not for speed
  OptionSet options;         ///< the device's own
  StimulusSpec stimulus;
  /// Gets what passes between the engines of a chain (Device::wire_writer); may be null.
  PacketWriter* wire_writer = nullptr;
  /// Files that RTL finds by these names wherever it lies: a capsule's.
  std::map<std::string, std::string> packed = {};
  /// Gets what there is to know of RTL of one's own; may be null.
  RtlNotes* rtl_notes = nullptr;
  /// Gets the stalls of the run, and when packets were accepted; may be null.
  Recording* recording = nullptr;
  /// MHz that make cycles of what a wire takes.
  double wire_mhz() const { return saturated ? 0 : clock_mhz; }
  /// Gets a line now and then about what is being done; may be empty.
  std::function<void(const std::string&)> note;
  /// Gets cycles, packets that have left, and packets that will go in (0: unknown) while the run
  /// goes on; may be empty.
  std::function<void(uint64_t cycles, uint64_t packets, uint64_t expected)> progress;
};

/// What a run left behind.
struct Outcome {
  bool passed = false;
  bool interrupted = false;
  double wall_seconds = 0;   ///< of the loop, feed and oracle
  double build_seconds = 0;  ///< until the RTL was there
  Timeline timeline{0, 0};
  Failure failure;
  std::string wave_error;            ///< why the waveform is not whole; the run itself went on
  std::vector<uint32_t> statistics;  ///< the device's counters in the end
  std::vector<std::optional<uint32_t>> expected_statistics;  ///< those that the reference knows
  /// The device's own, of the report. `verdicts`, if there are any, say whether the run passed:
  /// [{"name" (of the bucket), "held", "words" (of what is wrong where it is not)}].
  nlohmann::json sections = nlohmann::json::object();
  coverage::Points points;  ///< what was reached, as far as RunSpec asks for it
};

/// One measurement of simulation speed: cycles and the seconds they took.
struct Speed {
  uint64_t cycles = 0;
  double seconds = 0;
  double mcps() const { return seconds > 0 ? static_cast<double>(cycles) / seconds * 1e-6 : 0; }
};

enum class BenchSubject : uint8_t { kRtl, kModel, kLockstep, kNetlist };

/// How often a benchmark passes its packets through a device, ready for it.
class Bench {
 public:
  virtual ~Bench() = default;
  /// Passes them through the subject once, checked; times only that.
  virtual Speed pass(BenchSubject subject) = 0;
  /// Beats and bytes where the device counts its bursts.
  struct Amount {
    uint64_t beats = 0, bytes = 0;
  };
  virtual Amount bursts() const = 0;
};

/// How line_rate_percent is counted.
enum class LineRate : uint8_t {
  kThroughput,  ///< bytes of uncompressed values, and nothing else
  kWire,        ///< what one stream delivers, with all that it takes of the line
  kPorts,       ///< the same, port by port, each against its own wire
};

/// Where a codec's compressed bytes are: what the wire between two of them carries.
enum class WireSide : uint8_t {
  kNone,    ///< nothing is compressed
  kInput,   ///< a decompressor's
  kOutput,  ///< a compressor's
  kInside,  ///< between the two: Device::Facts::inside_bytes
};

class Device {
 public:
  struct Facts {
    std::string name = {};
    std::string family = {};  ///< with others of its kind: plans name it by "FAMILY/*", too
    std::string summary = {};
    double clock_mhz = 100;
    bool frames = false;          ///< fed with whole Ethernet frames; else with gradients
    bool burst_is_input = false;  ///< where a burst (one beat of uncompressed values) is counted
    LineRate line_rate = LineRate::kThroughput;
    Wire line = {};       ///< what the packets of the uncompressed side are held against
    int lines = 1;        ///< so many such lines at once are told as well
    bool linked = false;  ///< a wire with a pace is inside
    WireSide wire = WireSide::kNone;
    std::string inside_bytes = {};  ///< of kInside: where the sections say it (a JSON pointer)
    std::string top = {};           ///< of the RTL
    std::string file_list = {};     ///< of the RTL, below the source tree
    std::vector<Port> inputs = {}, outputs = {};
    std::vector<ControlPort> controls = {};
    int beat_bytes = 32;
    std::vector<Pin> pins = {};                ///< beside the streams, that the harness drives
    bool host_writes = false;                  ///< cfg_valid_i, cfg_address_i, cfg_data_i
    std::vector<Pin> probe = {};               ///< output pins that are compared in each cycle
    std::vector<std::string> statistics = {};  ///< names of the device's counters ...
    bool statistics_are_pins = true;        ///< ... words of stat_o; else of the probe, or a host
                                            ///< reads them
    std::vector<std::string> actions = {};  ///< what it may do with a packet (Packet::action)
    std::vector<std::string> inside = {};   ///< signals within the top that its save file shows
    std::vector<Option> options = {};
    std::vector<SynthKind> stimuli = {};     ///< synthetic ones that fit it
    const RandomKind* random = nullptr;      ///< what a random table may say of it
    report::Present present = nullptr;       ///< what it adds to the view of its reports
    std::vector<std::string> compared = {};  ///< figures of its sections that baselines hold (JSON
                                             ///< pointers)
    bool paced() const;                      ///< a port has a line rate
  };

  virtual ~Device() = default;
  virtual const Facts& facts() const = 0;
  /// Of the variant that a spec asks for: other ports around the same core.
  virtual const Facts& facts_of(const RunSpec&) const { return facts(); }
  const std::string& name() const { return facts().name; }

  /// Refuses, with a UsageError, what no engine can run.
  virtual void check(const RunSpec&) const {}
  /// What the spec's stimulus holds.
  virtual std::unique_ptr<Source> source(const RunSpec& spec) const = 0;
  /// Runs the engines of the spec over the source.
  virtual Outcome run(Source& source, const RunSpec& spec, Kernel& kernel,
                      PacketWriter* writer = nullptr) const = 0;
  virtual std::unique_ptr<Bench> bench(Source& source, const RunSpec& spec,
                                       Kernel& kernel) const = 0;
  /// The faults that the spec's MutantSpec draws; builds what is not there yet of those that its
  /// number is among. Throws UserError.
  virtual MutantList mutants(const RunSpec&) const {
    throw UsageError(name() + " is made of several tops: mutants are those of each of them");
  }
  /// What its RTL is built with, as the spec's options set it: names and values.
  virtual std::vector<std::pair<std::string, std::string>> parameters(const RunSpec&) const {
    return {};
  }
  /// What goes into it with each packet, as the spec's options set it.
  virtual PacketConfig packet_config(const RunSpec&) const { return {}; }
  /// What the report says of how the device was set, beside what all say.
  virtual void describe_settings(const RunSpec&, nlohmann::json&) const {}
  /// Writes what leaves as packets of a capture: of the source's own where it has one.
  virtual std::unique_ptr<PacketWriter> writer(const std::string& path, const Source& source,
                                               const RunSpec& spec) const = 0;
  /// The same of what passes between the engines of a chain, if the spec's options ask for it.
  /// Further files of a waveform, by what follows the name of the first: of the other tops of a
  /// chain.
  virtual std::vector<std::pair<std::string, Facts>> more_waves() const { return {}; }
  virtual std::unique_ptr<PacketWriter> wire_writer(const Source&, const RunSpec&) const {
    return nullptr;
  }
};

/// The devices of a program, in the order of the data path; handed in by who links them.
class Registry {
 public:
  void add(std::unique_ptr<Device> device) { devices_.push_back(std::move(device)); }
  const std::vector<std::unique_ptr<Device>>& devices() const { return devices_; }
  /// Throws UsageError naming the ones there are.
  const Device& device(const std::string& name) const;
  /// All kinds of random traffic, each once: what a random table may have sections for.
  std::vector<const RandomKind*> random_kinds() const;

 private:
  std::vector<std::unique_ptr<Device>> devices_;
};

}  // namespace gw::sim
