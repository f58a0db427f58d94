// SPDX-License-Identifier: Apache-2.0
#include "testbenches/switch/state.h"

#include <fmt/format.h>

#include <boost/crc.hpp>
#include <boost/endian/conversion.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "models/reference/optimizer/bit_exact.h"
#include "sim/base/error.h"
#include "sim/base/file_bytes.h"
#include "sim/report/json.h"

namespace gw::testbenches {
namespace {

namespace optimizer = reference::optimizer;

// No byte order mark of a text file, and damaged by whoever takes it for one.
constexpr std::string_view kMagic = "\x89GWSTATE\r\n\x1a\n";
constexpr uint32_t kVersion = 1;
constexpr size_t kSumBytes = 4;

uint32_t sum_of(std::string_view bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

/// What a state has to agree in with the device that takes it. Processing elements do not matter:
/// any number of them computes the same.
std::string configuration_of(const NetworkSpec& net) {
  return fmt::format("optimizer {}{}, {}, {} parameters", name_of(net.algorithm),
                     net.eps_outside() ? " with eps after the root" : "",
                     net.subnormal == reference::fp::Subnormal::kFlush
                         ? "subnormal numbers are zeros"
                         : "IEEE 754",
                     kNetworkDepth * reference::expether::kMaxValues);
}

size_t blocks_of(const NetworkSpec& net) { return 1 + optimizer::graph_of(net.algorithm).states(); }

class StateWriter {
 public:
  explicit StateWriter(std::string_view begin) : bytes_(begin) {}
  void word(uint32_t value) {
    std::array<char, 4> four;
    boost::endian::endian_store<uint32_t, 4, boost::endian::order::little>(
        reinterpret_cast<unsigned char*>(four.data()), value);
    bytes_.append(four.data(), four.size());
  }
  void text(std::string_view text) {
    word(static_cast<uint32_t>(text.size()));
    bytes_ += text;
  }
  std::string bytes_;
};

/// Reads what the sum has proved to be whole; a length that leads beyond the end is another
/// format's.
class StateReader {
 public:
  explicit StateReader(std::string_view bytes) : left_(bytes) {}
  uint32_t word() {
    if (left_.size() < 4) {
      bad_ = true;
      return 0;
    }
    const auto value = boost::endian::endian_load<uint32_t, 4, boost::endian::order::little>(
        reinterpret_cast<const unsigned char*>(left_.data()));
    left_.remove_prefix(4);
    return value;
  }
  std::string_view text() {
    const uint32_t size = word();
    bad_ |= size > left_.size();
    const std::string_view text = left_.substr(0, bad_ ? 0 : size);
    left_.remove_prefix(text.size());
    return text;
  }
  bool whole() const { return !bad_ && left_.empty(); }

 private:
  std::string_view left_;
  bool bad_ = false;
};

/// The words of a state in their order, for reading and writing alike.
template <class State, class Each>
void each_word(State& state, const Each& each) {
  uint32_t low = static_cast<uint32_t>(state.iterations),
           high = static_cast<uint32_t>(state.iterations >> 32);
  uint32_t iterating = state.iterating;
  each(low);
  each(high);
  for (auto& word : state.registers) each(word);
  for (auto& word : state.active) each(word);
  each(state.iteration);
  each(iterating);
  for (auto& word : state.powers) each(word);
  for (auto& block : state.cells) {
    for (auto& word : block) each(word);
  }
  if constexpr (!std::is_const_v<State>) {
    state.iterations = uint64_t{high} << 32 | low;
    state.iterating = iterating != 0;
  }
}

}  // namespace

OptimizerState initial_state(const NetworkSpec& net, uint64_t seed) {
  const optimizer::Registers registers(net.hyper, net.subnormal);
  OptimizerState state;
  for (size_t i = 0; i < state.registers.size(); ++i) {
    state.registers[i] = registers[static_cast<optimizer::Source>(optimizer::kLr + i)];
  }
  state.active = state.registers;
  state.powers = registers.powers();
  state.cells = {initial_parameters(seed)};
  const optimizer::Cell cell = optimizer::first_cell(net.algorithm, 0, registers, net.epsilon);
  for (size_t s = 1; s < blocks_of(net); ++s) {
    state.cells.emplace_back(state.cells[0].size(), cell.state[s - 1]);
  }
  return state;
}

void save_state(const std::string& path, const NetworkSpec& net, const OptimizerState& state) {
  StateWriter out(kMagic);
  out.word(kVersion);
  out.text(configuration_of(net));
  each_word(state, [&](uint32_t word) { out.word(word); });
  out.word(sum_of(out.bytes_));
  sim::write_report_file(path, out.bytes_, "state");
}

OptimizerState load_state(const std::string& path, const NetworkSpec& net) {
  const std::string bytes = sim::bytes_of_file(path, "the state file");
  const auto refuse = [&](const std::string& why) {
    throw sim::InputError(fmt::format("the state file '{}' {}", path, why));
  };
  if (bytes.empty()) refuse("is empty");
  const std::string_view all(bytes);
  const std::string_view begin = all.substr(0, kMagic.size());
  if (begin != kMagic.substr(0, begin.size())) {
    throw sim::InputError(fmt::format("'{}' is no state file of an optimizer", path));
  }
  if (all.size() < kMagic.size() + 4 + kSumBytes) refuse("is cut");
  const std::string_view summed = all.substr(0, all.size() - kSumBytes);
  StateReader sum(all.substr(summed.size()));
  if (sum.word() != sum_of(summed))
    refuse("is cut or damaged: its checksum is not that of its bytes");
  StateReader in(summed.substr(kMagic.size()));
  if (const uint32_t version = in.word(); version != kVersion) {
    refuse(fmt::format("is of version {}, this program reads version {}", version, kVersion));
  }
  const std::string_view configuration = in.text();
  if (configuration != configuration_of(net)) {
    refuse(fmt::format("is of another configuration: {}; the run's is {}", configuration,
                       configuration_of(net)));
  }
  OptimizerState state;
  state.cells.assign(blocks_of(net), std::vector<uint32_t>(initial_parameters(0).size()));
  each_word(state, [&](uint32_t& word) { word = in.word(); });
  if (!in.whole()) refuse("does not hold what its configuration calls for");
  return state;
}

}  // namespace gw::testbenches
