// SPDX-License-Identifier: Apache-2.0
#include "testbenches/library/engine_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "sim/base/error.h"
#include "sim/base/file_bytes.h"
#include "testbenches/engine/engine_abi.h"
#include "testbenches/library/start_text.h"
#include "testbenches/library/verilator_flags.h"  // generated from cmake/GradwireVerilate.cmake

namespace gw::testbenches {
namespace {

namespace fs = std::filesystem;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

void write_file(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.flush();
  if (!file) throw sim::InputError(fmt::format("cannot write '{}'", path.string()));
}

bool toggles(const VerilateJob& job) {
  return std::ranges::find(job.coverage, "toggle") != job.coverage.end();
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// A bundle's pins, one direction.
struct BundleOf {
  std::string name;
  int first, slots, user_bits;
};

std::vector<BundleOf> bundles_of(const std::vector<sim::Port>& ports) {
  std::vector<BundleOf> all;
  for (size_t p = 0; p < ports.size(); ++p) {
    const sim::Port& port = ports[p];
    if (port.slot == 0) {
      all.push_back({std::string(port.bundle), static_cast<int>(p), port.slots, port.user_bits});
    }
    const BundleOf& now = all.empty() ? BundleOf{} : all.back();
    if (now.name != port.bundle || static_cast<int>(p) != now.first + port.slot ||
        now.user_bits != port.user_bits) {
      throw std::logic_error(
          fmt::format("port {} is not the next slot of its bundle {}", port.name, port.bundle));
    }
  }
  if (ports.empty() || ports.size() > GW_ENGINE_PORTS) {
    throw std::logic_error("an engine has 1 to 16 ports each way");
  }
  return all;
}

/// What a shape asks of the top, pin by pin.
std::vector<TopPort> wanted_ports(const EngineShape& shape) {
  std::vector<TopPort> all = {{"aclk", true, 1}, {"aresetn", true, 1}};
  const auto add = [&](const std::vector<sim::Port>& ports, bool input) {
    for (const BundleOf& b : bundles_of(ports)) {
      const auto pin = [&](const char* suffix, bool in, int bits) {
        all.push_back({b.name + suffix, in, bits});
      };
      pin("_tdata", input, shape.beat_bits * b.slots);
      pin("_tkeep", input, shape.beat_bits / 8 * b.slots);
      pin("_tvalid", input, b.slots);
      pin("_tready", !input, b.slots);
      pin("_tlast", input, b.slots);
      if (b.user_bits > 0) pin("_tuser", input, b.user_bits * b.slots);
    }
  };
  add(shape.inputs, true);
  add(shape.outputs, false);
  for (const sim::ControlPort& control : shape.controls) {
    for (const sim::ControlSignal& signal : sim::control_signals(control)) {
      all.push_back({sim::pin_name(control, signal), signal.of_master, signal.bits});
    }
  }
  for (const sim::Pin& pin : shape.pins) all.push_back({std::string(pin.name), true, pin.bits});
  for (const sim::Pin& pin : shape.probes) all.push_back({std::string(pin.name), false, pin.bits});
  return all;
}

const TopPort* find(const std::vector<TopPort>& ports, std::string_view name) {
  const auto at = std::ranges::find(ports, name, &TopPort::name);
  return at == ports.end() ? nullptr : &*at;
}

const char* direction(const TopPort& port) { return port.input ? "input" : "output"; }

/// Constant, and of no use to a device that does not protect its registers: it may leave it out.
bool is_protection(const EngineShape& shape, const TopPort& port) {
  return port.input && port.bits == 3 &&
         std::ranges::any_of(shape.controls, [&](const sim::ControlPort& control) {
           const std::string bundle(control.bundle);
           return port.name == bundle + "_awprot" || port.name == bundle + "_arprot";
         });
}

/// Removes the outputs that the device does not have, and returns their names: they stay open.
std::vector<std::string> take_open_outputs(const EngineShape& shape, std::vector<TopPort>& ports) {
  std::vector<std::string> open;
  if (shape.any_pins) return open;
  const std::vector<TopPort> wanted = wanted_ports(shape);
  std::erase_if(ports, [&](const TopPort& port) {
    if (port.input || find(wanted, port.name) != nullptr) return false;
    open.push_back(port.name);
    return true;
  });
  return open;
}

/// The outputs that are compared in each cycle: those that the device names, in its order, whatever
/// that of the top is; then all others.
std::vector<TopPort> probed(const EngineShape& shape, const std::vector<TopPort>& ports,
                            const std::vector<TopPort>& streams) {
  std::vector<TopPort> all;
  for (const sim::Pin& pin : shape.probes) {
    if (const TopPort* const port = find(ports, pin.name)) all.push_back(*port);
  }
  for (const TopPort& port : ports) {
    if (port.input || find(streams, port.name) != nullptr || find(all, port.name) != nullptr) {
      continue;
    }
    all.push_back(port);
  }
  std::erase_if(all, [](const TopPort& port) { return port.name == "stat_o"; });
  return all;
}

/// They are packed: a body that sets a GwOutputs. What lies in one word is one expression, which is
/// all that most tops need.
std::string probe_body(const std::vector<TopPort>& outputs) {
  constexpr int kBits = 64 * (1 + GW_ENGINE_PROBE_MORE);
  std::vector<std::string> words(1);
  std::string wide;
  int lsb = 0;
  for (const TopPort& port : outputs) {
    if (lsb + port.bits > kBits) {
      throw sim::InputError(
          fmt::format("the outputs beside the streams have more than {} bits ({} is one too many)",
                      kBits, port.name));
    }
    const int last = (lsb + port.bits - 1) / 64;
    words.resize(static_cast<size_t>(last) + 1);
    std::string& word = words[static_cast<size_t>(last)];
    if (port.bits <= 64 && lsb / 64 == last) {
      word +=
          fmt::format("{}uint64_t{{top.{}}} << {}", word.empty() ? "" : " | ", port.name, lsb % 64);
    } else {
      wide += fmt::format(" show_bits<{0}>(shown, {1}, top.{2});", port.bits, lsb, port.name);
    }
    lsb += port.bits;
  }
  std::string body;
  for (size_t i = 0; i < words.size(); ++i) {
    body += fmt::format(" shown.{} = {};", i == 0 ? "probe" : fmt::format("probe_more[{}]", i - 1),
                        words[i].empty() ? "0" : words[i]);
  }
  return body + wide;
}

nlohmann::json description(const VerilateJob& job, const std::vector<TopPort>& ports,
                           const std::vector<std::string>& open, bool drawn) {
  nlohmann::json parameters = nlohmann::json::object();
  for (const std::string& p : job.parameters) {
    const size_t equals = p.find('=');
    parameters[p.substr(0, equals)] = equals == std::string::npos ? "" : p.substr(equals + 1);
  }
  nlohmann::json list = nlohmann::json::array();
  for (const TopPort& port : ports) {
    list.push_back({{"name", port.name}, {"direction", direction(port)}, {"bits", port.bits}});
  }
  nlohmann::json all = {{"top", job.top},
                        {"beat_bits", job.shape.beat_bits},
                        {"ports", list},
                        {"parameters", parameters},
                        {"traced", job.traced},
                        {"built_with", job.version},
                        {"assertions", job.checked && job.assertions},
                        {"start_values", !job.checked ? "0"
                                         : drawn      ? "simulator"
                                                      : "seed and name"}};
  for (const sim::ControlPort& control : job.shape.controls) {
    all["controls"].push_back({{"name", control.name}, {"address_bits", control.address_bits}});
  }
  if (!open.empty()) all["open"] = open;
  if (!job.netlist.empty()) all["netlist"] = job.netlist;
  if (!job.coverage.empty()) all["coverage"] = job.coverage;
  if (job.state) all["state"] = true;
  return all;
}

/// The harness's own signals as a module, traced beside the RTL.
std::string harness_module(const EngineShape& shape) {
  std::string text =
      "// What the harness knows in a cycle and the RTL does not.\nmodule harness (\n";
  text += "  input wire logic [31:0] cycle";
  const auto port_signals = [&](const char* packet, const char* stall, size_t ports) {
    for (size_t p = 0; p < ports; ++p) {
      const std::string number = ports == 1 ? "" : std::to_string(p);
      text += fmt::format(",\n  input wire logic [31:0] {}{},\n  input wire logic {}{}", packet,
                          number, stall, number);
    }
  };
  port_signals("input_packet", "source_stall", shape.inputs.size());
  port_signals("output_packet", "sink_stall", shape.outputs.size());
  const auto model_signal = [&](const sim::Port& port, const char* name, int bits) {
    text += fmt::format(",\n  input wire logic{} model_{}_{}",
                        bits == 1 ? "" : fmt::format(" [{}:0]", bits - 1), port.name, name);
  };
  for (const sim::Port& port : shape.inputs) model_signal(port, "tready", 1);
  for (const sim::Port& port : shape.outputs) {
    model_signal(port, "tvalid", 1);
    model_signal(port, "tlast", 1);
    if (port.user_bits != 0) model_signal(port, "tuser", port.user_bits);
    model_signal(port, "tkeep", shape.beat_bits / 8);
    model_signal(port, "tdata", shape.beat_bits);
  }
  if (shape.inputs.size() == 1 && shape.outputs.size() == 1) {
    for (const char* side : {"s", "m"}) {
      for (int lane = 0; lane < shape.beat_bits / 32; ++lane) {
        text += fmt::format(",\n  input real {}_float{}", side, lane);
      }
    }
  }
  return text + "\n);\nendmodule\n";
}

/// How the glue writes them.
std::string harness_facts(const VerilateJob& job) {
  const EngineShape& shape = job.shape;
  const bool lanes = shape.inputs.size() == 1 && shape.outputs.size() == 1;
  std::string text = fmt::format(
      "  using Harness = H{};\n"
      "  static constexpr bool kHarnessLanes = {};\n"
      "  static void show(Harness& h, const GwHarnessSignals& s) {{\n"
      "    h.cycle = static_cast<uint32_t>(s.cycle);\n",
      job.name, lanes);
  const auto port_signals = [&](const char* packet, const char* stall, size_t ports) {
    for (size_t p = 0; p < ports; ++p) {
      const std::string number = ports == 1 ? "" : std::to_string(p);
      text += fmt::format("    h.{}{} = s.{}[{}];\n    h.{}{} = s.{} >> {} & 1;\n", packet, number,
                          packet, p, stall, number, stall, p);
    }
  };
  port_signals("input_packet", "source_stall", shape.inputs.size());
  port_signals("output_packet", "sink_stall", shape.outputs.size());
  for (size_t p = 0; p < shape.inputs.size(); ++p) {
    text += fmt::format("    h.model_{}_tready = s.model_s_ready >> {} & 1;\n",
                        shape.inputs[p].name, p);
  }
  for (size_t p = 0; p < shape.outputs.size(); ++p) {
    const sim::Port& port = shape.outputs[p];
    const std::string model = fmt::format("h.model_{}", port.name);
    text += fmt::format(
        "    {0}_tvalid = s.model_beat[{1}] != nullptr;\n"
        "    if (const auto* beat = static_cast<const BasicBeat<kLanes>*>(s.model_beat[{1}])) {{\n"
        "      {0}_tlast = beat->last;\n"
        "      {0}_tkeep = beat->keep;\n"
        "      std::memcpy(&{0}_tdata[0], beat->data.data(), sizeof beat->data);\n",
        model, p);
    if (port.user_bits == 1) text += fmt::format("      {}_tuser = beat->user;\n", model);
    for (int word = 0; port.user_bits > 1 && 32 * word < port.user_bits; ++word) {
      text += fmt::format("      put_bits<{}>({}_tuser, {}, beat->meta[{}]);\n",
                          std::min(32, port.user_bits - 32 * word), model, 32 * word, word);
    }
    text += "    }\n";
  }
  text += "  }\n";
  if (lanes) {
    text += "  static void show_lanes(Harness& h, const auto* s, const auto* m) {\n";
    for (const char* side : {"s", "m"}) {
      text += fmt::format("    if ({} != nullptr) {{\n", side);
      for (int lane = 0; lane < shape.beat_bits / 32; ++lane) {
        text += fmt::format("      h.{}_float{} = std::bit_cast<float>({}->data[{}]);\n", side,
                            lane, side, lane);
      }
      text += "    }\n";
    }
    text += "  }\n";
  }
  return text;
}

constexpr const char* kStartHeader = "#include \"testbenches/engine/start_values.h\"\n";

std::string unit_of(const std::string& what, std::vector<std::string> parts,
                    const char* first = "") {
  std::ranges::sort(parts);
  std::string text = fmt::format("// Generated: {} as one translation unit.\n{}", what, first);
  for (const std::string& part : parts) text += fmt::format("#include \"{}\"\n", part);
  return text;
}

std::string glue(const VerilateJob& job, const std::vector<TopPort>& ports,
                 const std::vector<std::string>& open, const std::vector<std::string>& parts,
                 bool time, bool quiet_fall, const std::string& rise, const std::string& signals,
                 bool drawn) {
  std::string text = fmt::format("// Generated: {} as an engine.\n", job.top);
  if (job.checked) text += kStartHeader;
  if (job.traced) text += "#define GW_ENGINE_TRACED\n";
  if (has_counters(job.coverage)) text += "#define GW_ENGINE_COVERAGE\n";
  if (toggles(job)) text += "#define GW_ENGINE_TOGGLE\n";
  if (job.state) text += "#define GW_ENGINE_STATE\n";
  text += fmt::format("#include \"V{0}.h\"\n#include \"V{0}___024root.h\"\n", job.name);
  if (job.traced) text += fmt::format("#include \"H{}.h\"\n", job.name);
  for (const std::string& part : parts) text += fmt::format("#include \"{}\"\n", part);
  text += "#include \"testbenches/engine/verilated_engine.h\"\n";
  text += "namespace gw::testbenches {\nnamespace {\n";

  const auto list = [&](const std::vector<sim::Port>& side) {
    std::vector<std::string> all;
    for (const BundleOf& b : bundles_of(side)) {
      text += fmt::format("GW_ENGINE_BUNDLE({})\n", b.name);
      all.push_back(
          fmt::format("Bundle<Pins_{}, {}, {}, {}>", b.name, b.first, b.slots, b.user_bits));
    }
    return fmt::format("Bundles<{}>", joined(all));
  };
  const std::string inputs = list(job.shape.inputs), outputs = list(job.shape.outputs);
  std::vector<std::string> controls;
  for (const sim::ControlPort& control : job.shape.controls) {
    text += fmt::format("GW_ENGINE_CONTROL({})\n", control.bundle);
    controls.push_back(fmt::format("Control<Pins_{}>", control.bundle));
  }
  EngineShape only_streams = job.shape;
  only_streams.pins.clear();
  only_streams.probes.clear();
  const std::vector<TopPort> streams = wanted_ports(only_streams);

  text += fmt::format(
      "struct Facts {{\n"
      "  using Top = V{};\n"
      "  static constexpr int kLanes = {};\n"
      "  static constexpr bool kTraced = {};\n"
      "  static constexpr bool kChecked = {};\n"
      "  static constexpr bool kQuietFall = {};\n"
      "  static constexpr bool kTime = {};\n"
      "  static constexpr const char* kName = \"{}\";\n"
      "  static constexpr const char* kDescription = R\"json({})json\";\n"
      "  using Inputs = {};\n"
      "  using Outputs = {};\n"
      "  using Controls = ControlBundles<{}>;\n"
      "  static void probe([[maybe_unused]] Top& top, GwOutputs& shown) {{{} }}\n"
      "  static constexpr NamedPin<Top> kPins[] = {{\n",
      job.name, job.shape.beat_bits / 32, job.traced, job.checked, quiet_fall, time, job.top,
      description(job, ports, open, drawn).dump(), inputs, outputs, joined(controls),
      probe_body(probed(job.shape, ports, streams)));
  for (const TopPort& port : ports) {
    if (!port.input || find(streams, port.name) != nullptr) continue;
    text += fmt::format(
        "      {{\"{0}\", [](Top& top, uint64_t value) {{ put_bits<{1}>(top.{0}, 0, value); "
        "}}}},\n",
        port.name, std::min(port.bits, 64));
    for (int lsb = 32; port.bits > 64 && lsb < port.bits; lsb += 32) {
      text += fmt::format(
          "      {{\"{0}@{2}\", [](Top& top, uint64_t value) {{ put_bits<{1}>(top.{0}, {2}, "
          "value); }}}},\n",
          port.name, std::min(port.bits - lsb, 32), lsb);
    }
  }
  text += "      {}};\n";
  if (job.traced) text += harness_facts(job);
  if (!rise.empty()) {
    text +=
        fmt::format("  static void rise(Top& top) {{ auto* const root = top.rootp;{} }}\n", rise);
  }
  text += signals;
  text += fmt::format(
      "}};\n}}  // namespace\n}}  // namespace gw::testbenches\n\n"
      "extern \"C\" __attribute__((visibility(\"default\"))) const GwEngine* {}(void) {{\n"
      "  return gw::testbenches::engine_table<gw::testbenches::Facts>();\n}}\n",
      job.entry);
  return text;
}

/// All signals of the state, and those that are not there, for the glue.
std::string toggle_facts(const VerilateJob& job, const std::string& prefix,
                         const std::string& xml) {
  const std::vector<StateSignal> there =
      state_signals(sim::bytes_of_file(job.out / (prefix + "___024root.h")), job.top);
  std::string text =
      fmt::format("  static void signals(ToggleScan& scan, const {}___024root& root) {{\n", prefix);
  std::set<std::string, std::less<>> names;
  for (const StateSignal& s : there) {
    names.insert(s.name);
    text += fmt::format("    scan.add(\"{}\", root.{}, {}, {});\n", s.name, s.member, s.msb, s.lsb);
  }
  for (const DeclaredSignal& s : declared_signals(xml, job.top)) {
    if (names.contains(s.name)) continue;
    text += fmt::format("    scan.add_absent(\"{}\", {}u);\n", s.name, s.bits);
  }
  return text + "  }\n";
}

constexpr const char* kCycles =
    "a run is made of clock cycles: nothing in it waits for a time or, within a procedure, for an "
    "event; leave test benches and clock generators out of the list (a delay in an assignment, "
    "`q <= #1 d`, is left out by itself)";

/// Runs Verilator and returns its words; throws them if it fails.
std::string verilate(const VerilateJob& job, const std::vector<std::string>& arguments,
                     const RunProgram& run) {
  std::string words;
  if (run(job.verilator, arguments, job.folder, words) == 0) return words;
  std::erase(words, '\0');
  while (!words.empty() && words.back() == '\n') words.pop_back();
  const bool waits = words.find("%Error-NOTIMING") != std::string::npos;
  throw sim::InputError(fmt::format("Verilator refuses {}{}{}:\n{}", job.top, waits ? "; " : "",
                                    waits ? kCycles : "", words));
}

/// The text up to a line and column, without comments.
std::string text_before(std::string_view text, size_t line, size_t column) {
  size_t end = 0;
  for (size_t l = 1; l < line && end < text.size(); ++l) end = text.find('\n', end) + 1;
  text = text.substr(0, end + column - 1);
  std::string before;
  while (!text.empty()) {
    const bool block = text.starts_with("/*");
    if (!block && !text.starts_with("//")) {
      before += text.front();
      text.remove_prefix(1);
      continue;
    }
    before += ' ';
    const size_t over = text.find(block ? "*/" : "\n", 2);
    text.remove_prefix(over == std::string_view::npos ? text.size() : over + (block ? 2 : 1));
  }
  return before;
}

/// Without time a clock that makes itself is a loop, or stands still: of what Verilator says of
/// delays, those in a `forever`, or in an `always` that no event begins.
void refuse_free_clocks(const VerilateJob& job, const std::string& words) {
  static const std::regex kDelay(R"(%Warning-STMTDLY: ([^:\n]+):(\d+):(\d+):)");
  static const std::regex kBegin(
      R"(\b(always|always_\w+|initial|final|task|function|forever)\b\s*(@?))");
  for (auto at = std::sregex_iterator(words.begin(), words.end(), kDelay);
       at != std::sregex_iterator(); ++at) {
    const std::string file = (*at)[1], line = (*at)[2];
    const std::string before =
        text_before(sim::bytes_if_readable(fs::path(job.folder) / file).value_or(""),
                    std::stoul(line), std::stoul((*at)[3]));
    std::string last;
    for (auto begin = std::sregex_iterator(before.begin(), before.end(), kBegin);
         begin != std::sregex_iterator(); ++begin) {
      last = (*begin)[1].str() + (*begin)[2].str();
    }
    if (last != "always" && last != "forever") continue;
    throw sim::InputError(
        fmt::format("{}: the delay at {}:{} makes a clock; {}", job.top, file, line, kCycles));
  }
}

}  // namespace

std::vector<TopPort> top_ports(std::string_view header) {
  // VL_IN8(&name,msb,lsb); VL_OUTW(&name,msb,lsb,words); arrays and reals look otherwise.
  std::vector<TopPort> ports;
  const size_t end = header.find("// CELLS");
  size_t line_begin = std::min(header.find("// PORTS"), header.size());
  while (line_begin < std::min(end, header.size())) {
    const size_t line_end = std::min(header.find('\n', line_begin), header.size());
    std::string_view line = header.substr(line_begin, line_end - line_begin);
    line_begin = line_end + 1;
    while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
    const bool input = line.starts_with("VL_IN"), output = line.starts_with("VL_OUT");
    if (!input && !output) {
      if (line.starts_with("double &")) {
        const size_t semicolon = line.find(';');
        ports.push_back({std::string(line.substr(8, semicolon - 8)), true, 0});
      }
      continue;
    }
    const size_t open = line.find('('), name_begin = line.find('&');
    if (open == std::string_view::npos || name_begin == std::string_view::npos) continue;
    size_t name_end = name_begin + 1;
    while (name_end < line.size() && is_word(line[name_end])) ++name_end;
    TopPort port{std::string(line.substr(name_begin + 1, name_end - name_begin - 1)), input, 0};
    int msb = 0, lsb = 0;
    if (name_end < line.size() && line[name_end] == ',' &&
        std::sscanf(std::string(line.substr(name_end)).c_str(), ",%d,%d", &msb, &lsb) == 2 &&
        !line.starts_with("VL_INOUT")) {
      port.bits = msb - lsb + 1;
    }
    ports.push_back(port);
  }
  return ports;
}

std::string port_differences(const std::string& top, const EngineShape& shape,
                             const std::vector<TopPort>& ports) {
  const std::vector<TopPort> wanted = wanted_ports(shape);
  std::vector<std::string> missing, other, surplus;
  const auto bits = [](int n) { return n == 1 ? std::string("1 bit") : fmt::format("{} bits", n); };
  for (const TopPort& want : wanted) {
    const TopPort* have = find(ports, want.name);
    if (have == nullptr) {
      missing.push_back(
          want.bits == 0 ? fmt::format("{} {}", direction(want), want.name)
                         : fmt::format("{} {} ({})", direction(want), want.name, bits(want.bits)));
    } else if (have->input != want.input) {
      other.push_back(fmt::format("{} is an {} instead of an {}", want.name, direction(*have),
                                  direction(want)));
    } else if (have->bits == 0) {
      other.push_back(fmt::format("{} is no plain vector", want.name));
    } else if (want.bits != 0 && have->bits != want.bits) {
      other.push_back(
          fmt::format("{} has {} instead of {}", want.name, bits(have->bits), want.bits));
    }
  }
  for (const TopPort& have : ports) {
    if (!have.input || find(wanted, have.name) != nullptr) continue;  // what is open is told
    if (shape.any_pins && have.bits != 0) continue;
    if (is_protection(shape, have)) continue;
    surplus.push_back(fmt::format("{} {}", direction(have), have.name));
  }
  std::vector<std::string> all;
  if (!missing.empty()) all.push_back(fmt::format("missing: {}", joined(missing)));
  if (!other.empty()) all.push_back(fmt::format("different: {}", joined(other)));
  if (!surplus.empty()) {
    all.push_back(fmt::format("left over, nothing drives it: {}", joined(surplus)));
  }
  if (all.empty()) return "";
  return fmt::format("the ports of {} are not the device's; {}", top, joined(all));
}

namespace {

/// The name of a member in the RTL; empty: it is the simulator's own.
std::string signal_name(std::string member, const std::string& top) {
  const auto replace = [&member](std::string_view what, std::string_view with) {
    for (size_t at = member.find(what); at != std::string::npos;
         at = member.find(what, at + with.size())) {
      member.replace(at, what.size(), with);
    }
  };
  bool pin = false;  // of an instance: SCOPES.INSTANCE__PIN
  for (const char* word : {"__Vcellinp__", "__Vcellout__"}) {
    if (const size_t at = member.find(word); at != std::string::npos) {
      member.erase(at, std::strlen(word));
      pin = true;
    }
  }
  replace("__BRA__", "[");
  replace("__KET__", "]");
  replace("__DOT__", ".");
  replace("__PVT__", "");
  if (pin) {
    // Characters that C++ has not are written __0 and two digits: that is no end of a name.
    size_t at = member.rfind("__");
    while (at != std::string::npos && at > 0 && member.compare(at, 3, "__0") == 0) {
      at = member.rfind("__", at - 1);
    }
    const size_t point = member.rfind('.');
    if (at != std::string::npos && (point == std::string::npos || at > point)) {
      member.replace(at, 2, ".");
    }
  }
  std::istringstream scopes(member);
  for (std::string scope; std::getline(scopes, scope, '.');) {
    if (scope.starts_with("__V") || scope.starts_with("unnamedblk") ||
        scope.find("__V") != std::string::npos) {
      return {};
    }
  }
  for (size_t at = member.find("__0"); at != std::string::npos; at = member.find("__0", at + 1)) {
    if (at + 5 > member.size() || std::isxdigit(static_cast<unsigned char>(member[at + 3])) == 0 ||
        std::isxdigit(static_cast<unsigned char>(member[at + 4])) == 0) {
      continue;
    }
    const int code = std::stoi(member.substr(at + 3, 2), nullptr, 16);
    member.replace(at, 5, 1, static_cast<char>(code));
  }
  return member.starts_with(top + '.') ? member : top + '.' + member;
}

/// An element of XML as Verilator writes it: a tag and its attributes.
class Tag {
 public:
  explicit Tag(std::string_view text) : text_(text) {}
  bool closes() const { return text_.starts_with('/'); }
  bool is_empty() const { return text_.ends_with('/'); }
  std::string_view kind() const {
    const std::string_view word = closes() ? text_.substr(1) : text_;
    return word.substr(0, word.find_first_of(" /"));
  }
  std::string attribute(std::string_view name) const {
    const std::string key = fmt::format(" {}=\"", name);
    const size_t at = text_.find(key);
    if (at == std::string_view::npos) return {};
    const size_t begin = at + key.size();
    return std::string(text_.substr(begin, text_.find('"', begin) - begin));
  }
  bool has(std::string_view name) const {
    return text_.find(fmt::format(" {}=\"", name)) != std::string_view::npos;
  }

