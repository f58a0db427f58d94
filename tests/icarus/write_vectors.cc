// Writes what a device's model does with random packets under stalls, a 624-bit word in hex per
// clock cycle, for the replay testbench that runs in Icarus: four-state values show what a
// two-state simulator hides.
//
//   write_vectors DEVICE FILE SEED
//
// Bits: 0 aresetn, 1 s_tvalid, 2 s_tlast, 3 s_tuser, 4 m_tready, 5 s_tready, 6 m_tvalid, 7 m_tlast,
// 8 m_tuser, 9 bounded_i, [13:10] bound_i, [47:16] s_tkeep, [79:48] m_tkeep, [111:80]
// error_count_o, [367:112] s_tdata, [623:368] m_tdata; outputs are those expected before the edge
// that ends the cycle.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "models/reference/codec.h"
#include "models/systemc/compressor.h"
#include "models/systemc/decompressor.h"
#include "sim/base/random.h"
#include "sim/stimulus.h"
#include "tests/icarus/vectors.h"

namespace {

using gw::Beat;
using Cycle = gw::icarus::Cycle<624>;

constexpr int kPackets = 150;

/// `bounds`: of each packet.
gw::sim::BeatStream packets(bool encoded, gw::sim::Random& random,
                            std::vector<gw::systemc::CodecConfig>& bounds) {
  gw::sim::BeatStream stream;
  for (int p = 0; p < kPackets; ++p) {
    bounds.push_back({static_cast<uint8_t>(1 + random.below(14)), random.below(2) == 0});
    const gw::reference::CodecConfig config{.bound_exponent = bounds.back().bound,
                                            .mode = bounds.back().bounded
                                                        ? gw::reference::Mode::kBounded
                                                        : gw::reference::Mode::kPaper};
    std::vector<uint32_t> values(1 + random.below(p % 10 == 0 ? 200 : 30));
    for (uint32_t& v : values) {
      v = static_cast<uint32_t>(random.next());
      if (random.below(4) != 0) v = (v & 0x807FFFFF) | (100 + random.below(28)) << 23;
    }
    std::vector<uint8_t> bytes(values.size() * 4);
    std::memcpy(bytes.data(), values.data(), bytes.size());
    if (encoded) {
      bytes.clear();
      gw::reference::encode(std::span<const uint32_t>(values), config, bytes);
    }
    if (p % 7 == 3 && bytes.size() > 1) bytes.pop_back();  // a packet in error
    stream.append_bytes(bytes, p % 11 == 5);
  }
  return stream;
}

template <class Core>
void write(std::FILE* file, bool encoded, uint64_t seed) {
  gw::sim::Random random(seed);
  std::vector<gw::systemc::CodecConfig> bounds;
  const gw::sim::BeatStream stream = packets(encoded, random, bounds);
  Core core;
  size_t next = 0, packet = 0;
  bool offering = false;
  int idle = 0;
  for (int cycle = 0; idle < 200; ++cycle) {
    const bool reset = cycle < 3;
    const uint32_t slow = static_cast<uint32_t>(cycle / 300 % 3);
    offering = !reset && next < stream.beats.size() &&
               (offering || random.below(100) >= (slow == 1 ? 60u : 5u));
    const bool m_ready = random.below(100) >= (slow == 2 ? 60u : 5u);
    const Beat* const s = offering ? &stream.beats[next] : nullptr;
    const Beat* const m = core.m_beat();
    // With a packet's first beat the pins show its bound, else anything.
    const bool begins = offering && core.begins_packet();
    const gw::systemc::CodecConfig pins =
        begins ? bounds[packet]
               : gw::systemc::CodecConfig{static_cast<uint8_t>(1 + random.below(14)),
                                          random.below(2) == 0};
    core.configure(pins);
    Cycle c;
    c.bit(0, !reset);
    c.bit(4, m_ready);
    c.bit(5, core.s_ready());
    c.bit(9, pins.bounded);
    c.word(10, pins.bound);
    c.word(80, core.error_count());
    if (s != nullptr) {
      c.bit(1, true);
      c.bit(2, s->last != 0);
      c.bit(3, s->user != 0);
      c.word(16, s->keep);
      for (int i = 0; i < gw::kLanes; ++i) c.word(112 + 32 * i, s->data[i]);
    }
    if (m != nullptr) {
      c.bit(6, true);
      c.bit(7, m->last != 0);
      c.bit(8, m->user != 0);
      c.word(48, m->keep);
      for (int i = 0; i < gw::kLanes; ++i) c.word(368 + 32 * i, m->data[i]);
    }
    fmt::print(file, "{}\n", c.hex());
    const bool taken = s != nullptr && core.s_ready();
    if (reset) {
      core.reset();
    } else {
      core.clock(s, m_ready);
    }
    if (taken) {
      ++next;
      packet += s->last != 0;
      offering = false;
    }
    idle = next == stream.beats.size() && core.m_beat() == nullptr ? idle + 1 : 0;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string device = argc == 4 ? argv[1] : "";
  if (device != "compressor" && device != "decompressor") {
    fmt::print(stderr, "usage: write_vectors compressor|decompressor FILE SEED\n");
    return 2;
  }
  const uint64_t seed = std::strtoull(argv[3], nullptr, 0);
  return gw::icarus::write_file("write_vectors", argv[2], [&](std::FILE* file) {
    if (device == "compressor") {
      write<gw::systemc::Compressor>(file, false, seed);
    } else {
      write<gw::systemc::Decompressor>(file, true, seed);
    }
  });
}
