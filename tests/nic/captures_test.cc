// What runs of the NIC's devices write: captures of the host's side and of the wire, and what
// tshark says of them.
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "models/reference/capture/capture.h"
#include "models/reference/nic/host.h"
#include "sim/base/error.h"
#include "sim/base/random.h"
#include "tests/nic/support.h"
#include "tests/nic/tshark.h"
#include "tests/sanitized.h"

namespace gw::tests::captures_test {
namespace {

namespace fs = std::filesystem;
namespace nic = reference::nic;
using wireshark::no_tshark;

// 0 is bad, 1 is good, 2 is not looked at.
constexpr const char* kBadChecksum =
    "ip.checksum.status == 0 or tcp.checksum.status == 0 or udp.checksum.status == 0";

class Captures : public testing::Test {
 protected:
  Captures() { fs::create_directories(folder_); }
  ~Captures() override { fs::remove_all(folder_); }

  std::string file(const char* name) const { return (folder_ / name).string(); }

  /// Lines of tshark's fields, of the packets that a filter lets through.
  static std::vector<std::string> tshark(const std::string& capture, const std::string& fields,
                                         const std::string& filter = "") {
    std::string command =
        "tshark -n -o ip.check_checksum:TRUE -o tcp.check_checksum:TRUE -o "
        "udp.check_checksum:TRUE -r '" +
        capture + "' -T fields " + fields;
    if (!filter.empty()) command += " -Y '" + filter + "'";
    const std::string text = capture + ".txt";
    EXPECT_EQ(std::system((command + " > '" + text + "' 2> /dev/null").c_str()), 0) << command;
    std::vector<std::string> lines;
    std::ifstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }
  /// The committed captures: what the manifest says of each.
  static nlohmann::json committed() {
    std::ifstream manifest(folder_of_traces() + "manifest.json");
    return nlohmann::json::parse(manifest)["captures"];
  }
  static std::string folder_of_traces() { return std::string(GRADWIRE_SOURCE_DIR) + "/traces/"; }

  nlohmann::json report(const std::string& name, sim::RunSpec spec, const std::string& out) {
    return sim::run(device(name), {.spec = std::move(spec), .pcap_out = out, .command = ""});
  }

