// Which packets: a capture filter as libpcap's users know it, compiled by libpcap itself.
//
//   auto filter = gw::capture::Filter::compile("vlan 10 and greater 192");
//   if (!filter) return fail(filter.error().sentence);
//   if (filter->matches(packet)) use(packet);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "models/reference/capture/packet.h"
#include "models/reference/capture/result.h"

namespace gw::capture {

class Filter {
 public:
  /// For Ethernet frames; an empty expression matches all of them. Fails with libpcap's words.
  static Expected<Filter> compile(const std::string& expression);

  Filter(Filter&&) noexcept;
  Filter& operator=(Filter&&) noexcept;
  ~Filter();

  bool matches(const Packet& packet) const { return matches(packet.bytes, packet.original_length); }
  /// What was captured of a packet that was `original_length` bytes long on the wire.
  bool matches(std::span<const std::uint8_t> bytes, std::size_t original_length) const;

 private:
  struct Program;
  explicit Filter(std::unique_ptr<Program> program);
  std::unique_ptr<Program> program_;
};

}  // namespace gw::capture
