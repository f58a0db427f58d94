// What a Slurm task is: on its node it runs its cases in a worker, as the local farm does, and
// writes what becomes of them for the controller to read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace gw::regress {

struct SlurmTaskOptions {
  std::filesystem::path folder;  ///< of the results
  size_t batch = 0;              ///< which array
  std::string token;             ///< the controller's
  std::string program;           ///< this one, with its path
  std::function<std::vector<std::string>(const std::string& folder, const std::string& shard,
                                         int parent)>
      arguments;  ///< as LocalFarmOptions'
  std::function<bool()> interrupted;
};

/// The exit code of the process. Throws UserError where it is no task of Slurm's.
int slurm_task(const SlurmTaskOptions& options);

}  // namespace gw::regress
