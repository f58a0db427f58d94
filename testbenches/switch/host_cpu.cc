// SPDX-License-Identifier: Apache-2.0
#include "testbenches/switch/host_cpu.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "models/papers/optimizer_switch.h"

namespace gw::testbenches {

using reference::optimizer::Algorithm;

double cpu_seconds(Algorithm algorithm) {
  const auto n = static_cast<size_t>(papers::optimizer_switch::kParameters);
  std::vector<float> theta(n, 0.1f), a(n, 1e-8f), b(n, 1e-8f), c(n, 1.0f), g(n);
  for (size_t i = 0; i < n; ++i) g[i] = 1e-3f * static_cast<float>(static_cast<int>(i % 201) - 100);
  constexpr float lr = 0.001f, eps = 1e-8f, beta1 = 0.9f, beta2 = 0.999f;
  const auto pass = [&] {
    switch (algorithm) {
      case Algorithm::kSgd:
        for (size_t i = 0; i < n; ++i) theta[i] -= lr * g[i];
        break;
      case Algorithm::kAdagrad:
        for (size_t i = 0; i < n; ++i) {
          a[i] += g[i] * g[i];
          theta[i] -= lr / std::sqrt(a[i] + eps) * g[i];
        }
        break;
      case Algorithm::kAdam:
        for (size_t i = 0; i < n; ++i) {
          a[i] = beta1 * a[i] + (1 - beta1) * g[i];
          b[i] = beta2 * b[i] + (1 - beta2) * g[i] * g[i];
          theta[i] -= lr * (a[i] / 0.1f) / std::sqrt(b[i] / 0.001f + eps);
        }
        break;
      case Algorithm::kSmorms3:
        for (size_t i = 0; i < n; ++i) {
          const float rho = 1 / (c[i] + 1);
          a[i] = (1 - rho) * a[i] + rho * g[i];
          b[i] = (1 - rho) * b[i] + rho * g[i] * g[i];
          const float x = a[i] * a[i] / (b[i] + eps);
          theta[i] -= g[i] * std::min(lr, x) / std::sqrt(b[i] + eps);
          c[i] = 1 + (1 - x) * c[i];
        }
        break;
    }
  };
  std::vector<double> seconds;
  for (int round = 0; round < 9; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    pass();
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  volatile float kept = theta[n / 2];
  (void)kept;
  std::nth_element(seconds.begin(), seconds.begin() + 4, seconds.end());
  return seconds[4];
}

}  // namespace gw::testbenches
