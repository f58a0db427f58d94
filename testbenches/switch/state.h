// What an optimizer knows, between two frames: parameters, states, registers. A run that is
// stopped, saved, loaded and continued computes what one does that was not stopped.
//
// As a file: magic, version, configuration in words, what is held, CRC-32 of all before it; numbers
// little-endian. It is written whole or not at all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "testbenches/switch/options.h"

namespace gw::testbenches {

struct OptimizerState {
  uint64_t iterations = 0;                   ///< begun so far
  std::array<uint32_t, 7> registers{};       ///< lr ... bias, as the host wrote them
  std::array<uint32_t, 7> active{};          ///< as the last iteration uses them
  uint32_t iteration = 0;                    ///< the number that frames gave it ...
  bool iterating = false;                    ///< ... if there was one
  std::array<uint32_t, 2> powers{};          ///< beta1^t, beta2^t
  std::vector<std::vector<uint32_t>> cells;  ///< theta, then each state, parameter by parameter
};

/// Before the first step.
OptimizerState initial_state(const NetworkSpec& net, uint64_t seed);

/// Throws InputError.
void save_state(const std::string& path, const NetworkSpec& net, const OptimizerState& state);
/// Throws InputError: no state file, cut, damaged, of another version or configuration.
OptimizerState load_state(const std::string& path, const NetworkSpec& net);

}  // namespace gw::testbenches
