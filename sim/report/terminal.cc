// SPDX-License-Identifier: Apache-2.0
#include "sim/report/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "sim/report/text.h"
#include "sim/report/view.h"

namespace gw::sim {
namespace {

using namespace report;

constexpr std::size_t kLabel = 18, kLongestLabel = 32;
constexpr std::size_t kValue = 26;

/// Colours are SGR sequences, or nothing; and how wide a page is.
struct Paint {
  bool on;
  std::size_t columns = kReportColumns;
  std::string operator()(const char* sgr, const std::string& s) const {
    return on && !s.empty() ? fmt::format("\x1b[{}m{}\x1b[0m", sgr, s) : s;
  }
  std::string status(Status status, const std::string& s) const {
    switch (status) {
      case Status::kGood:
        return (*this)("32", s);
      case Status::kWarn:
        return (*this)("33", s);
      case Status::kBad:
        return (*this)("1;31", s);
      case Status::kPlain:
        break;
    }
    return s;
  }
  /// What a title and a blank leave of a line.
  std::size_t after(const std::string& title) const {
    return columns > width(title) + 1 ? columns - width(title) - 1 : 0;
  }
  std::string dim(const std::string& s) const { return (*this)("2", s); }
  std::string bold(const std::string& s) const { return (*this)("1", s); }
};

std::string spaces(std::size_t n) { return std::string(n, ' '); }
std::string left(const std::string& s, std::size_t columns) {
  return s + spaces(columns > width(s) ? columns - width(s) : 0);
}
std::string right(const std::string& s, std::size_t columns) {
  return spaces(columns > width(s) ? columns - width(s) : 0) + s;
}
std::string rule(const char* dash, std::size_t columns) {
  std::string out;
  for (std::size_t i = 0; i < columns; ++i) out += dash;
  return out;
}

/// A bar of eighths of a character.
std::string bar(double percent, std::size_t columns) {
  static constexpr std::array<const char*, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  percent = std::isfinite(percent) ? std::clamp(percent, 0.0, 100.0) : 0;
  auto eighths =
      static_cast<std::size_t>(std::lround(percent / 100 * static_cast<double>(columns) * 8));
  if (eighths == 0 && percent > 0) eighths = 1;
  std::string out;
  for (std::size_t i = 0; i < eighths / 8; ++i) out += "█";
  return left(out + kEighths[eighths % 8], columns);
}

/// Words of a text, broken into lines of at most `columns`; a longer word stays whole.
std::vector<std::string> wrapped(const std::string& s, std::size_t columns) {
  std::vector<std::string> lines{""};
  std::size_t at = 0;
  while (at < s.size()) {
    const std::size_t end = std::min(s.find(' ', at), s.size());
    const std::string word = s.substr(at, end - at);
    if (!lines.back().empty() && width(lines.back()) + 1 + width(word) > columns)
      lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
    at = end + 1;
  }
  return lines;
}

/// A line of a failure, broken between its words where it is too wide; a value stays whole, so that
/// it can be searched for and pasted.
std::vector<std::string> wrapped_failure(const std::string& line, std::size_t columns) {
  std::vector<std::string> lines;
  std::string rest = line;
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  std::size_t indent = first;
  while (width(rest) > columns) {
    // The last blank that a whole word stands before, or the first one after a word that is wider.
    std::size_t cut = std::string::npos;
    for (std::size_t at = rest.find(' ', indent); at != std::string::npos;
         at = rest.find(' ', at)) {
      const std::size_t word = rest.find_first_not_of(' ', at);
      if (word == std::string::npos) break;
      if (cut != std::string::npos && width(rest.substr(0, at)) > columns) break;
      cut = at;
      at = word;
    }
    if (cut == std::string::npos) break;
    lines.push_back(rest.substr(0, cut));
    indent = first + 4;
    rest = spaces(indent) + rest.substr(rest.find_first_not_of(' ', cut));
  }
  lines.push_back(rest);
  return lines;
}

/// Columns for the labels of a section: no value begins within one.
std::size_t label_columns(const Section& s) {
  std::size_t columns = kLabel;
  for (const Row& row : s.rows) columns = std::max(columns, width(row.label));
  return std::min(columns, kLongestLabel);
}

void put_row(std::string& out, const Row& row, std::size_t label, const Paint& paint) {
  std::string line = "  " + paint.dim(left(row.label, label)) + " ";
  if (row.note.empty()) {
    out += line + paint.status(row.status, row.value) + "\n";
    return;
  }
  const std::size_t used = std::max(width(row.value), kValue);
  const std::size_t indent = 2 + std::max(label, width(row.label)) + 1 + used + 2;
  line += paint.status(row.status, row.value) + spaces(used - width(row.value)) + "  ";
  const std::size_t room = paint.columns > indent + 24 ? paint.columns - indent : 24;
  const std::vector<std::string> notes = wrapped(row.note, room);
  for (std::size_t i = 0; i < notes.size(); ++i)
    out += (i == 0 ? line : spaces(indent)) + paint.dim(notes[i]) + "\n";
}

void put_tags(std::string& out, const Section& s, const Paint& paint) {
  const std::size_t bar_columns = paint.columns < kReportColumns ? 14 : 30;
  static constexpr std::array<const char*, 4> kColours{"34", "36", "33", "35"};
  const bool with_paper = std::any_of(s.tags.begin(), s.tags.end(),
                                      [](const TagShare& t) { return t.paper.has_value(); });
  const std::string heading =
      "paper " + (s.tags_paper.empty() ? std::string("Table III") : s.tags_paper);
  std::string titles = "  " + left("class", 8) + right("bits", 5) + right("values", 16) +
                       right("share", 10) + "  " + spaces(bar_columns) +
                       (with_paper ? right(heading, 20) : "");
  while (titles.back() == ' ') titles.pop_back();
  out += paint.dim(titles) + "\n";
  std::size_t i = 0;
  for (const TagShare& t : s.tags) {
    const std::string head = "  " + left(t.name, 8) + right(fmt::format("{}", t.bits), 5) +
                             right(grouped(t.count), 16) + right(share(t.percent), 10) + "  ";
    std::string tail =
        with_paper ? right(t.paper ? fmt::format("{:.1f} %", *t.paper) : "", 20) : "";
    std::string line = head + paint(kColours[i++ % 4], bar(t.percent, bar_columns)) + tail;
    while (!line.empty() && line.back() == ' ') line.pop_back();
    out += line + "\n";
  }
}

void put_table(std::string& out, const Table& t, const Paint& paint) {
  std::vector<std::size_t> widths;
  for (const std::string& c : t.columns) widths.push_back(width(c));
  for (const auto& row : t.cells)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], std::min<std::size_t>(width(row[i]), 40));
  // Closer together where they would be too wide.
  std::size_t all = 2, gap = 3;
  for (const std::size_t w : widths) all += w;
  while (gap > 1 && all + gap * widths.size() > paint.columns + gap) --gap;
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string s = "  ";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string cell = shortened(cells[i], 40);
      s += i == 0 ? left(cell, widths[i]) : spaces(gap) + right(cell, widths[i]);
    }
    while (!s.empty() && s.back() == ' ') s.pop_back();
    return s;
  };
  if (!t.title.empty()) out += "\n  " + t.title + "\n";
  out += paint.dim(line(t.columns)) + "\n";
  for (std::size_t i = 0; i < t.cells.size(); ++i)
    out += (static_cast<int>(i) == t.highlight ? paint.bold(line(t.cells[i])) : line(t.cells[i])) +
           "\n";
}

