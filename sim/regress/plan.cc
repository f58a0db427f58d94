// SPDX-License-Identifier: Apache-2.0
#include "sim/regress/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>

#include "sim/base/error.h"

namespace gw::regress {
namespace {

namespace fs = std::filesystem;

/// Keys whose values are one dimension: where the packets come from.
constexpr std::array<std::string_view, 4> kStimuli = {"synth", "trace", "random", "capsule"};
constexpr int64_t kMaxSeeds = 1'000'000;
constexpr int64_t kMaxJobs = 100'000;
constexpr const char* kNameSyntax = "letters, digits, '.', '_' and '-'";

bool is_stimulus(std::string_view key) { return std::ranges::count(kStimuli, key) != 0; }

bool is_name(std::string_view text) {
  return !text.empty() && text.front() != '.' && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-';
  });
}

/// What of sbatch is the farm's own business, in both spellings.
void check_slurm_option(const std::string& option) {
  if (!option.starts_with('-') || option == "-" || option == "--") {
    throw sim::UsageError(fmt::format(
        "'{}' is no option of sbatch: each is one word, such as --partition=short", option));
  }
  const bool is_long = option.starts_with("--");
  const std::string name = is_long ? option.substr(0, option.find('=')) : option.substr(0, 2);
  for (const char* own : {"--array",
                          "-a",
                          "--parsable",
                          "--requeue",
                          "--no-requeue",
                          "--signal",
                          "--wrap",
                          "--output",
                          "-o",
                          "--error",
                          "-e",
                          "--input",
                          "-i",
                          "--job-name",
                          "-J",
                          "--wait",
                          "-W",
                          "--test-only",
                          "--dependency",
                          "-d",
                          "--hold",
                          "-H",
                          "--kill-on-invalid-dep",
                          "--ignore-pbs"}) {
    if (name == own) {
      throw sim::UsageError(fmt::format("sbatch's {} is set by regress itself", name));
    }
  }
}

class Reader {
  [[noreturn]] void fail(Place at, const std::string& sentence) const {
    throw sim::UsageError(located(file_, at, sentence));
  }
  static Place place(const toml::source_region& region) {
    return {region.begin.line, region.begin.column};
  }
  static Place place(const toml::key& key) { return place(key.source()); }
  static Place place(const toml::node& node) { return place(node.source()); }

  /// A sentence that knows no place gets the node's.
  template <class Make>
  auto in_place(const toml::node& node, const Make& make) const {
    try {
      return make();
    } catch (const sim::UsageError& error) {
      if (std::string_view(error.what()).starts_with(file_ + ":")) throw;
      fail(place(node), error.what());
    }
  }

 public:
  Reader(const std::string& file, const Vocabulary& vocabulary)
      : file_(file), vocabulary_(vocabulary) {
    plan_.file = file;
  }

