// A verilated top as a GwEngine. Included by generated text (engine_source.cc), behind the
// verilated class and in one translation unit with it: a clock cycle of a codec takes 60 ns, so
// nothing here may be a call that the compiler cannot see into.
//
// Facts, which that text defines, says what the top has:
//
//   Top                    the verilated class
//   kLanes                 width of a beat, in lanes of 32 bits
//   kTraced                the class can write waveforms; then also Harness (the class of the
//                          harness's own signals), kHarnessLanes, input_packets(h), ...
//   kChecked               assertions may be checked, and variables start by seed and name
//   kQuietFall             nothing in the top happens at the falling edge of its clock
//   rise(top)              then, perhaps: what happens at the rising one, and nothing else
//   kName, kDescription    name of the top in waveforms, the JSON of GwEngine::describe
//   Inputs, Outputs        Bundles<...>
//   Controls               ControlBundles<...>: AXI4-Lite ports, or none
//   probe(top, outputs)    the outputs that are compared in each cycle
//   kPins                  array of NamedPin<Top>, ended by an empty one
//   signals(scan, root)    with GW_ENGINE_TOGGLE: adds each signal of the state to a ToggleScan
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <verilated.h>

#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "models/axis/axi_lite.h"
#include "models/axis/beat.h"
#include "testbenches/engine/engine_abi.h"
#include "testbenches/engine/verilated_failure.h"
#include "testbenches/engine/verilated_inside.h"

#ifdef GW_ENGINE_TOGGLE
#include "testbenches/engine/toggle_scan.h"
#endif

#ifdef GW_ENGINE_TRACED
#include <gtkwave/fstapi.h>
#include <unistd.h>
#include <verilated_fst_c.h>

#include <algorithm>
#endif

