// The first divergence of a run, as the loop saw it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/axis/axi_lite.h"
#include "models/axis/beat.h"

namespace gw::sim {

/// Which check a run failed.
enum class FailureKind : uint8_t {
  kNone,
  kLockstep,
  kReference,
  kProtocol,
  kProfile,
  kHang,
  kStopped
};

struct Failure {
  FailureKind kind = FailureKind::kNone;
  uint64_t cycle = 0;
  std::optional<uint64_t> moved = {};  ///< of a hang: the cycle in which something moved last
  std::string port = {};               ///< s_axis, m_axis2, s_axil, event, stat, probe
  std::string channel = {};            ///< of a control port: AW, W, B, AR, R
  std::string signal = {};             ///< tready, tdata, ...
  std::string engine_a = {};           ///< who says value_a
  std::string value_a = {};
  std::string engine_b = {};
  std::string value_b = {};
  std::string text = {};                ///< what rule, in words
  std::vector<std::string> lines = {};  ///< the beats before it, decoded
};

/// A waveform shows the cycle of a failure and so many after it: inputs go on, nothing is checked
/// or counted.
inline constexpr uint64_t kCyclesAfterFailure = 20;

/// "no beat has moved for n cycles".
std::string no_beat_moved(uint64_t cycles);
/// "rtl and model".
std::string both(const std::string& name_a, const std::string& name_b);

/// "OKAY", "SLVERR", ...
const char* response_name(AxiResponse response);
/// "write of 0x004", "read of 0x010".
std::string transaction_name(bool write, uint32_t address);

/// Compares two beats and names the first signal that differs; nullptr if none does.
template <class Beat>
const char* first_difference(const Beat& a, const Beat& b) {
  if (a.last != b.last) return "tlast";
  if (a.keep != b.keep) return "tkeep";
  if (a.user != b.user) return "tuser";
  if (a.data != b.data) return "tdata";
  if (a.meta != b.meta) return "tuser";
  return nullptr;
}

/// Words in hex, the most significant first, joined by underscores.
std::string hex_words(const uint32_t* words, size_t count);

/// The value of a signal, for a message.
template <class Beat>
std::string signal_value(const Beat& beat, std::string_view signal) {
  if (signal == "tlast") return std::to_string(beat.last);
  if (signal == "tuser" && beat.meta == Beat{}.meta) return std::to_string(beat.user);
  if (signal == "tuser") {
    return hex_words(beat.meta.data(), beat.meta.size()) + (beat.user != 0 ? " (in error)" : "");
  }
  if (signal == "tkeep") {
    const uint32_t keep[2] = {static_cast<uint32_t>(beat.keep),
                              static_cast<uint32_t>(static_cast<uint64_t>(beat.keep) >> 32)};
    return hex_words(keep, sizeof beat.keep / 4);
  }
  return hex_words(beat.data.data(), beat.data.size());
}

}  // namespace gw::sim
