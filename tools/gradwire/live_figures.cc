// SPDX-License-Identifier: Apache-2.0
#include "tools/gradwire/live_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sim/base/error.h"
#include "sim/report/json.h"

namespace gw::tools {
namespace {

struct Figure {
  const char* name;
  LiveCounts::Count LiveCounts::*count;
  const char* text;
};
/// The one list of them: reports, lines and metrics go by it. docs/live.md says each to the user.
constexpr std::array kFigures = {
    Figure{"frames_in", &LiveCounts::frames_in, "frames given to the device"},
    Figure{"bytes_in", &LiveCounts::bytes_in, "bytes of these frames"},
    Figure{"frames_out", &LiveCounts::frames_out, "frames that left by the other interface"},
    Figure{"bytes_out", &LiveCounts::bytes_out, "bytes of these frames"},
    Figure{"packed_frames", &LiveCounts::packed, "frames packed (tx) or unpacked (rx)"},
    Figure{"packed_bytes_long", &LiveCounts::packed_long, "bytes of these frames, unpacked"},
    Figure{"packed_bytes_short", &LiveCounts::packed_short, "bytes of these frames, packed"},
    Figure{"ipv6", &LiveCounts::ipv6, "IPv6 frames: they pass unpacked"},
    Figure{"ipv6_marked", &LiveCounts::ipv6_marked, "IPv6 frames with the mark: unpacked, too"},
    Figure{"forgets", &LiveCounts::forgets, "times that nic_rx had nic_tx forget a flow"},
    Figure{"in_error", &LiveCounts::in_error, "frames dropped: they left the device in error"},
    Figure{"lost", &LiveCounts::lost, "frames dropped on purpose (--loss)"},
    Figure{"refused", &LiveCounts::refused, "frames dropped: the interface refused them"},
    Figure{"too_long", &LiveCounts::too_long, "frames dropped: longer than a NIC carries"},
    Figure{"latency_cycles", &LiveCounts::latency, "cycles from first beat in to first beat out"},
    Figure{"cycles", &LiveCounts::cycles, "cycles of the device's clock"},
};

double share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// As a label of Prometheus has it.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out + '"';
}

/// What to do about it; empty: nothing.
const char* remedy(const std::string& reason) {
  if (reason == "no_stream_start") return " (its SYN was not seen: connect again)";
  if (reason == "trailer") return " (switch offloads and padding off)";
  return "";
}

}  // namespace

LiveSnapshot::LiveSnapshot(const LiveCounts& counts) {
  static_assert(kFigures == gw::tools::kFigures.size());
  for (size_t i = 0; i < kFigures; ++i) figures_[i] = counts.*gw::tools::kFigures[i].count;
  for (size_t i = 0; i < actions_.size(); ++i) actions_[i] = counts.actions[i];
}

LiveSnapshot LiveSnapshot::since(const LiveSnapshot& before) const {
  LiveSnapshot out = *this;
  for (size_t i = 0; i < kFigures; ++i) out.figures_[i] -= before.figures_[i];
  for (size_t i = 0; i < actions_.size(); ++i) out.actions_[i] -= before.actions_[i];
  return out;
}

uint64_t LiveSnapshot::operator[](LiveCounts::Count LiveCounts::*figure) const {
  for (size_t i = 0; i < kFigures; ++i) {
    if (gw::tools::kFigures[i].count == figure) return figures_[i];
  }
  return 0;
}

std::vector<std::pair<std::string, uint64_t>> LiveSnapshot::reasons(
    const std::vector<std::string>& names) const {
  std::vector<std::pair<std::string, uint64_t>> all;
  for (size_t i = 0; i < names.size(); ++i) {
    if (actions_.at(i) != 0) all.emplace_back(names[i], actions_[i]);
  }
  return all;
}

nlohmann::json LiveSnapshot::json(const std::vector<std::string>& names) const {
  nlohmann::json out = nlohmann::json::object();
  for (size_t i = 0; i < kFigures; ++i) out[gw::tools::kFigures[i].name] = figures_[i];
  out["reasons"] = nlohmann::json::object();
  for (const auto& [name, count] : reasons(names)) out["reasons"][name] = count;
  return out;
}

LiveFigures::LiveFigures(std::string host, std::string wire, std::array<Direction, 2> directions)
    : host_(std::move(host)), wire_(std::move(wire)), directions_(std::move(directions)) {
  for (const Direction& direction : directions_) {
    if (direction.actions.size() > LiveCounts::kMostActions) {
      throw std::logic_error("a device has more actions than a live NIC counts");
    }
  }
}

void LiveFigures::keep(const std::string& path, Format format) {
  path_ = path;
  format_ = format;
  if (format == Format::kPrometheus) {
    sim::expect_report_files({path}, "statistics");
    return;
  }
  lines_.reset(std::fopen(path.c_str(), "we"));
  if (lines_ == nullptr) {
    throw sim::InputError(
        fmt::format("cannot write statistics {}: {}", path, std::strerror(errno)));
  }
}

double LiveFigures::seconds() const {
  return std::chrono::duration<double>(Clock::now() - begin_).count();
}

