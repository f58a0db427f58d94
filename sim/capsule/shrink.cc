// SPDX-License-Identifier: Apache-2.0
#include "sim/capsule/shrink.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <numeric>

#include "sim/capsule/stimulus_files.h"

namespace gw::sim::capsule {
namespace {

using Clock = std::chrono::steady_clock;
constexpr size_t kWord = 4;  // bytes of a value

size_t bytes_of(const Stimulus& stimulus) {
  size_t bytes = 0;
  for (const RawPacket& packet : stimulus.packets) bytes += packet.bytes.size();
  return bytes;
}

size_t bytes_set(const Stimulus& stimulus) {
  size_t set = 0;
  for (const RawPacket& packet : stimulus.packets) {
    set += packet.bytes.size() - static_cast<size_t>(std::ranges::count(packet.bytes, uint8_t{0}));
  }
  return set;
}

/// Changed bytes no longer stand for the values they were made of.
void changed(RawPacket& packet, const ShrinkFacts& facts) {
  packet.values.clear();
  const size_t beats =
      std::max<size_t>(1, (packet.bytes.size() + facts.beat_bytes - 1) / facts.beat_bytes);
  std::erase_if(packet.odd, [beats](const OddBeat& odd) { return odd.beat >= beats; });
}

class Shrinker {
 public:
  Shrinker(ShrinkCase whole, const ShrinkFacts& facts, const ShrinkOptions& options)
      : best_(std::move(whole)),
        facts_(facts),
        options_(options),
        whole_packets_(std::max<size_t>(1, best_.stimulus.packets.size())) {}

  ShrinkResult run() {
    step([this] { return fmt::format("packets: {}", best_.stimulus.packets.size()); },
         [this] { drop_the_rest(); });
    for (bool smaller = true; smaller && !over();) {
      const uint64_t kept = kept_;
      step([this] { return fmt::format("packets: {}", best_.stimulus.packets.size()); },
           [this] { thin_packets(); });
      step([this] { return fmt::format("cycles with stalls: {}", count(best_.stimulus.stalls)); },
           [this] { calm(); });
      step([this] { return fmt::format("bytes: {}", bytes_of(best_.stimulus)); },
           [this] { cut_packets(); });
      step([this] { return fmt::format("bytes that are not 0: {}", bytes_set(best_.stimulus)); },
           [this] { clear_values(); });
      step([this] { return fmt::format("gaps, times, errors, odd beats: {}", oddities()); },
           [this] { straighten(); });
      step([this] { return fmt::format("settings that are not defaults: {}", settings()); },
           [this] { set_defaults(); });
      smaller = kept_ != kept;
    }
    ShrinkResult result;
    result.complete = !over() && !refused_;
    result.smallest = std::move(best_);
    result.steps = std::move(steps_);
    result.runs = runs_;
    result.seconds = seconds();
    return result;
  }

 private:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  bool over() const {
    return seconds() >= options_.seconds || (options_.stopped && options_.stopped());
  }

  /// Takes it if the failure stays.
  bool keep(ShrinkCase&& candidate) {
    if (over() || candidate.stimulus.packets.empty()) return false;
    // One that would end after the limit is not begun.
    const double share = static_cast<double>(candidate.stimulus.packets.size()) /
                         static_cast<double>(whole_packets_);
    if (seconds() + options_.run_seconds * share > options_.seconds) {
      refused_ = true;
      return false;
    }
    ++runs_;
    if (options_.progress) options_.progress(best_, runs_);
    if (!options_.test(candidate)) return false;
    best_ = std::move(candidate);
    ++kept_;
    return true;
  }
  template <class Change>
  bool keep_with(const Change& change) {
    ShrinkCase candidate = best_;
    change(candidate);
    return keep(std::move(candidate));
  }

  /// Says what a step took out, if it did.
  template <class Say, class Work>
  void step(const Say& say, const Work& work) {
    if (over()) return;
    const std::string before = say();
    const uint64_t runs = runs_, kept = kept_;
    work();
    if (kept_ == kept) return;
    const std::string after = say();
    const std::string now = after.substr(after.rfind(' ') + 1);
    steps_.push_back({.what = fmt::format("{} to {}", before, now), .runs = runs_ - runs});
  }

