// Which digits a worker trains on, and when.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

namespace gw::training {

/// A worker's share of the training set, in a new order in every epoch. Throws
/// std::runtime_error if it is not enough for one batch.
class Batches {
 public:
  Batches(std::size_t digits, std::size_t rank, std::size_t workers, std::size_t size,
          std::uint64_t seed)
      : size_(size), random_(seed * 1000 + rank) {
    for (std::size_t i = rank; i < digits; i += workers) share_.push_back(i);
    if (share_.size() < size_) throw std::runtime_error("There are too few digits for a batch.");
    next_ = share_.size();
  }
  std::span<const std::size_t> next() {
    if (next_ + size_ > share_.size()) {
      std::shuffle(share_.begin(), share_.end(), random_);
      next_ = 0;
    }
    next_ += size_;
    return std::span(share_).subspan(next_ - size_, size_);
  }

 private:
  std::size_t size_;
  std::mt19937_64 random_;
  std::vector<std::size_t> share_;
  std::size_t next_;
};

}  // namespace gw::training
