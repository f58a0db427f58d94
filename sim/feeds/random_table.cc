// SPDX-License-Identifier: Apache-2.0
#include "sim/feeds/random_table.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "sim/base/error.h"
#include "sim/base/file_bytes.h"

namespace gw::sim {
namespace {

constexpr std::string_view kStallWays[kStallKinds] = {"none", "percent", "bursts", "one_in",
                                                      "waits"};

template <class Named>
std::string names_of(const Named& all) {
  std::string names;
  for (const auto& one : all) names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
  return names;
}

template <class All>
auto find(All& all, std::string_view name) {
  return std::ranges::find_if(all, [&](const auto& one) { return one.name == name; });
}

/// Reads one table; every complaint begins with where it is.
class Reader {
 public:
  Reader(const std::string& file, const std::string& name) : file_(file), name_(name) {}

  [[noreturn]] void refuse(const toml::source_region& at, const std::string& sentence) const {
    throw UsageError(fmt::format("{}:{}:{}: {}", file_, at.begin.line, at.begin.column, sentence));
  }

  /// The keys of a table, by name. `sections`: names that may stand there beside keys.
  std::map<std::string, RandomChoice> keys(const toml::table& table, const RandomKind& kind,
                                           std::span<const RandomKind* const> kinds,
                                           bool sections) const {
    std::map<std::string, RandomChoice> all;
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      const bool section = std::ranges::any_of(kinds, [&](auto* k) { return k->name == name; });
      if (section && sections) continue;
      const auto known = find(kind.keys, name);
      if (known == kind.keys.end()) refuse_key(key.source(), name, kind, kinds);
      const toml::table* const ways = node.as_table();
      if (ways == nullptr) {
        refuse(node.source(), fmt::format("{} is no table of weights: {} = {{ {} = 1 }}", name,
                                          name, known->ways.front().name));
      }
      all.emplace(name, choice(*ways, *known, kind, kinds));
    }
    return all;
  }

 private:
  [[noreturn]] void refuse_key(const toml::source_region& at, const std::string& key,
                               const RandomKind& kind,
                               std::span<const RandomKind* const> kinds) const {
    for (const RandomKind* const other : kinds) {
      if (find(other->keys, key) == other->keys.end()) continue;
      refuse(at, fmt::format("{} has no meaning for {} ({}); [random.{}.{}] is its place", key,
                             kind.name, kind.text, name_, other->name));
    }
    refuse(at, fmt::format("unknown key '{}' of random traffic; {} has {}", key, kind.name,
                           names_of(kind.keys)));
  }

  RandomChoice choice(const toml::table& ways, const RandomKey& key, const RandomKind& kind,
                      std::span<const RandomKind* const> kinds) const {
    std::vector<RandomChoice::Entry> entries;
    for (const RandomWay& way : key.ways) {
      entries.push_back({way});
      entries.back().way.weight = 0;
    }
    double sum = 0;
    for (const auto& [name, node] : ways) {
      const auto entry = std::ranges::find_if(
          entries, [&, n = name.str()](const auto& e) { return e.way.name == n; });
      if (entry == entries.end())
        refuse_way(name.source(), std::string(name.str()), key, kind, kinds);
      read(node, key.name, *entry);
      sum += entry->way.weight;
    }
    if (!(sum > 0)) refuse(ways.source(), fmt::format("all weights of {} are zero", key.name));
    return RandomChoice(std::move(entries));
  }

  [[noreturn]] void refuse_way(const toml::source_region& at, const std::string& way,
                               const RandomKey& key, const RandomKind& kind,
                               std::span<const RandomKind* const> kinds) const {
    for (const RandomKind* const other : kinds) {
      const auto its = find(other->keys, key.name);
      if (its == other->keys.end() || find(its->ways, way) == its->ways.end()) continue;
      refuse(at, fmt::format("{}.{} has no meaning for {} ({}); [random.{}.{}] is its place",
                             key.name, way, kind.name, kind.text, name_, other->name));
    }
    refuse(at, fmt::format("unknown '{}' of {}; there are {}", way, key.name, names_of(key.ways)));
  }

