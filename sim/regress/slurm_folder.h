// What a controller and its Slurm tasks tell each other: files in DIR/slurm, which all nodes see.
//
//   job             the name of the jobs, by which whoever comes next ends them
//   heartbeat       "TOKEN COUNT": rewritten by the controller every second
//   task.sh         what Slurm runs
//   B/I.json        the cases of task I of array B: as of a worker, how long each may take, and
//                   the folder that their paths are from
//   B/I-R.lines     what the task has to say, begun again R times:
//
//   start TOKEN HOST      begin HASH      done HASH      died HASH JSON      late HASH SECONDS
//   back HASH (cut off, no fault of its own)      stop SENTENCE      end (it is through)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>

namespace gw::regress {

class SlurmFolder {
 public:
  explicit SlurmFolder(const std::filesystem::path& results) : path_(results / "slurm") {}

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path job() const { return path_ / "job"; }
  std::filesystem::path heartbeat() const { return path_ / "heartbeat"; }
  std::filesystem::path script() const { return path_ / "task.sh"; }
  std::filesystem::path batch(size_t batch) const { return path_ / std::to_string(batch); }
  std::filesystem::path shard(size_t batch, size_t index) const {
    return this->batch(batch) / fmt::format("{}.json", index);
  }
  std::filesystem::path lines(size_t batch, size_t index, int restarts) const {
    return this->batch(batch) / fmt::format("{}-{}.lines", index, restarts);
  }

 private:
  std::filesystem::path path_;
};

/// Exit codes of a task that has found no word of its controller's in the folder.
inline constexpr int kSlurmNotShared = 72;

}  // namespace gw::regress
