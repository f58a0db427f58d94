// Stall generators: when a source withholds valid and when a sink withholds ready.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/base/random.h"

namespace gw::sim {

/// `--stall none|source:P|sink:P|both:P`, P in percent of the cycles, 1..99.
struct StallSpec {
  double source_percent = 0;
  double sink_percent = 0;

  /// Throws UsageError for anything else.
  static StallSpec parse(std::string_view text);
  std::string text() const;
  bool none() const { return source_percent <= 0 && sink_percent <= 0; }
};

/// One stall bit a cycle, drawn 64 cycles at a time.
class StallGenerator {
 public:
  StallGenerator(double percent, uint64_t seed)
      : random_(seed), p16_(static_cast<uint32_t>(percent * 655.36 + 0.5)) {}

  /// The bits of the next 64 cycles, the first in bit 0.
  uint64_t next64() { return random_.bits(p16_); }

 private:
  Random random_;
  uint32_t p16_;
};

}  // namespace gw::sim