  Plan read() {
    const toml::table document = parsed();
    // Lambdas name the parts of a pair that they take: Clang 14 does not take them by itself.
    for (const auto& [key, node] : document) {
      if (key == "name") {
        plan_.name = name(key, node);
      } else if (key == "seed") {
        plan_.seed = static_cast<uint64_t>(integer(key, node, 0, INT64_MAX));
      } else if (key == "budget") {
        plan_.budget =
            in_place(node, [&, &key = key, &node = node] { return parse_budget(word(key, node)); });
      } else if (key == "timeout") {
        plan_.timeout = in_place(
            node, [&, &key = key, &node = node] { return parse_duration(word(key, node)); });
      } else if (key == "baseline") {
        plan_.baseline = (fs::path(file_).parent_path() / word(key, node)).string();
      } else if (key == "known") {
        plan_.known = (fs::path(file_).parent_path() / word(key, node)).string();
        std::error_code error;
        if (!fs::is_regular_file(plan_.known, error)) {
          fail(place(node), fmt::format("there is no file '{}'", plan_.known));
        }
      } else if (key == "area") {
        read_areas(node);
      } else if (key == "speed") {
        read_speeds(key, node);
      } else if (key == "random") {
        read_random(key, node);
      } else if (key == "slurm") {
        read_slurm(key, node);
      } else if (key != "group") {
        fail(place(key),
             fmt::format("a plan has no key '{}'; it has name, seed, budget, timeout, baseline, "
                         "known, [[group]], [[area]], [speed], [random.NAME] and [slurm]",
                         key.str()));
      }
    }
    if (plan_.name.empty()) fail({1, 1}, "the plan has no name");
    if (plan_.baseline.empty()) plan_.baseline = usual_baseline();
    if (plan_.known.empty()) {
      plan_.known = (fs::path(file_).parent_path() / "known.toml").string();
    }
    const toml::node* const groups = document.get("group");
    if (groups == nullptr) fail({1, 1}, "the plan has no [[group]]");
    if (!groups->is_array_of_tables()) fail(place(*groups), "groups are written [[group]]");
    std::set<std::string> names;
    for (const toml::node& node : *groups->as_array()) {
      plan_.groups.push_back(group(*node.as_table()));
      if (!names.insert(plan_.groups.back().name).second) {
        fail(plan_.groups.back().place,
             fmt::format("there are two groups '{}'", plan_.groups.back().name));
      }
    }
    return std::move(plan_);
  }

 private:
  toml::table parsed() const {
    std::error_code error;
    if (fs::is_directory(file_, error) || ::access(file_.c_str(), R_OK) != 0) {
      throw sim::UsageError(fmt::format("cannot read the plan '{}'", file_));
    }
    try {
      return toml::parse_file(file_);
    } catch (const toml::parse_error& wrong) {
      fail(place(wrong.source()), std::string(wrong.description()));
    }
  }

  /// plans/NAME.toml has baselines/NAME.json beside its folder, another plan beside itself.
  std::string usual_baseline() const {
    const fs::path folder = fs::absolute(file_).parent_path();
    const fs::path base = folder.filename() == "plans" ? fs::path(file_).parent_path() / ".."
                                                       : fs::path(file_).parent_path();
    return (base / ("baselines/" + plan_.name + ".json")).lexically_normal().string();
  }

  // ---- values of a given type

  std::string word(const toml::key& key, const toml::node& node) const {
    const auto text = node.value_exact<std::string>();
    if (!text) fail(place(node), fmt::format("'{}' is no string", key.str()));
    return *text;
  }
  std::string name(const toml::key& key, const toml::node& node) const {
    const std::string text = word(key, node);
    if (!is_name(text)) {
      fail(place(node), fmt::format("'{}' is no name: it has only {}", text, kNameSyntax));
    }
    return text;
  }
  int64_t integer(const toml::key& key, const toml::node& node, int64_t least, int64_t most) const {
    const auto value = node.value_exact<int64_t>();
    if (!value || *value < least || *value > most) {
      fail(place(node),
           fmt::format("'{}' is no whole number from {} to {}", key.str(), least, most));
    }
    return *value;
  }
  const toml::table& table(const toml::key& key, const toml::node& node) const {
    if (!node.is_table()) fail(place(node), fmt::format("'{}' is no table", key.str()));
    return *node.as_table();
  }
  /// A string, or a list of them.
  std::vector<std::string> words(const toml::key& key, const toml::node& node) const {
    std::vector<std::string> list;
    if (!node.is_array()) return {word(key, node)};
    for (const toml::node& element : *node.as_array()) list.push_back(word(key, element));
    if (list.empty()) fail(place(node), fmt::format("'{}' is empty", key.str()));
    return list;
  }
  /// As it would stand on a command line.
  std::string word_of(const toml::key& key, const toml::node& node) const {
    if (const auto text = node.value_exact<std::string>()) return *text;
    if (const auto number = node.value_exact<int64_t>()) return fmt::format("{}", *number);
    if (const auto number = node.value_exact<double>()) {
      if (std::isfinite(*number)) return fmt::format("{}", *number);
    }
    fail(place(node), fmt::format("a value of '{}' is neither a string nor a number", key.str()));
  }

