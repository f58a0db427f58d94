// A clocked bench around one of the NIC's engines: frames in, frames out, with the cycles of their
// beats; and frames of every kind.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "models/axis/beat.h"
#include "models/systemc/nic_rx.h"
#include "models/systemc/nic_tx.h"
#include "sim/base/random.h"
#include "tests/nic/frames.h"

namespace gw::systemc {

namespace nic = reference::nic;
using sim::Random;

template <class Config>
struct NicInput {
  nic::Frame bytes;
  bool user = false;
  Config config{};
  bool null_end = false;  // if it fills its beats, one more ends it
};

/// Its beats, anything where nothing counts: bytes behind the end, tkeep and tuser before the last
/// beat, tkeep behind its lowest zero.
template <class Config>
std::vector<Beat> beats_of(const NicInput<Config>& input) {
  const size_t size = input.bytes.size();
  Random random(size);
  std::vector<Beat> beats(std::max<size_t>(
      1, (size + kBeatBytes - 1) / kBeatBytes + (input.null_end && size % kBeatBytes == 0)));
  for (size_t i = 0; i < beats.size(); ++i) {
    Beat& beat = beats[i];
    for (uint32_t& word : beat.data) word = static_cast<uint32_t>(random.next());
    beat.keep = static_cast<uint32_t>(random.next());
    beat.user = random.below(2) != 0;
    const size_t at = i * kBeatBytes;
    const size_t bytes = std::min<size_t>(size - at, kBeatBytes);
    if (bytes != 0) std::memcpy(beat.data.data(), &input.bytes[at], bytes);
    if (i + 1 < beats.size()) continue;
    const uint32_t holes = random.below(2) != 0 && bytes < 31 ? beat.keep : 0;
    beat.keep = keep_of_bytes(static_cast<int>(bytes)) | (holes & ~((uint64_t{2} << bytes) - 1));
    beat.last = 1;
    beat.user = input.user;
  }
  return beats;
}

/// A flow of NicTraffic's, or one of the same place in the table.
inline NicFlowKey key_of_traffic(Random& random) {
  NicFlowKey key = nic::Host{.port = static_cast<uint16_t>(0x0FA0 - 0xFF * random.below(3))}.key();
  if (random.below(8) == 0) std::swap(key[3], key[7]);
  return key;
}

/// What the pins of the configuration can show while nobody looks.
template <class Config>
Config any_config(Random& random);
template <>
inline NicTxConfig any_config(Random& random) {
  const auto byte = [&random] { return static_cast<uint8_t>(random.below(256)); };
  const CodecConfig codec{static_cast<uint8_t>(random.below(16)), random.below(2) != 0};
  NicTxConfig config{byte(), byte(), random.below(2) != 0, codec, byte(), byte()};
  config.forget = random.below(2) != 0;
  config.forget_key = key_of_traffic(random);
  return config;
}
template <>
inline NicRxConfig any_config(Random& random) {
  return {static_cast<uint8_t>(random.below(256)), static_cast<uint8_t>(random.below(256))};
}

struct NicOutputFrame {
  nic::Frame bytes;
  bool user = false;
  uint64_t first = 0, last = 0;  // the cycles in which its beats left
  uint64_t shown = 0;            // that in which the first was there
  uint64_t pauses = 0;           // cycles between them without tvalid
};

/// Core is NicTx with NicTxConfig, or NicRx with NicRxConfig. Stalls are shares of 16.
template <class Core, class Config>
class NicBench {
 public:
  using Input = NicInput<Config>;

  explicit NicBench(uint64_t seed = 1) : random_(seed) {}

  void send(const Input& input) { waiting_.push_back(input); }
  void send(const std::vector<Input>& inputs) {
    waiting_.insert(waiting_.end(), inputs.begin(), inputs.end());
  }

  /// As after an edge in reset: what is inside is lost, what waits is not.
  void reset() {
    core.reset();
    out.clear(), begun.clear(), ended.clear(), forgotten.clear();
    mended_ = 0;
    partial_ = {};
    beat_ = 0;
    offering_ = stalled_ = false;
    cycle = 0;
    frames_in_ = 0;
  }

