// Which packets: a capture filter as libpcap's users know it, compiled by libpcap itself.
//
//   auto filter = gw::capture::Filter::compile("vlan 10 and greater 192");
//   if (!filter) return fail(filter.error().sentence);
//   if (filter->matches(packet)) use(packet);
#pragma once

#include <memory>
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

  bool matches(const Packet& packet) const;

 private:
  struct Program;
  explicit Filter(std::unique_ptr<Program> program);
  std::unique_ptr<Program> program_;
};

}  // namespace gw::capture