  // ---- the plan's own tables

  void read_areas(const toml::node& node) {
    if (!node.is_array_of_tables()) fail(place(node), "areas are written [[area]]");
    for (const toml::node& element : *node.as_array()) {
      const toml::table& area = *element.as_table();
      std::vector<std::string> tops, parameters;
      for (const auto& [k, value] : area) {
        if (k == "top") {
          tops = words(k, value);
        } else if (k == "set") {
          for (const auto& [parameter, number] : table(k, value)) {
            parameters.push_back(fmt::format("{}={}", parameter.str(), word_of(k, number)));
          }
        } else {
          fail(place(k), fmt::format("[[area]] has no key '{}'; it has top and set", k.str()));
        }
      }
      if (tops.empty()) fail(place(element), "[[area]] names no top");
      for (const std::string& top : tops) {
        if (!is_name(top)) fail(place(element), fmt::format("'{}' is no top", top));
        plan_.areas.push_back({top, parameters});
        in_place(element, [&] {
          vocabulary_.check(area_words(top, parameters));
          return 0;
        });
      }
    }
  }

  /// The devices that a key names, each once: a shell pattern stands for all whose name or
  /// FAMILY/NAME it matches, a word that begins with ! takes such devices out again.
  std::vector<std::string> devices(const toml::key& key, const toml::node& node) const {
    std::vector<std::string> named;
    for (const std::string& word : words(key, node)) {
      const bool out = word.starts_with("!");
      const std::string pattern = out ? word.substr(1) : word;
      if (!out && pattern.find_first_of("*?[") == std::string::npos) {
        named.push_back(pattern);
        continue;
      }
      bool any = false;
      for (const std::string& full : vocabulary_.devices()) {
        const std::string device = full.substr(full.find('/') + 1);
        if (::fnmatch(pattern.c_str(), full.c_str(), 0) != 0 &&
            ::fnmatch(pattern.c_str(), device.c_str(), 0) != 0) {
          continue;
        }
        const bool has = std::ranges::count(named, device) != 0;
        any = any || !out || has;
        if (out) {
          std::erase(named, device);
        } else if (!has) {
          named.push_back(device);
        }
      }
      if (!any && out) fail(place(node), fmt::format("'{}' takes no device out", word));
      if (!any) fail(place(node), fmt::format("no device matches '{}'", word));
    }
    if (named.empty()) fail(place(node), fmt::format("'{}' leaves no device", key.str()));
    return named;
  }

  void read_speeds(const toml::key& key, const toml::node& node) {
    for (const auto& [k, value] : table(key, node)) {
      if (k != "device") {
        fail(place(k), fmt::format("[speed] has no key '{}'; it has device", k.str()));
      }
      plan_.speeds = devices(k, value);
      for (const std::string& device : plan_.speeds) {
        in_place(value, [&] {
          vocabulary_.check(speed_words(device));
          return 0;
        });
      }
    }
    if (plan_.speeds.empty()) fail(place(node), "[speed] names no device");
  }

  /// What a table of weights may hold is the business of `run --random`.
  void read_random(const toml::key& key, const toml::node& node) {
    for (const auto& [k, value] : table(key, node)) {
      table(k, value);
      random_.insert(std::string(k.str()));
    }
  }

  void read_slurm(const toml::key& key, const toml::node& node) {
    for (const auto& [k, value] : table(key, node)) {
      if (k == "options") {
        plan_.slurm.options = words(k, value);
        for (const std::string& option : plan_.slurm.options) {
          in_place(value, [&option] {
            check_slurm_option(option);
            return 0;
          });
        }
      } else if (k == "jobs") {
        plan_.slurm.jobs = static_cast<size_t>(integer(k, value, 1, kMaxJobs));
      } else if (k == "patience") {
        plan_.slurm.patience =
            in_place(value, [&, &k = k, &value = value] { return parse_duration(word(k, value)); });
      } else {
        fail(place(k),
             fmt::format("[slurm] has no key '{}'; it has options, jobs and patience", k.str()));
      }
    }
  }

