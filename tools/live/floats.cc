// floats: sends binary32 values over TCP or UDP in writes of chosen sizes, and checks on the other
// side that each arrived within the error bound: what a lossy NIC between them must keep.
//
// Both sides make the same values from the seed. A datagram begins with its number as a float of at
// least 1.0, which no codec here changes, so that lost ones are known. So ends what is sent: after
// the last value, or in a datagram of its own, with +inf and how many values there were. Without
// that end a stream was cut, wherever it was.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <bit>
#include <boost/asio.hpp>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <exception>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using asio::ip::udp;
using Clock = std::chrono::steady_clock;

constexpr size_t kDatagram = 356;  ///< floats, the number among them
constexpr uint32_t kOne = 0x3F800000;
constexpr uint32_t kInfinity = 0x7F800000;
constexpr size_t kEnd = 16;  ///< bytes of the end: +inf and three times 22 bits of the count
constexpr auto kPatience = std::chrono::seconds(30);

struct Options {
  std::string to = "127.0.0.1";
  uint16_t port = 7010;
  uint64_t count = 1'000'000, seed = 1;
  std::optional<uint64_t> expected;  ///< of the receiver's --count
  double lose = 0;                   ///< percent of the datagrams that may get lost
  std::vector<size_t> writes = {65536};
  std::string tos = "0x28";
  int bound = 10;
  bool datagrams = false, exact = false;
};

/// Value i: gradients as they are, with the rare ones that codecs stumble over.
uint32_t value(uint64_t seed, uint64_t i) {
  uint64_t z = (seed << 40) + i * 0x9E3779B97F4A7C15ull;  // splitmix64
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ z >> 27) * 0x94D049BB133111EBull;
  z ^= z >> 31;
  const auto word = static_cast<uint32_t>(z);
  const auto kind = static_cast<uint32_t>(z >> 32);
  if (kind % 1024 == 0) return word;  // anything: NaN, Inf, subnormals too
  if (kind % 64 == 1) return 0;
  const uint32_t below = kind >> 8 & 15;  // exponents 127 - 15 to 127, each rarer than the next
  const uint32_t exponent = 127 - std::max(below, kind >> 12 & 15);
  return (word & 0x807FFFFF) | exponent << 23;
}

class Score {
 public:
  Score(int bound, uint64_t seed) : bound_(std::ldexp(1.0, -bound)), seed_(seed) {}
  void add(uint64_t i, uint32_t got) {
    ++values_;
    const uint32_t want = value(seed_, i);
    if (got == want) return;
    ++changed_;
    const double a = std::bit_cast<float>(want), b = std::bit_cast<float>(got);
    const double error = std::fabs(a - b);
    // Whatever is 1.0 or more, or no number, must arrive as it was.
    if (!(std::fabs(a) < 1) || !(error < bound_)) {
      if (over_++ == 0) first_ = fmt::format("value {}: {:08x} arrived as {:08x}", i, want, got);
    } else {
      largest_ = std::max(largest_, error);
    }
  }
  uint64_t values() const { return values_; }
  uint64_t over() const { return over_; }
  uint64_t changed() const { return changed_; }
  std::string text() const {
    std::string out =
        fmt::format("{} values, {} changed, {} over the bound, largest error {:.4f} of the bound",
                    values_, changed_, over_, largest_ / bound_);
    if (!first_.empty()) out += "; first: " + first_;
    return out;
  }

 private:
  double bound_;
  uint64_t seed_, values_ = 0, changed_ = 0, over_ = 0;
  double largest_ = 0;
  std::string first_;
};

/// What this host's kernel has counted: segments and datagrams with a wrong checksum.
uint64_t checksum_errors() {
  std::ifstream file("/proc/net/snmp");
  uint64_t sum = 0;
  for (std::string names, numbers; std::getline(file, names) && std::getline(file, numbers);) {
    std::istringstream name(names), number(numbers);
    for (std::string n, v; name >> n && number >> v;) {
      if (n == "InCsumErrors" && !names.starts_with("Icmp")) sum += std::stoull(v);
    }
  }
  return sum;
}

void set_tos(int socket, const std::string& text) {
  size_t end = 0;
  const int tos = std::stoi(text, &end, 0);
  if (end != text.size() || tos < 0 || tos > 255) {
    throw std::runtime_error(fmt::format("--tos '{}' is no byte", text));
  }
  if (setsockopt(socket, IPPROTO_IP, IP_TOS, &tos, sizeof tos) != 0) {
    throw std::runtime_error(fmt::format("ToS {}: {}", text, std::strerror(errno)));
  }
}

std::vector<uint8_t> bytes_of(uint64_t seed, uint64_t first, size_t count) {
  std::vector<uint8_t> bytes(4 * count);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t word = value(seed, first + i);
    for (size_t b = 0; b < 4; ++b) bytes[4 * i + b] = static_cast<uint8_t>(word >> 8 * b);
  }
  return bytes;
}

