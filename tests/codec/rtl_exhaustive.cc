// Every binary32 value through the RTL compressor, every code and every RAW word through the RTL
// decompressor, each beat scored against the reference. Slow: tools/test-slow.sh runs all of it.
//
//   rtl_exhaustive compress K MODE    all 2^32 floats
//   rtl_exhaustive codes              every 8- and 16-bit code, all lanes, every bound and mode
//   rtl_exhaustive raw                all 2^32 words as RAW
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "models/reference/codec.h"
#include "sim/harness/kernel.h"
#include "sim/harness/packet.h"
#include "sim/harness/rules.h"
#include "testbenches/codec/options.h"
#include "testbenches/codec/oracle.h"
#include "testbenches/codec/ports.h"
#include "testbenches/kit/rtl_engine.h"
#include "testbenches/library/linked.h"

namespace {

using namespace gw;

constexpr uint64_t kAll = uint64_t{1} << 32;
constexpr uint64_t kChunk = uint64_t{1} << 20;   // values of one run
constexpr uint64_t kPacket = uint64_t{1} << 13;  // values of one packet

class Progress {
 public:
  explicit Progress(std::string what) : what_(std::move(what)) {}
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  void show(uint64_t done, uint64_t all) {
    const int percent = static_cast<int>(100 * done / all);
    if (percent == shown_) return;
    shown_ = percent;
    fmt::print(stderr, "\r{}: {:3} %  {:.0f} s", what_, percent, seconds());
    if (percent == 100) fmt::print(stderr, "\n");
  }