/// The reasons why frames were not packed, the most frequent first; frames of IPv6 beside them.
std::string LiveFigures::words(const LiveSnapshot& snapshot, const Direction& direction) {
  auto reasons = snapshot.reasons(direction.actions);
  std::erase_if(reasons, [&](const auto& reason) { return reason.first == direction.usual; });
  std::ranges::stable_sort(reasons,
                           [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out;
  for (const auto& [name, count] : reasons) {
    std::string plain = name;
    std::ranges::replace(plain, '_', ' ');
    out += fmt::format("{}{} {}{}", out.empty() ? "" : ", ", count, plain, remedy(name));
  }
  if (const uint64_t ipv6 = snapshot[&LiveCounts::ipv6]; ipv6 != 0) {
    const uint64_t marked = snapshot[&LiveCounts::ipv6_marked];
    out += fmt::format("{}{} of IPv6{}", out.empty() ? "" : "; ", ipv6,
                       marked == 0 ? "" : fmt::format(" ({} marked)", marked));
  }
  return out.empty() ? out : fmt::format("not {}: {}", direction.usual, out);
}

void LiveFigures::print_line(const std::array<LiveSnapshot, 2>& part, double seconds) const {
  std::string line;
  for (size_t i = 0; i < part.size(); ++i) {
    const LiveSnapshot& now = part[i];
    const uint64_t frames = now[&LiveCounts::frames_in];
    line += fmt::format(
        "{}{} {:>6} frames {:>7.1f} Mb/s  packed {:>5.1f} %  ratio {:>4.2f}  latency "
        "{:>5.1f} cycles  {:>5.2f} M cycles/s",
        i == 0 ? "" : "   ", directions_[i].name, frames,
        8e-6 * static_cast<double>(now[&LiveCounts::bytes_in]) / seconds,
        100 * share(now[&LiveCounts::packed], frames),
        share(now[&LiveCounts::packed_long], now[&LiveCounts::packed_short]),
        share(now[&LiveCounts::latency], frames),
        1e-6 * static_cast<double>(now[&LiveCounts::cycles]) / seconds);
    const std::string why = words(now, directions_[i]);
    if (!why.empty()) line += "  " + why;
  }
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

std::string LiveFigures::json_line(const std::array<LiveSnapshot, 2>& part, double seconds) const {
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  nlohmann::json line = {{"time", now}, {"seconds", seconds}, {"host", host_}, {"wire", wire_}};
  for (size_t i = 0; i < part.size(); ++i) {
    line[directions_[i].name] = part[i].json(directions_[i].actions);
  }
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string LiveFigures::prometheus(const std::array<LiveSnapshot, 2>& all) const {
  const std::string nic = fmt::format("host={},wire={}", quoted(host_), quoted(wire_));
  std::string out;
  const auto head = [&out](const std::string& name, const char* text) {
    out += fmt::format("# HELP {} {}\n# TYPE {} counter\n", name, text, name);
  };
  for (size_t i = 0; i < kFigures.size(); ++i) {
    const std::string name = fmt::format("gradwire_live_{}_total", kFigures[i].name);
    head(name, kFigures[i].text);
    for (size_t d = 0; d < all.size(); ++d) {
      out += fmt::format("{}{{{},direction=\"{}\"}} {}\n", name, nic, directions_[d].name,
                         all[d].figures_[i]);
    }
  }
  const std::string name = "gradwire_live_reasons_total";
  head(name, "frames by what the device did with them");
  for (size_t d = 0; d < all.size(); ++d) {
    const Direction& direction = directions_[d];
    for (size_t i = 0; i < direction.actions.size(); ++i) {
      out += fmt::format("{}{{{},direction=\"{}\",reason={}}} {}\n", name, nic, direction.name,
                         quoted(direction.actions[i]), all[d].actions_[i]);
    }
  }
  return out;
}

void LiveFigures::second(bool print) {
  const auto now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - then_).count();
  then_ = now;
  std::array<LiveSnapshot, 2> all, part;
  for (size_t i = 0; i < all.size(); ++i) {
    all[i] = LiveSnapshot(*directions_[i].counts);
    part[i] = all[i].since(last_[i]);
  }
  last_ = all;
  if (print) print_line(part, seconds);
  if (path_.empty()) return;
  try {
    if (format_ == Format::kPrometheus) {
      sim::write_report_file(path_, prometheus(all), "statistics");
    } else if (const std::string line = json_line(part, seconds);
               std::fwrite(line.data(), 1, line.size(), lines_.get()) != line.size() ||
               std::fflush(lines_.get()) != 0) {
      throw sim::InputError(
          fmt::format("cannot write statistics {}: {}", path_, std::strerror(errno)));
    }
  } catch (const sim::UserError& error) {
    // The NIC carries other people's frames: it goes on.
    fmt::print(stderr, "gradwire: {}; no more are written, the NIC goes on\n", error.what());
    path_.clear();
    whole_ = false;
  }
}

bool LiveFigures::end(bool print) {
  second(false);
  if (!print) return whole_;
  fmt::print("live: {:.1f} s\n", seconds());
  for (const Direction& direction : directions_) {
    const LiveCounts& c = *direction.counts;
    fmt::print(
        "{} {} frames in, {} out; {} packed, {:.2f} to 1; mean latency {:.1f} cycles; dropped: {} "
        "in error, {} refused, {} too long{}\n",
        direction.name, c.frames_in.load(), c.frames_out.load(), c.packed.load(),
        share(c.packed_long, c.packed_short), share(c.latency, c.frames_in), c.in_error.load(),
        c.refused.load(), c.too_long.load(),
        c.lost == 0 ? "" : fmt::format(", {} lost on purpose", c.lost.load()));
    const std::string why = words(LiveSnapshot(c), direction);
    if (!why.empty()) fmt::print("{} {}\n", direction.name, why);
  }
  return whole_;
}

nlohmann::json LiveFigures::report(size_t direction) const {
  const LiveCounts& c = *directions_.at(direction).counts;
  nlohmann::json out = LiveSnapshot(c).json(directions_[direction].actions);
  out["ratio_frame"] = share(c.packed_long, c.packed_short);
  out["latency_cycles_mean"] = share(c.latency, c.frames_in);
  return out;
}

}  // namespace gw::tools
