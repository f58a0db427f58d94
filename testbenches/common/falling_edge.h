// The falling edge of a verilated device's clock.
#pragma once

namespace gw::testbenches {

/// Nothing happens at the falling edge. Where Verilator's memory of the clock's last value can be
/// reached, it is told that the clock was low, which saves an evaluation a cycle; elsewhere the
/// clock does fall. To be called behind every rising edge, or the next one is none.
template <class V>
void falling_edge(V& top) {
  if constexpr (requires { top.rootp->__Vtrigrprev__TOP__aclk; }) {
    top.rootp->__Vtrigrprev__TOP__aclk = 0;
  } else {
    top.aclk = 0;
    top.eval();
  }
}

}  // namespace gw::testbenches
