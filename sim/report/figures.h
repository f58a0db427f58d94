// The figures of a report: the raw series of `plots` and the counts beside them, as gnuplot scripts
// and as tables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/report/text.h"
#include "sim/report/view.h"

namespace gw::sim::report {

/// The device's own (View::figures), then those that the document has data for.
std::vector<Figure> make_figures(const Json& doc, const View& view);

}  // namespace gw::sim::report
