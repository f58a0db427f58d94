// Failures that are known, from a file: they do not fail a run, until a day.
//
//   [[known]]
//   bucket = "compressor, own RTL, lockstep, m_axis tdata, rtl and model"
//   reason = "rounding of subnormal numbers, being rewritten"
//   issue  = "https://..."
//   until  = 2027-06-30                    # its last day
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/dated_list.h"
#include "sim/regress/result.h"

namespace gw::regress {

struct KnownFailure {
  std::string bucket, reason, issue;
  std::string until;  ///< 2027-06-30

  bool expired(std::string_view today) const { return until < today; }
  std::string text() const;  ///< "until 2027-06-30: reason (issue)"
};

class KnownFailures {
 public:
  KnownFailures() = default;
  /// Empty if there is no such file. Throws InputError, FILE:LINE:COLUMN, for what is none.
  static KnownFailures read(const std::string& file);
  static KnownFailures parse(std::string_view toml, const std::string& file);

  const std::vector<KnownFailure>& all() const { return all_; }
  /// A failure that is known becomes `known`; past its day it stays one, and says so.
  void apply(Entry& entry, std::string_view today) const;

 private:
  explicit KnownFailures(const std::vector<sim::DatedEntry>& entries);
  std::vector<KnownFailure> all_;
};

/// 2026-11-22, UTC.
std::string today();

}  // namespace gw::regress
