#include <algorithm>

#include "models/reference/capture/capture.h"

namespace gw::capture {

Info info(const Capture& capture, const SelectOptions& options) {
  Info out;
  out.file = capture.file;
  out.format = capture.format;
  out.packets = capture.packets.size();
  out.damage = capture.damage;
  bool first = true;
  for (const auto& p : capture.packets) {
    const Layers& layers = p.layers;
    out.captured_bytes += p.bytes.size();
    out.original_bytes += p.original_length;
    out.first_ns = first ? p.timestamp_ns : std::min(out.first_ns, p.timestamp_ns);
    out.last_ns = first ? p.timestamp_ns : std::max(out.last_ns, p.timestamp_ns);
    first = false;
    out.snapped += p.bytes.size() < p.original_length;
    out.vlan += !layers.vlan.empty();
    if (layers.ipv4) {
      ++out.ipv4;
      out.tcp += layers.tcp.has_value();
      out.udp += layers.udp.has_value();
      out.other_transport += !layers.tcp && !layers.udp;
      const Checksums sums = check_checksums(p);
      out.bad_checksums += !sums.ipv4 || !sums.transport;
    } else if (layers.stopped == Skip::kArp) {
      ++out.arp;
    } else if (layers.stopped == Skip::kIpv6) {
      ++out.ipv6;
    } else {
      ++out.other_network;
    }
  }
  Selection selection = select(capture, options);
  out.marked = selection.marked;
  out.selected = selection.payloads.size();
  out.selected_bytes = selection.bytes;
  out.skipped = selection.skipped.by_name();
  out.flows = std::move(selection.flows);
  return out;
}

}  // namespace gw::capture
