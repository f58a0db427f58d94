// Captured values in synthesised framing: some of one worker's gradients in iterations that follow
// each other, for devices that carry residuals from one iteration to the next.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace gw::capture {

struct StepsOptions {
  std::string file;
  std::string data = {};  ///< folder of the MNIST files; empty: digits are drawn
  uint64_t seed = 1;
  size_t worker = 0;             ///< of kStepsWorkers, whose gradients are written
  size_t first_iteration = 160;  ///< counted from 1
  size_t iterations = 16;
  size_t first_value = 392'500;  ///< where the weights of the second layer begin
  size_t values = 16'384;        ///< a multiple of 8, so that each iteration has the same rows
};

inline constexpr size_t kStepsWorkers = 4;
/// Values of a packet but for an iteration's last one: the most whole rows of eight in an Ethernet
/// frame, UDP.
inline constexpr size_t kStepsPacketValues = 360;

/// HDC as the captures have it (SGD, Table I of INCEPTIONN), float sums; the worker's own gradients
/// before they are exchanged. Marked UDP datagrams of one flow, one a microsecond, iterations 1 ms
/// apart. Throws std::runtime_error: data that is not there, a range that the network or the run
/// does not have, a file that cannot be written.
void write_steps(const StepsOptions& options);

}  // namespace gw::capture
