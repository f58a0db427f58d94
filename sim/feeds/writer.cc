#include "sim/feeds/writer.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "models/reference/capture/capture.h"
#include "sim/base/error.h"

namespace gw::sim {
namespace {

class CaptureWriter : public PacketWriter {
 public:
  CaptureWriter(const std::string& path, const std::string& trace) : writer_(open(path, trace)) {}
  void close() override {
    if (capture::Status error = writer_.close()) throw InputError(error->sentence);
  }

 protected:
  void put(int64_t time_ns, const std::vector<uint8_t>& frame) {
    if (capture::Status error = writer_.write(time_ns, frame)) throw InputError(error->sentence);
  }

 private:
  static capture::PcapWriter open(const std::string& path, const std::string& trace) {
    std::error_code ignored;
    if (!trace.empty() && std::filesystem::equivalent(path, trace, ignored)) {
      throw UsageError(fmt::format("--pcap-out '{}' is the trace itself", path));
    }
    capture::Expected<capture::PcapWriter> opened = capture::PcapWriter::open(path);
    if (!opened) throw InputError(opened.error().sentence);
    return std::move(opened).value();
  }

  capture::PcapWriter writer_;
};

class PayloadWriter final : public CaptureWriter {
 public:
  PayloadWriter(const std::string& path, const std::string& trace) : CaptureWriter(path, trace) {
    if (trace.empty()) return;
    std::error_code unknown;
    if (!std::filesystem::is_regular_file(trace, unknown)) {
      throw InputError(fmt::format(
          "'{}' can be read only once; --pcap-out needs its packets a second time", trace));
    }
    capture::Expected<capture::Reader> read = capture::Reader::open(trace);
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
    if (!frame) throw InputError(frame.error().sentence);
    put(time_ns, *frame);
  }

 private:
  /// Packets leave in the order in which they came: the trace is followed a second time.
  capture::Packet original(uint32_t number) {
    while (const std::optional<capture::Record> record = originals_->next()) {
      if (static_cast<uint32_t>(record->number) == number) return capture::packet_of(*record);
    }
    throw InputError(fmt::format("{}: packet {} is gone.", originals_->file(), number));
  }

  std::optional<capture::Reader> originals_;
};

class FrameWriter final : public CaptureWriter {
 public:
  FrameWriter(const std::string& path, const std::string& trace,
              std::function<int64_t(const Passage&)> time_ns)
      : CaptureWriter(path, trace), time_ns_(std::move(time_ns)) {}

  void write(const Passage& passage, const std::vector<uint8_t>& frame) override {
    put(time_ns_(passage), frame);
  }

 private:
  std::function<int64_t(const Passage&)> time_ns_;
};

}  // namespace

std::unique_ptr<PacketWriter> open_payload_writer(const std::string& path,
                                                  const std::string& trace) {
  return std::make_unique<PayloadWriter>(path, trace);
}

std::unique_ptr<PacketWriter> open_frame_writer(const std::string& path, const std::string& trace,
                                                std::function<int64_t(const Passage&)> time_ns) {
  return std::make_unique<FrameWriter>(path, trace, std::move(time_ns));
}

}  // namespace gw::sim