  /// A weight, or a table of a weight and numbers.
  void read(const toml::node& node, const std::string& key, RandomChoice::Entry& entry) const {
    RandomWay& way = entry.way;
    if (node.is_number()) {
      way.weight = weight(node, key, way.name);
      if (way.shape == RandomShape::kList && way.weight > 0) {
        refuse(node.source(), fmt::format("{0}.{1} is a list: {1} = {{ weight = 1, of = [{2}] }}",
                                          key, way.name, way.least));
      }
      return;
    }
    const toml::table* const said = node.as_table();
    if (said == nullptr) {
      refuse(node.source(), fmt::format("{}.{} is no weight: a number from 0 on", key, way.name));
    }
    way.weight = 1;
    for (const auto& [name, value] : *said) {
      if (name.str() == "weight") {
        way.weight = weight(value, key, way.name);
      } else if (name.str() == "of" && way.shape == RandomShape::kList) {
        list(value, key, entry);
      } else if (name.str() == "from" && way.shape == RandomShape::kRange) {
        way.from = integer(value, key, way);
      } else if (name.str() == "to" && way.shape == RandomShape::kRange) {
        way.to = integer(value, key, way);
      } else {
        refuse(name.source(),
               fmt::format("unknown '{}' of {}.{}; there are weight{}", name.str(), key, way.name,
                           way.shape == RandomShape::kList    ? ", of"
                           : way.shape == RandomShape::kRange ? ", from, to"
                                                              : ""));
      }
    }
    if (way.shape == RandomShape::kList && entry.of.empty()) {
      refuse(said->source(), fmt::format("{}.{} does not say of what: of = [..]", key, way.name));
    }
    if (way.from > way.to) {
      refuse(said->source(), fmt::format("{}.{} is from {} to {}, which is nothing", key, way.name,
                                         way.from, way.to));
    }
  }

  double weight(const toml::node& node, const std::string& key, const std::string& way) const {
    const std::optional<double> value = node.is_number() ? node.value<double>() : std::nullopt;
    if (!value || !std::isfinite(*value)) {
      refuse(node.source(), fmt::format("the weight of {}.{} is no number", key, way));
    }
    if (*value < 0) {
      refuse(node.source(), fmt::format("the weight of {}.{} is negative: {}", key, way, *value));
    }
    return *value;
  }

  int64_t integer(const toml::node& node, const std::string& key, const RandomWay& way) const {
    const auto* const value = node.as_integer();
    if (value == nullptr || value->get() < way.least || value->get() > way.most) {
      refuse(node.source(), fmt::format("{}.{} takes whole numbers from {} to {}", key, way.name,
                                        way.least, way.most));
    }
    return value->get();
  }

  void list(const toml::node& node, const std::string& key, RandomChoice::Entry& entry) const {
    const toml::array* const all = node.as_array();
    if (all == nullptr || all->empty()) {
      refuse(node.source(), fmt::format("{}.{} is of = [numbers]", key, entry.way.name));
    }
    for (const toml::node& one : *all) entry.of.push_back(integer(one, key, entry.way));
  }

  const std::string& file_;
  const std::string& name_;
};

RandomChoice usual(const RandomKey& key) {
  std::vector<RandomChoice::Entry> entries;
  for (const RandomWay& way : key.ways) entries.push_back({way, {}});
  return RandomChoice(std::move(entries));
}

}  // namespace

RandomChoice::RandomChoice(std::vector<Entry> entries) : entries_(std::move(entries)) {
  for (const Entry& entry : entries_) sum_ += entry.way.weight;
}

size_t RandomChoice::draw(Random& random) const {
  double left = random.unit() * sum_;
  size_t drawn = 0;
  for (size_t i = 0; i < entries_.size(); ++i) {
    const double weight = entries_[i].way.weight;
    if (weight <= 0) continue;
    drawn = i;
    if (left < weight) break;
    left -= weight;
  }
  return drawn;
}

