// What goes into a device with four ports, what came out of it, and the reference that says what
// should.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/lockstep.h"
#include "sim/stimulus.h"

namespace gw::sim {

inline constexpr int kPorts = 4;

/// Bytes a frame costs on the wire beyond its own without FCS: preamble 8, FCS 4, gap 12.
inline constexpr int kWireOverheadBytes = 24;
inline constexpr int kPreambleBytes = 8;
/// Nanoseconds a byte at 10 Gb/s.
inline constexpr double kByteNs = 0.8;

struct SwitchStimulus {
  struct Port {
    BeatStream input;
    std::vector<uint64_t> earliest;  ///< per beat: the first cycle in which the MAC can offer it
    std::vector<uint32_t> frame;     ///< per packet of `input`: index into `frames`
  };
  struct FrameInfo {
    int port = 0;
    uint32_t trace_number = 0;
    bool measured = true;
  };
  std::array<Port, kPorts> ports;
  std::vector<FrameInfo> frames;
};

/// The untimed switch. Frames come in the order in which the arbiter served them.
class SwitchReference {
 public:
  virtual ~SwitchReference() = default;
  struct Routed {
    std::vector<uint8_t> bytes;
    unsigned mask = 0;  ///< bit p: to port p
  };
  virtual Routed accept(std::span<const uint8_t> frame, int port) = 0;
  /// Counters that depend on the frames accepted and their order only; the others have no value.
  virtual std::vector<std::optional<uint32_t>> statistics() const = 0;
  virtual nlohmann::json findings() const = 0;
};

/// One frame at one output port.
struct Delivery {
  uint32_t frame = 0;  ///< index into SwitchStimulus::frames
  int port = 0;
  uint32_t bytes = 0;
  uint64_t offered = 0, first = 0,
           last = 0;  ///< cycles: first beat offered, taken; last beat taken
};

struct SwitchOutcome {
  bool passed = false;
  bool interrupted = false;
  double wall_seconds = 0;
  uint64_t cycles = 0, lockstep_cycles = 0;
  Failure failure;
  std::string wave_error;
  std::array<uint64_t, kPorts> input_beats{}, output_beats{};
  std::array<uint64_t, kPorts> rx_dropped{}, tx_dropped{};
  std::vector<uint64_t> accepted;  ///< per frame: cycle of its first beat
  std::vector<Delivery> deliveries;
  std::vector<uint32_t> statistics;
  nlohmann::json findings = nlohmann::json::object();
  std::vector<std::vector<uint8_t>> delivered_bytes;  ///< with the deliveries, if asked for
};

}  // namespace gw::sim