 private:
  std::string_view text_;
};

/// Calls note(tag) for each tag in its order.
template <class Note>
void each_tag(std::string_view xml, Note&& note) {
  for (size_t at = xml.find('<'); at != std::string_view::npos; at = xml.find('<', at)) {
    const size_t end = xml.find('>', at);
    if (end == std::string_view::npos) return;
    note(Tag(xml.substr(at + 1, end - at - 1)));
    at = end;
  }
}

/// Types by their number in the XML: how many bits.
class DeclaredTypes {
 public:
  explicit DeclaredTypes(std::string_view xml) {
    std::string array;  // the one whose range is read
    std::vector<int64_t> range;
    std::string record;
    each_tag(xml, [&](const Tag& tag) {
      const std::string_view kind = tag.kind();
      if (kind == "unpackarraydtype" || kind == "packarraydtype") {
        if (!tag.closes()) {
          array = tag.attribute("id");
          types_[array].of = {tag.attribute("sub_dtype_id")};
          range.clear();
        } else {
          if (range.size() == 2) {
            types_[array].times = static_cast<uint32_t>(std::abs(range[0] - range[1]) + 1);
          }
          array.clear();
        }
      } else if (kind == "const" && !array.empty()) {
        // 32&apos;sh1f
        const std::string value = tag.attribute("name");
        const size_t h = value.rfind('h');
        if (h != std::string::npos) range.push_back(std::strtoll(&value[h + 1], nullptr, 16));
      } else if (kind == "basicdtype") {
        const std::string left = tag.attribute("left"), right = tag.attribute("right");
        if (!left.empty()) {
          types_[tag.attribute("id")].own = static_cast<uint32_t>(
              std::abs(std::atoi(left.c_str()) - std::atoi(right.c_str())) + 1);
        }
      } else if (kind == "structdtype" || kind == "uniondtype") {
        record = tag.closes() ? "" : tag.attribute("id");
        if (!record.empty()) types_[record].own = 0;
      } else if (kind == "memberdtype" && !record.empty() && !tag.closes()) {
        types_[record].of.push_back(tag.attribute("sub_dtype_id"));
      } else if ((kind == "enumdtype" || kind == "refdtype") && !tag.closes()) {
        types_[tag.attribute("id")].of = {tag.attribute("sub_dtype_id")};
      }
    });
  }
  uint32_t bits(const std::string& id, int depth = 0) const {
    constexpr int kDeepest = 32;  // a type of itself: no XML of Verilator's
    const auto at = types_.find(id);
    if (at == types_.end() || depth > kDeepest) return 1;
    if (at->second.of.empty()) return at->second.own;
    uint32_t sum = 0;
    for (const std::string& part : at->second.of) sum += bits(part, depth + 1);
    return sum * at->second.times;
  }