void put_verdict(std::string& out, const View& view, const Paint& paint) {
  const char* block = view.status == Status::kGood  ? "1;30;42"
                      : view.status == Status::kBad ? "1;97;41"
                                                    : "1;30;43";
  const std::string edge = paint.status(view.status, rule("━", paint.columns));
  const std::string badge = "  " + view.verdict + "  ";
  out += edge + "\n";
  const std::vector<std::string> lines = wrapped(view.summary, paint.columns - width(badge) - 2);
  out +=
      paint(block, badge) + (lines.front().empty() ? "" : "  " + paint.bold(lines.front())) + "\n";
  for (std::size_t i = 1; i < lines.size(); ++i)
    out += spaces(width(badge) + 2) + paint.bold(lines[i]) + "\n";
  out += edge + "\n";
}

}  // namespace

std::string render_terminal(const nlohmann::json& doc, Present present, bool colour,
                            std::size_t columns) {
  const Paint paint{colour, columns};
  const View view = make_view(doc, present);
  std::string out = paint.bold(view.device.empty() ? "gradwire" : "gradwire " + view.device) + "\n";
  for (const Section& s : view.sections) {
    out += "\n" + paint("1;36", s.title) + " " + paint.dim(rule("─", paint.after(s.title))) + "\n";
    for (const Row& row : s.rows) put_row(out, row, label_columns(s), paint);
    if (!s.tags.empty()) {
      if (!s.rows.empty()) out += "\n";
      put_tags(out, s, paint);
    }
    for (const Table& t : s.tables) put_table(out, t, paint);
  }
  if (view.failure) {
    const std::string title = "First divergence";
    out += "\n" + paint("1;31", title) + " " + paint.dim(rule("─", paint.after(title))) + "\n";
    if (!view.failure->headline.empty()) {
      for (const std::string& line : wrapped(view.failure->headline, columns - 2))
        out += "  " + paint.bold(line) + "\n";
    }
    if (!view.failure->bucket.empty()) {
      for (const std::string& line : wrapped("bucket: " + view.failure->bucket, columns - 2))
        out += "  " + paint.dim(line) + "\n";
    }
    for (const std::string& line : view.failure->lines) {
      for (const std::string& part : wrapped_failure(line, columns - 2))
        out += part.empty() ? "\n" : "  " + part + "\n";
    }
    if (!view.failure->reproduce.empty())
      out += "\n  " + paint.dim("reproduce:") + "\n  " + paint.bold(view.failure->reproduce) + "\n";
  }
  out += "\n";
  put_verdict(out, view, paint);
  if (!view.failure && !view.command.empty()) out += paint.dim(view.command) + "\n";
  return out;
}