  /// ddmin: the least of the items with which `test` holds.
  template <class T, class Test>
  void minimise(std::vector<T> items, const Test& test) {
    for (size_t parts = 2; !items.empty() && !over();) {
      const size_t chunk = (items.size() + parts - 1) / parts;
      bool smaller = false;
      // The last ones first: what fails is most often there, and what is before it goes then.
      for (size_t end = items.size(); end > 0 && !over();) {
        const size_t begin = end > chunk ? end - chunk : 0;
        std::vector<T> kept(items.begin(), items.begin() + static_cast<ptrdiff_t>(begin));
        kept.insert(kept.end(), items.begin() + static_cast<ptrdiff_t>(end), items.end());
        if (test(kept)) {
          items = std::move(kept);
          smaller = true;
        }
        end = begin;
      }
      if (smaller) {
        parts = std::max<size_t>(2, std::min(parts, items.size()));
        continue;
      }
      if (chunk == 1) return;
      parts = std::min(items.size(), parts * 2);
    }
  }

  // ---- packets

  ShrinkCase with_packets(const std::vector<size_t>& kept) const {
    ShrinkCase candidate{.stimulus = {.name = best_.stimulus.name, .packets = {}, .stalls = {}},
                         .plain = best_.plain};
    for (const size_t i : kept) candidate.stimulus.packets.push_back(best_.stimulus.packets[i]);
    return candidate;
  }

  /// The packets from this one on, in the cycles of the first of them.
  ShrinkCase from(size_t first) const {
    std::vector<size_t> kept(best_.stimulus.packets.size() - first);
    std::iota(kept.begin(), kept.end(), first);
    ShrinkCase candidate = with_packets(kept);
    std::vector<RawPacket>& packets = candidate.stimulus.packets;
    const int64_t begin_ns = packets.front().time_ns;
    for (RawPacket& packet : packets) packet.time_ns -= begin_ns;
    packets.front().gap = 0;
    const auto cycles = begin_ns > 0                       ? static_cast<uint64_t>(std::llround(
                                                                 static_cast<double>(begin_ns) * 1e-3 * facts_.clock_mhz))
                        : first < options_.accepted.size() ? options_.accepted[first]
                                                           : 0;
    candidate.stimulus.stalls = later(best_.stimulus.stalls, cycles);
    return candidate;
  }

  /// What comes after the failure, then most of what comes before it.
  void drop_the_rest() {
    const size_t accepted = options_.accepted.size();
    if (accepted != 0 && accepted < best_.stimulus.packets.size()) {
      std::vector<size_t> kept(accepted);
      std::iota(kept.begin(), kept.end(), size_t{0});
      ShrinkCase candidate = with_packets(kept);
      candidate.stimulus.stalls = best_.stimulus.stalls;
      keep(std::move(candidate));
    }
    // The last one alone, the last two, four ...: with its stalls, and without any.
    const size_t all = best_.stimulus.packets.size();
    for (size_t last = 1; last < all && !over(); last *= 2) {
      ShrinkCase candidate = from(all - last);
      ShrinkCase calm = candidate;
      calm.stimulus.stalls = {};
      if (keep(std::move(calm)) || keep(std::move(candidate))) return;
    }
  }

  void thin_packets() {
    std::vector<size_t> all(best_.stimulus.packets.size());
    std::iota(all.begin(), all.end(), size_t{0});
    const Stimulus whole = best_.stimulus;
    minimise(all, [&](const std::vector<size_t>& kept) {
      ShrinkCase candidate{
          .stimulus = {.name = whole.name, .packets = {}, .stalls = best_.stimulus.stalls},
          .plain = best_.plain};
      for (const size_t i : kept) candidate.stimulus.packets.push_back(whole.packets[i]);
      return keep(std::move(candidate));
    });
  }

  // ---- stalls

  struct Stall {
    bool sink;
    size_t port;
    uint64_t cycle;
  };

