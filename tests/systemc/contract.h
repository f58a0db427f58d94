// The cycle contracts of docs/devices/{compressor,decompressor}.md, transcribed sentence by
// sentence: queues of beats, vectors of bytes, stages as time stamps, and the tests' own codec. The
// cores take short cuts (they encode at accept and decode at issue); these do not, and must agree
// with them in every cycle.
//
// The numbers of the contract are fields, so that a test can break one and
// see that the comparison notices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <vector>

#include "models/axis/beat.h"
#include "tests/systemc/spec_codec.h"

namespace gw::systemc {

inline Beat beat_of(const std::vector<uint8_t>& bytes, size_t at, size_t size) {
  Beat beat;
  std::memcpy(beat.data.data(), bytes.data() + at, size);
  beat.keep = keep_of_bytes(static_cast<int>(size));
  return beat;
}

class LiteralCompressor {
 public:
  struct Numbers {
    uint64_t merge_delay = 4;
    size_t max_enter = 2;
    int max_used = 29;
    size_t queue = 32;
  };

  explicit LiteralCompressor(CodecConfig config, Numbers numbers) : n_(numbers), config_(config) {}
  explicit LiteralCompressor(CodecConfig config = {}) : LiteralCompressor(config, Numbers{}) {}

  void configure(CodecConfig config) { config_ = config; }
  void reset() { *this = LiteralCompressor(config_, n_); }
  bool s_ready() const { return ready_; }
  const Beat* m_beat() const { return queue_.empty() ? nullptr : &queue_.front(); }
  uint32_t error_count() const { return errors_; }

  void clock(const Beat* s, bool m_ready) {
    const bool accept = s != nullptr && ready_;
    const bool left = m_ready && !queue_.empty();
    const std::vector<Beat> entering = merge();

    used_ += 2 * accept - 2 * merged_ + static_cast<int>(entering.size()) - left;
    if (left) {
      if (queue_.front().last && queue_.front().user) ++errors_;
      queue_.pop_front();
    }
    queue_.insert(queue_.end(), entering.begin(), entering.end());
    if (queue_.size() > n_.queue) throw std::logic_error("output queue overflows");
    if (accept) {
      if (begins_) packet_config_ = config_;  // Bound
      begins_ = s->last != 0;
      groups_.push_back(group_of(*s));
    }
    ready_ = used_ <= n_.max_used;
    ++cycle_;
  }

 private:
  struct Group {
    uint64_t merge_cycle;
    std::vector<uint8_t> bytes;
    bool last;
    bool user;
  };

  Group group_of(const Beat& beat) const {
    spec::Lanes lanes = beat.data;
    bool bad = false;
    if (beat.last) {
      for (int i = 0; i < kLanes; ++i) {
        if ((beat.keep >> (4 * i) & 15) != 15) lanes[i] = 0;
      }
      bad = true;
      for (int n = 1; n <= 8; ++n) bad &= beat.keep != keep_of_bytes(4 * n);
    }
    return {cycle_ + n_.merge_delay, spec::encode_group(lanes, packet_config_), beat.last != 0,
            beat.last && (bad || beat.user)};
  }

  std::vector<Beat> merge() {
    std::vector<Beat> entering;
    if (flush_) {
      entering.push_back(beat_of(residual_, 0, residual_.size()));
      entering.back().last = 1;
      entering.back().user = flush_user_;
      residual_.clear();
      flush_ = false;
    }
    merged_ = !groups_.empty() && groups_.front().merge_cycle == cycle_;
    if (!merged_) return entering;

    const Group group = groups_.front();
    groups_.pop_front();
    residual_.insert(residual_.end(), group.bytes.begin(), group.bytes.end());
    const size_t total = residual_.size();
    const size_t n = group.last ? (total + 31) / 32 : total / 32;
    size_t at = 0;
    for (size_t i = 0; i < n; ++i) {
      const bool ends = group.last && i == n - 1;
      if (entering.size() == n_.max_enter) {
        if (!ends) throw std::logic_error("the beat left over is not the packet's last");
        flush_ = true;
        flush_user_ = group.user;
        break;
      }
      const size_t size = std::min<size_t>(32, total - at);
      entering.push_back(beat_of(residual_, at, size));
      entering.back().last = ends;
      entering.back().user = ends && group.user;
      at += size;
    }
    residual_.erase(residual_.begin(), residual_.begin() + static_cast<long>(at));
    if (residual_.size() > 31) throw std::logic_error("residual exceeds 31 bytes");
    return entering;
  }

