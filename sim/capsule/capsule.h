// A capsule: a failure in a folder, or in a zip file of it, with all that repeats it.
//
//   replay.sh               one command: exit 1 while the bug is there, 0 when it is gone
//   input.pcap, packets.txt, stalls.txt     what drives the run (stimulus_files.h)
//   command.txt             device, options, bucket, versions (TOML)
//   first.fst, first.gtkw   the waveform around the failure
//   beats.txt, report.json, report.html     the failure in words; shrink.txt: what was taken out
//   flaky.txt               instead of shrink.txt: it does not fail the same way every time
//   rtl/, files/            the user's RTL, and files that options name
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/feeds/stimulus.h"
#include "sim/run/device.h"

namespace gw::sim::capsule {

inline constexpr const char* kCommandFile = "command.txt";
inline constexpr const char* kFlakyFile = "flaky.txt";

struct Capsule {
  std::filesystem::path folder;  ///< where it lies, or was unpacked
  std::string device, bucket;
  std::vector<std::string> options;          ///< of `gradwire run DEVICE`
  std::map<std::string, std::string> files;  ///< by option: files within
  std::map<std::string, std::string> reads;  ///< by the RTL's name: within; empty: was not there
  bool flaky = false;                        ///< it did not fail the same way three times
  std::map<std::string, std::string> facts;  ///< what else is known: versions, the first command
  std::shared_ptr<const Stimulus> stimulus;
  std::shared_ptr<const void> unpacked;  ///< of a zip file: keeps its contents
};

/// The words of the run that it repeats: options and files, as they are found now.
std::vector<std::string> run_words(const Capsule& capsule);

/// A folder or a zip file. Throws InputError, with one sentence, for what is none.
Capsule read_capsule(const std::filesystem::path& path, const Registry& registry);

/// command.txt, of all but the stimulus; into its folder. Throws InputError.
void write_command(const Capsule& capsule, const std::filesystem::path& folder);

}  // namespace gw::sim::capsule
