// SPDX-License-Identifier: Apache-2.0
#include "tools/gradwire/mutant_proofs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "sim/harness/kernel.h"
#include "testbenches/library/process.h"
#include "tools/gradwire/aiger.h"
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
