// SPDX-License-Identifier: Apache-2.0
#include "sim/regress/regression.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "sim/regress/coverage.h"

namespace gw::regress {
namespace {

constexpr double kLeastTimeout = 60;  // seconds
constexpr double kTimesLast = 10;     // that a case may take
constexpr double kShardSeconds = 60;  // a shard at most ...
constexpr double kLeastShard = 0.25;  // ... and at least: a process costs some ten milliseconds
constexpr double kUnknownSeconds = 0.05;
constexpr int kEnoughDeaths = 2;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

Regression::Regression(const Folder& folder, const Order& order, const std::vector<bool>& wanted,
                       Past past, RegressionOptions options, Observer& observer)
    : folder_(folder), past_(std::move(past)), options_(std::move(options)), observer_(observer) {
  for (size_t i = 0; i < order.cases.size(); ++i) add(order.cases[i], wanted.at(i));
  // What is done stays done, of later rounds, too.
  folder_.each_entry([this](Entry&& entry) {
    const auto known = index_.find(entry.what.hash);
    if (known == index_.end() && entry.what.round == 1) return;  // of another plan or program
    if (known == index_.end()) add(entry.what, false);
    State& state = states_[index_.at(entry.what.hash)];
    if (state.done || !is_current(entry.result) || !has_points(folder_, entry.what)) return;
    // The order's words count: a command may be spelled anew, the case is the same.
    state.entry.result = std::move(entry.result);
    state.done = true;
    ++kept_;
    if (!passes(state.entry.result.verdict)) ++progress_.failed;
  });
  std::vector<size_t> waiting;
  for (size_t i = 0; i < states_.size(); ++i) {
    if (!states_[i].done && states_[i].wanted) waiting.push_back(i);
  }
  const bool hurry = options_.budget.given();
  std::ranges::stable_sort(waiting, {}, [&](size_t i) {
    const State& state = states_[i];
    return std::tuple(state.entry.what.alone, !state.failed_last, hurry ? estimate(state) : 0.0);
  });
  for (const size_t i : waiting) put_back(i);
  progress_.total = kept_ + queue_.size();
  progress_.done = kept_;
}

double Regression::seconds() const {
  return std::chrono::duration<double>(Clock::now() - begin_).count();
}

std::vector<Entry> Regression::entries() const {
  std::vector<Entry> entries;
  for (const State& state : states_) {
    if (state.done || state.entry.what.round == 1) entries.push_back(state.entry);
  }
  return entries;
}

void Regression::add(Case c, bool wanted) {
  index_.emplace(c.hash, states_.size());
  State& state = states_.emplace_back();
  if (const auto last = past_.cases.find(c.name); last != past_.cases.end()) {
    state.last_seconds = last->second.seconds;
    state.failed_last = last->second.failed;
  }
  state.entry.what = std::move(c);
  state.wanted = wanted;
}

double Regression::mean_seconds() const {
  return known_ != 0 ? known_seconds_ / static_cast<double>(known_) : kUnknownSeconds;
}

double Regression::estimate(const State& state) const {
  return state.last_seconds.value_or(mean_seconds());
}

double Regression::seconds_waiting() const {
  return waiting_seconds_ + static_cast<double>(waiting_unknown_) * mean_seconds();
}

void Regression::weigh(const State& state, int sign) {
  if (state.last_seconds) waiting_seconds_ += sign * *state.last_seconds;
  if (!state.last_seconds) waiting_unknown_ += static_cast<size_t>(sign);
}

void Regression::put_back(size_t index) {
  queue_.push_back(index);
  weigh(states_[index], 1);
}

void Regression::put_front(size_t index) {
  queue_.push_front(index);
  weigh(states_[index], 1);
}

const Case& Regression::take() {
  State& state = states_[queue_.front()];
  queue_.pop_front();
  weigh(state, -1);
  ++handed_out_;
  return state.entry.what;
}

bool Regression::spent() const {
  const Budget& budget = options_.budget;
  return (budget.seconds > 0 && seconds() >= budget.seconds) ||
         (budget.cycles > 0 && progress_.cycles >= budget.cycles);
}

bool Regression::more_rounds() const {
  return !rounds_over_ && options_.round && options_.budget.given();
}

void Regression::next_round() {
  const std::vector<Case> cases = options_.round(++round_);
  rounds_over_ = cases.empty();
  for (const Case& c : cases) {
    if (index_.contains(c.hash)) continue;
    add(c, true);
    put_back(states_.size() - 1);
    ++progress_.total;
  }
  progress_.round = round_;
}

Shard Regression::next_shard() {
  if (cut_off_ || interrupted_ || alone_) return {};
  while (queue_.empty() && more_rounds()) next_round();
  if (queue_.empty()) return {};
  Shard shard;
  if (states_[queue_.front()].entry.what.alone) {
    if (handed_out_ != 0) return {};
    alone_ = true;
    shard.push_back(&take());
    return shard;
  }
  const double share = seconds_waiting() / static_cast<double>(2 * options_.width);
  const double target = std::clamp(share, kLeastShard, kShardSeconds);
  // However short they seem: none waits while another has many.
  const size_t most = (queue_.size() + options_.width - 1) / options_.width;
  double seconds = 0;
  while (!queue_.empty() && shard.size() < most && !states_[queue_.front()].entry.what.alone) {
    const double one = estimate(states_[queue_.front()]);
    if (!shard.empty() && seconds + one > target) break;
    seconds += one;
    shard.push_back(&take());
  }
  return shard;
}

double Regression::allowed(const Case& c) const {
  if (c.timeout > 0) return c.timeout;
  const State& state = states_[index_.at(c.hash)];
  return std::max(kLeastTimeout, kTimesLast * state.last_seconds.value_or(0));
}

double Regression::begins(const Case& c) {
  State& state = state_of(c);
  count_running(state, true);
  state.began = Clock::now();
  state.building = false;
  progress_.last = c.name;
  return allowed(c);
}

void Regression::busy(const Case& c, const std::string& what) {
  State& state = state_of(c);
  state.building = what.starts_with("building ");
  progress_.last = state.building ? what : c.name;
}

void Regression::count_running(State& state, bool running) {
  if (running == state.running) return;
  state.running = running;
  progress_.running = running ? progress_.running + 1 : progress_.running - 1;
}

void Regression::ended(State& state) {
  const Entry& entry = state.entry;
  count_running(state, false);
  --handed_out_;
  alone_ = false;
  ++progress_.done;
  known_seconds_ += entry.result.seconds - entry.result.build_seconds;
  ++known_;
  busy_seconds_ += entry.result.seconds;
  build_seconds_ += entry.result.build_seconds;
  progress_.cycles += entry.result.figures.value("cycles", 0.0);
  state.done = true;
  if (!observer_.ended(entry)) ++progress_.failed;
}

void Regression::finished(const Case& c) {
  State& state = state_of(c);
  std::optional<Entry> written = read_entry(folder_.file_of(c));
  if (!written) return died(c, {.how = "it wrote no result", .words = ""});
  state.entry.result = std::move(written->result);
  if (state.deaths != 0) {
    state.entry.result.attempts = 1 + state.deaths;
    folder_.write(state.entry);
  }
  ended(state);
}

void Regression::settle(State& state, Verdict verdict, double seconds, const std::string& headline,
                        std::vector<std::string> lines, std::string bucket) {
  Result& result = state.entry.result;
  result = {};
  result.verdict = verdict;
  result.seconds = seconds;
  result.host = host_name();
  result.began = timestamp();
  result.attempts = std::max(1, state.deaths);
  result.headline = headline;
  result.bucket = std::move(bucket);
  result.lines = std::move(lines);
  result.lines.insert(result.lines.begin(), headline);
  folder_.write(state.entry);
  ended(state);
}

void Regression::died(const Case& c, const Death& death) {
  State& state = state_of(c);
  if (++state.deaths < kEnoughDeaths) {
    observer_.died(c, death);
    count_running(state, false);
    --handed_out_;
    alone_ = false;
    put_front(index_.at(c.hash));
    return;
  }
  settle(state, Verdict::kCrashed, 0,
         fmt::format("the process of the case died: {}, {} times", death.how, state.deaths),
         lines_of(death.words), bucket_of(c, "crashed", death.how));
}

void Regression::timed_out(const Case& c, double seconds) {
  settle(state_of(c), Verdict::kTimeout, seconds, fmt::format("no end after {:.0f} s", seconds), {},
         bucket_of(c, "timeout"));
}

void Regression::returned(const Shard& cases) {
  for (auto at = cases.rbegin(); at != cases.rend(); ++at) {
    State& state = state_of(**at);
    if (state.running) {
      const double spent = std::chrono::duration<double>(Clock::now() - state.began).count();
      busy_seconds_ += spent;
      if (state.building) build_seconds_ += spent;
    }
    count_running(state, false);
    put_front(index_.at((*at)->hash));
    --handed_out_;
  }
  alone_ = false;
}

bool Regression::goes_on() {
  interrupted_ = interrupted_ || observer_.interrupted();
  if (!interrupted_ && options_.budget.given() && spent()) cut_off_ = true;
  progress_.seconds = seconds();
  progress_.seconds_left = options_.budget.seconds > 0
                               ? options_.budget.seconds - progress_.seconds
                               : seconds_waiting() / static_cast<double>(options_.width);
  observer_.progress(progress_);
  return !interrupted_ && !cut_off_;
}

}  // namespace gw::regress
