// What the optimizer switch is compared with (IEICE'21, Figure 17): this machine's CPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/reference/optimizer/graph.h"

namespace gw::testbenches {

/// The textbook's loops in float, as a host would run them over all parameters; seconds, the median
/// of several passes.
double cpu_seconds(reference::optimizer::Algorithm algorithm);

}  // namespace gw::testbenches
