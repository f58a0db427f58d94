// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/hosted.h"

#include <algorithm>

namespace gw::systemc {

using registers::Access;
using registers::Field;
using registers::Idle;

const registers::Register* RegisterFile::find(uint32_t address) const {
  const auto at = std::ranges::find_if(map_.registers, [&](const registers::Register& r) {
    return r.address == address && (r.algorithms >> map_.algorithm & 1) != 0;
  });
  return at == map_.registers.end() ? nullptr : &*at;
}

bool RegisterFile::is_counter(uint32_t address) const {
  const auto within = [&](uint32_t begin) {
    return address >= begin && address < begin + 4 * map_.counters && address % 4 == 0;
  };
  return within(map_.counters_at) || within(map_.snapshots_at);
}

bool RegisterFile::is_cell(uint32_t address) const {
  if (map_.cell_blocks == 0 || address < map_.cells.address || address % 4 != 0) return false;
  const uint32_t offset = address - map_.cells.address;
  return offset >> map_.cells.block_log2 < map_.cell_blocks &&
         (offset & ((1u << map_.cells.block_log2) - 1)) / 4 < map_.parameters;
}

bool RegisterFile::readable(uint32_t address, bool idle) const {
  if (is_counter(address)) return true;
  if (is_cell(address)) return idle;
  const registers::Register* const r = find(address);
  return r != nullptr && r->access != Access::kWriteOnly && (r->idle != Idle::kAlways || idle);
}

bool RegisterFile::writable(uint32_t address, uint32_t data, bool idle) const {
  if (is_cell(address)) return idle;
  const registers::Register* const r = find(address);
  if (r == nullptr || r->access == Access::kReadOnly || (r->idle != Idle::kNone && !idle)) {
    return false;
  }
  uint32_t left = data;
  for (const Field& f : std::span(r->fields).first(r->field_count)) {
    const uint32_t value = f.of(data);
    left &= ~f.in(value);
    if (value < f.least || value > (f.of_depth ? 1u << map_.depth_log2 : f.greatest)) return false;
  }
  return left == 0;
}

}  // namespace gw::systemc
