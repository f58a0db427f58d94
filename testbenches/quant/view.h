// What reports of the quantisers say: section and card of what was sent, kept and lost.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/report/view.h"

namespace gw::testbenches {

void present_quantiser(const sim::report::Json& doc, sim::report::View& view);

}  // namespace gw::testbenches