 private:
  struct Type {
    uint32_t own = 1, times = 1;
    std::vector<std::string> of;
  };
  std::map<std::string, Type> types_;
};

}  // namespace

std::vector<StateSignal> state_signals(std::string_view header, const std::string& top) {
  const size_t begin = header.find("// DESIGN SPECIFIC STATE");
  const size_t end = header.find("// INTERNAL VARIABLES", std::min(begin, header.size()));
  std::vector<StateSignal> all;
  if (begin == std::string_view::npos) return all;
  std::istringstream lines{std::string(header.substr(begin, end - begin))};
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, line.find_first_not_of(' '));
    if (!line.ends_with(';')) continue;
    StateSignal s;
    int a = 0, b = 0;
    if (line.starts_with("VL_IN") || line.starts_with("VL_OUT")) {
      const size_t open = line.find('('), comma = line.find(',');
      if (open == std::string::npos || comma == std::string::npos) continue;
      s.member = line.substr(open + 1, comma - open - 1);
      if (std::sscanf(line.c_str() + comma, ",%d,%d", &a, &b) != 2) continue;
    } else {
      // CData/*3:0*/ name; VlWide<9>/*262:0*/ name; VlUnpacked<IData/*31:0*/, 4> name;
      const bool known = std::ranges::any_of(
          std::initializer_list<const char*>{"CData/*", "SData/*", "IData/*", "QData/*", "VlWide<",
                                             "VlUnpacked<"},
          [&](const char* type) { return line.starts_with(type); });
      const size_t range = line.find("/*"), space = line.rfind(' ');
      if (!known || range == std::string::npos || space == std::string::npos) continue;
      if (std::sscanf(line.c_str() + range, "/*%d:%d*/", &a, &b) != 2) continue;
      s.member = line.substr(space + 1, line.size() - space - 2);
    }
    s.msb = std::max(a, b);
    s.lsb = std::min(a, b);
    s.name = signal_name(s.member, top);
    if (s.name.empty() || s.member == "aclk" || s.member == "aresetn") continue;
    all.push_back(std::move(s));
  }
  return all;
}

