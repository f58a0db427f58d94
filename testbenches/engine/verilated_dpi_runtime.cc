// What the C of DPI calls (svdpi.h), compiled once.
// clang-format off
#include <verilated_dpi.cpp>
// clang-format on
