#include "tools/gradwire/mutant_proofs.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>
#include <utility>

#include "sim/harness/kernel.h"
#include "testbenches/engine/process.h"
#include "tools/gradwire/proof_folder.h"

namespace gw::tools {
namespace {

namespace fs = std::filesystem;

/// A cell's name for a selection: what has a meaning there stands for any character, so that it is
/// selected in any case, maybe with others of its kind.
std::string pattern_of(std::string cell) {
  for (char& c : cell) {
    if (std::string_view("[]*?\\").find(c) != std::string_view::npos) c = '?';
  }
  return cell;
}

/// Yosys' words that plant it in the module `gate`; `options` are those of its pin, if it has one.
std::string planted(const sim::Mutant& mutant, const std::string& top, const std::string& options) {
  std::string words = mutant.words;
  const std::string module = "-module " + top;
  words.replace(words.find(module), module.size(), "-module gate");
  constexpr std::string_view kMutate = "mutate";
  return words.insert(kMutate.size(), options);
}

// Registers and memories become inputs and outputs, so that what is left is one cycle: if that is
// the same in every state, all cycles are. (Signals within become outputs by the way, which is
// taken back.) Of the outputs only those that the cell has a part in are left, and of the cells
// only theirs; a register or a memory is no cell by then, and all is compared. First as a whole,
// which also sees what does not matter; then signal by signal, for arithmetic that is too much at
// once.
constexpr std::string_view kPart =
    "read_rtlil {netlist}\nrename {top} gold\ndffunmap gold\n"
    "setattr -set within 1 gold/w:* gold/x:* %d\n"
    "expose -evert-dff gold\nexpose -evert gold\ndelete -output gold/a:within\n"
    "select -set part gold/c:{cell} %coe*\nselect -assert-any @part\n"
    "select -set others gold/o:* @part %d\n"
    "delete -output @others\nopt_clean -purge gold\ncopy gold gate\n{mutate}\n";
constexpr std::string_view kAll =
    "read_rtlil {netlist}\nrename {top} gold\nselect -assert-any gold/c:{cell} gold/t:$*ff* "
    "gold/t:$mem* %u %i\n"
    "setattr -set within 1 gold/w:* gold/x:* %d\ncopy gold gate\n{mutate}\n"
    "dffunmap gold gate\nexpose -evert-dff -shared gold gate\n"
    "expose -evert gold\nexpose -evert gate\ndelete -output gold/a:within gate/a:within\n"
    "opt_clean -purge gold gate\n";
constexpr std::string_view kAtOnce =
    "miter -equiv -flatten -make_assert gold gate miter\nhierarchy -top miter\nopt_expr\n"
    "opt_merge -share_all\nopt_expr\nopt_merge -share_all\nopt_clean\n"
    "sat -prove-asserts -verify miter\n";
constexpr std::string_view kOneByOne =
    "equiv_make gold gate equiv\nhierarchy -top equiv\nequiv_struct\nequiv_simple\n"
    "equiv_status -assert\n";

// A device whose gates take more is left unproven, instead of making the machine swap.
constexpr uint64_t kMemory = 6ull << 30;

/// A program that is given so many seconds of a processor, so that a machine that is busy with
/// other things proves as much; but no more than ten times as many by the clock.
testbenches::Command limited(size_t seconds, const char* program, std::vector<std::string> words,
                             const ProofFolder& folder) {
  std::vector<std::string> all = {fmt::format("{}", 10 * seconds),
                                  testbenches::find_program("prlimit"),
                                  fmt::format("--cpu={}", seconds), fmt::format("--as={}", kMemory),
                                  testbenches::find_program(program)};
  all.insert(all.end(), words.begin(), words.end());
  return {testbenches::find_program("timeout"), std::move(all), folder.text()};
}

std::vector<bool> tried_in_one_cycle(const sim::MutantList& list,
                                     const std::vector<const sim::Mutant*>& mutants,
                                     const std::string& top, size_t seconds) {
  const ProofFolder folder("equivalent");
  std::vector<bool> proven(mutants.size());
  for (const auto& [model, proof] :
       {std::pair(kPart, kAtOnce), std::pair(kPart, kOneByOne), std::pair(kAll, kAtOnce)}) {
    std::vector<testbenches::Command> commands;
    std::vector<size_t> whose;
    for (size_t i = 0; i < mutants.size(); ++i) {
      if (proven[i]) continue;
      const std::string script = fmt::format("{}.ys", i);
      std::ofstream(folder / script)
          << fmt::format(fmt::runtime(model), fmt::arg("netlist", list.netlist),
                         fmt::arg("top", top), fmt::arg("cell", pattern_of(mutants[i]->cell)),
                         fmt::arg("mutate", planted(*mutants[i], top, "")))
          << proof;
      commands.push_back(limited(seconds, "yosys", {"-q", script}, folder));
      whose.push_back(i);
    }
    const std::vector<testbenches::Finished> finished = testbenches::run_programs(commands);
    for (size_t c = 0; c < whose.size(); ++c) proven[whose[c]] = finished[c].status == 0;
  }
  return proven;
}

// What goes into a memory while nothing is written is of no concern.
constexpr std::string_view kMemories = R"((* techmap_celltype = "$mem_v2" *)
module seen_memory (RD_CLK, RD_EN, RD_ARST, RD_SRST, RD_ADDR, RD_DATA, WR_CLK, WR_EN, WR_ADDR, WR_DATA);
  parameter MEMID = "";
  parameter signed SIZE = 4;
  parameter signed OFFSET = 0;
  parameter signed ABITS = 2;
  parameter signed WIDTH = 8;
  parameter signed INIT = 1'bx;
  parameter signed RD_PORTS = 1;
  parameter RD_CLK_ENABLE = 1'b1;
  parameter RD_CLK_POLARITY = 1'b1;
  parameter RD_TRANSPARENCY_MASK = 1'b0;
  parameter RD_COLLISION_X_MASK = 1'b0;
  parameter RD_WIDE_CONTINUATION = 1'b0;
  parameter RD_CE_OVER_SRST = 1'b0;
  parameter RD_ARST_VALUE = 1'b0;
  parameter RD_SRST_VALUE = 1'b0;
  parameter RD_INIT_VALUE = 1'b0;
  parameter signed WR_PORTS = 1;
  parameter WR_CLK_ENABLE = 1'b1;
  parameter WR_CLK_POLARITY = 1'b1;
  parameter WR_PRIORITY_MASK = 1'b0;
  parameter WR_WIDE_CONTINUATION = 1'b0;
  input [RD_PORTS-1:0] RD_CLK, RD_EN, RD_ARST, RD_SRST;
  input [RD_PORTS*ABITS-1:0] RD_ADDR;
  output [RD_PORTS*WIDTH-1:0] RD_DATA;
  input [WR_PORTS-1:0] WR_CLK;
  input [WR_PORTS*WIDTH-1:0] WR_EN, WR_DATA;
  input [WR_PORTS*ABITS-1:0] WR_ADDR;
  wire [WR_PORTS*ABITS-1:0] place;
  genvar i;
  generate
    for (i = 0; i < WR_PORTS; i = i + 1) begin : port
      assign place[i*ABITS +: ABITS] = WR_ADDR[i*ABITS +: ABITS] & {ABITS{|WR_EN[i*WIDTH +: WIDTH]}};
    end
  endgenerate
  \$mem_v2 #(
    .MEMID(MEMID), .SIZE(SIZE), .OFFSET(OFFSET), .ABITS(ABITS), .WIDTH(WIDTH), .INIT(INIT),
    .RD_PORTS(RD_PORTS), .RD_CLK_ENABLE(RD_CLK_ENABLE), .RD_CLK_POLARITY(RD_CLK_POLARITY),
    .RD_TRANSPARENCY_MASK(RD_TRANSPARENCY_MASK), .RD_COLLISION_X_MASK(RD_COLLISION_X_MASK),
    .RD_WIDE_CONTINUATION(RD_WIDE_CONTINUATION), .RD_CE_OVER_SRST(RD_CE_OVER_SRST),
    .RD_ARST_VALUE(RD_ARST_VALUE), .RD_SRST_VALUE(RD_SRST_VALUE), .RD_INIT_VALUE(RD_INIT_VALUE),
    .WR_PORTS(WR_PORTS), .WR_CLK_ENABLE(WR_CLK_ENABLE), .WR_CLK_POLARITY(WR_CLK_POLARITY),
    .WR_PRIORITY_MASK(WR_PRIORITY_MASK), .WR_WIDE_CONTINUATION(WR_WIDE_CONTINUATION)
  ) _TECHMAP_REPLACE_ (
    .RD_CLK(RD_CLK), .RD_EN(RD_EN), .RD_ARST(RD_ARST), .RD_SRST(RD_SRST), .RD_ADDR(RD_ADDR), .RD_DATA(RD_DATA),
    .WR_CLK(WR_CLK), .WR_EN(WR_EN), .WR_ADDR(place), .WR_DATA(WR_DATA & WR_EN));
endmodule
)";

