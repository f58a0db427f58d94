// What reports of the NIC's engines say: frames by what was done with them, payload and link.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/report/view.h"

namespace gw::testbenches {

void present_nic(const sim::report::Json& doc, sim::report::View& view);

}  // namespace gw::testbenches
