// SPDX-License-Identifier: Apache-2.0
#include "tools/capture/sockets.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "models/reference/codec.h"

namespace gw::capture {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(fmt::format("{}: {}.", what, std::strerror(errno)));
}

sockaddr_in address_of(const std::string& address, std::uint16_t port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_port = htons(port);
  if (inet_pton(AF_INET, address.c_str(), &out.sin_addr) != 1) {
    throw std::runtime_error(fmt::format("{} is not an IPv4 address.", address));
  }
  return out;
}

Socket make_socket(std::uint8_t tos) {
  Socket s(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!s.is_open()) fail("A socket cannot be made");
  const int one = 1, mark = tos;
  const timeval patience{kPatienceMs / 1000, 0};
  if (setsockopt(s.fd(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0 ||
      setsockopt(s.fd(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) != 0 ||
      setsockopt(s.fd(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0 ||
      setsockopt(s.fd(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) != 0) {
    fail("A socket cannot be configured");
  }
  // Section VI-B: the mark is set by setsockopt, for each connection. An accepted socket inherits
  // it.
  if (tos != 0 && setsockopt(s.fd(), IPPROTO_IP, IP_TOS, &mark, sizeof mark) != 0) {
    fail("A socket cannot be marked");
  }
  return s;
}

void quantised(std::span<float> values, int bound) {
  const reference::CodecConfig codec{bound, reference::Mode::kBounded};
  std::vector<std::uint32_t> words(values.size());
  std::memcpy(words.data(), values.data(), values.size_bytes());
  std::vector<std::uint8_t> stream;
  reference::encode(words, codec, stream);
  // Whole groups come back.
  std::memcpy(values.data(), reference::decode(stream, codec).values.data(), values.size_bytes());
}

}  // namespace

Socket& Socket::operator=(Socket&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = other.fd_;
    other.fd_ = -1;
  }
  return *this;
}

void Socket::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void Socket::send_all(const void* data, std::size_t size) const {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t n = ::send(fd_, at, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("Another worker cannot be sent to");
    at += n;
    size -= static_cast<std::size_t>(n);
  }
}

bool Socket::receive_all(void* data, std::size_t size) const {
  char* at = static_cast<char*>(data);
  const std::size_t all = size;
  while (size > 0) {
    const ssize_t n = ::recv(fd_, at, size, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0 && size == all) return false;
    if (n == 0) throw std::runtime_error("Another worker closed its connection.");
    if (n < 0) fail("Another worker does not answer");
    at += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

Socket listen_on(const std::string& address, std::uint16_t port, std::uint8_t tos) {
  Socket s = make_socket(tos);
  const sockaddr_in at = address_of(address, port);
  if (bind(s.fd(), reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0 ||
      listen(s.fd(), 16) != 0) {
    fail(fmt::format("{}:{} cannot be listened on", address, port));
  }
  return s;
}

Socket accept_from(const Socket& listener) {
  pollfd p{listener.fd(), POLLIN, 0};
  if (poll(&p, 1, kPatienceMs) <= 0) throw std::runtime_error("Nobody connected.");
  Socket s(accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!s.is_open()) fail("A connection cannot be accepted");
  return s;
}

Socket connect_to(const std::string& address, std::uint16_t port, std::uint8_t tos) {
  const sockaddr_in to = address_of(address, port);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPatienceMs);
  for (;;) {
    Socket s = make_socket(tos);
    if (::connect(s.fd(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) return s;
    if (std::chrono::steady_clock::now() > end) {
      fail(fmt::format("{}:{} cannot be connected to", address, port));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

Range block_of(std::size_t floats, std::size_t workers, std::size_t i) {
  const std::size_t small = floats / workers, rest = floats % workers;
  return {i * small + std::min(i, rest), small + (i < rest ? 1 : 0)};
}

Ring::Ring(std::size_t rank, std::vector<std::string> addresses, std::uint8_t tos)
    : rank_(rank),
      addresses_(std::move(addresses)),
      tos_(tos),
      listener_(listen_on(addresses_[rank], kRingPort, tos)) {}

void Ring::connect() {
  next_ = connect_to(addresses_[(rank_ + 1) % addresses_.size()], kRingPort, tos_);
  previous_ = accept_from(listener_);
}

void Ring::close() {
  next_.close();
  previous_.close();
}

std::size_t Ring::sent_block(std::size_t rank, std::size_t workers, std::size_t step) {
  return (rank + 2 * workers - step + 1) % workers;
}

std::size_t Ring::sent_bytes(std::size_t rank, std::size_t workers, std::size_t floats) {
  std::size_t sum = 0;
  for (std::size_t step = 1; step <= 2 * workers - 2; ++step) {
    sum += sizeof(float) * block_of(floats, workers, sent_block(rank, workers, step)).count;
  }
  return sum;
}

void Ring::all_reduce(std::span<float> gradient, int quantise) {
  const std::size_t n = addresses_.size();
  const std::size_t before = (rank_ + n - 1) % n;
  for (std::size_t step = 1; step <= 2 * n - 2; ++step) {
    const Range out = block_of(gradient.size(), n, sent_block(rank_, n, step));
    const Range in = block_of(gradient.size(), n, sent_block(before, n, step));
    const auto local = gradient.subspan(in.first, in.count);
    if (step == n && quantise != 0) quantised(gradient.subspan(out.first, out.count), quantise);
    received_.resize(in.count);
    exchange(gradient.subspan(out.first, out.count), received_);
    if (step < n) {
      for (std::size_t k = 0; k < in.count; ++k) local[k] += received_[k];
    } else {
      std::memcpy(local.data(), received_.data(), received_.size() * sizeof(float));
    }
  }
}

void Ring::exchange(std::span<const float> outgoing, std::span<float> incoming) {
  const auto out = std::as_bytes(outgoing);
  const auto in = std::as_writable_bytes(incoming);
  std::size_t sent = 0, received = 0;
  while (sent < out.size() || received < in.size()) {
    pollfd p[2] = {{sent < out.size() ? next_.fd() : -1, POLLOUT, 0},
                   {received < in.size() ? previous_.fd() : -1, POLLIN, 0}};
    const int ready = poll(p, 2, kPatienceMs);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) throw std::runtime_error("A neighbour in the ring does not answer.");
    if (p[0].revents != 0) {
      const ssize_t n =
          ::send(next_.fd(), out.data() + sent, out.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n < 0 && errno != EAGAIN && errno != EINTR) fail("The next worker cannot be sent to");
      if (n > 0) sent += static_cast<std::size_t>(n);
    }
    if (p[1].revents != 0) {
      const ssize_t n =
          ::recv(previous_.fd(), in.data() + received, in.size() - received, MSG_DONTWAIT);
      if (n == 0) throw std::runtime_error("The previous worker closed its connection.");
      if (n < 0 && errno != EAGAIN && errno != EINTR) fail("The previous worker is gone");
      if (n > 0) received += static_cast<std::size_t>(n);
    }
  }
}

Control::Control(std::size_t rank, const std::vector<std::string>& addresses) : rank_(rank) {
  if (rank != 0) {
    others_.push_back(connect_to(addresses[0], kControlPort, 0));
    const Message hello{static_cast<std::uint32_t>(rank), 0};
    others_[0].send_all(&hello, sizeof hello);
    return;
  }
  const Socket listener = listen_on(addresses[0], kControlPort, 0);
  others_.resize(addresses.size() - 1);
  for (std::size_t i = 1; i < addresses.size(); ++i) {
    Socket s = accept_from(listener);
    const int one = 1;
    setsockopt(s.fd(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    Message hello{};
    if (!s.receive_all(&hello, sizeof hello) || hello.kind == 0 || hello.kind > others_.size()) {
      throw std::runtime_error("A worker introduced itself wrongly.");
    }
    others_[hello.kind - 1] = std::move(s);
  }
}

float Control::mean(float mine) {
  Message message{1, mine};
  const auto receive = [&](const Socket& s) {
    if (!s.receive_all(&message, sizeof message)) throw std::runtime_error("A worker is gone.");
    return message.value;
  };
  if (rank_ != 0) {
    others_[0].send_all(&message, sizeof message);
    return receive(others_[0]);
  }
  float sum = mine;
  for (const auto& s : others_) sum += receive(s);
  message = {2, sum / static_cast<float>(others_.size() + 1)};
  for (const auto& s : others_) s.send_all(&message, sizeof message);
  return message.value;
}

}  // namespace gw::capture