  // ---- groups

  Group group(const toml::table& table) {
    Group group;
    group.place = place(table);
    if (const auto at = table.find("name"); at != table.end())
      group.name = name(at->first, at->second);
    if (group.name.empty()) fail(group.place, "the group has no name");
    const auto device = table.find("device");
    if (device == table.end()) {
      fail(group.place, fmt::format("the group '{}' names no device", group.name));
    }
    group.device_place = place(device->second);
    group.devices = devices(device->first, device->second);
    for (const std::string& one : group.devices) {
      in_place(device->second, [&] { return vocabulary_.options(one).size(); });
    }
    for (const auto& [key, node] : table) {
      if (key == "name" || key == "device") continue;
      if (key == "seeds") {
        group.seeds = seeds(key, node);
      } else if (key == "except") {
        group.exceptions = exceptions(key, node);
      } else if (key == "expect") {
        read_expectations(this->table(key, node), "", group.expect);
      } else if (key == "timeout") {
        group.timeout = in_place(
            node, [&, &key = key, &node = node] { return parse_duration(word(key, node)); });
      } else {
        Key own = option(group, key, node);
        (is_stimulus(own.name) ? group.stimuli : group.keys).push_back(std::move(own));
      }
    }
    if (group.stimuli.empty()) {
      fail(group.place,
           fmt::format("the group '{}' names neither synth nor trace nor random", group.name));
    }
    // As on a command line, whatever their order in the file.
    std::ranges::sort(group.stimuli, {}, [](const Key& key) {
      return std::ranges::find(kStimuli, key.name) - kStimuli.begin();
    });
    std::ranges::sort(group.keys, {}, &Key::name);
    const bool seed = std::ranges::count(group.keys, "seed", &Key::name) != 0;
    if (seed && !group.seeds.empty()) {
      fail(group.place,
           fmt::format("the group '{}' has both seed, given, and seeds, drawn from the "
                       "plan's",
                       group.name));
    }
    if (group.seeds.empty() && !seed) group.seeds = {1};
    return group;
  }

  Key option(const Group& group, const toml::key& key, const toml::node& node) const {
    Key own{.name = std::string(key.str()),
            .values = {},
            .dimension = node.is_array(),
            .place = place(key)};
    const Vocabulary::Option* known = nullptr;
    for (const std::string& device : group.devices) {
      const auto& options = vocabulary_.options(device);
      const auto at = std::ranges::find(options, own.name, &Vocabulary::Option::name);
      if (at == options.end()) {
        if (own.name == "random" || own.name == "capsule") {
          fail(own.place,
               fmt::format("'{}' is not there yet: gradwire run has no --{}", own.name, own.name));
        }
        fail(own.place, fmt::format("a run of '{}' has no option '{}' (gradwire run {} --help "
                                    "lists them)",
                                    device, own.name, device));
      }
      known = &*at;
    }
    if (known->writes || own.name == "config" || own.name == "quiet" || own.name == "warnings") {
      fail(own.place, fmt::format("'{}' goes with the command of a single case: in a plan each "
                                  "case would write over the one before",
                                  own.name));
    }
    own.repeats = known->repeats;
    if (node.is_table() && known->repeats) {
      add_settings(own, *node.as_table());
    } else if (!own.dimension) {
      add_values(own, key, node, *known);
    } else {
      for (const toml::node& element : *node.as_array()) add_values(own, key, element, *known);
      if (own.values.empty()) fail(place(node), fmt::format("'{}' is empty", own.name));
    }
    return own;
  }

