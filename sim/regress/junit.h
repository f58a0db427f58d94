// The result as JUnit's XML, in Jenkins' dialect (tests/regress/junit.xsd).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/regress/summary.h"

namespace gw::regress {

/// One file, or several where one would be too large; each whole in itself.
std::vector<std::string> junit_xml(const Summary& summary, size_t most_bytes = size_t{25} << 20);

/// For text and attributes: valid UTF-8, no control character that XML 1.0 does not know.
std::string xml_text(std::string_view text);

}  // namespace gw::regress
