// A small world for plans: three devices, a few options, no files but those that a test makes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sim/base/error.h"
#include "sim/regress/plan.h"

namespace gw::tests {

class FakeVocabulary final : public regress::Vocabulary {
 public:
  std::vector<std::string> devices() const override {
    return {"sums/adder", "audio/mixer", "audio/matrix"};
  }
  const std::vector<Option>& options(const std::string& device) const override {
    static const std::vector<Option> kAdder = {{.name = "synth"},
                                               {.name = "trace", .reads = true},
                                               {.name = "stall"},
                                               {.name = "bound"},
                                               {.name = "seed"},
                                               {.name = "fast", .flag = true},
                                               {.name = "at", .list = true},
                                               {.name = "set", .list = true, .repeats = true},
                                               {.name = "wave", .writes = true},
                                               {.name = "quiet", .flag = true}};
    static const std::vector<Option> kMixer = {
        {.name = "synth"}, {.name = "random"}, {.name = "stall"}};
    if (device == "adder") return kAdder;
    if (device == "mixer" || device == "matrix") return kMixer;
    throw sim::UsageError("unknown device '" + device + "'; there are adder, mixer, matrix");
  }
  void check(const std::vector<std::string>& words) const override {
    for (size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i] == "--bound" && words[i + 1] == "99") {
        throw sim::UsageError("--bound 99 is not between 1 and 14");
      }
      if (words[i] == "--random" && words[i + 1].find('#') == std::string::npos) {
        throw sim::UsageError("--random " + words[i + 1] + ": there is no such table");
      }
    }
    if (words.front() == regress::kSynthesis && words.at(1) != "gw_adder") {
      throw sim::UsageError("there is no top '" + words.at(1) + "'");
    }
    if (words.front() == regress::kBench) options(words.at(1));
  }
  bool seeded(const std::vector<std::string>& words) const override {
    bool trace = false, stall = false;
    for (size_t i = 0; i + 1 < words.size(); ++i) {
      trace = trace || words[i] == "--trace";
      stall = stall || (words[i] == "--stall" && words[i + 1] != "none");
    }
    return !trace || stall;
  }
  std::vector<std::string> files(const std::string& value, bool pattern) const override {
    std::vector<std::string> found;
    for (const auto& [name, ignored] : contents_of) {
      const bool matches =
          pattern && value.ends_with("*") && name.starts_with(value.substr(0, value.size() - 1));
      if (name == value || matches) found.push_back(name);
    }
    return found;
  }
  std::string contents(const std::vector<std::string>& words) const override {
    return program + stimulus_contents(words);
  }
  std::string stimulus_contents(const std::vector<std::string>& words) const override {
    std::string all;
    for (const std::string& word : words) {
      const auto file = contents_of.find(word);
      all += (file == contents_of.end() ? word : file->second) + "\n";
    }
    return all;
  }

  std::map<std::string, std::string> contents_of = {{"traces/a.pcap", "A"}, {"traces/b.pcap", "B"}};
  std::string program = "build 1";
};

/// A folder of the running test, empty, gone with it.
class Scratch {
 public:
  explicit Scratch(const std::string& name)
      : path_(std::filesystem::temp_directory_path() /
              ("gradwire-regress-" + std::to_string(::getpid()) + "-" + name)) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Scratch() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace gw::tests
