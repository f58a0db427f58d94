// Captures: read, written, cut, counted; and the gradient payloads in them.
//
//   auto capture = gw::capture::read("traces/hdc-ring-early.pcap");
//   if (!capture) return fail(capture.error().sentence);
//   auto selection = gw::capture::select(*capture);
//   for (const auto& p : selection.payloads) use(p.bytes, p.packet, selection.flows[p.flow].key);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/reference/capture/filter.h"
#include "models/reference/capture/packet.h"
#include "models/reference/capture/result.h"

namespace gw::capture {

// ---- Reading

enum class Precision { kMicroseconds, kNanoseconds };

/// What carried a packet. Links without Ethernet's header are given one (Record).
enum class Link : std::uint8_t { kEthernet, kIp, kCooked, kLoopback, kOther };

/// A packet where the reader has it: `bytes` hold until its next call. It is an Ethernet frame
/// without FCS: one that another link carried has a header made for it, and one of a link that is
/// not read (kOther) has no bytes.
struct Record {
  std::uint64_t number = 0;  ///< as the others of Packet
  std::int64_t timestamp_ns = 0;
  std::size_t original_length = 0;
  std::span<const std::uint8_t> bytes = {};
  Link link = Link::kEthernet;
};
/// A copy of it, decoded.
Packet packet_of(const Record& record);

/// The same packet as it lies in the file.
struct Stored {
  std::uint32_t link_type = 0;
  std::size_t original_length = 0;
  std::span<const std::uint8_t> bytes = {};
  std::span<const std::uint8_t> block = {};   ///< pcapng: with its options
  std::span<const std::uint8_t> before = {};  ///< pcapng, if asked for: the blocks before it
};

inline constexpr std::size_t kFcsBytes = 4;  ///< of Ethernet

struct ReaderOptions {
  /// Take the last four bytes of an Ethernet frame for its FCS where the file does not say so.
  /// Where it does, the FCS is taken off anyway.
  bool strip_fcs = false;
  /// Cut TCP segments of more bytes than this into several, as a NIC would have: GRO, TSO and BIG
  /// TCP join them. Packets are then counted after the cut. 0: as captured.
  std::size_t segment = 0;
  bool keep_blocks = false;  ///< give Stored::before
};

/// Reads a capture packet by packet, in memory that does not grow with it: pcap (micro- and
/// nanoseconds, both byte orders) or pcapng, also compressed by gzip or zstd; of Ethernet, IP
/// without a link, Linux cooked (SLL, SLL2) or loopback, each interface of a pcapng by itself.
class Reader {
 public:
  /// Fails with one sentence when the file is missing, unreadable, empty, no capture, cut within
  /// its header, or of another link only.
  static Expected<Reader> open(const std::filesystem::path& file,
                               const ReaderOptions& options = {});
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  /// Nothing at the end, or where the file is damaged.
  std::optional<Record> next();
  /// The packet given last, as it lies in the file; at the end only `before` is left.
  const Stored& stored() const;
  bool is_pcapng() const;

  const std::string& file() const;
  const std::string& format() const;  ///< "pcap, microseconds, little-endian", "pcapng", ...
  Precision precision() const;
  std::uint64_t packets() const;  ///< read so far
  /// How much of the file is after it, 0 to 1; 0 where nobody knows.
  double progress() const;
  /// The file ends, or breaks, in the middle of a record. The packets before it were given; a
  /// program should work with them if that helps its user, print this sentence, and end as for a
  /// bad input file.
  const std::optional<Error>& damage() const;

