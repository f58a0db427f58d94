#include "tools/capture/recorder.h"

#include <fmt/format.h>
#include <pcap/pcap.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace gw::capture {

struct Recorder::Impl {
  pcap_t* pcap = nullptr;
  ~Impl() {
    if (pcap != nullptr) pcap_close(pcap);
  }
};

Recorder::Recorder(const std::string& interface) : impl_(std::make_unique<Impl>()) {
  char why[PCAP_ERRBUF_SIZE] = "";
  impl_->pcap = pcap_create(interface.c_str(), why);
  if (impl_->pcap == nullptr) {
    throw std::runtime_error(fmt::format("{} cannot be captured from: {}.", interface, why));
  }
  pcap_t* p = impl_->pcap;
  // A buffer that holds a whole iteration: it is emptied afterwards.
  pcap_set_snaplen(p, 2048);
  pcap_set_promisc(p, 1);
  pcap_set_timeout(p, 50);
  pcap_set_buffer_size(p, 96 << 20);
  pcap_set_tstamp_precision(p, PCAP_TSTAMP_PRECISION_NANO);
  const int status = pcap_activate(p);
  if (status < 0) {
    throw std::runtime_error(fmt::format("{} cannot be captured from: {} ({}).", interface,
                                         pcap_statustostr(status), pcap_geterr(p)));
  }
  if (pcap_datalink(p) != DLT_EN10MB || pcap_setnonblock(p, 1, why) != 0) {
    throw std::runtime_error(fmt::format("{} is not an Ethernet interface.", interface));
  }
}

Recorder::~Recorder() = default;

Capture Recorder::stop() {
  Capture capture;
  capture.format = "live";
  const auto keep = [](u_char* user, const pcap_pkthdr* header, const u_char* bytes) {
    auto& packets = reinterpret_cast<Capture*>(user)->packets;
    Packet p;
    p.number = packets.size() + 1;
    p.timestamp_ns = std::int64_t{header->ts.tv_sec} * 1000000000 + header->ts.tv_usec;
    p.original_length = header->len;
    p.bytes.assign(bytes, bytes + header->caplen);
    p.layers = decode(p.bytes, p.original_length);
    packets.push_back(std::move(p));
  };
  // The kernel hands blocks over when they are full or their time is up.
  for (int quiet = 0; quiet < 4;) {
    const int n = pcap_dispatch(impl_->pcap, -1, keep, reinterpret_cast<u_char*>(&capture));
    if (n < 0)
      throw std::runtime_error(fmt::format("Capture failed: {}.", pcap_geterr(impl_->pcap)));
    quiet = n == 0 ? quiet + 1 : 0;
    if (n == 0) std::this_thread::sleep_for(std::chrono::milliseconds(60));
  }
  pcap_stat stat{};
  if (pcap_stats(impl_->pcap, &stat) == 0 && stat.ps_drop != 0) {
    throw std::runtime_error(
        fmt::format("The kernel dropped {} packets of the capture.", stat.ps_drop));
  }
  return capture;
}

std::vector<Window> cut(const Capture& capture, const std::filesystem::path& file,
                        const CutOptions& options) {
  constexpr std::size_t kRecordHeader = 16, kFileHeader = 24, kEnd = 40;
  const auto& packets = capture.packets;
  const Selection selection = select(capture);
  const auto is_incoming = [&](const GradientPayload& p) {
    const FlowKey& key = selection.flows[p.flow].key;
    return key.source_ip == options.incoming.source_ip &&
           key.destination_ip == options.incoming.destination_ip;
  };
  if (selection.payloads.empty()) throw std::runtime_error("No gradients were captured.");

  struct Piece {
    std::string what;
    std::size_t first, last;  // places in packets, last not included
  };
  std::vector<Piece> pieces{{"set-up", 0, selection.payloads.front().index}};
  const std::size_t end = packets.size() - std::min(kEnd, packets.size());
  std::size_t fixed = kFileHeader;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    if (i < pieces[0].last || i >= end) fixed += packets[i].bytes.size() + kRecordHeader;
  }
  if (fixed >= options.max_file_bytes) throw std::runtime_error("The size limit is too small.");
  const std::size_t steps = options.step_bytes.size();
  const std::size_t budget = (options.max_file_bytes - fixed) / std::max<std::size_t>(steps, 1);
  std::uint64_t step_start = 0;
  for (std::size_t s = 0; s < steps; ++s) {
    const std::string what = fmt::format("step {}", s + 1);
    const auto size_of = [&](std::size_t i) { return packets[i].bytes.size() + kRecordHeader; };
    std::size_t size = 0;
    if (s + 1 == steps) {
      // The last bytes of the last step: the last layer.
      std::size_t i = end;
      while (i > pieces.back().last && size + size_of(i - 1) <= budget) size += size_of(--i);
      if (i < end) pieces.push_back({what, i, end});
      break;
    }
    const double depth = static_cast<double>(s) / static_cast<double>(steps);
    const auto target =
        step_start + static_cast<std::uint64_t>(depth * static_cast<double>(options.step_bytes[s]));
    step_start += options.step_bytes[s];
    const auto found =
        std::find_if(selection.payloads.begin(), selection.payloads.end(),
                     [&](const auto& p) { return is_incoming(p) && p.stream_offset >= target; });
    if (found == selection.payloads.end()) continue;
    std::size_t i = std::max(found->index, pieces.back().last);
    const std::size_t first = i;
    while (i < end && size + size_of(i) <= budget) size += size_of(i++);
    if (i > first) pieces.push_back({what, first, i});
  }
  pieces.push_back({"end", std::max(end, pieces.back().last), packets.size()});

  const auto fail = [](const Status& status) {
    if (status) throw std::runtime_error(status->sentence);
  };
  auto writer = PcapWriter::open(file, Precision::kNanoseconds);
  if (!writer) throw std::runtime_error(writer.error().sentence);
  std::vector<Window> windows;
  for (const auto& piece : pieces) {
    if (piece.first == piece.last) continue;
    const std::uint64_t first = writer->packets() + 1;
    for (std::size_t i = piece.first; i < piece.last; ++i) fail(writer->write(packets[i]));
    windows.push_back({piece.what, first, writer->packets()});
  }
  fail(writer->close());
  return windows;
}

}  // namespace gw::capture
