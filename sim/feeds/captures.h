// Captures as runs read them: the options that say how, and what a user is told of what was left
// out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/reference/capture/capture.h"
#include "sim/base/options.h"

namespace gw::sim {

/// --segment and --strip-fcs, of every device that takes a capture.
const std::vector<Option>& reading_options();
/// --mark, --mark-mask and --grid. `group`: of the help.
std::vector<Option> mark_options(const char* group);

/// --encoded: payloads of the capture go in as they are. `what` they are, for the help.
Option encoded_option(const std::string& what);
/// A device's options, and all of captures of gradients.
std::vector<Option> with_capture_options(std::vector<Option> options);

/// What these are set to; the defaults where a device has none of them. Throw UsageError.
capture::ReaderOptions reader_options(const OptionSet& options);
uint8_t mark_of(const OptionSet& options);
uint8_t mark_mask_of(const OptionSet& options);
capture::Grid grid_of(const OptionSet& options);
/// `filtered`: a filter chooses the packets, so that the mark does not, unless it was given.
capture::SelectOptions select_options(const OptionSet& options, bool filtered);
/// Throws UsageError for one of them that was given without a capture.
void refuse_without_capture(const OptionSet& options, const std::vector<Option>& of_captures);

/// Opens a capture as the options say. Throws InputError.
capture::Reader open_reader(const std::string& path, const OptionSet& options);

/// "30 not marked, 2 without payload": the most frequent first. `skipped`: counts by reason.
std::string skipped_words(const nlohmann::json& skipped);

/// What to do so that packets are taken that no one was: of the most frequent reason that has a
/// remedy; empty if there is none.
std::string remedy_for(const capture::Selection& selection, const capture::SelectOptions& options);

/// Sentences for the report: what was assumed, and what share of the bytes was left out, and why.
/// `assumed`: streams without SYN among those that are fed.
std::vector<std::string> notes_of(const capture::Selection& selection, uint64_t assumed);

/// "97.7 % of the capture's bytes were left out: WHY"; empty if it is none.
std::string left_out(uint64_t bytes, uint64_t of, const std::string& why);

/// Says that so many frames of `of` end with their FCS, and what to do.
std::string fcs_note(uint64_t frames, uint64_t of);

/// Remedies that captures of gradients and of frames share.
extern const char* const kCaptureWhole;   ///< of snaplen
extern const char* const kSegmentRemedy;  ///< of GRO, TSO and BIG TCP

}  // namespace gw::sim
