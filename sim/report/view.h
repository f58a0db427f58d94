// What a report says, before it is decided how it looks: JSON in, rows and tables of text out. The
// terminal and the HTML print the same view, so that they cannot disagree.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/report/gnuplot.h"
#include "sim/report/present.h"
#include "sim/report/text.h"

namespace gw::sim::report {

enum class Status : uint8_t { kPlain, kGood, kWarn, kBad };

struct Row {
  std::string label;
  std::string value;
  std::string note;
  Status status = Status::kPlain;
};

/// First column to the left, the others to the right.
struct Table {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> cells;
  int highlight = -1;  // row that is ours
};

/// Share of one class of values, in percent.
struct TagShare {
  std::string name;  // ZERO, BYTE, HALF, RAW
  int bits = 0;      // of an encoded value, tag included
  double count = 0;
  double percent = 0;
  std::optional<double> paper;
};

struct Section {
  std::string title;
  std::vector<Row> rows;
  std::vector<TagShare> tags;
  std::string tags_paper;  // heading of the paper's column: "HDC 2^-10"
  std::vector<Table> tables;
  bool empty() const { return rows.empty() && tags.empty() && tables.empty(); }
};

struct Card {
  std::string label;
  std::string value;
  std::string unit;
  std::string note;
  Status status = Status::kPlain;
};

struct Figure {
  std::string title;
  std::string caption;
  Plot plot;
  Table data;  // the same figures, for who has no picture
};

struct Failure {
  std::string headline;
  std::string bucket;  ///< what failures of this cause share
  std::vector<std::string> lines;
  std::string reproduce;
};

struct View {
  std::string device;
  std::string verdict;  // PASS, FAIL or NO VERDICT
  Status status = Status::kPlain;
  std::string summary;  // one sentence beside the verdict
  std::vector<Card> cards;
  std::vector<Section> sections;
  std::vector<Figure> figures;  // the device's own
  std::optional<Failure> failure;
  // What a device says beside its sections, cards and figures.
  std::vector<Row> settings;                 // in "What ran"
  std::string clock_note;                    // beside the clock
  std::string passing = "Packets";           // what the throughput is counted of
  std::set<std::string, std::less<>> shown;  // keys of the document that it shows: nobody else does
  std::string command;
  std::string version;
};

/// `present` is the device's, or null: what nobody shows is then shown as it is.
View make_view(const Json& doc, Present present);

/// Verilator, and what else a report's simulator was built with; empty if the report does not say.
std::pair<std::string, std::string> built_with(const Json& doc);

}  // namespace gw::sim::report
