// Captures one link with libpcap, and cuts what it saw to a file of limited size.
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
  std::string what;         ///< "set-up", "step 1", ..., "end"
  std::uint64_t first = 0;  ///< packet numbers in the cut file
  std::uint64_t last = 0;
};

struct CutOptions {
  FlowKey incoming;  ///< the flow by which windows are placed (ports are ignored)
  std::vector<std::size_t> step_bytes;  ///< how many bytes it carries in each ring step
  std::uint64_t max_file_bytes = 1000000;
};

/// Writes the connections' set-up, one window out of every ring step and the end. The windows start
/// at different depths of their steps' blocks, so that all layers of the network occur. Throws
/// std::runtime_error.
std::vector<Window> cut(const Capture& capture, const std::filesystem::path& file,
                        const CutOptions& options);

}  // namespace gw::capture