int64_t RandomChoice::number(size_t way, Random& random) const {
  const Entry& entry = entries_[way];
  if (entry.way.shape == RandomShape::kList) {
    return entry.of[random.below(static_cast<uint32_t>(entry.of.size()))];
  }
  const auto span = static_cast<uint32_t>(entry.way.to - entry.way.from + 1);
  return entry.way.from + random.below(span);
}

double RandomChoice::share(std::string_view way) const {
  for (const Entry& entry : entries_) {
    if (entry.way.name == way) return entry.way.weight / sum_;
  }
  return 0;
}

std::shared_ptr<const RandomTable> RandomTable::read(const std::string& where,
                                                     const RandomKind& kind,
                                                     std::span<const RandomKind* const> kinds) {
  const size_t hash = where.rfind('#');
  const std::string file = where.substr(0, hash);
  if (hash == std::string::npos || hash == 0 || hash + 1 == where.size()) {
    throw UsageError(fmt::format("--random '{}' is not FILE.toml#NAME", where));
  }
  return parse(bytes_of_file(file), file, where.substr(hash + 1), kind, kinds);
}

std::shared_ptr<const RandomTable> RandomTable::parse(std::string_view text,
                                                      const std::string& file,
                                                      const std::string& name,
                                                      const RandomKind& kind,
                                                      std::span<const RandomKind* const> kinds) {
  const Reader reader(file, name);
  toml::table root;
  try {
    root = toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    reader.refuse(error.source(), std::string(error.description()));
  }
  const toml::node* const random = root.get("random");
  if (random == nullptr || !random->is_table()) {
    throw UsageError(fmt::format("{}:1:1: there is no table [random.{}]", file, name));
  }
  const toml::node* const node = random->as_table()->get(name);
  if (node == nullptr || !node->is_table()) {
    std::string names;
    for (const auto& [key, other] : *random->as_table()) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", key.str());
    }
    reader.refuse(random->source(),
                  fmt::format("there is no table [random.{}]; there are {}", name, names));
  }
  const toml::table& table = *node->as_table();

  std::map<std::string, std::map<std::string, RandomChoice>> sections;
  for (const RandomKind* const other : kinds) {
    const toml::node* const section = table.get(other->name);
    if (section == nullptr) continue;
    if (!section->is_table()) {
      reader.refuse(section->source(), fmt::format("{} is no table of keys", other->name));
    }
    sections[other->name] = reader.keys(*section->as_table(), *other, kinds, false);
  }

  const auto result = std::make_shared<RandomTable>();
  result->name_ = fmt::format("{}#{}", file, name);
  // The nearest word counts: the kind's own section, its base's, the table, the kind itself.
  if (sections.contains(kind.name)) result->choices_ = std::move(sections[kind.name]);
  if (sections.contains(kind.base)) {
    const auto base = std::ranges::find_if(kinds, [&](auto* k) { return k->name == kind.base; });
    const auto of_base = reader.keys(*table.get((*base)->name)->as_table(), kind, kinds, false);
    result->choices_.insert(of_base.begin(), of_base.end());
  }
  const auto common = reader.keys(table, kind, kinds, true);
  result->choices_.insert(common.begin(), common.end());
  for (const RandomKey& key : kind.keys) result->choices_.emplace(key.name, usual(key));
  return result;
}

std::optional<StallWeights> RandomTable::stalls(const std::string& key) const {
  const RandomChoice& choice = (*this)[key];
  StallWeights weights;
  bool any = false;
  for (const RandomChoice::Entry& entry : choice.entries()) {
    const auto kind =
        static_cast<size_t>(std::ranges::find(kStallWays, entry.way.name) - std::begin(kStallWays));
    weights.weights.at(kind) = entry.way.weight;
    any |= kind != 0 && entry.way.weight > 0;
    const auto from = static_cast<uint32_t>(entry.way.from);
    const auto to = static_cast<uint32_t>(entry.way.to);
    switch (static_cast<StallKind>(kind)) {
      case StallKind::kPercent:
        weights.percent_from = from;
        weights.percent_to = to;
        break;
      case StallKind::kBursts:
        weights.burst_from = from;
        weights.burst_to = to;
        break;
      case StallKind::kOneIn:
        if (!entry.of.empty()) weights.one_in.assign(entry.of.begin(), entry.of.end());
        break;
      case StallKind::kNone:
      case StallKind::kWaits:
        break;
    }
  }
  if (!any) return std::nullopt;
  return weights;
}

