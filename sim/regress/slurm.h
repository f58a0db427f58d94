// Slurm by its commands: sbatch, squeue, scontrol, scancel. No accounting database is asked. All
// jobs of a regression have one name of their own, by which they are found and ended.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gw::regress {

/// A task of a job array, as squeue lists it: running, waiting, or ended a short time ago.
struct SlurmTask {
  uint64_t job = 0;
  size_t index = 0;
  std::string state;   ///< PENDING, RUNNING, NODE_FAIL ...
  std::string reason;  ///< of that state: Resources, JobHeldUser ...
  std::string node;
  int restarts = 0;
  int status = 0;  ///< as of wait

  bool waits() const { return state == "PENDING"; }
  /// Until somebody releases it.
  bool held() const;
  bool over() const;
};

struct SlurmArray {
  std::string script;             ///< its file
  size_t batch = 0;               ///< the script's argument
  size_t tasks = 1, at_most = 1;  ///< how many, and how many of them at a time
  bool exclusive = false;         ///< each has its node for itself
  std::vector<std::string> options;
};

class Slurm {
 public:
  /// Throws UsageError if a command is missing.
  explicit Slurm(std::string name);

  /// How many tasks an array may have. Throws InputError with Slurm's words if it does not answer.
  size_t most_tasks() const;
  /// Returns the array's job. Throws InputError.
  uint64_t submit(const SlurmArray& array) const;
  /// Nothing: Slurm does not answer, `silence` says why.
  std::optional<std::vector<SlurmTask>> tasks();
  const std::string& silence() const { return silence_; }

  // Of what may have ended meanwhile: whether Slurm did it is seen in `tasks`.
  void release(uint64_t job, size_t index) const;
  void begin_now(uint64_t job, size_t index) const;
  void limit(uint64_t job, size_t at_most) const;
  void cancel(uint64_t job, size_t index) const;
  void cancel_all() const;

 private:
  std::string name_, silence_;
};

/// Ends all jobs of that name, where Slurm's commands are there; else nothing.
void cancel_slurm_jobs(const std::string& name);
/// Ends an array of jobs, from one of its tasks.
void cancel_slurm_array(const std::string& job);

}  // namespace gw::regress