 private:
  std::string what_;
  int shown_ = -1;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

using Rtl = testbenches::RtlEngine<testbenches::CodecPorts>;

std::unique_ptr<Rtl> make_rtl(const char* top) {
  // The program holds the engine: nobody frees it.
  auto rtl =
      std::make_unique<Rtl>(testbenches::CompiledRtl({testbenches::linked_engine(top, {}, false),
                                                      [](const GwEngine*) {}}),
                            1);
  rtl->reset();
  rtl->clock({}, 0);
  return rtl;
}

/// Packets through the RTL with nothing in the loop but the comparison with what the oracle owes.
bool run(Rtl& rtl, sim::Oracle<Beat>& oracle, const std::vector<std::vector<uint8_t>>& packets,
         const reference::CodecConfig& config, const std::string& where) {
  std::vector<Beat> input, expected;
  for (const std::vector<uint8_t>& bytes : packets) {
    const auto packet = sim::make_packet<Beat>(bytes);
    packet->config = testbenches::packet_config(config);
    input.insert(input.end(), packet->beats.begin(), packet->beats.end());
    oracle.arrives(0, packet);
    const auto owed = oracle.next(0);
    expected.insert(expected.end(), owed->beats.begin(), owed->beats.end());
  }
  rtl.configure(0, testbenches::packet_config(config));
  const uint64_t limit = 2 * (input.size() + expected.size()) + 1000;
  size_t in = 0, out = 0;
  // Some cycles more: nothing may follow.
  for (uint64_t cycle = 0, end = limit; cycle < end; ++cycle) {
    const Beat* const s = in < input.size() ? &input[in] : nullptr;
    const bool taken = s != nullptr && rtl.s_ready() != 0;
    if (const Beat* const m = rtl.m_beat(0)) {
      if (out == expected.size() || !sim::same_beat(*m, expected[out])) {
        fmt::print("FAIL {}: beat {} of {} in cycle {}: {}, reference {}\n", where, out,
                   expected.size(), cycle, sim::hex_words(m->data.data(), m->data.size()),
                   out < expected.size()
                       ? sim::hex_words(expected[out].data.data(), expected[out].data.size())
                       : "nothing");
        return false;
      }
      if (++out == expected.size()) end = std::min(limit, cycle + 64);
    }
    rtl.clock({s}, 1);
    in += taken;
  }
  if (in == input.size() && out == expected.size()) return true;
  fmt::print("FAIL {}: {} of {} beats went in, {} of {} came out\n", where, in, input.size(), out,
             expected.size());
  return false;
}

bool compress(int k, reference::Mode mode) {
  const reference::CodecConfig config{.bound_exponent = k, .mode = mode};
  const std::unique_ptr<Rtl> rtl = make_rtl("gw_compressor");
  testbenches::CompressorOracle oracle;
  Progress progress(fmt::format("compressor, k {} {}", k, reference::mode_name(mode)));
  std::vector<std::vector<uint8_t>> packets(kChunk / kPacket);
  for (std::vector<uint8_t>& packet : packets) packet.resize(kPacket * 4);
  for (uint64_t base = 0; base < kAll; base += kChunk) {
    // Neighbours differ in the low bits; a lane's stride through the chunk mixes classes within a
    // group no less.
    for (uint64_t i = 0; i < kChunk; ++i) {
      const auto value = static_cast<uint32_t>((base + i) * 0x9E3779B1u);  // odd: a permutation
      std::memcpy(packets[i / kPacket].data() + i % kPacket * 4, &value, 4);
    }
    if (!run(*rtl, oracle, packets, config, fmt::format("values {}..", base))) return false;
    progress.show(base + kChunk, kAll);
    if (sim::interrupted()) return false;
  }
  fmt::print("compressor k {} {}: all 2^32 values equal the reference, {:.0f} s\n", k,
             reference::mode_name(mode), progress.seconds());
  return true;
}

/// One packet of groups whose lanes all have the tag, payloads counting through the lanes.
std::vector<uint8_t> group_packet(reference::Tag tag, uint64_t first, uint64_t groups) {
  const int bytes = reference::payload_bytes(tag);
  const uint16_t tags = static_cast<uint16_t>(0x5555u * static_cast<unsigned>(tag));
  std::vector<uint8_t> stream;
  stream.reserve(groups * static_cast<uint64_t>(2 + kLanes * bytes));
  for (uint64_t g = 0; g < groups; ++g) {
    stream.push_back(static_cast<uint8_t>(tags));
    stream.push_back(static_cast<uint8_t>(tags >> 8));
    for (int lane = 0; lane < kLanes; ++lane) {
      const uint64_t payload = first + g * kLanes + static_cast<uint64_t>(lane);
      for (int b = 0; b < bytes; ++b) stream.push_back(static_cast<uint8_t>(payload >> (8 * b)));
    }
  }
  return stream;
}

bool codes() {
  const std::unique_ptr<Rtl> rtl = make_rtl("gw_decompressor");
  testbenches::DecompressorOracle oracle;
  Progress progress("decompressor, every code");
  for (int k = 1; k <= 14; ++k) {
    for (const reference::Mode mode : {reference::Mode::kBounded, reference::Mode::kPaper}) {
      const reference::CodecConfig config{.bound_exponent = k, .mode = mode};
      std::vector<std::vector<uint8_t>> packets;
      // Each code in each lane: the sequence starts at every lane once.
      for (uint64_t lane = 0; lane < kLanes; ++lane) {
        packets.push_back(group_packet(reference::Tag::kByte, lane, 256 / kLanes));
        packets.push_back(group_packet(reference::Tag::kHalf, lane, 65536 / kLanes));
      }
      if (!run(*rtl, oracle, packets, config, fmt::format("k {}", k))) return false;
    }
    progress.show(static_cast<uint64_t>(k), 14);
  }
  fmt::print(
      "decompressor: every 8- and 16-bit code in every lane equals the reference, k 1..14, both "
      "modes, {:.0f} s\n",
      progress.seconds());
  return true;
}

bool raw() {
  const std::unique_ptr<Rtl> rtl = make_rtl("gw_decompressor");
  testbenches::DecompressorOracle oracle;
  Progress progress("decompressor, every RAW word");
  for (uint64_t base = 0; base < kAll; base += kChunk) {
    std::vector<std::vector<uint8_t>> packets;
    for (uint64_t first = base; first < base + kChunk; first += kPacket) {
      packets.push_back(group_packet(reference::Tag::kRaw, first, kPacket / kLanes));
    }
    if (!run(*rtl, oracle, packets, {}, fmt::format("words {}..", base))) return false;
    progress.show(base + kChunk, kAll);
    if (sim::interrupted()) return false;
  }
  fmt::print("decompressor: all 2^32 RAW words equal the reference, {:.0f} s\n",
             progress.seconds());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string job = argc > 1 ? argv[1] : "";
  sim::catch_interrupts();
  if (job == "compress" && argc == 4) {
    const auto mode = reference::parse_mode(argv[3]);
    const auto config =
        reference::CodecConfig::make(std::atoi(argv[2]), mode.value_or(reference::Mode::kBounded));
    if (mode && config.config) return compress(config.config->bound_exponent, *mode) ? 0 : 1;
  }
  if (job == "codes" && argc == 2) return codes() ? 0 : 1;
  if (job == "raw" && argc == 2) return raw() ? 0 : 1;
  fmt::print(
      stderr,
      "usage: rtl_exhaustive compress K bounded|paper, rtl_exhaustive codes, rtl_exhaustive raw\n");
  return 2;
}
