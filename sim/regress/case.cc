// SPDX-License-Identifier: Apache-2.0
#include "sim/regress/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include "sim/base/error.h"
#include "sim/regress/digest.h"

namespace gw::regress {
namespace {

using nlohmann::json;

constexpr double kAreaTimeout = 4 * 3600.0;
constexpr double kSpeedTimeout = 1800;
/// Says which results another version of this code may keep.
constexpr const char* kFormat = "gradwire result 1";

/// How a value is called in a case's name.
std::string coordinate(const Key& key, const Value& value, bool reads) {
  if (value.flag) return *value.flag ? key.name : "no-" + key.name;
  const std::string text = value.text();
  if (reads) return std::filesystem::path(text).filename().string();
  if (key.name == "random") return "random:" + text.substr(text.find('#') + 1);
  return text;
}

void add_words(std::vector<std::string>& words, const Key& key, const Value& value) {
  if (value.flag) {
    if (*value.flag) words.push_back("--" + key.name);
    return;
  }
  if (key.repeats) {
    for (const std::string& word : value.words) {
      words.push_back(fmt::format("--{}={}", key.name, word));
    }
    return;
  }
  const bool one = value.words.size() == 1;
  // What looks like an option, and the value of one that may do without, stay in one word with it.
  if (one && (value.words.front().starts_with('-') || key.name == "netlist")) {
    words.push_back(fmt::format("--{}={}", key.name, value.words.front()));
    return;
  }
  words.push_back("--" + key.name);
  words.insert(words.end(), value.words.begin(), value.words.end());
}

/// One choice of the cross product.
struct Choice {
  const Key* key;
  const Value* value;
  std::string coordinate;
};

class Product {
 public:
  Product(const Plan& plan, const Group& group, const Vocabulary& vocabulary,
          const Narrowing& narrowing)
      : plan_(plan), group_(group), vocabulary_(vocabulary), narrowing_(narrowing) {}

  void add_to(std::vector<Point>& points) {
    used_.assign(group_.exceptions.size(), false);
    check_exceptions();
    for (const std::string& device : group_.devices) {
      for (const Key& stimulus : group_.stimuli) {
        for (const Value& value : stimulus.values) {
          std::vector<Choice> chosen = {{&stimulus, &value, name_of(device, stimulus, value)}};
          choose(points, device, chosen, 0);
        }
      }
    }
    for (size_t i = 0; i < used_.size(); ++i) {
      if (!used_[i]) fail(group_.exceptions[i].place, "the exception takes no case out");
    }
    if (!any_) {
      fail(group_.place, fmt::format("no case is left of the group '{}'", group_.name));
    }
  }

 private:
  [[noreturn]] void fail(Place at, const std::string& sentence) const {
    throw sim::UsageError(located(plan_.file, at, sentence));
  }

  std::string name_of(const std::string& device, const Key& key, const Value& value) const {
    const auto& options = vocabulary_.options(device);
    const auto at = std::ranges::find(options, key.name, &Vocabulary::Option::name);
    return coordinate(key, value, at != options.end() && at->reads);
  }

  /// Each key of an exception is one of the group.
  void check_exceptions() const {
    for (const Exception& exception : group_.exceptions) {
      for (const auto& [name, values] : exception.where) {
        const auto is_named = [&name = name](const Key& key) { return key.name == name; };
        if (name != "device" && std::ranges::none_of(group_.stimuli, is_named) &&
            std::ranges::none_of(group_.keys, is_named)) {
          fail(exception.place, fmt::format("the group '{}' has no key '{}'", group_.name, name));
        }
      }
    }
  }

  void choose(std::vector<Point>& points, const std::string& device, std::vector<Choice>& chosen,
              size_t next) {
    if (next == group_.keys.size()) {
      if (excepted(device, chosen)) return;
      any_ = true;
      if (narrowing_.device.empty() || narrowing_.device == device) {
        points.push_back(point(device, chosen));
      }
      return;
    }
    const Key& key = group_.keys[next];
    for (const Value& value : key.values) {
      chosen.push_back({&key, &value, name_of(device, key, value)});
      choose(points, device, chosen, next + 1);
      chosen.pop_back();
    }
  }

