// What plans of regressions may speak of here: the devices, the options of `gradwire run`, and how
// a case of each kind is run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/regress/plan.h"
#include "sim/regress/worker.h"

namespace gw::tools {

class RunVocabulary final : public regress::Vocabulary {
 public:
  std::vector<std::string> devices() const override;
  const std::vector<Option>& options(const std::string& device) const override;
  void check(const std::vector<std::string>& words) const override;
  bool seeded(const std::vector<std::string>& words) const override;
  std::vector<std::string> files(const std::string& value, bool pattern) const override;
  std::string contents(const std::vector<std::string>& words) const override;
  std::string stimulus_contents(const std::vector<std::string>& words) const override;

 private:
  std::string file_contents(const std::string& path) const;

  mutable std::map<std::string, std::vector<Option>> options_;  // by device
  mutable std::map<std::string, std::string> contents_;         // by file
};

/// Stands for this program, the RTL that it finds and how it is synthesised.
const std::string& program_contents();

/// As regress::Runner.
nlohmann::json run_case(const regress::Case& c, const std::string& command,
                        const regress::Busy& busy);

}  // namespace gw::tools
