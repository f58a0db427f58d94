// SPDX-License-Identifier: Apache-2.0
#include "testbenches/nic/oracle.h"

#include <algorithm>
#include <cstring>

#include "models/reference/capture/bytes.h"
#include "models/reference/nic/headers.h"
#include "testbenches/codec/report.h"
#include "testbenches/kit/wires.h"
#include "testbenches/nic/options.h"

namespace gw::testbenches {
namespace {

namespace nic = reference::nic;
using nic::RxAction;
using nic::TxAction;
using nlohmann::json;

constexpr size_t kShortestFrame = 60;  // a MAC pads to it

uint64_t wire_bytes(size_t frame) { return kTenGbe.bytes(std::max(frame, kShortestFrame)); }

size_t total_length(std::span<const uint8_t> frame) {
  return capture::load16(frame, nic::ethernet(frame).end + 2);
}

double quotient(uint64_t a, uint64_t b) { return static_cast<double>(a) / static_cast<double>(b); }

template <class Action>
std::vector<std::string> names(size_t count) {
  std::vector<std::string> all;
  for (size_t i = 0; i < count; ++i) all.emplace_back(nic::name_of(static_cast<Action>(i)));
  return all;
}

std::vector<std::string> with(std::vector<std::string> names,
                              std::initializer_list<const char*> more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

std::vector<std::optional<uint32_t>> words(const NicTally& tally) {
  std::vector<std::optional<uint32_t>> all;
  for (const uint64_t n : tally.actions()) all.emplace_back(static_cast<uint32_t>(n));
  all.emplace_back(static_cast<uint32_t>(tally.bytes_in()));
  all.emplace_back(static_cast<uint32_t>(tally.bytes_out()));
  return all;
}

/// What leaves as it came does so beat by beat: also with a last one that has no byte.
void leave_as_it_came(const sim::Packet<Beat>& packet, sim::Packet<Beat>& owed) {
  if (valid_bytes(packet.beats.back()) != 0 || packet.beats.size() == owed.beats.size()) return;
  const uint16_t user = owed.beats.back().user;
  owed.beats.back().last = owed.beats.back().user = 0;
  owed.beats.push_back({.keep = 0, .last = 1, .user = user});
}

}  // namespace

std::vector<std::string> tx_actions() { return names<TxAction>(nic::kTxActions); }
std::vector<std::string> rx_actions() { return names<RxAction>(nic::kRxActions); }
std::vector<std::string> tx_statistics() {
  return with(tx_actions(), {"bytes_in", "bytes_out", "evicted", "forgotten"});
}
std::vector<std::string> rx_statistics() { return with(rx_actions(), {"bytes_in", "bytes_out"}); }

void NicTally::count(size_t action, size_t bytes_in, size_t bytes_out) {
  ++actions_.at(action);
  bytes_in_ += bytes_in;
  bytes_out_ += bytes_out;
}

void NicTally::packed(size_t floats, size_t payload, size_t saved, size_t original,
                      size_t on_wire) {
  ++packed_;
  floats_ += floats;
  edges_ += payload - 4 * floats;
  payload_ += payload;
  packed_payload_ += payload - saved;
  original_ += original;
  on_wire_ += on_wire;
}

void NicTally::carried(size_t original, size_t on_wire) {
  original_time_ += wire_bytes(original);
  packed_time_ += wire_bytes(on_wire);
}

json NicTally::direction(std::span<const std::string> names) const {
  json reasons = json::object();
  uint64_t frames = 0;
  for (size_t i = 0; i < actions_.size(); ++i) {
    if (actions_[i] != 0) reasons[names[i]] = actions_[i];
    frames += actions_[i];
  }
  return {{"frames", frames},
          {"reasons", std::move(reasons)},
          {"bytes_in", bytes_in_},
          {"bytes_out", bytes_out_}};
}

json NicTally::packed() const {
  json section = {{"frames", packed_}, {"floats", floats_}, {"edge_bytes", edges_}};
  if (packed_ == 0) return section;
  section["ratio_payload"] = quotient(payload_, packed_payload_);
  section["ratio_frame"] = quotient(original_, on_wire_);
  return section;
}

json NicTally::link() const {
  const double us = 8e-3 / kTenGbe.gbps;
  json section = {{"gbps", kTenGbe.gbps},
                  {"original_us", static_cast<double>(original_time_) * us},
                  {"packed_us", static_cast<double>(packed_time_) * us}};
  if (original_time_ != 0) {
    section["saved_percent"] = 100 - 100 * quotient(packed_time_, original_time_);
  }
  return section;
}

void NicTxOracle::arrives(size_t, const sim::PacketRef<Beat>& packet) {
  const std::vector<uint8_t> frame = sim::bytes_of(*packet);
  const nic::NicConfig config = nic_tx_config(packet->config);
  nic_.configure(config);
  const nic::Packed made =
      nic_.pack(frame, packet->beats.back().user != 0, nic_tx_forgets(packet->config));
  tally_.count(static_cast<size_t>(made.action), frame.size(), made.frame.size());
  if (made.floats != 0) tally_.candidate(made.head);
  if (made.leaves) behind_ = 0;
  if (!made.leaves || made.action == TxAction::kPacked) behind_ += packet->beats.size();
  if (!made.leaves) return;
  tally_.carried(frame.size(), made.frame.size());
  if (made.action == TxAction::kPacked) {
    tally_.packed(made.floats, made.payload, total_length(frame) - total_length(made.frame),
                  frame.size(), made.frame.size());
    std::vector<uint32_t> values(made.floats);
    std::memcpy(values.data(), &frame[frame.size() - made.payload + made.head], 4 * made.floats);
    floats_.configure(config.codec);
    floats_.add(std::span<const uint32_t>(values));
  }
  sim::PacketRef<Beat> owed = sim::make_packet<Beat>(made.frame, made.error);
  if (made.action != TxAction::kPacked) leave_as_it_came(*packet, *owed);
  owed->source = packet;
  owed->action = static_cast<uint32_t>(made.action);
  owed->ratio = made.frame.empty() ? 1 : quotient(frame.size(), made.frame.size());
  owe(0, std::move(owed));
}

std::vector<std::optional<uint32_t>> NicTxOracle::statistics() const {
  std::vector<std::optional<uint32_t>> all = words(tally_);
  all.emplace_back(static_cast<uint32_t>(nic_.flows().evicted()));
  all.emplace_back(static_cast<uint32_t>(nic_.flows().forgotten()));
  return all;
}

json NicTxOracle::findings() const {
  json sections = {{"nic",
                    {{"tx", tally_.direction(tx_actions())},
                     {"packed", tally_.packed()},
                     {"link", tally_.link()},
                     {"flow_table",
                      {{"entries", nic_.flows().entries()},
                       {"evicted", nic_.flows().evicted()},
                       {"forgotten", nic_.flows().forgotten()}}},
                     {"phases", tally_.phases()}}}};
  if (floats_.values() != 0) add_compression(sections, floats_, floats_.config().mode);
  return sections;
}

void NicRxOracle::arrives(size_t, const sim::PacketRef<Beat>& packet) {
  const std::vector<uint8_t> frame = sim::bytes_of(*packet);
  nic_.configure(nic_rx_config(packet->config));
  const nic::Unpacked made = nic_.unpack(frame, packet->beats.back().user != 0);
  tally_.count(static_cast<size_t>(made.action), frame.size(), made.frame.size());
  tally_.carried(made.frame.size(), frame.size());
  draining_ = made.action == RxAction::kBadStream;
  if (says_ && made.forget) forgets_.push_back(*made.forget);
  sim::PacketRef<Beat> owed = sim::make_packet<Beat>(made.frame, made.error);
  if (made.action == RxAction::kUnpacked) {
    tally_.candidate(made.head);
    tally_.packed(made.floats, made.payload, total_length(made.frame) - total_length(frame),
                  made.frame.size(), frame.size());
    owed->ratio = quotient(made.frame.size(), frame.size());
  }
  if (made.action == RxAction::kPassed || made.action == RxAction::kBadShim ||
      made.action == RxAction::kMended) {
    leave_as_it_came(*packet, *owed);
  }
  // Where the stream ends early, that is seen a beat after the bytes that it gave.
  if (made.frame.size() < made.whole && made.frame.size() % kBeatBytes == 0) {
    owed->beats.back().last = owed->beats.back().user = 0;
    owed->beats.push_back({.keep = 0, .last = 1, .user = 1});
  }
  owed->source = packet;
  owed->action = static_cast<uint32_t>(made.action);
  owe(0, std::move(owed));
}

std::string NicRxOracle::says(std::span<const uint64_t> probe) {
  if (forgets_.empty()) return "forget_o without an ICMP error that says so";
  const std::array<uint64_t, 2> due = nic_rx_says(forgets_.front());
  if (!std::ranges::equal(probe, due)) return "forget_key_o is not the flow that is quoted";
  forgets_.pop_front();
  return {};
}

std::vector<std::optional<uint32_t>> NicRxOracle::statistics() const { return words(tally_); }

json NicRxOracle::findings() const {
  return {{"nic",
           {{"rx", tally_.direction(rx_actions())},
            {"packed", tally_.packed()},
            {"link", tally_.link()},
            {"phases", tally_.phases()}}}};
}

void NicOracle::arrives(size_t port, const sim::PacketRef<Beat>& packet) {
  tx_.arrives(port, packet);
  const sim::PacketRef<Beat> between = tx_.next(0);
  if (between == nullptr) return;
  between->config = rx_words_;
  rx_.arrives(0, between);
  sim::PacketRef<Beat> owed = rx_.next(0);
  // What nic_tx did: nic_rx gives back what was packed, and passes the rest.
  owed->source = packet;
  owed->action = between->action;
  owed->ratio = between->ratio;
  owe(0, std::move(owed));
}

std::vector<std::optional<uint32_t>> NicOracle::statistics() const {
  std::vector<std::optional<uint32_t>> all = tx_.statistics();
  const std::vector<std::optional<uint32_t>> more = rx_.statistics();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

json NicOracle::findings() const {
  json sections = tx_.findings();
  sections["nic"]["rx"] = rx_.findings()["nic"]["rx"];
  return sections;
}

}  // namespace gw::testbenches
