// A TAP device of Linux: one end of a network interface, held by a program. Frames are Ethernet's,
// without FCS, one a read or write; no offload, no vnet header.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace gw::sim {

class Tap {
 public:
  static constexpr size_t kLongest = 65'553;  ///< bytes of the longest frame that can be read

  /// Holds the interface `name`, made if there is none. Throws UsageError: no rights, no TAP in
  /// this kernel, a wrong name, another program holds it.
  explicit Tap(std::string name);
  const std::string& name() const { return name_; }

  /// Bytes of the next frame, written into `frame`; 0: none waits. Throws InputError if the
  /// interface has vanished.
  size_t read(std::span<uint8_t> frame);
  /// False: the interface refused the frame (it is down, or its queue is full). Throws as `read`.
  bool write(std::span<const uint8_t> frame);
  /// Until a frame waits, or so long.
  void wait(std::chrono::milliseconds longest);
  /// Before a fork, and after it in both processes.
  void fork(boost::asio::io_context::fork_event event);

 private:
  boost::asio::io_context context_;
  boost::asio::posix::stream_descriptor descriptor_;
  std::string name_;
};

}  // namespace gw::sim
