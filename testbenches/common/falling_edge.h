// The falling edge of a verilated device's clock.
#pragma once

namespace gw::testbenches {

/// Nothing happens at the falling edge. Where Verilator's memory of the clock's last value can be
/// reached, it is told that the clock was low, which saves an evaluation a cycle; elsewhere the
/// clock does fall. To be called behind every rising edge, or the next one is none.
/// The members' names belong to Verilator: see cmake/VerilatorInternals.cmake.
template <class V>
void falling_edge(V& top) {
#ifdef GRADWIRE_VERILATOR_SHORTCUTS
  if constexpr (requires { top.rootp->__Vtrigrprev__TOP__aclk; }) {  // 5.006
    top.rootp->__Vtrigrprev__TOP__aclk = 0;
    return;
  } else if constexpr (requires { top.rootp->__Vtrigprevexpr___TOP__aclk__0; }) {  // 5.032
    top.rootp->__Vtrigprevexpr___TOP__aclk__0 = 0;
    return;
  }
#endif
  top.aclk = 0;
  top.eval();
}

}  // namespace gw::testbenches
