// The optimizers in binary32, to the last bit as the hardware computes them: graph.h, evaluated
// with the operators of fp.h. The RTL and the SystemC model must equal this.
//
// Registers. The host writes lr, eps, beta1, beta2. From them the hardware derives once, with the
// operators of the PE, 1 - beta1, 1 - beta2 and bias = (1 - beta2) * eps, and for each iteration
//   power = mul(power, beta), first 1;   correction = sub(1, power)
// for both betas: Adam's 1 - beta^t. Powers decay to 0, so that the corrections become exactly 1;
// with beta2 = 0.999f they are within 1.4e-5 of the exact value at every t. (The other recurrence,
// c' = beta * c + (1 - beta), is out by up to 3.0e-5 and stays there: it ends at 0.99997.)
//
// t is advanced by the first complete packet of a newer iteration (serial numbers, as in the
// aggregator), by one, whatever the distance; the first complete packet after reset makes t = 1.
// All packets until the next use these registers, also a late one of an older iteration, which
// workers that wait for their parameters cannot send.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/reference/optimizer/fp.h"
#include "models/reference/optimizer/graph.h"

namespace gw::reference::optimizer {

/// In binary32, as the registers hold them; the textbook uses the same values.
struct HyperParameters {
  float lr = 0.001f;
  float eps = 1e-8f;
  float beta1 = 0.9f;
  float beta2 = 0.999f;
};

/// The registers at one time, as bits.
class Registers {
 public:
  Registers(const HyperParameters& hyper, fp::Subnormal mode);

  /// The host writes lr ... bias: it counts from the next advance() on.
  void write(Source source, std::uint32_t bits) { written_.at(index(source)) = bits; }
  /// What it wrote last.
  std::uint32_t written(Source source) const { return written_.at(index(source)); }

  /// What the iteration that has begun uses.
  void write_active(Source source, std::uint32_t bits) { at(source) = bits; }

  /// To the next iteration: t becomes t + 1.
  void advance();

  std::uint64_t iteration() const { return t_; }  ///< t; 0 before the first
  /// beta1^t and beta2^t, as the hardware has them.
  std::array<std::uint32_t, 2> powers() const { return {power1_, power2_}; }
  /// Goes on where another optimizer stopped.
  void resume(std::uint64_t t, std::array<std::uint32_t, 2> powers);

  std::uint32_t operator[](Source source) const { return values_.at(index(source)); }

 private:
  static std::size_t index(Source source) { return static_cast<std::size_t>(source - kOne); }
  std::uint32_t& at(Source source) { return values_.at(index(source)); }
  void correct();

  fp::Subnormal mode_;
  std::uint64_t t_ = 0;
  std::array<std::uint32_t, kSourceCount - kOne> values_{}, written_{};
  std::uint32_t power1_ = fp::kOne, power2_ = fp::kOne;
};

/// What lies in memory for one parameter.
struct Cell {
  std::uint32_t theta = 0;
  std::array<std::uint32_t, kMaxStates> state{};  ///< the first graph.states()

  friend bool operator==(const Cell&, const Cell&) = default;
};

/// The cell of a parameter before its first step; not all states begin at zero.
Cell first_cell(Algorithm algorithm, std::uint32_t theta, const Registers& registers,
                Epsilon epsilon = Epsilon::kUnderRoot);

/// One step of one parameter: what a PE does.
Cell step(const Graph& graph, const Registers& registers, const Cell& cell, std::uint32_t gradient,
          fp::Subnormal mode);

/// Parameters with their states and the registers: the memory and PEs of Parameter Optimization.
class BitExact {
 public:
  BitExact(Algorithm algorithm, const HyperParameters& hyper, fp::Subnormal mode,
           std::span<const std::uint32_t> parameters, Epsilon epsilon = Epsilon::kUnderRoot);

  void begin_iteration() { registers_.advance(); }
  /// One step; the new parameter. Aborts before the first begin_iteration().
  std::uint32_t step(std::size_t parameter, std::uint32_t gradient);

  /// A complete packet: begins an iteration if this one is newer, and turns the gradients of the
  /// parameters 32 * sequence and following into the new parameters. False, and nothing done, if
  /// there are no such parameters.
  bool packet(std::uint32_t iteration, std::uint32_t sequence, std::span<std::uint32_t> values);

  // What the host writes, and goes on from: cells, word 0 theta, then the states; registers, which
  // count from the next iteration on; how many iterations lie behind, and the number that packets
  // gave the last one, if there was any.
  void set_cell(std::size_t parameter, std::size_t word, std::uint32_t bits);
  void write(Source source, std::uint32_t bits) { registers_.write(source, bits); }
  void write_active(Source source, std::uint32_t bits) { registers_.write_active(source, bits); }
  void resume(std::uint64_t t, std::array<std::uint32_t, 2> powers,
              std::optional<std::uint32_t> iteration);
  std::optional<std::uint32_t> last_iteration() const { return iteration_; }
  Algorithm algorithm() const { return graph_.algorithm; }
  Epsilon epsilon() const { return graph_.epsilon; }

  std::size_t size() const { return cells_.size(); }
  const Cell& cell(std::size_t parameter) const { return cells_.at(parameter); }
  std::uint32_t parameter(std::size_t index) const { return cells_.at(index).theta; }
  const Registers& registers() const { return registers_; }

 private:
  const Graph& graph_;
  fp::Subnormal mode_;
  Registers registers_;
  std::vector<Cell> cells_;
  std::optional<std::uint32_t> iteration_;
};

}  // namespace gw::reference::optimizer
