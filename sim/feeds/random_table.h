// Constrained-random traffic: a table of weights from a TOML file, [random.NAME], and what is drawn
// by it. Which keys there are, a kind of traffic says (RandomKind): one a family of packets.
//
//   [random.edges]                        for every device
//   length = { edges = 3, list = { weight = 1, of = [64, 1514] }, range = { from = 60, to = 300 } }
//   [random.edges.floats]                 for those that are fed with floats, over the former
//   value = { edge = 4, nan = 1 }
//
// A key is a table of ways and their weights; ways of which more has to be said are tables of their
// own, whose weight is 1 unless they say another. What a table leaves out is as the kind says.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/random.h"
#include "sim/feeds/source.h"
#include "sim/harness/stall.h"

namespace gw::sim {

/// What a way takes beside its weight.
enum class RandomShape : uint8_t {
  kPlain,  ///< nothing
  kList,   ///< of = [numbers]
  kRange,  ///< from = number, to = number
};

/// One of the ways in which a key may go.
struct RandomWay {
  std::string name;
  double weight = 0;  ///< unless the table says one of the key's
  RandomShape shape = RandomShape::kPlain;
  int64_t least = 0, most = 0;  ///< what numbers may be
  int64_t from = 0, to = 0;     ///< unless the table says others
};

struct RandomKey {
  std::string name, text;
  std::vector<RandomWay> ways;
};

/// A kind of traffic.
struct RandomKind {
  std::string name;  ///< of its section
  std::string text;
  std::string base = {};  ///< the kind of which it knows all keys and ways, and whose section it
                          ///< reads before its own; empty: none
  std::vector<RandomKey> keys;
  std::vector<std::string> options = {};  ///< of the devices, those of stimuli that it heeds
};

/// What is drawn by one key.
class RandomChoice {
 public:
  struct Entry {
    RandomWay way;  ///< with the table's weight and numbers
    std::vector<int64_t> of = {};
  };

  RandomChoice() = default;
  explicit RandomChoice(std::vector<Entry> entries);

  /// The place of a way among the key's.
  size_t draw(Random& random) const;
  /// A number as the way says: one of its list, or of its range.
  int64_t number(size_t way, Random& random) const;
  const std::string& name(size_t way) const { return entries_[way].way.name; }
  const std::vector<Entry>& entries() const { return entries_; }
  /// Weight of a way over the sum of all; 0 for one that the kind does not have.
  double share(std::string_view way) const;

 private:
  std::vector<Entry> entries_;
  double sum_ = 0;
};

/// A table as one kind of traffic reads it.
class RandomTable {
 public:
  /// `where`: FILE#NAME. All of the table is checked, sections of other kinds (`kinds`: all there
  /// are) too. Throws InputError for a file that cannot be read, else UsageError, which begins with
  /// file:line:column.
  static std::shared_ptr<const RandomTable> read(const std::string& where, const RandomKind& kind,
                                                 std::span<const RandomKind* const> kinds);
  /// The same of text: `file` is how errors call it.
  static std::shared_ptr<const RandomTable> parse(std::string_view text, const std::string& file,
                                                  const std::string& name, const RandomKind& kind,
                                                  std::span<const RandomKind* const> kinds);

  const std::string& name() const { return name_; }  ///< FILE#NAME
  const RandomChoice& operator[](const std::string& key) const { return choices_.at(key); }
  /// What the keys `source` and `sink` say; nothing: they say `none` alone.
  std::optional<StallWeights> stalls(const std::string& key) const;

 private:
  std::string name_;
  std::map<std::string, RandomChoice> choices_;
};

// ---- What all kinds have.

/// length, gap, source, sink. `unit`: what lengths count; `least`, `most`, and the usual range.
std::vector<RandomKey> random_stream_keys(const std::string& unit, int64_t least, int64_t most,
                                          int64_t from, int64_t to);
/// value, neighbour, fraction, nan; `codec`: also the classes of the codec, and edge.
std::vector<RandomKey> random_value_keys(bool codec);

inline constexpr int64_t kLongestGap = 10'000;

/// Lengths of packets by the key `length`.
class RandomLengths {
 public:
  /// `edges`: where something ends; one of them, one less or one more is drawn.
  RandomLengths(const RandomTable& table, std::vector<int64_t> edges);
  int64_t draw(Random& random) const;

 private:
  const RandomChoice& choice_;
  const std::vector<int64_t> edges_;
  int64_t least_ = 0, most_ = 0;
};

/// Cycles between packets by the key `gap`.
int64_t random_gap(const RandomTable& table, Random& random);

/// binary32 values by the keys of random_value_keys.
class RandomValues {
 public:
  /// Biased exponents from which on values are BYTE and HALF.
  struct Classes {
    uint32_t byte_from = 117, half_from = 122;  ///< at 2^-10
  };

  RandomValues(const RandomTable& table, Classes classes);
  void set(Classes classes) { classes_ = classes; }
  void fill(Random& random, std::span<uint32_t> values) const;

 private:
  enum class Class : uint8_t {
    kZero,
    kSubnormal,
    kTiny,
    kGradient,
    kByte,
    kHalf,
    kLarge,
    kEdge,
    kInfinity,
    kNan,
    kAny,
    kBinades,
  };
  uint32_t drawn(Class kind, Random& random) const;
  uint32_t of(Class kind, Random& random) const;
  uint32_t edge(Random& random) const;
  uint32_t not_a_number(Random& random) const;

  const RandomTable& table_;
  Classes classes_;
  std::vector<Class> class_of_way_;
  int least_binade_ = 0, largest_binade_ = 0;
  bool any_fraction_ = true;
};

/// A tkeep with a gap, with nothing, or one that is none of the last beat's; or a tuser too early:
/// of a packet of so many beats, whose last one has `bytes`.
OddBeat random_odd_beat(Random& random, size_t beats, size_t bytes, size_t beat_bytes);

/// What befalls packets on their way: they come later, or twice.
template <class T>
class RandomDelays {
 public:
  /// It comes when so many others have.
  void add(T item, uint64_t after) { late_.push_back({count_ + after, std::move(item)}); }
  /// What is due now; `all`: nothing else comes any more.
  std::optional<T> take(bool all) {
    size_t first = late_.size();
    for (size_t i = 0; i < late_.size(); ++i) {
      if (first == late_.size() || late_[i].at < late_[first].at) first = i;
    }
    if (first == late_.size() || (!all && late_[first].at > count_)) return std::nullopt;
    std::optional<T> item = std::move(late_[first].item);
    late_.erase(late_.begin() + static_cast<std::ptrdiff_t>(first));
    return item;
  }
  /// One has come.
  void pass() { ++count_; }

 private:
  struct Late {
    uint64_t at;
    T item;
  };
  std::vector<Late> late_;
  uint64_t count_ = 0;
};

}  // namespace gw::sim
