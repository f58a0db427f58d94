// What the C of DPI calls (svdpi.h), compiled once.
// clang-format off
// SPDX-License-Identifier: Apache-2.0
#include <verilated_dpi.cpp>
// clang-format on
