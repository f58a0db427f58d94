// A run that can be advanced a quantum of cycles at a time, whatever its engines are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace gw::sim {

class Steppable {
 public:
  virtual ~Steppable() = default;
  /// Simulates at most n cycles; false when the run is over.
  virtual bool advance(uint64_t n) = 0;
};

}  // namespace gw::sim
