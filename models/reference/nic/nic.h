// The NIC engines of INCEPTIONN (MICRO'18, section VI-A and VI-B), as plain C++: what a frame
// becomes on its way from a host to the wire (NicTx) and from the wire to a host (NicRx). spec:
// nic.md, sections 1 and 2.
//
// A frame is Ethernet's, without FCS, at most kMaxFrame bytes. Nothing here throws, aborts or reads
// beyond a frame, whatever its bytes are. The only state is the flow table of NicTx.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "models/reference/codec.h"

namespace gw::reference::nic {

using Frame = std::vector<std::uint8_t>;

inline constexpr std::size_t kMinFrame = 60;    ///< shorter ones are padded with zeros
inline constexpr std::size_t kMaxFrame = 9018;  ///< 9,000 bytes of IPv4, one tag
inline constexpr std::size_t kShim = 4;
inline constexpr std::uint8_t kShimVersion = 2;
inline constexpr std::size_t kFlows = 256;

/// Where a segment's floats begin: where the TCP stream says (kStream), or at its first byte, as in
/// the paper (kPacket), which breaks the error bound wherever TCP cuts a float.
enum class Grid : std::uint8_t { kStream, kPacket };

struct NicConfig {
  std::uint8_t mark = 0x28;       ///< ToS of the connections whose streams are floats
  std::uint8_t mark_mask = 0xFC;  ///< the bits of it that count: not ECN's
  Grid grid = Grid::kStream;
  CodecConfig codec;
  std::uint8_t protocol_tcp = 253;  ///< what a packed frame's IPv4 header says in place of TCP
  std::uint8_t protocol_udp = 254;  ///< and of UDP
};

/// What nic_tx did with a frame: the first of these that holds. All but kReserved (dropped),
/// kPacked, and kBadInput of a frame that was held, leave as they came.
enum class TxAction : std::uint8_t {
  kNotIpv4,
  kBadHeader,  ///< a header or length that contradicts itself or the frame; a frame over kMaxFrame
  kReserved,   ///< unfragmented and of the protocols that only nic_tx may make
  kSyn,        ///< marked
  kNotMarked,
  kFragment,
  kOtherProtocol,
  kNoPayload,
  kTrailer,        ///< bytes after the packet
  kNoStreamStart,  ///< TCP whose SYN the flow table does not hold
  kUnaligned,      ///< UDP, a length that is no multiple of four
  kFew,            ///< no whole float
  kStored,         ///< packed it would not be shorter
  kPacked,
  kBadInput,  ///< the host took the frame back on its last beat (tuser)
};
inline constexpr std::size_t kTxActions = 15;
std::string_view name_of(TxAction action);

/// What nic_rx did with a frame.
enum class RxAction : std::uint8_t {
  kPassed,     ///< neither a packed frame nor one that quotes one
  kBadShim,    ///< of a packed frame's protocol, and nothing that nic_tx can have made; left as it
               ///< came
  kBadStream,  ///< the stream does not end exactly with its last group; the part that could be
               ///< reconstructed, in error
  kUnpacked,
  kMended,  ///< an ICMP error about a packed frame: quotes what the host had sent
};
inline constexpr std::size_t kRxActions = 5;
std::string_view name_of(RxAction action);

/// TCP's four-tuple in wire order: source and destination address, source and destination port.
using FlowKey = std::array<std::uint8_t, 12>;

/// Where floats begin in each stream: 256 flows, direct mapped by the XOR of the key's bytes, whose
/// top bit is inverted where the source comes after the destination: a connection's two directions
/// never meet. A newer flow evicts.
class FlowTable {
 public:
  void learn(const FlowKey& key, std::uint8_t phase);
  void forget(const FlowKey& key);
  std::optional<std::uint8_t> phase(const FlowKey& key) const;
  std::size_t entries() const;
  /// By another flow: a port that is used again evicts nothing.
  std::uint64_t evicted() const { return evicted_; }
  /// Entries that forget() removed.
  std::uint64_t forgotten() const { return forgotten_; }

 private:
  struct Entry {
    FlowKey key;
    std::uint8_t phase;
  };
  std::array<std::optional<Entry>, kFlows> entries_;
  std::uint64_t evicted_ = 0, forgotten_ = 0;
};

struct Packed {
  TxAction action = TxAction::kNotIpv4;
  bool leaves = true;       ///< false: dropped
  bool error = false;       ///< leaves with tuser
  Frame frame;              ///< on the wire; empty if it does not leave
  Frame expected;           ///< what the far host must get; empty if the frame does not leave
  std::uint8_t head = 0;    ///< of kPacked and kStored: bytes before the first whole float
  std::size_t floats = 0;   ///< whole floats
  std::size_t payload = 0;  ///< bytes that the transport carries
};

class NicTx {
 public:
  explicit NicTx(NicConfig config) : config_(config) {}
  /// Sets the configuration of the frames that follow; the flow table stays.
  void configure(NicConfig config) { config_ = config; }
  /// `bad`: the frame ended with tuser. It teaches the flow table nothing. `forget`: a flow that
  /// leaves the table before this frame is looked up in it.
  Packed pack(std::span<const std::uint8_t> frame, bool bad = false,
              const std::optional<FlowKey>& forget = {});
  const FlowTable& flows() const { return flows_; }

 private:
  NicConfig config_;
  FlowTable flows_;
};

struct Unpacked {
  RxAction action = RxAction::kPassed;
  Frame frame;
  bool error = false;  ///< leaves with tuser
  /// With kMended: nic_tx of the same NIC must forget this flow; its far side has no nic_rx.
  std::optional<FlowKey> forget = {};

  // Of kUnpacked and kBadStream, as the shim says.
  std::uint8_t head = 0;    ///< bytes before the first whole float
  std::size_t floats = 0;   ///< whole floats
  std::size_t payload = 0;  ///< bytes that the transport carries
  std::size_t whole = 0;    ///< bytes that the frame should have; fewer came of a stream that ends
                            ///< early
};

/// The same of a frame as it left nic_rx: mended, without error.
std::optional<FlowKey> forgotten_flow(std::span<const std::uint8_t> frame);

class NicRx {
 public:
  explicit NicRx(NicConfig config) : config_(config) {}
  /// Sets the configuration of the frames that follow.
  void configure(NicConfig config) { config_ = config; }
  /// `bad`: the frame ended with tuser (a bad FCS), and so will what leaves. Bound and mode are the
  /// shim's, not the configuration's.
  Unpacked unpack(std::span<const std::uint8_t> frame, bool bad = false) const;

 private:
  NicConfig config_;
};

}  // namespace gw::reference::nic