// ---- What all kinds have.

namespace {

constexpr uint32_t kOne = 127;                             // biased exponent of 1
constexpr int64_t kLeastBinade = -149, kMostBinade = 127;  // of subnormal and normal numbers

}  // namespace

std::vector<RandomKey> random_stream_keys(const std::string& unit, int64_t least, int64_t most,
                                          int64_t from, int64_t to) {
  constexpr auto kList = RandomShape::kList;
  constexpr auto kRange = RandomShape::kRange;
  const auto stalls = [](const char* name, const char* text, const char* waits) {
    return RandomKey{name,
                     fmt::format("{}; waits: for {}", text, waits),
                     {{"none", 1},
                      {"percent", 0, kRange, 1, 99, 10, 60},
                      {"bursts", 0, kRange, 1, StallWeights::kLongestBurst, 1, 64},
                      {"one_in", 0, kList, 2, StallWeights::kLargestN},
                      {"waits"}}};
  };
  return {{"length",
           fmt::format("{} of a packet; edges: where a beat or something else ends, one less, one "
                       "more",
                       unit),
           {{"list", 0, kList, least, most},
            {"range", 3, kRange, least, most, from, to},
            {"edges", 1}}},
          {"gap",
           "cycles between packets in which none is offered",
           {{"none", 1},
            {"list", 0, kList, 0, kLongestGap},
            {"range", 0, kRange, 0, kLongestGap, 1, 64}}},
          stalls("source", "how a source hesitates", "tready"),
          stalls("sink", "how a sink hesitates", "tvalid")};
}

std::vector<RandomKey> random_value_keys(bool codec) {
  RandomKey value{"value",
                  "class of a value",
                  {{"zero", 1},
                   {"subnormal", 1},
                   {"gradient", 6},
                   {"large", 1},
                   {"infinity"},
                   {"nan"},
                   {"any", 1},
                   {"binades", 0, RandomShape::kRange, kLeastBinade, kMostBinade, -28, 0}}};
  std::vector<RandomKey> keys;
  if (codec) {
    for (const char* way : {"tiny", "byte", "half", "edge"}) value.ways.push_back({way, 1});
    keys.push_back({"edge",
                    "which edge of classes, one ulp below, on it, or above",
                    {{"bound", 1}, {"middle", 1}, {"one", 1}, {"any", 1}}});
  }
  keys.push_back(std::move(value));
  keys.push_back({"neighbour",
                  "what a value is to the one before it",
                  {{"free", 8}, {"same_class", 2}, {"equal", 1}, {"ulp", 1}, {"negated", 1}}});
  keys.push_back({"fraction",
                  "last bits of a finite value's fraction, any number of them: as they come; zeros "
                  "(what is half-way when it is rounded); ones",
                  {{"any", 1}, {"zeros"}, {"ones"}}});
  keys.push_back(
      {"nan", "payloads of NaNs", {{"quiet", 1}, {"signalling", 1}, {"one_bit", 1}, {"all_bits"}}});
  return keys;
}

RandomLengths::RandomLengths(const RandomTable& table, std::vector<int64_t> edges)
    : choice_(table["length"]), edges_(std::move(edges)) {
  for (const RandomChoice::Entry& entry : choice_.entries()) {
    if (entry.way.shape != RandomShape::kRange) continue;
    least_ = entry.way.least;
    most_ = entry.way.most;
  }
}

int64_t RandomLengths::draw(Random& random) const {
  const size_t way = choice_.draw(random);
  if (choice_.name(way) != "edges") return choice_.number(way, random);
  const int64_t edge = edges_[random.below(static_cast<uint32_t>(edges_.size()))];
  return std::clamp(edge + random.below(3) - 1, least_, most_);
}

