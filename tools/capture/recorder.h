// Captures one link with libpcap, and cuts what it saw to a file of limited size.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "models/reference/capture/capture.h"

namespace gw::capture {

/// Listens on an interface from construction on. The kernel keeps the packets until stop() fetches
/// them: nothing runs beside the training. Throws std::runtime_error.
class Recorder {
 public:
  explicit Recorder(const std::string& interface);
  ~Recorder();
  /// All packets so far. Throws when the kernel had to drop one.
  Capture stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// One window of a cut: packets that were neighbours on the link.
struct Window {
  std::string what;         ///< "set-up", "0>1 step 1", ..., "end", or several of them
  std::uint64_t first = 0;  ///< packet numbers in the cut file
  std::uint64_t last = 0;
  std::uint64_t first_on_link = 0;  ///< number of its first packet in the whole capture
};

struct CutOptions {
  /// What one worker sends to the next.
  struct RingFlow {
    std::string name;  ///< "0>1"
    std::uint32_t source_ip = 0;
    std::uint32_t destination_ip = 0;
    std::vector<std::size_t> step_bytes;  ///< how much in each ring step
  };
  std::vector<RingFlow> flows;
  std::uint64_t max_file_bytes = 1000000;
};

/// Writes the connections' set-up (every SYN), a window out of every ring step of every flow, and
/// the end. The windows start at growing depth of their steps' blocks, the last ones end with their
/// blocks, so that all layers of the network occur. Throws std::runtime_error.
std::vector<Window> cut(const Capture& capture, const std::filesystem::path& file,
                        const CutOptions& options);

}  // namespace gw::capture
