#include "models/systemc/nic_tx.h"

namespace gw::systemc {

void NicTx::reset() {
  first_ = true;
  ready_ = false;
  statistics_.fill(0);
}

void NicTx::clock(const Beat*, bool) {}

}  // namespace gw::systemc