uint32_t word_at(const uint8_t* bytes) {
  return static_cast<uint32_t>(bytes[0]) | static_cast<uint32_t>(bytes[1]) << 8 |
         static_cast<uint32_t>(bytes[2]) << 16 | static_cast<uint32_t>(bytes[3]) << 24;
}

void store_word(uint8_t* bytes, uint32_t word) {
  for (size_t b = 0; b < 4; ++b) bytes[b] = static_cast<uint8_t>(word >> 8 * b);
}

/// Says that `count` values were sent.
std::array<uint8_t, kEnd> end_of(uint64_t count) {
  std::array<uint8_t, kEnd> bytes;
  store_word(bytes.data(), kInfinity);
  for (size_t i = 0; i < 3; ++i) {
    store_word(&bytes[4 + 4 * i], kOne | (static_cast<uint32_t>(count >> 22 * i) & 0x3FFFFF));
  }
  return bytes;
}

/// The count that an end says; none: it is no end.
std::optional<uint64_t> count_of(const uint8_t* bytes) {
  if (word_at(bytes) != kInfinity) return std::nullopt;
  uint64_t count = 0;
  for (size_t i = 0; i < 3; ++i) {
    const uint32_t part = word_at(bytes + 4 + 4 * i) ^ kOne;
    if (part >> 22 != 0) return std::nullopt;
    count |= uint64_t{part} << 22 * i;
  }
  return count;
}

void send_stream(asio::io_context& context, const Options& o) {
  tcp::socket socket(context);
  const tcp::endpoint there(asio::ip::make_address(o.to), o.port);
  const auto until = Clock::now() + kPatience;
  for (;;) {
    boost::system::error_code error;
    socket.open(tcp::v4());
    set_tos(socket.native_handle(), o.tos);  // before SYN: the mark is the connection's
    socket.connect(there, error);
    if (!error) break;
    socket.close();
    if (Clock::now() > until) throw boost::system::system_error(error);
    usleep(100'000);
  }
  socket.set_option(tcp::no_delay(true));
  size_t at = 0, write = 0;
  std::vector<uint8_t> waiting;
  bool ended = false;
  for (uint64_t sent = 0; !ended || at < waiting.size();) {
    const size_t size = o.writes[write++ % o.writes.size()];
    while (waiting.size() - at < size && sent < o.count) {
      const auto n = static_cast<size_t>(std::min<uint64_t>(16384, o.count - sent));
      waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(at));
      at = 0;
      const std::vector<uint8_t> more = bytes_of(o.seed, sent, n);
      waiting.insert(waiting.end(), more.begin(), more.end());
      sent += n;
    }
    if (sent == o.count && !ended) {
      const std::array<uint8_t, kEnd> end = end_of(o.count);
      waiting.insert(waiting.end(), end.begin(), end.end());
      ended = true;
    }
    const size_t n = std::min(size, waiting.size() - at);
    asio::write(socket, asio::buffer(waiting.data() + at, n));
    at += n;
  }
  socket.shutdown(tcp::socket::shutdown_send);
  // The other side has checked everything when it closes.
  std::array<char, 1> end;
  boost::system::error_code error;
  socket.read_some(asio::buffer(end), error);
}