// Memories become inputs and outputs, registers stay: two copies of the device that run side by
// side, one of which has all mutants and a pin that wakes them, as one output that says whether
// anything differs.
constexpr std::string_view kSideBySide =
    "read_rtlil {netlist}\nrename {top} gold\n"
    "setattr -set within 1 gold/w:* gold/x:* %d\ncopy gold gate\n{mutate}"
    "add -input gradwire_awake 16 gold\n"
    "techmap -max_iter 1 -map memories.v gold gate\n"
    "expose -evert gold\nexpose -evert gate\ndelete -output gold/a:within gate/a:within\n"
    "opt_clean -purge gold gate\ndffunmap\n"
    "miter -equiv -flatten gold gate miter\nhierarchy -top miter\n"
    "techmap\nsimplemap\nclean\nsetundef -zero\nsetundef -init -zero\n"
    "dfflegalize -cell $_DFF_P_ 0\naigmap\nclean\n"
    "select -assert-any w:in_gradwire_awake %co1 w:in_gradwire_awake %d\n"
    "write_aiger -zinit -map all.map all.aig\n";

/// Gates by what goes into them, so that none is there twice.
class Gates {
 public:
  explicit Gates(size_t most) : places_(std::bit_ceil(2 * most + 2)) { gates_.reserve(most); }

