// What a device shows to the outside: its ports, as facts that engines, harness, waveforms and
// generated benches share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gw::sim {

/// What the packets of a port travel on.
struct Wire {
  double gbps = 0;      ///< 0: no rate is known
  uint32_t before = 0;  ///< bytes ahead of a packet's own: preamble, headers
  uint32_t after = 0;   ///< bytes after them: FCS, gap
  uint32_t least = 0;   ///< what the shortest packet takes, all counted

  /// What a packet of so many bytes takes of it.
  constexpr uint64_t bytes(uint64_t packet) const {
    return std::max<uint64_t>(before + packet + after, least);
  }
};

/// For frames without their FCS: preamble 8, FCS 4, gap 12.
constexpr Wire ethernet(double gbps) { return {.gbps = gbps, .before = 8, .after = 16}; }

/// One AXI4-Stream port. Several ports may be slots of one flat bundle of pins (the switch:
/// s_axis_tdata is 4 x 256 bits), or each has pins of its own.
struct Port {
  std::string_view name;    ///< in messages and reports: s_axis, m_axis2
  std::string_view bundle;  ///< prefix of the pins: s_axis -> s_axis_tvalid, s_axis_tdata, ...
  int slot = 0;             ///< place in the bundle's vectors
  int slots = 1;            ///< how many ports share the bundle
  int user_bits = 1;        ///< 0: no tuser; 1: Beat::user; more: Beat::meta, bit 0 first
  bool paced = false;       ///< a MAC stands after it, at the rate of `wire`
  Wire wire = {};
  /// A packet may end with a beat without a byte: of an output that must say "in error" when all
  /// bytes have left.
  bool empty_last = false;
  /// Of a tuser of more bits than one: the bit that says, with the last beat, "in error"; -1: none.
  int error_bit = -1;
};

/// One AXI4-Lite port with 32 bits of data, the device its slave: models/axis/axi_lite.h.
struct ControlPort {
  std::string_view name;    ///< in messages and reports: s_axil
  std::string_view bundle;  ///< prefix of the pins: s_axil -> s_axil_awvalid, s_axil_awaddr, ...
  int address_bits = 12;    ///< of awaddr and araddr
};

/// A signal of a control port.
struct ControlSignal {
  const char* channel;  ///< AW, W, B, AR, R
  const char* name;     ///< awvalid: the pin is s_axil_awvalid
  bool of_master;
  int bits;
  const char* valid;  ///< what says when it counts; nullptr: always
};

/// All of them, channel by channel.
constexpr std::array<ControlSignal, 17> control_signals(const ControlPort& port) {
  return {{{"AW", "awvalid", true, 1, nullptr},
           {"AW", "awready", false, 1, nullptr},
           {"AW", "awaddr", true, port.address_bits, "awvalid"},
           {"W", "wvalid", true, 1, nullptr},
           {"W", "wready", false, 1, nullptr},
           {"W", "wdata", true, 32, "wvalid"},
           {"W", "wstrb", true, 4, "wvalid"},
           {"B", "bvalid", false, 1, nullptr},
           {"B", "bready", true, 1, nullptr},
           {"B", "bresp", false, 2, "bvalid"},
           {"AR", "arvalid", true, 1, nullptr},
           {"AR", "arready", false, 1, nullptr},
           {"AR", "araddr", true, port.address_bits, "arvalid"},
           {"R", "rvalid", false, 1, nullptr},
           {"R", "rready", true, 1, nullptr},
           {"R", "rresp", false, 2, "rvalid"},
           {"R", "rdata", false, 32, "rvalid"}}};
}

inline std::string pin_name(const ControlPort& port, const ControlSignal& signal) {
  return std::string(port.bundle) + '_' + signal.name;
}

/// Pins that are one value each: set once (workers_i), or for each packet (bound_i).
struct Pin {
  std::string_view name;
  int bits = 1;
  int lsb = 0;  ///< of a pin wider than a word that is listed word by word: where this one is
  std::string_view valid = {};  ///< an output that means something only while this one is 1
};
/// Pins with the words of each wide one, which follow each other lowest first, joined.
inline std::vector<Pin> whole_pins(std::span<const Pin> words) {
  std::vector<Pin> pins;
  for (const Pin& word : words) {
    if (word.lsb == 0) {
      pins.push_back(word);
    } else {
      pins.back().bits = word.lsb + word.bits;
    }
  }
  return pins;
}
/// What an engine calls a word of a wide pin: forget_key_i, forget_key_i@32, forget_key_i@64.
inline std::string word_name(const Pin& word) {
  return std::string(word.name) + (word.lsb == 0 ? "" : '@' + std::to_string(word.lsb));
}
/// The bits of all.
template <size_t kCount>
constexpr int bits_of(const std::array<Pin, kCount>& pins) {
  int bits = 0;
  for (const Pin& pin : pins) bits += pin.bits;
  return bits;
}

/// `kCount` ports that are slots of one bundle, named bundle0, bundle1, ... A wire with a rate
/// makes them paced.
template <size_t kCount>
constexpr std::array<Port, kCount> flat_ports(const std::array<std::string_view, kCount>& names,
                                              std::string_view bundle, int user_bits,
                                              const Wire& wire = {}) {
  std::array<Port, kCount> ports{};
  for (size_t p = 0; p < kCount; ++p) {
    ports[p] = {names[p],       bundle, static_cast<int>(p), static_cast<int>(kCount), user_bits,
                wire.gbps != 0, wire};
  }
  return ports;
}

}  // namespace gw::sim
