// SPDX-License-Identifier: Apache-2.0
#include "sim/capsule/stimulus_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <span>
#include <sstream>

#include "models/reference/capture/capture.h"
#include "sim/base/error.h"
#include "sim/report/json.h"

namespace gw::sim::capsule {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCapture = "input.pcap";
constexpr const char* kPackets = "packets.txt";
constexpr const char* kStalls = "stalls.txt";
constexpr size_t kMostFrame = 65'535,
                 kMostPayload = 65'507;  // that a capture, and a datagram, holds

constexpr const char* kPacketsHead =
    "# The packets of input.pcap, in its order, and what a capture cannot say of them. What is "
    "not\n"
    "# said is 0: the port that it goes in by, time_ns of its preamble on a wire, gap in cycles\n"
    "# after the packet before it, meta (a tuser of more bits than one), meta_behind (bits of it\n"
    "# that are inverted after the first beat); error: tuser with its last beat; odd: a beat of\n"
    "# it, that beat's tkeep, its tuser, bits of meta that are inverted there; config: words of "
    "the\n"
    "# pins that go with it, if they are not as the run's options set them; bytes: of a packet "
    "that\n"
    "# no capture holds and that is not in input.pcap. A device that is fed with no frames gets "
    "the\n"
    "# datagrams' payloads.\n";
constexpr const char* kStallsHead =
    "# When a side of a port hesitates: 64 cycles a line, from the cycle that it names on; 1: a\n"
    "# source offers no new beat, a sink is not ready. In cycles that no line names none does.\n";

/// A file's lines that say something, word by word.
class Lines {
 public:
  explicit Lines(const fs::path& path) : path_(path), file_(path, std::ios::binary) {
    if (!file_) throw InputError(fmt::format("cannot read '{}'", path.string()));
  }
  bool next() {
    for (std::string line; std::getline(file_, line);) {
      ++number_;
      if (line.empty() || line.front() == '#') continue;
      words_ = std::istringstream(line);
      return true;
    }
    return false;
  }
  std::optional<std::string> word() {
    std::string word;
    if (words_ >> word) return word;
    return std::nullopt;
  }
  [[noreturn]] void wrong(const std::string& what) const {
    throw InputError(fmt::format("{}:{}: {}", path_.string(), number_, what));
  }
  template <class T>
  T number(std::string_view text, int base = 10) const {
    T value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end != text.data() + text.size()) {
      wrong(fmt::format("'{}' is no number", text));
    }
    return value;
  }

 private:
  fs::path path_;
  std::ifstream file_;
  std::istringstream words_;
  size_t number_ = 0;
};

