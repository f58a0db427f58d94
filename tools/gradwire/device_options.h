// Options that belong to a device: it declares them, this offers them on the command line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/run/device.h"

namespace gw::tools {

class DeviceOptions {
 public:
  void add(CLI::App& command, const sim::Device& device) { add(command, device.facts().options); }
  void add(CLI::App& command, const std::vector<sim::Option>& options);
  /// What was given, over the device's defaults; options of others are left out.
  sim::OptionSet values(const sim::Device& device) const;
  sim::OptionSet values(const std::vector<sim::Option>& declared) const;

 private:
  std::map<std::string, std::string> given_;
};

/// The device that the arguments name; nullptr if none of them does.
const sim::Device* device_named(const std::vector<std::string>& arguments);

/// Offers `--netlist [generic|xilinx]`, whose value is optional. `join_netlist` makes one word of
/// the two: what follows is the value unless it is an option or a device.
void add_netlist(CLI::App& command, std::string& cells, const std::string& text);
std::vector<std::string> join_netlist(std::vector<std::string> arguments);
/// Throws UsageError for RTL of the user's that nothing runs. `prefix`: of the options that name
/// it.
void check_user_rtl(const sim::UserRtl& rtl, const std::string& prefix, bool engine);
/// Offers --define, --set and --incdir, which may be given many times; their values as words of a
/// command.
void add_rtl_settings(CLI::App& command, sim::UserRtl& rtl);
std::vector<std::string> words_of_rtl_settings(const sim::UserRtl& rtl);
inline constexpr std::string_view kRtlSettings[] = {"define", "set", "incdir"};
/// Throws UserError for settings of no form, or of no RTL (`any`: there is some to be set).
void check_rtl_settings(const sim::UserRtl& rtl, bool any);
/// Throws UsageError for cells that there are none of.
void check_netlist(const std::string& cells);

/// Throws UsageError that names the device's own options, if there was one that it does not have.
void refuse_extras(const CLI::App& command, const std::string& name, const sim::Device& device);

/// Throws UsageError for an option of synthetic stimuli that the chosen one does not use, or a
/// capture (`synth` empty). `given`: by name.
void refuse_idle_options(const std::map<std::string, std::string>& given,
                         const std::vector<sim::Option>& declared, const std::string& synth,
                         const std::vector<sim::SynthKind>& stimuli);

}  // namespace gw::tools
