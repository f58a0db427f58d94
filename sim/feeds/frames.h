// Whole Ethernet frames: of a capture, or of a list that a family of devices has made.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/options.h"
#include "sim/feeds/source.h"
#include "sim/feeds/stimulus_spec.h"
#include "sim/harness/port.h"

namespace gw::sim {

inline constexpr size_t kMinFrameBytes = 60;    ///< a MAC pads to it
inline constexpr size_t kMaxFrameBytes = 9018;  ///< a jumbo frame

struct Frame {
  std::vector<uint8_t> bytes;     ///< without FCS
  int port = 0;                   ///< that it comes in by
  int64_t time_ns = 0;            ///< when its preamble begins on the wire
  uint32_t trace_number = 0;      ///< 1-based number in the trace; 0: none
  bool measured = true;           ///< false: before a switch has learned where everyone is
  bool error = false;             ///< ends with tuser: taken back, or a bad FCS
  std::vector<OddBeat> odd = {};  ///< breaks the stream profile with them
  uint32_t gap = 0;               ///< cycles before it, where no wire has a pace
  uint32_t port_behind = 0;       ///< what tuser is told wrong of the port after the first beat
  bool own_config = false;        ///< its pins are not as the run's options say
  PacketConfig config{};          ///< then what they are
};

/// What is known of frames, beside themselves.
struct FrameFacts {
  nlohmann::json trace = {};    ///< the report's `trace` section
  std::string path = {};        ///< of the capture; empty: none
  std::string synth = {};       ///< name of the synthetic stimulus; empty: none
  std::string incomplete = {};  ///< what is missing, when the file ended early
};

/// Frames one after the other, in order of time; each is read or made when it is asked for.
class Frames {
 public:
  virtual ~Frames() = default;
  virtual std::optional<Frame> next() = 0;
  /// Of the frames so far; of all once `next` has said that there are no more.
  virtual FrameFacts facts() const = 0;
  /// How many there will be, as far as can be said by now; 0: unknown.
  virtual uint64_t expected() const = 0;
};

/// All at once: for tests, and where there are few.
struct FrameList : FrameFacts {
  std::vector<Frame> frames = {};  ///< in order of time
};
FrameList read_all(Frames& frames);

/// Ethernet frames of a capture: those that `stimulus.filter` lets through (empty: all), at most
/// `stimulus.packets` (0: all). Ports are given to source MACs in the order of their first
/// appearance, modulo `ports`. Short frames are padded to 60 bytes as a MAC does, and counted;
/// truncated ones, runts (no Ethernet header) and those above 9,018 bytes are skipped and counted.
/// `options`: how the capture is read (sim/feeds/captures.h).
///
/// Times are the capture's, with three exceptions. On a port, frames never come faster than `wire`
/// carries them, nor before the frame ahead of them in the file. A clock that was set while the
/// capture ran is not followed: a frame whose time lies more than a second before the latest one,
/// or more than a day after it, comes at once, those after it as much earlier or later;
/// `clock_leaps` counts it. All of it lasts 30 days at most, so that cycles can be counted.
///
/// Of a capture of synthesised frames it gives back the frames, ports and times. Throws InputError
/// if nothing can be read, UsageError for a wrong filter.
///
/// Memory holds a frame a port: each port is followed through the file by a reader of its own, for
/// times put frames of different ports into another order than the file's, by as much as there are
/// frames that the wire has to delay. What can be read only once, a pipe, is held whole.
std::unique_ptr<Frames> open_capture_frames(const StimulusSpec& stimulus, int ports,
                                            const Wire& wire, const OptionSet& options = {});

/// The same, all at once, read once.
FrameList load_frames(const StimulusSpec& stimulus, int ports, const Wire& wire,
                      const OptionSet& options = {});

/// Frames as packets of a run; the first one's time is 0. On its way through a device with one
/// stream a frame carries the number of its port as tuser.
class FrameSource final : public Source {
 public:
  /// `by_port`: each frame goes in by the port of its number; else all by port 0. Throws InputError
  /// if there is no frame.
  FrameSource(std::unique_ptr<Frames> frames, bool by_port);
  FrameSource(FrameList list, bool by_port);

  std::optional<RawPacket> next() override;
  const SourceFacts& facts() const override;
  uint64_t expected() const override { return frames_->expected(); }
  bool in_order() const override { return true; }

 private:
  std::unique_ptr<Frames> frames_;
  bool by_port_;
  std::optional<Frame> first_;  // until it is asked for
  mutable SourceFacts facts_;
};

}  // namespace gw::sim
