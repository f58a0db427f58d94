// The optimizers as data flow graphs: what the hardware computes, operator by operator.
//
// One table serves three purposes: bit_exact.h evaluates it, latency() computes Table 2 of the
// paper from it, and a pipeline is laid out by it (table() prints when each operator starts and how
// many cycles its result can wait). Operand order is as written; add, mul and min commute to the
// bit, sub and div do not. `state` is what lies in memory beside theta; a state' is written back.
// Cycles with the paper's latencies: mul 9, add and sub 12, div 29, sqrt 28; min 2. * = critical.
//
//   SGD, 21 cycles                         Adagrad, 99 cycles; state h, first eps
//   0  step   = mul(lr, g)            *    0  square = mul(g, g)              *
//   9  theta' = sub(theta, step)      *    9  h'     = add(h, square)         *
//                                          21 root   = sqrt(h')               *
//                                          49 rate   = div(lr, root)          *
//                                          78 step   = mul(rate, g)           *
//                                          87 theta' = sub(theta, step)       *
//
//   Adam, 137 cycles; state m, first 0; u, first bias; bias = mul(1 - beta2, eps), a register
//   0  square  = mul(g, g)            *    0  m_old  = mul(beta1, m)
//   9  v_new   = mul(1 - beta2, square) *  0  m_new  = mul(1 - beta1, g)
//   18 v       = add(u, v_new)        *    9  m'     = add(m_old, m_new)
//   30 v_hat   = div(v, 1 - beta2^t)  *    21 m_hat  = div(m', 1 - beta1^t)
//   59 root    = sqrt(v_hat)          *    30 u_old  = mul(beta2, v)
//   87 ratio   = div(m_hat, root)     *    39 u'     = add(u_old, bias)
//   116 step   = mul(lr, ratio)       *
//   125 theta' = sub(theta, step)     *
//
//   SMORMS3, 164 cycles; state m, first 0; v, first 0; s, first 1
//   0  s_one  = add(s, 1)             *    0  square = mul(g, g)
//   12 rho    = div(1, s_one)         *    41 m_new  = mul(rho, g)
//   41 keep   = sub(1, rho)           *    41 v_new  = mul(rho, square)
//   53 v_old  = mul(keep, v)          *    53 m_old  = mul(keep, m)
//   62 v'     = add(v_old, v_new)     *    62 m'     = add(m_old, m_new)
//   74 v_eps  = add(v', eps)          *    50 v_side = add(v_new, eps)
//   86 root   = sqrt(v_eps)           *    62 below  = add(v_old, v_side)
//   114 rate  = div(limit, root)      *    74 m_two  = mul(m', m')
//   143 step  = mul(rate, g)          *    83 x      = div(m_two, below)
//   152 theta' = sub(theta, step)     *    112 limit = min(lr, x)
//                                          112 left  = sub(1, x)
//                                          124 s_old = mul(left, s)
//                                          133 s'    = add(s_old, 1)
//
// Where eps is. The listings add eps under the root, which the chains of switch.md keep off the
// critical path in Adagrad and Adam. An addition beside the path would be 3 cycles late in both
// (12 of add against 9 of mul, 21 against 18). So the state holds eps already:
//   * Adagrad: h starts at eps instead of 0, and is the listing's h + eps ever after. No operator.
//   * Adam: write v for the listing's v + eps * (1 - beta2^t); then v / (1 - beta2^t) is v_hat +
//     eps, and v = (beta2 * v_before + (1 - beta2) * eps) + (1 - beta2) * g^2. The bracket, u, is
//     computed after the step before and stored in place of v. In exact arithmetic this is the
//     listing. One operator more, after the critical path.
//   eps is therefore fixed with the first state; a later change of the register reaches Adam's sum
//   slowly and Adagrad's never.
//   * SMORMS3: v + eps is needed twice. For the root it is added on the path, as in the chain. For
//     x it would come 3 cycles late, so it is summed in another order beside the path (below);
//     both are right to the last place or two. x then meets the root to the cycle, if min takes at
//     most 2.
//
// Epsilon::kAfterRoot is the other form: PyTorch's AdaGrad and Adam, Chainer's Adam, SMORMS3 as its
// author gives it. The states are then the sums alone, from 0, and a write of eps reaches the next
// iteration in all three; kBias is not used. SMORMS3's x keeps its eps.
//
//   Adagrad, 111 cycles                    Adam, 149 cycles
//   0  square = mul(g, g)             *    0  square  = mul(g, g)            *
//   9  h'     = add(h, square)        *    9  v_new   = mul(1 - beta2, square) *
//   21 root   = sqrt(h')              *    18 v       = add(u, v_new)        *
//   49 den    = add(root, eps)        *    30 v_hat   = div(v, 1 - beta2^t)  *
//   61 rate   = div(lr, den)          *    59 root    = sqrt(v_hat)          *
//   90 step   = mul(rate, g)          *    87 den     = add(root, eps)       *
//   99 theta' = sub(theta, step)      *    99 ratio   = div(m_hat, den)      *
//                                          128 step   = mul(lr, ratio)       *
//   SMORMS3, 164 cycles; the rest as       137 theta' = sub(theta, step)     *
//   above
//   74 root   = sqrt(v')              *    0  m_old   = mul(beta1, m)
//   102 den   = add(root, eps)        *    0  m_new   = mul(1 - beta1, g)
//   114 rate  = div(limit, den)       *    9  m'      = add(m_old, m_new)
//   143 step  = mul(rate, g)          *    21 m_hat   = div(m', 1 - beta1^t)
//   152 theta' = sub(theta, step)     *    30 u'      = mul(beta2, v)
//
// Where the listing leaves SMORMS3 open: s_1 = 1 + (1 - x_0) * s_0 uses an x_0 that it does not
// give. s_1 is 1 here (x_0 = 1), as in Chainer and at the algorithm's source. The state s is
// "already advanced": s_{t+1} is computed after step t.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gw::reference::optimizer {

