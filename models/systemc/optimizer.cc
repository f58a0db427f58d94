// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/optimizer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "models/registers/optimizer.h"
#include "models/systemc/fp_value.h"

namespace gw::systemc {
namespace {

constexpr uint32_t kOne = 0x3F80'0000;

enum Register {
  kLr,
  kEps,
  kBeta1,
  kBeta2,
  kOneMinusBeta1,
  kOneMinusBeta2,
  kBias,
  kCorrection1,
  kCorrection2
};

// One step of one parameter, as docs/blocks/optimizer-pes.md has it. F: subnormal numbers are
// zeros; Outside: eps is added after the root.

template <bool F, class Registers, class Cell>
void sgd(const Registers& r, Cell& cell, uint32_t g) {
  cell[0] = fp::sub<F>(cell[0], fp::mul<F>(r[kLr], g));
}

template <bool F, bool Outside, class Registers, class Cell>
void adagrad(const Registers& r, Cell& cell, uint32_t g) {
  const uint32_t h = fp::add<F>(cell[1], fp::mul<F>(g, g));
  uint32_t divisor = fp::sqrt<F>(h);
  if constexpr (Outside) divisor = fp::add<F>(divisor, r[kEps]);
  const uint32_t rate = fp::div<F>(r[kLr], divisor);
  cell[0] = fp::sub<F>(cell[0], fp::mul<F>(rate, g));
  cell[1] = h;
}

template <bool F, bool Outside, class Registers, class Cell>
void adam(const Registers& r, Cell& cell, uint32_t g) {
  const uint32_t square = fp::mul<F>(g, g);
  const uint32_t v = fp::add<F>(cell[2], fp::mul<F>(r[kOneMinusBeta2], square));
  uint32_t divisor = fp::sqrt<F>(fp::div<F>(v, r[kCorrection2]));
  if constexpr (Outside) divisor = fp::add<F>(divisor, r[kEps]);
  const uint32_t m = fp::add<F>(fp::mul<F>(r[kBeta1], cell[1]), fp::mul<F>(r[kOneMinusBeta1], g));
  const uint32_t ratio = fp::div<F>(fp::div<F>(m, r[kCorrection1]), divisor);
  cell[0] = fp::sub<F>(cell[0], fp::mul<F>(r[kLr], ratio));
  cell[1] = m;
  cell[2] = fp::mul<F>(r[kBeta2], v);
  if constexpr (!Outside) cell[2] = fp::add<F>(cell[2], r[kBias]);
}

template <bool F, bool Outside, class Registers, class Cell>
void smorms3(const Registers& r, Cell& cell, uint32_t g) {
  const uint32_t rho = fp::div<F>(kOne, fp::add<F>(cell[3], kOne));
  const uint32_t keep = fp::sub<F>(kOne, rho);
  const uint32_t v_old = fp::mul<F>(keep, cell[2]);
  const uint32_t v_new = fp::mul<F>(rho, fp::mul<F>(g, g));
  const uint32_t v = fp::add<F>(v_old, v_new);
  const uint32_t m = fp::add<F>(fp::mul<F>(keep, cell[1]), fp::mul<F>(rho, g));
  const uint32_t divisor =
      Outside ? fp::add<F>(fp::sqrt<F>(v), r[kEps]) : fp::sqrt<F>(fp::add<F>(v, r[kEps]));
  const uint32_t below = fp::add<F>(v_old, fp::add<F>(v_new, r[kEps]));
  const uint32_t x = fp::div<F>(fp::mul<F>(m, m), below);
  const uint32_t rate = fp::div<F>(fp::min<F>(r[kLr], x), divisor);
  cell[0] = fp::sub<F>(cell[0], fp::mul<F>(rate, g));
  cell[1] = m;
  cell[2] = v;
  cell[3] = fp::add<F>(fp::mul<F>(fp::sub<F>(kOne, x), cell[3]), kOne);
}

}  // namespace

void Optimization::configure(const OptimizerConfig& config, std::span<const uint32_t> theta) {
  config_ = config;
  const bool flush = config.flush_subnormal;
  const auto sub = [flush](uint32_t a, uint32_t b) {
    return flush ? fp::sub<true>(a, b) : fp::sub<false>(a, b);
  };
  const auto mul = [flush](uint32_t a, uint32_t b) {
    return flush ? fp::mul<true>(a, b) : fp::mul<false>(a, b);
  };
  registers_ = {std::bit_cast<uint32_t>(config.lr), std::bit_cast<uint32_t>(config.eps),
                std::bit_cast<uint32_t>(config.beta1), std::bit_cast<uint32_t>(config.beta2)};
  registers_[kOneMinusBeta1] = sub(kOne, registers_[kBeta1]);
  registers_[kOneMinusBeta2] = sub(kOne, registers_[kBeta2]);
  registers_[kBias] = mul(registers_[kOneMinusBeta2], registers_[kEps]);

  shadow_ = written_ = {registers_[0], registers_[1], registers_[2], registers_[3],
                        registers_[4], registers_[5], registers_[6]};
  host_row_.assign(row_cells(), 0);
  iteration_ = 0;

  Cell first{};
  if (!config.eps_outside) {  // then eps is in the states from the first one on
    if (config.algorithm == Algorithm::kAdagrad) first = {0, registers_[kEps]};
    if (config.algorithm == Algorithm::kAdam) first = {0, 0, registers_[kBias]};
  }
  if (config.algorithm == Algorithm::kSmorms3) first = {0, 0, 0, kOne};
  cells_.assign(size_t{kValues} << config.depth_log2, first);
  for (size_t i = 0; i < std::min(theta.size(), cells_.size()); ++i) cells_[i][0] = theta[i];
  loaded_ = issued_ = 0;
  reset();
}

void Optimization::write(uint32_t address, uint32_t data) {
  if (address >> 31 == 0) {
    changes_ = true;
    if ((address & 15) <= kBias) written_[address & 15] = data;
    return;
  }
  const size_t lanes = row_cells();
  host_row_.erase(host_row_.begin());
  host_row_.push_back(data);
  if (address % lanes != lanes - 1) return;
  host_writes_row_ = true;
  const uint32_t word = address >> 28 & 7;
  if (word >= cells_[0].size()) return;
  const auto first = static_cast<uint32_t>(address % cells_.size() - (lanes - 1));
  for (uint32_t i = 0; i < lanes; ++i) {
    if (!under_way(first + i)) cells_[first + i][word] = host_row_[i];
  }
}

/// Whether the cell's next value is in the array, or is written back in this cycle: what the host
/// writes now will not stay.
bool Optimization::under_way(uint32_t cell) const {
  for (uint64_t n = loaded_; n < issued_; ++n) {
    const Frame& f = frames_[n % kFrames];
    const uint32_t i = cell % kValues;
    if (f.sequence == cell / kValues && i < f.count && f.written[i] > now_) return true;
  }
  return false;
}

namespace {

namespace map = registers::optimizer_axil;

/// Word of a cell and parameter.
std::pair<size_t, size_t> cell_of(uint32_t address) {
  const uint32_t offset = address - map::kCells.address;
  const uint32_t block = 1u << map::kCells.block_log2;
  return {offset / block, offset % block / 4};
}

}  // namespace

uint32_t Optimization::host_read(uint32_t address) const {
  if (address >= map::kCells.address) {
    const auto [word, parameter] = cell_of(address);
    return cells_[parameter][word];
  }
  if (address >= map::kLr && address <= map::kBias) return written_[(address - map::kLr) / 4];
  if (address >= map::kActiveLr && address <= map::kActiveBias) {
    return registers_[(address - map::kActiveLr) / 4];
  }
  switch (address) {
    case map::kIteration:
      return iteration_;
    case map::kIterating:
      return iterating_;
    case map::kPower1:
      return powers_[0];
    case map::kPower2:
      return powers_[1];
    default:
      return 0;
  }
}

void Optimization::host_written(uint32_t address, uint32_t data) {
  if (address >= map::kCells.address) {
    const auto [word, parameter] = cell_of(address);
    cells_[parameter][word] = data;
    return;
  }
  if (address >= map::kActiveLr && address <= map::kActiveBias) {
    registers_[(address - map::kActiveLr) / 4] = data;
  }
  switch (address) {
    case map::kIteration:
      iteration_ = data;
      break;
    case map::kIterating:
      iterating_ = data != 0;
      break;
    case map::kPower1:
    case map::kPower2: {
      const size_t beta = (address - map::kPower1) / 4;
      powers_[beta] = data;
      correct(beta);
      break;
    }
    case map::kJobReset:
      iterating_ = false;
      powers_ = {kOne, kOne};
      correct(0);
      correct(1);
      break;
    default:
      break;
  }
}

/// 1 - beta^t follows from beta^t.
void Optimization::correct(size_t beta) {
  registers_[kCorrection1 + beta] = config_.flush_subnormal ? fp::sub<true>(kOne, powers_[beta])
                                                            : fp::sub<false>(kOne, powers_[beta]);
}

void Optimization::take_registers() {
  std::ranges::copy(shadow_, registers_.begin());
  changed_ = false;
}

/// Rounds are computed with their dispatch; those that would be written back after this edge, a
/// reset, never are. A lock has kept every other frame from what such a round changed.
void Optimization::lose_rounds() {
  for (uint64_t n = loaded_; n < issued_; ++n) {
    const Frame& f = frame(n);
    for (size_t i = 0; i < f.count; ++i) {
      if (f.written[i] > now_ + 1) cells_[size_t{f.sequence} * kValues + i] = f.before[i];
    }
  }
}

void Optimization::reset() {
  lose_rounds();
  shadow_ = written_;
  changed_ = changes_ = host_writes_row_ = false;
  powers_ = {kOne, kOne};
  registers_[kCorrection1] = registers_[kCorrection2] = 0;
  now_ = 0;
  used_ = 0;
  frames_.fill({});
  issued_ = gathered_ = dispatched_ = loaded_ = 0;
  beat_ = 0;
  selected_ = false;
  header_.fill(0);
  round_ = 0;
  free_from_.fill(0);
  lock_free_from_.assign(size_t{1} << config_.depth_log2, 0);
  all_done_from_ = dispatch_from_ = 0;
  iterating_ = false;
  queue_.clear();
  load_beat_ = 0;
  loading_selected_ = false;
  shown_ = false;
  statistics_.fill(0);
}

void Optimization::clock(const Beat* offered, bool m_ready) {
  const bool issued = offered != nullptr && ready_for(offered);
  if (dispatched_ != gathered_) dispatch();
  host_writes_row_ = false;
  shadow_ = written_;
  changed_ = changed_ || changes_;
  changes_ = false;
  if (!shown_ || m_ready) load();
  if (issued) issue(*offered);
  queue_.advance();
  ++now_;
}

/// Whether the frame's first round can go as far as its iteration is concerned.
bool Optimization::begin_iteration(const Frame& next) {
  const uint32_t ahead = next.iteration - iteration_;
  const bool newer = !iterating_ || (ahead != 0 && ahead < 0x8000'0000);
  if (!newer) return now_ >= dispatch_from_;
  const bool drained = all_done_from_ <= now_;
  if (config_.algorithm != Algorithm::kAdam) return !changed_ || drained;
  if (!drained) return false;
  take_registers();
  iterating_ = true;
  iteration_ = next.iteration;
  ++statistics_[kIterations];
  dispatch_from_ = now_ + kAdvanceCycles;
  for (size_t i = 0; i < 2; ++i) {
    uint32_t& power = powers_[i];
    const uint32_t beta = registers_[kBeta1 + i];
    power = config_.flush_subnormal ? fp::mul<true>(power, beta) : fp::mul<false>(power, beta);
    correct(i);
  }
  return false;
}

void Optimization::dispatch() {
  Frame& next = frame(dispatched_);
  uint64_t& lock = lock_free_from_[next.sequence];
  const size_t half = config_.pes == 64 ? dispatched_ & 1 : 0;
  if (round_ == 0) {
    const bool in_time = begin_iteration(next);
    const bool locked = lock > now_;
    statistics_[kInterlock] += locked;
    if (!in_time || locked) return;
  }
  if (free_from_[half] > now_ || host_writes_row_) return;

  if (round_ == 0) {
    const uint32_t ahead = next.iteration - iteration_;
    if (!iterating_ || (ahead != 0 && ahead < 0x8000'0000)) {
      iterating_ = true;
      iteration_ = next.iteration;
      ++statistics_[kIterations];
      take_registers();
    }
    lock = kHeld;
    ++statistics_[kOptimised];
  }
  compute(next);
  free_from_[half] = now_ + config_.interval;
  ++round_;
  if (round_ * config_.pes >= next.count) {
    next.done = lock = all_done_from_ = now_ + config_.latency + kArrayOverhead;
    round_ = 0;
    ++dispatched_;
  }
}

void Optimization::compute(Frame& frame) {
  const bool outside = config_.eps_outside;
  if (config_.flush_subnormal) {
    outside ? compute_with<true, true>(frame) : compute_with<true, false>(frame);
  } else {
    outside ? compute_with<false, true>(frame) : compute_with<false, false>(frame);
  }
}

template <bool kFlush, bool kOutside>
void Optimization::compute_with(Frame& frame) {
  Cell* const cells = &cells_[size_t{frame.sequence} * kValues];
  const uint32_t begin = round_ * static_cast<uint32_t>(row_cells());
  const uint32_t end = std::min(frame.count, begin + static_cast<uint32_t>(row_cells()));
  for (uint32_t i = begin; i < end; ++i) {
    frame.written[i] = now_ + config_.latency + kArrayOverhead;
    frame.before[i] = cells[i];
    const uint32_t g = frame.values[i];
    switch (config_.algorithm) {
      case Algorithm::kSgd:
        sgd<kFlush>(registers_, cells[i], g);
        break;
      case Algorithm::kAdagrad:
        adagrad<kFlush, kOutside>(registers_, cells[i], g);
        break;
      case Algorithm::kAdam:
        adam<kFlush, kOutside>(registers_, cells[i], g);
        break;
      case Algorithm::kSmorms3:
        smorms3<kFlush, kOutside>(registers_, cells[i], g);
        break;
    }
    frame.values[i] = cells[i][0];
  }
}

void Optimization::load() {
  shown_ = false;
  if (queue_.empty()) return;
  const Beat& front = queue_.front();
  if (load_beat_ == 0) {
    loading_selected_ = (front.meta[4] & Meta::kOptimised) != 0;
    if (loading_selected_ && frame(loaded_).done > now_) return;
  }
  out_ = front;
  queue_.pop();
  --used_;
  shown_ = true;
  if (loading_selected_ && load_beat_ >= 2 && load_beat_ <= 5) {
    const Frame& f = frame(loaded_);
    for (uint32_t lane = 0, i = (load_beat_ - 2) * kLanes; lane < kLanes && i < f.count;
         ++lane, ++i) {
      out_.data[lane] = f.values[i];
    }
  }
  if (out_.last == 0) {
    load_beat_ += load_beat_ < 6;
    return;
  }
  load_beat_ = 0;
  loaded_ += loading_selected_;
}

void Optimization::issue(const Beat& beat) {
  ++used_;
  Beat& back = queue_.back();
  back = beat;
  if (beat_ == 0) {
    selected_ = selected(beat);
    statistics_[kOutOfRange] += complete(beat) && !in_range(beat);
    if (selected_) {
      Frame& f = frame(issued_++);
      f.sequence = Meta::sequence(beat);
      f.iteration = Meta::iteration(beat);
      f.count = Meta::count(beat);
      f.done = kHeld;
      f.written.fill(0);
    }
  }
  if (selected_) {
    auto* bytes = reinterpret_cast<uint8_t*>(back.data.data());
    back.meta[4] |= Meta::kOptimised;
    if (beat_ == 0) {
      bytes[19] = 2;
      std::memcpy(header_.data(), bytes + 18, header_.size());
    } else if (beat_ == 1) {
      std::array<uint8_t, 28> header;
      std::memcpy(header.data(), header_.data(), 14);
      std::memcpy(header.data() + 14, bytes, 14);
      const uint16_t sum = header_checksum(header.data());
      bytes[14] = static_cast<uint8_t>(sum >> 8);
      bytes[15] = static_cast<uint8_t>(sum);
    } else if (beat_ <= 5) {
      Frame& f = frame(issued_ - 1);
      const uint32_t row = (beat_ - 2) * kLanes;
      if (row < f.count) {
        std::memcpy(&f.values[row], beat.data.data(), sizeof beat.data);
        if (row + kLanes >= f.count) ++gathered_;
      }
    }
  }
  beat_ = beat.last != 0 ? 0 : beat_ + (beat_ < 6);
  queue_.push(kQueueDelay);
}

std::span<const uint32_t> Optimizer::statistics() const {
  const auto parser = parser_.statistics(), core = core_.statistics();
  std::ranges::copy(parser, statistics_.begin());
  std::ranges::copy(core, statistics_.begin() + static_cast<ptrdiff_t>(parser.size()));
  return statistics_;
}

void Optimizer::clock(const Beat* s, bool m_ready) {
  const Beat* between = parser_.m_beat();
  if (between != nullptr && Meta::kind(*between) == Meta::kKindGradient) {
    between_ = *between;
    between_.meta[0] |= Meta::kComplete;
    between = &between_;
  }
  const bool taken = core_.ready_for(between);
  core_.clock(between, m_ready);
  parser_.clock(s, taken);
}

}  // namespace gw::systemc
