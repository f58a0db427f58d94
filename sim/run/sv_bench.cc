// SPDX-License-Identifier: Apache-2.0
#include "sim/run/sv_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "sim/base/error.h"

namespace gw::sim {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMark = "// Made by gradwire: ";

[[noreturn]] void unwritable(const std::string& path, int error) {
  throw InputError(fmt::format("cannot write '{}': {}", path, std::strerror(error)));
}

void write_text(const fs::path& path, const std::string& text) {
  errno = 0;
  std::ofstream out(path);
  out << text;
  out.close();
  if (!out) unwritable(path.string(), errno);
}

void put(std::vector<uint32_t>& word, int at, int bits, uint64_t value) {
  for (; bits > 0; bits -= 32, at += 32, value >>= 32) {
    const uint64_t part = bits < 32 ? value & ((1u << bits) - 1) : value & UINT32_MAX;
    const auto i = static_cast<size_t>(at / 32);
    word[i] |= static_cast<uint32_t>(part << at % 32);
    word[i + 1] |= static_cast<uint32_t>(part << at % 32 >> 32);
  }
}

}  // namespace

/// Where everything stands in the word of an edge. Wide fields that are mostly idle come last: a
/// line has no leading zeros.
struct SvBench::Layout {
  enum Kind { kOwn, kInput, kOutput };
  struct Field {
    std::string name;
    int bits, at;
    Kind kind;
  };
  struct Stream {
    const Port* port;
    int bytes, valid, ready, last, user, keep, data;
  };

  struct Control {
    std::vector<int> at;  ///< of the signals, as control_signals has them
    const ControlPort* port;
  };

  std::vector<Field> fields;
  std::vector<Stream> in, out;
  std::vector<Control> controls;
  std::vector<std::string> checks;  ///< lines of the bench
  int probe = 0, probe_bits = 0, counters = 0, bits = 0;

  explicit Layout(const Device::Facts& facts) {
    counters = facts.statistics_are_pins ? static_cast<int>(facts.statistics.size()) : 0;
    for (const char* name : {"resetn", "seen", "over"}) add(name, 1, kOwn);
    if (facts.host_writes) {
      add("cfg_valid_i", 1, kInput);
      add("cfg_address_i", 32, kInput);
      add("cfg_data_i", 32, kInput);
    }
    for (const Pin& pin : facts.pins) add(std::string(pin.name), pin.bits, kInput);
    for (const Port& port : facts.inputs) in.push_back(handshake(port, facts.beat_bytes, true));
    for (const Port& port : facts.outputs) out.push_back(handshake(port, facts.beat_bytes, false));
    for (const ControlPort& port : facts.controls) control(port);
    probe = bits;
    for (const Pin& pin : facts.probe) {
      add(std::string(pin.name), pin.bits, kOutput);
      compare(std::string(pin.name), std::string(pin.valid));
    }
    probe_bits = bits - probe;
    for (Stream& stream : in) payload(stream, kInput);
    for (Stream& stream : out) payload(stream, kOutput);
    bits = std::max(bits, 3 + 32 * counters);
  }

  int at(std::string_view name) const {
    const auto field = std::ranges::find(fields, name, &Field::name);
    return field != fields.end() ? field->at : -1;
  }

