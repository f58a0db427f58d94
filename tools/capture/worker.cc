// SPDX-License-Identifier: Apache-2.0
#include "tools/capture/worker.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>

#include "tools/capture/recorder.h"
#include "tools/capture/sockets.h"
#include "tools/training/batches.h"
#include "tools/training/digits.h"
#include "tools/training/network.h"

namespace gw::capture {
namespace {

using training::Batches;
using training::Digits;
using training::HdcNetwork;

constexpr std::size_t kRecordingRank = 1;
constexpr std::size_t kPaperIterations = 10000;
constexpr std::size_t kPaperDigits = 60000;

/// Traffic that has nothing to do with gradients: a file copy from worker 0 to worker 1, and a ping
/// back.
class OtherTraffic {
 public:
  /// Worker 1 must be constructed before worker 0 connects: it listens.
  explicit OtherTraffic(const WorkerOptions& options) : options_(options) {
    if (options.rank == 1) listener_ = listen_on(options.addresses[1], kCopyPort, 0);
  }
  void start() {
    if (options_.rank == 0) thread_ = std::thread([this] { guarded([this] { send(); }); });
    if (options_.rank == 1) {
      thread_ = std::thread([this] { guarded([this] { receive(); }); });
      const auto ping =
          fmt::format("ping -q -i 0.003 -c 150 {} >/dev/null 2>&1 &", options_.addresses[0]);
      if (std::system(ping.c_str()) != 0) throw std::runtime_error("ping does not run.");
    }
  }
  ~OtherTraffic() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }

