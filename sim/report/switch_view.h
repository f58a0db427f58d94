// What a report says of frames, aggregator and optimizer: the sections of the switch and of its
// parts, with names and units.
#pragma once

#include <string_view>
#include <vector>

#include "sim/report/view.h"

namespace gw::sim::report {

/// Keys of the report that these sections show.
bool is_of_switch(std::string_view key);
std::vector<Section> switch_sections(const Json& doc);

}  // namespace gw::sim::report
