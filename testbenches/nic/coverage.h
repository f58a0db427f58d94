// What is counted of a NIC's frames: what became of them and of the one before, headers, edges and
// floats of those with whole floats.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "models/axis/beat.h"
#include "models/reference/nic/nic.h"
#include "sim/coverage/streams.h"

namespace gw::testbenches {

enum class NicSide : uint8_t { kTx, kRx, kBoth };

std::unique_ptr<sim::coverage::Family<Beat>> nic_coverage(NicSide side,
                                                          const reference::nic::NicConfig& config);

}  // namespace gw::testbenches