std::string render_bench_terminal(const nlohmann::json& bench, bool colour) {
  const Paint paint{colour};
  std::vector<const Json*> runs;
  const Json* list = bench.is_array() ? &bench : find(bench, {"devices"});
  if (list && list->is_array()) {
    for (const Json& run : *list)
      if (run.is_object()) runs.push_back(&run);
  } else if (bench.is_object()) {
    runs.push_back(&bench);
  }

  struct Column {
    const char* title;
    const char* group;  // nullptr: at the top
    const char* key;
    const char* unit;
  };
  const std::vector<std::pair<const char*, std::vector<Column>>> groups{
      {"Ratios",
       {{"lockstep / RTL", "ratios", "lockstep_to_rtl", "x"},
        {"model / RTL", "ratios", "model_to_rtl", "x"},
        {"model / 10GbE", "ratios", "model_to_10gbe", "x"},
        {"netlist / RTL", "ratios", "netlist_to_rtl", "x"},
        {"whole / lockstep", "ratios", "whole_to_lockstep", "x"}}},
      {"On this machine, M cycles/s",
       {{"lockstep", nullptr, "lockstep_mcps", ""},
        {"whole run", nullptr, "whole_mcps", ""},
        {"RTL alone", nullptr, "rtl_mcps", ""},
        {"netlist alone", nullptr, "netlist_mcps", ""},
        {"model alone", nullptr, "model_mcps", ""}}}};
  const auto value = [](const Json& run, const Column& column) {
    return column.group ? number(run, {column.group, column.key}) : number(run, {column.key});
  };
  const auto heading = [&paint](const std::string& title) {
    return paint("1;36", title) + " " + paint.dim(rule("─", paint.after(title))) + "\n";
  };

  std::string out = paint.bold("Simulator speed") + "\n";
  for (const auto& [title, columns] : groups) {
    Table t;
    t.columns.push_back("");
    t.cells.resize(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const std::string device = text(*runs[i], {"device"}), host = text(*runs[i], {"host"});
      t.cells[i].push_back((device.empty() ? "all" : device) + (host.empty() ? "" : ", " + host));
    }
    for (const Column& column : columns) {
      const auto known = [&](const Json* run) { return value(*run, column).has_value(); };
      if (std::none_of(runs.begin(), runs.end(), known)) continue;
      t.columns.push_back(column.title);
      for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto v = value(*runs[i], column);
        t.cells[i].push_back(v ? fixed(*v, 2) + column.unit : "-");
      }
    }
    if (t.columns.size() == 1) continue;
    out += "\n" + heading(title);
    put_table(out, t, paint);
  }

  // Of the machine, not of a device: the same in each.
  const auto has_codec = [](const Json* run) { return find(*run, {"codec"}) != nullptr; };
  if (const auto run = std::find_if(runs.begin(), runs.end(), has_codec); run != runs.end()) {
    Table t;
    t.columns = {"", "Gb/s", "/ memcpy"};
    const auto row = [&](const char* what, const char* speed_key, const char* ratio_key) {
      const auto speed = number(**run, {"codec", speed_key});
      const auto ratio = number(**run, {"codec", ratio_key});
      t.cells.push_back(
          {what, speed ? fixed(*speed, 2) : "-", ratio ? fixed(*ratio, 2) + "x" : ""});
    };
    row("encode", "encode_gbps", "encode_to_memcpy");
    row("decode", "decode_gbps", "decode_to_memcpy");
    row("memcpy", "memcpy_gbps", "");
    out += "\n" + heading("Reference codec, one thread");
    put_table(out, t, paint);
  }
  const auto has_line = [](const Json* run) {
    return number(*run, {"clock_10gbe_mbps"}).has_value();
  };
  if (const auto run = std::find_if(runs.begin(), runs.end(), has_line); run != runs.end()) {
    out += "\n" +
           paint.dim("  10GbE brings " + fixed(*number(**run, {"clock_10gbe_mbps"}), 2) +
                     " M beats a second.") +
           "\n";
  }
  if (!runs.empty())
    if (const auto [verilator, others] = built_with(*runs.front()); !verilator.empty())
      out += paint.dim("  built with " + verilator + ", " + others) + "\n";
  return out;
}

}  // namespace gw::sim
