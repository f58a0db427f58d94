// SPDX-License-Identifier: Apache-2.0
#include "sim/coverage/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "sim/base/error.h"
#include "sim/base/file_bytes.h"

namespace gw::sim::coverage {

using nlohmann::json;

namespace {
constexpr const char* kFormat = "gradwire coverage";
constexpr int kVersion = 1;

/// Words as hexadecimal numbers with points between, the lowest first.
std::string hex(const std::vector<uint64_t>& words) {
  std::string text;
  for (const uint64_t word : words) text += fmt::format("{}{:x}", text.empty() ? "" : ".", word);
  return text;
}

std::vector<uint64_t> words_of(const std::string& text, uint32_t bits) {
  std::vector<uint64_t> words;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, '.');) {
    uint64_t word = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), word, 16);
    if (error != std::errc() || end != part.data() + part.size()) {
      throw std::invalid_argument("'" + part + "' is no hexadecimal number");
    }
    words.push_back(word);
  }
  if (words.size() != (size_t{bits} + 63) / 64 ||
      (bits % 64 != 0 && words.back() >> bits % 64 != 0)) {
    throw std::invalid_argument("a signal has other bits than it says");
  }
  return words;
}
}  // namespace

std::string RtlPoint::name() const {
  return fmt::format("{}/{}/{}/{}:{}:{}/{}", kind, top, scope, file, line, column, text);
}

std::string cell_point(const std::string& device, const Table& table, const std::string& cell) {
  return fmt::format("functional/{}/{}/{}", device, table.name(), cell);
}

void Points::add(const std::string& device, const Table& table) {
  const auto [at, fresh] = tables_.try_emplace({device, table.name()}, table);
  if (!fresh && !at->second.merge(table)) {
    throw InputError(
        fmt::format("the coverage table {} of {} has other cells in another file: they are of "
                    "different versions and do not add up",
                    table.name(), device));
  }
}

std::string toggle_point(const std::string& top, const std::string& name,
                         const ToggleSignal& signal, uint32_t bit) {
  const std::string index = signal.bits == 1 ? "" : fmt::format("[{}]", signal.lsb + bit);
  return fmt::format("toggle/{}/{}{}", top, name, index);
}

void Points::add(const std::string& top, const std::string& name, const ToggleSignal& signal) {
  const auto [at, fresh] = toggles_.try_emplace({top, name}, signal);
  ToggleSignal& there = at->second;
  // What one build has removed another may have: then it is known.
  if (fresh || signal.seen > there.seen) return;
  if (signal.seen < there.seen) {
    there = signal;
    return;
  }
  if (there.lsb != signal.lsb) {
    throw InputError(
        fmt::format("the signal {} of {} has other bits in another file: they are of different "
                    "versions and do not add up",
                    name, top));
  }
  // Of builds with other parameters: bit by bit, as many as the widest has.
  there.bits = std::max(there.bits, signal.bits);
  there.elements = std::max(there.elements, signal.elements);
  const auto merge = [](std::vector<uint64_t>& to, const std::vector<uint64_t>& from) {
    if (to.size() < from.size()) to.resize(from.size());
    for (size_t i = 0; i < from.size(); ++i) to[i] |= from[i];
  };
  merge(there.rose, signal.rose);
  merge(there.fell, signal.fell);
}

void Points::add(const Points& other) {
  for (const auto& [key, table] : other.tables_) add(key.first, table);
  for (const auto& [point, times] : other.rtl_) add(point, times);
  for (const auto& [key, signal] : other.toggles_) add(key.first, key.second, signal);
  runs_ += other.runs_;
}

json Points::to_json() const {
  json functional = json::array();
  for (const auto& [key, table] : tables_) {
    json one = table.to_json();
    one["device"] = key.first;
    functional.push_back(std::move(one));
  }
  json rtl = json::array();
  for (const auto& [p, times] : rtl_) {
    rtl.push_back({p.kind, p.top, p.scope, p.file, p.line, p.column, p.text, times});
  }
  json toggle = json::array();
  for (const auto& [key, s] : toggles_) {
    toggle.push_back({key.first, key.second, static_cast<int>(s.seen), s.lsb, s.bits, s.elements,
                      hex(s.rose), hex(s.fell)});
  }
  return {{"format", kFormat},     {"version", kVersion},
          {"runs", runs_},         {"functional", std::move(functional)},
          {"rtl", std::move(rtl)}, {"toggle", std::move(toggle)}};
}

