// A bench around a quantiser's core that gathers its packets, and the bytes of a worked example.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "tests/systemc/bench.h"
#include "tests/systemc/mx_stimulus.h"

namespace gw::systemc {

using PacketBytes = std::vector<uint8_t>;

inline uint32_t binary32(float value) { return std::bit_cast<uint32_t>(value); }

template <class Device>
struct QuantiserBench : Bench<Device> {
  template <class Config>
  QuantiserBench(uint32_t rows, Config config) : Bench<Device>(rows, config), rows(rows) {}

  struct Packet {
    PacketBytes bytes;
    bool user = false;
    uint64_t first = 0, last = 0;  // the cycles in which its beats left
  };
  /// What has left; every beat as the contract wants it.
  std::vector<Packet> packets() const {
    std::vector<Packet> all;
    bool within = false;
    for (const auto& d : this->left) {
      if (!within) all.push_back({{}, false, d.cycle, d.cycle});
      const int bytes = bytes_of_keep(d.beat.keep);
      EXPECT_EQ(d.beat.keep, keep_of_bytes(bytes));
      std::array<uint8_t, kBeatBytes> data;
      std::memcpy(data.data(), d.beat.data.data(), kBeatBytes);
      for (int i = bytes; i < kBeatBytes; ++i) EXPECT_EQ(data[i], 0) << "behind the end";
      if (d.beat.last == 0) {
        EXPECT_EQ(d.beat.keep, kKeepAll);
        EXPECT_EQ(d.beat.user, 0);
      }
      all.back().bytes.insert(all.back().bytes.end(), data.begin(), data.begin() + bytes);
      all.back().user = d.beat.user != 0;
      all.back().last = d.cycle;
      within = d.beat.last == 0;
    }
    EXPECT_FALSE(within);
    return all;
  }
  /// As Bench's, but with patience: adaptive's bins are scanned, and 512 beats of which nothing is
  /// sent make no beat for as long.
  void drain() {
    size_t before = 0;
    do {
      before = this->left.size();
      Bench<Device>::drain();
      this->run(650);
    } while (this->left.size() != before);
  }

  /// Sends one packet to an idle device; what leaves.
  template <class Config>
  Packet one(const std::vector<Beat>& beats, Config config) {
    this->device.configure(config);
    this->left.clear();
    this->send(beats);
    drain();
    const auto all = packets();
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? Packet{} : all.front();
  }

  uint32_t rows;  // the first beat is accepted in that cycle
};

/// format, coding, n, the header's last two words; then payload and status.
inline PacketBytes packet_bytes(uint8_t format, uint8_t coding, uint32_t n, uint32_t word2,
                                uint32_t word3, std::initializer_list<int> rest) {
  PacketBytes bytes = {format, coding, 0, 0};
  for (const uint32_t word : {n, word2, word3}) {
    for (int b = 0; b < 4; ++b) bytes.push_back(static_cast<uint8_t>(word >> (8 * b)));
  }
  for (const int byte : rest) bytes.push_back(static_cast<uint8_t>(byte));
  return bytes;
}

}  // namespace gw::systemc