  bool excepted(const std::string& device, const std::vector<Choice>& chosen) {
    bool out = false;
    for (size_t i = 0; i < group_.exceptions.size(); ++i) {
      const bool all = std::ranges::all_of(group_.exceptions[i].where, [&](const auto& condition) {
        const auto& [name, values] = condition;
        const auto is = [&values = values](const std::string& text) {
          return std::ranges::count(values, text) != 0;
        };
        if (name == "device") return is(device);
        return std::ranges::any_of(chosen, [&, &name = name](const Choice& choice) {
          return choice.key->name == name && (is(choice.value->text()) || is(choice.coordinate));
        });
      });
      if (all) used_[i] = out = true;
    }
    return out;
  }

  Point point(const std::string& device, const std::vector<Choice>& chosen) const {
    Point p;
    Case& c = p.common;
    c.group = group_.name;
    c.device = device;
    c.stimulus = chosen.front().coordinate;
    // A table, or what was recorded, says it.
    const std::string& stimulus = chosen.front().key->name;
    c.stall = stimulus == "random" ? "random" : stimulus == "capsule" ? "recorded" : "none";
    c.expect = group_.expect;
    c.timeout = group_.timeout != 0 ? group_.timeout : plan_.timeout;
    c.words = {"run", device};
    std::string coordinates = fmt::format("{}/{}/{}", group_.name, device, c.stimulus);
    // The stall stands before the others, here as in the matrix of the report.
    std::vector<const Choice*> order;
    for (const Choice& choice : chosen) order.push_back(&choice);
    std::ranges::stable_sort(order, {}, [&](const Choice* choice) {
      return choice == &chosen.front() ? 0 : choice->key->name == "stall" ? 1 : 2;
    });
    for (const Choice* const choice : order) {
      add_words(c.words, *choice->key, *choice->value);
      if (choice->key->name == "stall") c.stall = choice->coordinate;
      if (choice != &chosen.front() && choice->key->dimension) {
        coordinates += "/" + choice->coordinate;
      }
    }
    c.words.insert(c.words.end(), narrowing_.extra.begin(), narrowing_.extra.end());
    p.name = c.name = coordinates;
    check(c.words, chosen);
    if (!group_.seeds.empty() && vocabulary_.seeded(c.words)) p.seeds = group_.seeds;
    p.contents = vocabulary_.contents(c.words);
    p.stimulus = vocabulary_.stimulus_contents(c.words);
    return p;
  }

  /// What is refused is said where the option that the sentence names stands.
  void check(const std::vector<std::string>& words, const std::vector<Choice>& chosen) const {
    try {
      vocabulary_.check(words);
    } catch (const sim::UserError& error) {
      const std::string sentence = error.what();
      Place at = chosen.front().value->place;
      for (const Choice& choice : chosen) {
        const size_t found = sentence.find("--" + choice.key->name);
        const size_t end = found + 2 + choice.key->name.size();
        const bool whole = found != std::string::npos &&
                           (end == sentence.size() ||
                            (std::isalnum(static_cast<unsigned char>(sentence[end])) == 0 &&
                             sentence[end] != '-'));
        if (whole) {
          at = choice.value->place;
          break;
        }
      }
      fail(at, sentence);
    }
  }

