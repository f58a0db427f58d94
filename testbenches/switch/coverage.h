// What is counted of the optimizer switch's frames: what they are, by which port, behind what; what
// aggregation and optimizer did, and how soon after the same sequence number; of the switch also
// routes, queues and the arbiter's turns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "models/axis/beat.h"
#include "models/reference/switch/pipeline.h"
#include "sim/coverage/streams.h"
#include "testbenches/switch/options.h"

namespace gw::testbenches {

std::unique_ptr<sim::coverage::Family<Beat>> frame_coverage(const reference::Blocks& blocks,
                                                            const NetworkSpec& net, bool hosted);

}  // namespace gw::testbenches