int64_t random_gap(const RandomTable& table, Random& random) {
  const RandomChoice& gap = table["gap"];
  const size_t way = gap.draw(random);
  return gap.name(way) == "none" ? 0 : gap.number(way, random);
}

// ---- Values

namespace {

constexpr uint32_t kSign = 0x8000'0000, kInfinity = 0x7F80'0000, kQuiet = 0x0040'0000;
constexpr uint32_t kFraction = 0x007F'FFFF;

uint32_t with_exponent(Random& random, uint32_t from, uint32_t to) {
  const auto bits = static_cast<uint32_t>(random.next());
  return (bits & 0x807F'FFFF) | (from + random.below(to - from + 1)) << 23;
}

uint32_t of_binade(Random& random, int from, int to) {
  const int binade = from + static_cast<int>(random.below(static_cast<uint32_t>(to - from + 1)));
  const int subnormal = std::max(-126 - binade, 0);  // places
  const uint32_t exponent = static_cast<uint32_t>(std::max(binade, -126) + int{kOne});
  const uint32_t value = with_exponent(random, exponent, exponent);
  if (subnormal == 0) return value;
  return (value & kSign) | ((value & kFraction) | (kFraction + 1)) >> subnormal;
}

uint32_t signed_at_random(Random& random, uint32_t bits) {
  return random.below(2) == 0 ? bits : bits ^ kSign;
}

}  // namespace

RandomValues::RandomValues(const RandomTable& table, Classes classes)
    : table_(table), classes_(classes) {
  static const std::map<std::string, Class> kClasses = {
      {"zero", Class::kZero},         {"subnormal", Class::kSubnormal},
      {"tiny", Class::kTiny},         {"byte", Class::kByte},
      {"gradient", Class::kGradient}, {"half", Class::kHalf},
      {"large", Class::kLarge},       {"infinity", Class::kInfinity},
      {"nan", Class::kNan},           {"edge", Class::kEdge},
      {"any", Class::kAny},           {"binades", Class::kBinades}};
  for (const RandomChoice::Entry& entry : table["value"].entries()) {
    class_of_way_.push_back(kClasses.at(entry.way.name));
    if (class_of_way_.back() != Class::kBinades) continue;
    least_binade_ = static_cast<int>(entry.way.from);
    largest_binade_ = static_cast<int>(entry.way.to);
  }
  any_fraction_ = table["fraction"].share("any") >= 1;
}

uint32_t RandomValues::of(Class kind, Random& random) const {
  switch (kind) {
    case Class::kZero:
      return signed_at_random(random, 0);
    case Class::kSubnormal: {
      const auto fraction = static_cast<uint32_t>(random.next()) & 0x7F'FFFF;
      return signed_at_random(random, std::max(fraction, 1u));
    }
    case Class::kTiny:
      return with_exponent(random, 1, classes_.byte_from - 1);
    case Class::kByte:
      return with_exponent(random, classes_.byte_from, classes_.half_from - 1);
    case Class::kHalf:  // none with a bound of 2^-1: BYTE reaches to 1
      return with_exponent(random, std::min(classes_.half_from, kOne - 1), kOne - 1);
    case Class::kLarge:
      return with_exponent(random, kOne, 254);
    case Class::kBinades:
      return of_binade(random, least_binade_, largest_binade_);
    case Class::kEdge:
      return edge(random);
    case Class::kInfinity:
      return signed_at_random(random, kInfinity);
    case Class::kNan:
      return not_a_number(random);
    case Class::kAny:
      return static_cast<uint32_t>(random.next());
    case Class::kGradient:
      break;
  }
  // Bell-shaped, as wide as gradients are: the sum of four uniform ones.
  double sum = -2;
  for (int i = 0; i < 4; ++i) sum += random.unit();
  return std::bit_cast<uint32_t>(static_cast<float>(sum * 0.02));
}

uint32_t RandomValues::edge(Random& random) const {
  const RandomChoice& choice = table_["edge"];
  const std::string& which = choice.name(choice.draw(random));
  const uint32_t exponent = which == "bound"    ? classes_.byte_from
                            : which == "middle" ? classes_.half_from
                            : which == "one"    ? kOne
                                                : 113 + random.below(15);  // of some bound
  return signed_at_random(random, (exponent << 23) + random.below(3) - 1);
}

uint32_t RandomValues::not_a_number(Random& random) const {
  const RandomChoice& choice = table_["nan"];
  const std::string& which = choice.name(choice.draw(random));
  const auto fraction = static_cast<uint32_t>(random.next());
  const uint32_t payload = which == "quiet"        ? kQuiet | (fraction & (kQuiet - 1))
                           : which == "signalling" ? std::max(fraction & (kQuiet - 1), 1u)
                           : which == "one_bit"    ? 1u << random.below(23)
                                                   : 0x7F'FFFFu;
  return signed_at_random(random, kInfinity | payload);
}

uint32_t RandomValues::drawn(Class kind, Random& random) const {
  const uint32_t value = of(kind, random), exponent = value & kInfinity;
  const uint32_t fraction = value & kFraction;
  if (any_fraction_ || kind == Class::kEdge || exponent == kInfinity) return value;
  if (exponent == 0 && fraction == 0) return value;
  const RandomChoice& choice = table_["fraction"];
  const std::string& which = choice.name(choice.draw(random));
  // Of a subnormal, those after its leading one.
  const uint32_t all = exponent == 0 ? std::bit_floor(fraction) - 1 : kFraction;
  const uint32_t last = all >> random.below(23);
  return which == "zeros" ? value & ~last : which == "ones" ? value | last : value;
}

void RandomValues::fill(Random& random, std::span<uint32_t> values) const {
  const RandomChoice& classes = table_["value"];
  const RandomChoice& neighbours = table_["neighbour"];
  Class kind = Class::kZero;
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string& neighbour = neighbours.name(neighbours.draw(random));
    const uint32_t before = i == 0 ? 0 : values[i - 1];
    if (i == 0 || neighbour == "free") {
      kind = class_of_way_[classes.draw(random)];
      values[i] = drawn(kind, random);
    } else if (neighbour == "same_class") {
      values[i] = drawn(kind, random);
    } else if (neighbour == "equal") {
      values[i] = before;
    } else if (neighbour == "ulp") {
      values[i] = before + (random.below(2) == 0 ? 1 : ~0u);
    } else {
      values[i] = before ^ kSign;
    }
  }
}