 private:
  template <typename F>
  static void guarded(F run) {
    try {
      run();
    } catch (const std::exception& e) {
      fmt::print(stderr, "file copy: {}\n", e.what());
    }
  }
  void send() {
    std::ifstream file(options_.copy, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    if (content.empty()) throw std::runtime_error("There is no file to copy.");
    const Socket s = connect_to(options_.addresses[1], kCopyPort, 0);
    while (!stop_) {  // again and again
      s.send_all(content.data(), content.size());
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }
  void receive() {
    const Socket s = accept_from(listener_);
    std::array<char, 4096> piece;
    while (::recv(s.fd(), piece.data(), piece.size(), 0) > 0) {
    }
  }
  const WorkerOptions& options_;
  Socket listener_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

std::uint32_t host_address(const std::string& address) {
  in_addr a{};
  inet_pton(AF_INET, address.c_str(), &a);
  return ntohl(a.s_addr);
}

class Worker {
 public:
  explicit Worker(WorkerOptions options)
      : o_(std::move(options)),
        digits_(o_.data.empty() ? training::draw_digits(8000, 2000, o_.seed)
                                : training::load_mnist(o_.data)),
        network_(o_.seed),
        batches_(digits_.train.size(), o_.rank, o_.addresses.size(), o_.batch, o_.seed),
        ring_(o_.rank, o_.addresses, kMark),
        control_(o_.rank, o_.addresses) {
    if (o_.iterations == 0) {
      o_.iterations = (kPaperIterations * digits_.train.size() + kPaperDigits / 2) / kPaperDigits;
    }
    if (o_.reduction_iterations == 0) {
      o_.reduction_iterations = std::max<std::size_t>(o_.iterations / 5, 1);
    }
    if (!o_.watch) return;
    const auto plan = [&](const char* name, std::size_t chosen, std::size_t otherwise) {
      captures_[chosen != 0 ? chosen : otherwise] = name;
    };
    plan("hdc-ring-early", o_.early, 10);
    // At half of the iterations the loss is as low as at the end: the middle of the learning is
    // earlier.
    plan("hdc-ring-middle", o_.middle, o_.iterations / 8);
    plan("mixed", o_.mixed, o_.iterations / 8 + 1);
    plan("hdc-ring-late", o_.late, o_.iterations);
    if (captures_.size() != 4 || captures_.begin()->first == 0 ||
        captures_.rbegin()->first > o_.iterations) {
      throw std::runtime_error("The iterations to capture are not four different ones of the run.");
    }
  }

  void run() {
    const auto begin = std::chrono::steady_clock::now();
    const auto seconds = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    say("{}; {} workers, {} parameters, {} bytes an iteration to the next, batch {} each, {} "
        "iterations ({:.1f} epochs).",
        digits_.description, o_.addresses.size(), HdcNetwork::parameter_count(),
        Ring::sent_bytes(o_.rank, o_.addresses.size(), HdcNetwork::parameter_count()), o_.batch,
        o_.iterations,
        static_cast<double>(o_.iterations * o_.batch * o_.addresses.size()) /
            static_cast<double>(digits_.train.size()));
    float loss = 0;
    for (std::size_t t = 1; t <= o_.iterations; ++t) {
      const auto captured = captures_.find(t);
      const bool capture = captured != captures_.end();
      const bool mixed = capture && captured->second == "mixed";
      std::unique_ptr<OtherTraffic> other;
      if (capture) before_capture(mixed, other);
      if (!ring_.is_connected()) ring_.connect();

      loss = iterate(t);

      if (capture) {
        ring_.close();  // the capture ends with the connections' end
        loss = control_.mean(loss);
        other.reset();
        if (recorder_) after_capture(captured->second, t, loss);
        check_equal_weights();
        say("iteration {:5}: captured {}.pcap", t, captured->second);
      } else {
        loss = control_.mean(loss);
      }
      if (!std::isfinite(loss)) {
        throw std::runtime_error(fmt::format("The loss diverged in iteration {}.", t));
      }
      if (t % 250 == 0 || t == 1) {
        say("iteration {:5}: loss {:.4f}, {:.1f} s", t, loss, seconds());
      }
    }
    check_equal_weights();
    const double accuracy = network_.accuracy(digits_.test);
    say("accuracy on the test digits {:.2f} % after {} iterations, {:.1f} s", 100 * accuracy,
        o_.iterations, seconds());
    if (o_.rank == 0 && o_.watch) {
      nlohmann::ordered_json run;
      run["dataset"] = digits_.description;
      run["iterations"] = o_.iterations;
      run["workers"] = o_.addresses.size();
      run["accuracy"] = accuracy;
      run["training"] = fmt::format(
          "batch {} a worker, SGD, momentum {:.1f}, learning rate {:.1f} divided by {:.0f} every "
          "{} "
          "iterations, weight decay {:.5f}, {} of the workers' gradients (INCEPTIONN, Table I)",
          o_.batch, o_.momentum, o_.learning_rate, o_.learning_rate_reduction,
          o_.reduction_iterations, o_.weight_decay, o_.sum ? "sum" : "mean");
      save(run, "run.json");
    }
  }

 private:
  template <typename... Args>
  void say(fmt::format_string<Args...> format, Args&&... args) {
    if (o_.rank != 0) return;
    fmt::print("{}\n", fmt::format(format, std::forward<Args>(args)...));
    std::fflush(stdout);
  }

  float iterate(std::size_t t) {
    const float loss = network_.train(digits_.train, batches_.next());
    ring_.all_reduce(network_.gradient(), o_.quantise);
    const auto reductions = static_cast<float>((t - 1) / o_.reduction_iterations);
    rate_ = o_.learning_rate / std::pow(o_.learning_rate_reduction, reductions);
    network_.update(rate_, o_.momentum, o_.weight_decay,
                    o_.sum ? 1.0f : 1.0f / static_cast<float>(o_.addresses.size()));
    return loss;
  }

  /// Every worker got the same sums, bit for bit, or the exchange is wrong.
  void check_equal_weights() {
    const auto bytes = std::as_bytes(network_.parameters());
    const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    const auto mine = static_cast<float>(sum & 0xFFFFF);  // few enough bits for an exact mean
    if (control_.mean(mine) != mine) throw std::runtime_error("The workers' weights differ.");
  }

  /// New connections for a captured iteration, so that the capture begins with their set-up.
  void before_capture(bool mixed, std::unique_ptr<OtherTraffic>& other) {
    ring_.close();
    control_.barrier();
    if (mixed) other = std::make_unique<OtherTraffic>(o_);
    if (o_.rank == kRecordingRank) recorder_ = std::make_unique<Recorder>(o_.interface);
    control_.barrier();
    if (mixed) {
      const auto forget = fmt::format("ip neighbour flush dev {}", o_.interface);
      if (std::system(forget.c_str()) != 0) throw std::runtime_error("ip does not run.");
      other->start();
    }
  }

  void after_capture(const std::string& name, std::size_t t, float loss) {
    const std::size_t workers = o_.addresses.size();
    const Capture all = recorder_->stop();
    recorder_.reset();
    CutOptions options;
    options.max_file_bytes = o_.max_file_bytes;
    nlohmann::ordered_json ring_flows;
    for (const std::size_t sender : {o_.rank - 1, o_.rank}) {
      const std::size_t receiver = (sender + 1) % workers;
      auto& flow = options.flows.emplace_back();
      flow.name = fmt::format("{}>{}", sender, receiver);
      flow.source_ip = host_address(o_.addresses[sender]);
      flow.destination_ip = host_address(o_.addresses[receiver]);
      nlohmann::ordered_json steps;
      for (std::size_t s = 1; s <= 2 * workers - 2; ++s) {
        const std::size_t block = Ring::sent_block(sender, workers, s);
        const Range range = block_of(HdcNetwork::parameter_count(), workers, block);
        flow.step_bytes.push_back(range.count * sizeof(float));
        steps.push_back({{"step", s},
                         {"phase", s < workers ? "reduce-scatter" : "allgather"},
                         {"block", block},
                         {"first_parameter", range.first},
                         {"bytes", range.count * sizeof(float)}});
      }
      ring_flows.push_back({{"name", flow.name},
                            {"source", o_.addresses[sender]},
                            {"destination", o_.addresses[receiver]},
                            {"steps", std::move(steps)}});
    }
    const auto windows = cut(all, o_.output / (name + ".pcap"), options);

    nlohmann::ordered_json about;
    about["name"] = name;
    about["iteration"] = t;
    about["learning_rate"] = std::round(static_cast<double>(rate_) * 1e6) / 1e6;
    about["loss"] = std::round(static_cast<double>(loss) * 1e5) / 1e5;
    about["accuracy"] = network_.accuracy(digits_.test);
    about["packets_on_link"] = all.packets.size();
    for (const auto& w : windows) {
      about["windows"].push_back({{"what", w.what},
                                  {"first", w.first},
                                  {"last", w.last},
                                  {"first_on_link", w.first_on_link}});
    }
    about["ring_flows"] = std::move(ring_flows);
    save(about, name + ".json");
  }

  void save(const nlohmann::ordered_json& value, const std::string& name) const {
    std::ofstream file(o_.output / name);
    file << value.dump(2) << '\n';
    file.close();
    if (!file) {
      throw std::runtime_error(fmt::format("{}: cannot be written.", (o_.output / name).string()));
    }
  }

  WorkerOptions o_;
  Digits digits_;
  HdcNetwork network_;
  Batches batches_;
  Ring ring_;
  Control control_;
  std::map<std::size_t, std::string> captures_;
  std::unique_ptr<Recorder> recorder_;
  float rate_ = 0;
};

}  // namespace

void run_worker(WorkerOptions options) {
  const auto& o = options;
  if (o.addresses.size() < 2 || o.rank >= o.addresses.size()) {
    throw std::runtime_error("There are at least two workers, and the rank is one of them.");
  }
  Worker(std::move(options)).run();
}

}  // namespace gw::capture