  Numbers n_;
  CodecConfig config_;
  uint64_t cycle_ = 0;
  bool ready_ = false;
  int used_ = 0;
  CodecConfig packet_config_;
  bool begins_ = true;
  std::deque<Group> groups_;  // accepted, not yet merged
  bool merged_ = false;       // in this cycle
  std::vector<uint8_t> residual_;
  bool flush_ = false;
  bool flush_user_ = false;
  std::deque<Beat> queue_;
  uint32_t errors_ = 0;
};

class LiteralDecompressor {
 public:
  struct Numbers {
    uint64_t decode_delay = 2;
    size_t buffer = 4;
    size_t window = 3;
    int max_used = 15;
    size_t queue = 16;
  };

  explicit LiteralDecompressor(CodecConfig config, Numbers numbers)
      : n_(numbers), config_(config) {}
  explicit LiteralDecompressor(CodecConfig config = {}) : LiteralDecompressor(config, Numbers{}) {}

  void configure(CodecConfig config) { config_ = config; }
  void reset() { *this = LiteralDecompressor(config_, n_); }
  bool s_ready() const { return ready_; }
  const Beat* m_beat() const { return queue_.empty() ? nullptr : &queue_.front(); }
  uint32_t error_count() const { return errors_; }

  void clock(const Beat* s, bool m_ready) {
    const bool accept = s != nullptr && ready_;
    const bool left = m_ready && !queue_.empty();
    const bool issued = used_ <= n_.max_used && !buffer_.empty() && issue();

    used_ += issued - left;
    if (left) {
      if (queue_.front().last && queue_.front().user) ++errors_;
      queue_.pop_front();
    }
    if (!decoding_.empty() && decoding_.front().queue_cycle == cycle_) {
      queue_.push_back(decoding_.front().beat);
      decoding_.pop_front();
    }
    if (queue_.size() > n_.queue) throw std::logic_error("output queue overflows");
    if (accept) {
      if (begins_) configs_.push_back(config_);  // Bound: one a packet
      begins_ = s->last != 0;
      buffer_.push_back(*s);
    }
    ready_ = buffer_.size() < n_.buffer;
    ++cycle_;
  }

 private:
  struct Decoding {
    uint64_t queue_cycle;
    Beat beat;
  };

  bool issue() {
    std::vector<uint8_t> window;
    size_t beats = 0;
    bool end = false;
    while (!end && beats < std::min(n_.window, buffer_.size())) {
      const Beat& beat = buffer_[beats++];
      end = beat.last;
      for (int i = 0; i < kBeatBytes; ++i) {
        if (end && (beat.keep >> i & 1) == 0) break;
        window.push_back(beat.data[i / 4] >> (8 * (i % 4)) & 0xFF);
      }
    }
    if (window.size() < p_) throw std::logic_error("p lies behind the packet");
    const size_t avail = window.size() - p_;
    Beat out;
    if (avail >= 2) {
      const auto length = static_cast<size_t>(spec::group_length(window[p_], window[p_ + 1]));
      if (avail >= length) {
        window.resize(p_ + 34 + window.size());  // decode_group reads no farther than the group
        out.data = spec::decode_group(&window[p_], configs_.front());
        if (end && avail == length && (buffer_[beats - 1].keep & 1) != 0) {
          out.last = 1;
          out.user = buffer_[beats - 1].user;
          leave(beats);
          configs_.pop_front();
          p_ = 0;
        } else {
          p_ += length;
          leave(p_ / 32);
          p_ %= 32;
        }
        decoding_.push_back({cycle_ + n_.decode_delay, out});
        return true;
      }
    }
    if (!end) return false;
    out.last = 1;
    out.user = 1;
    leave(beats);
    configs_.pop_front();
    p_ = 0;
    decoding_.push_back({cycle_ + n_.decode_delay, out});
    return true;
  }

  void leave(size_t beats) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<long>(beats));
  }

  Numbers n_;
  CodecConfig config_;
  uint64_t cycle_ = 0;
  bool ready_ = false;
  int used_ = 0;
  std::deque<Beat> buffer_;
  std::deque<CodecConfig> configs_;  // of the packets in the buffer, the last one may still come in
  bool begins_ = true;
  size_t p_ = 0;
  std::deque<Decoding> decoding_;  // issued, not yet in the queue
  std::deque<Beat> queue_;
  uint32_t errors_ = 0;
};

}  // namespace gw::systemc
