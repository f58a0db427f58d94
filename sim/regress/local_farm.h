// The farm on this machine: so many processes of the program side by side.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/regress/farm.h"
#include "sim/regress/folder.h"

namespace gw::regress {

struct LocalFarmOptions {
  std::string program;  ///< with its path
  /// The words that make it a worker, given the folder, the shard's file and this process.
  std::function<std::vector<std::string>(const std::string& folder, const std::string& shard,
                                         int parent)>
      arguments;
  size_t jobs = 1;
  std::string shards = {};  ///< what its lists of cases are called by, where others write theirs
};

std::unique_ptr<Farm> local_farm(const Folder& folder, const Order& order,
                                 LocalFarmOptions options);

/// The processors that this process may use.
size_t processors();

}  // namespace gw::regress