  /// `{ N = [4, 8], M = 2 }`: each choice of the lists is a value, of the words N=4 and M=2.
  void add_settings(Key& own, const toml::table& settings) const {
    own.values = {Value{.words = {}, .flag = {}, .place = place(settings)}};
    for (const auto& [name, node] : settings) {
      std::vector<std::string> choices;
      if (node.is_array()) {
        own.dimension = true;
        for (const toml::node& element : *node.as_array()) {
          choices.push_back(fmt::format("{}={}", name.str(), word_of(name, element)));
        }
      } else {
        choices.push_back(fmt::format("{}={}", name.str(), word_of(name, node)));
      }
      if (choices.empty()) fail(place(node), fmt::format("'{}' is empty", name.str()));
      std::vector<Value> product;
      for (const Value& value : own.values) {
        for (const std::string& choice : choices) {
          product.push_back(value);
          product.back().words.push_back(choice);
        }
      }
      own.values = std::move(product);
    }
    if (settings.empty()) fail(place(settings), fmt::format("'{}' is empty", own.name));
  }

  void add_values(Key& own, const toml::key& key, const toml::node& node,
                  const Vocabulary::Option& known) const {
    Value value{.words = {}, .flag = {}, .place = place(node)};
    if (const auto flag = node.value_exact<bool>()) {
      if (!known.flag) fail(value.place, fmt::format("'{}' is neither true nor false", own.name));
      value.flag = *flag;
    } else if (node.is_array()) {
      if (!known.list) {
        fail(value.place, fmt::format("'{}' takes one value at a time", own.name));
      }
      for (const toml::node& element : *node.as_array())
        value.words.push_back(word_of(key, element));
      if (value.words.empty()) fail(value.place, fmt::format("a value of '{}' is empty", own.name));
    } else {
      value.words = {word_of(key, node)};
      if (value.words.front().empty()) {
        fail(value.place, fmt::format("a value of '{}' is empty", own.name));
      }
      if (own.name == "random") value.words.front() = random_table(value);
      if (known.reads) {
        // A pattern stands for the files that there are.
        for (const std::string& file : files(value, own.name == "trace")) {
          value.words = {file};
          own.values.push_back(value);
        }
        return;
      }
    }
    own.values.push_back(std::move(value));
  }

  std::string random_table(const Value& value) const {
    const std::string& wanted = value.words.front();
    if (wanted.find('#') != std::string::npos) return wanted;  // another plan's
    if (!random_.contains(wanted)) return wanted;  // one that comes with the program, or none
    return fmt::format("{}#{}", file_, wanted);
  }

  std::vector<std::string> files(const Value& value, bool pattern) const {
    const std::vector<std::string> found = vocabulary_.files(value.words.front(), pattern);
    if (found.empty()) {
      fail(value.place, fmt::format("there is no file '{}'", value.words.front()));
    }
    return found;
  }

  std::vector<uint64_t> seeds(const toml::key& key, const toml::node& node) const {
    std::vector<uint64_t> list;
    if (node.is_array()) {
      for (const toml::node& element : *node.as_array()) {
        list.push_back(static_cast<uint64_t>(integer(key, element, 1, kMaxSeeds)));
      }
      if (list.empty()) fail(place(node), "'seeds' is empty");
      if (std::set<uint64_t>(list.begin(), list.end()).size() != list.size()) {
        fail(place(node), "'seeds' names one twice");
      }
    } else {
      const int64_t count = integer(key, node, 1, kMaxSeeds);
      for (int64_t seed = 1; seed <= count; ++seed) list.push_back(static_cast<uint64_t>(seed));
    }
    return list;
  }

