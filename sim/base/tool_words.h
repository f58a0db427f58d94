// Errors that quote a tool: a sentence that ends in a colon, and the tool's own lines after it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gw::sim {

struct ToolWords {
  std::string sentence;            ///< in one line
  std::vector<std::string> lines;  ///< what the tool said; most errors quote none

  /// Takes what an error says apart: lines are those after the first ":\n".
  explicit ToolWords(std::string_view error);
  std::string text() const;
};

}  // namespace gw::sim
