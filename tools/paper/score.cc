// SPDX-License-Identifier: Apache-2.0
#include "tools/paper/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/base/error.h"
#include "sim/report/text.h"
#include "tools/paper/papers.h"

namespace gw::paper {
namespace {

using nlohmann::json;
namespace text = sim::report;

/// A number with as many decimals as the paper prints, or with more where it would vanish.
std::string shown(double value, const std::optional<Printed>& paper) {
  if (!paper) return text::general(value);
  if (value != 0 && std::fabs(value) < 10 * std::pow(10, -paper->decimals) && paper->decimals < 3) {
    return text::general(value);
  }
  return paper->decimals == 0 && std::fabs(value) >= 1000 ? text::grouped(value)
                                                          : text::fixed(value, paper->decimals);
}

/// Judges what a measurement gave.
Verdict judged(const Row& row, const Ours& ours, const std::optional<Printed>& paper) {
  if (ours.verdict) return *ours.verdict;
  if (row.kind != Class::kExact) return Verdict::kShown;
  if (paper && ours.number) {
    const double tolerance = row.tolerance.value_or(paper->half_unit);
    const bool equal =
        std::fabs(*ours.number - paper->value) <= tolerance + 1e-9 * std::fabs(paper->value);
    return equal ? Verdict::kEqual : Verdict::kDiffers;
  }
  return ours.text == row.value ? Verdict::kEqual : Verdict::kDiffers;
}

/// Measures a row, unless something keeps it from being measured.
std::pair<Ours, Verdict> measured(const Row& row, Documents& documents, const Scoring& scoring) {
  const auto without = [](Verdict verdict, std::string why) {
    return std::pair{Ours{.why = std::move(why)}, verdict};
  };
  if (!row.waits_for.empty()) return without(Verdict::kWaits, "waits for " + row.waits_for);
  if (!row.measure) return without(Verdict::kShown, "");
  if (row.needs_data && !scoring.data) {
    return without(Verdict::kNeedsData, "needs the MNIST files: --data FOLDER");
  }
  if (row.minutes && scoring.quick) return without(Verdict::kLeftOut, "left out by --quick");
  if (scoring.goes_on && !scoring.goes_on()) return without(Verdict::kFailed, "interrupted");
  try {
    const Ours ours = row.measure(documents, row);
    return {ours, judged(row, ours, parse_printed(row.value))};
  } catch (const sim::UserError& error) {
    return without(Verdict::kFailed, error.what());
  }
}

json number_or_text(const std::optional<double>& number, const std::string& words) {
  if (number) return *number;
  return words.empty() ? json() : json(words);
}

json row_json(const Row& row, const Ours& ours, Verdict verdict) {
  const std::optional<Printed> paper = parse_printed(row.value);
  json r = {{"paper", row.paper},
            {"item", row.item},
            {"title", row.title},
            {"where", row.where},
            {"what", row.what},
            {"paper_value",
             number_or_text(paper ? std::optional(paper->value) : std::nullopt, row.value)},
            {"unit", row.unit},
            {"ours", number_or_text(ours.number, ours.text)},
            {"class", class_name(row.kind)},
            {"difference", nullptr},
            {"relative_percent", nullptr},
            {"command", number_or_text({}, command_of(row))},
            {"verdict", verdict_name(verdict)},
            {"why", ours.why}};
  if (!row.note.empty()) r["note"] = row.note;
  json& show = r["shown"] = {
      {"paper", row.value.empty() ? "-" : row.value}, {"ours", "-"}, {"difference", "-"}};
  if (ours.number) {
    show["ours"] = shown(*ours.number, paper);
    if (paper) {
      const double difference = *ours.number - paper->value;
      r["difference"] = difference;
      const bool of_points = row.unit == "%" || row.unit == "points";
      if (paper->value != 0) r["relative_percent"] = 100 * difference / paper->value;
      if (verdict == Verdict::kEqual) {
        show["difference"] = "0";
      } else if (of_points || paper->value == 0) {
        show["difference"] = fmt::format("{:+.2f}{}", difference, of_points ? " pt" : "");
      } else {
        show["difference"] = fmt::format("{:+.1f} %", 100 * difference / paper->value);
      }
    }
  } else if (!ours.text.empty()) {
    show["ours"] = ours.text;
    if (verdict == Verdict::kEqual) show["difference"] = "0";
  }
  return r;
}

/// A cell of at most `width` columns, to the left or to the right.
std::string cell(const std::string& words, size_t width, bool right) {
  const std::string shortened = text::shortened(words, width);
  const std::string blanks(width - text::width(shortened), ' ');
  return right ? blanks + shortened : shortened + blanks;
}

/// Lines of at most `width` columns.
std::vector<std::string> folded(const std::string& words, size_t width) {
  std::vector<std::string> lines(1);
  for (size_t at = 0; at < words.size();) {
    const size_t blank = std::min(words.find(' ', at), words.size());
    const std::string word = words.substr(at, blank - at);
    if (!lines.back().empty() && text::width(lines.back()) + 1 + text::width(word) > width) {
      lines.emplace_back();
    }
    lines.back() += (lines.back().empty() ? "" : " ") + word;
    at = blank + 1;
  }
  return lines;
}

}  // namespace

std::string said_verdict(const json& row) {
  return row["verdict"] == verdict_name(Verdict::kWaits) ? row["why"].get<std::string>()
                                                         : row["verdict"].get<std::string>();
}

std::vector<std::string> remarks(const json& row) {
  std::vector<std::string> said;
  // What the verdict says is not said twice.
  for (const Verdict verdict : {Verdict::kWaits, Verdict::kNeedsData, Verdict::kLeftOut}) {
    if (row["verdict"] == verdict_name(verdict)) return {};
  }
  for (const char* key : {"why", "note"}) {
    if (!row.value(key, std::string()).empty()) said.push_back(row[key].get<std::string>());
  }
  return said;
}

json score(const std::vector<Row>& rows, Documents& documents, const Scoring& scoring) {
  json document = {{"paper", json::array()},
                   {"papers", json::array()},
                   {"verdicts", json::object()},
                   {"left_out", json::array()}};
  std::string announced;
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    const std::string step = row.paper + " " + row.item;
    if (scoring.note && step != announced) {
      scoring.note(fmt::format("{} of {} rows; {}", i, rows.size(), step));
      announced = step;
    }
    const auto [ours, verdict] = measured(row, documents, scoring);
    document["paper"].push_back(row_json(row, ours, verdict));
    json& count = document["verdicts"][verdict_name(verdict)];
    count = count.is_null() ? 1 : count.get<int>() + 1;
    if (verdict == Verdict::kLeftOut) {
      json& left = document["left_out"];
      const json command = command_of(row);
      if (std::ranges::find(left, command) == left.end()) left.push_back(command);
    }
  }
  for (const Paper& paper : papers()) {
    if (std::ranges::any_of(rows, [&](const Row& row) { return row.paper == paper.name; })) {
      document["papers"].push_back({{"name", paper.name}, {"title", paper.title}});
    }
  }
  if (scoring.goes_on && !scoring.goes_on()) document["interrupted"] = true;
  return document;
}

