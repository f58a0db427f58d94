// What left a device, written into a capture as it leaves.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/reference/capture/capture.h"
#include "sim/feeds/packet_writer.h"
#include "sim/feeds/source.h"

namespace gw::sim {

/// Which file: pcap, or pcapng if its name ends in .pcapng; then each packet has a comment.
struct CaptureFile {
  std::string path;
  std::string trace = {};                 ///< what must not be overwritten; empty: nothing
  std::vector<std::string> actions = {};  ///< of the device (Device::Facts)
  const char* option = "--pcap-out";      ///< that names it
  capture::ReaderOptions reading = {};    ///< of the trace, as the run read it
};

/// A passage in the words of a comment: `gradwire in=CYCLE out=CYCLE latency=N`, and for devices
/// with actions ` action=NAME ratio=R`.
std::string comment_of(const Passage& passage, const std::vector<std::string>& actions);

/// Payloads of the marked packets of the trace (without one: of frames made for them), replaced.
/// Throws InputError, UsageError if the file is the trace itself.
std::unique_ptr<PacketWriter> open_payload_writer(const CaptureFile& file);

/// Whole frames, each at the time that `time_ns` gives it.
std::unique_ptr<PacketWriter> open_frame_writer(const CaptureFile& file,
                                                std::function<int64_t(const Passage&)> time_ns);

/// Payloads as marked UDP datagrams, one a microsecond.
class PayloadFile {
 public:
  virtual ~PayloadFile() = default;
  virtual void put(std::span<const uint8_t> payload) = 0;
  virtual void close() = 0;
  virtual std::string note() const = 0;  ///< as PacketWriter's
};
/// Throws as the writers do.
std::unique_ptr<PayloadFile> open_payload_file(const CaptureFile& file);

/// Passes a source's packets on, and writes each into a capture as it is taken: frames at their
/// times, gradients (those that encoded groups stand for) as marked UDP datagrams, one a
/// microsecond. Errors of a stream (tuser, tkeep) and its gaps are not in it.
class CapturedSource final : public Source {
 public:
  /// `frames`: packets are whole frames. Throws as the writers do.
  CapturedSource(std::unique_ptr<Source> source, const CaptureFile& file, bool frames);
  ~CapturedSource() override;

  std::optional<RawPacket> next() override;
  bool waits() const override { return source_->waits(); }
  const SourceFacts& facts() const override { return source_->facts(); }
  uint64_t expected() const override { return source_->expected(); }
  bool in_order() const override { return source_->in_order(); }
  /// Nothing more is taken: the file is complete.
  void close();
  /// As PacketWriter's.
  std::string note() const;
  class File;

 private:
  std::unique_ptr<Source> source_;
  std::unique_ptr<File> file_;
  bool frames_;
};

}  // namespace gw::sim
