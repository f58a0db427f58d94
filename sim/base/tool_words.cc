// SPDX-License-Identifier: Apache-2.0
#include "sim/base/tool_words.h"

#include <algorithm>

namespace gw::sim {

ToolWords::ToolWords(std::string_view error) {
  const size_t colon = error.find(":\n");
  sentence = error.substr(0, colon == std::string_view::npos ? colon : colon + 1);
  std::ranges::replace(sentence, '\n', ' ');
  if (colon == std::string_view::npos) return;
  error.remove_prefix(colon + 2);
  while (error.ends_with('\n')) error.remove_suffix(1);
  for (size_t begin = 0; begin <= error.size();) {
    const size_t end = std::min(error.find('\n', begin), error.size());
    lines.emplace_back(error.substr(begin, end - begin));
    begin = end + 1;
  }
}

std::string ToolWords::text() const {
  std::string text = sentence;
  for (const std::string& line : lines) text += '\n' + line;
  return text;
}

}  // namespace gw::sim
