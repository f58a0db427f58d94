#include "sim/coverage/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "sim/base/error.h"

namespace gw::sim::coverage {

using nlohmann::json;

namespace {
constexpr const char* kFormat = "gradwire coverage";
constexpr int kVersion = 1;
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

void Points::add(const Points& other) {
  for (const auto& [key, table] : other.tables_) add(key.first, table);
  for (const auto& [point, times] : other.rtl_) add(point, times);
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
  return {{"format", kFormat},
          {"version", kVersion},
          {"runs", runs_},
          {"functional", std::move(functional)},
          {"rtl", std::move(rtl)}};
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
  } catch (const UserError&) {
    throw;
  } catch (const std::exception& error) {  // what nlohmann-json and Table have to say
    throw InputError(fmt::format("'{}' is damaged: {}", file, error.what()));
  }
  return points;
}

Points Points::read(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw InputError(fmt::format("cannot read '{}'", file));
  const json document = json::parse(stream, nullptr, /*allow_exceptions=*/false);
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
