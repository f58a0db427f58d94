// The streams of ring_nic (docs/devices/ring_nic.md): a node's, and those of the hosts of a ring.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "models/axis/beat.h"
#include "sim/harness/engine.h"
#include "sim/harness/port.h"

namespace gw::testbenches {

/// gw_ring_nic.
struct RingNodePorts {
  using Beat = gw::BasicBeat<16>;
  enum Side : size_t { kHost, kLeft, kRight };
  static constexpr size_t kStatWords = 23;

  static constexpr std::array<sim::Port, 3> kInputs = {
      {{.name = "s_axis_host", .bundle = "s_axis_host", .user_bits = 0},
       {.name = "s_axis_left", .bundle = "s_axis_left"},
       {.name = "s_axis_right", .bundle = "s_axis_right"}}};
  static constexpr std::array<sim::Port, 3> kOutputs = {
      {{.name = "m_axis_host", .bundle = "m_axis_host", .user_bits = 0},
       {.name = "m_axis_left", .bundle = "m_axis_left", .user_bits = 0},
       {.name = "m_axis_right", .bundle = "m_axis_right", .user_bits = 0}}};
  static constexpr uint64_t kEvents = 0;
  static constexpr uint64_t kSettles = 0;
  static constexpr std::array<sim::Pin, kStatWords + 1> kPinsOfProbe = [] {
    std::array<sim::Pin, kStatWords + 1> pins{};
    for (size_t word = 0; word < kStatWords; ++word) {
      pins[word] = {"stat_o", 32, static_cast<int>(32 * word), {}};
    }
    pins[kStatWords] = {"error_o", 5, 0, {}};
    return pins;
  }();
};

/// A header in words: "AGG of chunk 7, 2048 bytes, ack 3"; empty: no header.
std::string ring_header_words(const RingNodePorts::Beat& beat);
/// Bits of error_o in words: "its right neighbour does not answer".
std::string ring_error_words(uint32_t error);

/// "node 1: its right neighbour does not answer (error_o = 2)"; empty for 0.
std::string ring_error_sentence(uint32_t node, uint32_t error);
/// The probe of a node: all words of stat_o, then error_o.
sim::Probe<RingNodePorts> ring_probe(std::span<const uint32_t> statistics, uint32_t error);

/// The hosts of a ring of at most eight nodes.
struct RingPorts {
  using Beat = RingNodePorts::Beat;
  static constexpr size_t kMost = 8;
  static constexpr std::array<sim::Port, kMost> kInputs = [] {
    std::array<sim::Port, kMost> ports =
        sim::flat_ports<kMost>({"s_axis_host0", "s_axis_host1", "s_axis_host2", "s_axis_host3",
                                "s_axis_host4", "s_axis_host5", "s_axis_host6", "s_axis_host7"},
                               "s_axis_host", 0);
    return ports;
  }();
  static constexpr std::array<sim::Port, kMost> kOutputs = [] {
    std::array<sim::Port, kMost> ports =
        sim::flat_ports<kMost>({"m_axis_host0", "m_axis_host1", "m_axis_host2", "m_axis_host3",
                                "m_axis_host4", "m_axis_host5", "m_axis_host6", "m_axis_host7"},
                               "m_axis_host", 0);
    return ports;
  }();
  static constexpr uint64_t kEvents = 0;
  static constexpr uint64_t kSettles = 0;
  static std::string words_of(const Beat& beat) {
    const std::string header = ring_header_words(beat);
    return header.empty() ? "a chunk's beat" : header;
  }
};

}  // namespace gw::testbenches