/// The pins of one bundle of streams, by the prefix of their names.
#define GW_ENGINE_BUNDLE(name)                                   \
  struct Pins_##name {                                           \
    static auto& tvalid(auto& top) { return top.name##_tvalid; } \
    static auto& tready(auto& top) { return top.name##_tready; } \
    static auto& tdata(auto& top) { return top.name##_tdata; }   \
    static auto& tkeep(auto& top) { return top.name##_tkeep; }   \
    static auto& tlast(auto& top) { return top.name##_tlast; }   \
    static auto& tuser(auto& top) { return top.name##_tuser; }   \
  };

/// The pins of an AXI4-Lite port.
#define GW_ENGINE_CONTROL(name)                                    \
  struct Pins_##name {                                             \
    static auto& awvalid(auto& top) { return top.name##_awvalid; } \
    static auto& awready(auto& top) { return top.name##_awready; } \
    static auto& awaddr(auto& top) { return top.name##_awaddr; }   \
    static auto& wvalid(auto& top) { return top.name##_wvalid; }   \
    static auto& wready(auto& top) { return top.name##_wready; }   \
    static auto& wdata(auto& top) { return top.name##_wdata; }     \
    static auto& wstrb(auto& top) { return top.name##_wstrb; }     \
    static auto& bvalid(auto& top) { return top.name##_bvalid; }   \
    static auto& bready(auto& top) { return top.name##_bready; }   \
    static auto& bresp(auto& top) { return top.name##_bresp; }     \
    static auto& arvalid(auto& top) { return top.name##_arvalid; } \
    static auto& arready(auto& top) { return top.name##_arready; } \
    static auto& araddr(auto& top) { return top.name##_araddr; }   \
    static auto& rvalid(auto& top) { return top.name##_rvalid; }   \
    static auto& rready(auto& top) { return top.name##_rready; }   \
    static auto& rresp(auto& top) { return top.name##_rresp; }     \
    static auto& rdata(auto& top) { return top.name##_rdata; }     \
  };

namespace gw::testbenches {
namespace {  // each engine has its own, in the translation unit of its verilated class

/// Bits of a pin, however Verilator stores it: a machine word, or an array of 32-bit words.
template <int kBits, class Pin>
inline void put_bits(Pin& pin, int lsb, uint64_t value) {
  constexpr uint64_t kMask = kBits >= 64 ? ~uint64_t{0} : (uint64_t{1} << (kBits & 63)) - 1;
  if constexpr (std::is_integral_v<Pin>) {
    if constexpr (sizeof(Pin) * 8 == kBits) {
      pin = static_cast<Pin>(value);
    } else {
      pin = static_cast<Pin>((pin & ~(kMask << lsb)) | (value & kMask) << lsb);
    }
  } else {
    for (int done = 0; done < kBits;) {
      const int shift = (lsb + done) % 32, bits = std::min(32 - shift, kBits - done);
      const uint32_t mask = bits == 32 ? ~uint32_t{0} : ((uint32_t{1} << bits) - 1) << shift;
      uint32_t& word = pin[static_cast<size_t>((lsb + done) / 32)];
      word = (word & ~mask) | (static_cast<uint32_t>(value >> done) << shift & mask);
      done += bits;
    }
  }
}

template <int kBits, class Pin>
inline uint64_t get_bits(const Pin& pin, int lsb) {
  constexpr uint64_t kMask = kBits >= 64 ? ~uint64_t{0} : (uint64_t{1} << (kBits & 63)) - 1;
  if constexpr (std::is_integral_v<Pin>) {
    return static_cast<uint64_t>(pin) >> lsb & kMask;
  } else {
    uint64_t value = 0;
    for (int done = 0; done < kBits;) {
      const int shift = (lsb + done) % 32, bits = std::min(32 - shift, kBits - done);
      value |= static_cast<uint64_t>(pin[static_cast<size_t>((lsb + done) / 32)] >> shift) << done;
      done += bits;
    }
    return value & kMask;
  }
}

/// A pin of any width as bits lsb .. of an engine's probe, which are zero before.
template <int kBits, class Pin>
inline void show_bits(GwOutputs& outputs, int lsb, const Pin& pin) {
  const auto word = [&outputs](int i) -> uint64_t& {
    return i == 0 ? outputs.probe : outputs.probe_more[i - 1];
  };
  for (int done = 0; done < kBits; done += 32) {
    uint64_t part;
    if constexpr (std::is_integral_v<Pin>) {
      part = static_cast<uint64_t>(pin) >> done & UINT32_MAX;
    } else {
      part = pin[static_cast<size_t>(done / 32)];
    }
    const int at = lsb + done;
    word(at / 64) |= part << at % 64;
    if (at % 64 > 32 && part >> (64 - at % 64) != 0) word(at / 64 + 1) |= part >> (64 - at % 64);
  }
}

/// Ports kFirst .. kFirst + kSlots - 1 of one direction are the slots of a bundle of pins.
/// kUserBits: 0 no tuser, 1 Beat::user, more Beat::meta.
template <class Pins, int kFirst, int kSlots, int kUserBits>
struct Bundle {
  static constexpr uint32_t kMask = kSlots >= 32 ? ~uint32_t{0} : (uint32_t{1} << kSlots) - 1;

  template <int kLanes>
  static void drive(auto& top, const void* const* offered) {
    using AnyBeat = BasicBeat<kLanes>;
    unsigned valid = 0, last = 0, user = 0;
    for (int slot = 0; slot < kSlots; ++slot) {
      const auto* beat = static_cast<const AnyBeat*>(offered[kFirst + slot]);
      if (beat == nullptr) continue;
      valid |= 1u << slot;
      last |= static_cast<unsigned>(beat->last) << slot;
      std::memcpy(&Pins::tdata(top)[static_cast<size_t>(kLanes * slot)], beat->data.data(),
                  4 * kLanes);
      put_bits<4 * kLanes>(Pins::tkeep(top), 4 * kLanes * slot, beat->keep);
      if constexpr (kUserBits == 1) {
        user |= static_cast<unsigned>(beat->user) << slot;
      } else if constexpr (kUserBits > 1) {
        put_meta(Pins::tuser(top), slot, beat->meta);
      }
    }
    set(Pins::tvalid(top), valid);
    if (valid == 0) return;
    set(Pins::tlast(top), last);
    if constexpr (kUserBits == 1) set(Pins::tuser(top), user);
  }
  static void withhold(auto& top) { set(Pins::tvalid(top), 0); }
  /// As a side drives it that has offered nothing yet.
  static void clear(auto& top) {
    Pins::tdata(top) = {};
    Pins::tkeep(top) = {};
    Pins::tlast(top) = {};
    if constexpr (kUserBits != 0) Pins::tuser(top) = {};
  }
  static void take(auto& top, uint32_t m_ready) {
    set(Pins::tready(top), m_ready >> kFirst & kMask);
  }
  static uint32_t ready(auto& top) { return uint32_t{Pins::tready(top)} << kFirst; }
  static uint32_t valid(auto& top) { return uint32_t{Pins::tvalid(top)} << kFirst; }

  /// Beats of the ports that are valid.
  template <int kLanes>
  static void read(auto& top, BasicBeat<kLanes>* beats) {
    const uint32_t valid = Pins::tvalid(top);
    if (valid == 0) return;
    for (int slot = 0; slot < kSlots; ++slot) {
      if ((valid >> slot & 1) == 0) continue;
      auto& beat = beats[kFirst + slot];
      std::memcpy(beat.data.data(), &Pins::tdata(top)[static_cast<size_t>(kLanes * slot)],
                  4 * kLanes);
      beat.keep = static_cast<typename BasicBeat<kLanes>::Keep>(
          get_bits<4 * kLanes>(Pins::tkeep(top), 4 * kLanes * slot));
      beat.last = Pins::tlast(top) >> slot & 1;
      if constexpr (kUserBits == 1) {
        beat.user = Pins::tuser(top) >> slot & 1;
      } else if constexpr (kUserBits > 1) {
        get_meta(Pins::tuser(top), slot, beat.meta);
      }
    }
  }

 private:
  static void set(auto& pin, uint32_t value) {
    pin = static_cast<std::remove_reference_t<decltype(pin)>>(value);
  }
  static constexpr int kWords = (kUserBits + 31) / 32;
  template <int kWord>
  static constexpr int word_bits() {
    return std::min(32, kUserBits - 32 * kWord);
  }
  static void put_meta(auto& pin, int slot, const auto& meta) {
    if constexpr (kUserBits % 32 == 0 &&
                  !std::is_integral_v<std::remove_reference_t<decltype(pin)>>) {
      std::memcpy(&pin[static_cast<size_t>(kWords * slot)], meta.data(), kUserBits / 8);
    } else {
      [&]<int... kWord>(std::integer_sequence<int, kWord...>) {
        (put_bits<word_bits<kWord>()>(pin, kUserBits * slot + 32 * kWord, meta[kWord]), ...);
      }
      (std::make_integer_sequence<int, kWords>());
    }
  }
  static void get_meta(auto& pin, int slot, auto& meta) {
    if constexpr (kUserBits % 32 == 0 &&
                  !std::is_integral_v<std::remove_reference_t<decltype(pin)>>) {
      std::memcpy(meta.data(), &pin[static_cast<size_t>(kWords * slot)], kUserBits / 8);
    } else {
      [&]<int... kWord>(std::integer_sequence<int, kWord...>) {
        ((meta[kWord] = static_cast<uint32_t>(
              get_bits<word_bits<kWord>()>(pin, kUserBits * slot + 32 * kWord))),
         ...);
      }
      (std::make_integer_sequence<int, kWords>());
    }
  }
};

template <class... Each>
struct Bundles {
  template <int kLanes>
  static void drive(auto& top, const void* const* offered) {
    (Each::template drive<kLanes>(top, offered), ...);
  }
  static void withhold(auto& top) { (Each::withhold(top), ...); }
  static void clear(auto& top) { (Each::clear(top), ...); }
  static void take(auto& top, uint32_t m_ready) { (Each::take(top, m_ready), ...); }
  static uint32_t ready(auto& top) { return (uint32_t{0} | ... | Each::ready(top)); }
  static uint32_t valid(auto& top) { return (uint32_t{0} | ... | Each::valid(top)); }
  template <int kLanes>
  static void read(auto& top, BasicBeat<kLanes>* beats) {
    (Each::template read<kLanes>(top, beats), ...);
  }
};

/// An AXI4-Lite port.
template <class Pins>
struct Control {
  static void drive(auto& top, const AxiLiteRequest& request) {
    set(Pins::awvalid(top), request.awvalid);
    set(Pins::awaddr(top), request.awaddr);
    set(Pins::wvalid(top), request.wvalid);
    set(Pins::wdata(top), request.wdata);
    set(Pins::wstrb(top), request.wstrb);
    set(Pins::bready(top), request.bready);
    set(Pins::arvalid(top), request.arvalid);
    set(Pins::araddr(top), request.araddr);
    set(Pins::rready(top), request.rready);
  }
  static void read(auto& top, AxiLiteReply& reply) {
    reply.awready = Pins::awready(top);
    reply.wready = Pins::wready(top);
    reply.bvalid = Pins::bvalid(top);
    reply.bresp = static_cast<AxiResponse>(Pins::bresp(top));
    reply.arready = Pins::arready(top);
    reply.rvalid = Pins::rvalid(top);
    reply.rresp = static_cast<AxiResponse>(Pins::rresp(top));
    reply.rdata = Pins::rdata(top);
  }

 private:
  static void set(auto& pin, uint32_t value) {
    pin = static_cast<std::remove_reference_t<decltype(pin)>>(value);
  }
};

/// All of a top; an engine without any keeps and reads nothing.
template <class... Each>
struct ControlBundles {
  static constexpr size_t kCount = sizeof...(Each);
  static void drive([[maybe_unused]] auto& top, [[maybe_unused]] size_t port,
                    [[maybe_unused]] const AxiLiteRequest& request) {
    size_t p = 0;
    ((p++ == port ? Each::drive(top, request) : void()), ...);
  }
  static void silence([[maybe_unused]] auto& top) { (Each::drive(top, {}), ...); }
  static void read([[maybe_unused]] auto& top, [[maybe_unused]] AxiLiteReply* replies) {
    (Each::read(top, *replies++), ...);
  }
};

template <class Top>
struct NamedPin {
  std::string_view name;
  void (*set)(Top& top, uint64_t value);
};

/// Nothing happens at the falling edge of most tops. Where Verilator's memory of the clock's last
/// value can be reached, it is told that the clock was low, which saves an evaluation a cycle. The
/// members' names belong to Verilator: see cmake/VerilatorInternals.cmake.
template <class Top>
constexpr bool kReachesClock = requires(Top& top) {
  top.rootp->__Vtrigrprev__TOP__aclk;
}
|| requires(Top& top) { top.rootp->__Vtrigprevexpr___TOP__aclk__0; };
template <class Top>
inline void forget_clock(Top& top) {
  if constexpr (requires { top.rootp->__Vtrigrprev__TOP__aclk; }) {  // 5.006
    top.rootp->__Vtrigrprev__TOP__aclk = 0;
  } else if constexpr (requires { top.rootp->__Vtrigprevexpr___TOP__aclk__0; }) {  // 5.032
    top.rootp->__Vtrigprevexpr___TOP__aclk__0 = 0;
  }
}

/// Tells a region of Verilator's schedule that the clock has risen (Facts::rise).
template <class Triggers>
inline void trigger(Triggers& triggers) {
  if constexpr (requires { triggers.set(0, true); }) {  // 5.032
    triggers.set(0, true);
  } else {  // 5.006
    triggers.at(0) = true;
  }
}

#ifdef GW_ENGINE_TRACED
/// The waveform of a traced engine: the RTL's signals, and those of the harness in scope `harness`.
template <class Facts>
class EngineWaves {
 public:
  EngineWaves(VerilatedContext* context, int64_t from, int64_t to, uint64_t period_ps)
      : context_(context), from_(from), to_(to), period_ps_(period_ps) {}

  int open(typename Facts::Top& top, const char* path) {
    std::FILE* probe = std::fopen(path, "wb");
    if (probe == nullptr) return errno;
    // A full disk lets a file be made and refuses its first bytes.
    const bool whole = std::fputc('\n', probe) != EOF && std::fflush(probe) == 0 &&
                       (::fsync(fileno(probe)) == 0 || errno == EINVAL);
    const int error = errno;
    std::fclose(probe);
    if (!whole) return error;
    path_ = path;
    // In the context of the RTL, and not before the file is: newer versions of Verilator trace all
    // models of a context at the first call, and ignore the second.
    harness_ = std::make_unique<typename Facts::Harness>(context_, "harness");
    top.trace(&fst_, 99);
    harness_->trace(&fst_, 99);
    fst_.set_time_unit("1ps");
    fst_.set_time_resolution("1ps");
    fst_.open(path);
    return fst_.isOpen() ? 0 : errno != 0 ? errno : EIO;
  }

  void signals(const GwHarnessSignals* signals) {
    shown_ = signals != nullptr;
    if (shown_) Facts::show(*harness_, *signals);
  }
  template <class AnyBeat>
  void lanes(const AnyBeat* input, const AnyBeat* output) {
    if constexpr (Facts::kHarnessLanes) Facts::show_lanes(*harness_, input, output);
  }
  bool shown() const { return shown_ && fst_.isOpen(); }
  /// The RTL knows of this object, which must outlive it.
  bool registered() const { return harness_ != nullptr; }
  void skip(uint64_t cycles) { cycle_ += static_cast<int64_t>(cycles); }

  /// half = 0 at the falling edge, 1 at the rising edge that ends the cycle.
  void dump(int half) {
    const int64_t cycle = cycle_;
    if (half == 1) ++cycle_;
    if (std::max<int64_t>(cycle, 0) < from_ || cycle > to_) return;
    harness_->eval();
    last_time_ = static_cast<uint64_t>(cycle + kResetCycles) * period_ps_ +
                 (half == 0 ? period_ps_ / 2 : period_ps_);
    fst_.dump(last_time_);
  }

  /// Null, or why the file is not whole.
  const char* close() {
    if (!fst_.isOpen()) return nullptr;
    errno = 0;
    fst_.close();
    const int error = errno;
    // The writer does not report a full disk; reading back what it wrote does.
    auto* const reader = fstReaderOpen(path_.c_str());
    const bool whole = reader != nullptr && fstReaderGetEndTime(reader) >= last_time_;
    if (reader != nullptr) fstReaderClose(reader);
    if (whole) return nullptr;
    return error != 0 ? std::strerror(error) : "the file is not whole";
  }

 private:
  /// Edges before cycle 0 that are shown: two in reset, one that leaves it.
  static constexpr int64_t kResetCycles = 3;

  VerilatedContext* context_;
  std::unique_ptr<typename Facts::Harness> harness_;
  VerilatedFstC fst_;
  std::string path_;
  int64_t from_, to_, cycle_ = -kResetCycles;
  uint64_t period_ps_, last_time_ = 0;
  bool shown_ = true;
};
#endif

template <class Facts>
class VerilatedEngine {
  using Top = typename Facts::Top;
  using Inputs = typename Facts::Inputs;
  using Outputs = typename Facts::Outputs;
  using Controls = typename Facts::Controls;
  static constexpr int kLanes = Facts::kLanes;
  static constexpr bool kHost = requires(Top & top) { top.cfg_valid_i; };
#ifdef GW_ENGINE_TOGGLE
  static constexpr bool kToggles = true;
#else
  static constexpr bool kToggles = false;
#endif
  static constexpr bool kQuietFall = Facts::kQuietFall && kReachesClock<Top> && !Facts::kTraced;
  static constexpr bool kRises = kQuietFall && !kToggles && requires(Top & top) {
    Facts::rise(top);
  };

 public:
  VerilatedEngine(uint64_t seed, const GwFiles* files) {
    texts_.files = files;
    // What nothing sets follows from the seed (start_values.h), and what $random draws. Verilator
    // takes a seed of 0 for none.
    context_.randReset(Facts::kChecked ? 2 : 0);
    context_.randSeed(seed_of(seed));
    if constexpr (Facts::kTraced) context_.traceEverOn(true);
    // The runtime asks the thread, not the model, for the context (random values, scopes).
    Verilated::threadContextp(&context_);
    guarded([&] {
      top_ = std::make_unique<Top>(&context_, Facts::kName);
      top_->aclk = 0;
      top_->aresetn = 0;
      for (const NamedPin<Top>* pin = Facts::kPins; !pin->name.empty(); ++pin) pin->set(*top_, 0);
      Inputs::withhold(*top_);
      Inputs::clear(*top_);
      Outputs::take(*top_, 0);
      Controls::silence(*top_);
      top_->eval();
#ifdef GW_ENGINE_TOGGLE
      scan_ = std::make_unique<ToggleScan>(*top_->rootp);
      Facts::signals(*scan_, *top_->rootp);
#endif
    });
    shown_.m_beat = beats_;
    if constexpr (Controls::kCount != 0) shown_.control = replies_;
    read();
  }
  ~VerilatedEngine() {
    Verilated::threadContextp(&context_);
    guarded([&] {
      if (top_ != nullptr) top_->final();
    });
    if (engine_texts == &texts_) engine_texts = nullptr;
  }

  const GwOutputs* outputs() const { return &shown_; }

  void period(uint64_t period_ps) { period_ps_ = period_ps; }
  void reset() {
    if (dead_) return;
    if (top_->aresetn != 0) time_ps_ = 0;
    top_->aresetn = 0;
    Inputs::withhold(*top_);
    edge(nullptr);
  }
  void settle(const void* const* offered, uint32_t m_ready) {
    if (dead_) return;
    apply(offered, m_ready);
    engine_texts = &texts_;
    try {
      top_->aclk = 0;
      top_->eval();
    } catch (const EngineStopped&) {
    }
    read();
    unseen_ = dead_;
  }
  void clock(const void* const* offered, uint32_t m_ready) {
    if (dead_) return miss();
    apply(offered, m_ready);
    edge(offered);
  }
  void drive(uint32_t control, const AxiLiteRequest& request) {
    if (!dead_) Controls::drive(*top_, control, request);
  }
  void write([[maybe_unused]] uint32_t address, [[maybe_unused]] uint32_t data) {
    if (dead_) return;
    top_->aresetn = 1;
    Inputs::withhold(*top_);
    Outputs::take(*top_, 0);
    if constexpr (kHost) {
      top_->cfg_valid_i = 1;
      top_->cfg_address_i = address;
      top_->cfg_data_i = data;
    }
    edge(nullptr);
    if constexpr (kHost) top_->cfg_valid_i = 0;
  }

  int pin(std::string_view name) const {
    for (const NamedPin<Top>* pin = Facts::kPins; !pin->name.empty(); ++pin) {
      if (pin->name == name) return static_cast<int>(pin - Facts::kPins);
    }
    return -1;
  }
  void set(int pin, uint64_t value) {
    if (pin >= 0 && !dead_) Facts::kPins[pin].set(*top_, value);
  }

  const uint32_t* statistics(uint32_t* words) {
    *words = 0;
    if constexpr (requires(Top & top) { top.stat_o; }) {
      if (top_ == nullptr) return nullptr;
      *words = sizeof(top_->stat_o) / 4;
      if constexpr (std::is_integral_v<std::remove_reference_t<decltype(top_->stat_o)>>) {
        return reinterpret_cast<const uint32_t*>(&top_->stat_o);
      } else {
        return &top_->stat_o[0];
      }
    }
    return nullptr;
  }

  int trace([[maybe_unused]] const char* path, [[maybe_unused]] int64_t from,
            [[maybe_unused]] int64_t to, [[maybe_unused]] uint64_t period_ps) {
#ifdef GW_ENGINE_TRACED
    if (top_ == nullptr) return EIO;
    if (waves_ != nullptr) return EBUSY;
    int error = EIO;
    guarded([&] {
      waves_ = std::make_unique<EngineWaves<Facts>>(&context_, from, to, period_ps);
      error = waves_->open(*top_, path);
    });
    if (error != 0 && !waves_->registered()) waves_.reset();
    return error;
#else
    return ENOTSUP;
#endif
  }
  void harness(const GwHarnessSignals* signals) {
    timeless_ = signals == nullptr;
#ifdef GW_ENGINE_TRACED
    if (waves_ != nullptr && waves_->registered()) waves_->signals(signals);
#endif
  }
  void skip(uint64_t cycles) {
    time_ps_ += cycles * period_ps_;
#ifdef GW_ENGINE_TRACED
    if (waves_ != nullptr) waves_->skip(cycles);
#endif
  }
  const char* finish() {
    const char* why = nullptr;
#ifdef GW_ENGINE_TRACED
    if (waves_ != nullptr) guarded([&] { why = waves_->close(); });
#endif
    return why;
  }

  const GwCoverPoint* coverage(uint32_t* points) {
    *points = 0;
#ifdef GW_ENGINE_COVERAGE
    return coverage_.read(context_, points);
#else
    return nullptr;
#endif
  }
  const GwToggle* toggles(uint32_t* signals) {
    *signals = 0;
#ifdef GW_ENGINE_TOGGLE
    if (scan_ != nullptr) return scan_->read(signals);
#endif
    return nullptr;
  }
  const GwVariable* state(uint32_t* variables) {
    *variables = 0;
#ifdef GW_ENGINE_STATE
    return state_.read(context_, variables);
#else
    return nullptr;
#endif
  }

  const char* failure() const { return texts_.failure.empty() ? nullptr : texts_.failure.c_str(); }

 private:
  void apply(const void* const* offered, uint32_t m_ready) {
    top_->aresetn = 1;
    Inputs::template drive<kLanes>(*top_, offered);
    Outputs::take(*top_, m_ready);
  }

  /// An edge that the RTL does not see. The waveform shows the cycle in which it stopped.
  void miss() {
    shown_.missed += unseen_ ? 0 : 1;
#ifdef GW_ENGINE_TRACED
    if (unseen_ && waves_ != nullptr && waves_->shown()) {
      waves_->dump(0);
      waves_->dump(1);
    }
#endif
    unseen_ = false;
  }

  /// In which seeds that differ by little have nothing in common (SplitMix64).
  static int seed_of(uint64_t x) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return std::max(static_cast<int>((x ^ x >> 31) & 0x7FFFFFFF), 1);
  }

  /// Runs verilated code, whose words are this engine's.
  template <class Code>
  void guarded(Code&& code) {
    EngineTexts* const before = engine_texts;
    engine_texts = &texts_;
    try {
      code();
    } catch (const EngineStopped&) {
      dead_ = true;
    }
    engine_texts = before;
  }

  /// What $time of the next edge's statements is: that of the waveform.
  void pass_time() {
    if (timeless_) return;
    time_ps_ += period_ps_;
    // In the unit of the RTL's finest `timescale.
    uint64_t time = time_ps_;
    for (int unit = context_.timeprecision(); unit > -12; --unit) time /= 10;
    for (int unit = context_.timeprecision(); unit < -12; ++unit) time *= 10;
    context_.time(time);
  }

  void edge([[maybe_unused]] const void* const* offered) {
    engine_texts = &texts_;
    if constexpr (Facts::kTime) pass_time();
    try {
#ifdef GW_ENGINE_TRACED
      if (waves_ != nullptr && waves_->shown()) {
        // Inputs change at the falling edge, so that a person sees what the rising edge samples.
        using AnyBeat = BasicBeat<kLanes>;
        waves_->lanes(offered == nullptr ? nullptr : static_cast<const AnyBeat*>(offered[0]),
                      (shown_.m_valid & 1) != 0 ? &beats_[0] : nullptr);
        top_->aclk = 0;
        top_->eval();
        look();
        waves_->dump(0);
        top_->aclk = 1;
        top_->eval();
        waves_->dump(1);
      } else
#endif
          if constexpr (kRises) {
        Facts::rise(*top_);
      } else {
        if constexpr (!kQuietFall || kToggles) {
          top_->aclk = 0;
          top_->eval();
        }
        look();
        top_->aclk = 1;
        top_->eval();
        if constexpr (kQuietFall) forget_clock(*top_);
      }
    } catch (const EngineStopped&) {
#ifdef GW_ENGINE_TRACED
      if (waves_ != nullptr && waves_->shown()) waves_->dump(1);
#endif
    }
    read();
  }

  /// Notes what toggled between the last cycle and this one, whose inputs are there and whose edge
  /// is not: what the edge will sample. What reset does is not counted.
  void look() {
#ifdef GW_ENGINE_TOGGLE
    if (top_->aresetn == 0) {
      looking_ = false;
    } else if (looking_) {
      scan_->look();
    } else {
      scan_->begin();
      looking_ = true;
    }
#endif
  }

  void read() {
    if (top_ == nullptr) return;
    if (!texts_.failure.empty()) [[unlikely]] {  // from the next cycle on nothing moves
      dead_ = true;
      shown_.s_ready = shown_.m_valid = 0;
      return;
    }
    shown_.s_ready = Inputs::ready(*top_);
    shown_.m_valid = Outputs::valid(*top_);
    Facts::probe(*top_, shown_);
    Outputs::template read<kLanes>(*top_, beats_);
    Controls::read(*top_, replies_);
  }

  VerilatedContext context_;
  std::unique_ptr<Top> top_;
  GwOutputs shown_ = {};
  BasicBeat<kLanes> beats_[GW_ENGINE_PORTS];
  AxiLiteReply replies_[Controls::kCount != 0 ? Controls::kCount : 1];
  EngineTexts texts_;
  uint64_t period_ps_ = 10'000, time_ps_ = 0;
  bool timeless_ = false;  ///< what comes is before the run
  bool dead_ = false;      ///< the RTL has stopped
  bool unseen_ = false;    ///< it stopped before the edge of its cycle
#ifdef GW_ENGINE_TRACED
  std::unique_ptr<EngineWaves<Facts>> waves_;
#endif
#ifdef GW_ENGINE_COVERAGE
  EngineCoverage coverage_;
#endif
#ifdef GW_ENGINE_TOGGLE
  std::unique_ptr<ToggleScan> scan_;
  bool looking_ = false;  ///< there was a cycle since reset
#endif
#ifdef GW_ENGINE_STATE
  EngineState state_;
#endif
};

template <class Facts>
const GwEngine* engine_table() {
  using Engine = VerilatedEngine<Facts>;
  static constexpr auto self = [](void* engine) -> Engine& {
    return *static_cast<Engine*>(engine);
  };
  static constexpr GwEngine kTable = {
      .abi = GW_ENGINE_ABI,
      .describe = [] { return Facts::kDescription; },
      .make = [](uint64_t seed, const GwFiles* files) -> void* {
        try {
          return new Engine(seed, files);
        } catch (const std::bad_alloc&) {
          return nullptr;
        }
      },
      .drop = [](void* e) { delete static_cast<Engine*>(e); },
      .outputs = [](void* e) { return self(e).outputs(); },
      .pin = [](void* e, const char* name) { return self(e).pin(name); },
      .set = [](void* e, int pin, uint64_t value) { self(e).set(pin, value); },
      .drive =
          [](void* e, uint32_t control, const void* r) {
            self(e).drive(control, *static_cast<const AxiLiteRequest*>(r));
          },
      .period = [](void* e, uint64_t period_ps) { self(e).period(period_ps); },
      .reset = [](void* e) { self(e).reset(); },
      .settle = [](void* e, const void* const* offered,
                   uint32_t m_ready) { self(e).settle(offered, m_ready); },
      .clock = [](void* e, const void* const* offered,
                  uint32_t m_ready) { self(e).clock(offered, m_ready); },
      .write = [](void* e, uint32_t address, uint32_t data) { self(e).write(address, data); },
      .statistics = [](void* e, uint32_t* words) { return self(e).statistics(words); },
      .trace = [](void* e, const char* path, int64_t from, int64_t to,
                  uint64_t period_ps) { return self(e).trace(path, from, to, period_ps); },
      .harness = [](void* e, const GwHarnessSignals* signals) { self(e).harness(signals); },
      .skip = [](void* e, uint64_t cycles) { self(e).skip(cycles); },
      .finish = [](void* e) { return self(e).finish(); },
      .coverage = [](void* e, uint32_t* points) { return self(e).coverage(points); },
      .toggles = [](void* e, uint32_t* signals) { return self(e).toggles(signals); },
      .state = [](void* e, uint32_t* variables) { return self(e).state(variables); },
      .failure = [](void* e) { return self(e).failure(); }};
  return &kTable;
}

}  // namespace
}  // namespace gw::testbenches
