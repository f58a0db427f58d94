// Beats of quantised chunks in words, for the divergence report.
#pragma once

#include <string>

#include "sim/harness/packet.h"

namespace gw::testbenches {

/// Of a chunk that goes in: with its first beat row and n, with its last the error; its floats,
/// lanes that tkeep excludes as "-".
std::string describe_chunk(const sim::Packet<Beat>& packet, size_t beat);

/// Of a packet that leaves: the header, the blocks that begin in this beat with their scales, and
/// the values whose bytes begin in it, decoded; the status.
std::string describe_quantised(const sim::Packet<Beat>& packet, size_t beat);

}  // namespace gw::testbenches