std::string hex(std::span<const uint8_t> bytes) {
  std::string text;
  for (const uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

bool fits_capture(const RawPacket& packet, bool frames) {
  const size_t size = packet.bytes.size();
  return frames ? size != 0 && size <= kMostFrame : size <= kMostPayload;
}

std::string packet_line(size_t number, const RawPacket& packet, bool frames) {
  std::string line = fmt::format("{}", number);
  const auto add = [&line](const char* name, auto value) {
    if (value != 0) line += fmt::format(" {}={}", name, value);
  };
  add("port", packet.port);
  add("time_ns", packet.time_ns);
  add("gap", packet.gap);
  add("meta", packet.meta);
  add("meta_behind", packet.meta_behind);
  if (packet.error) line += " error";
  if (packet.hostile) line += " hostile";
  if (!packet.measured) line += " unmeasured";
  for (const OddBeat& odd : packet.odd) {
    line += fmt::format(" odd={}:{:x}:{}", odd.beat, odd.keep, odd.user ? 1 : 0);
    if (odd.meta != 0) line += fmt::format(":{:x}", odd.meta);
  }
  if (packet.own_config) {
    size_t words = packet.config.size();  // without the zeros at the end
    while (words > 1 && packet.config[words - 1] == 0) --words;
    line += fmt::format(" config={:x}", fmt::join(std::span(packet.config).first(words), ":"));
  }
  if (!fits_capture(packet, frames)) line += " bytes=" + hex(packet.bytes);
  return line + "\n";
}

/// False: its bytes are in the line.
bool read_packet(Lines& lines, RawPacket& packet) {
  bool captured = true;
  for (auto word = lines.word(); word; word = lines.word()) {
    const size_t equals = word->find('=');
    const std::string key = word->substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word->substr(equals + 1);
    if (key == "port") {
      packet.port = lines.number<uint32_t>(value);
    } else if (key == "time_ns") {
      packet.time_ns = lines.number<int64_t>(value);
    } else if (key == "gap") {
      packet.gap = lines.number<uint32_t>(value);
    } else if (key == "meta") {
      packet.meta = lines.number<uint64_t>(value);
    } else if (key == "meta_behind") {
      packet.meta_behind = lines.number<uint64_t>(value);
    } else if (*word == "error") {
      packet.error = true;
    } else if (*word == "hostile") {
      packet.hostile = true;
    } else if (*word == "unmeasured") {
      packet.measured = false;
    } else if (key == "odd") {
      std::vector<std::string> words;
      std::istringstream parts(value);
      for (std::string part; std::getline(parts, part, ':');) words.push_back(std::move(part));
      if (words.size() != 3 && words.size() != 4) lines.wrong("odd=BEAT:TKEEP:TUSER[:META]");
      packet.odd.push_back({.beat = lines.number<uint32_t>(words[0]),
                            .keep = lines.number<uint64_t>(words[1], 16),
                            .user = lines.number<int>(words[2]) != 0,
                            .meta = words.size() == 4 ? lines.number<uint64_t>(words[3], 16) : 0});
    } else if (key == "config") {
      std::istringstream parts(value);
      size_t words = 0;
      for (std::string part; std::getline(parts, part, ':'); ++words) {
        if (words < packet.config.size()) packet.config[words] = lines.number<uint32_t>(part, 16);
      }
      if (words == 0 || words > packet.config.size()) {
        lines.wrong(fmt::format("config=WORD:WORD..., one to {} words", packet.config.size()));
      }
      packet.own_config = true;
    } else if (key == "bytes") {
      captured = false;
      if (value.size() % 2 != 0) lines.wrong("bytes are two digits each");
      for (size_t i = 0; i < value.size(); i += 2) {
        packet.bytes.push_back(lines.number<uint8_t>(std::string_view(value).substr(i, 2), 16));
      }
    } else {
      lines.wrong(fmt::format("a packet has no '{}'", key));
    }
  }
  return captured;
}

/// A beat that is odd is one of the packet's, a port one of the device's.
void check(const Lines& lines, const RawPacket& packet, const Device::Facts& facts) {
  if (packet.port >= facts.inputs.size()) {
    lines.wrong(fmt::format("{} has no input port {}", facts.name, packet.port));
  }
  const size_t beats =
      std::max<size_t>(1, (packet.bytes.size() + static_cast<size_t>(facts.beat_bytes) - 1) /
                              static_cast<size_t>(facts.beat_bytes));
  for (const OddBeat& odd : packet.odd) {
    if (odd.beat >= beats) lines.wrong(fmt::format("the packet has no beat {}", odd.beat));
  }
}

void write_packets(const Stimulus& stimulus, const Device::Facts& facts, const fs::path& folder) {
  const auto check = [](const capture::Status& error) {
    if (error) throw InputError(error->sentence);
  };
  auto file = capture::PcapWriter::open(folder / kCapture);
  if (!file) throw InputError(file.error().sentence);
  std::string text = kPacketsHead;
  size_t number = 0;
  for (const RawPacket& packet : stimulus.packets) {
    text += packet_line(++number, packet, facts.frames);
    if (!fits_capture(packet, facts.frames)) continue;
    if (facts.frames) {
      check(file->write(packet.time_ns, packet.bytes));
      continue;
    }
    const auto frame =
        capture::make_frame({.identification = static_cast<uint16_t>(number - 1)}, packet.bytes);
    if (!frame) throw InputError(frame.error().sentence);
    check(file->write(static_cast<int64_t>(number - 1) * 1000, *frame));
  }
  check(file->close());
  write_report_file((folder / kPackets).string(), text, "file");
}

std::vector<RawPacket> read_packets(const Device::Facts& facts, const fs::path& folder) {
  auto file = capture::Reader::open(folder / kCapture);
  if (!file) throw InputError(file.error().sentence);
  std::vector<RawPacket> packets;
  Lines lines(folder / kPackets);
  while (lines.next()) {
    lines.word();  // its number, for people
    RawPacket& packet = packets.emplace_back();
    if (read_packet(lines, packet)) {
      const std::optional<capture::Record> record = file->next();
      if (!record) lines.wrong(fmt::format("{} has no more packets", kCapture));
      if (facts.frames) {
        packet.bytes.assign(record->bytes.begin(), record->bytes.end());
      } else {
        const capture::Packet decoded = capture::packet_of(*record);
        if (!decoded.layers.udp || decoded.layers.stopped) {
          lines.wrong(fmt::format("packet {} of {} is no UDP datagram", record->number, kCapture));
        }
        packet.bytes.assign(decoded.payload().begin(), decoded.payload().end());
      }
    }
    check(lines, packet, facts);
  }
  if (file->next() || file->damage()) {
    throw InputError(file->damage() ? file->damage()->sentence
                                    : fmt::format("'{}' has fewer packets than {}",
                                                  (folder / kPackets).string(), kCapture));
  }
  return packets;
}

void add_stalls(std::string& text, const char* side, const std::vector<Port>& ports,
                const std::vector<StallRecord::Side>& sides) {
  for (size_t p = 0; p < sides.size(); ++p) {
    for (const StallRecord::Window& window : sides[p]) {
      text +=
          fmt::format("{} {} {} ", side, ports.at(p).name, window.number * StallRecord::kWindow);
      for (uint64_t cycle = 0; cycle < StallRecord::kWindow; ++cycle) {
        text += (window.bits >> cycle & 1) != 0 ? '1' : '0';
      }
      text += '\n';
    }
  }
}

StallRecord read_stalls(const Device::Facts& facts, const fs::path& path) {
  StallRecord stalls;
  Lines lines(path);
  while (lines.next()) {
    const std::string side = lines.word().value_or(""), port = lines.word().value_or(""),
                      cycle = lines.word().value_or(""), bits = lines.word().value_or("");
    if (side != "source" && side != "sink") lines.wrong("a line begins with source or sink");
    const std::vector<Port>& ports = side == "source" ? facts.inputs : facts.outputs;
    const auto at = std::ranges::find(ports, port, &Port::name);
    if (at == ports.end()) lines.wrong(fmt::format("{} has no port '{}'", facts.name, port));
    const auto from = lines.number<uint64_t>(cycle);
    if (from % StallRecord::kWindow != 0 || bits.size() != StallRecord::kWindow ||
        bits.find_first_not_of("01") != std::string::npos) {
      lines.wrong("a line has 64 cycles, from a multiple of 64 on");
    }
    uint64_t word = 0;
    for (size_t i = 0; i < StallRecord::kWindow; ++i)
      word |= static_cast<uint64_t>(bits[i] == '1') << i;
    auto& sides = side == "source" ? stalls.sources : stalls.sinks;
    const auto p = static_cast<size_t>(at - ports.begin());
    if (p < sides.size() && !sides[p].empty() &&
        sides[p].back().number >= from / StallRecord::kWindow) {
      lines.wrong("the cycles of a port do not ascend");
    }
    StallRecord::set(sides, p, from / StallRecord::kWindow, word);
  }
  return stalls;
}

}  // namespace

void write_stimulus(const Stimulus& stimulus, const Device::Facts& facts, const fs::path& folder) {
  write_packets(stimulus, facts, folder);
  std::string text = kStallsHead;
  add_stalls(text, "source", facts.inputs, stimulus.stalls.sources);
  add_stalls(text, "sink", facts.outputs, stimulus.stalls.sinks);
  write_report_file((folder / kStalls).string(), text, "file");
}

Stimulus read_stimulus(const Device::Facts& facts, const fs::path& folder) {
  return {.name = {},
          .packets = read_packets(facts, folder),
          .stalls = read_stalls(facts, folder / kStalls)};
}

}  // namespace gw::sim::capsule