 private:
  struct Impl;
  explicit Reader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// A capture in memory.
struct Capture {
  std::string file;
  std::string format;
  Precision precision = Precision::kNanoseconds;
  std::vector<Packet> packets;
  std::optional<Error> damage;  ///< as Reader's
};

struct ReadOptions {
  std::uint64_t max_packets = 0;  ///< stop after so many; 0: all
  ReaderOptions reader = {};
};

/// All that a Reader gives. Fails as it does.
Expected<Capture> read(const std::filesystem::path& file, const ReadOptions& options = {});

// ---- Selecting

/// Where floats begin in a TCP stream: every four bytes from its start, or at the first byte of
/// each segment.
enum class Grid : std::uint8_t { kStream, kPacket };

struct SelectOptions {
  /// The mark, compared as nic_tx does (models/reference/nic): ECN's two bits do not matter, for
  /// hosts and routers set them underway. With tos_mask 0xFF all eight bits count, as the paper
  /// says (section VI-B); a packet on which ECN set its bits is then counted as not_marked_ecn.
  ///
  /// What is selected are the segments whose floats nic_tx packs or stores, but for those of which
  /// TCP has cut a float (`unaligned`: nic_tx lets the edges travel raw), and those that repeat
  /// what was seen (`duplicate`).
  std::uint8_t tos = 0x28;
  std::uint8_t tos_mask = 0xFC;
  /// Sequence number of a stream's first byte, for TCP flows whose SYN is not in the capture.
  std::map<FlowKey, std::uint32_t> first_sequence = {};
  Grid grid = Grid::kStream;
  /// Take the first data segment seen of a TCP flow without SYN as the start of a float: a capture
  /// that began while the connection was open. Else such a flow is skipped, as nic_tx does.
  bool assume_first_segment_aligned = true;
  /// Look past any tags. A NIC does so past one 802.1Q tag only.
  bool any_tags = false;
  /// Payloads are no floats but encoded packets: of any length.
  bool any_length = false;
  /// Select retransmitted segments too: a NIC would process them. They are off by default, because
  /// they would count the same gradients twice.
  bool keep_duplicates = false;
};

/// Counts by reason.
class SkipCounts {
 public:
  void add(Skip reason, std::uint64_t bytes) {
    ++counts_[static_cast<std::size_t>(reason)];
    bytes_[static_cast<std::size_t>(reason)] += bytes;
  }
  std::uint64_t operator[](Skip reason) const { return counts_[static_cast<std::size_t>(reason)]; }
  /// Bytes on the wire of the packets left out for this reason.
  std::uint64_t bytes(Skip reason) const { return bytes_[static_cast<std::size_t>(reason)]; }
  std::uint64_t total() const;
  /// Those that occurred, by their stable names.
  std::map<std::string, std::uint64_t> by_name() const;

 private:
  std::array<std::uint64_t, kSkipCount> counts_{}, bytes_{};
};

/// One packet's gradients: whole little-endian floats.
struct GradientPayload {
  std::uint64_t packet = 0;             ///< its number in the capture, from 1
  std::size_t index = 0;                ///< its place in Capture::packets
  std::size_t flow = 0;                 ///< its place in Selection::flows
  std::uint64_t stream_offset = 0;      ///< TCP: of its first byte in the stream; UDP: 0
  std::span<const std::uint8_t> bytes;  ///< into the packet, which must outlive it
  std::size_t floats() const { return bytes.size() / 4; }
  std::vector<float> values() const;
};

struct Flow {
  FlowKey key;
  std::uint64_t packets = 0;        ///< all of its packets
  std::uint64_t payload_bytes = 0;  ///< in all of them, as the headers say
  std::uint64_t marked = 0;         ///< packets with the mark
  std::uint64_t selected = 0;       ///< packets selected
  std::uint64_t selected_bytes = 0;
  /// TCP: the sequence number of the stream's first byte, from the SYN (the last one, if the ports
  /// were reused) or given.
  std::optional<std::uint32_t> first_sequence;
  bool assumed = false;  ///< TCP: no SYN was seen, the first segment was taken as aligned
};

/// payloads.size() + skipped.total() is the number of packets.
struct Selection {
  std::vector<GradientPayload> payloads;  ///< in the order of the capture
  std::vector<Flow> flows;                ///< in the order of appearance
  SkipCounts skipped;
  std::uint64_t packets = 0;
  std::uint64_t marked = 0;      ///< packets with the mark, selected or not
  std::uint64_t bytes = 0;       ///< of the payloads
  std::uint64_t wire_bytes = 0;  ///< of all packets
  std::uint64_t assumed = 0;     ///< TCP streams whose first segment was taken as aligned
  std::uint64_t ipv6 = 0;        ///< packets selected that came over IPv6
  /// Packets with payload and without the mark, by ToS without ECN's bits.
  std::map<std::uint8_t, std::uint64_t> unmarked_tos;
};

/// Selects the gradient payloads. A packet that is not selected is counted by the first of these
/// reasons that holds: not IP (arp, not_ipv4, other_link, and headers that cannot be read:
/// truncated, bad_header); vlan_tags; not marked; then of the marked: fragment, other_protocol,
/// damage in the transport header, no_payload, and for TCP no_stream_start, bad_sequence,
/// unaligned; truncated (the payload); duplicate. A TCP segment that repeats some bytes and brings
/// some new ones is selected whole: it is what a NIC would see. SYNs count whether they are marked
/// or not, and a new SYN on the same ports begins a new stream.
Selection select(const Capture& capture, const SelectOptions& options = {});
Selection select(Capture&&, const SelectOptions& = {}) = delete;  // the payloads would dangle

/// The same, packet by packet. It remembers flows, and which bytes of them were seen as far back as
/// a sequence number can point (2 GiB): of a stream without holes that is one range.
class Selector {
 public:
  explicit Selector(SelectOptions options = {});
  Selector(Selector&&) noexcept;
  Selector& operator=(Selector&&) noexcept;
  ~Selector();

