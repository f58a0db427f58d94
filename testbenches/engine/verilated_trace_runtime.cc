// The FST writer of Verilator's runtime, compiled once.
//
// It maps temporary files and stores into them. On a full disk such a store is a SIGBUS, and so is
// a read behind the end of a file that could not be written whole: its mmap is replaced by one that
// reserves the blocks first (testbenches/engine/fst_mmap.cc).
// SPDX-License-Identifier: Apache-2.0
#define mmap gw_fst_mmap
// clang-format off
#include <verilated_fst_c.cpp>
// clang-format on
