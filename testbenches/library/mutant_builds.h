// How mutants are divided into builds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace gw::testbenches {

/// Mutants that one build holds: more take longer to compile than they save.
inline constexpr uint32_t kMutantsOfBuild = 250;

}  // namespace gw::testbenches