Points Points::from_json(const json& document, const std::string& file) {
  if (!document.is_object() || document.value("format", json()) != kFormat) {
    throw InputError(fmt::format("'{}' holds no coverage of gradwire", file));
  }
  if (document.value("version", json()) != kVersion) {
    throw InputError(fmt::format("'{}' holds coverage of another version of gradwire", file));
  }
  Points points;
  try {
    points.runs_ = document.at("runs");
    for (const json& table : document.at("functional")) {
      points.add(table.at("device"), Table::from_json(table));
    }
    for (const json& p : document.at("rtl")) {
      points.add({p.at(0), p.at(1), p.at(2), p.at(3), p.at(4), p.at(5), p.at(6)}, p.at(7));
    }
    // Files of before toggles were counted have none.
    for (const json& p : document.value("toggle", json::array())) {
      const int seen = p.at(2);
      ToggleSignal s{static_cast<ToggleSignal::Seen>(seen), p.at(3), p.at(4), p.at(5), {}, {}};
      if (seen < 0 || seen > static_cast<int>(ToggleSignal::Seen::kAbsent) || s.bits == 0) {
        throw std::invalid_argument("a signal is of no known kind");
      }
      if (s.seen == ToggleSignal::Seen::kCounted) {
        s.rose = words_of(p.at(6), s.bits);
        s.fell = words_of(p.at(7), s.bits);
      }
      points.add(p.at(0), p.at(1), s);
    }
  } catch (const UserError&) {
    throw;
  } catch (const std::exception& error) {  // what nlohmann-json and Table have to say
    throw InputError(fmt::format("'{}' is damaged: {}", file, error.what()));
  }
  return points;
}

Points Points::read(const std::string& file) {
  const json document = json::parse(bytes_of_file(file), nullptr, /*allow_exceptions=*/false);
  return from_json(document, file);
}

std::string lcov_text(const Points& points) {
  struct File {
    std::map<uint32_t, uint64_t> lines;
    // By place; a block's alternatives together, instances summed.
    std::map<std::pair<uint32_t, uint32_t>, std::map<std::string, uint64_t>> branches;
  };
  std::map<std::string, File> files;
  std::map<std::tuple<std::string, uint32_t, uint32_t, std::string, std::string>, uint64_t> summed;
  for (const auto& [p, times] : points.rtl()) {
    if (p.kind != "line" && p.kind != "branch") continue;
    summed[{p.file, p.line, p.column, p.kind, p.text}] += times;
  }
  for (const auto& [key, times] : summed) {
    const auto& [name, line, column, kind, text] = key;
    File& file = files[name];
    uint64_t& most = file.lines[line];
    most = std::max(most, times);
    if (kind == "branch") file.branches[{line, column}][text] = times;
  }
  std::string out = "TN:gradwire\n";
  for (const auto& [name, file] : files) {
    out += fmt::format("SF:{}\n", name);
    size_t found = 0, hit = 0, block = 0;
    for (const auto& [place, alternatives] : file.branches) {
      size_t number = 0;
      for (const auto& [text, times] : alternatives) {
        out += fmt::format("BRDA:{},{},{},{}\n", place.first, block, number++, times);
        ++found;
        hit += times != 0;
      }
      ++block;
    }
    out += fmt::format("BRF:{}\nBRH:{}\n", found, hit);
    size_t lines_hit = 0;
    for (const auto& [line, times] : file.lines) {
      out += fmt::format("DA:{},{}\n", line, times);
      lines_hit += times != 0;
    }
    out += fmt::format("LF:{}\nLH:{}\nend_of_record\n", file.lines.size(), lines_hit);
  }
  return out;
}

}  // namespace gw::sim::coverage