  /// The packet's gradients, if it is selected.
  std::optional<GradientPayload> take(const Packet& packet);
  /// Of the packets so far; it holds no payloads.
  const Selection& sums() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// ---- Counting

struct Info {
  std::string file;
  std::string format;
  std::uint64_t packets = 0;
  std::uint64_t captured_bytes = 0;  ///< frames, as captured
  std::uint64_t original_bytes = 0;  ///< frames, on the wire
  std::int64_t first_ns = 0;         ///< earliest and latest time
  std::int64_t last_ns = 0;
  std::uint64_t vlan = 0, arp = 0, ipv4 = 0, ipv6 = 0, other_network = 0;
  std::uint64_t tcp = 0, udp = 0, other_transport = 0;
  std::uint64_t snapped = 0;        ///< captured shorter than on the wire
  std::uint64_t bad_checksums = 0;  ///< often only a sender that leaves them to its NIC
  std::uint64_t fcs = 0;            ///< frames whose last four bytes are their own CRC
  std::uint64_t fcs_possible = 0;   ///< of so many
  std::uint64_t marked = 0;
  std::uint64_t selected = 0;
  std::uint64_t selected_bytes = 0;
  std::map<std::string, std::uint64_t> skipped;
  Selection selection;  ///< the same and more, without payloads
  std::vector<Flow> flows;
  std::optional<Error> damage;
};
/// Whether the last four bytes of a frame are the CRC of those before: an FCS.
bool ends_with_fcs(std::span<const std::uint8_t> frame);
Info info(const Capture& capture, const SelectOptions& options = {});

/// The same, packet by packet, in the Selector's memory.
class Counter {
 public:
  explicit Counter(SelectOptions options = {}) : selector_(std::move(options)) {}
  void add(const Packet& packet);
  /// Of the packets so far; file, format and damage are the reader's to say.
  Info sums() const;

 private:
  Info sums_;
  Selector selector_;
};

// ---- Writing

/// Writes a pcap file, of Ethernet frames if nothing else is said. close() (or the destructor,
/// silently) completes it.
class PcapWriter {
 public:
  static constexpr std::uint64_t kFileHeader = 24;    ///< bytes
  static constexpr std::uint64_t kRecordHeader = 16;  ///< bytes in the file before each frame

  /// `link_type`: as files number it.
  static Expected<PcapWriter> open(const std::filesystem::path& file,
                                   Precision precision = Precision::kNanoseconds,
                                   std::uint32_t link_type = 1);
  PcapWriter(PcapWriter&&) noexcept;
  PcapWriter& operator=(PcapWriter&&) noexcept;
  ~PcapWriter();

  /// original_length 0: the frame is complete. A time that pcap cannot hold is refused. A full disk
  /// is reported here or, at the latest, by close(); the half file is gone then.
  Status write(std::int64_t timestamp_ns, std::span<const std::uint8_t> frame,
               std::size_t original_length = 0);
  Status write(const Packet& packet) {
    return write(packet.timestamp_ns, packet.bytes, packet.original_length);
  }
  Status close();

