// Runs random packets through the compressor and the decompressor behind it and checks what comes
// back: values of RAW class bit for bit, all others within the bound and of the same sign. Needs
// nothing but Verilator: Makefile.verilator.
// SPDX-License-Identifier: Apache-2.0
#include <verilated.h>
#if VM_TRACE
#include <verilated_fst_c.h>
#endif

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <random>

#include "Vroundtrip.h"

namespace {

struct Beat {
  float lane[8];
  bool last;
};

constexpr int kBound = 10;  // 2^-10

[[noreturn]] void fail(const char* what, uint64_t cycle) {
  std::printf("FAIL cycle=%llu: %s\n", static_cast<unsigned long long>(cycle), what);
  std::exit(1);
}

bool matches(float sent, float got) {
  uint32_t s, g;
  std::memcpy(&s, &sent, 4);
  std::memcpy(&g, &got, 4);
  if ((s >> 23 & 0xFF) >= 127) return s == g;
  return std::fabs(sent - got) < std::ldexp(1.0F, -kBound) && (g == 0 || s >> 31 == g >> 31);
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t cycles = argc > 1 ? std::strtoull(argv[1], nullptr, 0) : 1000000;
  const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 0) : 1;
  const char* waves = argc > 3 ? argv[3] : nullptr;

  VerilatedContext context;
  context.traceEverOn(waves != nullptr);
  const auto top = std::make_unique<Vroundtrip>(&context);
#if VM_TRACE
  VerilatedFstC trace;
  if (waves != nullptr) {
    top->trace(&trace, 99);
    trace.open(waves);
  }
#else
  if (waves != nullptr) fail("built without waves", 0);
#endif
  auto edge = [&] {
    for (const int level : {1, 0}) {
      top->aclk = level;
      top->eval();
      context.timeInc(5);
#if VM_TRACE
      if (waves != nullptr) trace.dump(context.time());
#endif
    }
  };

  std::mt19937_64 random(seed);
  top->bound_i = kBound;
  top->bounded_i = 1;
  top->aresetn = 0;
  top->s_axis_tkeep = 0xFFFFFFFF;
  for (int i = 0; i < 3; ++i) edge();
  top->aresetn = 1;

  std::deque<Beat> expected;
  Beat offered{};
  bool offering = false;
  uint64_t sent = 0, packed = 0, returned = 0, left_in_packet = 0;
  for (uint64_t cycle = 0; cycle < cycles; ++cycle) {
    if (!offering && random() % 8 != 0) {
      if (left_in_packet == 0) left_in_packet = 1 + random() % 46;
      for (float& value : offered.lane) {
        // Four of five are gradients: 2^-12 to 1; the rest up to 4.
        const uint64_t r = random();
        const uint32_t exponent = r % 5 != 0 ? 115 + r / 5 % 12 : 126 + r / 5 % 3;
        const uint32_t bits = (r >> 32 & 0x807FFFFF) | exponent << 23;
        std::memcpy(&value, &bits, 4);
      }
      offered.last = --left_in_packet == 0;
      offering = true;
    }
    top->s_axis_tvalid = offering;
    top->s_axis_tlast = offered.last;
    std::memcpy(&top->s_axis_tdata[0], offered.lane, 32);
    top->m_axis_tready = random() % 8 != 0;

    const bool accepted = top->s_axis_tvalid && top->s_axis_tready;
    if (top->m_axis_tvalid && top->m_axis_tready) {
      if (expected.empty()) fail("a beat that was never sent", cycle);
      float got[8];
      std::memcpy(got, &top->m_axis_tdata[0], 32);
      for (int i = 0; i < 8; ++i) {
        if (!matches(expected.front().lane[i], got[i])) fail("a value beyond the bound", cycle);
      }
      if (top->m_axis_tlast != expected.front().last) fail("a packet of another length", cycle);
      if (top->m_axis_tuser) fail("a packet in error", cycle);
      expected.pop_front();
      ++returned;
    }
    packed += top->packed_o;
    edge();
    if (accepted) {
      expected.push_back(offered);
      offering = false;
      ++sent;
    }
  }
#if VM_TRACE
  if (waves != nullptr) trace.close();
#endif
  if (returned == 0 || expected.size() > 128) fail("beats were lost", cycles);
  std::printf(
      "PASS cycles=%llu sent=%llu packed=%llu returned=%llu: %.2f bytes in for one packed, bound "
      "2^-%d held\n",
      static_cast<unsigned long long>(cycles), static_cast<unsigned long long>(sent),
      static_cast<unsigned long long>(packed), static_cast<unsigned long long>(returned),
      static_cast<double>(sent) / static_cast<double>(packed), kBound);
}
