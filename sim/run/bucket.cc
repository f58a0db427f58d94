// SPDX-License-Identifier: Apache-2.0
#include "sim/run/bucket.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>

namespace gw::sim {
namespace {

const char* check_of(FailureKind kind) {
  switch (kind) {
    case FailureKind::kNone:
      break;
    case FailureKind::kLockstep:
      return "lockstep";
    case FailureKind::kReference:
      return "reference";
    case FailureKind::kProtocol:
      return "protocol";
    case FailureKind::kProfile:
      return "profile";
    case FailureKind::kHang:
      return "hang";
    case FailureKind::kStopped:
      return "stopped";
  }
  return "none";
}

/// Numbers in words are values: a time, a count, a line that the next edit moves.
std::string without_numbers(const std::string& text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto is = [&](size_t at, auto kind) {
      return at < text.size() && kind(static_cast<unsigned char>(text[at])) != 0;
    };
    const bool within = i > 0 && (is(i - 1, ::isalnum) || text[i - 1] == '_');
    if (!is(i, ::isdigit) || within) {
      plain += text[i];
      continue;
    }
    while (is(i + 1, ::isalnum)) ++i;  // hexadecimal ones, too
    plain += '#';
  }
  return plain;
}

/// Which rule was broken, where the check has several.
std::string rule_of(const Failure& f) {
  switch (f.kind) {
    case FailureKind::kProtocol:
    case FailureKind::kProfile:
      return f.text;
    case FailureKind::kStopped:
      return without_numbers(f.text);
    case FailureKind::kReference:
      return f.port == "event" ? without_numbers(f.value_a) : "";
    default:
      return "";
  }
}

}  // namespace

std::string rtl_of(const RunSpec& spec) {
  if (!spec.rtl) return "no RTL";
  if (!spec.user_rtl.top.empty()) return spec.user_rtl.top;
  return spec.netlist.empty() ? "own RTL" : spec.netlist + " netlist";
}

std::string bucket_of(const Device& device, const RunSpec& spec, const Failure& f) {
  std::string signal = f.port;
  for (const std::string& part : {f.channel, f.signal}) {
    if (!part.empty()) signal += " " + part;
  }
  std::string engines = f.engine_a;
  if (!f.engine_b.empty()) engines += " and " + f.engine_b;
  const std::string rule = rule_of(f);
  if (!rule.empty()) engines += ": " + rule;
  return bucket_text({device.name(), rtl_of(spec), check_of(f.kind), signal, engines});
}

std::string bucket_text(const std::vector<std::string>& parts) {
  std::vector<std::string> said;
  for (const std::string& part : parts) {
    if (!part.empty()) said.push_back(part);
  }
  return fmt::format("{}", fmt::join(said, ", "));
}

}  // namespace gw::sim
