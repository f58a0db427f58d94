// The capsules of a regression: one for each bucket, made of its first failure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/regress/summary.h"

namespace gw::tools {

struct CapsuleOptions {
  std::string shrink = "60 s";  ///< of gradwire run
  size_t jobs = 1;              ///< processes side by side
  bool quiet = false;
  std::function<void(const std::string&)> note;      ///< takes a line
  std::function<void(const std::string&)> progress;  ///< what is being done, several times a second
};

/// Into the folder's `failures`, by processes of this program; what is there and newer than the
/// failure stays, what belongs to no bucket any more goes.
void make_capsules(const regress::Folder& folder, const regress::Summary& summary,
                   const CapsuleOptions& options);

/// `regress capsule DIR HASH NAME SHRINK PARENT`: one of these processes.
int be_capsule_maker(const std::vector<std::string>& words);

}  // namespace gw::tools