std::vector<DeclaredSignal> declared_signals(std::string_view xml, const std::string& top) {
  struct Module {
    std::vector<std::pair<std::string, std::string>> signals, instances;  // name, type or module
  };
  std::map<std::string, Module> modules;
  const DeclaredTypes types(xml);
  std::string top_module;
  Module* module = nullptr;
  bool is_top = false;
  int inside = 0;                   // functions and procedures around it
  std::vector<std::string> scopes;  // of generate blocks, and unnamed ones
  each_tag(xml, [&](const Tag& tag) {
    const std::string_view kind = tag.kind();
    if (kind == "module") {
      module = nullptr;
      if (tag.closes()) return;
      const std::string name = tag.attribute("name");
      is_top = tag.has("topModule");
      if (is_top) top_module = name;
      module = &modules[name];
      scopes.clear();
      inside = 0;
    }
    if (module == nullptr) return;
    const auto within = [&](const std::string& name) {
      std::string path;
      for (const std::string& scope : scopes) {
        if (!scope.empty()) path += scope + '.';
      }
      return path + name;
    };
    for (const char* procedure : {"func", "task", "always", "initial", "final"}) {
      if (kind == procedure && !tag.is_empty()) inside += tag.closes() ? -1 : 1;
    }
    if (kind == "begin" && !tag.is_empty()) {
      if (!tag.closes()) {
        scopes.push_back(tag.attribute("name"));
      } else if (!scopes.empty()) {
        scopes.pop_back();
      }
    }
    if (inside != 0 || tag.closes()) return;
    if (kind == "var") {
      const bool port = tag.has("dir") && !is_top;
      const std::string name = tag.attribute("name");
      if (port || tag.has("param") || tag.has("localparam") ||
          tag.attribute("vartype") == "integer" || name == "aclk" || name == "aresetn") {
        return;
      }
      module->signals.emplace_back(within(name), tag.attribute("dtype_id"));
    } else if (kind == "instance") {
      module->instances.emplace_back(within(tag.attribute("name")), tag.attribute("defName"));
    }
  });
  std::vector<DeclaredSignal> all;
  const std::function<void(const std::string&, const std::string&, int)> walk =
      [&](const std::string& name, const std::string& path, int depth) {
        constexpr int kDeepest = 64;  // a module in itself: no XML of Verilator's
        const auto at = modules.find(name);
        if (at == modules.end() || depth > kDeepest) return;
        for (const auto& [signal, type] : at->second.signals) {
          all.push_back({path + '.' + signal, types.bits(type)});
        }
        for (const auto& [instance, of] : at->second.instances) {
          walk(of, path + '.' + instance, depth + 1);
        }
      };
  walk(top_module, top, 0);
  return all;
}

