// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/compressor.h"

namespace gw::systemc {

void Compressor::reset() {
  ready_ = false;
  first_ = true;
  used_ = 0;
  queued_ = 0;
  calendar_ = 0;
  head_ = 0;
  tail_ = 0;
  errors_ = 0;
  front_ = Beat{};
  sideband_.fill(Sideband{});
  bytes_.fill(0);
}

}  // namespace gw::systemc
