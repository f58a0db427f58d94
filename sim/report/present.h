// How a device adds to the view of its reports what only it knows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

namespace gw::sim::report {

struct View;

/// Adds sections, cards, figures and what else view.h has room for. Called once a view, before the
/// sections that all devices share are put around its own.
using Present = void (*)(const nlohmann::json& document, View& view);

}  // namespace gw::sim::report