bool has_counters(const std::vector<std::string>& kinds) {
  return std::ranges::any_of(kinds, [](const std::string& kind) { return kind != "toggle"; });
}

bool lean_is_tried(std::string_view verilator_version) {
  // The build says so of the version that it found (cmake/VerilatorInternals.cmake).
  return kShortcuts && (std::string(verilator_version) + ' ')
                           .starts_with("Verilator " + std::string(kBuildVerilator) + ' ');
}

std::string lean_source(std::string_view code) {
  // Variables that are the last argument of a call: `...VnoInFunc_x(..., __Vfunc_y__Vfuncout)`.
  constexpr std::string_view kEnd = "__Vfuncout)";
  std::set<std::string, std::less<>> filled;
  for (size_t at = code.find(kEnd); at != std::string_view::npos; at = code.find(kEnd, at + 1)) {
    size_t begin = at;
    while (begin > 0 && is_word(code[begin - 1])) --begin;
    const std::string_view name = code.substr(begin, at + kEnd.size() - 1 - begin);
    if (!name.starts_with("__Vfunc_") || begin < 2 || code.substr(begin - 2, 2) != ", ") continue;
    const size_t statement = code.rfind(';', begin);
    const std::string_view call =
        code.substr(statement == std::string_view::npos ? 0 : statement,
                    begin - (statement == std::string_view::npos ? 0 : statement));
    if (call.find("VnoInFunc_") != std::string_view::npos) filled.emplace(name);
  }
  std::string lean;
  lean.reserve(code.size());
  size_t done = 0;
  constexpr std::string_view kBegin = "\n    __Vfunc_";
  for (size_t at = code.find(kBegin); at != std::string_view::npos;
       at = code.find(kBegin, at + 1)) {
    size_t end = at + 5;
    while (end < code.size() && is_word(code[end])) ++end;
    if (code.substr(end, 5) != " = 0;" || !filled.contains(code.substr(at + 5, end - at - 5))) {
      continue;
    }
    lean.append(code.substr(done, at - done));
    done = end + 5;
  }
  lean.append(code.substr(done));
  return lean;
}

