// What is counted of the codec's packets: classes of values lane by lane, edges of the bound, where
// groups lie in beats, packets in error.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "models/axis/beat.h"
#include "sim/coverage/streams.h"

namespace gw::testbenches {

enum class CodecSide : uint8_t { kCompressor, kDecompressor, kLoop };

/// `hosted`: behind registers, whose gate holds packets back.
std::unique_ptr<sim::coverage::Family<Beat>> codec_coverage(CodecSide side, bool hosted);

}  // namespace gw::testbenches
