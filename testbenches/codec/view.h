// What reports of the codec say: section, cards and figures of the compression.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/report/view.h"

namespace gw::testbenches {

void present_codec(const sim::report::Json& doc, sim::report::View& view);

}  // namespace gw::testbenches
