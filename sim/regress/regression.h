// One run of a plan: which case is next, what became of each, when it is enough.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/regress/farm.h"
#include "sim/regress/folder.h"

namespace gw::regress {

/// What the last run of the plan tells: how long each case took, which did not pass.
struct Past {
  struct Time {
    double seconds = 0;
    bool failed = false;
  };
  std::unordered_map<std::string, Time> cases;  ///< by name
};

struct Progress {
  size_t total = 0, done = 0, failed = 0, running = 0;
  double cycles = 0;        ///< of the cases that this process has seen end
  double seconds = 0;       ///< since it began
  double seconds_left = 0;  ///< as far as can be said; 0: unknown
  uint64_t round = 1;
  std::string last;  ///< what has begun last: a case, or RTL that is built for one
};

/// Who looks on.
class Observer {
 public:
  virtual ~Observer() = default;
  /// A case has ended; whether it counts as passed.
  virtual bool ended(const Entry& entry) = 0;
  virtual void progress(const Progress& progress) = 0;
  /// A case's worker has died, and another will try it.
  virtual void died(const Case& c, const Death& death) = 0;
  /// What the farm has to say.
  virtual void note(const std::string& /*sentence*/) {}
  /// Ctrl-C.
  virtual bool interrupted() = 0;
};

struct RegressionOptions {
  Budget budget;
  size_t width = 1;  ///< cases at a time
  /// Cases of a further round, each with a new seed; empty: there are none. Of a budget.
  std::function<std::vector<Case>(uint64_t round)> round = {};
};

class Regression final : public Dispatcher {
 public:
  /// `wanted`: the cases of the order that this run is about; all others stay as they are.
  Regression(const Folder& folder, const Order& order, const std::vector<bool>& wanted, Past past,
             RegressionOptions options, Observer& observer);

  /// Cases whose results were there already.
  size_t kept() const { return kept_; }
  bool cut_off() const { return cut_off_; }
  bool interrupted() const { return interrupted_; }
  double seconds() const;
  /// Processes' time that went into cases, those that were cut off among them, and how much of it
  /// until their RTL was there.
  double busy_seconds() const { return busy_seconds_; }
  double build_seconds() const { return build_seconds_; }
  /// Every case of the first round, `not run` if nothing is known of it, and those of later rounds
  /// that have a result.
  std::vector<Entry> entries() const;

  Shard next_shard() override;
  double allowed(const Case& c) const override;
  double begins(const Case& c) override;
  void busy(const Case& c, const std::string& what) override;
  void finished(const Case& c) override;
  void died(const Case& c, const Death& death) override;
  void timed_out(const Case& c, double seconds) override;
  void returned(const Shard& cases) override;
  void note(const std::string& sentence) override { observer_.note(sentence); }
  bool goes_on() override;

 private:
  using Clock = std::chrono::steady_clock;

  struct State {
    Entry entry;
    bool done = false;
    bool wanted = true;
    bool running = false;
    Clock::time_point began = {};
    bool building = false;
    int deaths = 0;
    std::optional<double> last_seconds;  // Past's
    bool failed_last = false;
  };

  State& state_of(const Case& c) { return states_[index_.at(c.hash)]; }
  void add(Case c, bool wanted);
  // The queue, and how long it will take.
  void put_back(size_t index);
  void put_front(size_t index);
  const Case& take();
  void weigh(const State& state, int sign);
  void count_running(State& state, bool running);
  double mean_seconds() const;
  double estimate(const State& state) const;
  double seconds_waiting() const;
  void ended(State& state);
  /// Of this process: written here, not by a worker.
  void settle(State& state, Verdict verdict, double seconds, const std::string& headline,
              std::vector<std::string> lines, std::string bucket);
  bool spent() const;
  bool more_rounds() const;
  void next_round();

  const Folder& folder_;
  const Past past_;
  const RegressionOptions options_;
  Observer& observer_;
  const Clock::time_point begin_ = Clock::now();
  std::deque<State> states_;                       // whose cases are pointed to
  std::unordered_map<std::string, size_t> index_;  // by hash
  std::deque<size_t> queue_;
  double waiting_seconds_ = 0;  // of its cases whose last time is known ...
  size_t waiting_unknown_ = 0;  // ... and how many others there are
  size_t kept_ = 0, handed_out_ = 0;
  bool alone_ = false;  // a case runs that must be alone
  bool cut_off_ = false, interrupted_ = false;
  uint64_t round_ = 1;
  bool rounds_over_ = false;
  Progress progress_;
  double known_seconds_ = 0;  // of the cases that ended here, without what building took
  size_t known_ = 0;
  double busy_seconds_ = 0, build_seconds_ = 0;
};

}  // namespace gw::regress
