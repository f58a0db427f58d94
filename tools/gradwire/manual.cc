// gradwire manual, gradwire completion: what the command line says of itself, for man and for a
// shell. Both are made of the options' own data, so that neither can say anything else.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "sim/base/error.h"
#include "sim/base/version.h"
#include "tools/gradwire/commands.h"

namespace gw::tools {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  std::vector<const CLI::App*> commands = app.get_subcommands([](const CLI::App*) { return true; });
  std::erase_if(commands, [](const CLI::App* c) { return c->get_group().empty(); });
  return commands;
}

std::vector<const CLI::Option*> options_of(const CLI::App& command) {
  std::vector<const CLI::Option*> options =
      command.get_options([](const CLI::Option* o) { return o->nonpositional(); });
  std::erase_if(options, [](const CLI::Option* o) { return o->get_group().empty(); });
  return options;
}

/// Text as troff takes it.
std::string troff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    if (c == '\n') out += "\\&";  // no line of a paragraph is a request
  }
  return out.empty() || out.front() == '.' || out.front() == '\'' ? "\\&" + out : out;
}

std::string takes(const CLI::Option& option) {
  return option.get_type_size() == 0 ? "" : option.get_type_name();
}

std::string troff_option(const std::string& names, const std::string& value,
                         const std::string& text, const std::string& standard) {
  std::string out = ".TP\n.B " + troff(names);
  if (!value.empty()) out += " \\fI" + troff(value) + "\\fR";
  out += "\n" + troff(text);
  if (!standard.empty()) out += " (default: " + troff(standard) + ")";
  return out + "\n";
}

std::string names_of(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) names += "-" + name + ", ";
  for (const std::string& name : option.get_lnames()) names += "--" + name + ", ";
  names.resize(names.size() - 2);
  return names;
}

void add_troff_command(std::string& out, const CLI::App& command, const std::string& parent) {
  const std::string name = parent + " " + command.get_name();
  const std::vector<const CLI::App*> below = commands_of(command);
  out += ".SS " + troff(name) + "\n" + troff(command.get_description()) + ".\n";
  for (const CLI::Option* option :
       command.get_options([](const CLI::Option* o) { return o->get_positional(); })) {
    out += troff_option(option->get_name(true), "", option->get_description(),
                        option->get_default_str());
  }
  for (const CLI::Option* option : options_of(command)) {
    if (option == command.get_help_ptr()) continue;
    out += troff_option(names_of(*option), takes(*option), option->get_description(),
                        option->get_default_str());
  }
  for (const CLI::App* one : below) add_troff_command(out, *one, name);
}

std::string manual_page(const CLI::App& app) {
  std::string out =
      fmt::format(".TH GRADWIRE 1 \"\" \"gradwire {}\" \"User commands\"\n", troff(sim::kVersion));
  out += ".SH NAME\ngradwire \\- simulates hardware that works on gradients in the network\n";
  out += ".SH SYNOPSIS\n.B gradwire\n.I command\n.RI [ options ]\n";
  out +=
      ".SH DESCRIPTION\nRuns RTL, a cycle\\-accurate SystemC model and a reference of a device in "
      "lockstep over captured or "
      "synthetic packets, and reports cycles, throughput, latency and the first divergence.\n";
  out += ".SH COMMANDS\n";
  for (const CLI::App* command : commands_of(app)) add_troff_command(out, *command, "gradwire");
  out +=
      ".SH DEVICES\nWhat\n.B gradwire run\n"
      "and its relatives take, each with options of its own.\n";
  for (const auto& device : registry().devices()) {
    const sim::Device::Facts& facts = device->facts();
    out += ".SS " + troff(facts.name) + "\n" + troff(facts.summary) + ".\n";
    for (const sim::Option& option : facts.options) {
      out +=
          troff_option("--" + option.name, option.flag ? "" : "VALUE", option.text, option.value);
    }
  }
  out += ".SH EXIT STATUS\n" + troff(app.get_footer()) + "\n";
  out += ".SH SEE ALSO\n.BR verilator (1),\n.BR gtkwave (1),\n.BR tshark (1)\n";
  return out;
}

std::string words_of(const CLI::App& command) {
  std::string words;
  for (const CLI::Option* option : options_of(command)) {
    for (const std::string& name : option->get_lnames()) words += "--" + name + " ";
  }
  for (const CLI::App* below : commands_of(command)) words += below->get_name() + " ";
  return words;
}

/// For bash, and for zsh with bashcompinit. What the words before say chooses: the command, then a
/// device among them. Anything else is a file's name.
std::string completion(const CLI::App& app) {
  std::string devices;
  for (const auto& device : registry().devices()) devices += device->name() + " ";
  std::string out =
      "# Completion of gradwire's command line, made by `gradwire completion bash`.\n"
      "_gradwire() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} words= device= i\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n";
  out += fmt::format("    COMPREPLY=($(compgen -W '{}' -- \"$word\"))\n    return\n  fi\n",
                     words_of(app));
  out += "  case ${COMP_WORDS[1]} in\n";
  for (const CLI::App* command : commands_of(app)) {
    const bool of_device = std::ranges::any_of(
        command->get_options([](const CLI::Option* o) { return o->get_positional(); }),
        [](const CLI::Option* o) { return o->get_name(true) == "DEVICE"; });
    out += fmt::format("    {}) words='{}{}' ;;\n", command->get_name(), words_of(*command),
                       of_device ? devices : "");
  }
  out += "  esac\n  for ((i = 2; i < COMP_CWORD; ++i)); do\n    case ${COMP_WORDS[i]} in\n";
  for (const auto& device : registry().devices()) {
    std::string options;
    for (const sim::Option& option : device->facts().options) options += "--" + option.name + " ";
    out += fmt::format("      {}) words+=' {}' ;;\n", device->name(), options);
  }
  out +=
      "    esac\n  done\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "  [[ $word == -* ]] || COMPREPLY+=($(compgen -f -- \"$word\"))\n"
      "}\n"
      "complete -o filenames -F _gradwire gradwire\n";
  return out;
}

}  // namespace

void add_manual(CLI::App& app, Invocation& invocation) {
  CLI::App* const manual =
      app.add_subcommand("manual", "print the manual page (gradwire manual | man -l -)");
  manual->callback([&app, &invocation] {
    invocation.action = [&app] {
      fmt::print("{}", manual_page(app));
      return sim::kPass;
    };
  });
  auto shell = std::make_shared<std::string>();
  CLI::App* const command =
      app.add_subcommand("completion", "print a script that completes gradwire's command line");
  command->add_option("shell", *shell, "bash (zsh reads it after bashcompinit)")
      ->required()
      ->check(CLI::IsMember({"bash"}));
  command->callback([&app, &invocation, shell] {
    invocation.action = [&app, shell] {
      fmt::print("{}", completion(app));
      return sim::kPass;
    };
  });
}

}  // namespace gw::tools
