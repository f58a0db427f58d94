// What the first engine of a run showed and was given, cycle by cycle, for as long as it is ahead
// of the second. The second is then given the same, and held to it.
//
// Engines in turns of a window, not of a cycle: the code of each stays where the processor is fast,
// and the loop is compiled for the first engine alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/axis/axi_lite.h"
#include "sim/harness/control_rules.h"
#include "sim/harness/engine.h"
#include "sim/harness/packet.h"
#include "sim/harness/rules.h"

namespace gw::sim {

/// What an engine shows in a cycle.
template <class P>
struct Shown {
  uint32_t s_ready = 0;
  Probe<P> probe{};
  std::array<const typename P::Beat*, kOutputsOf<P>> m{};
  std::array<const AxiLiteReply*, kControlsOf<P>> control{};
};

template <class P>
class Window {
 public:
  using Beat = typename P::Beat;
  static constexpr size_t kCycles = 64;
  static constexpr size_t kOut = kOutputsOf<P>, kControl = kControlsOf<P>;

  /// A cycle. Beats are those of packets, which live for as long as the window does, or kept here.
  struct Row {
    Offered<P> offered;
    std::array<const Beat*, kOut> m;
    Probe<P> probe;
    uint32_t s_ready, m_ready;
  };
  /// From this cycle on the engine is given something else than a beat.
  struct Configured {
    size_t at, port;
    PacketConfig config;
  };
  /// From the next cycle on its pins show something else.
  using Released = Configured;
  struct Driven {
    size_t at, port;
    AxiLiteRequest request;
  };

  Row& row(size_t i) { return rows_[i]; }
  const Row& row(size_t i) const { return rows_[i]; }
  const AxiLiteReply& reply(size_t i, size_t port) const { return replies_[i * kControl + port]; }
  void set_reply(size_t i, size_t port, const AxiLiteReply& reply) {
    if (replies_.empty()) replies_.resize(kCycles * kControl);
    replies_[i * kControl + port] = reply;
  }
  /// A beat that is no packet's: nobody knows what should leave.
  const Beat* keep(size_t i, size_t port, const Beat& beat) {
    if (kept_.empty()) kept_.resize(kCycles * kOut);
    return &(kept_[i * kOut + port] = beat);
  }

  std::vector<Configured> configured;
  std::vector<Released> released;
  std::vector<Driven> driven;
  void clear() {
    configured.clear();
    released.clear();
    driven.clear();
  }

  Shown<P> shown(size_t i) const {
    Shown<P> shown{.s_ready = rows_[i].s_ready, .probe = rows_[i].probe, .m = rows_[i].m};
    for (size_t p = 0; p < kControl; ++p) shown.control[p] = &reply(i, p);
    return shown;
  }

 private:
  std::array<Row, kCycles> rows_;
  std::vector<Beat> kept_;
  std::vector<AxiLiteReply> replies_;
};

/// The engine shows in this cycle what row i says.
template <class E, class P>
[[gnu::always_inline]] inline bool shows(const E& engine, const Window<P>& window, size_t i) {
  const typename Window<P>::Row& row = window.row(i);
  if (engine.probe() != row.probe || engine.s_ready() != row.s_ready) [[unlikely]]
    return false;
  for (size_t p = 0; p < kOutputsOf<P>; ++p) {
    const auto* const m = engine.m_beat(p);
    if ((m == nullptr) != (row.m[p] == nullptr)) [[unlikely]]
      return false;
    if (m != nullptr && !same_beat(*m, *row.m[p])) [[unlikely]]
      return false;
  }
  if constexpr (kControlsOf<P> != 0) {
    for (size_t p = 0; p < kControlsOf<P>; ++p) {
      if (!same_reply(engine.control(p), window.reply(i, p))) [[unlikely]]
        return false;
    }
  }
  return true;
}

/// The engine goes through `whole` cycles of the window and stands in the next. The first cycle in
/// which it shows something else, before which it stops; or `whole`.
/// Where `compared` is false it goes through all of them, whatever it shows.
template <class E, class P>
size_t follow_window(E& engine, const Window<P>& window, size_t whole, bool compared) {
  auto configured = window.configured.begin();
  auto released = window.released.begin();
  auto driven = window.driven.begin();
  const bool settling = settles(engine);
  for (size_t i = 0; i < whole; ++i) {
    if (!settling && compared && !shows(engine, window, i)) [[unlikely]]
      return i;
    for (; driven != window.driven.end() && driven->at == i; ++driven) {
      if constexpr (kControlsOf<P> != 0) engine.drive(driven->port, driven->request);
    }
    for (; configured != window.configured.end() && configured->at == i; ++configured) {
      if constexpr (requires { engine.configure(size_t{}, configured->config); }) {
        engine.configure(configured->port, configured->config);
      }
    }
    if (settling) [[unlikely]] {
      settle_engine(engine, window.row(i).offered, window.row(i).m_ready);
      if (compared && !shows(engine, window, i)) return i;
    }
    engine.clock(window.row(i).offered, window.row(i).m_ready);
    for (; released != window.released.end() && released->at == i; ++released) {
      release_pins(engine, released->port, released->config);
    }
  }
  return whole;
}

/// Gives an engine that settles what it is given in the window's last cycle, before its edge.
template <class E, class P>
void settle_in_window(E& engine, const Window<P>& window, size_t i) {
  if constexpr (requires { engine.settles(); }) {
    if (!engine.settles()) return;
    for (const auto& driven : window.driven) {
      if constexpr (kControlsOf<P> != 0) {
        if (driven.at == i) engine.drive(driven.port, driven.request);
      }
    }
    for (const auto& configured : window.configured) {
      if constexpr (requires { engine.configure(size_t{}, configured.config); }) {
        if (configured.at == i) engine.configure(configured.port, configured.config);
      }
    }
    engine.settle(window.row(i).offered, window.row(i).m_ready);
  }
}

}  // namespace gw::sim