  std::vector<Exception> exceptions(const toml::key& key, const toml::node& node) const {
    if (!node.is_array()) fail(place(node), "'except' is a list of tables");
    std::vector<Exception> list;
    for (const toml::node& element : *node.as_array()) {
      Exception& exception = list.emplace_back();
      exception.place = place(element);
      for (const auto& [k, value] : table(key, element)) {
        if (k == "reason") {
          exception.reason = word(k, value);
          continue;
        }
        std::vector<std::string>& values = exception.where[std::string(k.str())];
        const auto add = [&, &k = k](const toml::node& one) {
          const auto flag = one.value_exact<bool>();
          values.push_back(flag ? (*flag ? "true" : "false") : word_of(k, one));
        };
        if (value.is_array()) {
          for (const toml::node& one : *value.as_array()) add(one);
        } else {
          add(value);
        }
        if (values.empty()) fail(place(value), fmt::format("'{}' is empty", k.str()));
      }
      if (exception.reason.empty()) fail(exception.place, "what is taken out needs a reason");
      if (exception.where.empty()) fail(exception.place, "the exception names no case");
    }
    return list;
  }

  void read_expectations(const toml::table& table, const std::string& above,
                         std::vector<Expectation>& list) const {
    for (const auto& [key, node] : table) {
      const std::string figure = above + std::string(key.str());
      if (node.is_table()) {
        read_expectations(*node.as_table(), figure + ".", list);
        continue;
      }
      Expectation& one = list.emplace_back(Expectation{figure, ""});
      if (const auto flag = node.value_exact<bool>()) {
        one.wanted = *flag ? "true" : "false";
      } else if (const auto text = node.value_exact<std::string>()) {
        one.wanted = *text;
      } else {
        one.wanted = "== " + word_of(key, node);
      }
      in_place(node, [&one] {
        one.check();
        return 0;
      });
    }
  }

  const std::string& file_;
  const Vocabulary& vocabulary_;
  Plan plan_;
  std::set<std::string> random_;
};

struct Unit {
  std::string_view name;
  double seconds;
};
constexpr Unit kUnits[] = {{"s", 1}, {"min", 60}, {"h", 3600}};

/// The number at the beginning, and the word after it.
std::pair<double, std::string> quantity(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value) || value <= 0) return {0, ""};
  std::string unit(end, text.data() + text.size());
  unit.erase(0, unit.find_first_not_of(' ') == std::string::npos ? unit.size()
                                                                 : unit.find_first_not_of(' '));
  return {value, unit};
}

}  // namespace

std::vector<std::string> area_words(const std::string& top,
                                    const std::vector<std::string>& parameters) {
  std::vector<std::string> words = {kSynthesis, top};
  for (const std::string& parameter : parameters) words.insert(words.end(), {"--set", parameter});
  return words;
}

std::vector<std::string> speed_words(const std::string& device) { return {kBench, device}; }

std::string located(const std::string& file, Place place, const std::string& sentence) {
  return fmt::format("{}:{}:{}: {}", file, place.line, place.column, sentence);
}

double parse_duration(const std::string& text) {
  const auto [value, name] = quantity(text);
  for (const Unit& unit : kUnits) {
    if (unit.name == name) return value * unit.seconds;
  }
  throw sim::UsageError(
      fmt::format("'{}' is no time such as \"90 s\", \"10 min\" or \"2 h\"", text));
}

Budget parse_budget(const std::string& text) {
  if (const auto [value, unit] = quantity(text); unit == "cycles") return {.cycles = value};
  try {
    return {.seconds = parse_duration(text)};
  } catch (const sim::UsageError&) {
    throw sim::UsageError(
        fmt::format("'{}' is no budget such as \"90 s\", \"2 h\" or \"1e9 cycles\"", text));
  }
}

std::string Budget::text() const {
  if (cycles > 0) return fmt::format("{:g} cycles", cycles);
  return seconds > 0 ? fmt::format("{:g} s", seconds) : "";
}

std::string Value::text() const {
  if (flag) return *flag ? "true" : "false";
  return fmt::format("{}", fmt::join(words, ","));
}

Plan read_plan(const std::string& file, const Vocabulary& vocabulary) {
  return Reader(file, vocabulary).read();
}

}  // namespace gw::regress