  void calm() {
    if (best_.stimulus.stalls.none()) return;
    if (keep_with([](ShrinkCase& c) { c.stimulus.stalls = {}; })) return;
    // One side alone: of both something is left.
    const StallRecord& stalls = best_.stimulus.stalls;
    if (count({stalls.sources, {}}) != 0 && count({{}, stalls.sinks}) != 0) {
      if (!keep_with([](ShrinkCase& c) { c.stimulus.stalls.sources.clear(); })) {
        keep_with([](ShrinkCase& c) { c.stimulus.stalls.sinks.clear(); });
      }
    }
    std::vector<Stall> all;
    for (const bool sink : {false, true}) {
      const auto& sides = sink ? best_.stimulus.stalls.sinks : best_.stimulus.stalls.sources;
      for (size_t p = 0; p < sides.size(); ++p) {
        for (const StallRecord::Window& window : sides[p]) {
          for (uint64_t bits = window.bits; bits != 0; bits &= bits - 1) {
            all.push_back({sink, p,
                           window.number * StallRecord::kWindow +
                               static_cast<uint64_t>(std::countr_zero(bits))});
          }
        }
      }
    }
    std::ranges::stable_sort(all, {}, &Stall::cycle);
    minimise(all, [this](const std::vector<Stall>& kept) {
      return keep_with([&kept](ShrinkCase& c) {
        StallRecord& stalls = c.stimulus.stalls;
        stalls = {};
        for (const Stall& stall : kept) {
          auto& sides = stall.sink ? stalls.sinks : stalls.sources;
          const uint64_t number = stall.cycle / StallRecord::kWindow;
          const uint64_t bit = uint64_t{1} << stall.cycle % StallRecord::kWindow;
          StallRecord::set(sides, stall.port, number,
                           StallRecord::bits(sides, stall.port, number) | bit);
        }
      });
    });
  }

  // ---- bytes

  void cut_packets() {
    for (size_t p = 0; p < best_.stimulus.packets.size() && !over(); ++p) {
      for (const size_t unit : {facts_.beat_bytes, kWord, size_t{1}}) {
        const std::vector<uint8_t> whole = best_.stimulus.packets[p].bytes;
        // Single bytes of what is long are not looked at: beats and words go first.
        if (unit == 1 && whole.size() > 4 * facts_.beat_bytes) break;
        std::vector<size_t> units((whole.size() + unit - 1) / unit);
        std::iota(units.begin(), units.end(), size_t{0});
        minimise(units, [&](const std::vector<size_t>& kept) {
          std::vector<uint8_t> bytes;
          for (const size_t i : kept) {
            const size_t end = std::min(whole.size(), (i + 1) * unit);
            bytes.insert(bytes.end(), whole.begin() + static_cast<ptrdiff_t>(i * unit),
                         whole.begin() + static_cast<ptrdiff_t>(end));
          }
          if (bytes.size() < facts_.least_bytes) return false;
          return keep_with([&](ShrinkCase& c) {
            c.stimulus.packets[p].bytes = std::move(bytes);
            changed(c.stimulus.packets[p], facts_);
          });
        });
      }
    }
  }

  void clear_values() {
    for (size_t p = 0; p < best_.stimulus.packets.size() && !over(); ++p) {
      for (const size_t unit : {kWord, size_t{1}}) {
        const std::vector<uint8_t> whole = best_.stimulus.packets[p].bytes;
        std::vector<size_t> set;  // units that are not 0
        for (size_t i = 0; i * unit < whole.size(); ++i) {
          const auto begin = whole.begin() + static_cast<ptrdiff_t>(i * unit);
          const auto end =
              whole.begin() + static_cast<ptrdiff_t>(std::min(whole.size(), (i + 1) * unit));
          if (std::any_of(begin, end, [](uint8_t byte) { return byte != 0; })) set.push_back(i);
        }
        minimise(set, [&](const std::vector<size_t>& kept) {
          return keep_with([&](ShrinkCase& c) {
            std::vector<uint8_t>& bytes = c.stimulus.packets[p].bytes;
            std::vector<uint8_t> cleared(bytes.size(), 0);
            for (const size_t i : kept) {
              for (size_t b = i * unit; b < std::min(bytes.size(), (i + 1) * unit); ++b) {
                cleared[b] = whole[b];
              }
            }
            bytes = std::move(cleared);
            changed(c.stimulus.packets[p], facts_);
          });
        });
      }
    }
  }

  // ---- all else

  size_t oddities() const {
    size_t odd = 0;
    for (const RawPacket& packet : best_.stimulus.packets) {
      odd += static_cast<size_t>(packet.gap != 0) + packet.error + packet.hostile +
             packet.odd.size() + (packet.meta != 0) + (packet.meta_behind != 0) +
             packet.own_config + (packet.time_ns != 0);
    }
    return odd;
  }

