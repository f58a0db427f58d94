// SPDX-License-Identifier: Apache-2.0
#include "tools/gradwire/device_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "sim/base/error.h"
#include "tools/gradwire/commands.h"

namespace gw::tools {

void DeviceOptions::add(CLI::App& command, const std::vector<sim::Option>& options) {
  for (const sim::Option& option : options) {
    if (command.get_option_no_throw("--" + option.name) != nullptr) continue;
    CLI::Option* const added =
        option.flag
            ? command.add_flag_function(
                  "--" + option.name,
                  [this, name = option.name](std::int64_t) { given_[name] = "yes"; }, option.text)
        : option.list
            ? command.add_option_function<std::vector<std::string>>(
                  "--" + option.name,
                  [this, name = option.name](const std::vector<std::string>& values) {
                    given_[name] = fmt::format("{}", fmt::join(values, ","));
                  },
                  option.text)
            : command.add_option_function<std::string>(
                  "--" + option.name,
                  [this, name = option.name](const std::string& value) { given_[name] = value; },
                  option.text);
    if (!option.value.empty()) added->default_str(option.value);
    if (!option.group.empty()) added->group(option.group);
  }
}

sim::OptionSet DeviceOptions::values(const std::vector<sim::Option>& declared) const {
  sim::OptionSet options(declared);
  for (const auto& [name, value] : given_) {
    if (options.knows(name)) options.set(name, value);
  }
  return options;
}

sim::OptionSet DeviceOptions::values(const sim::Device& device) const {
  return values(device.facts().options);
}

const sim::Device* device_named(const std::vector<std::string>& arguments) {
  for (const std::string& word : arguments) {
    for (const auto& device : registry().devices()) {
      if (device->name() == word) return device.get();
    }
  }
  return nullptr;
}

void add_netlist(CLI::App& command, std::string& cells, const std::string& text) {
  command
      .add_flag("--netlist{generic}", cells,
                text + "; of Yosys' own gates (generic) or a Virtex-7's cells (xilinx)")
      ->option_text("[generic|xilinx]");
}

std::vector<std::string> join_netlist(std::vector<std::string> arguments) {
  for (size_t i = 0; i + 1 < arguments.size(); ++i) {
    const std::string next = arguments[i + 1];
    if (arguments[i] != "--netlist" || next.starts_with("-") || device_named({next}) != nullptr) {
      continue;
    }
    arguments[i] += "=" + next;
    arguments.erase(arguments.begin() + static_cast<ptrdiff_t>(i) + 1);
  }
  return arguments;
}

void check_user_rtl(const sim::UserRtl& rtl, const std::string& prefix, bool engine) {
  if (rtl.file_list.empty() != rtl.top.empty()) {
    throw sim::UsageError(fmt::format("--{0}rtl FILE and --{0}top NAME go together", prefix));
  }
  if (!rtl.file_list.empty() && !engine) {
    throw sim::UsageError(fmt::format("--{}rtl has no effect without the engine rtl", prefix));
  }
}

void add_rtl_settings(CLI::App& command, sim::UserRtl& rtl) {
  const auto add = [&command](const char* name, std::vector<std::string>& values,
                              const char* text) {
    command.add_option(name, values, text)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);
  };
  add("--define", rtl.defines, "NAME or NAME=VALUE: a macro for --rtl and --against");
  add("--set", rtl.parameters, "NAME=VALUE: a parameter of their top");
  add("--incdir", rtl.include_dirs, "a folder of their headers");
}

std::vector<std::string> words_of_rtl_settings(const sim::UserRtl& rtl) {
  std::vector<std::string> words;
  const auto add = [&words](const char* name, const std::vector<std::string>& values) {
    for (const std::string& value : values) words.push_back(fmt::format("--{}={}", name, value));
  };
  add("define", rtl.defines);
  add("set", rtl.parameters);
  add("incdir", rtl.include_dirs);
  return words;
}

void check_rtl_settings(const sim::UserRtl& rtl, bool any) {
  const std::vector<std::string> words = words_of_rtl_settings(rtl);
  if (!any && (!words.empty() || rtl.warnings)) {
    throw sim::UsageError(fmt::format(
        "{} has no effect without --rtl or --against: the project's own RTL is set by the "
        "device's options",
        words.empty() ? "--warnings" : words.front().substr(0, words.front().find('='))));
  }
  const auto is_name = [](const std::string& name) {
    return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
           std::ranges::all_of(
               name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '$'; });
  };
  for (const std::string& define : rtl.defines) {
    if (is_name(define.substr(0, define.find('=')))) continue;
    throw sim::UsageError(fmt::format("--define '{}' is not NAME or NAME=VALUE", define));
  }
  for (const std::string& parameter : rtl.parameters) {
    const size_t equals = parameter.find('=');
    if (equals < parameter.size() - 1 && is_name(parameter.substr(0, equals))) continue;
    throw sim::UsageError(fmt::format("--set '{}' is not NAME=VALUE", parameter));
  }
  for (const std::string& dir : rtl.include_dirs) {
    std::error_code error;
    if (!std::filesystem::is_directory(dir, error)) {
      throw sim::InputError(fmt::format("--incdir '{}' is no folder", dir));
    }
  }
}

void check_netlist(const std::string& cells) {
  if (!cells.empty() && cells != "generic" && cells != "xilinx") {
    throw sim::UsageError(fmt::format("--netlist '{}' is neither generic nor xilinx", cells));
  }
}

void refuse_idle_options(const std::map<std::string, std::string>& given,
                         const std::vector<sim::Option>& declared, const std::string& synth,
                         const std::vector<sim::SynthKind>& stimuli) {
  const auto kind =
      std::ranges::find_if(stimuli, [&](const sim::SynthKind& k) { return k.name == synth; });
  if (!synth.empty() && kind == stimuli.end()) return;  // which is refused for its name
  for (const sim::Option& option : declared) {
    if (!option.stimulus || !given.contains(option.name)) continue;
    if (synth.empty()) {
      throw sim::UsageError(fmt::format(
          "--{} is an option of synthetic stimuli and has no effect on a capture", option.name));
    }
    if (std::ranges::find(kind->options, option.name) == kind->options.end()) {
      const bool some = !kind->options.empty();
      throw sim::UsageError(fmt::format("--{} has no effect on the stimulus '{}'{}{}", option.name,
                                        synth, some ? ", which uses --" : "",
                                        fmt::join(kind->options, ", --")));
    }
  }
}

void refuse_extras(const CLI::App& command, const std::string& name, const sim::Device& device) {
  const std::vector<std::string> extras = command.remaining();
  if (extras.empty()) return;
  std::string own;
  for (const sim::Option& option : device.facts().options) {
    own += fmt::format("{}--{}", own.empty() ? "" : ", ", option.name);
  }
  throw sim::UsageError(fmt::format(
      "'{} {}' does not know {}; options of its own are {} (gradwire {} {} --help lists all)", name,
      device.name(), extras.front(), own.empty() ? "none" : own, name, device.name()));
}

}  // namespace gw::tools
