// The report as JSON, and how every report reaches its file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace gw::sim {

/// The document without `plots`, the raw series that only the HTML needs.
nlohmann::json public_json(nlohmann::json report);

/// What went wrong in a run, in one line; empty: it passed, or it was interrupted.
std::string headline(const nlohmann::json& report);

/// The document as text, indented, ending in a newline. Never throws: bytes that are no UTF-8 (a
/// file's name, say) become U+FFFD.
std::string json_text(const nlohmann::json& document);

/// Whether a file must outlive a fall of the machine.
enum class Kept : uint8_t { kAsUsual, kOnDisk };

/// Writes `text` to `path`: to a temporary file beside it, then renamed, so that a failure leaves
/// what was there before. A path that exists and is no regular file (/dev/stdout, a pipe) is
/// written directly, after what was printed before; a symbolic link is followed. Throws InputError
/// with one sentence: "cannot write report x.html: No space left on device".
void write_report_file(const std::string& path, const std::string& text,
                       const char* what = "report", Kept kept = Kept::kAsUsual);

/// Of files that write_report_file will write when the work is done: throws what it would throw, as
/// far as that is known before, so that work is not done in vain. Empty ones and - are none.
void expect_report_files(std::initializer_list<std::string_view> paths,
                         const char* what = "report");

}  // namespace gw::sim
