// What --help looks like: what each option takes, in words, and lines that fit the terminal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>

namespace gw::tools {

/// Columns of what is printed: the terminal's, if it is narrower than a report.
size_t columns();

/// Gives every option of all commands the word for what it takes (FILE, FOLDER, N, ...). To be
/// called when all options are there, and after all that asks CLI11 for an option's type.
void name_values(CLI::App& app);

/// Options one below the other, their texts wrapped.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool positional) const override;
};

}  // namespace gw::tools