  const fs::path folder_ =
      fs::temp_directory_path() / ("gradwire-nic-captures-" + std::to_string(getpid()));
};

TEST_F(Captures, CommentsSayWhenAndWhat) {
  sim::RunSpec spec = spec_of("nic_tx", "hosts", 300);
  const nlohmann::json result = report("nic_tx", spec, file("out.pcapng"));
  ASSERT_TRUE(result["pass"]) << result.value("failure", nlohmann::json());
  const sim::Outcome outcome = run("nic_tx", spec);
  const auto& rows = outcome.timeline.rows;
  const auto read = capture::read(file("out.pcapng"));
  ASSERT_TRUE(read);
  ASSERT_EQ(read->packets.size(), rows.size());
  // Time is the first packet's, and ten nanoseconds a cycle.
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(read->packets[i].timestamp_ns, static_cast<int64_t>(rows[i].offered) * 10);
  }
  if (no_tshark()) GTEST_SKIP() << "tshark is missing";
  const std::vector<std::string> comments = tshark(file("out.pcapng"), "-e frame.comment");
  ASSERT_EQ(comments.size(), rows.size());
  size_t packed = 0;
  const std::regex form(
      R"(gradwire in=(\d+) out=(\d+) latency=(\d+) action=(\w+) ratio=(\d+\.\d+))");
  for (size_t i = 0; i < rows.size(); ++i) {
    std::smatch said;
    ASSERT_TRUE(std::regex_match(comments[i], said, form)) << comments[i];
    EXPECT_EQ(std::stoull(said[1]), rows[i].accepted);
    EXPECT_EQ(std::stoull(said[2]), rows[i].offered);
    EXPECT_EQ(std::stoull(said[3]), rows[i].offered - rows[i].accepted);
    EXPECT_EQ(said[4], device("nic_tx").facts().actions.at(rows[i].action));
    packed += said[4] == "packed";
    EXPECT_EQ(said[4] == "packed", std::stod(said[5]) > 1) << comments[i];
  }
  EXPECT_EQ(packed, outcome.sections["nic"]["packed"]["frames"]);
}

/// A host's connections, checksums right, as a capture.
void write_hosts(const std::string& file) {
  auto writer = capture::PcapWriter::open(file);
  ASSERT_TRUE(writer);
  int64_t time = 1'700'000'000'000'000'000;
  sim::Random random(seed());
  for (int i = 0; i < 200; ++i) {
    const bool tcp = i % 4 != 3;
    nic::Host host{.tcp = tcp,
                   .tag = i % 5 == 0,
                   .ihl = 5 + random.below(11),
                   .data_offset = 5 + random.below(11),
                   .port = static_cast<uint16_t>(4000 + i % 7)};
    if (i < 7 * 4 && tcp) {
      ASSERT_FALSE(writer->write(time += 1000, host.syn()));
      continue;
    }
    host.sequence += 1 + random.below(1000);
    host.payload.resize(200 + (tcp ? random.below(1200) : 4 * random.below(300)));
    for (uint8_t& byte : host.payload) byte = static_cast<uint8_t>(random.next());
    for (size_t b = 3; b < host.payload.size(); b += 4) host.payload[b] = 0x3C;
    ASSERT_FALSE(writer->write(time += 1000, host.frame()));
  }
  ASSERT_FALSE(writer->close());
}

TEST_F(Captures, ChecksumsAreGoodBehindTwoNics) {
  write_hosts(file("hosts.pcap"));
  sim::RunSpec spec = spec_of("nic", "", 0, {{"pcap-wire", file("wire.pcapng")}});
  spec.stimulus = {.trace = file("hosts.pcap")};
  const nlohmann::json result = report("nic", spec, file("out.pcap"));
  ASSERT_TRUE(result["pass"]) << result.value("failure", nlohmann::json());
  const uint64_t packed = result["nic"]["packed"]["frames"];
  EXPECT_GT(packed, 100u);
  EXPECT_EQ(result["nic"]["rx"]["reasons"]["unpacked"], packed);
  EXPECT_EQ(result["nic"]["tx"]["frames"], 200u);
  const auto wire = capture::read(file("wire.pcapng"));
  ASSERT_TRUE(wire);
  EXPECT_EQ(wire->packets.size(), 200u);
  if (no_tshark()) GTEST_SKIP() << "tshark is missing";
  EXPECT_TRUE(tshark(file("out.pcap"), "-e frame.number", kBadChecksum).empty());
  EXPECT_EQ(
      tshark(file("out.pcap"), "-e frame.number",
             "ip.checksum.status == 1 and (tcp.checksum.status == 1 or udp.checksum.status == 1)")
          .size(),
      200u);
  EXPECT_TRUE(tshark(file("wire.pcapng"), "-e frame.number", kBadChecksum).empty());
  EXPECT_EQ(
      tshark(file("wire.pcapng"), "-e frame.number", "ip.proto == 253 or ip.proto == 254").size(),
      packed);

  // nic_rx alone, of the capture of the wire, and of the hosts' with --pack.
  sim::RunSpec rx = spec_of("nic_rx", "", 0);
  rx.stimulus = {.trace = file("wire.pcapng")};
  EXPECT_EQ(report("nic_rx", rx, "")["nic"]["rx"]["reasons"]["unpacked"], packed);
  rx.stimulus = {.trace = file("hosts.pcap")};
  EXPECT_FALSE(report("nic_rx", rx, "")["nic"]["rx"]["reasons"].contains("unpacked"));
  rx.options.set("pack", "yes");
  EXPECT_EQ(report("nic_rx", rx, file("unpacked.pcap"))["nic"]["rx"]["reasons"]["unpacked"],
            packed);
  const auto one = capture::read(file("unpacked.pcap")), two = capture::read(file("out.pcap"));
  ASSERT_TRUE(one && two);
  ASSERT_EQ(one->packets.size(), two->packets.size());
  for (size_t i = 0; i < one->packets.size(); ++i) {
    EXPECT_EQ(one->packets[i].bytes, two->packets[i].bytes) << i;
  }
}

TEST_F(Captures, WhatIsSelectedIsWhatANicPacks) {
  for (const char* name : {"hdc-ring-early", "hdc-ring-middle", "hdc-ring-late", "mixed"}) {
    SCOPED_TRACE(name);
    const auto capture = capture::read(folder_of_traces() + name + ".pcap");
    ASSERT_TRUE(capture);
    std::set<uint64_t> selected, packed;
    capture::SelectOptions options;
    options.keep_duplicates = true;
    const auto selection = capture::select(*capture, options);
    for (const auto& payload : selection.payloads) selected.insert(payload.packet);
    std::map<uint32_t, nic::NicTx> nics;  // a host's own, by its address
    for (const capture::Packet& packet : capture->packets) {
      if (!packet.layers.ipv4) continue;
      nic::NicTx& tx = nics.try_emplace(packet.layers.ipv4->source, nic::NicConfig{}).first->second;
      const nic::TxAction action = tx.pack(packet.bytes).action;
      if (action == nic::TxAction::kPacked || action == nic::TxAction::kStored) {
        packed.insert(packet.number);
      }
    }
    EXPECT_EQ(packed, selected);
    EXPECT_GT(packed.size(), 100u);
  }
}

/// What a host sent, through two NICs: the bytes of each frame on the wire and behind it.
struct Passed {
  std::vector<std::vector<uint8_t>> wire, far;
};

// A capture of a link holds what several hosts sent: through one NIC goes what one of them did.
TEST_F(Captures, OfEveryHostGoThroughTwoNics) {
  Passed all;
  uint64_t packed = 0, segments = 0, turn = 0;
  for (const auto& entry : committed()) {
    const std::string traffic = entry.value("traffic", "gradients");
    if (traffic == "wire") continue;  // there is nothing to pack: the next test
    const std::string trace = folder_of_traces() + entry["file"].get<std::string>();
    SCOPED_TRACE(trace);
    const auto capture = capture::read(trace);
    ASSERT_TRUE(capture);
    // Of each host: packets, and those of them whose floats are selected.
    std::map<std::string, std::vector<const capture::Packet*>> hosts;
    const auto host_of = [](const capture::Packet& packet) {
      return packet.layers.ipv4 ? "ip src " + capture::ipv4_to_string(packet.layers.ipv4->source)
                                : "not ip";
    };
    for (const capture::Packet& packet : capture->packets) {
      hosts[host_of(packet)].push_back(&packet);
    }
    capture::SelectOptions options;
    options.keep_duplicates = true;
    const auto selection = capture::select(*capture, options);
    std::map<uint64_t, std::pair<size_t, size_t>> floats;  // from where to where, by packet
    std::map<std::string, uint64_t> selected;
    for (const auto& payload : selection.payloads) {
      const capture::Packet& packet = capture->packets[payload.index];
      const auto begin = static_cast<size_t>(payload.bytes.data() - packet.bytes.data());
      floats[packet.number] = {begin, begin + payload.bytes.size()};
      ++selected[host_of(packet)];
    }
    for (const auto& [filter, packets] : hosts) {
      if (kSanitized && turn++ % 4 != 0) continue;
      SCOPED_TRACE(filter);
      sim::RunSpec spec = spec_of("nic", "", 0, {{"pcap-wire", file("wire.pcap")}});
      spec.stimulus = {.trace = trace, .filter = filter};
      const nlohmann::json done = report("nic", spec, file("far.pcap"));
      ASSERT_TRUE(done["pass"]) << done.value("failure", nlohmann::json());
      const nlohmann::json& reasons = done["nic"]["tx"]["reasons"];
      EXPECT_EQ(reasons.value("packed", uint64_t{0}) + reasons.value("stored", uint64_t{0}),
                selected[filter]);
      EXPECT_EQ(done["nic"]["rx"]["reasons"].value("unpacked", uint64_t{0}),
                reasons.value("packed", uint64_t{0}));
      packed += reasons.value("packed", uint64_t{0});
      const auto wire = capture::read(file("wire.pcap")), far = capture::read(file("far.pcap"));
      ASSERT_TRUE(wire && far);
      ASSERT_EQ(wire->packets.size(), packets.size());
      ASSERT_EQ(far->packets.size(), packets.size());
      for (size_t i = 0; i < packets.size(); ++i) {
        const capture::Packet& sent = *packets[i];
        const std::vector<uint8_t>& came = far->packets[i].bytes;
        ASSERT_LE(wire->packets[i].bytes.size(), std::max(sent.bytes.size(), nic::kMinFrame));
        ASSERT_EQ(came.size(), std::max(sent.bytes.size(), nic::kMinFrame));
        const capture::Checksums sums = capture::check_checksums(far->packets[i]);
        EXPECT_TRUE(sums.ipv4 && sums.transport) << sent.number;
        all.wire.push_back(wire->packets[i].bytes);
        all.far.push_back(came);
        if (!floats.contains(sent.number)) {
          EXPECT_TRUE(std::equal(sent.bytes.begin(), sent.bytes.end(), came.begin()));
          continue;
        }
        ++segments;
        const auto [begin, end] = floats[sent.number];
        for (size_t at = begin; at < end; at += 4) {
          float x = 0, y = 0;
          std::memcpy(&x, &sent.bytes[at], 4);
          std::memcpy(&y, &came[at], 4);
          ASSERT_LT(std::abs(double{x} - y), std::ldexp(1, -10)) << sent.number;
        }
      }
    }
  }
  EXPECT_GT(segments, rounds(2500u));
  EXPECT_GT(packed, rounds(2500u));
  if (no_tshark()) GTEST_SKIP() << "tshark is missing";
  const auto save = [&](const char* name, const std::vector<std::vector<uint8_t>>& frames) {
    auto writer = capture::PcapWriter::open(file(name));
    ASSERT_TRUE(writer);
    for (const auto& frame : frames) ASSERT_FALSE(writer->write(0, frame));
    ASSERT_FALSE(writer->close());
  };
  save("wire.pcap", all.wire);
  save("far.pcap", all.far);
  EXPECT_TRUE(tshark(file("far.pcap"), "-e frame.number", kBadChecksum).empty());
  // On the wire IPv4's, and by the dissector that of the segment that is reconstructed.
  const wireshark::Folder folder;
  size_t good = 0;
  for (const auto& row : wireshark::tshark(folder, file("wire.pcap"),
                                           {"ip.checksum.status", "gradwire.checksum.status"},
                                           "-o ip.check_checksum:TRUE")) {
    EXPECT_NE(row[0], "0");
    EXPECT_TRUE(row[1].empty() || row[1] == "1") << row[1];
    good += row[1] == "1";
  }
  EXPECT_EQ(good, packed);
}

/// A sentence of a report's notes that holds these words.
bool notes_say(const nlohmann::json& report, const std::string& words) {
  for (const std::string note : report["trace"].value("notes", nlohmann::json::array())) {
    if (note.find(words) != std::string::npos) return true;
  }
  return false;
}

// Without an option: the capture is one host's.
TEST_F(Captures, OfMarkedStreamsPackAsTheyAre) {
  size_t traces = 0;
  for (const auto& entry : committed()) {
    if (entry.value("traffic", "gradients") != "gradients") continue;
    const std::string trace = folder_of_traces() + entry["file"].get<std::string>();
    SCOPED_TRACE(trace);
    ++traces;
    // The host that sends the most marked bytes, by the manifest.
    std::map<std::string, uint64_t> segments;
    for (const auto& flow : entry["flows"]) {
      std::smatch address;
      const auto words = flow["flow"].get<std::string>();
      ASSERT_TRUE(std::regex_match(words, address, std::regex("tcp ([0-9.]+):.*")));
      segments[address[1]] += flow["selected_packets"].get<uint64_t>();
    }
    sim::RunSpec spec = spec_of("nic_tx", "", 0);
    spec.stimulus.trace = trace;
    const nlohmann::json done = report("nic_tx", spec, "");
    ASSERT_TRUE(done["pass"]) << done.value("failure", nlohmann::json());
    const std::string host = done["trace"]["host"];
    EXPECT_EQ(done["nic"]["packed"]["frames"], segments[host]);
    EXPECT_GT(done["nic"]["link"]["saved_percent"], 10);
    EXPECT_FALSE(done["nic"]["tx"]["reasons"].contains("no_stream_start"));
    EXPECT_FALSE(done["trace"].contains("syns_made"));
    // What was left out is said, and adds up.
    EXPECT_GT(done["trace"]["skipped"]["other_host"], 0);
    EXPECT_EQ(done["trace"]["skipped"]["other_host"].get<uint64_t>() +
                  done["trace"]["selected"].get<uint64_t>(),
              entry["packets"]);
    EXPECT_TRUE(notes_say(done, "the NIC is that of " + host));
    // Another host's NIC, and one of which there is nothing.
    for (const auto& [other, packed] : segments) {
      spec.options.set("host", other);
      EXPECT_EQ(report("nic_tx", spec, "")["nic"]["packed"]["frames"], packed) << other;
    }
    spec.options.set("host", "192.0.2.1");
    EXPECT_THROW(report("nic_tx", spec, ""), sim::InputError);
    spec.options.set("host", "any");
    const nlohmann::json all = report("nic_tx", spec, "");
    EXPECT_EQ(all["nic"]["tx"]["frames"], entry["packets"]);
    EXPECT_FALSE(all["trace"].contains("host"));
    // The same for what is packed by the reference, and after a link.
    sim::RunSpec rx = spec_of("nic_rx", "", 0, {{"pack", "yes"}});
    rx.stimulus.trace = trace;
    const nlohmann::json unpacked = report("nic_rx", rx, "");
    EXPECT_EQ(unpacked["trace"]["host"], host);
    EXPECT_EQ(unpacked["nic"]["rx"]["reasons"]["unpacked"], segments[host]);
  }
  EXPECT_EQ(traces, 4u);
}

// A capture that began while its connections were open: nic_tx learns from SYNs, so one is made
// for each stream.
TEST_F(Captures, InMidStreamPackWithSynsThatWereMade) {
  const auto whole = capture::read(folder_of_traces() + "hdc-ring-early.pcap");
  ASSERT_TRUE(whole);
  auto writer = capture::PcapWriter::open(file("open.pcap"));
  ASSERT_TRUE(writer);
  uint64_t frames = 0;
  for (const capture::Packet& packet : whole->packets) {
    if (packet.layers.tcp && packet.layers.tcp->syn) continue;
    ASSERT_FALSE(writer->write(packet));
    frames += packet.layers.ipv4 && packet.layers.ipv4->source == 0x0A4D'0002;
  }
  ASSERT_FALSE(writer->close());
  sim::RunSpec spec = spec_of("nic_tx", "", 0, {{"host", "10.77.0.2"}});
  spec.stimulus.trace = folder_of_traces() + "hdc-ring-early.pcap";
  const nlohmann::json with = report("nic_tx", spec, "");
  spec.stimulus.trace = file("open.pcap");
  const nlohmann::json done = report("nic_tx", spec, file("wire.pcap"));
  ASSERT_TRUE(done["pass"]) << done.value("failure", nlohmann::json());
  EXPECT_EQ(done["nic"]["packed"], with["nic"]["packed"]);
  EXPECT_EQ(done["trace"]["syns_made"], 1);
  EXPECT_EQ(done["trace"]["selected"], frames);
  EXPECT_EQ(done["nic"]["tx"]["frames"], frames + 1);
  EXPECT_EQ(done["nic"]["tx"]["reasons"]["syn"], 1);
  EXPECT_TRUE(notes_say(done, "1 TCP stream began before the capture (no SYN): a SYN was made"));
  // The SYN is one as the host sends them: the byte after it is the stream's first.
  const auto wire = capture::read(file("wire.pcap"));
  ASSERT_TRUE(wire);
  size_t syns = 0;
  for (const capture::Packet& packet : wire->packets) {
    if (!packet.layers.tcp || !packet.layers.tcp->syn) continue;
    ++syns;
    EXPECT_EQ(packet.layers.payload_length, 0u);
    EXPECT_EQ(packet.layers.ipv4->tos & 0xFC, 0x28);
    const capture::Checksums sums = capture::check_checksums(packet);
    EXPECT_TRUE(sums.ipv4 && sums.transport);
  }
  EXPECT_EQ(syns, 1u);
  // The paper's grid needs none, and frames as they are have none.
  spec.options.set("host", "any");
  EXPECT_EQ(report("nic_tx", spec, "")["nic"]["packed"]["frames"], 0);
  spec.options.set("host", "10.77.0.2").set("grid", "packet");
  const nlohmann::json paper = report("nic_tx", spec, "");
  EXPECT_FALSE(paper["trace"].contains("syns_made"));
  EXPECT_EQ(paper["nic"]["tx"]["frames"], frames);
}

TEST_F(Captures, OfIpv6PassAndAreSaid) {
  auto writer = capture::PcapWriter::open(file("six.pcap"));
  ASSERT_TRUE(writer);
  nic::Host host;
  ASSERT_FALSE(writer->write(1000, host.syn()));
  host.sequence += 1;
  host.payload.resize(400);
  ASSERT_FALSE(writer->write(2000, host.frame()));
  nic::Frame six = host.frame();
  capture::store16(six, 12, 0x86DD);
  ASSERT_FALSE(writer->write(3000, six));
  six[6] ^= 2;  // another station's
  ASSERT_FALSE(writer->write(4000, six));
  ASSERT_FALSE(writer->close());
  sim::RunSpec spec = spec_of("nic_tx", "", 0);
  spec.stimulus.trace = file("six.pcap");
  const nlohmann::json done = report("nic_tx", spec, "");
  EXPECT_TRUE(done["pass"]);
  EXPECT_EQ(done["nic"]["tx"]["reasons"],
            (nlohmann::json{{"syn", 1}, {"packed", 1}, {"not_ipv4", 1}}));
  EXPECT_EQ(done["trace"]["skipped"], (nlohmann::json{{"other_host", 1}}));
  EXPECT_TRUE(notes_say(done, "1 frame of IPv6 passes unpacked"));
  // No mark at all: the message names it.
  spec.options.set("mark", "0x50");
  const nlohmann::json none = report("nic_tx", spec, "");
  EXPECT_FALSE(none["trace"].contains("host"));
  EXPECT_EQ(none["nic"]["tx"]["frames"], 4);
  EXPECT_TRUE(notes_say(none, "ToS 0x50: nothing is packed; --mark TOS takes another"));
}

TEST_F(Captures, AHostIsAnAddress) {
  for (const char* const wrong : {"gw0", "10.77.0", "0.0.0.0", "fd00::1"}) {
    sim::RunSpec spec = spec_of("nic_tx", "", 0, {{"host", wrong}});
    spec.stimulus.trace = folder_of_traces() + "mixed.pcap";
    EXPECT_THROW(device("nic_tx").check(spec), sim::UsageError) << wrong;
  }
  sim::RunSpec synthetic = spec_of("nic_tx", "hosts", 10, {{"host", "10.0.0.1"}});
  EXPECT_THROW(device("nic_tx").source(synthetic), sim::UsageError);
}

TEST_F(Captures, OfALiveWireIsUnpacked) {
  for (const auto& entry : committed()) {
    if (entry.value("traffic", "gradients") != "wire") continue;
    sim::RunSpec spec = spec_of("nic_rx", "", 0);
    spec.stimulus.trace = folder_of_traces() + entry["file"].get<std::string>();
    const auto done = report("nic_rx", spec, file("host.pcap"));
    EXPECT_TRUE(done["pass"]);
    EXPECT_EQ(done["nic"]["rx"]["frames"], entry["packets"]);
    EXPECT_EQ(done["nic"]["rx"]["reasons"]["unpacked"], entry["unpacked_frames"]);
    EXPECT_EQ(done["nic"]["packed"]["floats"], entry["floats"]);
    EXPECT_EQ(done["nic"]["rx"]["reasons"].size(), 2u);  // passed, unpacked
    // What the kernels of the hosts found, too.
    if (no_tshark()) GTEST_SKIP() << "tshark is not installed";
    EXPECT_TRUE(tshark(file("host.pcap"), "-e frame.number", "tcp.checksum.status == 0").empty());
    return;
  }
  FAIL() << "no capture of a wire";
}

TEST_F(Captures, TheWireIsNotWrittenOntoTheTrace) {
  write_hosts(file("hosts.pcap"));
  sim::RunSpec spec = spec_of("nic", "", 0, {{"pcap-wire", file("hosts.pcap")}});
  spec.stimulus = {.trace = file("hosts.pcap")};
  EXPECT_THROW(report("nic", spec, ""), sim::UsageError);
}

}  // namespace
}  // namespace gw::tests::captures_test
