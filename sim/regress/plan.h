// A plan of a regression, as its TOML file has it: what is to run, and what is expected of it.
// Which keys there are beside the plan's own is told by who knows the runs (Vocabulary).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/regress/expectation.h"

namespace gw::regress {

/// Where something stands in a plan, from 1.
struct Place {
  uint32_t line = 0, column = 0;
};

/// What a plan may speak of.
class Vocabulary {
 public:
  struct Option {
    std::string name;      ///< without the dashes
    bool flag = false;     ///< takes no value
    bool list = false;     ///< takes several words ...
    bool repeats = false;  ///< ... each with the option's name before it
    bool reads = false;    ///< names a file that the run reads
    bool writes = false;   ///< names a file that the run writes
  };

  virtual ~Vocabulary() = default;
  /// Every device as FAMILY/NAME, in the order in which plans run them.
  virtual std::vector<std::string> devices() const = 0;
  /// Those of a run of the device. Throws UsageError that names the devices there are.
  virtual const std::vector<Option>& options(const std::string& device) const = 0;
  /// Throws UserError if a case of these words cannot begin: `run DEVICE --option value ...`, or
  /// area_words, or speed_words.
  virtual void check(const std::vector<std::string>& words) const = 0;
  /// The words' run depends on its seed.
  virtual bool seeded(const std::vector<std::string>& words) const = 0;
  /// The files that a value of an option that reads stands for: its own name, as it is found here
  /// or with the program; `pattern`: those that match.
  virtual std::vector<std::string> files(const std::string& value, bool pattern) const = 0;
  /// Stands for the contents of all files that the words' run reads, and for the program.
  virtual std::string contents(const std::vector<std::string>& words) const = 0;
  /// The same of the stimulus alone: what another build, or RTL of another, is compared by.
  virtual std::string stimulus_contents(const std::vector<std::string>& words) const = 0;
};

/// One value of a key, as a command line has it.
struct Value {
  std::vector<std::string> words;  ///< one; of an option that takes a list all
  std::optional<bool> flag;        ///< of an option without a value
  Place place;

  std::string text() const;
};

struct Key {
  std::string name;
  std::vector<Value> values;
  bool dimension = false;  ///< a list: its values are coordinates
  bool repeats = false;    ///< each word of a value has the option's name before it
  Place place;
};

/// Cases that are taken out.
struct Exception {
  std::map<std::string, std::vector<std::string>> where;  ///< values by key
  std::string reason;
  Place place;
};

struct Group {
  std::string name;
  std::vector<std::string> devices;
  std::vector<Key> stimuli;  ///< trace, synth, random, capsule: their values, one after another
  std::vector<Key> keys;     ///< all others, by name
  std::vector<uint64_t> seeds;
  std::vector<Exception> exceptions;
  std::vector<Expectation> expect;
  double timeout = 0;  ///< seconds; 0: by the last time
  Place place, device_place;
};

/// Time or cycles; neither: each case once.
struct Budget {
  double seconds = 0, cycles = 0;
  bool given() const { return seconds > 0 || cycles > 0; }
  std::string text() const;
};

/// The words of the cases that measure an RTL top's area and longest path, and of those that
/// measure a device's speed.
std::vector<std::string> area_words(const std::string& top,
                                    const std::vector<std::string>& parameters);
std::vector<std::string> speed_words(const std::string& device);
inline constexpr const char* kSynthesis = "tools/synth/synth.sh";
inline constexpr const char* kBench = "bench";

/// An RTL top that is measured.
struct AreaTop {
  std::string top;
  std::vector<std::string> parameters;  ///< Name=value
};

/// How a plan wants to be run by Slurm.
struct SlurmSettings {
  std::vector<std::string> options;  ///< of sbatch
  size_t jobs = 32;                  ///< tasks that run at a time
  double patience = 90;              ///< seconds that a task goes on without its controller
};

struct Plan {
  std::string file, name;
  uint64_t seed = 1;
  Budget budget;
  double timeout = 0;
  std::string baseline;  ///< its file
  std::string known;     ///< the file of known failures; it need not be there
  std::vector<Group> groups;
  std::vector<AreaTop> areas;
  std::vector<std::string> speeds;  ///< devices
  SlurmSettings slurm;
};

/// Throws UsageError: "FILE:LINE:COLUMN: what is wrong".
Plan read_plan(const std::string& file, const Vocabulary& vocabulary);

/// The sentence with its place.
std::string located(const std::string& file, Place place, const std::string& sentence);

/// "90 s", "10 min", "2 h" in seconds. Throws UsageError.
double parse_duration(const std::string& text);
/// A duration, or "1e9 cycles". Throws UsageError.
Budget parse_budget(const std::string& text);

}  // namespace gw::regress
