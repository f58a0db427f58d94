// Every binary32 value through the RTL compressor, every code and every RAW word through the RTL
// decompressor, each beat scored against the reference. Slow: tools/test-slow.sh runs all of it.
//
//   rtl_exhaustive compress K MODE    all 2^32 floats
//   rtl_exhaustive codes              every 8- and 16-bit code, all lanes, every bound and mode
//   rtl_exhaustive raw                all 2^32 words as RAW
#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <string>

#include "models/reference/codec.h"
#include "sim/run/device.h"
#include "sim/harness/kernel.h"

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

bool run(const sim::StreamDevice& device, const sim::Stimulus& stimulus, const sim::RunSpec& spec,
         const std::string& where) {
  const sim::Outcome outcome = device.run(stimulus, spec, sim::Kernel::instance());
  if (outcome.passed) return true;
  const sim::Failure& f = outcome.failure;
  fmt::print("FAIL {} {}: cycle {} {}_{} rtl {} reference {} {}\n", device.name(), where, f.cycle,
             f.port, f.signal, f.value_a, f.value_b, f.text);
  return false;
}

sim::RunSpec rtl_only(int k, reference::Mode mode) {
  sim::RunSpec spec;
  spec.model = false;
  spec.codec = {.bound_exponent = k, .mode = mode};
  return spec;
}

bool compress(int k, reference::Mode mode) {
  const sim::StreamDevice& device = sim::stream_device("compressor");
  const sim::RunSpec spec = rtl_only(k, mode);
  Progress progress(fmt::format("compressor, k {} {}", k, reference::mode_name(mode)));
  std::vector<sim::GradientPacket> packets(kChunk / kPacket);
  for (sim::GradientPacket& packet : packets) packet.values.resize(kPacket);
  for (uint64_t base = 0; base < kAll; base += kChunk) {
    // Neighbours differ in the low bits; a lane's stride through the chunk mixes classes within a
    // group no less.
    for (uint64_t i = 0; i < kChunk; ++i) {
      packets[i / kPacket].values[i % kPacket] =
          static_cast<uint32_t>((base + i) * 0x9E3779B1u);  // odd: a permutation
    }
    if (!run(device, device.stimulus(packets, spec), spec, fmt::format("values {}..", base)))
      return false;
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
  const sim::StreamDevice& device = sim::stream_device("decompressor");
  Progress progress("decompressor, every code");
  for (int k = 1; k <= 14; ++k) {
    for (const reference::Mode mode : {reference::Mode::kBounded, reference::Mode::kPaper}) {
      const sim::RunSpec spec = rtl_only(k, mode);
      std::vector<std::vector<uint8_t>> packets;
      // Each code in each lane: the sequence starts at every lane once.
      for (uint64_t lane = 0; lane < kLanes; ++lane) {
        packets.push_back(group_packet(reference::Tag::kByte, lane, 256 / kLanes));
        packets.push_back(group_packet(reference::Tag::kHalf, lane, 65536 / kLanes));
      }
      if (!run(device, device.stimulus_from_bytes(packets, spec), spec, fmt::format("k {}", k)))
        return false;
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
  const sim::StreamDevice& device = sim::stream_device("decompressor");
  const sim::RunSpec spec = rtl_only(10, reference::Mode::kBounded);
  Progress progress("decompressor, every RAW word");
  for (uint64_t base = 0; base < kAll; base += kChunk) {
    std::vector<std::vector<uint8_t>> packets;
    for (uint64_t first = base; first < base + kChunk; first += kPacket) {
      packets.push_back(group_packet(reference::Tag::kRaw, first, kPacket / kLanes));
    }
    if (!run(device, device.stimulus_from_bytes(packets, spec), spec,
             fmt::format("words {}..", base)))
      return false;
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