std::string paper_text(const json& document) {
  constexpr size_t kWhat = 42, kValue = 14, kDifference = 9, kClass = 11, kVerdict = 15;
  constexpr size_t kWhole = kWhat + 2 * (kValue + 1) + kDifference + 2 + kClass + 1 + kVerdict;
  std::string out;
  for (const json& paper : document["papers"]) {
    out += "\n" + paper["name"].get<std::string>() + "\n";
    for (const std::string& line : folded(paper["title"].get<std::string>(), kWhole)) {
      out += "  " + line + "\n";
    }
    out += fmt::format("\n    {} {} {} {}  {} verdict\n", cell("", kWhat, false),
                       cell("paper", kValue, true), cell("ours", kValue, true),
                       cell("diff", kDifference, true), cell("class", kClass, false));
    std::vector<std::string> commands;
    std::string item;
    for (const json& row : document["paper"]) {
      if (row["paper"] != paper["name"]) continue;
      if (row["item"] != item) {
        item = row["item"].get<std::string>();
        out += fmt::format("\n  {}  {}\n", item, row["title"].get<std::string>());
      }
      std::string number;
      if (row["command"].is_string()) {
        const std::string command = row["command"].get<std::string>();
        auto known = std::ranges::find(commands, command);
        if (known == commands.end()) known = commands.insert(known, command);
        number = fmt::format(" [{}]", known - commands.begin() + 1);
      }
      const json& show = row["shown"];
      const std::string unit = row["unit"].get<std::string>();
      const auto with_unit = [&](const char* which) {
        const std::string value = show[which].get<std::string>();
        return value == "-" || unit.empty() || unit == "points" || unit == "cycles"
                   ? value
                   : value + " " + unit;
      };
      std::vector<std::string> what = folded(row["what"].get<std::string>(), kWhat);
      out += fmt::format(
          "    {} {} {} {}  {} {}{}\n", cell(what[0], kWhat, false),
          cell(with_unit("paper"), kValue, true), cell(with_unit("ours"), kValue, true),
          cell(show["difference"].get<std::string>(), kDifference, true),
          cell(row["class"].get<std::string>(), kClass, false), said_verdict(row), number);
      for (size_t i = 1; i < what.size(); ++i) out += "      " + what[i] + "\n";
      for (const std::string& words : remarks(row)) {
        for (const std::string& line : folded(words, kWhole - 4)) out += "        " + line + "\n";
      }
    }
    if (!commands.empty()) out += "\n  Commands that make ours\n";
    for (size_t i = 0; i < commands.size(); ++i) {
      out += fmt::format("    [{}] {}\n", i + 1, commands[i]);
    }
  }
  std::string counts;
  for (const auto& [verdict, count] : document["verdicts"].items()) {
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count.get<int>(), verdict);
  }
  out += fmt::format("\n  {} rows: {}\n", document["paper"].size(), counts);
  for (const json& command : document["left_out"]) {
    out += fmt::format("  --quick left out: {}\n", command.get<std::string>());
  }
  if (document["verdicts"].contains(verdict_name(Verdict::kNeedsData))) {
    out += "  Rows that train need the MNIST files: --data FOLDER\n";
  }
  return out;
}

int exit_code(const json& document) {
  if (document.contains("interrupted")) return sim::kCheckFailed;
  for (const json& row : document["paper"]) {
    if (row["class"] != class_name(Class::kExact)) continue;
    if (row["verdict"] == verdict_name(Verdict::kDiffers) ||
        row["verdict"] == verdict_name(Verdict::kFailed)) {
      return sim::kCheckFailed;
    }
  }
  return sim::kPass;
}

}  // namespace gw::paper
