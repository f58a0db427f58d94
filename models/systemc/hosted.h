// Cycle-accurate cores with their register blocks, no SystemC in them (docs/registers/README.md):
// gw_NAME_axil of devices with one port each way.
//
// A core is wrapped as it is. What its registers mean, its `Registers` say:
//
//   uint32_t read(uint32_t address) const;   of a register that is none of all tops'
//   void write(uint32_t address, uint32_t data);   in the cycle in which it is done, in front of
//                                            the core's edge, for what the core's cfg port takes
//   void written(uint32_t address, uint32_t data);   after that edge, for all else
//   uint32_t counter(size_t i) const;
//   bool clearing() const;
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/axis/beat.h"
#include "models/registers/register.h"
#include "models/systemc/register_port.h"

namespace gw::systemc {

/// The addresses of a top, as its parameters have it.
struct RegisterMap {
  std::span<const registers::Register> registers;
  uint32_t id = 0, version = 0, capability = 0;
  uint32_t counters_at = 0x100, snapshots_at = 0x200;
  size_t counters = 0;
  unsigned algorithm = 0;  ///< some registers exist with some algorithms only
  int depth_log2 = 0;
  registers::Cells cells = {};
  uint32_t cell_blocks = 0;  ///< 0: no cells
  uint32_t parameters = 0;   ///< cells of a block
};

/// What every top's registers do; the others are the core's.
class RegisterFile {
 public:
  static constexpr uint32_t kId = 0x000, kVersion = 0x004, kCapability = 0x008, kControl = 0x010,
                            kStatus = 0x014, kSnapshot = 0x018;

  explicit RegisterFile(const RegisterMap& map) : map_(map), snapshots_(map.counters) {}

  const RegisterMap& map() const { return map_; }
  RegisterPort& port() { return port_; }
  const RegisterPort& port() const { return port_; }
  bool drain() const { return drain_; }
  void reset() {
    port_.reset();
    drain_ = false;
    snapshots_.assign(snapshots_.size(), 0);
  }

  /// One rising edge, in two parts: `begin` in front of the core's, `end` after it.
  template <class Core>
  void begin(Core& core, bool idle) {
    due_ = port_.due();
    refused_ = false;
    rdata_ = 0;
    if (due_.kind == RegisterPort::Due::Kind::kNothing) [[likely]]
      return;
    if (due_.kind == RegisterPort::Due::Kind::kRead) {
      refused_ = !readable(due_.address, idle);
      if (!refused_) rdata_ = read(core, due_.address, idle);
      return;
    }
    refused_ = due_.strb != 0xF || !writable(due_.address, due_.data, idle);
    if (refused_) return;
    if (due_.address == kSnapshot) {
      for (size_t i = 0; i < snapshots_.size(); ++i) snapshots_[i] = core.counter(i);
    } else {
      core.write(due_.address, due_.data);
    }
  }
  template <class Core>
  void end(Core& core) {
    if (due_.kind == RegisterPort::Due::Kind::kWrite && !refused_) {
      if (due_.address == kControl) drain_ = (due_.data & 1) != 0;
      core.written(due_.address, due_.data);
    }
    port_.clock(refused_, rdata_);
  }

 private:
  const registers::Register* find(uint32_t address) const;
  bool is_counter(uint32_t address) const;
  bool is_cell(uint32_t address) const;
  bool readable(uint32_t address, bool idle) const;
  bool writable(uint32_t address, uint32_t data, bool idle) const;

  template <class Core>
  uint32_t read(const Core& core, uint32_t address, bool idle) const {
    if (is_counter(address)) {
      const bool live = address < map_.snapshots_at;
      const size_t i = (address - (live ? map_.counters_at : map_.snapshots_at)) / 4;
      return live ? core.counter(i) : snapshots_[i];
    }
    switch (address) {
      case kId:
        return map_.id;
      case kVersion:
        return map_.version;
      case kCapability:
        return map_.capability;
      case kControl:
        return drain_;
      case kStatus:
        return static_cast<uint32_t>(idle) | static_cast<uint32_t>(core.clearing()) << 1;
      default:
        return core.read(address);
    }
  }

  RegisterMap map_;
  RegisterPort port_;
  bool drain_ = false;
  std::vector<uint32_t> snapshots_;
  RegisterPort::Due due_;
  bool refused_ = false;
  uint32_t rdata_ = 0;
};

/// A core with one stream each way behind its registers. Registers: constructed from the core.
template <class Core, class Registers>
class Hosted {
 public:
  explicit Hosted(const RegisterMap& map) : file_(map), registers_(core_) {}
  Hosted(const Hosted&) = delete;
  Hosted& operator=(const Hosted&) = delete;

  Core& core() { return core_; }
  Registers& registers() { return registers_; }

  void drive(const AxiLiteRequest& request) { file_.port().drive(request); }
  const AxiLiteReply& reply() const { return file_.port().reply(); }
  bool s_ready() const { return core_.s_ready() && !held(); }
  const Beat* m_beat() const { return core_.m_beat(); }

  void reset() {
    core_.reset();
    file_.reset();
    registers_.reset();
    begun_ = false;
    within_ = 0;
  }
  void clock(const Beat* s, bool m_ready) {
    file_.begin(registers_, within_ == 0);
    if (held()) s = nullptr;
    const bool taken = s != nullptr && core_.s_ready();
    const Beat* const m = core_.m_beat();
    const bool leaves = m != nullptr && m_ready && m->last != 0;
    within_ += taken && !begun_;
    within_ -= leaves;
    if (taken) begun_ = s->last == 0;
    core_.clock(s, m_ready);
    file_.end(registers_);
  }

 private:
  /// No frame may begin.
  bool held() const { return file_.drain() && !begun_; }

  Core core_;
  RegisterFile file_;
  Registers registers_;
  bool begun_ = false;   ///< a frame's first beat is in, its last is not
  uint32_t within_ = 0;  ///< frames
};

}  // namespace gw::systemc
