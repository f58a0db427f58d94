// SPDX-License-Identifier: Apache-2.0
#include "testbenches/nic/view.h"

#include <fmt/format.h>

#include "sim/report/view_kit.h"
#include "testbenches/codec/view.h"

namespace gw::testbenches {
namespace {

using namespace sim::report;

/// Frames of one direction by what became of them, with the cycles that each took.
void put_actions(Section& s, const Json& doc, const char* direction, const char* title,
                 bool with_latency) {
  const Json* reasons = find(doc, {"nic", direction, "reasons"});
  if (!reasons || !reasons->is_object() || reasons->empty()) return;
  Table t{title, {"action", "frames"}, {}, -1};
  if (with_latency) t.columns.emplace_back("latency, cycles");
  for (const auto& [action, n] : reasons->items()) {
    if (!n.is_number()) continue;
    std::vector<std::string> cells{words(action), grouped(n.get<double>())};
    if (with_latency) cells.push_back(action_latency(doc, action));
    t.cells.push_back(std::move(cells));
  }
  s.tables.push_back(std::move(t));
}

/// A NIC's frames. Headers are not compressed: what counts are the payload and the link's time.
Section nic_section(const Json& doc) {
  Section s{"NIC", {}, {}, "", {}};
  if (const auto v = number(doc, {"nic", "packed", "ratio_payload"})) {
    add(s, "payload ratio", fixed(*v, 2) + "x",
        fmt::format("{} floats in {}; whole frames {}x",
                    grouped(number(doc, {"nic", "packed", "floats"}).value_or(0)),
                    counted(number(doc, {"nic", "packed", "frames"}).value_or(0), "packed frame",
                            "packed frames"),
                    fixed(number(doc, {"nic", "packed", "ratio_frame"}).value_or(0), 2)));
  }
  if (const auto v = number(doc, {"nic", "link", "saved_percent"})) {
    const double us = 1e-6;
    add(s, "link saving", fixed(*v, 1) + " %",
        fmt::format("{} in the place of {} at {:g} Gb/s, all frames",
                    seconds(number(doc, {"nic", "link", "packed_us"}).value_or(0) * us),
                    seconds(number(doc, {"nic", "link", "original_us"}).value_or(0) * us),
                    number(doc, {"nic", "link", "gbps"}).value_or(0)));
  }
  if (const auto v = number(doc, {"nic", "flow_table", "entries"})) {
    add(s, "flow table", counted(*v, "flow", "flows"),
        grouped(number(doc, {"nic", "flow_table", "evicted"}).value_or(0)) + " evicted, " +
            grouped(number(doc, {"nic", "flow_table", "forgotten"}).value_or(0)) + " forgotten");
  }
  if (const Json* phases = find(doc, {"nic", "phases"}); phases && phases->is_array()) {
    std::vector<std::string> parts;
    for (const std::string& n : strings(phases)) parts.push_back(n);
    add(s, "head 0, 1, 2, 3", joined(parts), "frames by the bytes before their first whole float");
  }
  // The cycles are those of the whole: of two NICs by what the first did.
  const bool tx = find(doc, {"nic", "tx"}) != nullptr;
  put_actions(s, doc, "tx", "Host to wire", true);
  put_actions(s, doc, "rx", "Wire to host", !tx);
  return s;
}

}  // namespace

void present_nic(const Json& doc, View& view) {
  for (const char* key : {"nic", "grid", "mark", "mark_mask"}) view.shown.insert(key);
  if (const auto v = number(doc, {"nic", "packed", "ratio_payload"}))
    view.cards.push_back(
        {"Payload ratio", fixed(*v, 2), "x", "edges and shim counted", Status::kPlain});
  if (const auto v = number(doc, {"nic", "link", "saved_percent"}))
    view.cards.push_back(
        {"Link saving", fixed(*v, 1), "%", "headers, preamble and gap counted", Status::kPlain});
  if (doc.contains("nic")) view.sections.push_back(nic_section(doc));
  present_codec(doc, view);
  if (const std::string mark = text(doc, {"mark"}); !mark.empty()) {
    view.settings.push_back({"packed", "ToS " + mark + ", mask " + text(doc, {"mark_mask"}),
                             "floats begin where the " + text(doc, {"grid"}) + " does",
                             Status::kPlain});
  }
}

}  // namespace gw::testbenches
