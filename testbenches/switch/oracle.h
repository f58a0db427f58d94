// The untimed reference of the optimizer switch as a follower of a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "models/reference/switch/pipeline.h"
#include "sim/harness/oracle.h"
#include "testbenches/switch/options.h"
#include "testbenches/switch/ports.h"

namespace gw::testbenches {

/// What the reference is told of a run.
reference::PipelineConfig pipeline_config(const reference::Blocks& blocks, const NetworkSpec& net,
                                          uint64_t seed);

/// Names of the words of stat_o.
std::vector<std::string> statistic_names(const reference::Blocks& blocks);

/// What a host's writes do to an optimizer, and what it reads of it (docs/registers/optimizer.md).
class PipelineHost {
 public:
  explicit PipelineHost(reference::Pipeline& pipeline) : pipeline_(pipeline) {}
  void wrote(uint32_t address, uint32_t data);
  std::optional<uint32_t> reads(uint32_t address) const;

 private:
  reference::Pipeline& pipeline_;
  uint32_t iteration_ = 0;  ///< as the host wrote it, while none has begun
};

/// Parser, aggregator, optimizer: each frame that comes in leaves, in order.
class FrameOracle : public sim::QueueOracle<Beat> {
 public:
  /// `iterations`: that lie behind, in another run.
  FrameOracle(const reference::Blocks& blocks, const NetworkSpec& net, uint64_t seed,
              uint64_t iterations = 0);

  void arrives(size_t port, const sim::PacketRef<Beat>& packet) override;
  std::vector<std::optional<uint32_t>> statistics() const override;
  nlohmann::json findings() const override;

  // As HostedOracle wants it.
  void host_wrote(uint32_t address, uint32_t data) { host_.wrote(address, data); }
  std::optional<uint32_t> host_reads(uint32_t address) const { return host_.reads(address); }

 private:
  NetworkSpec net_;
  reference::Pipeline pipeline_;
  PipelineHost host_{pipeline_};
  uint64_t behind_;
};

/// The switch. What leaves depends on the order in which the arbiter serves the ports, and on which
/// frames find room; both are the device's to decide, in time. The events say what it decided, and
/// the reference computes what follows from that: as far as it can be known without time, it also
/// says whether the device may.
class SwitchOracle : public sim::Oracle<Beat> {
 public:
  SwitchOracle(const NetworkSpec& net, uint64_t seed, uint64_t iterations = 0);

  void arrives(size_t port, const sim::PacketRef<Beat>& packet) override;
  std::string decides(uint64_t events) override;
  sim::PacketRef<Beat> next(size_t port) override;
  sim::PacketRef<Beat> peek(size_t port) const override;
  bool quiet() const override;
  /// Computing of frames of which no event has told since they were served.
  uint64_t busy() const override { return work_; }
  /// Nothing is between arbiter and output queues: what is left are registers behind the last beat.
  uint64_t settles() const override { return within() ? UINT64_MAX : kRests; }
  std::vector<std::optional<uint32_t>> statistics() const override;
  /// Those of the pipeline, and `ports`.
  nlohmann::json findings() const override;

  // As HostedOracle wants it.
  void host_wrote(uint32_t address, uint32_t data) { host_.wrote(address, data); }
  std::optional<uint32_t> host_reads(uint32_t address) const { return host_.reads(address); }
  /// Frames were served of which no event has told since.
  bool within() const { return left_ < served_; }
  void has_come_to_rest() { has_left(served_); }

 private:
  static constexpr size_t kPorts = SwitchPorts::kPorts;
  /// More than the array's latency (194) and Adam's registers (24), though nothing waits for them.
  static constexpr uint64_t kRests = 256;
  using Packet = sim::PacketRef<Beat>;

  /// A packet queue, before or behind the pipeline.
  struct Queue {
    struct Entering {
      Packet packet;
      bool fits;           ///< whatever the queue has handed on until then, there is room for it
      uint64_t order = 0;  ///< of the arbiter
    };
    std::deque<Entering> entering;  ///< the device has not decided yet
    std::deque<Packet> waiting;     ///< committed
    size_t leaving = 0;             ///< beats of the one that was handed on last
    uint32_t committed = 0, dropped = 0;

    const sim::Packet<Beat>* first() const {
      return entering.empty() ? nullptr : entering.front().packet.get();
    }
    void enter(const Packet& packet, uint64_t order = 0);
    /// The device's decision on the frame that entered first; `must_go`: why it has to drop it.
    /// Empty, or why it may not.
    std::string settle(bool commit, bool drop, const char* must_go);
    Packet take();
    bool quiet() const { return entering.empty() && waiting.empty(); }
  };

  std::string serve(size_t port);
  uint64_t work_of(const reference::Pipeline::Frame& frame) const;
  /// Frames stay in order between arbiter and output queues.
  void has_left(uint64_t order);

  NetworkSpec net_;
  reference::Pipeline pipeline_;
  PipelineHost host_{pipeline_};
  uint64_t behind_;
  std::array<Queue, kPorts> rx_, tx_;
  std::array<uint64_t, kPorts> frames_in_{}, frames_out_{}, bytes_out_{};
  struct Work {
    uint64_t order, cycles;
  };
  std::deque<Work> computing_;
  uint64_t work_ = 0;               // the sum of its cycles
  uint64_t served_ = 0, left_ = 0;  // frames so far; known to have left
};

/// A beat of a frame in words: the header's fields on the first, values on the payload's.
std::string describe_frame(const sim::Packet<Beat>& packet, size_t beat);

}  // namespace gw::testbenches
