#include "testbenches/common/wave_file.h"

#include <Vgw_harness_signals.h>
#include <fmt/format.h>
#include <gtkwave/fstapi.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "sim/error.h"

namespace gw::testbenches {
namespace {

[[noreturn]] void cannot_write(const std::string& path, int error) {
  throw sim::InputError(fmt::format("cannot write waveform '{}': {}", path,
                                    error != 0 ? std::strerror(error) : "the file is not whole"));
}

}  // namespace

// gw_harness_signals.sv, verilated: its scope in the waveform is its name.
struct HarnessModel {
  explicit HarnessModel(VerilatedContext* context) : top(context, "harness") {}
  ~HarnessModel() { top.final(); }
  Vgw_harness_signals top;
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
  fst_.set_time_unit("1ps");
  fst_.set_time_resolution("1ps");
  fst_.open(fst_path_.c_str());
  if (!fst_.isOpen()) cannot_write(fst_path_, errno);
  open_ = true;
}

std::shared_ptr<void> WaveFile::add_harness(VerilatedContext* context) {
  auto model = std::make_shared<HarnessModel>(context);
  model_ = model.get();
  show_harness();
  return model;
}

// Newer versions have traced it with the engine, and ignore this.
void WaveFile::trace_harness() { model_->top.trace(&fst_, 99); }

void WaveFile::show_harness() {
  Vgw_harness_signals& top = model_->top;
  const HarnessSignals& h = harness_;
  top.cycle = static_cast<uint32_t>(h.cycle);
  top.input_packet = h.input_packet;
  top.output_packet = h.output_packet;
  top.source_stall = h.source_stall;
  top.sink_stall = h.sink_stall;
  double* const s_float[] = {&top.s_float0, &top.s_float1, &top.s_float2, &top.s_float3,
                             &top.s_float4, &top.s_float5, &top.s_float6, &top.s_float7};
  double* const m_float[] = {&top.m_float0, &top.m_float1, &top.m_float2, &top.m_float3,
                             &top.m_float4, &top.m_float5, &top.m_float6, &top.m_float7};
  static_assert(std::size(s_float) == kLanes && std::size(m_float) == kLanes);
  for (size_t i = 0; i < kLanes; ++i) {
    *s_float[i] = h.input_lane[i];
    *m_float[i] = h.output_lane[i];
  }
  top.eval();
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
