// The folder of a result. What is in it is whole or not there: a case whose file is in `cases/` is
// done, and nothing else says so.
//
//   plan.json       the cases that belong to it, and how they were asked for
//   cases/          HASH.json: a case and its result
//   shards/         lists of cases for workers, while they run
//   slurm/          what a controller and its Slurm tasks tell each other, while they run
//   regress.json, junit.xml, index.html, summary.json, times.tsv: reports, made from these
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/regress/result.h"

namespace gw::regress {

/// What a folder's cases are of: as in plan.json.
struct Order {
  std::string plan;        ///< its name
  std::string file;        ///< where it was read
  std::string baseline;    ///< the file that figures are compared with
  std::string known = {};  ///< the file of known failures
  std::string program;     ///< stands for the program and its RTL
  std::string command;     ///< the program's name as typed, for command lines
  std::string budget, only;
  uint64_t seed = 1;
  std::vector<Case> cases;  ///< of the first round
};

class Folder {
 public:
  /// Makes it if it is not there. Throws InputError.
  explicit Folder(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path cases() const { return path_ / "cases"; }
  std::filesystem::path shards() const { return path_ / "shards"; }
  std::filesystem::path file_of(const Case& c) const { return cases() / (c.hash + ".json"); }

  /// This process alone runs cases here from now on. Throws UsageError that names the one who does.
  void lock();
  /// Who holds it: "1234 on host"; empty: nobody.
  std::string holder() const;

  /// Nothing: no run was ever begun here. Throws InputError for a file that is none of ours.
  std::optional<Order> order() const;
  void write(const Order& order) const;
  void write(const Entry& entry) const;
  /// A list of cases for a worker; returns its file, NAME.json.
  std::filesystem::path write_shard(const std::string& name, const Order& order,
                                    const std::vector<const Case*>& cases) const;

  /// Every whole result here.
  void each_entry(const std::function<void(Entry&&)>& take) const;
  /// Removes what a killed run left half.
  void tidy() const;

 private:
  std::filesystem::path path_;
  struct Lock;
  std::shared_ptr<Lock> lock_;
};

/// Whole under its name, on the disk. Throws InputError.
void write_durably(const std::filesystem::path& path, const std::string& text);

}  // namespace gw::regress
