// SPDX-License-Identifier: Apache-2.0
#include "sim/feeds/tap.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

#include "sim/base/error.h"

namespace gw::sim {
namespace {

/// The kernel's end of the interface: a descriptor.
int attach(const std::string& name) {
  if (name.empty() || name.size() >= IFNAMSIZ || name.find_first_of("/ %") != std::string::npos) {
    throw UsageError(
        fmt::format("'{}' is no name of an interface (1 to {} characters)", name, IFNAMSIZ - 1));
  }
  const int device = ::open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (device < 0) {
    throw UsageError(
        fmt::format("TAP devices cannot be used here: /dev/net/tun: {}", std::strerror(errno)));
  }
  ifreq request = {};
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  name.copy(request.ifr_name, IFNAMSIZ - 1);
  if (ioctl(device, TUNSETIFF, &request) != 0) {
    const int reason = errno;
    ::close(device);
    if (reason == EPERM) {
      throw UsageError(fmt::format(
          "no right to hold the interface '{}': it takes CAP_NET_ADMIN, which `unshare -Urn` gives",
          name));
    }
    if (reason == EBUSY) {
      throw UsageError(fmt::format("the interface '{}' is held by another program", name));
    }
    if (reason == EINVAL) {
      throw UsageError(fmt::format("the interface '{}' is there and no TAP device", name));
    }
    throw UsageError(fmt::format("the interface '{}': {}", name, std::strerror(reason)));
  }
  return device;
}

[[noreturn]] void vanished(const std::string& name) {
  throw InputError(fmt::format("the interface '{}' has vanished", name));
}

}  // namespace

Tap::Tap(std::string name) : descriptor_(context_, attach(name)), name_(std::move(name)) {
  descriptor_.non_blocking(true);
}

size_t Tap::read(std::span<uint8_t> frame) {
  boost::system::error_code error;
  const size_t bytes =
      descriptor_.read_some(boost::asio::buffer(frame.data(), frame.size()), error);
  if (!error) return bytes;
  if (error == boost::asio::error::would_block || error == boost::asio::error::interrupted) {
    return 0;
  }
  if (error.value() == EBADFD) vanished(name_);
  throw InputError(fmt::format("the interface '{}': {}", name_, error.message()));
}

bool Tap::write(std::span<const uint8_t> frame) {
  boost::system::error_code error;
  descriptor_.write_some(boost::asio::buffer(frame.data(), frame.size()), error);
  if (error.value() == EBADFD) vanished(name_);
  return !error;
}

void Tap::wait(std::chrono::milliseconds longest) {
  descriptor_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                         [](const boost::system::error_code&) {});
  context_.restart();
  if (context_.run_for(longest) != 0) return;
  descriptor_.cancel();
  context_.run();
}

void Tap::fork(boost::asio::io_context::fork_event event) { context_.notify_fork(event); }

}  // namespace gw::sim