  const Plan& plan_;
  const Group& group_;
  const Vocabulary& vocabulary_;
  const Narrowing& narrowing_;
  std::vector<bool> used_;  // the group's exceptions
  bool any_ = false;        // case is left
};

/// What is measured beside the runs: no seed, no stall.
Point measurement(const Vocabulary& vocabulary, const std::string& group,
                  const std::string& subject, std::vector<std::string> words, double timeout) {
  Point p;
  p.name = p.common.name = group + "/" + subject;
  p.common.group = group;
  p.common.device = subject;
  p.common.words = std::move(words);
  p.common.timeout = timeout;
  p.common.alone = true;
  p.contents = vocabulary.contents(p.common.words);
  return p;
}

}  // namespace

json to_json(const Case& c) {
  json document = {
      {"name", c.name}, {"group", c.group}, {"device", c.device},        {"words", c.words},
      {"hash", c.hash}, {"round", c.round}, {"comparable", c.comparable}};
  if (!c.stimulus.empty()) document["stimulus"] = c.stimulus;
  if (!c.stall.empty()) document["stall"] = c.stall;
  if (c.timeout > 0) document["timeout"] = c.timeout;
  if (c.alone) document["alone"] = true;
  for (const Expectation& e : c.expect) document["expect"].push_back({e.figure, e.wanted});
  return document;
}

Case case_of(const json& document) {
  Case c{.name = document.at("name"),
         .group = document.at("group"),
         .device = document.at("device"),
         .stimulus = document.value("stimulus", ""),
         .stall = document.value("stall", ""),
         .words = document.at("words"),
         .expect = {},
         .timeout = document.value("timeout", 0.0),
         .round = document.at("round"),
         .alone = document.value("alone", false),
         .hash = document.at("hash"),
         .comparable = document.at("comparable")};
  if (const auto expect = document.find("expect"); expect != document.end()) {
    for (const json& e : *expect) c.expect.push_back({e.at(0), e.at(1)});
  }
  return c;
}

std::vector<Point> points_of(const Plan& plan, const Vocabulary& vocabulary,
                             const Narrowing& narrowing) {
  std::vector<Point> points;
  for (const Group& group : plan.groups) Product(plan, group, vocabulary, narrowing).add_to(points);
  // Area and speed are those of the project's own RTL, and of all of it.
  const bool whole = narrowing.device.empty() && narrowing.extra.empty();
  for (const AreaTop& area : whole ? plan.areas : std::vector<AreaTop>()) {
    std::string name = area.top;
    for (const std::string& parameter : area.parameters) name += "/" + parameter;
    points.push_back(
        measurement(vocabulary, "area", name, area_words(area.top, area.parameters), kAreaTimeout));
  }
  for (const std::string& device : whole ? plan.speeds : std::vector<std::string>()) {
    points.push_back(measurement(vocabulary, "speed", device, speed_words(device), kSpeedTimeout));
  }
  std::set<std::string> names;
  for (const Point& point : points) {
    if (!names.insert(point.name).second) {
      throw sim::UsageError(fmt::format(
          "{}: two cases are called '{}': a value stands twice in a list", plan.file, point.name));
    }
  }
  return points;
}

Case case_at(const Plan& plan, const Point& point, uint64_t seed_number, uint64_t round) {
  Case c = point.common;
  c.round = round;
  if (seed_number != 0) {
    c.name = fmt::format("{}/s{}", point.name, seed_number);
    c.words.insert(c.words.end(), {"--seed", fmt::format("{}", seed_of(plan.seed, c.name))});
  }
  const auto digest = [&](const std::string& contents) {
    Digest d;
    d.add(kFormat).add(c.name).add(contents);
    return d;
  };
  Digest hash = digest(point.contents), comparable = digest(point.stimulus);
  for (const std::string& word : c.words) hash.add(word);
  for (const Expectation& e : c.expect) hash.add(e.figure).add(e.wanted);
  if (seed_number != 0) comparable.add(c.words.back());
  c.hash = hash.hex();
  c.comparable = comparable.hex();
  return c;
}

std::vector<Case> cases_of(const Plan& plan, const std::vector<Point>& points) {
  std::vector<Case> cases;
  for (const Point& point : points) {
    if (point.seeds.empty()) cases.push_back(case_at(plan, point, 0));
    for (const uint64_t seed : point.seeds) cases.push_back(case_at(plan, point, seed));
  }
  return cases;
}

uint64_t seed_of(uint64_t master, const std::string& name) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (const unsigned char c : fmt::format("{}/{}", master, name)) {
    hash = (hash ^ c) * 0x100000001B3u;
  }
  hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9u;
  hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBu;
  return (hash ^ (hash >> 31)) >> 16;
}

}  // namespace gw::regress
