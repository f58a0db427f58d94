// The result as one HTML file that loads nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/regress/summary.h"

namespace gw::regress {

/// `before`: results of the same plan, oldest first.
std::string dashboard_html(const Summary& summary, const std::vector<Trend>& before);

}  // namespace gw::regress
