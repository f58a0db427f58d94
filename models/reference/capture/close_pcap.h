// What a std::unique_ptr<pcap_t> does at its end; internal to gw_capture.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pcap/pcap.h>

namespace gw::capture {

struct ClosePcap {
  void operator()(pcap_t* p) const { pcap_close(p); }
};

}  // namespace gw::capture
