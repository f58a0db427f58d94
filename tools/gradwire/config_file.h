// --config FILE: options from an INI or JSON file, as if they stood on the command line before the
// others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace gw::tools {

/// Replaces `--config FILE` by the options in the file; those typed after win. Throws UsageError
/// or InputError.
std::vector<std::string> expand_config_file(std::vector<std::string> arguments);

}  // namespace gw::tools
