#include "testbenches/common/wave_file.h"

#include <fmt/format.h>
#include <gtkwave/fstapi.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "sim/base/error.h"

namespace gw::testbenches {
namespace {

[[noreturn]] void cannot_write(const std::string& path, int error) {
  throw sim::InputError(fmt::format("cannot write waveform '{}': {}", path,
                                    error != 0 ? std::strerror(error) : "the file is not whole"));
}

// Harness signals in the trace: declared, then dumped in full or when changed, in one order.
template <class Visit>
void visit_signals(HarnessSignals& h, Visit&& visit) {
  visit.word("cycle", static_cast<uint32_t>(h.cycle));
  visit.word("input_packet", h.input_packet);
  visit.word("output_packet", h.output_packet);
  visit.bit("source_stall", h.source_stall);
  visit.bit("sink_stall", h.sink_stall);
  for (int i = 0; i < kLanes; ++i) visit.real(fmt::format("s_float{}", i), h.input_lane[i]);
  for (int i = 0; i < kLanes; ++i) visit.real(fmt::format("m_float{}", i), h.output_lane[i]);
}

struct Declare {
  VerilatedFst* trace;
  uint32_t code;
  void bit(const std::string& name, uint8_t) {
    trace->declBit(code++, name.c_str(), -1, FST_VD_IMPLICIT, FST_VT_VCD_WIRE, false, -1);
  }
  void word(const std::string& name, uint32_t) {
    trace->declBus(code++, name.c_str(), -1, FST_VD_IMPLICIT, FST_VT_VCD_WIRE, false, -1, 31, 0);
  }
  void real(const std::string& name, double) {
    trace->declDouble(code, name.c_str(), -1, FST_VD_IMPLICIT, FST_VT_VCD_REAL, false, -1);
    code += 2;
  }
};

template <bool kFull>
struct Dump {
  VerilatedFst::Buffer* buffer;
  uint32_t* old;
  void bit(const std::string&, uint8_t value) {
    if constexpr (kFull)
      buffer->fullBit(old, value);
    else
      buffer->chgBit(old, value);
    old += 1;
  }
  void word(const std::string&, uint32_t value) {
    if constexpr (kFull)
      buffer->fullIData(old, value, 32);
    else
      buffer->chgIData(old, value, 32);
    old += 1;
  }
  void real(const std::string&, double value) {
    if constexpr (kFull)
      buffer->fullDouble(old, value);
    else
      buffer->chgDouble(old, value);
    old += 2;
  }
};

}  // namespace

// The tracer's callbacks get one pointer: the base code belongs to the file, not to the process.
struct HarnessTrace {
  HarnessSignals* signals;
  uint32_t base;
};

WaveFile::WaveFile(const sim::WaveSpec& spec, double clock_mhz)
    : spec_(spec), period_ps_(static_cast<uint64_t>(1e6 / clock_mhz + 0.5)) {
  const std::filesystem::path path(spec.path);
  if (path.extension() != ".fst" && path.extension() != ".vcd") {
    throw sim::UsageError(fmt::format("--wave '{}' ends neither in .fst nor in .vcd", spec.path));
  }
  std::FILE* probe = std::fopen(spec.path.c_str(), "wb");
  if (probe == nullptr) cannot_write(spec.path, errno);
  // A full disk lets a file be made and refuses its first bytes.
  const bool whole =
      std::fputc('\n', probe) != EOF && std::fflush(probe) == 0 && ::fsync(fileno(probe)) == 0;
  const int error = errno;
  std::fclose(probe);
  if (!whole && error != EINVAL) cannot_write(spec.path, error);
  fst_path_ = path.extension() == ".fst" ? spec.path : spec.path + ".fst";
}

WaveFile::~WaveFile() {
  try {
    close();
  } catch (const sim::InputError&) {
    // Reached only while another error is on its way to the user.
  }
}

void WaveFile::open() {
  trace_ = std::make_unique<HarnessTrace>(HarnessTrace{&harness_, 0});
  HarnessTrace* const context = trace_.get();
  fst_.spTrace()->addInitCb(
      [](void* user, VerilatedFst* trace, uint32_t code) {
        auto* self = static_cast<HarnessTrace*>(user);
        self->base = code;
        trace->pushNamePrefix("harness ");
        visit_signals(*self->signals, Declare{trace, code});
        trace->popNamePrefix();
      },
      context);
  fst_.spTrace()->addFullCb(
      [](void* user, VerilatedFst::Buffer* buffer) {
        auto* self = static_cast<HarnessTrace*>(user);
        visit_signals(*self->signals, Dump<true>{buffer, buffer->oldp(self->base)});
      },
      context);
  fst_.spTrace()->addChgCb(
      [](void* user, VerilatedFst::Buffer* buffer) {
        auto* self = static_cast<HarnessTrace*>(user);
        visit_signals(*self->signals, Dump<false>{buffer, buffer->oldp(self->base)});
      },
      context);
  fst_.spTrace()->set_time_unit("1ps");
  fst_.spTrace()->set_time_resolution("1ps");
  fst_.open(fst_path_.c_str());
  if (!fst_.isOpen()) cannot_write(fst_path_, errno);
  open_ = true;
}

void WaveFile::close() {
  if (!open_) return;
  open_ = false;
  errno = 0;
  fst_.close();
  const int error = errno;
  // The writer does not report a full disk; reading back what it wrote does.
  void* reader = fstReaderOpen(fst_path_.c_str());
  const bool whole = reader != nullptr && fstReaderGetEndTime(reader) >= last_time_;
  if (!whole) {
    if (reader != nullptr) fstReaderClose(reader);
    cannot_write(fst_path_, error);
  }
  if (fst_path_ != spec_.path) {
    std::FILE* vcd = std::fopen(spec_.path.c_str(), "wb");
    bool written = false;
    if (vcd != nullptr) {
      fstReaderProcessHier(reader, vcd);
      fstReaderSetFacProcessMaskAll(reader);
      fstReaderIterBlocks(reader, nullptr, nullptr, vcd);
      written = std::fflush(vcd) == 0 && std::ferror(vcd) == 0;
      written = std::fclose(vcd) == 0 && written;
    }
    const int vcd_error = errno;
    fstReaderClose(reader);
    // On failure the FST stays: nothing that was written is lost.
    if (!written) cannot_write(spec_.path, vcd_error);
    std::filesystem::remove(fst_path_);
  } else {
    fstReaderClose(reader);
  }
}

}  // namespace gw::testbenches
