// Pin-level sc_modules of the optimizer switch's devices: sample the pins on each rising edge, step
// the core, drive the pins. Ports are named as the RTL's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <systemc>

#include "models/axis/beat.h"
#include "models/systemc/aggregator.h"
#include "models/systemc/axis_pins.h"
#include "models/systemc/optimizer.h"
#include "models/systemc/parser.h"
#include "models/systemc/switch.h"

namespace gw::systemc {

/// AXI4-Stream in and out of `kStreams` ports side by side, counters.
template <int kStreams, int kInUserBits, int kStatWords>
class FramePins : public ClockedPins {
 public:
  template <int kBits>
  using Vector = sc_dt::sc_bv<kBits>;

  sc_core::sc_in<Vector<256 * kStreams>> SC_NAMED(s_axis_tdata);
  sc_core::sc_in<Vector<32 * kStreams>> SC_NAMED(s_axis_tkeep);
  sc_core::sc_in<Vector<kStreams>> SC_NAMED(s_axis_tvalid);
  sc_core::sc_out<Vector<kStreams>> SC_NAMED(s_axis_tready);
  sc_core::sc_in<Vector<kStreams>> SC_NAMED(s_axis_tlast);
  sc_core::sc_in<Vector<kInUserBits>> SC_NAMED(s_axis_tuser);

  sc_core::sc_out<Vector<256 * kStreams>> SC_NAMED(m_axis_tdata);
  sc_core::sc_out<Vector<32 * kStreams>> SC_NAMED(m_axis_tkeep);
  sc_core::sc_out<Vector<kStreams>> SC_NAMED(m_axis_tvalid);
  sc_core::sc_in<Vector<kStreams>> SC_NAMED(m_axis_tready);
  sc_core::sc_out<Vector<kStreams>> SC_NAMED(m_axis_tlast);

  sc_core::sc_out<Vector<32 * kStatWords>> SC_NAMED(stat_o);

 protected:
  explicit FramePins(const sc_core::sc_module_name& name) : ClockedPins(name) {}

  Beat sample_s_axis(int stream) const {
    Beat beat;
    const auto& data = s_axis_tdata.read();
    for (int i = 0; i < kLanes; ++i) beat.data[i] = data.get_word(kLanes * stream + i);
    beat.keep = s_axis_tkeep.read().get_word(stream);
    beat.last = s_axis_tlast.read()[stream].to_bool();
    return beat;
  }
  /// nullptr lowers tvalid and leaves the payload, then don't-care, as it was.
  void put_m_axis(int stream, const Beat* beat) {
    valid_[stream] = beat != nullptr;
    if (beat == nullptr) return;
    for (int i = 0; i < kLanes; ++i) data_.set_word(kLanes * stream + i, beat->data[i]);
    keep_.set_word(stream, beat->keep);
    last_[stream] = beat->last != 0;
  }
  void drive(std::span<const uint32_t> statistics) {
    m_axis_tvalid.write(valid_);
    m_axis_tdata.write(data_);
    m_axis_tkeep.write(keep_);
    m_axis_tlast.write(last_);
    Vector<32 * kStatWords> words;
    for (int i = 0; i < kStatWords; ++i) words.set_word(i, statistics[static_cast<size_t>(i)]);
    stat_o.write(words);
  }

 private:
  Vector<256 * kStreams> data_;
  Vector<32 * kStreams> keep_;
  Vector<kStreams> valid_, last_;
};

/// What configures the aggregator.
struct AggregationPins {
  sc_core::sc_in<sc_dt::sc_uint<5>> SC_NAMED(workers_i);
  sc_core::sc_in<sc_dt::sc_uint<16>> SC_NAMED(group_i);
  sc_core::sc_in<sc_dt::sc_uint<11>> SC_NAMED(depth_i);

  AggregationConfig read() const {
    return {.workers = workers_i.read().to_uint(),
            .group = group_i.read().to_uint(),
            .depth = depth_i.read().to_uint()};
  }
};

/// The host's writes.
struct HostPins {
  sc_core::sc_in<bool> SC_NAMED(cfg_valid_i);
  sc_core::sc_in<sc_dt::sc_uint<32>> SC_NAMED(cfg_address_i);
  sc_core::sc_in<sc_dt::sc_uint<32>> SC_NAMED(cfg_data_i);

