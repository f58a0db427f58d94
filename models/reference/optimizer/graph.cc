// SPDX-License-Identifier: Apache-2.0
#include "models/reference/optimizer/graph.h"

#include <algorithm>
#include <cassert>

namespace gw::reference::optimizer {
namespace {

/// Collects the nodes of one graph; every call returns the number of its result.
class Builder {
 public:
  Builder(Algorithm algorithm, Epsilon epsilon) {
    graph_.algorithm = algorithm;
    graph_.epsilon = epsilon;
  }
  bool after_root() const { return graph_.epsilon == Epsilon::kAfterRoot; }

  int add(std::string_view name, int a, int b) { return node({name, Operator::kAdd, a, b}); }
  int sub(std::string_view name, int a, int b) { return node({name, Operator::kSub, a, b}); }
  int mul(std::string_view name, int a, int b) { return node({name, Operator::kMul, a, b}); }
  int div(std::string_view name, int a, int b) { return node({name, Operator::kDiv, a, b}); }
  int min(std::string_view name, int a, int b) { return node({name, Operator::kMin, a, b}); }
  int sqrt(std::string_view name, int a) { return node({name, Operator::kSqrt, a, -1}); }

  void state(std::string_view name, int new_value) {
    graph_.state_names[graph_.new_state.size()] = name;
    graph_.new_state.push_back(new_value);
  }
  Graph finish(int new_theta) {
    graph_.new_theta = new_theta;
    return std::move(graph_);
  }

