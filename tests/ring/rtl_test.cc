// The RTL of the ring by itself: figures of the contract, rules, faults, resets, and cases that
// show each rule taken away.
//   rtl_test [CASE]...        runs cases; all that this build can if none is named
//   rtl_test --list           their names
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <utility>

#include "rtl_chain.h"

namespace gw::ring {
namespace {

using Kind = Fault::Kind;

struct Failed {
  std::string what;
};

std::string shown(const char* format, auto... values) {
  char line[300];
  std::snprintf(line, sizeof line, format, values...);
  return line;
}

void expect(bool holds, const std::string& what) {
  if (!holds) throw Failed{what};
}

template <typename A, typename B>
void equal(const std::string& what, A is, B wanted) {
  const auto a = static_cast<long long>(is);
  const auto b = static_cast<long long>(wanted);
  if (a != b) throw Failed{what + shown(": %lld, not %lld", a, b)};
}

/// Runs to the end, which must be a good one.
void passes(Chain& chain, const std::string& which = "", uint64_t most = 2000000) {
  const bool passed = chain.run(most);
  expect(passed, which + chain.wrong());
}

/// One beat, hosts at once: every latency of the contract.
void latency() {
  constexpr int kA = kAddLatency;
  for (int nodes : {2, 3, 4, 8}) {
    for (int delay : {0, 7, 217}) {
      Settings settings;
      settings.nodes = nodes;
      settings.chunks = 1;
      settings.delay = delay;
      settings.timeout = 4000;
      Chain chain(settings);
      passes(chain);
      uint64_t last = 0;
      const uint64_t begin = chain.times(0).host_tlast;
      for (int i = 0; i < nodes; ++i) {
        const Chain::Times& t = chain.times(i);
        if (i == 0) {
          equal("host in to AGG header", t.right_header - t.host_tlast, 5);
          equal("host in to AGG payload", t.right_payload - t.host_tlast, 6);
        } else {
          const uint64_t in = chain.times(i - 1).right_payload + delay;
          if (i + 1 < nodes) {
            equal("AGG in to AGG header", t.right_header - in, kA + 7);
            equal("AGG in to AGG payload", t.right_payload - in, kA + 8);
          } else {
            equal("AGG in to BCAST header", t.left_header - in, kA + 7);
            equal("AGG in to BCAST payload", t.left_payload - in, kA + 8);
            equal("AGG in to host out", t.result - in, kA + 8);
          }
        }
        if (i + 1 < nodes) {
          const uint64_t in = chain.times(i + 1).left_payload + delay;
          if (i > 0) {
            equal("BCAST in to BCAST header", t.left_header - in, 5);
            equal("BCAST in to BCAST payload", t.left_payload - in, 6);
          }
          equal("BCAST in to host out", t.result - in, 6);
        }
        last = std::max(last, t.result_last);
      }
      const int hops = 2 * (nodes - 1);
      equal("in all", last - begin, 12 + (kA + 8) * (nodes - 1) + 6 * (nodes - 2) + hops * delay);
      if (nodes == 2 && kA == 5)
        equal("bank to bank at most 148 ns: cycles", last - begin - hops * delay, 25);
      if (delay == 217) {
        std::printf("  N = %d: %llu cycles, %llu ns with links of 868 ns\n", nodes,
                    static_cast<unsigned long long>(last - begin),
                    static_cast<unsigned long long>(4 * (last - begin)));
      }
    }
  }
}

/// A frame without a gap, a chunk in its beats and one; no more control frames than a handful.
void throughput() {
  for (int nodes : {2, 4}) {
    Settings settings;
    settings.nodes = nodes;
    settings.chunks = 400;
    settings.delay = 30;
    settings.timeout = 4000;
    settings.bytes = [](int) { return 64 * kBeats; };
    Chain chain(settings);
    passes(chain);
    uint64_t last = 0;
    for (int i = 0; i < nodes; ++i) last = std::max(last, chain.times(i).result_last);
    const uint64_t cycles = last - chain.times(0).right_header;
    const uint64_t least = 400 * (kBeats + 1);
    const uint64_t around = 2 * (nodes - 1) * (kBeats + 1 + 30 + 20);
    std::printf("  N = %d: %llu cycles for %llu of beats and headers\n", nodes,
                static_cast<unsigned long long>(cycles), static_cast<unsigned long long>(least));
    expect(cycles <= least + around, shown("%llu cycles", static_cast<unsigned long long>(cycles)));
    for (int i = 0; i < nodes; ++i) {
      equal("results", chain.stat(i, 1), 400);
      equal("sums", chain.stat(i, 2), i > 0 ? 400 : 0);
      equal("sent again", chain.stat(i, 4) + chain.stat(i, 14), 0);
      expect(chain.stat(i, 5) + chain.stat(i, 15) < 40, "too many control frames");
    }
  }
}

/// More chunks than the bits in which a node compares its own numbers can count.
void many() {
  for (int nodes : {2, 3}) {
    Settings settings;
    settings.nodes = nodes;
    settings.chunks = 9000;
    settings.delay = 3;
    settings.timeout = 1000;
    settings.bytes = [](int) { return 4; };
    Chain chain(settings);
    passes(chain);
  }
}

/// Time is a round trip for each window of chunks, and with one chunk fewer no longer.
void window() {
  for (int size = 1; size <= kSlots; size *= 2) {
    Settings settings;
    settings.window = size;
    settings.chunks = 64;
    settings.delay = 300;
    settings.timeout = 4000;
    Chain chain(settings);
    passes(chain);
    const double rounds = static_cast<double>(chain.times(1).result_last) / (64.0 / size);
    std::printf("  window %d: %.0f cycles for each window\n", size, rounds);
    expect(rounds > 600 && rounds < 800, shown("window %d: %f cycles a round", size, rounds));
  }
}

/// A host that takes nothing: after `window` chunks the ring waits for it, and goes on when it
/// takes.
void host_waits() {
  Settings settings;
  settings.chunks = 6 * kSlots + 12;
  settings.sink_from = 3000;
  Chain chain(settings);
  chain.advance(2900);
  expect(chain.wrong().empty(), chain.wrong());
  // Eight beats wait in the queue, and so many chunks of one beat have gone to it.
  expect(chain.stat(0, 0) <= static_cast<uint32_t>(2 * settings.window + 8),
         "the ring does not wait for its host");
  passes(chain);
}

Settings soaked(uint64_t seed, int most_nodes) {
  Random random(seed * 77 + 5);
  Settings settings;
  settings.seed = seed;
  settings.nodes = 2 + random.below(most_nodes - 1);
  settings.window = 1 + random.below(kSlots);
  settings.chunks = 5 + random.below(60);
  settings.delay = random.below(60);
  settings.timeout = 4 * (kBeats + 1) * 3 + 2 * settings.delay + 60 + random.below(200);
  const uint64_t sizes = random.next();
  settings.bytes = [sizes](int chunk) {
    Random pick(sizes + static_cast<uint64_t>(chunk));
    pick.next();
    return pick.percent(30) ? 64 * kBeats : 4 * (1 + pick.below(16 * kBeats));
  };
  const auto some = [&](int most) { return random.percent(50) ? random.below(most) : 0; };
  settings.source_stall = some(80);
  settings.sink_stall = some(80);
  settings.link_stall = some(50);
  if (settings.link_stall > 0) settings.timeout *= 3;
  settings.loss = some(12);
  settings.corruption = some(12);
  for (int i = 0; i < settings.nodes; ++i)
    settings.skew.push_back(random.percent(30) ? random.below(500) : 0);
  return settings;
}

void soak() {
  const int runs = std::getenv("GW_RING_RUNS") ? std::atoi(std::getenv("GW_RING_RUNS")) : 60;
  uint64_t cycles = 0, dropped = 0, again = 0;
  for (int seed = 1; seed <= runs; ++seed) {
    const Settings settings = soaked(seed, 5);
    Chain chain(settings);
    passes(chain, shown("seed %d: ", seed));
    cycles += chain.now() * settings.nodes;
    for (int i = 0; i < settings.nodes; ++i) {
      for (int port : {3, 13}) {
        again += chain.stat(i, port + 1);
        for (int word : {5, 6, 7, 8}) dropped += chain.stat(i, port + word);
        equal("foreign", chain.stat(i, port + 6), 0);
      }
      equal("chunks", chain.stat(i, 0), settings.chunks);
      equal("results", chain.stat(i, 1), settings.chunks);
      const int of = i > 0 ? 3 : 13;
      equal("taken", chain.stat(i, of + 3), settings.chunks);
    }
  }
  std::printf("  %d runs, %llu node-cycles, %llu frames again, %llu dropped\n", runs,
              static_cast<unsigned long long>(cycles), static_cast<unsigned long long>(again),
              static_cast<unsigned long long>(dropped));
}

/// A link that is dead for a while is no error; one that is dead for ever is one.
void dead_links() {
  for (int link = 0; link < 4; ++link) {
    for (bool data_only : {false, true}) {
      for (uint64_t until : {uint64_t{2500}, kForever}) {
        Settings settings;
        settings.nodes = 3;
        settings.chunks = 12;
        settings.fault = [=](int of, int, const Header& header, uint64_t cycle) {
          return Fault{of == link && cycle >= 120 && cycle < until &&
                               (!data_only || header.type != 0)
                           ? Kind::kLose
                           : Kind::kNone};
        };
        Chain chain(settings);
        const std::string which =
            shown("link %d, %s, until %llu: ", link, data_only ? "data" : "all",
                  static_cast<unsigned long long>(until));
        if (until != kForever) {
          passes(chain, which);
          continue;
        }
        chain.advance(20000);
        expect(chain.wrong().empty(), which + chain.wrong());
        // The node that sends into the dead link never gets an ack, or one that waits never an
        // answer; then all do.
        for (int i = 0; i < 3; ++i)
          expect(chain.error(i) != 0, which + shown("node %d knows of no error", i));
        for (int i = 0; i < 3; ++i) {
          expect((chain.error(i) & ~3) == 0, which + shown("node %d: error %d", i, chain.error(i)));
        }
      }
    }
  }
}

/// The whole ring is reset in mid-traffic, staggered and with another session: what was in flight
/// is dropped.
void reset_all() {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Settings settings = soaked(seed, 4);
    settings.chunks = 20;
    Chain chain(settings);
    Random random(seed);
    chain.advance(50 + random.below(600));
    expect(chain.wrong().empty(), chain.wrong());
    for (int i = 0; i < settings.nodes; ++i) {
      chain.reset(i, 1 + random.below(150) + 700, 8);  // all are in reset together for a while
    }
    passes(chain, shown("seed %d: ", static_cast<int>(seed)));
  }
}

/// Nodes leave reset one after the other, within 16 time-outs.
void reset_staggered() {
  for (int order = 0; order < 6; ++order) {
    Settings settings;
    settings.nodes = 3;
    settings.chunks = 8;
    Chain chain(settings);
    chain.advance(150 + order);
    const int lengths[6][3] = {{1, 500, 1400}, {1400, 500, 1}, {500, 1, 1400},
                               {1, 1400, 500}, {1400, 1, 500}, {2, 2, 2}};
    for (int i = 0; i < 3; ++i) chain.reset(i, lengths[order][i], 9);
    passes(chain, shown("order %d: ", order));
  }
}

/// One node is reset and has the others' session no more: it and they find that out, and say so.
void reset_one() {
  for (int node = 0; node < 3; ++node) {
    for (int at = 0; at < 260; at += 4) {
      Settings settings;
      settings.nodes = 3;
      settings.chunks = 6;
      settings.sink_stall = 20;
      settings.timeout = 100;
      Chain chain(settings);
      chain.advance(at);
      chain.reset(node, 5, 10);
      chain.trust();
      chain.advance(16 * 100 * 5);
      // Who has all results waits for nobody; the one that was reset waits for results for ever.
      for (int i = 0; i < 3; ++i) {
        expect(chain.error(i) != 0 || chain.results(i) == settings.chunks,
               shown("node %d reset in cycle %d: node %d hangs in silence", node, at, i));
      }
    }
  }
}

std::vector<Beat> frame(int type, int session, int addends, int bytes, uint32_t chunk, uint32_t ack,
                        bool wants = false) {
  std::vector<Beat> beats(1 + (bytes + 63) / 64);
  auto& d = beats[0].data;
  d[12] = 0x88;
  d[13] = 0xB6;
  d[14] = 1;
  d[15] = static_cast<uint8_t>(type);
  d[16] = static_cast<uint8_t>(session >> 8);
  d[17] = static_cast<uint8_t>(session);
  d[18] = static_cast<uint8_t>(addends);
  d[19] = wants ? 1 : 0;
  d[20] = static_cast<uint8_t>(bytes >> 8);
  d[21] = static_cast<uint8_t>(bytes);
  for (int i = 0; i < 4; ++i) {
    d[22 + i] = static_cast<uint8_t>(chunk >> (24 - 8 * i));
    d[26 + i] = static_cast<uint8_t>(ack >> (24 - 8 * i));
  }
  beats.back().last = true;
  if (bytes % 64 != 0) beats.back().keep = (uint64_t{1} << bytes % 64) - 1;
  return beats;
}

/// Every verdict, one frame at a time into node 1 from the left.
void verdicts() {
  constexpr int kTaken = 3, kCame = 4, kBad = 5, kForeign = 6, kDuplicate = 7, kGap = 8;
  struct Case {
    const char* what;
    int counter;  // -1: error bit 4 and no counter
    std::vector<Beat> frame;
  };
  constexpr uint32_t kF = kFirst;
  std::vector<Case> cases = {
      {"control", kCame, frame(0, 7, 0, 0, 0, kF)},
      {"control with addends and chunk", kCame, frame(0, 7, 9, 0, 55, kF)},
      {"control of another session", kForeign, frame(0, 8, 0, 0, 0, kF)},
      {"control with bytes", kForeign, frame(0, 7, 0, 4, 0, kF)},
      {"AGG", kTaken, frame(1, 7, 1, 64, kF, kF)},
      {"AGG of 4 bytes", kTaken, frame(1, 7, 1, 4, kF, kF)},
      {"the largest AGG", kTaken, frame(1, 7, 1, 64 * kBeats, kF, kF)},
      {"AGG of too many bytes", kForeign, frame(1, 7, 1, 64 * kBeats + 4, kF, kF)},
      {"AGG of 0 bytes", kForeign, frame(1, 7, 1, 0, kF, kF)},
      {"AGG of 6 bytes", kForeign, frame(1, 7, 1, 6, kF, kF)},
      {"AGG of too many addends", kForeign, frame(1, 7, 2, 64, kF, kF)},
      {"BCAST from the left", kForeign, frame(2, 7, 1, 64, kF, kF)},
      {"AGG of another session", kForeign, frame(1, 6, 1, 64, kF, kF)},
      {"duplicate", kDuplicate, frame(1, 7, 1, 64, kF - 1, kF)},
      {"old duplicate", kDuplicate, frame(1, 7, 1, 64, kF - 0x80000000u, kF)},
      {"gap", kGap, frame(1, 7, 1, 64, kF + 1, kF)},
      {"far gap", kGap, frame(1, 7, 1, 64, kF + 0x7FFFFFFFu, kF)},
      {"ack beyond", -1, frame(0, 7, 0, 0, 0, kF + 1)},
      {"old ack", kCame, frame(0, 7, 0, 0, 0, kF - 5)},
  };
  const auto add = [&](const char* what, int counter, std::vector<Beat> frame, auto change) {
    change(frame);
    cases.push_back({what, counter, std::move(frame)});
  };
  const auto agg = [&] { return frame(1, 7, 1, 64, kF, kF); };
  using Frame = std::vector<Beat>;
  add("bad FCS", kBad, agg(), [](Frame& f) { f.back().user = true; });
  add("tuser before tlast", kTaken, agg(), [](Frame& f) { f.front().user = true; });
  add("bad control", kBad, frame(0, 7, 0, 0, 0, kF + 1), [](Frame& f) { f.back().user = true; });
  add("EtherType", kForeign, agg(), [](Frame& f) { f[0].data[13] = 0xB5; });
  add("EtherType's first byte", kForeign, agg(), [](Frame& f) { f[0].data[12] = 0x86; });
  add("version", kForeign, agg(), [](Frame& f) { f[0].data[14] = 2; });
  add("type 3", kForeign, agg(), [](Frame& f) { f[0].data[15] = 3; });
  add("addresses are not looked at", kTaken, agg(),
      [](Frame& f) { f[0].data[3] = f[0].data[9] = f[0].data[63] = 1; });
  add("other bits of byte 19", kTaken, agg(), [](Frame& f) { f[0].data[19] = 0xFE; });
  add("too short", kForeign, agg(), [](Frame& f) { f.back().keep >>= 4; });
  add("too long", kForeign, agg(), [](Frame& f) {
    f.back().last = false;
    Beat more;
    more.last = true;
    more.keep = 0xF;
    f.push_back(more);
  });
  add("an empty last beat", kTaken, agg(), [](Frame& f) {
    f.back().last = false;
    Beat more;
    more.last = true;
    more.keep = ~uint64_t{1};
    f.push_back(more);
  });
  add("header alone", kForeign, agg(), [](Frame& f) {
    f.resize(1);
    f[0].last = true;
  });
  add("short control", kForeign, frame(0, 7, 0, 0, 0, kF), [](Frame& f) { f[0].keep >>= 1; });
  add("tkeep before tlast", kTaken, agg(), [](Frame& f) { f[0].keep = 0; });
  add("control and more", kForeign, frame(0, 7, 0, 0, 0, kF), [](Frame& f) {
    f.back().last = false;
    Beat more;
    more.last = true;
    f.push_back(more);
  });
  add("endless", kForeign, agg(), [](Frame& f) {
    f.back().last = false;
    f.resize(700, f.back());
    f.back().last = true;
  });
  for (const Case& one : cases) {
    Settings settings;
    settings.chunks = 0;
    settings.timeout = 100000;
    Chain chain(settings);
    chain.trust();
    chain.inject(0, one.frame);
    chain.advance(one.frame.size() + 10);
    expect(chain.wrong().empty(), std::string(one.what) + ": " + chain.wrong());
    equal(std::string(one.what) + ": error", chain.error(1), one.counter < 0 ? 16 : 0);
    // Of what is received; what is sent in answer is counted apart.
    for (int word : {3, 4, 5, 6, 7, 8}) {
      const bool beyond = one.counter < 0 && word == kCame;
      equal(std::string(one.what) + shown(": counter %d", word), chain.stat(1, 3 + word),
            word == one.counter || beyond);
    }
  }
}

/// A duplicate is answered 6 cycles after its tlast, a question as well; a gap is not.
void answers() {
  for (int kind = 0; kind < 3; ++kind) {
    Settings settings;
    settings.chunks = 0;
    settings.timeout = 100000;
    Chain chain(settings);
    chain.trust();
    chain.advance(40);
    const uint32_t chunk = kind == 0 ? kFirst - 1 : kFirst + 1;
    chain.inject(0,
                 kind == 1 ? frame(0, 7, 0, 0, 0, kFirst, true) : frame(1, 7, 1, 4, chunk, kFirst));
    const uint64_t tlast = chain.now() + (kind == 1 ? 0 : 1);
    while (chain.frames(1) == 0 && chain.now() < tlast + 50) chain.cycle();
    if (kind == 2)
      equal("a gap is answered", chain.frames(1), 0);
    else
      equal("answer", chain.now() - 1 - tlast, 6);
  }
}

/// Packets that are no chunk are error 3; chunks of one number that differ in bytes are error 2.
void wrong_chunks() {
  const auto errors = [](int node, auto spoil) {
    Settings settings;
    settings.chunks = 3;
    settings.spoil = [=](int of, int chunk, std::vector<Beat>& beats) {
      if (of == node && chunk == 1) spoil(beats);
    };
    Chain chain(settings);
    chain.trust();
    chain.advance(600);
    expect(chain.wrong().empty(), chain.wrong());
    return chain.error(node) << 5 | chain.error(1 - node);
  };
  using Beats = std::vector<Beat>;
  for (int node : {0, 1}) {
    equal("6 bytes", errors(node, [](Beats& b) { b.back().keep = 0x3F; }) >> 5 & 8, 8);
    equal("0 bytes", errors(node, [](Beats& b) { b.back().keep = 0xFE; }) >> 5 & 8, 8);
    equal("a hole ends it", errors(node, [](Beats& b) { b.back().keep = 0xFF0F; }) >> 5 & 8, 0);
    equal("too long",
          errors(node,
                 [](Beats& b) {
                   b.assign(kBeats + 1, b.back());
                   for (auto& beat : b) beat.last = false, beat.keep = 0;
                   b.back().last = true;
                   b.back().keep = 0xF;
                 }) >>
                  5 &
              8,
          8);
    equal("the longest and an empty beat",
          errors(node,
                 [](Beats& b) {
                   b.assign(kBeats + 1, b.back());
                   for (auto& beat : b) beat.last = false, beat.keep = 0;
                   b.back().last = true;
                 }) >>
                  5 &
              8,
          0);
    const int differs = errors(node, [](Beats& b) { b.back().keep = 0xF; });
    equal("other bytes", node == 1 ? differs >> 5 : differs & 31, 4);
  }
}

/// A BCAST of other bytes than its AGG had is error 2, wherever the chunk's own slot has gone by
/// then.
void wrong_result() {
  Settings settings;
  settings.chunks = 1;
  Chain chain(settings);
  chain.trust();
  while (chain.frames(0) == 0) chain.cycle();
  chain.inject(1, frame(2, 7, 2, 4, kFirst, kFirst + 1));
  chain.advance(20);
  equal("error", chain.error(0), 4);
}

/// The rest of a frame after a reset is no frame, unless the line was silent for 64 cycles.
void lost() {
  for (int gap : {0, 62, 63, 64, 65, 100}) {
    for (bool silent_in_reset : {false, true}) {
      Settings settings;
      settings.chunks = 0;
      settings.timeout = 100000;
      Chain chain(settings);
      chain.trust();
      chain.advance(10);
      // A beat ends in the last cycle before the silence; the silence lies in the reset, or after
      // it.
      Beat beat;
      beat.last = true;
      if (silent_in_reset) {
        chain.inject(0, {beat});
        chain.cycle();
        chain.reset(1, gap + 1, 7);
        chain.advance(gap);
      } else {
        chain.inject(0, {beat});
        chain.reset(1, 1, 7);
        chain.cycle();
        chain.advance(gap);
      }
      if (silent_in_reset && gap > 0) chain.advance(1);
      const bool found = silent_in_reset ? gap + (gap > 0 ? 1 : 0) >= 64 : gap >= 64;
      if (silent_in_reset && gap == 0) continue;
      chain.inject(0, frame(0, 7, 0, 0, 0, kFirst));
      chain.advance(4);
      equal(shown("silence of %d, %s reset: bad", gap, silent_in_reset ? "in" : "after"),
            chain.stat(1, 3 + 5), !found);
      equal("control came", chain.stat(1, 3 + 4), found);
      chain.inject(0, frame(0, 7, 0, 0, 0, kFirst));
      chain.advance(4);
      equal("the next one came", chain.stat(1, 3 + 4), found ? 2 : 1);
    }
  }
}

// Cases of ring_nic-mutants.txt: each passes with the RTL as it is.

Settings small(int window, int chunks, uint32_t timeout = 100) {
  Settings settings;
  settings.window = window;
  settings.chunks = chunks;
  settings.timeout = timeout;
  settings.delay = 8;
  return settings;
}

void one_bad_frame() {
  for (int link : {0, 1}) {
    for (uint32_t ack : {kFirst, kFirst + 3}) {
      Settings settings = small(1, 1);
      settings.fault = [=](int of, int index, const Header&, uint64_t) {
        return Fault{of == link && index == 0 ? Kind::kAck : Kind::kNone, ack};
      };
      Chain chain(settings);
      passes(chain);
    }
  }
}

void plain() {
  for (int window = 1; window <= kSlots; ++window) {
    for (int chunks : {1, 2, 5, 20}) {
      Settings settings = small(window, chunks);
      settings.bytes = [](int chunk) { return chunk % 2 == 0 ? 64 * kBeats : 64; };
      Chain chain(settings);
      passes(chain);
    }
  }
}

void short_timeouts() {
  for (uint32_t timeout = 10; timeout < 80; ++timeout) {
    for (int chunks : {1, 2, 3}) {
      Settings settings = small(1, chunks, timeout);
      settings.bytes = [](int chunk) { return chunk % 3 == 0 ? 64 * std::min(4, kBeats) : 64; };
      Chain chain(settings);
      passes(chain, shown("T %u, %d chunks: ", timeout, chunks));
    }
  }
}

void one_lost() {
  for (int link : {0, 1}) {
    for (int index = 0; index < 4; ++index) {
      Settings settings = small(kSlots, 2);
      settings.fault = [=](int of, int at, const Header&, uint64_t) {
        return Fault{of == link && at == index ? Kind::kLose : Kind::kNone};
      };
      Chain chain(settings);
      passes(chain, shown("link %d, frame %d: ", link, index));
    }
  }
}

/// A host that comes late, by more than 16 time-outs too: those who wait ask, and go on waiting
/// when they are answered.
void late_host() {
  for (int node : {0, 1}) {
    for (int late : {150, 2500}) {
      for (int window = 1; window <= std::min(kSlots, 4); ++window) {
        Settings settings = small(window, 3);
        settings.skew = {node == 0 ? late : 0, node == 1 ? late : 0};
        Chain chain(settings);
        passes(chain, shown("node %d, %d cycles late: ", node, late));
      }
    }
  }
}

/// One host takes no results while the other does: nothing is written over what it has not taken.
void late_sink() {
  for (int node : {0, 1}) {
    Settings settings = small(kSlots, 5 * kSlots + 10);
    settings.bytes = [](int) { return 64 * std::min(kBeats, 3); };
    settings.sink_from = 1000;
    settings.sink_node = node;
    Chain chain(settings);
    passes(chain, shown("node %d: ", node));
  }
}

/// Links that stall in the middle of long frames, and time-outs that do not wait for their acks.
void slow_links() {
  for (int seed = 1; seed <= 40; ++seed) {
    Settings settings = small(1 + seed % kSlots, 4, 10 + seed);
    settings.seed = static_cast<uint64_t>(seed);
    settings.bytes = [](int) { return 64 * kBeats; };
    settings.link_stall = 40 + seed;
    Chain chain(settings);
    passes(chain, shown("seed %d: ", seed));
  }
}

/// After an error nothing starts: no chunk is taken, sent or given any more, and then the others
/// err, too.
void stops() {
  Settings settings = small(kSlots, 100);
  Chain chain(settings);
  chain.trust();
  chain.advance(60);
  chain.inject(1, frame(0, 7, 0, 0, 0, kFirst + 80));
  chain.advance(20);
  equal("error", chain.error(0), 16);
  uint32_t before[3];
  const int words[3] = {0, 1, 13};  // from the host, to it, sent to the right
  for (int i = 0; i < 3; ++i) before[i] = chain.stat(0, words[i]);
  chain.advance(3000);
  for (int i = 0; i < 3; ++i)
    equal(shown("counter %d", words[i]), chain.stat(0, words[i]), before[i]);
  expect(chain.error(1) != 0, "node 1 knows of no error");
}

/// The neighbour's chunks wait for our host while a repetition comes in bad, its chunk the expected
/// one: there is no room for it.
void agg_without_room() {
  Settings settings = small(kSlots, kSlots, 30);
  settings.skew = {0, 300};
  settings.fault = [](int of, int index, const Header& header, uint64_t) {
    return Fault{of == 0 && index >= kSlots && header.type != 0 ? Kind::kChunk : Kind::kNone,
                 kFirst + kSlots};
  };
  settings.delay = 40;
  Chain chain(settings);
  passes(chain);
}

/// The same on the way back: results are still to be taken, and node 0's acks are lost, so that
/// they come again. The last one comes whole first, or nothing would be expected after it.
void bcast_without_room() {
  Settings settings = small(kSlots, kSlots, 30);
  settings.bytes = [](int) { return 64 * kBeats; };
  settings.sink_from = 400;
  const auto came = std::make_shared<int>(0);
  settings.fault = [came](int of, int, const Header& header, uint64_t cycle) {
    if (cycle >= 380) return Fault{};
    if (of == 0 && header.type == 0) return Fault{Kind::kLose};
    const bool last = of == 1 && header.type == 2 && header.chunk == kFirst + kSlots - 1;
    return last && (*came)++ != 0 ? Fault{Kind::kChunk, kFirst + kSlots} : Fault{};
  };
  settings.delay = 40;
  Chain chain(settings);
  passes(chain);
  expect(*came > 1, "the last result came once only");
}

/// Acks are told by control frames of their own; if one is lost, the duplicate that follows must be
/// answered.
void lost_answer() {
  for (int lost : {1, 2}) {
    Settings settings = small(1, 1);
    settings.fault = [=](int of, int, const Header& header, uint64_t) {
      static thread_local int left = 0;
      if (of == 0 && header.type == 1) left = lost;
      return Fault{of == 0 && header.type == 0 && left-- > 0 ? Kind::kLose : Kind::kNone};
    };
    Chain chain(settings);
    passes(chain);
  }
}

/// An ack that no data carries is told by a control frame, 16 cycles after the last issue at the
/// earliest.
void idle_ack() {
  Settings settings = small(1, 1, 400);
  settings.delay = 0;
  Chain chain(settings);
  passes(chain);
  const Chain::Times& times = chain.times(0);
  const int counts =
      kAddLatency + 16;  // cycles from the host's tlast until the result counts as expected
  equal("control", times.right_control - times.host_tlast, std::max(counts, 20) + 3);
  equal("control frames", chain.stat(0, 15), 1);
}

/// Data never passes, control does: that is an error, no endless patience.
void control_only() {
  for (int link : {0, 1}) {
    Settings settings = small(1, 1);
    settings.fault = [=](int of, int, const Header& header, uint64_t) {
      return Fault{of == link && header.type != 0 ? Kind::kLose : Kind::kNone};
    };
    Chain chain(settings);
    chain.advance(8000);
    expect(chain.error(0) != 0 && chain.error(1) != 0, "no error, and no results either");
  }
}

/// The ring is reset; an AGG of the session before arrives afterwards.
void old_frame() {
  for (int at = 2; at < 30; ++at) {
    Settings settings = small(1, 1, 800);
    settings.delay = 200;
    settings.skew = {0, 0};
    Chain chain(settings);
    chain.advance(at);
    for (int node : {0, 1}) chain.reset(node, 3, 8);
    passes(chain, shown("reset in cycle %d: ", at));
  }
}

void reset_one_of_two() {
  for (int node : {0, 1}) {
    for (int at = 0; at < 150; at += 2) {
      Settings settings = small(1, 4);
      Chain chain(settings);
      chain.advance(at);
      chain.reset(node, 3, 8);
      chain.trust();
      chain.advance(16 * 100 * 3);
      for (int i : {0, 1}) {
        expect(chain.error(i) != 0 || chain.results(i) == settings.chunks,
               shown("node %d reset in cycle %d: node %d hangs in silence", node, at, i));
      }
    }
  }
}

const std::map<std::string, void (*)()> kCases = {
    {"latency", latency},
    {"throughput", throughput},
    {"window", window},
    {"many", many},
    {"host_waits", host_waits},
    {"soak", soak},
    {"dead_links", dead_links},
    {"reset_all", reset_all},
    {"reset_staggered", reset_staggered},
    {"reset_one", reset_one},
    {"verdicts", verdicts},
    {"answers", answers},
    {"wrong_chunks", wrong_chunks},
    {"wrong_result", wrong_result},
    {"lost", lost},
    {"one_bad_frame", one_bad_frame},
    {"plain", plain},
    {"short_timeouts", short_timeouts},
    {"one_lost", one_lost},
    {"late_sink", late_sink},
    {"slow_links", slow_links},
    {"stops", stops},
    {"late_host", late_host},
    {"agg_without_room", agg_without_room},
    {"bcast_without_room", bcast_without_room},
    {"lost_answer", lost_answer},
    {"idle_ack", idle_ack},
    {"control_only", control_only},
    {"old_frame", old_frame},
    {"reset_one_of_two", reset_one_of_two},
};

/// Whether this build of the RTL, with its slots and beats, can show the case.
bool fits(const std::string& name) {
  if (name == "throughput") return kSlots * kBeats >= 1024;
  if (name == "many") return kSlots >= 4;
  return name != "window" || kSlots <= 8;
}

int main_(int argc, char** argv) {
  Verilated::commandArgs(argc, argv);
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] == '+') continue;
    if (std::string(argv[i]) == "--list") {
      for (const auto& one : kCases) std::printf("%s\n", one.first.c_str());
      return 0;
    }
    if (kCases.count(argv[i]) == 0) {
      std::fprintf(stderr, "rtl_test: no case '%s'; rtl_test --list has their names\n", argv[i]);
      return 2;
    }
    names.push_back(argv[i]);
  }
  if (names.empty()) {
    for (const auto& one : kCases) {
      if (fits(one.first)) names.push_back(one.first);
    }
  }
  int failed = 0;
  for (const std::string& name : names) {
    assertion.clear();
    try {
      kCases.at(name)();
      std::printf("passed: %s\n", name.c_str());
    } catch (const Failed& why) {
      ++failed;
      std::printf("FAILED: %s: %s\n", name.c_str(), why.what.c_str());
    }
    std::fflush(stdout);
  }
  std::printf("rtl_test: %d slots, %d beats, A = %d, First = %08x: %d of %zu cases failed\n",
              kSlots, kBeats, kAddLatency, kFirst, failed, names.size());
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace gw::ring

// An assertion of the RTL says what it is and stops; here it fails the case.
void vl_stop(const char* file, int line, const char*) {
  if (gw::ring::assertion.empty())
    gw::ring::assertion = std::string(file) + ":" + std::to_string(line);
}

int main(int argc, char** argv) { return gw::ring::main_(argc, argv); }
