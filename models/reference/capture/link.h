// Frames of other links as Ethernet frames: their packets with a header made for them. Internal to
// gw_capture.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/reference/capture/capture.h"

namespace gw::capture {

/// What the link of this LINKTYPE (or DLT) number carries.
Link link_of(std::uint32_t link_type);
/// "IEEE802_11 (105)"
std::string link_name(std::uint32_t link_type);

/// Puts the frame's packet after an Ethernet header, with the addresses that the link knows, else
/// with ones made of the IP addresses. Returns by how many bytes the frame has grown, which may be
/// less than none.
std::ptrdiff_t as_ethernet(std::uint32_t link_type, std::span<const std::uint8_t> frame,
                           std::vector<std::uint8_t>& out);

}  // namespace gw::capture