bool falls_quietly(std::string_view code) {
  // Every use of aclk is the detection of its rising edge, or the note of its last value.
  constexpr std::string_view kClock = "aclk";
  for (size_t at = code.find(kClock); at != std::string_view::npos;
       at = code.find(kClock, at + 1)) {
    const bool member = at > 0 && (code[at - 1] == '>' || code[at - 1] == '.') &&
                        !(at + 4 < code.size() && is_word(code[at + 4]));
    if (!member) continue;
    const size_t begin = at > 120 ? at - 120 : 0;
    std::string near;  // the place without white space
    size_t mark = 0;
    for (size_t i = begin; i < std::min(code.size(), at + 160); ++i) {
      if (i == at) mark = near.size();
      if (std::isspace(static_cast<unsigned char>(code[i])) == 0) near += code[i];
    }
    const std::string_view before = std::string_view(near).substr(0, mark);
    std::string_view after = std::string_view(near).substr(mark + kClock.size());
    const auto skip = [&](std::string_view word) {
      if (!after.starts_with(word)) return false;
      after.remove_prefix(word.size());
      return true;
    };
    // (IData)(vlSelf->aclk) & (~ (IData)(vlSelf->__Vtrigrprev__TOP__aclk))
    const bool rising =
        (before.ends_with("((IData)(vlSelf->") || before.ends_with("((IData)(vlSelfRef.")) &&
        skip(")&(~(IData)(") && (skip("vlSelf->") || skip("vlSelfRef.")) &&
        (skip("__Vtrigrprev__TOP__aclk))") || skip("__Vtrigprevexpr___TOP__aclk__0))"));
    if (rising) continue;
    const bool noted =
        after.starts_with(";") && (before.ends_with("__Vtrigrprev__TOP__aclk=vlSelf->") ||
                                   before.ends_with("__Vtrigprevexpr___TOP__aclk__0=vlSelfRef."));
    const bool checked = after.starts_with("&0xfeU)");  // debugging of Verilator's own
    const bool cleared = after.starts_with("=0;") ||    // before time begins
                         after.starts_with("=gw::start_value(");
    const bool bound = after.starts_with("}");  // the class's reference to it
    if (!noted && !checked && !cleared && !bound) return false;
  }
  return true;
}