  void begin(uint32_t first) {
    first_ = first;
    gates_.clear();
    std::ranges::fill(places_, kNone);
  }
  uint32_t both(uint32_t a, uint32_t b) {
    if (a < b) std::swap(a, b);
    if (b == 0 || a == (b ^ 1)) return 0;
    if (b == 1 || a == b) return a;
    const uint64_t key = (uint64_t{a} << 32 | b) * 0x9E37'79B9'7F4A'7C15;
    size_t place = (key >> 32) & (places_.size() - 1);
    for (; places_[place] != kNone; place = (place + 1) & (places_.size() - 1)) {
      if (gates_[places_[place]] == std::pair(a, b)) return 2 * (first_ + places_[place]);
    }
    places_[place] = static_cast<uint32_t>(gates_.size());
    gates_.emplace_back(a, b);
    return 2 * (first_ + places_[place]);
  }
  const std::vector<std::pair<uint32_t, uint32_t>>& all() const { return gates_; }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  uint32_t first_ = 0;
  std::vector<std::pair<uint32_t, uint32_t>> gates_;  ///< the larger one first
  std::vector<uint32_t> places_;
};

/// An AIGER file of two copies, `gold` and `gate`, of which some inputs can be held at a number.
class Aiger {
 public:
  Aiger(const fs::path& path, const fs::path& map, const std::string& pin) {
    std::ifstream file(path, std::ios::binary), names(map);
    std::string format, line;
    uint32_t most = 0;
    if (!(file >> format >> most >> inputs_ >> latches_ >> outputs_ >> gates_)) return;
    std::getline(file, line);
    // Yosys may have been stopped while it wrote: nothing is taken of a file that is cut.
    for (uint32_t i = 0; i < latches_ + outputs_; ++i) {
      uint32_t root = 0;
      if (!std::getline(file, line) || file.eof()) return;
      const char* const end = line.data() + line.size();
      const auto [at, error] = std::from_chars(line.data(), end, root);
      if (error != std::errc() || at != end || root / 2 > most) return;
      roots_.push_back(root);
    }
    for (uint32_t i = 0; i < gates_; ++i) {
      const uint32_t gate = 2 * (inputs_ + latches_ + i + 1);
      const uint32_t left = gate - difference(file), right = left - difference(file);
      if (!file || left >= gate || right > left) return;
      gate_inputs_.emplace_back(left, right);
    }
    std::map<std::string, uint32_t> golden, mutated;
    std::string kind, name;
    for (uint32_t index = 0, bit = 0; names >> kind >> index >> bit >> name;) {
      if (kind == "input" && name == pin) pins_.emplace_back(index, bit);
      if (kind != "latch" || index >= latches_) continue;
      if (name.starts_with("gold.")) golden[fmt::format("{} {}", name.substr(5), bit)] = index;
      if (name.starts_with("gate.")) mutated[fmt::format("{} {}", name.substr(5), bit)] = index;
    }
    if (pins_.size() != 16) return;
    pair(golden, mutated);
    whole_ = true;
  }