  /// Of what is being sent, the rest is lost.
  void abandon() {
    if (beat_ != 0) waiting_.pop_front();
    reset();
  }

  void step() {
    const bool more = !waiting_.empty();
    offering_ = more && (offering_ || random_.below(16) >= source_stall);
    const bool m_ready = random_.below(16) >= sink_stall;
    const bool s_ready = core.s_ready();
    // The pins of the configuration hold anything but with a frame's first beat.
    if (offering_ && beat_ == 0) {
      core.configure(waiting_.front().config);
    } else {
      core.configure(any_config<Config>(random_));
    }
    look(m_ready);
    if (testing::Test::HasFatalFailure()) return;
    if (offering_ && beat_ == 0) beats_ = beats_of(waiting_.front());
    const bool last = offering_ && beat_ + 1 == beats_.size();
    core.clock(offering_ ? &beats_[beat_] : nullptr, m_ready);
    if (offering_ && s_ready) {
      if (beat_ == 0) begun.push_back(cycle), ++frames_in_;
      ++beat_;
      offering_ = false;
      if (last) {
        ended.push_back(cycle);
        waiting_.pop_front();
        beat_ = 0;
      }
    }
    ++cycle;
  }

  void run(uint64_t cycles) {
    for (uint64_t i = 0; i < cycles && !testing::Test::HasFatalFailure(); ++i) step();
  }

  /// Until all frames are counted and nothing has left for a while.
  void drain() {
    uint64_t idle = 0;
    while (!testing::Test::HasFatalFailure() &&
           (idle < 8 || !waiting_.empty() || counted() != frames_in_)) {
      const uint64_t before = counted();
      const bool busy = core.m_beat() != nullptr || (core.s_ready() && !waiting_.empty());
      step();
      idle = busy || counted() != before ? 0 : idle + 1;
      ASSERT_LT(idle, 4000u) << "hangs in cycle " << cycle << ", frame " << counted();
    }
  }

  uint64_t counted() const {
    uint64_t frames = 0;
    for (size_t i = 0; i < kActions; ++i) frames += core.statistics()[i];
    return frames;
  }

  static constexpr size_t kActions =
      std::is_same_v<Core, NicTx> ? nic::kTxActions : nic::kRxActions;

  Core core;
  uint32_t source_stall = 0, sink_stall = 0;
  uint64_t cycle = 0;
  std::vector<NicOutputFrame> out;
  std::vector<uint64_t> begun, ended;  // cycles of the first and last beats' acceptance, by frame
  std::vector<NicFlowKey> forgotten;   // keys that came out of NicRx

 private:
  void look(bool m_ready) {
    if constexpr (requires { core.forgets(); }) {
      const uint32_t mended = core.statistics()[static_cast<size_t>(nic::RxAction::kMended)];
      if (const NicFlowKey* const key = core.forgets()) {
        forgotten.push_back(*key);
        ASSERT_EQ(mended, mended_ + 1) << "in another cycle than the frame's count";
      }
      mended_ = mended;
    }
    const Beat* const m = core.m_beat();
    if (stalled_) {
      ASSERT_NE(m, nullptr) << "valid fell before ready in cycle " << cycle;
      ASSERT_EQ(*m, held_) << "payload changed before ready in cycle " << cycle;
    }
    stalled_ = m != nullptr && !m_ready;
    if (m == nullptr) {
      if (partial_beats_ != 0) ++partial_.pauses;
      return;
    }
    held_ = *m;
    if (partial_beats_ == 0 && partial_.shown == 0) partial_.shown = cycle;
    if (!m_ready) return;
    if (partial_beats_++ == 0) partial_.first = cycle;
    const auto bytes = static_cast<size_t>(std::popcount(m->keep));
    ASSERT_EQ(m->keep, keep_of_bytes(static_cast<int>(bytes))) << "a hole in tkeep";
    if (m->last == 0) {
      ASSERT_EQ(m->keep, kKeepAll);
      ASSERT_EQ(m->user, 0);
    }
    std::array<uint8_t, kBeatBytes> data;
    std::memcpy(data.data(), m->data.data(), kBeatBytes);
    partial_.bytes.insert(partial_.bytes.end(), data.begin(),
                          data.begin() + static_cast<long>(bytes));
    for (size_t i = bytes; i < kBeatBytes; ++i) ASSERT_EQ(data[i], 0) << "behind the end";
    if (m->last == 0) return;
    partial_.user = m->user != 0;
    partial_.last = cycle;
    out.push_back(std::move(partial_));
    partial_ = {};
    partial_beats_ = 0;
  }

