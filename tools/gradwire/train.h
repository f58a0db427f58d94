// The digits that `--data FOLDER` names, for every command that takes it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tools/training/digits.h"

namespace gw::tools {

/// Throws UsageError for a folder without MNIST's files, InputError for a damaged one.
training::Digits read_digits(const std::string& folder);

}  // namespace gw::tools