  bool whole() const { return whole_; }

  /// A register of `gate` that gets the same as its peer of `gold`, as long as all such get it,
  /// always holds the same, and is left out: what is left of `gate` is what the mutant reaches.
  void write(const fs::path& path, uint32_t number) const {
    std::vector<uint32_t> peers = peers_, roots;
    Gates gates(gates_);
    const auto stays = [&peers](uint32_t latch) { return peers[latch] == latch; };
    for (bool again = true; again;) {
      again = false;
      roots = hashed(number, peers, gates);
      for (uint32_t i = 0; i < latches_; ++i) {
        if (stays(i) || roots[i] == roots[peers[i]]) continue;
        peers[i] = i;
        again = true;
      }
    }
    uint32_t latches = 0;
    for (uint32_t i = 0; i < latches_; ++i) latches += stays(i);
    const size_t count = gates.all().size();
    std::ofstream file(path, std::ios::binary);
    file << fmt::format("aig {} {} {} {} {}\n", inputs_ + latches + count, inputs_, latches,
                        outputs_, count);
    for (uint32_t i = 0; i < roots.size(); ++i) {
      if (i >= latches_ || stays(i)) file << roots[i] << '\n';
    }
    uint32_t gate = 2 * (inputs_ + latches + 1);
    for (const auto& [left, right] : gates.all()) {
      put(file, gate - left);
      put(file, left - right);
      gate += 2;
    }
  }

 private:
  static uint32_t difference(std::istream& file) {
    uint32_t value = 0;
    for (int shift = 0; shift < 32; shift += 7) {
      const int byte = file.get();
      value |= static_cast<uint32_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0 || !file) break;
    }
    return value;
  }
  static void put(std::ostream& file, uint32_t value) {
    for (; value >= 0x80; value >>= 7) file.put(static_cast<char>(value | 0x80));
    file.put(static_cast<char>(value));
  }

  /// By names; of those of which a mutant hides the name, by what they get, else by guess: a wrong
  /// peer is found out in write().
  void pair(const std::map<std::string, uint32_t>& golden,
            const std::map<std::string, uint32_t>& mutated) {
    std::vector<bool> found(latches_);
    peers_.resize(latches_);
    for (uint32_t i = 0; i < latches_; ++i) peers_[i] = i;
    for (const auto& [name, latch] : mutated) {
      const auto peer = golden.find(name);
      if (peer == golden.end()) continue;
      peers_[latch] = peer->second;
      found[latch] = found[peer->second] = true;
    }
    std::multimap<uint32_t, uint32_t> left_of_gold;
    Gates gates(gates_);
    const std::vector<uint32_t> asleep = hashed(0, peers_, gates);
    for (const auto& [name, latch] : golden) {
      if (!found[latch]) left_of_gold.emplace(asleep[latch], latch);
      found[latch] = true;
    }
    for (const bool alike : {true, false}) {
      for (uint32_t i = 0; i < latches_ && !left_of_gold.empty(); ++i) {
        if (found[i]) continue;
        const auto peer = alike ? left_of_gold.find(asleep[i]) : left_of_gold.begin();
        if (peer == left_of_gold.end()) continue;
        peers_[i] = peer->second;
        found[i] = true;
        left_of_gold.erase(peer);
      }
    }
  }

  /// Each register but its own peer being that one: what registers and outputs get.
  std::vector<uint32_t> hashed(uint32_t number, const std::vector<uint32_t>& peers,
                               Gates& gates) const {
    std::vector<uint32_t> now(inputs_ + latches_ + gates_ + 1);
    for (uint32_t i = 1; i <= inputs_; ++i) now[i] = 2 * i;
    for (const auto& [input, bit] : pins_) now[input + 1] = number >> bit & 1;
    uint32_t next = inputs_ + 1;
    for (uint32_t i = 0; i < latches_; ++i) {
      if (peers[i] == i) now[inputs_ + 1 + i] = 2 * next++;
    }
    for (uint32_t i = 0; i < latches_; ++i) now[inputs_ + 1 + i] = now[inputs_ + 1 + peers[i]];
    gates.begin(next);
    const auto of = [&now](uint32_t literal) { return now[literal / 2] ^ (literal & 1); };
    for (uint32_t i = 0; i < gates_; ++i) {
      const auto& [left, right] = gate_inputs_[i];
      now[inputs_ + latches_ + 1 + i] = gates.both(of(left), of(right));
    }
    std::vector<uint32_t> roots;
    for (const uint32_t root : roots_) roots.push_back(of(root));
    return roots;
  }

  uint32_t inputs_ = 0, latches_ = 0, outputs_ = 0, gates_ = 0;
  std::vector<uint32_t> roots_;                             ///< what latches get, then outputs
  std::vector<std::pair<uint32_t, uint32_t>> gate_inputs_;  ///< the larger one first
  std::vector<std::pair<uint32_t, uint32_t>> pins_;         ///< input, bit of the number
  std::vector<uint32_t> peers_;  ///< of a latch of `gate` that of `gold`, of others themselves
  bool whole_ = false;
};

