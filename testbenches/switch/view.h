// What reports of the switch and of its parts say of ports, frames, aggregator and optimizer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/report/view.h"

namespace gw::testbenches {

void present_switch(const sim::report::Json& doc, sim::report::View& view);

}  // namespace gw::testbenches
