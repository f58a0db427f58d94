#include "sim/harness/stall.h"

#include <fmt/format.h>

#include <charconv>

#include "sim/base/error.h"

namespace gw::sim {

StallSpec StallSpec::parse(std::string_view text) {
  if (text == "none") return {};
  const size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  if (colon != std::string_view::npos && (kind == "source" || kind == "sink" || kind == "both")) {
    const std::string_view number = text.substr(colon + 1);
    double percent = 0;
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), percent);
    if (error == std::errc() && end == number.data() + number.size() && percent >= 1 &&
        percent <= 99) {
      return {.source_percent = kind == "sink" ? 0 : percent,
              .sink_percent = kind == "source" ? 0 : percent};
    }
  }
  throw UsageError(fmt::format(
      "--stall '{}' is not one of none, source:P, sink:P, both:P with P from 1 to 99 percent",
      text));
}

std::string StallSpec::text() const {
  if (source_percent > 0 && sink_percent > 0) return fmt::format("both:{}", source_percent);
  if (source_percent > 0) return fmt::format("source:{}", source_percent);
  if (sink_percent > 0) return fmt::format("sink:{}", sink_percent);
  return "none";
}

}  // namespace gw::sim