 private:
  int add(const std::string& name, int width, Kind kind) {
    if (const int there = at(name); there >= 0) return there;  // another slot's
    fields.push_back({name, width, bits, kind});
    bits += width;
    return fields.back().at;
  }
  /// `valid`: only while this output is 1.
  void compare(const std::string& name, const std::string& valid = "") {
    const std::string when = valid.empty() ? "" : fmt::format("if (want_{}) ", valid);
    checks.push_back(fmt::format("{1}`GW_COMPARE(\"{0}\", {0}, want_{0})", name, when));
  }
  void control(const ControlPort& port) {
    Control& all = controls.emplace_back();
    all.port = &port;
    for (const ControlSignal& signal : control_signals(port)) {
      const std::string pin = pin_name(port, signal);
      all.at.push_back(add(pin, signal.bits, signal.of_master ? kInput : kOutput));
      if (signal.of_master) continue;
      if (signal.valid == nullptr) {
        compare(pin);
      } else {
        checks.push_back(fmt::format("if (want_{0}_{1}) `GW_COMPARE(\"{2}\", {2}, want_{2})",
                                     port.bundle, signal.valid, pin));
      }
    }
  }
  Stream handshake(const Port& port, int bytes, bool input) {
    const std::string bundle(port.bundle);
    if (input && port.slot == 0) compare(bundle + "_tready");
    const int valid = add(bundle + "_tvalid", port.slots, input ? kInput : kOutput);
    const int ready = add(bundle + "_tready", port.slots, input ? kOutput : kInput);
    return {&port, bytes, valid + port.slot, ready + port.slot, 0, 0, 0, 0};
  }
  void payload(Stream& s, Kind kind) {
    const Port& port = *s.port;
    const auto part = [&](const char* signal, int width) {
      if (width == 0) return 0;
      const std::string name = fmt::format("{}_{}", port.bundle, signal);
      if (kind == kOutput) {
        checks.push_back(
            fmt::format("if (want_{0}_tvalid[{1}]) `GW_COMPARE(\"{2}_{3}\", {4}[{5} +: {6}], "
                        "want_{4}[{5} +: {6}])",
                        port.bundle, port.slot, port.name, signal, name, port.slot * width, width));
      }
      return add(name, width * port.slots, kind) + width * port.slot;
    };
    s.last = part("tlast", 1);
    s.user = part("tuser", port.user_bits);
    s.keep = part("tkeep", s.bytes);
    s.data = part("tdata", 8 * s.bytes);
  }
};