namespace {

/// What assertions look at is copied where an evaluation begins.
constexpr std::string_view kSampled = "__Vsampled";

/// The statements of a function that do so, on `root`.
std::string sampling(std::string_view function) {
  std::string statements;
  for (size_t at = function.find(kSampled); at != std::string_view::npos;) {
    const size_t begin = function.find_last_of(";{}", at) + 1, end = function.find(';', at);
    if (begin == 0 || end == std::string_view::npos) return {};
    statements += ' ';
    bool blank = false;
    std::istringstream lines{std::string(function.substr(begin, end + 1 - begin))};
    for (std::string line; std::getline(lines, line);) {
      line.erase(0, line.find_first_not_of(' '));
      if (line.starts_with("//") || line.empty()) continue;
      statements += (blank ? " " : "") + line;
      blank = true;
    }
    at = function.find(kSampled, end);
  }
  const auto replace = [&statements](std::string_view what, std::string_view with) {
    for (size_t at = 0; (at = statements.find(what, at)) != std::string::npos; at += with.size()) {
      statements.replace(at, what.size(), with);
    }
  };
  replace("vlSelf->", "root->");
  replace("vlSelfRef.", "root->");
  replace(" vlSymsp->", " root->vlSymsp->");  // another instance's
  replace("(vlSymsp->", "(root->vlSymsp->");
  return statements;
}

}  // namespace

std::string edge_statements(std::string_view header, std::string_view code,
                            const std::string& root_class) {
  const auto single = [&](std::string_view region) {
    return header.find(fmt::format("VlTriggerVec<1> __V{}Triggered;", region)) !=
           std::string_view::npos;
  };
  const auto function = [&](std::string_view name) {  // its definition, or nothing
    const std::string head =
        fmt::format("void {}___{}({}* vlSelf) {{", root_class, name, root_class);
    const size_t begin = code.find(head);
    if (begin == std::string_view::npos) return std::string_view();
    return code.substr(begin, code.find("\n}\n", begin) - begin);
  };
  if (!single("act") || !single("nba")) return {};
  const std::string_view act = function("eval_act");
  if (act.empty() || act.find("// Body") != std::string_view::npos) return {};
  std::string statements;
  const auto add = [&](std::string_view region) {
    if (function(fmt::format("eval_{}", region)).empty()) return false;
    statements +=
        fmt::format(" trigger(root->__V{0}Triggered); {1}___eval_{0}(root);", region, root_class);
    return true;
  };
  // Where inputs reach gates, those come first.
  if (header.find("__VicoTriggered") != std::string_view::npos && !(single("ico") && add("ico")))
    return {};
  // After what the new inputs reach, as an evaluation with the clock low would leave it.
  if (code.find(kSampled) != std::string_view::npos) {
    const std::string samples = sampling(function("eval"));
    if (samples.empty()) return {};
    statements += samples;
  }
  return add("nba") ? statements : std::string();
}

int write_one_unit(const fs::path& folder, const std::string& prefix, const fs::path& unit,
                   bool lean) {
  std::set<std::string> parts;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    if (file.starts_with(prefix) && file.ends_with(".cpp") && entry.path() != unit)
      parts.insert(file);
  }
  int edited = 0;
  for (const std::string& part : parts) {
    if (!lean) continue;
    const std::string code = sim::bytes_of_file(folder / part), shorter = lean_source(code);
    if (shorter == code) continue;
    write_file(folder / part, shorter);
    ++edited;
  }
  write_file(unit, unit_of("the verilated design", {parts.begin(), parts.end()}));
  return edited;
}

std::vector<std::string> verilator_mode(bool traced, bool checked, bool assertions) {
  std::vector<std::string> mode = checked ? kVerilatorChecked : kVerilatorFast;
  if (!assertions) std::ranges::replace(mode, "--assert", "--noassert");
  if (traced) mode.insert(mode.end(), kVerilatorWaves.begin(), kVerilatorWaves.end());
  return mode;
}

