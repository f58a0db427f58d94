// What every engine's code includes of others and takes longer to read than a small engine to
// compile: compiled ahead where engines are built on demand (library.cc), for those with the same
// flags. What runs once is compiled as C++17 and needs only the first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <verilated.h>

#if __cplusplus >= 202002L
#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>
#endif