void send_datagrams(asio::io_context& context, const Options& o) {
  udp::socket socket(context, udp::v4());
  set_tos(socket.native_handle(), o.tos);
  const udp::endpoint there(asio::ip::make_address(o.to), o.port);
  const uint64_t packets = o.count / (kDatagram - 1);
  for (uint64_t i = 0; i < packets; ++i) {
    std::vector<uint8_t> bytes = bytes_of(o.seed, i * (kDatagram - 1), kDatagram - 1);
    std::array<uint8_t, 4> number;
    store_word(number.data(), kOne + static_cast<uint32_t>(i));
    bytes.insert(bytes.begin(), number.begin(), number.end());
    socket.send_to(asio::buffer(bytes), there);
    usleep(200);  // UDP does not ask whether anyone can keep up
  }
  const std::array<uint8_t, kEnd> end = end_of(o.count);
  for (int i = 0; i < 10; ++i) {  // it may get lost, too
    socket.send_to(asio::buffer(end), there);
    usleep(20'000);
  }
}

/// What arrived, beside the values themselves.
struct Arrival {
  uint64_t values = 0;           ///< each counted once
  size_t rest = 0;               ///< bytes of a value that is not whole
  std::optional<uint64_t> sent;  ///< as the sender's end says; none: it did not arrive
};

Arrival receive_stream(asio::io_context& context, const Options& o, Score& score) {
  tcp::acceptor acceptor(context, {tcp::v4(), o.port});
  tcp::socket socket = acceptor.accept();
  std::vector<uint8_t> bytes(1 << 16);
  size_t have = 0;
  Arrival out;
  for (;;) {
    boost::system::error_code error;
    have += socket.read_some(asio::buffer(bytes.data() + have, bytes.size() - have), error);
    // The last bytes may be the end.
    size_t at = 0;
    const size_t until = have - std::min(have, kEnd);
    for (; at + 4 <= until; at += 4) score.add(out.values++, word_at(&bytes[at]));
    std::memmove(bytes.data(), bytes.data() + at, have - at);
    have -= at;
    if (error == asio::error::eof || error == asio::error::connection_reset) break;
    if (error) throw boost::system::system_error(error);
  }
  if (have == kEnd) out.sent = count_of(bytes.data());
  if (out.sent) return out;
  out.rest = have % 4;
  for (size_t at = 0; at + 4 <= have; at += 4) score.add(out.values++, word_at(&bytes[at]));
  return out;
}

Arrival receive_datagrams(asio::io_context& context, const Options& o, Score& score) {
  udp::socket socket(context, {udp::v4(), o.port});
  const timeval patience{.tv_sec = kPatience.count(), .tv_usec = 0};
  setsockopt(socket.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  std::array<uint8_t, 65536> bytes;
  std::vector<bool> seen;
  Arrival out;
  for (;;) {
    boost::system::error_code error;
    udp::endpoint from;
    const size_t n = socket.receive_from(asio::buffer(bytes), from, 0, error);
    if (!error && n == kEnd) out.sent = count_of(bytes.data());
    if (error || out.sent) return out;
    const uint32_t packet = word_at(bytes.data()) - kOne;
    if (n != 4 * kDatagram || packet >= 1 << 23) continue;  // not as they are sent: missing
    for (size_t b = 4; b + 4 <= n; b += 4) {
      score.add(uint64_t{packet} * (kDatagram - 1) + b / 4 - 1, word_at(&bytes[b]));
    }
    if (packet >= seen.size()) seen.resize(packet + 1);
    if (!seen[packet]) out.values += kDatagram - 1;
    seen[packet] = true;
  }
}

int receive(const Options& o) {
  asio::io_context context;
  Score score(o.bound, o.seed);
  const uint64_t errors = checksum_errors();
  const auto begin = Clock::now();
  const Arrival all =
      o.datagrams ? receive_datagrams(context, o, score) : receive_stream(context, o, score);
  const uint64_t sent = std::max(all.sent.value_or(0), o.expected.value_or(0));
  const uint64_t missing = sent - std::min(sent, all.values);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const uint64_t wrong = checksum_errors() - errors;
  fmt::print("floats: {}; {} missing, {} checksum errors, {:.1f} s, {:.1f} Mb/s\n", score.text(),
             missing, wrong, seconds, 32e-6 * static_cast<double>(score.values()) / seconds);
  if (!all.sent) {
    fmt::print("floats: cut: the sender's end did not arrive{}\n",
               all.rest == 0 ? "" : fmt::format(", the last value has {} bytes", all.rest));
  } else if (o.expected && *all.sent != *o.expected) {
    fmt::print("floats: {} values were sent, and --count says {}\n", *all.sent, *o.expected);
  }
  const bool complete = all.sent && (!o.expected || *all.sent == *o.expected) &&
                        static_cast<double>(missing) <= 0.01 * o.lose * static_cast<double>(sent);
  if (o.exact && score.changed() != 0) return 1;
  return complete && score.over() == 0 && wrong == 0 && score.values() != 0 ? 0 : 1;
}

void send(const Options& o) {
  asio::io_context context;
  if (o.datagrams) {
    send_datagrams(context, o);
  } else {
    send_stream(context, o);
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"floats over TCP or UDP in writes of chosen sizes, checked against the error bound"};
  app.require_subcommand(1);
  Options o;
  auto* sender = app.add_subcommand("send", "sends");
  auto* receiver = app.add_subcommand("receive",
                                      "checks what arrives; exit code 1: a value over the "
                                      "bound, missing, a cut stream, or a wrong checksum");
  sender->add_option("--to", o.to, "IPv4 address")->capture_default_str();
  sender->add_option("--tos", o.tos, "the mark; 0: none")->capture_default_str();
  sender->add_option("--writes", o.writes, "bytes of each write, in turn")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 24));
  receiver->add_option("--bound", o.bound, "k of the error bound 2^-k")
      ->check(CLI::Range(1, 14))
      ->capture_default_str();
  receiver->add_option("--count", o.expected,
                       "values that must arrive; default: as many as are sent");
  receiver->add_flag("--exact", o.exact, "no value may have changed");
  receiver->add_option("--lose", o.lose, "percent of the datagrams of --udp that may get lost")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  sender->add_option("--count", o.count, "values")->capture_default_str();
  for (CLI::App* command : {sender, receiver}) {
    command->add_option("--port", o.port)->capture_default_str();
    command->add_option("--seed", o.seed, "of the values")->capture_default_str();
    command->add_flag("--udp", o.datagrams, "datagrams, not a stream");
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    if (o.datagrams) {  // all are full
      o.count = (o.count + kDatagram - 2) / (kDatagram - 1) * (kDatagram - 1);
      if (o.expected)
        o.expected = (*o.expected + kDatagram - 2) / (kDatagram - 1) * (kDatagram - 1);
    }
    if (*receiver) return receive(o);
    send(o);
  } catch (const std::exception& error) {
    fmt::print(stderr, "floats: {}\n", error.what());
    return 3;
  }
  return 0;
}
