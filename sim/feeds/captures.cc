// SPDX-License-Identifier: Apache-2.0
#include "sim/feeds/captures.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "sim/base/error.h"

namespace gw::sim {
namespace {

using capture::Skip;

constexpr int64_t kLargestSegment = 9000;

/// ToS is written in hexadecimal as often as not.
uint8_t parse_byte(const std::string& option, const std::string& text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const char* const begin = text.data() + (hex ? 2 : 0);
  const char* const end = text.data() + text.size();
  unsigned value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value, hex ? 16 : 10);
  if (begin == end || stop != end || error != std::errc() || value > 0xFF) {
    throw UsageError(fmt::format("{} '{}' is not a byte, 0 to 255 or 0x00 to 0xFF", option, text));
  }
  return static_cast<uint8_t>(value);
}

/// Reasons as they are said after a number; others are their names without underscores.
std::string words_of(const std::string& reason) {
  static const std::map<std::string, std::string> kWords = {
      {"truncated", "captured short"},
      {"bad_header", "with a header that is wrong"},
      {"not_ipv4", "neither IPv4 nor IPv6"},
      {"arp", "ARP"},
      {"vlan_tags", "with more than one 802.1Q tag, or another one"},
      {"other_link", "of a link that is not read"},
      {"not_marked_ecn", "marked but for ECN's bits"},
      {"fragment", "fragments"},
      {"other_protocol", "neither TCP nor UDP"},
      {"no_payload", "without payload"},
      {"no_stream_start", "without the start of their stream"},
      {"bad_sequence", "outside their stream"},
      {"duplicate", "sent again"},
      {"unaligned", "not on the grid of floats"},
      {"unaligned_length", "of a length that is no multiple of four"},
      {"runt", "shorter than Ethernet's header"},
      {"overlong", "above 9,018 bytes"},
      {"other_host", "of other hosts"},
      {"filter", "that the filter leaves out"}};
  if (const auto known = kWords.find(reason); known != kWords.end()) return known->second;
  std::string words = reason;
  std::ranges::replace(words, '_', ' ');
  return words;
}

/// DSCP and its name, for a ToS as people know it.
std::string tos_words(uint8_t tos) {
  if (tos == 0x28) return "ToS 0x28 (DSCP 10, also known as AF11)";
  return fmt::format("ToS {:#04x} (DSCP {})", tos, tos >> 2);
}

}  // namespace

const char* const kCaptureWhole = "capture whole packets (tcpdump -s 0)";
const char* const kSegmentRemedy =
    "GRO, TSO or BIG TCP joined segments: capture with ethtool -K IFACE gro off tso off gso off, "
    "or "
    "cut them with --segment 1448";

const std::vector<Option>& reading_options() {
  static const std::vector<Option> kOptions = {
      {"segment",
       "cut TCP segments of a capture that have more bytes than this (GRO, TSO and BIG TCP join "
       "them), as the NIC would have; 0: as captured",
       "0", "Captures"},
      {.name = "strip-fcs",
       .text = "take the last four bytes of a capture's frames for their FCS, where the file does "
               "not say so itself",
       .value = "",
       .group = "Captures",
       .flag = true}};
  return kOptions;
}

std::vector<Option> mark_options(const char* group) {
  return {{"mark", "ToS of packets whose payload is floats", "0x28", group},
          {"mark-mask", "bits of ToS that are compared with the mark", "0xFC", group},
          {"grid",
           "where floats begin: where the stream says (stream), or at a segment's first byte "
           "(packet)",
           "stream", group}};
}

Option encoded_option(const std::string& what) {
  return {
      .name = "encoded",
      .text = fmt::format("the payloads of --trace are {} and go in as they are (gradwire codec "
                          "encode --packets writes such captures)",
                          what),
      .value = "",
      .group = "Captures",
      .flag = true};
}

std::vector<Option> with_capture_options(std::vector<Option> options) {
  for (const auto& more : {mark_options("Captures"), reading_options()}) {
    options.insert(options.end(), more.begin(), more.end());
  }
  return options;
}

capture::ReaderOptions reader_options(const OptionSet& options) {
  capture::ReaderOptions reading;
  if (options.knows("segment")) {
    reading.segment = static_cast<size_t>(options.integer("segment", 0, kLargestSegment));
  }
  reading.strip_fcs = options.knows("strip-fcs") && options.flag("strip-fcs");
  return reading;
}

uint8_t mark_of(const OptionSet& options) { return parse_byte("--mark", options.word("mark")); }