  Random random_;
  std::deque<Input> waiting_;
  std::vector<Beat> beats_;  // of the first that waits
  size_t beat_ = 0;          // the next of them
  size_t partial_beats_ = 0;
  uint64_t frames_in_ = 0;
  uint32_t mended_ = 0;
  bool offering_ = false, stalled_ = false;
  Beat held_;
  NicOutputFrame partial_;
};

using TxBench = NicBench<NicTx, NicTxConfig>;
using RxBench = NicBench<NicRx, NicRxConfig>;
using TxInput = TxBench::Input;
using RxInput = RxBench::Input;

inline nic::NicConfig reference_config(const NicTxConfig& c) {
  nic::NicConfig out;
  out.mark = c.mark;
  out.mark_mask = c.mark_mask;
  out.grid = c.packet_grid ? nic::Grid::kPacket : nic::Grid::kStream;
  out.codec = {c.codec.bound,
               c.codec.bounded ? reference::Mode::kBounded : reference::Mode::kPaper};
  out.protocol_tcp = c.protocol_tcp;
  out.protocol_udp = c.protocol_udp;
  return out;
}

/// Frames of hosts, from sound ones to hostile ones.
class NicTraffic {
 public:
  explicit NicTraffic(uint64_t seed, uint32_t hostile = 5) : random_(seed), hostile_(hostile) {}

  uint32_t below(uint32_t n) { return random_.below(n); }
  bool one_in(uint32_t n) { return below(n) == 0; }
  NicFlowKey key() { return key_of_traffic(random_); }

  std::vector<uint8_t> payload(size_t bytes) {
    static constexpr float kSizes[] = {1e-6F, 1e-3F, 0.01F, 0.3F, 100.0F};
    auto out = nic::gradients(bytes, below(1u << 30), kSizes[below(5)]);
    if (one_in(4)) {  // runs of anything
      for (size_t i = below(32); i < out.size(); ++i) {
        if (i / 64 % 2 == 0) out[i] = static_cast<uint8_t>(below(256));
      }
    }
    return out;
  }

  size_t length() {
    switch (below(8)) {
      case 0:
        return below(8);
      case 1:
        return 8972 - below(200);
      case 2:
        return below(9000);
      case 3:
      case 4:
        return 1300 + below(200);
      default:
        return below(300);
    }
  }

  nic::Host host() {
    nic::Host h;
    h.tcp = !one_in(3);
    h.tag = one_in(4);
    h.ihl = one_in(3) ? 5 + below(11) : 5;
    h.data_offset = one_in(3) ? 5 + below(11) : 5;
    h.tos = one_in(6) ? 0 : static_cast<uint8_t>(0x28 + below(4));
    // Flows that meet in the table: the bytes of their ports have the same XOR.
    h.port = static_cast<uint16_t>(0x0FA0 - 0xFF * below(3));
    h.sequence = static_cast<uint32_t>(random_.next());
    h.udp_checksum = !one_in(4);
    h.payload = payload(length());
    if (!h.tcp && !one_in(8)) h.payload.resize(h.payload.size() / 4 * 4);
    return h;
  }