OddBeat random_odd_beat(Random& random, size_t beats, size_t bytes, size_t beat_bytes) {
  const uint64_t all = beat_bytes == 64 ? ~uint64_t{0} : (uint64_t{1} << beat_bytes) - 1;
  const uint64_t whole = bytes >= beat_bytes ? all : (uint64_t{1} << bytes) - 1;
  const auto last = static_cast<uint32_t>(beats - 1);
  const auto below = [&random](size_t n) { return random.below(static_cast<uint32_t>(n)); };
  // Floats that are there or not, as a whole.
  const auto lanes = [&] {
    uint64_t keep = 0;
    for (size_t lane = 0; lane < beat_bytes / 4; ++lane)
      keep |= uint64_t{below(2) * 15u} << 4 * lane;
    return keep;
  };
  switch (below(beats > 1 ? 8 : 5)) {
    case 0:
      return {.beat = last, .keep = 0};
    case 1:  // bytes are missing in the middle, or at the beginning
      return {.beat = last, .keep = whole & ~(uint64_t{1} << below(bytes))};
    case 2:  // one stands alone after the packet's end, if there is room
      return {.beat = last,
              .keep = whole | (bytes + 1 < beat_bytes
                                   ? uint64_t{1} << (bytes + 1 + below(beat_bytes - bytes - 1))
                                   : 0)};
    case 3:
      return {.beat = last, .keep = lanes()};
    case 4:
      return {.beat = last, .keep = random.next() & all};
    case 5:
      return {.beat = below(last), .keep = random.next() & all};
    case 6:
      return {.beat = below(last), .keep = lanes()};
    default:
      return {.beat = below(last), .keep = all, .user = true};
  }
}

}  // namespace gw::sim
