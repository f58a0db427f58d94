// What a netlist's outputs are made of (mutant_proofs.h).
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "testbenches/library/process.h"
#include "tools/gradwire/mutant_proofs.h"
#include "tools/gradwire/proof_folder.h"

namespace gw::tools {
namespace {

using nlohmann::json;

/// The cone of all outputs of a flat module, as Yosys' write_json has it.
class Cone {
 public:
  explicit Cone(const json& module) {
    for (const auto& [name, cell] : module.at("cells").items()) add(name, cell);
    for (const auto& [name, port] : module.at("ports").items()) {
      if (port.at("direction") == "input") continue;
      for (const json& bit : port.at("bits")) want(net_of(bit));
    }
    while (!left_.empty()) {
      const auto driver = drivers_.find(left_.back());
      left_.pop_back();
      if (driver != drivers_.end()) follow(driver->second);
    }
  }

  /// Whether what is wrong at a cell's pin may show. Of one that is not there: it may.
  bool has(const std::string& cell, std::string_view pin) const {
    const size_t bracket = pin.find('[');
    const auto found = cells_.find(cell);
    if (bracket == std::string_view::npos || found == cells_.end()) return true;
    const auto port = found->second.ports.find(std::string(pin.substr(0, bracket)));
    size_t bit = 0;
    std::from_chars(pin.data() + bracket + 1, pin.data() + pin.size(), bit);
    if (port == found->second.ports.end() || bit >= port->second.nets.size()) return true;
    return port->second.output ? wanted_.contains(port->second.nets[bit]) : port->second.seen[bit];
  }

 private:
  static constexpr int64_t kConstant = -1;
  struct Port {
    bool output = false;
    std::vector<int64_t> nets;
    std::vector<bool> seen;  ///< of an input: an output of the module depends on it
  };
  struct Cell {
    std::string type;
    std::map<std::string, Port> ports;
    size_t width = 0, address_bits = 0;  ///< of a memory
  };
  struct Driver {
    Cell* cell;
    const std::string* port;
    size_t bit;
  };

  static int64_t net_of(const json& bit) {
    return bit.is_number() ? bit.get<int64_t>() : kConstant;
  }
  static size_t parameter(const json& cell, const char* name) {
    const auto found = cell.at("parameters").find(name);
    if (found == cell.at("parameters").end()) return 0;
    return found->is_string() ? std::stoul(found->get<std::string>(), nullptr, 2)
                              : found->get<size_t>();
  }

  void add(const std::string& name, const json& json_cell) {
    Cell& cell = cells_[name];
    cell.type = json_cell.at("type");
    if (cell.type.starts_with("$mem")) {
      cell.width = parameter(json_cell, "WIDTH");
      cell.address_bits = parameter(json_cell, "ABITS");
    }
    for (const auto& [port_name, direction] : json_cell.at("port_directions").items()) {
      Port& port = cell.ports[port_name];
      port.output = direction != "input";
      for (const json& bit : json_cell.at("connections").at(port_name)) {
        port.nets.push_back(net_of(bit));
      }
      port.seen.resize(port.nets.size());
    }
    for (const auto& [port_name, port] : cell.ports) {
      for (size_t i = 0; port.output && i < port.nets.size(); ++i) {
        drivers_[port.nets[i]] = {&cell, &port_name, i};
      }
    }
  }

  void want(int64_t net) {
    if (net != kConstant && wanted_.insert(net).second) left_.push_back(net);
  }
  /// A word that is shorter than what is made of it is extended by its last bit, or by none.
  void see(Port& port, size_t bit) {
    if (port.nets.empty()) return;
    bit = std::min(bit, port.nets.size() - 1);
    if (port.seen[bit]) return;
    port.seen[bit] = true;
    want(port.nets[bit]);
  }
  void see(Cell& cell, const char* name, size_t bit) {
    const auto port = cell.ports.find(name);
    if (port != cell.ports.end()) see(port->second, bit);
  }

  /// What one bit of a cell's output is made of.
  void follow(const Driver& driver) {
    static const std::set<std::string_view> kBitwise = {"$and",  "$or",  "$xor",
                                                        "$xnor", "$not", "$pos"};
    static const std::set<std::string_view> kUpwards = {"$add", "$sub", "$mul", "$neg"};
    Cell& cell = *driver.cell;
    const size_t bit = driver.bit;
    if (cell.width != 0) return follow_memory(cell, bit);
    if (cell.type == "$mux" || cell.type == "$pmux") {
      const size_t width = cell.ports.at("A").nets.size(), ways = cell.ports.at("S").nets.size();
      see(cell, "A", bit);
      for (size_t way = 0; way < ways; ++way) {
        see(cell, "S", way);
        see(cell, "B", way * width + bit);
      }
      return;
    }
    const bool is_register = cell.type.find("ff") != std::string::npos;
    for (auto& [name, port] : cell.ports) {
      if (port.output) continue;
      if (kBitwise.contains(cell.type) || (is_register && name == "D")) {
        see(port, bit);
      } else if (kUpwards.contains(cell.type)) {
        for (size_t i = 0; i <= bit && i < port.nets.size(); ++i) see(port, i);
      } else {
        for (size_t i = 0; i < port.nets.size(); ++i) see(port, i);
      }
    }
  }

  /// A bit that is read was written into the same column, by any port.
  void follow_memory(Cell& cell, size_t bit) {
    const size_t port = bit / cell.width, column = bit % cell.width;
    for (const char* name : {"RD_CLK", "RD_EN", "RD_ARST", "RD_SRST"}) see(cell, name, port);
    for (size_t i = 0; i < cell.address_bits; ++i) {
      see(cell, "RD_ADDR", port * cell.address_bits + i);
    }
    const size_t writers = cell.ports.at("WR_CLK").nets.size();
    for (size_t writer = 0; writer < writers; ++writer) {
      see(cell, "WR_CLK", writer);
      see(cell, "WR_EN", writer * cell.width + column);
      see(cell, "WR_DATA", writer * cell.width + column);
      for (size_t i = 0; i < cell.address_bits; ++i) {
        see(cell, "WR_ADDR", writer * cell.address_bits + i);
      }
    }
  }

  std::map<std::string, Cell> cells_;
  std::unordered_map<int64_t, Driver> drivers_;
  std::set<int64_t> wanted_;
  std::vector<int64_t> left_;
};

}  // namespace

std::vector<bool> reach_no_output(const sim::MutantList& list) {
  std::vector<bool> proven(list.mutants.size());
  const ProofFolder folder("cones");
  const std::string netlist = (folder / "netlist.json").string();
  const testbenches::Finished finished =
      testbenches::run_programs({{testbenches::find_program("yosys"),
                                  {"-q", "-f", "rtlil", "-b", "json", "-o", netlist, list.netlist},
                                  folder.text()}})
          .front();
  std::ifstream file(netlist);
  const json document = json::parse(file, nullptr, false);
  if (finished.status != 0 || !document.is_object() || document.at("modules").size() != 1) {
    return proven;
  }
  const Cone cone(document.at("modules").front());
  for (size_t i = 0; i < proven.size(); ++i) {
    proven[i] = !cone.has(list.mutants[i].cell, list.mutants[i].port);
  }
  return proven;
}

}  // namespace gw::tools