EngineSource write_engine_source(const VerilateJob& job, const RunProgram& run) {
  // A module of the RTL may be called anything: no class of it begins with H.
  const std::string prefix = "V" + job.name, harness_prefix = "H" + job.name;
  std::vector<std::string> common = kVerilatorFlags;
  const std::vector<std::string> mode = verilator_mode(job.traced, job.checked, job.assertions);
  common.insert(common.end(), mode.begin(), mode.end());
  // A warning does not refuse the user's RTL, and its clock-to-Q delays are none here.
  if (!job.own) common.insert(common.end(), {"-Wno-fatal", "--no-timing"});

  std::vector<std::string> arguments = common;
  arguments.insert(arguments.end(),
                   {"--top-module", job.top, "--prefix", prefix, "-Mdir", job.out.string()});
  if (job.netlist.empty()) {
    for (const std::string& p : job.parameters) arguments.push_back("-G" + p);
  }
  arguments.insert(arguments.end(), job.arguments.begin(), job.arguments.end());
  const std::vector<std::string> plain = arguments;
  for (const std::string& kind : job.coverage) {
    if (kind != "toggle") arguments.push_back("--coverage-" + kind);
  }
  if (toggles(job)) arguments.emplace_back("--flatten");  // one struct, whatever the RTL
  // Newer versions count cover properties as they check assertions: only if asked to.
  if (std::ranges::find(job.coverage, "user") != job.coverage.end()) {
    arguments.emplace_back("--assert");
  }
  if (job.state) arguments.emplace_back("--public-flat-rw");
  EngineSource source;
  source.words = verilate(job, arguments, run);
  refuse_free_clocks(job, source.words);

  std::vector<TopPort> ports = top_ports(sim::bytes_of_file(job.out / (prefix + ".h")));
  if (std::string sentence = port_differences(job.top, job.shape, ports); !sentence.empty()) {
    throw sim::InputError(sentence);
  }
  const std::vector<std::string> open = take_open_outputs(job.shape, ports);

  if (job.traced) {
    write_file(job.out / "harness.sv", harness_module(job.shape));
    arguments = kVerilatorFlags;
    arguments.insert(arguments.end(), kVerilatorFast.begin(), kVerilatorFast.end());
    arguments.insert(arguments.end(), kVerilatorWaves.begin(), kVerilatorWaves.end());
    // By a relative path: the text is the same wherever it is written, and ccache knows it.
    arguments.insert(arguments.end(), {"--top-module", "harness", "--prefix", harness_prefix,
                                       "-Mdir", ".", "harness.sv"});
    VerilateJob beside = job;
    beside.folder = job.out.string();
    verilate(beside, arguments, run);
  }

  std::string signals;
  if (toggles(job)) {
    // Declarations as they were read, before anything is removed. Not every version has XML: then
    // no signal is known to be absent.
    std::vector<std::string> declared = plain;
    declared.insert(declared.end(),
                    {"--xml-only", "--xml-output", fs::absolute(job.out / "declared.xml").string(),
                     "-Wno-fatal"});
    std::erase(declared, "--cc");
    std::string ignored, xml;
    if (run(job.verilator, declared, job.folder, ignored) == 0) {
      xml = sim::bytes_of_file(job.out / "declared.xml");
    }
    signals = toggle_facts(job, prefix, xml);
  }

  std::vector<std::string> hot, cold, harness;
  const bool shortcuts = job.shortcuts && lean_is_tried(job.version);
  bool quiet_fall = shortcuts, time = false;  // which RTL looks at: $time, messages
  std::string each_cycle;
  int drawn = 0;  // start values, by the simulator
  for (const fs::directory_entry& entry : fs::directory_iterator(job.out)) {
    const std::string file = entry.path().filename().string();
    if ((!file.starts_with(prefix) && !file.starts_with(harness_prefix)) ||
        entry.path().extension() != ".cpp")
      continue;
    if (file.starts_with(harness_prefix)) {
      harness.push_back(file);
      continue;
    }
    std::string code = sim::bytes_of_file(entry.path());
    if (job.checked) {
      StartText seeded = seeded_start(code);
      drawn += seeded.left;
      if (seeded.code != code) write_file(entry.path(), code = std::move(seeded.code));
    }
    const bool once = file.find("__Slow") != std::string::npos;
    (once ? cold : hot).push_back(file);
    if (!once) each_cycle += code;
    quiet_fall = quiet_fall && falls_quietly(code);
    time = time || code.find("VL_TIME_") != std::string::npos;
    if (job.own && shortcuts) {
      if (const std::string lean = lean_source(code); lean != code) write_file(entry.path(), lean);
    }
  }
  std::ranges::sort(hot);

  const std::string root_class = prefix + "___024root";
  const std::string rise = quiet_fall
                               ? edge_statements(sim::bytes_of_file(job.out / (root_class + ".h")),
                                                 each_cycle, root_class)
                               : std::string();

  // In one evaluation they would be copied before the new inputs have reached them.
  if (rise.empty() && each_cycle.find(kSampled) != std::string::npos) quiet_fall = false;

  source.hot = job.out / (job.name + "_engine.cc");
  write_file(source.hot, glue(job, ports, open, hot, time, quiet_fall, rise, signals, drawn != 0));
  source.cold = job.out / (job.name + "_cold.cc");
  write_file(source.cold, unit_of(fmt::format("what {} runs once", job.top), cold,
                                  job.checked ? kStartHeader : ""));
  if (job.traced) {
    // Classes have names in common: a unit of its own.
    source.harness = job.out / (job.name + "_harness.cc");
    write_file(source.harness, unit_of("the harness's signals", harness));
  }

  source.dpi = fs::exists(job.out / (prefix + "__Dpi.h"));
  if (source.dpi && prefix != "V" + job.top) {  // as C files know it
    write_file(job.out / fmt::format("V{}__Dpi.h", job.top),
               fmt::format("#include \"{}__Dpi.h\"\n", prefix));
  }

  // `targets : files`, as make reads it; the program itself is among the files.
  std::istringstream depend(sim::bytes_of_file(job.out / (prefix + "__ver.d")));
  bool behind = false;
  for (std::string word; depend >> word;) {
    if (behind && !word.ends_with("verilator_bin")) source.read.push_back(word);
    behind = behind || word == ":";
  }
  return source;
}

}  // namespace gw::testbenches
