// What is held against the reference where beats may be cut and filled as a device likes: bytes,
// borders of packets, and tuser with tlast.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <deque>

#include "tests/harness/toys.h"

namespace gw::sim::toys::bytes_test {
namespace {

using Ports = StreamPorts<>;

/// Takes whole beats and sends their bytes in beats of its own: sparse ones, null ones, partial
/// ones, by chance. What it does to a byte, or to the end of a packet, a test says.
class Shredder {
 public:
  using Ports = bytes_test::Ports;
  struct Byte {
    uint8_t value;
    bool last, user;
  };
  std::function<void(std::deque<Byte>&)> bend;  ///< the bytes of a packet, when it is whole

  void reset() { showing_ = ready_ = false; }
  uint32_t s_ready() const { return ready_; }
  const gw::Beat* m_beat(size_t) const { return showing_ ? &shown_ : nullptr; }
  uint64_t probe() const { return 0; }
  void clock(const Offered<Ports>& offered, uint32_t m_ready) {
    if (ready_ && offered[0] != nullptr) take(*offered[0]);
    if (!showing_ || m_ready != 0) show();
    ready_ = out_.size() < 200;
  }

 private:
  void take(const gw::Beat& beat) {
    for (int i = 0; i < valid_bytes(beat); ++i) {
      in_.push_back({static_cast<uint8_t>(beat.data[i / 4] >> 8 * (i % 4)), false, false});
    }
    if (beat.last == 0) return;
    in_.back().last = true;
    in_.back().user = beat.user != 0;
    if (bend) bend(in_);
    out_.insert(out_.end(), in_.begin(), in_.end());
    in_.clear();
  }
  void show() {
    showing_ = !out_.empty() || owes_last_;
    if (!showing_) return;
    shown_ = {};
    shown_.keep = 0;
    const bool null = random_.below(8) == 0;
    for (int i = 0; i < gw::Beat::kBytes && !null && !out_.empty() && !owes_last_; ++i) {
      shown_.data[i / 4] |= 0xA5u << 8 * (i % 4);  // what no byte of a packet is
      if (random_.below(3) == 0) continue;
      const Byte byte = out_.front();
      out_.pop_front();
      shown_.keep |= 1u << i;
      shown_.data[i / 4] &= ~(0xFFu << 8 * (i % 4));
      shown_.data[i / 4] |= uint32_t{byte.value} << 8 * (i % 4);
      if (byte.last) {
        owes_last_ = true;
        user_ = byte.user;
      }
    }
    // The end of a packet goes with its last byte, or with a null beat behind it.
    if (!owes_last_ || random_.below(4) == 0) return;
    shown_.last = 1;
    shown_.user = user_;
    owes_last_ = false;
  }

  Random random_{3};
  std::deque<Byte> in_, out_;
  gw::Beat shown_;
  bool showing_ = false, ready_ = false, owes_last_ = false, user_ = false;
};

Result shredded(const std::function<void(std::deque<Shredder::Byte>&)>& bend, Drive drive) {
  Shredder a;
  a.bend = bend;
  auto feed = irregular_feed<gw::Beat>(5, 60);
  Echo<gw::Beat> oracle;
  return run_alone(a, feed, oracle, drive);
}
Drive by_bytes(const char* stall = "none") {
  Drive drive = stalled(stall);
  drive.checks = {.model = false, .profile = false};
  drive.by_bytes = true;
  return drive;
}

TEST(Bytes, BeatsMayBeCutAndFilledInAnyWay) {
  for (const char* stall : {"none", "source:40", "sink:40", "both:50"}) {
    const Result r = shredded(nullptr, by_bytes(stall));
    ASSERT_TRUE(r.passed) << stall << ": " << explain(r.failure);
    EXPECT_EQ(r.timeline.out[0].packets, 60u);
    EXPECT_EQ(r.timeline.in[0].bytes, r.timeline.out[0].bytes);
    EXPECT_GT(r.timeline.out[0].beats, r.timeline.in[0].beats);
  }
}

TEST(Bytes, NotWhereBeatsOrTheProfileAreAskedFor) {
  Drive beats = by_bytes();
  beats.by_bytes = false;
  EXPECT_EQ(shredded(nullptr, beats).failure.kind, FailureKind::kReference);
  Drive profile = by_bytes();
  profile.checks.profile = true;
  EXPECT_EQ(shredded(nullptr, profile).failure.kind, FailureKind::kProfile);
}

TEST(Bytes, AByteAnEndOrAnErrorThatIsWrongIsFound) {
  using Bytes = std::deque<Shredder::Byte>;
  struct Case {
    const char* name;
    void (*bend)(Bytes&);
    const char* signal;
  };
  const Case cases[] = {{"a bit", [](Bytes& b) { b[b.size() / 2].value ^= 4; }, "tdata"},
                        {"two bytes change places",
                         [](Bytes& b) {
                           if (b.size() > 1 && b[0].value != b[1].value)
                             std::swap(b[0].value, b[1].value);
                         },
                         "tdata"},
                        {"a byte is missing",
                         [](Bytes& b) {
                           if (b.size() < 2) return;
                           b.pop_back();
                           b.back().last = true;
                         },
                         "tlast"},
                        {"a byte too many",
                         [](Bytes& b) {
                           Shredder::Byte more = b.back();
                           b.back().last = false;
                           b.push_back(more);
                         },
                         "tkeep"},
                        {"in error", [](Bytes& b) { b.back().user = !b.back().user; }, "tuser"}};
  for (const Case& c : cases) {
    const Result r = shredded(c.bend, by_bytes("both:30"));
    EXPECT_EQ(r.failure.kind, FailureKind::kReference) << c.name;
    // The beat that ends a packet one byte early or late says so by tlast or by its tkeep.
    if (std::string(c.signal) == "tkeep") {
      EXPECT_TRUE(r.failure.signal == "tkeep" || r.failure.signal == "tlast") << c.name;
    } else {
      EXPECT_EQ(r.failure.signal, c.signal) << c.name << explain(r.failure);
    }
    ASSERT_FALSE(r.failure.lines.empty());
  }
}

TEST(Bytes, APacketTooManyAndOneThatIsOwed) {
  const auto twice = [](std::deque<Shredder::Byte>& b) {
    const auto once = b;
    b.insert(b.end(), once.begin(), once.end());
  };
  EXPECT_EQ(shredded(twice, by_bytes()).failure.kind, FailureKind::kReference);
  const auto never = [](std::deque<Shredder::Byte>& b) { b.back().last = false; };
  EXPECT_NE(shredded(never, by_bytes()).failure.kind, FailureKind::kNone);
}

}  // namespace
}  // namespace gw::sim::toys::bytes_test
