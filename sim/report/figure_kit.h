// What figures are made of: series of the document, and gnuplot in the look that all share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/report/text.h"
#include "sim/report/view.h"

namespace gw::sim::report {

using Points = std::vector<std::pair<double, double>>;

/// The series `plots.key`, by x; what is not finite is left out.
Points points(const Json& doc, const char* key);

/// The look that all figures share: no frame, a quiet grid, room for the headroom of labels.
std::string look();
std::string axis(const char* which, const std::string& label);
/// A block of data that the script calls $name.
std::string block(const char* name, const Points& data);

/// 1, 2 or 5 times a power of ten, at least `step`.
double round_step(double step);

/// A logarithmic y axis for counts up to `top`, with its decades named.
std::string log_counts(double top);

struct Bar {
  std::string name;
  double value;
  std::string label;
  const char* colour;  // of the palette (gnuplot.h)
};

/// Horizontal bars with names on the left, the first on top.
Figure bars(std::string title, std::string caption, const std::vector<Bar>& data,
            const std::string& unit, bool log);

}  // namespace gw::sim::report
