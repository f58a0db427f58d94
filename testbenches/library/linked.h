// The engines that are linked into the program: what the demo needs, so that it runs without
// Verilator and a compiler.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "testbenches/engine/engine_abi.h"

namespace gw::testbenches {

/// The value of a SystemVerilog integer literal (`32`, `1'b0`, `8'hff`) in decimal; any other text
/// as it is.
std::string parameter_value(std::string_view literal);

/// The linked engine of that top, null if there is none. Parameters (Name=value) that are not given
/// have the top's defaults.
const GwEngine* linked_engine(std::string_view top, const std::vector<std::string>& parameters,
                              bool traced);

}  // namespace gw::testbenches
