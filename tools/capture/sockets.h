// TCP between the workers: the ring that carries gradients, and the star that carries control
// messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gw::capture {

/// A file descriptor that closes itself.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Socket& operator=(Socket&& other) noexcept;
  ~Socket() { close(); }
  void close();
  int fd() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

  void send_all(const void* data, std::size_t size) const;
  /// False when the other side closed before the first byte.
  bool receive_all(void* data, std::size_t size) const;

 private:
  int fd_ = -1;
};

/// All of these throw std::runtime_error. tos 0: no mark. Every wait ends after kPatienceMs.
inline constexpr int kPatienceMs = 60000;
Socket listen_on(const std::string& address, std::uint16_t port, std::uint8_t tos);
Socket accept_from(const Socket& listener);
/// Tries again while nobody listens there yet.
Socket connect_to(const std::string& address, std::uint16_t port, std::uint8_t tos);

/// Ports of the experiment.
inline constexpr std::uint16_t kRingPort = 7000;
inline constexpr std::uint16_t kControlPort = 7001;
inline constexpr std::uint16_t kCopyPort = 7002;

struct Range {
  std::size_t first = 0;
  std::size_t count = 0;
};
/// Block i of n: as even as whole floats allow.
Range block_of(std::size_t floats, std::size_t workers, std::size_t i);

/// The gradient exchange of Algorithm 1: every worker sends to the next one and receives from the
/// previous one.
class Ring {
 public:
  Ring(std::size_t rank, std::vector<std::string> addresses, std::uint8_t tos);
  /// A connection to the next worker, and one from the previous worker.
  void connect();
  void close();
  bool is_connected() const { return next_.is_open(); }

  /// Sums the gradients of all workers: when it returns, every worker has the same sum.
  ///
  /// `quantise` k: a lossy NIC with the bound 2^-k is on the way. Then the owner of a finished
  /// block would keep the exact sum, and the others get the decoded one; so it takes
  /// decode(encode(block)) before it sends it. The codec does nothing to that a second time,
  /// however TCP cuts it. 0: none.
  void all_reduce(std::span<float> gradient, int quantise = 0);

  /// The block that worker `rank` sends in step 1..2N-2: blk[(i - s + 1) % N] in both phases. Line
  /// 17 of Algorithm 1 as printed sends blk[(i - s + 2) % N] in the second one, which is not yet a
  /// complete sum; Figure 6 and the text ("worker[3] sends blk[0] to worker[0]" in step 4) have it
  /// as here.
  static std::size_t sent_block(std::size_t rank, std::size_t workers, std::size_t step);
  /// What it sends in all of these steps, of so many floats.
  static std::size_t sent_bytes(std::size_t rank, std::size_t workers, std::size_t floats);

 private:
  void exchange(std::span<const float> outgoing, std::span<float> incoming);
  std::size_t rank_;
  std::vector<std::string> addresses_;
  std::uint8_t tos_;
  Socket listener_, next_, previous_;
  std::vector<float> received_;
};

/// Control messages: worker 0 collects one number from everybody and answers all of them with the
/// mean; a barrier.
class Control {
 public:
  Control(std::size_t rank, const std::vector<std::string>& addresses);
  float mean(float mine);
  void barrier() { mean(0); }

 private:
  struct Message {
    std::uint32_t kind;
    float value;
  };
  std::size_t rank_;
  std::vector<Socket> others_;  ///< worker 0: all the others, by rank - 1; else: worker 0
};

}  // namespace gw::capture
