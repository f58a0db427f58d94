// One of the processes that train together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gw::capture {

struct WorkerOptions {
  std::size_t rank = 0;
  std::vector<std::string> addresses;  ///< of all workers, by rank
  std::string interface = "eth0";      ///< on which worker 1 captures
  std::filesystem::path data;          ///< folder of the MNIST files; empty: draw digits
  std::filesystem::path output;        ///< of captures and of what is known about them
  std::filesystem::path copy;          ///< the file that is copied beside, for mixed.pcap
  std::uint64_t seed = 1;
  std::size_t max_file_bytes = 1000000;
  int quantise = 0;   ///< bound 2^-k of the lossy NICs on the way; 0: there are none
  bool watch = true;  ///< capture
  bool sum = false;   ///< use the sum of the workers' gradients as it is, not their mean

  // Table I of the paper, column HDC.
  /// 0: as many as pass over the digits as often as Table I does, which is 10,000 iterations of 100
  /// of MNIST's 60,000 images: 16.7 times. (With fewer images, 10,000 iterations end in gradients
  /// of nothing but zero.)
  std::size_t iterations = 0;
  std::size_t batch = 25;
  float learning_rate = 0.1f;
  float learning_rate_reduction = 5;
  std::size_t reduction_iterations = 0;  ///< 0: a fifth of the iterations (2,000 of 10,000)
  float momentum = 0.9f;
  float weight_decay = 0.00005f;

  // When to capture; 0: early 10, middle (of the learning) at an eighth, mixed after it, late at
  // the end.
  std::size_t early = 0, middle = 0, mixed = 0, late = 0;
};

inline constexpr std::uint8_t kMark = 0x28;

/// Trains; throws std::runtime_error.
void run_worker(WorkerOptions options);

}  // namespace gw::capture
