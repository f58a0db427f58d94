#include "models/systemc/nic_rx.h"

namespace gw::systemc {

void NicRx::reset() {
  first_ = true;
  ready_ = false;
  statistics_.fill(0);
}

void NicRx::clock(const Beat*, bool) {}

}  // namespace gw::systemc
