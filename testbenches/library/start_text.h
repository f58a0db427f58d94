// Generated C++ whose variables start by seed and name, and not by the order in which Verilator
// draws (start_values.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace gw::testbenches {

struct StartText {
  std::string code;
  int left = 0;  ///< draws that are as Verilator wrote them: their statements were not understood
};

/// Replaces each call of VL_RAND_RESET_I, _Q, _W and their scoped forms.
StartText seeded_start(std::string_view code);

}  // namespace gw::testbenches
