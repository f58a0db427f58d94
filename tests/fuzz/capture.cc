// Any bytes as a capture file, pcapng and compressed ones among them: reader, packet layers,
// selection, counts, a filter, new payloads.
// SPDX-License-Identifier: Apache-2.0
#include "models/reference/capture/capture.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>

#include "tests/fuzz/input.h"

namespace {

namespace capture = gw::capture;
using gw::fuzz::require;

// A file in memory, always the same: the reader opens it by its name.
class MemoryFile {
 public:
  MemoryFile() : fd_(memfd_create("capture", MFD_CLOEXEC)) {
    if (fd_ < 0) gw::fuzz::found("memfd_create");
    name_ = "/proc/self/fd/" + std::to_string(fd_);
  }
  const std::string& holds(std::span<const uint8_t> bytes) {
    require(ftruncate(fd_, 0) == 0, "ftruncate");
    require(pwrite(fd_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
            "pwrite");
    return name_;
  }

 private:
  int fd_;
  std::string name_;
};

bool within(std::span<const uint8_t> inner, const std::vector<uint8_t>& outer) {
  return inner.data() >= outer.data() && inner.data() + inner.size() <= outer.data() + outer.size();
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFile file;
  static const capture::Filter filter =
      capture::Filter::compile("vlan or tcp or udp port 53").value();
  gw::fuzz::Input input(data, size);
  const uint8_t choice = input.byte();
  capture::SelectOptions options;
  options.tos_mask = (choice & 1) != 0 ? 0xFF : 0xFC;
  options.assume_first_segment_aligned = (choice & 2) != 0;
  options.keep_duplicates = (choice & 4) != 0;
  // As if everything were marked: then more of the selection is reached.
  if ((choice & 8) != 0) options.tos_mask = 0, options.tos = 0;

  if ((choice & 16) != 0) options.grid = capture::Grid::kPacket;
  if ((choice & 32) != 0) options.any_tags = true;
  const capture::ReaderOptions reading = {.strip_fcs = (choice & 64) != 0,
                                          .segment = (choice & 128) != 0 ? size_t{100} : 0,
                                          .keep_blocks = (choice & 64) != 0};

  auto reader = capture::Reader::open(file.holds(input.rest()), reading);
  if (!reader) {
    require(!reader.error().sentence.empty(), "a refusal without a sentence");
    return 0;
  }
  capture::Selector selector(options);
  capture::Counter counter(options);
  uint64_t packets = 0, selected = 0, floats = 0;
  while (const std::optional<capture::Record> record = reader->next()) {
    require(record->number == ++packets, "packets are counted from 1");
    require(record->original_length >= record->bytes.size(), "more captured than there was");
    require(reader->stored().bytes.size() <= reader->stored().block.size() || !reader->is_pcapng(),
            "a packet beyond its block");
    require(reader->progress() >= 0 && reader->progress() <= 1, "progress outside 0..1");
    const capture::Packet packet = capture::packet_of(*record);
    filter.matches(packet);
    counter.add(packet);
    const auto payload = selector.take(packet);
    if (!payload) continue;
    ++selected;
    floats += payload->floats();
    require(!payload->bytes.empty() && payload->bytes.size() % 4 == 0, "not whole floats");
    require(within(payload->bytes, packet.bytes), "a payload outside its packet");
    const std::vector<uint8_t> zeros(payload->bytes.size() / 2);
    const auto smaller = capture::replace_payload(packet, zeros);
    require(!smaller || smaller->size() <= packet.bytes.size(), "half the payload, a longer frame");
  }
  require(reader->packets() == packets, "packets read");
  const capture::Selection& sums = selector.sums();
  require(sums.packets == packets, "packets of the selection");
  require(selected + sums.skipped.total() == packets, "selected and skipped are not all");
  require(sums.bytes == 4 * floats, "bytes of the selection");
  const capture::Info info = counter.sums();
  require(info.packets == packets && info.selected == selected, "counter and selector differ");
  require(!reader->damage() || !reader->damage()->sentence.empty(), "damage without a sentence");
  return 0;
}
