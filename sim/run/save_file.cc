// SPDX-License-Identifier: Apache-2.0
#include "sim/run/save_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "sim/base/error.h"
#include "sim/harness/engine.h"

namespace gw::sim {
namespace {

// GTKWave's trace flags: right-justified with the format; @200 is a comment.
constexpr const char* kBinary = "@28";
constexpr const char* kHex = "@22";
constexpr const char* kDecimal = "@24";
constexpr const char* kComment = "@200";
constexpr const char* kGroup = "@800200";
constexpr const char* kGroupEnd = "@1000200";

class Writer {
 public:
  void heading(const std::string& text) { line(kComment, "-" + text); }
  /// bits: 1 for a wire without a range.
  void wire(const std::string& name, int bits, const char* format) {
    line(format, bits == 1 ? name : fmt::format("{}[{}:0]", name, bits - 1));
  }
  void line(const char* format, const std::string& text) {
    if (format_ != format) text_ += fmt::format("{}\n", format);
    format_ = format;
    text_ += text + "\n";
  }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
  std::string format_;
};

/// A field of a packet: big-endian, and within one beat or the first of another.
struct Field {
  const char* name;
  int byte, bits;
  const char* format = kHex;
};
// docs/formats/expether.md
constexpr Field kExpEther[] = {{"destination", 0, 48},      {"source", 6, 48},
                               {"vlan", 14, 16, kDecimal},  {"ethertype", 16, 16},
                               {"type", 19, 8, kDecimal},   {"flags", 20, 8},
                               {"count", 21, 8, kDecimal},  {"sequence", 22, 32, kDecimal},
                               {"ack", 26, 32, kDecimal},   {"worker", 30, 16, kDecimal},
                               {"group", 32, 16, kDecimal}, {"iteration", 34, 32, kDecimal}};
// Ethernet, IPv4 without options, and the ports of TCP or UDP.
constexpr Field kHosts[] = {{"destination", 0, 48},
                            {"source", 6, 48},
                            {"ethertype", 12, 16},
                            {"tos", 15, 8},
                            {"ip_length", 16, 16, kDecimal},
                            {"protocol", 23, 8, kDecimal},
                            {"ip_source", 26, 32}};

/// Fields of the frames that a device takes, by the kind of its traffic; empty if it takes none.
std::span<const Field> fields_of(const Device::Facts& facts) {
  const std::string kind = facts.random == nullptr ? "" : facts.random->name;
  if (kind == "expether" || kind == "switch") return kExpEther;
  if (kind == "hosts" || kind == "wire") return kHosts;
  return {};
}

/// The pins of a port among those of its bundle.
class Pins {
 public:
  Pins(Writer& out, const Device::Facts& facts, const Port& port)
      : out_(out), facts_(facts), port_(port) {}

  /// All of one name.
  void wire(const char* name, int bits, const char* format) const {
    const std::string whole = fmt::format("{}.{}_{}", facts_.top, port_.bundle, name);
    if (port_.slots == 1) return out_.wire(whole, bits, format);
    std::vector<int> own(static_cast<size_t>(bits));
    std::iota(own.rbegin(), own.rend(), 0);
    part(name, name, bits, own, format);
  }
  /// Bits of them, the most significant one first, as a signal of their own.
  void part(const std::string& name, const char* of, int bits, const std::vector<int>& which,
            const char* format) const {
    const int all = bits * port_.slots;
    const std::string whole =
        all == 1 ? fmt::format("{}.{}_{}", facts_.top, port_.bundle, of)
                 : fmt::format("{}.{}_{}[{}:0]", facts_.top, port_.bundle, of, all - 1);
    std::string text;
    for (const int bit : which) {
      // GTKWave counts from the left.
      text += fmt::format(" ({}){}", all - 1 - port_.slot * bits - bit, whole);
    }
    if (which.size() == 1) {
      out_.line(format, fmt::format("+{{{}_{}}}{}", port_.name, name, text));
    } else {
      out_.line(format,
                fmt::format("#{{{}_{}[{}:0]}}{}", port_.name, name, which.size() - 1, text));
    }
  }
  /// The fields of a packet's headers, by the beat that they are in.
  void fields() const {
    int beat = -1;
    for (const Field& field : fields_of(facts_)) {
      if (const int now = field.byte / facts_.beat_bytes; now != beat) {
        beat = now;
        out_.heading(
            fmt::format("{}: in a frame's {} beat", port_.name, beat == 0 ? "first" : "second"));
      }
      std::vector<int> bits;
      for (int i = 0; i < field.bits; ++i) {
        const int byte = field.byte % facts_.beat_bytes + i / 8;
        bits.push_back(8 * byte + 7 - i % 8);
      }
      part(field.name, "tdata", 8 * facts_.beat_bytes, bits, field.format);
    }
  }

