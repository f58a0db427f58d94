// Where cases run: a farm asks for lists of them and tells what became of each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/regress/case.h"

namespace gw::regress {

/// Cases that one process runs one after another.
using Shard = std::vector<const Case*>;

/// How a worker ended that was in a case.
struct Death {
  std::string how;    ///< "signal 11 (Segmentation fault)", "exit code 4"
  std::string words;  ///< what it said last
};

/// Who hands out the work and hears of it.
class Dispatcher {
 public:
  virtual ~Dispatcher() = default;
  /// What a worker shall do next; empty: nothing for now.
  virtual Shard next_shard() = 0;
  /// How many seconds the case may take.
  virtual double allowed(const Case& c) const = 0;
  /// It has begun; as `allowed`.
  virtual double begins(const Case& c) = 0;
  /// It makes what its run needs: "building gw_mx: ...". Not every farm says so.
  virtual void busy(const Case& /*c*/, const std::string& /*what*/) {}
  /// Its result is in the folder.
  virtual void finished(const Case& c) = 0;
  /// It was being run when its worker died; or took too long, and its worker was killed.
  virtual void died(const Case& c, const Death& death) = 0;
  virtual void timed_out(const Case& c, double seconds) = 0;
  /// Cases of a shard that were not begun, or were cut off for no fault of theirs: others may have
  /// them.
  virtual void returned(const Shard& cases) = 0;
  /// Something that who looks on should know.
  virtual void note(const std::string& /*sentence*/) {}
  /// Called several times a second; false: no more, stop what runs.
  virtual bool goes_on() = 0;
};

class Farm {
 public:
  virtual ~Farm() = default;
  /// Until there is nothing left to do, or the dispatcher stops it: then nothing of it runs any
  /// more. Throws UserError with a worker's sentence if it could not go on.
  virtual void run(Dispatcher& dispatcher) = 0;
  /// How many cases it runs at a time.
  virtual size_t width() const = 0;
};

}  // namespace gw::regress
