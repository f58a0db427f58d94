// The coverage counters of Verilator's runtime, compiled once for the engines that were built with
// coverage.
// clang-format off
// SPDX-License-Identifier: Apache-2.0
#include <verilated_cov.cpp>
// clang-format on