  void straighten() {
    const auto all = [this](const auto& change) {
      return keep_with([&](ShrinkCase& c) {
        for (RawPacket& packet : c.stimulus.packets) change(packet);
      });
    };
    const auto any = [this](const auto& has) {
      return std::ranges::any_of(best_.stimulus.packets, has);
    };
    const auto clear = [&](const auto& has, const auto& change) {
      if (!any(has) || all(change)) return;
      for (size_t p = 0; p < best_.stimulus.packets.size() && !over(); ++p) {
        if (!has(best_.stimulus.packets[p])) continue;
        keep_with([&](ShrinkCase& c) { change(c.stimulus.packets[p]); });
      }
    };
    clear([](const RawPacket& p) { return p.gap != 0; }, [](RawPacket& p) { p.gap = 0; });
    clear([](const RawPacket& p) { return p.error; }, [](RawPacket& p) { p.error = false; });
    clear([](const RawPacket& p) { return p.hostile; }, [](RawPacket& p) { p.hostile = false; });
    clear([](const RawPacket& p) { return p.meta != 0; }, [](RawPacket& p) { p.meta = 0; });
    clear([](const RawPacket& p) { return p.meta_behind != 0; },
          [](RawPacket& p) { p.meta_behind = 0; });
    clear([](const RawPacket& p) { return p.own_config; },
          [](RawPacket& p) { p.own_config = false; });
    clear([](const RawPacket& p) { return !p.odd.empty(); }, [](RawPacket& p) { p.odd.clear(); });
    close_up();
  }

  /// Silence on the wires: every packet comes at once, or as soon as it can.
  void close_up() {
    const auto timed = [](const RawPacket& p) { return p.time_ns != 0; };
    if (std::ranges::none_of(best_.stimulus.packets, timed)) return;
    if (keep_with([](ShrinkCase& c) {
          for (RawPacket& packet : c.stimulus.packets) packet.time_ns = 0;
        })) {
      return;
    }
    for (size_t p = 0; p < best_.stimulus.packets.size() && !over(); ++p) {
      const std::vector<RawPacket>& packets = best_.stimulus.packets;
      const int64_t silence = packets[p].time_ns - (p == 0 ? 0 : packets[p - 1].time_ns);
      for (int64_t less = silence; less > 0 && !over(); less /= 2) {
        if (keep_with([&](ShrinkCase& c) {
              for (size_t q = p; q < c.stimulus.packets.size(); ++q) {
                c.stimulus.packets[q].time_ns -= less;
              }
            })) {
          break;
        }
      }
    }
  }

  size_t settings() const { return static_cast<size_t>(std::ranges::count(best_.plain, false)); }
  void set_defaults() {
    for (size_t i = 0; i < best_.plain.size() && !over(); ++i) {
      if (best_.plain[i]) continue;
      keep_with([i](ShrinkCase& c) { c.plain[i] = true; });
    }
  }

  ShrinkCase best_;
  const ShrinkFacts& facts_;
  const ShrinkOptions& options_;
  const size_t whole_packets_;
  const Clock::time_point begin_ = Clock::now();
  std::vector<ShrinkStep> steps_;
  uint64_t runs_ = 0, kept_ = 0;
  bool refused_ = false;  // a run that would have ended too late
};

}  // namespace

ShrinkResult shrink(ShrinkCase whole, const ShrinkFacts& facts, const ShrinkOptions& options) {
  whole.plain.resize(facts.settings.size());
  return Shrinker(std::move(whole), facts, options).run();
}

StallRecord later(const StallRecord& stalls, uint64_t cycles) {
  StallRecord moved;
  const auto move = [cycles](const std::vector<StallRecord::Side>& from,
                             std::vector<StallRecord::Side>& to) {
    const uint64_t windows = cycles / StallRecord::kWindow, rest = cycles % StallRecord::kWindow;
    for (size_t p = 0; p < from.size(); ++p) {
      for (const StallRecord::Window& window : from[p]) {
        // The window's low bits go into the one before, the others into its own.
        if (rest != 0 && window.number >= windows + 1) {
          const uint64_t number = window.number - windows - 1;
          StallRecord::set(
              to, p, number,
              StallRecord::bits(to, p, number) | window.bits << (StallRecord::kWindow - rest));
        }
        if (window.number >= windows) {
          StallRecord::set(to, p, window.number - windows, window.bits >> rest);
        }
      }
    }
  };
  move(stalls.sources, moved.sources);
  move(stalls.sinks, moved.sinks);
  return moved;
}

uint64_t count(const StallRecord& stalls) {
  uint64_t cycles = 0;
  for (const auto* const sides : {&stalls.sources, &stalls.sinks}) {
    for (const StallRecord::Side& side : *sides) {
      for (const StallRecord::Window& window : side) {
        cycles += static_cast<uint64_t>(std::popcount(window.bits));
      }
    }
  }
  return cycles;
}

}  // namespace gw::sim::capsule