  nic::Frame frame() {
    nic::Host h = host();
    if (h.tcp && one_in(6)) {
      if (!one_in(3)) h.payload.clear();
      h.flags = 0x02;
    }
    if (one_in(12)) h.trailer = 1 + below(one_in(4) ? 3000 : 40);
    nic::Frame f = h.frame();
    if (one_in(20)) {  // as short as can be
      h.payload.resize(std::min<size_t>(h.payload.size(), below(12)));
      f = h.frame();
    }
    if (f.size() < 60 && !one_in(3)) f.resize(60, 0);
    if (one_in(hostile_)) spoil(f, h);
    if (one_in(40)) return quote(f, h);
    return f;
  }

  /// An ICMP error about a frame of the host's, most of them as they are mended.
  nic::Frame quote(const nic::Frame& about, const nic::Host& h) {
    static constexpr uint8_t kTypes[] = {3, 3, 3, 11, 12, 8};
    const uint32_t header = 4 * (h.ihl + (h.tcp ? h.data_offset : 2));
    const uint32_t quoted = one_in(3) ? below(header + 12) : one_in(2) ? 28 : below(600);
    nic::Frame f = nic::icmp_error(about, h.ip_at(), kTypes[below(6)],
                                   static_cast<uint8_t>(one_in(2) ? 2 : below(5)), quoted, h.tag);
    const size_t ip = h.tag ? 18 : 14, inner = ip + 28, shim = inner + header;  // without options
    const auto set = [&](size_t at, uint32_t value) {
      if (at < f.size()) f[at] = static_cast<uint8_t>(value);
    };
    if (one_in(4)) f.insert(f.begin() + static_cast<long>(ip + 20), 4 * below(11), 1);  // options
    const size_t options = f.size() - ip - load16(&f[ip + 2]);
    f[ip] = static_cast<uint8_t>(0x45 + options / 4);
    store16(&f[ip + 2], static_cast<uint32_t>(f.size() - ip));
    switch (below(10)) {
      case 0:
        f.resize(below(static_cast<uint32_t>(f.size())) + 1);
        break;
      case 1:
        set(inner, below(256));
        break;
      case 2:
        set(inner + 6, below(256));
        break;
      case 3:
        set(inner + 7, below(2));
        break;
      case 4:
        set(shim + below(4), below(256));
        break;
      case 5:
        set(inner + 20 + 12, below(256));
        break;
      case 6:
        set(ip + 2 + below(2), below(256));
        break;
      case 7:
        f.resize(f.size() + below(400), 0xEE);
        break;
      default:
        break;
    }
    return f;
  }

  void spoil(nic::Frame& f, const nic::Host& h) {
    const auto set = [&](size_t at, uint32_t value) {
      if (at < f.size()) f[at] = static_cast<uint8_t>(value);
    };
    const size_t ip = h.ip_at(), transport = h.transport_at();
    switch (below(14)) {
      case 0:
        return f.resize(below(static_cast<uint32_t>(f.size()) + 1));
      case 1:
        return f.resize(std::min<size_t>(f.size(), below(170)));
      case 2:
        return f.resize(9019 + below(one_in(4) ? 40000 : 60), 0x5A);
      case 3:
        return set(ip + 9, 253 + below(2));
      case 4:
        return set(ip + 6, below(64));
      case 5:
        return set(ip, below(256));
      case 6:
        return set(ip + 2, below(256));
      case 7:
        return set(ip + 3, below(256));
      case 8:
        return set(transport + 12, below(256));
      case 9:
        return set(transport + 4 + below(2), below(256));
      case 10:
        return set(ip + 9, below(256));
      case 11:
        return set(12 + below(6), below(256));
      case 12:
        for (int i = 0; i < 8; ++i) set(below(160), below(256));
        return;
      default: {
        // Over the limit from within the headers, and a frame that goes on.
        if (f.size() > transport + 1) set(ip + 2, 0x23), set(ip + 3, below(256));
        if (one_in(2)) f.resize(8960 + below(160), 0x77);
      }
    }
  }

 private:
  Random random_;
  uint32_t hostile_;
};

}  // namespace gw::systemc
