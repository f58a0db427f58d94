// SPDX-License-Identifier: Apache-2.0
#include "sim/feeds/writer.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <span>

#include "models/reference/capture/capture.h"
#include "sim/base/error.h"

namespace gw::sim {

/// A file that is written, of whichever format its name says.
class OpenFile {
 public:
  explicit OpenFile(const CaptureFile& file) {
    std::error_code ignored;
    if (!file.trace.empty() && std::filesystem::equivalent(file.path, file.trace, ignored)) {
      throw UsageError(fmt::format("{} '{}' is the trace itself", file.option, file.path));
    }
    if (std::filesystem::path(file.path).extension() == ".pcapng") {
      pcapng_ = opened(capture::PcapngWriter::open(file.path));
    } else {
      pcap_ = opened(capture::PcapWriter::open(file.path));
    }
  }
  void close() { check(pcapng_ ? pcapng_->close() : pcap_->close()); }
  void put(int64_t time_ns, const std::vector<uint8_t>& frame, const std::string& comment) {
    check(pcapng_ ? pcapng_->write(time_ns, frame, comment) : pcap_->write(time_ns, frame));
  }

 private:
  template <class Writer>
  static Writer opened(capture::Expected<Writer> writer) {
    if (!writer) throw InputError(writer.error().sentence);
    return std::move(writer).value();
  }
  static void check(const capture::Status& error) {
    if (error) throw InputError(error->sentence);
  }

  std::optional<capture::PcapWriter> pcap_;
  std::optional<capture::PcapngWriter> pcapng_;
};

namespace {

/// Says how many packets were left out since no IP packet can carry their payload.
std::string left_out_note(const char* option, uint64_t packets) {
  if (packets == 0) return "";
  return fmt::format("{} left out {} packet{}: longer than an IP packet can be", option, packets,
                     packets == 1 ? "" : "s");
}

class CaptureWriter : public PacketWriter {
 public:
  explicit CaptureWriter(const CaptureFile& file) : file_(file), actions_(file.actions) {}
  void close() override { file_.close(); }

 protected:
  void put(const Passage& passage, int64_t time_ns, const std::vector<uint8_t>& frame) {
    file_.put(time_ns, frame, comment_of(passage, actions_));
  }

 private:
  OpenFile file_;
  const std::vector<std::string> actions_;
};

class PayloadWriter final : public CaptureWriter {
 public:
  explicit PayloadWriter(const CaptureFile& file) : CaptureWriter(file) {
    const std::string& trace = file.trace;
    if (trace.empty()) return;
    std::error_code unknown;
    if (!std::filesystem::is_regular_file(trace, unknown)) {
      throw InputError(fmt::format(
          "'{}' can be read only once; --pcap-out needs its packets a second time", trace));
    }
    capture::Expected<capture::Reader> read = capture::Reader::open(trace, file.reading);
    if (!read) throw InputError(read.error().sentence);
    originals_ = std::move(read).value();
  }

  void write(const Passage& passage, const std::vector<uint8_t>& payload) override {
    capture::Expected<std::vector<uint8_t>> frame = std::vector<uint8_t>{};
    int64_t time_ns = static_cast<int64_t>(passage.id) * 1000;
    if (originals_) {
      const capture::Packet packet = original(passage.trace_number);
      frame = capture::replace_payload(packet, payload);
      time_ns = packet.timestamp_ns;
    } else {
      frame = capture::make_frame({.identification = static_cast<uint16_t>(passage.id)}, payload);
    }
    if (frame) {
      put(passage, time_ns, *frame);
    } else {
      ++left_out_;
    }
  }
  std::string note() const override { return left_out_note("--pcap-out", left_out_); }

 private:
  /// Packets leave in the order in which they came: the trace is followed a second time.
  capture::Packet original(uint32_t number) {
    while (const std::optional<capture::Record> record = originals_->next()) {
      if (static_cast<uint32_t>(record->number) == number) return capture::packet_of(*record);
    }
    throw InputError(fmt::format("{}: packet {} is gone.", originals_->file(), number));
  }

  std::optional<capture::Reader> originals_;
  uint64_t left_out_ = 0;
};

class FrameWriter final : public CaptureWriter {
 public:
  FrameWriter(const CaptureFile& file, std::function<int64_t(const Passage&)> time_ns)
      : CaptureWriter(file), time_ns_(std::move(time_ns)) {}

  void write(const Passage& passage, const std::vector<uint8_t>& frame) override {
    put(passage, time_ns_(passage), frame);
  }

 private:
  std::function<int64_t(const Passage&)> time_ns_;
};

}  // namespace

std::string comment_of(const Passage& passage, const std::vector<std::string>& actions) {
  std::string text = passage.made
                         ? fmt::format("gradwire in={} out={} latency={}", passage.accepted,
                                       passage.offered, passage.offered - passage.accepted)
                         : fmt::format("gradwire out={}", passage.offered);
  if (passage.action != Passage::kNoAction) {
    text += fmt::format(" action={} ratio={:.3f}", actions.at(passage.action), passage.ratio);
  }
  return text;
}

/// What a source gave, into a capture: frames at their times, payloads in datagrams.
class CapturedSource::File final : public PayloadFile {
 public:
  explicit File(const CaptureFile& file) : file_(file), option_(file.option) {}

  void put(int64_t time_ns, const std::vector<uint8_t>& frame) { file_.put(time_ns, frame, {}); }
  void put(std::span<const uint8_t> payload) override {
    const uint64_t number = count_++;
    const auto frame =
        capture::make_frame({.identification = static_cast<uint16_t>(number)}, payload);
    if (frame) {
      file_.put(static_cast<int64_t>(number) * 1000, *frame, {});
    } else {
      ++left_out_;
    }
  }
  void close() override { file_.close(); }
  std::string note() const override { return left_out_note(option_, left_out_); }

 private:
  OpenFile file_;
  const char* option_;
  uint64_t count_ = 0, left_out_ = 0;
};

CapturedSource::CapturedSource(std::unique_ptr<Source> source, const CaptureFile& file, bool frames)
    : source_(std::move(source)), file_(std::make_unique<File>(file)), frames_(frames) {}

CapturedSource::~CapturedSource() = default;

void CapturedSource::close() { file_->close(); }
std::string CapturedSource::note() const { return file_->note(); }

std::optional<RawPacket> CapturedSource::next() {
  std::optional<RawPacket> packet = source_->next();
  if (!packet) return std::nullopt;
  if (frames_) {
    file_->put(source_->facts().begin_ns + packet->time_ns, packet->bytes);
  } else if (!packet->values.empty()) {
    file_->put(
        {reinterpret_cast<const uint8_t*>(packet->values.data()), packet->values.size() * 4});
  } else {
    file_->put(packet->bytes);
  }
  return packet;
}

std::unique_ptr<PayloadFile> open_payload_file(const CaptureFile& file) {
  return std::make_unique<CapturedSource::File>(file);
}

std::unique_ptr<PacketWriter> open_payload_writer(const CaptureFile& file) {
  return std::make_unique<PayloadWriter>(file);
}

std::unique_ptr<PacketWriter> open_frame_writer(const CaptureFile& file,
                                                std::function<int64_t(const Passage&)> time_ns) {
  return std::make_unique<FrameWriter>(file, std::move(time_ns));
}

}  // namespace gw::sim
