// SPDX-License-Identifier: Apache-2.0
#include "testbenches/kit/hosted.h"

#include <algorithm>

#include "sim/base/error.h"

namespace gw::testbenches {

using registers::Access;
using registers::Field;
using registers::Idle;
using registers::Register;

namespace {

/// Options that only software can do something for.
constexpr const char* kSoftware[] = {"lr-at", "save-state", "load-state"};

constexpr auto kRefused = AxiResponse::kSlvErr, kOkay = AxiResponse::kOkay;

}  // namespace

sim::Option host_option() {
  return {kHostOption, "its host: raw (pins and writes of its own) or axi-lite (registers)", "raw",
          "Host"};
}

bool wants_registers(const sim::OptionSet& options) {
  if (!options.knows(kHostOption)) return false;
  const bool registers = options.choice(kHostOption, {"raw", "axi-lite"}) == 1;
  for (const char* name : kSoftware) {
    if (!options.knows(name) || options.word(name).empty()) continue;
    if (!registers && options.changed().contains(kHostOption)) {
      throw sim::UsageError(std::string("--") + name + " goes with --host axi-lite");
    }
    return true;
  }
  return registers;
}

sim::Device::Facts hosted_facts(sim::Device::Facts facts) {
  facts.top += "_axil";
  facts.file_list = "rtl/registers/" + facts.top + ".f";
  facts.pins.clear();
  facts.statistics_are_pins = false;
  facts.inside.clear();
  facts.host_writes = false;
  std::erase_if(facts.probe, [](const sim::Pin& pin) { return pin.name == "error_count_o"; });
  return facts;
}

RegisterReference::Kind RegisterReference::kind(uint32_t address, const Register** found) const {
  *found = nullptr;
  if (address % 4 != 0) return Kind::kNone;
  for (const Register& r : map_.registers) {
    if (r.address == address && (r.algorithms & 1u << map_.algorithm) != 0) *found = &r;
  }
  if (*found != nullptr) return Kind::kRegister;
  for (const uint32_t begin : {map_.counters_at, map_.snapshots_at}) {
    if (address >= begin && (address - begin) / 4 < map_.counters) return Kind::kCounter;
  }
  for (uint32_t block = 0; block < map_.cell_blocks; ++block) {
    const uint32_t begin = map_.cells.at(block, 0);
    if (address >= begin && (address - begin) / 4 < map_.parameters) return Kind::kCell;
  }
  return Kind::kNone;
}

std::optional<AxiResponse> RegisterReference::answers(const sim::Access& access) const {
  const Register* r = nullptr;
  const std::optional<AxiResponse> while_idle = access.quiet ? std::optional(kOkay) : std::nullopt;
  switch (kind(access.address, &r)) {
    case Kind::kNone:
      return kRefused;
    case Kind::kCounter:
      return access.write ? kRefused : kOkay;
    case Kind::kCell:
      if (access.write && access.strb != 0xF) return kRefused;
      return while_idle;
    case Kind::kRegister:
      break;
  }
  if (!access.write) {
    if (r->access == Access::kWriteOnly) return kRefused;
    return r->idle == Idle::kAlways ? while_idle : kOkay;
  }
  if (r->access == Access::kReadOnly || access.strb != 0xF) return kRefused;
  uint32_t known = 0;
  for (size_t f = 0; f < r->field_count; ++f) {
    const Field& field = r->fields[f];
    const uint32_t greatest = field.of_depth ? 1u << map_.depth_log2 : field.greatest;
    const uint32_t value = field.of(access.data);
    if (value < field.least || value > greatest) return kRefused;
    known |= field.in(value);
  }
  if (known != access.data) return kRefused;
  return r->idle == Idle::kNone ? kOkay : while_idle;
}

std::optional<uint32_t> RegisterReference::read(const sim::Access& access) const {
  using File = systemc::RegisterFile;
  switch (access.address) {
    case File::kId:
      return map_.id;
    case File::kVersion:
      return map_.version;
    case File::kCapability:
      return map_.capability;
    case File::kStatus:
      return access.quiet ? std::optional(1u) : std::nullopt;
    default:
      break;
  }
  const auto at = written_.find(access.address);
  if (at != written_.end()) return at->second;
  return std::nullopt;
}

std::unique_ptr<sim::Bench> HostableDevice::bench(sim::Source& source, const sim::RunSpec& spec,
                                                  sim::Kernel& kernel) const {
  for (const char* name : kSoftware) {
    if (spec.options.knows(name) && !spec.options.word(name).empty()) {
      throw sim::UsageError(std::string("--") + name +
                            " goes with run: a benchmark's software only boots the device");
    }
  }
  return of(spec).bench(source, spec, kernel);
}

}  // namespace gw::testbenches
