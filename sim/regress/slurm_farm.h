// The farm of a Slurm cluster: arrays of jobs, each task of which runs a shard on its node
// (slurm_task.h). What a task did is read in the folder, which all nodes see; what Slurm says of
// it is asked only for tasks that say nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "sim/regress/farm.h"
#include "sim/regress/folder.h"
#include "sim/regress/plan.h"

namespace gw::regress {

struct SlurmFarmOptions {
  std::string program;  ///< with its path, as nodes see it
  std::string task;     ///< the words that make it a task: `regress task`
  SlurmSettings settings;
};

/// Throws UserError if there is no Slurm, or none that answers.
std::unique_ptr<Farm> slurm_farm(const Folder& folder, const Order& order,
                                 SlurmFarmOptions options);

/// As slurm_farm, before anything is made.
void require_slurm();

/// Ends the jobs that a controller left here which was killed: its folder is now another's.
void end_stale_slurm_jobs(const Folder& folder);

}  // namespace gw::regress