 private:
  int node(Node node) {
    graph_.nodes.push_back(node);
    return kSourceCount + static_cast<int>(graph_.nodes.size()) - 1;
  }
  Graph graph_;
};

Graph sgd(Epsilon epsilon) {
  Builder b(Algorithm::kSgd, epsilon);
  const int step = b.mul("step", kLr, kGradient);
  return b.finish(b.sub("theta'", kTheta, step));
}

Graph adagrad(Epsilon epsilon) {
  Builder b(Algorithm::kAdagrad, epsilon);
  const int square = b.mul("square", kGradient, kGradient);
  const int h = b.add("h'", kState0, square);
  int divisor = b.sqrt("root", h);
  if (b.after_root()) divisor = b.add("den", divisor, kEps);
  const int rate = b.div("rate", kLr, divisor);
  const int step = b.mul("step", rate, kGradient);
  b.state("h", h);
  return b.finish(b.sub("theta'", kTheta, step));
}

Graph adam(Epsilon epsilon) {
  Builder b(Algorithm::kAdam, epsilon);
  const int m_old = b.mul("m_old", kBeta1, kState0);
  const int m_new = b.mul("m_new", kOneMinusBeta1, kGradient);
  const int m = b.add("m'", m_old, m_new);
  const int m_hat = b.div("m_hat", m, kCorrection1);
  const int square = b.mul("square", kGradient, kGradient);
  const int v_new = b.mul("v_new", kOneMinusBeta2, square);
  const int v = b.add("v", kState1, v_new);
  const int v_hat = b.div("v_hat", v, kCorrection2);
  int divisor = b.sqrt("root", v_hat);
  if (b.after_root()) divisor = b.add("den", divisor, kEps);
  const int ratio = b.div("ratio", m_hat, divisor);
  const int step = b.mul("step", kLr, ratio);
  b.state("m", m);
  b.state("u",
          b.after_root() ? b.mul("u'", kBeta2, v) : b.add("u'", b.mul("u_old", kBeta2, v), kBias));
  return b.finish(b.sub("theta'", kTheta, step));
}

Graph smorms3(Epsilon epsilon) {
  Builder b(Algorithm::kSmorms3, epsilon);
  const int s_one = b.add("s_one", kState2, kOne);
  const int rho = b.div("rho", kOne, s_one);
  const int keep = b.sub("keep", kOne, rho);
  const int m_old = b.mul("m_old", keep, kState0);
  const int m_new = b.mul("m_new", rho, kGradient);
  const int m = b.add("m'", m_old, m_new);
  const int square = b.mul("square", kGradient, kGradient);
  const int v_old = b.mul("v_old", keep, kState1);
  const int v_new = b.mul("v_new", rho, square);
  const int v = b.add("v'", v_old, v_new);
  const int divisor = b.after_root() ? b.add("den", b.sqrt("root", v), kEps)
                                     : b.sqrt("root", b.add("v_eps", v, kEps));
  const int v_side = b.add("v_side", v_new, kEps);
  const int below = b.add("below", v_old, v_side);
  const int m_two = b.mul("m_two", m, m);
  const int x = b.div("x", m_two, below);
  const int limit = b.min("limit", kLr, x);
  const int rate = b.div("rate", limit, divisor);
  const int step = b.mul("step", rate, kGradient);
  const int left = b.sub("left", kOne, x);
  const int s_old = b.mul("s_old", left, kState2);
  b.state("m", m);
  b.state("v", v);
  b.state("s", b.add("s'", s_old, kOne));
  return b.finish(b.sub("theta'", kTheta, step));
}

/// When the value is there.
int arrival(const Graph& graph, const std::vector<int>& start, const Latencies& latencies,
            int value) {
  if (value < kSourceCount) return 0;
  const auto node = static_cast<std::size_t>(value - kSourceCount);
  return start[node] + latencies.of(graph.nodes[node].op);
}

}  // namespace

std::string_view name_of(Algorithm algorithm) {
  static constexpr std::array<std::string_view, 4> kNames = {"sgd", "adagrad", "adam", "smorms3"};
  return kNames.at(static_cast<std::size_t>(algorithm));
}

std::string_view name_of(Operator op) {
  static constexpr std::array<std::string_view, kOperatorCount> kNames = {"add", "sub",  "mul",
                                                                          "div", "sqrt", "min"};
  return kNames.at(static_cast<std::size_t>(op));
}

std::string_view Graph::name_of_value(int value) const {
  static constexpr std::array<std::string_view, kSourceCount> kNames = {
      "theta", "g",     "",          "",          "",     "1",           "lr",         "eps",
      "beta1", "beta2", "1 - beta1", "1 - beta2", "bias", "1 - beta1^t", "1 - beta2^t"};
  if (value >= kSourceCount) return nodes.at(static_cast<std::size_t>(value - kSourceCount)).name;
  if (value >= kState0 && value <= kState2) {
    return state_names[static_cast<std::size_t>(value - kState0)];
  }
  return kNames.at(static_cast<std::size_t>(value));
}

const Graph& graph_of(Algorithm algorithm, Epsilon epsilon) {
  static const auto kGraphs = [] {
    std::array<std::array<Graph, 4>, kEpsilons.size()> all;
    for (const Epsilon e : kEpsilons) {
      all[static_cast<std::size_t>(e)] = {sgd(e), adagrad(e), adam(e), smorms3(e)};
    }
    return all;
  }();
  return kGraphs.at(static_cast<std::size_t>(epsilon)).at(static_cast<std::size_t>(algorithm));
}

int Latencies::of(Operator op) const {
  switch (op) {
    case Operator::kAdd:
    case Operator::kSub:
      return add;
    case Operator::kMul:
      return mul;
    case Operator::kDiv:
      return div;
    case Operator::kSqrt:
      return sqrt;
    case Operator::kMin:
      return min;
  }
  assert(false);
  return 0;
}

std::vector<int> starts(const Graph& graph, const Latencies& latencies) {
  std::vector<int> start;
  for (const Node& node : graph.nodes) {
    const int a = arrival(graph, start, latencies, node.a);
    start.push_back(node.b < 0 ? a : std::max(a, arrival(graph, start, latencies, node.b)));
  }
  return start;
}

int latency(const Graph& graph, const Latencies& latencies) {
  return arrival(graph, starts(graph, latencies), latencies, graph.new_theta);
}

int state_latency(const Graph& graph, const Latencies& latencies) {
  const std::vector<int> start = starts(graph, latencies);
  if (graph.new_state.empty()) return arrival(graph, start, latencies, graph.new_theta);
  int last = 0;
  for (const int value : graph.new_state) {
    last = std::max(last, arrival(graph, start, latencies, value));
  }
  return last;
}

std::vector<int> critical_path(const Graph& graph, const Latencies& latencies) {
  const std::vector<int> start = starts(graph, latencies);
  std::vector<int> path;
  for (int value = graph.new_theta; value >= kSourceCount;) {
    const int index = value - kSourceCount;
    path.push_back(index);
    const Node& node = graph.nodes[static_cast<std::size_t>(index)];
    const bool second = node.b >= 0 && arrival(graph, start, latencies, node.b) >=
                                           arrival(graph, start, latencies, node.a);
    value = second ? node.b : node.a;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::string critical_chain(const Graph& graph, const Latencies& latencies) {
  std::string chain;
  for (const int index : critical_path(graph, latencies)) {
    if (!chain.empty()) chain += ' ';
    chain += name_of(graph.nodes[static_cast<std::size_t>(index)].op);
  }
  return chain;
}

std::array<int, kOperatorCount> operators(const Graph& graph) {
  std::array<int, kOperatorCount> count{};
  for (const Node& node : graph.nodes) count[static_cast<std::size_t>(node.op)]++;
  return count;
}

std::string table(const Graph& graph, const Latencies& latencies) {
  const std::vector<int> start = starts(graph, latencies);
  const std::vector<int> path = critical_path(graph, latencies);
  std::string text;
  for (std::size_t i = 0; i < graph.nodes.size(); i++) {
    const Node& node = graph.nodes[i];
    text += std::to_string(start[i]) + ' ' + std::string(node.name) + " = ";
    text += std::string(name_of(node.op)) + '(' + std::string(graph.name_of_value(node.a));
    if (node.b >= 0) text += ", " + std::string(graph.name_of_value(node.b));
    text += ')';
    if (std::find(path.begin(), path.end(), static_cast<int>(i)) != path.end()) text += " *";
    text += '\n';
  }
  return text;
}

}  // namespace gw::reference::optimizer