/// Whether the one output of an AIGER file is the constant 0.
bool never(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string format, line;
  uint64_t most = 0, inputs = 0, latches = 0, outputs = 0;
  if (!(file >> format >> most >> inputs >> latches >> outputs) || outputs != 1) return false;
  for (uint64_t i = 0; i <= latches; ++i)
    std::getline(file, line);  // and what is left of the first
  return std::getline(file, line) && line == "0";
}

}  // namespace

std::vector<bool> same_in_every_state(const sim::MutantList& list,
                                      const std::vector<const sim::Mutant*>& mutants,
                                      const std::string& top, const ProofLimits& limits,
                                      const std::function<void(size_t)>& tried) {
  std::vector<bool> proven;
  while (proven.size() < mutants.size() && !sim::interrupted()) {
    tried(proven.size());
    const auto begin = mutants.begin() + static_cast<std::ptrdiff_t>(proven.size());
    const size_t count = std::min(limits.jobs, mutants.size() - proven.size());
    for (const bool equal :
         tried_in_one_cycle(list, {begin, begin + static_cast<std::ptrdiff_t>(count)}, top,
                            static_cast<size_t>(limits.seconds))) {
      proven.push_back(equal);
    }
  }
  proven.resize(mutants.size());
  return proven;
}

std::vector<bool> same_as_seen(const sim::MutantList& list,
                               const std::vector<const sim::Mutant*>& mutants,
                               const std::string& top, const ProofLimits& limits,
                               const std::function<void(size_t)>& tried) {
  std::vector<bool> proven(mutants.size());
  if (mutants.empty()) return proven;
  tried(0);
  const ProofFolder folder("seen");
  std::string all;
  for (size_t i = 0; i < mutants.size(); ++i) {
    all += planted(*mutants[i], top, fmt::format(" -ctrl gradwire_awake 16 {}", i + 1)) + "\n";
  }
  std::ofstream(folder / "memories.v") << kMemories;
  std::ofstream(folder / "all.ys")
      << fmt::format(fmt::runtime(kSideBySide), fmt::arg("netlist", list.netlist),
                     fmt::arg("top", top), fmt::arg("mutate", all));
  // All become gates at once, in the time of all; the netlist itself takes as long for one as for
  // eight.
  const auto each = static_cast<size_t>(limits.seconds);
  testbenches::run_programs(
      {limited(each * std::max<size_t>(mutants.size(), 8), "yosys", {"-q", "all.ys"}, folder)});
  const Aiger gates(folder / "all.aig", folder / "all.map", "in_gradwire_awake");
  if (!gates.whole()) return proven;
  // Registers that nobody sees go first, and those that are the same by their gates: with them,
  // what is equal is not found. Then registers alone: most of both sides becomes one in no time,
  // and what is left has a smaller netlist and may take more conflicts than a hundred. What is
  // given up for their number is in the way of the next pass no more.
  for (size_t begin = 0; begin < mutants.size() && !sim::interrupted(); begin += limits.jobs) {
    tried(begin);
    const size_t end = std::min(begin + limits.jobs, mutants.size());
    std::vector<testbenches::Command> commands;
    for (size_t i = begin; i < end; ++i) {
      gates.write(folder / fmt::format("{}.aig", i + 1), static_cast<uint32_t>(i + 1));
      // With rings (-r takes them away) too little of a large device is found to be equal: not even
      // a netlist and itself.
      commands.push_back(
          limited(each, "yosys-abc",
                  {"-c", fmt::format("&r {0}.aig; &scl; &lcorr; &scorr -r -C 10000; &w {0}.left; "
                                     "&scorr -r -C 100000; &w {0}.left",
                                     i + 1)},
                  folder));
    }
    testbenches::run_programs(commands);
    for (size_t i = begin; i < end; ++i) proven[i] = never(folder / fmt::format("{}.left", i + 1));
  }
  return proven;
}

}  // namespace gw::tools
