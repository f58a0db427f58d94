// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <boost/crc.hpp>
#include <boost/endian/conversion.hpp>

#include "models/reference/capture/capture.h"

namespace gw::capture {
namespace {

/// Bytes that stand after the packet in a whole frame, enough for an FCS.
bool may_have_fcs(const Packet& packet) {
  return packet.bytes.size() == packet.original_length && packet.bytes.size() > kFcsBytes;
}
bool looks_like_fcs(const Packet& packet) {
  return may_have_fcs(packet) && ends_with_fcs(packet.bytes);
}

}  // namespace

bool ends_with_fcs(std::span<const std::uint8_t> frame) {
  if (frame.size() <= kFcsBytes) return false;
  boost::crc_32_type crc;
  crc.process_bytes(frame.data(), frame.size() - kFcsBytes);
  return boost::endian::load_little_u32(&frame[frame.size() - kFcsBytes]) == crc.checksum();
}

void Counter::add(const Packet& packet) {
  const Layers& layers = packet.layers;
  const bool first = sums_.packets++ == 0;
  sums_.captured_bytes += packet.bytes.size();
  sums_.original_bytes += packet.original_length;
  sums_.first_ns = first ? packet.timestamp_ns : std::min(sums_.first_ns, packet.timestamp_ns);
  sums_.last_ns = first ? packet.timestamp_ns : std::max(sums_.last_ns, packet.timestamp_ns);
  sums_.snapped += packet.bytes.size() < packet.original_length;
  sums_.vlan += !layers.vlan.empty();
  if (looks_like_fcs(packet)) ++sums_.fcs;
  sums_.fcs_possible += may_have_fcs(packet);
  if (layers.tos()) {
    ++(layers.ipv4 ? sums_.ipv4 : sums_.ipv6);
    sums_.tcp += layers.tcp.has_value();
    sums_.udp += layers.udp.has_value();
    sums_.other_transport += !layers.tcp && !layers.udp;
    const Checksums checked = check_checksums(packet);
    sums_.bad_checksums += !checked.ipv4 || !checked.transport;
  } else if (layers.ether_type == 0x86DD) {
    ++sums_.ipv6;
  } else if (layers.stopped == Skip::kArp) {
    ++sums_.arp;
  } else {
    ++sums_.other_network;
  }
  sums_.selected += selector_.take(packet).has_value();
}

Info Counter::sums() const {
  Info out = sums_;
  const Selection& selection = selector_.sums();
  out.marked = selection.marked;
  out.selected_bytes = selection.bytes;
  out.skipped = selection.skipped.by_name();
  out.flows = selection.flows;
  out.selection = selection;
  return out;
}

Info info(const Capture& capture, const SelectOptions& options) {
  Counter counter(options);
  for (const Packet& packet : capture.packets) counter.add(packet);
  Info out = counter.sums();
  out.file = capture.file;
  out.format = capture.format;
  out.damage = capture.damage;
  return out;
}

}  // namespace gw::capture
