// SPDX-License-Identifier: Apache-2.0
#include "testbenches/nic/coverage.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "models/reference/nic/headers.h"
#include "testbenches/nic/options.h"
#include "testbenches/nic/oracle.h"

namespace gw::testbenches {
namespace {

namespace nic = reference::nic;
using sim::coverage::numbers;
using sim::coverage::StreamTables;
using sim::coverage::Table;
using sim::coverage::Tails;

size_t beats_class(const sim::Packet<Beat>& packet) {
  const size_t beats = packet.beats.size();
  return beats < 2 ? 0 : beats < 8 ? 1 : 2;
}

/// Each way that a frame can go, behind each other way.
class Order {
 public:
  Order(const std::vector<std::string>& actions, bool tx)
      : table_("order",
               "what became of a frame x of the one before it x whether it came in the next cycle",
               {{"action", actions}, {"before", actions}, {"gap", {"at once", "later"}}}),
        lengths_("lengths", "what became of a frame x its beats x tuser on its last beat",
                 {{"action", actions},
                  {"beats", {"1", "2 to 7", "8 and more"}},
                  {"tuser", {"good", "in error"}}}) {
    if (!tx) {
      lengths_.impossible("what quotes a header is longer than a beat", [](Table::At at) {
        return at[1] == 0 && at[0] == static_cast<size_t>(nic::RxAction::kMended);
      });
      return;
    }
    using nic::TxAction;
    const auto is = [](size_t action, TxAction what) {
      return action == static_cast<size_t>(what);
    };
    lengths_.impossible("a frame is bad_input exactly if its last beat says so", [&](Table::At at) {
      return is(at[0], TxAction::kBadInput) != (at[2] == 1);
    });
    lengths_.impossible("its headers alone are longer than a beat", [&](Table::At at) {
      return at[1] == 0 && !is(at[0], TxAction::kNotIpv4) && !is(at[0], TxAction::kBadHeader) &&
             !is(at[0], TxAction::kBadInput);
    });
    lengths_.impossible("what is packed must become shorter, and a frame has 60 bytes at least",
                        [&](Table::At at) { return is(at[0], TxAction::kPacked) && at[1] == 0; });
  }

  void arrived(const sim::PacketRef<Beat>& packet, size_t action) {
    if (before_ != nullptr) {
      table_.hit(action, action_, packet->accepted == before_->accepted_last + 1 ? 0 : 1);
    }
    lengths_.hit(action, beats_class(*packet), packet->beats.back().user != 0);
    before_ = packet;
    action_ = action;
  }
  void add_to(std::vector<const Table*>& all) const { all.insert(all.end(), {&table_, &lengths_}); }
  Table& lengths() { return lengths_; }

 private:
  Table table_, lengths_;
  sim::PacketRef<Beat> before_;
  size_t action_ = 0;
};

/// Frames with whole floats, packed or not: what lies around the floats.
class Payloads {
 public:
  /// `ways`: what may become of them. `tx`: nic_tx says where floats are, not a shim.
  Payloads(const std::vector<std::string>& ways, bool tx)
      : edges_("edges",
               "frames with whole floats: what became of them x transport x bytes before the first "
               "float x bytes behind the last x floats mod 8",
               {{"way", ways},
                {"transport", {"TCP", "UDP"}},
                {"head", numbers(0, 3)},
                {"tail", numbers(0, 3)},
                {"floats", numbers(0, 7)}}),
        headers_("headers",
                 "frames with whole floats: transport x IPv4's header in words x TCP's in words x "
                 "802.1Q",
                 {{"transport", {"TCP", "UDP"}},
                  {"ihl", numbers(5, 15)},
                  {"data offset", numbers(5, 15)},
                  {"tag", {"untagged", "tagged"}}}) {
    if (tx) {
      edges_.impossible("a datagram's floats begin with its first byte and end with its last",
                        [](Table::At at) { return at[1] == 1 && (at[2] != 0 || at[3] != 0); });
    }
    headers_.impossible("a datagram has no data offset (it counts as 5)",
                        [](Table::At at) { return at[0] == 1 && at[2] != 0; });
  }

  /// `frame`: as the host has it.
  void count(size_t way, std::span<const uint8_t> frame, size_t head, size_t payload,
             size_t floats) {
    const nic::Ethernet link = nic::ethernet(frame);
    const auto ip = nic::ipv4(frame, link.end);
    if (!ip || payload < head + 4 * floats) return;
    const bool tcp = ip->protocol == nic::kTcp;
    const size_t offset = tcp ? static_cast<size_t>(frame[ip->transport() + 12] >> 4) : 5;
    edges_.hit(way, !tcp, head, payload - head - 4 * floats, floats % 8);
    headers_.hit(!tcp, ip->header / 4 - 5, offset - 5, link.end != 14);
  }
  void add_to(std::vector<const Table*>& all) const { all.insert(all.end(), {&edges_, &headers_}); }

 private:
  Table edges_, headers_;
};

class NicFamily final : public sim::coverage::Family<Beat> {
 public:
  NicFamily(NicSide side, const nic::NicConfig& config)
      : side_(side),
        tx_(config),
        rx_(config),
        order_(side == NicSide::kRx ? rx_actions() : tx_actions(), side != NicSide::kRx),
        payloads_(side == NicSide::kRx ? std::vector<std::string>{"unpacked"}
                                       : std::vector<std::string>{"stored", "packed"},
                  side != NicSide::kRx) {}

  Tails tails(bool input, size_t) const override {
    return Tails::bytes(kBeatBytes, !input && side_ != NicSide::kTx);
  }
  void shape(StreamTables& tables) const override {
    if (side_ == NicSide::kTx) return;
    tables.packets_out[0].impossible(
        "a beat without a byte says that a packed frame's stream ended early: its headers have "
        "left before",
        [](Table::At at) { return at[0] == 0 && at[1] == 0; });
  }

  void arrived(size_t, const sim::PacketRef<Beat>& packet) override {
    const std::vector<uint8_t> frame = sim::bytes_of(*packet);
    const bool bad = packet->beats.back().user != 0;
    if (side_ == NicSide::kRx) {
      rx_.configure(nic_rx_config(packet->config));
      const nic::Unpacked made = rx_.unpack(frame, bad);
      order_.arrived(packet, static_cast<size_t>(made.action));
      if (made.action == nic::RxAction::kUnpacked) {
        payloads_.count(0, made.frame, made.head, made.payload, made.floats);
      }
      return;
    }
    tx_.configure(nic_tx_config(packet->config));
    const nic::Packed made = tx_.pack(frame, bad, nic_tx_forgets(packet->config));
    order_.arrived(packet, static_cast<size_t>(made.action));
    const bool packed = made.action == nic::TxAction::kPacked;
    if (packed || made.action == nic::TxAction::kStored) {
      payloads_.count(packed, frame, made.head, made.payload, made.floats);
    }
  }
  std::vector<const Table*> tables() const override {
    std::vector<const Table*> all;
    order_.add_to(all);
    payloads_.add_to(all);
    return all;
  }

 private:
  const NicSide side_;
  nic::NicTx tx_;
  nic::NicRx rx_;
  Order order_;
  Payloads payloads_;
};

}  // namespace

std::unique_ptr<sim::coverage::Family<Beat>> nic_coverage(NicSide side,
                                                          const nic::NicConfig& config) {
  return std::make_unique<NicFamily>(side, config);
}

}  // namespace gw::testbenches
