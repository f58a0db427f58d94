// Beats of quantised chunks in words, for the divergence report.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/harness/packet.h"

namespace gw::testbenches {

/// Of a chunk that goes in: with its first beat row and n, with its last the error; its floats,
/// lanes that tkeep excludes as "-".
std::string describe_chunk(const sim::Packet<Beat>& packet, size_t beat);

/// Floats alone, as they leave the decoder.
std::string describe_values(const sim::Packet<Beat>& packet, size_t beat);

/// Of a quantised packet: the header; what begins in this beat: blocks with their scales and
/// values, values that are sent with their places, signs of ONEBIT; the status.
std::string describe_quantised(const sim::Packet<Beat>& packet, size_t beat);

}  // namespace gw::testbenches