  std::uint64_t packets() const;
  std::uint64_t file_bytes() const;  ///< headers included

 private:
  struct Impl;
  explicit PcapWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Writes a pcapng file of Ethernet frames, to the nanosecond, each with a comment if it has one.
/// close() (or the destructor, silently) completes it.
class PcapngWriter {
 public:
  /// `application`: who writes it, for the file's header.
  static Expected<PcapngWriter> open(const std::filesystem::path& file,
                                     std::string_view application = "gradwire");
  /// Without section and interface: for blocks that are copied.
  static Expected<PcapngWriter> open_bare(const std::filesystem::path& file);
  PcapngWriter(PcapngWriter&&) noexcept;
  PcapngWriter& operator=(PcapngWriter&&) noexcept;
  ~PcapngWriter();

  /// As PcapWriter's. A time before 1970 is refused.
  Status write(std::int64_t timestamp_ns, std::span<const std::uint8_t> frame,
               std::string_view comment = {});
  /// Writes blocks as they are; `packet`: one of a packet.
  Status copy(std::span<const std::uint8_t> blocks, bool packet);
  Status close();

  std::uint64_t packets() const;
  std::uint64_t file_bytes() const;

 private:
  struct Impl;
  explicit PcapngWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

struct SliceOptions {
  std::uint64_t first = 1;  ///< packet numbers, both included
  std::uint64_t last = UINT64_MAX;
  std::uint64_t max_file_bytes = 0;  ///< stop before the file grows beyond it; 0: no limit
  /// Keep the SYNs before `first` of the flows that have packets in the range: without them a TCP
  /// stream's offsets are not known.
  bool keep_syn = true;
  const Filter* filter = nullptr;  ///< only packets that it lets through; they keep their numbers
};

struct Sliced {
  std::uint64_t written = 0;
  std::uint64_t of = 0;         ///< packets in the capture that the filter lets through
  std::optional<Error> damage;  ///< as Reader's: the file ends there, and so does the slice
};

/// Writes a range of a capture's packets to a file of their own, never onto the capture itself. A
/// pcapng stays one, with comments, interfaces and all else between packets, unless the file is
/// named .pcap. Memory holds a packet and the flows; SYNs are looked for in a pass of their own, so
/// that of a pipe, which is read once, everything is held if there may be any.
Expected<Sliced> slice(const std::filesystem::path& capture, const std::filesystem::path& file,
                       const SliceOptions& options = {});

// ---- Making frames

/// The packet's own headers (tags and options included) around another payload; lengths and
/// checksums are made right. Fails when the packet has no complete TCP or UDP header, or the result
/// is longer than an IPv4 packet can be.
Expected<std::vector<std::uint8_t>> replace_payload(const Packet& packet,
                                                    std::span<const std::uint8_t> payload);

/// The segments that a NIC would have sent for a TCP segment of more than `most` bytes, with right
/// lengths, sequence numbers and checksums. None where there is nothing to cut, or not all of it
/// was captured.
std::vector<std::vector<std::uint8_t>> cut_segments(std::span<const std::uint8_t> frame,
                                                    std::size_t original_length, std::size_t most);

struct FrameAddresses {
  std::array<std::uint8_t, 6> source_mac{0x02, 0, 0, 0, 0, 1};
  std::array<std::uint8_t, 6> destination_mac{0x02, 0, 0, 0, 0, 2};
  FlowKey flow{0x0A000001, 0x0A000002, 40000, 5000, Transport::kUdp};
  std::uint8_t tos = 0x28;
  std::uint8_t ttl = 64;
  std::uint16_t identification = 0;
  std::uint32_t sequence = 0;  ///< TCP only, as the next two
  std::uint32_t acknowledgement = 0;
  bool syn = false;
};

/// A new Ethernet/IPv4 frame with UDP or TCP (as flow.transport says) around a payload.
Expected<std::vector<std::uint8_t>> make_frame(const FrameAddresses& addresses,
                                               std::span<const std::uint8_t> payload);

}  // namespace gw::capture
