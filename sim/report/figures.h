// The figures of a report: the raw series of `plots` and the counts beside them, as gnuplot scripts
// and as tables.
#pragma once

#include <string>
#include <vector>

#include "sim/report/gnuplot.h"
#include "sim/report/text.h"
#include "sim/report/view.h"

namespace gw::sim::report {

struct Figure {
  std::string title;
  std::string caption;
  Plot plot;
  Table data;  // the same figures, for who has no picture
};

/// Those that the document has data for.
std::vector<Figure> make_figures(const Json& doc, const View& view);

}  // namespace gw::sim::report
