// SPDX-License-Identifier: Apache-2.0
#include "sim/coverage/streams.h"

#include <fmt/format.h>

namespace gw::sim::coverage {
namespace {

Table packets_table(const Port& port, const Tails& tails) {
  Table table(fmt::format("packets-{}", port.name),
              "beats of a packet x bytes of its last beat x whether the port stood still at its "
              "first, middle, last beat",
              {{"beats", {"1", "2", "3", "4", "5 to 15", "16 and more"}},
               {"tail", tails.values},
               {"first", {"at once", "stood"}},
               {"middle", {"at once", "stood"}},
               {"last", {"at once", "stood"}}});
  table.impossible("a packet of one beat has no other one",
                   [](Table::At at) { return at[0] == 0 && (at[3] != 0 || at[4] != 0); });
  table.impossible("a packet of two beats has none in the middle",
                   [](Table::At at) { return at[0] == 1 && at[3] != 0; });
  return table;
}

Table spacing_table(const Port& port) {
  const std::vector<std::string> beats = {"1", "2", "3 and more"};
  const std::vector<std::string> gaps =
      port.paced ? std::vector<std::string>{"up to 15", "16 to 63", "64 to 1023", "1024 and more"}
                 : std::vector<std::string>{"0", "1", "2 to 7", "8 and more"};
  return {fmt::format("spacing-{}", port.name),
          "cycles between two packets x beats of the one before x beats of the one after",
          {{"gap", gaps}, {"before", beats}, {"behind", beats}}};
}

}  // namespace

Tails Tails::bytes(int beat_bytes, bool empty) {
  Tails tails;
  if (empty) tails.values.emplace_back("none");
  for (int n = 1; n <= beat_bytes; ++n) {
    tails.of_bytes[static_cast<size_t>(n)] = static_cast<uint8_t>(tails.values.size());
    tails.values.push_back(std::to_string(n));
  }
  return tails;
}

Tails Tails::floats(int beat_bytes) {
  Tails tails;
  tails.gap = static_cast<uint8_t>(beat_bytes / 4);
  for (int n = 0; n <= beat_bytes; ++n) {
    tails.of_bytes[static_cast<size_t>(n)] =
        n == 0 || n % 4 != 0 ? tails.gap : static_cast<uint8_t>(n / 4 - 1);
  }
  for (int n = 1; n <= beat_bytes / 4; ++n) tails.values.push_back(fmt::format("{} floats", n));
  tails.values.front() = "1 float";
  tails.values.emplace_back("cut");
  return tails;
}

Tails Tails::full() {
  Tails tails;
  tails.values = {"full"};
  return tails;
}

StreamTables stream_tables(std::span<const Port> inputs, std::span<const Port> outputs,
                           const std::vector<Tails>& tails_in,
                           const std::vector<Tails>& tails_out) {
  StreamTables all;
  for (size_t p = 0; p < inputs.size(); ++p) {
    all.packets_in.push_back(packets_table(inputs[p], tails_in[p]));
    all.spacing_in.push_back(spacing_table(inputs[p]));
  }
  for (size_t q = 0; q < outputs.size(); ++q) {
    all.packets_out.push_back(packets_table(outputs[q], tails_out[q]));
    all.spacing_out.push_back(spacing_table(outputs[q]));
  }
  for (const Port& in : inputs) {
    for (const Port& out : outputs) {
      all.handshakes.emplace_back(
          fmt::format("handshakes-{}-{}", in.name, out.name),
          "cycles by what goes on at an input x at an output: the device is full where it is not "
          "ready, empty where nothing is shown",
          std::vector<Axis>{
              {std::string(in.name), {"silent", "silent and full", "refused", "taken"}},
              {std::string(out.name), {"empty", "empty and not ready", "waiting", "leaving"}}});
    }
  }
  return all;
}

}  // namespace gw::sim::coverage
