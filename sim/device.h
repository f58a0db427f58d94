// A device: a block that users simulate by name, with up to three opinions (rtl, model, reference).
//
// A new device is a folder in each layer and one line in testbenches/CMakeLists.txt;
// ARCHITECTURE.md holds the recipe.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/reference/codec.h"
#include "sim/lockstep.h"
#include "sim/stall.h"
#include "sim/stimulus.h"

namespace gw::sim {

class Kernel;

/// A packet's gradient values as they were found in a trace or synthesised.
struct GradientPacket {
  std::vector<uint32_t> values;  // binary32 bit patterns
  uint32_t trace_number = 0;     // 1-based number in the trace; 0: none
};

struct WaveSpec {
  std::string path;  // ends in .fst or .vcd
  int64_t from = 0;  // first cycle, counted from the end of reset
  int64_t to = INT64_MAX;
};

/// Which engines to run, and how.
struct RunSpec {
  bool rtl = true;
  bool model = true;
  reference::CodecConfig codec;
  StallSpec stall;
  uint64_t seed = 1;
  double clock_mhz = 100;
  std::optional<WaveSpec> wave;
};

/// What a run left behind.
struct Outcome {
  bool passed = false;
  bool interrupted = false;
  double wall_seconds = 0;
  Counters counters;
  Failure failure;
  std::string wave_error;               // why the waveform is not whole; the run itself went on
  std::vector<uint64_t> accept_cycles;  // per input beat
  std::vector<uint64_t> offer_cycles;   // per packet: its first output beat offered
};

/// One measurement of simulation speed: cycles and the seconds they took.
struct Speed {
  uint64_t cycles = 0;
  double seconds = 0;
  double mcps() const { return seconds > 0 ? static_cast<double>(cycles) / seconds * 1e-6 : 0; }
};

enum class BenchSubject { kRtl, kModel, kLockstep };

class Device {
 public:
  virtual ~Device() = default;

  virtual std::string name() const = 0;
  virtual std::string summary() const = 0;
  /// Where a burst (one beat of uncompressed values) is counted.
  virtual bool burst_is_input() const = 0;

  /// What the reference makes of gradients: the device's input and what must come out.
  virtual Stimulus stimulus(const std::vector<GradientPacket>& packets,
                            const RunSpec& spec) const = 0;
  /// The same from raw input packets (corrupted streams, partial lanes).
  virtual Stimulus stimulus_from_bytes(const std::vector<std::vector<uint8_t>>& packets,
                                       const RunSpec& spec) const = 0;

  /// Runs the engines of the spec over the stimulus.
  virtual Outcome run(const Stimulus& stimulus, const RunSpec& spec, Kernel& kernel) const = 0;
  /// Passes the stimulus through the subject once and checks what came out; times only the passing
  /// through.
  virtual Speed bench(BenchSubject subject, const Stimulus& stimulus, const RunSpec& spec,
                      Kernel& kernel) const = 0;

  /// A beat of the device's input or output in words (floats, tags) for the divergence report.
  virtual std::string describe_input(const Stimulus& stimulus, size_t beat) const = 0;
  virtual std::string describe_output(const Stimulus& stimulus, size_t beat) const = 0;
  /// The GTKWave save file that belongs to this device, without its [dumpfile] line.
  virtual std::string save_file() const = 0;
};

/// All devices, in the order of the data path. Filled by testbenches/devices.cc.
const std::vector<std::unique_ptr<Device>>& devices();
/// By name; throws UsageError naming the ones there are.
const Device& device(const std::string& name);

}  // namespace gw::sim
