// SPDX-License-Identifier: Apache-2.0
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
  if (selection.payloads.empty()) throw std::runtime_error("No gradients were captured.");

  std::vector<std::string> kept(packets.size());  // why; empty: left out
  std::size_t used = kFileHeader;
  // True while the packet still fits under the limit; what is kept already costs nothing.
  const auto keep = [&](std::size_t i, const std::string& what, std::size_t limit) {
    const std::size_t size = packets[i].bytes.size() + kRecordHeader;
    if (!kept[i].empty()) return true;
    if (used + size > limit) return false;
    used += size;
    kept[i] = what;
    return true;
  };
  const auto keep_always = [&](std::size_t i, const char* what) {
    if (!keep(i, what, options.max_file_bytes)) {
      throw std::runtime_error("The size limit of a capture is too small.");
    }
  };
  for (std::size_t i = 0; i < packets.size(); ++i) {
    const auto& tcp = packets[i].layers.tcp;
    if (i < selection.payloads.front().index || (tcp && tcp->syn)) keep_always(i, "set-up");
    if (i + kEnd >= packets.size()) keep_always(i, "end");
  }

  std::size_t windows_left = 0;
  for (const auto& flow : options.flows) windows_left += flow.step_bytes.size();
  for (const auto& flow : options.flows) {
    std::vector<const GradientPayload*> payloads;
    for (const auto& p : selection.payloads) {
      const FlowKey& key = selection.flows[p.flow].key;
      if (key.source_ip == flow.source_ip && key.destination_ip == flow.destination_ip) {
        payloads.push_back(&p);
      }
    }
    if (payloads.empty()) throw std::runtime_error("A neighbour's gradients were not captured.");
    const std::size_t steps = flow.step_bytes.size();
    std::uint64_t step_start = 0;
    for (std::size_t s = 0; s < steps; ++s, --windows_left) {
      const std::size_t limit = used + (options.max_file_bytes - used) / windows_left;
      const std::string what = fmt::format("{} step {}", flow.name, s + 1);
      if (s + 1 == steps) {  // up to the last byte of the last step
        for (std::size_t i = payloads.back()->index + 1; i > 0 && keep(i - 1, what, limit);) --i;
        continue;
      }
      const double depth = static_cast<double>(s) / static_cast<double>(steps);
      const auto target =
          step_start + static_cast<std::uint64_t>(depth * static_cast<double>(flow.step_bytes[s]));
      step_start += flow.step_bytes[s];
      const auto found = std::find_if(payloads.begin(), payloads.end(),
                                      [&](const auto* p) { return p->stream_offset >= target; });
      if (found == payloads.end()) continue;
      for (std::size_t i = (*found)->index; i < packets.size() && keep(i, what, limit);) ++i;
    }
  }

  const auto fail = [](const Status& status) {
    if (status) throw std::runtime_error(status->sentence);
  };
  auto writer = PcapWriter::open(file, Precision::kNanoseconds);
  if (!writer) throw std::runtime_error(writer.error().sentence);
  std::vector<Window> windows;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    if (kept[i].empty()) continue;
    fail(writer->write(packets[i]));
    if (i == 0 || kept[i - 1].empty()) windows.push_back({"", writer->packets(), 0, i + 1});
    Window& window = windows.back();
    window.last = writer->packets();
    if (window.what.find(kept[i]) == std::string::npos) {
      window.what += (window.what.empty() ? "" : ", ") + kept[i];
    }
  }
  fail(writer->close());
  return windows;
}

}  // namespace gw::capture
