// SPDX-License-Identifier: Apache-2.0
#include "testbenches/nic/wire.h"

#include <fmt/format.h>

#include <utility>

namespace gw::testbenches {

void NicWire::reset() {
  nic_ = reference::nic::NicTx(config_);
  now_ = 0;
  host_ = wire_ = {};
  owed_.clear();
  complaint_.clear();
}

void NicWire::Side::see(uint64_t cycle) {
  if (!begun) begin = cycle;
  begun = true;
}

bool NicWire::Side::take(const Beat& beat) {
  const auto* const data = reinterpret_cast<const uint8_t*>(beat.data.data());
  bytes.insert(bytes.end(), data, data + valid_bytes(beat));
  if (beat.last == 0) return false;
  ++frames;
  begun = false;
  return true;
}

void NicWire::cycle(const Beat* accepted, const Beat* shown, const Beat* taken) {
  if (accepted != nullptr) {
    host_.see(now_);
    if (host_.take(*accepted)) {
      enters(accepted->user != 0);
      host_.bytes.clear();
    }
  }
  if (shown != nullptr) wire_.see(now_);
  if (taken != nullptr && wire_.take(*taken)) {
    leaves(taken->user != 0);
    wire_.bytes.clear();
  }
  ++now_;
}

void NicWire::enters(bool bad) {
  reference::nic::Packed packed = nic_.pack(host_.bytes, bad, forget_);
  if (!packed.leaves) return;
  sim::Passage passage;
  passage.id = host_.frames - 1;
  passage.accepted = host_.begin;
  passage.action = static_cast<uint32_t>(packed.action);
  passage.ratio =
      static_cast<double>(host_.bytes.size()) / static_cast<double>(packed.frame.size());
  owed_.push_back({passage, std::move(packed.frame), packed.error});
}

void NicWire::leaves(bool error) {
  // A frame that cuts through has its first beats on the wire before the host has sent its last
  // one, but never its last.
  if (owed_.empty() || owed_.front().frame != wire_.bytes || owed_.front().error != error) {
    if (complaint_.empty()) {
      complaint_ = fmt::format("frame {} on the wire is not the reference's", wire_.frames);
    }
    return;
  }
  Owed& owed = owed_.front();
  owed.passage.offered = wire_.begin;
  writer_.write(owed.passage, wire_.bytes);
  owed_.pop_front();
}

}  // namespace gw::testbenches