namespace {

template <class Layout>
std::string bench_text(const Device::Facts& facts, const RtlSources& rtl, const Layout& layout,
                       const std::string& name) {
  std::string wires, connected = ".aclk, .aresetn", checks, parameters, counters;
  for (const auto& field : layout.fields) {
    const bool output = field.kind == Layout::kOutput;
    wires += fmt::format("  wire [{}:0] {}{} = word[{} +: {}];\n", field.bits - 1,
                         output ? "want_" : "", field.name, field.at, field.bits);
    if (output) wires += fmt::format("  wire [{}:0] {};\n", field.bits - 1, field.name);
    if (field.kind != Layout::kOwn) connected += fmt::format(",\n    .{}", field.name);
  }
  if (layout.counters != 0) {
    wires += fmt::format("  wire [{}:0] stat_o;\n", 32 * layout.counters - 1);
    connected += ",\n    .stat_o";
    counters = "    #5;\n";
    for (int i = 0; i < layout.counters; ++i) {
      counters += fmt::format(
          "    if (next[1]) `GW_COMPARE(\"stat_o, {}\", stat_o[{} +: 32], next[{} +: 32])\n",
          facts.statistics[static_cast<size_t>(i)], 32 * i, 3 + 32 * i);
    }
  }
  for (const std::string& check : layout.checks) checks += fmt::format("          {}\n", check);
  for (const auto& [parameter, value] : rtl.parameters) {
    parameters += fmt::format("{}.{}({})", parameters.empty() ? " #(" : ", ", parameter, value);
  }
  if (!parameters.empty()) parameters += ")";
  std::string silent;
  for (const auto& stream : layout.out) {
    if (stream.port->slot == 0) {
      silent += fmt::format("        `GW_COMPARE(\"{0}_tvalid\", {0}_tvalid, want_{0}_tvalid)\n",
                            stream.port->bundle);
    }
  }
  for (const ControlPort& port : facts.controls) {
    for (const char* valid : {"bvalid", "rvalid"}) {
      silent += fmt::format("        `GW_COMPARE(\"{0}_{1}\", {0}_{1}, want_{0}_{1})\n",
                            port.bundle, valid);
    }
  }
  return fmt::format(
      R"({mark}a run of the device {device}, to be replayed in any simulator of SystemVerilog.
// Sources: files.f. Vectors: vectors.hex in the working directory, or +vectors=FILE, a word a clock edge. Inputs are
// those that the edge samples; outputs are compared before it, in four states. Cycle 0 follows reset and host writes.
`default_nettype none

`define GW_COMPARE(name_, got_, want_) \
  if (!failed && (got_) !== (want_)) begin \
    failed = 1'b1; \
    $display("FAIL cycle=%0d signal=%s got=%h expected=%h", cycle, name_, got_, want_); \
    $fatal(1, "the RTL does not follow the recorded run"); \
  end

module {name};
  reg aclk = 1'b0;
  reg [{top}:0] word = 0, next = 0;
  wire aresetn = resetn;
{wires}
  {rtl}{parameters} u_dut (
    {connected}
  );

  integer file, got, cycle = -1, lines = 0;
  reg was_reset = 1'b0, failed = 1'b0;  // before the first edge outputs are undefined
  reg [8*1024-1:0] path;

  initial begin
    if (!$value$plusargs("vectors=%s", path)) path = "vectors.hex";
    file = $fopen(path, "r");
    if (file == 0) $fatal(1, "cannot open %0s", path);
    got = $fscanf(file, "%h", next);
    while (got == 1 && !next[2] && !failed) begin
      word = next;
      lines = lines + 1;
      #5;
      if (seen && resetn) cycle = cycle + 1;
      if (was_reset) begin
{silent}        if (seen) begin
{checks}        end
      end
      aclk = 1'b1;
      was_reset = was_reset | !resetn;
      #5 aclk = 1'b0;
      if (!failed) got = $fscanf(file, "%h", next);
    end
    if (got != 1) $fatal(1, "%0s ends early or is no file of vectors, line %0d", path, lines + 1);
{counters}    if (got == 1 && !failed) begin
      $display("PASS cycles=%0d", cycle + 1);
      $finish;
    end
  end
endmodule

`default_nettype wire
)",
      fmt::arg("mark", kMark), fmt::arg("device", facts.name), fmt::arg("name", name),
      fmt::arg("top", layout.bits - 1), fmt::arg("wires", wires), fmt::arg("rtl", rtl.top),
      fmt::arg("parameters", parameters), fmt::arg("connected", connected),
      fmt::arg("silent", silent), fmt::arg("checks", checks), fmt::arg("counters", counters));
}

/// Throws if anything in it might not be ours.
void take_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) unwritable(folder.string(), error.value());
  const bool empty = fs::is_empty(folder, error);
  if (error) unwritable(folder.string(), error.value());
  std::string first;
  std::ifstream list(folder / "files.f");
  std::getline(list, first);
  if (!empty && !first.starts_with(kMark)) {
    throw InputError(
        fmt::format("the folder '{}' of --sv-bench is not empty and holds no bench of "
                    "gradwire's",
                    folder.string()));
  }
}

}  // namespace

SvBench::SvBench(const std::string& folder, const Device::Facts& facts, const RtlSources& rtl)
    : path_((fs::path(folder) / "vectors.hex").string()), layout_(std::make_unique<Layout>(facts)) {
  take_folder(folder);
  const std::string name = fmt::format("gw_{}_tb", facts.name);
  write_text(fs::path(folder) / "files.f", fmt::format("{}RTL of the device {}\n{}\n", kMark,
                                                       facts.name, fmt::join(rtl.list, "\n")));
  write_text(fs::path(folder) / (name + ".sv"), bench_text(facts, rtl, *layout_, name));
  const fs::path script = fs::path(folder) / "run.sh";
  write_text(script, fmt::format(R"sh(#!/bin/sh
# Replays the recorded run in Icarus. In Verilator: verilator --binary --timing -Wno-fatal -f files.f --top {0} {0}.sv
set -eu
cd "$(dirname "$0")"
iverilog -g2012 -f files.f -s {0} -o {0}.vvp {0}.sv
exec vvp -n {0}.vvp
)sh",
                                 name));
  std::error_code ignored;
  fs::permissions(script, fs::perms::owner_exec, fs::perm_options::add, ignored);
  file_ = std::fopen(path_.c_str(), "w");
  if (file_ == nullptr) unwritable(path_, errno);
  idle_.assign(static_cast<size_t>(layout_->bits) / 32 + 2, 0);
  word_ = idle_;
}

SvBench::~SvBench() {
  if (file_ != nullptr) std::fclose(file_);
}

void SvBench::pin(std::string_view name, uint64_t value) {
  for (const Layout::Field& field : layout_->fields) {
    if (field.name == name) pin(Pin{field.name, field.bits}, value);
  }
}

void SvBench::pin(const Pin& pin, uint64_t value) {
  for (const Layout::Field& field : layout_->fields) {
    if (field.name != pin.name) continue;
    for (int bit = 0; bit < pin.bits; ++bit) {
      const auto at = static_cast<size_t>(field.at + pin.lsb + bit);
      idle_[at / 32] &= ~(1u << at % 32);
    }
    put(idle_, field.at + pin.lsb, pin.bits, value);
  }
  word_ = idle_;
}

void SvBench::line() {
  if (error_ == 0) {
    size_t words = word_.size();
    while (words > 1 && word_[words - 1] == 0) --words;
    std::string text = fmt::format("{:x}", word_[words - 1]);
    while (--words > 0) fmt::format_to(std::back_inserter(text), "{:08x}", word_[words - 1]);
    text += '\n';
    errno = 0;
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) error_ = errno;
  }
  word_ = idle_;
}

void SvBench::reset(bool first, std::span<const uint64_t> probe) {
  put(word_, 1, 1, first ? 0 : 1);
  put_probe(probe);
  line();
}

void SvBench::put_probe(std::span<const uint64_t> probe) {
  int at = layout_->probe, bits = layout_->probe_bits;
  for (size_t i = 0; bits > 0 && i < probe.size(); ++i, at += 64, bits -= 64) {
    put(word_, at, std::min(bits, 64), probe[i]);
  }
}

void SvBench::boot(const Boot& boot) {
  const int host = layout_->at("cfg_valid_i");
  uint64_t edges = 1;
  if (host >= 0) {
    for (const Boot::Write& write : boot.writes) {
      put(word_, 0, 1, 1);
      put(word_, host, 1, 1);
      put(word_, host + 1, 32, write.address);
      put(word_, host + 33, 32, write.data);
      line();
    }
    edges += boot.writes.size();
  }
  do {
    put(word_, 0, 1, 1);
    line();
  } while (++edges <= boot.edges);
}

void SvBench::control(size_t port, const AxiLiteRequest& q, const AxiLiteReply& r) {
  const std::array<uint32_t, 17> values = {q.awvalid, r.awready,
                                           q.awaddr,  q.wvalid,
                                           r.wready,  q.wdata,
                                           q.wstrb,   r.bvalid,
                                           q.bready,  static_cast<uint32_t>(r.bresp),
                                           q.arvalid, r.arready,
                                           q.araddr,  r.rvalid,
                                           q.rready,  static_cast<uint32_t>(r.rresp),
                                           r.rdata};
  const Layout::Control& control = layout_->controls[port];
  const auto signals = control_signals(*control.port);
  for (size_t i = 0; i < signals.size(); ++i) {
    put(word_, control.at[i], signals[i].bits, values[i]);
  }
}

void SvBench::cycle(std::span<const Transfer> in, uint32_t m_ready, uint32_t s_ready,
                    std::span<const Transfer> out, std::span<const uint64_t> probe) {
  const auto transfer = [this](const Layout::Stream& s, const Transfer& t) {
    if (t.data == nullptr) return;
    put(word_, s.valid, 1, 1);
    put(word_, s.last, 1, t.last ? 1 : 0);
    for (int bit = 0, bits = s.port->user_bits; bit < bits; bit += 32) {
      put(word_, s.user + bit, std::min(bits - bit, 32), bits == 1 ? t.user : t.meta[bit / 32]);
    }
    put(word_, s.keep, s.bytes, t.keep);
    for (int i = 0; i < s.bytes / 4; ++i) put(word_, s.data + 32 * i, 32, t.data[i]);
  };
  put(word_, 0, 2, 3);
  for (size_t p = 0; p < in.size(); ++p) {
    put(word_, layout_->in[p].ready, 1, s_ready >> p & 1);
    transfer(layout_->in[p], in[p]);
  }
  for (size_t p = 0; p < out.size(); ++p) {
    put(word_, layout_->out[p].ready, 1, m_ready >> p & 1);
    transfer(layout_->out[p], out[p]);
  }
  put_probe(probe);
  line();
}

void SvBench::finish(std::span<const uint32_t> statistics) {
  idle_.assign(idle_.size(), 0);
  word_ = idle_;
  put(word_, 0, 3, statistics.empty() ? 5 : 7);
  for (size_t i = 0; i < statistics.size(); ++i) {
    put(word_, 3 + 32 * static_cast<int>(i), 32, statistics[i]);
  }
  line();
  errno = 0;
  if (std::fclose(std::exchange(file_, nullptr)) != 0 && error_ == 0) error_ = errno;
  if (error_ != 0) unwritable(path_, error_);
}

}  // namespace gw::sim
