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
#include <string_view>
#include <vector>

#include "models/reference/aggregator/aggregator.h"
#include "models/reference/codec.h"
#include "models/reference/optimizer/bit_exact.h"
#include "sim/lockstep.h"
#include "sim/stall.h"
#include "sim/stimulus.h"
#include "sim/switch_stimulus.h"

namespace gw::sim {

class Kernel;

/// A packet's gradient values as they were found in a trace or synthesised.
struct GradientPacket {
  std::vector<uint32_t> values;  // binary32 bit patterns
  uint32_t trace_number = 0;     // 1-based number in the trace; 0: none
};

/// What the switch's RTL is built with: the aggregator's slots, and sequence numbers with
/// parameters.
inline constexpr int kNetworkDepthLog2 = 10;
inline constexpr size_t kNetworkDepth = size_t{1} << kNetworkDepthLog2;

/// How the blocks of the optimizer switch are configured and built.
struct NetworkSpec {
  int workers = 3;
  uint16_t group = 1;
  size_t depth = kNetworkDepth;  ///< the aggregator's slots in use
  reference::optimizer::Algorithm algorithm = reference::optimizer::Algorithm::kSgd;
  int pes = 32;
  bool iterative = false;
  bool fast = false;  ///< profile fast instead of paper
  reference::fp::Subnormal subnormal = reference::fp::Subnormal::kFlush;
  reference::optimizer::HyperParameters hyper;

  reference::AggregatorConfig aggregator() const {
    return {.workers = workers, .group = group, .depth = depth, .subnormal = subnormal};
  }
};

/// What the parameters are before the first step: the same for every engine, from the seed.
std::vector<uint32_t> initial_parameters(const NetworkSpec& network, uint64_t seed);

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
  NetworkSpec network;
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
  std::vector<uint32_t> statistics;     // the device's counters in the end
};

/// One measurement of simulation speed: cycles and the seconds they took.
struct Speed {
  uint64_t cycles = 0;
  double seconds = 0;
  double mcps() const { return seconds > 0 ? static_cast<double>(cycles) / seconds * 1e-6 : 0; }
};

enum class BenchSubject { kRtl, kModel, kLockstep };

/// What a device is fed with.
enum class Input : uint8_t {
  kGradients,  ///< payloads of marked packets, or named synthetic gradients
  kFrames,     ///< whole Ethernet frames
};

class StreamDevice;
class SwitchDevice;

class Device {
 public:
  virtual ~Device() = default;

  virtual std::string name() const = 0;
  virtual std::string summary() const = 0;
  virtual Input input() const = 0;
  /// The GTKWave save file that belongs to this device, without its [dumpfile] line.
  virtual std::string save_file() const = 0;
  /// Clock that the device is meant for.
  virtual double clock_mhz() const = 0;
  /// Refuses, with a UsageError, what no engine of the spec can run.
  virtual void check(const RunSpec&) const {}

  virtual const StreamDevice* stream() const { return nullptr; }
  virtual const SwitchDevice* ports() const { return nullptr; }
};

/// One AXI4-Stream in, one out, in order.
class StreamDevice : public Device {
 public:
  const StreamDevice* stream() const override { return this; }

  /// Where a burst (one beat of uncompressed values, or of a frame) is counted.
  virtual bool burst_is_input() const = 0;

  /// What the reference makes of gradients: the device's input and what must come out. Devices
  /// that are fed with frames have no use for it.
  virtual Stimulus stimulus(const std::vector<GradientPacket>& packets,
                            const RunSpec& spec) const = 0;
  /// The same from raw input packets: frames, corrupted streams, partial lanes.
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
  /// What the counters count, in their order; "" for one that only the engines know.
  virtual std::vector<std::string> statistic_names() const { return {}; }
};

/// Four ports with a 10GbE MAC each.
class SwitchDevice : public Device {
 public:
  const SwitchDevice* ports() const override { return this; }

  virtual SwitchOutcome run(const SwitchStimulus& stimulus, const RunSpec& spec, Kernel& kernel,
                            bool keep_bytes) const = 0;
  /// Passes the stimulus through the subject once, checked against the reference; times only that.
  virtual Speed bench(BenchSubject subject, const SwitchStimulus& stimulus, const RunSpec& spec,
                      Kernel& kernel) const = 0;
  virtual std::vector<std::string> statistic_names() const = 0;
};

/// All devices, in the order of the data path. Filled by testbenches/devices.cc.
const std::vector<std::unique_ptr<Device>>& devices();
/// By name; throws UsageError naming the ones there are.
const Device& device(std::string_view name);
/// The same, of devices with one stream in and out.
const StreamDevice& stream_device(std::string_view name);

}  // namespace gw::sim
