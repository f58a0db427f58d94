// An engine whose class is known only when the program runs. What is done seldom, or costs much
// more than a call, takes engines so; and the second engine of a run, which is called once a
// window.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/harness/engine.h"
#include "sim/harness/window.h"

namespace gw::sim {

/// Does not own the engine, copies speak to the same one; may stand for none. Costs a virtual call
/// for each of an engine's functions.
template <class P>
class AnyEngine {
 public:
  using Ports = P;
  using Beat = typename P::Beat;

  AnyEngine() = default;  ///< none
  template <class E>
  requires(!std::same_as<E, AnyEngine>) && Engine<E>&& std::same_as<typename E::Ports, P> AnyEngine(
                                               E& engine)
      : engine_(std::make_shared<Of<E>>(engine)) {}

  explicit operator bool() const { return engine_ != nullptr; }
  /// Through cycles of a window: sim/harness/window.h.
  size_t follow(const Window<P>& window, size_t whole, bool compared = true) {
    return engine_->follow(window, whole, compared);
  }
  void settle(const Window<P>& window, size_t i) { engine_->settle(window, i); }
  bool settles() const { return engine_->settles(); }
  void settle(const Offered<P>& offered, uint32_t m_ready) { engine_->settle(offered, m_ready); }

  void reset() { engine_->reset(); }
  uint32_t s_ready() const { return engine_->s_ready(); }
  const Beat* m_beat(size_t port) const { return engine_->m_beat(port); }
  Probe<P> probe() const { return engine_->probe(); }
  void clock(const Offered<P>& offered, uint32_t m_ready) { engine_->clock(offered, m_ready); }
  const AxiLiteReply& control(size_t port) const { return engine_->control(port); }
  void drive(size_t port, const AxiLiteRequest& request) { engine_->drive(port, request); }
  void configure(size_t port, const PacketConfig& config) { engine_->configure(port, config); }
  void release(size_t port, const PacketConfig& pins) { engine_->release(port, pins); }
  /// A pin that is set once, by name; nothing without an engine.
  void set(std::string_view pin, uint64_t value) {
    if (engine_ != nullptr) engine_->set(pin, value);
  }
  std::span<const uint32_t> statistics() const { return engine_->statistics(); }
  void boot(const Boot& boot) { engine_->boot(boot); }
  void skip(uint64_t cycles) { engine_->skip(cycles); }
  void show(const Cycle<P>& cycle) { engine_->show(cycle); }
  std::string stopped() const { return engine_->stopped(); }
  std::optional<uint64_t> missed() const { return engine_->missed(); }
  std::vector<Inner<Beat>> inner(uint64_t ago) const { return engine_->inner(ago); }

 private:
  struct Interface {
    virtual ~Interface() = default;
    virtual void reset() = 0;
    virtual uint32_t s_ready() const = 0;
    virtual const Beat* m_beat(size_t port) const = 0;
    virtual Probe<P> probe() const = 0;
    virtual void clock(const Offered<P>& offered, uint32_t m_ready) = 0;
    virtual const AxiLiteReply& control(size_t port) const = 0;
    virtual void drive(size_t port, const AxiLiteRequest& request) = 0;
    virtual void configure(size_t port, const PacketConfig& config) = 0;
    virtual void release(size_t port, const PacketConfig& pins) = 0;
    virtual void set(std::string_view pin, uint64_t value) = 0;
    virtual std::span<const uint32_t> statistics() const = 0;
    virtual void boot(const Boot& boot) = 0;
    virtual void skip(uint64_t cycles) = 0;
    virtual void show(const Cycle<P>& cycle) = 0;
    virtual std::string stopped() const = 0;
    virtual std::optional<uint64_t> missed() const = 0;
    virtual std::vector<Inner<Beat>> inner(uint64_t ago) const = 0;
    virtual bool settles() const = 0;
    virtual void settle(const Offered<P>& offered, uint32_t m_ready) = 0;
    virtual void settle(const Window<P>& window, size_t i) = 0;
    virtual size_t follow(const Window<P>& window, size_t whole, bool compared) = 0;
  };

  template <class E>
  class Of final : public Interface {
   public:
    explicit Of(E& engine) : engine_(engine) {}
    void reset() override { engine_.reset(); }
    uint32_t s_ready() const override { return engine_.s_ready(); }
    const Beat* m_beat(size_t port) const override { return engine_.m_beat(port); }
    Probe<P> probe() const override { return engine_.probe(); }
    void clock(const Offered<P>& offered, uint32_t m_ready) override {
      engine_.clock(offered, m_ready);
    }
    const AxiLiteReply& control(size_t port) const override {
      if constexpr (kControlsOf<P> != 0) {
        return engine_.control(port);
      } else {
        static constexpr AxiLiteReply kSilence{};
        return kSilence;
      }
    }
    void drive(size_t port, const AxiLiteRequest& request) override {
      if constexpr (kControlsOf<P> != 0) engine_.drive(port, request);
    }
    void configure(size_t port, const PacketConfig& config) override {
      if constexpr (requires { engine_.configure(port, config); }) engine_.configure(port, config);
    }
    void release(size_t port, const PacketConfig& pins) override {
      release_pins(engine_, port, pins);
    }
    void set(std::string_view pin, uint64_t value) override {
      if constexpr (requires { engine_.set(pin, value); }) engine_.set(pin, value);
    }
    std::span<const uint32_t> statistics() const override {
      if constexpr (requires { engine_.statistics(); }) {
        return engine_.statistics();
      } else {
        return {};
      }
    }
    void boot(const Boot& boot) override { boot_engine(engine_, boot); }
    void skip(uint64_t cycles) override {
      if constexpr (requires { engine_.skip(cycles); }) engine_.skip(cycles);
    }
    void show(const Cycle<P>& cycle) override {
      if constexpr (requires { engine_.show(cycle); }) engine_.show(cycle);
    }
    std::string stopped() const override { return stopped_of(engine_); }
    std::optional<uint64_t> missed() const override { return missed_of(engine_); }
    std::vector<Inner<Beat>> inner(uint64_t ago) const override { return inner_of(engine_, ago); }
    bool settles() const override { return sim::settles(engine_); }
    void settle(const Offered<P>& offered, uint32_t m_ready) override {
      settle_engine(engine_, offered, m_ready);
    }
    void settle(const Window<P>& window, size_t i) override {
      settle_in_window(engine_, window, i);
    }
    size_t follow(const Window<P>& window, size_t whole, bool compared) override {
      return follow_window(engine_, window, whole, compared);
    }

   private:
    E& engine_;
  };

  std::shared_ptr<Interface> engine_;
};

}  // namespace gw::sim
