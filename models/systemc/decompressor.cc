// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/decompressor.h"

namespace gw::systemc {

void Decompressor::reset() {
  ready_ = false;
  first_ = true;
  held_ = 0;
  oldest_ = 0;
  offset_ = 0;
  ends_ = 0;
  valid_bytes_.fill(0);
  user_.fill(0);
  bytes_.fill(0);
  used_ = 0;
  queued_ = 0;
  decoding_ = 0;
  queue_head_ = 0;
  queue_tail_ = 0;
  errors_ = 0;
  queue_.fill(Beat{});
}

}  // namespace gw::systemc