enum class Algorithm : std::uint8_t { kSgd, kAdagrad, kAdam, kSmorms3 };
inline constexpr std::array kAlgorithms = {Algorithm::kSgd, Algorithm::kAdagrad, Algorithm::kAdam,
                                           Algorithm::kSmorms3};
std::string_view name_of(Algorithm algorithm);  ///< sgd, adagrad, adam, smorms3

/// Where eps is added.
enum class Epsilon : std::uint8_t {
  kUnderRoot,  ///< sqrt(v + eps), as the paper's listings
  kAfterRoot,  ///< sqrt(v) + eps, as PyTorch
};
inline constexpr std::array kEpsilons = {Epsilon::kUnderRoot, Epsilon::kAfterRoot};

enum class Operator : std::uint8_t { kAdd, kSub, kMul, kDiv, kSqrt, kMin };
inline constexpr std::size_t kOperatorCount = 6;
std::string_view name_of(Operator op);  ///< add, sub, mul, div, sqrt, min

/// What a graph starts from; nodes are numbered after these.
enum Source : int {
  kTheta,
  kGradient,
  kState0,  ///< Adagrad h; Adam m; SMORMS3 m
  kState1,  ///< Adam u; SMORMS3 v
  kState2,  ///< SMORMS3 s
  kOne,     ///< from here on registers
  kLr,
  kEps,
  kBeta1,
  kBeta2,
  kOneMinusBeta1,
  kOneMinusBeta2,
  kBias,         ///< (1 - beta2) * eps; of eps under the root
  kCorrection1,  ///< 1 - beta1^t
  kCorrection2,  ///< 1 - beta2^t
  kSourceCount,
};
inline constexpr std::size_t kMaxStates = 3;

struct Node {
  std::string_view name;
  Operator op = Operator::kAdd;
  int a = 0;   ///< a Source, or kSourceCount + the index of an earlier node
  int b = -1;  ///< none for sqrt
};

struct Graph {
  Algorithm algorithm = Algorithm::kSgd;
  Epsilon epsilon = Epsilon::kUnderRoot;
  std::vector<Node> nodes;  ///< in an order in which they can be computed
  int new_theta = 0;        ///< what goes back to memory and into the packet
  std::vector<int> new_state;
  std::array<std::string_view, kMaxStates> state_names{};

  std::size_t states() const { return new_state.size(); }
  std::string_view name_of_value(int value) const;
};

const Graph& graph_of(Algorithm algorithm, Epsilon epsilon = Epsilon::kUnderRoot);

/// Cycles of each operator.
struct Latencies {
  int add = 12;  ///< and sub
  int mul = 9;
  int div = 29;
  int sqrt = 28;
  int min = 2;  ///< the paper gives none; up to 2 leave its Table 2 as it is

  int of(Operator op) const;
};
inline constexpr Latencies kPaperLatencies{};

/// When each node of an II = 1 pipeline starts if it waits for nothing but its operands, in cycles
/// after theta, g and the state come in.
std::vector<int> starts(const Graph& graph, const Latencies& latencies);
/// Cycles from g to theta': Table 2.
int latency(const Graph& graph, const Latencies& latencies);
/// Cycles from g to the last state': when a slot may be read again. SGD: that of theta'.
int state_latency(const Graph& graph, const Latencies& latencies);
/// The nodes on the longest path to theta', in order (of paths of equal length, the one through
/// the second operand).
std::vector<int> critical_path(const Graph& graph, const Latencies& latencies);
/// "mul add sqrt div mul sub"
std::string critical_chain(const Graph& graph, const Latencies& latencies);

/// Operators of each kind, by Operator: what a PE with II = 1 is made of.
std::array<int, kOperatorCount> operators(const Graph& graph);

/// One line an operator: start, name, operation with operands, a star if critical.
std::string table(const Graph& graph, const Latencies& latencies);

}  // namespace gw::reference::optimizer
