#include "sim/stimulus.h"

#include <algorithm>
#include <cstring>

namespace gw::sim {

size_t BeatStream::packet_of(size_t beat) const {
  const auto after = std::upper_bound(packet_begin.begin(), packet_begin.end(), beat);
  return static_cast<size_t>(after - packet_begin.begin()) -
         (after == packet_begin.begin() ? 0 : 1);
}

uint64_t BeatStream::bytes(size_t n) const {
  uint64_t sum = 0;
  for (size_t i = 0; i < std::min(n, beats.size()); ++i) sum += bytes_of_keep(beats[i].keep);
  return sum;
}

void BeatStream::append(std::span<const Beat> packet) {
  packet_begin.push_back(beats.size());
  beats.insert(beats.end(), packet.begin(), packet.end());
}

void BeatStream::append_bytes(std::span<const uint8_t> bytes, bool user,
                              const std::array<uint32_t, 6>& meta) {
  packet_begin.push_back(beats.size());
  size_t offset = 0;
  do {
    const size_t n = std::min<size_t>(bytes.size() - offset, kBeatBytes);
    Beat beat;
    if (n != 0) std::memcpy(beat.data.data(), bytes.data() + offset, n);
    beat.keep = keep_of_bytes(static_cast<int>(n));
    offset += n;
    beat.last = offset == bytes.size();
    beat.user = beat.last != 0 && user;
    beat.meta = meta;
    beats.push_back(beat);
  } while (offset < bytes.size());
}

std::vector<uint8_t> packet_bytes(std::span<const Beat> beats) {
  std::vector<uint8_t> bytes;
  for (const Beat& beat : beats) {
    const auto* data = reinterpret_cast<const uint8_t*>(beat.data.data());
    bytes.insert(bytes.end(), data, data + bytes_of_keep(beat.keep));
  }
  return bytes;
}

}  // namespace gw::sim