  template <class Core>
  void pass_on(Core& core) const {
    if (cfg_valid_i.read()) core.write(cfg_address_i.read().to_uint(), cfg_data_i.read().to_uint());
  }
};

/// A device with one stream; the frame's port of arrival on s_axis_tuser, what the frame is on
/// m_axis_tuser (docs/devices/parser.md).
template <class Core, int kStatWords>
class StreamModule : public FramePins<1, 2, kStatWords> {
 public:
  sc_core::sc_out<sc_dt::sc_bv<192>> SC_NAMED(m_axis_tuser);

 protected:
  explicit StreamModule(const sc_core::sc_module_name& name) : FramePins<1, 2, kStatWords>(name) {}
  /// In front of each edge in reset, and of each other one.
  virtual void configure() {}
  virtual void before_edge() {}

  Core core_;

 private:
  void rising_edge() override {
    if (!this->aresetn.read()) {
      configure();
      core_.reset();
    } else {
      before_edge();
      Beat beat = this->sample_s_axis(0);
      beat.meta[0] = this->s_axis_tuser.read().get_word(0);
      core_.clock(this->s_axis_tvalid.read()[0].to_bool() ? &beat : nullptr,
                  this->m_axis_tready.read()[0].to_bool());
    }
    sc_dt::sc_bv<1> ready;
    ready[0] = core_.s_ready();
    this->s_axis_tready.write(ready);
    const Beat* const m = core_.m_beat();
    this->put_m_axis(0, m);
    if (m != nullptr) {
      sc_dt::sc_bv<192> user;
      for (int i = 0; i < 6; ++i) user.set_word(i, m->meta[static_cast<size_t>(i)]);
      m_axis_tuser.write(user);
    }
    this->drive(core_.statistics());
  }
};

class gw_parser : public StreamModule<Parser, 12> {
 public:
  explicit gw_parser(const sc_core::sc_module_name& name) : StreamModule(name) {}
};

/// The pins of the configuration are looked at in reset.
class gw_aggregator : public StreamModule<Aggregator, 22>, public AggregationPins {
 public:
  explicit gw_aggregator(const sc_core::sc_module_name& name) : StreamModule(name) {}

 private:
  void configure() override { core_.configure(AggregationPins::read()); }
};

/// `config` says what the RTL's parameters say; its hyper-parameters hold until the host writes.
class gw_optimizer : public StreamModule<Optimizer, 16>, public HostPins {
 public:
  explicit gw_optimizer(const sc_core::sc_module_name& name, const OptimizerConfig& config = {})
      : StreamModule(name) {
    core_.configure(config, {});
  }

 private:
  void configure() override { pass_on(core_); }
  void before_edge() override { pass_on(core_); }
};

class gw_switch : public FramePins<Switch::kPorts, Switch::kPorts, 44>,
                  public AggregationPins,
                  public HostPins {
 public:
  sc_core::sc_out<sc_dt::sc_bv<19>> SC_NAMED(event_o);

  explicit gw_switch(const sc_core::sc_module_name& name, const OptimizerConfig& config = {})
      : FramePins(name) {
    core_.configure({}, config, {});
  }

 private:
  void rising_edge() override {
    if (!aresetn.read()) {
      pass_on(core_);
      core_.configure(AggregationPins::read(), s_axis_tvalid.read().to_uint());
    } else {
      pass_on(core_);
      std::array<Beat, Switch::kPorts> beats;
      std::array<const Beat*, Switch::kPorts> offered{};
      for (int port = 0; port < Switch::kPorts; ++port) {
        if (!s_axis_tvalid.read()[port].to_bool()) continue;
        Beat& beat = beats[static_cast<size_t>(port)] = sample_s_axis(port);
        beat.user = s_axis_tuser.read()[port].to_bool();
        offered[static_cast<size_t>(port)] = &beat;
      }
      core_.clock(offered, m_axis_tready.read().to_uint());
    }
    sc_dt::sc_bv<Switch::kPorts> ready;
    for (int port = 0; port < Switch::kPorts; ++port) {
      ready[port] = core_.s_ready(port);
      put_m_axis(port, core_.m_beat(port));
    }
    s_axis_tready.write(ready);
    event_o.write(core_.events());
    drive(core_.statistics());
  }

  Switch core_;
};

}  // namespace gw::systemc
