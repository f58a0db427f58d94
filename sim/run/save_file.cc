#include "sim/run/save_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "sim/base/error.h"
#include "sim/harness/engine.h"

namespace gw::sim {
namespace {

// GTKWave's trace flags: right-justified with the format; @200 is a comment.
constexpr const char* kBinary = "@28";
constexpr const char* kHex = "@22";
constexpr const char* kDecimal = "@24";
constexpr const char* kComment = "@200";

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

void add_stream(Writer& out, const Device::Facts& facts, const std::vector<Port>& ports, bool input,
                std::set<std::string_view>& done) {
  const char* const side = input ? "input" : "output";
  for (size_t p = 0; p < ports.size(); ++p) {
    const Port& port = ports[p];
    if (!done.insert(port.bundle).second) continue;
    const std::string pins = fmt::format("{}.{}", facts.top, port.bundle);
    out.heading(fmt::format("{} {}", input ? "Input" : "Output", port.bundle));
    for (size_t q = 0; q < ports.size(); ++q) {
      if (ports[q].bundle != port.bundle) continue;
      out.wire(ports.size() == 1 ? fmt::format("harness.{}_packet", side)
                                 : fmt::format("harness.{}_packet{}", side, q),
               32, kDecimal);
    }
    for (const char* name : {"tvalid", "tready", "tlast"}) {
      out.wire(fmt::format("{}_{}", pins, name), port.slots, kBinary);
    }
    if (port.user_bits != 0) {
      const int bits = port.user_bits * port.slots;
      out.wire(pins + "_tuser", bits, bits > 4 ? kHex : kBinary);
    }
    for (size_t q = 0; q < ports.size(); ++q) {
      if (ports[q].bundle != port.bundle) continue;
      out.wire(fmt::format("harness.{}_stall{}", input ? "source" : "sink",
                           ports.size() == 1 ? "" : std::to_string(q)),
               1, kBinary);
    }
    out.wire(pins + "_tkeep", facts.beat_bytes * port.slots, kHex);
    out.wire(pins + "_tdata", facts.beat_bytes * 8 * port.slots, kHex);
    if (ports.size() == 1 && facts.beat_bytes == 32) {
      for (int lane = 0; lane < 8; ++lane) {
        out.wire(fmt::format("harness.{}_float{}", input ? "s" : "m", lane), 1, kDecimal);
      }
    }
  }
}

/// What the model has at the same ports; it changes half a cycle behind the RTL's, before the edge
/// at which both are compared.
void add_model(Writer& out, const Device::Facts& facts) {
  out.heading("Model");
  for (const Port& port : facts.inputs) {
    out.wire(fmt::format("harness.model_{}_tready", port.name), 1, kBinary);
  }
  for (const Port& port : facts.outputs) {
    const std::string pins = fmt::format("harness.model_{}", port.name);
    out.wire(pins + "_tvalid", 1, kBinary);
    out.wire(pins + "_tlast", 1, kBinary);
    if (port.user_bits != 0) {
      out.wire(pins + "_tuser", port.user_bits, port.user_bits > 4 ? kHex : kBinary);
    }
    out.wire(pins + "_tkeep", facts.beat_bytes, kHex);
    out.wire(pins + "_tdata", facts.beat_bytes * 8, kHex);
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
  std::set<std::string_view> done;
  add_stream(out, facts, facts.inputs, true, done);
  for (const ControlPort& port : facts.controls) add_control(out, facts, port);
  if (!facts.pins.empty()) out.heading("Configuration");
  for (const Pin& pin : facts.pins) {
    out.wire(fmt::format("{}.{}", facts.top, pin.name), pin.bits,
             pin.bits > 1 ? kDecimal : kBinary);
  }
  if (!facts.inside.empty()) out.heading("Inside");
  for (const std::string& signal : facts.inside) {
    const bool vector = signal.ends_with("]");
    out.line(vector ? kDecimal : kBinary, fmt::format("{0}.{0}.{1}", facts.top, signal));
  }
  add_stream(out, facts, facts.outputs, false, done);
  if (view.model) add_model(out, facts);
  for (const Pin& pin : facts.probe) {
    out.wire(fmt::format("{}.{}", facts.top, pin.name), pin.bits, pin.bits > 1 ? kHex : kBinary);
  }
  return fmt::format(
      "[timestart] {}\n[size] 1380 960\n[pos] 0 0\n*-16.200000 {} -1 -1 -1 -1\n[sst_width] 240\n"
      "[signals_width] 320\n[sst_expanded] 1\n{}",
      view.begin_ps, view.cursor_ps.value_or(0), std::move(out).text());
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