 private:
  Writer& out_;
  const Device::Facts& facts_;
  const Port& port_;
};

/// What the model has at a port; it changes half a cycle after the RTL's, before the edge at which
/// both are compared.
void add_model(Writer& out, const Device::Facts& facts, const Port& port, bool input) {
  const std::string pins = fmt::format("harness.model_{}", port.name);
  if (input) return out.wire(pins + "_tready", 1, kBinary);
  out.wire(pins + "_tvalid", 1, kBinary);
  out.wire(pins + "_tlast", 1, kBinary);
  if (port.user_bits != 0) {
    out.wire(pins + "_tuser", port.user_bits, port.user_bits > 4 ? kHex : kBinary);
  }
  out.wire(pins + "_tkeep", facts.beat_bytes, kHex);
  out.wire(pins + "_tdata", facts.beat_bytes * 8, kHex);
}

/// A group for each port; where several share their pins, each with those that are its own, and
/// what the model has there.
void add_stream(Writer& out, const Device::Facts& facts, const std::vector<Port>& ports, bool input,
                bool model) {
  const char* const side = input ? "input" : "output";
  for (size_t p = 0; p < ports.size(); ++p) {
    const Port& port = ports[p];
    const Pins pins(out, facts, port);
    const std::string number = ports.size() == 1 ? "" : std::to_string(p);
    const std::string title = fmt::format("{} {}", input ? "Input" : "Output", port.name);
    if (port.slots > 1) out.line(kGroup, "-" + title);
    if (port.slots == 1) out.heading(title);
    out.wire(fmt::format("harness.{}_packet{}", side, number), 32, kDecimal);
    for (const char* name : {"tvalid", "tready", "tlast"}) pins.wire(name, 1, kBinary);
    if (port.user_bits != 0) {
      pins.wire("tuser", port.user_bits, port.user_bits > 4 ? kHex : kBinary);
    }
    out.wire(fmt::format("harness.{}_stall{}", input ? "source" : "sink", number), 1, kBinary);
    pins.wire("tkeep", facts.beat_bytes, kHex);
    pins.wire("tdata", facts.beat_bytes * 8, kHex);
    pins.fields();
    if (ports.size() == 1 && facts.beat_bytes == 32) {
      for (int lane = 0; lane < 8; ++lane) {
        out.wire(fmt::format("harness.{}_float{}", input ? "s" : "m", lane), 1, kDecimal);
      }
    }
    if (port.slots > 1 && model) {
      out.heading(fmt::format("{}: model", port.name));
      add_model(out, facts, port, input);
    }
    if (port.slots > 1) out.line(kGroupEnd, "-" + title);
  }
}

/// Write channels, then read channels: what the master says before what the device answers.
void add_control(Writer& out, const Device::Facts& facts, const ControlPort& port) {
  std::string_view side;
  for (const ControlSignal& signal : control_signals(port)) {
    const std::string_view of = signal.channel[0] == 'A' ? &signal.channel[1] : signal.channel;
    const std::string_view now = of == "R" ? "reads" : "writes";
    if (now != side) out.heading(fmt::format("Control {}, {}", port.name, now));
    side = now;
    out.wire(fmt::format("{}.{}", facts.top, pin_name(port, signal)), signal.bits,
             signal.bits > 2 ? kHex : kBinary);
  }
}

}  // namespace

std::string save_file(const Device::Facts& facts, const SaveFileView& view) {
  Writer out;
  out.heading("Time");
  out.wire(facts.top + ".aclk", 1, kBinary);
  out.wire(facts.top + ".aresetn", 1, kBinary);
  out.wire("harness.cycle", 32, kDecimal);
  add_stream(out, facts, facts.inputs, true, view.model);
  for (const ControlPort& port : facts.controls) add_control(out, facts, port);
  if (!facts.pins.empty()) out.heading("Configuration");
  for (const Pin& pin : facts.pins) {
    out.wire(fmt::format("{}.{}", facts.top, pin.name), pin.bits,
             pin.bits > 32  ? kHex
             : pin.bits > 1 ? kDecimal
                            : kBinary);
  }
  if (!facts.inside.empty()) out.heading("Inside");
  for (const std::string& signal : facts.inside) {
    const bool vector = signal.ends_with("]");
    out.line(vector ? kDecimal : kBinary, fmt::format("{0}.{0}.{1}", facts.top, signal));
  }
  add_stream(out, facts, facts.outputs, false, view.model);
  bool headed = false;
  for (const auto* const ports : {&facts.inputs, &facts.outputs}) {
    for (const Port& port : *ports) {
      if (!view.model || port.slots > 1) continue;  // those are in their group
      if (!std::exchange(headed, true)) out.heading("Model");
      add_model(out, facts, port, ports == &facts.inputs);
    }
  }
  if (!facts.probe.empty()) out.heading("Events");
  for (const Pin& pin : facts.probe) {
    out.wire(fmt::format("{}.{}", facts.top, pin.name), pin.bits, pin.bits > 1 ? kHex : kBinary);
  }
  return fmt::format(
      "[timestart] {}\n[size] 1380 960\n[pos] 0 0\n*-16.200000 {} {} -1 -1 -1\n[sst_width] 240\n"
      "[signals_width] 320\n[sst_expanded] 1\n{}",
      view.begin_ps, view.cursor_ps.value_or(0),
      view.moved_ps ? fmt::format("{}", *view.moved_ps) : "-1", std::move(out).text());
}

Device::Facts facts_in_wave(Device::Facts facts, const RunSpec& spec) {
  const bool other = !spec.user_rtl.top.empty() && spec.user_rtl.top != facts.top;
  if (other) facts.top = spec.user_rtl.top;
  if (other || !spec.netlist.empty()) facts.inside.clear();
  return facts;
}

SaveFileView view_of(const RunSpec& spec, const Failure& failure) {
  // Cycles; a window of the size below shows 28 of them.
  constexpr int64_t kBefore = 18;
  SaveFileView view{.model = spec.rtl && (spec.model || spec.against)};
  if (failure.kind == FailureKind::kNone) return view;
  const auto at = [&spec](int64_t cycle) { return wave_time_ps(cycle, spec.clock_mhz); };
  const auto cycle = static_cast<int64_t>(failure.cycle);
  const int64_t from = spec.wave ? spec.wave->from : 0;
  view.begin_ps = at(std::max({int64_t{0}, from, cycle - kBefore}));
  view.cursor_ps = at(cycle);
  if (failure.moved) view.moved_ps = at(static_cast<int64_t>(*failure.moved));
  return view;
}

uint64_t wave_time_ps(int64_t cycle, double clock_mhz) {
  const auto period = static_cast<uint64_t>(1e6 / clock_mhz + 0.5);
  return static_cast<uint64_t>(cycle + kResetCycles) * period + period / 2;
}

void write_save_file(const Device::Facts& facts, const std::string& wave,
                     const SaveFileView& view) {
  std::filesystem::path path(wave);
  path.replace_extension(".gtkw");
  std::ofstream out(path);
  out << "[*] GTKWave save file of gradwire's device " << facts.name << "\n[dumpfile] \""
      << std::filesystem::absolute(wave).string() << "\"\n"
      << save_file(facts, view);
  out.flush();
  if (!out)
    throw InputError(fmt::format("cannot write '{}': {}", path.string(), std::strerror(errno)));
}

}  // namespace gw::sim