uint8_t mark_mask_of(const OptionSet& options) {
  return parse_byte("--mark-mask", options.word("mark-mask"));
}

capture::Grid grid_of(const OptionSet& options) {
  return options.choice("grid", {"stream", "packet"}) == 0 ? capture::Grid::kStream
                                                           : capture::Grid::kPacket;
}

capture::SelectOptions select_options(const OptionSet& options, bool filtered) {
  capture::SelectOptions select;
  if (options.knows("mark")) {
    select.tos = mark_of(options);
    select.tos_mask = mark_mask_of(options);
    select.grid = grid_of(options);
  }
  select.any_length = options.knows("encoded") && options.flag("encoded");
  if (filtered) {
    select.any_tags = true;
    const auto& given = options.changed();
    if (!given.contains("mark") && !given.contains("mark-mask")) select.tos_mask = 0;
  }
  return select;
}

void refuse_without_capture(const OptionSet& options, const std::vector<Option>& of_captures) {
  for (const Option& option : of_captures) {
    if (options.changed().contains(option.name)) {
      throw UsageError(fmt::format("--{} has no effect without --trace", option.name));
    }
  }
}

capture::Reader open_reader(const std::string& path, const OptionSet& options) {
  capture::Expected<capture::Reader> reader = capture::Reader::open(path, reader_options(options));
  if (!reader) throw InputError(reader.error().sentence);
  return std::move(reader).value();
}

std::string skipped_words(const nlohmann::json& skipped) {
  std::vector<std::pair<uint64_t, std::string>> reasons;
  for (const auto& [reason, n] : skipped.items()) {
    reasons.emplace_back(n.get<uint64_t>(), words_of(reason));
  }
  std::ranges::stable_sort(reasons, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string words;
  for (const auto& [n, reason] : reasons) {
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", n, reason);
  }
  return words;
}

std::string remedy_for(const capture::Selection& selection, const capture::SelectOptions& options) {
  Skip most = Skip::kNoPayload;
  uint64_t count = 0;
  for (const Skip reason : {Skip::kNotMarked, Skip::kNotMarkedEcn, Skip::kTruncated,
                            Skip::kVlanTags, Skip::kUnaligned}) {
    if (selection.skipped[reason] > count) {
      count = selection.skipped[reason];
      most = reason;
    }
  }
  switch (most) {
    case Skip::kNotMarked: {
      std::string words = fmt::format("the mark is {}", tos_words(options.tos));
      const auto usual =
          std::ranges::max_element(selection.unmarked_tos, {},
                                   [](const auto& tos_and_count) { return tos_and_count.second; });
      if (usual == selection.unmarked_tos.end()) {
        return words + ": --mark TOS takes another, --filter EXPRESSION any packet";
      }
      return words + fmt::format(
                         "; --mark {:#04x} takes the {} with payload that have that ToS, "
                         "--filter EXPRESSION any packet",
                         usual->first, usual->second);
    }
    case Skip::kNotMarkedEcn:
      return "--mark-mask 0xfc leaves ECN's bits out";
    case Skip::kTruncated:
      return kCaptureWhole;
    case Skip::kVlanTags:
      return "no NIC looks past them, --filter vlan does";
    case Skip::kUnaligned:
      return "--grid packet takes each segment's first byte for the start of a float";
    default:
      return "";
  }
}

std::string left_out(uint64_t bytes, uint64_t of, const std::string& why) {
  if (bytes == 0 || of == 0) return "";
  return fmt::format("{:.1f} % of the capture's bytes were left out: {}",
                     100 * static_cast<double>(bytes) / static_cast<double>(of), why);
}

std::string fcs_note(uint64_t frames, uint64_t of) {
  return fmt::format(
      "the last four bytes of {} of {} frames are their FCS, which no NIC hands on: "
      "--strip-fcs takes it off",
      frames, of);
}

std::vector<std::string> notes_of(const capture::Selection& selection, uint64_t assumed) {
  std::vector<std::string> notes;
  if (assumed != 0) {
    notes.push_back(fmt::format(
        "{} TCP stream{} began before the capture (no SYN): the first segment of each is taken to "
        "begin with a whole float",
        assumed, assumed == 1 ? "" : "s"));
  }
  const std::string out = left_out(selection.skipped.bytes(Skip::kTruncated), selection.wire_bytes,
                                   fmt::format("{} packets were captured short; {}",
                                               selection.skipped[Skip::kTruncated], kCaptureWhole));
  if (!out.empty()) notes.push_back(out);
  return notes;
}

}  // namespace gw::sim
