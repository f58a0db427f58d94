// The reference NIC as a follower of a run, and what it counts for the report's section `nic`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/reference/codec_statistics.h"
#include "models/reference/nic/nic.h"
#include "sim/harness/oracle.h"
#include "testbenches/nic/options.h"

namespace gw::testbenches {

/// Names of the actions, as they are counted.
std::vector<std::string> tx_actions();
std::vector<std::string> rx_actions();
/// Names of the words of stat_o.
std::vector<std::string> tx_statistics();
std::vector<std::string> rx_statistics();

/// Frames of one direction by what became of them, and those that were packed.
class NicTally {
 public:
  explicit NicTally(size_t actions) : actions_(actions) {}

  void count(size_t action, size_t bytes_in, size_t bytes_out);
  /// A frame that travels packed. `saved`: by how many bytes its payload became shorter.
  void packed(size_t floats, size_t payload, size_t saved, size_t original, size_t on_wire);
  /// A frame that leaves, as hosts know it and as the wire does.
  void carried(size_t original, size_t on_wire);
  /// A frame with whole floats, `head` bytes before the first.
  void candidate(uint8_t head) { ++phases_[head]; }

  uint64_t bytes_in() const { return bytes_in_; }
  uint64_t bytes_out() const { return bytes_out_; }
  const std::vector<uint64_t>& actions() const { return actions_; }

  nlohmann::json direction(std::span<const std::string> names) const;
  nlohmann::json packed() const;
  nlohmann::json link() const;
  nlohmann::json phases() const { return phases_; }

 private:
  std::vector<uint64_t> actions_;
  uint64_t bytes_in_ = 0, bytes_out_ = 0;
  uint64_t packed_ = 0, floats_ = 0, edges_ = 0;
  uint64_t payload_ = 0, packed_payload_ = 0, original_ = 0, on_wire_ = 0;
  uint64_t original_time_ = 0, packed_time_ = 0;  // bytes of the link's time
  std::array<uint64_t, 4> phases_{};
};

/// nic_tx: a frame that is dropped leaves nothing.
class NicTxOracle final : public sim::QueueOracle<Beat> {
 public:
  explicit NicTxOracle(const reference::nic::NicConfig& config)
      : QueueOracle(1), nic_(config), tally_(reference::nic::kTxActions), floats_(config.codec) {}

  void arrives(size_t port, const sim::PacketRef<Beat>& packet) override;
  uint64_t busy() const override { return behind_ != 0 ? behind_ + kPipeline : 0; }
  std::vector<std::optional<uint32_t>> statistics() const override;
  nlohmann::json findings() const override;

 private:
  /// From acceptance to the end of the verdict, and some more.
  static constexpr uint64_t kPipeline = 128;

  reference::nic::NicTx nic_;
  NicTally tally_;
  reference::CodecStatistics floats_;  ///< of packed frames
  /// Beats that the device may still have to throw away, one a cycle, when the last that leaves has
  /// left: of dropped frames, and of the packed one before them. A frame counts when they are gone.
  uint64_t behind_ = 0;
};

class NicRxOracle final : public sim::QueueOracle<Beat> {
 public:
  /// `says`: what the device says of flows to forget is heard.
  explicit NicRxOracle(const reference::nic::NicConfig& config, bool says = true)
      : QueueOracle(1), nic_(config), tally_(reference::nic::kRxActions), says_(says) {}

  void arrives(size_t port, const sim::PacketRef<Beat>& packet) override;
  std::string says(std::span<const uint64_t> probe) override;
  bool quiet() const override { return QueueOracle::quiet() && forgets_.empty(); }
  uint64_t busy() const override { return draining_ ? kDrain : 0; }
  std::vector<std::optional<uint32_t>> statistics() const override;
  nlohmann::json findings() const override;

 private:
  /// What is left of a stream that is not right: the queues' beats, sixteen groups in each.
  static constexpr uint64_t kDrain = 16 * (64 + 8) + 128;

  reference::nic::NicRx nic_;
  NicTally tally_;
  const bool says_;
  std::deque<reference::nic::FlowKey> forgets_;  ///< that are still to be said
  bool draining_ = false;                        // the stream of what arrived last was not right
};

/// Both, one behind the other: what comes back to a host.
class NicOracle final : public sim::QueueOracle<Beat> {
 public:
  explicit NicOracle(const reference::nic::NicConfig& config)
      : QueueOracle(1), tx_(config), rx_(config, /*says=*/false), rx_words_(nic_rx_words(config)) {}

  void arrives(size_t port, const sim::PacketRef<Beat>& packet) override;
  uint64_t busy() const override { return tx_.busy() + rx_.busy(); }
  std::vector<std::optional<uint32_t>> statistics() const override;
  nlohmann::json findings() const override;

 private:
  NicTxOracle tx_;
  NicRxOracle rx_;
  const sim::PacketConfig rx_words_;  ///< the same with each frame
};

}  // namespace gw::testbenches
