// <immintrin.h>, without what GCC 12 says of it: it takes the deliberately undefined operands of
// its own intrinsics for mistakes (PR 105593). For x86-64 alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
